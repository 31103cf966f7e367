/* An expression at the points of a grid (field/sample_point.h), for one run. Compiled at run time
 * (src/problem/device/sampler.c) behind expr/inputs_point.h, base/sw_hd.h, expr/random_point.h, field/sample_point.h
 * and
 *
 *     VALUE_CELL, value_run(), value_step(), value_cell(), value_point()    the expression
 *
 * A point costs 8 bytes and the expression. */

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
        double in[SW_INPUTS] = {0}, c[VALUE_CELL + 1];
        in[SW_IN_X] = sw_grid_place(s.x0[0], s.dx[0], s.ddx[0], (double)i);
        in[SW_IN_Y] = sw_grid_place(s.x0[1], s.dx[1], s.ddx[1], (double)j);
        in[SW_IN_Z] = sw_grid_place(s.x0[2], s.dx[2], s.ddx[2], (double)k);
        value_cell(s.column, 1, s.run, 1, in, (int)p, c);
        double v = value_point(s.column, 1, s.run, 1, s.step, 1, c, 1, in, (int)p, 0.0, 0);
        if (!isfinite(v) && p < bad) bad = p;
        if (s.area) v *= s.area[j * nx + i] * s.volume[k];
        s.out[i + j * s.line[0] + k * s.line[1]] = v;
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
