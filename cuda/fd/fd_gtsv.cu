/* Around cuSPARSE's batched tridiagonal solvers, for compact differences: right-hand sides, laid out as a solver wants
 * them; the matrix, again; and the correction of periodic lines (Sherman and Morrison), on the way back. Bytes a point:
 * each pass reads and writes one field, 16; a matrix is 24 written. */
#include "cuda/cu_check.cuh"
#include "fd/libraries/fd_gtsv_point.h"
#include "cuda/fd/fd_kernels.h"

enum { TILE = 32, ROWS = 8, MAX_Y = 32768 };  /* the y grid ends at 65535: kernels go on in steps of it */

/* Tiles of TILE lines by TILE points. POINTS: threads of a warp have adjacent points, which are adjacent in memory;
 * else adjacent lines, so that a thread has one. */
struct position { long long line; int point; };

template <bool POINTS>
__device__ static inline struct position position_of(long long first_line, int first_point, int x, int y)
{
    return POINTS ? position{first_line + y, first_point + x} : position{first_line + x, first_point + y};
}

template <bool POINTS>
__device__ static inline long long begin_of(const struct fd_gtsv &g, long long stride, long long line)
{
    return POINTS ? line * g.lines.n : fd_line_begin(stride, &g.lines, line);
}

__device__ static inline bool in_field(const struct fd_gtsv &g, struct position s)
{
    return s.line < g.lines.all && s.point < g.lines.n;
}

/* From one layout to another, through shared memory where adjacent threads have other neighbours then. */
template <bool FROM, bool TO, typename Value>
__device__ static inline void transpose_map(const struct fd_gtsv &g, long long from, long long to, Value value,
                                            double *out)
{
    __shared__ double tile[TILE][TILE + 1];
    const long long first = (long long)blockIdx.x * TILE;
    const int x = (int)threadIdx.x, y0 = (int)threadIdx.y;
    for (int point = (int)blockIdx.y * TILE; point < g.lines.n; point += (int)gridDim.y * TILE) {
#pragma unroll
        for (int y = y0; y < TILE; y += ROWS) {
            const struct position s = position_of<FROM>(first, point, x, y);
            if (!in_field(g, s)) continue;
            const double v = value(begin_of<FROM>(g, from, s.line), s);
            if (FROM != TO) tile[y][x] = v;
            else out[begin_of<TO>(g, to, s.line) + s.point * to] = v;
        }
        if (FROM == TO) continue;
        __syncthreads();
#pragma unroll
        for (int y = y0; y < TILE; y += ROWS) {
            const struct position s = position_of<TO>(first, point, x, y);
            if (in_field(g, s)) out[begin_of<TO>(g, to, s.line) + s.point * to] = tile[x][y];
        }
        __syncthreads();
    }
}

/* f is read by the threads of a few neighbours, from the first-level cache but once. */
template <bool FROM, bool TO>
__global__ static void rhs_k(const __grid_constant__ struct fd_gtsv g, const double *f, double *r)
{
    transpose_map<FROM, TO>(
        g, g.lines.stride, g.stride,
        [&](long long begin, struct position s) {
            return fd_rhs_at(&g.rhs, f + begin, FROM ? 1 : g.lines.stride, s.point, g.lines.n);
        },
        r);
}

/* May work in place: each thread then writes what it has read. */
template <bool FROM, bool TO>
__global__ static void finish_k(const __grid_constant__ struct fd_gtsv g, const double *y, double *out)
{
    transpose_map<FROM, TO>(
        g, g.stride, g.lines.stride,
        [&](long long begin, struct position s) {
            const double v = y[begin + s.point * g.stride];
            return g.z ? fma(-g.amount[s.line], g.z[s.point], v) : v;
        },
        out);
}

__global__ static void amount_k(const __grid_constant__ struct fd_gtsv g, const double *y)
{
    const long long line = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= g.lines.all) return;
    const double *at = y + fd_line_begin(g.stride, &g.lines, line);
    g.amount[line] = fma(-g.alpha, at[(g.lines.n - 1) * g.stride], *at) * g.close;
}

/* A thread a system, and some of its rows. */
__global__ static void matrix_k(const __grid_constant__ struct fd_gtsv g, int batch, bool interleaved, double *matrix)
{
    const int n = g.lines.n;
    const long long vector = (long long)n * batch;
    const long long j = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= batch) return;
    for (int i = (int)blockIdx.y; i < n; i += (int)gridDim.y) {
        const double *row = i == 0       ? g.end[0]
                            : i == n - 1 ? g.end[3]
                            : i == 1     ? g.end[1]
                            : i == n - 2 ? g.end[2]
                                         : g.inside;
        const long long at = interleaved ? (long long)i * batch + j : j * n + i;
        for (int k = 0; k < 3; k++) matrix[k * vector + at] = row[k];
    }
}

static unsigned blocks_for(long long count, int size) { return (unsigned)((count + size - 1) / size); }

static dim3 tiles_of(const struct fd_gtsv *g)
{
    const unsigned down = blocks_for(g->lines.n, TILE);
    return dim3(blocks_for(g->lines.all, TILE), down < MAX_Y ? down : (unsigned)MAX_Y);
}

extern "C" enum sw_status sw_cuda_gtsv_rhs(sw_cuda_stream stream, const struct fd_gtsv *g, const double *f, double *r)
{
    cudaStream_t s = (cudaStream_t)stream;
    const bool from = g->lines.stride == 1, to = g->stride == 1;
    const dim3 tiles = tiles_of(g), threads(TILE, ROWS);
    if (g->lines.all == 0) return SW_OK;
    if (from && to) rhs_k<true, true><<<tiles, threads, 0, s>>>(*g, f, r);
    else if (from) rhs_k<true, false><<<tiles, threads, 0, s>>>(*g, f, r);
    else if (to) rhs_k<false, true><<<tiles, threads, 0, s>>>(*g, f, r);
    else rhs_k<false, false><<<tiles, threads, 0, s>>>(*g, f, r);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_gtsv_finish(sw_cuda_stream stream, const struct fd_gtsv *g, const double *y,
                                              double *out)
{
    cudaStream_t s = (cudaStream_t)stream;
    const bool from = g->stride == 1, to = g->lines.stride == 1;
    const dim3 tiles = tiles_of(g), threads(TILE, ROWS);
    if (g->lines.all == 0 || (!g->z && y == out)) return SW_OK;
    if (g->z) {
        amount_k<<<blocks_for(g->lines.all, 128), 128, 0, s>>>(*g, y);
        CU_LAUNCHED(s);
    }
    if (from && to) finish_k<true, true><<<tiles, threads, 0, s>>>(*g, y, out);
    else if (from) finish_k<true, false><<<tiles, threads, 0, s>>>(*g, y, out);
    else if (to) finish_k<false, true><<<tiles, threads, 0, s>>>(*g, y, out);
    else finish_k<false, false><<<tiles, threads, 0, s>>>(*g, y, out);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_gtsv_matrix(sw_cuda_stream stream, const struct fd_gtsv *g, int batch,
                                              bool interleaved, double *matrix)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (batch == 0) return SW_OK;
    const unsigned down = blocks_for(g->lines.n, 8);
    const dim3 grid(blocks_for(batch, 128), down < MAX_Y ? down : (unsigned)MAX_Y);
    matrix_k<<<grid, 128, 0, s>>>(*g, batch, interleaved, matrix);
    CU_LAUNCHED(s);
    return SW_OK;
}
