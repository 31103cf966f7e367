/* The kinds of problem, driven as a sweep drives them: from a config's text. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "job_helpers.h"
#include "problem/line/stepper/sw_stepper.h"

static const double pi = 3.14159265358979323846;

/* Root mean square of u - amplitude cos(k x) on [0, length). */
static double error_of(const char *text, double amplitude, double k, double length)
{
    int n;
    double *u = final_state(text, &n), sum = 0.0;
    for (int i = 0; i < n; i++) {
        double d = u[i] - amplitude * cos(k * i * length / n);
        sum += d * d;
    }
    sw_free(u);
    return sqrt(sum / n);
}

/* Errors at three refinements by 2 each. */
static void assert_order(const double error[3], double order)
{
    for (int k = 0; k < 2; k++) {
        double observed = log2(error[k] / error[k + 1]);
        if (!(fabs(observed - order) < 0.1))
            fail_msg("order %.3f, expected %g (errors %.3g %.3g %.3g)", observed, order, error[0], error[1], error[2]);
    }
}

/* ---- orders */

static const char hyperdiffusion[] =
    "problem = \"hyperdiffusion\"; grid = { n = %d; length = 2.0; }; physics = { gamma = 0.5; D = 0.25; };\n"
    "time = { dt = %.17g; end = 0.02; }; initial = \"cos(pi*x)\";";

static double hyperdiffusion_error(int n, int steps, double rate)
{
    char text[600];
    snprintf(text, sizeof text, hyperdiffusion, n, 0.02 / steps);
    return error_of(text, exp(-0.125 * rate * 0.02), pi, 2.0);
}

/* 2 - 2 cos(k dx) over dx²: minus the discrete second derivative of the mode. */
static double symbol(double k, double dx) { return (2.0 - 2.0 * cos(k * dx)) / (dx * dx); }

static void hyperdiffusion_is_of_second_order_in_space(void **state)
{
    double error[3];
    (void)state;
    for (int k = 0; k < 3; k++) error[k] = hyperdiffusion_error(16 << k, 400, pow(pi, 4));
    assert_order(error, 2.0);
}

static void hyperdiffusion_is_of_second_order_in_time(void **state)
{
    double error[3], rate = symbol(pi, 2.0 / 32);
    (void)state;
    for (int k = 0; k < 3; k++) error[k] = hyperdiffusion_error(32, 4 << k, rate * rate);  /* the discrete operator's */
    assert_order(error, 2.0);
}

static double heat_error(int n, int steps, int order, double rate)
{
    char text[600];
    snprintf(text, sizeof text,
             "problem = \"heat\"; order = %d; grid = { n = %d; length = 2.0; }; physics = { kappa = 0.5; };\n"
             "time = { dt = %.17g; end = 0.1; }; initial = \"cos(pi*x)\";", order, n, 0.1 / steps);
    return error_of(text, exp(-0.5 * rate * 0.1), pi, 2.0);
}

static void heat_is_of_the_order_in_space_that_was_asked_for(void **state)
{
    double second[3], fourth[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        second[k] = heat_error(16 << k, 200, 2, pi * pi);
        fourth[k] = heat_error(8 << k, 2000, 4, pi * pi);
    }
    assert_order(second, 2.0);
    assert_order(fourth, 4.0);
}

static void heat_is_of_second_order_in_time(void **state)
{
    double error[3], dx = 2.0 / 32, w = symbol(pi, dx);
    (void)state;
    for (int k = 0; k < 3; k++) error[k] = heat_error(32, 4 << k, 4, w + w * w * dx * dx / 12.0);
    assert_order(error, 2.0);
}

/* u = A cos x, A = exp(-t)/2, with the forcing that makes it exact:
 * S = u_t - D (u³ - u - gamma u_xx)_xx,   (u³)_xx = -A³ (3 cos x + 9 cos 3x)/4. */
static double cahn_hilliard_error(int n, int steps, double end)
{
    char text[800];
    snprintf(text, sizeof text,
             "problem = \"cahn_hilliard\"; grid = { n = %d; length = \"2*pi\"; };\n"
             "physics = { D = 0.8; gamma = 0.3; };\n"
             "time = { dt = %.17g; end = %.17g; }; initial = \"cos(x)/2\";\n"
             "forcing = \"-exp(-t)/2*cos(x) + D*((exp(-t)/2)^3*(3*cos(x) + 9*cos(3*x))/4"
             " + (gamma - 1)*exp(-t)/2*cos(x))\";",
             n, end / steps, end);
    return error_of(text, exp(-end) / 2.0, 1.0, 2.0 * pi);
}

