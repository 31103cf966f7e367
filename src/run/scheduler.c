/* sw_run_sweep(), and the scheduler: the thread that called it. It answers the workers' requests, and it alone calls
 * the work queue and the callbacks. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_stop.h"
#include "run/run_impl.h"

/* ---- events and totals, of this process and of others */

void sw_scheduler_add_event(struct sw_scheduler *s, const struct sw_event *event)
{
    if (event->kind == SW_EVENT_FAILURE) {
        failure_list_add(&s->failures, event->run, event->t, event->message);
        if (!event->earlier) atomic_store(&s->run_failed, true);
    }
    if (event->kind == SW_EVENT_NOTE) failure_list_add(&s->notes, event->run, event->t, event->message);
    if (s->options->event) s->options->event(s->options->user, event);
}

static void add_accuracy(struct sw_accuracy *sum, const struct sw_accuracy *a)
{
    sum->sampled += a->sampled;
    sum->estimated += a->estimated;
    sum->stopped += a->stopped;
    sum->noisy += a->noisy;
    sum->broken_off += a->broken_off;
    sum->earlier += a->earlier;
    sum->missing += a->missing;
    sum->walled += a->walled;
    sum->spread += a->spread;
    sum->vague += a->vague;
    sum->denied += a->denied;
    sum->coarse += a->coarse;
    sum->relative = fmax(sum->relative, a->relative);
    sum->distance = fmax(sum->distance, a->distance);
    for (int k = 0; k < 2; k++) {
        sum->error[k] = fmax(sum->error[k], a->error[k]);
        sum->lost[k] += a->lost[k];
    }
}

static void add_totals(struct sw_totals *sum, const struct sw_totals *totals)
{
    sum->done += totals->done;
    sum->stopped += totals->stopped;
    sum->diverged += totals->diverged;
    sum->failed += totals->failed;
    sum->batches += totals->batches;
    sum->points_steps += totals->points_steps;
    add_accuracy(&sum->accuracy, &totals->accuracy);
}

void sw_scheduler_add_done(struct sw_scheduler *s, const struct sw_totals *totals) { add_totals(&s->done, totals); }

const struct sw_err_kept *sw_scheduler_failure(const struct sw_scheduler *s) { return &s->failed; }

bool sw_scheduler_has_workers(const struct sw_scheduler *s) { return s->running > 0; }

void sw_scheduler_set_in_flight_elsewhere(struct sw_scheduler *s, double points_steps)
{
    s->in_flight_elsewhere = points_steps;
}

double sw_scheduler_in_flight_here(struct sw_scheduler *s)
{
    double points_steps = 0;
    pthread_mutex_lock(&s->mutex);
    for (int k = 0; k < s->workers; k++) {
        const struct worker *w = &s->worker[k];
        points_steps += w->in_flight;
        for (int64_t b = 0; b < w->nwritten; b++) points_steps += w->written[b].totals.points_steps;
    }
    pthread_mutex_unlock(&s->mutex);
    return points_steps;
}

/* ---- progress */

static void scheduler_show_progress(struct sw_scheduler *s, const char *phase)
{
    struct sw_totals now = s->done;
    int64_t first = INT64_MAX;
    s->progress_shown = sw_clock();
    struct sw_progress p = {.seconds = s->progress_shown - s->started, .runs_failed = s->failures.count,
                            .phase = phase};
    if (!s->options->progress) return;
    now.points_steps += s->in_flight_elsewhere;
    pthread_mutex_lock(&s->mutex);
    for (int k = 0; k < s->workers; k++) {
        const struct worker *w = &s->worker[k];
        for (int64_t b = 0; b < w->nwritten; b++) add_totals(&now, &w->written[b].totals);
        now.points_steps += w->in_flight;
        if (w->batch < 0 || w->batch >= first) continue;
        first = w->batch;
        p.t = w->t;
        p.end = w->t_end;
    }
    pthread_mutex_unlock(&s->mutex);
    p.points_steps_done = now.points_steps;
    p.runs_done = now.done + now.diverged + now.failed;
    p.batches_done = now.batches;
    s->options->progress(s->options->user, &p);
}

/* ---- failures */

/* Keep a failure that ends the call, and stop the workers: the first one, or the one that made others fail which had
 * waited for it (SW_E_COMM). Rank 0 takes a client that ends with SW_E_MEMORY for one that has lost its device, and the
 * other ranks go on (receive_exit() in processes.c); a client that cannot go on for want of memory therefore ends with
 * another status. */
