/* A batch of `advection`: its runs, initial values, steps and diagnostics.
 *
 * A Runge-Kutta stage takes the derivatives of all runs along each axis, by one call of src/fd for each, or by one for
 * the first derivatives along x and y where a row joins them. Then it makes one pass over all points, which forms
 * -c.grad u + nu lap u + S and the stage's result. The differences are made with h = 1, and the pass divides by the dx
 * of the run: so runs of any lengths go together. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_comm.h"
#include "field/evaluate.h"
#include "problem/advection/advection_impl.h"

static struct advection_sim *of(const struct sw_sim *sim) { return (struct advection_sim *)sim; }

/* ------------------------------------------------------------------ load */

static const char *solver_name(const struct sw_sim *sim) { return of(sim)->solver; }

static size_t state_size(const struct sw_sim *sim) { return of(sim)->points; }

static struct advection_run run_of(const struct advection_sim *a, int j)
{
    const struct sw_grid g = sw_setup_grid(&a->setup, a->count, a->column, j);
    struct advection_run r = {.dt = g.dt, .nu = sw_setup_number(&a->setup, "physics.nu", a->count, a->column, j),
                              .cell_volume = 1};
    for (int d = 0; d < SW_DIMS; d++) {
        r.x0[d] = g.x0[d];
        r.dx[d] = g.dx[d];
        r.inv_dx[d] = 1 / g.dx[d];
        r.inv_dx2[d] = r.inv_dx[d] * r.inv_dx[d];
        if (d < a->setup.dim) r.cell_volume *= g.dx[d];
    }
    r.courant_limit = advection_courant_limit(&a->discretization, a->setup.dim, &r);
    return r;
}

static void need_field(struct advection_sim *a, void **field)
{
    if (!*field)
        sw_array_bytes(&a->arrays, SW_ARRAY_DEVICE, (size_t)a->setup.capacity * a->points, a->element_size, field);
}

/* Those of second derivatives when first needed: where nu is 0 in all runs they are not. */
static enum sw_status need_fields(struct advection_sim *a)
{
    struct advection_subbatch *p = &a->batch;
    need_field(a, &p->now);
    need_field(a, &p->next);
    if (a->discretization.rk->fields > 2) need_field(a, &p->sum);
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->terms.needs_first[d]) need_field(a, &p->first_derivative[d]);
        if (a->diffuses && sw_setup_whole(&a->setup, d) > 1) need_field(a, &p->second_derivative[d]);
    }
    return a->arrays.status;
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct advection_sim *a = of(sim);
    SW_TRY(sw_device_wait(a->device));
    memcpy(a->column, column, (size_t)a->setup.ncolumn * (size_t)count * sizeof *column);
    a->count = count;
    a->diffuses = false;
    for (int j = 0; j < count; j++) {
        a->run[j] = run_of(a, j);
        a->diffuses |= a->run[j].nu != 0;
        a->bad_state[j] = false;
        load_error[j] = NULL;
    }
    a->any_bad_state = false;
    SW_TRY(advection_operators_create(a));
    SW_TRY(need_fields(a));
    return a->ops->load(a);
}

/* ------------------------------------------------------------------ diagnostics */

static enum sw_status clear_diagnostics(struct advection_sim *a)
{
    struct advection_diagnostics *diagnostics;
    SW_TRY(sw_alloc((size_t)a->count, &diagnostics));
    for (int j = 0; j < a->count; j++) diagnostics[j].unstable_from = ADVECTION_FINITE;
    enum sw_status st = a->ops->set_diagnostics(a, diagnostics);
    sw_free(diagnostics);
    return st;
}

/* Where the grid is cut over ranks: a run has diverged when it has on the first of them, and its largest Courant number
 * is that of all. Collective. */
