/* The reference: the explicit side by stencils and the expression interpreter, then a band solver, one step at a time.
 *
 * Parallel over runs. A run goes through all steps of a call before the thread takes another one, so that its lines and
 * their factors stay in the cache; for that the band solvers have sw_band_solve_one(). Matrices are made and factored
 * once a batch, one for each different operator, always pentadiagonal: which runs share one changes no bit. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/batch_cpu.h"
#include "problem/line/ends_point.h"
#include "problem/line/imex.h"
#include "problem/line/line_point.h"
#include "problem/line/stencil_cpu.h"

struct stage {                 /* of an unknown                                                   */
    double *u;                 /* [n + 4], with SW_REACH points beyond either end                 */
    double *g;                 /* [n + 2] values of G, with a point beyond either end; NULL: there is none         */
    double *s;                 /* [n] values of N; NULL: there is none                            */
    double *l;                 /* [n] gamma dt L u                                                */
    struct sw_line_ends ends;  /* at its time                                                     */
};

struct worker {                /* what a thread needs besides a struct sw_host_worker */
    struct sw_eval *g[SW_UNKNOWNS_MOST], *s[SW_UNKNOWNS_MOST];
    struct sw_eval *end[2][SW_UNKNOWNS_MOST][2];  /* first and second condition, left and right; NULL: 0       */
    struct stage    stage[SW_IMEX_STAGES][SW_UNKNOWNS_MOST];
    double         *sum;       /* [n + 2] of the stages' values                                   */
    double         *next[SW_UNKNOWNS_MOST];  /* [n] right-hand side, then u of the next step                  */
    /* where runs take steps of their own */
    struct sw_band *band;      /* of the run at hand, a system for each unknown                   */
    double         *matrix;    /* its bands, while it is loaded                                   */
    double          factored;  /* the dt of its matrices; 0: not yet                              */
    double         *embedded;  /* [n] the other solution that a method has                        */
};

struct plain {
    struct sw_host_batch batch;   /* first: batch_cpu.h works on it                                     */
    char            band_row[64];
    struct sw_band *band;         /* of the batch loaded: one system for each different matrix           */
    int            *system;       /* [capacity][unknowns]: the matrix of each                     */
    int             workers;
    struct worker  *worker;
};

static const char default_band[] = "cpu.thomas";

static bool plain_fits(const struct sw_stepper_desc *desc, int sm)
{
    (void)sm;
    return !desc->single_steps;
}

static void plain_bytes(const struct sw_stepper_desc *desc, const char *band, size_t *fixed, size_t *per_run)
{
    const struct sw_imex *method = sw_imex_of(desc->model.scheme);
    size_t n = (size_t)desc->n, unknowns = (size_t)sw_line_unknowns(&desc->model);
    sw_host_bytes(desc, fixed, per_run);
    /* workers: the stages' arrays, and the programs' values */
    *fixed += (size_t)omp_get_max_threads() * n * unknowns * (6 + 4 * (size_t)(method ? method->stages : 1)) *
              sizeof(double);
    /* a matrix while it is loaded, and its factors */
    const size_t matrix = unknowns * n * (5 + (size_t)sw_band_vectors(band ? band : default_band)) * sizeof(double);
    if (desc->own_steps) *fixed += (size_t)omp_get_max_threads() * (matrix + n * sizeof(double));
    else *per_run += matrix;
}

/* ------------------------------------------------------------------ create, destroy */

/* The last stage of a method is the result where `last` is set: it has no values of G and N. */
static enum sw_status create_stage(const struct sw_stepper_desc *d, const struct worker *w, int stage, int v,
                                   struct stage *at)
{
    const struct sw_imex *method = sw_imex_of(d->model.scheme);
    const size_t n = (size_t)d->n;
    const bool valued = !method || stage < method->stages - method->last;
    SW_TRY(sw_alloc(n + 2 * SW_REACH, &at->u));
    if (w->g[v] && valued) SW_TRY(sw_alloc(n + 2, &at->g));
    if (w->s[v] && valued) SW_TRY(sw_alloc(n, &at->s));
    return sw_alloc(n, &at->l);
}

static enum sw_status make_band(struct sw_stepper *s, int systems, struct sw_band **band)
{
    const struct plain *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    const bool periodic = m->end[0][0].kind == SW_END_PERIODIC;
    const struct sw_band_desc desc = {.n = s->desc.n, .batch = systems, .lower = 2, .upper = 2, .periodic = periodic,
                                      .symmetric = periodic && !(m->orders & (1U << 1 | 1U << 3))};
    sw_band_destroy(band);
    return sw_band_create(&desc, p->band_row, s->device, band);
}

