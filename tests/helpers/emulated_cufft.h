#ifndef EMULATED_CUFFT_H
#define EMULATED_CUFFT_H
/* cuFFT of a device that is this machine's processor (emulated_device.h): the sums themselves. A test that includes
 * this has these functions instead of those of src/linalg/libraries/cufft_cuda.c. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/libraries/cufft_cuda.h"

struct sw_cufft { size_t n[3], points, fields; double complex *turn[3], *field, *line; };

enum sw_status sw_cufft_create(int axes, const int64_t *n, int64_t fields, struct sw_device *device, const char *row,
                               const char *instead, struct sw_cufft **out)
{
    struct sw_cufft *fft;
    (void)device, (void)row, (void)instead;
    SW_TRY(sw_alloc(1, &fft));
    fft->points = 1;
    fft->fields = (size_t)fields;
    for (int a = 0; a < 3; a++) {
        fft->n[a] = a < axes ? (size_t)n[a] : 1;
        fft->points *= fft->n[a];
        fft->turn[a] = malloc(fft->n[a] * sizeof *fft->turn[a]);
        for (size_t k = 0; k < fft->n[a]; k++)
            fft->turn[a][k] = cexp(-2 * M_PI * I * (double)k / (double)fft->n[a]);
    }
    fft->field = malloc(fft->points * sizeof *fft->field);
    fft->line = malloc(fft->points * sizeof *fft->line);
    *out = fft;
    return SW_OK;
}

void sw_cufft_destroy(struct sw_cufft **out)
{
    struct sw_cufft *fft = *out;
    *out = NULL;
    if (!fft) return;
    for (int a = 0; a < 3; a++) free(fft->turn[a]);
    free(fft->field);
    free(fft->line);
    sw_free(fft);
}

static inline void emulated_transform_axis(const struct sw_cufft *fft, int a, bool back)
{
    const size_t n = fft->n[a], stride = a == 0 ? 1 : a == 1 ? fft->n[0] : fft->n[0] * fft->n[1];
    for (size_t first = 0; first < fft->points; first++) {
        double complex *x = fft->field + first;
        if (first / stride % n) continue;
        for (size_t k = 0; k < n; k++) {
            double re = 0, im = 0;
            for (size_t i = 0, at = 0; i < n; i++, at += at + k < n ? k : k - n) {  /* modulo n */
                const double c = creal(fft->turn[a][at]), s = (back ? -1 : 1) * cimag(fft->turn[a][at]);
                re += creal(x[i * stride]) * c - cimag(x[i * stride]) * s;
                im += creal(x[i * stride]) * s + cimag(x[i * stride]) * c;
            }
            fft->line[k] = CMPLX(re, im);
        }
        for (size_t k = 0; k < n; k++) x[k * stride] = fft->line[k];
    }
}

static inline void emulated_transform(const struct sw_cufft *fft, bool back)
{
    for (int a = 0; a < 3; a++) emulated_transform_axis(fft, a, back);
}

enum sw_status sw_cufft_forward(const struct sw_cufft *fft, double *u, double *spectrum)
{
    const size_t half = fft->n[0] / 2 + 1;
    for (size_t f = 0; f < fft->fields; f++) {
        for (size_t p = 0; p < fft->points; p++) fft->field[p] = u[f * fft->points + p];
        emulated_transform(fft, false);
        for (size_t row = 0; row < fft->points / fft->n[0]; row++)
            for (size_t k = 0; k < half; k++, spectrum += 2) {
                spectrum[0] = creal(fft->field[row * fft->n[0] + k]);
                spectrum[1] = cimag(fft->field[row * fft->n[0] + k]);
            }
    }
    return SW_OK;
}

/* A wave that is not kept is the conjugate of the one against it. */
enum sw_status sw_cufft_backward(const struct sw_cufft *fft, double *spectrum, double *u)
{
    const size_t *n = fft->n, half = n[0] / 2 + 1, waves = half * n[1] * n[2];
    for (size_t f = 0; f < fft->fields; f++, spectrum += 2 * waves) {
        for (size_t p = 0; p < fft->points; p++) {
            const size_t x = p % n[0], y = p / n[0] % n[1], z = p / n[0] / n[1];
            const bool kept = x < half;
            const size_t at = kept ? x + half * (y + n[1] * z)
                                   : n[0] - x + half * ((n[1] - y) % n[1] + n[1] * ((n[2] - z) % n[2]));
            fft->field[p] = CMPLX(spectrum[2 * at], (kept ? 1 : -1) * spectrum[2 * at + 1]);
        }
        emulated_transform(fft, true);
        for (size_t p = 0; p < fft->points; p++) u[f * fft->points + p] = creal(fft->field[p]);
        for (size_t k = 0; k < 2 * waves; k++) spectrum[k] = NAN;  /* it is lost */
    }
    return SW_OK;
}
#endif
