#ifndef EARLY_ENDS_H
#define EARLY_ENDS_H
/* Runs of a batch that end before time.end: those that are steady, and those of which stop.when holds. */
#include "run/failures.h"
#include "run/writer.h"

struct early_ends;

/** The runs are loaded, into a sim of problem/stopping_sim.h.
 * @param failures  runs of which stop.when is NaN are added
 * @param writer    of the snapshots of the sim  @param ends  out: NULL where the sweep asks for no early ends; then all
 *                  that follows does nothing  @return SW_E_MEMORY */
enum sw_status early_ends_create(const struct runs *runs, struct failures *failures, struct writer *writer,
                                 struct early_ends **ends);
void early_ends_destroy(struct early_ends *ends);  /* NULL is fine. The rest goes with the runs */

/** The sim has the initial values. */
enum sw_status early_ends_initial(struct early_ends *ends);
/** The step of the next look behind `step`; that at which the batch ends if none comes before. */
int64_t early_ends_next(const struct early_ends *ends, int64_t step);
/** If a look is due at the step, find the runs that end now. All that is due at the step has been written. */
enum sw_status early_ends_look(struct early_ends *ends, int64_t step);
/** The last step is taken: load all runs again, so that the sim knows each. */
enum sw_status early_ends_finish(struct early_ends *ends);

/** Whether run j has ended early. @param step  out, if it has: after which step or tick */
enum sw_run_end early_ends_of(const struct early_ends *ends, int j, int64_t *step);

/** Numbers a run that a checkpoint has of it, the last ones; and how many states, as that of the run, are at their end.
 * Store them; and go on from them at a step, where the sim has the states.
 * @param stored  [...][width] the checkpoint */
size_t early_ends_stored(const struct early_ends *ends);
size_t early_ends_stored_states(const struct early_ends *ends);
void early_ends_store(const struct early_ends *ends, int j, double *to);
enum sw_status early_ends_resume(struct early_ends *ends, int64_t step, const double *stored, size_t width);
#endif
