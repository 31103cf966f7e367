#ifndef FD_FUSED_CUH
#define FD_FUSED_CUH
/* Compact differences in one pass: f is read once, g written once, 16 bytes a point (8 in single precision; arithmetic
 * is double throughout). No coefficient is loaded: they are kernel arguments.
 *
 * With rho = c alpha, c = 1 + rho^2, |rho| < 1 the matrix is T = (1 + rho S-)(1 + rho S+)/c, S+- shifts by a point: two
 * recursions, y_i = c r_i - rho y_{i-1} and x_i = y_i - rho x_{i+1}. A thread has a segment of a line in registers and
 * runs both from zero:
 *     y0 and its last value E,  x0 of y0 and its first value F.
 * What is missing follows from the two numbers E and F of the segments nearby, for it decays as -rho to the distance:
 * with q = -rho and Y, X the true y before and x after a segment of m points
 *     Y of the next = E + q^m Y,   X of the one before = F + kappa Y + q^m X,       sigma = 1/(1 - q^2),
 *     x_i = x0_i + A q^(i+1) + B q^(m-i),   A = sigma Y,   B = X - nu Y,
 *     nu = sigma q^(m+1),   kappa = sigma (q - q^(2m+1)).
 * Sums over as many segments as matter to double precision; round a circle as often as that takes. Five diagonals are two
 * such factors, one after the other.
 *
 * Between walls the recursions start from zero there, which solves all rows of the scheme itself, whatever the
 * right-hand side of the K = max(3, reach) rows next to a wall is; what solves them as well is q^i from either wall. The rows of
 * the closure, reduced at set-up to g_k = sum of weights times f near the wall + v_k g_K for k < K, give the factors of
 * the two, and then the first K - 1 points. Nothing is eliminated in an order of its own, so no pivot can vanish here.
 *
 * No bit depends on which lines and segments a block has: segments follow from n alone, a sum has the same terms in the
 * same order everywhere, and multiply-adds are written as such.
 *
 * Operations on a point, d1_c6: right-hand side 1 + 2 + 2, recursions 2, the two powers 2: 9 of the FMA units, most
 * with a constant operand. */
#include "cu_check.cuh"
#include "sw_cuda.h"

#define FD_INLINE __device__ static __forceinline__

enum { M = SW_CUDA_FD_POINTS };

/* Streaming loads and stores: nothing is read twice by the same block. */
#define FD_LOAD __ldcs
#define FD_STORE __stcs

struct place {
    int    line, p;          /* of the block: line, segment                             */
    int    s, start, len;    /* of the line: segment, its first point, how many         */
    bool   longer;           /* it has d.points + d.step                                */
    int    at;               /* LINES: start in shared.f                                 */
    size_t base;             /* of the line's first point                                */
    bool   active, own;      /* there is such a segment; it is this block's to write    */
};

struct block {
    int    lines;            /* that there are                                          */
    int    first;            /* segment; below 0 it is beyond the first point           */
    int    begin, end;       /* own segments                                            */
    int    held;             /* segments that it has of each line; the last block of a line may have fewer */
    bool   whole;            /* lines                                                   */
    size_t line;             /* the first                                               */
    int    from, count;      /* LINES: points of each line, the first may lie before 0   */
};

struct shared {
    double *f;               /* LINES: [lines][count]; else lo [REACH][threads], hi likewise, ends [2][POINTS][lines] */
    double *E, *F;           /* [threads], for each factor                              */
    double *wall;            /* [2][K][lines]                                           */
    double *meet;            /* [4][lines]: what the closures lack, near and far; x0_K there */
};

FD_INLINE int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

/* First point of a segment of the circle or beyond it by less than once around. */
FD_INLINE int start_of(const struct sw_cuda_fd &d, int s)
{
    int t = wrapped(s, d.segments);
    return t * d.points + min(t, d.longer) * d.step + (s < 0 ? -d.n : s >= d.segments ? d.n : 0);
}

