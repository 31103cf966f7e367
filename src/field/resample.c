#include "field/resample.h"

#include <complex.h>
#include <math.h>

#include "base/sw_mem.h"

static const double pi = 3.14159265358979323846;

/* A transform by decimation in time, for each prime factor of the length (Cooley and Tukey, 1965), whose largest
 * counts: p operations a point. Above LARGE the length is padded to a power of two, by Bluestein's identity
 * jk = (j² + k² - (k - j)²)/2 (1970): with c_j = exp(-i pi j²/n),
 *
 *     X_k = c_k sum over j of (x_j c_j) conj(c_(k - j)),
 *
 * a convolution, which is three transforms of 2 n to 4 n points. */
enum { LARGE = 64, FACTORS = 64 };
struct transform {
    int64_t length, padded;           /* padded 0: as it is                                       */
    int64_t factor[FACTORS];          /* prime, of padded or length, the smallest first           */
    double complex *root, *some;      /* [padded or length] exp(-2 pi i k/it); [its largest factor] */
    double complex *chirp, *filter;   /* [length] c; [padded] transform of conj(c)                */
    double complex *a, *b;            /* [padded]                                                 */
};

struct sw_resampler {
    struct transform from, to;
    double complex  *a, *b;           /* [the longer length]                                      */
};

/* @return the largest one */
static int64_t find_factors(int64_t n, int64_t factor[FACTORS])
{
    int count = 0;
    for (int64_t p = 2; n > 1; p = p * p > n ? n : p + 1)
        for (; n % p == 0; n /= p) factor[count++] = p;
    return count ? factor[count - 1] : 1;
}

/* Of the n values in[0], in[stride], ...; n * stride is the length of all. factor: those of n */
static void transform_part(const struct transform *t, int64_t n, int64_t stride, const int64_t *factor,
                           const double complex *in, double complex *out)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    const int64_t p = *factor, q = n / p, length = n * stride;
    for (int64_t r = 0; r < p; r++) transform_part(t, q, stride * p, factor + 1, in + r * stride, out + r * q);
    for (int64_t k = 0; k < q && p == 2; k++) {
        const double complex odd = out[q + k] * t->root[k * stride];
        out[q + k] = out[k] - odd;
        out[k] += odd;
    }
    for (int64_t k = 0; k < q && p > 2; k++) {
        for (int64_t r = 0; r < p; r++) t->some[r] = out[r * q + k];
        for (int64_t s = 0; s < p; s++) {
            const int64_t step = (k + s * q) * stride;  /* below the length */
            double complex sum = 0;
            for (int64_t r = 0, at = 0; r < p; r++) {
                sum += t->some[r] * t->root[at];
                at += step;
                if (at >= length) at -= length;
            }
            out[k + s * q] = sum;
        }
    }
}

/* The inverse transform is the conjugate of that of the conjugates. */
static void transform(const struct transform *t, const double complex *in, double complex *out)
{
    const int64_t n = t->length, m = t->padded;
    if (!m) {
        transform_part(t, n, 1, t->factor, in, out);
        return;
    }
    for (int64_t j = 0; j < m; j++) t->a[j] = j < n ? in[j] * t->chirp[j] : 0;
    transform_part(t, m, 1, t->factor, t->a, t->b);
    for (int64_t j = 0; j < m; j++) t->a[j] = conj(t->b[j] * t->filter[j]);
    transform_part(t, m, 1, t->factor, t->a, t->b);
    for (int64_t k = 0; k < n; k++) out[k] = conj(t->b[k]) * t->chirp[k] / (double)m;
}

static enum sw_status create_chirp(struct transform *t)
{
    const int64_t n = t->length, m = t->padded;
    SW_TRY(sw_alloc((size_t)n, &t->chirp));
    SW_TRY(sw_alloc((size_t)m, &t->filter));
    SW_TRY(sw_alloc((size_t)m, &t->a));
    SW_TRY(sw_alloc((size_t)m, &t->b));
    for (int64_t j = 0; j < n; j++) {
        const double angle = pi * (double)(j * j % (2 * n)) / (double)n;
        t->chirp[j] = cos(angle) - I * sin(angle);
        t->a[j] = t->a[j ? m - j : 0] = conj(t->chirp[j]);
    }
    transform_part(t, m, 1, t->factor, t->a, t->filter);
    return SW_OK;
}

static enum sw_status create_transform(int64_t length, struct transform *t)
{
    int64_t all = length, largest = find_factors(length, t->factor);
    t->length = length;
    if (largest > LARGE) {
        for (all = 1; all < 2 * length - 1;) all *= 2;
        t->padded = all;
        largest = find_factors(all, t->factor);
    }
    SW_TRY(sw_alloc((size_t)all, &t->root));
    SW_TRY(sw_alloc((size_t)largest, &t->some));
    for (int64_t k = 0; k < all; k++) {
        const double angle = 2 * pi * (double)k / (double)all;
        t->root[k] = cos(angle) - I * sin(angle);
    }
    return t->padded ? create_chirp(t) : SW_OK;
}

static void destroy_transform(struct transform *t)
{
    sw_free(t->root);
    sw_free(t->some);
    sw_free(t->chirp);
    sw_free(t->filter);
    sw_free(t->a);
    sw_free(t->b);
}

/* The waves that both have. The shortest of an even number of points is a cosine: half of it belongs to k = n/2 and
 * half to k = -n/2. */
static void copy_waves(int64_t n, const double complex *x, int64_t m, double complex *y)
{
    const int64_t both = n < m ? n : m, half = both / 2;
    for (int64_t k = 0; k < m; k++) y[k] = 0;
    y[0] = x[0];
    for (int64_t k = 1; 2 * k < both; k++) {
        y[k] = x[k];
        y[m - k] = x[n - k];
    }
    if (both % 2) return;
    if (m > n) y[half] = y[m - half] = x[half] / 2;
    else y[half] = x[half] + (n > m ? x[n - half] : 0);
}

enum sw_status sw_resampler_create(int64_t n, int64_t m, struct sw_resampler **resampler)
{
    struct sw_resampler *r;
    enum sw_status st;
    *resampler = NULL;
    SW_TRY(sw_alloc(1, &r));
    st = create_transform(n, &r->from);
    if (!st) st = create_transform(m, &r->to);
    if (!st) st = sw_alloc((size_t)(n > m ? n : m), &r->a);
    if (!st) st = sw_alloc((size_t)(n > m ? n : m), &r->b);
    if (st) sw_resampler_destroy(&r);
    *resampler = r;
    return st;
}

void sw_resampler_destroy(struct sw_resampler **resampler)
{
    struct sw_resampler *r = *resampler;
    if (!r) return;
    destroy_transform(&r->from);
    destroy_transform(&r->to);
    sw_free(r->a);
    sw_free(r->b);
    sw_free(r);
    *resampler = NULL;
}

bool sw_resampler_fits(const struct sw_resampler *r, int64_t n, int64_t m)
{
    return r && r->from.length == n && r->to.length == m;
}

void sw_resample(struct sw_resampler *r, const double *u, double *v)
{
    const int64_t n = r->from.length, m = r->to.length;
    for (int64_t i = 0; i < n; i++) r->a[i] = u[i];
    transform(&r->from, r->a, r->b);
    copy_waves(n, r->b, m, r->a);
    for (int64_t k = 0; k < m; k++) r->a[k] = conj(r->a[k]);
    transform(&r->to, r->a, r->b);
    for (int64_t i = 0; i < m; i++) v[i] = creal(r->b[i]) / (double)n;
}
