/* The problem `advection`, on each kind of device: that errors fall as the orders of the schemes and of the time
 * stepping say, with walls and filters too, that what is conserved is, and that no run depends on others, threads or
 * interruptions. */
#include <math.h>
#include <stdlib.h>

#include "device/sw_snapshot.h"
#include "problem/advection/advection_impl.h"
#include "fd_helpers.h"
#include "job_helpers.h"

#define ROW_OPS advection_ops
#include "base/sw_err.h"
#include "architecture.h"
#include "row_helpers.h"

static const char text[] = "problem = \"advection\";\n"
                           "grid = { n = 16; length = \"2*pi\"; };\n"
                           "velocity = { x = 1.0; };\n"
                           "time = { dt = 0.01; end = 0.5; };\n"
                           "initial = \"exp(sin(x))\";\n";
/* A test of a row that is not here ends at its first config, when there is nothing to free yet. */
#define ADVECTION(...) (under_test ? need_row() : (void)0, make_text(text, OVERRIDES(__VA_ARGS__)))
#define NO_STEP "no step follows from it: at the beginning the velocity is 0 or infinite everywhere, and nu is 0; " \
                "give time.dt\n"
#define REFUSED_ADVECTION(expected, ...) refuse_text(text, OVERRIDES(__VA_ARGS__), expected)
#define ROOM(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------ runs of one shape, simulated */

struct advected {
    struct job job;
    size_t     points;
    double    *u;  /* [count][points], by look_at() */
};

static struct advected begin_on(struct sw_device *on, struct made made, const int64_t *run, int count)
{
    struct advected j = {.job = load_runs(made, run, count, on)};
    j.points = (size_t)sw_points(j.job.setup.n);
    assert_ok(sw_alloc((size_t)count * j.points, &j.u));
    assert_ok(sw_sim_initial(j.job.sim));
    return j;
}

/* The first `count` runs. */
static struct advected begin(struct made made, int count)
{
    int64_t run[64];
    for (int k = 0; k < count; k++) run[k] = k;
    return begin_on(device, made, run, count);
}

static void advance(struct advected *j, int64_t from, int64_t to)
{
    assert_ok(j->job.sim->ops->advance(j->job.sim, from, to));
}

static void look_at(struct advected *j) { assert_ok(sw_sim_get_state(j->job.sim, j->u)); }

static struct advected finish(struct made made, int count)
{
    struct advected j = begin(made, count);
    advance(&j, 0, j.job.group->steps);
    look_at(&j);
    return j;
}

static void end(struct advected *j)
{
    close_job(&j->job);
    sw_free(j->u);
}

/* max |u - exact| of run k, where `exact` is that of the config. */
static double error_of(const struct advected *j, int k)
{
    const struct sw_program *exact = sw_setup_function(&j->job.setup, "exact");
    const struct sw_grid g = sw_setup_grid(&j->job.setup, j->job.count, j->job.column, k);
    const double t = (double)j->job.group->steps * g.dt;
    struct sw_eval *e;
    double worst = 0;
    assert_non_null(exact);
    assert_ok(sw_eval_create(exact, 1, &e));
    sw_eval_run(e, j->job.column + k, j->job.count);
    for (size_t p = 0; p < j->points; p++) {
        const int64_t i = (int64_t)p, *n = j->job.setup.n;
        const double x = g.x0[0] + (double)(i % n[0]) * g.dx[0], y = g.x0[1] + (double)(i / n[0] % n[1]) * g.dx[1],
                     z = g.x0[2] + (double)(i / n[0] / n[1]) * g.dx[2];
        const double *in[SW_INPUTS] = {[SW_IN_X] = &x, [SW_IN_Y] = &y, [SW_IN_Z] = &z};
        double v;
        sw_eval_cells(e, 1, in);
        sw_eval_step(e, t, 0);
        sw_eval_points(e, 1, in, &v);
        const double off = fabs(j->u[(size_t)k * j->points + p] - v);
        if (!(off <= worst)) worst = off;
    }
    sw_eval_destroy(&e);
    return worst;
}

static double final_error(struct made made)
{
    struct advected j = finish(made, 1);
    const double error = error_of(&j, 0);
    end(&j);
    return error;
}

/* ------------------------------------------------------------------ orders */

static void expect_order(const char *what, double coarse, double fine, double ratio, double order)
{
    const double observed = log(coarse / fine) / log(ratio);
    if (!(fabs(observed - order) < 0.15))
        fail_msg("%s: order %.3f, expected %g (errors %.3g, %.3g)", what, observed, order, coarse, fine);
}

/* Steps are so small that the error in time, (dt)^4/120, is nothing beside that in space. */
static void derivatives_have_the_order_of_their_scheme(void **state)
{
    (void)state;
    static const struct { const char *scheme; double order; int coarse, fine; } first[] = {
        {"scheme=d1_c4", 4, 48, 64}, {"scheme=d1_c6", 6, 40, 56}, {"scheme=d1_c8", 8, 40, 48},
        {"scheme=d1_c10", 10, 52, 60}}, second[] = {
        {"scheme2=d2_c4", 4, 32, 48}, {"scheme2=d2_c6", 6, 32, 48}, {"scheme2=d2_c8", 8, 32, 40}};
    for (size_t k = 0; k < ROOM(first); k++) {
        double e[2];
        for (int f = 0; f < 2; f++) {
            char n[32];
            snprintf(n, sizeof n, "grid.n=%d", f ? first[k].fine : first[k].coarse);
            e[f] = final_error(ADVECTION(n, first[k].scheme, "time={ dt=0.0005; end=0.1; }", "exact=exp(sin(x-t))"));
        }
        expect_order(first[k].scheme, e[0], e[1], (double)first[k].fine / first[k].coarse, first[k].order);
    }
    for (size_t k = 0; k < ROOM(second); k++) {
        double e[2];
        for (int f = 0; f < 2; f++) {
            char n[32];
            snprintf(n, sizeof n, "grid.n=%d", f ? second[k].fine : second[k].coarse);
            e[f] = final_error(ADVECTION(n, second[k].scheme, "velocity.x=0", "physics={ nu=1.0; }",
                                         "time={ dt=0.0005; end=0.05; }", "initial=sin(3*x)+cos(x)",
                                         "exact=exp(-9*t)*sin(3*x)+exp(-t)*cos(x)"));
        }
        expect_order(second[k].scheme, e[0], e[1], (double)second[k].fine / second[k].coarse, second[k].order);
    }
}

/* Third order in the first row and fourth in the second, once: of the whole, by one more than the first row (B.
 * Gustafsson, Math. Comput. 29 (1975)), 4. */
static void walls_have_one_order_more_than_their_first_row(void **state)
{
    (void)state;
    static const char *const boundary[] = {"boundary.x=3-4-6", "boundary.x=3-4-4"};
    for (int k = 0; k < 2; k++) {
        double e[2];
        for (int f = 0; f < 2; f++)
            e[f] = final_error(ADVECTION(f ? "grid.n=193" : "grid.n=129", "grid.length=3.0", boundary[k],
                                         k ? "scheme=d1_c4" : "scheme=d1_c6", "left={ x=\"sin(2*(0 - t))\"; }",
                                         "time={ dt=0.002; end=2.0; }", "initial=sin(2*x)", "exact=sin(2*(x-t))"));
        expect_order(boundary[k], e[0], e[1], 1.5, 4);
    }
}

/* u_x given at both walls: of the order of the first row. */
static void a_derivative_at_walls_has_the_order_of_the_first_row(void **state)
{
    (void)state;
    static const struct { const char *boundary; double order; } closure[] = {{"boundary.x=3-4-6", 3},
                                                                             {"boundary.x=4-4-6", 4}};
    for (int k = 0; k < 2; k++) {
        double e[2];
        for (int f = 0; f < 2; f++)
            e[f] = final_error(ADVECTION(f ? "grid.n=145" : "grid.n=97", "grid.length=1.0", closure[k].boundary,
                                         "velocity.x=0.3", "physics={ nu=0.1; }",
                                         "left={ neumann={ x=\"3*exp(-0.9*t)*cos(0.9*t)\"; }; }",
                                         "right={ neumann={ x=\"3*exp(-0.9*t)*cos(3 - 0.9*t)\"; }; }",
                                         "time={ dt=0.000125; end=0.125; }", "initial=sin(3*x)",
                                         "exact=exp(-0.9*t)*sin(3*(x - 0.3*t))"));
        expect_order(closure[k].boundary, e[0], e[1], 1.5, closure[k].order);
    }
}

