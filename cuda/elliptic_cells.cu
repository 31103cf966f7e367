/* Elliptic systems, one thing in a pass: what struct elliptic_space asks for, for all systems of a batch at once, and
 * the pivots of their columns. A block is one system's; what belongs to system s has the numbers s*blocks ...
 *
 * Sums do not depend on the batch: a thread adds up EACH cells, or a strip, a block those of its threads, one block a
 * system's. */
#include "elliptic_cells.cuh"
#include "elliptic_sum.cuh"
#include "launch.cuh"

enum { THREADS = 256, EACH = SW_CUDA_ELLIPTIC_PART / THREADS, CHUNK = SW_CUDA_ELLIPTIC_CHUNK };

template <typename M> static int64_t cells_of(const M *m) { return m->nx * m->ny * m->nz; }
static int64_t parts_of(int64_t cells) { return (cells + SW_CUDA_ELLIPTIC_PART - 1) / SW_CUDA_ELLIPTIC_PART; }

/* ------------------------------------------------------------------ the matrix */

/* Levels that are on their way at once. */
enum { AHEAD = 4 };

static int64_t strips_of(const struct sw_cuda_elliptic *m)
{
    return m->nx * m->ny * ((m->nz + SW_CUDA_ELLIPTIC_STRIP - 1) / SW_CUDA_ELLIPTIC_STRIP);
}
static int64_t parts_of_strips(const struct sw_cuda_elliptic *m) { return (strips_of(m) + THREADS - 1) / THREADS; }

/* A u of some levels, or f - A u, of one column. @return the sum of squares of what was stored */
template <bool FULL, bool VARIABLE, bool RESIDUAL>
__device__ static inline double apply_strip(const struct sw_cuda_elliptic &m, int64_t i, int64_t j, int64_t first,
                                            int64_t count, const double *__restrict__ u,
                                            const double *__restrict__ f, double *__restrict__ y)
{
    const int64_t nx = m.nx, ny = m.ny, nz = m.nz, slab = nx * nz, lowest = j * slab + first * nx + i;
    const bool has_west = i > 0 || m.periodic_x, has_east = i < nx - 1 || m.periodic_x,
               has_south = j > 0 || m.periodic_y, has_north = j < ny - 1 || m.periodic_y,
               corner_w = FULL && i > 0, corner_e = FULL && i < nx - 1;
    const double *const own_u = u + lowest, *const west_u = own_u + (i > 0 ? -1 : nx - 1),
                 *const east_u = own_u + (i < nx - 1 ? 1 : 1 - nx),
                 *const south_u = own_u + (j > 0 ? -slab : (ny - 1) * slab),
                 *const north_u = own_u + (j < ny - 1 ? slab : (1 - ny) * slab);
    const double *const of_x = m.east + j * (nx + 1) + i, *const of_y = m.north + j * nx + i,
                 *const of_vertex = FULL ? m.cross + j * (nx + 1) + i : NULL, area = m.area[j * nx + i];
    const double weight[4] = {of_x[0], of_x[1], of_y[0], of_y[nx]};
    double vertex[4] = {0, 0, 0, 0}, own = own_u[0], down = first > 0 ? own_u[-nx] : 0, squares = 0;
    if (FULL) vertex[0] = of_vertex[0], vertex[1] = of_vertex[1], vertex[2] = of_vertex[nx + 1],
              vertex[3] = of_vertex[nx + 2];
#pragma unroll AHEAD
    for (int64_t l = 0; l < count; l++) {
        const int64_t k = first + l, of = l * nx;
        const double up = k < nz - 1 ? own_u[of + nx] : 0, west = has_west ? west_u[of] : 0,
                     east = has_east ? east_u[of] : 0, south = has_south ? south_u[of] : 0,
                     north = has_north ? north_u[of] : 0;
        double b = __ldg(m.b + k), c = __ldg(m.c + k), x0 = weight[0], x1 = weight[1], y0 = weight[2], y1 = weight[3];
        if (VARIABLE) {
            const int64_t at = lowest + of;
            const double *kx = m.kx + (j * nz + k) * (nx + 1) + i, *ky = m.ky + at,
                         *kz = m.kz + (j * (nz + 1) + k) * nx + i;
            x0 *= __ldg(kx), x1 *= __ldg(kx + 1), y0 *= __ldg(ky), y1 *= __ldg(ky + slab);
            c *= __ldg(kz), b *= __ldg(kz + nx);
        }
        double sides = elliptic_pair(x0, x1, own, west, east) + elliptic_pair(y0, y1, own, south, north);
        if (FULL) {
            const double south_west = has_south && corner_w ? south_u[of - 1] : 0,
                         south_east = has_south && corner_e ? south_u[of + 1] : 0,
                         north_west = has_north && corner_w ? north_u[of - 1] : 0,
                         north_east = has_north && corner_e ? north_u[of + 1] : 0;
            double sum[4], difference[4];
            elliptic_vertex(vertex[0], south_west, south, west, own, &sum[0], &difference[0]);
            elliptic_vertex(vertex[1], south, south_east, own, east, &sum[1], &difference[1]);
            elliptic_vertex(vertex[2], west, own, north_west, north, &sum[2], &difference[2]);
            elliptic_vertex(vertex[3], own, east, north, north_east, &sum[3], &difference[3]);
            sides += elliptic_cross(sum[0], difference[1], difference[2], sum[3]);
        }
        const double image = area * elliptic_vertical(__ldg(m.a + k), b, c, own, up, down) + __ldg(m.d + k) * sides,
                     r = RESIDUAL ? f[lowest + of] - image : image;
        y[lowest + of] = r;
        squares += r * r;
        down = own;
        own = up;
    }
    return squares;
}

