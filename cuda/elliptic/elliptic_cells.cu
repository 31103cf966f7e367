/* Elliptic systems, one thing in a pass: what struct elliptic_space asks for, for all systems of a batch at once, and
 * the pivots of their columns. A block is one system's; what belongs to system s has the numbers s*blocks ...
 *
 * Sums do not depend on the batch: a thread adds up EACH cells, or a strip, a block those of its threads, one block a
 * system's. */
#include "cuda/elliptic/elliptic_cells.cuh"
#include "cuda/elliptic/elliptic_sum.cuh"
#include "cuda/launch.cuh"

enum { THREADS = 256, SUMMING = 1024, EACH = SW_CUDA_ELLIPTIC_PART / THREADS, CHUNK = SW_CUDA_ELLIPTIC_CHUNK };

template <typename M> static int64_t cells_of(const M *m) { return m->nx * m->ny * m->nz; }
static int64_t parts_of(int64_t cells) { return (cells + SW_CUDA_ELLIPTIC_PART - 1) / SW_CUDA_ELLIPTIC_PART; }

/* ------------------------------------------------------------------ the matrix */

/* A block of threads has a tile of strips side by side, so that neighbours along y come from the same processor's
 * cache: 32 along x and 8 along y, or more of one where there are fewer of the other. Tiles are numbered along x, then
 * y, then upwards. A block goes up through `high` of them, while BUSY blocks are left: what a thread finds out before
 * its first cell is as much as 20 levels take. */
struct tiles { int64_t along_x, along_y, all; int x, high; };
enum { HIGHEST = 4, BUSY = 1024 };

static struct tiles tiles_of(int64_t nx, int64_t ny, int64_t nz)
{
    int x = 32;
    while (x < THREADS && THREADS / x / 2 >= ny) x *= 2;
    while (x / 2 >= nx) x /= 2;
    const int64_t y = THREADS / x, along_x = (nx + x - 1) / x, along_y = (ny + y - 1) / y,
                  along_z = (nz + SW_CUDA_ELLIPTIC_STRIP - 1) / SW_CUDA_ELLIPTIC_STRIP;
    const struct tiles t = {along_x, along_y, along_x * along_y * along_z, x, 1};
    return t;
}

extern "C" int64_t sw_cuda_elliptic_partials(int64_t nx, int64_t ny, int64_t nz) { return tiles_of(nx, ny, nz).all; }

/* A load that stays where it stands: before the barrier behind it. */
__device__ static inline double fetch(const double *p)
{
    double v;
    asm volatile("ld.global.f64 %0, [%1];" : "=d"(v) : "l"(p));
    return v;
}

__device__ static inline float fetch(const float *p)
{
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}

/* What a level needs of memory, beside what the levels below it have brought. */
template <typename real> struct level {
    real up, west, east, south, north, south_west, south_east, north_west, north_east, f;
    real kx[2], ky[2], kz[2];
};

