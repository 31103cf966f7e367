#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "expr/sw_compare.h"
#include "sweep/column_values.h"
#include "sweep/formula.h"
#include "sweep/keys.h"
#include "sweep/select.h"
#include "sweep/sweep_own.h"

/* Which runs there are, and which are asked for: sweep.where and --only keep those for which an expression holds,
 * --shard distributes the rest over N. */

/* The expression may use the names an expression of the config may, axes of words and their words, and in --only the
 * number of the run. */
struct only {
    const struct sw_sweep *s;
    struct sw_program     *program;
    int                    nparam;   /* columns, then the run, then words   */
    const double          *word;     /* [nword] their numbers               */
    int                    nword;
    unsigned char         *keep;     /* [nruns]                             */
    int64_t                odd;      /* the first run in which it is not finite; -1: none */
};

static enum sw_status test_block(void *user, const struct column_block *b)
{
    struct only *o = user;
    double *param, *value;
    size_t ncolumn = (size_t)o->s->ncolumn;
    enum sw_status st;
    SW_TRY(sw_alloc(((size_t)o->nparam + 1) * RUNS_AT_ONCE, &param));
    value = param + (size_t)o->nparam * RUNS_AT_ONCE;
    memcpy(param, b->column, ncolumn * RUNS_AT_ONCE * sizeof *param);
    for (int j = 0; j < b->count; j++) {
        param[ncolumn * RUNS_AT_ONCE + (size_t)j] = (double)(b->first + j);
        for (int w = 0; w < o->nword; w++) param[(ncolumn + 1 + (size_t)w) * RUNS_AT_ONCE + (size_t)j] = o->word[w];
    }
    SW_TRY_TO(done, st, sw_program_over_runs(o->program, b->count, param, RUNS_AT_ONCE, value));
    for (int j = 0; j < b->count; j++) {
        o->keep[b->first + j] = value[j] == value[j] && value[j] != 0;
        if (isfinite(value[j])) continue;
#pragma omp critical(sw_select_odd)
        if (o->odd < 0 || b->first + j < o->odd) o->odd = b->first + j;
    }
done:
    sw_free(param);
    return st;
}

/* @param number  the name of the number of the run, NULL: it has none */
static enum sw_status make_symbols(const struct sw_sweep *s, const char *number, struct sw_symbol **symbol,
                                   double **word, struct only *o, int *count)
{
    int n = s->own->scope.count, most = 1;
    for (int k = 0; k < s->naxis; k++) most += 1 + s->column[s->axis[k].column].nword;
    SW_TRY(sw_alloc((size_t)(n + most), symbol));
    SW_TRY(sw_alloc((size_t)most, word));
    if (n) memcpy(*symbol, s->own->scope.symbol, (size_t)n * sizeof **symbol);
    if (number) (*symbol)[n++] = (struct sw_symbol){number, SW_RATE_RUN, s->ncolumn};
    for (int k = 0; k < s->naxis; k++) {
        const struct sw_column *c = &s->column[s->axis[k].column];
        if (c->nword) (*symbol)[n++] = (struct sw_symbol){c->name, SW_RATE_RUN, s->axis[k].column};
        for (int w = 0; w < c->nword; w++) {
            (*word)[o->nword] = w;
            (*symbol)[n++] = (struct sw_symbol){c->word[w], SW_RATE_RUN, s->ncolumn + 1 + o->nword++};
        }
    }
    o->word = *word;
    o->nparam = s->ncolumn + 1 + o->nword;
    *count = n;
    return SW_OK;
}

/* @return SW_E_CONFIG: refused, err says why */
static enum sw_status compile(const char *text, const struct sw_scope *scope, struct sw_program **program,
                              struct sw_expr_error *err)
{
    struct sw_expr *expr, *near = NULL;
    enum sw_status st = sw_expr_parse(text, &expr, err);
    if (!st) st = sw_expr_compare_nearly(expr, &near);  /* a number that one types may end in another digit */
    if (!st) st = sw_program_compile(near, scope, program, err);
    sw_expr_destroy(&expr);
    sw_expr_destroy(&near);
    return st;
}

