/* Banded LU with partial pivoting on the CPU, eight systems side by side in the lanes of vectors: row `cpu.lu`.
 * Periodic systems as a folded circle (folded_point.h).
 *
 * Each row of the matrix is first multiplied by the power of two that brings its largest entry to 1 .. 2, so that rows
 * of 1e300 and of 1e-300 count alike in the choice of pivots, nothing overflows but by growth, and the backward error
 * is small row by row. With kl diagonals below and ku above the main one, P S A = L U: L has kl multipliers a column,
 * of size at most 1, U the pivot and kl + ku entries behind it. Each lane has pivots of its own: rows are exchanged by
 * selects, all lanes go through the same steps, and no lane reads another's numbers.
 *
 * A batch that is no multiple of eight has a last group with fewer lanes in memory. Its factors are computed eight
 * lanes wide, and its systems solved one by one; solutions have the same bits either way, on any processor, as there
 * is no contraction. Where all matrices are equal, one group serves all.
 *
 * Factoring takes kl (kl + ku) multiplications and subtractions, kl divisions and, where a lane exchanges, 2 kl (kl +
 * ku + 1) selects an unknown; it reads the band and writes 8 (2 kl + ku + 2) + 1 bytes. A solve reads these, reads
 * and writes x: 81 bytes and 14 operations for five diagonals, 129 and 26 where these are periodic. */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "linalg/sw_band_impl.h"

enum {
    LANES = 8,
    SIDES = 2 * SW_BAND_SIDE,   /* diagonals on a side, at most                    */
    WIDTH = 2 * SIDES + 1,      /* entries of a row of U                           */
#if defined __AVX512F__
    VL = 8,                     /* numbers in a vector                             */
#elif defined __AVX__
    VL = 4,
#else
    VL = 2,
#endif
    PARTS = LANES / VL
};

typedef double vec __attribute__((vector_size(8 * VL), may_alias));
typedef int64_t bits __attribute__((vector_size(8 * VL), may_alias));
typedef uint8_t small __attribute__((vector_size(VL), may_alias));

#define INLINE static inline __attribute__((always_inline))
#define EACH for (int p = 0; p < PARTS; p++)
#define PART(number) (((vec *)(number))[p])        /* of the LANES numbers at an address of 64 bytes */
#define BITS(value) ((bits)(value))
#define ALL_BITS(number) ((bits){0} + (number))
#define SIZE(value) ((vec)(BITS(value) & ALL_BITS(INT64_MAX)))
#define CHOOSE(mask, yes, no) ((vec)((BITS(yes) & (mask)) | (BITS(no) & ~(mask))))
#define EXCHANGE(mask, a, b)                                                          \
    do {                                                                              \
        const bits change_ = BITS(mask) & (BITS(a) ^ BITS(b));                        \
        (a) = (vec)(BITS(a) ^ change_);                                               \
        (b) = (vec)(BITS(b) ^ change_);                                               \
    } while (0)

/* Group g has the systems from LANES*g on. Its part of an array [systems][n][..] is [n][..][lanes]. */
struct lu {
    int      n, kl, ku;
    int      systems;  /* whose factors are kept                                                      */
    double  *lower;    /* [systems][n][1 + kl]: the scale of row k of A, the multipliers of column k  */
    double  *upper;    /* [systems][n][1 + kl + ku]: row k of U, its pivot first                      */
    uint8_t *pivot;    /* [systems][n]: row k was exchanged with the one so many behind it            */
    int     *bad;      /* [batch]: 0, or 1 + row of a bad pivot                                       */
    double  *work;     /* [threads][n + kl + ku][LANES]: right-hand sides of a group                  */
    int      threads;
};

/* The factors of a group. */
struct group { double *lower, *upper; uint8_t *pivot; int lanes; };

static struct group group_of(const struct lu *l, int g)
{
    const size_t n = (size_t)l->n, at = (size_t)g * LANES * n;
    const int left = l->systems - g * LANES;
    return (struct group){l->lower + at * (size_t)(1 + l->kl), l->upper + at * (size_t)(1 + l->kl + l->ku),
                          l->pivot + at, left < LANES ? left : LANES};
}

static bool lu_fits(const struct sw_band_desc *desc)
{
    (void)desc;
    return true;
}

