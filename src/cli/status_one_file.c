/* How far one file is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_json.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/status.h"
#include "store/files/sw_output.h"

struct status {
    const char *file, *state;          /* "running", "finished", "interrupted"         */
    int64_t runs;
    struct sw_run_counts counts;
    struct sw_status_file now;             /* while it runs                                */
    int64_t step, steps_of;            /* an unfinished batch: its runs, steps so far  */
    bool unwritten;                    /* nothing of it is on disk yet                 */
};

/* What is stored is of runs of the sweep: those that are not there are pending. */
static void count_runs(const struct cli_sweep *s, const struct sw_completed *completed, struct status *v)
{
    v->runs = s->count;
    for (int64_t k = 0; k < completed->count; k++) sw_run_count(&v->counts, (enum sw_run_status)completed->status[k]);
    v->counts.pending = completed->count < s->count ? s->count - completed->count : 0;
    for (int k = 0; k < completed->ncheckpoint; k++) {
        v->steps_of += completed->checkpoint[k].count;
        v->step = completed->checkpoint[k].step;
    }
}

/* In its first moments a run does not know its rate yet: then none is printed. */
static void print_progress(const struct sw_cli *cli, const struct sw_status_file *now)
{
    char eta[24];
    if (now->fraction >= 0) {
        console_print(cli, "now      %.0f %%",
                      floor(100 * sw_status_file_fraction(now->fraction, now->runs, now->asked)));
        if (now->end > 0) console_print(cli, " · t = %.4g of %.4g", now->t, now->end);
        if (now->failed) console_print(cli, " · %lld diverged", (long long)now->failed);
        console_print(cli, "\n");
    }
    if (now->rate > 0)
        console_print(cli, "rate     %.2g points·steps/s · ETA %s\n", now->rate, format_clock(now->eta, eta));
}

static void print_resume_command(const struct sw_cli *cli, const struct status *v)
{
    struct sw_text word = {0};
    sw_text_add_word(&word, v->file);
    console_print(cli, v->unwritten ? " before its first checkpoint; sweep run CONFIG -o %s begins again"
                  : "; sweep resume %s continues it", sw_text_get(&word));
    sw_text_free(&word);
}

static void print_for_people(const struct sw_cli *cli, const struct status *v)
{
    const struct sw_run_counts *n = &v->counts;
    console_print(cli, "%s  %s", v->file, v->state);
    if (!strcmp(v->state, "running")) console_print(cli, " (process %lld, %s)", (long long)v->now.pid, v->now.phase);
    if (!strcmp(v->state, "interrupted")) print_resume_command(cli, v);
    console_print(cli, "\n");
    if (v->runs)
        console_print(cli, "runs     %lld: %lld done, %lld diverged, %lld failed, %lld pending\n", (long long)v->runs,
                      (long long)n->done, (long long)n->diverged, (long long)n->failed, (long long)n->pending);
    if (v->steps_of)
        console_print(cli, "begun    %lld run%s %s a checkpoint, the last at step %lld\n", (long long)v->steps_of,
                      v->steps_of == 1 ? "" : "s",
                      !strcmp(v->state, "running") ? "would go on from" : v->steps_of == 1 ? "waits at" : "wait at",
                      (long long)v->step);
    if (!strcmp(v->state, "running")) print_progress(cli, &v->now);
}

static void print_json(const struct status *v)
{
    struct sw_json j = {.to = stdout, .first = true};
    sw_json_begin(&j, NULL, '{');
    sw_json_text(&j, "file", v->file);
    sw_json_text(&j, "state", v->state);
    sw_json_count(&j, "runs", v->runs);
    sw_json_count(&j, "done", v->counts.done);
    sw_json_count(&j, "diverged", v->counts.diverged);
    sw_json_count(&j, "error", v->counts.failed);
    sw_json_count(&j, "pending", v->counts.pending);
    sw_json_count(&j, "waiting_at_checkpoint", v->steps_of);
    if (!strcmp(v->state, "running")) {
        sw_json_begin(&j, "now", '{');
        sw_json_count(&j, "pid", v->now.pid);
        sw_json_text(&j, "phase", v->now.phase);
        sw_json_real(&j, "fraction",
                     v->now.fraction >= 0 ? sw_status_file_fraction(v->now.fraction, v->now.runs, v->now.asked) : NAN);
        sw_json_real(&j, "t", v->now.t);
        sw_json_real(&j, "end", v->now.end);
        sw_json_count(&j, "failed", v->now.failed);
        sw_json_real(&j, "points_steps_per_second", v->now.rate);
        sw_json_real(&j, "eta_seconds", v->now.eta);
        sw_json_real(&j, "updated", v->now.updated);
        sw_json_end(&j, '}');
    }
    sw_json_end(&j, '}');
}

/* Before the first part is written, only the running program knows anything. */
static void count_running(struct status *v)
{
    v->runs = v->now.asked;
    v->counts = sw_status_file_count(&v->now);
}

static enum sw_status count_stored(struct sw_cli *cli, const struct sw_completed *completed, struct status *v)
{
    struct cli_sweep s = {0};
    SW_TRY(cli_outline_stored(cli, v->file, completed, &s));
    count_runs(&s, completed, v);
    cli_sweep_close(&s);
    return SW_OK;
}

static void print_liveness(const struct sw_cli *cli, enum sw_liveness life, const struct status *v,
                           const struct sw_last_update *s)
{
    char age[24];
    if (life == SW_LIVENESS_SILENT && s->age >= 0)
        console_print(cli, "silent   no sign of life for %s (%s, process %lld)\n", format_seconds(s->age, age),
                      v->now.host,
                      (long long)v->now.pid);
    else if (life == SW_LIVENESS_SILENT)
        console_print(cli, "silent   last written %s in the future: the clock of %s or of this machine is wrong\n",
                      format_seconds(-s->age, age), v->now.host);
    else if (life == SW_LIVENESS_DEAD)
        console_print(cli, "died     process %lld on this machine is gone, and did not stop cleanly\n",
                      (long long)v->now.pid);
}

enum sw_status status_one_file(struct sw_cli *cli, const char *file, struct sw_last_update *update, bool *finished)
{
    struct sw_completed *completed = NULL;
    struct status v = {.file = file};
    bool by_files;
    enum sw_liveness life = sw_liveness_of(file, sw_filesystem_time(file, &by_files), &v.now, update);
    enum sw_status st = sw_completed_open_live(file, &cli->report, &completed);
    console_report(cli);
    if (st) return st;
    v.unwritten = life != SW_LIVENESS_NONE && !completed->config_text;
    if (v.unwritten) count_running(&v);
    else st = count_stored(cli, completed, &v);
    if (!st) {
        const struct sw_file_facts facts = {.liveness = life, .has_file = !v.unwritten,
                                            .has_parts = completed->has_parts, .all_ended = !v.counts.pending};
        v.state = sw_file_state(sw_shard_state_of_file(&facts));
        *finished = !strcmp(v.state, "finished");
        if (cli->json) print_json(&v);
        else print_for_people(cli, &v);
        if (!cli->json && !*finished) print_liveness(cli, life, &v, update);
    }
    sw_completed_close(&completed);
    return st;
}
