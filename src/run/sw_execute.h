#ifndef SW_EXECUTE_H
#define SW_EXECUTE_H
/* Do the runs of a sweep: group, cut into batches that fit the memory, advance each batch on a device while a writer
 * thread puts its outputs into a part, checkpoint, stop cleanly when asked, merge at the end.
 *
 * Each device has a worker, a thread that asks for a batch, advances it, and says what became of it. Who answers is a
 * deal (struct sw_deal); between the two sits the desk: the thread that called sw_execute(). It alone calls the deal
 * and the callbacks of progress and events. */
#include <signal.h>

#include "comm/sw_comm.h"
#include "output/sw_output.h"

struct sw_plan_batch {             /* points into the plan                                                  */
    int       group;
    int       count;
    int64_t  *run;                 /* [count] ascending                                                     */
    uint64_t *id;                  /* [count]                                                               */
    int      *row;                 /* [count] of a batch that goes on: its row in the stored state          */
    const struct sw_checkpoint *resume;  /* where it goes on from; NULL: from step 0. Of `completed`       */
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
    double   host_bytes;           /* and of the host, on a device with memory of its own, for all that are under way
                                    * together; 0 else                                                      */
    char     solver[64];           /* row chosen for the first group                                        */
    const uint64_t *id;            /* [sweep->nruns] of all runs; borrowed                                  */
    struct sw_plan_own *own;
};

/** How many batches there can be, whatever the devices are, where memory does not cut them: no more devices are worth
 * opening. Arguments as for sw_plan_make().
 * @param enough  do not look further when there are so many
 * @param most    out; at least 1
 * @return SW_E_MEMORY */
enum sw_status sw_plan_most_batches(const struct sw_sweep *sweep, const int64_t *run, int64_t count, const uint64_t *id,
                                    const struct sw_completed *completed, bool retry_failed, int64_t enough,
int64_t *most); /** @param run     [count] the runs asked for, ascending
 *  @param id      [sweep->nruns] the ids of all runs (sw_sweep_ids); must outlive the plan
 *  @param completed  what is already there; NULL: nothing. Must outlive the plan
 *  @param devices that will share the work: batches fit the one with the least memory, and there are some for each
 *  @return SW_E_TOO_LARGE one run does not fit the device: bytes needed and free, and a hint */
enum sw_status sw_plan_make(struct sw_sweep *sweep, const int64_t *run, int64_t count, const uint64_t *id,
                            const struct sw_completed *completed, bool retry_failed, const struct sw_devices *devices,
                            struct sw_plan **plan);
/** The same plan on all ranks, whose files and settings are the same: batches fit the device with the least memory of
 * all of them. Collective: all fail if one does.
 * @param with  who else is at it
 * @return also SW_E_COMM: another rank has failed */
struct sw_plan_with {
    const struct sw_comm *comm;
    int devices, devices_here;     /* of all ranks, and of those on this machine                            */
    int users;                     /* ranks that share a GPU                                                */
};
enum sw_status sw_plan_make_with(struct sw_sweep *sweep, const int64_t *run, int64_t count, const uint64_t *id,
                                 const struct sw_completed *completed, bool retry_failed,
const struct sw_devices *devices, const struct sw_plan_with *with, struct sw_plan **plan);
void sw_plan_destroy(struct sw_plan **plan);
/** What a plan says, in a number: plans that are different have different ones. */
uint64_t sw_plan_digest(const struct sw_plan *plan);
/** Points times steps of a batch that are still to do. */
double sw_plan_work(const struct sw_plan *plan, const struct sw_plan_batch *batch);

/** Points times steps a second of all devices, by a few real steps of the batch with the most work on the first.
 *  @param seconds  how long to measure, about
 *  @param rate     out; 0: there is nothing to do
 *  @return SW_E_MEMORY, SW_E_CUDA */
enum sw_status sw_plan_measure(struct sw_sweep *sweep, const struct sw_plan *plan, const struct sw_devices *devices,
                               double seconds, double *rate);

struct sw_progress {               /* handed to the callback, about ten times a second a device; twice a second
                                      where only other processes compute, or one step takes longer          */
    double  points_steps_done;     /* of plan.points_steps                                                  */
    double  seconds;               /* since the start                                                       */
    int64_t runs_done, runs_failed, batches_done;
    double  t, end;                /* of the first run of the first batch under way                         */
    const char *phase;             /* "computing", "merging"                                                */
};

enum sw_event_kind {
    SW_EVENT_BATCH, SW_EVENT_CHECKPOINT, SW_EVENT_FAILURE,
    SW_EVENT_DEVICE,               /* a device broke off; its batch is given to another                     */
    SW_EVENT_NOTE                  /* a run is done, with a message all the same                            */
};
struct sw_event {
    enum sw_event_kind kind;
    int64_t     batch, step;       /* number of the batch in the plan; steps it has taken                   */
    int         count;             /* its runs                                                              */
    double      seconds;           /* it took so far                                                        */
    int64_t     run;               /* FAILURE, NOTE: which run,                                             */
    double      t;                 /* FAILURE: when; NaN: the problem has no time                           */
    const char *message;           /* and why; DEVICE: which device, and why                                */
    bool        earlier;           /* FAILURE: it was one when the batch began, in an earlier call          */
};

