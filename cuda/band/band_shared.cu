/* Interleaved systems that all have the same matrix, one thread a system: the factors, one line of each for all, come
 * from the cache, and 32 bytes an unknown are left for E^-1: x read and written down, and up. The method and its
 * arithmetic are those of band_thomas.cu.
 *
 * A thread cannot load a row of x before it has stored the one before (for all the compiler knows they are the same),
 * and so would wait for the memory at each row. It therefore has the next AHEAD rows on the way while it works on as
 * many. */
#include "cuda/cu_check.cuh"
#include "cuda/band/border.cuh"
#include "linalg/papers/penta_point.h"
#include "cuda/band/band_kernels.h"

struct factors { const double *inverse, *a, *b, *gamma, *delta; };

struct previous { double one, two; };  /* the two values before in a recursion */

/* Rows first, first + step, ... of x, as far as there are any. */
template <int AHEAD>
__device__ static void fetch(double next[AHEAD], const double *x, size_t ld, int first, int step, int m)
{
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        int i = first + k * step;
        next[k] = i >= 0 && i < m ? x[(size_t)i * ld] : 0.0;
    }
}

/* `count` rows of L g = f from `first` on; f: [AHEAD] in registers. */
template <int AHEAD>
__device__ static void forward(const struct factors &y, const double *f, int count, int first, size_t ld,
                               struct previous &g, double *x)
{
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        if (k >= count) break;
        int i = first + k;
        double v = sw_penta_forward(__ldg(y.inverse + i), __ldg(y.a + i), __ldg(y.b + i), f[k], g.one, g.two);
        x[(size_t)i * ld] = v;
        g.two = g.one;
        g.one = v;
    }
}

/* `count` rows of R x = g from `first` on upwards. */
template <int AHEAD>
__device__ static void backward(const struct factors &y, const double *g, int count, int first, size_t ld,
                                struct previous &v, double *x)
{
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        if (k >= count) break;
        int i = first - k;
        double w = sw_penta_backward(__ldg(y.gamma + i), __ldg(y.delta + i), g[k], v.one, v.two);
        x[(size_t)i * ld] = w;
        v.two = v.one;
        v.one = w;
    }
}

/* 16 bytes an unknown. */
template <int AHEAD> __device__ static void forward_sweep(const struct factors &y, int m, size_t ld, double *x)
{
    double next[AHEAD], now[AHEAD];
    struct previous g = {0.0, 0.0};
    int first = 0;
    fetch<AHEAD>(next, x, ld, 0, 1, m);
    for (; first + AHEAD <= m; first += AHEAD) {
        memcpy(now, next, sizeof now);
        fetch<AHEAD>(next, x, ld, first + AHEAD, 1, m);
        forward<AHEAD>(y, now, AHEAD, first, ld, g, x);
    }
    forward<AHEAD>(y, next, m - first, first, ld, g, x);
}

/* 16 bytes an unknown. */
template <int AHEAD> __device__ static void backward_sweep(const struct factors &y, int m, size_t ld, double *x)
{
    double next[AHEAD], now[AHEAD];
    struct previous v = {0.0, 0.0};
    int first = m - 1;
    fetch<AHEAD>(next, x, ld, first, -1, m);
    for (; first - AHEAD + 1 >= 0; first -= AHEAD) {
        memcpy(now, next, sizeof now);
        fetch<AHEAD>(next, x, ld, first - AHEAD, -1, m);
        backward<AHEAD>(y, now, AHEAD, first, ld, v, x);
    }
    backward<AHEAD>(y, next, first + 1, first, ld, v, x);
}

/* E^-1, and the border unknowns in their places: 32 bytes an unknown and 5 FMA or products. */
template <int AHEAD> __global__ static void shared_k(struct sw_cuda_thomas t, double *x)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, n = t.n, m = n - t.p;
    if (j >= t.batch) return;
    const double *f = t.factor;
    struct factors y = {f, f + n, f + 2 * (size_t)n, f + 3 * (size_t)n, f + 4 * (size_t)n};
    forward_sweep<AHEAD>(y, m, t.ld, x + j);
    backward_sweep<AHEAD>(y, m, t.ld, x + j);
    if (t.p) sw_cuda_border_solve(t.border, 1, n, t.p, t.ld, j, x);
}

/* Small blocks spread a small batch over more multiprocessors. 16 rows ahead take so many registers that no more than
 * 384 threads of a multiprocessor run at once; larger batches hide the latency by their number
 * (tests/bench/bench_thomas.c). No bit depends on either. */
enum { DEFAULT_THREADS = 32 };
static int rows_ahead(int batch) { return batch < 65536 ? 16 : 8; }

extern "C" enum sw_status sw_cuda_shared_solve(sw_cuda_stream stream, const struct sw_cuda_thomas *t, double *x)
{
    cudaStream_t s = (cudaStream_t)stream;
    struct sw_cuda_correction c = {t->n, t->p, t->batch, t->ld, t->Z, t->n, 1};
    int threads = t->threads ? t->threads : DEFAULT_THREADS, ahead = t->ahead ? t->ahead : rows_ahead(t->batch);
    int blocks = (int)(((long long)t->batch + threads - 1) / threads);
    if (t->batch == 0) return SW_OK;
    if (ahead <= 1) shared_k<1><<<blocks, threads, 0, s>>>(*t, x);
    else if (ahead <= 8) shared_k<8><<<blocks, threads, 0, s>>>(*t, x);
    else shared_k<16><<<blocks, threads, 0, s>>>(*t, x);
    CU_LAUNCHED(s);
    return sw_cuda_correct(stream, &c, x);
}
