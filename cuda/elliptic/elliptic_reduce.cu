/* K2 of conjugate gradients in two passes (elliptic_kernels.h): r -= alpha q; <r, r>; z = M^-1 r; <r, z>; and what
 * comes before and behind a pass.
 *
 * A thread has LEVELS levels of V columns in registers; the threads of a column, `chunks` of them, join their first-
 * order recurrences in shared memory, up and down. Pivots of a chunk follow from that below it, of which the quotient
 * is kept (rests). With the matrix over the area of a column, V = L D L^T, <r, z> is the sum of y^2 D, L D y = r. Words
 * a cell: r read and written, q read, z written, and 1/8 of rests: 4.1. A tile is a chain of some thousand cycles, so
 * that its levels are few and its registers 80: three blocks of 256 threads are on a multiprocessor. With coefficients
 * at faces there are two words more: the diagonal, formed once, and the face above a cell.
 *
 * A block has tiles, `width` columns each, one after another; r and q of the next one are on their way while one is
 * solved: each thread waits for words of its own only. Tiles are taken from the last one on: what K1 left in the caches
 * is used first. Sums are kept tile by tile, so that they do not depend on how many blocks there are. */
#include <cuda_pipeline_primitives.h>

#include "base/sw_err.h"
#include "cuda/elliptic/elliptic_interleaved.cuh"

/* Threads of a block, at most: more for long columns, so that what they read together is no shorter. */
enum { LEVELS = SW_CUDA_ELLIPTIC_CHUNK, MOST_THREADS = 256, LONG_THREADS = 512, LONG = 32, WARPS = LONG_THREADS / 32 };

int64_t elliptic_advance_blocks(int64_t nx, int64_t ny, int64_t nz);

static int most_threads(int chunks) { return chunks > LONG ? LONG_THREADS : MOST_THREADS; }

/* How the columns of a system are cut: fixed by its shape. */
struct reduce_shape { int chunks, width, threads, tiles; };

static struct reduce_shape shape_of(int64_t nx, int64_t ny, int64_t nz, int V)
{
    struct reduce_shape s = {(int)((nz + LEVELS - 1) / LEVELS), 1, 0, 0};
    const int most = most_threads(s.chunks);
    while (2 * s.width * s.chunks <= most) s.width *= 2;
    s.threads = (s.width * s.chunks + 31) / 32 * 32;
    s.tiles = (int)((nx * ny / V + s.width - 1) / s.width);
    return s;
}

/* What a block does next: a tile of a system, and of it this thread's column, or V of them, numbered from 0 along x. A
 * block takes every gridDim.x-th tile: the step to it is the same for all, less one system's tiles if it goes beyond
 * them, so that nothing is divided in the loop. */
struct reduce_turn { int system, tile, i, j; };
struct reduce_step { struct reduce_turn by, beyond; };

static struct reduce_step step_of(const struct reduce_shape *s, int64_t row, int64_t blocks)
{
    const int64_t tiles = blocks % s->tiles, on = tiles * s->width, all = (int64_t)s->tiles * s->width;
    return (struct reduce_step){{(int)(blocks / s->tiles), (int)tiles, (int)(on % row), (int)(on / row)},
                                {1, s->tiles, (int)(all % row), (int)(all / row)}};
}

/* Tiles are numbered along x and y and taken from the last one on. */
__device__ static inline void go_to_next(struct reduce_turn *t, const struct reduce_step &s, int row)
{
    t->system += s.by.system;
    t->tile -= s.by.tile;
    t->i -= s.by.i;
    t->j -= s.by.j;
    if (t->tile < 0) {
        t->system += s.beyond.system;
        t->tile += s.beyond.tile;
        t->i += s.beyond.i;
        t->j += s.beyond.j;
    }
    if (t->i < 0) t->i += row, t->j--;
    if (t->i >= row) t->i -= row, t->j++;
}

/* Words of a cell that come for the next tile: r, q, and those of chunk_weights. */
#define STREAMS(variable) ((variable) ? 4 : 2)

template <typename real> static size_t shared_bytes(const struct reduce_shape *s, int64_t nz, int V, int streams)
{
    const size_t each = (size_t)most_threads(s->chunks) * (size_t)V;
    return sizeof(real) * ((size_t)streams * LEVELS * each + 4 * each + 4 * (size_t)nz);
}

