#ifndef SW_RUN_RESULT_H
#define SW_RUN_RESULT_H
/* The result of one run, and the columns of the run table that hold it.
 *
 * A number that a run results in is a line of SW_RUN_COLUMNS, and what sets it (run/results.c). Everything else follows
 * from the line: the member of struct sw_run_row, the dataset of the output file with its type and attributes, joining
 * parts, reading files, `sweep show` with --csv and --json, the names that a parameter of a sweep may not take.
 * docs/reference/output.md says what it means (a test looks for its name there). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problem/sw_problem.h"

struct sw_sweep;

enum sw_run_status { SW_RUN_PENDING, SW_RUN_DONE, SW_RUN_DIVERGED, SW_RUN_ERROR };
enum { SW_RUN_STATUSES = SW_RUN_ERROR + 1 };
extern const char *const sw_run_status_names[SW_RUN_STATUSES];  /* "pending", ... */

enum sw_run_end { SW_RUN_TO_END, SW_RUN_STEADY, SW_RUN_STOPPED_WHEN };  /* why a run ended when it did */
enum { SW_RUN_ENDS = SW_RUN_STOPPED_WHEN + 1 };
extern const char *const sw_run_end_names[SW_RUN_ENDS];  /* "no", "steady", "when" */

/* X(type, name, unit, long_name, more): in the order of the file. A column that a sweep does not have is NaN, or 0. */
#define SW_RUN_COLUMNS(X)                                                                                             \
    X(FLAG, status, NULL, "state of the run", .flags = SW_RUN_STATUSES, .flag = sw_run_status_names,                  \
      .shown = SW_SHOWN)                                                                                              \
    X(FLAG, stopped, NULL, "why the run ended before time.end", .flags = SW_RUN_ENDS, .flag = sw_run_end_names,       \
      .shown = SW_SHOWN, .present = may_stop)                                                                         \
    X(REAL, t_reached, "1", "time reached", .shown = SW_SHOWN_WITH_TIME)                                              \
    X(COUNT, steps, NULL, "time steps taken", .shown = SW_SHOWN_WITH_TIME_STEP)                                       \
    X(COUNT, steps_refused, NULL, "time steps repeated with a smaller one", .shown = SW_SHOWN,                        \
      .present = takes_own_steps)                                                                                     \
    X(REAL, dt_min, "1", "least time step", .shown = SW_SHOWN, .present = takes_own_steps)                            \
    X(REAL, dt_max, "1", "largest time step", .shown = SW_SHOWN, .present = takes_own_steps)                          \
    X(REAL, error_estimate, "1", "sum of the largest estimated errors of the steps", .shown = SW_SHOWN,               \
      .present = takes_own_steps)                                                                                     \
    X(REAL, time_step, "1", "time step that the Courant number chose", .shown = SW_SHOWN, .present = chooses_step)    \
    X(COUNT, refine_level, NULL, "level of refinement at which the run was added", .shown = SW_SHOWN,                 \
      .present = is_refined)                                                                                          \
    X(REAL, wall_time, "s", "wall clock time of the batch over its runs", .adds_up = true)                            \
    X(REAL, err_l2, "1", "root mean square error at the last time", .shown = SW_SHOWN_WITH_NORMS)                     \
    X(REAL, err_max, "1", "maximum error at the last time", .shown = SW_SHOWN_WITH_NORMS)                             \
    X(REAL, err_rel, "1", "L2 error relative to the exact solution at the last time", .shown = SW_SHOWN_WITH_NORMS)   \
    X(REAL, err_interior, "1", "maximum error away from the walls", .shown = SW_SHOWN_WITH_NORMS,                     \
      .present = has_interior_norm)                                                                                   \
    X(REAL, residual, "1", "L2 norm of A x - f relative to that of f", .shown = SW_SHOWN, .present = solves_equations) \
    X(REAL, backward_error, "1", "maximum of A x - f relative to |A| max|x| + max|f|", .shown = SW_SHOWN,             \
      .present = eliminates)                                                                                          \
    X(REAL, forward_error, "1", "maximum error relative to the maximum of the exact solution",                        \
      .shown = SW_SHOWN_WITH_NORMS, .present = eliminates)                                                            \
    X(REAL, residual_reported, "1", "the residual as the method's recurrence has it", .present = iterates)            \
    X(COUNT, iterations, NULL, "iterations of the solver", .shown = SW_SHOWN, .present = iterates)                    \
    X(REAL, error_time, "1", "estimate of the root mean square error of the time steps at the last time",             \
      .shown = SW_SHOWN, .present = halves_steps)                                                                     \
    X(REAL, error_space, "1", "estimate of the root mean square error of the points at the last time",                \
      .shown = SW_SHOWN, .present = doubles_points)

