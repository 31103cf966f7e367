#include "stepper/host_lines.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "stepper/line_cpu.h"

static size_t field_size(const struct sw_stepper_desc *desc) { return desc->single ? sizeof(float) : sizeof(double); }

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct sw_host_worker *w)
{
    size_t n = (size_t)d->n;
    if (d->model.initial) SW_TRY(sw_eval_create(d->model.initial, d->n, &w->initial));
    if (d->model.energy) SW_TRY(sw_eval_create(d->model.energy, d->n, &w->energy));
    SW_TRY(sw_measure_create(d->n, &w->measure));
    SW_TRY(sw_alloc(n, &w->x));
    return sw_alloc(n, &w->term);
}

static void destroy_worker(struct sw_host_worker *w)
{
    sw_eval_destroy(&w->initial);
    sw_eval_destroy(&w->energy);
    sw_measure_destroy(&w->measure);
    sw_free(w->x);
    sw_free(w->term);
}

enum sw_status sw_host_create(const struct sw_stepper *s, struct sw_host_lines *h)
{
    const struct sw_stepper_desc *d = &s->desc;
    size_t room = (size_t)d->capacity;
    SW_TRY(sw_alloc(room * (size_t)d->n, &h->u));
    SW_TRY(sw_alloc(room, &h->sound));
    SW_TRY(sw_alloc(room, &h->stopped));
    SW_TRY(sw_alloc(room, &h->diverged));
    SW_TRY(sw_alloc((size_t)s->device->threads, &h->worker));
    h->workers = s->device->threads;
    for (int k = 0; k < h->workers; k++) SW_TRY(create_worker(d, &h->worker[k]));
    for (int k = 0; k < SW_SLOTS; k++) SW_TRY(sw_alloc(room * SW_LINE_SCALARS, &h->slot[k].scalars));
    return SW_OK;
}

void sw_host_destroy(struct sw_host_lines *h)
{
    for (int k = 0; k < h->workers; k++) destroy_worker(&h->worker[k]);
    for (int k = 0; k < SW_SLOTS; k++) {
        sw_free(h->slot[k].field);
        sw_free(h->slot[k].scalars);
    }
    sw_free(h->worker);
    sw_free(h->u);
    sw_free(h->sound);
    sw_free(h->stopped);
    sw_free(h->diverged);
}

void sw_host_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run)
{
    size_t n = (size_t)desc->n;
    *fixed = (size_t)omp_get_max_threads() * n * 18 * sizeof(double);  /* workers: 10 arrays and the programs' values */
    *per_run = n * (sizeof(double) + SW_SLOTS * field_size(desc)) + (size_t)desc->model.nparam * sizeof(double) + 256;
}

/* ------------------------------------------------------------------ the state */

double *sw_host_line(const struct sw_stepper *s, int j)
{
    const struct sw_host_lines *h = s->own;
    return h->u + (size_t)j * (size_t)s->desc.n;
}

int sw_host_workers(const struct sw_stepper *s, int64_t passes, double ns)
{
    const struct sw_host_lines *h = s->own;
    return (double)s->count * s->desc.n * (double)passes * ns < 160000.0 ? 1 : h->workers;
}

void sw_host_stop(struct sw_stepper *s, int j, int64_t step)
{
    struct sw_host_lines *h = s->own;
    double *u = sw_host_line(s, j);
    for (int i = 0; i < s->desc.n; i++) u[i] = NAN;
    h->stopped[j] = true;
    h->diverged[j] = step;
}

static void go_on(struct sw_stepper *s, int j)
{
    struct sw_host_lines *h = s->own;
    h->stopped[j] = false;
    h->diverged[j] = -1;
}

void sw_host_load(struct sw_stepper *s, const char *const *fault)
{
    struct sw_host_lines *h = s->own;
    for (int j = 0; j < s->count; j++) {
        h->sound[j] = !fault[j];
        if (fault[j]) sw_host_stop(s, j, 0);
        else go_on(s, j);
    }
}

void sw_host_points(const struct sw_line_run *run, int n, double *x)
{
    for (int i = 0; i < n; i++) x[i] = run->x0 + i * run->dx;
}

/* Makes x of run j, and what the program computes once a run. */
static void begin_run(struct sw_stepper *s, struct sw_host_worker *w, struct sw_eval *eval, int j)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    sw_host_points(&s->run[j], s->desc.n, w->x);
    sw_eval_run(eval, s->param + j, s->count);
    sw_eval_cells(eval, s->desc.n, in);
}

