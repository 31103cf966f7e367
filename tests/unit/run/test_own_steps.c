/* Steps of a run's own: their errors are within the tolerance, they land on output times, and nothing of them depends
 * on the batch, on the number of threads, or on where they were interrupted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "job_helpers.h"
#include "problem/line/stepper/own_steps_point.h"
#include "problem/line/stepper/sw_stepper_impl.h"

#define ROW_OPS sw_stepper_ops
#include "row_helpers.h"

#define LINE " grid = { n = 32; length = \"4*pi\"; };\n"
#define START "initial = \"0.1 + 0.3*cos(x) + 0.2*sin(3*x/2)\";\n"

static const char *const kinds[] = {
    "problem = \"cahn_hilliard\";" LINE "physics = { D = 0.8; gamma = 0.5; };\n" START
    "forcing = \"0.2*cos(x - 3*t)\";\n",
    "problem = \"swift_hohenberg\";" LINE "physics = { r = 0.4; };\n" START,
    "problem = \"equation\"; unknowns = [\"u\", \"v\"];" LINE
    "rhs = { u = \"0.2*dxx(u) - u*v^2 + 0.05*(1 - u)\"; v = \"0.1*dxx(v) + u*v^2 - 0.11*v + 0.1*dx(v^2)\"; };\n"
    "initial = { u = \"1 - 0.3*cos(x)\"; v = \"0.4 + 0.2*cos(x/2)\"; };\n",
    "problem = \"equation\"; grid = { n = 37; length = \"4*pi\"; };\n"
    "rhs = \"0.1*dxx(u) - 0.05*dxxx(u) - 0.4*dx(u) - 0.3*u - 0.5*u*dx(u) + 0.2*sin(x - t)\";\n" START,
    "problem = \"cahn_hilliard\"; order = 4; grid = { n = 37; length = \"4*pi\"; };\n"
    "physics = { D = 0.8; gamma = 0.5; };\n" START "forcing = \"0.2*cos(x - 3*t)\";\n",
    "problem = \"equation\";" LINE
    "rhs = \"0.3*dxx(u) - 0.01*dxxxx(u) + u - u^3 + dxx(0.1*u^2)\";\n"
    "left = { dirichlet = \"0.1 + 0.2*sin(2*t)\"; }; right = { neumann = 0.0; };\n"
    "initial = \"0.1 + 0.3*sin(x/8)^2\";\n",
    "problem = \"equation\"; unknowns = [\"u\", \"v\"]; grid = { n = 37; length = \"4*pi\"; };\n"
    "rhs = { u = \"0.2*dxx(u) - u*v^2 + 0.05*(t > 0.7)*(1 - u)\";\n"
    "        v = \"0.1*dxx(v) + dxx((t > 1.3)*0.05*v^2) + u*v^2 - 0.1*(x < 2 + 3*t)*v\"; };\n"
    "initial = { u = \"1 - 0.3*cos(x)\"; v = \"0.4 + 0.2*cos(x/2)\"; };\n",
};
/* Ends that move limit the order of imex3, and fixed steps do not find jumps: of the last two errors are not in
 * proportion to the tolerance, or not known. */
enum { KINDS = sizeof kinds / sizeof *kinds, PROPORTIONATE = KINDS - 2 };

static const char *const methods[] = {"imex2", "imex3"};

/* ------------------------------------------------------------------ helpers */

/* A config for a row: the reference, or that under test. */
static struct job open_for(const char *name, const char *text)
{
    char whole[1400];
    int64_t count, *run = NULL;
    const struct sw_selection all = {0};
    const bool elsewhere = under_test->space == SW_DEVICE && !strcmp(name, under_test->name);
    snprintf(whole, sizeof whole, "stepper = \"%s\"; %s", name, text);
    const struct made made = make_text(whole, NULL, 0);
    assert_ok(sw_sweep_select(made.sweep, &all, &run, &count));
    struct job w = load_runs(made, run, count, elsewhere ? device : NULL);
    sw_free(run);
    return w;
}

static double *state_by(const char *name, const char *kind, const char *rest, int *n)
{
    char text[1400];
    snprintf(text, sizeof text, "%s%s", kind, rest);
    return finish_job(open_for(name, text), n);
}

static struct sw_own_steps *steps_of(struct job *w)
{
    struct sw_own_steps *steps;
    const size_t count = (size_t)w->group->count;
    assert_int_equal(w->sim->ops->records->numbers, SW_OWN_STEPS_NUMBERS);
    assert_ok(sw_alloc(count, &steps));
    assert_ok(w->sim->ops->records->get(w->sim, (double *)steps));
    return steps;
}

static double *states_of(struct job *w)
{
    double *u;
    assert_ok(sw_alloc((size_t)w->group->count * sw_sim_state_size(w->sim), &u));
    assert_ok(sw_sim_get_state(w->sim, u));
    return u;
}

static double difference(size_t n, const double *a, const double *b)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* ------------------------------------------------------------------ errors */

static double *first_output(const char *kind, const char *rest)
{
    char text[1400];
    snprintf(text, sizeof text, "%s%s", kind, rest);
    struct job w = open_for(under_test->name, text);
    assert_ok(sw_sim_initial(w.sim));
    assert_ok(w.sim->ops->advance(w.sim, 0, SW_TICKS));
    double *u = states_of(&w);
    close_job(&w);
    return u;
}

/* Against 16384 steps of imex3 on the same points, in the first 1/32 of a run: a whole one has no such few steps.
 * Measured: the error at t = 2 is 0.03 to 1 of the tolerance, and from the first to the last of four decades it falls
 * by 0.8e4 to 1.2e4; but with imex3 in the last kind by 0.08e4, as loose tolerances have few steps there. */
static void errors_are_in_proportion_to_the_tolerance(void **state)
{
    (void)state;
    need_row();
    for (int p = 0; p < (small_suite() ? 1 : PROPORTIONATE); p++) {
        int n;
        double *exact = state_by("cpu.simd", kinds[p], "method = \"imex3\"; time = { dt = \"2.0/16384\"; end = 2.0; };",
                                 &n);
        for (int m = 0; m < 2; m++) {
            double error[5];
            for (int k = 0; k < 5; k++) {
                char rest[160];
                snprintf(rest, sizeof rest, "method = \"%s\"; time = { tolerance = %g; end = 64.0; };"
                         "output = { fields = { times = [2.0]; }; };", methods[m],
                         1e-3 * pow(10, -k));
                double *u = first_output(kinds[p], rest);
                error[k] = difference((size_t)n, u, exact);
                sw_free(u);
            }
            for (int k = 0; k < 5; k++)
                if (!(error[k] < 3 * 1e-3 * pow(10, -k)))
                    fail_msg("kind %d, %s, tolerance 1e-%d: error %.3g", p, methods[m], 3 + k, error[k]);
            if (!(error[0] / error[4] > 5e2 && error[0] / error[4] < 3e4))
                fail_msg("kind %d, %s: errors %.3g to %.3g", p, methods[m], error[0], error[4]);
        }
        sw_free(exact);
    }
}

