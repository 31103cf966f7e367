/* sweep run CONFIG... and sweep resume FILE: compute what is missing of a sweep and write its output file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_async_stream.h"
#include "base/sw_mem.h"
#include "base/sw_stop.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/reuse.h"
#include "cli/run_messages.h"
#include "cli/signals.h"
#include "run/sw_processes.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"
#include "store/files/sw_status_file.h"
#include "store/sw_verify.h"
#include "store/sw_xdmf.h"

/* ---- ranks that agree: these functions are collective, and trivial for a single process */

/* @param what  "another config": what has to be the same for all, and has this digest @return SW_E_REFUSED */
static enum sw_status check_same(const struct sw_cli *cli, const char *what, uint64_t digest)
{
    const struct sw_comm *comm = cli->comm;
    double mine, all[SW_COMM_MOST];
    memcpy(&mine, &digest, sizeof mine);
    SW_TRY(sw_comm_gather_one(comm, mine, all));
    for (int r = 1; r < comm->size; r++)
        if (memcmp(&all[r], &all[0], sizeof *all))
            return SW_FAIL(SW_E_REFUSED, "rank %d on %s has %s than rank 0 on %s", r, cli->host[r], what, cli->host[0]);
    return SW_OK;
}

static uint64_t end_digest(struct sw_hash *h)
{
    unsigned char digest[32];
    uint64_t number;
    sw_hash_end(h, digest);
    memcpy(&number, digest, sizeof number);
    return number;
}

/* Of the runs asked for, the file, and the settings that decide whether ranks cut grids together. */
static uint64_t sweep_digest(const struct cli_sweep *s)
{
    const struct sw_sweep *w = s->sweep;
    const int64_t how[] = {w->split, w->ranks_per_run, w->stops, w->save_state, w->ndefined, w->accuracy, w->batch};
    struct sw_hash h;
    sw_hash_start(&h);
    sw_hash_add(&h, how, sizeof how);
    sw_hash_add(&h, s->file, strlen(s->file) + 1);
    for (int64_t k = 0; k < s->count; k++) sw_hash_add(&h, &s->id[s->run[k]], sizeof *s->id);
    return end_digest(&h);
}

static uint64_t completed_digest(const struct sw_completed *l)
{
    struct sw_hash h;
    sw_hash_start(&h);
    sw_hash_add(&h, l->id, (size_t)l->count * sizeof *l->id);
    sw_hash_add(&h, l->status, (size_t)l->count * sizeof *l->status);
    for (int k = 0; k < l->ncheckpoint; k++) {
        sw_hash_add(&h, l->checkpoint[k].id, (size_t)l->checkpoint[k].count * sizeof *l->checkpoint[k].id);
        sw_hash_add(&h, &l->checkpoint[k].step, sizeof l->checkpoint[k].step);
    }
    sw_hash_add(&h, l->has_parts ? "parts" : "none", 5);
    return end_digest(&h);
}

/* The status of the first process, to those that have no failure of their own. */
static enum sw_status share_status(const struct sw_cli *cli, enum sw_status st)
{
    double all[SW_COMM_MOST];
    if (cli->comm->size == 1) return st;
    struct sw_err_kept own = {0};
    sw_err_keep(&own, st);
    enum sw_status heard = sw_comm_gather_one(cli->comm, st, all);
    if (st) return sw_err_raise(&own);
    return heard ? heard : (enum sw_status)all[0];
}

/* Whether it is so for any of them. */
static bool is_any(const struct sw_cli *cli, bool here)
{
    double any = here;
    return !sw_comm_max(cli->comm, 1, &any) && any > 0;
}

/* @param devices, users  of this process: its devices, how many processes share one */
static enum sw_status gather_sharing(const struct sw_cli *cli, int devices, int users, struct sw_plan_sharing *sharing)
{
    const struct sw_comm *comm = cli->comm;
    double all[SW_COMM_MOST];
    *sharing = (struct sw_plan_sharing){.comm = comm, .ranks_per_gpu = users, .processes = comm->size};
    SW_TRY(sw_comm_gather_one(comm, devices, all));
    for (int r = 0; r < comm->size; r++) {
        sharing->devices += (int)all[r];
        if (comm->size == 1 || !strcmp(cli->host[r], cli->host[comm->rank])) sharing->devices_on_host += (int)all[r];
    }
    return SW_OK;
}