/* ---- who gives out batches. The deal of a process that is alone is sw_deal_local(); one that shares the work with
 * other processes is made of messages to them. All its functions are called on the thread that called sw_execute(). */
enum sw_batch_end {
    SW_BATCH_DONE,                 /* its results are on disk                                               */
    SW_BATCH_STOPPED,              /* on a clean stop: what it goes on from is on disk                      */
    SW_BATCH_BACK                  /* the device broke off: it is to be done again, from where it began     */
};
struct sw_tally {                  /* of batches that are done                                              */
    int64_t done, diverged, failed;      /* runs                                                            */
    int64_t batches;
    double  points_steps;
};
enum { SW_DEAL_NONE = -1, SW_DEAL_LATER = -2 };
struct sw_desk;
struct sw_deal {
    /** A batch for a worker of this process. Does not wait.
     * @param batch  out: its number in the plan; SW_DEAL_LATER: those that are under way may still come back, it is
     *               asked again; SW_DEAL_NONE: the worker may go home */
    enum sw_status (*next)(struct sw_deal *deal, int worker, int64_t *batch);
    /** What became of a batch that was given out. tally is that of the batch, of zeros if it is not done. */
    enum sw_status (*over)(struct sw_deal *deal, int worker, int64_t batch, enum sw_batch_end end,
                           const struct sw_tally *tally);
    /** The worker goes home and asks no more; what it asked for may still come. NULL: of no interest. */
    void (*gone)(struct sw_deal *deal, int worker);
    /** Look for messages; NULL: there are no others. Does not wait, is called some 500 times a second. What it finds it
     * tells by sw_desk_*(). *busy: others are still at work, and sw_execute() has to stay. */
    enum sw_status (*poll)(struct sw_deal *deal, struct sw_desk *desk, bool *busy);
    /** How many batches of the plan nobody has done, and nobody will in this call. */
    int64_t (*left)(const struct sw_deal *deal);
    void (*destroy)(struct sw_deal *deal);
    void *own;
};
/** Batches of a plan in its order, to several workers the largest first; one that a device gave back is given out once
 * more. The plan must outlive it. Destroy with deal.destroy(&deal).
 * @return SW_E_MEMORY */
enum sw_status sw_deal_local(const struct sw_plan *plan, int workers, struct sw_deal *deal);

/* What a deal hears of others goes into this process's progress, events and summary. */
void sw_desk_event(struct sw_desk *desk, const struct sw_event *event);   /* as if it had happened here              */
void sw_desk_done(struct sw_desk *desk, const struct sw_tally *tally);    /* a batch is done                         */
void sw_desk_under_way(struct sw_desk *desk, double points_steps);        /* of all their batches that are not done  */
void sw_desk_stop(struct sw_desk *desk);                                  /* all here stop cleanly                   */
bool sw_desk_stopping(const struct sw_desk *desk);  /* whether they do: a signal, the time limit, a failure          */
/** What happened here so far, without the others. *under_way: points times steps of batches that are not done. */
const struct sw_tally *sw_desk_here(struct sw_desk *desk, double *under_way);

struct sw_execute_options {
    const char *file;              /* output                                                                */
    struct sw_deal *deal;          /* NULL: sw_deal_local()                                                 */
    bool    helper;                /* another process takes the lock of the file, lets us in, and merges    */
    int     rank, ranks;           /* of the processes that write to the file at once; 0, 0: this one       */
    double  max_seconds;           /* stop cleanly after that long, but not before 0.1 s of steps; 0: never */
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
    int64_t missing;                     /* SW_E_IO: runs whose results were on disk and are not there any more */
    char    failures[600];               /* "runs 12, 40, 41: not finite at t = 0.31"; of many "t = 18 … 26",
                                          * or of the first where there is no time; "" if none               */
    char    notes[600];                  /* the same of runs that are done, with a message                   */
};

/** A worker for each device. If the device of one breaks off (SW_E_CUDA, SW_E_MEMORY) while others work, they do its
 * batches, and it is an event; it is a failure if batches are left that nobody could do.
 * @return SW_OK all is in FILE.h5 (some runs may have diverged: see the summary); SW_E_STOPPED parts and a checkpoint
 *          are on disk and a later call goes on to the same bits; SW_E_REFUSED another process is at it; SW_E_IO,
 *          SW_E_MEMORY, SW_E_CUDA, and whatever the deal returns: what is on disk is whole */
enum sw_status sw_execute(struct sw_sweep *sweep, struct sw_plan *plan, const struct sw_completed *completed,
                          const struct sw_devices *devices, const struct sw_execute_options *options,
                          struct sw_execute_summary *summary);
#endif
