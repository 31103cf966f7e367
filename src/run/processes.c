#include "run/sw_processes.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_async_stream.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "comm/sw_message.h"
#include "run/assignments.h"
#include "run/heartbeat.h"
#include "run/rungs.h"

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

/* Where runs are cut over groups of ranks, what has made one of them fail: the others of its group wait for it. */
struct group_failure { double since; int rank; struct sw_err_kept why; };  /* clock; 0: none has failed */

struct request { int rank, worker; };  /* for work: no batch has become free for it yet        */

struct sw_processes {
    const struct sw_comm *comm;
    char   (*host)[64];               /* [size], borrowed                                     */
    const struct sw_plan *plan;
    const volatile sig_atomic_t *stop;
    struct sw_work_queue queue;       /* of this process: it exchanges messages               */
    struct sw_scheduler *scheduler;   /* while it runs                                        */
    struct heartbeat *heartbeat;      /* NULL: none is sent                                   */
    struct peer *peer;                /* [size]                                               */
    double  progress_sent, polled;    /* clock                                                */
    double  stop_sent;                /* clock of the first STOP, sent or received; 0: none   */
    bool    complete;                 /* all ranks have exited                                */
    int     workers;                  /* of this process                                      */
    struct sw_help *help;             /* [workers] the last; batch -1: that is known          */
    int64_t *lead;                    /* [nbatch] the assignment by which this process has it */

    /* rank 0 */
    struct assignments *assignments;
    int     ranks;                    /* that compute a run together, each a slab             */
    struct group_failure failed;
    struct request *request;          /* [all_workers] a worker has one at a time             */
    int     nrequests, all_workers;   /* of all ranks                                         */

    /* clients */
    int64_t *assigned;                /* [workers] the batch; NOT_REQUESTED, REQUESTED        */
    bool    *worker_exited;           /* [workers]                                            */
};
enum { NOT_REQUESTED = -10, REQUESTED = -11 };

static struct sw_processes *processes_of(const struct sw_work_queue *queue) { return queue->own; }

/* ---- sending. @return as sw_message_send() */

static enum sw_status send_message(int to, const struct message *m)
{
    enum sw_status st = sw_message_send(to, m, offsetof(struct message, text) + strlen(m->text) + 1);
    return st ? SW_FAIL(st, "a message to rank %d: %s", to, sw_err_message()) : SW_OK;
}

static enum sw_status send_kind(int to, enum message_kind kind)
{
    return send_message(to, &(struct message){.kind = kind});
}

/* From rank 0 to all clients that have not exited. */
static enum sw_status send_to_clients(const struct sw_processes *p, enum message_kind kind)
{
    for (int k = 1; k < p->comm->size; k++)
        if (!p->peer[k].exited) SW_TRY(send_kind(k, kind));
    return SW_OK;
}

static enum sw_status send_progress(struct sw_processes *p)
{
    struct message m = {.kind = PROGRESS};
    p->progress_sent = sw_clock();
    if (p->comm->rank == 0) return send_to_clients(p, PROGRESS);
    if (p->scheduler) m.in_flight = sw_scheduler_in_flight_here(p->scheduler);
    return send_message(0, &m);
}

/* Clients that have exited receive messages until RELEASE, after which none is sent. A heartbeat that is lost for want
 * of memory does no harm. */
static void send_heartbeat(int rank) { send_kind(rank, HEARTBEAT); }

void sw_processes_event(void *user, const struct sw_event *event)
{
    struct message m = {.kind = EVENT, .event = *event};
    (void)user;
    m.event.message = NULL;
    snprintf(m.text, sizeof m.text, "%s", event->message ? event->message : "");
    send_message(0, &m);  /* an event that is lost for want of memory does no harm */
}

/* ---- silent ranks */

/* Seconds of silence, after which a rank is taken for dead; for an answer to a stop, before the silence is reported.
 * The last is less than the time after which mpirun, when one process has died, kills the others (1 s). */
static const double dead_after = 40, answer_within = 0.25;

/* Printed here, and not by main(): mpirun may kill this process before it gets there. */
static void print_silent_rank(const struct sw_processes *p, int rank, const char *what)
{
    const struct sw_comm *c = p->comm;
    if (c->rank) fprintf(stderr, "rank %d of %d on %s: ", c->rank, c->size, p->host[c->rank]);
    fprintf(stderr, "rank %d of %d on %s %s; what is on disk is whole: run the same command again to continue\n", rank,
            c->size, p->host[rank], what);
}

