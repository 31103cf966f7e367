/* Pentadiagonal systems by partition (Wang), without pivoting: factored and solved in one pass over memory. The rows of
 * a system are cut into chunks, a thread each. A block has all chunks of 16 neighbouring systems or more, so that what
 * its threads read of a row is a piece of 128 bytes: shorter ones come at 0.6 of the speed (H200). More chunks than a
 * block of so many systems has threads for are spread over a cluster of blocks. Two blocks share a multiprocessor: one
 * computes while the other reads.
 *
 *   1. A chunk eliminates its rows (penta_point.h) as they come, with the last two unknowns of the chunk before it, l,
 *      as columns of the right-hand side: x_i = g_i - gamma_i x_{i+1} - delta_i x_{i+2} - u_i l. The factors gamma and
 *      delta stay in registers, the rest in shared memory. Substituted upwards, without being stored, that gives its
 *      first two unknowns, the front, by l and by s, its own last two.
 *   2. With the front of the chunk behind it, the last two rows of a chunk are A l + B s + C s' = r, with blocks of
 *      2 x 2. Chunks are a circle; where the system is not periodic, blocks between its ends are zero.
 *   3. Cyclic reduction within a block, down to the s of its last chunk, by l of the block before it. It does not need
 *      the front of the block behind it for that, but keeps its own: a block is then what a chunk is in 2, and the same
 *      reduction solves the circle of blocks, or of one. Then back up. Not the parallel one, which would be half as
 *      many steps: there each chunk solves an equation of the condition of A by itself, so that errors of neighbours do
 *      not cancel, and for steps of s4 = 1e8 residuals reach 1e6 eps |A| |x|. Here they stay below 2.
 *   4. x from s and l, by the rows of 1.
 *
 * An unknown costs 56 bytes, the matrix, the right-hand side and the solution once each, periodic or not, where
 * cuPentBatchRewrite (band_thomas.cu) moves 152, and 184 where periodic. 15 multiply-adds and a division in 1, 10 for
 * the first two unknowns, 4 in the end; a chunk of ROWS rows some 70 in the reduction. */
#include "cuda/band/band_kernels.h"
#include "cuda/cluster.cuh"
#include "cuda/launch.cuh"

/* Rows of a chunk, at most, and those of them whose factors are kept; numbers kept of a row in shared memory; numbers
 * in the slot of a chunk; rows on the way from memory. */
enum { ROWS = SW_CUDA_PARTITION_ROWS, KEPT = ROWS - 2, NUMBERS = 3, SHOWN = 10, AHEAD = 2 };

/* a x_{i-2} + b x_{i-1} + c x_i + d x_{i+1} + e x_{i+2} = f */
struct penta { double a, b, c, d, e, f; };
/* x_i = g - gamma x_{i+1} - delta x_{i+2} - u0 l0 - u1 l1 */
struct eliminated { double gamma, delta, g, u0, u1; };

/* Two unknowns v by the two before them and the two behind them: v + A before + C behind = r. Blocks of 2 x 2 are
 * stored row after row. */
struct relation { double A[4], C[4], r[2]; };

/* The equation of the last two unknowns s of a chunk or of a block, A l + B s + C s' = r; before C is known, the
 * entries of its two rows in the first two columns behind it: e, 0; d1, e1. */
struct equation { double A[4], B[4], C[4], r[2], e, d1, e1; };

/* A chunk in the thread that has it. Its rows are the last ones of ROWS places: place `first` is row `start` of the
 * system. bad: 0, or how early a pivot failed, in steps, and its row: key_of(). */
struct chunk { int start, first, bad; };

/* Where a thread of a block of THREADS reads and writes shared memory: number k of row i at rows[(k*KEPT + i)*THREADS],
 * number k of the slot of the chunk that is `away` chunks behind its own at slot[k*THREADS + away*systems]. Half a warp
 * meets all banks. */
struct place { double *rows, *slot; int systems; };

/* The earliest failure of a system counts, then the first row. Rows are less than 4096. */
enum { NONE = 0x7fffffff };
__device__ static inline int key_of(int step, int row) { return step * 4096 + row + 1; }

