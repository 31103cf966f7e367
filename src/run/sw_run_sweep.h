#ifndef SW_RUN_SWEEP_H
#define SW_RUN_SWEEP_H
/* Compute the runs of a plan: each batch is advanced on a device while a writer thread puts its outputs into a part of
 * the file; checkpoints are written on the way; a stop leaves a state that a later call continues from; at the end the
 * parts are merged into the file.
 *
 * Each device has a worker, a thread that requests a batch, advances it and reports its outcome. The thread that called
 * sw_run_sweep() is the scheduler: it answers the workers with batches from a work queue (sw_work_queue.h), and it
 * alone calls the queue and the callbacks for progress and events. */
#include <signal.h>

#include "run/sw_plan.h"

struct sw_work_queue;

struct sw_progress {               /* for the callback, about ten times a second for each device; twice a second
                                      while only other processes compute, or one step takes longer          */
    double  points_steps_done;     /* of plan.points_steps                                                  */
    double  seconds;               /* since the start                                                       */
    int64_t runs_done, runs_failed, batches_done;
    double  t, end;                /* of the first run of the first batch in flight                         */
    const char *phase;             /* "computing", "merging"                                                */
};

enum sw_event_kind {
    SW_EVENT_BATCH, SW_EVENT_CHECKPOINT, SW_EVENT_FAILURE,
    SW_EVENT_DEVICE,               /* a device failed; another computes its batch                           */
    SW_EVENT_NOTE,                 /* a run is done, and has a message                                      */
    SW_EVENT_DEVICES               /* so many devices (count) compute a batch from here on, a run that is cut */
};
struct sw_event {
    enum sw_event_kind kind;
    int64_t     batch, step;       /* number of the batch in the plan; steps it has taken. DEVICE: -1 of another rank */
    int         count;             /* its runs; DEVICES: devices                                            */
    double      seconds;           /* it took so far                                                        */
    int64_t     run;               /* FAILURE, NOTE: which run                                              */
    double      t;                 /* FAILURE: when; NaN: the problem has no time                           */
    const char *message;           /* FAILURE, NOTE: why; DEVICE: which device, and why                     */
    bool        earlier;           /* FAILURE: the run had failed in an earlier call, before this batch resumed */
};

struct sw_run_sweep_options {
    const char *file;              /* output                                                                */
    struct sw_output_lock *lock;   /* of it, where the caller holds it; NULL: it is locked meanwhile        */
    struct sw_work_queue *queue;   /* NULL: sw_work_queue_local()                                           */
    bool    client;                /* another process locks the file, gives us access to it, and merges     */
    const struct sw_comm *comm;    /* where plan.ranks > 1: all processes, which form groups of as many that compute
                                      a run together; NULL: the devices of this process do                  */
    int     rank, ranks;           /* of the processes that write to the file at once; 0, 0: only this one  */
    double  max_seconds;           /* stop after that long, but not before 0.1 s of steps; 0: never         */
    double  checkpoint_seconds;    /* between two checkpoints of a batch; 0: none; less: as often as costs 1 %
                                      of the time, and after so many at the latest                          */
    bool    only_parts;            /* leave the results in parts: the caller joins them, sw_merge_parts()  */
    bool    fail_fast;             /* stop at the first run that diverges or fails                          */
    bool    retry_failed;
    const volatile sig_atomic_t *stop;   /* becomes non-zero: write a checkpoint, return SW_E_STOPPED       */
    void  (*progress)(void *user, const struct sw_progress *progress);  /* both on the calling thread; may be NULL */
    void  (*event)(void *user, const struct sw_event *event);
    void   *user;
    struct sw_provenance provenance;
};
/* What runs that were computed again have said (accuracy.runs). */
struct sw_accuracy {
    int64_t sampled, estimated;    /* runs of the sample that ended; those that were computed again          */
    int64_t stopped;               /* of the others: before their ends, by `stop`                            */
    int64_t noisy;                 /* whose steps have noise, which is other noise with other steps          */
    int64_t broken_off;            /* which too little memory left without an estimate, or too much work; the rest of
                                    * the sample diverged or failed                                          */
    int64_t earlier;               /* of those estimated: at an earlier time than the end                    */
    int64_t missing;               /* of batches that have stopped, at their last steps, before their estimates were
                                    * there; these have nothing else here                                    */
    int64_t walled, spread;        /* of those estimated, in time only: noise or a field of a file between walls,
                                    * which no finer grid has; a grid of more than one dimension             */
    double  error[2];              /* in time, in space: the largest; 0: none                                */
    double  relative;              /* in time, the largest in terms of the field                             */
    int64_t coarse;                /* runs whose field half the step changes by much                         */
    int64_t lost[2];               /* runs that diverged with half the step, with twice the points           */
    int64_t vague;                 /* runs whose estimate is as large as half the field                      */
    int64_t denied;                /* runs whose distance from `exact` is far beyond their estimates         */
    double  distance;              /* the largest such distance                                              */
};
struct sw_run_sweep_summary {
    int64_t done, diverged, failed;      /* runs that ended in this call                                     */
    int64_t stopped;                     /* of those done: before their ends                                 */
    double  seconds, rate;               /* points times steps a second                                      */
    struct sw_accuracy accuracy;
    bool    failed_fast;                 /* stopped because of fail_fast                                     */
    int64_t missing;                     /* SW_E_IO: runs whose results had been on disk and are gone        */
    char    failures[600];               /* "runs 12, 40, 41: not finite at t = 0.31"; of many runs
                                          * "t = 18 … 26", or the first one where there is no time; "": none */
    char    notes[600];                  /* the same of runs that are done and have a message                */
};

/** Compute a plan, with a worker for each device. If a device fails (SW_E_CUDA, SW_E_MEMORY) while others work, they
 * compute its batches, and it is reported as an event; the call fails only if batches remain that no device could do.
 * @return SW_OK all results are in FILE.h5 (some runs may have diverged: see the summary); SW_E_STOPPED parts and
 *          checkpoints are on disk, and a later call continues to the same bits; SW_E_REFUSED another process writes
 *          the file; SW_E_IO, SW_E_MEMORY, SW_E_CUDA, and whatever the queue returns: what is on disk is consistent */
enum sw_status sw_run_sweep(struct sw_sweep *sweep, struct sw_plan *plan, const struct sw_completed *completed,
                            const struct sw_devices *devices, const struct sw_run_sweep_options *options,
                            struct sw_run_sweep_summary *summary);
#endif
