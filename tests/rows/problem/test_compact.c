/* The problem `compact`: that its exact results are those of calculus, its errors fall as the orders say, in every
 * dimension and along every axis, and that no run depends on others. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "fd_helpers.h"
#include "field/norms.h"
#include "job_helpers.h"

static const char text[] = "problem = \"compact\";\n"
                           "grid = { n = 32; length = \"2*pi\"; };\n"
                           "field = \"exp(sin(x))\";\n"
                           "output = { fields = { precision = \"double\"; }; };\n"
                           "run = { device = \"cpu\"; };\n";
/* The divergence takes no field. */
static const char text_of_vector[] = "problem = \"compact\"; operator = \"divergence\";\n"
                                     "grid = { n = 32; length = \"2*pi\"; };\n"
                                     "output = { fields = { precision = \"double\"; }; };\n"
                                     "run = { device = \"cpu\"; };\n";
#define COMPACT(...) make_text(text, OVERRIDES(__VA_ARGS__))
#define DIVERGENCE(...) make_text(text_of_vector, OVERRIDES(__VA_ARGS__))
#define REFUSED_DIVERGENCE(expected, ...) refuse_text(text_of_vector, OVERRIDES(__VA_ARGS__), expected)
#define REFUSED_COMPACT(expected, ...) refuse_text(text, OVERRIDES(__VA_ARGS__), expected)

/* ------------------------------------------------------------------ a group of runs, computed */

struct computed {
    struct job       job;
    struct sw_norms *norm;   /* [count]            */
    const double    *field;  /* [2][count][points]; of a gradient [2][components][count][points] */
};

/* Runs `run` of a config, which are of one shape. */
static struct computed compute_on(struct made made, const int64_t *run, int count, struct sw_device *lent)
{
    struct computed c = {.job = load_runs(made, run, count, lent)};
    struct sw_sim *sim = c.job.sim;
    int64_t step[64];
    assert_ok(sw_alloc((size_t)count, &c.norm));
    assert_ok(sim->ops->advance(sim, 0, 1));
    assert_ok(sim->ops->diverged(sim, step));
    for (int k = 0; k < count; k++) assert_int_equal(step[k], -1);
    assert_ok(sim->ops->norms(sim, c.norm));
    const double *scalars;
    assert_ok(sim->ops->fetch(sim, 0, (const void **)&c.field, &scalars));
    return c;
}

static void discard(struct computed *c)
{
    close_job(&c->job);
    sw_free(c->norm);
}

static struct computed compute(struct made made) { return compute_on(made, (const int64_t[]){0}, 1, NULL); }

static struct sw_norms norms_of(struct made made)
{
    struct computed j = compute(made);
    const struct sw_norms n = j.norm[0];
    discard(&j);
    return n;
}

/* ------------------------------------------------------------------ results */

/* cos(k x) is the exact result of no scheme, but of its own modified wave number: with h = L/n
 * k' = (14/9 sin(kh) + 1/9 sin(2kh)/2)/(h (1 + 2/3 cos(kh))) for d1_c6 (Lele, 1992, 2.1), and the error is (k' - k)
 * cos. */
static void the_error_of_a_wave_is_that_of_its_wave_number(void **state)
{
    (void)state;
    const double h = 2 * M_PI / 32, k = 5, kh = k * h;
    const double modified = (14.0 / 9 * sin(kh) + 1.0 / 18 * sin(2 * kh)) / (h * (1 + 2.0 / 3 * cos(kh)));
    struct computed j = compute(COMPACT("scheme=d1_c6", "field=sin(5*x)"));
    for (int i = 0; i < 32; i++) {  /* 2^-53 * 5/h * 2 or so of rounding */
        assert_near(j.field[i], modified * cos(k * i * h), 1e-13);
        assert_near(j.field[32 + i], (modified - k) * cos(k * i * h), 1e-13);
    }
    assert_near(j.norm[0].max, fabs(modified - k), 1e-13);
    assert_near(j.norm[0].l2, fabs(modified - k) / sqrt(2), 1e-13);
    assert_near(j.norm[0].rel, fabs(modified - k) / k, 1e-13);
    assert_near(j.norm[0].interior, j.norm[0].max, 0);
    discard(&j);
}

