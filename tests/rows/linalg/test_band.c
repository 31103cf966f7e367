/* Every row of the table of band solvers must pass every test here. */
#include <float.h>

#include "band_batch.h"

/* ---- a batch of systems on the host */

/* All matrices are that of the first system from now on. */
static void make_uniform(const struct batch *y)
{
    for (int off = -y->d.lower; off <= y->d.upper; off++)
        for (int j = 1; j < y->d.batch; j++)
            memcpy(entry(y, j, 0, off), entry(y, 0, 0, off), (size_t)y->d.n * sizeof(double));
}

/* Random, diagonally dominant by 1: |A^-1| <= 1, |A| <= 17 and mostly below 9. */
static struct batch random_batch(struct sw_band_desc d, uint64_t seed)
{
    struct batch y = make_batch(d);
    for (int j = 0; j < d.batch; j++) {
        fill_sides(&y, j, &seed);
        for (int i = 0; i < d.n; i++) {
            double sum = 0.0;
            for (int off = -d.lower; off <= d.upper; off++)
                if (off && !outside(&d, i, off)) sum += fabs(*entry(&y, j, i, off));
            *entry(&y, j, i, 0) = d.symmetric || (i + j) % 3 ? 1.0 + sum : -1.0 - sum;
            y.x[(size_t)j * d.n + i] = test_random(&seed);
        }
    }
    if (d.uniform) make_uniform(&y);
    set_right_hand_sides(&y);
    return y;
}

/* I + s4 d4 - s2 d2, what the steppers solve. */
static struct batch line_operator(int n, int batch, double s4, double s2)
{
    const struct sw_band_desc d = suited((struct sw_band_desc){.n = n, .batch = batch, .lower = 2, .upper = 2,
                                                               .periodic = true, .symmetric = true});
    struct batch y = make_batch(d);
    uint64_t seed = 7;
    for (int j = 0; j < batch; j++)
        for (int i = 0; i < n; i++) {
            *entry(&y, j, i, -2) = *entry(&y, j, i, 2) = s4;
            *entry(&y, j, i, -1) = *entry(&y, j, i, 1) = -4.0 * s4 - s2;
            *entry(&y, j, i, 0) = 1.0 + 6.0 * s4 + 2.0 * s2;
            y.x[(size_t)j * n + i] = test_random(&seed);
        }
    set_right_hand_sides(&y);
    return y;
}

/* ---- shapes */

/* Calls visit for all shapes worth a test that the row does. */
static void for_all_shapes(void (*visit)(struct sw_band_desc d))
{
    static const int size[] = {1, 2, 3, 4, 5, 6, 7, 31, 32, 33, 100, 333, 1000, 1025};
    static const int batch[] = {1, 3, 33, 7, 8, 9, 64};
    for (int shape = 0; shape < 50; shape++)
        for (int k = 0; k < 14; k++)
            for (int l = 0; l < 7; l++) {
                struct sw_band_desc d = {.n = size[k], .batch = batch[l], .lower = shape % 5, .upper = shape / 5 % 5,
                                         .periodic = shape >= 25};
                d = suited(d);
                if ((d.batch == 33 && d.n > 100) || (l > 2 && d.n > 33)) continue;
                if (small_suite() && (d.n > 33 || d.batch > 3)) continue;
                if (d.periodic && d.n < d.lower + d.upper + 1) continue;
                if (under_test->fits(&d)) visit(d);
                if (d.uniform || d.batch == 1) continue;
                d.uniform = true;
                if (under_test->fits(&d)) visit(d);
            }
}

/* ---- the tests */

static void check_known_solution(struct sw_band_desc d)
{
    struct batch y = random_batch(d, 1 + (uint64_t)d.n);
    double *x = zeros(entries(&d));
    char shape[100];
    solve_batch(&y, x);
    snprintf(shape, sizeof shape, "n %d batch %d lower %d upper %d%s", d.n, d.batch, d.lower, d.upper,
             d.periodic ? " periodic" : "");
    /* error <= |A^-1| (backward error); 64 eps covers |A| <= 9 and the few roundings a row and its border make */
    assert_all_near(shape, x, y.x, entries(&d), 64 * DBL_EPSILON);
    sw_free(x);
    free_batch(&y);
}

static void recovers_known_solutions_of_all_shapes(void **state)
{
    (void)state;
    need_row_and_library();
    for_all_shapes(check_known_solution);
}

