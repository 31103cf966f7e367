#ifndef MEASURE_H
#define MEASURE_H
/* How well x solves banded systems, any part of their rows at a time: the residual r = A x - f, formed in
 * double-double, and the distance to the exact solution. What parts add up to has the same bits whatever the parts are,
 * and on however many threads, devices or ranks (field/square_sum_point.h). */
#include "problem/systems/entries.h"
#include "problem/systems/measure_point.h"

/** Measure rows first .. first + rows - 1 of each run loaded. Waits.
 * @param of      these rows of each run, [runs][rows] in the memory of the device
 * @param x       likewise
 * @param beyond  of systems whose diagonals reach one row: x of the row before them and of the row behind them, a pair
 *                for each run, on the host; NULL: the rows are all of the system
 * @param sums    in, out [runs] on the host: these rows are added. At first system_sums_zero() */
enum sw_status system_measure(struct system_entries *entries, int64_t first, int64_t rows,
                              const struct system_arrays *of, const double *x, const double (*beyond)[2],
                              struct system_sums *sums);

/* The numbers that the sums make. NaN where r is not finite somewhere, those with the exact solution also without it.
 * Where no f is as large as 2^-1000, rounding errors underflow: residual and backward_error are NaN; l2 and rel are
 * where no exact number is so large. A norm beyond the range of numbers is infinite. */
struct system_norms {
    double residual;         /* |r|_2 / |f|_2, the published measure                                                */
    double backward_error;   /* max |r| / (|A| max |x| + max |f|), |A| the largest row sum: normwise                */
    double forward_error;    /* max |x - exact| / max |exact|                                                       */
    double l2, max, rel;     /* sqrt(mean |x - exact|^2), max |x - exact|, |x - exact|_2 / |exact|_2: struct sw_norms */
};
/** @param exact  the sums hold the exact solution */
struct system_norms system_norms_from_sums(const struct system_sums *sums, int64_t n, bool exact);

/** |A| max |x| / max |f|, which is no larger than the condition number; may be infinite. 0 where f is 0. */
double system_least_condition(const struct system_sums *sums);

/* The sums as numbers that a checkpoint keeps: whole numbers below 2^53, exactly. */
enum { SYSTEM_SUMS_NUMBERS = 4 * 7 + 7 };
void system_sums_pack(const struct system_sums *sums, double number[SYSTEM_SUMS_NUMBERS]);
void system_sums_unpack(const double number[SYSTEM_SUMS_NUMBERS], struct system_sums *sums);
#endif
