#ifndef RELATIONS_TILE_CUH
#define RELATIONS_TILE_CUH
/* Tridiagonal systems by relations (linalg/relation_point.h; docs/explanation/tridiagonal.md): a tile of rows goes to
 * shared memory by bulk copies, a thread sweeps M rows to a relation, a tree in the block merges them to that of the
 * tile. The relations of the tiles are merged by coarse kernels up to the whole system, and the ends come back down to
 * the tiles, each of which sweeps again, keeps its pivot rows on the chip, and substitutes. Two passes over memory: 4
 * words read, then 4 read and 1 written, 72 bytes a row. Selection is by selects: no thread of a warp waits for
 * another.
 *
 * Systems that fit a block are solved in one pass (40 bytes a row), and so is a large system whose tiles decouple:
 * where each relation has one row that binds only its left end and one that binds only its right end, the neighbours'
 * rows are all that a tile needs (tridiagonal_relations_adaptive.cu).
 *
 * Shared memory of a block: lower, main, upper, rhs, T*M words each. A thread's rows lie together, M words from the
 * next thread's; M is odd, so that threads of a warp use different banks. After the sweep q, r, d of the pivot rows
 * are where lower, main, rhs were, s and t in registers, and the tree is where upper was, a slot of M >= 11 words a
 * thread. Thread t's relation is in slot reverse(t), bits reversed: at each level of the tree the slots in use are
 * the first ones. */
#include "cuda/bulk_copy.cuh"
#include "cuda/cu_check.cuh"
#include "cuda/launch.cuh"
#include "linalg/relation_point.h"
#include "cuda/tridiagonal/tridiagonal_kernels.h"

enum { M = SW_CUDA_RELATIONS_ROWS, WARP = 32, TILE = SW_CUDA_RELATIONS_TILE, SLOT = 11 };
static_assert(M % 2 == 1 && M >= SLOT, "M is odd, and a slot of the tree has room for a merge");
static_assert(TILE == WARP * M, "a tile is a warp's");

/* ------------------------------------------------------------------ a tile in shared memory */

struct tile {
    double   *lower, *main, *upper, *rhs;
    uint64_t *barrier;
};

__device__ static inline int lane(void) { return (int)threadIdx.x % WARP; }

/* The tile of this warp, in a block of so many. */
template <int WARPS> __device__ static inline tile tile_in(double *shared)
{
    const int warp = (int)threadIdx.x / WARP;
    double *const own = shared + warp * 4 * TILE;
    tile s = {own, own + TILE, own + 2 * TILE, own + 3 * TILE, (uint64_t *)(shared + WARPS * 4 * TILE) + warp};
    return s;
}

static inline size_t tile_bytes(int warps) { return (size_t)warps * (4 * TILE * sizeof(double) + sizeof(uint64_t)); }

template <int T> __device__ static inline void sync()
{
    if (T > WARP) __syncthreads();
    else __syncwarp();
}

/* Whether `count` rows from `first` on may go by bulk copies. */
__device__ static inline bool is_aligned(const struct sw_cuda_relations &s, long long first, long long count)
{
    const size_t address = (size_t)s.lower | (size_t)s.main | (size_t)s.upper | (size_t)s.rhs | (size_t)s.x |
                           (size_t)(first * (long long)sizeof(double));
    return BULK && ((address | (size_t)count * sizeof(double)) & 15) == 0;
}

/* Begin to load rows; by one thread. */
__device__ static inline void begin_load(const tile &m, const struct sw_cuda_relations &s, long long first, int count)
{
    const uint32_t bytes = (uint32_t)count * sizeof(double);
    barrier_expect(m.barrier, 4 * bytes);
    bulk_load(m.lower, s.lower + first, bytes, m.barrier);
    bulk_load(m.main, s.main + first, bytes, m.barrier);
    bulk_load(m.upper, s.upper + first, bytes, m.barrier);
    bulk_load(m.rhs, s.rhs + first, bytes, m.barrier);
}

__device__ static inline void load_plainly(const tile &m, const struct sw_cuda_relations &s, long long first, int count)
{
    for (int i = lane(); i < count; i += WARP) {
        m.lower[i] = s.lower[first + i];
        m.main[i] = s.main[first + i];
        m.upper[i] = s.upper[first + i];
        m.rhs[i] = s.rhs[first + i];
    }
}

/* Store what is in `rhs` as x. */
__device__ static inline void store(const tile &m, const struct sw_cuda_relations &s, long long first, int count,
                                    bool aligned)
{
    if (aligned) bulk_fence();
    __syncwarp();
    if (!aligned) {
        for (int i = lane(); i < count; i += WARP) s.x[first + i] = m.rhs[i];
    } else if (lane() == 0) {
        bulk_store(s.x + first, m.rhs, (uint32_t)count * sizeof(double));
    }
}

/* ------------------------------------------------------------------ a thread's rows */

/* M rows -> relation. KEEP: pivot rows stay, q, r, d where lower, main, rhs were. SHORT: `count` rows, 0 .. M, for the
 * last rows of a cyclic system, which bind the unknown behind them, so that no row can be added to fill up a thread's
 * M. */
