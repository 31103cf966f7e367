#ifndef FUSED_KERNELS_CUDA_H
#define FUSED_KERNELS_CUDA_H
/* What the kernels of cuda.fused and cuda.stream need to know of the lines of a batch (fused_coefficients.h), on the
 * device, and those kernels: one for coefficients that all lines have, one for coefficients that differ, compiled when
 * needed. Where lines take steps of their own their kernel forms the coefficients. */
#include "problem/line/cuda/fused_coefficients.h"
#include "problem/line/cuda/kernels_cuda.h"
#include "problem/line/stepper/sw_stepper_impl.h"

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

/** Allocates the arrays; sw_fused_kernels_load() compiles the kernel that a batch needs. On failure
 *  what was made stays, for destroy.
 *  @param shape  copied */
enum sw_status sw_fused_kernels_create(struct sw_stepper *s, const struct sw_fused_shape *shape,
                                       struct sw_fused_kernels *kernels);
void sw_fused_kernels_destroy(struct sw_stepper *s, struct sw_fused_kernels *kernels);
/** Bytes of device memory a run. */
size_t sw_fused_kernels_bytes(const struct sw_stepper_desc *desc, const struct sw_fused_shape *shape);

/** Of the runs in the stepper, to the device. */
enum sw_status sw_fused_kernels_load(struct sw_stepper *s, struct sw_fused_kernels *kernels);

/** Only compile, for sm_xx, to find out whether it works. */
enum sw_status sw_fused_kernels_try_compile(const struct sw_stepper_desc *desc, const struct sw_fused_shape *shape,
                                            int sm);

static inline void *sw_fused_kernels_get(const struct sw_fused_kernels *kernels, int k)
{
    return kernels->kernels[kernels->per_line].kernel[k];
}
#endif
