/* The tree above the tiles of tridiagonal systems (relations_tile.cuh). The deepest nodes have up to 2^width tiles
 * each, as leaves; all above them is a perfect binary tree, which kernels take in levels of any height with the same
 * bits. Divisions are IEEE's: a host may do some of it (sw_relations_close()). */
#include "cuda/tridiagonal/relations_tile.cuh"
#include "cuda/tridiagonal/tagged_word.cuh"

enum { LEVELS = 4, SLOTS = 8, TOP_SLOTS = 10 };  /* at most; 2^ leaves of a block, and of the last one */
enum { MOST_ROOTS = 7 };                         /* 2^ blocks of a tree that is done at once */
static_assert(SW_CUDA_RELATIONS_PUBLISHED == (10 << MOST_ROOTS) * 2, "room for what the blocks publish");

/* Which of the steps of a level a kernel takes: to the relation of each block; up, close and down; or down from given
 * ends, the tree made again. */
enum coarse { UP, CLOSE, DOWN };

struct level {
    const double *relation;   /* [systems][count][10] of the leaves              */
    double *root;             /* UP: out [systems][blocks][10]                   */
    const double *root_ends;  /* DOWN: [systems][blocks][4]                      */
    double *ends;             /* CLOSE, DOWN: out [systems][count][4]            */
    int    *finite;           /* CLOSE: [systems], set to 1, or 0 where the last
                                 pivots are nearly nothing                       */
    const int *fails;         /* NULL, or do nothing where it is 0               */
    long long count;          /* leaves of a system                              */
    int blocks, slots;        /* of a system; of a block, 2^slots                */
    int width, cyclic;        /* a deepest node has up to 2^width leaves         */
    /* with width > 0: the nodes are first_node ... at this depth of the tree over all_tiles, of which the first one
     * here is first_tile */
    long long all_tiles, first_tile, first_node;
    int depth;
};

/* The leaf that goes to a slot, of those of a system; -1: none. */
__device__ static long long leaf_at(const struct level &l, long long block, int slot)
{
    const long long number = (block << l.slots) + slot, node = l.first_node + (number >> l.width);
    if (l.width == 0) return number;
    const long long leaf = relation_first_leaf(l.all_tiles, l.depth, node) + (number & ((1 << l.width) - 1));
    return leaf < relation_first_leaf(l.all_tiles, l.depth, node + 1) ? leaf - l.first_tile : -1;
}

__device__ static void read_relation(double *slot, const double *relation)
{
    const double2 *from = (const double2 *)relation;
#pragma unroll
    for (int k = 0; k < 5; k++) {
        const double2 v = from[k];
        slot[2 * k] = v.x, slot[2 * k + 1] = v.y;
    }
}

__device__ static void write_ends(double *ends, const double *slot)
{
    double2 *to = (double2 *)ends;
    to[0] = make_double2(slot[0], slot[1]);
    to[1] = make_double2(slot[2], slot[3]);
}

template <int STEP> __global__ static void coarse_k(struct level l)
{
    extern __shared__ __align__(128) double shared[];
    const int t = threadIdx.x, threads = blockDim.x, slots = 1 << l.slots, system = (int)blockIdx.x / l.blocks,
              block = (int)blockIdx.x - system * l.blocks;
    const long long first = system * l.count;
    allow_next();
    wait_previous();
    if (l.fails && *(const volatile int *)l.fails == 0) return;
    for (int k = t; k < slots; k += threads) {
        const long long leaf = leaf_at(l, block, k);
        double *slot = shared + reverse(k, l.slots) * SLOT;
        if (leaf >= 0) read_relation(slot, l.relation + (first + leaf) * 10);
        else relation_of_none(slot);
    }
    __syncthreads();
    tree_up<SLOT, STEP != UP, 1, true>(shared, slots, 1, t, threads);
    if (STEP == UP) {
        if (t < 10) l.root[blockIdx.x * 10ll + t] = shared[t];
        return;
    }
    if (STEP == DOWN && t < 4) shared[t] = l.root_ends[blockIdx.x * 4ll + t];
    if (STEP == CLOSE && t == 0) {
        double ends[4];
        l.finite[system] = relation_closes(shared, l.cyclic);
        relation_close(1, shared, l.cyclic, ends);
        for (int k = 0; k < 4; k++) shared[k] = ends[k];
    }
    tree_down<SLOT>(shared, slots, 1, t, threads);
    __syncthreads();
    for (int k = t; k < slots; k += threads) {
        const long long leaf = leaf_at(l, block, k);
        if (leaf < 0) continue;
        write_ends(l.ends + (first + leaf) * 4, shared + reverse(k, l.slots) * SLOT);
    }
}

/* All levels in one kernel: blocks that are there at once (a cooperative launch), each with the leaves of one root. A
 * block publishes its root, takes those of all, and goes on from them by itself: what is above the roots is done once
 * in each block. */
