#ifndef STENCIL_CPU_H
#define STENCIL_CPU_H
/* Parts of a step on the CPU: on whole lines what line_point.h is at a point, and the matrices of a batch. */
#include "linalg/sw_band.h"
#include "problem/line/sw_stepper.h"

/** f = (2 I - A) u; n >= 5, f and u apart. */
void sw_line_explicit_rhs(const struct sw_line_run *r, int n, const double *u, double *f);

/** f += (dt/dx²) d2 g */
void sw_line_add_second_difference(const struct sw_line_run *r, int n, const double *g, double *f);

bool sw_line_is_finite(int n, const double *u);

/* A = I + s4 d4 - s2 d2 of some run. */
struct sw_line_matrix { double s4, s2; int run; };

/** Number the different matrices of a batch.
 * @param load_error   [count]: a run with one has no matrix
 * @param matrix  out [count]; the first ones are those numbered 0, 1, ...
 * @param system  out [count]: the number of each run's matrix, -1: none
 * @return how many there are */
int sw_line_matrices(int count, const struct sw_line_run *run, const char *const *load_error,
                     struct sw_line_matrix *matrix, int *system);

/** Write the bands of matrices 0 .. batch-1 for a solver of pentadiagonal lines. */
void sw_line_bands(const struct sw_band *solver, const struct sw_line_matrix *matrix, double *band);
#endif
