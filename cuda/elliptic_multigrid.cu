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
enum { WARPS = 16, RING = SW_CUDA_MULTIGRID_RING };

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

/* alpha is a number of single precision, so that r and u get the same. Where z has nothing new to one direction, as in
 * systems of a few cells, rounding is left of p, and the pass ends; that the first p of a pass has <p, A p> <= 0 says
 * something about A. */
__device__ static void end_direction(state *s, double pq)
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

/* ------------------------------------------------------------------ columns, several threads each */

__device__ static inline float reciprocal(float x) { return __fdividef(1.0f, x); }

/* The rest of f after an update, of the levels of a thread. @return the sum of squares */
template <int L>
__device__ static inline float update(float alpha, float *f, const float *q, int first, int nz, int pitch, float *y)
{
    float rr = 0;
#pragma unroll
    for (int l = 0; l < L; l++)
        if (first + l < nz) y[l] -= alpha * q[(long long)(first + l) * pitch];
#pragma unroll
    for (int l = 0; l < L; l++)
        if (first + l < nz) {
            f[(long long)(first + l) * pitch] = y[l];
            rr += y[l] * y[l];
        }
    return rr;
}

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
 * 1, a damped sweep 1. About 20 operations and a reciprocal, and those of neighbours(). */
template <int L, int KIND>
__global__ static void __launch_bounds__(L == 16 ? 1024 : 512)
    columns_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, struct pass p)
{
    extern __shared__ float4 table[];   /* [chunks L]: a, b, c, d                          */
    float2 *const carry = (float2 *)(table + m.chunks * L), *const back = carry + blockDim.x;
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, chunk = warp % m.chunks,
              system = blockIdx.x / p.blocks, block = blockIdx.x - system * p.blocks, nz = m.nz, first = chunk * L,
              groups = blockDim.x / LANES / m.chunks;
    wait_previous();
    state *const s = m.state + system;
    if (!takes_part(*s, p.level, p.but_coarsest)) return;
    const place at = place_of(g.planes, p.colour, ((long long)block * groups + warp / m.chunks) * LANES + lane);
    const int pitch = g.planes.pitch;
    const long long field = system * elliptic_planes_cells(&g.planes), entry = entry_of(g.planes, at),
                    mine = field + own_plane(g.planes, at) + entry, theirs = field + other_plane(g.planes, at) + entry;
    float *const f = g.f + mine;
    const weights w = weights_of<KIND>(g, system, at);
    const around a = around_of(g, at);
    faces face = {};
    if (KIND == VARIABLE) face = faces_of(g, system, at);
    float y[L], up[L], down[KIND == VARIABLE ? L : 1];
#pragma unroll
    for (int l = 0; l < L; l++) y[l] = first + l < nz ? f[(long long)(first + l) * pitch] : 0;
    for (int k = threadIdx.x; k < m.chunks * L; k += blockDim.x)
        table[k] = k < nz ? ((const float4 *)m.vertical)[(long long)system * nz + k] : make_float4(1, 0, 0, 0);
    float rr = 0;
    if (p.update && at.inside) rr = update<L>((float)s->alpha, f, m.q + mine, first, nz, pitch, y);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < L; l++) {
        const int k = first + l;
        if (KIND != VARIABLE) y[l] *= w.column.w;
        if (!p.sweep || k >= nz) continue;
        const long long of = (long long)k * pitch;
        const float sum = neighbours<KIND>(w, face, a, k, pitch, p.before + mine + of, p.before + theirs + of);
        y[l] += KIND == VARIABLE ? sum : table[k].w * sum;
    }

    const long long columns = elliptic_planes_columns(&g.planes);
    float h = m.chunks > 1 ? g.pivots[((long long)system * m.chunks + chunk) * columns + column_of(g.planes, at)] : 1,
          last = 0, product = 1;