/* Some levels of one column. */
template <bool FULL, bool VARIABLE, typename M, typename real> struct strip {
    const M &m;
    const real *own, *f;  /* from its lowest cell on */
    const real *kx, *ky, *kz;
    int64_t west, east, south, north;  /* from a cell to its neighbours */
    int64_t j, first, lowest;
    int     higher;  /* levels above the next one that is taken */
    bool    has_west, has_east, has_south, has_north, corner_west, corner_east;
    real  area, weight[4], vertex[4];

    __device__ inline strip(const M &matrix, int64_t i, int64_t row, int64_t lowest_level, const real *u,
                            const real *right)
        : m(matrix), j(row), first(lowest_level), higher((int)(matrix.nz - 1 - lowest_level))
    {
        const int64_t nx = m.nx, ny = m.ny, nz = m.nz, slab = nx * nz;
        lowest = j * slab + first * nx + i;
        own = u + lowest, f = right + lowest;
        has_west = i > 0 || m.periodic_x, has_east = i < nx - 1 || m.periodic_x;
        has_south = j > 0 || m.periodic_y || m.before, has_north = j < ny - 1 || m.periodic_y || m.behind;
        corner_west = i > 0, corner_east = i < nx - 1;
        west = i > 0 ? -1 : nx - 1, east = i < nx - 1 ? 1 : 1 - nx;
        south = j > 0 ? -slab : (ny - 1) * slab, north = j < ny - 1 ? slab : (1 - ny) * slab;
        if (j == 0 && m.before) south = m.before + first * nx + i - own;
        if (j == ny - 1 && m.behind) north = m.behind + first * nx + i - own;
        const real *const of_x = m.east + j * (nx + 1) + i, *const of_y = m.north + j * nx + i;
        area = m.area[j * nx + i];
        weight[0] = of_x[0], weight[1] = of_x[1], weight[2] = of_y[0], weight[3] = of_y[nx];
        if (FULL) {
            const real *const of_vertex = m.cross + j * (nx + 1) + i;
            vertex[0] = of_vertex[0], vertex[1] = of_vertex[1];
            vertex[2] = of_vertex[nx + 1], vertex[3] = of_vertex[nx + 2];
        }
        if (VARIABLE) {
            kx = m.kx + (j * nz + first) * (nx + 1) + i;
            ky = m.ky + lowest;
            kz = m.kz + (j * (nz + 1) + first) * nx + i;
        }
    }

    /* Its lowest level, which it leaves, unless it is the uppermost. */
    __device__ inline level<real> take_level(bool residual)
    {
        const int64_t nx = m.nx;
        const real *const at = own;
        const bool below = higher > 0;
        const int step = below ? (int)nx : 0;  /* a row is shorter than 2^31 */
        level<real> v;
        if (residual) v.f = fetch(f);
        v.up = below ? fetch(at + nx) : 0;
        v.south = has_south ? fetch(at + south) : 0, v.north = has_north ? fetch(at + north) : 0;
        v.west = has_west ? fetch(at + west) : 0, v.east = has_east ? fetch(at + east) : 0;
        if (FULL) {
            v.south_west = has_south && corner_west ? fetch(at + south - 1) : 0;
            v.south_east = has_south && corner_east ? fetch(at + south + 1) : 0;
            v.north_west = has_north && corner_west ? fetch(at + north - 1) : 0;
            v.north_east = has_north && corner_east ? fetch(at + north + 1) : 0;
        }
        if (VARIABLE) {
            v.kx[0] = fetch(kx), v.kx[1] = fetch(kx + 1), v.ky[0] = fetch(ky), v.ky[1] = fetch(ky + nx * m.nz);
            v.kz[0] = fetch(kz), v.kz[1] = fetch(kz + nx);
            kx += step + below, ky += step, kz += step;
        }
        own += step, f += step, higher--;
        return v;
    }

    /* A u. What is elliptic_vertical() is written out, so that the order of its roundings does not depend on the kernel
     * it is compiled into. @param w  what is vertical: a, b, c, d */
    __device__ inline real image(const level<real> &v, const real w[4], real u, real down) const
    {
        real b = w[1], c = w[2], x0 = weight[0], x1 = weight[1], y0 = weight[2], y1 = weight[3];
        if (VARIABLE) {
            x0 *= v.kx[0], x1 *= v.kx[1], y0 *= v.ky[0], y1 *= v.ky[1];
            c *= v.kz[0], b *= v.kz[1];
        }
        real sides = elliptic_pair(x0, x1, u, v.west, v.east) + elliptic_pair(y0, y1, u, v.south, v.north);
        if (FULL) {
            real sum[4], difference[4];
            elliptic_vertex(vertex[0], v.south_west, v.south, v.west, u, &sum[0], &difference[0]);
            elliptic_vertex(vertex[1], v.south, v.south_east, u, v.east, &sum[1], &difference[1]);
            elliptic_vertex(vertex[2], v.west, u, v.north_west, v.north, &sum[2], &difference[2]);
            elliptic_vertex(vertex[3], u, v.east, v.north, v.north_east, &sum[3], &difference[3]);
            sides += elliptic_cross(sum[0], difference[1], difference[2], sum[3]);
        }
        return fma(w[3], sides, area * fma(c, u - down, fma(b, u - v.up, w[0] * u)));
    }
};

/* y = A u, or r = f - A u with |r|² of each tile into partial (y NULL: only that): a thread a column of strips. Words
 * of memory: u, f, and y; u comes 1.4 times from the second-level cache, for the sides of tiles. A level takes 75
 * instructions, 18 of them of double precision. A thread asks for AT_ONCE levels before it needs the first of them;
 * more at once, and fewer blocks for that, were slower. a, b, c, d of each level are in shared memory, where loads do
 * not wait behind those of cells that are on their way. */
