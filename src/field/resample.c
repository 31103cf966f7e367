#include "field/resample.h"

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "field/dft.h"

struct sw_resampler {
    struct sw_dft from, to;
    double *line;                 /* [to.n]                      */
    double *re[2], *im[2];        /* [the longer of the lengths] */
};

enum sw_status sw_resampler_create(int64_t n, int64_t m, struct sw_resampler **resampler)
{
    struct sw_resampler *r;
    enum sw_status st;
    *resampler = NULL;
    if (n > 1000000000 || m > 1000000000)
        return SW_FAIL(SW_E_ARG, "lines of more than 10^9 points cannot be interpolated");
    SW_TRY(sw_alloc(1, &r));
    SW_TRY_TO(failed, st, sw_dft_create((int)n, &r->from));
    SW_TRY_TO(failed, st, sw_dft_create((int)m, &r->to));
    SW_TRY_TO(failed, st, sw_alloc((size_t)m, &r->line));
    const size_t length = (size_t)(r->from.length > r->to.length ? r->from.length : r->to.length);
    for (int k = 0; k < 2; k++) {
        SW_TRY_TO(failed, st, sw_alloc(length, &r->re[k]));
        SW_TRY_TO(failed, st, sw_alloc(length, &r->im[k]));
    }
    *resampler = r;
    return SW_OK;
failed:
    sw_resampler_destroy(&r);
    return st;
}

void sw_resampler_destroy(struct sw_resampler **resampler)
{
    struct sw_resampler *r = *resampler;
    if (!r) return;
    sw_dft_destroy(&r->from);
    sw_dft_destroy(&r->to);
    sw_free(r->line);
    for (int k = 0; k < 2; k++) {
        sw_free(r->re[k]);
        sw_free(r->im[k]);
    }
    sw_free(r);
    *resampler = NULL;
}

bool sw_resampler_fits(const struct sw_resampler *r, int64_t n, int64_t m)
{
    return r && r->from.n == n && r->to.n == m;
}

/* Re X_k - Im X_k for 0 < |k| <= n/2: by that (R. V. L. Hartley, Proc. IRE 30 (1942) 144) the inverse transform of what
 * belongs to real numbers is a transform of real numbers. The shortest wave of an even number of points is a cosine:
 * half of it belongs to k = n/2 and half to k = -n/2. */
static void copy_waves(int n, const double *re, const double *im, int m, double *line)
{
    const int both = n < m ? n : m, half = both / 2;
    for (int k = 0; k < m; k++) line[k] = 0;
    for (int k = 1; 2 * k < both; k++) {
        line[k] = re[k] - im[k];
        line[m - k] = re[k] + im[k];
    }
    if (both % 2) return;
    if (m > n) line[half] = line[m - half] = re[half] / 2;
    else line[half] = n > m ? 2 * re[half] : re[half];
}

void sw_resample(struct sw_resampler *r, const double *u, double *v)
{
    const int n = r->from.n, m = r->to.n;
    int at = sw_dft_real(&r->from, u, r->re, r->im);
    const double sum = r->re[at][0];  /* added at the end: sw_dft_run() would take it from all others */
    copy_waves(n, r->re[at], r->im[at], m, r->line);
    at = sw_dft_real(&r->to, r->line, r->re, r->im);
    for (int i = 0; i < m; i++) {
        const int k = i <= m / 2 ? i : m - i;
        v[i] = (sum + (i == k ? r->re[at][k] - r->im[at][k] : r->re[at][k] + r->im[at][k])) / n;
    }
}
