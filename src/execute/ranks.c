#include "execute/sw_ranks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "comm/sw_mail.h"
#include "execute/pulse.h"

/* Seconds: how often one is told how far the other is, and, by a thread that no write holds up, that it is there; after
 * what silence it is taken for dead; how long an answer to a stop may take before somebody says so, which is before
 * mpirun, when one has died, kills the others (1 s). */
static const double news_every = 0.5, beat_every = 5, dead_after = 40, answer_within = 0.25;

enum kind {
    ASK,       /* to 0: a batch for that worker                                */
    GIVE,      /* from 0: this one; SW_DEAL_NONE: there is none                */
    OVER,      /* to 0: what became of it                                      */
    EVENT,     /* to 0                                                         */
    NEWS,      /* to 0: how far it is; from 0: I am here                       */
    ALIVE,     /* I am here, though my main thread may be busy                 */
    STOP,      /* to 0: we must stop; from 0: stop. Both answer with NEWS      */
    LEFT,      /* to 0: sw_execute() is over here, with what                   */
    BYE        /* from 0: all are through                                      */
};

struct letter {
    enum kind         kind;
    int               worker;
    int64_t           batch;
    enum sw_batch_end end;
    enum sw_status    status;
    struct sw_tally   tally;
    double            under_way;
    struct sw_event   event;          /* its message is the text                              */
    char              text[400];      /* so much of it is sent as there is                    */
};
_Static_assert(sizeof(struct letter) <= SW_MAIL_MOST, "a letter is too long");

struct other {                        /* rank 0 on the others, and they on rank 0             */
    char   host[64];
    double heard;                     /* clock                                                */
    bool   left, doubted;
    double under_way;
};

struct sw_ranks {
    const struct sw_comm *comm;
    const volatile sig_atomic_t *stop;
    struct sw_deal deal, plan;        /* ours; of rank 0: the batches                         */
    struct sw_desk *desk;             /* while it sits                                        */
    struct pulse *pulse;              /* until all are through                                */
    struct other *other;              /* [size]                                               */
    double  told, looked, stopped;    /* clock of the last news; of the last look; of the stop, 0: none */
    bool    over;                     /* rank 0: all have left; others: it said so            */
    int64_t nbatch;
    int    *holder;                   /* of rank 0: [nbatch] who has it; -1: nobody           */
    struct letter *asked;             /* of rank 0: [nasked] who waits for a batch, and its worker */
    int    *asker;
    int     nasked, room;
    int     workers;                  /* of others                                            */
    int64_t *given;                   /* [workers]; NOT_ASKED, or ASKED, or what came         */
    bool    *gone;                    /* [workers] it asks no more                            */
};
enum { NOT_ASKED = -10, ASKED = -11 };
enum { QUOTED = 120 };                /* room for whose message it is                         */

/* ---- letters */

static enum sw_status send_letter(struct sw_ranks *r, int to, const struct letter *l)
{
    (void)r;
    return sw_mail_send(to, l, offsetof(struct letter, text) + strlen(l->text) + 1);
}

static enum sw_status send_word(struct sw_ranks *r, int to, enum kind kind)
{
    return send_letter(r, to, &(struct letter){.kind = kind});
}

static enum sw_status send_all(struct sw_ranks *r, enum kind kind)
{
    for (int k = 1; k < r->comm->size; k++)
        if (!r->other[k].left || kind == BYE) SW_TRY(send_word(r, k, kind));
    return SW_OK;
}

static enum sw_status send_news(struct sw_ranks *r)
{
    struct letter l = {.kind = NEWS};
    r->told = sw_clock();
    if (r->comm->rank == 0) return send_all(r, NEWS);
    if (r->desk) sw_desk_here(r->desk, &l.under_way);
    return send_letter(r, 0, &l);
}

/* On a thread of its own. Those that have left read their letters until BYE, after which none is sent. */
static void beat(void *user)
{
    struct sw_ranks *r = user;
    const int first = r->comm->rank ? 0 : 1, end = r->comm->rank ? 1 : r->comm->size;
    for (int k = first; k < end; k++) send_word(r, k, ALIVE);  /* one lost for want of memory is no harm */
}

