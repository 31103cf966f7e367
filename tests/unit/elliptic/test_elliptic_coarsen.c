/* Coarse grids of elliptic problems: their sizes, interpolation between them, and their matrices. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "elliptic/elliptic_cells_cpu.h"
#include "elliptic/elliptic_coarsen.h"
#include "helpers.h"

static const struct sw_elliptic_numbers usual = {.omega2 = 1, .lambda2 = 0.05, .delta = 0, .depth = 0.1,
                                                 .tolerance = 1e-10, .iterations = 100};

static void halves_the_finer_axis_until_both_are_alike(void **state)
{
    static const struct { int64_t from[2], to[9][2]; } known[] = {
        {{32, 32}, {{32, 32}, {16, 16}, {8, 8}, {4, 4}, {2, 2}, {1, 1}}},
        {{33, 31}, {{33, 31}, {17, 16}, {9, 8}, {5, 4}, {3, 2}, {2, 2}, {1, 1}}},
        {{64, 8}, {{64, 8}, {32, 8}, {16, 8}, {8, 8}, {4, 4}, {2, 2}, {1, 1}}},
        {{1, 10}, {{1, 10}, {1, 5}, {1, 3}, {1, 2}, {1, 1}}},
        {{1, 1}, {{1, 1}}},
    };
    (void)state;
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        const struct sw_elliptic_desc d = {.n = {known[c].from[0], known[c].from[1], 3}, .batch = 1};
        for (int g = 0; known[c].to[g][0] > 0; g++) {
            int64_t n[2];
            assert_true(elliptic_grid_size(&d, g, n));
            assert_memory_equal(n, known[c].to[g], sizeof n);
            if (known[c].to[g + 1][0] == 0) assert_false(elliptic_grid_size(&d, g + 1, n));
        }
    }
}

static double midpoint(const struct elliptic_axis *x, int64_t i)
{
    double at = 0.5 * x->width[i];
    for (int64_t k = 0; k < i; k++) at += x->width[k];
    return at;
}

/* Functions that are linear between midpoints, zero at the walls beyond the outermost ones: where a cell has no wall on
 * its side they are interpolated exactly, at a wall they go to 0. */
static void interpolates_linear_functions(void **state)
{
    (void)state;
    for (int64_t size = 2; size <= 67; size++) {
        const struct sw_elliptic_desc d = {.n = {size, size, 1}, .batch = 1};
        struct elliptic_grids grids;
        struct sw_owned own = {0};
        elliptic_grids_make(&d, &own, &grids);
        assert_ok(own.status);
        for (int g = 0; g < grids.planned; g++) {
            const struct elliptic_axis *x = &grids.grid[g].axis[0], *coarse = &grids.grid[g + 1].axis[0];
            double all = 0, least = 1e9, most = 0;
            for (int64_t i = 0; i < x->n; i++) {
                all += x->width[i];
                least = fmin(least, x->width[i]), most = fmax(most, x->width[i]);
            }
            assert_true(all == (double)size);
            assert_true(most <= 3 * least);
            for (int64_t c = 0; g + 1 < grids.planned && c < x->coarse; c++)
                for (int64_t i = elliptic_first(x, c); i < elliptic_first(x, c + 1); i++) {
                    const int64_t beside = elliptic_first(x, c + 1) - elliptic_first(x, c) == 1 ? c
                                           : i == elliptic_first(x, c)                          ? c - 1
                                                                                                : c + 1;
                    const double at = beside < 0 ? 0 : beside == x->coarse ? all : midpoint(coarse, beside);
                    assert_near(x->near[i] * midpoint(coarse, c) + x->far[i] * at, midpoint(x, i), 1e-12 * all);
                    assert_near(x->near[i] + x->far[i], 1, 1e-15);
                }
        }
        sw_owned_free(&own);
    }
}

static void near_each(const double *x, const double *y, int64_t count, double within)
{
    for (int64_t i = 0; i < count; i++) assert_near(x[i], y[i], within * fabs(y[i]));
}

/* Weights of faces, `rows` of `count`; with `inner` but for the first and last of either, to which vertices on walls
 * add what belongs to half a cell of the one grid or of the other. */
