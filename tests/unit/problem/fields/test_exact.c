/* Exact solves of fields: waves against their definition, waves times numbers against sums over all waves, and P x = f
 * of random linear texts against the differences by their definition. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"
#include "problem/fields/exact.h"
#include "problem/fields/fields_sim.h"
#include "problem/fields/fourier.h"

/* 0 .. 1 */
static double positive(uint64_t *random) { return 0.5 + 0.5 * test_random(random); }

static const double pi = 3.14159265358979323846;

/* odd, even, primes, primes beyond SW_LARGEST_RADIX, both */
static const int64_t shapes[][SW_DIMS] = {{8, 6, 1},  {7, 5, 1},  {16, 9, 1}, {30, 25, 1}, {103, 5, 1}, {6, 107, 1},
                                          {13, 11, 1}, {6, 5, 7},  {5, 8, 6},  {64, 48, 1}, {12, 1009, 1}, {9, 7, 101}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ------------------------------------------------------------------ waves */

/* Of a field less a number, wave by wave: 1e-13 is some hundred roundings of the largest, the root of the points. Of a
 * constant there is nothing at all. */
static void waves_are_those_of_their_definition(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        const int64_t *n = shapes[k];
        const size_t points = (size_t)sw_points(n), half = (size_t)n[0] / 2 + 1;
        uint64_t random = (uint64_t)k + 1;
        struct sw_owned arrays = {0};
        struct fields_fourier *fourier;
        double *x = calloc(points, sizeof *x);
        assert_ok(fields_fourier_create(n, &arrays, &fourier));
        for (size_t i = 0; i < points; i++) x[i] = 1000 + test_random(&random);
        double *const *have = fields_fourier_transform(fourier, 1000, x);
        for (int wave = 0; wave < 10; wave++) {
            int64_t at[SW_DIMS];
            for (int a = 0; a < SW_DIMS; a++) at[a] = (int64_t)(positive(&random) * (double)n[a]) % n[a];
            at[0] %= (int64_t)half;
            if (wave == 0) memset(at, 0, sizeof at);
            const size_t c = ((size_t)at[2] * (size_t)n[1] + (size_t)at[1]) * half + (size_t)at[0];
            long double re = 0, im = 0;
            for (size_t i = 0; i < points; i++) {
                const int64_t p[] = {(int64_t)i % n[0], (int64_t)i / n[0] % n[1], (int64_t)i / n[0] / n[1]};
                long double angle = 0;
                for (int a = 0; a < SW_DIMS; a++)
                    angle += 2 * acosl(-1) * (long double)(p[a] * at[a] % n[a]) / (long double)n[a];
                re += (x[i] - 1000) * cosl(angle);
                im -= (x[i] - 1000) * sinl(angle);
            }
            assert_near(have[0][c], (double)re, 1e-13 * sqrt((double)points));
            assert_near(have[1][c], (double)im, 1e-13 * sqrt((double)points));
        }
        for (size_t i = 0; i < points; i++) x[i] = 1.0 / 3;
        have = fields_fourier_transform(fourier, 1.0 / 3, x);
        for (size_t c = 0; c < fields_fourier_waves(n); c++) assert_true(have[0][c] == 0 && have[1][c] == 0);
        fields_fourier_destroy(fourier);
        sw_owned_free(&arrays);
        free(x);
    }
}

