/* Methods of several stages, several unknowns, derivatives of all orders: the tables against the conditions of their
 * order, and every row of the table of steppers that takes such a model. */
#include <complex.h>

#include "problem/line/stepper/imex.h"
#include "line_models.h"

static const enum sw_scheme methods[] = {SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};
enum { METHODS = 3 };

/* ------------------------------------------------------------------ the tables */

/* Weights of b times the stages' c to some power, or times A c. The fractions of a table are right to 1e-24, as double
 * to 1e-16; sums have up to 16 terms, of sizes up to 1.4. */
static void expect_sum(double sum, double expected, const char *what, int order)
{
    if (!(fabs(sum - expected) < 4e-15)) fail_msg("order %d: %s = %.17g, not %.17g", order, what, sum, expected);
}

typedef const double (*stages)[SW_IMEX_STAGES];

static void check_weights(const struct sw_imex *m, const double *b, int order)
{
    const stages part[] = {m->explicit_part, m->implicit_part};
    double one = 0, c = 0, cc = 0;
    for (int i = 0; i < m->stages; i++) one += b[i], c += b[i] * m->c[i], cc += b[i] * m->c[i] * m->c[i];
    expect_sum(one, 1.0, "sum b", order);
    if (order >= 2) expect_sum(c, 0.5, "sum b c", order);
    if (order >= 3) expect_sum(cc, 1.0 / 3.0, "sum b c^2", order);
    for (int k = 0; k < 2 && order >= 3; k++) {
        double bac = 0;
        for (int i = 0; i < m->stages; i++)
            for (int j = 0; j < m->stages; j++) bac += b[i] * part[k][i][j] * m->c[j];
        expect_sum(bac, 1.0 / 6.0, k ? "sum b A_implicit c" : "sum b A_explicit c", order);
    }
}

static void tables_fulfil_the_conditions_of_their_order(void **state)
{
    (void)state;
    assert_null(sw_imex_of(SW_CRANK_NICOLSON));
    for (int k = 0; k < METHODS; k++) {
        const struct sw_imex *m = sw_imex_of(methods[k]);
        assert_int_equal(m->order, k + 1);
        check_weights(m, m->b_explicit, m->order);
        check_weights(m, m->b_implicit, m->order);
        if (m->estimates) check_weights(m, m->embedded_explicit, m->order - 1);
        if (m->estimates) check_weights(m, m->embedded_implicit, m->order - 1);
        if (m->quadrature[0] != 0.0) check_weights(m, m->quadrature, m->order);
        bool first = false;
        for (int i = 1; i < m->stages; i++) {
            double of_explicit = 0, of_implicit = 0;
            for (int j = 0; j < m->stages; j++) {
                of_explicit += m->explicit_part[i][j];
                of_implicit += m->implicit_part[i][j];
            }
            expect_sum(of_explicit, m->c[i], "a row of the explicit part", m->order);
            expect_sum(of_implicit, m->c[i], "a row of the implicit part", m->order);
            assert_true(m->implicit_part[i][i] == m->gamma);
            for (int j = i; j < m->stages; j++) assert_true(m->explicit_part[i][j] == 0.0);
            first |= m->implicit_part[i][0] != 0.0;
        }
        assert_true(first == m->first);
        for (int j = 0; m->last && j < m->stages; j++) {
            assert_true(m->b_explicit[j] == m->explicit_part[m->stages - 1][j]);
            assert_true(m->b_implicit[j] == m->implicit_part[m->stages - 1][j]);
        }
    }
}

/* A step of y' = l y + e y: y^{n+1}/y^n, with z = dt l, w = dt e. */
static double complex growth(const struct sw_imex *m, double complex z, double complex w)
{
    double complex u[SW_IMEX_STAGES] = {1}, out = 1;
    for (int i = 1; i < m->stages; i++) {
        u[i] = 1;
        for (int j = 0; j < i; j++) u[i] += (w * m->explicit_part[i][j] + z * m->implicit_part[i][j]) * u[j];
        u[i] /= 1 - m->gamma * z;
    }
    for (int j = 0; j < m->stages; j++) out += (w * m->b_explicit[j] + z * m->b_implicit[j]) * u[j];
    return out;
}

