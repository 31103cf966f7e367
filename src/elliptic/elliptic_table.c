/* Every solver of elliptic problems there is. To add one: write elliptic_<name>.c, add its row. */
#include "elliptic/sw_elliptic_impl.h"

extern const struct sw_elliptic_ops elliptic_interleaved_cpu, elliptic_modal_cpu, elliptic_multigrid_cpu,
    elliptic_pcg_cpu, elliptic_csr_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_elliptic_ops elliptic_modal_cuda, elliptic_multigrid_cuda, elliptic_interleaved_cuda,
    elliptic_interleaved_single_cuda, elliptic_pcg_cuda, elliptic_csr_cuda;
#else
#define ABSENT(row, n) \
    static const struct sw_elliptic_ops row = {.name = (n), .space = SW_DEVICE, .absent = SW_WITHOUT_CUDA}
ABSENT(elliptic_modal_cuda, "cuda.modal");
ABSENT(elliptic_multigrid_cuda, "cuda.multigrid");
ABSENT(elliptic_interleaved_cuda, "cuda.interleaved");
ABSENT(elliptic_interleaved_single_cuda, "cuda.interleaved_single");
ABSENT(elliptic_pcg_cuda, "cuda.pcg");
ABSENT(elliptic_csr_cuda, "cuda.csr");
#endif

const struct sw_elliptic_ops *const sw_elliptic_table[] = {
    &elliptic_modal_cpu,        /* vertical modes: where coefficients are the same everywhere */
    &elliptic_multigrid_cpu,    /* iterations that hardly grow with the Courant number or the grid */
    &elliptic_interleaved_cpu,  /* conjugate gradients in two fused passes */
    &elliptic_pcg_cpu,          /* pass by pass: the reference */
    &elliptic_csr_cpu,          /* with the matrix in compressed rows: the paper's baseline */
    &elliptic_modal_cuda,       /* vertical modes, all systems of a batch together */
    &elliptic_multigrid_cuda,   /* a cycle in single precision, u in double */
    &elliptic_interleaved_cuda, /* conjugate gradients in two fused passes, likewise */
    &elliptic_interleaved_single_cuda,  /* the same in single precision, u and its residual in double */
    &elliptic_pcg_cuda,         /* conjugate gradients, pass by pass: the reference there */
    &elliptic_csr_cuda,         /* by cuSPARSE and cuBLAS: the paper's baseline */
    0,
};
