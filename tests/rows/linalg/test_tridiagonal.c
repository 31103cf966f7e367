/* Every row of the table of tridiagonal solvers must pass every test here. Rows whose `stable` is set are asked for any
 * matrix (tridiagonal_matrices.h); the others may break down, and are asked for diagonally dominant ones only. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "linalg/relation_point.h"
#include "tridiagonal_helpers.h"
#include "tridiagonal_matrices.h"

/* ---- carrying systems to the row under test */

struct there { struct sw_tridiagonal_rows rows; double *x; };  /* in the memory of the device */

static struct there put_systems(const struct systems *y)
{
    const size_t count = entries(y);
    struct there t = {{put(y->lower, count), put(y->main, count), put(y->upper, count), put(y->rhs, count)}, NULL};
    double *junk = zeros(count);
    for (size_t k = 0; k < count; k++) junk[k] = -77;  /* what a row forgets to write is wrong, and finite */
    t.x = put(junk, count);
    sw_free(junk);
    return t;
}

static void free_there(struct there *t)
{
    sw_device_free(device, (double *)t->rows.lower);
    sw_device_free(device, (double *)t->rows.main);
    sw_device_free(device, (double *)t->rows.upper);
    sw_device_free(device, (double *)t->rows.rhs);
    sw_device_free(device, t->x);
}

static struct sw_tridiagonal_desc desc_of(const struct systems *y)
{
    return (struct sw_tridiagonal_desc){.n = y->n, .batch = y->batch, .cyclic = y->cyclic};
}

/* Create, solve, judge. @param x  out [batch*n]  @param outcome  out [batch] */
static void solve(const struct systems *y, double *x, struct sw_tridiagonal_outcome *outcome)
{
    const struct sw_tridiagonal_desc d = desc_of(y);
    struct sw_tridiagonal *s = NULL;
    struct there t = put_systems(y);
    assert_ok(sw_tridiagonal_create(&d, under_test->name, device, &s));
    assert_ok(sw_tridiagonal_solve(s, &t.rows, t.x));
    assert_ok(sw_tridiagonal_outcome(s, &t.rows, t.x, outcome));
    assert_ok(sw_device_download(device, x, t.x, entries(y) * sizeof *x));
    sw_tridiagonal_destroy(&s);
    assert_null(s);
    free_there(&t);
}

static void assert_fine(const struct systems *y, const struct sw_tridiagonal_outcome *outcome, const char *what)
{
    for (int j = 0; j < y->batch; j++)
        if (outcome[j].fault)
            fail_msg("%s, n = %lld, batch %d%s: system %d has fault %d in row %lld", what, (long long)y->n, y->batch,
                     y->cyclic ? ", cyclic" : "", j, outcome[j].fault, (long long)outcome[j].row);
}

/* Solve what has a solution. @param x  out [batch*n] */
static void solve_fine(const struct systems *y, double *x, const char *what)
{
    struct sw_tridiagonal_outcome *outcome = NULL;
    assert_ok(sw_alloc((size_t)y->batch, &outcome));
    solve(y, x, outcome);
    assert_fine(y, outcome, what);
    sw_free(outcome);
}

/* Rows of a leaf, in the tree that is cut into slices, of large systems; 544 where there is no tree, or leaves are
 * partitions of a few rows. */
static int tile_of(void)
{
    const struct sw_slice_ops *slices = under_test->slices;
    const int rows = slices ? (int)slices->leaf_row(1 << 20, 1) : 0;
    return rows < 32 ? 544 : rows;
}

/* Shapes worth a test: around vectors of 2 to 16 lanes, warps, and the row's own tile; primes, powers of two and their
 * neighbours. */
static void for_all_shapes(void (*visit)(struct sw_tridiagonal_desc d))
{
    const int tile = tile_of();
    const int64_t size[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 97, 127, 128, 129, 255,
                            256, 257, 258, 384, 385, 386, 511, 512, 513, 1009, 1023, 1025, 4095, 4097,
                            1151, 1152, 1153, 2304, 2305, 3456, 3470, 5000, tile - 1, tile, tile + 1, tile + 2,
                            tile + 31, tile + 33, 2 * tile - 1, 2 * tile + 1, 3 * tile, 7 * tile + 5,
                            1000003};
    const int batch[] = {1, 3, 33};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int l = 0; l < 3; l++)
            for (int cyclic = 0; cyclic < 2; cyclic++) {
                const struct sw_tridiagonal_desc d = {.n = size[k], .batch = batch[l], .cyclic = cyclic};
                if ((d.batch > 1 && d.n > 20000) || (d.batch > 3 && d.n > 600)) continue;
                if (small_suite() && ((d.n > 3 * tile && d.n < 1000000) || d.batch > 3)) continue;
                if (d.n >= (cyclic ? 3 : 1) && does(d)) visit(d);
            }
}

/* ---- known solutions */

static void check_known_solution(struct sw_tridiagonal_desc d)
{
    struct systems y = dominant_systems(d.n, d.batch, d.cyclic, 1 + (uint64_t)d.n);
    double *x = zeros(entries(&y));
    char shape[80];
    solve_fine(&y, x, "dominant");
    snprintf(shape, sizeof shape, "n %lld batch %d%s", (long long)d.n, d.batch, d.cyclic ? " cyclic" : "");
    /* |A^-1| <= 1 and |A| <= 5: 64 eps is more than the few roundings a row makes */
    assert_all_near(shape, x, y.x, entries(&y), 64 * DBL_EPSILON);
    sw_free(x);
    free_systems(&y);
}

static void recovers_known_solutions_of_all_shapes(void **state)
{
    (void)state;
    need_row_and_library();
    for_all_shapes(check_known_solution);
}

static void recovers_known_solutions_of_a_large_batch(void **state)
{
    (void)state;
    need_row_and_library();
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        const struct sw_tridiagonal_desc d = {.n = 19, .batch = 40000, .cyclic = cyclic};
        if (does(d)) check_known_solution(d);
    }
}

/* ---- backward errors */

/* The normwise backward error of elimination with partial pivoting; sums of a handful of roundings give half an eps.
 * NaN where it finds no finite x, as it does for some large matrices whose determinants underflow. */
static double yardstick(const struct systems *y)
{
    double *x = zeros(entries(y));
    eliminate(y, x);
    const double e = backward_error(y, 0, x);
    sw_free(x);
    return isfinite(e) ? fmax(e, DBL_EPSILON / 2) : NAN;
}

static bool is_singular(const struct systems *y)
{
    const struct sw_tridiagonal_rows rows = {y->lower, y->main, y->upper, y->rhs};
    return sw_tridiagonal_is_singular(y->n, y->cyclic, &rows);
}

static void check_backward_error(const struct systems *y, const char *name)
{
    const double limit = 10 * yardstick(y);
    if (isnan(limit) || is_singular(y)) return;
    double *x = zeros(entries(y));
    solve_fine(y, x, name);
    const double e = backward_error(y, 0, x);
    if (!(e <= limit))
        fail_msg("%s, n = %lld%s: backward error %.3g > %.3g", name, (long long)y->n, y->cyclic ? ", cyclic" : "", e,
                 limit);
    sw_free(x);
}

static void leaves_backward_errors_near_those_of_partial_pivoting(void **state)
{
    const int tile = tile_of();
    const int64_t size[] = {3, 4, 5, 12, 37, 64, 97, 250, 256, 512, 1000, 1025, tile, tile + 1, 2 * tile + 2,
                            5 * tile + 34, 1153, 3457, 20000};
    (void)state;
    need_row_and_library();
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int kind = 0; kind < MATRIX_KINDS; kind++)
            for (int cyclic = 0; cyclic < 2; cyclic++) {
                struct systems y = {0};
                if (small_suite() && size[k] > 600) continue;
                if (!does((struct sw_tridiagonal_desc){.n = size[k], .batch = 1, .cyclic = cyclic})) continue;
                if (!make_matrix(kind, size[k], cyclic, 1, &y)) continue;
                check_backward_error(&y, matrix_name(kind));
                free_systems(&y);
            }
}

