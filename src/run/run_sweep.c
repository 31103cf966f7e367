#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/run_impl.h"

static enum sw_status compute(struct sw_scheduler *d, const struct sw_devices *devices)
{
    struct sw_work_queue local = {0};
    d->queue = d->options->queue;
    if (!d->queue) {
        SW_TRY(sw_work_queue_local(d->plan, devices->count, &local));
        d->queue = &local;
    }
    enum sw_status st = scheduler_run(d, devices);
    if (local.destroy) local.destroy(&local);
    return st;
}

static void summarize(const struct sw_scheduler *d)
{
    struct sw_run_sweep_summary *s = d->summary;
    s->seconds = sw_clock() - d->started;
    s->done = d->done.done;
    s->diverged = d->done.diverged;
    s->failed = d->done.failed;
    s->rate = s->seconds > 0 ? d->done.points_steps / s->seconds : 0;
    failure_list_print(&d->failures, s->failures);
    failure_list_print(&d->notes, s->notes);
    s->failed_fast = d->options->fail_fast && d->failed_now;
}

/* What had ended before, and what this call computed. @param expected  [sweep->nruns], to be freed with sw_free() */
static enum sw_status list_expected(const struct sw_scheduler *d, const struct sw_completed *completed,
                                    unsigned char **expected)
{
    const struct sw_plan *p = d->plan;
    SW_TRY(sw_alloc((size_t)d->sweep->nruns, expected));
    for (int64_t run = 0; run < d->sweep->nruns; run++)
        if (sw_completed_status(completed, p->id[run]) != SW_RUN_PENDING) (*expected)[run] = SW_EXPECTED;
    for (int64_t k = 0; k < p->nbatch; k++)
        for (int j = 0; j < p->batch[k].count; j++) (*expected)[p->batch[k].run[j]] = SW_EXPECTED_IN_PART;
    return SW_OK;
}

/* What other machines wrote a file system may show some seconds late. */
enum { LOOKS = 5 };

static enum sw_status merge(struct sw_scheduler *d, const struct sw_completed *completed)
{
    struct sw_merge_summary sum;
    struct sw_merge_options how = {.allow_missing = true, .sweep = d->sweep, .id = d->plan->id, .summary = &sum};
    struct sw_provenance provenance = d->options->provenance;
    unsigned char *expected = NULL;
    if (!d->plan->nruns && !(completed && completed->has_parts)) return SW_OK;
    scheduler_show_progress(d, "merging");
    provenance.solver = d->plan->solver;
    SW_TRY(list_expected(d, completed, &expected));
    how.expected = expected;
    enum sw_status st = sw_merge_parts(d->options->file, &how, &provenance);
    for (int k = 0; k < LOOKS && st && sum.missing && d->options->ranks > 1; k++) {
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        st = sw_merge_parts(d->options->file, &how, &provenance);
    }
    d->summary->missing = sum.missing;
    sw_free(expected);
    return st;
}

enum sw_status sw_run_sweep(struct sw_sweep *sweep, struct sw_plan *plan, const struct sw_completed *completed,
                          const struct sw_devices *devices, const struct sw_run_sweep_options *options,
                          struct sw_run_sweep_summary *summary)
{
    struct sw_scheduler d = {
        .sweep = sweep, .plan = plan, .options = options, .summary = summary, .started = sw_clock(),
        .mutex = PTHREAD_MUTEX_INITIALIZER};
    *summary = (struct sw_run_sweep_summary){0};
    enum sw_status st = options->client ? SW_OK : sw_output_lock(options->file, &d.lock);
    if (!st && !options->client && options->ranks > 1) st = sw_output_lock_share(d.lock);
    if (!st) st = compute(&d, devices);
    summarize(&d);
    if (!st && !options->client) st = merge(&d, completed);
    sw_output_unlock(&d.lock);
    pthread_mutex_destroy(&d.mutex);
    return st;
}