/* Test all runs. @param keep  [nruns], NULL: the text is compiled only  @param odd  out: as in struct only */
static enum sw_status apply(const struct sw_sweep *s, const char *number, const char *text, unsigned char *keep,
                            int64_t *odd, struct sw_expr_error *err)
{
    struct only o = {.s = s, .keep = keep, .odd = -1};
    struct sw_symbol *symbol = NULL;
    double *word = NULL;
    int count;
    enum sw_status st;
    SW_TRY_TO(done, st, make_symbols(s, number, &symbol, &word, &o, &count));
    SW_TRY_TO(done, st, compile(text, &(struct sw_scope){.symbol = symbol, .count = count}, &o.program, err));
    if (keep) st = blocks_each(s, NULL, 0, s->nruns, false, test_block, &o);
    *odd = o.odd;
done:
    sw_program_destroy(&o.program);
    sw_free(symbol);
    sw_free(word);
    return st;
}

static enum sw_status apply_only(const struct sw_sweep *s, const char *text, unsigned char *keep)
{
    struct sw_expr_error err;
    int64_t odd;
    if (text[strspn(text, "0123456789 ,:-")] == 0)  /* as pictures take runs; "0-9" would be -9, which is not 0 */
        return SW_FAIL(SW_E_USAGE, "--only, '%s' is no condition on runs: write run <= 9, or seed == 1 && a > 0.5",
                       text);
    const enum sw_status st = apply(s, "run", text, keep, &odd, &err);
    if (st != SW_E_CONFIG) return st;
    char *shown = sw_expr_error_show(text, &err);
    SW_FAIL(SW_E_USAGE, "--only, %s", shown ? shown : err.text);
    sw_free(shown);
    return SW_E_USAGE;
}

static enum sw_status list_runs(const unsigned char *keep, int64_t nruns, int64_t **run, int64_t *count)
{
    *count = 0;
    for (int64_t r = 0; r < nruns; r++) *count += keep[r];
    SW_TRY(sw_alloc((size_t)*count, run));
    for (int64_t r = 0, k = 0; r < nruns; r++)
        if (keep[r]) (*run)[k++] = r;
    return SW_OK;
}

/* ---- shards of equal cost: runs are assigned in the order of falling cost, each to the shard with the least cost so
 * far, the first among equals (Graham 1969: the largest shard costs at most 4/3 of the best possible). */

struct load { double cost; int shard; };

static bool is_lighter(const struct load *a, const struct load *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->shard < b->shard);
}

/* Restore the heap after heap[0] has become heavier. */
static void sift_down(struct load *heap, int n)
{
    for (int k = 0, child; (child = 2 * k + 1) < n; k = child) {
        if (child + 1 < n && is_lighter(&heap[child + 1], &heap[child])) child++;
        if (!is_lighter(&heap[child], &heap[k])) return;
        struct load t = heap[k];
        heap[k] = heap[child];
        heap[child] = t;
    }
}

/* The cost of a run of a group: points times steps. The cost of a point and step is the same for all runs of a
 * sweep. */
static double cost_of(const struct sw_group *g)
{
    return (double)g->n[0] * (double)g->n[1] * (double)g->n[2] * (double)(g->steps > 0 ? g->steps : 1);
}

struct priced { double cost; int group; };

static int most_expensive_first(const void *a, const void *b)
{
    const struct priced *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    return x->group - y->group;
}

/* heap: [nshards] {0, 0}, {0, 1}, ...; order: [ngroup] workspace; share: [nruns of the sweep] */
static void assign_groups(const struct sw_group *group, int ngroup, struct priced *order, struct load *heap,
                          int nshards, int *share)
{
    for (int g = 0; g < ngroup; g++) order[g] = (struct priced){cost_of(&group[g]), g};
    qsort(order, (size_t)ngroup, sizeof *order, most_expensive_first);
    for (int j = 0; j < ngroup; j++)
        for (int64_t k = 0; k < group[order[j].group].count; k++) {
            share[group[order[j].group].run[k]] = heap[0].shard;
            heap[0].cost += order[j].cost;
            sift_down(heap, nshards);
        }
}