/* A field of a few waves, each with an amplitude and a phase, and the same with each turned and stretched. */
static void waves_take_their_numbers(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        const int64_t *n = shapes[k];
        const size_t points = (size_t)sw_points(n), waves = fields_fourier_waves(n), half = (size_t)n[0] / 2 + 1;
        uint64_t random = (uint64_t)k + 1;
        struct sw_owned arrays = {0};
        struct fields_fourier *fourier;
        double *x = calloc(points, sizeof *x), *want = calloc(points, sizeof *want);
        double *re = calloc(waves, sizeof *re), *im = calloc(waves, sizeof *im);
        for (int wave = 0; wave < 12; wave++) {
            int64_t at[SW_DIMS];
            for (int a = 0; a < SW_DIMS; a++) at[a] = (int64_t)(positive(&random) * (double)n[a]) % n[a];
            at[0] = wave % 3 ? at[0] % (int64_t)half : 0;
            const size_t c = ((size_t)at[2] * (size_t)n[1] + (size_t)at[1]) * half + (size_t)at[0];
            bool own = true;  /* whether it is its own conjugate, whose number is real */
            for (int a = 0; a < SW_DIMS; a++) own &= 2 * at[a] % n[a] == 0;
            const double by = test_random(&random), by_im = own ? 0 : test_random(&random),
                         size = positive(&random), phase = 2 * pi * positive(&random);
            if (re[c] != 0) continue;
            re[c] = by / (double)points;
            im[c] = by_im / (double)points;
            if (2 * at[0] % n[0] == 0) {  /* the conjugate is kept, too */
                const int64_t y = (n[1] - at[1]) % n[1], z = (n[2] - at[2]) % n[2];
                const size_t other = ((size_t)z * (size_t)n[1] + (size_t)y) * half + (size_t)at[0];
                re[other] = re[c];
                im[other] = own ? 0 : -im[c];
            }
            for (size_t i = 0; i < points; i++) {
                const int64_t p[] = {(int64_t)i % n[0], (int64_t)i / n[0] % n[1], (int64_t)i / n[0] / n[1]};
                double angle = phase;
                for (int a = 0; a < SW_DIMS; a++)
                    angle += 2 * pi * (double)(p[a] * at[a] % n[a]) / (double)n[a];
                x[i] += size * cos(angle);
                want[i] += size * (by * cos(angle) - by_im * sin(angle));
            }
        }
        assert_ok(fields_fourier_create(n, &arrays, &fourier));
        fields_fourier_multiply(fourier, re, im, x);
        assert_all_near("waves", x, want, points, 2e-14);
        fields_fourier_destroy(fourier);
        sw_owned_free(&arrays);
        free(x), free(want), free(re), free(im);
    }
}

/* ------------------------------------------------------------------ solves */

/* Coefficients of a linear text. */
struct linear { double a0, a1[3], a2[3], a3[3], a4[3], cross[3], mixed[3], a6; };

static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};

static struct linear random_linear(int axes, bool odd, bool sixth, uint64_t *random)
{
    struct linear l = {.a0 = -positive(random)};
    for (int a = 0; a < axes; a++) {
        l.a2[a] = 0.5 + positive(random);
        l.a4[a] = 0.5 + positive(random);
        if (odd) l.a1[a] = test_random(random), l.a3[a] = test_random(random);
    }
    for (int k = 0; k < (axes > 2 ? 3 : 1); k++) {
        l.cross[k] = 0.4 * test_random(random);
        l.mixed[k] = positive(random);
    }
    l.a6 = sixth ? positive(random) : 0;
    return l;
}

static void write_linear(const struct linear *l, int axes, char *text, size_t room)
{
    int at = snprintf(text, room, "u^3 - u^3*1 + %.17g*u", l->a0);
    for (int a = 0; a < axes; a++) {
        const char x = "xyz"[a];
        at += snprintf(text + at, room - (size_t)at, " + %.17g*d%c(u) + d%c%c(%.17g*u) + %.17g*d%c%c(d%c(u)) - "
                       "d%c%c(%.17g*d%c%c(u))", l->a1[a], x, x, x, l->a2[a], l->a3[a], x, x, x, x, x, l->a4[a], x, x);
    }
    for (int k = 0; k < (axes > 2 ? 3 : 1); k++) {
        const char x = "xyz"[pair[k][0]], y = "xyz"[pair[k][1]];
        at += snprintf(text + at, room - (size_t)at, " + %.17g*d%c%c(u) - %.17g*d%c%c(d%c%c(u))", l->cross[k], x, y,
                       l->mixed[k], x, x, y, y);
    }
    if (l->a6 != 0) snprintf(text + at, room - (size_t)at, " + lap(lap(lap(%.17g*u)))", l->a6);
}

/* y += by * the difference of x of an order along an axis, 1 .. 4. */
static void add_difference(const int64_t n[SW_DIMS], const double *dx, int a, int order, double by, const double *x,
                           double *y)
{
    static const double weight[4][5] = {
        {0, -0.5, 0, 0.5, 0}, {0, 1, -2, 1, 0}, {-0.5, 1, 0, -1, 0.5}, {1, -4, 6, -4, 1}};
    const int64_t stride = a == 0 ? 1 : a == 1 ? n[0] : n[0] * n[1], points = sw_points(n);
    for (int64_t c = 0; c < points; c++) {
        const int64_t i = c / stride % n[a];
        for (int k = -2; k <= 2; k++)
            y[c] += by * weight[order - 1][k + 2] * x[c + ((i + k + 2 * n[a]) % n[a] - i) * stride] / pow(dx[a], order);
    }
}

