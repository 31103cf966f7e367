#ifndef PARITY_H
#define PARITY_H
/* What an expression is about the end of an axis about which all fields are even, u_x = u_xxx = 0. */
#include "expr/expr_impl.h"

enum expr_parity { PARITY_EVEN, PARITY_ODD, PARITY_NEITHER };

/* Of the axis along x: x is a number where only its value at the end counts: outside derivatives, and in the E of
 * dx(E), whose flux is E itself. In the flux of dxx(E), E_x, it is differentiated. */
enum parity_place { PARITY_OUTSIDE, PARITY_IN_DX, PARITY_DEEPER, PARITY_PLACES };

typedef enum expr_parity expr_parities[PARITY_PLACES];

/** Of each node, in each place where it might stand. @param axis  0, 1, 2  @param parity  out: [expr->count] */
void expr_find_parities(const struct sw_expr *expr, int axis, expr_parities *parity);

/** The first column of a derivative along the axis, outside others, whose flux at such an end is not 0, in terms of the
 * nodes above it. @param root  of what is looked at  @param column  out: 0: there is none  @return SW_E_MEMORY */
enum sw_status expr_open_flux(const struct sw_expr *expr, int root, int axis, int *column);
#endif
