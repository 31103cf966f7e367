#ifndef FUSED_KERNELS_CUDA_H
#define FUSED_KERNELS_CUDA_H
/* The kernels of cuda.fused and cuda.stream: how they lay lines out, what they need to know of the lines of a batch
 * (fused_coefficients.h), on the device, and the kernels themselves: one for coefficients that all lines have, one for
 * coefficients that differ, compiled when needed. Where lines take steps of their own their kernel forms the
 * coefficients. */
#include "problem/line/cuda/fused_coefficients.h"
#include "problem/line/cuda/expression_kernels_cuda.h"
#include "problem/line/stepper/sw_stepper_impl.h"

/* How cuda.fused lays lines out over the lanes of a device: groups of lanes of a warp, a thread block, a cluster of
 * blocks. And cuda.stream over all of it: spans, each the points of a warp. */

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

struct sw_fused_kernels {
    struct sw_fused_shape shape;
    struct sw_fused_cut   cut;
    int                   per_line;                 /* whether the runs of the batch loaded differ            */
    struct sw_kernels     kernels[2];               /* [per_line]                                             */
    union {                                         /* of all lines, if they have the same: a kernel's argument */
        struct sw_fused_common        common;
        struct sw_fused_common_single common_single;
    };
    struct sw_fused_line *line, *host;              /* [capacity]; on the device, on the host                 */
    double               *table, *host_table;       /* [capacity][sw_fused_table(cut)], likewise              */
};

/** Allocates the arrays, and begins to compile the kernel that a batch most likely needs: where there are two, that of
 *  runs with numbers in common, and with paces of runs that differ. sw_fused_kernels_load() compiles the other, where a
 *  batch needs that. On failure what was made stays, for destroy.
 *  @param shape  copied */
enum sw_status sw_fused_kernels_create(struct sw_stepper *s, const struct sw_fused_shape *shape,
                                       struct sw_fused_kernels *kernels);
void sw_fused_kernels_destroy(struct sw_stepper *s, struct sw_fused_kernels *kernels);
/** Bytes of device memory a run. */
size_t sw_fused_kernels_bytes(const struct sw_stepper_desc *desc, const struct sw_fused_shape *shape);

/** Of the runs in the stepper, to the device. */
enum sw_status sw_fused_kernels_load(struct sw_stepper *s, struct sw_fused_kernels *kernels);

static inline void *sw_fused_kernels_get(const struct sw_fused_kernels *kernels, int k)
{
    return kernels->kernels[kernels->per_line].kernel[k];
}
#endif
