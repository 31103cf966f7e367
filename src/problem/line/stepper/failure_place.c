/* Where on its line a run failed (sw_stepper_impl.h). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/stepper/line_point.h"
#include "problem/line/plain/stencil_cpu.h"
#include "problem/line/stepper/sw_stepper_impl.h"

struct search {
    const struct sw_stepper *s;
    int     j, n;
    double  most;         /* largest finite number of the steps */
    double *u, *x, *g, *rate;  /* [unknowns][n + 2 SW_REACH], [n], [n + 2 SW_REACH], [n] */
    double  largest;      /* so far, of a rate */
    struct sw_failure_place *place;
};

static double *line_of(const struct search *q, int v)
{
    return q->u + (size_t)v * (size_t)(q->n + 2 * SW_REACH) + SW_REACH;
}

/* Values given at ends are those of the state, and slopes 0: only what is beyond an end depends on it. */
static struct sw_line_ends ends_of(const struct search *q, int v, const double *u)
{
    struct sw_line_ends e = {.there = sw_line_ended(&q->s->desc.model)};
    for (int side = 0; side < 2 && e.there; side++) {
        e.value[side] = q->s->desc.model.end[side][v].kind == SW_END_VALUE;
        for (int k = 0; k < SW_REACH; k++) e.beyond[side][k] = e.value[side] ? 2.0 * u[side ? q->n - 1 : 0] : 0.0;
    }
    return e;
}

/* A program at all points. @return false: memory is out */
static bool values_of(const struct search *q, const struct sw_program *program, double t, int64_t number, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = q->x};
    struct sw_eval *eval = NULL;
    if (sw_eval_create(program, q->n, &eval)) return false;
    sw_eval_run(eval, q->s->param + q->j, q->s->count);
    sw_eval_cells(eval, q->n, in);
    for (int v = 0; v < sw_line_unknowns(&q->s->desc.model); v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++) in[sw_input_at(v, o)] = line_of(q, v) + o;
    sw_eval_step(eval, t, number);
    sw_eval_points(eval, q->n, in, out);
    sw_eval_destroy(&eval);
    return true;
}

/* Whether some of n values are not finite: then the place is found. Where u is given, nobody asks for its equation. */
static bool is_infinite(const struct search *q, int v, const double *value)
{
    const double *u = line_of(q, v);
    const struct sw_line_model *m = &q->s->desc.model;
    const int from = m->end[0][v].kind == SW_END_VALUE, to = q->n - (m->end[1][v].kind == SW_END_VALUE);
    struct sw_failure_place p = {.infinite = true, .unknown = v};
    for (int i = from; i < to; i++) {
        if (fabs(value[i]) <= q->most) continue;
        if (!p.known) p.first = p.at = i;
        if (fabs(u[i]) > fabs(u[p.at])) p.at = i;
        p.known = true;
        p.last = i;
    }
    if (p.known) *q->place = p;
    return p.known;
}

static bool look_at(struct search *q, int v, double t, int64_t number)
{
    const struct sw_line_model *m = &q->s->desc.model;
    const double dx = q->s->run[q->j].dx;
    double *g = q->g + SW_REACH;
    memset(q->rate, 0, (size_t)q->n * sizeof *q->rate);
    if (m->explicit_term[v] &&
        (!values_of(q, m->explicit_term[v], t, number, q->rate) || is_infinite(q, v, q->rate)))
        return true;
    if (m->g[v]) {
        if (!values_of(q, m->g[v], t, number, g) || is_infinite(q, v, g)) return true;
        const struct sw_line_ends ends = ends_of(q, v, g);
        sw_line_pad(&ends, q->n, g);
        for (int i = 0; i < q->n; i++) q->rate[i] += sw_line_d2(g[i - 1], g[i], g[i + 1]) / (dx * dx);
    }
    for (int i = 0; i < q->n; i++) {
        if (!(fabs(q->rate[i]) > q->largest)) continue;
        q->largest = fabs(q->rate[i]);
        *q->place = (struct sw_failure_place){.known = true, .unknown = v, .first = i, .last = i, .at = i};
    }
    return false;
}

static void search(struct search *q, const double *u, double t, double dt, int64_t number)
{
    const struct sw_line_run *run = &q->s->run[q->j];
    const struct sw_imex *method = sw_imex_of(q->s->desc.model.scheme);
    const int unknowns = sw_line_unknowns(&q->s->desc.model), stages = method ? method->stages - method->last : 1;
    for (int i = 0; i < q->n; i++) q->x[i] = run->x0 + i * run->dx;
    for (int v = 0; v < unknowns; v++) {
        const struct sw_line_ends ends = ends_of(q, v, u + (size_t)v * (size_t)q->n);
        memcpy(line_of(q, v), u + (size_t)v * (size_t)q->n, (size_t)q->n * sizeof *u);
        sw_line_pad(&ends, q->n, line_of(q, v));
    }
    for (int i = 0; i < stages; i++)
        for (int v = 0; v < unknowns; v++)
            if (look_at(q, v, t + (method ? method->c[i] : 0.5) * dt, number)) return;
}

void sw_line_find_place(const struct sw_stepper *s, int j, const double *u, double t, double dt, int64_t number,
                        struct sw_failure_place *place)
{
    const size_t n = (size_t)s->desc.n, padded = n + 2 * SW_REACH, unknowns = (size_t)sw_line_unknowns(&s->desc.model);
    struct search q = {.s = s, .j = j, .n = s->desc.n, .most = s->desc.single_steps ? (double)FLT_MAX : DBL_MAX,
                       .place = place};
    *place = (struct sw_failure_place){0};
    if (!sw_alloc(unknowns * padded, &q.u) && !sw_alloc(n, &q.x) && !sw_alloc(padded, &q.g) && !sw_alloc(n, &q.rate))
        search(&q, u, t, dt, number);
    sw_free(q.u);
    sw_free(q.x);
    sw_free(q.g);
    sw_free(q.rate);
}

void sw_line_find_first_place(const struct sw_stepper_desc *desc, const struct sw_line_run *run, const double *param,
                              const double *u, struct sw_failure_place *place)
{
    struct sw_line_run one = *run;
    struct sw_stepper s = {.desc = *desc, .count = 1, .run = &one};
    *place = (struct sw_failure_place){0};
    if (sw_alloc((size_t)desc->model.nparam, &s.param)) return;
    if (desc->model.nparam) memcpy(s.param, param, (size_t)desc->model.nparam * sizeof *param);
    sw_line_find_place(&s, 0, u, 0.0, desc->own_steps ? 0.0 : run->dt, 0, place);
    sw_free(s.param);
}