/* 1/a as the division has it, but for what is below 2^-1022 or above 2^1022: that is 0 or not finite, as for 0. */
__device__ static inline double inverse_of(double a)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    const double e = fma(-a, y, 1.0);
    y = fma(y, fma(e, e, e), y);
    return fma(y, fma(-a, y, 1.0), y);
}

/* An inverse is 0, infinite or NaN: one that is not has bits in its upper word. */
__device__ static inline void fail_if_bad(double inverse, int key, int *bad)
{
    const bool fine = (__double2hiint(inverse) & 0x7fffffffu) - 1u < 0x7fefffffu;
    if (!fine && !*bad) *bad = key;
}

/* ------------------------------------------------------------------ rows */

/* What the lane of a chunk asks for before it is read: of the next EARLY rows that nobody has asked for, the lanes ask
 * for a sector of 32 bytes each, so that the lines of memory come while there are no registers for them. row: the
 * lane's of these; -1: none. at, x_at: its sector's place from the next row, in bytes. */
enum { EARLY = 4, SECTOR = 4 /* numbers */ };
struct asked { int row; ptrdiff_t at, x_at; };

/* Rows of a chunk in memory, one after another: entry k of the row in place i is read where i >= from[k], and those in
 * columns behind the last one where `wraps`; the others are zero. at, x_at: the next row, in bytes. */
struct source {
    const struct sw_cuda_partition *p;
    const double *x;
    ptrdiff_t at, x_at;
    int  first, from[6];
    bool wraps;
    struct asked asked;
};

/* @param left  systems from the first one of the block on, of which it has `systems` */
__device__ static inline struct asked asked_of(const struct sw_cuda_partition &p, int lane, int systems, long long left)
{
    const int sectors = systems < SECTOR ? 1 : systems / SECTOR, row = lane / sectors;
    const ptrdiff_t ahead = EARLY - AHEAD + row, aside = lane % sectors * SECTOR - lane, size = sizeof(double);
    struct asked a = {left < systems || row >= EARLY ? -1 : row, (ahead * p.A_ld + aside) * size,
                      (ahead * p.ld + aside) * size};
    return a;
}

/* For the rows in the places i to i + EARLY - 1, where that in place i - EARLY + AHEAD is the next one. */
__device__ static inline void ask(const struct source &s, int i)
{
    const int place = i + s.asked.row;
    if (s.asked.row < 0 || place < s.first || place >= ROWS) return;
#pragma unroll
    for (int k = 0; k < 6; k++) {
        const char *there = k < 5 ? (const char *)s.p->diagonal[k] + s.at + s.asked.at
                                  : (const char *)s.x + s.x_at + s.asked.x_at;
        if (s.from[k] < ROWS && (k == 5 || s.p->A_ld > 1)) asm volatile("prefetch.global.L2 [%0];" ::"l"(there));
    }
}

/* @param column  the system's; last: whether the chunk is the last of the system */
__device__ static inline struct source source_of(const struct sw_cuda_partition &p, const double *x, long long column,
                                                 const struct chunk &c, bool last, struct asked asked)
{
    const bool begins = !p.periodic && c.start == 0;
    const ptrdiff_t place = c.start - c.first, size = sizeof *x;  /* of place 0, where maybe no row is */
    struct source s = {&p, x, (place * p.A_ld + (p.A_ld > 1 ? (ptrdiff_t)column : 0)) * size,
                       (place * p.ld + (ptrdiff_t)column) * size, c.first, {}, p.periodic || !last, asked};
#pragma unroll
    for (int k = 0; k < 6; k++) {
        const double *there = k < 5 ? p.diagonal[k] : x;
        s.from[k] = !there ? (int)ROWS : c.first + (begins && k < 2 ? 2 - k : 0);
    }
    return s;
}

