/* Every row of the table of steppers meets the error bound it claims (docs/explanation/banded_solvers.md and
 * recursive_form.md), for all coefficients. The solution of the discrete system by Fourier modes is the judge, not
 * another row. */
#include <stdio.h>

#include "linalg/sw_band_impl.h"
#include "stepper_helpers.h"

/* Rows that take no band solver use the recursive form, but for those that claim a rounding of their own. Each has the
 * bound of its section, for one solve relative to the solution; beyond SW_LINE_MAX_ROUNDING it refuses. */
static bool recursive(void) { return !under_test->takes_band; }

static char row_now[96];  /* with its band solver, where that was chosen */

static void use_row(const char *row) { snprintf(row_now, sizeof row_now, "%s", row); }

static double bound_of(double s4, double s2)
{
    const char *band = strchr(row_now, '+');
    double least = 1.0, largest = 1.0;
    for (int k = 0; k <= 1000; k++) {
        const double s = 4.0 * k / 1000, symbol = 1.0 + s2 * s + s4 * s * s;
        least = fmin(least, symbol);
        largest = fmax(largest, symbol);
    }
    const struct sw_line_operator a = {.s4 = s4, .s2 = s2};
    if (under_test->rounding) return under_test->rounding(&a);
    if (recursive()) return 10.0 * unit * (1.0 + sqrt(fabs(s2)) + sqrt(fabs(s4)));
    return sw_band_error_growth(band ? band + 1 : NULL) * unit * (9.0 + largest / least);
}

/* The row, with one of its band solvers if it takes any: NULL after the last; "" is one that is not here. */
static const char *variant(int k, char name[96])
{
    if (recursive()) return k ? NULL : under_test->name;
    const struct sw_band_ops *band = sw_band_table[k];
    if (!band) return NULL;
    snprintf(name, 96, "%s+%s", under_test->name, band->name);
    return band->absent || band->space != under_test->space ? "" : name;
}

/* Whether variant k takes lines of n with matrices that differ. */
static bool variant_fits(int k, int n)
{
    const struct sw_band_desc desc = {.n = n, .batch = 2, .lower = 2, .upper = 2, .periodic = true};
    return takes_lines_of(n) && (recursive() || !sw_band_table[k]->fits || sw_band_table[k]->fits(&desc));
}

enum { MAX_N = 1024, MAX_RUNS = 26 * 26, SCHEMES = 2, STEPS = 2 };

static struct sim make_free(const char *row, enum sw_scheme scheme, int n, int runs)
{
    return make_with(row, device, (struct texts){scheme, NULL, NULL, NULL, NULL}, n, runs, false);
}

static struct run operator_of(double s4, double s2)
{
    return (struct run){.line = {.dt = 1.0, .dx = 1.0, .a[0].s4 = s4, .a[0].s2 = s2}};
}

/* Positive, so that no sum cancels: 1/2 to 3/2. The same for all runs. */
static double *some_field(int n, int runs)
{
    uint64_t seed = 7;
    double *f = NULL;
    assert_ok(sw_alloc((size_t)n * (size_t)runs, &f));
    for (int i = 0; i < n; i++) f[i] = 1.0 + 0.5 * test_random(&seed);
    for (int j = 1; j < runs; j++) memcpy(f + (size_t)j * (size_t)n, f, (size_t)n * sizeof *f);
    return f;
}

/* One step from f, for each scheme; steps 0 and 1 may go in opposite directions. */
static void one_step(const char *row, int n, int runs, const struct run *run, const double *f,
                     double *u[SCHEMES][STEPS], const char **load_error)
{
    for (int scheme = 0; scheme < SCHEMES; scheme++) {
        struct sim m = make_free(row, scheme, n, runs);
        load_faulty(&m, runs, run, load_error);
        for (int step = 0; step < STEPS; step++) {
            assert_ok(stepper_set_state(m.s, f));
            assert_ok(stepper_advance(m.s, step, step + 1));
            u[scheme][step] = state_of(&m);
        }
        unmake(&m);
    }
}

/* Backward Euler: A⁻¹f. Crank-Nicolson: 2 A⁻¹f - f, which rounds by |f| besides. */
static void compare(int n, const struct run *run, const double *f, int scheme, const double *u,
                    const long double *solution)
{
    double error = 0.0, largest = 0.0, bound = bound_of(run->line.a[0].s4, run->line.a[0].s2);
    bool crank_nicolson = scheme == SW_CRANK_NICOLSON;
    for (int i = 0; i < n; i++) {
        long double expected = crank_nicolson ? 2 * solution[i] - f[i] : solution[i];
        error = fmax(error, (double)fabsl(u[i] - expected));
        largest = fmax(largest, (double)fabsl(solution[i]));
    }
    bound = crank_nicolson ? 2.0 * bound * largest + 2.0 * unit : bound * largest;
    if (!(error <= bound))
        fail_msg("%s, %s, n = %d, s4 = %g, s2 = %g: off by %g > %g", row_now,
                 crank_nicolson ? "Crank-Nicolson" : "backward Euler", n,
                 run->line.a[0].s4, run->line.a[0].s2, error, bound);
}

