#include "base/sw_clock.h"
#include "execute/execute_impl.h"

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

static enum sw_status merge(struct sw_desk *d, const struct sw_ledger *ledger)
{
    struct sw_merge_options how = {.allow_missing = true, .sweep = d->sweep, .id = d->plan->id};
    struct sw_provenance provenance = d->options->provenance;
    if (!d->plan->nruns && !(ledger && ledger->has_parts)) return SW_OK;
    desk_progress(d, "merging");
    provenance.solver = d->plan->solver;
    return sw_merge_parts(d->options->file, &how, &provenance);
}

enum sw_status sw_execute(struct sw_sweep *sweep, struct sw_plan *plan, const struct sw_ledger *ledger,
                          const struct sw_devices *devices, const struct sw_execute_options *options,
                          struct sw_execute_summary *summary)
{
    struct sw_desk d = {
        .sweep = sweep, .plan = plan, .options = options, .summary = summary, .started = sw_clock(),
        .mutex = PTHREAD_MUTEX_INITIALIZER};
    *summary = (struct sw_execute_summary){0};
    enum sw_status st = options->helper ? SW_OK : sw_results_lock(options->file, &d.lock);
    if (!st && !options->helper && options->ranks > 1) st = sw_results_lock_share(d.lock);
    if (!st) st = compute(&d, devices);
    summarize(&d);
    if (!st && !options->helper) st = merge(&d, ledger);
    sw_results_unlock(&d.lock);
    pthread_mutex_destroy(&d.mutex);
    return st;
}
