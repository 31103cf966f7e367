#ifndef TABLE_III_H
#define TABLE_III_H
/* The 16 matrices of table III of the paper on SPIKE with diagonal pivoting (Chang et al., SC 2012), from the words of
 * that table and the documentation of MATLAB's gallery(): written apart from the program's own, so that tests compare
 * the two. Types 2, 6, 14 and 16 are Toeplitz matrices, as the table says: one random number a diagonal; only so do 14
 * and 16 have condition numbers like the published ones, 10^67 and 10^191. Types 17 to 20 are the same with random
 * numbers all along the off-diagonals. Also elimination with partial pivoting as LAPACK's dgtsv has it, in double and
 * in quadruple precision. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"

#if LDBL_MANT_DIG >= 113
typedef long double quad;
#else
typedef __float128 quad;
#endif

static inline quad quad_abs(quad x) { return x < 0 ? -x : x; }

/* Rows 0 .. n-1; lower[0] and upper[n-1] are NaN, which nobody may look at. */
struct tri { int64_t n; double *lower, *main, *upper, *rhs; };

static inline struct tri tri_make(int64_t n)
{
    struct tri t = {.n = n};
    assert_ok(sw_alloc(4 * (size_t)n, &t.lower));
    t.main = t.lower + n;
    t.upper = t.main + n;
    t.rhs = t.upper + n;
    return t;
}

static inline void tri_free(struct tri *t) { sw_free(t->lower); }

/* ------------------------------------------------------------------ gallery('randsvd', n, 1e15, mode, 1, 1) */

static inline double normal(uint64_t *seed)
{
    const double u = 0.5 - 0.5 * test_random(seed), v = test_random(seed);  /* u in (0, 1) */
    return sqrt(-2 * log(u)) * cos(3.141592653589793 * v);
}

static inline double square_sum(int n, const double *v, int from)
{
    double sum = 0;
    for (int i = from; i < n; i++) sum += v[i] * v[i];
    return sum;
}

/* X := (I - 2 v v'/v'v) X, v from entry `from` on; X is n x n, row after row. */
static inline void reflect_left(int n, double *x, const double *v, int from)
{
    const double square = square_sum(n, v, from);
    double *sum = NULL;
    if (square == 0) return;
    assert_ok(sw_alloc((size_t)n, &sum));
    for (int i = from; i < n; i++)
        for (int j = 0; j < n; j++) sum[j] += v[i] * x[i * n + j];
    for (int i = from; i < n; i++)
        for (int j = 0; j < n; j++) x[i * n + j] -= 2 / square * v[i] * sum[j];
    sw_free(sum);
}

/* X := X (I - 2 v v'/v'v) */
static inline void reflect_right(int n, double *x, const double *v, int from)
{
    const double square = square_sum(n, v, from);
    if (square == 0) return;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = from; j < n; j++) sum += v[j] * x[i * n + j];
        for (int j = from; j < n; j++) x[i * n + j] -= 2 / square * v[j] * sum;
    }
}

static inline double singular_value(int n, int mode, int i)
{
    const double kappa = 1e15, t = n > 1 ? (double)i / (n - 1) : 0;
    switch (mode) {
    case 1: return i > 0 ? 1 / kappa : 1;      /* one large */
    case 2: return i < n - 1 ? 1 : 1 / kappa;  /* one small */
    case 3: return pow(kappa, -t);
    default: return 1 - t * (1 - 1 / kappa);
    }
}

/* Random orthogonal matrices on both sides of the singular values, then Householder reflections from both sides until
 * one diagonal is left on each side of the main one. */
