/* Solves of -u'' = f by the rows of src/problem/bvp: P1 or P2 of the paper (docs/numerics.md, 7), the same in all
 * runs, or with an amplitude that differs from run to run.
 *
 * What is timed: f evaluated and summed, u left in the memory of the device, nothing measured or fetched. The columns
 * of the published rows hold u; a row without columns of its own keeps the field.
 *
 * What should be there: the exact solution. The row is made once more with `exact`, solves all runs and takes the norms
 * where u is; the paper's relative error is compared with what discretisation and rounding may make of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "problem/bvp/sw_bvp_impl.h"

/* With e = u_h - u, of second order: e'' = -(h²/12) u'''', e' = 0 at the left end and e = 0 at the right one, so that
 * e = (h²/12) (f - f(1)) and |e|/|u| = h² `second`. P2: |f|² = 3/4 (20000)² and |u|² = 100² of the integral of
 * exp(-200 x²).
 * grown: the sums of |d| in place of d, over u: P1 is positive throughout; P2 990/25. */
static const struct paper { const char *f, *exact; double second, grown; } paper[] = {
    {"pi^2/4*cos(pi/2*x)", "cos(pi/2*x)", 0.20561675835602830 /* pi²/48 */, 1},
    {"20000*exp(-100*x^2)*(1 - 200*x^2)", "100*exp(-100*x^2) - 100*exp(-100)", 14.433756729740645 /* 100 sqrt(3)/12 */,
     40},
};

struct solves {
    const struct sw_bench_spec *spec;
    const struct sw_bvp_ops    *row;
    struct sw_device           *device;
    struct sw_program          *f, *exact;
    struct sw_bvp              *bvp;     /* without norms: what is timed */
    struct sw_bvp_run          *run;     /* [batch]                      */
    double                     *a;       /* [batch] amplitudes           */
    int64_t                     r;       /* 0: none                      */
};

/* ------------------------------------------------------------------ setting up */

static enum sw_status compile(const struct sw_bench_spec *spec, const char *text, struct sw_program **program)
{
    static const struct sw_symbol symbol[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"a", SW_RATE_RUN, 0}};
    const struct sw_scope scope = {.symbol = symbol, .count = 2};
    struct sw_expr_error err = {0};
    struct sw_expr *expr = NULL;
    char whole[120];
    snprintf(whole, sizeof whole, "%s%s%s", spec->per_run ? "a*(" : "", text, spec->per_run ? ")" : "");
    enum sw_status st = sw_expr_parse(whole, &expr, &err);
    if (!st) st = sw_program_compile(expr, &scope, program, &err);
    if (st == SW_E_CONFIG) st = SW_FAIL(st, "'%s', column %d: %s", whole, err.column, err.text);
    sw_expr_destroy(&expr);
    return st;
}

static const struct sw_bvp_ops *find_row(const char *name)
{
    for (int k = 0; sw_bvp_table[k]; k++)
        if (!strcmp(sw_bvp_table[k]->name, name)) return sw_bvp_table[k];
    return NULL;
}

/* @param measured  with norms, else as it is timed */
static struct sw_bvp_desc describe(const struct solves *s, bool measured)
{
    const struct sw_bench_spec *spec = s->spec;
    return (struct sw_bvp_desc){.n = spec->n, .capacity = spec->batch, .single = spec->single,
                                .keep = !measured && !s->row->word, .keep_single = spec->single,
                                .nparam = spec->per_run ? 1 : 0, .f = s->f, .exact = measured ? s->exact : NULL};
}

static enum sw_status check_memory(const struct solves *s, const struct sw_bvp_desc *desc)
{
    size_t fixed, per_run;
    SW_TRY(sw_bvp_bytes(desc, s->row->name, s->device, &fixed, &per_run));
    return bench_check_memory(s->device, (double)fixed + (double)per_run * s->spec->batch);
}

static enum sw_status make(const struct solves *s, bool measured, struct sw_bvp **bvp)
{
    const struct sw_bvp_desc desc = describe(s, measured);
    SW_TRY(check_memory(s, &desc));
    return sw_bvp_create(&desc, s->row->name, s->device, bvp);
}

static void set_columns(struct solves *s, int64_t r)
{
    s->r = s->row->columns ? r : 0;
    for (int j = 0; j < s->spec->batch; j++) s->run[j].r = s->r;
}

static void solves_destroy(void *own)
{
    struct solves *s = own;
    if (!s) return;
    sw_bvp_destroy(&s->bvp);
    sw_program_destroy(&s->f);
    sw_program_destroy(&s->exact);
    sw_free(s->run);
    sw_free(s->a);
    sw_free(s);
}

static enum sw_status solves_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                    void **own)
{
    const struct paper *p = &paper[spec->paper - 1];
    struct solves *s = NULL;
    enum sw_status st;
    *own = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->spec = spec;
    s->row = find_row(row);
    s->device = device;
    SW_TRY_TO(failed, st, compile(spec, p->f, &s->f));
    SW_TRY_TO(failed, st, compile(spec, p->exact, &s->exact));
    SW_TRY_TO(failed, st, sw_alloc((size_t)spec->batch, &s->run));
    SW_TRY_TO(failed, st, sw_alloc((size_t)spec->batch, &s->a));
    for (int j = 0; j < spec->batch; j++) {
        s->run[j].h = 1 / (double)spec->n;
        s->a[j] = 1 + 0.5 * j / spec->batch;
    }
    set_columns(s, sw_bvp_columns(spec->n, spec->r < 0 ? 0 : spec->r));
    SW_TRY_TO(failed, st, make(s, false, &s->bvp));
    *own = s;
    return SW_OK;
failed:
    solves_destroy(s);
    return st;
}

