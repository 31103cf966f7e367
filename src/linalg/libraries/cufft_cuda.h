#ifndef CUFFT_CUDA_H
#define CUFFT_CUDA_H
/* Discrete Fourier transforms of many real lines by NVIDIA's library cuFFT, which is loaded when the first of them is
 * wanted. */
#include <stdint.h>

#include "device/sw_device.h"

struct sw_cufft;

/** Transforms of `lines` lines of n numbers, one after another. Work is queued on the device's stream `compute`.
 * @param row      what needs the library, for messages; @param instead  what does without
 * @return SW_E_ABSENT the library is not here; SW_E_CUDA, SW_E_MEMORY */
enum sw_status sw_cufft_create(int n, int64_t lines, struct sw_device *device, const char *row, const char *instead,
                               struct sw_cufft **fft);
void sw_cufft_destroy(struct sw_cufft **fft);

/** spectrum [lines][n/2 + 1] complex := sum_i u_i e^{-2 pi i k/n}, of u [lines][n]. */
enum sw_status sw_cufft_forward(const struct sw_cufft *fft, double *u, double *spectrum);
/** u := the same with the other sign, not divided by n. The spectrum is lost. */
enum sw_status sw_cufft_backward(const struct sw_cufft *fft, double *spectrum, double *u);

/** Doubles of the spectrum of a line. */
static inline size_t sw_cufft_spectrum(int n) { return 2 * ((size_t)n / 2 + 1); }
#endif
