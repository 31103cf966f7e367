/* What is computed of fields on grids: sums in a fixed order, expressions at points, error norms, snapshots. */
#include "helpers.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "architecture.h"
#include "device/sw_snapshot.h"
#include "field/norms.h"
#include "field/resample.h"
#include "field/sum.h"
#include "problem/device/sampler.h"

static struct sw_program *compile(const char *text)
{
    static const struct sw_symbol symbol[] = {
        {"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y}, {"z", SW_RATE_CELL, SW_IN_Z}, {"a", SW_RATE_RUN, 0},
        {"t", SW_RATE_STEP, 0},
    };
    const struct sw_scope scope = {.symbol = symbol, .count = 5, .random = true};
    struct sw_expr *expr = NULL;
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    if (sw_expr_parse(text, &expr, &err) || sw_program_compile(expr, &scope, &program, &err))
        fail_msg("%s: column %d: %s", text, err.column, err.text);
    sw_expr_destroy(&expr);
    return program;
}

static void fill(double *v, int n)
{
    uint64_t state = 7;
    for (int i = 0; i < n; i++) v[i] = test_random(&state);
}

/* ------------------------------------------------------------------ sums */

/* Powers of two times small whole numbers: any order is exact. */
static void sums_are_those_of_all_terms(void **state)
{
    double v[1000];
    (void)state;
    for (int i = 0; i < 1000; i++) v[i] = i + 1;
    for (int n = 0; n <= 1000; n += n < 300 ? 1 : 50) {
        assert_near(sw_sum_pairwise(v, n), 0.5 * n * (n + 1), 0);
        assert_near(sw_sum_lanes(v, n), 0.5 * n * (n + 1), 0);
    }
}

/* The orders that the numbers in files have been taken in, on terms whose sum depends on the order. */
static void sums_keep_their_orders(void **state)
{
    enum { N = 300 };
    double v[N], lane[SW_SUM_LANES] = {0};
    (void)state;
    fill(v, N);
    for (int i = 0; i < N; i++) lane[i % SW_SUM_LANES] += v[i];
    for (int w = SW_SUM_LANES / 2; w; w /= 2)
        for (int l = 0; l < w; l++) lane[l] += lane[l + w];
    assert_true(sw_sum_lanes(v, N) == lane[0]);
    assert_true(sw_sum_pairwise(v, 17) == (((((((v[0] + v[1]) + v[2]) + v[3]) + v[4]) + v[5]) + v[6]) + v[7]) +
                                              sw_sum_pairwise(v + 8, 9));
    assert_true(sw_sum_pairwise(v, 9) ==
                (((v[0] + v[1]) + v[2]) + v[3]) + ((((v[4] + v[5]) + v[6]) + v[7]) + v[8]));
}

/* ------------------------------------------------------------------ expressions at points */

static const struct sw_grid grid = {.x0 = {0.25, -1, 2}, .dx = {0.125, 0.5, 0.0625}};

static void a_value_does_not_depend_on_what_else_is_evaluated(void **state)
{
    const int64_t n[SW_DIMS] = {7, 5, 3};
    enum { POINTS = 7 * 5 * 3 };
    struct sw_program *program = compile("a*sin(x) + y*z + t + randn(1)");
    struct sw_evaluator e;
    double all[POINTS], one[POINTS], a = 1.5;
    (void)state;
    assert_ok(sw_evaluator_create(program, n, &e));
    sw_evaluator_begin(&e, &grid, &a, 1, 0.5, 3);
    sw_evaluator_points(&e, 0, POINTS, all);
    for (int width = 1; width < 20; width++) {
        for (int first = 0; first < POINTS; first += width)
            sw_evaluator_points(&e, first, POINTS - first < width ? POINTS - first : width, one + first);
        assert_memory_equal(one, all, sizeof all);
    }
    sw_evaluator_destroy(&e);
    sw_program_destroy(&program);
}

static void points_are_where_the_grid_has_them(void **state)
{
    const struct sw_sampling at = {.n = {3000, 2, 3}, .grid = grid, .threads = 2};
    struct sw_sampling with = at;
    struct sw_program *program = compile("x + 10*y + 100*z");
    double *u;
    float *v;
    (void)state;
    with.program = program;
    assert_ok(sw_alloc(3000 * 6, &u));
    assert_ok(sw_alloc(3000 * 6, &v));
    assert_ok(sw_sample(&with, false, u));
    assert_ok(sw_sample(&with, true, v));
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 3000; i++) {
                const int p = (k * 2 + j) * 3000 + i;
                assert_near(u[p], 0.25 + i * 0.125 + 10 * (-1 + j * 0.5) + 100 * (2 + k * 0.0625), 1e-10);
                assert_true(v[p] == (float)u[p]);
            }
    sw_free(u);
    sw_free(v);
    sw_program_destroy(&program);
}

/* ------------------------------------------------------------------ norms */

