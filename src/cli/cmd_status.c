/* sweep status FILE|CONFIG: how far a sweep is, one file or the shards of a sweep; once, or again and again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_json.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/refine.h"
#include "cli/shards.h"
#include "store/files/sw_output.h"

/* ---- one file */

struct status {
    const char *file, *state;          /* "running", "finished", "interrupted"         */
    int64_t runs;
    struct sw_run_counts counts;
    struct sw_status_file now;             /* while it runs                                */
    int64_t step, steps_of;            /* unfinished batches: their runs, steps so far of the
                                          last one, -1: each run has its own             */
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
        v->step = completed->checkpoint[k].ticks ? -1 : completed->checkpoint[k].step;
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

static void print_file(const struct sw_cli *cli, const struct status *v)
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
        console_print(cli, "begun    %lld run%s %s a checkpoint", (long long)v->steps_of, v->steps_of == 1 ? "" : "s",
                      !strcmp(v->state, "running") ? "would go on from" : v->steps_of == 1 ? "waits at" : "wait at");
    if (v->steps_of && v->step >= 0) console_print(cli, ", the last at step %lld", (long long)v->step);
    if (v->steps_of) console_print(cli, "\n");
    if (!strcmp(v->state, "running")) print_progress(cli, &v->now);
}

static void print_file_json(const struct status *v)
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
    struct refined refined;
    SW_TRY(cli_outline_stored(cli, v->file, completed, &s));
    const enum sw_status st = cli_sweep_refine(cli, &s, v->file, &refined);
    if (!st) count_runs(&s, completed, v);
    cli_sweep_close(&s);
    return st;
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

/* @param update  from {0}, the same one each time
 * @param finished  out: all its runs have ended, and no process writes it */
static enum sw_status status_one_file(struct sw_cli *cli, const char *file, struct sw_last_update *update,
                                      bool *finished)
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
        if (cli->json) print_file_json(&v);
        else print_file(cli, &v);
        if (!cli->json && !*finished) print_liveness(cli, life, &v, update);
    }
    sw_completed_close(&completed);
    return st;
}

/* ---- the shards of a sweep */

enum { ROWS = 20, TROUBLED = 10 };  /* shards with a line of their own, and how many of these in trouble */

/* One line, cut to the page. */
static void print_line(const struct sw_cli *cli, struct console_size page, struct sw_text *line)
{
    struct sw_text shown = {0};
    sw_text_add_shown(&shown, sw_text_get(line), "");
    if (page.columns) console_cut(&shown, page.columns);
    console_print(cli, "%s\n", sw_text_get(&shown));
    sw_text_free(&shown);
    sw_text_free(line);
}

static const char *shards_of(int count) { return count == 1 ? "shard" : "shards"; }

static void add_counts(const struct sw_monitor *v, struct sw_text *text)
{
    const char *comma = "";
    for (int s = 0; s < SW_SHARD_STATE_COUNT; s++) {
        if (!v->count[s]) continue;
        sw_text_printf(text, "%s%d %s", comma, v->count[s], sw_shard_state_names[s]);
        comma = ", ";
    }
}

static void print_head(const struct sw_cli *cli, const struct sw_monitor *v, struct console_size page)
{
    struct sw_text text = {0};
    char eta[24];
    sw_text_printf(&text, "%s  %d %s: ", v->file, v->nshards, shards_of(v->nshards));
    add_counts(v, &text);
    print_line(cli, page, &text);
    if (v->known || v->runs) {
        sw_text_printf(&text, "runs     %lld: %lld done, ", (long long)v->runs, (long long)v->done);
        if (v->diverged) sw_text_printf(&text, "%lld diverged, ", (long long)v->diverged);
        if (v->failed) sw_text_printf(&text, "%lld failed, ", (long long)v->failed);
        sw_text_printf(&text, "%lld pending%s", (long long)v->pending, v->known ? "" : ", of shards that have begun");
        print_line(cli, page, &text);
    }
    sw_text_printf(&text, "now      %.0f %%", floor(100 * v->fraction));
    if (v->rate > 0) sw_text_printf(&text, " · %.2g points·steps/s", v->rate);
    if (v->count[SW_SHARD_RUNNING])
        sw_text_printf(&text, " · ETA %s with the %d that run%s", format_clock(v->eta, eta), v->count[SW_SHARD_RUNNING],
                       v->count[SW_SHARD_RUNNING] == 1 ? "s" : "");
    print_line(cli, page, &text);
}

/* ---- a line a shard */