/* Along each axis of a box a product of functions has the error of its factor, times the others. */
static void every_axis_of_a_box_is_differentiated(void **state)
{
    (void)state;
    static const char *const axis[] = {"axis=x", "axis=y", "axis=z"};
    static const int64_t n[] = {16, 24, 20};
    const double h[] = {2 * M_PI / 16, 1.0 / 24, 2.0 / 20};
    for (int d = 0; d < 3; d++) {
        struct computed j = compute(COMPACT("grid.n=[16, 24, 20]", "grid.length=(\"2*pi\", 1.0, 2.0)",
                                            "grid.x0=[0.0, 0.5, -1.0]", "field=sin(x)*cos(2*pi*y)*sin(pi*z + 0.3)",
                                            axis[d], "scheme=d2_c8"));
        const double k[] = {1, 2 * M_PI, M_PI}, kh = k[d] * h[d];
        /* 147/152, 51/95, -23/760 over 1 + 2 9/38 cos, as in Lele's (2.2) */
        const double modified = (147.0 / 152 * 2 * (1 - cos(kh)) + 51.0 / 95 * 2 * (1 - cos(2 * kh)) / 4 -
                                 23.0 / 760 * 2 * (1 - cos(3 * kh)) / 9) / (h[d] * h[d] * (1 + 9.0 / 19 * cos(kh)));
        double worst = 0;
        for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
            double x = (double)(i % n[0]) * h[0], y = 0.5 + (double)(i / n[0] % n[1]) * h[1],
                   z = -1 + (double)(i / n[0] / n[1]) * h[2], f = sin(x) * cos(2 * M_PI * y) * sin(M_PI * z + 0.3);
            worst = fmax(worst, fabs(j.field[i] + modified * f));
        }
        assert_true(worst < 1e-11);  /* 2^-53 times 4/h² = 2304, times a few */
        assert_true(fabs(j.norm[0].l2 / fabs(modified - k[d] * k[d]) - sqrt(0.125)) < 1e-3);
        discard(&j);
    }
}

/* Expressions with functions, parameters and definitions: the derivative that is compared with is that of calculus. */
static void the_exact_result_is_derived_from_any_expression(void **state)
{
    (void)state;
    struct computed j = compute(COMPACT("sweep.a=0.3", "define={ q=\"2*pi/length\"; }", "scheme=d1_c10", "grid.n=64",
                                        "field=1/(2 + cos(q*x)) + a*log(3 + sin(q*x)^2)"));
    for (int i = 0; i < 64; i++) {
        double x = 2 * M_PI * i / 64, s = sin(x), c = cos(x);
        double exact = s / ((2 + c) * (2 + c)) + 0.3 * 2 * s * c / (3 + s * s);
        assert_near(j.field[i] - j.field[64 + i], exact, 1e-14);
    }
    assert_true(j.norm[0].max < 1e-9);
    discard(&j);
}

static double order_between(struct sw_norms coarse, struct sw_norms fine, double ratio, bool interior)
{
    return log(interior ? coarse.interior / fine.interior : coarse.max / fine.max) / log(ratio);
}

/* Every scheme of the table, periodic: n = 32 and 48 are past the first terms and before rounding for all of them. */
static void every_scheme_has_its_order(void **state)
{
    (void)state;
    char scheme[40];
    for (int k = 0; sw_fd_schemes[k]; k++) {
        snprintf(scheme, sizeof scheme, "scheme=%s", sw_fd_schemes[k]->name);
        const struct sw_norms a = norms_of(COMPACT(scheme, "grid.n=32")), b = norms_of(COMPACT(scheme, "grid.n=48"));
        double order = order_between(a, b, 1.5, false);
        if (!(order > sw_fd_schemes[k]->order - 0.4 && order < sw_fd_schemes[k]->order + 1.2))
            fail_msg("%s: order %g between 32 and 48 points", sw_fd_schemes[k]->name, order);
    }
}