static void norms_of_a_run_are_pairwise_over_all_points(void **state)
{
    enum { N = 5000 };
    const int64_t n[SW_DIMS] = {N / 4, 4, 1};
    static double u[N], exact[N], square[N];
    struct sw_program *program = compile("sin(x)*cos(y)");
    struct sw_evaluator e;
    double a = 0, largest = 0;
    (void)state;
    fill(u, N);
    assert_ok(sw_evaluator_create(program, n, &e));
    sw_evaluator_begin(&e, &grid, &a, 1, 0, 0);
    for (int first = 0; first < N; first += 1000) sw_evaluator_points(&e, first, 1000, exact + first);
    for (int i = 0; i < N; i++) {
        square[i] = (u[i] - exact[i]) * (u[i] - exact[i]);
        largest = fmax(largest, fabs(u[i] - exact[i]));
        exact[i] *= exact[i];
    }
    const double difference = sw_sum_pairwise(square, N);
    const struct sw_norms norms = sw_norms_of_run(&e, u);
    assert_true(norms.l2 == sqrt(difference / N));
    assert_true(norms.max == largest);
    assert_true(norms.rel == sqrt(difference) / sqrt(sw_sum_pairwise(exact, N)));
    assert_true(isnan(norms.interior));
    u[0] = NAN;  /* finite differences come after it */
    const struct sw_norms bad = sw_norms_of_run(&e, u);
    assert_true(isnan(bad.l2) && isnan(bad.max) && isnan(bad.rel));
    sw_evaluator_destroy(&e);
    sw_program_destroy(&program);
}

static void a_comparison_names_the_interior_and_the_first_bad_point(void **state)
{
    enum { N = 40, LINES = 3 };
    static double u[LINES][N], d[LINES][N];
    struct sw_program *program = compile("x");
    const struct sw_sampling at = {.program = program, .n = {N, LINES, 1}, .grid = grid, .threads = 1};
    const struct sw_interior interior = {.first = {10}, .last = {30, LINES, 1}};
    struct sw_difference found;
    (void)state;
    assert_ok(sw_sample(&at, false, u));
    u[1][12] += 0.5;
    u[2][35] += 2;
    assert_ok(sw_compare(&at, &interior, false, u, d, &found));
    assert_near(found.norms.max, 2, 0);
    assert_near(found.norms.interior, 0.5, 0);
    assert_near(found.norms.l2, sqrt(4.25 / (N * LINES)), 1e-15);
    assert_int_equal(found.bad, -1);
    assert_near(d[2][35], 2, 0);
    u[1][20] = INFINITY;
    u[2][1] = NAN;
    assert_ok(sw_compare(&at, &interior, false, u, NULL, &found));
    assert_int_equal(found.bad, N + 20);
    sw_program_destroy(&program);
}

/* ------------------------------------------------------------------ snapshots */

static void take_snapshot(struct sw_snapshots *s, int slot, int what, double value)
{
    void *field;
    double *scalars;
    assert_ok(sw_snapshots_begin(s, slot, what, &field, &scalars));
    assert_int_equal(field != NULL, (what & SW_SNAPSHOT_FIELD) != 0);
    assert_int_equal(scalars != NULL, (what & SW_SNAPSHOT_SCALARS) != 0);
    if (field) ((double *)field)[3] = value;
    if (scalars) scalars[1] = -value;
    assert_ok(sw_snapshots_send(s, 4 * sizeof(double), 2 * sizeof(double)));
}

static void each_slot_holds_the_last_snapshot_sent_to_it(void **state)
{
    struct sw_device *device;
    struct sw_snapshots *s;
    const void *field;
    const double *scalars;
    (void)state;
    assert_ok(sw_device_open("cpu", 1, &device));
    assert_ok(sw_snapshots_create(device, 4 * sizeof(double), 2 * sizeof(double), &s));
    for (int slot = 0; slot < SW_SNAPSHOT_SLOTS; slot++)
        take_snapshot(s, slot, SW_SNAPSHOT_FIELD | SW_SNAPSHOT_SCALARS, slot + 1);
    take_snapshot(s, 1, SW_SNAPSHOT_SCALARS, 10);
    for (int slot = 0; slot < SW_SNAPSHOT_SLOTS; slot++) {
        assert_ok(sw_snapshots_fetch(s, slot, &field, &scalars));
        assert_int_equal(field != NULL, slot != 1);
        if (field) assert_near(((const double *)field)[3], slot + 1, 0);
        assert_near(scalars[1], slot == 1 ? -10 : -(slot + 1), 0);
    }
    sw_snapshots_destroy(&s);
    assert_null(s);
    sw_snapshots_destroy(&s);
    sw_device_close(&device);
}

/* ------------------------------------------------------------------ other points */

static void resample(int n, const double *u, int m, double *v)
{
    struct sw_resampler *r;
    assert_ok(sw_resampler_create(n, m, &r));
    assert_true(sw_resampler_fits(r, n, m) && !sw_resampler_fits(r, m, n + 1));
    sw_resample(r, u, v);
    sw_resampler_destroy(&r);
    assert_null(r);
    assert_false(sw_resampler_fits(r, n, m));
}

/* Waves 0 to k of random sizes and phases. */
static void add_waves(int n, int k, double *u)
{
    uint64_t state = 3;
    for (int i = 0; i < n; i++) u[i] = 0.25;
    for (int w = 1; w <= k; w++) {
        const double size = test_random(&state), phase = test_random(&state);
        for (int i = 0; i < n; i++) u[i] += size * cos(6.283185307179586 * ((double)w * i / n + phase));
    }
}