/* Random signs, and sizes that random powers of two spread over rows, columns or both; some entries are zero. */
static void leaves_such_backward_errors_for_many_random_matrices(void **state)
{
    (void)state;
    need_row_and_library();
    uint64_t seed = 20;
    for (int k = 0; k < (small_suite() ? 60 : 600); k++) {
        const int64_t n = 2 + (int64_t)(pow(2, 1 + 5 * (1 + test_random(&seed))));
        struct systems y = graded_systems(n, k % 4 == 3 && n > 2, k % 3, k % 5 ? 0 : 0.3, &seed);
        /* zeros may make it singular: elimination then breaks down, or divides by what rounding left */
        if (does(desc_of(&y))) check_backward_error(&y, "graded");
        free_systems(&y);
    }
}

static double small_integer(uint64_t *seed) { return floor(2.5 * (1 + test_random(seed))) - 2; }

/* Small integers, and a last row x_(n-2) = x_(n-1), in a last tile, or a last thread's rows on a GPU, of any number of
 * rows: what such a run says of its ends may look like what a run of one row says, or of none. */
static void leaves_such_backward_errors_where_the_last_two_unknowns_are_equal(void **state)
{
    const int tile = tile_of();
    const int64_t before[] = {tile, 2 * tile, 3 * 17, 33 * 17};
    (void)state;
    need_row_and_library();
    uint64_t seed = 21;
    for (int k = 0; k < (small_suite() ? 64 : long_suite() ? 1280 : 320); k++) {
        struct systems y = make_systems(before[k % 4] + 1 + k / 4 % 8, 1, k / 32 % 2);
        const int64_t n = y.n;
        if (!does(desc_of(&y))) {
            free_systems(&y);
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            y.lower[i] = small_integer(&seed);
            y.main[i] = small_integer(&seed) + (i < n - 8 ? 5 : 0);  /* regular but for the end, more often than not */
            y.upper[i] = small_integer(&seed);
            y.x[i] = small_integer(&seed);
        }
        y.x[n - 1] = y.x[n - 2];
        y.lower[n - 1] = 1, y.main[n - 1] = -1, y.upper[n - 1] = 0;
        set_right_hand_sides(&y);
        check_backward_error(&y, "integers");
        free_systems(&y);
    }
}

/* Against quadruple precision. An ill-conditioned matrix makes any forward error large: the yardstick's own, times 100,
 * bounds it. */
static void leaves_forward_errors_near_those_of_partial_pivoting(void **state)
{
    static const int64_t size[] = {3, 5, 32, 64, 257, 600};
    (void)state;
    need_row_and_library();
    for (int k = 0; k < 6; k++)
        for (int kind = 0; kind < MATRIX_KINDS; kind++) {
            struct systems y = {0};
            if (!does((struct sw_tridiagonal_desc){.n = size[k], .batch = 1})) continue;
            if (!make_matrix(kind, size[k], false, 2, &y)) continue;
            double *x = zeros(entries(&y)), *z = zeros(entries(&y));
            solve_fine(&y, x, matrix_name(kind));
            eliminate(&y, z);
            const double e = forward_error(&y, x), limit = 100 * fmax(forward_error(&y, z), DBL_EPSILON);
            if (!(e <= limit))
                fail_msg("%s, n = %lld: forward error %.3g > %.3g", matrix_name(kind), (long long)size[k], e, limit);
            sw_free(x);
            sw_free(z);
            free_systems(&y);
        }
}

/* ---- the same bits */

static void is_exactly_homogeneous_in_the_right_hand_side(void **state)
{
    (void)state;
    need_row_and_library();
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        struct systems y = dominant_systems(1300, 2, cyclic, 5);
        double *x = zeros(entries(&y)), *z = zeros(entries(&y));
        if (does(desc_of(&y))) {
            solve_fine(&y, x, "dominant");
            for (size_t k = 0; k < entries(&y); k++) y.rhs[k] *= -4;  /* a power of two: not a bit may differ */
            solve_fine(&y, z, "times -4");
            for (size_t k = 0; k < entries(&y); k++) assert_true(z[k] == -4 * x[k]);
        }
        sw_free(x);
        sw_free(z);
        free_systems(&y);
    }
}

static struct systems alone(const struct systems *y, int j)
{
    struct systems z = make_systems(y->n, 1, y->cyclic);
    const size_t at = (size_t)j * (size_t)y->n, bytes = (size_t)y->n * sizeof(double);
    memcpy(z.lower, y->lower + at, bytes);
    memcpy(z.main, y->main + at, bytes);
    memcpy(z.upper, y->upper + at, bytes);
    memcpy(z.rhs, y->rhs + at, bytes);
    return z;
}

static void gives_each_system_the_same_bits_alone_as_in_a_batch(void **state)
{
    static const int64_t size[] = {1, 2, 5, 33, 256, 300, 600, 1700};
    (void)state;
    need_row_and_library();
    for (int k = 0; k < 16; k++) {
        struct systems y = dominant_systems(size[k / 2] + 2 * (k % 2), 21, k % 2, 17);
        double *x = zeros(entries(&y)), *z = zeros((size_t)y.n);
        struct sw_tridiagonal_desc one = desc_of(&y);
        one.batch = 1;
        if (does(one) && does(desc_of(&y))) {
            solve_fine(&y, x, "a batch");
            for (int j = 0; j < y.batch; j += 4) {
                struct systems s = alone(&y, j);
                solve_fine(&s, z, "alone");
                assert_memory_equal(z, x + (size_t)j * (size_t)y.n, (size_t)y.n * sizeof *z);
                free_systems(&s);
            }
        }
        sw_free(x);
        sw_free(z);
        free_systems(&y);
    }
}

/* NaN and zero rows in systems 3 and 9 change no bit of the others. */
static void keeps_a_failing_system_from_the_others(void **state)
{
    (void)state;
    need_row_and_library();
    for (int k = 0; k < 4; k++) {
        struct systems y = dominant_systems(k / 2 ? 1200 : 40, 17, k % 2, 23);
        const size_t n = (size_t)y.n;
        double *x = zeros(entries(&y)), *z = zeros(entries(&y));
        struct sw_tridiagonal_outcome outcome[17];
        if (does(desc_of(&y))) {
            solve_fine(&y, x, "a batch");
            y.main[3 * n + 7] = NAN;
            y.lower[9 * n + 30] = y.main[9 * n + 30] = y.upper[9 * n + 30] = 0;
            solve(&y, z, outcome);
            for (int j = 0; j < y.batch; j++) {
                if (j == 3 || j == 9) continue;
                assert_int_equal(outcome[j].fault, SW_TRIDIAGONAL_FINE);
                assert_memory_equal(x + (size_t)j * n, z + (size_t)j * n, n * sizeof *x);
            }
            assert_int_equal(outcome[3].fault, SW_TRIDIAGONAL_ENTRY);
            assert_int_equal(outcome[3].row, 7);
            assert_int_equal(outcome[9].fault, SW_TRIDIAGONAL_SINGULAR);
            assert_int_equal(outcome[9].row, 30);
        }
        sw_free(x);
        sw_free(z);
        free_systems(&y);
    }
}

