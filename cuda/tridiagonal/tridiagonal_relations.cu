/* Tridiagonal systems by relations, in two passes, or, small ones, in one (relations_tile.cuh). */
#include "cuda/tridiagonal/relations_tile.cuh"

/* ------------------------------------------------------------------ systems of tiles, in two passes */

/* Pass 1: the relation of each tile. */
template <bool RAGGED> __global__ static void __launch_bounds__(WARP, 12) relations_reduce_k(struct sw_cuda_relations s)
{
    extern __shared__ __align__(128) double shared[];
    const tile m = tile_in<1>(shared);
    const place p = place_of(s, blockIdx.x);
    double weight_s[M], weight_t[M];
    begin_tile(m, s, p);
    allow_next();
    end_load<RAGGED>(m, s, p, 0);
    reduce_tile<1, false, RAGGED>(m, p, 1, weight_s, weight_t);
    if (threadIdx.x < 10) s.relation[blockIdx.x * 10ll + threadIdx.x] = m.upper[threadIdx.x];
}

/* Pass 2: from the ends of each tile to its unknowns. It begins with the last tiles: pass 1 left their rows in the
 * second-level cache. */
template <bool RAGGED> __global__ static void __launch_bounds__(WARP, 12) relations_expand_k(struct sw_cuda_relations s)
{
    extern __shared__ __align__(128) double shared[];
    const tile m = tile_in<1>(shared);
    const long long number = gridDim.x - 1ll - blockIdx.x;
    const place p = place_of(s, number);
    double weight_s[M], weight_t[M];
    begin_tile(m, s, p);
    end_load<RAGGED>(m, s, p, 0);
    reduce_tile<1, true, RAGGED>(m, p, 1, weight_s, weight_t);
    wait_previous();
    if (threadIdx.x < 4) m.upper[threadIdx.x] = s.ends[number * 4 + threadIdx.x];
    finish_tile<RAGGED>(m, s, p, weight_s, weight_t);
}

/* ------------------------------------------------------------------ small systems, in one pass
 *
 * A block has T/lanes systems, `lanes` threads each, M rows a thread. A system begins every `stride` words of shared
 * memory, one word later where it begins at an odd word of device memory: bulk copies take whole pairs of words, so one
 * word of the neighbour may come along at either end. */

__host__ __device__ static int stride_of(int lanes) { return (lanes * M + 2) & ~1; }

__device__ static tile small_in(double *shared, int each, int stride)
{
    const int words = each * stride;
    tile s = {shared, shared + words, shared + 2 * words, shared + 3 * words, (uint64_t *)(shared + 4 * words)};
    return s;
}

/* Load a system by one thread. The barrier expects the bytes already. */
__device__ static void load_system(const tile &m, const struct sw_cuda_relations &s, int at, long long first)
{
    const long long from = first & ~1ll;
    const uint32_t bytes = (uint32_t)(((first + s.n + 1) & ~1ll) - from) * sizeof(double);
    bulk_load(m.lower + at, s.lower + from, bytes, m.barrier);
    bulk_load(m.main + at, s.main + from, bytes, m.barrier);
    bulk_load(m.upper + at, s.upper + from, bytes, m.barrier);
    bulk_load(m.rhs + at, s.rhs + from, bytes, m.barrier);
}

/* Store x of a system by one thread: pairs of words, and what is left at the ends. */
__device__ static void store_system(const tile &m, const struct sw_cuda_relations &s, int at, long long first)
{
    const long long from = (first + 1) & ~1ll, behind = (first + s.n) & ~1ll;
    const double *x = m.rhs + at - (first & ~1ll);
    if (first & 1) s.x[first] = x[first];
    if ((first + s.n) & 1) s.x[first + s.n - 1] = x[first + s.n - 1];
    if (behind > from) bulk_store(s.x + from, x + from, (uint32_t)(behind - from) * sizeof(double));
}

__device__ static void expect_systems(const tile &m, long long block_first, int n, int here)
{
    uint32_t bytes = 0;
    for (int k = 0; k < here; k++) {
        const long long first = block_first + (long long)k * n;
        bytes += (uint32_t)(((first + n + 1) & ~1ll) - (first & ~1ll)) * sizeof(double);
    }
    barrier_expect(m.barrier, 4 * bytes);
}

