/* The problems of vertical modes in the plane that a few steps solve, (Lh + lambda area) w = g, in tiles that overlap:
 * each is solved by one block for itself, in double precision, with so many cells around it as there are steps
 * (S. Krishnamoorthy et al., PLDI 2007, "overlapped tiling"). Most modes are such: their zero-order term rules.
 *
 * With D the diagonal and B = D^-1 (Lh + lambda area), whose eigenvalues lie between bounds that are known before
 * (elliptic_plane_point.h) and have the middle m, Chebyshev's polynomials in their second-order form (R. S. Varga,
 * Matrix Iterative Analysis, 1962, section 5.1):
 *
 *     x' = x" + omega (x - x" + (D^-1 g - B x)/m)      from x = D^-1 g/m, x" = 0
 *
 * The number of steps follows from |g|, which the transform has left, so that no residual is formed:
 *
 *     |g - A x| <= |g| sqrt(max D/min D)/cosh(steps arcosh(m/h))      for bounds m - h, m + h
 *
 * A block has 64 x 48 cells, of which it writes what lies `halo` cells inside; a warp has 3 rows, a lane 2 x 3 cells:
 * D^-1 g, x, x", 1/D and the weights in 82 registers; g of its next problem is on the way to shared memory. West and
 * east are in the lanes beside, south and north come through shared memory, 2/3 of a word a cell. Operations of a step:
 * 7 a cell, with cross terms 16, and as much again for cells around a tile that are solved twice. A problem moves 2
 * words a cell, and g of the cells around once more, from the L2 cache; weights are read once for some problems. */
#include <cuda_pipeline_primitives.h>

#include "cuda/elliptic/elliptic_sum.cuh"
#include "cuda/launch.cuh"
#include "cuda/elliptic/elliptic_kernels.h"

enum {
    COLUMNS = 2, ROWS = 3,     /* of a lane                                    */
    WARPS = 16,
    WIDTH = 32 * COLUMNS, HEIGHT = WARPS * ROWS,
    PITCH = WIDTH + 2,         /* of the weights of vertices                   */
    EACH = 4, EACH_MOST = 16,  /* problems of a block: where there are few tiles, and many */
    BLOCKS = 512,              /* that keep a device busy                      */
    SUMMING = 256              /* threads that add up squares                  */
};

/* A problem, its steps, and the coefficients of these: 1/m, (h/m)^2/4. */
struct sw_cuda_plane_task { double lambda, start; float quarter; int item, steps; };

/* Problems of so many steps at most, and the blocks that solve them. */
struct group {
    int first, count;          /* tasks                                         */
    int halo, tiles_x, tiles;
    int blocks;                /* block b: tile b mod tiles, tasks b / tiles, b / tiles + parts .. */
    int parts;
};

struct overlapped {
    struct sw_cuda_planes planes;
    const struct sw_cuda_plane_task *tasks;
    double    *to;
    struct group group[SW_CUDA_PLANE_GROUPS];
    int        most[SW_CUDA_PLANE_GROUPS];
};

/* ------------------------------------------------------------------ how many steps */

/* Steps that leave `part` of a residual, part < 1. */
__device__ static int steps_for(double mean_over_half, double part)
{
    const double steps = acosh(1 / part) / acosh(mean_over_half);
    return !(steps < 1000) ? 1000 : steps < 1 ? 1 : (int)ceil(steps);
}

