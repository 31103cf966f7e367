#ifndef SCALARS_H
#define SCALARS_H
/* The scalars of output.scalars.define (docs/explanation/results.md): one mechanism for all problems and
 * devices. They are formed where the state lies if it lies on a device as lines (problem/device/reducer.h); else on the
 * host, by all threads of the worker, of a copy of the state in double precision, for which the device waits. */
#include "run/early_ends.h"

struct scalars;

/** @param scalars  out: NULL where the runs have none  @return SW_E_CUDA, SW_E_MEMORY */
enum sw_status scalars_create(const struct runs *runs, struct scalars **scalars);
void scalars_destroy(struct scalars *scalars);  /* NULL is fine. The rest goes with the runs */

/** Their values of the state at a step. Waits for the steps that are queued.
 * @param ends   those of a run that has ended early stay what they were
 * @param value  out: [count][sweep->ndefined]; NULL where there are none. Free with sw_free() */
enum sw_status scalars_form(struct scalars *scalars, const struct early_ends *ends, int64_t step, double **value);
#endif