static void cahn_hilliard_is_of_first_order_in_time(void **state)
{
    double error[3];
    (void)state;
    for (int k = 0; k < 3; k++) error[k] = cahn_hilliard_error(256, 20 << k, 1.0);
    assert_order(error, 1.0);
}

static void cahn_hilliard_is_of_second_order_in_space(void **state)
{
    double error[3];
    (void)state;
    for (int k = 0; k < 3; k++) error[k] = cahn_hilliard_error(32 << k, 20000, 0.5);
    assert_order(error, 2.0);
}

/* u = A cos 2x, A = exp(-t)/2, with the forcing that makes it exact: (1 + d_xx)² u = 9 u. */
static double swift_hohenberg_error(const char *scheme, int n, int steps, double end)
{
    char text[800];
    snprintf(text, sizeof text,
             "problem = \"swift_hohenberg\"; grid = { n = %d; length = \"2*pi\"; };\n"
             "physics = { r = 0.3; };\n"
             "time = { dt = %.17g; end = %.17g; }; method = \"%s\"; initial = \"cos(2*x)/2\";\n"
             "forcing = \"(8 - r)*exp(-t)/2*cos(2*x) + (exp(-t)/2*cos(2*x))^3\";",
             n, end / steps, end, scheme);
    return error_of(text, exp(-end) / 2.0, 2.0, 2.0 * pi);
}

/* u = A cos x, A = exp(-t)/2, likewise. */
static double allen_cahn_error(const char *scheme, int n, int steps, double end)
{
    char text[800];
    snprintf(text, sizeof text,
             "problem = \"allen_cahn\"; grid = { n = %d; length = \"2*pi\"; };\n"
             "physics = { gamma = 0.3; };\n"
             "time = { dt = %.17g; end = %.17g; }; method = \"%s\"; initial = \"cos(x)/2\";\n"
             "forcing = \"(gamma - 2)*exp(-t)/2*cos(x) + (exp(-t)/2*cos(x))^3\";",
             n, end / steps, end, scheme);
    return error_of(text, exp(-end) / 2.0, 1.0, 2.0 * pi);
}

typedef double error_function(const char *scheme, int n, int steps, double end);
static error_function *const with_source[] = {swift_hohenberg_error, allen_cahn_error};
static const char *const schemes[] = {"imex1", "crank_nicolson"};

static void a_source_is_of_first_order_in_time_with_either_scheme(void **state)
{
    double error[3];
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < 2; s++) {
            for (int k = 0; k < 3; k++) error[k] = with_source[p](schemes[s], 512, 40 << k, 1.0);
            assert_order(error, 1.0);
        }
}

/* On one grid, against 16384 steps of imex3, whose error is 1e-4 of the least below. */
static const char *const forced[] = {
    "problem = \"cahn_hilliard\"; grid = { n = 16; length = \"4*pi\"; }; physics = { D = 0.8; gamma = 0.5; };\n"
    "initial = \"0.1 + 0.3*cos(x) + 0.2*sin(3*x/2)\"; forcing = \"0.2*cos(x - 3*t)\";\n",
    "problem = \"swift_hohenberg\"; grid = { n = 16; length = \"4*pi\"; }; physics = { r = 0.4; };\n"
    "initial = \"0.1 + 0.3*cos(x) + 0.2*sin(3*x/2)\"; forcing = \"0.2*cos(x - 3*t)\";\n",
    "problem = \"allen_cahn\"; grid = { n = 16; length = \"4*pi\"; }; physics = { gamma = 0.5; };\n"
    "initial = \"0.1 + 0.3*cos(x) + 0.2*sin(3*x/2)\"; forcing = \"0.2*cos(x - 3*t)\";\n",
    "problem = \"heat\"; grid = { n = 16; length = \"4*pi\"; }; physics = { kappa = 0.5; };\n"
    "initial = \"0.1 + 0.3*cos(x) + 0.2*sin(3*x/2)\"; forcing = \"0.2*cos(x - 3*t) - u^3\";\n",
    "problem = \"hyperdiffusion\"; grid = { n = 16; length = \"4*pi\"; }; physics = { gamma = 0.5; D = 0.7; };\n"
    "initial = \"0.1 + 0.3*cos(x) + 0.2*sin(3*x/2)\"; forcing = \"0.2*cos(x - 3*t) - u^3\";\n",
};
enum { FORCED = sizeof forced / sizeof *forced };

