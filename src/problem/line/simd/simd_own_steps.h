#ifndef SIMD_OWN_STEPS_H
#define SIMD_OWN_STEPS_H
/* Steps of a run's own by cpu.simd: lanes hold runs that are at different times and take different steps. */
#include "problem/line/simd/simd_group.h"

/** What a worker needs for it. */
enum sw_status sw_simd_create_own(const struct sw_stepper_desc *desc, struct sw_simd_worker *w);

/** Put the runs that are not yet at a tick into p->queue, the one that is expected to take most steps first.
 * @return how many there are */
int sw_simd_queue_own(struct sw_stepper *s, int64_t to);

/** Take runs from the queue, until there are no more, to a tick: many workers at once. @param next  of the queue */
void sw_simd_advance_own(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, int64_t to,
                         int queued, int *next);
#endif
