#ifndef SPECTRUM_POINT_H
#define SPECTRUM_POINT_H
/* The discrete Fourier transform of a line of any length, X_k = sum_i x_i exp(-2 pi i k/n), by mixed-radix passes
 * (Stockham; Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992). With L the product of the
 * radices done,
 *
 *     A_L[k][j] = sum_p x[p n/L + j] exp(-2 pi i p k/L),      k < L, j < n/L,      A_1 = x,  A_n = X
 *     A_{Lr}[k][j] = sum_{q < r} exp(-2 pi i q k/(Lr)) A_L[k mod L][q M + j],      M = n/(Lr), k < Lr, j < M
 *
 * A_L[k][j] lies at k n/L + j; two buffers take turns. A pass of radix 4 makes four outputs at a time, those of k,
 * k + L, k + 2 L and k + 3 L, from the same four inputs: 7 operations a point. In any other pass every output is a sum
 * of r terms of its own, 8 r operations; a prime n is one pass of n² terms.
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

/** Four outputs of a pass of radix 4: A_{4L}[k + m L][j] for m = 0 .. 3, k < L.
 * @param rest    M = n/(4L);  the others as below
 * @param out_re  [n] A_{4L};  out_im [n] */
SW_HD static inline void sw_spectrum_four(int n, int rest, int k, int j, const double *cosine, const double *sine,
                                          const double *in_re, const double *in_im, double *out_re, double *out_im)
{
    int turn = k * rest, from = 4 * turn + j, to = turn + j, apart = n / 4;
    double re[4] = {in_re[from]}, im[4] = {in_im[from]};
    for (int q = 1; q < 4; q++) {
        double x = in_re[from + q * rest], y = in_im[from + q * rest], c = cosine[q * turn], s = sine[q * turn];
        re[q] = x * c + y * s;
        im[q] = y * c - x * s;
    }
    double even_re = re[0] + re[2], even_im = im[0] + im[2], odd_re = re[1] + re[3], odd_im = im[1] + im[3];
    double less_re = re[0] - re[2], less_im = im[0] - im[2], skew_re = re[1] - re[3], skew_im = im[1] - im[3];
    out_re[to] = even_re + odd_re;
    out_im[to] = even_im + odd_im;
    out_re[to + apart] = less_re + skew_im;
    out_im[to + apart] = less_im - skew_re;
    out_re[to + 2 * apart] = even_re - odd_re;
    out_im[to + 2 * apart] = even_im - odd_im;
    out_re[to + 3 * apart] = less_re - skew_im;
    out_im[to + 3 * apart] = less_im + skew_re;
}

/** One output of a pass of any radix: A_{Lr}[k][j], which lies at k*rest + j of A_{Lr}.
 * @param rest    M = n/(Lr)
 * @param k, low  k and k mod L
 * @param cosine  [n] cos(2 pi i/n);  sine [n] sin(2 pi i/n)
 * @param in_re   [n] A_L;  in_im [n]
 * @param re, im  the value */
SW_HD static inline void sw_spectrum_point(int n, int radix, int rest, int k, int low, int j, const double *cosine,
                                           const double *sine, const double *in_re, const double *in_im, double *re,
                                           double *im)
{
    int turn = k * rest, angle = 0, from = low * radix * rest + j;
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