template <int T>
__device__ static void load_systems_plainly(const tile &m, const struct sw_cuda_relations &s, long long block_first,
                                            int here, int stride)
{
    const int n = (int)s.n;
    for (int k = threadIdx.x; k < here * n; k += T) {
        const int of = k / n, at = of * stride + (int)((block_first + (long long)of * n) & 1) + k - of * n;
        m.lower[at] = s.lower[block_first + k];
        m.main[at] = s.main[block_first + k];
        m.upper[at] = s.upper[block_first + k];
        m.rhs[at] = s.rhs[block_first + k];
    }
}

template <int T, bool CYCLIC>
__global__ static void __launch_bounds__(T, T == 32 ? 12 : T == 64 ? 6 : 3)
    relations_whole_k(struct sw_cuda_relations s, int lanes_bits)
{
    extern __shared__ __align__(128) double shared[];
    constexpr int BITS = T == 32 ? 5 : T == 64 ? 6 : 7;
    const int t = threadIdx.x, n = (int)s.n, lanes = 1 << lanes_bits, each = T >> lanes_bits,
              stride = stride_of(lanes), system = t >> lanes_bits, leaf = t & (lanes - 1),
              here = min(each, s.systems - (int)blockIdx.x * each);
    const tile m = small_in(shared, each, stride);
    const long long block_first = (long long)blockIdx.x * each * n, words = (long long)s.systems * n;
    /* pairs of words beyond the arrays, and addresses that are no pairs, are left alone */
    const bool bulk = is_aligned(s, 0, 0) && ((block_first + (long long)here * n + 1) & ~1ll) <= words;
    double weight_s[M], weight_t[M], relation[10], *const slot = m.upper + reverse(t, BITS) * M;
    if (t == 0) {
        barrier_init(m.barrier);
        bulk_fence();
        if (bulk) expect_systems(m, block_first, n, here);
        if (bulk && each == 1) load_system(m, s, 0, block_first);
    }
    if (bulk && each > 1) {
        sync<T>();
        if (t < here) load_system(m, s, t * stride, block_first + (long long)t * n);
    }
    if (!bulk) load_systems_plainly<T>(m, s, block_first, here, stride);
    if (t < here) s.finite[blockIdx.x * each + t] = 1;
    /* rows x = 0 fill up the threads' rows, while the others are on their way; the first of them after these, since a
     * word of the neighbour may come along there */
    const int system_at = system * stride + (int)((block_first + (long long)system * n) & 1);
    if (!CYCLIC)
        for (int i = n + 1 + leaf; i < lanes * M; i += lanes) {
            const int at = system_at + i;
            m.lower[at] = m.upper[at] = m.rhs[at] = 0, m.main[at] = 1;
        }
    sync<T>();
    if (bulk) barrier_wait(m.barrier, 0);
    const int at = system_at + leaf * M, mine = system < here ? max(0, min((int)M, n - leaf * M)) : 0;
    if (!CYCLIC) {
        if (leaf == 0) m.lower[at] = 0;
        if (mine && leaf * M + mine == n) {
            m.upper[at + mine - 1] = 0;
            if (mine < M) m.lower[at + mine] = m.upper[at + mine] = m.rhs[at + mine] = 0, m.main[at + mine] = 1;
        }
        if (leaf * M == n) m.lower[at] = m.upper[at] = m.rhs[at] = 0, m.main[at] = 1;
    }
    sweep<true, CYCLIC>(mine, m.lower + at, m.main + at, m.upper + at, m.rhs + at, weight_s, weight_t, relation);
    sync<T>();
    fill_slot(slot, relation);
    sync<T>();
    tree_up<M, true, 0, CYCLIC>(m.upper, T, each, t, T);
    if (t < each) {
        double ends[4];
        if (t < here && !relation_closes(m.upper + t * M, CYCLIC)) s.finite[blockIdx.x * each + t] = 0;
        relation_close(0, m.upper + t * M, CYCLIC, ends);
        for (int k = 0; k < 4; k++) m.upper[t * M + k] = ends[k];
    }
    tree_down<M>(m.upper, T, each, t, T);
    sync<T>();
    const double fault = substitute<CYCLIC>(mine, m.lower + at, m.main + at, m.rhs + at, weight_s, weight_t, slot);
    if (fault != 0 && mine) s.finite[blockIdx.x * each + system] = 0;
    if (bulk) bulk_fence();
    sync<T>();
    if (bulk) {
        if (t < here) store_system(m, s, t * stride, block_first + (long long)t * n);
        bulk_stored();
    } else {
        for (int k = t; k < here * n; k += T) {
            const int of = k / n;
            s.x[block_first + k] = m.rhs[of * stride + (int)((block_first + (long long)of * n) & 1) + k - of * n];
        }
    }
}

