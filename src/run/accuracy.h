#ifndef ACCURACY_H
#define ACCURACY_H
/* How far the numbers of some runs are off: these are computed again, with half the step, beside the batch
 * (accuracy.runs; accuracy.c says how). */
#include "run/runs.h"
#include "run/sw_run_sweep.h"

struct accuracy;

/** The runs are loaded. Begins to compute those of a sample again.
 * @param sample     of all runs, unless accuracy.runs says which
 * @param must_stop  asked now and then: whether to give up
 * @param accuracy   out: NULL where there is nothing to estimate  @return what the device returns */
enum sw_status accuracy_create(const struct runs *runs, const struct sw_representatives *sample,
                               bool (*must_stop)(void *user), void *user, struct accuracy **accuracy);
/** Wait for what is computed again; fill the columns error_time and error_space of the runs that are done, and the
 * messages of those that half the step changes much. Too little memory leaves them NaN.
 * @param result  [count]  @param found  in: zeros; out: what the sample says
 * @return SW_E_STOPPED must_stop() says so: the estimates are missing, and another call is to end the runs */
enum sw_status accuracy_estimate(struct accuracy *accuracy, struct sw_run_result *result, struct sw_accuracy *found);
void accuracy_destroy(struct accuracy *accuracy);  /* gives up what is under way. The rest goes with the runs */
#endif