/* y = A u, or r = f - A u with |r|² of a block into partial. Threads side by side have columns side by side. */
template <bool FULL, bool VARIABLE, bool RESIDUAL>
__global__ static void __launch_bounds__(THREADS, FULL || VARIABLE ? 2 : 3)
    elliptic_apply_k(struct sw_cuda_elliptic all, int64_t parts, int64_t strips, const double *__restrict__ u,
                     const double *__restrict__ f, double *__restrict__ y, double *partial)
{
    enum { STRIP = SW_CUDA_ELLIPTIC_STRIP };
    const int64_t system = blockIdx.x / parts, strip = blockIdx.x % parts * THREADS + threadIdx.x,
                  base = system * all.nx * all.ny * all.nz, row = strip / all.nx, i = strip - row * all.nx,
                  each = (all.nz + STRIP - 1) / STRIP, j = row / each, first = (row - j * each) * STRIP,
                  left = all.nz - first;
    double sum = 0;
    if (strip < strips)
        sum = apply_strip<FULL, VARIABLE, RESIDUAL>(of_system(all, system), i, j, first, left < STRIP ? left : STRIP,
                                                    u + base, f + base, y + base);
    if (!RESIDUAL) return;
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <bool RESIDUAL>
static enum sw_status queue_apply(cudaStream_t stream, const struct sw_cuda_elliptic *m, const double *u,
                                  const double *f, double *y, double *partial)
{
    const int64_t strips = strips_of(m), parts = parts_of_strips(m), blocks = parts * m->systems;
    void (*const kernel)(struct sw_cuda_elliptic, int64_t, int64_t, const double *, const double *, double *,
                         double *) = m->cross ? elliptic_apply_k<true, false, RESIDUAL>
                                     : m->kx  ? elliptic_apply_k<false, true, RESIDUAL>
                                              : elliptic_apply_k<false, false, RESIDUAL>;
    if (blocks == 0) return SW_OK;
    return launch(kernel, blocks, THREADS, 0, stream, ALONE, *m, parts, strips, u, f, y, partial);
}

extern "C" enum sw_status sw_cuda_elliptic_apply(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                 const double *u, double *y)
{
    return queue_apply<false>((cudaStream_t)stream, m, u, u, y, NULL);
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
    const int64_t parts = parts_of_strips(m);
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
