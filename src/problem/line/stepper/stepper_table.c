/* Every way to advance lines in time there is. To add one: write stepper_<name>.c, add its row. */
#include "problem/line/stepper/sw_stepper_impl.h"

extern const struct sw_stepper_ops stepper_simd_cpu, stepper_plain_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_stepper_ops stepper_split_cuda, stepper_fused_cuda, stepper_stream_cuda, stepper_cufft_cuda;
#else
#define ABSENT(row, n) \
    static const struct sw_stepper_ops row = {.name = (n), .space = SW_DEVICE, .absent = SW_WITHOUT_CUDA}
ABSENT(stepper_split_cuda, "cuda.split");
ABSENT(stepper_fused_cuda, "cuda.fused");
ABSENT(stepper_stream_cuda, "cuda.stream");
ABSENT(stepper_cufft_cuda, "cuda.cufft");
#endif

const struct sw_stepper_ops *const sw_stepper_table[] = {
    &stepper_simd_cpu,    /* lines side by side in vectors, two recursions, in the cache */
    &stepper_plain_cpu,   /* stencils, then a band solver, each step: the reference */
    &stepper_fused_cuda,  /* all steps between two outputs in one kernel            */
    &stepper_stream_cuda, /* the same by spans, once through memory a step: any length */
    &stepper_split_cuda,  /* stencil kernels, then a band solver, each step         */
    &stepper_cufft_cuda,  /* the same, with transforms: to compare with            */
    0,
};
