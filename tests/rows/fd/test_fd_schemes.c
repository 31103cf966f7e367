/* Every row of the tables of compact schemes and closures, in exact arithmetic: what is put into its two sides are the
 * monomials x^m on points 0, +-1, +-2, ... (half-way schemes: odd multiples of 1/2), and a scheme of order p is exact
 * up to m = p + d - 1 and not for m = p + d, d the derivative. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "fd_helpers.h"

/* ------------------------------------------------------------------ fractions */

typedef __int128 whole;
struct exact { whole num, den; };  /* den > 0, in lowest terms */

static struct exact reduced(whole num, whole den)
{
    whole a = num < 0 ? -num : num, b = den;
    while (b) { whole t = a % b; a = b; b = t; }
    if (!a) a = 1;
    return (struct exact){num / a, den / a};
}

static struct exact of(struct sw_fd_fraction f) { return f.den ? reduced(f.num, f.den) : (struct exact){0, 1}; }
static struct exact number(int n, int d) { return reduced(n, d); }

static whole times(whole a, whole b)
{
    whole c;
    assert_false(__builtin_mul_overflow(a, b, &c));
    return c;
}

static struct exact mul(struct exact a, struct exact b)
{
    struct exact x = reduced(a.num, b.den), y = reduced(b.num, a.den);
    return (struct exact){times(x.num, y.num), times(x.den, y.den)};
}

static struct exact add(struct exact a, struct exact b)
{
    return reduced(times(a.num, b.den) + times(b.num, a.den), times(a.den, b.den));
}

static struct exact negative(struct exact a) { return (struct exact){-a.num, a.den}; }
static bool same(struct exact a, struct exact b) { return a.num == b.num && a.den == b.den; }

/* The d-th derivative of x^m at x. */
static struct exact monomial(int m, int d, struct exact x)
{
    struct exact y = {1, 1};
    if (m < d) return (struct exact){0, 1};
    for (int k = 0; k < d; k++) y = mul(y, number(m - k, 1));
    for (int k = 0; k < m - d; k++) y = mul(y, x);
    return y;
}

/* ------------------------------------------------------------------ the two sides of a row */

struct side { int count; struct exact at[16], weight[16]; };

static void put(struct side *s, struct exact at, struct exact weight)
{
    assert_true(s->count < 16);
    s->at[s->count] = at;
    s->weight[s->count++] = weight;
}

static struct exact sum(const struct side *s, int m, int d)
{
    struct exact total = {0, 1};
    for (int k = 0; k < s->count; k++) total = add(total, mul(s->weight[k], monomial(m, d, s->at[k])));
    return total;
}

/* @param lead  out: (left - right)/(p + d)!, the factor of h^p f^(p+d) */
static int order_of(const struct side *left, const struct side *right, int d, struct exact *lead)
{
    for (int m = 0; m < 16; m++) {
        struct exact defect = add(sum(left, m, d), negative(sum(right, m, 0)));
        if (!defect.num) continue;
        for (int k = 2; k <= m; k++) defect = mul(defect, number(1, k));
        *lead = defect;
        return m - d;
    }
    fail_msg("exact up to degree 15");
    return -1;
}

/* A scheme with the alpha of a filter, centred at c. */
static void sides(const struct sw_fd_scheme *s, struct exact alpha, int c, struct side *left, struct side *right)
{
    const struct exact al = s->any_alpha ? alpha : of(s->alpha);
    const bool odd = s->kind == SW_FD_FIRST || s->kind == SW_FD_STAGGERED;
    struct exact a0 = add(of(s->a[0]), mul(of(s->more[0]), alpha));
    put(left, number(c, 1), number(1, 1));
    for (int side = -1; side <= 1; side += 2) {
        put(left, number(c + side, 1), al);
        put(left, number(c + 2 * side, 1), of(s->beta));
        for (int k = 1; k <= s->half_width; k++) {
            struct exact a = add(of(s->a[k]), mul(of(s->more[k]), alpha));
            a = mul(a, number(1, sw_fd_divisor(s->kind, k)));
            if (s->kind == SW_FD_SECOND) a0 = add(a0, negative(a));
            put(right, sw_fd_at_midpoints(s->kind) ? number(2 * c + side * (2 * k - 1), 2) : number(c + side * k, 1),
                odd && side < 0 ? negative(a) : a);
        }
    }
    put(right, number(c, 1), a0);
}

