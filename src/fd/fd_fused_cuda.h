#ifndef FD_FUSED_CUDA_H
#define FD_FUSED_CUDA_H
/* Private to the row cuda.fused (cuda/fd/fd_fused_rtc.cuh). Three files, each of which calls only those before it:
 *     fd_fused_coefficients_cuda.c  the numbers that follow from a line
 *     fd_fused_shape_cuda.c         how a field is cut into tiles, and how many blocks work on them
 *     fd_fused_cuda.c               the kernels' texts, the kernels along one and along two axes, the row */
#include "fd/fd_fused_point.h"
#include "fd/fd_rtc_cuda.h"
#include "fd/sw_fd_impl.h"

/** Whether the matrix of a scheme has real factors, and influences decay within the segments that a kernel looks at. */
bool sw_fd_fused_fits(const struct sw_fd_line *line);

/** Whether lines are cut into segments as those along x are. The axis decides, not the stride: a line along y has the
 *  same bits in a field that is one point wide. */
static inline bool sw_fd_fused_along_x(const struct sw_fd *fd) { return fd->desc.axis == 0; }

/** Whether lines end at a wall, near (point 0) or far. A periodic line ends nowhere, and where it is cut over ranks a
 * part of it ends at other parts. */
static inline bool sw_fd_fused_near_wall(const struct sw_fd *fd)
{
    return !fd->line.periodic && !(fd->cut.comm && fd->cut.left);
}
static inline bool sw_fd_fused_far_wall(const struct sw_fd *fd)
{
    return !fd->line.periodic && !(fd->cut.comm && fd->cut.right);
}

/** How many tridiagonal factors the matrix has. */
static inline int sw_fd_fused_factors(const struct sw_fd_line *line) { return line->beta != 0 ? 2 : 1; }
/** K: the points next to a wall whose results come from the closure, not from the recursions. */
static inline int sw_fd_fused_wall_rows(const struct sw_fd_line *line)
{
    return line->half_width > 3 ? line->half_width : 3;
}

/** All members of d that follow from the line alone: not stride, all, and the segments of a tile.
 *  @param fd          only desc, line and cut are read; where lines are cut, line.n is the points of the part
 *  @param max_points  in, out: the most points of a segment; 0: chosen for n
 *  @return SW_E_SINGULAR */
enum sw_status sw_fd_fused_coefficients(const struct sw_fd *fd, int *max_points, struct sw_fd_fused *d);

/* How the kernel works on a field. No bit of the result depends on it, except on `max_points`. */
struct sw_fd_fused_shape {
    int max_points;     /* points of a segment; 0: chosen for n */
    int tile_lines;     /* lines of a tile */
    int tile_segments;  /* the most segments of a line in a tile, halo included */
    int stages;         /* tiles in shared memory */
    int blocks;         /* resident on a multiprocessor */
    int separate;       /* along x: results are collected in memory of their own, not in the tile that f was in */
    int padded;         /* along x: pad the lines of a tile where that spares bank conflicts */
};

struct sw_fd_fused_kernel {
    struct sw_fd_fused d;
    struct sw_fd_fused_shape shape;
    struct sw_kernels kernels;
    int       threads, grid;
    unsigned  tiles;
    unsigned *next_tile;  /* on the device: counts tiles given out; 0 between calls */
    int       tile_size;  /* elements of a tile */
    size_t    shared;     /* bytes */
};

/* The following read only desc, line, stride, outer and cut of fd. Where lines are cut over ranks, line.n is the points
 * of the part. */

/** The shape that was measured to be fastest (bench_fd.c), made smaller until it fits the shared memory. One is
 *  found for every line where a block may have 64 KiB; the kernel needs sm_80, where it may have 99 KiB or more.
 *  @return SW_E_ABSENT none fits; SW_E_SINGULAR */
enum sw_status sw_fd_fused_best(const struct sw_fd *fd, const struct sw_on_chip *m,
                                struct sw_fd_fused_shape *shape);

/** Set all members of own that follow from own->shape: not grid and next_tile.
 *  @return SW_E_ARG lines of this length cannot be cut so, or the blocks need more than a multiprocessor has;
 *          SW_E_SINGULAR */
enum sw_status sw_fd_fused_fit(const struct sw_fd *fd, const struct sw_on_chip *m,
                               struct sw_fd_fused_kernel *own);


