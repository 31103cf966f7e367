#ifndef RELATION_POINT_H
#define RELATION_POINT_H
/* Relations: what a run of rows of a tridiagonal system says of the unknowns at its two ends
 * (docs/explanation/tridiagonal.md).
 *
 * A run of rows 0 .. m-1 has the end unknowns l0 = x[-1], l1 = x[0] and r0 = x[m-1], r1 = x[m]. Its relation is two
 * equations in them: w[5k] l0 + w[5k+1] l1 + w[5k+2] r0 + w[5k+3] r1 = w[5k+4], k = 0, 1. The inner unknowns are
 * eliminated one after another, each by the row with the largest entry among ALL rows that hold it: this is Gaussian
 * elimination with partial pivoting of A Q, where Q orders the columns by nested dissection. A pivot is zero only where
 * a column is zero, so where A is singular.
 *
 * Selection is free of branches: threads of a warp, and lanes of a vector, stay together whatever the entries are.
 *
 * relation_real is a double. A file that defines it as a vector of them, and the macros that go with it, before it
 * includes this one gets the same formulas for a run of rows in each lane (relation_lanes_body.h), with the same bits.
 */
#ifndef __CUDACC_RTC__
#include <math.h>

#include "base/sw_hd.h"
#endif

#ifndef relation_real
#define relation_real double
#define relation_mask int                                  /* what a comparison gives                     */
#define RELATION_FUNCTION SW_HD static inline
#define relation_fma(a, b, c) fma((a), (b), (c))
#define relation_larger(u, v) (fabs(u) > fabs(v))
#define relation_where(mask, u) ((mask) ? (u) : 0.0)       /* u where the comparison held, else 0         */
#define relation_unless(mask, u) ((mask) ? 0.0 : (u))
#define relation_choose(mask, u, v) ((mask) ? (u) : (v))
#endif

/* 1/p. On a device to 2^-60 before the last rounding, from the hardware's 2^-20 by three multiply-adds (e, e^2 + e); a
 * pivot below 2^-1022 gives infinity there: such systems are solved again by tridiagonal_judge.c. */
RELATION_FUNCTION relation_real relation_reciprocal(relation_real p)
{
#ifdef __CUDA_ARCH__
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(p));
    const double e = fma(-p, r, 1.0);
    return fma(r, fma(e, e, e), r);
#else
    return 1.0 / p;
#endif
}

RELATION_FUNCTION relation_real relation_inverse(int exact, relation_real p)
{
    if (exact) return 1.0 / p;
    return relation_reciprocal(p);
}

/* value, or NaN where the pivot is infinite: 1/p is 0 then, and an entry that is no number would go unnoticed. On a
 * device also where the pivot is 2^1021 or more: relation_reciprocal() is 0 at 2^1022, or a little below it. */
RELATION_FUNCTION relation_real relation_if_finite(relation_real pivot, relation_real value)
{
    const relation_real zero = {0};
#ifdef __CUDA_ARCH__
    pivot *= 8;
#endif
    return relation_fma(zero, pivot, value);
}

#ifndef relation_order
RELATION_FUNCTION void relation_order(relation_mask swap, relation_real *x, relation_real *y)
{
    const relation_real t = relation_choose(swap, *y, *x);
    *y = relation_choose(swap, *x, *y);
    *x = t;
}
#endif

/* ------------------------------------------------------------------ rows -> relation, one after another */

/* Two rows that hold the column to be eliminated next: their weights of l0, l1, that column, the one behind it, and the
 * right-hand side. The second row's weight of the column behind is there before a step only (q2). */
struct relation_rows { relation_real s1, t1, p1, q1, d1, s2, t2, p2, q2, d2; };

/* A pivot row divided by its pivot: x[i] = d - s l0 - t l1 - q x[i+1] - r x[i+2]. */
struct relation_pivot { relation_real q, r, d, s, t; };

/** Rows 0 and 1 of a run: lower a, main b, upper c, right-hand side d. Column 1 is next. */
RELATION_FUNCTION struct relation_rows relation_begin(relation_real a0, relation_real b0, relation_real c0,
                                                      relation_real d0, relation_real a1, relation_real b1,
                                                      relation_real c1, relation_real d1)
{
    const relation_real zero = {0};
    const struct relation_rows w = {a0, b0, c0, zero, d0, zero, a1, b1, c1, d1};
    return w;
}

