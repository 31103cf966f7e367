#ifndef RUN_IMPL_H
#define RUN_IMPL_H
/* How a plan is carried out: scheduler.c is the calling thread, which gives out batches (queue.c) and tells of them;
 * worker.c a device's thread, which does batch after batch and says so (worker_say.c); batch.c advances one; writer.c
 * is the thread that writes for it. */
#include <pthread.h>
#include <stdatomic.h>

#include "run/sw_work_queue.h"

/* ---- the writer: a thread for each worker. Jobs are done in the order given; after a failure the rest are dropped,
 * and every call returns that failure. */
struct writer;
enum sw_status writer_create(const char *file, struct writer **writer);
void writer_destroy(struct writer **writer);          /* a part that is not finished is abandoned */
/** Begin a part. What desc and provenance point to must live until its end. */
enum sw_status writer_begin(struct writer *w, const struct sw_part_desc *desc, const struct sw_provenance *provenance);
/** A slot for the next snapshot, when one is free. */
enum sw_status writer_slot(struct writer *w, int *slot);
/** Write what was snapshotted in the slot, then free it. */
enum sw_status writer_snapshot(struct writer *w, struct sw_sim *sim, int slot, int what);
/** Append an entry of NaN. @param what  SW_SNAPSHOT_FIELD, SW_SNAPSHOT_SCALARS or both */
enum sw_status writer_blank(struct writer *writer, int what);
/** End the part (sw_part_finish). result and state are the writer's from now on, also on failure. */
enum sw_status writer_finish(struct writer *w, struct sw_run_result *result, double *state, size_t state_size,
                             int64_t step);
/** Drop the part. */
enum sw_status writer_abandon(struct writer *w);
enum sw_status writer_wait_slots(struct writer *w);   /* until all snapshots are written */
enum sw_status writer_wait(struct writer *w);         /* until all is done              */
enum sw_status writer_status(struct writer *w);

/** How far it is, for writer_reached(): the jobs given so far. */
int64_t writer_mark(struct writer *w);
/** Wait until the jobs up to a mark are over. @return the first failure, of whatever job */
enum sw_status writer_wait_mark(struct writer *w, int64_t mark);
bool writer_reached(struct writer *w, int64_t mark);  /* whether those jobs are done, without a failure */

/* ---- a worker: a device and its thread */
enum request { REQUEST_NONE, REQUEST_BATCH, REQUEST_LOOK, REQUEST_EVENT, REQUEST_OVER, REQUEST_LEAVE };

struct worker {
    struct sw_scheduler   *scheduler;
    int               number;
    struct sw_device *device;
    pthread_t         thread;
    struct writer    *writer;
    struct sw_sim    *sim;              /* of group, for at most capacity runs      */
    struct sw_setup   setup;
    int               group, capacity;
    struct sw_provenance provenance;    /* with the sim's solver, and the device    */
    char              solver[64], where[160];
    int64_t           chunk;            /* steps that take about 0.1 s              */

    int64_t           batch;            /* under way: its number; else negative     */
    struct sw_totals   tally;            /* of it                                    */
    int64_t           written;          /* computed, and being written; -1: none    */
    struct sw_totals   written_tally;
    int64_t           mark;             /* of the writer, after its last job        */

    /* what the thread says to the scheduler; it waits until request is REQUEST_NONE again */
    enum request      request;
    bool              waits;            /* for a batch, and nothing is new          */
    double            asked;            /* the clock since when; 0: it does not     */
    pthread_cond_t    answered;
    const struct sw_event *event;
    enum sw_batch_outcome written_end, end; /* OVER, LEAVE: of written, and of batch    */
    struct sw_err_kept failed;          /* LEAVE                                    */
    double            in_flight, t, t_end;  /* LOOK: points times steps of the batch; as in struct sw_progress */
};

/* ---- what it says to the scheduler: worker_say.c. Each waits until the scheduler has dealt with it. */

