#include "run/accuracy.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/random_point.h"
#include "field/resample.h"
#include "problem/initial_file.h"
#include "run/domain.h"
#include "run/last_steps.h"

/* Each run of a sample is computed again with half the step, and where accuracy.runs asks for it with twice the points,
 * too.
 *
 * With u the field at the end, of a method of order p in time and q in space, Richardson's estimates of its error are
 *
 *     error_time  = 2^p/(2^p - 1) |u(dt) - u(dt/2)|,     error_space = 2^q/(2^q - 1) |u(dx) - u(dx/2)|,
 *
 * root mean squares over the points that both have. Where a problem does not say its orders p = 1 and q = 2 are taken,
 * which makes the estimates larger rather than smaller. A run whose initial value is noise, or comes from a file,
 * begins on the finer grid with the trigonometric polynomial through its points.
 *
 * Half steps are taken by a thread of its own, beside the batch: on a GPU on a stream of its own. Ranks that cut the
 * grids of the batch take them together behind it: their communicators serve one thread. Each has its slab of what
 * follows, and sums over points are those of all ranks, added in their order.
 *
 * With accuracy.runs = N the runs are one of each equal share of the sweep, whatever the batches: at a place in the
 * share that its number makes, as a fixed one (the middle) is at the same value of the last axis wherever the shares
 * are whole rows of it. Unless the config says accuracy.runs, the sample is what costs little: all runs of a small
 * sweep; of a larger one a few that stand for all (sw_representatives_choose()). Where even these would take
 * more than a twentieth of the sweep, half steps stop at an earlier time, and what is known is the difference until
 * then. What is computed is counted in points times steps, not in seconds: the same config has the same estimates on
 * every CPU, and likewise on every GPU. On a GPU half steps may stop earlier than on a CPU (last_halved()). */

struct accuracy {                 /* the sampled runs of a batch */
    const struct runs *r;
    const struct sw_comm *comm;   /* the ranks that cut the grids; NULL: they are whole */
    const struct sw_representatives *sample;  /* of all runs, unless accuracy.runs says which */
    bool        (*must_stop)(void *user);
    void         *user;
    int           count;
    int          *of;             /* [count] their places in the batch         */
    double       *column;         /* [ncolumn][count]                          */
    double       *end;            /* [count][unknowns][points] as computed     */
    double       *start;          /* [count][unknowns][points] initial values; NULL: expressions that any grid takes */
    double       *below;          /* [count][unknowns][points] where runs of a ladder begin; NULL: they have initial
                                     values */
    struct sw_accuracy found;

    /* half steps, beside the batch */
    int64_t      *until;          /* [count] the step of each run at which they end */
    struct sw_paces paces[2];     /* of runs with paces: steps until there, and half steps */
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
static double work_of_run(const struct runs *r, int64_t steps)
{
    return (double)sw_points(r->group->n) * (double)steps;
}

static bool is_small(const struct runs *r, int64_t steps)
{
    enum { FEW = 64 };  /* of more runs even a step of each is more than a sample should cost */
    const int64_t runs = r->sweep->nruns;
    return runs <= FEW && 2 * (double)runs * work_of_run(r, steps) <= free_work;
}

static bool is_sampled(const struct accuracy *a, int j)
{
    const struct runs *r = a->r;
    const int64_t run = r->plan->run[j];
    const struct sw_sweep *sweep = r->sweep;
    if (sweep->accuracy >= 0) return in_share(run, sweep->nruns, sweep->accuracy);
    return is_small(r, runs_steps(r, j)) || sw_representatives_has(a->sample, run);
}

/* The step until which sampled runs are computed again that have so many, of all; those that are few. */
static int64_t last_halved(const struct accuracy *a, int64_t of)
{
    const struct runs *r = a->r;
    const struct sw_sweep *sweep = r->sweep;
    const double steps = (double)of, runs = (double)sweep->nruns;
    if (sweep->accuracy >= 0 || is_small(r, of)) return of;
    double share = fmax(free_work / work_of_run(r, of), share_of_work * runs) / (2 * a->sample->count);
    if (share < 1) share *= 2.0 / 3;  /* steps are taken again, too */
    if (r->device->space == SW_DEVICE && 2 * steps > short_on_gpu && runs < MANY_ON_GPU) share = fmin(share, 0.5);
    return share >= 1 ? of : (int64_t)(share * steps);
}

/* ------------------------------------------------------------------ one more computation */

static bool by_expressions(const struct sw_setup *setup)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (!strcmp(setup->function[k].key, "initial") && sw_expr_is_random(setup->function[k].expr)) return false;
    return !sw_initial_in_file(setup);
}