/* A block a problem. */
__global__ static void __launch_bounds__(SUMMING)
    make_tasks_k(struct overlapped g, const double *squares, int64_t of_plane, struct sw_cuda_plane_task *tasks)
{
    const struct sw_cuda_planes &s = g.planes;
    const int place = (int)blockIdx.x, item = s.order[place];
    const double goal = s.goal[item / s.matrix.nz], lambda = s.lambda[item];
    struct sw_cuda_plane_task task = {};
    task.item = -1;
    if (goal >= 0) {
        const double norm = sqrt(sum_of_partial(squares + item * of_plane, of_plane)), target = goal * s.share[item];
        double mean, half;
        elliptic_plane_interval(&s.bounds, lambda, !s.matrix.cross, &mean, &half);
        struct elliptic_plane_outcome o = {norm, 1};
        task = sw_cuda_plane_task{lambda, 1 / mean, (float)(half / mean * half / mean / 4), item, 0};
        if (!isfinite(norm)) {
            o.pq = NAN;
        } else if (norm > target) {
            const double whole = norm * sqrt(elliptic_plane_spread(&s.bounds, lambda));
            int most = 0;
            for (int k = 0; k < SW_CUDA_PLANE_GROUPS; k++)
                if (place >= g.group[k].first && place < g.group[k].first + g.group[k].count) most = g.most[k];
            task.steps = steps_for(mean / half, target / whole);
            if (task.steps > most) task.steps = most;
            o.residual = whole / cosh(task.steps * acosh(mean / half));
        }
        if (threadIdx.x == 0) s.outcome[item] = o;
    }
    if (threadIdx.x == 0) tasks[place] = task;
}

/* ------------------------------------------------------------------ a tile */

/* Where the cells of a lane are: of the plane, or -1 where there is none. */
struct place { int column[COLUMNS], row[ROWS]; };

__device__ static inline int wrapped(int i, int n, bool periodic)
{
    if (i >= 0 && i < n) return i;
    if (!periodic) return -1;
    const int rest = i % n;
    return rest < 0 ? rest + n : rest;
}

__device__ static inline struct place place_of(const struct sw_cuda_elliptic &m, int first_i, int first_j)
{
    struct place p;
    for (int h = 0; h < COLUMNS; h++) p.column[h] = wrapped(first_i + h, (int)m.nx, m.periodic_x);
    for (int k = 0; k < ROWS; k++) p.row[k] = wrapped(first_j + k, (int)m.ny, m.periodic_y);
    return p;
}

/* Weights towards west and south of each cell, and of the cells behind the last ones; 0 between cells that are not
 * there. */
struct weights { double across[ROWS][COLUMNS + 1], along[ROWS + 1][COLUMNS]; };

__device__ static inline void read_weights(const struct sw_cuda_elliptic &m, const struct place &p, struct weights *w)
{
    const int64_t nx = m.nx;
#pragma unroll
    for (int k = 0; k < ROWS; k++)
#pragma unroll
        for (int h = 0; h <= COLUMNS; h++) {
            const int own = h < COLUMNS ? p.column[h < COLUMNS ? h : 0] : -1,
                      before = h > 0 ? p.column[h ? h - 1 : 0] : -1, face = own >= 0 ? own : before + 1;
            w->across[k][h] = p.row[k] >= 0 && (own >= 0 || before >= 0) ? m.east[p.row[k] * (nx + 1) + face] : 0;
        }
#pragma unroll
    for (int k = 0; k <= ROWS; k++)
#pragma unroll
        for (int h = 0; h < COLUMNS; h++) {
            const int own = k < ROWS ? p.row[k < ROWS ? k : 0] : -1, before = k > 0 ? p.row[k ? k - 1 : 0] : -1,
                      face = own >= 0 ? own : before + 1;
            w->along[k][h] = p.column[h] >= 0 && (own >= 0 || before >= 0) ? m.north[face * nx + p.column[h]] : 0;
        }
}

/* In shared memory: the lowest and the highest row of each warp, two sets in turn; of each pair of cells the areas,
 * the sums of the weights, and g of the next problem; half the weights of the vertices, 0 at walls and where there is
 * none. */
struct tile_words {
    double2 edge[2][WARPS][2][32];
    double2 area[HEIGHT][32], sum[HEIGHT][32], next[HEIGHT][32];
    double  vertex[HEIGHT + 1][PITCH];
};

__device__ static inline struct tile_words *words_here()
{
    extern __shared__ double2 dynamic[];
    return (struct tile_words *)dynamic;
}