#pragma unroll
    for (int l = 0; l < L; l++) {
        const int k = first + l;
        const float4 t = table[k];
        float e, b, c;
        if (KIND == VARIABLE) {
            const bool there = k < nz;
            const long long x = (long long)k * face.x_pitch, of = (long long)k * pitch;
            c = there ? face.below[of] : 0;
            b = there ? face.below[of + pitch] : 0;
            const float sides = there ? face.west[x] + face.east[x] + face.south[of] + face.north[of] : 1;
            e = (there ? w.column.x * t.x + sides : sides) + c * h;
        } else {
            b = t.y, c = t.z;
            e = t.x + t.w * w.column.z + c * h;
        }
        const float inverse = reciprocal(e + b);
        h = e * inverse;
        up[l] = KIND == VARIABLE ? b * inverse : inverse;
        c *= inverse;
        if (KIND == VARIABLE) down[l] = c;
        y[l] = last = inverse * y[l] + c * last;
        product *= c;
    }
    carry[threadIdx.x] = make_float2(last, product);
    __syncthreads();
    float carried = 0;
    for (int n = chunk; n > 0; n--) {
        const float2 of = carry[threadIdx.x - n * LANES];
        carried = of.x + of.y * carried;
    }
#pragma unroll
    for (int l = 0; l < L; l++) {
        carried *= KIND == VARIABLE ? down[l] : table[first + l].z * up[l];
        y[l] += carried;
    }
    last = 0, product = 1;
#pragma unroll
    for (int l = L - 1; l >= 0; l--) {
        if (KIND != VARIABLE) up[l] *= table[first + l].y;
        y[l] = last = y[l] + up[l] * last;
        product *= up[l];
    }
    back[threadIdx.x] = make_float2(last, product);
    __syncthreads();
    carried = 0;
    for (int n = m.chunks - 1 - chunk; n > 0; n--) {
        const float2 of = back[threadIdx.x + n * LANES];
        carried = of.x + of.y * carried;
    }

    float dots[4] = {0, 0, 0, 0};
    const bool with_q = p.dots && s->directed;
#pragma unroll
    for (int l = L - 1; l >= 0; l--) {
        const long long of = (long long)(first + l) * pitch;
        carried *= up[l];
        if (first + l >= nz || !at.inside) continue;
        float u = y[l] + carried;
        if (p.damped) u *= DAMPING;
        if (p.damped && p.sweep) u += (1 - DAMPING) * p.before[mine + of];
        p.after[mine + of] = u;
        if (p.dots) add_dots(f[of], u, with_q ? m.q + mine + of : NULL, dots);
    }
    end_sums(m, p, s, system, block, rr, dots);
}

/* ------------------------------------------------------------------ columns, a thread each: of any number of levels */

/* What an elimination needs of level k. */
template <int KIND>
__device__ static inline void rows_of(const weights &w, const faces &f, const float4 &t, int k, int pitch, float *e,
                                      float *b, float *c)
{
    if (KIND == VARIABLE) {
        const long long x = (long long)k * f.x_pitch, y = (long long)k * pitch;
        *c = f.below[y];
        *b = f.below[y + pitch];
        *e = w.column.x * t.x + (f.west[x] + f.east[x] + f.south[y] + f.north[y]);
    } else {
        *e = t.x + t.w * w.column.z, *b = t.y, *c = t.z;
    }
}

