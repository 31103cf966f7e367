#ifndef SQUARE_SUM_POINT_H
#define SQUARE_SUM_POINT_H
/* Sums of squares whose bits do not depend on the order of the terms: not on chunks, threads, devices or ranks. Norms
 * of what no memory holds at once are formed with them.
 *
 * A square v² is written in digits of base 2^40 at places 40 k of the absolute scale, and digits are added as whole
 * numbers, which is exact. The digits at `top`, the place of the largest term so far, and at the two places below it
 * are kept; what lies lower is dropped, so that n terms lose less than n 2^-80 of the largest. Nothing overflows or
 * underflows: v² itself is never formed, and v below 2^-1060 counts as 0. (The idea of places: Demmel and Nguyen,
 * "Fast reproducible floating-point summation", ARITH 21, 2013.) */
#ifndef __CUDACC_RTC__
#include <math.h>

#include "base/sw_hd.h"
#endif

struct square_sum {
    long long low[3], high[3];  /* of the digit's sum at places top, top-1, top-2: high 2^40 + low         */
    int       top;              /* |v| < 2^(20 top + 20) for all terms; SQUARE_SUM_NOT_FINITE: not for all */
};
enum { SQUARE_SUM_NOTHING = -51, SQUARE_SUM_NOT_FINITE = 52 };

/* Terms that may be added before square_sum_settle(). */
enum { SQUARE_SUM_TERMS = 1 << 22 };

SW_HD static inline struct square_sum square_sum_zero(void)
{
    const struct square_sum s = {{0, 0, 0}, {0, 0, 0}, SQUARE_SUM_NOTHING};
    return s;
}

/* 2^(20 k), |k| <= 51. */
SW_HD static inline double square_sum_power(int k)
{
    union { long long bits; double d; } u;
    u.bits = (long long)(20 * k + 1023) << 52;
    return u.d;
}

/** The place of a value, at least SQUARE_SUM_NOTHING. */
SW_HD static inline int square_sum_place(double v)
{
    union { double d; long long bits; } u;
    u.d = v;
    const int exponent = (int)(u.bits >> 52 & 2047) - 1023, place = (exponent + 1040) / 20 - 52;
    return exponent == 1024 ? SQUARE_SUM_NOT_FINITE : place < SQUARE_SUM_NOTHING ? SQUARE_SUM_NOTHING : place;
}

SW_HD static inline void square_sum_raise(struct square_sum *s, int top)
{
    for (; s->top < top; s->top++) {
        if (top - s->top > 3) s->top = top - 3;
        s->low[2] = s->low[1]; s->low[1] = s->low[0]; s->low[0] = 0;
        s->high[2] = s->high[1]; s->high[1] = s->high[0]; s->high[0] = 0;
    }
}

/* t rounded to a whole number, as one: t + 1.5 2^52 holds it in its last bits. */
SW_HD static inline long long square_sum_digit(double *t)
{
    const double magic = 0x1.8p52;
    union { double d; long long bits; } with, without;
    with.d = *t + magic;
    without.d = magic;
    *t = (*t - (with.d - magic)) * 0x1p40;
    return with.bits - without.bits;
}

/** Add a term that fits below the top. 11 operations. @param scale  square_sum_power(-top) */
SW_HD static inline void square_sum_add_scaled(struct square_sum *s, double v, double scale)
{
    const double w = v * scale;
    double t = w * w;
    s->low[0] += square_sum_digit(&t);
    s->low[1] += square_sum_digit(&t);
    s->low[2] += square_sum_digit(&t);
}

SW_HD static inline void square_sum_add(struct square_sum *s, double v)
{
    const int place = square_sum_place(v);
    if (place > s->top) square_sum_raise(s, place);
    if (s->top < SQUARE_SUM_NOT_FINITE) square_sum_add_scaled(s, v, square_sum_power(-s->top));
}

/** Make room in `low` for SQUARE_SUM_TERMS more terms. No digit moves to another place, where it would be kept while
 * its like of another order is dropped. */
SW_HD static inline void square_sum_settle(struct square_sum *s)
{
    for (int k = 0; k < 3; k++) {
        const long long carry = s->low[k] >> 40;
        s->high[k] += carry;
        s->low[k] &= (1LL << 40) - 1;
    }
}

/** sum := sum and more. Both settled, as is the result. */
SW_HD static inline void square_sum_merge(struct square_sum *sum, const struct square_sum *more)
{
    struct square_sum m = *more;
    if (m.top > sum->top) square_sum_raise(sum, m.top);
    else square_sum_raise(&m, sum->top);
    for (int k = 0; k < 3; k++) {
        sum->low[k] += m.low[k];
        sum->high[k] += m.high[k];
    }
    square_sum_settle(sum);
}

/* m 2^e, which may be beyond the range of numbers. */
struct square_sum_root { double m; int e; };

/** The root of the sum; NaN where a term was not finite. */
SW_HD static inline struct square_sum_root square_sum_scaled_root(const struct square_sum *sum)
{
    struct square_sum s = *sum;
    const struct square_sum_root not_finite = {nan(""), 0};
    if (s.top >= SQUARE_SUM_NOT_FINITE) return not_finite;
    square_sum_settle(&s);
    for (int k = 2; k > 0; k--) {  /* what a place has beyond its digit goes one place up: one way to write the sum */
        s.low[k - 1] += s.high[k];
        s.high[k] = 0;
        square_sum_settle(&s);
    }
    const double total = ((double)s.high[0] * 0x1p40 + (double)s.low[0]) +
                         ((double)s.low[1] + (double)s.low[2] * 0x1p-40) * 0x1p-40;
    const struct square_sum_root root = {sqrt(total), 20 * s.top};
    return root;
}

/** The root of the sum; NaN where a term was not finite, infinity where the root is beyond the range of numbers. */
SW_HD static inline double square_sum_root(const struct square_sum *sum)
{
    const struct square_sum_root root = square_sum_scaled_root(sum);
    return ldexp(root.m, root.e);
}
#endif
