/* Messages of a run: for people on stderr, for programs in the log. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_json.h"
#include "base/sw_async_stream.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "base/sw_version.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/run_messages.h"
#include "cli/signals.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"

/* ---- the log of --log-json: one JSON object a line, one line an event */

struct event_log {
    FILE   *file;
    struct sw_async_stream *stream;     /* whose `file` is; NULL: it is a plain file */
    struct sw_json json;
    int64_t lost;                       /* events that could not be written      */
    int     error;                      /* errno of the first of them, 0: none   */
    bool    torn;                       /* the last line may lack its end        */
};

/* A FIFO is opened by the thread that writes into it: a reader may come later. */
static enum sw_status open_stream(const char *path, struct event_log *log)
{
    struct stat s;
    FILE *file = NULL;
    const bool fifo = !stat(path, &s) && S_ISFIFO(s.st_mode);
    if (fifo && access(path, W_OK)) return sw_files_fail(path);
    if (!fifo) SW_TRY(console_append_open(path, "{\"event\": ", &log->file));
    if (fifo) log->stream = sw_async_stream_create(-1, path, NULL, &file);
    else if (sw_async_stream_wanted(fileno(log->file)))
        log->stream = sw_async_stream_create(fileno(log->file), NULL, NULL, &file);
    if (log->stream) log->file = file;
    return log->file ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

enum sw_status event_log_open(struct sw_cli *cli)
{
    if (!cli->log_path || cli->log) return SW_OK;
    struct event_log *log = NULL;
    SW_TRY(sw_alloc(1, &log));
    enum sw_status st = open_stream(cli->log_path, log);
    if (st) sw_free(log);
    else cli->log = log;
    return st;
}

static const char *why_lost(const struct event_log *log)
{
    return log->error ? strerror(log->error) : "nobody reads it";
}

static void count_lost(struct event_log *log, int64_t events)
{
    if (!log->error) log->error = errno ? errno : EIO;
    log->lost += events;
    log->torn = true;
    clearerr(log->file);
}

enum sw_status event_log_close(struct sw_cli *cli)
{
    enum sw_status st = SW_OK;
    struct event_log *log = cli->log;
    if (!log) return SW_OK;
    errno = 0;
    if (log->stream)
        log->lost = sw_async_stream_wait(log->stream, console_patience(cli, -1), &stop_signal, &log->error);
    else if (fclose(log->file) && !log->error) log->error = errno ? errno : EIO;  /* what a server refuses only now */
    if (log->lost) {
        st = SW_FAIL(SW_E_IO, "%s: %s; %lld event%s are not in it", cli->log_path, why_lost(log),
                     (long long)log->lost, log->lost == 1 ? "" : "s");
        sw_err_set_cause(sw_cause_of_errno(log->error));
    } else if (log->error) st = SW_FAIL_ERRNO(SW_E_IO, log->error, "%s", cli->log_path);
    sw_free(log);
    cli->log = NULL;
    return st;
}

/* Begin an event; the caller adds to the object, then ends it. NULL: there is no log. */
static struct sw_json *begin_event(struct sw_cli *cli, const char *event)
{
    char now[21];
    struct event_log *log = cli->log;
    if (!log) return NULL;
    if (log->torn && ftell(log->file) > 0) fputc('\n', log->file);
    log->torn = false;
    log->json = (struct sw_json){.to = log->file, .first = true, .line = true};
    sw_clock_utc(0, now);
    sw_json_begin(&log->json, NULL, '{');
    sw_json_text(&log->json, "event", event);
    sw_json_text(&log->json, "at", now);
    return &log->json;
}

/* Other programs follow the log during a run, so each line is flushed. A line lost to a full disk does not stop the
 * run: a warning is printed at once, and at the end the exit code reports it. */
static void end_event(struct sw_cli *cli)
{
    struct event_log *log = cli->log;
    sw_json_end(&log->json, '}');
    errno = 0;
    const bool first = !log->error && !log->lost, failed = fflush(log->file) || ferror(log->file);
    if (log->stream) log->lost = sw_async_stream_dropped(log->stream, &log->error);
    else if (failed) count_lost(log, 1);
    if (first && (log->error || log->lost))
        console_message(cli, "warning: %s: %s; the sweep continues, but its log lacks lines\n", cli->log_path,
                        why_lost(log));
}

/* ---- commands that suit a result which is there. Each can be typed as it stands, and ends with exit code 0: what
 * scripts/plot/plot.py would refuse is not suggested. */

struct result {
    const struct sw_sweep *sweep;
    const struct sw_run_table *table;
    int64_t count[SW_RUN_STATUSES], first_done;  /* runs by status; row of the first that is done */
};

static bool is_swept(const struct sw_run_table *t)
{
    for (int k = 0; k < t->nparam; k++)
        for (int64_t r = 1; r < t->nruns; r++)
            if (t->param[(int64_t)k * t->nruns + r] != t->param[(int64_t)k * t->nruns]) return true;
    return false;
}

/* What is saved over space, or at more than one time, has a picture; one number a run has one over the parameters. */
static bool has_picture(const struct result *r, const struct sw_group *group)
{
    const struct sw_sweep *w = r->sweep;
    if (w->save_fields || w->history || (w->save_scalars && group->nscalar > 1)) return true;
    return (w->save_scalars || isfinite(sw_run_table_row(r->table, r->first_done).err_l2)) && is_swept(r->table);
}

/* plot.py itself chooses the kind. */
static void suggest_picture(const struct sw_cli *cli, const struct result *r, const char *file)
{
    struct sw_group *group = NULL;
    int groups = 0;
    const bool drawn = !sw_sweep_groups(r->sweep, &r->table->index[r->first_done], 1, &group, &groups) && groups &&
                       has_picture(r, group);
    console_message(cli, "next     sweep %s %s\n", drawn ? "plot" : "show", file);
    sw_groups_free(&group, groups);
}

void suggest_commands(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file)
{
    struct sw_run_table *table = NULL;
    struct sw_text word = {0};
    struct result r = {.sweep = sweep, .first_done = -1};
    if (cli->quiet || sw_run_table_read(file, &table)) return;  /* it is advice only */
    r.table = table;
    for (int64_t row = 0; row < table->nruns; row++) {
        const enum sw_run_status status = sw_run_table_status(table, row);
        if (status == SW_RUN_DONE && r.first_done < 0) r.first_done = row;
        if ((int)status < SW_RUN_STATUSES) r.count[status]++;
    }
    sw_text_add_word(&word, file);
    for (int s = SW_RUN_DIVERGED; s <= SW_RUN_ERROR; s++)
        if (r.count[s])
            console_message(cli, "next     sweep show %s --status %s\n", sw_text_get(&word), sw_run_status_names[s]);
    if (r.first_done >= 0) suggest_picture(cli, &r, sw_text_get(&word));
    sw_text_free(&word);
    sw_run_table_free(&table);
}

/* ---- */

static void add_counts(struct sw_text *text, const struct sw_run_counts *n, const char *done)
{
    sw_text_printf(text, "%lld %s", (long long)n->done, done);
    if (n->diverged) sw_text_printf(text, ", %lld diverged", (long long)n->diverged);
    if (n->failed) sw_text_printf(text, ", %lld failed", (long long)n->failed);
}

static void log_plan(const struct sweep_run *run, struct sw_json *log, const char *device)
{
    const struct sw_plan *p = run->plan;
    sw_json_text(log, "device", device);
    sw_json_text(log, "stepper", p->solver);
    sw_json_text(log, "precision", run->s->sweep->single_steps ? "single" : "double");
    sw_json_count(log, "ranks", p->ranks);
    sw_json_count(log, "batches", p->nbatch);
    sw_json_count(log, "runs", p->nruns);
    sw_json_real(log, "batch_bytes", (double)p->batch_bytes);
    sw_json_real(log, "output_bytes", p->output_bytes);
    sw_json_text(log, "file", run->s->file);
    end_event(run->cli);
}

void message_ranks(const struct sweep_run *run)
{
    const struct sw_cli *cli = run->cli;
    if (cli->comm->size == 1) return;
    console_message(cli, "ranks    %d on %d machine%s · %d device%s\n", cli->comm->size, cli->hosts,
                    cli->hosts == 1 ? "" : "s", run->sharing.devices, run->sharing.devices == 1 ? "" : "s");
    const int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (run->devices.device[0]->space == SW_HOST && cli->bound < cli->processors && cli->processors < online)
        console_message(cli,
                        "note     mpirun has bound the ranks to %d of the %d processors of %s; mpirun --bind-to none: "
                        "all\n", cli->processors, online, cli->host[0]);
    if (run->sharing.ranks_per_gpu > 1)
        console_message(cli, "note     %d ranks on %s share its GPUs: up to %d have one\n", cli->local_ranks,
                        cli->host[0],
                        run->sharing.ranks_per_gpu);
}

/* Code for a GPU runs on those of its family, up to newer ones, and the driver compiles it for those after. */
static void tell_code(int sm, struct sw_text *text)
{
    int known, end;
    bool older = false;
    for (const char *rest = sw_build.sm; sscanf(rest, "%d%n", &known, &end) == 1; rest += end) {
        if (known / 10 == sm / 10 && known <= sm) return;
        older |= known <= sm;
    }
    sw_text_printf(text, older ? "note     this program has code for sm_%s: for sm_%d the driver compiles it, once\n"
                               : "note     this program has code for sm_%s, none for sm_%d: make SM=%d\n",
                   sw_build.sm, sm, sm);
}

void message_plan(const struct sweep_run *run, double seconds)
{
    char here[24], all[24], size[24];
    const struct sw_plan *p = run->plan;
    const struct sw_device *first = run->devices.device[0];
    struct sw_text text = {0}, name = {0};
    cli_devices_name(&run->devices, &name);
    sw_text_printf(&text, "device   %s", sw_text_get(&name));
    if (first->sm) sw_text_printf(&text, " (sm_%d)", first->sm);
    if (*p->solver)  /* nothing is left to compute, only to join */
        sw_text_printf(&text, " · solver %s%s", p->solver, run->s->sweep->single_steps ? " in single precision" : "");
    if (first->sm) sw_text_printf(&text, " · ready in %.2f s", seconds);
    sw_text_printf(&text, "\n");
    if (first->sm) tell_code(first->sm, &text);
    if (!first->sm) cli_devices_tell_choice(run->s, &run->devices, &text);
    sw_plan_describe_domain(p, &text);
    sw_text_printf(&text, "plan     ");
    if (p->done + p->failed)
        sw_text_printf(&text, "%lld of %lld runs left · ", (long long)p->nruns, (long long)run->s->count);
    for (int64_t k = 0; k < p->nbatch && p->batch[k].resume; k++) {
        const struct sw_group *g = &p->group[p->batch[k].group];
        if (g->goals) {
            sw_text_printf(&text, "%d run%s from t = %.6g of %.6g · ", p->batch[k].count,
                           p->batch[k].count == 1 ? "" : "s", sw_group_time(g, p->batch[k].resume->step),
                           sw_group_time(g, g->steps));
            continue;
        }
        if (g->paces) {
            sw_text_printf(&text, "%d run%s from %.3g %% of their outputs · ", p->batch[k].count,
                           p->batch[k].count == 1 ? "" : "s",
                           100.0 * (double)p->batch[k].resume->step / (double)g->steps);
            continue;
        }
        sw_text_printf(&text, "%d run%s from step %lld of %lld · ", p->batch[k].count,
                       p->batch[k].count == 1 ? "" : "s", (long long)p->batch[k].resume->step,
                       (long long)g->steps);
    }
    sw_text_printf(&text, "%lld batch%s · %s of %s · output ≈ %s %s\n", (long long)p->nbatch,
                   p->nbatch == 1 ? "" : "es", format_memory((double)p->batch_bytes, here),
                   format_memory(cli_devices_memory(&run->devices), all), format_bytes(p->output_bytes, size),
                   run->s->file);
    console_message(run->cli, "%s", sw_text_get(&text));
    sw_text_free(&text);
    struct sw_json *log = begin_event(run->cli, "plan");
    if (log) log_plan(run, log, sw_text_get(&name));
    sw_text_free(&name);
}

void message_late(const struct sweep_run *run, double left)
{
    if (!(run->cli->deadline > 0) || left > 0) return;
    console_message(run->cli,
                    "note     --max-time %g s was over %.2g s before the first step: each start computes for 0.1 s all "
                    "the same\n", run->cli->max_seconds, -left);
}

void message_progress(void *user, const struct sw_progress *p) { progress_bar_update(&((struct sweep_run *)user)->bar,
                                                                                     p); }

void message_event(void *user, const struct sw_event *e)
{
    static const char *const names[] = {[SW_EVENT_BATCH] = "batch", [SW_EVENT_CHECKPOINT] = "checkpoint",
                                        [SW_EVENT_FAILURE] = "failure", [SW_EVENT_DEVICE] = "device",
                                        [SW_EVENT_NOTE] = "note", [SW_EVENT_DEVICES] = "devices"};
    const bool of_run = e->kind == SW_EVENT_FAILURE || e->kind == SW_EVENT_NOTE;
    struct sweep_run *run = user;
    run->stored += e->kind == SW_EVENT_BATCH || e->kind == SW_EVENT_CHECKPOINT;
    struct sw_json *log = begin_event(run->cli, names[e->kind]);
    if (log) {
        sw_json_count(log, "batch", e->batch);
        if (of_run) {
            sw_json_count(log, "run", e->run);
            sw_json_text(log, "message", e->message);
        } else if (e->kind == SW_EVENT_DEVICE) {
            sw_json_text(log, "message", e->message);
        } else if (e->kind == SW_EVENT_DEVICES) {
            sw_json_count(log, "devices", e->count);
            sw_json_count(log, "step", e->step);
        } else {
            sw_json_count(log, "runs", e->count);
            sw_json_count(log, "step", e->step);
            sw_json_real(log, "seconds", e->seconds);
        }
        end_event(run->cli);
    }
    if (e->kind == SW_EVENT_DEVICE) {
        progress_bar_clear(&run->bar);
        console_message(run->cli, "warning: %s; the other devices continue without it\n", e->message);
        return;
    }
    if (!run->cli->verbose) return;
    progress_bar_clear(&run->bar);
    if (of_run) console_message(run->cli, "%-8s run %lld: %s\n", names[e->kind], (long long)e->run, e->message);
    else if (e->kind == SW_EVENT_DEVICES)
        console_message(run->cli, "%-10s batch %lld, step %lld, %d at once\n", names[e->kind],
                        (long long)e->batch + 1, (long long)e->step, e->count);
    else
        console_message(run->cli, "%-10s batch %lld, step %lld, %.3g s\n", names[e->kind], (long long)e->batch + 1,
                        (long long)e->step, e->seconds);
}

static void log_end(const struct sweep_run *run, const char *event, const struct sw_run_sweep_summary *sum)
{
    struct sw_json *log = begin_event(run->cli, event);
    if (!log) return;
    sw_json_count(log, "done", sum->done);
    sw_json_count(log, "diverged", sum->diverged);
    sw_json_count(log, "failed", sum->failed);
    sw_json_count(log, "stopped", sum->stopped);
    sw_json_real(log, "seconds", sum->seconds);
    sw_json_real(log, "points_steps_per_second", sum->rate);
    end_event(run->cli);
}

void message_nothing_stored(const struct sw_cli *cli)
{
    console_message(cli, "stopped before anything new was stored; the same command begins where this one began\n");
}

void message_start(struct sweep_run *run)
{
    struct sw_text text = {0};
    cli_sweep_headline(run->s, &text);
    console_message(run->cli, "sweep %s · %s\n", SW_VERSION, sw_text_get(&text));
    sw_text_free(&text);
    struct sw_json *log = begin_event(run->cli, "start");
    if (!log) return;
    sw_json_text(log, "version", SW_VERSION);
    sw_json_text(log, "command", run->cli->command_line);
    sw_json_text(log, "problem", run->s->sweep->problem->name);
    sw_json_count(log, "runs", run->s->count);
    sw_json_text(log, "id", run->s->sweep->id);
    sw_json_text(log, "file", run->file);
    end_event(run->cli);
}

/* "(2 diverged or failed, 1 stopped early)": the runs of the sample that were not computed again; "" if all were. */
static void add_lost(struct sw_text *text, const struct sw_accuracy *a)
{
    const struct { int64_t count; const char *why; } part[] = {
        {a->sampled - a->estimated - a->stopped - a->noisy - a->broken_off, "diverged or failed"},
        {a->stopped, "stopped early"},
        {a->noisy, "with noise at each step, which other steps have not"},
        {a->broken_off, "broken off for lack of memory"}};
    int parts = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if (part[k].count) sw_text_printf(text, "%s%lld %s", parts++ ? ", " : " (", (long long)part[k].count,
                                          part[k].why);
    if (parts) sw_text_add(text, ")");
}

/* Of runs that have an estimate in time. */
static void report_no_points(const struct sweep_run *run, int64_t count, const char *why)
{
    if (count)
        console_message(run->cli, "note     accuracy: what the points make of the error is not known of %lld run%s "
                        "(error_space is NaN): %s\n", (long long)count, count == 1 ? "" : "s", why);
}

/* Of runs that nobody has asked for: how much half the step changes. */
static void report_steps(const struct sweep_run *run, const struct sw_accuracy *a)
{
    const long long count = a->estimated;
    char earlier[80] = "";
    if (a->broken_off)
        console_message(run->cli, "note     accuracy: %lld run%s not computed again with half the step, which takes "
                        "too much time or memory; accuracy.runs asks for it all the same\n",
                        (long long)a->broken_off, a->broken_off == 1 ? " was" : "s were");
    if (!count) return;
    if (a->earlier)
        snprintf(earlier, sizeof earlier, ", %lld of them at an earlier time than the end", (long long)a->earlier);
    console_message(run->cli, "accuracy %lld run%s again with half the step: estimated errors at most %.2g of "
                    "u%s\n", count, count == 1 ? "" : "s", a->relative, earlier);
    if (a->coarse)
        console_message(run->cli, "warning: accuracy: in %lld of them the steps change u by more than 1 %% of it%s; "
                        "use a smaller time.dt, or leave it out\n", (long long)a->coarse,
                        a->lost[0] ? ", or half the step has no finite u" : "");
}

/* "accuracy 6 of 8 sampled runs computed again (2 diverged): estimated errors at most ...", and where that says
 * too little. */
static void report_accuracy(const struct sweep_run *run, const struct sw_accuracy *a)
{
    static const char *const finer[2] = {"half the step", "twice the points"}, *const what[2] = {"steps", "points"};
    const long long sampled = a->sampled, estimated = a->estimated;
    struct sw_text text = {0};
    int parts = 0;
    if (estimated == sampled) sw_text_printf(&text, "accuracy %lld run%s", sampled, sampled == 1 ? "" : "s");
    else sw_text_printf(&text, "accuracy %lld of %lld sampled run%s", estimated, sampled, sampled == 1 ? "" : "s");
    sw_text_add(&text, " computed again");
    add_lost(&text, a);
    for (int k = 0; k < 2; k++)
        if (a->error[k] > 0 || (!k && a->lost[0] < estimated))
            sw_text_printf(&text, "%s%.2g by the %s", parts++ ? ", " : ": estimated errors at most ",
                           a->error[k], what[k]);
    console_message(run->cli, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
    report_no_points(run, a->walled, "between walls noise, or a field of a file, has no values at more points");
    report_no_points(run, a->spread, "they are not doubled in two or three dimensions");
    for (int k = 0; k < 2; k++)
        if (a->lost[k])
            console_message(run->cli, "warning: accuracy: with %s %lld run%s diverged: how much the %s make is not "
                            "known there, and the results may be no solution\n", finer[k], (long long)a->lost[k],
                            a->lost[k] == 1 ? "" : "s", what[k]);
    if (a->vague)
        console_message(run->cli, "warning: accuracy: of %lld run%s the estimate is as large as the field at the end, "
                        "and says no more than that\n", (long long)a->vague, a->vague == 1 ? "" : "s");
    if (a->denied)
        console_message(run->cli, "warning: accuracy: %lld run%s from exact by up to %.2g, far beyond the "
                        "estimates: what is lost with all steps and points alike does not show\n", (long long)a->denied,
                        a->denied == 1 ? " is off" : "s are off", a->distance);
}

void message_done(const struct sweep_run *run, const struct sw_run_sweep_summary *sum, const struct sw_run_counts *all)
{
    char took[24];
    struct sw_text text = {0};
    sw_text_add(&text, "done     ");
    add_counts(&text, all, "ok");
    if (*sum->failures) sw_text_printf(&text, " (%s)", sum->failures);
    if (sum->stopped) sw_text_printf(&text, " · %lld stopped early", (long long)sum->stopped);
    sw_text_printf(&text, " · %s", format_seconds(sum->seconds, took));
    if (sum->rate > 0) sw_text_printf(&text, " · %.2g %s", sum->rate, format_rate_unit(run->s->sweep->problem->time));
    console_message(run->cli, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
    if (run->s->sweep->accuracy < 0) report_steps(run, &sum->accuracy);
    else if (sum->accuracy.sampled) report_accuracy(run, &sum->accuracy);
    if (*sum->notes) console_message(run->cli, "warning: %s; sweep show says more\n", sum->notes);
    log_end(run, "done", sum);
    suggest_commands(run->cli, run->s->sweep, run->s->file);
}

void message_missing(const struct sweep_run *run, const char *message)
{
    console_message(run->cli, "warning: %s; computed again\n", message);
    struct sw_json *log = begin_event(run->cli, "missing");
    if (!log) return;
    sw_json_count(log, "runs", run->missing);
    sw_json_text(log, "message", message);
    end_event(run->cli);
}

void message_nothing_to_do(const struct sweep_run *run)
{
    struct sw_text text = {0};
    add_counts(&text, &run->before, "done");
    if (run->before.diverged + run->before.failed)
        sw_text_printf(&text, "; with --retry-failed %s computed again",
                       run->before.diverged + run->before.failed == 1 ? "that one is" : "these are");
    console_message(run->cli, "nothing to do: %s\n", sw_text_get(&text));
    if (run->before.diverged + run->before.failed) suggest_commands(run->cli, run->s->sweep, run->s->file);
    sw_text_free(&text);
}

void message_stopped(struct sweep_run *run, const struct sw_run_sweep_summary *sum)
{
    log_end(run, "stopped", sum);
    if (sum->failed_fast)
        console_message(run->cli, "stopped at the first failure: %s\nthe same command continues with the others\n",
                        sum->failures);
    else if (!run->stored) message_nothing_stored(run->cli);
    else console_message(run->cli, "stopped; run the same command again to continue\n");
    if (sum->accuracy.missing)
        console_message(run->cli, "note     accuracy: all steps of %lld sampled run%s are taken, and their estimates, "
                        "in time and in space, are missing: the same command computes them\n",
                        (long long)sum->accuracy.missing, sum->accuracy.missing == 1 ? "" : "s");
}
