/* What a solve by Fourier transforms has between and behind them, for lines one after another. */
#include "cuda/cu_check.cuh"
#include "problem/line/cuda/batch_point.h"
#include "cuda/line/line_kernels.h"

enum { MAX_Y = 32768, THREADS = 128 };  /* the y grid ends at 65535: kernels go on in steps of it */

static dim3 blocks_of(const struct sw_line_batch *b, int numbers)
{
    const long long lines = (long long)b->count * b->unknowns;
    return dim3((numbers + THREADS - 1) / THREADS, lines < MAX_Y ? (int)lines : MAX_Y);
}

/* The symbol of A at a wave is 1 + s0 + s2 w + s4 w² + i sin (s1 - s3 w), w = 2 - 2 cos. A thread a wave of a line: 32
 * bytes read and written, of a line of n points n/2 + 1 times; the waves stay in the cache. */
__global__ static void divide_k(struct sw_line_batch b, const double2 *__restrict__ waves, double2 *spectrum)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x, size = b.n / 2 + 1, lines = b.count * b.unknowns;
    if (k >= size) return;
    const double2 wave = waves[k];
    for (int line = blockIdx.y; line < lines; line += gridDim.y) {
        const struct sw_line_operator a = b.a[(size_t)(line % b.unknowns) * b.count + line / b.unknowns];
        const double even = 1.0 + a.s0 + wave.x * (a.s2 + a.s4 * wave.x), odd = wave.y * (a.s1 - a.s3 * wave.x);
        const double share = odd / even, scale = 1.0 / ((even + share * odd) * b.n);
        double2 *at = spectrum + (size_t)line * size + k;
        const double2 z = *at;
        *at = make_double2(scale * (z.x + share * z.y), scale * (z.y - share * z.x));
    }
}

extern "C" enum sw_status sw_cuda_line_divide(sw_cuda_stream stream, const struct sw_line_batch *b, const double *waves,
                                              double *spectrum)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (b->count == 0) return SW_OK;
    divide_k<<<blocks_of(b, b->n / 2 + 1), THREADS, 0, s>>>(*b, (const double2 *)waves, (double2 *)spectrum);
    CU_LAUNCHED(s);
    return SW_OK;
}

/* 24 bytes read and written a point. */
__global__ static void subtract_k(struct sw_line_batch b, const double *__restrict__ u, double *f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lines = b.count * b.unknowns;
    if (i >= b.n) return;
    for (int line = blockIdx.y; line < lines; line += gridDim.y) f[(size_t)line * b.n + i] -= u[(size_t)line * b.n + i];
}

extern "C" enum sw_status sw_cuda_line_subtract(sw_cuda_stream stream, const struct sw_line_batch *b, const double *u,
                                                double *f)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (b->count == 0) return SW_OK;
    subtract_k<<<blocks_of(b, b->n), THREADS, 0, s>>>(*b, u, f);
    CU_LAUNCHED(s);
    return SW_OK;
}
