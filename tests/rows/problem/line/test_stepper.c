/* Every row of the table of steppers must pass every test here. How exact the steps are is in test_stepper_bound.c. */
#include <float.h>
#include <stdio.h>

#include "base/sw_err.h"
#include "linalg/sw_band_impl.h"
#include "stepper_helpers.h"

static const int sizes[] = {5, 6, 31, 32, 33, 64, 100, 333, 1000, 1025};

/* The small suite runs under tools that make a serial kernel a hundred times slower: n <= 64, few steps. */
static int size_count(void) { return small_suite() ? 6 : (int)(sizeof sizes / sizeof *sizes); }
static int few(int steps) { return small_suite() ? steps / 10 : steps; }

/* ---- against exact solutions of the discrete equations */

/* Runs 0, 1, 2: modes m = 1, 2, 3 of u = cos(2 pi m x/L) (as far as n resolves them), each with an operator of its own.
 * a = 2 pi m/L. */
static void make_modes(int n, double s4, double s2, double dt, struct run run[3])
{
    for (int j = 0; j < 3; j++) {
        double length = 1.0 + j;
        int mode = n < 7 ? 1 : 1 + j;
        run[j] = (struct run){{.dt = dt, .dx = length / n, .a[0] = {.s4 = s4 * (1 << j), .s2 = s2 * (1 << j)}},
                              {2.0 * pi * mode / length, 0.0, 0.0}};
    }
}

/* -d2 on the run's mode. */
static double symbol_of(const struct run *r) { return 2.0 - 2.0 * cos(r->param[0] * r->line.dx); }

/* The implicit operator on the run's mode is 1 + q. */
static double implicit_of(const struct run *r)
{
    double w = symbol_of(r);
    return r->line.a[0].s4 * w * w + r->line.a[0].s2 * w;
}

/* Compares with amplitude[j]*cos(a x). Tolerance: a step rounds by u (1 + 4 s2 + 16 s4) in the solve with Navon's
 * closure (docs/explanation/banded_solvers.md), by as much in the stencil and its input, and no mode grows; 4 u n for
 * the arguments of the cosines. Transforms round by some u log2(n) (stepper_cufft_cuda.c). */
static void check_modes(const struct sim *m, const struct run *run, const double *amplitude, int steps)
{
    double *u = state_of(m);
    for (int j = 0; j < m->count; j++) {
        const struct sw_line_run *r = &run[j].line;
        const double solve = strcmp(under_test->name, "cuda.cufft") ? 1.0 : log2(m->n);
        double tolerance = unit * (2.0 * steps * (solve + 4.0 * r->a[0].s2 + 16.0 * r->a[0].s4) + 64.0);
        for (int i = 0; i < m->n; i++) {
            double expected = amplitude[j] * cos(run[j].param[0] * (i * r->dx)), got = u[(size_t)j * m->n + i];
            if (!(fabs(got - expected) <= tolerance))
                fail_msg("n = %d, run %d, point %d: %.17g, expected %.17g, off by %.3g > %.3g", m->n, j, i, got,
                         expected, got - expected, tolerance);
        }
    }
    sw_free(u);
}

static void check_decay(double s4, double s2)
{
    const int steps = few(250);
    for (int k = 0; k < size_count(); k++) {
        if (!takes_lines_of(sizes[k])) continue;
        struct sim m = make((struct texts){SW_CRANK_NICOLSON, "cos(a*x)", NULL, NULL, NULL}, sizes[k], 3);
        struct run run[3];
        double amplitude[3];
        make_modes(sizes[k], s4, s2, 1e-3, run);
        start(&m, 3, run);
        assert_ok(stepper_advance(m.s, 0, steps));
        for (int j = 0; j < 3; j++) {
            double q = implicit_of(&run[j]);
            amplitude[j] = pow((1.0 - q) / (1.0 + q), steps);
        }
        check_modes(&m, run, amplitude, steps);
        unmake(&m);
    }
}

/* Few runs, of three matrices, in any order: rows that advance several side by side may take what is alike for one. */
static void runs_keep_their_own_matrix_in_any_order(void **state)
{
    enum { N = 64, MOST = 20 };
    const int steps = few(100);
    uint64_t seed = 5;
    (void)state;
    need_row();
    for (int trial = 0; trial < (small_suite() ? 10 : 60) && takes_lines_of(N); trial++) {
        const int count = 1 + (int)(0.5 * (test_random(&seed) + 1.0) * (trial % 2 ? 3 : MOST - 1)),
                  odd = (int)(0.5 * (test_random(&seed) + 1.0) * count);
        struct sim m = make((struct texts){SW_CRANK_NICOLSON, "cos(a*x)", NULL, NULL, NULL}, N, count);
        struct run mode[3], run[MOST];
        double amplitude[MOST];
        make_modes(N, 1e3, 1e2, 1e-3, mode);
        for (int j = 0; j < count; j++) {
            run[j] = mode[trial % 3 ? j == odd : (int)(1.5 * (test_random(&seed) + 1.0)) % 3];
            const double q = implicit_of(&run[j]);
            amplitude[j] = pow((1.0 - q) / (1.0 + q), steps);
        }
        start(&m, count, run);
        assert_ok(stepper_advance(m.s, 0, steps));
        check_modes(&m, run, amplitude, steps);
        unmake(&m);
    }
}

static void hyperdiffusion_follows_the_discrete_exact_solution(void **state)
{
    (void)state;
    need_row();
    check_decay(0.05, 0.0);
    check_decay(3.0, 0.0);
    check_decay(5e4, 0.0);
}

static void heat_follows_the_discrete_exact_solution_in_second_and_fourth_order(void **state)
{
    (void)state;
    need_row();
    check_decay(0.0, 0.3);
    check_decay(0.0, 1e3);
    check_decay(0.3 / 12.0, 0.3);
    check_decay(1e3 / 12.0, 1e3);
}

/* One amplitude a run, stepped in long double by the rule the test gives. */
typedef long double amplitude_rule(const struct run *r, long double amplitude, int step);

