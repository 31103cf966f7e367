/* Bounds of the eigenvalues of a mode's problem in the plane, D^-1 (Lh + lambda area), against all of them: of small
 * planes the matrix is dense, column by column what the operator makes of a unit vector. Chebyshev's polynomials take
 * the bounds for granted: an eigenvalue outside grows with each step. That none is rests on a claim, which is shown
 * here too: Lh without what belongs to walls has no eigenvalue below 0. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "elliptic/elliptic_cells_cpu.h"
#include "elliptic/elliptic_modal.h"
#include "elliptic/elliptic_plane_cpu.h"
#include "helpers.h"

static const double PI = 3.14159265358979323846;

/* ------------------------------------------------------------------ the ends of a spectrum */

/* Householder's reflections: a symmetric matrix becomes a tridiagonal one with the diagonal d and e beside it.
 * @param a  [n][n], is lost  @param p  [n], scratch */
static void make_tridiagonal(int n, double *a, double *d, double *e, double *p)
{
    for (int k = 0; k < n; k++) {
        double *const v = a + k * n, vv = 0, pv = 0;
        d[k] = v[k];
        for (int i = k + 1; i < n; i++) vv += v[i] * v[i];
        if (k < n - 1) e[k] = v[k + 1] > 0 ? -sqrt(vv) : sqrt(vv);
        if (!(vv > 0)) continue;
        vv += e[k] * e[k] - 2 * e[k] * v[k + 1];  /* of v - e; it does not cancel, as the signs differ */
        v[k + 1] -= e[k];
        for (int i = k + 1; i < n; i++) {
            double sum = 0;
            for (int j = k + 1; j < n; j++) sum += a[i * n + j] * v[j];
            p[i] = 2 / vv * sum;
            pv += p[i] * v[i];
        }
        for (int i = k + 1; i < n; i++) p[i] -= pv / vv * v[i];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) a[i * n + j] -= v[i] * p[j] + p[i] * v[j];
    }
}

/* Eigenvalues below x: as many as there are negative pivots (Sylvester). */
static int count_below(int n, const double *d, const double *e, double x)
{
    int count = 0;
    double pivot = 1;
    for (int i = 0; i < n; i++) {
        pivot = d[i] - x - (i ? e[i - 1] * e[i - 1] / pivot : 0);
        if (pivot == 0) pivot = DBL_MIN;
        count += pivot < 0;
    }
    return count;
}

/* The least and the largest eigenvalue: all others are between. By bisection. @param a  [n][n], is lost */
static void find_ends(int n, double *a, double end[2])
{
    double *d = zeros(3 * (size_t)n), *e = d + n, size = 0;
    make_tridiagonal(n, a, d, e, e + n);
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(d[i]) + (i ? fabs(e[i - 1]) : 0) + (i < n - 1 ? fabs(e[i]) : 0));
    for (int k = 0; k < 2; k++) {
        double low = -1.01 * size, high = 1.01 * size;
        for (int step = 0; step < 60; step++) {
            const double x = 0.5 * (low + high);
            if (count_below(n, d, e, x) > (k ? n - 1 : 0)) high = x;
            else low = x;
        }
        end[k] = 0.5 * (low + high);
    }
    sw_free(d);
}

/* What rounding may move an eigenvalue by, of a matrix of n cells with entries of size 1 (D^-1/2 A D^-1/2), as a
 * multiple of the largest one. An entry has some 8 roundings, and reflections together change the matrix by n eps or
 * less of its norm (they are orthogonal); an eigenvalue moves by as much as the matrix does, at most (Weyl). */
static double rounding(int n) { return (n + 8) * DBL_EPSILON; }

/* ------------------------------------------------------------------ planes */

struct plane {
    struct sw_elliptic_desc desc;
    struct sw_elliptic_matrix matrix;
    int     n;                   /* cells                                                                      */
    double *lh;                  /* [n][n]                                                                     */
    double *wall;                /* [n]: what Lh makes of 1, as it sees nothing but walls there: h             */
    double *sum;                 /* [n]: s, Lh's diagonal and what a cell weighs that is its own neighbour     */
    double *scaled;              /* [n][n]: scratch                                                            */
    double  stiff;               /* the largest s                                                              */
    struct elliptic_plane_bounds bounds;
};

/* y := Lh u. */
static void apply(const struct sw_elliptic_matrix *m, const double *u, double *y, double *scratch)
{
    for (int64_t j = 0; j < m->ny; j++)
        elliptic_apply_slab(m, u, elliptic_own_ends(m, u), j, y + j * m->nx, scratch);
}

