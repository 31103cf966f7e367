/* sweep bench SPEC...: rows side by side (src/bench times them), printed as a table, CSV or JSON. */
#include <errno.h>
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
#include "cli/console.h"

static const char *const state_name[] = {
    [SW_BENCH_PENDING] = "pending", [SW_BENCH_OK] = "ok", [SW_BENCH_WRONG] = "wrong", [SW_BENCH_ABSENT] = "absent",
    [SW_BENCH_FAILED] = "failed",
};

/* ------------------------------------------------------------------ for people */

enum { FIGURES = 11 };

/* A column of figures. What a narrow terminal has no room for is left out there. */
struct column { const char *head; int width; bool always; };
static const struct column columns[FIGURES] = {
    {"set-up s", 8, false}, {NULL, 13, false}, {"median", 9, false},  {NULL, 9, true},       {"ratio", 6, true},
    {"of copy", 7, true},   {"of FMA", 7, true}, {"bytes", 5, false}, {"ops", 4, false},     {"error", 7, true},
    {"s/iteration", 11, true},
};
enum { FIGURE_LEAST = 1, FIGURE_RATE = 3, FIGURE_ITERATION = 10 };  /* the first two have heads of the work */

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
    return (columns[k].always || !narrow) && (k != FIGURE_ITERATION || is_iterative(b));
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
                                                "%.3g", "%.1e", "%.3e"};
    const double steps = (double)r->steps, value[FIGURES] = {
        r->setup, r->least / steps, r->median / steps, r->rate, sw_bench_ratio(b, r, baseline),
        100 * sw_bench_of_copy(b, r), 100 * sw_bench_of_fma(b, r), r->cost.bytes, r->cost.fma, r->error,
        r->iterations > 0 ? r->least / steps / r->iterations : NAN,
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

static void csv_text(FILE *to, const char *text)
{
    fputc(',', to);
    console_write_csv(to, text);
}

static void csv_real(FILE *to, double value)
{
    if (isfinite(value)) fprintf(to, ",%.6g", value);
    else fputc(',', to);
}

static void csv_facts(FILE *to, const struct sw_bench *b, const struct sw_bench_row *r, const struct facts *f)
{
    const struct sw_device *d = b->device[r->where].device;
    const struct sw_rates *rates = sw_bench_rates_of(b, r);
    csv_real(to, rates->copy);
    csv_real(to, rates->fma);
    csv_real(to, rates->clock * 1e-6);
    csv_text(to, d->name);
    fprintf(to, ",%d", d->threads);
    csv_text(to, d->driver);
    csv_text(to, d->runtime);
    csv_text(to, f->commit);
    csv_text(to, sw_build.compiler);
    csv_text(to, sw_build.flags);
    csv_text(to, f->host);
    csv_text(to, f->when);
    if (r->r) fprintf(to, ",%lld", (long long)r->r);
    else fputc(',', to);
    csv_real(to, r->iterations > 0 ? r->iterations : NAN);
    fputc('\n', to);
}

static void csv_row(FILE *to, const char *text, const struct sw_bench *b, const struct sw_bench_row *r, int baseline,
                    const struct facts *f)
{
    const double real[] = {r->setup, r->least, r->median, r->rate, r->cost.bytes, sw_bench_of_copy(b, r), r->cost.fma,
                           sw_bench_of_fma(b, r), sw_bench_ratio(b, r, baseline)};
    bool timed = r->state == SW_BENCH_OK, checked = timed || r->state == SW_BENCH_WRONG;
    console_write_csv(to, text);
    fprintf(to, ",%s,%lld,%d,%lld,%s,%s,%d", b->spec.name, (long long)b->spec.n, b->spec.batch,
            (long long)r->steps, r->name, state_name[r->state], r->repeats);
    for (size_t k = 0; k < sizeof real / sizeof *real; k++) csv_real(to, timed ? real[k] : NAN);
    fprintf(to, ",%s", b->row[baseline].name);
    csv_real(to, checked ? r->error : NAN);
    csv_real(to, checked ? r->bound : NAN);
    csv_facts(to, b, r, f);
}

/* @param text  the spec, as typed */
static void print_csv(FILE *to, bool header, const char *text, const struct sw_bench *b, int baseline)
{
    struct facts f;
    collect_facts(&f);
    if (header)
        fputs("spec,work,n,batch,steps,row,state,repeats,setup_s,least_s,median_s,rate,bytes,of_copy,ops,of_fma,ratio,"
              "baseline,error,bound,copy_bytes_per_s,fma_per_s,clock_mhz,device,threads,driver,cuda,commit,compiler,"
              "flags,host,when,r,iterations\n", to);
    for (int k = 0; k < b->rows; k++) csv_row(to, text, b, &b->row[k], baseline, &f);
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

static void json_row(struct sw_json *j, const struct sw_bench *b, const struct sw_bench_row *r, int baseline)
{
    bool timed = r->state == SW_BENCH_OK, checked = timed || r->state == SW_BENCH_WRONG;
    sw_json_begin(j, NULL, '{');
    sw_json_text(j, "row", r->name);
    sw_json_text(j, "state", state_name[r->state]);
    if (!timed) sw_json_text(j, "why", r->why);
    sw_json_text(j, "device", b->device[r->where].device->name);
    sw_json_count(j, "threads", b->device[r->where].device->threads);
    sw_json_real(j, "copy_bytes_per_s", sw_bench_rates_of(b, r)->copy);
    sw_json_real(j, "fma_per_s", sw_bench_rates_of(b, r)->fma);
    sw_json_real(j, "clock_mhz", 1e-6 * sw_bench_rates_of(b, r)->clock);
    if (checked) {
        sw_json_real(j, "error", r->error);
        sw_json_real(j, "bound", r->bound);
    }
    if (timed) {
        sw_json_count(j, "steps", r->steps);
        sw_json_count(j, "repeats", r->repeats);
        if (r->r) sw_json_count(j, "r", r->r);
        if (r->iterations > 0) sw_json_real(j, "iterations", r->iterations);
        sw_json_real(j, "setup_s", r->setup);
        sw_json_real(j, "least_s", r->least);
        sw_json_real(j, "median_s", r->median);
        sw_json_real(j, "rate", r->rate);
        sw_json_real(j, "bytes", r->cost.bytes);
        sw_json_real(j, "of_copy", sw_bench_of_copy(b, r));
        sw_json_real(j, "ops", r->cost.fma);
        sw_json_real(j, "of_fma", sw_bench_of_fma(b, r));
        sw_json_real(j, "ratio", sw_bench_ratio(b, r, baseline));
    }
    sw_json_end(j, '}');
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
    for (int k = 0; k < b->rows; k++) json_row(&j, b, &b->row[k], baseline);
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
    SW_TRY(sw_bench_rates(d));
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

static enum sw_status bench_one(struct sw_cli *cli, struct measured_devices *known, const char *text, bool first)
{
    struct sw_bench_spec spec;
    struct sw_bench bench;
    int baseline;
    SW_TRY(sw_bench_parse(text, &cli->report, &spec));
    console_report(cli);
    SW_TRY(sw_bench_open(&spec, cli->rows, cli->device ? cli->device : "auto", cli->threads, &bench));
    if (cli->longest > 0) bench.longest = cli->longest;
    console_message(cli, "bench    %s · %s\n", text, bench.device[0].device->name);
    enum sw_status st = find_baseline(cli, &bench, &baseline);
    if (!st) st = run_rows(cli, known, &bench);
    if (!st && !cli->baseline) baseline = last_timed(&bench);
    if (!st && cli->output) st = append_csv(cli->output, text, &bench, baseline);
    if (!st && cli->csv) print_csv(stdout, first, text, &bench, baseline);
    else if (!st && cli->json) print_json(text, &bench, baseline);
    else if (!st) print_table(cli, &bench, baseline);
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