/* Begin to copy a word that is not looked at again before all other vectors have been (load_once()). */
template <typename word> __device__ static inline void copy_once(word *to, const void *from)
{
#ifdef SW_EMULATED
    __pipeline_memcpy_async(to, from, sizeof(word));
#else
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;"
                 :: "r"(at), "l"(from), "n"(sizeof(word)), "l"(policy) : "memory");
#endif
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
    struct reduce_step step;
    const real *rests, *diagonals, *from, *q;
    real   *r, *z;
    double *partial;      /* [2][systems][tiles] */
    struct sw_cuda_elliptic_way *way;
    struct sw_cuda_elliptic_turn *out;
    double *sums;
    bool    starts, keeps;  /* starts: alpha is 0, there is no q; keeps: r is written */
    bool    single;
};

/* The last one of a system's tiles is done: its scalars. All threads call it. */
template <typename M, typename real>
__device__ static void end_system(const struct reduce_arguments<M, real> &g, int64_t system, unsigned count)
{
    const int64_t tiles = g.shape.tiles;
    struct sw_cuda_elliptic_way *const way = &g.way[system];
    const struct sw_cuda_elliptic_way now = *way;
    if (!is_last(way, count, (unsigned)tiles)) return;
    const double *const rows[2] = {g.partial + system * tiles, g.partial + (g.all.systems + system) * tiles};
    double sum[2];
    sums_of_partial<2>(rows, tiles, sum);
    const double rr = sum[0], rz = sum[1];
    if (threadIdx.x) return;
    if (g.sums) g.sums[2 * system] = rr, g.sums[2 * system + 1] = rz;
    else elliptic_end_k2(way, now, g.starts, g.single, rr, rz, &g.out[system]);
}

/* Weights over the area of a column at the levels of a thread: those of a system's levels; and where there are
 * coefficients at faces, the diagonal but for its neighbours above and below, and the faces to these. */
template <bool VARIABLE, typename real> struct chunk_weights {
    template <int STRIDE> __device__ inline void take(const real *, const real *, real) {}

    __device__ inline level_of<real> level(level_of<real> t, int, real sides) const
    {
        t.a += t.d * sides;
        return t;
    }
};

template <typename real> struct chunk_weights<true, real> {
    real a[LEVELS], kz[LEVELS + 1];

    /* STRIDE: from level to level. */
    template <int STRIDE> __device__ inline void take(const real *diagonal, const real *above, real below)
    {
        kz[0] = below;
#pragma unroll
        for (int l = 0; l < LEVELS; l++) a[l] = diagonal[l * STRIDE], kz[l + 1] = above[l * STRIDE];
    }

    __device__ inline level_of<real> level(level_of<real> t, int l, real) const
    {
        t.a = a[l];
        t.b *= kz[l + 1];
        t.c *= kz[l];
        return t;
    }
};

/* A first-order recurrence over a chunk: what it ends with after 0, and what of the value before it comes through. */
template <typename word> struct alignas(2 * sizeof(word)) carry_of { word last, gain; };