template <bool LINES, bool WALLS> FD_INLINE struct block block_of(const struct sw_cuda_fd &d)
{
    struct block b;
    const unsigned group = blockIdx.x / d.chunks, chunk = blockIdx.x % d.chunks;
    b.line = (size_t)group * d.lines;
    b.lines = (int)min((size_t)d.lines, d.all - b.line);
    b.whole = d.chunks == 1;
    b.begin = (int)chunk * d.own;
    b.end = min(b.begin + d.own, d.segments);
    b.first = b.whole ? 0 : b.begin - d.halo;
    b.held = b.end + d.halo - b.first;
    if (LINES) {
        const int last = b.first + b.held;
        b.from = b.whole ? 0 : start_of(d, WALLS ? max(b.first, 0) : b.first);
        b.count = b.whole ? d.n : start_of(d, WALLS ? min(last, d.segments) : last) - b.from;
    }
    return b;
}

template <bool LINES, bool WALLS> FD_INLINE struct place place_of(const struct sw_cuda_fd &d, const struct block &b)
{
    struct place w;
    const int tid = (int)threadIdx.x, s = b.first + (LINES ? tid % d.held : tid / d.lines);
    w.p = s - b.first;
    w.line = LINES ? tid / d.held : tid % d.lines;
    w.active = w.line < b.lines && w.p < b.held && (!WALLS || (s >= 0 && s < d.segments));
    w.own = w.active && s >= b.begin && s < b.end;
    w.s = wrapped(s, d.segments);
    w.start = start_of(d, w.s);
    w.longer = w.s < d.longer;
    w.len = d.points + (w.longer ? d.step : 0);
    w.at = LINES && w.active ? w.line * b.count + wrapped(w.start - b.from, d.n) : 0;
    const unsigned all = (unsigned)(b.line + w.line);
    w.base = LINES ? (size_t)all * d.n : (size_t)(all / (unsigned)d.stride) * d.stride * d.n + all % (unsigned)d.stride;
    return w;
}

FD_INLINE double load(const struct sw_cuda_fd &d, const void *f, size_t base, int i)
{
    const size_t at = base + (size_t)i * d.stride;
    return d.single ? FD_LOAD((const float *)f + at) : FD_LOAD((const double *)f + at);
}

template <typename T> FD_INLINE void store(const struct sw_cuda_fd &d, T *out, double x)
{
    FD_STORE(out, (T)(d.add ? *out + x : x));
}

/* ------------------------------------------------------------------ lines along x, through shared memory */

template <typename T> struct pair_of;
template <> struct pair_of<double> { typedef double2 type; };
template <> struct pair_of<float> { typedef float2 type; };

enum { PAIRS = (M + 1) / 2 };  /* a thread's share at most */

/* Whole lines, which are one piece of memory: two points at a time, all on their way at once. */
template <typename T> FD_INLINE void read_piece(const T *from, int count, double *to)
{
    typename pair_of<T>::type v[PAIRS];
    const int first = (int)threadIdx.x, by = (int)blockDim.x, pairs = count / 2;
#pragma unroll
    for (int k = 0; k < PAIRS; k++)
        if (first + k * by < pairs) v[k] = FD_LOAD((const typename pair_of<T>::type *)from + first + k * by);
#pragma unroll
    for (int k = 0; k < PAIRS; k++)
        if (first + k * by < pairs) ((double2 *)to)[first + k * by] = make_double2(v[k].x, v[k].y);
    if (count % 2 && first == 0) to[count - 1] = from[count - 1];
}

