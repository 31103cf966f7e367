#ifndef FD_RTC_CUDA_H
#define FD_RTC_CUDA_H
/* Rows of compact differences whose kernel is compiled at run time: one kernel, shaped by #defines; and what such
 * kernels are told of a line. */
#include "base/sw_text.h"
#include "fd/fd_rhs_point.h"
#include "fd/sw_fd_impl.h"

struct fd_kernel {
    struct sw_module *module;
    void             *kernel;
};

/** @param by  all weights are multiplied with this, before they are rounded */
void fd_rhs_make(const struct sw_fd_line *line, long double by, struct fd_rhs *rhs);

void fd_lines_of(const struct sw_fd *fd, struct fd_lines *lines);

/** Whether indices of lines fit kernels: fewer than 2^31 of them. */
bool fd_lines_fit(const struct sw_fd_desc *desc, const struct sw_fd_line *line);

/** How far apart the lines of a block are to lie in shared memory, if each takes `room` numbers. Across: those of 2,
 *  4, .. 16 lines are moved at once, 16 at a time, and are to lie in different banks. */
int fd_pitch(int room, int lines, bool across);

/* What a kernel's text is made of: base/sw_hd.h, headers, #defines or enums that shape it, the rest. */
enum { FD_FILES = 4 };
struct fd_source { const char *before[FD_FILES], *after[FD_FILES], *kernel; };

/** Compile the text and find its kernel. @param shape  freed */
enum sw_status fd_kernel_make(struct sw_device *device, const struct fd_source *source, struct sw_text *shape,
                              struct fd_kernel *kernel);
void fd_kernel_free(struct sw_device *device, struct fd_kernel *kernel);

/** Only compile, for an architecture. */
enum sw_status fd_kernel_try(const struct fd_source *source, struct sw_text *shape, int sm);
#endif
