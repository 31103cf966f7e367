/* Banded LU with partial pivoting of scaled rows, as src/linalg/band_lu_cpu.c does it: interleaved systems, one thread
 * a system, periodic ones as a folded circle (linalg/folded_point.h). The rows at work, K + 1 of 2 K + 1 entries, and
 * right-hand sides are in registers: all their indices are constants, and rows are exchanged by selects, so that a warp
 * takes one path whatever its lanes choose. K, the diagonals on either side, is 1, 2, 4 or 8; narrower bands have
 * zeros.
 *
 * Factoring reads the band, 8 bytes an entry, and writes 8 (3 K + 2) + 1 bytes an unknown, with K (2 K + 1)
 * multiplications and subtractions and K + 1 divisions; 40 + 113 bytes where five diagonals are periodic (K = 4). A
 * solve reads what was written, and reads and writes x twice: 145 bytes there. At K = 8 the window of 153 numbers
 * is in local memory for the most part. */
#include "cuda/band/band_kernels.h"
#include "cuda/cu_check.cuh"
#include "linalg/folded_point.h"

__device__ static inline int unknown(const struct sw_cuda_lu &l, int k)
{
    return l.periodic ? sw_unfolded(l.n, k) : k;
}

/* The entry in row `row` and column `column` of what is eliminated. */
__device__ static inline double entry(const struct sw_cuda_lu &l, const double *band, int j, int row, int column)
{
    if (column < 0 || column >= l.n) return 0.0;
    const int i = unknown(l, row);
    int off = unknown(l, column) - i;
    if (l.periodic && off > l.above) off -= l.n;
    if (l.periodic && off < -l.below) off += l.n;
    if (off < -l.below || off > l.above) return 0.0;
    return band[((size_t)(off + l.below) * l.n + i) * l.ld + j];
}

/* The power of two that brings the largest entry of a row to 1 .. 2; the least and largest normal ones at the ends. */
template <int WIDTH>
__device__ static inline double scale_of(const double (&row)[WIDTH])
{
    double largest = 0.0;
#pragma unroll
    for (int c = 0; c < WIDTH; c++) largest = fabs(row[c]) > largest ? fabs(row[c]) : largest;
    long long exponent = __double_as_longlong(largest) & 0x7ff0000000000000LL;
    if (exponent > 0x7fd0000000000000LL) exponent = 0x7fd0000000000000LL;
    return __longlong_as_double(0x7fe0000000000000LL - exponent);
}

/* Row k, its columns from `first` on, scaled; zeros below the matrix. */
template <int K>
__device__ static inline void enter_row(const struct sw_cuda_lu &l, const double *band, int j, int k, int first,
                                        double (&row)[2 * K + 1])
{
#pragma unroll
    for (int c = 0; c < 2 * K + 1; c++) row[c] = k < l.n ? entry(l, band, j, k, first + c) : 0.0;
    if (k >= l.n) return;
    const double scale = scale_of(row);
#pragma unroll
    for (int c = 0; c < 2 * K + 1; c++) row[c] *= scale;
    l.lower[(size_t)k * (K + 1) * l.kept + j] = scale;
}

/* Brings the largest entry of the first column up, of equal ones the first. @return its row */
template <int K>
__device__ static inline int exchange_rows(double (&w)[K + 1][2 * K + 1])
{
    double largest = fabs(w[0][0]);
    int chosen = 0;
#pragma unroll
    for (int r = 1; r <= K; r++)
        if (fabs(w[r][0]) > largest) {
            largest = fabs(w[r][0]);
            chosen = r;
        }
#pragma unroll
    for (int r = 1; r <= K; r++)
#pragma unroll
        for (int c = 0; c < 2 * K + 1; c++) {
            const double top = w[0][c], other = w[r][c];
            w[0][c] = chosen == r ? other : top;
            w[r][c] = chosen == r ? top : other;
        }
    return chosen;
}

template <int K>
__global__ static void factor_k(struct sw_cuda_lu l, const double *band)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= l.systems) return;
    double w[K + 1][2 * K + 1];
    int bad = 0;
#pragma unroll
    for (int k = 0; k <= K; k++) enter_row<K>(l, band, j, k, 0, w[k]);
    for (int k = 0; k < l.n; k++) {
        double *lower = l.lower + (size_t)k * (K + 1) * l.kept + j;
        double *upper = l.upper + (size_t)k * (2 * K + 1) * l.kept + j;
        l.pivot[(size_t)k * l.kept + j] = (unsigned char)exchange_rows<K>(w);
        if (!bad && (w[0][0] == 0.0 || !isfinite(w[0][0]))) bad = 1 + unknown(l, k);
#pragma unroll
        for (int c = 0; c < 2 * K + 1; c++) upper[(size_t)c * l.kept] = w[0][c];
        double top[2 * K + 1];
#pragma unroll
        for (int c = 0; c < 2 * K + 1; c++) top[c] = w[0][c];
#pragma unroll
        for (int r = 1; r <= K; r++) {
            const double m = w[r][0] / top[0];
            lower[(size_t)r * l.kept] = m;
#pragma unroll
            for (int c = 1; c < 2 * K + 1; c++) w[r - 1][c - 1] = w[r][c] - m * top[c];
            w[r - 1][2 * K] = 0.0;
        }
        enter_row<K>(l, band, j, k + 1 + K, k + 1, w[K]);
    }
    l.bad[j] = bad;
}

