#ifndef FIELDS_TEXT_H
#define FIELDS_TEXT_H
/* The text of the kernels that step fields, made of the equation, and its compilation for a device
 * (cuda/fields/fields_rtc.cuh; device/sw_kernels.h). */
#include "device/sw_kernels.h"
#include "problem/fields/fields_sim.h"

/* How a row cuts fields. */
struct fields_shape {
    int    segment[SW_DIMS];        /* points of a line that a thread has                       */
    int    rows, columns[SW_DIMS];  /* lines along x of a block; those along y and z            */
    int    blocks[SW_DIMS];         /* that lines along y and z are cut over, a cluster; 0, 1: none; where fields of a
                                     * run are kept, those along y are all of its blocks */
    int    threads[SW_DIMS];        /* of blocks with lines along x, y, z                       */
    size_t shared[SW_DIMS];         /* their bytes of shared memory                             */
    int    kept;                    /* fields of a run that lie there, of a block a run; else 0 */
    int    together;                /* of those: blocks that share the registers of a multiprocessor */
    int    whole;                   /* of those: threads have segments of columns in registers  */
    bool   waves;                   /* Fourier transforms solve, not lines                      */
    int    fetched;                 /* u is copied into shared memory while the last axis is solved */
    int    elsewhere;               /* coefficients that vary and take in more than the only unknown at the point, or
                                     * time: steps do not know them behind themselves           */
};

/** The shape for fields through memory, on a device of compute capability sm/10.
 * @return false: lines are too long for it */
bool fields_shape_stream(const struct fields_desc *desc, int sm, struct fields_shape *shape);

/** The same with solves by Fourier transforms. @return false: an odd number of points along x, too */
bool fields_shape_waves(const struct fields_desc *desc, int sm, struct fields_shape *shape);

/** The shape for fields that a block has in shared memory or, in two dimensions without walls, a cluster of 2, 4, 8 or
 * 16 of them; likewise. @return false: they are too large */
bool fields_shape_fused(const struct fields_desc *desc, int sm, struct fields_shape *shape);

/** Fields of a run that steps need: u, an increment for each stage, what a stage begins with. */
int fields_kept(const struct fields_desc *desc);

/** Numbers that a program keeps of a run and of a time, at most. */
size_t fields_numbers_kept(const struct fields_desc *desc);

/** Numbers of what is eliminated of the lines of an unknown that end at walls (fields_point.h). */
size_t fields_eliminated_of(const struct fields_desc *desc, const struct fields_shape *shape);

/* Of struct sw_kernels; the last one is fused_k where shape.kept is not 0, divide_k where shape.waves. */
enum fields_kernel {
    FIELDS_PACE_K, FIELDS_MOST_K, FIELDS_SYSTEM_K, FIELDS_ROWS_K, FIELDS_COLUMNS_K, FIELDS_TIME_K, FIELDS_JUDGE_K,
    FIELDS_FIRST_K, FIELDS_INITIAL_K, FIELDS_BEGIN_K, FIELDS_SETTLE_K, FIELDS_COPY_K, FIELDS_ENERGY_K, FIELDS_LOOK_K,
    FIELDS_WALLS_K, FIELDS_FUSED_K, FIELDS_DIVIDE_K = FIELDS_FUSED_K
};
enum { FIELDS_TILE = 4096, FIELDS_THREADS = 256 };  /* points and threads of a block of most kernels */

/** Compile the kernels for a device, or take them from the cache.
 * @param kernels  out: sw_kernels_destroy()  @return as sw_kernels_create() */
enum sw_status fields_kernels_create(struct sw_device *device, const struct fields_desc *desc,
                                     const struct fields_shape *shape, struct sw_kernels *kernels);
#endif
