/* W-methods: the tables against the conditions of their orders, in fractions; and that the rule for the matrix keeps
 * all waves bounded. */
#include "helpers.h"

#include <math.h>
#include <stdint.h>

#include "problem/fields/w_methods.h"

/* ------------------------------------------------------------------ fractions
 *
 * Numbers of LIMBS 32-bit limbs, least first, and a sign. A fraction is reduced after each operation. */

enum { LIMBS = 96 };
struct natural { uint32_t limb[LIMBS]; };
struct fraction { int sign; struct natural over, under; };

static int compare(const struct natural *a, const struct natural *b)
{
    for (int k = LIMBS - 1; k >= 0; k--)
        if (a->limb[k] != b->limb[k]) return a->limb[k] < b->limb[k] ? -1 : 1;
    return 0;
}

static struct natural natural_of(uint64_t x)
{
    struct natural a = {{(uint32_t)x, (uint32_t)(x >> 32)}};
    return a;
}

static bool is_zero(const struct natural *a)
{
    const struct natural zero = {{0}};
    return compare(a, &zero) == 0;
}

static struct natural plus(const struct natural *a, const struct natural *b)
{
    struct natural sum;
    uint64_t carry = 0;
    for (int k = 0; k < LIMBS; k++, carry >>= 32) {
        carry += (uint64_t)a->limb[k] + b->limb[k];
        sum.limb[k] = (uint32_t)carry;
    }
    assert_int_equal(carry, 0);
    return sum;
}

/* a >= b */
static struct natural minus(const struct natural *a, const struct natural *b)
{
    struct natural difference;
    int64_t borrow = 0;
    for (int k = 0; k < LIMBS; k++) {
        int64_t d = (int64_t)a->limb[k] - b->limb[k] - borrow;
        borrow = d < 0;
        difference.limb[k] = (uint32_t)(d + (borrow << 32));
    }
    return difference;
}

