#ifndef RESULTS_H
#define RESULTS_H
/* The results of a batch that has come to its end: status, norms, estimates and messages of its runs. */
#include "run/accuracy.h"
#include "run/early_ends.h"

struct results_of {
    const struct runs *r;
    const struct failures *failures;
    const struct early_ends *ends;
    struct accuracy *accuracy;
    const int64_t *infinite;   /* [count] numbers saved as infinite; NULL: fields are saved in double precision */
    double seconds;            /* that a run took                                                               */
};

/** @param result  out [count]
 *  @param found   out: what the runs that were computed again say
 *  @return as accuracy_estimate(); what the sim returns; SW_E_MEMORY */
enum sw_status results_fill(const struct results_of *of, struct sw_run_result *result, struct sw_accuracy *found);

/** Append what the problem says of the results of some runs to their messages. @param looks  which */
enum sw_status results_look(const struct runs *runs, const struct sw_representatives *looks,
                            struct sw_run_result *result);

/** Error norms at the last step against the config's `exact` (docs/explanation/results.md):
 * with d = u - exact, sqrt(mean d²), max |d|, |d|₂/|exact|₂.
 * @param column  [setup->ncolumn][count]
 * @param u       [count][points] the last states
 * @param steps   of each run; where the set-up has paces they are in the results
 * @param result  [count]; runs that are not done are left alone */
enum sw_status results_norms_of_states(const struct sw_setup *setup, int threads, int count, const double *column,
                                       const double *u, int64_t steps, struct sw_run_result *result);
#endif
