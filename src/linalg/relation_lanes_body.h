/* The arithmetic of relation_lanes.h, included once for each instruction set, after definitions of
 *
 *     VL                              numbers in a vector
 *     GROUP                           vectors that are swept together, to hide the latency of a division
 *     TARGET                          function attribute that allows the instructions
 *     vec, relation_mask              a vector, and what a comparison of two gives
 *     relation_fma  relation_larger  relation_where  relation_unless  relation_choose
 *                                     as in relation_point.h, on vectors; and relation_order, if there is a better one
 *     READ(to, from, start)           to[GROUP*VL k + l] = from[start[l] + k], k < BLOCK, l < VL: a transposition
 *     WRITE(to, start, from, past)    to[start[l] + k] = from[GROUP*VL k + l], likewise; past: past the cache, where
 *                                     there is a way
 *     WRITTEN                         after writes past the cache
 *
 * Per row of one vector, a sweep has 11 multiply-adds, 3 products (8 where pivots are kept, and a multiply-add more), a
 * division, two comparisons and 8 pairs to put in order; rows come through a block that stays in the first-level cache.
 * A substitution reads the 5 words of a pivot row from there or from the second level, and has 5 multiply-adds. */
#define RELATION_LANES_BODY_H
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/relation_lanes.h"

#define BODY static inline __attribute__((always_inline)) TARGET
#define relation_real vec
#define RELATION_FUNCTION BODY
#include "linalg/relation_point.h"

enum { BLOCK = 8, ACROSS = GROUP * VL };
enum { LOWER, MAIN, UPPER, RHS, ARRAYS };

#define EACH for (int j = 0; j < GROUP; j++)
#define LOAD(p) (*(const vec *)((p) + VL * j))
#define STORE(p, value) (*(vec *)((p) + VL * j) = (value))

/* Rows row .. row+BLOCK-1 of the lanes of a group, those that are there. */
typedef double block[BLOCK][ACROSS];

static int rows_of(const struct relation_runs *r, int lane) { return r->rows - (int)(r->shorter >> lane & 1); }

/* Rows that all lanes have. */
static int even_rows(const struct relation_runs *r) { return r->rows - (r->shorter != 0); }

static void leave_out_outside(const struct relation_runs *r, int lane, int row, block *b)
{
    for (int l = 0; l < ACROSS; l++) {
        const int last = rows_of(r, lane + l) - 1 - row;
        if (row == 0 && r->begins >> (lane + l) & 1) b[LOWER][0][l] = 0;
        if (last >= 0 && last < BLOCK && r->ends >> (lane + l) & 1) b[UPPER][last][l] = 0;
    }
}

/* @param row  all lanes have it, and BLOCK - 1 more; or it is 0 */
BODY void read_block(const struct relation_runs *r, int lane, int row, block *b)
{
    const double *from[] = {r->lower, r->main, r->upper, r->rhs};
    const int even = even_rows(r);
    for (int k = 0; k < ARRAYS; k++)
        EACH {
            const int64_t *start = r->start + lane + VL * j;
            if (even >= BLOCK) READ(&b[k][0][VL * j], from[k] + row, start);
            else
                for (int i = 0; i < even * VL; i++) b[k][i / VL][VL * j + i % VL] = from[k][start[i % VL] + i / VL];
        }
    if (row == 0 || row + BLOCK >= even) leave_out_outside(r, lane, row, b);
}

/* The last row, which some lanes do not have; for those the one before. */
static void read_last_row(const struct relation_runs *r, int lane, block *b)
{
    for (int l = 0; l < ACROSS; l++) {
        const int64_t last = r->start[lane + l] + rows_of(r, lane + l) - 1;
        b[LOWER][0][l] = r->lower[last];
        b[MAIN][0][l] = r->main[last];
        b[UPPER][0][l] = r->ends >> (lane + l) & 1 ? 0 : r->upper[last];
        b[RHS][0][l] = r->rhs[last];
    }
}

BODY vec mask_of(unsigned bits, int lane)
{
    vec ones;
    for (int l = 0; l < VL; l++) ones[l] = (double)(bits >> (lane + l) & 1);
    return ones;
}

/* ------------------------------------------------------------------ rows -> relations */

BODY double *pivot_row(double *pivot, int row, int lane) { return pivot + 5 * RELATION_LANES * (size_t)row + lane; }

BODY void sweep_row(struct relation_rows *w, const block *b, int k, double *pivot)
{
    EACH {
        struct relation_pivot p;
        relation_eliminate(&w[j], LOAD(b[LOWER][k]), LOAD(b[MAIN][k]), LOAD(b[UPPER][k]), LOAD(b[RHS][k]),
                           pivot ? &p : NULL);
        if (pivot) {
            STORE(pivot, p.q);
            STORE(pivot + RELATION_LANES, p.r);
            STORE(pivot + 2 * RELATION_LANES, p.d);
            STORE(pivot + 3 * RELATION_LANES, p.s);
            STORE(pivot + 4 * RELATION_LANES, p.t);
        }
    }
}