/* A rank that is silent for too long ends the job; one that does not answer a stop is reported. */
static void check_silence(struct sw_processes *p, int rank, double now)
{
    struct peer *peer = &p->peer[rank];
    char text[64];
    if (peer->exited) return;
    if (now - peer->last_message > dead_after) {
        snprintf(text, sizeof text, "has sent nothing for %.0f s", now - peer->last_message);
        print_silent_rank(p, rank, text);
        sw_async_stderr_wait(1, NULL);
        sw_message_abort_job(sw_status_exit_code(SW_E_COMM));
    }
    const bool no_answer = p->stop_sent && now - p->stop_sent > answer_within && peer->last_message < p->stop_sent;
    if (!no_answer || peer->suspected || p->comm->rank > 1) return;  /* one client that reports it is enough */
    peer->suspected = true;
    print_silent_rank(p, rank, "does not answer");
}

/* ---- rank 0: groups of ranks that compute a run together */

static void note_failure(struct sw_processes *p, int rank, const struct sw_err_kept *why)
{
    struct group_failure *f = &p->failed;
    if (p->ranks == 1 || p->comm->rank || !why->status || why->status == SW_E_STOPPED) return;
    if (f->since > 0 && (f->why.status != SW_E_COMM || why->status == SW_E_COMM)) return;
    *f = (struct group_failure){f->since > 0 ? f->since : sw_clock(), rank, *why};
}

/* Whether all ranks have exited that do not wait for the one that has failed: they leave their checkpoints. */
static bool other_groups_have_exited(const struct sw_processes *p)
{
    for (int k = 1; k < p->comm->size; k++)
        if (!p->peer[k].exited && k / p->ranks != p->failed.rank / p->ranks) return false;
    return p->failed.rank < p->ranks || !p->scheduler || !sw_scheduler_has_workers(p->scheduler);
}

/* Seconds: those of a group that have failed together have exited by then; the others may have checkpoints to write. */
static const double exit_together = 5, exit_at_last = 40;

/* A rank that waits for one that has failed waits for ever: the job ends, with the one message. */
static void end_group_that_waits(struct sw_processes *p, double now)
{
    const struct group_failure *f = &p->failed;
    const double waited = f->since > 0 ? now - f->since : 0;
    struct sw_text text = {0};
    if (waited < exit_together || (waited < exit_at_last && !other_groups_have_exited(p))) return;
    sw_text_add_shown(&text, f->why.message, "\n\t");
    if (f->rank) fprintf(stderr, "error: %s\n", sw_text_get(&text));
    else fprintf(stderr, "error: rank 0 of %d on %s: %s\n", p->comm->size, p->host[0], sw_text_get(&text));
    sw_async_stderr_wait(1, NULL);
    sw_message_abort_job(sw_status_exit_code(f->why.status));
}

/* Before messages are received: while this process was suspended, nobody was silent. */
static void allow_for_suspension(struct sw_processes *p, double now)
{
    const double since = p->polled > 0 ? now - p->polled : 0;
    for (int k = 0; k < p->comm->size && since > 5; k++) p->peer[k].last_message += since;
    p->polled = now;
}

/* ---- rank 0: the requests of clients */

/* @param waits  out: no batch can be assigned yet */
static enum sw_status answer_request(struct sw_processes *p, const struct request *r, bool *waits)
{
    struct message m = {.kind = ASSIGN, .worker = r->worker, .batch = SW_QUEUE_EMPTY};
    if (p->scheduler && !sw_scheduler_is_stopping(p->scheduler))
        SW_TRY(assignments_next(p->assignments, r->rank, true, &m.batch, &m.help));
    *waits = m.batch == SW_QUEUE_WAIT;
    return *waits ? SW_OK : send_message(r->rank, &m);
}

static enum sw_status answer_requests(struct sw_processes *p)
{
    int kept = 0;
    for (int k = 0; k < p->nrequests; k++) {
        bool waits = kept > 0 && !p->plan->rungs;  /* if there is none for one, there is none for others */
        if (!waits && !p->peer[p->request[k].rank].exited) SW_TRY(answer_request(p, &p->request[k], &waits));
        if (waits) p->request[kept++] = p->request[k];
    }
    p->nrequests = kept;
    return SW_OK;
}

