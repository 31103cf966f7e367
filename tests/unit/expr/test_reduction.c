/* Expressions over reductions of fields: what is refused and where, and values against plain loops in long double. */
#include "helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "architecture.h"
#include "comm/sw_comm.h"
#include "field/reduce.h"
#include "field/sum.h"
#include "problem/device/reducer.h"
#include "problem/sw_setup.h"

static const char *const unknown[] = {"u", "v"};
static const struct sw_symbol of_run[] = {{"a", SW_RATE_RUN, 0}, {"length", SW_RATE_RUN, 1}};
static const struct sw_scope run_scope = {.symbol = of_run, .count = 2};

static struct sw_reduction_scope scope_of(int dimensions)
{
    return (struct sw_reduction_scope){.run = &run_scope, .own = 2, .dimensions = dimensions, .unknowns = 2,
                                       .unknown = unknown, .derivatives = dimensions == 1};
}

static struct sw_reduction *compile_in(const char *text, const struct sw_reduction_scope *scope)
{
    struct sw_reduction *r = NULL;
    struct sw_expr_error err;
    if (sw_reduction_compile(text, scope, &r, &err)) fail_msg("%s: column %d: %s", text, err.column, err.text);
    return r;
}

static struct sw_reduction *compile(const char *text, int dimensions)
{
    const struct sw_reduction_scope scope = scope_of(dimensions);
    return compile_in(text, &scope);
}

/* With derivatives along all axes. */
static struct sw_reduction *compile_on_grid(const char *text, int dimensions)
{
    struct sw_reduction_scope scope = scope_of(dimensions);
    scope.derivatives = dimensions;
    return compile_in(text, &scope);
}

/* ------------------------------------------------------------------ what is refused */

static void refusals_name_their_place(void **state)
{
    static const struct { const char *text; int column, length; const char *why, *hint; } cases[] = {
        {"", 0, 1, "empty expression", ""},
        {"u", 1, 1, "'u' is a field", "mean(u)"},
        {"2*mean(u) + v", 13, 1, "'v' is a field", "mean(v)"},
        {"mean(u) + x", 11, 1, "'x' is a coordinate", "inside of mean"},
        {"max(u, 1)", 5, 1, "'u' is a field", ""},
        {"mean()", 1, 4, "mean takes 1 argument, not 0", ""},
        {"1 + integral(u, v)", 5, 8, "integral takes 1 argument, not 2", ""},
        {"mean(u", 5, 1, "'(' without ')'", ""},
        {"mean(u))", 8, 1, "')' without '('", ""},
        {"mean(max(u) + min())", 15, 3, "min takes 1 argument, not 0", ""},
        {"mean(u) + mean(w)", 16, 1, "unknown name 'w'", "known: u v x t a length"},
        {"mean(w + mean(u))", 6, 1, "unknown name 'w'", "known: u v x t a length"},
        {"mean(y)", 6, 1, "unknown name 'y'", ""},
        {"mean(u) + b", 11, 1, "unknown name 'b'", "known: t a length"},
        {"2 mean(u)", 3, 2, "missing operator before 'mean(...)'", ""},
        {"mean(u +)", 8, 1, "missing operand", ""},
        {"mean(randn(1))", 6, 5, "randn cannot be used here", ""},
        {"mean(u) ** 2", 9, 2, "'**' is not part of the language", ""},
        {"mean(\xC3\xBC)", 6, 1, "unexpected character", ""},
        {"sin(mean(u)) + _1", 16, 2, "an underscore and a digit", ""},
        {"mean", 1, 4, "unknown name 'mean'", ""},
        {"2*meen(u)", 3, 4, "unknown function 'meen'", "did you mean 'mean'? reductions: mean min"},
        {"mean(average(u))", 6, 7, "unknown function 'average'",
         "reductions: mean min max integral crossings; functions known: sin"},
        {"dx(mean(u))", 1, 2, "dx() of what is one number", "mean(dx(u)^2)"},
        {"mean(u*dx(u*dxx(w)))", 17, 1, "unknown name 'w'", "known: u v x t a length"},
        {"mean(u*dx(dxxxx(u)))", 8, 2, "", ""},
        {"mean(dt(u))", 6, 2, "unknown function 'dt'", ""},
    };
    const struct sw_reduction_scope scope = scope_of(1);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct sw_reduction *r = (void *)&scope;
        struct sw_expr_error err;
        const enum sw_status st = sw_reduction_compile(cases[k].text, &scope, &r, &err);
        if (st != SW_E_CONFIG || r || err.column != cases[k].column || !strstr(err.text, cases[k].why) ||
            !strstr(err.hint, cases[k].hint) || (err.column && err.length != cases[k].length) ||
            strstr(err.text, "_0") || strstr(err.hint, "_0") || strstr(err.hint, "u["))
            fail_msg("%s: status %d, column %d, length %d: %s (%s)", cases[k].text, st, err.column, err.length,
                     err.text, err.hint);
    }
}

