/* Rows of the table of band solvers that exchange rows must solve what elimination without pivoting cannot: zeros on
 * the diagonal, permutations, rows of any size, and periodic systems whose matrix is singular without its border. */
#include <float.h>

#include "band_batch.h"

/* Multiples of eps that a backward error may reach. An entry of L U is a sum of at most 1 + kl = 9 products, the two
 * substitutions are sums of 9 and 1 + kl + ku = 17; roundings of eps/2 and of both signs add up as the root of their
 * number, sqrt(35)/2 = 3, and elements of these matrices grow little more than twofold. 1.8 were seen. */
#define LIMIT 8

/* ---- the dense reference in long double */

static long double size_of_row(const struct batch *y, int j, int i)
{
    long double sum = 0;
    for (int off = -y->d.lower; off <= y->d.upper; off++)
        if (!outside(&y->d, i, off)) sum += fabsl(*entry(y, j, i, off));
    return sum;
}

/* [n][n+1+n]: A, b, and the unit matrix; each row divided by the sum of its entries in A, if that is not 0. */
static long double *dense_of(const struct batch *y, int j)
{
    const int n = y->d.n, width = 2 * n + 1;
    long double *m = calloc((size_t)n * (size_t)width, sizeof *m);
    assert_non_null(m);
    for (int i = 0; i < n; i++) {
        const long double size = size_of_row(y, j, i);
        for (int off = -y->d.lower; off <= y->d.upper; off++)
            if (!outside(&y->d, i, off)) m[i * width + (i + off + n) % n] = *entry(y, j, i, off);
        m[i * width + n] = y->b[(size_t)j * n + i];
        for (int c = 0; size > 0 && c <= n; c++) m[i * width + c] /= size;
        m[i * width + n + 1 + i] = 1;
    }
    return m;
}

static void exchange(long double *a, long double *b, int count)
{
    for (int c = 0; c < count; c++) {
        const long double kept = a[c];
        a[c] = b[c];
        b[c] = kept;
    }
}

/* Gauss-Jordan with partial pivoting. @return false: the matrix is singular */
static bool reduce(long double *m, int n)
{
    const int width = 2 * n + 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(m[i * width + k]) > fabsl(m[best * width + k])) best = i;
        if (m[best * width + k] == 0) return false;
        if (best != k) exchange(m + k * width, m + best * width, width);
        for (int c = width - 1; c >= k; c--) m[k * width + c] /= m[k * width + k];
        for (int i = 0; i < n; i++)
            for (int c = width - 1; i != k && c >= k; c--) m[i * width + c] -= m[i * width + k] * m[k * width + c];
    }
    return true;
}

/* @param exact  out [n]
 * @return |(S A)^-1|, where the rows of S A have the sum 1: its condition; infinite: A is singular */
static long double solve_dense(const struct batch *y, int j, long double *exact)
{
    const int n = y->d.n, width = 2 * n + 1;
    long double *m = dense_of(y, j), norm = 0;
    if (reduce(m, n))
        for (int i = 0; i < n; i++) {
            long double sum = 0;
            for (int c = n + 1; c < width; c++) sum += fabsl(m[i * width + c]);
            norm = fmaxl(norm, sum);
            exact[i] = m[i * width + n];
        }
    else norm = INFINITY;
    free(m);
    return norm;
}

/* ---- matrices; b is of the size of the rows */

typedef void fill_function(const struct batch *y, int j, uint64_t *seed);

static void fill_random(const struct batch *y, int j, uint64_t *seed)
{
    for (int i = 0; i < y->d.n; i++)
        for (int off = -y->d.lower; off <= y->d.upper; off++)
            *entry(y, j, i, off) = outside(&y->d, i, off) ? NAN : test_random(seed);
}

static void fill_zero_diagonal(const struct batch *y, int j, uint64_t *seed)
{
    fill_random(y, j, seed);
    for (int i = 0; i < y->d.n; i++) *entry(y, j, i, 0) = 0;
}

