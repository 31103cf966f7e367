/* Every solver of tridiagonal systems with pivoting there is. To add one: write tridiagonal_<name>.c, add its row. */
#include "linalg/sw_tridiagonal_impl.h"

extern const struct sw_tridiagonal_ops tridiagonal_relations_cpu, tridiagonal_relations_adaptive_cpu,
    tridiagonal_lapack_cpu, tridiagonal_spike_cpu, tridiagonal_spike_thomas_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_tridiagonal_ops tridiagonal_relations_cuda, tridiagonal_relations_adaptive_cuda,
    tridiagonal_spike_cuda, tridiagonal_spike_untiled_cuda,
    tridiagonal_spike_unmarshalled_cuda, tridiagonal_spike_thomas_cuda, tridiagonal_gtsv2_cuda,
    tridiagonal_gtsv2_nopivot_cuda, tridiagonal_gtsv2_strided_cuda;
#else
#define ABSENT(row, n) \
    static const struct sw_tridiagonal_ops row = {.name = (n), .space = SW_DEVICE, .absent = SW_WITHOUT_CUDA}
ABSENT(tridiagonal_relations_adaptive_cuda, "cuda.relations_adaptive");
ABSENT(tridiagonal_relations_cuda, "cuda.relations");
ABSENT(tridiagonal_spike_cuda, "cuda.spike");
ABSENT(tridiagonal_spike_untiled_cuda, "cuda.spike_untiled");
ABSENT(tridiagonal_spike_unmarshalled_cuda, "cuda.spike_unmarshalled");
ABSENT(tridiagonal_spike_thomas_cuda, "cuda.spike_thomas");
ABSENT(tridiagonal_gtsv2_cuda, "cusparse.gtsv2");
ABSENT(tridiagonal_gtsv2_nopivot_cuda, "cusparse.gtsv2_nopivot");
ABSENT(tridiagonal_gtsv2_strided_cuda, "cusparse.gtsv2_strided");
#endif

const struct sw_tridiagonal_ops *const sw_tridiagonal_table[] = {
    &tridiagonal_relations_cpu,           /* ours: relations, vectors, all threads                   */
    &tridiagonal_relations_adaptive_cpu,  /* the same in one pass where that will do                 */
    &tridiagonal_lapack_cpu,              /* LAPACK's dgtsv: a baseline                              */
    &tridiagonal_spike_cpu,               /* the paper's method, diagonal pivoting: the reference    */
    &tridiagonal_spike_thomas_cpu,        /* the same without pivoting                               */
    &tridiagonal_relations_cuda,          /* ours on a GPU: relations, two passes; one for small ones */
    &tridiagonal_relations_adaptive_cuda, /* the same in one pass where that will do                 */
    &tridiagonal_spike_cuda,              /* the paper's kernels                                     */
    &tridiagonal_gtsv2_cuda,              /* the library's SPIKE with diagonal pivoting: a baseline  */
    &tridiagonal_spike_untiled_cuda,      /* the paper's kernels, for its figure 10                  */
    &tridiagonal_spike_unmarshalled_cuda, /* the same for its figure 7                               */
    &tridiagonal_spike_thomas_cuda,       /* the paper's kernels without pivoting                    */
    &tridiagonal_gtsv2_nopivot_cuda,      /* the library's cyclic reduction: a baseline              */
    &tridiagonal_gtsv2_strided_cuda,      /* the same for many small systems: a baseline             */
    0,
};