/* The row in place i. Before the first one x_i = x_{i-2}, so that l comes down to it. */
__device__ static inline struct penta next_row(struct source &s, int i)
{
    double v[6] = {i < s.first ? -1.0 : 0.0, 0.0, i < s.first ? 1.0 : 0.0, 0.0, 0.0, 0.0};
#pragma unroll
    for (int k = 0; k < 6; k++) {
        const char *there = k < 5 ? (const char *)s.p->diagonal[k] + s.at : (const char *)s.x + s.x_at;
        const bool inside = k == 5 || i + k - 2 < ROWS || s.wraps;
        if (i >= s.from[k] && inside) v[k] = __ldcs((const double *)there);  /* once */
    }
    s.at += (ptrdiff_t)s.p->A_ld * (ptrdiff_t)sizeof *s.x;
    s.x_at += (ptrdiff_t)s.p->ld * (ptrdiff_t)sizeof *s.x;
    asm volatile("" : "+l"(s.at), "+l"(s.x_at));  /* two registers, not an address for each entry */
    const struct penta row = {v[0], v[1], v[2], v[3], v[4], v[5]};
    return row;
}

template <int THREADS> __device__ static inline double *number(const struct place &own, int k, int i)
{
    return own.rows + (k * KEPT + i) * THREADS;
}

template <int THREADS>
__device__ static inline void show(const struct place &own, int away, const struct relation &r)
{
    double *at = own.slot + away * own.systems;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        at[k * THREADS] = r.A[k];
        at[(4 + k) * THREADS] = r.C[k];
    }
    at[8 * THREADS] = r.r[0];
    at[9 * THREADS] = r.r[1];
}

template <int THREADS> __device__ static inline struct relation look(const struct place &own, int away)
{
    const double *at = own.slot + away * own.systems;
    struct relation r;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        r.A[k] = at[k * THREADS];
        r.C[k] = at[(4 + k) * THREADS];
    }
    r.r[0] = at[8 * THREADS];
    r.r[1] = at[9 * THREADS];
    return r;
}

/* Where the slot of a chunk has its s, at last; that of a block's last chunk has l of the block in BEFORE. */
enum { BEFORE = 6, SOLUTION = 8 };

template <int THREADS>
__device__ static inline void show_solution(const struct place &own, int away, int which, const double (&s)[2])
{
    own.slot[which * THREADS + away * own.systems] = s[0];
    own.slot[(which + 1) * THREADS + away * own.systems] = s[1];
}

template <int THREADS>
__device__ static inline void look_at_solution(const struct place &own, int away, int which, double (&s)[2])
{
    s[0] = own.slot[which * THREADS + away * own.systems];
    s[1] = own.slot[(which + 1) * THREADS + away * own.systems];
}

/* ------------------------------------------------------------------ 1 */

/* The rows of the chunk, and its equation without what is behind it. */
template <int THREADS>
__device__ static inline void eliminate(struct source &from, const struct place &own, double (&gamma)[KEPT],
                                        double (&delta)[KEPT], struct chunk &c, struct equation &q)
{
    const double even = c.first % 2 ? 0.0 : -1.0, odd = -1.0 - even;
    struct eliminated up2 = {0.0, 0.0, 0.0, even, odd}, up = {0.0, 0.0, 0.0, odd, even};  /* they are l */
    struct penta ahead[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++) ahead[i] = next_row(from, i);
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const struct penta m = ahead[i % AHEAD];
        if (i % EARLY == 0 && i + EARLY < ROWS) ask(from, i + EARLY);
        if (i + AHEAD < ROWS) ahead[i % AHEAD] = next_row(from, i + AHEAD);
        __syncwarp();  /* else the compiler moves more rows' loads up than there are registers for */
        const double beta = m.b - m.a * up2.gamma, alpha = m.c - m.a * up2.delta - beta * up.gamma;
        const double inverse = inverse_of(alpha);
        fail_if_bad(inverse, key_of(0, c.start + i - c.first), &c.bad);
        const struct eliminated row = {(m.d - beta * up.delta) * inverse, m.e * inverse,
                                       (m.f - m.a * up2.g - beta * up.g) * inverse,
                                       (-m.a * up2.u0 - beta * up.u0) * inverse,
                                       (-m.a * up2.u1 - beta * up.u1) * inverse};
        gamma[i] = row.gamma;
        delta[i] = row.delta;
        *number<THREADS>(own, 0, i) = row.g;
        *number<THREADS>(own, 1, i) = row.u0;
        *number<THREADS>(own, 2, i) = row.u1;
        up2 = up;
        up = row;
    }
    const struct penta m = ahead[KEPT % AHEAD], n = ahead[(KEPT + 1) % AHEAD];
    const double beta = m.b - m.a * up2.gamma;
    q.A[0] = -m.a * up2.u0 - beta * up.u0;
    q.A[1] = -m.a * up2.u1 - beta * up.u1;
    q.A[2] = -n.a * up.u0;
    q.A[3] = -n.a * up.u1;
    q.B[0] = m.c - m.a * up2.delta - beta * up.gamma;
    q.B[1] = m.d - beta * up.delta;
    q.B[2] = n.b - n.a * up.gamma;
    q.B[3] = n.c - n.a * up.delta;
    q.r[0] = m.f - m.a * up2.g - beta * up.g;
    q.r[1] = n.f - n.a * up.g;
    q.e = m.e;
    q.d1 = n.d;
    q.e1 = n.e;
}