/* A run whose bound is too coarse is refused, and stays NaN. */
static bool refused(const struct sw_line_run *r, const char *load_error, double u)
{
    const bool coarse = bound_of(r->a[0].s4, r->a[0].s2) > SW_LINE_MAX_ROUNDING;
    if (coarse != (load_error != NULL))
        fail_msg("s4 = %g, s2 = %g, bound %g: %s", r->a[0].s4, r->a[0].s2, bound_of(r->a[0].s4, r->a[0].s2),
                 load_error ? load_error : "taken");
    if (!coarse) return false;
    assert_contains(load_error, "is too coarse for the implicit part");
    assert_true(isnan(u));
    return true;
}

static void check(const char *row, int n, int runs, const struct run *run)
{
    static long double solution[MAX_N];
    static const char *load_error[MAX_RUNS];
    double *f = some_field(n, runs), *u[SCHEMES][STEPS];
    use_row(row);
    one_step(row, n, runs, run, f, u, load_error);
    for (int j = 0; j < runs; j++) {
        if (refused(&run[j].line, load_error[j], u[0][0][(size_t)j * (size_t)n])) continue;
        test_fourier_solve(n, run[j].line.a[0].s4, run[j].line.a[0].s2, f, 1, solution);
        for (int scheme = 0; scheme < SCHEMES; scheme++)
            for (int step = 0; step < STEPS; step++)
                compare(n, &run[j], f, scheme, u[scheme][step] + (size_t)j * (size_t)n, solution);
    }
    for (int k = 0; k < SCHEMES * STEPS; k++) sw_free(u[k / STEPS][k % STEPS]);
    sw_free(f);
}

static const int sizes[] = {5, 6, 7, 31, 33, 64, 100, 333, 1000, 1024};

/* The small suite runs under tools that make a serial kernel a hundred times slower. */
static int size_count(void) { return small_suite() ? 6 : (int)(sizeof sizes / sizeof *sizes); }

/* s4, s2 = 0 and powers of ten from 1e-12 to 1e12, side by side in one batch; large n have every fourth power. */
static void solves_within_its_bound_for_all_coefficients(void **state)
{
    static struct run run[MAX_RUNS];
    char name[96];
    (void)state;
    need_row();
    for (int v = 0; variant(v, name); v++)
        for (int k = 0; *variant(v, name) && k < size_count(); k++) {
            if (!variant_fits(v, sizes[k])) continue;
            int runs = 0, stride = small_suite() ? 6 : sizes[k] < 100 && !v ? 1 : 4;
            for (int p = -12 - stride; p <= 12; p += stride)
                for (int q = -12 - stride; q <= 12; q += stride)
                    run[runs++] = operator_of(p < -12 ? 0.0 : pow(10, p), q < -12 ? 0.0 : pow(10, q));
            check(variant(v, name), sizes[k], runs, run);
        }
}

/* Complex roots, two that meet, negative ones, one alone; heat in second and fourth order; roots close to the unit
 * circle at 1, and at -1, where the matrix is nearly singular; close to what is refused, and beyond. */
static void solves_within_its_bound_wherever_the_roots_lie(void **state)
{
    static const double pair[][2] = {
        {1.0, 2.0}, {0.25, 1.0}, {0.25, 1.0 + 1e-15}, {0.25, 1.0 - 1e-15}, {2500.0, 100.0}, {1e12, 2e6},
        {0.01 / 12, 0.01}, {0.3 / 12, 0.3}, {1.0 / 36, 1.0 / 3}, {0.4 / 12, 0.4}, {1e3 / 12, 1e3},
        {1e9 / 12, 1e9}, {0.0, 1e-300}, {0.0, 0.3}, {0.0, 1e3}, {0.0, 1e16}, {1e16, 0.0}, {1e16, 1e8},
        {1e20, 1e20}, {1e-300, 0.0}, {1e-300, 1e-150}, {0.0, -0.2}, {0.0, -0.249}, {1.1, -2.0}, {0.01, -0.2},
        {-0.01, 0.1}, {-0.01, -0.1}, {-0.05, 0.0}, {1e6, -1e2}, {1e12, -1e6},
        {5.6e11, 0.0}, {5.7e11, 0.0}, {0.0, 2.2e12}, {8e23, 0.0}, {0.0, 8e23}, {8.2e23, 0.0}, {1e28, 0.0}, {1e300, 0.0},
    };
    enum { PAIRS = sizeof pair / sizeof *pair };
    struct run run[PAIRS];
    (void)state;
    need_row();
    for (int j = 0; j < PAIRS; j++) run[j] = operator_of(pair[j][0], pair[j][1]);
    for (int k = 0; k < size_count() && sizes[k] <= 333; k++)
        if (takes_lines_of(sizes[k])) check(under_test->name, sizes[k], PAIRS, run);
}