/** Eliminate column i with row i+1 (a, b, c, d) taken in. 11 multiply-adds, a reciprocal of 3; with a pivot kept 5
 * products more. @param pivot  NULL: not kept */
RELATION_FUNCTION void relation_eliminate(struct relation_rows *w, relation_real a, relation_real b, relation_real c,
                                          relation_real d, struct relation_pivot *pivot)
{
    const relation_mask swap = relation_larger(w->p2, w->p1);
    relation_order(swap, &w->s1, &w->s2);
    relation_order(swap, &w->t1, &w->t2);
    relation_order(swap, &w->p1, &w->p2);
    relation_order(swap, &w->q1, &w->q2);
    relation_order(swap, &w->d1, &w->d2);
    const relation_mask newer = relation_larger(a, w->p1);  /* the new row is the pivot; else the larger of the two */
    relation_real pp = w->p1, op = a, pq = w->q1, oq = b, pd = w->d1, od = d;
    relation_order(newer, &pp, &op);
    relation_order(newer, &pq, &oq);
    relation_order(newer, &pd, &od);
    const relation_real ps = relation_unless(newer, w->s1), os = relation_where(newer, w->s1),
                        pt = relation_unless(newer, w->t1), ot = relation_where(newer, w->t1),
                        pr = relation_where(newer, c), or_ = relation_unless(newer, c);
    const relation_real g = relation_reciprocal(pp), m2 = -w->p2 * g, mo = -op * g;
    w->s1 = relation_fma(mo, ps, os);
    w->t1 = relation_fma(mo, pt, ot);
    w->p1 = relation_fma(mo, pq, oq);
    w->q1 = relation_fma(mo, pr, or_);
    w->d1 = relation_fma(mo, pd, od);
    w->s2 = relation_fma(m2, ps, w->s2);
    w->t2 = relation_fma(m2, pt, w->t2);
    w->p2 = relation_fma(m2, pq, w->q2);
    w->q2 = m2 * pr;
    w->d2 = relation_fma(m2, pd, w->d2);
    if (pivot) {
        pivot->q = pq * g;
        pivot->r = pr * g;
        pivot->d = relation_if_finite(pp, pd * g);
        pivot->s = ps * g;
        pivot->t = pt * g;
    }
}

/** The relation of the rows taken in, when the last column but two is eliminated. @param w  out [10] */
RELATION_FUNCTION void relation_of_rows(const struct relation_rows *rows, relation_real *w)
{
    w[0] = rows->s1; w[1] = rows->t1; w[2] = rows->p1; w[3] = rows->q1; w[4] = rows->d1;
    w[5] = rows->s2; w[6] = rows->t2; w[7] = rows->p2; w[8] = rows->q2; w[9] = rows->d2;
}

/** Of a single row: l1 and r0 are the same unknown. */
RELATION_FUNCTION void relation_of_row(relation_real a, relation_real b, relation_real c, relation_real d,
                                       relation_real *w)
{
    const relation_real zero = {0};
    w[0] = a; w[1] = b; w[2] = zero; w[3] = c; w[4] = d;
    w[5] = zero; w[6] = zero + 1; w[7] = zero - 1; w[8] = zero; w[9] = zero;
}

/** Of no row at all: l0 = r0, l1 = r1. */
RELATION_FUNCTION void relation_of_none(relation_real *w)
{
    const relation_real zero = {0};
    for (int k = 0; k < 10; k++) w[k] = zero;
    w[0] = w[6] = zero + 1;
    w[2] = w[8] = zero - 1;
}

/** x[i] of a pivot row, from the ends to the left and the two unknowns behind it. The order of the sum puts the pivot's
 * own neighbours last. */
RELATION_FUNCTION relation_real relation_unknown(const struct relation_pivot *p, relation_real l0, relation_real l1,
                                                 relation_real x1, relation_real x2)
{
    const relation_real ends = relation_fma(-p->t, l1, relation_fma(-p->s, l0, p->d));
    return relation_fma(-p->q, x1, relation_fma(-p->r, x2, ends));
}

