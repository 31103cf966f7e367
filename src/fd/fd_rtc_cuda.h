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
#endif
