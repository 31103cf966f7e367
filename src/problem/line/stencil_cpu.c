#include "problem/line/stencil_cpu.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "problem/line/line_point.h"

static double wrapped(const double *v, int n, int i) { return v[i < 0 ? i + n : i >= n ? i - n : i]; }

static double explicit_at_edge(const struct sw_line_run *r, int n, const double *u, int i)
{
    return sw_line_explicit(r->s4, r->s2, wrapped(u, n, i - 2), wrapped(u, n, i - 1), u[i], wrapped(u, n, i + 1),
                            wrapped(u, n, i + 2));
}

void sw_line_explicit_rhs(const struct sw_line_run *r, int n, const double *restrict u, double *restrict f)
{
    double s4 = r->s4, s2 = r->s2;
    for (int i = 0; i < 2; i++) f[i] = explicit_at_edge(r, n, u, i);
    for (int i = 2; i < n - 2; i++) f[i] = sw_line_explicit(s4, s2, u[i - 2], u[i - 1], u[i], u[i + 1], u[i + 2]);
    for (int i = n - 2; i < n; i++) f[i] = explicit_at_edge(r, n, u, i);
}

void sw_line_add_second_difference(const struct sw_line_run *r, int n, const double *restrict g, double *restrict f)
{
    double scale = r->dt / (r->dx * r->dx);
    f[0] += scale * sw_line_d2(g[n - 1], g[0], g[1]);
    for (int i = 1; i < n - 1; i++) f[i] += scale * sw_line_d2(g[i - 1], g[i], g[i + 1]);
    f[n - 1] += scale * sw_line_d2(g[n - 2], g[n - 1], g[0]);
}

bool sw_line_is_finite(int n, const double *u)
{
    int bad = 0;
    for (int i = 0; i < n; i++) bad |= !(fabs(u[i]) <= DBL_MAX);
    return !bad;
}

static int by_coefficients(const void *a, const void *b)
{
    const struct sw_line_matrix *x = a, *y = b;
    if (x->s4 != y->s4) return x->s4 < y->s4 ? -1 : 1;
    if (x->s2 != y->s2) return x->s2 < y->s2 ? -1 : 1;
    return x->run - y->run;
}

int sw_line_matrices(int count, const struct sw_line_run *run, const char *const *load_error,
                     struct sw_line_matrix *matrix, int *system)
{
    int sound = 0, different = 0;
    for (int j = 0; j < count; j++) {
        system[j] = -1;
        if (!load_error[j]) matrix[sound++] = (struct sw_line_matrix){run[j].s4, run[j].s2, j};
    }
    qsort(matrix, (size_t)sound, sizeof *matrix, by_coefficients);
    for (int k = 0; k < sound; k++) {
        struct sw_line_matrix m = matrix[k];
        if (!different || m.s4 != matrix[different - 1].s4 || m.s2 != matrix[different - 1].s2) matrix[different++] = m;
        system[m.run] = different - 1;
    }
    return different;
}

void sw_line_bands(const struct sw_band *solver, const struct sw_line_matrix *matrix, double *band)
{
    const struct sw_band_desc *d = sw_band_shape(solver);
    size_t vector = sw_band_vector(solver);
    for (int k = 0; k < d->batch; k++) {
        double s4 = matrix[k].s4, s2 = matrix[k].s2;
        double row[5] = {s4, -4.0 * s4 - s2, 1.0 + 6.0 * s4 + 2.0 * s2, -4.0 * s4 - s2, s4};
        for (int r = 0; r < 5; r++)
            for (int i = 0; i < d->n; i++) band[r * vector + (size_t)k * (size_t)d->ld + (size_t)i] = row[r];
    }
}
