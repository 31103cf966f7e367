/* K2 of conjugate gradients in two passes (sw_cuda.h): r -= alpha q; <r, r>; z = M^-1 r; <r, z>; and what comes before
 * and behind a pass.
 *
 * A thread has LEVELS levels of V columns in registers; the threads of a column, `chunks` of them, join their first-
 * order recurrences in shared memory, up and down. Pivots of a chunk follow from that below it, of which the quotient
 * is kept (rests). With the matrix over the area of a column, V = L D L^T, <r, z> is the sum of y^2 D, L D y = r. Words
 * a cell: r read and written, q read, z written, and 1/16 of rests: 4.1.
 *
 * A block has tiles, `width` columns each, one after another; r and q of the next one are on their way while one is
 * solved: each thread waits for words of its own only. Tiles are taken from the last one on: what K1 left in the caches
 * is used first. Sums are kept tile by tile, so that they do not depend on how many blocks there are. */
#include <cuda_pipeline_primitives.h>

#include "elliptic_interleaved.cuh"

enum { LEVELS = SW_CUDA_ELLIPTIC_CHUNK, MOST_THREADS = 256, WARPS = MOST_THREADS / 32 };

int64_t elliptic_advance_blocks(int64_t nx, int64_t ny, int64_t nz);

/* How the columns of a system are cut: fixed by its shape. */
struct reduce_shape { int chunks, width, threads; int64_t tiles; };

static struct reduce_shape shape_of(int64_t nx, int64_t ny, int64_t nz, int V)
{
    struct reduce_shape s = {(int)((nz + LEVELS - 1) / LEVELS), 1, 0, 0};
    while (2 * s.width * s.chunks <= MOST_THREADS) s.width *= 2;
    s.threads = (s.width * s.chunks + 31) / 32 * 32;
    s.tiles = (nx * ny / V + s.width - 1) / s.width;
    return s;
}

/* a, b, c, d of a level. */
template <typename real> struct alignas(4 * sizeof(real)) level_of { real a, b, c, d; };

template <typename real> static size_t shared_bytes(const struct reduce_shape *s, int64_t nz, int V)
{
    const size_t each = (size_t)s->threads * (size_t)V;
    return sizeof(real) * (2 * LEVELS * each + 4 * each + 4 * (size_t)nz);
}

/* 1/x of positive numbers of a usual size: an approximation y with the relative error e, 2^-20 at most in double,
 * becomes y (1 + e + e²), in single y (1 + e), without the branches of a division. */
#ifdef SW_EMULATED
template <typename real> __device__ static inline real inverse_of(real x) { return 1 / x; }
#else
__device__ static inline double inverse_of(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x, y, 1.0);
    return fma(y, fma(e, e, e), y);
}
__device__ static inline float inverse_of(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fmaf(y, fmaf(-x, y, 1.0f), y);
}
#endif

template <typename M, typename real> struct reduce_arguments {
    M       all;
    struct reduce_shape shape;
    const real *rests, *from, *q;
    real   *r, *z;
    double *partial;      /* [2][systems][tiles] */
    struct sw_cuda_elliptic_way *way;
    struct sw_cuda_elliptic_turn *out;
    bool    starts, keeps;  /* starts: alpha is 0, there is no q; keeps: r is written */
    bool    single;
};

/* The last one of a system's tiles is done: its scalars. All threads call it. */
template <typename M, typename real>
__device__ static void end_system(const struct reduce_arguments<M, real> &g, int64_t system, unsigned count)
{
    const int64_t tiles = g.shape.tiles;
    struct sw_cuda_elliptic_way *const way = &g.way[system];
    if (!is_last(way, count, (unsigned)tiles)) return;
    const double rr = sum_of_partial(g.partial + system * tiles, tiles),
                 rz = sum_of_partial(g.partial + (g.all.systems + system) * tiles, tiles);
    if (threadIdx.x) return;
    way->beta = g.starts ? 0 : rz / way->rz;
    way->rz = rz;
    if (g.starts) return;
    const double unscaled = g.single ? rr / (way->up * way->up) : rr;
    g.out[system].rr = unscaled;
    way->left--;
    if (way->left == 0 || !goes_on(way, g.single, unscaled)) way->done = 1;
    if (g.single && !isfinite(unscaled)) way->alpha = 0;
}

