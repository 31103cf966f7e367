#include "problem/fields/w_step.h"

#include <math.h>
#include <string.h>

#include "problem/line/stepper/own_steps_point.h"

/* out = u + sum_j weight_j k_j over the first `count` increments; u NULL: 0 */
static void combine(size_t numbers, const double *u, int count, const double *weight, double *const *k, double *out)
{
    if (u) memcpy(out, u, numbers * sizeof *out);
    else memset(out, 0, numbers * sizeof *out);
    for (int j = 0; j < count; j++) {
        if (weight[j] == 0.0) continue;
        const double *increment = k[j], by = weight[j];
        for (size_t c = 0; c < numbers; c++) out[c] += by * increment[c];
    }
}

/* k_i = Q (dt F + D) - D, F in k_i */
static void make_increment(const struct fields_step *s, struct fields_work *w, int i)
{
    const size_t numbers = s->points * (size_t)s->unknowns;
    double *k = w->k[i], *d = w->stage;
    combine(numbers, NULL, i, s->method->h[i], w->k, d);
    for (size_t c = 0; c < numbers; c++) k[c] = s->dt * k[c] + d[c];
    for (int v = 0; v < s->unknowns; v++)
        s->solves->solve(s->solver, v, k + (size_t)v * s->points);
    if (i > 0)
        for (size_t c = 0; c < numbers; c++) k[c] -= d[c];
}

void fields_take_step(const struct fields_step *s, struct fields_work *w, const double *u)
{
    const struct fields_method *m = s->method;
    const size_t numbers = s->points * (size_t)s->unknowns;
    for (int i = 0; i < m->stages; i++) {
        if (i > 0) combine(numbers, u, i, m->a[i], w->k, w->stage);
        s->evaluate(s->own, s->t + m->c[i] * s->dt, s->number, i > 0 ? w->stage : u, w->k[i]);
        make_increment(s, w, i);
    }
    combine(numbers, u, m->stages, m->b, w->k, w->next);
}

static double largest_of(const struct fields_step *s, int v, const double *field)
{
    const double *e = field + (size_t)v * s->points;
    double largest = 0.0;
    for (size_t c = 0; c < s->points; c++) largest = sw_own_steps_worse(largest, fabs(e[c]));
    return largest;
}

void fields_estimate_error(const struct fields_step *s, struct fields_work *w, double *error)
{
    combine(s->points * (size_t)s->unknowns, NULL, s->method->stages, s->method->e, w->k, w->stage);
    for (int v = 0; v < s->unknowns; v++) error[v] = largest_of(s, v, w->stage);
}

void fields_estimate_by_time(const struct fields_step *s, struct fields_work *w, double *error)
{
    const struct fields_method *m = s->method;
    const size_t numbers = s->points * (size_t)s->unknowns;
    double *f = w->k[0], *sum = w->stage;
    memset(sum, 0, numbers * sizeof *sum);
    for (int i = 0; i <= m->stages; i++) {
        const bool end = i == m->stages;
        const double weight = s->dt * (end ? m->q_end : m->q[i] - m->b[i]);
        s->evaluate(s->own, s->t + (end ? 1.0 : m->c[i]) * s->dt, s->number, w->next, f);
        for (size_t c = 0; c < numbers; c++) sum[c] += weight * f[c];
    }
    for (int v = 0; v < s->unknowns; v++) error[v] = sw_own_steps_with_time(error[v], largest_of(s, v, sum));
}
