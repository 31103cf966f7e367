#include "problem/fields/fourier.h"

#include <math.h>

#include "field/dft.h"

enum { WIDTH = 8 };  /* lines side by side: point i of line l is number i*WIDTH + l */

struct fields_fourier {
    int64_t       n[SW_DIMS];
    struct sw_dft dft[SW_DIMS];
    double       *re[2], *im[2];  /* [length][WIDTH] room of the longest line */
    double       *spectrum[2];
};

/* ------------------------------------------------------------------ passes */

/* sw_spectrum_four() of lines side by side */
static void pass_of_four(const struct sw_dft *d, int done, const double *restrict re, const double *restrict im,
                         double *restrict out_re, double *restrict out_im)
{
    const int rest = d->length / (4 * done), apart = d->length / 4 * WIDTH;
    for (int k = 0; k < done; k++) {
        const int turn = k * rest;
        const double c1 = d->cosine[turn], s1 = d->sine[turn], c2 = d->cosine[2 * turn], s2 = d->sine[2 * turn],
                     c3 = d->cosine[3 * turn], s3 = d->sine[3 * turn];
        for (int j = 0; j < rest; j++) {
            const double *x = re + (4 * turn + j) * WIDTH, *y = im + (4 * turn + j) * WIDTH;
            double *to = out_re + (turn + j) * WIDTH, *to_im = out_im + (turn + j) * WIDTH;
            const int next = rest * WIDTH;
#pragma omp simd
            for (int l = 0; l < WIDTH; l++) {
                const double x1 = x[next + l] * c1 + y[next + l] * s1, y1 = y[next + l] * c1 - x[next + l] * s1;
                const double x2 = x[2 * next + l] * c2 + y[2 * next + l] * s2,
                             y2 = y[2 * next + l] * c2 - x[2 * next + l] * s2;
                const double x3 = x[3 * next + l] * c3 + y[3 * next + l] * s3,
                             y3 = y[3 * next + l] * c3 - x[3 * next + l] * s3;
                const double even = x[l] + x2, even_im = y[l] + y2, less = x[l] - x2, less_im = y[l] - y2;
                const double odd = x1 + x3, odd_im = y1 + y3, skew = x1 - x3, skew_im = y1 - y3;
                to[l] = even + odd;
                to_im[l] = even_im + odd_im;
                to[apart + l] = less + skew_im;
                to_im[apart + l] = less_im - skew;
                to[2 * apart + l] = even - odd;
                to_im[2 * apart + l] = even_im - odd_im;
                to[3 * apart + l] = less - skew_im;
                to_im[3 * apart + l] = less_im + skew;
            }
        }
    }
}

struct butterfly { double re[SW_LARGEST_RADIX][WIDTH], im[SW_LARGEST_RADIX][WIDTH]; };

/* The inputs of outputs k, k + L, ..: each turned by its own angle. */
static void turn_inputs(const struct sw_dft *d, int radix, int turn, ptrdiff_t apart, const double *re,
                        const double *im, struct butterfly *b)
{
    for (int q = 0; q < radix; q++) {
        const double c = d->cosine[q * turn], s = d->sine[q * turn];
        const double *x = re + q * apart, *y = im + q * apart;
#pragma omp simd
        for (int l = 0; l < WIDTH; l++) {
            b->re[q][l] = x[l] * c + y[l] * s;
            b->im[q][l] = y[l] * c - x[l] * s;
        }
    }
}

/* Inputs q and r - q stand with the same cosine, and with opposite sines, in outputs m and r - m: their sums and
 * differences take the places of both. */
static void pair_inputs(int radix, struct butterfly *b)
{
    for (int q = 1; 2 * q < radix; q++)
#pragma omp simd
        for (int l = 0; l < WIDTH; l++) {
            const double x = b->re[q][l], y = b->im[q][l];
            b->re[q][l] = x + b->re[radix - q][l];
            b->im[q][l] = y + b->im[radix - q][l];
            b->re[radix - q][l] = x - b->re[radix - q][l];
            b->im[radix - q][l] = y - b->im[radix - q][l];
        }
}