/* 4 words more than the above: y, and b g in the scratch memory. */
template <int KIND>
__global__ static void __launch_bounds__(WARPS * LANES)
    tall_columns_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, struct pass p)
{
    const int system = blockIdx.x / p.blocks, block = blockIdx.x - system * p.blocks, nz = m.nz;
    wait_previous();
    state *const s = m.state + system;
    if (!takes_part(*s, p.level, p.but_coarsest)) return;
    const place at = place_of(g.planes, p.colour, (long long)block * blockDim.x + threadIdx.x);
    const int pitch = g.planes.pitch;
    const long long field = system * elliptic_planes_cells(&g.planes), entry = entry_of(g.planes, at),
                    mine = field + own_plane(g.planes, at) + entry, theirs = field + other_plane(g.planes, at) + entry;
    const weights w = weights_of<KIND>(g, system, at);
    const around a = around_of(g, at);
    const bool with_q = p.dots && s->directed;
    const float alpha = (float)s->alpha;
    faces face = {};
    if (KIND == VARIABLE) face = faces_of(g, system, at);
    float h = 1, last = 0, rr = 0, dots[4] = {0, 0, 0, 0};
    for (int k = 0; at.inside && k < nz; k++) {
        const long long of = (long long)k * pitch;
        const float4 t = ((const float4 *)m.vertical)[(long long)system * nz + k];
        float right = g.f[mine + of], e, b, c;
        if (p.update) {
            right -= alpha * m.q[mine + of];
            g.f[mine + of] = right;
            rr += right * right;
        }
        if (KIND != VARIABLE) right *= w.column.w;
        if (p.sweep) {
            const float sum = neighbours<KIND>(w, face, a, k, pitch, p.before + mine + of, p.before + theirs + of);
            right += KIND == VARIABLE ? sum : t.w * sum;
        }
        rows_of<KIND>(w, face, t, k, pitch, &e, &b, &c);
        e += c * h;
        const float inverse = reciprocal(e + b);
        h = e * inverse;
        last = inverse * (right + c * last);
        p.after[mine + of] = last;
        m.scratch[mine + of] = b * inverse;
    }
    last = 0;
    for (int k = nz - 1; at.inside && k >= 0; k--) {
        const long long of = (long long)k * pitch;
        last = p.after[mine + of] + m.scratch[mine + of] * last;
        float u = last;
        if (p.damped) u *= DAMPING;
        if (p.damped && p.sweep) u += (1 - DAMPING) * p.before[mine + of];
        p.after[mine + of] = u;
        if (p.dots) add_dots(g.f[mine + of], u, with_q ? m.q + mine + of : NULL, dots);
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
        rows_of<KIND>(w, face, vertical[k], k, g.planes.pitch, &e, &b, &c);
        h = e + c * h;
        h = h / (h + b);
    }
}

/* ------------------------------------------------------------------ between grids */

enum { STEPS = 8, THREADS = 256 };  /* levels that a thread goes through, one after another */

__device__ static inline int first_of(const struct sw_cuda_multigrid_grid &g, int axis, int n, int coarse)
{
    if (g.coarse[axis] == n) return coarse;
    return coarse <= g.alone[axis] ? 2 * coarse : 2 * coarse - 1;
}

/* f of a coarser grid: sums of residuals over the cells of a coarse one. Words a coarse cell with two colours: the two
 * red residuals take black neighbours, 2 at least, and f; with one f and u of 4. */
