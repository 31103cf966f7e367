#ifndef LINE_POINT_H
#define LINE_POINT_H
/* One step of the line equation at one point (docs/explanation/line_equations.md):
 *
 *     A u^{n+1} = rhs,    A = I + s4 d4 - s2 d2,    d2 u = u_{i-1} - 2 u_i + u_{i+1},    d4 = d2 d2
 *     Crank-Nicolson  rhs = (2 I - A) u + (dt/dx²) d2 G(u) + dt S,   S at t_n + dt/2
 *     backward Euler  rhs =           u + (dt/dx²) d2 G(u) + dt S,   S at t_n
 *
 * rhs is summed in this order; a term whose expression is absent is left out. */
#include "base/sw_hd.h"

/* A = P + s0 I + s1 d1 - s2 d2 + s3 d3 + s4 d4: s_k is a_k times dt/dx^k and sw_scheme_weight(), s0, s1 and s3 with
 * the other sign (docs/explanation/line_equations.md and line_methods.md); with another P than 1, what
 * sw_line_fourth_order() makes of these. */
struct sw_line_operator { double s4, s2, s0, s1, s3; };

/* P = 1 + d2 d2 + d4 d4, by which the equation of an unknown is multiplied so that it is of fourth order in space
 * (problem/line/stepper/fourth_order.h); {0}: 1. */
struct sw_line_mass { double d2, d4; };

/** Whether P is not 1. */
SW_HD static inline int sw_line_has_mass(const struct sw_line_mass *p) { return p->d2 != 0.0 || p->d4 != 0.0; }

/** A itself as 1 + ..., from A - P. */
SW_HD static inline struct sw_line_operator sw_line_matrix_of(const struct sw_line_operator *a,
                                                              const struct sw_line_mass *p)
{
    struct sw_line_operator matrix = *a;
    if (!sw_line_has_mass(p)) return matrix;
    matrix.s4 += p->d4;
    matrix.s2 -= p->d2;
    return matrix;
}

/** The time at which S is taken in the step from t_n = step*dt. theta: 0.5 Crank-Nicolson, 1 backward Euler. */
SW_HD static inline double sw_line_time(double theta, long long step, double dt)
{
    return ((double)step + (1.0 - theta)) * dt;
}

/* A product with 2 is exact, so that on a GPU, whose compiler joins no operations by itself, one less has the same
 * bits. */
SW_HD static inline double sw_line_d2(double left, double here, double right)
{
#ifdef __CUDACC_RTC__
    return fma(-2.0, here, left + right);
#else
    return (left + right) - 2.0 * here;
#endif
}

SW_HD static inline double sw_line_d4(double left2, double left, double here, double right, double right2)
{
    return ((left2 + right2) - 4.0 * (left + right)) + 6.0 * here;
}

/** P f. */
SW_HD static inline double sw_line_mass_times(const struct sw_line_mass *p, double left2, double left, double here,
                                              double right, double right2)
{
    return here + (p->d2 * sw_line_d2(left, here, right) + p->d4 * sw_line_d4(left2, left, here, right, right2));
}

/* d1 u = (u_{i+1} - u_{i-1})/2,  d3 u = d1 d2 u = (u_{i+2} - 2 u_{i+1} + 2 u_{i-1} - u_{i-2})/2 */

/** (2 I - A) u from the five points u_{i-2} .. u_{i+2}: cuPentBatch, eq. 7c. 12 operations. */
SW_HD static inline double sw_line_explicit(double s4, double s2, double left2, double left, double here, double right,
                                            double right2)
{
    double near = left + right;
    double d4 = ((left2 + right2) - 4.0 * near) + 6.0 * here;
    return (here - s4 * d4) + s2 * (near - 2.0 * here);
}

/** (1 - A) u, A with all its terms, as differences of differences, (r - h) - (h - l): their rounding is that of the
 * differences, not that of u times s4. 21 operations. */
SW_HD static inline double sw_line_apply(const struct sw_line_operator *a, double left2, double left, double here,
                                         double right, double right2)
{
    const double l2 = left - left2, l = here - left, r = right - here, r2 = right2 - right;
    const double before = l - l2, d2 = r - l, after = r2 - r;
    return a->s2 * d2 - a->s4 * ((after - d2) - (d2 - before)) - a->s0 * here - 0.5 * a->s1 * (r + l) -
           0.5 * a->s3 * (after - before);
}

/** A at a point: its columns i - 2 .. i + 2. */
SW_HD static inline void sw_line_row(const struct sw_line_operator *a, double row[5])
{
    const double s4 = a->s4, s2 = a->s2, odd = 0.5 * a->s1 - a->s3;
    row[0] = row[4] = s4;
    row[1] = row[3] = -4.0 * s4 - s2;
    row[2] = 1.0 + 6.0 * s4 + 2.0 * s2;
    if (a->s0 != 0.0) row[2] += a->s0;
    if (a->s1 == 0.0 && a->s3 == 0.0) return;
    row[0] -= 0.5 * a->s3;
    row[1] -= odd;
    row[3] += odd;
    row[4] += 0.5 * a->s3;
}
#endif