/* Points of a run that are here, and all of them: of lines the finer grid has others than the batch. */
static int64_t points_of(const struct accuracy *a) { return sw_points(a->r->setup->n); }
static int64_t all_points_of(const struct accuracy *a) { return sw_points(a->r->group->n); }

/* Whether memory was too little on any rank: none has estimates then. */
static enum sw_status agree(const struct accuracy *a, enum sw_status st)
{
    return domain_any(a->comm, st == SW_E_MEMORY) ? SW_E_MEMORY : st;
}

/* The root of the mean over so many fields of a run, from a sum over the points that are here. */
static double root_of_mean(const struct accuracy *a, double sum, int fields)
{
    if (sw_comm_sum(a->comm, 1, &sum)) return NAN;
    return sqrt(sum / (double)(fields * all_points_of(a)));
}

static double root_mean_square(const struct accuracy *a, int fields, const double *u)
{
    double sum = 0;
    for (int64_t i = 0; i < fields * points_of(a); i++) sum += u[i] * u[i];
    return root_of_mean(a, sum, fields);
}

/* Where the runs of the batch began, on all points of lines. @param all  room for them, where the lines are cut */
static enum sw_status find_lines(const struct accuracy *a, double *all, const double **lines)
{
    *lines = a->comm ? all : a->start;
    return a->comm ? domain_gather_lines(a->r->setup, (size_t)a->count * (size_t)a->r->unknowns, a->start, all) : SW_OK;
}

/* Begin on the grid with twice the points, where the runs of the batch began. @param setup  of that grid */
static enum sw_status begin_between(const struct accuracy *a, struct sw_sim *sim, const struct sw_setup *setup)
{
    const int64_t n = a->r->group->n[0], m = sw_setup_whole(setup, 0), lines = (int64_t)a->count * a->r->unknowns,
                  first = sw_setup_first(setup, 0), here = setup->n[0];
    struct sw_resampler *resampler = NULL;
    const double *begun;
    enum sw_status st;
    double *u = NULL, *line = NULL, *all = NULL;
    st = sw_alloc((size_t)(lines * here), &u);
    if (!st) st = sw_alloc((size_t)m, &line);
    if (!st && a->comm) st = sw_alloc((size_t)(lines * n), &all);
    if (!st) st = sw_resampler_create(n, m, &resampler);
    st = sw_comm_agree(a->comm, st);
    if (!st) st = find_lines(a, all, &begun);
    for (int64_t k = 0; k < lines && !st; k++) {
        sw_resample(resampler, begun + k * n, line);
        memcpy(u + k * here, line + first, (size_t)here * sizeof *u);
    }
    if (!st) st = sw_sim_set_state(sim, u);
    sw_resampler_destroy(&resampler);
    sw_free(u);
    sw_free(line);
    sw_free(all);
    return st;
}

/* In pieces between which a stop is noticed. */
static enum sw_status advance(const struct accuracy *a, struct sw_device *device, struct sw_sim *sim, int64_t steps)
{
    int64_t chunk = 1;
    for (int64_t step = 0; step < steps;) {
        const double begun = sw_clock();
        const int64_t to = step + chunk < steps ? step + chunk : steps;
        SW_TRY(sim->ops->advance(sim, step, to));
        SW_TRY(sw_device_wait(device));
        step = to;
        chunk = domain_of_first(a->comm, sw_clock() - begun) < 0.05 ? 2 * chunk : chunk > 1 ? chunk / 2 : 1;
        if (domain_any(a->comm, device == a->device ? atomic_load(&a->stop) : a->must_stop(a->user)))
            return SW_E_STOPPED;
    }
    return SW_OK;
}

