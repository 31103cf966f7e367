#include "run/assignments.h"

#include "base/sw_mem.h"

struct lead {                  /* of a batch                                     */
    int     rank;              /* which computes it; -1: it is not in flight     */
    int64_t number;            /* of all assignments of the job                  */
    int     helpers;           /* that were sent to it                           */
    bool    closed;            /* it takes no more                               */
};

struct assignments {
    const struct sw_plan *plan;
    struct sw_work_queue queue;  /* the batches                                  */
    struct lead *lead;         /* [nbatch]                                       */
    int64_t leads, helps;      /* that have begun                                */
    bool    can_help;          /* some runs are cut                              */
};

enum sw_status assignments_create(const struct sw_plan *plan, int workers, struct assignments **assignments)
{
    struct assignments *a;
    enum sw_status st;
    *assignments = NULL;
    SW_TRY(sw_alloc(1, &a));
    a->plan = plan;
    for (int g = 0; g < plan->ngroup; g++) a->can_help |= plan->group[g].cut > 0;
    st = sw_alloc((size_t)plan->nbatch, &a->lead);
    for (int64_t k = 0; k < plan->nbatch && !st; k++) a->lead[k].rank = -1;
    if (!st) st = sw_work_queue_of_ranks(plan, workers, &a->queue);
    if (st) assignments_destroy(&a);
    *assignments = a;
    return st;
}

void assignments_destroy(struct assignments **assignments)
{
    struct assignments *a = *assignments;
    if (!a) return;
    if (a->queue.destroy) a->queue.destroy(&a->queue);
    sw_free(a->lead);
    sw_free(a);
    *assignments = NULL;
}

/* There are steps enough for so many workers beside the one that leads the batch. */
static int64_t most_helpers(const struct assignments *a, int64_t batch)
{
    const int64_t slices = INT64_C(1) << a->plan->group[a->plan->batch[batch].group].cut;
    return slices - 1 < SW_REMOTE_HELPERS_MOST ? slices - 1 : SW_REMOTE_HELPERS_MOST;
}

/* Of the batches that take help the one with the fewest helpers; -1: there is none. */
static int64_t find_batch_to_help(const struct assignments *a)
{
    int64_t best = -1;
    for (int64_t k = 0; k < a->plan->nbatch; k++) {
        const struct lead *l = &a->lead[k];
        if (l->rank < 0 || l->closed || l->helpers >= most_helpers(a, k)) continue;
        if (best < 0 || l->helpers < a->lead[best].helpers) best = k;
    }
    return best;
}

/* The batch is computed, or is not being computed any more. If it has been assigned again since, the helpers of that
 * assignment have nothing to do with it. */
void assignments_end_help(struct assignments *a, const struct sw_help *last)
{
    if (last->batch >= 0 && a->lead[last->batch].number == last->lead) a->lead[last->batch].closed = true;
}

enum sw_status assignments_next(struct assignments *a, int rank, bool help, int64_t *batch, struct sw_help *how)
{
    SW_TRY(a->queue.next(&a->queue, rank, batch));
    if (*batch >= 0) {
        a->lead[*batch] = (struct lead){.rank = rank, .number = ++a->leads};
        how->lead = a->leads;
    }
    const int64_t k = *batch == SW_QUEUE_WAIT && help && a->can_help ? find_batch_to_help(a) : -1;
    if (k < 0) return SW_OK;
    a->lead[k].helpers++;
    *batch = SW_QUEUE_HELP;
    *how = (struct sw_help){.batch = k, .number = ++a->helps, .lead = a->lead[k].number, .rank = a->lead[k].rank};
    return SW_OK;
}

enum sw_status assignments_complete(struct assignments *a, int64_t batch, enum sw_batch_outcome outcome)
{
    a->lead[batch].rank = -1;
    return a->queue.complete(&a->queue, 0, batch, outcome, NULL);
}

enum sw_status assignments_return(struct assignments *a, int rank)
{
    for (int64_t k = 0; k < a->plan->nbatch; k++)
        if (a->lead[k].rank == rank) SW_TRY(assignments_complete(a, k, SW_BATCH_RETURNED));
    return SW_OK;
}

int64_t assignments_remaining(const struct assignments *a) { return a->queue.remaining(&a->queue); }
