/* -(p u')' + q u = f with all kinds of ends, by every row that does it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "bvp_helpers.h"

/* Programs in x and the parameters a, b, c. */
static struct sw_program *compiled(const char *text)
{
    static const struct sw_symbol symbol[] = {
        {"x", SW_RATE_CELL, SW_IN_X}, {"a", SW_RATE_RUN, 0}, {"b", SW_RATE_RUN, 1}, {"c", SW_RATE_RUN, 2}};
    return text ? compile_text(text, symbol, 4) : NULL;
}

struct end { const char *dirichlet, *neumann, *robin[3]; };
struct texts { const char *f, *exact, *p, *q; struct end left, right; bool zero_mean; };

enum { MOST = 16 };
struct solver {
    struct sw_bvp_desc desc;
    struct sw_program *program[MOST];
    int                count;
    struct sw_bvp     *b;
};

static const struct sw_program *program_of(struct solver *m, const char *text)
{
    return m->program[m->count++] = compiled(text);
}

static struct sw_bvp_end end_of(struct solver *m, const struct end *e)
{
    struct sw_bvp_end end = {.dirichlet = program_of(m, e->dirichlet), .neumann = program_of(m, e->neumann)};
    for (int k = 0; k < 3; k++) end.robin[k] = program_of(m, e->robin[k]);
    return end;
}

/* Of n cells' widths: with u not given at the right end that is a point, one more. */
static struct sw_bvp_desc describe(struct solver *m, int64_t n, int capacity, const struct texts *t)
{
    const bool right = t->right.neumann || t->right.robin[0];
    return (struct sw_bvp_desc){.n = n + right, .capacity = capacity, .save = true, .nparam = 3,
                                .f = program_of(m, t->f), .exact = program_of(m, t->exact),
                                .p = program_of(m, t->p), .q = program_of(m, t->q),
                                .left = end_of(m, &t->left), .right = end_of(m, &t->right),
                                .zero_mean = t->zero_mean};
}

static struct solver make(int64_t n, int capacity, const struct texts *t)
{
    struct solver m = {0};
    m.desc = describe(&m, n, capacity, t);
    assert_ok(sw_bvp_create(&m.desc, under_test->name, device, &m.b));
    return m;
}

static void unmake(struct solver *m)
{
    sw_bvp_destroy(&m->b);
    for (int k = 0; k < m->count; k++) sw_program_destroy(&m->program[k]);
}

/* On [x0, x0 + length]. The solver stays. */
static struct sw_bvp_result solve_in(const struct solver *m, double x0, double length, const double **field)
{
    struct sw_bvp_run run = {.h = length / (double)(m->desc.n - sw_bvp_right_is_point(&m->desc)), .x0 = x0};
    const void *u;
    const struct sw_bvp_result *result;
    assert_ok(sw_bvp_solve(m->b, 1, &run, (double[]){1.5, -0.5, 0}));
    assert_ok(sw_bvp_fetch(m->b, &u, &result));
    if (field) *field = u;
    return *result;
}

static struct sw_bvp_result solved(int64_t n, const struct texts *t, double x0, double length)
{
    struct solver m = make(n, 1, t);
    struct sw_bvp_result r = solve_in(&m, x0, length, NULL);
    unmake(&m);
    return r;
}

/* ---- what it computes */

/* u = sin(2x) + x² on [0.5, 2], given in each way at each end: second order in the largest error. */
static void is_of_second_order_with_all_kinds_of_ends(void **state)
{
    static const struct end left[] = {{.dirichlet = "sin(1) + 0.25"}, {.neumann = "2*cos(1) + 1"},
                                      {.robin = {"3", "-2", "3*(sin(1) + 0.25) - 2*(2*cos(1) + 1)"}}},
                            right[] = {{.dirichlet = "sin(4) + 4"}, {.neumann = "2*cos(4) + 4"},
                                       {.robin = {"3", "2", "3*(sin(4) + 4) + 2*(2*cos(4) + 4)"}}};
    struct texts t = {.f = "-(2*x*(2*cos(2*x) + 2*x) + (1 + x^2)*(2 - 4*sin(2*x))) + (2 + cos(x))*(sin(2*x) + x^2)",
                      .exact = "sin(2*x) + x^2", .p = "1 + x^2", .q = "2 + cos(x)"};
    (void)state;
    need_row();
    for (int k = 0; k < 9; k++) {
        double error[3];
        t.left = left[k / 3];
        t.right = right[k % 3];
        for (int j = 0; j < 3; j++) error[j] = solved(40 << j, &t, 0.5, 1.5).max;
        for (int j = 0; j < 2; j++) {
            double order = log2(error[j] / error[j + 1]);
            if (!(fabs(order - 2) < 0.1))
                fail_msg("ends %d and %d: order %.3f (errors %.3g %.3g %.3g)", k / 3, k % 3, order, error[0], error[1],
                         error[2]);
        }
    }
}

