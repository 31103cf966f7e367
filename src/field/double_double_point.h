#ifndef DOUBLE_DOUBLE_POINT_H
#define DOUBLE_DOUBLE_POINT_H
/* Double-double sums, in twice the working precision: the sum is hi + lo, lo small beside hi but not normalised while
 * adding. */
#ifndef __CUDACC_RTC__
#include <math.h>

#include "base/sw_hd.h"
#endif

struct sw_dd { double hi, lo; };

/** s + v. The error of hi + v is exact (Knuth), and goes to lo. */
SW_HD static inline struct sw_dd sw_dd_add_double(struct sw_dd s, double v)
{
    double t = s.hi + v, z = t - s.hi;
    s.lo += (s.hi - (t - z)) + (v - z);
    s.hi = t;
    return s;
}

SW_HD static inline struct sw_dd sw_dd_add(struct sw_dd a, struct sw_dd b)
{
    struct sw_dd s = sw_dd_add_double(a, b.hi);
    s.lo += b.lo;
    return s;
}

/** m s + b for a whole number m; fma() makes the error of the product exact. */
SW_HD static inline struct sw_dd sw_dd_scale_add(struct sw_dd s, double m, struct sw_dd b)
{
    double p = m * s.hi, e = fma(m, s.hi, -p);
    b.lo += e + m * s.lo;
    return sw_dd_add_double(b, p);
}

/** s + a b. The error of the product is exact where it is above 2^-1022, and goes to lo. */
SW_HD static inline struct sw_dd sw_dd_add_product(struct sw_dd s, double a, double b)
{
    const double p = a * b;
    s.lo += fma(a, b, -p);
    return sw_dd_add_double(s, p);
}

SW_HD static inline double sw_dd_value(struct sw_dd s) { return s.hi + s.lo; }
#endif
