#ifndef LANES_ENDS_H
#define LANES_ENDS_H
/* Lines that end, in lanes (lanes.h; ends_point.h): the same two recursions, closed by reflection in place of a circle.
 *
 * With conditions of zero the solution goes on beyond an end as its reflection, x_{-k} = R x_k, R = -1 where x is given
 * and 1 where its slope is; where x is given its own equation falls away, and x = 0 there. In the order of the first
 * recursion, with b1, b2 its coefficients and c1, c2 those of the second,
 *
 *     y_k = f_k + b1 y_{k-1} + b2 y_{k-2}     z_k = y_k + c1 z_{k+1} + c2 z_{k+2}     x = z/g
 *     v_k = f_k + c1 v_{k+1} + c2 v_{k+2}     z_k = v_k + b1 z_{k-1} + b2 z_{k-2}
 *
 * The far end. y_{n-1}, y_{n-2}, y_{n-3} and z_{n-1+k} = R z_{n-1-k}, k = 1, 2, are five equations for z_{n-3} ..
 * z_{n+1}: the state (z_n, z_{n+1}) in which the second recursion begins is a matrix times these three y.
 *
 * The near end. In the same way v_0, v_1, v_2 tell z_{-2} .. z_2, hence y_{-1} and y_{-2}: the state before the first
 * point is a matrix times (f_0, v_1, v_2), with v_1 = sum of h_{k-1} f_k and v_2 = sum of h_{k-2} f_k, h the answer of
 * the second recursion to an impulse, taken while f is at hand. Where both recursions have the same numbers it is
 * R (v_1, v_2).
 *
 * Where neither answer has decayed over the line each end sees the other one: v_1 and v_2 lack what lies beyond the far
 * end, which depends on the last three y, which lack the state before the first point. So that state is a matrix times
 * f_0, the sums and the last three y of a recursion from zero, by two equations.
 *
 * Other conditions are a polynomial of degree 4 at most that fulfils them, which the differences take exactly: it is
 * taken from x, and A times it from f. The formulas are in closing_point.h. */
#include "problem/line/simd/lanes.h"

/** What closes a line whose lanes-independent part is set (sw_lanes_line()).
 * @param value  left, right: x is given there, else its slope */
void sw_lanes_close_line(int n, const bool value[2], struct sw_lanes_line *line);

/** Give it to a lane: sw_lanes_set() before it. */
void sw_lanes_set_closing(struct sw_lanes_closing *closing, int lane, const struct sw_lanes_line *line);
#endif
