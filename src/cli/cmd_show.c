/* The run table of an output file, or its statistics over runs: for people, as CSV, as JSON; or all about one run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_json.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/cell.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "store/sw_statistics_table.h"
#include "store/sw_verify.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"

/* A cell as text; digits: of a real number. */
static const char *format_cell(const struct sw_run_table *t, const struct shown_column *c, int64_t run, int digits,
                               char room[40])
{
    const struct cell cell = shown_cell(t, c, run, room);
    return cell_format(&cell, digits, room);
}

/* The rows that are shown. */
struct rows { int64_t count, *row; };

/* " · 12 stopped early (10 steady, 2 when)" */
static void describe_stopped(const struct sw_run_table *t, struct sw_text *text)
{
    int64_t count[SW_RUN_ENDS] = {0};
    for (int64_t k = 0; k < t->nruns; k++) {
        const enum sw_run_end end = sw_run_table_row(t, k).stopped;
        if ((int)end < SW_RUN_ENDS) count[end]++;
    }
    const int64_t steady = count[SW_RUN_STEADY], when = count[SW_RUN_STOPPED_WHEN];
    if (!(steady + when)) return;
    sw_text_printf(text, " · %lld stopped early (", (long long)(steady + when));
    if (steady) sw_text_printf(text, "%lld steady%s", (long long)steady, when ? ", " : "");
    if (when) sw_text_printf(text, "%lld when", (long long)when);
    sw_text_add(text, ")");
}

/* Where runs that are done have no estimate of their error, or one in time alone, though some were to have both. */
static void explain_accuracy(const struct sw_cli *cli, const struct sw_run_table *t, const struct rows *rows)
{
    int64_t done = 0, in_time = 0, in_space = 0;
    if (!sw_run_table_has(t, "error_space")) return;  /* no estimates were requested */
    for (int64_t r = 0; r < rows->count; r++) {
        const struct sw_run_row row = sw_run_table_row(t, rows->row[r]);
        done += row.status == SW_RUN_DONE && !row.stopped;
        in_time += isfinite(row.error_time);
        in_space += isfinite(row.error_time) && isfinite(row.error_space);
    }
    if (done && !in_time)
        console_print(cli, "\nnote     error_time, error_space: none of these runs is in the sample of accuracy.runs, "
                      "or none could be computed again: runs with noise at each step cannot\n");
    if (in_space < in_time)
        console_print(cli, "\nnote     error_space: not known of %lld run%s computed again with half the step: between "
                      "walls noise, or a field of a file, has no values at twice the points, two or three dimensions "
                      "are not computed with them, and runs may diverge with them\n",
                      (long long)(in_time - in_space), in_time - in_space == 1 ? "" : "s");
}

/* A text of the file as it stands in a line; room is used again and again. */
static const char *escape(struct sw_text *room, const char *text)
{
    room->length = 0;
    sw_text_add_shown(room, text, "");
    return sw_text_get(room);
}

static const char *table_cell(const struct sw_run_table *t, const struct shown_column *c, int64_t row,
                              struct sw_text *room)
{
    char text[40];
    return escape(room, row < 0 ? c->name : format_cell(t, c, row, 6, text));
}

/* Print when the file was written and verified; its fields are not read. */
static void print_checksums(const struct sw_cli *cli, const struct sw_file_checksum *sum)
{
    char written[21], verified[21];
    sw_clock_utc((double)sum->written, written);
    sw_clock_utc((double)sum->verified, verified);
    if (!sum->sealed) console_print(cli, "no checksums: `sweep verify` says why\n");
    else if (sum->verified) console_print(cli, "written %s · verified on %s\n", written, verified);
    else console_print(cli, "written %s · not verified since (`sweep verify`)\n", written);
}

static void print_head(const struct sw_cli *cli, const struct sw_run_table *t, const struct rows *rows,
                       const struct sw_file_checksum *sum)
{
    char of[32] = "";
    struct sw_text head = {0}, stopped = {0};
    if (cli->status) snprintf(of, sizeof of, "%lld of ", (long long)rows->count);
    describe_stopped(t, &stopped);
    sw_text_printf(&head, "%s%s%s · %s%lld run%s%s%s%s · %s · id %s", t->title, *t->title ? " · " : "", t->problem,
                   of, (long long)t->nruns, t->nruns == 1 ? "" : "s", cli->status ? " " : "",
                   cli->status ? cli->status : "", sw_text_get(&stopped), t->solver, t->sweep_id);
    stopped.length = 0;
    sw_text_add_shown(&stopped, sw_text_get(&head), "");
    console_print(cli, "%s\n", sw_text_get(&stopped));
    if (sum) print_checksums(cli, sum);
    console_print(cli, "\n");
    sw_text_free(&head);
    sw_text_free(&stopped);
}

