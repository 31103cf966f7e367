/* Conformance of the rows of the table of -u'' = f: every test runs on every row. The truth is the two sums in long
 * double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "architecture.h"
#include "bvp_helpers.h"

/* ---- programs */

enum { PARAMS = 3 };  /* a, w, c */

static struct sw_program *compiled(const char *text)
{
    static const struct sw_symbol symbol[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"a", SW_RATE_RUN, 0},
                                              {"w", SW_RATE_RUN, 1}, {"c", SW_RATE_RUN, 2}};
    return compile_text(text, symbol, 1 + PARAMS);
}

/* ---- a solver with its programs */

static const char *const wavy = "a*cos(w*x) + c*x^2 - 0.3";
static const char *const some_exact = "a*cos(pi/2*x) + c*x";

struct solver {
    struct sw_bvp *b;
    struct sw_bvp_desc desc;
    struct sw_program *f, *exact;
};

struct shape { int64_t n; int capacity; bool save_single, single, norms; };

static struct solver make_on(struct sw_device *where, const struct shape *s, const char *f, const char *exact)
{
    struct solver m = {.f = compiled(f), .exact = s->norms ? compiled(exact) : NULL};
    m.desc = (struct sw_bvp_desc){.n = s->n, .capacity = s->capacity, .save = true, .save_single = s->save_single,
                                  .single = s->single, .nparam = PARAMS, .f = m.f, .exact = m.exact};
    assert_ok(sw_bvp_create(&m.desc, under_test->name, where, &m.b));
    return m;
}

static struct solver make(int64_t n, int capacity)
{
    return make_on(device, &(struct shape){.n = n, .capacity = capacity, .norms = true}, wavy, some_exact);
}

static void unmake(struct solver *m)
{
    sw_bvp_destroy(&m->b);
    sw_program_destroy(&m->f);
    sw_program_destroy(&m->exact);
}

/* ---- problems */

static struct sw_bvp_run unit_run(int64_t n) { return (struct sw_bvp_run){.h = 1.0 / (double)n}; }

/* Problem j of a batch of `count`: parameters differ, and where it lies. */
static void mixture(int64_t n, int count, struct sw_bvp_run *run, double *param)
{
    uint64_t seed = 7;
    for (int j = 0; j < count; j++) {
        run[j] = (struct sw_bvp_run){.h = (1 + 0.25 * j) / (double)n, .x0 = 0.5 * j};
        param[0 * count + j] = 2 * test_random(&seed);
        param[1 * count + j] = 10 * test_random(&seed);
        param[2 * count + j] = test_random(&seed);
    }
}

/* u by long double sums, and the size of what is summed, sum_i sum_{k<=i} |d_k|, which rounding errors go with. */
static long double truth(const struct solver *m, const struct sw_bvp_run *run, const double *param, int64_t stride,
                         long double *u)
{
    int64_t n = m->desc.n;
    struct sw_eval *e;
    double *x, *f;
    long double size = 0, sum = 0, below = 0;
    assert_ok(sw_alloc((size_t)n, &x));
    assert_ok(sw_alloc((size_t)n, &f));
    assert_ok(sw_eval_create(m->f, (int)n, &e));
    sw_eval_by_scalars(e);
    for (int64_t i = 0; i < n; i++) x[i] = run->x0 + run->h * (double)i;
    const double *in[SW_INPUTS] = {[SW_IN_X] = x};
    sw_eval_run(e, param, stride);
    sw_eval_cells(e, (int)n, in);
    sw_eval_points(e, (int)n, in, f);
    for (int64_t i = 0; i < n; i++) {
        long double d = (long double)run->h * run->h * f[i] / (i ? 1 : 2);
        sum += d;
        below += fabsl(d);
        size += below;
        u[i] = sum;
    }
    for (int64_t i = n - 2; i >= 0; i--) u[i] += u[i + 1];
    sw_eval_destroy(&e);
    sw_free(x);
    sw_free(f);
    return size;
}

/* A sum of n numbers of which each has come through at most k additions is off by k u of the sum of their sizes: k is
 * 2 n for one sum after another, 2 (r + s) and what is left over for columns, and 1 for sums in pairs; on a GPU, where
 * only those between chunks are, twice a stretch of 16, 5 stages of a warp and 16 warps. h² f is off by 2 u; f by 4
 * units in the last place of the terms of `wavy`, which are at most 3 times |f| on average here. What is stored in
 * single precision is off by its unit. */
