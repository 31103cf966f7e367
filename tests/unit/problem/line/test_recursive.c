/* The recursive form against the Fourier solution, by blocks as a group of lanes does it. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "problem/line/stepper/recursive.h"
#include "problem/line/cuda/recursive_device_point.h"
#include "problem/line/cuda/fused_point.h"

static const double unit = 0x1p-53;
enum { MAX_N = 2048, MAX_BLOCKS = 64 };

/* How the numbers are formed: in long double and rounded once, or in double as a device forms them: a root takes some
 * eight operations, each of which rounds by half a unit or less of what the last one does. */
struct form {
    const char *name;
    double      units;  /* of rounding, in those of long double */
    bool      (*factors)(const struct sw_line_operator *a, bool single, struct sw_recursive *up,
                         struct sw_recursive *down);
    void      (*power)(const struct sw_recursive *r, int64_t k, double power[4]);
    void      (*closure)(const struct sw_recursive *r, int64_t n, double closure[4]);
};

static struct sw_recursion_power power_in_double(const struct sw_recursive *r, int64_t k)
{
    const struct sw_recursion here = {r->a1, r->a2, r->scale};
    const struct sw_recursion_power one = sw_recursion_one(&here);
    return sw_recursion_power_of(&one, (int)k);
}

static bool double_factors(const struct sw_line_operator *a, bool single, struct sw_recursive *up,
                           struct sw_recursive *down)
{
    struct sw_recursion u, d;
    (void)single;
    if (!sw_recursion_factors(a, &u, &d)) return false;
    *up = (struct sw_recursive){u.a1, u.a2, u.scale};
    *down = (struct sw_recursive){d.a1, d.a2, d.scale};
    return true;
}

static void double_power(const struct sw_recursive *r, int64_t k, double power[4])
{
    const struct sw_recursion_power x = power_in_double(r, k);
    sw_recursion_entries(x.m, x.plain, power);
}

static void double_closure(const struct sw_recursive *r, int64_t n, double closure[4])
{
    const struct sw_recursion_power x = power_in_double(r, n);
    sw_recursion_closure(&x, closure);
}

static const struct form forms[] = {
    {"long double", 1.0, sw_recursive_factors, sw_recursive_power, sw_recursive_closure},
    {"double", 4.0, double_factors, double_power, double_closure},
};
static const struct form *form = forms;

static bool factor(double s4, double s2, struct sw_recursive *r)
{
    const struct sw_line_operator a = {.s4 = s4, .s2 = s2};
    struct sw_recursive down;
    return form->factors(&a, false, r, &down);
}

/* One direction over blocks. begin[l] .. begin[l+1]: the points of block l. Each block recurs from zero; the circular
 * scan gives what the blocks of one turn leave behind block l; the closure adds all turns before; then each block
 * recurs from the state behind the block before it. backward: the line is read from its end. */
static void sweep(const struct sw_recursive *r, int n, int blocks, bool backward, double *y)
{
    struct sw_state s[MAX_BLOCKS], t[MAX_BLOCKS];
    double closure[4];
    form->closure(r, n, closure);
    for (int l = 0; l < blocks; l++) {
        int first = sw_recursive_start(l, n, blocks), end = sw_recursive_start(l + 1, n, blocks);
        s[l] = (struct sw_state){0.0, 0.0};
        for (int i = first; i < end; i++) {
            double f = y[backward ? n - 1 - i : i];
            s[l] = (struct sw_state){sw_recursive_next(r->a1, r->a2, f, s[l].u, s[l].v), s[l].u};
        }
    }
    for (int q = 1; q < blocks; q *= 2) {
        for (int l = 0; l < blocks; l++) {
            double power[4];
            int points = sw_recursive_start(l + 1, n, blocks) - sw_recursive_start(l + 1 - q, n, blocks);
            form->power(r, points, power);
            t[l] = sw_recursive_negligible(power) ? s[l] : sw_recursive_join(power, s[(l - q + blocks) % blocks], s[l]);
        }
        for (int l = 0; l < blocks; l++) s[l] = t[l];
    }
    for (int l = 0; l < blocks; l++) t[l] = sw_recursive_join(closure, s[l], (struct sw_state){0.0, 0.0});
    for (int l = 0; l < blocks; l++) {
        int first = sw_recursive_start(l, n, blocks), end = sw_recursive_start(l + 1, n, blocks);
        struct sw_state x = t[(l - 1 + blocks) % blocks];
        for (int i = first; i < end; i++) {
            double *at = &y[backward ? n - 1 - i : i];
            x = (struct sw_state){sw_recursive_next(r->a1, r->a2, *at, x.u, x.v), x.u};
            *at = x.u;
        }
    }
}

