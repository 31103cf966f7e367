#ifndef NONFINITE_H
#define NONFINITE_H
/* Texts of a config that give a run numbers which are not finite: its initial value, a force, a coefficient, the value
 * at an end. They are evaluated where and when the steps take them. */
#include "problem/sw_problem.h"

struct sw_config_text {
    const char *key;              /* of a function; a text that sees an unknown is passed over                 */
    bool        once;             /* it counts at t = 0 alone                                                  */
    double      offset;           /* of the time at which a step takes it from the time of the state, in steps */
    bool        known[SW_DIMS][2];  /* whether it is not asked for at the left and right end of x, y and z   */
    int         wall;             /* 1 + 2 d + side: it is asked for at that end of dimension d alone; 0: not so */
};

/* What is looked at: so many values of a text and times at most of a run before it begins, so many values at each end
 * of a step that failed, evenly spread where there are more. The first point and t = 0 are among them. */
enum { SW_NONFINITE_VALUES = 1 << 16, SW_NONFINITE_TIMES = 1 << 12, SW_NONFINITE_OF_FAILURE = 1 << 22 };

/** Name the first such text, its value, where and when: 'left.dirichlet = "1/t" is inf at t = 0'.
 * @param one     the setup of run j: its points and walls count
 * @param column  [ncolumn][ld], of which run j
 * @param given   the texts of the problem; ends with key NULL
 * @param span    as in struct sw_problem_advice.name_nonfinite
 * @param text    in: empty; out: that, where there is one
 * @return SW_E_MEMORY */
enum sw_status sw_nonfinite_name(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                 const struct sw_config_text *given, const double *span, struct sw_text *text);

/** struct sw_run_warning.warn, by struct sw_problem_advice.name_nonfinite and name_first: what a text says first, then
 * what it makes of the initial value. */
enum sw_status sw_nonfinite_warn(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text);

/** Add " x = 0.25, y = 1 (i = 4, j = 16)": a point of a grid. */
void sw_point_print(const struct sw_setup *setup, const struct sw_grid *grid, int64_t point, struct sw_text *text);
#endif
