/* Solves of -(p u')' + q u = f by the rows of src/problem/bvp.
 *
 * What is timed: f evaluated and summed, u left in the memory of the device, nothing measured or fetched. The columns
 * of the published rows hold u; a row without columns of its own keeps the field.
 *
 * What should be there: of P1 and P2 of the paper (docs/explanation/bvp.md) the exact solution. The row is made once
 * more with `exact`, solves all runs and takes the norms where u is; the paper's relative error is compared with what
 * discretisation and rounding may make of it. Of any other problem, what a row of the CPU computes. */
#include <math.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "problem/bvp/sw_bvp_impl.h"
#include "problem/sw_problem.h"

/* With e = u_h - u, of second order: e'' = -(h²/12) u'''', e' = 0 at the left end and e = 0 at the right one, so that
 * e = (h²/12) (f - f(1)) and |e|/|u| = h² `second`. P2: |f|² = 3/4 (20000)² and |u|² = 100² of the integral of
 * exp(-200 x²).
 * grown: the sums of |d| in place of d, over u: P1 is positive throughout; P2 990/25. */
static const struct paper { const char *f, *exact; double second, grown; } paper[] = {
    {BENCH_P1_F, BENCH_P1_EXACT, 0.20561675835602830 /* pi²/48 */, 1},
    {BENCH_P2_F, BENCH_P2_EXACT, 14.433756729740645 /* 100 sqrt(3)/12 */, 40},
};

enum { USED = 32 };  /* columns that functions may use */

struct solves {
    const struct sw_bench_spec *spec;
    const struct sw_bvp_ops    *row;
    struct sw_device           *device;
    struct sw_setup             setup;    /* that of the spec, with the columns that functions use alone */
    struct sw_function         *function; /* [nfunction] compiled for these                              */
    struct sw_program         **program;
    int                         used[USED]; /* [setup.ncolumn] which of the columns of the spec these are */
    struct sw_bvp              *bvp;      /* without norms: what is timed                                */
    struct sw_bvp_run          *run;      /* [batch]                                                     */
    double                     *column;   /* [setup.ncolumn][batch]                                      */
    int64_t                     r;        /* 0: none                                                     */
};

/* ------------------------------------------------------------------ setting up */

/* A solve hands over the columns of its runs: those that no function uses would be timed, too. */
struct used { const struct sw_scope *scope; int *column, count; };

static void use_name(void *user, const char *name, int at)
{
    struct used *u = user;
    (void)at;
    for (int k = 0; k < u->scope->count; k++) {
        const struct sw_symbol *s = &u->scope->symbol[k];
        if (strcmp(s->name, name)) continue;
        for (int i = 0; i < u->count; i++)
            if (u->column[i] == s->slot) return;
        if (u->count < USED) u->column[u->count++] = s->slot;
        return;
    }
}

/* The names of the columns that are used, as expressions know them, and x. */
static struct sw_scope make_scope(const struct solves *s, struct sw_symbol *symbol)
{
    const struct sw_scope *names = s->spec->setup.scope;
    struct sw_scope scope = {.symbol = symbol, .count = 1};
    symbol[0] = (struct sw_symbol){"x", SW_RATE_CELL, SW_IN_X};
    for (int k = 0; k < names->count; k++)
        for (int i = 0; i < s->setup.ncolumn; i++)
            if (names->symbol[k].slot == s->used[i] && scope.count < 3 * USED)
                symbol[scope.count++] = (struct sw_symbol){names->symbol[k].name, SW_RATE_RUN, i};
    return scope;
}

static enum sw_status compile(struct solves *s)
{
    struct sw_symbol symbol[3 * USED];
    struct sw_expr_error err = {0};
    const struct sw_scope scope = make_scope(s, symbol);
    enum sw_status st = SW_OK;
    for (int k = 0; k < s->setup.nfunction && !st; k++) {
        s->function[k] = s->spec->setup.function[k];
        st = sw_program_compile(s->function[k].expr, &scope, &s->program[k], &err);
        if (st == SW_E_CONFIG) st = SW_FAIL(st, "'%s', column %d: %s", s->function[k].text, err.column, err.text);
        s->function[k].program = s->program[k];
    }
    return st;
}

static enum sw_status pack_columns(struct solves *s)
{
    const struct sw_bench_spec *spec = s->spec;
    const size_t batch = (size_t)spec->batch;
    struct used used = {spec->setup.scope, s->used, 0};
    s->setup = spec->setup;
    for (int k = 0; k < s->setup.nfunction; k++) sw_expr_names(s->setup.function[k].expr, use_name, &used);
    s->setup.ncolumn = used.count;
    SW_TRY(sw_alloc((size_t)s->setup.nfunction, &s->function));
    SW_TRY(sw_alloc((size_t)s->setup.nfunction, &s->program));
    SW_TRY(sw_alloc((size_t)used.count * batch + 1, &s->column));
    for (int k = 0; k < used.count; k++)
        memcpy(s->column + (size_t)k * batch, spec->column + (size_t)s->used[k] * batch, batch * sizeof *s->column);
    s->setup.function = s->function;
    return compile(s);
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
    struct sw_bvp_desc desc = sw_bvp_describe(&s->setup);
    desc.save = !measured && !s->row->element_size;
    desc.save_single = desc.single;
    if (!measured) desc.exact = NULL;
    return desc;
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
    for (int k = 0; s->program && k < s->setup.nfunction; k++) sw_program_destroy(&s->program[k]);
    sw_free(s->program);
    sw_free(s->function);
    sw_free(s->run);
    sw_free(s->column);
    sw_free(s);
}

