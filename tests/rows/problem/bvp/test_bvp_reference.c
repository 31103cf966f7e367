/* -(p u')' + q u = f by every row that does it, against the same equations solved in quadruple precision with pivoting:
 * random p, q of any sign, f and ends of all kinds; ends that are nearly singular; many points. The reference forms its
 * matrix on its own, from the formulas of docs/explanation/bvp.md, and knows nothing of row sums. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bvp_helpers.h"

__extension__ typedef __float128 quad;

static quad size_of(quad v) { return v < 0 ? -v : v; }
static quad greater(quad a, quad b) { return a > b ? a : b; }

/* ---- a problem: p, q and f are k_0 + k_1 x + k_2 x², p times `jump` for x > 0.4712, which is no
 * point of any grid here, nor half-way between two */

enum kind { DIRICHLET, NEUMANN, ROBIN };
struct given { enum kind kind; double alpha, beta, value; };
struct problem {
    int    n;       /* cells */
    double h;
    double p[3], q[3], f[3], jump;
    struct given end[2];
};

static quad polynomial(const double k[3], quad x) { return k[0] + x * (k[1] + x * k[2]); }
static quad terms(const double k[3], quad x)
{
    return size_of(k[0]) + size_of(k[1] * x) + size_of(k[2] * x * x);
}
static quad p_of(const struct problem *t, quad x) { return polynomial(t->p, x) * (x > 0.4712Q ? t->jump : 1); }

/* ---- the reference: A u = b over the unknowns, and the sizes of what e = A 1 and b are added up from */

struct system { int n, first; quad *below, *diagonal, *above, *b, *e_size, *b_size, *u, *work; };

static quad *numbers(int n)
{
    quad *v = calloc((size_t)n, sizeof *v);
    assert_non_null(v);
    return v;
}

static void end_terms(const struct problem *t, struct system *s, int k, int side)
{
    const struct given *g = &t->end[side];
    const quad h = t->h, flux = (side ? h : -h) * p_of(t, side ? h * t->n : 0) / g->beta;
    s->diagonal[k] += flux * g->alpha;
    s->b[k] += flux * g->value;
    s->e_size[k] += size_of(flux * g->alpha);
    s->b_size[k] += size_of(flux * g->value);
}

static void make_row(const struct problem *t, struct system *s, int k)
{
    const int i = s->first + k, n = t->n;
    const quad h = t->h, x = h * i, width = i == 0 || i == n ? 0.5Q : 1, west = i > 0 ? p_of(t, x - h / 2) : 0,
               east = i < n ? p_of(t, x + h / 2) : 0;
    s->diagonal[k] = west + east + width * h * h * polynomial(t->q, x);
    s->b[k] = width * h * h * polynomial(t->f, x);
    s->e_size[k] = width * h * h * terms(t->q, x);
    s->b_size[k] = width * h * h * terms(t->f, x);
    if (i == 0) end_terms(t, s, k, 0);
    else if (k > 0) s->below[k] = -west;
    else { s->b[k] += west * t->end[0].value; s->b_size[k] += size_of(west * t->end[0].value); s->e_size[k] += west; }
    if (i == n) end_terms(t, s, k, 1);
    else if (k < s->n - 1) s->above[k] = -east;
    else { s->b[k] += east * t->end[1].value; s->b_size[k] += size_of(east * t->end[1].value); s->e_size[k] += east; }
}

static struct system make_system(const struct problem *t)
{
    struct system s = {.first = t->end[0].kind == DIRICHLET};
    s.n = t->n + 1 - s.first - (t->end[1].kind == DIRICHLET);
    quad **vector[] = {&s.below, &s.diagonal, &s.above, &s.b, &s.e_size, &s.b_size, &s.u, &s.work};
    for (int k = 0; k < 8; k++) *vector[k] = numbers(k < 7 ? s.n : 6 * s.n);
    for (int k = 0; k < s.n; k++) make_row(t, &s, k);
    return s;
}

