#ifndef SW_PLAN_H
#define SW_PLAN_H
/* A plan says, before anything is computed, which runs of a sweep are still to do and how they are cut into batches:
 * sets of runs of one group (one grid size, one solver) that fit the memory of a device and are advanced together.
 * Batches that an earlier call left with a checkpoint continue from it. */
#include "comm/sw_comm.h"
#include "store/files/sw_output.h"

struct sw_text;

struct sw_plan_batch {             /* points into the plan                                                  */
    int       group;
    int       count;
    int64_t  *run;                 /* [count] ascending                                                     */
    uint64_t *id;                  /* [count]                                                               */
    int      *row;                 /* [count] of a resumed batch: each run's row in the stored state        */
    const struct sw_checkpoint *resume;  /* its checkpoint, in the completed; NULL: it starts at step 0      */
};
enum { SW_PLAN_LOOKS = 64 };
struct sw_plan {
    int      ngroup;
    struct sw_group *group;        /* runs still to do                                                      */
    int64_t  nbatch;
    struct sw_plan_batch *batch;
    int      ranks;                /* that compute each run together, each a slab of its grid (domain.h); 1: whole.
                                    * All of the job form groups of so many, in their order                 */
    bool     pencils;              /* the largest grids are cut along y and z                               */
    int      groups;               /* of ranks that cut runs side by side; 1: runs are not cut, or by all ranks     */
    int      team;                 /* devices that compute a batch together, a cut run; 1: each takes batches       */
    int64_t  nruns, done, failed;  /* to do; already in the file (done; diverged or failed)                 */
    double   points_steps;         /* sum of n * steps over the runs to do                                  */
    double   points_steps_before;  /* and of the steps that these have taken up to their checkpoints        */
    double   output_bytes;         /* of the final file                                                     */
    size_t   run_bytes;            /* device memory of the largest run                                      */
    size_t   batch_bytes;          /* device memory of the largest batch                                    */
    double   host_bytes;           /* host memory of all batches in flight on devices with memory of their own;
                                    * 0: the device is the host                                             */
    int      devices_sharing;      /* devices of the job that share the memory of one, itself among them    */
    char     solver[64];           /* row chosen for the first group                                        */
    int64_t  nagain;               /* runs that begin again, though they have a checkpoint                  */
    char     again[200];           /* why the first of them does                                            */
    const uint64_t *id;            /* [sweep->nruns] of all runs; borrowed                                  */
    struct sw_representatives looks;  /* of the runs asked for, done or not: those that are looked at, before they
                                       * are computed and after, for what the problem may say of them       */
    struct rungs *rungs;           /* the order of batches of a sweep with a ladder; NULL: they have none           */
    struct sw_plan_own *own;
};

/* The runs that are asked for. All is borrowed, and outlives the plan. */
struct sw_plan_desc {
    struct sw_sweep *sweep;
    const int64_t   *run;          /* [count] ascending                                                     */
    int64_t          count;
    const uint64_t  *id;           /* [sweep->nruns] the ids of all runs (sw_sweep_ids)                     */
    const struct sw_completed *completed;  /* what the output already holds; NULL: nothing                  */
    bool             retry_failed;
};
/* The processes that share a sweep. */
struct sw_plan_sharing {
    const struct sw_comm *comm;
    int devices, devices_on_host;  /* of all ranks, and of those on this machine                            */
    int ranks_per_gpu;             /* ranks that share the memory of a GPU                                  */
    int processes;                 /* of the job that is planned: comm->size, or more where nobody computes */
};

/** How many devices may have work: an upper bound, on any devices whose memory does not force more batches.
 * @param enough  stop counting batches, and devices of a team, at so many
 * @param most    out; at least 1
 * @return SW_E_MEMORY */
enum sw_status sw_plan_most_devices(const struct sw_plan_desc *desc, int64_t enough, int64_t *most);

/** @param devices  that will share the work: batches fit the one with the least memory, and there is work for each
 *  @param sharing  NULL: this process is alone. Else the plan is the same on all ranks of the communicator, whose files
 *                  and settings are the same, and batches fit the device with the least memory of any rank. Collective:
 *                  all ranks fail if one does
 *  @return SW_E_TOO_LARGE one run does not fit the device: bytes needed and free, and a hint; SW_E_COMM another rank
 *          has failed */
enum sw_status sw_plan_make(const struct sw_plan_desc *desc, const struct sw_devices *devices,
                            const struct sw_plan_sharing *sharing, struct sw_plan **plan);
void sw_plan_destroy(struct sw_plan **plan);
/** How grids are cut, a line for `sweep run` and `sweep check`: "grid     cut along z over 2 devices: …"; nothing where
 * they are not. */
void sw_plan_describe_domain(const struct sw_plan *plan, struct sw_text *text);
/** What a rank between two others sends in a step of a batch, where grids are cut: counted in a step that it takes
 * alone, on a grid with fewer points beside the cut, where all that is sent falls in proportion. The group that sends
 * most counts.
 * @param traffic  out: zeros where grids are not cut
 * @return SW_E_MEMORY, SW_E_CUDA; what the sim returns */
enum sw_status sw_plan_traffic(struct sw_sweep *sweep, const struct sw_plan *plan, const struct sw_devices *devices,
                               struct sw_comm_traffic *traffic);
/** A hash of the solver and the batches: plans that differ have different digests. */
uint64_t sw_plan_digest(const struct sw_plan *plan);
/** Points times steps of a batch that are still to do. */
double sw_plan_work(const struct sw_plan *plan, const struct sw_plan_batch *batch);

/** Measure the rate of all devices, in points times steps a second, by a few steps of the batch with the most work on
 * the first device.
 *  @param seconds  how long to measure, about
 *  @param rate     out; 0: there is nothing to do
 *  @param outputs  out: seconds that all output times of the plan take besides, on devices that compute nothing
 *                  meanwhile: those whose memory is the host's; 0: others; NULL: not looked at
 *  @return SW_E_MEMORY, SW_E_CUDA */
enum sw_status sw_plan_measure(struct sw_sweep *sweep, const struct sw_plan *plan, const struct sw_devices *devices,
                               double seconds, double *rate, double *outputs);
#endif
