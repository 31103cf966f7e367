#ifndef FUSED_CUDA_H
#define FUSED_CUDA_H
/* Set-up of the row cuda.fused (cuda/fd_fused.cuh). */
#include "fd/sw_fd.h"
#include "sw_cuda.h"

/** Whether the recursions of a scheme are real and forget fast enough. */
bool sw_fd_fused_fits(const struct sw_fd_line *line);

/** All numbers that follow from a line; not stride, all, single, nor which segments a block has.
 *  @return SW_E_SINGULAR */
enum sw_status sw_fd_fused_line(const struct sw_fd_line *line, struct sw_cuda_fd *d);

/** Blocks of `lines` lines and at most `held` segments of each; after sw_fd_fused_line().
 *  @return false: lines of this length cannot be cut that short */
bool sw_fd_fused_cut(struct sw_cuda_fd *d, int lines, int held);

/** The same with the numbers that were measured best; after stride and all are set. */
void sw_fd_fused_shape(struct sw_cuda_fd *d);
#endif