/* ------------------------------------------------------------------ two relations -> one */

RELATION_FUNCTION void relation_order_rows(relation_real *u, relation_real *v, int column)
{
    const relation_mask swap = relation_larger(v[column], u[column]);
    for (int k = column; k < 7; k++) relation_order(swap, &u[k], &v[k]);
}

/** The relation of a run from those of its left part, over (l0, l1 | m0, m1), and its right part, over (m0, m1 | r0,
 * r1). m0 and m1 are eliminated. 30 multiply-adds, two reciprocals.
 * @param exact        divide as IEEE asks, with the same bits on all devices; else by relation_reciprocal()
 * @param left, right  [10]
 * @param out          out [10]; may be left or right
 * @param kept         NULL, or out [11]: the two pivot rows, for relation_expand() */
RELATION_FUNCTION void relation_merge(int exact, const relation_real *left, const relation_real *right,
                                      relation_real *out, relation_real *kept)
{
    const relation_real zero = {0};
    relation_real u[4][7];  /* m0 m1 l0 l1 r0 r1 right-hand side */
    for (int k = 0; k < 2; k++) {
        const relation_real *l = left + 5 * k, *r = right + 5 * k;
        u[k][0] = l[2]; u[k][1] = l[3]; u[k][2] = l[0]; u[k][3] = l[1]; u[k][4] = u[k][5] = zero; u[k][6] = l[4];
        u[k + 2][0] = r[0]; u[k + 2][1] = r[1]; u[k + 2][2] = u[k + 2][3] = zero; u[k + 2][4] = r[2];
        u[k + 2][5] = r[3]; u[k + 2][6] = r[4];
    }
    relation_order_rows(u[0], u[1], 0);
    relation_order_rows(u[2], u[3], 0);
    relation_order_rows(u[0], u[2], 0);
    relation_real g = relation_inverse(exact, u[0][0]);
    for (int j = 1; j < 4; j++) {
        const relation_real m = -u[j][0] * g;
        for (int k = 1; k < 7; k++) u[j][k] = relation_fma(m, u[0][k], u[j][k]);
    }
    if (kept) {
        for (int k = 1; k < 6; k++) kept[k - 1] = u[0][k] * g;
        kept[5] = relation_if_finite(u[0][0], u[0][6] * g);
    }
    relation_order_rows(u[1], u[2], 1);
    relation_order_rows(u[1], u[3], 1);
    g = relation_inverse(exact, u[1][1]);
    for (int j = 2; j < 4; j++) {
        const relation_real m = -u[j][1] * g;
        for (int k = 2; k < 7; k++) out[5 * (j - 2) + k - 2] = relation_fma(m, u[1][k], u[j][k]);
    }
    if (kept) {
        for (int k = 2; k < 6; k++) kept[4 + k] = u[1][k] * g;
        kept[10] = relation_if_finite(u[1][1], u[1][6] * g);
    }
}

/** The inner unknowns of a merge. @param kept  [11]  @param ends  [4]: l0 l1 r0 r1 */
RELATION_FUNCTION void relation_expand(const relation_real *kept, const relation_real *ends, relation_real *m0,
                                       relation_real *m1)
{
    const relation_real l0 = ends[0], l1 = ends[1], r0 = ends[2], r1 = ends[3];
    const relation_real left1 = relation_fma(-kept[7], l1, relation_fma(-kept[6], l0, kept[10])),
                        left0 = relation_fma(-kept[2], l1, relation_fma(-kept[1], l0, kept[5]));
    *m1 = relation_fma(-kept[9], r1, relation_fma(-kept[8], r0, left1));
    *m0 = relation_fma(-kept[0], *m1, relation_fma(-kept[4], r1, relation_fma(-kept[3], r0, left0)));
}

#ifndef RELATION_LANES_BODY_H  /* of one run, not of lanes */
/* ------------------------------------------------------------------ a relation and a run of one row, or of none
 *
 * What these say of unknowns that are the same, l1 = r0, holds exactly and has no scale of its own. An equation with
 * weights of 1 beside rows of 2^1000, or of 2^-1000, is not what partial pivoting takes it for: A Q would be as badly
 * scaled, and its rounding errors as large as the largest row. So these unknowns are put in, not eliminated. */

