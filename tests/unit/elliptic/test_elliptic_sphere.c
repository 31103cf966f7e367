/* The whole sphere: how its panels are joined, and its matrix against one that is assembled from where points lie. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "elliptic/elliptic_cells_cpu.h"
#include "elliptic/elliptic_coarsen.h"
#include "helpers.h"

static const struct sw_elliptic_numbers usual = {.omega2 = 0.3, .lambda2 = 0.4, .delta = 0, .depth = 0.2,
                                                 .tolerance = 1e-10, .iterations = 100};

static struct sw_elliptic_desc sphere(int64_t n, int64_t nz, bool full)
{
    return (struct sw_elliptic_desc){.n = {n, SW_PANELS * n, nz}, .batch = 1, .geometry = SW_ELLIPTIC_SHELL,
                                     .full = full, .graded = true,
                                     .sides = {SW_ELLIPTIC_SEAM, SW_ELLIPTIC_SEAM},
                                     .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
}

/* ------------------------------------------------------------------ where points lie */

static double place(int64_t n, double i) { return 2 * i / (double)n - 1; }

/* The direction of the point i, j of a panel, in cells from its corner. */
static void direction(int64_t n, int64_t panel, double i, double j, double at[3])
{
    sw_panel_direction((int)panel, place(n, i), place(n, j), at);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* The middle of a side of a cell, and its corners, in cells from the cell's lower left corner. */
static const double middle[4][2] = {{0, 0.5}, {1, 0.5}, {0.5, 0}, {0.5, 1}};
static const double corner[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};

static void point_of(int64_t n, int64_t cell, const double part[2], double at[3])
{
    direction(n, cell / (n * n), (double)(cell % n) + part[0], (double)(cell / n % n) + part[1], at);
}

/* The cell at the other side of a side of a cell: the other one that has the middle of the side. */
static int64_t find_neighbour(int64_t n, int64_t cell, int side)
{
    double here[3], there[3];
    int64_t found = -1;
    point_of(n, cell, middle[side], here);
    for (int64_t other = 0; other < SW_PANELS * n * n; other++)
        for (int s = 0; s < 4; s++) {
            point_of(n, other, middle[s], there);
            if (other == cell || distance(here, there) > 1e-9) continue;
            assert_int_equal(found, -1);
            found = other;
        }
    assert_true(found >= 0);
    return found;
}

static void joins_panels_where_they_meet(void **state)
{
    const int64_t n = 5;
    const struct sw_elliptic_matrix m = {.nx = n, .ny = SW_PANELS * n, .nz = 1, .panel = n};
    double number[SW_PANELS * 5 * 5], room[5];
    (void)state;
    for (int64_t c = 0; c < SW_PANELS * n * n; c++) number[c] = (double)c;
    for (int64_t p = 0; p < SW_PANELS; p++)
        for (int64_t t = 0; t < n; t++) {
            const int64_t j = p * n + t, last = p * n + n - 1;
            assert_true(elliptic_cell_beyond(&m, number, j, SW_WEST, 0) == (double)find_neighbour(n, j * n, 0));
            assert_true(elliptic_cell_beyond(&m, number, j, SW_EAST, 0) ==
                        (double)find_neighbour(n, j * n + n - 1, 1));
            assert_true(elliptic_row_beyond(&m, number, p * n, SW_SOUTH, 0, room)[t] ==
                        (double)find_neighbour(n, p * n * n + t, 2));
            assert_true(elliptic_row_beyond(&m, number, last, SW_NORTH, 0, room)[t] ==
                        (double)find_neighbour(n, last * n + t, 3));
        }
}

/* ------------------------------------------------------------------ the matrix of a level */

/* How many panels have a point as a corner of one of their cells. */
static int panels_at(int64_t n, const double at[3])
{
    bool has[SW_PANELS] = {false};
    double there[3];
    int count = 0;
    for (int64_t cell = 0; cell < SW_PANELS * n * n; cell++)
        for (int k = 0; k < 4; k++) {
            point_of(n, cell, corner[k], there);
            if (distance(at, there) < 1e-9) has[cell / (n * n)] = true;
        }
    for (int p = 0; p < SW_PANELS; p++) count += has[p];
    return count;
}

static void add_difference(double *a, int64_t cells, int64_t p, int64_t q, double weight)
{
    a[p * cells + p] += weight, a[q * cells + q] += weight;
    a[p * cells + q] -= weight, a[q * cells + p] -= weight;
}

/* weight (u_p1 - u_p0)(u_q1 - u_q0), as half the gradient of that */
static void add_product(double *a, int64_t cells, const int64_t p[2], const int64_t q[2], double weight)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const double half = (i == k ? 0.5 : -0.5) * weight;
            a[p[i] * cells + q[k]] += half;
            a[q[k] * cells + p[i]] += half;
        }
}

