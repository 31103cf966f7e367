/* Lines of many points: roots close to 1 make every point see thousands of others. On a GPU they go over the warps of a
 * thread block, or of a cluster of blocks, or stream through it: sizes on both sides of where one way ends. For the
 * rows that use the recursive form. */
#include "stepper_helpers.h"

static const int sizes[] = {1537, 2049, 3000, 4097, 10000, 16385, 65536, 131075, 270025};

/* The small suite runs under tools that make a kernel a hundred times slower. */
static int size_count(void) { return small_suite() ? 3 : (int)(sizeof sizes / sizeof *sizes); }

/* Whether the row takes such lines on this device; those with a band solver are tested elsewhere. */
static bool takes(int n)
{
    struct sw_stepper_desc desc = {.n = n, .capacity = 1};
    return !under_test->takes_band && !under_test->rounding && under_test->fits(&desc, device->sm);
}

/* ---- against the solution by Fourier modes */

static void compare(const struct sim *m, const struct run *run, bool twice, const double *f, const double *u)
{
    double *same = NULL;
    long double *x = NULL;
    assert_ok(sw_alloc((size_t)m->n, &same));
    assert_ok(sw_alloc((size_t)m->n, &x));
    for (int j = 0; j < m->count; j++, u += m->n) {
        double error = 0.0, largest = 0.0, s4 = run[j].line.a[0].s4, s2 = run[j].line.a[0].s2;
        test_fourier_modes(m->n, s4, s2, same, x);
        for (int i = 0; i < m->n; i++) {
            error = fmax(error, (double)fabsl(u[i] - (twice ? 2 * x[i] - f[i] : x[i])));
            largest = fmax(largest, (double)fabsl(x[i]));
        }
        const struct sw_line_operator a = {.s4 = s4, .s2 = s2};
        double bound = (twice ? 2.0 : 1.0) * sw_line_rounding(&a, false) * largest + 16.0 * unit;  /* |f| <= 8 */
        if (!(error <= bound)) fail_msg("n = %d, s4 = %g, s2 = %g: off by %g > %g", m->n, s4, s2, error, bound);
    }
    sw_free(same);
    sw_free(x);
}

static void check_one_step(enum sw_scheme scheme, int n, int count, const struct run *run)
{
    struct sim m = make((struct texts){scheme, NULL, NULL, NULL, NULL}, n, count);
    double *f = NULL;
    long double *x = NULL;
    assert_ok(sw_alloc((size_t)n * (size_t)count, &f));
    assert_ok(sw_alloc((size_t)n, &x));
    for (int j = 0; j < count; j++) test_fourier_modes(n, 0.0, 0.0, f + (size_t)j * (size_t)n, x);
    load(&m, count, run);
    assert_ok(stepper_set_state(m.s, f));
    assert_ok(stepper_advance(m.s, 0, 1));
    double *u = state_of(&m);
    compare(&m, run, scheme == SW_CRANK_NICOLSON, f, u);
    sw_free(f);
    sw_free(x);
    sw_free(u);
    unmake(&m);
}

static void solves_long_lines_within_its_bound(void **state)
{
    static const double pair[][2] = {{0.0, 0.0}, {1e-12, 1e-12}, {0.05, 0.0}, {0.3 / 12, 0.3}, {5e4, 0.0}, {1e8, 1e4},
                                     {0.0, 1e12}, {1e12, 0.0}, {1e12, 2e6}, {1e12, 1e12}};
    enum { PAIRS = sizeof pair / sizeof *pair };
    struct run run[PAIRS];
    (void)state;
    need_row();
    for (int j = 0; j < PAIRS; j++)
        run[j] = (struct run){.line = {.dt = 1.0, .dx = 1.0, .a[0].s4 = pair[j][0], .a[0].s2 = pair[j][1]}};
    for (int k = 0; k < size_count(); k++) {
        int count = sizes[k] > 20000 ? 5 : PAIRS;  /* the largest ones, where many warps matter to each */
        if (!takes(sizes[k])) continue;
        check_one_step(SW_CRANK_NICOLSON, sizes[k], count, run + PAIRS - count);
        check_one_step(SW_BACKWARD_EULER, sizes[k], count, run + PAIRS - count);
    }
}

