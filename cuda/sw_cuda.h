#ifndef SW_CUDA_H
#define SW_CUDA_H
/* What all headers of launchers share (cuda/band/band_kernels.h, cuda/elliptic/elliptic_kernels.h, ...). They are the C
 * side of cuda/, each beside its kernels: no CUDA types, so plain C compiles them. src/ sees of cuda/ only these, and
 * the texts that are compiled at run time.
 *
 * Every pointer is device memory. Every call queues work on the stream and returns; nothing to do (an empty batch) is
 * legal. Interleaved: entry i of system or run j of a vector is v[i*ld + j]. Failures are SW_E_CUDA. */
#include "base/sw_status.h"

typedef void *sw_cuda_stream;  /* a cudaStream_t */

#endif
