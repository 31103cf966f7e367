#include "problem/fields/scalars.h"

#include <math.h>
#include <string.h>

#include "field/sum.h"
#include "problem/fields/fourier.h"

struct fields_measure {
    int64_t given[SW_DIMS];  /* points of a field                         */
    bool    walls[SW_DIMS];
    int64_t n[SW_DIMS];      /* with the mirror image, of which waves are */
    double *even;            /* it; NULL: the field itself                */
    struct fields_fourier *fourier;
};

/* With the mirror image. @return whether there is any */
static bool find_whole(const int64_t n[SW_DIMS], const bool walls[SW_DIMS], int64_t whole[SW_DIMS])
{
    for (int d = 0; d < SW_DIMS; d++) whole[d] = walls[d] ? 2 * (n[d] - 1) : n[d];
    return walls[0] || walls[1] || walls[2];
}

size_t fields_measure_bytes(const int64_t n[SW_DIMS], const bool walls[SW_DIMS])
{
    int64_t whole[SW_DIMS];
    const bool mirrored = find_whole(n, walls, whole);
    return fields_fourier_bytes(whole) + (mirrored ? (size_t)sw_points(whole) * sizeof(double) : 0);
}

enum sw_status fields_measure_create(const int64_t n[SW_DIMS], const bool walls[SW_DIMS], struct sw_owned *own,
                                     struct fields_measure **measure)
{
    struct fields_measure *m;
    sw_array(own, 1, measure);
    SW_TRY(own->status);
    m = *measure;
    memcpy(m->given, n, sizeof m->given);
    memcpy(m->walls, walls, sizeof m->walls);
    if (find_whole(n, walls, m->n)) sw_array(own, (size_t)sw_points(m->n), &m->even);
    return fields_fourier_create(m->n, own, &m->fourier);
}

void fields_measure_destroy(struct fields_measure *m)
{
    if (m) fields_fourier_destroy(m->fourier);
}

/* 2 pi over the length of the box, times the number of a wave of n points that may go either way. */
static double wave_of(const struct sw_grid *g, int d, int64_t n, int64_t k)
{
    const double number = (double)(2 * k > n ? k - n : k);
    return 6.283185307179586476925286766559 * number / ((double)n * g->dx[d]);
}

static int64_t mirrored(int64_t i, int64_t n) { return i < n ? i : 2 * (n - 1) - i; }

/* The field with its mirror image. */
static const double *make_even(struct fields_measure *m, const double *u)
{
    const int64_t *n = m->given;
    if (!m->even) return u;
    for (int64_t row = 0; row < m->n[1] * m->n[2]; row++) {
        const double *from = u + (mirrored(row / m->n[1], n[2]) * n[1] + mirrored(row % m->n[1], n[1])) * n[0];
        double *to = m->even + row * m->n[0];
        for (int64_t i = 0; i < m->n[0]; i++) to[i] = from[mirrored(i, n[0])];
    }
    return m->even;
}

static double domain_length(struct fields_measure *m, const struct sw_grid *g, const double *u)
{
    const size_t half = (size_t)m->n[0] / 2 + 1, plane = half * (size_t)m->n[1];
    double *const *wave = fields_fourier_transform(m->fourier, u[0], make_even(m, u));
    double power = 0, moment = 0;
    for (size_t c = 1; c < fields_fourier_waves(m->n); c++) {
        const int64_t k = (int64_t)(c % half), both = k == 0 || 2 * k == m->n[0] ? 1 : 2;  /* -k is not stored */
        const double x = wave_of(g, 0, m->n[0], k), y = wave_of(g, 1, m->n[1], (int64_t)(c / half) % m->n[1]),
                     z = wave_of(g, 2, m->n[2], (int64_t)(c / plane));
        const double here = (double)both * (wave[0][c] * wave[0][c] + wave[1][c] * wave[1][c]);
        power += here;
        moment += here * sqrt(x * x + y * y + z * z);
    }
    return 6.283185307179586476925286766559 * power / moment;
}

static double weight_at(bool wall, int64_t i, int64_t n) { return wall && (i == 0 || i == n - 1) ? 0.5 : 1.0; }

double fields_sum_row(const int64_t n[SW_DIMS], const bool walls[SW_DIMS], int64_t row, const double *value)
{
    const double sum = sw_sum_lanes(value, (int)n[0]), ends = value[0] + value[n[0] - 1];
    return weight_at(walls[1], row % n[1], n[1]) * weight_at(walls[2], row / n[1], n[2]) *
           (walls[0] ? sum - 0.5 * ends : sum);
}

/* Periodic fields in one sum, as long as they are. */
static double sum_of(const struct fields_measure *m, const double *u)
{
    double sum = 0;
    if (!m->even) return sw_sum_lanes(u, (int)sw_points(m->given));
    for (int64_t row = 0; row < m->given[1] * m->given[2]; row++)
        sum += fields_sum_row(m->given, m->walls, row, u + row * m->given[0]);
    return sum;
}

void fields_measure(struct fields_measure *m, int axes, const struct sw_grid *g, const double *u,
                    double out[SW_LINE_SCALARS])
{
    const size_t points = (size_t)sw_points(m->given);
    double volume = 1, least = u[0], greatest = u[0];
    for (int d = 0; d < axes; d++) volume *= g->dx[d];
    for (size_t c = 1; c < points; c++) {
        least = u[c] < least ? u[c] : least;
        greatest = u[c] > greatest ? u[c] : greatest;
    }
    out[SW_MASS] = volume * sum_of(m, u);
    out[SW_ENERGY] = NAN;
    out[SW_MIN] = least;
    out[SW_MAX] = greatest;
    /* constant but for rounding: it has no waves */
    out[SW_DOMAIN_LENGTH] = greatest - least > 1e-13 * fmax(fabs(least), fabs(greatest)) ? domain_length(m, g, u) : NAN;
}