/* Some rows choose other blocks and loops there. */
static void recovers_known_solutions_of_a_large_batch(void **state)
{
    (void)state;
    need_row_and_library();
    if (small_suite()) return;
    for (int periodic = 0; periodic < 2; periodic++) check_known_solution(five_diagonals(19, 40000, periodic));
}

/* |b - A x| / (|A| |x| eps), as LAPACK's tests do, which ask for less than 30. */
static double ratio(const struct batch *y, const double *x)
{
    double worst = 0.0, *b = zeros((size_t)y->d.n);
    for (int j = 0; j < y->d.batch; j++) {
        double norm, size = 0.0, rest = 0.0;
        const double *line = x + (size_t)j * y->d.n;
        multiply(y, j, line, b, &norm);
        for (int i = 0; i < y->d.n; i++) {
            size = fmax(size, fabs(line[i]));
            rest = fmax(rest, fabs(b[i] - y->b[(size_t)j * y->d.n + i]));
            if (isnan(line[i])) rest = INFINITY;
        }
        worst = fmax(worst, rest / (norm * size * DBL_EPSILON));
    }
    sw_free(b);
    return worst;
}

static void check_ratio(struct sw_band_desc d)
{
    struct batch y = random_batch(d, 99);
    double *x = zeros(entries(&d)), r;
    solve_batch(&y, x);
    r = ratio(&y, x);
    if (!(r < 30)) fail_msg("n %d lower %d upper %d: ratio %.3g", d.n, d.lower, d.upper, r);
    sw_free(x);
    free_batch(&y);
}

static void leaves_residuals_below_lapacks_threshold(void **state)
{
    (void)state;
    need_row_and_library();
    for_all_shapes(check_ratio);
}

static void leaves_residuals_below_lapacks_threshold_for_line_operators(void **state)
{
    static const int size[] = {5, 6, 31, 32, 33, 333, 1000, 1025};
    static const double s[] = {0.0, 1e-12, 1.0, 1e4, 1e6, 1e8};
    (void)state;
    need_row_and_library();
    for (int k = 0; k < (small_suite() ? 3 : 8); k++)
        for (int m = 0; m < 36; m++) {
            struct batch y = line_operator(size[k], 2, s[m / 6], s[m % 6]);
            double *x = zeros(entries(&y.d));
            /* at s4 = 1e8 and n = 1000 the clamped band E is so near to singular that Navon's closure, around Thomas or
             * a stable elimination alike, leaves up to 47 */
            double limit = s[m / 6] < 1e8 ? 30 : 100;
            for (int uniform = only_uniform(); uniform < 2; uniform++) {
                y.d.uniform = uniform;
                if (!under_test->fits(&y.d)) continue;
                solve_batch(&y, x);
                double r = ratio(&y, x);
                if (!(r < limit))
                    fail_msg("n = %d, s4 = %g, s2 = %g: ratio %.3g", size[k], s[m / 6], s[m % 6], r);
            }
            sw_free(x);
            free_batch(&y);
        }
}

static void is_linear_in_the_right_hand_side(void **state)
{
    (void)state;
    need_row_and_library();
    struct sw_band_desc d = five_diagonals(100, 3, true);
    struct batch y = random_batch(d, 5);
    struct sw_band *s = NULL;
    double *x = zeros(entries(&d)), *z = zeros(entries(&d)), *b = zeros(entries(&d));
    assert_true(under_test->fits(&d));
    assert_ok(sw_band_create(&d, under_test->name, device, &s));
    assert_ok(factor(s, &y, NULL));
    solve(s, y.b, x);
    for (size_t k = 0; k < entries(&d); k++) b[k] = -4.0 * y.b[k];  /* a power of two: not a bit may differ */
    solve(s, b, z);
    for (size_t k = 0; k < entries(&d); k++) assert_true(z[k] == -4.0 * x[k]);
    for (size_t k = 0; k < entries(&d); k++) b[k] = 3.0 * y.b[k] + sin((double)k);
    solve(s, b, z);
    for (size_t k = 0; k < entries(&d); k++) b[k] = sin((double)k);
    solve(s, b, y.x);
    for (size_t k = 0; k < entries(&d); k++) y.x[k] += 3.0 * x[k];
    assert_all_near("x", z, y.x, entries(&d), 256 * DBL_EPSILON);  /* three solves of 64 eps, one of them times 3 */
    sw_band_destroy(&s);
    sw_free(x);
    sw_free(z);
    sw_free(b);
    free_batch(&y);
}

