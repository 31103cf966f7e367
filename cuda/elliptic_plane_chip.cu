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
 * of them for 1e-7 and a condition number below 1000. A block waits once an iteration, for its warps and for rows at
 * the edges of the blocks beside it, which they send; it forms meanwhile what it can of B d.
 *
 * A thread has a tile of 4 x 4 cells: r, d, x and the weights of B in 88 registers. It reads and writes 16 words at its
 * edges an iteration each way, a word a cell; cross terms read 50 weights more. Operations: 13 a cell, 21 with cross
 * terms. A problem moves 1 word in and out and 1.5 of weights in single precision, and where residuals are formed again
 * 6 more, most of them from the L2 cache. What is in double lies in device memory, and threads side by side take
 * columns side by side of it: r and x change places with the tiles by way of shared memory. */
#include "cluster.cuh"
#include "elliptic/elliptic_plane_point.h"
#include "launch.cuh"
#include "sw_cuda.h"

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
    int width;             /* of rows of scale and field, cells of a row of tiles     */
    int scale, field;      /* [4 groups][width], behind both sets                     */
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
    l.width = TILE * s.tiles;
    l.scale = 2 * l.set;
    l.field = l.scale + TILE * s.groups * l.width;
    l.rising = l.field + TILE * s.groups * l.width;
    l.falling = l.rising + (cross ? l.pitch * (TILE * s.groups + 1) : 0);
    l.words = l.falling + (cross ? l.pitch * (TILE * s.groups + 1) : 0);
    return l;
}

__device__ static inline float *words_here()
{
    extern __shared__ float4 dynamic[];
    return (float *)dynamic;
}

/* The weights of A in single precision, one plane after another: area, east, north, cross; 0 beyond the cells, in rows
 * that tiles read as they are. */
__host__ __device__ static inline int64_t pitch_of(const struct shape &s) { return TILE * (s.tiles + 1); }
__host__ __device__ static inline int64_t words_of_plane(const struct shape &s)
{
    return pitch_of(s) * (TILE * s.all + 1);
}

struct shared {
    double value[2][VALUES][CLUSTER_MOST];
    double of_warp[VALUES][THREADS / 32];
    struct cluster_words words;
    struct meeting meeting[2];
};

/* Edges change hands: which set is at hand, and how often each meeting has been held. */
struct exchange {
    int      turn;
    unsigned held[2];
    unsigned bytes;          /* that other blocks send each time */
    struct meeting *meeting; /* [2] */
};

/* What a thread knows of its tile. */
struct tile {
    int      x, y;           /* in its block                                                                       */
    int      i, j;           /* its first cell                                                                     */
    bool     there;          /* it has cells                                                                       */
    int      row, column;    /* its lowest row, its `first` in a set                                               */
    uint32_t below, above;   /* addresses where its lowest and its highest row go beside, or NOWHERE                */
    uint32_t meeting_below, meeting_above;  /* of the blocks there                                                  */
    int      wrap_first, wrap_last;  /* likewise its columns, in a set, or -1                                      */
};
static constexpr uint32_t NOWHERE = ~0u;

/* ------------------------------------------------------------------ reductions */

/* The first SUMS values are added up, of the others the largest is taken; all over a cluster, in a fixed order. */
template <int COUNT, int SUMS> __device__ static void reduce(struct cluster *c, struct shared *s, double *value)
{
    const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
#pragma unroll
    for (int v = 0; v < COUNT; v++) {
        for (int w = 16; w > 0; w /= 2) {
            const double other = __shfl_xor_sync(~0u, value[v], w);
            value[v] = v < SUMS ? value[v] + other : fmax(value[v], other);
        }
        if (threadIdx.x % 32 == 0) s->of_warp[v][warp] = value[v];
    }
    __syncthreads();
    c->turn ^= 1;
    const int turn = c->turn;
    if (threadIdx.x < COUNT * c->size) {
        const int v = (int)(threadIdx.x / c->size);
        double all = s->of_warp[v][0];
        for (int w = 1; w < warps; w++) all = v < SUMS ? all + s->of_warp[v][w] : fmax(all, s->of_warp[v][w]);
        in_block(s, threadIdx.x % c->size)->value[turn][v][c->rank] = all;
    }
    cluster_barrier();
#pragma unroll
    for (int v = 0; v < COUNT; v++) {
        value[v] = s->value[turn][v][0];
        for (unsigned k = 1; k < c->size; k++)
            value[v] = v < SUMS ? value[v] + s->value[turn][v][k] : fmax(value[v], s->value[turn][v][k]);
    }
}