static double *forced_state(const char *text, const char *time, int *n)
{
    char all[800];
    snprintf(all, sizeof all, "%s%s", text, time);
    return final_state(all, n);
}

static double forced_error(const char *text, const char *method, int steps, const double *exact)
{
    char time[200];
    int n;
    snprintf(time, sizeof time, "method = \"%s\"; time = { dt = \"1.0/%d\"; end = 1.0; };", method, steps);
    double *u = forced_state(text, time, &n), largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(u[i] - exact[i]));
    sw_free(u);
    return largest;
}

static void each_method_has_its_order_in_time(void **state)
{
    static const char *const method[] = {"imex1", "imex2", "imex3"};
    (void)state;
    for (int p = 0; p < (small_suite() ? 1 : FORCED); p++) {
        int n;
        static const char finest[] = "method = \"imex3\"; time = { dt = \"1.0/16384\"; end = 1.0; };";
        double error[3], *exact = forced_state(forced[p], finest, &n);
        for (int m = 0; m < 3; m++) {
            for (int k = 0; k < 3; k++) error[k] = forced_error(forced[p], method[m], 128 << k, exact);
            assert_order(error, m + 1.0);
        }
        sw_free(exact);
    }
}

static void a_source_leaves_the_order_in_space(void **state)
{
    double error[3];
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < (small_suite() ? 1 : 2); s++) {
            for (int k = 0; k < 3; k++) error[k] = with_source[p](schemes[s], 24 << k, 40000, 0.5);
            assert_order(error, 2.0);
        }
}

/* ---- against a spectral solution */

/* u_t = L u - u³ on [0, 4 pi) in N points: a pseudo-spectral method with integrating factors and the classical
 * Runge-Kutta method, by discrete Fourier transforms written out. The wave numbers are k/2; those beyond MOST/2 are
 * left out. */
enum { N = 96, HALF = N / 2, MOST = N / 3 };
struct spectrum { double re[HALF + 1], im[HALF + 1]; };

static struct spectrum transform(const double *u)
{
    struct spectrum s = {{0}, {0}};
    for (int k = 0; k <= HALF; k++)
        for (int i = 0; i < N; i++) {
            s.re[k] += u[i] * cos(2.0 * pi * k * i / N) / N;
            s.im[k] -= u[i] * sin(2.0 * pi * k * i / N) / N;
        }
    return s;
}

static void transform_back(const struct spectrum *s, double *u)
{
    for (int i = 0; i < N; i++) {
        u[i] = s->re[0] + s->re[HALF] * cos(pi * i);
        for (int k = 1; k < HALF; k++)
            u[i] += 2.0 * (s->re[k] * cos(2.0 * pi * k * i / N) - s->im[k] * sin(2.0 * pi * k * i / N));
    }
}

/* d/dt (exp(-L t) û) = -exp(-L t) (u³)^; `gain` is exp(L t). */
static struct spectrum rate_of(const struct spectrum *v, const double *gain)
{
    double u[N];
    struct spectrum s = *v;
    for (int k = 0; k <= HALF; k++) {
        s.re[k] *= gain[k];
        s.im[k] *= gain[k];
    }
    transform_back(&s, u);
    for (int i = 0; i < N; i++) u[i] = -u[i] * u[i] * u[i];
    s = transform(u);
    for (int k = 0; k <= HALF; k++) {
        s.re[k] = k <= MOST ? s.re[k] / gain[k] : 0.0;
        s.im[k] = k <= MOST ? s.im[k] / gain[k] : 0.0;
    }
    return s;
}

static struct spectrum add(struct spectrum s, double factor, const struct spectrum *rate)
{
    for (int k = 0; k <= HALF; k++) {
        s.re[k] += factor * rate->re[k];
        s.im[k] += factor * rate->im[k];
    }
    return s;
}

/* Time begins at 0 again in each step, so that no gain is too small. */
static void spectral_solution(double (*symbol_of)(double k), double end, double *u)
{
    enum { STEPS = 200 };
    const double dt = end / STEPS;
    double gain[3][HALF + 1];
    struct spectrum v = transform(u);
    for (int k = 0; k <= HALF; k++)
        for (int s = 0; s < 3; s++) gain[s][k] = exp(symbol_of(k / 2.0) * dt * s / 2.0);
    for (int step = 0; step < STEPS; step++) {
        struct spectrum at, rate[4];
        rate[0] = rate_of(&v, gain[0]);
        at = add(v, dt / 2, &rate[0]);
        rate[1] = rate_of(&at, gain[1]);
        at = add(v, dt / 2, &rate[1]);
        rate[2] = rate_of(&at, gain[1]);
        at = add(v, dt, &rate[2]);
        rate[3] = rate_of(&at, gain[2]);
        for (int r = 0; r < 4; r++) v = add(v, dt * (r == 0 || r == 3 ? 1 : 2) / 6, &rate[r]);
        for (int k = 0; k <= HALF; k++) {
            v.re[k] *= gain[2][k];
            v.im[k] *= gain[2][k];
        }
    }
    transform_back(&v, u);
}

