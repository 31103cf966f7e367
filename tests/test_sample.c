/* Random sweeps: distributions, and lists beside what is drawn. Sequences themselves are in test_sweep_runs.c. */
#include <math.h>

#include "sweep/sample.h"
#include "sweep_helpers.h"

#define SAMPLE(method, count, seed) \
    "sweep.mode=random", "sample={ method=\"" method "\"; count=" #count "; seed=" #seed "; }"

/* The share of the normal distribution below z, by the C library; the tail in which it is precise. */
static double below(double z) { return erfc(-z / sqrt(2)) / 2; }

static void the_quantile_is_the_inverse_of_the_distribution(void **state)
{
    (void)state;
    /* dp = density dz; AS 241 promises 1e-16 relative in z, double arithmetic rounds it a few times, erfc is good to
     * 1 ulp */
    for (double p = 0x1p-33; p < 1; p += p < 1e-3 ? p : 0x1p-9) {
        const double z = normal_quantile(p), density = exp(-z * z / 2) / sqrt(2 * M_PI);
        assert_near(below(z), p, 4e-16 * p + 2e-15 * density * fabs(z));
    }
    for (double p = 0x1p-40; p > 1e-300; p *= 0x1p-10) {
        const double z = normal_quantile(p);
        assert_near(below(z) / p, 1, 4e-15 * z * z);
        assert_true(z < 0);
    }
    assert_near(normal_quantile(0.5), 0, 0);
    for (double p = 0x1p-20; p < 0.5; p *= 1.5) assert_near(normal_quantile(1 - p), -normal_quantile(p), 1e-9);
}

/* Of a Latin hypercube of n points each n-th of the probability has one. */
static void distributions_have_their_share_in_each_slice(void **state)
{
    (void)state;
    enum { N = 120 };
    struct made m = MAKE(SAMPLE("lhs", 120, 3), "sweep.a=normal(2, 0.5)", "sweep.b=lognormal(log(3), 0.1)",
                         "sweep.k=integer(-1, 4)", "initial=a*b*k");
    int a[N] = {0}, b[N] = {0}, k[6] = {0};
    assert_int_equal(m.sweep->nruns, N);
    for (int r = 0; r < N; r++) {
        a[(int)(N * below((number(m.sweep, "a", r) - 2) / 0.5))]++;
        b[(int)(N * below((log(number(m.sweep, "b", r)) - log(3)) / 0.1))]++;
        const double whole = number(m.sweep, "k", r);
        assert_near(whole, floor(whole), 0);
        assert_true(whole >= -1 && whole <= 4);
        k[(int)whole + 1]++;
    }
    for (int j = 0; j < N; j++) assert_true(a[j] == 1 && b[j] == 1);
    for (int j = 0; j < 6; j++) assert_int_equal(k[j], N / 6);
    unmake(&m);
}

static void the_plain_sobol_sequence_has_finite_normals(void **state)
{
    (void)state;
    struct made m = MAKE(SAMPLE("sobol", 4, 0), "sweep.a=normal(0, 1)", "sweep.k=integer(1, 4)", "initial=a*k");
    assert_near(number(m.sweep, "a", 0), normal_quantile(0x1p-33), 0);
    assert_near(number(m.sweep, "a", 1), 0, 0);
    assert_near(number(m.sweep, "k", 0), 1, 0);
    assert_near(number(m.sweep, "k", 1), 3, 0);
    unmake(&m);
}

/* Every point of the sample with every combination of the lists; the sample varies slowest, whatever the order. */
static void lists_are_combined_with_every_point(void **state)
{
    (void)state;
    struct made m = MAKE(SAMPLE("sobol", 5, 1), "sweep.s=[1, 2, 3]", "sweep.a=uniform(0, 1)",
                         "sweep.w=[\"cpu.plain\", \"cpu.simd\"]", "sweep.b=loguniform(1, 2)", "sweep.c=7",
                         "stepper=$w", "initial=a*b*s*c");
    struct made alone = MAKE(SAMPLE("sobol", 5, 1), "sweep.a=uniform(0, 1)", "sweep.b=loguniform(1, 2)",
                             "initial=a*b");
    assert_int_equal(m.sweep->nruns, 5 * 3 * 2);
    for (int64_t run = 0; run < m.sweep->nruns; run++) {
        assert_near(number(m.sweep, "a", run), number(alone.sweep, "a", run / 6), 0);
        assert_near(number(m.sweep, "b", run), number(alone.sweep, "b", run / 6), 0);
        assert_near(number(m.sweep, "s", run), 1 + (double)(run / 2 % 3), 0);
        assert_near(number(m.sweep, "w", run), (double)(run % 2), 0);
        assert_near(number(m.sweep, "c", run), 7, 0);
    }
    unmake(&alone);
    unmake(&m);
}

static void more_points_add_runs_at_the_end(void **state)
{
    (void)state;
#define AXES "sweep.a=uniform(0, 1)", "sweep.s=range(1, 4)", "initial=a*randn(s)"
    struct made few = MAKE(SAMPLE("sobol", 3, 1), AXES), more = MAKE(SAMPLE("sobol", 8, 1), AXES);
    for (int64_t run = 0; run < few.sweep->nruns; run++) assert_true(id_of(&few, run) == id_of(&more, run));
    unmake(&few);
    unmake(&more);
}

/* Blocks of runs are filled with less work than one by one. */
static void blocks_are_what_single_runs_are(void **state)
{
    (void)state;
    struct made m = MAKE(SAMPLE("lhs", 700, 2), "sweep.a=normal(0, 1)", "sweep.s=range(1, 3)", "initial=a*s");
    const int64_t count = m.sweep->nruns;
    double *all;
    assert_int_equal(count, 2100);
    assert_ok(sw_alloc((size_t)(m.sweep->ncolumn * count), &all));
    assert_ok(sw_sweep_columns(m.sweep, NULL, 0, count, all));
    for (int64_t run = 0; run < count; run += 97)
        for (int k = 0; k < m.sweep->naxis; k++) {
            const int column = m.sweep->axis[k].column;
            assert_near(all[column * count + run], number(m.sweep, m.sweep->column_name[column], run), 0);
        }
    sw_free(all);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quantile_is_the_inverse_of_the_distribution),
        cmocka_unit_test(distributions_have_their_share_in_each_slice),
        cmocka_unit_test(the_plain_sobol_sequence_has_finite_normals),
        cmocka_unit_test(lists_are_combined_with_every_point),
        cmocka_unit_test(more_points_add_runs_at_the_end),
        cmocka_unit_test(blocks_are_what_single_runs_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
