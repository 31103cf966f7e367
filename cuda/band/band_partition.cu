/* Pentadiagonal systems by partition (Wang), without pivoting: factored and solved in one pass over memory. The rows of
 * a system are cut into chunks, a thread each. A block has a few neighbouring systems, so that what its threads read of
 * a row is contiguous; it copies all their rows into shared memory, where the factors take their place. Two blocks share
 * a multiprocessor where that memory allows: one computes while the other's copies are under way.
 *
 *   1. A chunk eliminates its rows (penta_point.h), with the last two unknowns of the chunk before it, l, as columns of
 *      the right-hand side: x_i = g_i - gamma_i x_{i+1} - delta_i x_{i+2} - u_i l. Substituted upwards, without being
 *      stored, that gives its first two unknowns by l and by s, its own last two.
 *   2. With the first two of the chunk behind it, the last two rows of a chunk are A l + B s + C s' = r, with blocks of
 *      2 x 2. Chunks are a circle; where the system is not periodic, blocks between its ends are zero.
 *   3. Cyclic reduction, down to one equation of one s, and back up. Not the parallel one, which would be half as many
 *      steps: there each chunk solves an equation of the condition of A by itself, so that errors of neighbours do not
 *      cancel, and for steps of s4 = 1e8 residuals reach 1e6 eps |A| |x|. Here they stay below 2.
 *   4. x from s and l, by the rows of 1.
 *
 * An unknown costs 56 bytes, the matrix, the right-hand side and the solution once each, periodic or not, where
 * cuPentBatchRewrite (band_thomas.cu) moves 152, and 184 where periodic. 15 multiply-adds and a division in 1, 10 for
 * the first two unknowns, 4 in the end; a chunk of ROWS rows some 70 in the reduction. */
#include <cuda_pipeline_primitives.h>

#include "cuda/band/band_kernels.h"
#include "cuda/launch.cuh"

/* Numbers that a chunk shows to others; threads of a block, at most; systems of a block, at most: 256 bytes a row;
 * numbers of a row. */
enum { SHOWN = 10, SYSTEMS = 32, NUMBERS = 6, ROWS = SW_CUDA_PARTITION_ROWS };

/* a x_{i-2} + b x_{i-1} + c x_i + d x_{i+1} + e x_{i+2} = f */
struct penta { double a, b, c, d, e, f; };
/* x_i = g - gamma x_{i+1} - delta x_{i+2} - u0 l0 - u1 l1 */
struct eliminated { double gamma, delta, g, u0, u1; };

/* A chunk in the thread that has it. Its rows are the last ones of ROWS places: row `first` is row `start` of the
 * system. */
struct chunk {
    int    start, first;
    double A[4], B[4], C[4], r[2];
    double e, d1, e1;  /* the last two rows' entries in the first two columns behind the chunk      */
    int    bad;        /* 0, or how early a pivot failed, in steps, and its row: key_of()           */
};

/* Where the rows of a block lie in shared memory: number k of row i of a chunk at[k*plane + i*systems]. The chunks that
 * half a warp looks at have their numbers in different banks. */
struct place { double *at; int plane, systems, pitch; };

/* Numbers from a chunk to the next one: pitch = systems modulo 16, so that 16 lanes meet 16 banks of 8 bytes. */
static __host__ __device__ inline int pitch_of(int systems)
{
    return ROWS * systems + (systems + 16 - ROWS * systems % 16) % 16;
}

__device__ static inline double *number(const struct place &own, int k, int i)
{
    return own.at + k * own.plane + i * own.systems;
}

/* The earliest failure of a system counts, then the first row. Rows are less than 4096. */
__device__ static inline int key_of(int step, int row) { return step * 4096 + row + 1; }

__device__ static inline void fail_if_bad(double inverse, int step, int row, int *bad)
{
    if (!*bad && !(isfinite(inverse) && inverse != 0.0)) *bad = key_of(step, row);
}

/* ------------------------------------------------------------------ rows */