__global__ static void coarse_all_k(struct level l, long long *published, long long epoch)
{
    extern __shared__ __align__(128) double shared[];
    const int t = threadIdx.x, threads = blockDim.x, slots = 1 << l.slots, bits = 31 - __clz(l.blocks);
    double *const top = shared + slots * SLOT;
    allow_next();
    wait_previous();
    if (l.fails && *(const volatile int *)l.fails == 0) return;
    for (int k = t; k < slots; k += threads) {
        const long long leaf = leaf_at(l, blockIdx.x, k);
        double *slot = shared + reverse(k, l.slots) * SLOT;
        if (leaf >= 0) read_relation(slot, l.relation + leaf * 10);
        else relation_of_none(slot);
    }
    __syncthreads();
    tree_up<SLOT, true, 1, true>(shared, slots, 1, t, threads);
    if (t < 10) store_tagged(published + (blockIdx.x * 10ll + t) * 2, shared[t], epoch);
    for (int k = t; k < 10 * l.blocks; k += threads) {
        double value;
        while (load_tagged(published + 2ll * k, &value) != epoch) continue;
        top[reverse(k / 10, bits) * SLOT + k % 10] = value;
    }
    __syncthreads();
    tree_up<SLOT, true, 1, true>(top, l.blocks, 1, t, threads);
    if (t == 0) {
        double ends[4];
        if (blockIdx.x == 0) *l.finite = relation_closes(top, l.cyclic);
        relation_close(1, top, l.cyclic, ends);
        for (int k = 0; k < 4; k++) top[k] = ends[k];
    }
    tree_down<SLOT>(top, l.blocks, 1, t, threads);
    __syncthreads();
    if (t < 4) shared[t] = top[reverse(blockIdx.x, bits) * SLOT + t];
    tree_down<SLOT>(shared, slots, 1, t, threads);
    __syncthreads();
    for (int k = t; k < slots; k += threads) {
        const long long leaf = leaf_at(l, blockIdx.x, k);
        if (leaf >= 0) write_ends(l.ends + leaf * 4, shared + reverse(k, l.slots) * SLOT);
    }
}

/* ------------------------------------------------------------------ launches */

enum sw_status relations_prepare_coarse(void)
{
    SW_TRY(allow_shared(coarse_all_k));
    SW_TRY(allow_shared(coarse_k<UP>));
    SW_TRY(allow_shared(coarse_k<CLOSE>));
    return allow_shared(coarse_k<DOWN>);
}

static int log2_of(long long power)
{
    int k = 0;
    while (power >> k > 1) k++;
    return k;
}

/* The levels of the tree over the tiles of a slice: 2^SLOTS leaves a block, the last one up to 2^TOP_SLOTS in one
 * block.
 * @return how many */
static int levels_of(const struct sw_cuda_relations *s, const int *fails, struct level *l)
{
    int leaves = log2_of(s->nodes) + log2_of(s->width), k = 0;
    double *room = s->levels;
    for (;; k++) {
        l[k] = {};
        l[k].slots = leaves <= TOP_SLOTS ? leaves : SLOTS;
        l[k].count = k ? 1ll << leaves : s->tiles;
        leaves -= l[k].slots;
        l[k].blocks = 1 << leaves;
        l[k].width = k ? 0 : log2_of(s->width);
        l[k].relation = k ? l[k - 1].root : s->relation;
        l[k].ends = k ? (double *)l[k - 1].root_ends : s->ends;
        l[k].finite = s->finite;
        l[k].fails = fails;
        l[k].cyclic = s->cyclic;
        l[k].all_tiles = s->all_tiles, l[k].first_tile = s->first_tile, l[k].first_node = s->first_node;
        l[k].depth = s->depth;
        if (leaves == 0) break;
        l[k].root = room;
        l[k].root_ends = room + 10ll * l[k].blocks * s->systems;
        room += 14ll * l[k].blocks * s->systems;
    }
    l[k].root = s->root;
    l[k].root_ends = s->root + 10;
    return k + 1;
}

template <int STEP> static enum sw_status coarse(cudaStream_t stream, int systems, const struct level &l)
{
    const int slots = 1 << l.slots, threads = slots < 64 ? 32 : slots / 2;
    const size_t bytes = (size_t)slots * SLOT * sizeof(double);
    return launch(coarse_k<STEP>, (long long)systems * l.blocks, threads, bytes, stream, OVERLAP, l);
}

/* The whole tree of one system at once, where it is that small. @return false: it is not */
static bool is_small_tree(const struct sw_cuda_relations *s, struct level *l)
{
    const int leaves = l->slots + log2_of(l->blocks);
    l->slots = leaves - SLOTS <= MOST_ROOTS ? SLOTS : TOP_SLOTS;
    l->blocks = 1 << (leaves - l->slots);
    return s->systems == 1 && leaves > SLOTS && leaves - l->slots <= MOST_ROOTS && l->blocks <= s->processors;
}

enum sw_status relations_close_tree(cudaStream_t stream, const struct sw_cuda_relations *s, const int *fails)
{
    struct level l[LEVELS];
    const int count = levels_of(s, fails, l);
    struct level all = l[0];
    if (is_small_tree(s, &all)) {
        const size_t bytes = (((size_t)1 << all.slots) + all.blocks) * SLOT * sizeof(double);
        return launch(coarse_all_k, all.blocks, 1 << (all.slots - 1), bytes, stream, OVERLAP | TOGETHER, all,
                      s->published, s->epoch);
    }
    for (int k = 0; k < count - 1; k++) SW_TRY(coarse<UP>(stream, s->systems, l[k]));
    SW_TRY(coarse<CLOSE>(stream, s->systems, l[count - 1]));
    for (int k = count - 2; k >= 0; k--) SW_TRY(coarse<DOWN>(stream, s->systems, l[k]));
    return SW_OK;
}

enum sw_status relations_go_up(cudaStream_t stream, const struct sw_cuda_relations *s)
{
    struct level l[LEVELS];
    const int count = levels_of(s, NULL, l);
    for (int k = 0; k < count; k++) SW_TRY(coarse<UP>(stream, 1, l[k]));
    return SW_OK;
}

enum sw_status relations_go_down(cudaStream_t stream, const struct sw_cuda_relations *s)
{
    struct level l[LEVELS];
    const int count = levels_of(s, NULL, l);
    for (int k = count - 1; k >= 0; k--) SW_TRY(coarse<DOWN>(stream, 1, l[k]));
    return SW_OK;
}
