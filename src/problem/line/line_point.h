#ifndef LINE_POINT_H
#define LINE_POINT_H
/* One step of the line equation at one point (docs/numerics.md, 1):
 *
 *     A u^{n+1} = rhs,    A = I + s4 d4 - s2 d2,    d2 u = u_{i-1} - 2 u_i + u_{i+1},    d4 = d2 d2
 *     Crank-Nicolson  rhs = (2 I - A) u + (dt/dx²) d2 G(u) + dt S,   S at t_n + dt/2
 *     backward Euler  rhs =           u + (dt/dx²) d2 G(u) + dt S,   S at t_n
 *
 * rhs is summed in this order; a term whose expression is absent is left out. */
#include "base/sw_hd.h"

/** The time at which S is taken in the step from t_n = step*dt. theta: 0.5 Crank-Nicolson, 1 backward Euler. */
SW_HD static inline double sw_line_time(double theta, long long step, double dt)
{
    return ((double)step + (1.0 - theta)) * dt;
}

SW_HD static inline double sw_line_d2(double left, double here, double right) { return (left + right) - 2.0 * here; }

SW_HD static inline double sw_line_d4(double left2, double left, double here, double right, double right2)
{
    return ((left2 + right2) - 4.0 * (left + right)) + 6.0 * here;
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
#endif
