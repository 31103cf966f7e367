/* A multigrid cycle in single precision for all systems of a batch (elliptic/elliptic_multigrid_cuda.c;
 * docs/numerics.md, 12). Of A = M - N, M what a column has by itself, a sweep needs N u only: two colours take
 * u = M^-1 (f + N u) of one from the other; with one colour u' = (1 - omega) u + omega M^-1 (f + N u). So does the
 * residual after a sweep that began with 0: N u of the colour that was swept last, for the first one, and 0 for the
 * last; or (1 - omega) f + N u.
 *
 * M is over area, a row of it -c x_down + (e + b) x - b x_up = f/area, with e = a + d sides + c h and h = e/(e + b) of
 * the level below, 1 below the lowest: no difference is taken (numerics.md, 22). h at every `chunk`-th level is stored,
 * so that the threads of a column, `chunk` levels each, eliminate at once: y = g (f + c y_down), g = 1/(e + b), from 0
 * below the chunk; what the chunks below bring is added by the products of c g; likewise on the way down. */
#include "elliptic_multigrid.cuh"

static const float DAMPING = 0.8f;

/* What one launch does with columns. */
struct pass {
    int  level, colour;        /* of one colour: 0 */
    bool sweep;                /* else from 0: nothing is around */
    bool damped;
    bool update;               /* f -= alpha q first, and |f|²; on grid 0 */
    bool dots;                 /* <f, u>, <q, u>; on grid 0 */
    bool first, last;          /* of the launches that contribute to these sums */
    bool but_coarsest;         /* not of systems whose coarsest grid this is */
    int  blocks;               /* of a system */
    const float *before;       /* a sweep begins with this u, [systems] of fields */
    float *after;              /* and leaves this */
};

__device__ static inline bool takes_part(const state &s, int level, bool but_coarsest)
{
    return !s.done && (but_coarsest ? s.grids > level + 1 : s.grids > level);
}

/* ------------------------------------------------------------------ ends of sums */

__device__ static void end_update(state *s, bool first, bool last, double sum)
{
    s->rr = first ? sum : s->rr + sum;
    if (!last) return;
    s->history[s->iterations % RING] = s->rr;
    s->iterations++;
    s->done = !(s->rr > s->target) || s->iterations >= s->most;
}

/* beta = <r' - r, z'>/<r, z> with r' - r = -alpha q and <r, z> = alpha <p, q>. Where A does not see the mean of u that
 * of z, which is what rounding left of the mean of r, many times over, is taken off.
 * @param sum  of r z, q z, z, r; the last two of such systems only  @param cells  of a system */
__device__ static void end_dots(state *s, bool first, bool last, const double *sum, double cells)
{
    s->rz = first ? sum[0] : s->rz + sum[0];
    s->qz = first ? sum[1] : s->qz + sum[1];
    if (s->singular) {
        s->z_sum = first ? sum[2] : s->z_sum + sum[2];
        s->r_sum = first ? sum[3] : s->r_sum + sum[3];
    }
    if (!last) return;
    s->z_mean = s->singular ? s->z_sum / cells : 0;
    if (s->singular) s->rz -= s->z_mean * s->r_sum;
    s->beta = s->directed ? -s->qz / s->pq : 0;
}

/* ------------------------------------------------------------------ columns, several threads each */

/* Columns of a tile that a block has, as its threads are 256 at most. */
__host__ __device__ static inline int width_of(int chunks) { return chunks <= 8 ? 32 : chunks <= 16 ? 16 : 8; }

__device__ static inline float reciprocal(float x) { return __fdividef(1.0f, x); }

__device__ static inline void end_sums(const struct sw_cuda_multigrid &m, const struct pass &p, state *s, int system,
                                       int block, float rr, const float dots[4])
{
    const struct elliptic_planes &of = m.finest;
    double *const partial = m.partial + 4ll * system * p.blocks, sum[4];
    unsigned *const ticket = m.ticket + system;
    if (p.update && sum_of_blocks<1>(&rr, partial, ticket, p.blocks, block, sum) && threadIdx.x == 0)
        end_update(s, p.first, p.last, sum[0]);
    if (p.dots && (s->singular ? sum_of_blocks<4>(dots, partial, ticket, p.blocks, block, sum)
                               : sum_of_blocks<2>(dots, partial, ticket, p.blocks, block, sum)) && threadIdx.x == 0)
        end_dots(s, p.first, p.last, sum, (double)of.nx * of.ny * of.nz);
}