/* @param between  begin between the points of the batch  @param sim  out: NULL on failure, on all ranks */
static enum sw_status begin(const struct accuracy *a, const struct sw_setup *setup, struct sw_device *device,
                            const double *column, bool between, struct sw_sim **sim)
{
    enum sw_status st = sim_of_runs(setup, device, column, !between && !a->below, sim);
    st = sw_comm_agree(a->comm, st);
    if (!st && between) st = begin_between(a, *sim, setup);
    else if (!st && a->below) st = sw_sim_begin(*sim, a->below);
    if (!st || !*sim) return st;
    (*sim)->ops->destroy(*sim);
    *sim = NULL;
    return st;
}

/* Compute the runs once more, from their beginning.
 * @param setup   with another step, or another grid  @param column  [ncolumn][count]
 * @param first   out: [count][unknowns] root mean squares of the initial values; NULL: they are not asked for
 * @param end     out: [count][unknowns][points of setup->n] after so many steps, NaN where a run could not begin, or
 *                diverged */
static enum sw_status compute(const struct accuracy *a, const struct sw_setup *setup, struct sw_device *device,
                              const double *column, int64_t steps, double *first, double *end)
{
    const bool between = a->start && sw_setup_whole(setup, 0) != a->r->group->n[0];
    const int64_t points = points_of(a), lines = first ? (int64_t)a->count * a->r->unknowns : 0;
    struct sw_sim *sim;
    enum sw_status st;
    SW_TRY(begin(a, setup, device, column, between, &sim));
    if (first) SW_TRY_TO(done, st, sw_sim_get_state(sim, end));
    for (int64_t k = 0; k < lines; k++) first[k] = root_mean_square(a, 1, end + k * points);
    SW_TRY_TO(done, st, advance(a, device, sim, steps));
    st = sw_sim_get_state(sim, end);
done:
    sim->ops->destroy(sim);
    return st;
}

/* ------------------------------------------------------------------ half steps, beside the batch */

/* Whether half steps of all runs go to the end. */
static bool go_to_the_end(const struct accuracy *a)
{
    for (int j = 0; j < a->count; j++)
        if (a->until[j] < runs_steps(a->r, a->of[j])) return false;
    return true;
}

/* Steps of all runs up to where half steps end, half ones or as they are. */
static enum sw_status take_until(struct accuracy *a, bool half, struct sw_device *device, double *first, double *end)
{
    const int64_t steps = a->setup.paces ? SW_TICKS : (1 + half) * a->until[0];
    if (a->setup.paces) a->setup.paces = &a->paces[half];
    return compute(a, &a->setup, device, half ? a->half_column : a->column, steps, first, end);
}

/* Where half steps end before the batch, the steps until then are taken once more, too: so nothing depends on where a
 * batch was stopped. */
static enum sw_status halve(struct accuracy *a)
{
    struct sw_device *const device = a->device ? a->device : a->r->device;
    SW_TRY(sw_device_use(device));
    SW_TRY(take_until(a, true, device, a->first, a->half));
    return go_to_the_end(a) ? SW_OK : take_until(a, false, device, NULL, a->end);
}

static void *halve_in_thread(void *again)
{
    struct accuracy *a = again;
    omp_set_num_threads(a->device->threads);
    sw_err_keep(&a->failed, halve(a));
    atomic_store(&a->over, true);
    return NULL;
}

static bool gives_up(void *again) { return atomic_load(&((struct accuracy *)again)->stop); }

/* What a batch needs not may take little of the memory that is left. */
static bool has_room(const struct accuracy *a)
{
    const struct sw_problem *problem = a->r->sweep->problem;
    struct sw_batch_bytes bytes = {0};
    if (problem->bytes(&a->setup, a->r->device, &bytes)) return false;
    return (double)bytes.fixed + (double)a->count * (double)bytes.per_run <
           0.25 * (double)sw_device_memory_free(a->r->device) / (a->comm ? a->r->sharing : 1);
}