static void check_alone(struct sw_band_desc d)
{
    struct batch y = random_batch(d, 17);
    double *x = zeros(entries(&d)), *alone = zeros((size_t)d.n);
    solve_batch(&y, x);
    for (int j = 0; j < d.batch; j += 5) {
        struct sw_band_desc one = d;
        one.batch = 1;
        struct batch z = make_batch(one);
        for (int off = -d.lower; off <= d.upper; off++)
            for (int i = 0; i < d.n; i++) *entry(&z, 0, i, off) = *entry(&y, j, i, off);
        memcpy(z.b, y.b + (size_t)j * d.n, (size_t)d.n * sizeof *z.b);
        solve_batch(&z, alone);
        assert_memory_equal(alone, x + (size_t)j * d.n, (size_t)d.n * sizeof *alone);
        free_batch(&z);
    }
    sw_free(x);
    sw_free(alone);
    free_batch(&y);
}

static void gives_each_system_the_same_bits_alone_as_in_a_batch(void **state)
{
    (void)state;
    need_row_and_library();
    for (int shape = 0; shape < 4; shape++) {
        int wide = 1 + shape % 2;
        /* 33 lines of 600 are enough for the rows on the CPU to use all threads, one is not */
        struct sw_band_desc d =
            suited((struct sw_band_desc){.n = 600, .batch = 33, .lower = wide, .upper = wide, .periodic = shape > 1});
        if (under_test->fits(&d)) check_alone(d);
        d.uniform = true;
        if (under_test->fits(&d)) check_alone(d);
    }
}

static void check_one_by_one(struct sw_band_desc d)
{
    struct batch y = random_batch(d, 3);
    struct sw_band *s = NULL;
    double *x = zeros(entries(&d));
    assert_ok(sw_band_create(&d, under_test->name, device, &s));
    assert_ok(factor(s, &y, NULL));
    solve(s, y.b, x);
    for (int j = 0; j < d.batch; j++) sw_band_solve_one(s, j, y.b + (size_t)j * d.n);
    assert_memory_equal(y.b, x, entries(&d) * sizeof *x);
    sw_band_destroy(&s);
    sw_free(x);
    free_batch(&y);
}

static void solves_one_system_to_the_same_bits(void **state)
{
    static const int batch[] = {4, 8, 21};
    (void)state;
    need_row_and_library();
    if (!under_test->solve_one) return;  /* only rows in the host's memory do */
    for (int k = 0; k < 12; k++) {
        struct sw_band_desc d = five_diagonals(33, batch[k % 3], k / 3 % 2);
        check_one_by_one(d);
        d.uniform = true;
        if (k / 6) d.lower = d.upper = SW_BAND_SIDE;
        if (under_test->fits(&d)) check_one_by_one(d);
    }
}

static void is_shift_invariant_with_constant_coefficients(void **state)
{
    enum { N = 100, SHIFT = 37 };
    (void)state;
    need_row_and_library();
    struct batch y = line_operator(N, 1, 2.0, 0.5);
    double x[N], z[N], b[N];
    if (under_test->fits(&y.d)) {
        solve_batch(&y, x);
        memcpy(b, y.b, sizeof b);
        for (int i = 0; i < N; i++) y.b[(i + SHIFT) % N] = b[i];
        solve_batch(&y, z);
        /* docs/explanation/banded_solvers.md: u (1 + 4 s2 + 16 s4) a solve; |x| <= 1 */
        for (int i = 0; i < N; i++) assert_near(z[(i + SHIFT) % N], x[i], (1 + 4 * 0.5 + 16 * 2.0) * DBL_EPSILON);
    }
    free_batch(&y);
}

static void factors_once_and_solves_twice(void **state)
{
    (void)state;
    need_row_and_library();
    struct sw_band_desc d = five_diagonals(32, 3, true);
    struct batch y = random_batch(d, 11);
    struct sw_band *s = NULL;
    double *x = zeros(entries(&d)), *z = zeros(entries(&d));
    assert_ok(sw_band_create(&d, under_test->name, device, &s));
    assert_ok(factor(s, &y, NULL));
    solve(s, y.b, x);
    solve(s, y.b, z);
    assert_memory_equal(x, z, entries(&d) * sizeof *x);
    assert_all_near("x", x, y.x, entries(&d), 64 * DBL_EPSILON);
    /* and factored again, with other matrices */
    struct batch other = random_batch(d, 12);
    assert_ok(factor(s, &other, NULL));
    solve(s, other.b, z);
    assert_all_near("x", z, other.x, entries(&d), 64 * DBL_EPSILON);
    sw_band_destroy(&s);
    sw_free(x);
    sw_free(z);
    free_batch(&other);
    free_batch(&y);
}

