/* Steps of a run's own by cpu.plain (own_steps_point.h). */
#include <math.h>
#include <string.h>

#include "problem/line/stepper/fourth_order.h"
#include "problem/line/plain/plain_step.h"

/* The largest |P u_t| of each unknown at t = 0. */
static void rates_at_begin(const struct sw_plain_step *k, const double *const u[SW_UNKNOWNS_MOST],
                           double rate[SW_UNKNOWNS_MOST])
{
    const struct sw_stepper_desc *d = &k->s->desc;
    const double gamma = sw_imex_of(d->model.scheme)->gamma;
    struct sw_plain_stage *at = k->w->stage[0];
    double *f = k->w->next[0];
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) at[v].ends = sw_plain_ends_at(k, v, 0);
    sw_plain_set_stage(k, 0, u);
    sw_plain_evaluate_stage(k, 0, 0, 0);
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        const struct sw_line_mass *p = &d->model.mass[v];
        memset(f, 0, (size_t)d->n * sizeof *f);
        sw_line_add_operator(&k->run->a[v], d->n, 1.0 / gamma, at[v].u + SW_REACH, f);
        if (at[v].g) sw_line_add_second_difference(k->run, sw_line_mass_of_g(p), d->n, at[v].g + SW_REACH, f);
        if (at[v].s && sw_line_has_mass(p)) sw_line_multiply_mass(p, d->n, k->w->room, at[v].s);
        for (int c = 0; at[v].s && c < d->n; c++) f[c] += at[v].s[c];
        rate[v] = sw_line_largest(d->n, f);
    }
}

/* The matrices of a step; one without a pivot solves to NaN, and the step is refused. */
static void factor_own(const struct sw_plain_step *k)
{
    const int unknowns = sw_line_unknowns(&k->s->desc.model);
    struct sw_line_matrix matrix[SW_UNKNOWNS_MOST];
    int bad[SW_UNKNOWNS_MOST];
    if (k->w->factored == k->run->dt) return;
    for (int v = 0; v < unknowns; v++)
        matrix[v] = (struct sw_line_matrix){.a = k->run->a[v], .mass = k->s->desc.model.mass[v], .of = v,
                                            .ends = {k->s->desc.model.end[0][v].kind, k->s->desc.model.end[1][v].kind}};
    sw_line_bands(k->w->band, matrix, k->w->matrix);
    sw_band_factor(k->w->band, k->w->matrix, bad);
    k->w->factored = k->run->dt;
}

/* With P the estimated error is P times that of u: the embedded solution would want a solve of its own, and P is
 * between 2/15 and 1, near 1 for what the points resolve. */
static void error_with_mass(const struct sw_plain_step *k, int v, const struct sw_imex *m, double *e)
{
    double explicit_part[SW_IMEX_STAGES], implicit_part[SW_IMEX_STAGES];
    for (int i = 0; i < m->stages; i++) {
        explicit_part[i] = m->b_explicit[i] - m->embedded_explicit[i];
        implicit_part[i] = m->b_implicit[i] - m->embedded_implicit[i];
    }
    memset(e, 0, (size_t)k->s->desc.n * sizeof *e);
    sw_plain_add_stages(k, m->stages, v, explicit_part, implicit_part, m->gamma, e);
}

/* What G and N are by time alone, where the method has a second quadrature rule: at the times of all its stages, of the
 * unknowns of the last one that has an N. The errors of the step are known, so that its values may be overwritten.
 * @param error  [unknowns]: made larger where this is */