#define SW_RUN_MEMBER_FLAG unsigned char   /* an enum from 0 */
#define SW_RUN_MEMBER_COUNT int64_t
#define SW_RUN_MEMBER_REAL double
#define SW_RUN_MEMBER(type, name, ...) SW_RUN_MEMBER_##type name;
struct sw_run_row { SW_RUN_COLUMNS(SW_RUN_MEMBER) };   /* the numbers of one run */
#undef SW_RUN_MEMBER

enum { SW_MESSAGE = 400 };
struct sw_run_result {
    struct sw_run_row row;
    char   message[SW_MESSAGE];    /* "" when done without anything to say                                  */
};

enum sw_run_column_type {          /* in struct sw_run_row      in the file                                 */
    SW_RUN_COLUMN_FLAG,            /* unsigned char             byte with flag_values, flag_meanings        */
    SW_RUN_COLUMN_COUNT,           /* int64_t                   integer                                     */
    SW_RUN_COLUMN_REAL             /* double                    real                                        */
};
enum sw_run_column_shown {             /* whether the table of `sweep show` for people has the column           */
    SW_SHOWN_IN_FULL,              /* no: only --run, --csv and --json have it                              */
    SW_SHOWN,
    SW_SHOWN_WITH_TIME,            /* where the problem has time                                            */
    SW_SHOWN_WITH_TIME_STEP,       /* where time.cfl chose the time step, or each run its steps             */
    SW_SHOWN_WITH_NORMS            /* where a run has an error norm                                         */
};
struct sw_run_column {
    const char *name;              /* of the dataset                                                        */
    enum sw_run_column_type type;
    const char *unit, *long_name;  /* attributes of the dataset; NULL: none                                 */
    size_t      offset, size;      /* of its member in struct sw_run_row, as an array in memory has it      */
    enum sw_run_column_shown shown;
    int         flags;             /* FLAG: how many values                                                 */
    const char *const *flag;       /* [flags] their names                                                   */
    bool        adds_up;           /* over the parts of a run; of others the last part's value counts       */
    bool        (*present)(const struct sw_sweep *sweep);  /* which sweeps have it; NULL: all               */
};                                 /* A real column that a file lacks reads as NaN.                         */
extern const struct sw_run_column sw_run_columns[];  /* in the order of the file; ends with name NULL */
extern const int sw_run_ncolumns;

/** NULL: no column has that name. */
const struct sw_run_column *sw_run_column_find(const char *name);
bool sw_run_column_present(const struct sw_run_column *column, const struct sw_sweep *sweep);
/** The same, and whether runs may have numbers there: norms of errors only with an exact solution. */
bool sw_run_column_has_values(const struct sw_run_column *column, const struct sw_sweep *sweep);
/** The columns of one run in a file of the sweep. */
int64_t sw_run_row_bytes(const struct sw_sweep *sweep);
/** Copy a value between a row and an array of such values. */
void sw_run_column_get(const struct sw_run_column *column, const struct sw_run_row *row, void *value);
void sw_run_column_set(const struct sw_run_column *column, struct sw_run_row *row, const void *value);
/** The name of a value of a column of type SW_RUN_COLUMN_FLAG, "?" if it has none. */
const char *sw_run_column_flag(const struct sw_run_column *column, unsigned char value);

/** A row that says nothing yet: pending, no steps, NaN. */
struct sw_run_row sw_run_row_empty(void);
/** NaN is the same as NaN. */
bool sw_same_number(double a, double b);
/** 64 bits of all numbers; NaN is the same as NaN. Two rows that differ by accident have the same in one of 10^19. */
uint64_t sw_run_row_digest(const struct sw_run_row *row);
#endif