template <bool FULL, bool VARIABLE, bool RESIDUAL, typename M, typename real>
__global__ static void __launch_bounds__(THREADS, FULL || VARIABLE ? 2 : 4)
    elliptic_apply_k(M all, struct tiles tiles, unsigned blocks, const real *u, const real *f, real *y,
                     double *partial)
{
    enum { STRIP = SW_CUDA_ELLIPTIC_STRIP, AT_ONCE = 2, WARPS = THREADS / 32 };
    __shared__ real verticals[HIGHEST * STRIP][4];
    __shared__ double of_warp[HIGHEST][WARPS];
    const int thread = (int)threadIdx.x, above = thread / tiles.x;
    const unsigned along_x = (unsigned)tiles.along_x, along_y = (unsigned)tiles.along_y,  /* blocks: below 2^31 */
                   system = all.systems > 1 ? blockIdx.x / blocks : 0, block = blockIdx.x - system * blocks,
                   row = block / along_x, layers = row / along_y, x = block - row * along_x;
    const int64_t base = system * (all.nx * all.ny * all.nz), i = x * tiles.x + (thread - above * tiles.x),
                  j = (row - layers * along_y) * (THREADS / tiles.x) + above, first = layers * tiles.high * STRIP,
                  left = all.nz - first;
    const M m = of_system(all, system);
    const bool there = i < m.nx && j < m.ny, stores = there && (!RESIDUAL || y);
    const int levels = left < tiles.high * STRIP ? (int)left : tiles.high * STRIP;
    if (thread < HIGHEST * STRIP * 4) {
        const real *const of = thread % 4 == 0 ? m.a : thread % 4 == 1 ? m.b : thread % 4 == 2 ? m.c : m.d;
        verticals[thread / 4][thread % 4] = thread / 4 < levels ? of[first + thread / 4] : 0;
    }
    strip<FULL, VARIABLE, M, real> s(m, there ? i : 0, there ? j : 0, first, u + base, f + base);
    real own = s.own[0], down = first > 0 ? s.own[-m.nx] : 0;
    if (stores) y += base + s.lowest;
    double squares = 0;
    __syncthreads();
#pragma unroll 1
    for (int l = 0; l < levels; l += AT_ONCE) {
        level<real> v[AT_ONCE];
#pragma unroll
        for (int e = 0; e < AT_ONCE; e++) v[e] = s.take_level(RESIDUAL);
        __syncwarp();
#pragma unroll
        for (int e = 0; e < AT_ONCE; e++) {
            const real image = s.image(v[e], verticals[l + e], own, down), r = RESIDUAL ? v[e].f - image : image;
            if (stores && l + e < levels) *y = r, y += m.nx;
            if (l + e < levels) squares += r * r;
            down = own;
            own = v[e].up;
        }
        if (!RESIDUAL || ((l + AT_ONCE) % STRIP != 0 && l + AT_ONCE < levels)) continue;
        if (!there) squares = 0;
        for (int w = 16; w > 0; w /= 2) squares += __shfl_xor_sync(~0u, squares, w);
        if (thread % 32 == 0) of_warp[l / STRIP][thread / 32] = squares;
        squares = 0;
    }
    if (!RESIDUAL) return;
    __syncthreads();
    if (thread * STRIP >= levels) return;
    double sum = 0;
    for (int w = 0; w < WARPS; w++) sum += of_warp[thread][w];
    partial[system * tiles.all + (row + (layers * (tiles.high - 1) + thread) * along_y) * along_x + x] = sum;
}

template <bool RESIDUAL, typename M, typename real>
static enum sw_status queue_apply(cudaStream_t stream, const M *m, const real *u, const real *f, real *y,
                                  double *partial)
{
    struct tiles tiles = tiles_of(m->nx, m->ny, m->nz);
    while (tiles.high < HIGHEST && tiles.all * m->systems >= 2 * BUSY * tiles.high) tiles.high *= 2;
    const int64_t across = tiles.along_x * tiles.along_y, layers = across ? tiles.all / across : 0,
                  blocks = across * ((layers + tiles.high - 1) / tiles.high);
    void (*kernel)(M, struct tiles, unsigned, const real *, const real *, real *, double *) =
        elliptic_apply_k<false, false, RESIDUAL, M, real>;
    if (m->cross) kernel = elliptic_apply_k<true, false, RESIDUAL, M, real>;
    else if (m->kx) kernel = elliptic_apply_k<false, true, RESIDUAL, M, real>;
    if (blocks * m->systems == 0) return SW_OK;
    return launch(kernel, blocks * m->systems, THREADS, 0, stream, ALONE, *m, tiles, (unsigned)blocks, u, f, y,
                  partial);
}

