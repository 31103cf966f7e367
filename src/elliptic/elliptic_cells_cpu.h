#ifndef ELLIPTIC_CELLS_CPU_H
#define ELLIPTIC_CELLS_CPU_H
/* The matrix and its vertical part on the CPU, a slab (all x and z of one y) at a time, so that threads share the slabs
 * and a slab stays in the cache. All loops over x are over neighbouring words; no result depends on how many threads
 * there are, as sums are formed slab by slab. */
#include "base/sw_cubed_sphere.h"
#include "elliptic/elliptic_real.h"

/** Words of scratch memory that a thread needs for a slab. */
size_t elliptic_scratch(const struct sw_elliptic_matrix *matrix);

/* The slabs of u that lie before the first one and behind the last: [nz][nx] each, NULL where u is 0 there. */
struct elliptic_beside { const real *south, *north; };

/** Those of a grid that is not cut: where it is periodic, the slabs of its other end. */
struct elliptic_beside elliptic_own_ends(const struct sw_elliptic_matrix *matrix, const real *u);

/** On the sphere: level k of what lies beyond the edge of the panel of row j: the cell beside row j, beyond SW_WEST or
 * SW_EAST; the row beyond SW_SOUTH or SW_NORTH.
 * @param u  [ny][nz][nx]  @param room  [nx]  @return [nx]: in u, or `room` */
real elliptic_cell_beyond(const struct sw_elliptic_matrix *matrix, const real *u, int64_t j, enum sw_panel_edge edge,
                          int64_t k);
const real *elliptic_row_beyond(const struct sw_elliptic_matrix *matrix, const real *u, int64_t j,
                                enum sw_panel_edge edge, int64_t k, real *room);

/** Slab j of A u. 24 operations a cell, 8 more with each of the cross terms; words: u and y.
 * @param u  [ny][nz][nx]  @param y  out [nz][nx]  @param scratch  [elliptic_scratch()] */
void elliptic_apply_slab(const struct sw_elliptic_matrix *matrix, const real *u, struct elliptic_beside beside,
                         int64_t j, real *y, real *scratch);

/** Level k of that, alone. @param y  out [nx] */
void elliptic_apply_row(const struct sw_elliptic_matrix *matrix, const real *u, struct elliptic_beside beside,
                        int64_t j, int64_t k, real *y, real *scratch);

/** Slab j of z = M^-1 r: M is A without the neighbours along x and y, and without cross terms, a tridiagonal matrix for
 * each column. Pivots are sums of positive numbers. @param r  [nz][nx]  @param z  out [nz][nx] */
void elliptic_precondition_slab(const struct sw_elliptic_matrix *matrix, int64_t j, const real *r, real *z,
                                real *scratch);

/** Columns first .. first + count - 1 of that, alone: what a column gets does not depend on its neighbours. r and z are
 * the slab's. And how many columns may lie in a core's cache together, at least 1. */
void elliptic_precondition_columns(const struct sw_elliptic_matrix *matrix, int64_t j, int64_t first, int64_t count,
                                   const real *r, real *z, real *scratch);
int64_t elliptic_columns(const struct sw_elliptic_matrix *matrix);

/* A sum in lanes, which the compiler adds up side by side; they are added up in a fixed order. */
enum { ELLIPTIC_LANES = 8 };
struct elliptic_lanes { real of[ELLIPTIC_LANES]; };

static inline double elliptic_sum_of(const struct elliptic_lanes *s)
{
    const real *of = s->of;
    return ((of[0] + of[4]) + (of[2] + of[6])) + ((of[1] + of[5]) + (of[3] + of[7]));
}

/** x y over `count` words is added to the lanes, word i to lane i mod 8. */
static inline void elliptic_add_products(struct elliptic_lanes *sum, const real *x, const real *y, int64_t count)
{
    struct elliptic_lanes s = *sum;
    int64_t i = 0;
    for (; i + ELLIPTIC_LANES <= count; i += ELLIPTIC_LANES)
        for (int l = 0; l < ELLIPTIC_LANES; l++) s.of[l] += x[i + l] * y[i + l];
    for (int l = 0; i + l < count; l++) s.of[l] += x[i + l] * y[i + l];
    *sum = s;
}

/* A level of columns side by side. Row k of the matrix of a column is
 *     -C_k x_(k-1) + (p_k + B_k + C_k) x_k - B_k x_(k+1) = r_k,   B_k = C_(k+1),
 * with p = area a + d sides, B = area b above, C = area c below. Elimination leaves the pivot P_k + B_k,
 * P_k = p_k + C_k P_(k-1)/(P_(k-1) + B_(k-1)): no difference is taken, and nothing cancels. C_0 belongs to p_0, as if
 * P/(P + B) were 1 below, and B of the top level has no unknown. 13 operations and a division a cell. */
struct elliptic_level {
    const real *area, *sides;     /* sides: weights of the neighbours along x and y, added up, over d                 */
    const real *below, *above;    /* coefficients of the faces, of a variable system; else NULL                       */
    real        a, b, c, d;
};

/** On the way up. @param before  `to` of the level below, zeros in the lowest
 * @param rest  in, out: P/(P + B) of the level below, 1 in the lowest; of this one  @param w  out: B/(P + B) */
void elliptic_eliminate(const struct elliptic_level *level, int64_t count, const real *from, const real *before,
                        real *rest, real *w, real *to);

/** On the way down. @param w  [nz][count]  @param z  in: what elliptic_eliminate() left; out: x; [nz][stride] */
void elliptic_substitute(int64_t count, int64_t nz, const real *w, real *z, int64_t stride);
#endif
