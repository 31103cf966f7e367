/* Cells of a refined sweep: which points they ask for, in one to three dimensions, against the full grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "helpers.h"
#include "sweep/cells.h"

/* A grid whose other axis, of so many slices, varies fastest, and what is known of its points. */
struct full {
    struct cells_grid grid;
    int64_t slices, points;
    double *value;         /* [points] */
    bool   *asked;         /* [points] added to the cells */
    int64_t count;         /* of them  */
    int     rounds;
    struct cells_counts cells;
};

static void make_full(struct full *f, int dims, const int64_t *coarse, int levels, int64_t slices)
{
    *f = (struct full){.grid = {.dims = dims, .levels = levels}, .slices = slices};
    f->points = slices;
    for (int a = dims - 1; a >= 0; a--) {
        f->grid.count[a] = ((coarse[a] - 1) << levels) + 1;
        f->grid.stride[a] = f->points;
        f->points *= f->grid.count[a];
    }
    assert_int_equal(sw_alloc((size_t)f->points, &f->value), SW_OK);
    assert_int_equal(sw_alloc((size_t)f->points, &f->asked), SW_OK);
}

static void free_full(struct full *f)
{
    sw_free(f->value);
    sw_free(f->asked);
}

static double along(const struct full *f, int a, int64_t point)
{
    return (double)(point / f->grid.stride[a] % f->grid.count[a]) / (double)(f->grid.count[a] - 1);
}

static void add(struct full *f, struct cells *cells, int64_t point)
{
    assert_false(f->asked[point]);
    f->asked[point] = true;
    f->count++;
    assert_int_equal(cells_add(cells, point, f->value[point]), SW_OK);
}

/* Round after round, until no cell is split. @param back  each round is added from its last point to its first */
static void refine(struct full *f, bool back)
{
    struct cells *cells;
    int64_t *point, count = 0, first = 0;
    memset(f->asked, 0, (size_t)f->points * sizeof *f->asked);
    f->count = f->rounds = 0;
    assert_int_equal(cells_create(&f->grid, &cells), SW_OK);
    for (int64_t p = 0; p < f->points; p++)
        if (!cells_level(&f->grid, p)) first++;
    assert_int_equal(sw_alloc((size_t)first, &point), SW_OK);
    for (int64_t p = 0; p < f->points; p++)
        if (!cells_level(&f->grid, p)) point[count++] = p;
    while (count) {
        for (int64_t k = 0; k < count; k++) add(f, cells, point[back ? count - 1 - k : k]);
        sw_free(point);
        assert_int_equal(cells_split(cells, &point, &count), SW_OK);
        for (int64_t k = 1; k < count; k++) assert_true(point[k] > point[k - 1]);
        f->rounds += count > 0;
    }
    f->cells = cells_count(cells);
    sw_free(point);
    cells_destroy(&cells);
}

/* The cell of the finest grid whose least corner is a point: whether its corners differ, or those of one of its sides
 * alone. @param side  -1: of the cell; 2a, 2a + 1: of its side at the lower and upper end along a
 * @param known  out: whether all of them were asked for */
static bool differs(const struct full *f, int64_t point, int side, bool *known)
{
    double least = INFINITY, most = -INFINITY;
    *known = true;
    for (int k = 0; k < 1 << f->grid.dims; k++) {
        int64_t p = point;
        if (side >= 0 && (k >> side/2 & 1) != side % 2) continue;
        for (int a = 0; a < f->grid.dims; a++) p += (k >> a & 1) * f->grid.stride[a];
        least = fmin(least, f->value[p]);
        most = fmax(most, f->value[p]);
        *known &= f->asked[p];
    }
    return most > least;
}

static bool begins_cell(const struct full *f, int64_t point)
{
    for (int a = 0; a < f->grid.dims; a++)
        if (point / f->grid.stride[a] % f->grid.count[a] == f->grid.count[a] - 1) return false;
    return true;
}

/* Cells of the boundary that hang together with one that was found are found, and with `all` each one is. */
static void check_boundary(const struct full *f, bool all)
{
    int64_t cells = 0;
    bool known, beside, whole;
    for (int64_t p = 0; p < f->points; p++) {
        if (!begins_cell(f, p) || !differs(f, p, -1, &known)) continue;
        cells++;
        if (all) assert_true(known);
        for (int side = 0; side < 2*f->grid.dims && known; side++) {
            const int64_t by = f->grid.stride[side/2], i = p / by % f->grid.count[side/2] + (side % 2 ? 1 : -1);
            if (i < 0 || i > f->grid.count[side/2] - 2 || !differs(f, p, side, &beside)) continue;
            assert_true(differs(f, p + (side % 2 ? by : -by), -1, &whole));
            assert_true(whole);
        }
    }
    assert_true(cells > 0);
}

