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
#ifdef __CUDACC__
#pragma unroll
#endif
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

/* ------------------------------------------------------------------ the noise of steps
 *
 * Normal numbers by the block, four of each, for `noise` alone (problem/line/kinds/noise.h): there a number costs as
 * much as all else at a point and step, and nobody sees its last digits. They are those of single precision: each word
 * gives a radius or an angle of 32 bits, both numbers that Box and Muller make of a radius and an angle are taken. Of a
 * number that is 25 integer operations and 25 in single precision, where one of sw_randn() takes 100 and 94 in double
 * precision. Every product that is added is an fmaf() as written, and no operation is an approximate one: all devices
 * have the same bits. |value| <= 6.77; its error beside the normal distribution is that of the words, 2^-32, and of
 * rounding, 2^-23 of the value. What is chosen between is masked, as compilers make vectors of that. */

/* The square root of a number from 2^-32 to 64, rounded correctly. On a GPU by the instructions that the compiler makes
 * of sqrtf(), without its branch for numbers that are not normal: Newton's step from an approximation gives the right
 * one whatever its last bits are. */
SW_HD static inline float sw_noise_root(float x)
{
#ifdef __CUDA_ARCH__
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const float s = x * r;
    return fmaf(0.5f * r, fmaf(-s, s, x), s);
#else
    return sqrtf(x);
#endif
}

/* -2 log u, off by at most 2^-22 of it, of u = (word + 1/2)/2^32. With y = u, or 1 - u of the upper half,
 * which is at most 1/2 and has all its digits, -2 log u = 2 k log 2 + f P(f): f = m - 1 of y = 2^-k m with m in 1/2 ..
 * 1, or f = -y and k = 0. No term is negative. P is the polynomial of least relative error of -2 log(1 + f)/f, 2^-25.4
 * from -1/2 to 0. */
SW_HD static inline float sw_noise_square(uint32_t word)
{
    const uint32_t upper = (uint32_t)((int)word >> 31);
    union { float f; uint32_t w; } y, m, k;
    y.f = fmaf((float)(int)(word ^ upper), 0x1p-32f, 0x1p-33f);
    m.w = (y.w & 0x007fffffu) | 0x3f000000u;
    m.f -= 1.0f;
    k.w = 0x4b00007eu - (y.w >> 23);  /* 2^23 + k */
    k.f -= 0x1p23f;
    k.w &= ~upper;
    m.w = (m.w & ~upper) | ((y.w ^ 0x80000000u) & upper);
    const float f = m.f;
    float p = -0x1.70ec72p+1f;
    p = fmaf(p, f, -0x1.b220bcp+1f);
    p = fmaf(p, f, -0x1.41f6a6p+1f);
    p = fmaf(p, f, -0x1.a0d908p-2f);
    p = fmaf(p, f, -0x1.14155ep-1f);
    p = fmaf(p, f, 0x1.f143cap-2f);
    p = fmaf(p, f, -0x1.55b59ep-1f);
    p = fmaf(p, f, 0x1.fffe2p-1f);
    p = fmaf(p, f, -2.0f);
    return fmaf(k.f, 0x1.62e43p+0f, f * p);
}

/* sin(pi a/2) and cos(pi a/2) of a from -1/2 to 1/2: polynomials in a^2 of errors 2^-28.2 and 2^-24.9, off by at most
 * 2^-22.5 of them. */
SW_HD static inline float sw_noise_sine(float a)
{
    const float z = a * a;
    return a * fmaf(fmaf(fmaf(-0x1.2d9302p-8f, z, 0x1.465e92p-4f), z, -0x1.4abbbap-1f), z, 0x1.921fb6p+0f);
}

SW_HD static inline float sw_noise_cosine(float a)
{
    const float z = a * a;
    return fmaf(fmaf(fmaf(-0x1.4e35dap-6f, z, 0x1.03ae64p-2f), z, -0x1.3bd38cp+0f), z, 0x1.fffffep-1f);
}

/* One of the two normal numbers of two words. Of the angle's word 30 bits are an angle of a quarter turn, one says
 * which of its sine and cosine comes first, one is a sign: a whole turn. */