static void derivatives_are_refused_where_lines_have_ends(void **state)
{
    const struct sw_reduction_scope scope = scope_of(2);
    struct sw_reduction *r;
    struct sw_expr_error err;
    (void)state;
    assert_int_equal(sw_reduction_compile("2*mean(dxx(u))", &scope, &r, &err), SW_E_CONFIG);
    assert_int_equal(err.column, 8);
    assert_contains(err.text, "dxx() is not known in scalars of this problem");
}

static void refusals_on_grids_name_what_is_written(void **state)
{
    static const struct { const char *text; int column, length; const char *why, *hint; } cases[] = {
        {"mean(dz(u))", 6, 2, "unknown function 'dz'", "the axes x and y; z is there with grid.n = [nx, ny, nz]"},
        {"2*lap(mean(u))", 3, 3, "lap() of what is one number", "inside of a reduction"},
        {"mean(lap(w))", 10, 1, "unknown name 'w'", "known: u v x y t a length"},
        {"mean(lap(lap(lap(lap(u)))))", 6, 3, "", ""},
        {"mean(z)", 6, 1, "unknown name 'z'", ""},
    };
    struct sw_reduction_scope scope = scope_of(2);
    (void)state;
    scope.derivatives = 2;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct sw_reduction *r = (void *)&scope;
        struct sw_expr_error err;
        const enum sw_status st = sw_reduction_compile(cases[k].text, &scope, &r, &err);
        if (st != SW_E_CONFIG || r || err.column != cases[k].column || err.length != cases[k].length ||
            !strstr(err.text, cases[k].why) || !strstr(err.hint, cases[k].hint) || strstr(err.hint, "known: ["))
            fail_msg("%s: status %d, column %d, length %d: %s (%s)", cases[k].text, st, err.column, err.length,
                     err.text, err.hint);
    }
}

/* Nesting and number are limited, however long the text. */
static void many_reductions_are_refused(void **state)
{
    enum { MANY = 10000 };
    const struct sw_reduction_scope scope = scope_of(1);
    static char text[16 * MANY];
    struct sw_reduction *r;
    struct sw_expr_error err;
    (void)state;
    for (int nested = 0; nested < 2; nested++) {
        char *at = text;
        for (int k = 0; k < MANY; k++) at += sprintf(at, nested ? "mean(" : "mean(u)+");
        *at++ = 'u';
        for (int k = 0; nested && k < MANY; k++) *at++ = ')';
        *at = 0;
        assert_int_equal(sw_reduction_compile(text, &scope, &r, &err), SW_E_CONFIG);
        assert_null(r);
        assert_non_null(strstr(err.text, "reductions") ? err.text : strstr(err.text, "at most 65536"));
    }
    char *at = text;
    for (int k = 0; k <= SW_REDUCTIONS_MOST; k++) at += sprintf(at, "%smean(u)", k ? "+" : "");
    assert_int_equal(sw_reduction_compile(text, &scope, &r, &err), SW_E_CONFIG);
    assert_int_equal(err.column, 1 + 8 * SW_REDUCTIONS_MOST);
    text[8 * SW_REDUCTIONS_MOST - 1] = 0;
    assert_ok(sw_reduction_compile(text, &scope, &r, &err));
    assert_int_equal(r->count, SW_REDUCTIONS_MOST);
    sw_reduction_destroy(&r);
}

/* ------------------------------------------------------------------ values */

enum { RUNS = 3 };

struct problem {
    int64_t n[SW_DIMS];
    bool    walls[SW_DIMS];
    struct sw_grid grid[RUNS];
    double  column[2 * RUNS], t[RUNS], *field;  /* [RUNS][2][points] */
};

