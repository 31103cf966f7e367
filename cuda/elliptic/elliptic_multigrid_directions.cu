/* The directions of conjugate gradients that multigrid preconditions, in single precision
 * (elliptic/elliptic_multigrid_cuda.c): p = z + beta p, q = A p, and what comes before and behind a pass, the residual
 * from double precision and u to it. */
#include "cuda/elliptic/elliptic_multigrid.cuh"

/* A direction at a level: in this column one level further up, and beside it. */
struct directions { float up, west, east, south, north, corner[4]; };

/* @param of  words from the lowest level of the piece  @param up  of the level above, or any level */
template <int KIND> __device__ static inline directions directions_of(const nearby<KIND> &n, int of, int up)
{
    directions d = {};
    d.up = n.own[up];
    d.west = n.west[of], d.east = n.east[of], d.south = n.south[of], d.north = n.north[of];
    if (KIND == CROSS)
        for (int c = 0; c < 4; c++) d.corner[c] = n.corner[c][of];
    return d;
}

/* Level by level p = z + beta p, where it is needed, and A p. Words: z, p, p, q; 24 + 10 operations, 8 more with
 * corners. What AHEAD levels read is on its way before the first is stored. RAGGED: there may be fewer than MARCH
 * levels; otherwise no place in memory is computed but the first ones. */
template <int KIND, bool RAGGED>
__global__ static void __launch_bounds__(THREADS, KIND == CONSTANT ? 3 : 2)
    direct_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, struct pieces pieces, int blocks)
{
    enum { AHEAD = KIND == VARIABLE ? 2 : 4 };
    const int system = blockIdx.x / blocks, block = blockIdx.x - system * blocks, nz = m.nz;
    const struct elliptic_planes &p = g.planes;
    int part;
    const place at = place_in(p, pieces, block, &part);
    const bool counts = is_own(g, at);
    const long long cells = elliptic_planes_cells(&p), field = system * cells, slot = m.systems * cells;
    const int first = part * MARCH, count = !RAGGED || nz - first >= MARCH ? MARCH : nz - first;
    const long long mine = own_plane(p, at) + entry_of(p, at) + first * TILE,
                    theirs = other_plane(p, at) + entry_of(p, at) + first * TILE;
    const around a = around_of(g, at);
    const weights w = weights_of<KIND>(g, system, at);
    const float4 *const vertical = (const float4 *)m.vertical + (long long)system * nz + first;
    faces face = {};
    if (KIND == VARIABLE) {
        face = faces_of(g, system, at);
        face.west += first * TILE, face.east += first * TILE, face.south += first * TILE, face.north += first * TILE;
        face.below += first * TILE;
    }
    wait_previous();
    allow_next();
    state *const s = m.state + system;
    if (s->done) return;
    const float beta = (float)s->beta, mean = (float)s->z_mean;
    const float *const z = g.u + field,
                *const old = beta == 0 ? z : m.ring + s->slot * slot + field;  /* there may be no direction before */
    const nearby<KIND> z_at = nearby_of<KIND>(a, z + mine, z + theirs),
                       p_at = nearby_of<KIND>(a, old + mine, old + theirs);
    const auto value = [&](float of_z, float of_p) { return of_z - mean + beta * of_p; };
    float *const to = m.ring + (s->slot + 1) % RING * slot + field + mine, *const q = m.q + field + mine;
    const bool lowest = first == 0, highest = first + count == nz;
    const int below = lowest ? 0 : -TILE;
    float down = value(z_at.own[below], p_at.own[below]), own = value(z_at.own[0], p_at.own[0]), pq = 0;
    if (lowest) down = 0;
#pragma unroll
    for (int begin = 0; begin < MARCH; begin += AHEAD) {
        directions of_z[AHEAD], of_p[AHEAD];
        if (RAGGED && begin >= count) break;
#pragma unroll
        for (int l = 0; l < AHEAD; l++) {  /* of the last level again, where there are fewer */
            const int k = RAGGED && begin + l >= count ? count - 1 : begin + l,
                      up = k == count - 1 && highest ? k : k + 1;
            of_z[l] = directions_of<KIND>(z_at, k * TILE, up * TILE);
            of_p[l] = directions_of<KIND>(p_at, k * TILE, up * TILE);
        }
#pragma unroll
        for (int l = 0; l < AHEAD; l++) {
            const int k = begin + l, of = k * TILE;
            if (RAGGED && k >= count) continue;
            const directions &zl = of_z[l], &pl = of_p[l];
            const float up = k == count - 1 && highest ? 0 : value(zl.up, pl.up), west = value(zl.west, pl.west),
                        east = value(zl.east, pl.east), south = value(zl.south, pl.south),
                        north = value(zl.north, pl.north);
            const float4 t = vertical[k];
            float image;
            if (KIND == VARIABLE) {
                const float x = face.west[of] * (face.has & 1 ? own - west : own) +
                                face.east[of] * (face.has & 2 ? own - east : own),
                            y = face.south[of] * (face.has & 4 ? own - south : own) +
                                face.north[of] * (face.has & 8 ? own - north : own);
                image = w.column.x * t.x * own + face.below[of + TILE] * (own - up) + face.below[of] * (own - down) +
                        (x + y);
            } else {
                float sides = (w.side.x * (own - west) + w.side.y * (own - east)) +
                              (w.side.z * (own - south) + w.side.w * (own - north)) + w.column.y * own;
                if (KIND == CROSS)
                    sides += (w.corner.x * (own - value(zl.corner[0], pl.corner[0])) +
                              w.corner.y * (own - value(zl.corner[1], pl.corner[1]))) +
                             (w.corner.z * (own - value(zl.corner[2], pl.corner[2])) +
                              w.corner.w * (own - value(zl.corner[3], pl.corner[3])));
                image = w.column.x * (t.x * own + (t.y * (own - up) + t.z * (own - down)) + t.w * sides);
            }
            if (at.inside) {
                to[of] = own;
                q[of] = image;
                if (counts) pq += own * image;
            }
            down = own;
            own = up;
        }
    }
    double sum[1];
    if (sum_of_blocks<1>(&pq, m.partial + (long long)system * blocks, m.ticket + system, blocks, block, sum)) {
        if (m.sums) m.sums[(long long)system * SW_CUDA_MULTIGRID_SUMS] = sum[0];
        else end_direction(s, sum[0]);
    }
}

