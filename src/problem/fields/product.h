#ifndef PRODUCT_H
#define PRODUCT_H
/* P = A_x A_y (A_z) of a periodic field, a product of line matrices A_j = 1 + s0 - s2 d2 + s4 d4 with constant
 * coefficients: each is two recursions along all lines of its axis (problem/line/stepper/recursive.h), several lines
 * side by side. Fields are [z][y][x]. No bit of a line depends on the others. */
#include <stdbool.h>

#include "problem/fields/w_methods.h"
#include "problem/line/stepper/recursive.h"

struct fields_axis {
    int                 n;
    bool                is_one;      /* s2 = s4 = 0, and only `scale` is left   */
    struct sw_recursive r;
    double              closure[4];  /* sw_recursive_closure()                  */
    double              scale;       /* r.scale/(1 + s0)                        */
    int                 begin;       /* points before it do not reach the last one */
};

struct fields_product { int axes; struct fields_axis axis[FIELDS_AXES]; };

/** Factor P of a step of dt. @param n, dx  [axes] of the grid  @return false where a coefficient is not finite */
bool fields_product_factor(int axes, const int *n, const double *dx, double gamma_dt, const struct fields_matrix *m,
                           struct fields_product *product);

/** Numbers of `room` that a solve takes. */
size_t fields_product_room(int axes, const int *n);

/** The P of unknown v, of a solver of fields_lines (solves.h). */
const struct fields_product *fields_lines_product(const void *solver, int v);

/** x = P⁻¹ x. */
void fields_product_solve(const struct fields_product *product, double *room, double *x);

/** A_j/(1 + s0) of an axis d, with s0 beside: for sw_line_rounding(), too. */
struct sw_line_operator fields_axis_operator(double gamma_dt, int axes, int d, double dx,
                                             const struct fields_matrix *m);
#endif