/* Fluxes of two points: the length of a side over the distance of centres, of coordinates taken for orthogonal. */
static void assemble_two_points(int64_t n, double *a)
{
    const int64_t cells = SW_PANELS * n * n;
    for (int64_t c = 0; c < cells; c++)
        for (int side = 0; side < 4; side++) {
            const double x = place(n, (double)(c % n) + middle[side][0]),
                         y = place(n, (double)(c / n % n) + middle[side][1]),
                         weight = side < 2 ? sqrt((1 + x * x) / (1 + y * y)) : sqrt((1 + y * y) / (1 + x * x));
            add_difference(a, cells, c, find_neighbour(n, c, side), 0.5 * weight);
        }
}

/* The energy of the quarter of cell c at its corner k, of the differences across the two sides there: with the metric
 * of gnomonic coordinates inside a panel; along and across its seam; and as a third of the triangle at the points where
 * three panels meet. */
static void add_quarter(int64_t n, int64_t c, int k, double *a)
{
    const int64_t cells = SW_PANELS * n * n;
    const int across_x = k % 2 ? 1 : 0, across_y = k / 2 ? 3 : 2;
    const int64_t along_x = find_neighbour(n, c, across_x), along_y = find_neighbour(n, c, across_y);
    const double x = place(n, (double)(c % n) + corner[k][0]), y = place(n, (double)(c / n % n) + corner[k][1]),
                 xc = place(n, (double)(c % n) + 0.5), yc = place(n, (double)(c / n % n) + 0.5),
                 q = sqrt(1 + x * x + y * y),
                 weight_x = (1 + x * x) / sqrt(1 + x * x + yc * yc), weight_y = (1 + y * y) / sqrt(1 + xc * xc + y * y);
    double at[3];
    point_of(n, c, corner[k], at);
    const int panels = panels_at(n, at);
    const bool seam_x = fabs(fabs(x) - 1) < 1e-12, seam_y = fabs(fabs(y) - 1) < 1e-12;
    assert_int_equal(panels, 1 + seam_x + seam_y);
    if (panels == 3) {  /* both sides are halves of faces: what is left of them less half the weight in the corner */
        add_difference(a, cells, c, along_x, 0.25 * weight_x - 0.25 / sqrt(3));
        add_difference(a, cells, c, along_y, 0.25 * weight_y - 0.25 / sqrt(3));
        return;
    }
    const double less_x = seam_y ? x * x * y * y / (q * (1 + y * y)) : 0,
                 less_y = seam_x ? x * x * y * y / (q * (1 + x * x)) : 0;
    add_difference(a, cells, c, along_x, 0.25 * (weight_x - less_x));
    add_difference(a, cells, c, along_y, 0.25 * (weight_y - less_y));
    const double sign = (across_x == 1 ? 1 : -1) * (across_y == 3 ? 1 : -1);
    if (panels == 1)
        add_product(a, cells, (const int64_t[]){c, along_x}, (const int64_t[]){c, along_y}, 0.5 * sign * x * y / q);
}

static void assemble_full(int64_t n, double *a)
{
    for (int64_t c = 0; c < SW_PANELS * n * n; c++)
        for (int k = 0; k < 4; k++) add_quarter(n, c, k, a);
}