/* EVEN: all threads have LEVELS levels of a column that there is, so that nothing is asked at any of them. */
template <typename real, int V, bool VARIABLE, bool EVEN, int MOST, typename M>
__global__ static void __launch_bounds__(MOST, MOST > MOST_THREADS ? 1 : VARIABLE ? 2 : 3)
    elliptic_reduce_k(struct reduce_arguments<M, real> g)
{
    typedef pack<real, V> word;
    typedef carry_of<word> carry;
    extern __shared__ __align__(16) unsigned char room[];
    __shared__ double of_warp[2][WARPS];
    const struct reduce_shape &s = g.shape;
    const int thread = threadIdx.x, threads = blockDim.x, lane = thread % s.width, chunk = thread / s.width;
    const int ny = (int)g.all.ny, nz = (int)g.all.nz, row = (int)g.all.nx / V;
    int nx = (int)g.all.nx;
    const int k0 = chunk * LEVELS, here = chunk < s.chunks ? (nz - k0 < LEVELS ? nz - k0 : LEVELS) : 0;
    word *const next_r = (word *)room + thread, *const next_q = next_r + LEVELS * MOST;
    word *const next_diagonal = next_q + LEVELS * MOST, *const next_kz = next_diagonal + LEVELS * MOST;
    carry *const up = (carry *)((word *)room + STREAMS(VARIABLE) * LEVELS * MOST), *const down = up + MOST;
    level_of<real> *const table = (level_of<real> *)(down + MOST), *const own_levels = table + k0;
    const bool starts = g.starts, keeps = g.keeps;
    int system = -1;
    unsigned count = 0;
    bool done = false;
    real alpha = 0;
    struct reduce_turn turn = {(int)blockIdx.x / s.tiles, s.tiles - 1 - (int)blockIdx.x % s.tiles, 0, 0};
    {
        const int64_t number = (int64_t)turn.tile * s.width + lane;
        turn.j = (int)(number / row);
        turn.i = (int)(number - (int64_t)turn.j * row);
    }

    wait_previous();
    allow_next();
    const auto is_there = [&](const struct reduce_turn &t) { return EVEN || (t.j < ny && here > 0); };
    const auto cell_of = [&](const struct reduce_turn &t) {
        return (((int64_t)t.system * ny + t.j) * nz + k0) * nx + t.i * V;
    };
    const auto kz_of = [&](const struct reduce_turn &t) {  /* the face below its lowest cell */
        return cell_of(t) + ((int64_t)t.system * ny + t.j) * nx;
    };
    const auto fetch = [&](const struct reduce_turn &t) {
        if (t.system < g.all.systems && !(t.system == system ? done : g.way[t.system].done != 0)) {
            const int64_t cell = cell_of(t);
            const real *r = g.from + cell, *q = g.q + cell;
            const bool is = is_there(t);
#pragma unroll
            for (int l = 0; l < LEVELS; l++, r += nx)
                if (EVEN || (is && l < here)) copy_once(next_r + l * MOST, r);
#pragma unroll
            for (int l = 0; l < LEVELS && !starts; l++, q += nx)
                if (EVEN || (is && l < here)) __pipeline_memcpy_async(next_q + l * MOST, q, sizeof(word));
            if (VARIABLE) {  /* of the face above each level */
                const real *diagonal = g.diagonals + cell, *kz = g.all.kz + kz_of(t) + nx;
#pragma unroll
                for (int l = 0; l < LEVELS; l++, diagonal += nx, kz += nx)
                    if (EVEN || (is && l < here)) {
                        __pipeline_memcpy_async(next_diagonal + l * MOST, diagonal, sizeof(word));
                        __pipeline_memcpy_async(next_kz + l * MOST, kz, sizeof(word));
                    }
            }
        }
        __pipeline_commit();
    };

    for (int l = 0; l < LEVELS && starts; l++)  /* there is no q; alpha is 0 */
#pragma unroll
        for (int v = 0; v < V; v++) next_q[l * MOST].v[v] = 0;
    fetch(turn);
#pragma unroll 1
    while (turn.system < g.all.systems) {
        asm volatile("" : "+r"(nx));  /* or its multiples stay in registers from tile to tile */
        if (turn.system != system) {
            if (count) end_system(g, system, count);
            system = turn.system;
            count = 0;
            done = g.way[system].done != 0;
            alpha = starts ? (real)0 : (real)g.way[system].alpha;
            __syncthreads();
            if (!done)
                for (int k = thread; k < nz; k += threads) {
                    const int64_t at = (int64_t)system * nz + k;
                    table[k] = level_of<real>{g.all.a[at], g.all.b[at], g.all.c[at], g.all.d[at]};
                }
            __syncthreads();
        }
        if (done) {  /* it was before this launch: its sums end with the last of its tiles */
            go_to_next(&turn, g.step, row);
            fetch(turn);
            continue;
        }
        const int64_t cell = cell_of(turn), column = (int64_t)turn.j * nx + turn.i * V;
        const int tile = turn.tile;
        const bool is = is_there(turn);
        const auto there = [&](int l) { return EVEN || (is && l < here); };
        word y[LEVELS], area, sides, start;
        real inverse_area[V], weight[LEVELS][V];
        chunk_weights<VARIABLE, real> own;
        double rr = 0, rz = 0;
#pragma unroll
        for (int v = 0; v < V; v++) {  /* on their way while r and q come */
            area.v[v] = 1, sides.v[v] = start.v[v] = 0;
            if (!is) continue;
            const real *of_x = g.all.east + column + turn.j + v, *of_y = g.all.north + column + v;
            area.v[v] = g.all.area[column + v];
            sides.v[v] = (of_x[0] + of_x[1]) + (of_y[0] + of_y[nx]);
            start.v[v] = g.rests[((int64_t)system * s.chunks + chunk) * nx * ny + column + v];
        }
#pragma unroll
        for (int v = 0; v < V; v++) {
            inverse_area[v] = inverse_of(area.v[v]);
            sides.v[v] *= inverse_area[v];
        }
        const real below = VARIABLE && is ? g.all.kz[kz_of(turn)] : (real)0;
        __pipeline_wait_prior(0);
        own.template take<MOST * V>(next_diagonal->v, next_kz->v, below);
        {
            real *r = g.r + cell, part = 0;
#pragma unroll
            for (int l = 0; l < LEVELS; l++, r += nx) {
#pragma unroll
                for (int v = 0; v < V; v++) y[l].v[v] = 0;
                if (!there(l)) continue;
                const word q = next_q[l * MOST];
                y[l] = next_r[l * MOST];
#pragma unroll
                for (int v = 0; v < V; v++) {
                    y[l].v[v] -= alpha * q.v[v];
                    part += y[l].v[v] * y[l].v[v];
                }
                if (keeps) store_once<V>(r, y[l]);
            }
            rr = (double)part;
        }
        go_to_next(&turn, g.step, row);
        fetch(turn);

        /* up: y of this chunk alone, and what of y below it comes to its last level */
        word rest = start;
        carry join;
#pragma unroll
        for (int v = 0; v < V; v++) join.last.v[v] = 0, join.gain.v[v] = 1;
#pragma unroll
        for (int l = 0; l < LEVELS; l++) {
#pragma unroll
            for (int v = 0; v < V; v++) weight[l][v] = 0;
            if (!there(l)) continue;
#pragma unroll
            for (int v = 0; v < V; v++) {
                const level_of<real> t = own.level(own_levels[l], l, sides.v[v]);
                const real all = t.a + t.c * rest.v[v], inverse = inverse_of(all + t.b);
                rest.v[v] = all * inverse;
                weight[l][v] = inverse;
                join.last.v[v] = (y[l].v[v] * inverse_area[v] + t.c * join.last.v[v]) * inverse;
                join.gain.v[v] *= t.c * inverse;
                y[l].v[v] = join.last.v[v];
            }
        }
        up[thread] = join;
        __syncthreads();
        word before;
#pragma unroll
        for (int v = 0; v < V; v++) before.v[v] = 0;
#pragma unroll 4
        for (int c = 0; c < chunk; c++) {
            const carry of = up[c * s.width + lane];
#pragma unroll
            for (int v = 0; v < V; v++) before.v[v] = of.last.v[v] + of.gain.v[v] * before.v[v];
        }

        /* y with that, and <r, z> */
        word energy;
        rest = start;
#pragma unroll
        for (int v = 0; v < V; v++) energy.v[v] = 0;
#pragma unroll
        for (int l = 0; l < LEVELS; l++) {
            if (!there(l)) continue;
#pragma unroll
            for (int v = 0; v < V; v++) {
                const level_of<real> t = own.level(own_levels[l], l, sides.v[v]);
                const real all = t.a + t.c * rest.v[v], inverse = weight[l][v];
                rest.v[v] = all * inverse;
                before.v[v] *= t.c * inverse;
                y[l].v[v] += before.v[v];
                energy.v[v] += y[l].v[v] * y[l].v[v] * (all + t.b);
                weight[l][v] = t.b * inverse;
            }
        }
#pragma unroll
        for (int v = 0; v < V; v++) rz += is ? (double)(energy.v[v] * area.v[v]) : 0;

        /* down */
#pragma unroll
        for (int v = 0; v < V; v++) join.last.v[v] = 0, join.gain.v[v] = 1;
#pragma unroll
        for (int l = LEVELS - 1; l >= 0; l--) {
            if (!there(l)) continue;
#pragma unroll
            for (int v = 0; v < V; v++) {
                join.last.v[v] = y[l].v[v] + weight[l][v] * join.last.v[v];
                join.gain.v[v] *= weight[l][v];
                y[l].v[v] = join.last.v[v];
            }
        }
        down[thread] = join;
        for (int w = 16; w > 0; w /= 2) {
            rr += __shfl_xor_sync(~0u, rr, w);
            rz += __shfl_xor_sync(~0u, rz, w);
        }
        if (thread % 32 == 0) of_warp[0][thread / 32] = rr, of_warp[1][thread / 32] = rz;
        __syncthreads();
        if (thread >= threads - 32) {  /* the last warp, which waits for no chunk above */
            const int warp = thread % 32;
            double sum[2] = {0, 0};
            if (warp < threads / 32) sum[0] = of_warp[0][warp], sum[1] = of_warp[1][warp];
            for (int w = MOST / 64; w > 0; w /= 2) {
                sum[0] += __shfl_xor_sync(~0u, sum[0], w);
                sum[1] += __shfl_xor_sync(~0u, sum[1], w);
            }
            double *const to = g.partial + ((int64_t)system * s.tiles + tile);
            if (warp == 0) to[0] = sum[0], to[(int64_t)g.all.systems * s.tiles] = sum[1];
        }
        count++;
#pragma unroll
        for (int v = 0; v < V; v++) before.v[v] = 0;
#pragma unroll 4
        for (int c = s.chunks - 1; c > chunk; c--) {
            const carry of = down[c * s.width + lane];
#pragma unroll
            for (int v = 0; v < V; v++) before.v[v] = of.last.v[v] + of.gain.v[v] * before.v[v];
        }
        real *z = g.z + cell + (LEVELS - 1) * nx;
#pragma unroll
        for (int l = LEVELS - 1; l >= 0; l--, z -= nx) {
            if (!there(l)) continue;
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
        most_threads(shape.chunks) > MOST_THREADS ? even ? elliptic_reduce_k<real, V, VARIABLE, true, LONG_THREADS, M>
                                            : elliptic_reduce_k<real, V, VARIABLE, false, LONG_THREADS, M>
                                     : even ? elliptic_reduce_k<real, V, VARIABLE, true, MOST_THREADS, M>
                                            : elliptic_reduce_k<real, V, VARIABLE, false, MOST_THREADS, M>;
    const size_t shared = shared_bytes<real>(&shape, m->nz, V, STREAMS(VARIABLE));
    int each = 0;
    CU_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, shape.threads, shared));
    if (each < 1) return SW_FAIL(SW_E_CUDA, "no multiprocessor has room for %zu bytes of shared memory", shared);
    const int64_t tiles = (int64_t)shape.tiles * m->systems, most = (int64_t)each * x->processors,
                  blocks = tiles < most ? tiles : most;
    const struct reduce_arguments<M, real> g = {
        *m, shape, step_of(&shape, m->nx / V, blocks), (const real *)x->rests,
        (const real *)x->diagonals, (const real *)x->from, (const real *)x->q, (real *)x->r, (real *)x->z, x->partial,
        x->way, out, x->sums, starts, !starts, x->single != NULL};
    return launch(kernel, blocks, shape.threads, shared, stream, OVERLAP, g);
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
    const int64_t blocks = elliptic_advance_blocks(nx, ny, nz), sums = 2 * (int64_t)shape_of(nx, ny, nz, 1).tiles;
    return (size_t)(blocks > sums ? blocks : sums);
}

