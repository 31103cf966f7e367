#ifndef SW_RUN_RESULT_H
#define SW_RUN_RESULT_H
/* The result of one run, and the columns of the run table that hold it.
 *
 * A number that a run results in is a member of struct sw_run_row and a row of sw_run_columns[]. Everything else
 * follows from that row: the dataset of the output file with its type and attributes, joining parts, reading files,
 * `sweep show` with --csv and --json, the names that a parameter of a sweep may not take. docs/reference/output.md says
 * what it means (a test looks for its name there). */
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

struct sw_run_row {                /* the numbers of one run                                                */
    enum sw_run_status status;
    enum sw_run_end stopped;       /* before its end                                                        */
    int64_t steps;                 /* taken                                                                 */
    double  t_reached;
    int64_t refused;               /* of runs with steps of their own: steps that were repeated with a smaller dt   */
    double  least_dt, largest_dt;  /* of the steps taken                                                    */
    double  estimated_error;       /* the sum of the largest estimated error of each step                   */
    double  time_step;
    double  wall_time;             /* seconds: the batch's time over its runs, of one part of the run       */
    struct sw_norms err;           /* error norms at the last time; NaN without an exact solution           */
    struct sw_residuals residual;  /* of a problem that solves equations                                    */
    double  error_time, error_space;  /* estimates of a sample of runs, at the last time; NaN: of others      */
};

enum { SW_MESSAGE = 400 };
struct sw_run_result {
    struct sw_run_row row;
    char   message[SW_MESSAGE];    /* "" when done without anything to say                                  */
};

enum sw_run_column_type {              /* in struct sw_run_row      in the file                                 */
    SW_RUN_COLUMN_FLAG,                /* an enum from 0            byte with flag_values, flag_meanings        */
    SW_RUN_COLUMN_COUNT,               /* int64_t                   integer                                     */
    SW_RUN_COLUMN_REAL                 /* double                    real                                        */
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
    size_t      offset;            /* of its member in struct sw_run_row                                    */
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
/** The columns of one run in a file of the sweep. */
int64_t sw_run_row_bytes(const struct sw_sweep *sweep);
/** Bytes of one value as the file has it in memory: unsigned char, int64_t, double. */
size_t sw_run_column_size(const struct sw_run_column *column);
/** Copy a value between a row and an array of such values. */
void sw_run_column_get(const struct sw_run_column *column, const struct sw_run_row *row, void *value);
void sw_run_column_set(const struct sw_run_column *column, struct sw_run_row *row, const void *value);
/** The name of a value of a column of type SW_RUN_COLUMN_FLAG, "?" if it has none. */
const char *sw_run_column_flag(const struct sw_run_column *column, unsigned char value);

/** A row that says nothing yet: pending, no steps, NaN. */
struct sw_run_row sw_run_row_empty(void);
/** Add what an earlier part of the same run has in the columns that add up. */
void sw_run_row_add(struct sw_run_row *row, const struct sw_run_row *earlier);
/** NaN is the same as NaN. */
bool sw_same_number(double a, double b);
/** Whether all numbers are the same; NaN is the same as NaN. */
bool sw_run_row_same(const struct sw_run_row *a, const struct sw_run_row *b);
#endif
