#ifndef MEASURE_POINT_H
#define MEASURE_POINT_H
/* What is measured on a line, point by point (docs/numerics.md, "What is reported").
 *
 * Every sum over a line in memory is taken in one order, fixed by n alone: lane l adds the terms of points l,
 * l + SW_SUM_LANES, ... in turn; then lanes l and l + w are added for w = SW_SUM_LANES/2, ... 2, 1. A block of
 * SW_SUM_LANES threads and a loop over vectors do that equally well. */
#include "base/sw_hd.h"

enum { SW_SUM_LANES = 128 };

/** u_x at a point, by the central difference. @param half  1/(2 dx) */
SW_HD static inline double sw_measure_slope(double left, double right, double half)
{
    return (right - left) * half;
}

/** 2 pi sum |û_k|² / sum k |û_k|² over k = 2 pi j/L, j = 1 .. n/2; power = sum |û_j|², moment = sum j |û_j|².
 *  NaN where the field is constant. */
SW_HD static inline double sw_measure_domain_length(double length, double power, double moment)
{
    return length * power / moment;
}
#endif