template <bool KEEP, bool SHORT>
__device__ static inline void sweep(int count, double *lower, double *main, const double *upper, double *rhs, double *s,
                                    double *t, double *relation)
{
    if (SHORT && count == 0) relation_of_none(relation);
    if (SHORT && count == 1) relation_of_row(lower[0], main[0], upper[0], rhs[0], relation);
    if (SHORT && count < 2) return;
    relation_rows w = relation_begin(lower[0], main[0], upper[0], rhs[0], lower[1], main[1], upper[1], rhs[1]);
#pragma unroll
    for (int i = 1; i < M - 1; i++) {
        relation_pivot p;
        if (SHORT && i >= count - 1) break;
        relation_eliminate(&w, lower[i + 1], main[i + 1], upper[i + 1], rhs[i + 1], KEEP ? &p : nullptr);
        if (KEEP) lower[i] = p.q, main[i] = p.r, rhs[i] = p.d, s[i] = p.s, t[i] = p.t;
    }
    relation_of_rows(&w, relation);
}

/* 0, or NaN where v is not finite; `sum` likewise. A multiply-add is cheaper here than looking at the exponent. */
__device__ static inline double not_finite(double v, double sum) { return fma(v, 0.0, sum); }

/* The unknowns of M rows, or of `count`, over rhs, from their ends. @return NaN if one is not finite, else 0 */
template <bool SHORT>
__device__ static inline double substitute(int count, const double *q, const double *r, double *rhs, const double *s,
                                           const double *t, const double *ends)
{
    const double l0 = ends[0], l1 = ends[1];
    double x1 = ends[2], x2 = ends[3], sum = not_finite(x1, not_finite(l1, 0));
    if (SHORT && count == 0) return 0;
    rhs[(SHORT ? count : M) - 1] = x1;
#pragma unroll
    for (int i = M - 2; i >= 1; i--) {
        const relation_pivot p = {q[i], r[i], rhs[i], s[i], t[i]};
        if (SHORT && i > count - 2) continue;
        const double v = relation_unknown(&p, l0, l1, x1, x2);
        x2 = x1;
        x1 = v;
        rhs[i] = v;
        sum = not_finite(v, sum);
    }
    rhs[0] = l1;
    return sum;
}

/* ------------------------------------------------------------------ a tree in a block; slot j is at j*STRIDE */

__device__ static inline int reverse(int t, int bits) { return bits ? (int)(__brev((unsigned)t) >> (32 - bits)) : 0; }

/* Slots j and j + half become slot j; with KEEP, slot j + half holds the pivot rows. SHORT: of one row, or of none, may
 * be there. */
template <int STRIDE, bool KEEP, int EXACT, bool SHORT>
__device__ static inline void merge(double *slots, int j, int half)
{
    double left[10], right[10], out[10], kept[11];
#pragma unroll
    for (int k = 0; k < 10; k++) left[k] = slots[j * STRIDE + k], right[k] = slots[(j + half) * STRIDE + k];
    if (SHORT) relation_join(EXACT, left, right, out, KEEP ? kept : nullptr);
    else relation_merge(EXACT, left, right, out, KEEP ? kept : nullptr);
#pragma unroll
    for (int k = 0; k < 10; k++) slots[j * STRIDE + k] = out[k];
    if (KEEP)
#pragma unroll
        for (int k = 0; k < 11; k++) slots[(j + half) * STRIDE + k] = kept[k];
}

/* The ends in slot j become those of slots j and j + half. */
template <int STRIDE> __device__ static inline void expand(double *slots, int j, int half)
{
    double *left = slots + j * STRIDE, *right = left + half * STRIDE, m0, m1;
    relation_expand(right, left, &m0, &m1);
    right[2] = left[2], right[3] = left[3];
    left[2] = right[0] = m0, left[3] = right[1] = m1;
}

/* leaves -> least slots, both powers of two. `threads` threads take part, whole warps; this one is number t. */
template <int STRIDE, bool KEEP, int EXACT, bool SHORT>
__device__ static inline void tree_up(double *slots, int leaves, int least, int t, int threads)
{
    for (int half = leaves >> 1; half >= least; half >>= 1) {
        for (int j = t; j < half; j += threads) merge<STRIDE, KEEP, EXACT, SHORT>(slots, j, half);
        if (half > WARP) __syncthreads();
        else if (t < WARP) __syncwarp();
    }
}

template <int STRIDE> __device__ static inline void tree_down(double *slots, int leaves, int least, int t, int threads)
{
    if (t < WARP) __syncwarp();
    for (int half = least; half < leaves; half <<= 1) {
        if (half > WARP) __syncthreads();
        for (int j = t; j < half; j += threads) expand<STRIDE>(slots, j, half);
        if (half <= WARP && t < WARP) __syncwarp();
    }
}

/* ------------------------------------------------------------------ systems of tiles, in two passes */

/* Which rows a warp has. */
struct place {
    long long tile, first;   /* of its system; its first row, of all rows            */
    int  system, rows;
    bool aligned;
};