/* ------------------------------------------------------------------ edges of tiles */

/* Put the edges of a field where neighbours find them: after the next barrier of the cluster, or with SENDS after the
 * meeting. */
template <bool SENDS>
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
    const uint32_t set_bytes = turn * l.set * (uint32_t)sizeof(float),
                   meeting_bytes = turn * (uint32_t)sizeof(struct meeting);
    if (SENDS) {
        if (t.below != NOWHERE) send_to(t.below + set_bytes, low, t.meeting_below + meeting_bytes);
        if (t.above != NOWHERE) send_to(t.above + set_bytes, high, t.meeting_above + meeting_bytes);
    } else {
        if (t.below != NOWHERE) store_at(t.below + set_bytes, low);
        if (t.above != NOWHERE) store_at(t.above + set_bytes, high);
    }
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

/* ------------------------------------------------------------------ tiles and rows of cells */

/* Where the rows of scale or field have a thread's tile. */
__device__ static inline float *tile_in(const struct layout &l, int rows, const struct tile &t)
{
    return words_here() + rows + TILE * (t.y * l.width + t.x);
}

__device__ static inline void put_tile(const struct layout &l, int rows, const struct tile &t,
                                       const float f[TILE][TILE])
{
    if (!t.there) return;
#pragma unroll
    for (int k = 0; k < TILE; k++)
        *(float4 *)(tile_in(l, rows, t) + k * l.width) = make_float4(f[k][0], f[k][1], f[k][2], f[k][3]);
}

__device__ static inline void read_four(const float *from, float *to)
{
    const float4 v = *(const float4 *)from;
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

/* 0 where there is no cell. */
__device__ static inline void take_tile(const struct sw_cuda_elliptic &m, const struct layout &l, int rows,
                                        const struct tile &t, float f[TILE][TILE])
{
    if (!t.there) return;
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        read_four(tile_in(l, rows, t) + k * l.width, f[k]);
#pragma unroll
        for (int h = 0; h < TILE; h++)
            if (t.i + h >= (int)m.nx || t.j + k >= (int)m.ny) f[k][h] = 0;
    }
}

/* A column of TILE cells of a block, which has TILE times as many as threads: neighbours of a warp are neighbours. */
struct strip {
    int  i, j;               /* its first cell in the plane                                                        */
    int  at;                 /* that cell in rows of scale or field                                                */
    int  cells;              /* that there are: TILE or fewer                                                      */
};

/* @param number  0, 1 .. */
__device__ static inline struct strip strip_of(const struct sw_cuda_elliptic &m, const struct shape &p,
                                               const struct layout &l, unsigned rank, int number)
{
    const int e = number * (int)blockDim.x + (int)threadIdx.x, y = e / l.width, i = e - y * l.width,
              j = TILE * ((int)rank * p.groups + y), rows = (int)m.ny - j;
    const bool there = y < p.groups && i < (int)m.nx && rows > 0;
    const struct strip s = {i, j, TILE * y * l.width + i, !there ? 0 : rows < TILE ? rows : TILE};
    return s;
}

/* ------------------------------------------------------------------ the matrix of a mode */

/* Weights towards west and south of each cell, and of the cells behind the last ones; first those of A, then of B. */
struct weights { float across[TILE][TILE + 1], along[TILE + 1][TILE]; };

/* Weights of A, and 1/sqrt(diagonal), which is 0 where there is no cell.
 * diagonal_sum, least: out: sum of the diagonal; -lambda area/diagonal at most */
template <bool CROSS>
__device__ static void read_weights(const struct sw_cuda_elliptic &m, const float *planes, int pitch, int64_t plane,
                                    double lambda, const struct tile &t, struct weights *w, float scale[TILE][TILE],
                                    double *diagonal_sum, double *least_zero)
{
    const float *const at = planes + (int64_t)t.j * pitch + t.i;
    float sum = 0, least = -1;
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        read_four(at + plane + k * pitch, w->across[k]);
        w->across[k][TILE] = at[plane + k * pitch + TILE];
    }