static enum sw_status least_of_ranks(const struct advection_sim *a, int64_t *step)
{
    const struct sw_comm *comm = a->setup.domain.all;
    double *negative = NULL;
    if (!comm) return SW_OK;
    SW_TRY(sw_alloc((size_t)a->count, &negative));
    for (int j = 0; j < a->count; j++) negative[j] = step[j] == ADVECTION_FINITE ? -INFINITY : -(double)step[j];
    const enum sw_status st = sw_comm_max(comm, (size_t)a->count, negative);
    for (int j = 0; j < a->count && !st; j++) step[j] = isinf(negative[j]) ? ADVECTION_FINITE : (int64_t)-negative[j];
    sw_free(negative);
    return st;
}

static enum sw_status combine_diagnostics(const struct advection_sim *a, struct advection_diagnostics *d)
{
    const struct sw_comm *comm = a->setup.domain.all;
    int64_t *from = NULL;
    double *most = NULL;
    enum sw_status st;
    if (!comm) return SW_OK;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, &from));
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, &most));
    for (int j = 0; j < a->count; j++) {
        from[j] = d[j].unstable_from;
        most[j] = d[j].max_courant;
    }
    SW_TRY_TO(done, st, least_of_ranks(a, from));
    SW_TRY_TO(done, st, sw_comm_max(comm, (size_t)a->count, most));
    for (int j = 0; j < a->count; j++) d[j] = (struct advection_diagnostics){most[j], from[j]};
done:
    sw_free(from);
    sw_free(most);
    return st;
}

/* The numbers of one scalar for all runs: sums are added in the order of ranks. */
static enum sw_status combine_scalar(const struct advection_sim *a, int id, bool adds, double sign, double *scalars)
{
    const struct sw_comm *comm = a->setup.domain.all;
    double *all;
    SW_TRY(sw_alloc((size_t)a->count, &all));
    for (int j = 0; j < a->count; j++) all[j] = sign * scalars[j * ADVECTION_SCALARS + id];
    const enum sw_status st = adds ? sw_comm_sum(comm, (size_t)a->count, all)
                                   : sw_comm_max(comm, (size_t)a->count, all);
    for (int j = 0; j < a->count; j++) scalars[j * ADVECTION_SCALARS + id] = sign * all[j];
    sw_free(all);
    return st;
}

/* What is reported is linear in the sums, and rises with the others. */
enum sw_status advection_combine_scalars(const struct advection_sim *a, double *scalars)
{
    if (!a->setup.domain.all) return SW_OK;
#define ADD(id, name, unit, long_name, term, value) SW_TRY(combine_scalar(a, id, true, 1, scalars));
#define LEAST(id, name, unit, long_name, term, value) SW_TRY(combine_scalar(a, id, false, -1, scalars));
#define GREATEST(id, name, unit, long_name, term, value) SW_TRY(combine_scalar(a, id, false, 1, scalars));
    ADVECTION_SCALAR_TABLE(ADD, LEAST, GREATEST, GREATEST)
    return SW_OK;
}

/* All ranks know of the runs that have diverged on any. @param step  out [count] */
static enum sw_status share_diverged(struct advection_sim *a, int64_t *step)
{
    SW_TRY(a->ops->get_diverged(a, step));
    if (!a->setup.domain.all) return SW_OK;
    SW_TRY(least_of_ranks(a, step));
    return a->ops->set_diverged(a, step);
}

/* For a run in the file: its largest Courant number, and the first step that was not stable, -1: none. */
static enum sw_status get_diagnostics(struct sw_sim *sim, double *record)
{
    struct advection_sim *a = of(sim);
    struct advection_diagnostics *diagnostics;
    SW_TRY(sw_alloc((size_t)a->count, &diagnostics));
    enum sw_status st = a->ops->get_diagnostics(a, diagnostics);
    if (!st) st = combine_diagnostics(a, diagnostics);
    for (int j = 0; j < a->count && !st; j++) {
        const long long from = diagnostics[j].unstable_from;
        record[SW_DIAGNOSTICS * j] = diagnostics[j].max_courant;
        record[SW_DIAGNOSTICS * j + 1] = from == ADVECTION_FINITE ? -1 : (double)from;
    }
    sw_free(diagnostics);
    return st;
}

