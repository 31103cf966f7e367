#ifndef BVP_WARNINGS_H
#define BVP_WARNINGS_H
/* What is said of a run of `bvp` before it is computed. */
#include "problem/sw_problem.h"

extern const struct sw_run_warning bvp_warnings[];

/** struct sw_problem_advice.name_given, of f and q. */
enum sw_status bvp_name_given(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                              const double *column, int64_t j, const double *span, char text[200]);
#endif
