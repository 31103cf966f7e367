/* Which systems of a batch have been solved to finite numbers. A system with a number that is not is rare: only its
 * threads find out which one it is. */
#include <stdint.h>

#include "cu_check.cuh"
#include "sw_cuda.h"

enum { THREADS = 256, EACH = 8 };  /* loads of a thread that are on their way together */

/* Reads 8 bytes an unknown. */
__global__ static void finite_k(int64_t all, int64_t n, const double *x, bool *finite)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
    double v[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) v[k] = first + k * THREADS < all ? x[first + k * THREADS] : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (!isfinite(v[k])) finite[(first + k * THREADS) / n] = false;
}

extern "C" enum sw_status sw_cuda_tridiagonal_finite(sw_cuda_stream stream, int64_t n, int batch, const double *x,
                                                     bool *finite)
{
    cudaStream_t s = (cudaStream_t)stream;
    const int64_t all = n * batch, blocks = (all + THREADS * EACH - 1) / (THREADS * EACH);
    if (all == 0) return SW_OK;
    CU_TRY(cudaMemsetAsync(finite, true, (size_t)batch, s));
    finite_k<<<(unsigned)blocks, THREADS, 0, s>>>(all, n, x, finite);
    CU_LAUNCHED(s);
    return SW_OK;
}
