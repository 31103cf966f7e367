/* The problems of vertical modes in the plane, (Lh + lambda area) w = g, on chip: for planes that fit the registers and
 * the shared memory of a cluster of thread blocks, which takes one problem after another from a queue, hardest first.
 *
 * With S = diagonal^(-1/2) the matrix B = S (Lh + lambda area) S has a diagonal of ones. Its eigenvalues lie between
 * lambda times the least of area/diagonal, as Lh has none below 0, and 1 and the largest sum of what is beside the
 * diagonal (Gershgorin). Between such bounds Chebyshev's polynomials make residuals smaller at a rate that is known
 * before (Y. Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 12.1), without sums over the plane:
 *
 *     x += d;  r -= B d;  d = c r + c' d         |r_k| <= |r_0|/cosh(k arcosh((b + a)/(b - a)))
 *
 * in single precision, under corrections whose residual is formed in double: as many of these as rounding asks for, two
 * of them for 1e-7 and a condition number below 1000. Blocks wait for each other once an iteration, for rows at their
 * edges, and form meanwhile what they can of B d.
 *
 * A thread has a tile of 4 x 4 cells: r, d, x and the weights of B in 88 registers. It reads and writes 16 words at its
 * edges an iteration each way, a word a cell; cross terms read 50 weights more. Operations: 13 a cell, 21 with cross
 * terms. A problem moves 1 word in and out, and each correction in double 5 or so more, most from the L2 cache. */
#include "cluster.cuh"
#include "elliptic/elliptic_plane_point.h"
#include "elliptic_plane.cuh"
#include "launch.cuh"

enum {
    TILE = 4,
    THREADS = 512,         /* at most */
    PAD = 4,               /* words before and behind a row: what lies beyond walls, and keeps rows aligned      */
    CORRECTIONS = 20,
    STEPS = 40000,         /* of one correction, at most                                                         */
    VALUES = 5             /* that are reduced at once                                                           */
};

/* One correction leaves at least so much: rounding of x counts by the condition number, and less is not asked for. */
static constexpr double SINGLE_LEAVES = 1e-5, ROUNDING = 2e-7;

/* How a plane lies in a cluster: block after block has `groups` rows of tiles, and as many rows of cells times 4. */
struct shape {
    int tiles, groups;     /* of a row; of a block                */
    int all;               /* rows of tiles of the plane          */
    int size;              /* blocks                              */
    int threads;
};

/* Dynamic shared memory of a block, in words: two sets of edges, used in turn. Row 2y + 1 has the lowest cells of row y
 * of tiles, row 2y + 2 the highest ones; rows 0 and 2 groups + 1 come from other blocks. `first` and `last`
 * have the leftmost and the rightmost cells of each tile, `last` one tile further right. */
struct layout {
    int pitch;             /* of rows                                                 */
    int columns;           /* of rows of `first` and `last`                           */
    int first, last, set;  /* where they begin in a set; words of a set               */
    int scale;             /* [16][threads], behind both sets                         */
    int rising, falling;   /* [4 groups + 1][pitch]                                   */
    int words;
};

__host__ __device__ static inline struct layout layout_of(const struct shape &s, bool cross)
{
    struct layout l;
    l.pitch = TILE * s.tiles + 2 * PAD;
    l.columns = TILE * (s.tiles + 1);
    l.first = l.pitch * (2 * s.groups + 2);
    l.last = l.first + l.columns * s.groups;
    l.set = l.last + l.columns * s.groups;
    l.scale = 2 * l.set;
    l.rising = l.scale + TILE * TILE * s.threads;
    l.falling = l.rising + (cross ? l.pitch * (TILE * s.groups + 1) : 0);
    l.words = l.falling + (cross ? l.pitch * (TILE * s.groups + 1) : 0);
    return l;
}

__device__ static inline float *words_here()
{
    extern __shared__ float4 dynamic[];
    return (float *)dynamic;
}

struct shared {
    double value[2][VALUES][CLUSTER_MOST];
    double of_warp[VALUES][THREADS / 32];
    struct cluster_words words;
};