/* How the first two unknowns depend on l and s. */
template <int THREADS>
__device__ static inline struct relation front_of(const struct place &own, const double (&gamma)[KEPT],
                                                  const double (&delta)[KEPT], int first)
{
    struct relation v = {{0.0, 0.0, 0.0, 0.0}, {-1.0, 0.0, 0.0, -1.0}, {0.0, 0.0}};  /* they are s */
#pragma unroll
    for (int i = KEPT - 1; i >= 0; i--) {
        if (i < first) break;
        const double g = *number<THREADS>(own, 0, i) - delta[i] * v.r[1] - gamma[i] * v.r[0];
        v.r[1] = v.r[0];
        v.r[0] = g;
#pragma unroll
        for (int q = 0; q < 2; q++) {
            const double u = *number<THREADS>(own, 1 + q, i) - delta[i] * v.A[2 + q] - gamma[i] * v.A[q];
            const double w = -delta[i] * v.C[2 + q] - gamma[i] * v.C[q];
            v.A[2 + q] = v.A[q];
            v.A[q] = u;
            v.C[2 + q] = v.C[q];
            v.C[q] = w;
        }
    }
    return v;
}

/* ------------------------------------------------------------------ 2 and 3 */

/* With the front behind it. */
__device__ static inline void close_equation(struct equation &k, const struct relation &front)
{
    k.r[0] -= k.e * front.r[0];
    k.r[1] -= k.d1 * front.r[0] + k.e1 * front.r[1];
#pragma unroll
    for (int q = 0; q < 2; q++) {
        k.B[q] -= k.e * front.A[q];
        k.B[2 + q] -= k.d1 * front.A[q] + k.e1 * front.A[2 + q];
        k.C[q] = -k.e * front.C[q];
        k.C[2 + q] = -k.d1 * front.C[q] - k.e1 * front.C[2 + q];
    }
}

/* A block of 2 x 2, factored without pivoting, as all is here. */
struct factors { double i0, l, i1, m1; };

/* @param last  the second one's row in the system */
__device__ static inline struct factors factor(const double (&M)[4], int step, int last, int *bad)
{
    struct factors f = {inverse_of(M[0]), 0.0, 0.0, M[1]};
    f.l = M[2] * f.i0;
    f.i1 = inverse_of(M[3] - f.l * M[1]);
    fail_if_bad(f.i0, key_of(step, last - 1), bad);
    fail_if_bad(f.i1, key_of(step, last), bad);
    return f;
}

/* v := M^-1 v */
__device__ static inline void divide(const struct factors &f, double &v0, double &v1)
{
    v1 = (v1 - f.l * v0) * f.i1;
    v0 = (v0 - f.m1 * v1) * f.i0;
}

/* An equation whose s is eliminated: B := 1. */
__device__ static inline void normalize(struct equation &k, const struct factors &f)
{
    divide(f, k.A[0], k.A[2]);
    divide(f, k.A[1], k.A[3]);
    divide(f, k.C[0], k.C[2]);
    divide(f, k.C[1], k.C[3]);
    divide(f, k.r[0], k.r[1]);
}

