/* Entries of tridiagonal systems, and what is measured of solutions, on every kind of device beside plain loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/random_point.h"
#include "problem/systems/entries_impl.h"

#define ROW_OPS entries_ops
#include "base/sw_err.h"
#include "architecture.h"
#include "row_helpers.h"

/* ------------------------------------------------------------------ what the tests share */

static struct sw_program *compile(const char *text, uint32_t stream)
{
    static const struct sw_symbol symbol[] = {{"i", SW_RATE_CELL, SW_IN_X}, {"n", SW_RATE_RUN, 0},
                                              {"seed", SW_RATE_RUN, 1}, {"k", SW_RATE_RUN, 2}};
    const struct sw_scope scope = {symbol, 4, true, stream};
    struct sw_expr_error err;
    struct sw_expr *expr;
    struct sw_program *program;
    assert_ok(sw_expr_parse(text, &expr, &err));
    assert_ok(sw_program_compile(expr, &scope, &program, &err));
    sw_expr_destroy(&expr);
    return program;
}

/* A system by its texts, NULL where there is none; its batch has `runs` runs with the parameters (n, 5 + j, j/2). */
struct texts { const char *lower, *main, *upper, *rhs, *exact; };
enum { PROGRAMS = 5 };

struct system {
    struct system_entries_desc desc;
    struct sw_program *program[PROGRAMS];
    struct sw_device *device;
    struct system_entries *entries;
    int runs;
};

/* The first thing that a test makes: it may skip the test. */
static struct system make(const struct texts *t, int64_t n, int runs, bool cyclic, int threads)
{
    struct system s = {.runs = runs};
    const char *const text[] = {t->lower, t->main, t->upper, t->rhs, t->exact};
    double *param;
    need_row();
    assert_ok(sw_device_open(kind_of_row(), threads, &s.device));
    for (int k = 0; k < PROGRAMS; k++)
        if (text[k]) s.program[k] = compile(text[k], (uint32_t)(3 + k));
    s.desc = (struct system_entries_desc){n, runs, cyclic, 3, 3, {-1, 0, 1}, {s.program[0], s.program[1],
                                          s.program[2]}, s.program[3], s.program[4], !t->rhs && !t->exact};
    assert_ok(system_entries_create(&s.desc, s.device, &s.entries));
    assert_ok(sw_alloc(3 * (size_t)runs, &param));
    for (int j = 0; j < runs; j++) {
        param[j] = (double)n;
        param[runs + j] = 5 + j;
        param[2 * runs + j] = 0.5 * j;
    }
    assert_ok(system_entries_load(s.entries, runs, param));
    sw_free(param);
    return s;
}

static void unmake(struct system *s)
{
    system_entries_destroy(&s->entries);
    for (int k = 0; k < PROGRAMS; k++) sw_program_destroy(&s->program[k]);
    sw_device_close(&s->device);
}

/* lower, main, upper, rhs of rows first .. of all runs, on the host: [4][runs][rows]. Free with sw_free(). */
static double *fill(struct system *s, int64_t first, int64_t rows)
{
    const size_t each = (size_t)s->runs * (size_t)rows;
    double *d, *here;
    assert_ok(sw_device_alloc(s->device, 4 * each, &d));
    assert_ok(sw_alloc(4 * each, &here));
    assert_ok(system_entries_fill(s->entries, first, rows,
                                  &(struct system_arrays){{d, d + each, d + 2 * each}, d + 3 * each}));
    assert_ok(sw_device_download(s->device, here, d, 4 * each * sizeof *d));
    sw_device_free(s->device, d);
    return here;
}

static const struct texts random_texts = {"rand(seed) - 0.5", "randn(seed) + k", "sin(i/7)*exp(rand(seed+1))", NULL,
                                          "cos(i/4 + k)"};

/* Calls visit for systems of these sizes, closed to a circle and not: the same by two threads and by one. */
static void for_sizes(const int64_t *size, int sizes, int runs, void (*visit)(struct system *two, struct system *one))
{
    for (int c = 0; c < 2 * sizes; c++) {
        const int64_t n = size[c / 2];
        const bool cyclic = c % 2 && n >= 3;
        struct system two = make(&random_texts, n, runs, cyclic, 2), one = make(&random_texts, n, runs, cyclic, 1);
        visit(&two, &one);
        unmake(&two);
        unmake(&one);
    }
}

/* ------------------------------------------------------------------ sums of squares */

