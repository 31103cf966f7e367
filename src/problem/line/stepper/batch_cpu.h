#ifndef BATCH_CPU_H
#define BATCH_CPU_H
/* What the CPU's steppers have in common: the states of a batch between two calls of advance (host_states.h), initial
 * values, scalars. A stepper's own data begin with a struct sw_host_batch, and its row has the operations below. */
#include "problem/line/stepper/host_states.h"
#include "problem/line/stepper/sw_stepper_impl.h"

struct sw_measure;  /* workspace for the scalars of lines of n points */

struct sw_host_worker {        /* what a thread needs; a stepper may use x and term during its steps               */
    struct sw_eval    *initial[SW_UNKNOWNS_MOST], *energy;
    struct sw_measure *measure;
    double            *x;      /* [n] of the run at hand                                                           */
    double            *term;   /* [n] values of a program, such as the energy's density                            */
};

struct sw_host_batch {
    struct sw_host_states    states;
    struct sw_failure_place *place;  /* [capacity]: where a run failed, if that is known */
    int      workers;
    struct sw_host_worker *worker;
};

/** The arrays are the stepper's. */
enum sw_status sw_host_create(struct sw_stepper *s, struct sw_host_batch *batch);
void           sw_host_destroy(struct sw_host_batch *batch);

/** Memory of a struct sw_host_batch. */
void sw_host_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run);

/** Begin a batch: runs with a load_error are stopped, the others are not. */
void sw_host_load(struct sw_stepper *s, const char *const *load_error);

/** From here on the run is NaN and costs nothing: it failed in a step, dt long from t on, and its line has the last
 * state that was finite. @param number  of the step, as sw_eval_step() has it
 * @param step  at which it diverged */
void sw_host_fail(struct sw_stepper *s, int j, double t, double dt, int64_t number, int64_t step);

/** [unknowns][n] of a run. */
double *sw_host_line(const struct sw_stepper *s, int j);

/** Threads for so many passes over the batch, each of which costs so many ns a point: one where the work is less than
 * waking the others up costs. */
int sw_host_workers(const struct sw_stepper *s, int64_t passes, double ns);

/** Make x of run j, and what a program computes once a run. */
void sw_host_begin_run(const struct sw_stepper *s, struct sw_host_worker *w, struct sw_eval *eval, int j);

/* ---- where each run takes steps of its own (own_steps_point.h): what a run needs beside its state, from the estimated
 * errors of a step to the next dt */

struct sw_own_run {
    struct sw_own_steps *steps;
    struct sw_own_limits limits;
    const double        *drive;                    /* [windows][unknowns]: own_steps_drive.h */
    double               size[SW_UNKNOWNS_MOST];   /* largest |u| where the run is now */
};

/** The largest |u| of n numbers, NaN if one is. */
double sw_line_largest(int n, const double *u);

/** Begin to advance run j, whose steps->goal is 0 where it has not begun. @param size  [unknowns] largest |u| */
void sw_own_run_begin(const struct sw_stepper *s, int j, const double *size, struct sw_own_run *run);

/** Choose the first dt of a run that has not begun (sw_own_steps_first()).
 * @param rate  [unknowns] largest |u_t| at t = 0 */
void sw_own_run_first(const struct sw_stepper *s, int j, const double *rate, struct sw_own_run *run);

/** Where its steps to an output time are all taken, divide the way to the next one. */
void sw_own_run_aim(const struct sw_stepper *s, struct sw_own_run *run);

/** Choose what follows a step from its largest |estimated error| and the largest |u| behind it.
 * @param error  [unknowns]  @param size  [unknowns]
 * @return whether the step is taken */
bool sw_own_run_control(const struct sw_stepper *s, const double *error, const double *size, struct sw_own_run *run);

/* struct sw_stepper_ops.sim */
extern const struct sw_sim_ops sw_host_operations;
#endif
