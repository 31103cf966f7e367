/* A batch of `advection`: a Runge-Kutta stage is the derivatives of all runs along each axis, by one call of src/fd for
 * each, and then one pass over all points, which forms -c.grad u + nu lap u + S and the next stage. The differences are
 * made with h = 1, and the pass divides by the dx of the run: so runs of any lengths go together. */
#include "problem/advection/advection.h"
#include "problem/advection/advection_impl.h"
#include "problem/advection/advection_limit.h"
#include "problem/advection/advection_speed.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"

static struct advection_sim *of(const struct sw_sim *sim) { return (struct advection_sim *)sim; }

/* ------------------------------------------------------------------ load */

static const char *solver_name(const struct sw_sim *sim) { return of(sim)->solver; }

static size_t state_size(const struct sw_sim *sim) { return of(sim)->points; }

static struct advection_run run_of(const struct advection_sim *a, int j)
{
    const struct sw_grid g = sw_setup_grid(&a->setup, a->count, a->column, j);
    struct advection_run r = {.dt = g.dt, .nu = advection_number(&a->setup, "physics.nu", a->count, a->column, j),
                              .cell = 1};
    for (int d = 0; d < SW_DIMS; d++) {
        r.x0[d] = g.x0[d];
        r.dx[d] = g.dx[d];
        r.per[d] = 1 / g.dx[d];
        r.per2[d] = r.per[d] * r.per[d];
        if (d < a->setup.dim) r.cell *= g.dx[d];
    }
    r.bound = advection_bound(&a->method, a->setup.dim, &r);
    return r;
}

static enum sw_status field(struct advection_sim *a, void *out)
{
    if (*(void **)out) return SW_OK;
    return sw_device_alloc_bytes(a->device, (size_t)a->setup.capacity * a->points, a->word, out);
}

/* Those of second derivatives when first needed: where nu is 0 in all runs they are not. */
static enum sw_status make_fields(struct advection_sim *a)
{
    struct advection_part *p = &a->whole;
    SW_TRY(field(a, &p->now));
    SW_TRY(field(a, &p->next));
    if (a->method.rk->fields > 2) SW_TRY(field(a, &p->sum));
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->model.moves[d]) SW_TRY(field(a, &p->slope[d]));
        if (a->diffuses && a->setup.n[d] > 1) SW_TRY(field(a, &p->bend[d]));
    }
    return SW_OK;
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
        a->pending[j] = false;
        load_error[j] = NULL;
    }
    a->some_pending = false;
    SW_TRY(advection_parts_make(a));
    SW_TRY(make_fields(a));
    return a->ops->load(a);
}

/* ------------------------------------------------------------------ the state */

static enum sw_status set_stops(struct advection_sim *a, int64_t value)
{
    int64_t *stop;
    SW_TRY(sw_alloc((size_t)a->count, &stop));
    for (int j = 0; j < a->count; j++) stop[j] = a->pending[j] ? value : ADVECTION_FINE;
    enum sw_status st = a->ops->set_stop(a, stop);
    sw_free(stop);
    return st;
}

/* From the host to the field, in its precision. */
static enum sw_status put(struct advection_sim *a, const double *u)
{
    const size_t values = (size_t)a->count * a->points;
    float *narrow = NULL;
    if (!a->setup.single_steps) return sw_device_upload(a->device, a->whole.now, u, values * sizeof *u);
    SW_TRY(sw_alloc(values, &narrow));
    for (size_t i = 0; i < values; i++) narrow[i] = (float)u[i];
    enum sw_status st = sw_device_upload(a->device, a->whole.now, narrow, values * sizeof *narrow);
    sw_free(narrow);
    return st;
}

static enum sw_status set_state(struct sw_sim *sim, const double *u)
{
    struct advection_sim *a = of(sim);
    a->some_pending = false;
    for (int j = 0; j < a->count; j++) {
        a->pending[j] = false;
        for (size_t i = 0; i < a->points && !a->pending[j]; i++)
            a->pending[j] = !isfinite(u[(size_t)j * a->points + i]);
        a->some_pending |= a->pending[j];
    }
    a->step = -1;
    SW_TRY(set_stops(a, ADVECTION_FINE));
    SW_TRY(advection_record_clear(a));
    return put(a, u);
}

static enum sw_status get_state(struct sw_sim *sim, double *u)
{
    struct advection_sim *a = of(sim);
    const size_t values = (size_t)a->count * a->points;
    int64_t *stop;
    SW_TRY(sw_alloc((size_t)a->count, &stop));
    enum sw_status st = sw_device_download(a->device, u, a->whole.now, values * a->word);
    if (!st) st = a->ops->get_stop(a, stop);
    for (size_t i = values; a->setup.single_steps && i-- > 0;) u[i] = (double)((const float *)u)[i];  /* from the end */
    for (int j = 0; j < a->count && !st; j++)
        for (size_t i = 0; (stop[j] != ADVECTION_FINE || a->pending[j]) && i < a->points; i++)
            u[(size_t)j * a->points + i] = NAN;
    sw_free(stop);
    return st;
}