/* Likewise whole ladders: a rung starts from the one below.
 * @param order  [nruns] workspace  @param cost  [nruns] zeros; out: of the ladder that begins with a run */
static void assign_ladders(const struct sw_sweep *s, const struct sw_group *group, int ngroup, struct priced *order,
                           double *cost, struct load *heap, int nshards, int *share)
{
    int count = 0;
    for (int g = 0; g < ngroup; g++)
        for (int64_t k = 0; k < group[g].count; k++)
            cost[sw_sweep_ladder(s, group[g].run[k])] += cost_of(&group[g]);
    for (int64_t run = 0; run < s->nruns; run++)
        if (cost[run] > 0) order[count++] = (struct priced){cost[run], (int)run};
    qsort(order, (size_t)count, sizeof *order, most_expensive_first);
    for (int j = 0; j < count; j++) {
        share[order[j].group] = heap[0].shard;
        heap[0].cost += order[j].cost;
        sift_down(heap, nshards);
    }
    for (int64_t run = 0; run < s->nruns; run++) share[run] = share[sw_sweep_ladder(s, run)];
}

/* Assign a shard to each run that is kept: share[run] = 0 .. nshards-1. */
static enum sw_status assign_shards(const struct sw_sweep *s, int nshards, const unsigned char *keep, int *share)
{
    struct sw_group *group = NULL;
    struct load *heap = NULL;
    struct priced *order = NULL;
    double *cost = NULL;
    int64_t *run = NULL, count;
    int ngroup = 0;
    enum sw_status st;
    SW_TRY_TO(done, st, list_runs(keep, s->nruns, &run, &count));
    if (nshards > count) nshards = count > 0 ? (int)count : 1;  /* the first shards have a run each, the others none */
    SW_TRY_TO(done, st, sw_sweep_groups(s, run, count, &group, &ngroup));
    SW_TRY_TO(done, st, sw_alloc((size_t)nshards, &heap));
    SW_TRY_TO(done, st, sw_alloc((size_t)(s->rungs > 1 ? s->nruns : ngroup), &order));
    if (s->rungs > 1) SW_TRY_TO(done, st, sw_alloc((size_t)s->nruns, &cost));
    for (int k = 0; k < nshards; k++) heap[k].shard = k;
    if (s->rungs > 1) assign_ladders(s, group, ngroup, order, cost, heap, nshards, share);
    else assign_groups(group, ngroup, order, heap, nshards, share);
done:
    sw_free(cost);
    sw_groups_free(&group, ngroup);
    sw_free(heap);
    sw_free(order);
    sw_free(run);
    return st;
}

static enum sw_status keep_runs(const struct sw_sweep *s, const char *only, unsigned char **keep)
{
    SW_TRY(sw_alloc((size_t)s->nruns, keep));
    memset(*keep, 1, (size_t)s->nruns);
    return only ? apply_only(s, only, *keep) : SW_OK;
}

static enum sw_status keep_shard(const struct sw_sweep *s, int shard, int nshards, unsigned char *keep)
{
    int *share;
    SW_TRY(sw_alloc((size_t)s->nruns, &share));
    enum sw_status st = assign_shards(s, nshards, keep, share);
    for (int64_t r = 0; r < s->nruns; r++) keep[r] &= share[r] == shard - 1;
    sw_free(share);
    return st;
}