/** Compile and load the kernel. own is zeroed, or was created before.
 *  @return as sw_fd_fused_fit(); SW_E_ABSENT no NVRTC; SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_fd_fused_create(const struct sw_fd *fd, const struct sw_fd_fused_shape *shape,
                                  struct sw_fd_fused_kernel *own);
void sw_fd_fused_destroy(const struct sw_fd *fd, struct sw_fd_fused_kernel *own);

/* ---- steps of these, which a kernel along two axes needs one by one */

/** As sw_fd_fused_fit(), without checking that the blocks fit a multiprocessor. */
enum sw_status sw_fd_fused_partition(const struct sw_fd *fd, struct sw_fd_fused_kernel *own);
/** Bytes of shared memory behind the ring of tiles, for blocks of this many threads. */
size_t sw_fd_fused_scratch_bytes(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, int threads);
/** Whether so many blocks fit a multiprocessor. A thread takes some 128 of its 64 Ki registers, fewer where a block
 *  must be large. @return SW_E_ARG */
enum sw_status sw_fd_fused_check_blocks(const struct sw_on_chip *m, int blocks, int threads, size_t shared);

/* ---- parts of lines that are cut over ranks (fd_cut_cuda.c), once the values beside them are known */

struct sw_fd_fused_part {
    struct sw_fd              line;    /* the part of the lines, as if it were all of them: n is cut.m          */
    struct sw_fd_fused_kernel fused;
    struct sw_kernels         beside;  /* the row's own, which find those values                                */
    int                       sides;   /* neighbours                                                            */
    long long                 lines;
};

/** All but kernels. @return SW_E_ABSENT too many lines */
enum sw_status sw_fd_fused_part_describe(const struct sw_fd *fd, struct sw_fd_fused_part *p);
/** The right-hand side times the constant of the matrix, and q of each factor. @return SW_E_SINGULAR */
enum sw_status sw_fd_fused_part_numbers(const struct sw_fd_fused_part *p, struct fd_rhs *rhs, double q[2]);
/** Compile and load the kernels. @param source, text  of the row's own; text is freed
 *  @return as sw_fd_fused_create() */
enum sw_status sw_fd_fused_part_create(struct sw_fd_fused_part *p, const struct sw_kernel_source *source,
                                       struct sw_text *text);
/** A part that is described, or zeros. */
void sw_fd_fused_part_destroy(struct sw_fd_fused_part *p);
/** Write the results of the lines of a launch. @param cut  its lines, and what is beside them; `tile` is set here */
enum sw_status sw_fd_fused_part_solve(const struct sw_fd_fused_part *p, struct sw_fd_fused_cut cut, const void *f,
                                      void *out);
/** Why the kernel does not do parts of a cut; NULL: it does. */
const char *sw_fd_fused_part_refuse(struct fd_cut *cut);

/* ---- two axes of one field (cuda/fd/fd_fused_two_rtc.cuh) */

/* Hints for the L2 cache: none; results are not read again; and f is, along the first axis, or is not, along the
 * second. */
enum sw_fd_fused_hints { SW_FD_HINTS_NONE, SW_FD_HINTS_RESULTS, SW_FD_HINTS_ALL };

struct sw_fd_fused_joined_shape {
    struct sw_fd_fused_shape first, second;  /* stages and blocks are those of the second */
    int lead;                                /* how far tiles along the first axis are ahead, in planes of f */
    enum sw_fd_fused_hints hints;
};

struct sw_fd_fused_joined_kernel {
    struct sw_device *device;
    struct sw_fd_fused_joined_shape shape;
    struct sw_fd_fused_joined d;
    struct sw_kernels kernels;
    int       threads, grid;
    unsigned *next_tile;  /* on the device: 0 between calls */
    size_t    shared;     /* bytes */
};

/** The shape to take. @return SW_E_ABSENT there is none: one axis after the other is faster; SW_E_SINGULAR */
enum sw_status sw_fd_fused_joined_best(const struct sw_fd *first, const struct sw_fd *second,
                                       const struct sw_on_chip *m, struct sw_fd_fused_joined_shape *shape);
/** As sw_fd_fused_create(). */
enum sw_status sw_fd_fused_joined_create(const struct sw_fd *first, const struct sw_fd *second,
                                         const struct sw_fd_fused_joined_shape *shape,
                                         struct sw_fd_fused_joined_kernel *own);
#endif
