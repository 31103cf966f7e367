/* Other ranks ask rank 0 for batches, one for each worker at a time. */
#include "base/sw_mem.h"
#include "run/ranks_impl.h"

enum { NOT_ASKED = -10, ASKED = -11 };

enum sw_status ranks_others_hear(struct sw_processes *r, const struct letter *l)
{
    switch (l->kind) {
    case GIVE: r->given[l->worker] = l->batch; break;
    case STOP:
        if (!r->stopped) r->stopped = r->other[0].heard;
        if (r->scheduler) sw_scheduler_stop(r->scheduler);
        return ranks_send_news(r);
    case BYE: r->over = true; break;
    case ASK: case OVER: case EVENT: case NEWS: case ALIVE: case LEFT: break;
    }
    return SW_OK;
}

/* ---- the queue of its workers */

/* What a worker that broke off had asked for: rank 0 waits for it, so another one here does it. */
static bool take_over(struct sw_processes *r, int64_t *batch)
{
    for (int k = 0; k < r->workers; k++) {
        if (!r->gone[k] || r->given[k] < 0) continue;
        *batch = r->given[k];
        r->given[k] = NOT_ASKED;
        return true;
    }
    return false;
}

static void gone_worker(struct sw_work_queue *queue, int worker) { ranks_of(queue)->gone[worker] = true; }

static enum sw_status next_batch(struct sw_work_queue *queue, int worker, int64_t *batch)
{
    struct sw_processes *r = ranks_of(queue);
    *batch = SW_QUEUE_WAIT;
    if (take_over(r, batch)) return SW_OK;
    if (r->given[worker] == ASKED) return SW_OK;
    if (r->given[worker] == NOT_ASKED) {
        r->given[worker] = ASKED;
        return ranks_send(0, &(struct letter){.kind = ASK, .worker = worker});
    }
    *batch = r->given[worker];
    r->given[worker] = NOT_ASKED;
    return SW_OK;
}

static enum sw_status over_batch(struct sw_work_queue *queue, int worker, int64_t batch, enum sw_batch_outcome end,
                                 const struct sw_totals *tally)
{
    (void)queue;
    struct letter l = {.kind = OVER, .worker = worker, .batch = batch, .end = end, .tally = *tally};
    return ranks_send(0, &l);
}

/* Only rank 0 knows: here there may be some. */
static int64_t left_batches(const struct sw_work_queue *queue)
{
    (void)queue;
    return 1;
}

enum sw_status ranks_others_create(struct sw_processes *r, int workers)
{
    r->queue = (struct sw_work_queue){.next = next_batch, .complete = over_batch, .worker_exited = gone_worker,
                               .remaining = left_batches};
    r->workers = workers;
    SW_TRY(sw_alloc((size_t)workers, &r->given));
    SW_TRY(sw_alloc((size_t)workers, &r->gone));
    for (int k = 0; k < workers; k++) r->given[k] = NOT_ASKED;
    return SW_OK;
}
