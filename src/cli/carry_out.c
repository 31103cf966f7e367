/* Run a sweep: what `sweep run` and `sweep resume` share. */
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "cli/carry_out.h"
#include "cli/lengthen.h"
#include "run/sw_processes.h"
#include "output/sw_liveness.h"

/* ---- what is there already */

static struct sw_run_counts look(const struct job *j)
{
    return sw_completed_count(j->completed, j->s->id, j->s->run, j->s->count);
}

/* With --force the new result grows beside the old one and takes its place when it is complete. */
static enum sw_status replace(struct job *j)
{
    struct sw_text text = {0};
    SW_TRY(sw_output_check_replaceable(j->s->file));
    sw_completed_close(&j->completed);
    sw_text_printf(&text, "%s.new", j->s->file);
    j->file = j->fresh = sw_text_take(&text);
    if (!j->fresh) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = sw_completed_open(j->file, &j->cli->report, &j->completed);
    if (!st) st = sw_completed_check_sweep(j->completed, j->s->file, j->s->sweep, j->s->id);
    if (st == SW_OK) return SW_OK;  /* an interrupted --force goes on */
    sw_completed_close(&j->completed);
    SW_TRY(sw_output_check_replaceable(j->file));
    SW_TRY(sw_output_remove(j->file));
    return cli_completed(j->cli, j->file, &j->completed);
}

static bool to_do(const struct job *j)
{
    return j->before.pending || (j->cli->retry_failed && j->before.diverged + j->before.failed) ||
           (j->completed && j->completed->has_parts);
}

/* A longer result grows beside the old one, from its states, and takes its place likewise. */
static enum sw_status lengthen(struct job *j, enum sw_status refused)
{
    struct sw_err_kept refusal = {0};
    struct sw_text text = {0};
    sw_err_keep(&refusal, refused);
    sw_text_printf(&text, "%s.longer", j->s->file);
    char *longer = sw_text_take(&text);
    if (!longer) return SW_FAIL(SW_E_MEMORY, "out of memory");
    sw_err_raise(&refusal);
    enum sw_status st = cli_lengthen(j->cli, j->s, j->completed, longer, refused);
    if (st) {
        sw_free(longer);
        return st;
    }
    j->file = j->fresh = longer;
    sw_completed_close(&j->completed);
    SW_TRY(cli_completed(j->cli, j->file, &j->completed));
    return sw_completed_check_sweep(j->completed, j->file, j->s->sweep, j->s->id);
}

static enum sw_status find_earlier(struct job *j)
{
    enum sw_status st = cli_completed(j->cli, j->file, &j->completed);
    if (!st) st = sw_completed_check_sweep(j->completed, j->s->file, j->s->sweep, j->s->id);
    if (st == SW_E_REFUSED && !j->cli->force) st = lengthen(j, st);
    if (!st) j->before = look(j);
    bool again = !st && j->completed->config_text && !to_do(j);  /* --force: compute it all once more */
    if (j->cli->force && (st == SW_E_IO || st == SW_E_REFUSED || again)) {
        SW_TRY(replace(j));
        j->before = look(j);
        return SW_OK;
    }
    return st;
}

/* ---- doing it */

/* Whether each run that was asked for has ended in the new result: nothing less takes the old one's place. */
static enum sw_status check_complete(const struct job *j)
{
    struct sw_completed *completed = NULL;
    SW_TRY(cli_completed(j->cli, j->fresh, &completed));
    const struct sw_run_counts there = sw_completed_count(completed, j->s->id, j->s->run, j->s->count);
    sw_completed_close(&completed);
    if (!there.pending) return SW_OK;
    return SW_FAIL(SW_E_IO, "%s lacks %lld of %lld runs; %s stays as it is; run the same command again", j->fresh,
                   (long long)there.pending, (long long)j->s->count, j->s->file);
}

/* The new result is complete: it takes the old one's place. The old one's parts go first: they would be taken for parts
 * of it. */
