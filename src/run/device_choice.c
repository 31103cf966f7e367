/* What a sweep costs on the CPU and, at least, on a GPU. */
#include <math.h>

#include "base/sw_err.h"
#include "run/plan_impl.h"
#include "run/sw_device_choice.h"

/* Measured on an H200, whole processes: a context takes a quarter of a second, kernels from the cache a tenth; where
 * they are compiled first, side by side, the longest kernel of Cahn-Hilliard takes 0.8 s. Others take longer: the least
 * counts, so that the CPU is taken only where it is sure to end first. */
static const double context = 0.25, from_cache = 0.1, compiled = 1;
static const double step = 0.5e-6, points_a_second = 6e11;

static const double trial_seconds = 0.02;
enum { MOST_RUNS = 100000 };                                      /* that are planned for the choice alone        */
enum { MOST_POINTS = 1 << 20, MOST_POINTS_SOLVED = 1 << 18 };     /* of a run that is tried: a step of it, or all */
static const double most_of_a_thread = 1e9;                       /* points times steps a second: few take more   */

bool sw_device_costs_take_cpu(const struct sw_device_costs *c) { return c->cpu <= c->begin + c->steps; }

void sw_device_costs_of_gpu(int gpus, bool cached, double points, double steps, struct sw_device_costs *costs)
{
    costs->begin = context + (cached ? from_cache : compiled);
    costs->steps = fmax(steps * step, points / (points_a_second * (gpus > 1 ? gpus : 1)));
}

/* What is known of the runs before they are planned, which takes long where they are large. */
struct work { double points, longest; bool small; };

/* Points times steps; of runs that take steps of their own, which are not known, some. */
static enum sw_status count_work(const struct sw_plan_desc *desc, struct work *w)
{
    enum { SOME_STEPS = 100 };
    struct sw_group *group;
    int count;
    const double most = desc->sweep->problem->time ? MOST_POINTS : MOST_POINTS_SOLVED;
    *w = (struct work){.small = true};
    SW_TRY(sw_sweep_groups(desc->sweep, desc->run, desc->count, &group, &count));
    for (int g = 0; g < count; g++) {
        const double steps = group[g].goals ? SOME_STEPS : (double)group[g].steps, points = sw_group_points(&group[g]);
        w->points += points * steps * (double)group[g].count;
        if (!group[g].goals) w->longest = fmax(w->longest, steps);
        w->small = w->small && points <= most;
    }
    sw_groups_free(&group, count);
    return SW_OK;
}

/* Outputs are looked at only where the steps leave it open. */
static enum sw_status try_cpu(const struct sw_plan_desc *desc, const struct sw_devices *cpu,
                              struct sw_device_costs *costs)
{
    struct sw_plan *plan = NULL;
    double rate = 0, outputs = 0;
    SW_TRY(sw_plan_make(desc, cpu, NULL, &plan));
    enum sw_status st = sw_plan_measure(desc->sweep, plan, cpu, trial_seconds, &rate, NULL);
    if (!st && rate > 0) costs->cpu = plan->points_steps / rate;
    if (!st && rate > 0 && sw_device_costs_take_cpu(costs)) {
        st = sw_plan_measure(desc->sweep, plan, cpu, trial_seconds, &rate, &outputs);
        if (!st && rate > 0) costs->cpu = plan->points_steps / rate + outputs;
    }
    sw_plan_destroy(&plan);
    return st;
}

enum sw_status sw_device_costs_of_sweep(const struct sw_plan_desc *desc, int threads, int gpus, bool cached,
                                        struct sw_device_costs *costs)
{
    struct sw_devices cpu;
    struct sw_plan_desc all = *desc;
    all.completed = NULL;
    sw_device_costs_of_gpu(gpus, cached, 0, 0, costs);
    costs->cpu = NAN;
    if (desc->count > MOST_RUNS) return SW_OK;
    struct work work;
    SW_TRY(count_work(&all, &work));
    sw_device_costs_of_gpu(gpus, cached, desc->sweep->own_steps ? 0 : work.points, work.longest, costs);
    SW_TRY(sw_devices_open("cpu", threads, 1, &cpu));
    const double most = (costs->begin + costs->steps) * most_of_a_thread * cpu.device[0]->threads;
    enum sw_status st = SW_OK;
    if (work.small && work.points <= most) st = try_cpu(&all, &cpu, costs);
    sw_devices_close(&cpu);
    return st == SW_E_MEMORY || st == SW_E_STOPPED ? st : SW_OK;  /* else no row of the CPU does it: a GPU may */
}
