#ifndef TRIDIAGONAL_MATRICES_H
#define TRIDIAGONAL_MATRICES_H
/* Tridiagonal systems for tests, on the host: kinds of matrices from harmless to nearly singular, right-hand sides of a
 * known x, eliminations to compare with, and errors. Entry i of system j is at j*n + i, as in linalg/sw_tridiagonal.h.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "helpers.h"

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef long double quad;
#endif

struct systems {
    int64_t n;
    int     batch;
    bool    cyclic;
    double *lower, *main, *upper, *rhs, *x;  /* rhs = A x, rounded */
};

static inline size_t entries(const struct systems *y) { return (size_t)y->n * (size_t)y->batch; }

static inline struct systems make_systems(int64_t n, int batch, bool cyclic)
{
    struct systems y = {.n = n, .batch = batch, .cyclic = cyclic};
    double **array[] = {&y.lower, &y.main, &y.upper, &y.rhs, &y.x};
    for (int k = 0; k < 5; k++) *array[k] = zeros(entries(&y));
    return y;
}

static inline void free_systems(struct systems *y)
{
    double *array[] = {y->lower, y->main, y->upper, y->rhs, y->x};
    for (int k = 0; k < 5; k++) sw_free(array[k]);
}

/* (A x)_i of system j, and |A|'s row sum; what lies outside of the matrix is not looked at. */
static inline long double row_times(const struct systems *y, int j, int64_t i, const double *x, double *size)
{
    const size_t at = (size_t)j * (size_t)y->n, k = at + (size_t)i;
    const bool left = i > 0 || y->cyclic, right = i < y->n - 1 || y->cyclic;
    long double sum = (long double)y->main[k] * x[at + (size_t)i];
    *size = fabs(y->main[k]);
    if (left) sum += (long double)y->lower[k] * x[at + (size_t)((i + y->n - 1) % y->n)];
    if (right) sum += (long double)y->upper[k] * x[at + (size_t)((i + 1) % y->n)];
    if (left) *size += fabs(y->lower[k]);
    if (right) *size += fabs(y->upper[k]);
    return sum;
}

static inline void set_right_hand_sides(struct systems *y)
{
    double size;
    for (int j = 0; j < y->batch; j++)
        for (int64_t i = 0; i < y->n; i++)
            y->rhs[(size_t)j * (size_t)y->n + (size_t)i] = (double)row_times(y, j, i, y->x, &size);
}

/* Random, diagonally dominant by 1: |A^-1| <= 1, |A| <= 5. */
static inline struct systems dominant_systems(int64_t n, int batch, bool cyclic, uint64_t seed)
{
    struct systems y = make_systems(n, batch, cyclic);
    for (size_t k = 0; k < entries(&y); k++) {
        y.lower[k] = test_random(&seed);
        y.upper[k] = test_random(&seed);
        y.main[k] = (test_random(&seed) < 0 ? -1 : 1) * (1 + fabs(y.lower[k]) + fabs(y.upper[k]));
        y.x[k] = test_random(&seed);
    }
    set_right_hand_sides(&y);
    return y;
}

/* Random signs; sizes 2^(-40 .. 40) of rows (by = 1), columns (by = 2) or neither; entries are zero with a
 * probability. */
static inline struct systems graded_systems(int64_t n, bool cyclic, int by, double zero, uint64_t *seed)
{
    struct systems y = make_systems(n, 1, cyclic);
    double *size = zeros((size_t)n);
    for (int64_t i = 0; i < n; i++) size[i] = by ? ldexp(1, (int)(40 * test_random(seed))) : 1;
    for (int64_t i = 0; i < n; i++) {
        double *entry[] = {&y.lower[i], &y.main[i], &y.upper[i]};
        for (int k = 0; k < 3; k++) {
            const double scale = by == 2 ? size[(i + k - 1 + n) % n] : size[i], value = test_random(seed);
            *entry[k] = fabs(test_random(seed)) < zero ? 0 : scale * value;
        }
        y.x[i] = test_random(seed);
    }
    sw_free(size);
    set_right_hand_sides(&y);
    return y;
}

/* ---- the kinds of matrices: the 16 of Chang et al. (2012), table III, then others that are hard in other ways */