/* ---- what is there already */

static bool is_rank_0(const struct sweep_run *run) { return run->cli->comm->rank == 0; }

/* The caller is rank 0, and FILE is locked. */
static enum sw_status set_damaged_aside(const struct sweep_run *run)
{
    SW_TRY(sw_output_set_damaged_aside(run->completed));
    for (int k = 0; k < run->completed->ndamaged; k++)
        console_message(run->cli, "kept     %s" SW_FILES_DAMAGED ", until %s has all runs\n",
                        run->completed->damaged[k], run->file);
    return SW_OK;
}

/* The first process compares all bytes of the parts with their checksums, and puts aside what is damaged, before the
 * others look. */
static enum sw_status open_to_continue(struct sweep_run *run)
{
    struct sw_cli *cli = run->cli;
    sw_completed_close(&run->completed);
    enum sw_status st = is_rank_0(run) ? sw_completed_open_checked(run->file, &cli->report, &run->completed)
                                       : cli_completed_open(cli, run->file, &run->completed);
    if (is_rank_0(run)) console_report(cli);
    if (!st && run->lock && is_rank_0(run)) st = set_damaged_aside(run);
    return st ? st : cli_sweep_refine(cli, run->s, run->file, &run->refined);
}

static struct sw_run_counts count_completed(const struct sweep_run *run)
{
    return sw_completed_count(run->completed, run->s->id, run->s->run, run->s->count);
}

/* Whether there are runs to compute, or parts to join. */
static bool has_runs(const struct sweep_run *run)
{
    return run->before.pending || (run->cli->retry_failed && run->before.diverged + run->before.failed);
}

static bool has_work(const struct sweep_run *run)
{
    return has_runs(run) || (run->completed && run->completed->has_parts);
}

static enum sw_status look(struct sweep_run *run)
{
    SW_TRY(open_to_continue(run));
    SW_TRY(run->cli->force ? sw_completed_check_sweep(run->completed, run->s->file, run->s->sweep, run->s->id)
                           : cli_sweep_check(run->cli, run->s, run->completed));
    run->before = count_completed(run);
    return SW_OK;
}

/* Nobody else writes FILE from here on. @param changed  out: somebody has since we looked */
static enum sw_status lock_file(struct sweep_run *run, bool *changed)
{
    uint64_t now;
    *changed = false;
    if (run->lock || !is_rank_0(run)) return SW_OK;
    SW_TRY(sw_output_lock(run->s->file, &run->lock));
    SW_TRY(sw_files_mark(run->s->file, &now));
    *changed = !run->completed || run->completed->seen != now;
    return SW_OK;
}

/* @param found  what the first look came to; out: what it comes to once FILE is locked */
static enum sw_status lock_and_look(struct sweep_run *run, enum sw_status *found)
{
    struct sw_err_kept kept = {0};
    bool changed;
    sw_err_keep(&kept, *found);
    SW_TRY(lock_file(run, &changed));
    if (changed) *found = look(run);
    else {
        if (run->lock) SW_TRY(set_damaged_aside(run));
        sw_err_raise(&kept);
    }
    return SW_OK;
}

/* Refuse to go on where the files of a growing result are not of an earlier call of ours. */
static enum sw_status check_fresh(const char *fresh)
{
    SW_TRY(sw_output_check_parts(fresh));
    return sw_files_check_own(fresh);
}

/* With --force the new result grows beside the old one and takes its place when it is complete. */
static enum sw_status begin_replacement(struct sweep_run *run)
{
    SW_TRY(sw_output_check_replaceable(run->s->file));
    SW_TRY(sw_files_mark(run->s->file, &run->seen));
    run->file = run->fresh = sw_files_beside(run->s->file, ".new");
    if (!run->fresh) return SW_FAIL(SW_E_MEMORY, "out of memory");
    SW_TRY(check_fresh(run->fresh));
    enum sw_status st = open_to_continue(run);
    if (!st) st = sw_completed_check_sweep(run->completed, run->s->file, run->s->sweep, run->s->id);
    if (st == SW_OK) return SW_OK;  /* an interrupted --force goes on */
    SW_TRY(sw_output_check_replaceable(run->file));
    SW_TRY(sw_output_remove(run->file));
    return open_to_continue(run);
}

