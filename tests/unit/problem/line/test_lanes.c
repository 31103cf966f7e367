/* Lines side by side, in each instruction set that this processor has, against the Fourier solution. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "lanes_helpers.h"
#include "problem/line/simd/lanes.h"

static const double unit = 0x1p-53;
enum { MAX_N = 1024, LINES = SW_LANES };

static _Alignas(64) double u[MAX_N * SW_LANES], v[MAX_N * SW_LANES];
static _Alignas(64) double swept[(MAX_N + 2 * SW_LANES_MARGIN) * SW_LANES], h[(MAX_N + 2) * SW_LANES];
static _Alignas(64) double before[MAX_N * SW_LANES];

/* Each lane with coefficients of its own, dt and dx being 1. */
static void set(struct sw_lanes *lanes, int n, const double *s4, const double *s2)
{
    memset(lanes, 0, sizeof *lanes);
    for (int l = 0; l < LINES; l++) {
        struct sw_lanes_line line;
        const struct sw_line_operator a = {.s4 = s4[l], .s2 = s2[l]};
        if (!sw_lanes_line(n, &a, false, &line)) fail_msg("s4 = %g, s2 = %g refused", s4[l], s2[l]);
        sw_lanes_set(lanes, l, &line, 1.0, 1.0);
    }
}

static void fill(int n)
{
    srand(7);
    for (int i = 0; i < n * SW_LANES; i++) u[i] = before[i] = 0.5 + (double)rand() / RAND_MAX;
}

/* u = weight A⁻¹ before - left before; the bound of one solve (docs/explanation/recursive_form.md), and the
 * rounding of what is added to it. */
static void compare(const char *what, int n, const double *s4, const double *s2, double weight, double left)
{
    static long double expected[MAX_N];
    for (int l = 0; l < LINES; l++) {
        double error = 0.0, largest = 0.0;
        test_fourier_solve(n, s4[l], s2[l], before + l, SW_LANES, expected);
        for (int i = 0; i < n; i++) {
            long double x = weight * expected[i] - left * before[i * SW_LANES + l];
            largest = fmax(largest, fabs(before[i * SW_LANES + l]));
            error = fmax(error, (double)fabsl(u[i * SW_LANES + l] - x));
        }
        double bound = weight * 10.0 * unit * (1.0 + sqrt(s2[l]) + sqrt(s4[l])) * largest;
        if (!(error <= bound))
            fail_msg("%s, n = %d, s4 = %g, s2 = %g: off by %g > %g", what, n, s4[l], s2[l], error, bound);
    }
}

/* Steps from .. to-1, in place. */
static void advance(const struct sw_lanes_ops *ops, const struct sw_lanes *lanes, int n,
                    const struct sw_lanes_terms *terms, int from, int to)
{
    static struct sw_lanes_work work;
    memset(swept, 0, sizeof swept);
    work.w = swept;
    work.h[0] = h;
    ops->begin(lanes, n, &work, !terms);
    ops->first(lanes, n, &work, u, terms, from & 1);
    for (int step = from; step < to; step++) ops->pass(lanes, n, &work, u, u, terms, step & 1, step + 1 == to);
}

static void check(const struct sw_lanes_ops *ops, int n, const double *s4, const double *s2)
{
    static struct sw_lanes lanes;
    const struct sw_lanes_terms solve = {.u_weight = 1.0};
    set(&lanes, n, s4, s2);
    for (int step = 0; step < 2; step++) {  /* one goes up, the other down */
        fill(n);
        advance(ops, &lanes, n, &solve, step, step + 1);
        compare(ops->name, n, s4, s2, 1.0, 0.0);
        fill(n);
        advance(ops, &lanes, n, NULL, step, step + 1);
        compare(ops->name, n, s4, s2, 2.0, 1.0);
    }
}

static void solves_within_its_bound_for_all_coefficients(void **state)
{
    static const int sizes[] = {5, 6, 7, 16, 17, 31, 64, 100, 333};
    double s4[LINES], s2[LINES];
    (void)state;
    for (int k = 0; sw_lanes_table[k]; k++) {
        if (!sw_lanes_table[k]->here()) continue;
        for (int first = 0; first < COEFFICIENTS; first += LINES) {
            choose_coefficients(first, 1, s4, s2);
            check(sw_lanes_table[k], 33, s4, s2);
        }
        for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++)
            for (int first = 0; first < (sizes[s] < 50 ? 10 : 1); first++) {
                choose_coefficients(first * 61, 43, s4, s2);
                check(sw_lanes_table[k], sizes[s], s4, s2);
            }
    }
}