static void show_table(const struct sw_cli *cli, const struct sw_run_table *t, const struct shown_column *c, int n,
                       const struct rows *rows, const struct sw_file_checksum *sum)
{
    struct sw_text room = {0};
    int width[SHOWN_MOST] = {0};
    print_head(cli, t, rows, sum);
    for (int k = 0; k < n; k++)
        for (int64_t r = -1; r < rows->count && c[k].brief; r++) {
            const int w = console_width(table_cell(t, &c[k], r < 0 ? -1 : rows->row[r], &room));
            if (w > width[k]) width[k] = w;
        }
    for (int64_t r = -1; r < rows->count; r++) {
        const char *gap = "";
        for (int k = 0; k < n; k++) {
            if (!c[k].brief) continue;
            const char *v = table_cell(t, &c[k], r < 0 ? -1 : rows->row[r], &room);
            const int blanks = width[k] - console_width(v), left = c[k].kind == CELL_TEXT ? 0 : blanks;
            printf("%s%*s%s%*s", gap, k == n - 1 ? 0 : left, "", v, k == n - 1 ? 0 : blanks - left, "");
            gap = "  ";
        }
        printf("\n");
    }
    sw_text_free(&room);
}

static void show_csv(const struct sw_run_table *t, const struct shown_column *c, int n, const struct rows *rows)
{
    char room[40];
    for (int64_t r = -1; r < rows->count; r++) {
        for (int k = 0; k < n; k++) {
            const struct cell cell = r < 0 ? (struct cell){.kind = CELL_TEXT, .text = c[k].name}
                                           : shown_cell(t, &c[k], rows->row[r], room);
            if (k) fputc(',', stdout);
            cell_print_csv(stdout, &cell);
        }
        fputc('\n', stdout);
    }
}

static void json_run(struct sw_json *j, const struct sw_run_table *t, const struct shown_column *c, int n, int64_t run)
{
    char room[40];
    sw_json_begin(j, NULL, '{');
    for (int k = 0; k < n; k++) {
        const struct cell cell = shown_cell(t, &c[k], run, room);
        cell_print_json(j, &cell);
    }
    sw_json_end(j, '}');
}

/* @param list  what it calls the rows */
static void show_json(const struct sw_run_table *t, const struct shown_column *c, int n, const struct rows *rows,
                      const struct sw_file_checksum *sum, const char *list)
{
    struct sw_json j = {.to = stdout, .first = true};
    sw_json_begin(&j, NULL, '{');
    sw_json_text(&j, "title", t->title);
    sw_json_text(&j, "problem", t->problem);
    sw_json_text(&j, "sweep_id", t->sweep_id);
    sw_json_text(&j, "source", t->source);
    sw_json_text(&j, "solver", t->solver);
    sw_json_text(&j, "device", t->device);
    sw_json_text(&j, "math_library", t->math_library);
    sw_json_time(&j, "written", sum ? sum->written : 0);
    sw_json_time(&j, "verified", sum ? sum->verified : 0);
    sw_json_count(&j, "sweep_runs", t->sweep_runs);
    sw_json_begin(&j, list, '[');
    for (int64_t r = 0; r < rows->count; r++) json_run(&j, t, c, n, rows->row[r]);
    sw_json_end(&j, ']');
    sw_json_end(&j, '}');
}

static enum sw_status find_run(const struct sw_cli *cli, const struct sw_run_table *t, int64_t *row)
{
    char *end;
    long long index = strtoll(cli->run, &end, 10);
    int64_t hit = -1, hits = 0;
    size_t length = strlen(cli->run);
    char id[SW_RUN_ID];
    for (int64_t r = 0; r < t->nruns && *cli->run && !*end; r++)
        if (t->index[r] == index) { *row = r; return SW_OK; }
    for (int64_t r = 0; r < t->nruns && length >= 4; r++)
        if (!strncmp(sw_run_id_text(t->id[r], id), cli->run, length)) { hit = r; hits++; }
    *row = hit;
    if (hits == 1) return SW_OK;
    if (hits > 1) return SW_FAIL(SW_E_USAGE, "%lld runs have an id that begins with %s", (long long)hits, cli->run);
    return SW_FAIL(
        SW_E_USAGE,
        "%s has no run %s; it holds %lld of %lld runs, and --run takes an index or the first digits of an id",
        cli->argument[0], cli->run, (long long)t->nruns, (long long)t->sweep_runs);
}

/* For people: a time of 0.1 is 0.1. All digits are in what is for programs. */
static void show_run(const struct sw_run_table *t, const struct shown_column *c, int n, int64_t run)
{
    char text[40];
    struct sw_text room = {0};
    for (int k = 0; k < n; k++) {
        const char *name = escape(&room, c[k].name);
        printf("%s%*s ", name, console_width(name) < 12 ? 12 - console_width(name) : 0, "");
        printf("%s\n", escape(&room, format_cell(t, &c[k], run, 10, text)));
    }
    printf("%-12s %s\n", "problem", escape(&room, t->problem));
    printf("%-12s %s\n", "solver", escape(&room, t->solver));
    printf("%-12s %s\n", "source", escape(&room, t->source));
    if (t->math_library && *t->math_library) printf("%-12s %s\n", "math", escape(&room, t->math_library));
    sw_text_free(&room);
}