/* Weights of a column over its area, at one level. */
template <bool VARIABLE, typename M, typename real>
__device__ static inline level_of<real> level_at(const M &m, const level_of<real> &t, int64_t i, int64_t j, int64_t k,
                                                 real inverse_area, real sides)
{
    level_of<real> l = t;
    if (VARIABLE) {
        const int64_t nx = m.nx, row = j * m.nz + k, cell = row * nx + i;
        const real *of_x = m.east + j * (nx + 1) + i, *of_y = m.north + j * nx + i, *kx = m.kx + row * (nx + 1) + i,
                   *ky = m.ky + cell, *kz = m.kz + cell + j * nx;
        sides = ((of_x[0] * kx[0] + of_x[1] * kx[1]) + (of_y[0] * ky[0] + of_y[nx] * ky[nx * m.nz])) * inverse_area;
        l.b *= kz[nx];
        l.c *= kz[0];
    }
    l.a += t.d * sides;
    return l;
}

/* What a turn is about: a tile of a system, and of it this thread's column, or V of them, and its lowest cell there. */
struct reduce_turn { int64_t system, column, j, cell; bool is; };

/* EVEN: all threads have LEVELS levels of a column that there is, so that nothing is asked at any of them. */
template <typename real, int V, bool VARIABLE, bool EVEN, typename M>
__global__ static void __launch_bounds__(MOST_THREADS, 2) elliptic_reduce_k(struct reduce_arguments<M, real> g)
{
    typedef pack<real, V> word;
    extern __shared__ __align__(16) unsigned char room[];
    __shared__ double of_warp[2][WARPS];
    const struct reduce_shape &s = g.shape;
    const int thread = threadIdx.x, threads = blockDim.x, lane = thread % s.width, chunk = thread / s.width;
    const int64_t nx = g.all.nx, ny = g.all.ny, nz = g.all.nz, packs = nx * ny / V, cells = nx * ny * nz;
    const int k0 = chunk * LEVELS, here = chunk < s.chunks ? (int)(nz - k0 < LEVELS ? nz - k0 : LEVELS) : 0;
    word *const next_r = (word *)room + thread, *const next_q = next_r + LEVELS * threads;
    word *const carry = (word *)room + 2 * LEVELS * threads;
    word *const up_y = carry, *const up_g = up_y + threads, *const down_z = up_g + threads,
         *const down_g = down_z + threads;
    level_of<real> *const table = (level_of<real> *)(carry + 4 * threads), *const own_levels = table + k0;
    const int64_t all_tiles = s.tiles * g.all.systems;
    const bool starts = g.starts, keeps = g.keeps;
    int64_t system = -1;
    unsigned count = 0;
    bool done = false;
    real alpha = 0;

    wait_previous();
    allow_next();
    const auto at_turn = [&](int64_t turn) {
        struct reduce_turn t;
        t.system = turn / s.tiles;
        const int64_t number = (s.tiles - 1 - (turn - t.system * s.tiles)) * s.width + lane;
        t.column = number * V;
        t.j = t.column / nx;
        t.cell = t.system * cells + (t.j * nz + k0) * nx + (t.column - t.j * nx);
        t.is = EVEN || (number < packs && here > 0);
        return t;
    };
    const auto there = [&](const struct reduce_turn &t, int l) { return EVEN || (t.is && l < here); };
    const auto fetch = [&](const struct reduce_turn &t, int64_t turn) {
        if (turn < all_tiles && !(t.system == system ? done : g.way[t.system].done != 0)) {
            const real *r = g.from + t.cell, *q = g.q + t.cell;
#pragma unroll
            for (int l = 0; l < LEVELS; l++, r += nx)
                if (there(t, l)) __pipeline_memcpy_async(next_r + l * threads, r, sizeof(word));
#pragma unroll
            for (int l = 0; l < LEVELS && !starts; l++, q += nx)
                if (there(t, l)) __pipeline_memcpy_async(next_q + l * threads, q, sizeof(word));
        }
        __pipeline_commit();
    };

    for (int l = 0; l < LEVELS && starts; l++)  /* there is no q; alpha is 0 */
#pragma unroll
        for (int v = 0; v < V; v++) next_q[l * threads].v[v] = 0;
    struct reduce_turn next = at_turn(blockIdx.x);
    fetch(next, blockIdx.x);
#pragma unroll 1
    for (int64_t turn = blockIdx.x; turn < all_tiles; turn += gridDim.x) {
        const struct reduce_turn own = next;
        next = at_turn(turn + gridDim.x);
        if (own.system != system) {
            if (count) end_system(g, system, count);
            system = own.system;
            count = 0;
            done = g.way[system].done != 0;
            alpha = starts ? (real)0 : (real)g.way[system].alpha;
            __syncthreads();
            if (!done)
                for (int64_t k = thread; k < nz; k += threads) {
                    const int64_t at = system * nz + k;
                    table[k] = level_of<real>{g.all.a[at], g.all.b[at], g.all.c[at], g.all.d[at]};
                }
            __syncthreads();
        }
        if (done) {  /* it was before this launch: its sums end with the last of its tiles */
            fetch(next, turn + gridDim.x);
            continue;
        }
        const M m = of_system(g.all, system);
        const int64_t j = own.j, i = own.column - j * nx;
        word y[LEVELS], area, sides, start;
        real inverse_area[V], weight[LEVELS][V];
        double rr = 0, rz = 0;
#pragma unroll
        for (int v = 0; v < V; v++) {  /* on their way while r and q come */
            area.v[v] = 1, sides.v[v] = start.v[v] = 0;
            if (!own.is) continue;
            const real *of_x = m.east + j * (nx + 1) + i + v, *of_y = m.north + own.column + v;
            area.v[v] = m.area[own.column + v];
            sides.v[v] = (of_x[0] + of_x[1]) + (of_y[0] + of_y[nx]);
            start.v[v] = g.rests[(system * s.chunks + chunk) * nx * ny + own.column + v];
        }
        __pipeline_wait_prior(0);
#pragma unroll
        for (int l = 0; l < LEVELS; l++) {
            real part = 0;
#pragma unroll
            for (int v = 0; v < V; v++) y[l].v[v] = 0;
            if (!there(own, l)) continue;
            const word q = next_q[l * threads];
            y[l] = next_r[l * threads];
#pragma unroll
            for (int v = 0; v < V; v++) {
                y[l].v[v] -= alpha * q.v[v];
                part += y[l].v[v] * y[l].v[v];
            }
            rr += (double)part;
        }
        real *r = g.r + own.cell;
#pragma unroll
        for (int l = 0; l < LEVELS && keeps; l++, r += nx)
            if (there(own, l)) store_pack<V>(r, y[l]);
        fetch(next, turn + gridDim.x);
#pragma unroll
        for (int v = 0; v < V; v++) {
            inverse_area[v] = inverse_of(area.v[v]);
            sides.v[v] *= inverse_area[v];
        }

        /* up: y of this chunk alone, and what of y below it comes to its last level */
        word rest = start, last, gain;
#pragma unroll
        for (int v = 0; v < V; v++) last.v[v] = 0, gain.v[v] = 1;
#pragma unroll
        for (int l = 0; l < LEVELS; l++) {
#pragma unroll
            for (int v = 0; v < V; v++) weight[l][v] = 0;
            if (!there(own, l)) continue;
#pragma unroll
            for (int v = 0; v < V; v++) {
                const level_of<real> t = level_at<VARIABLE>(m, own_levels[l], i + v, j, k0 + l, inverse_area[v],
                                                            sides.v[v]);
                const real all = t.a + t.c * rest.v[v], inverse = inverse_of(all + t.b);
                rest.v[v] = all * inverse;
                weight[l][v] = inverse;
                last.v[v] = (y[l].v[v] * inverse_area[v] + t.c * last.v[v]) * inverse;
                gain.v[v] *= t.c * inverse;
                y[l].v[v] = last.v[v];
            }
        }
        up_y[thread] = last;
        up_g[thread] = gain;
        __syncthreads();
        word before;
#pragma unroll
        for (int v = 0; v < V; v++) before.v[v] = 0;
#pragma unroll 4
        for (int c = 0; c < chunk; c++) {
            const word a = up_y[c * s.width + lane], b = up_g[c * s.width + lane];
#pragma unroll
            for (int v = 0; v < V; v++) before.v[v] = a.v[v] + b.v[v] * before.v[v];
        }

        /* y with that, and <r, z> */
        word energy;
        rest = start;
#pragma unroll
        for (int v = 0; v < V; v++) energy.v[v] = 0;
#pragma unroll
        for (int l = 0; l < LEVELS; l++) {
            if (!there(own, l)) continue;
#pragma unroll
            for (int v = 0; v < V; v++) {
                const level_of<real> t = level_at<VARIABLE>(m, own_levels[l], i + v, j, k0 + l, inverse_area[v],
                                                            sides.v[v]);
                const real all = t.a + t.c * rest.v[v], inverse = weight[l][v];
                rest.v[v] = all * inverse;
                before.v[v] *= t.c * inverse;
                y[l].v[v] += before.v[v];
                energy.v[v] += y[l].v[v] * y[l].v[v] * (all + t.b);
                weight[l][v] = t.b * inverse;
            }
        }
#pragma unroll
        for (int v = 0; v < V; v++) rz += own.is ? (double)(energy.v[v] * area.v[v]) : 0;

        /* down */
#pragma unroll
        for (int v = 0; v < V; v++) last.v[v] = 0, gain.v[v] = 1;
#pragma unroll
        for (int l = LEVELS - 1; l >= 0; l--) {
            if (!there(own, l)) continue;
#pragma unroll
            for (int v = 0; v < V; v++) {
                last.v[v] = y[l].v[v] + weight[l][v] * last.v[v];
                gain.v[v] *= weight[l][v];
                y[l].v[v] = last.v[v];
            }
        }
        down_z[thread] = last;
        down_g[thread] = gain;
        for (int w = 16; w > 0; w /= 2) {
            rr += __shfl_xor_sync(~0u, rr, w);
            rz += __shfl_xor_sync(~0u, rz, w);
        }
        if (thread % 32 == 0) of_warp[0][thread / 32] = rr, of_warp[1][thread / 32] = rz;
        __syncthreads();
        if (thread == threads - 32) {  /* of the last warp, which waits for no chunk above */
            double sum[2] = {0, 0};
            for (int w = 0; w < threads / 32; w++) sum[0] += of_warp[0][w], sum[1] += of_warp[1][w];
            g.partial[turn] = sum[0];
            g.partial[all_tiles + turn] = sum[1];
        }
        count++;
#pragma unroll
        for (int v = 0; v < V; v++) before.v[v] = 0;
#pragma unroll 4
        for (int c = s.chunks - 1; c > chunk; c--) {
            const word a = down_z[c * s.width + lane], b = down_g[c * s.width + lane];
#pragma unroll
            for (int v = 0; v < V; v++) before.v[v] = a.v[v] + b.v[v] * before.v[v];
        }
        real *z = g.z + own.cell + (LEVELS - 1) * nx;
#pragma unroll
        for (int l = LEVELS - 1; l >= 0; l--, z -= nx) {
            if (!there(own, l)) continue;
#pragma unroll
            for (int v = 0; v < V; v++) {
                before.v[v] *= weight[l][v];
                y[l].v[v] += before.v[v];
            }
            store_pack<V>(z, y[l]);
        }
    }
    if (count) end_system(g, system, count);
}