/* What a thread knows of its tile. */
struct tile {
    int      x, y;           /* in its block                                                                       */
    int      i, j;           /* its first cell                                                                     */
    bool     there;          /* it has cells                                                                       */
    int      row, column;    /* its lowest row, its `first` in a set                                               */
    uint32_t below, above;   /* addresses where its lowest and its highest row go beside, or NOWHERE                */
    int      wrap_first, wrap_last;  /* likewise its columns, in a set, or -1                                      */
};
static constexpr uint32_t NOWHERE = ~0u;

/* ------------------------------------------------------------------ reductions */

/* The first `sums` values are added up, of the others the largest is taken; all over a cluster, in a fixed order. */
template <int COUNT> __device__ static void reduce(struct cluster *c, struct shared *s, int sums, double *value)
{
    const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
#pragma unroll
    for (int v = 0; v < COUNT; v++) {
        for (int w = 16; w > 0; w /= 2) {
            const double other = __shfl_xor_sync(~0u, value[v], w);
            value[v] = v < sums ? value[v] + other : fmax(value[v], other);
        }
        if (threadIdx.x % 32 == 0) s->of_warp[v][warp] = value[v];
    }
    __syncthreads();
    c->turn ^= 1;
    const int turn = c->turn;
    if (threadIdx.x < COUNT * c->size) {
        const int v = (int)(threadIdx.x / c->size);
        double all = s->of_warp[v][0];
        for (int w = 1; w < warps; w++) all = v < sums ? all + s->of_warp[v][w] : fmax(all, s->of_warp[v][w]);
        in_block(s, threadIdx.x % c->size)->value[turn][v][c->rank] = all;
    }
    cluster_barrier();
#pragma unroll
    for (int v = 0; v < COUNT; v++) {
        value[v] = s->value[turn][v][0];
        for (unsigned k = 1; k < c->size; k++)
            value[v] = v < sums ? value[v] + s->value[turn][v][k] : fmax(value[v], s->value[turn][v][k]);
    }
}

/* ------------------------------------------------------------------ edges of tiles */

/* Put the edges of a field where neighbours find them, after the next cluster_arrive() and cluster_wait(). */
__device__ static inline void publish(const struct layout &l, const struct tile &t, int turn, const float f[TILE][TILE])
{
    if (!t.there) return;
    float *const set = words_here() + turn * l.set, *const row = set + t.row, *const column = set + t.column;
    const float4 low = make_float4(f[0][0], f[0][1], f[0][2], f[0][3]),
                 high = make_float4(f[3][0], f[3][1], f[3][2], f[3][3]),
                 first = make_float4(f[0][0], f[1][0], f[2][0], f[3][0]),
                 last = make_float4(f[0][3], f[1][3], f[2][3], f[3][3]);
    *(float4 *)row = low;
    *(float4 *)(row + l.pitch) = high;
    *(float4 *)column = first;
    *(float4 *)(column + (l.last - l.first) + TILE) = last;
    if (t.below != NOWHERE) store_at(t.below + turn * l.set * (uint32_t)sizeof(float), low);
    if (t.above != NOWHERE) store_at(t.above + turn * l.set * (uint32_t)sizeof(float), high);
    if (t.wrap_first >= 0) *(float4 *)(set + t.wrap_first) = first;
    if (t.wrap_last >= 0) *(float4 *)(set + t.wrap_last) = last;
}

/* What is around a tile: rows with their corners. */
struct ring { float south[TILE + 2], north[TILE + 2], west[TILE], east[TILE]; };

template <bool CORNERS>
__device__ static inline struct ring gather(const struct layout &l, const struct tile &t, int turn)
{
    struct ring o = {};
    if (!t.there) return o;
    const float *const set = words_here() + turn * l.set, *const south = set + t.row - l.pitch,
                *const north = set + t.row + 2 * l.pitch, *const column = set + t.column;
    const float4 low = *(const float4 *)south, high = *(const float4 *)north,
                 east = *(const float4 *)(column + TILE), west = *(const float4 *)(column + (l.last - l.first));
    o.south[1] = low.x, o.south[2] = low.y, o.south[3] = low.z, o.south[4] = low.w;
    o.north[1] = high.x, o.north[2] = high.y, o.north[3] = high.z, o.north[4] = high.w;
    o.west[0] = west.x, o.west[1] = west.y, o.west[2] = west.z, o.west[3] = west.w;
    o.east[0] = east.x, o.east[1] = east.y, o.east[2] = east.z, o.east[3] = east.w;
    if (CORNERS) o.south[0] = south[-1], o.south[5] = south[4], o.north[0] = north[-1], o.north[5] = north[4];
    return o;
}