/* Differences of runs with steps that are halved: on one grid, so that only time counts. What comes in at a wall
 * depends on time; were it given in the stages and not its derivative, the order would be less. */
static void stepping_has_its_order_with_inflow_that_varies(void **state)
{
    (void)state;
    static const struct { const char *stepper; double order; } method[] = {{"method=rk4", 4}, {"method=ssp_rk3", 3}};
    static const char *const dt[] = {"time.dt=1/160", "time.dt=1/320", "time.dt=1/640"};
    for (int k = 0; k < 2; k++) {
        double u[3][61], e[2] = {0};
        for (int f = 0; f < 3; f++) {
            struct advected j = finish(ADVECTION("grid={ n=61; length=1.0; }", dt[f], "time.end=1.0", method[k].stepper,
                                                 "boundary.x=3-4-6", "left={ x=\"sin(10*(0 - t))\"; }",
                                                 "initial=sin(10*x)"),
                                       1);
            memcpy(u[f], j.u, sizeof u[f]);
            end(&j);
        }
        for (int i = 0; i < 61; i++)
            for (int f = 0; f < 2; f++) e[f] = fmax(e[f], fabs(u[f][i] - u[f + 1][i]));
        expect_order(method[k].stepper, e[0], e[1], 2, method[k].order);
    }
}

/* A filter of order p takes h^p of the field each step. */
static void a_filter_has_its_order(void **state)
{
    (void)state;
    static const struct { const char *filter; double order; } filter[] = {
        {"filter=f4", 4}, {"filter=f6", 6}, {"filter=f8", 8}, {"filter=f10", 10}};
    for (size_t k = 0; k < ROOM(filter); k++) {
        double e[2];
        for (int f = 0; f < 2; f++)
            e[f] = final_error(ADVECTION(f ? "grid.n=72" : "grid.n=60", filter[k].filter, "alpha=0.3", "scheme=d1_c10",
                                         "time={ dt=0.01; end=0.1; }", "exact=exp(sin(x-t))"));
        expect_order(filter[k].filter, e[0], e[1], 72.0 / 60, filter[k].order);
    }
}

/* What a filter does to the shortest wave, +-1: it is gone after a step; constants stay. */
static void a_filter_takes_the_shortest_wave(void **state)
{
    (void)state;
    struct advected j = finish(ADVECTION("velocity.x=0", "filter=f8", "initial=2 + 0.5*cos(8*x)",
                                         "time={ dt=0.1; end=0.1; }"), 1);
    for (size_t i = 0; i < j.points; i++) assert_near(j.u[i], 2, 1e-14);
    end(&j);
}

/* A shock that travels with the speed s between walls with data on both sides: u_t + u u_x = nu u_xx exactly. */
static void burgers_equation_is_solved_between_walls(void **state)
{
    (void)state;
    double e[2];
    for (int f = 0; f < 2; f++)
        e[f] = final_error(ADVECTION("grid={ n=64; length=2.0; x0=-1.0; }", f ? "grid.n=161" : "grid.n=129",
                                     "velocity.x=u", "physics={ nu=0.05; }", "boundary.x=3-4-6",
                                     "define={ s=0.5; }", "left={ x=\"s - tanh((x - s*t)/(2*nu))\"; }",
                                     "right={ x=\"s - tanh((x - s*t)/(2*nu))\"; }", "time={ dt=0.0004; end=0.4; }",
                                     "initial=s - tanh(x/(2*nu))", "exact=s - tanh((x - s*t)/(2*nu))"));
    expect_order("burgers", e[0], e[1], 160.0 / 128, 6);  /* the walls are far from the shock */
    assert_true(e[1] < 1e-6);
}

#define BOX "sin(k*(x - t))*cos(k*(y - t/2)) + sin(k*(z + t/2))"
#define BOX_WALLS "{ x=\"" BOX "\"; y=\"" BOX "\"; z=\"" BOX "\"; }"

static struct made box(const char *n, const char *boundary, const char *left, const char *right)
{
    return ADVECTION(n, "velocity={ x=1.0; y=0.5; z=\"-0.5\"; }", "physics={ nu=0.01; }", "define={ k=2.0; }", boundary,
                     left, right, "time={ dt=0.005; end=0.25; }", "initial=sin(k*x)*cos(k*y) + sin(k*z)",
                     "forcing=0.01*k^2*(2*sin(k*(x - t))*cos(k*(y - t/2)) + sin(k*(z + t/2)))", "exact=" BOX);
}

/* On the way of u: ln |u| + u²/2 = ln |u0| + u0²/2 - k t, solved by Newton's iteration. With steps that follow from the
 * velocity alone u at t = 1 is 0.107, 0.424 and 2.19. */
static void a_source_that_falls_is_followed(void **state)
{
    (void)state;
    static const char *const steep[] = {"forcing=-60*u/(1 + u^2)", "forcing=-100*u/(1 + u^2)",
                                        "forcing=-200*u/(1 + u^2)"};
    static const double k[] = {60, 100, 200};
    for (size_t row = 0; row < ROOM(steep); row++)
        for (int late = 0; late < 2; late++) {
            struct advected j = finish(ADVECTION("grid.n=64", steep[row], "initial=sin(x)", late
                                                 ? "time={ cfl=0.5; end=1.0; }" : "time={ cfl=0.5; end=0.03125; }"), 1);
            for (int i = 0; i < 64; i++) {
                const double u0 = sin(2 * M_PI * i / 64 - (late ? 1 : 0.03125)), t = late ? 1 : 0.03125;
                double w = u0 * u0;  /* u²: ln w + w falls by 2 k t */
                for (int n = 0; n < 60 && !late; n++)
                    w *= exp((log(u0 * u0) + u0 * u0 - 2 * k[row] * t - log(w) - w) / (1 + w));
                if (late) assert_true(fabs(j.u[i]) < 1e-20);
                else assert_near(fabs(j.u[i]), sqrt(w), 3e-3);
            }
            end(&j);
        }
}

/* Sources of many forms and strengths, against steps that are eight times shorter. */
static void a_step_that_follows_a_source_is_short_enough(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "-k*u/(1 + u^2)", "k*(u - u^3)", "-k*u^3", "-k*(u - sin(x - t))", "-k*tanh(5*u)", "k*sin(3*u)",
        "-k*u*(1.5 + sin(20*t))", "-k*u/(0.1 + u^2)", "k*u^2*(1 - u)"};
    static const char *const strengths[] = {"define={ k=10.0; }", "define={ k=40.0; }"};
    for (size_t f = 0; f < ROOM(forms) * ROOM(strengths); f++) {
        char forcing[60], shorter[60];
        snprintf(forcing, sizeof forcing, "forcing=%s", forms[f / ROOM(strengths)]);
        struct advected j = finish(ADVECTION("grid.n=64", "initial=0.4 + 0.5*sin(x)", forcing,
                                             strengths[f % ROOM(strengths)], "time={ cfl=0.5; end=0.5; }"), 1);
        snprintf(shorter, sizeof shorter, "time={ dt=\"0.5/%d\"; end=0.5; }", 8 * (int)j.job.group->steps);
        struct advected fine = finish(ADVECTION("grid.n=64", "initial=0.4 + 0.5*sin(x)", forcing,
                                                strengths[f % ROOM(strengths)], shorter), 1);
        double off = 0, size = 0;
        for (size_t i = 0; i < j.points; i++) {
            off = fmax(off, isnan(j.u[i]) ? INFINITY : fabs(j.u[i] - fine.u[i]));
            size = fmax(size, fabs(fine.u[i]));
        }
        if (!(off < 0.02 * fmax(size, 1e-3)))
            fail_msg("%s, %s: off by %g of %g", forcing, strengths[f % ROOM(strengths)], off, size);
        end(&j);
        end(&fine);
    }
}

/* Periodic boxes of different lengths and numbers of points; and one with data on all six walls. */
static void boxes_are_differentiated_along_all_axes(void **state)
{
    (void)state;
    static const char *const periodic[] = {"grid={ n=[24, 20, 16]; length=(\"2*pi\", \"pi\", \"2*pi\"); }",
                                           "grid={ n=[32, 28, 24]; length=(\"2*pi\", \"pi\", \"2*pi\"); }"},
                      *const walled[] = {"grid={ n=[13, 14, 15]; length=1.0; }",
                                         "grid={ n=[19, 20, 21]; length=1.0; }"};
    double e[2];
    for (int f = 0; f < 2; f++) e[f] = final_error(box(periodic[f], "scheme=d1_c6", "scheme2=d2_c6", "method=rk4"));
    assert_true(e[1] < e[0] / 5 && e[1] < 2e-5);  /* (24/32)^6 = 1/5.6, (16/24)^6 = 1/11 */
    for (int f = 0; f < 2; f++)
        e[f] = final_error(box(walled[f], "boundary={ x=\"3-4-6\"; y=\"3-4-6\"; z=\"3-4-6\"; }", "left=" BOX_WALLS,
                               "right=" BOX_WALLS));
    assert_true(e[1] < e[0] / 4 && e[1] < 2e-5);  /* 1.5^-4 = 1/5.1 */
}