/* Outputs m and r - m. */
static void make_pair(const struct sw_dft *d, int radix, int m, const struct butterfly *b, double *restrict to,
                      double *restrict to_im, double *restrict back, double *restrict back_im)
{
    double even[WIDTH], even_im[WIDTH], odd[WIDTH] = {0}, odd_im[WIDTH] = {0};
    const int unit = d->length / radix;
    for (int l = 0; l < WIDTH; l++) even[l] = b->re[0][l], even_im[l] = b->im[0][l];
    for (int q = 1, angle = m; 2 * q < radix; q++, angle = (angle + m) % radix) {
        const double c = d->cosine[angle * unit], s = d->sine[angle * unit];
#pragma omp simd
        for (int l = 0; l < WIDTH; l++) {
            even[l] += c * b->re[q][l];
            even_im[l] += c * b->im[q][l];
            odd[l] += s * b->im[radix - q][l];
            odd_im[l] -= s * b->re[radix - q][l];
        }
    }
    for (int l = 0; l < WIDTH; l++) {
        to[l] = even[l] + odd[l];
        to_im[l] = even_im[l] + odd_im[l];
        back[l] = even[l] - odd[l];
        back_im[l] = even_im[l] - odd_im[l];
    }
}

/* Of a prime. */
static void pass_of_any(const struct sw_dft *d, int done, int radix, const double *re, const double *im,
                        double *out_re, double *out_im)
{
    struct butterfly b;
    const int rest = d->length / (done * radix);
    const ptrdiff_t apart = (ptrdiff_t)(d->length / radix) * WIDTH;
    for (int k = 0; k < done; k++)
        for (int j = 0; j < rest; j++) {
            const ptrdiff_t from = (ptrdiff_t)(k * radix * rest + j) * WIDTH, at = (ptrdiff_t)(k * rest + j) * WIDTH;
            double *to = out_re + at, *to_im = out_im + at;
            turn_inputs(d, radix, k * rest, (ptrdiff_t)rest * WIDTH, re + from, im + from, &b);
            if (radix == 2) {
                for (int l = 0; l < WIDTH; l++) {
                    to[l] = b.re[0][l] + b.re[1][l];
                    to_im[l] = b.im[0][l] + b.im[1][l];
                    to[apart + l] = b.re[0][l] - b.re[1][l];
                    to_im[apart + l] = b.im[0][l] - b.im[1][l];
                }
                continue;
            }
            pair_inputs(radix, &b);
            for (int l = 0; l < WIDTH; l++) to[l] = b.re[0][l], to_im[l] = b.im[0][l];
            for (int q = 1; 2 * q < radix; q++)
                for (int l = 0; l < WIDTH; l++) to[l] += b.re[q][l], to_im[l] += b.im[q][l];
            for (int m = 1; 2 * m < radix; m++)
                make_pair(d, radix, m, &b, to + m * apart, to_im + m * apart, to + (radix - m) * apart,
                          to_im + (radix - m) * apart);
        }
}

/* @return which of re[], im[] holds the transform of re[in], im[in] */
static int pass(const struct sw_dft *d, double *const re[2], double *const im[2], int in)
{
    for (int p = 0, done = 1; p < d->passes; done *= d->radix[p++], in = !in) {
        if (d->radix[p] == 4) pass_of_four(d, done, re[in], im[in], re[!in], im[!in]);
        else pass_of_any(d, done, d->radix[p], re[in], im[in], re[!in], im[!in]);
    }
    return in;
}

/* ------------------------------------------------------------------ lines */

static void multiply(size_t points, const double *by_re, const double *by_im, double *re, double *im)
{
    for (size_t i = 0; i < points; i++) {
        const double c = by_re[i], s = by_im[i];
#pragma omp simd
        for (int l = 0; l < WIDTH; l++) {
            const double x = re[i * WIDTH + l], y = im[i * WIDTH + l];
            re[i * WIDTH + l] = x * c - y * s;
            im[i * WIDTH + l] = x * s + y * c;
        }
    }
}

/* The transform of the lines in re[0], im[0]; with both changed for each other it is that back, times n. @return which
 * of re[], im[] holds it */
static int transform(const struct sw_dft *d, double *const re[2], double *const im[2])
{
    const size_t n = (size_t)d->n, length = (size_t)d->length;
    if (!d->chirp_re) return pass(d, re, im, 0);
    multiply(n, d->chirp_re, d->chirp_im, re[0], im[0]);
    for (size_t i = n * WIDTH; i < length * WIDTH; i++) re[0][i] = im[0][i] = 0.0;
    int at = pass(d, re, im, 0);
    multiply(length, d->filter_re, d->filter_im, re[at], im[at]);
    /* back: real and imaginary parts change places */
    at = pass(d, im, re, at);
    multiply(n, d->chirp_re, d->chirp_im, re[at], im[at]);
    return at;
}

/* ------------------------------------------------------------------ life */

static size_t half_of(const int64_t n[SW_DIMS]) { return (size_t)n[0] / 2 + 1; }

size_t fields_fourier_waves(const int64_t n[SW_DIMS]) { return half_of(n) * (size_t)(n[1] * n[2]); }

