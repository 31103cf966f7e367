#ifndef ELLIPTIC_CELLS_CPU_H
#define ELLIPTIC_CELLS_CPU_H
/* The matrix and its vertical part on the CPU, a slab (all x and z of one y) at a time, so that threads share the slabs
 * and a slab stays in the cache. All loops over x are over neighbouring words; no result depends on how many threads
 * there are, as sums are formed slab by slab. */
#include "elliptic/sw_elliptic.h"

/** Words of scratch memory that a thread needs for a slab. */
size_t elliptic_scratch(const struct sw_elliptic_matrix *matrix);

/** Slab j of A u. 24 operations a cell, 8 more with each of the cross terms; words: u and y.
 * @param u  [ny][nz][nx]  @param y  out [nz][nx]  @param scratch  [elliptic_scratch()] */
void elliptic_apply_slab(const struct sw_elliptic_matrix *matrix, const double *u, int64_t j, double *y,
                         double *scratch);

/** Slab j of z = M^-1 r: M is A without the neighbours along x and y, and without cross terms, a tridiagonal matrix for
 * each column. Pivots are sums of positive numbers. @param r  [nz][nx]  @param z  out [nz][nx] */
void elliptic_precondition_slab(const struct sw_elliptic_matrix *matrix, int64_t j, const double *r, double *z,
                                double *scratch);

/** Sum of x y over `count` words: in 8 lanes, then over these. */
double elliptic_dot(const double *x, const double *y, int64_t count);
#endif
