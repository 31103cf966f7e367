/* -(p u')' + q u = f where p goes over many decades, by every row that does it, against the same equations solved in
 * quadruple precision. p is constant between steps, n a power of two and q a small whole number, so that both have the
 * same coefficients to the bit, and u is off by what a row loses alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bvp_helpers.h"

__extension__ typedef __float128 quad;

enum { STEPS = 16, MOST = 1 << 17 };

/* p = level[k] where x < border[k], the first such k. u' = 0 or u = 0 at the left end, u = 0 at the right one. */
struct problem { int n, steps; double border[STEPS], level[STEPS], q, f; bool fixed; };

static double p_of(const struct problem *t, double x)
{
    int k = 0;
    while (k < t->steps - 1 && x >= t->border[k]) k++;
    return t->level[k];
}

/* Elimination of couplings c and row sums e, which takes any p: sums of positive numbers if q is not negative. Else a
 * small pivot costs digits, and quadruple precision has as many again. */
static void reference(const struct problem *t, quad *u)
{
    const int n = t->n, first = t->fixed;
    const quad h = (quad)1 / n;
    quad *factor = malloc((size_t)n * sizeof *factor), excess = 0;
    assert_non_null(factor);
    u[0] = 0;
    for (int i = first; i < n; i++) {
        const quad width = i == 0 ? 0.5Q : 1, c = p_of(t, (i + 0.5) / n),
                   before = i > first ? p_of(t, (i - 0.5) / n) : 0, pivot_before = before + excess;
        const quad carried = i > first ? before / pivot_before : 0;
        excess = width * h * h * t->q + carried * excess;
        if (i == 1 && t->fixed) excess += p_of(t, 0.5 / n);
        u[i] = width * h * h * t->f + (i > first ? carried * u[i - 1] : 0);
        factor[i] = c + excess;
    }
    for (int i = n - 1; i >= first; i--)
        u[i] = (u[i] + (i < n - 1 ? p_of(t, (i + 0.5) / n) * u[i + 1] : 0)) / factor[i];
    free(factor);
}

static struct sw_program *number(double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", v);
    return compile_text(text, x_alone, 1);
}

static struct sw_program *steps_of(const struct problem *t)
{
    char text[STEPS * 80] = "";
    size_t at = 0;
    for (int k = 0; k < t->steps - 1; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "x < %.17g ? %.17g : (", t->border[k], t->level[k]);
    at += (size_t)snprintf(text + at, sizeof text - at, "%.17g", t->level[t->steps - 1]);
    for (int k = 0; k < t->steps - 1; k++) at += (size_t)snprintf(text + at, sizeof text - at, ")");
    return compile_text(text, x_alone, 1);
}

/* @param u  out [n] */
static struct sw_bvp_result computed(const struct problem *t, double *u)
{
    struct sw_program *program[] = {number(t->f), steps_of(t), number(t->q), t->fixed ? number(0) : NULL};
    const struct sw_bvp_desc desc = {.n = t->n, .capacity = 1, .save = true, .f = program[0], .p = program[1],
                                     .q = program[2], .left = {.dirichlet = program[3]}};
    const struct sw_bvp_run run = {.h = 1.0 / t->n};
    const struct sw_bvp_result *found;
    const void *field;
    struct sw_bvp *b;
    assert_ok(sw_bvp_create(&desc, under_test->name, device, &b));
    assert_ok(sw_bvp_solve(b, 1, &run, NULL));
    assert_ok(sw_bvp_fetch(b, &field, &found));
    const struct sw_bvp_result r = *found;
    memcpy(u, field, (size_t)t->n * sizeof *u);
    sw_bvp_destroy(&b);
    for (int k = 0; k < 4; k++)
        if (program[k]) sw_program_destroy(&program[k]);
    return r;
}

static double worst;
static int    done, lost, refused;

/* A row that keeps row sums apart does any p as long as q is not negative; LAPACK may lose all digits, but says so. */
static void compare(const struct problem *t, double bound)
{
    static double u[MOST];
    static quad   exact[MOST];
    const struct sw_bvp_result r = computed(t, u);
    quad largest = 0, error = 0;
    if (r.fault) {
        struct sw_text text = SW_SHORT_TEXT;
        sw_bvp_explain(&r, &text);
        const bool keeps = strcmp(under_test->name, "cpu.lapack") != 0;
        if (t->q >= 0 && (keeps || r.fault != SW_BVP_LOST))
            fail_msg("n = %d, q = %g, p %g .. %g: %s", t->n, t->q, t->level[0], t->level[t->steps - 1], text.data);
        lost += r.fault == SW_BVP_LOST;
        refused += r.fault != SW_BVP_LOST;
        return;
    }
    reference(t, exact);
    for (int i = 0; i < t->n; i++) {
        const quad size = exact[i] < 0 ? -exact[i] : exact[i], off = u[i] - exact[i];
        largest = size > largest ? size : largest;
        error = off > error ? off : -off > error ? -off : error;
    }
    const double relative = (double)(error / largest);
    worst = fmax(worst, relative);
    done++;
    if (!(relative <= bound))
        fail_msg("n = %d, q = %g, p %g .. %g: off by %.2g of max |u|", t->n, t->q, t->level[0],
                 t->level[t->steps - 1], relative);
}