#define MATRIX_KIND_LIST(X)                                                                                    \
    X("random U(-1,1)") X("main 1e8") X("lesp") X("random, one 1e-50") X("half of the off-diagonals zero")     \
    X("main 64") X("inverse of Kac-Murdock-Szego") X("one small singular value")                               \
    X("geometric singular values") X("one large singular value") X("arithmetic singular values")               \
    X("lower times 1e-50") X("dorr") X("main 1e-8") X("clement") X("main zero") X("normal N(0,1)")             \
    X("-1 2 -1") X("rows times 1e-8 to 1e8") X("blocks 0 1 1 0") X("-1 1 1") X("main zero, symmetric")         \
    X("columns times 1e-8 to 1e8") X("upper 1, main -1e-3, lower 1") X("random, -1 2 -1 in the middle")
#define X(name) name,
static const char *const matrix_names[] = {MATRIX_KIND_LIST(X)};
#undef X
enum { MATRIX_KINDS = sizeof matrix_names / sizeof *matrix_names };

static inline const char *matrix_name(int kind) { return matrix_names[kind]; }

static inline double normal(uint64_t *seed)
{
    const double u = 0.5 * (1 + test_random(seed)), v = test_random(seed);
    return sqrt(-2 * log(u > 0 ? u : 0.5)) * cos(3.14159265358979 * v);
}

enum { BLOCK = 64 };

/* The reflection by v[from ..] of columns (or rows) of a dense matrix. */
static inline void reflect(double (*A)[BLOCK], const double *v, int from, bool columns)
{
    double q = 0;
    for (int i = from; i < BLOCK; i++) q += v[i] * v[i];
    for (int j = 0; j < BLOCK && q > 0; j++) {
        double s = 0;
        for (int i = from; i < BLOCK; i++) s += v[i] * (columns ? A[i][j] : A[j][i]);
        for (int i = from; i < BLOCK; i++) *(columns ? &A[i][j] : &A[j][i]) -= 2 * s / q * v[i];
    }
}

/* A dense matrix of these singular values with random singular vectors, reduced to tridiagonal form by reflections. */
static inline void random_singular_values(int mode, uint64_t *seed, double (*A)[BLOCK])
{
    const double condition = 1e15;
    double v[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < BLOCK; j++) {
            const double t = i / (BLOCK - 1.0);
            A[i][j] = i != j      ? 0
                      : mode == 0 ? (i < BLOCK - 1 ? 1 : 1 / condition)
                      : mode == 1 ? pow(condition, -t)
                      : mode == 2 ? (i ? 1 / condition : 1)
                                  : 1 - t * (1 - 1 / condition);
        }
    for (int k = BLOCK - 2; k >= 0; k--)
        for (int columns = 0; columns < 2; columns++) {
            for (int i = k; i < BLOCK; i++) v[i] = normal(seed);
            reflect(A, v, k, columns);
        }
    for (int k = 0; k < BLOCK - 1; k++)
        for (int columns = 1; columns >= 0; columns--) {
            double q = 0;
            for (int i = k + 1; i < BLOCK; i++) {
                v[i] = columns ? A[i][k] : A[k][i];
                q += v[i] * v[i];
            }
            v[k + 1] += v[k + 1] >= 0 ? sqrt(q) : -sqrt(q);
            reflect(A, v, k + 1, columns);
        }
}

static inline void fill_singular_values(int mode, struct systems *y, uint64_t *seed)
{
    static double A[BLOCK][BLOCK];
    random_singular_values(mode, seed, A);
    for (int64_t i = 0; i < y->n; i++) {
        const int k = (int)(i % BLOCK);
        const bool whole = i - k + BLOCK <= y->n;
        y->lower[i] = whole && k > 0 ? A[k][k - 1] : 0;
        y->main[i] = whole ? A[k][k] : 1;
        y->upper[i] = whole && k < BLOCK - 1 ? A[k][k + 1] : 0;
    }
}

