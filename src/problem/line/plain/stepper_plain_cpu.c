/* The reference: the explicit side by stencils and the expression interpreter, then a band solver, one step at a time.
 *
 * Parallel over runs. A run goes through all steps of a call before the thread takes another one, so that its lines and
 * their factors stay in the cache; for that the band solvers have sw_band_solve_one(). Matrices are made and factored
 * once a batch, one for each different operator, always pentadiagonal: which runs share one changes no bit. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/plain/plain_step.h"

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
    const struct sw_band_desc shape = {.lower = 2, .upper = 2, .periodic = true};
    const int factors = sw_band_vectors_of(&shape, band ? band : default_band);
    const size_t matrix = unknowns * n * (5 + (size_t)factors) * sizeof(double);
    if (desc->own_steps) *fixed += (size_t)omp_get_max_threads() * (matrix + n * sizeof(double));
    else *per_run += matrix;
}

/* ------------------------------------------------------------------ create, destroy */

/* The last stage of a method is the result where `last` is set: it has no values of G and N, but where steps look at
 * what these are at its time. */
static void list_stage(const struct sw_stepper_desc *d, struct sw_owned *own, const struct sw_plain_worker *w,
                       int stage, int v, struct sw_plain_stage *at)
{
    const struct sw_imex *method = sw_imex_of(d->model.scheme);
    const size_t n = (size_t)d->n;
    const bool valued = !method || stage < method->stages - method->last ||
                        (d->own_steps && method->quadrature[stage] != 0.0);
    sw_array(own, n + 2 * SW_REACH, &at->u);
    if (w->g[v] && valued) sw_array(own, n + 2 * SW_REACH, &at->g);
    if (w->s[v] && valued) sw_array(own, n, &at->s);
    sw_array(own, n, &at->l);
}

static enum sw_status make_band(struct sw_stepper *s, int systems, struct sw_band **band)
{
    const struct sw_plain *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    const bool periodic = !sw_line_ended(m);
    const struct sw_band_desc desc = {.n = s->desc.n, .batch = systems, .lower = 2, .upper = 2, .periodic = periodic,
                                      .symmetric = periodic && !(m->orders & (1U << 1 | 1U << 3))};
    sw_band_destroy(band);
    return sw_band_create(&desc, p->band_row, s->device, band);
}

static enum sw_status create_worker(struct sw_stepper *s, struct sw_plain_worker *w)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_owned *own = &s->arrays;
    const struct sw_imex *method = sw_imex_of(d->model.scheme);
    for (int v = 0; v < sw_line_unknowns(&d->model); v++) {
        if (d->model.g[v]) SW_TRY(sw_eval_create(d->model.g[v], d->n + 2, &w->g[v]));
        if (d->model.explicit_term[v]) SW_TRY(sw_eval_create(d->model.explicit_term[v], d->n, &w->s[v]));
        for (int i = 0; i < (method ? method->stages : 1); i++) list_stage(d, own, w, i, v, &w->stage[i][v]);
        sw_array(own, (size_t)d->n, &w->next[v]);
        for (int side = 0; side < 2; side++) {
            const struct sw_line_end *end = &d->model.end[side][v];
            if (end->first) SW_TRY(sw_eval_create(end->first, 1, &w->end[side][v][0]));
            if (end->second) SW_TRY(sw_eval_create(end->second, 1, &w->end[side][v][1]));
        }
    }
    sw_array(own, (size_t)d->n + 2 * SW_REACH, &w->sum);
    sw_array(own, (size_t)d->n + 2 * SW_REACH, &w->room);
    if (d->refined) sw_array(own, (size_t)d->n, &w->right);
    if (d->refined) sw_array(own, (size_t)d->n, &w->residual);
    if (!d->own_steps) return own->status;
    sw_array(own, (size_t)d->n, &w->embedded);
    SW_TRY(make_band(s, sw_line_unknowns(&d->model), &w->band));
    sw_array(own, 5 * sw_band_vector(w->band), &w->matrix);
    return own->status;
}

static void destroy_worker(struct sw_plain_worker *w)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_eval_destroy(&w->g[v]);
        sw_eval_destroy(&w->s[v]);
        for (int k = 0; k < 4; k++) sw_eval_destroy(&w->end[k / 2][v][k % 2]);
    }
    sw_band_destroy(&w->band);
}

static enum sw_status plain_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct sw_plain *p = s->own;
    snprintf(p->band_row, sizeof p->band_row, "%s", band ? band : default_band);
    SW_TRY(make_band(s, 0, &p->band));  /* is there such a row? */
    snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, sw_band_name(p->band));
    SW_TRY(sw_host_create(s, &p->batch));
    p->workers = s->device->threads;
    sw_array(&s->arrays, (size_t)d->capacity * (size_t)sw_line_unknowns(&d->model), &p->system);
    sw_array(&s->arrays, (size_t)p->workers, &p->worker);
    SW_TRY(s->arrays.status);
    for (int k = 0; k < p->workers; k++) SW_TRY(create_worker(s, &p->worker[k]));
    return SW_OK;
}