static void solve(const struct sw_recursive *r, int n, int blocks, double *x)
{
    sweep(r, n, blocks, false, x);
    sweep(r, n, blocks, true, x);
    for (int i = 0; i < n; i++) x[i] *= r->scale;
}

static void check(int n, int blocks, double s4, double s2)
{
    static double f[MAX_N], x[MAX_N];
    static long double expected[MAX_N];
    struct sw_recursive r;
    double largest = 0.0, error = 0.0;
    srand(1);
    for (int i = 0; i < n; i++) f[i] = x[i] = 0.5 + (double)rand() / RAND_MAX;
    if (!factor(s4, s2, &r)) fail_msg("s4 = %g, s2 = %g refused", s4, s2);
    solve(&r, n, blocks, x);
    test_fourier_solve(n, s4, s2, f, 1, expected);
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, (double)fabsl(expected[i]));
        error = fmax(error, (double)fabsl(x[i] - expected[i]));
    }
    double bound = form->units * 10.0 * unit * (1.0 + sqrt(fabs(s2)) + sqrt(fabs(s4))) * largest;
    if (!(error <= bound))
        fail_msg("n = %d, %d blocks, s4 = %g, s2 = %g: off by %g > %g", n, blocks, s4, s2, error, bound);
}

/* Powers of ten from 1e-12 to 1e12, and 0. */
static void check_all(int n, int blocks, int stride)
{
    for (int p = -12 - stride; p <= 12; p += stride)
        for (int q = -12 - stride; q <= 12; q += stride)
            check(n, blocks, p < -12 ? 0.0 : pow(10, p), q < -12 ? 0.0 : pow(10, q));
}

static void solves_within_its_bound_for_all_coefficients(void **state)
{
    (void)state;
    check_all(5, 4, 1);
    check_all(33, 8, 1);
    check_all(100, 32, 3);
    check_all(64, 4, 3);
}

static void solves_lines_of_any_length_with_blocks_that_differ_by_a_point(void **state)
{
    (void)state;
    for (int n = 5; n < 70; n++)
        for (int blocks = 4; blocks <= n && blocks <= 64; blocks *= 2) check_all(n, blocks, 12);
    check_all(333, 32, 8);
    check_all(1000, 32, 12);
    check_all(1025, 64, 12);
}

static void solves_where_two_roots_meet_and_where_they_are_negative(void **state)
{
    static const double pair[][2] = {
        {1.0, 2.0}, {0.25, 1.0}, {0.25, 1.0 + 1e-15}, {0.25, 1.0 - 1e-15}, {2500.0, 100.0}, {1e12, 2e6},
        {0.3 / 12, 0.3}, {1e3 / 12, 1e3}, {0.0, -0.2}, {0.0, -0.249}, {1.1, -2.0}, {0.01, -0.2}, {-0.01, 0.1},
        {-0.01, -0.1}, {-0.05, 0.0}, {0.0, 1e-300}, {1e-300, 0.0}, {1e-300, 1e-150},
    };
    (void)state;
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        check(5, 4, pair[k][0], pair[k][1]);
        check(100, 16, pair[k][0], pair[k][1]);
    }
}

static void keeps_a_constant_to_rounding(void **state)
{
    double x[100];
    struct sw_recursive r;
    (void)state;
    for (int p = -12; p <= 12; p++) {
        assert_true(factor(pow(10, p), 0.0, &r));
        for (int i = 0; i < 100; i++) x[i] = 1.0;
        solve(&r, 100, 32, x);
        for (int i = 0; i < 100; i++) assert_near(x[i], 1.0, 10 * unit * (1 + pow(10, p / 2.0)));
    }
}

