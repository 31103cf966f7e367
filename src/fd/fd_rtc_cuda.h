#ifndef FD_RTC_CUDA_H
#define FD_RTC_CUDA_H
/* Private to the rows of compact differences whose kernel is compiled at run time: the kernel, whose text begins with
 * the constants that shape it; and the arguments by which kernels know a line. */
#include "base/sw_text.h"
#include "fd/fd_rhs_point.h"
#include "fd/sw_fd_impl.h"

struct fd_kernel {
    struct sw_module *module;
    void             *kernel;
};

/** The right-hand side of a line. @param by  factor of all weights, applied before they are rounded */
void fd_rhs_make(const struct sw_fd_line *line, long double by, struct fd_rhs *rhs);

void fd_lines_of(const struct sw_fd *fd, struct fd_lines *lines);

/** Whether the number of lines fits the indices of kernels: at most 2^31 - 1. */
bool fd_lines_fit(const struct sw_fd_desc *desc, const struct sw_fd_line *line);

/** The distance in shared memory of a block's lines of `room` numbers each. Across: numbers of 2, 4, .. 16 lines are
 *  moved together, 16 at a time, and the distance puts them into different banks. */
int fd_pitch(int room, int lines, bool across);

/* The parts of a kernel's text, in order: base/sw_hd.h, headers, the constants that shape it, the code. */
enum { FD_FILES = 4 };
struct fd_source { const char *before[FD_FILES], *after[FD_FILES], *kernel; };

/** Compile and load a kernel. @param shape  its constants; freed here */
enum sw_status fd_kernel_create(struct sw_device *device, const struct fd_source *source, struct sw_text *shape,
                                struct fd_kernel *kernel);
void fd_kernel_destroy(struct sw_device *device, struct fd_kernel *kernel);

/** Compile a kernel for an architecture, and discard it. @param shape  freed here */
enum sw_status fd_kernel_try_compile(const struct fd_source *source, struct sw_text *shape, int sm);
#endif
