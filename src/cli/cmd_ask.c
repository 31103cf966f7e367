/* sweep ask CONFIG: a session for optimisers. It reads rows of parameters from standard input, computes those of a line
 * as one batch, and answers with what the runs came to. All runs are one sweep, whose table grows: each request expands
 * it anew, computes the rows that are new, and leaves them in parts; these are joined when the session ends. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sw_err.h"
#include "base/sw_async_stream.h"
#include "base/sw_json.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "base/sw_version.h"
#include "cli/ask.h"
#include "cli/cell.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/run_messages.h"
#include "cli/signals.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"
#include "store/sw_verify.h"

struct session {
    struct sw_cli *cli;
    struct cli_sweep base;              /* the config: its axes are the parameters                               */
    int     nparameter;
    struct ask_parameter *parameter;
    struct ask_points points;
    struct cli_sweep now;               /* the sweep of these points; to be computed are its runs that are new   */
    int64_t expanded;                   /* how many points it has                                                */
    struct sw_plan *plan;               /* of `now`                                                              */
    struct sw_devices devices;
    struct sw_output_lock *lock;
    struct sw_provenance provenance;
    struct cli_facts facts;
    double  texts;                      /* bytes of tables in the parts that are not joined                      */
    int     parts;                      /* how many they are                                                     */
    struct sw_text warned;              /* the warnings that were printed last                                   */
};

/* ---- the sweep of all points */

/* table.rows="F,k\n0.03,0.06\n": as a -s, in which an end of line is two characters. */
static enum sw_status make_table(const struct session *s, struct sw_text *text)
{
    sw_text_add(text, "table.rows=\"");
    for (int k = 0; k < s->nparameter; k++) sw_text_printf(text, "%s%s", k ? "," : "", s->parameter[k].name);
    sw_text_add(text, "\\n");
    for (int64_t k = 0; k < s->points.count; k++) {
        sw_text_add(text, s->points.text[k]);
        sw_text_add(text, "\\n");
    }
    sw_text_add(text, "\"");
    return sw_text_status(text);
}

static void close_now(struct session *s)
{
    sw_plan_destroy(&s->plan);
    cli_sweep_close(&s->now);
    s->expanded = 0;
}