static double tolerance(const struct sw_bvp *b, int64_t n, int64_t r, double size)
{
    const struct sw_bvp_ops *o = b->ops;
    double unit = o->element_size == 4 ? 0x1p-24 : 0x1p-53, in_pairs = o->space == SW_HOST ? 1 : 2 * (16 + 5 + 16);
    double additions = o->columns        ? 2.0 * (double)(r + n / r + n % r) + 8
                       : o->element_size ? 2.0 * (double)n
                                         : in_pairs;
    if (!o->element_size && b->desc.single) return size * 0x1p-23;
    return size * (unit * (additions + 2) + 0x1p-53 * 32);
}

/* All fields of a batch are the truth within the tolerance. */
static void check_batch(const struct solver *m, int count, const struct sw_bvp_run *run, const double *param)
{
    const int64_t n = m->desc.n;
    const void *field;
    const struct sw_bvp_result *result;
    long double *u;
    assert_ok(sw_alloc((size_t)n, &u));
    assert_ok(sw_bvp_solve(m->b, count, run, param));
    assert_ok(sw_bvp_fetch(m->b, &field, &result));
    for (int j = 0; j < count; j++) {
        long double size = truth(m, &run[j], param + j, count, u);
        double most = tolerance(m->b, n, sw_bvp_columns(n, run[j].r), (double)size);
        const double *found = (const double *)field + j * n;
        assert_int_equal(result[j].fault, SW_BVP_FINE);
        for (int64_t i = 0; i < n; i++)
            if (!(fabsl(found[i] - u[i]) <= most))
                fail_msg("n = %lld, r = %lld, problem %d, point %lld: %.17g, expected %.17Lg +- %.3g", (long long)n,
                         (long long)run[j].r, j, (long long)i, found[i], u[i], most);
    }
    sw_free(u);
}

/* ---- what it computes */

/* One point; odd, prime; one chunk, its neighbours, several of them; enough for all threads. */
static const int64_t sizes[] = {1,   2,    3,    4,    5,    7,    15,   16,   17,   31,    32,    33,    63,    64,
                                65,  127,  128,  129,  255,  256,  257,  509,  1023, 1024,  1025,  2047,  2048,  2049,
                                4095, 4096, 4097, 4099, 8191, 8193, 16383, 16385, 65537, 131071, 200003};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void forms_the_sums_for_any_n(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < SIZES && !(small_suite() && sizes[k] > 5000); k++) {
        struct sw_bvp_run run[3];
        double param[3 * PARAMS];
        struct solver m = make(sizes[k], 3);
        mixture(sizes[k], 3, run, param);
        check_batch(&m, 3, run, param);
        unmake(&m);
    }
}

static void takes_random_right_hand_sides(void **state)
{
    char text[400];
    uint64_t seed = 2026;
    (void)state;
    const int count = under_test->space == SW_DEVICE ? 5 : 20;  /* half a second each */
    need_row();
    for (int k = 0; k < count; k++) {
        int64_t n = 1 + (int64_t)(fabs(test_random(&seed)) * 5000);
        struct sw_bvp_run run[2];
        double param[2 * PARAMS];
        snprintf(text, sizeof text, "%.17g*sin(%.17g*x + w) + a*exp(%.17g*x) + %.17g*floor(8*x + c) + (x > %.17g)",
                 test_random(&seed), 40 * test_random(&seed), test_random(&seed), test_random(&seed),
                 fabs(test_random(&seed)));
        struct solver m = make_on(device, &(struct shape){.n = n, .capacity = 2}, text, some_exact);
        mixture(n, 2, run, param);
        check_batch(&m, 2, run, param);
        unmake(&m);
    }
}

/* x_i is x0 + h i, rounded twice: which side of a jump it is on depends on its last bit. */
static void a_jump_at_a_point_is_on_its_side_in_all_rows(void **state)
{
    (void)state;
    need_row();
    for (int64_t n = 10; n <= 100000; n *= 10) {
        struct sw_bvp_run run[2] = {unit_run(n), {.h = 0.3 / (double)n, .x0 = 0.1}};
        struct solver m = make_on(device, &(struct shape){.n = n, .capacity = 2},
                                  "(x >= 0.3) + 3*(x > 0.7) + floor(10*x) + a*cos(x)", some_exact);
        check_batch(&m, 2, run, (double[2 * PARAMS]){1, 1});
        unmake(&m);
    }
}