/* ---- against cpu.simd, which has the same error bound: with G, S, values kept a step and a cell */

static const struct texts models[] = {
    {SW_CRANK_NICOLSON, "0.1*randn(a) + sin(x)", NULL, NULL, "u^2/2"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", NULL, "b*cos(x - c*t) - 0.1*u + 0.01*x", "u^2/2"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", "1e-6*u^2", "sqrt(1 + x^2)*u*sin(t)", NULL},
    {SW_BACKWARD_EULER, "0.1*randn(a)", "u^3 - u", NULL, "(u^2 - 1)^2/4 + ux^2/2"},
    {SW_BACKWARD_EULER, "0.1*randn(a)", "u^3 - u + x*u*0.001", "b*cos(x - c*t) + 0.01*randn(a) + 0.1*u^2", NULL},
};
enum { MODELS = sizeof models / sizeof *models, RUNS = 3 };

/* dx = 1/10: G is stable with dt = 0.002, and s4 reaches over many points. */
static struct run mixture(int j)
{
    const double dx = 0.1, dt = 0.002, s4 = dt / (dx * dx * dx * dx) * (1 << 4 * j);
    return (struct run){{.dt = dt, .dx = dx, .x0 = 0.5, .a[0] = {.s4 = s4, .s2 = 0.1 * j}},
                        {1.0 + j, 0.1 * j, 0.2 * j}};
}

static void check_agreement(struct texts t, int n, int steps)
{
    struct sim m = make(t, n, RUNS), judge = make_with("cpu.simd", host, t, n, RUNS, false);
    struct run run[RUNS];
    for (int j = 0; j < RUNS; j++) run[j] = mixture(j);
    start(&m, RUNS, run);
    start(&judge, RUNS, run);
    assert_ok(stepper_advance(m.s, 0, steps));
    assert_ok(stepper_advance(judge.s, 0, steps));
    double *u = state_of(&m), *v = state_of(&judge), largest = 0.0;
    for (int i = 0; i < RUNS * n; i++) largest = fmax(largest, fabs(v[i]));
    /* both err in each step, by twice the solution and the terms; what is there grows by less than e */
    const struct sw_line_run *last = &run[RUNS - 1].line;
    double bound = 2.0 * steps * 2.0 * 3.0 * sw_line_rounding(&last->a[0], false) * largest;
    for (int i = 0; i < RUNS * n; i++) assert_near(u[i], v[i], bound);
    const double *got = scalars_of(&m), *expected = scalars_of(&judge);
    for (int j = 0; j < RUNS; j++, got += SW_LINE_SCALARS, expected += SW_LINE_SCALARS) {
        double length = n * run[j].line.dx;
        assert_near(got[SW_MASS], expected[SW_MASS], length * bound);
        assert_near(got[SW_MIN], expected[SW_MIN], bound);
        assert_near(got[SW_MAX], expected[SW_MAX], bound);
        if (t.energy)  /* a slope errs by 10 */
            assert_near(got[SW_ENERGY], expected[SW_ENERGY], 100.0 * length * bound);
    }
    sw_free(u);
    sw_free(v);
    unmake(&m);
    unmake(&judge);
}

static void agrees_with_another_row_on_long_lines(void **state)
{
    (void)state;
    need_row();
    if (under_test->space == SW_HOST) return;  /* it is that row */
    for (int k = 0; k < 2 * size_count(); k++) {  /* two models a size, or one: each is compiled anew */
        int n = sizes[k / 2];
        if (n > 5000 && k % 2) continue;
        if (takes(n)) check_agreement(models[k % MODELS], n, small_suite() ? 3 : n < 5000 ? 40 : 5);
    }
}

