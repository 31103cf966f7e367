#ifndef SAMPLED_H
#define SAMPLED_H
/* Expressions at all points of a grid, and what a field differs from one by. x runs fastest; points are evaluated in
 * pieces of lines, on all threads, and sums are taken pairwise in an order that depends on n alone. */
#include "problem/sw_problem.h"

/* Where a program is evaluated, and for which run. */
struct sw_sampling {
    const struct sw_program *program;  /* of x, y, z and the columns; without rand, randn */
    int64_t        n[SW_DIMS];
    struct sw_grid grid;
    const double  *column;             /* of the run: column k at column[k*stride]       */
    int64_t        stride;
    int            threads;
};

/** @param single  out holds float
 *  @param out     [points]
 *  @return SW_E_MEMORY */
enum sw_status sw_sample(const struct sw_sampling *at, bool single, void *out);

/* Which points lie in the interior: first <= index < last along an axis. */
struct sw_interior { int axis; int64_t first, last; };

struct sw_difference {
    struct sw_norms norms;  /* of d = u - program                                        */
    int64_t bad;            /* the first point where d is not finite, -1: none           */
};

/** @param single  u holds float
 *  @param u       [points]
 *  @param d       out [points], of the same type as u; NULL: not wanted. May be u
 *  @return SW_E_MEMORY */
enum sw_status sw_compare(const struct sw_sampling *at, const struct sw_interior *interior, bool single, const void *u,
                          void *d, struct sw_difference *difference);
#endif
