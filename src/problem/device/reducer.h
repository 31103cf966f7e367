#ifndef REDUCER_H
#define REDUCER_H
/* Expressions over reductions (expr/sw_reduction.h) of runs on periodic lines whose state lies on a device: kernels
 * compiled at run time. To rounding the values are those of field/reduce.h, whose sums they take in the same order. */
#include "base/sw_text.h"
#include "device/sw_device.h"
#include "field/reduce.h"
#include "problem/sw_problem.h"

struct sw_device_reducer;

/** Whether these lines are of a kind that it does: in one dimension, without walls. */
bool sw_device_reducer_fits(const struct sw_reducer_desc *desc);

/** @param desc  what it points to outlives the reducer
 *  @param capacity  most runs of a batch
 *  @return SW_E_ABSENT no compiler for kernels; SW_E_CUDA; SW_E_MEMORY; nothing is left behind */
enum sw_status sw_device_reducer_create(const struct sw_reducer_desc *desc, int capacity, struct sw_device *device,
                                        struct sw_device_reducer **reducer);
void sw_device_reducer_destroy(struct sw_device_reducer **reducer);

/** The runs that follow. @param runs  t and field do not count  @return SW_E_CUDA, SW_E_MEMORY */
enum sw_status sw_device_reducer_load(struct sw_device_reducer *reducer, const struct sw_reducer_runs *runs);

/** Their values after the steps that are queued. Waits.
 *  @param t      [count] the times of the runs, on the host
 *  @param value  out: [count][expressions] on the host  @return SW_E_CUDA */
enum sw_status sw_device_reducer_values(struct sw_device_reducer *reducer, const struct sw_device_state *state,
                                        const double *t, double *value);

#endif
