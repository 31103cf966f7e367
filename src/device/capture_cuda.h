#ifndef CAPTURE_CUDA_H
#define CAPTURE_CUDA_H
/* Pictures of a batch on a CUDA device on their way to the host (device/sw_capture.h says what they are).
 *
 * A capture is made in buffers of the device on the stream `compute`, and goes from there to its slot on the stream
 * `copy` while the next steps are computed; the next capture waits until the buffers are free again. */
#include <cuda_runtime.h>

#include "device/sw_capture.h"
#include "device/sw_device.h"

struct sw_capture_slot {       /* a capture on the host                                */
    void        *field;        /* [field_room] bytes, pinned; made when first used     */
    double      *scalars;      /* [scalar_room] bytes, pinned                          */
    int          what;         /* of the last capture                                  */
    cudaEvent_t  done;         /* its copies                                           */
};

struct sw_captures {
    struct sw_device *device;
    size_t      field_room;    /* bytes of the largest capture                         */
    void       *staging;       /* of a field: lent by the caller, set before the first */
    double     *scalars;       /* [scalar_room] bytes                                  */
    cudaEvent_t taken;         /* a capture is in these buffers                        */
    int         last;          /* the slot whose copies may still be using them, -1    */
    struct sw_capture_slot slot[SW_SLOTS];
};

/** On failure what was made stays, for destroy. */
enum sw_status sw_captures_create(struct sw_device *device, size_t field_room, size_t scalar_room,
                                  struct sw_captures *captures);
/** Waits for copies under way. Of zeros it is fine. */
void sw_captures_destroy(struct sw_captures *captures);

/** Let what is queued from now on wait until the buffers are free. */
enum sw_status sw_captures_wait(struct sw_captures *captures);
/** What has been queued so far fills so many bytes of the buffers: send them to a slot. */
enum sw_status sw_captures_send(struct sw_captures *captures, int slot, int what, size_t field_bytes,
                                size_t scalar_bytes);
/** Wait for a slot; NULL for what was not captured. Possibly on another thread than the rest. */
enum sw_status sw_captures_fetch(const struct sw_captures *captures, int slot, const void **field,
                                 const double **scalars);
#endif
