/* The problems of vertical modes in the plane, (Lh + lambda area) w = g, on chip: for planes that fit the registers and
 * the shared memory of a cluster of thread blocks, which takes one problem after another from a queue, hardest first.
 *
 * With S = diagonal^(-1/2) the matrix B = S (Lh + lambda area) S has a diagonal of ones. Between bounds of its
 * eigenvalues (elliptic_plane_point.h) Chebyshev's polynomials make residuals smaller at a rate that is known before
 * (Y. Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 12.1), without sums over the plane:
 *
 *     x += d;  r -= B d;  d = c r + c' d         |r_k| <= |r_0|/cosh(k arcosh((b + a)/(b - a)))
 *
 * in single precision, under corrections whose residual is formed in double: as many of these as rounding asks for, two
 * of them for 1e-7 and a condition number below 1000. A block waits once an iteration, for its warps and for rows at
 * the edges of the blocks beside it, which they send; it forms meanwhile what it can of B d.
 *
 * A thread has a tile of 4 x 4 cells: r, d, x and the weights of B in 88 registers. It reads and writes 16 words at its
 * edges an iteration each way, a word a cell; cross terms read 50 weights more. Operations: 13 a cell, 21 with cross
 * terms. A problem moves 1 word in and out and 1.5 of weights in single precision, and where residuals are formed again
 * 6 more, most of them from the L2 cache. What is in double lies in device memory, and threads side by side take
 * columns side by side of it: r and x change places with the tiles by way of shared memory. */
#include "cuda/bulk_copy.cuh"
#include "elliptic/elliptic_plane_point.h"
#include "cuda/elliptic/elliptic_plane_tiles.cuh"
#include "cuda/launch.cuh"

enum {
    CORRECTIONS = 20,
    STEPS = 40000          /* of one correction, at most */
};

/* One correction leaves at least so much: rounding of x counts by the condition number, and less is not asked for. */
static constexpr float SINGLE_LEAVES = 1e-5f, ROUNDING = 2e-7f;

/* ------------------------------------------------------------------ the matrix of a mode */

/* Weights towards west and south of each cell, and of the cells behind the last ones; first those of A, then of B. */
struct weights { float across[TILE][TILE + 1], along[TILE + 1][TILE]; };

/* Weights of A, and 1/sqrt(diagonal), which is 0 where there is no cell.
 * @return the sum of the diagonal */
template <bool CROSS>
__device__ static double read_weights(const struct sw_cuda_elliptic &m, const float *planes, int pitch, int64_t plane,
                                      double lambda, const struct tile &t, struct weights *w, float scale[TILE][TILE])
{
    const float *const at = planes + (int64_t)t.j * pitch + t.i;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        read_four(at + plane + k * pitch, w->across[k]);
        w->across[k][TILE] = at[plane + k * pitch + TILE];
    }
#pragma unroll
    for (int k = 0; k <= TILE; k++) read_four(at + 2 * plane + k * pitch, w->along[k]);
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        float area[TILE], south[TILE + 1], north[TILE + 1];
        read_four(at + k * pitch, area);
        if (CROSS) {
            const float *const corner = at + 3 * plane + k * pitch;
            read_four(corner, south), south[TILE] = corner[TILE];
            read_four(corner + pitch, north), north[TILE] = corner[pitch + TILE];
        }
#pragma unroll
        for (int h = 0; h < TILE; h++) {
            float diagonal = (float)lambda * area[h] +
                             ((w->across[k][h] + w->across[k][h + 1]) + (w->along[k][h] + w->along[k + 1][h]));
            if (CROSS) diagonal += 0.5f * ((south[h] - south[h + 1]) + (north[h + 1] - north[h]));
            const bool there = t.i + h < m.nx && t.j + k < m.ny;
            scale[k][h] = there ? rsqrtf(diagonal) : 0;
            if (there) sum += diagonal;
        }
    }
    return sum;
}

/* Weights of B from those of A. */
template <bool CROSS>
__device__ static void scale_weights(const float *planes, int pitch, int64_t plane, const struct layout &l,
                                      const struct tile &t, const float scale[TILE][TILE], const struct ring &around,
                                      struct weights *w)
{
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h <= TILE; h++)
            w->across[k][h] *= cell_of(scale, around, h - 1, k) * cell_of(scale, around, h, k);