/* The same decay in all lanes goes another way. */
static void solves_within_its_bound_with_one_operator_for_all_lanes(void **state)
{
    static const double power[] = {0.0, 1e-12, 1e-3, 1.0, 1e3, 1e7, 1e12};
    double s4[LINES], s2[LINES];
    (void)state;
    for (int k = 0; sw_lanes_table[k]; k++)
        for (int p = 0; sw_lanes_table[k]->here() && p < 7; p++)
            for (int q = 0; q < 7; q++) {
                for (int l = 0; l < LINES; l++) {
                    s4[l] = power[p];
                    s2[l] = power[q];
                }
                check(sw_lanes_table[k], 100, s4, s2);
            }
}

static void a_call_can_be_split_anywhere_without_changing_a_bit(void **state)
{
    enum { N = 100, STEPS = 7 };
    static struct sw_lanes lanes;
    double s4[LINES], s2[LINES];
    (void)state;
    choose_coefficients(5, 43, s4, s2);
    set(&lanes, N, s4, s2);
    for (int k = 0; sw_lanes_table[k]; k++) {
        const struct sw_lanes_ops *ops = sw_lanes_table[k];
        if (!ops->here()) continue;
        fill(N);
        advance(ops, &lanes, N, NULL, 3, 3 + STEPS);
        memcpy(v, u, sizeof v);
        for (int split = 1; split < STEPS; split++) {
            fill(N);
            advance(ops, &lanes, N, NULL, 3, 3 + split);
            advance(ops, &lanes, N, NULL, 3 + split, 3 + STEPS);
            assert_memory_equal(u, v, N * SW_LANES * sizeof *u);
        }
    }
}

/* A lane's bits are those it has in other company, and those of another instruction set. */
static void a_line_has_the_same_bits_in_any_lane_company_and_instruction_set(void **state)
{
    enum { N = 100, STEPS = 4 };
    static struct sw_lanes lanes;
    double s4[LINES], s2[LINES], first[N];
    bool has_first = false;
    (void)state;
    for (int k = 0; sw_lanes_table[k]; k++) {
        const struct sw_lanes_ops *ops = sw_lanes_table[k];
        if (!ops->here() || !strcmp(ops->name, "generic")) continue;  /* which may be without fused operations */
        for (int company = 0; company < 6; company++) {  /* the last is of its like */
            int lane = company * 3;
            choose_coefficients(company * 100, 17 * company, s4, s2);
            for (int l = company < 5 ? lane : 0; l < (company < 5 ? lane + 1 : LINES); l++) {
                s4[l] = 2.5;
                s2[l] = 0.3;
            }
            set(&lanes, N, s4, s2);
            fill(N);
            for (int i = 0; i < N; i++) u[i * SW_LANES + lane] = sin(0.37 * i) + 0.01 * i;
            advance(ops, &lanes, N, NULL, 0, STEPS);
            for (int i = 0; i < N; i++) {
                if (!has_first) first[i] = u[i * SW_LANES + lane];
                assert_true(u[i * SW_LANES + lane] == first[i]);
            }
            has_first = true;
        }
    }
    if (!has_first) skip_because("neither AVX2 nor AVX-512 here: no two instruction sets to compare");
}

/* In a group of few runs, set in any order: narrow passes have one h, which must be that of all lanes that are set. */
static void lanes_are_alike_only_if_all_are(void **state)
{
    (void)state;
    srand(3);
    for (int trial = 0; trial < 2000; trial++) {
        struct sw_lanes lanes = {0};
        double s2[SW_LANES];
        bool taken[SW_LANES] = {false}, same = true;
        const int count = 1 + rand() % LINES;
        double one = 0.0;
        for (int k = 0; k < count; k++) {
            struct sw_lanes_line line;
            int lane = rand() % LINES;
            while (taken[lane]) lane = (lane + 1) % LINES;
            taken[lane] = true;
            s2[lane] = rand() % 8 ? 2.0 : 3.0;
            if (k == 0) one = s2[lane];
            same &= s2[lane] == one;
            assert_true(sw_lanes_line(64, &(struct sw_line_operator){.s4 = 1.0, .s2 = s2[lane]}, false, &line));
            sw_lanes_set(&lanes, lane, &line, 1.0, 1.0);
            assert_int_equal(lanes.alike, same);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_within_its_bound_for_all_coefficients),
        cmocka_unit_test(solves_within_its_bound_with_one_operator_for_all_lanes),
        cmocka_unit_test(a_call_can_be_split_anywhere_without_changing_a_bit),
        cmocka_unit_test(a_line_has_the_same_bits_in_any_lane_company_and_instruction_set),
        cmocka_unit_test(lanes_are_alike_only_if_all_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