static void add_product(const int64_t n[SW_DIMS], const double *dx, int a, int order, int b, int more, double by,
                        const double *x, double *y)
{
    double *part = calloc((size_t)sw_points(n), sizeof *part);
    add_difference(n, dx, a, order, 1, x, part);
    add_difference(n, dx, b, more, by, part, y);
    free(part);
}

static void add_laplacian(const int64_t n[SW_DIMS], const double *dx, int axes, const double *by, const double *x,
                          double *y)
{
    for (int a = 0; a < axes; a++) add_difference(n, dx, a, 2, by[a], x, y);
}

/* y = P x */
static void apply(const int64_t n[SW_DIMS], const double *dx, int axes, double g, const struct linear *l,
                  const struct fields_matrix *m, const double *x, double *y)
{
    const size_t points = (size_t)sw_points(n);
    static const double one[] = {1, 1, 1};
    double root[3], *p = calloc(3 * points, sizeof *p);
    for (size_t c = 0; c < points; c++) y[c] = (1 - g * l->a0) * x[c];
    for (int a = 0; a < axes; a++) {
        const double by[] = {l->a1[a], l->a2[a] + m->m2[a], l->a3[a], -l->a4[a]};
        for (int order = 1; order <= 4; order++) add_difference(n, dx, a, order, -g * by[order - 1], x, y);
        root[a] = sqrt(m->m4[a]);
    }
    for (int k = 0; k < (axes > 2 ? 3 : 1); k++) {
        add_product(n, dx, pair[k][0], 1, pair[k][1], 1, -g * l->cross[k], x, y);
        add_product(n, dx, pair[k][0], 2, pair[k][1], 2, g * l->mixed[k], x, y);
    }
    add_laplacian(n, dx, axes, root, x, p);
    add_laplacian(n, dx, axes, root, p, p + points);
    for (size_t c = 0; c < points; c++) y[c] += g * p[points + c];
    memset(p, 0, 3 * points * sizeof *p);
    add_laplacian(n, dx, axes, one, x, p);
    add_laplacian(n, dx, axes, one, p, p + points);
    add_laplacian(n, dx, axes, one, p + points, p + 2 * points);
    for (size_t c = 0; c < points; c++) y[c] -= g * l->a6 * p[2 * points + c];
    free(p);
}

static void texts_are_solved(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES * 4; k++) {
        const int64_t *n = shapes[k % SHAPES];
        const int axes = n[2] > 1 ? 3 : 2;
        const size_t points = (size_t)sw_points(n);
        uint64_t random = (uint64_t)k + 77;
        const struct linear l = random_linear(axes, k / SHAPES % 2, k / SHAPES > 1, &random);
        const double dx[] = {0.9, 1.1, 1.3}, g = k % 3 ? 0.7 : 30;
        const struct fields_matrix m = {0, {k % 4, 0.5 * (k % 4), 0.2}, {k % 2, 2 * (k % 2), 0.4}};
        static const struct sw_scope none = {0};
        char rhs[2000];
        write_linear(&l, axes, rhs, sizeof rhs);
        const struct fields_text text = {.dimensions = axes, .unknowns = 1, .unknown = {"u"}, .rhs = {rhs},
                                         .run = &none, .order = 2};
        struct fields_terms *terms;
        struct fields_error err;
        if (fields_terms_create(&text, &terms, &err)) fail_msg("%s: %s", rhs, err.error.text);
        const struct fields_desc desc = {.n = {n[0], n[1], n[2]}, .terms = terms};
        struct sw_owned arrays = {0};
        double number[FIELDS_NUMBERS], *x = malloc(points * sizeof *x), *f = malloc(points * sizeof *f);
        void *solver;
        fields_numbers(dx, number);
        assert_ok(fields_exact.create(&desc, &arrays, &solver));
        fields_exact.begin(solver, dx, number, 1);
        for (size_t c = 0; c < points; c++) x[c] = test_random(&random);
        apply(n, dx, axes, g, &l, &m, x, f);
        assert_true(fields_exact.factor(solver, 0, g, &m));
        fields_exact.solve(solver, 0, f);
        for (size_t c = 0; c < points; c++)
            if (!(fabs(x[c] - f[c]) < 1e-12))
                fail_msg("case %d, point %zu: %g is off by %g: %s", k, c, x[c], f[c] - x[c], rhs);
        fields_exact.destroy(solver);
        sw_owned_free(&arrays);
        fields_terms_destroy(&terms);
        free(x), free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waves_are_those_of_their_definition),
                                       cmocka_unit_test(waves_take_their_numbers), cmocka_unit_test(texts_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