/* ------------------------------------------------------------------ the same bits */

#define SWEPT "sweep = { tol = [1e-4, 1e-6, 3e-3]; };\n"
#define TIMES "time = { tolerance = \"tol\"; end = 2.0; }; method = \"imex2\";\n" \
              "output = { fields = { times = [0.3, 1.1, 2.0]; }; };\n"

/* Advance to each of some ticks, and go through a checkpoint at each where asked for. */
static struct job advance_by(const char *text, int ticks, bool store)
{
    struct job w = open_for(under_test->name, text);
    const size_t count = (size_t)w.group->count;
    assert_ok(sw_sim_initial(w.sim));
    for (int64_t at = 0, to; at < w.group->steps; at = to) {
        to = at + ticks < w.group->steps ? at + ticks : w.group->steps;
        assert_ok(w.sim->ops->advance(w.sim, at, to));
        if (!store) continue;
        struct sw_own_steps *steps = steps_of(&w);
        double *u = states_of(&w);
        assert_ok(w.sim->ops->load(w.sim, (int)count, w.column, w.load_error));
        assert_ok(sw_sim_set_state(w.sim, u));
        assert_ok(w.sim->ops->records->set(w.sim, (const double *)steps));
        sw_free(steps);
        sw_free(u);
    }
    return w;
}

static void assert_same(struct job *a, int ja, struct job *b, int jb, const char *what)
{
    const size_t n = sw_sim_state_size(a->sim);
    double *ua = states_of(a), *ub = states_of(b);
    struct sw_own_steps *sa = steps_of(a), *sb = steps_of(b);
    if (memcmp(ua + (size_t)ja * n, ub + (size_t)jb * n, n * sizeof *ua)) fail_msg("%s: other bits", what);
    if (memcmp(sa + ja, sb + jb, sizeof *sa))
        fail_msg("%s: %g steps and %g refused, not %g and %g", what, sa[ja].taken, sa[ja].refused, sb[jb].taken,
                 sb[jb].refused);
    sw_free(ua);
    sw_free(ub);
    sw_free(sa);
    sw_free(sb);
}

static void a_run_has_the_same_bits_wherever_it_is_interrupted(void **state)
{
    static const int ticks[] = {1, 7, 100, 1024, 1500};
    (void)state;
    need_row();
    for (int p = 0; p < KINDS; p += small_suite() ? 2 : 1) {
        char text[1200];
        snprintf(text, sizeof text, "%s" SWEPT TIMES, kinds[p]);
        struct job whole = advance_by(text, 1 << 30, false);
        assert_int_equal(whole.group->steps, 3 * SW_TICKS);
        for (int k = small_suite() ? 2 : 0; k < 5; k += small_suite() ? 2 : 1)  /* one tick: 3000 calls */
            for (int store = 0; store < 2; store++) {
                struct job parts = advance_by(text, ticks[k], store);
                for (int j = 0; j < 3; j++) assert_same(&whole, j, &parts, j, "interrupted");
                close_job(&parts);
            }
        close_job(&whole);
    }
}

static void a_run_has_the_same_bits_alone(void **state)
{
    static const char *const tolerance[] = {"1e-4", "1e-6", "3e-3"};
    (void)state;
    need_row();
    for (int p = small_suite(); p < KINDS; p += small_suite() ? 2 : 1) {  /* the other kinds */
        char text[1200], one[1200];
        snprintf(text, sizeof text, "%s" SWEPT TIMES, kinds[p]);
        struct job all = advance_by(text, 1 << 30, false);
        for (int j = 0; j < 3; j++) {
            snprintf(one, sizeof one, "%s sweep = { tol = [%s]; };\n" TIMES, kinds[p], tolerance[j]);
            struct job alone = advance_by(one, 1 << 30, false);
            assert_same(&all, j, &alone, 0, "alone");
            close_job(&alone);
        }
        close_job(&all);
    }
}

static void advance_on(struct sw_device *where, const char *text, double **u, struct sw_own_steps **steps)
{
    struct job w = open_for(under_test->name, text);
    w.sim->ops->destroy(w.sim);
    assert_ok(w.made.sweep->problem->create(&w.setup, where, &w.sim));
    assert_ok(w.sim->ops->load(w.sim, (int)w.group->count, w.column, w.load_error));
    assert_ok(sw_sim_initial(w.sim));
    assert_ok(w.sim->ops->advance(w.sim, 0, w.group->steps));
    *u = states_of(&w);
    *steps = steps_of(&w);
    close_job(&w);
}

/* Runs that end at very different times, and more of them than there are lanes. */
static void a_run_has_the_same_bits_in_a_large_batch(void **state)
{
    enum { RUNS = 53 };
    static const int chosen[] = {0, 9, 17, 40, 52};
    (void)state;
    need_row();
    for (int p = 0; p < KINDS; p += small_suite() ? 3 : 1) {
        char text[1200], one[1200];
        snprintf(text, sizeof text, "%s" "sweep = { tol = \"logspace(1e-2, 1e-7, 53)\"; };\n" TIMES, kinds[p]);
        struct job all = advance_by(text, 700, false);
        const double *tolerance = all.column + sw_setup_column(&all.setup, "time.tolerance") * RUNS;
        struct sw_own_steps *steps = steps_of(&all);
        assert_true(steps[52].taken > 10 * steps[0].taken);
        for (int k = 0; k < 5; k += small_suite() ? 2 : 1) {
            snprintf(one, sizeof one, "%s sweep = { tol = [%.17g]; };\n" TIMES, kinds[p], tolerance[chosen[k]]);
            struct job alone = advance_by(one, 1 << 30, false);
            assert_same(&all, chosen[k], &alone, 0, "in a batch of 53");
            close_job(&alone);
        }
        sw_free(steps);
        close_job(&all);
    }
}

/* Rounding differs: by it errors of steps, and by these over the tolerance, 1e-10, dt. */
static void compare_with_the_reference(const char *kind, const char *method)
{
    char text[1200];
    snprintf(text, sizeof text, "%s" SWEPT "time = { tolerance = \"tol\"; end = 2.0; }; method = \"%s\";\n", kind,
             method);
    struct job w = advance_by(text, 1 << 30, false), reference = open_for("cpu.plain", text);
    assert_ok(sw_sim_initial(reference.sim));
    assert_ok(reference.sim->ops->advance(reference.sim, 0, reference.group->steps));
    struct sw_own_steps *a = steps_of(&w), *b = steps_of(&reference);
    double *u = states_of(&w), *exact = states_of(&reference);
    const size_t n = sw_sim_state_size(w.sim);
    for (int j = 0; j < 3; j++) {
        const double off = difference(n, u + (size_t)j * n, exact + (size_t)j * n);
        if (a[j].taken == b[j].taken && a[j].refused == b[j].refused && off < 1e-11) continue;
        fail_msg("%s, run %d: %g steps and %g, %g refused and %g, off by %.3g\n%s", method, j, a[j].taken, b[j].taken,
                 a[j].refused, b[j].refused, off, kind);
    }
    sw_free(a), sw_free(b), sw_free(u), sw_free(exact);
    close_job(&w);
    close_job(&reference);
}

