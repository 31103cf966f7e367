#ifndef FIELDS_EXACT_H
#define FIELDS_EXACT_H
/* Exact solves of a periodic field: P = 1 - gamma dt L in place of a product of line matrices, by a Fourier transform
 * along all axes. With w_j = (2 - 2 cos k_j dx_j)/dx_j² the symbol of -d_jj, that of L is
 *
 *     L(k) = min(Re S(k) - sum_j m2_j w_j - (sum_j sqrt(m4_j) w_j)², 0) + i Im S(k)
 *
 * S is the symbol of all that the right-hand side has of the unknown with constant coefficients, cross and odd
 * derivatives too, and to the sixth order, in its very differences: the weights of neighbours, which are found by
 * evaluating the difference text where one of them is 1. m2 and m4 are what varying and nonlinear terms need beyond it
 * (fields_matrix_rule.exact). What grows stays out. */
#include "problem/fields/solves.h"

extern const struct fields_solves fields_exact;

/* Without factor and solve, of a row that solves with S on a device. */
extern const struct fields_solves fields_symbols;
/** S of unknown v of the run begun with, of a solver of either. @param part  0: real, 1: imaginary
 * @return [nz][ny][nx/2 + 1]; NULL: that part is 0 */
const double *fields_symbol(const void *solver, int v, int part);
#endif
