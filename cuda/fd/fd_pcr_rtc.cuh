/* Parallel cyclic reduction of constant coefficients, cut off where nothing is left of the off-diagonals. With a
 * (x_{i-s} + x_{i+s}) + b x_i = d_i in all rows, k = a/b, a level makes
 *     d_i -= k (d_{i-s} + d_{i+s}),   b' = b - 2 a k,   a' = -a k,   and s twice as large,
 * and a/b falls as rho^s. So a level is one number for all points of all lines, the last division is done to the
 * weights of the right-hand side, and a result knows of 2^levels - 1 points to either side.
 *
 * A warp has a piece of a line, P adjacent points a lane, 32 P in all, and computes as if these were periodic: a line
 * of just so many points is one; else the piece has 2^levels - 1 points more at both ends, and what comes round does
 * not reach its own points. Neighbours are in registers of the lane, or of one a few lanes away: of 16 points 94
 * values go through shuffles in 6 levels.
 *
 * Between walls right-hand sides of the K rows next to a wall are taken to be 0. That leaves right all rows of the
 * scheme itself, and so do multiples of q^i, q = -rho, from either wall, which the closures then determine (struct
 * fd_pcr_wall), and after them the first K - 1 points.
 *
 * P   points of a lane             HALF_WIDTH    pairs of the right-hand side, weights beyond rhs.half_width are 0
 * THREADS  of a block at most
 *
 * A line of a block is kept with one number more after each P where P is even: lanes then read different banks.
 *
 * Operations on a point, d1_c6: right-hand side 1 + 4, levels 6 times 2: 17, with points beyond a piece 17 (1 + 2
 * halo/own). */

#define LANE (P + (P % 2 == 0))
#define WIDTH (32 * P)
enum { HEAD = 8 };  /* numbers before the first point */

/* m/P and m mod P of m >= -8 P, rounded down. */
__device__ static inline int lane_of(int m) { return (m + 8 * P) / P - 8; }
__device__ static inline int offset(int m) { return lane_of(m) * LANE + (m - lane_of(m) * P); }
__device__ static inline int shared_index(int p) { return HEAD + offset(p); }

/* The piece of this warp's line. */
struct piece {
    int  begin, end;  /* its own points                */
    int  start;       /* point 0 of the warp           */
    bool near, far;   /* next to a wall                */
};

__device__ static inline struct piece piece_of(const struct fd_pcr &c, int k)
{
    struct piece p;
    p.begin = (int)((long long)c.lines.n * k / c.pieces);
    p.end = (int)((long long)c.lines.n * (k + 1) / c.pieces);
    p.start = p.begin - c.halo;
    p.near = c.walls && k == 0;
    p.far = c.walls && k == c.pieces - 1;
    return p;
}

/* Points -HALF_WIDTH .. of the piece and of what is beyond it, every 32nd from `from` on, all on their way at once.
 * Beyond the ends of a line it comes round, or is 0 beyond a wall. */
template <typename T>
__device__ static inline void read_piece(const struct fd_pcr &c, const struct piece &p, const T *f, bool there,
                                         int from, double *to)
{
    const int n = c.lines.n, first = p.start + from - HALF_WIDTH + c.shift;
    const int count = there ? p.end - p.begin + 2 * c.halo + 2 * HALF_WIDTH - from : 0;
    const long long stride = c.lines.stride;
    const T *const at = f + first * stride;
    double v[P + 1];
#pragma unroll
    for (int j = 0; j <= P; j++) {
        const int i = first + 32 * j;
        v[j] = 0;
        if (32 * j >= count) continue;
        if ((unsigned)i < (unsigned)n) v[j] = __ldcs(at + 32 * j * stride);
        else if (!c.walls) v[j] = __ldcs(f + (i % n + n) % n * stride);
    }
#pragma unroll
    for (int j = 0; j <= P; j++) {
        const int m = from + 32 * j - HALF_WIDTH;
        if (m < WIDTH + HALF_WIDTH) to[shared_index(m)] = v[j];
    }
}