template <typename real, int V, bool VARIABLE, typename M> static enum sw_status allow_shared_of()
{
    SW_TRY(allow_shared(elliptic_reduce_k<real, V, VARIABLE, false, MOST_THREADS, M>));
    SW_TRY(allow_shared(elliptic_reduce_k<real, V, VARIABLE, true, MOST_THREADS, M>));
    SW_TRY(allow_shared(elliptic_reduce_k<real, V, VARIABLE, false, LONG_THREADS, M>));
    return allow_shared(elliptic_reduce_k<real, V, VARIABLE, true, LONG_THREADS, M>);
}

extern "C" enum sw_status sw_cuda_interleaved_prepare(void)
{
    typedef struct sw_cuda_elliptic M;
    typedef struct sw_cuda_elliptic_single S;
    SW_TRY((allow_shared_of<double, 1, false, M>()));
    SW_TRY((allow_shared_of<double, 1, true, M>()));
    SW_TRY((allow_shared_of<float, 1, false, S>()));
    SW_TRY((allow_shared_of<float, 1, true, S>()));
    return allow_shared_of<float, 2, false, S>();
}

/* ------------------------------------------------------------------ before and behind a pass */

enum { THREADS = 256, EACH = 8 };

static int64_t blocks_of(int64_t count) { return (count + THREADS * EACH - 1) / (THREADS * EACH); }

