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
        fields_product_solve(&s->product[v], w->room, k + (size_t)v * s->points);
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

void fields_estimate_error(const struct fields_step *s, struct fields_work *w, double *error)
{
    combine(s->points * (size_t)s->unknowns, NULL, s->method->stages, s->method->e, w->k, w->stage);
    for (int v = 0; v < s->unknowns; v++) {
        const double *e = w->stage + (size_t)v * s->points;
        error[v] = 0.0;
        for (size_t c = 0; c < s->points; c++) error[v] = sw_own_steps_worse(error[v], fabs(e[c]));
    }
}
