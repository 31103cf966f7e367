#ifndef SW_WORK_QUEUE_H
#define SW_WORK_QUEUE_H
/* The batches of a plan that no worker has taken yet. The scheduler of a process takes batches from a work queue and
 * returns their outcomes. A process that is alone has a local queue; processes that share a sweep have queues that
 * exchange messages (sw_processes.h). All functions of a queue are called on the scheduler's thread, the one that
 * called sw_run_sweep(). */
#include "run/sw_run_sweep.h"

enum sw_batch_outcome {
    SW_BATCH_DONE,                 /* its results are on disk                                               */
    SW_BATCH_STOPPED,              /* stopped; its checkpoint is on disk                                    */
    SW_BATCH_RETURNED              /* the device failed: it is to be computed again, from where it began    */
};
struct sw_totals {                 /* of batches that are done; of one that stopped, accuracy.missing       */
    int64_t done, diverged, failed;      /* runs                                                            */
    int64_t stopped;                     /* of those done: before their ends                                */
    int64_t batches;
    double  points_steps;
    struct sw_accuracy accuracy;
};
enum { SW_QUEUE_EMPTY = -1, SW_QUEUE_WAIT = -2, SW_QUEUE_HELP = -3 };
struct sw_help {                   /* of a worker for the batch of another                                  */
    int64_t batch, number;         /* of all helps of the job                                               */
    int64_t lead;                  /* which assignment of the batch it is for                               */
    int     rank;                  /* of the other side                                                     */
};
struct sw_scheduler;
struct sw_work_queue {
    /** Take a batch for a worker of this process. Does not wait.
     * @param batch  out: its number in the plan; SW_QUEUE_WAIT: batches in flight may still be returned, ask again;
     *               SW_QUEUE_HELP: meanwhile help another worker, help() says whom;
     *               SW_QUEUE_EMPTY: no work is left, the worker exits */
    enum sw_status (*next)(struct sw_work_queue *queue, int worker, int64_t *batch);
    /** After SW_QUEUE_HELP. When the worker asks for its next batch, the other one takes no more help. NULL: next()
     * never says so; then offer() and lead() are NULL as well. */
    struct sw_help (*help)(struct sw_work_queue *queue, int worker);
    /** The worker is ready to give this help: offer it to the process that leads the batch, which dismisses each helper
     * that it is offered, sooner or later. @param offered  out: false: that process leads no batch any more */
    enum sw_status (*offer)(struct sw_work_queue *queue, int worker, bool *offered);
    /** The number of the assignment by which this process has a batch from next(): all those of the job are counted
     * from 1. Helps for it have the same. */
    int64_t (*lead)(const struct sw_work_queue *queue, int64_t batch);
    /** Return the outcome of a batch. totals are those of the batch; zeros unless it is done. */
    enum sw_status (*complete)(struct sw_work_queue *queue, int worker, int64_t batch, enum sw_batch_outcome outcome,
                               const struct sw_totals *totals);
    /** A worker has exited and takes no more; a batch that it requested may still arrive. NULL: not needed. */
    void (*worker_exited)(struct sw_work_queue *queue, int worker);
    /** Handle messages of other processes; NULL: there are none. Does not wait; the scheduler calls it some 500 times a
     * second. What others report goes to sw_scheduler_*(). *busy: others still work, so the scheduler must stay. */
    enum sw_status (*poll)(struct sw_work_queue *queue, struct sw_scheduler *scheduler, bool *busy);
    /** How many batches of the plan are not done and will not be in this call. */
    int64_t (*remaining)(const struct sw_work_queue *queue);
    void (*destroy)(struct sw_work_queue *queue);
    void *own;
};
/** A queue of the batches of a plan within one process: in the plan's order for one worker, the largest first for
 * several. A batch that a device returned is given out once more. The plan must outlive the queue. Destroy it with
 * queue.destroy(&queue).
 * @return SW_E_MEMORY */
enum sw_status sw_work_queue_local(const struct sw_plan *plan, int workers, struct sw_work_queue *queue);
/** The same for the ranks of a job: `worker` of next() is a rank. Batches of ladders that hang together all go to the
 * rank that gets the first of them. */
enum sw_status sw_work_queue_of_ranks(const struct sw_plan *plan, int workers, struct sw_work_queue *queue);

/* What the queue learns of other processes goes into this process's progress, events and summary. */
void sw_scheduler_add_event(struct sw_scheduler *scheduler, const struct sw_event *event);
void sw_scheduler_add_done(struct sw_scheduler *scheduler, const struct sw_totals *totals);  /* of one batch */
/** Points times steps of all batches that other processes have in flight. */
void sw_scheduler_set_in_flight_elsewhere(struct sw_scheduler *scheduler, double points_steps);
/** A worker, which waits for it, is ready to help: offer it to the worker that has, or will have, the batch, or dismiss
 * it. @param scheduler  NULL: it is dismissed */
void sw_scheduler_offer_help(struct sw_scheduler *scheduler, const struct sw_help *offer);
/** Make all workers of this process stop with a checkpoint. */
void sw_scheduler_stop(struct sw_scheduler *scheduler);
/** Whether they are to stop: a signal, the time limit, a failure with fail_fast, sw_scheduler_stop(). */
bool sw_scheduler_is_stopping(const struct sw_scheduler *scheduler);
/** Why the call fails; status SW_OK: it does not. */
const struct sw_err_kept *sw_scheduler_failure(const struct sw_scheduler *scheduler);
/** Whether workers of this process have not exited. */
bool sw_scheduler_has_workers(const struct sw_scheduler *scheduler);
/** Points times steps of the batches that this process has in flight. */
double sw_scheduler_in_flight_here(struct sw_scheduler *scheduler);
#endif