static inline void make_randsvd(int n, int mode, uint64_t *seed, double *lower, double *diagonal, double *upper)
{
    double *x = NULL, *v;
    assert_ok(sw_alloc((size_t)n * (size_t)n + (size_t)n, &x));
    v = x + n * n;
    for (int i = 0; i < n; i++) x[i * n + i] = singular_value(n, mode, i);
    for (int k = n - 2; k >= 0; k--) {
        for (int i = k; i < n; i++) v[i] = normal(seed);
        reflect_right(n, x, v, k);
        for (int i = k; i < n; i++) v[i] = normal(seed);
        reflect_left(n, x, v, k);
    }
    for (int j = 0; j < n - 2; j++) {
        for (int i = j + 1; i < n; i++) v[i] = x[i * n + j];
        v[j + 1] += copysign(sqrt(square_sum(n, v, j + 1)), v[j + 1]);
        reflect_left(n, x, v, j + 1);
        for (int i = j + 1; i < n; i++) v[i] = x[j * n + i];
        v[j + 1] += copysign(sqrt(square_sum(n, v, j + 1)), v[j + 1]);
        reflect_right(n, x, v, j + 1);
    }
    for (int i = 0; i < n; i++) {
        lower[i] = i > 0 ? x[i * n + i - 1] : 0;
        diagonal[i] = x[i * n + i];
        upper[i] = i < n - 1 ? x[i * n + i + 1] : 0;
    }
    sw_free(x);
}

/* Blocks of so many rows, all alike, and a smaller one of the rows that are left. */
static inline void make_randsvd_blocks(int mode, int block, uint64_t *seed, struct tri *t)
{
    const int64_t n = t->n, whole = n - n % block;
    if (whole > 0) make_randsvd(block, mode, seed, t->lower, t->main, t->upper);
    for (int64_t i = block; i < whole; i++) {
        t->lower[i] = t->lower[i - block];
        t->main[i] = t->main[i - block];
        t->upper[i] = t->upper[i - block];
    }
    if (whole < n) make_randsvd((int)(n - whole), mode, seed, t->lower + whole, t->main + whole, t->upper + whole);
}

/* ------------------------------------------------------------------ the others */

/* Row i = 1 .. n of gallery('dorr', n, 1e-4). */
static inline void set_dorr(int64_t n, int64_t i, double *a, double *b, double *c)
{
    const double theta = 1e-4, h = 1.0 / (double)(n + 1), term = theta / (h * h);
    const double across = (0.5 - (double)i * h) / h;
    const bool first = i <= (n + 1) / 2;
    *a = first ? -term : -term + across;
    *c = first ? -term - across : -term;
    *b = -(*a + *c);
}

/* Streams of test_random() that begin at multiples of its step would be one stream, shifted. */
static inline uint64_t seed_of(uint64_t seed, uint64_t what)
{
    uint64_t k = (seed * 1000003 + what) * 0xd1342543de82ef95u;
    k = (k ^ (k >> 32)) * 0xd6e8feb86659fd93u;
    return k ^ (k >> 32);
}

enum { TABLE_III_TYPES = 20 };

/* With zeros on the main diagonal a matrix of an odd number of rows is singular. */
static inline bool is_regular(int type, int64_t n) { return (type != 15 && type != 16 && type != 20) || n % 2 == 0; }

/* @param type   1 .. 20  @param block  rows of types 8 to 11 that are one matrix */
static inline struct tri make_table_iii(int type, int64_t n, int block, uint64_t seed)
{
    static const int mode[] = {2, 3, 1, 4};
    static const double main_of[] = {1e8, 64, 1e-8, 0};
    struct tri t = tri_make(n);
    seed = seed_of(seed, (uint64_t)(100 * n + type));
    const double below = test_random(&seed), above = test_random(&seed);
    if (type >= 8 && type <= 11) make_randsvd_blocks(mode[type - 8], block, &seed, &t);
    else
        for (int64_t k = 0; k < n; k++) {
            const double i = (double)k + 1, u = test_random(&seed), v = test_random(&seed), w = test_random(&seed);
            double a = u, b = v, c = w;
            switch (type) {
            case 2: a = below; b = 1e8; c = above; break;
            case 3: a = 1 / i; b = -(2 * i + 3); c = i + 1; break;
            case 4: a *= k == n / 2 ? 1e-50 : 1; break;
            case 5: a *= test_random(&seed) < 0; c *= test_random(&seed) < 0; break;
            case 6: a = below; b = 64; c = above; break;
            case 7: a = c = -0.5 / 0.75; b = (k == 0 || k == n - 1 ? 1 : 1.25) / 0.75; break;
            case 12: a *= 1e-50; break;
            case 13: set_dorr(n, k + 1, &a, &b, &c); break;
            case 14: a = below; b = 1e-8; c = above; break;
            case 15: a = (double)n - (double)k; b = 0; c = i; break;
            case 16: a = below; b = 0; c = above; break;
            case 17: case 18: case 19: case 20: b = main_of[type - 17]; break;
            default: break;
            }
            t.lower[k] = a; t.main[k] = b; t.upper[k] = c;
        }
    t.lower[0] = t.upper[n - 1] = NAN;
    return t;
}

