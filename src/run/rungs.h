#ifndef RUNGS_H
#define RUNGS_H
/* The batches of a sweep with a ladder have an order: runs that start from the ends of others wait until these have
 * ended. The ends that other batches of the plan start from are kept in memory until these have ended; those of earlier
 * calls are read from the file. Any thread may call at any time, but for create and destroy. */
#include "run/runs.h"
#include "store/files/sw_output.h"

struct rungs;
/** @param plan  with its batches; borrowed  @param completed  NULL: the file holds nothing; borrowed
 * @return SW_E_REFUSED a run starts from the end of one that is not to do and whose end is not there; SW_E_MEMORY */
enum sw_status rungs_create(const struct sw_plan *plan, const struct sw_sweep *sweep,
                            const struct sw_completed *completed, struct rungs **rungs);
void rungs_destroy(struct rungs **rungs);

/** Whether all from whose ends runs of the batch start have ended. rungs NULL: it has none such. */
bool rungs_ready(struct rungs *rungs, int64_t batch);

/** The batch that stands for all those that hang together with this one, as one waits for the other: the first of them.
 * Ends are in the memory of the process that computed them, so one process computes all. */
int64_t rungs_tower(const struct rungs *rungs, int64_t batch);

/** A number by which batches are given out, the least first: ladder by ladder, as far as they are ready. */
double rungs_turn(const struct rungs *rungs, int64_t batch);

/** Where the runs of a batch, or of a half of it, start.
 * @param field  out: [count][r->size] in r->arena; NaN of runs that cannot begin; NULL: all have initial values of
 *               their own
 * @param why    in: [count] NULL; out, in r->arena: why a run cannot begin
 * @return SW_E_IO, SW_E_MEMORY */
enum sw_status rungs_start(struct rungs *rungs, const struct runs *r, double **field, const char **why);

/** The runs of a batch, or of a half of it, have ended: others may start.
 * @param state   [count][stride], of each the first r->size numbers are its field; copied where runs start from it
 * @param result  [count]  @param why  [count] as rungs_start() has given it  @return SW_E_MEMORY */
enum sw_status rungs_end(struct rungs *rungs, int64_t batch, const struct runs *r, const double *state, size_t stride,
                         const struct sw_run_result *result, const char *const *why);

/** A batch is on disk, computed here or by another process: those that start from its ends need not wait, and the ends
 * that it started from are not kept for it any more. rungs NULL: nothing to do. */
void rungs_release(struct rungs *rungs, int64_t batch);
#endif