static void add_process(const struct sw_shard *k, struct sw_text *text)
{
    char age[24];
    const long long pid = (long long)k->now.pid;
    if (k->state == SW_SHARD_SILENT) sw_text_printf(text, "%s process %lld: ", k->now.host, pid);
    if (k->state == SW_SHARD_SILENT && k->update.age < 0)
        sw_text_printf(text, "wrote %s in the future: a clock is wrong", format_seconds(-k->update.age, age));
    else if (k->state == SW_SHARD_SILENT)
        sw_text_printf(text, "no sign of life for %s", format_seconds(k->update.age, age));
    else if (k->state == SW_SHARD_DIED)
        sw_text_printf(text, "process %lld on this machine is gone", pid);
    else {
        if (strcmp(k->now.phase, "computing")) sw_text_printf(text, "%s, ", k->now.phase);
        sw_text_printf(text, "%s process %lld", k->now.host, pid);
        if (k->update.age > 30) sw_text_printf(text, ", seen %s ago", format_seconds(k->update.age, age));
    }
}

static void add_details(const struct sw_shard *k, struct sw_text *text)
{
    const size_t before = text->length;
    if (k->now.pid && k->state != SW_SHARD_STOPPED && k->state != SW_SHARD_WAITING) add_process(k, text);
    else if (k->state == SW_SHARD_RUNNING) sw_text_add(text, k->now.phase);
    if (*k->job) sw_text_printf(text, "%sjob %s %s", text->length > before ? ", " : "", k->job, k->job_state);
    if (*k->reason) sw_text_printf(text, ": %s", k->reason);
    if (*k->message) sw_text_printf(text, "  %s", k->message);
}

static void print_shard(const struct sw_cli *cli, const struct sw_monitor *v, int j, struct console_size page)
{
    const struct sw_shard *k = &v->shard[j];
    struct sw_text text = {0};
    char eta[24], rate[24] = "", runs[24] = "?";
    bool runs_now = k->state == SW_SHARD_RUNNING && k->now.asked;
    if (runs_now && k->now.rate > 0) snprintf(rate, sizeof rate, "%.2g", k->now.rate);
    if (k->runs) snprintf(runs, sizeof runs, "%lld", (long long)k->runs);
    sw_text_printf(&text, "%8d  %-10s %7lld/%-7s %3.0f%%  ", j + 1, sw_shard_state_names[k->state],
                   (long long)(k->done + k->diverged + k->failed), runs, floor(100 * k->fraction));
    if (runs_now) sw_text_printf(&text, "%7s %8s  ", rate, format_clock(k->now.eta, eta));
    add_details(k, &text);
    print_line(cli, page, &text);
}

/* The last line of the log of a job, FILE.jobs/NAME. */
static void print_log(const struct sw_cli *cli, const struct sw_monitor *v, const char *name, struct console_size page)
{
    struct sw_text path = {0}, text = {0};
    char bytes[4097];
    sw_text_printf(&path, "%s.jobs/%s", v->file, name);
    FILE *from = v->submitted && path.data ? fopen(path.data, "r") : NULL;
    sw_text_free(&path);
    if (!from) return;
    if (fseek(from, -4096, SEEK_END)) rewind(from);
    size_t n = fread(bytes, 1, sizeof bytes - 1, from);
    fclose(from);
    while (n && strchr("\n\r ", bytes[n - 1])) n--;
    bytes[n] = 0;
    char *last = strrchr(bytes, '\n');
    if (!n) return;
    sw_text_printf(&text, "%8s  log: %s", "", last ? last + 1 : bytes);
    print_line(cli, page, &text);
}

static void print_shard_log(const struct sw_cli *cli, const struct sw_monitor *v, int j, struct console_size page)
{
    char name[40];
    snprintf(name, sizeof name, "shard-%d.log", j + 1);
    print_log(cli, v, name, page);
}

static bool troubled(enum sw_shard_state state) { return state >= SW_SHARD_SILENT && state <= SW_SHARD_FOREIGN; }

struct order { double key; int shard; };

static int largest_first(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return x->shard - y->shard;
}

static int smallest_number_first(const void *a, const void *b)
{
    return ((const struct order *)a)->shard - ((const struct order *)b)->shard;
}

