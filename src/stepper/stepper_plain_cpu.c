/* The reference: the explicit side by stencils and the expression interpreter, then a band solver, one step at a time.
 *
 * Parallel over runs. A run goes through all steps of a call before the thread takes another one, so that its line and
 * its factors stay in the cache; for that the band solvers have sw_band_solve_one(). Matrices are made and factored
 * once a batch, one for each different pair (s4, s2), always pentadiagonal: which runs share one changes no bit. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "solver/sw_band.h"
#include "stepper/line_cpu.h"
#include "stepper/line_point.h"
#include "stepper/measure.h"
#include "stepper/sw_stepper_impl.h"

enum { INITIAL, G, S, ENERGY, PROGRAMS };

struct worker {                /* what a thread needs                              */
    struct sw_eval    *eval[PROGRAMS];
    struct sw_measure *measure;
    double            *x;      /* [n] of the run at hand                           */
    double            *next;   /* [n] right-hand side, then u of the next step     */
    double            *term;   /* [n] values of G, S or the energy's density       */
};

struct slot {
    void   *field;             /* [capacity][n]; made when first used: many sweeps save scalars only */
    double *scalars;           /* [capacity][SW_LINE_SCALARS]                                        */
    bool    has_field, has_scalars;
};

struct plain {
    char            band_row[64];
    struct sw_band *band;      /* of the batch loaded: one system for each different matrix                    */
    int            *system;    /* [capacity]: the run's matrix                                                 */
    double         *u;         /* [capacity][n]; NaN where a run has stopped                                   */
    bool           *stopped;   /* [capacity]                                                                   */
    int64_t        *diverged;  /* [capacity]: the step, -1 if not or, where stopped, not known before advance() */
    int             workers;
    struct worker  *worker;
    struct slot     slot[SW_SLOTS];
};

static const char default_band[] = "cpu.thomas";

static bool plain_fits(const struct sw_stepper_desc *desc)
{
    (void)desc;
    return true;
}

static size_t field_size(const struct sw_stepper_desc *desc) { return desc->single ? sizeof(float) : sizeof(double); }

static void plain_bytes(const struct sw_stepper_desc *desc, const char *band, size_t *fixed, size_t *per_run)
{
    size_t n = (size_t)desc->n;
    *fixed = (size_t)omp_get_max_threads() * n * 24 * sizeof(double);  /* workers: 11 arrays and the programs' values */
    /* a matrix while it is loaded, its factors, the state, the slots */
    size_t vectors = 5 + (size_t)sw_band_vectors(band ? band : default_band) + 1;
    *per_run = n * (vectors * sizeof(double) + SW_SLOTS * field_size(desc)) +
               (size_t)desc->model.nparam * sizeof(double) + 256;
}

/* ------------------------------------------------------------------ create, destroy */

static void programs_of(const struct sw_line_model *m, const struct sw_program *program[PROGRAMS])
{
    program[INITIAL] = m->initial;
    program[G] = m->g;
    program[S] = m->s;
    program[ENERGY] = m->energy;
}

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct worker *w)
{
    const struct sw_program *program[PROGRAMS];
    size_t n = (size_t)d->n;
    programs_of(&d->model, program);
    for (int k = 0; k < PROGRAMS; k++)
        if (program[k]) SW_TRY(sw_eval_create(program[k], d->n, &w->eval[k]));
    SW_TRY(sw_measure_create(d->n, &w->measure));
    SW_TRY(sw_alloc(n, &w->x));
    SW_TRY(sw_alloc(n, &w->next));
    return sw_alloc(n, &w->term);
}

static void destroy_worker(struct worker *w)
{
    for (int k = 0; k < PROGRAMS; k++) sw_eval_destroy(&w->eval[k]);
    sw_measure_destroy(&w->measure);
    sw_free(w->x);
    sw_free(w->next);
    sw_free(w->term);
}

