/* Every row of the table of steppers that takes general models against cpu.plain, the reference, over random models. */
#include "base/sw_err.h"
#include "line_paces.h"
#include "problem/line/stepper/fourth_order.h"

enum { TEXTS = 12, RUNS = 19, STEPS = 6 };

/* G in the unknown itself, N in all of them: text_for() puts the names of a model. Bounded by a few, with derivatives
 * of a few, for unknowns of about 1. */
static const char *const of_g[] = {NULL, "a*u", "b*(u^3 - u)", "b*sin(u)", "-u", "u"};
static const char *const of_s[TEXTS] = {
    NULL, "a*sin(u)", "-b*u*(ur - ul)", "c*cos(3*t + 0.1*x)", "a*ul2 - b*ur2 + c", "u - u^3", "v*u - w",
    "-u*v^2 + c*(1 - u)", "(ur^2 - ul^2)*a + z", "zl - zr + exp(-u^2)", "a*(vl2 - 2*vl + 2*vr - vr2)*u + b*rand(1)",
    "x*0.01 + t",
};
static const enum sw_scheme methods[] = {SW_CRANK_NICOLSON, SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};
static const int sizes[] = {5, 6, 7, 12, 33, 64, 101, 256, 511, 1000};

static int pick(uint64_t *seed, int count) { return (int)(0.5 * (test_random(seed) + 1.0) * count) % count; }

/* The text with other unknowns: its own one alone, or those from it on. */
static const char *text_for(const char *text, int unknown, int unknowns, bool own, char out[128])
{
    static const char names[] = "uvwz";
    if (!text) return NULL;
    snprintf(out, 128, "%s", text);
    for (char *c = out; *c; c++) {
        const bool in_a_word = c > out && c[-1] >= 'a' && c[-1] <= 'z';
        const char *name = strchr(names, *c);
        if (name && !in_a_word) *c = names[own ? unknown : (int)(name - names + unknown) % unknowns];
    }
    return out;
}

static double size_of(uint64_t *seed)
{
    return test_random(seed) < -0.4 ? 0.0 : pow(10, 2 * test_random(seed));
}

static struct sw_line_operator some_operator(uint64_t *seed, bool all_orders)
{
    struct sw_line_operator a = {.s4 = size_of(seed), .s2 = size_of(seed)};
    if (!all_orders) return a;
    a.s0 = size_of(seed);
    a.s1 = size_of(seed) * (test_random(seed) < 0 ? -1 : 1);
    a.s3 = size_of(seed) * (test_random(seed) < 0 ? -1 : 1);
    return a;
}

/* Conditions, first and second, of a solution of about 1 on a long line: what a polynomial through them has of rounding
 * is that of its size. */
static const char *const of_ends[2][4] = {{NULL, "0.3*a", "0.2*cos(3*t) + 0.1*b", "0"},
                                          {NULL, "1e-7*c", "1e-7*sin(t)", NULL}};

static void some_ends(uint64_t *seed, struct model *m)
{
    if (test_random(seed) < 0) return;
    for (int v = 0; v < m->unknowns; v++)
        for (int side = 0; side < 2; side++) {
            m->end[side][v] = test_random(seed) < 0 ? SW_END_VALUE : SW_END_SLOPE;
            const bool zero = test_random(seed) < -0.3;
            for (int k = 0; k < 2; k++) m->condition[side][v][k] = zero ? NULL : of_ends[k][pick(seed, 4)];
        }
}

/* Two conditions at each end go with derivatives of even orders: where others are as large a solve may make u grow by
 * more than a factor of 2, and sources of u³ then have no bound. */
static struct sw_line_operator tame(struct sw_line_operator a)
{
    a.s1 = fmax(-0.1 * a.s2, fmin(0.1 * a.s2, a.s1));
    a.s3 = fmax(-0.1 * a.s4, fmin(0.1 * a.s4, a.s3));
    return a;
}

struct texts_of { char g[SW_UNKNOWNS_MOST][128], s[SW_UNKNOWNS_MOST][128]; };