static enum sw_status put_in_place(const struct job *j)
{
    struct sw_output_lock *lock;
    if (!j->fresh) return SW_OK;
    SW_TRY(check_complete(j));
    SW_TRY(sw_output_lock(j->s->file, &lock));
    enum sw_status st = sw_output_check_replaceable(j->s->file);  /* something else may have its name by now */
    if (!st) st = sw_output_remove_parts(j->s->file);
    if (!st) st = sw_output_rename(j->fresh, j->s->file);
    sw_output_unlock(&lock);
    return st;
}

static void finish(struct job *j, const struct sw_run_sweep_summary *sum)
{
    struct sw_run_counts all = {.done = j->plan->done + sum->done, .diverged = sum->diverged, .failed = sum->failed};
    if (!j->cli->retry_failed) { all.diverged += j->before.diverged; all.failed += j->before.failed; }
    tell_done(j, sum, &all);
    j->cli->exit_code = all.diverged + all.failed > 0;
}

static bool first(const struct job *j) { return j->cli->comm->rank == 0; }

/* This process's part of the computing, which is all of it where it is alone. */
static enum sw_status compute(struct job *j, struct sw_run_sweep_options *options, struct sw_run_sweep_summary *summary)
{
    const struct sw_comm *comm = j->cli->comm;
    struct sw_processes *processes = NULL;
    if (comm->size == 1) return sw_run_sweep(j->s->sweep, j->plan, j->completed, &j->devices, options, summary);
    SW_TRY(sw_processes_create(comm, j->cli->host, j->plan, j->devices.count, options->stop, &processes));
    options->queue = sw_processes_queue(processes);
    options->rank = comm->rank;
    options->ranks = comm->size;
    options->client = !first(j);
    if (options->client) {
        options->progress = NULL;
        options->event = sw_processes_event;
        options->user = processes;
    }
    enum sw_status st = sw_run_sweep(j->s->sweep, j->plan, j->completed, &j->devices, options, summary);
    st = sw_processes_finish(&processes, st);
    return first(j) ? st : SW_OK;  /* the first knows of it, and speaks for all */
}

static enum sw_status execute(struct job *j)
{
    struct sw_cli *cli = j->cli;
    struct cli_facts facts;
    struct sw_run_sweep_summary summary = {0};
    double left = cli->deadline > 0 ? cli->deadline - sw_clock() : 0;
    struct sw_run_sweep_options options = {
        .file = j->file, .max_seconds = cli->deadline > 0 && left <= 0 ? 1e-9 : left,
        .checkpoint_seconds = 60 * j->s->sweep->checkpoint_minutes, .fail_fast = cli->fail_fast,
        .retry_failed = cli->retry_failed, .stop = &cli_stop, .progress = tell_progress, .event = tell_event, .user = j,
    };
    tell_late(j, left);
    cli_provenance(cli, &j->devices, &facts, &options.provenance);
    cli_bar_start(&j->bar, cli, j->s->sweep, j->plan, j->file);
    enum sw_status st = compute(j, &options, &summary);
    if (!first(j)) return st;
    cli_bar_clear(&j->bar);
    if (j->bar.saved >= 0) sw_status_file_remove(j->file);  /* else the file, and what tells of it, is another's */
    if (st == SW_E_STOPPED) {
        tell_stopped(j, &summary);
        j->cli->exit_code = 1;
        return summary.failed_fast ? SW_OK : st;
    }
    j->missing = st == SW_E_IO ? summary.missing : 0;
    SW_TRY(st);
    SW_TRY(put_in_place(j));
    finish(j, &summary);
    return cli_xdmf(cli, j->s->sweep, j->s->file);
}

/* First the first process alone: it may remove what is in the way. */
static enum sw_status find_earlier_in_turn(struct job *j)
{
    const struct sw_cli *cli = j->cli;
    SW_TRY(cli_alike(cli, "another config or other options", cli_sweep_digest(j->s)));
    SW_TRY(sw_comm_agree(cli->comm, first(j) ? find_earlier(j) : SW_OK));
    SW_TRY(sw_comm_agree(cli->comm, first(j) ? SW_OK : find_earlier(j)));
    return cli_alike(cli, "other results before it, as the file system shows them,",
                     cli_completed_digest(j->completed));
}