/* What is given at walls is there at the end of each step, also behind a filter; in corners what x gives. */
static void walls_hold_what_is_given(void **state)
{
    (void)state;
    struct advected j = finish(ADVECTION("grid={ n=[12, 11]; length=1.0; }", "boundary={ x=\"3-4-6\"; y=\"3-4-6\"; }",
                                         "filter=f6",
                                         "left={ x=\"1 + t + y\"; y=\"7\"; }",
                                         "initial=1", "time={ dt=0.01; end=0.1; }"),
                               1);
    for (int k = 0; k < 11; k++) assert_near(j.u[k * 12], 1.1 + k / 10.0, 1e-14);
    for (int i = 1; i < 12; i++) assert_near(j.u[i], 7, 0);
    end(&j);
}

/* u along x, its derivative along y, on a box that has both at its corners, where u is held. */
static void walls_may_differ_in_kind(void **state)
{
    (void)state;
    double e[2];
    for (int f = 0; f < 2; f++) {
        struct advected j = finish(ADVECTION(f ? "grid={ n=[25, 29]; length=1.0; }"
                                               : "grid={ n=[13, 15]; length=1.0; }",
                                             "velocity={ x=0.5; y=\"-0.25\"; }", "physics={ nu=0.1; }",
                                             "boundary={ x=\"3-4-6\"; y=\"3-4-6\"; }",
                                             "left={ x=\"exp(-0.2*t)*sin(y+t/4-t/2)\"; "
                                             "neumann={ y=\"exp(-0.2*t)*cos(x-t/4)\"; }; }",
                                             "right={ x=\"exp(-0.2*t)*sin(1+y+t/4-t/2)\"; "
                                             "neumann={ y=\"exp(-0.2*t)*cos(x+1-t/4)\"; }; }",
                                             "initial=sin(x+y)", "time={ dt=0.001; end=0.25; }",
                                             "exact=exp(-0.2*t)*sin(x+y-t/4)"), 1);
        e[f] = error_of(&j, 0);
        assert_near(j.u[0], exp(-0.05) * sin(-0.0625), 1e-15);
        end(&j);
    }
    assert_true(e[0] < 2e-5 && e[1] < e[0] / 6);  /* third order: 1/8 */
}

/* ------------------------------------------------------------------ what is kept, and measured */

static const double *scalars_of(struct advected *j)
{
    const void *field;
    const double *scalars;
    assert_ok(sw_sim_snapshot(j->job.sim, 0, SW_SNAPSHOT_SCALARS));
    assert_ok(j->job.sim->ops->fetch(j->job.sim, 0, &field, &scalars));
    return scalars;
}

/* Columns of the matrices sum to 0: only rounding changes the mass, a unit of it a stage and point at most, and at
 * random. */
static void a_circle_keeps_the_mass(void **state)
{
    (void)state;
    struct advected j = begin(ADVECTION("grid={ n=[24, 20]; length=\"2*pi\"; }", "velocity={ x=1.0; y=\"-0.7\"; }",
                                        "physics={ nu=0.01; }", "initial=exp(sin(x))*(2 + cos(y))", "filter=f8",
                                        "time={ dt=0.02; end=2.0; }"), 1);
    const double before = scalars_of(&j)[ADVECTION_MASS];
    assert_near(before, 4 * M_PI * M_PI * 2 * 1.2660658777520084, 1e-10);  /* I_0(1) */
    advance(&j, 0, j.job.group->steps);
    assert_near(scalars_of(&j)[ADVECTION_MASS], before, 400 * 4 * before * 0x1p-53);
    end(&j);
}

static void scalars_are_those_of_the_field(void **state)
{
    (void)state;
    struct advected j = begin(ADVECTION("grid={ n=[9, 8]; length=(2.0, \"2*pi\"); x0=[-1.0, 0.0]; }",
                                        "boundary.x=3-4-6",
                                        "initial=x + cos(y)"), 1);
    const double *s = scalars_of(&j);
    assert_near(s[ADVECTION_MASS], 0, 1e-14);
    /* by the trapezoidal rule sum x² h = 2/3 + h²/3, h = 1/4; cos² has 1/2 */
    assert_near(s[ADVECTION_ENERGY], 0.5 * 2 * M_PI * (2.0 / 3 + 1.0 / 48 + 2 * 0.5), 1e-13);
    assert_near(s[ADVECTION_MIN], -2, 0);
    assert_near(s[ADVECTION_MAX], 2, 0);
    end(&j);
}

/* ------------------------------------------------------------------ bits */

/* Alphas differ or not, with a filter or none: then runs go by teams of threads, or not. nu is 0 in the first run. */
static struct made ensemble(int variant)
{
    static const char *const alpha[] = {"alpha=0.1*a + 0.3", "alpha=0.4", "alpha=0.4"};
    return ADVECTION("sweep={ a=[0.3, 0.7, 1.0, 1.6, 0.9]; }", "grid={ n=[40, 36]; length=(\"2*pi/a\", \"2*pi\"); }",
                     "velocity={ x=\"a + u/4\"; y=\"sin(x*a)*cos(t)\"; }", "physics={ nu=\"0.02*(a - 0.3)\"; }",
                     alpha[variant], variant == 2 ? "filter=none" : "filter=f6", "boundary.y=3-4-6",
                     "left={ y=\"cos(a*x)*exp(-t)\"; }",
                     "initial=cos(a*x)*cos(y)", "forcing=a*sin(y - t)", "time={ dt=0.005; end=0.095; }");
}

/* Of 5 runs each is what it is alone. */
static void a_run_in_a_batch_is_what_it_is_alone(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++) {
        struct advected all = finish(ensemble(variant), 5);
        for (int64_t k = 0; k < 5; k++) {
            struct advected one = begin_on(device, ensemble(variant), &k, 1);
            advance(&one, 0, one.job.group->steps);
            look_at(&one);
            assert_memory_equal(one.u, all.u + (size_t)k * all.points, all.points * sizeof *all.u);
            end(&one);
        }
        end(&all);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    need_row();
    if (under_test->space == SW_DEVICE) return;
    for (int variant = 0; variant < 3; variant++) {
        struct advected two = finish(ensemble(variant), 5);
        struct sw_device *alone;
        assert_ok(sw_device_open("cpu", 1, &alone));
        struct advected one = begin_on(alone, ensemble(variant), (const int64_t[]){0, 1, 2, 3, 4}, 5);
        advance(&one, 0, one.job.group->steps);
        look_at(&one);
        double record[2][5 * SW_DIAGNOSTICS];
        assert_memory_equal(one.u, two.u, 5 * two.points * sizeof *two.u);
        assert_memory_equal(scalars_of(&one), scalars_of(&two), 5 * ADVECTION_SCALARS * sizeof(double));
        assert_ok(one.job.sim->ops->records->get(one.job.sim, record[0]));
        assert_ok(two.job.sim->ops->records->get(two.job.sim, record[1]));
        assert_memory_equal(record[0], record[1], sizeof record[0]);
        end(&one);
        end(&two);
        sw_device_close(&alone);
    }
}

/* With the operators of x and y one by one. On the CPU they are in any case. */
static struct advected finish_without_joined(struct made made, int count)
{
    struct advected j = begin(made, count);
    struct advection_subbatch *p = &((struct advection_sim *)j.job.sim)->batch;
    assert_int_equal(p->first_xy != NULL, under_test->space == SW_DEVICE);
    sw_fd_joined_destroy(&p->first_xy);
    advance(&j, 0, j.job.group->steps);
    look_at(&j);
    return j;
}

