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
#include <stdbool.h>

#include "problem/line/stepper/sw_stepper.h"

enum { FIELDS_STAGES = 4, FIELDS_AXES = 3 };

struct fields_method {
    int    order, stages;
    bool   estimates;       /* e is not 0 */
    double gamma;
    double a[FIELDS_STAGES][FIELDS_STAGES], h[FIELDS_STAGES][FIELDS_STAGES];
    double c[FIELDS_STAGES], b[FIELDS_STAGES], e[FIELDS_STAGES];
    double q[FIELDS_STAGES], q_end;  /* of the methods that estimate their errors */
    double sigma[2], mu, nu[2];  /* of fields_matrix_of(): [0] two axes, [1] three */
    double exact_mu, exact_nu;   /* the same, where P is exact                     */
};

/** The table of a scheme, static. NULL: SW_CRANK_NICOLSON, which is none of these. */
const struct fields_method *fields_method_of(enum sw_scheme scheme);

/* What the equation of an unknown has that may be stiff: its linear terms a0 u + sum_j (a2_j u_jj - a4_j u_jjjj), and
 * along each axis the largest coefficients of diffusion and of -u_jjjj, those of linear terms and of nonlinear ones
 * about the present field together. */
struct fields_stiffness {
    double a0, a2[FIELDS_AXES], a4[FIELDS_AXES];
    double most2[FIELDS_AXES], most4[FIELDS_AXES];
    double a6[FIELDS_AXES];  /* of u_jjjjjj, where P is exact */
};

/* The coefficients of P; of an exact one what it takes beside the linear terms. What grows is left out: none is of the
 * sign that makes A_j small. */
struct fields_matrix { double a0, m2[FIELDS_AXES], m4[FIELDS_AXES]; };

/* What decides P beside the coefficients. */
struct fields_matrix_rule {
    int    axes;            /* 2, 3: that the grid has                                                    */
    bool   cross;           /* F has second derivatives u_xy, as large as those along axes                */
    bool   fourth;          /* F is of fourth order in space, whose differences have larger symbols       */
    bool   linear;          /* m2 is that of linear terms alone where there is an m4: steps that an estimated error
                             * bounds keep themselves stable, and are more accurate so                    */
    bool   exact;           /* P has all linear terms by itself; `cross` is of varying ones alone         */
};

/** P of a step of dt, so that |R| <= 1 for all waves and all dt with d_xxyy and what else is mixed in F:
 *
 *     m4 = sigma most4,    m2 = max(a2, mu most2 - nu sqrt(most4/dt), 0),    of cross derivatives sigma m2
 *
 * Where P is exact it takes of coefficients that vary, with a mu and a nu of their own,
 *
 *     m4 = max(mu most4 - a4, 0),    m2 = max(a2, mu most2 - D, 0) - a2,    D = nu sqrt(most4/dt) or, where larger,
 *                                                                          (0.65 nu²/dt)^(2/3) (a6/(1 - mu))^(1/3)
 *
 * |R(z, w)| <= 1, z = dt F', w = dt L, wherever -w >= -mu z - c: c = 1, 1.71 and 1.37 with mu = 0.501, 0.855, 0.68. So
 * (mu most2 - m2) w - (1 - mu) (most4 w² + a6 w³) may be c/dt, w = sum_j w_j: nu = 2 sqrt(c (1 - mu)) where F has
 * u_xxyy, and with 3 sum_j w_j² >= w² over sqrt(3) elsewhere, which is what stands in the table. With cross derivatives
 * that vary most2 counts once for each axis, as (sum_j sqrt(w_j))² <= axes w. */
struct fields_matrix fields_matrix_of(const struct fields_method *m, const struct fields_matrix_rule *rule,
                                      const struct fields_stiffness *s, double dt);
#endif
