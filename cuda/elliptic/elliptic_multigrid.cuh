#ifndef ELLIPTIC_MULTIGRID_CUH
#define ELLIPTIC_MULTIGRID_CUH
/* What the kernels of multigrid share: where a thread's column is and what lies around it, sums over all blocks of a
 * system, and how a launch is divided among systems, columns and levels. */
#include "cuda/launch.cuh"
#include "cuda/elliptic/elliptic_kernels.h"

enum { TILE = ELLIPTIC_TILE, THREADS = 256, RING = SW_CUDA_MULTIGRID_RING };
enum kind { CONSTANT, CROSS, VARIABLE };  /* 5 points; 9 points; 5 points with weights of each face */

typedef struct sw_cuda_multigrid_state state;

static inline enum kind kind_of(const struct sw_cuda_multigrid_grid &g)
{
    return g.x ? VARIABLE : g.corner ? CROSS : CONSTANT;
}

/* ------------------------------------------------------------------ columns */

/* A thread's column; one without a cell stands in for it, inside = false. */
struct place { int colour, i, j, m; bool inside; };

__device__ static inline place place_at(const struct elliptic_planes &p, int colour, int j, int m)
{
    place at;
    at.i = p.colours == 2 ? 2 * m + ((j + colour) & 1) : m;
    at.inside = j < p.ny && at.i < p.nx;
    at.colour = colour;
    at.j = j;
    at.m = m;
    if (!at.inside) at.i = at.m = at.j = 0;
    return at;
}

/* Of a cell that is there. */
__device__ static inline place cell_at(const struct elliptic_planes &p, int i, int j)
{
    return place{elliptic_colour(&p, i, j), i, j, elliptic_entry(&p, i), true};
}

/* By its number in the plane of its colour. */
__device__ static inline place place_of(const struct elliptic_planes &p, int colour, unsigned t)
{
    const unsigned row = (unsigned)p.tiles * TILE, j = t / row;
    return place_at(p, colour, (int)j, (int)(t - j * row));
}

/* Whether a column is this rank's. */
__device__ static inline bool is_own(const struct sw_cuda_multigrid_grid &g, const place &at)
{
    return at.inside && (unsigned)(at.j - g.begin) < (unsigned)g.rows;
}

/* Where a column's cell of level 0 is in a field, from the beginning of its colour's plane, and the cells around it in
 * the plane of its neighbours, relative to that; the same entry where there is none. */
__device__ static inline long long entry_of(const struct elliptic_planes &p, const place &at)
{
    return elliptic_in_rows(at.j, p.tiles, p.nz, at.m);
}

struct around { long long west, east, south, north; };

__device__ static inline around around_of(const struct sw_cuda_multigrid_grid &g, const place &at)
{
    const struct elliptic_planes &p = g.planes;
    const long long row = (long long)p.tiles * p.nz * TILE, own = elliptic_in_rows(0, p.tiles, p.nz, at.m);
    const int west = at.i > 0 ? at.i - 1 : g.periodic_x ? p.nx - 1 : -1,
              east = at.i < p.nx - 1 ? at.i + 1 : g.periodic_x ? 0 : -1;
    around a;
    a.west = west < 0 ? 0 : elliptic_in_rows(0, p.tiles, p.nz, elliptic_entry(&p, west)) - own;
    a.east = east < 0 ? 0 : elliptic_in_rows(0, p.tiles, p.nz, elliptic_entry(&p, east)) - own;
    a.south = at.j > 0 ? -row : g.periodic_y ? (p.ny - 1) * row : 0;
    a.north = at.j < p.ny - 1 ? row : g.periodic_y ? -(p.ny - 1) * row : 0;
    return a;
}

/* Its plane and that of its neighbours in a field. */
__device__ static inline long long own_plane(const struct elliptic_planes &p, const place &at)
{
    return at.colour * elliptic_plane(&p);
}

__device__ static inline long long other_plane(const struct elliptic_planes &p, const place &at)
{
    return p.colours == 2 ? (1 - at.colour) * elliptic_plane(&p) : 0;
}

/* A column's number in arrays of a number a column. */
__device__ static inline long long column_of(const struct elliptic_planes &p, const place &at)
{
    return elliptic_in_rows((long long)at.colour * p.ny + at.j, p.tiles, 1, at.m);
}

/* Faces of a column of a variable system: their weights at its lowest level. `has`: neighbours, a bit each. */
struct faces { const float *west, *east, *south, *north, *below; unsigned has; };