/* Which shards get a line of their own: those in trouble, then those that will run longest. */
static int choose_shards(const struct sw_cli *cli, const struct sw_monitor *v, int most, struct order *chosen)
{
    int n = 0, trouble = 0, running = 0;
    for (int j = 0; j < v->nshards; j++)
        if (troubled(v->shard[j].state) && (cli->verbose || trouble < TROUBLED || v->nshards <= most)) {
            chosen[n++] = (struct order){0, j};
            trouble++;
        }
    struct order *run = chosen + n;
    for (int j = 0; j < v->nshards; j++)
        if (v->shard[j].state == SW_SHARD_RUNNING)
            run[running++] = (struct order){v->shard[j].now.eta > 0 ? v->shard[j].now.eta : 0, j};
    qsort(run, (size_t)running, sizeof *run, largest_first);
    if (!cli->verbose && n + running > most) running = n < most ? most - n : 0;
    qsort(run, (size_t)running, sizeof *run, smallest_number_first);
    return n + running;
}

/* "1-3, 7", for the shards of one state that have no line of their own. */
static void print_ranges(const struct sw_cli *cli, const struct sw_monitor *v, enum sw_shard_state state,
                         const bool *printed, struct console_size page)
{
    struct sw_text text = {0};
    const int width = page.columns ? page.columns : 120;
    int rest = 0;
    for (int j = 0; j < v->nshards; j++) {
        int last = j;
        if (v->shard[j].state != state || printed[j]) continue;
        while (last + 1 < v->nshards && v->shard[last + 1].state == state && !printed[last + 1]) last++;
        if (!text.length) sw_text_printf(&text, "%-8s ", sw_shard_state_names[state]);
        else if (!rest) sw_text_add(&text, ", ");
        if (cli->verbose || text.length < (size_t)width - 30) {
            sw_text_printf(&text, "%d", j + 1);
            if (last > j) sw_text_printf(&text, "-%d", last + 1);
        } else rest += last - j + 1;
        j = last;
    }
    if (rest) sw_text_printf(&text, "and %d more", rest);
    if (text.length) print_line(cli, page, &text);
}

static int first_in(const struct sw_monitor *v, enum sw_shard_state state)
{
    int j = 0;
    while (j < v->nshards && v->shard[j].state != state) j++;
    return j + 1;
}

static void add_foreign(const struct sw_monitor *v, struct sw_text *text)
{
    char first[12];
    snprintf(first, sizeof first, "%d", first_in(v, SW_SHARD_FOREIGN));
    sw_text_add(text, "next     move away what is of another sweep, ");
    sw_shard_add_word(text, v->file, first, v->nshards);
    sw_text_printf(text, "*%s: it cannot be merged\n", v->count[SW_SHARD_FOREIGN] > 1 ? ", and the others" : "");
}

static void add_next(const struct sw_monitor *v, struct sw_text *text)
{
    int lost = 0;
    for (int s = SW_SHARD_SILENT; s <= SW_SHARD_STOPPED; s++) lost += s == SW_SHARD_FOREIGN ? 0 : v->count[s];
    if (v->count[SW_SHARD_FOREIGN]) add_foreign(v, text);
    if (v->count[SW_SHARD_DONE] == v->nshards && v->submitted)
        sw_text_printf(text, "next     all shards are done; the merge is a job of its own: %s.jobs/merge.log\n",
                       v->file);
    else if (v->count[SW_SHARD_DONE] == v->nshards) {
        sw_text_add(text, "next     sweep merge ");
        sw_shard_add_word(text, v->file, "*", v->nshards);
        sw_text_add(text, " -o ");
        sw_text_add_word(text, v->file);
        sw_text_add(text, "\n");
    } else if (lost && v->submitted) {
        sw_text_add(text, "next     sweep submit --missing ");
        sw_text_add_word(text, v->file);
        sw_text_add(text, "\n");
    } else if (lost)
        sw_text_add(text, "next     run the command of each shard that is not running again; it continues\n");
    else if (v->count[SW_SHARD_WAITING] && !v->count[SW_SHARD_RUNNING] && !v->submitted) {
        sw_text_printf(text, "next     sweep run CONFIG --shard %d/%d -o ", first_in(v, SW_SHARD_WAITING), v->nshards);
        sw_text_add_word(text, v->file);
        sw_text_add(text, "\n");
    }
}

static void print_next_command(const struct sw_cli *cli, const struct sw_monitor *v, struct console_size page)
{
    struct sw_text text = {0};
    add_next(v, &text);
    console_print(cli, "%s", sw_text_get(&text));
    sw_text_free(&text);
    if (v->count[SW_SHARD_DONE] == v->nshards && v->submitted) print_log(cli, v, "merge.log", page);
    if (v->count[SW_SHARD_SILENT] && !v->by_files)
        console_print(cli, "note     ages are by the clock of this machine: nothing can be written beside %s\n",
                      v->file);
}