/* From the beginning to where half steps end there is one goal. */
static enum sw_status set_paces(struct accuracy *a)
{
    for (int half = 0; a->setup.paces && half < 2; half++) {
        struct sw_paces *p = &a->paces[half];
        SW_TRY(runs_other_paces(a->r, 1 + half, 1, p));
        for (int k = 0; k < p->count; k++) p->at[2 * k + 1] = (1 + half) * last_halved(a, a->setup.paces->steps[k]);
    }
    return SW_OK;
}

static enum sw_status prepare_halves(struct accuracy *a)
{
    const struct runs *r = a->r;
    const int64_t ncolumn = r->sweep->ncolumn, dt = sw_setup_column(r->setup, "time.dt");
    const size_t lines = (size_t)a->count * (size_t)a->r->unknowns;
    a->setup = *r->setup;
    a->setup.capacity = a->count;
    if (!a->comm) {
        a->setup.give_up = gives_up;
        a->setup.give_up_user = a;
    }
    SW_TRY(sw_arena_take(a->r->arena, (size_t)(ncolumn * a->count), &a->half_column));
    memcpy(a->half_column, a->column, (size_t)(ncolumn * a->count) * sizeof *a->column);
    for (int j = 0; j < a->count && dt >= 0; j++) a->half_column[dt * a->count + j] /= 2;
    SW_TRY(sw_arena_take(a->r->arena, lines, &a->first));
    SW_TRY(sw_arena_take(a->r->arena, lines * (size_t)points_of(a), &a->half));
    SW_TRY(sw_arena_take(a->r->arena, lines * (size_t)points_of(a), &a->end));
    SW_TRY(set_paces(a));
    return has_room(a) ? SW_OK : SW_E_MEMORY;
}

static enum sw_status begin_halves(struct accuracy *a)
{
    const struct runs *r = a->r;
    SW_TRY(prepare_halves(a));
    SW_TRY(sw_device_open_beside(r->device, r->sweep->accuracy > 0 ? 0 : 1, &a->device));
    a->threaded = !pthread_create(&a->thread, NULL, halve_in_thread, a);
    return a->threaded ? SW_OK : SW_E_MEMORY;
}

/* Choose the runs, which are loaded, and their columns. */
static enum sw_status choose(struct accuracy *a)
{
    const struct runs *r = a->r;
    const size_t all = (size_t)r->count, ncolumn = (size_t)r->sweep->ncolumn;
    SW_TRY(sw_arena_take(a->r->arena, all, &a->of));
    for (int j = 0; j < r->count; j++)
        if (is_sampled(a, j)) a->of[a->count++] = j;
    const size_t count = (size_t)a->count;
    SW_TRY(sw_arena_take(a->r->arena, count, &a->until));
    for (size_t j = 0; j < count; j++) a->until[j] = last_halved(a, runs_steps(r, a->of[j]));
    SW_TRY(sw_arena_take(a->r->arena, ncolumn * count, &a->column));
    if (r->begun) SW_TRY(sw_arena_take(a->r->arena, count * r->size, &a->below));
    for (size_t j = 0; j < count && r->begun; j++)
        memcpy(a->below + j * r->size, r->begun + (size_t)a->of[j] * r->size, r->size * sizeof *a->below);
    for (size_t k = 0; k < ncolumn; k++)
        for (size_t j = 0; j < count; j++) a->column[k * count + j] = r->column[k * all + (size_t)a->of[j]];
    return SW_OK;
}

static bool takes_halves(const struct accuracy *a)
{
    for (int j = 0; j < a->count; j++)
        if (a->until[j]) return true;
    return false;
}

enum sw_status accuracy_create(const struct runs *r, const struct sw_representatives *sample,
                               bool (*must_stop)(void *user), void *user, struct accuracy **accuracy)
{
    struct accuracy *a;
    enum sw_status st;
    *accuracy = NULL;
    if (!r->sweep->accuracy || !r->group->steps) return SW_OK;
    SW_TRY(sw_arena_take(r->arena, 1, accuracy));
    a = *accuracy;
    *a = (struct accuracy){.r = r, .comm = r->setup->domain.all, .sample = sample, .must_stop = must_stop,
                           .user = user};
    st = choose(a);
    /* noise of each step is other noise with other steps */
    if (!st && takes_halves(a) && !a->comm && !sw_setup_is_noisy(r->setup)) st = begin_halves(a);
    return st == SW_E_MEMORY ? SW_OK : st;
}

