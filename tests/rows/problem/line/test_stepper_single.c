/* Every row of the table of steppers that takes steps in single precision; the others refuse. */
#include <stdio.h>

#include "base/sw_err.h"
#include "problem/line/simd/lanes.h"
#include "stepper_helpers.h"

static const double unit_single = 0x1p-24;

/* More runs than cpu.simd has side by side. */
enum { MAX_N = 1024, MAX_RUNS = 26 * 26, RUNS = SW_LANES_SINGLE + 3 };

static const struct texts mixture_in_texts = {
    SW_BACKWARD_EULER, "0.1*randn(a)", "u^3 - u", "b*cos(x - c*t) + 0.01*randn(a)", "(u^2 - 1)^2/4 + ux^2/2",
};
/* Polynomials in u and products of x and t, which cpu.simd does not call the interpreter for. */
static const struct texts travelling = {
    SW_BACKWARD_EULER, "0.1*randn(a)", "u^3 - u", "b*cos(x - c*t)", "(u^2 - 1)^2/4 + ux^2/2",
};
static const struct texts linear = {SW_CRANK_NICOLSON, "cos(x) + 0.1*randn(a)", NULL, NULL, NULL};
static const struct texts kinds[] = {mixture_in_texts, travelling, linear};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct sw_stepper_desc describe(struct texts t, int n, int capacity, const struct sim *m)
{
    return (struct sw_stepper_desc){
        .n = n, .capacity = capacity, .single_steps = true,
        .model = {.scheme = t.scheme, .nparam = PARAMS, .initial = {m->program[0]}, .g = {m->program[1]},
                  .explicit_term = {m->program[2]}, .energy = m->program[3]},
    };
}

static struct sim make_on(struct sw_device *where, struct texts t, int n, int capacity)
{
    struct sim m = {{compile(t.initial, 0), compile(t.g, 1), compile(t.s, 1), compile(t.energy, 1)}, NULL, n, 0};
    struct sw_stepper_desc desc = describe(t, n, capacity, &m);
    assert_ok(stepper_create(&desc, under_test->name, where, &m.s));
    return m;
}

static struct sim make_single(struct texts t, int n, int capacity) { return make_on(device, t, n, capacity); }

static bool has_single(void)
{
    struct sw_stepper_desc desc = {.n = 98, .capacity = 1, .single_steps = true};
    return under_test->fits(&desc, device ? device->sm : 0);
}

static void rows_without_it_say_so_and_which_have_it(void **state)
{
    struct sw_stepper_desc desc = {.n = 98, .capacity = 1, .single_steps = true};
    struct sw_stepper *s = NULL;
    (void)state;
    need_row();
    if (has_single()) return;
    assert_int_equal(stepper_create(&desc, under_test->name, device, &s), SW_E_CONFIG);
    assert_contains(sw_err_message(),
                    "it does not do these runs in single precision; set run.precision = \"double\"; fit here:");
    if (under_test->space == SW_HOST) assert_contains(sw_err_message(), "fit here: cpu.simd");
    assert_null(s);
}

/* ---- against the Fourier solution */

/* Positive, so that no sum cancels: 1/2 to 3/2. The same for all runs. */
static double *some_field(int n, int runs)
{
    uint64_t seed = 7;
    double *f = NULL;
    assert_ok(sw_alloc((size_t)n * (size_t)runs, &f));
    for (int i = 0; i < n; i++) f[i] = (float)(1.0 + 0.5 * test_random(&seed));
    for (int j = 1; j < runs; j++) memcpy(f + (size_t)j * (size_t)n, f, (size_t)n * sizeof *f);
    return f;
}

/* A solve may be off by the bound; Crank-Nicolson takes 2 A⁻¹f - f, which rounds by |f| besides. */
static void compare(int n, const struct run *run, enum sw_scheme scheme, const double *f, const double *u,
                    const long double *solution)
{
    double error = 0.0, largest = 0.0, bound = sw_line_rounding(&run->line.a[0], true);
    bool twice = scheme == SW_CRANK_NICOLSON;
    for (int i = 0; i < n; i++) {
        long double expected = twice ? 2 * solution[i] - f[i] : solution[i];
        error = fmax(error, (double)fabsl(u[i] - expected));
        largest = fmax(largest, (double)fabsl(solution[i]));
        assert_true(u[i] == (float)u[i]);
    }
    bound = twice ? 2.0 * bound * largest + 2.0 * unit_single : bound * largest;
    if (!(error <= bound))
        fail_msg("%s, n = %d, s4 = %g, s2 = %g: off by %g > %g", twice ? "Crank-Nicolson" : "backward Euler", n,
                 run->line.a[0].s4,
                 run->line.a[0].s2, error, bound);
}

