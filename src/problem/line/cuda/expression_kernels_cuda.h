#ifndef EXPRESSION_KERNELS_CUDA_H
#define EXPRESSION_KERNELS_CUDA_H
/* The text of the kernels that hold the expressions of a model: G, N with the user's forcing, and the energy; and their
 * compilation for a device (cuda/line/line_rtc.cuh; device/sw_kernels.h). */
#include "device/sw_kernels.h"
#include "problem/line/stepper/imex.h"

enum sw_line_kernel {
    SW_RUN_K, SW_CELL_K, SW_STEP_K, SW_STAGE_K, SW_ENDS_K, SW_CHECK_K, SW_INITIAL_K, SW_ENERGY_K
};

/** Recursions of a line of the general kernel: of each unknown one, or two where A may be without symmetry. */
static inline int sw_line_systems(const struct sw_line_model *m)
{
    return sw_line_unknowns(m) * (m->orders & (1U << 1 | 1U << 3) ? 2 : 1);
}

/** sw_imex_error_waits() of the general kernel: where P is not 1 it sums the error from stage 0 on, as it does not keep
 * P u^n. */
static inline bool sw_fused_error_waits(const struct sw_line_model *model, const struct sw_imex_stages *m)
{
    return !sw_line_any_mass(model) && sw_imex_error_waits(m);
}

/** Values that G and N of all unknowns keep at each rate, for struct sw_line_batch. */
struct sw_program_size sw_line_kept(const struct sw_line_model *model);

/** Compile the kernels of line_rtc.cuh for a model, or take them from the cache. They load the parameters of runs: no
 * source contains them.
 * @param line_by_line  how the field lies (batch_point.h)
 * @param kernels       out: SW_RUN_K, ..; sw_kernels_destroy()
 * @return as sw_kernels_create() */
enum sw_status sw_line_kernels_create(struct sw_device *device, const struct sw_line_model *model, bool line_by_line,
                                      struct sw_kernels *kernels);

/* How cuda.fused and cuda.stream lay a line out over lanes (cuda/line/line_lane_rtc.cuh);
 * fused_kernels_cuda.h chooses. */
struct sw_fused_shape {
    int lanes;          /* a line: 4, 8, 16, 32; or 32 for each of several warps              */
    int cluster;        /* thread blocks a line: 1, or a cluster of them with equal parts       */
    bool stream;        /* for cuda.stream, whose blocks are not together                       */
    int warps, blocks;  /* warps a block; blocks a multiprocessor that the registers are cut for */
    int at_step, at_cell, room;  /* shared memory of a line, in doubles                        */
    int response;       /* and, behind all lines' rooms, for the response of each              */
    int spilled;        /* a lane: values between two sweeps kept in shared memory             */
    int at_warps;       /* of a block, in doubles: where what several warps of a line need begins */
    int per_line;       /* whether coefficients differ from line to line                       */
    int single;         /* precision of the steps                                              */
    int cells_shared;   /* whether the values kept a cell lie there                            */
    int at_ends;        /* of those that end: where what closes a line begins, likewise        */
    int general;        /* 1: for any line model (cuda/line/line_imex_rtc.cuh), lanes <= 32         */
    int kept;           /* of those: numbers of later right-hand sides there, a lane           */
    int own_steps;      /* of those: 1: each line takes steps of its own (cuda/line/line_own_steps_rtc.cuh) */
    int at_own;         /* and where what is known of them begins in the room of a line        */
    int paced;          /* whether lines have paces (cuda/line/line_paces_rtc.cuh)             */
};

/* Kernels of a row: fused_k; stream_k and stream_join_k; or these. */
enum { SW_OWN_STEPS_K, SW_OWN_BEGIN_K, SW_OWN_QUEUE_K, SW_OWN_NOISE_K };

/** Compile them for lines of n points, as sw_line_kernels_create() does. They load coefficients and parameters. */
enum sw_status sw_fused_compile(struct sw_device *device, const struct sw_line_model *model, int n,
                                const struct sw_fused_shape *shape, struct sw_kernels *kernels);
#endif