static void agrees_with_the_reference(void **state)
{
    (void)state;
    need_row();
    for (int p = 0; p < 2 * KINDS; p++) compare_with_the_reference(kinds[p / 2], methods[p % 2]);
}

/* A line whose ends see each other, one of odd derivatives, and two unknowns. Of each the conditions: a value that
 * moves, a slope that does, and both at rest; the initial value fulfils them, as steps after a jump amplify rounding,
 * and the polynomial that does is as small as u (lanes.h). */
static const struct { const char *text, *condition[4]; } ended[] = {
    {"problem = \"equation\"; grid = { n = 33; length = 2.0; };\n"
     "rhs = \"0.3*dxx(u) - 0.1*dxxxx(u) + u - u^3 + dxx(0.1*u^2) - 0.2*u*dx(u)\"; initial = \"0.1 + 0.2*cos(pi*x)\";\n",
     {"dirichlet = \"0.3 + 0.2*sin(2*t)\"; dxx = \"-0.2*pi^2*cos(t)\";",
      "neumann = \"0.1*sin(3*t)\"; dxxx = \"0.2*t\";", "dirichlet = 0.3; dxx = \"-0.2*pi^2\";", "neumann = 0.0;"}},
    {"problem = \"equation\"; grid = { n = 101; length = 30.0; };\n"
     "rhs = \"0.2*dxx(u) - 0.05*dxxx(u) - 0.4*dx(u) - 0.05*dxxxx(u) + 0.1*u^2\"; initial = \"0.2*cos(pi*x/15)\";\n",
     {"dirichlet = \"0.2*cos(t)\"; dxx = \"-0.2*(pi/15)^2\";", "neumann = \"0.03*sin(t)\"; dxxx = \"1e-4*t\";",
      "dirichlet = 0.2; dxx = \"-0.2*(pi/15)^2\";", "neumann = 0.0;"}},
    {"problem = \"equation\"; unknowns = [\"u\", \"v\"]; grid = { n = 64; length = 3.0; };\n"
     "rhs = { u = \"0.2*dxx(u) - 0.01*dxxxx(u) - u*v^2 + 0.05*(1 - u)\"; v = \"0.1*dxx(v) + u*v^2 - 0.11*v\"; };\n"
     "initial = { u = \"1 - 0.3*cos(2*pi*x/3)\"; v = \"0.4 + 0.2*cos(2*pi*x/3)\"; };\n",
     {"dirichlet = { u = \"0.7 + 0.1*sin(t)\"; v = 0.6; }; dxx = { u = \"0.3*(2*pi/3)^2*cos(t)\"; };",
      "neumann = { u = \"0.1*sin(t)\"; v = \"0.1*sin(2*t)\"; };",
      "dirichlet = { u = 0.7; }; dxx = { u = \"0.3*(2*pi/3)^2\"; }; neumann = { v = 0.0; };",
      "neumann = { u = 0.0; v = 0.0; };"}},
};

static void compare_whatever_the_ends_are(const char *method)
{
    enum { EQUATIONS = sizeof ended / sizeof *ended, ENDS = 9 };
    static const int pairs[ENDS][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}, {-1, -1}};
    need_row();
    for (int k = 0; k < EQUATIONS * ENDS; k++) {
        char text[1000];
        const int *pair = pairs[k % ENDS];
        const char *const *condition = ended[k / ENDS].condition;
        if (small_suite() && k % 5 > 0) continue;
        if (pair[0] < 0) snprintf(text, sizeof text, "%sboundary = \"no_flux\";\n", ended[k / ENDS].text);
        else snprintf(text, sizeof text, "%sleft = { %s }; right = { %s };\n", ended[k / ENDS].text, condition[pair[0]],
                      condition[pair[1]]);
        compare_with_the_reference(text, method);
    }
}

/* A test each, as a GPU compiles a kernel for each comparison, and two processes do that side by side. */
static void imex2_agrees_with_the_reference_whatever_the_ends_are(void **state)
{
    (void)state;
    compare_whatever_the_ends_are("imex2");
}

static void imex3_agrees_with_the_reference_whatever_the_ends_are(void **state)
{
    (void)state;
    compare_whatever_the_ends_are("imex3");
}

/* order = 4, with P of derivatives to the fourth order, to the third, and of 1; and two unknowns with two of them. */
static void agrees_with_the_reference_in_fourth_order(void **state)
{
    static const char *const fourth[] = {
        "problem = \"cahn_hilliard\"; order = 4;" LINE "physics = { D = 0.8; gamma = 0.5; };\n" START
        "forcing = \"0.2*cos(x - 3*t)\";\n",
        "problem = \"swift_hohenberg\"; order = 4; grid = { n = 101; length = \"8*pi\"; }; physics = { r = 0.4; };\n"
        START,
        "problem = \"equation\"; order = 4; grid = { n = 37; length = \"4*pi\"; };\n"
        "rhs = \"0.1*dxx(u) - 0.05*dxxx(u) - 0.4*dx(u) - 0.3*u - 0.5*u*dx(u) + dxx(0.05*u^2) + 0.2*sin(x - t)\";\n"
        START,
        "problem = \"equation\"; order = 4; unknowns = [\"u\", \"v\"];" LINE
        "rhs = { u = \"0.2*dxx(u) - 0.02*dxxxx(u) - u*v^2 + 0.05*(1 - u) + 0.1*dxx(v)\";\n"
        "        v = \"0.1*dxx(v) + u*v^2 - 0.11*v + 0.1*dx(v^2)\"; };\n"
        "initial = { u = \"1 - 0.3*cos(x)\"; v = \"0.4 + 0.2*cos(x/2)\"; };\n",
        "problem = \"equation\"; order = 4; unknowns = [\"u\", \"v\"]; grid = { n = 41; length = \"4*pi\"; };\n"
        "rhs = { u = \"0.2*dxx(u) - 0.02*dxxxx(u) + v - u^3\"; v = \"0.1*dxx(v) - 0.1*dxxx(v) - u + u*dx(v)\"; };\n"
        "initial = { u = \"0.3*cos(x)\"; v = \"0.4*cos(x/2)\"; };\n",
    };
    (void)state;
    need_row();
    for (size_t k = 0; k < 2 * sizeof fourth / sizeof *fourth; k++)
        compare_with_the_reference(fourth[k / 2], methods[k % 2]);
}