static void make_problem(struct problem *p, int64_t nx, int64_t ny, int64_t nz, bool walls)
{
    uint64_t seed = 11;
    *p = (struct problem){.n = {nx, ny, nz}, .walls = {walls, walls && ny > 1, walls && nz > 1}};
    const size_t points = (size_t)sw_points(p->n);
    assert_ok(sw_alloc(2 * RUNS * points, &p->field));
    for (size_t i = 0; i < 2 * RUNS * points; i++) p->field[i] = test_random(&seed) - 0.3;
    for (int j = 0; j < RUNS; j++) {
        for (int d = 0; d < SW_DIMS; d++) {
            p->grid[j].x0[d] = p->n[d] > 1 ? 0.25 * (d + j) : 0;
            p->grid[j].dx[d] = p->n[d] > 1 ? (1 + j) / (double)p->n[d] : 1;
        }
        p->column[j] = 0.5 + j;
        p->column[RUNS + j] = 2.0 * j;
        p->t[j] = 0.125 * j;
    }
}

static void values_of(const struct problem *p, const struct sw_reduction *r, int threads, double *value)
{
    struct sw_reducer *reducer;
    const struct sw_reducer_desc desc = {.count = 1, .reduction = &r, .n = {p->n[0], p->n[1], p->n[2]},
                                         .walls = {p->walls[0], p->walls[1], p->walls[2]}, .unknowns = 2,
                                         .threads = threads};
    const struct sw_reducer_runs runs = {RUNS, p->grid, p->column, p->t, p->field};
    assert_ok(sw_reducer_create(&desc, &reducer));
    sw_reducer_values(reducer, &runs, value);
    sw_reducer_destroy(&reducer);
}

/* u*v + a*x*y - z + t, which is what the texts below reduce. */
static long double value_at(const struct problem *p, int j, int64_t i, int64_t k, int64_t l)
{
    const int64_t points = sw_points(p->n), at = (l * p->n[1] + k) * p->n[0] + i;
    const double *u = p->field + 2 * j * points, *v = u + points;
    const struct sw_grid *g = &p->grid[j];
    return (long double)u[at] * v[at] + (long double)p->column[j] * sw_grid_at(g, 0, i) * sw_grid_at(g, 1, k) -
           sw_grid_at(g, 2, l) + p->t[j];
}

static long double weight(const struct problem *p, int d, int64_t i)
{
    return p->walls[d] && (i == 0 || i == p->n[d] - 1) ? 0.5L : 1.0L;
}

struct plain { long double sum, weights, size, least, greatest, crossings; };

static struct plain reduce_plainly(const struct problem *p, int j)
{
    struct plain r = {.least = INFINITY, .greatest = -INFINITY};
    for (int64_t l = 0; l < p->n[2]; l++)
        for (int64_t k = 0; k < p->n[1]; k++) {
            for (int64_t i = 0; i < p->n[0]; i++) {
                const long double w = weight(p, 0, i) * weight(p, 1, k) * weight(p, 2, l),
                                  v = value_at(p, j, i, k, l);
                r.sum += w * v;
                r.size += w * fabsl(v);
                r.weights += w;
                r.least = v < r.least ? v : r.least;
                r.greatest = v > r.greatest ? v : r.greatest;
                const bool last = i == p->n[0] - 1;
                if (!last || !p->walls[0])
                    r.crossings += (v < 0) != (value_at(p, j, last ? 0 : i + 1, k, l) < 0);
            }
        }
    return r;
}

/* A value at a point is off by some 5 u of its terms, at most 10 here; sums of up to 4000 points in lanes by 50 u of
 * the sum of sizes (the longest lane has 17 of 2100 terms, pairs of lanes 7, pairs of lines 6); mean and integral round
 * once or twice more. u = 1.1e-16. */