/* A row without columns takes any r; the others any that leaves two entries a column, and the rest as it comes. */
static void any_r_that_fits_gives_the_same_sums(void **state)
{
    static const int64_t n = 3001, r[] = {0, 1, 2, 3, 7, 54, 55, 256, 257, 600, 1000, 1499, 1500};
    (void)state;
    need_row();
    struct solver m = make(n, 1);
    for (size_t k = 0; k < sizeof r / sizeof *r; k++) {
        struct sw_bvp_run run = unit_run(n);
        run.r = r[k];
        check_batch(&m, 1, &run, (double[]){1.5, 3.0, -0.5});
    }
    unmake(&m);
}

static void refuses_an_r_that_does_not_fit(void **state)
{
    const void *field;
    const struct sw_bvp_result *result;
    (void)state;
    need_row();
    struct solver m = make(100, 3);
    struct sw_bvp_run run[3] = {unit_run(100), unit_run(100), unit_run(100)};
    double param[3 * PARAMS] = {1, 1, 1};
    run[1].r = 51;
    run[2].r = -1;
    assert_null(sw_bvp_refusal(m.b, &run[0]));
    if (!under_test->columns) {
        assert_null(sw_bvp_refusal(m.b, &run[1]));
        unmake(&m);
        return;
    }
    assert_string_equal(sw_bvp_refusal(m.b, &run[1]),
                        "r does not fit grid.n: r columns of at least two entries need 1 <= r <= n/2");
    assert_non_null(sw_bvp_refusal(m.b, &run[2]));
    assert_ok(sw_bvp_solve(m.b, 3, run, param));
    assert_ok(sw_bvp_fetch(m.b, &field, &result));
    assert_true(isfinite(result[0].rms) && isfinite(((const double *)field)[99]));
    assert_true(isnan(result[1].rms) && isnan(((const double *)field)[100]));
    assert_true(isnan(result[2].rel) && isnan(((const double *)field)[299]));
    unmake(&m);
}

/* ---- what does not depend on what */

static void same_numbers(const struct sw_bvp_result *a, const struct sw_bvp_result *b)
{
    assert_memory_equal(&a->rms, &b->rms, sizeof a->rms);
    assert_memory_equal(&a->max, &b->max, sizeof a->max);
    assert_memory_equal(&a->rel, &b->rel, sizeof a->rel);
}