template <typename real, int V, bool VARIABLE, typename M>
static enum sw_status queue_reduce(cudaStream_t stream, const struct sw_cuda_interleaved *x, const M *m, bool starts,
                                   struct sw_cuda_elliptic_turn *out)
{
    const struct reduce_shape shape = shape_of(m->nx, m->ny, m->nz, V);
    const bool even = m->nz % LEVELS == 0 && shape.threads == shape.width * shape.chunks &&
                      shape.tiles * shape.width * V == m->nx * m->ny;
    void (*const kernel)(struct reduce_arguments<M, real>) =
        even && !VARIABLE ? elliptic_reduce_k<real, V, VARIABLE, !VARIABLE, M>
                          : elliptic_reduce_k<real, V, VARIABLE, false, M>;
    const size_t shared = shared_bytes<real>(&shape, m->nz, V);
    const struct reduce_arguments<M, real> g = {
        *m, shape, (const real *)x->rests, (const real *)x->from, (const real *)x->q, (real *)x->r, (real *)x->z,
        x->partial, x->way, out, starts, !starts, x->single != NULL};
    int each = 0;
    CU_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, shape.threads, shared));
    if (each < 1) return SW_FAIL(SW_E_CUDA, "no multiprocessor has room for %zu bytes of shared memory", shared);
    const int64_t tiles = shape.tiles * m->systems, blocks = (int64_t)each * x->processors;
    return launch(kernel, tiles < blocks ? tiles : blocks, shape.threads, shared, stream, OVERLAP, g);
}