/* Five runs on a plane, with nu and without; a box; in both precisions. */
static struct made flow(int variant)
{
    static const char *const grid[] = {"grid={ n=[40, 36]; length=(\"2*pi/a\", \"2*pi\"); }",
                                       "grid={ n=[24, 21, 19]; length=\"2*pi\"; }"};
    return ADVECTION("sweep={ a=[0.3, 0.7, 1.0, 1.6, 0.9]; }", grid[variant / 2 % 2],
                     "velocity={ x=\"a + u/4\"; y=\"sin(x*a)*cos(t)\"; }", "initial=cos(x*a)*sin(y)",
                     "time={ dt=0.005; end=0.05; }", variant % 2 ? "physics={ nu=0.02; }" : "physics={ nu=0.0; }",
                     variant / 4 ? "run.precision=single" : "run.precision=double");
}

static void derivatives_along_x_and_y_at_once_change_no_bit(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        struct advected joined = finish(flow(variant), variant / 2 % 2 ? 1 : 5),
                        single = finish_without_joined(flow(variant), joined.job.count);
        assert_memory_equal(joined.u, single.u, (size_t)joined.job.count * joined.points * sizeof *joined.u);
        end(&joined);
        end(&single);
    }
}

/* One sim, batch after batch: what is kept from one must do for the next. */
static void batches_follow_each_other(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++) {
        struct advected j = begin(ensemble(variant), 5), all = finish(ensemble(variant), 5);
        const struct { int from, count; } batch[] = {{0, 2}, {2, 2}, {4, 1}, {0, 5}, {0, 1}, {1, 1}};
        for (size_t b = 0; b < ROOM(batch); b++) {
            const int count = batch[b].count;
            double *column;
            assert_ok(sw_alloc((size_t)(j.job.made.sweep->ncolumn * count), &column));
            assert_ok(sw_sweep_columns(j.job.made.sweep, NULL, batch[b].from, count, column));
            assert_ok(j.job.sim->ops->load(j.job.sim, count, column, j.job.load_error));
            assert_ok(sw_sim_initial(j.job.sim));
            advance(&j, 0, j.job.group->steps);
            look_at(&j);
            const size_t points = (size_t)count * j.points;
            assert_memory_equal(j.u, all.u + (size_t)batch[b].from * j.points, points * sizeof *j.u);
            sw_free(column);
        }
        end(&j);
        end(&all);
    }
}

static void an_interruption_changes_no_bit(void **state)
{
    (void)state;
    static const char *const precision[] = {"run.precision=double", "run.precision=single"};
    for (int k = 0; k < 2; k++) {
        struct advected whole = finish(ADVECTION("velocity.x=u", "physics={ nu=0.1; }", precision[k], "grid.n=300",
                                                 "filter=f4", "time={ dt=0.001; end=0.02; }"), 1);
        struct advected part = begin(ADVECTION("velocity.x=u", "physics={ nu=0.1; }", precision[k], "grid.n=300",
                                               "filter=f4", "time={ dt=0.001; end=0.02; }"), 1);
        advance(&part, 0, 7);
        look_at(&part);
        assert_ok(sw_sim_initial(part.job.sim));
        assert_ok(sw_sim_set_state(part.job.sim, part.u));
        advance(&part, 7, 12);
        advance(&part, 12, part.job.group->steps);
        look_at(&part);
        assert_memory_equal(part.u, whole.u, whole.points * sizeof *whole.u);
        end(&part);
        end(&whole);
    }
}

/* ------------------------------------------------------------------ runs that go bad */

/* Run 1's source is infinite from t = 0.2 on, in step 21 to begin with: that step is the first that is not finite. */
static void a_run_that_diverges_harms_no_other(void **state)
{
    (void)state;
#define SOURCE "sweep={ a=[0.0, 1.0, 2.0]; }", "forcing=a == 1 && t > 0.2001 ? 1/(a - 1) : a"
    struct advected j = begin(ADVECTION(SOURCE), 3);
    int64_t step[3];
    advance(&j, 0, 10);
    assert_ok(j.job.sim->ops->diverged(j.job.sim, step));
    for (int k = 0; k < 3; k++) assert_int_equal(step[k], -1);
    advance(&j, 10, j.job.group->steps);
    look_at(&j);
    assert_ok(j.job.sim->ops->diverged(j.job.sim, step));
    assert_int_equal(step[0], -1);
    assert_int_equal(step[1], 21);
    assert_int_equal(step[2], -1);
    const double *s = scalars_of(&j);
    for (int k = 0; k < ADVECTION_SCALARS; k++) assert_true(isnan(s[ADVECTION_SCALARS + k]) && isfinite(s[k]));
    for (size_t i = 0; i < j.points; i++) assert_true(isnan(j.u[j.points + i]));
    for (int64_t k = 0; k < 3; k += 2) {
        struct advected one = begin_on(device, ADVECTION(SOURCE), &k, 1);
        advance(&one, 0, one.job.group->steps);
        look_at(&one);
        assert_memory_equal(one.u, j.u + (size_t)k * j.points, j.points * sizeof *j.u);
        end(&one);
    }
    /* its state, put back, is not finite from the step on that comes next */
    assert_ok(sw_sim_set_state(j.job.sim, j.u));
    advance(&j, 30, 31);
    assert_ok(j.job.sim->ops->diverged(j.job.sim, step));
    assert_int_equal(step[0], -1);
    assert_int_equal(step[1], 30);
    end(&j);
}

static void a_bad_initial_value_is_step_0(void **state)
{
    (void)state;
    struct advected j = begin(ADVECTION("initial=1/x"), 1);
    int64_t step;
    assert_ok(j.job.sim->ops->diverged(j.job.sim, &step));
    assert_int_equal(step, 0);
    end(&j);
}

/* ------------------------------------------------------------------ the Courant number */

/* c = a (1 + 10 t) on points 2 pi/16 apart, 80 steps of 0.01: stable up to sqrt(8)/1.989441 = 1.4217, which a = 8 is
 * beyond after 59.8 steps; each step is looked at. */
static struct made faster(void)
{
    return ADVECTION("sweep={ a=[1.0, 4.0, 8.0]; }", "velocity.x=a*(1 + 10*t)", "time={ dt=0.01; end=0.8; }");
}

static double courant(double a, int step) { return 0.01 / (2 * M_PI / 16) * a * (1 + 0.1 * step); }

static void expect_record(const double *record, double a, int step, double beyond)
{
    assert_near(record[0], courant(a, step), 1e-13);  /* of 2 at most, by a few roundings */
    assert_near(record[1], beyond, 0);
}

static void what_is_beyond_stability_is_recorded(void **state)
{
    (void)state;
    struct advected j = begin(faster(), 3);
    double record[3 * SW_DIAGNOSTICS];
    struct sw_text said = SW_SHORT_TEXT;
    advance(&j, 0, 64);
    assert_ok(j.job.sim->ops->records->get(j.job.sim, record));
    for (int k = 0; k < 3; k++) expect_record(record + SW_DIAGNOSTICS * k, k ? 4 * k : 1, 63, k == 2 ? 60 : -1);
    advance(&j, 64, 70);
    assert_ok(j.job.sim->ops->records->get(j.job.sim, record));
    for (int k = 0; k < 3; k++) expect_record(record + SW_DIAGNOSTICS * k, k ? 4 * k : 1, 69, k == 2 ? 60 : -1);
    j.job.sim->ops->records->warn(j.job.sim, 1, record + SW_DIAGNOSTICS, true, &said);
    assert_string_equal(said.data, "");
    j.job.sim->ops->records->warn(j.job.sim, 2, record + 2 * SW_DIAGNOSTICS, true, &said);
    assert_string_equal(said.data, "the time step was beyond stability (from t = 0.6 on, up to 1.13 times what is "
                                   "stable; Courant number 1.61)");
    sw_text_clear(&said);
    j.job.sim->ops->records->warn(j.job.sim, 2, record + 2 * SW_DIAGNOSTICS, false, &said);
    assert_string_equal(said.data, "the time step was beyond stability from t = 0.6 on");
    /* a state that is put there has no past, unless that is put there, too */
    double past[3 * SW_DIAGNOSTICS] = {1, -1, 1, 16, 9, 32};
    look_at(&j);
    assert_ok(sw_sim_set_state(j.job.sim, j.u));
    assert_ok(j.job.sim->ops->records->get(j.job.sim, record));
    for (int k = 0; k < 3; k++) assert_true(record[SW_DIAGNOSTICS * k] == 0 && record[SW_DIAGNOSTICS * k + 1] == -1);
    assert_ok(j.job.sim->ops->records->set(j.job.sim, past));
    advance(&j, 70, j.job.group->steps);
    assert_ok(j.job.sim->ops->records->get(j.job.sim, record));
    assert_memory_equal(record, past, sizeof past);
    end(&j);
}

