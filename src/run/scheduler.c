/* The thread that called sw_run_sweep(): it answers the workers, and it alone calls the queue and the callbacks.
 * Workers wait for its answers, so that a callback that asks for a stop is heeded at once; there are some ten a
 * second. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/run_impl.h"

/* A time limit that start-up uses up would have a sweep start again and again and come to nothing: the clock allows for
 * so many seconds of steps, whatever the limit is. */
static const double least_seconds = 0.1;

void scheduler_note_first_step(struct sw_scheduler *d)
{
    double none = 0;
    atomic_compare_exchange_strong(&d->stepping, &none, sw_clock());
}

static bool time_is_over(const struct sw_scheduler *d, double now)
{
    const double limit = d->options->max_seconds, stepping = atomic_load(&d->stepping);
    return limit > 0 && now - d->started >= limit && stepping > 0 && now - stepping >= least_seconds;
}

bool scheduler_must_stop(const struct sw_scheduler *d, double now)
{
    const struct sw_run_sweep_options *o = d->options;
    const bool signalled = o->stop && __atomic_load_n(o->stop, __ATOMIC_RELAXED);
    return signalled || time_is_over(d, now) || atomic_load(&d->stop) ||
           (o->fail_fast && atomic_load(&d->failed_now));
}

/* ---- what others tell */

void sw_scheduler_add_event(struct sw_scheduler *d, const struct sw_event *event)
{
    if (event->kind == SW_EVENT_FAILURE) {
        failure_list_add(&d->failures, event->run, event->t, event->message);
        if (!event->earlier) atomic_store(&d->failed_now, true);
    }
    if (event->kind == SW_EVENT_NOTE) failure_list_add(&d->notes, event->run, event->t, event->message);
    if (d->options->event) d->options->event(d->options->user, event);
}

static void add(struct sw_totals *to, const struct sw_totals *tally)
{
    to->done += tally->done;
    to->diverged += tally->diverged;
    to->failed += tally->failed;
    to->batches += tally->batches;
    to->points_steps += tally->points_steps;
}

void sw_scheduler_add_done(struct sw_scheduler *d, const struct sw_totals *tally) { add(&d->done, tally); }

void sw_scheduler_set_in_flight_elsewhere(struct sw_scheduler *d, double points_steps) { d->elsewhere = points_steps; }

void sw_scheduler_stop(struct sw_scheduler *d) { atomic_store(&d->stop, true); }

bool sw_scheduler_is_stopping(const struct sw_scheduler *d) { return scheduler_must_stop(d, sw_clock()); }

double sw_scheduler_in_flight_here(struct sw_scheduler *d)
{
    double points_steps = 0;
    pthread_mutex_lock(&d->mutex);
    for (int k = 0; k < d->workers; k++)
        points_steps += d->worker[k].in_flight + d->worker[k].written_tally.points_steps;
    pthread_mutex_unlock(&d->mutex);
    return points_steps;
}

/* ---- progress */

void scheduler_show_progress(struct sw_scheduler *d, const char *phase)
{
    struct sw_totals now = d->done;
    int64_t first = INT64_MAX;
    d->shown = sw_clock();
    struct sw_progress p = {.seconds = d->shown - d->started, .runs_failed = d->failures.count, .phase = phase};
    if (!d->options->progress) return;
    now.points_steps += d->elsewhere;
    pthread_mutex_lock(&d->mutex);
    for (int k = 0; k < d->workers; k++) {
        const struct worker *w = &d->worker[k];
        add(&now, &w->written_tally);
        now.points_steps += w->in_flight;
        if (w->batch < 0 || w->batch >= first) continue;
        first = w->batch;
        p.t = w->t;
        p.end = w->t_end;
    }
    pthread_mutex_unlock(&d->mutex);
    p.points_steps_done = now.points_steps;
    p.runs_done = now.done + now.diverged + now.failed;
    p.batches_done = now.batches;
    d->options->progress(d->options->user, &p);
}

/* ---- what workers say */

/* What ends it all; the others stop cleanly. A client that is out of memory has lost a device, as rank 0 sees it
 * (note_left() in ranks_zero.c), and the others go on without it: where it is more than that, it is another failure. */