#pragma unroll
    for (int k = 0; k <= TILE; k++) read_four(at + 2 * plane + k * pitch, w->along[k]);
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        float area[TILE], south[TILE + 1], north[TILE + 1];
        read_four(at + k * pitch, area);
        if (CROSS) {
            const float *const corner = at + 3 * plane + k * pitch;
            read_four(corner, south), south[TILE] = corner[TILE];
            read_four(corner + pitch, north), north[TILE] = corner[pitch + TILE];
        }
#pragma unroll
        for (int h = 0; h < TILE; h++) {
            const float zero = (float)lambda * area[h];
            float diagonal =
                zero + ((w->across[k][h] + w->across[k][h + 1]) + (w->along[k][h] + w->along[k + 1][h]));
            if (CROSS) diagonal += 0.5f * ((south[h] - south[h + 1]) + (north[h + 1] - north[h]));
            const bool there = t.i + h < m.nx && t.j + k < m.ny;
            scale[k][h] = there ? rsqrtf(diagonal) : 0;
            if (there) sum += diagonal, least = fmaxf(least, -zero / diagonal);
        }
    }
    *diagonal_sum = sum;
    *least_zero = least;
}

/* Weights of B from those of A. @return the largest sum of absolute values of what is beside the diagonal of a row */
template <bool CROSS>
__device__ static float scale_weights(const float *planes, int pitch, int64_t plane, const struct layout &l,
                                      const struct tile &t, const float scale[TILE][TILE], const struct ring &around,
                                      struct weights *w)
{
    float beside[TILE][TILE], most = 0;
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h <= TILE; h++)
            w->across[k][h] *= cell_of(scale, around, h - 1, k) * cell_of(scale, around, h, k);
#pragma unroll
    for (int k = 0; k <= TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++)
            w->along[k][h] *= cell_of(scale, around, h, k - 1) * cell_of(scale, around, h, k);
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++)
            beside[k][h] = (fabsf(w->across[k][h]) + fabsf(w->across[k][h + 1])) +
                           (fabsf(w->along[k][h]) + fabsf(w->along[k + 1][h]));
    if (CROSS) {
        const float *const from = planes + 3 * plane + (int64_t)t.j * pitch + t.i;
        float *const at = words_here() + t.y * TILE * l.pitch + PAD + TILE * t.x;
#pragma unroll
        for (int k = 0; k <= TILE; k++)
#pragma unroll
            for (int h = 0; h <= TILE; h++) {  /* the lower left corner of cell (h, k); 0 on the walls */
                const float half = 0.5f * from[k * pitch + h],
                            rise = half * (cell_of(scale, around, h - 1, k - 1) * cell_of(scale, around, h, k)),
                            fall = -half * (cell_of(scale, around, h - 1, k) * cell_of(scale, around, h, k - 1));
                if (h < TILE) at[l.rising + k * l.pitch + h] = rise, at[l.falling + k * l.pitch + h] = fall;
                if (h < TILE && k < TILE) beside[k][h] += fabsf(rise);
                if (h > 0 && k > 0) beside[k - 1][h - 1] += fabsf(rise);
                if (h > 0 && k < TILE) beside[k][h - 1] += fabsf(fall);
                if (h < TILE && k > 0) beside[k - 1][h] += fabsf(fall);
            }
    }
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) most = fmaxf(most, beside[k][h]);
    return most;
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
                               float low, float high, struct exchange *e, float r[TILE][TILE],
                               float x[TILE][TILE])
{
    const float mean = 0.5f * (high + low), half = 0.5f * (high - low), twice = 2 * mean / half, scaled = 2 / half;
    float rate = half / mean, d[TILE][TILE];
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) d[k][h] = r[k][h] / mean, x[k][h] = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        e->turn ^= 1;
        publish<true>(l, t, e->turn, d);
        arrive_at(e->meeting + e->turn, e->bytes);
        const float next = __fdividef(1, twice - rate), keep = next * rate, add = next * scaled;
        rate = next;
        subtract_image(w, d, r);
#pragma unroll
        for (int k = 0; k < TILE; k++)
#pragma unroll
            for (int h = 0; h < TILE; h++) x[k][h] += d[k][h];
        const unsigned held = e->turn ? e->held[1]++ : e->held[0]++;
        wait_at(e->meeting + e->turn, held % 2);
        add_ring<CROSS>(l, t, w, d, gather<CROSS>(l, t, e->turn), r);
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