/* Column (c, k) of the matrix of all levels. */
static void check_column(const struct sw_elliptic_matrix *m, const double *level, int64_t c, int64_t k, double *u,
                         double *au, double *scratch)
{
    const int64_t n = m->nx, nz = m->nz, cells = SW_PANELS * n * n;
    memset(u, 0, (size_t)(cells * nz) * sizeof *u);
    u[(c / n * nz + k) * n + c % n] = 1;
    for (int64_t j = 0; j < m->ny; j++)
        elliptic_apply_slab(m, u, elliptic_own_ends(m, u), j, au + j * nz * n, scratch);
    for (int64_t e = 0; e < cells; e++)
        for (int64_t l = 0; l < nz; l++) {
            double expected = l == k ? m->d[k] * level[e * cells + c] : 0;
            if (e == c && l == k) expected += m->area[c] * (m->a[k] + m->b[k] + m->c[k]);
            if (e == c && l == k + 1) expected -= m->area[c] * m->c[l];
            if (e == c && l == k - 1) expected -= m->area[c] * m->b[l];
            assert_true(fabs(au[(e / n * nz + l) * n + e % n] - expected) <=
                        1e-14 * (m->area[c] * (m->b[k] + m->c[k]) + 4 * m->d[k]));
        }
}

static void check_matrix(int64_t n, bool full)
{
    const struct sw_elliptic_desc d = sphere(n, 3, full);
    const int64_t cells = SW_PANELS * n * n;
    struct sw_elliptic_matrix m;
    double *level = NULL, *u = NULL, *au = NULL, *scratch = NULL;
    assert_ok(sw_elliptic_matrix_make(&d, &usual, NULL, NULL, &m));
    assert_ok(sw_alloc((size_t)(cells * cells), &level));
    assert_ok(sw_alloc((size_t)(cells * d.n[2]), &u));
    assert_ok(sw_alloc((size_t)(cells * d.n[2]), &au));
    assert_ok(sw_alloc(elliptic_scratch(&m), &scratch));
    if (full) assemble_full(n, level);
    else assemble_two_points(n, level);
    for (int64_t c = 0; c < cells; c++)
        for (int64_t k = 0; k < d.n[2]; k++) check_column(&m, level, c, k, u, au, scratch);
    sw_elliptic_matrix_free(&m);
    sw_free(level);
    sw_free(u);
    sw_free(au);
    sw_free(scratch);
}

static void has_the_matrix_that_the_points_give(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 5; n++) {
        check_matrix(n, false);
        check_matrix(n, true);
    }
}

/* Without delta a constant is in its kernel, and nothing else: of the pivots of the dense matrix of a level only the
 * last is 0. */
static void knows_constants_and_is_positive_beside_them(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 5; n++) {
        const int64_t cells = SW_PANELS * n * n;
        double *a = NULL;
        assert_ok(sw_alloc((size_t)(cells * cells), &a));
        assemble_full(n, a);
        for (int64_t r = 0; r < cells; r++) {
            double sum = 0;
            for (int64_t c = 0; c < cells; c++) {
                sum += a[r * cells + c];
                assert_true(fabs(a[r * cells + c] - a[c * cells + r]) < 1e-15);
            }
            assert_true(fabs(sum) < 1e-14);
        }
        for (int64_t k = 0; k < cells; k++) {
            if (k == cells - 1) assert_true(fabs(a[k * cells + k]) < 1e-11);
            else assert_true(a[k * cells + k] > 1e-3);
            for (int64_t r = k + 1; r < cells; r++) {
                const double factor = a[r * cells + k] / a[k * cells + k];
                for (int64_t c = k; c < cells; c++) a[r * cells + c] -= factor * a[k * cells + c];
            }
        }
        sw_free(a);
    }
}

/* Panels become half as many cells wide as long as their number is even, then all of them one column. The matrices know
 * constants: rows sum to 0 without delta; they are symmetric, and have all of the area. */
