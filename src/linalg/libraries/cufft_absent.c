/* Transforms by cuFFT in a build without CUDA (src/linalg/libraries/cufft_cuda.c has them in one with it). */
#include "base/sw_err.h"
#include "linalg/libraries/cufft_cuda.h"

#ifndef SW_HAVE_CUDA
enum sw_status sw_cufft_create(int axes, const int64_t *n, int64_t fields, struct sw_device *device, const char *row,
                               const char *instead, struct sw_cufft **fft)
{
    (void)axes, (void)n, (void)fields, (void)device, (void)instead;
    *fft = NULL;
    return SW_FAIL(SW_E_ABSENT, "%s: " SW_WITHOUT_CUDA, row);
}

void sw_cufft_destroy(struct sw_cufft **fft) { *fft = NULL; }

enum sw_status sw_cufft_forward(const struct sw_cufft *fft, double *u, double *spectrum)
{
    (void)fft, (void)u, (void)spectrum;
    return SW_E_ABSENT;
}

enum sw_status sw_cufft_backward(const struct sw_cufft *fft, double *spectrum, double *u)
{
    (void)fft, (void)u, (void)spectrum;
    return SW_E_ABSENT;
}
#endif
