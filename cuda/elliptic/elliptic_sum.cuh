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

/* The sum of `count` numbers that blocks have left, be it in this launch, by one block. */
__device__ static inline double sum_of_partial(const double *partial, int64_t count)
{
    double sum = 0;
    for (int64_t k = threadIdx.x; k < count; k += blockDim.x) sum += __ldcg(partial + k);
    return sum_of_block(sum);
}
#endif