/* In `own v + link w + .. = r`, w eliminated by w + back v + on w' = s: link is then the one to w'. */
__device__ static inline void absorb(double (&link)[4], double (&own)[4], double (&r)[2], const double (&back)[4],
                                     const double (&on)[4], const double (&s)[2])
{
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const double m0 = link[2 * q], m1 = link[2 * q + 1];
        own[2 * q] -= m0 * back[0] + m1 * back[2];
        own[2 * q + 1] -= m0 * back[1] + m1 * back[3];
        r[q] -= m0 * s[0] + m1 * s[1];
        link[2 * q] = -m0 * on[0] - m1 * on[2];
        link[2 * q + 1] = -m0 * on[1] - m1 * on[3];
    }
}

/* One that stays: the s of the neighbour before it, or behind it, eliminated. */
__device__ static inline void absorb_before(struct equation &k, const struct relation &n)
{
    absorb(k.A, k.B, k.r, n.C, n.A, n.r);
}
__device__ static inline void absorb_behind(struct equation &k, const struct relation &n)
{
    absorb(k.C, k.B, k.r, n.A, n.C, n.r);
}

/* Up again: r := s, from the s of the neighbours. */
__device__ static inline void put_back(const double (&A)[4], const double (&C)[4], const double (&before)[2],
                                       const double (&behind)[2], double (&r)[2])
{
#pragma unroll
    for (int q = 0; q < 2; q++)
        r[q] -= A[2 * q] * before[0] + A[2 * q + 1] * before[1] + C[2 * q] * behind[0] + C[2 * q + 1] * behind[1];
}

/* The last one, whose neighbours are itself: r := s. */
__device__ static inline void solve_equation(struct equation &k, int step, int last, int *bad)
{
    double M[4];
#pragma unroll
    for (int q = 0; q < 4; q++) M[q] = k.A[q] + k.B[q] + k.C[q];
    const struct factors f = factor(M, step, last, bad);
    divide(f, k.r[0], k.r[1]);
}

/* ------------------------------------------------------------------ the circle of blocks */

/* What a block of a cluster leaves for others, of each system: A, B, r, e, d1, e1; its front; its earliest failure. */
enum { LEFT = 13 + SHOWN + 1 };

__device__ static inline void leave(double *at, int systems, const struct equation &k, const struct relation &front,
                                    int failed)
{
#pragma unroll
    for (int q = 0; q < 4; q++) {
        at[q * systems] = k.A[q];
        at[(4 + q) * systems] = k.B[q];
        at[(13 + q) * systems] = front.A[q];
        at[(17 + q) * systems] = front.C[q];
    }
#pragma unroll
    for (int q = 0; q < 2; q++) {
        at[(8 + q) * systems] = k.r[q];
        at[(21 + q) * systems] = front.r[q];
    }
    at[10 * systems] = k.e;
    at[11 * systems] = k.d1;
    at[12 * systems] = k.e1;
    at[23 * systems] = failed;
}

/* The equation of one block, with the front that the block behind it left. */
__device__ static inline struct equation join(const double *at, const double *behind, int systems)
{
    struct equation k;
    struct relation front;
#pragma unroll
    for (int q = 0; q < 4; q++) {
        k.A[q] = at[q * systems];
        k.B[q] = at[(4 + q) * systems];
        front.A[q] = behind[(13 + q) * systems];
        front.C[q] = behind[(17 + q) * systems];
    }
#pragma unroll
    for (int q = 0; q < 2; q++) {
        k.r[q] = at[(8 + q) * systems];
        front.r[q] = behind[(21 + q) * systems];
    }
    k.e = at[10 * systems];
    k.d1 = at[11 * systems];
    k.e1 = at[12 * systems];
    close_equation(k, front);
    return k;
}

template <int N> __device__ static inline void from_lane(const double (&v)[N], int lane, double (&there)[N])
{
#pragma unroll
    for (int q = 0; q < N; q++) there[q] = __shfl_sync(0xffffffffu, v[q], lane);
}