/* ---- operators of all orders, by backward Euler */

static struct sw_line_operator some_operator(uint64_t *seed, double largest)
{
    double s[5];
    for (int k = 0; k < 5; k++) {
        const double size = pow(10, largest * test_random(seed)), sign = test_random(seed);
        s[k] = sign < -0.6 ? 0.0 : k % 2 && sign < 0.2 ? -size : size;
    }
    return (struct sw_line_operator){.s0 = s[0], .s1 = s[1], .s2 = s[2], .s3 = s[3], .s4 = s[4]};
}

/* @return false: the row takes no such model */
static bool make_orders(struct sw_stepper **s, int n, int runs)
{
    const struct sw_stepper_desc desc = {.n = n, .capacity = runs,
                                         .model = {.scheme = SW_BACKWARD_EULER, .orders = 1 | 1 << 1 | 1 << 3}};
    if (under_test->takes & SW_LINE_ORDERS) assert_ok(stepper_create(&desc, under_test->name, device, s));
    return under_test->takes & SW_LINE_ORDERS;
}

/* @param u  of the first of the steps; that of each step later lies `apart` behind */
static void compare_orders(int n, const struct sw_line_operator *a, double rounding, const double *f, int steps,
                           const double *u, size_t apart)
{
    static long double solution[MAX_N];
    double error = 0.0, largest = 0.0;
    test_fourier_solve_orders(n, (const double[5]){a->s0, a->s1, a->s2, a->s3, a->s4}, f, 1, solution);
    for (int i = 0; i < n; i++) {
        for (int step = 0; step < steps; step++)
            error = fmax(error, (double)fabsl(u[(size_t)step * apart + (size_t)i] - solution[i]));
        largest = fmax(largest, (double)fabsl(solution[i]));
    }
    const double bound = rounding * largest;
    if (!(error <= bound))
        fail_msg("%s, n = %d, s0 .. s4 = %g %g %g %g %g: off by %g > %g", under_test->name, n, a->s0, a->s1, a->s2,
                 a->s3, a->s4, error, bound);
}

static void solves_within_its_bound_for_operators_of_all_orders(void **state)
{
    enum { RUNS = 64 };
    static struct sw_line_run run[RUNS];
    static const char *load_error[RUNS];
    uint64_t seed = 11;
    (void)state;
    need_row();
    for (int k = 0; k < size_count(); k++)
        for (int size = 1; size <= 13; size += 3) {
            const int n = sizes[k];
            struct sw_stepper *s = NULL;
            if (!takes_lines_of(n) || !make_orders(&s, n, RUNS)) continue;
            for (int j = 0; j < RUNS; j++)
                run[j] = (struct sw_line_run){.dt = 1.0, .dx = 1.0, .a[0] = some_operator(&seed, size)};
            const size_t count = (size_t)n * RUNS;
            double *f = some_field(n, RUNS), *u = zeros(STEPS * count);
            assert_ok(stepper_load(s, RUNS, run, NULL, load_error));
            for (int step = 0; step < STEPS; step++) {
                assert_ok(stepper_set_state(s, f));
                assert_ok(stepper_advance(s, step, step + 1));
                assert_ok(stepper_get_state(s, u + (size_t)step * count));
            }
            for (int j = 0; j < RUNS; j++) {
                const double bound = sw_stepper_rounding(under_test->name, &run[j].a[0], false);
                const bool coarse = bound > SW_LINE_MAX_ROUNDING;
                assert_true(coarse == (load_error[j] != NULL));
                if (coarse) assert_contains(load_error[j], "is too coarse for the implicit part");
                else compare_orders(n, &run[j].a[0], bound, f, STEPS, u + (size_t)j * (size_t)n, count);
            }
            sw_free(f);
            sw_free(u);
            stepper_destroy(&s);
        }
}