static void join(struct accuracy *a)
{
    if (a->threaded) pthread_join(a->thread, NULL);
    a->threaded = false;
    sw_device_close(&a->device);
}

/* Of ranks: the half steps are taken now. @return SW_E_STOPPED all is to stop */
static enum sw_status wait_for_halves(struct accuracy *a)
{
    if (a->comm) SW_TRY(agree(a, prepare_halves(a)));
    if (a->comm) return agree(a, halve(a));
    if (!a->threaded) return SW_E_MEMORY;
    for (int64_t ns = 20000; !atomic_load(&a->over); ns = ns < 10000000 ? 2 * ns : ns) {
        if (a->must_stop(a->user)) atomic_store(&a->stop, true);
        nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    }
    join(a);
    return sw_err_raise(&a->failed);
}

void accuracy_destroy(struct accuracy *a)
{
    if (!a) return;
    atomic_store(&a->stop, true);
    join(a);
}

/* ------------------------------------------------------------------ the estimates */

/* Whether run j of the sample has come to its end. */
static bool is_at_end(const struct accuracy *a, const struct sw_run_result *result, int j)
{
    const struct sw_run_row *row = &result[a->of[j]].row;
    return row->status == SW_RUN_DONE && !row->stopped;
}

/* The root mean square of the difference of one unknown. @param other  [count][unknowns][m] */
static double difference(const struct accuracy *a, int j, int unknown, const double *other, int64_t m)
{
    const int64_t n = points_of(a), every = m > n ? 2 : 1, line = (int64_t)j * a->r->unknowns + unknown;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double d = a->end[line * n + i] - other[line * m + every * i];
        sum += d * d;
    }
    return root_of_mean(a, sum, 1);
}

static double difference_of_all(const struct accuracy *a, int j, const double *other, int64_t m)
{
    double sum = 0;
    for (int v = 0; v < a->r->unknowns; v++) sum += pow(difference(a, j, v, other, m), 2);
    return sqrt(sum / a->r->unknowns);
}

/* By what the difference of two steps, or grids, is to be multiplied. */
static double richardson(const struct accuracy *a, bool in_time)
{
    const struct sw_problem *problem = a->r->sweep->problem;
    int order[2] = {1, 2};
    if (problem->time && problem->time->orders) problem->time->orders(a->r->setup, order);
    const double factor = ldexp(1, order[!in_time]);
    return factor / (factor - 1);
}

/* The error in time in terms of the field, of the unknown for which it is largest. */
static double relative_error(const struct accuracy *a, int j)
{
    double worst = 0;
    for (int v = 0; v < a->r->unknowns; v++) {
        const int64_t line = (int64_t)j * a->r->unknowns + v, n = points_of(a);
        const double size = fmax(root_mean_square(a, 1, a->end + line * n), SW_DECAYED * a->first[line]),
                     error = richardson(a, true) * difference(a, j, v, a->half, n);
        if (error > 0 || isnan(error)) worst = fmax(worst, isfinite(error / size) ? error / size : INFINITY);
    }
    return worst;
}

/* @param last  what the last steps do; NULL: nobody has looked */
static void warn_coarse(struct accuracy *a, int j, double error, const struct last_steps *last,
                        struct sw_run_result *result)
{
    const struct runs *r = a->r;
    struct sw_text text = SW_SHORT_TEXT;
    const bool differs = error > SW_COARSE, made = last && *last->text;
    if (!differs && !made) return;
    a->found.coarse++;
    if (differs && isfinite(error))
        sw_text_printf(&text, "half the step changes u by %.2g of its size", error / richardson(a, true));
    else if (differs) sw_text_add(&text, "with half the step u is not finite");
    if (differs && a->until[j] < runs_steps(r, a->of[j]))
        sw_text_printf(&text, " at t = %.4g", runs_time(r, a->of[j], a->until[j]));
    if (made) sw_text_add_sentence(&text, last->text);
    if (differs && last && !made && last->off < 0.1 * SW_COARSE)
        sw_text_add(&text, ": small differences grow in this run");
    result_say(result, sw_text_get(&text));
}