static void threads_change_no_bits(void **state)
{
    char text[1200];
    double *u[2];
    struct sw_own_steps *steps[2];
    (void)state;
    snprintf(text, sizeof text, "%s" "sweep = { tol = \"logspace(1e-3, 1e-5, 9)\"; };\n" TIMES, kinds[0]);
    for (int k = 0; k < 2; k++) {
        struct sw_device *where;
        assert_ok(sw_device_open("cpu", k ? 4 : 1, &where));
        advance_on(where, text, &u[k], &steps[k]);
        sw_device_close(&where);
    }
    assert_memory_equal(u[0], u[1], 9 * 32 * sizeof(double));
    assert_memory_equal(steps[0], steps[1], 9 * sizeof *steps[0]);
    for (int k = 0; k < 2; k++) sw_free(u[k]), sw_free(steps[k]);
}

/* ------------------------------------------------------------------ where runs are */

/* At each time of an output all runs are there, and u = cos(t) where u_t = -sin(t): to the tolerance. */
static void runs_land_on_output_times(void **state)
{
    (void)state;
    need_row();
    static const double times[] = {0, 1e-5, 0.1, 1.0 / 3.0, 3.0};
    struct job w = open_for(under_test->name, "problem = \"heat\"; grid = { n = 8; length = 1.0; };\n"
                            "physics = { kappa = 1e-3; };\n"
                            "initial = \"1\"; forcing = \"-sin(t)\"; method = \"imex3\";\n"
                            "sweep = { tol = [1e-3, 1e-8]; };\n"
                            "time = { tolerance = \"tol\"; end = 3.0; };\n"
                            "output = { fields = { times = [0.0, 1e-5, 0.1, 3.0]; };\n"
                            "           scalars = { times = (\"1/3\", 0.1); }; };");
    assert_int_equal(w.group->goals, 4);
    for (int k = 0; k < 5; k++) assert_true(w.group->times[k] == times[k]);
    assert_ok(sw_sim_initial(w.sim));
    for (int k = 1; k < 5; k++) {
        assert_ok(w.sim->ops->advance(w.sim, (k - 1) * SW_TICKS, k * SW_TICKS));
        struct sw_own_steps *steps = steps_of(&w);
        double *u = states_of(&w);
        for (int j = 0; j < 2; j++) {
            assert_true(steps[j].left == 0 && steps[j].goal == k);
            assert_near(u[j * 8], cos(times[k]), j ? 1e-8 : 1e-3);
        }
        sw_free(steps);
        sw_free(u);
    }
    close_job(&w);
}

static void a_first_step_that_is_too_long_is_refused(void **state)
{
    char text[1200];
    (void)state;
    need_row();
    snprintf(text, sizeof text, "%s method = \"imex2\"; time = { dt = 1.0; tolerance = 1e-6; end = 1.0; };", kinds[1]);
    struct job w = advance_by(text, 1 << 30, false);
    struct sw_own_steps *steps = steps_of(&w);
    assert_true(steps->refused >= 2);  /* by a tenth each: dt is some 1e-2 */
    assert_true(steps->taken > 10 && steps->least <= steps->largest && steps->largest < 0.1);
    assert_true(steps->error > 0 && steps->error < steps->taken * 1e-6 * 2);  /* |u| is less than 1.5 */
    sw_free(steps);
    close_job(&w);
}

/* ------------------------------------------------------------------ lines at rest */

#define PERIODIC_LINE "problem = \"heat\"; grid = { n = 32; length = 1.0; }; physics = { kappa = 0.1; };\n" \
                      "initial = \"0\"; method = \"imex3\";\n"
#define WALLED_LINE "problem = \"heat\"; grid = { n = 65; length = 1.0; }; physics = { kappa = 1.0; }; order = 2;\n" \
                    "initial = \"0\"; method = \"imex3\"; right = { dirichlet = 0.0; };\n"

/* What is switched on at t = 1, slowly enough for 20000 steps to follow it; and the largest |u| until t = 1.02. */
static const struct { bool walls; double largest; const char *text; } switched[] = {
    {false, 0.017, PERIODIC_LINE "forcing = \"exp(-((t - 1)/0.01)^2)*cos(2*pi*x)\";\n"},
    {false, 0.019, PERIODIC_LINE "forcing = \"0.5*(1 + tanh((t - 1)/0.01))*cos(2*pi*x)\";\n"},
    {true, 1.0, WALLED_LINE "left = { dirichlet = \"exp(-((t - 1)/0.01)^2)\"; };\n"},
    {true, 0.98, WALLED_LINE "left = { dirichlet = \"0.5*(1 + tanh((t - 1)/0.01))\"; };\n"},
    {true, 0.12, WALLED_LINE "left = { neumann = \"exp(-((t - 1)/0.01)^2)\"; };\n"},
};
enum { SWITCHED = sizeof switched / sizeof *switched };

/* Measured at t = 1.02: errors of 0.003 to 0.4 of the tolerance times the largest |u|, and 450 to 2700 steps; relative
 * to u alone there were up to 4e5, or the run failed. */
static void a_line_at_rest_is_switched_on(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < SWITCHED; k += small_suite() ? 2 : 1) {
        int n;
        if (switched[k].walls && !(under_test->takes & SW_LINE_ENDS)) continue;
        double *exact = state_by("cpu.simd", switched[k].text, "time = { dt = 5.1e-5; end = 1.02; };", &n);
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
            char text[1200];
            snprintf(text, sizeof text, "%stime = { tolerance = %g; end = 1.02; };", switched[k].text, tolerance);
            struct job w = advance_by(text, 1 << 30, false);
            struct sw_own_steps *steps = steps_of(&w);
            double *u = states_of(&w);
            const double off = difference((size_t)n, u, exact), size = switched[k].largest;
            if (steps->end || !(off < tolerance * size) || !(steps->taken < 4000) || !(steps->refused < 40))
                fail_msg("%d, tolerance %g: off by %.3g of %.3g, %g steps, %g refused", k, tolerance, off, size,
                         steps->taken, steps->refused);
            sw_free(steps), sw_free(u);
            close_job(&w);
        }
        sw_free(exact);
    }
}

/* A jump at t = 1 + 1/pi, where no step lands. The mean of u is what has come in since then, whatever the differences
 * in space. dt falls as far as it has to, and grows again. Measured: 2.4 of the tolerance and less, as what a step over
 * a jump is off by is of the order of its estimate. */
