#include "problem/line/measure.h"

#include <math.h>

#include "base/sw_mem.h"
#include "problem/line/dft.h"
#include "problem/line/measure_point.h"

struct sw_measure {
    int     n;
    struct sw_dft dft;
    double *re[2], *im[2];   /* [dft.length]: the spectrum, before and after a pass */
    double *slope, *term;    /* [n]                                                 */
};

enum sw_status sw_measure_create(int n, struct sw_measure **measure)
{
    enum sw_status st;
    struct sw_measure *m = NULL;

    *measure = NULL;
    SW_TRY(sw_alloc(1, &m));
    m->n = n;
    SW_TRY_TO(failed, st, sw_dft_create(n, &m->dft));
    for (int k = 0; k < 2; k++) {
        SW_TRY_TO(failed, st, sw_alloc((size_t)m->dft.length, &m->re[k]));
        SW_TRY_TO(failed, st, sw_alloc((size_t)m->dft.length, &m->im[k]));
    }
    SW_TRY_TO(failed, st, sw_alloc((size_t)n, &m->slope));
    SW_TRY_TO(failed, st, sw_alloc((size_t)n, &m->term));
    *measure = m;
    return SW_OK;
failed:
    sw_measure_destroy(&m);
    return st;
}

void sw_measure_destroy(struct sw_measure **measure)
{
    struct sw_measure *m = measure ? *measure : NULL;
    if (!m) return;
    sw_dft_destroy(&m->dft);
    for (int k = 0; k < 2; k++) {
        sw_free(m->re[k]);
        sw_free(m->im[k]);
    }
    sw_free(m->slope);
    sw_free(m->term);
    sw_free(m);
    *measure = NULL;
}

size_t sw_measure_bytes(int n)
{
    return (sw_dft_numbers(n) + 4 * (size_t)sw_spectrum_length(n) + 2 * (size_t)n) * sizeof(double);
}

const double *sw_measure_slopes(struct sw_measure *m, const double *u, double dx)
{
    int n = m->n;
    double half = 0.5 / dx;
    m->slope[0] = sw_measure_slope(u[n - 1], u[1], half);
    for (int i = 1; i < n - 1; i++) m->slope[i] = sw_measure_slope(u[i - 1], u[i + 1], half);
    m->slope[n - 1] = sw_measure_slope(u[n - 2], u[0], half);
    return m->slope;
}

/* In the order that measure_point.h fixes. */
static double sum(int n, const double *term)
{
    double lane[SW_SUM_LANES] = {0};
    for (int base = 0; base < n; base += SW_SUM_LANES) {
        int width = n - base < SW_SUM_LANES ? n - base : SW_SUM_LANES;
        for (int l = 0; l < width; l++) lane[l] += term[base + l];
    }
    for (int w = SW_SUM_LANES / 2; w; w /= 2)
        for (int l = 0; l < w; l++) lane[l] += lane[l + w];
    return lane[0];
}

static double domain_length(struct sw_measure *m, const double *u, double dx, double least, double most, double noise)
{
    int n = m->n, half = n / 2, at = sw_dft_run(&m->dft, u, m->re, m->im);
    const double *re = m->re[at] + 1, *im = m->im[at] + 1;  /* from wave number 1 on */
    double power, moment;
    for (int k = 0; k < half; k++) m->term[k] = re[k] * re[k] + im[k] * im[k];
    power = sum(half, m->term);
    for (int k = 0; k < half; k++) m->term[k] *= k + 1.0;
    moment = sum(half, m->term);
    return sw_measure_domain_length(n * dx, power, moment, least, most, noise);
}

void sw_measure_line(struct sw_measure *m, const double *u, double dx, double noise, const double *density,
                     double out[SW_LINE_SCALARS])
{
    double least = u[0], most = u[0];
    for (int i = 1; i < m->n; i++) {
        if (u[i] < least) least = u[i];
        if (u[i] > most) most = u[i];
    }
    out[SW_MASS] = dx * sum(m->n, u);
    out[SW_ENERGY] = density ? dx * sum(m->n, density) : NAN;
    out[SW_MIN] = least;
    out[SW_MAX] = most;
    out[SW_DOMAIN_LENGTH] = domain_length(m, u, dx, least, most, noise);
}