static double root_of(const double *v, int count, int chunk)
{
    struct square_sum all = square_sum_zero();
    for (int from = 0; from < count; from += chunk) {
        struct square_sum part = square_sum_zero();
        for (int k = from; k < count && k < from + chunk; k++) square_sum_add(&part, v[k]);
        square_sum_settle(&part);
        square_sum_merge(&all, &part);
    }
    return square_sum_root(&all);
}

static void sums_squares_to_the_same_bits_in_any_order(void **state)
{
    enum { N = 5000 };
    static double v[N];
    static const double spread[] = {0, 3, 40, 200};
    uint64_t seed = 1;
    (void)state;
    for (int c = 0; c < 4; c++) {
        long double sum = 0;
        for (int k = 0; k < N; k++) {
            v[k] = test_random(&seed) * pow(10, spread[c] * test_random(&seed));
            sum += (long double)v[k] * v[k];
        }
        const double root = root_of(v, N, N);
        assert_near(root, (double)sqrtl(sum), 2e-16 * root);
        for (int chunk = 1; chunk < N; chunk = 3 * chunk + 1) assert_true(root_of(v, N, chunk) == root);
        for (int k = 0; k < N; k++) {  /* backwards, and shuffled */
            const int other = (int)((test_random(&seed) + 1) / 2 * N) % N;
            const double t = v[k];
            v[k] = v[other];
            v[other] = t;
        }
        assert_true(root_of(v, N, 77) == root);
    }
}

static void sums_squares_beyond_the_range_of_numbers(void **state)
{
    const double huge[] = {3e300, 4e300}, tiny[] = {3e-300, 4e-300}, over[] = {1.7e308, 1.7e308},
                 none[] = {0, -0.0}, nan_[] = {1, NAN, 2}, inf[] = {1, -INFINITY};
    (void)state;
    assert_near(root_of(huge, 2, 1), 5e300, 1e285);
    assert_near(root_of(tiny, 2, 1), 5e-300, 1e-315);
    assert_true(isinf(root_of(over, 2, 1)));
    assert_true(root_of(none, 2, 1) == 0);
    assert_true(isnan(root_of(nan_, 3, 1)));
    assert_true(isnan(root_of(inf, 2, 1)));
}

/* ------------------------------------------------------------------ entries */

static void fills_what_the_expressions_say(void **state)
{
    const int64_t n = 2500;
    struct system s = make(&(struct texts){"i*i", "n - i + k", "seed*i", "10*i + k", NULL}, n, 3, false, 2);
    double *v = fill(&s, 0, n);
    (void)state;
    for (int j = 0; j < 3; j++)
        for (int64_t r = 0; r < n; r++) {
            const double i = (double)r + 1;
            const int64_t at = j * n + r;
            assert_true(v[at] == (r > 0 ? i * i : 0));
            assert_true(v[3 * n + at] == (double)n - i + 0.5 * j);
            assert_true(v[6 * n + at] == (r < n - 1 ? (5 + j) * i : 0));
            assert_true(v[9 * n + at] == 10 * i + 0.5 * j);
        }
    sw_free(v);
    unmake(&s);
}

static void closes_the_circle_where_it_is_cyclic(void **state)
{
    const int64_t n = 37;
    struct system s = make(&(struct texts){"i", "100 + i", "-i", NULL, "i*i"}, n, 1, true, 1);
    double *v = fill(&s, 0, n);
    (void)state;
    assert_true(v[0] == 1 && v[2 * n + n - 1] == -(double)n);
    assert_true(v[3 * n] == 1.0 * (double)(n * n) + 101 - 4);
    assert_true(v[3 * n + n - 1] == (double)(n * (n - 1) * (n - 1) + (100 + n) * n * n) - (double)n);
    sw_free(v);
    unmake(&s);
}

/* The same bits in any chunks, by any number of threads. */
static void fill_in_chunks(struct system *s, struct system *one)
{
    static const int64_t chunks[] = {1, 7, 1000, 2048, 3001};
    const int64_t n = s->desc.n;
    double *whole = fill(s, 0, n), *again = fill(one, 0, n);
    assert_memory_equal(whole, again, 8 * (size_t)n * sizeof *whole);
    for (int q = n > 100; q < 5; q++)
        for (int64_t first = 0; first < n; first += chunks[q]) {
            const int64_t rows = n - first < chunks[q] ? n - first : chunks[q];
            double *part = fill(s, first, rows);
            for (int a = 0; a < 4; a++)
                for (int j = 0; j < 2; j++)
                    assert_memory_equal(part + (a * 2 + j) * rows, whole + (a * 2 + j) * n + first,
                                        (size_t)rows * sizeof *part);
            sw_free(part);
        }
    sw_free(whole);
    sw_free(again);
}

