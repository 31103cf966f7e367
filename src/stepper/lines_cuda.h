#ifndef LINES_CUDA_H
#define LINES_CUDA_H
/* A batch of lines on a CUDA device: all that a stepper there needs besides the steps themselves. Its coefficients, the kernels that
 * hold the model's expressions, where the field comes from and goes to, captures.
 *
 * All work is queued on the device's stream `compute`. A capture is laid out line by line in a buffer of the device and goes from
 * there to the host on the stream `copy`, while the next steps are computed; the next capture waits until the buffer is free again. */
#include <cuda_runtime.h>

#include "stepper/batch_point.h"
#include "stepper/line_kernels.h"
#include "stepper/sw_stepper_impl.h"
#include "sw_cuda.h"

struct sw_lines_slot {         /* a capture on the host                                             */
    void        *field;        /* [capacity][n] float or double, pinned; made when first used       */
    double      *scalars;      /* [capacity][SW_LINE_SCALARS], pinned                               */
    int          what;         /* of the last capture                                               */
    cudaEvent_t  done;         /* its copies                                                        */
};

struct sw_lines {
    struct sw_module       *module;
    void                   *kernel[SW_LINE_KERNELS];
    struct sw_program_size  kept;
    struct sw_line_batch    batch;       /* its arrays run, step, cell: the stepper's, freed here   */
    struct sw_cuda_spectrum spectrum;
    double *coefficient, *param;
    int    *fault;
    double *u;                           /* the field; lent by the stepper                          */
    double *staging;                     /* n*capacity numbers, for captures; lent by the stepper   */
    double *scalars;                     /* [capacity][SW_LINE_SCALARS] of a capture                */
    struct sw_lines_slot slot[SW_SLOTS];
    int         last;                    /* the slot whose copies may still be using staging and scalars, -1 */
    cudaEvent_t taken;                   /* a capture is in the device's buffers                    */
    double     *host;                    /* coefficients, to be uploaded                            */
    int        *bad;                     /* [capacity] on the host                                  */
};

enum { SW_LINE_ROWS = 16 };  /* points a thread of a stencil kernel goes along */

/** Kernels, arrays (all but run, step and cell of the batch) and events. On failure what was made stays, for destroy.
 *  @param line_by_line  how the field lies: stepper/batch_point.h */
enum sw_status sw_lines_create(struct sw_stepper *s, struct sw_lines *lines, bool line_by_line);
void sw_lines_destroy(struct sw_stepper *s, struct sw_lines *lines);
void sw_lines_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run);

/** Wait for captures, upload the runs, mark those with a fault, compute what is kept a run. */
enum sw_status sw_lines_load(struct sw_stepper *s, struct sw_lines *lines, const char *const *fault);
/** Mark more faults. */
enum sw_status sw_lines_faults(struct sw_stepper *s, struct sw_lines *lines, const char *const *fault);

enum sw_status sw_lines_initial(struct sw_stepper *s, struct sw_lines *lines);
/** @param scratch  n*capacity numbers on the device; may be the field itself where it lies line by line */
enum sw_status sw_lines_set_state(struct sw_stepper *s, struct sw_lines *lines, double *scratch, const double *u);
enum sw_status sw_lines_get_state(struct sw_stepper *s, struct sw_lines *lines, double *scratch, double *u);

/** Mark, with a step or SW_LINE_NOT_FINITE, the runs whose field is not finite. */
enum sw_status sw_lines_check(struct sw_stepper *s, struct sw_lines *lines, long long mark);
enum sw_status sw_lines_diverged(struct sw_stepper *s, struct sw_lines *lines, int64_t *step);

enum sw_status sw_lines_capture(struct sw_stepper *s, struct sw_lines *lines, int slot, int what);
enum sw_status sw_lines_fetch(struct sw_stepper *s, const struct sw_lines *lines, int slot, const void **field,
                              const double **scalars);
/** Let what is queued from now on wait until `staging` is free. */
enum sw_status sw_lines_wait_staging(struct sw_stepper *s, struct sw_lines *lines);

/** Launch a kernel with a thread a run; or with a thread a run and `rows` points. */
enum sw_status sw_lines_launch_runs(struct sw_stepper *s, struct sw_lines *lines, enum sw_line_kernel kernel, void **args);
enum sw_status sw_lines_launch_points(struct sw_stepper *s, struct sw_lines *lines, enum sw_line_kernel kernel, int rows,
                                      void **args);
#endif