static void check_forced(struct texts t, amplitude_rule *rule)
{
    enum { STEPS = 200 };
    static const int size[] = {5, 33, 65, 1000};
    for (int k = 0; k < (small_suite() ? 3 : 4); k++) {
        if (!takes_lines_of(size[k])) continue;
        struct sim m = make(t, size[k], 3);
        struct run run[3];
        double amplitude[3];
        make_modes(size[k], 0.7, 0.2, 1e-3, run);
        for (int j = 0; j < 3; j++) {
            long double value = 1.0L;
            run[j].param[1] = 5.0 + j;  /* b */
            for (int step = 0; step < STEPS; step++) value = rule(&run[j], value, step);
            amplitude[j] = (double)value;
        }
        start(&m, 3, run);
        assert_ok(stepper_advance(m.s, 0, STEPS));
        check_modes(&m, run, amplitude, STEPS);
        unmake(&m);
    }
}

static long double travelling_rule(const struct run *r, long double u, int step)
{
    long double q = implicit_of(r), t = (step + 0.5L) * r->line.dt;
    return ((1.0L - q) * u + r->line.dt * sinl(r->param[1] * t)) / (1.0L + q);
}

static void crank_nicolson_takes_the_force_at_the_middle_of_the_step(void **state)
{
    (void)state;
    need_row();
    check_forced((struct texts){SW_CRANK_NICOLSON, "cos(a*x)", NULL, "sin(b*t)*cos(a*x)", NULL}, travelling_rule);
}

static long double damped_rule(const struct run *r, long double u, int step)
{
    long double q = implicit_of(r);
    (void)step;
    return ((1.0L - q) * u - r->line.dt * r->param[1] * u) / (1.0L + q);
}

static void crank_nicolson_takes_a_force_that_depends_on_u_at_the_old_time(void **state)
{
    (void)state;
    need_row();
    check_forced((struct texts){SW_CRANK_NICOLSON, "cos(a*x)", NULL, "-b*u", NULL}, damped_rule);
}

/* s4, s2 are fixed and dx differs from run to run: the explicit part is scaled to stay stable. */
static long double euler_rule(const struct run *r, long double u, int step)
{
    long double q = implicit_of(r), w = symbol_of(r), dt = r->line.dt, dx = r->line.dx, t = step * dt;
    return (u - dt / (dx * dx) * w * (1e-6L * u) + dt * cosl(r->param[1] * t)) / (1.0L + q);
}

static void backward_euler_takes_the_nonlinear_term_and_the_force_at_the_old_time(void **state)
{
    (void)state;
    need_row();
    check_forced((struct texts){SW_BACKWARD_EULER, "cos(a*x)", "1e-6*u", "cos(b*t)*cos(a*x)", NULL}, euler_rule);
}

/* ---- Cahn-Hilliard */

static const struct texts cahn_hilliard = {
    SW_BACKWARD_EULER, "0.1*randn(a)", "u^3 - u", NULL, "(u^2 - 1)^2/4 + ux^2/2",
};
static const struct texts forced_cahn_hilliard = {
    SW_BACKWARD_EULER, "0.1*randn(a)", "u^3 - u", "b*cos(x - c*t) + 0.01*randn(a)", "(u^2 - 1)^2/4 + ux^2/2",
};

/* Terms with x, and with x times u, in all places. */
static const struct texts with_x = {
    SW_BACKWARD_EULER, "0.1*randn(a)", "u^3 - u + x*u*0.001", "x*u*0.002 + x*t*0.001 - 0.01*b*x + 0.1*u^2", "u^2",
};
static const struct texts with_x_outside_g = {
    SW_CRANK_NICOLSON, "0.1*randn(a)", NULL, "x*u*0.002 + x*t*0.001", "u^2",
};

/* Both schemes with and without G, linear or cubic, S linear or cubic in u, with and without values of the cells: each
 * combination is code of its own in some row. G' < 0 where Crank-Nicolson has no other damping of short waves. */
