/* An expression at the points of a grid (field/sample_point.h), for one run. Compiled at run time
 * (src/problem/device/sampler.c) behind expr/inputs_point.h, base/sw_hd.h, expr/random_point.h, field/sample_point.h
 * and
 *
 *     VALUE_CELL, value_run(), value_step(), value_cell(), value_point()    the expression
 *
 * A point costs 8 bytes and the expression; to compare it 8 more, and 8 again where the difference is kept. */

/* The value at point (i, j, k), and by its number in the whole grid what rand draws. */
__device__ static __forceinline__ double value_at(const struct sw_sample &s, long long i, long long j, long long k)
{
    const long long *n = s.n, *before = s.first;
    const long long number = s.lines ? ((before[2] + k) * s.lines + before[1] + j) * n[0] + i
                                     : ((before[2] + k) * n[1] + before[1] + j) * n[0] + before[0] + i;
    double in[SW_INPUTS] = {0}, c[VALUE_CELL + 1];
    in[SW_IN_X] = sw_grid_place(s.x0[0], s.dx[0], s.ddx[0], (double)(before[0] + i));
    in[SW_IN_Y] = sw_grid_place(s.x0[1], s.dx[1], s.ddx[1], (double)(before[1] + j));
    in[SW_IN_Z] = sw_grid_place(s.x0[2], s.dx[2], s.ddx[2], (double)(before[2] + k));
    value_cell(s.column, 1, s.run, 1, in, (int)number, c);
    return value_point(s.column, 1, s.run, 1, s.step, 1, c, 1, in, (int)number, 0.0, 0);
}

/* What depends on the run alone, by one thread. */
extern "C" __global__ void begin_k(struct sw_sample s)
{
    value_run(s.column, 1, s.run);
    value_step(s.column, 1, s.run, 1, 0.0, 0, s.step);
    s.sampled->bad = SW_SAMPLED_FINE;
    s.sampled->most = 0;
}

/* Threads go through the cells in turn; warps are whole. */
extern "C" __global__ void __launch_bounds__(SW_SAMPLE_THREADS) sample_k(struct sw_sample s)
{
    const long long nx = s.n[0], ny = s.n[1], cells = nx * ny * s.n[2];
    const long long stride = (long long)gridDim.x * SW_SAMPLE_THREADS;
    long long bad = SW_SAMPLED_FINE;
    unsigned long long most = 0;
    for (long long p = (long long)blockIdx.x * SW_SAMPLE_THREADS + threadIdx.x; p < cells; p += stride) {
        const long long i = p % nx, j = p / nx % ny, k = p / nx / ny;
        double v = value_at(s, i, j, k);
        if (!isfinite(v) && p < bad) bad = p;
        if (s.area) v *= s.area[j * nx + i] * s.volume[k];
        const long long to = i + j * s.line[0] + k * s.line[1];
        if (s.single) ((float *)s.out)[to] = (float)v;
        else ((double *)s.out)[to] = v;
        const unsigned long long size = (unsigned long long)__double_as_longlong(fabs(v));
        if (v == v && size > most) most = size;
    }
#pragma unroll
    for (int w = 16; w > 0; w /= 2) {
        const long long other_bad = __shfl_xor_sync(~0u, bad, w);
        const unsigned long long other_most = __shfl_xor_sync(~0u, most, w);
        if (other_bad < bad) bad = other_bad;
        if (other_most > most) most = other_most;
    }
    if (threadIdx.x % 32) return;
    if (bad != SW_SAMPLED_FINE) atomicMin(&s.sampled->bad, bad);
    if (most) atomicMax(&s.sampled->most, most);
}

/* ------------------------------------------------------------------ a field beside the values */

/* As on the host: a NaN may be lost here, and stays in the sum of squares. */
__device__ static __forceinline__ double larger(double a, double b) { return b <= a ? a : b; }

__device__ static __forceinline__ void add_compared(struct sw_compared &a, const struct sw_compared &b)
{
    a.difference += b.difference;
    a.exact += b.exact;
    a.largest = larger(a.largest, b.largest);
    a.interior = larger(a.interior, b.interior);
    if (b.bad >= 0 && (a.bad < 0 || b.bad < a.bad)) a.bad = b.bad;
}

__device__ static __forceinline__ bool is_inner(const struct sw_compare_field &f, long long i, long long j, long long k)
{
    return i >= f.inner_first[0] && i < f.inner_last[0] && j >= f.inner_first[1] && j < f.inner_last[1] &&
           k >= f.inner_first[2] && k < f.inner_last[2];
}

/* A block a piece. Thread t adds the terms of points t, t + SW_SAMPLE_THREADS, ... in turn, then halves of the threads
 * are added: bits depend on the field alone, and not on the device. */
extern "C" __global__ void __launch_bounds__(SW_SAMPLE_THREADS) compare_k(struct sw_sample s, struct sw_compare_field f)
{
    __shared__ struct sw_compared part[SW_SAMPLE_THREADS];
    const long long nx = s.n[0], ny = s.n[1], points = nx * ny * s.n[2];
    const long long from = (long long)blockIdx.x * SW_COMPARED_POINTS;
    const long long to = from + SW_COMPARED_POINTS < points ? from + SW_COMPARED_POINTS : points;
    struct sw_compared sum = {0, 0, 0, 0, -1};
    for (long long p = from + threadIdx.x; p < to; p += SW_SAMPLE_THREADS) {
        const long long i = p % nx, j = p / nx % ny, k = p / nx / ny;
        const double v = value_at(s, i, j, k), u = s.single ? ((float *)f.u)[p] : ((double *)f.u)[p], d = u - v;
        if (f.keep && s.single) ((float *)f.u)[p] = (float)d;
        else if (f.keep) ((double *)f.u)[p] = d;
        add_compared(sum, {d * d, v * v, fabs(d), is_inner(f, i, j, k) ? fabs(d) : 0, isfinite(d) ? -1 : p});
    }
    part[threadIdx.x] = sum;
    for (int w = SW_SAMPLE_THREADS / 2; w > 0; w /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < w) add_compared(part[threadIdx.x], part[threadIdx.x + w]);
    }
    if (threadIdx.x == 0) f.piece[blockIdx.x] = part[0];
}