static void report(const char *what)
{
    print_message("%s: %d done, off by %.2g at most, %d lost, %d refused\n", what, done, worst, lost, refused);
    done = lost = refused = 0;
    worst = 0;
}

/* p = 10^(from + by x), in steps. */
static struct problem staircase(int n, double from, double by, double q)
{
    struct problem t = {.n = n, .steps = STEPS, .q = q, .f = 1};
    for (int k = 0; k < STEPS; k++) {
        t.border[k] = (k + 1.0) / STEPS;
        t.level[k] = pow(10, from + by * (k + 0.5) / STEPS);
    }
    return t;
}

static const double u0 = 0x1p-53;

static void keeps_its_digits_where_p_rises_or_falls_by_many_decades(void **state)
{
    static const struct { int n; double from, by, q; } kind[] = {
        {1 << 17, -6, 12, 1}, {1 << 16, -7, 14, 1}, {1 << 16, -6, 12, -9}, {1 << 10, -14, 28, 1}, {1 << 6, 22, -44, 1},
        {1 << 10, -16, 32, 1}, {1 << 15, -10, 20, 1}, {1 << 6, -200, 400, 0}, {1 << 6, 16, -32, 0},
        {1 << 6, 10, -20, 0}, {1 << 6, 8, -16, 0}, {1 << 6, 24, -48, 1}, {1 << 6, 14, -28, 0}, {1 << 6, 30, -60, 0}};
    (void)state;
    need_row();
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        if (small_suite() && kind[k].n > 1 << 15) continue;
        const struct problem t = staircase(kind[k].n, kind[k].from, kind[k].by, kind[k].q);
        compare(&t, 4 * u0);
    }
    report("stairs");
}

static double unit(uint64_t *seed) { return (test_random(seed) + 1) / 2; }

/* Up to 2^12 points, up to 8 steps, over `decades` in all. */
static struct problem random_problem(uint64_t *seed, double decades, bool negative)
{
    struct problem t = {.n = 4 << (int)(unit(seed) * 11), .steps = 2 + (int)(unit(seed) * 7) % 7, .f = 1,
                        .fixed = unit(seed) < 0.5};
    const double whole = floor(pow(10, 3 * unit(seed)));
    t.q = unit(seed) < 0.3 ? 0 : negative ? -whole : whole;
    for (int k = 0; k < t.steps; k++) {
        t.border[k] = (k + 1 + unit(seed) / 2) / t.steps;
        t.level[k] = pow(10, decades * (unit(seed) - 0.5));
    }
    return t;
}

static void random_steps(int count, double decades, bool negative, double bound, const char *what)
{
    uint64_t seed = 7;
    /* Each problem's kernels are compiled, which takes a third of a second. */
    const int problems = under_test->space == SW_DEVICE ? count / 8 : small_suite() ? count / 3 : count;
    for (int k = 0; k < problems; k++) {
        const struct problem t = random_problem(&seed, decades, negative);
        compare(&t, bound);
    }
    report(what);
}

/* e is the same to the bit, but for the last one, which holds p as well. Its rounding moves u by more the nearer -q is
 * to an eigenvalue. */
static void keeps_its_digits_for_random_steps(void **state)
{
    (void)state;
    need_row();
    random_steps(150, 14, false, 4 * u0, "14 decades");
    random_steps(150, 14, true, 64 * u0, "14 decades, q < 0");
}

/* A correction of u holds the rounding of u times p, which may be more than f then. */
static void loses_few_digits_where_p_goes_over_thirty_decades(void **state)
{
    (void)state;
    need_row();
    random_steps(150, 30, false, 1e-13, "30 decades");
    random_steps(150, 30, true, 1e-12, "30 decades, q < 0");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_its_digits_where_p_rises_or_falls_by_many_decades),
        cmocka_unit_test(keeps_its_digits_for_random_steps),
        cmocka_unit_test(loses_few_digits_where_p_goes_over_thirty_decades),
    };
    int failed = 0;
    for_each_row(sw_bvp_table)
        if (is_general()) failed += run_for_row(tests);
    return failed;
}
