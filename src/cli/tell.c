/* What a run says: to people on stderr, to programs in the log. */
#include <string.h>
#include <unistd.h>

#include "base/sw_version.h"
#include "cli/carry_out.h"

static void put_counts(struct sw_text *text, const struct sw_run_counts *n, const char *done)
{
    sw_text_printf(text, "%lld %s", (long long)n->done, done);
    if (n->diverged) sw_text_printf(text, ", %lld diverged", (long long)n->diverged);
    if (n->failed) sw_text_printf(text, ", %lld failed", (long long)n->failed);
}

static void log_plan(const struct job *j, struct sw_json *log, const char *device)
{
    const struct sw_plan *p = j->plan;
    sw_json_text(log, "device", device);
    sw_json_text(log, "stepper", p->solver);
    sw_json_text(log, "precision", j->s->sweep->single_steps ? "single" : "double");
    sw_json_count(log, "batches", p->nbatch);
    sw_json_count(log, "runs", p->nruns);
    sw_json_real(log, "batch_bytes", (double)p->batch_bytes);
    sw_json_real(log, "output_bytes", p->output_bytes);
    sw_json_text(log, "file", j->file);
    cli_log_end(j->cli);
}

void tell_ranks(const struct job *j)
{
    const struct sw_cli *cli = j->cli;
    if (cli->comm->size == 1) return;
    cli_say(cli, "ranks    %d on %d machine%s · %d device%s\n", cli->comm->size, cli->machines,
            cli->machines == 1 ? "" : "s", j->sharing.devices, j->sharing.devices == 1 ? "" : "s");
    const int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (j->devices.device[0]->space == SW_HOST && cli->bound < cli->processors && cli->processors < online)
        cli_say(cli, "note     mpirun has bound the ranks to %d of the %d processors of %s; mpirun --bind-to none: "
                     "all\n", cli->processors, online, cli->host[0]);
    if (j->sharing.ranks_per_gpu > 1)
        cli_say(cli, "note     %d ranks on %s share its GPUs: up to %d have one\n", cli->mates, cli->host[0],
                j->sharing.ranks_per_gpu);
}

void tell_plan(const struct job *j, double seconds)
{
    char here[24], all[24], size[24];
    const struct sw_plan *p = j->plan;
    const struct sw_device *first = j->devices.device[0];
    struct sw_text text = {0}, name = {0};
    cli_devices_name(&j->devices, &name);
    sw_text_printf(&text, "device   %s", sw_text_get(&name));
    if (first->sm) sw_text_printf(&text, " (sm_%d)", first->sm);
    if (*p->solver)  /* nothing is left to compute, only to join */
        sw_text_printf(&text, " · solver %s%s", p->solver, j->s->sweep->single_steps ? " in single precision" : "");
    if (first->sm) sw_text_printf(&text, " · ready in %.2f s", seconds);
    sw_text_printf(&text, "\nplan     ");
    if (p->done + p->failed)
        sw_text_printf(&text, "%lld of %lld runs left · ", (long long)p->nruns, (long long)j->s->count);
    for (int64_t k = 0; k < p->nbatch && p->batch[k].resume; k++)
        sw_text_printf(&text, "%d run%s from step %lld of %lld · ", p->batch[k].count,
                       p->batch[k].count == 1 ? "" : "s", (long long)p->batch[k].resume->step,
                       (long long)p->group[p->batch[k].group].steps);
    sw_text_printf(&text, "%lld batch%s · %s of %s · output ≈ %s %s\n", (long long)p->nbatch,
                   p->nbatch == 1 ? "" : "es", cli_memory((double)p->batch_bytes, here),
                   cli_memory(cli_devices_memory(&j->devices), all), cli_bytes(p->output_bytes, size), j->file);
    cli_say(j->cli, "%s", sw_text_get(&text));
    sw_text_free(&text);
    struct sw_json *log = cli_log_begin(j->cli, "plan");
    if (log) log_plan(j, log, sw_text_get(&name));
    sw_text_free(&name);
}

void tell_late(const struct job *j, double left)
{
    if (!(j->cli->deadline > 0) || left > 0) return;
    cli_say(j->cli, "note     --max-time %g s was over %.2g s before the first step: each start computes for 0.1 s all "
                    "the same\n", j->cli->max_seconds, -left);
}

void tell_progress(void *user, const struct sw_progress *p) { cli_bar_progress(&((struct job *)user)->bar, p); }