extern "C" enum sw_status sw_cuda_elliptic_apply(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                 const double *u, double *y)
{
    return queue_apply<false>((cudaStream_t)stream, m, u, u, y, (double *)NULL);
}

extern "C" enum sw_status sw_cuda_elliptic_single_apply(sw_cuda_stream stream, const struct sw_cuda_elliptic_single *m,
                                                        const float *u, float *y)
{
    return queue_apply<false>((cudaStream_t)stream, m, u, u, y, (double *)NULL);
}

/* ------------------------------------------------------------------ sums */

__global__ static void __launch_bounds__(SUMMING) elliptic_sum_k(int64_t parts, const double *partial, double *sum)
{
    const double all = sum_of_partial(partial + blockIdx.x * parts, parts);
    if (threadIdx.x == 0) sum[blockIdx.x] = all;
}

template <typename real>
__global__ static void __launch_bounds__(THREADS)
    elliptic_dot_k(int64_t cells, int64_t parts, const real *x, const real *y, double *partial)
{
    const int64_t system = blockIdx.x / parts, part = blockIdx.x % parts;
    double sum = 0;
    x += system * cells, y += system * cells;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t at = (part * EACH + e) * THREADS + threadIdx.x;
        if (at < cells) sum += (double)x[at] * (double)y[at];
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <typename M, typename real>
static enum sw_status queue_dot(cudaStream_t s, const M *m, const real *x, const real *y, double *partial, double *sum)
{
    const int64_t cells = cells_of(m), parts = parts_of(cells);
    if (m->systems == 0) return SW_OK;
    SW_TRY(launch(elliptic_dot_k<real>, parts * m->systems, THREADS, 0, s, ALONE, cells, parts, x, y, partial));
    return launch(elliptic_sum_k, m->systems, SUMMING, 0, s, ALONE, parts, partial, sum);
}

extern "C" enum sw_status sw_cuda_elliptic_dot(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                               const double *x, const double *y, double *partial, double *sum)
{
    return queue_dot((cudaStream_t)stream, m, x, y, partial, sum);
}

extern "C" enum sw_status sw_cuda_elliptic_single_dot(sw_cuda_stream stream, const struct sw_cuda_elliptic_single *m,
                                                      const float *x, const float *y, double *partial, double *sum)
{
    return queue_dot((cudaStream_t)stream, m, x, y, partial, sum);
}

extern "C" enum sw_status sw_cuda_elliptic_residual(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                    const double *f, const double *u, double *r, double *partial,
                                                    double *sum)
{
    const int64_t parts = sw_cuda_elliptic_partials(m->nx, m->ny, m->nz);
    cudaStream_t s = (cudaStream_t)stream;
    if (m->systems == 0) return SW_OK;
    SW_TRY(queue_apply<true>(s, m, u, f, r, partial));
    return launch(elliptic_sum_k, m->systems, SUMMING, 0, s, ALONE, parts, partial, sum);
}

/* ------------------------------------------------------------------ vectors */

/* y = alpha x + beta y; what is multiplied by 0 is not looked at. */
template <typename real>
__global__ static void __launch_bounds__(THREADS)
    elliptic_combine_k(int64_t count, real alpha, const real *x, real beta, real *y)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t at = first + e * THREADS;
        if (at >= count) continue;
        const real own = beta == 0 ? (real)0 : beta * y[at];
        y[at] = alpha == 0 ? own : alpha * x[at] + own;
    }
}

extern "C" enum sw_status sw_cuda_elliptic_combine(sw_cuda_stream stream, int64_t count, double alpha, const double *x,
                                                   double beta, double *y)
{
    if (count == 0) return SW_OK;
    return launch(elliptic_combine_k<double>, parts_of(count), THREADS, 0, (cudaStream_t)stream, ALONE, count, alpha, x,
                  beta, y);
}

extern "C" enum sw_status sw_cuda_elliptic_single_combine(sw_cuda_stream stream, int64_t count, double alpha,
                                                          const float *x, double beta, float *y)
{
    if (count == 0) return SW_OK;
    return launch(elliptic_combine_k<float>, parts_of(count), THREADS, 0, (cudaStream_t)stream, ALONE, count,
                  (float)alpha, x, (float)beta, y);
}

