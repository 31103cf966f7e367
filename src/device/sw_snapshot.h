#ifndef SW_SNAPSHOT_H
#define SW_SNAPSHOT_H
/* Snapshots of a batch on their way from a device to the host, while the device goes on computing.
 *
 * A snapshot is the fields of all runs, or their scalars, or both. It goes into one of SW_SNAPSHOT_SLOTS slots on the
 * host, so that the caller can read one slot, have another one copied and fill a third. What a snapshot holds is formed
 * by the problem: sw_snapshots_begin() says where, sw_snapshots_send() sends it to its slot, sw_snapshots_fetch() waits
 * for it.
 *
 * On the CPU the problem forms a snapshot in the slot itself, and there is nothing to send. On a CUDA device
 * (snapshot_cuda.c) it is formed in two buffers of the device on the stream `compute`, and goes from there to the slot
 * on the stream `copy` while the next steps are computed; the next snapshot waits until the buffers are free again. */
#include "device/sw_device.h"

enum { SW_SNAPSHOT_FIELD = 1, SW_SNAPSHOT_SCALARS = 2 };  /* what a snapshot holds */
enum { SW_SNAPSHOT_SLOTS = 3 };                           /* that may be in use at once */

struct sw_snapshots;

/** @param device        borrowed
 *  @param field_bytes   of the largest field; memory for fields is allocated when one is first asked for, since many
 *                       sweeps save scalars only
 *  @param scalar_bytes  of the scalars of the largest batch
 *  @param snapshots     out: NULL on failure
 *  @return SW_E_MEMORY, SW_E_CUDA */
enum sw_status sw_snapshots_create(struct sw_device *device, size_t field_bytes, size_t scalar_bytes,
                                   struct sw_snapshots **snapshots);
/** Waits for copies in flight. NULL and *NULL are fine. */
void sw_snapshots_destroy(struct sw_snapshots **snapshots);

/** Let fields be formed in memory of the caller's, in the device's space, [field_bytes] or more; it outlives the
 * snapshots. Without it the first field allocates a buffer. On the CPU it is not used. */
void sw_snapshots_lend(struct sw_snapshots *snapshots, void *staging);

/** Let work that is queued on the device from now on wait until earlier snapshots have left the buffers (and so the
 * memory lent). @return SW_E_CUDA */
enum sw_status sw_snapshots_wait(struct sw_snapshots *snapshots);

/** Begin a snapshot, after sw_snapshots_wait(), which it calls.
 *  @param what     SW_SNAPSHOT_FIELD, SW_SNAPSHOT_SCALARS or both
 *  @param field    out: where to form the fields, in the device's space; NULL if they are not wanted
 *  @param scalars  out: likewise
 *  @return SW_E_MEMORY, SW_E_CUDA */
enum sw_status sw_snapshots_begin(struct sw_snapshots *snapshots, int slot, int what, void **field, double **scalars);

/** Send what has been formed, or queued to be formed, since sw_snapshots_begin(): so many bytes of each. Returns at
 * once. @return SW_E_CUDA */
enum sw_status sw_snapshots_send(struct sw_snapshots *snapshots, size_t field_bytes, size_t scalar_bytes);

/** Wait for a slot. Another thread may call it than calls the rest: it uses nothing but its slot.
 *  @param field    out: the fields on the host, NULL if the snapshot has none; valid until the slot is used again
 *  @param scalars  out: likewise
 *  @return SW_E_CUDA */
enum sw_status sw_snapshots_fetch(const struct sw_snapshots *snapshots, int slot, const void **field,
                                  const double **scalars);
#endif
