/* A multigrid cycle in single precision for all systems of a batch (elliptic/elliptic_multigrid_cuda.c;
 * docs/explanation/elliptic_methods.md): what is between sweeps over columns (elliptic_multigrid_columns.cu). Of A = M
 * - N, M what a column has by itself, the residual after a sweep that began with 0 takes N u only: of the colour that
 * was swept last, for the first one, and 0 for the last, but for what corners bring from a column's own colour; or
 * (1 - omega) f + N u. */
#include "cuda/elliptic/elliptic_multigrid_columns.cuh"

/* ------------------------------------------------------------------ residuals for a coarser grid */

/* The first cell of a coarse one, both counted from where the fine grid begins. */
__device__ static inline int first_of(const struct sw_cuda_multigrid_grid &g, int axis, int coarse)
{
    if (!g.halved[axis]) return coarse;
    return coarse <= g.alone[axis] ? 2 * coarse : 2 * coarse - 1;
}

/* The residuals of a child after a sweep from 0, added to the sums of a coarse column, N levels from `first` on;
 * RAGGED: some of them may not be there.
 * @param child  of the first colour, with corners of any  @param counts  else nothing is added, but memory is read */
template <int N, int KIND, bool RAGGED>
__device__ static inline void add_child(const struct sw_cuda_multigrid &m, const struct sw_cuda_multigrid_grid &fine,
                                        int system, const place &child, bool counts, int first, float sum[N])
{
    const struct elliptic_planes &p = fine.planes;
    const long long field = system * elliptic_planes_cells(&p) + entry_of(p, child) + first * TILE,
                    mine = field + own_plane(p, child), theirs = field + other_plane(p, child);
    const float4 *const vertical = (const float4 *)m.vertical + (long long)system * m.nz + first;
    const nearby<KIND> u = nearby_of<KIND>(around_of(fine, child), fine.first + mine, fine.first + theirs);
    const weights w = weights_of<KIND>(fine, system, child);
    faces face = {};
    if (KIND == VARIABLE) {
        face = faces_of(fine, system, child);
        face.west += first * TILE, face.east += first * TILE, face.south += first * TILE, face.north += first * TILE;
    }
    const auto there = [&](int l) { return !RAGGED || first + l < m.nz; };
    float r[N];
    if constexpr (KIND == CROSS) {
        if (child.colour == 1) {  /* its neighbours were there when it was solved for, but no corners */
#pragma unroll
            for (int l = 0; l < N; l++) r[l] = there(l) ? corners(w, u, l * TILE) : 0;
        }
    }
    if (KIND != CROSS || child.colour == 0) {
#pragma unroll
        for (int l = 0; l < N; l++) r[l] = there(l) ? neighbours<KIND>(w, face, u, l * TILE) : 0;
    }
#pragma unroll
    for (int l = 0; l < N; l++) {
        if (!counts || !there(l)) continue;
        if (KIND != VARIABLE) r[l] *= w.column.x * vertical[l].w;
        if (p.colours == 1) r[l] += (1 - DAMPING) * fine.f[mine + l * TILE];
        sum[l] += r[l];
    }
}

/* Sums of residuals over the cells of a coarse column, from level `first` on. With two colours and no corners those of
 * black cells are 0; a row has one red child at most. Words a coarse cell with two colours: the two red residuals take
 * black neighbours, 2 at least; with one f and u of 4. */
template <int N, int KIND, bool RAGGED>
__device__ static inline void restricted(const struct sw_cuda_multigrid &m, const struct sw_cuda_multigrid_grid &fine,
                                         int system, const place &at, int first, float sum[N])
{
    const struct elliptic_planes &p = fine.planes;
    const int row = at.j - fine.shift, x = first_of(fine, 0, at.i), x_behind = first_of(fine, 0, at.i + 1),
              y = first_of(fine, 1, row), y_behind = first_of(fine, 1, row + 1);
#pragma unroll
    for (int l = 0; l < N; l++) sum[l] = 0;
    if (KIND != CROSS && p.colours == 2) {
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const int j = y + n < y_behind ? y + n : y, red = x + ((x + j) & 1), i = red < x_behind ? red : x;
            const place child = {0, i, j, i >> 1, true};
            add_child<N, KIND, RAGGED>(m, fine, system, child, y + n < y_behind && red < x_behind, first, sum);
        }
    } else {
        for (int j = y; j < y_behind; j++)
            for (int i = x; i < x_behind; i++)
                add_child<N, KIND, RAGGED>(m, fine, system, cell_at(p, i, j), true, first, sum);
    }
}

/* f of a coarser grid in the rows of this rank, N levels of a column a thread, the last columns first: those are in the
 * cache. */