static void refuses_what_is_not_positive_definite(void **state)
{
    static const double pair[][2] = {{-1.0, 0.0}, {0.0, -0.25}, {0.0, -0.3}, {0.9, -2.0}, {1.0, -2.0}, {NAN, 0.0},
                                     {0.0, INFINITY}, {1.0, -6.0}, {0.25, -1.0}, {-1.0 / 16, 0.0}, {-0.1, 0.1}};
    struct sw_recursive r;
    (void)state;
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
        if (factor(pair[k][0], pair[k][1], &r))
            fail_msg("s4 = %g, s2 = %g accepted", pair[k][0], pair[k][1]);
}

/* Quadruple precision, where there is any. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef long double quad;
#endif

static quad root_of(quad x)
{
    quad root = sqrtl((long double)x);
    for (int k = 0; k < 3 && root > 0; k++) root = (root + x / root) / 2;
    return root;
}

/* The root rho, |rho| < 1, of rho + 1/rho = 2 + w, which is that of 1 + s/w. */
static quad rho_of(quad w)
{
    const quad root = root_of(w * (4 + w));
    return 2 / (w > 0 ? 2 + w + root : 2 + w - root);
}

/* 1 + s2 s + s4 s² = (1 + s/w)(1 + s/v), with s4 < 0 and next to nothing at s = 4, where v is next to -4. What rounding
 * once leaves: half a unit of a1 below 2, of a2 below 1, and a hundredth for what was before. */
static void symmetric_factors_keep_their_digits_where_the_symbol_nearly_has_a_zero(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int k = 0; k < 20000; k++) {
        const double s4 = -pow(10, 6 * test_random(&seed) - 1), share = pow(10, 9 * test_random(&seed) - 9),
                     s2 = nextafter((share - 1 - 16 * s4) / 4, INFINITY);
        const quad D = root_of((quad)s2 * s2 - 4 * (quad)s4), t = s2 + D;
        const quad one = rho_of(2 / t), other = rho_of(t / (2 * (quad)s4));
        struct sw_recursive r;
        if (!(1 + 4 * (quad)s2 + 16 * (quad)s4 > 0)) continue;
        if (!sw_recursive_factor(s4, s2, &r)) fail_msg("s2 = %.17g, s4 = %.17g: refused", s2, s4);
        assert_near((double)((quad)r.a1 + (one + other)), 0, 1.01 * 0x1p-53);
        assert_near((double)((quad)r.a2 - one * other), 0, 1.01 * 0x1p-54);
    }
}

/* What a device forms while it steps, from its own formulas, is what long double gives: a1 to 16 u, a2 to 8 u of their
 * size, which is 2 and 1 at most; two million operators were off by 8.3 and 2.4 u of quadruple precision. */
static void double_precision_finds_the_same_symmetric_factors(void **state)
{
    uint64_t seed = 11;
    int negative = 0;
    (void)state;
    for (int k = 0; k < 200000; k++) {
        const double s0 = rint(0x1p30 * (pow(10, 3 * test_random(&seed)) - 1)) / 0x1p30, z = 1 + s0;  /* exactly */
        const double sign = test_random(&seed);
        double s4 = pow(10, 12 * test_random(&seed)), s2 = pow(10, 12 * test_random(&seed));
        if (sign < -0.8) s4 *= -1;
        if (sign > 0.5) s2 *= -1;
        const double turn = -s2 / (2 * s4), last = z + 4 * s2 + 16 * s4;
        if (turn > 0 && turn < 4 && s4 > 0 && z + turn * (s2 + s4 * turn) <= 0) continue;
        if (!(last > 0)) continue;
        negative += s4 < 0 || s2 < 0;
        const struct sw_line_operator a = {.s0 = s0, .s2 = s2, .s4 = s4};
        struct sw_recursive exact, down;
        struct sw_recursion up, other;
        if (!sw_recursive_factors(&a, false, &exact, &down) || !sw_recursion_factors(&a, &up, &other))
            fail_msg("z = %g, s2 = %g, s4 = %g: refused", z, s2, s4);
        assert_near(up.a1, exact.a1, 2 * 8 * 0x1p-53);
        assert_near(up.a2, exact.a2, 8 * 0x1p-53);
    }
    assert_true(negative > 1000);
}