static void values_are_those_of_plain_loops(void **state)
{
    static const struct { int64_t n[SW_DIMS]; bool walls; } grids[] = {
        {{5, 1, 1}, false}, {{5, 1, 1}, true}, {{128, 1, 1}, false}, {{2100, 1, 1}, false}, {{4097, 1, 1}, true},
        {{33, 17, 1}, false}, {{33, 17, 1}, true}, {{12, 9, 10}, false}, {{12, 9, 10}, true}};
    static const char *const argument = "u*v + a*x*y - z + t";
    const double tolerance = 60 * 0x1p-53;
    char text[200];
    (void)state;
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct problem p;
        make_problem(&p, grids[g].n[0], grids[g].n[1], grids[g].n[2], grids[g].walls);
        for (int kind = 0; kind < SW_REDUCTION_KINDS; kind++) {
            const char *about, *name = sw_reduction_name(kind, &about);
            double value[RUNS], other[RUNS];
            snprintf(text, sizeof text, "%s(%s)", name, argument);
            struct sw_reduction *r = compile(text, 3);
            values_of(&p, r, 1, value);
            values_of(&p, r, 3, other);
            assert_memory_equal(value, other, sizeof value);
            for (int j = 0; j < RUNS; j++) {
                const struct plain plain = reduce_plainly(&p, j);
                const struct sw_grid *grid = &p.grid[j];
                const double volume = grid->dx[0] * grid->dx[1] * grid->dx[2];
                const double expected[] = {
                    [SW_REDUCTION_MEAN] = (double)(plain.sum / plain.weights), [SW_REDUCTION_MIN] = (double)plain.least,
                    [SW_REDUCTION_MAX] = (double)plain.greatest, [SW_REDUCTION_INTEGRAL] = (double)(volume * plain.sum),
                    [SW_REDUCTION_CROSSINGS] = (double)plain.crossings};
                const double size = kind == SW_REDUCTION_MEAN ? (double)(plain.size / plain.weights)
                                    : kind == SW_REDUCTION_INTEGRAL ? (double)(volume * plain.size)
                                    : kind == SW_REDUCTION_CROSSINGS ? 0 : 10;
                assert_near(value[j], expected[kind], tolerance * size);
            }
            sw_reduction_destroy(&r);
        }
        sw_free(p.field);
    }
}

enum { PARTS = 3 };

static void combine(const void *comm, enum sw_reduction_kind kind, double *value)
{
    const double sign = kind == SW_REDUCTION_MIN ? -1 : 1;
    double x = sign * *value;
    if (kind == SW_REDUCTION_MIN || kind == SW_REDUCTION_MAX) assert_ok(sw_comm_max(comm, 1, &x));
    else assert_ok(sw_comm_sum(comm, 1, &x));
    *value = sign * x;
}

static double before(const void *context, double mine)
{
    const struct sw_comm *comm = context;
    double all[SW_COMM_MOST];
    assert_ok(sw_comm_gather_one(comm, mine, all));
    return all[(comm->rank + comm->size - 1) % comm->size];
}

struct cut { const struct problem *p; const struct sw_reduction *r; double value[PARTS][RUNS]; };

/* The points of a slab, of both unknowns of all runs. */
static void take_slab(const struct problem *p, const struct sw_reducer_desc *desc, double *field)
{
    for (int64_t f = 0; f < 2 * RUNS; f++)
        for (int64_t l = 0; l < desc->n[2]; l++)
            for (int64_t k = 0; k < desc->n[1]; k++)
                for (int64_t i = 0; i < desc->n[0]; i++)
                    *field++ = p->field[f * sw_points(p->n) + i + desc->first[0] +
                                        p->n[0] * (k + desc->first[1] + p->n[1] * (l + desc->first[2]))];
}

static enum sw_status reduce_part(const struct sw_comm *comm, void *context)
{
    struct cut *c = context;
    const struct problem *p = c->p;
    const int axis = sw_cut_axis(false, p->n);
    struct sw_reducer_desc desc = {.count = 1, .reduction = &c->r, .unknowns = 2, .threads = 2, .combine = combine,
                                   .before = before, .context = comm};
    struct sw_grid grid[RUNS];
    struct sw_reducer *reducer;
    double *field;
    for (int d = 0; d < SW_DIMS; d++) {
        desc.n[d] = desc.whole[d] = p->n[d];
        desc.walls[d] = p->walls[d];
    }
    desc.first[axis] = sw_slab_begin(p->n[axis], PARTS, comm->rank);
    desc.n[axis] = sw_slab_begin(p->n[axis], PARTS, comm->rank + 1) - desc.first[axis];
    memcpy(grid, p->grid, sizeof grid);
    for (int j = 0; j < RUNS; j++) grid[j].first[axis] = desc.first[axis];
    assert_ok(sw_alloc(2 * RUNS * (size_t)sw_points(desc.n), &field));
    take_slab(p, &desc, field);
    assert_ok(sw_reducer_create(&desc, &reducer));
    const struct sw_reducer_runs runs = {RUNS, grid, p->column, p->t, field};
    sw_reducer_values(reducer, &runs, c->value[comm->rank]);
    sw_reducer_destroy(&reducer);
    sw_free(field);
    return SW_OK;
}

/* Lines, and grids, of which ranks have parts, some of one point. Sums have another order: as above, 60 u of sizes,
 * which are 10 for a point and 3^3 for the volume at most. */
