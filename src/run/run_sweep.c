/* One call: compute the batches of a plan, then merge the parts into the output file. */
#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_stop.h"
#include "run/run_impl.h"

static enum sw_status compute_batches(struct sw_scheduler *s, const struct sw_devices *devices)
{
    struct sw_work_queue local = {0};
    s->queue = s->options->queue;
    if (!s->queue) {
        SW_TRY(sw_work_queue_local(s->plan, devices->count / s->plan->team, &local));
        s->queue = &local;
    }
    enum sw_status st = scheduler_run(s, devices);
    if (local.destroy) local.destroy(&local);
    return st;
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
    failure_list_print(&s->failures, sum->failures);
    failure_list_print(&s->notes, sum->notes);
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
    if (!st && sweep->accuracy < 0) st = sw_sweep_few(sweep, NULL, sweep->nruns, SAMPLED, &s.sample);
    if (!st) st = compute_batches(&s, devices);
    fill_summary(&s);
    if (!st && !options->client) st = merge_unless_stopped(&s, completed);
    if (s.lock != options->lock) sw_output_unlock(&s.lock);
    sw_few_free(&s.sample);
    pthread_mutex_destroy(&s.mutex);
    return st;
}
