/* The two words of each system that nobody looks at, the first of lower and the last of upper: the library asks for
 * zeros there. They are kept while it works. A thread a system, 32 bytes; twice. */
#include <stdint.h>

#include "cuda/cu_check.cuh"
#include "cuda/tridiagonal/tridiagonal_kernels.h"

enum { THREADS = 128 };

__device__ static void move(bool keep, double *word, double *kept)
{
    if (keep) {
        *kept = *word;
        *word = 0;
    } else {
        *word = *kept;
    }
}

__global__ static void ends_k(bool keep, int64_t n, int batch, double *lower, double *upper, double *kept)
{
    const int64_t j = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (j >= batch) return;
    move(keep, &lower[j * n], &kept[2 * j]);
    move(keep, &upper[j * n + n - 1], &kept[2 * j + 1]);
}

static enum sw_status launch(bool keep, sw_cuda_stream stream, int64_t n, int batch, double *lower, double *upper,
                             double *kept)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (batch == 0) return SW_OK;
    ends_k<<<(unsigned)(((int64_t)batch + THREADS - 1) / THREADS), THREADS, 0, s>>>(keep, n, batch, lower, upper, kept);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_tridiagonal_zero_ends(sw_cuda_stream stream, int64_t n, int batch, double *lower,
                                                        double *upper, double *kept)
{
    return launch(true, stream, n, batch, lower, upper, kept);
}

extern "C" enum sw_status sw_cuda_tridiagonal_restore_ends(sw_cuda_stream stream, int64_t n, int batch, double *lower,
                                                           double *upper, double *kept)
{
    return launch(false, stream, n, batch, lower, upper, kept);
}