/* A longer result grows beside the old one, from its states, and takes its place likewise. */
static enum sw_status begin_extension(struct sweep_run *run, enum sw_status refused)
{
    struct sw_err_kept refusal = {0};
    sw_err_keep(&refusal, refused);
    char *longer = sw_files_beside(run->s->file, ".longer");
    if (!longer) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = check_fresh(longer);
    if (!st) sw_err_raise(&refusal);
    if (!st) st = extend_sweep(run->cli, run->s, run->completed, longer, refused);
    if (st) {
        sw_free(longer);
        return st;
    }
    run->file = run->fresh = longer;
    SW_TRY(sw_files_mark(run->s->file, &run->seen));
    SW_TRY(open_to_continue(run));
    return sw_completed_check_sweep(run->completed, run->file, run->s->sweep, run->s->id);
}

static enum sw_status open_completed(struct sweep_run *run)
{
    SW_TRY(sw_output_check_parts(run->file));
    enum sw_status st = look(run);
    if (st == SW_E_REFUSED || (run->cli->force && (st || run->completed->config_text)) ||
        (!st && run->completed->ndamaged))
        SW_TRY(lock_and_look(run, &st));
    if (st == SW_E_REFUSED && !run->cli->force) st = begin_extension(run, st);
    if (!st) run->before = count_completed(run);
    bool again = !st && run->completed->config_text && !has_work(run);  /* --force: compute it all once more */
    if (run->cli->force && (st == SW_E_IO || st == SW_E_REFUSED || again)) {
        SW_TRY(begin_replacement(run));
        run->before = count_completed(run);
        return SW_OK;
    }
    return st;
}

/* ---- doing it */

/* Whether each run that was asked for has ended in the new result: nothing less takes the old one's place. */
static enum sw_status check_complete(const struct sweep_run *run)
{
    struct sw_completed *completed = NULL;
    SW_TRY(cli_completed_open(run->cli, run->fresh, &completed));
    const struct sw_run_counts there = sw_completed_count(completed, run->s->id, run->s->run, run->s->count);
    sw_completed_close(&completed);
    if (!there.pending) return SW_OK;
    return SW_FAIL(SW_E_IO, "%s lacks %lld of %lld runs; %s stays as it is; run the same command again", run->fresh,
                   (long long)there.pending, (long long)run->s->count, run->s->file);
}

/* The new result is complete: it takes the old one's place. The old one's parts go first: they would be taken for parts
 * of it. Nobody who asks for the lock has touched it; a copy may have taken its name all the same. */
static enum sw_status move_into_place(const struct sweep_run *run)
{
    uint64_t now;
    if (!run->fresh) return SW_OK;
    SW_TRY(check_complete(run));
    SW_TRY(sw_files_mark(run->s->file, &now));
    if (now != run->seen)
        return SW_FAIL(SW_E_REFUSED, "%s is not the file any more that this call was to replace, and stays; the new "
                       "result is complete: rename %s to keep it", run->s->file, run->fresh);
    SW_TRY(sw_output_remove_parts(run->s->file));
    return sw_files_move(run->fresh, run->s->file, NULL);
}

static void report_done(struct sweep_run *run, struct sw_run_sweep_summary *sum)
{
    struct sw_run_counts all = {.done = run->plan->done + sum->done, .diverged = sum->diverged, .failed = sum->failed};
    sum->seconds = run->seconds;
    sum->stopped = run->stopped;
    refine_message(run->cli, run->s, &run->refined, true);
    if (!run->cli->retry_failed) { all.diverged += run->before.diverged; all.failed += run->before.failed; }
    message_done(run, sum, &all);
    run->cli->exit_code = all.diverged + all.failed > 0;
}

