#include <time.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/execute_impl.h"

static enum sw_status compute(struct sw_desk *d, const struct sw_devices *devices)
{
    struct sw_deal local = {0};
    d->deal = d->options->deal;
    if (!d->deal) {
        SW_TRY(sw_deal_local(d->plan, devices->count, &local));
        d->deal = &local;
    }
    enum sw_status st = desk_sit(d, devices);
    if (local.destroy) local.destroy(&local);
    return st;
}

static void summarize(const struct sw_desk *d)
{
    struct sw_execute_summary *s = d->summary;
    s->seconds = sw_clock() - d->started;
    s->done = d->all.done;
    s->diverged = d->all.diverged;
    s->failed = d->all.failed;
    s->rate = s->seconds > 0 ? d->all.points_steps / s->seconds : 0;
    desk_names(&d->failures, s->failures);
    desk_names(&d->notes, s->notes);
    s->failed_fast = d->options->fail_fast && d->failed_now;
}

/* What had ended before, and what this call computed. @param expected  [sweep->nruns], to be freed with sw_free() */
static enum sw_status list_expected(const struct sw_desk *d, const struct sw_completed *completed,
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

static enum sw_status merge(struct sw_desk *d, const struct sw_completed *completed)
{
    struct sw_merge_summary sum;
    struct sw_merge_options how = {.allow_missing = true, .sweep = d->sweep, .id = d->plan->id, .summary = &sum};
    struct sw_provenance provenance = d->options->provenance;
    unsigned char *expected = NULL;
    if (!d->plan->nruns && !(completed && completed->has_parts)) return SW_OK;
    desk_progress(d, "merging");
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

enum sw_status sw_execute(struct sw_sweep *sweep, struct sw_plan *plan, const struct sw_completed *completed,
                          const struct sw_devices *devices, const struct sw_execute_options *options,
                          struct sw_execute_summary *summary)
{
    struct sw_desk d = {
        .sweep = sweep, .plan = plan, .options = options, .summary = summary, .started = sw_clock(),
        .mutex = PTHREAD_MUTEX_INITIALIZER};
    *summary = (struct sw_execute_summary){0};
    enum sw_status st = options->helper ? SW_OK : sw_output_lock(options->file, &d.lock);
    if (!st && !options->helper && options->ranks > 1) st = sw_output_lock_share(d.lock);
    if (!st) st = compute(&d, devices);
    summarize(&d);
    if (!st && !options->helper) st = merge(&d, completed);
    sw_output_unlock(&d.lock);
    pthread_mutex_destroy(&d.mutex);
    return st;
}
