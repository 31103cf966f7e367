#ifndef FD_RTC_CUDA_H
#define FD_RTC_CUDA_H
/* Private to the rows of compact differences whose kernel is compiled at run time: the arguments by which kernels know
 * a line. */
#include "device/sw_kernels.h"
#include "fd/fd_rhs_point.h"
#include "fd/sw_fd_impl.h"

#define FD_LABEL "the GPU code of compact differences"

/** The right-hand side of a line. @param by  factor of all weights, applied before they are rounded */
void fd_rhs_make(const struct sw_fd_line *line, long double by, struct fd_rhs *rhs);

void fd_lines_of(const struct sw_fd *fd, struct fd_lines *lines);

/** Whether the number of lines fits the indices of kernels: at most 2^31 - 1. */
bool fd_lines_fit(const struct sw_fd_desc *desc, const struct sw_fd_line *line);

/** The distance in shared memory of a block's lines of `room` numbers each. Across: numbers of 2, 4, .. 16 lines are
 *  moved together, 16 at a time, and the distance puts them into different banks. */
int fd_pitch(int room, int lines, bool across);
#endif