__device__ static inline struct relation relation_of(const struct equation &k, int lane)
{
    struct relation n;
    from_lane(k.A, lane, n.A);
    from_lane(k.C, lane, n.C);
    from_lane(k.r, lane, n.r);
    return n;
}

/* Neighbouring lanes have the equations of one system, a block each: whole warps call it. Each block does the same.
 * @param q       the block whose equation it is; rows: those behind its last one begin there
 * @param blocks  a power of two
 * @param l, s  out: the unknowns of block q
 * @return the earliest failure of the system */
__device__ static inline int solve_circle(struct equation k, int q, int blocks, int rows, int step, int failed,
                                          double (&l)[2], double (&s)[2])
{
    const int lane = threadIdx.x % 32, base = lane - q;
    double before[2], behind[2];
    int bad = 0;
    for (int far = 1; far < blocks; far *= 2, step++) {
        const int turn = q & (2 * far - 1);
        if (turn == far) normalize(k, factor(k.B, step, rows - 1, &bad));
        const struct relation first = relation_of(k, base + ((q - far) & (blocks - 1)));
        if (turn == 0) absorb_before(k, first);
        const struct relation second = relation_of(k, base + ((q + far) & (blocks - 1)));
        if (turn == 0) absorb_behind(k, second);
    }
    if (q == 0) solve_equation(k, step, rows - 1, &bad);
    for (int far = blocks / 2; far > 0; far /= 2) {
        from_lane(k.r, base + ((q - far) & (blocks - 1)), before);
        from_lane(k.r, base + ((q + far) & (blocks - 1)), behind);
        if ((q & (2 * far - 1)) == far) put_back(k.A, k.C, before, behind, k.r);
    }
    from_lane(k.r, base + ((q - 1) & (blocks - 1)), l);
    s[0] = k.r[0];
    s[1] = k.r[1];
    if (bad && bad < failed) failed = bad;
    for (int far = 1; far < blocks; far *= 2) failed = min(failed, __shfl_xor_sync(0xffffffffu, failed, far));
    return failed;
}

/* ------------------------------------------------------------------ 4 */

/* at: place 0, which may not be there; lost: the system has a bad pivot. */
template <int THREADS>
__device__ static inline void substitute(const struct place &own, const double (&gamma)[KEPT],
                                         const double (&delta)[KEPT], int first, const double (&l)[2],
                                         const double (&s)[2], bool lost, double *x, ptrdiff_t at, ptrdiff_t ld)
{
    double x1 = s[0], x2 = s[1];
    at += KEPT * ld;
    __stcs(x + at, lost ? nan("") : x1);
    __stcs(x + at + ld, lost ? nan("") : x2);
#pragma unroll
    for (int i = KEPT - 1; i >= 0; i--) {
        if (i < first) break;
        at -= ld;
        const double value = *number<THREADS>(own, 0, i) - *number<THREADS>(own, 1, i) * l[0] -
                             *number<THREADS>(own, 2, i) * l[1] - delta[i] * x2 - gamma[i] * x1;
        __stcs(x + at, lost ? nan("") : value);
        x2 = x1;
        x1 = value;
    }
}

/* Row where chunk c of 2^bits begins. */
__device__ static inline int start_of(int c, int n, int bits) { return (int)((unsigned)c * (unsigned)n >> bits); }

/* Thread t of a block has chunk t / systems of the block, of its system t % systems. Systems behind the last one are
 * that one again, but are not stored. */