static void gives_the_same_bits_with_any_number_of_threads_and_instruction_set(void **state)
{
    static const char *const sets[] = {"generic", "avx2", "avx512"};
    (void)state;
    need_row_and_library();
    for (int k = 0; k < 8; k++) {
        static const int64_t size[] = {70001, 300, 77, 1011};
        struct systems y = dominant_systems(size[k / 2], k / 2 ? 50 : 1, k % 2, 29);
        double *x = zeros(entries(&y)), *z = zeros(entries(&y));
        if (does(desc_of(&y))) {
            struct sw_device *two = device;
            solve_fine(&y, x, "two threads");
            for (int threads = small_suite() ? 5 : 1; threads < 8; threads += small_suite() ? 8 : 2) {
                assert_ok(sw_device_open("cpu", threads, &device));
                solve_fine(&y, z, "other threads");
                sw_device_close(&device);
                assert_memory_equal(x, z, entries(&y) * sizeof *x);
            }
            device = two;
            for (int set = 0; set < 3; set++) {  /* those that this processor lacks are not taken */
                setenv("SWEEP_SIMD", sets[set], 1);
                solve_fine(&y, z, sets[set]);
                unsetenv("SWEEP_SIMD");
                assert_memory_equal(x, z, entries(&y) * sizeof *x);
            }
        }
        sw_free(x);
        sw_free(z);
        free_systems(&y);
    }
}

static void solves_twice_to_the_same_bits_and_leaves_the_rows_alone(void **state)
{
    (void)state;
    need_row_and_library();
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        struct systems y = dominant_systems(3001, 1, cyclic, 31);
        const struct sw_tridiagonal_desc d = desc_of(&y);
        const size_t bytes = entries(&y) * sizeof(double);
        double *x = zeros(entries(&y)), *z = zeros(entries(&y));
        struct sw_tridiagonal *s = NULL;
        if (does(d)) {
            struct there t = put_systems(&y);
            assert_ok(sw_tridiagonal_create(&d, under_test->name, device, &s));
            assert_string_equal(sw_tridiagonal_name(s), under_test->name);
            assert_int_equal(sw_tridiagonal_shape(s)->n, 3001);
            assert_ok(sw_tridiagonal_solve(s, &t.rows, t.x));
            assert_ok(sw_device_download(device, x, t.x, bytes));
            assert_ok(sw_tridiagonal_solve(s, &t.rows, t.x));
            assert_ok(sw_device_download(device, z, t.x, bytes));
            assert_memory_equal(x, z, bytes);
            const double *from[] = {t.rows.lower, t.rows.main, t.rows.upper, t.rows.rhs},
                         *kept[] = {y.lower, y.main, y.upper, y.rhs};
            for (int k = 0; k < 4; k++) {
                assert_ok(sw_device_download(device, z, from[k], bytes));
                assert_memory_equal(z, kept[k], bytes);
            }
            sw_tridiagonal_destroy(&s);
            free_there(&t);
        }
        sw_free(x);
        sw_free(z);
        free_systems(&y);
    }
}

/* ---- faults, each in one system of three */

enum { FAULT_BATCH = 3, FAULTY = 1 };

static void check_fault(const struct systems *y, enum sw_tridiagonal_fault fault, int64_t row, const char *what)
{
    struct sw_tridiagonal_outcome outcome[FAULT_BATCH];
    double *x = zeros(entries(y));
    if (does(desc_of(y))) {
        solve(y, x, outcome);
        for (int j = 0; j < y->batch; j++) {
            const bool faulty = j == (y->batch == 1 ? 0 : FAULTY);
            if (outcome[j].fault != (faulty ? fault : SW_TRIDIAGONAL_FINE) || (faulty && outcome[j].row != row))
                fail_msg("%s, n = %lld%s, system %d of %d: fault %d in row %lld, expected %d in row %lld", what,
                         (long long)y->n, y->cyclic ? ", cyclic" : "", j, y->batch, outcome[j].fault,
                         (long long)outcome[j].row, faulty ? fault : SW_TRIDIAGONAL_FINE, faulty ? (long long)row : -1);
        }
        bool finite = true;
        const double *bad = x + (y->batch == 1 ? 0 : (size_t)FAULTY * (size_t)y->n);
        for (int64_t i = 0; i < y->n; i++) finite = finite && isfinite(bad[i]);
        assert_int_equal(finite, fault == SW_TRIDIAGONAL_FINE);
    }
    sw_free(x);
}

/* Calls visit for systems that a test then spoils: batches, single systems, cyclic ones. The last tile, and the last
 * run of 17 rows in it, may have one row only. */
static void for_faulty_shapes(void (*visit)(struct systems *y, size_t at))
{
    const int tile = tile_of();
    const int64_t size[] = {3, 9, 35, 40, 300, tile, tile + 1, tile + 35, 2 * tile + 77};
    for (int k = 0; k < 9; k += small_suite() ? 3 : 1)
        for (int one = 0; one < 2; one++)
            for (int cyclic = 0; cyclic < 2; cyclic++) {
                struct systems y = dominant_systems(size[k], one ? 1 : FAULT_BATCH, cyclic, 41);
                visit(&y, one ? 0 : (size_t)FAULTY * (size_t)y.n);
                free_systems(&y);
            }
}

static const double not_finite[] = {NAN, INFINITY, -INFINITY};

static void spoil_entries(struct systems *y, size_t at)
{
    double *array[] = {y->lower, y->main, y->upper, y->rhs};
    static const char *const name[] = {"lower", "main", "upper", "rhs"};
    for (int k = 0; k < 4; k++)
        for (int v = 0; v < (small_suite() ? 1 : 3); v++)
            for (int where = 0; where < 6; where++) {
                const int64_t place[] = {0, 1, y->n / 3, y->n / 2, y->n - 2, y->n - 1}, i = place[where];
                if (!y->cyclic && ((k == 0 && i == 0) || (k == 2 && i == y->n - 1))) continue;
                double *entry = array[k] + at + i, kept = *entry;
                *entry = not_finite[v];
                check_fault(y, SW_TRIDIAGONAL_ENTRY, i, name[k]);
                *entry = kept;
            }
}

static void names_the_row_of_an_entry_that_is_not_finite(void **state)
{
    (void)state;
    need_row_and_library();
    for_faulty_shapes(spoil_entries);
}

static void spoil_rows(struct systems *y, size_t at)
{
    for (int where = 0; where < 3; where++) {
        const size_t i = at + (size_t)(where == 0 ? 0 : where == 1 ? y->n / 2 : y->n - 1);
        const double kept[] = {y->lower[i], y->main[i], y->upper[i]};
        y->lower[i] = y->main[i] = y->upper[i] = 0;
        check_fault(y, SW_TRIDIAGONAL_SINGULAR, (int64_t)(i - at), "a row of zeros");
        y->lower[i] = kept[0];
        y->main[i] = kept[1];
        y->upper[i] = kept[2];
    }
}

static void names_a_row_of_zeros(void **state)
{
    (void)state;
    need_row_and_library();
    for_faulty_shapes(spoil_rows);
}

/* The entries of column i, which are zero then. */
static void clear_column(struct systems *y, size_t at, int64_t i)
{
    y->main[at + (size_t)i] = 0;
    y->upper[at + (size_t)((i + y->n - 1) % y->n)] = 0;
    y->lower[at + (size_t)((i + 1) % y->n)] = 0;
}

static void spoil_columns(struct systems *y, size_t at)
{
    clear_column(y, at, y->n / 2);
    check_fault(y, SW_TRIDIAGONAL_SINGULAR, y->n / 2, "a column of zeros");
}

static void names_a_column_of_zeros(void **state)
{
    (void)state;
    need_row_and_library();
    for_faulty_shapes(spoil_columns);
}

/* x = 1e310 in row n/2, which no other row holds. */
static void overflow_rows(struct systems *y, size_t at)
{
    const size_t i = at + (size_t)(y->n / 2);
    clear_column(y, at, y->n / 2);
    y->lower[i] = y->upper[i] = 0;
    y->main[i] = 1e-10;
    y->rhs[i] = 1e300;
    check_fault(y, SW_TRIDIAGONAL_OVERFLOW, y->n / 2, "overflow");
}

static void names_the_row_of_an_unknown_beyond_the_range_of_numbers(void **state)
{
    (void)state;
    need_row_and_library();
    for_faulty_shapes(overflow_rows);
}

