#include "problem/line/plain_step.h"

#include <string.h>

#include "problem/line/ends_point.h"
#include "problem/line/line_point.h"

static double time_of_stage(const struct sw_plain_step *k, double c)
{
    return k->s->desc.own_steps ? k->t + c * k->run->dt : ((double)k->number + c) * k->run->dt;
}

/* The values of N at the points of a stage. */
static void evaluate(const struct sw_plain_step *k, int stage, struct sw_eval *eval, double t, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = k->h->x};
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++)
            in[sw_input_at(v, o)] = k->w->stage[stage][v].u + SW_REACH + o;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, k->s->desc.n, in, out);
}

/* The values of G, which sees its unknown alone, with a point beyond either end. */
static void evaluate_g(const struct sw_plain_step *k, struct sw_plain_stage *at, int v, struct sw_eval *eval, double t)
{
    const int n = k->s->desc.n, beyond = at->ends.there;
    const double *in[SW_INPUTS] = {[SW_IN_X] = k->h->x};
    in[sw_input_at(v, 0)] = at->u + SW_REACH - beyond;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, n + 2 * beyond, in, at->g + 1 - beyond);
    if (!beyond) at->g[0] = at->g[n], at->g[n + 1] = at->g[1];
}

static double value_at_end(const struct sw_plain_step *k, struct sw_eval *eval, double t)
{
    const double *in[SW_INPUTS] = {NULL};
    double value = 0.0;
    if (!eval) return value;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, 1, in, &value);
    return value;
}

/* The conditions at the ends of an unknown at time t. */
struct sw_line_ends sw_plain_ends_at(const struct sw_plain_step *k, int v, double t)
{
    const struct sw_line_model *m = &k->s->desc.model;
    const double dx = k->run->dx;
    struct sw_line_ends e = {.there = m->end[0][v].kind != SW_END_PERIODIC};
    for (int side = 0; side < 2 && e.there; side++) {
        e.value[side] = m->end[side][v].kind == SW_END_VALUE;
        e.first[side] = value_at_end(k, k->w->end[side][v][0], t);
        const double second = value_at_end(k, k->w->end[side][v][1], t);
        for (int far = 1; far <= SW_REACH; far++)
            e.beyond[side][far - 1] = sw_end_beyond(e.value[side], side, far, dx, e.first[side], second);
    }
    return e;
}

/* Set the unknowns of a stage, with points beyond the ends as its `ends` say. */
void sw_plain_set_stage(const struct sw_plain_step *k, int stage, const double *const u[SW_UNKNOWNS_MOST])
{
    const int n = k->s->desc.n;
    struct sw_plain_stage *at = k->w->stage[stage];
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        memcpy(at[v].u + SW_REACH, u[v], (size_t)n * sizeof *u[v]);
        sw_line_pad(&at[v].ends, n, at[v].u + SW_REACH);
    }
}

/* What G and N are at a stage. */
void sw_plain_evaluate_stage(const struct sw_plain_step *k, int stage, double t)
{
    struct sw_plain_stage *at = k->w->stage[stage];
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        if (at[v].g) evaluate_g(k, &at[v], v, k->w->g[v], t);
        if (at[v].s) evaluate(k, stage, k->w->s[v], t, at[v].s);
    }
}

/* w->sum = the sum of weight[i] times array i, of n numbers, of the stages before one; NULL: no weight is but 0. */
static const double *combine(const struct sw_plain_step *k, int n, int before, const double *weight,
                             double *const *array)
{
    double *sum = k->w->sum;
    bool begun = false;
    for (int i = 0; i < before; i++) {
        if (weight[i] == 0.0) continue;
        for (int c = 0; c < n; c++) sum[c] = begun ? sum[c] + weight[i] * array[i][c] : weight[i] * array[i][c];
        begun = true;
    }
    return begun ? sum : NULL;
}

/* f += dt sum_i (explicit_i N_i + implicit_i L U_i), of unknown v and the stages before one. */
void sw_plain_add_stages(const struct sw_plain_step *k, int before, int v, const double *explicit_part,
                         const double *implicit_part, double gamma, double *f)
{
    const struct sw_line_run *r = k->run;
    const int n = k->s->desc.n;
    double *g[SW_IMEX_STAGES], *s[SW_IMEX_STAGES], *l[SW_IMEX_STAGES];
    const double *sum;
    for (int i = 0; i < before; i++) {
        const struct sw_plain_stage *at = &k->w->stage[i][v];
        g[i] = at->g, s[i] = at->s, l[i] = at->l;
    }
    if (k->w->g[v] && (sum = combine(k, n + 2, before, explicit_part, g)))
        sw_line_add_second_difference(r, n, sum + 1, f);
    if (k->w->s[v] && (sum = combine(k, n, before, explicit_part, s)))
        for (int c = 0; c < n; c++) f[c] += r->dt * sum[c];
    if ((sum = combine(k, n, before, implicit_part, l)))
        for (int c = 0; c < n; c++) f[c] += sum[c] / gamma;
}