/* Row i of a matrix whose entries a, b, c are random at first. */
static inline void set_row(int kind, int64_t n, int64_t i, double *a, double *b, double *c, uint64_t *seed)
{
    const double h = 1.0 / (double)(n + 1);
    switch (kind) {
    case 1: *b = 1e8; break;
    case 2: *a = 1 / (double)(i + 1); *b = -(double)(2 * i + 5); *c = (double)(i + 2); break;
    case 3: if (i == n / 2) *a *= 1e-50; break;
    case 4:
        if (test_random(seed) < 0) *a = 0;
        if (test_random(seed) < 0) *c = 0;
        break;
    case 5: *b = 64; break;
    case 6: *a = *c = -0.5 / 0.75; *b = (i == 0 || i == n - 1 ? 1 : 1.25) / 0.75; break;
    case 11: *a *= 1e-50; break;
    case 12: {
        const double theta = 1e-4, x = (double)(i + 1) * h;
        if (2 * (i + 1) <= n + 1) *a = -theta / (h * h), *c = *a - (0.5 - x) / h;
        else *c = -theta / (h * h), *a = *c + (0.5 - x) / h;
        *b = -(*a + *c);
        break;
    }
    case 13: *b = 1e-8; break;
    case 14: *b = 0; *a = (double)(n - i); *c = (double)(i + 1); break;
    case 15: *b = 0; break;
    case 16: *a = normal(seed); *b = normal(seed); *c = normal(seed); break;
    case 17: *a = *c = -1; *b = 2; break;
    case 18: { const double s = pow(10, 8 * test_random(seed)); *a *= s; *b *= s; *c *= s; break; }
    case 19: *b = 0; *a = i % 2 ? 1 : 0; *c = i % 2 ? 0 : 1; break;
    case 20: *a = -1; *b = *c = 1; break;
    case 21: *b = 0; break;  /* the upper diagonal is made the lower one afterwards */
    case 23: *c = 1; *b = -1e-3 * (1 + test_random(seed)); *a = 1 + 0.01 * test_random(seed); break;
    case 24: if (llabs((long long)(i - n / 2)) < 3000) *a = *c = -1, *b = 2; break;
    default: break;
    }
}

/* @return false where this kind has no such matrix that is regular: y is then nothing */
static inline bool make_matrix(int kind, int64_t n, bool cyclic, uint64_t seed, struct systems *y)
{
    *y = (struct systems){0};
    const bool even_only = kind == 14 || kind == 15 || kind == 19 || kind == 21;
    if (even_only && n % 2) return false;
    if (cyclic && (n < 3 || even_only || kind == 12 || kind == 17 || kind == 20 || (kind == 24 && n <= 6000)))
        return false;
    *y = make_systems(n, 1, cyclic);
    seed = seed * 1000 + (uint64_t)kind + 7919 * (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        y->lower[i] = test_random(&seed);
        y->main[i] = test_random(&seed);
        y->upper[i] = test_random(&seed);
        set_row(kind, n, i, &y->lower[i], &y->main[i], &y->upper[i], &seed);
    }
    if (kind >= 7 && kind <= 10) fill_singular_values(kind - 7, y, &seed);
    if (kind == 21)
        for (int64_t i = 0; i < n - 1; i++) y->upper[i] = y->lower[i + 1];
    if (kind == 22)
        for (int64_t i = 0; i < n; i++) {
            const double s = pow(10, 8 * test_random(&seed));
            y->main[i] *= s;
            y->upper[(i + n - 1) % n] *= s;
            y->lower[(i + 1) % n] *= s;
        }
    for (int64_t i = 0; i < n; i++) y->x[i] = 3 + normal(&seed);
    set_right_hand_sides(y);
    return true;
}

/* ---- eliminations with partial pivoting to compare with, of system 0 */

/* As LAPACK's dgtsv does it. */
#define DEFINE_ELIMINATE_LINE(name, real)                                                                      \
    static inline void name(const struct systems *y, real *x)                                                  \
    {                                                                                                          \
        const int64_t n = y->n;                                                                                \
        real *room = NULL, *d, *du, *d2;                                                                       \
        assert_ok(sw_alloc(3 * (size_t)n, &room));                                                             \
        d = room;                                                                                              \
        du = room + n;                                                                                         \
        d2 = room + 2 * n;                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            d[i] = y->main[i];                                                                                 \
            du[i] = i < n - 1 ? y->upper[i] : 0;                                                               \
            x[i] = y->rhs[i];                                                                                  \
        }                                                                                                      \
        for (int64_t i = 0; i < n - 1; i++) {                                                                  \
            const real dl = y->lower[i + 1], size = d[i] < 0 ? -d[i] : d[i];                                   \
            if (size >= (dl < 0 ? -dl : dl)) {                                                                 \
                const real m = dl / d[i];                                                                      \
                d[i + 1] -= m * du[i];                                                                         \
                x[i + 1] -= m * x[i];                                                                          \
            } else {                                                                                           \
                const real m = d[i] / dl, t = d[i + 1], f = x[i];                                              \
                d[i] = dl;                                                                                     \
                d[i + 1] = du[i] - m * t;                                                                      \
                d2[i] = du[i + 1];                                                                             \
                du[i + 1] = -m * du[i + 1];                                                                    \
                du[i] = t;                                                                                     \
                x[i] = x[i + 1];                                                                               \
                x[i + 1] = f - m * x[i + 1];                                                                   \
            }                                                                                                  \
        }                                                                                                      \
        for (int64_t i = n - 1; i >= 0; i--)                                                                   \
            x[i] = (x[i] - (i < n - 1 ? du[i] * x[i + 1] : 0) - (i < n - 2 ? d2[i] * x[i + 2] : 0)) / d[i];    \
        sw_free(room);                                                                                         \
    }