static void check_leading_dimension(int batch)
{
    struct sw_band_desc d = five_diagonals(17, batch, true);
    struct batch y = random_batch(d, 21);
    double *x = zeros(entries(&d)), *z = zeros(entries(&d));
    solve_batch(&y, x);
    y.d.ld = 24;
    solve_batch(&y, z);
    assert_memory_equal(x, z, entries(&d) * sizeof *x);
    sw_free(x);
    sw_free(z);
    free_batch(&y);
}

static void takes_a_leading_dimension(void **state)
{
    (void)state;
    need_row_and_library();
    check_leading_dimension(5);
    check_leading_dimension(21);
}

/* Identity matrices; in system 3 the diagonal is zero in row 4, in system 5 NaN in row 2. */
static void check_singular(bool periodic)
{
    struct sw_band_desc d = five_diagonals(9, 7, periodic);
    struct batch y = make_batch(d);
    struct sw_band *s = NULL;
    int bad[7] = {9, 9, 9, 9, 9, 9, 9}, expected[7] = {0, 0, 0, 5, 0, 3, 0};
    double *x = zeros(entries(&d));

    for (int j = 0; j < d.batch; j++)
        for (int i = 0; i < d.n; i++) {
            *entry(&y, j, i, 0) = 1.0;
            y.b[(size_t)j * d.n + i] = j + 0.1 * i;
        }
    *entry(&y, 3, 4, 0) = 0.0;
    *entry(&y, 5, 2, 0) = NAN;
    assert_ok(sw_band_create(&d, under_test->name, device, &s));
    assert_int_equal(factor(s, &y, bad), SW_E_SINGULAR);
    assert_contains(sw_err_message(), "system 3, row 4");
    assert_contains(sw_err_message(), "2 of 7 systems");
    assert_memory_equal(bad, expected, sizeof bad);
    solve(s, y.b, x);
    for (int j = 0; j < d.batch; j++)
        for (int i = 0; i < d.n; i++) {
            double value = x[(size_t)j * d.n + i];
            if (expected[j]) assert_true(isnan(value));
            else assert_near(value, j + 0.1 * i, 0.0);
        }
    sw_band_destroy(&s);
    sw_free(x);
    free_batch(&y);
}

static void names_the_singular_system_and_row_and_harms_no_other(void **state)
{
    (void)state;
    need_row_and_library();
    if (only_uniform()) return;  /* below */
    check_singular(false);
    check_singular(true);
}

static void names_a_singular_border(void **state)
{
    (void)state;
    need_row_and_library();
    if (only_uniform()) return;  /* below */
    struct batch y = line_operator(12, 2, 0.0, 0.0);
    struct sw_band *s = NULL;
    int bad[2];
    for (int i = 0; i < 12; i++) {  /* system 1 is -d2: constants are in its null space, and only the border sees it */
        *entry(&y, 1, i, 0) = 2.0;
        *entry(&y, 1, i, -1) = *entry(&y, 1, i, 1) = -1.0;
    }
    *entry(&y, 1, 11, 0) = NAN;
    assert_ok(sw_band_create(&y.d, under_test->name, device, &s));
    assert_int_equal(factor(s, &y, bad), SW_E_SINGULAR);
    assert_contains(sw_err_message(), "system 1, row 11");
    assert_int_equal(bad[0], 0);
    sw_band_destroy(&s);
    free_batch(&y);
}