/* What is at either end of the range of numbers: x of a stable row is right, others may break down. */
static void check_range(const struct systems *y, const char *what)
{
    struct sw_tridiagonal_outcome outcome[FAULT_BATCH];
    double *x = zeros(entries(y));
    if (does(desc_of(y))) {
        solve(y, x, outcome);
        for (int j = 0; j < y->batch; j++)
            for (int64_t i = 0; i < y->n; i++) {
                const size_t k = (size_t)j * (size_t)y->n + (size_t)i;
                if (!under_test->stable && outcome[j].fault == SW_TRIDIAGONAL_BREAKDOWN) continue;
                if (outcome[j].fault || (under_test->stable && !(fabs(x[k] - y->x[k]) <= 1e-9 * fabs(y->x[k]))))
                    fail_msg("%s, n %lld%s, system %d: fault %d, x[%lld] = %.17g, expected %.17g", what,
                             (long long)y->n, y->cyclic ? " cyclic" : "", j, outcome[j].fault, (long long)i, x[k],
                             y->x[k]);
            }
    }
    sw_free(x);
}

/* Integers, dominant, x = 1: multiples of small powers of two are exact, and x hardly depends on rounding; where
 * rows are graded, 1e-9 tells a wrong x from a rounded one. */
static void make_integers(struct systems *y)
{
    for (size_t k = 0; k < entries(y); k++) {
        y->lower[k] = k % 2 ? 1 : -1;
        y->upper[k] = k % 3 ? 1 : -1;
        y->main[k] = k % 5 ? 4 : -4;
        y->x[k] = 1;
    }
    set_right_hand_sides(y);
}

static void scale_by(struct systems *y, size_t k, int lower, int main, int upper, int rhs)
{
    y->lower[k] = ldexp(y->lower[k], lower);
    y->main[k] = ldexp(y->main[k], main);
    y->upper[k] = ldexp(y->upper[k], upper);
    y->rhs[k] = ldexp(y->rhs[k], rhs);
}

static void scale_systems(struct systems *y, size_t at)
{
    static const int exponent[] = {-1070, -1040, -1020, -1000, 1000, 1020};
    (void)at;
    for (int k = 0; k < 6; k++) {
        const int e = exponent[k];
        make_integers(y);
        for (size_t i = 0; i < entries(y); i++) scale_by(y, i, e, e, e, e);
        check_range(y, "all entries scaled");
    }
    for (int k = 0; k < 2; k++) {  /* not cyclic ones: 2^-1000 beside 2^1000 there */
        make_integers(y);
        if (y->cyclic) continue;
        for (size_t i = 0; i < entries(y); i++) {
            const int64_t row = (int64_t)(i % (size_t)y->n);
            const int e = (k ? 1 : -1) * ((int)(row < 2000 ? row : 2000) - 1000);  /* dominant still */
            scale_by(y, i, e, e, e, e);
        }
        check_range(y, "rows graded");
    }
}

static void solves_systems_at_both_ends_of_the_range_of_numbers(void **state)
{
    (void)state;
    need_row_and_library();
    for_faulty_shapes(scale_systems);
}

/* The weights of a row add up to zero, and so does A times ones. Of all but the smallest rounding leaves something of
 * the last pivot: x is large, or, with an f = A x of some x, of any size. */
static void check_singular(int64_t n, bool cyclic, bool graded, bool possible)
{
    struct systems y = make_systems(n, 1, cyclic);
    struct sw_tridiagonal_outcome outcome;
    double *x = zeros((size_t)n);
    for (int64_t i = 0; i < n; i++) {
        const double size = graded ? 1 + 0.5 * sin(3 * (double)i + 1) : 1;
        y.lower[i] = y.upper[i] = -size;
        y.main[i] = cyclic || (i > 0 && i < n - 1) ? 2 * size : size;
        y.x[i] = sin((double)i);
        y.rhs[i] = (double)(i % 7 + 1);
    }
    if (possible) set_right_hand_sides(&y);
    solve(&y, x, &outcome);
    if (outcome.fault != SW_TRIDIAGONAL_SINGULAR || (n < 4 && !graded && outcome.row != n - 1))
        fail_msg("n = %lld%s%s%s: fault %d in row %lld", (long long)n, cyclic ? ", cyclic" : "",
                 graded ? ", graded" : "", possible ? ", possible" : "", outcome.fault, (long long)outcome.row);
    sw_free(x);
    free_systems(&y);
}

static void names_a_singular_matrix_without_zero_rows_or_columns(void **state)
{
    static const int64_t size[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 17, 33, 64, 100, 385, 1000, 1200, 3000};
    (void)state;
    need_row_and_library();
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int what = 0; what < 8; what++) {
            const struct sw_tridiagonal_desc d = {.n = size[k], .batch = 1, .cyclic = what & 1};
            if (d.n >= (d.cyclic ? 3 : 2) && does(d)) check_singular(d.n, d.cyclic, what & 2, what & 4);
        }
}

/* Whole numbers, rows times powers of two: A, f = A x and the determinant are exact. */
static int64_t whole_number(int least, int most, uint64_t *seed)
{
    return least + (int64_t)floor(0.5 * (1 + test_random(seed)) * (most - least + 1) * (1 - 1e-12));
}

enum { FEW = 10 };

/* Of whole numbers, which it destroys (Bareiss, Math. Comp. 22, 1968): all quotients are whole. */
static int64_t determinant(int n, int64_t a[FEW][FEW])
{
    int64_t before = 1;
    for (int k = 0; k < n - 1; before = a[k][k], k++) {
        int p = k;
        while (p < n && !a[p][k]) p++;
        if (p == n) return 0;
        for (int j = 0; p > k && j < n; j++) {
            const int64_t t = a[p][j];
            a[p][j] = a[k][j];
            a[k][j] = -t;
        }
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) a[i][j] = (a[i][j] * a[k][k] - a[i][k] * a[k][j]) / before;
    }
    return a[n - 1][n - 1];
}

/* @return the determinant of the whole numbers */
static int64_t make_whole(struct systems *y, int most, bool no_zeros, uint64_t *seed)
{
    const int n = (int)y->n;
    int64_t a[FEW][FEW] = {{0}};
    for (int i = 0; i < n; i++) y->x[i] = (double)whole_number(1, 5, seed);
    for (int i = 0; i < n; i++) {
        const int at[3] = {(i + n - 1) % n, i, (i + 1) % n}, scale = (int)whole_number(-most, most, seed);
        double *const entry[3] = {&y->lower[i], &y->main[i], &y->upper[i]}, sum = 0;
        for (int k = 0; k < 3; k++) {
            const bool outside = !y->cyclic && ((i == 0 && k == 0) || (i == n - 1 && k == 2));
            int64_t v = outside ? 0 : whole_number(-3, 3, seed);
            if (no_zeros && !outside && v == 0) v = 1;
            a[i][at[k]] += v;
            sum += (double)v * y->x[at[k]];
            *entry[k] = ldexp((double)v, scale);
        }
        y->rhs[i] = ldexp(sum, scale);
    }
    return determinant(n, a);
}

/* A regular matrix of so small numbers leaves x 9 digits; a singular one is named, unless it falls into parts. */
static void solves_rows_of_any_scale_or_names_a_singular_matrix(void **state)
{
    static const int most[] = {0, 20, 200, 600, 1000};
    (void)state;
    need_row_and_library();
    uint64_t seed = 22;
    for (int k = 0; k < (small_suite() || under_test->space == SW_DEVICE ? 500 : long_suite() ? 10000 : 2500); k++) {
        const bool cyclic = k % 4 == 3, no_zeros = k % 3 > 0;
        struct systems y = make_systems(whole_number(cyclic ? 3 : 1, FEW, &seed), 1, cyclic);
        const int64_t d = make_whole(&y, most[k % 5], no_zeros, &seed);
        struct sw_tridiagonal_outcome outcome;
        double x[FEW];
        assert_int_equal(is_singular(&y), d == 0);
        solve(&y, x, &outcome);
        if (d == 0 && no_zeros) assert_int_equal(outcome.fault, SW_TRIDIAGONAL_SINGULAR);
        if (d != 0) assert_fine(&y, &outcome, "whole numbers");
        for (int64_t i = 0; i < y.n && d != 0; i++)
            if (!(fabs(x[i] - y.x[i]) <= 1e-9 * y.x[i]))
                fail_msg("case %d, n = %lld%s: x[%lld] = %.17g, not %g", k, (long long)y.n, cyclic ? ", cyclic" : "",
                         (long long)i, x[i], y.x[i]);
        free_systems(&y);
    }
}

