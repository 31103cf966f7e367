#ifndef LINE_ENDS_H
#define LINE_ENDS_H
/* The ends of lines in a config, of all problems on the line (docs/explanation/bounded_lines.md;
 * docs/reference/config.md): the key `boundary`, and what is given at either end, of each unknown its value (dirichlet)
 * and its second derivative (dxx), or its first (neumann) and its third (dxxx). A config that gives one of them has
 * walls, as no_flux has. */
#include "base/sw_text.h"
#include "problem/line/stepper/sw_stepper.h"
#include "problem/sw_problem.h"

/* The keys. A function with a fallback "" takes no part where it is left out. EVERY: one for each unknown, of which
 * GROUP says so. */
#define SW_LINE_CONDITION(side, name, what, every, group, remark)                                                 \
    {.path = side "." name, .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_T, .each = every,         \
     .decides = true, .unless = "boundary", .unless_word = "periodic",                                            \
     .about = what " at the " side " end, an expression in t" group remark}
#define SW_LINE_END_OF_SECOND_ORDER(side, what, every, group)                                                     \
    SW_LINE_CONDITION(side, "dirichlet", "The value of " what, every, group, "; both ends are points then."),     \
    SW_LINE_CONDITION(side, "neumann", "The derivative u_x", every, group, "; both ends are points then.")
#define SW_LINE_END(side, what, every, group)                                                                     \
    SW_LINE_END_OF_SECOND_ORDER(side, what, every, group),                                                        \
    SW_LINE_CONDITION(side, "dxx", "Beside the value: the second derivative u_xx", every, group,                  \
                      "; 0 unless given."),                                                                       \
    SW_LINE_CONDITION(side, "dxxx", "Beside u_x: the third derivative u_xxx", every, group, "; 0 unless given.")
#define SW_LINE_BOUNDARY                                                                                          \
    .path = "boundary", .kind = SW_KEY_WORD, .words = "periodic|no_flux", .fallback = "periodic", .decides = true, \
    .instead = "values and slopes at the ends are given by left = { dirichlet = ...; } and the like",            \
    .about = "What the ends of the line are: periodic, or walls with u_x = u_xxx = 0 where left and right say "     \
             "nothing else; they make walls too."

/** Whether the lines end, rather than being periodic; with `boundary` an axis, whether they may. The setup counts for
 * its choices and functions only. */
bool sw_line_has_ends(const struct sw_setup *setup);

/** struct sw_problem_shape.walls */
bool sw_line_walls(const struct sw_setup *setup, int d);

/** What is wrong with the conditions at the ends. @return the key to blame, NULL: nothing */
const char *sw_line_check_ends(const struct sw_setup *setup, struct sw_text *why);

/** Key k of the conditions at an end: "left.dirichlet", ... @param side  0 left, 1 right */
enum { SW_LINE_CONDITIONS = 4 };
const char *sw_line_condition_key(int side, int k);

/** Whether no flux of unknown v goes through an end: u_x = u_xxx = 0 there, at any time. */
bool sw_line_end_is_closed(const struct sw_setup *setup, int side, int v);

/** Whether the value, or the value or the slope, of an unknown is given at an end. @param side  0 left, 1 right */
bool sw_line_end_has_value(const struct sw_setup *setup, int side, int unknown);
bool sw_line_end_is_given(const struct sw_setup *setup, int side, int unknown);

/** An unknown's end as a stepper takes it; programs are borrowed from the setup. */
struct sw_line_end sw_line_end_of(const struct sw_setup *setup, int side, int unknown);

/** Lines of struct sw_problem_advice.describe: which conditions hold at either end; none of periodic lines.
 * @param kind  NULL: the equations are the user's */
struct sw_line_kind;
void sw_line_describe_ends(const struct sw_line_kind *kind, const struct sw_setup *setup, struct sw_text *text);

/** struct sw_run_warning.warn: of fluxes that "no_flux" lets through, and of conditions that an equation of third order
 * has too many of. */
enum sw_status sw_line_warn_flux(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const double *state, struct sw_text *text);
enum sw_status sw_line_warn_third(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  const double *state, struct sw_text *text);
#endif
