/* Vertical modes: known ones, and what they promise on graded levels. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "elliptic/elliptic_modes.h"
#include "helpers.h"

static const double PI = 3.14159265358979323846;

/* Modes of nz levels of a 1 x 1 x nz problem; `numbers` without tolerance. */
struct made { struct sw_elliptic_matrix matrix; struct elliptic_modes modes; struct sw_owned own; };

static struct made find_modes(struct sw_elliptic_desc d, const struct sw_elliptic_numbers *numbers, int64_t nz,
                              int threads)
{
    struct made m = {.own = {0}};
    d.n[0] = d.n[1] = 1;
    d.n[2] = nz;
    d.batch = 1;
    assert_ok(sw_elliptic_matrix_make(&d, numbers, NULL, NULL, &m.matrix));
    elliptic_modes_make(nz, &m.own, &m.modes);
    assert_ok(m.own.status);
    elliptic_modes_find(&m.modes, &m.matrix, threads);
    return m;
}

static void free_made(struct made *m)
{
    sw_elliptic_matrix_free(&m->matrix);
    sw_owned_free(&m->own);
}

/* Even levels of height h in a box: lambda = delta/omega2 + lambda2 (2/h sin(t/2))², with t = m pi/nz between Neumann
 * walls and cosines of (k + 1/2) t; between Dirichlet walls t = (m + 1) pi/nz and sines; between one of each
 * t = (m + 1/2) pi/nz. */
static void check_known(enum sw_elliptic_wall bottom, enum sw_elliptic_wall top, int64_t nz, double depth)
{
    const struct sw_elliptic_numbers p = {.omega2 = 0.02, .lambda2 = 0.05, .delta = 1, .depth = depth};
    const struct sw_elliptic_desc d = {.bottom = bottom, .top = top};
    const double ahead = bottom == top ? bottom == SW_ELLIPTIC_DIRICHLET ? 1 : 0 : 0.5, h = depth / (double)nz;
    struct made s = find_modes(d, &p, nz, 2);
    for (int64_t m = 0; m < nz; m++) {
        const double t = ((double)m + ahead) * PI / (double)nz, root = 2 / h * sin(t / 2),
                     lambda = p.delta / p.omega2 + p.lambda2 * root * root;
        double size = 0, along = 0, xx = 0;
        if (!(fabs(s.modes.lambda[m] / lambda - 1) < 4e-15))
            fail_msg("nz %d, walls %d %d: lambda_%d = %.17g, not %.17g", (int)nz, bottom, top, (int)m,
                     s.modes.lambda[m], lambda);
        for (int64_t k = 0; k < nz; k++) {
            const double at = ((double)k + 0.5) * t, x = s.modes.x[k * nz + m],
                         known = bottom == SW_ELLIPTIC_NEUMANN ? cos(at) : sin(at);
            size += known * known, along += known * x, xx += x * x;
        }
        assert_near(along * along, size * xx, 1e-11 * size * xx);
    }
    free_made(&s);
}

static void finds_cosines_and_sines_on_even_levels(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 7, 32, 101, 256};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int walls = 0; walls < 4; walls++)
            check_known(walls & 1 ? SW_ELLIPTIC_NEUMANN : SW_ELLIPTIC_DIRICHLET,
                        walls & 2 ? SW_ELLIPTIC_NEUMANN : SW_ELLIPTIC_DIRICHLET, sizes[k], walls == 3 ? 1 : 0.01);
}

/* The worst of |(X^T D X - 1)_mn|. */
static double off_unity(const struct made *s)
{
    const int64_t n = s->modes.nz;
    double worst = 0;
    for (int64_t m = 0; m < n; m++)
        for (int64_t l = 0; l <= m; l++) {
            long double sum = l == m ? -1 : 0;
            for (int64_t k = 0; k < n; k++)
                sum += (long double)s->modes.x[k * n + m] * s->matrix.d[k] * s->modes.x[k * n + l];
            worst = fmax(worst, (double)fabsl(sum));
        }
    return worst;
}

/* The worst of |V x - lambda D x| over |D|^(1/2), as X^T D X = 1, relative to the largest lambda. */
static double residual(const struct made *s)
{
    const struct sw_elliptic_matrix *a = &s->matrix;
    const int64_t n = s->modes.nz;
    double worst = 0;
    for (int64_t m = 0; m < n; m++) {
        long double sum = 0;
        for (int64_t k = 0; k < n; k++) {
            const double *x = s->modes.x + k * n + m;
            const long double own = *x, up = k < n - 1 ? x[n] : 0, down = k ? x[-n] : 0,
                              off = a->a[k] * own + a->b[k] * (own - up) + a->c[k] * (own - down) -
                                    s->modes.lambda[m] * a->d[k] * own;
            sum += off * off / a->d[k];
        }
        worst = fmax(worst, (double)sqrtl(sum));
    }
    return worst / s->modes.lambda[n - 1];
}