static enum sw_status create_worker(struct sw_stepper *s, struct worker *w)
{
    const struct sw_stepper_desc *d = &s->desc;
    const struct sw_imex *method = sw_imex_of(d->model.scheme);
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        if (d->model.g[v]) SW_TRY(sw_eval_create(d->model.g[v], d->n + 2, &w->g[v]));
        if (d->model.s[v]) SW_TRY(sw_eval_create(d->model.s[v], d->n, &w->s[v]));
        for (int i = 0; i < (method ? method->stages : 1); i++) SW_TRY(create_stage(d, w, i, v, &w->stage[i][v]));
        SW_TRY(sw_alloc((size_t)d->n, &w->next[v]));
        for (int side = 0; side < 2; side++) {
            const struct sw_line_end *end = &d->model.end[side][v];
            if (end->first) SW_TRY(sw_eval_create(end->first, 1, &w->end[side][v][0]));
            if (end->second) SW_TRY(sw_eval_create(end->second, 1, &w->end[side][v][1]));
        }
    }
    SW_TRY(sw_alloc((size_t)d->n + 2, &w->sum));
    if (!d->own_steps) return SW_OK;
    SW_TRY(sw_alloc((size_t)d->n, &w->embedded));
    SW_TRY(make_band(s, sw_line_unknowns(&d->model), &w->band));
    return sw_alloc(5 * sw_band_vector(w->band), &w->matrix);
}

static void destroy_worker(struct worker *w)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_eval_destroy(&w->g[v]);
        sw_eval_destroy(&w->s[v]);
        sw_free(w->next[v]);
        for (int k = 0; k < 4; k++) sw_eval_destroy(&w->end[k / 2][v][k % 2]);
        for (int i = 0; i < SW_IMEX_STAGES; i++) {
            struct stage *at = &w->stage[i][v];
            sw_free(at->u), sw_free(at->g), sw_free(at->s), sw_free(at->l);
        }
    }
    sw_free(w->sum);
    sw_free(w->embedded);
    sw_free(w->matrix);
    sw_band_destroy(&w->band);
}

static enum sw_status plain_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct plain *p = NULL;

    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    snprintf(p->band_row, sizeof p->band_row, "%s", band ? band : default_band);
    SW_TRY(make_band(s, 0, &p->band));  /* is there such a row? */
    snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, sw_band_name(p->band));
    SW_TRY(sw_host_create(s, &p->batch));
    SW_TRY(sw_alloc((size_t)d->capacity * (size_t)sw_line_unknowns(&d->model), &p->system));
    SW_TRY(sw_alloc((size_t)s->device->threads, &p->worker));
    p->workers = s->device->threads;
    for (int k = 0; k < p->workers; k++) SW_TRY(create_worker(s, &p->worker[k]));
    return SW_OK;
}

static void plain_destroy(struct sw_stepper *s)
{
    struct plain *p = s->own;
    if (!p) return;
    sw_band_destroy(&p->band);
    for (int k = 0; k < p->workers; k++) destroy_worker(&p->worker[k]);
    sw_host_destroy(&p->batch);
    sw_free(p->worker);
    sw_free(p->system);
    sw_free(p);
}

/* ------------------------------------------------------------------ load */

/* @param bad  out [systems] */
static enum sw_status factor(struct sw_stepper *s, const struct sw_line_matrix *matrix, int systems, int *bad)
{
    struct plain *p = s->own;
    double *band = NULL;
    enum sw_status st;
    SW_TRY(make_band(s, systems, &p->band));
    SW_TRY(sw_alloc(5 * sw_band_vector(p->band), &band));
    sw_line_bands(p->band, matrix, band);
    st = sw_band_factor(p->band, band, bad);
    sw_free(band);
    return st == SW_E_SINGULAR ? SW_OK : st;  /* bad tells which; the others go on */
}

static enum sw_status plain_load(struct sw_stepper *s, const char **load_error)
{
    struct plain *p = s->own;
    struct sw_line_matrix *matrix = NULL;
    int *bad = NULL, systems;
    const int unknowns = sw_line_unknowns(&s->desc.model);
    enum sw_status st;

