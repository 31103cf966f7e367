#ifndef WALLS_POINT_H
#define WALLS_POINT_H
/* Axes of a field that end at their first and last point (docs/explanation/field_methods.md, "Walls"). Points beyond a
 * wall are what its two conditions say by Taylor's series about it, as at the ends of a line (ends_point.h):
 *
 *     value,   u = g and u_nn = h:   u_{-k} = -u_k + 2 g + (k d)² h                    also u_0 = g
 *     slope,   u_n = g, u_nnn = h:   u_{-k} =  u_k -/+ (2 k d g + (k d)³/3 h)          no flux: g = h = 0
 *     clamped, u = g and u_n = h:    u_{-k} =  u_k -/+ 2 k d h                         also u_0 = g
 *
 * - at the left wall, + at the right one; n is the coordinate along the axis, d the distance of points. */
#ifndef __CUDACC_RTC__
#include <math.h>
#endif
#include "problem/line/stepper/ends_point.h"

enum fields_wall_kind { FIELDS_NO_WALL, FIELDS_VALUE, FIELDS_SLOPE, FIELDS_CLAMPED };

/** Whether u is given at the wall, whose points then have no equation. */
SW_HD static inline int fields_wall_is_given(int kind) { return kind == FIELDS_VALUE || kind == FIELDS_CLAMPED; }

/** What u beyond a wall has of u at the point as far inside. */
SW_HD static inline double fields_wall_reflection(int kind) { return sw_end_reflection(kind == FIELDS_VALUE); }

/** What it has besides. @param side  0 left, 1 right  @param k  1, 2, .. points away  @param d  between points */
SW_HD static inline double fields_wall_beyond(int kind, int side, int k, double d, double first, double second)
{
    if (kind == FIELDS_CLAMPED) return sw_end_beyond(0, side, k, d, second, 0.0);
    return sw_end_beyond(kind == FIELDS_VALUE, side, k, d, first, second);
}

/** Row i of a line matrix for increments, whose conditions are 0: the columns of points beyond a wall are added to
 * those of their mirror images, and what is given at a wall stays 0.
 * @param n  >= 5  @param row  columns i - 2 .. i + 2 of a point far from the walls  @param out  likewise */
SW_HD static inline void fields_wall_row(int left, int right, int n, int i, const double row[5], double out[5])
{
    const int wall[2] = {0, n - 1}, kind[2] = {left, right};
    for (int c = 0; c < 5; c++) out[c] = row[c];
    for (int side = 0; side < 2; side++) {
        const int inwards = side ? -1 : 1, away = inwards * (i - wall[side]);
        for (int k = 1; k <= 2 - away; k++) {  /* the point k beyond, seen from i, and its image */
            const int beyond = -inwards * (k + away), image = inwards * (k - away);
            out[2 + image] += fields_wall_reflection(kind[side]) * row[2 + beyond];
            out[2 + beyond] = 0.0;
        }
        if (away <= 2 && fields_wall_is_given(kind[side])) out[2 - inwards * away] = 0.0;
    }
    if ((i == 0 && fields_wall_is_given(left)) || (i == n - 1 && fields_wall_is_given(right)))
        for (int c = 0; c < 5; c++) out[c] = c == 2 ? 1.0 : 0.0;
}

/* ------------------------------------------------------------------ elimination */

/* Of a line matrix between walls, without pivoting:
 * y_i = f_i - l1 y_{i-1} - l2 y_{i-2}, then x_i = p y_i - u1 x_{i+1} - u2 x_{i+2}. */
enum { FIELDS_ELIMINATED = 5 };
struct fields_eliminated { double l1, l2, p, u1, u2; };

/* In more digits than the substitutions have, where there are such. */
#ifdef __CUDACC_RTC__
typedef double fields_digits;
#else
typedef long double fields_digits;
#endif

/* Pivots and next columns of the row before, and of that before it. */
struct fields_elimination { fields_digits d1, d2, a1, a2, b1, b2; };

SW_HD static inline struct fields_elimination fields_wall_begin_elimination(void)
{
    struct fields_elimination e = {1, 1, 0, 0, 0, 0};
    return e;
}

/** A row far from walls, of A over 1 + s0: columns i - 2 .. i + 2. */
SW_HD static inline void fields_wall_far(const struct sw_line_operator *a, double row[5])
{
    row[0] = row[4] = a->s4;
    row[1] = row[3] = -a->s2 - 4.0 * a->s4;
    row[2] = 1.0 + 2.0 * a->s2 + 6.0 * a->s4;
}

