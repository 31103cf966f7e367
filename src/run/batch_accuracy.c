/* How far the numbers of some runs are off: each is computed again with half the step, and where accuracy.runs asks for
 * it with twice the points, too.
 *
 * With u the field at the end, of a method of order p in time and q in space, Richardson's estimates of its error are
 *
 *     error_time  = 2^p/(2^p - 1) |u(dt) - u(dt/2)|,     error_space = 2^q/(2^q - 1) |u(dx) - u(dx/2)|,
 *
 * root mean squares over the points that both have. Where a problem does not say its orders p = 1 and q = 2 are taken,
 * which makes the estimates larger rather than smaller. A run whose initial value is noise, or comes from a file,
 * begins on the finer grid with the trigonometric polynomial through its points.
 *
 * Half steps are taken by a thread of its own, beside the batch: on a GPU on a stream of its own.
 *
 * With accuracy.runs = N the runs are one of each equal share of the sweep, whatever the batches: at a place in the
 * share that its number makes, as a fixed one (the middle) is at the same value of the last axis wherever the shares
 * are whole rows of it. Unless the config says accuracy.runs, the sample is what costs little: all runs of a small
 * sweep; of a larger one a few that stand for all (sw_sweep_few()). Where even these would take more than a twentieth
 * of the sweep, half steps stop at an earlier time, and what is known is the difference until then. What is computed
 * is counted in points times steps, not in seconds: the same config has the same estimates. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "expr/random_point.h"
#include "field/resample.h"
#include "problem/initial_file.h"
#include "run/batch_impl.h"

/* ------------------------------------------------------------------ which runs, and until when */

/* Points times steps that half steps of a sweep may take in any case: below a second of one processor. */
static const double free_work = 5e7;
/* Of the points times steps of the whole sweep that they may take beyond. */
static const double share_of_work = 0.05;

/* A GPU takes half steps beside the batch, but twice as many one after another. So many are no time; and so many runs
 * keep it busy for longer than that. */
static const double short_on_gpu = 2e5;
enum { MANY_ON_GPU = 4096 };

static bool in_share(int64_t run, int64_t runs, int64_t wanted)
{
    if (wanted >= runs) return true;
    const int64_t share = ((run + 1) * wanted - 1) / runs;  /* nruns <= 1e7, and wanted less: no overflow */
    const int64_t first = share * runs / wanted, width = (share + 1) * runs / wanted - first;
    return run == first + (int64_t)(sw_rand(0, 0, share, 0) * (double)width);
}

/* Points times steps of a run. */
static double work_of_run(const struct batch *b)
{
    return (double)sw_points(b->group->n) * (double)b->group->steps;
}

static bool is_small(const struct batch *b)
{
    enum { FEW = 64 };  /* of more runs even a step of each is more than a sample should cost */
    const int64_t runs = b->w->scheduler->sweep->nruns;
    return runs <= FEW && 2 * (double)runs * work_of_run(b) <= free_work;
}

static bool is_sampled(const struct batch *b, int64_t run)
{
    const struct sw_sweep *sweep = b->w->scheduler->sweep;
    if (sweep->accuracy >= 0) return in_share(run, sweep->nruns, sweep->accuracy);
    return is_small(b) || sw_few_has(&b->w->scheduler->sample, run);
}

/* The step until which sampled runs are computed again, of all; those that are few. */
static int64_t last_halved(const struct batch *b)
{
    const struct sw_sweep *sweep = b->w->scheduler->sweep;
    const double steps = (double)b->group->steps, runs = (double)sweep->nruns;
    if (sweep->accuracy >= 0 || is_small(b)) return b->group->steps;
    double share = fmax(free_work / work_of_run(b), share_of_work * runs) / (2 * b->w->scheduler->sample.count);
    if (share < 1) share *= 2.0 / 3;  /* steps are taken again, too */
    if (b->w->device->space == SW_DEVICE && 2 * steps > short_on_gpu && runs < MANY_ON_GPU) share = fmin(share, 0.5);
    return share >= 1 ? b->group->steps : (int64_t)(share * steps);
}

