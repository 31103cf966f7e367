/* Rank 0 has the batches: its own workers take them as in a process that is alone, others by letter. */
#include <stdio.h>

#include "base/sw_mem.h"
#include "run/ranks_impl.h"

enum { QUOTED = 120 };  /* room for whose message it is */

static enum sw_status take_back(struct sw_ranks *r, int rank)
{
    for (int64_t k = 0; k < r->nbatch; k++)
        if (r->holder[k] == rank) {
            r->holder[k] = -1;
            SW_TRY(r->plan.over(&r->plan, 0, k, SW_BATCH_BACK, NULL));
        }
    return SW_OK;
}

/* @return SW_DEAL_LATER in *batch: not yet */
static enum sw_status give(struct sw_ranks *r, int rank, const struct letter *ask, int64_t *batch)
{
    struct letter l = {.kind = GIVE, .worker = ask->worker, .batch = SW_DEAL_NONE};
    if (r->desk && !sw_desk_stopping(r->desk)) SW_TRY(r->plan.next(&r->plan, ask->worker, &l.batch));
    *batch = l.batch;
    if (l.batch == SW_DEAL_LATER) return SW_OK;
    if (l.batch >= 0) r->holder[l.batch] = rank;
    return ranks_send(rank, &l);
}

enum sw_status ranks_zero_answer(struct sw_ranks *r)
{
    int kept = 0;
    for (int k = 0; k < r->nasked; k++) {
        int64_t batch = SW_DEAL_NONE;
        if (!r->other[r->asker[k]].left) SW_TRY(give(r, r->asker[k], &r->asked[k], &batch));
        if (batch != SW_DEAL_LATER) continue;
        r->asked[kept] = r->asked[k];
        r->asker[kept++] = r->asker[k];
    }
    r->nasked = kept;
    return SW_OK;
}

static enum sw_status note_ask(struct sw_ranks *r, int from, const struct letter *l)
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

static enum sw_status note_over(struct sw_ranks *r, int from, const struct letter *l)
{
    struct other *o = &r->other[from];
    r->holder[l->batch] = -1;
    o->under_way -= o->under_way < l->tally.points_steps ? o->under_way : l->tally.points_steps;
    if (l->end == SW_BATCH_DONE && r->desk) sw_desk_done(r->desk, &l->tally);
    return r->plan.over(&r->plan, l->worker, l->batch, l->end, &l->tally);
}

static void quote(const struct sw_ranks *r, int rank, const char *what, char *text, size_t room)
{
    snprintf(text, room, "rank %d of %d on %s: %s", rank, r->comm->size, r->host[rank], what);
}

static void note_event(struct sw_ranks *r, int from, struct letter *l)
{
    char text[sizeof l->text + QUOTED];
    l->event.message = l->text;
    if (l->event.kind == SW_EVENT_DEVICE) {  /* all ranks have a cuda:0 */
        quote(r, from, l->text, text, sizeof text);
        l->event.message = text;
    }
    if (r->desk) sw_desk_event(r->desk, &l->event);
}

/* A device that cannot go on is no reason for the others to stop, as within a process (desk.c); all else is. */
static enum sw_status note_left(struct sw_ranks *r, int from, const struct letter *l)
{
    struct other *o = &r->other[from];
    char text[sizeof l->text + QUOTED];
    struct sw_event e = {.kind = SW_EVENT_DEVICE, .message = text};
    o->left = true;
    o->under_way = 0;
    SW_TRY(take_back(r, from));
    if (l->status == SW_OK || l->status == SW_E_STOPPED) return SW_OK;
    quote(r, from, l->text, text, sizeof text);
    if (l->status != SW_E_CUDA && l->status != SW_E_MEMORY) return SW_FAIL(l->status, "%s", text);
    if (r->desk) sw_desk_event(r->desk, &e);
    return SW_OK;
}

enum sw_status ranks_zero_hear(struct sw_ranks *r, int from, struct letter *l)
{
    switch (l->kind) {
    case ASK: return note_ask(r, from, l);
    case OVER: return note_over(r, from, l);
    case NEWS: r->other[from].under_way = l->under_way; break;
    case STOP:
        if (r->desk) sw_desk_stop(r->desk);
        return ranks_send_word(from, NEWS);
    case LEFT: return note_left(r, from, l);
    case EVENT: note_event(r, from, l); break;
    case ALIVE: case GIVE: case BYE: break;
    }
    return SW_OK;
}

/* ---- the deal of its own workers */

static enum sw_status next_batch(struct sw_deal *deal, int worker, int64_t *batch)
{
    return ranks_of(deal)->plan.next(&ranks_of(deal)->plan, worker, batch);
}

static enum sw_status over_batch(struct sw_deal *deal, int worker, int64_t batch, enum sw_batch_end end,
                                 const struct sw_tally *tally)
{
    return ranks_of(deal)->plan.over(&ranks_of(deal)->plan, worker, batch, end, tally);
}

static int64_t left_batches(const struct sw_deal *deal) { return ranks_of(deal)->plan.left(&ranks_of(deal)->plan); }

enum sw_status ranks_zero_create(struct sw_ranks *r, const struct sw_plan *plan, int workers)
{
    r->deal = (struct sw_deal){.next = next_batch, .over = over_batch, .left = left_batches};
    r->nbatch = plan->nbatch;
    SW_TRY(sw_alloc((size_t)plan->nbatch, &r->holder));
    for (int64_t k = 0; k < plan->nbatch; k++) r->holder[k] = -1;
    return sw_deal_local(plan, workers + 1, &r->plan);  /* more than one, in any case: the largest batches first */
}
