/* sweep bench SPEC...: rows side by side (src/bench times them), printed as a table, CSV or JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_json.h"
#include "base/sw_text.h"
#include "base/sw_version.h"
#include "bench/sw_bench.h"
#include "cli/cell.h"
#include "cli/console.h"

static const char *const state_name[] = {
    [SW_BENCH_PENDING] = "pending", [SW_BENCH_OK] = "ok", [SW_BENCH_WRONG] = "wrong", [SW_BENCH_ABSENT] = "absent",
    [SW_BENCH_FAILED] = "failed",
};

/* ------------------------------------------------------------------ for people */

enum { FIGURES = 15 };

/* A column of figures. What a narrow terminal has no room for is left out there. */
struct column { const char *head; int width; bool always; };
static const struct column columns[FIGURES] = {
    {"set-up s", 8, false}, {NULL, 13, false}, {"median", 9, false},  {NULL, 9, true},       {"ratio", 6, true},
    {"of copy", 7, true},   {"of FMA", 7, true}, {"bytes", 5, false}, {"ops", 4, false},     {"error", 7, true},
    {"s/iteration", 11, true},
    {"bytes sent", 10, true}, {"at least", 9, true}, {"messages", 8, true}, {"at least", 8, true},
};
enum { FIGURE_LEAST = 1, FIGURE_RATE = 3, FIGURE_ITERATION = 10, FIGURE_SENT };  /* the first two: heads of the work */

static const char *column_head(const struct sw_bench *b, int k)
{
    return k == FIGURE_LEAST ? b->spec.terms->least : k == FIGURE_RATE ? b->spec.terms->rate : columns[k].head;
}

static bool is_iterative(const struct sw_bench *b)
{
    for (int k = 0; k < b->rows; k++)
        if (b->row[k].iterations > 0) return true;
    return false;
}

static bool is_shown(const struct sw_bench *b, int k, bool narrow)
{
    return (columns[k].always || !narrow) && (k != FIGURE_ITERATION || is_iterative(b)) &&
           (k < FIGURE_SENT || b->spec.split);
}

/* "-" for what was not counted or measured. */
static const char *format_figure(const char *fmt, double value, char text[24])
{
    if (isfinite(value)) snprintf(text, 24, fmt, value);
    else snprintf(text, 24, "-");
    return text;
}

/* "cpu.a2d, r = 1024" */
static const char *row_label(const struct sw_bench_row *r, char text[128])
{
    if (r->r) snprintf(text, 128, "%s, r = %lld", r->name, (long long)r->r);
    else snprintf(text, 128, "%s", r->name);
    return text;
}

static int widest_name(const struct sw_bench *b)
{
    char text[128];
    size_t width = 3;
    for (int k = 0; k < b->rows; k++)
        if (strlen(row_label(&b->row[k], text)) > width) width = strlen(text);
    return (int)width;
}

/* Whether the terminal that the table goes to has no room for all of it. */
static bool is_narrow(const struct sw_bench *b)
{
    struct winsize size;
    const char *given = getenv("COLUMNS");
    int width = widest_name(b), room = given ? atoi(given) : 0;
    for (int k = 0; k < FIGURES; k++) width += is_shown(b, k, false) ? 1 + columns[k].width : 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col) room = size.ws_col;
    return room > 0 && room < width;
}