static enum sw_status lu_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    const struct sw_band_sides sides = sw_band_sides(d);
    struct lu *l = s->own;
    const int full = d->batch / LANES;
    l->n = d->n;
    l->kl = sides.lower;
    l->ku = sides.upper;
    l->systems = d->batch;
    if (d->uniform && d->batch) l->systems = full ? LANES : 1;
    l->threads = sw_band_threads(s) < full ? sw_band_threads(s) : full;
    const size_t line = (size_t)l->systems * (size_t)d->n;
    sw_array(&s->arrays, line * (size_t)(1 + l->kl), &l->lower);
    sw_array(&s->arrays, line * (size_t)(1 + l->kl + l->ku), &l->upper);
    sw_array(&s->arrays, line, &l->pivot);
    sw_array(&s->arrays, (size_t)d->batch, &l->bad);
    sw_array(&s->arrays, (size_t)l->threads * (size_t)(d->n + l->kl + l->ku) * LANES, &l->work);
    return s->arrays.status;
}

/* ------------------------------------------------------------------ factor */

/* What is eliminated at step k: rows k .. k + kl, columns k .. k + kl + ku, and the lanes of an entry. */
struct window { _Alignas(64) double row[SIDES + 1][WIDTH][LANES]; };

/* The lanes that a group keeps. */
INLINE void keep(double *to, int lanes, const double *from)
{
    if (lanes == LANES) memcpy(to, from, LANES * sizeof *to);
    else
        for (int j = 0; j < lanes; j++) to[j] = from[j];
}

/* Lanes without a system take the last one's matrix. */
static void read_row(const struct sw_band *s, const double *band, int g, int k, int first, double (*row)[LANES])
{
    const struct sw_band_desc *d = &s->desc;
    const int i = sw_band_unknown(d, k), last = ((const struct lu *)s->own)->systems - 1;
    for (int off = -d->lower; off <= d->upper; off++) {
        const int column = sw_band_place(d, i, off);
        if (column < 0) continue;
        double *to = row[column - first];
        for (int lane = 0; lane < LANES; lane++) {
            const int j = g * LANES + lane;
            to[lane] = sw_band_entry(s, band, d->uniform ? 0 : j < last ? j : last, i, off);
        }
    }
}

/* 2^-e of a row whose largest entry has the exponent e; 2^1023 where it is denormal or zero, 2^-1022 where it is not
 * finite. The row is multiplied by it. */
static void scale_row(double (*row)[LANES], int width, double *scale)
{
    const bits exponent = ALL_BITS(0x7ff0000000000000), most = ALL_BITS(0x7fd0000000000000);
    EACH {
        vec largest = SIZE(PART(row[0]));
        for (int c = 1; c < width; c++) {
            const vec size = SIZE(PART(row[c]));
            largest = CHOOSE(BITS(size > largest), size, largest);
        }
        bits e = BITS(largest) & exponent;
        e = (bits)CHOOSE(BITS(e > most), most, e);
        const vec factor = (vec)(ALL_BITS(0x7fe0000000000000) - e);
        PART(scale) = factor;
        for (int c = 0; c < width; c++) PART(row[c]) *= factor;
    }
}

/* Row k into a place of the window whose first column is `first`; zeros below the matrix. */
static void enter_row(const struct sw_band *s, const double *band, int g, int k, int first, double (*row)[LANES])
{
    const struct lu *l = s->own;
    const struct group f = group_of(l, g);
    _Alignas(64) double scale[LANES];
    memset(row, 0, (size_t)(1 + l->kl + l->ku) * sizeof *row);
    if (k >= l->n) return;
    read_row(s, band, g, k, first, row);
    scale_row(row, 1 + l->kl + l->ku, scale);
    keep(f.lower + (size_t)k * (size_t)(1 + l->kl) * (size_t)f.lanes, f.lanes, scale);
}

