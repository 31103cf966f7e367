#ifndef SW_DEVICE_CHOICE_H
#define SW_DEVICE_CHOICE_H
/* Where run.device = "auto" computes: where the sweep ends first. A GPU takes part of a second before its first step,
 * in which a CPU ends many a small sweep; such a one starts no driver. */
#include "run/sw_plan.h"

/* Seconds, as far as they are known before a GPU is opened. */
struct sw_device_costs {
    double cpu;      /* all runs on the CPU, by a short trial; NAN: not known, and long                          */
    double begin;    /* until a GPU takes the first step                                                         */
    double steps;    /* that all steps take there at least                                                       */
};

/** Whether the CPU is chosen: where it ends before a GPU can. */
bool sw_device_costs_take_cpu(const struct sw_device_costs *costs);

/** What a GPU takes. Before its first step: a context, and kernels from the cache, or from the compiler. Its steps: no
 * run takes one in less time, and no GPU more points, than the fastest kernels were measured to (a single run, and
 * 65536 runs of 1024 points, docs/explanation/benchmarks.md).
 * @param gpus    that share the work
 * @param cached  kernels have been compiled here before
 * @param points  points times steps of all runs
 * @param steps   of the longest run; 0: not known */
void sw_device_costs_of_gpu(int gpus, bool cached, double points, double steps, struct sw_device_costs *costs);

/** The costs of a sweep: of all runs that are asked for, done or not, so that the rest of a sweep is computed where it
 * began.
 * @param threads  host threads; 0: all this process may use
 * @param gpus, cached  as above
 * @param costs    out; where the runs cannot be planned on a CPU, or a trial would take long, cpu is NAN
 * @return SW_E_MEMORY, SW_E_STOPPED */
enum sw_status sw_device_costs_of_sweep(const struct sw_plan_desc *desc, int threads, int gpus, bool cached,
                                        struct sw_device_costs *costs);
#endif