static void near_weights(const double *x, const double *y, int64_t rows, int64_t count, bool inner, double within)
{
    for (int64_t r = inner; r < rows - inner; r++)
        near_each(x + r * count + inner, y + r * count + inner, count - 2 * inner, within);
}

/* Of an even number of even cells of the box: exactly; of the shell where its metric varies little over two cells. */
static void has_the_matrices_of_coarse_grids(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        const bool shell = k >= 6;
        struct sw_elliptic_desc d = {.n = {64, 64, 3}, .batch = 1}, coarse;
        struct sw_elliptic_matrix m, n;
        struct elliptic_grids grids;
        struct sw_owned own = {0};
        d.geometry = shell ? SW_ELLIPTIC_SHELL : SW_ELLIPTIC_BOX;
        d.full = k >= 8;
        d.sides[0] = (enum sw_elliptic_wall)(shell ? k % 2 : k % 3);
        d.sides[1] = (enum sw_elliptic_wall)(k / 3 % (shell ? 2 : 3));
        elliptic_grids_make(&d, &own, &grids);
        assert_ok(own.status);
        assert_ok(sw_elliptic_matrix_make(&d, &usual, NULL, NULL, &m));
        elliptic_grids_load(&grids, &m, 1);
        coarse = d;
        for (int g = 1; coarse.n[0] = coarse.n[1] = 64 >> g, coarse.n[0] >= (shell ? 16 : 2); g++) {
            const struct sw_elliptic_matrix *c = &grids.grid[g].matrix;
            const int64_t nx = coarse.n[0];
            assert_ok(sw_elliptic_matrix_make(&coarse, &usual, NULL, NULL, &n));
            near_each(c->area, n.area, nx * nx, 1e-12);
            near_weights(c->east, n.east, nx, nx + 1, d.full, shell ? 0.05 : 1e-12);
            near_weights(c->north, n.north, nx + 1, nx, d.full, shell ? 0.05 : 1e-12);
            if (d.full) near_each(c->cross, n.cross, (nx + 1) * (nx + 1), 1e-12);
            assert_int_equal(c->periodic[0], n.periodic[0]);
            assert_int_equal(c->periodic[1], n.periodic[1]);
            sw_elliptic_matrix_free(&n);
        }
        sw_elliptic_matrix_free(&m);
        sw_owned_free(&own);
    }
}

/* In series along the way, in parallel along the face: coefficients 1 and 4 in turn across x give 2/(1/1 + 1/4) = 1.6,
 * along x 2.5; and periodic ends are one face. */
static void averages_coefficients_across_and_along(void **state)
{
    enum { N = 8, NZ = 2 };
    static double kx[N * NZ * (N + 1)], ky[(N + 1) * NZ * N], kz[N * (NZ + 1) * N];
    const struct sw_elliptic_desc d = {.n = {N, N, NZ}, .batch = 1, .variable = true,
                                       .sides = {SW_ELLIPTIC_PERIODIC, SW_ELLIPTIC_PERIODIC}};
    struct sw_elliptic_matrix m;
    struct elliptic_grids grids;
    struct sw_owned own = {0};
    (void)state;
    for (int r = 0; r < N * NZ; r++)
        for (int i = 0; i <= N; i++) kx[r * (N + 1) + i] = i % 2 ? 4 : 1;
    for (int r = 0; r < (N + 1) * NZ * N; r++) ky[r] = r % 2 ? 4 : 1;
    for (int r = 0; r < N * (NZ + 1) * N; r++) kz[r] = r % 2 ? 4 : 1;
    elliptic_grids_make(&d, &own, &grids);
    assert_ok(own.status);
    assert_ok(sw_elliptic_matrix_make(&d, &usual, &(struct sw_elliptic_faces){kx, ky, kz}, NULL, &m));
    elliptic_grids_load(&grids, &m, 1);
    assert_int_equal(grids.count, 4);
    const struct sw_elliptic_matrix *c = &grids.grid[1].matrix;
    for (int r = 0; r < N / 2 * NZ * (N / 2 + 1); r++) assert_near(c->faces.kx[r], 1.6, 1e-14);
    for (int r = 0; r < (N / 2 + 1) * NZ * N / 2; r++) assert_near(c->faces.ky[r], 2.5, 1e-14);
    for (int r = 0; r < N / 2 * (NZ + 1) * N / 2; r++) assert_near(c->faces.kz[r], 2.5, 1e-14);
    sw_elliptic_matrix_free(&m);
    sw_owned_free(&own);
}

