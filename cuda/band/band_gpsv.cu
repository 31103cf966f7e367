/* Around cuSPARSE's gpsvInterleavedBatch, which solves pentadiagonal systems without corners: cutting E out of a
 * matrix, and Navon's closure of periodic ones (linalg/papers/thomas_point.h). */
#include "cuda/cu_check.cuh"
#include "cuda/band/border.cuh"
#include "linalg/papers/thomas_point.h"
#include "cuda/band/band_kernels.h"

struct diagonals { const double *d[5]; };

__device__ static struct sw_thomas_matrix matrix_of(const struct sw_cuda_gpsv &g, const struct diagonals &A, int j)
{
    struct sw_thomas_matrix matrix = {{NULL, NULL, NULL, NULL, NULL}, (size_t)g.ld, g.n, g.p};
    for (int k = 0; k < 5; k++) matrix.diagonal[k] = A.d[k] ? A.d[k] + j : NULL;
    return matrix;
}

/* A thread an entry of E: 40 bytes read and 40 written an unknown. */
__global__ static void matrix_k(struct sw_cuda_gpsv g, struct diagonals A)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, m = g.n - g.p;
    if (j >= g.batch) return;
    struct sw_thomas_matrix matrix = matrix_of(g, A, j);
    for (int i = blockIdx.y; i < m; i += gridDim.y)
        for (int k = 0; k < 5; k++)
            g.matrix[((size_t)k * m + i) * g.batch + j] = sw_thomas_inner_entry(&matrix, i, k - 2);
}

/* Columns of k and entries of h, a thread a system. */
__global__ static void split_border_k(struct sw_cuda_gpsv g, struct diagonals A)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= g.batch) return;
    struct sw_thomas_matrix matrix = matrix_of(g, A, j);
    struct sw_border c = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    sw_thomas_split_border(&matrix, &c, g.batch, g.Z + j, g.Z + (size_t)(g.n - g.p) * g.batch + j);
    sw_cuda_border_store(&c, g.border, g.batch, j);
}

__global__ static void factor_border_k(struct sw_cuda_gpsv g, struct diagonals A)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= g.batch) return;
    struct sw_thomas_matrix matrix = matrix_of(g, A, j);
    struct sw_border c = sw_cuda_border_load(g.border, g.batch, j);
    int bad = sw_thomas_factor_border(&matrix, &c, g.batch, g.Z + j, g.Z + (size_t)(g.n - g.p) * g.batch + j);
    sw_cuda_border_store(&c, g.border, g.batch, j);
    if (bad && !g.bad[j]) g.bad[j] = bad;
}

__global__ static void ones_k(struct sw_cuda_gpsv g, double *probe)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= g.batch) return;
    for (int i = blockIdx.y; i < g.n - g.p; i += gridDim.y) probe[(size_t)i * g.batch + j] = 1.0;
}

__global__ static void probe_k(struct sw_cuda_gpsv g, struct diagonals A, const double *probe)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, last = 0;
    if (j >= g.batch) return;
    for (int i = 0; i < g.n - g.p; i++)
        if (!isfinite(probe[(size_t)i * g.batch + j])) last = 1 + i;
    if (last) {
        struct sw_thomas_matrix matrix = matrix_of(g, A, j);
        int row = sw_thomas_factor(&matrix, NULL);
        if (row) last = row;
    }
    g.bad[j] = last;
}

/* The matrix of each system again: 40 bytes written an unknown; read are 40 more, or where all systems share one,
 * nothing that is not in the cache. */
__global__ static void reset_k(struct sw_cuda_gpsv g, double *work)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, m = g.n - g.p;
    if (j >= g.batch) return;
    for (int i = blockIdx.y; i < m; i += gridDim.y)
        for (int k = 0; k < 5; k++) {
            size_t row = (size_t)k * m + i;
            work[row * g.batch + j] = g.matrix[row * g.matrices + sw_cuda_system_index(g.matrices, j)];
        }
}

