#ifndef SNAPSHOT_IMPL_H
#define SNAPSHOT_IMPL_H
/* What a kind of device with memory of its own does for snapshots: a row that its struct sw_device_ops points to. */
#include "device/sw_snapshot.h"

struct sw_snapshot_slot {       /* a snapshot on the host                                          */
    void   *field;              /* [field_bytes], made when first used                             */
    double *scalars;            /* [scalar_bytes]                                                  */
    int     what;               /* the last snapshot holds                                         */
    void   *copied;             /* of ops: when it is here                                         */
};

struct sw_snapshots {
    struct sw_device *device;
    const struct sw_snapshot_ops *ops;  /* NULL: fields and scalars are formed in the slot         */
    size_t  field_bytes, scalar_bytes;
    void   *staging;            /* on the device: where fields are formed                          */
    bool    lent;               /* it belongs to the caller                                        */
    double *scalars;            /* on the device: where scalars are formed                         */
    void   *formed;             /* of ops: when the snapshot at hand is                            */
    int     slot;               /* that the snapshot at hand goes to                               */
    int     last;               /* the slot whose copies may still read the buffers, -1: none      */
    struct sw_snapshot_slot in[SW_SNAPSHOT_SLOTS];
};

struct sw_snapshot_ops {
    enum sw_status (*create)(struct sw_snapshots *s);  /* fills formed, in[].copied                */
    void           (*destroy)(struct sw_snapshots *s); /* what was made of them; nothing is in flight */
    enum sw_status (*wait)(struct sw_snapshots *s);    /* sw_snapshots_wait()                      */
    enum sw_status (*send)(struct sw_snapshots *s, size_t field_bytes, size_t scalar_bytes);  /* to in[slot] */
    enum sw_status (*wait_for_slot)(const struct sw_snapshots *s, int slot);  /* the host waits    */
};
#endif