static const struct texts sources[] = {
    {SW_BACKWARD_EULER, "0.1*randn(a)", "-2*u", "(b - 1)*u - u^3", "(uxx + u)^2/2 - b*u^2/2 + u^4/4"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", "-2*u", "(b - 1)*u - u^3", "(uxx + u)^2/2 - b*u^2/2 + u^4/4"},
    {SW_BACKWARD_EULER, "0.1*randn(a)", "-2*u", "(b - 1)*u - u^3 + 0.1*cos(x - c*t)", "uxx^2/2 - ux^2 + u^4/4"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", "-2*u", "(b - 1)*u - u^3 + 0.1*cos(x - c*t)", "uxx^2/2 - ux^2 + u^4/4"},
    {SW_BACKWARD_EULER, "0.1*randn(a)", NULL, "u - u^3", "(u^2 - 1)^2/4 + ux^2/2"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", NULL, "u - u^3", "(u^2 - 1)^2/4 + ux^2/2"},
    {SW_BACKWARD_EULER, "0.1*randn(a)", NULL, "u - u^3 + cos(x - c*t) - sin(2*x + t) + x*0.01", "u^2*x"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", NULL, "u - u^3 + cos(x - c*t) - sin(2*x + t) + x*0.01", "u^2*x"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", "0.1*u^3 - 0.2*u^2 - (b + 1)*u", "0.1*cos(x - c*t)", "u^2"},
    {SW_BACKWARD_EULER, "0.1*randn(a)", "0.1*u^3 - u", "0.2*u^2 - u^3 + 0.1*cos(x - c*t) + cos(3*x + t)", "u^2"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", "b", "0.2*u^2 - b", "u^2"},
    {SW_BACKWARD_EULER, "0.1*randn(a)", "u", "x", "u^2"},
    {SW_BACKWARD_EULER, "0.1*randn(a)", NULL, "sin(x)", "u^2"},
    {SW_CRANK_NICOLSON, "0.1*randn(a)", "u^3 - u", "sin(u) + 0.01*randn(a)", "u^2"},
};

/* gamma = D = 1 on a length of 8 pi, seed j, amplitude j/10, speed j/5. */
static struct run mixture(int n, int j)
{
    double dx = 8.0 * pi / n, dt = 0.02;
    return (struct run){{.dt = dt, .dx = dx, .x0 = 0.5, .a[0].s4 = dt / (dx * dx * dx * dx)},
                        {1.0 + j, 0.1 * j, 0.2 * j}};
}

static void cahn_hilliard_conserves_mass_and_never_gains_energy(void **state)
{
    enum { STEPS = 400, EVERY = 20 };
    (void)state;
    need_row();
    for (int k = 2; k < 7 && k < size_count(); k++) {
        if (!takes_lines_of(sizes[k])) continue;
        struct sim m = make(cahn_hilliard, sizes[k], 2);
        struct run run[2] = {mixture(sizes[k], 0), mixture(sizes[k], 1)};
        double mass[2], energy[2];
        start(&m, 2, run);
        for (int j = 0; j < 2; j++) mass[j] = energy[j] = NAN;
        for (int step = 0; step <= STEPS; step += EVERY) {
            if (step) assert_ok(stepper_advance(m.s, step - EVERY, step));
            const double *now = scalars_of(&m);
            for (int j = 0; j < 2; j++, now += SW_LINE_SCALARS) {
                /* each step may round by u (1 + 16 s4) |u|, and L = 8 pi */
                double bound = 8.0 * pi * unit * (1.0 + step * (1.0 + 16.0 * run[j].line.a[0].s4));
                if (step) assert_near(now[SW_MASS], mass[j], bound);
                if (step && !(now[SW_ENERGY] < energy[j]))
                    fail_msg("energy %.17g after %.17g", now[SW_ENERGY], energy[j]);
                if (!step) mass[j] = now[SW_MASS];
                energy[j] = now[SW_ENERGY];
            }
        }
        unmake(&m);
    }
}

/* The same with a second derivative in the place of the fourth, or both. */
static struct run with_second_derivative(int n, int j)
{
    struct run r = mixture(n, j);
    r.line.a[0].s2 = r.line.dt / (r.line.dx * r.line.dx);
    if (j != 1) r.line.a[0].s4 = 0.0;
    return r;
}

typedef struct run run_maker(int n, int j);

/* Each step of two rows differs by 2 u (1 + 4 s2 + 16 s4) and the fastest mode grows like exp(t/4), t = 2: exp(t)
 * with a source. */
static void check_agreement_of(const char *row, struct texts t, run_maker *make_run, int least_n)
{
    enum { STEPS = 100, RUNS = 3 };
    for (int k = 0; k < size_count(); k++) {
        if (!takes_lines_of(sizes[k])) continue;
        int n = sizes[k];
        if (n < least_n) continue;
        struct sim m = make_with(row, device, t, n, RUNS, false);
        struct sim plain = make_with("cpu.plain", host, t, n, RUNS, false);
        struct run run[RUNS] = {make_run(n, 0), make_run(n, 1), make_run(n, 2)};
        start(&m, RUNS, run);
        start(&plain, RUNS, run);
        assert_ok(stepper_advance(m.s, 0, STEPS));
        assert_ok(stepper_advance(plain.s, 0, STEPS));
        double *u = state_of(&m), *v = state_of(&plain);
        const struct sw_line_run *r = &run[1].line;  /* s4 and s2 of no other are larger */
        double growth = t.s ? exp(2.0) : exp(0.5), largest = 1.0;
        for (int i = 0; i < RUNS * n; i++) largest = fmax(largest, fabs(v[i]));
        double tolerance = 2.0 * unit * (1.0 + STEPS * (1.0 + 4.0 * r->a[0].s2 + 16.0 * r->a[0].s4)) * growth * largest;
        for (int i = 0; i < RUNS * n; i++) assert_near(u[i], v[i], tolerance);
        const double *a = scalars_of(&m), *b = scalars_of(&plain);
        for (int i = 0; i < RUNS * SW_LINE_SCALARS; i++) assert_near(a[i], b[i], 1e3 * tolerance + 1e-12);
        sw_free(u);
        sw_free(v);
        unmake(&m);
        unmake(&plain);
    }
}

static void check_agreement(const char *row, struct texts t, int least_n)
{
    check_agreement_of(row, t, mixture, least_n);
}

static void agrees_with_the_reference_whatever_the_source(void **state)
{
    (void)state;
    need_row();
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        check_agreement_of(under_test->name, sources[k], sources[k].g ? mixture : with_second_derivative, 5);
}

static void agrees_with_the_reference(void **state)
{
    (void)state;
    need_row();
    check_agreement(under_test->name, cahn_hilliard, 5);
    check_agreement(under_test->name, forced_cahn_hilliard, 5);
    check_agreement(under_test->name, with_x, 5);
    check_agreement(under_test->name, with_x_outside_g, 5);
}

/* The least n of the steppers' systems that the row solves; 0: it solves none of them. */
static int least_of(const struct sw_band_ops *band, bool uniform)
{
    struct sw_band_desc d = {.n = 5, .batch = 1, .ld = 1, .lower = 2, .upper = 2, .periodic = true, .symmetric = true,
                             .uniform = uniform};
    for (; d.n <= sizes[2]; d.n++)
        if (band->fits(&d)) return d.n;
    return 0;
}

/* @return SW_E_ABSENT the row is not on this machine */
static enum sw_status check_with_band(const struct sw_band_ops *band, bool uniform)
{
    char row[128];
    struct texts t = cahn_hilliard;
    struct sim probe = {{compile(t.initial, 0), compile(t.g, 1)}, NULL, 31, 0};
    struct sw_stepper_desc desc = {
        .n = 31, .capacity = 1, .uniform = uniform,
        .model = {.scheme = t.scheme, .nparam = PARAMS, .initial = {probe.program[0]}, .g = {probe.program[1]}},
    };
    snprintf(row, sizeof row, "%s+%s", under_test->name, band->name);
    enum sw_status st = stepper_create(&desc, row, device, &probe.s);
    if (!st) assert_string_equal(stepper_name(probe.s), row);
    unmake(&probe);
    if (st == SW_E_ABSENT) return st;
    assert_int_equal(st, SW_OK);
    promise_uniform = uniform;
    check_agreement(row, t, least_of(band, uniform));
    promise_uniform = false;
    return SW_OK;
}

static void agrees_with_the_reference_with_any_band_solver(void **state)
{
    const char *missing = NULL;
    (void)state;
    need_row();
    if (!under_test->takes_band) return;
    for (int k = 0; sw_band_table[k]; k++) {
        const struct sw_band_ops *band = sw_band_table[k];
        if (band->space != under_test->space) continue;
        for (int uniform = 0; uniform < 2; uniform++)
            if (least_of(band, uniform) && check_with_band(band, uniform)) missing = band->name;
    }
    if (missing) skip_unless_needed(missing, sw_err_message());
}

/* Run 0 cannot begin, for a reason of its own. The others still have their matrix. */
static void harms_no_run_where_the_first_of_equal_ones_is_faulty(void **state)
{
    enum { RUNS = 3, N = 64 };
    (void)state;
    need_row();
    promise_uniform = true;
    struct sim m = make(cahn_hilliard, N, RUNS), plain = make_with("cpu.plain", host, cahn_hilliard, N, RUNS, false);
    promise_uniform = false;
    struct run run[RUNS] = {mixture(N, 0), mixture(N, 1), mixture(N, 2)};
    struct sw_line_run line[RUNS];
    double param[PARAMS * RUNS] = {0};
    const char *load_error[RUNS];
    for (int j = 0; j < RUNS; j++) {
        line[j] = run[j].line;
        for (int k = 0; k < PARAMS; k++) param[k * RUNS + j] = run[j].param[k];
    }
    line[0].x0 = NAN;
    struct sim *both[2] = {&m, &plain};
    for (int k = 0; k < 2; k++) {
        assert_ok(stepper_load(both[k]->s, RUNS, line, param, load_error));
        assert_non_null(load_error[0]);
        assert_null(load_error[1]);
        both[k]->count = RUNS;
        assert_ok(stepper_initial(both[k]->s));
        assert_ok(stepper_advance(both[k]->s, 0, 20));
    }
    double *u = state_of(&m), *v = state_of(&plain);
    for (int i = 0; i < N; i++) assert_true(isnan(u[i]));
    for (int i = N; i < RUNS * N; i++)
        assert_near(u[i], v[i], 20 * 2.0 * unit * (1.0 + 16.0 * line[1].a[0].s4) * exp(0.1));
    sw_free(u);
    sw_free(v);
    unmake(&m);
    unmake(&plain);
}

static void refuses_runs_that_differ_where_equal_ones_were_promised(void **state)
{
    (void)state;
    need_row();
    promise_uniform = true;
    struct sim m = make(cahn_hilliard, 64, 2);
    promise_uniform = false;
    struct sw_line_run line[2] = {mixture(64, 0).line, mixture(64, 1).line};
    double param[2 * PARAMS] = {0};
    const char *load_error[2];
    line[1].a[0].s2 = 0.25;
    assert_int_equal(stepper_load(m.s, 2, line, param, load_error), SW_E_ARG);
    assert_contains(sw_err_message(), "should have the same matrix");
    assert_contains(sw_err_message(), "0.25 in run 1");
    line[1].a[0].s2 = line[0].a[0].s2;
    assert_ok(stepper_load(m.s, 2, line, param, load_error));
    unmake(&m);
}

/* ---- no bit depends on anything but the run */

static void gives_a_run_the_same_bits_alone_as_in_a_batch(void **state)
{
    enum { RUNS = 7, STEPS = 40 };
    (void)state;
    need_row();
    for (int k = 1; k < size_count(); k += 2) {
        if (!takes_lines_of(sizes[k])) continue;
        int n = sizes[k];
        struct sim m = make(forced_cahn_hilliard, n, RUNS), one = make(forced_cahn_hilliard, n, 1);
        struct run run[RUNS];
        for (int j = 0; j < RUNS; j++) {
            run[j] = mixture(n, j);
            if (j % 2) run[j].line.a[0].s4 *= 1.5;  /* two matrices among seven runs */
        }
        start(&m, RUNS, run);
        assert_ok(stepper_advance(m.s, 0, STEPS));
        double *u = state_of(&m), all[RUNS * SW_LINE_SCALARS];
        memcpy(all, scalars_of(&m), sizeof all);
        for (int j = 0; j < RUNS; j++) {
            start(&one, 1, &run[j]);
            assert_ok(stepper_advance(one.s, 0, STEPS));
            double *alone = state_of(&one);
            assert_memory_equal(alone, u + (size_t)j * n, (size_t)n * sizeof *u);
            assert_memory_equal(scalars_of(&one), all + j * SW_LINE_SCALARS, SW_LINE_SCALARS * sizeof *all);
            sw_free(alone);
        }
        sw_free(u);
        unmake(&m);
        unmake(&one);
    }
}

static void gives_the_same_bits_with_any_number_of_threads(void **state)
{
    enum { RUNS = 7, STEPS = 40, N = 333 };  /* enough work for more than one thread */
    double *u[2];
    (void)state;
    need_row();
    if (under_test->space != SW_HOST) return;  /* a device does not use the host's threads */
    for (int k = 0; k < 2; k++) {
        struct sw_device *cpu = NULL;
        struct run run[RUNS];
        assert_ok(sw_device_open("cpu", 1 + 3 * k, &cpu));
        struct sim m = make_with(under_test->name, cpu, forced_cahn_hilliard, N, RUNS, false);
        for (int j = 0; j < RUNS; j++) run[j] = mixture(N, j);
        start(&m, RUNS, run);
        assert_ok(stepper_advance(m.s, 0, STEPS));
        u[k] = state_of(&m);
        unmake(&m);
        sw_device_close(&cpu);
    }
    assert_memory_equal(u[0], u[1], RUNS * N * sizeof *u[0]);
    sw_free(u[0]);
    sw_free(u[1]);
}

static void advances_in_two_calls_to_the_same_bits_as_in_one(void **state)
{
    (void)state;
    need_row();
    struct sim m = make(forced_cahn_hilliard, 100, 2);
    struct run run[2] = {mixture(100, 1), mixture(100, 2)};
    start(&m, 2, run);
    assert_ok(stepper_advance(m.s, 0, 60));
    double *once = state_of(&m);
    start(&m, 2, run);
    assert_ok(stepper_advance(m.s, 0, 23));
    (void)scalars_of(&m);  /* looking does not disturb */
    assert_ok(stepper_advance(m.s, 23, 23));
    assert_ok(stepper_advance(m.s, 23, 60));
    double *twice = state_of(&m);
    assert_memory_equal(once, twice, 200 * sizeof *once);
    sw_free(once);
    sw_free(twice);
    unmake(&m);
}

static void check_going_on(struct texts t)
{
    const int n = length_near(65);
    struct sim m = make(t, n, 3), later = make(t, n, 5);
    struct run run[3] = {mixture(n, 1), mixture(n, 2), mixture(n, 3)};
    start(&m, 3, run);
    assert_ok(stepper_advance(m.s, 0, 20));
    double *saved = state_of(&m);
    assert_ok(stepper_advance(m.s, 20, 50));
    double *straight = state_of(&m);
    load(&later, 3, run);
    assert_ok(stepper_set_state(later.s, saved));
    double *back = state_of(&later);
    assert_memory_equal(back, saved, 3 * (size_t)n * sizeof *back);
    assert_ok(stepper_advance(later.s, 20, 50));
    double *resumed = state_of(&later);
    assert_memory_equal(resumed, straight, 3 * (size_t)n * sizeof *resumed);
    sw_free(saved);
    sw_free(straight);
    sw_free(back);
    sw_free(resumed);
    unmake(&m);
    unmake(&later);
}

static void goes_on_from_a_saved_state_to_the_same_bits(void **state)
{
    (void)state;
    need_row();
    check_going_on(forced_cahn_hilliard);
    check_going_on((struct texts){SW_CRANK_NICOLSON, "cos(x) + 0.1*randn(a)", NULL, NULL, NULL});
}

/* As it is after some steps, and handed to a stepper that has made none. */
static void check_measure(int n)
{
    enum { RUNS = 3 };
    struct sim m = make(forced_cahn_hilliard, n, RUNS), later = make(forced_cahn_hilliard, n, 5);
    struct run run[RUNS] = {mixture(n, 1), mixture(n, 2), mixture(n, 3)};
    start(&m, RUNS, run);
    for (int step = 0; step <= 20; step += 10) {
        double *u = state_of(&m);
        load(&later, RUNS, run);
        assert_ok(stepper_set_state(later.s, u));
        assert_memory_equal(scalars_of(&m), scalars_of(&later), RUNS * SW_LINE_SCALARS * sizeof *u);
        assert_ok(stepper_advance(m.s, step, step + 10));
        sw_free(u);
    }
    unmake(&m);
    unmake(&later);
}

static void measures_a_state_to_the_same_bits_however_it_came_about(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < size_count(); k++)
        if (takes_lines_of(sizes[k])) check_measure(sizes[k]);
    if (takes_lines_of(2500)) check_measure(2500);
}

/* ---- runs that go wrong */

static void one_bad_run_of_a_thousand_leaves_the_others_their_bits(void **state)
{
    enum { RUNS = 1000, N = 64, STEPS = 30, BAD = 333, WILD = 700, FAULTY = 999 };
    static const char *load_error[RUNS];
    static struct run run[RUNS];
    static int64_t step[RUNS];
    (void)state;
    need_row();
    struct sim m = make(forced_cahn_hilliard, N, RUNS);
    for (int j = 0; j < RUNS; j++) run[j] = mixture(N, j);
    start(&m, RUNS, run);
    assert_ok(stepper_advance(m.s, 0, STEPS));
    double *good = state_of(&m);

    run[BAD].param[1] = NAN;     /* the force is NaN from the first step on            */
    run[WILD].param[1] = 1e200;  /* u³ of the second step overflows                     */
    run[FAULTY].line.a[0].s4 = -1.0;  /* ill-posed                                           */
    load_faulty(&m, RUNS, run, load_error);
    assert_ok(stepper_initial(m.s));
    assert_ok(stepper_advance(m.s, 0, STEPS));
    double *u = state_of(&m);
    assert_ok(stepper_diverged(m.s, step));
    for (int j = 0; j < RUNS; j++) {
        bool wrong = j == BAD || j == WILD || j == FAULTY;
        if (wrong) for (int i = 0; i < N; i++) assert_true(isnan(u[j * N + i]));
        else assert_memory_equal(u + j * N, good + j * N, N * sizeof *u);
        if (j == FAULTY) assert_contains(load_error[j], "not positive definite");
        else assert_null(load_error[j]);
        assert_int_equal(step[j], j == BAD ? 1 : j == WILD ? 2 : j == FAULTY ? 0 : -1);
    }
    sw_free(good);
    sw_free(u);
    unmake(&m);
}

static void names_the_step_at_which_a_run_diverged(void **state)
{
    (void)state;
    need_row();
    struct sim m = make((struct texts){SW_CRANK_NICOLSON, "1/a", NULL, "b*u", "u^2/2"}, 64, 4);
    struct run run[4];
    int64_t step[4];
    const void *field;
    const double *scalars;
    for (int j = 0; j < 4; j++) run[j] = (struct run){{.dt = 1.0, .dx = 1.0, .a[0].s4 = 0.5}, {1.0, 0.5, 0.0}};
    run[1].param[1] = 1e200;  /* 1, 1e200, inf */
    run[2].param[1] = 1e100;  /* 1, 1e100, 1e200, 1e300, inf */
    run[3].param[0] = 0.0;    /* inf from the start */
    start(&m, 4, run);
    assert_ok(stepper_diverged(m.s, step));
    assert_int_equal(step[1], -1);
    assert_int_equal(step[3], 0);
    assert_ok(stepper_advance(m.s, 0, 3));
    assert_ok(stepper_advance(m.s, 3, 9));
    assert_ok(stepper_diverged(m.s, step));
    assert_int_equal(step[0], -1);
    assert_int_equal(step[1], 2);
    assert_int_equal(step[2], 4);
    assert_int_equal(step[3], 0);
    assert_ok(stepper_snapshot(m.s, 0, SW_SNAPSHOT_FIELD | SW_SNAPSHOT_SCALARS));
    assert_ok(stepper_fetch(m.s, 0, &field, &scalars));
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 64; i++) assert_int_equal(isnan(((const double *)field)[j * 64 + i]), j > 0);
        for (int k = SW_MASS; k <= SW_MAX; k++) assert_int_equal(isnan(scalars[j * SW_LINE_SCALARS + k]), j > 0);
    }
    unmake(&m);
}

static void names_the_first_step_for_a_state_that_is_not_finite(void **state)
{
    (void)state;
    need_row();
    struct sim m = make(cahn_hilliard, 64, 2);
    struct run run[2] = {mixture(64, 0), mixture(64, 1)};
    double u[128] = {0};
    int64_t step[2];
    u[64 + 5] = NAN;
    load(&m, 2, run);
    assert_ok(stepper_set_state(m.s, u));
    assert_ok(stepper_advance(m.s, 70, 80));
    assert_ok(stepper_diverged(m.s, step));
    assert_int_equal(step[0], -1);
    assert_int_equal(step[1], 70);
    assert_ok(stepper_get_state(m.s, u));
    for (int i = 0; i < 64; i++) assert_true(u[i] == 0.0 && isnan(u[64 + i]));
    unmake(&m);
}

static void refuses_runs_it_cannot_advance_and_says_why(void **state)
{
    enum { RUNS = 7 };
    static const char *const why[RUNS] = {
        NULL, "coefficient of the equation is not finite", "not positive definite", "not positive definite",
        "dt or x0 is not finite", "grid spacing is not a positive number", NULL,
    };
    const char *load_error[RUNS];
    struct run run[RUNS];
    int64_t step[RUNS];
    (void)state;
    need_row();
    struct sim m = make(cahn_hilliard, 64, RUNS);
    for (int j = 0; j < RUNS; j++) run[j] = mixture(64, j);
    run[1].line.a[0].s4 = INFINITY;
    run[2].line.a[0].s2 = -0.3;
    run[2].line.a[0].s4 = 0.0;    /* 1 - 0.3 s < 0 at s = 4 */
    run[3].line.a[0].s2 = -2.0;
    run[3].line.a[0].s4 = 0.9;    /* 1 - 2 s + 0.9 s² < 0 around s = 1.1, and > 0 at 0 and 4 */
    run[4].line.dt = NAN;
    run[5].line.dx = 0.0;
    run[6].line.a[0].s2 = -2.0;
    run[6].line.a[0].s4 = 1.1;    /* > 0 everywhere */
    load_faulty(&m, RUNS, run, load_error);
    assert_ok(stepper_initial(m.s));
    assert_ok(stepper_advance(m.s, 0, 2));
    assert_ok(stepper_diverged(m.s, step));
    double *u = state_of(&m);
    for (int j = 0; j < RUNS; j++) {
        if (why[j]) assert_contains(load_error[j], why[j]);
        else assert_null(load_error[j]);
        assert_int_equal(step[j], why[j] ? 0 : -1);
        for (int i = 0; i < 64; i++) assert_int_equal(isnan(u[j * 64 + i]), why[j] != NULL);
    }
    sw_free(u);
    unmake(&m);
}

/* ---- pictures */

static void snapshots_in_single_precision_what_it_computes_in_double(void **state)
{
    enum { RUNS = 3 };
    (void)state;
    need_row();
    const int n = length_near(65);
    struct sim m = make_with(under_test->name, device, cahn_hilliard, n, RUNS, true);
    struct run run[RUNS] = {mixture(n, 0), mixture(n, 1), mixture(n, 2)};
    const void *field, *before;
    const double *scalars;
    start(&m, RUNS, run);
    assert_ok(stepper_snapshot(m.s, 0, SW_SNAPSHOT_FIELD));
    double *first = state_of(&m);
    assert_ok(stepper_advance(m.s, 0, 10));
    assert_ok(stepper_snapshot(m.s, 2, SW_SNAPSHOT_FIELD));
    double *u = state_of(&m);
    assert_ok(stepper_advance(m.s, 10, 20));
    assert_ok(stepper_fetch(m.s, 2, &field, &scalars));
    assert_null(scalars);
    assert_ok(stepper_fetch(m.s, 0, &before, &scalars));
    for (int i = 0; i < n * RUNS; i++) {
        assert_true(((const float *)field)[i] == (float)u[i]);
        assert_true(((const float *)before)[i] == (float)first[i]);
    }
    sw_free(first);
    sw_free(u);
    unmake(&m);
}

/* 2 pi sum |û|² / sum k |û|² by the definition, in long double. */
static double domain_length(int n, const double *u, double length)
{
    long double power = 0, moment = 0;
    for (int k = 1; k <= n / 2; k++) {
        long double re = 0, im = 0;
        for (int i = 0; i < n; i++) {
            long double angle = 2 * 3.14159265358979323846264338327950288L * ((long long)i * k % n) / n;
            re += u[i] * cosl(angle);
            im += u[i] * sinl(angle);
        }
        power += re * re + im * im;
        moment += k * (re * re + im * im);
    }
    return (double)(length * power / moment);
}

/* Of a field u [n]; the domain length of short ones only, since its definition takes n² steps. */
static void check_scalars(const struct run *run, int n, const double *u, const double *got)
{
    double dx = run->line.dx, mass = 0, energy = 0, size = 0, least = INFINITY, most = -INFINITY;
    for (int i = 0; i < n; i++) {
        double ux = (u[(i + 1) % n] - u[(i + n - 1) % n]) / (2 * dx), x = run->line.x0 + i * dx;
        double density = run->param[1] * u[i] * u[i] + ux * ux / 2 + 0.1 * x;
        mass += dx * u[i];
        energy += dx * density;
        size += dx * (fabs(u[i]) + fabs(density));
        least = fmin(least, u[i]);
        most = fmax(most, u[i]);
    }
    /* the naive sums here err by n u of the sum of sizes */
    assert_near(got[SW_MASS], mass, n * unit * size);
    assert_near(got[SW_ENERGY], energy, 2 * n * unit * size);
    assert_near(got[SW_MIN], least, 0);
    assert_near(got[SW_MAX], most, 0);
    if (n > 2000) return;
    /* each of at most 2 + log2(n) passes rounds by a few u sqrt(radix); 333 = 9*37, 1025 = 25*41 */
    double length = domain_length(n, u, n * dx);
    assert_near(got[SW_DOMAIN_LENGTH], length, 200 * unit * length * sqrt(n));
}

static void check_scalars_of_lines(int n)
{
    const struct texts t = {SW_BACKWARD_EULER, "b + sin(a*x) + 0.3*cos(2*a*x) + 0.02*randn(c)", NULL, NULL,
                            "b*u^2 + ux^2/2 + 0.1*x"};
    struct sim m = make(t, n, 2);
    struct run run[2] = {{{.dt = 1, .dx = 2.0 / n, .x0 = -1.0}, {pi, 0.5, 7}},
                         {{.dt = 1, .dx = 0.1, .x0 = 3.0}, {0.2, -3, 8}}};
    start(&m, 2, run);
    double *u = state_of(&m);
    const double *got = scalars_of(&m);
    for (int j = 0; j < 2; j++) check_scalars(&run[j], n, u + (size_t)j * (size_t)n, got + j * SW_LINE_SCALARS);
    sw_free(u);
    unmake(&m);
}

static void reports_scalars_as_their_formulas_say(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < size_count(); k++)
        if (takes_lines_of(sizes[k])) check_scalars_of_lines(sizes[k]);
    if (takes_lines_of(2500)) check_scalars_of_lines(2500);  /* rows may lay long lines out otherwise */
    if (takes_lines_of(20000) && !small_suite()) check_scalars_of_lines(20000);
    if (takes_lines_of(101)) check_scalars_of_lines(101);    /* the domain length by a convolution of 192 points */
    if (takes_lines_of(1787)) check_scalars_of_lines(1787);  /* and one of 3072 */
}