template <typename T> FD_INLINE void write_piece(bool add, const double *from, int count, T *to)
{
    typedef typename pair_of<T>::type pair;
    const int first = (int)threadIdx.x, by = (int)blockDim.x, pairs = count / 2;
#pragma unroll
    for (int k = 0; k < PAIRS; k++)
        if (first + k * by < pairs) {
            double2 v = ((const double2 *)from)[first + k * by];
            pair *out = (pair *)to + first + k * by, w;
            if (add) {
                v.x += out->x;
                v.y += out->y;
            }
            w.x = (T)v.x;
            w.y = (T)v.y;
            FD_STORE(out, w);
        }
    if (count % 2 && first == 0) to[count - 1] = (T)(add ? to[count - 1] + from[count - 1] : from[count - 1]);
}

FD_INLINE bool aligned(const void *p, size_t size) { return (size_t)p % (2 * size) == 0; }

template <typename T>
FD_INLINE void read_lines(const struct sw_cuda_fd &d, const struct block &b, const T *f, double *to)
{
    f += b.line * d.n;
    if (b.whole && aligned(f, sizeof(T))) { read_piece(f, b.lines * d.n, to); return; }
#pragma unroll 8
    for (int e = (int)threadIdx.x; e < b.lines * b.count; e += (int)blockDim.x) {
        const int line = b.whole ? 0 : e / b.count;
        to[e] = b.whole ? FD_LOAD(f + e) : FD_LOAD(f + (size_t)line * d.n + wrapped(b.from + e - line * b.count, d.n));
    }
}

template <typename T>
FD_INLINE void write_lines(const struct sw_cuda_fd &d, const struct block &b, const double *from, T *out)
{
    const int begin = start_of(d, b.begin), count = start_of(d, b.end) - begin;
    out += b.line * d.n;
    if (b.whole && !d.shift && aligned(out, sizeof(T))) { write_piece(d.add, from, b.lines * d.n, out); return; }
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < b.lines * count; e += (int)blockDim.x) {
        const int line = e / count, i = begin + e - line * count;
        store(d, out + (size_t)line * d.n + wrapped(i + d.shift, d.n), from[line * b.count + wrapped(i - b.from, d.n)]);
    }
}

/* ------------------------------------------------------------------ f of a segment and of the points around it */

template <int LEAST, typename T>
FD_INLINE void take(const struct sw_cuda_fd &d, const struct place &w, const T *f, double *c)
{
    f += w.base + (size_t)w.start * d.stride;
#pragma unroll
    for (int j = 0; j < M; j++) c[j] = w.active && (j < LEAST || j < w.len) ? FD_LOAD(f + j * d.stride) : 0;
}

/* For the neighbours: the first and last points of a segment; for the closures: those next to a wall. */
template <bool WALLS, int REACH, int LEAST>
FD_INLINE void publish(const struct sw_cuda_fd &d, const struct place &w, const double *c, double *shared)
{
    const int T = (int)blockDim.x;
    double *hi = shared + REACH * T + threadIdx.x, *ends = shared + 2 * REACH * T + w.line;
    for (int k = 0; k < REACH; k++) shared[k * T + threadIdx.x] = c[k];
#pragma unroll
    for (int j = LEAST > REACH ? LEAST - REACH : 0; j < M; j++)
        if (w.len - 1 - j >= 0 && w.len - 1 - j < REACH) hi[(w.len - 1 - j) * T] = c[j];
    if (!WALLS || !w.active) return;
    if (w.start < SW_CUDA_FD_WALL)
#pragma unroll
        for (int j = 0; j < M; j++)
            if (j < w.len && w.start + j < SW_CUDA_FD_WALL) ends[(w.start + j) * d.lines] = c[j];
    if (w.start + w.len > d.n - SW_CUDA_FD_WALL)
#pragma unroll
        for (int j = 0; j < M; j++) {
            const int k = d.n - 1 - w.start - j;
            if (j < w.len && k < SW_CUDA_FD_WALL) ends[(SW_CUDA_FD_WALL + k) * d.lines] = c[j];
        }
}

/* The segment before or after p of the block; -1: the block does not have it. */
FD_INLINE int beside(const struct block &b, int p, int by)
{
    p += by;
    return p >= 0 && p < b.held ? p : b.whole ? wrapped(p, b.held) : -1;
}

