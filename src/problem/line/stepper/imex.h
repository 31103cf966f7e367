#ifndef IMEX_H
#define IMEX_H
/* Runge-Kutta methods for u_t = L u + N(u, t), L implicit and N explicit, with one matrix for all stages:
 *
 *     (I - gamma dt L) U_i = u^n + dt sum_{j<i} (explicit_ij N_j + implicit_ij L U_j),     N_j = N(U_j, t_n + c_j dt)
 *     u^{n+1} = u^n + dt sum_j (b_explicit_j N_j + b_implicit_j L U_j)
 *
 * U_0 = u^n. Where `last` is set the weights b are the last stage's coefficients, and u^{n+1} is that stage. The
 * embedded solution is formed like u^{n+1}, of an order less; its difference from u^{n+1} estimates the error of a
 * step.
 *
 * Stages whose N are all taken before the end of a step do not see what N becomes later, by t itself. Then there is a
 * second quadrature rule q, on the times c_j of all stages, and with U = the last stage that has an N
 *
 *     dt sum_j (q_j - b_explicit_j) N(U, t_n + c_j dt)
 *
 * estimates the error of a step once more: O(dt^3) where N is smooth in t, and O(dt) times a jump's height wherever in
 * the step it is.
 *
 *     SW_BACKWARD_EULER  backward and forward Euler, order 1; the embedded solution is none
 *     SW_IMEX2           ARS(2,2,2) of Ascher, Ruuth and Spiteri, Appl. Numer. Math. 25 (1997), 151, section 2.6, order
 *                        2, L-stable; embedded order 1: u^n + dt (N_0 + L U_1) = u^n + (U_1 - u^n)/gamma, which costs
 *                        nothing. N is taken at t_n and t_n + 0.29 dt; q is the trapezoidal rule: of a jump behind
 *                        these it sees dt/2
 *     SW_IMEX3           ARK3(2)4L[2]SA of Kennedy and Carpenter, Appl. Numer. Math. 44 (2003), 139, order 3, L-stable;
 *                        embedded order 2 */
#include "problem/line/stepper/sw_stepper.h"

enum { SW_IMEX_STAGES = 4 };  /* most, with U_0 */

struct sw_imex {
    int         order, stages;
    bool        last;       /* u^{n+1} = U_{stages-1}                                                 */
    bool        first;      /* implicit_i0 is not 0 somewhere: L u^n is needed                        */
    bool        estimates;  /* has an embedded solution                                               */
    double      gamma;
    double      c[SW_IMEX_STAGES];
    double      explicit_part[SW_IMEX_STAGES][SW_IMEX_STAGES], implicit_part[SW_IMEX_STAGES][SW_IMEX_STAGES];
    double      b_explicit[SW_IMEX_STAGES], b_implicit[SW_IMEX_STAGES];
    double      embedded_explicit[SW_IMEX_STAGES], embedded_implicit[SW_IMEX_STAGES];
    double      quadrature[SW_IMEX_STAGES];  /* q; all 0: there is none                               */
};

/** The table of a scheme, static. NULL: SW_CRANK_NICOLSON, which is none of these. */
const struct sw_imex *sw_imex_of(enum sw_scheme scheme);

/** The scheme that a word of the key `method` names. @return false: none */
bool sw_scheme_named(const char *word, enum sw_scheme *scheme);

/** What dt a_k/dx^k is multiplied by in A: theta of Crank-Nicolson, gamma of the others. */
double sw_scheme_weight(enum sw_scheme scheme);

/* With l_j = gamma dt L U_j = U_j - (the right-hand side of U_j), j > 0, later ones are sums of what there is:
 *
 *     f_i = sum_j of_state_j U_j + of_first l_0 + dt sum_j of_value_j N_j
 *
 * so that no l_j is kept but l_0, which the operator gives. The result of a method whose last stage it is not is U_last
 * and a sum likewise. Crank-Nicolson is one stage with f = 2 u + dt N, from which U = A⁻¹ f - u. */
struct sw_imex_weights { double of_state[SW_IMEX_STAGES], of_first, of_value[SW_IMEX_STAGES]; };

struct sw_imex_stages {
    int    count;                               /* with U_0                                       */
    bool   last, first;                         /* U_last is the result; l_0 is wanted            */
    double left;                                /* Crank-Nicolson: 1                              */
    double time[SW_IMEX_STAGES];                /* of each stage's N, in steps                    */
    struct sw_imex_weights stage[SW_IMEX_STAGES], result;
    struct sw_imex_weights error;               /* the result less the embedded solution          */
    bool   sees_time;                           /* there is a q                                   */
    double of_time[SW_IMEX_STAGES];             /* q_j - b_explicit_j; 0 where there is none      */
};

/** The stages of a scheme; of Crank-Nicolson, too. */
void sw_imex_stages_of(enum sw_scheme scheme, struct sw_imex_stages *stages);

/** Whether stage 0 adds nothing to the error but u^n: a kernel then sums it from stage 1 on, where the right-hand side
 * of that stage has been. */
static inline bool sw_imex_error_waits(const struct sw_imex_stages *m)
{
    return m->error.of_value[0] == 0.0 && m->error.of_first == 0.0;
}

/** How many stages have values of G and N. */
static inline int sw_imex_valued(const struct sw_imex_stages *m) { return m->count - m->last; }
#endif