enum sw_status sw_sweep_select(const struct sw_sweep *s, const struct sw_selection *selection, int64_t **run,
                               int64_t *count)
{
    int shard = selection->shard, nshards = selection->nshards;
    unsigned char *keep = NULL;
    enum sw_status st = SW_OK;
    *run = NULL;
    *count = 0;
    if ((shard || nshards) && !(shard >= 1 && shard <= nshards))
        return SW_FAIL(SW_E_USAGE, "--shard %d/%d: shards are numbered 1 to N", shard, nshards);
    SW_TRY_TO(done, st, keep_runs(s, selection->only, &keep));
    if (nshards > 1) SW_TRY_TO(done, st, keep_shard(s, shard, nshards, keep));
    st = list_runs(keep, s->nruns, run, count);
done:
    sw_free(keep);
    return st;
}

/* A counting sort by shard, which keeps the runs of each in order. */
static void sort_shares(const unsigned char *keep, const int *share, int64_t nruns, int nshards, int64_t *run,
                        int64_t *first)
{
    for (int64_t r = 0; r < nruns; r++) first[share[r] + 1] += keep[r];
    for (int k = 0; k < nshards; k++) first[k + 1] += first[k];
    for (int64_t r = 0; r < nruns; r++)
        if (keep[r]) run[first[share[r]]++] = r;
    for (int k = nshards; k > 0; k--) first[k] = first[k - 1];
    first[0] = 0;
}

enum sw_status sw_sweep_shares(const struct sw_sweep *s, const char *only, int nshards, int64_t **run, int64_t **first)
{
    unsigned char *keep = NULL;
    int *share = NULL;
    enum sw_status st;
    *run = *first = NULL;
    SW_TRY_TO(done, st, keep_runs(s, only, &keep));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->nruns, &share));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->nruns, run));
    SW_TRY_TO(done, st, sw_alloc((size_t)nshards + 1, first));
    if (nshards > 1) SW_TRY_TO(done, st, assign_shards(s, nshards, keep, share));
    sort_shares(keep, share, s->nruns, nshards, *run, *first);
done:
    if (st) { sw_free(*run); sw_free(*first); *run = *first = NULL; }
    sw_free(keep);
    sw_free(share);
    return st;
}

/* ---- sweep.where */

/* The points that are kept become the runs. What was computed of runs before is computed again. */
static enum sw_status keep_points(struct sw_sweep *s, const unsigned char *keep)
{
    const uint32_t *old = s->own->point;  /* of a refined sweep */
    int64_t count = 0, k = 0;
    for (int64_t r = 0; r < s->nruns; r++) count += keep[r];
    if (count == s->nruns) return SW_OK;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)count, &s->own->point));
    for (int64_t r = 0; r < s->nruns; r++)
        if (keep[r]) s->own->point[k++] = old ? old[r] : (uint32_t)r;
    if (s->own->step) memset(s->own->step, 0, (size_t)s->nruns * sizeof *s->own->step);
    s->own->divided = -1;
    s->nruns = count;
    return SW_OK;
}

enum sw_status where_apply(struct sw_sweep *s)
{
    const struct sw_setting *where = key_setting(s, "sweep.where");
    const bool wrong = s->own->report->errors > 0;
    struct sw_expr_error err;
    unsigned char *keep = NULL;
    char axes[200];
    int64_t odd = -1;
    if (!where || where->kind != SW_SETTING_STRING || !*where->text) return SW_OK;
    if (!wrong) SW_TRY(sw_alloc((size_t)s->nruns, &keep));
    enum sw_status st = apply(s, NULL, where->text, keep, &odd, &err);
    if (st == SW_E_CONFIG) {
        formula_report(s, where, where->path, where->text, &err);
        st = SW_OK;
    } else if (!st && odd >= 0) {
        sw_sweep_describe(s, odd, axes, sizeof axes);
        report_error(s, where, "'%s' is not a finite number, and so undecided, for %s", where->path, axes);
    } else if (!st && !wrong && !memchr(keep, 1, (size_t)s->nruns))
        report_error(s, where, "'%s' holds for none of the %lld points of the axes", where->path, (long long)s->nruns);
    else if (!st && !wrong) st = keep_points(s, keep);
    sw_free(keep);
    return st;
}