/* left[k] = f k + 1 points before the segment; c[len + k] = f k points after its end. Beyond a wall: f at the wall. */
template <bool LINES, bool WALLS, int REACH, int LEAST>
FD_INLINE void around(const struct sw_cuda_fd &d, const struct block &b, const struct place &w, const void *f,
                      const double *shared, double *c, double *left)
{
    const int T = (int)blockDim.x, before = beside(b, w.p, -1), after = beside(b, w.p, 1), line = w.line * b.count;
    const double *a = LINES ? shared + (w.p ? w.at : line + d.n) - 1 : shared + REACH * T + before * d.lines + w.line;
    const double *z = LINES ? shared + (after ? w.at + w.len : line) : shared + after * d.lines + w.line;
    if (!w.active) return;
#pragma unroll
    for (int k = 0; k < REACH; k++) {
        if (WALLS && w.s == 0) left[k] = c[0];
        else if (before < 0) left[k] = load(d, f, w.base, wrapped(w.start - 1 - k, d.n));
        else left[k] = LINES ? a[-k] : a[k * T];
    }
#pragma unroll
    for (int j = LEAST; j < M + REACH; j++) {
        const int k = j - w.len;
        if (k < 0 || k >= REACH) continue;
        if (WALLS && w.s == d.segments - 1) c[j] = shared[LINES ? w.at + w.len - 1 : REACH * T + (int)threadIdx.x];
        else if (after < 0) c[j] = load(d, f, w.base, wrapped(w.start + j, d.n));
        else c[j] = z[LINES ? k : k * T];
    }
}

/* ------------------------------------------------------------------ right-hand side, recursions */

/* Times c. Differences first (sw_fd_scheme.h); sign is 1 or -1 and so rounds nothing. */
template <int REACH, bool SECOND, bool HALF>
FD_INLINE void right_side(const struct sw_cuda_fd &d, double *c, double *left)
{
#pragma unroll
    for (int j = 0; j < M; j++) {
        const double f = c[j];
        double sum = SECOND ? 0 : d.centre * f;
#pragma unroll
        for (int k = 1; k <= REACH; k++) {
            const double plus = c[j + k], minus = !HALF ? left[k - 1] : k > 1 ? left[k - 2] : f;
            sum = fma(d.weight[k], SECOND ? (plus - f) - (f - minus) : fma(d.sign, minus, plus), sum);
        }
#pragma unroll
        for (int k = REACH - 1; k > 0; k--) left[k] = left[k - 1];
        left[0] = f;
        c[j] = sum;
    }
}

/* Both from zero; c is 0 beyond the segment. */
template <int LEAST>
FD_INLINE void recursions(const struct sw_cuda_fd_factor &t, int len, double *c, double *E, double *F)
{
    double y = 0, x = 0;
#pragma unroll
    for (int j = 0; j < M; j++) {
        const double next = fma(t.back, y, c[j]);
        const bool in = j < LEAST || j < len;
        y = in ? next : y;
        c[j] = in ? next : 0;
    }
    *E = y;
#pragma unroll
    for (int j = M - 1; j >= 0; j--) c[j] = x = fma(t.back, x, c[j]);
    *F = x;
}

struct states { double A, B; };

/* Of a kernel argument; an index known at run time would have a copy of it made. */
FD_INLINE double of(const double two[2], bool second) { return second ? two[1] : two[0]; }

