/* sweep bench SPEC: rows side by side (src/bench does it; here the results are printed). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_text.h"
#include "bench/sw_bench.h"
#include "cli/bench_print.h"
#include "cli/console.h"

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
static void print_row(struct sw_cli *cli, const struct sw_bench *b, const struct sw_bench_row *r)
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
        print_row(cli, b, &b->row[k]);
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
    if (!st && cli->output) st = bench_append_csv(cli->output, text, &bench, baseline);
    if (!st && cli->csv) bench_print_csv(stdout, first, text, &bench, baseline);
    else if (!st && cli->json) bench_print_json(stdout, text, &bench, baseline);
    else if (!st) bench_print_table(cli, &bench, baseline);
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
