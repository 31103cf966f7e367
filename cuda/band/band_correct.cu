/* The last part of Navon's closure (linalg/papers/border_point.h) for a batch, after any solver of E: x = y - Z z.
 * Every entry by itself, so threads go over the systems and over blocks of rows. */
#include "cuda/cu_check.cuh"
#include "linalg/papers/border_point.h"
#include "cuda/band/band_kernels.h"

/* ROWS: those a thread has on the way at once. The y grid ends at 65535. */
enum { THREADS = 128, ROWS = 8, MAX_BLOCKS = 32768 };

/* One column of Z for each system, or one for all (ld = 1), from the cache. */
struct column { const double *at; size_t ld; };

/* Up to ROWS rows from `first` on. All loads come before the first store, which they would else have to wait for. */
__device__ static void correct_rows(struct column Z0, struct column Z1, double z0, double z1, double *x, size_t ld,
                                    int first, int m)
{
    double y[ROWS], a[ROWS], b[ROWS];
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        size_t i = first + k < m ? first + k : first;
        y[k] = x[i * ld];
        a[k] = Z0.at[i * Z0.ld];
        b[k] = Z1.at[i * Z1.ld];
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        if (first + k < m) x[(size_t)(first + k) * ld] = sw_border_correct(y[k], a[k], b[k], z0, z1);
}

/* 32 bytes an unknown (16 where all systems share Z) and 2 FMA. Where z is NaN, because the system is bad, x becomes
 * so. */
__global__ static void correct_k(struct sw_cuda_correction c, double *x)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, m = c.n - c.p;
    if (j >= c.batch) return;
    size_t ld = c.ld, Z_ld = c.Z_ld;
    double z0 = c.p == 2 ? x[(size_t)(c.n - 2) * ld + j] : 0.0, z1 = x[(size_t)(c.n - 1) * ld + j];
    const double *Z = c.Z + (Z_ld == 1 ? 0 : j);
    struct column Z0 = {Z, Z_ld}, Z1 = {Z + (size_t)c.Z_rows * Z_ld, Z_ld};
    for (long long first = (long long)blockIdx.y * ROWS; first < m; first += (long long)gridDim.y * ROWS)
        correct_rows(Z0, Z1, z0, z1, x + j, ld, (int)first, m);
}

extern "C" enum sw_status sw_cuda_correct(sw_cuda_stream stream, const struct sw_cuda_correction *c, double *x)
{
    cudaStream_t s = (cudaStream_t)stream;
    int row_blocks = (c->n - c->p + ROWS - 1) / ROWS;
    if (c->batch == 0 || !c->p) return SW_OK;
    unsigned blocks = (unsigned)(((long long)c->batch + THREADS - 1) / THREADS);
    dim3 grid(blocks, row_blocks < MAX_BLOCKS ? row_blocks : MAX_BLOCKS);
    correct_k<<<grid, THREADS, 0, s>>>(*c, x);
    CU_LAUNCHED(s);
    return SW_OK;
}