static enum sw_status set_diagnostics(struct sw_sim *sim, const double *record)
{
    struct advection_sim *a = of(sim);
    struct advection_diagnostics *diagnostics;
    SW_TRY(sw_alloc((size_t)a->count, &diagnostics));
    for (int j = 0; j < a->count; j++) {
        const double *r = record + SW_DIAGNOSTICS * j;
        diagnostics[j] = (struct advection_diagnostics){r[0], r[1] < 0 ? ADVECTION_FINITE : (long long)r[1]};
    }
    enum sw_status st = a->ops->set_diagnostics(a, diagnostics);
    sw_free(diagnostics);
    return st;
}

/* How far beyond stability is of no interest in a run that ends in infinities. */
static void warn_result(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    const struct advection_sim *a = of(sim);
    const struct advection_run *r = &a->run[j];
    const double from = record[1] * r->dt,
                 times = 1 + (record[0] - r->courant_limit) * advection_inverse_courant_limit(&a->discretization);
    if (record[1] < 0) return;
    if (!finite) sw_text_set(text, "the time step was beyond stability from t = %.4g on", from);
    else
        sw_text_set(text, "the time step was beyond stability (from t = %.4g on, up to %.3g times what is stable; "
                    "Courant number %.3g)", from, times, record[0]);
}

/* ------------------------------------------------------------------ the state */

/* Runs with a bad state have diverged at this step, the others not. */
static enum sw_status set_diverged_from(struct advection_sim *a, int64_t step)
{
    int64_t *diverged_at;
    SW_TRY(sw_alloc((size_t)a->count, &diverged_at));
    for (int j = 0; j < a->count; j++) diverged_at[j] = a->bad_state[j] ? step : ADVECTION_FINITE;
    enum sw_status st = a->ops->set_diverged(a, diverged_at);
    sw_free(diverged_at);
    return st;
}

/* From the host to the field, in its precision. */
static enum sw_status upload_u(struct advection_sim *a, const double *u)
{
    const size_t values = (size_t)a->count * a->points;
    float *narrow = NULL;
    if (!a->setup.single_steps) return sw_device_upload(a->device, a->batch.now, u, values * sizeof *u);
    SW_TRY(sw_alloc(values, &narrow));
    for (size_t i = 0; i < values; i++) narrow[i] = (float)u[i];
    enum sw_status st = sw_device_upload(a->device, a->batch.now, narrow, values * sizeof *narrow);
    sw_free(narrow);
    return st;
}

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    struct advection_sim *a = of(sim);
    a->any_bad_state = false;
    for (int j = 0; j < a->count; j++) {
        a->bad_state[j] = false;
        for (size_t i = 0; i < a->points && !a->bad_state[j]; i++)
            a->bad_state[j] = !isfinite(u[(size_t)j * a->points + i]);
        a->any_bad_state |= a->bad_state[j];
    }
    a->step = -1;
    SW_TRY(set_diverged_from(a, ADVECTION_FINITE));
    SW_TRY(clear_diagnostics(a));
    return upload_u(a, u);
}

static enum sw_status get_state(struct sw_sim *sim, double *u)
{
    struct advection_sim *a = of(sim);
    const size_t values = (size_t)a->count * a->points;
    int64_t *diverged_at;
    SW_TRY(sw_alloc((size_t)a->count, &diverged_at));
    enum sw_status st = sw_device_download(a->device, u, a->batch.now, values * a->element_size);
    if (!st) st = share_diverged(a, diverged_at);
    for (size_t i = values; a->setup.single_steps && i-- > 0;) u[i] = (double)((const float *)u)[i];  /* from the end */
    for (int j = 0; j < a->count && !st; j++)
        for (size_t i = 0; (diverged_at[j] != ADVECTION_FINITE || a->bad_state[j]) && i < a->points; i++)
            u[(size_t)j * a->points + i] = NAN;
    sw_free(diverged_at);
    return st;
}