static void initial_of_run(struct sw_stepper *s, struct sw_host_worker *w, int j)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    double *u = sw_host_line(s, j);
    begin_run(s, w, w->initial, j);
    sw_eval_step(w->initial, 0.0, 0);
    sw_eval_points(w->initial, s->desc.n, in, u);
    go_on(s, j);
    if (!sw_line_is_finite(s->desc.n, u)) sw_host_stop(s, j, 0);
}

enum sw_status sw_host_initial(struct sw_stepper *s)
{
    struct sw_host_lines *h = s->own;
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, 1, 10.0))
    for (int j = 0; j < s->count; j++)
        if (h->sound[j]) initial_of_run(s, &h->worker[omp_get_thread_num()], j);
    return SW_OK;
}

enum sw_status sw_host_set_state(struct sw_stepper *s, const double *u)
{
    const struct sw_host_lines *h = s->own;
    size_t n = (size_t)s->desc.n;
    for (int j = 0; j < s->count; j++) {
        if (!h->sound[j]) continue;
        memcpy(sw_host_line(s, j), u + (size_t)j * n, n * sizeof *u);
        go_on(s, j);
        if (!sw_line_is_finite(s->desc.n, sw_host_line(s, j))) sw_host_stop(s, j, -1);
    }
    return SW_OK;
}

enum sw_status sw_host_get_state(struct sw_stepper *s, double *u)
{
    memcpy(u, sw_host_line(s, 0), (size_t)s->count * (size_t)s->desc.n * sizeof *u);
    return SW_OK;
}

enum sw_status sw_host_diverged(struct sw_stepper *s, int64_t *step)
{
    const struct sw_host_lines *h = s->own;
    memcpy(step, h->diverged, (size_t)s->count * sizeof *step);
    return SW_OK;
}

/* ------------------------------------------------------------------ captures */

static void copy_field(const struct sw_stepper *s, int j, void *field)
{
    size_t n = (size_t)s->desc.n;
    const double *u = sw_host_line(s, j);
    if (s->desc.single) {
        float *out = (float *)field + (size_t)j * n;
        for (size_t i = 0; i < n; i++) out[i] = (float)u[i];
    } else {
        memcpy((double *)field + (size_t)j * n, u, n * sizeof *u);
    }
}

static void measure_run(struct sw_stepper *s, struct sw_host_worker *w, int j, double out[SW_LINE_SCALARS])
{
    const struct sw_host_lines *h = s->own;
    const double *u = sw_host_line(s, j), *density = NULL;
    double dx = s->run[j].dx;

    if (h->stopped[j]) {
        for (int k = 0; k < SW_LINE_SCALARS; k++) out[k] = NAN;
        return;
    }
    if (w->energy) {
        const double *in[SW_INPUTS] = {[SW_IN_X] = w->x, [SW_IN_U] = u, [SW_IN_UX] = sw_measure_slopes(w->measure, u, dx)};
        begin_run(s, w, w->energy, j);
        sw_eval_points(w->energy, s->desc.n, in, w->term);
        density = w->term;
    }
    sw_measure_line(w->measure, u, dx, density, out);
}

enum sw_status sw_host_capture(struct sw_stepper *s, int slot, int what)
{
    struct sw_host_lines *h = s->own;
    struct sw_host_slot *y = &h->slot[slot];
    y->has_field = what & SW_CAPTURE_FIELD;
    y->has_scalars = what & SW_CAPTURE_SCALARS;
    if (y->has_field && !y->field)
        SW_TRY(sw_alloc_bytes((size_t)s->desc.capacity * (size_t)s->desc.n, field_size(&s->desc), &y->field));
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, 4, 10.0))
    for (int j = 0; j < s->count; j++) {
        if (y->has_field) copy_field(s, j, y->field);
        if (y->has_scalars)
            measure_run(s, &h->worker[omp_get_thread_num()], j, y->scalars + (size_t)j * SW_LINE_SCALARS);
    }
    return SW_OK;
}

enum sw_status sw_host_fetch(struct sw_stepper *s, int slot, const void **field, const double **scalars)
{
    const struct sw_host_lines *h = s->own;
    *field = h->slot[slot].has_field ? h->slot[slot].field : NULL;
    *scalars = h->slot[slot].has_scalars ? h->slot[slot].scalars : NULL;
    return SW_OK;
}
