/* The paper's kernels: SPIKE with diagonal pivoting, a thread a partition (linalg/papers/spike_point.h has the
 * formulas).
 *
 *   marshal     the rows of the BLOCK partitions of a block are transposed: entry k of partition i then lies beside
 *               entry k of partitions i - 1 and i + 1, and so do what the threads of a warp ask for (III-A)
 *   partitions  A_i [V W Y] = [right e_m  left e_1  f], in place. The loop over the rows is cut into tiles of TILE rows
 *               with a barrier behind each: 1 x 1 and 2 x 2 pivots let threads drift apart, and the rows that a block
 *               is at must fit into the cache (III-B, dynamic tiling)
 *   merge       the reduced system (9): FAN partitions become one, by a tree in shared memory; again, until FAN or
 *               fewer are left
 *   expand      the same tree downwards: the unknowns around each partition
 *   substitute  x = y - v x_behind - w x_before, transposed back on the way
 *
 * Each system of a batch has partitions and trees of its own: what is not finite in one stays there. */
#include <stdint.h>

#include "cuda/cu_check.cuh"
#include "linalg/papers/spike_point.h"
#include "cuda/tridiagonal/tridiagonal_kernels.h"

enum {
    BLOCK = SW_CUDA_SPIKE_BLOCK, FAN = SW_CUDA_SPIKE_FAN,
    TILE = 8,       /* rows: 4 arrays of 8 to 9 rows are 9 KB a warp                                             */
    UNTILED = 0,
    SIDE = 32,      /* a transposition takes SIDE partitions by SIDE rows, or all their rows where these are few */
    MOVERS = 256    /* its threads: 4 of the 1024 entries each, of each array                                    */
};

__host__ __device__ static int64_t partitions(const struct sw_cuda_spike &p) { return p.level[0].count * p.batch; }

__host__ __device__ static bool is_marshalled(const struct sw_cuda_spike &p)
{
    return p.way != SW_CUDA_SPIKE_UNMARSHALLED;
}

/* Partition g of all systems: number i of system j. */
struct place { int64_t j, i; };

__device__ static struct place place_of(const struct sw_cuda_spike &p, int64_t g)
{
    struct place q = {0, g};
    if (p.batch > 1) {
        q.j = g / p.level[0].count;
        q.i = g - q.j * p.level[0].count;
    }
    return q;
}

/* Its rows: the last partition of a system may have fewer. */
__device__ static int rows_of(const struct sw_cuda_spike &p, const struct place &q)
{
    const int64_t left = p.n - (q.i << p.bits), full = (int64_t)1 << p.bits;
    return (int)(left < full ? left : full);
}

/* Where its first entry is in marshalled arrays; the others follow at a distance of BLOCK. */
__device__ static int64_t marshalled_at(const struct sw_cuda_spike &p, int64_t g)
{
    return ((g / BLOCK * BLOCK) << p.bits) + g % BLOCK;
}

/* ------------------------------------------------------------------ marshalling */

/* Partitions first .. first + SIDE - 1 by rows row .. row + 2^bits - 1: entry e of a tile is that of row k, partition
 * number i, in the order of the systems (k first) or of the marshalled arrays (i first). */
struct tile { int64_t first; int row, bits; };
struct entry { int i, k; };

__device__ static struct tile tile_of_block(const struct sw_cuda_spike &p)
{
    const int bits = p.bits < 5 ? p.bits : 5, more = p.bits - bits;
    struct tile t = {(int64_t)(blockIdx.x >> more) * SIDE, (int)(blockIdx.x & ((1u << more) - 1)) << bits, bits};
    return t;
}

__device__ static struct entry plain_order(const struct tile &t, int e)
{
    struct entry y = {e >> t.bits, e & ((1 << t.bits) - 1)};
    return y;
}

__device__ static struct entry marshalled_order(int e)
{
    struct entry y = {e % SIDE, e / SIDE};
    return y;
}

/* Its place in the arrays of the systems; -1: there is no such row. */
__device__ static int64_t plain_at(const struct sw_cuda_spike &p, const struct tile &t, const struct entry &e)
{
    const int64_t g = t.first + e.i;
    if (g >= partitions(p)) return -1;
    const struct place q = place_of(p, g);
    const int64_t row = (q.i << p.bits) + t.row + e.k;
    return row < p.n ? q.j * p.n + row : -1;
}

/* The same in shared memory: columns are odd, so that 16 lanes meet 16 pairs of banks either way. */
__device__ static int shared_at(const struct tile &t, const struct entry &e) { return e.i * ((1 << t.bits) + 1) + e.k; }

