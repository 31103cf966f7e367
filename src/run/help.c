#include "run/help.h"

#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "comm/sw_message.h"
#include "run/run_impl.h"

enum question_kind { STEP, PIECE, DISMISSED };
struct question {
    int64_t kind, piece, bytes;    /* PIECE: which, and how long it is */
    double  asked[SW_HELP_REQUEST];  /* STEP                             */
};
struct reply {                     /* to STEP and PIECE                */
    int64_t failed;
    double  answered[SW_HELP_REPLY];
};

/* A help has two channels: questions of the leader, replies of the helper. */
static int question_tag(const struct sw_help *h) { return (int)(h->number % (SW_CHANNEL_TAGS / 2)); }
static int reply_tag(const struct sw_help *h) { return question_tag(h) + SW_CHANNEL_TAGS / 2; }

/* The scheduler, which does this too, waits for nobody. */
static void dismiss(const struct sw_help *h)
{
    static const struct question dismissed = {.kind = DISMISSED};
    sw_channel_post(h->rank, question_tag(h), &dismissed, sizeof dismissed);
}

/* ---- leading */

static struct attached_helper *attached(struct sw_remote_helper *helper) { return (struct attached_helper *)helper; }

static void ask(struct sw_remote_helper *helper, const double asked[SW_HELP_REQUEST])
{
    struct attached_helper *l = attached(helper);
    struct question q = {.kind = STEP};
    memcpy(q.asked, asked, sizeof q.asked);
    sw_channel_send(l->help.rank, question_tag(&l->help), &q, sizeof q);
    l->asked = true;
}

static void take_answer(struct attached_helper *l, struct reply *r)
{
    sw_channel_receive(l->help.rank, reply_tag(&l->help), r, sizeof *r);
    l->asked = false;
    l->lost |= r->failed;
}

static bool answer(struct sw_remote_helper *helper, double answered[SW_HELP_REPLY])
{
    struct attached_helper *l = attached(helper);
    struct reply r;
    take_answer(l, &r);
    memcpy(answered, r.answered, sizeof r.answered);
    return !l->lost;
}

static enum sw_status piece(struct sw_remote_helper *helper, int k, size_t bytes, void *piece)
{
    struct attached_helper *l = attached(helper);
    const struct sw_help *h = &l->help;
    struct question q = {.kind = PIECE, .piece = k, .bytes = (int64_t)bytes};
    struct reply r;
    sw_channel_send(h->rank, question_tag(h), &q, sizeof q);
    take_answer(l, &r);
    if (l->lost)
        return SW_FAIL(SW_E_COMM, "rank %d has failed, with a part of the field that it has computed", h->rank);
    sw_channel_receive(h->rank, reply_tag(h), piece, bytes);
    return SW_OK;
}

static void dismiss_attached(struct attached_helper *l)
{
    struct reply r;
    if (l->asked) take_answer(l, &r);
    dismiss(&l->help);
}

static void add_helper(struct worker *w, const struct sw_help *h)
{
    const int k = w->remote.count++;
    w->attached[k] = (struct attached_helper){.helper = {.request = ask, .reply = answer, .piece = piece}, .help = *h};
    w->remote.helper[k] = &w->attached[k].helper;
}

static bool dismiss_lost(struct worker *w)
{
    const int before = w->remote.count;
    w->remote.count = 0;
    for (int k = 0; k < before; k++) {
        const struct sw_help h = w->attached[k].help;
        if (w->attached[k].lost) dismiss_attached(&w->attached[k]);
        else add_helper(w, &h);
    }
    return w->remote.count < before;
}

/* @param batch  -1: of any  @return whether there was an offer */
static bool take_offer(struct sw_scheduler *s, int64_t batch, struct sw_help *taken)
{
    struct help_offers *o = &s->offers;
    bool found = false;
    pthread_mutex_lock(&s->mutex);
    for (int k = 0; k < o->count && !found; k++) {
        found = batch < 0 || o->offer[k].batch == batch;
        if (!found) continue;
        *taken = o->offer[k];
        o->offer[k] = o->offer[--o->count];
    }
    pthread_mutex_unlock(&s->mutex);
    return found;
}