static enum sw_status initial(struct sw_sim *sim)
{
    struct advection_sim *a = of(sim);
    double *u = NULL;
    enum sw_status st;
    memset(a->pending, 0, (size_t)a->count * sizeof *a->pending);
    a->some_pending = false;
    a->step = 0;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count * a->points, &u));
    SW_TRY_TO(done, st, advection_draw(a, u));
    SW_TRY_TO(done, st, set_stops(a, 0));
    SW_TRY_TO(done, st, advection_record_clear(a));
    SW_TRY_TO(done, st, put(a, u));
    SW_TRY_TO(done, st, a->ops->close(a, &a->whole, 0));
done:
    sw_free(u);
    return st;
}

/* ------------------------------------------------------------------ steps */

static void *at_run(const struct advection_sim *a, void *field_, int j)
{
    return (char *)field_ + (size_t)j * a->points * a->word;
}

static enum sw_status differentiate(const struct advection_sim *a, const struct advection_part *p, void *w)
{
    for (int d = 0; d < SW_DIMS; d++) {
        void *from = at_run(a, w, p->from);
        if (p->first[d]) SW_TRY(sw_fd_apply(p->first[d], from, at_run(a, p->slope[d], p->from)));
        if (p->second[d]) SW_TRY(sw_fd_apply(p->second[d], from, at_run(a, p->bend[d], p->from)));
    }
    return SW_OK;
}

static void swap_fields(struct advection_part *p)
{
    void *next = p->next;
    p->next = p->now;
    p->now = next;
}

static enum sw_status filter(const struct advection_sim *a, struct advection_part *p)
{
    for (int d = 0; d < SW_DIMS; d++) {
        if (a->setup.n[d] == 1) continue;
        for (int k = 0; k < p->nfilter; k++) {
            const int j = p->from + p->filter[k].from;
            SW_TRY(sw_fd_apply(p->filter[k].fd[d], at_run(a, p->now, j), at_run(a, p->next, j)));
        }
        swap_fields(p);
    }
    return SW_OK;
}

static enum sw_status take_steps(struct advection_sim *a, struct advection_part *p, int64_t from, int64_t to)
{
    const int last = a->method.rk->stages - 1;
    for (int64_t step = from; step < to; step++) {
        for (int k = 0; k <= last; k++) {
            const bool watching = k == 0 && (step == 0 || a->speeds_change);
            const int how = (k == 0 ? ADVECTION_FIRST : 0) | (k == last ? ADVECTION_LAST : 0)
                            | (k == last && !p->nfilter ? ADVECTION_CLOSING : 0) | (watching ? ADVECTION_WATCHING : 0);
            SW_TRY(differentiate(a, p, k ? p->next : p->now));
            SW_TRY(a->ops->stage(a, p, step, k, how));
        }
        if (!p->nfilter) continue;
        SW_TRY(filter(a, p));
        SW_TRY(a->ops->close(a, p, step + 1));
    }
    return SW_OK;
}

/* The part of a team that takes group g. */
static struct advection_part *begin_group(const struct advection_sim *a, struct advection_team *team, int g, int worker)
{
    const int from = g * a->each, left = a->count - from;
    struct advection_part *p = &team->part[left < a->each];
    p->from = from;
    p->worker = worker;
    p->now = a->whole.now;
    p->next = a->whole.next;
    p->sum = a->whole.sum;
    memcpy(p->slope, a->whole.slope, sizeof p->slope);
    memcpy(p->bend, a->whole.bend, sizeof p->bend);
    return p;
}