/* The last row, which some lanes do not have. */
BODY void sweep_last_row(const struct relation_runs *r, int lane, struct relation_rows *w, const block *b, int k,
                         double *pivot)
{
    const vec zero = {0};
    struct relation_rows before[GROUP];
    EACH before[j] = w[j];
    sweep_row(w, b, k, pivot);
    EACH {
        const relation_mask is_shorter = relation_larger(mask_of(r->shorter, lane + VL * j), zero);
        vec now[10], then[10];
        relation_of_rows(&w[j], now);
        relation_of_rows(&before[j], then);
        for (int f = 0; f < 10; f++) now[f] = relation_choose(is_shorter, then[f], now[f]);
        w[j] = (struct relation_rows){now[0], now[1], now[2], now[3], now[4], now[5], now[6], now[7], now[8], now[9]};
    }
}

/* What all lanes want next, in the order of memory and as much of it as a row of a group is. */
BODY void prefetch(const struct relation_runs *r, int lane, int row)
{
    const int64_t at = r->ahead + (int64_t)lane * r->rows + (int64_t)row * ACROSS;
    for (int k = 0; k < ACROSS; k += 8) {  /* a line of the cache */
        __builtin_prefetch(r->lower + at + k, 0, 2);
        __builtin_prefetch(r->main + at + k, 0, 2);
        __builtin_prefetch(r->upper + at + k, 0, 2);
        __builtin_prefetch(r->rhs + at + k, 0, 2);
    }
}

BODY void sweep_group(const struct relation_runs *r, int lane, double *pivot, double (*w)[RELATION_LANES])
{
    const int even = even_rows(r);
    struct relation_rows rows[GROUP];
    _Alignas(64) block b[ARRAYS];
    read_block(r, lane, 0, b);
    EACH rows[j] = relation_begin(LOAD(b[LOWER][0]), LOAD(b[MAIN][0]), LOAD(b[UPPER][0]), LOAD(b[RHS][0]),
                                  LOAD(b[LOWER][1]), LOAD(b[MAIN][1]), LOAD(b[UPPER][1]), LOAD(b[RHS][1]));
    for (int row = 2, at = 0; row < even;) {  /* the last block overlaps the one before */
        const int end = at + BLOCK < even ? at + BLOCK : even;
        for (; row < end; row++) {
            prefetch(r, lane, row);
            sweep_row(rows, b, row - at, pivot ? pivot_row(pivot, row - 1, lane) : NULL);
        }
        if (row == even) break;
        at = row + BLOCK <= even ? row : even - BLOCK;
        read_block(r, lane, at, b);
    }
    if (r->shorter) {
        read_last_row(r, lane, b);
        sweep_last_row(r, lane, rows, b, 0, pivot ? pivot_row(pivot, even - 1, lane) : NULL);
    }
    EACH {
        vec out[10];
        relation_of_rows(&rows[j], out);
        for (int f = 0; f < 10; f++) STORE(w[f] + lane, out[f]);
    }
}

TARGET static void sweep(const struct relation_runs *r, double *pivot, double (*w)[RELATION_LANES])
{
    for (int lane = 0; lane < r->lanes; lane += ACROSS) {
        if (pivot) sweep_group(r, lane, pivot, w);
        else sweep_group(r, lane, NULL, w);
    }
}

/* ------------------------------------------------------------------ the tree of a tile */

/* Level by level, `half` right parts behind as many left ones; vectors that are longer work on what nobody reads. Their
 * pivot rows are kept from this place on. */
static int joint_of(int half) { return half == 8 ? 0 : half == 4 ? 8 : half == 2 ? 16 : 24; }

#define LOAD_ANY(p) ((vec)*(const any_vec *)(p))
#define STORE_ANY(p, value) (*(any_vec *)(p) = (any_vec)(value))
typedef double any_vec __attribute__((vector_size(8 * VL), aligned(8), may_alias));

TARGET static void join(double (*w)[RELATION_LANES], struct relation_joints *joints)
{
    for (int half = RELATION_LANES / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l += VL) {
            vec left[10], right[10], kept[11];
            for (int f = 0; f < 10; f++) {
                left[f] = LOAD_ANY(w[f] + l);
                right[f] = LOAD_ANY(w[f] + l + half);
            }
            relation_merge(1, left, right, left, kept);
            for (int f = 0; f < 10; f++) STORE_ANY(w[f] + l, left[f]);
            for (int f = 0; f < 11; f++) STORE_ANY(joints->kept[f] + joint_of(half) + l, kept[f]);
        }
}

TARGET static void part(const struct relation_joints *joints, double (*ends)[RELATION_LANES])
{
    for (int half = 1; half < RELATION_LANES; half *= 2)
        for (int l = 0; l < half; l += VL) {
            vec kept[11], whole[4], m0, m1;
            for (int f = 0; f < 11; f++) kept[f] = LOAD_ANY(joints->kept[f] + joint_of(half) + l);
            for (int f = 0; f < 4; f++) whole[f] = LOAD_ANY(ends[f] + l);
            relation_expand(kept, whole, &m0, &m1);
            STORE_ANY(ends[2] + l, m0);  /* the left part, and behind it the right one */
            STORE_ANY(ends[3] + l, m1);
            STORE_ANY(ends[0] + l + half, m0);
            STORE_ANY(ends[1] + l + half, m1);
            STORE_ANY(ends[2] + l + half, whole[2]);
            STORE_ANY(ends[3] + l + half, whole[3]);
        }
}

