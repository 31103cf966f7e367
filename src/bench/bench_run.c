/* One row: set up, warm up, verify, time. Where the grid is cut all ranks do so, and take the same decisions: a time is
 * that of the slowest, an error the largest of all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "bench/bench_impl.h"

enum { LEAST_REPEATS = 5, MOST_REPEATS = 1000 };
static const double long_enough = 0.5;   /* seconds that all repeats take together */

struct timing {
    const struct bench_work *work;
    void                    *own;
    struct sw_device        *device;
    const struct sw_comm    *comm;    /* on the host, of all ranks                       */
    struct sw_comm_traffic  *sent;    /* by this rank, in the steps that were timed last */
};

/* To an idle device. */
static enum sw_status begin(const struct timing *t)
{
    if (t->work->begin) SW_TRY(t->work->begin(t->own));
    return sw_device_wait(t->device);
}

/* From an idle device to an idle device. Ranks start together. */
static enum sw_status time_steps(const struct timing *t, int64_t steps, double *seconds)
{
    SW_TRY(begin(t));
    SW_TRY(sw_comm_barrier(t->comm));
    *t->sent = (struct sw_comm_traffic){0};
    double start = sw_clock();
    SW_TRY(t->work->advance(t->own, steps));
    SW_TRY(sw_device_wait(t->device));
    *seconds = sw_clock() - start;
    return sw_comm_max(t->comm, 1, seconds);
}

static int64_t affordable(double longest, double one, int64_t asked)
{
    if (one * (double)asked <= longest) return asked;
    return one < longest ? (int64_t)(longest / one) : 1;
}

/* Steps for a repeat, from the time one step takes. The first call of all also loads kernels and touches memory. Where
 * a row keeps its state on the chip or in the cache, one step among many takes less than one by itself: such a row gets
 * more than the first guess. */
static enum sw_status choose_steps(const struct timing *t, int64_t asked, double longest, int64_t *steps)
{
    double seconds;
    SW_TRY(time_steps(t, 1, &seconds));
    SW_TRY(time_steps(t, 1, &seconds));
    *steps = affordable(longest, seconds, asked);
    for (int guess = 0; guess < 3 && *steps > 1 && *steps < asked; guess++) {
        SW_TRY(time_steps(t, *steps, &seconds));
        if (seconds > 0.6 * longest) break;
        *steps = affordable(longest, seconds / (double)*steps, asked);
    }
    return SW_OK;
}

static enum sw_status verify(const struct timing *t, struct sw_bench_row *row)
{
    int64_t steps = t->work->most_checked && t->work->most_checked < row->steps ? t->work->most_checked : row->steps;
    double seconds;
    SW_TRY(time_steps(t, steps, &seconds));
    SW_TRY(sw_comm_agree(t->comm, t->work->check(t->own, steps, &row->error, &row->bound)));
    SW_TRY(sw_comm_max(t->comm, 1, &row->error));
    SW_TRY(sw_comm_max(t->comm, 1, &row->bound));
    row->state = row->error <= row->bound ? SW_BENCH_OK : SW_BENCH_WRONG;
    if (row->state == SW_BENCH_WRONG)
        snprintf(row->why, sizeof row->why, "its error, %.2g, is beyond the bound, %.2g: not timed", row->error,
                 row->bound);
    return SW_OK;
}

static enum sw_status repeat(const struct timing *t, int repeats, struct sw_bench_row *row)
{
    double *seconds = NULL, sum = 0;
    enum sw_status st = SW_OK;
    int count = 0, most = repeats ? repeats : MOST_REPEATS;
    SW_TRY(sw_alloc((size_t)most, &seconds));
    while (!st && count < most && (repeats || count < LEAST_REPEATS || sum < long_enough)) {
        st = time_steps(t, row->steps, &seconds[count]);
        sum += seconds[count++];
    }
    if (!st) {
        qsort(seconds, (size_t)count, sizeof *seconds, sw_by_real);
        row->repeats = count;
        row->least = seconds[0];
        row->median = count % 2 ? seconds[count / 2] : 0.5 * (seconds[count / 2 - 1] + seconds[count / 2]);
    }
    sw_free(seconds);
    return st;
}

static enum sw_status note_sent(const struct timing *t, struct sw_bench_row *row)
{
    struct bench_sent least = {0};
    double messages = 0, numbers = 0;
    if (t->work->least_sent) least = t->work->least_sent(t->own);
    for (int way = 0; way < SW_COMM_WAYS; way++) {
        messages += t->sent->messages[way];
        numbers += t->sent->numbers[way];
    }
    double most[] = {numbers * sizeof(double) / (double)row->steps, messages / (double)row->steps, (double)least.bytes,
                     (double)least.messages};
    SW_TRY(sw_comm_max(t->comm, 4, most));
    row->sent = most[0];
    row->messages = most[1];
    row->least_sent = t->work->least_sent ? most[2] : NAN;
    row->least_messages = t->work->least_sent ? most[3] : NAN;
    return SW_OK;
}

