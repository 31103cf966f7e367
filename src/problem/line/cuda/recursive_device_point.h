#ifndef RECURSIVE_DEVICE_POINT_H
#define RECURSIVE_DEVICE_POINT_H
/* The numbers of recursive.h in double precision alone, for a device that forms them while it steps; recursive.c, which
 * derives its formulas, has long double. Functions of roots are algebraic here.
 * a1 and a2 are off by some u = 2^-53 where recursive.c rounds once: a solve then is off by some times its 10 u (1 +
 * sqrt|s2| + sqrt|s4|) at most. All else follows from the rounded numbers. */
#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdbool.h>

#include "base/sw_hd.h"
#include "problem/line/stepper/line_point.h"
#endif

struct sw_recursion { double a1, a2, scale; };  /* of one direction; 1/g */

/** a1 and a2 of z + s2 s + s4 s², z > 0, s = 2 - 2 cos; NaN where it has a zero, or its products overflow. */
SW_HD static inline void sw_recursion_symmetric(double s4, double s2, double z, struct sw_recursion *r)
{
    const double q = fma(4.0, s4, s2), last = s2 < 0.0 ? fma(16.0, s4, fma(4.0, s2, z)) : fma(4.0, q, z);
    const double b = fma(2.0, s2, z), root = sqrt(z * last), B = fma(0.5, z + last, root);
    const double zs4 = z * s4, D = fma(s2, s2, -4.0 * zs4) - 4.0 * fma(z, s4, -zs4);
    const double N = b >= 0.0 ? b + root : D < 0.0 ? -4.0 * D / (root - b) : nan("");
    const double middle = sqrt(N * B), M = s4 < 0.0 ? fma(-4.0, s4, B + middle) : fma(4.0, s4, N) + middle;
    r->a2 = last > 0.0 && isfinite(M) ? 4.0 * s4 / M : nan("");
    r->a1 = -4.0 * q / (B + middle);
}

/** The positive root of e³ + c2 e² + c1 e - c0, c2 > 0 and c0 > 0. */
SW_HD static inline double sw_recursion_cubic(double c2, double c1, double c0)
{
    double e;
    if (c1 > 0.0) e = fmin(c0 / c1, fmin(sqrt(c0 / c2), cbrt(c0)));
    else e = fmin(fmax(-2.0 * c1 / c2, sqrt(2.0 * c0 / c2)), fmax(sqrt(-2.0 * c1), cbrt(2.0 * c0)));
    for (int k = 0; k < 200; k++) {
        const double value = ((e + c2) * e + c1) * e - c0, slope = (3.0 * e + 2.0 * c2) * e + c1;
        const double next = e - value / slope;
        if (!(next < e)) break;
        e = next;
    }
    return e;
}

/** From x² + linear x + constant, both of whose roots are on the left. */
SW_HD static inline void sw_recursion_quadratic(double linear, double constant, struct sw_recursion *r)
{
    const double sum = 1.0 + linear + constant;
    r->a1 = 2.0 * (constant - 1.0) / sum;
    r->a2 = (1.0 - linear + constant) / sum;
}

/** Any A with z = 1 + s0 > 0. @return false where the real part of its symbol is not > 0 */
SW_HD static inline bool sw_recursion_general(const struct sw_line_operator *a, double z, struct sw_recursion *up,
                                              struct sw_recursion *down)
{
    const double s4 = a->s4, s2 = a->s2, s1 = a->s1, q4 = 16.0 * s4 + 4.0 * s2 + z, q2 = -(4.0 * s2 + 2.0 * z);
    if (!(z > 0.0 && q4 > 0.0)) return false;
    const double middle = sqrt(q4) * sqrt(z), square = sqrt(z / q4), sigma = sqrt(square);
    const double b3 = (8.0 * a->s3 - 2.0 * s1) * sigma * square / z, b1 = 2.0 * s1 * sigma / z;
    const double apart = q2 <= 0.0 ? 2.0 - q2 / middle
                                   : 16.0 * fma(4.0 * z, s4, -s2 * s2) / (middle * (2.0 * middle + q2));
    if (!(apart > 0.0)) return false;
    const double c0 = (b3 - b1) * (b3 - b1);
    const double e = c0 > 0.0 ? sw_recursion_cubic(4.0 + apart, 4.0 * apart + b1 * b3, c0) : 0.0;
    const double larger = 0.5 * (fabs(b3) + sqrt(b3 * b3 + 4.0 * (apart + e)));
    const double smaller = (apart + e) / larger, far = 0.5 * (2.0 + e + sqrt(e * (4.0 + e)));
    const bool right_is_far = 2.0 * b1 - b3 * (2.0 + e) > 0.0;
    sw_recursion_quadratic((b3 > 0.0 ? larger : smaller) * sigma, (right_is_far ? 1.0 / far : far) * square, up);
    sw_recursion_quadratic((b3 > 0.0 ? smaller : larger) * sigma, (right_is_far ? far : 1.0 / far) * square, down);
    return true;
}