static enum sw_status solves_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                    void **own)
{
    struct solves *s = NULL;
    enum sw_status st;
    *own = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->spec = spec;
    s->row = find_row(row);
    s->device = device;
    SW_TRY_TO(failed, st, pack_columns(s));
    SW_TRY_TO(failed, st, sw_alloc((size_t)spec->batch, &s->run));
    for (int j = 0; j < spec->batch; j++) {
        const struct sw_grid g = sw_setup_grid(&spec->setup, spec->batch, spec->column, j);
        s->run[j].h = g.dx[0];
        s->run[j].x0 = g.x0[0];
    }
    set_columns(s, sw_bvp_columns(spec->n, (int64_t)bench_value(spec, "r", 0)));
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
    for (int64_t k = 0; k < steps; k++) SW_TRY(sw_bvp_solve(s->bvp, s->spec->batch, s->run, s->column));
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

static const struct paper *paper_of(const struct sw_bench_spec *spec)
{
    const struct sw_bvp_desc desc = sw_bvp_describe(&spec->setup);
    const bool unit = bench_value(spec, "grid.length", 0) == 1 && bench_value(spec, "grid.x0", 0) == 0;
    for (size_t k = 0; k < sizeof paper / sizeof *paper && unit && sw_bvp_plain(&desc); k++)
        if (bench_has_function(spec, "f", paper[k].f) && bench_has_function(spec, "exact", paper[k].exact))
            return &paper[k];
    return NULL;
}

/* k additions of numbers of one sign err by at most k u; f and h² f by some more. k is twice n for sums one after
 * another, 2 (r + s) and twice the rest over r columns (docs/explanation/bvp.md), few for sums in pairs.
 * @param r       0: no columns
 * @param single  of a row that computes in either precision */
static double rounding_of(const struct sw_bvp_ops *row, int64_t n, int64_t r, bool single)
{
    const double points = (double)n, columns = (double)r, rest = r ? (double)(n % r) : 0;
    const double additions = !row->element_size ? 4 : r ? 2 * (columns + points / columns + rest) : 2 * points;
    if (row->element_size) single = row->element_size == 4;
    return (16 + additions) * (single ? 0x1p-24 : 0x1p-53);
}

static double rounding_of_row(const struct solves *s)
{
    return rounding_of(s->row, s->spec->n, s->r, s->spec->setup.single_steps);
}

/* The tenth is for the next order of the discretisation. More than a tenth in all would be no answer. */
static double bound_of(const struct solves *s, const struct paper *p)
{
    const double n = (double)s->spec->n;
    return fmin(0.1, 1.1 * p->second / (n * n) + p->grown * rounding_of_row(s));
}

static enum sw_status worst_error(struct solves *s, struct sw_bvp *bvp, double *error)
{
    const struct sw_bvp_result *result;
    const void *field;
    SW_TRY(sw_bvp_solve(bvp, s->spec->batch, s->run, s->column));
    SW_TRY(sw_bvp_fetch(bvp, &field, &result));
    *error = 0;
    for (int j = 0; j < s->spec->batch; j++)
        if (!(result[j].rel <= *error)) *error = isfinite(result[j].rel) ? result[j].rel : INFINITY;
    return SW_OK;
}

/* ---- a problem of another kind: its fields beside those of the CPU */

static enum sw_status solve_fields(const struct solves *s, const char *row, struct sw_device *device, double *field,
                                   double *moved)
{
    struct sw_bvp_desc desc = sw_bvp_describe(&s->setup);
    struct sw_bvp *bvp = NULL;
    const struct sw_bvp_result *result;
    const void *u;
    desc.save = true;
    desc.save_single = false;
    desc.exact = NULL;
    if (device != s->device) desc.single = false;
    SW_TRY(sw_bvp_create(&desc, row, device, &bvp));
    enum sw_status st = sw_bvp_solve(bvp, s->spec->batch, s->run, s->column);
    if (!st) st = sw_bvp_fetch(bvp, &u, &result);
    if (!st) memcpy(field, u, (size_t)desc.n * (size_t)s->spec->batch * sizeof *field);
    for (int j = 0; j < s->spec->batch && !st; j++) *moved = fmax(*moved, result[j].moved);
    sw_bvp_destroy(&bvp);
    return st;
}

static double difference(const double *u, const double *reference, size_t n)
{
    double off = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        off += (u[i] - reference[i]) * (u[i] - reference[i]);
        size += reference[i] * reference[i];
    }
    const double error = sqrt(off / size);
    return isfinite(error) ? error : INFINITY;
}