/* Reads 32 bytes a row and writes 32. */
__global__ static void marshal_k(struct sw_cuda_spike p, struct sw_cuda_spike_rows rows)
{
    __shared__ double room[4][SIDE * (SIDE + 1)];
    const struct tile t = tile_of_block(p);
    const int all = SIDE << t.bits;
    for (int e = threadIdx.x; e < all; e += MOVERS) {
        const struct entry y = plain_order(t, e);
        const int64_t from = plain_at(p, t, y);
        if (from < 0) continue;
        const int to = shared_at(t, y);
        room[0][to] = rows.lower[from];
        room[1][to] = rows.main[from];
        room[2][to] = rows.upper[from];
        room[3][to] = rows.rhs[from];
    }
    __syncthreads();
    for (int e = threadIdx.x; e < all; e += MOVERS) {
        const struct entry y = marshalled_order(e);
        if (plain_at(p, t, y) < 0) continue;
        const int from = shared_at(t, y);
        const int64_t to = marshalled_at(p, t.first + y.i) + (int64_t)(t.row + y.k) * BLOCK;
        p.w[to] = room[0][from];
        p.b[to] = room[1][from];
        p.v[to] = room[2][from];
        p.y[to] = room[3][from];
    }
}

/* Reads 24 bytes a row and writes 8. */
__global__ static void substitute_k(struct sw_cuda_spike p, double *x)
{
    __shared__ double room[SIDE * (SIDE + 1)];
    const struct tile t = tile_of_block(p);
    const int all = SIDE << t.bits;
    const double *before = p.level[0].around, *behind = before + partitions(p);
    for (int e = threadIdx.x; e < all; e += MOVERS) {
        const struct entry y = marshalled_order(e);
        if (plain_at(p, t, y) < 0) continue;
        const int64_t g = t.first + y.i, from = marshalled_at(p, g) + (int64_t)(t.row + y.k) * BLOCK;
        room[shared_at(t, y)] = spike_unknown(p.v[from], p.w[from], p.y[from], before[g], behind[g]);
    }
    __syncthreads();
    for (int e = threadIdx.x; e < all; e += MOVERS) {
        const struct entry y = plain_order(t, e);
        const int64_t to = plain_at(p, t, y);
        if (to >= 0) x[to] = room[shared_at(t, y)];
    }
}

/* y is in x. Reads 24 bytes a row and writes 8. */
__global__ static void substitute_unmarshalled_k(struct sw_cuda_spike p, double *x)
{
    const int64_t at = (int64_t)blockIdx.x * MOVERS + threadIdx.x;
    if (at >= p.n * p.batch) return;
    const int64_t j = p.batch > 1 ? at / p.n : 0, g = j * p.level[0].count + ((at - j * p.n) >> p.bits);
    const double *before = p.level[0].around, *behind = before + partitions(p);
    x[at] = spike_unknown(p.v[at], p.w[at], x[at], before[g], behind[g]);
}

/* ------------------------------------------------------------------ partitions */

/* The rows of a partition, and where its V, W and Y go. */
__device__ static void find_rows(const struct sw_cuda_spike &p, const struct sw_cuda_spike_rows &rows, int64_t g,
                                 struct spike_rows *r, struct spike_sides *s)
{
    const struct place q = place_of(p, g);
    const bool marshalled = is_marshalled(p);
    const int64_t at = marshalled ? marshalled_at(p, g) : q.j * p.n + (q.i << p.bits);
    r->m = rows_of(p, q);
    r->stride = marshalled ? BLOCK : 1;
    r->a = (marshalled ? p.w : rows.lower) + at;
    r->b = (marshalled ? p.b : rows.main) + at;
    r->c = (marshalled ? p.v : rows.upper) + at;
    r->f = (marshalled ? p.y : rows.rhs) + at;
    r->left = q.i > 0 || p.open_left ? r->a[0] : 0;
    r->right = q.i + 1 < p.level[0].count || p.open_right ? r->c[(size_t)(r->m - 1) * r->stride] : 0;
    s->v = p.v + at;
    s->w = p.w + at;
    s->y = p.y + at;
    s->block = p.block + at;
}

__device__ static void store_ends(double *to, int64_t count, int64_t k, const struct spike_ends &e)
{
    to[k] = e.vt;
    to[count + k] = e.vb;
    to[2 * count + k] = e.wt;
    to[3 * count + k] = e.wb;
    to[4 * count + k] = e.yt;
    to[5 * count + k] = e.yb;
}

__device__ static struct spike_ends load_ends(const double *from, int64_t count, int64_t k)
{
    struct spike_ends e = {from[k], from[count + k], from[2 * count + k], from[3 * count + k], from[4 * count + k],
                           from[5 * count + k]};
    return e;
}

/* Reads 4 words a row and writes 3 and a byte; reads these and writes 3 words: 105 bytes where a row of the arrays is
 * taken from memory once, as dynamic tiling wants it. A thread without a partition waits with the others.
 * @param TILED  rows between barriers; UNTILED: all of them at once */
