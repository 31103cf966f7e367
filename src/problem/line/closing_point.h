#ifndef CLOSING_POINT_H
#define CLOSING_POINT_H
/* What closes the two recursions of a line that ends: the formulas of lanes_ends.h, with its names. Where both roots
 * are near 1 and the line is short against 1/(1 - rho), states and answers are large and what is left of them is small:
 * all is computed with more digits than a double has, of which sw_extended is a type: long double, or on a device two
 * doubles (cuda/extended_rtc.cuh). */
#ifndef __CUDACC_RTC__
#include <stdbool.h>

#include "base/sw_hd.h"

typedef long double sw_extended;
#endif

struct sw_pair { sw_extended one, two; };  /* a recursion's coefficients, or its state */

/* One way of the first recursion. */
struct sw_circuit {
    bool           value[2];              /* near, far: x is given there, else its slope           */
    struct sw_pair b, c;                  /* coefficients of the first recursion, of the second    */
    sw_extended    first[4], second[4];   /* h_{n-3} .. h_n of each; 0: it decays                  */
    struct sw_pair of_one, of_two;        /* what comes back, once round, of states (1, 0), (0, 1) */
    sw_extended    det;
};

/* ------------------------------------------------------------------ an end */

/* From three values y of a recursion that ends with the state sought, c its coefficients: z at the end, and beyond. */
SW_HD static inline struct sw_pair sw_closing_at_end(bool value, struct sw_pair c, const sw_extended y[3])
{
    struct sw_pair z;
    if (value) {
        z.one = 0;
        z.two = -y[1] / (1 + c.two);
        return z;
    }
    const sw_extended q = (y[0] + c.two * y[2]) / (1 + c.two), p = 1 - c.two;
    const sw_extended det = (p - c.one) * (p + c.one);
    z.one = (p * q + c.one * y[1]) / det;
    z.two = (p * y[1] + c.one * q) / det;
    return z;
}

/** (z_n, z_{n+1}) from y_{n-1}, y_{n-2}, y_{n-3}, and what y_{n-1} lacks where x is given and no equation says it. */
SW_HD static inline void sw_closing_far(const struct sw_circuit *k, const sw_extended y[3], sw_extended out[3])
{
    const struct sw_pair b = k->b, c = k->c, z = sw_closing_at_end(k->value[1], c, y);
    out[0] = z.two;
    out[1] = k->value[1] ? c.one * z.two - y[2] : y[2] + c.one * z.two + c.two * z.one;
    out[2] = 0;
    if (k->value[1]) out[2] = (c.one - b.one) * y[1] + (c.two - b.two) * y[2];
}

/* y_{-1} and b2 y_{-2} from v_0, v_1, v_2; where x is given with what f_0 should have been. By exchange of b and c:
 * v_n and c2 v_{n+1} from y_{n-1}, y_{n-2}, y_{n-3}. */
SW_HD static inline struct sw_pair sw_closing_near(bool value, struct sw_pair b, struct sw_pair c,
                                                   const sw_extended v[3])
{
    const struct sw_pair z = sw_closing_at_end(value, b, v);
    const sw_extended off_one = b.one - c.one, off_two = b.two - c.two;
    struct sw_pair y;
    if (value) {
        y.one = (1 + c.two) * z.two;
        y.two = -off_one * z.two - c.two * v[2];
    } else {
        y.one = v[1] + off_one * z.one + off_two * z.two;
        y.two = b.two * (v[2] + off_one * z.two + off_two * z.one);
    }
    return y;
}

/* ------------------------------------------------------------------ both of them */

/* v_1, v_2 lack this, given the last three y. */
SW_HD static inline struct sw_pair sw_closing_from_far(const struct sw_circuit *k, const sw_extended y[3])
{
    const struct sw_pair beyond = sw_closing_near(k->value[1], k->c, k->b, y);
    struct sw_pair v;
    v.one = k->second[2] * beyond.one + k->second[1] * beyond.two;
    v.two = k->second[1] * beyond.one + k->second[0] * beyond.two;
    return v;
}

SW_HD static inline struct sw_pair sw_closing_from_near(const struct sw_circuit *k, sw_extended f, struct sw_pair v)
{
    const sw_extended all[3] = {f + k->c.one * v.one + k->c.two * v.two, v.one, v.two};
    return sw_closing_near(k->value[0], k->b, k->c, all);
}

/* The state before the first point once round, to the far end and back. */
SW_HD static inline struct sw_pair sw_closing_round(const struct sw_circuit *k, sw_extended one, sw_extended two)
{
    const sw_extended y[3] = {k->first[3] * one + k->first[2] * two, k->first[2] * one + k->first[1] * two,
                              k->first[1] * one + k->first[0] * two};
    return sw_closing_from_near(k, 0, sw_closing_from_far(k, y));
}

/** With all members set but the last three, set these. */
SW_HD static inline void sw_closing_set(struct sw_circuit *k)
{
    k->of_one = sw_closing_round(k, 1, 0);
    k->of_two = sw_closing_round(k, 0, 1);
    k->det = (1 - k->of_one.one) * (1 - k->of_two.two) - k->of_two.one * k->of_one.two;
}

/** The state before the first point, t = start + round(t), from f_0, the sums v_1 and v_2, and the last three y of a
 * recursion from zero. */
SW_HD static inline struct sw_pair sw_closing_start(const struct sw_circuit *k, sw_extended f, sw_extended v1,
                                                    sw_extended v2, const sw_extended y[3])
{
    struct sw_pair v = sw_closing_from_far(k, y), t;
    v.one = v.one + v1;
    v.two = v.two + v2;
    t = sw_closing_from_near(k, f, v);
    v.one = ((1 - k->of_two.two) * t.one + k->of_two.one * t.two) / k->det;
    v.two = (k->of_one.two * t.one + (1 - k->of_one.one) * t.two) / k->det;
    return v;
}
#endif
