#ifndef OWN_STEPS_CPU_H
#define OWN_STEPS_CPU_H
/* What the CPU's steppers have in common where each run takes steps of its own (own_steps_point.h): what a run needs
 * beside its state, from the estimated errors of a step to the next dt. */
#include "problem/line/stepper/batch_cpu.h"
#include "problem/line/stepper/imex.h"

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
#endif