/* @param seconds  out: how long it took, once devices were open */
static enum sw_status plan(struct job *j, double *seconds)
{
    const struct cli_sweep *s = j->s;
    int users = 1;
    SW_TRY(sw_comm_agree(j->cli->comm, cli_devices(j->cli, s, j->completed, &j->devices, &users)));
    const double start = sw_clock();
    SW_TRY(cli_plan_with(j->cli, j->devices.count, users, &j->sharing));
    SW_TRY(sw_plan_make_shared(s->sweep, s->run, s->count, s->id, j->completed, j->cli->retry_failed, &j->devices,
           &j->sharing, &j->plan));
    *seconds = sw_clock() - start;
    return cli_alike(j->cli, "other batches or another solver", sw_plan_digest(j->plan));
}

/* A title decides no numbers: the file gets a new one, with the config that has it, by being written anew. */
static enum sw_status set_title(const struct job *j)
{
    const char *file = j->s->file, *title = j->s->sweep->title;
    const struct sw_merge_options options = {.allow_missing = true, .sweep = j->s->sweep, .id = j->s->id};
    const struct sw_provenance provenance = {.command_line = j->cli->command_line};
    if (!j->completed || !j->completed->title || !strcmp(j->completed->title, title)) return SW_OK;
    if (j->completed->is_virtual) {
        cli_say(j->cli, "note     %s keeps its title, \"%s\": it is virtual, and is not written into\n", file,
                j->completed->title);
        return SW_OK;
    }
    SW_TRY(sw_merge(&file, 1, file, &options, &provenance));
    cli_say(j->cli, "title    \"%s\" -> \"%s\" in %s\n", j->completed->title, title, file);
    return SW_OK;
}

static enum sw_status attempt(struct job *j)
{
    SW_TRY(find_earlier_in_turn(j));
    if (!to_do(j)) {
        if (!first(j)) return SW_OK;
        SW_TRY(put_in_place(j));  /* complete, but an earlier --force could not put it there */
        SW_TRY(set_title(j));
        if (j->s->sweep->save_state && j->completed->lacks_states)
            cli_say(j->cli, "note     %s was computed without output.state = true, and cannot be lengthened; --force "
                            "computes it again\n", j->s->file);
        sw_status_file_remove(j->s->file);  /* killed after its merge, a run leaves that behind */
        tell_nothing_to_do(j);
        j->cli->exit_code = j->before.diverged + j->before.failed > 0;
        return cli_xdmf(j->cli, j->s->sweep, j->s->file);
    }
    if (j->completed && j->completed->is_virtual) return sw_output_refuse_virtual(j->file);
    double seconds;
    SW_TRY(plan(j, &seconds));
    tell_ranks(j);
    tell_plan(j, seconds);
    cli_remarks(j->cli, j->s, j->plan, cli_say);
    return execute(j);
}

static void end_attempt(struct job *j)
{
    sw_plan_destroy(&j->plan);
    sw_devices_close(&j->devices);
    sw_completed_close(&j->completed);
}

/* A folder that loses its files again and again is not to keep us for ever. */
enum { ATTEMPTS = 3 };

/* Results that were on disk and are not there when they are joined are computed again; by all ranks, as the first says
 * it. */
static enum sw_status carry_out(struct job *j)
{
    for (int k = 1;; k++) {
        j->missing = 0;
        enum sw_status st = attempt(j);
        if (!cli_anybody(j->cli, j->missing && k < ATTEMPTS)) return st;
        if (st) tell_missing(j, sw_err_message());
        end_attempt(j);
    }
}

enum sw_status cli_execute(struct sw_cli *cli, struct cli_sweep *s)
{
    struct job j = {.cli = cli, .s = s, .file = s->file};
    tell_start(&j);
    cli_settings(cli, s);
    enum sw_status st = cli_first_says(cli, carry_out(&j));
    end_attempt(&j);
    sw_free(j.fresh);
    return st;
}