/* This process's part of the computing, which is all of it where it is alone. */
static enum sw_status compute(struct sweep_run *run, struct sw_run_sweep_options *options,
                              struct sw_run_sweep_summary *summary)
{
    const struct sw_comm *comm = run->cli->comm;
    struct sw_processes *processes = NULL;
    if (comm->size == 1) return sw_run_sweep(run->s->sweep, run->plan, run->completed, &run->devices, options, summary);
    options->rank = comm->rank;
    options->ranks = comm->size;
    options->client = !is_rank_0(run);
    options->comm = comm;
    SW_TRY(sw_processes_create(comm, run->cli->host, run->plan, run->devices.count, options->stop, &processes));
    options->queue = sw_processes_queue(processes);
    if (options->client) {
        options->progress = NULL;
        options->event = sw_processes_event;
        options->user = processes;
    }
    enum sw_status st = sw_run_sweep(run->s->sweep, run->plan, run->completed, &run->devices, options, summary);
    st = sw_processes_finish(&processes, st);
    return is_rank_0(run) ? st : SW_OK;  /* rank 0 reports the failures of all ranks */
}

static enum sw_status execute_plan(struct sweep_run *run)
{
    struct sw_cli *cli = run->cli;
    struct cli_facts facts;
    struct sw_run_sweep_summary summary = {0};
    const int rounds = run->refined.rounds;
    run->executed = true;
    run->another = false;
    double left = cli->deadline > 0 ? cli->deadline - sw_clock() : 0;
    struct sw_run_sweep_options options = {
        .file = run->file,
        .lock = run->fresh ? NULL : run->lock,
        .max_seconds = cli->deadline > 0 && left <= 0 ? 1e-9 : left,
        .checkpoint_seconds = 60 * run->s->sweep->checkpoint_minutes,
        .fail_fast = cli->fail_fast,
        .retry_failed = cli->retry_failed,
        .stop = &stop_signal,
        .progress = message_progress,
        .event = message_event,
        .user = run,
    };
    message_late(run, left);
    cli_provenance(cli, &run->devices, &facts, &options.provenance);
    progress_bar_start(&run->bar, cli, run->s->sweep, run->plan, run->s->file);
    sw_stop_watch(NULL);  /* from here on the scheduler looks */
    enum sw_status st = compute(run, &options, &summary);
    if (cli->comm->size == 1) sw_stop_watch(&stop_signal);
    if (!is_rank_0(run)) return st;
    progress_bar_clear(&run->bar);
    if (run->bar.saved >= 0) sw_status_file_remove(run->s->file);  /* else another process has written it */
    if (st == SW_E_STOPPED) {
        message_stopped(run, &summary);
        run->cli->exit_code = 1;
        return summary.failed_fast ? SW_OK : st;
    }
    run->missing = st == SW_E_IO ? summary.missing : 0;
    SW_TRY(st);
    SW_TRY(cli_sweep_refine(cli, run->s, run->file, &run->refined));
    run->another = run->refined.rounds > rounds;
    run->seconds += summary.seconds;
    run->stopped += summary.stopped;
    if (run->another) return SW_OK;
    SW_TRY(move_into_place(run));
    report_done(run, &summary);
    return xdmf_update(cli, run->s->sweep, run->s->file);
}

/* First the first process alone: it may remove what is in the way. */
static enum sw_status open_completed_in_turn(struct sweep_run *run)
{
    const struct sw_cli *cli = run->cli;
    SW_TRY(check_same(cli, "another config or other options", sweep_digest(run->s)));
    SW_TRY(sw_comm_agree(cli->comm, is_rank_0(run) ? open_completed(run) : SW_OK));
    SW_TRY(sw_comm_agree(cli->comm, is_rank_0(run) ? SW_OK : open_completed(run)));
    return check_same(cli, "other results before it, as the file system shows them,",
                                    completed_digest(run->completed));
}

/* @param seconds  out: how long it took, once devices were open */
static enum sw_status make_plan(struct sweep_run *run, double *seconds)
{
    struct cli_sweep *s = run->s;
    int users = 1;
    SW_TRY(sw_comm_agree(run->cli->comm, cli_devices_open(run->cli, s, run->completed, &run->devices, &users)));
    const double start = sw_clock();
    SW_TRY(gather_sharing(run->cli, run->devices.count, users, &run->sharing));
    const struct sw_plan_desc desc = {s->sweep, s->run, s->count, s->id, run->completed, run->cli->retry_failed};
    SW_TRY(sw_plan_make(&desc, &run->devices, &run->sharing, &run->plan));
    *seconds = sw_clock() - start;
    return check_same(run->cli, "other batches or another solver", sw_plan_digest(run->plan));
}

