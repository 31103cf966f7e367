/* The general boundary value problem: interleaved systems, one thread a system, each eliminated
 * (problem/bvp/tridiagonal_point.h) and refined (problem/bvp/refinement_point.h) by the functions of the CPU. Bound by
 * the latency of the recursions where the batch is small, else by memory: some 250 bytes an unknown. */
#include "problem/bvp/refinement_point.h"
#include "cuda/cu_check.cuh"
#include "cuda/bvp/bvp_kernels.h"

/* u and work: [n][stride], entry k of system j at k*stride + j. */
__global__ static void solve_refined_k(int count, const struct sw_bvp_system *tri, double *u, double *work,
                                       struct sw_tri_outcome *outcome)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= count) return;
    struct sw_bvp_system t = tri[j];
    struct sw_tri_outcome o = {SW_TRI_FINE, 0, 0.0};
    t.solve = sw_tri_solve;
    t.keeps = true;
    if (t.n > 0) {
        const int bad = sw_tri_factor(&t);
        if (bad) o.fault = SW_TRI_PIVOT, o.row = bad - 1;
        else o = sw_tri_solve_refined(&t, u + j, work + j);
    }
    outcome[j] = o;
}

extern "C" enum sw_status sw_cuda_tri_solve_refined(sw_cuda_stream stream, int count, const struct sw_bvp_system *tri,
                                                    double *u, double *work, struct sw_tri_outcome *outcome)
{
    const int threads = 32;  /* small blocks spread a small batch over more multiprocessors */
    const int blocks = (count + threads - 1) / threads;
    if (blocks == 0) return SW_OK;  /* an empty grid is a launch error */
    solve_refined_k<<<blocks, threads, 0, (cudaStream_t)stream>>>(count, tri, u, work, outcome);
    CU_LAUNCHED((cudaStream_t)stream);
    return SW_OK;
}