/* Where the cells of a lane are in a plane, and which of them are there. */
struct offsets { int cell[ROWS][COLUMNS]; };

template <bool PAIRS>
__device__ static inline struct offsets offsets_of(const struct sw_cuda_elliptic &m, const struct place &p)
{
    struct offsets o;
    for (int k = 0; k < ROWS; k++)
        for (int h = 0; h < (PAIRS ? 1 : COLUMNS); h++)
            o.cell[k][h] = p.row[k] >= 0 && p.column[h] >= 0 ? p.row[k] * (int)m.nx + p.column[h] : -1;
    return o;
}

/* Begin to copy a lane's cells of a field to shared memory; 0 where there is none. PAIRS: rows have an even number of
 * cells, and pairs lie in 16 bytes: both are there, or none. */
template <bool PAIRS>
__device__ static inline void copy_field(const struct offsets &o, const double *from, double2 (*to)[32])
{
    enum { COPIES = PAIRS ? 1 : COLUMNS, BYTES = PAIRS ? 16 : 8 };
#pragma unroll
    for (int k = 0; k < ROWS; k++)
#pragma unroll
        for (int h = 0; h < COPIES; h++) {
            const int at = o.cell[k][h];
            __pipeline_memcpy_async((double *)&to[k][0] + h, from + (at >= 0 ? at : 0), BYTES, at >= 0 ? 0 : BYTES);
        }
}

__device__ static inline void read_vertices(const struct sw_cuda_elliptic &m, int first_i, int first_j)
{
    for (int e = (int)threadIdx.x; e < (HEIGHT + 1) * (WIDTH + 1); e += (int)blockDim.x) {
        const int i = first_i + e % (WIDTH + 1), j = first_j + e / (WIDTH + 1),
                  column = i == m.nx ? i : wrapped(i, (int)m.nx, m.periodic_x),
                  row = j == m.ny ? j : wrapped(j, (int)m.ny, m.periodic_y);
        words_here()->vertex[e / (WIDTH + 1)][e % (WIDTH + 1)] =
            column >= 0 && row >= 0 ? 0.5 * m.cross[row * (m.nx + 1) + column] : 0;
    }
}

/* Those at the lower corners of a row of a lane's cells. */
__device__ static inline void corners_of(int row, double c[COLUMNS + 1])
{
    const double *const at = words_here()->vertex[row] + COLUMNS * (int)(threadIdx.x % 32);
#pragma unroll
    for (int h = 0; h <= COLUMNS; h++) c[h] = at[h];
}

/* On the diagonal where there is no cell: x stays 0 there, or as good as 0. */
static constexpr double NO_CELL = 1e200;

/* Of each cell the area, and the sum of its weights. */
template <bool CROSS>
__device__ static inline void keep_diagonal(const struct sw_cuda_elliptic &m, const struct place &p,
                                            const struct weights &w, int first_row, int lane)
{
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        double below[COLUMNS + 1], above[COLUMNS + 1], sum[COLUMNS], area[COLUMNS];
        if (CROSS) corners_of(first_row + k, below), corners_of(first_row + k + 1, above);
#pragma unroll
        for (int h = 0; h < COLUMNS; h++) {
            sum[h] = NO_CELL, area[h] = 0;
            if (p.row[k] < 0 || p.column[h] < 0) continue;
            area[h] = m.area[p.row[k] * m.nx + p.column[h]];
            sum[h] = (w.across[k][h] + w.across[k][h + 1]) + (w.along[k][h] + w.along[k + 1][h]);
            if (CROSS) sum[h] += (below[h] - below[h + 1]) + (above[h + 1] - above[h]);
        }
        words_here()->area[first_row + k][lane] = make_double2(area[0], area[1]);
        words_here()->sum[first_row + k][lane] = make_double2(sum[0], sum[1]);
    }
}

/* 1/x within some units in the last place: a guess of 20 digits, whose error goes to its cube. */
__device__ static inline double reciprocal(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = 1 - x * y;
    return y + y * (e + e * e);
}

