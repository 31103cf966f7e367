#ifndef PRODUCT_H
#define PRODUCT_H
/* P = A_x A_y (A_z) of a field, a product of line matrices A_j = 1 + s0 - s2 d2 + s4 d4 with constant coefficients.
 * Along a periodic axis each is two recursions along all lines (problem/line/stepper/recursive.h); between walls it is
 * eliminated once, and all its lines are substituted: A is, but for factors of rows, symmetric and positive definite,
 * so that no pivots are looked for. Several lines go side by side. Fields are [z][y][x]. No bit of a line depends on
 * the others. */
#include <stdbool.h>

#include "problem/fields/w_methods.h"
#include "problem/fields/walls_point.h"
#include "problem/line/stepper/recursive.h"

/* What holds for increments at the ends of an axis, for one unknown. */
struct fields_ends {
    enum fields_wall_kind kind[2];  /* FIELDS_NO_WALL: periodic                            */
    double               *room;     /* [FIELDS_ELIMINATED][n], the caller's, between walls */
};

struct fields_axis {
    int                 n;
    bool                is_one;      /* s2 = s4 = 0, and only `scale` is left   */
    struct sw_recursive r;
    double              closure[4];  /* sw_recursive_closure()                  */
    double              scale;       /* r.scale/(1 + s0)                        */
    int                 begin;       /* points before it do not reach the last one */
    const double       *eliminated;  /* between walls, [FIELDS_ELIMINATED][n] l1, l2, p, u1, u2 (walls_point.h), p
                                      * with `scale` in it already; NULL: periodic, and all the above        */
};

struct fields_product { int axes; struct fields_axis axis[FIELDS_AXES]; };

/** Factor P of a step of dt. @param n, dx  [axes] of the grid  @param ends  [axes]; NULL: all are periodic
 * @return false where a coefficient is not finite */
bool fields_product_factor(int axes, const int *n, const double *dx, const struct fields_ends *ends, double gamma_dt,
                           const struct fields_matrix *m, struct fields_product *product);

/** Numbers of `room` that a solve takes. */
size_t fields_product_room(int axes, const int *n);

/** The P of unknown v, of a solver of fields_lines (solves.h). */
const struct fields_product *fields_lines_product(const void *solver, int v);

/** x = P⁻¹ x. */
void fields_product_solve(const struct fields_product *product, double *room, double *x);
#endif