/* ------------------------------------------------------------------ the initial field */

enum { POINTS_AT_ONCE = SW_EVALUATOR_POINTS };

/* A block of points of run j, from point `first` on. */
static void initialise_block(const struct advection_sim *a, struct sw_evaluator *initial, int j, size_t first,
                             double *u)
{
    const struct sw_grid g = sw_setup_grid(&a->setup, a->count, a->column, j);
    const size_t left = a->points - first;
    sw_evaluator_begin(initial, &g, a->column + j, a->count, 0, 0);
    sw_evaluator_points(initial, (int64_t)first, left < POINTS_AT_ONCE ? (int)left : POINTS_AT_ONCE,
                        u + (size_t)j * a->points + first);
}

/* u at time 0 of all runs, [count][points], by all threads. */
static enum sw_status initial_field(const struct advection_sim *a, double *u)
{
    const struct sw_function *initial = sw_setup_find(&a->setup, "initial");
    struct sw_err_kept failure = {0};
    if (sw_expr_is_random(initial->expr) &&
        sw_setup_whole(&a->setup, 0) * sw_setup_whole(&a->setup, 1) * sw_setup_whole(&a->setup, 2) > INT32_MAX)
        return SW_FAIL(SW_E_ARG, "initial: noise on more than %d points is not possible", INT32_MAX);
    const int64_t blocks = (int64_t)((a->points + POINTS_AT_ONCE - 1) / POINTS_AT_ONCE), items = a->count * blocks;
#pragma omp parallel num_threads(a->device->threads) if (items > 1)
    {
        struct sw_evaluator e;
        enum sw_status st = sw_evaluator_create(initial->program, a->setup.n, &e);
#pragma omp critical(sw_advection_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < items; k++)
            if (!st) initialise_block(a, &e, (int)(k / blocks), (size_t)(k % blocks) * POINTS_AT_ONCE, u);
        sw_evaluator_destroy(&e);
    }
    return sw_err_raise(&failure);
}

/* The fields are there, and their speeds are not known. */
static enum sw_status begin(struct sw_sim *sim, const double *u)
{
    struct advection_sim *a = of(sim);
    memset(a->bad_state, 0, (size_t)a->count * sizeof *a->bad_state);
    a->any_bad_state = false;
    a->step = 0;
    SW_TRY(set_diverged_from(a, 0));
    SW_TRY(clear_diagnostics(a));
    SW_TRY(upload_u(a, u));
    return a->ops->end_step(a, &a->batch, 0);
}

static enum sw_status initial(struct sw_sim *sim)
{
    struct advection_sim *a = of(sim);
    double *u = NULL;
    SW_TRY(sw_alloc((size_t)a->count * a->points, &u));
    enum sw_status st = initial_field(a, u);
    if (!st) st = begin(sim, u);
    sw_free(u);
    return st;
}

/* ------------------------------------------------------------------ steps */

static void *field_of_run(const struct advection_sim *a, void *field, int j)
{
    return (char *)field + (size_t)j * a->points * a->element_size;
}

/* Each derivative has a field of its own. So the joined operators can store both first derivatives along x and y at
 * once, and save one read of u: 8 of 32 bytes a point. */
static enum sw_status differentiate(const struct advection_sim *a, const struct advection_subbatch *p, void *w)
{
    void *from = field_of_run(a, w, p->from);
    if (p->first_xy)
        SW_TRY(sw_fd_joined_apply(p->first_xy, from, field_of_run(a, p->first_derivative[0], p->from),
                                  field_of_run(a, p->first_derivative[1], p->from)));
    for (int d = 0; d < SW_DIMS; d++) {
        const bool is_done = p->first_xy && d < 2;
        if (p->first_operator[d] && !is_done)
            SW_TRY(sw_fd_apply(p->first_operator[d], from, field_of_run(a, p->first_derivative[d], p->from)));
        if (p->second_operator[d])
            SW_TRY(sw_fd_apply(p->second_operator[d], from, field_of_run(a, p->second_derivative[d], p->from)));
    }
    return SW_OK;
}