/* Steps 0 and 1 may go in opposite directions. */
static void check_solves(int n, int runs, const struct run *run, enum sw_scheme scheme)
{
    static long double solution[MAX_N];
    static const char *load_error[MAX_RUNS];
    struct sim m = make_single((struct texts){scheme, NULL, NULL, NULL, NULL}, n, runs);
    double *f = some_field(n, runs);
    load_faulty(&m, runs, run, load_error);
    for (int step = 0; step < 2; step++) {
        assert_ok(stepper_set_state(m.s, f));
        assert_ok(stepper_advance(m.s, step, step + 1));
        double *u = state_of(&m);
        for (int j = 0; j < runs; j++) {
            const struct sw_line_run *r = &run[j].line;
            bool coarse = sw_line_rounding(&r->a[0], true) > SW_LINE_MAX_ROUNDING;
            if (coarse) {
                assert_contains(load_error[j], "single precision is too coarse");
                assert_true(isnan(u[(size_t)j * (size_t)n]));
                continue;
            }
            assert_null(load_error[j]);
            test_fourier_solve(n, r->a[0].s4, r->a[0].s2, f, 1, solution);
            compare(n, &run[j], scheme, f, u + (size_t)j * (size_t)n, solution);
        }
        sw_free(u);
    }
    sw_free(f);
    unmake(&m);
}

static struct run operator_of(double s4, double s2)
{
    return (struct run){.line = {.dt = 1.0, .dx = 1.0, .a[0].s4 = s4, .a[0].s2 = s2}};
}

/* s4, s2 = 0 and powers of ten from 1e-12 to 1e12, side by side in one batch; large n have every fourth or
 * sixth power. */
static void solves_within_its_bound_or_refuses_for_all_coefficients(void **state)
{
    static const int sizes[] = {5, 6, 7, 31, 33, 100, 333, 1000, 1024};
    static struct run run[MAX_RUNS];
    (void)state;
    need_row();
    for (int k = 0; has_single() && k < (small_suite() ? 4 : 9); k++) {
        int runs = 0, stride = small_suite() || sizes[k] > 300 ? 6 : sizes[k] > 50 ? 4 : 1;
        for (int p = -12 - stride; p <= 12; p += stride)
            for (int q = -12 - stride; q <= 12; q += stride)
                run[runs++] = operator_of(p < -12 ? 0.0 : pow(10, p), q < -12 ? 0.0 : pow(10, q));
        check_solves(sizes[k], runs, run, SW_BACKWARD_EULER);
        check_solves(sizes[k], runs, run, SW_CRANK_NICOLSON);
    }
}

/* Close to what is refused: 1676.7² = 2.81e6; one operator for all lanes; complex roots, two that meet,
 * negative ones. */
static void solves_within_its_bound_wherever_the_roots_lie(void **state)
{
    static const double pair[][2] = {
        {2.8e6, 0.0}, {0.0, 2.8e6}, {1.0, 2.0}, {0.25, 1.0}, {2500.0, 100.0}, {0.3 / 12, 0.3}, {1e3 / 12, 1e3},
        {0.0, -0.2}, {1.1, -2.0}, {0.01, -0.2}, {-0.01, 0.1}, {-0.05, 0.0}, {1e6, -1e2},
    };
    struct run run[RUNS];
    (void)state;
    need_row();
    for (int k = 0; has_single() && k < (int)(sizeof pair / sizeof *pair); k++) {
        for (int j = 0; j < RUNS; j++) run[j] = operator_of(pair[k][0], pair[k][1]);
        check_solves(small_suite() ? 33 : 100, RUNS, run, SW_BACKWARD_EULER);
        check_solves(small_suite() ? 33 : 100, RUNS, run, SW_CRANK_NICOLSON);
    }
}

/* ---- against double precision */

/* Lines that a GPU cuts over many warps. The error of cpu.simd in double precision is nothing beside the bound. */
static void solves_long_lines_within_its_bound(void **state)
{
    enum { FEW = 4 };
    static const int sizes[] = {2500, 13001, 70001};
    const struct run run[FEW] = {operator_of(0.05, 0.0), operator_of(2e4, 10.0), operator_of(0.0, 1e5),
                                 operator_of(2e6, 0.0)};
    (void)state;
    need_row();
    for (int k = 0; k < 6 && has_single(); k++) {
        enum sw_scheme scheme = k % 2 ? SW_CRANK_NICOLSON : SW_BACKWARD_EULER;
        struct texts t = {scheme, NULL, NULL, NULL, NULL};
        int n = sizes[k / 2];
        struct sim m = make_single(t, n, FEW), exact = make_with("cpu.simd", host, t, n, FEW, false);
        double *f = some_field(n, FEW);
        load(&m, FEW, run);
        load(&exact, FEW, run);
        assert_ok(stepper_set_state(m.s, f));
        assert_ok(stepper_set_state(exact.s, f));
        assert_ok(stepper_advance(m.s, 0, 1));
        assert_ok(stepper_advance(exact.s, 0, 1));
        double *u = state_of(&m), *v = state_of(&exact);
        /* |f| < 1.5, and a solve makes nothing larger; Crank-Nicolson counts it twice */
        for (int i = 0; i < FEW * n; i++) {
            double bound = sw_line_rounding(&run[i / n].line.a[0], true);
            assert_near(u[i], v[i], (k % 2 ? 2.0 * bound + 2.0 * unit_single : bound) * 1.5);
        }
        sw_free(f);
        sw_free(u);
        sw_free(v);
        unmake(&m);
        unmake(&exact);
    }
}