static void the_identity_is_its_own_factor(void **state)
{
    struct sw_recursive r;
    (void)state;
    assert_true(factor(0.0, 0.0, &r));
    assert_true(r.a1 == 0.0 && r.a2 == 0.0 && r.scale == 1.0);
}

static void blocks_in_a_row_differ_by_one_point_at_most(void **state)
{
    (void)state;
    for (int n = 5; n < 300; n++)
        for (int blocks = 4; blocks <= n && blocks <= 64; blocks *= 2)
            for (int q = 1; q <= blocks; q++)
                for (int l = 0; l < blocks; l++) {
                    int points = sw_recursive_start(l + 1, n, blocks) - sw_recursive_start(l + 1 - q, n, blocks);
                    assert_true(points == q * n / blocks || points == (q * n + blocks - 1) / blocks);
                }
}

static void sums_products_of_the_answer_to_an_impulse(void **state)
{
    static const double of[][2] = {{0.0, 0.0}, {1.0, 0.0}, {0.0, 3.0}, {2.5, 0.3}, {1e6, 1.0}};
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int n = 5; n < 90; n += 7) {
            struct sw_recursive r;
            double sum[4];
            long double h[101] = {0.0L, 1.0L}, direct[4] = {0};  /* h[i + 1] is h_i */
            assert_true(sw_recursive_factor(of[k][0], of[k][1], &r));
            for (int i = 1; i <= n; i++) h[i + 1] = -r.a1 * h[i] - r.a2 * h[i - 1];
            for (int i = 0; i < n; i++) {
                direct[0] += h[i + 1] * h[i + 2];
                direct[1] += h[i + 1] * h[i + 1];
                direct[2] += h[i] * h[i + 2];
                direct[3] += h[i] * h[i + 1];
            }
            sw_recursive_overlap(&r, &r, n, sum);
            /* all is done in long double: what rounding to double leaves, where nothing cancels */
            for (int i = 0; i < 4; i++) assert_near(sum[i], (double)direct[i], 4e-16 * (double)direct[1]);
        }
}

/* Where roots are close to 1 the sums are needed to all digits of a double: what they are used for is as small as 1/p
 * of them. Directly, h and its differences d: d_{k+1} = a2 d_k - p h_k, in which nothing is lost either. */
static void sums_products_to_all_digits_where_roots_are_close_to_one(void **state)
{
    static const double of[][2] = {{1e8, 1e4}, {1e12, 0.0}, {1e12, 2e6}, {1e16, 0.0}, {0.0, 1e12}, {1e12, 1e12}};
    (void)state;
    for (int k = 0; k < 6; k++)
        for (int n = 500; n < 150000; n = 3 * n + 1) {
            struct sw_recursive r;
            double sum[4];
            long double h = 1.0L, d = 1.0L, direct[4] = {0};
            assert_true(sw_recursive_factor(of[k][0], of[k][1], &r));
            long double p = 1.0L + r.a1 + r.a2;
            for (int i = 0; i < n; i++) {
                long double before = i ? h - d : 0.0L, now = h;
                d = r.a2 * d - p * h;
                h += d;
                direct[0] += now * h;
                direct[1] += now * now;
                direct[2] += before * h;
                direct[3] += before * now;
            }
            sw_recursive_overlap(&r, &r, n, sum);
            for (int i = 0; i < 4; i++) assert_near(sum[i], (double)direct[i], 4e-16 * (double)direct[1]);
        }
}

/* ---- operators of all orders */

static struct sw_line_operator some_operator(uint64_t *seed)
{
    double s[5];
    for (int k = 0; k < 5; k++) {
        const double size = pow(10, 12 * test_random(seed)), sign = test_random(seed);
        s[k] = sign < -0.6 ? 0.0 : k % 2 && sign < 0.2 ? -size : size;
    }
    return (struct sw_line_operator){.s0 = s[0], .s1 = s[1], .s2 = s[2], .s3 = s[3], .s4 = s[4]};
}

/* exp(i theta) and its square. */
struct circle { double complex once, twice; };

static struct circle circle_at(double theta) { return (struct circle){cexp(I * theta), cexp(2 * I * theta)}; }