/* Brings the largest entry of the first column up, of equal ones the first. @param chosen  out: its row */
INLINE void exchange_rows(struct window *w, int kl, int width, uint8_t chosen[LANES])
{
    _Alignas(64) int64_t which[LANES];
    int64_t any = 0;
    EACH {
        vec largest = SIZE(PART(w->row[0][0]));
        bits at = {0};
        for (int r = 1; r <= kl; r++) {
            const vec size = SIZE(PART(w->row[r][0]));
            const bits larger = BITS(size > largest);
            largest = CHOOSE(larger, size, largest);
            at = (at & ~larger) | (ALL_BITS(r) & larger);
        }
        ((bits *)which)[p] = at;
    }
    for (int j = 0; j < LANES; j++) {
        chosen[j] = (uint8_t)which[j];
        any |= which[j];
    }
    for (int r = 1; any && r <= kl; r++)
        EACH {
            const bits here = BITS(((bits *)which)[p] == ALL_BITS(r));
            for (int c = 0; c < width; c++) EXCHANGE(here, PART(w->row[0][c]), PART(w->row[r][c]));
        }
}

/* Rows 1 .. kl, less their multiples of row 0, one place up and to the left. @param multiplier  out [kl][LANES] */
INLINE void eliminate(struct window *w, int kl, int width, double (*multiplier)[LANES])
{
    _Alignas(64) double top[WIDTH][LANES];
    memcpy(top, w->row[0], (size_t)width * sizeof *top);
    for (int r = 1; r <= kl; r++)
        EACH {
            const vec m = PART(w->row[r][0]) / PART(top[0]);
            PART(multiplier[r - 1]) = m;
            for (int c = 1; c < width; c++) PART(w->row[r - 1][c - 1]) = PART(w->row[r][c]) - m * PART(top[c]);
            PART(w->row[r - 1][width - 1]) = (vec){0};
        }
}

/* @param bad  in, out [LANES]: 0, or 1 + the first place whose pivot is zero or not finite */
INLINE void look_at_pivot(const double *pivot, int k, int64_t *bad)
{
    EACH {
        const vec size = SIZE(PART(pivot));
        const bits fine = BITS(size > (vec){0}) & BITS(size < (vec)ALL_BITS(0x7ff0000000000000));
        bits *b = (bits *)bad + p;
        *b |= ~fine & BITS(*b == (bits){0}) & ALL_BITS(1 + k);
    }
}

INLINE void factor_width(struct sw_band *s, const double *band, int g, int kl, int width, int64_t *bad)
{
    const struct lu *l = s->own;
    const struct group f = group_of(l, g);
    const size_t lanes = (size_t)f.lanes;
    struct window w;
    _Alignas(64) double multiplier[SIDES][LANES];
    uint8_t chosen[LANES];
    for (int k = 0; k <= kl; k++) enter_row(s, band, g, k, 0, w.row[k]);
    for (int k = 0; k < l->n; k++) {
        double *lower = f.lower + (size_t)k * (size_t)(1 + kl) * lanes;
        double *upper = f.upper + (size_t)k * (size_t)width * lanes;
        exchange_rows(&w, kl, width, chosen);
        for (size_t j = 0; j < lanes; j++) f.pivot[(size_t)k * lanes + j] = chosen[j];
        look_at_pivot(w.row[0][0], k, bad);
        for (int c = 0; c < width; c++) keep(upper + (size_t)c * lanes, f.lanes, w.row[0][c]);
        eliminate(&w, kl, width, multiplier);
        for (int r = 1; r <= kl; r++) keep(lower + (size_t)r * lanes, f.lanes, multiplier[r - 1]);
        enter_row(s, band, g, k + 1 + kl, k + 1, w.row[kl]);
    }
}

/* The loops have constant ends for three, five and seven diagonals, and for periodic ones of three and five. */
#define BY_WIDTH(l, call)                                    \
    do {                                                     \
        const int kl_ = (l)->kl, ku_ = (l)->ku;              \
        if (kl_ == 1 && ku_ == 1) call(1, 3);                \
        else if (kl_ == 2 && ku_ == 2) call(2, 5);           \
        else if (kl_ == 3 && ku_ == 3) call(3, 7);           \
        else if (kl_ == 4 && ku_ == 4) call(4, 9);           \
        else call(kl_, 1 + kl_ + ku_);                       \
    } while (0)