/* A row of the CPU that is another one, in double precision: the one that rounds least, or next to it. That is
 * cpu.scan or the sums over √n columns, of the general problem the elimination that keeps row sums apart. */
static const struct sw_bvp_ops *reference_of(const struct solves *s)
{
    const struct sw_bvp_desc desc = sw_bvp_describe(&s->setup);
    const char *const plain[] = {"cpu.scan", "cpu.a2d"}, *const general[] = {"cpu.thomas", "cpu.lapack"},
               *const *name = sw_bvp_plain(&desc) ? plain : general;
    return find_row(name[!strcmp(s->row->name, name[0])]);
}

/* One rounding of each coefficient moves the solution by `moved`; P2, whose sums cancel most, loses 40 roundings: those
 * of the row and those of the reference. */
static enum sw_status compare_with_reference(const struct solves *s, double *error, double *bound)
{
    const size_t n = (size_t)s->spec->n, batch = (size_t)s->spec->batch;
    const struct sw_bvp_ops *other = reference_of(s);
    const int64_t r = other->columns ? sw_bvp_columns(s->spec->n, 0) : 0;
    struct sw_device *cpu = NULL;
    double *u = NULL, *reference = NULL, moved = 0;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_device_open("cpu", 0, &cpu));
    SW_TRY_TO(done, st, sw_alloc(n * batch, &u));
    SW_TRY_TO(done, st, sw_alloc(n * batch, &reference));
    SW_TRY_TO(done, st, solve_fields(s, s->row->name, s->device, u, &moved));
    SW_TRY_TO(done, st, solve_fields(s, other->name, cpu, reference, &moved));
    *error = 0;
    for (size_t j = 0; j < batch; j++) *error = fmax(*error, difference(u + j * n, reference + j * n, n));
    const double roundings = rounding_of_row(s) + rounding_of(other, s->spec->n, r, false);
    *bound = fmin(0.1, 64 * moved * (s->spec->setup.single_steps ? 0x1p29 : 1) + 40 * roundings);
done:
    sw_free(u);
    sw_free(reference);
    sw_device_close(&cpu);
    return st;
}

static enum sw_status compare_with_exact(struct solves *s, const struct paper *p, double *error, double *bound)
{
    struct sw_bvp *measured = NULL;
    enum sw_status st = make(s, true, &measured);
    if (!st) st = worst_error(s, measured, error);
    sw_bvp_destroy(&measured);
    *bound = bound_of(s, p);
    return st;
}

/* What is timed is destroyed meanwhile: at the largest n there is no room for both. */
static enum sw_status solves_check(void *own, int64_t steps, double *error, double *bound)
{
    struct solves *s = own;
    const struct paper *p = paper_of(s->spec);
    (void)steps;
    if (s->row->columns && s->spec->r == SW_BENCH_R_BEST) SW_TRY(find_best_columns(s));
    sw_bvp_destroy(&s->bvp);
    SW_TRY(p ? compare_with_exact(s, p, error, bound) : compare_with_reference(s, error, bound));
    return make(s, false, &s->bvp);
}

static struct sw_cost solves_cost(void *own, int64_t steps)
{
    (void)steps;
    return sw_bvp_cost(((struct solves *)own)->bvp);
}

static int64_t solves_columns(void *own) { return ((struct solves *)own)->r; }

/* In single precision: the rows that are, and those that can. */
static void solves_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const struct sw_bvp_desc desc = sw_bvp_describe(&spec->setup);
    for (int k = 0; sw_bvp_table[k]; k++) {
        const struct sw_bvp_ops *o = sw_bvp_table[k];
        if (!o->absent && o->fits(&desc) && !(desc.single && o->element_size == 8))
            bench_rows_add(rows, o->name, "", o->space);
    }
}

/* On fewer points the bound on the error says nothing. */
enum { LEAST_POINTS = 64 };

static enum sw_status solves_validate(const struct sw_bench_spec *spec)
{
    const int64_t r = (int64_t)bench_value(spec, "r", 0);
    if (spec->n < LEAST_POINTS && paper_of(spec))
        return SW_FAIL(SW_E_USAGE, "n = %lld: at least %d points are needed", (long long)spec->n, LEAST_POINTS);
    if (sw_bvp_columns_fit(spec->n, r)) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "r = %lld: at most n/2 = %lld", (long long)r, (long long)spec->n / 2);
}

const struct bench_work bench_bvp = {
    .terms = {"points/s", "least s/solve", "point"},
    .steps = 20,
    .validate = solves_validate,
    .list_rows = solves_list_rows,
    .create = solves_create,
    .advance = solves_advance,
    .check = solves_check,
    .cost = solves_cost,
    .destroy = solves_destroy,
    .most_checked = 1,
    .columns = solves_columns,
};
