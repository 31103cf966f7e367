/* The coordinator, rank 0: it has the batches. Its own workers take them from a local queue, clients by messages. */
#include <assert.h>
#include <stdio.h>

#include "base/sw_mem.h"
#include "run/processes_impl.h"

enum { RANK_TEXT = 120 };  /* characters of "rank 1 of 2 on HOST: " */

/* ---- help for batches in flight */

/* There are steps enough for so many workers beside the one that leads it. */
static int64_t most_helpers(const struct sw_processes *p, int64_t batch)
{
    const int cut = p->plan->group[p->plan->batch[batch].group].cut;
    const int64_t slices = INT64_C(1) << cut;
    return slices - 1 < SW_REMOTE_HELPERS_MOST ? slices - 1 : SW_REMOTE_HELPERS_MOST;
}

/* Of the batches that take help the one with the fewest helpers; -1: there is none. */
static int64_t find_batch_to_help(const struct sw_processes *p)
{
    int64_t best = -1;
    for (int64_t k = 0; k < p->nbatch; k++) {
        const struct lead *l = &p->lead[k];
        if (l->rank < 0 || l->closed || l->helpers >= most_helpers(p, k)) continue;
        if (best < 0 || l->helpers < p->lead[best].helpers) best = k;
    }
    return best;
}

/* Send a worker to help.
 * @param help  out  @param batch  out: SW_QUEUE_HELP; unchanged: there is nothing to help with */
static void send_to_help(struct sw_processes *p, struct sw_help *help, int64_t *batch)
{
    const int64_t k = p->can_help && p->scheduler ? find_batch_to_help(p) : -1;
    if (k < 0) return;
    p->lead[k].helpers++;
    *batch = SW_QUEUE_HELP;
    *help = (struct sw_help){.batch = k, .number = ++p->helps, .lead = p->lead[k].number, .rank = p->lead[k].rank};
}

/* A worker comes back from the batch that it has helped with, which is computed, or is not being computed any more. If
 * it has been assigned again since, the helpers of that assignment have nothing to do with it. */
static void end_help(struct sw_processes *p, const struct sw_help *help)
{
    if (help->batch >= 0 && p->lead[help->batch].number == help->lead) p->lead[help->batch].closed = true;
}

static void begin_lead(struct sw_processes *p, int64_t batch, int rank)
{
    p->lead[batch] = (struct lead){.rank = rank, .number = ++p->leads};
}

/* ---- requests for work */

/* @param batch  out: SW_QUEUE_WAIT: none can be assigned yet */
static enum sw_status assign_batch(struct sw_processes *p, int rank, const struct message *request, int64_t *batch)
{
    struct message m = {.kind = ASSIGN, .worker = request->worker, .batch = SW_QUEUE_EMPTY};
    if (p->scheduler && !sw_scheduler_is_stopping(p->scheduler))
        SW_TRY(p->local.next(&p->local, request->worker, &m.batch));
    if (m.batch == SW_QUEUE_WAIT) send_to_help(p, &m.help, &m.batch);
    *batch = m.batch;
    if (m.batch == SW_QUEUE_WAIT) return SW_OK;
    if (m.batch >= 0) {
        begin_lead(p, m.batch, rank);
        m.help.lead = p->lead[m.batch].number;
    }
    return send_message(rank, &m);
}

enum sw_status coordinator_assign_work(struct sw_processes *p)
{
    int kept = 0;
    for (int k = 0; k < p->nrequests; k++) {
        int64_t batch = kept ? SW_QUEUE_WAIT : SW_QUEUE_EMPTY;  /* if there is none for one, there is none for others */
        if (!kept && !p->peer[p->requester[k]].exited)
            SW_TRY(assign_batch(p, p->requester[k], &p->request[k], &batch));
        if (batch != SW_QUEUE_WAIT) continue;
        p->request[kept] = p->request[k];
        p->requester[kept++] = p->requester[k];
    }
    p->nrequests = kept;
    return SW_OK;
}

