#ifndef CLOSING_POINT_H
#define CLOSING_POINT_H
/* What closes the two recursions of a line that ends: the formulas of lanes.h, with its names. Where both roots
 * are near 1 and the line is short against 1/(1 - rho), states and answers are large and what is left of them is small:
 * all is computed with more digits than a double has, of which sw_extended is a type: long double, or on a device two
 * doubles (cuda/line/extended_rtc.cuh). Over random A with s4 to 1e10 and 12 to 511 points a result loses up to 7e-5 of
 * itself in double, 1e-8 in long double, and nothing but its rounding in two doubles. */
#ifndef __CUDACC_RTC__
#include <stdbool.h>

#include "base/sw_hd.h"

typedef long double sw_extended;
#endif

struct sw_pair { sw_extended one, two; };  /* a recursion's coefficients, or its state */

/* ------------------------------------------------------------------ an end */

/* An end, to which one recursion comes and from which the other one leaves. From the last three values of the first
 * one, y_0 at the end, z at the end and beyond is by_sum (y_0 + to2 y_2) + by_next y_1. */
struct sw_closing_end {
    bool           value;           /* x is given there, else its slope                            */
    struct sw_pair from, to, off;   /* coefficients of the one that comes, that leaves; to - from  */
    struct sw_pair by_sum, by_next;
};

SW_HD static inline void sw_closing_set_end(bool value, struct sw_pair from, struct sw_pair to,
                                            struct sw_closing_end *e)
{
    const sw_extended over = 1 / (1 + to.two), p = 1 - to.two;
    e->value = value;
    e->from = from;
    e->to = to;
    e->off.one = to.one - from.one;
    e->off.two = to.two - from.two;
    e->by_sum.one = 0, e->by_sum.two = 0;
    e->by_next.one = 0, e->by_next.two = -over;
    if (value) return;
    const sw_extended over_det = 1 / ((p - to.one) * (p + to.one));
    e->by_next.one = to.one * over_det;
    e->by_next.two = p * over_det;
    e->by_sum.one = e->by_next.two * over;
    e->by_sum.two = e->by_next.one * over;
}

SW_HD static inline struct sw_pair sw_closing_at_end(const struct sw_closing_end *e, const sw_extended y[3])
{
    const sw_extended sum = y[0] + e->to.two * y[2];
    struct sw_pair z;
    z.one = e->by_sum.one * sum + e->by_next.one * y[1];
    z.two = e->by_sum.two * sum + e->by_next.two * y[1];
    return z;
}

/** (z_n, z_{n+1}) from y_{n-1}, y_{n-2}, y_{n-3}, and what y_{n-1} lacks where x is given and no equation says it. */
SW_HD static inline void sw_closing_turn(const struct sw_closing_end *e, const sw_extended y[3], sw_extended out[3])
{
    const struct sw_pair z = sw_closing_at_end(e, y);
    out[0] = z.two;
    if (e->value) {
        out[1] = e->to.one * z.two - y[2];
        out[2] = e->off.one * y[1] + e->off.two * y[2];
    } else {
        out[1] = y[2] + e->to.one * z.two + e->to.two * z.one;
        out[2] = 0;
    }
}

/* The state in which a recursion of right-hand sides begins there, from v_0, v_1, v_2 of the one that comes: y_{-1} and
 * b2 y_{-2}; where x is given with what f_0 should have been. */
SW_HD static inline struct sw_pair sw_closing_begin(const struct sw_closing_end *e, const sw_extended v[3])
{
    const struct sw_pair z = sw_closing_at_end(e, v);
    struct sw_pair y;
    if (e->value) {
        y.one = (1 + e->from.two) * z.two;
        y.two = -e->off.one * z.two - e->from.two * v[2];
    } else {
        y.one = v[1] + e->off.one * z.one + e->off.two * z.two;
        y.two = e->to.two * (v[2] + e->off.one * z.two + e->off.two * z.one);
    }
    return y;
}

/* ------------------------------------------------------------------ both of them */

/* One way of the first recursion, whose coefficients near.to are. */
struct sw_circuit {
    struct sw_closing_end near, far;
    bool           decays;                /* neither end sees the other: the rest is not used      */
    sw_extended    first[4], second[4];   /* h_{n-3} .. h_n of each recursion                      */
    struct sw_pair of_one, of_two;        /* what comes back, once round, of states (1, 0), (0, 1) */
    sw_extended    over_det;
};

/* v_1, v_2 lack this, given the last three y. */
SW_HD static inline struct sw_pair sw_closing_from_far(const struct sw_circuit *k, const sw_extended y[3])
{
    const struct sw_pair beyond = sw_closing_begin(&k->far, y);
    struct sw_pair v;
    v.one = k->second[2] * beyond.one + k->second[1] * beyond.two;
    v.two = k->second[1] * beyond.one + k->second[0] * beyond.two;
    return v;
}

SW_HD static inline struct sw_pair sw_closing_from_near(const struct sw_circuit *k, sw_extended f, struct sw_pair v)
{
    const struct sw_pair c = k->near.from;
    const sw_extended all[3] = {f + c.one * v.one + c.two * v.two, v.one, v.two};
    return sw_closing_begin(&k->near, all);
}

/* The state before the first point once round, to the far end and back. */
SW_HD static inline struct sw_pair sw_closing_round(const struct sw_circuit *k, sw_extended one, sw_extended two)
{
    const sw_extended y[3] = {k->first[3] * one + k->first[2] * two, k->first[2] * one + k->first[1] * two,
                              k->first[1] * one + k->first[0] * two};
    return sw_closing_from_near(k, 0, sw_closing_from_far(k, y));
}

/** Set the ends. @param b, c  coefficients of the first recursion, and of the second */
SW_HD static inline void sw_closing_set_ends(bool near_value, bool far_value, struct sw_pair b, struct sw_pair c,
                                             struct sw_circuit *k)
{
    sw_closing_set_end(near_value, c, b, &k->near);
    sw_closing_set_end(far_value, b, c, &k->far);
}

/** With ends and answers set, where these do not decay, set the rest. */
SW_HD static inline void sw_closing_set_rounds(struct sw_circuit *k)
{
    k->of_one = sw_closing_round(k, 1, 0);
    k->of_two = sw_closing_round(k, 0, 1);
    k->over_det = 1 / ((1 - k->of_one.one) * (1 - k->of_two.two) - k->of_two.one * k->of_one.two);
}

/** The state before the first point, t = start + round(t), from f_0, the sums v_1 and v_2, and the last three y of a
 * recursion from zero. */
SW_HD static inline struct sw_pair sw_closing_start(const struct sw_circuit *k, sw_extended f, sw_extended v1,
                                                    sw_extended v2, const sw_extended y[3])
{
    struct sw_pair v, t, closed;
    v.one = v1, v.two = v2;
    if (k->decays) return sw_closing_from_near(k, f, v);
    t = sw_closing_from_far(k, y);
    v.one = v.one + t.one, v.two = v.two + t.two;
    t = sw_closing_from_near(k, f, v);
    closed.one = ((1 - k->of_two.two) * t.one + k->of_two.one * t.two) * k->over_det;
    closed.two = (k->of_one.two * t.one + (1 - k->of_one.one) * t.two) * k->over_det;
    return closed;
}
#endif