TARGET static void close_lanes(double (*w)[RELATION_LANES], bool cyclic, double (*ends)[RELATION_LANES])
{
    for (int l = 0; l < RELATION_LANES; l += VL) {
        vec in[10], out[4];
        for (int f = 0; f < 10; f++) in[f] = LOAD_ANY(w[f] + l);
        relation_close(1, in, cyclic, out);
        for (int f = 0; f < 4; f++) STORE_ANY(ends[f] + l, out[f]);
    }
}

/* ------------------------------------------------------------------ ends -> unknowns */

struct back { vec l0, l1, x1, x2, finite; };  /* finite: 0 x + 0 x' + .. */

BODY vec unknown(const struct back *z, const double *pivot, int j)
{
    const struct relation_pivot p = {LOAD(pivot), LOAD(pivot + RELATION_LANES), LOAD(pivot + 2 * RELATION_LANES),
                                     LOAD(pivot + 3 * RELATION_LANES), LOAD(pivot + 4 * RELATION_LANES)};
    return relation_unknown(&p, z->l0, z->l1, z->x1, z->x2);
}

/* Past the cache go whole lines of it only: parts of one would each be a transfer of their own. */
static bool writes_lines(const struct relation_runs *r, const double *x)
{
    int64_t all = 0;
    for (int l = 0; l < RELATION_LANES; l++) all |= r->start[l];
    return r->past_cache && all % BLOCK == 0 && (uintptr_t)x % (BLOCK * sizeof *x) == 0;
}

BODY void write_block(const struct relation_runs *r, int lane, int row, block b, double *x, bool past)
{
    if (row + BLOCK <= even_rows(r)) {
        EACH WRITE(x + row, r->start + lane + VL * j, &b[0][VL * j], past);
        return;
    }
    for (int l = 0; l < ACROSS && lane + l < r->lanes; l++)
        for (int k = 0; k < BLOCK && row + k < rows_of(r, lane + l); k++) x[r->start[lane + l] + row + k] = b[k][l];
}

/* @param shorter  0, or bit l: lane l begins with the row before this one */
BODY void substitute_row(struct back *z, int lane, const double *pivot, unsigned shorter, double *x)
{
    const vec zero = {0};
    EACH {
        vec x1 = unknown(&z[j], pivot + lane, j), x2 = z[j].x1;
        if (shorter) {
            const relation_mask is_shorter = relation_larger(mask_of(shorter, lane + VL * j), zero);
            x1 = relation_choose(is_shorter, z[j].x1, x1);
            x2 = relation_choose(is_shorter, z[j].x2, x2);
        }
        z[j].x1 = x1;
        z[j].x2 = x2;
        z[j].finite = relation_fma(zero, x1, z[j].finite);
        STORE(x, x1);
    }
}

BODY unsigned substitute_group(const struct relation_runs *r, int lane, const double *pivot,
                               double (*ends)[RELATION_LANES], double *x, bool past)
{
    const vec zero = {0};
    struct back z[GROUP];
    _Alignas(64) block b;
    unsigned bad = 0;
    EACH {
        z[j] = (struct back){LOAD(ends[0] + lane), LOAD(ends[1] + lane), LOAD(ends[2] + lane), LOAD(ends[3] + lane),
                             zero};
        STORE(b[(r->rows - 1) % BLOCK], z[j].x1);
    }
    for (int row = r->rows - 1 - (r->rows - 1) % BLOCK; row >= 0; row -= BLOCK) {
        int k = r->rows - 2 - row < BLOCK ? r->rows - 2 - row : BLOCK - 1;
        for (; k >= (row == 0); k--) {
            const double *p = pivot + 5 * RELATION_LANES * (size_t)(row + k);
            if (r->shorter && row + k == r->rows - 2) substitute_row(z, lane, p, r->shorter, b[k]);
            else substitute_row(z, lane, p, 0, b[k]);
        }
        if (row == 0)
            EACH STORE(b[0], z[j].l1);
        write_block(r, lane, row, b, x, past);
    }
    EACH {
        const vec all = relation_fma(zero, z[j].l1, relation_fma(zero, LOAD(ends[2] + lane), z[j].finite));
        for (int l = 0; l < VL; l++) bad |= (unsigned)!(all[l] == 0) << (lane + VL * j + l);
    }
    return bad;
}

TARGET static unsigned substitute(const struct relation_runs *r, const double *pivot, double (*ends)[RELATION_LANES],
                                  double *x)
{
    const bool past = writes_lines(r, x);
    unsigned bad = 0;
    for (int lane = 0; lane < r->lanes; lane += ACROSS) bad |= substitute_group(r, lane, pivot, ends, x, past);
    if (past) WRITTEN;
    return bad;
}
