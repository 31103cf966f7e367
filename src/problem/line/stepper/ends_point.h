#ifndef ENDS_POINT_H
#define ENDS_POINT_H
/* Lines that end at their first and last point (docs/explanation/bounded_lines.md). Points beyond an end are what the
 * conditions there say, by Taylor's series about it, so that the differences at the end and beside it are those of the
 * inside:
 *
 *     value, u = g and u_xx = h:    u_{-k} = -u_k + 2 g + (k dx)² h
 *     slope, u_x = g, u_xxx = h:    u_{-k} =  u_k -/+ (2 k dx g + (k dx)³/3 h),    - at the left end, + at the right
 *
 * with k = 1, 2 the distance from the end. With g = h = 0 a slope is an even reflection: no flux, u_x = u_xxx = 0. */
#ifndef __CUDACC_RTC__
#include <stddef.h>
#endif
#include "base/sw_hd.h"
#include "problem/line/stepper/line_point.h"

enum sw_line_end_kind { SW_END_PERIODIC, SW_END_VALUE, SW_END_SLOPE };

/** What u beyond an end has of u at the point as far inside: -1 value, 1 slope. */
SW_HD static inline double sw_end_reflection(int is_value) { return is_value ? -1.0 : 1.0; }

/** What it has besides. @param side  0 left, 1 right  @param k  1, 2  @param dx  between points */
SW_HD static inline double sw_end_beyond(int is_value, int side, int k, double dx, double g, double h)
{
    const double far = k * dx;
    if (is_value) return 2.0 * g + far * far * h;
    return (side ? 1.0 : -1.0) * (2.0 * far * g + far * far * far / 3.0 * h);
}

/** Row i of A of n points, n >= 5, given that of a point far from the ends: points beyond an end, seen from there, are
 * the reflected ones inside, whose columns they are added to; where u is given its equation says so.
 * @param end  kinds of the left and the right end  @param row  columns i - 2 .. i + 2  @param out  likewise */
SW_HD static inline void sw_end_row(int left, int right, int n, int i, const double row[5], double out[5])
{
    const double before = sw_end_reflection(left == SW_END_VALUE), beyond = sw_end_reflection(right == SW_END_VALUE);
    for (int c = 0; c < 5; c++) out[c] = row[c];
    if (left == SW_END_PERIODIC) return;
    if ((i == 0 && left == SW_END_VALUE) || (i == n - 1 && right == SW_END_VALUE)) {
        for (int c = 0; c < 5; c++) out[c] = c == 2 ? 1.0 : 0.0;
    } else if (i == 0) {
        out[3] += before * row[1];
        out[4] += before * row[0];
    } else if (i == n - 1) {
        out[1] += beyond * row[3];
        out[0] += beyond * row[4];
    }
    if (i == 1) out[2] += before * row[0];
    if (i == n - 2) out[2] += beyond * row[4];
}

/** Take from the right-hand side what points beyond the ends have besides reflected ones; values at the ends are the
 * caller's to set.
 * @param beyond  of either end at distance 1 and 2  @param f  n numbers, `point` apart */
SW_HD static inline void sw_end_impose(const double row[5], double (*beyond)[2], int n, double *f, size_t point)
{
    double *last = f + (size_t)(n - 1) * point, *next = f + (size_t)(n - 2) * point;
    f[0] -= row[1] * beyond[0][0] + row[0] * beyond[0][1];
    f[point] -= row[0] * beyond[0][0];
    *next -= row[4] * beyond[1][0];
    *last -= row[3] * beyond[1][0] + row[4] * beyond[1][1];
}

/* ------------------------------------------------------------------ a polynomial that fulfils the conditions */

enum { SW_END_LIFT = 5 };  /* coefficients of a polynomial in i/(n-1) */

/* p and p'' are given at 0 and 1, or p' and p''', or of each two at one: p'' is a straight line, or p''' is, where they
 * are those of the same order, else p''' is a number. */
SW_HD static inline void sw_end_polynomial(const int *is_value, const double *first, const double *second, double *p)
{
    for (int k = 0; k < SW_END_LIFT; k++) p[k] = 0.0;
    if (is_value[0] && is_value[1]) {
        p[2] = second[0] / 2;
        p[3] = (second[1] - second[0]) / 6;
        p[0] = first[0];
        p[1] = first[1] - first[0] - p[2] - p[3];
    } else if (!is_value[0] && !is_value[1]) {
        p[3] = second[0] / 6;
        p[4] = (second[1] - second[0]) / 24;
        p[1] = first[0];
        p[2] = (first[1] - first[0] - 3 * p[3] - 4 * p[4]) / 2;
    } else if (is_value[0]) {
        p[0] = first[0];
        p[2] = second[0] / 2;
        p[3] = second[1] / 6;
        p[1] = first[1] - 2 * p[2] - 3 * p[3];
    } else {
        p[1] = first[0];
        p[3] = second[0] / 6;
        p[2] = second[1] / 2 - 3 * p[3];
        p[0] = first[1] - p[1] - p[2] - p[3];
    }
}

/* A times it. With e = 1/(n-1) in place of dx: d1 p = e p' + e³/6 p''', d2 p = e² p'' + e⁴/12 p'''', d3 p = e³ p''' and
 * d4 p = e⁴ p''''. */
SW_HD static inline void sw_end_times_operator(const struct sw_line_operator *a, double e, const double *p, double *out)
{
    const double one[SW_END_LIFT] = {p[1], 2 * p[2], 3 * p[3], 4 * p[4], 0};
    const double two[SW_END_LIFT] = {2 * p[2], 6 * p[3], 12 * p[4], 0, 0};
    const double three[SW_END_LIFT] = {6 * p[3], 24 * p[4], 0, 0, 0}, four[SW_END_LIFT] = {24 * p[4], 0, 0, 0, 0};
    const double e2 = e * e, e3 = e2 * e, e4 = e2 * e2;
    for (int k = 0; k < SW_END_LIFT; k++)
        out[k] = (1 + a->s0) * p[k] + a->s1 * (e * one[k] + e3 / 6 * three[k]) -
                 a->s2 * (e2 * two[k] + e4 / 12 * four[k]) + a->s3 * e3 * three[k] + a->s4 * e4 * four[k];
}

/** The polynomial in i/(n-1) of degree 4 or less whose x, or slope, at the ends is `first`, and whose second, or third,
 * derivative is `second`; and A times it. The differences take both exactly.
 * @param is_value  left, right; so first, second  @param dx  between points  @param a  A - 1
 * @param lift, rhs  out [SW_END_LIFT] */
SW_HD static inline void sw_end_lift(int n, const int *is_value, const double *first, const double *second, double dx,
                                     const struct sw_line_operator *a, double *lift, double *rhs)
{
    const double length = (n - 1) * dx;
    double one[2], two[2];
    for (int side = 0; side < 2; side++) {
        one[side] = is_value[side] ? first[side] : length * first[side];
        two[side] = (is_value[side] ? length * length : length * length * length) * second[side];
    }
    sw_end_polynomial(is_value, one, two, lift);
    sw_end_times_operator(a, 1.0 / (n - 1), lift, rhs);
}
#endif