struct again {                    /* the sampled runs of a batch */
    struct batch *b;
    int           count, unknowns;
    int          *of;             /* [count] their places in the batch         */
    double       *column;         /* [ncolumn][count]                          */
    double       *end;            /* [count][unknowns][points] as computed     */
    double       *start;          /* [count][unknowns][points] initial values; NULL: expressions that any grid takes */
    struct sw_accuracy found;

    /* half steps, beside the batch */
    int64_t       until;          /* the step of the batch at which they end   */
    struct sw_setup setup;
    struct sw_device *device;     /* with streams of its own                   */
    double       *half_column;    /* [ncolumn][count]                          */
    double       *first;          /* [count][unknowns] root mean squares of the initial values */
    double       *half;           /* [count][unknowns][points] their ends      */
    pthread_t     thread;
    bool          threaded;
    atomic_bool   stop, over;
    struct sw_err_kept failed;
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

/* Begin on the grid with twice the points. */
static enum sw_status begin(const struct again *a, struct sw_sim *sim, const struct sw_setup *setup)
{
    const int64_t n = a->b->group->n[0], m = setup->n[0];
    struct sw_resampler *resampler = NULL;
    enum sw_status st;
    double *u = NULL;
    if (!a->start) return sw_sim_initial(sim);
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
static enum sw_status advance(const struct again *a, struct sw_device *device, struct sw_sim *sim, int64_t steps)
{
    int64_t chunk = 1;
    for (int64_t step = 0; step < steps;) {
        const double begun = sw_clock();
        const int64_t to = step + chunk < steps ? step + chunk : steps;
        SW_TRY(sim->ops->advance(sim, step, to));
        SW_TRY(sw_device_wait(device));
        step = to;
        chunk = sw_clock() - begun < 0.05 ? 2 * chunk : chunk > 1 ? chunk / 2 : 1;
        if (device == a->device ? atomic_load(&a->stop) : must_stop(a->b)) return SW_E_STOPPED;
    }
    return SW_OK;
}

/* @param end  out: [count][unknowns][points of setup->n], NaN where a run could not begin, or diverged */
static enum sw_status compute(const struct again *a, const struct sw_setup *setup, int64_t steps, double *end)
{
    const struct sw_problem *problem = a->b->w->scheduler->sweep->problem;
    const char **load_error = NULL;
    struct sw_sim *sim = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, &load_error));
    SW_TRY_TO(done, st, problem->create(problem, setup, a->b->w->device, &sim));
    SW_TRY_TO(done, st, sim->ops->load(sim, a->count, a->column, load_error));
    SW_TRY_TO(done, st, begin(a, sim, setup));
    SW_TRY_TO(done, st, advance(a, a->b->w->device, sim, steps));
    SW_TRY_TO(done, st, sw_sim_get_state(sim, end));
done:
    if (sim) sim->ops->destroy(sim);
    sw_free(load_error);
    return st;
}

/* ------------------------------------------------------------------ half steps, beside the batch */

static double root_mean_square(int64_t count, const double *u)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += u[i] * u[i];
    return sqrt(sum / (double)count);
}

/* @param column  [ncolumn][count]
 * @param first   out: [count][unknowns] root mean squares of the initial values; NULL: they are known
 * @param u       out: [count][unknowns][points] after so many steps */