/* Neighbours exchanged where chance has it, and a thousandth of everything else. */
static void fill_permutation(const struct batch *y, int j, uint64_t *seed)
{
    const bool can = y->d.lower > 0 && y->d.upper > 0;
    fill_random(y, j, seed);
    for (int i = 0; i < y->d.n; i++)
        for (int off = -y->d.lower; off <= y->d.upper; off++) *entry(y, j, i, off) *= 1e-3;
    for (int i = 0; i < y->d.n; i++) {
        if (can && i + 1 < y->d.n && test_random(seed) > 0) {
            *entry(y, j, i, 1) = *entry(y, j, i + 1, -1) = 1;
            i++;
        } else {
            *entry(y, j, i, 0) = 1;
        }
    }
}

static void multiply_row(const struct batch *y, int j, int i, double factor)
{
    for (int off = -y->d.lower; off <= y->d.upper; off++) *entry(y, j, i, off) *= factor;
}

static void fill_graded_rows(const struct batch *y, int j, uint64_t *seed)
{
    fill_permutation(y, j, seed);
    for (int i = 0; i < y->d.n; i++) multiply_row(y, j, i, pow(10, 100 * test_random(seed)));
}

/* Rows up to the largest numbers, and of denormal ones. */
static void fill_extreme_rows(const struct batch *y, int j, uint64_t *seed)
{
    static const double size[] = {1e308, 1e-310, 1, 1e-305};
    fill_permutation(y, j, seed);
    for (int i = 0; i < y->d.n; i++) multiply_row(y, j, i, size[(i + j) % 4]);
}

static void fill_graded_columns(const struct batch *y, int j, uint64_t *seed)
{
    fill_permutation(y, j, seed);
    for (int c = 0; c < y->d.n; c++) {
        const double factor = pow(10, 100 * test_random(seed));
        for (int off = -y->d.lower; off <= y->d.upper; off++) {
            const int i = y->d.periodic ? (c - off + y->d.n) % y->d.n : c - off;
            if (i >= 0 && i < y->d.n) *entry(y, j, i, off) *= factor;
        }
    }
}

/* The circle turned by one, and a little of everything else, but in row 0: that is zero in E, the matrix without its
 * last rows and columns. Or turned the other way, and so is column 0. */
static void fill_turned(const struct batch *y, int j, uint64_t *seed)
{
    const int by = y->d.lower > 0 ? -1 : y->d.upper > 0 ? 1 : 0;
    fill_random(y, j, seed);
    for (int i = 0; i < y->d.n; i++) {
        multiply_row(y, j, i, i || !by ? 1e-2 : 0);
        *entry(y, j, i, by) = 1;
    }
}

static const struct kind {
    const char    *name;
    fill_function *fill;
    bool periodic;           /* these systems only                         */
    bool alike;              /* rows and columns are of one size           */
    bool extreme;            /* for rows that scale: LAPACK does not       */
} kinds[] = {
    {.name = "random", .fill = fill_random, .alike = true},
    {.name = "zero diagonal", .fill = fill_zero_diagonal, .alike = true},
    {.name = "permutation", .fill = fill_permutation, .alike = true},
    {.name = "graded rows", .fill = fill_graded_rows},
    {.name = "extreme rows", .fill = fill_extreme_rows, .extreme = true},
    {.name = "graded columns", .fill = fill_graded_columns},
    {.name = "turned circle", .fill = fill_turned, .periodic = true, .alike = true},
};

/* Rows `*.lu` are ours: they divide each row of the matrix by its size. */
static bool scales(void) { return !strcmp(strchr(under_test->name, '.'), ".lu"); }

static struct batch make(const struct kind *kind, struct sw_band_desc d, uint64_t seed)
{
    struct batch y = make_batch(d);
    for (int j = 0; j < d.batch; j++) {
        kind->fill(&y, j, &seed);
        for (int i = 0; i < d.n; i++)
            y.b[(size_t)j * d.n + i] = (double)(size_of_row(&y, j, i) / (1 + d.lower + d.upper)) * test_random(&seed);
    }
    return y;
}