    if (s->desc.own_steps) {  /* which make their matrices */
        sw_host_load(s, load_error);
        return SW_OK;
    }
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count * (size_t)unknowns, &matrix));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count * (size_t)unknowns, &bad));
    systems = sw_line_matrices(s->count, &s->desc.model, s->run, load_error, matrix, p->system);
    SW_TRY_TO(done, st, factor(s, matrix, systems, bad));
    for (int of = 0; of < s->count * unknowns; of++)
        if (p->system[of] >= 0 && bad[p->system[of]])
            load_error[of / unknowns] = "the implicit part has a zero or non-finite pivot";
    sw_host_load(s, load_error);
done:
    sw_free(matrix);
    sw_free(bad);
    return st;
}

/* ------------------------------------------------------------------ a step */

/* What is at hand of a step. */
struct step {
    struct sw_stepper     *s;
    struct worker         *w;
    struct sw_host_worker *h;
    const struct sw_line_run *run;
    const struct sw_band  *band;
    const int             *system;    /* of each unknown */
    int64_t                number;    /* of the step */
    double                 t;         /* its beginning, where runs take steps of their own */
};

static double time_of_stage(const struct step *k, double c)
{
    return k->s->desc.own_steps ? k->t + c * k->run->dt : ((double)k->number + c) * k->run->dt;
}

/* The values of N at the points of a stage. */
static void evaluate(const struct step *k, int stage, struct sw_eval *eval, double t, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = k->h->x};
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++)
        for (int o = -SW_REACH; o <= SW_REACH; o++)
            in[sw_input_at(v, o)] = k->w->stage[stage][v].u + SW_REACH + o;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, k->s->desc.n, in, out);
}

/* The values of G, which sees its unknown alone, with a point beyond either end. */
static void evaluate_g(const struct step *k, struct stage *at, int v, struct sw_eval *eval, double t)
{
    const int n = k->s->desc.n, beyond = at->ends.there;
    const double *in[SW_INPUTS] = {[SW_IN_X] = k->h->x};
    in[sw_input_at(v, 0)] = at->u + SW_REACH - beyond;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, n + 2 * beyond, in, at->g + 1 - beyond);
    if (!beyond) at->g[0] = at->g[n], at->g[n + 1] = at->g[1];
}

static double value_at_end(const struct step *k, struct sw_eval *eval, double t)
{
    const double *in[SW_INPUTS] = {NULL};
    double value = 0.0;
    if (!eval) return value;
    sw_eval_step(eval, t, k->number);
    sw_eval_points(eval, 1, in, &value);
    return value;
}

/* The conditions at the ends of an unknown at time t. */
static struct sw_line_ends ends_at(const struct step *k, int v, double t)
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
static void set_stage(const struct step *k, int stage, const double *const u[SW_UNKNOWNS_MOST])
{
    const int n = k->s->desc.n;
    struct stage *at = k->w->stage[stage];
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        memcpy(at[v].u + SW_REACH, u[v], (size_t)n * sizeof *u[v]);
        sw_line_pad(&at[v].ends, n, at[v].u + SW_REACH);
    }
}

/* What G and N are at a stage. */
static void evaluate_stage(const struct step *k, int stage, double t)
{
    struct stage *at = k->w->stage[stage];
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        if (at[v].g) evaluate_g(k, &at[v], v, k->w->g[v], t);
        if (at[v].s) evaluate(k, stage, k->w->s[v], t, at[v].s);
    }
}