/* Inside of a ball, or of a plane with waves. */
static double shape(int dims, const double *x, double radius, int kind)
{
    double r = 0;
    for (int a = 0; a < dims; a++) r += (x[a] - 0.46 - 0.03*a)*(x[a] - 0.46 - 0.03*a);
    if (kind == 0) return r < radius*radius ? 1 : 0;
    return x[dims - 1] > 0.5 + 0.2*sin(5*x[0]) ? 2 : 0;
}

static void fill_shape(struct full *f, int kind)
{
    for (int64_t p = 0; p < f->points; p++) {
        double x[CELLS_DIMS] = {0};
        for (int a = 0; a < f->grid.dims; a++) x[a] = along(f, a, p);
        f->value[p] = shape(f->grid.dims, x, 0.33, kind);
    }
}

static void follows_boundaries_to_the_finest_cells(void **state)
{
    static const int64_t coarse[] = {5, 5, 5};
    static const int levels[] = {9, 6, 4};
    (void)state;
    for (int dims = 1; dims <= 3; dims++)
        for (int kind = 0; kind < 2; kind++) {
            struct full f;
            make_full(&f, dims, coarse, levels[dims - 1], 1);
            fill_shape(&f, kind);
            refine(&f, false);
            check_boundary(&f, true);
            /* 2 d points a level on a line; in the plane its length is 3 at most, 5 points a split cell: 3*256*5 */
            assert_true((double)f.count < (dims == 1 ? 60 : dims == 2 ? 4800 : 0.35*(double)f.points));
            const int64_t count = f.count;
            bool *asked = f.asked;
            f.asked = NULL;
            assert_int_equal(sw_alloc((size_t)f.points, &f.asked), SW_OK);
            refine(&f, true);  /* in which order values come changes nothing */
            assert_int_equal(f.count, count);
            assert_memory_equal(f.asked, asked, (size_t)f.points * sizeof *asked);
            sw_free(asked);
            free_full(&f);
        }
}

/* Of random patches those are found that hang together with one that a corner tells of. */
static void follows_random_patches(void **state)
{
    static const int64_t coarse[] = {4, 3, 3};
    (void)state;
    srand(7);
    for (int trial = 0; trial < 60; trial++) {
        struct full f;
        const int dims = 1 + trial % 3;
        double wave[CELLS_DIMS][4];
        make_full(&f, dims, coarse, dims == 3 ? 3 : 5, 1);
        for (int k = 0; k < CELLS_DIMS * 4; k++) wave[k / 4][k % 4] = 12.0 * rand() / RAND_MAX;
        for (int64_t p = 0; p < f.points; p++) {
            double v = 0;
            for (int a = 0; a < dims; a++) v += sin(wave[a][0]*along(&f, a, p) + wave[a][1]) +
                                                sin(2*wave[a][2]*along(&f, 0, p) + wave[a][3]);
            f.value[p] = floor(v);
        }
        refine(&f, trial % 2);
        check_boundary(&f, false);
        free_full(&f);
    }
}

/* A slice is refined by its own values, as if it were alone; also where the rule asks for their range. */
static void refines_each_slice_by_itself(void **state)
{
    static const int64_t coarse[] = {5, 4};
    (void)state;
    for (int where = 0; where <= CELLS_BETWEEN; where++) {
        struct full all, one;
        make_full(&all, 2, coarse, 4, 3);
        all.grid.where = (enum cells_where)where;
        all.grid.number = where == CELLS_JUMP ? 0.35 : where == CELLS_GRADIENT ? 0.2 : 0.5;
        for (int64_t p = 0; p < all.points; p++)
            all.value[p] = pow(10, (double)(p % 3)) * tanh(9*(along(&all, 0, p) - 0.3 - 0.1*(double)(p % 3)) +
                                                            along(&all, 1, p));
        refine(&all, false);
        for (int64_t slice = 0; slice < 3; slice++) {
            make_full(&one, 2, coarse, 4, 1);
            one.grid.where = all.grid.where;
            one.grid.number = all.grid.number;
            for (int64_t p = 0; p < one.points; p++) one.value[p] = all.value[3*p + slice];
            refine(&one, false);
            for (int64_t p = 0; p < one.points; p++) assert_int_equal(one.asked[p], all.asked[3*p + slice]);
            assert_true(one.count > 20);
            free_full(&one);
        }
        free_full(&all);
    }
}