static void a_problem_alone_is_what_it_is_in_a_batch(void **state)
{
    enum { BATCH = 5 };
    static const int64_t some[] = {1, 3, 100, 2049, 40001};
    (void)state;
    need_row();
    for (size_t k = 0; k < sizeof some / sizeof *some && !(small_suite() && some[k] > 5000); k++) {
        const int64_t n = some[k];
        struct sw_bvp_run run[BATCH];
        double param[BATCH * PARAMS];
        const void *all, *one;
        const struct sw_bvp_result *results, *result;
        struct solver m = make(n, BATCH), single = make(n, 1);
        mixture(n, BATCH, run, param);
        assert_ok(sw_bvp_solve(m.b, BATCH, run, param));
        assert_ok(sw_bvp_fetch(m.b, &all, &results));
        for (int j = 0; j < BATCH; j++) {
            double own[PARAMS] = {param[j], param[BATCH + j], param[2 * BATCH + j]};
            assert_ok(sw_bvp_solve(single.b, 1, &run[j], own));
            assert_ok(sw_bvp_fetch(single.b, &one, &result));
            assert_memory_equal(one, (const double *)all + j * n, (size_t)n * sizeof(double));
            same_numbers(result, &results[j]);
        }
        unmake(&m);
        unmake(&single);
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    static const int64_t some[] = {1000, 2049, 70001};
    (void)state;
    need_row();
    if (under_test->space != SW_HOST) return;  /* a device does not use the host's threads */
    for (size_t k = 0; k < sizeof some / sizeof *some && !(small_suite() && some[k] > 5000); k++) {
        const int64_t n = some[k];
        struct sw_bvp_run run[3];
        double param[3 * PARAMS], *kept = NULL;
        struct sw_bvp_result first[3];
        mixture(n, 3, run, param);
        for (int threads = 1; threads <= 7; threads += 2) {
            struct sw_device *cpu;
            const void *field;
            const struct sw_bvp_result *result;
            assert_ok(sw_device_open("cpu", threads, &cpu));
            struct solver m = make_on(cpu, &(struct shape){.n = n, .capacity = 3, .norms = true}, wavy, some_exact);
            assert_ok(sw_bvp_solve(m.b, 3, run, param));
            assert_ok(sw_bvp_fetch(m.b, &field, &result));
            if (!kept) {
                assert_ok(sw_alloc(3 * (size_t)n, &kept));
                memcpy(kept, field, 3 * (size_t)n * sizeof *kept);
                memcpy(first, result, sizeof first);
            }
            assert_memory_equal(kept, field, 3 * (size_t)n * sizeof *kept);
            for (int j = 0; j < 3; j++) same_numbers(&first[j], &result[j]);
            unmake(&m);
            sw_device_close(&cpu);
        }
        sw_free(kept);
    }
}

/* A row may cut its work to fit the device; in which pieces is no matter. */
static void no_bit_depends_on_the_number_of_multiprocessors(void **state)
{
    static const int64_t some[] = {1000, 2049, 70001};
    (void)state;
    need_row();
    if (under_test->space == SW_HOST) return;
    for (size_t k = 0; k < sizeof some / sizeof *some && !(small_suite() && some[k] > 5000); k++) {
        const int64_t n = some[k];
        const int processors = device->processors;
        struct sw_bvp_run run = unit_run(n);
        double param[PARAMS] = {1.25, 3, -0.5};
        const void *all, *one;
        const struct sw_bvp_result *results, *result;
        struct solver m = make(n, 1);
        device->processors = 1;
        struct solver small = make(n, 1);
        assert_ok(sw_bvp_solve(small.b, 1, &run, param));
        device->processors = processors;
        assert_ok(sw_bvp_fetch(small.b, &one, &result));
        assert_ok(sw_bvp_solve(m.b, 1, &run, param));
        assert_ok(sw_bvp_fetch(m.b, &all, &results));
        assert_memory_equal(one, all, (size_t)n * sizeof(double));
        same_numbers(result, results);
        unmake(&m);
        unmake(&small);
    }
}

/* Sums of n squares in any order differ by n u at most. */
static void norms_are_those_of_the_field(void **state)
{
    static const int64_t some[] = {1, 2, 17, 1000, 2048, 5001};
    (void)state;
    need_row();
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        const int64_t n = some[k];
        struct sw_bvp_run run = unit_run(n);
        const void *field;
        const struct sw_bvp_result *result;
        double param[PARAMS] = {1.25, 3, -0.5}, error = 0, exact = 0, max = 0;
        struct solver m = make(n, 1);
        assert_ok(sw_bvp_solve(m.b, 1, &run, param));
        assert_ok(sw_bvp_fetch(m.b, &field, &result));
        for (int64_t i = 0; i < n; i++) {
            double x = run.h * (double)i, e = param[0] * cos(M_PI / 2 * x) + param[2] * x;
            double off = fabs(((const double *)field)[i] - e);
            error += off * off;
            exact += e * e;
            max = fmax(max, off);
        }
        /* and exact by vector functions by 4 units in the last place */
        double near = 1e-15 + 1e-15 * (double)n;
        assert_near(result->rms, sqrt(error / (double)n), near * result->rms + 1e-15);
        assert_near(result->rel, sqrt(error / exact), near * result->rel + 1e-15);
        assert_near(result->max, max, 2e-15);
        unmake(&m);
    }
}

static void without_fields_the_norms_are_the_same(void **state)
{
    const int64_t n = 10007;
    struct sw_bvp_run run = unit_run(n);
    double param[PARAMS] = {1, 2, 3};
    const void *field;
    const struct sw_bvp_result *with, *without;
    struct sw_bvp *bare;
    (void)state;
    need_row();
    struct solver m = make(n, 1);
    struct sw_bvp_desc desc = m.desc;
    desc.save = false;
    assert_ok(sw_bvp_create(&desc, under_test->name, device, &bare));
    assert_ok(sw_bvp_solve(m.b, 1, &run, param));
    assert_ok(sw_bvp_fetch(m.b, &field, &with));
    assert_non_null(field);
    assert_ok(sw_bvp_solve(bare, 1, &run, param));
    assert_ok(sw_bvp_fetch(bare, &field, &without));
    assert_null(field);
    same_numbers(with, without);
    sw_bvp_destroy(&bare);
    unmake(&m);
}

static void fields_kept_as_float_are_the_same_rounded(void **state)
{
    const int64_t n = 3000;
    struct sw_bvp_run run[2];
    double param[2 * PARAMS];
    const void *wide, *narrow;
    const struct sw_bvp_result *result;
    (void)state;
    need_row();
    mixture(n, 2, run, param);
    struct solver m = make(n, 2),
                  s = make_on(device, &(struct shape){.n = n, .capacity = 2, .save_single = true}, wavy, some_exact);
    assert_ok(sw_bvp_solve(m.b, 2, run, param));
    assert_ok(sw_bvp_fetch(m.b, &wide, &result));
    assert_ok(sw_bvp_solve(s.b, 2, run, param));
    assert_ok(sw_bvp_fetch(s.b, &narrow, &result));
    for (int64_t i = 0; i < 2 * n; i++)
        assert_true(((const float *)narrow)[i] == (float)((const double *)wide)[i]);
    unmake(&m);
    unmake(&s);
}