/* ---- bits */

static void check_bits(struct texts t, int n)
{
    enum { STEPS = 36 };  /* more than the values kept a step reach */
    struct sim m = make(t, n, RUNS), one = make(t, n, 1);
    struct run run[RUNS];
    for (int j = 0; j < RUNS; j++) run[j] = mixture(j);
    start(&m, RUNS, run);
    assert_ok(stepper_advance(m.s, 0, STEPS));
    double *u = state_of(&m);
    for (int j = 0; j < RUNS; j++) {
        start(&one, 1, &run[j]);
        assert_ok(stepper_advance(one.s, 0, 3));
        assert_ok(stepper_advance(one.s, 3, STEPS));
        double *alone = state_of(&one);
        assert_memory_equal(alone, u + (size_t)j * (size_t)n, (size_t)n * sizeof *u);
        sw_free(alone);
    }
    sw_free(u);
    unmake(&m);
    unmake(&one);
}

static void gives_a_long_line_the_same_bits_alone_and_in_two_calls(void **state)
{
    (void)state;
    need_row();
    if (takes(3000)) check_bits(models[0], 3000);
    if (takes(3000)) check_bits(models[4], 3000);
    if (takes(3000)) check_bits(models[1], 3000);
    if (takes(17000) && !small_suite()) check_bits(models[2], 17000);
}

/* ---- divergence of one line, seen by all of its warps in the same step */

static void check_divergence(int n)
{
    enum { STEPS = 12 };
    const struct texts t = {SW_CRANK_NICOLSON, "x > b ? a : 0", NULL, "c*u", NULL};  /* times 1 + c dt a step */
    struct sim m = make(t, n, 4);
    struct run run[4];
    int64_t step[4];
    for (int j = 0; j < 4; j++)  /* in one place: the last two points */
        run[j] = (struct run){{.dt = 1.0, .dx = 1.0, .a[0].s4 = 0.5}, {1.0, n - 2.5, 0.0}};
    start(&m, 4, run);
    assert_ok(stepper_advance(m.s, 0, STEPS));
    double *good = state_of(&m);
    run[1].param[2] = 1e200;  /* 1, 1e200, inf */
    run[2].param[2] = 1e100;  /* 1, 1e100, 1e200, 1e300, inf */
    run[3].param[2] = NAN;    /* after one step */
    start(&m, 4, run);
    assert_ok(stepper_advance(m.s, 0, 4));  /* run 2 is bad after the last step of a call */
    assert_ok(stepper_advance(m.s, 4, STEPS));
    assert_ok(stepper_diverged(m.s, step));
    double *u = state_of(&m);
    assert_int_equal(step[0], -1);
    assert_int_equal(step[1], 2);
    assert_int_equal(step[2], 4);
    assert_int_equal(step[3], 1);
    assert_memory_equal(u, good, (size_t)n * sizeof *u);
    for (int j = 1; j < 4; j++)
        for (int i = 0; i < n; i++) assert_true(isnan(u[(size_t)j * (size_t)n + (size_t)i]));
    sw_free(good);
    sw_free(u);
    unmake(&m);
}

static void names_the_step_at_which_a_long_line_diverged(void **state)
{
    (void)state;
    need_row();
    if (takes(2500)) check_divergence(2500);
    if (takes(20000) && !small_suite()) check_divergence(20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_long_lines_within_its_bound),
        cmocka_unit_test(agrees_with_another_row_on_long_lines),
        cmocka_unit_test(gives_a_long_line_the_same_bits_alone_and_in_two_calls),
        cmocka_unit_test(names_the_step_at_which_a_long_line_diverged),
    };
    int failed = 0;
    for_each_row(sw_stepper_table) {
        if (under_test->takes_band) continue;
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_devices, close_devices);
    }
    return failed != 0;
}
