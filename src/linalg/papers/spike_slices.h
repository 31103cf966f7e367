#ifndef SPIKE_SLICES_H
#define SPIKE_SLICES_H
/* Slices of SPIKE (linalg/sw_tridiagonal_impl.h, struct sw_slice_ops): a slice is a partition of the reduced system (9)
 * like any other, of as many rows as all the partitions that became one in it. The recursion over partitions goes on
 * over slices, on the host. */
#include "linalg/papers/spike_point.h"
#include "linalg/sw_tridiagonal_impl.h"

/** @param ends  vt vb wt wb yt yb of the slice; on the host */
struct sw_relation spike_relation(const struct spike_ends *ends);

/** `close` of the rows: up and down the tree over the slices.
 * @param count  a power of two  @param cyclic  ignored: no row of SPIKE takes a cyclic system */
enum sw_status spike_close(int64_t count, const struct sw_relation *relation, bool cyclic, double (*ends)[4]);
#endif