static void single_precision_is_that_of_the_name_or_as_asked(void **state)
{
    const int64_t n = 4001;
    struct sw_bvp_run run = unit_run(n);
    (void)state;
    need_row();
    struct solver m =
        make_on(device, &(struct shape){.n = n, .capacity = 1, .single = true, .norms = true}, wavy, some_exact);
    check_batch(&m, 1, &run, (double[]){1.5, 3.0, -0.5});
    unmake(&m);
}

/* ---- what is not finite */

static void names_the_first_x_where_f_is_not_finite(void **state)
{
    static const int64_t some[] = {8, 2048, 1 << 17};
    (void)state;
    need_row();
    for (size_t k = 0; k < sizeof some / sizeof *some && !(small_suite() && some[k] > 5000); k++) {
        const int64_t n = some[k];
        struct sw_bvp_run run[3] = {unit_run(n), unit_run(n), unit_run(n)};
        double param[3 * PARAMS] = {1, 1, 1, 0.5, 2, 0.75};  /* w = 0.5, 2, 0.75 */
        const void *field;
        const struct sw_bvp_result *result;
        struct solver m =
            make_on(device, &(struct shape){.n = n, .capacity = 3, .norms = true}, "a/(x - w)", some_exact);
        for (int again = 0; again < 2; again++) {
            assert_ok(sw_bvp_solve(m.b, 3, run, param));
            assert_ok(sw_bvp_fetch(m.b, &field, &result));
            assert_int_equal(result[0].fault, SW_BVP_F_NOT_FINITE);
            assert_near(result[0].where, 0.5, 0);
            assert_true(isnan(result[0].rms) && isnan(((const double *)field)[0]));
            assert_int_equal(result[1].fault, SW_BVP_FINE);
            assert_true(isnan(result[1].where) && isfinite(result[1].rms) && isfinite(((const double *)field)[n]));
            assert_near(result[2].where, 0.75, 0);
        }
        unmake(&m);
    }
}

static void says_that_the_sums_overflow_where_f_does_not(void **state)
{
    const int64_t n = 1000;
    struct sw_bvp_run run = {.h = 1e20, .x0 = 2};
    const void *field;
    const struct sw_bvp_result *result;
    (void)state;
    need_row();
    struct solver m = make_on(device, &(struct shape){.n = n, .capacity = 1, .norms = true}, "1e290 + x", some_exact);
    assert_ok(sw_bvp_solve(m.b, 1, &run, (double[PARAMS]){0}));
    assert_ok(sw_bvp_fetch(m.b, &field, &result));
    assert_int_equal(result->fault, SW_BVP_U_NOT_FINITE);
    assert_near(result->where, 2, 0);
    unmake(&m);
}

/* ---- the paper's tables */

struct entry { int log_n; int problem; double a1s, a1d, a2s, a2d, a2sd; };
/* Tables I and II; but A2SD of P2 at 2^20, where the paper's 1.3e-7 is that of another r than sqrt(n). */
static const struct entry table[] = {
    {20, 1, 1.732620e-04, 1.930917e-13, 6.381482e-07, 1.877603e-13, 2.569113e-07},
    {22, 1, 3.847218e-03, 2.545430e-14, 9.156066e-07, 1.265400e-14, 2.232157e-07},
    {20, 2, 2.618970e-03, 1.314334e-11, 2.893085e-06, 1.312754e-11, 1.2e-6},
    {22, 2, 8.263400e-03, 9.951346e-13, 5.194502e-06, 8.205207e-13, 1.115430e-05},
};

static double paper_of(const struct entry *e, const char *how, double *least, double *most)
{
    *least = 0.99;
    *most = 1.01;
    if (!strcmp(how, "a1d")) return e->a1d;
    if (!strcmp(how, "a2d")) return e->a2d;
    if (!strcmp(how, "a1s")) { *least = 0.98; *most = 1.02; return e->a1s; }
    *least = 1.0 / 3;  /* these depend on the cosine of the paper's GPU */
    *most = 3;
    if (!strcmp(how, "a2s")) return e->a2s;
    if (!strcmp(how, "a2sd")) return e->a2sd;
    *least = 0;        /* ours, and what is corrected until it is right to rounding: at or below a2d */
    *most = 1;
    return e->a2d;
}