static double complex symbol_at(const struct sw_recursive *r, const struct circle *at)
{
    return 1 + r->a1 * at->once + r->a2 * at->twice;
}

static double complex symbol(const struct sw_recursive *r, double theta)
{
    const struct circle at = circle_at(theta);
    return symbol_at(r, &at);
}

/* The product of the two, over scale, is A's symbol. At a theta each factor is off by 2^-53, relative to what it is by
 * that times its growth; so much, too, round the numbers of this test. */
static void factors_multiply_to_operators_of_all_orders(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int k = 0; k < (long_suite() ? 20000 : 5000); k++) {
        const struct sw_line_operator a = some_operator(&seed);
        struct sw_recursive up, down;
        if (!form->factors(&a, false, &up, &down))
            fail_msg("s0 .. s4 = %g %g %g %g %g: refused", a.s0, a.s1, a.s2, a.s3, a.s4);
        const double bound = form->units * 0x1p-50 * (2 + sw_recursive_growth(&up) + sw_recursive_growth(&down));
        assert_true(up.scale == down.scale && up.scale > 0 && up.scale <= 1 / (1 + a.s0) * (1 + 1e-15) * 16);
        for (double theta = 1e-6; theta < 3.1415; theta *= 1.3) {
            const double half = sin(theta / 2), w = 4 * half * half;
            const double complex exact = 1 + a.s0 + a.s2 * w + a.s4 * w * w + I * sin(theta) * (a.s1 - a.s3 * w);
            const double complex product = symbol(&up, -theta) * symbol(&down, theta) / up.scale;
            if (!(cabs(product / exact - 1) <= bound))
                fail_msg("s0 .. s4 = %g %g %g %g %g, theta = %g: off by %g > %g", a.s0, a.s1, a.s2, a.s3, a.s4, theta,
                         cabs(product / exact - 1), bound);
        }
    }
}

/* On a grid of theta that is fine near 0 and pi, and where the derivative is zero. */
static void growth_is_what_a_recursion_does_to_the_worst_wave(void **state)
{
    static struct circle near_0[1500], near_pi[1500];  /* the same for all: nearly all the time of this test */
    uint64_t seed = 5;
    int count = 0;
    (void)state;
    for (double theta = 1e-6; theta < 1.6; theta *= 1.01, count++) {
        assert_true(count < 1500);
        near_0[count] = circle_at(theta);
        near_pi[count] = circle_at(acos(-1) - theta);
    }
    for (int k = 0; k < 3000; k++) {
        struct sw_line_operator a = some_operator(&seed);
        struct sw_recursive way[2];
        a.s1 *= 1e-4, a.s2 *= 1e-4, a.s3 *= 1e-4, a.s4 *= 1e-4;
        assert_true(sw_recursive_factors(&a, false, &way[0], &way[1]));
        for (int l = 0; l < 2; l++) {
            const double growth = sw_recursive_growth(&way[l]);
            double worst = fmax(1 / cabs(symbol(&way[l], 0)), 1 / cabs(symbol(&way[l], acos(-1))));
            for (int i = 0; i < count; i++)
                worst = fmax(worst, 1 / fmin(cabs(symbol_at(&way[l], &near_0[i])),
                                             cabs(symbol_at(&way[l], &near_pi[i]))));
            if (growth > 1e7) continue;  /* the test's own rounding */
            const double c = -way[l].a1 * (1 + way[l].a2) / (4 * way[l].a2);  /* cos(theta) of the least square */
            if (fabs(c) <= 1) worst = fmax(worst, 1 / cabs(symbol(&way[l], acos(c))));
            assert_true(worst <= growth * (1 + 1e-6) && worst >= growth * (1 - 1e-6));
        }
    }
}

