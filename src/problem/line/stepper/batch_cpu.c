#include "problem/line/stepper/fourth_order.h"
#include "problem/line/stepper/batch_cpu.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "problem/line/stepper/failure_place.h"
#include "problem/line/stepper/measure_point.h"
#include "problem/line/stepper/own_steps_drive.h"
#include "problem/line/plain/stencil_cpu.h"

/* ------------------------------------------------------------------ create, destroy */

static enum sw_status create_worker(const struct sw_stepper_desc *d, struct sw_host_worker *w)
{
    size_t n = (size_t)d->n;
    for (int v = 0; v < sw_line_unknowns(&d->model); v++)
        if (d->model.initial[v]) SW_TRY(sw_eval_create(d->model.initial[v], d->n, &w->initial[v]));
    if (d->model.energy) SW_TRY(sw_eval_create(d->model.energy, d->n, &w->energy));
    SW_TRY(sw_measure_create(d->n, sw_line_ended(&d->model), &w->measure));
    SW_TRY(sw_alloc(n, &w->x));
    return sw_alloc(n, &w->term);
}

static void destroy_worker(struct sw_host_worker *w)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_eval_destroy(&w->initial[v]);
    sw_eval_destroy(&w->energy);
    sw_measure_destroy(&w->measure);
    sw_free(w->x);
    sw_free(w->term);
}

enum sw_status sw_host_create(const struct sw_stepper *s, struct sw_host_batch *h)
{
    const struct sw_stepper_desc *d = &s->desc;
    size_t room = (size_t)d->capacity;
    SW_TRY(sw_alloc(sw_stepper_vector(d), &h->u));
    SW_TRY(sw_alloc(room, &h->sound));
    SW_TRY(sw_alloc(room, &h->stopped));
    SW_TRY(sw_alloc(room, &h->diverged));
    SW_TRY(sw_alloc(room, &h->place));
    if (d->own_steps) SW_TRY(sw_alloc(room, &h->steps));
    SW_TRY(sw_alloc((size_t)s->device->threads, &h->worker));
    h->workers = s->device->threads;
    for (int k = 0; k < h->workers; k++) SW_TRY(create_worker(d, &h->worker[k]));
    return sw_snapshots_create(s->device, sw_stepper_vector(d) * sw_reals_word(d->single),
                               room * SW_LINE_SCALARS * sizeof(double), &h->snapshots);
}

void sw_host_destroy(struct sw_host_batch *h)
{
    for (int k = 0; k < h->workers; k++) destroy_worker(&h->worker[k]);
    sw_snapshots_destroy(&h->snapshots);
    sw_free(h->worker);
    sw_free(h->u);
    sw_free(h->sound);
    sw_free(h->stopped);
    sw_free(h->diverged);
    sw_free(h->place);
    sw_free(h->steps);
}

void sw_host_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run)
{
    size_t n = (size_t)desc->n, point = sizeof(double) + SW_SNAPSHOT_SLOTS * sw_reals_word(desc->single);
    /* workers: x, a term, and the programs' values */
    *fixed = (size_t)omp_get_max_threads() *
             (sw_measure_bytes(desc->n, sw_line_ended(&desc->model)) + 10 * n * sizeof(double));
    *per_run = sw_stepper_line(desc) * point +
               ((size_t)desc->model.nparam + sw_own_drive_numbers(desc)) * sizeof(double) + 256;
}

/* ------------------------------------------------------------------ the state */

double *sw_host_line(const struct sw_stepper *s, int j)
{
    const struct sw_host_batch *h = s->own;
    return h->u + (size_t)j * sw_stepper_line(&s->desc);
}

int sw_host_workers(const struct sw_stepper *s, int64_t passes, double ns)
{
    const struct sw_host_batch *h = s->own;
    return (double)s->count * (double)sw_stepper_line(&s->desc) * (double)passes * ns < 160000.0 ? 1 : h->workers;
}

/* Without a parallel region of one thread: OpenMP makes a team for it, and wakes the threads of the one before, 0.3 us
 * in which a step of a short line is done. */
void sw_host_each(int threads, int count, void (*work)(void *user, int thread, int k), void *user)
{
    if (threads == 1) {
        for (int k = 0; k < count; k++) work(user, 0, k);
        return;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int k = 0; k < count; k++) work(user, omp_get_thread_num(), k);
}