/* Of a field and its ring, cell (i, j) of a tile, -1 <= i, j <= 4. */
__device__ static inline float cell_of(const float f[TILE][TILE], const struct ring &o, int i, int j)
{
    return j < 0 ? o.south[i + 1] : j >= TILE ? o.north[i + 1] : i < 0 ? o.west[j] : i >= TILE ? o.east[j] : f[j][i];
}

/* ------------------------------------------------------------------ the matrix of a mode */

/* Weights of B: towards west and south of each cell, and of the cells behind the last ones. */
struct weights { float across[TILE][TILE + 1], along[TILE + 1][TILE]; };

/* 1/sqrt(diagonal), 0 where there is no cell. value: out: sum of the diagonal; -area lambda/diagonal at most; what is
 * beside the diagonal of a row of S² A at most. */
__device__ static void scale_tile(const struct sw_cuda_elliptic &m, double lambda, const struct tile &t,
                                  float scale[TILE][TILE], double *value)
{
    const int nx = (int)m.nx, ny = (int)m.ny;
    float sum = 0, least = -1, most = 0;
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) {
            const int i = t.i + h, j = t.j + k;
            scale[k][h] = 0;
            if (!t.there || i >= nx || j >= ny) continue;
            const float diagonal = (float)plane_diagonal(m, lambda, i, j), zero = (float)(lambda * m.area[j * nx + i]);
            float beside = 0;
            if (i > 0 || m.periodic_x) beside += fabsf((float)m.east[j * (nx + 1) + i]);
            if (i < nx - 1 || m.periodic_x) beside += fabsf((float)m.east[j * (nx + 1) + i + 1]);
            if (j > 0 || m.periodic_y) beside += fabsf((float)m.north[j * nx + i]);
            if (j < ny - 1 || m.periodic_y) beside += fabsf((float)m.north[(j + 1) * nx + i]);
            if (m.cross)
                for (int corner = 0; corner < 4; corner++)
                    beside += 0.5f * fabsf((float)m.cross[(j + corner / 2) * (nx + 1) + i + corner % 2]);
            scale[k][h] = rsqrtf(diagonal);
            sum += diagonal;
            least = fmaxf(least, -zero / diagonal);
            most = fmaxf(most, beside / diagonal);
        }
    value[0] = sum;
    value[1] = least;
    value[2] = most;
}

__device__ static void make_weights(const struct sw_cuda_elliptic &m, const struct layout &l, const struct tile &t,
                                    const float scale[TILE][TILE], const struct ring &around, struct weights *w)
{
    const int nx = (int)m.nx, ny = (int)m.ny;
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h <= TILE; h++) {
            const int i = t.i + h, j = t.j + k;
            w->across[k][h] = !t.there || i > nx || j >= ny ? 0
                : (float)m.east[j * (nx + 1) + i] * (cell_of(scale, around, h - 1, k) * cell_of(scale, around, h, k));
        }
#pragma unroll
    for (int k = 0; k <= TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) {
            const int i = t.i + h, j = t.j + k;
            w->along[k][h] = !t.there || i >= nx || j > ny ? 0
                : (float)m.north[j * nx + i] * (cell_of(scale, around, h, k - 1) * cell_of(scale, around, h, k));
        }
    if (!m.cross || !t.there) return;
    float *const at = words_here() + t.y * TILE * l.pitch + PAD + TILE * t.x;
#pragma unroll
    for (int k = 0; k <= TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) {  /* corners on the walls weigh nothing */
            const int i = t.i + h, j = t.j + k;
            const float half = i >= nx || j >= ny ? 0 : 0.5f * (float)m.cross[j * (nx + 1) + i];
            at[l.rising + k * l.pitch + h] =
                half * (cell_of(scale, around, h - 1, k - 1) * cell_of(scale, around, h, k));
            at[l.falling + k * l.pitch + h] =
                -half * (cell_of(scale, around, h - 1, k) * cell_of(scale, around, h, k - 1));
        }
}