static struct plane make_plane(const struct sw_elliptic_desc *desc, int64_t nx, int64_t ny)
{
    const struct sw_elliptic_numbers p = {.omega2 = 1, .lambda2 = 1, .delta = 1, .depth = 1};
    struct plane s = {.desc = *desc, .n = (int)(nx * ny)};
    const int n = s.n;
    s.desc.n[0] = nx, s.desc.n[1] = ny, s.desc.n[2] = s.desc.batch = 1;
    assert_ok(sw_elliptic_matrix_make(&s.desc, &p, NULL, NULL, &s.matrix));
    struct sw_elliptic_matrix *m = &s.matrix;
    m->a[0] = m->b[0] = m->c[0] = 0, m->d[0] = 1;  /* nothing but Lh */
    s.lh = zeros(2 * (size_t)(n * n) + 2 * (size_t)n);
    s.scaled = s.lh + n * n, s.wall = s.scaled + n * n, s.sum = s.wall + n;
    double *u = zeros(2 * (size_t)n), *y = u + n, *scratch = zeros(elliptic_scratch(m));
    for (int c = 0; c < n; c++) {
        u[c] = 1;
        apply(m, u, y, scratch);
        u[c] = 0;
        for (int i = 0; i < n; i++) s.lh[i * n + c] = y[i];
        s.sum[c] = y[c];
    }
    for (int c = 0; c < n; c++) {
        const double *east = m->east + c / nx * (nx + 1) + c % nx, *north = m->north + c;
        if (m->periodic[0] && nx == 1) s.sum[c] += east[0] + east[1];
        if (m->periodic[1] && ny == 1) s.sum[c] += north[0] + north[nx];
        s.stiff = fmax(s.stiff, s.sum[c]);
        u[c] = 1;
    }
    apply(m, u, s.wall, scratch);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < i; c++) assert_near(s.lh[i * n + c], s.lh[c * n + i], 8 * DBL_EPSILON * s.stiff);
    elliptic_plane_bound(m, m->periodic[0], m->periodic[1], &s.bounds);
    sw_free(u);
    sw_free(scratch);
    return s;
}

static void free_plane(struct plane *s)
{
    sw_elliptic_matrix_free(&s->matrix);
    sw_free(s->lh);
}

/* All that rows of vertical modes take: box and shell, both stencils of the shell, and what may be at either side. */
enum { BOXES = 9, KINDS = BOXES + 8 };
static struct sw_elliptic_desc kind_of(int kind)
{
    static const enum sw_elliptic_wall wall[] = {SW_ELLIPTIC_DIRICHLET, SW_ELLIPTIC_NEUMANN, SW_ELLIPTIC_PERIODIC};
    const int shell = kind - BOXES;
    if (shell < 0) return (struct sw_elliptic_desc){.sides = {wall[kind % 3], wall[kind / 3]}};
    return (struct sw_elliptic_desc){.geometry = SW_ELLIPTIC_SHELL, .full = shell >= 4,
                                     .sides = {wall[shell % 2], wall[shell / 2 % 2]}};
}

static void describe(const struct plane *s, char *text, size_t room)
{
    static const char *const name[] = {"Dirichlet", "Neumann", "periodic"};
    snprintf(text, room, "%s%s, %d x %d, x %s, y %s", s->desc.geometry == SW_ELLIPTIC_BOX ? "box" : "shell",
             s->desc.full ? ", full" : "", (int)s->matrix.nx, (int)s->matrix.ny, name[s->desc.sides[0]],
             name[s->desc.sides[1]]);
}

/* Every size up to 10 x 10, and some that are larger or far from square: a cell's sides are as nx to ny. */
static void for_all_planes(void (*visit)(struct plane *s))
{
    static const int64_t more[][2] = {{11, 12}, {12, 11}, {12, 12}, {12, 5}, {1, 12}, {12, 1}, {2, 17}, {18, 2},
                                      {3, 37}, {38, 3}, {1, 64}, {65, 1}, {2, 60}, {60, 2}, {1, 144}, {144, 1}};
    const int64_t most = small_suite() ? 5 : 10;
    const int more_of_them = small_suite() ? 10 : (int)(sizeof more / sizeof *more);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct sw_elliptic_desc d = kind_of(kind);
        for (int64_t k = 0; k < most * most + more_of_them; k++) {
            const int64_t at = k - most * most;
            struct plane s = make_plane(&d, at < 0 ? 1 + k % most : more[at][0], at < 0 ? 1 + k / most : more[at][1]);
            visit(&s);
            free_plane(&s);
        }
    }
}