bool accept_helpers(struct worker *w, int64_t batch)
{
    bool changed = dismiss_lost(w);
    struct sw_help h = {0};
    for (; w->remote.count < SW_REMOTE_HELPERS_MOST && take_offer(w->scheduler, batch, &h); changed = true)
        add_helper(w, &h);
    return changed;
}

int64_t help_missing(const struct worker *w, int64_t asked)
{
    for (int64_t k = 0; k < asked; k++)
        if (w->attached[k].lost) return asked - k;
    return 0;
}

static void refuse_offers(struct sw_scheduler *s, int64_t batch)
{
    for (struct sw_help h; take_offer(s, batch, &h);) dismiss(&h);
}

void help_dismiss(struct worker *w, int64_t batch)
{
    for (int k = 0; k < w->remote.count; k++) dismiss_attached(&w->attached[k]);
    w->remote.count = 0;
    worker_lock(w);
    w->scheduler->offers.ended[batch] = w->lead;
    worker_unlock(w);
    refuse_offers(w->scheduler, batch);
}

/* ---- the scheduler's thread */

static bool keep_offer(struct help_offers *o, const struct sw_help *offer)
{
    const size_t room = 2 * (size_t)o->room + 16;
    if (!o->ended || offer->lead <= o->ended[offer->batch]) return false;
    if (o->count == o->room) {
        if (sw_resize((size_t)o->room, room, &o->offer)) return false;
        o->room = (int)room;
    }
    o->offer[o->count++] = *offer;
    return true;
}

void sw_scheduler_offer_help(struct sw_scheduler *s, const struct sw_help *offer)
{
    bool kept = false;
    if (s) {
        pthread_mutex_lock(&s->mutex);
        kept = keep_offer(&s->offers, offer);
        pthread_mutex_unlock(&s->mutex);
    }
    if (!kept) dismiss(offer);
}

enum sw_status help_open(struct sw_scheduler *s) { return sw_alloc((size_t)s->plan->nbatch, &s->offers.ended); }

void help_close(struct sw_scheduler *s)
{
    refuse_offers(s, -1);
    sw_free(s->offers.offer);
    sw_free(s->offers.ended);
    s->offers = (struct help_offers){0};
}

/* ---- helping */

static void send_reply(const struct sw_help *h, const struct reply *r)
{
    sw_channel_send(h->rank, reply_tag(h), r, sizeof *r);
}

static void reply_step(struct worker *w, const struct sw_help *h, const struct question *q, enum sw_status *st)
{
    struct reply r = {0};
    if (!*st) *st = w->sim->ops->cuts->help(w->sim, q->asked, r.answered);
    r.failed = *st != SW_OK;
    send_reply(h, &r);
}

static void reply_piece(struct worker *w, const struct sw_help *h, const struct question *q, enum sw_status *st)
{
    struct reply r = {0};
    const void *piece = NULL;
    if (!*st) *st = w->sim->ops->cuts->help_piece(w->sim, (int)q->piece, &piece);
    r.failed = *st != SW_OK;
    send_reply(h, &r);
    if (!r.failed) sw_channel_send(h->rank, reply_tag(h), piece, (size_t)q->bytes);
}

enum sw_status help_serve(struct worker *w, const struct sw_help *h, enum sw_status (*pause)(struct worker *w))
{
    struct sw_err_kept failed = {0};
    enum sw_status st = SW_OK;
    for (bool dismissed = false; !dismissed;) {
        struct question q;
        const double since = sw_clock();
        while (!sw_channel_has(h->rank, question_tag(h))) {
            if (!st) st = pause(w);
            sw_channel_pause(sw_clock() - since);
        }
        sw_channel_receive(h->rank, question_tag(h), &q, sizeof q);
        if (q.kind == STEP) reply_step(w, h, &q, &st);
        if (q.kind == PIECE) reply_piece(w, h, &q, &st);
        dismissed = q.kind == DISMISSED;
        sw_err_keep(&failed, st);
    }
    return sw_err_raise(&failed);
}
