/* What a device can do at most, measured: the rates that benchmarks are held against. */
#include "cuda/cu_check.cuh"
#include "cuda/bench/bench_kernels.h"

enum { THREADS = 256, CHAINS = 8, BLOCKS_A_PROCESSOR = 8 };

/* CHAINS independent multiply-adds a round; with 64 warps a processor their latency is hidden. Thread 0 notes its
 * cycles and nanoseconds: the clock under this load. */
__global__ static void fma_k(int rounds, double *sum, long long *ticks)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    double a[CHAINS];
    long long from, to, start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    for (int k = 0; k < CHAINS; k++) a[k] = 1.0 + 1e-3 * (k + threadIdx.x);
#pragma unroll 4
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++) a[k] = fma(a[k], 0.999, 1e-3);
    double total = 0.0;
    for (int k = 0; k < CHAINS; k++) total += a[k];
    sum[id] = total;
    if (id == 0) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to));
        ticks[0] = clock64() - start;
        ticks[1] = to - from;
    }
}

extern "C" size_t sw_cuda_fma_threads(int processors) { return (size_t)processors * BLOCKS_A_PROCESSOR * THREADS; }

extern "C" enum sw_status sw_cuda_fma(sw_cuda_stream stream, int processors, int rounds, double *sum, long long *ticks,
                                      double *done)
{
    cudaStream_t s = (cudaStream_t)stream;
    fma_k<<<processors * BLOCKS_A_PROCESSOR, THREADS, 0, s>>>(rounds, sum, ticks);
    CU_LAUNCHED(s);
    *done = (double)sw_cuda_fma_threads(processors) * CHAINS * rounds;
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_copy(sw_cuda_stream stream, void *to, const void *from, size_t bytes)
{
    CU_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream));
    return SW_OK;
}
