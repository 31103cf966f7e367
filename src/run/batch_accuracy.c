/* How far the numbers of some runs are off: each is computed again with half the step, and again with twice the points.
 *
 * With u the field at the end, of a method of order p in time and q in space, Richardson's estimates of its error are
 *
 *     error_time  = 2^p/(2^p - 1) |u(dt) - u(dt/2)|,     error_space = 2^q/(2^q - 1) |u(dx) - u(dx/2)|,
 *
 * root mean squares over the points that both have. Where a problem does not say its orders p = 1 and q = 2 are taken,
 * which makes the estimates larger rather than smaller. A run whose initial value is noise, or comes from a file,
 * begins on the finer grid with the trigonometric polynomial through its points.
 *
 * The runs are one of each equal share of the sweep, whatever the batches: at a place in the share that its number
 * makes, as a fixed one (the middle) is at the same value of the last axis wherever the shares are whole rows of it. */
#include <math.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "expr/random_point.h"
#include "field/resample.h"
#include "problem/initial_file.h"
#include "run/batch_impl.h"

/* ------------------------------------------------------------------ which runs */

static bool is_sampled(int64_t run, int64_t runs, int64_t wanted)
{
    if (wanted >= runs) return true;
    const int64_t share = ((run + 1) * wanted - 1) / runs;  /* nruns <= 1e7, and wanted less: no overflow */
    const int64_t first = share * runs / wanted, width = (share + 1) * runs / wanted - first;
    return run == first + (int64_t)(sw_rand(0, 0, share, 0) * (double)width);
}

struct again {                    /* the sampled runs of a batch */
    struct batch *b;
    int           count, unknowns;
    int          *of;             /* [count] their places in the batch         */
    double       *column;         /* [ncolumn][count]                          */
    double       *end;            /* [count][unknowns][points] as computed     */
    double       *start;          /* [count][unknowns][points] initial values; NULL: expressions that any grid takes */
    struct sw_accuracy found;
};

/* ------------------------------------------------------------------ one more computation */

static bool by_expressions(const struct sw_setup *setup)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (!strcmp(setup->function[k].key, "initial") && sw_expr_is_random(setup->function[k].expr)) return false;
    return !sw_initial_in_file(setup);
}

/* Noise of each step is other noise with other steps. */
static bool has_noise_in_time(const struct sw_setup *setup)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (strcmp(setup->function[k].key, "initial") && sw_expr_is_random(setup->function[k].expr)) return true;
    return false;
}

/* Points of a run: of lines the finer grid has others than the batch. */
static int64_t points_of(const struct again *a) { return sw_points(a->b->group->n); }

static double *column_of(const struct again *a, const char *path)
{
    const int k = sw_setup_column(&a->b->w->setup, path);
    return k < 0 ? NULL : a->column + (size_t)k * (size_t)a->count;
}

/* Begin from the initial values at hand. @param finer  on the grid with twice the points */
static enum sw_status begin(const struct again *a, struct sw_sim *sim, const struct sw_setup *setup, bool finer)
{
    const int64_t n = a->b->group->n[0], m = setup->n[0];
    struct sw_resampler *resampler = NULL;
    enum sw_status st;
    double *u = NULL;
    if (!a->start) return sw_sim_initial(sim);
    if (!finer) return sw_sim_set_state(sim, a->start);
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count * (size_t)a->unknowns * (size_t)m, &u));
    SW_TRY_TO(done, st, sw_resampler_create(n, m, &resampler));
    for (int64_t k = 0; k < a->count * a->unknowns; k++) sw_resample(resampler, a->start + k * n, u + k * m);
    st = sw_sim_set_state(sim, u);
done:
    sw_resampler_destroy(&resampler);
    sw_free(u);
    return st;
}

static bool must_stop(const struct batch *b)
{
    const bool stepped = !b->plan->resume || b->step > b->plan->resume->step;
    return scheduler_may_give_up(b->w->scheduler, sw_clock(), b->w->computed || stepped);
}

/* In pieces between which a stop is noticed. */
static enum sw_status advance(const struct again *a, struct sw_sim *sim, int64_t steps)
{
    int64_t chunk = 1;
    for (int64_t step = 0; step < steps;) {
        const double begun = sw_clock();
        const int64_t to = step + chunk < steps ? step + chunk : steps;
        SW_TRY(sim->ops->advance(sim, step, to));
        SW_TRY(sw_device_wait(a->b->w->device));
        step = to;
        chunk = sw_clock() - begun < 0.05 ? 2 * chunk : chunk > 1 ? chunk / 2 : 1;
        if (must_stop(a->b)) return SW_E_STOPPED;
    }
    return SW_OK;
}