/* From one precision to the other. */
template <typename from_real, typename to_real>
__global__ static void __launch_bounds__(THREADS)
    elliptic_convert_k(int64_t count, double scale, const from_real *from, to_real *to)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t at = first + e * THREADS;
        if (at < count) to[at] = (to_real)(scale * (double)from[at]);
    }
}

extern "C" enum sw_status sw_cuda_elliptic_single_from(sw_cuda_stream stream, int64_t count, double scale,
                                                       const double *from, float *to)
{
    if (count == 0) return SW_OK;
    return launch(elliptic_convert_k<double, float>, parts_of(count), THREADS, 0, (cudaStream_t)stream, ALONE, count,
                  scale, from, to);
}

extern "C" enum sw_status sw_cuda_elliptic_single_to(sw_cuda_stream stream, int64_t count, double scale,
                                                     const float *from, double *to)
{
    if (count == 0) return SW_OK;
    return launch(elliptic_convert_k<float, double>, parts_of(count), THREADS, 0, (cudaStream_t)stream, ALONE, count,
                  scale, from, to);
}

/* T. Dekker (1971): what is left of 53 bits are the upper 24. */
__global__ static void __launch_bounds__(THREADS) elliptic_shorten_k(int64_t count, double *x)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t at = first + e * THREADS;
        if (at >= count) continue;
        const double own = x[at], far = __dmul_rn(own, 0x1p29 + 1);
        x[at] = __dsub_rn(far, __dsub_rn(far, own));
    }
}

extern "C" enum sw_status sw_cuda_elliptic_shorten(sw_cuda_stream stream, int64_t count, double *x)
{
    if (count == 0) return SW_OK;
    return launch(elliptic_shorten_k, parts_of(count), THREADS, 0, (cudaStream_t)stream, ALONE, count, x);
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
template <bool VARIABLE, typename M, typename real>
__global__ static void __launch_bounds__(COLUMNS)
    elliptic_columns_k(M all, int64_t tiles, const real *rests, const real *r, real *z)
{
    const int64_t system = blockIdx.x / tiles, number = blockIdx.x % tiles * COLUMNS + threadIdx.x,
                  columns = all.nx * all.ny, chunks = (all.nz + CHUNK - 1) / CHUNK;
    if (number >= columns) return;
    const M m = of_system(all, system);
    const column<VARIABLE, M, real> own(m, number);
    const int64_t first = system * columns * m.nz + own.first();
    real rest = 1, last = 0;
    r += first, z += first;
    for (int64_t k = 0; k < m.nz; k++) {
        const column_level<real> l = own.level(k);
        last = (r[k * m.nx] + l.below * last) * elliptic_pivot(l.p, l.above, l.below, &rest);
        z[k * m.nx] = last;
    }
    last = 0;
    for (int64_t chunk = chunks - 1; chunk >= 0; chunk--) {
        const int64_t begin = chunk * CHUNK;
        real w[CHUNK];
        rest = rests[(system * chunks + chunk) * columns + number];
#pragma unroll
        for (int k = 0; k < CHUNK; k++) {
            if (begin + k >= m.nz) { w[k] = 0; continue; }
            const column_level<real> l = own.level(begin + k);
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

template <typename M, typename real>
static enum sw_status queue_columns(cudaStream_t s, const M *m, const real *rests, const real *r, real *z)
{
    const int64_t tiles = (m->nx * m->ny + COLUMNS - 1) / COLUMNS, blocks = tiles * m->systems;
    if (blocks == 0) return SW_OK;
    if (m->kx) return launch(elliptic_columns_k<true, M, real>, blocks, COLUMNS, 0, s, ALONE, *m, tiles, rests, r, z);
    return launch(elliptic_columns_k<false, M, real>, blocks, COLUMNS, 0, s, ALONE, *m, tiles, rests, r, z);
}

extern "C" enum sw_status sw_cuda_elliptic_columns(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                   const double *rests, const double *r, double *z)
{
    return queue_columns((cudaStream_t)stream, m, rests, r, z);
}

extern "C" enum sw_status sw_cuda_elliptic_single_columns(sw_cuda_stream stream,
                                                          const struct sw_cuda_elliptic_single *m, const float *rests,
                                                          const float *r, float *z)
{
    return queue_columns((cudaStream_t)stream, m, rests, r, z);
}
