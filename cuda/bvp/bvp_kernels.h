#ifndef CUDA_BVP_KERNELS_H
#define CUDA_BVP_KERNELS_H
/* Launchers of the kernels of the general boundary value problem (bvp_general.cu, bvp_pairs.cu). cuda/sw_cuda.h says
 * what holds for all. */
#include "cuda/sw_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sw_bvp_system;
struct sw_tri_outcome;
/** What bvp_general_solve_one() does, one thread a system (src/problem/bvp/bvp_general.h,
 * src/problem/bvp/refinement_point.h).
 * @param tri      [count] with pointers to device memory; n = 0: nothing to solve
 * @param u, work  [n][stride]: entry k of system j at k*stride + j */
enum sw_status sw_cuda_tri_solve_refined(sw_cuda_stream stream, int count, const struct sw_bvp_system *tri, double *u,
                                         double *work, struct sw_tri_outcome *outcome);

struct sw_bvp_pairs;
/* Around the solves of pairs (bvp_pairs.cu): what struct bvp_pairs_work asks for (src/problem/bvp/bvp_pairs.h). */
enum sw_status sw_cuda_pairs_make(sw_cuda_stream stream, const struct sw_bvp_pairs *p, int first, int count);
enum sw_status sw_cuda_pairs_fill(sw_cuda_stream stream, const struct sw_bvp_pairs *p, int count);
enum sw_status sw_cuda_pairs_measure(sw_cuda_stream stream, const struct sw_bvp_pairs *p, int count);

#ifdef __cplusplus
}
#endif
#endif