static void methods_are_l_stable(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        const struct sw_imex *m = sw_imex_of(methods[k]);
        for (double size = 1e-3; size < 1e7; size *= 1.7)
            for (double angle = pi / 2; angle <= pi; angle += pi / 40)
                assert_true(cabs(growth(m, size * cexp(I * angle), 0)) <= 1 + 1e-12);
        assert_true(cabs(growth(m, -1e12, 0)) < 1e-6);  /* terms of 1e12 u cancel, over 1 + gamma 1e12 */
    }
}

/* ------------------------------------------------------------------ against scalar recursions */

/* The symbols of dt L, from A, and of the explicit part below. */
static double complex symbol_of(const struct sw_line_operator *a, double gamma, double theta)
{
    const double s = 2 - 2 * cos(theta);
    const double complex d1 = I * sin(theta), d3 = -d1 * s;
    return -(a->s0 + a->s1 * d1 + a->s2 * s + a->s3 * d3 + a->s4 * s * s) / gamma;
}

/* A mode cos(theta i) of u, all of whose terms are linear: N = a u + b d1 u + c d3 u, G = a u, L of all orders. Each
 * step multiplies its complex amplitude by the method's growth. Tolerance: a step rounds by u times the condition of A,
 * and the difference of two such numbers is divided by gamma; no mode grows by more than a few. */
static void follows_the_growth_of_linear_modes(void **state)
{
    enum { STEPS = 20, COUNT = 3 };
    (void)state;
    need_row();
    static const int sizes[] = {5, 6, 17, 64, 101};
    for (int k = 0; k < METHODS * 5; k++) {
        const struct sw_imex *method = sw_imex_of(methods[k % METHODS]);
        const int n = sizes[k / METHODS];
        const struct model t = {.scheme = methods[k % METHODS], .unknowns = 1, .orders = 1 | 1 << 1 | 1 << 3,
                                .initial = {"cos(6.283185307179586*x)"}, .g = {"a*u"},
                                .s = {"a*u + b*(ur - ul)/2 + c*(ur2 - 2*ur + 2*ul - ul2)/2"}};
        struct line_sim m;
        struct run run[COUNT];
        for (int j = 0; j < COUNT; j++) {
            run[j] = (struct run){{.dt = 0.125, .dx = 1.0 / n,
                                   .a[0] = {.s0 = 0.1 * j, .s1 = 0.7 - j, .s2 = 0.5 * j, .s3 = 0.3 * j - 0.2,
                                            .s4 = 1.5}},
                                  {0.05 * j / n, 0.2 - 0.1 * j, 0.1 * j}};
        }
        if (make_line(&m, device, t, n, COUNT)) {
            start_line(&m, COUNT, run);
            assert_ok(stepper_advance(m.s, 0, STEPS));
            double *u = state_of_line(&m);
            for (int j = 0; j < COUNT; j++) {
                const struct sw_line_run *r = &run[j].line;
                const double *p = run[j].param, theta = 2 * pi / n, s = 2 - 2 * cos(theta);
                const double complex d1 = I * sin(theta), z = symbol_of(&r->a[0], method->gamma, theta);
                const double complex w = r->dt * (p[0] + p[1] * d1 - p[2] * d1 * s - p[0] * s / (r->dx * r->dx));
                const double complex all = cpow(growth(method, z, w), STEPS);
                const double off = unit * STEPS * 200 * (1 + 4 * r->a[0].s2 + 16 * r->a[0].s4) * fmax(1, cabs(all));
                for (int i = 0; i < n; i++)
                    assert_near(u[j * n + i], creal(all * cexp(I * theta * i)), off);
            }
            sw_free(u);
        }
        unmake_line(&m);
    }
}

/* ------------------------------------------------------------------ the order in time */

