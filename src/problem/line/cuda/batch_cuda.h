#ifndef BATCH_CUDA_H
#define BATCH_CUDA_H
/* A batch of lines on a CUDA device: all that a stepper there needs besides the steps themselves. Its coefficients, the
 * kernels that hold the model's expressions, where the field comes from and goes to, its scalars, its snapshots. A
 * stepper's own data begin with a struct sw_cuda_batch, and it fills the operations below into its row.
 *
 * All work is queued on the device's stream `compute`; device/sw_snapshot.h says how snapshots leave. */
#include "cuda/line/line_kernels.h"
#include "problem/line/stepper/sw_stepper_impl.h"
#include "device/sw_snapshot.h"
#include "problem/line/cuda/batch_point.h"
#include "problem/line/cuda/expression_kernels_cuda.h"

struct sw_cuda_batch {
    struct sw_kernels       kernels;
    struct sw_program_size  kept;
    struct sw_line_batch    view;        /* its arrays run, step, cell: the stepper's               */
    struct sw_cuda_spectrum spectrum;
    struct sw_snapshots    *snapshots;
    double *coefficient, *param;
    struct sw_line_operator *a, *host_a; /* [unknowns][count]; on the device, on the host           */
    int    *load_error;
    double *u;                           /* the field; lent by the stepper                          */
    double *staging;                     /* [capacity][unknowns][n], where snapshots are formed; lent by it, see
                                            sw_cuda_batch_lend_staging()                                 */
    double *measured;                    /* [capacity][SW_LINE_SCALARS], all but the domain length, where a
                                            stepper knows them at a snapshot; lent by it. NULL: snapshots measure */
    double *host;                        /* coefficients, to be uploaded                            */
    double *noise;                       /* [capacity] of desc.paces: what is view.noise at a snapshot, likewise */
    int    *bad;                         /* [capacity] on the host                                  */
};

enum { SW_LINE_ROWS = 16 };  /* points a thread of a stencil kernel goes along */

/** Kernels, arrays (all but run, step and cell of the batch) and events. On failure what was made stays, for destroy.
 *  @param line_by_line  how the field lies: problem/line/cuda/batch_point.h */
enum sw_status sw_cuda_batch_create(struct sw_stepper *s, bool line_by_line);
/** Give the lines a vector of sw_stepper_vector() numbers, before their first snapshot or state. */
void sw_cuda_batch_lend_staging(struct sw_cuda_batch *batch, double *staging);
/** Waits for what is queued. */
void sw_cuda_batch_destroy(struct sw_stepper *s);
void sw_cuda_batch_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run);

/** Wait for snapshots, upload the runs, mark those with a load_error, compute what is kept a run. */
enum sw_status sw_cuda_batch_load(struct sw_stepper *s, const char *const *load_error);
/** Mark more faults. */
enum sw_status sw_cuda_batch_mark_faulty(struct sw_stepper *s, const char *const *load_error);
/** view.noise, to be written where runs take steps of their own: then with its growth over their steps. */
double *sw_cuda_batch_noise(const struct sw_cuda_batch *batch);
/** Mark, with a step or SW_LINE_NOT_FINITE, the runs whose field is not finite. */
enum sw_status sw_cuda_batch_mark_not_finite(struct sw_stepper *s, long long mark);

/* struct sw_stepper_ops.sim, without records; and its operations, for a row that does more in some */
extern const struct sw_sim_ops sw_cuda_batch_operations;
enum sw_status sw_cuda_batch_initial(struct sw_sim *sim);
enum sw_status sw_cuda_batch_set_state(struct sw_sim *sim, const double *u);
enum sw_status sw_cuda_batch_get_state(struct sw_sim *sim, double *u);
enum sw_status sw_cuda_batch_get_states(struct sw_sim *sim, int count, const int *which, double *u);
bool           sw_cuda_batch_device_state(const struct sw_sim *sim, struct sw_device_state *state);
enum sw_status sw_cuda_batch_diverged(struct sw_sim *sim, int64_t *step);
enum sw_status sw_cuda_batch_snapshot(struct sw_sim *sim, int slot, int what);
enum sw_status sw_cuda_batch_fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars);

/** Launch a kernel of line_rtc.cuh, a thread a run, or a thread a run and `rows` points. */
enum sw_status sw_cuda_batch_launch_runs(struct sw_stepper *s, enum sw_line_kernel kernel, void **args);
enum sw_status sw_cuda_batch_launch_points(struct sw_stepper *s, enum sw_line_kernel kernel, int rows, void **args);
/** Likewise, threads in a row a point each of a line. */
enum sw_status sw_cuda_batch_launch_lines(struct sw_stepper *s, enum sw_line_kernel kernel, void **args);
#endif