static void fills_the_same_in_any_chunks(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 700, 2048, 2049, 5000};
    (void)state;
    for_sizes(sizes, 7, 2, fill_in_chunks);
}

static void counts_random_numbers_beyond_2_31(void **state)
{
    const int64_t n = INT64_C(1) << 33, first = (INT64_C(3) << 31) - 3000, rows = 6000;
    struct system s = make(&(struct texts){"rand(seed)", "i", "1", "0", NULL}, n, 1, false, 2);
    double *v = fill(&s, first, rows);
    (void)state;
    for (int64_t k = 0; k < rows; k++) {
        const int64_t row = first + k;
        assert_true(v[k] == sw_rand(5, (int)(row & INT32_MAX), row >> 31, 3));
        assert_true(v[rows + k] == (double)row + 1);
    }
    sw_free(v);
    unmake(&s);
}

/* rhs = A exact is rounded once: half a unit in its last place, and where it cancels much, 2^-100 of the terms. */
static void multiplies_in_double_double(void **state)
{
    const int64_t n = 3000;
    struct system s = make(&(struct texts){"1 + i*1e-9", "-2 + cos(i)*1e-9", "1", NULL, "sin(i/1000) + 1e3"}, n, 1,
                           false, 2);
    double *v = fill(&s, 0, n);
    const double *a = v, *b = v + n, *c = v + 2 * n, *f = v + 3 * n;
    struct system e = make(&(struct texts){"1", "1", "1", "sin(i/1000) + 1e3", NULL}, n, 1, false, 2);
    double *x = fill(&e, 0, n);
    const double *exact = x + 3 * n;
    (void)state;
    for (int64_t k = 0; k < n; k++) {
        const __float128 before = k > 0 ? exact[k - 1] : 0, behind = k < n - 1 ? exact[k + 1] : 0,
                         sum = a[k] * before + b[k] * (__float128)exact[k] + c[k] * behind;
        const double error = (double)(f[k] - sum);
        assert_true(fabs(error) <= 0x1.01p-53 * fabs((double)sum) + 0x1p-90);
    }
    sw_free(v);
    sw_free(x);
    unmake(&s);
    unmake(&e);
}

static void names_the_first_entry_that_is_not_finite(void **state)
{
    struct system s = make(&(struct texts){"1/(i - 1)", "(i == 2500 && k > 0 ? 1/0 : 4)", "1", "log(i - 1800 + 4000*k)",
                                           NULL}, 4000, 3, false, 2);
    int64_t row[3];
    double *v = fill(&s, 1000, 3000);
    (void)state;
    assert_ok(system_entries_first_bad(s.entries, row));
    assert_int_equal(row[0], 1000);  /* log of a negative number; lower of row 0 does not count */
    assert_int_equal(row[1], 2499);
    assert_int_equal(row[2], 2499);
    sw_free(v);
    v = fill(&s, 0, 10);
    assert_ok(system_entries_first_bad(s.entries, row));
    assert_int_equal(row[0], 0);
    assert_int_equal(row[1], 2499);
    sw_free(v);
    unmake(&s);
}

static double *some_x(const struct system *s)
{
    uint64_t seed = 3;
    const int64_t n = s->desc.n;
    double *x;
    assert_ok(sw_alloc((size_t)(s->runs * n), &x));
    for (int64_t k = 0; k < s->runs * n; k++) x[k] = cos(0.25 * (double)(k % n + 1)) + 1e-9 * test_random(&seed);
    return x;
}