template <typename T>
__device__ static inline void write_piece(const struct fd_pcr &c, const struct piece &p, const double *x, int from,
                                          T *out)
{
    const int count = p.end - p.begin - from;
    T *const at = out + (p.begin + from) * c.lines.stride;
#pragma unroll
    for (int j = 0; j < P; j++)
        if (32 * j < count)
            store_or_add(at + 32 * j * c.lines.stride, c.lines.add, x[shared_index(from + 32 * j + c.halo)]);
}

template <int SECOND, int MIDPOINTS>
__device__ static inline void right_hand_side(const struct fd_rhs &s, const double *first, double *x)
{
    double u[P + 2 * HALF_WIDTH];
#pragma unroll
    for (int m = 0; m < P + 2 * HALF_WIDTH; m++) u[m] = first[offset(m - HALF_WIDTH)];
#pragma unroll
    for (int j = 0; j < P; j++) {
        const double *here = u + HALF_WIDTH + j;
        double sum = s.centre * *here;
#pragma unroll
        for (int k = 1; k <= HALF_WIDTH; k++)
            sum = fma(s.weight[k], fd_pair(SECOND, s.minus, *here, here[k], here[MIDPOINTS - k]), sum);
        x[j] = sum;
    }
}

__device__ static inline double from_lane(double x, int lane) { return __shfl_sync(FULL_WARP, x, lane & 31); }

/* The neighbours S points away. Where S and P divide each other, chains of points S apart need no others' old
 * values. */
template <int S> __device__ static inline void level(double k, int lane, double *x)
{
    if (S % P == 0) {
#pragma unroll
        for (int j = 0; j < P; j++)
            x[j] = fma(-k, from_lane(x[j], lane - S / P) + from_lane(x[j], lane + S / P), x[j]);
        return;
    }
    const int chains = S < P ? S : P;
    const bool apart = P % S == 0;
    double left[P], right[P];  /* of the points whose neighbour is in another lane: the first S, the last S */
    if (!apart) {
#pragma unroll
        for (int j = 0; j < chains; j++) {
            const int before = (S - j + P - 1) / P, m = P - chains + j, after = (m + S) / P;
            left[j] = from_lane(x[j - S + before * P], lane - before);
            right[m] = from_lane(x[m + S - after * P], lane + after);
        }
    }
#pragma unroll
    for (int j0 = 0; j0 < chains; j0++) {
        double before = apart ? from_lane(x[(P - S + j0) % P], lane - 1) : left[j0];
        const double next = apart ? from_lane(x[j0], lane + 1) : 0;
#pragma unroll
        for (int j = j0; j < P; j += S) {
            const double here = x[j], after = j + S < P ? x[j + S] : apart ? next : right[j];
            x[j] = fma(-k, before + after, here);
            before = here;
        }
    }
}

/* Right-hand side of the closure's row that this lane has: near ones lanes 0 .. K - 1, far ones from 16 on. */
__device__ static inline double closure(const struct fd_pcr &c, const struct piece &p, const double *line, int lane)
{
    const int k = lane % 16, far = lane / 16, step = far ? -1 : 1, wall = (far ? c.lines.n - 1 : 0) - p.start;
    double sum = 0;
    if (k >= c.wall.K || !(far ? p.far : p.near)) return 0;
    const double base = c.wall.differences ? line[shared_index(wall)] : 0;
    for (int l = 0; l < c.wall.points; l++)
        sum = fma(c.wall.weight[k][l], line[shared_index(wall + l * step)] - base, sum);
    return far ? c.wall.far * sum : sum;
}

/* The defect of the closure's row K - 1, and x at point K from the wall. @param own  that row's right-hand side */
__device__ static inline double wall_defect(const struct fd_pcr &c, const double *line, int last, int step, double own,
                                            double *inner)
{
    *inner = line[shared_index(last + step)];
    return fma(c.wall.v[c.wall.K - 1], *inner, own) - line[shared_index(last)];
}

__device__ static inline void add_powers(const struct fd_pcr &c, double *line, int last, int step, double amount,
                                         int lane)
{
    const int most = min(c.powers, c.lines.n - 2 * c.wall.K + 2);
    for (int i = lane; i < most; i += 32) {
        double *x = line + shared_index(last + i * step);
        *x = fma(amount, c.power[i], *x);
    }
}