/* One row or column further, or back, where there is a cell; else itself, and *there is false. */
__device__ static inline int beside(int i, int step, int n, bool periodic, bool *there)
{
    const int to = i + step;
    *there = periodic || (to >= 0 && to < n);
    if (to < 0) return periodic ? n - 1 : i;
    return to < n ? to : periodic ? 0 : i;
}

/* r = S (g - A w)/unit into the rows of field, A in double, by differences.
 * sums: out: |g - A w|², |r|²
 * @param correction  the first one, 0, has w = 0 */
template <bool CROSS>
__device__ static inline void form_residual(const struct sw_cuda_elliptic &m, const struct shape &p,
                                            const struct layout &l, unsigned rank, double lambda, const double *g,
                                            const double *w, int correction, double unit, double *sums)
{
    const int nx = (int)m.nx, ny = (int)m.ny;
    const double inverse = 1 / unit;
    sums[0] = sums[1] = 0;
#pragma unroll 1
    for (int number = 0; number < TILE; number++) {
        const struct strip s = strip_of(m, p, l, rank, number);
        double rest[TILE];
        if (s.cells == 0) continue;
        const int own = s.j * nx + s.i, last = s.cells - 1;
#pragma unroll
        for (int k = 0; k < TILE; k++) rest[k] = g[own + (k < last ? k : last) * nx];
        if (correction > 0) {
            bool has_west, has_east, has_south, has_north;
            const int west = beside(s.i, -1, nx, m.periodic_x, &has_west),
                      east = beside(s.i, 1, nx, m.periodic_x, &has_east),
                      south = beside(s.j, -1, ny, m.periodic_y, &has_south),
                      north = beside(s.j + last, 1, ny, m.periodic_y, &has_north);
            double at[TILE + 2], left[TILE + 2], right[TILE + 2];
#pragma unroll
            for (int k = 0; k < TILE + 2; k++) {  /* rows beside each other; those behind the last cell are not used */
                const int row = k == 0 ? south : k - 1 > last ? north : s.j + k - 1;
                const bool there = k == 0 ? has_south : k - 1 > last ? has_north : true;
                at[k] = there ? w[row * nx + s.i] : 0;
                left[k] = (CROSS || (k > 0 && k <= TILE)) && there && has_west ? w[row * nx + west] : 0;
                right[k] = (CROSS || (k > 0 && k <= TILE)) && there && has_east ? w[row * nx + east] : 0;
            }
#pragma unroll
            for (int k = 0; k < TILE; k++) {
                const int j = s.j + (k < last ? k : last);
                const double *const across = m.east + (int64_t)j * (nx + 1) + s.i, *const along = m.north + own +
                             (k < last ? k : last) * nx;
                const double here = at[k + 1];
                rest[k] -= lambda * m.area[j * nx + s.i] * here +
                           ((across[0] * (here - left[k + 1]) + across[1] * (here - right[k + 1])) +
                            (along[0] * (here - at[k]) + along[nx] * (here - at[k + 2])));
                if (!CROSS) continue;
                const double *const corner = m.cross + (int64_t)j * (nx + 1) + s.i;  /* 0 at the walls */
                rest[k] -= 0.5 * ((corner[0] * (here - left[k]) - corner[1] * (here - right[k])) +
                                  (corner[nx + 2] * (here - right[k + 2]) - corner[nx + 1] * (here - left[k + 2])));
            }
        }
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            if (k > last) continue;
            const float r = (float)(rest[k] * inverse) * words_here()[l.scale + s.at + k * l.width];
            words_here()[l.field + s.at + k * l.width] = r;
            sums[0] += rest[k] * rest[k];
            sums[1] += (double)r * r;
        }
    }
}

/* to = w + unit S x, x in the rows of field; of correction 0 w counts as 0. */
__device__ static inline void add_correction(const struct sw_cuda_elliptic &m, const struct shape &p,
                                             const struct layout &l, unsigned rank, int correction, double unit,
                                             const double *w, double *to)
{
#pragma unroll 1
    for (int number = 0; number < TILE; number++) {
        const struct strip s = strip_of(m, p, l, rank, number);
        const int own = s.j * (int)m.nx + s.i;
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            if (k >= s.cells) continue;
            const int at = own + k * (int)m.nx, row = s.at + k * l.width;
            const double more = unit * ((double)words_here()[l.scale + row] * words_here()[l.field + row]);
            to[at] = correction > 0 ? w[at] + more : more;
        }
    }
}

