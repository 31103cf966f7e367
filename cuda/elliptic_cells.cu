/* Elliptic systems, one thing in a pass: what struct elliptic_space asks for, for all systems of a batch at once, and
 * the pivots of their columns. A block is one system's; what belongs to system s has the numbers s*blocks ...
 *
 * Sums do not depend on the batch: a thread adds up EACH cells, a block those of its threads, one block a system's. */
#include "elliptic_cells.cuh"
#include "elliptic_sum.cuh"
#include "launch.cuh"

enum { THREADS = 256, EACH = SW_CUDA_ELLIPTIC_PART / THREADS, CHUNK = SW_CUDA_ELLIPTIC_CHUNK };

template <typename M> static int64_t cells_of(const M *m) { return m->nx * m->ny * m->nz; }
static int64_t parts_of(int64_t cells) { return (cells + SW_CUDA_ELLIPTIC_PART - 1) / SW_CUDA_ELLIPTIC_PART; }

/* ------------------------------------------------------------------ the matrix */

/* y = A u, or r = f - A u with |r|² of a block into partial. */
template <bool FULL, bool VARIABLE, bool RESIDUAL>
__global__ static void __launch_bounds__(THREADS)
    elliptic_apply_k(struct sw_cuda_elliptic all, int64_t parts, const double *u, const double *f, double *y,
                     double *partial)
{
    const int64_t system = blockIdx.x / parts, part = blockIdx.x % parts, cells = all.nx * all.ny * all.nz;
    const struct sw_cuda_elliptic m = of_system(all, system);
    double sum = 0;
    u += system * cells, y += system * cells;
    if (RESIDUAL) f += system * cells;
    for (int e = 0; e < EACH; e++) {
        const int64_t at = (part * EACH + e) * THREADS + threadIdx.x;
        if (at >= cells) continue;
        const double image = apply_at<FULL, VARIABLE>(m, u, at % m.nx, at / (m.nx * m.nz), at / m.nx % m.nz);
        const double r = RESIDUAL ? f[at] - image : image;
        y[at] = r;
        sum += r * r;
    }
    if (!RESIDUAL) return;
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <bool RESIDUAL>
static enum sw_status queue_apply(cudaStream_t stream, const struct sw_cuda_elliptic *m, const double *u,
                                  const double *f, double *y, double *partial)
{
    const int64_t parts = parts_of(cells_of(m)), blocks = parts * m->systems;
    if (blocks == 0) return SW_OK;
    if (m->cross)
        return launch(elliptic_apply_k<true, false, RESIDUAL>, blocks, THREADS, 0, stream, ALONE, *m, parts, u, f, y,
                      partial);
    if (m->kx)
        return launch(elliptic_apply_k<false, true, RESIDUAL>, blocks, THREADS, 0, stream, ALONE, *m, parts, u, f, y,
                      partial);
    return launch(elliptic_apply_k<false, false, RESIDUAL>, blocks, THREADS, 0, stream, ALONE, *m, parts, u, f, y,
                  partial);
}

extern "C" enum sw_status sw_cuda_elliptic_apply(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                 const double *u, double *y)
{
    return queue_apply<false>((cudaStream_t)stream, m, u, NULL, y, NULL);
}

/* ------------------------------------------------------------------ sums */

__global__ static void __launch_bounds__(THREADS) elliptic_sum_k(int64_t parts, const double *partial, double *sum)
{
    const double all = sum_of_partial(partial + blockIdx.x * parts, parts);
    if (threadIdx.x == 0) sum[blockIdx.x] = all;
}

__global__ static void __launch_bounds__(THREADS)
    elliptic_dot_k(int64_t cells, int64_t parts, const double *x, const double *y, double *partial)
{
    const int64_t system = blockIdx.x / parts, part = blockIdx.x % parts;
    double sum = 0;
    x += system * cells, y += system * cells;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t at = (part * EACH + e) * THREADS + threadIdx.x;
        if (at < cells) sum += x[at] * y[at];
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" enum sw_status sw_cuda_elliptic_dot(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                               const double *x, const double *y, double *partial, double *sum)
{
    const int64_t cells = cells_of(m), parts = parts_of(cells);
    cudaStream_t s = (cudaStream_t)stream;
    if (m->systems == 0) return SW_OK;
    SW_TRY(launch(elliptic_dot_k, parts * m->systems, THREADS, 0, s, ALONE, cells, parts, x, y, partial));
    return launch(elliptic_sum_k, m->systems, THREADS, 0, s, ALONE, parts, partial, sum);
}

extern "C" enum sw_status sw_cuda_elliptic_residual(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                    const double *f, const double *u, double *r, double *partial,
                                                    double *sum)
{
    const int64_t parts = parts_of(cells_of(m));
    cudaStream_t s = (cudaStream_t)stream;
    if (m->systems == 0) return SW_OK;
    SW_TRY(queue_apply<true>(s, m, u, f, r, partial));
    return launch(elliptic_sum_k, m->systems, THREADS, 0, s, ALONE, parts, partial, sum);
}

/* ------------------------------------------------------------------ vectors */

/* y = alpha x + beta y; what is multiplied by 0 is not looked at. */
__global__ static void __launch_bounds__(THREADS)
    elliptic_combine_k(int64_t count, double alpha, const double *x, double beta, double *y)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t at = first + e * THREADS;
        if (at >= count) continue;
        const double own = beta == 0 ? 0 : beta * y[at];
        y[at] = alpha == 0 ? own : alpha * x[at] + own;
    }
}