/* Solve for a stage, into next, and keep gamma dt L U = U - its right-hand side, which has no more rounding than U. */
static void solve_stage(const struct sw_plain_step *k, const struct sw_imex *m, int stage, int v)
{
    const int n = k->s->desc.n;
    struct sw_plain_stage *at = &k->w->stage[stage][v];
    double *f = k->w->next[v];
    memcpy(f, k->w->stage[0][v].u + SW_REACH, (size_t)n * sizeof *f);
    sw_plain_add_stages(k, stage, v, m->explicit_part[stage], m->implicit_part[stage], m->gamma, f);
    for (int c = 0; c < n; c++) at->l[c] = -f[c];
    sw_line_impose_ends(&k->run->a[v], &at->ends, n, f);
    sw_band_solve_one(k->band, k->system[v], f);
    for (int c = 0; c < n; c++) at->l[c] += f[c];
}

/* gamma dt L u^n. */
static void apply_operators(const struct sw_plain_step *k)
{
    const int n = k->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        struct sw_plain_stage *at = &k->w->stage[0][v];
        memset(at->l, 0, (size_t)n * sizeof *at->l);
        sw_line_add_operator(&k->run->a[v], n, 1.0, at->u + SW_REACH, at->l);
    }
}

/* From u to w->next. */
void sw_plain_imex_step(const struct sw_plain_step *k, const struct sw_imex *m, const double *const u[SW_UNKNOWNS_MOST])
{
    const int n = k->s->desc.n, unknowns = sw_line_unknowns(&k->s->desc.model);
    for (int i = 0; i < m->stages; i++) {
        const double t = time_of_stage(k, m->c[i]);
        for (int v = 0; v < unknowns; v++) k->w->stage[i][v].ends = sw_plain_ends_at(k, v, t);
        for (int v = 0; i > 0 && v < unknowns; v++) solve_stage(k, m, i, v);
        if (i == m->stages - 1 && m->last) break;
        sw_plain_set_stage(k, i, i > 0 ? (const double *const *)k->w->next : u);
        if (i == 0 && m->first) apply_operators(k);
        sw_plain_evaluate_stage(k, i, t);
    }
    for (int v = 0; !m->last && v < unknowns; v++) {
        memcpy(k->w->next[v], u[v], (size_t)n * sizeof(double));
        sw_plain_add_stages(k, m->stages, v, m->b_explicit, m->b_implicit, m->gamma, k->w->next[v]);
        sw_line_set_values(&k->w->stage[m->stages - 1][v].ends, n, k->w->next[v]);
    }
}

/* (I + gamma dt L) u + dt N with L of the orders 2 and 4, and N at half the step (cuPentBatch, eq. 7c). */
void sw_plain_crank_nicolson_step(const struct sw_plain_step *k, const double *const u[SW_UNKNOWNS_MOST])
{
    const struct sw_line_run *r = k->run;
    struct sw_plain_stage *at = k->w->stage[0];
    const int n = k->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++)
        at[v].ends = sw_plain_ends_at(k, v, sw_line_time(1.0, k->number, r->dt));
    sw_plain_set_stage(k, 0, u);
    sw_plain_evaluate_stage(k, 0, sw_line_time(0.5, k->number, r->dt));
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        const struct sw_line_ends after = sw_plain_ends_at(k, v, sw_line_time(0.0, k->number, r->dt));
        double *f = k->w->next[v];
        sw_line_explicit_rhs(&r->a[v], n, at[v].u + SW_REACH, f);
        if (at[v].g) sw_line_add_second_difference(r, n, at[v].g + 1, f);
        for (int i = 0; at[v].s && i < n; i++) f[i] += r->dt * at[v].s[i];
        sw_line_impose_ends(&r->a[v], &after, n, f);
        sw_band_solve_one(k->band, k->system[v], f);
    }
}

/* Where the unknowns of a run are, and what its programs compute once. */
void sw_plain_begin_run(struct sw_stepper *s, struct sw_plain_worker *w, struct sw_host_worker *h, int j,
                        const double *now[SW_UNKNOWNS_MOST])
{
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        now[v] = sw_host_line(s, j) + (size_t)v * (size_t)s->desc.n;
        if (w->g[v]) sw_host_begin_run(s, h, w->g[v], j);
        if (w->s[v]) sw_host_begin_run(s, h, w->s[v], j);
        for (int k = 0; k < 4; k++)
            if (w->end[k / 2][v][k % 2]) sw_eval_run(w->end[k / 2][v][k % 2], s->param + j, s->count);
    }
}