/* Where scalars are taken it is one of them, and looked at besides. */
static void the_courant_number_is_a_scalar(void **state)
{
    (void)state;
    struct advected j = begin(faster(), 3);
    double record[3 * SW_DIAGNOSTICS];
    advance(&j, 0, j.job.group->steps);
    const double *s = scalars_of(&j);
    assert_ok(j.job.sim->ops->records->get(j.job.sim, record));
    for (int k = 0; k < 3; k++) {
        const double a = k ? 4 * k : 1;
        assert_near(s[ADVECTION_SCALARS * k + ADVECTION_COURANT], courant(a, 80), 1e-13);
        expect_record(record + SW_DIAGNOSTICS * k, a, 80, k == 2 ? 60 : -1);
    }
    end(&j);
    /* the sum over the axes, where it is largest: u = e + 1 at x = pi/2, y = 0; more points than a tile */
    j = begin(ADVECTION("grid={ n=[64, 40]; length=\"2*pi\"; }", "velocity={ x=\"u\"; y=\"-2*u\"; }",
                        "initial=exp(sin(x)) + cos(y)", "physics={ nu=0.1; }", "time={ dt=0.01; end=0.1; }"), 1);
    const double most = 0.01 * (M_E + 1) * (64 + 2 * 40) / (2 * M_PI);
    assert_near(scalars_of(&j)[ADVECTION_COURANT], most, 1e-13);
    /* and with what nu takes, K2 nu dt (1/dx² + 1/dy²)/R */
    const double taken = 0.1 * 0.01 * 48 / 7 * (64 * 64 + 40 * 40) / (4 * M_PI * M_PI) / 2.7852935634052816;
    const double bound = ((struct advection_sim *)j.job.sim)->run[0].courant_limit;
    assert_near(bound, (1 - taken) * sqrt(8) / 1.989441, 2e-6);  /* K of 2000 waves: to 1e-6, the top being flat */
    end(&j);
    /* waves that cannot be stable, as nu alone takes more than there is */
    j = begin(ADVECTION("velocity.x=0", "physics={ nu=2.0; }", "time={ dt=0.1; end=0.1; }"), 1);
    advance(&j, 0, 1);
    assert_ok(j.job.sim->ops->records->get(j.job.sim, record));
    assert_true(record[0] == 0 && record[1] == 0);
    end(&j);
}

/* A peak that moves and grows, over more points than a thread, a block or a tile has, and in runs of which some stop
 * being stable: the largest of all points and steps, and the first step beyond. */
static struct made peak(void)
{
    return ADVECTION("grid={ n=[150, 90]; length=[3.0, 2.0]; }", "sweep={ a=[0.0, 0.3, 0.6, 1.2, 6.0]; }",
                     "velocity={ x=\"1 + a*exp(5*t - 30*((x-0.4-6*t)^2 + (y-1)^2))\"; y=\"0.5*a\"; }",
                     "initial=1 + 0*x", "time={ dt=0.01; end=0.3; }");
}

static void a_peak_is_found_wherever_it_is(void **state)
{
    (void)state;
    enum { NX = 150, NY = 90, RUNS = 5, STEPS = 30 };
    struct advected j = begin(peak(), RUNS);
    double record[RUNS * SW_DIAGNOSTICS];
    int found = 0;
    advance(&j, 0, STEPS);
    assert_ok(j.job.sim->ops->records->get(j.job.sim, record));
    for (int k = 0; k < RUNS; k++) {
        const double a = (double[RUNS]){0, 0.3, 0.6, 1.2, 6}[k],
                     bound = ((struct advection_sim *)j.job.sim)->run[k].courant_limit;
        double most = 0, beyond = -1;
        for (int step = 0; step < STEPS; step++) {
            double here = 0;
            for (int i = 0; i < NX * NY; i++) {
                const double t = 0.01 * step, x = i % NX * 3.0 / NX - 0.4 - 6 * t, y = i / NX * 2.0 / NY - 1;
                const double cx = 1 + a * exp(5 * t - 30 * (x * x + y * y));
                here = fmax(here, 0.01 * (cx * NX / 3 + 0.5 * a * NY / 2));
            }
            most = fmax(most, here);
            if (beyond < 0 && here > bound) beyond = step;
        }
        assert_near(record[SW_DIAGNOSTICS * k], most, 1e-12 * (1 + most)); /* exponents of 10 or so: exact to 1e-15 */
        assert_near(record[SW_DIAGNOSTICS * k + 1], beyond, 0);
        found += beyond > 0;
    }
    assert_true(found >= 2);
    end(&j);
    for (int64_t k = 0; k < RUNS; k++) {  /* and alone, when all threads have tiles of it: to the bit */
        double alone[SW_DIAGNOSTICS];
        struct advected one = begin_on(device, peak(), &k, 1);
        advance(&one, 0, STEPS);
        assert_ok(one.job.sim->ops->records->get(one.job.sim, alone));
        assert_memory_equal(alone, record + SW_DIAGNOSTICS * k, sizeof alone);
        end(&one);
    }
}

/* ------------------------------------------------------------------ precision, noise */

/* 4 stages of 50 steps round by 2^-24 of |u| < 3 each, and derivatives of first order by 2^-24 pi n/2 or so of u, dt
 * times. */
static void single_precision_is_close(void **state)
{
    (void)state;
    struct advected wide = finish(ADVECTION("grid.n=64"), 1),
                    narrow = finish(ADVECTION("grid.n=64", "run.precision=single"), 1);
    double off = 0;
    for (size_t i = 0; i < wide.points; i++) {
        off = fmax(off, fabs(wide.u[i] - narrow.u[i]));
        assert_true(narrow.u[i] == (double)(float)narrow.u[i]);
    }
    assert_true(off > 0 && off < 200 * 3 * 0x1p-24);
    end(&wide);
    end(&narrow);
}

/* Each point has a number of its own, in runs longer than a tile as well. */
static void noise_does_not_repeat(void **state)
{
    (void)state;
    struct advected j = begin(ADVECTION("grid.n=6000", "initial=randn(1)"), 1);
    look_at(&j);
    for (size_t lag = 1; lag <= 4096; lag *= 2) {
        size_t equal = 0;
        for (size_t i = 0; i + lag < j.points; i++) equal += j.u[i] == j.u[i + lag];
        assert_true(equal < 3);
    }
    end(&j);
}

/* ------------------------------------------------------------------ the time step */

static const char without_dt[] = "problem = \"advection\"; grid = { n = 16; length = \"2*pi\"; };\n"
                                 "velocity = { x = 1.0; }; initial = \"exp(sin(x))\";\n";
#define ADVECTION_WITHOUT_DT(...) make_text(without_dt, OVERRIDES(__VA_ARGS__))
#define CFL(...) ADVECTION_WITHOUT_DT("time={ cfl=0.5; end=0.5; }", __VA_ARGS__)

static double step_of(struct made made)
{
    const double dt = number(made.sweep, "time.dt", 0);
    unmake(&made);
    return dt;
}

/* dx = 2 pi/16, |c| = 1: dt <= 0.5 dx is 0.196.., of 0.5 three steps. K1 of d1_c6 is 1.98944 (Lele 1992: 1.989), that
 * of Burgers' equation has the largest u, e. nu K2 dt/dx² <= 0.9 2.7853, K2 of d2_c6 is 48/7. */