/* A title decides no numbers, and statistics are formed of those that are there: the file gets new ones, with the
 * config that has them, by being written anew. */
static enum sw_status set_title_and_statistics(const struct sweep_run *run)
{
    const struct sw_completed *old = run->completed;
    const struct sw_sweep *sweep = run->s->sweep;
    const char *file = run->s->file;
    const struct sw_merge_options options = {.allow_missing = true, .sweep = sweep, .id = run->s->id};
    const struct sw_provenance provenance = {.command_line = run->cli->command_line};
    if (!old || !old->title) return SW_OK;
    const bool titled = !strcmp(old->title, sweep->title), formed = !strcmp(old->statistics, sweep->statistics);
    if (titled && formed) return SW_OK;
    if (old->is_dropped) {
        console_message(run->cli, "note     %s has the statistics of its runs, and not what they are formed of: it "
                        "stays as it is, and --force computes all of it again\n", file);
        return SW_OK;
    }
    if (old->is_virtual) {
        if (!titled)
            console_message(run->cli, "note     %s keeps its title, \"%s\": it is virtual, and is not written into\n",
                            file, old->title);
        if (!formed)
            console_message(run->cli, "note     %s gets no statistics: it is virtual, and is not written into\n", file);
        return SW_OK;
    }
    SW_TRY(sw_merge(&file, 1, file, &options, &provenance));
    if (!titled) console_message(run->cli, "title    \"%s\" -> \"%s\" in %s\n", old->title, sweep->title, file);
    if (!formed)
        console_message(run->cli, "statistics %s in %s\n", *sweep->statistics ? sweep->statistics : "taken out", file);
    return SW_OK;
}

/* What is computed is joined with FILE: that it is damaged is found before, not after. */
static enum sw_status check_file(const struct sweep_run *run)
{
    char why[600];
    bool damaged;
    if (!run->completed || !run->completed->has_file) return SW_OK;
    const enum sw_status st = sw_file_checksum_check(run->file, &damaged);
    if (!st || !damaged) return st;
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(st, "%s; move it away, and the same command computes its runs again", why);
}

static void end_attempt(struct sweep_run *run)
{
    sw_plan_destroy(&run->plan);
    sw_devices_close(&run->devices);
    sw_completed_close(&run->completed);
}

/* By rank 0. @param some  out: FILE has got some, and is to be looked at again */
static enum sw_status reuse_in_round(struct sweep_run *run, bool *some)
{
    int64_t runs = 0;
    *some = false;
    if (!run->refined.rounds || !has_runs(run)) return SW_OK;
    const enum sw_status st = is_rank_0(run) ? reuse_more(run->cli, run->s, run->completed, &run->lock, &runs) : SW_OK;
    SW_TRY(sw_comm_agree(run->cli->comm, st));
    *some = is_any(run->cli, runs > 0);
    return SW_OK;
}

static enum sw_status attempt(struct sweep_run *run)
{
    bool more;
    run->another = false;
    SW_TRY(open_completed_in_turn(run));
    SW_TRY(reuse_in_round(run, &more));
    if (more) {
        end_attempt(run);
        return attempt(run);
    }
    if (!has_work(run)) {
        if (!is_rank_0(run)) return SW_OK;
        SW_TRY(move_into_place(run));  /* complete, but an earlier --force could not put it there */
        sw_output_unlock(&run->lock);
        SW_TRY(set_title_and_statistics(run));
        if (run->s->sweep->save_state && run->completed->lacks_states)
            console_message(run->cli, "note     %s was computed without output.state = true, and cannot be lengthened; "
                            "--force computes it again\n", run->s->file);
        if (run->s->sweep->accuracy > 0 && run->completed->lacks_estimates)
            console_message(run->cli, "note     %s was computed without accuracy.runs, and has no estimates: runs are "
                            "only computed again when they end; --force computes all of it again\n", run->s->file);
        sw_output_tidy(run->s->file);  /* killed after its merge, a run leaves that behind */
        message_nothing_to_do(run);
        refine_message(run->cli, run->s, &run->refined, true);
        run->cli->exit_code = run->before.diverged + run->before.failed > 0;
        return xdmf_update(run->cli, run->s->sweep, run->s->file);
    }
    if (run->completed && run->completed->is_virtual) return sw_output_refuse_virtual(run->file);
    if (run->completed && run->completed->is_dropped && has_runs(run)) return sw_output_refuse_dropped(run->file);
    SW_TRY(sw_comm_agree(run->cli->comm, is_rank_0(run) ? check_file(run) : SW_OK));
    double seconds;
    bool changed;
    SW_TRY(make_plan(run, &seconds));
    SW_TRY(sw_comm_agree(run->cli->comm, lock_file(run, &changed)));  /* what is refused before leaves no folder */
    if (is_any(run->cli, changed)) {
        end_attempt(run);
        return attempt(run);
    }
    refine_message(run->cli, run->s, &run->refined, false);
    if (!run->executed || !run->refined.rounds) {
        message_ranks(run);
        message_plan(run, seconds);
        plan_warnings_print(run->cli, run->s, run->plan, console_message);
    }
    return execute_plan(run);
}