static void print_figures(const struct sw_cli *cli, const struct sw_bench *b, const struct sw_bench_row *r,
                          int baseline, bool narrow)
{
    static const char *const format[FIGURES] = {"%.2g", "%.3e", "%.3e", "%.3g", "%.3g", "%.1f %%", "%.1f %%", "%.3g",
                                                "%.3g", "%.1e", "%.3e", "%.0f", "%.0f", "%.3g", "%.3g"};
    const double steps = (double)r->steps, value[FIGURES] = {
        r->setup, r->least / steps, r->median / steps, r->rate, sw_bench_ratio(b, r, baseline),
        100 * sw_bench_of_copy(b, r), 100 * sw_bench_of_fma(b, r), r->cost.bytes, r->cost.fma, r->error,
        r->iterations > 0 ? r->least / steps / r->iterations : NAN,
        r->sent, r->least_sent, r->messages, r->least_messages,
    };
    char text[24], name[128];
    console_print(cli, "%-*s", widest_name(b), row_label(r, name));
    if (r->state != SW_BENCH_OK) { console_print(cli, "  %s: %s\n", state_name[r->state], r->why); return; }
    for (int k = 0; k < FIGURES; k++)
        if (is_shown(b, k, narrow))
            console_print(cli, " %*s", columns[k].width, format_figure(format[k], value[k], text));
    console_print(cli, "\n");
}

static void print_table(const struct sw_cli *cli, const struct sw_bench *b, int baseline)
{
    bool narrow = is_narrow(b);
    console_print(cli, "%-*s", widest_name(b), "row");
    for (int k = 0; k < FIGURES; k++)
        if (is_shown(b, k, narrow))
            console_print(cli, " %*s", columns[k].width, column_head(b, k));
    console_print(cli, "\n");
    for (int k = 0; k < b->rows; k++) print_figures(cli, b, &b->row[k], baseline, narrow);
    console_print(cli, "ratio: to %s\n", b->row[baseline].name);
    console_print(cli, "of copy, of FMA: what is counted for one %s,\nas a share of what the device can do\n",
                  b->spec.terms->one);
    if (b->spec.split)
        console_print(cli, "bytes sent, messages: by each of %d ranks in a step, beside the least that is needed\n",
                      b->spec.split);
}

/* ------------------------------------------------------------------ for programs */

struct facts { char host[128], when[21], commit[40]; };

static void collect_facts(struct facts *f)
{
    memset(f, 0, sizeof *f);
    if (gethostname(f->host, sizeof f->host - 1)) f->host[0] = 0;
    sw_clock_utc(0, f->when);
    snprintf(f->commit, sizeof f->commit, "%s%s", sw_build.commit, sw_build.dirty ? "+" : "");
}

/* ---- a row as cells, in the order of the CSV */

enum { MOST_CELLS = 48 };

static void add_text(struct cell **c, const char *name, const char *text, enum cell_use use)
{
    *(*c)++ = (struct cell){.name = name, .kind = CELL_TEXT, .use = use, .text = text};
}

static void add_count(struct cell **c, const char *name, int64_t count, enum cell_use use)
{
    *(*c)++ = (struct cell){.name = name, .kind = CELL_COUNT, .use = use, .count = count};
}

/* @param known  false: it was not measured */
static void add_figure(struct cell **c, const char *name, double value, bool known)
{
    *(*c)++ = (struct cell){.name = name, .kind = known ? CELL_FIGURE : CELL_EMPTY, .real = value};
}

