/* A sweep over columns of one colour of a grid (elliptic_multigrid.cu). Of A = M - N, M what a column has by itself, a
 * sweep needs N u only: two colours take u = M^-1 (f + N u) of one from the other, and what corners bring from their
 * own as it was before; with one colour u' = (1 - omega) u + omega M^-1 (f + N u).
 *
 * M is over area, a row of it -c x_down + (e + b) x - b x_up = f/area, with e = a + d sides + c h and h = e/(e + b) of
 * the level below, 1 below the lowest: no difference is taken (docs/explanation/elliptic_methods.md). h at every
 * `chunk`-th level is stored, so that the threads of a column, `chunk` levels each, eliminate at once: y = g (f + c
 * y_down), g = 1/(e + b), from 0 below the chunk; what the chunks below bring is added by the products of c g; likewise
 * on the way down.
 *
 * A block takes some columns, and its time is that of the memory's answers, one behind the other: so all that it reads
 * is asked for before any of it is used, and what does not change between launches before the launch before has ended.
 * What a sweep does is known when it is compiled, as a branch would have to wait. */
#include "cuda/elliptic/elliptic_multigrid_columns.cuh"

enum { ANY = -1 };  /* of a launch: its pass says what it does, not a template */

/* ------------------------------------------------------------------ sums */

/* @param sums  of this system, where the grid is cut; else NULL */
__device__ static void end_update(state *s, bool first, bool last, double sum, double *sums)
{
    s->rr = first ? sum : s->rr + sum;
    if (!last) return;
    if (sums) sums[0] = s->rr;
    else end_iteration(s);
}

/* @param sum  of r z, q z, z, r; the last two of singular systems only  @param cells  of a system */
__device__ static void end_dots(state *s, bool first, bool last, const double *sum, double cells, double *sums)
{
    s->rz = first ? sum[0] : s->rz + sum[0];
    s->qz = first ? sum[1] : s->qz + sum[1];
    if (s->singular) {
        s->z_sum = first ? sum[2] : s->z_sum + sum[2];
        s->r_sum = first ? sum[3] : s->r_sum + sum[3];
    }
    if (!last) return;
    if (sums) sums[0] = s->rz, sums[1] = s->qz, sums[2] = s->z_sum, sums[3] = s->r_sum;
    else end_cycle(s, cells);
}

/* What a cell adds to the sums. */
__device__ static inline void add_dots(float f, float u, bool directed, float q, float dots[4])
{
    dots[0] += f * u;
    if (directed) dots[1] += q * u;
    dots[2] += u;
    dots[3] += f;
}

/* @param WHAT  of the launch, or ANY */
template <int WHAT>
__device__ static inline void end_sums(const struct sw_cuda_multigrid &m, const struct pass &p, state *s, bool singular,
                                       int system, int block, float rr, const float dots[4])
{
    const int what = WHAT == ANY ? p.what : WHAT;
    double *const partial = m.partial + 4ll * system * p.blocks, sum[4],
           *const sums = m.sums ? m.sums + (long long)system * SW_CUDA_MULTIGRID_SUMS : NULL;
    unsigned *const ticket = m.ticket + system;
    if ((what & UPDATE) && sum_of_blocks<1>(&rr, partial, ticket, p.blocks, block, sum))
        end_update(s, p.first, p.last, sum[0], sums);
    if ((what & DOTS) && (singular ? sum_of_blocks<4>(dots, partial, ticket, p.blocks, block, sum)
                                   : sum_of_blocks<2>(dots, partial, ticket, p.blocks, block, sum)))
        end_dots(s, p.first, p.last, sum, m.cells, sums);
}

/* ------------------------------------------------------------------ columns, several threads each */

/* log2 of the columns of a tile that a block has, as its threads are 256 at most. */
__host__ __device__ static inline int width_bits(int chunks) { return chunks <= 8 ? 5 : chunks <= 16 ? 4 : 3; }

/* Of normal numbers. */
__device__ static inline float reciprocal(float x)
{
#ifdef __CUDA_ARCH__
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    return inverse;
#else
    return 1 / x;
#endif
}

