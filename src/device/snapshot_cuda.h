#ifndef SNAPSHOT_CUDA_H
#define SNAPSHOT_CUDA_H
/* Pictures of a batch on a CUDA device on their way to the host (device/sw_snapshot.h says what they are).
 *
 * A snapshot is made in buffers of the device on the stream `compute`, and goes from there to its slot on the stream
 * `copy` while the next steps are computed; the next snapshot waits until the buffers are free again. */
#include <cuda_runtime.h>

#include "device/sw_snapshot.h"
#include "device/sw_device.h"

struct sw_snapshot_slot {       /* a snapshot on the host                                */
    void        *field;        /* [field_room] bytes, pinned; made when first used     */
    double      *scalars;      /* [scalar_room] bytes, pinned                          */
    int          what;         /* of the last snapshot                                  */
    cudaEvent_t  done;         /* its copies                                           */
};

struct sw_snapshots {
    struct sw_device *device;
    size_t      field_room;    /* bytes of the largest snapshot                         */
    void       *staging;       /* of a field: lent by the caller, set before the first */
    double     *scalars;       /* [scalar_room] bytes                                  */
    cudaEvent_t taken;         /* a snapshot is in these buffers                        */
    int         last;          /* the slot whose copies may still be using them, -1    */
    struct sw_snapshot_slot slot[SW_SNAPSHOT_SLOTS];
};

/** On failure what was made stays, for destroy. */
enum sw_status sw_snapshots_create(struct sw_device *device, size_t field_room, size_t scalar_room,
                                  struct sw_snapshots *snapshots);
/** Waits for copies under way. Of zeros it is fine. */
void sw_snapshots_destroy(struct sw_snapshots *snapshots);

/** Let what is queued from now on wait until the buffers are free. */
enum sw_status sw_snapshots_wait(struct sw_snapshots *snapshots);
/** What has been queued so far fills so many bytes of the buffers: send them to a slot. */
enum sw_status sw_snapshots_send(struct sw_snapshots *snapshots, int slot, int what, size_t field_bytes,
                                size_t scalar_bytes);
/** Wait for a slot; NULL for what was not snapshotted. Possibly on another thread than the rest. */
enum sw_status sw_snapshots_fetch(const struct sw_snapshots *snapshots, int slot, const void **field,
                                 const double **scalars);
#endif