static enum sw_status compute_beside(const struct again *a, const double *column, int64_t steps, double *first,
                                     double *u)
{
    const struct sw_problem *problem = a->b->w->scheduler->sweep->problem;
    const size_t count = (size_t)a->count, points = (size_t)points_of(a);
    const char **load_error = NULL;
    struct sw_sim *sim = NULL;
    bool *finite = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc(count, &load_error));
    SW_TRY_TO(done, st, sw_alloc(count, &finite));
    SW_TRY_TO(done, st, problem->create(problem, &a->setup, a->device, &sim));
    SW_TRY_TO(done, st, sim->ops->load(sim, a->count, column, load_error));
    SW_TRY_TO(done, st, sw_initial_begin(sim, &a->setup, a->device->threads, a->count, column, finite));
    SW_TRY_TO(done, st, sw_sim_get_state(sim, u));
    for (size_t k = 0; k < count * (size_t)a->unknowns && first; k++)
        first[k] = root_mean_square((int64_t)points, u + k * points);
    SW_TRY_TO(done, st, advance(a, a->device, sim, steps));
    SW_TRY_TO(done, st, sw_sim_get_state(sim, u));
done:
    if (sim) sim->ops->destroy(sim);
    sw_free(finite);
    sw_free(load_error);
    return st;
}

/* Where half steps end before the batch, the steps until then are taken once more, too: so nothing depends on where a
 * batch was stopped. */
static enum sw_status halve(struct again *a)
{
    SW_TRY(sw_device_use(a->device));
    SW_TRY(compute_beside(a, a->half_column, 2 * a->until, a->first, a->half));
    return a->until < a->b->group->steps ? compute_beside(a, a->column, a->until, NULL, a->end) : SW_OK;
}

static void *halve_in_thread(void *again)
{
    struct again *a = again;
    omp_set_num_threads(a->device->threads);
    sw_err_keep(&a->failed, halve(a));
    atomic_store(&a->over, true);
    return NULL;
}

static bool gives_up(void *again) { return atomic_load(&((struct again *)again)->stop); }

/* What a batch needs not may take little of the memory that is left. */
static bool has_room(const struct again *a)
{
    const struct sw_problem *problem = a->b->w->scheduler->sweep->problem;
    size_t fixed, per_run;
    if (problem->bytes(problem, &a->setup, a->b->w->device, &fixed, &per_run)) return false;
    return (double)fixed + (double)a->count * (double)per_run <
           0.25 * (double)sw_device_memory_free(a->b->w->device);
}

static enum sw_status begin_halves(struct again *a)
{
    const struct batch *b = a->b;
    const int64_t ncolumn = b->w->scheduler->sweep->ncolumn, dt = sw_setup_column(&b->w->setup, "time.dt");
    const size_t lines = (size_t)a->count * (size_t)a->unknowns;
    a->setup = b->w->setup;
    a->setup.capacity = a->count;
    a->setup.give_up = gives_up;
    a->setup.give_up_user = a;
    SW_TRY(sw_alloc((size_t)(ncolumn * a->count), &a->half_column));
    memcpy(a->half_column, a->column, (size_t)(ncolumn * a->count) * sizeof *a->column);
    for (int j = 0; j < a->count && dt >= 0; j++) a->half_column[dt * a->count + j] /= 2;
    SW_TRY(sw_alloc(lines, &a->first));
    SW_TRY(sw_alloc(lines * (size_t)points_of(a), &a->half));
    SW_TRY(sw_alloc(lines * (size_t)points_of(a), &a->end));
    if (!has_room(a)) return SW_E_MEMORY;
    SW_TRY(sw_device_open_beside(b->w->device, b->w->scheduler->sweep->accuracy > 0 ? 0 : 1, &a->device));
    a->threaded = !pthread_create(&a->thread, NULL, halve_in_thread, a);
    return a->threaded ? SW_OK : SW_E_MEMORY;
}

/* Choose the runs, which are loaded, and their columns. */
static enum sw_status choose(struct again *a)
{
    const struct batch *b = a->b;
    const size_t all = (size_t)b->plan->count, ncolumn = (size_t)b->w->scheduler->sweep->ncolumn;
    SW_TRY(sw_alloc(all, &a->of));
    for (int j = 0; j < b->plan->count; j++)
        if (is_sampled(b, b->plan->run[j])) a->of[a->count++] = j;
    const size_t count = (size_t)a->count;
    SW_TRY(sw_alloc(ncolumn * count, &a->column));
    for (size_t k = 0; k < ncolumn; k++)
        for (size_t j = 0; j < count; j++) a->column[k * count + j] = b->column[k * all + (size_t)a->of[j]];
    return SW_OK;
}

