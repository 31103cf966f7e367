/* Pentadiagonal systems by partition (Wang), without pivoting: factored and solved in one pass over memory. The rows of
 * a system are cut into chunks, a thread each, whose factors stay in registers; chunks exchange what they need by
 * shared memory. A block has a few neighbouring systems, so that what its threads read of a row is contiguous.
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
 * the first two unknowns, 4 in the end; a chunk of 4 to 16 rows some 70 in the reduction. */
#include "cuda/band/band_kernels.h"
#include "cuda/cu_check.cuh"

/* Numbers that a chunk shows to others; threads of a block, at most; systems of a block, at most: 256 bytes a row. */
enum { SHOWN = 10, THREADS = 256, SYSTEMS = 32 };

struct penta { double a, b, c, d, e, f; };
struct eliminated { double gamma, delta, g, u0, u1; };  /* x_i = g - gamma x_{i+1} - delta x_{i+2} - u0 l0 - u1 l1 */

template <int R>
struct chunk {
    struct eliminated row[R - 2];             /* the last ones; the first row is first                               */
    int    start, first;                      /* row `first` is row `start` of the system                            */
    double A[4], B[4], C[4], r[2];
    double e, d1, e1;                         /* the last two rows' entries in the first two columns behind the chunk */
    int    bad;                               /* 0, or how early a pivot failed, in steps, and its row: key_of()     */
};

/* The earliest failure of a system counts, then the first row. Rows are less than 4096. */
__device__ static inline int key_of(int step, int row) { return step * 4096 + row + 1; }

__device__ static inline void fail_if_bad(double pivot, int step, int row, int *bad)
{
    const double inverse = 1.0 / pivot;
    if (!*bad && !(isfinite(inverse) && inverse != 0.0)) *bad = key_of(step, row);
}

__device__ static inline double diagonal(const struct sw_cuda_partition &p, int off, int i, int j)
{
    if (!p.diagonal[off + 2] || (!p.periodic && (i + off < 0 || i + off >= p.n))) return 0.0;
    return p.diagonal[off + 2][(size_t)i * p.A_ld + (p.A_ld == 1 ? 0 : j)];
}

__device__ static inline struct penta row_of(const struct sw_cuda_partition &p, const double *x, int i, int j)
{
    struct penta row = {diagonal(p, -2, i, j), diagonal(p, -1, i, j), diagonal(p, 0, i, j), diagonal(p, 1, i, j),
                        diagonal(p, 2, i, j), x ? x[(size_t)i * p.ld + j] : 0.0};
    return row;
}

/* The rows of the chunk, its equation without what is behind it, and how its first two unknowns depend on l and s:
 * shown: x_k = shown[k] - (shown[2 + 2k], shown[3 + 2k]) l - (shown[6 + 2k], shown[7 + 2k]) s. */