static void keep_request(struct sw_processes *p, int from, const struct message *m)
{
    assert(p->nrequests < p->all_workers);  /* client_next() */
    assignments_end_help(p->assignments, &m->help);
    p->request[p->nrequests++] = (struct request){.rank = from, .worker = m->worker};
}

/* ---- rank 0: other messages of clients */

enum { RANK_TEXT = 120 };  /* characters of "rank 1 of 2 on HOST: " */

static enum sw_status receive_complete(struct sw_processes *p, int from, const struct message *m)
{
    struct peer *peer = &p->peer[from];
    peer->in_flight -= peer->in_flight < m->totals.points_steps ? peer->in_flight : m->totals.points_steps;
    if (p->scheduler) sw_scheduler_add_done(p->scheduler, &m->totals);
    return assignments_complete(p->assignments, m->batch, m->outcome);
}

static void name_rank(const struct sw_processes *p, int rank, const char *what, char *text, size_t size)
{
    snprintf(text, size, "rank %d of %d on %s: %s", rank, p->comm->size, p->host[rank], what);
}

static void receive_event(struct sw_processes *p, int from, struct message *m)
{
    char text[sizeof m->text + RANK_TEXT];
    m->event.message = m->text;
    if (m->event.kind == SW_EVENT_DEVICE) {  /* all ranks have a cuda:0 */
        name_rank(p, from, m->text, text, sizeof text);
        m->event.message = text;
    }
    if (p->scheduler) sw_scheduler_add_event(p->scheduler, &m->event);
}

/* A client that ends because its device failed does not stop the others, as within a process (scheduler.c); any other
 * failure does, and where there are ladders, whose ends it has had. */
static enum sw_status receive_exit(struct sw_processes *p, int from, const struct message *m)
{
    struct peer *peer = &p->peer[from];
    char text[sizeof m->text + RANK_TEXT];
    struct sw_event e = {.kind = SW_EVENT_DEVICE, .batch = -1, .message = text};
    peer->exited = true;
    peer->in_flight = 0;
    SW_TRY(assignments_return(p->assignments, from));
    if (m->status == SW_OK || m->status == SW_E_STOPPED) return SW_OK;
    name_rank(p, from, m->text, text, sizeof text);
    if ((m->status != SW_E_CUDA && m->status != SW_E_MEMORY) || p->ranks > 1 || p->plan->rungs) {
        struct sw_err_kept why = {0};
        SW_FAIL(m->status, "%s", text);
        sw_err_keep(&why, m->status);
        note_failure(p, from, &why);
        return sw_err_raise(&why);
    }
    if (p->scheduler) sw_scheduler_add_event(p->scheduler, &e);
    return SW_OK;
}

static enum sw_status handle_at_coordinator(struct sw_processes *p, int from, struct message *m)
{
    switch (m->kind) {
    case REQUEST_WORK: keep_request(p, from, m); break;
    case HELPER: sw_scheduler_offer_help(p->scheduler, &m->help); break;
    case COMPLETE: return receive_complete(p, from, m);
    case PROGRESS: p->peer[from].in_flight = m->in_flight; break;
    case STOP:
        if (p->scheduler) sw_scheduler_stop(p->scheduler);
        return p->peer[from].released ? SW_OK : send_kind(from, PROGRESS);
    case EXIT: return receive_exit(p, from, m);
    case EVENT: receive_event(p, from, m); break;
    case GONE: p->peer[from].gone = true; break;
    case HEARTBEAT: case ASSIGN: case RELEASE: break;
    }
    return SW_OK;
}

/* ---- rank 0: the work queue of its own workers */

static enum sw_status coordinator_next(struct sw_work_queue *queue, int worker, int64_t *batch)
{
    struct sw_processes *p = processes_of(queue);
    struct sw_help how = {.batch = -1};
    assignments_end_help(p->assignments, &p->help[worker]);
    p->help[worker].batch = -1;
    SW_TRY(assignments_next(p->assignments, 0, p->scheduler != NULL, batch, &how));
    if (*batch == SW_QUEUE_HELP) p->help[worker] = how;
    if (*batch >= 0) p->lead[*batch] = how.lead;
    return SW_OK;
}