static void fail_sweep(struct sw_scheduler *s, enum sw_status st)
{
    if (st && st != SW_E_COMM && s->failed.status == SW_E_COMM) s->failed = (struct sw_err_kept){0};
    sw_err_keep(&s->failed, st);
    if (s->options->client && s->failed.status == SW_E_MEMORY) s->failed.status = SW_E_COMM;
    if (st) sw_scheduler_stop(s);
}

/* That the worker computes, helps with or writes; -1: none. */
static int64_t batch_of(const struct worker *w)
{
    if (w->batch == SW_QUEUE_HELP) return w->help.batch;
    if (w->batch >= 0) return w->batch;
    return w->nwritten ? w->written[w->nwritten - 1].batch : -1;
}

/* A worker has failed. A failure of its device does not stop the others; one of the disk or of the program does. */
static void handle_worker_failure(struct sw_scheduler *s, struct worker *w)
{
    char text[sizeof w->failed.message];
    struct sw_event e = {.kind = SW_EVENT_DEVICE, .batch = batch_of(w), .message = text};
    enum sw_status st = sw_err_raise(&w->failed);
    if (s->workers > 1) SW_FAIL(st, "%s: %s", w->where, w->failed.message);
    sw_err_set_cause(w->failed.cause);
    const struct sw_run_sweep_options *o = s->options;
    const bool coordinator = s->queue->poll && !o->client;
    if (coordinator) snprintf(text, sizeof text, "rank %d of %d: %s", o->rank, o->ranks, sw_err_message());
    else snprintf(text, sizeof text, "%s", sw_err_message());
    if ((st != SW_E_CUDA && st != SW_E_MEMORY) || w->comm) {  /* the other ranks cannot go on alone */
        fail_sweep(s, st);
        return;
    }
    /* Each failure is reported once: the one that a client ends with is reported by rank 0, when the client exits. */
    const bool report = s->running > 1 || coordinator;
    if (!o->client || !report) sw_err_keep(&s->device_failed, st);
    if (report) sw_scheduler_add_event(s, &e);
}

/* ---- answers to requests */

static void complete_batch(struct sw_scheduler *s, struct worker *w, int64_t batch, enum sw_batch_outcome outcome,
                           struct sw_totals *totals)
{
    static const struct sw_totals zero;
    const struct sw_totals stopped = {.accuracy.missing = totals->accuracy.missing},
                           known = outcome == SW_BATCH_DONE ? *totals : outcome == SW_BATCH_STOPPED ? stopped : zero;
    add_totals(&s->done, &known);
    fail_sweep(s, s->queue->complete(s->queue, w->number, batch, outcome, &known));
    *totals = zero;
}

/* Those that are on disk. */
static void complete_written(struct sw_scheduler *s, struct worker *w)
{
    for (int64_t b = 0; b < w->complete; b++)
        complete_batch(s, w, w->written[b].batch, SW_BATCH_DONE, &w->written[b].totals);
    pthread_mutex_lock(&s->mutex);  /* a client's queue may ask what is in flight */
    w->nwritten -= w->complete;
    if (w->complete) memmove(w->written, w->written + w->complete, (size_t)w->nwritten * sizeof *w->written);
    w->complete = 0;
    pthread_mutex_unlock(&s->mutex);
}

static void answer_exit(struct sw_scheduler *s, struct worker *w)
{
    if (w->failed.status && w->failed.status != SW_E_STOPPED) handle_worker_failure(s, w);
    if (worker_follows(w)) w->batch = -1, w->nwritten = w->complete = 0;  /* the one that leads completes them */
    complete_written(s, w);
    for (int64_t b = 0; b < w->nwritten; b++)
        complete_batch(s, w, w->written[b].batch, SW_BATCH_RETURNED, &w->written[b].totals);
    if (w->batch >= 0) complete_batch(s, w, w->batch, w->outcome, &w->totals);
    w->nwritten = 0;
    w->batch = -1;
    w->in_flight = 0;
    if (s->queue->worker_exited) s->queue->worker_exited(s->queue, w->number);
    s->running--;
}

/* Seconds. Another process answers a request within some milliseconds (each side polls every 2 ms). A worker that waits
 * for so long need not first wait until its last batch is written, which goes on beside the next one. */
static const double answer_comes = 0.02;

/* A process that computes batches must hold the lock. */
static enum sw_status join_lock(struct sw_scheduler *s)
{
    return s->options->client && !s->lock ? sw_output_lock_join(s->options->file, &s->lock) : SW_OK;
}