/* E and F begin with those of the block's first segment of this line. */
template <bool LINES, bool WALLS>
FD_INLINE struct states states_of(const struct sw_cuda_fd &d, const struct sw_cuda_fd_factor &t, const struct block &b,
                                  const struct place &w, const double *E, const double *F)
{
    const int step = LINES ? 1 : d.lines;
    double Y = 0, X = 0, y, power = 1;
    for (int k = 0, p = w.p, s = w.s; k < t.reach; k++) {
        p = beside(b, p, -1);
        if (p < 0 || (WALLS && s == 0)) break;
        s = s ? s - 1 : d.segments - 1;
        Y = fma(power, E[p * step], Y);
        power *= of(t.mu, s < d.longer);
    }
    y = fma(of(t.mu, w.longer), Y, E[w.p * step]);
    power = 1;
    for (int k = 0, p = w.p, s = w.s; k < t.reach; k++) {
        p = beside(b, p, 1);
        if (p < 0 || (WALLS && s == d.segments - 1)) break;
        s = s + 1 < d.segments ? s + 1 : 0;
        X = fma(power, fma(of(t.kappa, s < d.longer), y, F[p * step]), X);
        y = fma(of(t.mu, s < d.longer), y, E[p * step]);
        power *= of(t.mu, s < d.longer);
    }
    return {t.sigma * Y, fma(-of(t.nu, w.longer), Y, X)};
}

/* down[j] is that of a segment of d.points; in one of two more the last point is not in the table. */
template <int LEAST>
FD_INLINE void add_states(const struct sw_cuda_fd &d, const struct sw_cuda_fd_factor &t, const struct place &w,
                          struct states g, double *c)
{
    const double B = w.longer ? t.step * g.B : g.B, last = w.longer && d.step == 2 ? g.B : 0;
#pragma unroll
    for (int j = 0; j < M; j++) c[j] = fma(t.down[j], B, fma(t.up[j], g.A, c[j]));
#pragma unroll
    for (int j = LEAST + 1; j < M; j++)
        c[j] = fma(t.back, j == d.points + 1 ? last : 0, c[j]);
}

/* ------------------------------------------------------------------ walls */

/* Right-hand sides of the closures: sum of weights times f near the wall. */
template <bool LINES, int K>
FD_INLINE void closures(const struct sw_cuda_fd &d, const struct block &b, const double *f, double *wall)
{
    for (int task = (int)threadIdx.x; task < 2 * K * d.lines; task += (int)blockDim.x) {
        const int line = task % d.lines, k = task / d.lines % K, end = task / d.lines / K;
        const double *at = f + end * SW_CUDA_FD_WALL * d.lines + line;
        if (line >= b.lines || (end ? b.first + b.held < d.segments : b.first > 0)) continue;
        double sum = 0, zero = 0;
        for (int l = 0; l < d.wall.points; l++) {
            const double v = LINES ? f[line * b.count + wrapped((end ? d.n - 1 - l : l) - b.from, d.n)] : at[l * d.lines];
            if (l == 0 && d.wall.differences) zero = v;
            sum = fma(d.wall.weight[k][l], v - zero, sum);
        }
        wall[(end * K + k) * d.lines + line] = end ? d.wall.sign * sum : sum;
    }
}

/* What the solution so far lacks at a wall, and its value K points from there. */
template <int LEAST, int K>
FD_INLINE void meet(const struct sw_cuda_fd &d, const struct place &w, struct states g, const double *c,
                    const double *wall, double *out)
{
    const struct sw_cuda_fd_wall &e = d.wall;
    double last = 0, inner = 0;
    if (!w.active) return;
    if (w.s == 0) {
        inner = fma(e.near_power[1], g.B, c[K]);
        last = fma(e.near_power[0], g.B, c[K - 1]);
        out[0] = wall[(K - 1) * d.lines] + fma(e.v[K - 1], inner, -last);
        out[d.lines] = inner;
    }
    if (w.s == d.segments - 1) {
        const unsigned at = 1u << (w.len - K);  /* compared with j, it would become an index, and c leave the registers */
#pragma unroll
        for (int j = 0; j < M; j++) {
            if (at >> j & 1) last = c[j];
            if (at >> (j + 1) & 1) inner = c[j];
        }
        inner = fma(e.far_power_B[1], g.B, fma(e.far_power_A[1], g.A, inner));
        last = fma(e.far_power_B[0], g.B, fma(e.far_power_A[0], g.A, last));
        out[2 * d.lines] = wall[(2 * K - 1) * d.lines] + fma(e.v[K - 1], inner, -last);
        out[3 * d.lines] = inner;
    }
}