template <bool PIVOTING, int TILED>
__global__ static void __launch_bounds__(BLOCK, 8) partitions_k(struct sw_cuda_spike p, struct sw_cuda_spike_rows rows)
{
    const int64_t g = (int64_t)blockIdx.x * BLOCK + threadIdx.x, all = partitions(p);
    const int full = 1 << p.bits, tile = TILED && TILED < full ? TILED : full;
    struct spike_rows r = {};
    struct spike_sides s = {};
    struct spike_head head = {};
    if (g < all) {
        find_rows(p, rows, g, &r, &s);
        head = spike_begin(&r);
    }
    for (int until = tile;; until += tile) {
        const int stop = until < r.m ? until : r.m;
        if (PIVOTING) spike_pivot_forward(&r, &s, &head, stop);
        else spike_thomas_forward(&r, &s, &head, stop);
        if (until >= full) break;
        __syncthreads();
    }
    struct spike_tail tail = spike_turn(&r);
    for (int until = full - tile;; until -= tile) {
        spike_backward(r.stride, &s, &tail, until);
        if (until <= 0) break;
        __syncthreads();
    }
    if (g < all) store_ends(p.level[0].ends, all, g, spike_ends_of(&s, r.m, r.stride));
}

/* ------------------------------------------------------------------ the reduced system */

/* Trees over 2^bits leaves each, as many as fill a block: nodes 1 .. 2*leaves - 1, k over 2k and 2k + 1, the leaves
 * last. */
struct trees { double ends[6][2 * FAN], around[2][2 * FAN]; };

/* Leaf k, or inner node k of those that are `each` in a tree, of all trees of a block. */
__device__ static int node_of(int bits, int each, int k) { return ((k / each) << (bits + 1)) + each + k % each; }

__device__ static int child_of(int bits, int node)
{
    const int tree = node >> (bits + 1) << (bits + 1);
    return tree + 2 * (node - tree);
}

/* A place without a leaf is behind the last one of a system or slice. */
__device__ static void merge_all(const struct sw_cuda_spike_level &from, int bits, int64_t leaf, bool there,
                                 int64_t count, struct trees *t)
{
    const int k = threadIdx.x;
    struct spike_ends e = spike_no_rows();
    if (there) e = load_ends(from.ends, count, leaf);
    store_ends(t->ends[0], 2 * FAN, node_of(bits, 1 << bits, k), e);
    for (int each = 1 << bits >> 1; each >= 1; each >>= 1) {
        __syncthreads();
        if (k >= each * (FAN >> bits)) continue;
        const int node = node_of(bits, each, k), child = child_of(bits, node);
        const struct spike_ends l = load_ends(t->ends[0], 2 * FAN, child),
                                r = load_ends(t->ends[0], 2 * FAN, child + 1);
        store_ends(t->ends[0], 2 * FAN, node, spike_merge(&l, &r));
    }
    __syncthreads();
}

__device__ static void expand_all(int bits, struct trees *t)
{
    double *before = t->around[0], *behind = t->around[1];
    const int k = threadIdx.x;
    for (int each = 1; each < 1 << bits; each <<= 1) {
        __syncthreads();
        if (k >= each * (FAN >> bits)) continue;
        const int node = node_of(bits, each, k), child = child_of(bits, node);
        const struct spike_ends l = load_ends(t->ends[0], 2 * FAN, child),
                                r = load_ends(t->ends[0], 2 * FAN, child + 1);
        before[child] = before[node];
        behind[child + 1] = behind[node];
        spike_between(&l, &r, before[node], behind[node], &before[child + 1], &behind[child]);
    }
    __syncthreads();
}

/* The trees of one level: `above.count` of them over the partitions of each system. up: their roots become the
 * partitions of the level above; else: the unknowns around the leaves. 48 bytes a leaf read; 48/FAN, or 16, written. */
__global__ static void __launch_bounds__(FAN) trees_k(struct sw_cuda_spike_level from,
                                                      struct sw_cuda_spike_level above, int batch, int bits, bool up)
{
    __shared__ struct trees t[1];
    const int k = threadIdx.x, per_block = FAN >> bits;
    const int64_t tree = (int64_t)blockIdx.x * per_block + (k >> bits), trees_all = above.count * batch;
    const int64_t j = tree / above.count, i = ((tree - j * above.count) << bits) + (k & ((1 << bits) - 1));
    const int64_t leaf = j * from.count + i, leaves_all = from.count * batch;
    const bool there = tree < trees_all && i < from.count;
    merge_all(from, bits, leaf, there, leaves_all, t);
    const int64_t root = (int64_t)blockIdx.x * per_block + k;
    const bool has_root = k < per_block && root < trees_all;
    if (up) {
        if (has_root) store_ends(above.ends, trees_all, root, load_ends(t->ends[0], 2 * FAN, node_of(bits, 1, k)));
        return;
    }
    if (k < per_block) {
        const bool inside = has_root && above.around != NULL;  /* else nothing is around the whole system */
        t->around[0][node_of(bits, 1, k)] = inside ? above.around[root] : 0;
        t->around[1][node_of(bits, 1, k)] = inside ? above.around[trees_all + root] : 0;
    }
    expand_all(bits, t);
    if (!there) return;
    const int node = node_of(bits, 1 << bits, k);
    from.around[leaf] = t->around[0][node];
    from.around[leaves_all + leaf] = t->around[1][node];
}