static void swap_fields(struct advection_subbatch *p)
{
    void *next = p->next;
    p->next = p->now;
    p->now = next;
}

static enum sw_status apply_filter(const struct advection_sim *a, struct advection_subbatch *p)
{
    for (int d = 0; d < SW_DIMS; d++) {
        if (sw_setup_whole(&a->setup, d) == 1) continue;
        for (int k = 0; k < p->nfilter; k++) {
            const int j = p->from + p->filter[k].from;
            SW_TRY(sw_fd_apply(p->filter[k].fd[d], field_of_run(a, p->now, j), field_of_run(a, p->next, j)));
        }
        swap_fields(p);
    }
    return SW_OK;
}

static enum sw_status take_steps(struct advection_sim *a, struct advection_subbatch *p, int64_t from, int64_t to)
{
    const int last = a->discretization.rk->stages - 1;
    for (int64_t step = from; step < to; step++) {
        for (int k = 0; k <= last; k++) {
            const bool record = k == 0 && (step == 0 || a->velocity_varies);
            const int how = (k == 0 ? ADVECTION_FIRST_STAGE : 0) | (k == last ? ADVECTION_LAST_STAGE : 0)
                            | (k == last && !p->nfilter ? ADVECTION_ENDS_STEP : 0)
                            | (record ? ADVECTION_RECORD_COURANT : 0);
            SW_TRY(differentiate(a, p, k ? p->next : p->now));
            SW_TRY(a->ops->stage(a, p, step, k, how));
        }
        if (!p->nfilter) continue;
        SW_TRY(apply_filter(a, p));
        SW_TRY(a->ops->end_step(a, p, step + 1));
    }
    return SW_OK;
}

/* The sub-batch of a thread that takes the runs from number `from` on. */
static struct advection_subbatch *begin_subbatch(const struct advection_sim *a, int thread, int from)
{
    struct advection_thread *t = &a->thread[thread];
    struct advection_subbatch *p = a->count - from < a->runs_at_once ? &t->rest : &t->full;
    p->from = from;
    p->thread = thread;
    p->now = a->batch.now;
    p->next = a->batch.next;
    p->sum = a->batch.sum;
    memcpy(p->first_derivative, a->batch.first_derivative, sizeof p->first_derivative);
    memcpy(p->second_derivative, a->batch.second_derivative, sizeof p->second_derivative);
    return p;
}

/* After the steps the new u is in the same field for all sub-batches. */
static enum sw_status advance_by_threads(struct advection_sim *a, int64_t from, int64_t to)
{
    const int subbatches = (a->count + a->runs_at_once - 1) / a->runs_at_once;
    struct sw_err_kept failure = {0};
    bool swapped = false;
#pragma omp parallel for schedule(dynamic) num_threads(a->device->threads) if (subbatches > 1)
    for (int k = 0; k < subbatches; k++) {
        struct advection_subbatch *p = begin_subbatch(a, omp_get_thread_num(), k * a->runs_at_once);
        const enum sw_status st = take_steps(a, p, from, to);
        if (k == 0) swapped = p->now != a->batch.now;
#pragma omp critical(sw_advection_failure)
        sw_err_keep(&failure, st);
    }
    if (swapped) swap_fields(&a->batch);
    return sw_err_raise(&failure);
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct advection_sim *a = of(sim);
    if (a->any_bad_state && from < to) {
        SW_TRY(set_diverged_from(a, from));
        a->any_bad_state = false;
    }
    if (from < to) a->step = to;
    return a->runs_at_once ? advance_by_threads(a, from, to) : take_steps(a, &a->batch, from, to);
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct advection_sim *a = of(sim);
    int64_t *diverged_at;
    if (!a->setup.domain.all) return a->ops->snapshot(a, slot, what);
    SW_TRY(sw_alloc((size_t)a->count, &diverged_at));
    const enum sw_status st = share_diverged(a, diverged_at);
    sw_free(diverged_at);
    return st ? st : a->ops->snapshot(a, slot, what);
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    return of(sim)->ops->fetch(of(sim), slot, field, scalars);
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    struct advection_sim *a = of(sim);
    SW_TRY(share_diverged(a, step));
    for (int j = 0; j < a->count; j++)
        if (step[j] == ADVECTION_FINITE) step[j] = -1;
    return SW_OK;
}

