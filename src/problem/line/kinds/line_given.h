#ifndef LINE_GIVEN_H
#define LINE_GIVEN_H
/* Numbers that a config gives a run on the line and that are not finite. */
#include "problem/line/stepper/sw_stepper.h"
#include "problem/sw_problem.h"

/** struct sw_problem_advice.name_given */
enum sw_status sw_line_name_given(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                  const double *column, int64_t j, const double *span, char text[200]);

/** Name the text of the explicit right-hand side that is not finite of the initial value of a run, and where; "" where
 * all is finite, and for lines of more than SW_GIVEN_VALUES points.
 * @param desc, run, param  as a stepper would take them, of this run alone: param is [nparam]
 * @param one     the setup of run j of the columns  @return SW_E_MEMORY */
enum sw_status sw_line_name_rhs(const struct sw_stepper_desc *desc, const struct sw_line_run *run, const double *param,
                                const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                char text[200]);
#endif
