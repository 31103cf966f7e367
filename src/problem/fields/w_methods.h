#ifndef W_METHODS_H
#define W_METHODS_H
/* W-methods in increments for fields in two and three dimensions, u_t = F(u, t):
 *
 *     k_i = Q (dt F(u + sum_j a_ij k_j, t + c_i dt) + D_i) - D_i,    D_i = sum_{j<i} h_ij k_j
 *     u+ = u + sum_i b_i k_i,    estimated error sum_i e_i k_i
 *
 * Q = P⁻¹ solves with a product of line matrices, one axis after the other,
 *
 *     P = A_x A_y (A_z),    A_j = 1 - gamma dt (a0/d + m2_j d_jj - m4_j d_jjjj),    d axes
 *
 * and the methods keep their order whatever P is: mixed derivatives and nonlinear terms are in F alone. With G = gamma
 * (1 + h) the conditions, sums over stages, are b1 = 1, bA1 = 1/2, b(A1)² = 1/3, bAA1 = 1/6, bG1 = bAG1 = bGA1 = bGG1 =
 * 0, and e1 = eA1 = eG1 = 0 for an estimate of order 2.
 *
 *     SW_BACKWARD_EULER  order 1: u+ = u + Q dt F; estimates nothing
 *     SW_IMEX2           order 2, two stages: with V = gamma k_1 it is ARS(2,2,2) of Ascher, Ruuth and Spiteri, Appl.
 *                        Numer. Math. 25 (1997), 151, of equations whose matrix is all of L. e = u+ - (u + k_1)
 *     SW_IMEX3           W3, order 3, four stages: 0.031 is left of what one stiff axis has in a step; explicit terms
 *                        are stable to dt times 2.60 i and -3.38
 *
 * No stage sees the end of a step, and F may jump there by the time alone. A second quadrature rule q, on the times of
 * all stages and that of the end, then estimates the error once more, with U = u+ (problem/line/stepper/imex.h):
 *
 *     dt sum_i (q_i - b_i) F(U, t + c_i dt),    c = 1, b = 0 at the end */
#include "problem/fields/w_matrix_point.h"
#include "problem/line/stepper/sw_stepper.h"

/** The table of a scheme, static. NULL: SW_CRANK_NICOLSON, which is none of these. */
const struct fields_method *fields_method_of(enum sw_scheme scheme);
#endif
