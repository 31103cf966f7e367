#ifndef CAPTURE_CUDA_H
#define CAPTURE_CUDA_H
/* Pictures of a batch on a CUDA device on their way to the host.
 *
 * A capture is made in buffers of the device on the stream `compute`, and goes from there to its slot on the stream
 * `copy` while the next steps are computed; the next capture waits until the buffers are free again. */
#include <cuda_runtime.h>

#include "stepper/sw_stepper_impl.h"

struct sw_capture_slot {       /* a capture on the host                                             */
    void        *field;        /* [capacity][n] float or double, pinned; made when first used       */
    double      *scalars;      /* [capacity][SW_LINE_SCALARS], pinned                               */
    int          what;         /* of the last capture                                               */
    cudaEvent_t  done;         /* its copies                                                        */
};

struct sw_captures {
    double     *staging;       /* [capacity][n] of a field, line by line; lent by the stepper       */
    double     *scalars;       /* [capacity][SW_LINE_SCALARS]                                       */
    cudaEvent_t taken;         /* a capture is in these buffers                                     */
    int         last;          /* the slot whose copies may still be using them, -1                 */
    struct sw_capture_slot slot[SW_SLOTS];
};

/** On failure what was made stays, for destroy. */
enum sw_status sw_captures_create(struct sw_stepper *s, struct sw_captures *captures);
/** Waits for copies under way. */
void sw_captures_destroy(struct sw_stepper *s, struct sw_captures *captures);

/** Let what is queued from now on wait until the buffers are free. */
enum sw_status sw_captures_wait(struct sw_stepper *s, struct sw_captures *captures);
/** What has been queued so far fills the buffers: send them to a slot. */
enum sw_status sw_captures_send(struct sw_stepper *s, struct sw_captures *captures, int slot, int what);
/** As sw_stepper_fetch(). */
enum sw_status sw_captures_fetch(struct sw_stepper *s, const struct sw_captures *captures, int slot, const void **field,
                                 const double **scalars);
#endif