/* Any diagonals, on the host: entries, A exact and what is measured of some x, beside plain loops. */
static void fills_and_measures_any_diagonals(void **state)
{
    static const int place[][5] = {{-4, -1, 0, 2, 4}, {-3, -2, -1, 1, 3}, {0, 1, 2, 3, 4}, {-4, -3, -2, -1, 0}};
    static const int64_t size[] = {9, 10, 2048, 2050, 4099};
    const char *const text[] = {"rand(seed) - 1/2", "sin(i)", "i/n", "rand(k + 1) - 1/2", "cos(3*i)"};
    struct sw_program *p[5], *exact;
    (void)state;
    need_row();
    exact = compile("cos(i/4 + k)", 9);
    for (int k = 0; k < 5; k++) p[k] = compile(text[k], (uint32_t)k);
    for (int c = 0; c < 4 * 5 * 2 * 2; c++) {
        const int *where = place[c % 4];
        const int64_t n = c % 3 ? size[c / 4 % 5] : 1 + c % 8;
        const int runs = 2;
        struct system s = {.runs = runs, .desc = {n, runs, n >= 9 && c / 20 % 2, 3, 5, {0}, {0}, NULL, exact, false}};
        const size_t all = (size_t)(runs * n);
        const double param[] = {(double)n, (double)n, 5, 6, 0, 0.5};
        struct system_arrays a;
        struct system_sums sums[2] = {system_sums_zero(), system_sums_zero()};
        double *x = some_x(&s), *v;
        for (int k = 0; k < 5; k++) { s.desc.place[k] = where[k]; s.desc.diagonal[k] = p[k]; }
        assert_ok(sw_alloc(6 * all, &v));
        for (int k = 0; k < 5; k++) a.diagonal[k] = v + (size_t)k * all;
        a.rhs = v + 5 * all;
        assert_ok(sw_device_open("cpu", 1 + c % 2, &s.device));
        assert_ok(system_entries_create(&s.desc, s.device, &s.entries));
        assert_ok(system_entries_load(s.entries, runs, param));
        assert_ok(system_entries_fill(s.entries, 0, n, &a));
        assert_ok(system_measure(s.entries, 0, n, &a, x, NULL, sums));
        for (int j = 0; j < runs; j++) {
            double r_max = 0, row_max = 0;
            for (int64_t i = 0; i < n; i++) {
                __float128 product = 0, r = -(__float128)a.rhs[j * n + i];
                double sum = 0;
                for (int k = 0; k < 5; k++) {
                    const int64_t at = i + where[k], column = (at % n + n) % n;
                    const double e = a.diagonal[k][j * n + i];
                    if (!s.desc.cyclic && at != column) { assert_true(e == 0); continue; }
                    product += (__float128)e * cos((double)(column + 1) * 0.25 + 0.5 * j);
                    r += (__float128)e * x[j * n + column];
                    sum += fabs(e);
                }
                assert_near(a.rhs[j * n + i], (double)product, 2e-15);
                r_max = fmax(r_max, fabs((double)r));
                row_max = fmax(row_max, sum);
            }
            assert_near(sums[j].residual_max, r_max, 1e-15 * r_max + 1e-30);
            assert_near(sums[j].row_sum_max, row_max, 1e-15 * row_max);
        }
        system_entries_destroy(&s.entries);
        sw_device_close(&s.device);
        sw_free(v);
        sw_free(x);
    }
    for (int k = 0; k < 5; k++) sw_program_destroy(&p[k]);
    sw_program_destroy(&exact);
}

/* ------------------------------------------------------------------ measures */

/* Measure x of all runs in chunks. @param v  [4][runs][n]  @param x  [runs][n] */
static void measure(struct system *s, const double *v, const double *x, int64_t chunk, struct system_sums *sums)
{
    const int64_t n = s->desc.n;
    for (int j = 0; j < s->runs; j++) sums[j] = system_sums_zero();
    for (int64_t first = 0; first < n; first += chunk) {
        const int64_t rows = n - first < chunk ? n - first : chunk;
        const size_t each = (size_t)s->runs * (size_t)rows;
        double *d, (*beyond)[2];
        assert_ok(sw_device_alloc(s->device, 5 * each, &d));
        assert_ok(sw_alloc((size_t)s->runs, &beyond));
        for (int j = 0; j < s->runs; j++) {
            for (int a = 0; a < 5; a++)
                assert_ok(sw_device_upload(s->device, d + a * each + j * rows,
                                           (a < 4 ? v + (a * s->runs + j) * n : x + j * n) + first,
                                           (size_t)rows * sizeof *d));
            beyond[j][0] = first > 0 ? x[j * n + first - 1] : s->desc.cyclic ? x[j * n + n - 1] : 0;
            beyond[j][1] = first + rows < n ? x[j * n + first + rows] : s->desc.cyclic ? x[j * n] : 0;
        }
        const struct system_arrays of = {{d, d + each, d + 2 * each}, d + 3 * each};
        assert_ok(system_measure(s->entries, first, rows, &of, d + 4 * each, chunk < n ? beyond : NULL, sums));
        sw_device_free(s->device, d);
        sw_free(beyond);
    }
}

