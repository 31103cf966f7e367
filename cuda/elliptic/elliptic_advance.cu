/* K1 of conjugate gradients in two passes (elliptic_kernels.h): u += alpha p; p = z + beta p; q = A z + beta q; <p, q>.
 *
 * A thread has V columns side by side and walks up some levels: what is below a cell and the cell itself stay in
 * registers, U levels are on their way before the first is used: p, q and u are asked for before z, or the compiler
 * puts them off until z has come, to save registers. Weights of levels come from shared memory. A block has `lanes`
 * threads along x, the others along y, so that what is south and north comes from the first-level cache but at the
 * block's rim, and west and east from the threads beside. Words a cell: z, p, q, u read, p, q, u written, 7; z's
 * neighbours from caches. Where u gets two directions at once (p_odd) they are 8 and 5 in turn, 6.5. Blocks go along x,
 * then z, then y, as the next ones along y find the slab before still in the second-level cache. */
#include "cuda/elliptic/elliptic_interleaved.cuh"

enum {
    THREADS = 128,
    RESIDENT = 4,          /* blocks on a processor at least: 1024 go in two rounds of 528, not in three */
    FEWER = 3,             /* where two directions are added: registers for what is on its way           */
    MOST_LEVELS = 64,      /* that a thread walks, at most: a thread of a block reads the weights of one */
    AHEAD = 2              /* levels that are on their way                                              */
};

/* How the cells of a system are cut: fixed by its shape. */
struct advance_shape {
    int     lanes;        /* threads along x: a power of two                        */
    int     levels;       /* that a thread walks                                    */
    int64_t along_x, along_z, blocks;  /* blocks along x, z; in all, of a system    */
};

static struct advance_shape shape_of(int64_t nx, int64_t ny, int64_t nz, int V)
{
    const int64_t enough = 1024;  /* blocks that keep a device busy */
    struct advance_shape s = {1, 0, 0, 0, 0};
    while (s.lanes < 32 && (int64_t)s.lanes * V < nx) s.lanes *= 2;
    s.along_x = (nx + s.lanes * V - 1) / (s.lanes * V);
    const int64_t rows = THREADS / s.lanes, along_y = (ny + rows - 1) / rows;
    int64_t levels = MOST_LEVELS;
    while (levels > 8 && s.along_x * along_y * ((nz + levels - 1) / levels) < enough) levels /= 2;
    s.along_z = (nz + levels - 1) / levels;
    levels = (nz + s.along_z - 1) / s.along_z;
    s.levels = (int)(levels + levels % 2);
    s.along_z = (nz + s.levels - 1) / s.levels;
    s.blocks = s.along_x * along_y * s.along_z;
    return s;
}

static bool is_even(const struct advance_shape *s, int64_t nx, int64_t ny, int64_t nz, int V, int U)
{
    return s->lanes == 32 && s->along_x * s->lanes * V == nx && ny % (THREADS / s->lanes) == 0 &&
           s->along_z * s->levels == nz && s->levels % U == 0;
}

template <typename M, typename real> struct advance_arguments {
    M       all;
    struct advance_shape shape;
    const real *z, *old_p;
    real   *p, *q, *u;
    double *partial;
    struct sw_cuda_elliptic_way *way;
    struct sw_cuda_elliptic_turn *out;
    double *sums;
    int     turn;         /* 0: there is no p, no q                    */
    int     adds;         /* so many directions to u: old_p; before it p, which has the one before till it is written */
    bool    begins;       /* u is 0, whatever its memory holds         */
};

/* A column's neighbours at a level: V cells and those beside them, of the row to the south or north. */
template <typename real, int V> struct row_of { pack<real, V> own; real west, east; };

template <bool CORNERS, int V, typename real>
__device__ static inline row_of<real, V> load_row(const real *z, int64_t at, bool is, int64_t to_west, int64_t to_east,
                                                  bool has_west, bool has_east)
{
    row_of<real, V> row;
#pragma unroll
    for (int v = 0; v < V; v++) row.own.v[v] = 0;
    if (is) row.own = load_pack<V>(z + at);
    row.west = CORNERS && is && has_west ? z[at + to_west] : (real)0;
    row.east = CORNERS && is && has_east ? z[at + to_east] : (real)0;
    return row;
}

