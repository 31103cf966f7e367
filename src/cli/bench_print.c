/* Results of `sweep bench`, as a table, CSV or JSON. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_json.h"
#include "base/sw_version.h"
#include "cli/append_file.h"
#include "cli/bench_print.h"
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

static void print_row(const struct sw_cli *cli, const struct sw_bench *b, const struct sw_bench_row *r, int baseline,
                      bool narrow)
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

void bench_print_table(const struct sw_cli *cli, const struct sw_bench *b, int baseline)
{
    bool narrow = is_narrow(b);
    console_print(cli, "%-*s", widest_name(b), "row");
    for (int k = 0; k < FIGURES; k++)
        if (is_shown(b, k, narrow))
            console_print(cli, " %*s", columns[k].width, column_head(b, k));
    console_print(cli, "\n");
    for (int k = 0; k < b->rows; k++) print_row(cli, b, &b->row[k], baseline, narrow);
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

void bench_print_csv(FILE *to, bool header, const char *text, const struct sw_bench *b, int baseline)
{
    struct facts f;
    collect_facts(&f);
    if (header)
        fputs("spec,work,n,batch,steps,row,state,repeats,setup_s,least_s,median_s,rate,bytes,of_copy,ops,of_fma,ratio,"
              "baseline,error,bound,copy_bytes_per_s,fma_per_s,clock_mhz,device,threads,driver,cuda,commit,compiler,"
              "flags,host,when,r,iterations\n", to);
    for (int k = 0; k < b->rows; k++) csv_row(to, text, b, &b->row[k], baseline, &f);
}

enum sw_status bench_append_csv(const char *path, const char *text, const struct sw_bench *b, int baseline)
{
    FILE *f;
    SW_TRY(append_open(path, "spec,work,", &f));
    bench_print_csv(f, fseek(f, 0, SEEK_END) == 0 && ftell(f) == 0, text, b, baseline);
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

void bench_print_json(FILE *to, const char *text, const struct sw_bench *b, int baseline)
{
    struct sw_json j = {.to = to, .first = true};
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