static void the_step_follows_from_a_courant_number(void **state)
{
    (void)state;
    const double dx = 2 * M_PI / 16;
    assert_near(step_of(CFL("grid.n=16")), 0.5 / 3, 1e-16);
    assert_near(step_of(CFL("velocity.x=0.01*u")), 0.5, 0);
    assert_near(step_of(CFL("velocity.x=u", "time.end=100.0")), 100 / ceil(100 / (0.5 * dx / exp(1))), 1e-15);
    /* of a velocity in t the largest of the times that are looked at; here at the end */
    assert_near(step_of(CFL("velocity.x=t", "time.end=100.0")), 100 / ceil(100 / (0.5 * dx / 100)), 1e-15);
    assert_near(step_of(CFL("grid={ n=[16, 16]; length=\"2*pi\"; }", "velocity.y=-1", "time.end=100.0")),
                100 / ceil(100 / (0.25 * dx)), 1e-15);
    /* limited by diffusion, by advection, by both */
    const double diffusion = 48.0 / 7 * 2 / (dx * dx) / 2.7852935634052816, wave = 1.989441 / dx / sqrt(8);
    assert_near(step_of(CFL("velocity.x=0", "physics={ nu=2.0; }", "time.end=100.0")),
                100 / ceil(100 * diffusion / 0.9), 1e-15);
    assert_near(step_of(CFL("time={ cfl=50; end=100.0; }")), 100 / ceil(100 * wave / 0.9), 1e-15);
    assert_near(step_of(CFL("physics={ nu=2.0; }", "time={ cfl=50; end=100.0; }")),
                100 / ceil(100 * (wave + diffusion) / 0.9), 1e-15);
    /* each run has its own, wherever the runs are asked for */
    struct made m = CFL("sweep={ c=[1.0, 2.0]; n=[16, 32]; }", "velocity.x=c", "grid.n=n", "time.end=100.0");
    for (int k = 0; k < 4; k++)
        assert_near(number(m.sweep, "time.dt", k), 100 / ceil(100 * (1 + k / 2) * (k % 2 ? 2 : 1) / (0.5 * dx)), 1e-15);
    unmake(&m);
    /* what comes in is faster than what is there: 3 at the end, on 16 points between walls */
    assert_near(step_of(CFL("velocity.x=0-u", "initial=0", "boundary.x=3-4-6", "right={ x=\"3*t/100\"; }",
                            "time.end=100.0")), 100 / ceil(100 / (0.5 * dx * 16 / 15 / 3)), 1e-15);
    /* nothing moves: one step */
    assert_near(step_of(CFL("velocity.x=0")), 0.5, 0);
}

/* A source has dt |dS/du| <= 1/2 for every u that it may bring: all, 1 from 0.01 on, e/(1 - e t) from e on; one
 * without u changes no step. */
static void the_step_follows_a_source(void **state)
{
    (void)state;
    assert_near(step_of(CFL("forcing=100*cos(x)")), 0.5 / 3, 1e-16);
    assert_near(step_of(CFL("forcing=-u")), 0.5 / 3, 1e-16);
    assert_near(step_of(CFL("forcing=cos(x - t) - 30*u")), 0.5 / 30, 1e-15);
    assert_near(step_of(CFL("forcing=30*u")), 0.5 / 30, 1e-15);
    assert_near(step_of(CFL("forcing=x < 1 && t > 0.4 ? -30*u : 0")), 0.5 / 30, 1e-15);
    const double front = 0.5 / step_of(CFL("forcing=40*(u - u^3)", "initial=0.01", "time={ cfl=0.5; end=10.0; }"));
    assert_true(front > 78 && front < 100);
    const double bounded = 0.5 / step_of(CFL("forcing=u^2", "time={ cfl=50; end=0.1; }"));
    assert_true(bounded > 2 * 2.7 && bounded < 2 * 5.5);
    const double wall = 0.5 / step_of(CFL("forcing=-u^3", "initial=0", "boundary.x=3-4-6", "left={ x=\"10*t\"; }"));
    assert_true(wall > 70 && wall < 77);
    const double flux = 0.5 / step_of(CFL("forcing=-u^3", "initial=0", "boundary.x=3-4-6", "physics={ nu=0.01; }",
                                          "left={ neumann={ x=\"-1\"; }; }", "right={ x=0; }", "time.end=10.0"));
    assert_true(flux > 3);
    static const char open[] = "-s: error: 'time.cfl' = 0.5: no step follows from it: forcing may take u to where it "
                               "changes ever faster with u; give time.dt\n";
    REFUSED_ADVECTION(open, "time={ cfl=0.5; end=0.5; }", "forcing=u^2");
    REFUSED_ADVECTION(open, "time={ cfl=0.5; end=0.5; }", "forcing=u*exp(u)");
    REFUSED_ADVECTION("-s: error: 'forcing' = \"-dt*u\": dt follows from it by time.cfl; give time.dt, or leave dt "
                      "out\n", "time={ cfl=0.5; end=0.5; }", "forcing=-dt*u");
}

/* The largest modified wave numbers: sqrt(3) for d1_c4, and 6, 48/7 for second derivatives, those of the shortest
 * wave; the others from the formulas of docs/explanation/compact.md, at 200 000 waves. */
static void the_largest_wave_numbers_are_known(void **state)
{
    (void)state;
    static const struct { const char *scheme; double largest; } known[] = {
        {"d1_c4", 1.7320508}, {"d1_c6", 1.989441}, {"d1_c8", 2.133402}, {"d1_c10", 2.324302}, {"d2_c4", 6},
        {"d2_c6", 48.0 / 7}, {"d2_c8", 7.324444}};
    for (size_t k = 0; k < ROOM(known); k++)
        assert_near(advection_largest_wavenumber(sw_fd_scheme_find(known[k].scheme)), known[k].largest, 2e-6);
}

/* |R(z)| <= 1 in the triangle between -real and +-i imaginary. */
static void the_triangle_of_each_method_is_stable(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct sw_choice choice[] = {{"method", k ? "ssp_rk3" : "rk4"}, {"filter", "none"}};
        const struct sw_setup setup = {.nchoice = 2, .choice = choice};
        const struct rk_method *rk = advection_discretization_of(&setup).rk;
        assert_string_equal(rk->name, k ? "ssp_rk3" : "rk4");
        for (int i = 0; i <= 200; i++)
            for (int j = 0; i + j <= 200; j++) {
                double re = 1, im = 0, x = -rk->real * i / 200, y = rk->imaginary * j / 200;
                for (int p = rk->order; p > 0; p--) {  /* Horner: 1 + z/p (...) */
                    const double r = 1 + (x * re - y * im) / p;
                    im = (x * im + y * re) / p;
                    re = r;
                }
                assert_true(hypot(re, im) <= 1 + 1e-14);
            }
    }
}

/* What is said of run 0. */
static void warning_of(struct made m, char said[200])
{
    struct sw_text warning = sw_text_in(strcpy(said, ""), 200);
    double *column;
    struct sw_group *group;
    int ngroup;
    assert_ok(sw_alloc((size_t)m.sweep->ncolumn, &column));
    assert_ok(sw_sweep_columns(m.sweep, NULL, 0, 1, column));
    assert_ok(sw_sweep_groups(m.sweep, (const int64_t[]){0}, 1, &group, &ngroup));
    const struct sw_setup setup = sw_sweep_setup(m.sweep, group, 1);
    assert_ok(m.sweep->problem->advice->warn_run->warn(&setup, 1, column, 0, NULL, &warning));
    sw_groups_free(&group, ngroup);
    sw_free(column);
    unmake(&m);
}

/* Steps of dx/2 at a speed of 1 would be 1024: a speed that is 0 at both ends, half way, and at all eighths; one that
 * is there for a fiftieth of the time, at one end or the other or inside; none. */
static void a_velocity_that_comes_and_goes_is_found(void **state)
{
    (void)state;
    static const struct { const char *velocity; double least, most; } at[] = {
        {"velocity.x=sin(8*pi*t)", 1020, 1024},         {"velocity.x=sin(8*pi*t)^2", 1020, 1024},
        {"velocity.x=sin(64*pi*t)", 1010, 1024},        {"velocity.x=\"t > 0.3 && t < 0.32 ? 1 : 0\"", 1024, 1024},
        {"velocity.x=\"t > 0.98 ? 1 : 0\"", 1024, 1024}, {"velocity.x=\"t < 0.02 ? 1 : 0\"", 1024, 1024},
        {"velocity.x=\"x > 0.5 && t > 0.7 && t < 0.72 ? 1 : 0\"", 1024, 1024}, {"velocity.x=0*t", 1, 1}};
    for (size_t k = 0; k < ROOM(at); k++) {
        const double steps = 1 / step_of(CFL("grid={ n=512; length=1.0; }", "time={ cfl=0.5; end=1.0; }",
                                             at[k].velocity));
        assert_true(steps > at[k].least - 0.5 && steps < at[k].most + 0.5);
    }
    char said[200];
    warning_of(CFL("sweep={ a=[0.0]; }", "velocity.x=a*sin(t)"), said);
    assert_contains(said, "the velocity was 0 at all 256 times at which it was sampled: time.cfl makes one step");
    warning_of(CFL("sweep={ a=[1.0]; }", "velocity.x=a*sin(t)"), said);
    assert_string_equal(said, "");
    warning_of(CFL("velocity.x=0"), said);
    assert_string_equal(said, "");
}

