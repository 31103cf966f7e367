/* Random sweeps: sequences, distributions, and lists beside what is drawn. */
#include <math.h>

#include "sweep/sample.h"
#include "sweep_helpers.h"

#define SAMPLE(method, count, seed) \
    "sweep.mode=random", "sample={ method=\"" method "\"; count=" #count "; seed=" #seed "; }"

/* ------------------------------------------------------------------ sequences */

static void sobol_points_are_those_of_joe_and_kuo(void **state)
{
    (void)state;
    /* scipy.stats.qmc.Sobol(21, scramble=False, bits=32) of SciPy 1.17.1, times 2^32 */
    static const struct { uint32_t index, point[SOBOL_AXES]; } known[] = {
        {3, {0x40000000u, 0xc0000000u, 0xc0000000u, 0xc0000000u, 0x40000000u, 0x40000000u, 0xc0000000u,
             0x40000000u, 0x40000000u, 0x40000000u, 0x40000000u, 0x40000000u, 0xc0000000u, 0xc0000000u,
             0x40000000u, 0xc0000000u, 0x40000000u, 0xc0000000u, 0x40000000u, 0xc0000000u, 0xc0000000u}},
        {100, {0x6a000000u, 0x42000000u, 0xc6000000u, 0xba000000u, 0xe2000000u, 0xbe000000u, 0x06000000u,
               0x7a000000u, 0xa2000000u, 0xb2000000u, 0x76000000u, 0xae000000u, 0x7a000000u, 0xda000000u,
               0x52000000u, 0x7e000000u, 0xae000000u, 0xbe000000u, 0xd6000000u, 0x56000000u, 0xc2000000u}},
        {1000, {0x38400000u, 0x18c00000u, 0x84c00000u, 0xad400000u, 0x47c00000u, 0xe8400000u, 0x0bc00000u,
                0xe6400000u, 0x80400000u, 0x11c00000u, 0x15c00000u, 0x41400000u, 0x29400000u, 0x62400000u,
                0x24c00000u, 0x5ec00000u, 0xb8400000u, 0x58400000u, 0xfdc00000u, 0xb9c00000u, 0x85c00000u}},
        {1023, {0x00400000u, 0xc0c00000u, 0x9cc00000u, 0x25400000u, 0x2fc00000u, 0x70400000u, 0x23c00000u,
                0x9e400000u, 0x58400000u, 0xd9c00000u, 0xadc00000u, 0x09400000u, 0x21400000u, 0xaa400000u,
                0x5cc00000u, 0x76c00000u, 0x50400000u, 0xe0400000u, 0x95c00000u, 0x51c00000u, 0xddc00000u}},
    };
    uint32_t v[32];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int d = 0; d < SOBOL_AXES; d++) {
            sobol_directions(d, v);
            assert_int_equal(sobol_point(v, known[i].index), known[i].point[d]);
            assert_int_equal(sobol_point(v, 0), 0);
        }
}

#define RANDOM(method, count, seed) \
    "sweep={ mode=\"random\"; a=\"uniform(0, 1)\"; b=\"loguniform(0.01, 100)\"; }", "initial=a*b", \
    "sample={ method=\"" method "\"; count=" #count "; seed=" #seed "; }"

static void sobol_with_seed_0_is_the_plain_sequence(void **state)
{
    (void)state;
    struct made m = MAKE(RANDOM("sobol", 8, 0));
    static const double first[8] = {0,     0.5,   0.75,  0.25,
                                    0.375, 0.875, 0.625, 0.125}; /* van der Corput in Gray code order */
    for (int r = 0; r < 8; r++) assert_near(number(m.sweep, "a", r), first[r], 0);
    assert_near(number(m.sweep, "b", 0), 0.01, 1e-17);
    assert_near(number(m.sweep, "b", 1), 1.0, 0);
    unmake(&m);
}

static void other_seeds_flip_digits_and_keep_the_sequence_even(void **state)
{
    (void)state;
    struct made m = MAKE(RANDOM("sobol", 64, 7));
    int in[8][8] = {{0}};  /* 64 points of a (0, 2)-sequence: one in each of 8 x 8 boxes */
    for (int r = 0; r < 64; r++)
        in[(int)(8 * number(m.sweep, "a", r))][(int)(2 * (log10(number(m.sweep, "b", r)) + 2))]++;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) assert_int_equal(in[i][j], 1);
    assert_true(number(m.sweep, "a", 0) > 0);
    unmake(&m);
}

static void a_latin_hypercube_has_one_run_in_each_slice(void **state)
{
    (void)state;
    struct made m = MAKE(RANDOM("lhs", 100, 1));
    int a[100] = {0}, b[100] = {0}, moved = 0;
    for (int r = 0; r < 100; r++) {
        int k = (int)(100 * number(m.sweep, "a", r));
        moved += k != r;
        a[k]++;
        b[(int)(25 * (log10(number(m.sweep, "b", r)) + 2))]++;
    }
    for (int k = 0; k < 100; k++) assert_true(a[k] == 1 && b[k] == 1);
    assert_true(moved > 80);  /* a random order of 100 leaves one in place on average */
    unmake(&m);
}

