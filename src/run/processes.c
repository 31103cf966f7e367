#include "run/sw_processes.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/processes_impl.h"

static const double progress_every = 0.5;  /* seconds */

void sw_processes_event(void *user, const struct sw_event *event)
{
    struct message m = {.kind = EVENT, .event = *event};
    (void)user;
    m.event.message = NULL;
    snprintf(m.text, sizeof m.text, "%s", event->message ? event->message : "");
    send_message(0, &m);  /* an event that is lost for want of memory does no harm */
}

/* ---- polling, on all ranks */

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
        SW_TRY(p->comm->rank ? client_handle(p, &m) : coordinator_handle(p, from, &m));
    }
    return SW_OK;
}

/* All clients have exited. No heartbeat may follow a RELEASE. */
static enum sw_status release_clients(struct sw_processes *p)
{
    heartbeat_stop(p);
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
    heartbeat_stop(p);
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
    heartbeat_allow_for_suspension(p, now);
    SW_TRY(handle_messages(p));
    SW_TRY(send_stop_if_needed(p, now));
    if (now - p->progress_sent > progress_every) SW_TRY(send_progress(p));
    for (int k = 0; k < p->comm->size; k++)
        if (k != p->comm->rank && (k == 0 || p->comm->rank == 0)) heartbeat_check(p, k, now);
    if (p->comm->rank) return p->peer[0].released ? leave(p) : SW_OK;
    SW_TRY(coordinator_assign_work(p));
    return p->complete || any_client_left(p) ? SW_OK : release_clients(p);
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
    return processes_of(queue)->lead[batch].number;
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

static enum sw_status keep_help(struct sw_processes *p, int workers, int64_t nbatch)
{
    SW_TRY(sw_alloc((size_t)workers, &p->help));
    SW_TRY(sw_alloc((size_t)nbatch, &p->lead));
    for (int k = 0; k < workers; k++) p->help[k].batch = -1;
    for (int64_t k = 0; k < nbatch; k++) p->lead[k].rank = -1;
    p->workers = workers;
    p->nbatch = nbatch;
    return SW_OK;
}

static void processes_free(struct sw_processes *p)
{
    heartbeat_stop(p);
    if (p->local.destroy) p->local.destroy(&p->local);
    sw_free(p->peer);
    sw_free(p->lead);
    sw_free(p->help);
    sw_free(p->request);
    sw_free(p->requester);
    sw_free(p->assigned);
    sw_free(p->worker_exited);
    sw_free(p);
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
        p->comm = comm;
        p->host = host;
        p->stop = stop;
        p->all_workers = (int)all_workers;
        st = sw_alloc((size_t)comm->size, &p->peer);
    }
    if (!st) st = keep_help(p, workers, plan->nbatch);
    if (!st) st = comm->rank ? client_create(p) : coordinator_create(p, plan);
    if (!st) {
        p->queue.help = help_of;
        p->queue.offer = offer_help;
        p->queue.lead = lead_of;
        p->queue.poll = comm->rank ? poll_at_client : poll_at_coordinator;
        p->queue.destroy = destroy_nothing;
        p->queue.own = p;
    }
    st = sw_comm_agree(comm, st);
    for (int k = 0; !st && k < comm->size; k++) p->peer[k].last_message = sw_clock();
    if (!st) heartbeat_start(p);  /* without it, only a rank whose file system is slow may be taken for dead */
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
    kept = own;
    for (bool sent = false; !p->complete || any_client_sends(p);) {
        enum sw_status failed = sent ? SW_OK : send_exit(p, &own);
        sent |= !failed;
        sw_err_keep(&kept, failed);
        sw_err_keep(&kept, poll_once(p));
        if (!p->complete || any_client_sends(p)) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    heartbeat_stop(p);
    sw_message_flush();
    processes_free(p);
    *processes = NULL;
    return sw_err_raise(&kept);
}
