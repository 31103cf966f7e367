#include "stepper/measure.h"

#include <math.h>

#include "base/sw_mem.h"
#include "stepper/measure_point.h"
#include "stepper/spectrum_point.h"

struct sw_measure {
    int     n, passes, radix[SW_MAX_PASSES];
    double *cosine, *sine;   /* [n]                                    */
    double *re[2], *im[2];   /* [n]: the spectrum, before and after a pass */
    double *slope, *term;    /* [n]                                    */
};

enum sw_status sw_measure_create(int n, struct sw_measure **measure)
{
    enum sw_status st;
    struct sw_measure *m = NULL;
    size_t room = (size_t)n;

    *measure = NULL;
    SW_TRY(sw_alloc(1, &m));
    m->n = n;
    m->passes = sw_spectrum_passes(n, m->radix);
    double **array[] = {&m->cosine, &m->sine, &m->re[0], &m->re[1], &m->im[0], &m->im[1], &m->slope, &m->term};
    for (int k = 0; k < 8; k++) SW_TRY_TO(failed, st, sw_alloc(room, array[k]));
    sw_measure_circle(n, m->cosine, m->sine);
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
    double *array[] = {m->cosine, m->sine, m->re[0], m->re[1], m->im[0], m->im[1], m->slope, m->term};
    for (int k = 0; k < 8; k++) sw_free(array[k]);
    sw_free(m);
    *measure = NULL;
}

void sw_measure_circle(int n, double *cosine, double *sine)
{
    const double two_pi = 6.283185307179586476925286766559;
    for (int i = 0; i < n; i++) {
        cosine[i] = cos(two_pi * i / n);
        sine[i] = sin(two_pi * i / n);
    }
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

static void pass_of_four(struct sw_measure *m, int done, int in)
{
    const double *cosine = m->cosine, *sine = m->sine, *re = m->re[in], *im = m->im[in];
    double *out_re = m->re[!in], *out_im = m->im[!in];
    int n = m->n, rest = n / (4 * done);
    for (int k = 0; k < done; k++)
#pragma omp simd
        for (int j = 0; j < rest; j++)
            sw_spectrum_four(n, rest, k, j, cosine, sine, re, im, out_re, out_im);
}

static void pass_of_any(struct sw_measure *m, int done, int radix, int in)
{
    int n = m->n, rest = n / (done * radix);
    for (int k = 0, low = 0; k < done * radix; k++, low = low + 1 < done ? low + 1 : 0)
        for (int j = 0; j < rest; j++)
            sw_spectrum_point(n, radix, rest, k, low, j, m->cosine, m->sine, m->re[in], m->im[in],
                              &m->re[!in][k * rest + j], &m->im[!in][k * rest + j]);
}

/* @return which of re[], im[] holds the spectrum */
static int transform(struct sw_measure *m, const double *u)
{
    int n = m->n, in = 0, done = 1;
    for (int i = 0; i < n; i++) {
        m->re[0][i] = u[i] - u[0];
        m->im[0][i] = 0.0;
    }
    for (int p = 0; p < m->passes; done *= m->radix[p++], in = !in) {
        if (m->radix[p] == 4) pass_of_four(m, done, in);
        else pass_of_any(m, done, m->radix[p], in);
    }
    return in;
}

static double domain_length(struct sw_measure *m, const double *u, double dx)
{
    int n = m->n, half = n / 2, at = transform(m, u);
    const double *re = m->re[at] + 1, *im = m->im[at] + 1;  /* from wave number 1 on */
    double power, moment;
    for (int k = 0; k < half; k++) m->term[k] = re[k] * re[k] + im[k] * im[k];
    power = sum(half, m->term);
    for (int k = 0; k < half; k++) m->term[k] *= k + 1.0;
    moment = sum(half, m->term);
    return sw_measure_domain_length(n * dx, power, moment);
}

void sw_measure_line(struct sw_measure *m, const double *u, double dx, const double *density,
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
    out[SW_DOMAIN_LENGTH] = domain_length(m, u, dx);
}