static size_t longest_of(const int64_t n[SW_DIMS])
{
    size_t longest = 1;
    for (int d = 0; d < SW_DIMS; d++) {
        const size_t length = n[d] > 1 ? (size_t)sw_spectrum_length_for((int)n[d], (int)n[d]) : 1;
        if (length > longest) longest = length;
    }
    return longest;
}

size_t fields_fourier_bytes(const int64_t n[SW_DIMS])
{
    size_t numbers = 2 * fields_fourier_waves(n) + 4 * WIDTH * longest_of(n);
    for (int d = 0; d < SW_DIMS; d++)
        if (n[d] > 1) numbers += sw_dft_complex_numbers((int)n[d]);
    return numbers * sizeof(double);
}

enum sw_status fields_fourier_create(const int64_t n[SW_DIMS], struct sw_owned *arrays, struct fields_fourier **fourier)
{
    struct fields_fourier *f;
    sw_array(arrays, 1, fourier);
    SW_TRY(arrays->status);
    f = *fourier;
    for (int part = 0; part < 2; part++) {
        sw_array(arrays, WIDTH * longest_of(n), &f->re[part]);
        sw_array(arrays, WIDTH * longest_of(n), &f->im[part]);
        sw_array(arrays, fields_fourier_waves(n), &f->spectrum[part]);
    }
    SW_TRY(arrays->status);
    for (int d = 0; d < SW_DIMS; d++) {
        f->n[d] = n[d];
        if (n[d] > 1) SW_TRY(sw_dft_create_complex((int)n[d], &f->dft[d]));
    }
    return SW_OK;
}

void fields_fourier_destroy(struct fields_fourier *f)
{
    for (int d = 0; f && d < SW_DIMS; d++) sw_dft_destroy(&f->dft[d]);
}

/* ------------------------------------------------------------------ fields */

static size_t rows_of(const struct fields_fourier *f) { return (size_t)(f->n[1] * f->n[2]); }

/* Rows first .. of x less a number, each two next to each other as real and imaginary parts. */
static void gather_rows(const struct fields_fourier *f, size_t first, double less, const double *x)
{
    const size_t n = (size_t)f->n[0];
    for (size_t l = 0; l < 2 * WIDTH; l++) {
        const double *row = x + (first + l) * n;
        double *to = (l % 2 ? f->im[0] : f->re[0]) + l / 2;
        if (first + l < rows_of(f))
            for (size_t i = 0; i < n; i++) to[i * WIDTH] = row[i] - less;
        else
            for (size_t i = 0; i < n; i++) to[i * WIDTH] = 0.0;
    }
}

static void scatter_rows(const struct fields_fourier *f, size_t first, int at, double *x)
{
    const size_t n = (size_t)f->n[0];
    for (size_t l = 0; l < 2 * WIDTH && first + l < rows_of(f); l++) {
        const double *from = (l % 2 ? f->im[at] : f->re[at]) + l / 2;
        for (size_t i = 0; i < n; i++) x[(first + l) * n + i] = from[i * WIDTH];
    }
}

/* Of Z = A + i B, A and B of reals: A_k is half of Z_k + conj(Z_{n-k}). */
static void take_apart(const struct fields_fourier *f, size_t first, int at)
{
    const size_t n = (size_t)f->n[0], half = half_of(f->n);
    double *const *s = f->spectrum;
    for (size_t l = 0; l < WIDTH && first + 2 * l < rows_of(f); l++) {
        const double *re = f->re[at] + l, *im = f->im[at] + l;
        const size_t a = (first + 2 * l) * half, b = a + half;
        for (size_t k = 0; k < half; k++) {
            const size_t here = k * WIDTH, back = (k ? n - k : 0) * WIDTH;
            s[0][a + k] = 0.5 * (re[here] + re[back]);
            s[1][a + k] = 0.5 * (im[here] - im[back]);
            if (first + 2 * l + 1 == rows_of(f)) continue;
            s[0][b + k] = 0.5 * (im[here] + im[back]);
            s[1][b + k] = 0.5 * (re[back] - re[here]);
        }
    }
}