struct amounts { double near, far; };

FD_INLINE struct amounts amounts_of(const struct sw_cuda_fd &d, const struct block &b, const double *meet)
{
    const double near = b.first <= 0 ? meet[0] : 0, far = b.first + b.held >= d.segments ? meet[2 * d.lines] : 0;
    return {fma(d.wall.other, far, d.wall.same * near), fma(d.wall.other, near, d.wall.same * far)};
}

/* The powers that start from the walls. */
FD_INLINE void add_amounts(const struct sw_cuda_fd &d, const struct place &w, struct amounts a, struct states &g,
                           double *c)
{
    const int from = w.s, to = d.segments - 1 - w.s;
    if (from == 0) {
#pragma unroll
        for (int j = 0; j < M; j++) c[j] = fma(d.wall.first[j], a.near, c[j]);
    } else if (from < SW_CUDA_FD_FAR) g.A = fma(d.wall.near[from], a.near, g.A);
    if (to == 0) {
#pragma unroll
        for (int j = 0; j < M; j++) c[j] = fma(d.wall.last[j], a.far, c[j]);
    } else if (to < SW_CUDA_FD_FAR) g.B = fma(d.wall.far[to], a.far, g.B);
}

/* The K - 1 points next to each wall. */
template <bool LINES, int K, typename T>
FD_INLINE void write_ends(const struct sw_cuda_fd &d, const struct block &b, const double *wall, const double *meet,
                          double *shared, T *out)
{
    for (int task = (int)threadIdx.x; task < 2 * (K - 1) * d.lines; task += (int)blockDim.x) {
        const int line = task % d.lines, k = task / d.lines % (K - 1), end = task / d.lines / (K - 1);
        if (line >= b.lines || (end ? b.end < d.segments : b.begin > 0)) continue;
        const struct amounts a = amounts_of(d, b, meet + line);
        const double this_end = end ? a.far : a.near, other_end = end ? a.near : a.far;
        const double x0_K = meet[(1 + 2 * end) * d.lines + line];
        const double g_K = fma(d.wall.across, other_end, fma(d.factor[0].back, this_end, x0_K));
        const double g = fma(d.wall.v[k], g_K, wall[(end * K + k) * d.lines + line]);
        const int i = end ? d.n - 1 - k : k;
        const unsigned all = (unsigned)(b.line + line);
        if (LINES) {
            shared[line * b.count + wrapped(i - b.from, d.n)] = g;
            continue;
        }
        store(d, out + (size_t)(all / (unsigned)d.stride * d.n + i) * d.stride + all % (unsigned)d.stride, g);
    }
}

/* ------------------------------------------------------------------ the kernel */

/* Of lines along x: at most so many points of each. */
__host__ __device__ static inline int room(const struct sw_cuda_fd &d)
{
    return d.chunks == 1 ? d.n : d.held * (d.points + d.step);
}

template <bool LINES, bool WALLS, int REACH, int K>
FD_INLINE struct shared share(const struct sw_cuda_fd &d, double *memory)
{
    struct shared s;
    const int T = (int)blockDim.x;
    s.f = memory;
    s.E = memory + (LINES ? d.lines * room(d) : 2 * REACH * T + (WALLS ? 2 * SW_CUDA_FD_WALL * d.lines : 0));
    s.F = s.E + d.factors * T;
    s.wall = s.F + d.factors * T;
    s.meet = s.wall + 2 * K * d.lines;
    return s;
}

/* Points K - 1 from a wall and on; all of a circle. */
template <bool WALLS, int LEAST, int K>
FD_INLINE bool its_own(const struct sw_cuda_fd &d, const struct place &w, int j)
{
    return (j < LEAST || j < w.len) && (!WALLS || (w.start + j >= K - 1 && w.start + j <= d.n - K));
}