/* ------------------------------------------------------------------ solving */

static enum sw_status solves_advance(void *own, int64_t steps)
{
    struct solves *s = own;
    for (int64_t k = 0; k < steps; k++) SW_TRY(sw_bvp_solve(s->bvp, s->spec->batch, s->run, s->a));
    return SW_OK;
}

/* Seconds of one solve with r columns, the second of two. */
static enum sw_status try_columns(struct solves *s, int64_t r, double *seconds)
{
    double start = 0;
    set_columns(s, r);
    for (int k = 0; k < 2; k++) {
        start = sw_clock();
        SW_TRY(solves_advance(s, 1));
        SW_TRY(sw_device_wait(s->device));
    }
    *seconds = sw_clock() - start;
    return SW_OK;
}

/* The powers of two from `r` on, up (by = 2) or down, until two in turn are slower than the best. */
static enum sw_status try_onwards(struct solves *s, int64_t r, bool up, int64_t *best, double *least)
{
    double seconds;
    for (int slower = 0; slower < 2 && r >= 1 && (r == 1 || r <= s->spec->n / 2); r = up ? 2 * r : r / 2) {
        SW_TRY(try_columns(s, r, &seconds));
        slower++;
        if (seconds < *least) {
            *best = r;
            *least = seconds;
            slower = 0;
        }
    }
    return SW_OK;
}

/* From the power of two at sqrt(n) outwards: r = 1 or n/2 would take a GPU minutes. */
static enum sw_status find_best_columns(struct solves *s)
{
    int64_t middle = 1, best = 1;
    double least = INFINITY;
    while (4 * middle * middle <= s->spec->n) middle *= 2;
    SW_TRY(try_onwards(s, middle, true, &best, &least));
    SW_TRY(try_onwards(s, middle / 2, false, &best, &least));
    set_columns(s, best);
    return SW_OK;
}

/* ------------------------------------------------------------------ what should be there */

/* Rounding: k additions of numbers of one sign err by at most k u; f and h² f by some more. k is twice n for sums one
 * after another, 2 (r + s) and twice the rest over r columns (numerics.md, 7), few for sums in pairs. The tenth is for
 * the next order of the discretisation. More than a tenth in all would be no answer. */
static double bound_of(const struct solves *s)
{
    const struct paper *p = &paper[s->spec->paper - 1];
    const double n = (double)s->spec->n, rest = s->r ? (double)(s->spec->n % s->r) : 0;
    const bool single = s->row->word ? s->row->word == 4 : s->spec->single;
    double additions = !s->row->word ? 4 : s->r ? 2 * ((double)s->r + n / (double)s->r + rest) : 2 * n;
    double rounding = p->grown * (16 + additions) * (single ? 0x1p-24 : 0x1p-53);
    return fmin(0.1, 1.1 * p->second / (n * n) + rounding);
}

static enum sw_status worst_error(struct solves *s, struct sw_bvp *bvp, double *error)
{
    const struct sw_bvp_result *result;
    const void *field;
    SW_TRY(sw_bvp_solve(bvp, s->spec->batch, s->run, s->a));
    SW_TRY(sw_bvp_fetch(bvp, &field, &result));
    *error = 0;
    for (int j = 0; j < s->spec->batch; j++)
        if (!(result[j].rel <= *error)) *error = isfinite(result[j].rel) ? result[j].rel : INFINITY;
    return SW_OK;
}

/* What is timed is let go meanwhile: at the largest n there is no room for both. */
static enum sw_status solves_check(void *own, int64_t steps, double *error, double *bound)
{
    struct solves *s = own;
    struct sw_bvp *measured = NULL;
    (void)steps;
    if (s->row->columns && s->spec->r == SW_BENCH_R_BEST) SW_TRY(find_best_columns(s));
    sw_bvp_destroy(&s->bvp);
    enum sw_status st = make(s, true, &measured);
    if (!st) st = worst_error(s, measured, error);
    sw_bvp_destroy(&measured);
    *bound = bound_of(s);
    return st ? st : make(s, false, &s->bvp);
}

static struct sw_cost solves_cost(void *own, int64_t steps)
{
    (void)steps;
    return sw_bvp_cost(((struct solves *)own)->bvp);
}

static int64_t solves_columns(void *own) { return ((struct solves *)own)->r; }

/* In single precision: the rows that are, and those that can. */
static void solves_know(const struct sw_bench_spec *spec, struct bench_known *known)
{
    const struct sw_bvp_desc plain = {.n = spec->n, .capacity = spec->batch, .single = spec->single};
    for (int k = 0; sw_bvp_table[k]; k++) {
        const struct sw_bvp_ops *o = sw_bvp_table[k];
        if (!o->absent && o->fits(&plain) && !(spec->single && o->word == 8)) bench_know(known, o->name, "", o->space);
    }
}

const struct bench_work bench_bvp = {
    .name = "bvp",
    .terms = {"points/s", "least s/solve", "point"},
    .words = BENCH_BVP,
    .n = 1 << 20,
    .batch = 1,
    .steps = 20,
    .least = 64,
    .most = (int64_t)1 << 40,
    .know = solves_know,
    .create = solves_create,
    .advance = solves_advance,
    .check = solves_check,
    .cost = solves_cost,
    .destroy = solves_destroy,
    .most_checked = 1,
    .columns = solves_columns,
};