/* @param text  the spec, as typed @return how many */
static int row_cells(const char *text, const struct sw_bench *b, const struct sw_bench_row *r, int baseline,
                     const struct facts *f, struct cell cell[MOST_CELLS])
{
    const bool cut = b->spec.split > 0, timed = r->state == SW_BENCH_OK, checked = timed || r->state == SW_BENCH_WRONG;
    const struct sw_device *d = b->device[r->where].device;
    const struct sw_rates *rates = sw_bench_rates_of(b, r);
    struct cell *c = cell;
    add_text(&c, "spec", text, CELL_IN_CSV);
    add_text(&c, "work", b->spec.name, CELL_IN_CSV);
    add_count(&c, "n", b->spec.n, CELL_IN_CSV);
    add_count(&c, "batch", b->spec.batch, CELL_IN_CSV);
    add_count(&c, "steps", r->steps, timed ? CELL_IN_BOTH : CELL_IN_CSV);
    add_text(&c, "row", r->name, CELL_IN_BOTH);
    add_text(&c, "state", state_name[r->state], CELL_IN_BOTH);
    if (!timed) add_text(&c, "why", r->why, CELL_IN_JSON);
    add_count(&c, "repeats", r->repeats, timed ? CELL_IN_BOTH : CELL_IN_CSV);
    add_figure(&c, "setup_s", r->setup, timed);
    add_figure(&c, "least_s", r->least, timed);
    add_figure(&c, "median_s", r->median, timed);
    add_figure(&c, "rate", r->rate, timed);
    add_figure(&c, "bytes", r->cost.bytes, timed);
    add_figure(&c, "of_copy", sw_bench_of_copy(b, r), timed);
    add_figure(&c, "ops", r->cost.fma, timed);
    add_figure(&c, "of_fma", sw_bench_of_fma(b, r), timed);
    add_figure(&c, "ratio", sw_bench_ratio(b, r, baseline), timed);
    add_text(&c, "baseline", b->row[baseline].name, CELL_IN_CSV);
    add_figure(&c, "error", r->error, checked);
    add_figure(&c, "bound", r->bound, checked);
    add_figure(&c, "copy_bytes_per_s", rates->copy, true);
    add_figure(&c, "fma_per_s", rates->fma, true);
    add_figure(&c, "clock_mhz", rates->clock * 1e-6, true);
    add_text(&c, "device", d->name, CELL_IN_BOTH);
    add_count(&c, "threads", d->threads, CELL_IN_BOTH);
    add_text(&c, "driver", d->driver, CELL_IN_CSV);
    add_text(&c, "cuda", d->runtime, CELL_IN_CSV);
    add_text(&c, "commit", f->commit, CELL_IN_CSV);
    add_text(&c, "compiler", sw_build.compiler, CELL_IN_CSV);
    add_text(&c, "flags", sw_build.flags, CELL_IN_CSV);
    add_text(&c, "host", f->host, CELL_IN_CSV);
    add_text(&c, "when", f->when, CELL_IN_CSV);
    add_count(&c, "r", r->r, CELL_IN_BOTH);
    if (!r->r) c[-1].kind = CELL_EMPTY;
    add_figure(&c, "iterations", r->iterations, r->iterations > 0);
    add_count(&c, "split", b->spec.split, CELL_IN_BOTH);
    if (!cut) c[-1].kind = CELL_EMPTY;
    add_figure(&c, "sent_bytes", r->sent, timed && cut);
    add_figure(&c, "least_bytes", r->least_sent, timed && cut);
    add_figure(&c, "sent_messages", r->messages, timed && cut);
    add_figure(&c, "least_messages", r->least_messages, timed && cut);
    add_text(&c, "comm", r->comm, CELL_IN_CSV);
    return (int)(c - cell);
}

/* @param names  those of the columns, not their values */
static void print_csv_line(FILE *to, const struct cell *cell, int n, bool names)
{
    const char *comma = "";
    for (int k = 0; k < n; k++) {
        if (cell[k].use == CELL_IN_JSON) continue;
        fputs(comma, to);
        if (names) fputs(cell[k].name, to);
        else cell_print_csv(to, &cell[k]);
        comma = ",";
    }
    fputc('\n', to);
}

/* @param text  the spec, as typed */
static void print_csv(FILE *to, bool header, const char *text, const struct sw_bench *b, int baseline)
{
    struct facts f;
    struct cell cell[MOST_CELLS];
    collect_facts(&f);
    for (int k = 0; k < b->rows; k++) {
        const int n = row_cells(text, b, &b->row[k], baseline, &f, cell);
        if (header && !k) print_csv_line(to, cell, n, true);
        print_csv_line(to, cell, n, false);
    }
}

/* Rows are added at the end of the file; a file that is new or empty gets the header first. */
static enum sw_status append_csv(const char *path, const char *text, const struct sw_bench *b, int baseline)
{
    FILE *f;
    SW_TRY(console_append_open(path, "spec,work,", &f));
    print_csv(f, fseek(f, 0, SEEK_END) == 0 && ftell(f) == 0, text, b, baseline);
    bool bad = ferror(f);
    if (fclose(f) || bad) return SW_FAIL(SW_E_IO, "%s: could not write all of it", path);
    return SW_OK;
}

