/* The arithmetic of cuda.thomas, which a GPU runs one thread a system, run here on the host over the same interleaved
 * arrays. */
#include "helpers.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/papers/thomas_point.h"

enum { SYSTEMS = 3, LD = 5 };

struct problem {
    int n, lower, upper, p;
    bool periodic;
    double *band, *x, *b, *factor, *Z;  /* vectors of n*LD */
};

static void make(struct problem *q, int n, int lower, int upper, bool periodic)
{
    size_t vector = (size_t)n * LD;
    *q = (struct problem){.n = n, .lower = lower, .upper = upper, .periodic = periodic};
    q->p = !periodic ? 0 : lower > upper ? lower : upper;
    assert_ok(sw_alloc(5 * vector, &q->band));
    assert_ok(sw_alloc(vector, &q->x));
    assert_ok(sw_alloc(vector, &q->b));
    assert_ok(sw_alloc(5 * vector, &q->factor));
    assert_ok(sw_alloc(2 * vector, &q->Z));
}

static void drop(struct problem *q)
{
    sw_free(q->band);
    sw_free(q->x);
    sw_free(q->b);
    sw_free(q->factor);
    sw_free(q->Z);
}

/* Diagonally dominant, every entry different; b = A x. Entries outside a matrix that does not wrap hold rubbish. */
static void fill(struct problem *q)
{
    uint64_t seed = (uint64_t)(q->n * 100 + q->lower * 10 + q->upper);
    size_t vector = (size_t)q->n * LD;
    for (size_t k = 0; k < vector; k++) q->x[k] = test_random(&seed);
    for (int off = -q->lower; off <= q->upper; off++)
        for (size_t k = 0; k < vector; k++)
            q->band[(size_t)(off + 2) * vector + k] = test_random(&seed) + (off ? 0.0 : 6.0);
    for (int i = 0; i < q->n; i++)
        for (int j = 0; j < SYSTEMS; j++) {
            double sum = 0.0;
            for (int off = -q->lower; off <= q->upper; off++) {
                double *a = &q->band[(size_t)(off + 2) * vector + (size_t)i * LD + (size_t)j];
                bool outside = i + off < 0 || i + off >= q->n;
                if (outside && !q->periodic) *a = 1e30;
                else sum += *a * q->x[(size_t)((i + off + q->n) % q->n) * LD + (size_t)j];
            }
            q->b[(size_t)i * LD + (size_t)j] = sum;
        }
}

static struct sw_thomas_matrix matrix_of(const struct problem *q, int j)
{
    struct sw_thomas_matrix A = {.stride = LD, .n = q->n, .p = q->p};
    for (int off = -q->lower; off <= q->upper; off++) A.diagonal[off + 2] = q->band + (off + 2) * q->n * LD + j;
    return A;
}

static struct sw_thomas_factors factors_of(const struct problem *q, int j)
{
    size_t vector = (size_t)q->n * LD;
    double *f = q->factor + j;
    return (struct sw_thomas_factors){f, f + vector, f + 2 * vector, f + 3 * vector, f + 4 * vector, LD};
}

static void solve_inner(const struct problem *q, struct sw_thomas_factors f, double *x)
{
    sw_thomas_inner_solve(q->n - q->p, LD, f.inverse, f.a, f.b, f.gamma, f.delta, x);
}

/* What band_thomas.cu does for one system. */
static int solve(struct problem *q, int j)
{
    struct sw_thomas_matrix A = matrix_of(q, j);
    struct sw_thomas_factors f = factors_of(q, j);
    struct sw_border c = {0};
    double *Z0 = q->Z + j, *Z1 = Z0 + q->n * LD;
    int bad = sw_thomas_prepare(&A, &f, &c, Z0, Z1);
    assert_int_equal(sw_thomas_factor(&A, NULL), 0);
    if (bad) return bad;
    solve_inner(q, f, q->b + j);
    if (q->p) sw_thomas_correct(&c, q->n, q->p, LD, Z0, Z1, q->b + j);
    return 0;
}

static void check(int n, int lower, int upper, bool periodic)
{
    struct problem q;
    make(&q, n, lower, upper, periodic);
    fill(&q);
    double untouched = q.b[SYSTEMS];
    for (int j = 0; j < SYSTEMS; j++) assert_int_equal(solve(&q, j), 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < SYSTEMS; j++) {
            /* Rows sum to at most 10, dominant by at least 1: condition <= 10, so 1e-14 is some 5 roundings. */
            double off = fabs(q.b[i * LD + j] - q.x[i * LD + j]);
            if (!(off <= 1e-14)) fail_msg("n = %d, %d + 1 + %d%s: x[%d] of system %d is off by %.3g", n, lower, upper,
                                          periodic ? " periodic" : "", i, j, off);
        }
    assert_true(q.b[SYSTEMS] == untouched);
    drop(&q);
}

static void recovers_known_solutions_of_every_shape(void **state)
{
    static const int sizes[] = {3, 4, 5, 6, 7, 31, 32, 33, 100, 333};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int lower = 0; lower <= 2; lower++)
            for (int upper = 0; upper <= 2; upper++) {
                check(sizes[k], lower, upper, false);
                if (sizes[k] >= lower + upper + 1) check(sizes[k], lower, upper, true);
            }
}

static void finds_the_row_of_a_bad_pivot(void **state)
{
    struct problem q;
    (void)state;
    make(&q, 9, 2, 2, true);
    for (int bad = 0; bad < 7; bad++) {  /* a diagonal matrix with one zero */
        memset(q.band, 0, 5 * 9 * LD * sizeof *q.band);
        for (int k = 0; k < 9 * LD; k++) q.band[2 * 9 * LD + k] = 1.0;
        q.band[2 * 9 * LD + bad * LD + 1] = bad % 2 ? NAN : 0.0;
        struct sw_thomas_matrix A = matrix_of(&q, 1);
        struct sw_thomas_factors f = factors_of(&q, 1);
        assert_int_equal(sw_thomas_factor(&A, &f), 1 + bad);
    }
    drop(&q);
}

static void finds_the_row_of_a_bad_border(void **state)
{
    struct problem q;
    (void)state;
    for (int bad = 7; bad < 9; bad++) {
        make(&q, 9, 2, 2, true);
        for (int k = 0; k < 9 * LD; k++) q.band[2 * 9 * LD + k] = 1.0;
        q.band[2 * 9 * LD + bad * LD + 1] = bad % 2 ? NAN : 0.0;
        assert_int_equal(solve(&q, 0), 0);
        assert_int_equal(solve(&q, 1), 1 + bad);
        drop(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_known_solutions_of_every_shape),
        cmocka_unit_test(finds_the_row_of_a_bad_pivot),
        cmocka_unit_test(finds_the_row_of_a_bad_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