static double swift_hohenberg_symbol(double k) { return 0.4 - (1 - k * k) * (1 - k * k); }
static double allen_cahn_symbol(double k) { return 1 - 0.2 * k * k; }

static const struct {
    const char *problem, *physics;
    double (*symbol_of)(double k);
} kinds[] = {
    {"swift_hohenberg", "r = 0.4;", swift_hohenberg_symbol},
    {"allen_cahn", "gamma = 0.2;", allen_cahn_symbol},
};

static double spectral_error(int kind, const char *scheme, int refine, const double *exact)
{
    char text[800];
    int n, steps = 400 * refine * refine;
    snprintf(text, sizeof text,
             "problem = \"%s\"; grid = { n = %d; length = \"4*pi\"; }; physics = { %s };\n"
             "time = { dt = %.17g; end = 2.0; }; method = \"%s\";\n"
             "initial = \"0.1 + 0.3*cos(x) + 0.2*sin(3*x/2)\";", kinds[kind].problem, N * refine, kinds[kind].physics,
             2.0 / steps, scheme);
    double *u = final_state(text, &n), largest = 0.0;
    for (int i = 0; i < N; i++) largest = fmax(largest, fabs(u[i * refine] - exact[i]));
    sw_free(u);
    return largest;
}

static void comes_to_the_spectral_solution(void **state)
{
    double exact[N], error[3];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < N; i++) {
            const double x = 4.0 * pi * i / N;
            exact[i] = 0.1 + 0.3 * cos(x) + 0.2 * sin(3 * x / 2);
        }
        spectral_solution(kinds[kind].symbol_of, 2.0, exact);
        for (int s = 0; s < 2; s++) {
            for (int k = 0; k < 3; k++) error[k] = spectral_error(kind, schemes[s], 1 << k, exact);
            assert_order(error, 2.0);
            assert_true(error[2] < 1e-3);
        }
    }
}

/* ---- energy */

static void gradient_flows_never_gain_energy(void **state)
{
    char text[800];
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int s = 0; s < 2; s++) {
            const void *field;
            const double *scalars;
            double last = INFINITY;
            snprintf(text, sizeof text,
                     "problem = \"%s\"; grid = { n = 128; length = \"8*pi\"; }; physics = { %s };\n"
                     "time = { dt = 0.05; end = 20.0; }; method = \"%s\"; initial = \"0.5*randn(1)\";",
                     kinds[kind].problem, kinds[kind].physics, schemes[s]);
            struct job w = open_job(text);
            assert_ok(sw_sim_initial(w.sim));
            for (int step = 0; step <= 400; step += 10) {
                if (step) assert_ok(w.sim->ops->advance(w.sim, step - 10, step));
                assert_ok(sw_sim_snapshot(w.sim, 0, SW_SNAPSHOT_SCALARS));
                assert_ok(w.sim->ops->fetch(w.sim, 0, &field, &scalars));
                if (!(scalars[SW_ENERGY] < last))
                    fail_msg("%s, step %d: energy %.17g after %.17g", text, step, scalars[SW_ENERGY], last);
                last = scalars[SW_ENERGY];
            }
            close_job(&w);
        }
}

/* ---- what a batch reports */