extern "C" enum sw_status sw_cuda_interleaved_reduce(sw_cuda_stream stream, const struct sw_cuda_interleaved *x,
                                                     int turn, struct sw_cuda_elliptic_turn *out)
{
    cudaStream_t s = (cudaStream_t)stream;
    const bool starts = turn < 0;
    if (x->single) {
        const struct sw_cuda_elliptic_single *m = x->single;
        if (m->systems == 0) return SW_OK;
        if (m->kx) return queue_reduce<float, 1, true>(s, x, m, starts, out);
        if (m->nx % 2 == 0) return queue_reduce<float, 2, false>(s, x, m, starts, out);
        return queue_reduce<float, 1, false>(s, x, m, starts, out);
    }
    if (x->matrix->systems == 0) return SW_OK;
    if (x->matrix->kx) return queue_reduce<double, 1, true>(s, x, x->matrix, starts, out);
    return queue_reduce<double, 1, false>(s, x, x->matrix, starts, out);
}

extern "C" size_t sw_cuda_interleaved_partial(int64_t nx, int64_t ny, int64_t nz)
{
    const int64_t blocks = elliptic_advance_blocks(nx, ny, nz), sums = 2 * shape_of(nx, ny, nz, 1).tiles;
    return (size_t)(blocks > sums ? blocks : sums);
}

