#ifndef FOUR_PACES_H
#define FOUR_PACES_H
/* Four paces (struct sw_paces), and where a batch of runs that have them is looked at. */
#include "problem/sw_setup.h"

/* Steps at the beginning, two outputs and the end. The first pace takes none before the first output. */
enum { PACES = 4, PACE_GOALS = 3 };
static const int64_t paced_steps[PACES] = {3, 5, 8, 13};
static const long long paced_at[PACES][PACE_GOALS + 1] = {{0, 0, 1, 3}, {0, 1, 2, 5}, {0, 2, 7, 8}, {0, 2, 5, 13}};
static const struct sw_paces four_paces = {PACES, PACE_GOALS, (int64_t *)paced_steps, (long long *)paced_at};

/* Ticks, those that are goals and others. */
enum { LOOKS = 5 };
static const int64_t paced_looks[LOOKS] = {700, SW_TICKS, SW_TICKS + 513, 3 * SW_TICKS - 1, 3 * SW_TICKS};
#endif