static void keeps_to_its_rule(void **state)
{
    static const int64_t coarse[] = {2};
    static const struct { enum cells_where where; double number; int64_t count; } rule[] = {
        {CELLS_JUMP, 0, 65}, {CELLS_JUMP, 0.25, 5},      /* a slope: cells of a quarter differ by a quarter */
        {CELLS_GRADIENT, 0.3, 5}, {CELLS_GRADIENT, 0.2, 9},
        {CELLS_BETWEEN, 0.5, 8}, {CELLS_BETWEEN, 0.501, 8}, {CELLS_BETWEEN, 1, 8}, {CELLS_BETWEEN, 0, 2},
        {CELLS_BETWEEN, 1.01, 2}};
    struct full f;
    (void)state;
    make_full(&f, 1, coarse, 6, 1);
    for (int64_t p = 0; p < f.points; p++) f.value[p] = along(&f, 0, p);
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
        f.grid.where = rule[k].where;
        f.grid.number = rule[k].number;
        refine(&f, false);
        assert_int_equal(f.count, rule[k].count);
    }
    f.grid.where = CELLS_JUMP;
    f.grid.number = 0;
    for (int64_t p = 0; p < f.points; p++) f.value[p] = 4;
    refine(&f, false);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.cells.split, 0);
    free_full(&f);
}

/* A cell with a corner without a value waits; once it has one more cells are split, and none fewer. */
static void leaves_alone_what_has_no_value(void **state)
{
    static const int64_t coarse[] = {5, 5};
    struct full f;
    bool *without;
    (void)state;
    make_full(&f, 2, coarse, 5, 1);
    fill_shape(&f, 0);
    assert_int_equal(sw_alloc((size_t)f.points, &without), SW_OK);
    for (int64_t p = 0; p < f.points; p++)
        if (along(&f, 0, p) > 0.6 || p % 97 == 0) f.value[p] = NAN;
    refine(&f, false);
    assert_true(f.cells.blocked > 0 && f.cells.split > 0);
    memcpy(without, f.asked, (size_t)f.points * sizeof *without);
    const int64_t before = f.count;
    fill_shape(&f, 0);
    refine(&f, false);
    assert_int_equal(f.cells.blocked, 0);
    assert_true(f.count > before);
    for (int64_t p = 0; p < f.points; p++) assert_true(f.asked[p] || !without[p]);
    check_boundary(&f, true);
    for (int64_t p = 0; p < f.points; p++) f.value[p] = NAN;
    refine(&f, false);
    assert_int_equal(f.count, 25);
    assert_int_equal(f.cells.blocked, 16);
    sw_free(without);
    free_full(&f);
}

/* Numbers of points: each once, and the same with more levels. */
static void numbers_points(void **state)
{
    static const int64_t coarse[] = {3, 4};
    struct full f, finer;
    double *number;
    int64_t n = 0;
    (void)state;
    make_full(&f, 2, coarse, 3, 2);
    make_full(&finer, 2, coarse, 5, 2);
    assert_int_equal(sw_alloc((size_t)f.points, &number), SW_OK);
    for (int64_t p = 0; p < f.points; p++) {
        const int64_t i = p / f.grid.stride[0] % f.grid.count[0], j = p / f.grid.stride[1] % f.grid.count[1],
                      same = 4*i*finer.grid.stride[0] + 4*j*finer.grid.stride[1] + p % 2;
        const int level = cells_level(&f.grid, p);
        assert_int_equal(level, cells_level(&finer.grid, same));
        if (!level) continue;
        number[n++] = cells_number(&f.grid, p, 2, p % 2);
        assert_true(number[n - 1] == cells_number(&finer.grid, same, 2, p % 2));
        assert_true(number[n - 1] >= 2*3*4);  /* those of the config come first */
    }
    assert_int_equal(n, f.points - 2*3*4);
    qsort(number, (size_t)n, sizeof *number, sw_by_real);
    for (int64_t k = 1; k < n; k++) assert_true(number[k] > number[k - 1]);
    sw_free(number);
    free_full(&f);
    free_full(&finer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_boundaries_to_the_finest_cells), cmocka_unit_test(follows_random_patches),
        cmocka_unit_test(refines_each_slice_by_itself), cmocka_unit_test(keeps_to_its_rule),
        cmocka_unit_test(leaves_alone_what_has_no_value), cmocka_unit_test(numbers_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