template <int THREADS>
__global__ static void __launch_bounds__(THREADS, 512 / THREADS) partition_k(struct sw_cuda_partition p, double *x)
{
    extern __shared__ double shared[];
    __shared__ int failed[THREADS];
    const int n = 1 << p.chunk_bits, blocks = 1 << p.block_bits, bits = p.chunk_bits + p.block_bits;
    const int systems = THREADS >> p.chunk_bits, t = threadIdx.x, lane = t & (systems - 1);
    const int c = (int)((unsigned)(t << p.chunk_bits) / THREADS), end = n - 1 - c;
    const int rank = (int)blockIdx.x & (blocks - 1), mine = rank * n + c;
    const long long j = (long long)(blockIdx.x >> p.block_bits) * systems + lane;
    const long long column = j < p.batch ? j : p.batch - 1;
    double *const left = shared + (NUMBERS * KEPT + SHOWN) * THREADS;
    const struct place own = {shared + t, shared + NUMBERS * KEPT * THREADS + t, systems};
    const int rows = start_of(mine + 1, p.n, bits);
    double gamma[KEPT], delta[KEPT], l[2], s[2];
    struct equation k;
    struct chunk own_rows;
    int step = 1;
    own_rows.start = start_of(mine, p.n, bits);
    own_rows.first = ROWS - (rows - own_rows.start);
    own_rows.bad = 0;
    if (c == 0) failed[lane] = NONE;
    struct source from = source_of(p, x, column, own_rows, mine + 1 == 1 << bits,
                                   asked_of(p, lane, systems, p.batch - (j - lane)));
    eliminate<THREADS>(from, own, gamma, delta, own_rows, k);
    /* into the slot of the chunk before it; the last one's has the front of the block */
    show<THREADS>(own, c == 0 ? end : -1, front_of<THREADS>(own, gamma, delta, own_rows.first));
    __syncthreads();
    if (end > 0) close_equation(k, look<THREADS>(own, 0));
    for (int far = 1; far < n; far *= 2, step++) {
        const int turn = c & (2 * far - 1);
        if (turn == far - 1) {
            normalize(k, factor(k.B, step, rows - 1, &own_rows.bad));
            const struct relation r = {{k.A[0], k.A[1], k.A[2], k.A[3]}, {k.C[0], k.C[1], k.C[2], k.C[3]},
                                       {k.r[0], k.r[1]}};
            show<THREADS>(own, 0, r);
        }
        __syncthreads();  /* what others look at is not written again before the way up */
        if (turn == 2 * far - 1) {
            absorb_before(k, look<THREADS>(own, -far));
            if (end > 0) absorb_behind(k, look<THREADS>(own, far));
        }
        if (c == 0) {  /* the front is by the s of chunk far - 1 */
            struct relation front = look<THREADS>(own, end);
            const struct relation w = look<THREADS>(own, far - 1);
            absorb(front.C, front.A, front.r, w.A, w.C, w.r);
            show<THREADS>(own, end, front);
        }
    }
    if (own_rows.bad) atomicMin(&failed[lane], own_rows.bad);
    __syncthreads();
    if (blocks > 1) {
        if (end == 0) leave(left + lane, systems, k, look<THREADS>(own, 0), failed[lane]);
        cluster_arrive_shared();
        cluster_wait();
        if (t < blocks * systems) {
            const int q = t & (blocks - 1), system = t >> p.block_bits;
            const double *at = in_block(left, (unsigned)q) + system;
            const double *behind = in_block(left, (unsigned)((q + 1) & (blocks - 1))) + system;
            const int least = solve_circle(join(at, behind, systems), q, blocks, start_of((q + 1) * n, p.n, bits),
                                           step, (int)at[23 * systems], l, s);
            if (q == rank) {
                const struct place last = {NULL, own.slot - t + (n - 1) * systems + system, systems};
                show_solution<THREADS>(last, 0, BEFORE, l);
                show_solution<THREADS>(last, 0, SOLUTION, s);
                failed[system] = least;
            }
        }
        cluster_arrive_relaxed();
    } else if (end == 0) {
        own_rows.bad = 0;
        close_equation(k, look<THREADS>(own, 0));
        solve_equation(k, step, rows - 1, &own_rows.bad);
        show_solution<THREADS>(own, 0, BEFORE, k.r);
        show_solution<THREADS>(own, 0, SOLUTION, k.r);
        if (own_rows.bad && own_rows.bad < failed[lane]) failed[lane] = own_rows.bad;
    }
    __syncthreads();
    for (int far = n / 2; far > 0; far /= 2) {
        if ((c & (2 * far - 1)) == far - 1) {
            struct relation r = look<THREADS>(own, 0);
            if (c < far) look_at_solution<THREADS>(own, end, BEFORE, l);
            else look_at_solution<THREADS>(own, -far, SOLUTION, l);
            look_at_solution<THREADS>(own, far, SOLUTION, s);
            put_back(r.A, r.C, l, s, r.r);
            show_solution<THREADS>(own, 0, SOLUTION, r.r);
        }
        __syncthreads();
    }
    const bool lost = failed[lane] != NONE;
    if (j < p.batch && mine == 0 && p.bad) p.bad[j] = lost ? failed[lane] % 4096 : 0;
    if (j < p.batch && x) {
        if (c == 0) look_at_solution<THREADS>(own, end, BEFORE, l);
        else look_at_solution<THREADS>(own, -1, SOLUTION, l);
        look_at_solution<THREADS>(own, 0, SOLUTION, s);
        substitute<THREADS>(own, gamma, delta, own_rows.first, l, s, lost, x,
                            (ptrdiff_t)(own_rows.start - own_rows.first) * p.ld + (ptrdiff_t)j, p.ld);
    }
    if (blocks > 1) cluster_wait();  /* others may still read what this block left */
}