template <int N, int KIND, bool RAGGED>
__global__ static void __launch_bounds__(THREADS, KIND != CONSTANT ? 2 : N > STEPS ? 3 : 4)
    restrict_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid fine, struct sw_cuda_multigrid_grid coarse,
               int level, struct pieces pieces, int blocks)
{
    const int turn = gridDim.x - 1 - blockIdx.x, system = turn / blocks;
    const struct elliptic_planes &to = coarse.planes;
    int part;
    const place at = place_in(to, pieces, turn - system * blocks, &part);
    const int first = part * N;
    wait_previous();
    allow_next();
    if (!takes_part(m.state[system], level, true) || !is_own(coarse, at)) return;
    float sum[N];
    restricted<N, KIND, RAGGED>(m, fine, system, at, first, sum);
    float *const f = coarse.f + system * elliptic_planes_cells(&to) + own_plane(to, at) + entry_of(to, at) +
                     first * TILE;
#pragma unroll
    for (int l = 0; l < N; l++)
        if (!RAGGED || first + l < m.nz) f[l * TILE] = sum[l];
}

/* ------------------------------------------------------------------ corrections of a finer grid */

/* The coarse cell around cell i of an axis, and the one beside it with its weight. Where the rows that are here end
 * that may be in rows that are not here: then some other cell stands in for it. */
struct between { int around, beside; float near, far; };

__device__ static inline between between_of(const struct sw_cuda_multigrid_grid &g, int axis, int i, bool periodic)
{
    const int shift = axis ? g.shift : 0, count = g.coarse[axis],
              around = !g.halved[axis] ? i : i <= 2 * g.alone[axis] ? i / 2 : (i + 1) / 2, there = around + shift,
              circle = there < 0 ? there + count : there < count ? there : there - count;
    between b = {periodic ? circle : min(max(there, 0), count - 1), 0, g.near[axis][i], g.far[axis][i]};
    b.beside = b.around;
    if (!g.halved[axis]) return b;
    b.beside += i == first_of(g, axis, around) ? -1 : 1;
    if (b.beside < 0 || b.beside >= g.coarse[axis]) {
        if (!periodic) b.far = 0;
        b.beside = !periodic ? b.around : b.beside < 0 ? g.coarse[axis] - 1 : 0;
    }
    return b;
}

/* u += the bilinear interpolation of what a coarser grid has found: of the second colour, as the first one is solved
 * for next, whatever it is; with corners, or one colour, of all columns. Words a cell: u twice, a fourth of u there or
 * more. */
template <int N>
__global__ static void __launch_bounds__(THREADS)
    prolong_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid fine, struct sw_cuda_multigrid_grid coarse,
              int level, int colour, struct pieces pieces, int blocks)
{
    const int system = blockIdx.x / blocks;
    const struct elliptic_planes &from = coarse.planes, &p = fine.planes;
    int part;
    const place at = place_in(p, pieces, blockIdx.x - system * blocks, &part, colour);
    const between x = between_of(fine, 0, at.i, fine.periodic_x),
                  y = between_of(fine, 1, at.j, fine.periodic_y || fine.wraps);
    const int first = part * N;
    const float *const there = coarse.u + system * elliptic_planes_cells(&from) + first * TILE,
                *const a = there + elliptic_cell(&from, x.around, y.around),
                *const b = there + elliptic_cell(&from, x.beside, y.around),
                *const c = there + elliptic_cell(&from, x.around, y.beside),
                *const d = there + elliptic_cell(&from, x.beside, y.beside);
    float *const u = fine.first + system * elliptic_planes_cells(&p) + own_plane(p, at) + entry_of(p, at) +
                     first * TILE;
    wait_previous();
    allow_next();
    if (!takes_part(m.state[system], level, true) || !at.inside) return;
    float sum[N];
#pragma unroll
    for (int l = 0; l < N; l++) {  /* of the last level again, where there are fewer */
        const int of = (first + l < m.nz ? l : m.nz - 1 - first) * TILE;
        sum[l] = u[of] + (x.near * (y.near * a[of] + y.far * c[of]) + x.far * (y.near * b[of] + y.far * d[of]));
    }
#pragma unroll
    for (int l = 0; l < N; l++)
        if (first + l < m.nz) u[l * TILE] = sum[l];
}

/* ------------------------------------------------------------------ launches */

template <int N, int KIND, bool RAGGED>
static enum sw_status launch_restrict_of(cudaStream_t s, const struct sw_cuda_multigrid *m, int level)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[level], &to = m->grid[level + 1];
    const struct pieces pieces = pieces_of(to.planes, to.planes.colours, N);
    const int blocks = (int)blocks_in(pieces);
    return launch(restrict_k<N, KIND, RAGGED>, (long long)blocks * m->systems, THREADS, 0, s, OVERLAP, *m, g, to, level,
                  pieces, blocks);
}

