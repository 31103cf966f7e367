#ifndef CUFFT_CUDA_H
#define CUFFT_CUDA_H
/* Discrete Fourier transforms of many real lines, or fields, by NVIDIA's library cuFFT, which is loaded when the first
 * of them is wanted. */
#include <stdint.h>

#include "device/sw_device.h"

struct sw_cufft;

/** Transforms of `fields` fields, one after another, along all their axes. Work is queued on the device's stream
 * `compute`.
 * @param axes     1, 2, 3  @param n  [axes] points along x, y, z, of which those along x lie beside each other
 * @param row      what needs the library, for messages; @param instead  what does without
 * @return SW_E_ABSENT the library is not here, or a build without CUDA; SW_E_CUDA, SW_E_MEMORY */
enum sw_status sw_cufft_create(int axes, const int64_t *n, int64_t fields, struct sw_device *device, const char *row,
                               const char *instead, struct sw_cufft **fft);
void sw_cufft_destroy(struct sw_cufft **fft);

/** spectrum [fields][nz][ny][nx/2 + 1] complex := sum of u e^{-2 pi i (k_x x/nx + ..)}, of u [fields][nz][ny][nx]. */
enum sw_status sw_cufft_forward(const struct sw_cufft *fft, double *u, double *spectrum);
/** u := the same with the other sign, not divided by the number of points. The spectrum is lost. */
enum sw_status sw_cufft_backward(const struct sw_cufft *fft, double *spectrum, double *u);

/** Doubles of the spectrum of a line. */
static inline size_t sw_cufft_spectrum(int n) { return 2 * ((size_t)n / 2 + 1); }
#endif