/* Gray-Scott's reaction with diffusion, a transport of u by u, and a force, on 32 points to t = 0.5. */
static struct model reaction(enum sw_scheme scheme)
{
    return (struct model){
        .scheme = scheme, .unknowns = 2, .orders = 1,
        .initial = {"1 + 0.3*cos(6.283185307179586*x)", "0.4 + 0.2*sin(6.283185307179586*x)"},
        .g = {"b*u^3", NULL},
        .s = {"-u*v^2 + c - (ur^2 - ul^2)*a + 0.2*sin(3*t)", "u*v^2 + 0.1*cos(2*t + 6.283185307179586*x)"},
    };
}

static struct run reaction_run(const struct sw_imex *method, double dt, int n)
{
    const double dx = 1.0 / n, weight = method->gamma * dt / (dx * dx);
    struct run r = {.line = {.dt = dt, .dx = dx}, .param = {0.5, 0.002, 0.7}};
    r.line.a[0] = (struct sw_line_operator){.s0 = method->gamma * dt * 0.3, .s2 = weight * 0.02};
    r.line.a[1] = (struct sw_line_operator){.s0 = method->gamma * dt * 0.5, .s2 = weight * 0.01,
                                            .s4 = weight * 1e-5 / (dx * dx)};
    return r;
}

static double *reaction_state(enum sw_scheme scheme, int n, int steps, double end)
{
    struct line_sim m;
    const struct run r = reaction_run(sw_imex_of(scheme), end / steps, n);
    double *u = NULL;
    if (make_line(&m, device, reaction(scheme), n, 1)) {
        start_line(&m, 1, &r);
        assert_ok(stepper_advance(m.s, 0, steps));
        u = state_of_line(&m);
    }
    unmake_line(&m);
    return u;
}

static void has_the_order_of_the_method_in_time(void **state)
{
    enum { N = 32, STEPS = 64, FINE = 1024 };
    (void)state;
    need_row();
    double *exact = reaction_state(SW_IMEX3, N, FINE, 0.5);
    for (int k = 0; exact && k < METHODS; k++) {
        double off[2] = {0};
        for (int half = 0; half < 2; half++) {
            double *u = reaction_state(methods[k], N, STEPS << half, 0.5);
            for (int i = 0; i < 2 * N; i++) off[half] = fmax(off[half], fabs(u[i] - exact[i]));
            sw_free(u);
        }
        /* the asymptotic slope; the fine solution is off by (64/1024)^3 of what imex3 is at 64 steps */
        const double order = log2(off[0] / off[1]);
        if (!(fabs(order - (k + 1)) < 0.1)) fail_msg("order %g, not %d: %g, %g", order, k + 1, off[0], off[1]);
    }
    sw_free(exact);
}

/* ------------------------------------------------------------------ what any row promises */

static void gives_a_run_the_same_bits_alone_and_in_two_calls(void **state)
{
    enum { N = 40, COUNT = 21, STEPS = 12 };
    (void)state;
    need_row();
    for (int k = 0; k < METHODS; k++) {
        const struct sw_imex *method = sw_imex_of(methods[k]);
        struct line_sim all, one;
        struct run run[COUNT];
        for (int j = 0; j < COUNT; j++) {
            run[j] = reaction_run(method, 0.01 * (1 + j % 5), N);
            run[j].param[0] = 0.02 * j;
        }
        if (make_line(&all, device, reaction(methods[k]), N, COUNT)) {
            start_line(&all, COUNT, run);
            assert_ok(stepper_advance(all.s, 0, STEPS));
            double *u = state_of_line(&all);
            for (int j = 0; j < COUNT; j += 4) {
                assert_true(make_line(&one, device, reaction(methods[k]), N, 1));
                start_line(&one, 1, &run[j]);
                assert_ok(stepper_advance(one.s, 0, 5));
                assert_ok(stepper_advance(one.s, 5, STEPS));
                double *v = state_of_line(&one);
                assert_memory_equal(v, u + (size_t)j * 2 * N, 2 * N * sizeof *u);
                sw_free(v);
                unmake_line(&one);
            }
            sw_free(u);
        }
        unmake_line(&all);
    }
}