/* Levels of a thread, from `least` to `most`: a thread finds once where its column and the neighbours are, but on small
 * grids more threads have to wait for memory at once. */
static int levels_of(const struct sw_cuda_multigrid *m, const struct elliptic_planes &p, int colours, int least,
                     int most)
{
    enum { MANY = 256 };
    int levels = most;
    while (levels > least && blocks_in(pieces_of(p, colours, levels)) * m->systems < MANY) levels /= 2;
    return levels;
}

template <int KIND>
static enum sw_status launch_restrict_kind(cudaStream_t s, const struct sw_cuda_multigrid *m, int level)
{
    const struct elliptic_planes &to = m->grid[level + 1].planes;
    int most = KIND == CONSTANT ? 2 * STEPS : STEPS;
    while (m->nz % most) most /= 2;
    if (most < STEPS / 2) return launch_restrict_of<STEPS, KIND, true>(s, m, level);
    switch (levels_of(m, to, to.colours, STEPS / 2, most)) {
    case STEPS / 2: return launch_restrict_of<STEPS / 2, KIND, false>(s, m, level);
    case STEPS: return launch_restrict_of<STEPS, KIND, false>(s, m, level);
    default: return launch_restrict_of<KIND == CONSTANT ? 2 * STEPS : STEPS, KIND, false>(s, m, level);
    }
}

extern "C" enum sw_status sw_cuda_multigrid_restrict(sw_cuda_stream stream, const struct sw_cuda_multigrid *m,
                                                     int level)
{
    cudaStream_t s = (cudaStream_t)stream;
    switch (kind_of(m->grid[level])) {
    case CROSS: return launch_restrict_kind<CROSS>(s, m, level);
    case VARIABLE: return launch_restrict_kind<VARIABLE>(s, m, level);
    default: return launch_restrict_kind<CONSTANT>(s, m, level);
    }
}

template <int N>
static enum sw_status launch_prolong_of(cudaStream_t s, const struct sw_cuda_multigrid *m, int level, int colours,
                                        int colour)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[level];
    const struct pieces pieces = pieces_of(g.planes, colours, N);
    const int blocks = (int)blocks_in(pieces);
    return launch(prolong_k<N>, (long long)blocks * m->systems, THREADS, 0, s, OVERLAP, *m, g, m->grid[level + 1],
                  level, colour, pieces, blocks);
}

/* Of the second colour, as the first one is solved for next; with corners of both. */
static enum sw_status launch_prolong(cudaStream_t s, const struct sw_cuda_multigrid *m, int level)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[level];
    const bool both = g.planes.colours == 2 && kind_of(g) == CROSS;
    const int colours = both ? 2 : 1, colour = g.planes.colours - 1;
    return levels_of(m, g.planes, colours, STEPS / 2, STEPS) < STEPS
               ? launch_prolong_of<STEPS / 2>(s, m, level, colours, colour)
               : launch_prolong_of<STEPS>(s, m, level, colours, colour);
}

/* From 0. */
extern "C" enum sw_status sw_cuda_multigrid_down(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level,
                                                 bool update)
{
    cudaStream_t s = (cudaStream_t)stream;
    const struct sw_cuda_multigrid_grid &g = m->grid[level];
    struct pass p = {};
    p.level = level;
    p.what = update ? UPDATE : 0;
    p.first = p.reverse = true;
    p.last = g.planes.colours == 1;
    p.before = p.beside = p.after = g.first;
    p.from_zero = true;
    SW_TRY(multigrid_columns(s, m, p));
    if (p.last) return SW_OK;
    p.colour = p.last = true;
    p.what |= SWEEP;
    p.first = p.reverse = false;
    return multigrid_columns(s, m, p);
}

/* From u, in the same order: the reverse takes a third more of iterations (docs/explanation/elliptic_methods.md).
 * A coarsest grid's second colour is left as it is, where it lies in u already; but not on grid 0, whose sums need it.
 */
extern "C" enum sw_status sw_cuda_multigrid_up(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, int level)
{
    cudaStream_t s = (cudaStream_t)stream;
    const struct sw_cuda_multigrid_grid &g = m->grid[level];
    if (level + 1 < m->grids) SW_TRY(launch_prolong(s, m, level));
    struct pass p = {};
    p.level = level;
    p.what = SWEEP | (level == 0 ? DOTS : 0);
    p.before = g.first;
    p.after = g.u;
    for (p.colour = 0; p.colour < g.planes.colours; p.colour++) {
        p.first = p.colour == 0;
        p.last = p.colour == g.planes.colours - 1;
        p.reverse = !p.first;
        p.beside = p.first ? g.first : g.u;
        p.but_coarsest = !p.first && level > 0 && g.first == g.u;
        if (!p.but_coarsest || level + 1 < m->grids) SW_TRY(multigrid_columns(s, m, p));
    }
    return SW_OK;
}