static enum sw_status make_band(struct sw_stepper *s, int systems)
{
    struct plain *p = s->own;
    const struct sw_band_desc desc = {.n = s->desc.n, .batch = systems, .lower = 2, .upper = 2, .periodic = true};
    sw_band_destroy(&p->band);
    return sw_band_create(&desc, p->band_row, s->device, &p->band);
}

static enum sw_status plain_create(struct sw_stepper *s, const char *band)
{
    const struct sw_stepper_desc *d = &s->desc;
    size_t room = (size_t)d->capacity, n = (size_t)d->n;
    struct plain *p = NULL;

    SW_TRY(sw_alloc(1, &p));
    s->own = p;
    snprintf(p->band_row, sizeof p->band_row, "%s", band ? band : default_band);
    SW_TRY(make_band(s, 0));  /* is there such a row? */
    snprintf(s->name, sizeof s->name, "%s+%s", s->ops->name, sw_band_name(p->band));
    SW_TRY(sw_alloc(room, &p->system));
    SW_TRY(sw_alloc(room * n, &p->u));
    SW_TRY(sw_alloc(room, &p->stopped));
    SW_TRY(sw_alloc(room, &p->diverged));
    SW_TRY(sw_alloc((size_t)s->device->threads, &p->worker));
    p->workers = s->device->threads;
    for (int k = 0; k < p->workers; k++) SW_TRY(create_worker(d, &p->worker[k]));
    for (int k = 0; k < SW_SLOTS; k++) SW_TRY(sw_alloc(room * SW_LINE_SCALARS, &p->slot[k].scalars));
    return SW_OK;
}

static void plain_destroy(struct sw_stepper *s)
{
    struct plain *p = s->own;
    if (!p) return;
    sw_band_destroy(&p->band);
    for (int k = 0; k < p->workers; k++) destroy_worker(&p->worker[k]);
    for (int k = 0; k < SW_SLOTS; k++) {
        sw_free(p->slot[k].field);
        sw_free(p->slot[k].scalars);
    }
    sw_free(p->worker);
    sw_free(p->system);
    sw_free(p->u);
    sw_free(p->stopped);
    sw_free(p->diverged);
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

/* From here on the run is NaN and costs nothing. */
static void stop_run(struct sw_stepper *s, int j, int64_t step)
{
    struct plain *p = s->own;
    double *u = p->u + (size_t)j * (size_t)s->desc.n;
    for (int i = 0; i < s->desc.n; i++) u[i] = NAN;
    p->stopped[j] = true;
    p->diverged[j] = step;
}

static enum sw_status plain_load(struct sw_stepper *s, const char **fault)
{
    struct plain *p = s->own;
    struct sw_line_matrix *matrix = NULL;
    int *bad = NULL, systems;
    enum sw_status st;

    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &matrix));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &bad));
    systems = sw_line_matrices(s->count, s->run, fault, matrix, p->system);
    SW_TRY_TO(done, st, factor(s, matrix, systems, bad));
    for (int j = 0; j < s->count; j++) {
        p->stopped[j] = false;
        p->diverged[j] = -1;
        if (!fault[j] && bad[p->system[j]]) fault[j] = "the implicit part has a zero or non-finite pivot";
        if (fault[j]) stop_run(s, j, 0);
    }
done:
    sw_free(matrix);
    sw_free(bad);
    return st;
}

/* ------------------------------------------------------------------ the state */

/* The arrays programs read; slots of enum sw_input. */
struct inputs { const double *in[SW_INPUTS]; };

/* Makes x of run j, and what the given programs compute once a run. */
static struct inputs begin_run(struct sw_stepper *s, struct worker *w, int j, int first, int last)
{
    const struct sw_line_run *r = &s->run[j];
    struct inputs in = {{[SW_IN_X] = w->x}};
    for (int i = 0; i < s->desc.n; i++) w->x[i] = r->x0 + i * r->dx;
    for (int k = first; k <= last; k++) {
        if (!w->eval[k]) continue;
        sw_eval_run(w->eval[k], s->param + j, s->count);
        sw_eval_cells(w->eval[k], s->desc.n, in.in);
    }
    return in;
}