__device__ static inline place place_of(const struct sw_cuda_relations &s, long long number)
{
    place p;
    p.system = s.systems == 1 ? 0 : (int)(number / s.tiles);
    p.tile = number - p.system * s.tiles;
    p.first = p.system * s.n + p.tile * TILE;
    p.rows = (int)min((long long)TILE, s.n - p.tile * TILE);
    p.aligned = is_aligned(s, p.first, p.rows);
    return p;
}

/* Rows of a thread. */
__device__ static inline int rows_of(const place &p, int t) { return max(0, min((int)M, p.rows - t * M)); }

__device__ static inline void fill_slot(double *slot, const double *relation)
{
#pragma unroll
    for (int k = 0; k < 10; k++) slot[k] = relation[k];
}

/* Begin to load a warp's tile; by all of it. */
__device__ static inline void begin_tile(const tile &m, const struct sw_cuda_relations &s, const place &p)
{
    if (lane() == 0) {
        barrier_init(m.barrier);
        bulk_fence();
        if (p.aligned) begin_load(m, s, p.first, p.rows);
    }
}

/* Wait for the rows of a tile. A last tile that is RAGGED stays as it is; else rows x = 0 fill it up. */
template <bool RAGGED>
__device__ static inline void end_load(const tile &m, const struct sw_cuda_relations &s, const place &p, unsigned phase)
{
    const int t = lane();
    if (!p.aligned) load_plainly(m, s, p.first, p.rows);
    __syncwarp();
    if (p.aligned) barrier_wait(m.barrier, phase);
    if (p.tile == 0 && !s.open_left && t == 0) m.lower[0] = 0;
    if (p.tile == s.tiles - 1 && !s.open_right && t == (p.rows - 1) / M) m.upper[p.rows - 1] = 0;
    if (!RAGGED && p.rows < TILE)
        for (int i = max(p.rows, t * M); i < (t + 1) * M; i++) m.lower[i] = m.upper[i] = m.rhs[i] = 0, m.main[i] = 1;
}

/* The trees of all warps of a block, down to `least` slots, by as few warps as have a lane for each merge: a tree by a
 * warp of its own leaves most lanes idle, and takes a third of the instructions of a tile. The same merges, the same
 * bits. */
template <int WARPS, bool KEEP, bool SHORT> __device__ static inline void trees_up(double *slots, int least)
{
    const int u = threadIdx.x;
    double *const first = slots - u / WARP * 4 * TILE;
    __syncthreads();
    for (int bits = 4; 1 << bits >= least; bits--) {
        const int half = 1 << bits, merges = WARPS * half;
        if (u < merges) merge<M, KEEP, 0, SHORT>(first + (u >> bits) * 4 * TILE, u & (half - 1), half);
        if (merges > WARP) __syncthreads();
        else if (u < WARP) __syncwarp();
    }
    __syncthreads();
}

/* The rows of a tile, loaded, to its pivots and the tree over its threads, down to `least` slots. */
template <int WARPS, bool KEEP, bool RAGGED>
__device__ static inline void reduce_tile(const tile &m, const place &p, int least, double *weight_s, double *weight_t)
{
    const int t = lane(), at = t * M;
    double relation[10];
    sweep<KEEP, RAGGED>(rows_of(p, t), m.lower + at, m.main + at, m.upper + at, m.rhs + at, weight_s, weight_t,
                        relation);
    __syncwarp();
    fill_slot(m.upper + reverse(t, 5) * M, relation);
    __syncwarp();
    if (WARPS == 1) tree_up<M, KEEP, 0, RAGGED>(m.upper, WARP, least, t, WARP);
    else trees_up<WARPS, KEEP, RAGGED>(m.upper, least);
}

/* From the ends in slot 0 to x in memory; sets *finite to 0 where x is not. */
template <bool RAGGED>
__device__ static inline void finish_tile(const tile &m, const struct sw_cuda_relations &s, const place &p,
                                   const double *weight_s, const double *weight_t)
{
    const int t = lane(), at = t * M;
    tree_down<M>(m.upper, WARP, 1, t, WARP);
    __syncwarp();
    const double *ends = m.upper + reverse(t, 5) * M;
    const double fault = substitute<RAGGED>(rows_of(p, t), m.lower + at, m.main + at, m.rhs + at, weight_s, weight_t,
                                            ends);
    if (fault != 0) s.finite[p.system] = 0;
    store(m, s, p.first, p.rows, p.aligned);
    if (t == 0) bulk_stored();
}

/* ------------------------------------------------------------------ the tree above the tiles
 * (tridiagonal_coarse.cu) */

/* From the relations of the tiles to their ends. @param fails  NULL, or do nothing where it is 0 */
enum sw_status relations_close_tree(cudaStream_t stream, const struct sw_cuda_relations *s, const int *fails);
/* To the root, and from the ends in root[10 .. 13] back. */
enum sw_status relations_go_up(cudaStream_t stream, const struct sw_cuda_relations *s);
enum sw_status relations_go_down(cudaStream_t stream, const struct sw_cuda_relations *s);

/* What sw_cuda_relations_prepare() does for the kernels of the other files. */
enum sw_status relations_prepare_coarse(void);
enum sw_status relations_prepare_adaptive(void);
#endif