/* @param table  an -s  @param report  out: what is wrong with it */
static enum sw_status expand_table(struct session *s, const char *table, struct sw_report *report)
{
    const struct sw_config *base = s->base.config;
    struct cli_sweep *now = &s->now;
    const char **override;
    SW_TRY(sw_alloc((size_t)base->noverride + 2, &override));
    memcpy(override, base->override, (size_t)base->noverride * sizeof *override);
    override[base->noverride] = "sweep={mode=\"table\";}";
    override[base->noverride + 1] = table;
    enum sw_status st =
        sw_config_read_text(base->name, base->text, override, base->noverride + 2, report, &now->config);
    sw_free(override);
    SW_TRY(st);
    SW_TRY(sw_sweep_expand(now->config, report, &now->sweep));
    if (now->sweep->accuracy < 0) now->sweep->accuracy = 0;  /* a sample of each request is not what was asked for */
    SW_TRY(sw_alloc((size_t)now->sweep->nruns, &now->id));
    SW_TRY(sw_sweep_ids(now->sweep, 0, now->sweep->nruns, now->id));
    now->file = sw_strdup(s->base.file);
    return now->file ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

/* A refusal with all that the report says: its first failure names no more than how many there are. */
static enum sw_status fail_by_report(const struct sw_report *report, enum sw_status st)
{
    struct sw_text text = SW_SHORT_TEXT;
    if (st != SW_E_CONFIG || !report->errors) return st;
    for (int k = 0; k < report->count; k++)
        if (report->entry[k].severity == SW_ERROR) sw_text_add_sentence(&text, report->entry[k].text);
    return SW_FAIL(st, "%s", sw_text_get(&text));
}

static enum sw_status expand(struct session *s)
{
    struct sw_report report = {0};
    struct sw_text table = {0};
    close_now(s);
    enum sw_status st = make_table(s, &table);
    if (!st) st = fail_by_report(&report, expand_table(s, sw_text_get(&table), &report));
    if (!st && s->now.sweep->nruns != s->points.count)
        st = SW_FAIL(SW_E_CONFIG, "%lld rows make %lld runs: a row is not one of a table",
                     (long long)s->points.count, (long long)s->now.sweep->nruns);
    if (!st) s->expanded = s->points.count;
    sw_report_free(&report);
    sw_text_free(&table);
    return st;
}

/* Plan the runs from `first` on. */
static enum sw_status expand_and_plan(struct session *s, int64_t first)
{
    struct cli_sweep *now = &s->now;
    SW_TRY(expand(s));
    now->count = s->points.count - first;
    SW_TRY(sw_alloc((size_t)now->count, &now->run));
    for (int64_t k = 0; k < now->count; k++) now->run[k] = first + k;
    const struct sw_plan_desc desc = {now->sweep, now->run, now->count, now->id, NULL, false};
    return sw_plan_make(&desc, &s->devices, NULL, &s->plan);
}

/* ---- computing */

static void on_event(void *user, const struct sw_event *e)
{
    const struct session *s = user;
    if (e->kind == SW_EVENT_DEVICE)
        console_message(s->cli, "warning: %s; the other devices continue without it\n", e->message);
}

static void print_warnings(struct session *s)
{
    struct sw_text notes = {0};
    plan_warnings_collect(&s->now, s->plan, &notes);
    if (notes.length && strcmp(sw_text_get(&notes), sw_text_get(&s->warned)))
        plan_warnings_print(s->cli, &s->now, s->plan, console_message);
    if (notes.length) sw_text_set(&s->warned, "%s", sw_text_get(&notes));
    sw_text_free(&notes);
}

/* The plan's runs; their results are then in new parts. @param completed  what they go on from; NULL: nothing */
static enum sw_status compute(struct session *s, const struct sw_completed *completed,
                              struct sw_run_sweep_summary *summary)
{
    const struct sw_run_sweep_options options = {
        .file = s->base.file, .lock = s->lock, .checkpoint_seconds = 60 * s->now.sweep->checkpoint_minutes,
        .only_parts = true, .stop = &stop_signal, .event = on_event, .user = s, .provenance = s->provenance};
    print_warnings(s);
    return sw_run_sweep(s->now.sweep, s->plan, completed, &s->devices, &options, summary);
}

static enum sw_status join_parts(struct session *s)
{
    struct sw_provenance provenance = s->provenance;
    const struct sw_merge_options how = {.allow_missing = true, .sweep = s->now.sweep, .id = s->now.id};
    if (s->plan) provenance.solver = s->plan->solver;
    SW_TRY(sw_merge_parts(s->base.file, &how, &provenance));
    s->texts = 0;
    s->parts = 0;
    return SW_OK;
}

/* Each part has the table as it was. They are joined when these texts are more than the file: so all that is written
 * stays within a constant times the results. */
static enum sw_status join_parts_in_time(struct session *s)
{
    static const double least = 16 << 20;
    struct stat file;
    const double bytes = stat(s->base.file, &file) ? 0 : (double)file.st_size;
    return s->texts > least + bytes ? join_parts(s) : SW_OK;
}

/* ---- answers */

/* Whether an answer has a column: all, or those that --of names beside run, status and message. */
static bool is_wanted(const char *of, const char *name)
{
    const size_t length = strlen(name);
    if (!of || !strcmp(name, "run") || !strcmp(name, "status") || !strcmp(name, "message")) return true;
    for (const char *c = of; *c;) {
        c += strspn(c, ", ");
        const size_t n = strcspn(c, ", ");
        if (n == length && n && !strncmp(c, name, n)) return true;
        c += n;
    }
    return false;
}

static enum sw_status keep_answer(struct session *s, const struct sw_run_table *t, const struct shown_column *c, int n,
                                  int64_t row)
{
    char room[40], *text = NULL, **answer = &s->points.answer[t->index[row]];
    size_t length;
    struct sw_json j = {.to = open_memstream(&text, &length), .depth = 1, .first = true, .line = true};
    if (!j.to) return SW_FAIL(SW_E_MEMORY, "out of memory");
    for (int k = 0; k < n; k++) {
        const struct cell cell = shown_cell(t, &c[k], row, room);
        if (is_wanted(s->cli->of, c[k].name)) cell_print_json(&j, &cell);
    }
    fclose(j.to);
    sw_free(*answer);
    *answer = text ? sw_strdup(text) : NULL;
    sw_free(text);
    return *answer ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static enum sw_status keep_answers(struct session *s, const struct sw_run_table *t)
{
    struct shown_column c[SHOWN_MOST];
    const int n = shown_columns(t, c);
    for (int64_t row = 0; row < t->nruns; row++)
        if (sw_run_table_status(t, row) != SW_RUN_PENDING) SW_TRY(keep_answer(s, t, c, n, row));
    for (int64_t k = 0; k < s->points.count; k++)
        if (!s->points.answer[k])
            return SW_FAIL(SW_E_IO, "%s has no result of run %lld, which has been computed", s->base.file,
                           (long long)k);
    return SW_OK;
}

/* From the parts behind the first `before`. */
static enum sw_status read_answers(struct session *s, int before)
{
    struct sw_run_table *table = NULL;
    char **part;
    int count;
    SW_TRY(sw_files_parts(s->base.file, &part, &count));
    enum sw_status st = sw_run_table_read_parts((const char *const *)part + before, count - before, &table);
    if (!st) st = keep_answers(s, table);
    for (int k = before; k < count; k++) s->texts += (double)strlen(table ? table->override[table->noverride - 1] : "");
    s->parts = count;
    sw_run_table_free(&table);
    sw_files_free_list(&part, count);
    return st;
}

static enum sw_status print_answer(const struct session *s, const struct ask_request *q)
{
    struct sw_json j = {.to = stdout, .first = true, .line = true};
    const struct ask_row line = {.error = q->error};
    const int count = q->error ? 1 : q->count;
    if (q->is_list) sw_json_begin(&j, NULL, '[');
    for (int k = 0; k < count; k++) {
        const struct ask_row *row = q->error ? &line : &q->row[k];
        sw_json_begin(&j, NULL, '{');
        if (row->error) sw_json_text(&j, "error", row->error);
        else {
            sw_json_copy(&j, s->points.answer[row->run]);
            sw_json_flag(&j, "again", row->again);
        }
        sw_json_end(&j, '}');
    }
    if (q->is_list) sw_json_end(&j, ']');
    if (!fflush(stdout) && !ferror(stdout)) return SW_OK;
    return SW_FAIL_ERRNO(SW_E_IO, errno, "standard output: an answer could not be written");
}

/* ---- requests */

static enum sw_status set_error(struct ask_row *row, const char *text)
{
    row->error = sw_strdup(text);
    return row->error ? SW_OK : SW_FAIL(SW_E_MEMORY, "out of memory");
}

static bool is_refusal(enum sw_status st)
{
    return st == SW_E_CONFIG || st == SW_E_TOO_LARGE || st == SW_E_ABSENT || st == SW_E_REFUSED || st == SW_E_ARG;
}

/* Add rows that can be runs. Where the sweep with all of them is refused, its halves are tried, down to the rows that
 * are the reason; these get their errors.
 * @param row  [count] that are new  @param first  points before the request */
static enum sw_status accept_rows(struct session *s, struct ask_row **row, int count, int64_t first)
{
    const int64_t before = s->points.count;
    if (!count) return SW_OK;
    for (int k = 0; k < count; k++) SW_TRY(ask_points_add(&s->points, row[k]->text));
    const enum sw_status st = expand_and_plan(s, first);
    if (!is_refusal(st)) return st;
    close_now(s);
    ask_points_cut(&s->points, before);
    if (count == 1) return set_error(row[0], sw_err_message());
    SW_TRY(accept_rows(s, row, count / 2, first));
    return accept_rows(s, row + count / 2, count - count / 2, first);
}

/* @param row  out: [count] of the request's rows those that are new, each once  @return how many */
static enum sw_status find_new_rows(struct session *s, struct ask_request *q, struct ask_row **row, int *count)
{
    const int64_t before = s->points.count;
    enum sw_status st = SW_OK;
    *count = 0;
    for (int k = 0; k < q->count && !st; k++) {
        if (q->row[k].error) continue;
        q->row[k].again = ask_points_find(&s->points, q->row[k].text) >= 0;
        if (q->row[k].again) continue;
        row[(*count)++] = &q->row[k];
        st = ask_points_add(&s->points, q->row[k].text);
    }
    ask_points_cut(&s->points, before);
    return st;
}

/* A row that was refused, and comes again in its request, has the same error. */
static enum sw_status number_rows(struct session *s, struct ask_request *q, struct ask_row *const *new, int count)
{
    for (int k = 0; k < q->count; k++) {
        struct ask_row *row = &q->row[k];
        if (row->error) continue;
        row->run = ask_points_find(&s->points, row->text);
        for (int j = 0; j < count && row->run < 0 && !row->error; j++)
            if (!strcmp(new[j]->text, row->text)) SW_TRY(set_error(row, new[j]->error));
    }
    return SW_OK;
}

static void message_request(const struct session *s, const struct ask_request *q, int64_t computed,
                            const struct sw_run_sweep_summary *sum)
{
    char took[24];
    int errors = q->error != NULL;
    struct sw_text text = {0};
    for (int k = 0; k < q->count; k++) errors += q->row[k].error != NULL;
    sw_text_printf(&text, "asked    %d · %lld computed", q->count, (long long)computed);
    if (computed) sw_text_printf(&text, " in %s", format_seconds(sum->seconds, took));
    if (sum->diverged) sw_text_printf(&text, " · %lld diverged", (long long)sum->diverged);
    if (sum->failed) sw_text_printf(&text, " · %lld failed", (long long)sum->failed);
    if (errors) sw_text_printf(&text, " · %d refused", errors);
    console_message(s->cli, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
}

static enum sw_status answer_rows(struct session *s, struct ask_request *q, struct ask_row **row)
{
    const int64_t first = s->points.count;
    struct sw_run_sweep_summary sum = {0};
    int count;
    SW_TRY(find_new_rows(s, q, row, &count));
    SW_TRY(accept_rows(s, row, count, first));
    if (s->expanded != s->points.count) SW_TRY(expand_and_plan(s, first));  /* the last rows were refused */
    const int64_t computed = s->points.count - first;
    if (computed) {
        SW_TRY(compute(s, NULL, &sum));
        SW_TRY(read_answers(s, s->parts));
    }
    SW_TRY(number_rows(s, q, row, count));
    SW_TRY(print_answer(s, q));
    message_request(s, q, computed, &sum);
    return join_parts_in_time(s);
}

static enum sw_status answer_line(struct session *s, const char *line)
{
    struct ask_request q = {0};
    struct ask_row **row = NULL;
    if (!line[strspn(line, " \t\r")]) return SW_OK;
    enum sw_status st = ask_request_read(line, s->parameter, s->nparameter, &q);
    if (!st) st = sw_alloc((size_t)q.count, &row);
    if (!st) st = answer_rows(s, &q, row);
    sw_free(row);
    ask_request_free(&q);
    return st;
}

static enum sw_status answer_all(struct session *s)
{
    struct ask_input input = {0};
    char *line;
    enum sw_status st = ask_input_line(&input, &line);
    for (; !st && line; st = st ? st : ask_input_line(&input, &line)) st = answer_line(s, line);
    sw_text_free(&input.text);
    return st;
}

/* ---- the beginning */

static enum sw_status refuse_key(const struct session *s, const char *key, const char *why)
{
    const struct sw_setting *k = sw_config_find(s->base.config, key);
    if (!k || (k->kind == SW_SETTING_STRING && !*k->text)) return SW_OK;
    return SW_FAIL(SW_E_CONFIG, "%s:%d: '%s': %s", k->file, k->line, key, why);
}

static enum sw_status check_config(const struct session *s)
{
    const struct sw_sweep *w = s->base.sweep;
    const char *why =
        !w->naxis ? "has no axis: those of `sweep` are what can be asked for, as in sweep = { a = [0.1]; }"
        : w->rungs > 1 ? "has a ladder: its runs depend on one another, and rows that are asked for do not"
        : w->refine ? "has `refine`, which chooses points itself: leave it out"
        : !strcmp(w->mode, "table") ? "has a table: rows come from standard input here; name the parameters as axes, "
                                      "sweep = { a = [0.1]; b = [2]; }"
        : w->drop_fields || w->drop_scalars ? "does not keep fields or scalars, and a file that is to grow does: leave "
                                              "`keep` out"
        : NULL;
    if (why) return SW_FAIL(SW_E_CONFIG, "%s %s", s->base.config->name, why);
    SW_TRY(refuse_key(s, "sample", "who asks draws the points: leave it out, and give the axes lists"));
    SW_TRY(refuse_key(s, "sweep.where", "who asks decides which points are runs: leave it out, or -s sweep.where="));
    return refuse_key(s, "reuse", "`sweep ask` takes no runs over: leave it out, or -s reuse=");
}

static enum sw_status check_of(const struct session *s)
{
    const struct sw_sweep *w = s->base.sweep;
    struct sw_sweep answered = *w;
    if (answered.accuracy < 0) answered.accuracy = 0;  /* as in expand_table() */
    for (const char *c = s->cli->of; c && *c;) {
        c += strspn(c, ", ");
        const int n = (int)strcspn(c, ", ");
        bool found = !n;
        for (int k = 0; k < w->nscalar; k++)
            found |= w->save_scalars && !strncmp(w->scalar[k].name, c, (size_t)n) && !w->scalar[k].name[n];
        for (int k = 0; k < s->nparameter; k++)
            found |= !strncmp(s->parameter[k].name, c, (size_t)n) && !s->parameter[k].name[n];
        for (int k = 0; k < sw_run_ncolumns; k++)
            found |= sw_run_column_present(&sw_run_columns[k], &answered) &&
                     !strncmp(sw_run_columns[k].name, c, (size_t)n) && !sw_run_columns[k].name[n];
        if (!found)
            return SW_FAIL(SW_E_USAGE, "--of: no answer has '%.*s': it is neither a scalar that the config saves, nor "
                           "a column of `sweep show`", n, c);
        c += n;
    }
    return SW_OK;
}

static enum sw_status read_parameters(struct session *s)
{
    const struct sw_sweep *w = s->base.sweep;
    s->nparameter = w->naxis;
    SW_TRY(sw_alloc((size_t)w->naxis, &s->parameter));
    for (int k = 0; k < w->naxis; k++) {
        const struct sw_column *c = &w->column[w->axis[k].column];
        s->parameter[k] = (struct ask_parameter){c->name, c->nword > 0};
    }
    return SW_OK;
}

/* Whether the config can have a table: the first run of its own sweep is tried. */
static enum sw_status try_table(struct session *s)
{
    struct sw_err_kept why = {0};
    SW_TRY(ask_points_add_runs(&s->points, s->parameter, s->nparameter, s->base.sweep, 1, s->base.file));
    enum sw_status st = expand(s);
    sw_err_keep(&why, st);
    close_now(s);
    ask_points_cut(&s->points, 0);
    return st == SW_E_CONFIG ? SW_FAIL(st, "%s cannot be asked: its rows would be a table, and: %s",
                                       s->base.config->name, why.message)
                             : sw_err_raise(&why);
}

/* The points of what is there are the runs of its sweep, whatever axes that has. */
static enum sw_status add_stored_points(struct session *s, const struct sw_completed *completed)
{
    struct sw_config *config = NULL;
    struct sw_sweep *sweep = NULL;
    struct sw_report report = {0};
    enum sw_status st = sw_config_read_text(s->base.file, completed->config_text,
                                            (const char *const *)completed->override, completed->noverride, &report,
                                            &config);
    if (!st) st = sw_sweep_expand(config, &report, &sweep);
    if (!st && (sweep->rungs > 1 || sweep->refine))
        st = SW_FAIL(SW_E_REFUSED, "%s has %s; use -o FILE", s->base.file, sweep->refine ? "`refine`" : "a ladder");
    if (!st) st = ask_points_add_runs(&s->points, s->parameter, s->nparameter, sweep, sweep->nruns, s->base.file);
    sw_sweep_destroy(&sweep);
    sw_config_destroy(&config);
    sw_report_free(&report);
    return st;
}

static enum sw_status plan_pending(struct session *s, const struct sw_completed *completed)
{
    struct cli_sweep *now = &s->now;
    SW_TRY(sw_alloc((size_t)now->sweep->nruns, &now->run));
    for (int64_t k = 0; k < now->sweep->nruns; k++)
        if (sw_completed_status(completed, now->id[k]) == SW_RUN_PENDING) now->run[now->count++] = k;
    if (!now->count) return SW_OK;
    const struct sw_plan_desc desc = {now->sweep, now->run, now->count, now->id, completed, false};
    return sw_plan_make(&desc, &s->devices, NULL, &s->plan);
}

/* Whether the session can go on with what is there: then its points are known. */
static enum sw_status take_earlier(struct session *s, const struct sw_completed *completed)
{
    bool damaged;
    if (completed->is_virtual) return sw_output_refuse_virtual(s->base.file);
    if (completed->is_dropped) return sw_output_refuse_dropped(s->base.file);
    if (completed->has_file) SW_TRY(sw_file_checksum_check(s->base.file, &damaged));
    SW_TRY(add_stored_points(s, completed));
    SW_TRY(expand(s));
    return sw_completed_check_sweep(completed, s->base.file, s->now.sweep, s->now.id);
}

/* What an earlier session has begun is finished, so that all points have their answers. */
static enum sw_status finish_earlier(struct session *s, const struct sw_completed *completed)
{
    struct sw_run_sweep_summary sum = {0};
    struct sw_run_table *table = NULL;
    struct sw_err_kept why = {0};
    sw_err_keep(&why, take_earlier(s, completed));
    if (why.status == SW_E_REFUSED)  /* its hint is that of `sweep run` */
        return SW_FAIL(SW_E_REFUSED, "%s (`sweep ask` has no --force: move the file away)", why.message);
    SW_TRY(sw_err_raise(&why));
    SW_TRY(plan_pending(s, completed));
    console_message(s->cli, "there    %lld runs in %s", (long long)s->points.count, s->base.file);
    if (s->now.count) console_message(s->cli, "; %lld of them are computed first", (long long)s->now.count);
    console_message(s->cli, "\n");
    if (s->plan) SW_TRY(compute(s, completed, &sum));
    if (s->plan || completed->has_parts) SW_TRY(join_parts(s));
    SW_TRY(sw_run_table_read_scalars(s->base.file, &table));
    enum sw_status st = keep_answers(s, table);
    sw_run_table_free(&table);
    return st;
}

static enum sw_status open_output(struct session *s)
{
    struct sw_completed *completed = NULL;
    SW_TRY(sw_output_check_parts(s->base.file));
    SW_TRY(sw_output_lock(s->base.file, &s->lock));
    enum sw_status st = sw_completed_open_checked(s->base.file, &s->cli->report, &completed);
    console_report(s->cli);
    if (!st) st = sw_output_set_damaged_aside(completed);
    if (!st && completed->config_text) st = finish_earlier(s, completed);
    sw_completed_close(&completed);
    return st;
}

static void message_open(const struct session *s)
{
    struct sw_text text = {0};
    sw_text_printf(&text, "sweep %s · %s · ask for ", SW_VERSION, s->base.sweep->problem->name);
    for (int k = 0; k < s->nparameter; k++) sw_text_printf(&text, "%s%s", k ? ", " : "", s->parameter[k].name);
    sw_text_add(&text, "\ndevice   ");
    cli_devices_name(&s->devices, &text);
    sw_text_printf(&text, " · %s", s->base.file);
    console_message(s->cli, "%s\n", sw_text_get(&text));
    sw_text_free(&text);
}

static enum sw_status open_session(struct session *s)
{
    const struct sw_cli *cli = s->cli;
    SW_TRY(check_config(s));
    SW_TRY(read_parameters(s));
    SW_TRY(check_of(s));
    SW_TRY(try_table(s));
    SW_TRY(sw_devices_open(cli->device ? cli->device : s->base.sweep->device, cli->threads, SW_DEVICES_MOST,
                           &s->devices));
    cli_provenance(cli, &s->devices, &s->facts, &s->provenance);
    message_open(s);
    return open_output(s);
}

/* ---- the end */

/* Also after a failure: what was answered gets into the file, unless that is what failed. A signal that has come does
 * not keep it from that. */
static enum sw_status end_session(struct session *s, enum sw_status st)
{
    struct sw_err_kept first = {0};
    sw_err_keep(&first, st);
    if (!st || st == SW_E_STOPPED || st == SW_E_USAGE || st == SW_E_IO) {
        if (s->lock && s->points.count && s->expanded != s->points.count) st = expand(s);
        else st = SW_OK;
        if (!st && s->lock && s->parts) st = join_parts(s);
        if (!st && s->expanded && !sw_files_absent(s->base.file)) st = xdmf_update(s->cli, s->now.sweep, s->base.file);
        sw_err_keep(&first, st);
    }
    sw_output_unlock(&s->lock);
    return sw_err_raise(&first);
}

static void message_end(const struct session *s, enum sw_status st)
{
    if (st == SW_E_STOPPED && sw_files_has_folder(s->base.file))
        console_message(s->cli, "stopped; the same command, or `sweep resume %s`, first computes what has been asked "
                        "for\n", s->base.file);
    if (st || !s->points.count) return;
    console_message(s->cli, "done     %lld runs in %s\n", (long long)s->points.count, s->base.file);
    suggest_commands(s->cli, s->now.sweep, s->base.file);
}

enum sw_status cmd_ask(struct sw_cli *cli)
{
    struct session s = {.cli = cli};
    signals_catch();
    sw_async_stderr();
    SW_TRY(cli_sweep_open(cli, cli->argument[0], &s.base));
    enum sw_status st = open_session(&s);
    if (!st) st = answer_all(&s);
    st = end_session(&s, st);
    message_end(&s, st);
    close_now(&s);
    cli_sweep_close(&s.base);
    ask_points_free(&s.points);
    sw_devices_close(&s.devices);
    sw_text_free(&s.warned);
    sw_free(s.parameter);
    return st;
}