/* ------------------------------------------------------------------ iterations */

/* r -= B d, as far as a tile knows d: what is around it comes by add_ring(). */
__device__ static inline void subtract_image(const struct weights &w, const float d[TILE][TILE], float r[TILE][TILE])
{
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) {
            float image = d[k][h];
            if (h > 0) image -= w.across[k][h] * d[k][h - 1];
            if (h < TILE - 1) image -= w.across[k][h + 1] * d[k][h + 1];
            if (k > 0) image -= w.along[k][h] * d[k - 1][h];
            if (k < TILE - 1) image -= w.along[k + 1][h] * d[k + 1][h];
            r[k][h] -= image;
        }
}

template <bool CROSS>
__device__ static inline void add_ring(const struct layout &l, const struct tile &t, const struct weights &w,
                                       const float d[TILE][TILE], const struct ring &o, float r[TILE][TILE])
{
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        r[0][k] += w.along[0][k] * o.south[k + 1];
        r[3][k] += w.along[4][k] * o.north[k + 1];
        r[k][0] += w.across[k][0] * o.west[k];
        r[k][3] += w.across[k][4] * o.east[k];
    }
    if (!CROSS || !t.there) return;
    const float *const rising = words_here() + l.rising + t.y * TILE * l.pitch + PAD + TILE * t.x,
                *const falling = rising + (l.falling - l.rising);
#pragma unroll
    for (int k = 0; k <= TILE; k++)
#pragma unroll
        for (int h = 0; h <= TILE; h++) {  /* the lower left corner of cell (h, k) */
            const float rise = rising[k * l.pitch + h], fall = falling[k * l.pitch + h];
            if (h < TILE && k < TILE) r[k][h] += rise * cell_of(d, o, h - 1, k - 1);
            if (h > 0 && k > 0) r[k - 1][h - 1] += rise * cell_of(d, o, h, k);
            if (h > 0 && k < TILE) r[k][h - 1] += fall * cell_of(d, o, h, k - 1);
            if (h < TILE && k > 0) r[k - 1][h] += fall * cell_of(d, o, h - 1, k);
        }
}

/* x from B x = r by so many steps; eigenvalues of B lie between low and high. */
template <bool CROSS>
__device__ static void iterate(const struct layout &l, const struct tile &t, const struct weights &w, int steps,
                               float low, float high, int *turn, float r[TILE][TILE], float x[TILE][TILE])
{
    const float mean = 0.5f * (high + low), half = 0.5f * (high - low), twice = 2 * mean / half;
    float rate = half / mean, d[TILE][TILE];
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) d[k][h] = r[k][h] / mean, x[k][h] = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        *turn ^= 1;
        publish(l, t, *turn, d);
        cluster_arrive();
        const float next = 1 / (twice - rate), keep = next * rate, add = 2 * next / half;
        rate = next;
        subtract_image(w, d, r);
#pragma unroll
        for (int k = 0; k < TILE; k++)
#pragma unroll
            for (int h = 0; h < TILE; h++) x[k][h] += d[k][h];
        cluster_wait();
        add_ring<CROSS>(l, t, w, d, gather<CROSS>(l, t, *turn), r);
#pragma unroll
        for (int k = 0; k < TILE; k++)
#pragma unroll
            for (int h = 0; h < TILE; h++) d[k][h] = add * r[k][h] + keep * d[k][h];
    }
}

/* Steps that leave `part` of a residual. */
__device__ static int steps_for(double low, double high, double part)
{
    const double ratio = (high + low) / (high - low), steps = acosh(1 / part) / acosh(ratio);
    return !(steps < STEPS) ? STEPS : steps < 1 ? 1 : (int)ceil(steps);
}

/* ------------------------------------------------------------------ a problem */

/* The cells of a tile that there are: h and k within it, `at` in the plane. */
#define FOR_TILE(k, h, at)                                            \
    _Pragma("unroll") for (int k = 0; k < TILE; k++)                  \
        _Pragma("unroll") for (int h = 0, at = (t.j + k) * (int)m.nx + t.i; h < TILE; h++, at++) \
            if (t.there && t.i + h < m.nx && t.j + k < m.ny)