static void look_by_time(const struct sw_plain_step *k, double error[SW_UNKNOWNS_MOST])
{
    struct sw_imex_stages m;
    const int n = k->s->desc.n;
    double *e = k->w->embedded;
    bool any = false;
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) any |= k->s->steep[0][v] || k->s->steep[1][v];
    if (!any) return;
    sw_imex_stages_of(k->s->desc.model.scheme, &m);
    const int at = sw_imex_valued(&m) - 1;
    for (int i = 0; i < m.count; i++)
        if (i != at) sw_plain_evaluate_stage(k, at, sw_plain_time_of_stage(k, m.time[i]), i);
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        const struct sw_line_ends *at_end = &k->w->stage[at][v].ends;
        const struct sw_line_ends none = {.there = at_end->there, .value = {at_end->value[0], at_end->value[1]}};
        memset(e, 0, (size_t)n * sizeof *e);
        sw_plain_add_explicit(k, m.count, v, m.of_time, k->s->steep[0][v], k->s->steep[1][v], e);
        sw_line_set_values(&none, n, e);  /* where u is given */
        error[v] = sw_own_steps_with_time(error[v], sw_line_largest(n, e));
    }
}

/* Take a step of the run, or leave u as it is. @param u  [unknowns][n]  @param now  where each unknown is in it */
static void attempt(const struct sw_plain_step *k, struct sw_own_run *run, double *u,
                    const double *const now[SW_UNKNOWNS_MOST])
{
    const int n = k->s->desc.n, unknowns = sw_line_unknowns(&k->s->desc.model);
    const struct sw_imex *m = sw_imex_of(k->s->desc.model.scheme);
    double size[SW_UNKNOWNS_MOST], error[SW_UNKNOWNS_MOST], *e = k->w->embedded;
    factor_own(k);
    sw_plain_imex_step(k, m, now);
    for (int v = 0; v < unknowns; v++) {
        if (sw_line_has_mass(&k->s->desc.model.mass[v])) {
            error_with_mass(k, v, m, e);
        } else {
            memcpy(e, now[v], (size_t)n * sizeof *e);
            sw_plain_add_stages(k, m->stages, v, m->embedded_explicit, m->embedded_implicit, m->gamma, e);
            sw_line_set_values(&k->w->stage[m->stages - 1][v].ends, n, e);
            for (int c = 0; c < n; c++) e[c] = k->w->next[v][c] - e[c];
        }
        error[v] = sw_line_largest(n, e);
        size[v] = sw_line_largest(n, k->w->next[v]);
    }
    look_by_time(k, error);
    if (!sw_own_run_control(k->s, error, size, run)) return;
    for (int v = 0; v < unknowns; v++) memcpy(u + v * n, k->w->next[v], (size_t)n * sizeof *u);
}

void sw_plain_advance_own(struct sw_stepper *s, struct sw_plain_worker *w, struct sw_host_worker *h, int j, int64_t to)
{
    static const int system[SW_UNKNOWNS_MOST] = {0, 1, 2, 3};
    const struct sw_plain *p = s->own;
    const double *times = s->desc.times, *now[SW_UNKNOWNS_MOST];
    struct sw_line_run line = s->run[j];
    struct sw_plain_step k = {s, w, h, &line, w->band, system, 0, 0};
    double size[SW_UNKNOWNS_MOST], rate[SW_UNKNOWNS_MOST];
    struct sw_own_run run;

    if (sw_own_steps_reached(&p->batch.steps[j], times, to)) return;
    sw_plain_begin_run(s, w, h, j, now);
    w->factored = 0;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) size[v] = sw_line_largest(s->desc.n, now[v]);
    sw_own_run_begin(s, j, size, &run);
    if (run.steps->goal == 0) {
        rates_at_begin(&k, now, rate);
        sw_own_run_first(s, j, rate, &run);
    }
    while (!run.steps->end && !sw_own_steps_reached(run.steps, times, to)) {
        sw_own_run_aim(s, &run);
        k.t = sw_own_steps_time(run.steps, times);
        line.dt = run.steps->dt;
        for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
            line.a[v] = sw_line_operator_of(&s->run[j].a[v], line.dt);
        attempt(&k, &run, sw_host_line(s, j), now);
    }
    if (run.steps->end)
        sw_host_fail(s, j, sw_own_steps_time(run.steps, times), run.steps->dt, 0, sw_own_steps_tick(run.steps, times));
}
