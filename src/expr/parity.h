#ifndef PARITY_H
#define PARITY_H
/* What an expression is about the end of a line about which all fields are even, u_x = u_xxx = 0. */
#include "expr/expr_impl.h"

enum expr_parity { PARITY_EVEN, PARITY_ODD, PARITY_NEITHER };

/* x is a number where only its value at the end counts: outside derivatives, and in the E of dx(E), whose flux is E
 * itself. In the flux of dxx(E), E_x, it is differentiated. */
enum parity_place { PARITY_OUTSIDE, PARITY_IN_DX, PARITY_DEEPER, PARITY_PLACES };

typedef enum expr_parity expr_parities[PARITY_PLACES];

/** Of each node, in each place where it might stand. @param parity  out: [expr->count] */
void expr_find_parities(const struct sw_expr *expr, expr_parities *parity);
#endif
