/* Short trials of a plan before the work begins. */
#include <math.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "device/sw_kernels.h"
#include "device/sw_snapshot.h"
#include "run/domain.h"
#include "run/plan_impl.h"
#include "run/runs.h"

enum { FEW_POINTS = 48 };  /* more than any scheme needs */

struct sw_setup plan_trial_setup(const struct sw_sweep *sweep, const struct sw_group *group, int capacity)
{
    const int64_t most = 1 << 22;
    struct sw_setup setup = sw_sweep_setup(sweep, group, capacity);
    if (sw_points(setup.n) > most && setup.cut) setup.cut = 1;
    while (!sweep->problem->time && sw_points(setup.n) > most) {  /* shorten the longest side */
        int d = setup.n[0] >= setup.n[1] && setup.n[0] >= setup.n[2] ? 0 : setup.n[1] >= setup.n[2] ? 1 : 2;
        int64_t fits = most / (sw_points(setup.n) / setup.n[d]);
        setup.n[d] = fits > setup.n[d] / 2 ? fits : (setup.n[d] + 1) / 2;
    }
    return setup;
}

double plan_narrow_grid(const struct domain_shape *shape, int64_t n[SW_DIMS])
{
    double times = 1;
    for (int d = 0; d < SW_DIMS && shape->ranks[d] == 1; d++) {
        if (n[d] <= FEW_POINTS) continue;
        times *= (double)n[d] / FEW_POINTS;
        n[d] = FEW_POINTS;
    }
    return times;
}

/* Enough runs to keep the device busy, and few enough to begin without delay. */
static int sample_size(const struct sw_plan *plan, const struct sw_plan_batch *b, const struct sw_device *device,
                       double seconds)
{
    const struct sw_group *g = &plan->group[b->group];
    double points = device->space == SW_DEVICE ? 64e6 : 64e3 * device->threads * fmin(seconds / 0.1, 1);
    double runs = points / (double)sw_points(g->n);
    if (runs < device->threads) runs = device->threads;
    return runs < b->count ? (int)runs : b->count;
}

static const struct sw_plan_batch *batch_with_most_work(const struct sw_plan *plan)
{
    const struct sw_plan_batch *best = NULL;
    double most = -1;
    for (int64_t k = 0; k < plan->nbatch; k++) {
        const struct sw_plan_batch *b = &plan->batch[k];
        double work = sw_group_points(&plan->group[b->group]) * sw_group_steps(&plan->group[b->group]).most * b->count;
        if (work > most) { most = work; best = b; }
    }
    return best;
}

/* Take chunks of steps, each twice as long as the one before, for the given time. The fastest chunk counts: the first
 * ones start threads, and on a busy machine a chunk may be a hundred times slower. Where runs take steps of their own
 * a tick has few or many of them, and all chunks count. */
static enum sw_status time_steps(struct sw_sim *sim, const struct sw_group *g, struct sw_device *device, double seconds,
                                 int64_t *taken, double *steps_a_second)
{
    int64_t step = 0;
    sw_kernels_wait();
    double begun = sw_clock();
    for (int64_t chunk = 1; step < g->steps; chunk *= 2) {
        int64_t to = step + chunk < g->steps ? step + chunk : g->steps;
        double start = sw_clock();
        SW_TRY(sim->ops->advance(sim, step, to));
        SW_TRY(sw_device_wait(device));
        double now = sw_clock();
        const double rate = (double)(to - step) / (now - start + 1e-9);
        *steps_a_second = g->goals ? (double)to / (now - begun + 1e-9) : fmax(*steps_a_second, rate);
        *taken = step = to;
        if (now - begun > seconds / 2) break;
    }
    return SW_OK;
}

/* Seconds of one output, with what it takes to begin and end the steps before it, of which there is one here while
 * there are any: the least of some, as of steps. It is looked at, and not written. */