static void measures_the_free_energy_with_the_parameters_of_each_run(void **state)
{
    struct job w = open_job("problem = \"cahn_hilliard\"; sweep = { g = [0.5, 2.0]; D = [3.0, 5.0]; };\n"
                            "grid = { n = 64; length = \"2*pi\"; x0 = 1.0; };\n"
                            "physics = { D = \"D\"; gamma = \"g\"; };\n"
                            "time = { dt = 0.01; end = 0.1; }; initial = \"sin(x)\";");
    const void *field;
    const double *scalars;
    double slope = sin(2.0 * pi / 64) / (2.0 * pi / 64);  /* of the central difference of sin x, against cos x */
    (void)state;
    assert_string_equal(w.sim->ops->solver_name(w.sim), "cpu.simd");
    assert_ok(sw_sim_initial(w.sim));
    assert_ok(sw_sim_snapshot(w.sim, 0, SW_SNAPSHOT_FIELD | SW_SNAPSHOT_SCALARS));
    assert_ok(w.sim->ops->fetch(w.sim, 0, &field, &scalars));
    assert_near(((const double *)field)[0], sin(1.0), 1e-15);
    for (int j = 0; j < 4; j++, scalars += SW_LINE_SCALARS) {
        double gamma = j < 2 ? 0.5 : 2.0;
        /* mean of (sin² - 1)²/4 = 3/32, of cos²/2 = 1/4 */
        assert_near(scalars[SW_ENERGY], 2.0 * pi * (3.0 / 32.0 + gamma * slope * slope / 4.0), 1e-13);
        assert_near(scalars[SW_MASS], 0.0, 1e-14);
        assert_near(scalars[SW_DOMAIN_LENGTH], 2.0 * pi, 1e-12);
    }
    close_job(&w);
}

static void remarks_on_a_force_that_depends_on_u(void **state)
{
    static const struct { const char *problem, *forcing, *remark; } cases[] = {
        {"hyperdiffusion", "x*t", ""}, {"hyperdiffusion", "-u", "forcing depends on u: first order in time"},
        {"cahn_hilliard", "-u", ""}, {"allen_cahn", "-u", ""},
    };
    char text[600];
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct sw_text remark = SW_SHORT_TEXT;
        snprintf(text, sizeof text,
                 "problem = \"%s\"; grid = { n = 16; length = 1.0; }; physics = { gamma = 1.0; %s };\n"
                 "time = { dt = 0.1; end = 1.0; }; initial = \"x\"; forcing = \"%s\";",
                 cases[k].problem, k < 3 ? "D = 1.0;" : "", cases[k].forcing);
        struct job w = open_job(text);
        w.made.sweep->problem->advice->warn_setup(&w.setup, &remark);
        assert_string_equal(remark.data, cases[k].remark);
        close_job(&w);
    }
}

static void knows_what_a_run_needs_and_refuses_unknown_solvers(void **state)
{
    struct job w = open_job("problem = \"heat\"; grid = { n = 1000; length = 1.0; }; physics = { kappa = 1.0; };\n"
                            "time = { dt = 0.1; end = 1.0; }; initial = \"x\";");
    const struct sw_problem *p = w.made.sweep->problem;
    struct sw_sim *sim = w.sim;
    struct sw_batch_bytes bytes = {0};
    (void)state;
    assert_ok(p->bytes(&w.setup, w.device, &bytes));
    assert_true(bytes.per_run > 1000 * 2 * sizeof(double) && bytes.per_run < 1000 * 50 * sizeof(double));
    w.setup.solver = "cpu.plain";
    w.setup.solver = "cpu.magic";
    assert_int_equal(p->bytes(&w.setup, w.device, &bytes), SW_E_CONFIG);
    assert_int_equal(p->create(&w.setup, w.device, &sim), SW_E_CONFIG);
    assert_contains(sw_err_message(), "stepper cpu.magic: there is no such row; fit here: cpu.");
    assert_null(sim);
    close_job(&w);
}

/* ---- the rows of the table */

static void refuses(const char *text, const char *message)
{
    struct made m;
    char *errors = try_text(text, NULL, 0, &m);
    assert_null(m.sweep);
    assert_contains(errors, message);
    sw_free(errors);
    unmake(&m);
}

static void refuses_keys_out_of_range(void **state)
{
    (void)state;
    refuses("problem = \"heat\"; order = 3; grid = { n = 16; length = 1.0; }; physics = { kappa = 1.0; };\n"
            "time = { dt = 0.1; end = 1.0; }; initial = \"x\";",
            "ch.cfg:1: error: 'order' = 3: must be a multiple of 2");
    refuses("problem = \"heat\"; grid = { n = 16; length = 1.0; }; physics = { kappa = 0.0; };\n"
            "time = { dt = 0.1; end = 1.0; }; initial = \"x\";",
            "ch.cfg:1: error: 'physics.kappa' = 0: must be greater than 0");
    refuses("problem = \"heat\"; grid = { n = 4; length = 1.0; }; physics = { kappa = 1.0; };\n"
            "time = { dt = 0.1; end = 1.0; }; initial = \"x\";",
            "'grid.n' = 4: the stencil of heat needs at least 5 points");
    refuses("problem = \"hyperdiffusion\"; grid = { n = 16; length = 1.0; }; physics = { gamma = -1.0; D = 1.0; };\n"
            "time = { dt = 0.1; end = 1.0; }; initial = \"x\";", "'physics.gamma' = -1: must be greater than 0");
    refuses("problem = \"cahn_hilliard\"; grid = { n = 16; length = 1.0; }; physics = { gamma = 1.0; D = 1.0; };\n"
            "time = { dt = 0.1; end = 1.0; };", "'initial' is missing");
    refuses("problem = \"cahn_hilliard\"; grid = { n = 16; length = 1.0; }; physics = { gamma = 1.0; D = 1.0; };\n"
            "time = { dt = 0.1; end = 1.0; }; initial = \"t*x\";", "'initial', column 1: unknown name 't'");
}

