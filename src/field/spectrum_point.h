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
 * of r terms of its own, 8 r operations: a prime n would be one pass of n² terms.
 *
 * So where n has a large prime factor, passes are made of lines that are longer, of a length of fours, twos and a
 * three, and X_k comes of a convolution (L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451-455): with the
 * chirp w_j = exp(-pi i j²/n), as 2jk = j² + k² - (k - j)²,
 *
 *     X_k = w_k sum_j (w_j x_j) conj(w_{k-j}),      0 <= k <= n/2,
 *
 * a circular one of n + n/2 numbers or more. With F the transform of that length, filter = F[conj(w)]/length,
 * conj(X_k/w_k) is entry k of F[conj(filter F[w x])]: |X_k|, which is all that a power spectrum needs, by passes twice.
 * They round by some log2(n) units of what the field is as a whole, as those of a length without such factors do.
 *
 * The field's first value is subtracted from all points before the first pass: that changes X_0 only, and a constant
 * field then has no power at all instead of some rounding. */
#include "base/sw_hd.h"

/* A pass of radix 100 takes 800 operations a point; transforms of 1.5 to 2 n points twice, for n = 10^5, some 250. */
enum { SW_MAX_PASSES = 32, SW_LARGEST_RADIX = 100 };

/** The length of the transforms: n; or, where n has a prime factor greater than SW_LARGEST_RADIX, the least number 2^a
 * or 3 2^a that is at least n + waves - 1.
 * @param waves  X_k that are wanted, 0 <= k < waves; n + waves at most 1.5 10^9 */
SW_HD static inline int sw_spectrum_length_for(int n, int waves)
{
    unsigned least = (unsigned)n + (unsigned)waves - 1, twos = 2, threes = 3;
    int rest = n;
    for (int p = 2; p <= SW_LARGEST_RADIX; p++)
        while (rest % p == 0) rest /= p;
    if (rest == 1) return n;
    while (twos < least) twos *= 2;
    while (threes < least) threes *= 2;
    return (int)(twos < threes ? twos : threes);
}

/** For lines of reals, whose other waves are conjugates. @param n  at most 10^9 */
SW_HD static inline int sw_spectrum_length(int n) { return sw_spectrum_length_for(n, n / 2 + 1); }

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

/** Point i of the line that the passes begin with. @param x  u_i - u_0; not used for i >= n
 * @param chirp_re, chirp_im  [n] w; NULL: the length is n */
SW_HD static inline void sw_spectrum_begin(int n, int i, double x, const double *chirp_re, const double *chirp_im,
                                           double *re, double *im)
{
    *re = !chirp_re ? x : i < n ? x * chirp_re[i] : 0.0;
    *im = !chirp_re ? 0.0 : i < n ? x * chirp_im[i] : 0.0;
}

/** Between the two transforms, an entry: conj(filter F[w x]). */
SW_HD static inline void sw_spectrum_filter(double filter_re, double filter_im, double *re, double *im)
{
    double x = *re, y = *im;
    *re = x * filter_re - y * filter_im;
    *im = -(x * filter_im + y * filter_re);
}

/** Add a term of such a sum. @param c, s  cosine and sine of its angle */
SW_HD static inline void sw_spectrum_add(double x, double y, double c, double s, double *re, double *im)
{
    *re += x * c + y * s;
    *im += y * c - x * s;
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
    int turn = k * rest, from = low * radix * rest + j;
    unsigned angle = 0;  /* up to 2 n */
    double sum_re = 0.0, sum_im = 0.0;
    for (int q = 0; q < radix; q++) {
        sw_spectrum_add(in_re[from + q * rest], in_im[from + q * rest], cosine[angle], sine[angle], &sum_re, &sum_im);
        angle += (unsigned)turn;
        if (angle >= (unsigned)n) angle -= (unsigned)n;
    }
    *re = sum_re;
    *im = sum_im;
}
#endif