/* What a cell adds to the sums. */
__device__ static inline void add_dots(float f, float u, const float *q, float dots[4])
{
    dots[0] += f * u;
    if (q) dots[1] += *q * u;
    dots[2] += u;
    dots[3] += f;
}

/* Words of single precision a cell of the colour, at least: f, u of the other colour, u; an update takes 2 more, dots
 * 1, a damped sweep 1. About 20 operations and a reciprocal, and those of neighbours(). `width` columns of a tile are
 * in a block together, 32 or an even part of it, so that 256 threads or less have all their levels: a few small blocks
 * on each processor, some of which wait for memory while others eliminate. */
template <int L, int KIND, bool RAGGED>
__global__ static void __launch_bounds__(THREADS, 3)
    columns_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, struct pass p)
{
    extern __shared__ float4 table[];   /* [chunks L]: a, b, c, d; of one system */
    float2 *const carry = (float2 *)(table + m.chunks * L), *const back = carry + blockDim.x;
    const int width = width_of(m.chunks), lane = threadIdx.x & (width - 1), slice = threadIdx.x / width,
              group = slice / m.chunks, chunk = slice - group * m.chunks, first = chunk * L, nz = m.nz,
              system = blockIdx.x / p.blocks, block = blockIdx.x - system * p.blocks;
    wait_previous();
    allow_next();
    state *const s = m.state + system;
    if (!takes_part(*s, p.level, p.but_coarsest)) return;
    const place at = place_of(g.planes, p.colour,
                              ((long long)block * (blockDim.x / width / m.chunks) + group) * width + lane);
    const long long field = system * elliptic_planes_cells(&g.planes), lowest = entry_of(g.planes, at),
                    mine = field + own_plane(g.planes, at) + lowest + first * TILE,
                    theirs = field + other_plane(g.planes, at) + lowest + first * TILE;
    float *const f = g.f + mine;
    const float *const q = m.q + mine;
    const weights w = weights_of<KIND>(g, system, at);
    faces face = {};
    if (KIND == VARIABLE) {
        face = faces_of(g, system, at);
        face.west += first * TILE, face.east += first * TILE, face.south += first * TILE, face.north += first * TILE;
        face.below += first * TILE;
    }
    const auto there = [&](int l) { return !RAGGED || first + l < nz; };
    const auto above = [&](int l) {
        return KIND != VARIABLE ? table[first + l].y : there(l) ? face.below[(l + 1) * TILE] : 0;
    };
    const auto below = [&](int l) {
        return KIND != VARIABLE ? table[first + l].z : there(l) ? face.below[l * TILE] : 0;
    };
    float y[L], part[L], rr = 0;
#pragma unroll
    for (int l = 0; l < L; l++) y[l] = there(l) ? f[l * TILE] : 0;
    for (int k = threadIdx.x; k < m.chunks * L; k += blockDim.x)
        table[k] = k < nz ? ((const float4 *)m.vertical)[(long long)system * nz + k] : make_float4(1, 0, 0, 0);
    if (p.update && at.inside) {
        const float alpha = (float)s->alpha;
#pragma unroll
        for (int l = 0; l < L; l++) part[l] = there(l) ? q[l * TILE] : 0;
#pragma unroll
        for (int l = 0; l < L; l++) {
            y[l] -= alpha * part[l];
            if (there(l)) f[l * TILE] = y[l];
            rr += y[l] * y[l];
        }
    }
    if (p.sweep) {
        const nearby<KIND> u = nearby_of<KIND>(around_of(g, at), p.before + mine, p.before + theirs);
#pragma unroll
        for (int l = 0; l < L; l++) part[l] = there(l) ? neighbours<KIND>(w, face, u, l * TILE) : 0;
    }
    float h = m.chunks == 1 ? 1 : g.pivots[((long long)system * m.chunks + chunk) * elliptic_planes_columns(&g.planes) +
                                           column_of(g.planes, at)];
    __syncthreads();
#pragma unroll
    for (int l = 0; l < L; l++) {
        if (KIND != VARIABLE) y[l] *= w.column.w;
        if (p.sweep) y[l] += KIND == VARIABLE ? part[l] : table[first + l].w * part[l];
    }

    float last = 0, product = 1;
#pragma unroll
    for (int l = 0; l < L; l++) {
        const float4 t = table[first + l];
        const float b = KIND == VARIABLE ? above(l) : t.y;
        float c = KIND == VARIABLE ? below(l) : t.z, sides = t.w * w.column.z;
        if (KIND == VARIABLE)
            sides = there(l) ? (face.west[l * TILE] + face.east[l * TILE]) +
                                   (face.south[l * TILE] + face.north[l * TILE]) : 0;
        const float e = (KIND == VARIABLE && there(l) ? w.column.x * t.x : t.x) + sides + c * h,
                    inverse = reciprocal(e + b);
        h = e * inverse;
        part[l] = inverse;
        c *= inverse;
        y[l] = last = inverse * y[l] + c * last;
        product *= c;
    }
    carry[threadIdx.x] = make_float2(last, product);
    __syncthreads();
    float carried = 0;
    for (int n = chunk; n > 0; n--) {
        const float2 of = carry[threadIdx.x - n * width];
        carried = of.x + of.y * carried;
    }
#pragma unroll
    for (int l = 0; l < L; l++) {
        carried *= below(l) * part[l];
        y[l] += carried;
    }
    last = 0, product = 1;
#pragma unroll
    for (int l = L - 1; l >= 0; l--) {
        part[l] *= above(l);
        y[l] = last = y[l] + part[l] * last;
        product *= part[l];
    }
    back[threadIdx.x] = make_float2(last, product);
    __syncthreads();
    carried = 0;
    for (int n = m.chunks - 1 - chunk; n > 0; n--) {
        const float2 of = back[threadIdx.x + n * width];
        carried = of.x + of.y * carried;
    }
#pragma unroll
    for (int l = L - 1; l >= 0; l--) {
        carried *= part[l];
        y[l] += carried;
    }
    float dots[4] = {0, 0, 0, 0};
    if (at.inside) {
        if (p.damped) {
            const float *const before = p.before + mine;
#pragma unroll
            for (int l = 0; l < L; l++) {
                y[l] *= DAMPING;
                if (p.sweep && there(l)) y[l] += (1 - DAMPING) * before[l * TILE];
            }
        }
        float *const after = p.after + mine;
#pragma unroll
        for (int l = 0; l < L; l++)
            if (there(l)) after[l * TILE] = y[l];
        if (p.dots) {
            const bool directed = s->directed;
#pragma unroll
            for (int l = 0; l < L; l++)
                if (there(l)) add_dots(f[l * TILE], y[l], directed ? q + l * TILE : NULL, dots);
        }
    }
    end_sums(m, p, s, system, block, rr, dots);
}