/* ------------------------------------------------------------------ create, destroy */

static void destroy(struct sw_sim *sim)
{
    struct advection_sim *a = of(sim);
    if (!a) return;
    if (a->own) a->ops->destroy(a);
    advection_operators_destroy(a);
    advection_terms_destroy(&a->terms);
    sw_owned_free(&a->arrays);
    sw_free(a->own);
    sw_free(a);
}

static const struct sw_state_ops state_ops = {
    .size = state_size, .initial = initial, .set = set_state, .get = get_state, .begin = begin};
static const struct sw_record_ops record_ops = {
    .numbers = SW_DIAGNOSTICS, .get = get_diagnostics, .set = set_diagnostics, .warn = warn_result};

static const struct sw_sim_ops advection_sim_ops = {
    .solver_name = solver_name,
    .load = load,
    .advance = advance,
    .snapshot = snapshot,
    .fetch = fetch,
    .diverged = diverged,
    .destroy = destroy,
    .states = &state_ops,
    .records = &record_ops,
};

enum sw_status advection_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct advection_sim *a = NULL;
    const size_t room = (size_t)setup->capacity;
    *sim = NULL;
    if (advection_row(device->space)->absent) return SW_FAIL(SW_E_ABSENT, "%s", advection_row(device->space)->absent);
    SW_TRY(sw_alloc(1, &a));
    a->sim.ops = &advection_sim_ops;
    a->ops = advection_row(device->space);
    a->setup = *setup;
    a->device = a->arrays.device = device;
    a->discretization = advection_discretization_of(setup);
    a->points = (size_t)sw_points(setup->n);
    a->element_size = setup->single_steps ? 4 : 8;
    sw_array(&a->arrays, (size_t)setup->ncolumn * room, &a->column);
    sw_array(&a->arrays, room, &a->run);
    sw_array(&a->arrays, room, &a->bad_state);
    sw_array(&a->arrays, (size_t)device->threads, &a->thread);
    SW_TRY_TO(failed, st, a->arrays.status);
    SW_TRY_TO(failed, st, advection_terms_create(setup, &a->terms));
    a->velocity_varies = advection_velocity_uses(setup, "t") || advection_velocity_uses(setup, "u");
    SW_TRY_TO(failed, st, advection_operators_probe(a));
    SW_TRY_TO(failed, st, sw_alloc_bytes(1, a->ops->own_size, &a->own));
    SW_TRY_TO(failed, st, a->ops->create(a));
    *sim = &a->sim;
    return SW_OK;
failed:
    destroy(&a->sim);
    return st;
}

enum sw_status advection_bytes(const struct sw_setup *setup, const struct sw_device *device,
                               struct sw_batch_bytes *bytes)
{
    const struct advection_discretization m = advection_discretization_of(setup);
    const size_t points = (size_t)sw_points(setup->n), element_size = setup->single_steps ? 4 : 8;
    bytes->per_run = ((size_t)m.rk->fields + 2 * (size_t)setup->dim) * points * element_size
               + (size_t)setup->ncolumn * sizeof(double) + sizeof(struct advection_run)
               + sizeof(struct advection_diagnostics) + sizeof(int64_t);
    if (advection_row(device->space)->absent) return SW_OK;
    struct advection_terms terms;
    SW_TRY(advection_terms_create(setup, &terms));
    advection_row(device->space)->bytes(setup, &terms, &bytes->fixed, &bytes->per_run);
    advection_terms_destroy(&terms);
    return SW_OK;
}