static enum sw_status coordinator_complete(struct sw_work_queue *queue, int worker, int64_t batch,
                                           enum sw_batch_outcome outcome, const struct sw_totals *totals)
{
    (void)worker, (void)totals;
    return assignments_complete(processes_of(queue)->assignments, batch, outcome);
}

static int64_t coordinator_remaining(const struct sw_work_queue *queue)
{
    return assignments_remaining(processes_of(queue)->assignments);
}

/* ---- clients */

static enum sw_status handle_at_client(struct sw_processes *p, const struct message *m)
{
    switch (m->kind) {
    case ASSIGN:
        p->assigned[m->worker] = m->batch;
        if (m->batch == SW_QUEUE_HELP) p->help[m->worker] = m->help;
        if (m->batch >= 0) p->lead[m->batch] = m->help.lead;
        break;
    case HELPER: sw_scheduler_offer_help(p->scheduler, &m->help); break;
    case STOP:
        if (!p->stop_sent) p->stop_sent = p->peer[0].last_message;
        if (p->scheduler) sw_scheduler_stop(p->scheduler);
        return send_progress(p);
    case RELEASE: p->peer[0].released = true; break;
    case REQUEST_WORK: case COMPLETE: case EVENT: case PROGRESS: case HEARTBEAT: case EXIT: case GONE: break;
    }
    return SW_OK;
}

/* Rank 0 waits for a batch that it has assigned to a worker that has exited: another worker of this rank takes it. */
static bool take_batch_of_exited_worker(struct sw_processes *p, int64_t *batch)
{
    for (int k = 0; k < p->workers; k++) {
        if (!p->worker_exited[k] || p->assigned[k] < 0) continue;
        *batch = p->assigned[k];
        p->assigned[k] = NOT_REQUESTED;
        return true;
    }
    return false;
}

static void client_worker_exited(struct sw_work_queue *queue, int worker)
{
    processes_of(queue)->worker_exited[worker] = true;
}

static enum sw_status client_next(struct sw_work_queue *queue, int worker, int64_t *batch)
{
    struct sw_processes *p = processes_of(queue);
    *batch = SW_QUEUE_WAIT;
    if (take_batch_of_exited_worker(p, batch)) return SW_OK;
    if (p->assigned[worker] == REQUESTED) return SW_OK;
    if (p->assigned[worker] == NOT_REQUESTED) {
        struct message m = {.kind = REQUEST_WORK, .worker = worker, .help = p->help[worker]};
        p->assigned[worker] = REQUESTED;
        p->help[worker].batch = -1;
        return send_message(0, &m);
    }
    *batch = p->assigned[worker];
    p->assigned[worker] = NOT_REQUESTED;
    return SW_OK;
}

static enum sw_status client_complete(struct sw_work_queue *queue, int worker, int64_t batch,
                                      enum sw_batch_outcome outcome, const struct sw_totals *totals)
{
    if (outcome == SW_BATCH_DONE) rungs_release(processes_of(queue)->plan->rungs, batch);
    struct message m = {.kind = COMPLETE, .worker = worker, .batch = batch, .outcome = outcome, .totals = *totals};
    return send_message(0, &m);
}

/* Only rank 0 knows how many there are; for a client there may be one. */
static int64_t client_remaining(const struct sw_work_queue *queue)
{
    (void)queue;
    return 1;
}

/* ---- polling, on all ranks */

static const double progress_every = 0.5;  /* seconds */

static bool must_stop(const struct sw_processes *p)
{
    return (p->scheduler && sw_scheduler_is_stopping(p->scheduler)) || (p->stop && *p->stop);
}

static enum sw_status send_stop_if_needed(struct sw_processes *p, double now)
{
    if (p->stop_sent || !must_stop(p)) return SW_OK;
    SW_TRY(p->comm->rank ? send_kind(0, STOP) : send_to_clients(p, STOP));
    p->stop_sent = now;
    return SW_OK;
}

static enum sw_status handle_messages(struct sw_processes *p)
{
    struct message m;
    char raw[SW_MESSAGE_BYTES];
    size_t bytes;
    for (int from; sw_message_receive(&from, raw, &bytes);) {
        memcpy(&m, raw, bytes < sizeof m ? bytes : sizeof m);
        p->peer[from].last_message = sw_clock();
        SW_TRY(p->comm->rank ? handle_at_client(p, &m) : handle_at_coordinator(p, from, &m));
    }
    return SW_OK;
}

