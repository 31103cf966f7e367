#ifndef RANDOM_POINT_H
#define RANDOM_POINT_H
/* Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3", SC'11). A number is a pure function of (key k, cell, step, stream): the same on the CPU and the GPU, in any
 * batch, in any order. */
#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdint.h>

#include "base/sw_hd.h"
#endif

/* One block of Philox 4x32-10: x[4] counter in, random words out. */
SW_HD static inline void sw_philox(uint32_t x[4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * x[0], b = (uint64_t)0xCD9E8D57u * x[2];
        uint32_t x0 = (uint32_t)(b >> 32) ^ x[1] ^ key0, x2 = (uint32_t)(a >> 32) ^ x[3] ^ key1;
        x[1] = (uint32_t)b;
        x[3] = (uint32_t)a;
        x[0] = x0;
        x[2] = x2;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
}

/* Two uniform numbers in (0, 1), 52 bits each: (m + 1/2)/2^52 is exact, so never 0 or 1 (with 53 bits the largest would
 * round to 1). The key is the bit pattern of the double k (-0 counts as 0). */
SW_HD static inline void sw_rand_pair(double k, int cell, long long step, uint32_t stream, double *u, double *v)
{
    union { double d; uint64_t w; } bits;
    bits.d = k + 0.0;
    uint32_t x[4] = {(uint32_t)cell, (uint32_t)step, (uint32_t)((uint64_t)step >> 32), stream};
    sw_philox(x, (uint32_t)bits.w, (uint32_t)(bits.w >> 32));
    bits.w = 0x3ff0000000000000u | (uint64_t)x[0] << 20 | x[1] >> 12;  /* 1 + m/2^52, which takes no conversion */
    *u = bits.d - (1.0 - 0x1p-53);
    bits.w = 0x3ff0000000000000u | (uint64_t)x[2] << 20 | x[3] >> 12;
    *v = bits.d - (1.0 - 0x1p-53);
}

/* Uniform in (0, 1); NaN if k is NaN. stream < 2^31. */
SW_HD static inline double sw_rand(double k, int cell, long long step, uint32_t stream)
{
    double u, v;
    sw_rand_pair(k, cell, step, stream, &u, &v);
    return k == k ? u : k;
}

/* log u of u in (0, 1), off by at most 1 unit in the last place: u = 2^k m with m in sqrt(1/2) .. sqrt(2), f = m - 1,
 * s = f/(2 + f), log m = 2 s + s z L(z) with z = s^2, whose 2 s is f - f^2/2 + s f^2/2. L is the polynomial of least
 * relative error, 2^-59; 14 FMAs and a division. Each product that is added is an fma() as written, so that no compiler
 * makes others of them: all devices have the same bits. */
SW_HD static inline double sw_log_of_uniform(double u)
{
    union { double d; uint64_t w; } m, power;
    m.d = u;
    const uint64_t k = (m.w - 0x3fe6a09e667f3bcdu + ((uint64_t)1024 << 52)) >> 52;  /* of sqrt(1/2): 1024 + k */
    power.w = 0x4330000000000000u | k;                                              /* 2^52 + 1024 + k        */
    m.w -= (k - 1024) << 52;
    const double exponent = power.d - (0x1p52 + 1024.0), f = m.d - 1.0, s = f / (2.0 + f), z = s * s, half = 0.5 * f;
    double l = 0x1.2efff8183ed24p-3;
    l = fma(l, z, 0x1.39a251d3ccaa8p-3);
    l = fma(l, z, 0x1.7466386575179p-3);
    l = fma(l, z, 0x1.c71c522d4d1a1p-3);
    l = fma(l, z, 0x1.24924941bdb6bp-2);
    l = fma(l, z, 0x1.9999999980220p-2);
    l = fma(l, z, 0x1.5555555555591p-1);
    const double last = fma(exponent, 0x1.fdf473de6af28p-22, s * fma(half, f, z * l));
    return fma(exponent, 0x1.62e42p-1, f - fma(half, f, -last));  /* log 2 in two parts: k times the first is exact */
}

/* cos(2 pi v) of v in (0, 1), off by at most 2 units: sin(2 pi y) of y = |v - 1/2| - 1/4, which is exact, y times a
 * polynomial in y^2 of relative error 2^-61; 9 FMAs. */
SW_HD static inline double sw_cosine_of_turns(double v)
{
    const double y = fabs(v - 0.5) - 0.25, z = y * y;
    double p = 0x1.9d1b9337f6f02p-4;
    p = fma(p, z, -0x1.6f797766dcbc4p-1);
    p = fma(p, z, 0x1.e8f35e9f56d23p+1);
    p = fma(p, z, -0x1.e3074ddd22f09p+3);
    p = fma(p, z, 0x1.5078348519144p+5);
    p = fma(p, z, -0x1.32d2cce627543p+6);
    p = fma(p, z, 0x1.466bc6775aa6ep+6);
    p = fma(p, z, -0x1.4abbce625be52p+5);
    p = fma(p, z, 0x1.921fb54442d18p+2);
    return y * p;
}

/* Normal, mean 0, variance 1, of two uniform numbers (Box and Muller 1958); |value| <= 8.6. */
SW_HD static inline double sw_normal(double u, double v)
{
    return sqrt(-2.0 * sw_log_of_uniform(u)) * sw_cosine_of_turns(v);
}

/* The same; NaN if k is NaN. stream < 2^31: the upper half of the streams is for normal numbers, so that rand(k) and
 * randn(k) of one key are independent. */
SW_HD static inline double sw_randn(double k, int cell, long long step, uint32_t stream)
{
    double u, v;
    sw_rand_pair(k, cell, step, stream | 0x80000000u, &u, &v);
    return k == k ? sw_normal(u, v) : k;
}
#endif