enum sw_status batch_accuracy_begin(struct batch *b)
{
    const struct sw_sweep *sweep = b->w->scheduler->sweep;
    struct again *a;
    enum sw_status st;
    if (!sweep->accuracy || !b->group->steps) return SW_OK;
    SW_TRY(sw_alloc(1, &a));
    b->again = a;
    *a = (struct again){.b = b, .unknowns = (int)(batch_state_size(b) / (size_t)sw_points(b->w->setup.n)),
                        .until = last_halved(b)};
    st = choose(a);
    if (!st && a->count && a->until && !has_noise_in_time(&b->w->setup)) st = begin_halves(a);
    return st == SW_E_MEMORY ? SW_OK : st;
}

static void join(struct again *a)
{
    if (a->threaded) pthread_join(a->thread, NULL);
    a->threaded = false;
    sw_device_close(&a->device);
}

/* @return SW_E_STOPPED all is to stop */
static enum sw_status wait_for_halves(struct again *a)
{
    if (!a->threaded) return SW_E_MEMORY;
    for (int64_t ns = 20000; !atomic_load(&a->over); ns = ns < 10000000 ? 2 * ns : ns) {
        if (must_stop(a->b)) atomic_store(&a->stop, true);
        nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    }
    join(a);
    return sw_err_raise(&a->failed);
}

void batch_accuracy_end(struct batch *b)
{
    struct again *a = b->again;
    if (!a) return;
    atomic_store(&a->stop, true);
    join(a);
    sw_free(a->of);
    sw_free(a->column);
    sw_free(a->end);
    sw_free(a->start);
    sw_free(a->half_column);
    sw_free(a->first);
    sw_free(a->half);
    sw_free(a);
    b->again = NULL;
}

/* ------------------------------------------------------------------ the estimates */

/* Whether run j of the sample has come to its end. */
static bool is_at_end(const struct again *a, const struct sw_run_result *result, int j)
{
    const struct sw_run_row *row = &result[a->of[j]].row;
    return row->status == SW_RUN_DONE && !row->stopped;
}

/* The root mean square of the difference of one unknown. @param other  [count][unknowns][m] */
static double difference(const struct again *a, int j, int unknown, const double *other, int64_t m)
{
    const int64_t n = points_of(a), every = m > n ? 2 : 1, line = (int64_t)j * a->unknowns + unknown;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double d = a->end[line * n + i] - other[line * m + every * i];
        sum += d * d;
    }
    return sqrt(sum / (double)n);
}

static double difference_of_all(const struct again *a, int j, const double *other, int64_t m)
{
    double sum = 0;
    for (int v = 0; v < a->unknowns; v++) sum += pow(difference(a, j, v, other, m), 2);
    return sqrt(sum / a->unknowns);
}

/* By what the difference of two steps, or grids, is to be multiplied. */
static double richardson(const struct again *a, bool in_time)
{
    const struct sw_problem *problem = a->b->w->scheduler->sweep->problem;
    int order[2] = {1, 2};
    if (problem->orders) problem->orders(problem, &a->b->w->setup, order);
    const double factor = ldexp(1, order[!in_time]);
    return factor / (factor - 1);
}

/* The error in time in terms of the field, of the unknown for which it is largest. */
static double relative_error(const struct again *a, int j)
{
    double worst = 0;
    for (int v = 0; v < a->unknowns; v++) {
        const int64_t line = (int64_t)j * a->unknowns + v, n = points_of(a);
        const double size = fmax(root_mean_square(n, a->end + line * n), SW_DECAYED * a->first[line]),
                     error = richardson(a, true) * difference(a, j, v, a->half, n);
        if (error > 0 || isnan(error)) worst = fmax(worst, isfinite(error / size) ? error / size : INFINITY);
    }
    return worst;
}