/* dt <= sqrt(8) dx/1.989441 = 0.5583, of RK3 0.3419. */
static void a_step_beyond_stability_is_remarked(void **state)
{
    (void)state;
    static const struct { const char *dt, *stepper; bool said; } at[] = {
        {"time={ dt=0.5; end=10.0; }", "method=rk4", false}, {"time={ dt=0.625; end=10.0; }", "method=rk4", true},
        {"time={ dt=0.3125; end=10.0; }", "method=ssp_rk3", false},
        {"time={ dt=0.4; end=10.0; }", "method=ssp_rk3", true}};
    for (size_t k = 0; k < ROOM(at); k++) {
        char said[200];
        warning_of(ADVECTION(at[k].dt, at[k].stepper), said);
        assert_int_equal(*said != 0, at[k].said);
        if (k == 1) assert_contains(said, "time.dt = 0.625 is 1.1 times what is stable for the largest speed and nu "
                                          "(about 0.558)");
    }
}

/* dS/du is -80 where u is 1: beyond 2.5127/0.04 of ssp_rk3, which goes to 1.18 and stays there. */
static void a_source_beyond_stability_is_remarked(void **state)
{
    (void)state;
    char said[200];
    warning_of(ADVECTION("forcing=40*(u - u^3)", "method=ssp_rk3", "initial=0.5*sin(x)", "velocity.x=0",
                         "time={ dt=0.04; end=4.0; }"), said);
    assert_contains(said, "time.dt = 0.04 is 1.");
    assert_contains(said, "times what is stable for the largest speed, nu and forcing (about 0.0");
    assert_contains(said, "the run will probably diverge, or be wrong");
}

/* sqrt(8)/1.989441 = 1.4217; nothing is said of what moves nowhere. */
static void a_courant_number_beyond_stability_is_remarked(void **state)
{
    (void)state;
    char said[200];
    warning_of(CFL("time={ cfl=1.4; end=10.0; }"), said);
    assert_string_equal(said, "");
    warning_of(CFL("time={ cfl=1.5; end=10.0; }"), said);
    assert_string_equal(said, "time.cfl = 1.5 is more than rk4 with d1_c6 is stable with, 1.42: steps are of 0.9 of "
                              "that at most");
    warning_of(CFL("time={ cfl=1.5; end=10.0; }", "velocity.x=0", "physics={ nu=1.0; }"), said);
    assert_string_equal(said, "");
}

/* Left without data at an inflow errors grow by a factor of 1e5 in two crossings, and the run is done all the same. */
static void data_at_the_wrong_wall_is_remarked(void **state)
{
    (void)state;
    static const char in[] = "u comes in at the %s wall of x, where nothing is given: %s.x is missing",
                      out[] = "u goes out at the %s wall of x and nu is 0: what %s.x gives is at odds with what",
                      no[] = "nu is not 0 and nothing flows through the %s wall of x: without %s.x, which is missing",
                      steep[] = "u comes in at the %s wall of x, where its derivative is given: with c dx/nu",
                      guess[] = "nu is not 0 and u goes out at the %s wall of x without %s.x: u there is what";
    static const struct { const char *c, *left, *right, *nu, *said, *side; } at[] = {
        {"velocity.x=1", "left={ x=\"t\"; }", "right={}", "physics={ nu=0.0; }", NULL, NULL},
        {"velocity.x=-1", "left={ x=\"t\"; }", "right={}", "physics={ nu=0.0; }", in, "right"},
        {"velocity.x=cos(4*t)", "left={ x=\"t\"; }", "right={}", "physics={ nu=0.0; }", in, "right"},
        {"velocity.x=1", "left={}", "right={}", "physics={ nu=0.1; }", in, "left"},
        {"velocity.x=1", "left={ x=\"t\"; }", "right={}", "physics={ nu=0.1; }", guess, "right"},
        {"velocity.x=-1", "left={}", "right={ x=\"t\"; }", "physics={ nu=0.1; }", guess, "left"},
        {"velocity.x=-1", "left={}", "right={}", "physics={ nu=0.1; }", in, "right"},
        {"velocity.x=1", "left={ x=\"t\"; }", "right={ x=\"0\"; }", "physics={ nu=0.0; }", out, "right"},
        {"velocity.x=1", "left={ x=\"t\"; }", "right={ x=\"0\"; }", "physics={ nu=0.1; }", NULL, NULL},
        {"velocity.x=u", "left={ x=\"1+t\"; }", "right={}", "physics={ nu=0.0; }", NULL, NULL},
        {"velocity.x=-u", "left={ x=\"0\"; }", "right={}", "physics={ nu=0.0; }", in, "right"},
        {"velocity.x=sin(pi*x/length)", "left={}", "right={}", "physics={ nu=0.0; }", NULL, NULL},
        {"velocity.x=sin(pi*x/length)", "left={ x=\"0\"; }", "right={}", "physics={ nu=0.1; }", no, "right"},
        {"velocity.x=0", "left={}", "right={ x=\"t\"; }", "physics={ nu=0.1; }", no, "left"},
        {"velocity.x=0", "left={ x=\"t\"; }", "right={ x=\"t\"; }", "physics={ nu=0.1; }", NULL, NULL},
        {"velocity.x=1", "left={ x=\"t\"; }", "right={ neumann={ x=\"0\"; }; }", "physics={ nu=0.01; }", NULL, NULL},
        {"velocity.x=1", "left={ neumann={ x=\"0\"; }; }", "right={ x=\"t\"; }", "physics={ nu=0.1; }", NULL, NULL},
        {"velocity.x=1", "left={ neumann={ x=\"0\"; }; }", "right={ x=\"t\"; }", "physics={ nu=0.01; }", steep, "left"},
    };
    for (size_t k = 0; k < ROOM(at); k++) {
        char said[200], expected[200] = "";
        warning_of(ADVECTION("boundary.x=3-4-6", "time={ dt=0.01; end=1.0; }", at[k].c, at[k].left, at[k].right,
                             at[k].nu), said);
        if (at[k].said) snprintf(expected, sizeof expected, at[k].said, at[k].side, at[k].side);
        if (at[k].said) assert_contains(said, expected);
        else assert_string_equal(said, "");
    }
}

/* ------------------------------------------------------------------ kernels compiled at run time */

/* For sm_90, on any machine that has the compiler: all terms and walls of a box, in both precisions. */
static void kernels_compile_with_all_terms(void **state)
{
    (void)state;
    need_architectures();
    static const char *const precision[] = {"run.precision=double", "run.precision=single"};
    for (int k = 0; k < 2; k++) {
        struct made m = ADVECTION("grid={ n=[13, 14, 15]; length=1.0; }", "velocity={ x=\"u\"; y=\"t\"; z=\"x\"; }",
                                  "physics={ nu=0.1; }", "boundary={ x=\"3-4-6\"; y=\"3-4-6\"; z=\"3-4-6\"; }",
                                  "left={ x=\"t*y\"; y=\"x\"; neumann={ z=\"2*t\"; }; }",
                                  "right={ x=\"t*y\"; y=\"x\"; neumann={ z=\"2*y\"; }; }",
                                  "forcing=x*u", precision[k]);
        struct sw_group *group;
        int ngroup;
        assert_ok(sw_sweep_groups(m.sweep, (const int64_t[]){0}, 1, &group, &ngroup));
        const struct sw_setup setup = sw_sweep_setup(m.sweep, group, 1);
        struct sw_device *sm_90 = open_architecture(90);
        struct sw_sim *sim = NULL;
        const enum sw_status st = m.sweep->problem->create(&setup, sm_90, &sim);
        if (sim) sim->ops->destroy(sim);
        sw_groups_free(&group, ngroup);
        unmake(&m);
        assert_compiled(st, sm_90);
    }
}

/* ------------------------------------------------------------------ what is refused */

