#ifndef OWN_STEPS_DRIVE_H
#define OWN_STEPS_DRIVE_H
/* What the ends and the forces of a run bring until its next output time, looked at before its first step where each
 * run takes steps of its own: a line that is at rest has no size that its errors could be measured by
 * (docs/explanation/adaptive_steps.md). Outputs before something comes do not depend on how much that is.
 *
 * Output times are joined to windows, SW_DRIVE_WINDOWS at most, and ends and forces are looked at at SW_DRIVE_TIMES
 * times in all, as many in each window. With |.| the largest of them in a window, dx between n points and l² = (n - 1)
 * dx²,
 *
 *     ends      0.1 |g_k| (0.1 l)^k   of each condition on the derivative k
 *     forces    1e-4 times the integral over the window of the largest |N - N(t = 0)| over some points; of an unknown
 *               that begins as 0, of the largest |N|; but at most 0.1 of the largest one over the rate of an implicit
 *               decay a0 u. N is taken with the values at t = 0, 0 where no program gives them
 *
 * l is between the layer that an end brings at first, some dx, and that in the end, the line's length; what a force
 * brings is less than the integral where it diffuses away, and 1e-4 is so little that it may be less by 1e5. As soon as
 * something comes, that is while the errors of steps tell something, this counts less and less: half after 1/64 of the
 * time between two outputs. So the tolerance is that of u itself in the end. */
#include "problem/line/stepper/sw_stepper.h"

struct sw_stepper;

enum { SW_DRIVE_TIMES = 1024, SW_DRIVE_WINDOWS = 64 };

/** Windows of a batch, and its numbers of a run: [windows][unknowns]. 0 where steps are not a run's own. */
int sw_own_drive_windows(const struct sw_stepper_desc *desc);
size_t sw_own_drive_numbers(const struct sw_stepper_desc *desc);

/** Set `drive` of the batch that is loaded. Nothing of a run depends on the others, or on threads.
 * @return SW_E_MEMORY */
enum sw_status sw_own_drive_load(struct sw_stepper *stepper);

/** Whether G or N may jump in t, or nearly so: it depends on t by more than sums, products, sines and cosines.
 * @param program  NULL: there is none, and it does not */
bool sw_own_steep(const struct sw_program *program);

/** Whether G or N depends on an unknown. @param program  NULL: there is none, and it does not */
bool sw_own_sees_unknown(const struct sw_program *program);

/* Where G or N depends on an unknown, what is too small to be seen beside u may grow, from an equilibrium that is not
 * stable: an error by which the whole run might take fewer steps than these does not tell that nothing does. */
enum { SW_DRIVE_QUIET = 32 };

/** 1/sw_own_limits.over_quiet: a part of the run where something may grow, else infinite. */
double sw_own_drive_quiet(const struct sw_stepper_desc *desc);

/** The longest step as long as steps tell nothing of their error (sw_own_steps_control()): a part of the run if its
 * ends or forces depend on the time, which may be at rest for long, or if something may grow; else all of it. */
double sw_own_drive_careful(const struct sw_stepper_desc *desc);
#endif