static void symmetric_operators_have_one_factor_with_or_without_s0(void **state)
{
    (void)state;
    for (int p = -12; p <= 12; p += 3)
        for (int q = -12; q <= 12; q += 3) {
            const double s4 = pow(10, p), s2 = pow(10, q);
            const struct sw_line_operator plain = {.s4 = s4, .s2 = s2}, four = {.s4 = 4 * s4, .s2 = 4 * s2, .s0 = 3.0};
            const struct sw_line_operator general = {.s4 = s4, .s2 = s2, .s1 = 1e-300};  /* which changes nothing */
            struct sw_recursive r, up, down;
            assert_true(sw_recursive_factor(s4, s2, &r));
            assert_true(sw_recursive_factors(&plain, false, &up, &down));
            assert_true(up.a1 == r.a1 && up.a2 == r.a2 && up.scale == r.scale);
            assert_true(down.a1 == r.a1 && down.a2 == r.a2);
            assert_true(sw_recursive_factors(&four, false, &up, &down));
            assert_true(up.a1 == r.a1 && up.a2 == r.a2 && fabs(4 * up.scale - r.scale) <= 2 * 0x1p-53 * r.scale);
            assert_true(sw_recursive_factors(&general, false, &up, &down));
            assert_near(up.a1, r.a1, 4 * 0x1p-53);
            assert_near(up.a2, r.a2, 2 * 0x1p-53);
            assert_near(down.a1, r.a1, 4 * 0x1p-53);
            assert_near(up.scale / r.scale, 1.0, 0x1p-50 * (1 + sqrt(s2) + sqrt(s4)));
        }
}