static void has_its_order_exactly(const struct sw_fd_scheme *s, struct exact alpha, struct exact *lead)
{
    struct side left = {0}, right = {0};
    sides(s, alpha, 0, &left, &right);
    int order = order_of(&left, &right, sw_fd_derivative(s->kind), lead);
    const int expected = sw_fd_order(s, (double)alpha.num / (double)alpha.den);
    if (order != expected) fail_msg("%s is of order %d, not %d", s->name, order, expected);
}

/* ------------------------------------------------------------------ tests */

/* Leading errors of Lele's schemes, known from elsewhere. Their sign is that of left - right. */
static const struct { const char *name; struct sw_fd_fraction lead; } known[] = {
    {"d1_c4", {1, 120}}, {"d1_c6", {-1, 1260}}, {"d1_c8", {1, 10080}},
    {"d2_c4", {1, 200}}, {"d2_c6", {-23, 55440}}, {"d2_c8", {43, 957600}},
};

static void schemes_have_their_order_and_no_more(void **state)
{
    (void)state;
    for (int k = 0; sw_fd_schemes[k]; k++) {
        const struct sw_fd_scheme *s = sw_fd_schemes[k];
        struct exact lead;
        if (s->any_alpha) continue;
        has_its_order_exactly(s, number(0, 1), &lead);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (!strcmp(known[i].name, s->name) && !same(lead, of(known[i].lead)))
                fail_msg("%s: leading error %lld/%lld", s->name, (long long)lead.num, (long long)lead.den);
    }
}

/* Both sides are linear in alpha, so that two values of it are all. */
static void filters_and_families_have_their_order_for_every_alpha(void **state)
{
    (void)state;
    for (int k = 0; sw_fd_schemes[k]; k++) {
        const struct sw_fd_scheme *s = sw_fd_schemes[k];
        struct exact lead;
        if (!s->any_alpha) continue;
        has_its_order_exactly(s, number(0, 1), &lead);
        has_its_order_exactly(s, number(3, 10), &lead);
        if (s->higher_order) {
            assert_int_equal(sw_fd_order(s, (double)s->alpha.num / s->alpha.den), s->order + 2);
            has_its_order_exactly(s, of(s->alpha), &lead);
            assert_int_equal(s->order, 2 * s->half_width);
            continue;
        }
        assert_int_equal(s->order, 2 * s->half_width);
    }
}

/* T(w) = (a0 + sum a_k cos k w)/(1 + 2 alpha cos w) at w = pi, and between 0 and 1 elsewhere. */
static void filters_remove_the_shortest_wave_and_amplify_none(void **state)
{
    (void)state;
    for (int i = 0; sw_fd_schemes[i]; i++) {
        const struct sw_fd_scheme *s = sw_fd_schemes[i];
        if (s->kind != SW_FD_FILTER) continue;
        for (int j = 0; j < 2; j++) {
            struct exact alpha = j ? number(3, 10) : number(0, 1), at_pi = {0, 1};
            for (int k = 0; k <= s->half_width; k++) {
                struct exact a = add(of(s->a[k]), mul(of(s->more[k]), alpha));
                at_pi = add(at_pi, k % 2 ? negative(a) : a);
            }
            assert_true(at_pi.num == 0);
        }
        for (int j = -4; j <= 4; j++)
            for (int m = 0; m <= 100; m++) {
                double alpha = j * 0.12, w = m * 0.01 * acos(-1.0), top = 0;
                for (int k = 0; k <= s->half_width; k++) {
                    double more = s->more[k].den ? (double)s->more[k].num / s->more[k].den : 0;
                    top += ((double)s->a[k].num / s->a[k].den + more * alpha) * cos(k * w);
                }
                double T = top / (1 + 2 * alpha * cos(w));
                assert_true(T >= -1e-12 && T <= 1 + 1e-12);  /* rounding / (1 - 2 |alpha|) */
            }
    }
}