static void a_jump_is_found_and_left_behind(void **state)
{
    static const double at = 1.3183098861837907, tolerance[] = {1e-3, 1e-6, 1e-9};
    static const char *const jump[] = {
        "forcing = \"t > 1 + 1/pi ? 1 : 0\";",
        "order = 2; left = { neumann = 0.0; }; right = { neumann = \"t > 1 + 1/pi ? 10 : 0\"; };",
    };
    (void)state;
    need_row();
    for (int k = 0; k < 6; k++) {
        char text[1200];
        if (k / 3 && !(under_test->takes & SW_LINE_ENDS)) continue;
        for (int begun = 0; begun < 2; begun++) {  /* at 0, or not */
            snprintf(text, sizeof text, "problem = \"heat\"; grid = { n = 33; length = 1.0; }; method = \"imex3\";"
                     "physics = { kappa = 0.1; }; initial = \"%d\"; %s time = { tolerance = %g; end = 2.0; };", begun,
                     jump[k / 3], tolerance[k % 3]);
            struct job w = advance_by(text, 1 << 30, false);
            struct sw_own_steps *steps = steps_of(&w);
            double *u = states_of(&w), mean = 0;
            for (int i = 0; i < 33; i++) mean += k / 3 ? u[i] / (i % 32 ? 32 : 64) : u[i] / 33;  /* ends count half */
            if (steps->end || !(fabs(mean - begun - (2 - at)) < 4 * tolerance[k % 3] * (1 + begun)))
                fail_msg("%d, from %d: mean off by %.3g, end %g", k, begun, mean - begun - (2 - at), steps->end);
            if (!(steps->least < 1e3 * tolerance[k % 3] && steps->largest > 1e-3 && steps->taken < 6000))
                fail_msg("%d, from %d: dt %.3g to %.3g, %g steps", k, begun, steps->least, steps->largest,
                         steps->taken);
            sw_free(steps), sw_free(u);
            close_job(&w);
        }
    }
}

/* What jumps in t, or nearly so, at s: N of t alone, of x and t, of u and t; G; at ends; where P is not 1. */
static const struct { bool walls; const char *text; } steep[] = {
    {false, "problem = \"equation\"; grid = { n = 16; length = 1.0; }; initial = \"1\";\n"
            "rhs = \"0.01*dxx(u) - u + 0.5*(t > s)\";\n"},
    {false, "problem = \"heat\"; grid = { n = 16; length = 1.0; }; physics = { kappa = 0.01; };\n"
            "initial = \"1 + cos(2*pi*x)\"; forcing = \"(1 + tanh((t - s)*1e6))*sin(2*pi*x)\";\n"},
    {false, "problem = \"equation\"; grid = { n = 16; length = 1.0; }; initial = \"1\";\n"
            "rhs = \"0.01*dxx(u) - u + (abs(x - s + 0.7 - 0.2*t) < 0.2)*dx(u^2) + (x < s - 0.7 + 0.2*t)\";\n"},
    {false, "problem = \"equation\"; grid = { n = 16; length = \"2*pi\"; }; initial = \"1 + 0.5*cos(x)\";\n"
            "rhs = \"0.01*dxx(u) + dxx((t > s)*0.3*u^3)\";\n"},
    {false, "problem = \"hyperdiffusion\"; order = 4; grid = { n = 16; length = \"2*pi\"; };\n"
            "physics = { D = 0.1; gamma = 1.0; }; initial = \"1\"; forcing = \"floor(t - s)*u*(1 + cos(x))\";\n"},
    {true, "problem = \"equation\"; unknowns = [\"u\", \"v\"]; grid = { n = 33; length = 3.0; };\n"
           "rhs = { u = \"0.2*dxx(u) - u*v^2\"; v = \"0.1*dxx(v) + dxx((t > s)*0.02*v^3) + (t < s)*u*v\"; };\n"
           "left = { neumann = { u = 0.0; }; dirichlet = { v = 0.0; }; };\n"
           "right = { neumann = { u = 0.0; v = 0.0; }; };\n"
           "initial = { u = \"1\"; v = \"0.4*sin(pi*x/6)\"; };\n"},
};
enum { STEEP = sizeof steep / sizeof *steep };

static double *states_at(const char *row, const char *kind, const char *rest, size_t *numbers)
{
    char text[1200];
    snprintf(text, sizeof text, "%s%s", kind, rest);
    struct job w = open_for(row, text);
    assert_ok(sw_sim_initial(w.sim));
    assert_ok(w.sim->ops->advance(w.sim, 0, w.group->steps));
    double *u = states_of(&w);
    *numbers = (size_t)w.group->count * sw_sim_state_size(w.sim);
    close_job(&w);
    return u;
}

/* Against imex3 with a tolerance of 1e-9, whose last stage is at the end of a step. imex2 takes N at t and t + 0.29 dt:
 * by these alone it was off by up to 500 times a tolerance of 1e-7. Measured: 0.3 to 1.9 of the tolerance. */
static void a_jump_is_seen_wherever_in_a_step_it_is(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < STEEP; k++) {
        const char *phases = small_suite() ? "linspace(0.9, 1.2, 4)" : "linspace(0.9, 1.2, 11)";
        char rest[300];
        size_t numbers;
        if (steep[k].walls && !(under_test->takes & SW_LINE_ENDS)) continue;
        snprintf(rest, sizeof rest, "sweep = { s = \"%s\"; }; method = \"imex3\";"
                 "time = { tolerance = 1e-9; end = 1.5; };", phases);
        double *exact = states_at("cpu.simd", steep[k].text, rest, &numbers);
        for (double tolerance = 1e-3; tolerance > (small_suite() ? 1e-6 : 1e-8); tolerance *= 1e-2) {
            snprintf(rest, sizeof rest, "sweep = { s = \"%s\"; }; method = \"imex2\";"
                     "time = { tolerance = %g; end = 1.5; };", phases, tolerance);
            double *u = states_at(under_test->name, steep[k].text, rest, &numbers);
            const double off = difference(numbers, u, exact);
            if (!(off < 4 * tolerance)) fail_msg("%d, tolerance %g: off by %.3g", k, tolerance, off);
            sw_free(u);
        }
        sw_free(exact);
    }
}

static void agrees_with_the_reference_on_what_is_steep(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < STEEP; k++) {
        char text[1200];
        if (steep[k].walls && !(under_test->takes & SW_LINE_ENDS)) continue;
        snprintf(text, sizeof text, "%sdefine = { s = \"1 + 1/pi\"; };\n", steep[k].text);
        for (int m = 0; m < 2; m++) compare_with_the_reference(text, methods[m]);
    }
}