static void parts_give_the_values_of_the_whole(void **state)
{
    static const struct { int64_t n[SW_DIMS]; bool walls; } grids[] = {
        {{3, 1, 1}, false}, {{3, 1, 1}, true}, {{5, 1, 1}, true}, {{129, 1, 1}, false}, {{4097, 1, 1}, true},
        {{33, 17, 1}, true}, {{12, 9, 10}, false}, {{7, 5, 3}, true}};
    const double tolerance = 60 * 0x1p-53 * 270;
    char text[200];
    (void)state;
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct problem p;
        make_problem(&p, grids[g].n[0], grids[g].n[1], grids[g].n[2], grids[g].walls);
        for (int kind = 0; kind < SW_REDUCTION_KINDS; kind++) {
            const char *about, *name = sw_reduction_name(kind, &about);
            double value[RUNS];
            snprintf(text, sizeof text, "%s(u*v + a*x*y - z + t)", name);
            struct sw_reduction *r = compile(text, 3);
            struct cut cut = {.p = &p, .r = r};
            values_of(&p, r, 1, value);
            assert_ok(sw_comm_run("threads", PARTS, reduce_part, &cut));
            const bool sums = kind == SW_REDUCTION_MEAN || kind == SW_REDUCTION_INTEGRAL;
            for (int k = 0; k < PARTS; k++)
                for (int j = 0; j < RUNS; j++) assert_near(cut.value[k][j], value[j], sums ? tolerance : 0);
            sw_reduction_destroy(&r);
        }
        sw_free(p.field);
    }
}

/* Differences of second order: by their formulas in long double, on lines of any length that a stencil fits. A value
 * is off by some 20 u of its terms, which come to 16/dx^4 at most; the mean of up to 2100 of them adds 30 u. */
static void derivatives_are_differences_of_neighbours(void **state)
{
    static const int sizes[] = {5, 6, 128, 2049};
    static const char *const texts[] = {"dx(u)*v", "dxx(v)*u", "dxxx(u)*v", "dxxxx(v)*u + mean(dx(u)^2)"};
    static const double weights[4][SW_NEIGHBOURS] = {
        {0, -0.5, 0, 0.5, 0}, {0, 1, -2, 1, 0}, {-0.5, 1, 0, -1, 0.5}, {1, -4, 6, -4, 1}};
    (void)state;
    for (int s = 0; s < 4; s++)
        for (int k = 0; k < 4; k++) {
            const int n = sizes[s], order = k + 1;
            struct problem p;
            char text[100];
            double value[RUNS];
            make_problem(&p, n, 1, 1, false);
            snprintf(text, sizeof text, "mean(%s)", texts[k]);
            struct sw_reduction *r = compile(text, 1);
            values_of(&p, r, 1, value);
            sw_reduction_destroy(&r);
            for (int j = 0; j < RUNS; j++) {
                const double *u = p.field + (size_t)2 * j * n, *v = u + n;
                const double *of = k % 2 ? v : u, *times = k % 2 ? u : v;
                long double sum = 0, square = 0, dx = p.grid[j].dx[0];
                for (int i = 0; i < n; i++) {
                    long double d = 0, first = (long double)u[(i + 1) % n] - u[(i + n - 1) % n];
                    for (int o = 0; o < SW_NEIGHBOURS; o++)
                        d += weights[k][o] * (long double)of[(i + o - SW_REACH + n) % n];
                    sum += d / powl(dx, order) * times[i];
                    square += first * first / (4 * dx * dx);
                }
                assert_near(value[j], (double)((sum + (k == 3 ? square : 0)) / n),
                            50 * 0x1p-53 * 16 * pow((double)dx, -order));
            }
            sw_free(p.field);
        }
}

/* u or v so many points beside a point of a periodic grid. */
static long double beside(const struct problem *p, const double *u, const int64_t at[SW_DIMS], const int away[SW_DIMS])
{
    int64_t to[SW_DIMS];
    for (int d = 0; d < SW_DIMS; d++) to[d] = (at[d] + away[d] + 2 * p->n[d]) % p->n[d];
    return u[(to[2] * p->n[1] + to[1]) * p->n[0] + to[0]];
}

static long double slope(const struct problem *p, const double *u, const int64_t at[SW_DIMS], int d, long double dx)
{
    int after[SW_DIMS] = {0}, before[SW_DIMS] = {0};
    after[d] = 1, before[d] = -1;
    return (beside(p, u, at, after) - beside(p, u, at, before)) / (2 * dx);
}

