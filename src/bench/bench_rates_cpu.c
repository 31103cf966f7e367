/* What the CPU can do: copying large arrays (as STREAM's Copy, by all threads) and fused multiply-adds. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "bench/bench_impl.h"

/* On a busy machine the best of few is not what it can do; few are taken where rows are timed less often as well. */
enum { REPEATS = 5, EACH = 8 };                /* EACH: loops of multiply-adds a copy */
static const size_t array = (size_t)1 << 25;   /* doubles: 256 MiB, more than caches hold on most machines */

/* Each thread copies the part that it touched first. Bytes read and written; memcpy does not read what it writes. */
static enum sw_status measure_copy(int threads, int repeats, double *rate)
{
    double *from = NULL, *to = NULL, best = INFINITY;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc(array, &from));
    SW_TRY_TO(done, st, sw_alloc(array, &to));
    for (int k = 0; k <= repeats; k++) {   /* the first one touches the memory */
        double start = sw_clock();
#pragma omp parallel num_threads(threads)
        {
            size_t id = (size_t)omp_get_thread_num(), count = (size_t)omp_get_num_threads();
            size_t begin = array * id / count, end = array * (id + 1) / count;
            memcpy(k % 2 ? to + begin : from + begin, k % 2 ? from + begin : to + begin, (end - begin) * sizeof *to);
        }
        double seconds = sw_clock() - start;
        if (k && seconds < best) best = seconds;
    }
    *rate = 2.0 * (double)(array * sizeof *to) / best;
done:
    sw_free(from);
    sw_free(to);
    return st;
}

/* Twelve vectors of accumulators hide the latency of two FMA units; the product below keeps them finite. */
#define FMA_LOOP(name, width)                                                              \
    static double name(long rounds)                                                        \
    {                                                                                      \
        double a[12 * (width)], sum = 0;                                                   \
        for (int k = 0; k < 12 * (width); k++) a[k] = 1 + 1e-3 * k;                        \
        for (long r = 0; r < rounds; r++)                                                  \
            for (int k = 0; k < 12 * (width); k++) a[k] = __builtin_fma(a[k], 0.999, 1e-3); \
        for (int k = 0; k < 12 * (width); k++) sum += a[k];                                \
        return sum;                                                                        \
    }
FMA_LOOP(fma_narrow, 4)
#ifdef __x86_64__
#ifdef __clang__
#define WIDE ""  /* it has no such word */
#else
#define WIDE ",prefer-vector-width=512"
#endif
__attribute__((target("avx512f,avx512vl,avx512dq" WIDE)))
FMA_LOOP(fma_wide, 8)
#endif

typedef double fma_function(long rounds);

static double measure_fma(fma_function *loop, int width, int threads, int repeats, double *sink)
{
    double best = 0, sum = 0;
    const long rounds = 400000;   /* some 3 ms */
    for (int k = 0; k <= repeats; k++) {
        double start = sw_clock();
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += loop(rounds);
        double seconds = sw_clock() - start;
        double rate = (double)threads * (double)rounds * 12 * width / seconds;
        if (k && rate > best) best = rate;
    }
    *sink += sum;
    return best;
}

/* "cpu MHz : 2900.000" of the first processor, as the kernel says it now. */
static double read_clock(void)
{
    char line[256];
    double mhz = 0;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "cpu MHz : %lf", &mhz) == 1) break;
    if (f) fclose(f);
    return 1e6 * mhz;
}

enum sw_status bench_rates_cpu(struct sw_device *device, int repeats, struct sw_rates *rates)
{
    const int copies = repeats && repeats < REPEATS ? repeats : REPEATS;
    double sink = 0;
    SW_TRY(measure_copy(device->threads, copies, &rates->copy));
    rates->fma = measure_fma(fma_narrow, 4, device->threads, EACH * copies, &sink);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        rates->fma = fmax(rates->fma, measure_fma(fma_wide, 8, device->threads, EACH * copies, &sink));
#endif
    rates->clock = read_clock();
    return isfinite(sink) ? SW_OK : SW_FAIL(SW_E_ARG, "the sum of the FMA loop is not finite");
}

enum sw_status sw_bench_rates(struct sw_bench_device *d, int repeats)
{
    if (d->rates.copy > 0) return SW_OK;
#ifdef SW_HAVE_CUDA
    if (d->device->space == SW_DEVICE) return bench_rates_cuda(d->device, &d->rates);
#endif
    return bench_rates_cpu(d->device, repeats, &d->rates);
}