/* ------------------------------------------------------------------ steps */

/* A row with what is beside it: column h at [h + 1]. Beyond a block's sides is something finite. */
__device__ static inline void spread_row(const double own[COLUMNS], double row[COLUMNS + 2])
{
    row[0] = __shfl_up_sync(~0u, own[COLUMNS - 1], 1);
    row[COLUMNS + 1] = __shfl_down_sync(~0u, own[0], 1);
#pragma unroll
    for (int h = 0; h < COLUMNS; h++) row[h + 1] = own[h];
}

/* A step: x" becomes x', which is to change places with x. Without cross terms m is 1.
 * @param south, north  of x, rows beside the lane's cells
 * @param start         1/m */
template <bool CROSS>
__device__ static inline void step_once(const struct weights &w, const double inverse[ROWS][COLUMNS],
                                        const double g[ROWS][COLUMNS], const double south[COLUMNS],
                                        const double x[ROWS][COLUMNS], const double north[COLUMNS], double omega,
                                        double start, double before[ROWS][COLUMNS])
{
    const int first_row = (int)(threadIdx.x / 32) * ROWS;
    const double add = omega * start, keep = omega - add, rest = 1 - omega;
    double below[COLUMNS + 2], here[COLUMNS + 2], above[COLUMNS + 2], low[COLUMNS + 1], high[COLUMNS + 1];
    if (CROSS) spread_row(south, below);
    else below[1] = south[0], below[2] = south[1];
    spread_row(x[0], here);
    if (CROSS) corners_of(first_row, low);
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        if (k < ROWS - 1) spread_row(x[k < ROWS - 1 ? k + 1 : k], above);
        else if (CROSS) spread_row(north, above);
        else above[1] = north[0], above[2] = north[1];
        if (CROSS) corners_of(first_row + k + 1, high);
#pragma unroll
        for (int h = 0; h < COLUMNS; h++) {
            double sum = (w.across[k][h] * here[h] + w.across[k][h + 1] * here[h + 2]) +
                         (w.along[k][h] * below[h + 1] + w.along[k + 1][h] * above[h + 1]);
            if (CROSS)
                sum += (low[h] * below[h] - low[h + 1] * below[h + 2]) +
                       (high[h + 1] * above[h + 2] - high[h] * above[h]);
            const double solved = g[k][h] + inverse[k][h] * sum;  /* x + D^-1 g - B x */
            before[k][h] = CROSS ? add * solved + (keep * here[h + 1] + rest * before[k][h])
                                 : before[k][h] + omega * (solved - before[k][h]);
        }
#pragma unroll
        for (int h = 0; h < COLUMNS + 2; h++) below[h] = here[h], here[h] = above[h];
#pragma unroll
        for (int h = 0; h < COLUMNS + 1; h++)
            if (CROSS) low[h] = high[h];
    }
}

/* Rows of x beside those of a warp, from the warps beside it. */
__device__ static inline void exchange(int turn, const double x[ROWS][COLUMNS], double south[COLUMNS],
                                       double north[COLUMNS])
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, below = warp > 0 ? warp - 1 : 0,
              above = warp < WARPS - 1 ? warp + 1 : warp;
    double2 (*const edge)[2][32] = words_here()->edge[turn];
    edge[warp][0][lane] = make_double2(x[0][0], x[0][1]);
    edge[warp][1][lane] = make_double2(x[ROWS - 1][0], x[ROWS - 1][1]);
    __syncthreads();
    const double2 low = edge[below][1][lane], high = edge[above][0][lane];
    south[0] = low.x, south[1] = low.y;
    north[0] = high.x, north[1] = high.y;
}