void sw_host_stop(struct sw_stepper *s, int j, int64_t step)
{
    struct sw_host_batch *h = s->own;
    double *u = sw_host_line(s, j);
    for (size_t i = 0; i < sw_stepper_line(&s->desc); i++) u[i] = NAN;
    h->stopped[j] = true;
    h->diverged[j] = step;
    h->place[j].known = false;
}

void sw_host_fail(struct sw_stepper *s, int j, double t, double dt, int64_t number, int64_t step)
{
    struct sw_host_batch *h = s->own;
    struct sw_failure_place failed;
    sw_line_find_place(s, j, sw_host_line(s, j), t, dt, number, &failed);
    sw_host_stop(s, j, step);
    h->place[j] = failed;
}

static bool place(const struct sw_sim *sim, int j, struct sw_failure_place *where)
{
    const struct sw_host_batch *h = sw_stepper_of(sim)->own;
    *where = h->place[j];
    return where->known;
}

static void resume_run(struct sw_stepper *s, int j)
{
    struct sw_host_batch *h = s->own;
    h->stopped[j] = false;
    h->diverged[j] = -1;
    if (h->steps) h->steps[j] = (struct sw_own_steps){0};
}

void sw_host_load(struct sw_stepper *s, const char *const *load_error)
{
    struct sw_host_batch *h = s->own;
    for (int j = 0; j < s->count; j++) {
        h->sound[j] = !load_error[j];
        if (load_error[j]) sw_host_stop(s, j, 0);
        else resume_run(s, j);
    }
}

void sw_host_begin_run(const struct sw_stepper *s, struct sw_host_worker *w, struct sw_eval *eval, int j)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    for (int i = 0; i < s->desc.n; i++) w->x[i] = s->run[j].x0 + i * s->run[j].dx;
    sw_eval_run(eval, s->param + j, s->count);
    sw_eval_cells(eval, s->desc.n, in);
}

static void initial_of_run(struct sw_stepper *s, struct sw_host_worker *w, int j)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x};
    double *u = sw_host_line(s, j);
    for (int v = 0; v < sw_line_unknowns(&s->desc.model); v++) {
        sw_host_begin_run(s, w, w->initial[v], j);
        sw_eval_step(w->initial[v], 0.0, 0);
        sw_eval_points(w->initial[v], s->desc.n, in, u + v * s->desc.n);
    }
    resume_run(s, j);
    if (!sw_line_is_finite(sw_stepper_line(&s->desc), u)) sw_host_stop(s, j, 0);
}

static enum sw_status initial(struct sw_sim *sim)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    struct sw_host_batch *h = s->own;
    sw_stepper_restart(s);
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, 1, 10.0))
    for (int j = 0; j < s->count; j++)
        if (h->sound[j]) initial_of_run(s, &h->worker[omp_get_thread_num()], j);
    return SW_OK;
}

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    struct sw_stepper *s = sw_stepper_of(sim);
    const struct sw_host_batch *h = s->own;
    size_t n = sw_stepper_line(&s->desc);
    sw_stepper_restart(s);
    for (int j = 0; j < s->count; j++) {
        if (!h->sound[j]) continue;
        memcpy(sw_host_line(s, j), u + (size_t)j * n, n * sizeof *u);
        resume_run(s, j);
        if (!sw_line_is_finite(n, sw_host_line(s, j))) sw_host_stop(s, j, -1);
    }
    return SW_OK;
}

static enum sw_status get_state(struct sw_sim *sim, double *u)
{
    const struct sw_stepper *s = sw_stepper_of(sim);
    memcpy(u, sw_host_line(s, 0), (size_t)s->count * sw_stepper_line(&s->desc) * sizeof *u);
    return SW_OK;
}

static enum sw_status get_states(struct sw_sim *sim, int count, const int *which, double *u)
{
    const struct sw_stepper *s = sw_stepper_of(sim);
    const size_t size = sw_stepper_line(&s->desc);
    for (size_t k = 0; k < (size_t)count; k++) memcpy(u + k * size, sw_host_line(s, which[k]), size * sizeof *u);
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    const struct sw_stepper *s = sw_stepper_of(sim);
    const struct sw_host_batch *h = s->own;
    memcpy(step, h->diverged, (size_t)s->count * sizeof *step);
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    const struct sw_stepper *s = sw_stepper_of(sim);
    memcpy(record, ((const struct sw_host_batch *)s->own)->steps, (size_t)s->count * sizeof(struct sw_own_steps));
    return SW_OK;
}

