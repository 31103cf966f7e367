#ifndef MEASURE_CUDA_H
#define MEASURE_CUDA_H
/* The scalars of lines on a CUDA device (enum sw_line_scalar) from their field in memory. */
#include "problem/line/stepper/sw_stepper_impl.h"
#include "cuda/line/line_kernels.h"

/** Tables and workspace for lines of n points, which end or do not. On failure what was made stays, for destroy. */
enum sw_status sw_spectrum_create(struct sw_device *device, int n, bool ended, struct sw_cuda_spectrum *spectrum);
void sw_spectrum_destroy(struct sw_device *device, struct sw_cuda_spectrum *spectrum);
/** Bytes that it takes. */
size_t sw_spectrum_bytes(int n, bool ended);
#endif
