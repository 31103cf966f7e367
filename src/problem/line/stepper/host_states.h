#ifndef HOST_STATES_H
#define HOST_STATES_H
/* The states of a batch on the host between two calls of advance, one run after another: what they begin as, where runs
 * have stopped, snapshots of them. Lines (batch_cpu.h) and fields (problem/fields/fields_batch_cpu.h) have it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/sw_owned.h"
#include "device/sw_snapshot.h"
#include "problem/line/stepper/own_steps_point.h"

struct sw_host_states {
    /* given */
    size_t   capacity, unknowns, points;  /* of an unknown                                                     */
    bool     single;                      /* fields are snapshotted in single precision                        */
    bool     own_steps;
    /* sw_host_states_create() */
    double  *u;                   /* [capacity][unknowns][points]; NaN where a run has stopped                     */
    bool    *sound;               /* [capacity]: load() found no load_error                                        */
    bool    *stopped;             /* [capacity]                                                                    */
    int64_t *diverged;            /* [capacity]: the step; -1 if not or, where stopped, not known before advance() */
    struct sw_own_steps *steps;   /* [capacity], of own_steps                                                      */
    struct sw_snapshots *snapshots;
};

/** @return SW_E_MEMORY; it is then to be destroyed, too */
enum sw_status sw_host_states_create(struct sw_device *device, struct sw_owned *own, struct sw_host_states *h);
void           sw_host_states_destroy(struct sw_host_states *h);

/** Bytes of a run. */
size_t sw_host_states_bytes(const struct sw_host_states *h);

/** Numbers of a run. */
static inline size_t sw_host_states_size(const struct sw_host_states *h) { return h->unknowns * h->points; }

/** [unknowns][points] of a run. */
static inline double *sw_host_states_of(const struct sw_host_states *h, int j)
{
    return h->u + (size_t)j * sw_host_states_size(h);
}

/** Begin a batch: runs with a load_error are stopped, the others are not. */
void sw_host_states_load(struct sw_host_states *h, int count, const char *const *load_error);

/** From here on the run is NaN and costs nothing. @param step  at which it diverged; -1: that of the next advance() */
void sw_host_states_stop(struct sw_host_states *h, int j, int64_t step);

/** The run has a state from which it begins; one that is not finite stops it at this step. */
void sw_host_states_begin(struct sw_host_states *h, int j, int64_t step);

/** Of a run that has stopped by the state that it was given, advance() begins at step `from`. @return it has stopped */
static inline bool sw_host_states_are_over(const struct sw_host_states *h, int j, int64_t from)
{
    if (h->stopped[j] && h->diverged[j] < 0) h->diverged[j] = from;
    return h->stopped[j];
}

/* Operations of a struct sw_sim (problem/sw_sim.h) on the runs loaded. */
void sw_host_states_set(struct sw_host_states *h, int count, const double *u);
void sw_host_states_get(const struct sw_host_states *h, int count, double *u);
void sw_host_states_get_some(const struct sw_host_states *h, int count, const int *which, double *u);
void sw_host_states_diverged(const struct sw_host_states *h, int count, int64_t *step);
void sw_host_states_get_record(const struct sw_host_states *h, int count, double *record);
void sw_host_states_set_record(struct sw_host_states *h, int count, const double *record);

/** The scalars of run j, by a thread of its own. @param out  [SW_LINE_SCALARS] */
typedef void sw_host_measure(void *user, int thread, int j, double *out);

/** Each run is copied and measured by one thread. @return SW_E_MEMORY */
enum sw_status sw_host_states_snapshot(const struct sw_host_states *h, int threads, int count, int slot, int what,
                                       sw_host_measure *measure, void *user);

/** Call work(user, thread, k) for k = 0 .. count - 1 by so many threads. */
void sw_host_each(int threads, int count, void (*work)(void *user, int thread, int k), void *user);
#endif