/* Bring a line into the second-level cache; nobody waits for it. */
__device__ static inline void prefetch(const float *at)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}

/* A thread's part of a column. */
struct part { place at; int chunk, first; weights w; around beside; float h; };

/* @param SWEEPS  it may look at what is around */
template <int L, int KIND, bool SWEEPS>
__device__ static inline part part_of(const struct sw_cuda_multigrid &m, const struct sw_cuda_multigrid_grid &g,
                                      const struct pass &p, int system, int block)
{
    const int bits = width_bits(m.chunks);
    const unsigned slice = threadIdx.x >> bits, lane = threadIdx.x & ((1u << bits) - 1),
                   group = p.groups == 1 ? 0 : slice / (unsigned)m.chunks;
    part c;
    c.chunk = (int)(slice - group * (unsigned)m.chunks);
    c.first = c.chunk * L;
    c.at = place_of(g.planes, p.colour, (((unsigned)block * (unsigned)p.groups + group) << bits) + lane);
    c.w = weights_of<KIND>(g, system, c.at);
    c.beside = SWEEPS ? around_of(g, c.at) : around{0, 0, 0, 0};
    c.h = m.chunks == 1 ? 1 : g.pivots[((long long)system * m.chunks + c.chunk) * elliptic_planes_columns(&g.planes) +
                                       column_of(g.planes, c.at)];
    return c;
}

/* a, b, c, d of all levels of a system, [chunks L]; a barrier must follow. */
template <int L>
__device__ static inline void fill_table(const struct sw_cuda_multigrid &m, int system, float4 *table)
{
    for (int k = threadIdx.x; k < m.chunks * L; k += blockDim.x)
        table[k] = k < m.nz ? ((const float4 *)m.vertical)[(long long)system * m.nz + k] : make_float4(1, 0, 0, 0);
}

/* Solve for a part. The barrier that has to follow fill_table() is the first one here. Words of single precision a cell
 * of the colour, at least: f, u of the other colour, u; an update takes 2 more, dots 1, a damped sweep 1. About 20
 * operations and a reciprocal, and those of neighbours().
 * @param s      of the system; when the launch before has ended
 * @param carry  [2][threads] in shared memory  @param rr, dots  out: what the part adds to the sums
 * @return whether the system takes part */
