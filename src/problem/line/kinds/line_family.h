#ifndef LINE_FAMILY_H
#define LINE_FAMILY_H
/* What the problems on the line equation share (docs/numerics.md, 1)
 *
 *     u_t = -a4 u_xxxx + a2 u_xx + (G(u))_xx + S(x, t, u),      S = source + forcing
 *
 * A kind of problem is a struct sw_line_kind and its keys; everything else is here. A new member of the family is a
 * file with these and a row in problem_table.c. */
#include "problem/initial_file.h"
#include "problem/line/kinds/line_ends.h"
#include "problem/line/kinds/line_given.h"
#include "problem/line/kinds/line_kind.h"
#include "problem/line/stepper/line_sim.h"
#include "problem/sw_problem.h"
#include "problem/line/stepper/sw_stepper.h"

enum { SW_LINE_POINTS = 5 };    /* width of the stencil */

extern const struct sw_quantity sw_line_scalars[];  /* in the order of enum sw_line_scalar */

enum sw_status sw_line_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                             const struct sw_device *device, size_t *fixed, size_t *per_run);
enum sw_status sw_line_create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                              struct sw_sim **sim);
enum sw_status sw_line_check_precision(const struct sw_problem *problem, const struct sw_setup *setup,
                                       const char *const *solver, int count, int ld, const double *column, int *first,
                                       const char **key, char why[160]);
const char *sw_line_validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                 char why[160]);
const char *sw_line_solver(int k);
void sw_line_warn_setup(const struct sw_problem *problem, const struct sw_setup *setup, char text[200]);
extern const struct sw_run_warning sw_line_warnings[];  /* line_warnings.c */
/* struct sw_problem.name_first */
enum sw_status sw_line_name_first_rhs(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                      const double *column, int64_t j, char text[200]);
/** Whether the roundings of all steps of a run are worth a word, as sw_run_warning.warn(): where nothing draws u back
 * they add up, until it comes to rest (docs/numerics.md, 3).
 * @param rate  of the longest wave, at which it does; 0: it does not */
enum sw_status sw_line_warn_steps(const struct sw_setup *setup, enum sw_scheme scheme, double rate, int64_t ld,
                                  const double *column, int64_t j, const double *state, char text[200]);
/* line_ringing.c */
enum sw_status sw_line_warn_ringing(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                    const double *column, int64_t j, const double *state, char text[200]);
/* line_stability.c */
enum sw_status sw_line_warn_stability(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                                      const double *column, int64_t j, const double *state, char text[200]);
enum sw_status sw_line_advise(const struct sw_problem *problem, const struct sw_setup *setup, int64_t ld,
                              const double *column, int64_t j, char text[200]);
enum sw_status sw_line_describe(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_text *text);
enum sw_status sw_line_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm);

/* The keys that all members have; COEFFICIENT is one that must be positive. METHOD is for those that had the key
 * before, with its default imex1, LATER_METHOD for the others. */
#define SW_LINE_COEFFICIENT(name, text)                                                                           \
    {.path = name, .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .decides = true,      \
     .visible = true, .about = text}
#define SW_LINE_METHODS                                                                                           \
    .kind = SW_KEY_WORD, .words = "crank_nicolson|imex1|imex2|imex3", .decides = true,                            \
    .about = "How steps are taken in time: L at the mean of both times, or implicit-explicit methods of the orders " \
             "1, 2 and 3 (numerics.md, 13)."
#define SW_LINE_METHOD                                                                                            \
    {.path = "method", .former = "time.scheme", .renamed = sw_line_renamed_methods, .fallback = "imex1",          \
     .adaptive = "imex3", SW_LINE_METHODS}
#define SW_LINE_LATER_METHOD(word) \
    {.path = "method", .fallback = word, .adaptive = "imex3", .later = true, SW_LINE_METHODS}
#define SW_LINE_ORDER                                                                                             \
    {.path = "order", .kind = SW_KEY_WORD, .words = "2|4", .fallback = "2", .later = true, .decides = true,       \
     .about = "The order of the derivatives in dx, from five points: 2 or 4."}
#define SW_LINE_END_KEYS(keys_of)                                                                                 \
    {SW_LINE_BOUNDARY, .later = true}, keys_of("left", "u", false, ""), keys_of("right", "u", false, "")
#define SW_LINE_FUNCTIONS                                                                                         \
    SW_LINE_TOLERANCE,                                                                                            \
    {.path = "initial", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X | SW_USES_RANDOM, .decides = true,          \
     .about = "The field at time 0, an expression in x; randn(k) and rand(k) give noise. Or a group that names a " \
              "file that has it."},                                                                               \
    SW_INITIAL_FILE_KEYS,                                                                                         \
    {.path = "forcing", .kind = SW_KEY_FUNCTION, .fallback = "",                                                  \
     .symbols = SW_USES_X | SW_USES_T | SW_USES_U | SW_USES_RANDOM, .decides = true,                              \
     .about = "The source term S, an expression in x, t and u."},                                                 \
    {.path = "exact", .kind = SW_KEY_FUNCTION, .fallback = "", .symbols = SW_USES_X | SW_USES_T, .decides = true, \
     .about = "The exact solution in x and t; the error norms at the end are taken against it."}

#define SW_LINE_OPERATIONS                                                                                        \
    .scalars = sw_line_scalars, .min_points = SW_LINE_POINTS, .timed = true, .walls = sw_line_walls,              \
    .describe = sw_line_describe, .bytes = sw_line_bytes,                                                         \
    .create = sw_line_create, .check_precision = sw_line_check_precision, .solver = sw_line_solver,               \
    .validate_run = sw_line_validate_run, .content = sw_initial_content,                                          \
    .orders = sw_line_orders, .warn_setup = sw_line_warn_setup, .warn_run = sw_line_warnings,                     \
    .advise = sw_line_advise, .name_given = sw_line_name_given, .name_first = sw_line_name_first_rhs,             \
    .try_compile = sw_line_try_compile
#endif
