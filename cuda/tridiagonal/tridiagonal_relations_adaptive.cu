/* One tridiagonal system whose tiles decouple, in one pass, 40 bytes a row: where each relation has one row that binds
 * only its left end and one that binds only its right end, the neighbours' rows are all that a tile needs.
 *
 * A tile needs the rows that its two neighbours publish. It publishes before it waits. Blocks begin in the order of
 * their numbers on every device known, and then the earliest tile that has not published never waits; should they
 * not, a block that has waited too long counts as failed, and pass 2 follows.
 *
 * A published word is stored with a tag, 2*epoch + 1 if its tile does not decouple (tagged_word.cuh). */
#include "cuda/tridiagonal/relations_tile.cuh"
#include "cuda/tridiagonal/tagged_word.cuh"

enum { WARPS = 4 };           /* and tiles of a block; of one or two it is slower by 7 % */
enum { PATIENCE = 1 << 22 };  /* polls, some 0.5 us each */

/* Store six words and their tag. */
__device__ static void publish(const struct sw_cuda_relations_adaptive &a, long long epoch, long long tile,
                               const double *left, const double *right, bool coupled)
{
    const int t = lane();
    if (t >= 6) return;
    const double v = t == 0 ? left[0] : t == 1 ? left[1] : t == 2 ? left[2] : t == 3 ? right[0] : t == 4 ? right[1]
                                                                                              : right[2];
    store_tagged(a.published + (tile * 6 + t) * 2, v, 2 * epoch + coupled);
}

/* Wait for word k of a tile. @return false: it does not decouple */
__device__ static bool wait_published(const struct sw_cuda_relations_adaptive &a, long long epoch, long long tile,
                                      int k, double *v)
{
    long long tag;
    int polls = 0;
    do {
        tag = load_tagged(a.published + (tile * 6 + k) * 2, v);
    } while (tag >> 1 != epoch && ++polls < PATIENCE);
    return tag == 2 * epoch;
}

/* The ends of a tile from what its neighbours and itself publish; all lanes get them. @return whether they are good */
__device__ static bool meet_neighbours(const struct sw_cuda_relations &s, const struct sw_cuda_relations_adaptive &a,
                                       const place &p, const double *left, const double *right, double *ends)
{
    const int t = lane();
    double v = 0, before[3], after[3];
    bool good = true;
    if (t < 3 ? p.tile > 0 : t < 6 && p.tile + 1 < s.tiles)
        good = wait_published(a, s.epoch, t < 3 ? p.tile - 1 : p.tile + 1, t < 3 ? t + 3 : t - 3, &v);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        before[k] = __shfl_sync(~0u, v, k);
        after[k] = __shfl_sync(~0u, v, 3 + k);
    }
    ends[0] = ends[3] = 0;
    if (p.tile == 0) ends[1] = left[2] * relation_reciprocal(left[1]);
    else relation_meet(before, left, &ends[0], &ends[1]);
    if (p.tile == s.tiles - 1) ends[2] = right[2] * relation_reciprocal(right[0]);
    else relation_meet(right, after, &ends[2], &ends[3]);
    return __all_sync(~0u, good);
}

/* A tile whose rows are loaded. Once a tile has failed, the others only leave their relations for the coarse levels.
 * @return whether x was found */
__device__ static bool solve_tile(const tile &m, const struct sw_cuda_relations &s,
                                  const struct sw_cuda_relations_adaptive &a, const place &p, bool failed, bool behind)
{
    const int t = lane();
    double weight_s[M], weight_t[M], half[10], left[3], right[3], ends[4], middle[2] = {0, 0};
    reduce_tile<WARPS, true, false>(m, p, 2, weight_s, weight_t);
    if (behind) return true;
    /* lane 0 looks at the left half, lane 1 at the right one: if each decouples, the neighbours need not wait for the
     * last merge */
    const double *slot = m.upper + (t & 1) * M;
#pragma unroll
    for (int k = 0; k < 10; k++) half[k] = slot[k];
    const bool early = __all_sync(~0u, relation_decouples(half, left, right) && !failed);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        left[k] = __shfl_sync(~0u, left[k], 0);
        right[k] = __shfl_sync(~0u, right[k], 1);
    }
    if (early) publish(a, s.epoch, p.tile, left, right, false);
    __syncwarp();
    tree_up<M, true, 0, false>(m.upper, 2, 1, t, WARP);
    if (t < 10) s.relation[p.tile * 10 + t] = m.upper[t];
    bool decoupled = true;
    if (!early) {
#pragma unroll
        for (int k = 0; k < 10; k++) half[k] = m.upper[k];
        decoupled = relation_decouples(half, left, right) && !failed;
        publish(a, s.epoch, p.tile, left, right, !decoupled);
    }
    if (!decoupled || !meet_neighbours(s, a, p, left, right, ends)) return false;
    if (early) relation_expand(m.upper + M, ends, &middle[0], &middle[1]);
    __syncwarp();
    if (t == 0)
        for (int k = 0; k < 4; k++) m.upper[k] = ends[k];
    finish_tile<false>(m, s, p, weight_s, weight_t);
    if (early && (t & 1)) ends[0] = middle[0], ends[1] = middle[1];
    if (early && !(t & 1)) ends[2] = middle[0], ends[3] = middle[1];
    return __all_sync(~0u, relation_drop_is_small(half, ends));
}