static void unmake_system(struct system *s)
{
    quad *vector[] = {s->below, s->diagonal, s->above, s->b, s->e_size, s->b_size, s->u, s->work};
    for (int k = 0; k < 8; k++) free(vector[k]);
}

/* The factors of elimination with partial pivoting, two diagonals above the main one, into work: l, d, u, u2 and
 * whether row k was exchanged for the next one. @return whether no pivot is zero */
static bool factorize(const struct system *s)
{
    const int n = s->n;
    quad *l = s->work, *d = l + n, *u = d + n, *u2 = u + n, *exchanged = u2 + n;
    memcpy(l, s->below, (size_t)n * sizeof *l);
    memcpy(d, s->diagonal, (size_t)n * sizeof *d);
    memcpy(u, s->above, (size_t)n * sizeof *u);
    for (int k = 0; k < n; k++) u2[k] = exchanged[k] = 0;
    for (int k = 0; k < n - 1; k++) {
        quad pivot[3] = {d[k], u[k], 0}, row[3] = {l[k + 1], d[k + 1], u[k + 1]};
        if (size_of(row[0]) > size_of(pivot[0])) {
            for (int c = 0; c < 3; c++) { quad v = pivot[c]; pivot[c] = row[c]; row[c] = v; }
            exchanged[k] = 1;
        }
        if (pivot[0] == 0) return false;
        const quad factor = row[0] / pivot[0];
        l[k + 1] = factor;
        d[k] = pivot[0];
        u[k] = pivot[1];
        u2[k] = pivot[2];
        d[k + 1] = row[1] - factor * pivot[1];
        u[k + 1] = row[2] - factor * pivot[2];
    }
    return d[n - 1] != 0;
}