/* @param end  out: [count][unknowns][points of setup->n], NaN where a run could not begin, or diverged */
static enum sw_status compute(const struct again *a, const struct sw_setup *setup, int64_t steps, bool finer,
                              double *end)
{
    const struct sw_problem *problem = a->b->w->scheduler->sweep->problem;
    const char **load_error = NULL;
    struct sw_sim *sim = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, &load_error));
    SW_TRY_TO(done, st, problem->create(problem, setup, a->b->w->device, &sim));
    SW_TRY_TO(done, st, sim->ops->load(sim, a->count, a->column, load_error));
    SW_TRY_TO(done, st, begin(a, sim, setup, finer));
    SW_TRY_TO(done, st, advance(a, sim, steps));
    SW_TRY_TO(done, st, sw_sim_get_state(sim, end));
done:
    if (sim) sim->ops->destroy(sim);
    sw_free(load_error);
    return st;
}

/* ------------------------------------------------------------------ the estimates */

/* The root mean square of the field of a sampled run at its end. */
static double size_of(const struct again *a, int j)
{
    const int64_t count = a->unknowns * points_of(a);
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += a->end[j * count + i] * a->end[j * count + i];
    return sqrt(sum / (double)count);
}

/* @param other  [count][unknowns][m] */
static double difference(const struct again *a, int j, const double *other, int64_t m)
{
    const int64_t n = points_of(a), every = m > n ? 2 : 1;
    double sum = 0;
    for (int v = 0; v < a->unknowns; v++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t line = (int64_t)j * a->unknowns + v;
            const double d = a->end[line * n + i] - other[line * m + every * i];
            sum += d * d;
        }
    return sqrt(sum / (double)(a->unknowns * n));
}

static enum sw_status estimate(struct again *a, bool in_time, struct sw_run_result *result)
{
    const struct sw_problem *problem = a->b->w->scheduler->sweep->problem;
    const int64_t n = a->b->group->n[0];
    struct sw_setup setup = a->b->w->setup;
    int order[2] = {1, 2};
    double *end = NULL, *changed = column_of(a, in_time ? "time.dt" : "grid.n");
    if (problem->orders) problem->orders(problem, &setup, order);
    const double factor = ldexp(1, order[!in_time]);
    setup.capacity = a->count;
    if (!in_time) setup.n[0] = setup.walls[0] ? 2 * n - 1 : 2 * n;
    SW_TRY(sw_alloc((size_t)a->count * (size_t)a->unknowns * (size_t)sw_points(setup.n), &end));
    for (int j = 0; j < a->count && changed; j++) changed[j] = in_time ? changed[j] / 2 : (double)setup.n[0];
    const enum sw_status st = compute(a, &setup, a->b->group->steps * (in_time ? 2 : 1), !in_time, end);
    for (int j = 0; j < a->count && changed; j++)
        changed[j] = a->b->column[(size_t)sw_setup_column(&setup, in_time ? "time.dt" : "grid.n") *
                                      (size_t)a->b->plan->count + (size_t)a->of[j]];
    for (int j = 0; j < a->count && !st; j++) {
        struct sw_run_row *row = &result[a->of[j]].row;
        *(in_time ? &row->error_time : &row->error_space) =
            factor / (factor - 1) * difference(a, j, end, sw_points(setup.n));
        a->found.lost[!in_time] += !isfinite(in_time ? row->error_time : row->error_space);
    }
    sw_free(end);
    return st;
}

/* Keep the sampled runs that are done: their columns, their ends, and where they began if that is noise or from a
 * file. */
static enum sw_status gather(struct again *a, const struct sw_run_result *result)
{
    const struct batch *b = a->b;
    const struct sw_sweep *sweep = b->w->scheduler->sweep;
    const size_t all = (size_t)b->plan->count, size = batch_state_size(b);
    double *state = NULL;
    SW_TRY(sw_alloc(all, &a->of));
    for (int j = 0; j < b->plan->count; j++) {
        const bool at_end = result[j].row.status == SW_RUN_DONE && !result[j].row.stopped;
        if (!is_sampled(b->plan->run[j], sweep->nruns, sweep->accuracy)) continue;
        a->found.sampled++;
        a->found.stopped += result[j].row.status == SW_RUN_DONE && result[j].row.stopped;
        if (at_end) a->of[a->count++] = j;
    }
    if (!a->count) return SW_OK;
    const size_t count = (size_t)a->count;
    SW_TRY(sw_alloc((size_t)sweep->ncolumn * count, &a->column));
    SW_TRY(sw_alloc(count * size, &a->end));
    SW_TRY(sw_alloc(all * size, &state));
    for (size_t k = 0; k < (size_t)sweep->ncolumn; k++)
        for (size_t j = 0; j < count; j++) a->column[k * count + j] = b->column[k * all + (size_t)a->of[j]];
    enum sw_status st = sw_sim_get_state(b->w->sim, state);
    for (size_t j = 0; j < count && !st; j++) memcpy(a->end + j * size, state + (size_t)a->of[j] * size, size * 8);
    sw_free(state);
    return st;
}

