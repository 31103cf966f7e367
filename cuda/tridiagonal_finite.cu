/* Which systems of a batch hold finite numbers alone. One that does not is rare: only then is looked for which one it
 * is, and whether it matters. */
#include <stdint.h>

#include "cu_check.cuh"
#include "sw_cuda.h"

enum { THREADS = 256, EACH = 8 };  /* loads of a thread that are on their way together */

/* Reads 8 bytes an entry. */
__global__ static void finite_k(int64_t all, int64_t n, const double *v, int64_t but, bool *finite)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
    double part[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) part[k] = first + k * THREADS < all ? v[first + k * THREADS] : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (isfinite(part[k])) continue;
        const int64_t at = first + k * THREADS, j = at / n;
        if (at - j * n != but) finite[j] = false;
    }
}

extern "C" enum sw_status sw_cuda_tridiagonal_finite(sw_cuda_stream stream, int64_t n, int batch, const double *v,
                                                     int64_t but, bool *finite)
{
    cudaStream_t s = (cudaStream_t)stream;
    const int64_t all = n * batch, blocks = (all + THREADS * EACH - 1) / (THREADS * EACH);
    if (all == 0) return SW_OK;
    finite_k<<<(unsigned)blocks, THREADS, 0, s>>>(all, n, v, but, finite);
    CU_LAUNCHED(s);
    return SW_OK;
}
