#include "field/dft.h"

#include <math.h>
#include <stdint.h>

#include "base/sw_mem.h"

static const double two_pi = 6.283185307179586476925286766559;

/* ------------------------------------------------------------------ passes */

static void pass_of_four(const struct sw_dft *d, int done, const double *re, const double *im, double *out_re,
                         double *out_im)
{
    const double *cosine = d->cosine, *sine = d->sine;
    int n = d->length, rest = n / (4 * done);
    for (int k = 0; k < done; k++)
#pragma omp simd
        for (int j = 0; j < rest; j++)
            sw_spectrum_four(n, rest, k, j, cosine, sine, re, im, out_re, out_im);
}

/* The outputs of one k, all j at once: sw_spectrum_point() term by term. */
static void outputs_of(const struct sw_dft *d, int radix, int rest, int k, int low, const double *re, const double *im,
                       double *out_re, double *out_im)
{
    const int turn = k * rest;
    int angle = 0;
    for (int j = 0; j < rest; j++) out_re[j] = out_im[j] = 0.0;
    for (int q = 0; q < radix; q++) {
        const double *x = re + (low * radix + q) * rest, *y = im + (low * radix + q) * rest;
        const double c = d->cosine[angle], s = d->sine[angle];
#pragma omp simd
        for (int j = 0; j < rest; j++) sw_spectrum_add(x[j], y[j], c, s, &out_re[j], &out_im[j]);
        angle += turn;
        if (angle >= d->length) angle -= d->length;
    }
}

/* The last pass, of radix 2: outputs k and k + n/2. */
static void last_pass_of_two(const struct sw_dft *d, const double *re, const double *im, double *out_re,
                             double *out_im)
{
    const int half = d->length / 2;
    const double *cosine = d->cosine, *sine = d->sine;
    for (int side = 0; side < 2; side++) {
        const int shift = side * half;
#pragma omp simd
        for (int k = 0; k < half; k++) {
            double sum_re = 0.0, sum_im = 0.0;
            sw_spectrum_add(re[2 * k], im[2 * k], cosine[0], sine[0], &sum_re, &sum_im);
            sw_spectrum_add(re[2 * k + 1], im[2 * k + 1], cosine[k + shift], sine[k + shift], &sum_re, &sum_im);
            out_re[k + shift] = sum_re;
            out_im[k + shift] = sum_im;
        }
    }
}

/* The loops are those in which the compiler finds vectors; each output is the sum that sw_spectrum_point() is, in its
 * order, which CUDA kernels call. */