/* Where the new u is, is the same for all groups. */
static enum sw_status advance_teams(struct advection_sim *a, int64_t from, int64_t to)
{
    const int groups = (a->count + a->each - 1) / a->each;
    struct sw_err_kept failure = {0};
    bool swapped = false;
#pragma omp parallel for schedule(dynamic) num_threads(a->device->threads) if (groups > 1)
    for (int g = 0; g < groups; g++) {
        const int worker = omp_get_thread_num();
        struct advection_part *p = begin_group(a, &a->team[worker], g, worker);
        const enum sw_status st = take_steps(a, p, from, to);
        if (g == 0) swapped = p->now != a->whole.now;
#pragma omp critical(sw_advection_failure)
        sw_err_keep(&failure, st);
    }
    if (swapped) swap_fields(&a->whole);
    return sw_err_raise(&failure);
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct advection_sim *a = of(sim);
    if (a->some_pending && from < to) {
        SW_TRY(set_stops(a, from));
        a->some_pending = false;
    }
    if (from < to) a->step = to;
    return a->each ? advance_teams(a, from, to) : take_steps(a, &a->whole, from, to);
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    return of(sim)->ops->snapshot(of(sim), slot, what);
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field_, const double **scalars)
{
    return of(sim)->ops->fetch(of(sim), slot, field_, scalars);
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    struct advection_sim *a = of(sim);
    SW_TRY(a->ops->get_stop(a, step));
    for (int j = 0; j < a->count; j++)
        if (step[j] == ADVECTION_FINE) step[j] = -1;
    return SW_OK;
}

static void destroy(struct sw_sim *sim)
{
    struct advection_sim *a = of(sim);
    if (!a) return;
    if (a->ops->destroy) a->ops->destroy(a);
    const struct advection_part *p = &a->whole;
    void *array[] = {p->now,      p->next,    p->sum,     p->slope[0], p->slope[1],
                     p->slope[2], p->bend[0], p->bend[1], p->bend[2]};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) sw_device_free(a->device, array[k]);
    advection_parts_unmake(a);
    advection_model_free(&a->model);
    sw_free(a->team);
    sw_free(a->column);
    sw_free(a->run);
    sw_free(a->pending);
    sw_free(a);
}

static const struct sw_sim_ops advection_sim_ops = {
    .solver_name = solver_name,
    .state_size = state_size,
    .load = load,
    .initial = initial,
    .set_state = set_state,
    .get_state = get_state,
    .advance = advance,
    .snapshot = snapshot,
    .fetch = fetch,
    .diverged = diverged,
    .get_diagnostics = advection_record_get,
    .set_diagnostics = advection_record_set,
    .warn_result = advection_record_comment,
    .destroy = destroy,
};

/* ------------------------------------------------------------------ making one */

enum sw_status advection_create(const struct sw_problem *problem, const struct sw_setup *setup,
                                struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct advection_sim *a = NULL;
    const size_t room = (size_t)setup->capacity;
    (void)problem;
    *sim = NULL;
    if (advection_row(device->space)->absent) return SW_FAIL(SW_E_ABSENT, "%s", advection_row(device->space)->absent);
    SW_TRY(sw_alloc(1, &a));
    a->sim.ops = &advection_sim_ops;
    a->ops = advection_row(device->space);
    a->setup = *setup;
    a->device = device;
    a->method = advection_method_of(setup);
    a->points = (size_t)sw_points(setup->n);
    a->word = setup->single_steps ? 4 : 8;
    SW_TRY_TO(failed, st, sw_alloc((size_t)setup->ncolumn * room, &a->column));
    SW_TRY_TO(failed, st, sw_alloc(room, &a->run));
    SW_TRY_TO(failed, st, sw_alloc(room, &a->pending));
    SW_TRY_TO(failed, st, sw_alloc((size_t)device->threads, &a->team));
    SW_TRY_TO(failed, st, advection_model_make(setup, &a->model));
    a->speeds_change = advection_speed_names(setup, "t") || advection_speed_names(setup, "u");
    SW_TRY_TO(failed, st, advection_parts_probe(a));
    SW_TRY_TO(failed, st, a->ops->create(a));
    *sim = &a->sim;
    return SW_OK;
failed:
    destroy(&a->sim);
    return st;
}

enum sw_status advection_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                               const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const struct advection_method m = advection_method_of(setup);
    const size_t points = (size_t)sw_points(setup->n), word = setup->single_steps ? 4 : 8;
    (void)problem;
    *fixed = 0;
    *per_run = ((size_t)m.rk->fields + 2 * (size_t)setup->dim) * points * word
               + (size_t)setup->ncolumn * sizeof(double) + sizeof(struct advection_run)
               + sizeof(struct advection_watch) + sizeof(int64_t);
    if (advection_row(device->space)->absent) return SW_OK;
    struct advection_model model;
    SW_TRY(advection_model_make(setup, &model));
    advection_row(device->space)->bytes(setup, &model, fixed, per_run);
    advection_model_free(&model);
    return SW_OK;
}

enum sw_status advection_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm)
{
    struct advection_model model;
    (void)problem;
    const struct advection_ops *ops = advection_row(SW_DEVICE);
    if (ops->absent) return SW_FAIL(SW_E_ABSENT, "%s", ops->absent);
    SW_TRY(advection_model_make(setup, &model));
    enum sw_status st = ops->try_compile(setup, &model, sm);
    advection_model_free(&model);
    return st;
}