/* ADDS: ASKED, or what `adds` is: then all threads have a column and the same number of levels, U by U, and there are
 * p, q and u, so that nothing is asked at any of them; a row of a block is a warp. */
static constexpr int ASKED = -1;

template <typename real, int V, int U, bool FULL, bool VARIABLE, int ADDS, typename M>
__global__ static void __launch_bounds__(THREADS, ADDS == 2 ? FEWER : RESIDENT)
    elliptic_advance_k(struct advance_arguments<M, real> g)
{
    constexpr bool EVEN = ADDS != ASKED;
    __shared__ level_of<real> table[MOST_LEVELS];
    const struct advance_shape &s = g.shape;
    const unsigned blocks = (unsigned)s.blocks, along_x = (unsigned)s.along_x, along_z = (unsigned)s.along_z;
    const unsigned system = blockIdx.x / blocks, tile = blockIdx.x - system * blocks;
    const M m = of_system(g.all, system);
    const int64_t nx = m.nx, ny = m.ny, nz = m.nz, slab = nx * nz;
    const int lanes = EVEN ? 32 : s.lanes, tx = (int)threadIdx.x % lanes, ty = (int)threadIdx.x / lanes,
              first = (int)(tile / along_x % along_z) * s.levels,
              behind = first + s.levels < (int)nz ? first + s.levels : (int)nz;
    const int64_t i = (int64_t)((int)(tile % along_x) * lanes + tx) * V,
                  j = (int64_t)(tile / along_x / along_z) * (THREADS / lanes) + ty;
    if ((int)threadIdx.x < behind - first) {
        const int k = first + (int)threadIdx.x;
        table[threadIdx.x] = level_of<real>{m.a[k], m.b[k], m.c[k], m.d[k]};
    }
    real area[V], x_weight[V + 1], south_weight[V], north_weight[V], vertex[2][FULL ? V + 1 : 1];
    const bool is = EVEN || (i < nx && j < ny);
    if (is) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            area[v] = m.area[j * nx + i + v];
            south_weight[v] = m.north[j * nx + i + v];
            north_weight[v] = m.north[(j + 1) * nx + i + v];
        }