/* @param page  of the terminal on stdout; 0: without end */
static void print_shards(const struct sw_cli *cli, const struct sw_monitor *v, struct console_size page)
{
    struct order *chosen = NULL;
    bool *printed = NULL;
    int most = page.rows > ROWS + 14 ? page.rows - 14 : ROWS, count = 0;
    print_head(cli, v, page);
    if (!sw_alloc((size_t)v->nshards, &chosen) && !sw_alloc((size_t)v->nshards, &printed)) {
        count = choose_shards(cli, v, most, chosen);
        if (count) console_print(cli, "   shard  state         runs ended     %%     rate      ETA\n");
        for (int j = 0; j < count; j++) {
            printed[chosen[j].shard] = true;
            print_shard(cli, v, chosen[j].shard, page);
            if (troubled(v->shard[chosen[j].shard].state)) print_shard_log(cli, v, chosen[j].shard, page);
        }
        for (int s = 0; s < SW_SHARD_STATE_COUNT; s++) print_ranges(cli, v, (enum sw_shard_state)s, printed, page);
    }
    sw_free(chosen);
    sw_free(printed);
    print_next_command(cli, v, page);
}

static void print_shards_line(const struct sw_cli *cli, const struct sw_monitor *v)
{
    struct sw_text text = {0};
    char eta[24], when[21];
    sw_clock_utc(0, when);
    sw_text_printf(&text, "%s  %2.0f %%  ", when, floor(100 * v->fraction));
    add_counts(v, &text);
    if (v->diverged + v->failed)
        sw_text_printf(&text, " · %lld runs diverged", (long long)(v->diverged + v->failed));
    if (v->rate > 0) sw_text_printf(&text, " · %.2g points·steps/s", v->rate);
    if (v->count[SW_SHARD_RUNNING]) sw_text_printf(&text, " · ETA %s", format_clock(v->eta, eta));
    print_line(cli, (struct console_size){0}, &text);
}

/* ---- JSON */

static void json_process(struct sw_json *j, const struct sw_shard *k)
{
    const bool runs = k->state == SW_SHARD_RUNNING;
    sw_json_real(j, "points_steps_per_second", runs ? k->now.rate : NAN);
    sw_json_real(j, "eta_seconds", runs ? k->now.eta : NAN);
    sw_json_text(j, "phase", runs ? k->now.phase : NULL);
    sw_json_text(j, "host", k->now.host);
    sw_json_count(j, "pid", k->now.pid);
    sw_json_real(j, "seconds_since_sign_of_life", k->update.age);
}

static void json_shard(struct sw_json *j, int number, const struct sw_shard *k)
{
    sw_json_begin(j, NULL, '{');
    sw_json_count(j, "shard", number);
    sw_json_text(j, "state", sw_shard_state_names[k->state]);
    sw_json_count(j, "runs", k->runs);
    sw_json_count(j, "done", k->done);
    sw_json_count(j, "diverged", k->diverged);
    sw_json_count(j, "error", k->failed);
    sw_json_real(j, "fraction", k->fraction);
    if (*k->identity.sweep_id) sw_json_text(j, "sweep_id", k->identity.sweep_id);
    if (k->now.pid && k->update.time > 0) json_process(j, k);
    if (*k->job) {
        sw_json_text(j, "job", k->job);
        sw_json_text(j, "job_state", k->job_state);
        sw_json_text(j, "reason", k->reason);
    }
    if (*k->message) sw_json_text(j, "message", k->message);
    sw_json_end(j, '}');
}

static void print_shards_json(const struct sw_monitor *v)
{
    struct sw_json j = {.to = stdout, .first = true};
    sw_json_begin(&j, NULL, '{');
    sw_json_text(&j, "file", v->file);
    if (*v->identity.sweep_id) sw_json_text(&j, "sweep_id", v->identity.sweep_id);
    sw_json_text(&j, "state", sw_sweep_state(v->count, v->nshards));
    sw_json_count(&j, "runs", v->runs);
    sw_json_count(&j, "done", v->done);
    sw_json_count(&j, "diverged", v->diverged);
    sw_json_count(&j, "error", v->failed);
    sw_json_count(&j, "pending", v->pending);
    sw_json_real(&j, "fraction", v->fraction);
    sw_json_real(&j, "points_steps_per_second", v->rate);
    sw_json_real(&j, "eta_seconds", v->eta);
    sw_json_count(&j, "nshards", v->nshards);
    sw_json_begin(&j, "shards", '{');
    for (int s = 0; s < SW_SHARD_STATE_COUNT; s++) sw_json_count(&j, sw_shard_state_names[s], v->count[s]);
    sw_json_end(&j, '}');
    sw_json_begin(&j, "shard", '[');
    for (int k = 0; k < v->nshards; k++) json_shard(&j, k + 1, &v->shard[k]);
    sw_json_end(&j, ']');
    sw_json_end(&j, '}');
}

