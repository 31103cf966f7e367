#ifndef ASSIGNMENTS_H
#define ASSIGNMENTS_H
/* Which rank computes which batch of a plan, and who helps it: kept by rank 0, for all workers of a job. */
#include "run/sw_work_queue.h"

struct assignments;

/** @param plan  outlives the assignments  @param workers  of all ranks  @return SW_E_MEMORY */
enum sw_status assignments_create(const struct sw_plan *plan, int workers, struct assignments **assignments);
void assignments_destroy(struct assignments **assignments);

/** Find work for a worker of a rank.
 * @param help   whether it may be sent to help
 * @param batch  out: as sw_work_queue.next()
 * @param how    out, for SW_QUEUE_HELP: with what to help; of a batch: how.lead is the number of the assignment */
enum sw_status assignments_next(struct assignments *a, int rank, bool help, int64_t *batch, struct sw_help *how);
/** A worker comes back from a batch that it has helped with. @param last  batch -1: it has not */
void assignments_end_help(struct assignments *a, const struct sw_help *last);
enum sw_status assignments_complete(struct assignments *a, int64_t batch, enum sw_batch_outcome outcome);
/** A rank has exited: its batches are to be computed by others. */
enum sw_status assignments_return(struct assignments *a, int rank);
int64_t assignments_remaining(const struct assignments *a);  /* as sw_work_queue.remaining() */
#endif