static enum sw_status find_start(struct again *a)
{
    const struct batch *b = a->b;
    const struct sw_problem *problem = b->w->scheduler->sweep->problem;
    struct sw_setup setup = b->w->setup;
    struct sw_sim *sim = NULL;
    const char **load_error = NULL;
    bool *finite = NULL;
    enum sw_status st;
    if (by_expressions(&setup)) return SW_OK;
    setup.capacity = a->count;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, &load_error));
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, &finite));
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count * batch_state_size(b), &a->start));
    SW_TRY_TO(done, st, problem->create(problem, &setup, b->w->device, &sim));
    SW_TRY_TO(done, st, sim->ops->load(sim, a->count, a->column, load_error));
    SW_TRY_TO(done, st, sw_initial_begin(sim, &setup, b->w->device->threads, a->count, a->column, finite));
    st = sw_sim_get_state(sim, a->start);
done:
    if (sim) sim->ops->destroy(sim);
    sw_free(finite);
    sw_free(load_error);
    return st;
}

/* What the estimates come to, and of which runs they are none: where twice the estimate is more than the field at the
 * end, that has vanished, or is not resolved, and the estimates are of what is left of it; and where the distance from
 * `exact` is ten times both together, steps and points lose the same in all three computations. */
static void summarize(struct again *a, const struct sw_run_result *result)
{
    struct sw_accuracy *found = &a->found;
    for (int j = 0; j < a->count; j++) {
        const struct sw_run_row *row = &result[a->of[j]].row;
        const double error[2] = {row->error_time, row->error_space}, size = size_of(a, j);
        const double all = fmax(error[0], 0) + fmax(error[1], 0);
        if (isnan(error[0]) && isnan(error[1])) continue;
        for (int k = 0; k < 2; k++)
            if (isfinite(error[k])) found->error[k] = fmax(found->error[k], error[k]);
        const bool known = !isnan(error[0]) && !isnan(error[1]);
        if (known && row->err.l2 > 10 * all && row->err.rel > 1e-6) {  /* less may be rounding */
            found->denied++;
            found->distance = fmax(found->distance, row->err.l2);
        } else found->vague += 2 * all > size;
    }
}

/* In time, and in space where a finer grid has the initial values. */
static enum sw_status estimate_both(struct again *a, struct sw_run_result *result)
{
    const struct sw_setup *setup = &a->b->w->setup;
    const bool line = setup->n[1] == 1 && setup->n[2] == 1 && !a->b->group->cut;
    SW_TRY(find_start(a));
    SW_TRY(estimate(a, true, result));
    a->found.estimated = a->count;
    a->found.spread = line ? 0 : a->count;
    a->found.walled = line && a->start && setup->walls[0] ? a->count : 0;
    return a->found.spread || a->found.walled ? SW_OK : estimate(a, false, result);
}

enum sw_status batch_accuracy(struct batch *b, struct sw_run_result *result)
{
    const struct sw_setup *setup = &b->w->setup;
    struct again a = {.b = b, .unknowns = (int)(batch_state_size(b) / (size_t)sw_points(setup->n))};
    if (!b->w->scheduler->sweep->accuracy) return SW_OK;
    enum sw_status st = gather(&a, result);
    if (!st && has_noise_in_time(setup)) a.found.noisy = a.count;
    else if (!st && a.count) st = estimate_both(&a, result);
    if (st) a.found.broken_off = a.count - a.found.estimated;
    if (a.found.estimated) summarize(&a, result);
    b->w->totals.accuracy = st == SW_E_STOPPED ? (struct sw_accuracy){.missing = a.count} : a.found;
    sw_free(a.of);
    sw_free(a.column);
    sw_free(a.end);
    sw_free(a.start);
    return st == SW_E_MEMORY ? SW_OK : st;  /* the estimates that there is no memory for stay NaN */
}
