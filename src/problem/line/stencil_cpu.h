#ifndef STENCIL_CPU_H
#define STENCIL_CPU_H
/* Parts of a step on the CPU: on whole lines what line_point.h is at a point, and the matrices of a batch. */
#include "linalg/sw_band.h"
#include "problem/line/sw_stepper.h"

/** f = (2 I - A) u, A with s4 and s2; n >= 5, f and u apart. */
void sw_line_explicit_rhs(const struct sw_line_operator *a, int n, const double *u, double *f);

/** f += (dt/dx²) d2 g */
void sw_line_add_second_difference(const struct sw_line_run *r, int n, const double *g, double *f);

bool sw_line_is_finite(size_t n, const double *u);

/** f += scale (1 - A) u, A with all its terms, as differences of differences, (r - h) - (h - l): their rounding is that
 * of the differences, not that of u times s4. */
void sw_line_add_operator(const struct sw_line_operator *a, int n, double scale, const double *u, double *f);

/* A of some unknown of some run. */
struct sw_line_matrix { struct sw_line_operator a; int of; };

/** Number the different matrices of a batch.
 * @param load_error   [count]: a run with one has no matrix
 * @param matrix  out [count*unknowns]; the first ones are those numbered 0, 1, ...
 * @param system  out [count][unknowns]: the number of each matrix, -1: none
 * @return how many there are */
int sw_line_matrices(int count, int unknowns, const struct sw_line_run *run, const char *const *load_error,
                     struct sw_line_matrix *matrix, int *system);

/** Write the bands of matrices 0 .. batch-1 for a solver of pentadiagonal lines. */
void sw_line_bands(const struct sw_band *solver, const struct sw_line_matrix *matrix, double *band);
#endif