/* Every size and depth on graded levels. */
static void is_orthogonal_and_solves_the_eigenproblem(void **state)
{
    const double depths[] = {1e-3, 1e-2, 0.1, 1};
    double unity = 0, left = 0, spread = 1;
    (void)state;
    for (int64_t nz = 1; nz <= (small_suite() ? 64 : 256); nz = nz < 12 ? nz + 1 : 2 * nz)
        for (int k = 0; k < 4; k++)
            for (int shell = 0; shell < 2; shell++) {
                const struct sw_elliptic_numbers p = {.omega2 = 6.6e-4, .lambda2 = 0.033, .delta = 1,
                                                      .depth = depths[k]};
                const struct sw_elliptic_desc d = {
                    .geometry = shell ? SW_ELLIPTIC_SHELL : SW_ELLIPTIC_BOX, .graded = true,
                    .bottom = SW_ELLIPTIC_NEUMANN, .top = k % 2 ? SW_ELLIPTIC_NEUMANN : SW_ELLIPTIC_DIRICHLET};
                struct made s = find_modes(d, &p, nz, 2);
                for (int64_t m = 1; m < nz; m++) assert_true(s.modes.lambda[m] > s.modes.lambda[m - 1]);
                unity = fmax(unity, off_unity(&s));
                left = fmax(left, residual(&s));
                spread = fmax(spread, s.modes.lambda[nz - 1] / s.modes.lambda[0]);
                free_made(&s);
            }
    if (!(unity < 1e-15) || !(left < 1e-15))
        fail_msg("X^T D X - 1 = %.2g, V x - lambda D x = %.2g, lambdas over %.2g", unity, left, spread);
}

/* Between Neumann walls of a box 1 is a mode, with delta/omega2, however large the others are: and 0 for delta = 0. */
static void finds_the_lowest_mode_to_all_digits(void **state)
{
    const double depths[] = {1e-3, 1e-2, 0.1, 1}, deltas[] = {0, 1e-6, 1, 1e3};
    const struct sw_elliptic_desc d = {.graded = true, .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
    (void)state;
    for (int64_t nz = 1; nz <= 128; nz = 2 * nz + 1)
        for (int k = 0; k < 16; k++) {
            const struct sw_elliptic_numbers p = {.omega2 = 6.6e-4, .lambda2 = 0.033, .delta = deltas[k / 4],
                                                  .depth = depths[k % 4]};
            struct made s = find_modes(d, &p, nz, 2);
            const double lambda = p.delta / p.omega2;
            assert_near(s.modes.lambda[0], lambda, 1e-15 * lambda);
            for (int64_t m = 1; m < nz; m++) assert_true(s.modes.lambda[m] > 0);
            const double x = 1 / sqrt(p.omega2 * p.depth),  /* a and d are rounded, and lambda_1 may be near */
                         room = 1e-14 + (nz > 1 ? DBL_EPSILON * lambda / (s.modes.lambda[1] - lambda) : 0);
            for (int64_t i = 0; i < nz; i++) assert_near(fabs(s.modes.x[i * nz]), x, room * x);
            free_made(&s);
        }
}

static void gives_the_same_bits_whatever_the_threads(void **state)
{
    const struct sw_elliptic_numbers p = {.omega2 = 6.6e-4, .lambda2 = 0.033, .delta = 1, .depth = 0.01};
    const struct sw_elliptic_desc d = {.geometry = SW_ELLIPTIC_SHELL, .graded = true, .bottom = SW_ELLIPTIC_NEUMANN,
                                       .top = SW_ELLIPTIC_NEUMANN};
    (void)state;
    struct made one = find_modes(d, &p, 65, 1), four = find_modes(d, &p, 65, 4);
    assert_memory_equal(one.modes.lambda, four.modes.lambda, 65 * sizeof(double));
    assert_memory_equal(one.modes.x, four.modes.x, 65 * 65 * sizeof(double));
    free_made(&one);
    free_made(&four);
}

static void tells_numbers_that_are_not_finite(void **state)
{
    const struct sw_elliptic_numbers p = {.omega2 = 1, .lambda2 = 1, .delta = 1, .depth = 1};
    (void)state;
    struct made s = find_modes((struct sw_elliptic_desc){0}, &p, 5, 2);
    s.matrix.b[1] = s.matrix.c[2] = INFINITY;
    elliptic_modes_find(&s.modes, &s.matrix, 2);
    for (int k = 0; k < 5; k++) assert_true(isnan(s.modes.lambda[k]) && isnan(s.modes.x[6 * k]));
    free_made(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_cosines_and_sines_on_even_levels),
        cmocka_unit_test(is_orthogonal_and_solves_the_eigenproblem),
        cmocka_unit_test(finds_the_lowest_mode_to_all_digits),
        cmocka_unit_test(gives_the_same_bits_whatever_the_threads),
        cmocka_unit_test(tells_numbers_that_are_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
