/* Every way to advance lines in time there is. To add one: write stepper_<name>.c, add its row. */
#include "stepper/sw_stepper_impl.h"

extern const struct sw_stepper_ops stepper_simd_cpu, stepper_plain_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_stepper_ops stepper_split_cuda, stepper_fused_cuda, stepper_stream_cuda;
#else
static const struct sw_stepper_ops stepper_split_cuda = {
    .name = "cuda.split", .space = SW_DEVICE,
    .absent = "built without CUDA: install the CUDA toolkit and run make again",
};
static const struct sw_stepper_ops stepper_fused_cuda = {
    .name = "cuda.fused", .space = SW_DEVICE,
    .absent = "built without CUDA: install the CUDA toolkit and run make again",
};
static const struct sw_stepper_ops stepper_stream_cuda = {
    .name = "cuda.stream", .space = SW_DEVICE,
    .absent = "built without CUDA: install the CUDA toolkit and run make again",
};
#endif

const struct sw_stepper_ops *const sw_stepper_table[] = {
    &stepper_simd_cpu,    /* lines side by side in vectors, two recursions, in the cache */
    &stepper_plain_cpu,   /* stencils, then a band solver, each step: the reference */
    &stepper_fused_cuda,  /* all steps between two outputs in one kernel            */
    &stepper_stream_cuda, /* the same by spans, once through memory a step: any length */
    &stepper_split_cuda,  /* stencil kernels, then a band solver, each step         */
    0,
};
