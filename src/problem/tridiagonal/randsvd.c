#include "problem/tridiagonal/randsvd.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "expr/random_point.h"

static const double kappa = 1e15;

static double singular_value(int n, int mode, int i)
{
    if (n == 1) return 1;
    switch (mode) {
    case 1:  return i ? 1 / kappa : 1;
    case 2:  return i < n - 1 ? 1 : 1 / kappa;
    case 3:  return pow(kappa, -(double)i / (n - 1));
    default: return 1 - (double)i / (n - 1) * (1 - 1 / kappa);
    }
}

/* A matrix x[i*pitch + j] on which reflections I - 2 v v'/(v'v) act. Only entries from `from` on of v count. */
struct reflected { int n, threads; size_t pitch; double *x, *v; };

/* Of an odd number of cache lines: rows of 4096 bytes would all go to the same ones. */
static size_t pitch_of(int n) { return ((size_t)(n + 7) / 8 | 1) * 8; }

static double square(const struct reflected *r, int from)
{
    double sum = 0;
    for (int i = from; i < r->n; i++) sum += r->v[i] * r->v[i];
    return sum;
}

/* Columns beside each other, whose sums stay in registers: 8 of AVX2. */
enum { STRIPE = 32 };

static inline void reflect_stripe(const struct reflected *r, int width, int from, int column, double twice)
{
    const int n = r->n;
    double sum[STRIPE] = {0};
    for (int i = from; i < n; i++) {
        const double *restrict x = r->x + (size_t)i * r->pitch + column, v = r->v[i];
        for (int j = 0; j < width; j++) sum[j] += v * x[j];
    }
    for (int i = from; i < n; i++) {
        double *restrict x = r->x + (size_t)i * r->pitch + column;
        const double factor = twice * r->v[i];
        for (int j = 0; j < width; j++) x[j] -= factor * sum[j];
    }
}

/* From the left, on columns from `column` on. The columns are shared out: each thread walks down its own stripe. */
static void reflect_rows(const struct reflected *r, int from, int column)
{
    const int n = r->n;
    const double twice = 2 / square(r, from);
    if (!isfinite(twice)) return;  /* v = 0: nothing to do */
#pragma omp parallel for num_threads(r->threads) schedule(static)
    for (int begin = column; begin < n; begin += STRIPE) {
        if (begin + STRIPE <= n) reflect_stripe(r, STRIPE, from, begin, twice);
        else reflect_stripe(r, n - begin, from, begin, twice);
    }
}

/* Rows beside each other, as each sum waits for itself. Of 4 or 8 compilers make vectors by shuffles: slower. */
enum { ROWS = 6 };

static inline void reflect_row_group(const struct reflected *r, int rows, int row, int from, double twice)
{
    const int n = r->n;
    const double *restrict v = r->v;
    double *restrict x = r->x + (size_t)row * r->pitch, sum[ROWS] = {0};
    for (int j = from; j < n; j++)
        for (int k = 0; k < rows; k++) sum[k] += x[(size_t)k * r->pitch + j] * v[j];
    for (int k = 0; k < rows; k++)
        for (int j = from; j < n; j++) x[(size_t)k * r->pitch + j] -= twice * sum[k] * v[j];
}

/* From the right, on rows from `row` on. */
static void reflect_columns(const struct reflected *r, int row, int from)
{
    const int n = r->n;
    const double twice = 2 / square(r, from);
    if (!isfinite(twice)) return;
#pragma omp parallel for num_threads(r->threads) schedule(static)
    for (int begin = row; begin < n; begin += ROWS) {
        if (begin + ROWS <= n) reflect_row_group(r, ROWS, begin, from, twice);
        else reflect_row_group(r, n - begin, begin, from, twice);
    }
}

/* Random orthogonal matrices on both sides, products of reflections of random vectors (G. W. Stewart, SIAM J. Numer.
 * Anal. 17, 1980). Numbers of one reflection are those of one step of the random stream. Before step k the rows and
 * columns from k on have nothing but zeros beside their own square. */
static void multiply_randomly(const struct reflected *r, double seed)
{
    for (int k = r->n - 2; k >= 0; k--) {
        for (int i = k; i < r->n; i++) r->v[i] = sw_randn(seed + 0.25, i, k, 0);
        reflect_rows(r, k, k);
        for (int i = k; i < r->n; i++) r->v[i] = sw_randn(seed + 0.75, i, k, 0);
        reflect_columns(r, k, k);
    }
}

/* The reflection that takes v to a multiple of its entry number `first`. */
static void aim(const struct reflected *r, int first)
{
    r->v[first] += (r->v[first] >= 0 ? 1 : -1) * sqrt(square(r, first));
}

/* Householder reflections of columns and rows in turn leave one diagonal below and one above the main one; the
 * singular values stay. */
static void reduce(const struct reflected *r)
{
    const int n = r->n;
    for (int j = 0; j < n - 2; j++) {
        for (int i = j + 1; i < n; i++) r->v[i] = r->x[(size_t)i * r->pitch + j];
        aim(r, j + 1);
        reflect_rows(r, j + 1, j);
        for (int i = j + 1; i < n; i++) r->v[i] = r->x[(size_t)j * r->pitch + i];
        aim(r, j + 1);
        reflect_columns(r, j, j + 1);
    }
}

static enum sw_status make_block(int n, int mode, double seed, int threads, double *const diagonal[3])
{
    struct reflected r = {.n = n, .threads = threads, .pitch = pitch_of(n)};
    SW_TRY(sw_alloc((size_t)n * r.pitch + (size_t)n, &r.x));
    r.v = r.x + (size_t)n * r.pitch;
    for (int i = 0; i < n; i++) r.x[(size_t)i * r.pitch + i] = singular_value(n, mode, i);
    multiply_randomly(&r, seed);
    reduce(&r);
    for (int i = 0; i < n; i++) {
        diagonal[0][i] = i ? r.x[(size_t)i * r.pitch + i - 1] : 0;
        diagonal[1][i] = r.x[(size_t)i * r.pitch + i];
        diagonal[2][i] = i < n - 1 ? r.x[(size_t)i * r.pitch + i + 1] : 0;
    }
    sw_free(r.x);
    return SW_OK;
}

enum sw_status randsvd_make(int64_t n, int mode, double seed, int threads, struct randsvd *m)
{
    *m = (struct randsvd){.n = n, .size = {n < RANDSVD_BLOCK ? (int)n : RANDSVD_BLOCK, (int)(n % RANDSVD_BLOCK)}};
    if (n < RANDSVD_BLOCK) m->size[1] = 0;
    for (int b = 0; b < 2 && m->size[b]; b++) {
        SW_TRY(sw_alloc(3 * (size_t)m->size[b], &m->diagonal[b][0]));
        for (int k = 1; k < 3; k++) m->diagonal[b][k] = m->diagonal[b][0] + (size_t)k * (size_t)m->size[b];
        SW_TRY(make_block(m->size[b], mode, seed, threads, m->diagonal[b]));
    }
    return SW_OK;
}

void randsvd_free(struct randsvd *m)
{
    for (int b = 0; b < 2; b++) sw_free(m->diagonal[b][0]);
    *m = (struct randsvd){0};
}

void randsvd_rows(const struct randsvd *m, int k, int64_t first, int64_t count, double *out)
{
    const int64_t whole = m->n - m->size[1];  /* rows of the blocks that are alike */
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = first + i;
        out[i] = row < whole ? m->diagonal[0][k][row % m->size[0]] : m->diagonal[1][k][row - whole];
    }
}