static void plain_destroy(struct sw_stepper *s)
{
    struct sw_plain *p = s->own;
    sw_band_destroy(&p->band);
    for (int k = 0; p->worker && k < p->workers; k++) destroy_worker(&p->worker[k]);
    sw_host_destroy(&p->batch);
}

/* ------------------------------------------------------------------ load */

/* @param bad  out [systems] */
static enum sw_status factor(struct sw_stepper *s, const struct sw_line_matrix *matrix, int systems, int *bad)
{
    struct sw_plain *p = s->own;
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
    struct sw_plain *p = s->own;
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

/* ------------------------------------------------------------------ steps */

static void advance_run(struct sw_stepper *s, struct sw_plain_worker *w, struct sw_host_worker *h, int j, int64_t from,
                        int64_t to)
{
    const struct sw_plain *p = s->own;
    const struct sw_imex *method = sw_imex_of(s->desc.model.scheme);
    const int unknowns = sw_line_unknowns(&s->desc.model);
    const size_t n = (size_t)s->desc.n;
    double *u = sw_host_line(s, j);
    const double *now[SW_UNKNOWNS_MOST];

    sw_plain_begin_run(s, w, h, j, now);
    for (int64_t step = from; step < to; step++) {
        const struct sw_plain_step k = {s, w, h, &s->run[j], p->band, p->system + j * unknowns, step, 0};
        bool finite = true;
        if (method) sw_plain_imex_step(&k, method, now);
        else sw_plain_crank_nicolson_step(&k, now);
        for (int v = 0; v < unknowns; v++) finite &= sw_line_is_finite(n, w->next[v]);
        if (!finite) {
            sw_host_fail(s, j, (double)step * s->run[j].dt, s->run[j].dt, step, step + 1);
            return;
        }
        for (int v = 0; v < unknowns; v++) memcpy(u + (size_t)v * n, w->next[v], n * sizeof *u);
    }
}

struct advancing { struct sw_stepper *s; int64_t from, to; };

static void advance_one(void *user, int thread, int j)
{
    const struct advancing *a = user;
    struct sw_plain *p = a->s->own;
    struct sw_plain_worker *w = &p->worker[thread];
    struct sw_host_worker *h = &p->batch.worker[thread];
    const int64_t from = sw_stepper_step(a->s, j, a->from);
    if (sw_host_states_are_over(&p->batch.states, j, from)) return;
    if (a->s->desc.own_steps) sw_plain_advance_own(a->s, w, h, j, a->to);
    else advance_run(a->s, w, h, j, from, sw_stepper_step(a->s, j, a->to));
}

/* A tick may have any number of steps, mostly few. */
static enum sw_status plain_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    const int threads = sw_host_workers(s, s->desc.own_steps ? 4 : sw_stepper_most_steps(s, from, to), 10.0);
    sw_host_each(threads, s->count, advance_one, &(struct advancing){s, from, to});
    return SW_OK;
}

/* A line goes through all steps of a call in the cache: it comes and goes once, 16 bytes a point and call, and so do
 * its factors where each run has its own; shared ones stay. Counted for lines that fit into the cache.
 * Operations: the stencil's, those of G and N and of what adds them to the right-hand side, the solve's, for each stage
 * and unknown. A point is one point of all unknowns. */
static struct sw_cost plain_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct sw_plain *p = s->own;
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
        if (m->explicit_term[v]) operations += values * (2 + sw_program_size(m->explicit_term[v]).point);
        operations += solves * solve.fma;
    }
    return (struct sw_cost){unknowns * (16 + factors) / (double)steps, operations};
}

extern const struct sw_stepper_ops stepper_plain_cpu;
const struct sw_stepper_ops stepper_plain_cpu = {
    .name = "cpu.plain",
    .about = "stencils, then a band solver, one step at a time; threads over runs: the reference",
    .space = SW_HOST,
    .takes = SW_LINE_ALL | SW_LINE_ENDS | SW_LINE_MASS | SW_LINE_OWN_STEPS | SW_LINE_PACES,
    .fits = plain_fits,
    .bytes = plain_bytes,
    .own_size = sizeof(struct sw_plain),
    .create = plain_create,
    .load = plain_load,
    .advance = plain_advance,
    .destroy = plain_destroy,
    .sim = &sw_host_operations,
    .takes_band = true,
    .cost = plain_cost,
};