static void check_grid(const struct elliptic_grid *grid, int64_t n, int64_t nz)
{
    const struct sw_elliptic_matrix *m = &grid->matrix;
    const int64_t cells = m->nx * m->ny * nz;
    double *x[3] = {NULL}, *ax[3] = {NULL}, *scratch = NULL, area = 0, xay = 0, yax = 0, size = 0;
    uint64_t seed = 1;
    assert_int_equal(m->nx, n);
    assert_int_equal(m->ny, m->panel ? SW_PANELS * n : 1);
    assert_ok(sw_alloc(elliptic_scratch(m), &scratch));
    for (int t = 0; t < 3; t++) {
        assert_ok(sw_alloc((size_t)cells, &x[t]));
        assert_ok(sw_alloc((size_t)cells, &ax[t]));
        for (int64_t c = 0; c < cells; c++) x[t][c] = t < 2 ? test_random(&seed) : 1;
        for (int64_t j = 0; j < m->ny; j++)
            elliptic_apply_slab(m, x[t], elliptic_own_ends(m, x[t]), j, ax[t] + j * nz * n, scratch);
    }
    for (int64_t c = 0; c < cells; c++) {
        xay += x[0][c] * ax[1][c], yax += x[1][c] * ax[0][c];
        size += fabs(x[0][c] * ax[1][c]) + fabs(x[1][c] * ax[0][c]);
        if (m->panel) assert_true(fabs(ax[2][c]) < 1e-13);
    }
    for (int64_t c = 0; c < n * m->ny; c++) area += m->area[c];
    assert_true(fabs(xay - yax) <= 1e-14 * size);
    assert_true(fabs(area - 4 * acos(-1)) < 1e-13);
    for (int t = 0; t < 3; t++) {
        sw_free(x[t]);
        sw_free(ax[t]);
    }
    sw_free(scratch);
}

static void coarsens_panels_by_themselves(void **state)
{
    static const int64_t sizes[][6] = {{8, 4, 2, 1, 1}, {12, 6, 3, 1}, {5, 1}, {1, 1}};
    (void)state;
    for (size_t t = 0; t < 2 * sizeof sizes / sizeof *sizes; t++) {
        const struct sw_elliptic_desc d = sphere(sizes[t / 2][0], 3, t % 2);
        struct elliptic_grids grids;
        struct sw_elliptic_matrix m;
        struct sw_owned own = {0};
        elliptic_grids_make(&d, &own, &grids);
        assert_ok(own.status);
        assert_ok(sw_elliptic_matrix_make(&d, &usual, NULL, NULL, &m));
        elliptic_grids_load(&grids, &m, 1);
        for (int g = 0; g < grids.count; g++) check_grid(&grids.grid[g], sizes[t / 2][g], d.n[2]);
        assert_true(sizes[t / 2][grids.count] == 0 && grids.grid[grids.count - 1].matrix.ny == 1);
        sw_elliptic_matrix_free(&m);
        sw_owned_free(&own);
    }
}

static void covers_the_sphere(void **state)
{
    const struct sw_elliptic_desc d = sphere(7, 1, true);
    struct sw_elliptic_matrix m;
    double all = 0;
    (void)state;
    assert_ok(sw_elliptic_matrix_make(&d, &usual, NULL, NULL, &m));
    for (int64_t c = 0; c < m.nx * m.ny; c++) all += m.area[c];
    assert_true(fabs(all - 4 * acos(-1)) < 1e-13);
    sw_elliptic_matrix_free(&m);
}

static void refuses_panels_that_do_not_match(void **state)
{
    struct sw_elliptic_desc d = sphere(4, 1, true);
    struct sw_elliptic_matrix m;
    (void)state;
    d.n[1] = 25;
    assert_int_equal(sw_elliptic_matrix_make(&d, &usual, NULL, NULL, &m), SW_E_ARG);
    assert_non_null(strstr(sw_err_message(), "4 x 25 cells: the sphere has 6 panels of n x n cells"));
    d.n[1] = 24;
    d.sides[0] = SW_ELLIPTIC_NEUMANN;
    assert_int_equal(sw_elliptic_matrix_make(&d, &usual, NULL, NULL, &m), SW_E_ARG);
    assert_non_null(strstr(sw_err_message(), "seams join panels of the shell at all four sides"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_panels_where_they_meet),
        cmocka_unit_test(has_the_matrix_that_the_points_give),
        cmocka_unit_test(knows_constants_and_is_positive_beside_them),
        cmocka_unit_test(coarsens_panels_by_themselves),
        cmocka_unit_test(covers_the_sphere),
        cmocka_unit_test(refuses_panels_that_do_not_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
