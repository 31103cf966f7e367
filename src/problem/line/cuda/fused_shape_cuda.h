#ifndef FUSED_SHAPE_CUDA_H
#define FUSED_SHAPE_CUDA_H
/* How cuda.fused lays lines out over the lanes of a device: groups of lanes of a warp, a thread block, a cluster of
 * blocks. And cuda.stream over all of it: spans, each the points of a warp. */
#include "problem/line/cuda/kernels_cuda.h"

/** The layout for a model and n. @param sm  of the device, 90 for sm_90
 *  @return whether there is one on such a device */
bool sw_fused_shape_pick(const struct sw_stepper_desc *desc, int sm, struct sw_fused_shape *shape);

/** The layout that a text asks for: "16x3" is 16 lanes a line and registers cut for 3 blocks a multiprocessor;
 *  "16x3x20" besides, of a lane's values between the sweeps, 20 in shared memory (0), "16x1x0x12" with 12 warps a block
 *  (4). "384x1" is a block of 384 lanes a line; "384x1x8" a cluster of 8 such blocks (1), "384x1x8x10" with 10 values
 *  in shared memory (as many as needed).
 *  @return SW_E_CONFIG */
enum sw_status sw_fused_shape_read(const struct sw_stepper_desc *desc, int sm, const char *text,
                                   struct sw_fused_shape *shape);

/** The layout of cuda.stream. @param text  NULL, or what is asked for: "32x3" is at most 32 points a lane, and
 *  registers cut for 3 blocks a multiprocessor
 *  @return whether there is one: a line may be too short (n < 64), or the text mean nothing */
bool sw_fused_shape_stream(const struct sw_stepper_desc *desc, const char *text, struct sw_fused_shape *shape);

/** Doubles of shared memory of a block. */
size_t sw_fused_shared(const struct sw_fused_shape *shape);
#endif