static struct model some_model(uint64_t *seed, int k, struct texts_of *texts)
{
    static const char *const initial[] = {"cos(0.3*x) + 0.1*a", "0.5 + 0.3*sin(0.2*x)", "sin(0.7*x)*b", "0.2 - c"};
    struct model m = {.scheme = methods[k % 4], .unknowns = 1 + pick(seed, 4)};
    if (m.scheme != SW_CRANK_NICOLSON && test_random(seed) > -0.5) m.orders = 1 | 1 << 1 | 1 << 3;
    for (int v = 0; v < m.unknowns; v++) {
        m.initial[v] = initial[v];
        m.g[v] = text_for(of_g[pick(seed, 6)], v, m.unknowns, true, texts->g[v]);
        m.s[v] = text_for(of_s[pick(seed, TEXTS)], v, m.unknowns, false, texts->s[v]);
    }
    some_ends(seed, &m);
    for (int v = 0; v < m.unknowns && k % 3 == 2 && !m.end[0][0]; v++)  /* some of fourth order in space */
        m.mass[v] = sw_line_mass_for(test_random(seed) < -0.3, test_random(seed) < 0.3);
    return m;
}

/* A solve rounds by u times the condition of A in cpu.plain, by less in the other; stages divide by gamma; each step
 * multiplies differences by little more than 1, as dt is small against what N and G are. P takes up to LEAST_MASS of
 * A. */
#define LEAST_MASS (2.0 / 15.0)

static bool any_mass(const struct model *t)
{
    for (int v = 0; v < t->unknowns; v++)
        if (sw_line_has_mass(&t->mass[v])) return true;
    return false;
}

static double tolerance(const struct model *t, const struct sw_line_run *r, double largest)
{
    const int unknowns = t->unknowns;
    double condition = 0;
    for (int v = 0; v < unknowns; v++) {
        const struct sw_line_operator *a = &r->a[v];
        const double other = fabs(a->s1) + 2.6 * fabs(a->s3);
        condition = fmax(condition, 1 + a->s0 + 4 * a->s2 + 16 * a->s4 + other * other / (1 + a->s0));
    }
    return unit * STEPS * 40 * condition / (any_mass(t) ? LEAST_MASS : 1.0) * largest;
}

static double *final_state(const struct sw_stepper_ops *row, struct sw_device *where, const struct model *t, int n,
                           int runs, const struct run *run)
{
    struct line_sim m;
    double *u = NULL;
    if (make_line_on(row, &m, where, *t, n, runs)) {
        start_line(&m, runs, run);
        assert_ok(stepper_advance(m.s, 0, STEPS));
        u = state_of_line(&m);
    }
    unmake_line(&m);
    return u;
}

static void compare(const struct model *t, int n, const struct sw_line_run *r, const double *u, const double *exact)
{
    double largest = 1.0;
    for (int i = 0; i < n * t->unknowns; i++) largest = fmax(largest, fabs(exact[i]));
    /* a polynomial through a slope of 0.3 a, a < 1.9, at an end of n points, which is added and taken away */
    if (t->end[0][0]) largest = fmax(largest, 0.6 * n);
    const double bound = tolerance(t, r, largest);
    for (int i = 0; i < n * t->unknowns; i++) {
        if (fabs(u[i] - exact[i]) <= bound) continue;
        for (int v = 0; v < t->unknowns; v++) print_error("G = %s, N = %s\n", t->g[v], t->s[v]);
        for (int k = 0; k < 2 * t->unknowns; k++)
            print_error("end of kind %d: %s, %s\n", (int)t->end[k % 2][k / 2], t->condition[k % 2][k / 2][0],
                        t->condition[k % 2][k / 2][1]);
        fail_msg("method %d, n = %d, point %d: off by %g > %g", (int)t->scheme, n, i, fabs(u[i] - exact[i]), bound);
    }
}

