/* Which systems of a batch hold finite numbers alone, and which solve all their rows. One that does not is rare: only
 * then is looked for which one it is, and whether it matters. */
#include <stdint.h>

#include "cuda/cu_check.cuh"
#include "linalg/tridiagonal_row_point.h"
#include "cuda/tridiagonal/tridiagonal_kernels.h"

enum { THREADS = 256, EACH = 8 };  /* loads of a thread that are on their way together */

/* Reads 8 bytes an entry. */
__global__ static void finite_k(int64_t all, int64_t n, const double *v, int64_t but, bool *finite)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
    double part[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) part[k] = first + k * THREADS < all ? v[first + k * THREADS] : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (isfinite(part[k])) continue;
        const int64_t at = first + k * THREADS, j = at / n;
        if (at - j * n != but) finite[j] = false;
    }
}

extern "C" enum sw_status sw_cuda_tridiagonal_finite(sw_cuda_stream stream, int64_t n, int batch, const double *v,
                                                     int64_t but, bool *finite)
{
    cudaStream_t s = (cudaStream_t)stream;
    const int64_t all = n * batch, blocks = (all + THREADS * EACH - 1) / (THREADS * EACH);
    if (all == 0) return SW_OK;
    finite_k<<<(unsigned)blocks, THREADS, 0, s>>>(all, n, v, but, finite);
    CU_LAUNCHED(s);
    return SW_OK;
}

/* most [batch] := max |x|, most being 0: bits of numbers >= 0 are in their order. A look spares most of the atomics.
 * Reads 8 bytes a row. */
__global__ static void most_k(int64_t all, int64_t n, const double *x, double *most)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
    double part[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) part[k] = first + k * THREADS < all ? fabs(x[first + k * THREADS]) : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t at = first + k * THREADS;
        if (at >= all) break;
        unsigned long long *const word = (unsigned long long *)(most + at / n);
        const unsigned long long bits = (unsigned long long)__double_as_longlong(part[k]);
        if (bits > *(volatile unsigned long long *)word) atomicMax(word, bits);
    }
}

/* Reads 40 bytes a row, the neighbours' x from the cache. */
__global__ static void solved_k(int64_t all, int64_t n, bool cyclic, const double *lower, const double *main,
                                const double *upper, const double *rhs, const double *x, const double *most, int *fine,
                                int *bounded)
{
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x, j = at / n, i = at - j * n;
    if (at >= all) return;
    const double a = i > 0 || cyclic ? lower[at] : 0, b = main[at], c = i < n - 1 || cyclic ? upper[at] : 0,
                 f = rhs[at], m = most[j], x0 = x[i > 0 ? at - 1 : at + n - 1], x2 = x[i < n - 1 ? at + 1 : at - n + 1];
    if (!tridiagonal_row_is_solved(a, b, c, f, x0, x[at], x2, m)) fine[j] = 0;
    if (tridiagonal_row_bounds(a, b, c, f, m) && !bounded[j]) bounded[j] = 1;
}

extern "C" enum sw_status sw_cuda_tridiagonal_solved(sw_cuda_stream stream, int64_t n, int batch, bool cyclic,
                                                     const double *lower, const double *main, const double *upper,
                                                     const double *rhs, const double *x, double *most, int *fine,
                                                     int *bounded)
{
    cudaStream_t s = (cudaStream_t)stream;
    const int64_t all = n * batch, blocks = (all + THREADS - 1) / THREADS, fewer = (blocks + EACH - 1) / EACH;
    if (all == 0) return SW_OK;
    CU_TRY(cudaMemsetAsync(most, 0, (size_t)batch * sizeof *most, s));
    CU_TRY(cudaMemsetAsync(bounded, 0, (size_t)batch * sizeof *bounded, s));
    most_k<<<(unsigned)fewer, THREADS, 0, s>>>(all, n, x, most);
    CU_LAUNCHED(s);
    solved_k<<<(unsigned)blocks, THREADS, 0, s>>>(all, n, cyclic, lower, main, upper, rhs, x, most, fine, bounded);
    CU_LAUNCHED(s);
    return SW_OK;
}