static void print_json(const char *text, const struct sw_bench *b, int baseline)
{
    struct sw_json j = {.to = stdout, .first = true};
    struct facts f;
    collect_facts(&f);
    sw_json_begin(&j, NULL, '{');
    sw_json_text(&j, "spec", text);
    sw_json_text(&j, "baseline", b->row[baseline].name);
    sw_json_text(&j, "commit", f.commit);
    sw_json_text(&j, "compiler", sw_build.compiler);
    sw_json_text(&j, "flags", sw_build.flags);
    sw_json_text(&j, "host", f.host);
    sw_json_text(&j, "when", f.when);
    sw_json_begin(&j, "rows", '[');
    for (int k = 0; k < b->rows; k++) {
        struct cell cell[MOST_CELLS];
        const int n = row_cells(text, b, &b->row[k], baseline, &f, cell);
        sw_json_begin(&j, NULL, '{');
        for (int c = 0; c < n; c++)
            if (cell[c].use != CELL_IN_CSV) cell_print_json(&j, &cell[c]);
        sw_json_end(&j, '}');
    }
    sw_json_end(&j, ']');
    sw_json_end(&j, '}');
}

/* ------------------------------------------------------------------ the command */

/* Unless named: the last row that was timed. */
static int last_timed(const struct sw_bench *b)
{
    int k = b->rows - 1;
    while (k > 0 && b->row[k].state != SW_BENCH_OK) k--;
    return k;
}

static enum sw_status find_baseline(const struct sw_cli *cli, const struct sw_bench *b, int *baseline)
{
    struct sw_text names = {0};
    *baseline = b->rows - 1;
    if (!cli->baseline) return SW_OK;
    for (int k = 0; k < b->rows; k++) {
        sw_text_printf(&names, " %s", b->row[k].name);
        if (!strcmp(b->row[k].name, cli->baseline)) *baseline = k;
    }
    enum sw_status st = !strcmp(b->row[*baseline].name, cli->baseline) ? SW_OK
                      : SW_FAIL(SW_E_USAGE, "--baseline '%s' is not among the rows:%s", cli->baseline,
                                sw_text_get(&names));
    sw_text_free(&names);
    return st;
}

/* What the devices can do that earlier specs of the same command used; the table fills up no further. */
struct measured { char label[64]; int threads; struct sw_rates rates; };
struct measured_devices { struct measured device[SW_BENCH_DEVICES]; int count; };

static struct measured *find_measured(struct measured_devices *known, const struct sw_device *device)
{
    for (int k = 0; k < known->count; k++)
        if (!strcmp(known->device[k].label, device->label) && known->device[k].threads == device->threads)
            return &known->device[k];
    return NULL;
}

static enum sw_status measure_device(struct sw_cli *cli, struct measured_devices *known, struct sw_bench_device *d)
{
    struct measured *earlier = find_measured(known, d->device);
    if (d->rates.copy > 0) return SW_OK;
    if (earlier) { d->rates = earlier->rates; return SW_OK; }
    SW_TRY(sw_bench_rates(d, cli->repeats));
    if (known->count < SW_BENCH_DEVICES) {
        struct measured *m = &known->device[known->count++];
        snprintf(m->label, sizeof m->label, "%s", d->device->label);
        m->threads = d->device->threads;
        m->rates = d->rates;
    }
    console_message(cli, "device   %s · copies %.3g bytes/s, read and written · %.3g FMA/s", d->device->name,
                    d->rates.copy, d->rates.fma);
    if (d->rates.clock > 0) console_message(cli, " · %.0f MHz", d->rates.clock * 1e-6);
    console_message(cli, "\n");
    return SW_OK;
}