/* u = a x² + b x + 1 on [1, 3], p = 2: differences and half cells are exact; some 10 roundings, amplified by n² in the
 * solution of so few equations. */
static void is_exact_for_a_parabola_from_one_point_on(void **state)
{
    static const struct end left[] = {{.dirichlet = "a + b + 1"}, {.neumann = "2*a + b"},
                                      {.robin = {"1", "-1", "a + b + 1 - (2*a + b)"}}},
                            right[] = {{.dirichlet = "9*a + 3*b + 1"}, {.neumann = "6*a + b"},
                                       {.robin = {"2", "1", "2*(9*a + 3*b + 1) + 6*a + b"}}};
    struct texts t = {.f = "-4*a", .exact = "a*x^2 + b*x + 1", .p = "2"};
    (void)state;
    need_row();
    for (int k = 0; k < 9; k++) {
        if (k == 4) continue;  /* u' at both ends */
        t.left = left[k / 3];
        t.right = right[k % 3];
        for (int64_t n = 1; n < 20; n++) {
            struct sw_bvp_result r = solved(n, &t, 1, 2);
            assert_int_equal(r.fault, SW_BVP_FINE);
            assert_near(r.max, 0, 12 * 0x1p-53 * 10 * (double)(n * n + 4));
        }
    }
}

static void ends_follow_the_parameters_of_each_run(void **state)
{
    enum { RUNS = 4, N = 7 };
    const struct texts t = {.f = "1", .q = "1 + x", .left = {.robin = {"1", "a", "b"}}, .right = {.dirichlet = "a*b"}};
    struct sw_bvp_run run[RUNS];
    double param[3 * RUNS] = {0};
    const void *all;
    const struct sw_bvp_result *result;
    (void)state;
    need_row();
    struct solver m = make(N, RUNS + 1, &t), one = make(N, 1, &t);
    for (int j = 0; j < RUNS; j++) {
        run[j] = (struct sw_bvp_run){.h = 0.1 * (j + 1)};
        param[j] = -1 - j;
        param[RUNS + j] = 0.5 * j;
    }
    param[2] = 0;  /* beta */
    assert_ok(sw_bvp_solve(m.b, RUNS, run, param));
    assert_ok(sw_bvp_fetch(m.b, &all, &result));
    for (int j = 0; j < RUNS; j++) {
        const void *alone;
        const struct sw_bvp_result *r;
        assert_int_equal(result[j].fault, j == 2 ? SW_BVP_BETA_ZERO : SW_BVP_FINE);
        if (j == 2) continue;
        assert_ok(sw_bvp_solve(one.b, 1, &run[j], (double[]){param[j], param[RUNS + j], 0}));
        assert_ok(sw_bvp_fetch(one.b, &alone, &r));
        assert_memory_equal(alone, (const double *)all + j * N, N * sizeof(double));
    }
    unmake(&m);
    unmake(&one);
}

/* -u'' + a sin(30 x) u = c + b x with a u + u' = 0 at the left end. Of these runs one is singular, f is infinite in
 * another, u in a third; the others have q of both signs and ends of both signs. */
