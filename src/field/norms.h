#ifndef NORMS_H
#define NORMS_H
/* Error norms of a field u against an expression, d = u - exact (docs/explanation/results.md).
 *
 * A norm is made of three sums over points; the order in which they are formed is part of the number. There are three
 * orders, for fields that are too many, too large, or never in memory as a whole:
 *
 *   sw_norms_of_run()      one thread a run, for many runs side by side: pairwise over all points
 *   sw_compare()           all threads a run, for large runs: pairwise over pieces of lines, then over the pieces
 *   sw_norm_sums_points()  points as a solver makes them: in 16 lanes, then in the order of the calls */
#include "field/evaluate.h"
#include "field/sw_norms.h"

/* Sums over points: d², exact², and the largest |d|. */
struct sw_norm_sums { double difference, exact, largest; };

/** The norms that they make, but `interior`. */
struct sw_norms sw_norms_from_sums(const struct sw_norm_sums *sums, int64_t points);

/** sum := sum and more, in this order. */
void sw_norm_sums_add(struct sw_norm_sums *sum, const struct sw_norm_sums *more);

/** Add `count` points. @param u, exact  [count] */
void sw_norm_sums_points(struct sw_norm_sums *sum, const double *u, const double *exact, int count);

/** The norms of one run by the calling thread, or their sums, to which those of other fields may be added.
 * @param exact  begun  @param u  [points] */
struct sw_norms     sw_norms_of_run(struct sw_evaluator *exact, const double *u);
struct sw_norm_sums sw_norm_sums_of_run(struct sw_evaluator *exact, const double *u);

/* Which points lie in the interior: first <= index < last along each axis. */
struct sw_interior { int64_t first[SW_DIMS], last[SW_DIMS]; };

struct sw_difference {
    struct sw_norms     norms;
    struct sw_norm_sums sums;   /* of which they are made */
    int64_t bad;                /* the first point where d is not finite, -1: none */
};

/** The norms of one run by all threads.
 *  @param single  u holds float
 *  @param u       [points]
 *  @param d       out [points], of the same type as u; NULL: not wanted. May be u
 *  @return SW_E_MEMORY */
enum sw_status sw_compare(const struct sw_sampling *exact, const struct sw_interior *interior, bool single,
                          const void *u, void *d, struct sw_difference *difference);
#endif