extern "C" enum sw_status sw_cuda_elliptic_combine(sw_cuda_stream stream, int64_t count, double alpha, const double *x,
                                                   double beta, double *y)
{
    if (count == 0) return SW_OK;
    return launch(elliptic_combine_k, parts_of(count), THREADS, 0, (cudaStream_t)stream, ALONE, count, alpha, x, beta,
                  y);
}

/* ------------------------------------------------------------------ columns */

/* The pivots of a column at the beginning of each of its chunks, a thread a column. */
template <bool VARIABLE>
__global__ static void __launch_bounds__(THREADS)
    elliptic_pivots_k(struct sw_cuda_elliptic all, int64_t tiles, double *rests)
{
    const int64_t system = blockIdx.x / tiles, number = blockIdx.x % tiles * THREADS + threadIdx.x,
                  columns = all.nx * all.ny, chunks = (all.nz + CHUNK - 1) / CHUNK;
    if (number >= columns) return;
    const struct sw_cuda_elliptic m = of_system(all, system);
    const column<VARIABLE, struct sw_cuda_elliptic, double> own(m, number);
    double rest = 1;
    for (int64_t k = 0; k < m.nz; k++) {
        if (k % CHUNK == 0) rests[(system * chunks + k / CHUNK) * columns + number] = rest;
        const column_level<double> l = own.level(k);
        elliptic_pivot(l.p, l.above, l.below, &rest);
    }
}

extern "C" enum sw_status sw_cuda_elliptic_pivots(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                  double *rests)
{
    const int64_t tiles = (m->nx * m->ny + THREADS - 1) / THREADS, blocks = tiles * m->systems;
    cudaStream_t s = (cudaStream_t)stream;
    if (blocks == 0) return SW_OK;
    if (m->kx) return launch(elliptic_pivots_k<true>, blocks, THREADS, 0, s, ALONE, *m, tiles, rests);
    return launch(elliptic_pivots_k<false>, blocks, THREADS, 0, s, ALONE, *m, tiles, rests);
}

enum { COLUMNS = 64 };  /* columns of a block: a thread each, so that small grids have some blocks */

/* z = M^-1 r, a thread a column. On the way down the weights of a chunk follow from the pivot at its beginning. */
template <bool VARIABLE>
__global__ static void __launch_bounds__(COLUMNS)
    elliptic_columns_k(struct sw_cuda_elliptic all, int64_t tiles, const double *rests, const double *r, double *z)
{
    const int64_t system = blockIdx.x / tiles, number = blockIdx.x % tiles * COLUMNS + threadIdx.x,
                  columns = all.nx * all.ny, chunks = (all.nz + CHUNK - 1) / CHUNK;
    if (number >= columns) return;
    const struct sw_cuda_elliptic m = of_system(all, system);
    const column<VARIABLE, struct sw_cuda_elliptic, double> own(m, number);
    const int64_t first = system * columns * m.nz + own.first();
    double rest = 1, last = 0;
    r += first, z += first;
    for (int64_t k = 0; k < m.nz; k++) {
        const column_level<double> l = own.level(k);
        last = (r[k * m.nx] + l.below * last) * elliptic_pivot(l.p, l.above, l.below, &rest);
        z[k * m.nx] = last;
    }
    last = 0;
    for (int64_t chunk = chunks - 1; chunk >= 0; chunk--) {
        const int64_t begin = chunk * CHUNK;
        double w[CHUNK];
        rest = rests[(system * chunks + chunk) * columns + number];
#pragma unroll
        for (int k = 0; k < CHUNK; k++) {
            if (begin + k >= m.nz) { w[k] = 0; continue; }
            const column_level<double> l = own.level(begin + k);
            w[k] = l.above * elliptic_pivot(l.p, l.above, l.below, &rest);
        }
#pragma unroll
        for (int k = CHUNK - 1; k >= 0; k--) {
            if (begin + k >= m.nz) continue;
            last = z[(begin + k) * m.nx] + w[k] * last;
            z[(begin + k) * m.nx] = last;
        }
    }
}

extern "C" enum sw_status sw_cuda_elliptic_columns(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                   const double *rests, const double *r, double *z)
{
    const int64_t tiles = (m->nx * m->ny + COLUMNS - 1) / COLUMNS, blocks = tiles * m->systems;
    cudaStream_t s = (cudaStream_t)stream;
    if (blocks == 0) return SW_OK;
    if (m->kx) return launch(elliptic_columns_k<true>, blocks, COLUMNS, 0, s, ALONE, *m, tiles, rests, r, z);
    return launch(elliptic_columns_k<false>, blocks, COLUMNS, 0, s, ALONE, *m, tiles, rests, r, z);
}