/* ------------------------------------------------------------------ columns, a thread each: of any number of levels */

/* What an elimination needs of level k. */
template <int KIND>
__device__ static inline void rows_of(const weights &w, const faces &f, const float4 &t, int k, float *e, float *b,
                                      float *c)
{
    if (KIND == VARIABLE) {
        const int of = k * TILE;
        *c = f.below[of];
        *b = f.below[of + TILE];
        *e = w.column.x * t.x + ((f.west[of] + f.east[of]) + (f.south[of] + f.north[of]));
    } else {
        *e = t.x + t.w * w.column.z, *b = t.y, *c = t.z;
    }
}

/* 4 words more than the above: y, and b g in the scratch memory. */
template <int KIND>
__global__ static void __launch_bounds__(THREADS)
    tall_columns_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, struct pass p)
{
    const int system = blockIdx.x / p.blocks, block = blockIdx.x - system * p.blocks, nz = m.nz;
    wait_previous();
    allow_next();
    state *const s = m.state + system;
    if (!takes_part(*s, p.level, p.but_coarsest)) return;
    const place at = place_of(g.planes, p.colour, (long long)block * blockDim.x + threadIdx.x);
    const long long field = system * elliptic_planes_cells(&g.planes), lowest = entry_of(g.planes, at),
                    mine = field + own_plane(g.planes, at) + lowest,
                    theirs = field + other_plane(g.planes, at) + lowest;
    float *const f = g.f + mine, *const after = p.after + mine, *const scratch = m.scratch + mine;
    const float *const q = m.q + mine, *const before = p.before + mine;
    const weights w = weights_of<KIND>(g, system, at);
    const nearby<KIND> around = nearby_of<KIND>(around_of(g, at), before, p.before + theirs);
    const float4 *const vertical = (const float4 *)m.vertical + (long long)system * nz;
    const bool directed = s->directed;
    const float alpha = (float)s->alpha;
    faces face = {};
    if (KIND == VARIABLE) face = faces_of(g, system, at);
    float h = 1, last = 0, rr = 0, dots[4] = {0, 0, 0, 0};
    for (int k = 0; at.inside && k < nz; k++) {
        const int of = k * TILE;
        const float4 t = vertical[k];
        float right = f[of], e, b, c;
        if (p.update) {
            right -= alpha * q[of];
            f[of] = right;
            rr += right * right;
        }
        if (KIND != VARIABLE) right *= w.column.w;
        if (p.sweep) right += (KIND == VARIABLE ? 1 : t.w) * neighbours<KIND>(w, face, around, of);
        rows_of<KIND>(w, face, t, k, &e, &b, &c);
        e += c * h;
        const float inverse = reciprocal(e + b);
        h = e * inverse;
        last = inverse * (right + c * last);
        after[of] = last;
        scratch[of] = b * inverse;
    }
    last = 0;
    for (int k = nz - 1; at.inside && k >= 0; k--) {
        const int of = k * TILE;
        last = after[of] + scratch[of] * last;
        float u = last;
        if (p.damped) u *= DAMPING;
        if (p.damped && p.sweep) u += (1 - DAMPING) * before[of];
        after[of] = u;
        if (p.dots) add_dots(f[of], u, directed ? q + of : NULL, dots);
    }
    end_sums(m, p, s, system, block, rr, dots);
}