/* Of what stops being a number at the end of a run no step is refused: u_t = sqrt(1 - t). */
static void a_term_may_end_with_its_run(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text, "problem = \"heat\"; grid = { n = 8; length = 1.0; }; physics = { kappa = 0.1; };\n"
                 "initial = \"0\"; forcing = \"%s\"; method = \"imex2\"; time = { tolerance = 1e-5; end = 1.0; };",
                 k ? "t < 1 ? 2/3 : 1/(t - t)" : "sqrt((1 - t) - 1e-15)");
        struct job w = advance_by(text, 1 << 30, false);
        struct sw_own_steps *steps = steps_of(&w);
        double *u = states_of(&w);
        if (steps->end || !(fabs(u[3] - 2.0 / 3) < 2e-5)) fail_msg("%d: end %g, u = %.17g", k, steps->end, u[3]);
        sw_free(steps), sw_free(u);
        close_job(&w);
    }
}

/* A pulse of 1e-3 where steps are up to 0.08 and 0.36 long: it is passed over, unless steps are bounded, in each run
 * by its own bound. u_t = cos t - u + pulse from u = 1: u = (cos t + sin t + exp(-t))/2, and sqrt(pi)/5 exp(5 - t) of
 * the pulse. */
static void a_pulse_is_seen_where_steps_are_bounded(void **state)
{
    static const double bound[] = {0.2, 1e-3, 0.05, 2e-3};
    (void)state;
    need_row();
    for (int m = 0; m < 2; m++) {
        char text[1200];
        snprintf(text, sizeof text, "problem = \"equation\"; grid = { n = 16; length = 1.0; }; initial = \"1\";\n"
                 "rhs = \"0.01*dxx(u) - u + cos(t) + 200*exp(-((t - 5)/1e-3)^2)\"; method = \"%s\";\n"
                 "sweep = { most = [0.2, 1e-3, 0.05, 2e-3]; };"
                 "time = { tolerance = 1e-3; dt_max = \"most\"; end = 6.0; };\n", methods[m]);
        struct job w = advance_by(text, 1 << 30, false);
        struct sw_own_steps *steps = steps_of(&w);
        double *u = states_of(&w);
        for (int j = 0; j < 4; j++) {
            const bool seen = bound[j] < 1e-2;
            const double without = (cos(6.0) + sin(6.0) + exp(-6.0)) / 2, pulse = sqrt(acos(-1)) / 5 * exp(-1);
            const double off = fabs(u[16 * j] - without - seen * pulse);
            /* a whole number of steps of at most a millionth more is left to the end */
            if (!(off < 1e-3) || !(steps[j].largest <= bound[j] * 1.000001) ||
                (seen && !(steps[j].largest > 0.9 * bound[j])))
                fail_msg("%s, bound %g: off by %.3g, dt to %.9g", methods[m], bound[j], off, steps[j].largest);
        }
        sw_free(steps), sw_free(u);
        close_job(&w);
    }
}

/* A pulse of a thousandth of the run's length, on a line that is in balance: no step passes over it. */
static void a_line_in_balance_waits_for_what_comes(void **state)
{
    (void)state;
    need_row();
    for (int begun = 0; begun < 2; begun++) {
        char text[1200];
        snprintf(text, sizeof text, "problem = \"heat\"; grid = { n = 32; length = 1.0; };"
                 "physics = { kappa = 0.1; };\n"
                 "initial = \"%d\"; method = \"imex3\"; forcing = \"exp(-((t - 7.77)/0.01)^2)\";\n"
                 "time = { tolerance = 1e-6; end = 10.0; };", begun);
        struct job w = advance_by(text, 1 << 30, false);
        double *u = states_of(&w);
        assert_near(u[5], begun + 0.01 * sqrt(acos(-1)), begun ? 2e-6 : 2e-8);
        sw_free(u);
        close_job(&w);
    }
}

/* u times a power of 2, in a linear equation, has the same steps, and all bits but those of the exponent. */
static void steps_do_not_depend_on_the_unit_of_u(void **state)
{
    static const char *const line[] = {
        "initial = \"s*(1 + cos(2*pi*x))\"; forcing = \"s*cos(2*pi*x - t)\";",
        "initial = \"0\"; forcing = \"s*0.5*(1 + tanh((t - 1)/0.01))*cos(2*pi*x)\";",
        "initial = \"0\"; order = 2; left = { dirichlet = \"s*0.5*(1 + tanh((t - 1)/0.01))\"; };"
        "right = { neumann = \"s*t\"; };",
    };
    (void)state;
    need_row();
    for (int k = 0; k < 3; k++) {
        char text[1200];
        if (k == 2 && !(under_test->takes & SW_LINE_ENDS)) continue;
        snprintf(text, sizeof text, "problem = \"heat\"; grid = { n = 33; length = 1.0; };"
                 "physics = { kappa = 0.1; };\n"
                 "sweep = { p = [0, -40, 40, -400, 400]; }; define = { s = \"2^p\"; }; method = \"imex3\"; %s\n"
                 "time = { tolerance = 1e-6; end = 1.2; };", line[k]);
        struct job w = advance_by(text, 1 << 30, false);
        struct sw_own_steps *steps = steps_of(&w);
        double *u = states_of(&w);
        const int power[] = {0, -40, 40, -400, 400};
        for (int j = 1; j < 5; j++) {
            assert_true(steps[j].end == SW_OWN_STEPS_GO_ON && steps[j].taken == steps[0].taken);
            assert_true(steps[j].refused == steps[0].refused && steps[j].least == steps[0].least);
            for (int i = 0; i < 33; i++) assert_true(u[33 * j + i] == ldexp(u[i], power[j]));
        }
        sw_free(steps), sw_free(u);
        close_job(&w);
    }
}

/* A temperature of 300 and a concentration of 1e-6 that depends on it: each is right to its own size. Measured: 0.03
 * to 2.2 of the tolerance. */
static void each_unknown_has_its_own_size(void **state)
{
    static const char text[] =
        "problem = \"equation\"; unknowns = [\"T\", \"c\"]; grid = { n = 32; length = \"2*pi\"; };\n"
        "rhs = { T = \"0.1*dxx(T) - 0.3*(T - 300)\";\n"
        "        c = \"0.05*dxx(c) - c*(T/300)^3 + 1e-6*cos(x + 3*t)*T/300\"; };\n"
        "initial = { T = \"300 + 30*cos(x)\"; c = \"1e-6*(1 + 0.5*sin(x))\"; }; method = \"imex3\";\n";
    (void)state;
    need_row();
    int n;
    double *exact = state_by("cpu.simd", text, "time = { dt = \"2/16384\"; end = 2.0; };", &n);
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
        char rest[160];
        snprintf(rest, sizeof rest, "time = { tolerance = %g; end = 2.0; };", tolerance);
        double *u = state_by(under_test->name, text, rest, &n);
        assert_true(difference(32, u, exact) < 4 * tolerance * 300);
        assert_true(difference(32, u + 32, exact + 32) < 4 * tolerance * 1e-6);
        sw_free(u);
    }
    sw_free(exact);
}