/* ---- rank 0: batches */

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
    return send_letter(r, rank, &l);
}

static enum sw_status answer_those_that_wait(struct sw_ranks *r)
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
    snprintf(text, room, "rank %d of %d on %s: %s", rank, r->comm->size, r->other[rank].host, what);
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

static enum sw_status hear_at_0(struct sw_ranks *r, int from, struct letter *l)
{
    switch (l->kind) {
    case ASK: return note_ask(r, from, l);
    case OVER: return note_over(r, from, l);
    case NEWS: r->other[from].under_way = l->under_way; break;
    case STOP:
        if (r->desk) sw_desk_stop(r->desk);
        return send_word(r, from, NEWS);
    case LEFT: return note_left(r, from, l);
    case EVENT: note_event(r, from, l); break;
    case ALIVE: case GIVE: case BYE: break;
    }
    return SW_OK;
}

/* ---- the other ranks */

static enum sw_status hear_at_others(struct sw_ranks *r, const struct letter *l)
{
    switch (l->kind) {
    case GIVE: r->given[l->worker] = l->batch; break;
    case STOP:
        if (!r->stopped) r->stopped = r->other[0].heard;
        if (r->desk) sw_desk_stop(r->desk);
        return send_news(r);
    case BYE: r->over = true; break;
    case ASK: case OVER: case EVENT: case NEWS: case ALIVE: case LEFT: break;
    }
    return SW_OK;
}

void sw_ranks_event(void *user, const struct sw_event *event)
{
    struct sw_ranks *r = user;
    struct letter l = {.kind = EVENT, .event = *event};
    l.event.message = NULL;
    snprintf(l.text, sizeof l.text, "%s", event->message ? event->message : "");
    send_letter(r, 0, &l);  /* an event lost for want of memory is no harm */
}

/* ---- life and death */

/* Said here and not by main: the process may not live so long. */
static void say(const struct sw_ranks *r, int rank, const char *what)
{
    const struct sw_comm *c = r->comm;
    if (c->rank) fprintf(stderr, "rank %d of %d on %s: ", c->rank, c->size, r->other[c->rank].host);
    fprintf(stderr, "rank %d of %d on %s %s; what is on disk is whole: run the same command again to continue\n", rank,
            c->size, r->other[rank].host, what);
}

static void look_after(struct sw_ranks *r, int rank, double now)
{
    struct other *o = &r->other[rank];
    char text[64];
    if (o->left) return;
    if (now - o->heard > dead_after) {
        snprintf(text, sizeof text, "has not been heard of for %.0f s", now - o->heard);
        say(r, rank, text);
        sw_mail_abort(sw_status_exit_code(SW_E_COMM));
    }
    bool asked = r->stopped && now - r->stopped > answer_within && o->heard < r->stopped;
    if (!asked || o->doubted || r->comm->rank > 1) return;  /* one that says so is enough */
    o->doubted = true;
    say(r, rank, "does not answer");
}

/* Who has been asleep itself (a suspended job) has heard of nobody meanwhile. */
static void wake_up(struct sw_ranks *r, double now)
{
    const double slept = r->looked > 0 ? now - r->looked : 0;
    for (int k = 0; k < r->comm->size && slept > 5; k++) r->other[k].heard += slept;
    r->looked = now;
}

static bool must_stop(const struct sw_ranks *r)
{
    return (r->desk && sw_desk_stopping(r->desk)) || (r->stop && *r->stop);
}

static enum sw_status begin_stop(struct sw_ranks *r, double now)
{
    if (r->stopped || !must_stop(r)) return SW_OK;
    r->stopped = now;
    return r->comm->rank ? send_word(r, 0, STOP) : send_all(r, STOP);
}

static enum sw_status read_letters(struct sw_ranks *r)
{
    struct letter l;
    char raw[SW_MAIL_MOST];
    size_t bytes;
    for (int from; sw_mail_receive(&from, raw, &bytes);) {
        memcpy(&l, raw, bytes < sizeof l ? bytes : sizeof l);
        r->other[from].heard = sw_clock();
        SW_TRY(r->comm->rank ? hear_at_others(r, &l) : hear_at_0(r, from, &l));
    }
    return SW_OK;
}

