#ifndef SW_CUDA_H
#define SW_CUDA_H
/* The C side of cuda/: all src/ ever sees of it. No CUDA types, so plain C compiles it.
 *
 * Every pointer is device memory. Every call queues work on the stream and returns; nothing to do (an empty batch) is legal.
 * Interleaved: entry i of system or run j of a vector is v[i*ld + j]. Failures are SW_E_CUDA. */
#include <stddef.h>
#include <stdint.h>

#include "base/sw_err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *sw_cuda_stream;  /* a cudaStream_t */

/* ---- banded systems (band_thomas.cu), interleaved, of `vector` = n*ld entries a vector */

struct sw_cuda_thomas {        /* solver/thomas_point.h for a batch                                        */
    int     n, p, batch, ld;
    double *factor;            /* [5] vectors: inverse, a, b, gamma, delta                                 */
    double *w;                 /* [2] vectors; NULL when not periodic                                      */
    double *closure;           /* [10][ld]: struct sw_navon, inverse then k; NULL when not periodic        */
    int    *bad;               /* [batch]: 1 + the row of a bad pivot; its solutions are NaN               */
};

/** Factor, one thread a system.
 * @param diagonal  diagonals -2 .. 2 of A, a vector each; NULL: zeros. */
enum sw_status sw_cuda_thomas_factor(sw_cuda_stream stream, const struct sw_cuda_thomas *t, const double *const diagonal[5]);

/** Solve in place, one thread a system. */
enum sw_status sw_cuda_thomas_solve(sw_cuda_stream stream, const struct sw_cuda_thomas *t, double *x);

#ifdef __cplusplus
}
#endif
#endif