/* dx(f*dx(u)) along an axis, f half-way between points; f NULL: 1. Of the point so far away. */
static long double flux(const struct problem *p, const double *f, const double *u, const int64_t at[SW_DIMS],
                        const int away[SW_DIMS], int d, long double dx)
{
    long double sum = 0;
    for (int side = -1; side <= 1; side += 2) {
        int to[SW_DIMS] = {away[0], away[1], away[2]};
        to[d] += side;
        const long double mean = f ? (beside(p, f, at, away) + beside(p, f, at, to)) / 2 : 1;
        sum += mean * (beside(p, u, at, to) - beside(p, u, at, away)) / (dx * dx);
    }
    return sum;
}

enum { GRID_TEXTS = 5 };

/* What the texts below reduce, by their formulas. */
static long double on_grid_at(const struct problem *p, int j, int text, const int64_t at[SW_DIMS])
{
    static const int here[SW_DIMS] = {0}, corner[4][SW_DIMS] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    const double *u = p->field + 2 * j * sw_points(p->n), *v = u + sw_points(p->n), *dx = p->grid[j].dx;
    const long double x = beside(p, u, at, here);
    long double grad2 = 0, lap = 0, lap_v = 0, div = 0, lap_lap = 0, cross = 0;
    for (int d = 0; d < (p->n[2] > 1 ? 3 : 2); d++) {
        grad2 += powl(slope(p, u, at, d, dx[d]), 2);
        lap += flux(p, NULL, u, at, here, d, dx[d]);
        lap_v += flux(p, NULL, v, at, here, d, dx[d]);
        if (d < 2) div += flux(p, v, u, at, here, d, dx[d]);
    }
    for (int d = 0; d < (p->n[2] > 1 ? 3 : 2); d++)
        for (int e = 0; e < (p->n[2] > 1 ? 3 : 2); e++)
            for (int side = -1; side <= 1; side++) {
                int away[SW_DIMS] = {0};
                away[d] = side;
                lap_lap += (side ? 1 : -2) * flux(p, NULL, u, at, away, e, dx[e]) / ((long double)dx[d] * dx[d]);
            }
    for (int k = 0; k < 4; k++) cross += (k < 2 ? 1 : -1) * beside(p, u, at, corner[k]) / (4.0L * dx[0] * dx[1]);
    switch (text) {
    case 0: return grad2;
    case 1: return powl(x * x - 1, 2) / 4 + p->column[j] * grad2 / 2;
    case 2: return cross * lap_v;
    case 3: return beside(p, v, at, here) * lap_lap;
    default: return sw_grid_at(&p->grid[j], 1, at[1]) * div - lap;
    }
}

/* Differences along all axes, on grids of any size that they fit, of several blocks of points, too. A value is off by
 * some 40 u of its terms, which come to 64/dx^4 at most. */
static void derivatives_on_grids_are_differences(void **state)
{
    static const char *const texts[GRID_TEXTS] = {
        "mean(grad2(u))", "integral((u^2 - 1)^2/4 + a*grad2(u)/2)", "max(dxy(u)*lap(v))", "mean(v*lap(lap(u)))",
        "mean(y*(dx(v*dx(u)) + dy(v*dy(u))) - lap(u))"};
    static const int64_t sizes[][SW_DIMS] = {{5, 5, 1}, {17, 6, 1}, {300, 7, 1}, {5, 6, 7}, {9, 5, 5}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int k = 0; k < GRID_TEXTS; k++) {
            struct problem p;
            double value[RUNS], other[RUNS];
            make_problem(&p, sizes[s][0], sizes[s][1], sizes[s][2], false);
            struct sw_reduction *r = compile_on_grid(texts[k], p.n[2] > 1 ? 3 : 2);
            values_of(&p, r, 1, value);
            values_of(&p, r, 3, other);
            assert_memory_equal(value, other, sizeof value);
            sw_reduction_destroy(&r);
            for (int j = 0; j < RUNS; j++) {
                const double *dx = p.grid[j].dx, least = fmin(dx[0], fmin(dx[1], dx[2]));
                long double sum = 0, most = -INFINITY;
                for (int64_t at[SW_DIMS] = {0}; at[2] < p.n[2]; at[2]++)
                    for (at[1] = 0; at[1] < p.n[1]; at[1]++)
                        for (at[0] = 0; at[0] < p.n[0]; at[0]++) {
                            const long double of = on_grid_at(&p, j, k, at);
                            sum += of;
                            most = fmaxl(most, of);
                        }
                const long double want = k == 2 ? most : k == 1 ? sum * dx[0] * dx[1] * dx[2]
                                                                : sum / (long double)sw_points(p.n);
                assert_near(value[j], (double)want, 40 * 0x1p-53 * 64 * pow(least, k == 0 || k == 1 ? -2 : -4));
            }
            sw_free(p.field);
        }
}

