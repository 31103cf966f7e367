/* Run a sweep and tell about it: what `sweep run` and `sweep resume` share. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "base/sw_version.h"
#include "cli/cli_impl.h"

struct state {                       /* of the runs asked for, in what is there */
    int64_t done, diverged, failed, begun, pending;
};

struct job {
    struct sw_cli    *cli;
    struct cli_sweep *s;
    const char       *file;          /* where the parts go: s->file, or beside it with --force */
    char             *fresh;         /* s->file ".new", while an old result is being replaced  */
    struct sw_ledger *ledger;        /* of file                                                */
    struct state      before;
    struct sw_device *device;
    struct sw_plan   *plan;
    struct cli_bar    bar;
};

static struct state look(const struct cli_sweep *s, const struct sw_ledger *ledger)
{
    struct state now = {0};
    for (int64_t k = 0; k < s->count; k++)
        switch (sw_ledger_status(ledger, s->id[s->run[k]])) {
        case SW_RUN_PENDING: now.pending++; break;
        case SW_RUN_DONE: now.done++; break;
        case SW_RUN_DIVERGED: now.diverged++; break;
        case SW_RUN_ERROR: now.failed++; break;
        }
    return now;
}

static void put_counts(struct sw_text *text, const struct state *n, const char *done)
{
    sw_text_printf(text, "%lld %s", (long long)n->done, done);
    if (n->diverged) sw_text_printf(text, ", %lld diverged", (long long)n->diverged);
    if (n->failed) sw_text_printf(text, ", %lld failed", (long long)n->failed);
}

/* ---- what is there already */

/* With --force the new result grows beside the old one and takes its place when it is complete. */
static enum sw_status replace(struct job *j)
{
    struct sw_text text = {0};
    sw_ledger_close(&j->ledger);
    sw_text_printf(&text, "%s.new", j->s->file);
    j->file = j->fresh = sw_text_take(&text);
    if (!j->fresh) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = sw_ledger_open(j->file, &j->cli->report, &j->ledger);
    if (!st) st = cli_belongs(j->s, j->ledger);
    if (st == SW_OK) return SW_OK;  /* an interrupted --force goes on */
    sw_ledger_close(&j->ledger);
    SW_TRY(sw_results_remove(j->file));
    return cli_ledger(j->cli, j->file, &j->ledger);
}

static bool to_do(const struct job *j)
{
    return j->before.pending || (j->cli->retry_failed && j->before.diverged + j->before.failed) ||
           (j->ledger && j->ledger->has_parts);
}

static enum sw_status find_earlier(struct job *j)
{
    enum sw_status st = cli_ledger(j->cli, j->file, &j->ledger);
    if (!st) st = cli_belongs(j->s, j->ledger);
    if (!st) j->before = look(j->s, j->ledger);
    bool again = !st && j->ledger->config_text && !to_do(j);  /* --force: compute it all once more */
    if (j->cli->force && (st == SW_E_IO || st == SW_E_REFUSED || again)) {
        SW_TRY(replace(j));
        j->before = look(j->s, j->ledger);
        return SW_OK;
    }
    return st;
}

/* ---- telling */

static void say_plan(const struct job *j, double seconds)
{
    char here[24], all[24], size[24];
    const struct sw_plan *p = j->plan;
    struct sw_text text = {0};
    sw_text_printf(&text, "device   %s", j->device->name);
    if (j->device->sm) sw_text_printf(&text, " (sm_%d)", j->device->sm);
    sw_text_printf(&text, " · stepper %s", p->solver);
    if (j->device->sm) sw_text_printf(&text, " · ready in %.2f s", seconds);
    sw_text_printf(&text, "\nplan     ");
    if (p->done + p->failed) sw_text_printf(&text, "%lld of %lld runs left · ", (long long)p->nruns, (long long)j->s->count);
    for (int64_t k = 0; k < p->nbatch && p->batch[k].resume; k++)
        sw_text_printf(&text, "%d run%s from step %lld of %lld · ", p->batch[k].count, p->batch[k].count == 1 ? "" : "s",
                       (long long)p->batch[k].resume->step, (long long)p->group[p->batch[k].group].steps);
    sw_text_printf(&text, "%lld batch%s · %s of %s · output ≈ %s %s\n", (long long)p->nbatch, p->nbatch == 1 ? "" : "es",
                   cli_memory((double)p->batch_bytes, here), cli_memory((double)j->device->memory_total, all),
                   cli_bytes(p->output_bytes, size), j->file);
    cli_say(j->cli, "%s", sw_text_get(&text));
    sw_text_free(&text);
    struct cli_json *log = cli_log_begin(j->cli, "plan");
    if (!log) return;
    json_text(log, "device", j->device->name);
    json_text(log, "stepper", p->solver);
    json_count(log, "batches", p->nbatch);
    json_count(log, "runs", p->nruns);
    json_real(log, "batch_bytes", (double)p->batch_bytes);
    json_real(log, "output_bytes", p->output_bytes);
    json_text(log, "file", j->file);
    cli_log_end(j->cli);
}

