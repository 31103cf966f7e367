#ifndef SPIKE_POINT_H
#define SPIKE_POINT_H
/* SPIKE for tridiagonal systems with diagonal pivoting, as printed in L.-W. Chang, J. A. Stratton, H.-S. Kim and
 * W.-M. Hwu, "A Scalable, Numerically Stable, High-performance Tridiagonal Solver using GPUs", SC 2012; the equations
 * are theirs. The matrix is cut into partitions A_i. Each solves, for the row before it (coupling `left`, the lower
 * entry of its first row) and the row behind it (`right`, the upper entry of its last row),
 *
 *     A_i [V W Y] = [right e_m  left e_1  f]                                          (3, 4, 7)
 *
 * so that x[k] = y[k] - v[k] x[m] - w[k] x[-1]. The tops and bottoms of V, W and Y form the reduced system (9), which
 * is solved recursively: two neighbouring partitions become one of twice the length (spike_merge()), until one is left
 * whose x is its y; then the unknowns between two partitions follow downwards (spike_between()), and the others from
 * the formula above.
 *
 * A_i = L B M^T has blocks of 1 x 1 and 2 x 2 in B (10 - 12; Erway, Marcia and Tyson 2010). There are no interchanges.
 * Nothing keeps A_i from being singular where A is not: then a pivot is zero, and x is not finite. */
#ifndef __CUDACC_RTC__
#include <math.h>
#include <stddef.h>

#include "base/sw_hd.h"
#endif

/* A_i and its right-hand side: entry k at k*stride. a[0] and c[(m-1)*stride] are not looked at. */
struct spike_rows { int m; size_t stride; const double *a, *b, *c, *f; double left, right; };

/* V, W and Y, with the stride of the rows, and on the way there what the forward sweep leaves: in v the entries of M^T,
 * in w and y those of B^-1 L^-1 W and Y. At the last row of a block, `block` has its size. v may be c, w may be a, and
 * y may be f. */
struct spike_sides { double *v, *w, *y; unsigned char *block; };

/* ------------------------------------------------------------------ forward: L z = f, B y = z, form M */

/* The first row of what is not yet eliminated, A_s of (12): its main entry and its right-hand sides. */
struct spike_head { int k; double b, w, y; };

SW_HD static inline struct spike_head spike_begin(const struct spike_rows *r)
{
    const struct spike_head h = {0, r->b[0], r->left, r->f[0]};
    return h;
}

/* Whether the pivot at row k is 2 x 2: |b1| sigma < kappa |a2 c1|, where sigma is the largest of the entries around
 * (asymmetric Bunch-Kaufman). Entries outside A_i are zero, so a last row alone is 1 x 1 whatever its pivot is. */
SW_HD static inline int spike_takes_two(const struct spike_rows *r, const struct spike_head *h)
{
    const double kappa = 0.61803398874989485;  /* (sqrt(5) - 1)/2 */
    const size_t at = (size_t)h->k * r->stride, next = at + r->stride, third = next + r->stride;
    if (h->k + 1 >= r->m) return 0;
    const double c1 = fabs(r->c[at]), a2 = fabs(r->a[next]), b2 = fabs(r->b[next]);
    double sigma = fmax(fmax(a2, b2), c1);
    if (h->k + 2 < r->m) sigma = fmax(sigma, fmax(fabs(r->c[next]), fabs(r->a[third])));
    return fabs(h->b) * sigma < kappa * (a2 * c1);
}

/* 1 x 1. 6 multiplications and multiply-adds, a reciprocal. */
SW_HD static inline void spike_eliminate_one(const struct spike_rows *r, const struct spike_sides *s,
                                             struct spike_head *h)
{
    const int last = h->k + 1 == r->m;
    const size_t at = (size_t)h->k * r->stride, next = at + r->stride;
    const double g = 1.0 / h->b, v = (last ? r->right : r->c[at]) * g, w = h->w * g, y = h->y * g;
    if (!last) {
        const double a2 = r->a[next];
        h->b = fma(-a2, v, r->b[next]);
        h->w = -a2 * w;
        h->y = fma(-a2, y, r->f[next]);
    }
    s->v[at] = v;
    s->w[at] = w;
    s->y[at] = y;
    s->block[at] = 1;
    h->k++;
}

/* 2 x 2, rows k and k + 1. 17 multiplications and multiply-adds, a reciprocal. */
SW_HD static inline void spike_eliminate_two(const struct spike_rows *r, const struct spike_sides *s,
                                             struct spike_head *h)
{
    const int last = h->k + 2 == r->m;
    const size_t at = (size_t)h->k * r->stride, next = at + r->stride, third = next + r->stride;
    const double b1 = h->b, c1 = r->c[at], a2 = r->a[next], b2 = r->b[next], c2 = last ? r->right : r->c[next],
                 f2 = r->f[next];
    const double g = 1.0 / fma(b1, b2, -(a2 * c1)), v1 = -c1 * c2 * g, v2 = b1 * c2 * g;
    const double w1 = b2 * h->w * g, w2 = -a2 * h->w * g, y1 = fma(b2, h->y, -(c1 * f2)) * g,
                 y2 = fma(b1, f2, -(a2 * h->y)) * g;
    if (!last) {
        const double a3 = r->a[third];
        h->b = fma(-a3, v2, r->b[third]);
        h->w = -a3 * w2;
        h->y = fma(-a3, y2, r->f[third]);
    }
    s->v[at] = v1;
    s->w[at] = w1;
    s->y[at] = y1;
    s->v[next] = v2;
    s->w[next] = w2;
    s->y[next] = y2;
    s->block[next] = 2;
    h->k += 2;
}