/* |b - A x| over |A| |x| + |b|, of the worst row; without scaling, of the largest row. */
static double backward_error(const struct batch *y, int j, const double *x)
{
    const struct sw_band_desc *d = &y->d;
    long double size = 0, worst = 0, rest = 0, all = 0;
    for (int i = 0; i < d->n; i++) {
        if (!isfinite(x[i])) return INFINITY;
        size = fmaxl(size, fabsl(x[i]));
    }
    for (int i = 0; i < d->n; i++) {
        const long double b = y->b[(size_t)j * d->n + i];
        long double r = b, whole = size_of_row(y, j, i) * size + fabsl(b);
        for (int off = -d->lower; off <= d->upper; off++)
            if (!outside(d, i, off)) r -= (long double)*entry(y, j, i, off) * x[(i + off + d->n) % d->n];
        if (whole > 0) worst = fmaxl(worst, fabsl(r) / whole);
        rest = fmaxl(rest, fabsl(r));
        all = fmaxl(all, whole);
    }
    return (double)(scales() ? worst : all > 0 ? rest / all : 0);
}

static int solved, compared;  /* systems */
static double worst;          /* backward error, in eps */

/* A system may be singular by chance; the dense elimination then says so, too. For a row that does not scale, a graded
 * matrix may be so near to singular that it meets a zero, and the condition of the matrix with rows of one size bounds
 * the forward error only where they were of one size before. */
static void check_system(const struct kind *kind, const struct batch *y, int j, const double *x, int bad)
{
    const struct sw_band_desc *d = &y->d;
    long double *exact = calloc((size_t)d->n, sizeof *exact), size = 0, off = 0, condition;
    const bool bounds = scales() || kind->alike;
    assert_non_null(exact);
    condition = solve_dense(y, j, exact);
    if (bad) {
        assert_true(condition > 1e14L || !bounds);
    } else {
        const double error = backward_error(y, j, x);
        if (!(error <= LIMIT * DBL_EPSILON))
            fail_msg("%s, n %d lower %d upper %d%s, system %d of %d: backward error %.3g eps", kind->name, d->n,
                     d->lower, d->upper, d->periodic ? " periodic" : "", j, d->batch, error / DBL_EPSILON);
        worst = fmax(worst, error / DBL_EPSILON);
        solved++;
    }
    for (int i = 0; i < d->n; i++) {
        size = fmaxl(size, fabsl(exact[i]));
        off = fmaxl(off, fabsl(exact[i] - x[i]));
    }
    if (condition < 1e12L && bounds) {
        assert_int_equal(bad, 0);
        assert_true(off <= 2 * LIMIT * DBL_EPSILON * condition * size);  /* of |A| |x| + |b| <= 2 |A| |x| */
        compared++;
    }
    free(exact);
}

static void check_batch(const struct kind *kind, struct sw_band_desc d)
{
    struct batch y = make(kind, d, 1 + (uint64_t)(d.n + 100 * d.batch));
    struct sw_band *s = NULL;
    double *x = zeros(entries(&d));
    int bad[64] = {0};
    assert_ok(sw_band_create(&d, under_test->name, device, &s));
    enum sw_status st = factor(s, &y, bad);
    assert_true(st == SW_OK || st == SW_E_SINGULAR);
    solve(s, y.b, x);
    for (int j = 0; j < d.batch && j < 9; j++) check_system(kind, &y, j, x + (size_t)j * d.n, bad[j]);
    for (int j = 0; j < d.batch && under_test->solve_one; j++) sw_band_solve_one(s, j, y.b + (size_t)j * d.n);
    if (under_test->solve_one) assert_memory_equal(y.b, x, entries(&d) * sizeof *x);
    sw_band_destroy(&s);
    sw_free(x);
    free_batch(&y);
}

static void check_kind(const struct kind *kind, bool periodic)
{
    static const int size[] = {1, 2, 3, 4, 5, 9, 10, 18, 37}, batch[] = {1, 7, 8, 9, 64};
    for (int width = 0; width < 25; width++)
        for (int k = 0; k < (small_suite() ? 6 : 9); k++)
            for (int l = 0; l < 5; l++) {
                const struct sw_band_desc d = {.n = size[k], .batch = batch[l], .lower = width % 5, .upper = width / 5,
                                               .periodic = periodic};
                if (periodic && d.n < d.lower + d.upper + 1) continue;
                if (d.n > 10 && l % 2) continue;
                if (under_test->fits(&d)) check_batch(kind, d);
            }
}