static enum sw_status measure(const struct timing *t, const struct sw_bench *bench, int repeats,
                              struct sw_bench_row *row)
{
    const struct sw_bench_spec *spec = &bench->spec;
    SW_TRY(choose_steps(t, spec->steps, bench->longest, &row->steps));
    SW_TRY(verify(t, row));
    if (row->state != SW_BENCH_OK) return SW_OK;
    row->cost = t->work->cost(t->own, row->steps);
    row->r = t->work->columns ? t->work->columns(t->own) : 0;
    row->iterations = t->work->iterations ? t->work->iterations(t->own) : 0;
    SW_TRY(repeat(t, repeats, row));
    row->rate = bench_points(spec) * (double)row->steps / row->median;
    return note_sent(t, row);
}

static enum sw_status run(const struct sw_bench *bench, const struct sw_bench_spec *spec, struct timing *t, int repeats,
                          struct sw_bench_row *row)
{
    double start = sw_clock();
    enum sw_status st = sw_comm_agree(t->comm, t->work->create(spec, row->row, t->device, &t->own));
    if (!st) st = begin(t);
    row->setup = sw_clock() - start;
    if (!st) st = measure(t, bench, repeats, row);
    t->work->destroy(t->own);
    return st;
}

/* ---- ranks */

struct cut_run { const struct sw_bench *bench; int repeats; struct sw_bench_row *row; };

static enum sw_status run_rank(const struct sw_comm *comm, void *context)
{
    const struct cut_run *c = context;
    struct sw_comm_traffic sent = {0};
    struct timing t = {c->bench->spec.work, NULL, bench_cut_device(c->bench, comm), comm, &sent};
    struct sw_bench_row row = *c->row;
    struct bench_rank rank;
    enum sw_status st = bench_cut_attach(c->bench, comm, &rank);
    if (!st) {
        sw_comm_count(rank.all, &sent);
        sw_comm_count(rank.on_device, &sent);
        snprintf(row.comm, sizeof row.comm, "%s", sw_comm_name(rank.on_device));
        st = run(c->bench, &rank.part, &t, c->repeats, &row);
    }
    bench_cut_detach(&rank);
    if (bench_cut_reports(c->bench, comm)) *c->row = row;
    return st;
}

static enum sw_status run_whole(const struct sw_bench *bench, int repeats, struct sw_bench_row *row)
{
    struct sw_comm_traffic sent = {0};
    struct timing t = {bench->spec.work, NULL, bench->device[row->where].device, sw_comm_null(), &sent};
    return run(bench, &bench->spec, &t, repeats, row);
}

enum sw_status bench_check_memory(const struct sw_device *device, double need)
{
    const double have = (double)sw_device_memory_free(device);
    if (need < 0.9 * have) return SW_OK;
    return SW_FAIL(SW_E_TOO_LARGE, "it needs %.1f GiB, %.1f GiB are free", need / 0x1p30, have / 0x1p30);
}

enum sw_status sw_bench_run(struct sw_bench *bench, int k, int repeats)
{
    struct sw_bench_row *row = &bench->row[k];
    row->cost = (struct sw_cost){NAN, NAN};
    row->least_sent = row->least_messages = NAN;
    enum sw_status st = bench->spec.split ? bench_cut_run(bench, run_rank, &(struct cut_run){bench, repeats, row})
                                          : run_whole(bench, repeats, row);
    if (!st) return SW_OK;
    row->state = st == SW_E_ABSENT || st == SW_E_TOO_LARGE ? SW_BENCH_ABSENT : SW_BENCH_FAILED;
    snprintf(row->why, sizeof row->why, "%s", sw_err_message());
    return SW_OK;
}

/* ---- what a rate is beside others */

const struct sw_rates *sw_bench_rates_of(const struct sw_bench *b, const struct sw_bench_row *r)
{
    return &b->device[r->where].rates;
}

double sw_bench_of_copy(const struct sw_bench *b, const struct sw_bench_row *r)
{
    return r->rate * r->cost.bytes / (sw_bench_rates_of(b, r)->copy * b->sharers);
}

double sw_bench_of_fma(const struct sw_bench *b, const struct sw_bench_row *r)
{
    return r->rate * r->cost.fma / (sw_bench_rates_of(b, r)->fma * b->sharers);
}

double sw_bench_ratio(const struct sw_bench *b, const struct sw_bench_row *r, int baseline)
{
    return b->row[baseline].state == SW_BENCH_OK ? r->rate / b->row[baseline].rate : NAN;
}
