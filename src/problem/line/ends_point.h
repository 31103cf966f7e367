#ifndef ENDS_POINT_H
#define ENDS_POINT_H
/* Lines that end at their first and last point (docs/numerics.md, 13). Points beyond an end are what the conditions
 * there say, by Taylor's series about it, so that the differences at the end and beside it are those of the inside:
 *
 *     value, u = g and u_xx = h:    u_{-k} = -u_k + 2 g + (k dx)² h
 *     slope, u_x = g, u_xxx = h:    u_{-k} =  u_k -/+ (2 k dx g + (k dx)³/3 h),    - at the left end, + at the right
 *
 * with k = 1, 2 the distance from the end. With g = h = 0 a slope is an even reflection: no flux, u_x = u_xxx = 0. */
#include "base/sw_hd.h"

/** What u beyond an end has of u at the point as far inside: -1 value, 1 slope. */
SW_HD static inline double sw_end_reflection(int is_value) { return is_value ? -1.0 : 1.0; }

/** What it has besides. @param side  0 left, 1 right  @param k  1, 2  @param dx  between points */
SW_HD static inline double sw_end_beyond(int is_value, int side, int k, double dx, double g, double h)
{
    const double far = k * dx;
    if (is_value) return 2.0 * g + far * far * h;
    return (side ? 1.0 : -1.0) * (2.0 * far * g + far * far * far / 3.0 * h);
}
#endif
