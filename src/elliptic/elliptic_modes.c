/* Vertical modes by the singular values of a bidiagonal matrix. Eigenvalues span 1e8 and more, and the lowest ones
 * matter most. V's pivots are sums of positive numbers (elliptic_cells_cpu.c), so that B with B^T B = D^-1/2 V D^-1/2
 * has all its digits, and J. Demmel, W. Kahan (1990) find all singular values of a bidiagonal matrix to a relative
 * precision: QR steps on B^T B, with a shift where that costs no digits. Right rotations, in their order, make the
 * vectors. All in long double, as X is multiplied with numbers whose differences count: what is left of X^T D X - 1
 * is the rounding of X to double. */
#include "elliptic/elliptic_modes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    COLUMNS = 16,     /* of the vectors that a thread turns at once: 256 bytes a row                                */
    TURNS = 4096,     /* rotations that are gathered before they are applied, and more by one sweep                 */
    SWEEPS = 60       /* for each value at most; 2 are usual                                                        */
};
static const long double PRECISION = 8 * LDBL_EPSILON;  /* relative, of an entry beside the diagonal that is dropped */

struct turn { long double c, s; int64_t row; };  /* of rows `row` and row + 1 of the vectors */

/* B: q on the diagonal, e above it. */
struct bidiagonal {
    int64_t n, turns;
    long double *q, *e;
    long double *vectors;  /* [n][n]: row i belongs to q_i */
    struct turn *turn;
    int     threads;
};

static size_t turns_of(int64_t nz) { return TURNS + (size_t)nz; }

/* Words of long double: q, e, the vectors, turns. */
static size_t work_of(int64_t nz)
{
    const size_t n = (size_t)nz;
    return 2 * n + n * n + (turns_of(nz) * sizeof(struct turn) + sizeof(long double) - 1) / sizeof(long double);
}

void elliptic_modes_make(int64_t nz, struct sw_owned *own, struct elliptic_modes *m)
{
    const size_t n = (size_t)nz;
    *m = (struct elliptic_modes){.nz = nz};
    sw_array(own, n, &m->lambda);
    sw_array(own, n * n, &m->x);
    sw_array(own, work_of(nz), &m->work);
}

/* ------------------------------------------------------------------ vectors */

/* Apply the rotations that were gathered, to columns in blocks that stay in the cache. */
static void turn_vectors(struct bidiagonal *b)
{
    const int64_t n = b->n;
#pragma omp parallel for num_threads(b->threads) schedule(static) if (b->turns * n > 10000)
    for (int64_t first = 0; first < n; first += COLUMNS) {
        const int64_t columns = n - first < COLUMNS ? n - first : COLUMNS;
        for (int64_t t = 0; t < b->turns; t++) {
            const long double c = b->turn[t].c, s = b->turn[t].s;
            long double *restrict x = b->vectors + b->turn[t].row * n + first, *restrict y = x + n;
            for (int64_t i = 0; i < columns; i++) {
                const long double was = x[i];
                x[i] = c * was + s * y[i];
                y[i] = c * y[i] - s * was;
            }
        }
    }
    b->turns = 0;
}

/* c f + s g = r, c g - s f = 0. */
static long double rotation(long double f, long double g, long double *c, long double *s)
{
    if (g == 0) return *c = 1, *s = 0, f;
    const long double r = sqrtl(f * f + g * g);
    *c = f / r;
    *s = g / r;
    return r;
}

static void add_turn(struct bidiagonal *b, int64_t row, long double c, long double s)
{
    if (s != 0) b->turn[b->turns++] = (struct turn){c, s, row};
}

/* ------------------------------------------------------------------ singular values */

/* A QR step without shift of rows first .. last: every entry is a product or a sum of squares of others. */
static void sweep_without_shift(struct bidiagonal *b, int64_t first, int64_t last)
{
    long double *const q = b->q, *const e = b->e;
    long double c = 1, s, left_c = 1, left_s = 0;
    for (int64_t i = first; i < last; i++) {
        const long double r = rotation(q[i] * c, e[i], &c, &s);
        if (i > first) e[i - 1] = left_s * r;
        q[i] = rotation(left_c * r, q[i + 1] * s, &left_c, &left_s);
        add_turn(b, i, c, s);
    }
    const long double end = q[last] * c;
    q[last] = end * left_c;
    e[last - 1] = end * left_s;
}

static void sweep_with_shift(struct bidiagonal *b, int64_t first, int64_t last, long double shift)
{
    long double *const q = b->q, *const e = b->e;
    long double f = (fabsl(q[first]) - shift) * (copysignl(1, q[first]) + shift / q[first]), g = e[first];
    for (int64_t i = first; i < last; i++) {
        long double c, s, left_c, left_s;
        const long double r = rotation(f, g, &c, &s);
        if (i > first) e[i - 1] = r;
        f = c * q[i] + s * e[i];
        e[i] = c * e[i] - s * q[i];
        g = s * q[i + 1];
        q[i + 1] *= c;
        q[i] = rotation(f, g, &left_c, &left_s);
        f = left_c * e[i] + left_s * q[i + 1];
        q[i + 1] = left_c * q[i + 1] - left_s * e[i];
        if (i < last - 1) {
            g = left_s * e[i + 1];
            e[i + 1] *= left_c;
        }
        add_turn(b, i, c, s);
    }
    e[last - 1] = f;
}

/* The smaller singular value of (f g; 0 h), to all digits: with the larger one z, z y = |f h| and
 * z² + y² = f² + g² + h². */