static void every_row_is_whole(void **state)
{
    (void)state;
    for (int k = 0; sw_problem_table[k]; k++) {
        const struct sw_problem *p = sw_problem_table[k];
        assert_ptr_equal(sw_problem_find(p->name), p);
        assert_true(p->title[0] && p->equation[0] && p->shape->min_points >= 1);
        assert_true(p->fields[0].name && (!p->scalars || p->scalars[0].name));
        assert_true(p->bytes && p->create);
        for (const struct sw_key *key = p->keys; key->path; key++) {
            size_t length = strlen(key->about);
            assert_true(length > 1 && key->about[length - 1] == '.');
            assert_true(key->about[0] >= 'A' && key->about[0] <= 'Z');
            /* a file decides by its content; a key beside it that does not decide only says what to refuse of it; names
             * of unknowns decide in the expressions that name them */
            assert_true(key->decides || key->kind == SW_KEY_UNKNOWNS ||
                        (p->files && p->files->content && (key->kind == SW_KEY_TEXT || key->with)));
            if (key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT) assert_non_null(key->unit);
            if (key->kind == SW_KEY_FUNCTION && key->symbols)
                assert_true(key->symbols & (SW_USES_X | SW_USES_T | SW_USES_TERMS));
        }
    }
    assert_null(sw_problem_find("navier_stokes"));
}

/* How many groups it has. */
static int run_example(const struct sw_problem *problem, int g)
{
    struct job w = open_group(problem->example, g);
    int64_t step[100];
    const int groups = w.ngroup;
    assert_ptr_equal(w.made.sweep->problem, problem);
    assert_true(w.made.sweep->nruns > 1 && w.count <= 100);
    if (problem->time) assert_true(w.made.sweep->save_fields && w.made.sweep->save_scalars);
    for (int j = 0; j < w.count; j++) assert_null(w.load_error[j]);
    assert_ok(sw_sim_initial(w.sim));
    assert_ok(w.sim->ops->advance(w.sim, 0, w.group[g].steps < 10 ? w.group[g].steps : 10));
    assert_ok(w.sim->ops->diverged(w.sim, step));
    for (int j = 0; j < w.count; j++) assert_int_equal(step[j], -1);
    close_job(&w);
    return groups;
}

static void every_example_is_a_valid_config_and_runs(void **state)
{
    (void)state;
    for (int k = 0; sw_problem_table[k]; k++)
        for (int g = 0, groups = 1; g < groups; g++) groups = run_example(sw_problem_table[k], g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hyperdiffusion_is_of_second_order_in_space),
        cmocka_unit_test(hyperdiffusion_is_of_second_order_in_time),
        cmocka_unit_test(heat_is_of_the_order_in_space_that_was_asked_for),
        cmocka_unit_test(heat_is_of_second_order_in_time),
        cmocka_unit_test(cahn_hilliard_is_of_first_order_in_time),
        cmocka_unit_test(cahn_hilliard_is_of_second_order_in_space),
        cmocka_unit_test(a_source_is_of_first_order_in_time_with_either_scheme),
        cmocka_unit_test(each_method_has_its_order_in_time),
        cmocka_unit_test(a_source_leaves_the_order_in_space),
        cmocka_unit_test(comes_to_the_spectral_solution),
        cmocka_unit_test(gradient_flows_never_gain_energy),
        cmocka_unit_test(measures_the_free_energy_with_the_parameters_of_each_run),
        cmocka_unit_test(remarks_on_a_force_that_depends_on_u),
        cmocka_unit_test(knows_what_a_run_needs_and_refuses_unknown_solvers),
        cmocka_unit_test(refuses_keys_out_of_range),
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(every_example_is_a_valid_config_and_runs),
    };
    return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