/* L y = P S b in place: z holds what rows k .. k + K have become. */
template <int K>
__device__ static inline void forward(const struct sw_cuda_lu &l, int f, double *x)
{
    double z[K + 1];
#pragma unroll
    for (int r = 0; r < K; r++)
        z[r] = r < l.n ? x[(size_t)unknown(l, r) * l.ld] * l.lower[(size_t)r * (K + 1) * l.kept + f] : 0.0;
    for (int k = 0; k < l.n; k++) {
        const double *lower = l.lower + (size_t)k * (K + 1) * l.kept + f;
        const int chosen = l.pivot[(size_t)k * l.kept + f];
        z[K] = k + K < l.n ? x[(size_t)unknown(l, k + K) * l.ld] * lower[(size_t)K * (K + 1) * l.kept] : 0.0;
#pragma unroll
        for (int r = 1; r <= K; r++) {
            const double top = z[0], other = z[r];
            z[0] = chosen == r ? other : top;
            z[r] = chosen == r ? top : other;
        }
        const double y = z[0];
        x[(size_t)unknown(l, k) * l.ld] = y;
#pragma unroll
        for (int r = 1; r <= K; r++) z[r - 1] = z[r] - lower[(size_t)r * l.kept] * y;
    }
}

/* U x = y in place: v holds x of the rows behind k. */
template <int K>
__device__ static inline void backward(const struct sw_cuda_lu &l, int f, double *x)
{
    double v[2 * K];
#pragma unroll
    for (int c = 0; c < 2 * K; c++) v[c] = 0.0;
    for (int k = l.n - 1; k >= 0; k--) {
        const double *upper = l.upper + (size_t)k * (2 * K + 1) * l.kept + f;
        double sum = x[(size_t)unknown(l, k) * l.ld];
#pragma unroll
        for (int c = 2 * K; c >= 1; c--) sum -= upper[(size_t)c * l.kept] * v[c - 1];
        sum /= upper[0];
        x[(size_t)unknown(l, k) * l.ld] = sum;
#pragma unroll
        for (int c = 2 * K - 1; c >= 1; c--) v[c] = v[c - 1];
        v[0] = sum;
    }
}

/* What is bad becomes NaN. */
template <int K>
__global__ static void solve_k(struct sw_cuda_lu l, double *x)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, f = l.systems == l.batch ? j : 0;
    if (j >= l.batch) return;
    if (l.bad[f]) {
        for (int i = 0; i < l.n; i++) x[(size_t)i * l.ld + j] = nan("");
        return;
    }
    forward<K>(l, f, x + j);
    backward<K>(l, f, x + j);
}

/* As in band_thomas.cu: small blocks spread a small batch over more multiprocessors. */
static int threads_for(int systems) { return systems < 32768 ? 32 : 128; }

static int blocks_for(int systems)
{
    return (int)(((long long)systems + threads_for(systems) - 1) / threads_for(systems));
}

#define BY_SIDE(kernel, systems, ...)                                                                                \
    do {                                                                                                             \
        const int blocks_ = blocks_for(systems), threads_ = threads_for(systems);                                    \
        cudaStream_t s_ = (cudaStream_t)stream;                                                                      \
        if (l->side == 1) kernel<1><<<blocks_, threads_, 0, s_>>>(__VA_ARGS__);                                      \
        else if (l->side == 2) kernel<2><<<blocks_, threads_, 0, s_>>>(__VA_ARGS__);                                 \
        else if (l->side == 4) kernel<4><<<blocks_, threads_, 0, s_>>>(__VA_ARGS__);                                 \
        else kernel<8><<<blocks_, threads_, 0, s_>>>(__VA_ARGS__);                                                   \
        CU_LAUNCHED(s_);                                                                                             \
    } while (0)

extern "C" enum sw_status sw_cuda_lu_factor(sw_cuda_stream stream, const struct sw_cuda_lu *l, const double *band)
{
    if (l->systems == 0) return SW_OK;  /* an empty grid is a launch error */
    BY_SIDE(factor_k, l->systems, *l, band);
    return SW_OK;
}

extern "C" enum sw_status sw_cuda_lu_solve(sw_cuda_stream stream, const struct sw_cuda_lu *l, double *x)
{
    if (l->batch == 0) return SW_OK;
    BY_SIDE(solve_k, l->batch, *l, x);
    return SW_OK;
}
