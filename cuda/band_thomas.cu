/* cuPentBatch's method (II.4, II.6): interleaved systems, one thread a system, so that each access of a warp is one
 * contiguous stretch of memory. The arithmetic is in solver/thomas_point.h. Bound by memory bandwidth where the batch
 * is large enough to hide the latency of the recursions. */
#include "cu_check.cuh"
#include "navon.cuh"
#include "solver/thomas_point.h"
#include "sw_cuda.h"

/* The factors of system j in the arrays of the batch. */
__device__ static struct sw_thomas_factors factors_of(const struct sw_cuda_thomas &t, int j)
{
    size_t vector = (size_t)t.n * t.ld;
    double *f = t.factor + j;
    struct sw_thomas_factors y = {f, f + vector, f + 2 * vector, f + 3 * vector, f + 4 * vector, (size_t)t.ld};
    return y;
}

struct diagonals { const double *d[5]; };

__device__ static void solve_inner(const struct sw_thomas_factors &y, int m, double *x)
{
    sw_thomas_inner_solve(m, y.stride, y.inverse, y.a, y.b, y.gamma, y.delta, x);
}

__device__ static int close_system(const struct sw_cuda_thomas &t, const struct sw_thomas_matrix &A,
                                   const struct sw_thomas_factors &y, int j)
{
    struct sw_navon c;
    double *Z0 = t.Z + j, *Z1 = Z0 + (size_t)t.n * t.ld;
    sw_thomas_begin(&A, &c, t.ld, Z0, Z1);
    if (t.p == 2) solve_inner(y, t.n - t.p, Z0);
    solve_inner(y, t.n - t.p, Z1);
    int bad = sw_thomas_end(&A, &c, t.ld, Z0, Z1);
    sw_cuda_navon_put(&c, t.closure, t.ld, j);
    return bad;
}

/* Reads 5 entries an unknown and writes 5, 80 bytes and 12 operations; periodic systems read the matrix again, write 2
 * columns and solve for them, 200 bytes more. */
__global__ static void factor_k(struct sw_cuda_thomas t, struct diagonals A)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= t.batch) return;

    struct sw_thomas_matrix matrix = {{NULL, NULL, NULL, NULL, NULL}, (size_t)t.ld, t.n, t.p};
    struct sw_thomas_factors y = factors_of(t, j);
    for (int k = 0; k < 5; k++) matrix.diagonal[k] = A.d[k] ? A.d[k] + j : NULL;
    int bad = sw_thomas_factor(&matrix, &y);
    if (!bad && t.p) bad = close_system(t, matrix, y, j);
    t.bad[j] = bad;
}

/* 72 bytes an unknown and 8 operations; periodic systems 32 bytes and 4 operations more. */
__global__ static void solve_k(struct sw_cuda_thomas t, double *x)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= t.batch) return;

    if (t.bad[j]) {
        for (int i = 0; i < t.n; i++) x[(size_t)i * t.ld + j] = nan("");
        return;
    }
    solve_inner(factors_of(t, j), t.n - t.p, x + j);
    if (!t.p) return;
    struct sw_navon c = sw_cuda_navon_get(t.closure, t.ld, j);
    sw_thomas_close(&c, t.n, t.p, t.ld, t.Z + j, t.Z + (size_t)t.n * t.ld + j, x + j);
}

/* A small batch is spread over more multiprocessors by smaller blocks. No bit depends on this. */
static int threads_for(int batch) { return batch < 32768 ? 32 : 128; }

static int blocks_for(int batch) { return (int)(((long long)batch + threads_for(batch) - 1) / threads_for(batch)); }

extern "C" enum sw_status sw_cuda_thomas_factor(sw_cuda_stream stream, const struct sw_cuda_thomas *t,
                                                const double *const diagonal[5])
{
    cudaStream_t s = (cudaStream_t)stream;
    struct diagonals A;
    if (t->batch == 0) return SW_OK;  /* an empty grid is a launch error */
    for (int k = 0; k < 5; k++) A.d[k] = diagonal[k];
    factor_k<<<blocks_for(t->batch), threads_for(t->batch), 0, s>>>(*t, A);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_thomas_solve(sw_cuda_stream stream, const struct sw_cuda_thomas *t, double *x)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (t->batch == 0) return SW_OK;
    solve_k<<<blocks_for(t->batch), threads_for(t->batch), 0, s>>>(*t, x);
    CU_LAUNCHED(s);
    return SW_OK;
}