__device__ static inline faces faces_of(const struct sw_cuda_multigrid_grid &g, int system, const place &at)
{
    const struct elliptic_planes &p = g.planes;
    const float *x = g.x + system * elliptic_x_faces(&p), *y = g.y + system * elliptic_y_faces(&p),
                *z = g.z + system * elliptic_z_faces(&p);
    faces f;
    f.west = x + elliptic_x_face(&p, at.i, at.j);
    f.east = x + elliptic_x_face(&p, at.i + 1, at.j);
    f.south = y + elliptic_y_face(&p, at.i, at.j);
    f.north = y + elliptic_y_face(&p, at.i, at.j + 1);
    f.below = z + elliptic_z_face(&p, at.i, at.j);
    f.has = (at.i > 0 || g.periodic_x) | (at.i < p.nx - 1 || g.periodic_x) << 1 | (at.j > 0 || g.periodic_y) << 2 |
            (at.j < p.ny - 1 || g.periodic_y) << 3;
    return f;
}

/* A column's weights where they are the same on all levels. */
struct weights { float4 side, column, corner; };

template <int KIND>
__device__ static inline weights weights_of(const struct sw_cuda_multigrid_grid &g, int system, const place &at)
{
    const long long c = column_of(g.planes, at), of = system * g.own / 4 + c;
    weights w;
    w.side = w.corner = make_float4(0, 0, 0, 0);
    w.column = ((const float4 *)g.column)[of];
    if (KIND != VARIABLE) w.side = ((const float4 *)g.side)[of];
    if (KIND == CROSS) w.corner = ((const float4 *)g.corner)[c];
    return w;
}

/* A column's neighbours in a field, at its lowest level. */
template <int KIND> struct nearby {
    const float *west, *east, *south, *north;
    const float *own, *corner[4];     /* south-west, -east, north-west, -east; of CROSS */
};

/* @param own, other  at the column's entry in its plane and in that of its neighbours */
template <int KIND>
__device__ static inline nearby<KIND> nearby_of(const around &a, const float *own, const float *other)
{
    nearby<KIND> n;
    n.west = other + a.west;
    n.east = other + a.east;
    n.south = other + a.south;
    n.north = other + a.north;
    n.own = own;
    if (KIND == CROSS) {  /* of the column's own colour */
        n.corner[0] = own + a.south + a.west;
        n.corner[1] = own + a.south + a.east;
        n.corner[2] = own + a.north + a.west;
        n.corner[3] = own + a.north + a.east;
    }
    return n;
}

/* What corners bring to a cell: 5 loads of u, 12 operations. @param of  words from the lowest level to this one */
__device__ static inline float corners(const weights &w, const nearby<CROSS> &u, int of)
{
    const float own = u.own[of];
    return (w.corner.x * (u.corner[0][of] - own) + w.corner.y * (u.corner[1][of] - own)) +
           (w.corner.z * (u.corner[2][of] - own) + w.corner.w * (u.corner[3][of] - own));
}

/* (M - A) u in a level, M = A without neighbours; over area d, of variable systems complete. 4 loads of u, 7
 * operations; 9 and 19 with corners. @param of  words from the lowest level to this one */
template <int KIND>
__device__ static inline float neighbours(const weights &w, const faces &f, const nearby<KIND> &u, int of)
{
    const float west = u.west[of], east = u.east[of], south = u.south[of], north = u.north[of];
    if (KIND == VARIABLE)
        return ((f.has & 1 ? f.west[of] * west : 0) + (f.has & 2 ? f.east[of] * east : 0)) +
               ((f.has & 4 ? f.south[of] * south : 0) + (f.has & 8 ? f.north[of] * north : 0));
    float sum = (w.side.x * west + w.side.y * east) + (w.side.z * south + w.side.w * north);
    if constexpr (KIND == CROSS) sum += corners(w, u, of);
    return sum;
}

/* ------------------------------------------------------------------ pieces of a grid */

/* Blocks of 8 warps, a tile and some levels each, in rows that lie side by side: rows of both colours together, which
 * look at each other. */
enum {
    STEPS = 8, WARPS = THREADS / 32,
    MARCH = 16             /* levels of a direction */
};

struct pieces { int colours, rows, tiles, parts; };  /* rows: blocks that they take */

