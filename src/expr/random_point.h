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
    *u = ((double)(((uint64_t)x[0] << 20) | (x[1] >> 12)) + 0.5) * 0x1p-52;
    *v = ((double)(((uint64_t)x[2] << 20) | (x[3] >> 12)) + 0.5) * 0x1p-52;
}

/* Uniform in (0, 1); NaN if k is NaN. stream < 2^31. */
SW_HD static inline double sw_rand(double k, int cell, long long step, uint32_t stream)
{
    double u, v;
    sw_rand_pair(k, cell, step, stream, &u, &v);
    return k == k ? u : k;
}

/* Normal, mean 0, variance 1 (Box and Muller 1958); NaN if k is NaN. stream < 2^31: the upper half of the streams is
 * for normal numbers, so that rand(k) and randn(k) of one key are independent. |value| <= 8.6. */
SW_HD static inline double sw_randn(double k, int cell, long long step, uint32_t stream)
{
    double u, v;
    sw_rand_pair(k, cell, step, stream | 0x80000000u, &u, &v);
    return k == k ? sqrt(-2.0 * log(u)) * cos(6.283185307179586476925286766559 * v) : k;
}
#endif