static long double smaller_value(long double f, long double g, long double h)
{
    const long double fa = fabsl(f), ha = fabsl(h), ga = fabsl(g);
    if (fa == 0 || ha == 0) return 0;
    const long double most = 0.5L * (hypotl(fa + ha, ga) + hypotl(fa - ha, ga));
    return fa * ha / most;
}

/* Rows that hang together: the last ones, down to `last`, whose e are not small. A relative bound of the values that
 * an entry may change follows from Demmel and Kahan's recurrence for 1/|(B^-1)_ii|.
 * @return the first of them; `least` out: a lower bound of their values, but for a factor of sqrt(n) */
static int64_t block_above(struct bidiagonal *b, int64_t last, long double *least)
{
    int64_t first = last;
    while (first > 0 && b->e[first - 1] != 0) first--;
    if (last > first && fabsl(b->e[last - 1]) <= PRECISION * fabsl(b->q[last])) return b->e[last - 1] = 0, last;
    long double mu = fabsl(b->q[first]);
    *least = mu;
    for (int64_t i = first; i < last; i++) {
        if (fabsl(b->e[i]) <= PRECISION * mu) {
            b->e[i] = 0;
            first = i + 1;
            *least = mu = fabsl(b->q[first]);
        } else {
            mu = fabsl(b->q[i + 1]) * (mu / (mu + fabsl(b->e[i])));
            *least = fminl(*least, mu);
        }
    }
    return first;
}

/* A shift rounds like the largest value: it is left out where the least one would lose 10 bits of long double's 11 that
 * a double does not have. @return false: it does not end, as B is not finite */
static bool diagonalize(struct bidiagonal *b)
{
    long double least = 0;
    int64_t sweeps = SWEEPS * b->n;
    for (int64_t last = b->n - 1; last > 0;) {
        const int64_t first = block_above(b, last, &least);
        if (first == last) {
            last--;
            continue;
        }
        if (sweeps-- == 0) return false;
        long double most = 0, shift = 0;
        for (int64_t i = first; i <= last; i++) most = fmaxl(most, fabsl(b->q[i]));
        for (int64_t i = first; i < last; i++) most = fmaxl(most, fabsl(b->e[i]));
        if (least * 1024 > most) shift = smaller_value(b->q[last - 1], b->e[last - 1], b->q[last]);
        if (shift * shift < LDBL_EPSILON * b->q[first] * b->q[first]) shift = 0;
        if (shift > 0) sweep_with_shift(b, first, last, shift);
        else sweep_without_shift(b, first, last);
        if (b->turns >= TURNS) turn_vectors(b);
    }
    turn_vectors(b);
    return true;
}

/* ------------------------------------------------------------------ modes */

/* B of a matrix. V's pivots are P_k + b_k with P_k = a_k + c_k P_(k-1)/(P_(k-1) + b_(k-1)); c_0 belongs to P_0. */
static void make_bidiagonal(const struct sw_elliptic_matrix *m, struct bidiagonal *b)
{
    const int64_t n = m->nz;
    long double rest = 0;
    for (int64_t k = 0; k < n; k++) {
        const long double below = m->c[k], p = m->a[k] + (k ? below * rest : below), pivot = p + m->b[k];
        b->q[k] = sqrtl(pivot / m->d[k]);
        if (k < n - 1) b->e[k] = -m->b[k] / sqrtl(pivot * m->d[k + 1]);
        rest = p / pivot;
    }
    memset(b->vectors, 0, (size_t)(n * n) * sizeof *b->vectors);
    for (int64_t k = 0; k < n; k++) b->vectors[k * n + k] = 1;
}

/* The row of B with the value of mode m, in ascending order: by insertion, in place of what q and e held. Rows of the
 * vectors follow their number, which e keeps. */
static void sort_values(struct bidiagonal *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        const long double value = fabsl(b->q[i]);
        int64_t at = i;
        for (; at > 0 && b->q[at - 1] > value; at--) b->q[at] = b->q[at - 1], b->e[at] = b->e[at - 1];
        b->q[at] = value;
        b->e[at] = i;
    }
}

static bool all_finite(const struct bidiagonal *b)
{
    for (int64_t k = 0; k < b->n; k++)
        if (!isfinite(b->q[k]) || !isfinite(b->e[k])) return false;
    return true;
}

/* A component below 1e-30 of its vector is rounding, and would slow down what multiplies with it. */
static double component(long double unit, double d) { return fabsl(unit) < 1e-30L ? 0 : (double)(unit / sqrtl(d)); }

void elliptic_modes_find(struct elliptic_modes *modes, const struct sw_elliptic_matrix *m, int threads)
{
    const int64_t n = m->nz;
    struct bidiagonal b = {.n = n, .threads = threads};
    b.turn = (struct turn *)modes->work;
    b.vectors = modes->work + (work_of(n) - (size_t)(n * n));
    b.e = b.vectors - n;
    b.q = b.e - n;
    memset(b.q, 0, 2 * (size_t)n * sizeof *b.q);
    make_bidiagonal(m, &b);
    if (!all_finite(&b) || !diagonalize(&b)) {
        for (int64_t i = 0; i < n; i++) modes->lambda[i] = NAN;
        for (int64_t i = 0; i < n * n; i++) modes->x[i] = NAN;
        return;
    }
    sort_values(&b);
    for (int64_t i = 0; i < n; i++) modes->lambda[i] = (double)(b.q[i] * b.q[i]);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            modes->x[k * n + i] = component(b.vectors[(int64_t)b.e[i] * n + k], m->d[k]);
}