/* Threads for so many passes over the batch: one where the work, some 10 ns a point, is less than waking them up costs. */
static int workers_for(const struct sw_stepper *s, int64_t passes)
{
    const struct plain *p = s->own;
    return (double)s->count * s->desc.n * (double)passes < 16384 ? 1 : p->workers;
}

static double *line_of(const struct sw_stepper *s, int j)
{
    const struct plain *p = s->own;
    return p->u + (size_t)j * (size_t)s->desc.n;
}

static void initial_of_run(struct sw_stepper *s, struct worker *w, int j)
{
    struct plain *p = s->own;
    double *u = line_of(s, j);
    if (p->system[j] < 0) return;
    struct inputs in = begin_run(s, w, j, INITIAL, INITIAL);
    sw_eval_step(w->eval[INITIAL], 0.0, 0);
    sw_eval_points(w->eval[INITIAL], s->desc.n, in.in, u);
    p->stopped[j] = false;
    p->diverged[j] = -1;
    if (!sw_line_is_finite(s->desc.n, u)) stop_run(s, j, 0);
}

static enum sw_status plain_initial(struct sw_stepper *s)
{
    struct plain *p = s->own;
#pragma omp parallel for schedule(dynamic) num_threads(workers_for(s, 1))
    for (int j = 0; j < s->count; j++) initial_of_run(s, &p->worker[omp_get_thread_num()], j);
    return SW_OK;
}

static enum sw_status plain_set_state(struct sw_stepper *s, const double *u)
{
    struct plain *p = s->own;
    size_t n = (size_t)s->desc.n;
    for (int j = 0; j < s->count; j++) {
        if (p->system[j] < 0) continue;
        memcpy(line_of(s, j), u + (size_t)j * n, n * sizeof *u);
        p->stopped[j] = false;
        p->diverged[j] = -1;
        if (!sw_line_is_finite(s->desc.n, line_of(s, j))) stop_run(s, j, -1);
    }
    return SW_OK;
}

static enum sw_status plain_get_state(struct sw_stepper *s, double *u)
{
    memcpy(u, line_of(s, 0), (size_t)s->count * (size_t)s->desc.n * sizeof *u);
    return SW_OK;
}

/* ------------------------------------------------------------------ a step */

static void right_hand_side(const struct sw_stepper *s, struct worker *w, int j, int64_t step, const struct inputs *in,
                            double *f)
{
    const struct sw_line_run *r = &s->run[j];
    const double *u = in->in[SW_IN_U];
    bool crank_nicolson = s->desc.model.scheme == SW_CRANK_NICOLSON;
    double t = sw_line_time(crank_nicolson ? 0.5 : 1.0, step, r->dt);
    int n = s->desc.n;

    if (crank_nicolson) sw_line_explicit_side(r, n, u, f);
    else memcpy(f, u, (size_t)n * sizeof *f);
    if (w->eval[G]) {
        sw_eval_step(w->eval[G], t, step);
        sw_eval_points(w->eval[G], n, in->in, w->term);
        sw_line_add_second_difference(r, n, w->term, f);
    }
    if (w->eval[S]) {
        sw_eval_step(w->eval[S], t, step);
        sw_eval_points(w->eval[S], n, in->in, w->term);
        for (int i = 0; i < n; i++) f[i] += r->dt * w->term[i];
    }
}

static void advance_run(struct sw_stepper *s, struct worker *w, int j, int64_t from, int64_t to)
{
    struct plain *p = s->own;
    int n = s->desc.n;
    double *now = line_of(s, j), *next = w->next;
    struct inputs in = begin_run(s, w, j, G, S);

    for (int64_t step = from; step < to; step++) {
        double *last = now;
        in.in[SW_IN_U] = now;
        right_hand_side(s, w, j, step, &in, next);
        sw_band_solve_one(p->band, p->system[j], next);
        now = next;
        next = last;
        if (!sw_line_is_finite(n, now)) {
            stop_run(s, j, step + 1);
            return;
        }
    }
    if (now != line_of(s, j)) memcpy(line_of(s, j), now, (size_t)n * sizeof *now);
}