static void agrees_with_the_reference_over_random_models(void **state)
{
    const struct sw_stepper_ops *plain = sw_stepper_table[0];
    uint64_t seed = 17;
    (void)state;
    need_row();
    for (int k = 0; strcmp(plain->name, "cpu.plain"); k++) plain = sw_stepper_table[k];
    const int models = small_suite() ? 20 : under_test->space == SW_DEVICE ? 120 : 240;  /* a GPU's are compiled, 1 s */
    for (int k = 0; k < models; k++) {
        struct texts_of texts;
        const struct model t = some_model(&seed, k, &texts);
        const int n = sizes[k % (small_suite() ? 6 : 10)], line = n * t.unknowns, chosen = k % RUNS;
        struct run run[RUNS];
        for (int j = 0; j < RUNS; j++) {
            run[j] = (struct run){{.dt = 1e-3 * (1 + j % 3), .dx = 1.0, .x0 = 0.1 * j}, {0.1 * j, 0.3, 1.0 - 0.1 * j}};
            for (int v = 0; v < t.unknowns; v++) {
                const struct sw_line_operator a = some_operator(&seed, t.orders != 0);
                run[j].line.a[v] = t.end[0][0] ? tame(a) : a;
            }
        }
        if (!takes_lines_of(n) || !is_case_asked_for(k)) continue;
        double *u = final_state(under_test, device, &t, n, RUNS, run), *alone = NULL;
        if (!u) continue;
        double *exact = final_state(plain, host, &t, n, RUNS, run);
        for (int j = 0; j < RUNS; j++) compare(&t, n, &run[j].line, u + j * line, exact + j * line);
        alone = final_state(under_test, device, &t, n, 1, &run[chosen]);
        assert_memory_equal(alone, u + chosen * line, (size_t)line * sizeof *u);
        sw_free(u);
        sw_free(exact);
        sw_free(alone);
    }
}

static void runs_of_other_paces_have_the_bits_that_they_have_alone(void **state)
{
    (void)state;
    need_row();
    paces_change_nothing(under_test, device, NULL);
}

/* Too long for the lanes of cuda.fused; the rows that are not bound to a length take it. */
static void says_which_lines_it_does_not_take(void **state)
{
    const struct model t = {.scheme = SW_IMEX2, .unknowns = 2, .initial = {"x", "x"}, .s = {"v*(ur - ul)", "u"}};
    struct line_sim m;
    (void)state;
    need_row();
    if (!make_line(&m, device, t, 5000, 1) && !strcmp(under_test->name, "cuda.fused"))
        assert_contains(sw_err_message(), "it takes no lines of so few, or so many, points");
    unmake_line(&m);
}

/* The three points that each end needs are those of one lane, of at least four. */
static void says_that_a_line_is_too_short_for_its_ends(void **state)
{
    const struct model t = {.scheme = SW_IMEX2, .unknowns = 1, .initial = {"x"}, .s = {"u"},
                            .end = {{SW_END_VALUE}, {SW_END_SLOPE}}};
    struct line_sim m;
    (void)state;
    need_row();
    for (int n = 11; n <= 12; n++) {
        const bool made = make_line(&m, device, t, n, 1);
        if (!strcmp(under_test->name, "cuda.fused")) assert_int_equal(made, n == 12);
        if (!made && under_test->takes & SW_LINE_ENDS)
            assert_contains(sw_err_message(), "it takes no lines of so few, or so many, points");
        unmake_line(&m);
    }
}

/* Built-in problems leave the number of unknowns out. */
static void what_a_model_needs_is_seen_whether_its_one_unknown_is_counted_or_not(void **state)
{
    (void)state;
    for (int unknowns = 0; unknowns < 2; unknowns++) {
        struct sw_stepper_desc d = {.n = 64, .capacity = 1};
        d.model.unknowns = unknowns;
        d.model.scheme = SW_IMEX2;
        d.model.mass[0].d2 = 1.0 / 6.0;
        assert_int_equal(sw_stepper_needs(&d), SW_LINE_STAGES | SW_LINE_MASS);
        d.own_steps = true;
        assert_int_equal(sw_stepper_needs(&d), SW_LINE_STAGES | SW_LINE_MASS | SW_LINE_OWN_STEPS);
    }
}

int main(void)
{
    const struct CMUnitTest of_needs[] = {
        cmocka_unit_test(what_a_model_needs_is_seen_whether_its_one_unknown_is_counted_or_not),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_which_lines_it_does_not_take),
        cmocka_unit_test(says_that_a_line_is_too_short_for_its_ends),
        cmocka_unit_test(agrees_with_the_reference_over_random_models),
    };
    const struct CMUnitTest of_paces[] = {
        cmocka_unit_test(runs_of_other_paces_have_the_bits_that_they_have_alone),
    };
    int failed = cmocka_run_group_tests(of_needs, NULL, NULL);
    for_each_row(sw_stepper_table)
    {
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_devices, close_devices);
        if (under_test->takes & SW_LINE_PACES)
            failed += cmocka_run_group_tests_name(under_test->name, of_paces, open_devices, close_devices);
    }
    return failed != 0;
}