/* @param bad  out: of each lane, as struct lu has it */
static void factor_group(struct sw_band *s, const double *band, int g, int bad[LANES])
{
    const struct lu *l = s->own;
    _Alignas(64) int64_t place[LANES] = {0};
#define FACTOR(kl, width) factor_width(s, band, g, kl, width, place)
    BY_WIDTH(l, FACTOR);
#undef FACTOR
    for (int j = 0; j < LANES; j++) bad[j] = place[j] ? 1 + sw_band_unknown(&s->desc, (int)place[j] - 1) : 0;
}

static enum sw_status lu_factor(struct sw_band *s, const double *band, int *bad)
{
    struct lu *l = s->own;
    const int groups = (l->systems + LANES - 1) / LANES;
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int g = 0; g < groups; g++) {
        int found[LANES];
        factor_group(s, band, g, found);
        for (int j = 0; j < LANES && g * LANES + j < l->systems; j++) l->bad[g * LANES + j] = found[j];
    }
    for (int j = l->systems; j < s->desc.batch; j++) l->bad[j] = l->bad[0];
    return sw_band_report(s, l->bad, bad);
}

/* ------------------------------------------------------------------ solve */

/* Exchanges w[0] and w[chosen] of each lane, and takes the multiples of what then is w[0] from the others. */
INLINE void forward(double (*w)[LANES], int kl, const double *multiplier, const uint8_t *chosen)
{
    uint64_t any;
    memcpy(&any, chosen, sizeof any);
    EACH {
        vec top = PART(w[0]);
        if (any) {
            const bits which = __builtin_convertvector(((const small *)chosen)[p], bits);
            for (int r = 1; r <= kl; r++) {
                vec other = PART(w[r]);
                EXCHANGE(which == ALL_BITS(r), top, other);
                PART(w[r]) = other;
            }
            PART(w[0]) = top;
        }
        for (int r = 1; r <= kl; r++) PART(w[r]) -= PART(multiplier + (r - 1) * LANES) * top;
    }
}

INLINE void backward(double (*w)[LANES], int width, const double *upper)
{
    EACH {
        vec sum = PART(w[0]);
        for (int c = width - 1; c >= 1; c--) sum -= PART(upper + c * LANES) * PART(w[c]);
        PART(w[0]) = sum / PART(upper);
    }
}

INLINE void solve_width(const struct lu *l, const struct group *f, double (*w)[LANES], int kl, int width)
{
    const size_t lower = (size_t)(1 + kl) * LANES, upper = (size_t)width * LANES;
    for (int k = 0; k < l->n && k < kl; k++) EACH PART(w[k]) *= PART(f->lower + (size_t)k * lower);
    for (int k = 0; k < l->n; k++) {
        if (k < l->n - kl) EACH PART(w[k + kl]) *= PART(f->lower + (size_t)(k + kl) * lower);
        forward(w + k, kl, f->lower + (size_t)k * lower + LANES, f->pivot + (size_t)k * LANES);
    }
    for (int k = l->n - 1; k >= 0; k--) backward(w + k, width, f->upper + (size_t)k * upper);
}

/* The eight systems of a group; zeros stand behind their right-hand sides. @param x  the first one's */
static void solve_group(const struct sw_band *s, const struct group *f, double (*w)[LANES], double *x)
{
    const struct lu *l = s->own;
    const size_t ld = (size_t)s->desc.ld;
    for (int k = 0; k < l->n; k++) {
        const double *from = x + sw_band_unknown(&s->desc, k);
        for (int lane = 0; lane < LANES; lane++) w[k][lane] = from[(size_t)lane * ld];
    }
    memset(w + l->n, 0, (size_t)(l->kl + l->ku) * sizeof *w);
#define SOLVE(kl, width) solve_width(l, f, w, kl, width)
    BY_WIDTH(l, SOLVE);
#undef SOLVE
    for (int k = 0; k < l->n; k++) {
        double *to = x + sw_band_unknown(&s->desc, k);
        for (int lane = 0; lane < LANES; lane++) to[(size_t)lane * ld] = w[k][lane];
    }
}

static int least(int a, int b) { return a < b ? a : b; }