/* Where there are coefficients at faces: of each cell its diagonal over the area of its column, but for its neighbours
 * above and below. */
__global__ static void __launch_bounds__(THREADS)
    elliptic_diagonals_k(int64_t blocks, int64_t cells, struct sw_cuda_elliptic all, double *diagonals)
{
    const int64_t system = blockIdx.x / blocks, block = blockIdx.x % blocks;
    const struct sw_cuda_elliptic m = of_system(all, system);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t here = (block * EACH + e) * THREADS + threadIdx.x;
        if (here >= cells) continue;
        const int64_t row = here / m.nx, i = here - row * m.nx, j = row / m.nz, k = row - j * m.nz;
        const double *const of_x = m.east + j * (m.nx + 1) + i, *const of_y = m.north + j * m.nx + i,
                     *const kx = m.kx + row * (m.nx + 1) + i, *const ky = m.ky + here,
                     sides = (of_x[0] * kx[0] + of_x[1] * kx[1]) + (of_y[0] * ky[0] + of_y[m.nx] * ky[m.nx * m.nz]);
        diagonals[system * cells + here] = m.a[k] + m.d[k] * (sides / m.area[j * m.nx + i]);
    }
}

extern "C" enum sw_status sw_cuda_interleaved_diagonals(sw_cuda_stream stream, const struct sw_cuda_elliptic *m,
                                                        double *diagonals)
{
    const int64_t cells = m->nx * m->ny * m->nz, blocks = blocks_of(cells);
    if (m->systems == 0) return SW_OK;
    return launch(elliptic_diagonals_k, blocks * m->systems, THREADS, 0, (cudaStream_t)stream, ALONE, blocks, cells, *m,
                  diagonals);
}