template <bool WALLS, bool HALF, int LEAST, int K, typename T>
FD_INLINE void put(const struct sw_cuda_fd &d, const struct place &w, const double *c, T *out)
{
    const int start = w.start + (HALF ? d.shift : 0);
    out += w.base + (size_t)start * d.stride;
    if (!w.own) return;
#pragma unroll
    for (int j = 0; j < M; j++)
        if (its_own<WALLS, LEAST, K>(d, w, j))
            store(d, out + (HALF && start + j >= d.n ? j - d.n : j) * (ptrdiff_t)d.stride, c[j]);
}

/* Of a column: the results of a thread, and those next to the walls. */
template <bool WALLS, bool HALF, int LEAST, int K, typename T>
FD_INLINE void finish(const struct sw_cuda_fd &d, const struct block &b, const struct place &w, const struct shared &s,
                      const double *c, T *out)
{
    put<WALLS, HALF, LEAST, K>(d, w, c, out);
    if (WALLS) write_ends<false, K>(d, b, s.wall, s.meet, s.f, out);
}

template <bool LINES, bool WALLS, int REACH, bool SECOND, bool HALF, int LEAST>
__global__ static void __launch_bounds__(LINES || REACH > 3 ? 512 : 1024)
fused_k(const __grid_constant__ struct sw_cuda_fd d, const void *f, void *out)
{
    enum { K = REACH > 3 ? REACH : 3 };
    extern __shared__ double2 memory2[];
    double *memory = (double *)memory2;
    const struct block b = block_of<LINES, WALLS>(d);
    const struct place w = place_of<LINES, WALLS>(d, b);
    const struct shared s = share<LINES, WALLS, REACH, K>(d, memory);
    const int tid = (int)threadIdx.x, step = LINES ? 1 : d.lines;
    double c[M + REACH], left[REACH];

    if (LINES) {
        if (d.single) read_lines(d, b, (const float *)f, s.f);
        else read_lines(d, b, (const double *)f, s.f);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < M; j++) c[j] = j < LEAST || j < w.len ? s.f[w.at + j] : 0;
    } else {
        if (d.single) take<LEAST>(d, w, (const float *)f, c);
        else take<LEAST>(d, w, (const double *)f, c);
        publish<WALLS, REACH, LEAST>(d, w, c, s.f);
        __syncthreads();
    }
    around<LINES, WALLS, REACH, LEAST>(d, b, w, f, s.f, c, left);
    if (WALLS) closures<LINES, K>(d, b, LINES ? s.f : s.f + 2 * REACH * (int)blockDim.x, s.wall);
    right_side<REACH, SECOND, HALF>(d, c, left);

#pragma unroll 1
    for (int k = 0; k < d.factors; k++) {
        const struct sw_cuda_fd_factor &t = d.factor[k];
        double *E = s.E + k * (int)blockDim.x, *F = s.F + k * (int)blockDim.x;
        recursions<LEAST>(t, w.len, c, &E[tid], &F[tid]);
        if (!w.active) E[tid] = F[tid] = 0;
        __syncthreads();
        struct states g = states_of<LINES, WALLS>(d, t, b, w, E + tid - w.p * step, F + tid - w.p * step);
        if (WALLS) {
            meet<LEAST, K>(d, w, g, c, s.wall + w.line, s.meet + w.line);
            __syncthreads();
            add_amounts(d, w, amounts_of(d, b, s.meet + w.line), g, c);
        }
        add_states<LEAST>(d, t, w, g, c);
    }
    if (LINES) {
#pragma unroll
        for (int j = 0; j < M; j++)
            if (w.own && its_own<WALLS, LEAST, K>(d, w, j)) s.f[w.at + j] = c[j];
        if (WALLS) write_ends<true, K>(d, b, s.wall, s.meet, s.f, (double *)out);
        __syncthreads();
        if (d.single) write_lines(d, b, s.f, (float *)out);
        else write_lines(d, b, s.f, (double *)out);
    } else if (d.single) finish<WALLS, HALF, LEAST, K>(d, b, w, s, c, (float *)out);
    else finish<WALLS, HALF, LEAST, K>(d, b, w, s, c, (double *)out);
}