/* w->sum = the sum of weight[i] times array i, of n numbers, of the stages before one; NULL: no weight is but 0. */
static const double *combine(const struct step *k, int n, int before, const double *weight, double *const *array)
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
static void add_stages(const struct step *k, int before, int v, const double *explicit_part,
                       const double *implicit_part, double gamma, double *f)
{
    const struct sw_line_run *r = k->run;
    const int n = k->s->desc.n;
    double *g[SW_IMEX_STAGES], *s[SW_IMEX_STAGES], *l[SW_IMEX_STAGES];
    const double *sum;
    for (int i = 0; i < before; i++) {
        const struct stage *at = &k->w->stage[i][v];
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
static void solve_stage(const struct step *k, const struct sw_imex *m, int stage, int v)
{
    const int n = k->s->desc.n;
    struct stage *at = &k->w->stage[stage][v];
    double *f = k->w->next[v];
    memcpy(f, k->w->stage[0][v].u + SW_REACH, (size_t)n * sizeof *f);
    add_stages(k, stage, v, m->explicit_part[stage], m->implicit_part[stage], m->gamma, f);
    for (int c = 0; c < n; c++) at->l[c] = -f[c];
    sw_line_impose_ends(&k->run->a[v], &at->ends, n, f);
    sw_band_solve_one(k->band, k->system[v], f);
    for (int c = 0; c < n; c++) at->l[c] += f[c];
}

/* gamma dt L u^n. */
static void apply_operators(const struct step *k)
{
    const int n = k->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        struct stage *at = &k->w->stage[0][v];
        memset(at->l, 0, (size_t)n * sizeof *at->l);
        sw_line_add_operator(&k->run->a[v], n, 1.0, at->u + SW_REACH, at->l);
    }
}

/* From u to w->next. */
static void imex_step(const struct step *k, const struct sw_imex *m, const double *const u[SW_UNKNOWNS_MOST])
{
    const int n = k->s->desc.n, unknowns = sw_line_unknowns(&k->s->desc.model);
    for (int i = 0; i < m->stages; i++) {
        const double t = time_of_stage(k, m->c[i]);
        for (int v = 0; v < unknowns; v++) k->w->stage[i][v].ends = ends_at(k, v, t);
        for (int v = 0; i > 0 && v < unknowns; v++) solve_stage(k, m, i, v);
        if (i == m->stages - 1 && m->last) break;
        set_stage(k, i, i > 0 ? (const double *const *)k->w->next : u);
        if (i == 0 && m->first) apply_operators(k);
        evaluate_stage(k, i, t);
    }
    for (int v = 0; !m->last && v < unknowns; v++) {
        memcpy(k->w->next[v], u[v], (size_t)n * sizeof(double));
        add_stages(k, m->stages, v, m->b_explicit, m->b_implicit, m->gamma, k->w->next[v]);
        sw_line_set_values(&k->w->stage[m->stages - 1][v].ends, n, k->w->next[v]);
    }
}

/* (I + gamma dt L) u + dt N with L of the orders 2 and 4, and N at half the step (cuPentBatch, eq. 7c). */
static void crank_nicolson_step(const struct step *k, const double *const u[SW_UNKNOWNS_MOST])
{
    const struct sw_line_run *r = k->run;
    struct stage *at = k->w->stage[0];
    const int n = k->s->desc.n;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++)
        at[v].ends = ends_at(k, v, sw_line_time(1.0, k->number, r->dt));
    set_stage(k, 0, u);
    evaluate_stage(k, 0, sw_line_time(0.5, k->number, r->dt));
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) {
        const struct sw_line_ends after = ends_at(k, v, sw_line_time(0.0, k->number, r->dt));
        double *f = k->w->next[v];
        sw_line_explicit_rhs(&r->a[v], n, at[v].u + SW_REACH, f);
        if (at[v].g) sw_line_add_second_difference(r, n, at[v].g + 1, f);
        for (int i = 0; at[v].s && i < n; i++) f[i] += r->dt * at[v].s[i];
        sw_line_impose_ends(&r->a[v], &after, n, f);
        sw_band_solve_one(k->band, k->system[v], f);
    }
}

/* Where the unknowns of a run are, and what its programs compute once. */
static void begin_run(struct sw_stepper *s, struct worker *w, struct sw_host_worker *h, int j,
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

static void advance_run(struct sw_stepper *s, struct worker *w, struct sw_host_worker *h, int j, int64_t from,
                        int64_t to)
{
    const struct plain *p = s->own;
    const struct sw_imex *method = sw_imex_of(s->desc.model.scheme);
    const int unknowns = sw_line_unknowns(&s->desc.model);
    const size_t n = (size_t)s->desc.n;
    double *u = sw_host_line(s, j);
    const double *now[SW_UNKNOWNS_MOST];

    begin_run(s, w, h, j, now);
    for (int64_t step = from; step < to; step++) {
        const struct step k = {s, w, h, &s->run[j], p->band, p->system + j * unknowns, step, 0};
        bool finite = true;
        if (method) imex_step(&k, method, now);
        else crank_nicolson_step(&k, now);
        for (int v = 0; v < unknowns; v++) {
            memcpy(u + (size_t)v * n, w->next[v], n * sizeof *u);
            finite &= sw_line_is_finite(n, w->next[v]);
        }
        if (finite) continue;
        sw_host_stop(s, j, step + 1);
        return;
    }
}

/* ------------------------------------------------------------------ steps of a run's own */

static double largest_of(int n, const double *u)
{
    double largest = 0;
    for (int c = 0; c < n; c++) largest = sw_own_steps_worse(largest, fabs(u[c]));
    return largest;
}

/* What the steps of a run need beside a struct step. */
struct own {
    const struct sw_imex *method;
    struct sw_own_steps  *steps;
    double                longest;
    double               *u;                       /* [unknowns][n] */
    const double         *now[SW_UNKNOWNS_MOST];
    double                size[SW_UNKNOWNS_MOST];  /* largest |u| */
};

/* A dt by which u changes by a hundredth, if u_t stays what it is at the beginning; where no u_t is known to bound it,
 * a thousandth of the first interval. */
static double choose_first_dt(const struct step *k, const struct own *o)
{
    const struct sw_stepper_desc *d = &k->s->desc;
    struct stage *at = k->w->stage[0];
    double dt = 1e-3 * d->times[1], *f = k->w->next[0];
    bool bounded = false;
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) at[v].ends = ends_at(k, v, 0);
    set_stage(k, 0, o->now);
    evaluate_stage(k, 0, 0);
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        memset(f, 0, (size_t)d->n * sizeof *f);
        sw_line_add_operator(&k->run->a[v], d->n, 1.0 / o->method->gamma, at[v].u + SW_REACH, f);
        if (at[v].g) sw_line_add_second_difference(k->run, d->n, at[v].g + 1, f);
        for (int c = 0; at[v].s && c < d->n; c++) f[c] += at[v].s[c];
        const double change = 0.01 * o->size[v] / largest_of(d->n, f);
        if (!(change > 0) || (bounded && !(change < dt))) continue;
        if (isfinite(change)) dt = change, bounded = true;
    }
    return dt;
}

