#include "run/sw_processes.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/pulse.h"
#include "run/ranks_impl.h"

/* Seconds: how often one is told how far the other is, and, by a thread that no write holds up, that it is there. */
static const double news_every = 0.5, beat_every = 5;

void sw_processes_event(void *user, const struct sw_event *event)
{
    struct letter l = {.kind = EVENT, .event = *event};
    (void)user;
    l.event.message = NULL;
    snprintf(l.text, sizeof l.text, "%s", event->message ? event->message : "");
    ranks_send(0, &l);  /* an event lost for want of memory is no harm */
}

/* ---- all that is attended to */

/* On a thread of its own. Those that have left read their letters until BYE, after which none is sent. */
static void beat(void *user)
{
    struct sw_processes *r = user;
    const int first = r->comm->rank ? 0 : 1, end = r->comm->rank ? 1 : r->comm->size;
    for (int k = first; k < end; k++) ranks_send_word(k, ALIVE);  /* one lost for want of memory is no harm */
}

static bool must_stop(const struct sw_processes *r)
{
    return (r->scheduler && sw_scheduler_is_stopping(r->scheduler)) || (r->stop && *r->stop);
}

static enum sw_status begin_stop(struct sw_processes *r, double now)
{
    if (r->stopped || !must_stop(r)) return SW_OK;
    SW_TRY(r->comm->rank ? ranks_send_word(0, STOP) : ranks_send_all(r, STOP));
    r->stopped = now;
    return SW_OK;
}

static enum sw_status read_letters(struct sw_processes *r)
{
    struct letter l;
    char raw[SW_MESSAGE_BYTES];
    size_t bytes;
    for (int from; sw_message_receive(&from, raw, &bytes);) {
        memcpy(&l, raw, bytes < sizeof l ? bytes : sizeof l);
        r->other[from].heard = sw_clock();
        SW_TRY(r->comm->rank ? ranks_others_hear(r, &l) : ranks_zero_hear(r, from, &l));
    }
    return SW_OK;
}

/* All are through. No beat may follow. */
static enum sw_status dismiss(struct sw_processes *r)
{
    pulse_stop(&r->pulse);
    for (int k = 1; k < r->comm->size; k++) {
        if (r->other[k].dismissed) continue;
        SW_TRY(ranks_send_word(k, BYE));
        r->other[k].dismissed = true;
    }
    r->over = true;
    return SW_OK;
}

static bool anybody_there(const struct sw_processes *r)
{
    for (int k = 1; k < r->comm->size; k++)
        if (!r->other[k].left) return true;
    return false;
}

/* A look at everything; on all ranks. A letter that others wait for and that there was no memory for is written anew at
 * the next look: the job ends, but nobody waits for ever. */
static enum sw_status attend(struct sw_processes *r)
{
    const double now = sw_clock();
    ranks_wake_up(r, now);
    SW_TRY(read_letters(r));
    SW_TRY(begin_stop(r, now));
    if (now - r->told > news_every) SW_TRY(ranks_send_news(r));
    for (int k = 0; k < r->comm->size; k++)
        if (k != r->comm->rank && (k == 0 || r->comm->rank == 0)) ranks_look_after(r, k, now);
    if (r->comm->rank) return SW_OK;
    SW_TRY(ranks_zero_answer(r));
    return r->over || anybody_there(r) ? SW_OK : dismiss(r);
}

/* ---- the queue, while a scheduler sits */

static enum sw_status poll_at_0(struct sw_work_queue *queue, struct sw_scheduler *scheduler, bool *busy)
{
    struct sw_processes *r = ranks_of(queue);
    double in_flight = 0;
    r->scheduler = scheduler;
    SW_TRY(attend(r));
    for (int k = 1; k < r->comm->size; k++) in_flight += r->other[k].in_flight;
    sw_scheduler_set_in_flight_elsewhere(scheduler, in_flight);
    *busy = !r->over;
    return SW_OK;
}

static enum sw_status poll_at_others(struct sw_work_queue *queue, struct sw_scheduler *scheduler, bool *busy)
{
    ranks_of(queue)->scheduler = scheduler;
    *busy = false;
    return attend(ranks_of(queue));
}

static void leave_it(struct sw_work_queue *queue) { (void)queue; }

struct sw_work_queue *sw_processes_queue(struct sw_processes *ranks) { return &ranks->queue; }

/* ---- beginning and end */

static void destroy(struct sw_processes *r)
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

enum sw_status sw_processes_create(const struct sw_comm *comm, char (*host)[64], const struct sw_plan *plan,
                                   int workers,
                               const volatile sig_atomic_t *stop, struct sw_processes **ranks)
{
    struct sw_processes *r = NULL;
    *ranks = NULL;
    enum sw_status st = sw_alloc(1, &r);
    if (!st) {
        r->comm = comm;
        r->host = host;
        r->stop = stop;
        st = sw_alloc((size_t)comm->size, &r->other);
    }
    if (!st) st = comm->rank ? ranks_others_create(r, workers) : ranks_zero_create(r, plan, workers);
    if (!st) {
        r->queue.poll = comm->rank ? poll_at_others : poll_at_0;
        r->queue.destroy = leave_it;
        r->queue.own = r;
    }
    st = sw_comm_agree(comm, st);
    for (int k = 0; !st && k < comm->size; k++) r->other[k].heard = sw_clock();
    if (!st) pulse_start(beat_every, beat, r, &r->pulse);  /* without it all is well, but where a write takes so long */
    if (st && r) destroy(r);
    else *ranks = r;
    return st;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); }

static enum sw_status farewell(struct sw_processes *r, const struct sw_err_kept *why)
{
    const enum sw_status st = why->status;
    struct letter l = {.kind = LEFT, .status = st};
    snprintf(l.text, sizeof l.text, "%.*s", (int)sizeof l.text - 1, why->message);
    if (r->comm->rank) return ranks_send(0, &l);
    if (!st || r->stopped) return SW_OK;
    SW_TRY(ranks_send_all(r, STOP));  /* it did not get as far as the scheduler, or broke off: all go home */
    r->stopped = sw_clock();
    return SW_OK;
}

enum sw_status sw_processes_finish(struct sw_processes **ranks, enum sw_status st)
{
    struct sw_processes *r = *ranks;
    struct sw_err_kept own = {0}, kept;
    if (!r) return st;
    r->scheduler = NULL;
    sw_err_keep(&own, st);
    kept = own;
    for (bool told = false; !r->over;) {
        enum sw_status failed = told ? SW_OK : farewell(r, &own);
        told |= !failed;
        sw_err_keep(&kept, failed);
        sw_err_keep(&kept, attend(r));
        if (!r->over) nap();
    }
    pulse_stop(&r->pulse);
    sw_message_flush();
    destroy(r);
    *ranks = NULL;
    return sw_err_raise(&kept);
}