/* <y, A x> = <x, A y> and <x, A x> > 0, where cross terms and uneven cells meet, and on periodic sides. */
static void has_symmetric_positive_matrices(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct sw_elliptic_desc d = {.n = {37, 22, 3}, .batch = 1, .full = k, .graded = true};
        struct sw_elliptic_matrix fine;
        struct elliptic_grids grids;
        struct sw_owned own = {0};
        if (k) d.geometry = SW_ELLIPTIC_SHELL;
        else d.sides[0] = d.sides[1] = SW_ELLIPTIC_PERIODIC;
        elliptic_grids_make(&d, &own, &grids);
        assert_ok(own.status);
        assert_ok(sw_elliptic_matrix_make(&d, &usual, NULL, NULL, &fine));
        elliptic_grids_load(&grids, &fine, 1);
        assert_int_equal(grids.count, grids.planned);
        for (int g = 0; g < grids.count; g++) {
            const struct sw_elliptic_matrix *m = &grids.grid[g].matrix;
            const size_t cells = (size_t)(m->nx * m->ny * m->nz);
            double *v = NULL, *scratch = NULL, vaw = 0, wav = 0, vav = 0, size = 0;
            uint64_t seed = 3;
            assert_ok(sw_alloc(4 * cells, &v));
            assert_ok(sw_alloc(elliptic_scratch(m), &scratch));
            double *const w = v + cells, *const av = w + cells, *const aw = av + cells;
            for (size_t i = 0; i < 2 * cells; i++) v[i] = test_random(&seed);
            for (int64_t j = 0; j < m->ny; j++) {
                elliptic_apply_slab(m, v, elliptic_own_ends(m, v), j, av + j * m->nz * m->nx, scratch);
                elliptic_apply_slab(m, w, elliptic_own_ends(m, w), j, aw + j * m->nz * m->nx, scratch);
            }
            for (size_t i = 0; i < cells; i++) {
                vaw += v[i] * aw[i], wav += w[i] * av[i], vav += v[i] * av[i];
                size += fabs(v[i] * aw[i]) + fabs(w[i] * av[i]);
            }
            assert_true(fabs(vaw - wav) <= 1e-13 * size);
            assert_true(vav > 0);
            sw_free(v);
            sw_free(scratch);
        }
        sw_elliptic_matrix_free(&fine);
        sw_owned_free(&own);
    }
}

/* omega2 = (courant h/2)² with delta = 1: a column weighs its neighbours by courant², a quarter of that on each next
 * grid. Without delta nothing ends it. */
static void counts_the_grids_that_the_numbers_need(void **state)
{
    static const struct { double courant; int count; } known[] = {{0.1, 1}, {2, 3}, {8, 5}, {1000, 8}};
    const struct sw_elliptic_desc d = {.n = {128, 128, 2}, .batch = 1, .sides = {SW_ELLIPTIC_NEUMANN,
                                                                               SW_ELLIPTIC_NEUMANN}};
    struct elliptic_grids grids;
    struct sw_owned own = {0};
    (void)state;
    elliptic_grids_make(&d, &own, &grids);
    assert_ok(own.status);
    for (int k = 0; k < 4; k++)
        for (int delta = 0; delta < 2; delta++) {
            struct sw_elliptic_numbers p = usual;
            struct sw_elliptic_matrix m;
            p.omega2 = pow(0.5 * known[k].courant / 128, 2);
            p.delta = delta;
            assert_ok(sw_elliptic_matrix_make(&d, &p, NULL, NULL, &m));
            elliptic_grids_load(&grids, &m, 1);
            assert_int_equal(grids.count, delta ? known[k].count : 8);
            sw_elliptic_matrix_free(&m);
        }
    sw_owned_free(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_the_finer_axis_until_both_are_alike),
        cmocka_unit_test(interpolates_linear_functions),
        cmocka_unit_test(has_the_matrices_of_coarse_grids),
        cmocka_unit_test(averages_coefficients_across_and_along),
        cmocka_unit_test(has_symmetric_positive_matrices),
        cmocka_unit_test(counts_the_grids_that_the_numbers_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