/* ------------------------------------------------------------------ launch */

typedef void (*fused_kernel)(struct sw_cuda_fd, const void *, void *);

template <bool LINES, bool WALLS, int REACH, bool SECOND, bool HALF>
static fused_kernel kernel_for(const struct sw_cuda_fd *d)
{
    return d->points >= M - 2 ? fused_k<LINES, WALLS, REACH, SECOND, HALF, M - 2>
                              : fused_k<LINES, WALLS, REACH, SECOND, HALF, 0>;
}

template <bool LINES, bool WALLS> static fused_kernel filter_for(const struct sw_cuda_fd *d)
{
    return d->reach == 4 ? kernel_for<LINES, WALLS, 4, false, false>(d) : kernel_for<LINES, WALLS, 5, false, false>(d);
}

/* The shapes that fd_schemes.c has: half-way and with 3 pairs only circles have derivatives. */
template <bool LINES> static fused_kernel pick_circle(const struct sw_cuda_fd *d)
{
    if (d->half)
        return d->reach == 1 ? kernel_for<LINES, false, 1, false, true>(d) : kernel_for<LINES, false, 2, false, true>(d);
    if (d->second)
        return d->reach == 1 ? kernel_for<LINES, false, 1, true, false>(d)
             : d->reach == 2 ? kernel_for<LINES, false, 2, true, false>(d) : kernel_for<LINES, false, 3, true, false>(d);
    return d->reach == 1 ? kernel_for<LINES, false, 1, false, false>(d)
         : d->reach == 2 ? kernel_for<LINES, false, 2, false, false>(d)
         : d->reach == 3 ? kernel_for<LINES, false, 3, false, false>(d) : filter_for<LINES, false>(d);
}

template <bool LINES> static fused_kernel pick_walls(const struct sw_cuda_fd *d)
{
    if (d->second)
        return d->reach == 1 ? kernel_for<LINES, true, 1, true, false>(d) : kernel_for<LINES, true, 2, true, false>(d);
    return d->reach == 1 ? kernel_for<LINES, true, 1, false, false>(d)
         : d->reach == 2 ? kernel_for<LINES, true, 2, false, false>(d)
         : d->reach == 3 ? kernel_for<LINES, true, 3, false, false>(d) : filter_for<LINES, true>(d);
}

template <bool LINES> static size_t shared_bytes(const struct sw_cuda_fd *d)
{
    const size_t T = (size_t)d->lines * d->held, K = d->reach > 3 ? d->reach : 3;
    size_t numbers = (LINES ? (size_t)d->lines * room(*d) : T * 2 * d->reach) + 2 * d->factors * T;
    if (d->walls) numbers += (size_t)d->lines * (2 * K + 4 + (LINES ? 0 : 2 * SW_CUDA_FD_WALL));
    return numbers * sizeof(double);
}

template <bool LINES>
static enum sw_status launch(sw_cuda_stream stream, const struct sw_cuda_fd *d, const void *f, void *out)
{
    cudaStream_t s = (cudaStream_t)stream;
    const fused_kernel kernel = d->walls ? pick_walls<LINES>(d) : pick_circle<LINES>(d);
    const size_t bytes = shared_bytes<LINES>(d), groups = (d->all + d->lines - 1) / d->lines;
    if (!groups) return SW_OK;
    if (bytes > 48 * 1024) CU_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    kernel<<<(unsigned)(groups * d->chunks), d->lines * d->held, bytes, s>>>(*d, f, out);
    CU_LAUNCHED(s);
    return SW_OK;
}

#endif
