/* cuPentBatch's method (II.4, II.6): interleaved systems, one thread a system, so that each access of a warp is one contiguous
 * stretch of memory. The arithmetic is in solver/thomas_point.h. Bound by memory bandwidth where the batch is large enough to
 * hide the latency of the recursions. */
#include "cu_check.cuh"
#include "solver/thomas_point.h"
#include "sw_cuda.h"

/* The factors of system j in the arrays of the batch. */
__device__ static struct sw_thomas_factors factors_of(const struct sw_cuda_thomas &t, int j)
{
    size_t vector = (size_t)t.n * t.ld;
    double *f = t.factor + j, *w = t.w ? t.w + j : NULL;
    struct sw_thomas_factors y = {f, f + vector, f + 2 * vector, f + 3 * vector, f + 4 * vector,
                                  {w, w ? w + vector : NULL}, (size_t)t.ld};
    return y;
}

struct diagonals { const double *d[5]; };

/* Reads 5 entries an unknown and writes 5, 80 bytes and 12 operations; periodic systems write 2 more, and read 5 and write 4 in
 * the two transposed solves each, 224 bytes in all. */
__global__ static void factor_k(struct sw_cuda_thomas t, struct diagonals A)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= t.batch) return;

    struct sw_thomas_matrix matrix = {{NULL, NULL, NULL, NULL, NULL}, (size_t)t.ld, t.n, t.p};
    struct sw_thomas_factors y = factors_of(t, j);
    for (int k = 0; k < 5; k++) matrix.diagonal[k] = A.d[k] ? A.d[k] + j : NULL;
    int bad = sw_thomas_factor(&matrix, &y);
    if (!bad && t.p) {
        struct sw_navon c;
        bad = sw_thomas_close(&matrix, &y, &c);
        for (int k = 0; k < 4; k++) t.closure[(size_t)k * t.ld + j] = c.inverse[k];
        for (int k = 0; k < 6; k++) t.closure[(size_t)(4 + k) * t.ld + j] = c.k[k];
    }
    t.bad[j] = bad;
}

/* 72 bytes an unknown and 8 operations; periodic systems 24 bytes and 4 operations more. */
__global__ static void solve_k(struct sw_cuda_thomas t, double *x)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= t.batch) return;

    if (t.bad[j]) {
        for (int i = 0; i < t.n; i++) x[(size_t)i * t.ld + j] = nan("");
        return;
    }
    struct sw_navon c;
    struct sw_thomas_factors y = factors_of(t, j);
    if (t.p) {
        for (int k = 0; k < 4; k++) c.inverse[k] = t.closure[(size_t)k * t.ld + j];
        for (int k = 0; k < 6; k++) c.k[k] = t.closure[(size_t)(4 + k) * t.ld + j];
    }
    sw_thomas_solve(t.n, t.p, &y, &c, x + j);
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