static void refuses_operators_whose_real_part_is_not_positive(void **state)
{
    static const struct sw_line_operator bad[] = {
        {.s1 = 1.0, .s0 = -1.0}, {.s1 = 1.0, .s0 = -2.0}, {.s1 = 1.0, .s2 = -0.3}, {.s3 = 1.0, .s2 = -2.1, .s4 = 1.0},
        {.s3 = 1.0, .s4 = -0.1}, {.s0 = -1.5}, {.s1 = NAN}, {.s3 = INFINITY}, {.s0 = NAN, .s1 = 1.0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct sw_recursive up, down;
        if (form->factors(&bad[k], false, &up, &down)) fail_msg("operator %zu is taken", k);
    }
}

/* As above, in differences. */
static void sums_products_of_the_answers_of_two_recursions(void **state)
{
    static const struct sw_line_operator of[] = {
        {.s1 = 0.7}, {.s3 = -2.0}, {.s1 = 5.0, .s2 = 1.0}, {.s4 = 1e6, .s1 = 30.0}, {.s4 = 1e12, .s3 = 1e8, .s1 = -1e4},
        {.s2 = 1e8, .s1 = 1e8}, {.s3 = 1e6}, {.s1 = -1e6},
    };
    (void)state;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        for (int n = 5; n < 20000; n = 3 * n + 1)
            for (int way = 0; way < 2; way++) {
                struct sw_recursive r[2];
                double sum[4];
                long double h[2] = {1.0L, 1.0L}, d[2] = {1.0L, 1.0L}, direct[4] = {0}, size = 0;
                assert_true(sw_recursive_factors(&of[k], false, &r[way], &r[!way]));
                for (int i = 0; i < n; i++) {
                    const long double now = h[0], q = h[1], before = i ? h[1] - d[1] : 0.0L;
                    for (int l = 0; l < 2; l++) {
                        d[l] = r[l].a2 * d[l] - (1.0L + r[l].a1 + r[l].a2) * h[l];
                        h[l] += d[l];
                    }
                    direct[0] += q * h[0];
                    direct[1] += q * now;
                    direct[2] += before * h[0];
                    direct[3] += before * now;
                    size += fabsl(q * now);
                }
                sw_recursive_overlap(&r[0], &r[1], n, sum);
                for (int i = 0; i < 4; i++) assert_near(sum[i], (double)direct[i], 1e-15 * (double)size);
            }
}

/* ---- a line over the warps of a team (cuda/line/line_block_rtc.cuh): lanes by a scan in each warp, warps by a sum */

enum { LANES = 32, MAX_WARPS = 256, MAX_LONG = 131075 };

static const struct sw_state zero = {0.0, 0.0};

/* Lane p in the order of the sweep, one of `lanes`: its points are those from begin_of(p) on, counted in that order. */
static int begin_of(int p, int n, int lanes, bool backward)
{
    return backward ? n - sw_recursive_start(lanes - p, n, lanes) : sw_recursive_start(p, n, lanes);
}

static const double *power_for(double (*power)[4], int q, int n, int lanes, int points)
{
    int few = (int)((int64_t)q * n / lanes);
    assert_true(points == few || points == few + 1);
    return power[2 * q + (points - few)];
}

static double *point_at(double *y, int n, bool backward, int i) { return &y[backward ? n - 1 - i : i]; }

static struct sw_state recur(const struct sw_recursive *r, int n, bool backward, double *y, int first, int end,
                             struct sw_state x, bool keep)
{
    for (int i = first; i < end; i++) {
        double *at = point_at(y, n, backward, i);
        x = (struct sw_state){sw_recursive_next(r->a1, r->a2, *at, x.u, x.v), x.u};
        if (keep) *at = x.u;
    }
    return x;
}

static void scan_warp(struct sw_state *s, int p0, int n, int lanes, bool backward, double (*inside)[4])
{
    struct sw_state t[LANES];
    for (int d = 1; d < LANES; d *= 2) {
        for (int l = 0; l < LANES; l++) {
            int end = p0 + l + 1, from = end < d ? 0 : end - d;
            int points = begin_of(end, n, lanes, backward) - begin_of(from, n, lanes, backward);
            t[l] = l < d ? s[l] : sw_recursive_join(power_for(inside, d, n, lanes, points), s[l - d], s[l]);
        }
        for (int l = 0; l < LANES; l++) s[l] = t[l];
    }
}

static void sweep_team(const struct sw_recursive *r, int n, int warps, bool backward, double *y)
{
    static struct sw_state s[MAX_WARPS * LANES];
    static double inside[2 * LANES][4], between[2 * MAX_WARPS][4];
    double closure[4];
    int lanes = warps * LANES, reach;
    sw_recursive_powers(r, n, lanes, LANES, inside);
    reach = sw_recursive_powers(r, n, warps, warps, between);
    sw_recursive_closure(r, n, closure);
    for (int p = 0; p < lanes; p++)
        s[p] = recur(r, n, backward, y, begin_of(p, n, lanes, backward), begin_of(p + 1, n, lanes, backward), zero,
                     false);
    for (int w = 0; w < warps; w++) scan_warp(s + w * LANES, w * LANES, n, lanes, backward, inside);
    for (int w = 0; w < warps; w++) {
        struct sw_state e = zero;
        for (int q = 0; q < reach; q++) {
            int from = begin_of((w - q + warps) % warps, n, warps, backward), to = begin_of(w, n, warps, backward);
            int points = w - q < 0 ? to - from + n : to - from;
            struct sw_state last = s[(w - 1 - q + warps) % warps * LANES + LANES - 1];
            e = sw_recursive_join(power_for(between, q, n, warps, points), last, e);
        }
        e = sw_recursive_join(closure, e, zero);
        for (int l = 0; l < LANES; l++) {
            int first = begin_of(w * LANES + l, n, lanes, backward);
            struct sw_state x = l ? s[w * LANES + l - 1] : zero;
            int points = first - begin_of(w * LANES, n, lanes, backward);
            x = sw_recursive_join(power_for(inside, l, n, lanes, points), e, x);
            recur(r, n, backward, y, first, begin_of(w * LANES + l + 1, n, lanes, backward), x, true);
        }
    }
}

static void check_team(int n, int warps, double s4, double s2)
{
    static double x[MAX_LONG];
    static long double expected[MAX_LONG];
    struct sw_recursive r;
    double largest = 0.0, error = 0.0;
    test_fourier_modes(n, s4, s2, x, expected);
    assert_true(sw_recursive_factor(s4, s2, &r));
    sweep_team(&r, n, warps, false, x);
    sweep_team(&r, n, warps, true, x);
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, (double)fabsl(expected[i]));
        error = fmax(error, (double)fabsl(x[i] * r.scale - expected[i]));
    }
    double bound = 10.0 * unit * (1.0 + sqrt(s2) + sqrt(s4)) * largest;
    if (!(error <= bound))
        fail_msg("n = %d, %d warps, s4 = %g, s2 = %g: off by %g > %g", n, warps, s4, s2, error, bound);
}

