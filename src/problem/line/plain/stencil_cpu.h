#ifndef STENCIL_CPU_H
#define STENCIL_CPU_H
/* Parts of a step on the CPU: on whole lines what line_point.h is at a point, and the matrices of a batch. */
#include "linalg/sw_band.h"
#include "problem/line/stepper/sw_stepper.h"

/* The conditions at both ends of an unknown's line, at some time (ends_point.h); {0}: it is periodic. */
struct sw_line_ends {
    bool   there;
    bool   value[2];                     /* left, right: u and u_xx are given; else u_x and u_xxx */
    double first[2];                     /* of the two the first                                  */
    double beyond[2][SW_REACH];          /* sw_end_beyond() at distance 1, 2                      */
};

/** Set the SW_REACH points beyond either end. @param u  room for SW_REACH numbers before it, and behind its n */
void sw_line_pad(const struct sw_line_ends *e, int n, double *u);

/* Lines u and g below have such points; g needs one. */

/** f += (dt/dx²) (d2 + d4_factor d4) g, which needs two such points where d4_factor is not 0. */
void sw_line_add_second_difference(const struct sw_line_run *r, double d4_factor, int n, const double *g, double *f);

/** f = P f. @param room  for n + 2 SW_REACH numbers */
void sw_line_multiply_mass(const struct sw_line_mass *p, int n, double *room, double *f);

/** Set u at the ends where it is given. */
void sw_line_set_values(const struct sw_line_ends *e, int n, double *u);

bool sw_line_is_finite(size_t n, const double *u);

/** f += scale (1 - A) u, A with all its terms. */
void sw_line_add_operator(const struct sw_line_operator *a, int n, double scale, const double *u, double *f);

/* A of some unknown of some run, as the run has it: A - P, and P. */
struct sw_line_matrix {
    struct sw_line_operator a;
    struct sw_line_mass     mass;
    enum sw_line_end_kind   ends[2];
    int                     of;
};

/** Number the different matrices of a batch.
 * @param load_error   [count]: a run with one has no matrix
 * @param matrix  out [count*unknowns]; the first ones are those numbered 0, 1, ...
 * @param system  out [count][unknowns]: the number of each matrix, -1: none
 * @return how many there are */
int sw_line_matrices(int count, const struct sw_line_model *model, const struct sw_line_run *run,
                     const char *const *load_error, struct sw_line_matrix *matrix, int *system);

/** Write the bands of matrices 0 .. batch-1 for a solver of pentadiagonal lines. */
void sw_line_bands(const struct sw_band *solver, const struct sw_line_matrix *matrix, double *band);
#endif
