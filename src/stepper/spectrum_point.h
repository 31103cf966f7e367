#ifndef SPECTRUM_POINT_H
#define SPECTRUM_POINT_H
/* The discrete Fourier transform of a line of any length, X_k = sum_i x_i exp(-2 pi i k/n), by mixed-radix passes
 * (Stockham; Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992). With L the product of the
 * radices done,
 *
 *     A_L[k][j] = sum_p x[p n/L + j] exp(-2 pi i p k/L),      k < L, j < n/L,      A_1 = x,  A_n = X
 *     A_{Lr}[k][j] = sum_{q < r} exp(-2 pi i q k/(Lr)) A_L[k mod L][q M + j],      M = n/(Lr), k < Lr, j < M
 *
 * A_L[k][j] lies at k n/L + j. Every output of a pass is a sum of r terms of its own: a loop on the CPU, a thread each
 * on a GPU, two buffers in turn. A pass costs 8 r operations a point; a prime n is one pass of n² terms.
 * The field's first value is subtracted from all points before the first pass: that changes X_0 only, and a constant
 * field then has no power at all instead of some rounding. */
#include "base/sw_hd.h"

enum { SW_MAX_PASSES = 32 };

/** The radices of n: fours, then primes. @return how many (0 for n = 1) */
SW_HD static inline int sw_spectrum_passes(int n, int radix[SW_MAX_PASSES])
{
    int count = 0;
    for (; n % 4 == 0; n /= 4) radix[count++] = 4;
    for (int p = 2; n > 1; p++) {
        if ((long long)p * p > n) p = n;  /* what is left is prime */
        for (; n % p == 0; n /= p) radix[count++] = p;
    }
    return count;
}

/** One output of a pass: A_{Lr}[k][j].
 * @param n       points
 * @param done    L
 * @param radix   r
 * @param cosine  [n] cos(2 pi i/n);  sine [n] sin(2 pi i/n)
 * @param in_re   [n] A_L;  in_im [n]
 * @param re, im  the value, which lies at k*(n/(done*radix)) + j of A_{Lr} */
SW_HD static inline void sw_spectrum_point(int n, int done, int radix, int k, int j, const double *cosine,
                                           const double *sine, const double *in_re, const double *in_im, double *re,
                                           double *im)
{
    int rest = n / (done * radix), turn = k * rest, angle = 0;
    int from = k % done * radix * rest + j;
    double sum_re = 0.0, sum_im = 0.0;
    for (int q = 0; q < radix; q++) {
        double x = in_re[from + q * rest], y = in_im[from + q * rest];
        sum_re += x * cosine[angle] + y * sine[angle];
        sum_im += y * cosine[angle] - x * sine[angle];
        angle += turn;
        if (angle >= n) angle -= n;
    }
    *re = sum_re;
    *im = sum_im;
}
#endif
