/* The work queue of one process: the batches of a plan, in memory. */
#include "run/sw_work_queue.h"

#include <stdlib.h>

#include "base/sw_mem.h"
#include "run/rungs.h"

struct local_queue {
    const struct sw_plan *plan;
    int64_t *order;                /* [nbatch] in which batches are given out      */
    bool    *taken;                /* [nbatch] of order: given out                 */
    int64_t  given, in_flight, done;  /* given: that many of the first are taken   */
    int64_t *again;                /* [nagain] returned, to be given out once more */
    int64_t  nagain;
    bool    *returned;             /* [nbatch] it was returned once                */
    int     *owner;                /* [nbatch] of a tower (rungs.h): the rank + 1 that computes it, 0: none yet;
                                      NULL: all workers are of one process, or there are no ladders */
};

/* A batch that two devices could not compute is not given out again: the fault is in neither of them. */
static enum sw_status local_complete(struct sw_work_queue *queue, int worker, int64_t batch,
                                     enum sw_batch_outcome outcome, const struct sw_totals *totals)
{
    struct local_queue *q = queue->own;
    (void)worker, (void)totals;
    q->in_flight--;
    q->done += outcome == SW_BATCH_DONE;
    if (outcome == SW_BATCH_DONE) rungs_release(q->plan->rungs, batch);
    if (outcome == SW_BATCH_RETURNED && !q->returned[batch]) {
        q->returned[batch] = true;
        q->again[q->nagain++] = batch;
    }
    return SW_OK;
}

static bool may_take(struct local_queue *q, int worker, int64_t batch)
{
    const int owner = q->owner ? q->owner[rungs_tower(q->plan->rungs, batch)] : 0;
    return !owner || owner == worker + 1;
}

/* The last that was returned, whoever may have it; -1: there is none now. */
static int64_t take_returned(struct local_queue *q, int worker)
{
    for (int64_t k = q->nagain; k-- > 0;) {
        const int64_t batch = q->again[k];
        if (!may_take(q, worker, batch)) continue;
        q->again[k] = q->again[--q->nagain];
        return batch;
    }
    return -1;
}

/* The first that nobody has and that need not wait for others; -1: there is none now. */
static int64_t take_first(struct local_queue *q, int worker)
{
    while (q->given < q->plan->nbatch && q->taken[q->given]) q->given++;
    for (int64_t k = q->given; k < q->plan->nbatch; k++) {
        if (q->taken[k] || !may_take(q, worker, q->order[k]) || !rungs_ready(q->plan->rungs, q->order[k])) continue;
        q->taken[k] = true;
        if (q->owner) q->owner[rungs_tower(q->plan->rungs, q->order[k])] = worker + 1;
        return q->order[k];
    }
    return -1;
}

static enum sw_status local_next(struct sw_work_queue *queue, int worker, int64_t *batch)
{
    struct local_queue *q = queue->own;
    *batch = take_returned(q, worker);
    if (*batch < 0) *batch = take_first(q, worker);
    if (*batch < 0) *batch = q->in_flight ? SW_QUEUE_WAIT : SW_QUEUE_EMPTY;
    q->in_flight += *batch >= 0;
    return SW_OK;
}

static int64_t local_remaining(const struct sw_work_queue *queue)
{
    const struct local_queue *q = queue->own;
    return q->plan->nbatch - q->done;
}

static void local_destroy(struct sw_work_queue *queue)
{
    struct local_queue *q = queue->own;
    if (!q) return;
    sw_free(q->order);
    sw_free(q->again);
    sw_free(q->taken);
    sw_free(q->returned);
    sw_free(q->owner);
    sw_free(q);
    queue->own = NULL;
}

struct sized_batch { double work; int64_t batch; };

static int larger_first(const void *a, const void *b)
{
    const struct sized_batch *x = a, *y = b;
    if (x->work != y->work) return x->work < y->work ? 1 : -1;
    return (x->batch > y->batch) - (x->batch < y->batch);
}

/* By size, small batches are given out last, so that all workers end at about the same time; on ladders by their rungs.
 */
static enum sw_status order_batches(struct local_queue *q, bool by_size)
{
    const struct sw_plan *p = q->plan;
    struct sized_batch *sized;
    SW_TRY(sw_alloc((size_t)p->nbatch, &sized));
    for (int64_t k = 0; k < p->nbatch; k++)
        sized[k] = (struct sized_batch){p->rungs ? -rungs_turn(p->rungs, k) : sw_plan_work(p, &p->batch[k]), k};
    if (by_size || p->rungs) qsort(sized, (size_t)p->nbatch, sizeof *sized, larger_first);
    for (int64_t k = 0; k < p->nbatch; k++) q->order[k] = sized[k].batch;
    sw_free(sized);
    return SW_OK;
}

static enum sw_status fill_queue(struct local_queue *q, int workers)
{
    const size_t count = (size_t)q->plan->nbatch;
    SW_TRY(sw_alloc(count, &q->order));
    SW_TRY(sw_alloc(count, &q->again));
    SW_TRY(sw_alloc(count, &q->taken));
    SW_TRY(sw_alloc(count, &q->returned));
    return order_batches(q, workers > 1);
}

enum sw_status sw_work_queue_local(const struct sw_plan *plan, int workers, struct sw_work_queue *queue)
{
    struct local_queue *q;
    *queue = (struct sw_work_queue){.next = local_next, .complete = local_complete, .remaining = local_remaining,
                                    .destroy = local_destroy};
    SW_TRY(sw_alloc(1, &q));
    queue->own = q;
    q->plan = plan;
    enum sw_status st = fill_queue(q, workers);
    if (st) local_destroy(queue);
    return st;
}

enum sw_status sw_work_queue_of_ranks(const struct sw_plan *plan, int workers, struct sw_work_queue *queue)
{
    SW_TRY(sw_work_queue_local(plan, workers, queue));
    struct local_queue *q = queue->own;
    const enum sw_status st = plan->rungs ? sw_alloc((size_t)plan->nbatch, &q->owner) : SW_OK;
    if (st) local_destroy(queue);
    return st;
}