/* All clients have exited. No heartbeat may follow a RELEASE. */
static enum sw_status release_clients(struct sw_processes *p)
{
    heartbeat_stop(&p->heartbeat);
    for (int k = 1; k < p->comm->size; k++) {
        if (p->peer[k].released) continue;
        SW_TRY(send_kind(k, RELEASE));
        p->peer[k].released = true;
    }
    p->complete = true;
    return SW_OK;
}

/* A client has been released. After this it sends nothing, so that nobody has to receive it. */
static enum sw_status leave(struct sw_processes *p)
{
    heartbeat_stop(&p->heartbeat);
    SW_TRY(send_kind(0, GONE));
    p->complete = true;
    return SW_OK;
}

static bool any_client_left(const struct sw_processes *p)
{
    for (int k = 1; k < p->comm->size; k++)
        if (!p->peer[k].exited) return true;
    return false;
}

/* Whether rank 0 has to receive more. */
static bool any_client_sends(const struct sw_processes *p)
{
    for (int k = 1; k < p->comm->size && !p->comm->rank; k++)
        if (!p->peer[k].gone) return true;
    return false;
}

/* A message that others wait for, and for which there was no memory, is written again at the next poll: the job fails,
 * but nobody waits for ever. */
static enum sw_status poll_once(struct sw_processes *p)
{
    const double now = sw_clock();
    allow_for_suspension(p, now);
    SW_TRY(handle_messages(p));
    SW_TRY(send_stop_if_needed(p, now));
    if (now - p->progress_sent > progress_every) SW_TRY(send_progress(p));
    for (int k = 0; k < p->comm->size; k++)
        if (k != p->comm->rank && (k == 0 || p->comm->rank == 0)) check_silence(p, k, now);
    if (p->comm->rank) return p->peer[0].released ? leave(p) : SW_OK;
    SW_TRY(answer_requests(p));
    if (!p->complete && !any_client_left(p)) return release_clients(p);
    if (p->scheduler) note_failure(p, 0, sw_scheduler_failure(p->scheduler));
    end_group_that_waits(p, now);
    return SW_OK;
}

/* ---- the poll of the work queue, while a scheduler runs */

static enum sw_status poll_at_coordinator(struct sw_work_queue *queue, struct sw_scheduler *scheduler, bool *busy)
{
    struct sw_processes *p = processes_of(queue);
    double in_flight = 0;
    p->scheduler = scheduler;
    SW_TRY(poll_once(p));
    for (int k = 1; k < p->comm->size; k++) in_flight += p->peer[k].in_flight;
    sw_scheduler_set_in_flight_elsewhere(scheduler, in_flight);
    *busy = !p->complete;
    return SW_OK;
}

static enum sw_status poll_at_client(struct sw_work_queue *queue, struct sw_scheduler *scheduler, bool *busy)
{
    processes_of(queue)->scheduler = scheduler;
    *busy = false;
    return poll_once(processes_of(queue));
}

/* sw_processes_finish() frees the queue. */
static void destroy_nothing(struct sw_work_queue *queue) { (void)queue; }

struct sw_work_queue *sw_processes_queue(struct sw_processes *p) { return &p->queue; }

/* ---- help */

static struct sw_help help_of(struct sw_work_queue *queue, int worker) { return processes_of(queue)->help[worker]; }

static int64_t lead_of(const struct sw_work_queue *queue, int64_t batch)
{
    return processes_of(queue)->lead[batch];
}

/* A rank looks for messages until all have exited, and this one has a helper and has not. Only rank 0 may know that one
 * has gone. */
static enum sw_status offer_help(struct sw_work_queue *queue, int worker, bool *offered)
{
    struct sw_processes *p = processes_of(queue);
    struct message m = {.kind = HELPER, .help = p->help[worker]};
    const int to = m.help.rank;
    m.help.rank = p->comm->rank;
    *offered = !p->peer[to].exited;
    if (to == p->comm->rank) sw_scheduler_offer_help(p->scheduler, &m.help);
    else if (*offered) {
        const enum sw_status st = send_message(to, &m);
        *offered = !st;
        return st;
    }
    return SW_OK;
}

/* ---- beginning and end */

