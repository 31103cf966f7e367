#ifndef RESOLUTION_H
#define RESOLUTION_H
/* Whether the points of a grid resolve a field, before a run and at its end. Both are struct sw_run_warning.warn. */
#include "problem/sw_problem.h"

/** Of an initial value by expressions without noise, along the lines through the middle of the grid: says where more
 * than a thousandth of what varies (its energy without the mean) is in waves that twice as many points have in the
 * highest third of their spectrum, or where mean or size at the points of the grid are not those of the line. */
enum sw_status sw_resolution_warn_initial(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                          const double *state, struct sw_text *text);

/** At the end of a run: says where u goes from its least to its largest value within 2.5 points; where steps draw
 * noise, only of a difference of neighbours that stands out of theirs. Of slabs collective over their ranks. */
enum sw_status sw_resolution_warn_result(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                         const double *state, struct sw_text *text);
#endif