/* ------------------------------------------------------------------ what the bounds rest on */

/* Even cells of a box: along an axis of n cells, with the weight w between them, Lh has 4 w sin²(t/2): t = m pi/n
 * between Neumann walls, (m + 1) pi/n between Dirichlet ones, which are half a cell away, 2 m pi/n where it is
 * periodic. @return the least one, or the largest */
static double known_end(enum sw_elliptic_wall side, int64_t n, double w, bool largest)
{
    const double m = side == SW_ELLIPTIC_PERIODIC ? (double)(n / 2) : (double)(n - 1),
                 ahead = side == SW_ELLIPTIC_DIRICHLET ? 1 : 0, step = side == SW_ELLIPTIC_PERIODIC ? 2 * PI : PI,
                 root = sin(0.5 * ((largest ? m : 0) + ahead) * step / (double)n);
    return 4 * w * root * root;
}

static void check_known(struct plane *s)
{
    const int64_t nx = s->matrix.nx, ny = s->matrix.ny;
    const double shape = (double)nx / (double)ny;
    double end[2];
    if (s->desc.geometry != SW_ELLIPTIC_BOX) return;
    memcpy(s->scaled, s->lh, (size_t)(s->n * s->n) * sizeof(double));
    find_ends(s->n, s->scaled, end);
    for (int k = 0; k < 2; k++)
        assert_near(end[k], known_end(s->desc.sides[0], nx, shape, k) + known_end(s->desc.sides[1], ny, 1 / shape, k),
                    2 * rounding(s->n) * s->stiff);
}

static void finds_the_known_ends_of_spectra_in_a_box(void **state)
{
    (void)state;
    for_all_planes(check_known);
}

/* Lh - h >= 0: eigenvalues to the rounding of the largest, which is at most twice the largest s and not much more with
 * cross terms. Walls hold what is given there, h >= 0, but in `full` where cells are more than 8 times as long along a
 * Dirichlet wall as across and a Neumann wall meets it. In the corner's cell the vertex beside the corner takes
 * 0.5 |X| <= 0.5/sqrt(3) off the weight of a face, 4/sqrt(3) over that ratio there, and no other vertex makes up for
 * it. elliptic_plane_bound() then takes |h| for h, which proves nothing; its bounds hold there all the same, as
 * is_between_its_bounds() finds. The faces beside that one have more: h adds up to what it is without cross terms. */
static void check_without_walls(struct plane *s)
{
    const int n = s->n;
    const double nx = (double)s->matrix.nx, ny = (double)s->matrix.ny, room = 2 * rounding(n) * s->stiff;
    const bool long_cells = s->desc.full && s->desc.sides[0] != s->desc.sides[1] && (nx > 8 * ny || ny > 8 * nx);
    double end[2];
    char text[128];
    describe(s, text, sizeof text);
    memcpy(s->scaled, s->lh, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) {
        s->scaled[i * n + i] -= s->wall[i];
        if (!long_cells && !(s->wall[i] >= -room)) fail_msg("%s: h = %.3g in cell %d", text, s->wall[i], i);
    }
    find_ends(n, s->scaled, end);
    if (!(end[0] >= -room)) fail_msg("%s: Lh - h has the eigenvalue %.3g, s at most %.3g", text, end[0], s->stiff);
}

static void has_no_eigenvalue_below_0_without_its_walls(void **state)
{
    (void)state;
    for_all_planes(check_without_walls);
}

/* ------------------------------------------------------------------ the bounds */

/* The diagonal is that of the solvers, and between the numbers that elliptic_plane_spread() has. */
static void check_diagonal(struct plane *s, double lambda, const char *text)
{
    struct elliptic_plane plane;
    struct sw_owned own = {0};
    double *w = zeros((size_t)s->n), least = INFINITY, most = 0;
    elliptic_plane_make(&s->desc, &own, &plane);
    assert_ok(own.status);
    elliptic_plane_solve(&s->matrix, lambda, 1, &plane, w);
    for (int i = 0; i < s->n; i++) {
        const double d = s->sum[i] + lambda * s->matrix.area[i];
        if (!(d > 0)) fail_msg("%s, lambda = %.3g: %.3g on the diagonal", text, lambda, d);
        assert_near(plane.scale[i] * plane.scale[i] * d, 1, 16 * DBL_EPSILON);
        least = fmin(least, d), most = fmax(most, d);
    }
    const double spread = elliptic_plane_spread(&s->bounds, lambda);
    if (!(most / least <= spread * (1 + 16 * DBL_EPSILON)))
        fail_msg("%s, lambda = %.3g: the diagonal is spread by %.17g, not %.17g", text, lambda, most / least, spread);
    sw_owned_free(&own);
    sw_free(w);
}