static void on_progress(void *user, const struct sw_progress *p) { cli_bar_progress(&((struct job *)user)->bar, p); }

static void on_event(void *user, const struct sw_event *e)
{
    static const char *const names[] = {[SW_EVENT_BATCH] = "batch", [SW_EVENT_CHECKPOINT] = "checkpoint",
                                        [SW_EVENT_FAILURE] = "failure"};
    struct job *j = user;
    struct cli_json *log = cli_log_begin(j->cli, names[e->kind]);
    if (log) {
        json_count(log, "batch", e->batch);
        if (e->kind == SW_EVENT_FAILURE) {
            json_count(log, "run", e->run);
            json_text(log, "message", e->message);
        } else {
            json_count(log, "runs", e->count);
            json_count(log, "step", e->step);
            json_real(log, "seconds", e->seconds);
        }
        cli_log_end(j->cli);
    }
    if (!j->cli->verbose) return;
    cli_bar_clear(&j->bar);
    if (e->kind == SW_EVENT_FAILURE) cli_say(j->cli, "failure  run %lld: %s\n", (long long)e->run, e->message);
    else cli_say(j->cli, "%-10s batch %lld, step %lld, %.3g s\n", names[e->kind], (long long)e->batch + 1, (long long)e->step, e->seconds);
}

static void log_end(struct job *j, const char *event, const struct sw_execute_summary *sum)
{
    struct cli_json *log = cli_log_begin(j->cli, event);
    if (!log) return;
    json_count(log, "done", sum->done);
    json_count(log, "diverged", sum->diverged);
    json_count(log, "failed", sum->failed);
    json_real(log, "seconds", sum->seconds);
    json_real(log, "points_steps_per_second", sum->rate);
    cli_log_end(j->cli);
}

static void say_next(const struct job *j)
{
    const struct sw_sweep *w = j->s->sweep;
    const char *kind = w->save_fields ? " --kind spacetime --run 0" : w->save_scalars ? " --kind lines" : NULL;
    bool exact = false, n = false;
    for (int k = 0; k < w->nfunction; k++) exact |= !strcmp(w->function[k].key, "exact");
    for (int k = 0; k < w->ncolumn; k++) n |= !strcmp(w->column[k].name, "grid.n") && !w->column[k].uniform;
    if (exact && n) kind = " --kind convergence";
    cli_say(j->cli, "next     sweep %s %s%s\n", kind ? "plot" : "show", j->s->file, kind ? kind : "");
}