/* Whether the paper has a column of this row. */
static bool is_of_the_paper(void)
{
    static const char *const column[] = {"a1s", "a1d", "a2s", "a2d", "a2sd"};
    for (int k = 0; k < 5; k++)
        if (!strcmp(strchr(under_test->name, '.') + 1, column[k])) return true;
    return false;
}

enum { P1 = 1 };

static double error_of(struct sw_device *where, int problem, int64_t n)
{
    static const char *const f[] = {"pi^2/4*cos(pi/2*x)", "20000*exp(-100*x^2)*(1 - 200*x^2)"},
                      *const exact[] = {"cos(pi/2*x)", "100*exp(-100*x^2) - 100*exp(-100)"};
    struct shape shape = {.n = n, .capacity = 1, .norms = true};
    struct sw_bvp_run run = unit_run(shape.n);
    const void *field;
    const struct sw_bvp_result *result;
    struct solver m = make_on(where, &shape, f[problem - 1], exact[problem - 1]);
    assert_ok(sw_bvp_solve(m.b, 1, &run, (double[PARAMS]){0}));
    assert_ok(sw_bvp_fetch(m.b, &field, &result));
    double rel = result->rel;
    unmake(&m);
    return rel;
}

static void the_tables_of_the_paper_come_back(void **state)
{
    (void)state;
    need_row();
    if (small_suite() || getenv("SW_SANITIZED")) return;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].log_n > 20 && !is_of_the_paper() && !long_suite()) continue;
        double least, most, paper = paper_of(&table[k], strchr(under_test->name, '.') + 1, &least, &most);
        double found = error_of(device, table[k].problem, 1ll << table[k].log_n);
        if (!(found >= least * paper && found <= most * paper))
            fail_msg("P%d, n = 2^%d: error %.6e, the paper has %.6e", table[k].problem, table[k].log_n, found, paper);
    }
}

/* P1 for n where rounding would show: what is left of the discretisation's error, pi²/48 h², is small. The bound of
 * docs/explanation/bvp.md. Sizes at which a GPU's rows cut a problem in other ways. */
static void sums_of_many_points_lose_nothing_to_rounding(void **state)
{
    static const int64_t some[] = {5000011, 1 << 23, (1 << 24) - 1, 20000003, 1 << 25, 1 << 26};
    (void)state;
    need_row();
    if (under_test->element_size || small_suite() || getenv("SW_SANITIZED")) return;
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        double h = 1 / (double)some[k], most = M_PI * M_PI / 48 * h * h + 1e-15;
        double found = error_of(device, P1, some[k]);
        if (!(found <= most)) fail_msg("n = %lld: error %.3g, at most %.3g", (long long)some[k], found, most);
    }
}

/* ---- names, arguments, memory */

/* Needs NVRTC, but no device. */
static void compiles_for_each_architecture_without_a_device(void **state)
{
    static const char *const f[] = {"1", "exp(a)", "a*cos(exp(w)*x) + c*x^2",
                                    "min(x, a) > floor(8*x + w) ? tanh(x) : c^x"};
    (void)state;
    if (under_test->absent) skip_unless_needed("cuda", under_test->absent);
    if (under_test->space == SW_HOST) return;
    for (size_t k = 0; k < sizeof f / sizeof *f; k++)
        for (int sm = 80; sm <= 90; sm += 10) {
            struct sw_program *program = compiled(f[k]), *exact = compiled(some_exact), *p = compiled("1 + a*x^2"),
                              *q = compiled("exp(w)*x");
            const bool general = under_test->general && k > 0;
            const int64_t n = sm == 80 ? 100 : 100000;  /* a short problem, a long one */
            struct sw_bvp_desc desc = {.n = n, .capacity = 3, .nparam = PARAMS, .f = program, .save = true,
                                       .single = k == 1, .save_single = k == 2, .exact = k == 3 ? NULL : exact,
                                       .p = general ? p : NULL, .q = general ? q : NULL};
            struct sw_device *own = open_architecture(sm);
            struct sw_bvp *b = NULL;
            const enum sw_status st = sw_bvp_create(&desc, under_test->name, own, &b);
            sw_bvp_destroy(&b);
            sw_program_destroy(&program);
            sw_program_destroy(&exact);
            sw_program_destroy(&p);
            sw_program_destroy(&q);
            assert_compiled(st, own);
        }
}