/* n = 1: main, rhs, and what is said of it. */
static void judges_systems_of_one_row(void **state)
{
    static const struct { double main, rhs; enum sw_tridiagonal_fault fault; } one[] = {
        {4, 2, SW_TRIDIAGONAL_FINE}, {0, 2, SW_TRIDIAGONAL_SINGULAR}, {0, 0, SW_TRIDIAGONAL_SINGULAR},
        {NAN, 2, SW_TRIDIAGONAL_ENTRY}, {INFINITY, 2, SW_TRIDIAGONAL_ENTRY}, {4, -INFINITY, SW_TRIDIAGONAL_ENTRY},
        {0x1p-1000, 0x1p1000, SW_TRIDIAGONAL_OVERFLOW}, {-0x1p-1000, 0x1p23, SW_TRIDIAGONAL_FINE},
        {0x1p-1070, 0x1p-1072, SW_TRIDIAGONAL_FINE}, {0x1p1023, 0x1p1000, SW_TRIDIAGONAL_FINE}};
    enum { CASES = sizeof one / sizeof *one };
    struct sw_tridiagonal_outcome outcome[CASES];
    double x[CASES];
    (void)state;
    need_row_and_library();
    struct systems y = make_systems(1, CASES, false);
    for (int j = 0; j < CASES; j++) {
        y.main[j] = one[j].main;
        y.rhs[j] = one[j].rhs;
    }
    if (does(desc_of(&y))) {
        solve(&y, x, outcome);
        for (int j = 0; j < CASES; j++) {
            if (!under_test->stable && outcome[j].fault == SW_TRIDIAGONAL_BREAKDOWN) continue;
            if (outcome[j].fault != one[j].fault)
                fail_msg("%g x = %g: fault %d, expected %d", one[j].main, one[j].rhs, outcome[j].fault, one[j].fault);
            assert_int_equal(outcome[j].row, one[j].fault ? 0 : -1);
            if (!one[j].fault) assert_near(x[j] / (one[j].rhs / one[j].main), 1, 2 * DBL_EPSILON);
        }
    }
    free_systems(&y);
}

/* Blocks of systems come to the host, and several threads judge them. */
static void judges_a_large_batch_that_fails_as_a_whole(void **state)
{
    enum { BATCH = 30000, N = 50 };
    (void)state;
    need_row_and_library();
    struct systems y = dominant_systems(N, BATCH, false, 53);
    struct sw_tridiagonal_outcome *outcome = NULL;
    double *x = zeros(entries(&y)), *z = zeros(entries(&y));
    assert_ok(sw_alloc(BATCH, &outcome));
    if (does(desc_of(&y))) {
        solve_fine(&y, z, "before");
        for (int j = 0; j < BATCH; j++) {
            const size_t at = (size_t)j * N;
            if (j % 4 == 0) y.rhs[at + (size_t)(j % N)] = NAN;
            if (j % 4 == 1) y.lower[at + N / 2] = y.main[at + N / 2] = y.upper[at + N / 2] = 0;
            for (size_t k = at; j % 4 == 2 && k < at + N; k++) scale_by(&y, k, -1000, -1000, -1000, -1000);
        }
        solve(&y, x, outcome);
        for (int j = 0; j < BATCH; j++) {
            const double *mine = x + (size_t)j * N;
            if (j % 4 == 0) assert_true(outcome[j].fault == SW_TRIDIAGONAL_ENTRY && outcome[j].row == j % N);
            if (j % 4 == 1) assert_true(outcome[j].fault == SW_TRIDIAGONAL_SINGULAR && outcome[j].row == N / 2);
            if (j % 4 == 3) assert_memory_equal(mine, z + (size_t)j * N, N * sizeof *x);
            if (j % 4 == 2 && under_test->stable)
                for (int i = 0; i < N; i++) assert_near(mine[i], z[(size_t)j * N + (size_t)i], 64 * DBL_EPSILON);
        }
    }
    sw_free(outcome);
    sw_free(x);
    sw_free(z);
    free_systems(&y);
}

static void does_not_look_at_entries_outside_of_the_matrix(void **state)
{
    (void)state;
    need_row_and_library();
    for (int64_t n = 1; n < 3000; n = 2 * n + 1) {
        struct systems y = dominant_systems(n, 3, false, 47);
        double *x = zeros(entries(&y)), *z = zeros(entries(&y));
        if (does(desc_of(&y))) {
            for (int j = 0; j < 3; j++) y.lower[j * n] = y.upper[j * n + n - 1] = 0;
            solve_fine(&y, x, "zeros outside");
            for (int j = 0; j < 3; j++) {
                y.lower[j * n] = not_finite[j];
                y.upper[j * n + n - 1] = -not_finite[j];
            }
            solve_fine(&y, z, "NaN outside");
            assert_memory_equal(x, z, entries(&y) * sizeof *x);
        }
        sw_free(x);
        sw_free(z);
        free_systems(&y);
    }
}

/* ---- slices */

/* Slices of a system, each in arrays of its own. */
struct sliced { const struct systems *y; int depth; int64_t count; struct sw_relation *relation; double (*ends)[4]; };

static struct systems slice_of_systems(const struct sliced *p, int64_t k, int64_t *first)
{
    const struct sw_tridiagonal_desc d = desc_of(p->y);
    int64_t rows;
    sw_tridiagonal_slice(&d, under_test->name, p->depth, k, first, &rows);
    assert_true(rows > 0);
    return (struct systems){.n = rows, .batch = 1, .lower = p->y->lower + *first, .main = p->y->main + *first,
                            .upper = p->y->upper + *first, .rhs = p->y->rhs + *first};
}

static void reduce_slice(const struct sliced *p, struct sw_tridiagonal *solver, int64_t k)
{
    int64_t first;
    const struct systems part = slice_of_systems(p, k, &first);
    struct there t = put_systems(&part);
    assert_ok(sw_tridiagonal_reduce(solver, k, &t.rows, &p->relation[k]));
    free_there(&t);
}

static void expand_slice(const struct sliced *p, struct sw_tridiagonal *solver, int64_t k, bool reduced, double *x)
{
    int64_t first;
    const struct systems part = slice_of_systems(p, k, &first);
    struct there t = put_systems(&part);
    assert_ok(sw_tridiagonal_expand(solver, k, &t.rows, reduced, p->ends[k], t.x));
    assert_ok(sw_device_download(device, x + first, t.x, entries(&part) * sizeof *x));
    free_there(&t);
}

/* By two solvers in turn, so that a solver expands slices that the other one has reduced. The second has seen the first
 * slice of another system before. */