#pragma unroll
    for (int k = 0; k <= TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++)
            w->along[k][h] *= cell_of(scale, around, h, k - 1) * cell_of(scale, around, h, k);
    if (!CROSS) return;
    const float *const from = planes + 3 * plane + (int64_t)t.j * pitch + t.i;
    float *const at = words_here() + t.y * TILE * l.pitch + PAD + TILE * t.x;
#pragma unroll
    for (int k = 0; k <= TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) {  /* the lower left corner of cell (h, k); 0 on the walls */
            const float half = 0.5f * from[k * pitch + h];
            at[l.rising + k * l.pitch + h] =
                half * (cell_of(scale, around, h - 1, k - 1) * cell_of(scale, around, h, k));
            at[l.falling + k * l.pitch + h] =
                -half * (cell_of(scale, around, h - 1, k) * cell_of(scale, around, h, k - 1));
        }
}

/* ------------------------------------------------------------------ iterations */

/* r -= B d, as far as a tile knows d: what is around it comes by add_ring(). */
__device__ static inline void subtract_image(const struct weights &w, const float d[TILE][TILE], float r[TILE][TILE])
{
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) {
            float image = d[k][h];
            if (h > 0) image -= w.across[k][h] * d[k][h - 1];
            if (h < TILE - 1) image -= w.across[k][h + 1] * d[k][h + 1];
            if (k > 0) image -= w.along[k][h] * d[k - 1][h];
            if (k < TILE - 1) image -= w.along[k + 1][h] * d[k + 1][h];
            r[k][h] -= image;
        }
}

template <bool CROSS>
__device__ static inline void add_ring(const struct layout &l, const struct tile &t, const struct weights &w,
                                       const float d[TILE][TILE], const struct ring &o, float r[TILE][TILE])
{
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        r[0][k] += w.along[0][k] * o.south[k + 1];
        r[3][k] += w.along[4][k] * o.north[k + 1];
        r[k][0] += w.across[k][0] * o.west[k];
        r[k][3] += w.across[k][4] * o.east[k];
    }
    if (!CROSS || !t.there) return;
    const float *const rising = words_here() + l.rising + t.y * TILE * l.pitch + PAD + TILE * t.x,
                *const falling = rising + (l.falling - l.rising);
#pragma unroll
    for (int k = 0; k <= TILE; k++)
#pragma unroll
        for (int h = 0; h <= TILE; h++) {  /* the lower left corner of cell (h, k) */
            const float rise = rising[k * l.pitch + h], fall = falling[k * l.pitch + h];
            if (h < TILE && k < TILE) r[k][h] += rise * cell_of(d, o, h - 1, k - 1);
            if (h > 0 && k > 0) r[k - 1][h - 1] += rise * cell_of(d, o, h, k);
            if (h > 0 && k < TILE) r[k][h - 1] += fall * cell_of(d, o, h, k - 1);
            if (h < TILE && k > 0) r[k - 1][h] += fall * cell_of(d, o, h - 1, k);
        }
}

/* x from B x = r by so many steps; eigenvalues of B lie between low and high. */
template <bool CROSS>
__device__ static void iterate(const struct layout &l, const struct tile &t, const struct weights &w, int steps,
                               float low, float high, struct exchange *edges, float r[TILE][TILE],
                               float x[TILE][TILE])
{
    const float mean = 0.5f * (high + low), half = 0.5f * (high - low), twice = 2 * mean / half, scaled = 2 / half;
    const float start = 1 / mean;
    struct exchange e = *edges;  /* in registers */
    float rate = half * start, d[TILE][TILE];
#pragma unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll
        for (int h = 0; h < TILE; h++) d[k][h] = r[k][h] * start, x[k][h] = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        e.turn ^= 1;
        publish(l, t, e.turn, d);
        arrive_for(&e);
        const float next = __fdividef(1, twice - rate), keep = next * rate, add = next * scaled;
        rate = next;
        subtract_image(w, d, r);
#pragma unroll
        for (int k = 0; k < TILE; k++)
#pragma unroll
            for (int h = 0; h < TILE; h++) x[k][h] += d[k][h];
        wait_for(&e);
        add_ring<CROSS>(l, t, w, d, gather<CROSS>(l, t, e.turn), r);
#pragma unroll
        for (int k = 0; k < TILE; k++)
#pragma unroll
            for (int h = 0; h < TILE; h++) d[k][h] = add * r[k][h] + keep * d[k][h];
    }
    *edges = e;
}

/* Steps that leave `part` of a residual, at most 1/2: arcosh(1/part)/arcosh(1 + e), and arcosh(1 + e) = log(1 + e +
 * sqrt(e (2 + e))), which keeps its digits where e is small. */