template <int L, int KIND, bool RAGGED, int WHAT>
__device__ static inline bool solve_part(const struct sw_cuda_multigrid &m, const struct sw_cuda_multigrid_grid &g,
                                         const struct pass &p, const state &s, int system, const part &c,
                                         const float4 *table, float2 *carry, float *rr, float dots[4])
{
    constexpr bool KEEPS = L <= 8, KEEPS_FACES = KEEPS && KIND == VARIABLE;
    const int what = WHAT == ANY ? p.what : WHAT;
    const bool update = what & UPDATE, sweep = what & SWEEP, sums = what & DOTS, damped = g.planes.colours == 1,
               present = takes_part(s, p.level, p.but_coarsest), directed = s.directed;
    const float alpha = (float)s.alpha;
    const int bits = width_bits(m.chunks), first = c.first, levels = m.nz - first;
    const place &at = c.at;
    const weights &w = c.w;
    const long long field = system * elliptic_planes_cells(&g.planes), lowest = entry_of(g.planes, at) + first * TILE,
                    mine = field + own_plane(g.planes, at) + lowest,
                    theirs = field + other_plane(g.planes, at) + lowest;
    float *const f = g.f + mine;
    const float *const q = m.q + mine, *const before = p.before + mine;
    float2 *const back = carry + blockDim.x;
    const auto there = [&](int l) { return !RAGGED || l < levels; };
    faces face = {};
    if (KIND == VARIABLE) {
        face = faces_of(g, system, at);
        face.west += first * TILE, face.east += first * TILE, face.south += first * TILE, face.north += first * TILE;
        face.below += first * TILE;
    }

    float y[L], part[L], kept_f[KEEPS ? L : 1], kept_q[KEEPS ? L : 1], sides[KEEPS_FACES ? L : 1],
        vertical[KEEPS_FACES ? L + 1 : 1];
#pragma unroll
    for (int l = 0; l < L; l++) y[l] = there(l) ? f[l * TILE] : 0;
    if (update) {
#pragma unroll
        for (int l = 0; l < L; l++) y[l] -= there(l) ? alpha * q[l * TILE] : 0;
    }
    if (KEEPS && sums) {
#pragma unroll
        for (int l = 0; l < L; l++) kept_q[l] = there(l) ? q[l * TILE] : 0;
    }
    if (!KEEPS && sums) {
#pragma unroll
        for (int l = 0; l < L; l++)
            if (there(l)) prefetch(q + l * TILE);
    }
    if (KEEPS_FACES) {
#pragma unroll
        for (int l = 0; l < L; l++)
            sides[l] = there(l) ? (face.west[l * TILE] + face.east[l * TILE]) +
                                      (face.south[l * TILE] + face.north[l * TILE]) : 0;
#pragma unroll
        for (int l = 0; l <= L; l++) vertical[l] = !RAGGED || l <= levels ? face.below[l * TILE] : 0;
    }
    if (sweep) {
        const nearby<KIND> u = nearby_of<KIND>(c.beside, before, p.beside + theirs);
#pragma unroll
        for (int l = 0; l < L; l++) part[l] = there(l) ? neighbours<KIND>(w, face, u, l * TILE) : 0;
    }
    __syncthreads();
    if (!present) return false;

    if (update && at.inside) {
        const bool counts = is_own(g, at);
#pragma unroll
        for (int l = 0; l < L; l++) {
            if (there(l)) f[l * TILE] = y[l];
            if (counts) *rr += y[l] * y[l];
        }
    }
    if (KEEPS && sums) {
#pragma unroll
        for (int l = 0; l < L; l++) kept_f[l] = y[l];
    }
    const float4 *const t = table + first;
    const auto above = [&](int l) {
        return KIND != VARIABLE ? t[l].y : !there(l) ? 0 : KEEPS_FACES ? vertical[KEEPS_FACES ? l + 1 : 0]
                                                                       : face.below[(l + 1) * TILE];
    };
    const auto below = [&](int l) {
        return KIND != VARIABLE ? t[l].z : !there(l) ? 0 : KEEPS_FACES ? vertical[KEEPS_FACES ? l : 0]
                                                                       : face.below[l * TILE];
    };
    float h = c.h, last = 0, product = 1;
#pragma unroll
    for (int l = 0; l < L; l++) {
        const float4 of = t[l];
        if (KIND != VARIABLE) y[l] *= w.column.w;
        if (sweep) y[l] += KIND == VARIABLE ? part[l] : of.w * part[l];
        float around = of.w * w.column.z, down = below(l);
        if (KEEPS_FACES) around = sides[KEEPS_FACES ? l : 0];
        else if (KIND == VARIABLE)
            around = there(l) ? (face.west[l * TILE] + face.east[l * TILE]) +
                                    (face.south[l * TILE] + face.north[l * TILE]) : 0;
        const float e = (KIND == VARIABLE && there(l) ? w.column.x * of.x : of.x) + around + down * h,
                    inverse = reciprocal(e + above(l));
        h = e * inverse;
        part[l] = inverse;
        down *= inverse;
        y[l] = last = inverse * y[l] + down * last;
        product *= down;
    }
    carry[threadIdx.x] = make_float2(last, product);
    __syncthreads();
    float carried = 0;
#pragma unroll 4
    for (int n = c.chunk; n > 0; n--) {
        const float2 of = carry[threadIdx.x - (n << bits)];
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
#pragma unroll 4
    for (int n = m.chunks - 1 - c.chunk; n > 0; n--) {
        const float2 of = back[threadIdx.x + (n << bits)];
        carried = of.x + of.y * carried;
    }
#pragma unroll
    for (int l = L - 1; l >= 0; l--) {
        carried *= part[l];
        y[l] += carried;
    }
    if (!at.inside) return true;
    if (damped) {
#pragma unroll
        for (int l = 0; l < L; l++) {
            y[l] *= DAMPING;
            if (sweep && there(l)) y[l] += (1 - DAMPING) * before[l * TILE];
        }
    }
    float *const after = p.after + mine;
#pragma unroll
    for (int l = 0; l < L; l++)
        if (there(l)) after[l * TILE] = y[l];
    if (sums && is_own(g, at)) {
#pragma unroll
        for (int l = 0; l < L; l++)
            if (there(l))
                add_dots(KEEPS ? kept_f[KEEPS ? l : 0] : f[l * TILE], y[l], directed,
                         KEEPS ? kept_q[KEEPS ? l : 0] : directed ? q[l * TILE] : 0, dots);
    }
    return true;
}

/* Blocks a multiprocessor that registers are cut for. */
constexpr int blocks_for(int levels, int kind, int what)
{
    return levels > 8 || what == ANY || (kind == VARIABLE && (what & SWEEP)) ? 3 : 4;
}

/* One sweep. A few small blocks on each processor, some of which wait for memory while others eliminate. */
template <int L, int KIND, bool RAGGED, int WHAT>
__global__ static void __launch_bounds__(THREADS, blocks_for(L, KIND, WHAT))
    columns_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, struct pass p)
{
    extern __shared__ float4 table[];   /* [chunks L], then [2][threads] of float2 */
    float2 *const carry = (float2 *)(table + m.chunks * L);
    const int turn = p.reverse ? gridDim.x - 1 - blockIdx.x : blockIdx.x, system = turn / p.blocks,
              block = turn - system * p.blocks;
    const part c = part_of<L, KIND, (WHAT & SWEEP) != 0>(m, g, p, system, block);
    fill_table<L>(m, system, table);
    wait_previous();
    allow_next();
    state *const s = m.state + system;
    const bool singular = s->singular;
    float rr = 0, dots[4] = {0, 0, 0, 0};
    if (solve_part<L, KIND, RAGGED, WHAT>(m, g, p, *s, system, c, table, carry, &rr, dots))
        end_sums<WHAT>(m, p, s, singular, system, block, rr, dots);
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

/* 4 words more than columns_k: y, and b g in the scratch memory. */
template <int KIND>
__global__ static void __launch_bounds__(THREADS)
    tall_columns_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, struct pass p)
{
    const int system = blockIdx.x / p.blocks, block = blockIdx.x - system * p.blocks, nz = m.nz;
    wait_previous();
    allow_next();
    state *const s = m.state + system;
    if (!takes_part(*s, p.level, p.but_coarsest)) return;
    const place at = place_of(g.planes, p.colour, (unsigned)block * blockDim.x + threadIdx.x);
    const bool update = p.what & UPDATE, sweep = p.what & SWEEP, counts = is_own(g, at),
               sums = (p.what & DOTS) && counts, damped = g.planes.colours == 1;
    const long long field = system * elliptic_planes_cells(&g.planes), lowest = entry_of(g.planes, at),
                    mine = field + own_plane(g.planes, at) + lowest,
                    theirs = field + other_plane(g.planes, at) + lowest;
    float *const f = g.f + mine, *const after = p.after + mine, *const scratch = m.scratch + mine;
    const float *const q = m.q + mine, *const before = p.before + mine;
    const weights w = weights_of<KIND>(g, system, at);
    const nearby<KIND> around = nearby_of<KIND>(around_of(g, at), before, p.beside + theirs);
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
        if (update) {
            right -= alpha * q[of];
            f[of] = right;
            if (counts) rr += right * right;
        }
        if (KIND != VARIABLE) right *= w.column.w;
        if (sweep) right += (KIND == VARIABLE ? 1 : t.w) * neighbours<KIND>(w, face, around, of);
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
        if (damped) u *= DAMPING;
        if (damped && sweep) u += (1 - DAMPING) * before[of];
        after[of] = u;
        if (sums) add_dots(f[of], u, directed, directed ? q[of] : 0, dots);
    }
    end_sums<ANY>(m, p, s, s->singular, system, block, rr, dots);
}

