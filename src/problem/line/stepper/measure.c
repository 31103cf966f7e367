#include "problem/line/stepper/measure.h"

#include <math.h>

#include "base/sw_mem.h"
#include "field/sum.h"
#include "field/dft.h"
#include "problem/line/stepper/measure_point.h"

struct sw_measure {
    int     n;
    bool    ends;
    int     circle;          /* points of the circle that the line is, or with its mirror image if it ends: 2 (n - 1) */
    struct sw_dft dft;       /* of the circle */
    double *re[2], *im[2];   /* [dft.length]: the spectrum, before and after a pass */
    double *first_derivative, *second_derivative;  /* [n] u_x, u_xx                                       */
    double *room;            /* [circle]                                            */
};

static int circle_of(int n, bool ends) { return ends ? 2 * (n - 1) : n; }

enum sw_status sw_measure_create(int n, bool ends, struct sw_measure **measure)
{
    enum sw_status st;
    struct sw_measure *m = NULL;

    *measure = NULL;
    SW_TRY(sw_alloc(1, &m));
    m->n = n;
    m->ends = ends;
    m->circle = circle_of(n, ends);
    SW_TRY_TO(failed, st, sw_dft_create(m->circle, &m->dft));
    for (int k = 0; k < 2; k++) {
        SW_TRY_TO(failed, st, sw_alloc((size_t)m->dft.length, &m->re[k]));
        SW_TRY_TO(failed, st, sw_alloc((size_t)m->dft.length, &m->im[k]));
    }
    SW_TRY_TO(failed, st, sw_alloc((size_t)n, &m->first_derivative));
    SW_TRY_TO(failed, st, sw_alloc((size_t)m->circle, &m->room));
    SW_TRY_TO(failed, st, sw_alloc((size_t)n, &m->second_derivative));
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
    sw_free(m->first_derivative);
    sw_free(m->room);
    sw_free(m->second_derivative);
    sw_free(m);
    *measure = NULL;
}

size_t sw_measure_bytes(int n, bool ends)
{
    const int circle = circle_of(n, ends);
    return (sw_dft_numbers(circle) + 4 * (size_t)sw_spectrum_length(circle) + 2 * (size_t)n + (size_t)circle) *
           sizeof(double);
}

/* At an end from the points inside. */
static void first_derivative_at_ends(const struct sw_measure *m, const double *u, double half, double *out)
{
    const int n = m->n;
    out[0] = m->ends ? sw_first_derivative_at_end(u[0], u[1], u[2], half)
                     : sw_first_derivative_at(u[n - 1], u[1], half);
    out[n - 1] = m->ends ? -sw_first_derivative_at_end(u[n - 1], u[n - 2], u[n - 3], half)
                         : sw_first_derivative_at(u[n - 2], u[0], half);
}

const double *sw_measure_first_derivative(struct sw_measure *m, const double *u, double dx)
{
    const double half = 0.5 / dx;
    for (int i = 1; i < m->n - 1; i++) m->first_derivative[i] = sw_first_derivative_at(u[i - 1], u[i + 1], half);
    first_derivative_at_ends(m, u, half, m->first_derivative);
    return m->first_derivative;
}

static void second_derivative_at_ends(const struct sw_measure *m, const double *u, double scale, double *out)
{
    const int n = m->n;
    out[0] = m->ends ? sw_second_derivative_at_end(u[0], u[1], u[2], u[3], scale)
                     : sw_second_derivative_at(u[n - 1], u[0], u[1], scale);
    out[n - 1] = m->ends ? sw_second_derivative_at_end(u[n - 1], u[n - 2], u[n - 3], u[n - 4], scale)
                         : sw_second_derivative_at(u[n - 2], u[n - 1], u[0], scale);
}

const double *sw_measure_second_derivative(struct sw_measure *m, const double *u, double dx)
{
    const double scale = 1.0 / (dx * dx);
    for (int i = 1; i < m->n - 1; i++)
        m->second_derivative[i] = sw_second_derivative_at(u[i - 1], u[i], u[i + 1], scale);
    second_derivative_at_ends(m, u, scale, m->second_derivative);
    return m->second_derivative;
}