__device__ static int steps_for(float low, float high, float part)
{
    const float e = 2 * low / (high - low), inverse = 1 / part,
                steps = logf(inverse + sqrtf(inverse * inverse - 1)) / log1pf(e + sqrtf(e * (2 + e)));
    return !(steps < STEPS) ? STEPS : steps < 1 ? 1 : (int)ceilf(steps);
}

/* ------------------------------------------------------------------ a problem */

/* One row or column further, or back, where there is a cell; else itself, and *there is false. */
__device__ static inline int beside(int i, int step, int n, bool periodic, bool *there)
{
    const int to = i + step;
    *there = periodic || (to >= 0 && to < n);
    if (to < 0) return periodic ? n - 1 : i;
    return to < n ? to : periodic ? 0 : i;
}

/* r = S rest/unit of a strip into the rows of field. sums: |rest|², |r|² of it are added */
__device__ static inline void keep_residual(const struct layout &l, const struct strip &s, double inverse,
                                            const double rest[TILE], double *sums)
{
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        if (k >= s.cells) continue;
        const int at = s.at + k * l.width;
        const float r = (float)(rest[k] * inverse) * words_here()[l.scale + at];
        words_here()[l.field + at] = r;
        sums[0] += rest[k] * rest[k];
        sums[1] += (double)r * r;
    }
}

/* r = S g/unit into the rows of field.
 * sums: out: |g|², |r|² */
__device__ static inline void take_field(const struct sw_cuda_elliptic &m, const struct shape &p,
                                         const struct layout &l, const struct tile &t, unsigned rank, const double *g,
                                         double unit, double *sums)
{
    const int nx = (int)m.nx;
    const double inverse = 1 / unit;
    struct strips of = {t.strip_x, t.strip_y};
    double rest[TILE][TILE];
#pragma unroll
    for (int number = 0; number < TILE; number++) {  /* all are on their way before the first is used */
        const struct strip s = next_strip(m, p, l, rank, &of);
#pragma unroll
        for (int k = 0; k < TILE; k++) rest[number][k] = k < s.cells ? g[(s.j + k) * nx + s.i] : 0;
    }
    of = strips{t.strip_x, t.strip_y};
    sums[0] = sums[1] = 0;
#pragma unroll
    for (int number = 0; number < TILE; number++)
        keep_residual(l, next_strip(m, p, l, rank, &of), inverse, rest[number], sums);
}

/* r = S (g - A w)/unit into the rows of field, A in double, by differences.
 * sums: out: |g - A w|², |r|² */
template <bool CROSS>
__device__ static inline void form_residual(const struct sw_cuda_elliptic &m, const struct shape &p,
                                            const struct layout &l, const struct tile &t, unsigned rank, double lambda,
                                            const double *g, const double *w, double unit, double *sums)
{
    const int nx = (int)m.nx, ny = (int)m.ny;
    const double inverse = 1 / unit;
    struct strips of = {t.strip_x, t.strip_y};
    sums[0] = sums[1] = 0;
#pragma unroll 1
    for (int number = 0; number < TILE; number++) {
        const struct strip s = next_strip(m, p, l, rank, &of);
        double rest[TILE];
        if (s.cells == 0) continue;
        const int own = s.j * nx + s.i, last = s.cells - 1;
#pragma unroll
        for (int k = 0; k < TILE; k++) rest[k] = g[own + (k < last ? k : last) * nx];
        bool has_west, has_east, has_south, has_north;
        const int west = beside(s.i, -1, nx, m.periodic_x, &has_west),
                  east = beside(s.i, 1, nx, m.periodic_x, &has_east),
                  south = beside(s.j, -1, ny, m.periodic_y, &has_south),
                  north = beside(s.j + last, 1, ny, m.periodic_y, &has_north);
        double at[TILE + 2], left[TILE + 2], right[TILE + 2];
#pragma unroll
        for (int k = 0; k < TILE + 2; k++) {  /* rows beside each other; those behind the last cell are not used */
            const int row = k == 0 ? south : k - 1 > last ? north : s.j + k - 1;
            const bool there = k == 0 ? has_south : k - 1 > last ? has_north : true;
            at[k] = there ? w[row * nx + s.i] : 0;
            left[k] = (CROSS || (k > 0 && k <= TILE)) && there && has_west ? w[row * nx + west] : 0;
            right[k] = (CROSS || (k > 0 && k <= TILE)) && there && has_east ? w[row * nx + east] : 0;
        }
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            const int j = s.j + (k < last ? k : last);
            const double *const across = m.east + (int64_t)j * (nx + 1) + s.i, *const along = m.north + own +
                         (k < last ? k : last) * nx;
            const double here = at[k + 1];
            rest[k] -= lambda * m.area[j * nx + s.i] * here +
                       ((across[0] * (here - left[k + 1]) + across[1] * (here - right[k + 1])) +
                        (along[0] * (here - at[k]) + along[nx] * (here - at[k + 2])));
            if (!CROSS) continue;
            const double *const corner = m.cross + (int64_t)j * (nx + 1) + s.i;  /* 0 at the walls */
            rest[k] -= 0.5 * ((corner[0] * (here - left[k]) - corner[1] * (here - right[k])) +
                              (corner[nx + 2] * (here - right[k + 2]) - corner[nx + 1] * (here - left[k + 2])));
        }
        keep_residual(l, s, inverse, rest, sums);
    }
}