/* g = w, or 0 where w has not been written. */
__device__ static inline void copy_result(const struct sw_cuda_elliptic &m, const struct shape &p,
                                          const struct layout &l, unsigned rank, bool written, const double *w,
                                          double *g)
{
#pragma unroll 1
    for (int number = 0; number < TILE; number++) {
        const struct strip s = strip_of(m, p, l, rank, number);
        for (int k = 0; k < s.cells; k++) {
            const int at = (s.j + k) * (int)m.nx + s.i;
            g[at] = written ? w[at] : 0;
        }
    }
}

/* @param w  [ny][nx]: scratch of the cluster */
template <bool CROSS>
__device__ static struct elliptic_plane_outcome solve(struct cluster *c, struct shared *s, const struct shape &p,
                                                      const struct layout &l, const struct tile &t,
                                                      const struct sw_cuda_elliptic &m, const float *planes, int pitch,
                                                      int64_t plane, double lambda, double target, bool check,
                                                      struct exchange *e, double *g, double *w)
{
    struct elliptic_plane_outcome o = {0, 1};
    struct weights weights = {};
    float r[TILE][TILE] = {}, x[TILE][TILE] = {};
    double value[VALUES] = {0, 0, 0, -1, 0}, before = 0;  /* of the diagonal; |g - A w|², |r|²; bounds, two */
    if (t.there) read_weights<CROSS>(m, planes, pitch, plane, lambda, t, &weights, r, &value[0], &value[3]);
    e->turn ^= 1;
    publish<false>(l, t, e->turn, r);
    put_tile(l, l.scale, t, r);
    cluster_barrier();
    if (t.there)
        value[4] = scale_weights<CROSS>(planes, pitch, plane, l, t, r, gather<true>(l, t, e->turn), &weights);
    form_residual<CROSS>(m, p, l, c->rank, lambda, g, w, 0, target, value + 1);
    reduce<5, 3>(c, s, value);
    /* |g - A w|² = sum of diagonal r², and what is left of r is spread evenly: the mean of the diagonal will do. */
    const double mean = sqrt(value[0] / (double)(m.nx * m.ny)), high = 1.0001 * (1 + value[4]),
                 low = fmin(-0.9999 * value[3], 0.999 * high), leaves = fmax(SINGLE_LEAVES, ROUNDING * high / low);
    bool done = false;
    int correction = 0;
    for (;; correction++) {
        if (correction > 0) {
            cluster_barrier();
            form_residual<CROSS>(m, p, l, c->rank, lambda, g, w, correction, target, value + 1);
            reduce<2, 2>(c, s, value + 1);
        }
        o.residual = sqrt(value[1]);
        if (correction == CORRECTIONS || !(o.residual > target)) break;
        if (correction > 0 && o.residual > 0.5 * before) break;
        before = o.residual;
        const double part = 0.5 / (mean * sqrt(value[2]));  /* of r, whose unit is the target */
        take_tile(m, l, l.field, t, r);
        iterate<CROSS>(l, t, weights, steps_for(low, high, fmin(0.5, fmax(part, leaves))), (float)low, (float)high,
                       e, r, x);
        done = !check && part > 10 * leaves;  /* what is left then follows from the bound: it need not be formed */
        put_tile(l, l.field, t, x);
        __syncthreads();
        /* to g or w: all have read both, as they took a step since */
        add_correction(m, p, l, c->rank, correction, target, w, done ? g : w);
        if (done) break;
    }
    if (!isfinite(o.residual)) o.pq = NAN;
    if (done) o.residual = 0.5 * target;
    else copy_result(m, p, l, c->rank, correction > 0, w, g);
    return o;
}

/* ------------------------------------------------------------------ the queue */

__device__ static struct tile tile_of(const struct sw_cuda_elliptic &m, const struct shape &p, const struct layout &l,
                                      unsigned rank, const struct meeting *meeting)
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
        const unsigned to = (unsigned)((p.all - 1) / p.groups);
        if (m.periodic_y) t.below = address_in(at + behind * l.pitch, to), t.meeting_below = address_in(meeting, to);
    } else if (t.y == 0) {
        t.below = address_in(at + end * l.pitch, rank - 1), t.meeting_below = address_in(meeting, rank - 1);
    }
    if (row == p.all - 1) {
        if (m.periodic_y) t.above = address_in(at, 0), t.meeting_above = address_in(meeting, 0);
    } else if (t.y == p.groups - 1) {
        t.above = address_in(at, rank + 1), t.meeting_above = address_in(meeting, rank + 1);
    }
    return t;
}