/* ------------------------------------------------------------------ shapes */

static size_t shared_of(const struct sw_cuda_partition *p, int threads)
{
    const int left = p->block_bits > 0 ? LEFT * (threads >> p->chunk_bits) : 0;
    return sizeof(double) * (size_t)((NUMBERS * KEPT + SHOWN) * threads + left);
}

/* Chunks of up to ROWS rows, a power of two of them; each has two at least. Blocks of 16 systems or more, in clusters
 * where that takes more than one; without clusters, or in more than the largest, blocks have fewer systems. */
template <int THREADS>
static enum sw_status solve_by(cudaStream_t stream, struct sw_cuda_partition p, double *x)
{
    enum { PIECE = 16 };
    bool clusters = false;
    SW_TRY(has_hopper_code((const void *)partition_k<THREADS>, &clusters));
    p.block_bits = 0;
    for (p.chunk_bits = 0; ROWS << p.chunk_bits < p.n;) p.chunk_bits++;
    for (; clusters && PIECE << p.chunk_bits > THREADS && 1 << p.block_bits < CLUSTER_PORTABLE; p.chunk_bits--)
        p.block_bits++;
    const size_t shared = shared_of(&p, THREADS);
    SW_TRY(allow_shared(partition_k<THREADS>));
    CU_TRY(cudaFuncSetAttribute(partition_k<THREADS>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                cudaSharedmemCarveoutMaxShared));
    if (p.block_bits > 0)  /* 2 to 3 % faster than the default */
        CU_TRY(cudaFuncSetAttribute(partition_k<THREADS>, cudaFuncAttributeClusterSchedulingPolicyPreference,
                                    cudaClusterSchedulingPolicyLoadBalancing));
    const int systems = THREADS >> p.chunk_bits, blocks = 1 << p.block_bits;
    const long long groups = ((long long)p.batch + systems - 1) / systems;
    return launch(partition_k<THREADS>, groups * blocks, THREADS, shared, stream, CLUSTERS(blocks), p, x);
}

/* Blocks of half as many threads where a multiprocessor has too little shared memory (compute capability 8.6, 8.9). */
extern "C" enum sw_status sw_cuda_partition_solve(sw_cuda_stream stream, const struct sw_cuda_partition *p, double *x)
{
    enum { MANY = SW_CUDA_PARTITION_THREADS, FEW = MANY / 2, ASIDE = 8192 };
    int device, most;
    if (p->batch == 0) return SW_OK;  /* an empty grid is a launch error */
    CU_TRY(cudaGetDevice(&device));
    CU_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const bool fits = (size_t)(NUMBERS * KEPT + SHOWN) * MANY * sizeof(double) + ASIDE <= (size_t)most;
    return fits ? solve_by<MANY>((cudaStream_t)stream, *p, x) : solve_by<FEW>((cudaStream_t)stream, *p, x);
}