static void processes_free(struct sw_processes *p)
{
    heartbeat_stop(&p->heartbeat);
    assignments_destroy(&p->assignments);
    sw_free(p->peer);
    sw_free(p->lead);
    sw_free(p->help);
    sw_free(p->request);
    sw_free(p->assigned);
    sw_free(p->worker_exited);
    sw_free(p);
}

static enum sw_status make_queue(struct sw_processes *p, const struct sw_plan *plan)
{
    const size_t workers = (size_t)p->workers;
    const bool client = p->comm->rank > 0;
    SW_TRY(sw_alloc((size_t)p->comm->size, &p->peer));
    SW_TRY(sw_alloc(workers, &p->help));
    SW_TRY(sw_alloc((size_t)plan->nbatch, &p->lead));
    for (size_t k = 0; k < workers; k++) p->help[k].batch = -1;
    p->queue = (struct sw_work_queue){
        .next = client ? client_next : coordinator_next, .complete = client ? client_complete : coordinator_complete,
        .remaining = client ? client_remaining : coordinator_remaining,
        .worker_exited = client ? client_worker_exited : NULL, .help = help_of, .offer = offer_help, .lead = lead_of,
        .poll = client ? poll_at_client : poll_at_coordinator, .destroy = destroy_nothing, .own = p};
    if (!client) {
        SW_TRY(sw_alloc((size_t)p->all_workers, &p->request));
        return assignments_create(plan, p->workers + 1, &p->assignments);  /* more than one in all: the largest first */
    }
    SW_TRY(sw_alloc(workers, &p->assigned));
    SW_TRY(sw_alloc(workers, &p->worker_exited));
    for (size_t k = 0; k < workers; k++) p->assigned[k] = NOT_REQUESTED;
    return SW_OK;
}

enum sw_status sw_processes_create(const struct sw_comm *comm, char (*host)[64], const struct sw_plan *plan,
                                   int workers, const volatile sig_atomic_t *stop, struct sw_processes **processes)
{
    struct sw_processes *p = NULL;
    double all_workers = workers;
    *processes = NULL;
    SW_TRY(sw_comm_sum(comm, 1, &all_workers));
    enum sw_status st = sw_alloc(1, &p);
    if (!st) {
        *p = (struct sw_processes){.comm = comm, .host = host, .plan = plan, .stop = stop, .workers = workers,
                                   .ranks = plan->ranks, .all_workers = (int)all_workers};
        st = make_queue(p, plan);
    }
    st = sw_comm_agree(comm, st);
    for (int k = 0; !st && k < comm->size; k++) p->peer[k].last_message = sw_clock();
    /* without a heartbeat, only a rank whose file system is slow may be taken for dead */
    if (!st) heartbeat_start(comm->rank ? 0 : 1, comm->rank ? 1 : comm->size, send_heartbeat, &p->heartbeat);
    if (st && p) processes_free(p);
    else *processes = p;
    return st;
}

/* Tell the others that sw_run_sweep() has returned here. If rank 0 has failed, all clients must stop. */
static enum sw_status send_exit(struct sw_processes *p, const struct sw_err_kept *own)
{
    const enum sw_status st = own->status;
    struct message m = {.kind = EXIT, .status = st};
    snprintf(m.text, sizeof m.text, "%.*s", (int)sizeof m.text - 1, own->message);
    if (p->comm->rank) return send_message(0, &m);
    if (!st || p->stop_sent) return SW_OK;
    SW_TRY(send_to_clients(p, STOP));
    p->stop_sent = sw_clock();
    return SW_OK;
}

enum sw_status sw_processes_finish(struct sw_processes **processes, enum sw_status st)
{
    struct sw_processes *p = *processes;
    struct sw_err_kept own = {0}, kept;
    if (!p) return st;
    p->scheduler = NULL;
    sw_err_keep(&own, st);
    note_failure(p, 0, &own);
    kept = own;
    for (bool sent = false; !p->complete || any_client_sends(p);) {
        enum sw_status failed = sent ? SW_OK : send_exit(p, &own);
        sent |= !failed;
        sw_err_keep(&kept, failed);
        sw_err_keep(&kept, poll_once(p));
        if (!p->complete || any_client_sends(p)) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    heartbeat_stop(&p->heartbeat);
    sw_message_flush();
    processes_free(p);
    *processes = NULL;
    return sw_err_raise(&kept);
}