/* cpu.plain with desc.refined: no rounding of its matrix is left, and of its residuals less than of a recursion. */
static void refines_solves_to_rounding(void **state)
{
    enum { RUNS = 64, N = 100 };
    struct sw_stepper_desc desc = {.n = N, .capacity = RUNS, .refined = true,
                                   .model = {.scheme = SW_BACKWARD_EULER, .orders = 1 | 1 << 1 | 1 << 3}};
    struct sw_line_run run[RUNS];
    const char *load_error[RUNS];
    uint64_t seed = 5;
    (void)state;
    if (strcmp(under_test->name, "cpu.plain")) return;
    double *f = some_field(N, RUNS), *u = zeros((size_t)N * RUNS);
    for (int size = 1; size <= 13; size += 3) {
        struct sw_stepper *s = NULL;
        for (int j = 0; j < RUNS; j++)
            run[j] = (struct sw_line_run){.dt = 1.0, .dx = 1.0, .a[0] = some_operator(&seed, size)};
        assert_ok(stepper_create(&desc, "cpu.plain+cpu.thomas", device, &s));
        assert_ok(stepper_load(s, RUNS, run, NULL, load_error));
        assert_ok(stepper_set_state(s, f));
        assert_ok(stepper_advance(s, 0, 1));
        assert_ok(stepper_get_state(s, u));
        for (int j = 0; j < RUNS; j++)
            if (!load_error[j])
                compare_orders(N, &run[j].a[0], sw_line_rounding(&run[j].a[0], false), f, 1, u + (size_t)j * N, 0);
        stepper_destroy(&s);
    }
    sw_free(f);
    sw_free(u);
}

/* Each solve may shift the mean by its error, and Crank-Nicolson takes twice the solution. L = n. */
static void check_mass(const struct sim *m, const struct run *run, double mass, int steps)
{
    const double *now = scalars_of(m);
    for (int j = 0; j < m->count; j++, now += SW_LINE_SCALARS) {
        double bound = 2.0 * steps * bound_of(run[j].line.a[0].s4, run[j].line.a[0].s2) + 10.0 * unit;
        assert_near(now[SW_MASS], mass, 1.5 * m->n * bound);
    }
}

static void mass_drifts_by_no_more_a_step_than_a_solve_errs(void **state)
{
    const struct run run[] = {operator_of(0.05, 0.0), operator_of(1e4, 0.0), operator_of(0.0, 1e6),
                              operator_of(1e9, 1e3), operator_of(0.3 / 12, 0.3)};
    enum { RUNS = sizeof run / sizeof *run };
    const int every = small_suite() ? 5 : 50;
    double mass = 0.0;
    (void)state;
    need_row();
    use_row(under_test->name);
    const int n = length_near(small_suite() ? 64 : 333);
    double *f = some_field(n, RUNS);
    for (int i = 0; i < n; i++) mass += f[i];
    for (int scheme = 0; scheme < SCHEMES; scheme++) {
        struct sim m = make_free(under_test->name, scheme, n, RUNS);
        load(&m, RUNS, run);
        assert_ok(stepper_set_state(m.s, f));
        for (int step = 0; step <= 4 * every; step += every) {
            if (step) assert_ok(stepper_advance(m.s, step - every, step));
            check_mass(&m, run, mass, step);
        }
        unmake(&m);
    }
    sw_free(f);
}

/* Crank-Nicolson with n = 1024, L = 1, dt = 1e-8: cos of mode 2 and 0.3 sin of mode 3. */
static void follows_the_discrete_exact_solution_to_five_in_1e12(void **state)
{
    enum { N = 1024, LAST = 250 };
    const double s = 0.5 * 1e-8 * pow(N, 4);
    const struct run run = operator_of(s, 0.0);
    double u[N], error = 0.0, size = 0.0;
    (void)state;
    need_row();
    if (!recursive() || small_suite()) return;
    struct sim m = make_free(under_test->name, SW_CRANK_NICOLSON, N, 1);
    for (int i = 0; i < N; i++) u[i] = cos(2 * (2 * pi * i / N)) + 0.3 * sin(3 * (2 * pi * i / N));
    load(&m, 1, &run);
    assert_ok(stepper_set_state(m.s, u));
    assert_ok(stepper_advance(m.s, 0, LAST));
    assert_ok(stepper_get_state(m.s, u));
    for (int i = 0; i < N; i++) {
        double x = 2 * pi * i / N, w2 = 2 - 2 * cos(2 * 2 * pi / N), w3 = 2 - 2 * cos(3 * 2 * pi / N);
        double exact = cos(2 * x) * pow((1 - s * w2 * w2) / (1 + s * w2 * w2), LAST) +
                       0.3 * sin(3 * x) * pow((1 - s * w3 * w3) / (1 + s * w3 * w3), LAST);
        error += (u[i] - exact) * (u[i] - exact);
        size += exact * exact;
    }
    assert_near(sqrt(error / size), 0.0, 5e-12);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_within_its_bound_for_all_coefficients),
        cmocka_unit_test(solves_within_its_bound_wherever_the_roots_lie),
        cmocka_unit_test(solves_within_its_bound_for_operators_of_all_orders),
        cmocka_unit_test(refines_solves_to_rounding),
        cmocka_unit_test(mass_drifts_by_no_more_a_step_than_a_solve_errs),
        cmocka_unit_test(follows_the_discrete_exact_solution_to_five_in_1e12),
    };
    int failed = 0;
    for_each_row(sw_stepper_table)
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_devices, close_devices);
    return failed != 0;
}