static void solve_slices(const struct systems *y, int depth, double *x)
{
    const struct sw_tridiagonal_desc d = desc_of(y);
    struct sliced p = {.y = y, .depth = depth, .count = INT64_C(1) << depth};
    struct systems other = dominant_systems(y->n, 1, y->cyclic, 77);
    struct sw_tridiagonal *s[2] = {NULL};
    int64_t next = 0, broken;
    assert_ok(sw_alloc((size_t)p.count, &p.relation));
    assert_ok(sw_alloc((size_t)p.count, &p.ends));
    for (int k = 0; k < 2; k++) assert_ok(sw_tridiagonal_create_slices(&d, depth, under_test->name, device, &s[k]));
    p.y = &other;
    reduce_slice(&p, s[1], 0);
    p.y = y;
    for (int64_t k = 0; k < p.count; k++) {
        int64_t first;
        const struct systems part = slice_of_systems(&p, k, &first);
        assert_int_equal(first, next);
        next = first + part.n;
        reduce_slice(&p, s[k % 2], k);
    }
    assert_int_equal(next, y->n);
    assert_ok(sw_tridiagonal_close(s[0], p.relation, p.ends, &broken));
    assert_int_equal(broken, -1);
    for (int64_t k = p.count - 1; k >= 0; k--) {
        const bool reduced = k == p.count - 1;
        expand_slice(&p, s[reduced ? k % 2 : (k + 1) % 2], k, reduced, x);
    }
    for (int k = 0; k < 2; k++) sw_tridiagonal_destroy(&s[k]);
    sw_free(p.relation);
    sw_free(p.ends);
    free_systems(&other);
}

static int64_t rows_of_smallest_slice(void)
{
    return under_test->slices->most_leaves * under_test->slices->leaf_row(1 << 20, 1);
}

/* A column of zeros, which no slice can eliminate. */
static void names_a_slice_that_is_singular(void **state)
{
    (void)state;
    need_row_and_library();
    struct systems y = dominant_systems(rows_of_smallest_slice() * 3, 1, false, 5);
    const struct sw_tridiagonal_desc d = desc_of(&y);
    struct sliced p = {.y = &y, .depth = sw_tridiagonal_depth(&d, under_test->name)};
    struct sw_tridiagonal *s = NULL;
    int64_t broken, first;
    assert_true(p.depth > 0);
    p.count = INT64_C(1) << p.depth;
    const int64_t rows = slice_of_systems(&p, p.count / 2, &first).n, bad = first + rows / 3;
    y.upper[bad - 1] = y.main[bad] = y.lower[bad + 1] = 0;
    assert_ok(sw_alloc((size_t)p.count, &p.relation));
    assert_ok(sw_alloc((size_t)p.count, &p.ends));
    assert_ok(sw_tridiagonal_create_slices(&d, p.depth, under_test->name, device, &s));
    for (int64_t k = 0; k < p.count; k++) reduce_slice(&p, s, k);
    assert_ok(sw_tridiagonal_close(s, p.relation, p.ends, &broken));
    assert_true(broken >= 0);
    const struct systems part = slice_of_systems(&p, broken, &first);
    assert_true(bad >= first && bad < first + part.n);
    sw_tridiagonal_destroy(&s);
    sw_free(p.relation);
    sw_free(p.ends);
    free_systems(&y);
}

/* Dominant systems have condition numbers of some 10: a solution to some roundings. */
static void assert_close_to(const struct systems *y, const double *x, const double *z)
{
    double largest = 0, off = 0;
    for (size_t k = 0; k < entries(y); k++) {
        largest = fmax(largest, fabs(x[k]));
        off = fmax(off, fabs(x[k] - z[k]));
    }
    if (!(off <= 64 * DBL_EPSILON * largest)) fail_msg("n = %lld: off by %.3g of %.3g", (long long)y->n, off, largest);
}

static void gives_the_same_bits_in_slices_of_any_depth(void **state)
{
    (void)state;
    need_row_and_library();
    const int64_t most = rows_of_smallest_slice(), leaf = most / under_test->slices->most_leaves,
                  size[] = {5, leaf, leaf + 1, most + 1, 3 * most + 7, 5 * most + 3, 8 * most - 1};
    for (int k = 0; k < 14; k++) {
        const struct sw_tridiagonal_desc d = {.n = size[k / 2], .batch = 1, .cyclic = k % 2};
        if (!does(d) || (small_suite() && d.n > 3 * most)) continue;
        struct systems y = {0};
        if (under_test->stable) assert_true(make_matrix(0, d.n, d.cyclic, 3, &y));
        else y = dominant_systems(d.n, 1, d.cyclic, 3);
        double *x = zeros(entries(&y)), *z = zeros(entries(&y));
        const int depth = sw_tridiagonal_depth(&d, under_test->name);
        assert_true(depth >= 0);
        solve_fine(&y, x, "whole");
        for (int cut = 0; cut <= depth; cut++) {
            solve_slices(&y, cut, z);
            if (under_test->slices->own_bits) assert_close_to(&y, x, z);
            else if (memcmp(x, z, entries(&y) * sizeof *x))
                fail_msg("n = %lld%s: other bits in 2^%d slices", (long long)d.n, d.cyclic ? ", cyclic" : "", cut);
        }
        sw_free(x);
        sw_free(z);
        free_systems(&y);
    }
}

static void refuses_slices_as_it_solves_whole_systems_only(void **state)
{
    const struct sw_tridiagonal_desc d = {.n = 1000, .batch = 1};
    struct sw_tridiagonal *s = (struct sw_tridiagonal *)&d;
    (void)state;
    need_row_and_library();
    assert_int_equal(sw_tridiagonal_depth(&d, under_test->name), -1);
    assert_int_equal(sw_tridiagonal_create_slices(&d, 0, under_test->name, device, &s), SW_E_ABSENT);
    assert_contains(sw_err_message(), ": it solves whole systems only; fit here:");
    assert_null(s);
}

static void refuses_slices_that_it_does_not_have(void **state)
{
    const struct sw_tridiagonal_desc d = {.n = 1000, .batch = 1}, two = {.n = 1000, .batch = 2};
    struct sw_tridiagonal *s = (struct sw_tridiagonal *)&d;
    (void)state;
    need_row_and_library();
    assert_int_equal(sw_tridiagonal_create_slices(&two, 0, under_test->name, device, &s), SW_E_ARG);
    assert_contains(sw_err_message(), "batch = 2: slices are of one system");
    assert_null(s);
    s = (struct sw_tridiagonal *)&d;
    assert_int_equal(sw_tridiagonal_create_slices(&d, 40, under_test->name, device, &s), SW_E_ARG);
    assert_contains(sw_err_message(), "cuts 1000 rows into 2^0 to 2^");
    assert_null(s);
}

/* ---- refusals, memory */

static void refuse_shape(struct sw_tridiagonal_desc d, enum sw_status status, const char *text)
{
    struct sw_tridiagonal *s = (struct sw_tridiagonal *)&d;
    assert_int_equal(sw_tridiagonal_create(&d, under_test->name, device, &s), status);
    assert_contains(sw_err_message(), text);
    assert_null(s);
}

static void refuses_shapes_out_of_range(void **state)
{
    (void)state;
    need_row_and_library();
    refuse_shape((struct sw_tridiagonal_desc){.n = 0, .batch = 1}, SW_E_ARG,
                 "n = 0: a tridiagonal system needs 1 unknown");
    refuse_shape((struct sw_tridiagonal_desc){.n = -5, .batch = 1}, SW_E_ARG, "n = -5");
    refuse_shape((struct sw_tridiagonal_desc){.n = 2, .batch = 1, .cyclic = true}, SW_E_ARG,
                 "n = 2: a cyclic tridiagonal system needs 3 unknowns");
    refuse_shape((struct sw_tridiagonal_desc){.n = 5, .batch = 0}, SW_E_ARG, "batch = 0: there is no system");
    refuse_shape((struct sw_tridiagonal_desc){.n = (INT64_C(1) << 39) + 1, .batch = 1}, SW_E_ARG,
                 "n = 549755813889: a system has 2^39 unknowns at most");
}

static void refuses_rows_that_do_not_exist(void **state)
{
    const struct sw_tridiagonal_desc d = {.n = 64, .batch = 2};
    struct sw_tridiagonal *s = (struct sw_tridiagonal *)&d;
    (void)state;
    need_row_and_library();
    assert_int_equal(sw_tridiagonal_create(&d, "cpu.gauss", device, &s), SW_E_CONFIG);
    assert_contains(sw_err_message(), "cpu.gauss: there is no such row; fit here:");
    assert_null(s);
}

