#ifndef FAILURE_PLACE_H
#define FAILURE_PLACE_H
/* Where on its line a run failed: a solve makes all points of a line infinite at once, so that this is told by what
 * the right-hand side makes of the last state that was finite. */
#include "problem/line/stepper/sw_stepper.h"

struct sw_stepper;

/** @param u        [unknowns][n], finite
 * @param t, dt     of the step from there that failed; number: as sw_eval_step() has it
 * @param place     out, known: points where G or N of an unknown, the first such one, is not finite at a stage's time;
 *                  else the one at which N + (G)_xx is largest. Not known where there is neither, or memory is out */
void sw_line_find_place(const struct sw_stepper *stepper, int j, const double *u, double t, double dt, int64_t number,
                        struct sw_failure_place *place);

/** The same of a run before its first step. @param param  [desc->model.nparam] of the run alone */
void sw_line_find_first_place(const struct sw_stepper_desc *desc, const struct sw_line_run *run, const double *param,
                              const double *u, struct sw_failure_place *place);
#endif