/* gamma = D = 1 on a length of 8 pi, seed j, amplitude j/10, speed j/5; two matrices. */
static struct run mixture(int n, int j)
{
    double dx = 8.0 * pi / n, dt = 0.02, stiff = j % 2 ? 1.5 : 1.0;
    return (struct run){{.dt = dt, .dx = dx, .x0 = 0.5, .a[0].s4 = stiff * dt / (dx * dx * dx * dx)},
                        {1.0 + j, 0.01 * j, 0.2 * j}};
}

/* Each step differs by the bound of a solve, and as much again in the terms and in storing; |u| < 2, and the fastest
 * mode grows like exp(t/4) to t = 2. */
static void stays_close_to_double_precision(void **state)
{
    enum { STEPS = 100, FEW = 3 };
    static const int sizes[] = {5, 33, 100, 333};
    (void)state;
    need_row();
    for (int k = 0; has_single() && k < KINDS * (small_suite() ? 2 : 4); k++) {
        int n = sizes[k / KINDS];
        struct texts t = kinds[k % KINDS];
        struct sim m = make_single(t, n, FEW), exact = make_with("cpu.plain", host, t, n, FEW, false);
        struct run run[FEW] = {mixture(n, 0), mixture(n, 1), mixture(n, 2)};
        start(&m, FEW, run);
        start(&exact, FEW, run);
        assert_ok(stepper_advance(m.s, 0, STEPS));
        assert_ok(stepper_advance(exact.s, 0, STEPS));
        double *u = state_of(&m), *v = state_of(&exact);
        for (int i = 0; i < FEW * n; i++) {
            double step = 2.0 * sw_line_rounding(&run[i / n].line.a[0], true);
            assert_near(u[i], v[i], 2.0 * STEPS * step * exp(0.5));
        }
        sw_free(u);
        sw_free(v);
        unmake(&m);
        unmake(&exact);
    }
}

/* ---- no bit depends on anything but the run */

static void fill_runs(int n, struct run run[RUNS])
{
    for (int j = 0; j < RUNS; j++) run[j] = mixture(n, j);
}

static void gives_a_run_the_same_bits_alone_as_in_a_batch(void **state)
{
    enum { N = 33, STEPS = 40 };
    struct run run[RUNS];
    (void)state;
    need_row();
    fill_runs(N, run);
    for (int k = 0; has_single() && k < KINDS; k++) {
        struct sim m = make_single(kinds[k], N, RUNS), one = make_single(kinds[k], N, 1);
        start(&m, RUNS, run);
        assert_ok(stepper_advance(m.s, 0, STEPS));
        double *u = state_of(&m);
        for (int j = 0; j < RUNS; j++) {
            start(&one, 1, &run[j]);
            assert_ok(stepper_advance(one.s, 0, STEPS));
            double *alone = state_of(&one);
            assert_memory_equal(alone, u + j * N, N * sizeof *u);
            sw_free(alone);
        }
        sw_free(u);
        unmake(&m);
        unmake(&one);
    }
}

static double *bits_with(struct sw_device *where, struct texts t, int n, const struct run *run)
{
    struct sim m = make_on(where, t, n, RUNS);
    start(&m, RUNS, run);
    assert_ok(stepper_advance(m.s, 0, 30));
    double *u = state_of(&m);
    unmake(&m);
    return u;
}

static void check_same(double *u, double *v, size_t numbers)
{
    assert_memory_equal(u, v, numbers * sizeof *u);
    sw_free(u);
    sw_free(v);
}

static void gives_the_same_bits_with_any_threads_and_instruction_set(void **state)
{
    enum { N = 333 };
    struct run run[RUNS];
    struct sw_device *cpu = NULL;
    (void)state;
    need_row();
    if (under_test->space != SW_HOST || !has_single()) return;
    fill_runs(N, run);
    assert_ok(sw_device_open("cpu", 4, &cpu));
    for (int k = 0; k < KINDS; k++) {
        check_same(bits_with(device, kinds[k], N, run), bits_with(cpu, kinds[k], N, run), RUNS * N);
        for (int r = 0; sw_lanes_single_table[r]; r++) {
            const struct sw_lanes_ops *o = sw_lanes_single_table[r];
            if (!o->here() || !strcmp(o->name, "generic")) continue;  /* which may be without fused operations */
            setenv("SWEEP_SIMD", o->name, 1);
            double *u = bits_with(device, kinds[k], N, run);
            unsetenv("SWEEP_SIMD");
            check_same(u, bits_with(device, kinds[k], N, run), RUNS * N);
        }
    }
    sw_device_close(&cpu);
}

