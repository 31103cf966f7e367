#ifndef PLAN_IMPL_H
#define PLAN_IMPL_H
/* plan.c makes a plan; it asks plan_memory.c how large batches may be, and plan_measure.c for trials. */
#include "run/sw_plan.h"

struct member { int64_t run; uint64_t id; int row; int64_t rung; };  /* of a batch; row: in its stored state */

struct sw_plan_own {
    struct sw_plan_desc      of;
    const struct sw_devices *devices;
    struct sw_plan_sharing   sharing;
    int64_t  *todo;             /* [nruns] ascending                                     */
    bool     *claimed;          /* [nruns] in order of id: a resumed batch has this run  */
    int64_t  *run;              /* [nruns] the batches' own arrays, one after another    */
    uint64_t *id;
    int      *row;
    int64_t   used, room;       /* entries of these; of plan->batch                      */
    int64_t   kept, resumed;    /* batches with a checkpoint, the first ones; of them those that go on from it, the
                                 * first again */
    double   *fits;             /* [ngroup] the most runs of a batch; as many more for work */
};

/** The most runs of a group that a batch may have, on each of the devices and on the host; notes run_bytes and
 * batch_bytes in the plan.
 * @param begun  a checkpoint has these slices: they may take a little more of the free memory than new ones
 * @return SW_E_TOO_LARGE not even one */
enum sw_status plan_fit(struct sw_plan *p, const struct sw_group *group, bool begun, int64_t *most);

/** Device memory of a run. @param bytes  out, NAN: not known */
double plan_run_bytes(const struct sw_plan *p, const struct sw_group *group);

/** How often runs of a group may be cut on all of the devices. */
int plan_deepest_cut(const struct sw_plan *p, const struct sw_group *group);

/** A set-up for a trial before the work begins: that of a group. A problem without time, which cannot take just a few
 * steps, gets so few points that a trial is short and takes little memory. */
struct sw_setup plan_trial_setup(const struct sw_sweep *sweep, const struct sw_group *group, int capacity);
/** Leave a grid few points along the axes before the first that is cut. @return how many times it had more */
struct domain_shape;
double plan_narrow_grid(const struct domain_shape *shape, int64_t n[SW_DIMS]);
#endif