/* @param last  what the last steps do; NULL: nobody has looked */
static void warn_coarse(struct again *a, int j, double error, const struct batch_last *last, struct sw_run_result *r)
{
    const struct batch *b = a->b;
    char text[400], until[48] = "";
    int used = 0;
    const bool differs = error > SW_COARSE, made = last && *last->text;
    if (!differs && !made) return;
    a->found.coarse++;
    if (a->until < b->group->steps) snprintf(until, sizeof until, " at t = %.4g", batch_time(b, a->of[j], a->until));
    if (differs && isfinite(error))
        used += snprintf(text + used, sizeof text - (size_t)used, "half the step changes u by %.2g of its size%s",
                         error / richardson(a, true), until);
    else if (differs)
        used += snprintf(text + used, sizeof text - (size_t)used, "with half the step u is not finite%s", until);
    if (made) used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", differs ? "; " : "", last->text);
    if (differs && last && !made && last->off < 0.1 * SW_COARSE)
        used += snprintf(text + used, sizeof text - (size_t)used, ": small differences grow in this run");
    batch_append_message(r->message, text);
}

/* Take the estimates in time from half steps, which are there. @param last  [count]; NULL */
static void compare_halves(struct again *a, const struct batch_last *last, struct sw_run_result *result)
{
    for (int j = 0; j < a->count; j++) {
        struct sw_run_row *row = &result[a->of[j]].row;
        if (!is_at_end(a, result, j)) continue;
        a->found.estimated++;
        a->found.earlier += a->until < a->b->group->steps;
        const double error = relative_error(a, j), all = difference_of_all(a, j, a->half, points_of(a));
        if (a->until == a->b->group->steps) row->error_time = richardson(a, true) * all;
        a->found.lost[0] += !isfinite(all);
        if (isfinite(error)) a->found.relative = fmax(a->found.relative, error);
        warn_coarse(a, j, error, last ? &last[j] : NULL, &result[a->of[j]]);
    }
}

static enum sw_status estimate_in_space(struct again *a, struct sw_run_result *result)
{
    const int64_t n = a->b->group->n[0], changed = sw_setup_column(&a->b->w->setup, "grid.n");
    struct sw_setup setup = a->b->w->setup;
    double *end = NULL;
    setup.capacity = a->count;
    setup.n[0] = setup.walls[0] ? 2 * n - 1 : 2 * n;
    SW_TRY(sw_alloc((size_t)a->count * (size_t)a->unknowns * (size_t)sw_points(setup.n), &end));
    for (int j = 0; j < a->count && changed >= 0; j++) a->column[changed * a->count + j] = (double)setup.n[0];
    const enum sw_status st = compute(a, &setup, a->b->group->steps, end);
    for (int j = 0; j < a->count && !st; j++) {
        struct sw_run_row *row = &result[a->of[j]].row;
        if (!is_at_end(a, result, j)) continue;
        row->error_space = richardson(a, false) * difference_of_all(a, j, end, sw_points(setup.n));
        a->found.lost[1] += !isfinite(row->error_space);
    }
    sw_free(end);
    return st;
}

/* Where the runs began, if that is noise or from a file: the finer grid begins with the same. */
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
    const int64_t numbers = a->unknowns * points_of(a);
    for (int j = 0; j < a->count; j++) {
        const struct sw_run_row *row = &result[a->of[j]].row;
        const double error[2] = {row->error_time, row->error_space},
                     size = root_mean_square(numbers, a->end + j * numbers),
                     all = fmax(error[0], 0) + fmax(error[1], 0);
        if (isnan(error[0]) && isnan(error[1])) continue;
        for (int k = 0; k < 2; k++)
            if (isfinite(error[k])) found->error[k] = fmax(found->error[k], error[k]);
        const bool known = !isnan(error[0]) && !isnan(error[1]);
        if (known && row->err.l2 > 10 * all && row->err.rel > 1e-6) {  /* less may be rounding */
            found->denied++;
            found->distance = fmax(found->distance, row->err.l2);
        } else if (a->b->w->scheduler->sweep->accuracy > 0) found->vague += 2 * all > size;
    }
}

