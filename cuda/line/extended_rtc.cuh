/* A number as the sum of two doubles, `high` being its nearest double (Dekker, Numer. Math. 18 (1971), 224; sums after
 * Knuth, products by FMA). For *_point.h files that want more digits than a double has. Sums and products are off by
 * some 2^-104 of what they are made of.
 *
 * A sum is 11 operations, a product 6, a quotient about 60. Products that are part of a rounding error are taken by
 * __dmul_rn(), which the compiler joins with no sum. */

struct sw_extended {
    double high, low;
    __device__ inline sw_extended(double x = 0.0) : high(x), low(0.0) {}
    __device__ inline sw_extended(double h, double l) : high(h), low(l) {}
    __device__ inline explicit operator double() const { return high; }
};

/* a + b and what it lacks; |a| >= |b|, or a = 0. */
__device__ static inline sw_extended ordered_sum(double a, double b)
{
    const double s = a + b;
    return sw_extended(s, b - (s - a));
}

__device__ static inline sw_extended exact_sum(double a, double b)
{
    const double s = a + b, of_b = s - a;
    return sw_extended(s, (a - (s - of_b)) + (b - of_b));
}

__device__ static inline sw_extended operator+(sw_extended a, sw_extended b)
{
    const sw_extended s = exact_sum(a.high, b.high);
    return ordered_sum(s.high, s.low + (a.low + b.low));
}

__device__ static inline sw_extended operator-(sw_extended a) { return sw_extended(-a.high, -a.low); }

__device__ static inline sw_extended operator-(sw_extended a, sw_extended b) { return a + -b; }

__device__ static inline sw_extended operator*(sw_extended a, sw_extended b)
{
    const double p = __dmul_rn(a.high, b.high), lacks = fma(a.high, b.high, -p);
    return ordered_sum(p, fma(a.high, b.low, fma(a.low, b.high, lacks)));
}

__device__ static inline sw_extended operator/(sw_extended a, sw_extended b)
{
    const double first = a.high / b.high;
    const sw_extended left = a - b * sw_extended(first);
    const double second = left.high / b.high, third = (left - b * sw_extended(second)).high / b.high;
    return ordered_sum(first, second) + sw_extended(third);
}