SW_HD static inline float sw_noise_of(uint32_t radius, uint32_t angle, int second)
{
    const float a = (float)(int)(angle << 2 | 2u) * 0x1p-32f;
    const uint32_t first = 0u - ((angle >> 30 ^ (uint32_t)second) & 1u);
    union { float f; uint32_t w; } r, sine, cosine;
    sine.f = sw_noise_sine(a);
    cosine.f = sw_noise_cosine(a);
    sine.w = (cosine.w & first) | (sine.w & ~first);
    r.f = sw_noise_root(sw_noise_square(radius));
    r.w ^= angle & 0x80000000u;
    return r.f * sine.f;
}

/* The words of block number `block`. The two upper bits of the last word of the counter are neither those of sw_rand()
 * nor of sw_randn(). stream < 2^30. */
SW_HD static inline void sw_noise_words(double k, uint32_t block, long long step, uint32_t stream, uint32_t x[4])
{
    union { double d; uint64_t w; } bits;
    bits.d = k;
    x[0] = block;
    x[1] = (uint32_t)step;
    x[2] = (uint32_t)((uint64_t)step >> 32);
    x[3] = stream | 0xc0000000u;
    sw_philox(x, (uint32_t)bits.w, (uint32_t)(bits.w >> 32));
}

/* Where the number of a point is, or of a face beside it: which of a block. The four of a block are points side by side
 * of a line, and points above each other along y of a plane or a box, as a thread of a GPU has them together. */
struct sw_noise_place { uint32_t block; int lane; };

/* A face has the number of the point on its left; of an axis that ends, the one behind an end is that before it. */
enum { SW_NOISE_HERE, SW_NOISE_LEFT, SW_NOISE_RIGHT = SW_NOISE_LEFT + 3 };  /* the latter two: + axis */

SW_HD static inline int sw_noise_beside(int i, int axis, int face, int end)
{
    if (face == SW_NOISE_LEFT + axis) return i > 0 ? i - 1 : end;
    if (face == SW_NOISE_RIGHT + axis) return i == end ? i - 1 : i;
    return i;
}

/* Blocks of a column of ny points along y: from one point to the next along x. */
SW_HD static inline uint32_t sw_noise_column(int ny) { return (uint32_t)(ny + 3) >> 2; }

/* A point of a plane or a box is in row j + above, j a multiple of 4: where a compiler knows `above` it sees which
 * points are of one block. Of a line (ny <= 1) it is i, which tells as much.
 * @param nx, ny  points along these axes
 * @param end     of SW_NOISE_LEFT the point along its axis whose face is the one on the left of the first point; of
 *                SW_NOISE_RIGHT the last point */
SW_HD static inline struct sw_noise_place sw_noise_place(int i, int j, int above, int k, int nx, int ny, int face,
                                                         int end)
{
    struct sw_noise_place at;
    i = sw_noise_beside(i, 0, face, end);
    k = sw_noise_beside(k, 2, face, end);
    if (face == SW_NOISE_LEFT + 1 || (face == SW_NOISE_RIGHT + 1 && j + above == end)) {
        const int below = above > 0 ? 0 : j > 0 ? j - 1 : end;
        if (above > 0) above--;
        else j = below & ~3, above = below & 3;
    }
    at.lane = (ny > 1 ? above : i) & 3;
    at.block = ny > 1 ? ((uint32_t)k * (uint32_t)nx + (uint32_t)i) * sw_noise_column(ny) + (uint32_t)(j >> 2) +
                            (uint32_t)(above >> 2)
                      : (uint32_t)(i >> 2);
    return at;
}

/* What OP_NOISE of expressions calls. @param k  not NaN */
SW_HD static inline double sw_noise(double k, int i, int j, int above, int l, int nx, int ny, int face, int end,
                                    long long step, uint32_t stream)
{
    const struct sw_noise_place at = sw_noise_place(i, j, above, l, nx, ny, face, end);
    uint32_t x[4];
    sw_noise_words(k, at.block, step, stream, x);
    return (double)sw_noise_of(at.lane & 2 ? x[2] : x[0], at.lane & 2 ? x[3] : x[1], at.lane & 1);
}

/* i, j, above, l, nx and ny for the text of it: of a line; whoever steps fields says otherwise. */
#ifndef SW_NOISE_POINT
#define SW_NOISE_POINT cell, 0, 0, 0, 0, 0
#endif
#endif
