/* The general boundary value problem as pairs of u and flux, around the solves of its tridiagonal systems: matrices,
 * right-hand sides, and what is measured of solutions, by the functions of the CPU (problem/bvp/pairs_point.h). A
 * thread makes a row; a block has a chunk of u's. */
#include "problem/bvp/pairs_point.h"
#include "cuda/cu_check.cuh"
#include "cuda/bvp/bvp_kernels.h"

enum { THREADS = 256 };  /* a chunk is 16 u's a thread */

/* Reads 16 bytes a u, writes 64. */
__global__ static void make_k(struct sw_bvp_pairs p, int first, long long all)
{
    const long long at = (long long)blockIdx.x * THREADS + threadIdx.x, rows = (long long)pairs_rows(&p);
    if (at < all) pairs_make_row(&p, first + (int)(at / rows), (int)(at % rows));
}

/* Reads 40 bytes a u for a correction, and 8 .. 24 else; writes 16. */
__global__ static void fill_k(struct sw_bvp_pairs p)
{
    const int j = blockIdx.x / p.chunks, chunk = blockIdx.x % p.chunks, end = pairs_end(&p, chunk);
    const struct sw_bvp_system t = p.tri[j];
    const struct sw_tri_refinement r = p.refinement[j];
    for (int k = pairs_first(chunk) + threadIdx.x; k < end; k += THREADS) pairs_fill(&p, &t, &r, j, k);
}

/* Reads 16 bytes of x and 16 .. 32 more a u, writes u and v. Threads are joined in a fixed order. */
__global__ static void measure_k(struct sw_bvp_pairs p)
{
    __shared__ struct sw_tri_measured of[THREADS];
    const int j = blockIdx.x / p.chunks, chunk = blockIdx.x % p.chunks, end = pairs_end(&p, chunk);
    const struct sw_bvp_system t = p.tri[j];
    const struct sw_tri_refinement r = p.refinement[j];
    if (r.step == SW_TRI_DONE) return;
    struct sw_tri_measured m = sw_tri_nothing_measured();
    for (int k = pairs_first(chunk) + threadIdx.x; k < end; k += THREADS) pairs_measure(&p, &t, &r, j, k, &m);
    of[threadIdx.x] = m;
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) sw_tri_measure_more(&of[threadIdx.x], &of[threadIdx.x + stride]);
    }
    if (threadIdx.x == 0) p.part[blockIdx.x] = of[0];
}

extern "C" enum sw_status sw_cuda_pairs_make(sw_cuda_stream stream, const struct sw_bvp_pairs *p, int first, int count)
{
    const long long all = (long long)pairs_rows(p) * count;
    if (count == 0) return SW_OK;  /* an empty grid is a launch error */
    make_k<<<(unsigned)((all + THREADS - 1) / THREADS), THREADS, 0, (cudaStream_t)stream>>>(*p, first, all);
    CU_LAUNCHED((cudaStream_t)stream);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_pairs_fill(sw_cuda_stream stream, const struct sw_bvp_pairs *p, int count)
{
    if (count == 0) return SW_OK;
    fill_k<<<count * p->chunks, THREADS, 0, (cudaStream_t)stream>>>(*p);
    CU_LAUNCHED((cudaStream_t)stream);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_pairs_measure(sw_cuda_stream stream, const struct sw_bvp_pairs *p, int count)
{
    if (count == 0) return SW_OK;
    measure_k<<<count * p->chunks, THREADS, 0, (cudaStream_t)stream>>>(*p);
    CU_LAUNCHED((cudaStream_t)stream);
    return SW_OK;
}