/* ------------------------------------------------------------------ launches */

template <int T> static enum sw_status allow_whole(void)
{
    SW_TRY(allow_shared(relations_whole_k<T, true>));
    return allow_shared(relations_whole_k<T, false>);
}

extern "C" enum sw_status sw_cuda_relations_prepare(void)
{
    SW_TRY(allow_shared(relations_reduce_k<false>));
    SW_TRY(allow_shared(relations_reduce_k<true>));
    SW_TRY(allow_shared(relations_expand_k<false>));
    SW_TRY(allow_shared(relations_expand_k<true>));
    SW_TRY(allow_whole<32>());
    SW_TRY(allow_whole<64>());
    SW_TRY(allow_whole<128>());
    SW_TRY(relations_prepare_coarse());
    return relations_prepare_adaptive();
}

/* The exponent of the smallest power of two that is not less. */
static int log2_up(long long count)
{
    int k = 0;
    while (1ll << k < count) k++;
    return k;
}

template <int T>
static enum sw_status launch_whole(int blocks, size_t shared, cudaStream_t stream, const struct sw_cuda_relations *s,
                                   int lanes_bits)
{
    if (s->cyclic) return launch(relations_whole_k<T, true>, blocks, T, shared, stream, ALONE, *s, lanes_bits);
    return launch(relations_whole_k<T, false>, blocks, T, shared, stream, ALONE, *s, lanes_bits);
}

extern "C" enum sw_status sw_cuda_relations_whole(sw_cuda_stream stream, const struct sw_cuda_relations *s)
{
    const int bits = log2_up((s->n + M - 1) / M), lanes = 1 << bits, threads = lanes < 32 ? 32 : lanes,
              each = threads / lanes, blocks = (s->systems + each - 1) / each;
    const cudaStream_t on = (cudaStream_t)stream;
    const size_t bytes = (size_t)each * stride_of(lanes) * 4 * sizeof(double) + sizeof(uint64_t);
    if (threads == 32) return launch_whole<32>(blocks, bytes, on, s, bits);
    if (threads == 64) return launch_whole<64>(blocks, bytes, on, s, bits);
    return launch_whole<128>(blocks, bytes, on, s, bits);
}

/* Whether the last tile has fewer rows and binds the unknown behind it. */
static bool is_ragged(const struct sw_cuda_relations *s) { return s->open_right && s->n % TILE; }

static enum sw_status reduce_tiles(cudaStream_t stream, const struct sw_cuda_relations *s)
{
    const long long blocks = s->tiles * s->systems;
    const size_t shared = tile_bytes(1);
    if (is_ragged(s)) return launch(relations_reduce_k<true>, blocks, WARP, shared, stream, ALONE, *s);
    return launch(relations_reduce_k<false>, blocks, WARP, shared, stream, ALONE, *s);
}

static enum sw_status expand_tiles(cudaStream_t stream, const struct sw_cuda_relations *s)
{
    const long long blocks = s->tiles * s->systems;
    const size_t shared = tile_bytes(1);
    if (is_ragged(s)) return launch(relations_expand_k<true>, blocks, WARP, shared, stream, OVERLAP, *s);
    return launch(relations_expand_k<false>, blocks, WARP, shared, stream, OVERLAP, *s);
}

extern "C" enum sw_status sw_cuda_relations_solve(sw_cuda_stream stream, const struct sw_cuda_relations *s)
{
    const cudaStream_t on = (cudaStream_t)stream;
    SW_TRY(reduce_tiles(on, s));
    SW_TRY(relations_close_tree(on, s, NULL));
    return expand_tiles(on, s);
}

extern "C" enum sw_status sw_cuda_relations_reduce(sw_cuda_stream stream, const struct sw_cuda_relations *s)
{
    const cudaStream_t on = (cudaStream_t)stream;
    SW_TRY(reduce_tiles(on, s));
    return relations_go_up(on, s);
}

extern "C" enum sw_status sw_cuda_relations_expand(sw_cuda_stream stream, const struct sw_cuda_relations *s)
{
    const cudaStream_t on = (cudaStream_t)stream;
    CU_TRY(cudaMemsetAsync(s->finite, 1, sizeof *s->finite, on));
    SW_TRY(relations_go_down(on, s));
    return expand_tiles(on, s);
}
