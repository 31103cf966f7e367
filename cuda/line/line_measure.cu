/* The scalars of each line (problem/line/stepper/scalars_point.h) from their field in memory, but for those of the
 * energy's density, which is a user's (energy_k in line_rtc.cuh); one block a run. */
#include "cuda/cu_check.cuh"
#include "field/sum_point.h"
#include "problem/line/cuda/batch_point.h"
#include "problem/line/stepper/scalars_point.h"
#include "field/spectrum_point.h"
#include "cuda/sum_rtc.cuh"
#include "cuda/line/line_kernels.h"

/* The least value over the block of what each thread has. */
__device__ static double block_min(double value, double *shared)
{
    int lane = threadIdx.x;
    shared[lane] = value;
    __syncthreads();
    for (int w = SW_SUM_LANES / 2; w > 0; w /= 2) {
        if (lane < w) shared[lane] = fmin(shared[lane], shared[lane + w]);
        __syncthreads();
    }
    double least = shared[0];
    __syncthreads();
    return least;
}

/* The transform of *re, *im into them, which are swapped with *re2, *im2 as the passes go. All threads have written
 * before, and may read afterwards. */
__device__ static void passes(const struct sw_cuda_spectrum &p, double **re, double **im, double **re2, double **im2)
{
    const int n = p.length;
    int done = 1;
    __syncthreads();
    for (int pass = 0; pass < p.passes; pass++) {
        int radix = p.radix[pass], rest = n / (done * radix);
        if (radix == 4)
            for (int o = threadIdx.x; o < n / 4; o += SW_SUM_LANES)
                sw_spectrum_four(n, rest, o / rest, o % rest, p.cosine, p.sine, *re, *im, *re2, *im2);
        else
            for (int o = threadIdx.x; o < n; o += SW_SUM_LANES)
                sw_spectrum_point(n, radix, rest, o / rest, o / rest % done, o % rest, p.cosine, p.sine, *re, *im,
                                  *re2 + o, *im2 + o);
        __syncthreads();
        double *swap = *re;
        *re = *re2;
        *re2 = swap;
        swap = *im;
        *im = *im2;
        *im2 = swap;
        done *= radix;
    }
}

/* The transform of one line, with its mirror image where it ends, into *re, *im, up to factors of size 1. */
__device__ static void transform(const struct sw_cuda_spectrum &p, const double *line, size_t ld, double **re,
                                 double **im, double **re2, double **im2)
{
    const int n = p.circle;
    for (int i = threadIdx.x; i < p.length; i += SW_SUM_LANES) {
        const int at = p.ended && i > n / 2 ? n - i : i;
        sw_spectrum_begin(n, i, i < n ? line[at * ld] - line[0] : 0.0, p.chirp_re, p.chirp_im, *re + i, *im + i);
    }
    passes(p, re, im, re2, im2);
    if (!p.chirp_re) return;
    for (int k = threadIdx.x; k < p.length; k += SW_SUM_LANES)
        sw_spectrum_filter(p.filter_re[k], p.filter_im[k], *re + k, *im + k);
    passes(p, re, im, re2, im2);
}

/* Rows of the kind SPECTRUM, by their ids: a bit each. */
#define BIT(id, name, unit, long_name, term, value) | 1u << id
enum { SPECTRUM_ROWS = 0 SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, BIT) };

/* Rows of the kind SPECTRUM. @param out  of this run: its least and greatest value are there, after a __syncthreads()
 * of the transform */
__device__ static void measure_spectrum(const struct sw_cuda_spectrum &p, double dx, double noise,
                                        const double *line, size_t ld, double *out, double *shared)
{
    const int n = p.circle;
    extern __shared__ double room[];
    double *re = p.scratch ? p.scratch + (size_t)blockIdx.x * 4 * p.length : room, *im = re + p.length;
    double *re2 = im + p.length, *im2 = re2 + p.length;
    double power = 0.0, moment = 0.0;
    transform(p, line, ld, &re, &im, &re2, &im2);
    for (int k = 1 + threadIdx.x; k <= n / 2; k += SW_SUM_LANES) {
        double e = re[k] * re[k] + im[k] * im[k];
        power += e;
        moment += k * e;
    }
    power = block_sum(power, shared);
    moment = block_sum(moment, shared);
    const double least = out[SW_MIN], greatest = out[SW_MAX];
    if (threadIdx.x) return;
#define REPORT(id, name, unit, long_name, term, value) out[id] = (value);
    SW_LINE_SCALAR_TABLE(SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, REPORT)
#undef REPORT
}

/* What becomes of a row over points, by its kind. fmin() and fmax() order zeros by their sign, as the stored numbers
 * have it. */
