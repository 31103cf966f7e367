#include <stdio.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "execute/execute_impl.h"

/* ---- failures, for the summary: "runs 12, 40, 41: not finite at t = 0.31; run 50: ..." */

enum { TOLD = 12 };  /* runs named */

static void add_to_text(struct execution *x, int64_t run, const char *message)
{
    char *text = x->summary->first_failures, part[sizeof x->failure_text];
    size_t used = strlen(text), room = sizeof x->summary->first_failures;
    snprintf(part, sizeof part, "%.*s", (int)strcspn(message, "("), message);
    for (size_t n = strlen(part); n && part[n - 1] == ' ';) part[--n] = 0;
    size_t tail = strlen(x->failure_text) + 2;
    if (x->failures > TOLD || used + strlen(part) + 40 > room) {
        if (used + 5 < room && strcmp(text + used - 3, "...")) strcpy(text + used, " ...");
    } else if (used && !strcmp(part, x->failure_text)) {  /* the same again: put the run before the message */
        used -= tail;
        char *colon = text + used;
        if (!strncmp(text + x->failure_at, "run ", 4)) {
            memmove(text + x->failure_at + 4, text + x->failure_at + 3, strlen(text + x->failure_at + 3) + 1);
            text[x->failure_at + 3] = 's';
            colon++;
        }
        snprintf(colon, room - (size_t)(colon - text), ", %lld: %s", (long long)run, part);
    } else {
        x->failure_at = used + (used ? 2 : 0);
        snprintf(text + used, room - used, "%srun %lld: %s", used ? "; " : "", (long long)run, part);
        snprintf(x->failure_text, sizeof x->failure_text, "%s", part);
    }
}

void execution_failure(struct execution *x, int64_t number, int64_t run, const char *message)
{
    struct sw_event e = {.kind = SW_EVENT_FAILURE, .batch = number, .run = run, .message = message};
    x->failures++;
    add_to_text(x, run, message);
    if (x->options->event) x->options->event(x->options->user, &e);
}

bool execution_must_stop(struct execution *x, double now)
{
    const struct sw_execute_options *o = x->options;
    x->summary->failed_fast = o->fail_fast && x->failed_now;
    return (o->stop && *o->stop) || (o->max_seconds > 0 && now - x->started >= o->max_seconds) ||
           x->summary->failed_fast;
}

/* ---- the simulation in use: made once a group, made again when a batch is larger */

static void drop_sim(struct execution *x)
{
    if (x->sim) x->sim->ops->destroy(x->sim);
    x->sim = NULL;
}

static enum sw_status use_sim(struct execution *x, int group, int count)
{
    const struct sw_problem *problem = x->sweep->problem;
    if (x->sim && x->group == group && count <= x->capacity) return SW_OK;
    SW_TRY(writer_wait(x->writer));  /* it reads the sim's slots, and the provenance */
    drop_sim(x);
    if (x->group != group) x->chunk = 1;
    x->setup = sw_sweep_setup(x->sweep, &x->plan->group[group], count);
    x->group = group;
    x->capacity = count;
    SW_TRY(problem->create(problem, &x->setup, x->device, &x->sim));
    snprintf(x->solver, sizeof x->solver, "%s", x->sim->ops->solver_name(x->sim));
    return SW_OK;
}

static int largest_of_group(const struct sw_plan *plan, int64_t from)
{
    int most = 0;
    for (int64_t k = from; k < plan->nbatch && plan->batch[k].group == plan->batch[from].group; k++)
        if (plan->batch[k].count > most) most = plan->batch[k].count;
    return most;
}

/* ---- batch after batch */

static enum sw_status run_batch(struct execution *x, int64_t number, const struct sw_plan_batch *batch, int capacity)
{
    enum sw_status st = use_sim(x, batch->group, capacity);
    if (st == SW_E_MEMORY && capacity > batch->count) return run_batch(x, number, batch, batch->count);
    if (st == SW_E_MEMORY && batch->count > 1) {
        /* the device has less than it said, or than the one where the batch began: halves give the same bits */
        struct sw_plan_batch half = *batch;
        half.count = batch->count / 2;
        SW_TRY(run_batch(x, number, &half, half.count));
        half.run += half.count;
        half.id += half.count;
        half.row += half.count;
        half.count = batch->count - half.count;
        return run_batch(x, number, &half, half.count);
    }
    SW_TRY(st);
    return batch_run(x, number, batch);
}

static void add_progress(struct execution *x, const struct sw_plan_batch *b)
{
    const struct sw_group *g = &x->plan->group[b->group];
    int64_t from = b->resume ? b->resume->step : 0;
    x->progress.points_steps_done += (double)sw_points(g->n) * (double)(g->steps - from) * b->count;
    x->progress.runs_done += b->count;
    x->progress.batches_done++;
}

static enum sw_status run_batches(struct execution *x)
{
    for (int64_t k = 0; k < x->plan->nbatch; k++) {
        const struct sw_plan_batch *b = &x->plan->batch[k];
        if (execution_must_stop(x, sw_clock()))
            return SW_FAIL(SW_E_STOPPED, "stopped; run the same command again to continue");
        SW_TRY(run_batch(x, k, b, largest_of_group(x->plan, k)));
        add_progress(x, b);
    }
    return SW_OK;
}

static enum sw_status compute(struct execution *x)
{
    enum sw_status st = writer_create(x->options->file, &x->writer);
    if (st) return st;
    st = run_batches(x);
    if (st == SW_OK || st == SW_E_STOPPED) {
        enum sw_status written = writer_wait_slots(x->writer);
        if (!written) drop_sim(x);  /* while the end of the part is written */
        if (!written) written = writer_wait(x->writer);
        if (written) st = written;
    }
    writer_destroy(&x->writer);
    drop_sim(x);
    return st;
}

/* ---- the end */

static enum sw_status merge(struct execution *x, const struct sw_ledger *ledger)
{
    struct sw_merge_options how = {.allow_missing = true, .sweep = x->sweep, .id = x->plan->id};
    if (!x->plan->nruns && !(ledger && ledger->has_parts)) return SW_OK;
    x->progress.phase = "merging";
    x->progress.seconds = sw_clock() - x->started;
    if (x->options->progress) x->options->progress(x->options->user, &x->progress);
    return sw_merge_parts(x->options->file, &how, &x->provenance);
}

enum sw_status sw_execute(struct sw_sweep *sweep, struct sw_plan *plan, const struct sw_ledger *ledger,
                          struct sw_device *device, const struct sw_execute_options *options,
                          struct sw_execute_summary *summary)
{
    struct execution x = {.sweep = sweep,
                          .plan = plan,
                          .device = device,
                          .options = options,
                          .summary = summary,
                          .group = -1,
                          .provenance = options->provenance,
                          .started = sw_clock(),
                          .chunk = 1,
                          .progress.phase = "computing"};
    struct sw_results_lock *lock;
    *summary = (struct sw_execute_summary){0};
    snprintf(x.solver, sizeof x.solver, "%s", plan->solver);
    x.provenance.solver = x.solver;
    SW_TRY(sw_results_lock(options->file, &lock));
    enum sw_status st = compute(&x);
    summary->seconds = sw_clock() - x.started;
    summary->rate = summary->seconds > 0 ? x.progress.points_steps_done / summary->seconds : 0;
    if (!st) st = merge(&x, ledger);
    sw_results_unlock(&lock);
    return st;
}