/* Beyond walls polynomials of up to the fifth degree go on: differences of second order of these are exact. */
static void derivatives_on_grids_reach_walls(void **state)
{
    static const char text[] = "max(abs(dxx(u) - 2)) + max(abs(dxy(u) - 3)) + max(abs(dy(u) - 3*x - 1)) + "
                               "max(abs(lap(v) - 6*y)) + max(abs(dyy(dxx(u))))";
    struct sw_reduction *r = compile_on_grid(text, 2);
    struct problem p;
    double value[RUNS];
    (void)state;
    make_problem(&p, 12, 8, 1, true);
    for (int j = 0; j < RUNS; j++)
        for (int k = 0; k < 12 * 8; k++) {
            const double x = sw_grid_at(&p.grid[j], 0, k % 12), y = sw_grid_at(&p.grid[j], 1, k / 12);
            p.field[2 * j * 96 + k] = x * x + 3 * x * y + y;
            p.field[(2 * j + 1) * 96 + k] = y * y * y;
        }
    values_of(&p, r, 1, value);
    sw_reduction_destroy(&r);
    for (int j = 0; j < RUNS; j++)  /* what is beyond is 252 times as wrong as u, beyond a corner 252^2 */
        assert_near(value[j], 0, 0x1p-53 * 20 * 252 * 252 * pow(p.grid[j].dx[0], -4));
    sw_free(p.field);
}

/* What is made of results; the same sums as built-in scalars take. */
static void results_are_numbers_of_the_rest(void **state)
{
    struct problem p;
    double rms[RUNS], variance[RUNS], choice[RUNS], mean[RUNS], constant[RUNS];
    (void)state;
    make_problem(&p, 300, 1, 1, false);
    static const char *const text[] = {
        "sqrt(mean(u^2) - mean(u)^2)", "mean((u - mean(u))^2)", "max(max(u), t, 2 - 3*min(v)) > a ? 3 : length",
        "mean(u)", "2*a + t"};
    double *const value[] = {rms, variance, choice, mean, constant};
    for (int k = 0; k < 5; k++) {
        struct sw_reduction *r = compile(text[k], 1);
        values_of(&p, r, 1, value[k]);
        sw_reduction_destroy(&r);
    }
    for (int j = 0; j < RUNS; j++) {
        const double *u = p.field + 600 * j, *v = u + 300;
        double u_max = u[0], v_min = v[0];
        for (int i = 0; i < 300; i++) u_max = u[i] > u_max ? u[i] : u_max;
        for (int i = 0; i < 300; i++) v_min = v[i] < v_min ? v[i] : v_min;
        const double most = fmax(fmax(u_max, p.t[j]), 2 - 3 * v_min);
        assert_true(mean[j] == sw_sum_lanes(u, 300) / 300);
        assert_near(variance[j], rms[j] * rms[j], 1e-15);  /* of numbers below 1, off by some u */
        assert_true(choice[j] == (most > p.column[j] ? 3 : p.column[RUNS + j]));
        assert_true(constant[j] == 2 * p.column[j] + p.t[j]);
    }
    sw_free(p.field);
}

/* Zero counts as positive; the ends of a line between walls are no neighbours. */
static void crossings_are_those_of_the_definition(void **state)
{
    static const struct { double u[6]; int periodic, walled; } cases[] = {
        {{1, 1, 1, 1, 1, 1}, 0, 0}, {{-1, -1, -1, -1, -1, -1}, 0, 0}, {{0, 0, 0, 0, 0, 0}, 0, 0},
        {{1, -1, 1, -1, 1, -1}, 6, 5}, {{1, 1, 1, -1, -1, -1}, 2, 1}, {{1, 0, 1, 0, 1, 1}, 0, 0},
        {{-1, 0, -1, -1, -1, -1}, 2, 2}, {{-1, -0.0, 1, 1, 1, 1}, 2, 1}};
    struct sw_reduction *r = compile("crossings(u)", 1);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int walls = 0; walls < 2; walls++) {
            struct problem p;
            double value[RUNS];
            make_problem(&p, 6, 1, 1, walls);
            memcpy(p.field, cases[k].u, sizeof cases[k].u);
            values_of(&p, r, 1, value);
            assert_true(value[0] == (walls ? cases[k].walled : cases[k].periodic));
            sw_free(p.field);
        }
    sw_reduction_destroy(&r);
}