/** As sw_recursive_factors(). */
SW_HD static inline bool sw_recursion_factors(const struct sw_line_operator *a, struct sw_recursion *up,
                                              struct sw_recursion *down)
{
    const double z = 1.0 + a->s0;
    if (a->s1 != 0.0 || a->s3 != 0.0) {
        if (!sw_recursion_general(a, z, up, down)) return false;
    } else {
        if (!(z > 0.0)) return false;
        sw_recursion_symmetric(a->s4, a->s2, z, up);
        *down = *up;
    }
    /* (1 + a1) + a2: exact where the roots are near 1 */
    up->scale = down->scale = ((1.0 + up->a1) + up->a2) * ((1.0 + down->a1) + down->a2) / z;
    return isfinite(up->a1) && isfinite(up->a2) && isfinite(down->a1) && isfinite(down->a2);
}

/** As sw_recursive_growth(). */
SW_HD static inline double sw_recursion_growth(const struct sw_recursion *r)
{
    const double a1 = r->a1, a2 = r->a2;
    double least = fmin((1.0 + a1) + a2, (1.0 - a1) + a2);
    if (a2 > 0.0 && fabs(a1) * (1.0 + a2) < 4.0 * a2)
        least = fmin(least, (1.0 - a2) * sqrt(fmax(0.0, 1.0 - a1 * (a1 / (4.0 * a2)))));
    return 1.0 / fmax(least, 1e-300);
}

/** As sw_line_rounding(), of steps in double precision. */
SW_HD static inline double sw_recursion_rounding(const struct sw_line_operator *a)
{
    const double u = 1.1102230246251565e-16, z = 1.0 + a->s0;
    struct sw_recursion up, down;
    if (a->s1 == 0.0 && a->s3 == 0.0) return 10.0 * u * (1.0 + sqrt(fabs(a->s2 / z)) + sqrt(fabs(a->s4 / z)));
    if (!sw_recursion_factors(a, &up, &down)) return 1.0;
    return 10.0 * u * fmax(sw_recursion_growth(&up), sw_recursion_growth(&down));
}

/* ------------------------------------------------------------------ powers
 *
 * P^k in states (y_i, y_i - y_{i-1}). Near 1 it is kept as I + M, from which products lose nothing (recursive.c says
 * why). Where all its entries have become small, or P's own roots are not near 1, it is kept as it is. */

struct sw_recursion_power { double m[4]; bool plain; };

SW_HD static inline void sw_recursion_multiply(const double x[4], const double y[4], double out[4])
{
    const double a = fma(x[0], y[0], x[1] * y[2]), b = fma(x[0], y[1], x[1] * y[3]);
    const double c = fma(x[2], y[0], x[3] * y[2]), d = fma(x[2], y[1], x[3] * y[3]);
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

SW_HD static inline struct sw_recursion_power sw_recursion_one(const struct sw_recursion *r)
{
    const double p = (1.0 + r->a1) + r->a2;
    struct sw_recursion_power one = {{-p, r->a2, -p, r->a2 - 1.0}, !(p < 0.5)};
    if (one.plain) one.m[0] = -(r->a1 + r->a2), one.m[3] = r->a2;
    return one;
}

/** x times y; y may be x. */
SW_HD static inline struct sw_recursion_power sw_recursion_join(const struct sw_recursion_power *x,
                                                                const struct sw_recursion_power *y)
{
    struct sw_recursion_power z = {{0.0, 0.0, 0.0, 0.0}, x->plain || y->plain};
    sw_recursion_multiply(x->m, y->m, z.m);
    for (int k = 0; k < 4; k++) {
        if (!y->plain) z.m[k] += x->m[k];
        if (!x->plain) z.m[k] += y->m[k];
    }
    if (!z.plain && fabs(1.0 + z.m[0]) < 0.25 && fabs(z.m[1]) < 0.25 && fabs(z.m[2]) < 0.25 &&
        fabs(1.0 + z.m[3]) < 0.25) {
        z.plain = true;
        z.m[0] += 1.0;
        z.m[3] += 1.0;
    }
    return z;
}

/** P^k, k >= 1. */
SW_HD static inline struct sw_recursion_power sw_recursion_power_of(const struct sw_recursion_power *one, int k)
{
    struct sw_recursion_power x = *one;
    int bit = 1;
    while (bit <= k / 2) bit *= 2;
    for (bit /= 2; bit; bit /= 2) {
        x = sw_recursion_join(&x, &x);
        if (k & bit) x = sw_recursion_join(&x, one);
    }
    return x;
}

/** In states (y_i, y_{i-1}), as the kernels have them. */
SW_HD static inline void sw_recursion_entries(const double m[4], bool plain, double power[4])
{
    const double one = plain ? 0.0 : 1.0, first = m[0] + m[1];
    power[0] = one + first;
    power[1] = -m[1];
    power[2] = first - (m[2] + m[3]);
    power[3] = one + (m[3] - m[1]);
}

/** (I - x)^-1, likewise. */
SW_HD static inline void sw_recursion_closure(const struct sw_recursion_power *x, double closure[4])
{
    const double one = x->plain ? 1.0 : 0.0;
    const double a = one - x->m[0], b = -x->m[1], c = -x->m[2], d = one - x->m[3], over = 1.0 / fma(a, d, -b * c);
    const double inverse[4] = {d * over, -b * over, -c * over, a * over};
    sw_recursion_entries(inverse, true, closure);
}

/** As sw_recursive_negligible(). */
SW_HD static inline bool sw_recursion_negligible(const double power[4])
{
    const double least = 1.3877787807814457e-17;  /* 2^-56 */
    return fabs(power[0]) < least && fabs(power[1]) < least && fabs(power[2]) < least && fabs(power[3]) < least;
}
#endif