static bool anybody_there(const struct sw_ranks *r)
{
    for (int k = 1; k < r->comm->size; k++)
        if (!r->other[k].left) return true;
    return false;
}

/* A look at everything; on all ranks. */
static enum sw_status attend(struct sw_ranks *r)
{
    const double now = sw_clock();
    wake_up(r, now);
    SW_TRY(read_letters(r));
    SW_TRY(begin_stop(r, now));
    if (now - r->told > news_every) SW_TRY(send_news(r));
    for (int k = 0; k < r->comm->size; k++)
        if (k != r->comm->rank && (k == 0 || r->comm->rank == 0)) look_after(r, k, now);
    if (r->comm->rank) return SW_OK;
    SW_TRY(answer_those_that_wait(r));
    if (r->over || anybody_there(r)) return SW_OK;
    r->over = true;
    pulse_stop(&r->pulse);
    return send_all(r, BYE);
}

/* ---- the deal */

static struct sw_ranks *of(const struct sw_deal *deal) { return deal->own; }

static enum sw_status next_at_0(struct sw_deal *deal, int worker, int64_t *batch)
{
    return of(deal)->plan.next(&of(deal)->plan, worker, batch);
}

static enum sw_status over_at_0(struct sw_deal *deal, int worker, int64_t batch, enum sw_batch_end end,
                                const struct sw_tally *tally)
{
    return of(deal)->plan.over(&of(deal)->plan, worker, batch, end, tally);
}

static enum sw_status poll_at_0(struct sw_deal *deal, struct sw_desk *desk, bool *busy)
{
    struct sw_ranks *r = of(deal);
    double under_way = 0;
    r->desk = desk;
    SW_TRY(attend(r));
    for (int k = 1; k < r->comm->size; k++) under_way += r->other[k].under_way;
    sw_desk_under_way(desk, under_way);
    *busy = !r->over;
    return SW_OK;
}

static int64_t left_at_0(const struct sw_deal *deal) { return of(deal)->plan.left(&of(deal)->plan); }

/* What a worker that broke off had asked for: rank 0 waits for it, so another one here does it. */
static bool take_over(struct sw_ranks *r, int64_t *batch)
{
    for (int k = 0; k < r->workers; k++) {
        if (!r->gone[k] || r->given[k] < 0) continue;
        *batch = r->given[k];
        r->given[k] = NOT_ASKED;
        return true;
    }
    return false;
}

static void gone_at_others(struct sw_deal *deal, int worker) { of(deal)->gone[worker] = true; }

static enum sw_status next_at_others(struct sw_deal *deal, int worker, int64_t *batch)
{
    struct sw_ranks *r = of(deal);
    *batch = SW_DEAL_LATER;
    if (take_over(r, batch)) return SW_OK;
    if (r->given[worker] == ASKED) return SW_OK;
    if (r->given[worker] == NOT_ASKED) {
        r->given[worker] = ASKED;
        return send_letter(r, 0, &(struct letter){.kind = ASK, .worker = worker});
    }
    *batch = r->given[worker];
    r->given[worker] = NOT_ASKED;
    return SW_OK;
}

static enum sw_status over_at_others(struct sw_deal *deal, int worker, int64_t batch, enum sw_batch_end end,
                                     const struct sw_tally *tally)
{
    struct letter l = {.kind = OVER, .worker = worker, .batch = batch, .end = end, .tally = *tally};
    return send_letter(of(deal), 0, &l);
}

static enum sw_status poll_at_others(struct sw_deal *deal, struct sw_desk *desk, bool *busy)
{
    of(deal)->desk = desk;
    *busy = false;
    return attend(of(deal));
}

/* Only rank 0 knows: here there may be some. */
static int64_t left_at_others(const struct sw_deal *deal)
{
    (void)deal;
    return 1;
}

static void leave_it(struct sw_deal *deal) { (void)deal; }

struct sw_deal *sw_ranks_deal(struct sw_ranks *ranks) { return &ranks->deal; }

/* ---- beginning and end */

