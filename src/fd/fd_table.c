/* The ways to compute compact finite differences, in the order of preference. To add one: write fd_<name>.c, add its
 * row. */
#include "fd/sw_fd_impl.h"

extern const struct sw_fd_ops fd_simd_cpu, fd_thomas_cpu, fd_truncated_cpu, fd_mattor_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_fd_ops fd_fused_cuda, fd_cr_cuda, fd_gtsv_strided_cuda, fd_gtsv_interleaved_cuda,
                              fd_truncated_cuda, fd_mattor_cuda;
#else
#define ABSENT(id, row) \
    static const struct sw_fd_ops id = {.name = (row), .space = SW_DEVICE, .absent = SW_WITHOUT_CUDA}
ABSENT(fd_fused_cuda, "cuda.fused");
ABSENT(fd_cr_cuda, "cuda.cr");
ABSENT(fd_gtsv_strided_cuda, "cusparse.gtsv_strided");
ABSENT(fd_gtsv_interleaved_cuda, "cusparse.gtsv_interleaved");
ABSENT(fd_truncated_cuda, "cuda.truncated");
ABSENT(fd_mattor_cuda, "cuda.mattor");
#endif

const struct sw_fd_ops *const sw_fd_table[] = {
    &fd_simd_cpu,    /* lines side by side, one pass                    */
    &fd_fused_cuda,  /* one pass, a line in the registers of neighbouring threads */
    &fd_cr_cuda,     /* one pass, cyclic reduction in shared memory, coefficients precomputed: lines of 2^m points */
    &fd_gtsv_strided_cuda,      /* the library's batched tridiagonal solvers: baselines */
    &fd_gtsv_interleaved_cuda,
    &fd_thomas_cpu,  /* one line after another, plain C: the reference */
    /* lines that are cut over ranks */
    &fd_truncated_cpu,  /* one number a line to each neighbour: parts that are long enough           */
    &fd_truncated_cuda, /* the same on GPUs, with each point written once                         */
    &fd_mattor_cpu,     /* two numbers a line to all ranks: exact, for parts of any length           */
    &fd_mattor_cuda,    /* two numbers a line to another rank and back: the same on GPUs              */
    NULL,
};
