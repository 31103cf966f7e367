#include "problem/line/stencil_cpu.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "problem/line/line_point.h"

static double wrapped(const double *v, int n, int i) { return v[i < 0 ? i + n : i >= n ? i - n : i]; }

static double explicit_at_edge(const struct sw_line_operator *a, int n, const double *u, int i)
{
    return sw_line_explicit(a->s4, a->s2, wrapped(u, n, i - 2), wrapped(u, n, i - 1), u[i], wrapped(u, n, i + 1),
                            wrapped(u, n, i + 2));
}

void sw_line_explicit_rhs(const struct sw_line_operator *a, int n, const double *restrict u, double *restrict f)
{
    double s4 = a->s4, s2 = a->s2;
    for (int i = 0; i < 2; i++) f[i] = explicit_at_edge(a, n, u, i);
    for (int i = 2; i < n - 2; i++) f[i] = sw_line_explicit(s4, s2, u[i - 2], u[i - 1], u[i], u[i + 1], u[i + 2]);
    for (int i = n - 2; i < n; i++) f[i] = explicit_at_edge(a, n, u, i);
}

void sw_line_add_second_difference(const struct sw_line_run *r, int n, const double *restrict g, double *restrict f)
{
    double scale = r->dt / (r->dx * r->dx);
    f[0] += scale * sw_line_d2(g[n - 1], g[0], g[1]);
    for (int i = 1; i < n - 1; i++) f[i] += scale * sw_line_d2(g[i - 1], g[i], g[i + 1]);
    f[n - 1] += scale * sw_line_d2(g[n - 2], g[n - 1], g[0]);
}

static double operator_at(const struct sw_line_operator *a, double left2, double left, double here, double right,
                          double right2)
{
    const double l2 = left - left2, l = here - left, r = right - here, r2 = right2 - right;
    const double before = l - l2, d2 = r - l, after = r2 - r;
    return a->s2 * d2 - a->s4 * ((after - d2) - (d2 - before)) - a->s0 * here - 0.5 * a->s1 * (r + l) -
           0.5 * a->s3 * (after - before);
}

void sw_line_add_operator(const struct sw_line_operator *a, int n, double scale, const double *restrict u,
                          double *restrict f)
{
    for (int i = 0; i < n; i++)
        f[i] += scale * operator_at(a, wrapped(u, n, i - 2), wrapped(u, n, i - 1), u[i], wrapped(u, n, i + 1),
                                    wrapped(u, n, i + 2));
}

bool sw_line_is_finite(size_t n, const double *u)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) bad |= !(fabs(u[i]) <= DBL_MAX);
    return !bad;
}

static int compare(const struct sw_line_operator *x, const struct sw_line_operator *y)
{
    const double a[] = {x->s4, x->s2, x->s0, x->s1, x->s3}, b[] = {y->s4, y->s2, y->s0, y->s1, y->s3};
    for (int k = 0; k < 5; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int by_coefficients(const void *a, const void *b)
{
    const struct sw_line_matrix *x = a, *y = b;
    const int order = compare(&x->a, &y->a);
    return order ? order : x->of - y->of;
}

int sw_line_matrices(int count, int unknowns, const struct sw_line_run *run, const char *const *load_error,
                     struct sw_line_matrix *matrix, int *system)
{
    int sound = 0, different = 0;
    for (int j = 0; j < count; j++)
        for (int v = 0; v < unknowns; v++) {
            const int of = j * unknowns + v;
            system[of] = -1;
            if (!load_error[j]) matrix[sound++] = (struct sw_line_matrix){run[j].a[v], of};
        }
    qsort(matrix, (size_t)sound, sizeof *matrix, by_coefficients);
    for (int k = 0; k < sound; k++) {
        const struct sw_line_matrix m = matrix[k];
        if (!different || compare(&m.a, &matrix[different - 1].a)) matrix[different++] = m;
        system[m.of] = different - 1;
    }
    return different;
}

void sw_line_bands(const struct sw_band *solver, const struct sw_line_matrix *matrix, double *band)
{
    const struct sw_band_desc *d = sw_band_shape(solver);
    size_t vector = sw_band_vector(solver);
    for (int k = 0; k < d->batch; k++) {
        const struct sw_line_operator *a = &matrix[k].a;
        const double s4 = a->s4, s2 = a->s2, odd = 0.5 * a->s1 - a->s3;
        double row[5] = {s4, -4.0 * s4 - s2, 1.0 + 6.0 * s4 + 2.0 * s2, -4.0 * s4 - s2, s4};
        if (a->s0 != 0.0) row[2] += a->s0;
        if (a->s1 != 0.0 || a->s3 != 0.0)
            row[0] -= 0.5 * a->s3, row[1] -= odd, row[3] += odd, row[4] += 0.5 * a->s3;
        for (int r = 0; r < 5; r++)
            for (int i = 0; i < d->n; i++) band[r * vector + (size_t)k * (size_t)d->ld + (size_t)i] = row[r];
    }
}
