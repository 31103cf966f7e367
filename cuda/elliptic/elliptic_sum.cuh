#ifndef ELLIPTIC_SUM_CUH
#define ELLIPTIC_SUM_CUH
/* Sums of the systems of a batch, in an order that the shape alone fixes: of a warp in a tree, of the warps of a block
 * one after another, and so of the blocks of a system. */
#include <stdint.h>

/* The sum over a block, whose threads are whole warps, 32 of them at most. Every thread gets it. All call it. */
__device__ static inline double sum_of_block(double term)
{
    __shared__ double of_warp[32];
    const int warps = (int)blockDim.x / 32;
    for (int w = 16; w > 0; w /= 2) term += __shfl_xor_sync(~0u, term, w);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = term;
    __syncthreads();
    double sum = 0;
    for (int w = 0; w < warps; w++) sum += of_warp[w];
    return sum;
}

/* The sums of COUNT rows of `count` numbers each that blocks have left, be it in this launch, by one block. The device
 * may have nothing else to do then: a thread has AHEAD numbers of each row on their way. */
template <int COUNT>
__device__ static inline void sums_of_partial(const double *const (&partial)[COUNT], int64_t count,
                                              double (&sum)[COUNT])
{
    enum { AHEAD = 8 };
#pragma unroll
    for (int c = 0; c < COUNT; c++) sum[c] = 0;
#pragma unroll 1
    for (int64_t first = threadIdx.x; first < count; first += AHEAD * (int64_t)blockDim.x) {
        double term[COUNT][AHEAD];
#pragma unroll
        for (int l = 0; l < AHEAD; l++)
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                const int64_t k = first + l * (int64_t)blockDim.x;
                term[c][l] = k < count ? __ldcg(partial[c] + k) : 0;
            }
#pragma unroll
        for (int l = 0; l < AHEAD; l++)
#pragma unroll
            for (int c = 0; c < COUNT; c++) sum[c] += term[c][l];
    }
#pragma unroll
    for (int c = 0; c < COUNT; c++) sum[c] = sum_of_block(sum[c]);
}

__device__ static inline double sum_of_partial(const double *partial, int64_t count)
{
    const double *const rows[1] = {partial};
    double sum[1];
    sums_of_partial<1>(rows, count, sum);
    return sum[0];
}
#endif