template <bool PAIRS>
__device__ static inline void write_field(const struct sw_cuda_elliptic &m, const struct group &g, int first_i,
                                          int first_j, const double x[ROWS][COLUMNS], double *to)
{
    const int column = COLUMNS * (int)(threadIdx.x % 32) - g.halo, i = first_i + COLUMNS * (int)(threadIdx.x % 32),
              wide = WIDTH - 2 * g.halo, high = HEIGHT - 2 * g.halo;
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const int row = ROWS * (int)(threadIdx.x / 32) + k, j = first_j + row;
        if (row < g.halo || row >= g.halo + high || j >= m.ny || column < 0) continue;
        double *const at = to + j * m.nx + i;
        if (PAIRS) {
            if (column < wide && i < m.nx) *(double2 *)at = make_double2(x[k][0], x[k][1]);
        } else {
            if (column < wide && i < m.nx) at[0] = x[k][0];
            if (column + 1 < wide && i + 1 < m.nx) at[1] = x[k][1];
        }
    }
}

template <bool CROSS, bool PAIRS>
__global__ static void __launch_bounds__(32 * WARPS, 1) elliptic_plane_overlapped_k(struct overlapped o)
{
    const struct sw_cuda_planes &s = o.planes;
    const struct sw_cuda_elliptic &m = s.matrix;
    struct group g = o.group[0];
    int block = (int)blockIdx.x;
#pragma unroll
    for (int k = 1, left = block; k < SW_CUDA_PLANE_GROUPS; k++) {
        left -= o.group[k - 1].blocks;
        if (left >= 0) block = left, g = o.group[k];
    }
    const int first_row = (int)threadIdx.x / 32 * ROWS, lane = (int)threadIdx.x % 32, tile = block % g.tiles,
              first_i = tile % g.tiles_x * (WIDTH - 2 * g.halo) - g.halo,
              first_j = tile / g.tiles_x * (HEIGHT - 2 * g.halo) - g.halo;
    const int64_t cells = m.nx * m.ny;
    const struct sw_cuda_plane_task *at = o.tasks + g.first + block / g.tiles, *const end = o.tasks + g.first + g.count;
    const struct place p = place_of(m, first_i + COLUMNS * lane, first_j + first_row);
    const struct offsets offsets = offsets_of<PAIRS>(m, p);
    struct sw_cuda_plane_task task = *at, following = {};
    struct weights w;
    double2 (*const area)[32] = (double2 (*)[32])&words_here()->area[first_row][lane],
            (*const next)[32] = area + 2 * HEIGHT;
    if (task.item >= 0) copy_field<PAIRS>(offsets, s.w + task.item * cells, next);
    __pipeline_commit();
    if (at + g.parts < end) following = at[g.parts];
    read_weights(m, p, &w);
    if (CROSS) {
        read_vertices(m, first_i, first_j);
        __syncthreads();
    }
    keep_diagonal<CROSS>(m, p, w, first_row, lane);
    int turn = 0;
    while (at < end) {
        double own[ROWS][COLUMNS], x[ROWS][COLUMNS], before[ROWS][COLUMNS], inverse[ROWS][COLUMNS], south[COLUMNS],
               north[COLUMNS];
        const int item = task.item, steps = task.steps;
        const double start = task.start;
        const float quarter = task.quarter;
        float omega = 2;
        __pipeline_wait_prior(0);
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            const double2 a = area[k][0], sum = area[HEIGHT + k][0], g_here = next[k][0];
            inverse[k][0] = reciprocal(task.lambda * a.x + sum.x);
            inverse[k][1] = reciprocal(task.lambda * a.y + sum.y);
            own[k][0] = g_here.x * inverse[k][0], own[k][1] = g_here.y * inverse[k][1];
#pragma unroll
            for (int h = 0; h < COLUMNS; h++) x[k][h] = CROSS ? own[k][h] * start : own[k][h], before[k][h] = 0;
        }
        at += g.parts;
        task = following;
        if (at < end && task.item >= 0) copy_field<PAIRS>(offsets, s.w + task.item * cells, next);
        __pipeline_commit();
        if (at + g.parts < end) following = at[g.parts];
        if (item < 0) continue;
        int left = steps - 1;
#pragma unroll 1
        for (; left > 1; left -= 2) {  /* x and what was before it in turn */
            exchange(turn, x, south, north);
            omega = __fdividef(1, 1 - quarter * omega);
            step_once<CROSS>(w, inverse, own, south, x, north, omega, start, before);
            exchange(turn ^ 1, before, south, north);
            omega = __fdividef(1, 1 - quarter * omega);
            step_once<CROSS>(w, inverse, own, south, before, north, omega, start, x);
        }
        if (left > 0) {
            exchange(turn, x, south, north);
            turn ^= 1;
            omega = __fdividef(1, 1 - quarter * omega);
            step_once<CROSS>(w, inverse, own, south, x, north, omega, start, before);
#pragma unroll
            for (int k = 0; k < ROWS; k++)
#pragma unroll
                for (int h = 0; h < COLUMNS; h++) x[k][h] = before[k][h];
        }
        if (steps == 0)
#pragma unroll
            for (int k = 0; k < ROWS; k++) x[k][0] = x[k][1] = 0;
        write_field<PAIRS>(m, g, first_i, first_j, x, o.to + item * cells);
    }
}