static void a_run_keeps_its_bits_beside_runs_that_fail(void **state)
{
    enum { RUNS = 9, N = 5000 };
    static const double number[3][RUNS] = {{-3, 0, 7, 1, -40, 1, 2.5, -1e3, 0.5},
                                           {1, 2, 3, 0, 5, INFINITY, 0, -2, 1e308},
                                           {0, 1, -1, 1, 2, 1, 0.25, 3, 1e308}};
    const struct texts t = {.f = "c + b*x", .q = "(abs(a - 1) < 0.1 ? 0 : a)*sin(30*x)",
                            .left = {.robin = {"a", "1", "0"}}, .right = {.dirichlet = "0"}};
    struct sw_device *alone_device = NULL;
    struct sw_bvp_run run[RUNS];
    const struct sw_bvp_result *result, *r;
    const void *all, *alone;
    int failed = 0;
    (void)state;
    need_row();
    for (int j = 0; j < RUNS; j++) run[j] = (struct sw_bvp_run){.h = (j % 3 == 1 ? 2.0 : 1.0) / N, .x0 = 0};
    struct solver m = make(N, RUNS + 2, &t), one = {0};
    assert_ok(sw_device_open(under_test->space == SW_HOST ? "cpu" : "cuda", 1, &alone_device));
    one.desc = describe(&one, N, 1, &t);
    assert_ok(sw_bvp_create(&one.desc, under_test->name, alone_device, &one.b));
    assert_ok(sw_bvp_solve(m.b, RUNS, run, &number[0][0]));
    assert_ok(sw_bvp_fetch(m.b, &all, &result));
    for (int j = 0; j < RUNS; j++) {
        failed += result[j].fault != SW_BVP_FINE;
        assert_ok(sw_bvp_solve(one.b, 1, &run[j], (double[]){number[0][j], number[1][j], number[2][j]}));
        assert_ok(sw_bvp_fetch(one.b, &alone, &r));
        assert_int_equal(result[j].fault, r->fault);
        assert_memory_equal(&result[j].moved, &r->moved, sizeof r->moved);
        if (!r->fault) assert_memory_equal(alone, (const double *)all + j * N, N * sizeof(double));
    }
    assert_int_equal(result[5].fault, SW_BVP_F_NOT_FINITE);
    assert_true(result[3].fault == SW_BVP_PIVOT || result[3].fault == SW_BVP_NO_DIGIT ||
                result[3].fault == SW_BVP_SENSITIVE);
    assert_int_equal(failed, 3);
    unmake(&m);
    unmake(&one);
    sw_device_close(&alone_device);
}

/* p and f that are all but 0, or infinite; p from one end of the range to the other. */
static void solves_at_the_ends_of_the_range_of_numbers(void **state)
{
    const struct texts none = {.f = "2e-320", .exact = "x - x*x", .p = "1e-320", .q = "0*x",
                               .left = {.dirichlet = "0"}},
                       high = {.f = "1e-5", .exact = "1e-5/(2*1e-310)*(1 - x*x)", .p = "1e-310"},
                       most = {.f = "1e308", .exact = "(1 - x*x)/2", .p = "1e308"},
                       all = {.f = "1", .p = "x < 0.5 ? 1e-305 : 1e305", .left = {.dirichlet = "1"}},
                       more = {.f = "1", .p = "x < 0.5 ? 1e-310 : 1e308", .left = {.dirichlet = "1"}},
                       infinite = {.f = "1e308", .q = "1e-6", .left = {.dirichlet = "0"}},
                       small = {.f = "1e-300", .exact = "x/2 - x*x/2", .p = "1e-300", .q = "0*x",
                                .left = {.dirichlet = "0"}},
                       large = {.f = "1e300", .exact = "x/2 - x*x/2", .p = "1e300", .q = "0*x",
                                .left = {.dirichlet = "0"}};
    (void)state;
    need_row();
    assert_near(solved(64, &none, 0, 1).max, 0, 8 * 0x1p-53);
    assert_near(solved(64, &high, 0, 1).max, 0, 5e304 * 8 * 0x1p-53);
    assert_near(solved(64, &most, 0, 1).max, 0, 8 * 0x1p-53);
    assert_int_equal(solved(64, &all, 0, 1).fault, SW_BVP_FINE);
    assert_int_equal(solved(64, &more, 0, 1).fault, SW_BVP_RANGE);
    assert_int_equal(solved(100, &infinite, 0, 100).fault, SW_BVP_U_NOT_FINITE);
    assert_near(solved(64, &small, 0, 1).max, 0, 8 * 0x1p-53);
    assert_near(solved(64, &large, 0, 1).max, 0, 8 * 0x1p-53);
}

static void the_given_value_is_in_the_field(void **state)
{
    const struct texts t = {.f = "1", .left = {.dirichlet = "7.25"}};
    const double *field;
    (void)state;
    need_row();
    struct solver m = make(5, 1, &t);
    solve_in(&m, 0, 1, &field);
    assert_near(field[0], 7.25, 0);
    unmake(&m);
}