template <int KIND>
__global__ static void __launch_bounds__(THREADS)
    restrict_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid fine, struct sw_cuda_multigrid_grid coarse,
               int level, int blocks, int parts)
{
    const int system = blockIdx.x / (blocks * parts), rest = blockIdx.x - system * blocks * parts, part = rest / blocks,
              block = rest - part * blocks, nz = m.nz;
    wait_previous();
    if (!takes_part(m.state[system], level, true)) return;
    const struct elliptic_planes &to = coarse.planes, &p = fine.planes;
    const long long plane = (long long)to.ny * to.pitch, t = (long long)block * blockDim.x + threadIdx.x;
    if (t >= plane * to.colours) return;
    const place at = place_of(to, (int)(t / plane), t % plane);
    if (!at.inside) return;
    const int x = first_of(fine, 0, p.nx, at.i), x_behind = first_of(fine, 0, p.nx, at.i + 1),
              y = first_of(fine, 1, p.ny, at.j), y_behind = first_of(fine, 1, p.ny, at.j + 1),
              first = part * STEPS, behind = min(first + STEPS, nz);
    const long long field = system * elliptic_planes_cells(&p);
    float sum[STEPS];
#pragma unroll
    for (int l = 0; l < STEPS; l++) sum[l] = 0;
    for (int j = y; j < y_behind; j++)
        for (int i = x; i < x_behind; i++) {
            if (elliptic_colour(&p, i, j)) continue;  /* black */
            const place child = {0, i, j, elliptic_entry(&p, i), p.colours == 2 ? j & 1 : 0, true};
            const weights w = weights_of<KIND>(fine, system, child);
            const around a = around_of(fine, child);
            const long long entry = entry_of(p, child), mine = field + entry,
                            theirs = field + other_plane(p, child) + entry;
            faces face = {};
            if (KIND == VARIABLE) face = faces_of(fine, system, child);
#pragma unroll
            for (int l = 0; l < STEPS; l++) {
                const int k = first + l;
                if (k >= behind) continue;
                const long long of = (long long)k * p.pitch;
                float r = neighbours<KIND>(w, face, a, k, p.pitch, fine.first + mine + of, fine.first + theirs + of);
                if (KIND != VARIABLE) r *= w.column.x * m.vertical[((long long)system * nz + k) * 4 + 3];
                if (p.colours == 1) r += (1 - DAMPING) * fine.f[mine + of];
                sum[l] += r;
            }
        }
    float *const f = coarse.f + system * elliptic_planes_cells(&to) + elliptic_cell(&to, at.i, at.j);
#pragma unroll
    for (int l = 0; l < STEPS; l++)
        if (first + l < behind) f[(long long)(first + l) * to.pitch] = sum[l];
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
              int level, int blocks, int parts)
{
    const int system = blockIdx.x / (blocks * parts), rest = blockIdx.x - system * blocks * parts, part = rest / blocks,
              block = rest - part * blocks, nz = m.nz;
    wait_previous();
    if (!takes_part(m.state[system], level, true)) return;
    const struct elliptic_planes &from = coarse.planes, &p = fine.planes;
    const place at = place_of(p, 0, (long long)block * blockDim.x + threadIdx.x);
    if (!at.inside) return;
    const between x = between_of(fine, 0, p.nx, at.i, fine.periodic_x),
                  y = between_of(fine, 1, p.ny, at.j, fine.periodic_y);
    const float *const there = coarse.u + system * elliptic_planes_cells(&from);
    const float *const a = there + elliptic_cell(&from, x.around, y.around),
                *const b = there + elliptic_cell(&from, x.beside, y.around),
                *const c = there + elliptic_cell(&from, x.around, y.beside),
                *const d = there + elliptic_cell(&from, x.beside, y.beside);
    const float ab = y.near, cd = y.far;
    float *const u = fine.first + system * elliptic_planes_cells(&p) + entry_of(p, at);
    const int first = part * STEPS, behind = min(first + STEPS, nz);
#pragma unroll 4
    for (int k = first; k < behind; k++) {
        const long long of = (long long)k * from.pitch;
        u[(long long)k * p.pitch] += x.near * (ab * a[of] + cd * c[of]) + x.far * (ab * b[of] + cd * d[of]);
    }
}

/* ------------------------------------------------------------------ directions */

/* Level by level p = z + beta p, where it is needed, and A p. Words: z, p, p, q; 24 + 10 operations, 8 more with
 * corners. */
enum { MARCH = 16 };

struct direction { const float *z, *p; float beta, z_mean; };

__device__ static inline float value_of(const direction &d, long long at)
{
    const float z = d.z[at] - d.z_mean;
    return d.beta == 0 ? z : z + d.beta * d.p[at];
}