static void samples_depend_on_the_seed_alone_and_longer_ones_go_on(void **state)
{
    (void)state;
    struct made one = MAKE(RANDOM("random", 10, 1)), same = MAKE(RANDOM("random", 20, 1)),
                other = MAKE(RANDOM("random", 10, 2));
    struct made sobol = MAKE(RANDOM("sobol", 10, 3)), longer = MAKE(RANDOM("sobol", 33, 3));
    struct made three = MAKE(RANDOM("random", 10, 1), "sweep.c=uniform(5, 6)", "forcing=c");
    for (int r = 0; r < 10; r++) {
        assert_near(number(one.sweep, "a", r), number(same.sweep, "a", r), 0);
        assert_near(number(one.sweep, "b", r), number(three.sweep, "b", r), 0);
        assert_near(number(sobol.sweep, "b", r), number(longer.sweep, "b", r), 0);
        assert_true(number(one.sweep, "a", r) != number(other.sweep, "a", r));
        assert_true(number(one.sweep, "a", r) != number(three.sweep, "c", r) - 5);
    }
    assert_near(number(one.sweep, "a", 0), 0.27887487236942288,
                0); /* stored: a change would change everyone's samples */
    unmake(&one);
    unmake(&same);
    unmake(&other);
    unmake(&sobol);
    unmake(&longer);
    unmake(&three);
}

static void bad_samples_are_refused(void **state)
{
    (void)state;
    REFUSED("-s: error: 'sample.count' is missing: Number of points in random mode; each is a run, or one for each "
            "combination of the axes that are lists.\n",
            "sweep={ mode=\"random\"; a=\"uniform(0, 1)\"; }", "initial=a", "sample.seed=1");
    REFUSED("-s: error: 'sweep.a': the deviation must be above 0\n", RANDOM("lhs", 3, 1), "sweep.a=normal(1, 0)");
    REFUSED("-s: error: 'sweep.a': 3 .. 2 is no interval\n", RANDOM("lhs", 3, 1), "sweep.a=integer(3, 2)");
    REFUSED("-s: error: 'sweep.a': the ends of integer must be whole numbers within 2^53\n", RANDOM("lhs", 3, 1),
            "sweep.a=integer(0.5, 2)");
    REFUSED("-s: error: 'sweep.a' has the value 1 twice\n", RANDOM("lhs", 3, 1), "sweep.a=[1, 2, 1]");
    REFUSED("-s: error: sample(1000000) x c(20) = 2e+07 runs, more than 1e+07, the most that a sweep may have, and "
            "some 8 GB of memory before their first step: shorten an axis or lower sample.count\n",
            RANDOM("lhs", 1000000, 1), "sweep.c=range(1, 20)", "forcing=c");
    REFUSED("-s: error: 'sweep.a': 1 .. 0 is no interval\n", RANDOM("lhs", 3, 1), "sweep.a=uniform(1, 0)");
    REFUSED("-s: error: 'sweep.b': the ends of loguniform must be positive\n", RANDOM("lhs", 3, 1),
            "sweep.b=loguniform(0, 1)");
    REFUSED("-s: error: 'sample.count' = 0: must be at least 1\n", RANDOM("lhs", 0, 1));
    REFUSED("-s: error: 'sample.method' = \"sobl\" is none of lhs, sobol, random; did you mean 'sobol'?\n",
            RANDOM("sobl", 3, 1));
    REFUSED("ch.cfg: error: sweep.mode = \"random\" needs an axis that is drawn, such as a = \"uniform(0, 1)\"\n",
            "sweep.mode=random", "sample.count=3");
    REFUSED("-s: error: 'sample.count' = 20000000: must be at most 1e+07\n", RANDOM("lhs", 20000000, 1));
    char axes[2000] = "sweep={ mode=\"random\";", sum[200] = "initial=0";
    for (int k = 0; k < 22; k++) {
        snprintf(axes + strlen(axes), sizeof axes - strlen(axes), " a%d=\"uniform(0, 1)\";", k);
        snprintf(sum + strlen(sum), sizeof sum - strlen(sum), "+a%d", k);
    }
    strcat(axes, "}");
    REFUSED("ch.cfg: error: a Sobol sequence has at most 21 axes here, the sweep has 22; use sample.method = \"lhs\"\n",
            axes, sum, "sample={ count=4; method=\"sobol\"; }");
}

/* ------------------------------------------------------------------ distributions */

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
        cmocka_unit_test(sobol_points_are_those_of_joe_and_kuo),
        cmocka_unit_test(sobol_with_seed_0_is_the_plain_sequence),
        cmocka_unit_test(other_seeds_flip_digits_and_keep_the_sequence_even),
        cmocka_unit_test(a_latin_hypercube_has_one_run_in_each_slice),
        cmocka_unit_test(samples_depend_on_the_seed_alone_and_longer_ones_go_on),
        cmocka_unit_test(bad_samples_are_refused),
        cmocka_unit_test(the_quantile_is_the_inverse_of_the_distribution),
        cmocka_unit_test(distributions_have_their_share_in_each_slice),
        cmocka_unit_test(the_plain_sobol_sequence_has_finite_normals),
        cmocka_unit_test(lists_are_combined_with_every_point),
        cmocka_unit_test(more_points_add_runs_at_the_end),
        cmocka_unit_test(blocks_are_what_single_runs_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
