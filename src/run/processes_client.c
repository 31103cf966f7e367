/* A client, any rank but 0: its work queue requests batches from rank 0, one for each worker at a time. */
#include "base/sw_mem.h"
#include "run/processes_impl.h"

enum { NOT_REQUESTED = -10, REQUESTED = -11 };  /* in assigned[] */

enum sw_status client_handle(struct sw_processes *p, const struct message *m)
{
    switch (m->kind) {
    case ASSIGN:
        p->assigned[m->worker] = m->batch;
        if (m->batch == SW_QUEUE_HELP) p->help[m->worker] = m->help;
        if (m->batch >= 0) p->lead[m->batch].number = m->help.lead;
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

/* ---- the work queue of its workers */

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
    (void)queue;
    struct message m = {.kind = COMPLETE, .worker = worker, .batch = batch, .outcome = outcome, .totals = *totals};
    return send_message(0, &m);
}

/* Only rank 0 knows how many there are; for a client there may be one. */
static int64_t client_remaining(const struct sw_work_queue *queue)
{
    (void)queue;
    return 1;
}

enum sw_status client_create(struct sw_processes *p)
{
    p->queue = (struct sw_work_queue){.next = client_next, .complete = client_complete,
                                      .worker_exited = client_worker_exited, .remaining = client_remaining};
    SW_TRY(sw_alloc((size_t)p->workers, &p->assigned));
    SW_TRY(sw_alloc((size_t)p->workers, &p->worker_exited));
    for (int k = 0; k < p->workers; k++) p->assigned[k] = NOT_REQUESTED;
    return SW_OK;
}