static void solves_long_lines_over_the_warps_of_a_team(void **state)
{
    static const int shape[][2] = {{2049, 2}, {2049, 3}, {3000, 8}, {4097, 5}, {10000, 12}, {16385, 16}, {65536, 64},
                                   {131075, 256}};
    static const double value[] = {0.0, 1e-12, 1e-6, 1.0, 1e3, 1e6, 1e9, 1e12};
    (void)state;
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        for (int p = 0; p < 8; p++)
            for (int q = 0; q < 8; q++)
                if (shape[k][0] < 5000 || (p == q && p % 2)) check_team(shape[k][0], shape[k][1], value[p], value[q]);
}

/* A power of P is as sensitive to rounding as the solve is: for s4 = 1e12, s2 = 2e6 both ways to compute it, in long
 * double, differ from the exact one by 4e4 u. A tenth of the solve's bound is enough for it. */
static void powers_of_blocks_in_a_row_are_those_of_their_points(void **state)
{
    static const double pair[][2] = {{0.0, 0.0}, {1e-3, 0.0}, {1e12, 0.0}, {1e12, 2e6}, {0.0, 1e12}, {5e4, 0.3}};
    static double power[2 * MAX_WARPS][4], expected[2 * MAX_WARPS][4];
    (void)state;
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        struct sw_recursive r;
        const int n = 131075, blocks = 256;
        double largest = 0.0;
        assert_true(sw_recursive_factor(pair[k][0], pair[k][1], &r));
        int reach = sw_recursive_powers(&r, n, blocks, blocks, power);
        double bound = unit * (1.0 + sqrt(pair[k][0]) + sqrt(pair[k][1]));
        for (int q = 0; q < 2 * blocks; q++) {
            sw_recursive_power(&r, (int64_t)(q / 2) * n / blocks + q % 2, expected[q]);
            for (int i = 0; i < 4; i++) largest = fmax(largest, fabs(expected[q][i]));
        }
        bound *= largest;
        for (int q = 0; q < 2 * blocks; q++) {
            for (int i = 0; i < 4; i++) assert_near(power[q][i], expected[q][i], bound);
            if (q / 2 >= reach) assert_true(sw_recursive_negligible(power[q]));
        }
        assert_true(reach == 1 || !sw_recursive_negligible(power[2 * reach - 2]) ||
                    !sw_recursive_negligible(power[2 * reach - 1]));
    }
}

int main(void)
{
    const struct CMUnitTest of_forms[] = {
        cmocka_unit_test(solves_within_its_bound_for_all_coefficients),
        cmocka_unit_test(solves_lines_of_any_length_with_blocks_that_differ_by_a_point),
        cmocka_unit_test(solves_where_two_roots_meet_and_where_they_are_negative),
        cmocka_unit_test(keeps_a_constant_to_rounding),
        cmocka_unit_test(refuses_what_is_not_positive_definite),
        cmocka_unit_test(the_identity_is_its_own_factor),
        cmocka_unit_test(factors_multiply_to_operators_of_all_orders),
        cmocka_unit_test(refuses_operators_whose_real_part_is_not_positive),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_factors_keep_their_digits_where_the_symbol_nearly_has_a_zero),
        cmocka_unit_test(double_precision_finds_the_same_symmetric_factors),
        cmocka_unit_test(blocks_in_a_row_differ_by_one_point_at_most),
        cmocka_unit_test(sums_products_of_the_answer_to_an_impulse),
        cmocka_unit_test(sums_products_to_all_digits_where_roots_are_close_to_one),
        cmocka_unit_test(growth_is_what_a_recursion_does_to_the_worst_wave),
        cmocka_unit_test(symmetric_operators_have_one_factor_with_or_without_s0),
        cmocka_unit_test(sums_products_of_the_answers_of_two_recursions),
        cmocka_unit_test(solves_long_lines_over_the_warps_of_a_team),
        cmocka_unit_test(powers_of_blocks_in_a_row_are_those_of_their_points),
    };
    int failed = cmocka_run_group_tests_name("recursive", tests, NULL, NULL);
    for (form = forms; form < forms + sizeof forms / sizeof *forms; form++)
        failed += cmocka_run_group_tests_name(form->name, of_forms, NULL, NULL);
    return failed != 0;
}