static void give_up(struct sw_scheduler *d, enum sw_status st)
{
    sw_err_keep(&d->failed, st);
    if (d->options->client && d->failed.status == SW_E_MEMORY) d->failed.status = SW_E_COMM;
    if (st) sw_scheduler_stop(d);
}

static void over(struct sw_scheduler *d, struct worker *w, int64_t batch, enum sw_batch_outcome end,
                 struct sw_totals *tally)
{
    static const struct sw_totals nothing;
    if (end == SW_BATCH_DONE) add(&d->done, tally);
    give_up(d, d->queue->complete(d->queue, w->number, batch, end, end == SW_BATCH_DONE ? tally : &nothing));
    *tally = nothing;
}

/* A device that cannot go on is no reason for the others to stop; what is wrong with the disk or the program is. */
static void broken(struct sw_scheduler *d, struct worker *w)
{
    char text[sizeof w->failed.message];
    struct sw_event e = {.kind = SW_EVENT_DEVICE, .batch = w->batch, .message = text};
    enum sw_status st = sw_err_raise(&w->failed);
    if (d->workers > 1) SW_FAIL(st, "%s: %s", w->where, w->failed.message);
    const struct sw_run_sweep_options *o = d->options;
    const bool first_of_many = d->queue->poll && !o->client;
    if (first_of_many) snprintf(text, sizeof text, "rank %d of %d: %s", o->rank, o->ranks, sw_err_message());
    else snprintf(text, sizeof text, "%s", sw_err_message());
    if (st != SW_E_CUDA && st != SW_E_MEMORY) {
        give_up(d, st);
        return;
    }
    /* each is told of once: what a client ends with, rank 0 tells (ranks_zero.c) */
    const bool told = d->here > 1 || first_of_many;
    if (!o->client || !told) sw_err_keep(&d->broken, st);
    if (told) sw_scheduler_add_event(d, &e);
}

static void leave(struct sw_scheduler *d, struct worker *w)
{
    if (w->failed.status && w->failed.status != SW_E_STOPPED) broken(d, w);
    if (w->written >= 0) over(d, w, w->written, w->written_end, &w->written_tally);
    if (w->batch >= 0) over(d, w, w->batch, w->end, &w->tally);
    w->written = w->batch = -1;
    w->in_flight = 0;
    if (d->queue->worker_exited) d->queue->worker_exited(d->queue, w->number);
    d->here--;
}

/* Another process answers within some milliseconds (two looks for messages at each end). A worker that waits so long
 * need not first wait for the writing of its last batch, which goes on beside the next one. */
static const double answer_comes = 0.02;

/* Who gives out batches has the lock. */
static enum sw_status join_lock(struct sw_scheduler *d)
{
    return d->options->client && !d->lock ? sw_output_lock_join(d->options->file, &d->lock) : SW_OK;
}

/* @return whether there is an answer; else it is asked again after whatever happens next */
static bool give_batch(struct sw_scheduler *d, struct worker *w)
{
    const double now = sw_clock();
    int64_t batch = SW_QUEUE_EMPTY;
    if (!sw_scheduler_is_stopping(d)) give_up(d, d->queue->next(d->queue, w->number, &batch));
    if (batch >= 0) give_up(d, join_lock(d));
    if (d->failed.status) batch = SW_QUEUE_EMPTY;
    const bool later = batch == SW_QUEUE_WAIT;
    if (!later || w->asked <= 0) w->asked = later ? now : 0;
    w->waits = later && (w->written < 0 || (d->queue->poll && now - w->asked < answer_comes));
    if (w->waits) return false;
    w->batch = batch;
    w->in_flight = w->t = w->t_end = 0;
    return true;
}

static bool answer(struct sw_scheduler *d, struct worker *w)
{
    switch (w->request) {
    case REQUEST_NONE: return false;
    case REQUEST_BATCH: return give_batch(d, w);
    case REQUEST_LOOK: scheduler_show_progress(d, "computing"); return true;
    case REQUEST_EVENT: sw_scheduler_add_event(d, w->event); return true;
    case REQUEST_OVER:
        over(d, w, w->written, w->written_end, &w->written_tally);
        w->written = -1;
        return true;
    case REQUEST_LEAVE: leave(d, w); return true;
    }
    return false;
}

/* ---- sitting */