static void closures_have_their_order_and_no_more(void **state)
{
    (void)state;
    for (int k = 0; sw_fd_closures[k]; k++) {
        const struct sw_fd_closure *c = sw_fd_closures[k];
        struct side left = {0}, right = {0};
        struct exact lead;
        put(&left, number(0, 1), number(1, 1));
        put(&left, number(1, 1), of(c->alpha));
        for (int i = 0; i < 5; i++) put(&right, number(i, 1), of(c->w[i]));
        if (c->kind == SW_FD_FILTER) {  /* leaves f_1 as it is */
            for (int m = 0; m < 16; m++) assert_true(same(sum(&left, m, 0), sum(&right, m, 0)));
            continue;
        }
        int order = order_of(&left, &right, sw_fd_derivative(c->kind), &lead);
        if (order != c->order || order != c->name[0] - '0')
            fail_msg("row 1 of %s is of order %d, not %d", c->name, order, c->order);
    }
}

static void inner_rows_of_closures_are_schemes_that_stay_within_the_walls(void **state)
{
    (void)state;
    for (int k = 0; sw_fd_closures[k]; k++)
        for (int r = 0; r < SW_FD_HALF_WIDTH - 1 && sw_fd_closures[k]->inner[r]; r++) {
            const struct sw_fd_scheme *s = sw_fd_scheme_find(sw_fd_closures[k]->inner[r]);
            assert_non_null(s);
            assert_int_equal(s->half_width, r + 1);
            assert_int_equal(s->kind, sw_fd_closures[k]->kind);
        }
}