/* Numbers from U(-1, 1), as the paper's residuals must have had; or A x with x from U(2, 4). */
static inline void set_rhs(struct tri *t, bool of_solution, uint64_t seed)
{
    seed = seed_of(seed, 0);
    double before = 0, x = 3 + test_random(&seed), behind;
    for (int64_t i = 0; i < t->n; i++, before = x, x = behind) {
        behind = 3 + test_random(&seed);
        long double sum = (long double)t->main[i] * x;
        if (i > 0) sum += (long double)t->lower[i] * before;
        if (i < t->n - 1) sum += (long double)t->upper[i] * behind;
        t->rhs[i] = of_solution ? (double)sum : behind - 3;
    }
}

/* ------------------------------------------------------------------ dgtsv */

/* A x = f, or A' x = f; work [4n]. */
#define DEFINE_GTSV(name, real, magnitude)                                                                      \
    static inline void name(const struct tri *t, bool transposed, real *work, real *x)                           \
    {                                                                                                            \
        const int64_t n = t->n;                                                                                  \
        real *dl = work, *d = work + n, *du = d + n, *second = du + n;                                           \
        for (int64_t i = 0; i < n; i++) {                                                                        \
            d[i] = t->main[i];                                                                                   \
            dl[i] = i == n - 1 ? 0 : transposed ? t->upper[i] : t->lower[i + 1];                                 \
            du[i] = i == n - 1 ? 0 : transposed ? t->lower[i + 1] : t->upper[i];                                 \
            second[i] = 0;                                                                                       \
        }                                                                                                        \
        for (int64_t i = 0; i < n - 1; i++)                                                                      \
            if (magnitude(d[i]) >= magnitude(dl[i])) {                                                           \
                const real m = dl[i] / d[i];                                                                     \
                d[i + 1] -= m * du[i];                                                                           \
                x[i + 1] -= m * x[i];                                                                            \
            } else {                                                                                             \
                const real m = d[i] / dl[i], next = d[i + 1], f = x[i];                                          \
                d[i] = dl[i];                                                                                    \
                d[i + 1] = du[i] - m * next;                                                                     \
                du[i] = next;                                                                                    \
                if (i < n - 2) {                                                                                 \
                    second[i] = du[i + 1];                                                                       \
                    du[i + 1] *= -m;                                                                             \
                }                                                                                                \
                x[i] = x[i + 1];                                                                                 \
                x[i + 1] = f - m * x[i + 1];                                                                     \
            }                                                                                                    \
        for (int64_t i = n - 1; i >= 0; i--) {                                                                   \
            if (i < n - 1) x[i] -= du[i] * x[i + 1];                                                             \
            if (i < n - 2) x[i] -= second[i] * x[i + 2];                                                         \
            x[i] /= d[i];                                                                                        \
        }                                                                                                        \
    }
DEFINE_GTSV(gtsv_double, double, fabs)
DEFINE_GTSV(gtsv_quad, quad, quad_abs)

static inline void solve_double(const struct tri *t, double *x)
{
    double *work = NULL;
    assert_ok(sw_alloc(4 * (size_t)t->n, &work));
    memcpy(x, t->rhs, (size_t)t->n * sizeof *x);
    gtsv_double(t, false, work, x);
    sw_free(work);
}

static inline void solve_quad(const struct tri *t, quad *x)
{
    quad *work = NULL;
    assert_ok(sw_alloc(4 * (size_t)t->n, &work));
    for (int64_t i = 0; i < t->n; i++) x[i] = t->rhs[i];
    gtsv_quad(t, false, work, x);
    sw_free(work);
}

/* ------------------------------------------------------------------ errors */

struct errors {
    double backward;  /* max norms: |Ax - f| / (|A| |x| + |f|) */
    double residual;  /* 2-norms: |Ax - f| / |f|, the paper's (13) */
};