/* @param w  [ny][nx]: scratch of the cluster */
template <bool CROSS>
__device__ static struct elliptic_plane_outcome solve(struct cluster *c, struct shared *s, const struct layout &l,
                                                      const struct tile &t, const struct sw_cuda_elliptic &m,
                                                      double lambda, double target, bool check, int *turn, double *g,
                                                      double *w)
{
    struct elliptic_plane_outcome o = {0, 1};
    struct weights weights;
    float r[TILE][TILE], x[TILE][TILE];
    float *const kept = words_here() + l.scale + threadIdx.x;  /* the scale of the tile's cells */
    const int apart = (int)blockDim.x;
    double value[VALUES] = {0, 0};  /* |rest|², |S rest|²; then those of scale_tile() */
    scale_tile(m, lambda, t, r, value + 2);
    *turn ^= 1;
    publish(l, t, *turn, r);
#pragma unroll
    for (int k = 0; k < TILE * TILE; k++) kept[k * apart] = r[k / TILE][k % TILE];
    FOR_TILE(k, h, at) {
        const double rest = g[at];
        value[0] += rest * rest;
        value[1] += rest * rest * ((double)r[k][h] * r[k][h]);
    }
    reduce<VALUES>(c, s, 3, value);
    o.residual = sqrt(value[0]);
    const double mean = sqrt(value[2] / (double)(m.nx * m.ny)), high = 1.0001 * (1 + value[4]),
                 low = fmin(-0.9999 * value[3], 0.999 * high), leaves = fmax(SINGLE_LEAVES, ROUNDING * high / low);
    if (o.residual > target) make_weights(m, l, t, r, gather<true>(l, t, *turn), &weights);
    double before = 0;
    bool done = false;
    int correction = 0;
    for (; correction < CORRECTIONS && o.residual > target && !(correction > 0 && o.residual > 0.5 * before);
         correction++) {
        const double norm = o.residual, part = 0.5 * target / (mean * sqrt(value[1])), inverse = 1 / norm;
        FOR_TILE(k, h, at) {
            const double rest = correction > 0 ? plane_residual(m, lambda, g, w, t.i + h, t.j + k) : g[at];
            r[k][h] = (float)(rest * inverse) * kept[(TILE * k + h) * apart];
        } else r[k][h] = 0;
        iterate<CROSS>(l, t, weights, steps_for(low, high, fmin(0.5, fmax(part, leaves))), (float)low, (float)high,
                       turn, r, x);
        done = !check && part > 10 * leaves;  /* what is left then follows from the bound: it need not be formed */
        double *const to = done ? g : w;  /* all have read w: they took a step since */
        FOR_TILE(k, h, at) {
            const double more = norm * ((double)kept[(TILE * k + h) * apart] * x[k][h]);
            to[at] = correction > 0 ? w[at] + more : more;
        }
        if (done) break;
        cluster_barrier();
        value[0] = value[1] = 0;
        FOR_TILE(k, h, at) {
            const double rest = plane_residual(m, lambda, g, w, t.i + h, t.j + k);
            value[0] += rest * rest;
            value[1] += rest * rest * ((double)kept[(TILE * k + h) * apart] * kept[(TILE * k + h) * apart]);
        }
        reduce<2>(c, s, 2, value);
        before = norm;
        o.residual = sqrt(value[0]);
    }
    if (!isfinite(o.residual)) o.pq = NAN;
    if (done) o.residual = 0.5 * target;
    else FOR_TILE(k, h, at) g[at] = correction > 0 ? w[at] : 0;
    return o;
}

/* ------------------------------------------------------------------ the queue */