/** Whether a relation says l0 = r0, l1 = r1 and no more. */
SW_HD static inline int relation_is_none(const double *w)
{
    return w[0] == 1 && w[1] == 0 && w[2] == -1 && w[3] == 0 && w[4] == 0 && w[5] == 0 && w[6] == 1 && w[7] == 0 &&
           w[8] == -1 && w[9] == 0;
}

/** Whether the second equation of a relation says l1 = r0, and the first one knows this unknown as l1 alone. */
SW_HD static inline int relation_is_row(const double *w)
{
    return w[2] == 0 && w[5] == 0 && w[6] == 1 && w[7] == -1 && w[8] == 0 && w[9] == 0;
}

/** relation_merge() where the right part is a row a m0 + b r0 + c r1 = d, as m1 = r0. */
SW_HD static inline void relation_merge_row(int exact, const double *left, const double *row, double *out,
                                            double *kept)
{
    double u[3][6] = {{left[2], left[0], left[1], left[3], 0, left[4]},  /* m0 l0 l1 r0 r1 right-hand side */
                      {left[7], left[5], left[6], left[8], 0, left[9]},
                      {row[0], 0, 0, row[1], row[3], row[4]}};
    for (int j = 1; j < 3; j++) {
        const int swap = fabs(u[j][0]) > fabs(u[0][0]);
        for (int k = 0; k < 6; k++) relation_order(swap, &u[0][k], &u[j][k]);
    }
    const double g = relation_inverse(exact, u[0][0]);
    for (int j = 1; j < 3; j++) {
        const double m = -u[j][0] * g;
        for (int k = 1; k < 6; k++) out[5 * (j - 1) + k - 1] = fma(m, u[0][k], u[j][k]);
    }
    if (!kept) return;
    kept[0] = 0;
    for (int k = 1; k < 5; k++) kept[k] = u[0][k] * g;
    kept[5] = relation_if_finite(u[0][0], u[0][5] * g);
    for (int k = 6; k < 11; k++) kept[k] = 0;
    kept[8] = -1;  /* m1 = r0 */
}

/** relation_merge() where the right part may be of one row, or of none: the end of a system that is no multiple of
 * what its parts have. */
SW_HD static inline void relation_join(int exact, const double *left, const double *right, double *out, double *kept)
{
    if (relation_is_none(right)) {
        for (int k = 0; k < 10; k++) out[k] = left[k];
        for (int k = 0; kept && k < 11; k++) kept[k] = 0;
        if (kept) kept[3] = kept[9] = -1;  /* m0 = r0, m1 = r1 */
    } else if (relation_is_row(right)) {
        relation_merge_row(exact, left, right, out, kept);
    } else {
        relation_merge(exact, left, right, out, kept);
    }
}

/* ------------------------------------------------------------------ runs whose ends do not depend on each other
 *
 * A long run usually decouples: one row of its relation binds only its left end, the other only its right one, but for
 * weights below 2^-90 of the others. Then the right row of one run and the left row of the next give the two unknowns
 * between them. The weights that were dropped are looked at again with the unknowns found. */

/** Whether a relation decouples. @param left, right  out [3]: weights of l0, l1 (r0, r1) and right-hand side */
SW_HD static inline int relation_decouples(const double *w, double *left, double *right)
{
    int at_left = -1, at_right = -1;
    for (int k = 0; k < 2; k++) {
        const double l = fmax(fabs(w[5 * k]), fabs(w[5 * k + 1])), r = fmax(fabs(w[5 * k + 2]), fabs(w[5 * k + 3]));
        if (r <= 0x1p-90 * l) at_left = k;
        else if (l <= 0x1p-90 * r) at_right = k;
    }
    const int swap = at_left == 1;
    left[0] = swap ? w[5] : w[0]; left[1] = swap ? w[6] : w[1]; left[2] = swap ? w[9] : w[4];
    right[0] = swap ? w[2] : w[7]; right[1] = swap ? w[3] : w[8]; right[2] = swap ? w[4] : w[9];
    return at_left >= 0 && at_right >= 0;
}

/** The two unknowns between two runs. @param before  the right row of the one  @param after  the left row of the
 * other */