static void compare_with_plain_loops(const struct system *s, const double *v, const double *x, int j,
                                     const struct system_sums *sums)
{
    const int64_t n = s->desc.n, all = s->runs * n;
    const double *a = v + j * n, *b = a + all, *c = b + all, *f = c + all, *u = x + j * n;
    __float128 rr = 0, ff = 0, dd = 0, ee = 0;
    double r_max = 0, f_max = 0, x_max = 0, row_max = 0, d_max = 0;
    for (int64_t i = 0; i < n; i++) {
        const bool begins = i == 0 && !s->desc.cyclic, ends = i == n - 1 && !s->desc.cyclic;
        const double ai = begins ? 0 : a[i], ci = ends ? 0 : c[i];
        const double r = (double)((__float128)ai * u[(i + n - 1) % n] + (__float128)b[i] * u[i] +
                                  (__float128)ci * u[(i + 1) % n] - f[i]);
        const double e = cos((double)(i + 1) * 0.25 + 0.5 * j), d = u[i] - e;
        rr += (__float128)r * r; ff += (__float128)f[i] * f[i]; dd += (__float128)d * d; ee += (__float128)e * e;
        r_max = fmax(r_max, fabs(r)); f_max = fmax(f_max, fabs(f[i])); x_max = fmax(x_max, fabs(u[i]));
        d_max = fmax(d_max, fabs(d)); row_max = fmax(row_max, fabs(ai) + fabs(b[i]) + fabs(ci));
    }
    /* r is rounded from 2^-100 of its terms; exact differs by the functions' last bits. */
    assert_near(square_sum_root(&sums->residual), sqrt((double)rr), 1e-15 * sqrt((double)rr));
    assert_near(square_sum_root(&sums->rhs), sqrt((double)ff), 1e-15 * sqrt((double)ff));
    assert_near(square_sum_root(&sums->difference), sqrt((double)dd), 1e-15 * sqrt((double)(dd + n)));
    assert_near(square_sum_root(&sums->exact), sqrt((double)ee), 1e-15 * sqrt((double)ee));
    assert_near(sums->residual_max, r_max, 1e-15 * r_max);
    assert_true(sums->rhs_max == f_max && sums->x_max == x_max);
    assert_near(sums->row_sum_max, row_max, 4e-16 * row_max);
    assert_near(sums->difference_max, d_max, 1e-15);
    assert_true(sums->bad == SYSTEM_NO_ROW);
}

