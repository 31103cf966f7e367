#include "cli/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "cli/console.h"
#include "store/catalog/sw_run_table.h"
#include "store/files/sw_files.h"
#include "sweep/sw_refine.h"

/* ------------------------------------------------------------------ the results that are there */

struct ended { uint64_t id; double value; };

static int find_scalar(const struct sw_run_table *t, const char *name)
{
    for (int k = 0; k < t->nscalar; k++)
        if (!strcmp(t->scalar[k].name, name)) return k;
    return -1;
}

/* NaN of a run that has failed, unless it is the status that is asked for. */
static double value_of(const struct sw_run_table *t, const struct sw_refine *refine, int scalar, int64_t row)
{
    const struct sw_run_column *c = refine->column;
    const enum sw_run_status status = sw_run_table_status(t, row);
    if (c && !strcmp(c->name, "status")) return status;
    if (status != SW_RUN_DONE) return NAN;
    if (!c) return scalar < 0 ? NAN : t->scalar[scalar].last[row];
    if (!sw_run_table_has(t, c->name)) return NAN;
    const void *value = sw_run_table_value(t, c, row);
    if (c->type == SW_RUN_COLUMN_FLAG) return *(const unsigned char *)value;
    return c->type == SW_RUN_COLUMN_COUNT ? (double)*(const int64_t *)value : *(const double *)value;
}

/* @param by_number  runs are told apart by their numbers, as their ids are not known */
static enum sw_status read_ended(const char *file, const struct sw_refine *refine, bool by_number, struct ended **ended,
                                 size_t *count)
{
    struct sw_run_table *t = NULL;
    *ended = NULL;
    *count = 0;
    if (sw_files_absent(file) && !sw_files_has_folder(file)) return SW_OK;
    enum sw_status st = sw_run_table_read_scalars(file, &t);
    if (st == SW_E_IO) return SW_OK;  /* nothing is there, or what is refused by those who look closer */
    if (!st) st = sw_alloc((size_t)t->nruns + 1, ended);
    const int scalar = st ? -1 : find_scalar(t, refine->of);
    for (int64_t row = 0; !st && row < t->nruns; row++)
        if (sw_run_table_status(t, row) != SW_RUN_PENDING)
            (*ended)[(*count)++] = (struct ended){by_number ? (uint64_t)t->index[row] : t->id[row],
                                                  value_of(t, refine, scalar, row)};
    if (!st && *count) qsort(*ended, *count, sizeof **ended, sw_by_id);
    sw_run_table_free(&t);
    return st;
}

