#ifndef CUDA_LINE_KERNELS_H
#define CUDA_LINE_KERNELS_H
/* Launchers of the kernels for lines (line_layout.cu, line_measure.cu, line_spectral.cu). cuda/sw_cuda.h says what
 * holds for all. */
#include <stdbool.h>

#include "cuda/sw_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sw_line_batch;          /* problem/line/cuda/batch_point.h */
struct sw_line_alike;          /* likewise                   */

/** first_bad from load_error: to begin with, only runs with a load_error are bad. */
enum sw_status sw_cuda_line_reset(sw_cuda_stream stream, const struct sw_line_batch *b);

/* The order of lines of several unknowns: [count][unknowns][n], a state; or [unknowns][count][n], a snapshot. */
enum sw_cuda_lines { SW_LINES_OF_RUNS, SW_LINES_OF_UNKNOWNS };

/** lines float (single) or double := the field u; NaN where the run is marked bad. */
enum sw_status sw_cuda_to_lines(sw_cuda_stream stream, const struct sw_line_batch *b, const double *u,
                                enum sw_cuda_lines order, bool single, void *lines);
/** The field u := lines [count][unknowns][n]. */
enum sw_status sw_cuda_from_lines(sw_cuda_stream stream, const struct sw_line_batch *b, const double *lines, double *u);

/** band [5] vectors of n*ld: A of an unknown; the identity where there is no run, or one with a load_error.
 * @param model  a run whose matrix all systems get; -1: each its own */
enum sw_status sw_cuda_line_matrix(sw_cuda_stream stream, const struct sw_line_batch *b, int unknown,
                                   const struct sw_line_alike *alike, int model, double *band);

/* Of lines one after another. */
/** Divide the spectra by n and the symbol of A. @param waves  [n/2 + 1][2]: 2 - 2 cos and sin of 2 pi k/n
 *  @param spectrum  [count][unknowns][n/2 + 1] complex */
enum sw_status sw_cuda_line_divide(sw_cuda_stream stream, const struct sw_line_batch *b, const double *waves,
                                   double *spectrum);
/** f := f - u, all unknowns of all runs. */
enum sw_status sw_cuda_line_subtract(sw_cuda_stream stream, const struct sw_line_batch *b, const double *u, double *f);

struct sw_cuda_spectrum {      /* field/spectrum_point.h                                                 */
    int     ended;             /* lines end                                                              */
    int     circle;            /* points of the circle that a line is, or is with its mirror image: 2 (n - 1) */
    int     length, passes, radix[32];
    double *table;             /* what the next point into: struct sw_dft                                  */
    const double *cosine, *sine;          /* [length]                                                      */
    const double *chirp_re, *chirp_im;    /* [circle]; these and the next NULL if length is circle         */
    const double *filter_re, *filter_im;  /* [length]                                                      */
    int     blocks;            /* runs measured at once                                                    */
    double *scratch;           /* [blocks][4][length]; NULL: they fit into shared memory                   */
    double  noise_growth;      /* sw_measure_noise_growth() of the steps taken                             */
};
/** scalars [count][SW_LINE_SCALARS] (problem/line/stepper/scalars_point.h): NaN where the run is marked bad, and for
 * rows of the kind DENSITY.
 * @param measured  likewise: all rows but those of the kind SPECTRUM are taken from there; NULL: they are not known */
enum sw_status sw_cuda_line_measure(sw_cuda_stream stream, const struct sw_line_batch *b,
                                    const struct sw_cuda_spectrum *p, const double *u, const double *measured,
                                    double *scalars);

#ifdef __cplusplus
}
#endif
#endif