static void measure_in_chunks(struct system *s, struct system *one)
{
    static const int64_t chunks[] = {1, 5, 777, 2048, 5000};
    const int64_t n = s->desc.n;
    double *v = fill(s, 0, n), *x = some_x(s);
    struct system_sums whole[3], part[3];
    if (!s->desc.cyclic)  /* not looked at */
        for (int j = 0; j < 3; j++) v[j * n] = v[6 * n + (j + 1) * n - 1] = NAN;
    measure(s, v, x, n, whole);
    for (int j = 0; j < 3; j++) compare_with_plain_loops(s, v, x, j, &whole[j]);
    for (int q = n > 100; q <= 5; q++) {
        measure(q < 5 ? s : one, v, x, q < 5 ? chunks[q] : n, part);
        for (int j = 0; j < 3; j++) {
            const struct system_norms a = system_norms_from_sums(&whole[j], n, true),
                                           b = system_norms_from_sums(&part[j], n, true);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
    sw_free(v);
    sw_free(x);
}

static void measures_as_plain_loops_do_in_any_chunks(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 31, 2049, 9000};
    (void)state;
    for_sizes(sizes, 6, 3, measure_in_chunks);
}

static void names_the_first_row_whose_residual_is_not_finite(void **state)
{
    const int64_t n = 5000;
    struct system s = make(&random_texts, n, 2, false, 2);
    double *v = fill(&s, 0, n), *x = some_x(&s);
    struct system_sums sums[2];
    (void)state;
    x[n + 3000] = NAN;
    x[n + 4000] = INFINITY;
    for (int64_t chunk = n; chunk > 1; chunk /= 5) {
        measure(&s, v, x, chunk, sums);
        assert_true(sums[0].bad == SYSTEM_NO_ROW);
        assert_int_equal(sums[1].bad, 2999);  /* the row before it holds it, too */
        assert_true(isnan(system_norms_from_sums(&sums[1], n, true).residual));
        assert_true(isfinite(system_norms_from_sums(&sums[0], n, true).residual));
    }
    sw_free(v);
    sw_free(x);
    unmake(&s);
}

static void measures_what_is_huge(void **state)
{
    const int64_t n = 100;
    struct system s = make(&(struct texts){"1e150", "3e150", "1e150", NULL, "1e150*i"}, n, 1, false, 2);
    double *v = fill(&s, 0, n), *x;
    struct system_sums sums;
    (void)state;
    assert_ok(sw_alloc((size_t)n, &x));
    for (int64_t k = 0; k < n; k++) x[k] = 1e150 * (double)(k + 1) * (1 + 1e-10);
    measure(&s, v, x, n, &sums);
    const struct system_norms norms = system_norms_from_sums(&sums, n, true);
    assert_near(norms.residual, 1e-10, 1e-15);  /* |f|_2 is 1e302, its square is not a number */
    assert_near(norms.rel, 1e-10, 1e-15);
    assert_near(norms.forward_error, 1e-10, 1e-15);
    assert_true(norms.backward_error > 1e-11 && norms.backward_error < 1e-10);
    sw_free(v);
    sw_free(x);
    unmake(&s);
}

static void keeps_sums_as_numbers(void **state)
{
    const int64_t n = 3000;
    struct system s = make(&random_texts, n, 1, false, 1);
    double *v = fill(&s, 0, n), *x = some_x(&s), number[SYSTEM_SUMS_NUMBERS];
    struct system_sums sums, again;
    (void)state;
    measure(&s, v, x, n, &sums);
    system_sums_pack(&sums, number);
    system_sums_unpack(number, &again);
    const struct system_norms a = system_norms_from_sums(&sums, n, true),
                                   b = system_norms_from_sums(&again, n, true);
    assert_memory_equal(&a, &b, sizeof a);
    sw_free(v);
    sw_free(x);
    unmake(&s);
}

static void compiles_its_kernels(void **state)
{
    struct sw_program *p[PROGRAMS];
    const char *const text[] = {random_texts.lower, random_texts.main, random_texts.upper, "i", random_texts.exact};
    enum sw_status st = SW_OK;
    struct sw_device *sm_90 = open_architecture(90);
    (void)state;
    for (int k = 0; k < PROGRAMS; k++) p[k] = compile(text[k], (uint32_t)k);
    for (int c = 0; c < 4 && !st; c++) {
        const struct system_entries_desc desc = {100, 1, false, 3, 3, {-1, 0, 1},
                                                 {c & 1 ? p[0] : NULL, p[1], p[2]}, c & 2 ? p[3] : NULL, p[4],
                                                 false};
        struct system_entries *entries = NULL;
        st = system_entries_create(&desc, sm_90, &entries);
        system_entries_destroy(&entries);
    }
    for (int k = 0; k < PROGRAMS; k++) sw_program_destroy(&p[k]);
    assert_compiled(st, sm_90);
}

int main(void)
{
    const struct CMUnitTest alone[] = {
        cmocka_unit_test(sums_squares_to_the_same_bits_in_any_order),
        cmocka_unit_test(sums_squares_beyond_the_range_of_numbers),
        cmocka_unit_test(compiles_its_kernels),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_what_the_expressions_say),
        cmocka_unit_test(closes_the_circle_where_it_is_cyclic),
        cmocka_unit_test(fills_the_same_in_any_chunks),
        cmocka_unit_test(counts_random_numbers_beyond_2_31),
        cmocka_unit_test(multiplies_in_double_double),
        cmocka_unit_test(names_the_first_entry_that_is_not_finite),
        cmocka_unit_test(measures_as_plain_loops_do_in_any_chunks),
        cmocka_unit_test(names_the_first_row_whose_residual_is_not_finite),
        cmocka_unit_test(measures_what_is_huge),
        cmocka_unit_test(keeps_sums_as_numbers),
    };
    const struct CMUnitTest on_the_host[] = {cmocka_unit_test(fills_and_measures_any_diagonals)};
    int failed = cmocka_run_group_tests_name("sums and kernels", alone, NULL, NULL);
    for_each_row(entries_table) {
        failed += run_for_row(tests);
        if (under_test->space == SW_HOST) failed += run_for_row(on_the_host);  /* a GPU fills three diagonals only */
    }
    return failed;
}