template <int KIND>
__global__ static void __launch_bounds__(THREADS)
    direct_k(struct sw_cuda_multigrid m, struct sw_cuda_multigrid_grid g, int blocks, int parts)
{
    const int all = blocks * parts, system = blockIdx.x / all, rest = blockIdx.x - system * all, part = rest / blocks,
              block = rest - part * blocks, nz = m.nz;
    wait_previous();
    state *const s = m.state + system;
    if (s->done) return;
    const struct elliptic_planes &p = g.planes;
    const int colour = p.colours == 2 ? block & 1 : 0, pitch = p.pitch;
    const place at = place_of(p, colour, (long long)(p.colours == 2 ? block / 2 : block) * blockDim.x + threadIdx.x);
    const long long cells = elliptic_planes_cells(&p), entry = entry_of(p, at), mine = own_plane(p, at) + entry,
                    theirs = other_plane(p, at) + entry, slot = (long long)m.systems * cells;
    const direction d = {g.u + system * cells, m.ring + s->slot * slot + system * cells, (float)s->beta,
                         (float)s->z_mean};
    float *const to = m.ring + (s->slot + 1) % RING * slot + system * cells + mine,
          *const q = m.q + system * cells + mine;
    const weights w = weights_of<KIND>(g, system, at);
    const around a = around_of(g, at);
    const float4 *const vertical = (const float4 *)m.vertical + (long long)system * nz;
    faces face = {};
    if (KIND == VARIABLE) face = faces_of(g, system, at);
    const int first = part * MARCH, behind = min(first + MARCH, nz);
    float down = first > 0 ? value_of(d, mine + (long long)(first - 1) * pitch) : 0,
          own = value_of(d, mine + (long long)first * pitch), pq = 0;
#pragma unroll 2
    for (int k = first; k < behind; k++) {
        const long long of = (long long)k * pitch;
        const float up = k < nz - 1 ? value_of(d, mine + of + pitch) : 0, west = value_of(d, theirs + of + a.west),
                    east = value_of(d, theirs + of + a.east), south = value_of(d, theirs + of + a.south),
                    north = value_of(d, theirs + of + a.north);
        const float4 t = vertical[k];
        float image;
        if (KIND == VARIABLE) {
            const long long x = (long long)k * face.x_pitch;
            const float w_e = face.west[x] * (face.has[0] ? own - west : own) +
                              face.east[x] * (face.has[1] ? own - east : own),
                        s_n = face.south[of] * (face.has[2] ? own - south : own) +
                              face.north[of] * (face.has[3] ? own - north : own);
            image = w.column.x * t.x * own + face.below[of + pitch] * (own - up) + face.below[of] * (own - down) +
                    (w_e + s_n);
        } else {
            float sides = (w.side.x * (own - west) + w.side.y * (own - east)) +
                          (w.side.z * (own - south) + w.side.w * (own - north)) + w.column.y * own;
            if (KIND == CROSS)
                sides += (w.corner.x * (own - value_of(d, mine + of + a.south + a.west)) +
                          w.corner.y * (own - value_of(d, mine + of + a.south + a.east))) +
                         (w.corner.z * (own - value_of(d, mine + of + a.north + a.west)) +
                          w.corner.w * (own - value_of(d, mine + of + a.north + a.east)));
            image = w.column.x * (t.x * own + (t.y * (own - up) + t.z * (own - down)) + t.w * sides);
        }
        if (at.inside) {
            to[of] = own;
            q[of] = image;
            pq += own * image;
        }
        down = own;
        own = up;
    }
    double sum[1];
    if (sum_of_blocks<1>(&pq, m.partial + (long long)system * all, m.ticket + system, all, rest, sum) &&
        threadIdx.x == 0)
        end_direction(s, sum[0]);
}

/* ------------------------------------------------------------------ from and to double precision */

__global__ static void __launch_bounds__(THREADS)
    begin_k(struct sw_cuda_multigrid m, struct elliptic_planes p, const double *from, float *r, int blocks)
{
    const int system = blockIdx.x / blocks, block = blockIdx.x - system * blocks;
    const state &s = m.state[system];
    const long long cells = (long long)p.nx * p.ny * p.nz, at = (long long)block * blockDim.x + threadIdx.x;
    wait_previous();
    if (s.done || at >= cells) return;
    const long long row = at / p.nx;
    const int i = (int)(at - row * p.nx), j = (int)(row / p.nz), k = (int)(row - (long long)j * p.nz);
    r[system * elliptic_planes_cells(&p) + elliptic_cell(&p, i, j) + (long long)k * p.pitch] =
        (float)(s.scale * from[system * cells + at]);
}

/* Words of double precision: u, or twice that, and half a one for each direction. */
__global__ static void __launch_bounds__(THREADS)
    add_k(struct sw_cuda_multigrid m, struct elliptic_planes p, double *u, bool fresh, int blocks)
{
    const int system = blockIdx.x / blocks, block = blockIdx.x - system * blocks;
    const state &s = m.state[system];
    const long long cells = (long long)p.nx * p.ny * p.nz, at = (long long)block * blockDim.x + threadIdx.x,
                    slot = m.systems * elliptic_planes_cells(&p);
    wait_previous();
    if (!s.due || at >= cells || (!fresh && !s.filled)) return;
    const long long row = at / p.nx;
    const int i = (int)(at - row * p.nx), j = (int)(row / p.nz), k = (int)(row - (long long)j * p.nz);
    const float *const ring = m.ring + system * elliptic_planes_cells(&p) + elliptic_cell(&p, i, j) +
                              (long long)k * p.pitch;
    double sum = fresh ? 0 : u[system * cells + at];
    for (int n = s.filled - 1; n >= 0; n--) {
        const int of = (s.slot - n + RING) % RING;
        sum += s.unit * s.alphas[of] * ring[of * slot];
    }
    u[system * cells + at] = sum;
}

