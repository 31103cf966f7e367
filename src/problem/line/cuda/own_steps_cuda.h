#ifndef OWN_STEPS_CUDA_H
#define OWN_STEPS_CUDA_H
/* Steps of a run's own on a CUDA device (cuda/line/line_own_steps_rtc.cuh): what its kernels need of the runs, and
 * their launches. All work is queued on the device's stream `compute`. */
#include "problem/line/cuda/batch_cuda.h"
#include "problem/line/cuda/fused_kernels_cuda.h"
#include "problem/line/cuda/own_batch_point.h"

struct sw_cuda_own {
    struct sw_own_batch view;
    double *times, *numbers;     /* [goals + 1]; [capacity][]: limits, then first dt and drive of all runs */
    double *host;                /* numbers, to be uploaded                                  */
    bool    begun;               /* all runs have a first dt                                 */
};

/** Allocates the arrays. On failure what was made stays, for destroy. */
enum sw_status sw_cuda_own_create(struct sw_stepper *s, struct sw_cuda_own *own);
void sw_cuda_own_destroy(struct sw_stepper *s, struct sw_cuda_own *own);
/** Bytes of device memory: all that do not depend on runs, and a run. */
void sw_cuda_own_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run);

/** Upload what the runs in the stepper ask for; none of them has begun. */
enum sw_status sw_cuda_own_load(struct sw_stepper *s, struct sw_cuda_own *own);

/** The state is another one: no run has begun. */
enum sw_status sw_cuda_own_restart(struct sw_stepper *s, struct sw_cuda_own *own);

/** Take steps to tick `to`. */
enum sw_status sw_cuda_own_advance(struct sw_stepper *s, struct sw_cuda_own *own, struct sw_cuda_batch *batch,
                                   const struct sw_fused_kernels *kernels, int64_t from, int64_t to);

/** Before scalars are measured: what rounding does to a field, from the steps of each run, into the batch's view. */
enum sw_status sw_cuda_own_set_noise(struct sw_stepper *s, struct sw_cuda_own *own, struct sw_cuda_batch *batch,
                                     const struct sw_fused_kernels *kernels);

/** What the steps of all runs depend on and have been, a struct sw_own_steps each; both wait. */
enum sw_status sw_cuda_own_get(struct sw_stepper *s, const struct sw_cuda_own *own, double *record);
enum sw_status sw_cuda_own_set(struct sw_stepper *s, struct sw_cuda_own *own, const double *record);
#endif