static inline struct pieces pieces_of(const struct elliptic_planes &p, int colours, int steps)
{
    const int together = WARPS / colours;
    return {colours, (p.ny + together - 1) / together, p.tiles, (p.nz + steps - 1) / steps};
}

static inline long long blocks_in(const struct pieces &p) { return (long long)p.rows * p.tiles * p.parts; }

/* Where a thread is, in block `block` of its system.
 * @param part  out  @param alone  the colour of pieces that are of one */
__device__ static inline place place_in(const struct elliptic_planes &p, const struct pieces &of, int block, int *part,
                                        int alone = 0)
{
    const int warp = threadIdx.x / 32, rest = block / of.parts, row = rest / of.tiles, tile = rest - row * of.tiles,
              colour = of.colours == 2 ? warp & 1 : alone;
    *part = block - rest * of.parts;
    return place_at(p, colour, row * (WARPS / of.colours) + warp / of.colours, tile * TILE + threadIdx.x % 32);
}

/* ------------------------------------------------------------------ sums */

/* The sum over a block, in an order that the number of its threads fixes: in the first warp. A barrier. */
template <int COUNT> __device__ static inline void sum_of_threads(double mine[COUNT])
{
    __shared__ double of_warp[32][COUNT];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
#pragma unroll
        for (int by = 16; by; by >>= 1) mine[c] += __shfl_xor_sync(~0u, mine[c], by);
        if (lane == 0) of_warp[warp][c] = mine[c];
    }
    __syncthreads();
    if (warp > 0) return;
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        mine[c] = lane < warps ? of_warp[lane][c] : 0;
#pragma unroll
        for (int by = 16; by; by >>= 1) mine[c] += __shfl_xor_sync(~0u, mine[c], by);
    }
}

/* The sums over all threads of a system's blocks, in an order that the launch's shape fixes. True in the first thread
 * of the last block to arrive.
 * @param own      this thread's
 * @param partial  [blocks][COUNT]: of this system */
template <int COUNT>
__device__ static inline bool sum_of_blocks(const float *own, double *partial, unsigned *ticket, int blocks, int block,
                                            double *sum)
{
    __shared__ bool last;
#pragma unroll
    for (int c = 0; c < COUNT; c++) sum[c] = own[c];
    sum_of_threads<COUNT>(sum);
    if (threadIdx.x == 0) {
        for (int c = 0; c < COUNT; c++) partial[(long long)block * COUNT + c] = sum[c];
        __threadfence();
        last = atomicAdd(ticket, 1) == (unsigned)blocks - 1;
        if (last) *ticket = 0;
    }
    __syncthreads();
    if (!last) return false;
    __threadfence();
    for (int c = 0; c < COUNT; c++) sum[c] = 0;
    for (int b = threadIdx.x; b < blocks; b += blockDim.x)
        for (int c = 0; c < COUNT; c++) sum[c] += __ldcg(partial + (long long)b * COUNT + c);
    sum_of_threads<COUNT>(sum);
    return threadIdx.x == 0;
}

/* ------------------------------------------------------------------ what follows from sums */

/* rr is there. */
__device__ static inline void end_iteration(state *s)
{
    s->history[s->iterations % RING] = s->rr;
    s->iterations++;
    s->done = !(s->rr > s->target) || s->iterations >= s->most;
}

/* rz, qz, z_sum and r_sum are there. beta = <r' - r, z'>/<r, z> with r' - r = -alpha q and <r, z> = alpha <p, q>. Where
 * A does not see the mean of u that of z, which is what rounding left of the mean of r, many times over, is taken off.
 * @param cells  of a system */
__device__ static inline void end_cycle(state *s, double cells)
{
    s->z_mean = s->singular ? s->z_sum / cells : 0;
    if (s->singular) s->rz -= s->z_mean * s->r_sum;
    s->beta = s->directed ? -s->qz / s->pq : 0;
}

/* alpha is a number of single precision, so that r and u get the same. Where z has nothing new to one direction, as in
 * systems of a few cells, rounding is left of p, and the pass ends; that the first p of a pass has <p, A p> <= 0 says
 * something about A. */
__device__ static inline void end_direction(state *s, double pq)
{
    s->pq = pq;
    if (!(pq > 0)) {
        s->broken = !s->directed || !isfinite(pq);
        s->done = 1;
        return;
    }
    s->alpha = (float)(s->rz / pq);
    s->slot = (s->slot + 1) % RING;
    s->alphas[s->slot] = s->alpha;
    s->filled++;
    s->directed = 1;
}
#endif
