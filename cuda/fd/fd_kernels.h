#ifndef CUDA_FD_KERNELS_H
#define CUDA_FD_KERNELS_H
/* Launchers around the library's tridiagonal solvers, for compact finite differences (fd_gtsv.cu;
 * fd/libraries/fd_gtsv_point.h). cuda/sw_cuda.h says what holds for all. */
#include <stdbool.h>

#include "cuda/sw_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fd_gtsv;
/** r := right-hand sides of f, laid out as the systems are. */
enum sw_status sw_cuda_gtsv_rhs(sw_cuda_stream stream, const struct fd_gtsv *g, const double *f, double *r);
/** out := the solutions y, closed where the lines are circles, laid out as f is; y == out where that is the same. */
enum sw_status sw_cuda_gtsv_finish(sw_cuda_stream stream, const struct fd_gtsv *g, const double *y, double *out);
/** matrix [3] vectors of n*batch := the diagonals of `batch` systems. */
enum sw_status sw_cuda_gtsv_matrix(sw_cuda_stream stream, const struct fd_gtsv *g, int batch, bool interleaved,
                                   double *matrix);

#ifdef __cplusplus
}
#endif
#endif
