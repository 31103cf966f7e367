#ifndef CUDA_BENCH_KERNELS_H
#define CUDA_BENCH_KERNELS_H
/* Launchers of the kernels that measure what a device can do at most (bench_rates.cu). cuda/sw_cuda.h says what holds
 * for all. */
#include <stddef.h>

#include "cuda/sw_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Double-precision FMAs by all processors.
 * @param sum    [sw_cuda_fma_threads()]: of no interest, but it must be written
 * @param ticks  [2]: cycles and nanoseconds that one thread took
 * @param done   out: how many FMAs */
enum sw_status sw_cuda_fma(sw_cuda_stream stream, int processors, int rounds, double *sum, long long *ticks,
                           double *done);
size_t sw_cuda_fma_threads(int processors);
/** A copy within the device's memory. */
enum sw_status sw_cuda_copy(sw_cuda_stream stream, void *to, const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
