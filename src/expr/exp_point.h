#ifndef EXP_POINT_H
#define EXP_POINT_H
/* exp() of expressions on GPUs, in kernels that evaluate them for many points of a thread at a time. CUDA's has a branch
 * for large arguments, which keeps compilers from forming these side by side, and makes twelve constants anew for each
 * value where it is in a loop; this one has no branch. In kernels whose points wait for other things CUDA's is faster:
 * lines with exp(-u^2) in their equation by 7 %, a plane by 3 % (an H200).
 * Operations are IEEE 754's as written, each product that is added an fma(): all devices have the same bits. */
#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdint.h>

#include "base/sw_hd.h"
#endif

/* What the text of an expression calls (sw_program_cuda()), from here on. */
#undef SW_EXP
#define SW_EXP(a) sw_exp(a)

/* Of constant memory compilers know no values: they load them once, where they would write each into two registers
 * wherever it is needed. */
#ifdef __CUDA_ARCH__
#define SW_EXP_NUMBERS static __constant__ double
#define SW_EXP_TABLE static __device__ const
#else
#define SW_EXP_NUMBERS static const double
#define SW_EXP_TABLE static const
#endif

/* 16/log 2; log 2/16 in two parts; then what is left of (e^r - 1)/r behind 1 + r/2: of polynomials of this degree the
 * one of least relative error in e^r for |r| <= log 2/32, 2^-56.2. */
SW_EXP_NUMBERS sw_exp_number[] = {
    0x1.71547652b82fep+4,  0x1.62e42fefa39efp-5,  0x1.abc9e3b39803fp-60,
    0x1.555555548f7d9p-3,  0x1.55555555b87b8p-5,  0x1.11123ab869a74p-7, 0x1.6c1705f7a5b50p-10,
};

/* 2^(j/16) of j = 0 .. 15, rounded, its exponent less by j/16: j 2^16 in the upper word; and what it lacks, as a share
 * of it. */
struct sw_exp_power { double value, more; } __attribute__((aligned(16)));
SW_EXP_TABLE struct sw_exp_power sw_exp_power[16] = {
    {0x1.0000000000000p+0, 0x0.0p+0}, {0x1.fb5586cf9890fp-1, 0x1.79aa65d837b6dp-54},
    {0x1.f72b83c7d517bp-1, -0x1.01b15eaa59348p-55}, {0x1.f387a6e756238p-1, 0x1.68efde3a8a894p-54},
    {0x1.f06fe0a31b715p-1, 0x1.34d754db0abb6p-55}, {0x1.edea64c123422p-1, 0x1.59f48a72a4c6dp-55},
    {0x1.ebfdad5362a27p-1, 0x1.690cebb7aafb0p-56}, {0x1.eab07dd485429p-1, 0x1.063e1e21c5409p-54},
    {0x1.ea09e667f3bcdp-1, -0x1.3b3efbf5e2228p-54}, {0x1.ea11473eb0187p-1, -0x1.b32dcb94da51dp-56},
    {0x1.eace5422aa0dbp-1, 0x1.db72fc1f0eab4p-55}, {0x1.ec49182a3f090p-1, 0x1.1affc2b91ce27p-56},
    {0x1.ee89f995ad3adp-1, 0x1.c1a7792cb3387p-55}, {0x1.f199bdd85529cp-1, 0x1.36eae30af0cb3p-56},
    {0x1.f5818dcfba487p-1, 0x1.4a385a63d07a7p-56}, {0x1.fa4afa2a490dap-1, -0x1.ff7128fd391f0p-55},
};

union sw_exp_words { double d; uint32_t w[2]; };  /* the lower word first */

/* e^a, off by at most 0.65 units in the last place, 0.83 where it is subnormal; NaN of NaN. With n = 16 k + j the
 * integer nearest to 16 a/log 2 (from the lower bits of a sum), e^a = 2^k 2^(j/16) e^r, |r| <= log 2/32. 2^k in two
 * factors, of which the second one comes last: so results that are subnormal are rounded once more, and those too large
 * become infinite. What is beyond 2^10 is taken as that. 13 instructions of double precision, one load of 16 bytes and
 * 18 others (sm_90). */
SW_HD static inline double sw_exp(double a)
{
    const double *const c = sw_exp_number;
    union sw_exp_words x, shifted, first, second;
    x.d = a;
    const uint32_t size = x.w[1] & 0x7fffffffu;
    const int number = ((uint64_t)size << 32 | x.w[0]) <= 0x7ff0000000000000u;
    x.w[1] = (x.w[1] & 0x80000000u) | ((size >= 0x40900000u) & number ? 0x40900000u : size);
    shifted.d = fma(x.d, c[0], 0x1.8p52);
    const struct sw_exp_power power = sw_exp_power[shifted.w[0] & 15];
    const double n = shifted.d - 0x1.8p52, r = fma(n, -c[2], fma(n, -c[1], x.d)) + power.more;
    double p = fma(c[6], r, c[5]);
    p = fma(p, r, c[4]);
    p = fma(p, r, c[3]);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    second.w[0] = 0;
    second.w[1] = (uint32_t)((int)shifted.w[0] >> 5) << 20;
    first.d = power.value;
    first.w[1] += (shifted.w[0] << 16) - second.w[1];
    second.w[1] += 0x3ff00000u;
    return fma(first.d * r, p, first.d) * second.d;
}
#endif