static void say_done(const struct job *j, const struct sw_execute_summary *sum)
{
    char took[24];
    struct sw_text text = {0};
    struct state all = {.done = j->plan->done + sum->done, .diverged = sum->diverged, .failed = sum->failed};
    if (!j->cli->retry_failed) { all.diverged += j->before.diverged; all.failed += j->before.failed; }
    sw_text_add(&text, "done     ");
    put_counts(&text, &all, "ok");
    if (*sum->first_failures) sw_text_printf(&text, " (%s)", sum->first_failures);
    sw_text_printf(&text, " · %s", cli_about(sum->seconds, took));
    if (sum->rate > 0) sw_text_printf(&text, " · %.2g points·steps/s", sum->rate);
    cli_say(j->cli, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
    j->cli->exit_code = all.diverged + all.failed > 0;
}

static enum sw_status say_nothing_to_do(struct job *j)
{
    struct sw_text text = {0};
    bool bad = j->before.diverged + j->before.failed > 0;
    put_counts(&text, &j->before, "done");
    if (bad) sw_text_printf(&text, "; sweep resume %s --retry-failed", j->file);
    cli_say(j->cli, "nothing to do: %s\n", sw_text_get(&text));
    sw_text_free(&text);
    j->cli->exit_code = bad;
    return SW_OK;
}

/* ---- doing */

/* The new result is complete: it takes the old one's place. Parts of the old one would otherwise be taken for parts of it. */
static enum sw_status put_in_place(const struct job *j)
{
    struct sw_text folder = {0};
    if (!j->fresh) return SW_OK;
    sw_text_printf(&folder, "%s.d", j->s->file);
    bool parts = access(sw_text_get(&folder), F_OK) == 0;
    sw_text_free(&folder);
    if (parts) SW_TRY(sw_results_remove(j->s->file));
    if (rename(j->fresh, j->s->file))
        return SW_FAIL(SW_E_IO, "%s: cannot be renamed to %s: %s", j->fresh, j->s->file, strerror(errno));
    return SW_OK;
}

static enum sw_status stopped(struct job *j, const struct sw_execute_summary *sum)
{
    log_end(j, "stopped", sum);
    if (!sum->failed_fast) {
        cli_say(j->cli, "stopped; run the same command again to continue\n");
        return SW_E_STOPPED;
    }
    cli_say(j->cli, "stopped at the first failure: %s\n", sum->first_failures);
    j->cli->exit_code = 1;
    return SW_OK;
}

static enum sw_status execute(struct job *j)
{
    struct sw_cli *cli = j->cli;
    struct cli_facts facts;
    struct sw_execute_summary summary;
    double left = cli->deadline > 0 ? cli->deadline - sw_clock() : 0;
    struct sw_execute_options options = {
        .file = j->file, .max_seconds = cli->deadline > 0 && left <= 0 ? 1e-9 : left,
        .checkpoint_seconds = 60 * j->s->sweep->checkpoint_minutes, .fail_fast = cli->fail_fast,
        .retry_failed = cli->retry_failed, .stop = &cli_stop, .progress = on_progress, .event = on_event, .user = j,
    };
    cli_provenance(cli, j->device, &facts, &options.provenance);
    cli_bar_start(&j->bar, cli, j->plan, j->file);
    enum sw_status st = sw_execute(j->s->sweep, j->plan, j->ledger, j->device, &options, &summary);
    cli_bar_clear(&j->bar);
    cli_status_remove(j->file);
    if (st == SW_E_STOPPED) return stopped(j, &summary);
    SW_TRY(st);
    SW_TRY(put_in_place(j));
    say_done(j, &summary);
    log_end(j, "done", &summary);
    say_next(j);
    return SW_OK;
}

static enum sw_status carry_out(struct job *j)
{
    SW_TRY(find_earlier(j));
    if (!to_do(j)) return say_nothing_to_do(j);
    SW_TRY(cli_device(j->cli, j->s->sweep, &j->device));
    double start = sw_clock();
    SW_TRY(sw_plan_make(j->s->sweep, j->s->run, j->s->count, j->s->id, j->ledger, j->cli->retry_failed, j->device, &j->plan));
    say_plan(j, sw_clock() - start);
    return execute(j);
}

enum sw_status cli_execute(struct sw_cli *cli, struct cli_sweep *s)
{
    struct job j = {.cli = cli, .s = s, .file = s->file};
    struct sw_text text = {0};
    cli_sweep_headline(s, &text);
    cli_say(cli, "sweep %s · %s\n", SW_VERSION, sw_text_get(&text));
    struct cli_json *log = cli_log_begin(cli, "start");
    if (log) {
        json_text(log, "version", SW_VERSION);
        json_text(log, "command", cli->command_line);
        json_text(log, "problem", s->sweep->problem->name);
        json_count(log, "runs", s->count);
        json_text(log, "id", s->sweep->id);
        cli_log_end(cli);
    }
    sw_text_free(&text);
    cli_settings(cli, s);
    enum sw_status st = carry_out(&j);
    sw_plan_destroy(&j.plan);
    sw_device_close(&j.device);
    sw_ledger_close(&j.ledger);
    sw_free(j.fresh);
    return st;
}