#define BEGIN_SUM(id, name, unit, long_name, term, value) totals[id] = 0.0;
#define BEGIN_MIN(id, name, unit, long_name, term, value) totals[id] = INFINITY;
#define BEGIN_MAX(id, name, unit, long_name, term, value) totals[id] = -INFINITY;
#define ADD(id, name, unit, long_name, term, value) totals[id] += (term);
#define LESS(id, name, unit, long_name, term, value) totals[id] = fmin(totals[id], (term));
#define GREATER(id, name, unit, long_name, term, value) totals[id] = fmax(totals[id], (term));
#define BLOCK_SUM(id, name, unit, long_name, term, value) totals[id] = block_sum(totals[id], shared);
#define BLOCK_MIN(id, name, unit, long_name, term, value) totals[id] = block_min(totals[id], shared);
#define BLOCK_MAX(id, name, unit, long_name, term, value) totals[id] = -block_min(-totals[id], shared);
#define LESS_HALF(id, name, unit, long_name, term, value) totals[id] -= 0.5 * (term);
#define REPORT_NAN(id, name, unit, long_name, term, value) out[id] = nan("");
#define REPORT(id, name, unit, long_name, term, value)  \
    {                                                   \
        const double total = totals[id];                \
        out[id] = (value);                              \
    }

/* Of run j: rows of the kinds SUM, MIN and MAX; DENSITY is NaN. Ends count half. */
__device__ static void measure_points(const struct sw_line_batch &b, bool ended, int j, const double *line, double *out,
                                      double *shared)
{
    double totals[SW_LINE_SCALARS];
    SW_LINE_SCALAR_TABLE(BEGIN_SUM, BEGIN_MIN, BEGIN_MAX, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
    for (int i = threadIdx.x; i < b.n; i += SW_SUM_LANES) {
        const double u = line[(size_t)i * b.point];
        SW_LINE_SCALAR_TABLE(ADD, LESS, GREATER, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
    }
    SW_LINE_SCALAR_TABLE(BLOCK_SUM, BLOCK_MIN, BLOCK_MAX, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
    if (threadIdx.x) return;
    for (int end = 0; ended && end < 2; end++) {
        const double u = line[end ? (size_t)(b.n - 1) * b.point : 0];
        SW_LINE_SCALAR_TABLE(LESS_HALF, SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW, SW_LINE_NO_ROW)
    }
    const int n = b.n;
    const double dx = b.dx[j];
    (void)n;
    SW_LINE_SCALAR_TABLE(REPORT, REPORT, REPORT, REPORT_NAN, SW_LINE_NO_ROW)
}

/* A reading of the line, 8 bytes a point, and another one where it has not been measured yet (fetched 32 bytes at a
 * time where lines are interleaved; neighbouring blocks find the rest in the cache). For each pass of the transform, in
 * shared memory where the line is short: 16 bytes read and 16 written a point and 7 operations where the radix is 4,
 * else 16 bytes read and 4 FMA a point and unit of radix. With a large prime factor, all of that twice, for the length
 * of the convolution. */
__global__ static void measure_k(struct sw_line_batch b, struct sw_cuda_spectrum p, const double *__restrict__ u,
                                 const double *__restrict__ measured, double *scalars)
{
    __shared__ double shared[SW_SUM_LANES];
    for (int j = blockIdx.x; j < b.count; j += gridDim.x) {
        const double *line = u + sw_line_at(&b, 0, j);
        const int k = threadIdx.x;
        const size_t first = (size_t)j * SW_LINE_SCALARS;
        double *out = scalars + first;
        if (b.first_bad[j] != SW_LINE_FINITE) {
            if (k < SW_LINE_SCALARS) out[k] = nan("");
            continue;
        }
        if (!measured) measure_points(b, p.ended, j, line, out, shared);
        else if (k < SW_LINE_SCALARS && !(SPECTRUM_ROWS >> k & 1)) out[k] = measured[first + k];
        measure_spectrum(p, b.dx[j], b.noise[j] * p.noise_growth, line, b.point, out, shared);
    }
}

extern "C" enum sw_status sw_cuda_line_measure(sw_cuda_stream stream, const struct sw_line_batch *b,
                                               const struct sw_cuda_spectrum *p, const double *u,
                                               const double *measured, double *scalars)
{
    cudaStream_t s = (cudaStream_t)stream;
    int blocks = b->count < p->blocks ? b->count : p->blocks;
    size_t room = p->scratch ? 0 : 4 * (size_t)p->length * sizeof(double);
    if (blocks == 0) return SW_OK;
    measure_k<<<blocks, SW_SUM_LANES, room, s>>>(*b, *p, u, measured, scalars);
    CU_LAUNCHED(s);
    return SW_OK;
}