static void is_found_by_its_name_and_by_what_it_does(void **state)
{
    (void)state;
    need_row();
    struct solver m = make(10, 1);
    struct sw_bvp *b;
    assert_string_equal(sw_bvp_name(m.b), under_test->name);
    assert_ok(sw_bvp_create(&m.desc, strchr(under_test->name, '.') + 1, device, &b));
    assert_string_equal(sw_bvp_name(b), under_test->name);
    sw_bvp_destroy(&b);
    unmake(&m);
}

static void takes_the_memory_it_says(void **state)
{
    size_t small_fixed, small_each, fixed, each, bare_fixed, bare_each;
    (void)state;
    need_row();
    struct solver m = make(1000, 1);
    struct sw_bvp_desc desc = m.desc;
    assert_ok(sw_bvp_bytes(&desc, under_test->name, device, &small_fixed, &small_each));
    desc.n = 1 << 20;
    assert_ok(sw_bvp_bytes(&desc, under_test->name, device, &fixed, &each));
    desc.save = false;
    assert_ok(sw_bvp_bytes(&desc, under_test->name, device, &bare_fixed, &bare_each));
    assert_true(small_each >= 8000 && each >= 8u << 20 && fixed >= small_fixed && bare_fixed <= fixed);
    if (under_test->space == SW_HOST && !is_general()) assert_true(bare_each < 1000);
    desc.n = 1ll << 32;
    if (under_test->fits(&desc)) assert_ok(sw_bvp_bytes(&desc, under_test->name, device, &bare_fixed, &bare_each));
    if (!under_test->element_size) assert_true(bare_fixed + bare_each <= 300u << 20);  /* scan: a few hundred MB */
    unmake(&m);
}

/* A device that cannot be asked. */
static int refusals;

static enum sw_status refuse_use(const struct sw_device *on)
{
    (void)on;
    refusals++;
    return SW_FAIL(SW_E_CUDA, "it has fallen off the bus");
}

/* A row that asks the device, as a library may have to be, does not go on without an answer. */
static void says_that_the_memory_it_takes_cannot_be_told(void **state)
{
    size_t fixed, per_run;
    (void)state;
    need_row();
    struct solver m = make(1000, 1);
    const struct sw_device_ops *sound = device->ops;
    struct sw_device_ops deaf = *sound;
    deaf.use = refuse_use;
    refusals = 0;
    device->ops = &deaf;
    const enum sw_status st = sw_bvp_bytes(&m.desc, under_test->name, device, &fixed, &per_run);
    device->ops = sound;
    assert_int_equal(st, refusals ? SW_E_CUDA : SW_OK);
    if (refusals) assert_contains(sw_err_message(), "it has fallen off the bus");
    if (strstr(under_test->name, ".relations")) assert_int_equal(refusals, 1);
    unmake(&m);
}

static void counts_the_arrays_that_it_allocates(void **state)
{
    static const int64_t n[] = {1, 2, 77, 4099, 70001};
    (void)state;
    need_row();
    if (under_test->space == SW_DEVICE) return;  /* below, by what the device was asked for */
    for (size_t k = 0; k < 2 * sizeof n / sizeof *n; k++) {
        size_t fixed, per_run, other_fixed = 0, other_per_run = 0;
        struct solver m = make(1000, 1);
        struct sw_bvp_desc d = m.desc;
        struct sw_bvp *b = NULL;
        d.n = n[k / 2];
        d.capacity = k % 2 ? 1 : 5;
        d.save = k % 3;
        assert_ok(sw_bvp_bytes(&d, under_test->name, device, &fixed, &per_run));
        if (under_test->other_bytes)
            assert_ok(under_test->other_bytes(under_test, &d, device, &other_fixed, &other_per_run));
        assert_ok(sw_bvp_create(&d, under_test->name, device, &b));
        assert_int_equal(sw_owned_bytes(&b->arrays, SW_HOST),
                         fixed - other_fixed + (size_t)d.capacity * (per_run - other_per_run));
        sw_bvp_destroy(&b);
        unmake(&m);
    }
}

/* From create to fetch. 1024 bytes are for what expressions keep a run: cuda.scan makes others of them. cuda.thomas
 * counts what the host holds too. */