/* The pivots that a column's threads begin with, once for each load. */
template <int KIND>
__global__ static void pivots_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, int blocks)
{
    const int system = blockIdx.x / blocks, block = blockIdx.x - system * blocks;
    const long long columns = elliptic_planes_columns(&g.planes), plane = columns / g.planes.colours,
                    t = (long long)block * blockDim.x + threadIdx.x;
    if (t >= columns) return;
    const place at = place_of(g.planes, (int)(t / plane), (unsigned)(t % plane));
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

/* ------------------------------------------------------------------ launches */

/* Levels of a thread: with fewer of them more threads wait for memory at once, with more each column brings less. Of
 * 128 levels 16 each were faster, or 8 where the weights of each level come from memory too. */
extern "C" void sw_cuda_multigrid_chunks(int nz, bool variable, int *chunk, int *chunks)
{
    *chunk = nz == 1 ? 1 : nz <= (variable ? 256 : 64) ? 8 : 16;
    const int count = (nz + *chunk - 1) / *chunk, whole = 32 >> width_bits(count);  /* warps are whole ones */
    *chunks = count <= 32 ? (count + whole - 1) / whole * whole : 0;
}

static int columns_groups(const struct sw_cuda_multigrid *m)
{
    return m->chunks ? THREADS / (m->chunks << width_bits(m->chunks)) : 1;
}

static int columns_threads(const struct sw_cuda_multigrid *m)
{
    return m->chunks ? columns_groups(m) * m->chunks << width_bits(m->chunks) : THREADS;
}

static long long columns_blocks(const struct sw_cuda_multigrid *m, const struct elliptic_planes *p)
{
    const int together = m->chunks ? columns_groups(m) << width_bits(m->chunks) : THREADS;
    return (elliptic_plane_columns(p) + together - 1) / together;
}

static size_t columns_shared(const struct sw_cuda_multigrid *m)
{
    return (size_t)m->chunks * m->chunk * sizeof(float4) + 2 * (size_t)columns_threads(m) * sizeof(float2);
}

extern "C" size_t sw_cuda_multigrid_partial(const struct elliptic_planes *p, bool variable, int systems)
{
    struct sw_cuda_multigrid m = {};
    sw_cuda_multigrid_chunks(p->nz, variable, &m.chunk, &m.chunks);
    const long long four = 4 * columns_blocks(&m, p), one = blocks_in(pieces_of(*p, p->colours, MARCH));
    return (size_t)(four > one ? four : one) * (size_t)systems;
}

template <int L, int KIND, bool RAGGED, int WHAT>
static enum sw_status launch_sweep(cudaStream_t s, const struct sw_cuda_multigrid *m, const struct pass &p)
{
    return launch(columns_k<L, KIND, RAGGED, WHAT>, (long long)p.blocks * m->systems, columns_threads(m),
                  columns_shared(m), s, OVERLAP, *m, m->grid[p.level], p);
}

/* Sweeps over whole parts are compiled one by one. */
template <int L, int KIND>
static enum sw_status launch_chunks(cudaStream_t s, const struct sw_cuda_multigrid *m, const struct pass &p)
{
    if constexpr (L > 1) {
        if (m->nz == m->chunks * L) {
            switch (p.what) {
            case SWEEP: return launch_sweep<L, KIND, false, SWEEP>(s, m, p);
            case SWEEP | DOTS: return launch_sweep<L, KIND, false, SWEEP | DOTS>(s, m, p);
            }
            if constexpr (KIND != CROSS) {
                switch (p.what) {
                case UPDATE: return launch_sweep<L, KIND, false, UPDATE>(s, m, p);
                case UPDATE | SWEEP: return launch_sweep<L, KIND, false, UPDATE | SWEEP>(s, m, p);
                default: return launch_sweep<L, KIND, false, 0>(s, m, p);
                }
            }
        }
    }
    return launch_sweep<L, KIND, true, ANY>(s, m, p);
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

enum sw_status multigrid_columns(cudaStream_t s, const struct sw_cuda_multigrid *m, struct pass p)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[p.level];
    p.blocks = (int)columns_blocks(m, &g.planes);
    p.groups = columns_groups(m);
    switch (p.from_zero && g.corner ? CONSTANT : kind_of(g)) {
    case CROSS: return launch_columns_of<CROSS>(s, m, p);
    case VARIABLE: return launch_columns_of<VARIABLE>(s, m, p);
    default: return launch_columns_of<CONSTANT>(s, m, p);
    }
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
