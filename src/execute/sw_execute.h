#ifndef SW_EXECUTE_H
#define SW_EXECUTE_H
/* Do the runs of a sweep: group, cut into batches that fit the memory, advance each batch on the device while a writer
 * thread puts its outputs into a part, checkpoint, stop cleanly when asked, merge at the end. */
#include <signal.h>

#include "results/sw_results.h"

struct sw_plan_batch {             /* points into the plan                                                  */
    int       group;
    int       count;
    int64_t  *run;                 /* [count] ascending                                                     */
    uint64_t *id;                  /* [count]                                                               */
    int      *row;                 /* [count] of a batch that goes on: its row in the stored state          */
    const struct sw_ledger_batch *resume;  /* where it goes on from; NULL: from step 0. In the ledger       */
};
struct sw_plan {                   /* what will be done, before anything is                                 */
    int      ngroup;
    struct sw_group *group;        /* runs still to do                                                      */
    int64_t  nbatch;
    struct sw_plan_batch *batch;
    int64_t  nruns, done, failed;  /* to do; already there (done; diverged or failed)                       */
    double   points_steps;         /* sum of n * steps over the runs to do                                  */
    double   output_bytes;         /* of the final file                                                     */
    size_t   run_bytes;            /* device memory of the largest run                                      */
    size_t   batch_bytes;          /* device memory of the largest batch                                    */
    double   host_bytes;           /* and of the host, on a device with memory of its own; 0 else           */
    char     solver[64];           /* row chosen for the first group                                        */
    const uint64_t *id;            /* [sweep->nruns] of all runs; borrowed                                  */
    struct sw_plan_own *own;
};

/** @param run     [count] the runs asked for, ascending
 *  @param id      [sweep->nruns] the ids of all runs (sw_sweep_ids); must outlive the plan
 *  @param ledger  what is already there; NULL: nothing. Must outlive the plan
 *  @return SW_E_TOO_LARGE one run does not fit the device: bytes needed and free, and a hint */
enum sw_status sw_plan_make(struct sw_sweep *sweep, const int64_t *run, int64_t count, const uint64_t *id,
                            const struct sw_ledger *ledger, bool retry_failed, struct sw_device *device,
                            struct sw_plan **plan);
void sw_plan_destroy(struct sw_plan **plan);

/** Points times steps a second, by a few real steps of the batch with the most work.
 *  @param seconds  how long to measure, about */
enum sw_status sw_plan_measure(struct sw_sweep *sweep, const struct sw_plan *plan, struct sw_device *device,
                               double seconds, double *rate);

struct sw_progress {               /* handed to the callback, about ten times a second                      */
    double  points_steps_done;     /* of plan.points_steps                                                  */
    double  seconds;               /* since the start                                                       */
    int64_t runs_done, runs_failed, batches_done;
    double  t, end;                /* of the first run of the batch under way                               */
    const char *phase;             /* "computing", "merging"                                                */
};

enum sw_event_kind { SW_EVENT_BATCH, SW_EVENT_CHECKPOINT, SW_EVENT_FAILURE };
struct sw_event {
    enum sw_event_kind kind;
    int64_t     batch, step;       /* number of the batch in the plan; steps it has taken                   */
    int         count;             /* its runs                                                              */
    double      seconds;           /* it took so far                                                        */
    int64_t     run;               /* FAILURE: which run,                                                   */
    const char *message;           /* and why                                                               */
};

struct sw_execute_options {
    const char *file;              /* output                                                                */
    double  max_seconds;           /* stop cleanly after that long; 0: never                                */
    double  checkpoint_seconds;    /* of a batch under way; 0: never                                        */
    bool    fail_fast;             /* stop at the first run that diverges or fails                          */
    bool    retry_failed;
    const volatile sig_atomic_t *stop;   /* becomes non-zero: write a checkpoint, return SW_E_STOPPED       */
    void  (*progress)(void *user, const struct sw_progress *progress);  /* both on the calling thread; may be NULL */
    void  (*event)(void *user, const struct sw_event *event);
    void   *user;
    struct sw_provenance provenance;
};
struct sw_execute_summary {
    int64_t done, diverged, failed;      /* runs that ended in this call                                     */
    double  seconds, rate;               /* points times steps a second                                      */
    bool    failed_fast;                 /* stopped because of fail_fast                                     */
    char    first_failures[400];         /* "runs 12, 40, 41: not finite at t = 0.31"; "" if none            */
};

/** @return SW_OK all is in FILE.h5 (some runs may have diverged: see the summary); SW_E_STOPPED parts and a checkpoint
 *          are on disk and a later call goes on to the same bits; SW_E_REFUSED another process is at it; SW_E_IO,
 *          SW_E_MEMORY, SW_E_CUDA what is on disk is whole */
enum sw_status sw_execute(struct sw_sweep *sweep, struct sw_plan *plan, const struct sw_ledger *ledger,
                          struct sw_device *device, const struct sw_execute_options *options,
                          struct sw_execute_summary *summary);
#endif