/* The pivots that a column's threads begin with, once for each load. */
template <int KIND>
__global__ static void pivots_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, int blocks)
{
    const int system = blockIdx.x / blocks, block = blockIdx.x - system * blocks;
    const long long columns = elliptic_planes_columns(&g.planes), plane = columns / g.planes.colours,
                    t = (long long)block * blockDim.x + threadIdx.x;
    if (t >= columns) return;
    const place at = place_of(g.planes, (int)(t / plane), t % plane);
    if (!at.inside) return;
    const weights w = weights_of<KIND>(g, system, at);
    faces face = {};
    if (KIND == VARIABLE) face = faces_of(g, system, at);
    float *const to = g.pivots + (long long)system * m.chunks * columns + column_of(g.planes, at);
    const float4 *const vertical = (const float4 *)m.vertical + (long long)system * m.nz;
    double h = 1;
    for (int k = 0; k < m.nz; k++) {
        float e, b, c;
        if (k % m.chunk == 0) to[(k / m.chunk) * columns] = (float)h;
        rows_of<KIND>(w, face, vertical[k], k, &e, &b, &c);
        h = e + c * h;
        h = h / (h + b);
    }
}

/* ------------------------------------------------------------------ between grids */

__device__ static inline int first_of(const struct sw_cuda_multigrid_grid &g, int axis, int n, int coarse)
{
    if (g.coarse[axis] == n) return coarse;
    return coarse <= g.alone[axis] ? 2 * coarse : 2 * coarse - 1;
}

/* f of a coarser grid: sums of residuals over the cells of a coarse one. Words a coarse cell with two colours: the two
 * red residuals take black neighbours, 2 at least, and f; with one f and u of 4. */