/* ---- u' at both ends and q = 0, with the mean 0 */

/* All trigonometric in 2 pi x with u' p the same at both ends: sums over the points are exact, so the data are
 * compatible. u - x + 1/2 is odd about the middle: the mean over the points is 0. */
static const struct texts neumann = {
    .f = "-(0 - pi*sin(2*pi*x)*(2*pi*cos(2*pi*x) + 1) - (1 + cos(2*pi*x)/2)*4*pi^2*sin(2*pi*x))",
    .exact = "sin(2*pi*x) + x - 1/2", .p = "1 + cos(2*pi*x)/2", .left = {.neumann = "2*pi + 1"},
    .right = {.neumann = "2*pi + 1"}, .zero_mean = true};

static void is_of_second_order_with_zero_mean(void **state)
{
    double error[4];
    (void)state;
    need_row();
    for (int j = 0; j < 4; j++) {
        struct sw_bvp_result r = solved(40 << j, &neumann, 0, 1);
        assert_int_equal(r.fault, SW_BVP_FINE);
        error[j] = r.max;
    }
    for (int j = 0; j < 3; j++) assert_near(log2(error[j] / error[j + 1]), 2, 0.1);
}

/* f = -((1 + x) u')' with u' = x (1 - x) e^x + 1/2: its integral balances the fluxes 1/2 and 1 at the ends, and its sum
 * does so up to h². */
static void takes_off_what_the_trapezoidal_rule_makes(void **state)
{
    struct texts t = {.f = "-((x - x^2)*exp(x) + 0.5) - (1 + x)*(1 - x - x^2)*exp(x)", .p = "1 + x",
                      .exact = "(3*x - x^2 - 3)*exp(x) - (8 - 4*e) + (x - 0.5)/2", .left = {.neumann = "0.5"},
                      .right = {.neumann = "0.5"}, .zero_mean = true};
    double error[4], excess[4];
    (void)state;
    need_row();
    for (int j = 0; j < 4; j++) {
        const struct sw_bvp_result r = solved(40 << j, &t, 0, 1);
        assert_int_equal(r.fault, SW_BVP_FINE);
        assert_true(fabs(r.finer) < 1e-10);
        error[j] = r.max;
        excess[j] = r.excess;
    }
    for (int j = 0; j < 3; j++) {
        assert_near(log2(error[j] / error[j + 1]), 2, 0.1);
        assert_near(log2(fabs(excess[j] / excess[j + 1])), 2, 0.01);
    }
    assert_true(solved(40, &neumann, 0, 1).excess == 0);
    t.f = "1e-3 - ((x - x^2)*exp(x) + 0.5) - (1 + x)*(1 - x - x^2)*exp(x)";
    const struct sw_bvp_result r = solved(160, &t, 0, 1);
    assert_int_equal(r.fault, SW_BVP_INCOMPATIBLE);
    assert_near(r.finer, 1e-3, 1e-10);
    assert_near(r.excess, 1e-3 + excess[2], 1e-14);
}

/* f = a cos(3 x) + b, p = 1 + x² on [0.5, 2] with random a, b and u' = b at the left end; u' at the right end is what
 * the equations then sum to, in long double. The equations hold with the field that comes out: what is left of each is
 * 8 roundings of the largest of its terms, p u with p <= 5. The mean, of a field some n times that of a term, is 0 to
 * the rounding of it. */