static bool need_pivots(void)
{
    need_row_and_library();
    return sw_band_pivots(under_test->name);
}

static void leaves_small_backward_errors_where_rows_must_be_exchanged(void **state)
{
    (void)state;
    if (!need_pivots()) return;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        solved = compared = 0;
        worst = 0;
        if (kinds[k].extreme && !scales()) continue;
        for (int periodic = kinds[k].periodic; periodic < 2; periodic++) check_kind(&kinds[k], periodic);
        printf("# %s: %d systems, %d compared, backward errors up to %.2g eps\n", kinds[k].name, solved, compared,
               worst);
        assert_true(solved > 0);
        assert_true(compared > 0 || (!kinds[k].alike && !scales()));
    }
}

/* Circles turned by 1 to 4 are solved without a rounding. */
static void solves_turned_circles_exactly(void **state)
{
    (void)state;
    if (!need_pivots()) return;
    for (int by = -SW_BAND_SIDE; by <= SW_BAND_SIDE; by++)
        for (int n = 9; n < 30; n++) {
            const struct sw_band_desc d = {.n = n, .batch = 9, .lower = by < 0 ? -by : 0, .upper = by > 0 ? by : 0,
                                           .periodic = true};
            struct batch y = make_batch(d);
            double *x = zeros(entries(&d));
            uint64_t seed = 3;
            for (int j = 0; j < d.batch; j++)
                for (int i = 0; i < n; i++) {
                    *entry(&y, j, i, by) = 1;
                    y.b[(size_t)j * n + i] = test_random(&seed);
                }
            solve_batch(&y, x);
            for (int j = 0; j < d.batch; j++)
                for (int i = 0; i < n; i++)
                    assert_true(x[(size_t)j * n + (i + by + n) % n] == y.b[(size_t)j * n + i]);
            sw_free(x);
            free_batch(&y);
        }
}

/* Systems 1 to 3 get a NaN, an infinity and a column of zeros; the bits of the others stay. */
static void check_spoilt(struct sw_band_desc d)
{
    const int column = d.n / 2;
    struct batch y = make(&kinds[0], d, 8);
    double *clean = zeros(entries(&d)), *x = zeros(entries(&d));
    struct sw_band *s = NULL;
    int bad[16] = {0};
    solve_batch(&y, clean);
    *entry(&y, 1, column, d.upper) = NAN;
    *entry(&y, 2, column, -d.lower) = INFINITY;
    for (int off = -d.lower; off <= d.upper; off++) *entry(&y, 3, column - off, off) = 0;
    assert_ok(sw_band_create(&d, under_test->name, device, &s));
    assert_int_equal(factor(s, &y, bad), SW_E_SINGULAR);
    assert_int_equal(bad[3], 1 + column);
    solve(s, y.b, x);
    for (int j = 0; j < d.batch; j++)
        if (j >= 1 && j <= 3) {
            bool lost = false;
            for (int i = 0; i < d.n; i++) lost = lost || !isfinite(x[(size_t)j * d.n + i]);
            assert_true(lost);
        } else {
            assert_int_equal(bad[j], 0);
            assert_memory_equal(x + (size_t)j * d.n, clean + (size_t)j * d.n, (size_t)d.n * sizeof *x);
        }
    sw_band_destroy(&s);
    sw_free(clean);
    sw_free(x);
    free_batch(&y);
}

static void harms_no_other_system(void **state)
{
    (void)state;
    if (!need_pivots()) return;
    for (int width = 1; width <= SW_BAND_SIDE; width++)
        for (int periodic = 0; periodic < 2; periodic++)
            for (int batch = 4; batch <= 13; batch += 9)
                check_spoilt((struct sw_band_desc){.n = 24, .batch = batch, .lower = width, .upper = width,
                                                   .periodic = periodic});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_small_backward_errors_where_rows_must_be_exchanged),
        cmocka_unit_test(solves_turned_circles_exactly),
        cmocka_unit_test(harms_no_other_system),
    };
    int failed = 0;
    for_each_row(sw_band_table) failed += run_for_row(tests);
    return failed != 0;
}
