#ifndef ADVECTION_WALL_POINT_H
#define ADVECTION_WALL_POINT_H
/* The kinds of conditions at a wall, and their formulas at a point of it (docs/explanation/advection.md). To add one:
 * add its row here and its case in advection_wall_rhs(); its keys, its programs on CPU and GPU and its checks follow.
 * Embedded for run-time compilation.
 *
 * A row of X:
 *     id              ADVECTION_WALL_<id>; the order is that of precedence where walls meet: a kind yields to those
 *                     above it, and of one kind z yields to y, and y to x
 *     key             its key is "left." key "x": "" or "name."
 *     holds_u         1: u is given; the end of each step puts it in
 *     time_derivative 1: the right-hand side wants the derivative in t of what is given, 0: the value itself
 *     u_x             1: the right-hand side wants the first derivative along the axis
 *     diffusive       1: it is a condition of the equation with nu > 0 only, and refused where nu is 0
 *     what, remark    of the key, for the documentation: "<what> at the left wall of x, an expression ..<remark>" */
#include "base/sw_hd.h"

#define ADVECTION_WALL_KINDS(X) \
    X(VALUE, "", 1, 1, 0, 0, "What u is", ", for inflow; without it the wall is an outflow.") \
    X(NEUMANN, "neumann.", 0, 0, 1, 1, "What the derivative of u along the axis is", \
      ", in place of u; for nu > 0. It is imposed by a penalty (docs/explanation/advection.md).")

#define ADVECTION_WALL_ID(id, key, holds_u, time_derivative, u_x, diffusive, what, remark) ADVECTION_WALL_##id,
enum advection_wall_id { ADVECTION_WALL_KINDS(ADVECTION_WALL_ID) ADVECTION_WALL_COUNT };
#undef ADVECTION_WALL_ID

/* A point of a wall as the formulas see it. */
struct advection_wall_point {
    double given;          /* what is given there, or its derivative in t (row.time_derivative)             */
    double u_x;            /* the first derivative along the axis, if the row wants it                       */
    double nu, inv_dx;
    double outward;        /* -1 at the left wall, 1 at the right one                                        */
};

/* The strength of the penalty, over nu/dx: above 0, so that the solution is drawn to what is given, and at most 4, so
 * that no eigenvalue of nu u_xx with it is beyond nu K2/dx², which bounds the time step
 * (docs/explanation/advection.md). */
#define ADVECTION_PENALTY 4.0

/** u_t at the point. @param rhs  the right-hand side of the equation there, with closures */
SW_HD static inline double advection_wall_rhs(int id, const struct advection_wall_point *p, double rhs)
{
    switch ((enum advection_wall_id)id) {
    case ADVECTION_WALL_VALUE: return p->given;
    case ADVECTION_WALL_NEUMANN:
        return rhs - p->outward * (ADVECTION_PENALTY * p->nu * p->inv_dx) * (p->u_x - p->given);
    case ADVECTION_WALL_COUNT: break;  /* no default: the compiler names a kind that has no case */
    }
    return rhs;
}
#endif