/* to = w + unit S x, x in the rows of field. @param w  NULL: 0 */
__device__ static inline void add_correction(const struct sw_cuda_elliptic &m, const struct shape &p,
                                             const struct layout &l, const struct tile &t, unsigned rank, double unit,
                                             const double *w, double *to)
{
    const int nx = (int)m.nx;
    struct strips of = {t.strip_x, t.strip_y};
#pragma unroll 2
    for (int number = 0; number < TILE; number++) {
        const struct strip s = next_strip(m, p, l, rank, &of);
        const int own = s.j * nx + s.i;
        double before[TILE];
#pragma unroll
        for (int k = 0; k < TILE; k++) before[k] = w && k < s.cells ? w[own + k * nx] : 0;
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            const int row = s.at + k * l.width;
            if (k < s.cells)
                to[own + k * nx] =
                    before[k] + unit * ((double)words_here()[l.scale + row] * words_here()[l.field + row]);
        }
    }
}

/* g = w, or 0 where w has not been written. */
__device__ static inline void copy_result(const struct sw_cuda_elliptic &m, const struct shape &p,
                                          const struct layout &l, const struct tile &t, unsigned rank, bool written,
                                          const double *w, double *g)
{
    struct strips of = {t.strip_x, t.strip_y};
#pragma unroll 1
    for (int number = 0; number < TILE; number++) {
        const struct strip s = next_strip(m, p, l, rank, &of);
        for (int k = 0; k < s.cells; k++) {
            const int at = (s.j + k) * (int)m.nx + s.i;
            g[at] = written ? w[at] : 0;
        }
    }
}

/* @param w  [ny][nx]: scratch of the cluster */
template <bool CROSS>
__device__ static struct elliptic_plane_outcome solve(struct cluster *c, struct shared *s, const struct shape &p,
                                                      const struct layout &l, const struct tile &t,
                                                      const struct sw_cuda_elliptic &m, const float *planes, int pitch,
                                                      int64_t plane, const struct elliptic_plane_bounds &bounds,
                                                      double lambda, double target, bool check,
                                                      struct exchanges *e, double *g, double *w)
{
    struct elliptic_plane_outcome o = {0, 1};
    struct weights weights = {};
    float r[TILE][TILE] = {}, x[TILE][TILE] = {};
    double value[VALUES] = {}, before = 0;  /* of the diagonal; |g - A w|², |r|² */
    if (t.there) value[0] = read_weights<CROSS>(m, planes, pitch, plane, lambda, t, &weights, r);
    e->edges.turn ^= 1;
    publish(l, t, e->edges.turn, r);
    put_tile(l, l.scale, t, r);
    arrive_for(&e->edges);
    wait_for(&e->edges);
    if (t.there) scale_weights<CROSS>(planes, pitch, plane, l, t, r, gather<true>(l, t, e->edges.turn), &weights);
    take_field(m, p, l, t, c->rank, g, target, value + 1);
    reduce<VALUES>(c, s, &e->values, value);
    /* |g - A w|² = sum of diagonal r², and what is left of r is spread evenly: the mean of the diagonal will do. */
    const float mean_square = (float)(value[0] / (double)(m.nx * m.ny)),
                high = 1.0001f * (float)elliptic_plane_high(&bounds, lambda),
                low = fminf(0.9999f * (float)elliptic_plane_low(&bounds, lambda), 0.999f * high),
                leaves = fmaxf(SINGLE_LEAVES, ROUNDING * high / low);
    bool done = false;
    int correction = 0;
    for (;; correction++) {
        if (correction > 0) {
            cluster_barrier();  /* of w, in device memory */
            form_residual<CROSS>(m, p, l, t, c->rank, lambda, g, w, target, value + 1);
            reduce<2>(c, s, &e->values, value + 1);
        }
        o.residual = sqrt(value[1]);
        if (correction == CORRECTIONS || !(o.residual > target)) break;
        if (correction > 0 && o.residual > 0.5 * before) break;
        before = o.residual;
        const float part = 0.5f * rsqrtf(mean_square * (float)value[2]);  /* of r, whose unit is the target */
        take_tile(m, l, l.field, t, r);
        iterate<CROSS>(l, t, weights, steps_for(low, high, fminf(0.5f, fmaxf(part, leaves))), low, high, &e->edges, r,
                       x);
        done = !check && part > 10 * leaves;  /* what is left then follows from the bound: it need not be formed */
        put_tile(l, l.field, t, x);
        __syncthreads();
        /* to g or w: all have read both, as they took a step since */
        add_correction(m, p, l, t, c->rank, target, correction > 0 ? w : NULL, done ? g : w);
        if (done) break;
    }
    if (!isfinite(o.residual)) o.pq = NAN;
    if (done) o.residual = 0.5 * target;
    else copy_result(m, p, l, t, c->rank, correction > 0, w, g);
    return o;
}