static void takes_no_more_memory_than_it_says(void **state)
{
    (void)state;
    need_row_and_library();
    static const struct sw_tridiagonal_desc shape[] = {{.n = 1 << 20, .batch = 1}, {.n = 512, .batch = 2048},
                                                       {.n = 1 << 20, .batch = 1, .cyclic = true}};
    for (int k = 0; k < 3; k++) {
        struct sw_tridiagonal *s = NULL;
        size_t bytes = 0;
        if (!does(shape[k])) continue;
        const double before = in_use();
        assert_ok(sw_tridiagonal_bytes(&shape[k], under_test->name, device, &bytes));
        assert_ok(sw_tridiagonal_create(&shape[k], under_test->name, device, &s));
        const double taken = in_use() - before, spare = 4 << 20;  /* a GPU hands out pages of 2 MiB */
        if (taken > (double)bytes + spare) fail_msg("%.0f bytes taken, %zu announced", taken, bytes);
        sw_tridiagonal_destroy(&s);
    }
}

static void counts_the_arrays_that_it_allocates(void **state)
{
    static const int64_t n[] = {3, 17, 1000, 4097, 70001};
    (void)state;
    need_row_and_library();
    for (int k = 0; k < 20; k++) {
        const struct sw_tridiagonal_desc d = {.n = n[k / 4], .batch = k % 2 ? 1 : 5, .cyclic = k / 2 % 2};
        struct sw_tridiagonal *s = NULL;
        size_t told = 0;
        if (!does(d)) continue;
        assert_ok(sw_tridiagonal_bytes(&d, under_test->name, device, &told));
        if (under_test->library_bytes) told -= under_test->library_bytes(&d);
        assert_ok(sw_tridiagonal_create(&d, under_test->name, device, &s));
        assert_int_equal(sw_owned_bytes(&s->arrays, under_test->space), told);
        sw_tridiagonal_destroy(&s);
    }
}

static void destroys_nothing_gladly(void **state)
{
    struct sw_tridiagonal *s = NULL;
    (void)state;
    sw_tridiagonal_destroy(NULL);
    sw_tridiagonal_destroy(&s);
}

/* ---- the tree, for all rows */

/* Nodes follow one another; those that have two leaves or more split into two that have some. */
static void check_tree(int64_t leaves)
{
    int depth = 0;
    for (; INT64_C(1) << depth < leaves; depth++)
        for (int64_t k = 0; k < INT64_C(1) << depth; k++) {
            const int64_t first = relation_first_leaf(leaves, depth, k),
                          next = relation_first_leaf(leaves, depth, k + 1),
                          middle = relation_first_leaf(leaves, depth + 1, 2 * k + 1);
            assert_int_equal(relation_first_leaf(leaves, depth + 1, 2 * k), first);
            assert_int_equal(relation_first_leaf(leaves, depth + 1, 2 * k + 2), next);
            assert_true(first <= middle && middle <= next);
            if (next - first >= 2) assert_true(first < middle && middle < next);
            assert_true(next - first <= leaves / (INT64_C(1) << depth) + 1);
        }
    for (int64_t k = 0; k < INT64_C(1) << depth; k++)
        assert_true(relation_first_leaf(leaves, depth, k + 1) - relation_first_leaf(leaves, depth, k) <= 1);
    assert_int_equal(relation_first_leaf(leaves, depth, 0), 0);
    assert_int_equal(relation_first_leaf(leaves, depth, INT64_C(1) << depth), leaves);
}

static void splits_nodes_into_two_that_are_not_empty(void **state)
{
    (void)state;
    for (int64_t leaves = 1; leaves < 5000; leaves += leaves < 300 ? 1 : 37) check_tree(leaves);
}

static void has_no_empty_slice(void **state)
{
    (void)state;
    for (int most = 2; most <= 64; most *= 2)
        for (int64_t leaves = 1; leaves < 5000; leaves++) {
            const int depth = sw_relations_depth(leaves, most);
            for (int64_t k = 0; k < INT64_C(1) << depth; k++) {
                const int64_t count = relation_first_leaf(leaves, depth, k + 1) - relation_first_leaf(leaves, depth, k);
                assert_true(count >= 1 && count <= most);
            }
        }
    for (int k = 0; sw_tridiagonal_table[k]; k++)
        assert_true(!sw_tridiagonal_table[k]->slices || sw_tridiagonal_table[k]->slices->most_leaves >= 2);
}

/* The same without the product that would be too large, at the largest sizes there are. */
static void finds_the_leaves_of_the_largest_trees(void **state)
{
    (void)state;
    for (int64_t n = INT64_C(1) << 39; n > 1 << 20; n = n / 3 + 1) {
        const int64_t leaves = n / 512;
        const int depth = sw_relations_depth(leaves, 2);
        for (int64_t k = 0; k < 1000; k++) {
            const int64_t s = (INT64_C(1) << depth) - k;
            const unsigned __int128 product = (unsigned __int128)s * (unsigned __int128)leaves;
            assert_int_equal(relation_first_leaf(leaves, depth, s), (int64_t)(product >> depth));
        }
    }
}

/* The relation of rows first .. first+count-1. */
static void reduce_rows(const struct systems *y, int64_t first, int64_t count, double *w)
{
    const double *a = y->lower + first, *b = y->main + first, *c = y->upper + first, *d = y->rhs + first;
    if (count == 1) relation_of_row(a[0], b[0], c[0], d[0], w);
    if (count == 1) return;
    struct relation_rows rows = relation_begin(a[0], b[0], c[0], d[0], a[1], b[1], c[1], d[1]);
    for (int64_t i = 1; i < count - 1; i++) relation_eliminate(&rows, a[i + 1], b[i + 1], c[i + 1], d[i + 1], NULL);
    relation_of_rows(&rows, w);
}

/* Slices of 1, 2, 3, 1, .. rows; random signs. */
static void check_closing(int64_t count, bool cyclic)
{
    const int64_t n = count / 3 * 6 + (count % 3 == 0 ? 0 : count % 3 == 1 ? 1 : 3);
    struct sw_relation *relation = NULL;
    double (*ends)[4] = NULL;
    if (cyclic && n < 3) return;
    struct systems y = dominant_systems(n, 1, cyclic, (uint64_t)count);
    assert_ok(sw_alloc((size_t)count, &relation));
    assert_ok(sw_alloc((size_t)count, &ends));
    if (!cyclic) y.lower[0] = y.upper[n - 1] = 0;
    for (int64_t k = 0, at = 0; k < count; at += 1 + k % 3, k++) reduce_rows(&y, at, 1 + k % 3, relation[k].w);
    assert_ok(sw_relations_close(count, relation, cyclic, ends));
    for (int64_t k = 0, at = 0; k < count; at += 1 + k % 3, k++) {
        const int64_t last = at + k % 3, before = at - 1, behind = last + 1;
        const double expected[] = {before >= 0 ? y.x[before] : cyclic ? y.x[n - 1] : 0, y.x[at], y.x[last],
                                   behind < n ? y.x[behind] : cyclic ? y.x[0] : 0};
        for (int e = 0; e < 4; e++)
            if (!(fabs(ends[k][e] - expected[e]) <= 64 * DBL_EPSILON))
                fail_msg("%lld slices%s: end %d of slice %lld is %g, expected %g", (long long)count,
                         cyclic ? " of a circle" : "", e, (long long)k, ends[k][e], expected[e]);
    }
    sw_free(relation);
    sw_free(ends);
    free_systems(&y);
}

static void closes_any_number_of_slices(void **state)
{
    struct sw_relation none;
    double ends[1][4];
    (void)state;
    for (int64_t count = 1; count <= 4097; count += count < 260 ? 1 : count < 4090 ? 61 : 1) {
        check_closing(count, false);
        check_closing(count, true);
    }
    assert_int_equal(sw_relations_close(0, &none, false, ends), SW_E_ARG);
    assert_contains(sw_err_message(), "0 slices: there is none");
}

