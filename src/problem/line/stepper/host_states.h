#ifndef HOST_STATES_H
#define HOST_STATES_H
/* The states of a batch on the host between two calls of advance, one run after another: what they begin as, where runs
 * have stopped, snapshots of them. Lines (batch_cpu.h) and fields (problem/fields/fields_batch_cpu.h) have it. */
#include "device/sw_snapshot.h"
#include "problem/line/stepper/own_steps_point.h"
#include "problem/line/stepper/stepped.h"

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

/* Operations of a sim whose own data begin with a struct sw_host_states (problem/sw_sim.h). */
enum sw_status sw_host_states_set(struct sw_sim *sim, const double *u);
enum sw_status sw_host_states_get(struct sw_sim *sim, double *u);
enum sw_status sw_host_states_get_some(struct sw_sim *sim, int count, const int *which, double *u);
enum sw_status sw_host_states_diverged(struct sw_sim *sim, int64_t *step);
enum sw_status sw_host_states_fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars);
extern const struct sw_record_ops sw_host_states_records;

/** The scalars of run j, by a thread of its own. @param out  [SW_LINE_SCALARS] */
typedef void sw_host_measure(void *user, int thread, int j, double *out);

/** Each run of such a sim is copied and measured by one thread. @param measure  its user is the sim
 * @return SW_E_MEMORY */
enum sw_status sw_host_states_snapshot(struct sw_sim *sim, int threads, int slot, int what, sw_host_measure *measure);

/** Call work(user, thread, k) for k = 0 .. count - 1 by so many threads. */
void sw_host_each(int threads, int count, void (*work)(void *user, int thread, int k), void *user);
#endif
