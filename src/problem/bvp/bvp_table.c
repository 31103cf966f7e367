/* Every way to solve the boundary value problem there is. To add one: write bvp_<name>.c, add its row. */
#include "problem/bvp/sw_bvp_impl.h"

extern const struct sw_bvp_ops bvp_a1s_cpu, bvp_a1d_cpu, bvp_a2s_cpu, bvp_a2d_cpu, bvp_a2sd_cpu, bvp_scan_cpu;
extern const struct sw_bvp_ops bvp_relations_cpu, bvp_thomas_cpu, bvp_lapack_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_bvp_ops bvp_scan_cuda, bvp_a2s_cuda, bvp_a2d_cuda, bvp_a2sd_cuda;
extern const struct sw_bvp_ops bvp_relations_cuda, bvp_thomas_cuda;
#else
#define ABSENT(row, n) \
    static const struct sw_bvp_ops row = {.name = (n), .space = SW_DEVICE, .absent = SW_WITHOUT_CUDA}
ABSENT(bvp_scan_cuda, "cuda.scan");
ABSENT(bvp_a2s_cuda, "cuda.a2s");
ABSENT(bvp_a2d_cuda, "cuda.a2d");
ABSENT(bvp_a2sd_cuda, "cuda.a2sd");
ABSENT(bvp_relations_cuda, "cuda.relations");
ABSENT(bvp_thomas_cuda, "cuda.thomas");
#endif

const struct sw_bvp_ops *const sw_bvp_table[] = {
    &bvp_scan_cpu,  /* totals first, nothing stored; then u                         */
    &bvp_a1d_cpu,   /* the two sums one after another, double: the reference        */
    &bvp_a2d_cpu,   /* divide and conquer, double                                   */
    &bvp_a2sd_cpu,  /* the same in single precision, but the sums across columns    */
    &bvp_a2s_cpu,   /* all in single precision                                      */
    &bvp_a1s_cpu,   /* one after another in single precision                        */
    &bvp_thomas_cpu,   /* the general problem: elimination with row sums apart */
    &bvp_lapack_cpu,   /* the same as a band matrix */
    &bvp_relations_cpu,  /* the same as pairs of u and flux, by a solver that pivots: on two threads no faster */
    &bvp_scan_cuda,    /* on a GPU */
    &bvp_a2d_cuda,
    &bvp_a2sd_cuda,
    &bvp_a2s_cuda,
    &bvp_relations_cuda,
    &bvp_thomas_cuda,
    NULL,
};