__global__ static void __launch_bounds__(WARPS * WARP, 12 / WARPS)
    relations_adaptive_k(struct sw_cuda_relations s, struct sw_cuda_relations_adaptive a)
{
    extern __shared__ __align__(128) double shared[];
    const tile m = tile_in<WARPS>(shared);
    const int now = s.epoch & 1, t = lane();
    const long long number = blockIdx.x * (long long)WARPS + threadIdx.x / WARP;
    const bool behind = number >= s.tiles;  /* does as the last one, and gives nothing */
    const place p = place_of(s, behind ? s.tiles - 1 : number);
    begin_tile(m, s, p);
    const bool failed = __any_sync(~0u, *(volatile int *)(a.fails + now) != 0);  /* the same in all lanes */
    if (number == 0 && t == 0) a.fails[now ^ 1] = 0;
    end_load<false>(m, s, p, 0);
    if (!solve_tile(m, s, a, p, failed, behind) && !failed && t == 0) atomicAdd(a.fails + now, 1);
}

enum { PIECE = 8 };

/* Pass 2 where tiles have failed: as relations_expand_k, a block PIECE tiles, so that there are few blocks to begin and
 * to end where none has. */
__global__ static void __launch_bounds__(WARP, 12)
    relations_expand_failed_k(struct sw_cuda_relations s, struct sw_cuda_relations_adaptive a)
{
    extern __shared__ __align__(128) double shared[];
    const tile m = tile_in<1>(shared);
    const int t = threadIdx.x;
    long long number = s.tiles - 1 - blockIdx.x * (long long)PIECE;
    const long long last = max(number - PIECE + 1, 0ll);
    double weight_s[M], weight_t[M];
    wait_previous();
    if (*(const volatile int *)(a.fails + (s.epoch & 1)) == 0) return;
    place p = place_of(s, number);
    begin_tile(m, s, p);
    for (unsigned phase = 0;;) {
        end_load<false>(m, s, p, phase);
        phase ^= p.aligned;
        reduce_tile<1, true, false>(m, p, 1, weight_s, weight_t);
        if (t < 4) m.upper[t] = s.ends[number * 4 + t];
        finish_tile<false>(m, s, p, weight_s, weight_t);
        if (--number < last) break;
        p = place_of(s, number);
        bulk_fence();
        __syncwarp();
        if (t == 0 && p.aligned) begin_load(m, s, p.first, p.rows);
    }
}

/* ------------------------------------------------------------------ launches */

enum sw_status relations_prepare_adaptive(void)
{
    SW_TRY(allow_shared(relations_adaptive_k));
    return allow_shared(relations_expand_failed_k);
}

extern "C" enum sw_status sw_cuda_relations_solve_adaptive(sw_cuda_stream stream, const struct sw_cuda_relations *s,
                                                           const struct sw_cuda_relations_adaptive *a)
{
    const cudaStream_t on = (cudaStream_t)stream;
    const int *const fails = a->fails + (s->epoch & 1);
    CU_TRY(cudaMemsetAsync(s->finite, 1, sizeof *s->finite, on));
    SW_TRY(launch(relations_adaptive_k, (s->tiles + WARPS - 1) / WARPS, WARPS * WARP, tile_bytes(WARPS), on, ALONE,
                  *s, *a));
    SW_TRY(relations_close_tree(on, s, fails));
    return launch(relations_expand_failed_k, (s->tiles + PIECE - 1) / PIECE, WARP, tile_bytes(1), on, OVERLAP, *s,
                  *a);
}