__global__ static void added_k(struct sw_cuda_multigrid m)
{
    const int system = blockIdx.x * blockDim.x + threadIdx.x;
    wait_previous();
    if (system < m.systems) m.state[system].filled = 0;
}

/* ------------------------------------------------------------------ launches */

extern "C" void sw_cuda_multigrid_chunks(int nz, int *chunk, int *chunks)
{
    *chunk = nz == 1 ? 1 : nz <= 128 ? 8 : 16;
    *chunks = nz <= 512 ? (nz + *chunk - 1) / *chunk : 0;
}

/* Column groups of a block: 16 warps or less, but at least one group. */
static int groups_of(const struct sw_cuda_multigrid *m) { return m->chunks >= WARPS ? 1 : WARPS / m->chunks; }

static int columns_threads(const struct sw_cuda_multigrid *m)
{
    return m->chunks ? groups_of(m) * m->chunks * LANES : WARPS * LANES;
}

static long long columns_blocks(const struct sw_cuda_multigrid *m, const struct elliptic_planes *p)
{
    return blocks_of((long long)p->ny * p->pitch, m->chunks ? groups_of(m) * LANES : WARPS * LANES);
}

static long long direct_blocks(const struct elliptic_planes *p)
{
    return p->colours * blocks_of((long long)p->ny * p->pitch, THREADS);
}

static int parts_of(int nz, int levels) { return (nz + levels - 1) / levels; }

extern "C" size_t sw_cuda_multigrid_partial(const struct elliptic_planes *p, int systems)
{
    struct sw_cuda_multigrid m = {};
    sw_cuda_multigrid_chunks(p->nz, &m.chunk, &m.chunks);
    const long long four = 4 * columns_blocks(&m, p), one = direct_blocks(p) * parts_of(p->nz, MARCH);
    return (size_t)(four > one ? four : one) * (size_t)systems;
}

template <int KIND>
static enum sw_status launch_columns_of(cudaStream_t s, const struct sw_cuda_multigrid *m, const struct pass &p)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[p.level];
    const long long blocks = (long long)p.blocks * m->systems;
    const int threads = columns_threads(m);
    const size_t shared = (size_t)m->chunks * m->chunk * sizeof(float4) + 2 * (size_t)threads * sizeof(float2);
    if (!m->chunks) return launch(tall_columns_k<KIND>, blocks, threads, 0, s, OVERLAP, *m, g, p);
    if (m->chunk == 1) return launch(columns_k<1, KIND>, blocks, threads, shared, s, OVERLAP, *m, g, p);
    if (m->chunk == 8) return launch(columns_k<8, KIND>, blocks, threads, shared, s, OVERLAP, *m, g, p);
    return launch(columns_k<16, KIND>, blocks, threads, shared, s, OVERLAP, *m, g, p);
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
    const int blocks = (int)blocks_of(elliptic_planes_columns(&to.planes), THREADS), parts = parts_of(m->nz, STEPS);
    const long long all = (long long)blocks * parts * m->systems;
    switch (kind_of(g)) {
    case CROSS: return launch(restrict_k<CROSS>, all, THREADS, 0, s, OVERLAP, *m, g, to, level, blocks, parts);
    case VARIABLE: return launch(restrict_k<VARIABLE>, all, THREADS, 0, s, OVERLAP, *m, g, to, level, blocks, parts);
    default: return launch(restrict_k<CONSTANT>, all, THREADS, 0, s, OVERLAP, *m, g, to, level, blocks, parts);
    }
}