template <typename K> static enum sw_status allow_most(K *kernel)
{
    int device, most;
    CU_TRY(cudaGetDevice(&device));
    CU_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return allow_shared(kernel, (size_t)most - sizeof(double[2][WARPS]) - 1024);  /* less what is static */
}

template <typename real, int V, bool VARIABLE, typename M> static enum sw_status allow_most_of()
{
    SW_TRY(allow_most(elliptic_reduce_k<real, V, VARIABLE, false, M>));
    return allow_most(elliptic_reduce_k<real, V, VARIABLE, !VARIABLE, M>);
}

extern "C" enum sw_status sw_cuda_interleaved_prepare(void)
{
    typedef struct sw_cuda_elliptic M;
    typedef struct sw_cuda_elliptic_single S;
    SW_TRY((allow_most_of<double, 1, false, M>()));
    SW_TRY((allow_most_of<double, 1, true, M>()));
    SW_TRY((allow_most_of<float, 1, false, S>()));
    SW_TRY((allow_most_of<float, 1, true, S>()));
    return allow_most_of<float, 2, false, S>();
}

/* ------------------------------------------------------------------ before and behind a pass */

enum { THREADS = 256, EACH = 8 };

static int64_t blocks_of(int64_t count) { return (count + THREADS * EACH - 1) / (THREADS * EACH); }

/* u += alpha p; of a pass in single to += (u + alpha p)/up. */
template <typename real>
__global__ static void __launch_bounds__(THREADS)
    elliptic_finish_k(int64_t blocks, int64_t cells, bool fresh, const struct sw_cuda_elliptic_way *ways, const real *p,
                      real *u, double *to, bool to_fresh)
{
    const int64_t system = blockIdx.x / blocks, block = blockIdx.x % blocks;
    const struct sw_cuda_elliptic_way *const way = &ways[system];
    const bool reads = way->begun || !fresh;
    const real alpha = (real)way->alpha;
    const double scale = 1 / way->up;
    if (way->idle) return;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t here = (block * EACH + e) * THREADS + threadIdx.x, at = system * cells + here;
        if (here >= cells) continue;
        const real now = (reads ? u[at] : 0) + (alpha != 0 ? alpha * p[at] : 0);
        if (to) to[at] = (to_fresh ? 0 : to[at]) + scale * (double)now;
        else u[at] = now;
    }
}

template <typename real, typename M>
static enum sw_status queue_finish(cudaStream_t stream, const struct sw_cuda_interleaved *x, const M *m, double *to,
                                   bool to_fresh)
{
    const int64_t cells = m->nx * m->ny * m->nz, blocks = blocks_of(cells);
    if (m->systems == 0) return SW_OK;
    return launch(elliptic_finish_k<real>, blocks * m->systems, THREADS, 0, stream, ALONE, blocks, cells, x->fresh,
                  x->way, (const real *)x->p, (real *)x->u, to, to_fresh);
}

extern "C" enum sw_status sw_cuda_interleaved_finish(sw_cuda_stream stream, const struct sw_cuda_interleaved *x,
                                                     double *to, bool to_fresh)
{
    if (x->single) return queue_finish<float>((cudaStream_t)stream, x, x->single, to, to_fresh);
    return queue_finish<double>((cudaStream_t)stream, x, x->matrix, NULL, false);
}

/* ways NULL: all numbers are of one system, which is not scaled. */
__global__ static void __launch_bounds__(THREADS)
    elliptic_round_k(int64_t blocks, int64_t count, const struct sw_cuda_elliptic_way *ways, const double *from,
                     float *to)
{
    const int64_t system = blockIdx.x / blocks, block = blockIdx.x % blocks;
    if (ways && ways[system].idle) return;
    const double up = ways ? ways[system].up : 1;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t here = (block * EACH + e) * THREADS + threadIdx.x, at = system * count + here;
        if (here < count) to[at] = (float)(up * from[at]);
    }
}

extern "C" enum sw_status sw_cuda_interleaved_round(sw_cuda_stream stream, const struct sw_cuda_elliptic_way *way,
                                                    int systems, int64_t count, const double *from, float *to)
{
    const int64_t blocks = blocks_of(count);
    if (systems == 0) return SW_OK;
    return launch(elliptic_round_k, blocks * systems, THREADS, 0, (cudaStream_t)stream, ALONE, blocks, count, way, from,
                  to);
}