/* What a point costs, in bytes that could have been copied in the same time. */
static void print_timing(struct sw_cli *cli, const struct sw_bench *b, const struct sw_bench_row *r)
{
    if (r->state != SW_BENCH_OK) { console_message(cli, "%-8s %s\n", "", r->why); return; }
    console_message(cli, "%-8s set up in %.2g s · error %.2g, may be %.2g · %d repeats of %lld steps", "", r->setup,
                    r->error,
                    r->bound, r->repeats, (long long)r->steps);
    if (r->r) console_message(cli, ", r = %lld", (long long)r->r);
    console_message(cli, " · %.4g bytes of copy a %s\n", sw_bench_rates_of(b, r)->copy / r->rate, b->spec.terms->one);
}

/* A row that this machine lacks is a failure only where the user named it. */
static void set_exit_code(struct sw_cli *cli, const struct sw_bench_row *r)
{
    bool all = !cli->rows || !strcmp(cli->rows, "all");
    if (r->state == SW_BENCH_OK || (r->state == SW_BENCH_ABSENT && all)) return;
    cli->exit_code = 1;
}

static enum sw_status run_rows(struct sw_cli *cli, struct measured_devices *known, struct sw_bench *b)
{
    for (int k = 0; k < b->rows; k++) {
        SW_TRY(measure_device(cli, known, &b->device[b->row[k].where]));
        console_message(cli, "row      %s\n", b->row[k].name);
        SW_TRY(sw_bench_run(b, k, cli->repeats));
        print_timing(cli, b, &b->row[k]);
        set_exit_code(cli, &b->row[k]);
    }
    return SW_OK;
}

static enum sw_status print_results(const struct sw_cli *cli, const char *text, bool first, const struct sw_bench *b,
                                    int baseline)
{
    if (cli->muted) return SW_OK;
    if (cli->output) SW_TRY(append_csv(cli->output, text, b, baseline));
    if (cli->csv) print_csv(stdout, first, text, b, baseline);
    else if (cli->json) print_json(text, b, baseline);
    else print_table(cli, b, baseline);
    return SW_OK;
}

/* Of the processes that mpirun has started one alone does what is not cut over them. */
static enum sw_status bench_one(struct sw_cli *cli, struct measured_devices *known, const char *text, bool first)
{
    struct sw_bench_processes processes = {cli->comm, cli->local_rank, cli->local_ranks};
    struct sw_bench_spec spec;
    struct sw_bench bench;
    int baseline;
    SW_TRY(sw_bench_parse(text, &cli->report, &spec));
    console_report(cli);
    if (!spec.split && cli->comm->rank) {
        sw_bench_release(&spec);
        return SW_OK;
    }
    if (!spec.split) processes = (struct sw_bench_processes){sw_comm_null(), 0, 1};
    SW_TRY(sw_bench_open(&spec, cli->rows, cli->device ? cli->device : "auto", cli->threads, &processes, &bench));
    if (cli->longest > 0) bench.longest = cli->longest;
    console_message(cli, "bench    %s · %s\n", text, bench.device[0].device->name);
    enum sw_status st = find_baseline(cli, &bench, &baseline);
    if (!st) st = run_rows(cli, known, &bench);
    if (!st && !cli->baseline) baseline = last_timed(&bench);
    if (!st) st = print_results(cli, text, first, &bench, baseline);
    sw_bench_close(&bench);
    return st;
}

enum sw_status cmd_bench(struct sw_cli *cli)
{
    struct measured_devices known = {.count = 0};
    if (cli->csv && cli->json) return SW_FAIL(SW_E_USAGE, "--csv and --json exclude each other");
    if (cli->json && cli->narguments > 1)
        return SW_FAIL(SW_E_USAGE, "--json prints one object: one SPEC at a time, not %d", cli->narguments);
    for (int k = 0; k < cli->narguments; k++) SW_TRY(bench_one(cli, &known, cli->argument[k], k == 0));
    return SW_OK;
}