/* What comes after an output time counts for nothing before it. */
static void outputs_before_a_jump_do_not_depend_on_its_height(void **state)
{
    static const char *const line[] = {
        WALLED_LINE "left = { dirichlet = \"g*(t > 0.9 ? 1 : 0) + sin(10*t)\"; };\n",
        PERIODIC_LINE "forcing = \"cos(2*pi*x)*(sin(10*t) + g*(t > 0.9 ? 1 : 0))\";\n"};
    (void)state;
    need_row();
    for (int k = 0; k < 2; k++) {
        char text[1200];
        if (k == 0 && !(under_test->takes & SW_LINE_ENDS)) continue;
        snprintf(text, sizeof text, "%ssweep = { g = [0.0, 1e4, 1e10]; };\n"
                 "time = { tolerance = 1e-6; end = 1.0; }; output = { fields = { times = [0.8, 1.0]; }; };", line[k]);
        struct job w = open_for(under_test->name, text);
        assert_ok(sw_sim_initial(w.sim));
        assert_ok(w.sim->ops->advance(w.sim, 0, SW_TICKS));
        for (int j = 1; j < 3; j++) assert_same(&w, 0, &w, j, "before a jump");
        close_job(&w);
    }
}

/* What a force brings is less by far than it would be without decay or diffusion, which are much faster than the run is
 * long; the errors are those of what is there. Measured: 0.07 of the tolerance against decay, 0.6 against diffusion,
 * where what is expected is ten times what comes. */
static void what_a_force_cannot_bring_does_not_count(void **state)
{
    static const char *const line[] = {
        "problem = \"equation\"; rhs = \"-1e5*(u - sin(x + t))\";",
        "problem = \"heat\"; order = 2; physics = { kappa = 1e6; }; forcing = \"1e6*sin(x + t)\";"};
    (void)state;
    need_row();
    for (int k = 0; k < 2; k++) {
        char text[1200];
        snprintf(text, sizeof text, "%s grid = { n = 32; length = \"2*pi\"; }; initial = \"0\"; method = \"imex2\";\n"
                 "time = { tolerance = 1e-3; end = 2.0; };", line[k]);
        struct job w = advance_by(text, 1 << 30, false);
        struct sw_own_steps *steps = steps_of(&w);
        double *u = states_of(&w), dx = acos(-1) / 16, rate = k ? 1e6 * (2 - 2 * cos(dx)) / (dx * dx) : 1e5;
        assert_true(steps->expected < 1e-6);
        for (int i = 0; i < 32; i++) {
            const double b = i * dx + 2;  /* of u_t = -rate u + f sin(x + t), rate far from 1 */
            assert_near(u[i], (k ? 1e6 : 1e5) * (rate * sin(b) - cos(b)) / (rate * rate + 1), 1e-3);
        }
        sw_free(steps), sw_free(u);
        close_job(&w);
    }
}

/* By rounding, left dt may be more than the time to the output time. */
static void no_time_is_before_the_beginning(void **state)
{
    static const double times[] = {0.0, 0.9, 1.7};
    (void)state;
    for (int k = 1; k < 20000; k++) {
        struct sw_own_steps s = {.goal = k % 2, .wanted = 1e-3 + 1.7e-5 * k};
        const double from = times[k % 2];
        sw_own_steps_next(&s, times[k % 2 + 1] - from);
        assert_true(sw_own_steps_time(&s, times) >= from);
    }
}

/* Where a jump from nothing is less than rounding of the time lets steps find, an absolute tolerance does. And it saves
 * steps while u is small: here it is e^(20 (t - 1)). */
static void an_absolute_tolerance_bears_small_values(void **state)
{
    static const char *const line[] = {
        "initial = \"0\"; forcing = \"t > 1 + 1/pi ? 1 : 0\"; time = { tolerance = 1e-14; end = 2.0;",
        "initial = \"exp(-20)\"; forcing = \"20*u\"; time = { tolerance = 1e-9; end = 1.0;"};
    (void)state;
    need_row();
    double taken[2];
    for (int k = 0; k < 4; k++) {
        char text[1200];
        struct sw_text why = SW_SHORT_TEXT;
        snprintf(text, sizeof text, "problem = \"heat\"; grid = { n = 32; length = 1.0; };"
                 "physics = { kappa = 0.1; };\n"
                 "method = \"imex3\"; %s %s };", line[k / 2],
                 k % 2 == 0 ? "" : k / 2 ? "tolerance_absolute = 1e-4;" : "tolerance_absolute = 1e-12;");
        struct job w = advance_by(text, 1 << 30, false);
        struct sw_own_steps *steps = steps_of(&w);
        double *u = states_of(&w);
        taken[k % 2] = steps->taken;
        if (k == 0) {
            assert_true(steps->end == SW_OWN_STEPS_TOO_SMALL);
            w.sim->ops->records->warn(w.sim, 0, (double *)steps, false, &why);
            assert_contains(why.data, "not within the tolerance at t = 1.31831 however small the step: dt fell to ");
            assert_contains(why.data, "u has a pole, or is small and jumps: give time.tolerance_absolute");
        } else {
            assert_true(steps->end == SW_OWN_STEPS_GO_ON);
            if (k == 1) assert_near(u[3], 2 - 1.3183098861837907, 1e-11);
            if (k == 2) assert_near(u[3], 1, 1e-4);
        }
        sw_free(steps), sw_free(u);
        close_job(&w);
    }
    assert_true(taken[1] < 0.7 * taken[0]);
}

/* ------------------------------------------------------------------ runs that cannot go on */

#define GROWTH "problem = \"heat\"; grid = { n = 16; length = 1.0; }; physics = { kappa = 1.0; };\n" \
               "initial = \"1\"; method = \"imex2\";"

/* u_t = b u² is 1/(1 - b t): without end at t = 1/b. */
static void a_run_that_blows_up_fails_alone(void **state)
{
    (void)state;
    need_row();
    struct job w = advance_by(GROWTH "sweep = { b = [0.1, 2.0]; }; time = { tolerance = 1e-5; end = 1.0; };\n"
                              "forcing = \"b*u^2\";", 1 << 30, false),
               alone = advance_by(GROWTH "sweep = { b = [0.1]; }; time = { tolerance = 1e-5; end = 1.0; };\n"
                                  "forcing = \"b*u^2\";", 1 << 30, false);
    struct sw_own_steps *steps = steps_of(&w);
    double *u = states_of(&w);
    int64_t failed[2];
    struct sw_text text = SW_SHORT_TEXT;
    assert_ok(w.sim->ops->diverged(w.sim, failed));
    assert_int_equal(failed[0], -1);
    assert_int_equal(failed[1], 513);  /* the first tick behind t = 0.5 of 1024 */
    assert_true(isnan(u[16]) && isnan(u[31]));
    assert_near(u[0], 1 / 0.9, 1e-5);
    assert_near(w.sim->ops->records->steps_taken(w.sim, (double *)&steps[1]).t, 0.5, 1e-4);
    w.sim->ops->records->warn(w.sim, 1, (double *)&steps[1], false, &text);
    if (!strstr(text.data, "however small the step: dt fell to ")) fail_msg("%s", text.data);
    sw_text_clear(&text);
    w.sim->ops->records->warn(w.sim, 0, (double *)&steps[0], true, &text);
    assert_string_equal(text.data, "");
    assert_same(&w, 0, &alone, 0, "beside one that blows up");
    sw_free(steps);
    sw_free(u);
    close_job(&w);
    close_job(&alone);
}