/* @return whether there is an answer; if not, the queue is asked again later */
static bool assign_batch_to_worker(struct sw_scheduler *s, struct worker *w)
{
    const double now = sw_clock();
    int64_t batch = SW_QUEUE_EMPTY;
    if (!sw_scheduler_is_stopping(s)) fail_sweep(s, s->queue->next(s->queue, w->number, &batch));
    if (batch >= 0) fail_sweep(s, join_lock(s));
    if (batch >= 0 && s->queue->lead) w->lead = s->queue->lead(s->queue, batch);
    if (batch == SW_QUEUE_HELP) w->help = s->queue->help(s->queue, w->number);
    if (s->failed.status) batch = SW_QUEUE_EMPTY;
    const bool wait = batch == SW_QUEUE_WAIT;
    if (!wait || w->waits_since <= 0) w->waits_since = wait ? now : 0;
    w->waits = wait && (!w->nwritten || (s->queue->poll && now - w->waits_since < answer_comes));
    if (w->waits) return false;
    w->batch = batch;
    w->in_flight = w->t = w->t_end = 0;
    return true;
}

static bool answer(struct sw_scheduler *s, struct worker *w)
{
    switch (w->request) {
    case REQUEST_NONE: return false;
    case REQUEST_BATCH: return assign_batch_to_worker(s, w);
    case REQUEST_PROGRESS: scheduler_show_progress(s, "computing"); return true;
    case REQUEST_EVENT: sw_scheduler_add_event(s, w->event); return true;
    case REQUEST_COMPLETE: complete_written(s, w); return true;
    case REQUEST_OFFER: fail_sweep(s, s->queue->offer(s->queue, w->number, &w->offered)); return true;
    case REQUEST_EXIT: answer_exit(s, w); return true;
    }
    return false;
}

/* ---- the loop */

/* Seconds without a request for progress, after which it is shown all the same: other processes may have advanced, and
 * a device may take long over one step. */
static const double show_every = 0.5;

/* Workers that have made a request wait, so that their data may be read without the mutex. */
static bool answer_all(struct sw_scheduler *s)
{
    bool any = false;
    for (int k = 0; k < s->workers; k++) {
        struct worker *w = &s->worker[k];
        pthread_mutex_lock(&s->mutex);
        bool requests = w->request != REQUEST_NONE;
        pthread_mutex_unlock(&s->mutex);
        if (!requests || !answer(s, w)) continue;
        pthread_mutex_lock(&s->mutex);
        w->request = REQUEST_NONE;
        pthread_cond_signal(&w->answered);
        pthread_mutex_unlock(&s->mutex);
        any = true;
    }
    return any;
}

static bool any_new_request(const struct sw_scheduler *s)
{
    for (int k = 0; k < s->workers; k++)
        if (s->worker[k].request != REQUEST_NONE && !s->worker[k].waits) return true;
    return false;
}

/* With the mutex held. A process that shares the sweep looks for messages every 2 ms. */
static void wait_for_request(struct sw_scheduler *s)
{
    const double seconds = s->queue->poll ? 0.002 : show_every;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(1e9 * seconds);
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&s->requested, &s->mutex, &until);
}

static void serve_workers(struct sw_scheduler *s)
{
    for (bool busy = false;;) {
        bool any = answer_all(s);
        if (s->queue->poll) {
            busy = false;
            enum sw_status st = s->queue->poll(s->queue, s, &busy);
            fail_sweep(s, st);
            if (st) busy = false;
        }
        if (sw_clock() - s->progress_shown >= show_every) scheduler_show_progress(s, "computing");
        if (!s->running && !busy) return;
        if (any) continue;
        pthread_mutex_lock(&s->mutex);
        if (!any_new_request(s)) wait_for_request(s);
        pthread_mutex_unlock(&s->mutex);
    }
}

/* ---- start and end */

/* @param first  the first worker of a group, as void * */
static enum sw_status run_as_rank(const struct sw_comm *group, void *first)
{
    struct worker *w = (struct worker *)first + group->rank;
    w->comm = group;
    worker_run(w);
    return w->failed.status == SW_E_STOPPED ? SW_OK : sw_err_raise(&w->failed);  /* others of the group stop, too */
}

/* The thread of a group of ranks, which does not hear of failures in other groups. A worker whose thread could not be
 * started exits by this one. */
static void *run_group(void *first)
{
    struct worker *w = first;
    const int ranks = w->scheduler->plan->ranks;
    const enum sw_status st = sw_comm_run("threads", ranks, run_as_rank, first);
    for (int k = 0; k < ranks; k++, w++) {
        if (w->comm) continue;
        sw_err_keep(&w->failed, st);
        worker_lock(w);
        worker_request(w, REQUEST_EXIT);
    }
    return NULL;
}

