/* The reference: the explicit side by stencils and the expression interpreter, then a band solver, one step at a time.
 *
 * Parallel over runs. A run goes through all steps of a call before the thread takes another one, so that its line and
 * its factors stay in the cache; for that the band solvers have sw_band_solve_one(). Matrices are made and factored
 * once a batch, one for each different pair (s4, s2), always pentadiagonal: which runs share one changes no bit. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/sw_band.h"
#include "problem/line/batch_cpu.h"
#include "problem/line/stencil_cpu.h"
#include "problem/line/line_point.h"

enum { G, S, PROGRAMS };

struct worker {                /* what a thread needs besides a struct sw_host_worker */
    struct sw_eval *eval[PROGRAMS];
    double         *next;      /* [n] right-hand side, then u of the next step        */
};

struct plain {
    struct sw_host_batch batch;   /* first: batch_cpu.h works on it                                     */
    char            band_row[64];
    struct sw_band *band;         /* of the batch loaded: one system for each different matrix           */
    int            *system;       /* [capacity]: the run's matrix                                        */
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
    size_t n = (size_t)desc->n;
    sw_host_bytes(desc, fixed, per_run);
    *fixed += (size_t)omp_get_max_threads() * n * 6 * sizeof(double);  /* workers: an array and the programs' values */
    /* a matrix while it is loaded, and its factors */
    *per_run += n * (5 + (size_t)sw_band_vectors(band ? band : default_band)) * sizeof(double);
}

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct worker *w)
{
    const struct sw_program *program[PROGRAMS] = {[G] = d->model.g, [S] = d->model.s};
    for (int k = 0; k < PROGRAMS; k++)
        if (program[k]) SW_TRY(sw_eval_create(program[k], d->n, &w->eval[k]));
    return sw_alloc((size_t)d->n, &w->next);
}

static void destroy_worker(struct worker *w)
{
    for (int k = 0; k < PROGRAMS; k++) sw_eval_destroy(&w->eval[k]);
    sw_free(w->next);
}

static enum sw_status make_band(struct sw_stepper *s, int systems)
{
    struct plain *p = s->own;
    const struct sw_band_desc desc = {.n = s->desc.n, .batch = systems, .lower = 2, .upper = 2, .periodic = true,
                                      .symmetric = true};
    sw_band_destroy(&p->band);
    return sw_band_create(&desc, p->band_row, s->device, &p->band);
}

static enum sw_status plain_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    struct plain *p = NULL;

    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    snprintf(p->band_row, sizeof p->band_row, "%s", band ? band : default_band);
    SW_TRY(make_band(s, 0));  /* is there such a row? */
    snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, sw_band_name(p->band));
    SW_TRY(sw_host_create(s, &p->batch));
    SW_TRY(sw_alloc((size_t)d->capacity, &p->system));
    SW_TRY(sw_alloc((size_t)s->device->threads, &p->worker));
    p->workers = s->device->threads;
    for (int k = 0; k < p->workers; k++) SW_TRY(create_worker(d, &p->worker[k]));
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
    SW_TRY(make_band(s, systems));
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
    enum sw_status st;

    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &matrix));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &bad));
    systems = sw_line_matrices(s->count, s->run, load_error, matrix, p->system);
    SW_TRY_TO(done, st, factor(s, matrix, systems, bad));
    for (int j = 0; j < s->count; j++)
        if (!load_error[j] && bad[p->system[j]]) load_error[j] = "the implicit part has a zero or non-finite pivot";
    sw_host_load(s, load_error);
done:
    sw_free(matrix);
    sw_free(bad);
    return st;
}

/* ------------------------------------------------------------------ a step */

/* What a program gives at the points of a line. */
static const double *values(struct sw_eval *eval, struct sw_host_worker *h, int n, const double *u, double t,
                            int64_t step)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = h->x, [SW_IN_U] = u};
    sw_eval_step(eval, t, step);
    sw_eval_points(eval, n, in, h->term);
    return h->term;
}

static void right_hand_side(const struct sw_stepper *s, struct worker *w, struct sw_host_worker *h, int j, int64_t step,
                            const double *u, double *f)
{
    const struct sw_line_run *r = &s->run[j];
    bool crank_nicolson = s->desc.model.scheme == SW_CRANK_NICOLSON;
    double t = sw_line_time(crank_nicolson ? 0.5 : 1.0, step, r->dt);
    int n = s->desc.n;

    if (crank_nicolson) sw_line_explicit_rhs(r, n, u, f);
    else memcpy(f, u, (size_t)n * sizeof *f);
    if (w->eval[G]) sw_line_add_second_difference(r, n, values(w->eval[G], h, n, u, t, step), f);
    if (w->eval[S]) {
        const double *source = values(w->eval[S], h, n, u, t, step);
        for (int i = 0; i < n; i++) f[i] += r->dt * source[i];
    }
}

static void advance_run(struct sw_stepper *s, struct worker *w, struct sw_host_worker *h, int j, int64_t from,
                        int64_t to)
{
    struct plain *p = s->own;
    int n = s->desc.n;
    double *now = sw_host_line(s, j), *next = w->next;

    for (int k = 0; k < PROGRAMS; k++)
        if (w->eval[k]) sw_host_begin_run(s, h, w->eval[k], j);
    for (int64_t step = from; step < to; step++) {
        double *last = now;
        right_hand_side(s, w, h, j, step, now, next);
        sw_band_solve_one(p->band, p->system[j], next);
        now = next;
        next = last;
        if (!sw_line_is_finite(n, now)) {
            sw_host_stop(s, j, step + 1);
            return;
        }
    }
    if (now != sw_host_line(s, j)) memcpy(sw_host_line(s, j), now, (size_t)n * sizeof *now);
}

static enum sw_status plain_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct plain *p = s->own;
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, to - from, 10.0))
    for (int j = 0; j < s->count; j++) {
        int k = omp_get_thread_num();
        if (!p->batch.stopped[j]) advance_run(s, &p->worker[k], &p->batch.worker[k], j, from, to);
        else if (p->batch.diverged[j] < 0) p->batch.diverged[j] = from;
    }
    return SW_OK;
}

/* A line goes through all steps of a call in the cache: it comes and goes once, 16 bytes a point and call, and so do
 * its factors where each run has its own; shared ones stay. Counted for lines that fit into the cache.
 * Operations: the stencil's, those of G and S and of what adds them to the right-hand side, the solve's. */
static struct sw_cost plain_cost(const struct sw_stepper *s, int64_t steps)
{
    const struct plain *p = s->own;
    const struct sw_line_model *m = &s->desc.model;
    const struct sw_band_desc *shape = sw_band_shape(p->band);
    struct sw_cost solve = sw_band_cost(shape, p->band_row);
    double factors = shape->batch == s->count ? solve.bytes - 16 : 0;
    double operations = m->scheme == SW_CRANK_NICOLSON ? 12 : 0;
    if (m->g) operations += 5 + sw_program_size(m->g).point;
    if (m->s) operations += 2 + sw_program_size(m->s).point;
    return (struct sw_cost){(16 + factors) / (double)steps, operations + solve.fma};
}

extern const struct sw_stepper_ops stepper_plain_cpu;
const struct sw_stepper_ops stepper_plain_cpu = {
    .name = "cpu.plain",
    .about = "stencils, then a band solver, one step at a time; threads over runs: the reference",
    .space = SW_HOST,
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
    .destroy = plain_destroy,
    .takes_band = true,
    .cost = plain_cost,
};
