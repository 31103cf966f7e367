#ifndef GATHER_H
#define GATHER_H
/* Parts of many small batches. To create a part, sync it and read it again when parts are joined takes 5 ms, the steps
 * of a small batch less. Of the batches that a writer is given the first sixteen have a part each; after them a small
 * one stays in memory, and goes into a part with those that follow: a sixteenth as many as there were before, so that
 * ten times as many batches have forty parts more. None waits for longer than GATHER_SECONDS.
 *
 * A batch is begun, has its outputs in their order, and ends. One thread begins and ends batches and writes; outputs
 * may come from another one in between. */
#include "store/sw_part.h"

static const double GATHER_SECONDS = 1;

struct gather;
enum sw_status gather_create(const char *file, struct gather **gather);
void gather_destroy(struct gather **gather);   /* what is not written is lost */

/** Whether the part may hold other batches too, and the writer has ended enough of them. Where there are batches that
 * it cannot stand beside, write these first.
 * @param fits  out: it can stand beside them */
bool gather_takes(const struct gather *g, const struct sw_part_desc *desc, bool *fits);
/** Begin a batch. What desc and provenance point to must stay until it is written. @return SW_E_MEMORY */
enum sw_status gather_begin(struct gather *g, const struct sw_part_desc *desc, const struct sw_provenance *provenance);
/** The next output of the batch that has begun, as for sw_part_add_field() and sw_part_add_scalars(). */
void gather_add_field(struct gather *g, const void *field);
void gather_add_scalars(struct gather *g, const double *scalars, const double *defined);
/** The batch ends. @param result  [count]; the gather's on success: *result is NULL then  @return SW_E_MEMORY */
enum sw_status gather_end(struct gather *g, struct sw_run_result **result);
/** The batch that has begun goes on from a state: make a part of it alone. @return as of sw_part_commit() */
enum sw_status gather_break_off(struct gather *g, const struct sw_run_result *result,
                                const struct sw_part_state *state);
/** Drop the batch that has begun, if there is one. */
void gather_abandon(struct gather *g);
/** A batch has ended: count it, here or in a part of its own. */
void gather_count(struct gather *g);

bool gather_has_begun(const struct gather *g);
/** Whether batches that have ended wait to be written. */
bool gather_waits(const struct gather *g);
/** The clock (sw_clock()) at which they are to be written at the latest; 0: now. */
double gather_due(const struct gather *g);
/** Make a part of all batches that have ended, if there are any. They are gone also on failure.
 * @return as of sw_part_commit() */
enum sw_status gather_write(struct gather *g);
#endif