static void keep_request(struct sw_processes *p, int from, const struct message *m)
{
    assert(p->nrequests < p->all_workers);  /* client_next() */
    end_help(p, &m->help);
    p->request[p->nrequests] = *m;
    p->requester[p->nrequests++] = from;
}

/* ---- other messages of clients */

static enum sw_status receive_complete(struct sw_processes *p, int from, const struct message *m)
{
    struct peer *peer = &p->peer[from];
    p->lead[m->batch].rank = -1;
    peer->in_flight -= peer->in_flight < m->totals.points_steps ? peer->in_flight : m->totals.points_steps;
    if (p->scheduler) sw_scheduler_add_done(p->scheduler, &m->totals);
    return p->local.complete(&p->local, m->worker, m->batch, m->outcome, &m->totals);
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

static enum sw_status return_batches(struct sw_processes *p, int rank)
{
    for (int64_t k = 0; k < p->nbatch; k++)
        if (p->lead[k].rank == rank) {
            p->lead[k].rank = -1;
            SW_TRY(p->local.complete(&p->local, 0, k, SW_BATCH_RETURNED, NULL));
        }
    return SW_OK;
}

/* A client that ends because its device failed does not stop the others, as within a process (scheduler.c); any other
 * failure does. */
static enum sw_status receive_exit(struct sw_processes *p, int from, const struct message *m)
{
    struct peer *peer = &p->peer[from];
    char text[sizeof m->text + RANK_TEXT];
    struct sw_event e = {.kind = SW_EVENT_DEVICE, .batch = -1, .message = text};
    peer->exited = true;
    peer->in_flight = 0;
    SW_TRY(return_batches(p, from));
    if (m->status == SW_OK || m->status == SW_E_STOPPED) return SW_OK;
    name_rank(p, from, m->text, text, sizeof text);
    if (m->status != SW_E_CUDA && m->status != SW_E_MEMORY) return SW_FAIL(m->status, "%s", text);
    if (p->scheduler) sw_scheduler_add_event(p->scheduler, &e);
    return SW_OK;
}

enum sw_status coordinator_handle(struct sw_processes *p, int from, struct message *m)
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

/* ---- the work queue of its own workers */

static enum sw_status coordinator_next(struct sw_work_queue *queue, int worker, int64_t *batch)
{
    struct sw_processes *p = processes_of(queue);
    end_help(p, &p->help[worker]);
    p->help[worker].batch = -1;
    SW_TRY(p->local.next(&p->local, worker, batch));
    if (*batch >= 0) begin_lead(p, *batch, 0);
    if (*batch == SW_QUEUE_WAIT) send_to_help(p, &p->help[worker], batch);
    return SW_OK;
}

static enum sw_status coordinator_complete(struct sw_work_queue *queue, int worker, int64_t batch,
                                           enum sw_batch_outcome outcome, const struct sw_totals *totals)
{
    struct sw_processes *p = processes_of(queue);
    p->lead[batch].rank = -1;
    return p->local.complete(&p->local, worker, batch, outcome, totals);
}

static int64_t coordinator_remaining(const struct sw_work_queue *queue)
{
    struct sw_work_queue *local = &processes_of(queue)->local;
    return local->remaining(local);
}

enum sw_status coordinator_create(struct sw_processes *p, const struct sw_plan *plan)
{
    p->queue = (struct sw_work_queue){.next = coordinator_next, .complete = coordinator_complete,
                                      .remaining = coordinator_remaining};
    p->plan = plan;
    SW_TRY(sw_alloc((size_t)p->all_workers, &p->request));
    SW_TRY(sw_alloc((size_t)p->all_workers, &p->requester));
    for (int g = 0; g < plan->ngroup; g++) p->can_help |= plan->group[g].cut > 0;
    return sw_work_queue_local(plan, p->workers + 1, &p->local);  /* more than one worker in all: the largest first */
}
