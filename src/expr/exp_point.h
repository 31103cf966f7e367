#ifndef EXP_POINT_H
#define EXP_POINT_H
/* exp() of expressions on GPUs, for kernels whose threads evaluate it at one point after the other. CUDA's has a branch
 * for large arguments, which keeps compilers from forming points side by side, and makes twelve constants anew for each
 * value where it is in a loop; this one has no branch. Where points wait for other things CUDA's is faster: lines with
 * exp(-u^2) in their equation by 7 %, a plane by 3 % (an H200).
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

/* 64/log 2; log 2/64 in two parts; then what is left of (e^r - 1)/r behind 1 + r/2: of polynomials of this degree the
 * one of least relative error in e^r for |r| <= log 2/128, 2^-57.9. */
SW_EXP_NUMBERS sw_exp_number[] = {0x1.71547652b82fep+6,  0x1.62e42fefa39efp-7,  0x1.abc9e3b39803fp-62,
                                  0x1.555555555ab46p-3, 0x1.555568e3d62dfp-5, 0x1.1110e798aaa35p-7};

/* 2^(j/64) of j = 0 .. 63, rounded, its exponent less by j/64: j 2^14 in the upper word; and what it lacks, as a share
 * of it, whose first digits do. */
struct sw_exp_power { double value, more; } __attribute__((aligned(16)));
SW_EXP_TABLE struct sw_exp_power sw_exp_power[64] = {
    {0x1.0000000000000p+0, 0}, {0x1.fec9a3e778061p-1, -0x1.16p-56}, {0x1.fd9b0d3158574p-1, 0x1.cd2p-55},
    {0x1.fc74518759bc8p-1, 0x1.0f7p-57}, {0x1.fb5586cf9890fp-1, 0x1.79bp-54}, {0x1.fa3ec32d3d1a2p-1, 0x1.ebep-60},
    {0x1.f9301d0125b51p-1, -0x1.556p-54}, {0x1.f829aaea92de0p-1, -0x1.1c9p-54}, {0x1.f72b83c7d517bp-1, -0x1.01bp-55},
    {0x1.f635beb6fcb75p-1, 0x1.b8ap-55}, {0x1.f54873168b9aap-1, 0x1.aedp-54}, {0x1.f463b88628cd6p-1, 0x1.a6fp-55},
    {0x1.f387a6e756238p-1, 0x1.68fp-54}, {0x1.f2b4565e27cddp-1, 0x1.047p-55}, {0x1.f1e9df51fdee1p-1, 0x1.2f8p-55},
    {0x1.f1285a6e4030bp-1, 0x1.b38p-55}, {0x1.f06fe0a31b715p-1, 0x1.34dp-55}, {0x1.efc08b26416ffp-1, 0x1.fddp-55},
    {0x1.ef1a7373aa9cbp-1, -0x1.24bp-54}, {0x1.ee7db34e59ff7p-1, -0x1.1d2p-56}, {0x1.edea64c123422p-1, 0x1.59fp-55},
    {0x1.ed60a21f72e2ap-1, -0x1.8a8p-58}, {0x1.ece086061892dp-1, 0x1.364p-59}, {0x1.ec6a2b5c13cd0p-1, 0x1.ecdp-57},
    {0x1.ebfdad5362a27p-1, 0x1.691p-56}, {0x1.eb9b2769d2ca7p-1, -0x1.f94p-55}, {0x1.eb42b569d4f82p-1, -0x1.8dfp-56},
    {0x1.eaf4736b527dap-1, 0x1.335p-54}, {0x1.eab07dd485429p-1, 0x1.064p-54}, {0x1.ea76f15ad2148p-1, 0x1.433p-54},
    {0x1.ea47eb03a5585p-1, -0x1.c34p-55}, {0x1.ea23882552225p-1, -0x1.3cfp-54}, {0x1.ea09e667f3bcdp-1, -0x1.3b4p-54},
    {0x1.e9fb23c651a2fp-1, -0x1.368p-57}, {0x1.e9f75e8ec5f74p-1, -0x1.81fp-56}, {0x1.e9feb564267c9p-1, -0x1.619p-55},
    {0x1.ea11473eb0187p-1, -0x1.b33p-56}, {0x1.ea2f336cf4e62p-1, 0x1.5ecp-57}, {0x1.ea589994cce13p-1, -0x1.36ap-54},
    {0x1.ea8d99b4492edp-1, -0x1.4d4p-54}, {0x1.eace5422aa0dbp-1, 0x1.db7p-55}, {0x1.eb1ae99157736p-1, 0x1.bf7p-56},
    {0x1.eb737b0cdc5e5p-1, -0x1.daap-58}, {0x1.ebd829fde4e50p-1, -0x1.243p-54}, {0x1.ec49182a3f090p-1, 0x1.1bp-56},
    {0x1.ecc667b5de565p-1, -0x1.7c5p-55}, {0x1.ed503b23e255dp-1, -0x1.1bcp-54}, {0x1.ede6b5579fdbfp-1, 0x1.46ap-55},
    {0x1.ee89f995ad3adp-1, 0x1.c1ap-55}, {0x1.ef3a2b84f15fbp-1, -0x1.5c4p-58}, {0x1.eff76f2fb5e47p-1, -0x1.8d7p-57},
    {0x1.f0c1e904bc1d2p-1, 0x1.5p-56}, {0x1.f199bdd85529cp-1, 0x1.36fp-56}, {0x1.f27f12e57d14bp-1, 0x1.4e1p-55},
    {0x1.f3720dcef9069p-1, 0x1.76bp-57}, {0x1.f472d4a07897cp-1, -0x1.fadp-55}, {0x1.f5818dcfba487p-1, 0x1.4a4p-56},
    {0x1.f69e603db3285p-1, 0x1.e5ap-55}, {0x1.f7c97337b9b5fp-1, -0x1.2d5p-55}, {0x1.f902ee78b3ff6p-1, 0x1.4b6p-56},
    {0x1.fa4afa2a490dap-1, -0x1.ff7p-55}, {0x1.fba1bee615a27p-1, 0x1.ec4p-55}, {0x1.fd0765b6e4540p-1, 0x1.a65p-55},
    {0x1.fe7c1819e90d8p-1, 0x1.789p-56},
};

union sw_exp_words { double d; uint32_t w[2]; };  /* the lower word first */

/* e^a, off by at most 0.55 units in the last place, 0.78 where it is subnormal; NaN of NaN. With n = 64 k + j the
 * integer nearest to 64 a/log 2 (from the lower bits of a sum), e^a = 2^k 2^(j/64) e^r, |r| <= log 2/128. 2^k in two
 * factors, of which the second one comes last: so results that are subnormal are rounded once more, and those too large
 * become infinite. What is beyond 2^10 is taken as that. 12 instructions of double precision, one load of 16 bytes and
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
    const struct sw_exp_power power = sw_exp_power[shifted.w[0] & 63];
    const double n = shifted.d - 0x1.8p52, r = fma(n, -c[2], fma(n, -c[1], x.d)) + power.more;
    double p = fma(c[5], r, c[4]);
    p = fma(p, r, c[3]);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    second.w[0] = 0;
    second.w[1] = (uint32_t)((int)shifted.w[0] >> 7) << 20;
    first.d = power.value;
    first.w[1] += (shifted.w[0] << 14) - second.w[1];
    second.w[1] += 0x3ff00000u;
    return fma(first.d * r, p, first.d) * second.d;
}
#endif