static void check_domain_length_of_a_cosine(int n)
{
    struct sim m = make((struct texts){SW_BACKWARD_EULER, "0.3 + b*cos(a*x)", NULL, NULL, NULL}, n, 2);
    struct run run[2] = {{{.dt = 1, .dx = 1.0 / n}, {2 * pi * 5, 1.0, 0}},
                         {{.dt = 1, .dx = 1.0 / n}, {0.0, 0.0, 0.0}}};
    start(&m, 2, run);
    const double *got = scalars_of(&m);
    assert_near(got[SW_DOMAIN_LENGTH], 0.2, 1e-12);
    assert_true(isnan(got[SW_ENERGY]));  /* the model has no density */
    assert_true(isnan(got[SW_LINE_SCALARS + SW_DOMAIN_LENGTH]));  /* constant: no power at all */
    assert_near(got[SW_LINE_SCALARS + SW_MASS], 0.3, n < 128 ? 1e-15 : n * unit * 0.3);  /* of n terms */
    unmake(&m);
}

static void reports_the_wavelength_of_a_cosine_as_its_domain_length(void **state)
{
    (void)state;
    need_row();
    check_domain_length_of_a_cosine(length_near(97));  /* a prime */
    if (takes_lines_of(100003)) check_domain_length_of_a_cosine(100003);  /* one that is too large for a pass */
}