static enum sw_status time_output(struct sw_sim *sim, const struct sw_group *g, int64_t *step, int what, double *least)
{
    enum { TIMES = 16 };
    const void *field;
    const double *scalars;
    *least = INFINITY;
    for (int k = 0; k < TIMES; k++) {
        const int64_t to = *step < g->steps ? *step + 1 : *step;
        const double start = sw_clock();
        SW_TRY(sim->ops->advance(sim, *step, to));
        SW_TRY(sw_sim_snapshot(sim, 0, what));
        SW_TRY(sim->ops->fetch(sim, 0, &field, &scalars));
        *least = fmin(*least, sw_clock() - start);
        *step = to;
    }
    return SW_OK;
}

/* @param count  runs of the sim */
static enum sw_status time_outputs(struct sw_sim *sim, const struct sw_sweep *sweep, const struct sw_plan *plan,
                                   const struct sw_group *of, int count, int64_t step, double *seconds)
{
    double field = 0, scalars = 0;
    if (!sweep->problem->time) return SW_OK;
    if (of->nfield) SW_TRY(time_output(sim, of, &step, SW_SNAPSHOT_FIELD, &field));
    if (of->nscalar) SW_TRY(time_output(sim, of, &step, SW_SNAPSHOT_SCALARS, &scalars));
    for (int64_t b = 0; b < plan->nbatch; b++) {
        const struct sw_group *g = &plan->group[plan->batch[b].group];
        const double share = (double)plan->batch[b].count / count * (double)sw_points(g->n) / (double)sw_points(of->n);
        *seconds += share * (field * g->nfield + scalars * g->nscalar);
    }
    return SW_OK;
}

/* ---- what ranks send */

static enum sw_status take_step(struct sw_sweep *sweep, const struct sw_plan_batch *b, const struct sw_setup *setup,
                                struct sw_device *device, struct sw_comm_traffic *traffic)
{
    struct sw_sim *sim = NULL;
    double *column = NULL;
    enum sw_status st = sw_alloc((size_t)sweep->ncolumn, &column);
    if (!st) st = sw_sweep_columns(sweep, b->run, 0, 1, column);
    if (!st) st = sim_of_runs(setup, device, column, true, &sim);
    *traffic = (struct sw_comm_traffic){0};  /* in steps alone */
    if (!st) st = sim->ops->advance(sim, 0, 1);
    if (!st) st = sw_device_wait(device);
    if (sim) sim->ops->destroy(sim);
    sw_free(column);
    return st;
}

/* Of batch b. */
static enum sw_status count_traffic(struct sw_sweep *sweep, const struct sw_plan *plan, const struct sw_plan_batch *b,
                                    struct sw_device *device, struct sw_comm_traffic *traffic)
{
    struct sw_comm *host = NULL, *along[SW_DIMS] = {NULL};
    struct sw_setup setup = sw_sweep_setup(sweep, &plan->group[b->group], 1);
    const struct domain_shape shape = domain_shape(sweep, setup.n, plan->ranks);
    const double times = plan_narrow_grid(&shape, setup.n);
    enum sw_status st = SW_OK;
    int rank = 0, stride = 1;
    for (int d = 0; d < SW_DIMS; stride *= shape.ranks[d++]) {
        const int ranks = shape.ranks[d], here = ranks > 2;
        rank += here * stride;
        if (ranks == 1) continue;
        setup.n[d] = domain_largest(setup.n[d], ranks) * ranks;  /* parts of others are as large as its */
        SW_TRY_TO(out, st, sw_comm_trial(ranks, here, device->space, &along[d]));
        sw_comm_count(along[d], traffic);
    }
    SW_TRY_TO(out, st, sw_comm_trial(plan->ranks, rank, SW_HOST, &host));
    sw_setup_cut(shape.ranks, rank, host, (const struct sw_comm *const *)along, &setup);
    SW_TRY_TO(out, st, take_step(sweep, b, &setup, device, traffic));
    for (int k = 0; k < SW_COMM_WAYS; k++) traffic->numbers[k] *= k == SW_COMM_FEW_TO_ALL ? 1 : times * b->count;
out:
    for (int d = 0; d < SW_DIMS; d++) sw_comm_destroy(&along[d]);
    sw_comm_destroy(&host);
    return st;
}