static void begin_own_steps(const struct step *k, struct own *o)
{
    struct sw_own_steps *s = o->steps;
    if (s->goal > 0) return;
    for (int v = 0; v < sw_line_unknowns(&k->s->desc.model); v++) s->peak[v] = o->size[v];
    s->wanted = fmin(k->run->first_dt > 0 ? k->run->first_dt : choose_first_dt(k, o), o->longest);
    s->dt = 0;
}

/* The matrices of a step; one without a pivot solves to NaN, and the step is refused. */
static void factor_own(const struct step *k)
{
    const int unknowns = sw_line_unknowns(&k->s->desc.model);
    struct sw_line_matrix matrix[SW_UNKNOWNS_MOST];
    int bad[SW_UNKNOWNS_MOST];
    if (k->w->factored == k->run->dt) return;
    for (int v = 0; v < unknowns; v++)
        matrix[v] = (struct sw_line_matrix){.a = k->run->a[v], .of = v,
                                            .ends = {k->s->desc.model.end[0][v].kind, k->s->desc.model.end[1][v].kind}};
    sw_line_bands(k->w->band, matrix, k->w->matrix);
    sw_band_factor(k->w->band, k->w->matrix, bad);
    k->w->factored = k->run->dt;
}

/* Take a step, or leave u as it is. */
static void attempt(const struct step *k, struct own *o)
{
    const int n = k->s->desc.n, unknowns = sw_line_unknowns(&k->s->desc.model);
    const struct sw_imex *m = o->method;
    struct sw_own_steps *s = o->steps;
    double size[SW_UNKNOWNS_MOST], ratio = 0, error = 0, peak = 0, *e = k->w->embedded;
    factor_own(k);
    imex_step(k, m, o->now);
    for (int v = 0; v < unknowns; v++) peak = fmax(peak, s->peak[v]);
    for (int v = 0; v < unknowns; v++) {
        memcpy(e, o->now[v], (size_t)n * sizeof *e);
        add_stages(k, m->stages, v, m->embedded_explicit, m->embedded_implicit, m->gamma, e);
        sw_line_set_values(&k->w->stage[m->stages - 1][v].ends, n, e);
        for (int c = 0; c < n; c++) e[c] = k->w->next[v][c] - e[c];
        const double off = largest_of(n, e);
        size[v] = largest_of(n, k->w->next[v]);
        error = sw_own_steps_worse(error, off);
        const double scale = sw_own_steps_scale(k->run->tolerance, sw_own_steps_worse(size[v], o->size[v]),
                                                s->peak[v], peak);
        ratio = sw_own_steps_worse(ratio, sw_own_steps_ratio(off, scale));
    }
    const double time = k->s->desc.times[(int64_t)s->goal];
    if (!sw_own_steps_control(s, ratio, error, m->order, o->longest, time)) return;
    for (int v = 0; v < unknowns; v++) {
        memcpy(o->u + v * n, k->w->next[v], (size_t)n * sizeof *e);
        o->size[v] = size[v];
        s->peak[v] = fmax(s->peak[v], size[v]);
    }
}