/** Of the scheduler, for what a request is about. */
void worker_lock(struct worker *w);
void worker_unlock(struct worker *w);
/** While the scheduler is locked, which it is not afterwards. */
void worker_say(struct worker *w, enum request request);
void worker_look(struct worker *w, double points_steps, double t, double t_end);
void worker_event(struct worker *w, const struct sw_event *event);

void *worker_run(void *worker);  /* the thread */

/** Advance one batch to its end, or to a clean stop (SW_E_STOPPED, its checkpoint handed to the writer).
 * w->sim fits it. */
enum sw_status batch_run(struct worker *w, int64_t number, const struct sw_plan_batch *batch);

/* ---- the scheduler */

/* Runs of which the summary tells: how many, when, and those with the lowest index. */
enum { NAMED_RUNS = 4, NAMED_MESSAGE = 120, NAMED_ROOM = sizeof((struct sw_run_sweep_summary *)0)->failures };
struct named {
    int64_t count;
    double  first, last;                /* times; NaN: none has one                 */
    int     kept;
    struct { int64_t run; char message[NAMED_MESSAGE]; } entry[NAMED_RUNS];  /* [kept], by run; cut to fit */
};

struct sw_scheduler {
    struct sw_sweep *sweep;
    struct sw_plan  *plan;
    const struct sw_run_sweep_options *options;
    struct sw_run_sweep_summary *summary;
    struct sw_work_queue  *queue;
    struct sw_output_lock *lock;       /* of the file; a client has it from its first batch on */
    double           started;
    int              workers, here;     /* how many there are, and have not left    */
    struct worker   *worker;
    pthread_mutex_t  mutex;             /* of what workers say                      */
    pthread_cond_t   said;
    atomic_bool      stop, failed_now;  /* a run went bad in this call              */
    _Atomic double   stepping;          /* the clock at the first step of this process in this call, 0: none yet */

    /* the calling thread's own */
    struct sw_totals  done;              /* of batches that are done                 */
    double           elsewhere;         /* points times steps under way             */
    double           shown;             /* the clock at the last scheduler_show_progress()    */
    struct named     failures, notes;   /* of summary->failures, notes              */
    struct sw_err_kept failed, broken;  /* what ends it all; the first device that broke off */
};

/** Start the workers, and sit until they, and what else the queue knows of, are at an end. */
enum sw_status scheduler_run(struct sw_scheduler *d, const struct sw_devices *devices);
void scheduler_show_progress(struct sw_scheduler *d, const char *phase);  /* call the callback */

/** Whether to stop now: a signal, the time limit, or a failure with fail_fast. On any thread. */
bool scheduler_must_stop(const struct sw_scheduler *d, double now);

/** A worker takes its first step of a batch now: a time limit counts from the first of all on. On any thread. */
void scheduler_note_first_step(struct sw_scheduler *d);

/** Count a run and its message, of which the part before a bracket is kept. @param t  when; NaN: without time */
void failure_list_add(struct named *n, int64_t run, double t, const char *message);
/** "runs 12, 40: not finite at t = 0.31; run 50: ..."; of more than NAMED_RUNS "t = 18 … 26", or
 * without times "the first of 48, run 3: ...". */
void failure_list_print(const struct named *n, char text[NAMED_ROOM]);

/** Name the first point at which the initial value of run j is not finite: its value, coordinates and indices.
 * @param column  [setup->ncolumn][count]
 * @return false: there is none, or memory is out */
bool initial_describe(const struct sw_setup *setup, int count, const double *column, int j, char text[160]);

/** Error norms at the last step against the config's `exact` (docs/numerics.md, "What is reported"):
 * with d = u - exact, sqrt(mean d²), max |d|, |d|₂/|exact|₂.
 * @param column  [setup->ncolumn][count]
 * @param u       [count][points] the last states
 * @param result  [count]; runs that are not done are left alone */
enum sw_status norms_measure(const struct sw_setup *setup, int threads, int count, const double *column,
                             const double *u, int64_t steps, struct sw_run_result *result);
#endif
