/* What cuda.fused computes on the host for each line, and which layouts it has for a device. Neither needs one. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "problem/line/cuda/fused_coefficients.h"
#include "problem/line/stepper/recursive.h"
#include "problem/line/stepper/sw_stepper_impl.h"

enum { N = 20000, LANES = 768, WARPS = LANES / 32, RUNS = 300 };

static const struct sw_fused_cut cut = {.n = N, .lanes = LANES}, few = {.n = 100, .lanes = 8};

static struct sw_line_run run_of(double s4, double s2) 
{
    return (struct sw_line_run){.dt = 1.0, .dx = 1.0, .a[0] = {.s4 = s4, .s2 = s2}};
}

static void has_the_powers_for_lanes_and_warps_in_a_row(void **state)
{
    static double table[8 * (32 + WARPS)];
    struct sw_fused_line line;
    struct sw_recursive r;
    double expected[4];
    (void)state;
    assert_int_equal(sw_fused_table(&cut), 8 * (32 + WARPS));
    assert_true(sw_recursive_factor(5e4, 0.3, &r));
    sw_fused_line_set(&cut, 5e4, 0.3, &line, table);
    assert_true(line.a1 == r.a1 && line.a2 == r.a2 && line.scale == r.scale);
    for (int q = 0; q < 32 + WARPS; q++)
        for (int more = 0; more < 2; more++) {
            int points = q < 32 ? q * N / LANES : (q - 32) * N / WARPS;
            sw_recursive_power(&r, points + more, expected);
            for (int i = 0; i < 4; i++) assert_near(table[4 * (2 * q + more) + i], expected[i], 1e-14);
        }
    for (int k = 0; k < 5; k++)  /* a stage of the scan is 2^k lanes in a row */
        for (int i = 0; i < 8; i++) assert_near(line.power[2 * k + i / 4][i % 4], table[8 * (1 << k) + i], 1e-14);
}

static void decides_by_the_coefficients_what_matters(void **state)
{
    static double table[8 * (32 + WARPS)];
    struct sw_fused_line line;
    (void)state;
    sw_fused_line_set(&cut, 0.0, 0.0, &line, table);
    assert_int_equal(line.stages, 0);
    assert_int_equal(line.decay_warps, 1);
    assert_int_equal(line.closed, 0);
    /* |rho| = 0.93: 38.8/0.072 = 540 points, a warp has 833 */
    sw_fused_line_set(&cut, 1e4, 0.0, &line, table);
    assert_int_equal(line.stages, 5);
    assert_int_equal(line.decay_warps, 1);
    sw_fused_line_set(&cut, 1e8, 0.0, &line, table);  /* |rho| = 1 - 0.0071: 6000 points */
    assert_in_range(line.decay_warps, 6, 9);
    assert_int_equal(line.closed, 0);
    sw_fused_line_set(&cut, 1e12, 0.0, &line, table);
    assert_int_equal(line.decay_warps, WARPS);
    assert_int_equal(line.closed, 1);
}

/* Some alike in a row, some that cannot be factored. */
static void fill(struct sw_line_run *run)
{
    for (int j = 0; j < RUNS; j++) run[j] = run_of(j % 7 ? pow(10.0, j / 5 % 20 - 10) : NAN, 0.1 * (double)(j / 50));
    run[100] = run_of(-1.0, 0.0);
}

static void gives_a_run_the_same_numbers_alone_and_with_any_number_of_threads(void **state)
{
    static struct sw_line_run run[RUNS];
    static struct sw_fused_line line[2][RUNS], one;
    const size_t size = 8 * (32 + WARPS);
    double *table[2], alone[8 * (32 + WARPS)];
    (void)state;
    fill(run);
    for (int k = 0; k < 2; k++) {
        assert_ok(sw_alloc(RUNS * size, &table[k]));
        assert_true(sw_fused_batch_set(&cut, RUNS, run, 1 + 3 * k, line[k], table[k]));
    }
    assert_memory_equal(table[0], table[1], RUNS * size * sizeof(double));
    assert_memory_equal(line[0], line[1], sizeof line[0]);
    for (int j = 0; j < RUNS; j += 11) {
        assert_false(sw_fused_batch_set(&cut, 1, &run[j], 1, &one, alone));
        assert_memory_equal(alone, table[0] + (size_t)j * size, sizeof alone);
        assert_memory_equal(&one, &line[0][j], sizeof one);
    }
    sw_free(table[0]);
    sw_free(table[1]);
}

static void computes_one_line_where_all_are_alike(void **state)
{
    static struct sw_line_run run[RUNS];
    static struct sw_fused_line line[RUNS];
    (void)state;
    for (int j = 0; j < RUNS; j++) run[j] = run_of(3.0, 0.0);
    memset(line, 0, sizeof line);
    assert_false(sw_fused_batch_set(&few, RUNS, run, 2, line, NULL));
    assert_true(line[0].scale > 0.0 && line[1].scale == 0.0);
    run[RUNS - 1].a[0].s2 = 1.0;
    assert_true(sw_fused_batch_set(&few, RUNS, run, 2, line, NULL));
    assert_true(line[RUNS - 1].scale > 0.0 && line[1].scale == line[0].scale);
}

/* ---- which lines a device takes */

static const struct sw_stepper_ops *fused(void)
{
    for (int k = 0; sw_stepper_table[k]; k++)
        if (!strcmp(sw_stepper_table[k]->name, "cuda.fused")) return sw_stepper_table[k];
    return NULL;
}

static bool takes(enum sw_scheme scheme, int n, int sm)
{
    struct sw_stepper_desc desc = {.n = n, .capacity = 1, .model = {.scheme = scheme}};
    return fused()->fits(&desc, sm);
}

static void takes_lines_as_long_as_the_device_can_hold(void **state)
{
    (void)state;
    if (fused()->absent) skip_unless_needed("cuda", fused()->absent);
    for (int scheme = SW_CRANK_NICOLSON; scheme <= SW_BACKWARD_EULER; scheme++)
        for (int n = 5; n <= 262144; n += 1 + n / 7) {
            if (!takes(scheme, n, 90)) fail_msg("n = %d", n);
            if (n <= 16384 && !takes(scheme, n, 80)) fail_msg("n = %d without clusters", n);
        }
    assert_false(takes(SW_CRANK_NICOLSON, 262145, 90));
    assert_false(takes(SW_CRANK_NICOLSON, 16385, 80));
    assert_false(takes(SW_BACKWARD_EULER, 24577, 80));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_powers_for_lanes_and_warps_in_a_row),
        cmocka_unit_test(decides_by_the_coefficients_what_matters),
        cmocka_unit_test(gives_a_run_the_same_numbers_alone_and_with_any_number_of_threads),
        cmocka_unit_test(computes_one_line_where_all_are_alike),
        cmocka_unit_test(takes_lines_as_long_as_the_device_can_hold),
    };
    return cmocka_run_group_tests_name("fused_coefficients", tests, NULL, NULL);
}