void tell_event(void *user, const struct sw_event *e)
{
    static const char *const names[] = {[SW_EVENT_BATCH] = "batch", [SW_EVENT_CHECKPOINT] = "checkpoint",
                                        [SW_EVENT_FAILURE] = "failure", [SW_EVENT_DEVICE] = "device",
                                        [SW_EVENT_NOTE] = "note"};
    const bool of_run = e->kind == SW_EVENT_FAILURE || e->kind == SW_EVENT_NOTE;
    struct job *j = user;
    j->stored += e->kind == SW_EVENT_BATCH || e->kind == SW_EVENT_CHECKPOINT;
    struct sw_json *log = cli_log_begin(j->cli, names[e->kind]);
    if (log) {
        sw_json_count(log, "batch", e->batch);
        if (of_run) {
            sw_json_count(log, "run", e->run);
            sw_json_text(log, "message", e->message);
        } else if (e->kind == SW_EVENT_DEVICE) {
            sw_json_text(log, "message", e->message);
        } else {
            sw_json_count(log, "runs", e->count);
            sw_json_count(log, "step", e->step);
            sw_json_real(log, "seconds", e->seconds);
        }
        cli_log_end(j->cli);
    }
    if (e->kind == SW_EVENT_DEVICE) {
        cli_bar_clear(&j->bar);
        cli_say(j->cli, "warning: %s; the other devices go on without it\n", e->message);
        return;
    }
    if (!j->cli->verbose) return;
    cli_bar_clear(&j->bar);
    if (of_run) cli_say(j->cli, "%-8s run %lld: %s\n", names[e->kind], (long long)e->run, e->message);
    else
        cli_say(j->cli, "%-10s batch %lld, step %lld, %.3g s\n", names[e->kind], (long long)e->batch + 1,
                (long long)e->step, e->seconds);
}

static void log_end(const struct job *j, const char *event, const struct sw_run_sweep_summary *sum)
{
    struct sw_json *log = cli_log_begin(j->cli, event);
    if (!log) return;
    sw_json_count(log, "done", sum->done);
    sw_json_count(log, "diverged", sum->diverged);
    sw_json_count(log, "failed", sum->failed);
    sw_json_real(log, "seconds", sum->seconds);
    sw_json_real(log, "points_steps_per_second", sum->rate);
    cli_log_end(j->cli);
}

void tell_start(struct job *j)
{
    struct sw_text text = {0};
    cli_sweep_headline(j->s, &text);
    cli_say(j->cli, "sweep %s · %s\n", SW_VERSION, sw_text_get(&text));
    sw_text_free(&text);
    struct sw_json *log = cli_log_begin(j->cli, "start");
    if (!log) return;
    sw_json_text(log, "version", SW_VERSION);
    sw_json_text(log, "command", j->cli->command_line);
    sw_json_text(log, "problem", j->s->sweep->problem->name);
    sw_json_count(log, "runs", j->s->count);
    sw_json_text(log, "id", j->s->sweep->id);
    cli_log_end(j->cli);
}

void tell_done(const struct job *j, const struct sw_run_sweep_summary *sum, const struct sw_run_counts *all)
{
    char took[24];
    struct sw_text text = {0};
    sw_text_add(&text, "done     ");
    put_counts(&text, all, "ok");
    if (*sum->failures) sw_text_printf(&text, " (%s)", sum->failures);
    sw_text_printf(&text, " · %s", cli_about(sum->seconds, took));
    if (sum->rate > 0) sw_text_printf(&text, " · %.2g points·steps/s", sum->rate);
    cli_say(j->cli, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
    if (*sum->notes) cli_say(j->cli, "warning: %s; sweep show says more\n", sum->notes);
    log_end(j, "done", sum);
    cli_suggest(j->cli, j->s->sweep, j->s->file);
}

void tell_missing(const struct job *j, const char *message)
{
    cli_say(j->cli, "warning: %s; computed again\n", message);
    struct sw_json *log = cli_log_begin(j->cli, "missing");
    if (!log) return;
    sw_json_count(log, "runs", j->missing);
    sw_json_text(log, "message", message);
    cli_log_end(j->cli);
}

void tell_nothing_to_do(const struct job *j)
{
    struct sw_text text = {0};
    put_counts(&text, &j->before, "done");
    if (j->before.diverged + j->before.failed)
        sw_text_printf(&text, "; with --retry-failed %s computed again",
                       j->before.diverged + j->before.failed == 1 ? "that one is" : "these are");
    cli_say(j->cli, "nothing to do: %s\n", sw_text_get(&text));
    if (j->before.diverged + j->before.failed) cli_suggest(j->cli, j->s->sweep, j->s->file);
    sw_text_free(&text);
}

void tell_stopped(struct job *j, const struct sw_run_sweep_summary *sum)
{
    log_end(j, "stopped", sum);
    if (sum->failed_fast)
        cli_say(j->cli, "stopped at the first failure: %s\nthe same command goes on with the others\n",
                sum->failures);
    else if (!j->stored)
        cli_say(j->cli, "stopped before anything new was stored; the same command begins where this one began\n");
    else cli_say(j->cli, "stopped; run the same command again to continue\n");
}