/* A constant field stays one but for rounding, which has a spectrum; a cosine beside it that is no rounding has its
 * length. */
static void reports_no_domain_length_of_a_field_that_is_constant_but_for_rounding(void **state)
{
    enum { N = 100, RUNS = 8 };
    static const double s4[RUNS / 2] = {0.0, 0.7, 1e4, 1e8}, s2[RUNS / 2] = {0.3, 0.0, 10.0, 0.0};
    struct run run[RUNS];
    (void)state;
    need_row();
    for (int j = 0; j < RUNS; j++)
        run[j] = (struct run){{.dt = 1e-3, .dx = 1.0 / N, .a[0].s4 = s4[j / 2], .a[0].s2 = s2[j / 2]},
                              {2 * pi, 0.3 + 10.0 * (j / 4), j % 2 ? 1e-3 : 0.0}};
    for (int k = 0; k < 2; k++) {
        const enum sw_scheme scheme = k ? SW_CRANK_NICOLSON : SW_BACKWARD_EULER;
        struct sim m = make((struct texts){scheme, "b + c*cos(a*x)", NULL, NULL, NULL}, N, RUNS);
        start(&m, RUNS, run);
        for (int64_t step = 0; step <= (small_suite() ? 1 : 1000); step = step ? 10 * step : 1) {
            const int64_t to = step ? 10 * step : 1;
            const double *got = scalars_of(&m);
            for (int j = 0; j < RUNS; j++, got += SW_LINE_SCALARS) {
                if (j % 2 == 0 && !isnan(got[SW_DOMAIN_LENGTH]))
                    fail_msg("s4 = %g, s2 = %g, after %d steps: domain length %g of a constant field", s4[j / 2],
                             s2[j / 2], (int)step, got[SW_DOMAIN_LENGTH]);
                /* the cosine of the stiffer ones is gone after a few steps */
                if (j % 2 && step <= 1 && s4[j / 2] < 1e8) assert_near(got[SW_DOMAIN_LENGTH], 1.0, 1e-3);
            }
            assert_ok(stepper_advance(m.s, step, to));
        }
        unmake(&m);
    }
}

