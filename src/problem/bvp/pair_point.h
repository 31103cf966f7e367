#ifndef PAIR_POINT_H
#define PAIR_POINT_H
/* Sums in twice the working precision: the sum is hi + lo, lo small beside hi but not normalised while adding. */
#include "base/sw_hd.h"

struct sw_pair { double hi, lo; };

/** s + v. The error of hi + v is exact (Knuth), and goes to lo. */
SW_HD static inline struct sw_pair sw_pair_plus(struct sw_pair s, double v)
{
    double t = s.hi + v, z = t - s.hi;
    s.lo += (s.hi - (t - z)) + (v - z);
    s.hi = t;
    return s;
}

SW_HD static inline struct sw_pair sw_pair_add(struct sw_pair a, struct sw_pair b)
{
    struct sw_pair s = sw_pair_plus(a, b.hi);
    s.lo += b.lo;
    return s;
}

/** m s + b for a whole number m; fma() makes the error of the product exact. */
SW_HD static inline struct sw_pair sw_pair_times_plus(struct sw_pair s, double m, struct sw_pair b)
{
    double p = m * s.hi, e = fma(m, s.hi, -p);
    b.lo += e + m * s.lo;
    return sw_pair_plus(b, p);
}

SW_HD static inline double sw_pair_value(struct sw_pair s) { return s.hi + s.lo; }
#endif