/* The second unknown alone leaves the finite numbers; the run is stopped, the others are not. */
static void stops_a_run_any_of_whose_unknowns_is_not_finite(void **state)
{
    enum { N = 16, COUNT = 4 };
    (void)state;
    need_row();
    const struct model t = {.scheme = SW_IMEX2, .unknowns = 2, .initial = {"1", "x + a"}, .s = {NULL, "v^3*exp(v)"}};
    struct line_sim m;
    struct run run[COUNT];
    int64_t step[COUNT];
    for (int j = 0; j < COUNT; j++) run[j] = (struct run){{.dt = 0.1, .dx = 1.0 / N}, {j == 2 ? 40 : -3, 0, 0}};
    if (make_line(&m, device, t, N, COUNT)) {
        start_line(&m, COUNT, run);
        assert_ok(stepper_advance(m.s, 0, 10));
        assert_ok(stepper_diverged(m.s, step));
        double *u = state_of_line(&m);
        for (int j = 0; j < COUNT; j++) {
            assert_true(j == 2 ? step[j] > 0 && step[j] <= 3 : step[j] == -1);
            for (int i = 0; i < 2 * N; i++) assert_true(j == 2 ? isnan(u[j * 2 * N + i]) : isfinite(u[j * 2 * N + i]));
        }
        sw_free(u);
    }
    unmake_line(&m);
}

/* Rows that know: 1/0 in the second unknown at one point; u³ beyond the largest number at
 * some points, of which u is largest at one; and a right-hand side that is finite there but not a stage later. */
static void names_the_place_where_a_run_failed(void **state)
{
    enum { N = 16, COUNT = 4 };
    (void)state;
    need_row();
    const struct model t = {.scheme = SW_IMEX2, .unknowns = 2,
                            .initial = {"a*exp(-(x - 5)^2/8)", "x + b"},
                            .s = {"a > 1 ? u^3 : 0",
                                  "(c > 0 ? 1/(x - 7) : 0) + (a < 0 ? 1e150*exp(-(x - 11)^2) : 0)*v^2"}};
    struct line_sim m;
    struct run run[COUNT] = {{{.dt = 0.1, .dx = 1.0}, {0, 0, 0}},           /* finite   */
                             {{.dt = 0.1, .dx = 1.0}, {0, 0, 1}},           /* 1/(7 - 7) */
                             {{.dt = 0.1, .dx = 1.0}, {8e102, 0, 0}},       /* above 1.8e308 where |x - 5| < 1.7 */
                             {{.dt = 0.1, .dx = 1.0}, {-1, 1e60, 0}}};      /* 1e270, and infinite a stage later */
    int64_t step[COUNT];
    if (make_line(&m, device, t, N, COUNT)) {
        struct sw_failure_place place[COUNT];
        start_line(&m, COUNT, run);
        assert_ok(stepper_advance(m.s, 0, 3));
        assert_ok(stepper_diverged(m.s, step));
        for (int j = 0; j < COUNT; j++) place[j] = stepper_place(m.s, j);
        assert_true(step[0] == -1 && step[1] == 1 && step[2] == 1 && !place[0].known);
        if (place[1].known) {
            assert_true(place[1].infinite && place[1].unknown == 1 && place[1].first == 7 && place[1].last == 7);
            assert_true(place[2].infinite && place[2].unknown == 0 && place[2].at == 5);
            assert_true(place[2].first == 4 && place[2].last == 6);
            assert_true(step[3] == 1 && !place[3].infinite && place[3].unknown == 1 && place[3].at == 11);
        } else {
            assert_int_equal(under_test->space, SW_DEVICE);
        }
    }
    unmake_line(&m);
}

int main(void)
{
    const struct CMUnitTest of_tables[] = {
        cmocka_unit_test(tables_fulfil_the_conditions_of_their_order),
        cmocka_unit_test(methods_are_l_stable),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_growth_of_linear_modes),
        cmocka_unit_test(has_the_order_of_the_method_in_time),
        cmocka_unit_test(gives_a_run_the_same_bits_alone_and_in_two_calls),
        cmocka_unit_test(stops_a_run_any_of_whose_unknowns_is_not_finite),
        cmocka_unit_test(names_the_place_where_a_run_failed),
    };
    int failed = cmocka_run_group_tests_name("tables", of_tables, NULL, NULL);
    for_each_row(sw_stepper_table)
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_devices, close_devices);
    return failed != 0;
}