static void what_does_not_fit_is_refused(void **state)
{
    char known[200], expected[400];
    (void)state;
    REFUSED_ADVECTION("-s: error: 'time' has both dt and cfl; leave one out\n", "time.cfl=0.5");
    refuse_text("problem = \"advection\"; grid = { n = 16; length = 1.0; }; velocity = { x = \"u\"; };\n"
                "forcing = \"1\"; initial = \"0\";\ntime = { end = 1.0; };",
                NULL, 0, "ch.cfg:3: error: 'time.cfl' = 0.5, its default: " NO_STEP);
    REFUSED_ADVECTION("-s: error: 'time.cfl' = 0: must be greater than 0\n", "time={ cfl=0.0; end=1.0; }");
    REFUSED_ADVECTION("-s: error: 'time.cfl' = 0.5: " NO_STEP, "time={ cfl=0.5; end=1.0; }", "velocity.x=u",
                      "initial=0");
    REFUSED_ADVECTION("-s: error: 'time.cfl' = 0.5: " NO_STEP, "time={ cfl=0.5; end=1.0; }", "velocity.x=0",
                      "forcing=sin(x)");
    REFUSED_ADVECTION("-s: error: 'time.cfl' = 0.5: " NO_STEP, "time={ cfl=0.5; end=1.0; }", "velocity.x=1e308*10*u");
    REFUSED_ADVECTION("-s: error: 'velocity.y' = 1: there is no y on a grid of 1 dimension\n", "velocity.y=1");
    REFUSED_ADVECTION("-s: error: 'right.z' = \"t\": there is no z on a grid of 2 dimensions\n", "grid.n=[16, 16]",
                      "right={ z=\"t\"; }");
    REFUSED_ADVECTION("-s: error: 'boundary.y' = \"3-4-6\": there is no y on a grid of 1 dimension\n",
                      "boundary.y=3-4-6");
    REFUSED_ADVECTION("-s: error: 'left.x' = \"t\": x is periodic: there is no wall where u could be given; take "
                      "boundary.x = \"3-4-6\"\n", "left={ x=\"t\"; }");
    REFUSED_ADVECTION("-s: error: 'left.neumann.x' = \"t\": left.x is given there, too; leave one out\n",
                      "boundary.x=3-4-6", "left={ x=\"t\"; neumann={ x=\"t\"; }; }", "physics={ nu=0.1; }");
    REFUSED_ADVECTION("-s: error: 'right.neumann.x' = \"t\": nu is 0: it is a condition of diffusion; give nu, or "
                      "leave it out\n", "boundary.x=3-4-6", "right={ neumann={ x=\"t\"; }; }");
    snprintf(expected, sizeof expected, "-s: error: 'boundary.x' = \"3-4-4\": d1_c6 has no closure \"3-4-4\"; it has "
             "%s\n", fd_boundaries("d1_c6", known));
    REFUSED_ADVECTION(expected, "boundary.x=3-4-4");
    REFUSED_ADVECTION("-s: error: 'boundary.x' = \"3-4-6\": d1_c8 has no closure \"3-4-6\"; it has periodic\n",
                      "boundary.x=3-4-6", "scheme=d1_c8");
    REFUSED_ADVECTION("-s: error: 'boundary.x' = \"3-4-6\": d2_c8 has no closure \"3-4-6\"; it has periodic\n",
                      "boundary.x=3-4-6", "scheme2=d2_c8", "physics={ nu=1.0; }");
    snprintf(known, sizeof known, "periodic");
    for (int k = 0; sw_fd_closures[k]; k++)
        if (sw_fd_closures[k]->kind == SW_FD_FIRST)
            snprintf(known + strlen(known), sizeof known - strlen(known), ", %s", sw_fd_closures[k]->name);
    snprintf(expected, sizeof expected, "-s: error: 'boundary.x' = \"3-4-5\" is none of %s; did you mean '3-4-6'?\n",
             known);
    REFUSED_ADVECTION(expected, "boundary.x=3-4-5");
    REFUSED_ADVECTION("-s: error: 'grid.n' = 5: d1_c6, 3-4-6 needs at least 6 points along x\n", "boundary.x=3-4-6",
                      "grid.n=5");
    REFUSED_ADVECTION("-s: error: 'grid.n' = 8: f10, periodic needs at least 11 points along x\n", "filter=f10",
                      "grid.n=8");
    REFUSED_ADVECTION("-s: error: 'alpha' = 0.5: a filter's lies between -1/2 and 1/2; near 1/2 it takes only the "
                      "shortest waves\n", "filter=f8", "alpha=0.5");
    REFUSED_ADVECTION("-s: error: 'filter' = \"f7\" is none of none, f2, f4, f6, f8, f10; did you mean 'f2'?\n",
                      "filter=f7");
    REFUSED_ADVECTION("-s: error: 'scheme' = \"d2_c6\" is none of d1_c4, d1_c6, d1_c8, d1_c10; did you mean 'd1_c6'?\n",
                      "scheme=d2_c6");
    REFUSED_ADVECTION("-s: error: 'method' = \"rk5\" is none of rk4, ssp_rk3; did you mean 'rk4'?\n", "method=rk5");
    REFUSED_ADVECTION("-s: error: 'physics.nu' = -1: must be at least 0\n", "physics={ nu=-1.0; }");
    REFUSED_ADVECTION("-s: error: 'forcing', column 1: randn cannot be used here\n    randn(1)\n    ^~~~~  random "
                      "numbers belong to fields, as in initial\n", "forcing=randn(1)");
    REFUSED_ADVECTION("-s: error: 'left.x', column 1: unknown name 'u'\n    u\n    ^  known: x y z t n nx length lx "
                      "dim dt end nu ny nz ly lz pi e\n", "boundary.x=3-4-6", "left={ x=\"u\"; }");
    REFUSED_ADVECTION("-s: error: 'velocity.x' = \"1 + dt\": dt follows from it by time.cfl; give time.dt, or leave dt "
                      "out\n", "time={ cfl=0.5; end=1.0; }", "velocity.x=1 + dt");
    REFUSED_ADVECTION("-s: error: 'left.x' = \"1 + 99*dt\": dt follows from it by time.cfl; give time.dt, or leave dt "
                      "out\n", "time={ cfl=0.5; end=1.0; }", "velocity.x=u", "boundary.x=3-4-6",
                      "left={ x=\"1 + 99*dt\"; }");
    /* a define that needs the step, which follows from everything */
    REFUSED_ADVECTION("-s: error: 'time.dt' depends on itself: dt -> m -> dt\n", "time={ cfl=0.5; end=1.0; }",
                      "define={ m=\"2*dt\"; }");
}

int main(void)
{
    const struct CMUnitTest before[] = {
        cmocka_unit_test(the_step_follows_from_a_courant_number),
        cmocka_unit_test(the_step_follows_a_source),
        cmocka_unit_test(the_largest_wave_numbers_are_known),
        cmocka_unit_test(a_velocity_that_comes_and_goes_is_found),
        cmocka_unit_test(the_triangle_of_each_method_is_stable),
        cmocka_unit_test(a_step_beyond_stability_is_remarked),
        cmocka_unit_test(a_source_beyond_stability_is_remarked),
        cmocka_unit_test(a_courant_number_beyond_stability_is_remarked),
        cmocka_unit_test(data_at_the_wrong_wall_is_remarked),
        cmocka_unit_test(kernels_compile_with_all_terms),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    const struct CMUnitTest orders[] = {  /* many steps */
        cmocka_unit_test(derivatives_have_the_order_of_their_scheme),
        cmocka_unit_test(walls_have_one_order_more_than_their_first_row),
        cmocka_unit_test(a_derivative_at_walls_has_the_order_of_the_first_row),
        cmocka_unit_test(stepping_has_its_order_with_inflow_that_varies),
        cmocka_unit_test(a_filter_has_its_order),
        cmocka_unit_test(a_step_that_follows_a_source_is_short_enough),
        cmocka_unit_test(burgers_equation_is_solved_between_walls),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_that_falls_is_followed),
        cmocka_unit_test(a_filter_takes_the_shortest_wave),
        cmocka_unit_test(boxes_are_differentiated_along_all_axes),
        cmocka_unit_test(walls_hold_what_is_given),
        cmocka_unit_test(walls_may_differ_in_kind),
        cmocka_unit_test(a_circle_keeps_the_mass),
        cmocka_unit_test(scalars_are_those_of_the_field),
        cmocka_unit_test(a_run_in_a_batch_is_what_it_is_alone),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(derivatives_along_x_and_y_at_once_change_no_bit),
        cmocka_unit_test(batches_follow_each_other),
        cmocka_unit_test(an_interruption_changes_no_bit),
        cmocka_unit_test(a_run_that_diverges_harms_no_other),
        cmocka_unit_test(a_bad_initial_value_is_step_0),
        cmocka_unit_test(what_is_beyond_stability_is_recorded),
        cmocka_unit_test(the_courant_number_is_a_scalar),
        cmocka_unit_test(a_peak_is_found_wherever_it_is),
        cmocka_unit_test(single_precision_is_close),
        cmocka_unit_test(noise_does_not_repeat),
    };
    int failed = cmocka_run_group_tests_name("whatever the device", before, NULL, NULL);
    for_each_row(advection_table)
    {
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_device, close_device);
        if (!small_suite()) failed += cmocka_run_group_tests_name(under_test->name, orders, open_device, close_device);
    }
    return failed;
}
