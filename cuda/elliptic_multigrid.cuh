#ifndef ELLIPTIC_MULTIGRID_CUH
#define ELLIPTIC_MULTIGRID_CUH
/* What the kernels of multigrid share: where a thread's column is and what lies around it, sums over all blocks of a
 * system, and how a launch is divided among systems, columns and levels. */
#include "launch.cuh"
#include "sw_cuda.h"

enum { LANES = 32 };
enum kind { CONSTANT, CROSS, VARIABLE };  /* 5 points; 9 points; 5 points with weights of each face */

typedef struct sw_cuda_multigrid_state state;

static inline enum kind kind_of(const struct sw_cuda_multigrid_grid &g)
{
    return g.x ? VARIABLE : g.corner ? CROSS : CONSTANT;
}

/* ------------------------------------------------------------------ columns */

/* A thread's column; one without a cell stands in for it, inside = false. */
struct place { int colour, i, j, m, odd; bool inside; };

__device__ static inline place place_of(const struct elliptic_planes &p, int colour, long long t)
{
    place at;
    at.colour = colour;
    at.j = (int)(t / p.pitch);
    at.m = (int)(t - (long long)at.j * p.pitch);
    at.odd = p.colours == 2 ? (at.j + colour) & 1 : 0;
    at.i = p.colours == 2 ? 2 * at.m + at.odd : at.m;
    at.inside = at.j < p.ny && at.i < p.nx;
    if (!at.inside) at.i = at.odd = at.m = at.j = 0;
    return at;
}

/* Entries of the cells around an entry, relative to it, in the plane of the neighbours; 0 where there is none. */
struct around { int west, east; long long south, north; };

__device__ static inline around around_of(const struct sw_cuda_multigrid_grid &g, const place &at)
{
    const struct elliptic_planes &p = g.planes;
    const long long row = (long long)p.nz * p.pitch;
    const int back = p.colours == 2 ? at.odd - 1 : -1, on = p.colours == 2 ? at.odd : 1,
              last = elliptic_entry(&p, p.nx - 1);
    around a;
    a.west = at.i > 0 ? back : g.periodic_x ? last - at.m : 0;
    a.east = at.i < p.nx - 1 ? on : g.periodic_x ? -at.m : 0;
    a.south = at.j > 0 ? -row : g.periodic_y ? (p.ny - 1) * row : 0;
    a.north = at.j < p.ny - 1 ? row : g.periodic_y ? -(p.ny - 1) * row : 0;
    return a;
}

/* Where a column's own entry is in a plane, and its plane and that of its neighbours in a field. */
__device__ static inline long long entry_of(const struct elliptic_planes &p, const place &at)
{
    return (long long)at.j * p.nz * p.pitch + at.m;
}

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
    return ((long long)at.colour * p.ny + at.j) * p.pitch + at.m;
}

/* Faces of a column of a variable system: their weights at its lowest level. Those of x and y follow a pitch apart. */
struct faces { const float *west, *east, *south, *north, *below; int x_pitch; bool has[4]; };

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
    f.x_pitch = elliptic_x_pitch(&p);
    f.has[0] = at.i > 0 || g.periodic_x;
    f.has[1] = at.i < p.nx - 1 || g.periodic_x;
    f.has[2] = at.j > 0 || g.periodic_y;
    f.has[3] = at.j < p.ny - 1 || g.periodic_y;
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

/* Level k of a column's neighbours: (M - A) u, M = A without neighbours; over area d, of variable systems complete.
 * 4 loads of u; 7 operations, 15 with corners. @param own, other  at the column's entry of level k */
template <int KIND>
__device__ static inline float neighbours(const weights &w, const faces &f, const around &a, int k, int pitch,
                                          const float *own, const float *other)
{
    const float west = other[a.west], east = other[a.east], south = other[a.south], north = other[a.north];
    if (KIND == VARIABLE) {
        const long long x = (long long)k * f.x_pitch, y = (long long)k * pitch;
        return (f.has[0] ? f.west[x] * west : 0) + (f.has[1] ? f.east[x] * east : 0) +
               (f.has[2] ? f.south[y] * south : 0) + (f.has[3] ? f.north[y] * north : 0);
    }
    float sum = w.side.x * west + w.side.y * east + w.side.z * south + w.side.w * north;
    if (KIND == CROSS) {
        const float u = *own;
        sum += w.corner.x * (own[a.south + a.west] - u) + w.corner.y * (own[a.south + a.east] - u) +
               w.corner.z * (own[a.north + a.west] - u) + w.corner.w * (own[a.north + a.east] - u);
    }
    return sum;
}

/* ------------------------------------------------------------------ launches */

/* Blocks go through the columns of all systems, system by system; `parts` blocks have the same columns. */
static inline long long blocks_of(long long columns, int threads) { return (columns + threads - 1) / threads; }

/* ------------------------------------------------------------------ sums */

/* The sums over all threads of a system's blocks, in an order that the launch's shape fixes. True in the last block to
 * arrive, for all of its threads.
 * @param own      this thread's
 * @param partial  [blocks][COUNT]: of this system */
template <int COUNT>
__device__ static inline bool sum_of_blocks(const float *own, double *partial, unsigned *ticket, int blocks, int block,
                                            double *sum)
{
    __shared__ double of_warp[32][COUNT];
    __shared__ bool last;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = (blockDim.x + 31) >> 5;
    double mine[COUNT];
    for (int c = 0; c < COUNT; c++) mine[c] = own[c];
    for (int round = 0;; round++) {
        for (int c = 0; c < COUNT; c++) {
            for (int by = 16; by; by >>= 1) mine[c] += __shfl_xor_sync(~0u, mine[c], by);
            if (lane == 0) of_warp[warp][c] = mine[c];
        }
        __syncthreads();
        for (int c = 0; c < COUNT; c++) {
            sum[c] = 0;
            for (int w = 0; w < warps; w++) sum[c] += of_warp[w][c];
        }
        __syncthreads();
        if (round) return true;
        if (t == 0) {
            for (int c = 0; c < COUNT; c++) partial[(long long)block * COUNT + c] = sum[c];
            __threadfence();
            last = atomicAdd(ticket, 1) == (unsigned)blocks - 1;
            if (last) *ticket = 0;
        }
        __syncthreads();
        if (!last) return false;
        __threadfence();
        for (int c = 0; c < COUNT; c++) mine[c] = 0;
        for (int b = t; b < blocks; b += blockDim.x)
            for (int c = 0; c < COUNT; c++) mine[c] += __ldcg(partial + (long long)b * COUNT + c);
    }
}
#endif