static void plain_c_stays_close_to_the_others(void **state)
{
    enum { N = 33 };
    struct run run[RUNS];
    (void)state;
    need_row();
    if (under_test->space != SW_HOST || !has_single()) return;
    fill_runs(N, run);
    for (int k = 0; k < KINDS; k++) {
        double *u = bits_with(device, kinds[k], N, run);
        setenv("SWEEP_SIMD", "generic", 1);
        double *v = bits_with(device, kinds[k], N, run);
        unsetenv("SWEEP_SIMD");
        for (int i = 0; i < RUNS * N; i++)  /* 30 steps to t = 0.6, each off by a solve's bound and that of its terms */
            assert_near(u[i], v[i], 30.0 * 4.0 * sw_line_rounding(&run[1].line.a[0], true));
        sw_free(u);
        sw_free(v);
    }
}

static void goes_on_from_a_saved_state_to_the_same_bits(void **state)
{
    enum { N = 33 };
    struct run run[RUNS];
    (void)state;
    need_row();
    fill_runs(N, run);
    for (int k = 0; has_single() && k < KINDS; k++) {
        struct sim m = make_single(kinds[k], N, RUNS), later = make_single(kinds[k], N, RUNS + 5);
        start(&m, RUNS, run);
        assert_ok(stepper_advance(m.s, 0, 21));
        double *saved = state_of(&m);
        assert_ok(stepper_advance(m.s, 21, 50));
        load(&later, RUNS, run);
        assert_ok(stepper_set_state(later.s, saved));
        check_same(saved, state_of(&later), RUNS * N);
        assert_ok(stepper_advance(later.s, 21, 50));
        check_same(state_of(&m), state_of(&later), RUNS * N);
        start(&m, RUNS, run);
        assert_ok(stepper_advance(m.s, 0, 50));
        check_same(state_of(&m), state_of(&later), RUNS * N);
        unmake(&m);
        unmake(&later);
    }
}

/* ---- runs that go wrong */

static void a_run_beyond_the_range_of_float_diverges_and_harms_no_other(void **state)
{
    enum { N = 8, FEW = 4 };
    struct run run[FEW];
    int64_t step[FEW];
    (void)state;
    need_row();
    if (!has_single()) return;
    struct sim m = make_single((struct texts){SW_CRANK_NICOLSON, "a", NULL, "b*u", NULL}, N, FEW);
    for (int j = 0; j < FEW; j++) run[j] = (struct run){{.dt = 1.0, .dx = 1.0, .a[0].s4 = 0.5}, {1.0, 0.5, 0.0}};
    start(&m, FEW, run);
    assert_ok(stepper_advance(m.s, 0, 9));
    double *good = state_of(&m);
    run[1].param[1] = 1e20;  /* 1, 1e20, 1e40 > 3.4e38 */
    run[2].param[0] = 1e39;  /* a double, but no float: after the first step */
    run[3].param[1] = NAN;
    start(&m, FEW, run);
    assert_ok(stepper_advance(m.s, 0, 9));
    double *u = state_of(&m);
    assert_ok(stepper_diverged(m.s, step));
    assert_memory_equal(u, good, N * sizeof *u);
    assert_int_equal(step[0], -1);
    assert_int_equal(step[1], 2);
    assert_int_equal(step[2], 1);
    assert_int_equal(step[3], 1);
    for (int i = N; i < FEW * N; i++) assert_true(isnan(u[i]));
    sw_free(good);
    sw_free(u);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_without_it_say_so_and_which_have_it),
        cmocka_unit_test(solves_within_its_bound_or_refuses_for_all_coefficients),
        cmocka_unit_test(solves_within_its_bound_wherever_the_roots_lie),
        cmocka_unit_test(solves_long_lines_within_its_bound),
        cmocka_unit_test(stays_close_to_double_precision),
        cmocka_unit_test(gives_a_run_the_same_bits_alone_as_in_a_batch),
        cmocka_unit_test(gives_the_same_bits_with_any_threads_and_instruction_set),
        cmocka_unit_test(plain_c_stays_close_to_the_others),
        cmocka_unit_test(goes_on_from_a_saved_state_to_the_same_bits),
        cmocka_unit_test(a_run_beyond_the_range_of_float_diverges_and_harms_no_other),
    };
    int failed = 0;
    for_each_row(sw_stepper_table)
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_devices, close_devices);
    return failed != 0;
}
