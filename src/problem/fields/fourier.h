#ifndef FIELDS_FOURIER_H
#define FIELDS_FOURIER_H
/* Periodic fields of reals as waves, with any number of points along each axis: several lines side by side go through
 * the passes of field/spectrum_point.h, by the tables of field/dft.h, two rows of reals along x as one of complex
 * numbers. Of conjugate waves one is kept: a spectrum is [z][y][nx/2 + 1]. A line whose number of points has a prime
 * factor beyond SW_LARGEST_RADIX is a convolution of 2 n - 1 numbers or more, as all its n waves are wanted.
 * Operations a point and axis, there and back: 8.5 for each factor 4, 2 r + 8 for a prime r. */
#include "device/sw_owned.h"
#include "field/grid.h"

struct fields_fourier;

/** Waves that are kept, and bytes of memory. */
size_t fields_fourier_waves(const int64_t n[SW_DIMS]);
size_t fields_fourier_bytes(const int64_t n[SW_DIMS]);

/** @param n  1 along an axis that there is not  @param arrays  own its arrays
 * @return SW_E_MEMORY; it is then to be destroyed, too */
enum sw_status fields_fourier_create(const int64_t n[SW_DIMS], struct sw_owned *arrays,
                                     struct fields_fourier **fourier);
void           fields_fourier_destroy(struct fields_fourier *fourier);

/** X_k = sum of (x - less) exp(-i (2 pi k_x x/n_x + ..)). @param less  where the field is large and changes little, one
 * of its values: other waves than the first then do not round as it does; a constant field has none
 * @param x  [z][y][x]  @return [2][waves] real and imaginary parts; they stay until the next call */
double *const *fields_fourier_transform(struct fields_fourier *fourier, double less, const double *x);

/** Multiply each wave exp(i (2 pi k_x x/n_x + ..)) of a field by a number of its own.
 * @param re, im  [waves] its parts, over the number of points; im NULL: 0
 * @param x       [z][y][x] */
void fields_fourier_multiply(struct fields_fourier *fourier, const double *re, const double *im, double *x);
#endif