#pragma unroll
        for (int v = 0; v <= V; v++) {
            x_weight[v] = m.east[j * (nx + 1) + i + v];
            for (int h = 0; FULL && h < 2; h++) vertex[h][FULL ? v : 0] = m.cross[(j + h) * (nx + 1) + i + v];
        }
    }
    __syncthreads();
    wait_previous();
    allow_next();
    struct sw_cuda_elliptic_way *const way = &g.way[system];
    if (way->done) return;
    const real alpha = (real)way->alpha, beta = (real)way->beta;
    const bool turn0 = !EVEN && g.turn == 0, begins = !EVEN && g.begins;
    const int adds = EVEN ? ADDS : g.adds;
    const real alpha_before = adds > 1 ? (real)way->alpha_before : (real)0;
    double sum = 0;
    if (is) {
        const int64_t base = system * slab * ny + j * slab + i;
        const real *const z = g.z + base, *const last_p = g.old_p + base;
        real *const p = g.p + base, *const q = g.q + base, *const u = g.u + base;
        const bool has_west = i > 0 || m.periodic_x, has_east = i + V < nx || m.periodic_x,
                   has_south = j > 0 || m.periodic_y || m.before,
                   has_north = j < ny - 1 || m.periodic_y || m.behind;
        const int64_t to_west = i > 0 ? -1 : nx - 1, to_east = i + V < nx ? V : V - nx,
                      to_south = j > 0 ? -slab : m.before ? m.before + i - z : (ny - 1) * slab,
                      to_north = j < ny - 1 ? slab : m.behind ? m.behind + i - z : (1 - ny) * slab;
        pack<real, V> own = load_pack<V>(z + first * nx), down;
#pragma unroll
        for (int v = 0; v < V; v++) down.v[v] = 0;
        if (first > 0) down = load_pack<V>(z + (first - 1) * nx);
#pragma unroll 1
        for (int at = first; at < behind; at += U) {
            pack<real, V> up[U], old_p[U], old_q[U], old_u[U], older_p[U];
            row_of<real, V> south[U], north[U];
            real west[U], east[U];
#pragma unroll
            for (int l = 0; l < U; l++) {
                const int k = at + l;
                const int64_t here = k * nx;
                if (!EVEN && k >= behind) continue;
#pragma unroll
                for (int v = 0; v < V; v++)
                    up[l].v[v] = old_p[l].v[v] = old_q[l].v[v] = old_u[l].v[v] = older_p[l].v[v] = 0;
                if (!turn0) {
                    old_p[l] = load_once<V>(last_p + here);
                    old_q[l] = load_pack<V>(q + here);
                    if (adds > 0 && !begins) old_u[l] = load_once<V>(u + here);
                    if (adds > 1) older_p[l] = load_once<V>(p + here);
                }
                if (k + 1 < nz) up[l] = load_pack<V>(z + here + nx);
                south[l] = load_row<FULL, V>(z, here + to_south, has_south, to_west, to_east, i > 0, i + V < nx);
                north[l] = load_row<FULL, V>(z, here + to_north, has_north, to_west, to_east, i > 0, i + V < nx);
                if (EVEN) {  /* beside the warp; what is beside a thread's columns others have */
                    west[l] = east[l] = 0;
                    if (tx == 0 ? has_west : tx == 31 && has_east)
                        west[l] = east[l] = z[here + (tx == 0 ? to_west : to_east)];
                } else {
                    west[l] = has_west ? z[here + to_west] : (real)0;
                    east[l] = has_east ? z[here + to_east] : (real)0;
                }
            }
#pragma unroll
            for (int l = 0; l < U; l++) {
                const int k = at + l;
                const int64_t here = k * nx;
                if (!EVEN && k >= behind) continue;
                const level_of<real> level = table[k - first];
                const real a = level.a, b = level.b, c = level.c, d = level.d;
                real part = 0;
                if (EVEN) {
                    const real of_west = __shfl_up_sync(~0u, own.v[V - 1], 1),
                               of_east = __shfl_down_sync(~0u, own.v[0], 1);
                    if (tx > 0) west[l] = of_west;
                    if (tx < 31) east[l] = of_east;
                }
#pragma unroll
                for (int v = 0; v < V; v++) {
                    const real w = v ? own.v[v ? v - 1 : 0] : west[l], e = v < V - 1 ? own.v[v < V - 1 ? v + 1 : v]
                                                                                     : east[l];
                    real b_here = b, c_here = c, x0 = x_weight[v], x1 = x_weight[v + 1], y0 = south_weight[v],
                         y1 = north_weight[v];
                    if (VARIABLE) {
                        const int64_t row = j * nz + k, cell = row * nx + i + v;
                        x0 *= m.kx[row * (nx + 1) + i + v], x1 *= m.kx[row * (nx + 1) + i + v + 1];
                        y0 *= m.ky[cell], y1 *= m.ky[cell + slab];
                        c_here *= m.kz[cell + j * nx], b_here *= m.kz[cell + j * nx + nx];
                    }
                    real sides = elliptic_pair(x0, x1, own.v[v], w, e) +
                                 elliptic_pair(y0, y1, own.v[v], south[l].own.v[v], north[l].own.v[v]);
                    if (FULL) {
                        const row_of<real, V> &so = south[l], &no = north[l];
                        const real south_west = v ? so.own.v[v ? v - 1 : 0] : so.west,
                                   north_west = v ? no.own.v[v ? v - 1 : 0] : no.west,
                                   south_east = v < V - 1 ? so.own.v[v < V - 1 ? v + 1 : v] : so.east,
                                   north_east = v < V - 1 ? no.own.v[v < V - 1 ? v + 1 : v] : no.east;
                        const int v0 = FULL ? v : 0, v1 = FULL ? v + 1 : 0;
                        real all[4], difference[4];
                        elliptic_vertex(vertex[0][v0], south_west, so.own.v[v], w, own.v[v], &all[0], &difference[0]);
                        elliptic_vertex(vertex[0][v1], so.own.v[v], south_east, own.v[v], e, &all[1], &difference[1]);
                        elliptic_vertex(vertex[1][v0], w, own.v[v], north_west, no.own.v[v], &all[2], &difference[2]);
                        elliptic_vertex(vertex[1][v1], own.v[v], e, no.own.v[v], north_east, &all[3], &difference[3]);
                        sides += elliptic_cross(all[0], difference[1], difference[2], all[3]);
                    }
                    const real image = area[v] * elliptic_vertical(a, b_here, c_here, own.v[v], up[l].v[v], down.v[v]) +
                                       d * sides,
                               before = old_p[l].v[v];
                    if (adds > 1) old_u[l].v[v] += alpha_before * older_p[l].v[v];
                    if (adds > 0) old_u[l].v[v] += alpha * before;
                    old_p[l].v[v] = own.v[v] + beta * before;
                    old_q[l].v[v] = image + beta * old_q[l].v[v];
                    part += old_p[l].v[v] * old_q[l].v[v];
                }
                sum += (double)part;
                store_once<V>(p + here, old_p[l]);
                store_pack<V>(q + here, old_q[l]);
                if (adds > 0) store_once<V>(u + here, old_u[l]);
                down = own;
                own = up[l];
            }
        }
    }
    sum = sum_of_block(sum);
    const struct sw_cuda_elliptic_way now = *way;
    if (threadIdx.x == 0) g.partial[blockIdx.x] = sum;
    if (!is_last(way, 1, (unsigned)s.blocks)) return;
    sum = sum_of_partial(g.partial + system * s.blocks, s.blocks);
    if (threadIdx.x) return;
    if (adds > 0) way->begun = 1;
    if (g.sums) g.sums[2 * system] = sum;
    else elliptic_end_k1(way, now, sum, &g.out[system]);
}