/* ------------------------------------------------------------------ the queue */

/* Draw the next number of the queue: it is on its way to all blocks of the cluster until drawn(). */
__device__ static inline void draw(const struct cluster *c, struct shared *s, struct exchange *e, int *queue)
{
    e->turn ^= 1;
    if (c->rank == 0 && threadIdx.x == 0) {
        const double number = atomicAdd(queue, 1);
        for (unsigned k = 0; k < c->size; k++)
            send_to(address_in(&s->number[e->turn], k), number, address_in(e->meeting + e->turn, k));
    }
    arrive_for(e);
}
__device__ static inline int drawn(const struct shared *s, struct exchange *e)
{
    wait_for(e);
    return (int)s->number[e->turn];
}

/* Bring what a block takes of g into the L2 cache, while it reads weights. */
__device__ static inline void expect_field(const struct sw_cuda_elliptic &m, const struct shape &p, unsigned rank,
                                           const double *g)
{
    const int64_t first = TILE * (int64_t)rank * p.groups, rows = TILE * (int64_t)p.groups, left = m.ny - first,
                  words = (left < rows ? left : rows) * m.nx;
    if (threadIdx.x == 0 && words > 0 && words % 2 == 0 && (uint64_t)(g + first * m.nx) % 16 == 0)
        bulk_prefetch(g + first * m.nx, (uint32_t)(words * (int64_t)sizeof *g));
}

template <bool CROSS>
__global__ static void __launch_bounds__(THREADS, 1)
    elliptic_plane_chip_k(struct sw_cuda_planes s, struct shape p, const float *planes, bool check, double *scratch)
{
    __shared__ struct shared common;
    struct cluster c = join_cluster((unsigned)p.size, &common.words);
    const struct layout l = layout_of(p, CROSS);
    const struct sw_cuda_elliptic &m = s.matrix;
    const int64_t cells = m.nx * m.ny;
    const int pitch = (int)pitch_of(p);
    const int64_t plane = words_of_plane(p);
    struct exchanges e = {{0, 0, bytes_to(m, p, (int)c.rank), common.edges}, {0, 0, 0, common.values},
                          {0, 0, (unsigned)sizeof(double), common.numbers}};
    for (int k = (int)threadIdx.x; k < l.words; k += (int)blockDim.x) words_here()[k] = 0;
    if (threadIdx.x == 0)
        for (int k = 0; k < 2; k++) {
            begin_meeting(common.edges + k, blockDim.x);
            begin_meeting(common.values + k, blockDim.x);
            begin_meeting(common.numbers + k, blockDim.x);
        }
    const struct tile t = tile_of(m, p, l, c.rank, common.edges);
    for (int next = take_next(&c, s.queue); next < s.count; next = drawn(&common, &e.numbers)) {
        const int item = s.order[next], system = item / (int)m.nz;
        const double goal = s.goal[system];
        double *const g = s.w + item * cells;
        __syncthreads();  /* all are done with the shared memory of the problem before */
        draw(&c, &common, &e.numbers, s.queue);
        if (goal < 0) {
            cluster_barrier();  /* two numbers are on their way at most */
            continue;
        }
        expect_field(m, p, c.rank, g);
        const struct elliptic_plane_outcome o =
            solve<CROSS>(&c, &common, p, l, t, m, planes, pitch, plane, s.bounds, s.lambda[item],
                         goal * s.share[item], check, &e, g, scratch + blockIdx.x / (unsigned)p.size * cells);
        if (c.rank == 0 && threadIdx.x == 0) s.outcome[item] = o;
    }
    cluster_barrier();  /* no block's shared memory goes before others are done with it */
}