/* The matrix of all systems is a unit matrix, but for a zero in this row. */
static void check_all_singular(bool periodic, int row)
{
    struct sw_band_desc d = {.n = 9, .batch = 3, .lower = 2, .upper = 2, .periodic = periodic,
                             .symmetric = true, .uniform = true};
    struct batch y = make_batch(d);
    struct sw_band *s = NULL;
    int bad[3] = {0};
    double *x = zeros(entries(&d));
    char text[64];
    for (size_t k = 0; k < entries(&d); k++) *entry(&y, 0, (int)k, 0) = 1.0;
    for (int j = 0; j < d.batch; j++) *entry(&y, j, row, 0) = 0.0;
    assert_ok(sw_band_create(&d, under_test->name, device, &s));
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(factor(s, &y, bad), SW_E_SINGULAR);
        snprintf(text, sizeof text, "system 0, row %d (3 of 3 systems", row);
        assert_contains(sw_err_message(), text);
        for (int j = 0; j < 3; j++) assert_int_equal(bad[j], 1 + row);
        for (int again = 0; again < 2; again++) {
            solve(s, y.b, x);
            for (size_t k = 0; k < entries(&d); k++) assert_true(isnan(x[k]));
        }
    }
    for (int j = 0; j < d.batch; j++) *entry(&y, j, row, 0) = 4.0;  /* and a good one after it */
    assert_ok(factor(s, &y, bad));
    for (size_t k = 0; k < entries(&d); k++) y.b[k] = 1.0;
    solve(s, y.b, x);
    for (size_t k = 0; k < entries(&d); k++) assert_near(x[k], k % 9 == (size_t)row ? 0.25 : 1.0, 0.0);
    sw_band_destroy(&s);
    sw_free(x);
    free_batch(&y);
}

static void finds_a_matrix_singular_that_all_systems_share(void **state)
{
    (void)state;
    need_row_and_library();
    check_all_singular(false, 4);
    check_all_singular(true, 4);
    check_all_singular(true, 8);
}

static void does_nothing_for_an_empty_batch(void **state)
{
    (void)state;
    need_row_and_library();
    for (int k = 0; k < 4; k++) {
        struct sw_band_desc d = five_diagonals(9, 0, k % 2);
        struct sw_band *s = NULL;
        double nothing;
        if (k > 1) d.lower = d.upper = SW_BAND_SIDE;
        if (!under_test->fits(&d)) continue;
        assert_ok(sw_band_create(&d, under_test->name, device, &s));
        assert_int_equal(sw_band_vector(s), 0);
        assert_ok(sw_band_factor(s, &nothing, NULL));
        assert_ok(sw_band_solve(s, &nothing));
        sw_band_destroy(&s);
    }
}

static void refuse_shape(struct sw_band_desc d, enum sw_status status, const char *text)
{
    struct sw_band *s = (struct sw_band *)&d;
    assert_int_equal(sw_band_create(&d, under_test->name, device, &s), status);
    assert_contains(sw_err_message(), text);
    assert_null(s);
}

static void refuses_shapes_out_of_range(void **state)
{
    (void)state;
    need_row_and_library();
    refuse_shape((struct sw_band_desc){.n = 0, .batch = 1}, SW_E_ARG, "n = 0: a banded system needs at least 1");
    refuse_shape((struct sw_band_desc){.n = 9, .batch = -1}, SW_E_ARG, "batch = -1 is negative");
    refuse_shape((struct sw_band_desc){.n = 9, .batch = 1, .lower = 5}, SW_E_ARG, "5 diagonals below and 0 above");
    refuse_shape((struct sw_band_desc){.n = 9, .batch = 1, .upper = -1}, SW_E_ARG, "0 to 4 are possible");
    refuse_shape((struct sw_band_desc){.n = 4, .batch = 1, .lower = 2, .upper = 2, .periodic = true}, SW_E_ARG,
                 "n = 4: 5 periodic diagonals need at least as many");
    refuse_shape((struct sw_band_desc){.n = 9, .batch = 1, .lower = 2, .upper = 1, .symmetric = true}, SW_E_ARG,
                 "2 diagonals below and 1 above the main one: a symmetric matrix has as many");
    refuse_shape(suited((struct sw_band_desc){.n = 9, .batch = 8, .lower = 2, .upper = 2, .ld = 7}), SW_E_ARG,
                 under_test->layout == SW_LINES ? "ld = 7 is less than n = 9" : "ld = 7 is less than batch = 8");
}

static void refuses_systems_that_it_does_not_do(void **state)
{
    (void)state;
    need_row_and_library();
    struct sw_band_desc d = {.n = 9, .batch = 1, .lower = 2, .upper = 2};
    if (!under_test->fits(&d))
        refuse_shape(d, SW_E_ABSENT,
                     only_uniform() ? "it needs all matrices of a batch to be equal; fit here: cuda.thomas"
                                    : "it takes symmetric positive definite matrices only; fit here: cpu.thomas");
    for (int wide = 3; wide <= SW_BAND_SIDE; wide++) {
        d = (struct sw_band_desc){.n = 9, .batch = 1, .lower = wide, .upper = wide, .symmetric = true, .uniform = true};
        if (!under_test->fits(&d)) refuse_shape(d, SW_E_ABSENT, "it takes at most 2 diagonals on a side; fit here: ");
    }
    d = (struct sw_band_desc){.n = 2, .batch = 1, .lower = 1, .upper = 1, .symmetric = true, .uniform = true};
    if (!under_test->fits(&d)) refuse_shape(d, SW_E_ABSENT, "the systems have too few unknowns for it; fit here: ");
}