template <int KIND>
__global__ static void __launch_bounds__(THREADS, KIND == CONSTANT ? 4 : 2)
    restrict_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid fine, struct sw_cuda_multigrid_grid coarse,
               int level, struct pieces pieces, int blocks)
{
    const int system = blockIdx.x / blocks, nz = m.nz;
    wait_previous();
    allow_next();
    if (!takes_part(m.state[system], level, true)) return;
    const struct elliptic_planes &to = coarse.planes, &p = fine.planes;
    int part;
    const place at = place_in(to, pieces, blockIdx.x - system * blocks, &part);
    if (!at.inside) return;
    const int x = first_of(fine, 0, p.nx, at.i), x_behind = first_of(fine, 0, p.nx, at.i + 1),
              y = first_of(fine, 1, p.ny, at.j), y_behind = first_of(fine, 1, p.ny, at.j + 1), first = part * STEPS;
    const long long field = system * elliptic_planes_cells(&p);
    const float *const d = m.vertical + ((long long)system * nz + first) * 4 + 3;
    float sum[STEPS];
#pragma unroll
    for (int l = 0; l < STEPS; l++) sum[l] = 0;
    for (int j = y; j < y_behind; j++)
        for (int i = x; i < x_behind; i++) {
            if (elliptic_colour(&p, i, j)) continue;  /* black */
            const place child = {0, i, j, elliptic_entry(&p, i), p.colours == 2 ? j & 1 : 0, true};
            const weights w = weights_of<KIND>(fine, system, child);
            const long long mine = field + entry_of(p, child) + first * TILE, theirs = mine + other_plane(p, child);
            const nearby<KIND> u = nearby_of<KIND>(around_of(fine, child), fine.first + mine, fine.first + theirs);
            faces face = {};
            if (KIND == VARIABLE) {
                face = faces_of(fine, system, child);
                face.west += first * TILE, face.east += first * TILE;
                face.south += first * TILE, face.north += first * TILE;
            }
#pragma unroll
            for (int l = 0; l < STEPS; l++) {
                if (first + l >= nz) continue;
                float r = neighbours<KIND>(w, face, u, l * TILE);
                if (KIND != VARIABLE) r *= w.column.x * d[4 * l];
                if (p.colours == 1) r += (1 - DAMPING) * fine.f[mine + l * TILE];
                sum[l] += r;
            }
        }
    float *const f = coarse.f + system * elliptic_planes_cells(&to) + own_plane(to, at) + entry_of(to, at) +
                     first * TILE;
#pragma unroll
    for (int l = 0; l < STEPS; l++)
        if (first + l < nz) f[l * TILE] = sum[l];
}

/* The coarse cell around cell i of an axis, and the one beside it with its weight. */
struct between { int around, beside; float near, far; };

__device__ static inline between between_of(const struct sw_cuda_multigrid_grid &g, int axis, int n, int i,
                                            bool periodic)
{
    between b = {i, i, g.near[axis][i], g.far[axis][i]};
    if (g.coarse[axis] == n) return b;
    b.around = i <= 2 * g.alone[axis] ? i / 2 : (i + 1) / 2;
    b.beside = i == first_of(g, axis, n, b.around) ? b.around - 1 : b.around + 1;
    if (b.beside < 0 || b.beside >= g.coarse[axis]) {
        if (!periodic) b.far = 0;
        b.beside = !periodic ? b.around : b.beside < 0 ? g.coarse[axis] - 1 : 0;
    }
    return b;
}

/* u of the first colour += the bilinear interpolation of what a coarser grid has found: the other colour is solved for
 * next, whatever it is. Words a cell: u twice, a fourth of u there or more. */