/* ------------------------------------------------------------------ */

static int divided(int64_t a, int64_t b) { return (int)((a + b - 1) / b); }

static struct shape shape_of(int64_t nx, int64_t ny, int size)
{
    struct shape p = {};
    p.tiles = divided(nx, TILE);
    p.all = divided(ny, TILE);
    p.size = size;
    p.groups = divided(p.all, size);
    p.threads = divided((int64_t)p.tiles * p.groups, 32) * 32;
    p.rows_on = p.threads / (TILE * p.tiles);
    p.cells_on = p.threads % (TILE * p.tiles);
    return p;
}

extern "C" int sw_cuda_planes_chip_size(int64_t nx, int64_t ny, bool cross, bool periodic_x, bool periodic_y,
                                        int least, int most, size_t memory)
{
    const int64_t limit = (int64_t)TILE * TILE * THREADS * CLUSTER_MOST;
    if (nx > limit || ny > limit || (periodic_x && nx % TILE) || (periodic_y && ny % TILE)) return 0;
    /* Blocks that are no cluster cannot send: two at least, where there are clusters. */
    for (int size = most > 1 && least < 2 ? 2 : least; size <= most; size *= 2) {
        const struct shape p = shape_of(nx, ny, size);
        if ((int64_t)p.tiles * p.groups > THREADS) continue;
        return layout_of(p, cross).words * sizeof(float) + sizeof(struct shared) <= memory ? size : 0;
    }
    return 0;
}

extern "C" size_t sw_cuda_planes_chip_words(int64_t nx, int64_t ny, bool cross)
{
    return (size_t)words_of_plane(shape_of(nx, ny, 1)) * (cross ? 4 : 3);
}

extern "C" void sw_cuda_planes_chip_pack(const struct sw_cuda_elliptic *m, float *planes)
{
    const struct shape p = shape_of(m->nx, m->ny, 1);
    const int64_t pitch = pitch_of(p), plane = words_of_plane(p);
    const double *const from[] = {m->area, m->east, m->north, m->cross};
    for (int k = 0; k < (m->cross ? 4 : 3); k++) {
        const int64_t columns = m->nx + k % 2, rows = m->ny + k / 2;
        for (int64_t e = 0; e < plane; e++) {
            const int64_t i = e % pitch, j = e / pitch;
            planes[k * plane + e] = i < columns && j < rows ? (float)from[k][j * columns + i] : 0;
        }
    }
}

typedef void chip_kernel(struct sw_cuda_planes, struct shape, const float *, bool, double *);

static chip_kernel *kernel_of(bool cross) { return cross ? elliptic_plane_chip_k<true> : elliptic_plane_chip_k<false>; }

static size_t shared_of(const struct shape &p, bool cross) { return layout_of(p, cross).words * sizeof(float); }

extern "C" enum sw_status sw_cuda_planes_on_chip(sw_cuda_stream stream, const struct sw_cuda_planes *s,
                                                 const float *planes, bool check, int clusters, int size, void *work)
{
    const struct sw_cuda_elliptic *m = &s->matrix;
    if (s->count == 0) return SW_OK;
    const struct shape p = shape_of(m->nx, m->ny, size);
    const size_t shared = shared_of(p, m->cross != NULL);
    chip_kernel *const kernel = kernel_of(m->cross != NULL);
    SW_TRY(allow_clusters(kernel, size));
    return launch(kernel, (long long)clusters * size, p.threads, shared, (cudaStream_t)stream, CLUSTERS(size), *s, p,
                  planes, check, (double *)work);
}

extern "C" enum sw_status sw_cuda_planes_have_clusters(bool *have)
{
    return has_hopper_code((const void *)kernel_of(false), have);
}

extern "C" enum sw_status sw_cuda_planes_chip_clusters(int64_t nx, int64_t ny, bool cross, int size, int *clusters)
{
    const struct shape p = shape_of(nx, ny, size);
    return clusters_at_once(kernel_of(cross), size, p.threads, shared_of(p, cross), clusters);
}