/* A folder may lose its files again and again: after three attempts the failure is reported. */
enum { ATTEMPTS = 3 };

/* Compute again what was on disk and is gone when the parts are joined. Rank 0 decides that, and all ranks compute. */
static enum sw_status attempt_until_complete(struct sweep_run *run)
{
    for (int k = 1;; k++) {
        run->missing = 0;
        enum sw_status st = attempt(run);
        if (!is_any(run->cli, run->missing && k < ATTEMPTS)) return st;
        if (st) message_missing(run, sw_err_message());
        end_attempt(run);
    }
}

/* Between two rounds: what has ended is in FILE. */
static enum sw_status check_time(struct sweep_run *run)
{
    const bool late = run->cli->deadline > 0 && sw_clock() >= run->cli->deadline;
    const struct sw_run_sweep_summary none = {0};
    if (!is_any(run->cli, late || stop_signal)) return SW_OK;
    message_stopped(run, &none);
    run->cli->exit_code = 1;
    return SW_FAIL(SW_E_STOPPED, "stopped; run the same command again to continue");
}

/* Rank 0 has joined all that has ended, and knows the next round: the others find it in the same FILE.
 * @param st  what the round before has come to, here */
static enum sw_status begin_round(struct sweep_run *run, enum sw_status st)
{
    SW_TRY(sw_comm_agree(run->cli->comm, st));
    end_attempt(run);
    SW_TRY(check_time(run));
    return sw_comm_agree(run->cli->comm,
                         is_rank_0(run) ? SW_OK : cli_sweep_refine(run->cli, run->s, run->file, &run->refined));
}

/* The runs of a round follow from those before it. */
static enum sw_status attempt_rounds(struct sweep_run *run)
{
    SW_TRY(refine_check_retry(run->cli, run->s));
    enum sw_status st = attempt_until_complete(run);
    while (is_any(run->cli, !st && run->another)) {
        st = begin_round(run, st);
        if (!st) st = attempt_until_complete(run);
    }
    return st;
}

/* Whether two paths lead to one file, or the folder of the first is the second. */
static bool is_same_file(const char *path, const char *other, bool or_in_it)
{
    struct stat a, b;
    if (stat(path, &a) || !other || stat(other, &b)) return false;
    if (a.st_dev == b.st_dev && a.st_ino == b.st_ino) return true;
    char *folder = or_in_it ? realpath(path, NULL) : NULL, *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = 0;
    const bool is = slash && is_same_file(folder, other, false);
    free(folder);
    return is;
}

/* The log was opened before FILE was known. One that is new is empty so far, and may be at the end of a link. */
static enum sw_status check_log(const struct sw_cli *cli, const char *file)
{
    struct stat log;
    if (!cli->log_path || stat(cli->log_path, &log)) return SW_OK;
    char *folder = sw_files_name(file, ".d"), *xdmf = sw_xdmf_name(file);
    const bool is = is_same_file(cli->log_path, file, false) || is_same_file(cli->log_path, xdmf, false) ||
                    is_same_file(cli->log_path, folder, true);
    sw_free(folder);
    sw_free(xdmf);
    if (!is) return SW_OK;
    char *end = log.st_size ? NULL : realpath(cli->log_path, NULL);
    if (end) unlink(end);
    free(end);
    return SW_FAIL(SW_E_USAGE, "--log-json %s is the output file as well, or what belongs to it: give the log another "
                   "name", cli->log_path);
}