extern "C" enum sw_status sw_cuda_multigrid_direct(sw_cuda_stream stream, const struct sw_cuda_multigrid *m)
{
    cudaStream_t s = (cudaStream_t)stream;
    const struct sw_cuda_multigrid_grid &g = m->grid[0];
    const struct pieces pieces = pieces_of(g.planes, g.planes.colours, MARCH);
    const int blocks = (int)blocks_in(pieces);
    const long long all = (long long)blocks * m->systems;
    const bool ragged = m->nz % MARCH != 0;
    switch (kind_of(g)) {
    case CROSS: return launch(ragged ? direct_k<CROSS, true> : direct_k<CROSS, false>, all, THREADS, 0, s, OVERLAP, *m,
                              g, pieces, blocks);
    case VARIABLE: return launch(ragged ? direct_k<VARIABLE, true> : direct_k<VARIABLE, false>, all, THREADS, 0, s,
                                 OVERLAP, *m, g, pieces, blocks);
    default: return launch(ragged ? direct_k<CONSTANT, true> : direct_k<CONSTANT, false>, all, THREADS, 0, s, OVERLAP,
                           *m, g, pieces, blocks);
    }
}

/* ------------------------------------------------------------------ from and to double precision */

/* A warp has 32 cells side by side of a row of this rank, and STEPS levels of them. Where a thread's first cell is;
 * false: nowhere.
 * @param natural  out: in [rows][nz][nx]  @param entry  out: in a field  @param levels  out: from there on */
__device__ static inline bool cells_of(const struct sw_cuda_multigrid &m, int block, long long *natural,
                                       long long *entry, int *levels)
{
    const struct elliptic_planes &p = m.finest;
    const int parts = (p.nz + STEPS - 1) / STEPS, pieces = (p.nx + 31) / 32, warp = block * WARPS + threadIdx.x / 32,
              rest = warp / parts, first = (warp - rest * parts) * STEPS, j = rest / pieces,
              i = (rest - j * pieces) * 32 + threadIdx.x % 32;
    *natural = ((long long)j * p.nz + first) * p.nx + i;
    *entry = elliptic_cell(&p, i, m.begin + j) + first * TILE;
    *levels = p.nz - first < STEPS ? p.nz - first : STEPS;
    return i < p.nx && j < m.rows;
}