/* ---- refusals */

static void refuses_what_cannot_be(void **state)
{
    (void)state;
    need_row();
    struct sw_stepper *s = (struct sw_stepper *)state;
    struct sw_stepper_desc desc = {.n = 4, .capacity = 1};
    assert_int_equal(stepper_create(&desc, under_test->name, device, &s), SW_E_ARG);
    assert_contains(sw_err_message(), "n = 4: the stencil needs at least 5 points");
    assert_null(s);
    desc = (struct sw_stepper_desc){.n = length_near(99), .capacity = 0};
    assert_int_equal(stepper_create(&desc, under_test->name, device, &s), SW_E_ARG);
    assert_contains(sw_err_message(), "room for 0 runs");
    desc.capacity = 1;
    assert_int_equal(stepper_create(&desc, "cpu.magic", device, &s), SW_E_CONFIG);
    assert_contains(sw_err_message(), "stepper cpu.magic: there is no such row; fit here:");
    assert_contains(sw_err_message(), under_test->name);
    char row[100];
    snprintf(row, sizeof row, "%s+cpu.gauss", under_test->name);
    assert_int_equal(stepper_create(&desc, row, device, &s), SW_E_CONFIG);
    assert_contains(sw_err_message(), "band solver cpu.gauss: there is no such row");
    assert_int_equal(stepper_create(&desc, "cpu.lapack", device, &s), SW_E_CONFIG);
    assert_contains(sw_err_message(), "which goes with a stepper: \"cpu.plain+");
    assert_null(s);
}