static enum sw_status run_sweep(struct sw_cli *cli, struct cli_sweep *s)
{
    SW_TRY(sw_comm_agree(cli->comm, check_log(cli, s->file)));
    struct sweep_run run = {.cli = cli, .s = s, .file = s->file};
    message_start(&run);
    cli_sweep_print_settings(cli, s);
    enum sw_status st = sw_comm_agree(cli->comm, is_rank_0(&run) ? reuse_runs(cli, s) : SW_OK);
    if (!st) st = share_status(cli, attempt_rounds(&run));
    if (st == SW_E_STOPPED && !run.executed) message_nothing_stored(cli);
    end_attempt(&run);
    sw_output_unlock(&run.lock);
    sw_free(run.fresh);
    return st;
}

/* The clock of --max-time starts; from here on a signal asks for a clean stop. */
static void start_clock(struct sw_cli *cli)
{
    if (cli->max_seconds > 0) cli->deadline = sw_clock() + cli->max_seconds;
    signals_catch();
    sw_async_stderr();
    if (cli->comm->size == 1) sw_stop_watch(&stop_signal);  /* ranks stop together, once they compute */
}

/* ---- the two commands */

static enum sw_status run_one(struct sw_cli *cli, const char *config)
{
    struct cli_sweep s;
    enum sw_status here = cli_sweep_open(cli, config, &s), st = sw_comm_agree(cli->comm, here);
    if (st == SW_E_STOPPED) message_nothing_stored(cli);
    if (!st) st = run_sweep(cli, &s);
    if (!here) cli_sweep_close(&s);
    return st;
}

/* A signal came before config k was begun. */
static enum sw_status stopped_before(const struct sw_cli *cli, int k)
{
    if (k) console_message(cli, "stopped before %s; run the same command again to continue\n", cli->argument[k]);
    else message_nothing_stored(cli);
    return SW_E_STOPPED;
}

enum sw_status cmd_run(struct sw_cli *cli)
{
    int worst = 0;
    if (cli->dry_run) return cmd_check(cli);
    if (cli->output && cli->narguments > 1)
        return SW_FAIL(SW_E_USAGE, "-o %s names one file, but there are %d configs; run them one by one", cli->output,
                       cli->narguments);
    SW_TRY(sw_comm_agree(cli->comm, event_log_open(cli)));
    start_clock(cli);
    for (int k = 0; k < cli->narguments; k++) {
        cli->exit_code = 0;
        enum sw_status st = is_any(cli, stop_signal != 0) ? stopped_before(cli, k) : run_one(cli, cli->argument[k]);
        if (st && cli->muted) console_report(cli);  /* of which nothing is to be left */
        else if (st) sw_cli_print_error(cli, st);
        int code = st ? cli_exit_code(st) : cli->exit_code;
        if (code > worst) worst = code;
        if (st == SW_E_STOPPED) break;
    }
    cli->exit_code = worst;
    return SW_OK;
}

enum sw_status cmd_resume(struct sw_cli *cli)
{
    char *file = NULL;
    struct sw_completed *completed = NULL;
    struct cli_sweep s = {0};
    if (cli->output) return SW_FAIL(SW_E_USAGE, "`sweep resume` continues the file it is given; it has no -o");
    start_clock(cli);
    enum sw_status st = cli_output_path(cli->argument[0], &file);
    if (!st) st = cli_completed_open(cli, file, &completed);
    if (!st) st = cli_sweep_stored(cli, file, completed, &s);
    sw_completed_close(&completed);
    if (!st) st = event_log_open(cli);
    st = sw_comm_agree(cli->comm, st);
    if (st == SW_E_STOPPED) message_nothing_stored(cli);
    if (!st) st = cli->dry_run ? check_sweep(cli, &s) : run_sweep(cli, &s);
    cli_sweep_close(&s);
    sw_free(file);
    return st;
}