static enum sw_status plain_advance(struct sw_stepper *s, int64_t from, int64_t to)
{
    struct plain *p = s->own;
#pragma omp parallel for schedule(dynamic) num_threads(workers_for(s, to - from))
    for (int j = 0; j < s->count; j++) {
        if (!p->stopped[j]) advance_run(s, &p->worker[omp_get_thread_num()], j, from, to);
        else if (p->diverged[j] < 0) p->diverged[j] = from;
    }
    return SW_OK;
}

static enum sw_status plain_diverged(struct sw_stepper *s, int64_t *step)
{
    const struct plain *p = s->own;
    memcpy(step, p->diverged, (size_t)s->count * sizeof *step);
    return SW_OK;
}

/* ------------------------------------------------------------------ captures */

static void copy_field(const struct sw_stepper *s, int j, void *field)
{
    size_t n = (size_t)s->desc.n;
    const double *u = line_of(s, j);
    if (s->desc.single) {
        float *out = (float *)field + (size_t)j * n;
        for (size_t i = 0; i < n; i++) out[i] = (float)u[i];
    } else {
        memcpy((double *)field + (size_t)j * n, u, n * sizeof *u);
    }
}

static void measure_run(struct sw_stepper *s, struct worker *w, int j, double out[SW_LINE_SCALARS])
{
    const struct plain *p = s->own;
    const double *u = line_of(s, j), *density = NULL;
    double dx = s->run[j].dx;

    if (p->stopped[j]) {
        for (int k = 0; k < SW_LINE_SCALARS; k++) out[k] = NAN;
        return;
    }
    if (w->eval[ENERGY]) {
        struct inputs in = begin_run(s, w, j, ENERGY, ENERGY);
        in.in[SW_IN_U] = u;
        in.in[SW_IN_UX] = sw_measure_slopes(w->measure, u, dx);
        sw_eval_points(w->eval[ENERGY], s->desc.n, in.in, w->term);
        density = w->term;
    }
    sw_measure_line(w->measure, u, dx, density, out);
}

static enum sw_status plain_capture(struct sw_stepper *s, int slot, int what)
{
    struct plain *p = s->own;
    struct slot *y = &p->slot[slot];
    y->has_field = what & SW_CAPTURE_FIELD;
    y->has_scalars = what & SW_CAPTURE_SCALARS;
    if (y->has_field && !y->field)
        SW_TRY(sw_alloc_bytes((size_t)s->desc.capacity * (size_t)s->desc.n, field_size(&s->desc), &y->field));
#pragma omp parallel for schedule(dynamic) num_threads(workers_for(s, 4))
    for (int j = 0; j < s->count; j++) {
        if (y->has_field) copy_field(s, j, y->field);
        if (y->has_scalars)
            measure_run(s, &p->worker[omp_get_thread_num()], j, y->scalars + (size_t)j * SW_LINE_SCALARS);
    }
    return SW_OK;
}

static enum sw_status plain_fetch(struct sw_stepper *s, int slot, const void **field, const double **scalars)
{
    const struct plain *p = s->own;
    *field = p->slot[slot].has_field ? p->slot[slot].field : NULL;
    *scalars = p->slot[slot].has_scalars ? p->slot[slot].scalars : NULL;
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
    .initial = plain_initial,
    .set_state = plain_set_state,
    .get_state = plain_get_state,
    .advance = plain_advance,
    .capture = plain_capture,
    .fetch = plain_fetch,
    .diverged = plain_diverged,
    .destroy = plain_destroy,
    .takes_band = true,
    .cost = plain_cost,
};