static inline struct errors errors_of(const struct tri *t, const double *x)
{
    long double r_max = 0, a_max = 0, x_max = 0, f_max = 0, r_sum = 0, f_sum = 0;
    for (int64_t i = 0; i < t->n; i++) {
        if (!isfinite(x[i])) return (struct errors){INFINITY, INFINITY};
        long double r = (long double)t->main[i] * x[i] - t->rhs[i], a = fabs(t->main[i]);
        if (i > 0) r += (long double)t->lower[i] * x[i - 1], a += fabs(t->lower[i]);
        if (i < t->n - 1) r += (long double)t->upper[i] * x[i + 1], a += fabs(t->upper[i]);
        r_max = fmaxl(r_max, fabsl(r));
        a_max = fmaxl(a_max, a);
        x_max = fmaxl(x_max, fabsl((long double)x[i]));
        f_max = fmaxl(f_max, fabsl((long double)t->rhs[i]));
        r_sum += r * r;
        f_sum += (long double)t->rhs[i] * t->rhs[i];
    }
    return (struct errors){(double)(r_max / (a_max * x_max + f_max)), (double)sqrtl(r_sum / f_sum)};
}

/* Max norms: |x - z| / |z|. */
static inline double forward_error_of(int64_t n, const double *x, const quad *z)
{
    quad error = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return INFINITY;
        if (quad_abs(x[i] - z[i]) > error) error = quad_abs(x[i] - z[i]);
        if (quad_abs(z[i]) > size) size = quad_abs(z[i]);
    }
    return (double)(error / size);
}

/* The condition number in 2-norms, by the power method on A'A and on its inverse, in quadruple precision. */
static inline double condition_of(const struct tri *t)
{
    enum { STEPS = 150 };
    const int64_t n = t->n;
    quad *x = NULL, *work, *y;
    long double norm[2];
    assert_ok(sw_alloc(6 * (size_t)n, &x));
    y = x + n;
    work = y + n;
    for (int inverse = 0; inverse < 2; inverse++) {
        uint64_t seed = 7;
        for (int64_t i = 0; i < n; i++) x[i] = test_random(&seed);
        for (int step = 0; step < STEPS; step++) {
            quad size = 0;
            for (int64_t i = 0; i < n; i++) size = quad_abs(x[i]) > size ? quad_abs(x[i]) : size;
            for (int64_t i = 0; i < n; i++) x[i] /= size;
            long double square = 0, image = 0;
            for (int64_t i = 0; i < n; i++) square += (long double)x[i] * (long double)x[i];
            for (int transposed = 0; transposed < 2; transposed++) {  /* y := A x, A^-1 x, and then the transpose's */
                for (int64_t i = 0; i < n; i++) {
                    y[i] = x[i];
                    if (inverse) continue;
                    y[i] = t->main[i] * x[i];
                    if (i > 0) y[i] += (transposed ? t->upper[i - 1] : t->lower[i]) * x[i - 1];
                    if (i < n - 1) y[i] += (transposed ? t->lower[i + 1] : t->upper[i]) * x[i + 1];
                }
                if (inverse) gtsv_quad(t, transposed, work, y);
                for (int64_t i = 0; i < n; i++) x[i] = y[i];
                if (!transposed)
                    for (int64_t i = 0; i < n; i++) image += (long double)x[i] * (long double)x[i];
            }
            norm[inverse] = sqrtl(image / square);
        }
    }
    sw_free(x);
    return (double)(norm[0] * norm[1]);
}

/* The condition number in max norms, from the columns of the inverse in quadruple precision. */
static inline double max_condition_of(const struct tri *t)
{
    const int64_t n = t->n;
    quad *x = NULL, *work, *sum, most = 0;
    long double a_max = 0;
    assert_ok(sw_alloc(6 * (size_t)n, &x));
    work = x + n;
    sum = work + 4 * n;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++) x[i] = i == j;
        gtsv_quad(t, false, work, x);
        for (int64_t i = 0; i < n; i++) sum[i] += quad_abs(x[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        if (sum[i] > most) most = sum[i];
        a_max = fmaxl(a_max, fabsl((long double)t->main[i]) + (i > 0 ? fabs(t->lower[i]) : 0) +
                                 (i < n - 1 ? fabs(t->upper[i]) : 0));
    }
    sw_free(x);
    return (double)(most * a_max);
}
#endif