/* How wide the bounds are. With no Dirichlet wall Lh 1 = 0, so that the least eigenvalue is at most
 * (sum of lambda a)/(sum of lambda a + s), and the bound is too low by no more than the largest s/a over the mean one:
 * not at all in a periodic plane, by 1.5 in the box, and by 2.2 in the shell. With one it is lambda over lambda and the
 * largest s/a: of a mode that the zero-order term holds, lambda >= s/a everywhere, the bound is half of 1 or more, and
 * the eigenvalue is at most 1. Gershgorin's bound is attained by a chessboard of signs where there is one, but for
 * what walls take: by less than 1.35 it is too high; a cell that is its own neighbour has no such pattern. */
static void check_width(const struct plane *s, double lambda, const double end[2], const char *text)
{
    const struct elliptic_plane_bounds *b = &s->bounds;
    const double low = elliptic_plane_low(b, lambda), high = elliptic_plane_high(b, lambda), room = rounding(s->n),
                 stiffness = fmax(b->open, b->walled);
    const bool held = s->desc.sides[0] == SW_ELLIPTIC_DIRICHLET || s->desc.sides[1] == SW_ELLIPTIC_DIRICHLET,
               own = (s->matrix.periodic[0] && s->matrix.nx == 1) || (s->matrix.periodic[1] && s->matrix.ny == 1),
               even = s->matrix.periodic[0] && s->matrix.periodic[1];
    const double wide = even ? 1 : s->desc.geometry == SW_ELLIPTIC_BOX ? 1.5 : 2.2;
    if (!held && !(end[0] <= wide * low + 2 * room))
        fail_msg("%s, lambda = %.3g: the least is %.5g, its bound %.5g", text, lambda, end[0], low);
    if (lambda >= stiffness) assert_true(low >= 0.5 * (1 - room));
    if (!own && !(high <= 1.35 * end[1]))
        fail_msg("%s, lambda = %.3g: the largest is %.5g, its bound %.5g", text, lambda, end[1], high);
}

/* D^-1 (Lh + lambda area) has the eigenvalues of D^-1/2 (Lh + lambda area) D^-1/2, which are of size 1. */
static void check_bounds(struct plane *s, double lambda)
{
    const int n = s->n;
    const double *area = s->matrix.area;
    double end[2], mean, half;
    char text[128];
    describe(s, text, sizeof text);
    check_diagonal(s, lambda, text);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < n; c++)
            s->scaled[i * n + c] = (s->lh[i * n + c] + (i == c ? lambda * area[i] : 0)) /
                                   sqrt((s->sum[i] + lambda * area[i]) * (s->sum[c] + lambda * area[c]));
    find_ends(n, s->scaled, end);
    const double low = elliptic_plane_low(&s->bounds, lambda), high = elliptic_plane_high(&s->bounds, lambda),
                 room = 2 * rounding(n);
    if (!(low <= end[0] + room && end[1] <= high + room))
        fail_msg("%s, lambda = %.17g: from %.17g to %.17g, bounds %.17g, %.17g", text, lambda, end[0], end[1], low,
                 high);
    for (int about_one = 0; about_one < 2; about_one++) {  /* what steps are counted with */
        elliptic_plane_interval(&s->bounds, lambda, about_one, &mean, &half);
        if (!(mean - half <= end[0] + room && end[1] <= mean + half + room))
            fail_msg("%s, lambda = %.17g: from %.17g to %.17g, not in %.17g +- %.17g", text, lambda, end[0], end[1],
                     mean, half);
        assert_true(about_one ? mean == 1 : fabs(mean - half - low) <= room && fabs(mean + half - high) <= room);
        assert_true(half <= fmax(1 - low, high - 1) + room);
    }
    check_width(s, lambda, end, text);
}

/* Numbers of a problem: what a mode is held by, from nothing to far more than its neighbours weigh. */
static struct sw_elliptic_numbers random_numbers(uint64_t *seed)
{
    return (struct sw_elliptic_numbers){
        .omega2 = pow(10, -2 + 2 * test_random(seed)), .lambda2 = pow(10, -1 + 2 * test_random(seed)),
        .delta = pow(10, -2 + 3 * test_random(seed)), .depth = pow(10, -1.5 + 1.5 * test_random(seed))};
}