/* @param status  of the rows; -1: all @param out  free out->row with sw_free() */
static enum sw_status choose_rows(const struct sw_cli *cli, const struct sw_run_table *t, int status, struct rows *out)
{
    int64_t row = 0;
    if (cli->run) SW_TRY(find_run(cli, t, &row));
    SW_TRY(sw_alloc((size_t)t->nruns, &out->row));
    for (int64_t r = cli->run ? row : 0; r < (cli->run ? row + 1 : t->nruns); r++)
        if (status < 0 || (int)sw_run_table_status(t, r) == status) out->row[out->count++] = r;
    return SW_OK;
}

/* @param sum  NULL: there are only parts so far */
static enum sw_status show_runs(const struct sw_cli *cli, const struct sw_run_table *t, int status,
                                const struct sw_file_checksum *sum)
{
    struct shown_column c[SHOWN_MOST];
    struct rows rows = {0};
    int n = shown_columns(t, c);
    SW_TRY(choose_rows(cli, t, status, &rows));
    if (cli->json) show_json(t, c, n, &rows, sum, "runs");
    else if (cli->run) show_run(t, c, n, rows.row[0]);
    else if (cli->csv) show_csv(t, c, n, &rows);
    else {
        show_table(cli, t, c, n, &rows, sum);
        explain_accuracy(cli, t, &rows);
    }
    sw_free(rows.row);
    return SW_OK;
}

/* Statistics that do not fit are in the file. */
static enum sw_status show_statistics(const struct sw_cli *cli, const char *file, const struct sw_run_table *t,
                                      const struct sw_file_checksum *sum)
{
    struct sw_statistics_table s;
    struct shown_column c[SHOWN_MOST];
    struct rows rows = {0};
    SW_TRY(sw_statistics_table_read(file, t, &s));
    const int n = s.ncolumn < SHOWN_MOST ? s.ncolumn : SHOWN_MOST;
    for (int k = 0; k < n; k++) {
        const struct sw_statistics_column *from = &s.column[k];
        c[k] = (struct shown_column){.name = from->name, .kind = from->text ? CELL_TEXT : from->count ? CELL_COUNT
                                                                                                : CELL_REAL,
                                    .count = from->count, .real = from->number, .text = from->text, .brief = true};
    }
    enum sw_status st = sw_alloc((size_t)s.nrow, &rows.row);
    for (int64_t r = 0; r < s.nrow && !st; r++) rows.row[rows.count++] = r;
    if (st) {}
    else if (cli->json) show_json(t, c, n, &rows, sum, "statistics");
    else if (cli->csv) show_csv(t, c, n, &rows);
    else show_table(cli, t, c, n, &rows, sum);
    const int left = s.nfield + s.ncolumn - n;
    if (!st && !cli->json && !cli->csv && left)
        console_print(cli, "\nnote     %d statistics more, of fields%s, %s in the group statistics of the file\n", left,
                      s.ncolumn > n ? " and others" : "", left == 1 ? "is" : "are");
    sw_free(rows.row);
    sw_statistics_table_free(&s);
    return st;
}

static enum sw_status find_status(const char *word, int *status)
{
    *status = -1;
    for (int s = 0; word && s < SW_RUN_STATUSES && *status < 0; s++)
        if (!strcmp(word, sw_run_status_names[s])) *status = s;
    if (!word || *status >= 0) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "--status takes pending, done, diverged or error; got '%s'", word);
}

enum sw_status cmd_show(struct sw_cli *cli)
{
    struct sw_run_table *table = NULL;
    int status;
    if (cli->csv && cli->json) return SW_FAIL(SW_E_USAGE, "--csv or --json, not both");
    if (cli->csv && cli->run) return SW_FAIL(SW_E_USAGE, "--csv prints all runs; use --json for one");
    if (cli->status && cli->run)
        return SW_FAIL(SW_E_USAGE, "--run shows one run, --status those of one status: not both");
    if (cli->statistics && (cli->run || cli->status))
        return SW_FAIL(SW_E_USAGE, "--statistics shows numbers over all runs: not with --%s",
                       cli->run ? "run" : "status");
    SW_TRY(find_status(cli->status, &status));
    char *file;
    SW_TRY(cli_input_path(cli->argument[0], &file));
    enum sw_status st = cli->statistics ? sw_run_table_read(file, &table) : sw_run_table_read_scalars(file, &table);
    struct sw_file_checksum sum;
    const bool there = !st && !sw_files_absent(file);
    if (there) st = sw_file_checksum_look(file, &sum);
    if (!st && cli->statistics) st = show_statistics(cli, file, table, there ? &sum : NULL);
    else if (!st) st = show_runs(cli, table, status, there ? &sum : NULL);
    sw_run_table_free(&table);
    sw_free(file);
    return st;
}
