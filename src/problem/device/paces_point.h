#ifndef PACES_POINT_H
#define PACES_POINT_H
/* Ticks of runs with paces (struct sw_paces in problem/sw_setup.h), on the host and in kernels. */
#ifndef __CUDACC_RTC__
#include "base/sw_hd.h"
#endif

/* Where runs take steps of their own, advance() counts ticks, of which there are so many between two output times. */
enum { SW_TICKS = 1024 };

/** The step of a run `part` ticks behind a goal, part > 0. @param at, next  its steps there and at the next goal */
SW_HD static inline long long sw_step_behind_goal(long long at, long long next, long long part)
{
    return at + (next - at) * part / SW_TICKS;
}

/** The step at a tick. @param at  [goals + 1] steps at the goals of the run's pace */
SW_HD static inline long long sw_step_at_tick(const long long *at, long long tick)
{
    const long long part = tick % SW_TICKS;
    at += tick / SW_TICKS;
    return part ? sw_step_behind_goal(at[0], at[1], part) : at[0];
}
#endif