/* Words of double precision: 1 1/2. */
__global__ static void __launch_bounds__(THREADS)
    begin_k(struct sw_cuda_multigrid m, const double *from, float *r, int blocks)
{
    const int system = blockIdx.x / blocks, block = blockIdx.x - system * blocks;
    const struct elliptic_planes &p = m.finest;
    long long natural, entry;
    int levels;
    if (m.state[system].done || !cells_of(m, block, &natural, &entry, &levels)) return;
    const double scale = m.state[system].scale;
    const double *const f = from + (long long)system * p.nx * m.rows * p.nz + natural;
    float *const to = r + system * elliptic_planes_cells(&p) + entry;
#pragma unroll
    for (int l = 0; l < STEPS; l++)
        if (l < levels) to[l * TILE] = (float)(scale * f[(long long)l * p.nx]);
}

/* Words of double precision: u, or twice that, and half a one for each direction. */
__global__ static void __launch_bounds__(THREADS)
    add_k(struct sw_cuda_multigrid m, double *u, bool fresh, int blocks)
{
    const int system = blockIdx.x / blocks, block = blockIdx.x - system * blocks;
    const struct elliptic_planes &p = m.finest;
    long long natural, entry;
    int levels;
    wait_previous();
    const state &s = m.state[system];
    if (!s.due || (!fresh && !s.filled) || !cells_of(m, block, &natural, &entry, &levels)) return;
    const long long cells = elliptic_planes_cells(&p), slot = m.systems * cells;
    double *const to = u + (long long)system * p.nx * m.rows * p.nz + natural;
    const float *const ring = m.ring + system * cells + entry;
    double sum[STEPS];
#pragma unroll
    for (int l = 0; l < STEPS; l++) sum[l] = fresh || l >= levels ? 0 : to[(long long)l * p.nx];
    for (int n = s.filled - 1; n >= 0; n--) {
        const int of = (s.slot - n + RING) % RING;
        const float *const direction = ring + of * slot;
        const double factor = s.unit * s.alphas[of];
#pragma unroll
        for (int l = 0; l < STEPS; l++)
            if (l < levels) sum[l] += factor * direction[l * TILE];
    }
#pragma unroll
    for (int l = 0; l < STEPS; l++)
        if (l < levels) to[(long long)l * p.nx] = sum[l];
}

__global__ static void added_k(struct sw_cuda_multigrid m)
{
    const int system = blockIdx.x * blockDim.x + threadIdx.x;
    wait_previous();
    if (system < m.systems) m.state[system].filled = 0;
}

/* Blocks of kernels that go through the cells of [rows][nz][nx]. */
static int natural_blocks(const struct sw_cuda_multigrid *m)
{
    const struct elliptic_planes &p = m->finest;
    const long long warps = (long long)m->rows * ((p.nx + 31) / 32) * ((p.nz + STEPS - 1) / STEPS);
    return (int)((warps + WARPS - 1) / WARPS);
}

extern "C" enum sw_status sw_cuda_multigrid_begin(sw_cuda_stream stream, const struct sw_cuda_multigrid *m,
                                                  const double *from)
{
    const int blocks = natural_blocks(m);
    return launch(begin_k, (long long)blocks * m->systems, THREADS, 0, (cudaStream_t)stream, ALONE, *m, from,
                  m->grid[0].f, blocks);
}

extern "C" enum sw_status sw_cuda_multigrid_add(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, double *u,
                                                bool fresh)
{
    cudaStream_t s = (cudaStream_t)stream;
    const int blocks = natural_blocks(m);
    SW_TRY(launch(add_k, (long long)blocks * m->systems, THREADS, 0, s, OVERLAP, *m, u, fresh, blocks));
    return launch(added_k, (m->systems + THREADS - 1) / THREADS, THREADS, 0, s, OVERLAP, *m);
}
