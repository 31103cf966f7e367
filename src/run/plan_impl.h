#ifndef PLAN_IMPL_H
#define PLAN_IMPL_H
#include "run/sw_plan.h"

struct member { int64_t run; uint64_t id; int row; };  /* of a batch; row: in its stored state */

struct sw_plan_own {
    int64_t  *todo;             /* [nruns] ascending                                     */
    bool     *claimed;          /* [nruns] in order of id: a continued batch has this run */
    int64_t  *run;              /* [nruns] the batches' own arrays, one after another    */
    uint64_t *id;
    int      *row;
    int64_t   used, room;       /* entries of these; of plan->batch                      */
    double   *fits;             /* [ngroup] the most runs of a batch                     */
};

/** Append a batch; its members are copied. */
enum sw_status plan_add(struct sw_plan *p, int group, const struct member *m, int count,
                        const struct sw_checkpoint *resume);

/** How many quantities a list has; NULL: none. */
int plan_quantities(const struct sw_quantity *quantity);

/** Whether a group has a run. */
bool plan_find_run(const struct sw_group *g, int64_t run);

/** Add the checkpoints of `completed` whose runs are all to do. */
enum sw_status plan_continue(struct sw_plan *p, const struct sw_completed *completed, const uint64_t *id);

/** The most runs of a group that a batch may have, on each of the devices and on the host; notes run_bytes and
 * batch_bytes.
 * @return SW_E_TOO_LARGE not even one */
enum sw_status plan_fit(struct sw_sweep *sweep, const struct sw_group *group, const struct sw_devices *devices,
                        const struct sw_plan_sharing *sharing, struct sw_plan *p, int64_t *most);

/** A set-up to try something with before the work begins: that of a group; but of a problem without time, which cannot
 * take just a few steps, of so many points at most that a trial is short and takes little memory. */
struct sw_setup plan_trial(const struct sw_sweep *sweep, const struct sw_group *group, int capacity);
#endif