/* Which scheme has which boundary, as the documentation lists them. */
static void schemes_have_the_boundaries_that_are_documented(void **state)
{
    static const struct { const char *scheme, *boundary; int least; } has[] = {
        {"d1_c4", "3-4-4", 6}, {"d1_c4", "4-4-4", 6}, {"d1_c6", "3-4-6", 6}, {"d1_c6", "4-4-6", 6},
        {"d2_c4", "3-4-4", 6}, {"d2_c4", "4-4-4", 6}, {"d2_c6", "3-4-6", 6}, {"d2_c6", "4-4-6", 6},
        {"f4", "reduced", 6}, {"f6", "reduced", 7}, {"f8", "reduced", 9}, {"f10", "reduced", 11},
        {"d1_c4", "periodic", 3}, {"d1_c6", "periodic", 5}, {"d1_c8", "periodic", 7}, {"d1_c10", "periodic", 7},
        {"d1s_c4", "periodic", 3}, {"d1s_c6", "periodic", 4}, {"f10", "periodic", 11},
        {"d1_c8", "3-4-6", 0}, {"d1_c10", "3-4-6", 0}, {"d2_c8", "4-4-6", 0}, {"d1s_c6", "3-4-6", 0},
        {"mid_c4", "3-4-4", 0}, {"d1_c4", "3-4-6", 0}, {"f4", "3-4-4", 0}, {"d1_c6", "reduced", 0},
        {"d1_c5", "periodic", 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof has / sizeof *has; k++)
        if (sw_fd_min_points(has[k].scheme, has[k].boundary) != has[k].least)
            fail_msg("%s, %s: %d", has[k].scheme, has[k].boundary, sw_fd_min_points(has[k].scheme, has[k].boundary));
}

/* The elimination of the two rows at a wall, also where its pivot vanishes: with any g, right-hand sides made of it
 * give it back. */
static void check_end(double a1, double l2, double u2, bool exact, double al)
{
    const double g[4] = {0.3, -0.7, 1.1, 0.9};
    const double r[3] = {g[0] + a1 * g[1], l2 * g[0] + g[1] + u2 * g[2], al * g[1] + g[2] + al * g[3]};
    struct sw_fd_end e;
    sw_fd_end_make(a1, l2, u2, exact, al, &e);
    double row3 = e.to3[0] * r[0] + e.to3[1] * r[1] + e.to3[2] * r[2];
    double g2 = e.to2[0] * r[0] + e.to2[1] * r[1] + e.to2[2] * r[2] + e.from3 * g[2] + e.from4 * g[3];
    /* some ten operations on numbers up to a1/al */
    const double tolerance = 64 * 0x1p-53 * (1 + a1) / al;
    assert_near(e.diagonal * g[2] + e.next * g[3], row3, tolerance);
    assert_near(g2, g[1], tolerance);
    assert_near(r[0] - e.a1 * g2, g[0], tolerance * (1 + a1));
}

static void rows_at_a_wall_are_eliminated_also_where_a_pivot_vanishes(void **state)
{
    (void)state;
    check_end(2, 0.25, 0.25, false, 1.0 / 3);
    check_end(3, 0.25, 0.25, false, 0.25);
    check_end(11, 0.1, 0.1, false, 2.0 / 11);
    check_end(3, 1.0 / 3, 1.0 / 3, true, 1.0 / 3);
    check_end(10, 0.1, 0.1, true, 2.0 / 11);
    check_end(10, 0.1, 0.1, true, 0.1);
}

static void finds_vanishing_pivots_exactly(void **state)
{
    struct sw_fd_line line;
    (void)state;
    assert_ok(sw_fd_line_make("d2_c6", "4-4-6", 16, 0.1, 0, false, &line));
    assert_true(line.end.diagonal == 1 && line.end.next == 0);  /* g_3 at once */
    assert_ok(sw_fd_line_make("d2_c4", "4-4-4", 16, 0.1, 0, false, &line));
    assert_true(line.end.diagonal == 1 && line.end.next == 0);
    assert_ok(sw_fd_line_make("d2_c6", "3-4-6", 16, 0.1, 0, false, &line));
    assert_near(line.end.diagonal, 1 + 2.0 / 11, 1e-14);  /* pivot -0.1, whose rounding is ten times that of 1 */
    assert_ok(sw_fd_line_make("d1_c6", "4-4-6", 16, 0.1, 0, false, &line));
    assert_near(line.end.diagonal, 2.0 / 3, 4 * 0x1p-53);
}

static void refuse(const char *scheme, const char *boundary, int64_t n, double h, double alpha, bool left,
                   const char *text)
{
    struct sw_fd_line line;
    assert_int_equal(sw_fd_line_make(scheme, boundary, n, h, alpha, left, &line), SW_E_CONFIG);
    assert_contains(sw_err_message(), text);
}

static void refuses_with_a_message(void **state)
{
    char has[200], expected[300];
    (void)state;
    refuse("d1_c5", "periodic", 16, 1, 0, false, "scheme d1_c5 is unknown; the schemes are d1_c4 d1_c6");
    snprintf(expected, sizeof expected, "scheme d1_c6 has no boundary \"3-4-4\"; it has %s",
             fd_boundaries("d1_c6", has));
    refuse("d1_c6", "3-4-4", 16, 1, 0, false, expected);
    refuse("d1_c10", "wall", 16, 1, 0, false, "scheme d1_c10 has no boundary \"wall\"; it has periodic");
    refuse("d1_c8", "periodic", 6, 1, 0, false, "needs at least 7 points along its axis; there are 6");
    refuse("d2_c4", "3-4-4", 5, 1, 0, false, "needs at least 6 points along its axis; there are 5");
    refuse("d1_c6", "periodic", 16, 0, 0, false, "h = 0 is not a positive number");
    refuse("d1_c6", "periodic", 16, NAN, 0, false, "h = nan is not");
    refuse("d2_c6", "periodic", 16, 1e-200, 0, false, "h = 1e-200 is not");
    refuse("d2_c6", "periodic", 16, 1e200, 0, false, "h = 1e+200 is not");
    refuse("f4", "periodic", 16, 0, 0.5, false, "alpha = 0.5 of filter f4: it must lie between -1/2 and 1/2");
    refuse("f4", "reduced", 16, 0, NAN, false, "alpha = nan of filter f4");
    refuse("d1_c4", "periodic", 16, 1, 0.25, false,
           "alpha = 0.25 is for filters and families; scheme d1_c4 has its own");
    refuse("d1_a4", "periodic", 16, 1, 0.5, false, "the matrix is not diagonally dominant");
    refuse("d2_a4", "4-4-4", 16, 1, 0, false, "|alpha| must be 0.01 at least");
    refuse("d1_c4", "periodic", 16, 1, 0, true, "has its results at the points");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_have_their_order_and_no_more),
        cmocka_unit_test(filters_and_families_have_their_order_for_every_alpha),
        cmocka_unit_test(filters_remove_the_shortest_wave_and_amplify_none),
        cmocka_unit_test(closures_have_their_order_and_no_more),
        cmocka_unit_test(inner_rows_of_closures_are_schemes_that_stay_within_the_walls),
        cmocka_unit_test(schemes_have_the_boundaries_that_are_documented),
        cmocka_unit_test(rows_at_a_wall_are_eliminated_also_where_a_pivot_vanishes),
        cmocka_unit_test(finds_vanishing_pivots_exactly),
        cmocka_unit_test(refuses_with_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