__device__ static struct tile tile_of(const struct sw_cuda_elliptic &m, const struct shape &p, const struct layout &l,
                                      unsigned rank)
{
    struct tile t = {};
    t.x = (int)threadIdx.x % p.tiles;
    t.y = (int)threadIdx.x / p.tiles;
    const int row = (int)rank * p.groups + t.y;
    t.i = TILE * t.x;
    t.j = TILE * row;
    t.there = t.y < p.groups && row < p.all;
    t.row = (2 * t.y + 1) * l.pitch + PAD + TILE * t.x;
    t.column = l.first + t.y * l.columns + TILE * t.x;
    t.below = t.above = NOWHERE;
    t.wrap_first = m.periodic_x && t.x == 0 ? l.first + t.y * l.columns + TILE * p.tiles : -1;
    t.wrap_last = m.periodic_x && t.x == p.tiles - 1 ? l.last + t.y * l.columns : -1;
    if (!t.there) return t;
    /* Rows of edges beyond the last tiles of the plane, and of a block. */
    const int behind = (p.all - 1) % p.groups * 2 + 3, end = 2 * p.groups + 1;
    float *const at = words_here() + PAD + TILE * t.x;
    if (row == 0) {
        if (m.periodic_y) t.below = address_in(at + behind * l.pitch, (unsigned)((p.all - 1) / p.groups));
    } else if (t.y == 0) {
        t.below = address_in(at + end * l.pitch, rank - 1);
    }
    if (row == p.all - 1) {
        if (m.periodic_y) t.above = address_in(at, 0);
    } else if (t.y == p.groups - 1) {
        t.above = address_in(at, rank + 1);
    }
    return t;
}

template <bool CROSS>
__global__ static void __launch_bounds__(THREADS, 1)
    elliptic_plane_chip_k(struct sw_cuda_planes s, struct shape p, bool check, double *scratch)
{
    __shared__ struct shared common;
    struct cluster c = join_cluster((unsigned)p.size, &common.words);
    const struct layout l = layout_of(p, CROSS);
    const struct sw_cuda_elliptic &m = s.matrix;
    const int64_t cells = m.nx * m.ny;
    int turn = 0;
    for (int e = (int)threadIdx.x; e < l.words; e += (int)blockDim.x) words_here()[e] = 0;
    const struct tile t = tile_of(m, p, l, c.rank);
    for (;;) {
        const int next = take_next(&c, s.queue);
        if (next >= s.count) return;
        const int item = s.order[next];
        const double goal = s.goal[item / m.nz];
        if (goal < 0) continue;
        const struct elliptic_plane_outcome o =
            solve<CROSS>(&c, &common, l, t, m, s.lambda[item], goal * s.share[item], check, &turn,
                         s.w + item * cells, scratch + blockIdx.x / (unsigned)p.size * cells);
        if (c.rank == 0 && threadIdx.x == 0) s.outcome[item] = o;
    }
}

/* ------------------------------------------------------------------ */

static int divided(int64_t a, int64_t b) { return (int)((a + b - 1) / b); }

static struct shape shape_of(int64_t nx, int64_t ny, int size)
{
    struct shape p = {divided(nx, TILE), 0, divided(ny, TILE), size, 0};
    p.groups = divided(p.all, size);
    p.threads = divided((int64_t)p.tiles * p.groups, 32) * 32;
    return p;
}

extern "C" int sw_cuda_planes_chip_size(int64_t nx, int64_t ny, bool cross, bool periodic_x, bool periodic_y, int most,
                                        size_t memory)
{
    const int64_t limit = (int64_t)TILE * TILE * THREADS * CLUSTER_MOST;
    if (nx > limit || ny > limit || (periodic_x && nx % TILE) || (periodic_y && ny % TILE)) return 0;
    for (int size = 1; size <= most; size *= 2) {
        const struct shape p = shape_of(nx, ny, size);
        if ((int64_t)p.tiles * p.groups > THREADS) continue;
        return layout_of(p, cross).words * sizeof(float) + sizeof(struct shared) <= memory ? size : 0;
    }
    return 0;
}

extern "C" enum sw_status sw_cuda_planes_on_chip(sw_cuda_stream stream, const struct sw_cuda_planes *s, bool check,
                                                 int clusters, int size, void *work)
{
    const struct sw_cuda_elliptic *m = &s->matrix;
    if (s->count == 0) return SW_OK;
    const struct shape p = shape_of(m->nx, m->ny, size);
    const size_t shared = layout_of(p, m->cross != NULL).words * sizeof(float);
    void (*const kernel)(struct sw_cuda_planes, struct shape, bool, double *) =
        m->cross ? elliptic_plane_chip_k<true> : elliptic_plane_chip_k<false>;
    SW_TRY(allow_shared(kernel, shared));
    return launch(kernel, (long long)clusters * size, p.threads, shared, (cudaStream_t)stream, CLUSTERS(size), *s, p,
                  check, (double *)work);
}