template <int R>
__device__ static inline void eliminate(const struct sw_cuda_partition &p, const double *x, int c, int j,
                                        struct chunk<R> &k, double (&shown)[SHOWN])
{
    struct eliminated up2 = {0.0, 0.0, 0.0, -1.0, 0.0}, up = {0.0, 0.0, 0.0, 0.0, -1.0};  /* they are l */
    k.start = (int)((long long)c * p.n / p.chunks);
    k.first = R - ((int)((long long)(c + 1) * p.n / p.chunks) - k.start);
    k.bad = 0;
#pragma unroll
    for (int i = 0; i < R - 2; i++)
        if (i >= k.first) {
            const struct penta m = row_of(p, x, k.start + i - k.first, j);
            const double beta = m.b - m.a * up2.gamma, alpha = m.c - m.a * up2.delta - beta * up.gamma;
            const double inverse = 1.0 / alpha;
            fail_if_bad(alpha, 0, k.start + i - k.first, &k.bad);
            const struct eliminated row = {(m.d - beta * up.delta) * inverse, m.e * inverse,
                                           (m.f - m.a * up2.g - beta * up.g) * inverse,
                                           -(m.a * up2.u0 + beta * up.u0) * inverse,
                                           -(m.a * up2.u1 + beta * up.u1) * inverse};
            k.row[i] = row;
            up2 = up;
            up = row;
        }
    const int last = k.start + R - 1 - k.first;
    const struct penta m = row_of(p, x, last - 1, j), n = row_of(p, x, last, j);
    const double beta = m.b - m.a * up2.gamma;
    k.A[0] = -(m.a * up2.u0 + beta * up.u0);
    k.A[1] = -(m.a * up2.u1 + beta * up.u1);
    k.A[2] = -n.a * up.u0;
    k.A[3] = -n.a * up.u1;
    k.B[0] = m.c - m.a * up2.delta - beta * up.gamma;
    k.B[1] = m.d - beta * up.delta;
    k.B[2] = n.b - n.a * up.gamma;
    k.B[3] = n.c - n.a * up.delta;
    k.r[0] = m.f - m.a * up2.g - beta * up.g;
    k.r[1] = n.f - n.a * up.g;
    k.e = m.e;
    k.d1 = n.d;
    k.e1 = n.e;
    /* upwards: g, u and w of the two unknowns below */
    double g1 = 0.0, g2 = 0.0, u1[2] = {0.0, 0.0}, u2[2] = {0.0, 0.0}, w1[2] = {-1.0, 0.0}, w2[2] = {0.0, -1.0};
#pragma unroll
    for (int i = R - 3; i >= 0; i--)
        if (i >= k.first) {
            const struct eliminated row = k.row[i];
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

/* Number k of what a thread shows is shared[k*THREADS + thread]. */
__device__ static inline void show(double *shared, int thread, const double (&shown)[SHOWN])
{
#pragma unroll
    for (int k = 0; k < SHOWN; k++) shared[k * THREADS + thread] = shown[k];
}

__device__ static inline void look(const double *shared, int thread, double (&shown)[SHOWN])
{
#pragma unroll
    for (int k = 0; k < SHOWN; k++) shown[k] = shared[k * THREADS + thread];
}

/* 2: with what the chunk behind it shows. */
template <int R>
__device__ static inline void close_equation(struct chunk<R> &k, const double (&behind)[SHOWN])
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

/* v := M^-1 v, by elimination without pivoting, as all is here. */
__device__ static inline void divide(const double (&M)[4], double &v0, double &v1)
{
    const double l = M[2] / M[0];
    v1 = (v1 - l * v0) / (M[3] - l * M[1]);
    v0 = (v0 - M[1] * v1) / M[0];
}

template <int R>
__device__ static inline void look_at_block(struct chunk<R> &k, const double (&M)[4], int step)
{
    const int last = k.start + R - 1 - k.first;
    fail_if_bad(M[0], step, last - 1, &k.bad);
    fail_if_bad(M[3] - M[2] / M[0] * M[1], step, last, &k.bad);
}

/* 3, a chunk that is eliminated: B := 1. Shown are A, C and r. */
template <int R>
__device__ static inline void normalize(struct chunk<R> &k, int step, double (&shown)[SHOWN])
{
    look_at_block(k, k.B, step);
    divide(k.B, k.A[0], k.A[2]);
    divide(k.B, k.A[1], k.A[3]);
    divide(k.B, k.C[0], k.C[2]);
    divide(k.B, k.C[1], k.C[3]);
    divide(k.B, k.r[0], k.r[1]);
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
template <int R>
__device__ static inline void reduce(struct chunk<R> &k, const double (&before)[SHOWN], const double (&behind)[SHOWN])
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
template <int R>
__device__ static inline void put_back(struct chunk<R> &k, const double (&before)[SHOWN], const double (&behind)[SHOWN])
{
#pragma unroll
    for (int q = 0; q < 2; q++)
        k.r[q] -= k.A[2 * q] * before[0] + k.A[2 * q + 1] * before[1] + k.C[2 * q] * behind[0] +
                  k.C[2 * q + 1] * behind[1];
}

/* Shown is s. */
__device__ static inline void show_solution(double *shared, int thread, const double (&s)[2])
{
    shared[thread] = s[0];
    shared[THREADS + thread] = s[1];
}

/* The last chunk, whose neighbours are itself. */
template <int R>
__device__ static inline void solve_equation(struct chunk<R> &k, int step)
{
    double M[4];
#pragma unroll
    for (int q = 0; q < 4; q++) M[q] = k.A[q] + k.B[q] + k.C[q];
    look_at_block(k, M, step);
    divide(M, k.r[0], k.r[1]);
}

/* 4. before: shown by the chunk before this one. lost: the system has a bad pivot. */
template <int R>
__device__ static inline void substitute(const struct sw_cuda_partition &p, const struct chunk<R> &k,
                                         const double (&before)[SHOWN], bool lost, double *x)
{
    double x1 = k.r[0], x2 = k.r[1];
    double *at = x + (size_t)(k.start - k.first) * p.ld;  /* of row 0, which may not be there */
    at[(size_t)(R - 2) * p.ld] = lost ? nan("") : x1;
    at[(size_t)(R - 1) * p.ld] = lost ? nan("") : x2;
#pragma unroll
    for (int i = R - 3; i >= 0; i--)
        if (i >= k.first) {
            const struct eliminated row = k.row[i];
            const double value = row.g - row.u0 * before[0] - row.u1 * before[1] - row.delta * x2 - row.gamma * x1;
            at[(size_t)i * p.ld] = lost ? nan("") : value;
            x2 = x1;
            x1 = value;
        }
}

/* Thread t of a block has chunk t / p.systems of its system t % p.systems. */
template <int R>
__global__ static void __launch_bounds__(THREADS) partition_k(struct sw_cuda_partition p, double *x)
{
    __shared__ double shared[SHOWN * THREADS];
    __shared__ int failed[SYSTEMS];
    const int t = threadIdx.x, own = t % p.systems, c = t / p.systems;
    const long long wanted = (long long)blockIdx.x * p.systems + own;
    const int j = wanted < p.batch ? (int)wanted : p.batch - 1;  /* nobody may miss a barrier */
    double shown[SHOWN], other[SHOWN];
    struct chunk<R> k;
    int step = 1;
    if (c == 0) failed[own] = 0x7fffffff;
    eliminate(p, x, c, j, k, shown);
    show(shared, t, shown);
    __syncthreads();
    look(shared, (c + 1) % p.chunks * p.systems + own, other);
    close_equation(k, other);
    __syncthreads();
    for (int far = 1; far < p.chunks; far *= 2, step++) {
        if (c % (2 * far) == far) {
            normalize(k, step, shown);
            show(shared, t, shown);
        }
        __syncthreads();  /* what others look at is not written again before the way up */
        if (c % (2 * far)) continue;
        look(shared, (c + p.chunks - far) % p.chunks * p.systems + own, shown);
        look(shared, (c + far) % p.chunks * p.systems + own, other);
        reduce(k, shown, other);
    }
    if (c == 0) {
        solve_equation(k, step);
        show_solution(shared, t, k.r);
    }
    if (k.bad) atomicMin(&failed[own], k.bad);
    __syncthreads();
    for (int far = p.chunks / 2; far > 0; far /= 2) {
        if (c % (2 * far) == far) {
            look(shared, (c - far) * p.systems + own, shown);
            look(shared, (c + far) % p.chunks * p.systems + own, other);
            put_back(k, shown, other);
            show_solution(shared, t, k.r);
        }
        __syncthreads();
    }
    const bool lost = failed[own] != 0x7fffffff;
    if (wanted >= p.batch) return;
    if (c == 0 && p.bad) p.bad[j] = lost ? failed[own] % 4096 : 0;
    if (!x) return;
    look(shared, (c + p.chunks - 1) % p.chunks * p.systems + own, other);
    substitute(p, k, other, lost, x + j);
}

/* Chunks of up to 4, 8 or 16 rows, a power of two of them; each has two at least. */
extern "C" enum sw_status sw_cuda_partition_solve(sw_cuda_stream stream, const struct sw_cuda_partition *shape,
                                                  double *x)
{
    struct sw_cuda_partition p = *shape;
    cudaStream_t s = (cudaStream_t)stream;
    const int rows = p.n <= 128 ? 4 : p.n <= 256 ? 8 : 16;
    if (p.batch == 0) return SW_OK;  /* an empty grid is a launch error */
    for (p.chunks = 1; p.chunks * rows < p.n;) p.chunks *= 2;
    p.systems = THREADS / p.chunks < SYSTEMS ? THREADS / p.chunks : SYSTEMS;
    const unsigned blocks = (unsigned)(((long long)p.batch + p.systems - 1) / p.systems);
    const int threads = p.chunks * p.systems;
    if (rows == 4) partition_k<4><<<blocks, threads, 0, s>>>(p, x);
    else if (rows == 8) partition_k<8><<<blocks, threads, 0, s>>>(p, x);
    else partition_k<16><<<blocks, threads, 0, s>>>(p, x);
    CU_LAUNCHED(s);
    return SW_OK;
}