/* Between walls the order is that of the closure, in the middle that of the scheme. */
static void walls_have_the_order_of_their_closure_and_the_middle_that_of_the_scheme(void **state)
{
    (void)state;
    static const struct { const char *scheme, *boundary; double wall, inside; } known[] = {
        {"scheme=d1_c6", "boundary=3-4-6", 3, 6}, {"scheme=d1_c6", "boundary=4-4-6", 4, 6},
        {"scheme=d2_c6", "boundary=3-4-6", 3, 6},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct sw_norms n[2];
        for (int i = 0; i < 2; i++)
            n[i] = norms_of(COMPACT(known[k].scheme, known[k].boundary, "field=exp(sin(3*x))", "grid.length=2.0",
                                    i ? "grid.n=129" : "grid.n=65"));
        double wall = order_between(n[0], n[1], 2, false), inside = order_between(n[0], n[1], 2, true);
        if (!(fabs(wall - known[k].wall) < 0.5 && fabs(inside - known[k].inside) < 0.5))
            fail_msg("%s %s: orders %g and %g", known[k].scheme, known[k].boundary, wall, inside);
    }
}

static void half_way_schemes_and_filters_are_compared_where_they_are(void **state)
{
    (void)state;
    struct computed j = compute(COMPACT("scheme=mid_c6", "field=sin(x)"));
    for (int i = 0; i < 32; i++)
        assert_near(j.field[i] - j.field[32 + i], sin((i + 0.5) * 2 * M_PI / 32), 1e-15);
    discard(&j);
    j = compute(COMPACT("scheme=f6", "field=sin(x)", "alpha=0.3"));
    for (int i = 0; i < 32; i++) assert_near(j.field[i] - j.field[32 + i], sin(i * 2 * M_PI / 32), 1e-15);
    discard(&j);
    const struct sw_norms weak = norms_of(COMPACT("scheme=f6", "alpha=0.49")),
                          strong = norms_of(COMPACT("scheme=f6", "alpha=0.0"));
    assert_true(weak.max < strong.max / 5);
}

static void a_constant_has_derivative_zero_to_the_bit(void **state)
{
    (void)state;
    const struct sw_norms n = norms_of(COMPACT("field=0.1", "grid.dim=2", "axis=y", "boundary=4-4-6"));
    assert_near(n.max, 0, 0);
    assert_true(isnan(n.rel));  /* 0/0 */
}

/* ------------------------------------------------------------------ gradient, divergence, Laplacian */

static const char *const box[] = {"grid={ n=[16, 24, 20]; length=(\"2*pi\", 1.0, 2.0); x0=[0.0, 0.5, -1.0]; }",
                                  "grid={ n=[16, 24]; length=(\"2*pi\", 1.0); x0=[0.0, 0.5]; }", "grid.n=40"};

/* The components have the bits of three derivatives, each along its axis, on as many dimensions; where the others are
 * sampled periodically, as with walls along an axis alone, the points are not the same. */
static void a_gradient_has_the_bits_of_derivatives_along_each_axis(void **state)
{
    (void)state;
    static const char *const axis[] = {"axis=x", "axis=y", "axis=z"},
                            *const field[] = {"field=sin(x)*cos(2*pi*y)*sin(pi*z + 0.3)", "field=sin(x)*cos(2*pi*y)",
                                              "field=exp(sin(x))"};
    for (int k = 0; k < 6; k++) {
        const char *precision = k < 3 ? "run.precision=double" : "run.precision=single";
        const int dim = 3 - k % 3;
        struct computed all = compute(COMPACT(box[k % 3], field[k % 3], precision, "operator=gradient"));
        const size_t points = (size_t)sw_points(all.job.setup.n);
        struct sw_norms most = {0};
        for (int d = 0; d < dim; d++) {
            struct computed one = compute(COMPACT(box[k % 3], field[k % 3], precision, axis[d]));
            assert_memory_equal(all.field + (size_t)d * points, one.field, points * sizeof *one.field);
            assert_memory_equal(all.field + (size_t)(dim + d) * points, one.field + points,
                                points * sizeof *one.field);
            most.l2 = hypot(most.l2, one.norm[0].l2);
            most.max = fmax(most.max, one.norm[0].max);
            discard(&one);
        }
        assert_near(all.norm[0].l2, most.l2, 1e-14 * most.l2);
        assert_near(all.norm[0].max, most.max, 0);
        assert_near(all.norm[0].interior, most.max, 0);
        discard(&all);
    }
}