/* Take the estimates in time from half steps, which are there. @param last  [count]; NULL */
static void compare_halves(struct accuracy *a, const struct last_steps *last, struct sw_run_result *result)
{
    for (int j = 0; j < a->count; j++) {
        struct sw_run_row *row = &result[a->of[j]].row;
        const bool to_end = a->until[j] == runs_steps(a->r, a->of[j]);
        if (!is_at_end(a, result, j)) continue;
        a->found.broken_off += !a->until[j];
        if (!a->until[j]) continue;
        a->found.estimated++;
        a->found.earlier += !to_end;
        const double error = relative_error(a, j), all = difference_of_all(a, j, a->half, points_of(a));
        if (to_end) row->error_time = richardson(a, true) * all;
        a->found.lost[0] += !isfinite(all);
        if (isfinite(error)) a->found.relative = fmax(a->found.relative, error);
        warn_coarse(a, j, error, last ? &last[j] : NULL, &result[a->of[j]]);
    }
}

/* A line with twice the points: a part of one has the points of the part, and those behind each. */
static struct sw_setup refined(const struct accuracy *a)
{
    struct sw_setup s = *a->r->setup;
    const int64_t n = a->r->group->n[0], end = sw_setup_first(&s, 0) + s.n[0];
    s.capacity = a->count;
    s.n[0] = 2 * s.n[0] - (s.walls[0] && end == n);
    s.domain.whole[0] = 2 * n - s.walls[0];
    s.domain.first[0] *= 2;
    return s;
}