/* A thread a system. */
__global__ static void __launch_bounds__(THREADS)
    elliptic_meet_k(int systems, bool advance, bool starts, int ranks, const double *all,
                    struct sw_cuda_elliptic_way *ways, struct sw_cuda_elliptic_turn *out)
{
    const int system = (int)(blockIdx.x * THREADS + threadIdx.x);
    double sum[2] = {0, 0};
    if (system >= systems || ways[system].done) return;
    for (int r = 0; r < ranks; r++)
        for (int k = 0; k < 2; k++) sum[k] += all[((int64_t)r * systems + system) * 2 + k];
    const struct sw_cuda_elliptic_way now = ways[system];
    if (advance) elliptic_end_k1(&ways[system], now, sum[0], &out[system]);
    else elliptic_end_k2(&ways[system], now, starts, false, sum[0], sum[1], &out[system]);
}

extern "C" enum sw_status sw_cuda_interleaved_meet(sw_cuda_stream stream, const struct sw_cuda_interleaved *x,
                                                   bool advance, int turn, int ranks, const double *all,
                                                   struct sw_cuda_elliptic_turn *out)
{
    const int systems = x->matrix->systems;
    if (systems == 0) return SW_OK;
    return launch(elliptic_meet_k, (systems + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream, ALONE, systems,
                  advance, turn < 0, ranks, all, x->way, out);
}

/* u += alpha p; of a pass in single to += (u + alpha p)/up. With p_odd, of an even number of directions the last two,
 * else the last one, which is p's. */
template <typename real>
__global__ static void __launch_bounds__(THREADS)
    elliptic_finish_k(int64_t blocks, int64_t cells, bool fresh, const struct sw_cuda_elliptic_way *ways, const real *p,
                      const real *p_odd, real *u, double *to, bool to_fresh)
{
    const int64_t system = blockIdx.x / blocks, block = blockIdx.x % blocks;
    const struct sw_cuda_elliptic_way *const way = &ways[system];
    const bool reads = way->begun || !fresh;
    const bool two = p_odd && way->turns > 0 && way->turns % 2 == 0;
    const real alpha = (real)way->alpha, before = two ? (real)way->alpha_before : (real)0;
    const real *const last = two ? p_odd : p;
    const double scale = 1 / way->up;
    if (way->idle) return;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t here = (block * EACH + e) * THREADS + threadIdx.x, at = system * cells + here;
        if (here >= cells) continue;
        real now = reads ? u[at] : 0;
        if (two) now = fma(before, p[at], now);
        now += alpha != 0 ? alpha * last[at] : 0;
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
                  x->way, (const real *)x->p, (const real *)x->p_odd, (real *)x->u, to, to_fresh);
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