/* |d| over |exact|, both with all components. */
static void the_norms_of_a_gradient_are_those_of_a_vector(void **state)
{
    (void)state;
    struct computed j = compute(COMPACT(box[0], "field=sin(x)*cos(2*pi*y)*sin(pi*z + 0.3)", "operator=gradient",
                                        "boundary=4-4-6"));
    const size_t count = 3 * (size_t)sw_points(j.job.setup.n);
    double off = 0, size = 0, middle = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t i = k % (count / 3), x = i % 16, y = i / 16 % 24, z = i / 16 / 24;
        const double d = j.field[count + k], exact = j.field[k] - d;
        off += d * d;
        size += exact * exact;
        if (x >= 4 && x < 12 && y >= 6 && y < 18 && z >= 5 && z < 15) middle = fmax(middle, fabs(d));
    }
    assert_near(j.norm[0].l2, sqrt(off / (double)(count / 3)), 1e-12 * j.norm[0].l2);
    assert_near(j.norm[0].rel, sqrt(off / size), 1e-12 * j.norm[0].rel);
    assert_near(j.norm[0].interior, middle, 0);
    assert_true(middle < j.norm[0].max / 10);
    discard(&j);
}

static void each_operator_has_the_order_of_its_scheme(void **state)
{
    (void)state;
    static const struct { const char *operator, *scheme, *dim; } known[] = {
        {"operator=gradient", "scheme=d1_c6", "grid.dim=2"},   {"operator=gradient", "scheme=d1_c6", "grid.dim=3"},
        {"operator=divergence", "scheme=d1_c6", "grid.dim=2"}, {"operator=divergence", "scheme=d1_c6", "grid.dim=3"},
        {"operator=laplacian", "scheme=d2_c6", "grid.dim=2"},  {"operator=laplacian", "scheme=d2_c6", "grid.dim=3"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int walls = 0; walls < 2; walls++) {
            const bool space = strchr(known[k].dim, '3') != NULL;
            struct sw_norms n[2];
            for (int i = 0; i < 2; i++) {
                const char *const boundary = walls ? "boundary=4-4-6" : "boundary=periodic",
                           *const length = walls ? "grid.length=2.0" : "grid.length=2*pi",
                           *const points = i ? (walls ? "grid.n=49" : "grid.n=36") : walls ? "grid.n=33" : "grid.n=24",
                           *const field = space ? "field=exp(sin(x)*cos(y))*sin(z + x)" : "field=exp(sin(x)*cos(y))",
                           *const z = space ? "vector.z=sin(x + y)*cos(2*z)" : "vector.z=0";
                n[i] = norms_of(strcmp(known[k].operator, "operator=divergence")
                                    ? COMPACT(known[k].operator, known[k].scheme, known[k].dim, field, boundary, length,
                                              points)
                                    : DIVERGENCE(known[k].scheme, known[k].dim, "vector.x=exp(sin(x + y))",
                                                 "vector.y=cos(x)*sin(y)^3", z, boundary, length, points));
            }
            const double order = order_between(n[0], n[1], 1.5, false), wanted = walls ? 4 : 6;
            if (!(fabs(order - wanted) < 0.5))
                fail_msg("%s %s %s: order %g", known[k].operator, known[k].dim, walls ? "walls" : "", order);
        }
}

/* x² + 2 y² + 3 z² is a polynomial that the scheme differentiates but for rounding: its Laplacian is 12, the divergence
 * of half its gradient 6. */
static void polynomials_are_differentiated_exactly(void **state)
{
    (void)state;
    struct computed j = compute(COMPACT("operator=laplacian", "scheme=d2_c6", "boundary=4-4-6",
                                        "field=x^2 + 2*y^2 + 3*z^2", "grid={ n=[8, 9, 10]; length=[1.0, 1.0, 1.0]; }"));
    for (int64_t i = 0; i < sw_points(j.job.setup.n); i++) assert_near(j.field[i], 12, 1e-9);
    discard(&j);
    j = compute(DIVERGENCE("boundary=4-4-6", "vector={ x=\"x\"; y=\"2*y\"; z=\"3*z\"; }",
                           "grid={ n=[8, 9, 10]; length=[1.0, 1.0, 1.0]; }"));
    for (int64_t i = 0; i < sw_points(j.job.setup.n); i++) assert_near(j.field[i], 6, 1e-12);
    discard(&j);
}

/* Files are older than the key. */
static void the_operator_of_older_configs_is_not_in_their_ids(void **state)
{
    (void)state;
    uint64_t id[3];
    for (int k = 0; k < 3; k++) {
        static const char *const given[] = {"title=t", "operator=derivative", "operator=gradient"};
        struct made m = COMPACT(given[k]);
        assert_ok(sw_sweep_ids(m.sweep, 0, 1, &id[k]));
        unmake(&m);
    }
    assert_true(id[0] == UINT64_C(0xe85bdb71e1558da4));
    assert_true(id[1] == id[0]);
    assert_true(id[2] != id[0]);
}

/* ------------------------------------------------------------------ batches, threads, precision */

static void a_run_is_the_same_alone_as_among_others_and_on_any_number_of_threads(void **state)
{
    (void)state;
    const char *const o[] = {"sweep={ length=[1.0, 2.0, 3.0]; a=[0.5, 1.0]; }", "grid.length=length",
                             "grid.n=[20, 5000, 2]", "axis=y", "field=exp(a*sin(2*pi*y/length))*x*z"};
    const int64_t all[] = {0, 1, 2, 3, 4, 5};
    struct sw_device *three_threads;
    assert_ok(sw_device_open("cpu", 3, &three_threads));
    struct computed together = compute_on(make_text(text, o, 5), all, 6, NULL);
    const size_t points = (size_t)sw_points(together.job.setup.n);
    for (int k = 0; k < 6; k++) {
        struct computed alone = compute_on(make_text(text, o, 5), &all[k], 1, three_threads);
        assert_memory_equal(&alone.norm[0], &together.norm[k], sizeof *alone.norm);
        for (size_t what = 0; what < 2; what++)
            assert_memory_equal(alone.field + what * points, together.field + (what * 6 + (size_t)k) * points,
                                points * sizeof *alone.field);
        discard(&alone);
    }
    discard(&together);
    sw_device_close(&three_threads);
}

static void single_precision_has_its_floor_and_is_remarked_on(void **state)
{
    (void)state;
    struct sw_text said = SW_SHORT_TEXT;
    struct computed j = compute(COMPACT("scheme=d2_c6", "run.precision=single", "grid.n=1024"));
    const struct sw_problem *p = j.job.made.sweep->problem;
    /* the floor is 2^-22 (n/2 pi)² = 6e-3 of a wave; exp(sin x) is five times as large */
    assert_true(j.norm[0].max > 1e-4 && j.norm[0].max < 5 * 6.4e-3);
    p->advice->warn_setup(&j.job.setup, &said);
    assert_contains(said.data, "d2_c6 in single precision on 1024 points: rounding leaves about 0.006");
    discard(&j);
    sw_text_clear(&said);
    j = compute(COMPACT("scheme=d1_c6", "run.precision=single", "grid.n=1024"));
    assert_true(j.norm[0].max < 1e-4);
    p->advice->warn_setup(&j.job.setup, &said);
    assert_string_equal(said.data, "");
    discard(&j);
    j = compute(COMPACT("scheme=d2_c6", "grid.n=1024"));
    p->advice->warn_setup(&j.job.setup, &said);
    assert_string_equal(said.data, "");
    discard(&j);
}

static void a_field_that_is_not_finite_says_where(void **state)
{
    (void)state;
    struct job j = load_runs(COMPACT("grid={ n=[16, 16]; length=[1.0, 1.0]; }", "field=1/((x - 0.5)^2 + (y - 0.25)^2)"),
                             (const int64_t[]){0}, 1, NULL);
    int64_t step[1];
    struct sw_text why = SW_SHORT_TEXT;
    assert_ok(j.sim->ops->advance(j.sim, 0, 1));
    assert_ok(j.sim->ops->diverged(j.sim, step));
    assert_int_equal(step[0], 1);
    j.sim->ops->explain(j.sim, 0, &why);
    assert_string_equal(why.data, "the field or its derivative is not finite at x = 0, y = 0.25");
    close_job(&j);
}

/* ------------------------------------------------------------------ evaluated on a GPU */

/* So many points that a GPU evaluates them itself. */
#define LARGE "grid={ n=[130, 101, 82]; length=[6.3, 5.0, 2.0]; }", "field=exp(sin(x)*cos(y))*z + x"

/* Both derivatives are off by some 10 u |f|/h (docs/explanation/compact_distributed.md), |f| < 12, h > 0.024.
 * @param u  of the precision */
static void compare_with_the_cpu(struct made here, struct made there, size_t results, struct sw_device *gpu,
                                 double u)
{
    struct computed cpu = compute(here), other = compute_on(there, (const int64_t[]){0}, 1, gpu);
    const size_t points = (size_t)sw_points(cpu.job.setup.n);
    const double most = 20 * u * 12 / 0.024;
    for (size_t i = 0; i < 2 * results * points; i++)
        if (!(fabs(other.field[i] - cpu.field[i]) <= most))
            fail_msg("number %zu: %.17g, on the CPU %.17g", i, other.field[i], cpu.field[i]);
    assert_true(fabs(other.norm[0].l2 - cpu.norm[0].l2) <= most);
    assert_true(fabs(other.norm[0].max - cpu.norm[0].max) <= most);
    assert_true(fabs(other.norm[0].interior - cpu.norm[0].interior) <= most);
    assert_true(fabs(other.norm[0].rel - cpu.norm[0].rel) <= most);
    discard(&cpu);
    discard(&other);
}

static void a_gpu_evaluates_large_fields_as_the_cpu_does(void **state)
{
    struct sw_device *gpu = NULL;
    (void)state;
    if (sw_device_open("cuda", 1, &gpu)) skip_unless_needed("cuda", sw_err_message());
#define BOTH(results, u, ...) \
    compare_with_the_cpu(COMPACT(LARGE, __VA_ARGS__), COMPACT(LARGE, __VA_ARGS__), results, gpu, u)
    BOTH(1, DBL_EPSILON / 2, "axis=y", "boundary=3-4-6", "scheme=d1_c6");
    BOTH(1, DBL_EPSILON / 2, "axis=x", "scheme=d1s_c6", "boundary=periodic");
    BOTH(3, DBL_EPSILON / 2, "operator=gradient", "boundary=3-4-6", "scheme=d1_c6");
    BOTH(1, FLT_EPSILON / 2, "axis=z", "boundary=3-4-6", "scheme=d1_c6", "run.precision=single");
    sw_device_close(&gpu);
}

static void a_gpu_finds_the_first_point_that_is_not_finite(void **state)
{
    struct sw_device *gpu = NULL;
    struct sw_text why = SW_SHORT_TEXT;
    int64_t step[1];
    (void)state;
    if (sw_device_open("cuda", 1, &gpu)) skip_unless_needed("cuda", sw_err_message());
    struct job j = load_runs(COMPACT("grid={ n=[1024, 1024]; length=[1.0, 1.0]; }",
                                     "field=1/((x - 0.5)^2 + (y - 0.25)^2)"), (const int64_t[]){0}, 1, gpu);
    assert_ok(j.sim->ops->advance(j.sim, 0, 1));
    assert_ok(j.sim->ops->diverged(j.sim, step));
    assert_int_equal(step[0], 1);
    j.sim->ops->explain(j.sim, 0, &why);
    /* of the line through the pole, as far as cuda.fused feels it */
    assert_contains(why.data, "the field or its derivative is not finite at x = 0.4");
    assert_contains(why.data, ", y = 0.25");
    close_job(&j);
    sw_device_close(&gpu);
}

/* ------------------------------------------------------------------ refusals */

static void what_an_operator_does_not_use_is_refused(void **state)
{
    (void)state;
    REFUSED_COMPACT("-s: error: 'axis' = \"y\": operator = \"gradient\" does not use it\n", "operator=gradient",
                    "axis=y", "grid.dim=2");
    REFUSED_COMPACT("-s: error: 'axis' = \"$a\" in run 1 (a = y): operator = \"laplacian\" does not use it\n",
                    "operator=laplacian", "scheme=d2_c6", "sweep.a=[\"x\", \"y\"]", "axis=$a", "grid.dim=2");
    REFUSED_COMPACT("-s: error: 'vector.y' = \"x*y\": operator = \"gradient\" does not use it\n", "operator=gradient",
                    "vector.y=x*y", "grid.dim=2");
    REFUSED_COMPACT("-s: error: 'vector.x' = 0: operator = \"derivative\" does not use it\n", "vector.x=0");
    REFUSED_COMPACT("ch.cfg:3: error: 'field' = \"exp(sin(x))\": operator = \"divergence\" does not use it\n",
                    "operator=divergence", "vector.x=x");
    REFUSED_DIVERGENCE("-s: error: 'axis' = \"z\": operator = \"divergence\" does not use it\n", "vector.x=x",
                       "axis=z");
    struct made m = COMPACT("operator=gradient", "axis=x");
    unmake(&m);
}

/* What was refused when it was read is not missed as well. */
static void a_wrong_function_or_operator_is_reported_once(void **state)
{
    static const char *const wrong[][2] = {{"field=sin(q)", "title=t"},
                                           {"field=", "title=t"},
                                           {"field=[1]", "title=t"},
                                           {"operator=divergent", "vector.x=x"},
                                           {"operator=5", "vector.x=x"},
                                           {"operator=$o", "vector.x=x"}};
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct made m;
        char *printed = try_text(k < 3 ? text : text_of_vector, wrong[k], 2, &m);
        if (!strstr(printed, "error:") || strstr(strstr(printed, "error:") + 1, "error:"))
            fail_msg("%s: %s", wrong[k][0], printed);
        sw_free(printed);
        unmake(&m);
    }
}