SW_HD static inline void relation_meet(const double *before, const double *after, double *u, double *v)
{
    double a = before[0], b = before[1], f = before[2], c = after[0], d = after[1], g = after[2];
    const int swap = fabs(c) > fabs(a);
    relation_order(swap, &a, &c);
    relation_order(swap, &b, &d);
    relation_order(swap, &f, &g);
    const double r = relation_reciprocal(a), m = -c * r;
    *v = fma(m, f, g) * relation_reciprocal(fma(m, b, d));
    *u = fma(-b, *v, f) * r;
}

/** Whether the last two pivots, those of relation_close(), are more than rounding leaves of them: 2^-20 of the largest
 * weight. Of (-1, 2, -1), singular, n^2 2^-53 is left. */
SW_HD static inline int relation_closes(const double *w, int cyclic)
{
    double t[2], p[2], size = 0;
    for (int k = 0; k < 2; k++) {
        const double *u = w + 5 * k;
        t[k] = cyclic ? u[1] + u[3] : u[1];
        p[k] = cyclic ? u[2] + u[0] : u[2];
        size = fmax(size, fmax(fmax(fabs(u[0]), fabs(u[1])), fmax(fabs(u[2]), fabs(u[3]))));
    }
    const int i = fabs(t[1]) > fabs(t[0]), o = 1 - i;  /* the pivot's row, the other one */
    return fabs(t[i]) > 0x1p-20 * size && fabs(fma(-t[o] / t[i], p[i], p[o])) > 0x1p-20 * size;
}

/** Whether what was dropped is below rounding, 2^-58 of the terms of its row. @param ends  [4]: l0 l1 r0 r1 */
SW_HD static inline int relation_drop_is_small(const double *w, const double *ends)
{
    int small = 1;
    for (int k = 0; k < 2; k++) {
        const double *u = w + 5 * k, l = fabs(u[0] * ends[0]) + fabs(u[1] * ends[1]),
                     r = fabs(u[2] * ends[2]) + fabs(u[3] * ends[3]), d = fabs(u[4]);
        const double least = l < r ? l : r, most = l < r ? r : l;
        small = small && least <= 0x1p-58 * (most + d);  /* false with NaN */
    }
    return small;
}
#endif

/* ------------------------------------------------------------------ the tree */

/** The first leaf of node s of 2^depth, at that depth of the binary tree over `leaves`: s*leaves/2^depth, rounded down,
 * without that product, which may be too large. */
SW_HD static inline long long relation_first_leaf(long long leaves, int depth, long long s)
{
    const long long nodes = 1ll << depth, each = leaves >> depth, rest = leaves & (nodes - 1);
    return s * each + ((s * rest) >> depth);
}

RELATION_FUNCTION relation_real relation_quotient(int exact, relation_real a, relation_real b)
{
    if (exact) return a / b;
    return a * relation_reciprocal(b);
}

/** The ends of the whole system: x[-1] = x[n] = 0, or x[-1] = x[n-1] and x[n] = x[0].
 * @param exact  as in relation_merge()  @param ends  out [4] */
RELATION_FUNCTION void relation_close(int exact, const relation_real *w, int cyclic, relation_real *ends)
{
    const relation_real zero = {0};
    relation_real t1 = w[1], p1 = w[2], d1 = w[4], t2 = w[6], p2 = w[7], d2 = w[9];
    if (cyclic) {
        t1 += w[3]; p1 += w[0];
        t2 += w[8]; p2 += w[5];
    }
    const relation_mask swap = relation_larger(t2, t1);
    relation_order(swap, &t1, &t2);
    relation_order(swap, &p1, &p2);
    relation_order(swap, &d1, &d2);
    const relation_real m = relation_quotient(exact, -t2, t1), p = relation_fma(m, p1, p2),
                        last = relation_if_finite(p, relation_quotient(exact, relation_fma(m, d1, d2), p)),
                        first = relation_if_finite(t1, relation_quotient(exact, relation_fma(-p1, last, d1), t1));
    ends[0] = cyclic ? last : zero;
    ends[1] = first;
    ends[2] = last;
    ends[3] = cyclic ? first : zero;
}
#endif
