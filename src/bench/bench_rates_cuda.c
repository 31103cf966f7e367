/* What a CUDA device can do: copying within its memory, and fused multiply-adds. */
#include <math.h>

#include "base/sw_clock.h"
#include "bench/bench_impl.h"
#include "cuda/cu_check.cuh"
#include "cuda/bench/bench_kernels.h"

enum { REPEATS = 5, CLOCKS = 2 };

/* 2 GiB to 2 GiB, or what a quarter of the free memory holds: many times the L2 cache. */
static enum sw_status measure_copy(struct sw_device *device, double *rate)
{
    size_t bytes = (size_t)2 << 30, room = sw_device_memory_free(device) / 8;
    double best = INFINITY;
    char *from = NULL, *to = NULL;
    enum sw_status st;
    if (bytes > room) bytes = room;
    SW_TRY_TO(done, st, sw_device_alloc(device, bytes, &from));
    SW_TRY_TO(done, st, sw_device_alloc(device, bytes, &to));
    for (int k = 0; k <= REPEATS; k++) {
        SW_TRY_TO(done, st, sw_device_wait(device));
        double start = sw_clock();
        for (int copies = 0; copies < 4; copies++)
            SW_TRY_TO(done, st, sw_cuda_copy(device->compute, to, from, bytes));
        SW_TRY_TO(done, st, sw_device_wait(device));
        double seconds = (sw_clock() - start) / 4;
        if (k && seconds < best) best = seconds;
    }
    *rate = 2 * (double)bytes / best;
done:
    sw_device_free(device, from);
    sw_device_free(device, to);
    return st;
}

/* 2e11 FMAs on a device of 132 processors: some 10 ms. */
static enum sw_status measure_fma(struct sw_device *device, double *rate, double *clock)
{
    const int rounds = 100000;
    double best = INFINITY, done_fma, *sum = NULL;
    long long *ticks = NULL, host[CLOCKS];
    enum sw_status st;
    SW_TRY_TO(done, st, sw_device_alloc(device, sw_cuda_fma_threads(device->processors), &sum));
    SW_TRY_TO(done, st, sw_device_alloc(device, CLOCKS, &ticks));
    for (int k = 0; k <= REPEATS; k++) {
        SW_TRY_TO(done, st, sw_device_wait(device));
        double start = sw_clock();
        SW_TRY_TO(done, st, sw_cuda_fma(device->compute, device->processors, rounds, sum, ticks, &done_fma));
        SW_TRY_TO(done, st, sw_device_wait(device));
        double seconds = sw_clock() - start;
        if (k && seconds < best) best = seconds;
    }
    SW_TRY_TO(done, st, sw_device_download(device, host, ticks, sizeof host));
    *rate = done_fma / best;
    *clock = host[1] > 0 ? 1e9 * (double)host[0] / (double)host[1] : 0;
done:
    sw_device_free(device, sum);
    sw_device_free(device, ticks);
    return st;
}

enum sw_status bench_rates_cuda(struct sw_device *device, struct sw_rates *rates)
{
    CU_TRY(cudaSetDevice(device->index));
    SW_TRY(measure_copy(device, &rates->copy));
    return measure_fma(device, &rates->fma, &rates->clock);
}