__device__ static inline void apply_closures(const struct fd_pcr &c, const struct piece &p, double *line, int lane,
                                             double row)
{
    const int K = c.wall.K, n = c.lines.n, near = K - 1 - p.start, far = n - K - p.start, k = lane % 16;
    const double own_near = from_lane(row, K - 1), own_far = from_lane(row, 16 + K - 1);
    double inner_near = 0, inner_far = 0, lack_near = 0, lack_far = 0;
    if (p.near) lack_near = wall_defect(c, line, near, 1, own_near, &inner_near);
    if (p.far) lack_far = wall_defect(c, line, far, -1, own_far, &inner_far);
    const double a = fma(c.wall.other, lack_far, c.wall.same * lack_near);
    const double b = fma(c.wall.other, lack_near, c.wall.same * lack_far);
    __syncwarp();
    if (p.near) add_powers(c, line, near, 1, a, lane);
    __syncwarp();
    if (p.far) add_powers(c, line, far, -1, b, lane);
    __syncwarp();
    if (k >= K - 1) return;
    if (lane < 16 && p.near)
        line[shared_index(k - p.start)] = fma(c.wall.v[k], fma(c.wall.across, b, fma(c.wall.q, a, inner_near)), row);
    if (lane >= 16 && p.far)
        line[shared_index(n - 1 - k - p.start)] =
            fma(c.wall.v[k], fma(c.wall.across, a, fma(c.wall.q, b, inner_far)), row);
}

/* Wait for a line's numbers in shared memory. Lines side by side are moved by all warps together, a line of adjacent
 * points by the warp that computes with it. */
__device__ static inline void sync_line(bool across)
{
    if (across) __syncthreads();
    else __syncwarp();
}

extern "C" __global__ void __launch_bounds__(THREADS)
pcr_k(const __grid_constant__ struct fd_pcr c, const void *f, void *out)
{
    extern __shared__ double memory[];
    const int tid = (int)threadIdx.x, lane = tid % 32, warp = tid / 32, lines = (int)blockDim.x / 32;
    const bool across = c.lines.stride != 1;
    const int moved = across ? tid % lines : warp, from = across ? tid / lines : lane;
    const struct piece p = piece_of(c, (int)(blockIdx.x % (unsigned)c.pieces));
    const long long mine = (long long)(blockIdx.x / (unsigned)c.pieces) * lines + moved;
    const bool there = mine < c.lines.all;
    const long long begin = there ? fd_line_begin(c.lines.stride, &c.lines, mine) : 0;
    double *const line = memory + warp * c.pitch, *const others = memory + moved * c.pitch;
    const double *const first = line + HEAD + lane * LANE;
    double x[P], row = 0;

    if (c.lines.single) read_piece(c, p, (const float *)f + begin, there, from, others);
    else read_piece(c, p, (const double *)f + begin, there, from, others);
    sync_line(across);
    if (c.rhs.second) right_hand_side<1, 0>(c.rhs, first, x);
    else if (c.midpoints) right_hand_side<0, 1>(c.rhs, first, x);
    else right_hand_side<0, 0>(c.rhs, first, x);
    if (c.walls) {
        row = closure(c, p, line, lane);
#pragma unroll
        for (int j = 0; j < P; j++) {
            const int i = p.start + lane * P + j;
            if (i < c.wall.K || i >= c.lines.n - c.wall.K) x[j] = 0;
        }
    }
    if (c.levels > 0) level<1>(c.factor[0], lane, x);
    if (c.levels > 1) level<2>(c.factor[1], lane, x);
    if (c.levels > 2) level<4>(c.factor[2], lane, x);
    if (c.levels > 3) level<8>(c.factor[3], lane, x);
    if (c.levels > 4) level<16>(c.factor[4], lane, x);
    if (c.levels > 5) level<32>(c.factor[5], lane, x);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < P; j++) line[HEAD + lane * LANE + j] = x[j];
    __syncwarp();
    if (p.near || p.far) apply_closures(c, p, line, lane, row);
    sync_line(across);
    if (!there) return;
    if (c.lines.single) write_piece(c, p, others, from, (float *)out + begin);
    else write_piece(c, p, others, from, (double *)out + begin);
}