static enum sw_status estimate_in_space(struct accuracy *a, struct sw_run_result *result)
{
    const int64_t changed = sw_setup_column(a->r->setup, "grid.n");
    const struct sw_setup setup = refined(a);
    double *end = NULL;
    const double n = (double)sw_setup_whole(&setup, 0);
    SW_TRY(agree(a, sw_alloc((size_t)a->count * (size_t)a->r->unknowns * (size_t)sw_points(setup.n), &end)));
    for (int j = 0; j < a->count && changed >= 0; j++) a->column[changed * a->count + j] = n;
    const enum sw_status st = agree(a, compute(a, &setup, a->r->device, a->column, a->r->group->steps, NULL, end));
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
static enum sw_status find_start(struct accuracy *a)
{
    struct sw_setup setup = *a->r->setup;
    if (by_expressions(&setup) && !a->below) return SW_OK;
    setup.capacity = a->count;
    SW_TRY(agree(a, sw_arena_take(a->r->arena, (size_t)a->count * a->r->size, &a->start)));
    return agree(a, compute(a, &setup, a->r->device, a->column, 0, NULL, a->start));
}

/* What the estimates come to, and of which runs they are none: where twice the estimate is more than the field at the
 * end, that has vanished, or is not resolved, and the estimates are of what is left of it; and where the distance from
 * `exact` is ten times both together, steps and points lose the same in all three computations. */
static void summarize(struct accuracy *a, const struct sw_run_result *result)
{
    struct sw_accuracy *found = &a->found;
    const int64_t numbers = a->r->unknowns * points_of(a);
    for (int j = 0; j < a->count; j++) {
        const struct sw_run_row *row = &result[a->of[j]].row;
        const double error[2] = {row->error_time, row->error_space},
                     size = root_mean_square(a, a->r->unknowns, a->end + j * numbers),
                     all = fmax(error[0], 0) + fmax(error[1], 0);
        if (isnan(error[0]) && isnan(error[1])) continue;
        for (int k = 0; k < 2; k++)
            if (isfinite(error[k])) found->error[k] = fmax(found->error[k], error[k]);
        const bool known = !isnan(error[0]) && !isnan(error[1]);
        if (known && row->err_l2 > 10 * all && row->err_rel > 1e-6) {  /* less may be rounding */
            found->denied++;
            found->distance = fmax(found->distance, row->err_l2);
        } else if (a->r->sweep->accuracy > 0) found->vague += 2 * all > size;
    }
}

/* How many of the last steps are looked at; 0: they would take too long. */
static int last_steps(const struct accuracy *a)
{
    enum { MOST = 8, LEAST = 4 };
    const double room = 0x1p23;  /* numbers of their states: last_steps_look() takes 112 bytes for each, 1 GB */
    if ((double)a->count * a->r->unknowns * (double)all_points_of(a) > room) return 0;
    const int64_t least = sw_group_steps(a->r->group).least;
    const int paces = a->r->group->paces ? a->r->group->paces->count : 1;  /* what they take is for each */
    const double all = share_of_work / 2 * (double)a->r->sweep->nruns * (double)least,
                 each = 6.0 * a->count / paces;  /* with noise and without; one of a step, two of half a step */
    if (is_small(a->r, least) || MOST * each <= all) return MOST;
    return LEAST * each <= all ? LEAST : 0;
}

/* Nothing where memory is out. @param last  out: [count]; NULL: nobody has looked */
static enum sw_status look_at_last_steps(struct accuracy *a, struct last_steps **last)
{
    const int steps = last_steps(a);
    double *end = NULL;
    enum sw_status st;
    *last = NULL;
    if (!steps) return SW_OK;
    st = sw_alloc((size_t)a->count * a->r->size, &end);
    if (!st) st = sw_alloc((size_t)a->count, last);
    SW_TRY_TO(done, st, agree(a, st));
    SW_TRY_TO(done, st, sw_sim_get_states(a->r->sim, a->r->count, a->count, a->of, end));
    st = last_steps_look(a->r, a->count, a->column, end, a->first, steps, *last);
done:
    sw_free(end);
    st = agree(a, st);
    if (st) sw_free(*last), *last = NULL;
    return st == SW_E_MEMORY ? SW_OK : st;
}

/* In space where accuracy.runs asks for it, and a finer grid has the initial values. */
static enum sw_status estimate(struct accuracy *a, struct sw_run_result *result)
{
    const struct sw_setup *setup = a->r->setup;
    const int64_t *n = a->r->group->n;
    const bool line = n[1] == 1 && n[2] == 1 && !a->r->group->cut;
    struct last_steps *last;
    SW_TRY(wait_for_halves(a));
    if (go_to_the_end(a))
        SW_TRY(sw_sim_get_states(a->r->sim, a->r->count, a->count, a->of, a->end));
    SW_TRY(look_at_last_steps(a, &last));
    compare_halves(a, last, result);
    sw_free(last);
    if (a->r->sweep->accuracy < 0 || !a->found.estimated) return SW_OK;
    SW_TRY(find_start(a));
    a->found.spread = line ? 0 : a->found.estimated;
    a->found.walled = line && a->start && setup->walls[0] ? a->found.estimated : 0;
    return a->found.spread || a->found.walled ? SW_OK : estimate_in_space(a, result);
}

enum sw_status accuracy_estimate(struct accuracy *a, struct sw_run_result *result, struct sw_accuracy *found)
{
    enum sw_status st = SW_OK;
    int at_end = 0;
    if (!a || !a->count) return SW_OK;
    for (int j = 0; j < a->count; j++) {
        a->found.stopped += result[a->of[j]].row.status == SW_RUN_DONE && result[a->of[j]].row.stopped;
        at_end += is_at_end(a, result, j);
    }
    a->found.sampled = a->count;
    if (sw_setup_is_noisy(a->r->setup)) a->found.noisy = at_end;
    else if (at_end && takes_halves(a)) st = estimate(a, result);
    else a->found.broken_off = at_end;
    if (st) a->found.broken_off = at_end - a->found.estimated;
    if (a->found.estimated) summarize(a, result);
    *found = st == SW_E_STOPPED ? (struct sw_accuracy){.missing = at_end} : a->found;
    return st == SW_E_MEMORY ? SW_OK : st;  /* the estimates that there is no memory for stay NaN */
}