/* ------------------------------------------------------------------ */

extern "C" size_t sw_cuda_planes_tasks(int problems) { return problems * sizeof(struct sw_cuda_plane_task); }

extern "C" enum sw_status sw_cuda_planes_overlapped(sw_cuda_stream stream, const struct sw_cuda_planes *s,
                                                    const int most[], const int count[], const double *squares,
                                                    int64_t of_plane, void *tasks, double *to)
{
    const struct sw_cuda_elliptic *m = &s->matrix;
    struct overlapped o = {*s, (struct sw_cuda_plane_task *)tasks, to, {}, {}};
    long long blocks = 0, tasks_of_tiles = 0;
    int all = 0;
    for (int k = SW_CUDA_PLANE_GROUPS - 1; k >= 0; k--) {  /* those that take longest first */
        struct group *const g = &o.group[SW_CUDA_PLANE_GROUPS - 1 - k];
        const int wide = WIDTH - 2 * (most[k] - 1), high = HEIGHT - 2 * (most[k] - 1);
        o.most[SW_CUDA_PLANE_GROUPS - 1 - k] = most[k];
        for (int before = 0; before < k; before++) g->first += count[before];
        g->count = count[k];
        g->halo = most[k] - 1;
        g->tiles_x = (int)((m->nx + wide - 1) / wide);
        g->tiles = g->tiles_x * (int)((m->ny + high - 1) / high);
        all += count[k];
        tasks_of_tiles += (long long)count[k] * g->tiles;
    }
    if (all == 0) return SW_OK;
    long long together = tasks_of_tiles / BLOCKS;
    if (together < EACH) together = EACH;
    if (together > EACH_MOST) together = EACH_MOST;
    for (struct group *g = o.group; g < o.group + SW_CUDA_PLANE_GROUPS; g++) {
        g->parts = (int)((g->count + together - 1) / together);
        g->blocks = g->tiles * g->parts;
        blocks += g->blocks;
    }
    const size_t shared = m->cross ? sizeof(struct tile_words) : offsetof(struct tile_words, vertex);
    const bool pairs = m->nx % 2 == 0;
    void (*const kernel)(struct overlapped) =
        m->cross ? pairs ? elliptic_plane_overlapped_k<true, true> : elliptic_plane_overlapped_k<true, false>
                 : pairs ? elliptic_plane_overlapped_k<false, true> : elliptic_plane_overlapped_k<false, false>;
    SW_TRY(launch(make_tasks_k, all, SUMMING, 0, (cudaStream_t)stream, ALONE, o, squares, of_plane,
                  (struct sw_cuda_plane_task *)tasks));
    SW_TRY(allow_shared(kernel));
    return launch(kernel, blocks, 32 * WARPS, shared, (cudaStream_t)stream, ALONE, o);
}