DEFINE_ELIMINATE_LINE(eliminate_line, double)
DEFINE_ELIMINATE_LINE(eliminate_line_quad, quad)

/* A row by its weights of x[n-1] met from the left, of x[0], of the column to be eliminated and the two behind it. */
struct circle_row { double last, first, next, next2, next3, rhs; };

static inline void subtract(struct circle_row *r, const struct circle_row *pivot)
{
    const double m = r->next / pivot->next;
    r->last -= m * pivot->last;
    r->first -= m * pivot->first;
    r->next = r->next2 - m * pivot->next2;
    r->next2 = r->next3 - m * pivot->next3;
    r->next3 = 0;
    r->rhs -= m * pivot->rhs;
}

static inline void order(struct circle_row *a, struct circle_row *b)
{
    const struct circle_row t = *a;
    if (fabs(b->next) > fabs(a->next)) *a = *b, *b = t;
}

/* A cyclic one: columns 1 .. n-2, each by the largest of the three rows that hold it, then two equations remain. */
static inline void eliminate_circle(const struct systems *y, double *x)
{
    const int64_t n = y->n;
    struct circle_row *kept = NULL, r = {y->lower[0], y->main[0], y->upper[0], 0, 0, y->rhs[0]},
                      s = {0, y->lower[1], y->main[1], y->upper[1], 0, y->rhs[1]};
    assert_ok(sw_alloc((size_t)n, &kept));
    for (int64_t i = 1; i < n - 1; i++) {
        struct circle_row t = {0, 0, y->lower[i + 1], y->main[i + 1], y->upper[i + 1], y->rhs[i + 1]};
        order(&r, &s);
        order(&r, &t);
        kept[i] = r;
        subtract(&s, &r);
        subtract(&t, &r);
        r = s;
        s = t;
    }
    double a = r.first + r.next2, b = r.next + r.last, f = r.rhs, c = s.first + s.next2, d = s.next + s.last, g = s.rhs;
    const bool swap = fabs(c) > fabs(a);
    const double m = swap ? a / c : c / a;
    x[n - 1] = swap ? (f - m * g) / (b - m * d) : (g - m * f) / (d - m * b);
    x[0] = swap ? (g - d * x[n - 1]) / c : (f - b * x[n - 1]) / a;
    for (int64_t i = n - 2; i >= 1; i--)
        x[i] = (kept[i].rhs - kept[i].last * x[n - 1] - kept[i].first * x[0] - kept[i].next2 * x[i + 1] -
                kept[i].next3 * x[(i + 2) % n]) / kept[i].next;
    sw_free(kept);
}

static inline void eliminate(const struct systems *y, double *x)
{
    if (y->cyclic) eliminate_circle(y, x);
    else eliminate_line(y, x);
}

/* ---- errors */

/* |A x - f| / (|A| |x| + |f|) of system j in the largest norm; NaN where x is not finite. */
static inline double backward_error(const struct systems *y, int j, const double *x)
{
    const size_t at = (size_t)j * (size_t)y->n;
    long double rest = 0;
    double size_a = 0, size_x = 0, size_f = 0;
    for (int64_t i = 0; i < y->n; i++) {
        double size;
        const long double r = row_times(y, j, i, x, &size) - y->rhs[at + (size_t)i];
        if (!isfinite(x[at + (size_t)i])) return NAN;
        rest = fmaxl(rest, fabsl(r));
        size_a = fmax(size_a, size);
        size_x = fmax(size_x, fabs(x[at + (size_t)i]));
        size_f = fmax(size_f, fabs(y->rhs[at + (size_t)i]));
    }
    return rest == 0 ? 0 : (double)(rest / ((long double)size_a * size_x + size_f));
}

/* |x - y| / |y| in the largest norm, y of elimination in quadruple precision; the system is not cyclic. */
static inline double forward_error(const struct systems *y, const double *x)
{
    quad *exact = NULL;
    double rest = 0, size = 0;
    assert_ok(sw_alloc((size_t)y->n, &exact));
    eliminate_line_quad(y, exact);
    for (int64_t i = 0; i < y->n; i++) {
        const double e = (double)(x[i] - exact[i]);
        if (isnan(e)) rest = INFINITY;
        rest = fmax(rest, fabs(e));
        size = fmax(size, fabs((double)exact[i]));
    }
    sw_free(exact);
    return rest / size;
}
#endif