/* Begin the threads of the workers, or of the groups that they form. */
static enum sw_status start_threads(struct sw_scheduler *s)
{
    const int each = s->group ? 1 : s->plan->ranks;
    for (; s->threads < s->workers; s->threads += each) {
        struct worker *w = &s->worker[s->threads];
        if (pthread_create(&w->thread, NULL, each > 1 ? run_group : worker_run, w))
            return SW_FAIL(SW_E_MEMORY, "cannot start a thread for %s: `ulimit -v` or `ulimit -u` allows no more",
                           w->device->label);
        s->running += each;
    }
    return SW_OK;
}

static enum sw_status start_workers(struct sw_scheduler *s, const struct sw_devices *devices)
{
    const int team = s->plan->team, workers = devices->count / team;
    for (int k = 0; k < workers; k++) {
        struct worker *w = &s->worker[k];
        w->scheduler = s;
        w->number = k;
        w->device = devices->device[k * team];
        w->helper = &devices->device[k * team + 1];
        w->comm = s->group;  /* threads have theirs from run_as_rank() */
        w->group = w->batch = -1;
        w->chunk = 1;
        w->provenance = s->options->provenance;
        w->provenance.solver = w->solver;
        snprintf(w->solver, sizeof w->solver, "%s", s->plan->solver);
        if (team > 1) snprintf(w->where, sizeof w->where, "%d × %s", team, w->device->name);
        else snprintf(w->where, sizeof w->where, "%s %s", w->device->label, w->device->name);
        if (devices->count > 1) w->provenance.device = w->where;  /* one alone is named as the caller names it */
        pthread_cond_init(&w->answered, NULL);
    }
    s->workers = workers;
    return start_threads(s);
}

/* The status of the call, when all workers have exited. */
static enum sw_status final_status(struct sw_scheduler *s)
{
    const bool stopped = sw_scheduler_is_stopping(s);
    SW_TRY(sw_err_raise(&s->failed));
    if (!s->queue->remaining(s->queue)) return SW_OK;
    if (stopped) return SW_FAIL(SW_E_STOPPED, "stopped; run the same command again to continue");
    return sw_err_raise(&s->device_failed);
}

/* Start the workers, and answer them until they have exited and the queue is no longer busy with other processes. */
static enum sw_status scheduler_run(struct sw_scheduler *s, const struct sw_devices *devices)
{
    pthread_condattr_t clock;
    SW_TRY(sw_alloc((size_t)devices->count, &s->worker));
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&s->requested, &clock);
    s->progress_shown = sw_clock();
    enum sw_status st = help_open(s);
    if (!st) st = start_workers(s, devices);
    fail_sweep(s, st);
    serve_workers(s);
    for (int k = 0; k < s->threads; k += s->group ? 1 : s->plan->ranks) pthread_join(s->worker[k].thread, NULL);
    help_close(s);
    st = final_status(s);
    for (int k = 0; k < s->workers; k++) {
        pthread_cond_destroy(&s->worker[k].answered);
        sw_free(s->worker[k].written);
    }
    s->workers = 0;
    sw_free(s->worker);
    s->worker = NULL;
    pthread_cond_destroy(&s->requested);
    pthread_condattr_destroy(&clock);
    return st;
}

/* ---- one call: compute the batches of a plan, then merge the parts into the output file */

static enum sw_status compute_batches(struct sw_scheduler *s, const struct sw_devices *devices)
{
    struct sw_work_queue local = {0};
    const int most = devices->count / s->plan->team;
    s->queue = s->options->queue;
    if (s->group) SW_TRY(join_lock(s));  /* the first rank shares it: form_groups() was after that */
    if (!s->queue) {
        SW_TRY(sw_work_queue_local(s->plan, s->plan->ranks > 1 ? s->plan->groups : most, &local));
        s->queue = &local;
    }
    enum sw_status st = scheduler_run(s, devices);
    if (local.destroy) local.destroy(&local);
    return st;
}

/* The processes that compute a run together. Collective: all of the job come, also one that has failed.
 * @param st  of this process */
static enum sw_status form_groups(struct sw_scheduler *s, enum sw_status st)
{
    const struct sw_comm *all = s->plan->ranks > 1 ? s->options->comm : NULL;
    if (!all) return st;
    SW_TRY(sw_comm_agree(all, st));
    return sw_comm_split(all, all->rank / s->plan->ranks, &s->group);
}