/* The lanes of a chunk copy its rows: 16 bytes of two systems each where `pairs`, so that they copy two rows at once. */
__device__ static inline void copy_rows(const double *from, int ld, const struct chunk &c, const struct place &own,
                                        int k, int lane, long long left, bool pairs)
{
    const int half = own.systems / 2, system = pairs ? lane % half * 2 : lane, ahead = pairs ? lane / half : 0;
    const bool one_for_all = ld == 1 && own.systems > 1;
    if (system >= left) return;
    double *to = own.at - lane + system;
    for (int i = c.first + ahead; i < ROWS; i += pairs ? 2 : 1) {
        const double *row = from + (size_t)(c.start + i - c.first) * ld + (one_for_all ? 0 : system);
        if (pairs) __pipeline_memcpy_async(to + k * own.plane + i * own.systems, row, 16);
        else __pipeline_memcpy_async(to + k * own.plane + i * own.systems, row, 8);
    }
}

__device__ static inline bool pairs_of(const double *from, int ld, const struct place &own, long long left)
{
    return own.systems > 1 && own.systems % 2 == 0 && ld % 2 == 0 && left >= own.systems && (size_t)from % 16 == 0;
}

/* @param first  the first system of the block; left: systems from there on */
__device__ static inline void fetch(const struct sw_cuda_partition &p, const double *x, long long first, int lane,
                                    const struct chunk &c, const struct place &own)
{
    const long long left = p.batch - first;
    for (int k = 0; k < NUMBERS; k++) {
        const double *from = k < 5 ? p.diagonal[k] : x;
        const int ld = k < 5 ? p.A_ld : p.ld;
        if (!from) continue;
        if (ld > 1) from += first;
        copy_rows(from, ld, c, own, k, lane, left, pairs_of(from, ld, own, left));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
}

__device__ static inline double entry(const struct sw_cuda_partition &p, const struct place &own, int k, int i, int row)
{
    const int column = row + k - 2;
    if (!p.diagonal[k] || (!p.periodic && (column < 0 || column >= p.n))) return 0.0;
    return *number(own, k, i);
}

__device__ static inline struct penta row_of(const struct sw_cuda_partition &p, bool x, const struct chunk &c,
                                             const struct place &own, int i)
{
    const int row = c.start + i - c.first;
    struct penta r = {entry(p, own, 0, i, row), entry(p, own, 1, i, row), entry(p, own, 2, i, row),
                      entry(p, own, 3, i, row), entry(p, own, 4, i, row), x ? *number(own, 5, i) : 0.0};
    return r;
}

__device__ static inline void keep(const struct place &own, int i, const struct eliminated &r)
{
    *number(own, 0, i) = r.gamma;
    *number(own, 1, i) = r.delta;
    *number(own, 2, i) = r.g;
    *number(own, 3, i) = r.u0;
    *number(own, 4, i) = r.u1;
}

__device__ static inline struct eliminated kept(const struct place &own, int i)
{
    struct eliminated r = {*number(own, 0, i), *number(own, 1, i), *number(own, 2, i), *number(own, 3, i),
                           *number(own, 4, i)};
    return r;
}

/* What a chunk shows lies where its right-hand sides were, and behind them in the place of its last row. */
__device__ static inline void show(const struct place &own, const double (&shown)[SHOWN])
{
#pragma unroll
    for (int k = 0; k < SHOWN; k++) *number(own, k < ROWS ? 5 : k - ROWS, k < ROWS ? k : ROWS - 1) = shown[k];
}

/* @param away  how many chunks behind the own one, may be negative */
__device__ static inline void look(struct place own, int away, double (&shown)[SHOWN])
{
    own.at += away * own.pitch;
#pragma unroll
    for (int k = 0; k < SHOWN; k++) shown[k] = *number(own, k < ROWS ? 5 : k - ROWS, k < ROWS ? k : ROWS - 1);
}

/* ------------------------------------------------------------------ 1 */

/* The rows of the chunk, and its equation without what is behind it. */
__device__ static inline void eliminate(const struct sw_cuda_partition &p, bool x, const struct place &own,
                                        struct chunk &c)
{
    struct eliminated up2 = {0.0, 0.0, 0.0, -1.0, 0.0}, up = {0.0, 0.0, 0.0, 0.0, -1.0};  /* they are l */
    struct penta m = row_of(p, x, c, own, c.first);
    for (int i = c.first; i < ROWS - 2; i++) {
        const struct penta next = row_of(p, x, c, own, i + 1);  /* before the store, which it must not wait for */
        const double beta = m.b - m.a * up2.gamma, alpha = m.c - m.a * up2.delta - beta * up.gamma;
        const double inverse = 1.0 / alpha;
        fail_if_bad(inverse, 0, c.start + i - c.first, &c.bad);
        const struct eliminated row = {(m.d - beta * up.delta) * inverse, m.e * inverse,
                                       (m.f - m.a * up2.g - beta * up.g) * inverse,
                                       -(m.a * up2.u0 + beta * up.u0) * inverse,
                                       -(m.a * up2.u1 + beta * up.u1) * inverse};
        keep(own, i, row);
        up2 = up;
        up = row;
        m = next;
    }
    const struct penta n = row_of(p, x, c, own, ROWS - 1);
    const double beta = m.b - m.a * up2.gamma;
    c.A[0] = -(m.a * up2.u0 + beta * up.u0);
    c.A[1] = -(m.a * up2.u1 + beta * up.u1);
    c.A[2] = -n.a * up.u0;
    c.A[3] = -n.a * up.u1;
    c.B[0] = m.c - m.a * up2.delta - beta * up.gamma;
    c.B[1] = m.d - beta * up.delta;
    c.B[2] = n.b - n.a * up.gamma;
    c.B[3] = n.c - n.a * up.delta;
    c.r[0] = m.f - m.a * up2.g - beta * up.g;
    c.r[1] = n.f - n.a * up.g;
    c.e = m.e;
    c.d1 = n.d;
    c.e1 = n.e;
}

/* How the first two unknowns depend on l and s: x_k = shown[k] - (shown[2 + 2k], shown[3 + 2k]) l
 * - (shown[6 + 2k], shown[7 + 2k]) s. */
__device__ static inline void first_two(const struct place &own, const struct chunk &c, double (&shown)[SHOWN])
{
    double g1 = 0.0, g2 = 0.0, u1[2] = {0.0, 0.0}, u2[2] = {0.0, 0.0}, w1[2] = {-1.0, 0.0}, w2[2] = {0.0, -1.0};
#pragma unroll 2
    for (int i = ROWS - 3; i >= c.first; i--) {
        const struct eliminated row = kept(own, i);
        const double g = row.g - row.delta * g2 - row.gamma * g1;
        const double u[2] = {row.u0 - row.delta * u2[0] - row.gamma * u1[0],
                             row.u1 - row.delta * u2[1] - row.gamma * u1[1]};
        const double w[2] = {-row.delta * w2[0] - row.gamma * w1[0], -row.delta * w2[1] - row.gamma * w1[1]};
        g2 = g1;
        g1 = g;
#pragma unroll
        for (int q = 0; q < 2; q++) {
            u2[q] = u1[q];
            u1[q] = u[q];
            w2[q] = w1[q];
            w1[q] = w[q];
        }
    }
    shown[0] = g1;
    shown[1] = g2;
#pragma unroll
    for (int q = 0; q < 2; q++) {
        shown[2 + q] = u1[q];
        shown[4 + q] = u2[q];
        shown[6 + q] = w1[q];
        shown[8 + q] = w2[q];
    }
}

/* ------------------------------------------------------------------ 2 and 3 */

/* With what the chunk behind it shows. */
__device__ static inline void close_equation(struct chunk &k, const double (&behind)[SHOWN])
{
    k.r[0] -= k.e * behind[0];
    k.r[1] -= k.d1 * behind[0] + k.e1 * behind[1];
#pragma unroll
    for (int q = 0; q < 2; q++) {
        k.B[q] -= k.e * behind[2 + q];
        k.B[2 + q] -= k.d1 * behind[2 + q] + k.e1 * behind[4 + q];
        k.C[q] = -k.e * behind[6 + q];
        k.C[2 + q] = -(k.d1 * behind[6 + q] + k.e1 * behind[8 + q]);
    }
}

/* A block of 2 x 2, factored without pivoting, as all is here. */
struct factors { double i0, l, i1, m1; };

__device__ static inline struct factors factor(const double (&M)[4])
{
    struct factors f = {1.0 / M[0], 0.0, 0.0, M[1]};
    f.l = M[2] * f.i0;
    f.i1 = 1.0 / (M[3] - f.l * M[1]);
    return f;
}

/* v := M^-1 v */
__device__ static inline void divide(const struct factors &f, double &v0, double &v1)
{
    v1 = (v1 - f.l * v0) * f.i1;
    v0 = (v0 - f.m1 * v1) * f.i0;
}

__device__ static inline void look_at_block(struct chunk &k, const struct factors &f, int step)
{
    const int last = k.start + ROWS - 1 - k.first;
    fail_if_bad(f.i0, step, last - 1, &k.bad);
    fail_if_bad(f.i1, step, last, &k.bad);
}

/* A chunk that is eliminated: B := 1. Shown are A, C and r. */
__device__ static inline void normalize(struct chunk &k, int step, double (&shown)[SHOWN])
{
    const struct factors f = factor(k.B);
    look_at_block(k, f, step);
    divide(f, k.A[0], k.A[2]);
    divide(f, k.A[1], k.A[3]);
    divide(f, k.C[0], k.C[2]);
    divide(f, k.C[1], k.C[3]);
    divide(f, k.r[0], k.r[1]);
#pragma unroll
    for (int q = 0; q < 4; q++) {
        shown[q] = k.A[q];
        shown[4 + q] = k.C[q];
    }
    shown[8] = k.r[0];
    shown[9] = k.r[1];
}

/* out := -M N, where M and N are 2 x 2, row after row */
__device__ static inline void negative_product(const double *M, const double *N, double *out)
{
#pragma unroll
    for (int q = 0; q < 4; q++) out[q] = -(M[q / 2 * 2] * N[q % 2] + M[q / 2 * 2 + 1] * N[2 + q % 2]);
}

/* One that stays: the s of its neighbours eliminated. */
__device__ static inline void reduce(struct chunk &k, const double (&before)[SHOWN], const double (&behind)[SHOWN])
{
    double A[4], C[4], left[4], right[4];
    negative_product(k.A, before, A);
    negative_product(k.C, behind + 4, C);
    negative_product(k.A, before + 4, left);
    negative_product(k.C, behind, right);
#pragma unroll
    for (int q = 0; q < 2; q++)
        k.r[q] -= k.A[2 * q] * before[8] + k.A[2 * q + 1] * before[9] + k.C[2 * q] * behind[8] +
                  k.C[2 * q + 1] * behind[9];
#pragma unroll
    for (int q = 0; q < 4; q++) {
        k.A[q] = A[q];
        k.C[q] = C[q];
        k.B[q] += left[q] + right[q];
    }
}

/* Up again: r := s, from the s of the neighbours. */
__device__ static inline void put_back(struct chunk &k, const double (&before)[2], const double (&behind)[2])
{
#pragma unroll
    for (int q = 0; q < 2; q++)
        k.r[q] -= k.A[2 * q] * before[0] + k.A[2 * q + 1] * before[1] + k.C[2 * q] * behind[0] +
                  k.C[2 * q + 1] * behind[1];
}

__device__ static inline void show_solution(const struct place &own, const double (&s)[2])
{
    *number(own, 5, 0) = s[0];
    *number(own, 5, 1) = s[1];
}

__device__ static inline void look_at_solution(struct place own, int away, double (&s)[2])
{
    own.at += away * own.pitch;
    s[0] = *number(own, 5, 0);
    s[1] = *number(own, 5, 1);
}

/* The last chunk, whose neighbours are itself. */
__device__ static inline void solve_equation(struct chunk &k, int step)
{
    double M[4];
#pragma unroll
    for (int q = 0; q < 4; q++) M[q] = k.A[q] + k.B[q] + k.C[q];
    const struct factors f = factor(M);
    look_at_block(k, f, step);
    divide(f, k.r[0], k.r[1]);
}

/* ------------------------------------------------------------------ 4 */

/* before: the last two unknowns of the chunk before this one. lost: the system has a bad pivot. */
__device__ static inline void substitute(const struct sw_cuda_partition &p, const struct place &own,
                                         const struct chunk &k, const double (&before)[2], bool lost, double *x)
{
    double x1 = k.r[0], x2 = k.r[1];
    double *at = x + (size_t)(k.start - k.first) * p.ld;  /* of row 0, which may not be there */
    at[(size_t)(ROWS - 2) * p.ld] = lost ? nan("") : x1;
    at[(size_t)(ROWS - 1) * p.ld] = lost ? nan("") : x2;
#pragma unroll 2
    for (int i = ROWS - 3; i >= k.first; i--) {
        const struct eliminated row = kept(own, i);
        const double value = row.g - row.u0 * before[0] - row.u1 * before[1] - row.delta * x2 - row.gamma * x1;
        at[(size_t)i * p.ld] = lost ? nan("") : value;
        x2 = x1;
        x1 = value;
    }
}

/* Thread t of a block has chunk t / p.systems of its system t % p.systems. */
__global__ static void __launch_bounds__(SW_CUDA_PARTITION_THREADS) partition_k(struct sw_cuda_partition p, double *x)
{
    extern __shared__ double shared[];
    __shared__ int failed[SYSTEMS];
    const int t = threadIdx.x, lane = t % p.systems, n = p.chunks, c = t / p.systems;
    const long long first = (long long)blockIdx.x * p.systems, j = first + lane;  /* maybe behind the last system */
    const int pitch = pitch_of(p.systems);
    const struct place own = {shared + c * pitch + lane, n * pitch, p.systems, pitch};
    double shown[SHOWN], other[SHOWN], s[2], s1[2];
    struct chunk k;
    int step = 1;
    k.start = (int)((long long)c * p.n / n);
    k.first = ROWS - ((int)((long long)(c + 1) * p.n / n) - k.start);
    k.bad = 0;
    if (c == 0) failed[lane] = 0x7fffffff;
    fetch(p, x, first, lane, k, own);
    eliminate(p, x != NULL, own, k);
    first_two(own, k, shown);
    show(own, shown);
    __syncthreads();
    look(own, (c + 1) % n - c, other);
    close_equation(k, other);
    __syncthreads();
    for (int far = 1; far < n; far *= 2, step++) {
        if (c % (2 * far) == far) {
            normalize(k, step, shown);
            show(own, shown);
        }
        __syncthreads();  /* what others look at is not written again before the way up */
        if (c % (2 * far)) continue;
        look(own, (c + n - far) % n - c, shown);
        look(own, (c + far) % n - c, other);
        reduce(k, shown, other);
    }
    if (c == 0) {
        solve_equation(k, step);
        show_solution(own, k.r);
    }
    if (k.bad) atomicMin(&failed[lane], k.bad);
    __syncthreads();
    for (int far = n / 2; far > 0; far /= 2) {
        if (c % (2 * far) == far) {
            look_at_solution(own, -far, s);
            look_at_solution(own, (c + far) % n - c, s1);
            put_back(k, s, s1);
            show_solution(own, k.r);
        }
        __syncthreads();
    }
    const bool lost = failed[lane] != 0x7fffffff;
    if (j >= p.batch) return;
    if (c == 0 && p.bad) p.bad[j] = lost ? failed[lane] % 4096 : 0;
    if (!x) return;
    look_at_solution(own, (c + n - 1) % n - c, s);
    substitute(p, own, k, s, lost, x + j);
}

/* ------------------------------------------------------------------ shapes */

static size_t shared_of(const struct sw_cuda_partition *p)
{
    return (size_t)NUMBERS * (size_t)p->chunks * (size_t)pitch_of(p->systems) * sizeof(double);
}

/* Pieces of rows of 8 systems, 64 bytes, come as fast as longer ones do here; those of 4 at 0.6 of it (H200). */
enum { WIDE_ENOUGH = 8 };

/* Chunks of up to ROWS rows, a power of two of them; each has two at least. As many systems a block as its threads and
 * the shared memory of half a multiprocessor take, but a whole one's for up to WIDE_ENOUGH. */
extern "C" enum sw_status sw_cuda_partition_solve(sw_cuda_stream stream, const struct sw_cuda_partition *shape,
                                                  double *x)
{
    struct sw_cuda_partition p = *shape;
    int device, most, all, reserved;
    if (p.batch == 0) return SW_OK;  /* an empty grid is a launch error */
    CU_TRY(cudaGetDevice(&device));
    CU_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CU_TRY(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    CU_TRY(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
    const size_t half = (size_t)(all / 2 - reserved) - SYSTEMS * sizeof(int);
    for (p.chunks = 1; p.chunks * ROWS < p.n;) p.chunks *= 2;
    p.systems = SW_CUDA_PARTITION_THREADS / p.chunks < SYSTEMS ? SW_CUDA_PARTITION_THREADS / p.chunks : SYSTEMS;
    while (p.systems > WIDE_ENOUGH && shared_of(&p) > half) p.systems /= 2;
    while (p.systems > 1 && shared_of(&p) + SYSTEMS * sizeof(int) > (size_t)most) p.systems /= 2;
    SW_TRY(allow_shared(partition_k, shared_of(&p)));
    const unsigned blocks = (unsigned)(((long long)p.batch + p.systems - 1) / p.systems);
    partition_k<<<blocks, p.chunks * p.systems, shared_of(&p), (cudaStream_t)stream>>>(p, x);
    CU_LAUNCHED((cudaStream_t)stream);
    return SW_OK;
}
