#include "field/resample.h"

#include <complex.h>
#include <math.h>

#include "base/sw_mem.h"

/* A transform of `length` points by decimation in time, for each prime factor of it (Cooley and Tukey, 1965). */
struct transform { int64_t length; double complex *root, *some; };  /* [length] exp(-2 pi i k/length); room */

static enum sw_status create_transform(int64_t length, struct transform *t)
{
    const double pi = 3.14159265358979323846;
    *t = (struct transform){.length = length};
    SW_TRY(sw_alloc((size_t)length, &t->root));
    SW_TRY(sw_alloc((size_t)length, &t->some));
    for (int64_t k = 0; k < length; k++) {
        const double angle = 2 * pi * (double)k / (double)length;
        t->root[k] = cos(angle) - I * sin(angle);
    }
    return SW_OK;
}

static void destroy_transform(struct transform *t)
{
    sw_free(t->root);
    sw_free(t->some);
}

static int64_t smallest_factor(int64_t n)
{
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

/* Of the n values in[0], in[stride], ...; n * stride is the length of all. */
static void transform_part(const struct transform *t, int64_t n, int64_t stride, const double complex *in,
                           double complex *out)
{
    const int64_t p = smallest_factor(n), q = n / p;
    if (n == 1) { out[0] = in[0]; return; }
    for (int64_t r = 0; r < p; r++) transform_part(t, q, stride * p, in + r * stride, out + r * q);
    for (int64_t k = 0; k < q; k++) {
        for (int64_t r = 0; r < p; r++) t->some[r] = out[r * q + k];
        for (int64_t s = 0; s < p; s++) {
            const int64_t step = (k + s * q) * stride;  /* below the length */
            double complex sum = 0;
            for (int64_t r = 0, at = 0; r < p; r++) {
                sum += t->some[r] * t->root[at];
                at += step;
                if (at >= t->length) at -= t->length;
            }
            out[k + s * q] = sum;
        }
    }
}

static void transform(const struct transform *t, const double complex *in, double complex *out)
{
    transform_part(t, t->length, 1, in, out);
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

/* The inverse transform is the conjugate of that of the conjugates. */
static enum sw_status resample(const struct transform *from, const double *u, const struct transform *to, double *v)
{
    const int64_t n = from->length, m = to->length, most = n > m ? n : m;
    double complex *a = NULL, *b = NULL;
    enum sw_status st = sw_alloc((size_t)most, &a);
    if (!st) st = sw_alloc((size_t)most, &b);
    if (!st) {
        for (int64_t i = 0; i < n; i++) a[i] = u[i];
        transform(from, a, b);
        copy_waves(n, b, m, a);
        for (int64_t k = 0; k < m; k++) a[k] = conj(a[k]);
        transform(to, a, b);
        for (int64_t i = 0; i < m; i++) v[i] = creal(b[i]) / (double)n;
    }
    sw_free(a);
    sw_free(b);
    return st;
}

enum sw_status sw_resample(int64_t n, const double *u, int64_t m, double *v)
{
    struct transform from, to = {0};
    enum sw_status st = create_transform(n, &from);
    if (!st) st = create_transform(m, &to);
    if (!st) st = resample(&from, u, &to, v);
    destroy_transform(&from);
    destroy_transform(&to);
    return st;
}
