#ifndef PROCESSES_IMPL_H
#define PROCESSES_IMPL_H
/* The files of sw_processes.h. processes.c polls, begins and ends; rank 0 is the coordinator (processes_coordinator.c),
 * the others are clients (processes_client.c); processes_heartbeat.c sends heartbeats and notices ranks that are
 * silent; processes_messages.c sends. Calls go down this list only. */
#include <stddef.h>

#include "comm/sw_message.h"
#include "run/sw_processes.h"

enum message_kind {
    REQUEST_WORK,     /* to 0: a batch for that worker                                              */
    ASSIGN,           /* from 0: this batch; SW_QUEUE_HELP: help with another; SW_QUEUE_EMPTY: none */
    HELPER,           /* from any to any: a worker that is ready to help with a batch               */
    COMPLETE,         /* to 0: the outcome of a batch                                               */
    EVENT,            /* to 0                                                                       */
    PROGRESS,         /* to 0: the work in flight; from 0: no more than that it is alive            */
    HEARTBEAT,        /* the process is alive, though its main thread may be busy                   */
    STOP,             /* to 0: all must stop; from 0: stop. Both are answered with PROGRESS         */
    EXIT,             /* to 0: sw_run_sweep() has returned, with this status                        */
    RELEASE,          /* from 0, its last: all have exited                                          */
    GONE              /* to 0, the last: the answer                                                 */
};

struct message {
    enum message_kind kind;
    int               worker;
    int64_t           batch;
    struct sw_help    help;           /* HELPER; ASSIGN: help, or a batch's lead; REQUEST_WORK: the last, or batch -1 */
    enum sw_batch_outcome outcome;
    enum sw_status    status;
    struct sw_totals  totals;
    double            in_flight;      /* points times steps                                   */
    struct sw_event   event;          /* its message is the text                              */
    char              text[400];      /* sent up to its final 0                               */
};
_Static_assert(sizeof(struct message) <= SW_MESSAGE_BYTES, "a message is too long");

struct peer {                         /* rank 0 keeps one of each client, a client that of rank 0 */
    double last_message;              /* clock                                                */
    bool   exited, suspected, released, gone;
    double in_flight;                 /* points times steps                                   */
};

struct lead {                         /* of a batch in flight                                 */
    int64_t number;                   /* of all assignments of the job                        */

    /* rank 0 */
    int  rank;                        /* which computes it; -1: it is not in flight           */
    int  helpers;                     /* that were sent to it                                 */
    bool closed;                      /* it takes no more                                     */
};

struct sw_processes {
    const struct sw_comm *comm;
    char   (*host)[64];               /* [size], borrowed                                     */
    const volatile sig_atomic_t *stop;
    struct sw_work_queue queue;       /* of this process: it exchanges messages               */
    struct sw_scheduler *scheduler;   /* while it runs                                        */
    struct heartbeat *heartbeat;      /* NULL: none is sent                                   */
    struct peer *peer;                /* [size]                                               */
    double  progress_sent, polled;    /* clock                                                */
    double  stop_sent;                /* clock of the first STOP, sent or received; 0: none   */
    bool    complete;                 /* all ranks have exited                                */
    int64_t nbatch;
    struct lead *lead;                /* [nbatch]                                             */

    /* rank 0 */
    struct sw_work_queue local;       /* the batches                                          */
    const struct sw_plan *plan;
    bool    can_help;                 /* some runs are cut                                    */
    int64_t leads, helps;             /* that have begun                                      */
    struct message *request;          /* [all_workers] the nrequests for work that wait       */
    int    *requester;                /* [all_workers] the rank of each                       */
    int     nrequests, all_workers;   /* of all ranks: a worker has one request at a time     */

    int     workers;                  /* of this process                                      */
    struct sw_help *help;             /* [workers] the last; batch -1: that is known          */

    /* clients */
    int64_t *assigned;                /* [workers] the batch; NOT_REQUESTED, REQUESTED        */
    bool    *worker_exited;           /* [workers]                                            */
};

static inline struct sw_processes *processes_of(const struct sw_work_queue *queue) { return queue->own; }

/* ---- processes_coordinator.c */
/** Become the queue of rank 0, but for its help, poll, destroy and own. @return as
 * sw_work_queue_local() */
enum sw_status coordinator_create(struct sw_processes *p, const struct sw_plan *plan);
enum sw_status coordinator_handle(struct sw_processes *p, int from, struct message *m);
enum sw_status coordinator_assign_work(struct sw_processes *p);  /* answer requests that wait */

/* ---- processes_client.c */
/** Become the queue of another rank, but for its help, poll, destroy and own. @return SW_E_MEMORY */
enum sw_status client_create(struct sw_processes *p);
enum sw_status client_handle(struct sw_processes *p, const struct message *m);

/* ---- processes_heartbeat.c */
/** Start the thread that sends heartbeats to the ranks that this one exchanges messages with. @return SW_E_MEMORY */
enum sw_status heartbeat_start(struct sw_processes *p);
void heartbeat_stop(struct sw_processes *p);  /* no heartbeat is sent afterwards; may be called again */
/** A rank that is silent for too long ends the job; one that does not answer a stop is reported. */
void heartbeat_check(struct sw_processes *p, int rank, double now);
/** Once a poll, before messages are received: allow for the time that this process itself was suspended. */
void heartbeat_allow_for_suspension(struct sw_processes *p, double now);

/* ---- processes_messages.c. @return as sw_message_send() */
enum sw_status send_message(int to, const struct message *m);
enum sw_status send_kind(int to, enum message_kind kind);
/** From rank 0 to all clients that have not exited. */
enum sw_status send_to_clients(const struct sw_processes *p, enum message_kind kind);
enum sw_status send_progress(struct sw_processes *p);
#endif