/* The circle whose transform is taken. */
static const double *circle_with(struct sw_measure *m, const double *line)
{
    if (!m->ends) return line;
    for (int i = 0; i < m->circle; i++) m->room[i] = line[i < m->n ? i : m->circle - i];
    return m->room;
}

/* The sums that rows of the kind SPECTRUM are formed of. */
static void measure_spectrum(struct sw_measure *m, const double *line, double *power, double *moment)
{
    const int half = m->circle / 2, at = sw_dft_run(&m->dft, circle_with(m, line), m->re, m->im);
    const double *re = m->re[at] + 1, *im = m->im[at] + 1;  /* from wave number 1 on */
    for (int k = 0; k < half; k++) m->room[k] = re[k] * re[k] + im[k] * im[k];
    *power = sw_sum_lanes(m->room, half);
    for (int k = 0; k < half; k++) m->room[k] *= k + 1.0;
    *moment = sw_sum_lanes(m->room, half);
}

/* What becomes of a row of the table, by its kind. Terms are added to lanes as sw_sum_lanes() adds them; those at ends
 * count half (the trapezoidal rule). */
#define SUM_OVER_LINE(id, name, values, term)                                                 \
    {                                                                                         \
        double lane[SW_SUM_LANES] = {0};                                                      \
        for (int base = 0; base < n; base += SW_SUM_LANES) {                                  \
            const int width = n - base < SW_SUM_LANES ? n - base : SW_SUM_LANES;              \
            for (int l = 0; l < width; l++) {                                                 \
                const double name = (values)[base + l];                                       \
                lane[l] += (term);                                                            \
            }                                                                                 \
        }                                                                                     \
        totals[id] = sw_sum_of_lanes(lane);                                                   \
        for (int end = 0; m->ends && end < 2; end++) {                                        \
            const double name = (values)[end ? n - 1 : 0];                                    \
            totals[id] -= 0.5 * (term);                                                       \
        }                                                                                     \
    }
#define SUM_UP(id, name, unit, long_name, term, value) SUM_OVER_LINE(id, u, line, term)
#define SUM_UP_DENSITY(id, name, unit, long_name, term, value)                                \
    if (!densities) totals[id] = NAN;                                                         \
    else SUM_OVER_LINE(id, density, densities, term)
#define FIRST(id, name, unit, long_name, term, value) totals[id] = (term);
#define LESS(id, name, unit, long_name, term, value) if ((term) < totals[id]) totals[id] = (term);
#define GREATER(id, name, unit, long_name, term, value) if ((term) > totals[id]) totals[id] = (term);
#define REPORT(id, name, unit, long_name, term, value)                        \
    {                                                                         \
        const double total = totals[id];                                      \
        (void)total;                                                          \
        out[id] = (value);                                                    \
    }

/* @param n  of the circle */
static void report(int n, double dx, double noise, double power, double moment, const double totals[SW_LINE_SCALARS],
                   double out[SW_LINE_SCALARS])
{
    const double least = totals[SW_MIN], greatest = totals[SW_MAX];
    SW_LINE_SCALAR_TABLE(REPORT, REPORT, REPORT, REPORT, REPORT)
}

void sw_measure_line(struct sw_measure *m, const double *line, double dx, double noise, const double *densities,
                     double out[SW_LINE_SCALARS])
{
    const int n = m->n;
    double totals[SW_LINE_SCALARS] = {0}, power, moment;
    {
        const double u = line[0];
        SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, FIRST, FIRST, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
    }
    for (int i = 1; i < n; i++) {
        const double u = line[i];
        SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, LESS, GREATER, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
    }
    SW_LINE_SCALAR_TABLE(SUM_UP, SW_LINE_NO_ROW, SW_LINE_NO_ROW, SUM_UP_DENSITY, SW_LINE_NO_ROW)
    measure_spectrum(m, line, &power, &moment);
    report(m->circle, dx, noise, power, moment, totals, out);
}
