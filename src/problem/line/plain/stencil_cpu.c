#include "problem/line/plain/stencil_cpu.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/line/stepper/ends_point.h"
#include "problem/line/stepper/line_point.h"

void sw_line_pad(const struct sw_line_ends *e, int n, double *u)
{
    for (int k = 1; k <= SW_REACH; k++) {
        u[-k] = e->there ? sw_end_reflection(e->value[0]) * u[k] + e->beyond[0][k - 1] : u[n - k];
        u[n - 1 + k] = e->there ? sw_end_reflection(e->value[1]) * u[n - 1 - k] + e->beyond[1][k - 1] : u[k - 1];
    }
}

void sw_line_add_second_difference(const struct sw_line_run *r, double d4_factor, int n, const double *restrict g,
                                   double *restrict f)
{
    double scale = r->dt / (r->dx * r->dx);
    for (int i = 0; i < n; i++) f[i] += scale * sw_line_d2(g[i - 1], g[i], g[i + 1]);
    for (int i = 0; d4_factor != 0.0 && i < n; i++)
        f[i] += scale * d4_factor * sw_line_d4(g[i - 2], g[i - 1], g[i], g[i + 1], g[i + 2]);
}

void sw_line_multiply_mass(const struct sw_line_mass *p, int n, double *restrict room, double *restrict f)
{
    double *u = room + SW_REACH;
    memcpy(u, f, (size_t)n * sizeof *f);
    sw_line_pad(&(struct sw_line_ends){0}, n, u);
    for (int i = 0; i < n; i++) f[i] = sw_line_mass_times(p, u[i - 2], u[i - 1], u[i], u[i + 1], u[i + 2]);
}

void sw_line_add_operator(const struct sw_line_operator *a, int n, double scale, const double *restrict u,
                          double *restrict f)
{
    for (int i = 0; i < n; i++) f[i] += scale * sw_line_apply(a, u[i - 2], u[i - 1], u[i], u[i + 1], u[i + 2]);
}

void sw_line_set_values(const struct sw_line_ends *e, int n, double *u)
{
    if (e->there && e->value[0]) u[0] = e->first[0];
    if (e->there && e->value[1]) u[n - 1] = e->first[1];
}

bool sw_line_is_finite(size_t n, const double *u)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) bad |= !(fabs(u[i]) <= DBL_MAX);
    return !bad;
}

static int compare(const struct sw_line_matrix *x, const struct sw_line_matrix *y)
{
    const double a[] = {x->a.s4, x->a.s2, x->a.s0, x->a.s1, x->a.s3, x->ends[0], x->ends[1], x->mass.d2, x->mass.d4};
    const double b[] = {y->a.s4, y->a.s2, y->a.s0, y->a.s1, y->a.s3, y->ends[0], y->ends[1], y->mass.d2, y->mass.d4};
    for (size_t k = 0; k < sizeof a / sizeof *a; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int by_coefficients(const void *a, const void *b)
{
    const struct sw_line_matrix *x = a, *y = b;
    const int order = compare(x, y);
    return order ? order : x->of - y->of;
}

int sw_line_matrices(int count, const struct sw_line_model *model, const struct sw_line_run *run,
                     const char *const *load_error, struct sw_line_matrix *matrix, int *system)
{
    const int unknowns = sw_line_unknowns(model);
    int sound = 0, different = 0;
    for (int j = 0; j < count; j++)
        for (int v = 0; v < unknowns; v++) {
            const int of = j * unknowns + v;
            system[of] = -1;
            if (load_error[j]) continue;
            matrix[sound++] = (struct sw_line_matrix){.a = run[j].a[v], .mass = model->mass[v], .of = of,
                                                      .ends = {model->end[0][v].kind, model->end[1][v].kind}};
        }
    qsort(matrix, (size_t)sound, sizeof *matrix, by_coefficients);
    for (int k = 0; k < sound; k++) {
        const struct sw_line_matrix m = matrix[k];
        if (!different || compare(&m, &matrix[different - 1])) matrix[different++] = m;
        system[m.of] = different - 1;
    }
    return different;
}

void sw_line_bands(const struct sw_band *solver, const struct sw_line_matrix *matrix, double *band)
{
    const struct sw_band_desc *d = sw_band_shape(solver);
    size_t vector = sw_band_vector(solver);
    for (int k = 0; k < d->batch; k++) {
        double row[SW_NEIGHBOURS], at[SW_NEIGHBOURS], *line = band + (size_t)k * (size_t)d->ld;
        const struct sw_line_operator a = sw_line_matrix_of(&matrix[k].a, &matrix[k].mass);
        sw_line_row(&a, row);
        for (int i = 0; i < d->n; i++) {
            sw_end_row((int)matrix[k].ends[0], (int)matrix[k].ends[1], d->n, i, row, at);
            for (size_t r = 0; r < SW_NEIGHBOURS; r++) line[r * vector + (size_t)i] = at[r];
        }
    }
}