static void fill_summary(const struct sw_scheduler *s)
{
    struct sw_run_sweep_summary *sum = s->summary;
    sum->seconds = sw_clock() - s->started;
    sum->done = s->done.done;
    sum->stopped = s->done.stopped;
    sum->diverged = s->done.diverged;
    sum->failed = s->done.failed;
    sum->rate = sum->seconds > 0 && !s->sweep->own_steps && !sum->stopped ? s->done.points_steps / sum->seconds : 0;
    sum->accuracy = s->done.accuracy;
    struct sw_text failures = sw_text_in(strcpy(sum->failures, ""), sizeof sum->failures),
                   notes = sw_text_in(strcpy(sum->notes, ""), sizeof sum->notes);
    failure_list_print(&s->failures, &failures);
    failure_list_print(&s->notes, &notes);
    sum->failed_fast = s->options->fail_fast && s->run_failed;
}

/* The runs whose results must be there: those of earlier calls, and those that this call computed.
 * @param expected  [sweep->nruns], to be freed with sw_free() */
static enum sw_status list_expected(const struct sw_scheduler *s, const struct sw_completed *completed,
                                    unsigned char **expected)
{
    const struct sw_plan *p = s->plan;
    SW_TRY(sw_alloc((size_t)s->sweep->nruns, expected));
    for (int64_t run = 0; run < s->sweep->nruns; run++)
        if (sw_completed_status(completed, p->id[run]) != SW_RUN_PENDING) (*expected)[run] = SW_EXPECTED;
    for (int64_t k = 0; k < p->nbatch; k++)
        for (int j = 0; j < p->batch[k].count; j++) (*expected)[p->batch[k].run[j]] = SW_EXPECTED_IN_PART;
    return SW_OK;
}

/* A network file system may show some seconds late what other machines wrote: seconds to wait for it. */
enum { RETRIES = 5 };

static enum sw_status merge_results(struct sw_scheduler *s, const struct sw_completed *completed)
{
    struct sw_merge_summary sum;
    struct sw_merge_options how = {.allow_missing = true, .sweep = s->sweep, .id = s->plan->id, .summary = &sum};
    struct sw_provenance provenance = s->options->provenance;
    unsigned char *expected = NULL;
    if (!s->plan->nruns && !(completed && completed->has_parts)) return SW_OK;
    scheduler_show_progress(s, "merging");
    sw_mem_trim();  /* what batches took */
    provenance.solver = s->plan->solver;
    SW_TRY(list_expected(s, completed, &expected));
    how.expected = expected;
    enum sw_status st = sw_merge_parts(s->options->file, &how, &provenance);
    for (int k = 0; k < RETRIES && st && sum.missing && s->options->ranks > 1; k++) {
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        st = sw_merge_parts(s->options->file, &how, &provenance);
    }
    s->summary->missing = sum.missing;
    sw_free(expected);
    return st;
}

/* Nobody computes any more: from here on loops over parts look for the signal. Parts stay, and the next call joins
 * them. The other ranks of a job wait for the merge, and hear how it ended. */
static enum sw_status merge_unless_stopped(struct sw_scheduler *s, const struct sw_completed *completed)
{
    sw_stop_watch(s->options->stop);
    const enum sw_status st = merge_results(s, completed);
    sw_stop_watch(NULL);
    if (st != SW_E_STOPPED) return st;
    return SW_FAIL(st, "stopped; run the same command again to continue");
}

enum { SAMPLED = 12 };  /* runs that are computed again unless the config says how many: three at least, and corners */

enum sw_status sw_run_sweep(struct sw_sweep *sweep, struct sw_plan *plan, const struct sw_completed *completed,
                            const struct sw_devices *devices, const struct sw_run_sweep_options *options,
                            struct sw_run_sweep_summary *summary)
{
    struct sw_scheduler s = {
        .sweep = sweep, .plan = plan, .options = options, .summary = summary, .started = sw_clock(),
        .lock = options->lock, .mutex = PTHREAD_MUTEX_INITIALIZER};
    *summary = (struct sw_run_sweep_summary){0};
    enum sw_status st = options->client || s.lock ? SW_OK : sw_output_lock(options->file, &s.lock);
    if (!st && !options->client && options->ranks > 1) st = sw_output_lock_share(s.lock);
    if (!st && sweep->accuracy < 0) st = sw_representatives_choose(sweep, NULL, sweep->nruns, SAMPLED, &s.sample);
    st = form_groups(&s, st);
    if (!st) st = compute_batches(&s, devices);
    sw_comm_destroy(&s.group);
    fill_summary(&s);
    if (!st && !options->client && !options->only_parts) st = merge_unless_stopped(&s, completed);
    if (s.lock != options->lock) sw_output_unlock(&s.lock);
    sw_representatives_free(&s.sample);
    pthread_mutex_destroy(&s.mutex);
    return st;
}
