/* Every way to compute compact finite differences there is. To add one: write fd_<name>.c, add its row. */
#include "fd/sw_fd_impl.h"

extern const struct sw_fd_ops fd_simd_cpu, fd_thomas_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_fd_ops fd_fused_cuda;
#else
static const struct sw_fd_ops fd_fused_cuda = {.name = "cuda.fused", .space = SW_DEVICE, .absent = SW_WITHOUT_CUDA};
#endif

const struct sw_fd_ops *const sw_fd_table[] = {
    &fd_simd_cpu,    /* lines side by side, one pass                    */
    &fd_fused_cuda,  /* one pass, a line in the registers of a group of threads */
    &fd_thomas_cpu,  /* one line after another, plain C: the reference */
    NULL,
};