static void put_together(const struct fields_fourier *f, size_t first)
{
    const size_t n = (size_t)f->n[0], half = half_of(f->n);
    double *const *s = f->spectrum;
    for (size_t l = 0; l < WIDTH; l++) {
        double *re = f->re[0] + l, *im = f->im[0] + l;
        const size_t a = (first + 2 * l) * half, b = a + half;
        const bool one = first + 2 * l < rows_of(f), two = first + 2 * l + 1 < rows_of(f);
        for (size_t k = 0; k < half; k++) {
            const size_t here = k * WIDTH, back = (k ? n - k : 0) * WIDTH;
            const double x = one ? s[0][a + k] : 0.0, y = one ? s[1][a + k] : 0.0, p = two ? s[0][b + k] : 0.0,
                         q = two ? s[1][b + k] : 0.0;
            re[back] = x + q;
            im[back] = p - y;
            re[here] = x - q;
            im[here] = y + p;
        }
    }
}

/* Columns of the spectrum along axis d, of `stride` that lie beside each other, from first on. */
static void gather_columns(const struct fields_fourier *f, int d, size_t first, size_t stride, size_t width)
{
    for (int part = 0; part < 2; part++) {
        double *to = part ? f->im[0] : f->re[0];
        for (size_t i = 0; i < (size_t)f->n[d]; i++, to += WIDTH) {
            const double *from = f->spectrum[part] + first + i * stride;
            for (size_t l = 0; l < WIDTH; l++) to[l] = l < width ? from[l] : 0.0;
        }
    }
}

static void scatter_columns(const struct fields_fourier *f, int d, size_t first, size_t stride, size_t width, int at)
{
    for (int part = 0; part < 2; part++) {
        const double *from = part ? f->im[at] : f->re[at];
        for (size_t i = 0; i < (size_t)f->n[d]; i++, from += WIDTH)
            for (size_t l = 0; l < width; l++) f->spectrum[part][first + i * stride + l] = from[l];
    }
}

/* The waves of columns times their numbers, from room `at` into the first. */
static void multiply_columns(const struct fields_fourier *f, int d, size_t first, size_t stride, size_t width, int at,
                             const double *by_re, const double *by_im)
{
    for (size_t i = 0; i < (size_t)f->n[d]; i++)
        for (size_t l = 0; l < width; l++) {
            const size_t wave = first + i * stride + l;
            const double x = f->re[at][i * WIDTH + l], y = f->im[at][i * WIDTH + l], c = by_re[wave],
                         s = by_im ? by_im[wave] : 0.0;
            f->re[0][i * WIDTH + l] = x * c - y * s;
            f->im[0][i * WIDTH + l] = x * s + y * c;
        }
}

enum task { THERE, BACK, THERE_AND_BACK };

/* All columns along an axis; there and back their waves are multiplied on the way. */
static void transform_columns(const struct fields_fourier *f, int d, enum task task, const double *by_re,
                              const double *by_im)
{
    const struct sw_dft *dft = &f->dft[d];
    const size_t stride = d == 1 ? half_of(f->n) : half_of(f->n) * (size_t)f->n[1], slab = stride * (size_t)f->n[d];
    for (size_t begin = 0; begin < fields_fourier_waves(f->n); begin += slab)
        for (size_t l = 0; l < stride; l += WIDTH) {
            const size_t width = stride - l < WIDTH ? stride - l : WIDTH, first = begin + l;
            int at = 0;
            gather_columns(f, d, first, stride, width);
            if (task != BACK) at = transform(dft, f->re, f->im);
            if (task == THERE_AND_BACK) multiply_columns(f, d, first, stride, width, at, by_re, by_im);
            if (task != THERE) at = transform(dft, f->im, f->re);
            scatter_columns(f, d, first, stride, width, at);
        }
}

static void transform_rows(const struct fields_fourier *f, double less, const double *x)
{
    for (size_t first = 0; first < rows_of(f); first += 2 * WIDTH) {
        gather_rows(f, first, less, x);
        take_apart(f, first, transform(&f->dft[0], f->re, f->im));
    }
}

double *const *fields_fourier_transform(struct fields_fourier *f, double less, const double *x)
{
    transform_rows(f, less, x);
    for (int d = 1; d < SW_DIMS; d++)
        if (f->n[d] > 1) transform_columns(f, d, THERE, NULL, NULL);
    return f->spectrum;
}

void fields_fourier_multiply(struct fields_fourier *f, const double *by_re, const double *by_im, double *x)
{
    const int last = f->n[2] > 1 ? 2 : 1;
    transform_rows(f, 0.0, x);
    if (last == 2) transform_columns(f, 1, THERE, NULL, NULL);
    transform_columns(f, last, THERE_AND_BACK, by_re, by_im);
    if (last == 2) transform_columns(f, 1, BACK, NULL, NULL);
    for (size_t first = 0; first < rows_of(f); first += 2 * WIDTH) {
        put_together(f, first);
        scatter_rows(f, first, transform(&f->dft[0], f->im, f->re), x);
    }
}