/* A lane of a group by itself, in place: the same steps, and so the same bits. */
INLINE void solve_lane_width(const struct lu *l, const struct group *f, int lane, double *x, bool periodic, int kl,
                             int width)
{
#define X(k) x[periodic ? sw_unfolded(n, (k)) : (k)]
    const int n = l->n;
    const size_t lanes = (size_t)f->lanes, step = (size_t)(1 + kl) * lanes;
    const double *lower = f->lower + lane, *upper = f->upper + lane;
    const uint8_t *pivot = f->pivot + lane;
    for (int k = 0; k < n; k++) X(k) *= lower[(size_t)k * step];
    for (int k = 0; k < n; k++, lower += step, pivot += lanes) {
        const double y = X(k + *pivot);
        if (*pivot) X(k + *pivot) = X(k), X(k) = y;
        for (int r = 1; r <= least(kl, n - 1 - k); r++) X(k + r) -= lower[(size_t)r * lanes] * y;
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *u = upper + (size_t)k * (size_t)width * lanes;
        double sum = X(k);
        for (int c = least(width - 1, n - 1 - k); c >= 1; c--) sum -= u[(size_t)c * lanes] * X(k + c);
        X(k) = sum / u[0];
    }
#undef X
}

static void solve_lane(const struct sw_band *s, const struct group *f, int lane, double *x)
{
    const struct lu *l = s->own;
#define SOLVE(kl, width) solve_lane_width(l, f, lane, x, false, kl, width)
#define SOLVE_FOLDED(kl, width) solve_lane_width(l, f, lane, x, true, kl, width)
    if (s->desc.periodic) BY_WIDTH(l, SOLVE_FOLDED);
    else BY_WIDTH(l, SOLVE);
#undef SOLVE
#undef SOLVE_FOLDED
}

static void lose(const struct sw_band *s, int j, double *x)
{
    const struct lu *l = s->own;
    for (int i = 0; l->bad[j] && i < l->n; i++) x[i] = NAN;
}

static void lu_solve_one(const struct sw_band *s, int j, double *x)
{
    const int kept = s->desc.uniform ? 0 : j;
    const struct group f = group_of(s->own, kept / LANES);
    solve_lane(s, &f, kept % LANES, x);
    lose(s, j, x);
}

static enum sw_status lu_solve(const struct sw_band *s, double *x)
{
    const struct lu *l = s->own;
    const struct sw_band_desc *d = &s->desc;
    const int full = d->batch / LANES, rest = d->batch % LANES;
    const size_t room = (size_t)(l->n + l->kl + l->ku), ld = (size_t)d->ld;
#pragma omp parallel for schedule(static) num_threads(sw_band_threads(s))
    for (int task = 0; task < full + rest; task++) {
        const int first = least(task, full) * LANES + (task > full ? task - full : 0);
        double *at = x + (size_t)first * ld;
        if (task >= full) {
            lu_solve_one(s, first, at);
            continue;
        }
        const struct group f = group_of(l, d->uniform ? 0 : task);
        double *work = l->work + (size_t)omp_get_thread_num() * room * LANES;
        solve_group(s, &f, (double (*)[LANES])work, at);
        for (int lane = 0; lane < LANES; lane++) lose(s, first + lane, at + (size_t)lane * ld);
    }
    return SW_OK;
}

/* Factors and pivots, the scale of each row, the right-hand sides of the groups in work. */
static int lu_vectors(const struct sw_band_desc *desc)
{
    const struct sw_band_sides sides = sw_band_sides(desc);
    return 2 * sides.lower + sides.upper + 2 + 1 + 1;
}

/* As counted above; the copy to `work` and back stays in the cache. */
static struct sw_cost lu_cost(const struct sw_band_desc *desc)
{
    const struct sw_band_sides sides = sw_band_sides(desc);
    const int words = 2 * sides.lower + sides.upper + 2;
    return (struct sw_cost){8 * words + 1 + 16, 2 * (2 * sides.lower + sides.upper) + 2};
}

extern const struct sw_band_ops band_lu_cpu;
const struct sw_band_ops band_lu_cpu = {
    .name = "cpu.lu",
    .about = "LU with partial pivoting of scaled rows, eight systems side by side, periodic ones as a folded circle",
    .space = SW_HOST,
    .layout = SW_LINES,
    .vectors_of = lu_vectors,
    .pivots = true,
    .own_size = sizeof(struct lu),
    .fits = lu_fits,
    .create = lu_create,
    .factor = lu_factor,
    .solve = lu_solve,
    .solve_one = lu_solve_one,
    .cost = lu_cost,
};