static void takes_no_more_memory_of_a_device_than_it_says(void **state)
{
    static const int64_t some[] = {1, 1000, 100003};
    (void)state;
    need_row();
    if (under_test->space == SW_HOST) return;
    for (size_t k = 0; k < 2 * sizeof some / sizeof *some && !(small_suite() && some[k / 2] > 5000); k++) {
        const int64_t n = some[k / 2];
        struct sw_bvp_run run[3];
        double param[3 * PARAMS];
        size_t fixed, per_run;
        const void *field;
        const struct sw_bvp_result *result;
        struct solver m = {.f = compiled(wavy), .exact = compiled(some_exact)};
        m.desc = (struct sw_bvp_desc){.n = n, .capacity = 3, .save = k % 2, .nparam = PARAMS, .f = m.f,
                                      .exact = m.exact};
        mixture(n, 3, run, param);
        assert_ok(sw_bvp_bytes(&m.desc, under_test->name, device, &fixed, &per_run));
        count_bytes();
        assert_ok(sw_bvp_create(&m.desc, under_test->name, device, &m.b));
        assert_ok(sw_bvp_solve(m.b, 3, run, param));
        assert_ok(sw_bvp_fetch(m.b, &field, &result));
        const size_t allocated = bytes_counted();
        assert_in_range(allocated, 1, fixed + 3 * per_run + 1024);
        if (under_test->space == SW_DEVICE && !under_test->other_bytes)
            assert_in_range(fixed + 3 * per_run + 1024, allocated, allocated + 2048);
        unmake(&m);
    }
}

static void refuses_what_cannot_be(void **state)
{
    struct sw_bvp *b = NULL;
    (void)state;
    need_row();
    struct solver m = make(10, 2);
    struct sw_bvp_run run[3] = {unit_run(10)};
    double param[3 * PARAMS] = {0};
    struct sw_bvp_desc desc = m.desc;
    desc.n = 0;
    assert_int_equal(sw_bvp_create(&desc, under_test->name, device, &b), SW_E_ARG);
    assert_contains(sw_err_message(), "n = 0: at least one point is needed");
    assert_null(b);
    assert_int_equal(sw_bvp_solve(m.b, 3, run, param), SW_E_ARG);
    assert_contains(sw_err_message(), "3 problems, room for 2");
    assert_int_equal(sw_bvp_create(&m.desc, "a9d", device, &b), SW_E_CONFIG);
    assert_contains(sw_err_message(), "solver a9d: there is no such row; fit here:");
    assert_contains(sw_err_message(), under_test->name);
    unmake(&m);
}

static void a_row_of_another_device_is_refused_with_those_that_fit(void **state)
{
    struct sw_device elsewhere = {.space = SW_DEVICE};
    struct sw_bvp *b = NULL;
    (void)state;
    need_row();
    if (under_test->space != SW_HOST) return;
    struct solver m = make(10, 1);
    assert_int_equal(sw_bvp_create(&m.desc, under_test->name, &elsewhere, &b), SW_E_ABSENT);
    assert_contains(sw_err_message(), "it does not work on this device; fit here:");
    unmake(&m);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_the_sums_for_any_n),
        cmocka_unit_test(takes_random_right_hand_sides),
        cmocka_unit_test(a_jump_at_a_point_is_on_its_side_in_all_rows),
        cmocka_unit_test(any_r_that_fits_gives_the_same_sums),
        cmocka_unit_test(refuses_an_r_that_does_not_fit),
        cmocka_unit_test(a_problem_alone_is_what_it_is_in_a_batch),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
        cmocka_unit_test(no_bit_depends_on_the_number_of_multiprocessors),
        cmocka_unit_test(norms_are_those_of_the_field),
        cmocka_unit_test(without_fields_the_norms_are_the_same),
        cmocka_unit_test(fields_kept_as_float_are_the_same_rounded),
        cmocka_unit_test(single_precision_is_that_of_the_name_or_as_asked),
        cmocka_unit_test(names_the_first_x_where_f_is_not_finite),
        cmocka_unit_test(says_that_the_sums_overflow_where_f_does_not),
        cmocka_unit_test(the_tables_of_the_paper_come_back),
        cmocka_unit_test(sums_of_many_points_lose_nothing_to_rounding),
        cmocka_unit_test(compiles_for_each_architecture_without_a_device),
        cmocka_unit_test(is_found_by_its_name_and_by_what_it_does),
        cmocka_unit_test(takes_the_memory_it_says),
        cmocka_unit_test(says_that_the_memory_it_takes_cannot_be_told),
        cmocka_unit_test(counts_the_arrays_that_it_allocates),
        cmocka_unit_test(takes_no_more_memory_of_a_device_than_it_says),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(a_row_of_another_device_is_refused_with_those_that_fit),
    };
    int failed = 0;
    for_each_row(sw_bvp_table)
        failed += run_for_row(tests);
    return failed;
}