__global__ static void __launch_bounds__(THREADS)
    prolong_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid fine, struct sw_cuda_multigrid_grid coarse,
              int level, struct pieces pieces, int blocks)
{
    const int system = blockIdx.x / blocks;
    wait_previous();
    allow_next();
    if (!takes_part(m.state[system], level, true)) return;
    const struct elliptic_planes &from = coarse.planes, &p = fine.planes;
    int part;
    const place at = place_in(p, pieces, blockIdx.x - system * blocks, &part);
    if (!at.inside) return;
    const between x = between_of(fine, 0, p.nx, at.i, fine.periodic_x),
                  y = between_of(fine, 1, p.ny, at.j, fine.periodic_y);
    const int first = part * STEPS;
    const float *const there = coarse.u + system * elliptic_planes_cells(&from) + first * TILE,
                *const a = there + elliptic_cell(&from, x.around, y.around),
                *const b = there + elliptic_cell(&from, x.beside, y.around),
                *const c = there + elliptic_cell(&from, x.around, y.beside),
                *const d = there + elliptic_cell(&from, x.beside, y.beside);
    float *const u = fine.first + system * elliptic_planes_cells(&p) + entry_of(p, at) + first * TILE;
    float sum[STEPS];
#pragma unroll
    for (int l = 0; l < STEPS; l++) {  /* of the last level again, where there are fewer */
        const int of = (first + l < m.nz ? l : m.nz - 1 - first) * TILE;
        sum[l] = u[of] + (x.near * (y.near * a[of] + y.far * c[of]) + x.far * (y.near * b[of] + y.far * d[of]));
    }
#pragma unroll
    for (int l = 0; l < STEPS; l++)
        if (first + l < m.nz) u[l * TILE] = sum[l];
}

/* ------------------------------------------------------------------ launches */

extern "C" void sw_cuda_multigrid_chunks(int nz, int *chunk, int *chunks)
{
    *chunk = nz == 1 ? 1 : nz <= 64 ? 8 : 16;
    const int count = (nz + *chunk - 1) / *chunk, whole = 32 / width_of(count);  /* warps are whole ones */
    *chunks = count <= 32 ? (count + whole - 1) / whole * whole : 0;
}

/* Column groups of a block. */
static int groups_of(const struct sw_cuda_multigrid *m) { return THREADS / (m->chunks * width_of(m->chunks)); }

static int columns_threads(const struct sw_cuda_multigrid *m)
{
    return m->chunks ? groups_of(m) * m->chunks * width_of(m->chunks) : THREADS;
}

static long long columns_blocks(const struct sw_cuda_multigrid *m, const struct elliptic_planes *p)
{
    const int together = m->chunks ? groups_of(m) * width_of(m->chunks) : THREADS;
    return (elliptic_plane_columns(p) + together - 1) / together;
}

extern "C" size_t sw_cuda_multigrid_partial(const struct elliptic_planes *p, int systems)
{
    struct sw_cuda_multigrid m = {};
    sw_cuda_multigrid_chunks(p->nz, &m.chunk, &m.chunks);
    const long long four = 4 * columns_blocks(&m, p), one = blocks_in(pieces_of(*p, p->colours, MARCH));
    return (size_t)(four > one ? four : one) * (size_t)systems;
}

template <int L, int KIND>
static enum sw_status launch_chunks(cudaStream_t s, const struct sw_cuda_multigrid *m, const struct pass &p)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[p.level];
    const long long blocks = (long long)p.blocks * m->systems;
    const int threads = columns_threads(m);
    const size_t shared = (size_t)m->chunks * L * sizeof(float4) + 2 * (size_t)threads * sizeof(float2);
    if (m->nz == m->chunks * L) return launch(columns_k<L, KIND, false>, blocks, threads, shared, s, OVERLAP, *m, g, p);
    return launch(columns_k<L, KIND, true>, blocks, threads, shared, s, OVERLAP, *m, g, p);
}

template <int KIND>
static enum sw_status launch_columns_of(cudaStream_t s, const struct sw_cuda_multigrid *m, const struct pass &p)
{
    const long long blocks = (long long)p.blocks * m->systems;
    if (!m->chunks) return launch(tall_columns_k<KIND>, blocks, THREADS, 0, s, OVERLAP, *m, m->grid[p.level], p);
    if (m->chunk == 1) return launch_chunks<1, KIND>(s, m, p);
    if (m->chunk == 8) return launch_chunks<8, KIND>(s, m, p);
    return launch_chunks<16, KIND>(s, m, p);
}

static enum sw_status launch_columns(cudaStream_t s, const struct sw_cuda_multigrid *m, struct pass p)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[p.level];
    p.damped = g.planes.colours == 1;
    p.blocks = (int)columns_blocks(m, &g.planes);
    switch (kind_of(g)) {
    case CROSS: return launch_columns_of<CROSS>(s, m, p);
    case VARIABLE: return launch_columns_of<VARIABLE>(s, m, p);
    default: return launch_columns_of<CONSTANT>(s, m, p);
    }
}