/* A value that is not finite shows in every reduction of it, wherever it is; a field that is not finite shows in all
 * that is made of the run, and in no other run. */
static void what_is_not_finite_shows(void **state)
{
    static const char *const of_values[] = {"mean(log(u))", "min(log(u))", "max(log(u))", "integral(log(u))",
                                            "crossings(log(u))"};
    (void)state;
    for (int k = 0; k < SW_REDUCTION_KINDS; k++)
        for (int at = 0; at < 40; at += 13) {
            struct problem p;
            double value[RUNS];
            make_problem(&p, 8, 5, 1, false);
            for (int i = 0; i < 2 * RUNS * 40; i++) p.field[i] = fabs(p.field[i]) + 0.1;
            p.field[at] = -1;  /* whose logarithm is NaN */
            struct sw_reduction *r = compile(of_values[k], 2);
            values_of(&p, r, 2, value);
            sw_reduction_destroy(&r);
            assert_true(isnan(value[0]) && isfinite(value[1]) && isfinite(value[2]));
            p.field[at] = 1;
            p.field[2 * 40 + 40 + at] = at % 2 ? NAN : INFINITY;  /* of v of run 1 */
            r = compile("3 + t", 1);
            values_of(&p, r, 2, value);
            sw_reduction_destroy(&r);
            assert_true(value[0] == 3 && isnan(value[1]) && value[2] == 3.25);
            sw_free(p.field);
        }
}

static void count_name(void *user, const char *name, int column)
{
    int *count = user;
    (void)column;
    count[0] += !strcmp(name, "u");
    count[1] += !strcmp(name, "a");
}

static void names_are_those_of_all_parts(void **state)
{
    struct sw_reduction *r = compile("a*mean(u - a*mean(u)) + max(length, 2)", 1);
    int count[2] = {0};
    (void)state;
    sw_reduction_names(r, count_name, count);
    assert_int_equal(count[0], 2);
    assert_int_equal(count[1], 2);
    sw_reduction_destroy(&r);
}

/* The kernels of all kinds of reductions, of values kept at all rates, nested, with neighbours. */
static void kernels_compile(void **state)
{
    struct sw_reduction *r[3];
    struct sw_reducer_desc desc = {.count = 3, .reduction = (const struct sw_reduction *const *)r, .n = {100, 1, 1},
                                   .unknowns = 2, .threads = 1};
    (void)state;
    struct sw_device *sm_90 = open_architecture(90);
    r[0] = compile("sqrt(mean((u - mean(v*cos(a*x)))^2)) + integral(dxx(u)*sin(x - t)) + length", 1);
    r[1] = compile("max(min(u), max(v*exp(x)), crossings(u - a))", 1);
    r[2] = compile("2*a + t", 1);
    assert_true(sw_device_reducer_fits(&desc));
    struct sw_device_reducer *reducer = NULL;
    const enum sw_status st = sw_device_reducer_create(&desc, 1, sm_90, &reducer);
    sw_device_reducer_destroy(&reducer);
    for (int k = 0; k < 3; k++) sw_reduction_destroy(&r[k]);
    assert_compiled(st, sm_90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_name_their_place),
        cmocka_unit_test(derivatives_are_refused_where_lines_have_ends),
        cmocka_unit_test(refusals_on_grids_name_what_is_written),
        cmocka_unit_test(many_reductions_are_refused),
        cmocka_unit_test(values_are_those_of_plain_loops),
        cmocka_unit_test(parts_give_the_values_of_the_whole),
        cmocka_unit_test(derivatives_are_differences_of_neighbours),
        cmocka_unit_test(derivatives_on_grids_are_differences),
        cmocka_unit_test(derivatives_on_grids_reach_walls),
        cmocka_unit_test(results_are_numbers_of_the_rest),
        cmocka_unit_test(crossings_are_those_of_the_definition),
        cmocka_unit_test(what_is_not_finite_shows),
        cmocka_unit_test(names_are_those_of_all_parts),
        cmocka_unit_test(kernels_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