static void a_source_that_is_not_a_number_ends_a_run_where_it_is(void **state)
{
    (void)state;
    need_row();
    struct job w = advance_by(GROWTH "time = { tolerance = 1e-4; end = 1.0; }; forcing = \"sqrt(0.25 - t)\";", 1 << 30,
                              false);
    struct sw_own_steps *steps = steps_of(&w);
    assert_true(steps->end == SW_OWN_STEPS_NOT_FINITE);
    /* a step ends behind its stages */
    assert_near(w.sim->ops->records->steps_taken(w.sim, (double *)steps).t, 0.25, 0.01);
    assert_true(steps->dt < 1e-12 && steps->dt > 0);
    sw_free(steps);
    close_job(&w);
}

/* u jumps to 1/(0.25 - t), which no step follows beyond t = 0.25. */
static void a_step_below_rounding_fails_with_its_dt(void **state)
{
    (void)state;
    need_row();
    struct job w = advance_by(GROWTH "time = { tolerance = 1e-6; end = 1.0; }; forcing = \"1/(0.25 - t)^2\";", 1 << 30,
                              false);
    struct sw_own_steps *steps = steps_of(&w);
    int64_t failed;
    assert_ok(w.sim->ops->diverged(w.sim, &failed));
    assert_true(failed > 0 && steps->end == SW_OWN_STEPS_TOO_SMALL);
    sw_free(steps);
    close_job(&w);
}

/* ------------------------------------------------------------------ the controller */

/* Wherever dt changes, the steps left end on the output time. */
static void steps_left_are_whole(void **state)
{
    struct sw_own_steps s = {.wanted = 0.37};
    double at = 0;
    (void)state;
    const struct sw_own_limits limits = {.most = 1.0, .careful = 1.0, .k = 2};
    sw_own_steps_next(&s, 10.0);
    for (int k = 0; s.left > 0 && k < 10000; k++) {
        const double dt = s.dt, ratio = 20 * dt * dt * (1 + 0.9 * sin(k));
        if (sw_own_steps_control(&s, ratio, 0, false, &limits, 10.0)) at += dt;
        assert_near(at + s.left * s.dt, 10.0, 1e-12);
        assert_true(s.dt <= 1.0 + 1e-5 && s.end == SW_OWN_STEPS_GO_ON);
    }
    assert_true(s.left == 0 && s.taken > 20 && s.refused > 2);
    assert_near(at, 10.0, 1e-12);
}

static void a_number_that_is_none_does_not_vanish_in_a_maximum(void **state)
{
    (void)state;
    assert_true(isnan(sw_own_steps_worse(NAN, 1)) && isnan(sw_own_steps_worse(sw_own_steps_worse(1, NAN), 2)));
    assert_true(sw_own_steps_worse(1, 2) == 2 && sw_own_steps_worse(2, 1) == 2);
    struct sw_own_steps s = {.wanted = 0.5};
    const struct sw_own_limits limits = {.most = 1.0, .careful = 1.0, .k = 2};
    sw_own_steps_next(&s, 1.0);
    assert_false(sw_own_steps_control(&s, NAN, NAN, false, &limits, 1.0));
    assert_near(s.dt, 0.05, 1e-15);
    for (int k = 0; k < 20 && !s.end; k++) assert_false(sw_own_steps_control(&s, NAN, NAN, false, &limits, 1.0));
    assert_true(s.end == SW_OWN_STEPS_NOT_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_in_proportion_to_the_tolerance),
        cmocka_unit_test(a_run_has_the_same_bits_wherever_it_is_interrupted),
        cmocka_unit_test(a_run_has_the_same_bits_alone),
        cmocka_unit_test(a_run_has_the_same_bits_in_a_large_batch),
        cmocka_unit_test(agrees_with_the_reference),
        cmocka_unit_test(imex2_agrees_with_the_reference_whatever_the_ends_are),
        cmocka_unit_test(imex3_agrees_with_the_reference_whatever_the_ends_are),
        cmocka_unit_test(agrees_with_the_reference_in_fourth_order),
        cmocka_unit_test(runs_land_on_output_times),
        cmocka_unit_test(a_first_step_that_is_too_long_is_refused),
        cmocka_unit_test(a_line_at_rest_is_switched_on),
        cmocka_unit_test(outputs_before_a_jump_do_not_depend_on_its_height),
        cmocka_unit_test(a_jump_is_found_and_left_behind),
        cmocka_unit_test(a_jump_is_seen_wherever_in_a_step_it_is),
        cmocka_unit_test(agrees_with_the_reference_on_what_is_steep),
        cmocka_unit_test(a_term_may_end_with_its_run),
        cmocka_unit_test(a_pulse_is_seen_where_steps_are_bounded),
        cmocka_unit_test(a_line_in_balance_waits_for_what_comes),
        cmocka_unit_test(steps_do_not_depend_on_the_unit_of_u),
        cmocka_unit_test(each_unknown_has_its_own_size),
        cmocka_unit_test(an_absolute_tolerance_bears_small_values),
        cmocka_unit_test(what_a_force_cannot_bring_does_not_count),
        cmocka_unit_test(a_run_that_blows_up_fails_alone),
        cmocka_unit_test(a_source_that_is_not_a_number_ends_a_run_where_it_is),
        cmocka_unit_test(a_step_below_rounding_fails_with_its_dt),
    };
    const struct CMUnitTest controller[] = {
        cmocka_unit_test(steps_left_are_whole),
        cmocka_unit_test(no_time_is_before_the_beginning),
        cmocka_unit_test(a_number_that_is_none_does_not_vanish_in_a_maximum),
    };
    const struct CMUnitTest of_threads[] = {
        cmocka_unit_test(threads_change_no_bits),
    };
    int failed = cmocka_run_group_tests(controller, NULL, NULL);
    for_each_row(sw_stepper_table) {
        if (!under_test->absent && !(under_test->takes & SW_LINE_OWN_STEPS)) continue;
        failed += run_for_row(tests);
        if (under_test->space == SW_HOST) failed += run_for_row(of_threads);
    }
    return failed != 0;
}
