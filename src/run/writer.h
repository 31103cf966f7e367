#ifndef WRITER_H
#define WRITER_H
/* The writer thread of a worker writes parts of the output file while the worker computes. Jobs are done in the order
 * in which they were given. After a failure the remaining jobs are dropped, and every call returns that failure.
 *
 * The end of a small batch may be complete before its part is on disk: it is gathered with others (gather.h) until
 * these are enough, a second has passed, or writer_wait(). */
#include "store/files/sw_output.h"

struct writer;
enum sw_status writer_create(const char *file, struct writer **writer);
void writer_destroy(struct writer **writer);          /* a part that is not finished is abandoned */
/** Begin a part. What desc and provenance point to must live until its end. */
enum sw_status writer_begin(struct writer *w, const struct sw_part_desc *desc, const struct sw_provenance *provenance);
/** Of a batch of so many runs: how many of their numbers parts hold as infinite (struct sw_part_desc), at first none.
 * All snapshots before have been written.
 * @param infinite  out [count]: the writer's own. Read it after writer_wait_slots()  @return SW_E_MEMORY */
enum sw_status writer_count_infinite(struct writer *w, size_t count, int64_t **infinite);
/** Wait for a free slot for the next snapshot. */
enum sw_status writer_slot(struct writer *w, int *slot);
/** Give it back: there is no snapshot. */
void writer_return_slot(struct writer *w, int slot);
/** Write the snapshot in a slot, then free the slot.
 * @param field       what is written in place of the snapshot's field, NULL: that; the writer's from now on, also on
 *                    failure
 * @param defined     the user's scalars that go with it, [count][sweep->ndefined], NULL: none; the writer's from now
 *                    on, also on failure
 * @param host_bytes  the size of a snapshot in host memory, which the calling thread may write itself if it is small;
 *                    0: of another */
enum sw_status writer_snapshot(struct writer *w, struct sw_sim *sim, int slot, int what, void *field, double *defined,
                               size_t host_bytes);
/** The same of a piece of a field (struct sw_sim_ops): points first .. first + count - 1. */
enum sw_status writer_piece(struct writer *w, struct sw_sim *sim, int slot, int64_t first, int64_t count);
/** Append an entry of NaN. @param what  SW_SNAPSHOT_FIELD, SW_SNAPSHOT_SCALARS or both */
enum sw_status writer_blank(struct writer *writer, int what);
/** Write histories (sw_part_add_history), which are the writer's from now on, also on failure. */
enum sw_status writer_history(struct writer *w, double *history, int64_t entries);
/** End the part (sw_part_commit). result and the numbers of the state are the writer's from now on, also on failure.
 * @param state  number NULL: none */
enum sw_status writer_finish(struct writer *w, struct sw_run_result *result, const struct sw_part_state *state);
/** Drop the part. */
enum sw_status writer_abandon(struct writer *w);
enum sw_status writer_wait_slots(struct writer *w);   /* until all snapshots are written */
enum sw_status writer_wait(struct writer *w);         /* until all jobs are complete, and on disk */
enum sw_status writer_status(struct writer *w);
/** That the last end of a part took; 0: there was none; INFINITY: it is not over. */
double writer_finish_seconds(struct writer *w);

/** The number of jobs given so far, for writer_wait_mark() and writer_reached(). */
int64_t writer_mark(struct writer *w);
/** Wait until the jobs up to a mark are complete. @return the first failure, of whatever job */
enum sw_status writer_wait_mark(struct writer *w, int64_t mark);
/** Whether those jobs are complete, without a failure, and what they wrote is on disk. */
bool writer_reached(struct writer *w, int64_t mark);
#endif