/* ---- the command */

static const double look_every = 2, line_every = 30;  /* seconds */

/* An existing file that is not HDF5 is a config; of one that does not exist the ending of its name decides. */
static bool is_config(const char *path)
{
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    const char *dot = strrchr(path, '.');
    char bytes[sizeof signature] = "";
    struct stat s;
    if (dot && !strcmp(dot, ".h5")) return false;
    if (stat(path, &s)) return dot && !strcmp(dot, ".cfg");
    if (!S_ISREG(s.st_mode)) return false;
    FILE *from = fopen(path, "r");
    size_t length = from ? fread(bytes, 1, sizeof bytes, from) : 0;
    if (from) fclose(from);
    return from && (length < sizeof bytes || memcmp(bytes, signature, sizeof bytes));
}

/* ---- --watch: on a terminal each page takes the place of the last one; elsewhere lines are added */

struct watch {
    bool   terminal;
    double line, took;            /* clock of the last line; seconds that a look took */
    struct sw_last_update update;
};

static void clear_page(const struct watch *w) { if (w->terminal) fputs("\033[H\033[2J", stdout); }

/* Looking costs the file system something: at most a twentieth of the time is spent on it. */
static void pause_between_looks(const struct watch *w)
{
    fflush(stdout);
    usleep((useconds_t)(1e6 * fmin(fmax(look_every, 20 * w->took), 60)));
}

static enum sw_status watch_shards(struct sw_cli *cli, struct watch *w, struct sw_monitor *v)
{
    for (;;) {
        double start = sw_clock();
        SW_TRY(sw_monitor_look(v, cli));
        w->took = sw_clock() - start;
        bool done = v->count[SW_SHARD_DONE] == v->nshards;
        clear_page(w);
        if (w->terminal) print_shards(cli, v, console_size_of(STDOUT_FILENO));
        else if (done || !(w->line > 0) || start - w->line >= line_every) {
            print_shards_line(cli, v);
            w->line = start;
        }
        if (done || ferror(stdout)) return SW_OK;
        pause_between_looks(w);
    }
}

static enum sw_status watch_one(struct sw_cli *cli, struct watch *w, const char *file)
{
    for (bool finished = false;;) {
        double start = sw_clock();
        clear_page(w);
        SW_TRY(status_one_file(cli, file, &w->update, &finished));
        w->took = sw_clock() - start;
        if (finished || ferror(stdout)) return SW_OK;
        pause_between_looks(w);
        if (!w->terminal) usleep((useconds_t)(1e6 * (line_every - look_every)));
    }
}

/* ---- */

static enum sw_status print_status(struct sw_cli *cli, const char *file, struct sw_monitor *v)
{
    struct watch w = {.terminal = isatty(STDOUT_FILENO)};
    bool finished;
    if (cli->watch) return v ? watch_shards(cli, &w, v) : watch_one(cli, &w, file);
    if (!v) return status_one_file(cli, file, &w.update, &finished);
    SW_TRY(sw_monitor_look(v, cli));
    if (cli->json) print_shards_json(v);
    else print_shards(cli, v, console_size_of(STDOUT_FILENO));
    return SW_OK;
}

static enum sw_status status_of(struct sw_cli *cli, const char *file, const struct cli_sweep *known)
{
    struct sw_monitor *v = NULL;
    enum sw_status st = sw_monitor_open(cli, file, known, &v);
    if (!st) st = print_status(cli, file, v);
    sw_monitor_free(&v);
    return st;
}

enum sw_status cmd_status(struct sw_cli *cli)
{
    struct cli_sweep s = {0};
    if (cli->watch && cli->json)
        return SW_FAIL(SW_E_USAGE, "--watch prints for people, --json prints one object for programs: not both");
    enum sw_status st;
    if (!is_config(cli->argument[0])) {
        char *file;
        SW_TRY(cli_input_path(cli->argument[0], &file));
        st = status_of(cli, file, NULL);
        sw_free(file);
        return st;
    }
    SW_TRY(cli_outline_open(cli, cli->argument[0], &s));
    st = status_of(cli, s.file, &s);
    cli_sweep_close(&s);
    return st;
}