static void destroy(struct sw_ranks *r)
{
    pulse_stop(&r->pulse);
    if (r->plan.destroy) r->plan.destroy(&r->plan);
    sw_free(r->other);
    sw_free(r->holder);
    sw_free(r->asked);
    sw_free(r->asker);
    sw_free(r->given);
    sw_free(r->gone);
    sw_free(r);
}

static enum sw_status create_at_0(struct sw_ranks *r, const struct sw_plan *plan, int workers)
{
    r->deal = (struct sw_deal){.next = next_at_0, .over = over_at_0, .poll = poll_at_0, .left = left_at_0,
                               .destroy = leave_it, .own = r};
    r->nbatch = plan->nbatch;
    SW_TRY(sw_alloc((size_t)plan->nbatch, &r->holder));
    for (int64_t k = 0; k < plan->nbatch; k++) r->holder[k] = -1;
    return sw_deal_local(plan, workers + 1, &r->plan);  /* more than one, in any case: the largest batches first */
}

static enum sw_status create_at_others(struct sw_ranks *r, int workers)
{
    r->deal = (struct sw_deal){.next = next_at_others, .over = over_at_others, .gone = gone_at_others,
                               .poll = poll_at_others, .left = left_at_others, .destroy = leave_it, .own = r};
    r->workers = workers;
    SW_TRY(sw_alloc((size_t)workers, &r->given));
    SW_TRY(sw_alloc((size_t)workers, &r->gone));
    for (int k = 0; k < workers; k++) r->given[k] = NOT_ASKED;
    return SW_OK;
}

static enum sw_status introduce(struct sw_ranks *r)
{
    char mine[64] = "", *all = NULL;
    const size_t size = (size_t)r->comm->size, count = sizeof mine / sizeof(double);
    double *numbers = NULL, me[sizeof mine / sizeof(double)];
    gethostname(mine, sizeof mine - 1);
    memcpy(me, mine, sizeof mine);
    SW_TRY(sw_alloc(size * count, &numbers));
    enum sw_status st = sw_comm_gather(r->comm, count, me, numbers);
    all = (char *)numbers;
    for (size_t k = 0; k < size; k++) {
        memcpy(r->other[k].host, all + k * sizeof mine, sizeof mine);
        r->other[k].heard = sw_clock();
    }
    sw_free(numbers);
    return st;
}

enum sw_status sw_ranks_create(const struct sw_comm *comm, const struct sw_plan *plan, int workers,
                               const volatile sig_atomic_t *stop, struct sw_ranks **ranks)
{
    struct sw_ranks *r = NULL;
    *ranks = NULL;
    enum sw_status st = sw_alloc(1, &r);
    if (!st) {
        r->comm = comm;
        r->stop = stop;
        st = sw_alloc((size_t)comm->size, &r->other);
    }
    if (!st) st = comm->rank ? create_at_others(r, workers) : create_at_0(r, plan, workers);
    st = sw_comm_agree(comm, st);
    if (!st) st = introduce(r);
    if (!st) pulse_start(beat_every, beat, r, &r->pulse);  /* without it all is well, but where a write takes so long */
    if (st && r) destroy(r);
    else *ranks = r;
    return st;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); }

static enum sw_status farewell(struct sw_ranks *r, enum sw_status st)
{
    struct letter l = {.kind = LEFT, .status = st};
    if (st) snprintf(l.text, sizeof l.text, "%s", sw_err_message());
    if (r->comm->rank) return send_letter(r, 0, &l);
    if (st && !r->over && !r->stopped) {  /* it did not get as far as the desk, or broke off: all go home */
        r->stopped = sw_clock();
        return send_all(r, STOP);
    }
    return SW_OK;
}

enum sw_status sw_ranks_end(struct sw_ranks **ranks, enum sw_status st)
{
    struct sw_ranks *r = *ranks;
    struct sw_err_kept kept = {0};
    if (!r) return st;
    r->desk = NULL;
    sw_err_keep(&kept, st);
    sw_err_keep(&kept, farewell(r, st));
    while (!r->over) {
        sw_err_keep(&kept, attend(r));
        if (!r->over) nap();
    }
    pulse_stop(&r->pulse);
    sw_mail_flush();
    destroy(r);
    *ranks = NULL;
    return sw_err_raise(&kept);
}
