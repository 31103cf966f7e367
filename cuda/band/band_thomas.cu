/* cuPentBatch's method (II.4, II.6): interleaved systems, one thread a system, so that each access of a warp is one
 * contiguous stretch of memory. The arithmetic is in linalg/papers/thomas_point.h. Bound by memory bandwidth where the
 * batch is large enough to hide the latency of the recursions: each row waits for the loads of the one before. The
 * loops are the published ones; band_shared.cu has some that load ahead. */
#include "cuda/cu_check.cuh"
#include "cuda/band/border.cuh"
#include "linalg/papers/thomas_point.h"
#include "cuda/band/band_kernels.h"

/* The factors of system j in the arrays of the batch. */
__device__ static struct sw_thomas_factors factors_of(const struct sw_cuda_thomas &t, int j)
{
    size_t vector = (size_t)t.n * t.ld;
    double *f = t.factor + j;
    struct sw_thomas_factors y = {f, f + vector, f + 2 * vector, f + 3 * vector, f + 4 * vector, (size_t)t.ld};
    return y;
}

struct diagonals { const double *d[5]; int ld; };

__device__ static struct sw_thomas_matrix matrix_of(const struct sw_cuda_thomas &t, const struct diagonals &A, int j)
{
    struct sw_thomas_matrix matrix = {{NULL, NULL, NULL, NULL, NULL}, (size_t)A.ld, t.n, t.p};
    for (int k = 0; k < 5; k++) matrix.diagonal[k] = A.d[k] ? A.d[k] + sw_cuda_system_index(A.ld, j) : NULL;
    return matrix;
}

/* Reads 5 entries an unknown (of one system, all from the cache, where the batch has one matrix) and writes 5, 80 bytes
 * and 12 operations. */
__global__ static void factor_k(struct sw_cuda_thomas t, struct diagonals A, bool again)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= t.batch) return;
    struct sw_thomas_matrix matrix = matrix_of(t, A, j);
    struct sw_thomas_factors y = factors_of(t, j);
    int bad = sw_thomas_factor(&matrix, &y);
    if (bad || !again) t.bad[j] = bad;
}

/* Z and the border of a system: reads the matrix again, writes 2 columns and solves for them, 200 bytes an unknown. */
__global__ static void factor_border_k(struct sw_cuda_thomas t, struct diagonals A)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, m = t.n - t.p;
    if (j >= t.batch || t.bad[j]) return;
    struct sw_border c;
    struct sw_thomas_matrix matrix = matrix_of(t, A, j);
    struct sw_thomas_factors y = factors_of(t, j);
    double *Z0 = t.Z + j, *Z1 = Z0 + (size_t)t.n * t.ld;
    sw_thomas_split_border(&matrix, &c, t.ld, Z0, Z1);
    if (t.p == 2) sw_thomas_inner_solve(m, y.stride, y.inverse, y.a, y.b, y.gamma, y.delta, Z0);
    sw_thomas_inner_solve(m, y.stride, y.inverse, y.a, y.b, y.gamma, y.delta, Z1);
    t.bad[j] = sw_thomas_factor_border(&matrix, &c, t.ld, Z0, Z1);
    sw_cuda_border_store(&c, t.border, t.ld, j);
}

/* E^-1, and the border unknowns in their places: 72 bytes an unknown and 8 operations. What is bad becomes NaN. */
__global__ static void solve_k(struct sw_cuda_thomas t, double *x)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= t.batch) return;

    if (t.bad[j]) {
        for (int i = 0; i < t.n; i++) x[(size_t)i * t.ld + j] = nan("");
        return;
    }
    struct sw_thomas_factors y = factors_of(t, j);
    sw_thomas_inner_solve(t.n - t.p, y.stride, y.inverse, y.a, y.b, y.gamma, y.delta, x + j);
    if (t.p) sw_cuda_border_solve(t.border, t.border_ld, t.n, t.p, t.ld, j, x);
}

/* A small batch is spread over more multiprocessors by smaller blocks (tests/bench/bench_thomas.c). No bit
 * depends on this. */
static int threads_for(const struct sw_cuda_thomas *t)
{
    return t->threads ? t->threads : t->batch < 32768 ? 32 : 128;
}

static int blocks_for(const struct sw_cuda_thomas *t)
{
    return (int)(((long long)t->batch + threads_for(t) - 1) / threads_for(t));
}

static struct diagonals pack(const double *const diagonal[5], int ld)
{
    struct diagonals A;
    for (int k = 0; k < 5; k++) A.d[k] = diagonal[k];
    A.ld = ld;
    return A;
}

extern "C" enum sw_status sw_cuda_thomas_factor(sw_cuda_stream stream, const struct sw_cuda_thomas *t,
                                                const double *const diagonal[5], int ld, bool again)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (t->batch == 0) return SW_OK;  /* an empty grid is a launch error */
    factor_k<<<blocks_for(t), threads_for(t), 0, s>>>(*t, pack(diagonal, ld), again);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_thomas_factor_border(sw_cuda_stream stream, const struct sw_cuda_thomas *t,
                                                       const double *const diagonal[5])
{
    cudaStream_t s = (cudaStream_t)stream;
    if (t->batch == 0 || !t->p) return SW_OK;
    factor_border_k<<<blocks_for(t), threads_for(t), 0, s>>>(*t, pack(diagonal, t->ld));
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_thomas_solve(sw_cuda_stream stream, const struct sw_cuda_thomas *t, double *x)
{
    cudaStream_t s = (cudaStream_t)stream;
    struct sw_cuda_correction c = {t->n, t->p, t->batch, t->ld, t->Z, t->n, t->border_ld};
    if (t->batch == 0) return SW_OK;
    solve_k<<<blocks_for(t), threads_for(t), 0, s>>>(*t, x);
    CU_LAUNCHED(s);
    return sw_cuda_correct(stream, &c, x);
}