template <typename real, int V, typename M>
static enum sw_status queue_advance(cudaStream_t stream, const struct sw_cuda_interleaved *x, const M *m, int turn,
                                    struct sw_cuda_elliptic_turn *out)
{
    const bool in_pairs = x->p_odd != NULL;
    const int adds = in_pairs ? turn >= 2 && turn % 2 == 0 ? 2 : 0 : turn > 0 ? 1 : 0;
    void *const p = in_pairs && turn % 2 ? x->p_odd : x->p, *const old_p = !in_pairs || turn % 2 ? x->p : x->p_odd;
    const struct advance_arguments<M, real> g = {
        *m, shape_of(m->nx, m->ny, m->nz, V), (const real *)x->z, (const real *)old_p, (real *)p, (real *)x->q,
        (real *)x->u, x->partial, x->way, out, x->sums, turn, adds, x->fresh && turn == (in_pairs ? 2 : 1)};
    const int64_t blocks = g.shape.blocks * m->systems;
    const bool even = is_even(&g.shape, m->nx, m->ny, m->nz, V, AHEAD) && turn > 0 && !g.begins;
    void (*const kernel)(struct advance_arguments<M, real>) =
        m->cross    ? elliptic_advance_k<real, V, 1, true, false, ASKED, M>
        : m->kx     ? elliptic_advance_k<real, V, 1, false, true, ASKED, M>
        : !even     ? elliptic_advance_k<real, V, AHEAD, false, false, ASKED, M>
        : adds == 0 ? elliptic_advance_k<real, V, AHEAD, false, false, 0, M>
        : adds == 1 ? elliptic_advance_k<real, V, AHEAD, false, false, 1, M>
                    : elliptic_advance_k<real, V, AHEAD, false, false, 2, M>;
    return launch(kernel, blocks, THREADS, 0, stream, OVERLAP, g);
}

extern "C" enum sw_status sw_cuda_interleaved_advance(sw_cuda_stream stream, const struct sw_cuda_interleaved *x,
                                                      int turn, struct sw_cuda_elliptic_turn *out)
{
    cudaStream_t s = (cudaStream_t)stream;
    const int64_t nx = x->single ? x->single->nx : x->matrix->nx;
    if ((x->single ? x->single->systems : x->matrix->systems) == 0) return SW_OK;
    if (x->single) {
        if (nx % 4 == 0) return queue_advance<float, 4>(s, x, x->single, turn, out);
        return queue_advance<float, 1>(s, x, x->single, turn, out);
    }
    if (nx % 2 == 0) return queue_advance<double, 2>(s, x, x->matrix, turn, out);
    return queue_advance<double, 1>(s, x, x->matrix, turn, out);
}

/* With one column a thread there are at least as many blocks as with several. */
int64_t elliptic_advance_blocks(int64_t nx, int64_t ny, int64_t nz)
{
    int64_t most = 0;
    for (int V = 1; V <= 4; V *= 2) {
        const int64_t blocks = shape_of(nx, ny, nz, V).blocks;
        if (blocks > most) most = blocks;
    }
    return most;
}