static void refuses_calls_out_of_range(void **state)
{
    (void)state;
    need_row();
    const int n = length_near(65);
    struct sim m = make((struct texts){SW_BACKWARD_EULER, NULL, NULL, NULL, NULL}, n, 2);
    struct run run[2] = {mixture(n, 0), mixture(n, 1)};
    struct sw_line_run line[3] = {{0}};
    const char *load_error[3];
    assert_int_equal(stepper_load(m.s, 3, line, NULL, load_error), SW_E_ARG);
    assert_contains(sw_err_message(), "a batch of 3 runs, where there is room for 1 to 2");
    assert_int_equal(stepper_load(m.s, 0, line, NULL, load_error), SW_E_ARG);
    load(&m, 2, run);
    assert_int_equal(stepper_advance(m.s, 5, 4), SW_E_ARG);
    assert_contains(sw_err_message(), "cannot advance from step 5 to 4");
    unmake(&m);
}

static void knows_its_memory_before_it_takes_it(void **state)
{
    (void)state;
    need_row();
    size_t fixed, small, large;
    struct sw_stepper_desc desc = {.n = 100, .capacity = 10};
    assert_ok(sw_stepper_bytes(&desc, under_test->name, device, &fixed, &small));
    assert_true(small >= 100 * sizeof(double));
    desc.n = 1000;
    assert_ok(sw_stepper_bytes(&desc, NULL, device, &fixed, &large));  /* the best row for this device */
    assert_ok(sw_stepper_bytes(&desc, under_test->name, device, &fixed, &large));
    assert_true(large >= small + 900 * sizeof(double) && large < 20 * small);
    assert_int_equal(sw_stepper_bytes(&desc, "cpu.magic", device, &fixed, &large), SW_E_CONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_keep_their_own_matrix_in_any_order),
        cmocka_unit_test(hyperdiffusion_follows_the_discrete_exact_solution),
        cmocka_unit_test(heat_follows_the_discrete_exact_solution_in_second_and_fourth_order),
        cmocka_unit_test(crank_nicolson_takes_the_force_at_the_middle_of_the_step),
        cmocka_unit_test(crank_nicolson_takes_a_force_that_depends_on_u_at_the_old_time),
        cmocka_unit_test(backward_euler_takes_the_nonlinear_term_and_the_force_at_the_old_time),
        cmocka_unit_test(cahn_hilliard_conserves_mass_and_never_gains_energy),
        cmocka_unit_test(agrees_with_the_reference),
        cmocka_unit_test(agrees_with_the_reference_whatever_the_source),
        cmocka_unit_test(agrees_with_the_reference_with_any_band_solver),
        cmocka_unit_test(harms_no_run_where_the_first_of_equal_ones_is_faulty),
        cmocka_unit_test(refuses_runs_that_differ_where_equal_ones_were_promised),
        cmocka_unit_test(gives_a_run_the_same_bits_alone_as_in_a_batch),
        cmocka_unit_test(gives_the_same_bits_with_any_number_of_threads),
        cmocka_unit_test(advances_in_two_calls_to_the_same_bits_as_in_one),
        cmocka_unit_test(goes_on_from_a_saved_state_to_the_same_bits),
        cmocka_unit_test(measures_a_state_to_the_same_bits_however_it_came_about),
        cmocka_unit_test(one_bad_run_of_a_thousand_leaves_the_others_their_bits),
        cmocka_unit_test(names_the_step_at_which_a_run_diverged),
        cmocka_unit_test(names_the_first_step_for_a_state_that_is_not_finite),
        cmocka_unit_test(refuses_runs_it_cannot_advance_and_says_why),
        cmocka_unit_test(snapshots_in_single_precision_what_it_computes_in_double),
        cmocka_unit_test(reports_scalars_as_their_formulas_say),
        cmocka_unit_test(reports_the_wavelength_of_a_cosine_as_its_domain_length),
        cmocka_unit_test(reports_no_domain_length_of_a_field_that_is_constant_but_for_rounding),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(refuses_calls_out_of_range),
        cmocka_unit_test(knows_its_memory_before_it_takes_it),
    };
    int failed = 0;
    for_each_row(sw_stepper_table)
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_devices, close_devices);
    return failed != 0;
}