/* A circle of m rows, one row and none, x = 1, all entries scaled: those two have no scale of their own. */
static void joins_runs_of_one_row_and_of_none_at_any_scale(void **state)
{
    static const int exponent[] = {-1000, -300, 0, 300, 1000};
    (void)state;
    for (int e = 0; e < 5; e++)
        for (int m = 2; m < 60; m++) {
            struct systems y = make_systems(m + 1, 1, true);
            double w[10], row[10], none[10], kept[2][11], ends[4], m0, m1;
            make_integers(&y);
            for (size_t i = 0; i < entries(&y); i++)
                scale_by(&y, i, exponent[e], exponent[e], exponent[e], exponent[e]);
            struct relation_rows rows = relation_begin(y.lower[0], y.main[0], y.upper[0], y.rhs[0], y.lower[1],
                                                       y.main[1], y.upper[1], y.rhs[1]);
            for (int i = 2; i < m; i++)
                relation_eliminate(&rows, y.lower[i], y.main[i], y.upper[i], y.rhs[i], NULL);
            relation_of_rows(&rows, w);
            relation_of_row(y.lower[m], y.main[m], y.upper[m], y.rhs[m], row);
            relation_of_none(none);
            relation_join(1, w, row, w, kept[0]);
            relation_join(1, w, none, w, kept[1]);
            relation_close(1, w, true, ends);
            for (int k = 0; k < 4; k++) assert_true(fabs(ends[k] - 1) < 1e-14);  /* well-conditioned: some eps */
            relation_expand(kept[1], ends, &m0, &m1);
            assert_true(m0 == ends[2] && m1 == ends[3]);
            relation_expand(kept[0], ends, &m0, &m1);
            assert_true(fabs(m0 - 1) < 1e-14 && m1 == ends[2]);
            free_systems(&y);
        }
}

/* The ends of a system from its relation as any merge gives it. @return whether they are finite */
static bool close_ends(const double *w, double *ends)
{
    relation_close(1, w, false, ends);
    return isfinite(ends[1]) && isfinite(ends[2]);
}

/* Three rows, and two or three whose entries are -1, 0 or 1: what a join may take for less than a merge does gives the
 * same unknowns. These are quotients of determinants of such matrices, at most 6^(6/2) = 216: a wrong one differs by
 * 216^-2 at least. */
static void joins_as_it_merges(void **state)
{
    uint64_t seed = 3;
    int both = 0;
    (void)state;
    for (int k = 0; k < 200000; k++) {
        const int m = 5 + k % 2;
        double a[6], b[6], c[6], d[6], left[10], right[10], joined[10], merged[10], x[4], z[4];
        for (int i = 0; i < m; i++) {
            double *entry[] = {&a[i], &b[i], &c[i], &d[i]};
            for (int e = 0; e < 4; e++) *entry[e] = floor(1.5 * (1 + test_random(&seed))) - 1;
        }
        struct relation_rows rows = relation_begin(a[0], b[0], c[0], d[0], a[1], b[1], c[1], d[1]);
        relation_eliminate(&rows, a[2], b[2], c[2], d[2], NULL);
        relation_of_rows(&rows, left);
        rows = relation_begin(a[3], b[3], c[3], d[3], a[4], b[4], c[4], d[4]);
        if (m == 6) relation_eliminate(&rows, a[5], b[5], c[5], d[5], NULL);
        relation_of_rows(&rows, right);
        relation_join(1, left, right, joined, NULL);
        relation_merge(1, left, right, merged, NULL);
        if (!close_ends(joined, x) || !close_ends(merged, z)) continue;
        both++;
        assert_true(fabs(x[1] - z[1]) < 1e-5 && fabs(x[2] - z[2]) < 1e-5);
    }
    assert_true(both > 50000);
}

int main(void)
{
    const struct CMUnitTest tree[] = {
        cmocka_unit_test(splits_nodes_into_two_that_are_not_empty),
        cmocka_unit_test(has_no_empty_slice),
        cmocka_unit_test(finds_the_leaves_of_the_largest_trees),
        cmocka_unit_test(closes_any_number_of_slices),
        cmocka_unit_test(joins_runs_of_one_row_and_of_none_at_any_scale),
        cmocka_unit_test(joins_as_it_merges),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_known_solutions_of_all_shapes),
        cmocka_unit_test(is_exactly_homogeneous_in_the_right_hand_side),
        cmocka_unit_test(gives_each_system_the_same_bits_alone_as_in_a_batch),
        cmocka_unit_test(keeps_a_failing_system_from_the_others),
        cmocka_unit_test(solves_twice_to_the_same_bits_and_leaves_the_rows_alone),
        cmocka_unit_test(names_the_row_of_an_entry_that_is_not_finite),
        cmocka_unit_test(names_a_row_of_zeros),
        cmocka_unit_test(names_a_column_of_zeros),
        cmocka_unit_test(names_the_row_of_an_unknown_beyond_the_range_of_numbers),
        cmocka_unit_test(solves_systems_at_both_ends_of_the_range_of_numbers),
        cmocka_unit_test(does_not_look_at_entries_outside_of_the_matrix),
        cmocka_unit_test(refuses_shapes_out_of_range),
        cmocka_unit_test(refuses_rows_that_do_not_exist),
        cmocka_unit_test(destroys_nothing_gladly),
    };
    /* Too long under a tool that watches the memory, which takes some of its own. */
    const struct CMUnitTest large[] = {
        cmocka_unit_test(recovers_known_solutions_of_a_large_batch),
        cmocka_unit_test(judges_a_large_batch_that_fails_as_a_whole),
        cmocka_unit_test(takes_no_more_memory_than_it_says),
        cmocka_unit_test(counts_the_arrays_that_it_allocates),
    };
    const struct CMUnitTest of_any_matrix[] = {
        cmocka_unit_test(leaves_backward_errors_near_those_of_partial_pivoting),
        cmocka_unit_test(leaves_such_backward_errors_for_many_random_matrices),
        cmocka_unit_test(leaves_such_backward_errors_where_the_last_two_unknowns_are_equal),
        cmocka_unit_test(leaves_forward_errors_near_those_of_partial_pivoting),
        cmocka_unit_test(names_a_singular_matrix_without_zero_rows_or_columns),
        cmocka_unit_test(solves_rows_of_any_scale_or_names_a_singular_matrix),
    };
    const struct CMUnitTest of_one_row[] = {
        cmocka_unit_test(judges_systems_of_one_row),
    };
    const struct CMUnitTest on_the_host[] = {
        cmocka_unit_test(gives_the_same_bits_with_any_number_of_threads_and_instruction_set),
    };
    const struct CMUnitTest in_slices[] = {
        cmocka_unit_test(gives_the_same_bits_in_slices_of_any_depth),
        cmocka_unit_test(names_a_slice_that_is_singular),
        cmocka_unit_test(refuses_slices_that_it_does_not_have),
    };
    const struct CMUnitTest whole_only[] = {
        cmocka_unit_test(refuses_slices_as_it_solves_whole_systems_only),
    };
    int failed = cmocka_run_group_tests_name("tree", tree, NULL, NULL);
    for_each_row(sw_tridiagonal_table) {
        failed += run_for_row(tests);
        if (!small_suite()) failed += run_for_row(large);
        if (under_test->stable) failed += run_for_row(of_any_matrix);
        if (does((struct sw_tridiagonal_desc){.n = 1, .batch = 1})) failed += run_for_row(of_one_row);
        if (under_test->space == SW_HOST) failed += run_for_row(on_the_host);
        if (under_test->slices) failed += run_for_row(in_slices);
        else failed += run_for_row(whole_only);
    }
    return failed != 0;
}