static void takes_random_compatible_data(void **state)
{
    enum { N = 97 };
    static const struct texts t = {.f = "a*cos(3*x) + b", .p = "1 + x^2", .left = {.neumann = "b"},
                                   .right = {.neumann = "c"}, .zero_mean = true};
    uint64_t seed = 5;
    (void)state;
    need_row();
    struct solver m = make(N, 1, &t);
    for (int trial = 0; trial < 20; trial++) {
        const double a = 10 * test_random(&seed) - 5, b = 4 * test_random(&seed) - 2, h = 1.5 / N;
        long double sum = -1.25L * b, f[N + 1];
        for (int i = 0; i <= N; i++) {
            f[i] = a * cosl(3 * (0.5L + (long double)h * i)) + b;
            sum += (i == 0 || i == N ? 0.5L : 1) * h * f[i];
        }
        const struct sw_bvp_run run = {.h = h, .x0 = 0.5};
        const struct sw_bvp_result *r;
        const void *field;
        assert_ok(sw_bvp_solve(m.b, 1, &run, (double[]){a, b, (double)(-sum / 5)}));
        assert_ok(sw_bvp_fetch(m.b, &field, &r));
        assert_int_equal(r->fault, SW_BVP_FINE);
        const double *u = field;
        long double mean = 0.5L * u[0], size = 0, flux = 1.25L * b;
        for (int i = 0; i < N; i++) size = fmaxl(size, fabsl(u[i]));
        for (int i = 0; i < N - 1; i++) {
            const long double x = 0.5L + h * (i + 0.5L), next = (1 + x * x) * ((long double)u[i + 1] - u[i]) / h;
            const long double rest = (next - flux + (i ? 1 : 0.5L) * h * f[i]) * h;
            assert_true(fabsl(rest) <= 8 * 0x1p-53L * 2 * 5 * size);
            flux = next;
            mean += u[i + 1];
        }
        /* u at the right end, by the last cell but one */
        const long double x = 2 - h / 2, last = u[N - 1] + h * (flux - h * f[N - 1]) / (1 + x * x);
        assert_true(fabsl(mean + last / 2) <= 16 * 0x1p-53L * N * size);
    }
    unmake(&m);
}

static void few_points_have_a_zero_mean_too(void **state)
{
    static const struct texts t = {.f = "a", .left = {.neumann = "0"}, .right = {.neumann = "-a"}, .zero_mean = true};
    (void)state;
    need_row();
    for (int64_t n = 1; n < 5; n++) {
        const double *u;
        struct solver m = make(n, 1, &t);
        assert_int_equal(solve_in(&m, 0, 1, &u).fault, SW_BVP_FINE);
        double sum = u[0] / 2, last = u[n - 1] - 1.5 * (n > 1 ? 1 - 0.5 / (double)n : 0.5) / (double)n;
        for (int64_t i = 1; i < n; i++) sum += u[i];
        assert_near(sum + last / 2, 0, 1e-14);
        unmake(&m);
    }
}

/* ---- what it refuses */

static void explains(const struct texts *t, const char *why)
{
    struct sw_text text = SW_SHORT_TEXT;
    struct sw_bvp_result r = solved(8, t, 0, 1);
    sw_bvp_explain(&r, &text);
    assert_string_equal(text.data, why);
    assert_true(isnan(r.rms));
}

static void says_which_coefficient_is_wrong_and_where(void **state)
{
    static const struct end given = {.dirichlet = "0"};
    (void)state;
    need_row();
    explains(&(struct texts){.f = "1/(x - 0.25)", .q = "1"}, "f is not finite at x = 0.25");
    explains(&(struct texts){.f = "1", .q = "1/(x - 0.5)"}, "q is not finite at x = 0.5");
    explains(&(struct texts){.f = "1", .p = "x - 0.5"}, "p is not positive and finite at x = 0.0625");
    explains(&(struct texts){.f = "1", .right = {.robin = {"1", "0", "1"}}},
             "robin at x = 1 has beta = 0; use dirichlet");
    /* f does not count where u is given */
    assert_int_equal(solved(8, &(struct texts){.f = "1/x", .left = given}, 0, 1).fault, SW_BVP_FINE);
}

static void says_that_the_problem_is_singular(void **state)
{
    static const char why[] = "singular at x = 0: u' alone at both ends and q = 0, where gauge = \"zero_mean\" takes a "
                              "solution";
    (void)state;
    need_row();
    explains(&(struct texts){.f = "cos(pi*x)", .right = {.neumann = "0"}}, why);
    explains(&(struct texts){.f = "1", .p = "1 + x", .q = "0*x", .left = {.neumann = "1"}, .right = {.neumann = "2"}},
             why);
    assert_int_equal(solved(1, &(struct texts){.f = "1", .q = "-2"}, 0, 1).fault, SW_BVP_PIVOT);  /* 1 + q h²/2 */
    assert_int_equal(solved(8, &(struct texts){.f = "1", .q = "1", .right = {.neumann = "0"}}, 0, 1).fault,
                     SW_BVP_FINE);
}