/* Seconds without a look of a worker here, after which the progress is shown all the same: what others do, and that a
 * device is at work that takes long over one thing. */
static const double show_every = 0.5;

static void wait_a_little(struct sw_scheduler *d)
{
    /* who asks another process for a batch waits for 2 ms, on both sides */
    const double seconds = d->queue->poll ? 0.002 : show_every;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(1e9 * seconds);
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&d->said, &d->mutex, &until);
}

/* Those that have said something wait, and what they hold may be read. */
static bool answer_all(struct sw_scheduler *d)
{
    bool any = false;
    for (int k = 0; k < d->workers; k++) {
        struct worker *w = &d->worker[k];
        pthread_mutex_lock(&d->mutex);
        bool asks = w->request != REQUEST_NONE;
        pthread_mutex_unlock(&d->mutex);
        if (!asks || !answer(d, w)) continue;
        pthread_mutex_lock(&d->mutex);
        w->request = REQUEST_NONE;
        pthread_cond_signal(&w->answered);
        pthread_mutex_unlock(&d->mutex);
        any = true;
    }
    return any;
}

static bool anything_said(const struct sw_scheduler *d)
{
    for (int k = 0; k < d->workers; k++)
        if (d->worker[k].request != REQUEST_NONE && !d->worker[k].waits) return true;
    return false;
}

static void serve(struct sw_scheduler *d)
{
    for (bool busy = false;;) {
        bool any = answer_all(d);
        if (d->queue->poll) {
            busy = false;
            enum sw_status st = d->queue->poll(d->queue, d, &busy);
            give_up(d, st);
            if (st) busy = false;
        }
        if (sw_clock() - d->shown >= show_every) scheduler_show_progress(d, "computing");
        if (!d->here && !busy) return;
        if (any) continue;
        pthread_mutex_lock(&d->mutex);
        if (!anything_said(d)) wait_a_little(d);
        pthread_mutex_unlock(&d->mutex);
    }
}

static enum sw_status start(struct sw_scheduler *d, const struct sw_devices *devices)
{
    for (int k = 0; k < devices->count; k++) {
        struct worker *w = &d->worker[k];
        w->scheduler = d;
        w->number = k;
        w->device = devices->device[k];
        w->group = w->batch = w->written = -1;
        w->chunk = 1;
        w->provenance = d->options->provenance;
        w->provenance.solver = w->solver;
        snprintf(w->solver, sizeof w->solver, "%s", d->plan->solver);
        if (devices->count > 1) {  /* alone it is as the caller calls it */
            snprintf(w->where, sizeof w->where, "%s %s", w->device->label, w->device->name);
            w->provenance.device = w->where;
        }
        pthread_cond_init(&w->answered, NULL);
    }
    d->workers = devices->count;
    for (; d->here < d->workers; d->here++)
        if (pthread_create(&d->worker[d->here].thread, NULL, worker_run, &d->worker[d->here]))
            return SW_FAIL(SW_E_MEMORY, "cannot start a thread for %s", d->worker[d->here].device->label);
    return SW_OK;
}

/* What it came to, when all have left. */
static enum sw_status outcome(struct sw_scheduler *d, bool stopped)
{
    SW_TRY(sw_err_raise(&d->failed));
    if (!d->queue->remaining(d->queue)) return SW_OK;
    if (stopped) return SW_FAIL(SW_E_STOPPED, "stopped; run the same command again to continue");
    return sw_err_raise(&d->broken);
}

enum sw_status scheduler_run(struct sw_scheduler *d, const struct sw_devices *devices)
{
    pthread_condattr_t clock;
    SW_TRY(sw_alloc((size_t)devices->count, &d->worker));
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&d->said, &clock);
    d->shown = sw_clock();
    give_up(d, start(d, devices));
    const int started = d->here;
    serve(d);
    for (int k = 0; k < started; k++) pthread_join(d->worker[k].thread, NULL);
    enum sw_status st = outcome(d, sw_scheduler_is_stopping(d));
    d->workers = 0;
    for (int k = 0; k < devices->count; k++) pthread_cond_destroy(&d->worker[k].answered);
    sw_free(d->worker);
    d->worker = NULL;
    pthread_cond_destroy(&d->said);
    pthread_condattr_destroy(&clock);
    return st;
}