/* @param all  out: whether all runs of the sweep have ended */
static enum sw_status find_values(const struct cli_sweep *s, const struct ended *ended, size_t count, double **value,
                                  bool *all)
{
    *all = true;
    SW_TRY(sw_alloc((size_t)s->sweep->nruns, value));
    for (int64_t run = 0; run < s->sweep->nruns && *all; run++) {
        const uint64_t want = s->id ? s->id[run] : (uint64_t)run;
        const struct ended *at = count ? bsearch(&want, ended, count, sizeof *at, sw_by_id) : NULL;
        *all = at != NULL;
        if (at) (*value)[run] = at->value;
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ rounds */

static void note_range(const struct cli_sweep *s, const double *value, struct refined *refined)
{
    refined->values = 0;
    refined->least = INFINITY;
    refined->most = -INFINITY;
    for (int64_t run = 0; run < s->sweep->nruns; run++) {
        if (!isfinite(value[run])) continue;
        refined->values++;
        refined->least = fmin(refined->least, value[run]);
        refined->most = fmax(refined->most, value[run]);
    }
}

/* @param more  out: runs were added */
static enum sw_status try_round(struct sw_cli *cli, struct cli_sweep *s, struct sw_refiner *refiner,
                                const struct ended *ended, size_t count, struct refined *refined, bool *more)
{
    const int64_t before = s->sweep->nruns;
    double *value = NULL;
    int64_t points = 0;
    bool all;
    *more = false;
    enum sw_status st = find_values(s, ended, count, &value, &all);
    if (!st && all) {
        note_range(s, value, refined);
        st = sw_refiner_round(refiner, s->sweep, value, s->config, &points);
        refined->finished = !points;
    }
    sw_free(value);
    if (st || !points) return st;
    SW_TRY(cli_sweep_again(cli, s));
    refined->rounds++;
    refined->added = s->sweep->nruns - before;
    *more = true;
    return SW_OK;
}

enum sw_status cli_sweep_refine(struct sw_cli *cli, struct cli_sweep *s, const char *file, struct refined *refined)
{
    struct sw_refiner *refiner = NULL;
    struct ended *ended = NULL;
    size_t count;
    bool more = true;
    *refined = (struct refined){0};
    if (!s->sweep->refine) return SW_OK;
    if (s->config->refined.count) {
        s->config->refined.count = 0;
        SW_TRY(cli_sweep_again(cli, s));
    }
    enum sw_status st = read_ended(file, s->sweep->refine, !s->id, &ended, &count);
    if (!st) st = sw_refiner_create(s->sweep, &refiner);
    while (!st && more) st = try_round(cli, s, refiner, ended, count, refined, &more);
    if (refiner) {
        const struct sw_refined_cells cells = sw_refiner_cells(refiner);
        refined->split = cells.split;
        refined->blocked = cells.blocked;
    }
    sw_refiner_destroy(&refiner);
    sw_free(ended);
    return st;
}

/* ------------------------------------------------------------------ what is told of it */

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

static void add_blocked(const struct refined *r, struct sw_text *text)
{
    if (r->blocked)
        sw_text_printf(text, " · %lld cell%s not split: a run at a corner has no value", (long long)r->blocked,
                       plural(r->blocked));
}

void refine_message(const struct sw_cli *cli, const struct cli_sweep *s, const struct refined *r,
                    bool last)
{
    const struct sw_refine *refine = s->sweep->refine;
    struct sw_text text = {0};
    char value[32];
    if (!refine || (!last && !r->rounds)) return;  /* the first runs are under way */
    if (!r->finished && last)
        sw_text_printf(&text, "waits in round %d for runs that --only leaves out: cells are split when all have ended",
                       r->rounds);
    else if (!r->finished)
        sw_text_printf(&text, "round %d · %lld cell%s split · %lld run%s more", r->rounds, (long long)r->split,
                       plural(r->split), (long long)r->added, plural(r->added));
    else if (!r->values) sw_text_printf(&text, "no run has a value of %s: nothing is refined", refine->of);
    else if (!r->split && r->least == r->most)
        sw_text_printf(&text, "%s is %s in all %lld runs that have it: nothing is refined", refine->of,
                       sw_number(r->least, value), (long long)r->values);
    else if (!r->split)
        sw_text_printf(&text, "no cell fulfils where = \"%s\" (%s is %g to %g): nothing is refined", refine->where,
                       refine->of, r->least, r->most);
    else
        sw_text_printf(&text, "finished after %d round%s · %lld cell%s split · %lld runs of %.10g on the finest grid "
                       "(%.2g %%)", r->rounds, plural(r->rounds), (long long)r->split, plural(r->split),
                       (long long)s->sweep->nruns, refine->most, 100 * (double)s->sweep->nruns / refine->most);
    add_blocked(r, &text);
    console_message(cli, "refine   %s\n", sw_text_get(&text));
    sw_text_free(&text);
}

enum sw_status refine_check_retry(const struct sw_cli *cli, const struct cli_sweep *s)
{
    if (!s->sweep->refine || !cli->retry_failed) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "--retry-failed of a refined sweep: a run that fails no more changes which cells are "
                   "split, and so which runs there are; -o NEW -s 'reuse=\"%s\"' takes those that did not fail",
                   s->file);
}

void refine_describe(const struct sw_cli *cli, const struct cli_sweep *s)
{
    const struct sw_sweep *w = s->sweep;
    const struct sw_refine *refine = w->refine;
    struct sw_text text = {0};
    if (!refine) return;
    for (int k = 0; k < refine->naxis; k++)
        sw_text_printf(&text, "%s%s", k ? ", " : "", w->column[w->axis[refine->axis[k]].column].name);
    console_print(cli, "refine   %s over %s, where = \"%s\" · %lld runs first, then cells are split up to %d time%s · "
                  "at most %.10g runs\n", refine->of, sw_text_get(&text), refine->where, (long long)refine->begin,
                  refine->levels, plural(refine->levels), refine->most);
    sw_text_free(&text);
}
