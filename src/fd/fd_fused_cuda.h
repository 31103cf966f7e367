#ifndef FD_FUSED_CUDA_H
#define FD_FUSED_CUDA_H
/* The row cuda.fused (cuda/fd_fused_rtc.cuh): its numbers, its shape and its kernel. */
#include "fd/fd_fused_point.h"
#include "fd/fd_rtc_cuda.h"
#include "fd/sw_fd_impl.h"

/** Whether the recursions of a scheme are real and forget fast enough. */
bool sw_fd_fused_fits(const struct sw_fd_line *line);

/** Whether lines are cut as those along x are: what their axis is, not their stride, for one along y has the same bits
 *  alone, in a field one point wide. */
static inline bool sw_fd_fused_along_x(const struct sw_fd *fd) { return fd->desc.axis == 0; }

/** Tridiagonal factors of the matrix. */
static inline int sw_fd_fused_factors(const struct sw_fd_line *line) { return line->beta != 0 ? 2 : 1; }
/** Points next to a wall that do not follow from the recursions: K. */
static inline int sw_fd_fused_wall_rows(const struct sw_fd_line *line)
{
    return line->half_width > 3 ? line->half_width : 3;
}

/** All numbers that follow from a line; not stride, all, nor which segments a tile has.
 *  @param max_points  in, out: points of a segment at most; 0: what suits n
 *  @return SW_E_SINGULAR */
enum sw_status sw_fd_fused_coefficients(const struct sw_fd_line *line, bool along_x, int *max_points,
                                        struct sw_fd_fused *d);

/* How the kernel works on a field. No bit depends on it, but for `max_points`. */
struct sw_fd_fused_shape {
    int max_points;     /* points of a segment; 0: what suits n */
    int tile_lines;     /* lines of a tile */
    int tile_segments;  /* segments of each line that a tile has, at most */
    int stages;         /* tiles in shared memory */
    int blocks;         /* on a multiprocessor */
    int separate;       /* along x: results are put together beside the tiles, not in their tile */
    int padded;         /* along x: lines of a tile have gaps between them, if that spares banks of shared memory */
};

struct sw_fd_fused_kernel {
    struct sw_fd_fused d;
    struct sw_fd_fused_shape shape;
    struct fd_kernel kernel;
    int       threads, grid;
    unsigned  tiles;
    unsigned *next_tile;  /* on the device: 0 between calls */
    int       tile_size;  /* words of a tile */
    size_t    shared;     /* bytes */
};

/* Bytes of shared memory: of a multiprocessor, what the driver takes of it for each block, what a block may have; and
 * of the cache that all multiprocessors share. */
struct sw_fd_fused_memory { int per_multiprocessor, reserved_per_block, per_block, l2_cache; };
extern const struct sw_fd_fused_memory sw_fd_fused_memory_sm_80;  /* sm_90 has more, sm_86 and sm_89 less */
enum sw_status sw_fd_fused_memory_of(const struct sw_device *device, struct sw_fd_fused_memory *m);

/* Of fd these look at desc, line, stride and outer only. */

/** What was measured best (tests/bench_fd.c), as far as there is room for it; there is for every line that fits where a
 *  block may have 64 KiB, and the kernel wants sm_80, where it may have 99 or more.
 *  @return SW_E_ABSENT less than that; SW_E_SINGULAR */
enum sw_status sw_fd_fused_best(const struct sw_fd *fd, const struct sw_fd_fused_memory *m,
                                struct sw_fd_fused_shape *shape);

/** The numbers and sizes of own->shape; not grid and next.
 *  @return SW_E_ARG lines of this length cannot be cut so, or blocks would have more than a multiprocessor;
 *          SW_E_SINGULAR */
enum sw_status sw_fd_fused_fit(const struct sw_fd *fd, const struct sw_fd_fused_memory *m,
                               struct sw_fd_fused_kernel *own);

/** Only compile the best, for an architecture. @return SW_E_ABSENT no NVRTC; SW_E_CUDA */
enum sw_status sw_fd_fused_try_compile(const struct sw_fd *fd, int sm);

/** Compile and load. own is zeroed, or was made before.
 *  @return as sw_fd_fused_fit(); SW_E_ABSENT no NVRTC; SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_fd_fused_create(const struct sw_fd *fd, const struct sw_fd_fused_shape *shape,
                                  struct sw_fd_fused_kernel *own);
void sw_fd_fused_destroy(const struct sw_fd *fd, struct sw_fd_fused_kernel *own);

/* ---- parts of these, for a kernel along two axes */

/** Numbers, threads, tiles and tile_size of own->shape. @return as sw_fd_fused_fit(); not whether it fits the
 * multiprocessor */
enum sw_status sw_fd_fused_partition(const struct sw_fd *fd, struct sw_fd_fused_kernel *own);
/** Bytes of shared memory behind the ring, for blocks of so many threads. */
size_t sw_fd_fused_scratch_bytes(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, int threads);
/** Of the 64 Ki registers of a multiprocessor a thread cannot do with much fewer than 128, unless a block must be
 *  large. */
bool sw_fd_fused_has_room(const struct sw_fd_fused_memory *m, int blocks, int threads, size_t shared);
/** SW_E_ARG with its message. */
enum sw_status sw_fd_fused_too_much(int blocks, int threads, size_t shared);

/* ---- two axes of one field (cuda/fd_fused_two_rtc.cuh) */

/* What the cache of the device is told: nothing; that results are not read again; of f, too, when that is so. */
enum sw_fd_fused_hints { SW_FD_HINTS_NONE, SW_FD_HINTS_RESULTS, SW_FD_HINTS_ALL };

struct sw_fd_fused_joined_shape {
    struct sw_fd_fused_shape first, second;  /* stages and blocks are those of the second */
    int lead;                                /* points of f that tiles along the first axis are ahead, in planes */
    enum sw_fd_fused_hints hints;
};

struct sw_fd_joined {                        /* of sw_fd_impl.h */
    struct sw_device *device;
    struct sw_fd_fused_joined_shape shape;
    struct sw_fd_fused_joined d;
    struct fd_kernel kernel;
    int       threads, grid;
    unsigned *next_tile;  /* on the device: 0 between calls */
    size_t    shared;     /* bytes */
};

/** What seems best. @return SW_E_ABSENT nothing is: one axis after the other; SW_E_SINGULAR */
enum sw_status sw_fd_fused_joined_best(const struct sw_fd *first, const struct sw_fd *second,
                                       const struct sw_fd_fused_memory *m, struct sw_fd_fused_joined_shape *shape);
/** As sw_fd_fused_create(). */
enum sw_status sw_fd_fused_joined_create(const struct sw_fd *first, const struct sw_fd *second,
                                         const struct sw_fd_fused_joined_shape *shape, struct sw_fd_joined *own);
/** As sw_fd_fused_try_compile(): @return SW_E_ABSENT there is no best, too */
enum sw_status sw_fd_fused_joined_try_compile(const struct sw_fd *first, const struct sw_fd *second, int sm);
#endif
