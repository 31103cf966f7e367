/* Every solver of banded systems there is. To add one: write band_<name>.c, add its row. */
#include "linalg/sw_band_impl.h"

extern const struct sw_band_ops band_thomas_cpu, band_lu_cpu, band_lapack_cpu, band_lapack_spd_cpu;

#ifdef SW_HAVE_CUDA
extern const struct sw_band_ops band_thomas_cuda, band_lu_cuda, band_thomas_rewrite_cuda, band_partition_cuda,
    band_shared_cuda, band_gpsv_cuda;
#else
#define ABSENT(row, n) \
    static const struct sw_band_ops row = { \
        .name = (n), .space = SW_DEVICE, .layout = SW_INTERLEAVED, .absent = SW_WITHOUT_CUDA}
ABSENT(band_thomas_cuda, "cuda.thomas");
ABSENT(band_lu_cuda, "cuda.lu");
ABSENT(band_thomas_rewrite_cuda, "cuda.thomas_rewrite");
ABSENT(band_partition_cuda, "cuda.partition");
ABSENT(band_shared_cuda, "cuda.thomas_shared");
ABSENT(band_gpsv_cuda, "cusparse.gpsv");
#endif

const struct sw_band_ops *const sw_band_table[] = {
    &band_thomas_cpu,           /* the paper's II.4 with Navon's closure, plain C: the reference         */
    &band_lu_cpu,               /* LU with partial pivoting, eight systems side by side                  */
    &band_lapack_cpu,           /* general band LU with partial pivoting: a baseline                     */
    &band_lapack_spd_cpu,       /* banded Cholesky, for symmetric positive definite matrices: a baseline   */
    &band_thomas_cuda,          /* one thread a system, interleaved, factored once: cuPentBatch's method */
    &band_lu_cuda,              /* LU with partial pivoting, one thread a system                         */
    &band_thomas_rewrite_cuda,  /* the same, factored again in every solve: cuPentBatchRewrite           */
    &band_partition_cuda,       /* factored and solved in one pass over memory, a block a few systems     */
    &band_shared_cuda,          /* one factor for all systems, where their matrices are equal            */
    &band_gpsv_cuda,            /* QR, factored in every solve: the paper's baseline                     */
    0,
};