/* Bytes of edges that come to a block: rows of the blocks beside it, and across a periodic side. */
__device__ static inline unsigned bytes_to(const struct sw_cuda_elliptic &m, const struct shape &p, int rank)
{
    const int last = (p.all - 1) / p.groups,
              rows = (rank > 0 && rank <= last) + (rank < last) + (m.periodic_y && rank == last) +
                     (m.periodic_y && rank == 0);
    return (unsigned)(rows * p.tiles * (int)sizeof(float4));
}

template <bool CROSS>
__global__ static void __launch_bounds__(THREADS, 1)
    elliptic_plane_chip_k(struct sw_cuda_planes s, struct shape p, const float *planes, bool check, double *scratch)
{
    __shared__ struct shared common;
    struct cluster c = join_cluster((unsigned)p.size, &common.words);
    const struct layout l = layout_of(p, CROSS);
    const struct sw_cuda_elliptic &m = s.matrix;
    const int64_t cells = m.nx * m.ny;
    const int pitch = (int)pitch_of(p);
    const int64_t plane = words_of_plane(p);
    struct exchange e = {0, {0, 0}, bytes_to(m, p, (int)c.rank), common.meeting};
    for (int k = (int)threadIdx.x; k < l.words; k += (int)blockDim.x) words_here()[k] = 0;
    if (threadIdx.x == 0)
        for (int k = 0; k < 2; k++) begin_meeting(common.meeting + k, blockDim.x / 32);
    const struct tile t = tile_of(m, p, l, c.rank, common.meeting);
    for (;;) {
        const int next = take_next(&c, s.queue);
        if (next >= s.count) return;
        const int item = s.order[next];
        const double goal = s.goal[item / m.nz];
        if (goal < 0) continue;
        const struct elliptic_plane_outcome o =
            solve<CROSS>(&c, &common, p, l, t, m, planes, pitch, plane, s.lambda[item], goal * s.share[item], check,
                         &e, s.w + item * cells, scratch + blockIdx.x / (unsigned)p.size * cells);
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

extern "C" size_t sw_cuda_planes_chip_words(int64_t nx, int64_t ny, bool cross)
{
    return (size_t)words_of_plane(shape_of(nx, ny, 1)) * (cross ? 4 : 3);
}

extern "C" void sw_cuda_planes_chip_pack(const struct sw_cuda_elliptic *m, float *planes)
{
    const struct shape p = shape_of(m->nx, m->ny, 1);
    const int64_t pitch = pitch_of(p), plane = words_of_plane(p);
    const double *const from[] = {m->area, m->east, m->north, m->cross};
    for (int k = 0; k < (m->cross ? 4 : 3); k++) {
        const int64_t columns = m->nx + k % 2, rows = m->ny + k / 2;
        for (int64_t e = 0; e < plane; e++) {
            const int64_t i = e % pitch, j = e / pitch;
            planes[k * plane + e] = i < columns && j < rows ? (float)from[k][j * columns + i] : 0;
        }
    }
}

extern "C" enum sw_status sw_cuda_planes_on_chip(sw_cuda_stream stream, const struct sw_cuda_planes *s,
                                                 const float *planes, bool check, int clusters, int size, void *work)
{
    const struct sw_cuda_elliptic *m = &s->matrix;
    if (s->count == 0) return SW_OK;
    const struct shape p = shape_of(m->nx, m->ny, size);
    const size_t shared = layout_of(p, m->cross != NULL).words * sizeof(float);
    void (*const kernel)(struct sw_cuda_planes, struct shape, const float *, bool, double *) =
        m->cross ? elliptic_plane_chip_k<true> : elliptic_plane_chip_k<false>;
    SW_TRY(allow_shared(kernel, shared));
    return launch(kernel, (long long)clusters * size, p.threads, shared, (cudaStream_t)stream, CLUSTERS(size), *s, p,
                  planes, check, (double *)work);
}