/* The border unknowns, a thread a system, into the last p rows of x; NaN where the system is bad. */
__global__ static void border_k(struct sw_cuda_gpsv g, double *x)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= g.batch) return;
    if (!g.bad[j]) sw_cuda_border_solve(g.border, g.matrices, g.n, g.p, g.ld, j, x);
    else for (int i = g.n - g.p; i < g.n; i++) x[(size_t)i * g.ld + j] = nan("");
}

/* Solutions of bad systems become NaN. (Those of periodic ones become so through their border unknowns.) */
__global__ static void set_nan_k(struct sw_cuda_gpsv g, double *x)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= g.batch || !g.bad[j]) return;
    for (int i = 0; i < g.n; i++) x[(size_t)i * g.ld + j] = nan("");
}

enum { THREADS = 128, MAX_ROWS = 32768 };  /* the y grid ends at 65535: kernels go on in steps of it */

static int blocks_of(const struct sw_cuda_gpsv *g) { return (int)(((long long)g->batch + THREADS - 1) / THREADS); }

static dim3 grid_of(const struct sw_cuda_gpsv *g)
{
    int m = g->n - g->p;
    return dim3(blocks_of(g), m < MAX_ROWS ? m : MAX_ROWS);
}

static struct diagonals pack(const double *const diagonal[5])
{
    struct diagonals A;
    for (int k = 0; k < 5; k++) A.d[k] = diagonal[k];
    return A;
}

extern "C" enum sw_status sw_cuda_gpsv_split(sw_cuda_stream stream, const struct sw_cuda_gpsv *g,
                                             const double *const diagonal[5])
{
    cudaStream_t s = (cudaStream_t)stream;
    if (g->batch == 0) return SW_OK;
    matrix_k<<<grid_of(g), THREADS, 0, s>>>(*g, pack(diagonal));
    CU_LAUNCHED(s);
    if (!g->p) return SW_OK;
    split_border_k<<<blocks_of(g), THREADS, 0, s>>>(*g, pack(diagonal));
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_gpsv_factor_border(sw_cuda_stream stream, const struct sw_cuda_gpsv *g,
                                                     const double *const diagonal[5])
{
    cudaStream_t s = (cudaStream_t)stream;
    if (g->batch == 0 || !g->p) return SW_OK;
    factor_border_k<<<blocks_of(g), THREADS, 0, s>>>(*g, pack(diagonal));
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_gpsv_ones(sw_cuda_stream stream, const struct sw_cuda_gpsv *g, double *probe)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (g->batch == 0) return SW_OK;
    ones_k<<<grid_of(g), THREADS, 0, s>>>(*g, probe);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_gpsv_probe(sw_cuda_stream stream, const struct sw_cuda_gpsv *g,
                                             const double *const diagonal[5], const double *probe)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (g->batch == 0) return SW_OK;
    probe_k<<<blocks_of(g), THREADS, 0, s>>>(*g, pack(diagonal), probe);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_gpsv_reset(sw_cuda_stream stream, const struct sw_cuda_gpsv *g, double *work)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (g->batch == 0) return SW_OK;
    reset_k<<<grid_of(g), THREADS, 0, s>>>(*g, work);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_gpsv_finish(sw_cuda_stream stream, const struct sw_cuda_gpsv *g, bool any_bad,
                                              double *x)
{
    cudaStream_t s = (cudaStream_t)stream;
    struct sw_cuda_correction c = {g->n, g->p, g->batch, g->ld, g->Z, g->n - g->p, g->matrices};
    if (g->batch == 0) return SW_OK;
    if (g->p) {
        border_k<<<blocks_of(g), THREADS, 0, s>>>(*g, x);
        CU_LAUNCHED(s);
    } else if (any_bad) {
        set_nan_k<<<blocks_of(g), THREADS, 0, s>>>(*g, x);
        CU_LAUNCHED(s);
    }
    return sw_cuda_correct(stream, &c, x);
}