/** Eliminate blocks that begin before row `until`, which ends a tile (dynamic tiling) or, at m, the sweep. */
SW_HD static inline void spike_pivot_forward(const struct spike_rows *r, const struct spike_sides *s,
                                             struct spike_head *h, int until)
{
    while (h->k < until) {
        if (spike_takes_two(r, h)) spike_eliminate_two(r, s, h);
        else spike_eliminate_one(r, s, h);
    }
}

/** The same by the Thomas algorithm: every block is 1 x 1. */
SW_HD static inline void spike_thomas_forward(const struct spike_rows *r, const struct spike_sides *s,
                                              struct spike_head *h, int until)
{
    while (h->k < until) spike_eliminate_one(r, s, h);
}

/* ------------------------------------------------------------------ backward: M^T x = y */

/* The row behind what is not yet substituted, row k - 1 the last of that: its V, W and Y. */
struct spike_tail { int k; double v, w, y; };

/* V is the solution of the right-hand side right e_m, which the forward sweep leaves as it leaves M^T: as if there were
 * a row m with v = -1. */
SW_HD static inline struct spike_tail spike_turn(const struct spike_rows *r)
{
    const struct spike_tail t = {r->m, -1.0, 0.0, 0.0};
    return t;
}

SW_HD static inline void spike_substitute(const struct spike_sides *s, size_t at, const struct spike_tail *t)
{
    const double m = s->v[at];
    s->v[at] = -m * t->v;
    s->w[at] = fma(-m, t->w, s->w[at]);
    s->y[at] = fma(-m, t->y, s->y[at]);
}

/** Substitute blocks that end behind row `until`; all of them with 0. 3 multiply-adds a row. */
SW_HD static inline void spike_backward(size_t stride, const struct spike_sides *s, struct spike_tail *t, int until)
{
    while (t->k > until) {
        size_t at = (size_t)(t->k - 1) * stride;
        const int size = s->block[at];
        spike_substitute(s, at, t);
        if (size == 2) {
            at -= stride;
            spike_substitute(s, at, t);
        }
        t->k -= size;
        t->v = s->v[at];
        t->w = s->w[at];
        t->y = s->y[at];
    }
}

/* ------------------------------------------------------------------ the reduced system, recursively */

/* The tops and bottoms of a partition's V, W and Y. */
struct spike_ends { double vt, vb, wt, wb, yt, yb; };

SW_HD static inline struct spike_ends spike_ends_of(const struct spike_sides *s, int m, size_t stride)
{
    const size_t b = (size_t)(m - 1) * stride;
    const struct spike_ends e = {s->v[0], s->v[b], s->w[0], s->w[b], s->y[0], s->y[b]};
    return e;
}

/** Of a partition without rows: the unknowns behind it and before it are its top and its bottom, so that a merge with
 * it changes nothing of the other. */
SW_HD static inline struct spike_ends spike_no_rows(void)
{
    const struct spike_ends e = {-1.0, 0.0, 0.0, -1.0, 0.0, 0.0};
    return e;
}

/** The ends of partitions l and r taken as one. The unknowns between them, the bottom of l and the top of r, are
 * eliminated: [1 v; w 1] by its determinant. 15 multiplications and multiply-adds, a reciprocal. */
SW_HD static inline struct spike_ends spike_merge(const struct spike_ends *l, const struct spike_ends *r)
{
    const double g = 1.0 / fma(-l->vb, r->wt, 1.0);
    const double bottom = fma(-l->vb, r->yt, l->yb) * g, top = fma(-r->wt, l->yb, r->yt) * g;
    const double lv = l->vt * g, rw = r->wb * g;
    struct spike_ends e;
    e.vt = -lv * r->vt;
    e.vb = fma(rw * l->vb, r->vt, r->vb);
    e.wt = fma(lv * r->wt, l->wb, l->wt);
    e.wb = -rw * l->wb;
    e.yt = fma(-l->vt, top, l->yt);
    e.yb = fma(-r->wb, bottom, r->yb);
    return e;
}

/** The unknowns between two partitions from those around them.
 * @param before, behind  x in front of l and behind r; 0 where there is none
 * @param bottom, top     out: the last of l, the first of r */
SW_HD static inline void spike_between(const struct spike_ends *l, const struct spike_ends *r, double before,
                                       double behind, double *bottom, double *top)
{
    const double g = 1.0 / fma(-l->vb, r->wt, 1.0);
    const double p = fma(-l->wb, before, l->yb), q = fma(-r->vt, behind, r->yt);
    *bottom = fma(-l->vb, q, p) * g;
    *top = fma(-r->wt, p, q) * g;
}

/** x of a row of a partition, from the unknowns around it. */
SW_HD static inline double spike_unknown(double v, double w, double y, double before, double behind)
{
    return fma(-v, behind, fma(-w, before, y));
}
#endif
