/* Rank 0 has the batches: its own workers take them as in a process that is alone, others by letter. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "run/ranks_impl.h"

enum { QUOTED = 120 };  /* room for whose message it is */

static enum sw_status take_back(struct sw_processes *r, int rank)
{
    for (int64_t k = 0; k < r->nbatch; k++)
        if (r->holder[k] == rank) {
            r->holder[k] = -1;
            SW_TRY(r->plan.complete(&r->plan, 0, k, SW_BATCH_RETURNED, NULL));
        }
    return SW_OK;
}

/* @return SW_QUEUE_WAIT in *batch: not yet */
static enum sw_status give(struct sw_processes *r, int rank, const struct letter *ask, int64_t *batch)
{
    struct letter l = {.kind = GIVE, .worker = ask->worker, .batch = SW_QUEUE_EMPTY};
    if (r->scheduler && !sw_scheduler_is_stopping(r->scheduler)) SW_TRY(r->plan.next(&r->plan, ask->worker, &l.batch));
    *batch = l.batch;
    if (l.batch == SW_QUEUE_WAIT) return SW_OK;
    if (l.batch >= 0) r->holder[l.batch] = rank;
    return ranks_send(rank, &l);
}

enum sw_status ranks_zero_answer(struct sw_processes *r)
{
    int kept = 0;
    for (int k = 0; k < r->nasked; k++) {
        int64_t batch = SW_QUEUE_EMPTY;
        if (!r->other[r->asker[k]].left) SW_TRY(give(r, r->asker[k], &r->asked[k], &batch));
        if (batch != SW_QUEUE_WAIT) continue;
        r->asked[kept] = r->asked[k];
        r->asker[kept++] = r->asker[k];
    }
    r->nasked = kept;
    return SW_OK;
}

static enum sw_status note_ask(struct sw_processes *r, int from, const struct letter *l)
{
    if (r->nasked == r->room) {
        size_t room = 2 * (size_t)r->room + 16;
        SW_TRY(sw_resize((size_t)r->room, room, &r->asked));
        SW_TRY(sw_resize((size_t)r->room, room, &r->asker));
        r->room = (int)room;
    }
    r->asked[r->nasked] = *l;
    r->asker[r->nasked++] = from;
    return SW_OK;
}

static enum sw_status note_over(struct sw_processes *r, int from, const struct letter *l)
{
    struct other *o = &r->other[from];
    r->holder[l->batch] = -1;
    o->in_flight -= o->in_flight < l->tally.points_steps ? o->in_flight : l->tally.points_steps;
    if (l->end == SW_BATCH_DONE && r->scheduler) sw_scheduler_add_done(r->scheduler, &l->tally);
    return r->plan.complete(&r->plan, l->worker, l->batch, l->end, &l->tally);
}

static void quote(const struct sw_processes *r, int rank, const char *what, char *text, size_t room)
{
    snprintf(text, room, "rank %d of %d on %s: %s", rank, r->comm->size, r->host[rank], what);
}

static void note_event(struct sw_processes *r, int from, struct letter *l)
{
    char text[sizeof l->text + QUOTED];
    l->event.message = l->text;
    if (l->event.kind == SW_EVENT_DEVICE) {  /* all ranks have a cuda:0 */
        quote(r, from, l->text, text, sizeof text);
        l->event.message = text;
    }
    if (r->scheduler) sw_scheduler_add_event(r->scheduler, &l->event);
}

/* A device that cannot go on is no reason for the others to stop, as within a process (scheduler.c); all else is. */
static enum sw_status note_left(struct sw_processes *r, int from, const struct letter *l)
{
    struct other *o = &r->other[from];
    char text[sizeof l->text + QUOTED];
    struct sw_event e = {.kind = SW_EVENT_DEVICE, .message = text};
    o->left = true;
    o->in_flight = 0;
    SW_TRY(take_back(r, from));
    if (l->status == SW_OK || l->status == SW_E_STOPPED) return SW_OK;
    quote(r, from, l->text, text, sizeof text);
    if (l->status != SW_E_CUDA && l->status != SW_E_MEMORY) return SW_FAIL(l->status, "%s", text);
    if (r->scheduler) sw_scheduler_add_event(r->scheduler, &e);
    return SW_OK;
}

enum sw_status ranks_zero_hear(struct sw_processes *r, int from, struct letter *l)
{
    switch (l->kind) {
    case ASK: return note_ask(r, from, l);
    case OVER: return note_over(r, from, l);
    case NEWS: r->other[from].in_flight = l->in_flight; break;
    case STOP:
        if (r->scheduler) sw_scheduler_stop(r->scheduler);
        return ranks_send_word(from, NEWS);
    case LEFT: return note_left(r, from, l);
    case EVENT: note_event(r, from, l); break;
    case ALIVE: case GIVE: case BYE: break;
    }
    return SW_OK;
}

/* ---- the queue of its own workers */

static enum sw_status next_batch(struct sw_work_queue *queue, int worker, int64_t *batch)
{
    return ranks_of(queue)->plan.next(&ranks_of(queue)->plan, worker, batch);
}

static enum sw_status over_batch(struct sw_work_queue *queue, int worker, int64_t batch, enum sw_batch_outcome end,
                                 const struct sw_totals *tally)
{
    return ranks_of(queue)->plan.complete(&ranks_of(queue)->plan, worker, batch, end, tally);
}

static int64_t left_batches(const struct sw_work_queue *queue) {
    return ranks_of(queue)->plan.remaining(&ranks_of(queue)->plan);
}

enum sw_status ranks_zero_create(struct sw_processes *r, const struct sw_plan *plan, int workers)
{
    r->queue = (struct sw_work_queue){.next = next_batch, .complete = over_batch, .remaining = left_batches};
    r->nbatch = plan->nbatch;
    SW_TRY(sw_alloc((size_t)plan->nbatch, &r->holder));
    for (int64_t k = 0; k < plan->nbatch; k++) r->holder[k] = -1;
    return sw_work_queue_local(plan, workers + 1, &r->plan); /* more than one, in any case: the largest batches first */
}
