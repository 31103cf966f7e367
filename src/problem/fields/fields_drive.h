#ifndef FIELDS_DRIVE_H
#define FIELDS_DRIVE_H
/* What right-hand sides of a run bring until its next output time, looked at before its first step, as
 * problem/line/stepper/own_steps_drive.h has it of lines: F at some points of the grid, with the unknowns at t = 0,
 * stands for the force, and -a0 for an implicit decay. */
#include "problem/fields/fields_sim_impl.h"

/** Numbers of a run: [windows][unknowns]; 0 where steps are not a run's own. */
size_t fields_drive_numbers(const struct fields_desc *desc);

/** Windows over output times: sw_own_limits.share. */
double fields_drive_share(const struct fields_desc *desc);

/** Look at the runs of the batch that is loaded. Nothing of a run depends on the others, or on threads.
 * @param drive  out: [count][fields_drive_numbers()]  @return SW_E_MEMORY */
enum sw_status fields_drive_load(const struct fields_sim *sim, double *drive);
#endif