static void pass_of_any(const struct sw_dft *d, int done, int radix, const double *re, const double *im,
                        double *out_re, double *out_im)
{
    enum { VECTOR = 8 };
    int n = d->length, rest = n / (done * radix);
    if (radix == 2 && rest == 1) {
        last_pass_of_two(d, re, im, out_re, out_im);
        return;
    }
    for (int k = 0, low = 0; k < done * radix; k++, low = low + 1 < done ? low + 1 : 0) {
        if (rest >= VECTOR) outputs_of(d, radix, rest, k, low, re, im, out_re + k * rest, out_im + k * rest);
        for (int j = 0; j < rest && rest < VECTOR; j++)
            sw_spectrum_point(n, radix, rest, k, low, j, d->cosine, d->sine, re, im, &out_re[k * rest + j],
                              &out_im[k * rest + j]);
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

/* ------------------------------------------------------------------ tables */

/* w_j = exp(-pi i j²/n), the argument reduced in integers */
static void set_chirp(const struct sw_dft *d)
{
    for (int64_t j = 0; j < d->n; j++) {
        const double angle = two_pi * (double)(j * j % (2 * (int64_t)d->n)) / (2 * (double)d->n);
        d->chirp_re[j] = cos(angle);
        d->chirp_im[j] = -sin(angle);
    }
}

/* conj(w_k) for 0 <= k < waves and k = -1 .. -(n-1), which is n + waves - 1 numbers, lies at k and at length + k. */
static enum sw_status set_filter(const struct sw_dft *d, int waves)
{
    const size_t length = (size_t)d->length;
    double *room = NULL;
    SW_TRY(sw_alloc(4 * length, &room));
    double *const re[2] = {room, room + length}, *const im[2] = {room + 2 * length, room + 3 * length};
    for (int k = 0; k < d->n; k++) {
        if (k < waves) re[0][k] = d->chirp_re[k], im[0][k] = -d->chirp_im[k];
        if (k) re[0][d->length - k] = d->chirp_re[k], im[0][d->length - k] = -d->chirp_im[k];
    }
    const int at = pass(d, re, im, 0);
    for (size_t k = 0; k < length; k++) {
        d->filter_re[k] = re[at][k] / (double)length;
        d->filter_im[k] = im[at][k] / (double)length;
    }
    sw_free(room);
    return SW_OK;
}

static size_t numbers_of(int n, int waves)
{
    const size_t length = (size_t)sw_spectrum_length_for(n, waves);
    return 2 * length + (length == (size_t)n ? 0 : 2 * (size_t)n + 2 * length);
}

size_t sw_dft_numbers(int n) { return numbers_of(n, n / 2 + 1); }
size_t sw_dft_complex_numbers(int n) { return numbers_of(n, n); }

static enum sw_status create(int n, int waves, struct sw_dft *d)
{
    *d = (struct sw_dft){.n = n, .length = sw_spectrum_length_for(n, waves)};
    d->passes = sw_spectrum_passes(d->length, d->radix);
    SW_TRY(sw_alloc(numbers_of(n, waves), &d->table));
    d->cosine = d->table;
    d->sine = d->cosine + d->length;
    for (int i = 0; i < d->length; i++) {
        d->cosine[i] = cos(two_pi * i / d->length);
        d->sine[i] = sin(two_pi * i / d->length);
    }
    if (d->length == n) return SW_OK;
    d->chirp_re = d->sine + d->length;
    d->chirp_im = d->chirp_re + n;
    d->filter_re = d->chirp_im + n;
    d->filter_im = d->filter_re + d->length;
    set_chirp(d);
    return set_filter(d, waves);
}

enum sw_status sw_dft_create(int n, struct sw_dft *d) { return create(n, n / 2 + 1, d); }
enum sw_status sw_dft_create_complex(int n, struct sw_dft *d) { return create(n, n, d); }

void sw_dft_destroy(struct sw_dft *d)
{
    sw_free(d->table);
    *d = (struct sw_dft){0};
}

/* ------------------------------------------------------------------ a line */

int sw_dft_run(const struct sw_dft *d, const double *u, double *const re[2], double *const im[2])
{
    for (int i = 0; i < d->length; i++)
        sw_spectrum_begin(d->n, i, i < d->n ? u[i] - u[0] : 0.0, d->chirp_re, d->chirp_im, &re[0][i], &im[0][i]);
    int at = pass(d, re, im, 0);
    if (!d->chirp_re) return at;
    for (int k = 0; k < d->length; k++) sw_spectrum_filter(d->filter_re[k], d->filter_im[k], &re[at][k], &im[at][k]);
    return pass(d, re, im, at);
}

int sw_dft_real(const struct sw_dft *d, const double *u, double *const re[2], double *const im[2])
{
    const int at = sw_dft_run(d, u, re, im);
    for (int k = 0; k <= d->n / 2 && d->chirp_re; k++) {  /* conj(X_k/w_k) is there */
        const double x = re[at][k], y = im[at][k];
        re[at][k] = x * d->chirp_re[k] + y * d->chirp_im[k];
        im[at][k] = x * d->chirp_im[k] - y * d->chirp_re[k];
    }
    re[at][0] += d->n * u[0];
    return at;
}
