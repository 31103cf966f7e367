#ifndef DFT_H
#define DFT_H
/* The discrete Fourier transform of lines of n points (spectrum_point.h) on the host: its tables, which
 * problem/line/cuda/batch_cuda.c uploads to a device, and its passes.
 *
 * It is not FFTW's, although that is several times as fast (docs/developer/conventions.md): the last bits of the
 * spectrum would then differ between processors, and from those of CUDA devices, which run the same passes. */
#include <stddef.h>

#include "base/sw_status.h"
#include "field/spectrum_point.h"

struct sw_dft {
    int     n, length, passes, radix[SW_MAX_PASSES];  /* sw_spectrum_length(n), and its passes            */
    double *table;                                    /* [sw_dft_numbers(n)]: all that follow             */
    double *cosine, *sine;                            /* [length] of 2 pi i/length                        */
    double *chirp_re, *chirp_im;                      /* [n] w_i;  these and the next NULL if length is n */
    double *filter_re, *filter_im;                    /* [length] transform of conj(w), over length       */
};

size_t sw_dft_numbers(int n);

/** @return SW_E_MEMORY; d is then to be destroyed, too */
enum sw_status sw_dft_create(int n, struct sw_dft *d);

/** The same for lines of complex numbers, all n waves of which are wanted: of sw_spectrum_length_for(n, n). */
size_t sw_dft_complex_numbers(int n);
enum sw_status sw_dft_create_complex(int n, struct sw_dft *d);
void sw_dft_destroy(struct sw_dft *d);

/** The transform of a line less its first value: |X_k|, 1 <= k <= n/2, that is, with a factor of size 1 each.
 * @param u       [n]
 * @param re, im  [2][length] room
 * @return which of re[], im[] holds it */
int sw_dft_run(const struct sw_dft *d, const double *u, double *const re[2], double *const im[2]);

/** The transform of a line: X_k, 0 <= k <= n/2; X_{n-k} = conj(X_k). Arguments as above. */
int sw_dft_real(const struct sw_dft *d, const double *u, double *const re[2], double *const im[2]);
#endif