static enum sw_status set_record(struct sw_sim *sim, const double *record)
{
    const struct sw_stepper *s = sw_stepper_of(sim);
    memcpy(((struct sw_host_batch *)s->own)->steps, record, (size_t)s->count * sizeof(struct sw_own_steps));
    return SW_OK;
}

/* ------------------------------------------------------------------ snapshots */

/* Fields follow one another: all runs of the first unknown, then all of the next. */
static void copy_field(const struct sw_stepper *s, int j, void *field)
{
    const size_t n = (size_t)s->desc.n, count = (size_t)s->count;
    for (size_t v = 0; v < (size_t)sw_line_unknowns(&s->desc.model); v++)
        sw_reals_put(field, sw_reals_word(s->desc.single), (v * count + (size_t)j) * n, sw_host_line(s, j) + v * n, n);
}

static const double *energy_density(const struct sw_stepper *s, struct sw_host_worker *w, int j)
{
    const double *u = sw_host_line(s, j), dx = s->run[j].dx;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x, [SW_IN_U] = u,
                                   [SW_IN_UX] = sw_measure_first_derivative(w->measure, u, dx)};
    if (sw_program_uses(s->desc.model.energy, "uxx"))
        in[SW_IN_UXX] = sw_measure_second_derivative(w->measure, u, dx);
    sw_host_begin_run(s, w, w->energy, j);
    sw_eval_points(w->energy, s->desc.n, in, w->term);
    return w->term;
}

static void measure_run(const struct sw_stepper *s, struct sw_host_worker *w, int j, double out[SW_LINE_SCALARS])
{
    const struct sw_host_batch *h = s->own;
    if (h->stopped[j]) {
        for (int k = 0; k < SW_LINE_SCALARS; k++) out[k] = NAN;
        return;
    }
    const struct sw_line_run *r = &s->run[j];
    const struct sw_own_steps *own = h->steps ? &h->steps[j] : NULL;
    struct sw_line_operator a = own ? sw_line_operator_of(&r->a[0], own->largest) : r->a[0];
    a = sw_line_matrix_of(&a, &s->desc.model.mass[0]);
    const double noise = sw_stepper_rounding(s->name, &a, s->desc.single_steps) *
                         sw_measure_noise_growth(own ? own->taken : (double)s->step);
    sw_measure_line(w->measure, sw_host_line(s, j), r->dx, noise, w->energy ? energy_density(s, w, j) : NULL, out);
}

struct taking { const struct sw_stepper *s; void *field; double *scalars; };

static void take_run(void *user, int thread, int j)
{
    const struct taking *t = user;
    const struct sw_host_batch *h = t->s->own;
    if (t->field) copy_field(t->s, j, t->field);
    if (t->scalars) measure_run(t->s, &h->worker[thread], j, t->scalars + (size_t)j * SW_LINE_SCALARS);
}

/* Each run is copied and measured by one thread. */
static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    const struct sw_stepper *s = sw_stepper_of(sim);
    struct sw_host_batch *h = s->own;
    struct taking t = {.s = s};
    SW_TRY(sw_snapshots_begin(h->snapshots, slot, what, &t.field, &t.scalars));
    sw_host_each(sw_host_workers(s, 4, 10.0), s->count, take_run, &t);
    return sw_snapshots_send(h->snapshots, (size_t)s->count * sw_stepper_line(&s->desc) * sw_reals_word(s->desc.single),
                             (size_t)s->count * SW_LINE_SCALARS * sizeof(double));
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    return sw_snapshots_fetch(((const struct sw_host_batch *)sw_stepper_of(sim)->own)->snapshots, slot, field, scalars);
}

static const struct sw_state_ops states = {
    .initial = initial, .set = set_state, .get = get_state, .get_some = get_states};
static const struct sw_record_ops records = {.get = get_record, .set = set_record};
const struct sw_sim_ops sw_host_operations = {
    .snapshot = snapshot, .fetch = fetch, .diverged = diverged, .place = place, .states = &states,
    .records = &records};