static enum sw_status launch_restrict(cudaStream_t s, const struct sw_cuda_multigrid *m, int level)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[level], &to = m->grid[level + 1];
    const struct pieces pieces = pieces_of(to.planes, to.planes.colours, STEPS);
    const int blocks = (int)blocks_in(pieces);
    const long long all = (long long)blocks * m->systems;
    switch (kind_of(g)) {
    case CROSS: return launch(restrict_k<CROSS>, all, THREADS, 0, s, OVERLAP, *m, g, to, level, pieces, blocks);
    case VARIABLE: return launch(restrict_k<VARIABLE>, all, THREADS, 0, s, OVERLAP, *m, g, to, level, pieces, blocks);
    default: return launch(restrict_k<CONSTANT>, all, THREADS, 0, s, OVERLAP, *m, g, to, level, pieces, blocks);
    }
}

/* Of one colour. */
static enum sw_status launch_prolong(cudaStream_t s, const struct sw_cuda_multigrid *m, int level)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[level];
    const struct pieces pieces = pieces_of(g.planes, 1, STEPS);
    const int blocks = (int)blocks_in(pieces);
    return launch(prolong_k, (long long)blocks * m->systems, THREADS, 0, s, OVERLAP, *m, g, m->grid[level + 1], level,
                  pieces, blocks);
}

/* From 0. */
static enum sw_status sweep_down(cudaStream_t s, const struct sw_cuda_multigrid *m, int level, bool update)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[level];
    struct pass p = {};
    p.level = level;
    p.update = update;
    p.first = true;
    p.last = g.planes.colours == 1;
    p.before = p.after = g.first;
    SW_TRY(launch_columns(s, m, p));
    if (p.last) return SW_OK;
    p.colour = p.sweep = p.last = true;
    p.first = false;
    return launch_columns(s, m, p);
}

/* From u, in the reverse order. A coarsest grid's second colour is what it was. */
static enum sw_status sweep_up(cudaStream_t s, const struct sw_cuda_multigrid *m, int level)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[level];
    struct pass p = {};
    p.level = level;
    p.dots = level == 0;
    p.sweep = p.first = true;
    p.last = g.planes.colours == 1;
    p.before = g.first;
    p.after = g.u;
    if (g.planes.colours == 2) {
        p.colour = 1;
        p.but_coarsest = level > 0;
        SW_TRY(launch_columns(s, m, p));
        p.but_coarsest = false;
        p.colour = 0;
        p.first = false;
        p.last = true;
    }
    return launch_columns(s, m, p);
}

extern "C" enum sw_status sw_cuda_multigrid_sweep(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, bool update)
{
    return sweep_down((cudaStream_t)stream, m, 0, update);
}

extern "C" enum sw_status sw_cuda_multigrid_cycle(sw_cuda_stream stream, const struct sw_cuda_multigrid *m)
{
    cudaStream_t s = (cudaStream_t)stream;
    for (int g = 0; g + 1 < m->grids; g++) {
        SW_TRY(launch_restrict(s, m, g));
        SW_TRY(sweep_down(s, m, g + 1, false));
    }
    for (int g = m->grids - 1; g >= 0; g--) {
        if (g + 1 < m->grids) SW_TRY(launch_prolong(s, m, g));
        SW_TRY(sweep_up(s, m, g));
    }
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_multigrid_pivots(sw_cuda_stream stream, const struct sw_cuda_multigrid *m)
{
    cudaStream_t s = (cudaStream_t)stream;
    for (int k = 0; m->chunks > 1 && k < m->grids; k++) {
        const struct sw_cuda_multigrid_grid &g = m->grid[k];
        const int blocks = (int)((elliptic_planes_columns(&g.planes) + THREADS - 1) / THREADS);
        const long long all = (long long)blocks * m->systems;
        if (kind_of(g) == VARIABLE) SW_TRY(launch(pivots_k<VARIABLE>, all, THREADS, 0, s, ALONE, *m, g, blocks));
        else SW_TRY(launch(pivots_k<CONSTANT>, all, THREADS, 0, s, ALONE, *m, g, blocks));
    }
    return SW_OK;
}
