#ifndef ELLIPTIC_PLANE_TILES_CUH
#define ELLIPTIC_PLANE_TILES_CUH
/* How a plane lies on chip, in the registers and the shared memory of a cluster of thread blocks: tiles of 4 x 4 cells
 * of a thread, what is at their edges, sums over all blocks, and rows of cells where threads side by side have cells
 * side by side. */
#include "cuda/elliptic/cluster.cuh"
#include "cuda/elliptic/elliptic_kernels.h"

enum {
    TILE = 4,
    THREADS = 512,         /* at most */
    PAD = 4,               /* words before and behind a row: what lies beyond walls, and keeps rows aligned      */
    VALUES = 3             /* that are added up at once                                                          */
};

/* How a plane lies in a cluster: block after block has `groups` rows of tiles, and as many rows of cells times 4. */
struct shape {
    int tiles, groups;     /* of a row; of a block                */
    int all;               /* rows of tiles of the plane          */
    int size;              /* blocks                              */
    int threads;
    int rows_on, cells_on; /* from a thread's strip to its next one: rows of tiles, and cells along x */
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
    double number[2];        /* of the queue */
    struct meeting edges[2], values[2], numbers[2];
};

/* Things that come from other blocks, in two places by turns: which one is at hand, and, a bit each, whether the next
 * phase of its meeting is an odd one. */
struct exchange {
    int      turn;
    unsigned odd;
    unsigned bytes;          /* that come each time */
    struct meeting *meeting; /* [2] */
};

/* All threads call it, after all that they leave for this block; then, before they use what has come, wait_for(). */
__device__ static inline void arrive_for(const struct exchange *e) { arrive_at(e->meeting + e->turn, e->bytes); }
__device__ static inline void wait_for(struct exchange *e)
{
    wait_at(e->meeting + e->turn, e->odd >> e->turn & 1);
    e->odd ^= 1u << e->turn;
}

struct exchanges { struct exchange edges, values, numbers; };

/* What a thread knows of its tile. */
struct tile {
    int      x, y;           /* in its block                                                                       */
    int      i, j;           /* its first cell                                                                     */
    bool     there;          /* it has cells                                                                       */
    int      row, column;    /* its lowest row, its `first` in a set                                               */
    int      strip_x, strip_y;  /* of its first strip: a cell of a row, a row of tiles                              */
    uint32_t below, above;   /* addresses where its lowest and its highest row go beside, or NOWHERE                */
    uint32_t meeting_below, meeting_above;  /* of the blocks there                                                  */
    int      wrap_first, wrap_last;  /* likewise its columns, in a set, or -1                                      */
};
static constexpr uint32_t NOWHERE = ~0u;

/* ------------------------------------------------------------------ sums */

/* The sums of values over a cluster, in a fixed order. */
template <int COUNT>
__device__ static void reduce(const struct cluster *c, struct shared *s, struct exchange *e, double *value)
{
    const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
#pragma unroll
    for (int v = 0; v < COUNT; v++) {
        for (int w = 16; w > 0; w /= 2) value[v] += __shfl_xor_sync(~0u, value[v], w);
        if (threadIdx.x % 32 == 0) s->of_warp[v][warp] = value[v];
    }
    __syncthreads();
    e->turn ^= 1;
    e->bytes = COUNT * c->size * (unsigned)sizeof(double);
    const int turn = e->turn;
    if (threadIdx.x < COUNT * c->size) {
        const int v = (int)(threadIdx.x / c->size);
        const unsigned to = threadIdx.x % c->size;
        double all = s->of_warp[v][0];
        for (int w = 1; w < warps; w++) all += s->of_warp[v][w];
        send_to(address_in(&s->value[turn][v][c->rank], to), all, address_in(e->meeting + turn, to));
    }
    arrive_for(e);
    wait_for(e);
#pragma unroll
    for (int v = 0; v < COUNT; v++) {
        value[v] = s->value[turn][v][0];
        for (unsigned k = 1; k < c->size; k++) value[v] += s->value[turn][v][k];
    }
}

/* ------------------------------------------------------------------ edges of tiles */

/* Send the edges of a field to where neighbours find them after their next meeting. */
__device__ static inline void publish(const struct layout &l, const struct tile &t, int turn, const float f[TILE][TILE])
{
    if (!t.there) return;
    float *const set = words_here() + turn * l.set, *const row = set + t.row, *const column = set + t.column;
    const float4 low = make_float4(f[0][0], f[0][1], f[0][2], f[0][3]),
                 high = make_float4(f[3][0], f[3][1], f[3][2], f[3][3]),
                 first = make_float4(f[0][0], f[1][0], f[2][0], f[3][0]),
                 last = make_float4(f[0][3], f[1][3], f[2][3], f[3][3]);
    const uint32_t set_bytes = turn * l.set * (uint32_t)sizeof(float),
                   meeting_bytes = turn * (uint32_t)sizeof(struct meeting);
    if (t.below != NOWHERE) send_to(t.below + set_bytes, low, t.meeting_below + meeting_bytes);
    if (t.above != NOWHERE) send_to(t.above + set_bytes, high, t.meeting_above + meeting_bytes);
    *(float4 *)row = low;
    *(float4 *)(row + l.pitch) = high;
    *(float4 *)column = first;
    *(float4 *)(column + (l.last - l.first) + TILE) = last;
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

/* Where strips lie: a thread's first one, then the next ones. */
struct strips { int x, y; };

__device__ static inline struct strip next_strip(const struct sw_cuda_elliptic &m, const struct shape &p,
                                                 const struct layout &l, unsigned rank, struct strips *of)
{
    const int x = of->x, y = of->y, j = TILE * ((int)rank * p.groups + y), rows = (int)m.ny - j;
    const bool there = y < p.groups && x < (int)m.nx && rows > 0;
    of->x += p.cells_on, of->y += p.rows_on;
    if (of->x >= l.width) of->x -= l.width, of->y++;
    return strip{x, j, TILE * y * l.width + x, !there ? 0 : rows < TILE ? rows : TILE};
}

/* ------------------------------------------------------------------ where a thread has its tile */

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
    t.strip_x = (int)threadIdx.x % l.width;
    t.strip_y = (int)threadIdx.x / l.width;
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
#endif