/* x, of A x = x, by these factors; x is 0 before its entry `from`. */
static void solve(const struct system *s, quad *x, int from)
{
    const int n = s->n;
    const quad *l = s->work, *d = l + n, *u = d + n, *u2 = u + n, *exchanged = u2 + n;
    for (int k = from > 0 ? from - 1 : 0; k < n - 1; k++) {
        if (exchanged[k] != 0) {
            quad v = x[k];
            x[k] = x[k + 1];
            x[k + 1] = v;
        }
        x[k + 1] -= l[k + 1] * x[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        if (k < n - 1) x[k] -= u[k] * x[k + 1];
        if (k < n - 2 && exchanged[k] != 0) x[k] -= u2[k] * x[k + 2];
        x[k] /= d[k];
    }
}

/* Elimination of the full matrix, pivots from all of it: for few unknowns. */
static bool dense(const struct system *s, quad *x)
{
    enum { MOST = 32 };
    const int n = s->n;
    quad A[MOST][MOST + 1] = {{0}};
    int column[MOST];
    for (int i = 0; i < n; i++) {
        column[i] = i;
        A[i][i] = s->diagonal[i];
        if (i > 0) A[i][i - 1] = s->below[i];
        if (i < n - 1) A[i][i + 1] = s->above[i];
        A[i][n] = x[i];
    }
    for (int k = 0; k < n; k++) {
        int r = k, c = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (size_of(A[i][j]) > size_of(A[r][c])) { r = i; c = j; }
        if (A[r][c] == 0) return false;
        for (int j = 0; j <= n; j++) { quad v = A[k][j]; A[k][j] = A[r][j]; A[r][j] = v; }
        for (int i = 0; i < n; i++) { quad v = A[i][k]; A[i][k] = A[i][c]; A[i][c] = v; }
        int swap = column[k];
        column[k] = column[c];
        column[c] = swap;
        for (int i = k + 1; i < n; i++) {
            const quad factor = A[i][k] / A[k][k];
            for (int j = k; j <= n; j++) A[i][j] -= factor * A[k][j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) A[k][n] -= A[k][j] * A[j][n];
        A[k][n] /= A[k][k];
    }
    for (int k = 0; k < n; k++) x[column[k]] = A[k][n];
    return true;
}

static const quad singular = 1e30Q;  /* moves u by more than anything else */

static bool reference(struct system *s)
{
    memcpy(s->u, s->b, (size_t)s->n * sizeof *s->u);
    if (s->n <= 30) return dense(s, s->u);
    if (!factorize(s)) return false;
    solve(s, s->u, 0);
    return true;
}

/* max of |A⁻¹| (b_size + e_size |u|): by how many times the unit roundoff one rounding of each datum moves u; and max
 * |u|. */
static quad movable(const struct system *s, quad *largest)
{
    *largest = 1;
    if (!factorize(s)) return singular;
    quad *sum = numbers(s->n), *x = numbers(s->n), most = 0;
    for (int j = 0; j < s->n; j++) {
        const quad size = s->b_size[j] + s->e_size[j] * size_of(s->u[j]);
        memset(x, 0, (size_t)s->n * sizeof *x);
        x[j] = 1;
        solve(s, x, j);
        for (int i = 0; i < s->n; i++) sum[i] += size_of(x[i]) * size;
    }
    *largest = 0;
    for (int i = 0; i < s->n; i++) {
        most = greater(most, sum[i]);
        *largest = greater(*largest, size_of(s->u[i]));
    }
    free(sum);
    free(x);
    return most;
}

/* What the reference says of a problem: u from its point `first` on, largest and movable. */
struct answer { struct problem of; int n, first; bool regular; quad *u, largest, moved; };

static bool same_end(const struct given *a, const struct given *b)
{
    return a->kind == b->kind && a->alpha == b->alpha && a->beta == b->beta && a->value == b->value;
}

static bool same_problem(const struct problem *a, const struct problem *b)
{
    return a->n == b->n && a->h == b->h && a->jump == b->jump && !memcmp(a->p, b->p, sizeof a->p) &&
           !memcmp(a->q, b->q, sizeof a->q) && !memcmp(a->f, b->f, sizeof a->f) && same_end(&a->end[0], &b->end[0]) &&
           same_end(&a->end[1], &b->end[1]);
}

static struct answer *answers;  /* of all problems so far: each row is asked the same ones */
static int answer_count;

/* It lasts until the next call. */
static const struct answer *answer_to(const struct problem *t)
{
    for (int k = 0; k < answer_count; k++)
        if (same_problem(&answers[k].of, t)) return &answers[k];
    answers = realloc(answers, (size_t)(answer_count + 1) * sizeof *answers);
    assert_non_null(answers);
    struct system s = make_system(t);
    struct answer *a = &answers[answer_count++];
    *a = (struct answer){.of = *t, .n = s.n, .first = s.first, .regular = reference(&s), .moved = singular};
    if (a->regular) a->moved = movable(&s, &a->largest);
    a->u = numbers(s.n);
    memcpy(a->u, s.u, (size_t)s.n * sizeof *a->u);
    unmake_system(&s);
    return a;
}

static void forget_answers(void)
{
    for (int k = 0; k < answer_count; k++) free(answers[k].u);
    free(answers);
}

/* ---- the program */

enum { PROGRAMS = 16 };
struct solver { struct sw_bvp_desc desc; struct sw_program *program[PROGRAMS]; int count; struct sw_bvp *b; };

static const struct sw_program *compiled(struct solver *m, const char *text)
{
    return m->program[m->count++] = compile_text(text, x_alone, 1);
}

static const struct sw_program *number(struct solver *m, double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", v);
    return compiled(m, text);
}

static const struct sw_program *in_x(struct solver *m, const double k[3], double jump)
{
    char text[200];
    snprintf(text, sizeof text, "(%.17g + x*(%.17g + x*(%.17g)))*(x > 0.4712 ? %.17g : 1)", k[0], k[1], k[2], jump);
    return compiled(m, text);
}

static struct sw_bvp_end end_of(struct solver *m, const struct given *g)
{
    struct sw_bvp_end e = {0};
    if (g->kind == DIRICHLET) e.dirichlet = number(m, g->value);
    else if (g->kind == NEUMANN) e.neumann = number(m, g->value);
    else for (int k = 0; k < 3; k++) e.robin[k] = number(m, k == 0 ? g->alpha : k == 1 ? g->beta : g->value);
    return e;
}

/* @return the result; u [n or n+1] is the caller's, NULL: not wanted */
static struct sw_bvp_result computed(const struct problem *t, const char *exact, double *u)
{
    const struct sw_bvp_run run = {.h = t->h};
    const struct sw_bvp_result *found;
    const void *field;
    struct solver m = {0};
    m.desc = (struct sw_bvp_desc){.capacity = 1, .save = true, .f = in_x(&m, t->f, 1), .p = in_x(&m, t->p, t->jump),
                                  .q = in_x(&m, t->q, 1), .left = end_of(&m, &t->end[0]),
                                  .right = end_of(&m, &t->end[1]), .exact = exact ? compiled(&m, exact) : NULL};
    m.desc.n = t->n + sw_bvp_right_is_point(&m.desc);
    assert_ok(sw_bvp_create(&m.desc, under_test->name, device, &m.b));
    assert_ok(sw_bvp_solve(m.b, 1, &run, NULL));
    assert_ok(sw_bvp_fetch(m.b, &field, &found));
    struct sw_bvp_result r = *found;
    if (u) memcpy(u, field, (size_t)m.desc.n * sizeof *u);
    sw_bvp_destroy(&m.b);
    for (int k = 0; k < m.count; k++) sw_program_destroy(&m.program[k]);
    return r;
}

static void print_problem(const struct problem *t)
{
    print_message("n = %d, h = %.17g, jump %.17g\n", t->n, t->h, t->jump);
    for (int k = 0; k < 3; k++) print_message("p %.17g q %.17g f %.17g\n", t->p[k], t->q[k], t->f[k]);
    for (int k = 0; k < 2; k++)
        print_message("end: kind %d, %.17g %.17g %.17g\n", t->end[k].kind, t->end[k].alpha, t->end[k].beta,
                      t->end[k].value);
}

static double u0 = 0x1p-53;
static double worst;  /* of errors, in units of their bound */
static int    done, refused;

/* The coefficients and f are within 8 roundings of what they stand for (x, three of a polynomial, h², width, product,
 * sum), and so is u moved; the correction leaves 2 of u itself. A run must fail where one rounding moves u by a tenth
 * of itself (Hager's estimate may be a third of that, and p is not in it), and must not where it moves it by 1e-5. */
static void compare(const struct problem *t)
{
    const struct answer *a = answer_to(t);
    double *u = calloc((size_t)t->n + 1, sizeof *u);
    assert_non_null(u);
    const quad largest = a->largest, moved = a->moved;
    quad error = 0;
    const struct sw_bvp_result r = computed(t, NULL, u);
    if (!r.fault && moved * u0 > 0.1Q * largest) {
        print_problem(t);
        fail_msg("done, though one rounding moves u by %.3g of itself", (double)(moved * u0 / largest));
    }
    if (r.fault && moved * u0 < 1e-5Q * largest) {
        struct sw_text text = SW_SHORT_TEXT;
        sw_bvp_explain(&r, &text);
        print_problem(t);
        fail_msg("'%s', though one rounding moves u by %.3g of itself", text.data, (double)(moved * u0 / largest));
    }
    done += !r.fault;
    refused += r.fault != SW_BVP_FINE;
    for (int k = 0; k < a->n; k++) error = greater(error, size_of(u[a->first + k] - a->u[k]));
    const quad bound = (8 * moved + 2 * largest) * u0;
    if (!r.fault && bound > 0) worst = fmax(worst, (double)(error / bound));
    if (!r.fault && !(error <= bound)) {
        print_problem(t);
        fail_msg("u is off by %.3g of its maximum %.3g; one rounding moves it by %.3g", (double)(error / largest),
                 (double)largest, (double)(moved * u0 / largest));
    }
    free(u);
}

/* ---- problems */

/* In (0, 1). */
static double unit(uint64_t *seed) { return (test_random(seed) + 1) / 2; }
static double uniform(uint64_t *seed, double a, double b) { return a + (b - a) * unit(seed); }
static double power(uint64_t *seed, double a, double b) { return pow(10, uniform(seed, a, b)); }
static int one_of(uint64_t *seed, int count) { return (int)(unit(seed) * count) % count; }

static struct problem random_problem(uint64_t *seed, int n)
{
    static const double length[] = {1, 0.1, 7, 1};
    struct problem t = {.n = n, .h = length[one_of(seed, 4)] / n, .jump = one_of(seed, 3) ? 1 : power(seed, -4, 4)};
    const double strength = one_of(seed, 4) ? power(seed, -3, 4) : 0;
    const int sign = one_of(seed, 3) - 1;  /* of q: 0 any */
    for (int k = 0; k < 3; k++) {
        t.p[k] = power(seed, -1, 1);
        t.q[k] = strength * (sign ? sign * uniform(seed, 0, 1) : uniform(seed, -1, 1));
        t.f[k] = one_of(seed, 4) ? uniform(seed, -3, 3) : 0;
    }
    for (int side = 0; side < 2; side++) {
        struct given *g = &t.end[side];
        *g = (struct given){one_of(seed, 3), 0, 1, one_of(seed, 3) ? uniform(seed, -2, 2) : 0};
        if (g->kind != ROBIN) continue;
        g->alpha = uniform(seed, -3, 3);
        g->beta = one_of(seed, 2) ? uniform(seed, 0.1, 2) : -uniform(seed, 0.1, 2);
    }
    if (strength == 0 && t.end[0].kind == NEUMANN && t.end[1].kind == NEUMANN) t.end[1].kind = DIRICHLET;
    return t;
}

static void report(const char *what)
{
    print_message("%s: %d done, %d failed; largest error %.2f of its bound\n", what, done, refused, worst);
    done = refused = 0;
    worst = 0;
}

/* Where each problem's kernels are compiled, which takes a third of a second, there are fewer of them. */
static int problems(int all) { return under_test->space == SW_DEVICE ? all / 8 : small_suite() ? all / 4 : all; }
static bool few(void) { return under_test->space == SW_DEVICE || small_suite(); }

static void agrees_for_random_problems_of_few_points(void **state)
{
    uint64_t seed = 1;
    (void)state;
    need_row();
    for (int k = 0; k < problems(400); k++) {
        const struct problem t = random_problem(&seed, 3 + one_of(&seed, 26));
        compare(&t);
    }
    report("few points");
}

static void agrees_for_random_problems_of_more_points(void **state)
{
    uint64_t seed = 2;
    (void)state;
    need_row();
    for (int k = 0; k < problems(24); k++) {
        const struct problem t = random_problem(&seed, 31 + one_of(&seed, 220));
        compare(&t);
    }
    const struct problem t = random_problem(&seed, long_suite() ? 2000 : 1000);
    compare(&t);
    report("more points");
}

/* p = 1, q = 0, u = 0 at the right end and alpha u + beta u' = 0 at the left one: alpha (1 - x) solves the homogeneous
 * problem where beta = alpha. From there on by 1e-17 to 1. */
static void tells_nearly_singular_ends(void **state)
{
    uint64_t seed = 3;
    (void)state;
    need_row();
    for (int k = 0; k < problems(200); k++) {
        const double alpha = uniform(&seed, 0.5, 3), off = k % 4 ? power(&seed, -17, 0) : 0;
        const int n = 3 + one_of(&seed, k % 8 ? 26 : 150);
        struct problem t = {.n = n, .h = 1.0 / n, .p = {1, 0, 0}, .f = {uniform(&seed, -1, 1), 1, 0}, .jump = 1,
                            .end = {{ROBIN, alpha, alpha * (1 + off), 0}, {DIRICHLET, 0, 1, 0}}};
        compare(&t);
    }
    report("nearly singular");
}

/* -u'' + q u = f with u = 0 at both ends and q = -λ (1 + off), λ an eigenvalue of the difference: resonance, where off
 * is 1e-17 to 1. */
static void tells_eigenvalues_from_what_is_near(void **state)
{
    uint64_t seed = 4;
    (void)state;
    need_row();
    for (int k = 0; k < problems(200); k++) {
        const int n = 3 + one_of(&seed, k % 8 ? 26 : 150), mode = 1 + one_of(&seed, n - 1);
        const double off = k % 4 ? (k % 3 ? 1 : -1) * power(&seed, -17, 0) : 0,
                     wave = 2 * n * sin(mode * M_PI / (2 * n));
        struct problem t = {.n = n, .h = 1.0 / n, .p = {1, 0, 0}, .q = {-wave * wave * (1 + off), 0, 0},
                            .f = {uniform(&seed, -1, 1), 1, 0}, .jump = 1,
                            .end = {{DIRICHLET, 0, 1, 0}, {DIRICHLET, 0, 1, 0}}};
        compare(&t);
    }
    report("eigenvalues");
}

/* The same with f = sin(m pi x), an eigenvector of the difference too: u = f/(λ + q), in closed form. One rounding of
 * each e moves it by λ/(λ + q) units; f is off by m pi units of x, of h² f by a few more. */
static void resonance_follows_its_closed_form(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < 12; k++) {
        const int64_t n = k % 3 == 0 ? 100 : k % 3 == 1 ? 5000 : 70000;
        const int mode = 1 + k * k;
        const long double h = 1.0L / (long double)n, root = 2 / h * sinl(mode * (long double)M_PI * h / 2);
        const double off = pow(10, -1 - k / 3), q = (double)(-root * root * (1 + off));
        const struct sw_bvp_run run = {.h = (double)h};
        const struct sw_bvp_result *r;
        const void *field;
        char f[60];
        struct solver m = {0};
        snprintf(f, sizeof f, "sin(%d*pi*x)", mode);
        m.desc = (struct sw_bvp_desc){.n = n, .capacity = 1, .save = true, .f = compiled(&m, f), .q = number(&m, q),
                                      .left = {.dirichlet = number(&m, 0)}, .right = {.dirichlet = number(&m, 0)}};
        assert_ok(sw_bvp_create(&m.desc, under_test->name, device, &m.b));
        assert_ok(sw_bvp_solve(m.b, 1, &run, NULL));
        assert_ok(sw_bvp_fetch(m.b, &field, &r));
        assert_int_equal(r->fault, SW_BVP_FINE);
        double error = 0;
        for (int64_t i = 0; i < n; i++) {
            const long double x = (long double)run.h * (long double)i;
            error = fmax(error, fabs((double)(((const double *)field)[i] * (root * root + q) - sinl(mode * M_PI * x))));
        }
        if (!(error <= u0 * (8 + 4 * mode) / off))
            fail_msg("n = %lld, mode %d, %g beside its eigenvalue: off by %.2g", (long long)n, mode, off, error);
        sw_bvp_destroy(&m.b);
        for (int i = 0; i < m.count; i++) sw_program_destroy(&m.program[i]);
    }
}

/* The elimination without pivots had a pivot of 1e-16 that should have been 0. */
static void pivots_that_vanish_do_no_harm(void **state)
{
    struct problem
        robin = {.n = 10, .h = 0.1, .p = {1, 0, 0}, .f = {2, 0, 0}, .jump = 1,
                 .end = {{ROBIN, 2, 1, 0}, {DIRICHLET, 0, 1, 0}}},
        both = {.n = 64, .h = 1.0 / 64, .p = {1, 0, 0}, .f = {1, 0, 0}, .jump = 1,
                .end = {{ROBIN, 1, 1, 0}, {ROBIN, -1, 2, 0}}},
        waves = {.n = 10, .h = 0.1, .p = {1, 0, 0}, .q = {-100, 0, 0}, .f = {1, 0, 0}, .jump = 1,
                 .end = {{DIRICHLET, 0, 1, 0}, {DIRICHLET, 0, 1, 0}}};
    (void)state;
    need_row();
    assert_near(computed(&robin, "-1 + 2*x - x*x", NULL).max, 0, 4 * u0);
    assert_near(computed(&both, "-3/4 + 3/4*x - x*x/2", NULL).max, 0, 4 * u0);
    for (int n = 3; n < 100; n += few() ? 5 : 1) {
        robin.n = both.n = waves.n = n;
        robin.h = both.h = waves.h = 1.0 / n;
        compare(&robin);
        compare(&both);
        compare(&waves);
    }
    for (int n = 3; n < 100; n += few() ? 5 : 1) {  /* singular: u = 1 - x solves it with f = 0 */
        robin.end[0].alpha = 1;
        robin.n = n;
        robin.h = 1.0 / n;
        struct sw_bvp_result r = computed(&robin, NULL, NULL);
        assert_true(r.fault == SW_BVP_PIVOT || r.fault == SW_BVP_NO_DIGIT || r.fault == SW_BVP_SENSITIVE);
    }
    report("vanishing pivots");
}

/* u = cos(pi x/2) with q = 1, with q = -9, which takes pivots of two rows, and with p that varies and a q of both
 * signs: nothing is left but the error of the scheme, h² times a constant, and the rounding of u. No digit goes with
 * n². */
static void no_digit_is_lost_where_n_grows(void **state)
{
    static const struct { const char *p, *q, *f; } kind[] = {
        {"1", "1", "((pi/2)^2 + 1)*cos(pi*x/2)"}, {"1", "-9", "((pi/2)^2 - 9)*cos(pi*x/2)"},
        {"1 + x^2", "90*sin(20*x)",
         "pi*x*sin(pi*x/2) + ((1 + x^2)*(pi/2)^2 + 90*sin(20*x))*cos(pi*x/2)"}};
    static const char exact[] = "cos(pi*x/2)";
    (void)state;
    need_row();
    for (int k = 0; k < 3; k++) {
        double scaled[2] = {0};
        for (int j = 0; j < (small_suite() ? 2 : 3); j++) {
            const int64_t middle = small_suite() ? 30000 : 100000, most = long_suite() ? 1000000 : 300000,
                          n = j == 0 ? 4000 : j == 1 ? middle : most;
            const struct sw_bvp_run run = {.h = 1.0 / (double)n};
            const struct sw_bvp_result *r;
            const void *field;
            struct solver m = {0};
            m.desc = (struct sw_bvp_desc){.n = n, .capacity = 1, .f = compiled(&m, kind[k].f),
                                          .p = compiled(&m, kind[k].p), .q = compiled(&m, kind[k].q),
                                          .exact = compiled(&m, exact)};
            assert_ok(sw_bvp_create(&m.desc, under_test->name, device, &m.b));
            assert_ok(sw_bvp_solve(m.b, 1, &run, NULL));
            assert_ok(sw_bvp_fetch(m.b, &field, &r));
            assert_int_equal(r->fault, SW_BVP_FINE);
            const double h2 = run.h * run.h;
            if (j == 0) scaled[0] = r->max / h2;
            else assert_near(r->max, scaled[0] * h2, 1e-3 * scaled[0] * h2 + 64 * u0);
            sw_bvp_destroy(&m.b);
            for (int i = 0; i < m.count; i++) sw_program_destroy(&m.program[i]);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_for_random_problems_of_few_points),
        cmocka_unit_test(agrees_for_random_problems_of_more_points),
        cmocka_unit_test(tells_nearly_singular_ends),
        cmocka_unit_test(tells_eigenvalues_from_what_is_near),
        cmocka_unit_test(resonance_follows_its_closed_form),
        cmocka_unit_test(pivots_that_vanish_do_no_harm),
        cmocka_unit_test(no_digit_is_lost_where_n_grows),
    };
    int failed = 0;
    for_each_row(sw_bvp_table)
        if (is_general()) failed += run_for_row(tests);
    forget_answers();
    return failed;
}