static void advance_own(struct sw_stepper *s, struct worker *w, struct sw_host_worker *h, int j, int64_t to)
{
    static const int system[SW_UNKNOWNS_MOST] = {0, 1, 2, 3};
    const struct plain *p = s->own;
    const double *times = s->desc.times;
    struct sw_line_run run = s->run[j];
    struct step k = {s, w, h, &run, w->band, system, 0, 0};
    struct own o = {.method = sw_imex_of(s->desc.model.scheme), .steps = &p->batch.steps[j],
                    .u = sw_host_line(s, j)};

    if (sw_own_steps_reached(o.steps, times, to)) return;
    begin_run(s, w, h, j, o.now);
    o.longest = sw_stepper_longest(s, &s->run[j]);
    w->factored = 0;
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) o.size[v] = largest_of(s->desc.n, o.now[v]);
    begin_own_steps(&k, &o);
    while (!o.steps->end && !sw_own_steps_reached(o.steps, times, to)) {
        if (o.steps->left == 0) {
            const int64_t at = (int64_t)o.steps->goal;
            sw_own_steps_next(o.steps, times[at + 1] - times[at]);
        }
        k.t = sw_own_steps_time(o.steps, times);
        run.dt = o.steps->dt;
        for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++)
            run.a[v] = sw_line_operator_of(&s->run[j].a[v], run.dt);
        attempt(&k, &o);
    }
    if (o.steps->end) sw_host_stop(s, j, sw_own_steps_tick(o.steps, times));
}

/* A tick may have any number of steps, mostly few. */
static enum sw_status plain_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct plain *p = s->own;
    const bool own = s->desc.own_steps;
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, own ? 4 : to - from, 10.0))
    for (int j = 0; j < s->count; j++) {
        int k = omp_get_thread_num();
        if (!p->batch.stopped[j] && own) advance_own(s, &p->worker[k], &p->batch.worker[k], j, to);
        else if (!p->batch.stopped[j]) advance_run(s, &p->worker[k], &p->batch.worker[k], j, from, to);
        else if (p->batch.diverged[j] < 0) p->batch.diverged[j] = from;
    }
    return SW_OK;
}

/* A line goes through all steps of a call in the cache: it comes and goes once, 16 bytes a point and call, and so do
 * its factors where each run has its own; shared ones stay. Counted for lines that fit into the cache.
 * Operations: the stencil's, those of G and N and of what adds them to the right-hand side, the solve's, for each stage
 * and unknown. A point is one point of all unknowns. */
static struct sw_cost plain_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct plain *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    const struct sw_imex *method = sw_imex_of(m->scheme);
    const struct sw_band_desc *shape = sw_band_shape(p->band);
    const int unknowns = sw_line_unknowns(m), solves = method ? method->stages - 1 : 1;
    const int values = method ? method->stages - method->last : 1;
    struct sw_cost solve = sw_band_cost(shape, p->band_row);
    double factors = shape->batch == s->count * unknowns ? solve.bytes - 16 : 0, operations = 0;
    for (int v = 0; v < unknowns; v++) {
        operations += m->scheme == SW_CRANK_NICOLSON ? 12 : 0;
        if (m->g[v]) operations += values * (5 + sw_program_size(m->g[v]).point);
        if (m->s[v]) operations += values * (2 + sw_program_size(m->s[v]).point);
        operations += solves * solve.fma;
    }
    return (struct sw_cost){unknowns * (16 + factors) / (double)steps, operations};
}

extern const struct sw_stepper_ops stepper_plain_cpu;
const struct sw_stepper_ops stepper_plain_cpu = {
    .name = "cpu.plain",
    .about = "stencils, then a band solver, one step at a time; threads over runs: the reference",
    .space = SW_HOST,
    .takes = SW_LINE_ALL | SW_LINE_ENDS | SW_LINE_OWN_STEPS,
    .fits = plain_fits,
    .bytes = plain_bytes,
    .create = plain_create,
    .load = plain_load,
    .initial = sw_host_initial,
    .set_state = sw_host_set_state,
    .get_state = sw_host_get_state,
    .advance = plain_advance,
    .snapshot = sw_host_snapshot,
    .fetch = sw_host_fetch,
    .diverged = sw_host_diverged,
    .get_own_steps = sw_host_get_own_steps,
    .set_own_steps = sw_host_set_own_steps,
    .destroy = plain_destroy,
    .takes_band = true,
    .cost = plain_cost,
};
