#ifndef RUN_IMPL_H
#define RUN_IMPL_H
/* The scheduler and its workers. The thread that called sw_run_sweep() is the scheduler (scheduler.c): it takes
 * batches from the work queue, gives them to workers and reports their outcomes. A worker (worker.c) is a device and a
 * thread that computes batch after batch (batch.c); it makes requests to the scheduler (worker_requests.c), and a
 * writer thread (writer.c) writes its outputs.
 *
 * Calls go down this list only: scheduler, worker, batch, help, then requests, stop and writer. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/sw_err.h"
#include "run/domain.h"
#include "run/failure_list.h"
#include "run/help.h"
#include "run/sw_work_queue.h"
#include "run/writer.h"

enum request {
    REQUEST_NONE, REQUEST_BATCH, REQUEST_PROGRESS, REQUEST_EVENT, REQUEST_COMPLETE, REQUEST_OFFER, REQUEST_EXIT
};

/* A batch that is computed, and being written. */
struct written { int64_t batch, mark; struct sw_totals totals; };  /* mark: of the writer, after its last job */

struct worker {
    struct sw_scheduler *scheduler;
    int               number;
    struct sw_device *device;
    const struct sw_comm *comm;         /* the ranks that compute each batch with it, each a slab of its grids: they
                                           take the same decisions (domain.h). NULL: it computes alone   */
    struct sw_comm  *on_device;         /* the same ranks, for the memory of their devices; NULL: none */
    struct domain_comms comms;          /* of setup                                             */
    struct sw_device *const *helper;    /* [team of the plan - 1] other devices of its batches */
    struct sw_remote_helpers remote;    /* of its batch: pointers into attached     */
    struct attached_helper   attached[SW_REMOTE_HELPERS_MOST];
    struct sw_help    help;             /* where batch is SW_QUEUE_HELP             */
    int64_t           lead;             /* of its batch: sw_work_queue.lead()       */
    pthread_t         thread;
    struct writer    *writer;
    struct sw_sim    *sim;              /* of group, for at most capacity runs      */
    struct sw_setup   setup;
    int               group, capacity;
    struct sw_provenance provenance;    /* with the sim's solver, and the device    */
    char              solver[64], where[160];
    int64_t           chunk;            /* steps that take about 0.1 s              */
    long              next_part;        /* of ranks: the number of their next parts; 0: not known yet */

    int64_t           batch;            /* in flight: its number; else negative     */
    struct sw_totals  totals;           /* of it                                    */
    struct written   *written;          /* [nwritten] in the order of their ends    */
    int64_t           nwritten, written_room;
    int64_t           complete;         /* COMPLETE, EXIT: that many of the first are on disk */
    bool              computed;         /* a batch of this call                     */

    /* The request of the thread, which waits until it is REQUEST_NONE again: the scheduler may read the data here. */
    enum request      request;
    bool              waits;            /* for a batch, and none has become free    */
    double            waits_since;      /* clock; 0: it does not wait               */
    pthread_cond_t    answered;
    const struct sw_event *event;
    bool              offered;          /* OFFER, out: of help; else nobody wants it */
    enum sw_batch_outcome outcome;      /* EXIT: of batch                           */
    struct sw_err_kept failed;          /* EXIT                                     */
    double            in_flight, t, t_end;  /* PROGRESS: points times steps of the batch; as in struct sw_progress */
};

struct sw_scheduler {
    struct sw_sweep *sweep;
    struct sw_plan  *plan;
    const struct sw_run_sweep_options *options;
    struct sw_run_sweep_summary *summary;
    struct sw_work_queue *queue;
    struct sw_output_lock *lock;        /* of the file; a client has it from its first batch on */
    struct sw_comm  *group;             /* the processes that compute each run with this one; NULL: runs are not cut, or
                                         * the devices of this process compute them */
    double           started;           /* clock                                    */
    int              workers, running;  /* all workers; those that have not exited  */
    int              threads;           /* workers whose thread, or that of their group, has started   */
    struct worker   *worker;
    pthread_mutex_t  mutex;             /* of the workers' requests                 */
    pthread_cond_t   requested;
    struct help_offers offers;
    struct sw_representatives    sample;            /* runs that are computed again unless accuracy.runs says which */
    atomic_bool      stop, run_failed;  /* sw_scheduler_stop(); a run failed in this call */
    _Atomic double   first_step;        /* clock at the first step of this process in this call; 0: none yet */

    /* the scheduler thread's own */
    struct sw_totals  done;             /* of batches that are done                 */
    double            in_flight_elsewhere;  /* points times steps                   */
    double            progress_shown;   /* clock at the last scheduler_show_progress() */
    struct failure_list failures, notes;    /* of the summary                       */
    struct sw_err_kept failed, device_failed;  /* what ends the call; the first device that failed */
};

/* ---- worker.c */
void *worker_run(void *worker);  /* the thread */
/** Whether another worker leads its batches: it takes them from the queue, and reports. */
static inline bool worker_follows(const struct worker *w) { return w->comm && w->comm->rank; }

/* ---- batch.c */
/** Advance one batch to its end, or to a stop (SW_E_STOPPED, its checkpoint handed to the writer). w->sim fits it. */
enum sw_status batch_run(struct worker *w, int64_t number, const struct sw_plan_batch *batch);

/* ---- worker_requests.c: on the worker's thread. Each returns when the scheduler has answered. */
void worker_lock(struct worker *w);    /* the mutex, to set what a request is about */
void worker_unlock(struct worker *w);
/** The mutex is held, and released on return. */
void worker_request(struct worker *w, enum request request);
void worker_request_progress(struct worker *w, double points_steps, double t, double t_end);
void worker_request_event(struct worker *w, const struct sw_event *event);

/* ---- stop.c: on any thread */
/** Whether to stop now: a signal, the time limit, a failure with fail_fast, or sw_scheduler_stop(). */
bool scheduler_must_stop(const struct sw_scheduler *s, double now);
/** Whether a batch that has no checkpoint may be given up. @param computed  the worker has computed one in this call */
bool scheduler_may_give_up(const struct sw_scheduler *s, double now, bool computed);
/** A worker takes its first step of a batch now; the time limit allows for some steps after the first of all. */
void scheduler_note_first_step(struct sw_scheduler *s);
#endif
