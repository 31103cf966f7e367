#ifndef FUSED_CUDA_H
#define FUSED_CUDA_H
/* The row cuda.fused (cuda/fd_fused_rtc.cuh): its numbers, its shape and its kernel. */
#include "fd/fd_fused_point.h"
#include "fd/sw_fd.h"

struct sw_fd;

/** Whether the recursions of a scheme are real and forget fast enough. */
bool sw_fd_fused_fits(const struct sw_fd_line *line);

/** All numbers that follow from a line; not stride, all, nor which segments a tile has.
 *  @param most  in, out: points of a segment at most; 0: what suits n
 *  @return SW_E_SINGULAR */
enum sw_status sw_fd_fused_line(const struct sw_fd_line *line, bool along_x, int *most, struct sw_fd_fused *d);

/* How the kernel works on a field. No bit depends on it, but for `most`. */
struct sw_fd_fused_shape {
    int most;      /* points of a segment; 0: what suits n       */
    int side;      /* lines of a tile                            */
    int held;      /* segments of each line that a tile has, at most */
    int stages;    /* tiles in shared memory                     */
    int blocks;    /* on a multiprocessor                        */
    int team;      /* blocks of a cluster that share a tile's lines; 0 is 1 */
};

struct sw_fd_fused_kernel {
    struct sw_fd_fused d;
    struct sw_fd_fused_shape shape;
    struct sw_module *module;
    void     *kernel;
    int       threads, grid;
    unsigned  tiles;
    unsigned *next;      /* on the device: 0 between calls */
    int       room;      /* words of a tile          */
    size_t    shared;    /* bytes                    */
};

/** What was measured best (tests/bench_fd.c), as far as the device has room for it.
 *  @return SW_E_ABSENT it has none; SW_E_SINGULAR; SW_E_CUDA */
enum sw_status sw_fd_fused_best(const struct sw_fd *fd, struct sw_fd_fused_shape *shape);

/** Compile and load. own is zeroed, or was made before.
 *  @return SW_E_ARG lines of this length cannot be cut so, or blocks would have more than a multiprocessor;
 *          SW_E_SINGULAR; SW_E_ABSENT no NVRTC; SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_fd_fused_make(const struct sw_fd *fd, const struct sw_fd_fused_shape *shape,
                                struct sw_fd_fused_kernel *own);
void sw_fd_fused_unmake(const struct sw_fd *fd, struct sw_fd_fused_kernel *own);
#endif
