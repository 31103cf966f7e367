#ifndef LINE_ADVICE_H
#define LINE_ADVICE_H
/* What there is to say of runs on the line: each as struct sw_run_warning.warn(). */
#include "problem/line/kinds/equation_model.h"

/** line_stability.c: whether the explicit part of a kind stays stable. */
enum sw_status sw_line_warn_stability(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                      const double *column, int64_t j, const double *state, char text[200]);
/** line_ringing.c */
enum sw_status sw_line_warn_ringing(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                    const double *column, int64_t j, const double *state, char text[200]);
/** Whether the roundings of all steps of a run are worth a word: where nothing draws u back they add up, until it comes
 * to rest (docs/explanation/accuracy.md).
 * @param rate  of the longest wave, at which it does; 0: it does not */
enum sw_status sw_line_warn_steps(const struct sw_setup *setup, enum sw_scheme scheme, double rate, int64_t ld,
                                  const double *column, int64_t j, const double *state, char text[200]);
#endif