/* ------------------------------------------------------------------ launches */

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static enum sw_status launch_trees(cudaStream_t s, const struct sw_cuda_spike *p, int k, bool up)
{
    const bool last = k + 1 == p->levels;
    struct sw_cuda_spike_level above = {1, p->root, p->root ? p->root + 6 : NULL};  /* one tree for each system */
    int bits = 8;
    if (!last) above = p->level[k + 1];
    else
        for (bits = 0; (int64_t)1 << bits < p->level[k].count;) bits++;
    const int64_t blocks = ceil_div(above.count * p->batch, FAN >> bits);
    trees_k<<<(unsigned)blocks, FAN, 0, s>>>(p->level[k], above, p->batch, bits, up);
    CU_LAUNCHED(s);
    return SW_OK;
}

static enum sw_status launch_partitions(cudaStream_t s, const struct sw_cuda_spike &p,
                                        const struct sw_cuda_spike_rows &rows)
{
    const unsigned blocks = (unsigned)ceil_div(partitions(p), BLOCK);
    switch (p.way) {
    case SW_CUDA_SPIKE_TILED: partitions_k<true, TILE><<<blocks, BLOCK, 0, s>>>(p, rows); break;
    case SW_CUDA_SPIKE_UNTILED:
    case SW_CUDA_SPIKE_UNMARSHALLED: partitions_k<true, UNTILED><<<blocks, BLOCK, 0, s>>>(p, rows); break;
    case SW_CUDA_SPIKE_THOMAS: partitions_k<false, UNTILED><<<blocks, BLOCK, 0, s>>>(p, rows); break;
    }
    CU_LAUNCHED(s);
    return SW_OK;
}

/* Blocks that transpose. */
static unsigned count_tiles(const struct sw_cuda_spike &p)
{
    const int bits = p.bits < 5 ? p.bits : 5;
    return (unsigned)(ceil_div(partitions(p), SIDE) << (p.bits - bits));
}

/* V, W and Y of all partitions, and the ends of `levels` levels above them. */
static enum sw_status go_up(cudaStream_t s, const struct sw_cuda_spike &p, const struct sw_cuda_spike_rows &rows,
                            int levels)
{
    if (is_marshalled(p)) {
        marshal_k<<<count_tiles(p), MOVERS, 0, s>>>(p, rows);
        CU_LAUNCHED(s);
    }
    SW_TRY(launch_partitions(s, p, rows));
    for (int k = 0; k < levels; k++) SW_TRY(launch_trees(s, &p, k, true));
    return SW_OK;
}

static enum sw_status go_down(cudaStream_t s, const struct sw_cuda_spike &p, double *x)
{
    for (int k = p.levels - 1; k >= 0; k--) SW_TRY(launch_trees(s, &p, k, false));
    if (is_marshalled(p)) substitute_k<<<count_tiles(p), MOVERS, 0, s>>>(p, x);
    else substitute_unmarshalled_k<<<(unsigned)ceil_div(p.n * p.batch, MOVERS), MOVERS, 0, s>>>(p, x);
    CU_LAUNCHED(s);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_spike_solve(sw_cuda_stream stream, const struct sw_cuda_spike *spike,
                                              const struct sw_cuda_spike_rows *rows, double *x)
{
    cudaStream_t s = (cudaStream_t)stream;
    struct sw_cuda_spike p = *spike;
    if (!is_marshalled(p)) p.y = x;
    SW_TRY(go_up(s, p, *rows, p.levels - 1));
    return go_down(s, p, x);
}

extern "C" enum sw_status sw_cuda_spike_reduce(sw_cuda_stream stream, const struct sw_cuda_spike *spike,
                                               const struct sw_cuda_spike_rows *rows)
{
    return go_up((cudaStream_t)stream, *spike, *rows, spike->levels);
}

extern "C" enum sw_status sw_cuda_spike_expand(sw_cuda_stream stream, const struct sw_cuda_spike *spike, double *x)
{
    return go_down((cudaStream_t)stream, *spike, x);
}