static enum sw_status launch_prolong(cudaStream_t s, const struct sw_cuda_multigrid *m, int level)
{
    const struct sw_cuda_multigrid_grid &g = m->grid[level];
    const int blocks = (int)blocks_of((long long)g.planes.ny * g.planes.pitch, THREADS), parts = parts_of(m->nz, STEPS);
    return launch(prolong_k, (long long)blocks * parts * m->systems, THREADS, 0, s, OVERLAP, *m, g, m->grid[level + 1],
                  level, blocks, parts);
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

/* From u, in the reverse order. */
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
        SW_TRY(launch_columns(s, m, p));
        p.colour = 0;
        p.first = false;
        p.last = true;
    }
    return launch_columns(s, m, p);
}

extern "C" enum sw_status sw_cuda_multigrid_cycle(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, bool update)
{
    cudaStream_t s = (cudaStream_t)stream;
    for (int g = 0; g < m->grids; g++) {
        SW_TRY(sweep_down(s, m, g, update && g == 0));
        if (g + 1 < m->grids) SW_TRY(launch_restrict(s, m, g));
    }
    for (int g = m->grids - 1; g >= 0; g--) {
        if (g + 1 < m->grids) SW_TRY(launch_prolong(s, m, g));
        SW_TRY(sweep_up(s, m, g));
    }
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_multigrid_direct(sw_cuda_stream stream, const struct sw_cuda_multigrid *m)
{
    cudaStream_t s = (cudaStream_t)stream;
    const struct sw_cuda_multigrid_grid &g = m->grid[0];
    const int blocks = (int)direct_blocks(&g.planes), parts = parts_of(m->nz, MARCH);
    const long long all = (long long)blocks * parts * m->systems;
    switch (kind_of(g)) {
    case CROSS: return launch(direct_k<CROSS>, all, THREADS, 0, s, OVERLAP, *m, g, blocks, parts);
    case VARIABLE: return launch(direct_k<VARIABLE>, all, THREADS, 0, s, OVERLAP, *m, g, blocks, parts);
    default: return launch(direct_k<CONSTANT>, all, THREADS, 0, s, OVERLAP, *m, g, blocks, parts);
    }
}

extern "C" enum sw_status sw_cuda_multigrid_pivots(sw_cuda_stream stream, const struct sw_cuda_multigrid *m)
{
    cudaStream_t s = (cudaStream_t)stream;
    for (int k = 0; m->chunks > 1 && k < m->grids; k++) {
        const struct sw_cuda_multigrid_grid &g = m->grid[k];
        const int blocks = (int)blocks_of(elliptic_planes_columns(&g.planes), THREADS);
        const long long all = (long long)blocks * m->systems;
        if (kind_of(g) == VARIABLE) SW_TRY(launch(pivots_k<VARIABLE>, all, THREADS, 0, s, ALONE, *m, g, blocks));
        else SW_TRY(launch(pivots_k<CONSTANT>, all, THREADS, 0, s, ALONE, *m, g, blocks));
    }
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_multigrid_begin(sw_cuda_stream stream, const struct sw_cuda_multigrid *m,
                                                  const double *from)
{
    const struct elliptic_planes &p = m->grid[0].planes;
    const int blocks = (int)blocks_of((long long)p.nx * p.ny * p.nz, THREADS);
    return launch(begin_k, (long long)blocks * m->systems, THREADS, 0, (cudaStream_t)stream, ALONE, *m, p, from,
                  m->grid[0].f, blocks);
}

extern "C" enum sw_status sw_cuda_multigrid_add(sw_cuda_stream stream, const struct sw_cuda_multigrid *m, double *u,
                                                bool fresh)
{
    cudaStream_t s = (cudaStream_t)stream;
    const struct elliptic_planes &p = m->grid[0].planes;
    const int blocks = (int)blocks_of((long long)p.nx * p.ny * p.nz, THREADS);
    SW_TRY(launch(add_k, (long long)blocks * m->systems, THREADS, 0, s, OVERLAP, *m, p, u, fresh, blocks));
    return launch(added_k, blocks_of(m->systems, THREADS), THREADS, 0, s, OVERLAP, *m);
}
