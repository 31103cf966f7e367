#include "problem/line/measure.h"

#include <math.h>

#include "base/sw_mem.h"
#include "field/sum.h"
#include "field/dft.h"
#include "problem/line/measure_point.h"

struct sw_measure {
    int     n;
    struct sw_dft dft;
    double *re[2], *im[2];   /* [dft.length]: the spectrum, before and after a pass */
    double *first_derivative, *second_derivative;  /* [n] u_x, u_xx                                       */
    double *room;            /* [n]                                                 */
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
    SW_TRY_TO(failed, st, sw_alloc((size_t)n, &m->first_derivative));
    SW_TRY_TO(failed, st, sw_alloc((size_t)n, &m->room));
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

size_t sw_measure_bytes(int n)
{
    return (sw_dft_numbers(n) + 4 * (size_t)sw_spectrum_length(n) + 3 * (size_t)n) * sizeof(double);
}

const double *sw_measure_first_derivative(struct sw_measure *m, const double *u, double dx)
{
    int n = m->n;
    double half = 0.5 / dx;
    m->first_derivative[0] = sw_first_derivative_at(u[n - 1], u[1], half);
    for (int i = 1; i < n - 1; i++) m->first_derivative[i] = sw_first_derivative_at(u[i - 1], u[i + 1], half);
    m->first_derivative[n - 1] = sw_first_derivative_at(u[n - 2], u[0], half);
    return m->first_derivative;
}

const double *sw_measure_second_derivative(struct sw_measure *m, const double *u, double dx)
{
    int n = m->n;
    double scale = 1.0 / (dx * dx);
    m->second_derivative[0] = sw_second_derivative_at(u[n - 1], u[0], u[1], scale);
    for (int i = 1; i < n - 1; i++) m->second_derivative[i] = sw_second_derivative_at(u[i - 1], u[i], u[i + 1], scale);
    m->second_derivative[n - 1] = sw_second_derivative_at(u[n - 2], u[n - 1], u[0], scale);
    return m->second_derivative;
}

/* The sums that rows of the kind SPECTRUM are formed of. */
static void measure_spectrum(struct sw_measure *m, const double *line, double *power, double *moment)
{
    const int half = m->n / 2, at = sw_dft_run(&m->dft, line, m->re, m->im);
    const double *re = m->re[at] + 1, *im = m->im[at] + 1;  /* from wave number 1 on */
    for (int k = 0; k < half; k++) m->room[k] = re[k] * re[k] + im[k] * im[k];
    *power = sw_sum_lanes(m->room, half);
    for (int k = 0; k < half; k++) m->room[k] *= k + 1.0;
    *moment = sw_sum_lanes(m->room, half);
}

/* What becomes of a row of the table, by its kind. Terms are added to lanes as sw_sum_lanes() adds them. */
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
    const double least = totals[SW_MIN], greatest = totals[SW_MAX];
    SW_LINE_SCALAR_TABLE(REPORT, REPORT, REPORT, REPORT, REPORT)
}
