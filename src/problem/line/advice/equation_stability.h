#ifndef EQUATION_STABILITY_H
#define EQUATION_STABILITY_H
/* What becomes of small waves on the fields of a run, with coefficients frozen at some of its points
 * (docs/explanation/accuracy.md): whether the equation itself lets short waves grow without bound there, whether the
 * steps let waves grow that it does not, and whether they damp waves that it keeps. */
#include "problem/sw_problem.h"

/** struct sw_run_warning.warn: of the initial values. */
enum sw_status equation_warn_stability(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                       const double *column, int64_t j, const double *state, char text[200]);
#endif