/* f = 1 without flux: too much by 1; less 1, it is 0 and u with it. */
static void says_how_far_data_are_from_compatible(void **state)
{
    struct texts t = {.f = "1", .right = {.neumann = "0"}, .zero_mean = true};
    (void)state;
    need_row();
    explains(&t, "no solution: f h and the fluxes at the ends sum to 1 and not to 0; subtract 1 from f to make them");
    struct sw_bvp_result r = solved(8, &t, 0, 1);
    assert_near(r.defect, 1, 1e-15);
    t.f = "1 - (1)";
    assert_int_equal(solved(8, &t, 0, 1).fault, SW_BVP_FINE);
    /* what it says is right to the last bit */
    char f[80];
    t = (struct texts){.f = "exp(x) + x^3", .p = "2 + x", .left = {.neumann = "3"}, .right = {.neumann = "0.7"},
                       .zero_mean = true};
    r = solved(50, &t, 0.25, 3);
    assert_int_equal(r.fault, SW_BVP_INCOMPATIBLE);
    snprintf(f, sizeof f, "exp(x) + x^3 - (%.17g)", r.excess);
    t.f = f;
    assert_int_equal(solved(50, &t, 0.25, 3).fault, SW_BVP_FINE);
    t.f = "1/(x - 1)";  /* the right end counts */
    explains(&t, "f is not finite at x = 1");
}

static void zero_mean_is_refused_where_u_is_determined(void **state)
{
    static const struct end slope = {.neumann = "0"}, value = {.dirichlet = "0"}, mixed = {.robin = {"0", "1", "0"}};
    const struct texts none = {.f = "1", .zero_mean = true},
                       left = {.f = "1", .left = value, .right = slope, .zero_mean = true},
                       robin = {.f = "1", .left = mixed, .right = slope, .zero_mean = true},
                       q = {.f = "1", .q = "2", .right = slope, .zero_mean = true};
    const struct texts *const all[] = {&none, &left, &robin, &q};
    (void)state;
    need_row();
    for (int k = 0; k < 4; k++) {
        struct solver m = {0};
        m.desc = describe(&m, 8, 1, all[k]);
        assert_int_equal(sw_bvp_create(&m.desc, NULL, device, &m.b), SW_E_CONFIG);
        assert_contains(sw_err_message(), k < 3 ? "'gauge' = \"zero_mean\": the ends determine u"
                                                : "'gauge' = \"zero_mean\": q determines u");
        unmake(&m);
    }
    explains(&(struct texts){.f = "1", .q = "x - x^2", .right = slope, .zero_mean = true},
             "gauge = \"zero_mean\", but q is not 0 at x = 0.125: there is one solution only");
    const struct texts zero = {.f = "cos(pi*x)", .q = "0*x", .right = slope, .zero_mean = true};
    assert_int_equal(solved(8, &zero, 0, 1).fault, SW_BVP_FINE);
}

/* u = 1 - x solves the homogeneous problem where beta = alpha. With beta off by 4e-14 of itself one rounding moves u by
 * 1e-16/4e-14 and more; with none some rows have a pivot of 0, others one of 1e-16. */
static void says_what_makes_it_nearly_singular(void **state)
{
    const struct texts nearly = {.f = "1", .left = {.robin = {"1", "1 + 4e-14", "0"}}},
                       resonant = {.f = "1", .left = {.robin = {"3", "3", "0"}}}, one = {.f = "1", .q = "-2"};
    struct sw_bvp_result r;
    struct sw_text text = SW_SHORT_TEXT;
    (void)state;
    need_row();
    r = solved(1, &one, 0, 1);  /* 1 + q h²/2 */
    sw_bvp_explain(&r, &text);
    assert_string_equal(text.data, "singular: a pivot vanishes at x = 0, -(p u')' + q u = 0 has a solution of its own; "
                                   "change q, alpha or beta of an end, or n");
    r = solved(4, &nearly, 0, 1);
    sw_bvp_explain(&r, &text);
    assert_int_equal(r.fault, SW_BVP_SENSITIVE);
    assert_true(r.moved > 1e-3);
    assert_contains(text.data, "singular to working precision: one rounding of f, q and the ends moves u by ");
    assert_contains(text.data, " of its maximum; change f, q, alpha or beta, or n");
    r = solved(10, &resonant, 0, 1);
    sw_bvp_explain(&r, &text);
    assert_true(r.fault == SW_BVP_NO_DIGIT || r.fault == SW_BVP_PIVOT);
    if (r.fault == SW_BVP_PIVOT) return;
    assert_string_equal(text.data, "singular to working precision: of what the elimination gives no digit is right; "
                                   "change q, alpha or beta of an end, or n");
}