/* How many of the last steps are looked at; 0: they would take too long. */
static int last_steps(const struct again *a)
{
    enum { MOST = 8, LEAST = 4 };
    const double room = 0x1p23;  /* numbers of their states: batch_last_steps() takes 112 bytes for each, 1 GB */
    if ((double)a->count * (double)batch_state_size(a->b) > room) return 0;
    const double all = share_of_work / 2 * (double)a->b->w->scheduler->sweep->nruns * (double)a->b->group->steps,
                 each = 6.0 * a->count;  /* with noise and without; one of a step, two of half a step */
    if (is_small(a->b) || MOST * each <= all) return MOST;
    return LEAST * each <= all ? LEAST : 0;
}

/* Nothing where memory is out. @param last  out: [count]; NULL: nobody has looked */
static enum sw_status look_at_last_steps(struct again *a, struct batch_last **last)
{
    const int steps = last_steps(a);
    double *end = NULL;
    enum sw_status st;
    *last = NULL;
    if (!steps) return SW_OK;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count * batch_state_size(a->b), &end));
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, last));
    SW_TRY_TO(done, st, sw_sim_get_states(a->b->w->sim, a->b->plan->count, a->count, a->of, end));
    st = batch_last_steps(a->b, a->count, a->column, end, a->first, steps, *last);
done:
    sw_free(end);
    if (st) sw_free(*last), *last = NULL;
    return st == SW_E_MEMORY ? SW_OK : st;
}

/* In space where accuracy.runs asks for it, and a finer grid has the initial values. */
static enum sw_status estimate(struct again *a, struct sw_run_result *result)
{
    const struct sw_setup *setup = &a->b->w->setup;
    const bool line = setup->n[1] == 1 && setup->n[2] == 1 && !a->b->group->cut;
    struct batch_last *last;
    SW_TRY(wait_for_halves(a));
    if (a->until == a->b->group->steps)
        SW_TRY(sw_sim_get_states(a->b->w->sim, a->b->plan->count, a->count, a->of, a->end));
    SW_TRY(look_at_last_steps(a, &last));
    compare_halves(a, last, result);
    sw_free(last);
    if (a->b->w->scheduler->sweep->accuracy < 0 || !a->found.estimated) return SW_OK;
    SW_TRY(find_start(a));
    a->found.spread = line ? 0 : a->found.estimated;
    a->found.walled = line && a->start && setup->walls[0] ? a->found.estimated : 0;
    return a->found.spread || a->found.walled ? SW_OK : estimate_in_space(a, result);
}

enum sw_status batch_accuracy(struct batch *b, struct sw_run_result *result)
{
    struct again *a = b->again;
    enum sw_status st = SW_OK;
    int at_end = 0;
    if (!a || !a->count) return SW_OK;
    for (int j = 0; j < a->count; j++) {
        a->found.stopped += result[a->of[j]].row.status == SW_RUN_DONE && result[a->of[j]].row.stopped;
        at_end += is_at_end(a, result, j);
    }
    a->found.sampled = a->count;
    if (has_noise_in_time(&b->w->setup)) a->found.noisy = at_end;
    else if (at_end && a->until) st = estimate(a, result);
    else a->found.broken_off = at_end;
    if (st) a->found.broken_off = at_end - a->found.estimated;
    if (a->found.estimated) summarize(a, result);
    b->w->totals.accuracy = st == SW_E_STOPPED ? (struct sw_accuracy){.missing = at_end} : a->found;
    return st == SW_E_MEMORY ? SW_OK : st;  /* the estimates that there is no memory for stay NaN */
}