/* Numbers by hand, and two modes of a random problem. lambda = 0, where nothing holds the mode but walls: a single cell
 * between Neumann walls has no matrix then. */
static void check_lambdas(struct plane *s)
{
    static uint64_t seed = 11;
    static const double lambdas[] = {0, 1e-6, 1e-2, 1, 20, 1e4};
    const struct sw_elliptic_numbers p = random_numbers(&seed);
    struct sw_elliptic_desc d = s->desc;
    struct sw_elliptic_matrix m;
    struct elliptic_modes modes;
    struct sw_owned own = {0};
    for (size_t k = 0; k < sizeof lambdas / sizeof *lambdas; k++)
        if (lambdas[k] > 0 || s->stiff > 0) check_bounds(s, lambdas[k]);
    d.n[2] = 4;
    d.graded = true;
    d.bottom = test_random(&seed) > 0 ? SW_ELLIPTIC_NEUMANN : SW_ELLIPTIC_DIRICHLET;
    d.top = SW_ELLIPTIC_NEUMANN;
    assert_ok(sw_elliptic_matrix_make(&d, &p, NULL, NULL, &m));
    elliptic_modes_make(4, &own, &modes);
    assert_ok(own.status);
    elliptic_modes_find(&modes, &m, 1);
    for (int k = 0; k < 2; k++) check_bounds(s, modes.lambda[k]);
    sw_owned_free(&own);
    sw_elliptic_matrix_free(&m);
}

static void is_between_its_bounds(void **state)
{
    (void)state;
    for_all_planes(check_lambdas);
}

/* Of levels: A (x_m (x) w) = D x_m (x) (Lh + lambda_m area) w, so that the planes above are those of modes. To what
 * rounding leaves of the largest mode and the largest s. */
static void check_modes(struct plane *s)
{
    enum { NZ = 5 };
    static uint64_t seed = 13;
    const struct sw_elliptic_numbers p = random_numbers(&seed);
    const int64_t nx = s->matrix.nx, ny = s->matrix.ny;
    struct sw_elliptic_desc d = s->desc;
    struct sw_elliptic_matrix m;
    struct elliptic_modes modes;
    struct sw_owned own = {0};
    d.n[2] = NZ;
    assert_ok(sw_elliptic_matrix_make(&d, &p, NULL, NULL, &m));
    elliptic_modes_make(NZ, &own, &modes);
    assert_ok(own.status);
    elliptic_modes_find(&modes, &m, 1);
    double *w = zeros((size_t)s->n * (2 + 2 * NZ)), *lw = w + s->n, *u = lw + s->n, *au = u + s->n * NZ,
           *scratch = zeros(elliptic_scratch(&m));
    for (int i = 0; i < s->n; i++) w[i] = test_random(&seed);
    apply(&s->matrix, w, lw, scratch);
    for (int mode = 0; mode < NZ; mode++) {
        const double *x = modes.x + mode;
        for (int64_t j = 0; j < ny; j++)
            for (int64_t k = 0; k < NZ; k++)
                for (int64_t i = 0; i < nx; i++) u[(j * NZ + k) * nx + i] = x[k * NZ] * w[j * nx + i];
        for (int64_t j = 0; j < ny; j++)
            elliptic_apply_slab(&m, u, elliptic_own_ends(&m, u), j, au + j * NZ * nx, scratch);
        for (int64_t c = 0; c < s->n * NZ; c++) {
            const int64_t k = c / nx % NZ, cell = c / (nx * NZ) * nx + c % nx;
            const double area = m.area[cell], size = sqrt(m.d[k]) * (s->stiff + modes.lambda[NZ - 1] * area);
            assert_near(au[c], m.d[k] * x[k * NZ] * (lw[cell] + modes.lambda[mode] * area * w[cell]), 1e-14 * size);
        }
    }
    sw_free(w);
    sw_free(scratch);
    sw_owned_free(&own);
    sw_elliptic_matrix_free(&m);
}

static void is_the_problem_of_each_mode(void **state)
{
    (void)state;
    for_all_planes(check_modes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_known_ends_of_spectra_in_a_box),
        cmocka_unit_test(has_no_eigenvalue_below_0_without_its_walls),
        cmocka_unit_test(is_between_its_bounds),
        cmocka_unit_test(is_the_problem_of_each_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