static double all_numbers(const struct sw_comm_traffic *t)
{
    double sum = 0;
    for (int k = 0; k < SW_COMM_WAYS; k++) sum += t->numbers[k];
    return sum;
}

enum sw_status sw_plan_traffic(struct sw_sweep *sweep, const struct sw_plan *plan, const struct sw_devices *devices,
                               struct sw_comm_traffic *traffic)
{
    enum { MOST_GROUPS = 16 };  /* a step of each is taken, the last ones have the largest grids */
    struct sw_device *device = devices->device[0];
    int looked = 0;
    *traffic = (struct sw_comm_traffic){0};
    if (plan->ranks == 1) return SW_OK;
    SW_TRY(sw_device_use(device));
    for (int64_t k = plan->nbatch; k-- > 0 && looked < MOST_GROUPS;) {
        struct sw_comm_traffic here = {0};
        if (k > 0 && plan->batch[k].group == plan->batch[k - 1].group) continue;
        SW_TRY(count_traffic(sweep, plan, &plan->batch[k], device, &here));
        if (all_numbers(&here) > all_numbers(traffic)) *traffic = here;
        looked++;
    }
    return SW_OK;
}

/* ---- how fast it goes */

/* The part of a rank is a grid of its own in the trial, with as many points as a scheme needs. */
static void take_part(const struct sw_sweep *sweep, int ranks, int64_t n[SW_DIMS])
{
    const struct domain_shape shape = domain_shape(sweep, n, ranks);
    for (int d = 0; d < SW_DIMS; d++) {
        const int64_t part = domain_largest(n[d], shape.ranks[d]);
        if (n[d] > FEW_POINTS) n[d] = part > FEW_POINTS ? part : FEW_POINTS;
    }
}

enum sw_status sw_plan_measure(struct sw_sweep *sweep, const struct sw_plan *plan, const struct sw_devices *devices,
                               double seconds, double *rate, double *outputs)
{
    struct sw_device *device = devices->device[0];
    const struct sw_plan_batch *b = batch_with_most_work(plan);
    struct sw_sim *sim = NULL;
    double *column = NULL, steps = 0;
    enum sw_status st = SW_OK;
    int64_t step = 0;
    *rate = 0;
    if (outputs) *outputs = 0;
    if (!b) return SW_OK;
    SW_TRY(sw_device_use(device));
    struct sw_group group = plan->group[b->group];
    group.steps = sw_group_steps(&group).most;
    group.paces = NULL;  /* all take a step at a time */
    if (plan->ranks > 1) take_part(sweep, plan->ranks, group.n);
    int count = sample_size(plan, b, device, seconds);
    struct sw_setup setup = plan_trial_setup(sweep, &group, count);
    SW_TRY_TO(out, st, sw_alloc((size_t)sweep->ncolumn * (size_t)count, &column));
    SW_TRY_TO(out, st, sw_sweep_columns(sweep, b->run, 0, count, column));
    SW_TRY_TO(out, st, sim_of_runs(&setup, device, column, true, &sim));
    SW_TRY_TO(out, st, time_steps(sim, &group, device, seconds, &step, &steps));
    if (outputs && device->space == SW_HOST)
        SW_TRY_TO(out, st, time_outputs(sim, sweep, plan, &plan->group[b->group], count, step, outputs));
    *rate = steps * ldexp((double)sw_points(setup.n), -setup.cut) * count *
            fmin((double)plan->nbatch * plan->team * plan->ranks, devices->count);
out:
    if (sim) sim->ops->destroy(sim);
    sw_free(column);
    return st;
}
