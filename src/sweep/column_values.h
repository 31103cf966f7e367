#ifndef SWEEP_COLUMN_VALUES_H
#define SWEEP_COLUMN_VALUES_H
/* The numbers of columns, computed on demand for a block of runs at a time. */
#include "sweep/formula.h"
#include "sweep/sw_sweep.h"
#include "sweep/words.h"

enum { RUNS_AT_ONCE = 1024 };       /* runs worked on together: 8 KiB a column                                  */

/* Some runs with all their numbers. */
struct column_block {
    int64_t        first;               /* position of the first of them in the list of runs                    */
    int            count;               /* at most RUNS_AT_ONCE                                                 */
    const double  *column;              /* column k of the j-th run at column[k*RUNS_AT_ONCE + j]               */
};

/** Call `work` for blocks of runs: run[0 .. count-1], or first .. first+count-1 if run is NULL. All threads call it,
 * each for other blocks, unless `in_order`. @return its first failure, or SW_E_MEMORY */
enum sw_status blocks_each(const struct sw_sweep *s, const int64_t *run, int64_t first, int64_t count, bool in_order,
                           enum sw_status (*work)(void *user, const struct column_block *block), void *user);

/** The number of a column in run j of a block; `otherwise` where column is -1. */
static inline double block_number(const struct column_block *block, int column, int j, double otherwise)
{
    return column < 0 ? otherwise : block->column[(size_t)column * RUNS_AT_ONCE + (size_t)j];
}

/** Compute what is the same for all runs once and for all; unknown columns hold NaN from here on. */
enum sw_status columns_fold(struct sw_sweep *s);

/** How far end/dt may be from a whole number: 1e-6, or the rounding of a quotient so large. */
static inline double steps_slack(double ratio) { return 1e-6 + 1e-15 * ratio; }

/** What a problem may know of all runs before there are groups: columns, functions, unknowns, words that all have. */
struct sw_setup setup_of_sweep(const struct sw_sweep *s);

/** What a problem may know of run j of a block (column k of it at column[k*RUNS_AT_ONCE + j]) before there are groups:
 * columns, functions, choices. @param choice  memory for the words */
struct sw_setup setup_of_run(const struct sw_sweep *s, const double *column, int j,
                             struct sw_choice choice[MAX_CHOICES]);

/** The value in `count` runs of a block. */
enum sw_status value_over_runs(const struct run_value *value, int count, const double *column, double *out);
#endif
