/* The batches of a plan, given out by the process that made it. */
#include <stdlib.h>

#include "base/sw_mem.h"
#include "run/sw_work_queue.h"

struct local {
    const struct sw_plan *plan;
    int64_t *order;                /* [nbatch]                                     */
    int64_t  given, in_flight, done;
    int64_t *back;                 /* [nback] to be given out again                */
    int64_t  nback;
    bool    *returned;             /* [nbatch] it was given back once              */
};

/* A batch that two devices could not do is not the fault of either: then it is left. */
static enum sw_status over(struct sw_work_queue *queue, int worker, int64_t batch, enum sw_batch_outcome end,
                           const struct sw_totals *tally)
{
    struct local *l = queue->own;
    (void)worker, (void)tally;
    l->in_flight--;
    l->done += end == SW_BATCH_DONE;
    if (end == SW_BATCH_RETURNED && !l->returned[batch]) {
        l->returned[batch] = true;
        l->back[l->nback++] = batch;
    }
    return SW_OK;
}

static enum sw_status next(struct sw_work_queue *queue, int worker, int64_t *batch)
{
    struct local *l = queue->own;
    (void)worker;
    if (l->nback) *batch = l->back[--l->nback];
    else if (l->given < l->plan->nbatch) *batch = l->order[l->given++];
    else *batch = l->in_flight ? SW_QUEUE_WAIT : SW_QUEUE_EMPTY;
    l->in_flight += *batch >= 0;
    return SW_OK;
}

static int64_t left(const struct sw_work_queue *queue)
{
    const struct local *l = queue->own;
    return l->plan->nbatch - l->done;
}

static void destroy(struct sw_work_queue *queue)
{
    struct local *l = queue->own;
    if (!l) return;
    sw_free(l->order);
    sw_free(l->back);
    sw_free(l->returned);
    sw_free(l);
    queue->own = NULL;
}

struct sized { double work; int64_t batch; };

static int largest_first(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->work != y->work) return x->work < y->work ? 1 : -1;
    return (x->batch > y->batch) - (x->batch < y->batch);
}

/* The last batches to be given out are the small ones: no worker is long at work when the others have ended. */
static enum sw_status put_in_order(struct local *l, bool by_size)
{
    const struct sw_plan *p = l->plan;
    struct sized *sized;
    SW_TRY(sw_alloc((size_t)p->nbatch, &sized));
    for (int64_t k = 0; k < p->nbatch; k++) {
        const struct sw_plan_batch *b = &p->batch[k];
        sized[k] = (struct sized){sw_plan_work(p, b), k};
    }
    if (by_size) qsort(sized, (size_t)p->nbatch, sizeof *sized, largest_first);
    for (int64_t k = 0; k < p->nbatch; k++) l->order[k] = sized[k].batch;
    sw_free(sized);
    return SW_OK;
}

static enum sw_status make(struct local *l, int workers)
{
    const size_t count = (size_t)l->plan->nbatch;
    SW_TRY(sw_alloc(count, &l->order));
    SW_TRY(sw_alloc(count, &l->back));
    SW_TRY(sw_alloc(count, &l->returned));
    return put_in_order(l, workers > 1);
}

enum sw_status sw_work_queue_local(const struct sw_plan *plan, int workers, struct sw_work_queue *queue)
{
    struct local *l;
    *queue = (struct sw_work_queue){.next = next, .complete = over, .remaining = left, .destroy = destroy};
    SW_TRY(sw_alloc(1, &l));
    queue->own = l;
    l->plan = plan;
    enum sw_status st = make(l, workers);
    if (st) destroy(queue);
    return st;
}