static void the_right_end_needs_a_second_point(void **state)
{
    const struct texts t = {.f = "1", .q = "1", .right = {.neumann = "0"}};
    struct solver m = {0};
    (void)state;
    need_row();
    m.desc = describe(&m, 0, 1, &t);
    assert_int_equal(sw_bvp_create(&m.desc, under_test->name, device, &m.b), SW_E_ARG);
    assert_contains(sw_err_message(), "n = 1: at least two points are needed where u is not given at the right end");
    unmake(&m);
}

static void two_conditions_at_one_end_are_refused(void **state)
{
    const struct texts t = {.f = "1", .right = {.neumann = "0", .dirichlet = "0"}};
    struct solver m = {0};
    (void)state;
    need_row();
    m.desc = describe(&m, 8, 1, &t);
    assert_int_equal(sw_bvp_create(&m.desc, NULL, device, &m.b), SW_E_CONFIG);
    assert_contains(sw_err_message(), "'right' has more than one of dirichlet, neumann and robin");
    unmake(&m);
}

/* On the CPU. */
static const char *first_that_fits(const struct sw_bvp_desc *desc)
{
    int k = 0;
    while (sw_bvp_table[k]->space != SW_HOST || sw_bvp_table[k]->from > desc->n || !sw_bvp_table[k]->fits(desc)) k++;
    return sw_bvp_table[k]->name;
}

static void rows_that_only_sum_are_refused_and_not_picked(void **state)
{
    const struct texts t = {.f = "1", .p = "1 + x"}, plain = {.f = "1", .p = "2/2", .q = "0", .left = {.neumann = "0"}};
    struct solver m = {0}, s = {0};
    (void)state;
    need_row();
    if (under_test->space != SW_HOST) return;
    m.desc = describe(&m, 8, 1, &t);
    assert_int_equal(sw_bvp_create(&m.desc, "a2d", device, &m.b), SW_E_CONFIG);
    assert_contains(sw_err_message(), "solver a2d: it sums, for p = 1, q = 0, u' = 0 at the left end and u = 0 at the "
                                      "right one; fit here: cpu.");
    assert_ok(sw_bvp_create(&m.desc, NULL, device, &m.b));
    assert_string_equal(sw_bvp_name(m.b), first_that_fits(&m.desc));
    s.desc = describe(&s, 8, 1, &plain);
    assert_ok(sw_bvp_create(&s.desc, NULL, device, &s.b));
    assert_string_equal(sw_bvp_name(s.b), first_that_fits(&s.desc));
    unmake(&m);
    unmake(&s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_of_second_order_with_all_kinds_of_ends),
        cmocka_unit_test(is_exact_for_a_parabola_from_one_point_on),
        cmocka_unit_test(ends_follow_the_parameters_of_each_run),
        cmocka_unit_test(a_run_keeps_its_bits_beside_runs_that_fail),
        cmocka_unit_test(solves_at_the_ends_of_the_range_of_numbers),
        cmocka_unit_test(the_given_value_is_in_the_field),
        cmocka_unit_test(is_of_second_order_with_zero_mean),
        cmocka_unit_test(takes_off_what_the_trapezoidal_rule_makes),
        cmocka_unit_test(takes_random_compatible_data),
        cmocka_unit_test(few_points_have_a_zero_mean_too),
        cmocka_unit_test(says_how_far_data_are_from_compatible),
        cmocka_unit_test(zero_mean_is_refused_where_u_is_determined),
        cmocka_unit_test(says_which_coefficient_is_wrong_and_where),
        cmocka_unit_test(says_that_the_problem_is_singular),
        cmocka_unit_test(says_what_makes_it_nearly_singular),
        cmocka_unit_test(the_right_end_needs_a_second_point),
        cmocka_unit_test(two_conditions_at_one_end_are_refused),
        cmocka_unit_test(rows_that_only_sum_are_refused_and_not_picked),
    };
    int failed = 0;
    for_each_row(sw_bvp_table)
        if (is_general()) failed += run_for_row(tests);
    return failed;
}