static void refuses_rows_that_do_not_exist(void **state)
{
    struct sw_band_desc d = five_diagonals(9, 1, false);
    struct sw_band *s = (struct sw_band *)&d;
    (void)state;
    need_row_and_library();
    assert_int_equal(sw_band_create(&d, "cpu.gauss", device, &s), SW_E_CONFIG);
    assert_contains(sw_err_message(), "cpu.gauss: there is no such row; fit here:");
    assert_contains(sw_err_message(), under_test->name);
    assert_null(s);
    const char *elsewhere = under_test->space == SW_HOST ? "cuda.thomas" : "cpu.thomas";
    assert_int_equal(sw_band_create(&d, elsewhere, device, &s), SW_E_ABSENT);
    assert_contains(sw_err_message(), elsewhere);
}

static void takes_no_more_memory_than_it_says(void **state)
{
    (void)state;
    need_row_and_library();
    if (small_suite()) return;  /* a tool that watches memory takes some of its own */
    for (int k = 0; k < 2 * 5; k++) {
        struct sw_band *s;
        struct sw_band_desc d = {.n = 512, .batch = 2048, .lower = 2, .upper = 2, .periodic = true, .uniform = k % 2};
        if (k / 2 % 2) d.lower = d.upper = SW_BAND_SIDE;
        if (k / 4 == 1) d.periodic = false;
        if (k / 4 == 2) d.n = 524288, d.batch = 2;
        d = suited(d);
        if (!under_test->fits(&d) || (d.batch == 2 && (d.uniform || under_test->space != SW_HOST))) continue;
        const bool there = under_test->space == SW_DEVICE;
        double vector = (double)d.n * d.batch * sizeof(double), before = in_use();
        if (there) count_bytes();
        assert_ok(sw_band_create(&d, under_test->name, device, &s));
        const double taken = there ? (double)bytes_counted() : in_use() - before;
        /* less than one more for what does not grow with n */
        assert_true(taken <= (sw_band_vectors_of(&d, under_test->name) + 0.9) * vector);
        sw_band_destroy(&s);
        assert_true(sw_band_vectors_of(&d, under_test->name) <= sw_band_vectors(under_test->name));
    }
    assert_int_equal(sw_band_vectors("cpu.magic"), 0);
    assert_false(sw_band_pivots("cpu.magic"));
    assert_false(sw_band_pivots(NULL));
}

static void destroys_nothing_gladly(void **state)
{
    struct sw_band *s = NULL;
    (void)state;
    sw_band_destroy(NULL);
    sw_band_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_known_solutions_of_all_shapes),
        cmocka_unit_test(recovers_known_solutions_of_a_large_batch),
        cmocka_unit_test(leaves_residuals_below_lapacks_threshold),
        cmocka_unit_test(leaves_residuals_below_lapacks_threshold_for_line_operators),
        cmocka_unit_test(is_linear_in_the_right_hand_side),
        cmocka_unit_test(gives_each_system_the_same_bits_alone_as_in_a_batch),
        cmocka_unit_test(solves_one_system_to_the_same_bits),
        cmocka_unit_test(is_shift_invariant_with_constant_coefficients),
        cmocka_unit_test(factors_once_and_solves_twice),
        cmocka_unit_test(takes_a_leading_dimension),
        cmocka_unit_test(names_the_singular_system_and_row_and_harms_no_other),
        cmocka_unit_test(names_a_singular_border),
        cmocka_unit_test(finds_a_matrix_singular_that_all_systems_share),
        cmocka_unit_test(does_nothing_for_an_empty_batch),
        cmocka_unit_test(refuses_shapes_out_of_range),
        cmocka_unit_test(refuses_systems_that_it_does_not_do),
        cmocka_unit_test(refuses_rows_that_do_not_exist),
        cmocka_unit_test(takes_no_more_memory_than_it_says),
        cmocka_unit_test(destroys_nothing_gladly),
    };
    int failed = 0;
    for_each_row(sw_band_table)
        failed += cmocka_run_group_tests_name(under_test->name, tests, open_device, close_device);
    return failed != 0;
}