static struct natural product(const struct natural *a, const struct natural *b)
{
    struct natural p = {{0}};
    for (int i = 0; i < LIMBS; i++) {
        uint64_t carry = 0;
        for (int j = 0; a->limb[i] && j < LIMBS; j++) {
            if (i + j >= LIMBS) {
                assert_int_equal(b->limb[j], 0);
                continue;
            }
            carry += (uint64_t)a->limb[i] * b->limb[j] + p.limb[i + j];
            p.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        assert_int_equal(carry, 0);
    }
    return p;
}

static void halve(struct natural *a)
{
    for (int k = 0; k < LIMBS; k++) a->limb[k] = a->limb[k] >> 1 | (k + 1 < LIMBS ? a->limb[k + 1] << 31 : 0);
}

/* a = quotient b + what is left, bit by bit */
static struct natural divide(struct natural a, const struct natural *b, struct natural *left)
{
    struct natural quotient = {{0}}, part = *b;
    int shift = 0;
    for (; compare(&part, &a) <= 0; shift++) part = plus(&part, &part);
    for (; shift > 0; shift--) {
        halve(&part);
        if (compare(&part, &a) > 0) continue;
        a = minus(&a, &part);
        quotient.limb[(shift - 1) / 32] |= 1U << (shift - 1) % 32;
    }
    *left = a;
    return quotient;
}

static struct natural common_divisor(struct natural a, struct natural b)
{
    while (!is_zero(&b)) {
        struct natural left;
        divide(a, &b, &left);
        a = b;
        b = left;
    }
    return a;
}

static struct fraction reduced(int sign, const struct natural *over, const struct natural *under)
{
    struct natural left;
    const struct natural divisor = common_divisor(*over, *under);
    assert_false(is_zero(under));
    return (struct fraction){is_zero(over) ? 0 : sign, divide(*over, &divisor, &left), divide(*under, &divisor, &left)};
}

static struct fraction fraction_of(int64_t over, int64_t under)
{
    const struct natural a = natural_of((uint64_t)(over < 0 ? -over : over)), b = natural_of((uint64_t)under);
    return reduced(over < 0 ? -1 : 1, &a, &b);
}

static struct fraction times(struct fraction a, struct fraction b)
{
    const struct natural over = product(&a.over, &b.over), under = product(&a.under, &b.under);
    return reduced(a.sign * b.sign, &over, &under);
}

static struct fraction inverse(struct fraction a)
{
    assert_int_not_equal(a.sign, 0);
    return (struct fraction){a.sign, a.under, a.over};
}

static struct fraction sum_of(struct fraction a, struct fraction b)
{
    const struct natural one = product(&a.over, &b.under), other = product(&b.over, &a.under),
                         under = product(&a.under, &b.under);
    if (a.sign == 0) return b;
    if (b.sign == 0) return a;
    if (a.sign == b.sign) {
        const struct natural over = plus(&one, &other);
        return reduced(a.sign, &over, &under);
    }
    const bool first = compare(&one, &other) >= 0;
    const struct natural over = first ? minus(&one, &other) : minus(&other, &one);
    return reduced(first ? a.sign : b.sign, &over, &under);
}

static struct fraction negative(struct fraction a) { return a.sign = -a.sign, a; }
static struct fraction less(struct fraction a, struct fraction b) { return sum_of(a, negative(b)); }
static struct fraction over(struct fraction a, struct fraction b) { return times(a, inverse(b)); }

static bool equal(struct fraction a, struct fraction b) { return less(a, b).sign == 0; }

/* To 18 digits and more, by its first 30 decimals. */
static long double number(struct fraction a)
{
    struct natural left = a.over, ten = natural_of(10);
    long double x = 0, unit = 1;
    for (int k = 0; k < 30; k++, unit /= 10) {
        const struct natural digits = divide(left, &a.under, &left);
        x += unit * ((long double)digits.limb[0] + 0x1p32L * digits.limb[1]);
        left = product(&left, &ten);
    }
    return a.sign * x;
}

/* ------------------------------------------------------------------ W3 */

enum { S = 4 };
struct exact { struct fraction a[S][S], g[S][S], b[S], e[S]; };  /* g = gamma (1 + h) */

static struct fraction dot(const struct fraction *x, const struct fraction *y)
{
    struct fraction sum = fraction_of(0, 1);
    for (int i = 0; i < S; i++) sum = sum_of(sum, times(x[i], y[i]));
    return sum;
}

static void rows(const struct fraction m[S][S], const struct fraction *x, struct fraction *y)
{
    for (int i = 0; i < S; i++) y[i] = dot(m[i], x);
}

/* Solve `rows` equations in as many unknowns: [row][rows] is the right-hand side. No pivot of these is 0. */
static void eliminate(int unknowns, struct fraction m[S][S + 1], struct fraction *x)
{
    for (int k = 0; k < unknowns; k++)
        for (int i = 0; i < unknowns; i++) {
            if (i == k) continue;
            const struct fraction factor = over(m[i][k], m[k][k]);
            for (int j = k; j <= unknowns; j++) m[i][j] = less(m[i][j], times(factor, m[k][j]));
        }
    for (int k = 0; k < unknowns; k++) x[k] = over(m[k][unknowns], m[k][k]);
}

static const struct fraction *ones(void)
{
    static struct fraction one[S];
    for (int i = 0; i < S; i++) one[i] = fraction_of(1, 1);
    return one;
}

/* From a, gamma, gamma h_21, gamma h_42 and e_4. */
static void derive(struct exact *x)
{
    static const int a[S][S] = {{0}, {3880}, {3160, 1055}, {748, -8201, 14901}};
    struct fraction c[S], ac[S], row[S][S + 1], sums[S], two[2];
    const struct fraction gamma = fraction_of(2223, 10000);
    for (int k = 0; k < S * S; k++) x->a[k / S][k % S] = fraction_of(a[k / S][k % S], 10000);
    for (int k = 0; k < S * S; k++) x->g[k / S][k % S] = fraction_of(0, 1);
    for (int i = 0; i < S; i++) x->g[i][i] = gamma;
    rows((const struct fraction(*)[S])x->a, ones(), c);
    rows((const struct fraction(*)[S])x->a, c, ac);
    for (int j = 0; j < S; j++) {  /* b: c_1 = 0, so that c_2 comes first in a pivot's place */
        row[0][j] = fraction_of(1, 1);
        row[1][j] = c[j];
        row[2][j] = times(c[j], c[j]);
        row[3][j] = ac[j];
    }
    for (int i = 0; i < S; i++) row[i][S] = fraction_of(1, i < 3 ? i + 1 : 6);
    eliminate(S, row, x->b);

    /* the sums of the rows of g: the first two are known, bAG1 = 0 gives the third, bG1 = 0 the fourth */
    x->g[1][0] = fraction_of(-1102, 10000);
    x->g[3][1] = fraction_of(-538, 10000);
    sums[0] = gamma;
    sums[1] = sum_of(gamma, x->g[1][0]);
    sums[2] = sums[3] = fraction_of(0, 1);
    rows((const struct fraction(*)[S])x->a, sums, ac);
    sums[2] = over(negative(dot(x->b, ac)), times(x->b[3], x->a[3][2]));
    sums[3] = over(negative(dot(x->b, sums)), x->b[3]);
    /* bGA1 = 0 and bGG1 = 0 in g_32 and g_43 */
    for (int k = 0; k < 2; k++) {
        const struct fraction *y = k ? sums : c;
        struct fraction known[S];
        rows((const struct fraction(*)[S])x->g, y, known);
        row[k][0] = times(x->b[2], y[1]);
        row[k][1] = times(x->b[3], y[2]);
        row[k][2] = negative(dot(x->b, known));
        if (k == 1) {  /* known has g_21, g_42 and the diagonal; g_31 y_1 and g_41 y_1 follow from the sums */
            const struct fraction b3y = times(x->b[2], y[0]), b4y = times(x->b[3], y[0]);
            row[k][0] = less(row[k][0], b3y);
            row[k][1] = less(row[k][1], b4y);
            row[k][2] = less(row[k][2], times(b3y, less(sums[2], gamma)));
            row[k][2] = less(row[k][2], times(b4y, less(less(sums[3], gamma), x->g[3][1])));
        }
    }
    eliminate(2, row, two);
    x->g[2][1] = two[0];
    x->g[3][2] = two[1];
    x->g[2][0] = less(less(sums[2], gamma), two[0]);
    x->g[3][0] = less(less(less(sums[3], gamma), x->g[3][1]), two[1]);

    x->e[3] = fraction_of(13, 40);
    for (int j = 0; j < 3; j++) {
        row[0][j] = fraction_of(1, 1);
        row[1][j] = c[j];
        row[2][j] = sums[j];
    }
    row[0][3] = negative(x->e[3]);
    row[1][3] = negative(times(x->e[3], c[3]));
    row[2][3] = negative(times(x->e[3], sums[3]));
    eliminate(3, row, x->e);
}

static void check_conditions(const struct exact *x)
{
    const struct fraction(*a)[S] = (const struct fraction(*)[S])x->a, (*g)[S] = (const struct fraction(*)[S])x->g;
    const struct fraction zero = fraction_of(0, 1);
    struct fraction a1[S], g1[S], y[S];
    rows(a, ones(), a1);
    rows(g, ones(), g1);
    assert_true(equal(dot(x->b, ones()), fraction_of(1, 1)));
    assert_true(equal(dot(x->b, a1), fraction_of(1, 2)));
    for (int i = 0; i < S; i++) y[i] = times(a1[i], a1[i]);
    assert_true(equal(dot(x->b, y), fraction_of(1, 3)));
    rows(a, a1, y);
    assert_true(equal(dot(x->b, y), fraction_of(1, 6)));
    assert_true(equal(dot(x->b, g1), zero));
    rows(a, g1, y);
    assert_true(equal(dot(x->b, y), zero));
    rows(g, a1, y);
    assert_true(equal(dot(x->b, y), zero));
    rows(g, g1, y);
    assert_true(equal(dot(x->b, y), zero));
    assert_true(equal(dot(x->e, ones()), zero));
    assert_true(equal(dot(x->e, a1), zero));
    assert_true(equal(dot(x->e, g1), zero));
}

static void expect(double have, struct fraction wanted, const char *what, int i, int j)
{
    if (fabsl(have - number(wanted)) > 0x1p-53L * fmaxl(1.0L, fabsl(number(wanted))))
        fail_msg("%s%d%d = %.17g, not %.20Lg", what, i + 1, j + 1, have, number(wanted));
}

static void w3_fulfils_its_conditions_in_fractions(void **state)
{
    const struct fields_method *m = fields_method_of(SW_IMEX3);
    static struct exact x;
    (void)state;
    derive(&x);
    check_conditions(&x);
    for (int i = 0; i < S; i++) {
        struct fraction c = fraction_of(0, 1);
        for (int j = 0; j < S; j++) {
            c = sum_of(c, x.a[i][j]);
            expect(m->a[i][j], x.a[i][j], "a", i, j);
            if (j < i) expect(m->h[i][j], over(x.g[i][j], x.g[0][0]), "h", i, j);
            else assert_true(m->h[i][j] == 0.0);
        }
        expect(m->c[i], c, "c", i, 0);
        expect(m->b[i], x.b[i], "b", i, 0);
        expect(m->e[i], x.e[i], "e", i, 0);
    }
}

/* ------------------------------------------------------------------ the other two */

/* p + q sqrt(2), halves */
struct surd { int p, q; };
static struct surd surd_times(struct surd a, struct surd b)
{
    return (struct surd){(a.p * b.p + 2 * a.q * b.q) / 2, (a.p * b.q + a.q * b.p) / 2};
}
static double surd_number(struct surd a) { return 0.5 * (a.p + a.q * sqrt(2.0)); }

static void the_others_fulfil_theirs(void **state)
{
    const struct fields_method *m = fields_method_of(SW_IMEX2), *one = fields_method_of(SW_BACKWARD_EULER);
    const struct surd gamma = {2, -1}, b2 = {2, 1}, g21 = surd_times((struct surd){-4, 2}, gamma);
    (void)state;
    /* b2 a21 = 1/2, b1 = 1 - b2, and b G 1 = gamma + b2 gamma h21 = 0 */
    assert_int_equal(surd_times(b2, gamma).p, 1);
    assert_int_equal(surd_times(b2, gamma).q, 0);
    assert_int_equal(gamma.p + surd_times(b2, g21).p, 0);
    assert_int_equal(gamma.q + surd_times(b2, g21).q, 0);
    assert_near(m->gamma, surd_number(gamma), 1e-16);
    assert_near(m->a[1][0], surd_number(gamma), 1e-16);
    assert_near(m->h[1][0], -2.0 * surd_number(gamma), 2e-16);
    assert_near(m->b[1], surd_number(b2), 3e-16);
    assert_near(m->b[0] + m->b[1], 1.0, 2e-16);
    assert_near(m->e[0] + m->e[1], 0.0, 0.0);
    assert_true(one->b[0] == 1.0 && one->gamma == 1.0 && one->stages == 1 && !one->estimates);
    assert_null(fields_method_of(SW_CRANK_NICOLSON));
}

/* q is of the method's order, and b and q differ at the end of a step. */
static void rules_by_time_are_of_their_order(void **state)
{
    (void)state;
    for (int k = 1; k < 3; k++) {
        const struct fields_method *m = fields_method_of(k == 1 ? SW_IMEX2 : SW_IMEX3);
        for (int power = 0; power < m->order; power++) {
            double sum = m->q_end;
            for (int i = 0; i < m->stages; i++) sum += m->q[i] * (power ? pow(m->c[i], power) : 1.0);
            assert_near(sum, 1.0 / (power + 1), 1e-15);
        }
        assert_true(m->q_end > 0.2);
    }
}

/* ------------------------------------------------------------------ the matrix */

/* What a step makes of a wave whose F is z/dt, where P is p. */
static double amplification(const struct fields_method *m, double z, double p)
{
    double k[FIELDS_STAGES], u = 1.0;
    for (int i = 0; i < m->stages; i++) {
        double at = 1.0, d = 0.0;
        for (int j = 0; j < i; j++) at += m->a[i][j] * k[j], d += m->h[i][j] * k[j];
        k[i] = (z * at + d) / p - d;
    }
    for (int i = 0; i < m->stages; i++) u += m->b[i] * k[i];
    return u;
}

/* Of u_t = sum2 lap u - lap² u with a diffusion of which `a2` is linear. */
static double worst_of(const struct fields_method *m, int axes, double most2, double a2, double dt)
{
    struct fields_stiffness s = {0};
    double worst = 0.0;
    for (int d = 0; d < axes; d++) s.a2[d] = a2, s.most2[d] = most2, s.most4[d] = s.a4[d] = 1.0;
    const struct fields_matrix_rule rule = {.axes = axes};
    const struct fields_matrix f = fields_matrix_of(m, &rule, &s, dt);
    const int waves = axes == 2 ? 97 : 33;
    for (int k = 0; k < waves * waves * (axes == 2 ? 1 : waves); k++) {
        double sum = 0.0, p = 1.0;
        for (int d = 0, left = k; d < axes; d++, left /= waves) {
            const double w = left % waves ? pow(10.0, -4.0 + 12.0 * (left % waves) / (waves - 1.0)) : 0.0;
            sum += w;  /* the symbol of -d_jj */
            p *= 1.0 + m->gamma * dt * (f.m2[d] * w + f.m4[d] * w * w);
        }
        const double z = -dt * (most2 * sum + sum * sum);
        if (z <= 0.0) worst = fmax(worst, fabs(amplification(m, z, p)));
    }
    return worst;
}

static void waves_do_not_grow(void **state)
{
    static const enum sw_scheme schemes[] = {SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};
    (void)state;
    for (int k = 0; k < 3 * 2 * 9 * 7; k++) {
        const struct fields_method *m = fields_method_of(schemes[k % 3]);
        const int axes = 2 + k / 3 % 2;
        const double dt = pow(10.0, k / 6 % 9 - 4), most2 = (double[]){-2, -1, 0, 0.5, 1, 2, 10}[k / 54];
        const double worst = worst_of(m, axes, most2, most2 < 0 ? most2 : 0.0, dt);
        if (!(worst <= 1.0 + 1e-9))
            fail_msg("order %d, %d axes, dt = %g, diffusion %g: |R| = %.12g", m->order, axes, dt, most2, worst);
    }
}

/* Of u_t = sum2 lap u - sum4 lap² u + a6 lap³ u with exact solves, of which a2 and a4 are linear. */
static void waves_of_exact_solves_do_not_grow(void **state)
{
    static const enum sw_scheme schemes[] = {SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};
    static const struct { double a2, most2, a4, most4, a6; } c[] = {
        {0, 2, 0, 0, 0}, {0.3, 2, 0, 0, 0}, {-1, 2, 1, 1, 0}, {0, 5, 1, 1, 0},  {0, 3, 0, 2, 0},
        {1, 4, 0.5, 2, 0}, {0.75, 3, -2, -2, 1}, {0, 5, 0, 0, 1}, {0, 20, 1, 1, 0.1}, {-1, -1, 1, 1, 0}};
    (void)state;
    for (int k = 0; k < 3 * 10 * 17; k++) {
        const struct fields_method *m = fields_method_of(schemes[k % 3]);
        const int j = k / 3 % 10;
        const double dt = pow(10.0, 0.5 * (k / 30) - 4.0);
        struct fields_stiffness s = {0};
        for (int d = 0; d < 2; d++)
            s.a2[d] = c[j].a2, s.most2[d] = c[j].most2, s.a4[d] = c[j].a4, s.most4[d] = c[j].most4, s.a6[d] = c[j].a6;
        const struct fields_matrix_rule rule = {.axes = 2, .exact = true};
        const struct fields_matrix f = fields_matrix_of(m, &rule, &s, dt);
        for (int i = 0; i < 400; i++) {
            const double w = pow(10.0, -4.0 + 0.03 * i), high = c[j].a6 * w * w * w,
                         z = -dt * (c[j].most2 * w + c[j].most4 * w * w + high),
                         damping = -(c[j].a2 + f.m2[0]) * w - (c[j].a4 + f.m4[0]) * w * w - high;
            const double r = fabs(amplification(m, z, 1.0 - m->gamma * dt * fmin(damping, 0.0)));
            if (z <= 0.0 && !(r <= 1.0 + 1e-9))
                fail_msg("order %d, case %d, dt = %g, w = %g: |R| = %.12g", m->order, j, dt, w, r);
        }
    }
}

static void the_matrix_follows_its_rule(void **state)
{
    const struct fields_method *m = fields_method_of(SW_IMEX2);
    struct fields_matrix_rule rule = {.axes = 2};
    const struct fields_stiffness ch = {.a2 = {-1, -1}, .most2 = {2, 2}, .most4 = {1, 1}, .a0 = 0.5},
                                  ac = {.a0 = -0.5, .a2 = {0.05, 0.1}, .most2 = {1.0, 0.1}};
    (void)state;
    struct fields_matrix p = fields_matrix_of(m, &rule, &ch, 0.2);
    assert_near(p.m2[0], 0.855 * 2 - 0.3 * sqrt(1 / 0.2), 1e-14);
    assert_near(p.m4[0], 1.15, 0);
    assert_near(p.a0, 0, 0);
    assert_near(fields_matrix_of(m, &rule, &ch, 0.01).m2[0], 0, 0);
    rule.own = true;
    assert_near(fields_matrix_of(fields_method_of(SW_IMEX3), &rule, &ch, 0.2).m2[0], 2 - 0.3 * sqrt(1 / 0.2), 1e-14);
    assert_near(fields_matrix_of(fields_method_of(SW_IMEX3), &rule, &ac, 0.2).m2[0], 0.647, 1e-15);
    rule.own = false;
    p = fields_matrix_of(m, &rule, &ac, 0.2);
    assert_near(p.a0, -0.5, 0);
    assert_near(p.m2[0], 0.855, 1e-15);
    assert_near(p.m2[1], 0.1, 0);
    rule.cross = rule.fourth = true;
    assert_near(fields_matrix_of(m, &rule, &ac, 0.2).m2[1], 0.1 * 1.15 * 4 / 3, 1e-15);
    assert_near(fields_matrix_of(m, &rule, &ch, 0.2).m4[1], 1.15 * 16 / 9, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(w3_fulfils_its_conditions_in_fractions), cmocka_unit_test(the_others_fulfil_theirs),
        cmocka_unit_test(rules_by_time_are_of_their_order),
        cmocka_unit_test(waves_do_not_grow), cmocka_unit_test(waves_of_exact_solves_do_not_grow),
        cmocka_unit_test(the_matrix_follows_its_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