/** Eliminate the next row. @param scale  of the right-hand side @return 0: the pivot is 0 or not finite */
SW_HD static inline int fields_wall_eliminate(struct fields_elimination *e, const double row[5], double scale,
                                              struct fields_eliminated *out)
{
    const fields_digits m2 = row[0] / e->d2, m1 = (row[1] - m2 * e->a2) / e->d1, d = row[2] - m2 * e->b2 - m1 * e->a1,
                        next = row[3] - m1 * e->b1;
    if (!isfinite((double)d) || d == 0) return 0;
    out->l2 = (double)m2;
    out->l1 = (double)m1;
    out->p = (double)(scale / d);
    out->u1 = (double)(next / d);
    out->u2 = (double)(row[4] / d);
    e->d2 = e->d1, e->d1 = d, e->a2 = e->a1, e->a1 = next, e->b2 = e->b1, e->b1 = row[4];
    return 1;
}

/* ------------------------------------------------------------------ polynomials that fulfil conditions */

enum { FIELDS_CONDITIONS = 4 };  /* first and second of the left wall, then of the right one */

/* a + b x + c x² + d x³ from u and u_n at 0, and two conditions at 1. */
SW_HD static inline void fields_wall_clamp(int other, const double condition[FIELDS_CONDITIONS], double *p)
{
    const double a = condition[0], b = condition[1], first = condition[2], second = condition[3];
    p[0] = a, p[1] = b;
    if (other == FIELDS_SLOPE) {
        p[3] = second / 6;
        p[2] = (first - b - 3 * p[3]) / 2;
        return;
    }
    const double rise = first - a - b,                      /* c + d               */
                 rest = other == FIELDS_CLAMPED ? second - b : second;  /* 2 c + 3 d, or 2 c + 6 d */
    p[3] = (rest - 2 * rise) / (other == FIELDS_CLAMPED ? 1 : 4);
    p[2] = rise - p[3];
}

/** The polynomial in 0 .. 1 with these conditions. @param p  out: [SW_END_LIFT] coefficients */
SW_HD static inline void fields_wall_polynomial(int left, int right, const double condition[FIELDS_CONDITIONS],
                                                double *p)
{
    const int is_value[2] = {left == FIELDS_VALUE, right == FIELDS_VALUE};
    const double first[2] = {condition[0], condition[2]}, second[2] = {condition[1], condition[3]};
    p[4] = 0.0;
    if (left == FIELDS_CLAMPED) {
        fields_wall_clamp(right, condition, p);
    } else if (right == FIELDS_CLAMPED) {  /* that of 1 - x, whose odd derivatives have the other sign */
        const int slope = left == FIELDS_SLOPE;
        const double turned[FIELDS_CONDITIONS] = {condition[2], -condition[3], slope ? -condition[0] : condition[0],
                                                  slope ? -condition[1] : condition[1]};
        double q[SW_END_LIFT];
        fields_wall_clamp(left, turned, q);
        p[0] = q[0] + q[1] + q[2] + q[3];
        p[1] = -q[1] - 2 * q[2] - 3 * q[3];
        p[2] = q[2] + 3 * q[3];
        p[3] = -q[3];
    } else {
        sw_end_polynomial(is_value, first, second, p);
    }
}

/** The order of the derivative that a condition gives. @param second  0, 1 */
SW_HD static inline int fields_wall_order(int kind, int second)
{
    return kind == FIELDS_CLAMPED ? second : kind == FIELDS_VALUE ? 2 * second : 1 + 2 * second;
}

/** The derivative of an order at an end of a line, from its five points there, exact for polynomials of degree 4: the
 * sum of w_k u_k over the points from the end on, times what is returned. @param side  0 left, 1 right */
SW_HD static inline double fields_wall_difference(int order, int side, double d, double w[5])
{
    const double weight[4][5] = {
        {1}, {-25. / 12, 4, -3, 4. / 3, -1. / 4}, {35. / 12, -26. / 3, 19. / 2, -14. / 3, 11. / 12},
        {-5. / 2, 9, -12, 7, -3. / 2}};
    for (int k = 0; k < 5; k++) w[k] = weight[order][k];
    return (side && order % 2 ? -1.0 : 1.0) / pow(d, order);
}

/** Where a point beyond an end of another axis is for conditions at a wall: where that axis is periodic the same point
 * inside, beyond a wall without flux its mirror image, else there.
 * @param i  at most n - 1 beyond  @param closed  whether no flux goes through the left and the right wall */
SW_HD static inline long long fields_wall_place(long long i, long long n, int walls, int closed_left, int closed_right)
{
    if (!walls) return (i % n + n) % n;
    if (i < 0) return closed_left ? -i : i;
    return i >= n && closed_right ? 2 * (n - 1) - i : i;
}
#endif