/* Numbers of up to 10, whose angles are rounded to 1e-15 k: 1e-13 with room. Lengths of all kinds: powers of two, small
 * factors, and primes beyond those whose transform is computed as it is. */
static void waves_of_both_grids_are_resampled(void **state)
{
    static const int length[] = {6, 16, 17, 60, 61, 67, 97, 128, 134, 509, 1018};
    enum { LENGTHS = sizeof length / sizeof *length, MOST = 1018 };
    double u[MOST], v[MOST], expected[MOST];
    (void)state;
    for (int a = 0; a < LENGTHS; a++)
        for (int b = 0; b < LENGTHS; b++) {
            const int n = length[a], m = length[b], both = n < m ? n : m, k = both > 40 ? 20 : (both - 1) / 2;
            add_waves(n, k, u);
            add_waves(m, k, expected);
            resample(n, u, m, v);
            for (int i = 0; i < m; i++) assert_near(v[i], expected[i], 1e-13);
        }
}

/* The shortest wave of an even number of points is a cosine on the finer grid, and what a coarser grid cannot hold is
 * left out; there and back again a field of fewer points is what it was, and keeps its mean. Rounding as above. */
static void a_finer_grid_holds_all_of_a_coarser_one(void **state)
{
    static const int length[][2] = {{8, 16}, {8, 11}, {15, 16}, {64, 67}, {67, 509}};
    double u[509], fine[509], back[509];
    (void)state;
    for (int k = 0; k < (int)(sizeof length / sizeof *length); k++) {
        const int n = length[k][0], m = length[k][1];
        double mean = 0;
        fill(u, n);
        resample(n, u, m, fine);
        resample(m, fine, n, back);
        for (int i = 0; i < n; i++) assert_near(back[i], u[i], 1e-13);
        for (int i = 0; i < n; i++) mean += u[i] / n;
        for (int i = 0; i < m; i++) mean -= fine[i] / m;
        assert_near(mean, 0, 1e-13);
    }
    for (int i = 0; i < 8; i++) u[i] = i % 2 ? -1 : 1;
    resample(8, u, 16, fine);
    for (int i = 0; i < 16; i++) assert_near(fine[i], cos(3.141592653589793 * i / 2), 1e-14);
    resample(16, fine, 6, back);
    for (int i = 0; i < 6; i++) assert_near(back[i], 0, 1e-14);
    u[3] = NAN;
    resample(8, u, 67, fine);
    for (int i = 0; i < 67; i++) assert_true(isnan(fine[i]));
}

/* Where a value lies does not change it, random ones included: they go by the point's number in the field. */
static void samples_lie_where_they_are_wanted(void **state)
{
    enum { NX = 5, NY = 4, NZ = 3 };
    const double a = 0.25;
    double as_fields[NX * NY * NZ], in_slabs[NX * NY * NZ];
    struct sw_program *program = compile("a*x + y^2 - 3*z + rand(2)");
    struct sw_sampling at = {.program = program, .n = {NX, NY, NZ}, .column = &a, .stride = 1, .threads = 2,
                             .grid = {.x0 = {0.1, 0.2, 0.3}, .dx = {0.5, 0.25, 0.125}, .ddx = {0, 0, 0.5}}};
    (void)state;
    assert_ok(sw_sample(&at, false, as_fields));
    at.line[0] = NX * NZ;
    at.line[1] = NX;
    assert_ok(sw_sample(&at, false, in_slabs));
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++)
                assert_true(in_slabs[(j * NZ + k) * NX + i] == as_fields[(k * NY + j) * NX + i]);
    sw_program_destroy(&program);
}

/* Values kept at all rates, a random number. */
static void kernels_of_samples_compile(void **state)
{
    (void)state;
    struct sw_device *sm_90 = open_architecture(90);
    struct sw_program *program = compile("exp(a)*x + sin(y)*cos(t) + rand(2) - z^0.5");
    struct sw_device_sampler *sampler = NULL;
    const enum sw_status st = sw_device_sampler_create(program, 1, sm_90, &sampler);
    sw_device_sampler_destroy(&sampler);
    sw_program_destroy(&program);
    assert_compiled(st, sm_90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_where_they_are_wanted),
        cmocka_unit_test(kernels_of_samples_compile),
        cmocka_unit_test(sums_are_those_of_all_terms),
        cmocka_unit_test(sums_keep_their_orders),
        cmocka_unit_test(a_value_does_not_depend_on_what_else_is_evaluated),
        cmocka_unit_test(points_are_where_the_grid_has_them),
        cmocka_unit_test(norms_of_a_run_are_pairwise_over_all_points),
        cmocka_unit_test(a_comparison_names_the_interior_and_the_first_bad_point),
        cmocka_unit_test(each_slot_holds_the_last_snapshot_sent_to_it),
        cmocka_unit_test(waves_of_both_grids_are_resampled),
        cmocka_unit_test(a_finer_grid_holds_all_of_a_coarser_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