static void what_a_scheme_cannot_do_is_refused_with_what_it_can(void **state)
{
    char known[200], expected[400];
    (void)state;
    REFUSED_COMPACT("-s: error: 'grid.n' = 5: d1_c6, 3-4-6 needs at least 6 points along x\n", "grid.n=5",
                    "boundary=3-4-6");
    REFUSED_COMPACT("-s: error: 'grid.n' = 4 in run 0 (m = 4): d1_c6, 3-4-6 needs at least 6 points along y; 2 of 3 "
                    "runs do not fit\n", "sweep.m=[4, 5, 6]", "grid.n=[\"20\", \"m\"]", "axis=y", "boundary=3-4-6");
    REFUSED_COMPACT("-s: error: 'boundary' = \"3-4-6\": d1_c8 has no closure \"3-4-6\"; it has periodic\n",
                    "boundary=3-4-6", "scheme=d1_c8");
    snprintf(expected, sizeof expected, "-s: error: 'boundary' = \"$b\" in run 1 (b = 3-4-4): d1_c6 has no closure "
             "\"3-4-4\"; it has %s\n", fd_boundaries("d1_c6", known));
    REFUSED_COMPACT(expected, "sweep.b=[\"3-4-6\", \"3-4-4\"]", "boundary=$b");
    REFUSED_COMPACT("-s: error: 'axis' = \"z\": there is no z on a grid of 2 dimensions\n", "axis=z", "grid.dim=2");
    REFUSED_COMPACT("-s: error: 'alpha' = 0.5: a filter's lies between -1/2 and 1/2; near 1/2 it takes only the "
                    "shortest waves\n", "scheme=f4", "alpha=0.5");
    REFUSED_COMPACT("-s: error: 'alpha' = 0.5: it must lie between -1/2 and 1/2: beyond, the matrix is not diagonally "
                    "dominant, and what is done at one point does not decay along the line\n", "scheme=d1_a4",
                    "alpha=0.5");
    REFUSED_COMPACT("-s: error: 'alpha' = 0.001: with this closure g of the second point is found by 1/alpha, so that "
                    "|alpha| must be 0.01 at least\n", "scheme=d2_a4", "alpha=0.001", "boundary=4-4-4");
    REFUSED_COMPACT("-s: error: 'scheme' = \"f4\": the gradient takes a scheme of first derivatives at the points: "
                    "d1_c4 d1_c6 d1_c8 d1_c10 d1_a2 d1_a4\n", "scheme=f4", "operator=gradient");
    REFUSED_COMPACT("-s: error: 'scheme' = \"mid_c4\": the laplacian takes a scheme of second derivatives at the "
                    "points: d2_c4 d2_c6 d2_c8 d2_a2 d2_a4\n", "scheme=mid_c4", "operator=laplacian");
    REFUSED_DIVERGENCE("-s: error: 'vector.y' is missing: the divergence on a grid of 2 dimensions needs it\n",
                       "vector.x=y", "grid.dim=2");
    REFUSED_DIVERGENCE("ch.cfg:1: error: 'field' is missing: the derivative on a grid of 1 dimension needs it\n",
                       "operator=derivative");
    REFUSED_COMPACT("ch.cfg:1: error: 'scheme' = \"d1_c6\", its default: the laplacian takes a scheme of second "
                    "derivatives at the points: d2_c4 d2_c6 d2_c8 d2_a2 d2_a4\n", "operator=laplacian");
    REFUSED_COMPACT("-s: error: 'grid.n' = 5: d1_c6, 3-4-6 needs at least 6 points along y\n", "grid.n=[8, 5]",
                    "boundary=3-4-6", "operator=gradient");
    REFUSED_COMPACT("-s: error: 'operator' = \"$o\": it is one for all runs, no axis\n", "operator=$o",
                    "sweep.o=[\"gradient\", \"divergence\"]");
    REFUSED_COMPACT("-s: error: 'alpha' = 0.6: must be at most 0.5\n", "alpha=0.6");
    known[0] = 0;
    for (int k = 0; sw_fd_schemes[k]; k++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", k ? ", " : "", sw_fd_schemes[k]->name);
    snprintf(expected, sizeof expected, "-s: error: 'scheme' = \"d1_c5\" is none of %s; did you mean 'd1_c4'?\n",
             known);
    REFUSED_COMPACT(expected, "scheme=d1_c5");
}

static void what_is_no_field_is_refused(void **state)
{
    (void)state;
    char *printed;
    struct made m;
    printed = try_text(text, OVERRIDES("field=randn(1)"), &m);
    assert_contains(printed, "'field', column 1: randn cannot be used here");
    sw_free(printed);
    unmake(&m);
    printed = try_text(text, OVERRIDES("field=x*t"), &m);
    assert_contains(printed, "unknown name 't'");
    sw_free(printed);
    unmake(&m);
    printed = try_text(text, OVERRIDES("exact=x"), &m);
    assert_contains(printed, "'exact' is a key of hyperdiffusion, not of compact");
    sw_free(printed);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_of_a_wave_is_that_of_its_wave_number),
        cmocka_unit_test(every_axis_of_a_box_is_differentiated),
        cmocka_unit_test(the_exact_result_is_derived_from_any_expression),
        cmocka_unit_test(every_scheme_has_its_order),
        cmocka_unit_test(walls_have_the_order_of_their_closure_and_the_middle_that_of_the_scheme),
        cmocka_unit_test(half_way_schemes_and_filters_are_compared_where_they_are),
        cmocka_unit_test(a_constant_has_derivative_zero_to_the_bit),
        cmocka_unit_test(a_gradient_has_the_bits_of_derivatives_along_each_axis),
        cmocka_unit_test(the_norms_of_a_gradient_are_those_of_a_vector),
        cmocka_unit_test(each_operator_has_the_order_of_its_scheme),
        cmocka_unit_test(polynomials_are_differentiated_exactly),
        cmocka_unit_test(the_operator_of_older_configs_is_not_in_their_ids),
        cmocka_unit_test(a_run_is_the_same_alone_as_among_others_and_on_any_number_of_threads),
        cmocka_unit_test(single_precision_has_its_floor_and_is_remarked_on),
        cmocka_unit_test(a_field_that_is_not_finite_says_where),
        cmocka_unit_test(a_gpu_evaluates_large_fields_as_the_cpu_does),
        cmocka_unit_test(a_gpu_finds_the_first_point_that_is_not_finite),
        cmocka_unit_test(what_an_operator_does_not_use_is_refused),
        cmocka_unit_test(a_wrong_function_or_operator_is_reported_once),
        cmocka_unit_test(what_a_scheme_cannot_do_is_refused_with_what_it_can),
        cmocka_unit_test(what_is_no_field_is_refused),
    };
    return cmocka_run_group_tests_name("compact", tests, NULL, NULL);
}
