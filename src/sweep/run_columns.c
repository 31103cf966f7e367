/* The columns of the run table (sw_run_result.h). */
#include <math.h>
#include <string.h>

#include "sweep/sw_run_result.h"
#include "sweep/sw_sweep.h"

const char *const sw_run_status_names[SW_RUN_STATUSES] = {"pending", "done", "diverged", "error"};
const char *const sw_run_end_names[SW_RUN_ENDS] = {"no", "steady", "when"};

static bool chooses_step(const struct sw_sweep *sweep) { return sweep->chooses_step; }
static bool may_stop(const struct sw_sweep *sweep) { return sweep->stops; }
static bool takes_own_steps(const struct sw_sweep *sweep) { return sweep->own_steps; }
static bool solves_equations(const struct sw_sweep *sweep) { return sweep->problem->residuals; }
static bool iterates(const struct sw_sweep *sweep) { return sweep->problem->iterates; }
static bool eliminates(const struct sw_sweep *sweep) { return solves_equations(sweep) && !iterates(sweep); }
static bool has_interior_norm(const struct sw_sweep *sweep) { return sweep->problem->interior; }

static bool halves_steps(const struct sw_sweep *sweep) { return sweep->accuracy != 0; }
static bool doubles_points(const struct sw_sweep *sweep) { return sweep->accuracy > 0; }

#define AT(member) .offset = offsetof(struct sw_run_row, member)
#define REAL SW_RUN_COLUMN_REAL
const struct sw_run_column sw_run_columns[] = {
    {"status", SW_RUN_COLUMN_FLAG, NULL, "state of the run", AT(status), .flags = SW_RUN_STATUSES,
     .flag = sw_run_status_names, .shown = SW_SHOWN},
    {"stopped", SW_RUN_COLUMN_FLAG, NULL, "why the run ended before time.end", AT(stopped), .flags = SW_RUN_ENDS,
     .flag = sw_run_end_names, .shown = SW_SHOWN, .present = may_stop},
    {"t_reached", REAL, "1", "time reached", AT(t_reached), .shown = SW_SHOWN_WITH_TIME},
    {"steps", SW_RUN_COLUMN_COUNT, NULL, "time steps taken", AT(steps), .shown = SW_SHOWN_WITH_TIME_STEP},
    {"steps_refused", SW_RUN_COLUMN_COUNT, NULL, "time steps repeated with a smaller one", AT(refused),
     .shown = SW_SHOWN, .present = takes_own_steps},
    {"dt_min", REAL, "1", "least time step", AT(least_dt), .shown = SW_SHOWN, .present = takes_own_steps},
    {"dt_max", REAL, "1", "largest time step", AT(largest_dt), .shown = SW_SHOWN, .present = takes_own_steps},
    {"error_estimate", REAL, "1", "sum of the largest estimated errors of the steps", AT(estimated_error),
     .shown = SW_SHOWN, .present = takes_own_steps},
    {"time_step", REAL, "1", "time step that the Courant number chose", AT(time_step), .shown = SW_SHOWN,
     .present = chooses_step},
    {"wall_time", REAL, "s", "wall clock time of the batch over its runs", AT(wall_time), .adds_up = true},
    {"err_l2", REAL, "1", "root mean square error at the last time", AT(err.l2), .shown = SW_SHOWN_WITH_NORMS},
    {"err_max", REAL, "1", "maximum error at the last time", AT(err.max), .shown = SW_SHOWN_WITH_NORMS},
    {"err_rel", REAL, "1", "L2 error relative to the exact solution at the last time", AT(err.rel),
     .shown = SW_SHOWN_WITH_NORMS},
    {"err_interior", REAL, "1", "maximum error away from the walls", AT(err.interior), .shown = SW_SHOWN_WITH_NORMS,
     .present = has_interior_norm},
    {"residual", REAL, "1", "L2 norm of A x - f relative to that of f", AT(residual.residual), .shown = SW_SHOWN,
     .present = solves_equations},
    {"backward_error", REAL, "1", "maximum of A x - f relative to |A| max|x| + max|f|", AT(residual.backward),
     .shown = SW_SHOWN, .present = eliminates},
    {"forward_error", REAL, "1", "maximum error relative to the maximum of the exact solution", AT(residual.forward),
     .shown = SW_SHOWN_WITH_NORMS, .present = eliminates},
    {"residual_reported", REAL, "1", "the residual as the method's recurrence has it", AT(residual.reported),
     .present = iterates},
    {"iterations", SW_RUN_COLUMN_COUNT, NULL, "iterations of the solver", AT(residual.iterations), .shown = SW_SHOWN,
     .present = iterates},
    {"error_time", REAL, "1", "estimate of the root mean square error of the time steps at the last time",
     AT(error_time), .shown = SW_SHOWN, .present = halves_steps},
    {"error_space", REAL, "1", "estimate of the root mean square error of the points at the last time",
     AT(error_space), .shown = SW_SHOWN, .present = doubles_points},
    {.name = NULL},
};
const int sw_run_ncolumns = sizeof sw_run_columns / sizeof *sw_run_columns - 1;

const struct sw_run_column *sw_run_column_find(const char *name)
{
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

bool sw_run_column_present(const struct sw_run_column *c, const struct sw_sweep *sweep)
{
    return !c->present || c->present(sweep);
}

int64_t sw_run_row_bytes(const struct sw_sweep *sweep)
{
    int64_t bytes = 0;
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++)
        if (sw_run_column_present(c, sweep)) bytes += (int64_t)sw_run_column_size(c);
    return bytes;
}

/* ---- the values of one row */
_Static_assert(sizeof(enum sw_run_status) == sizeof(unsigned) && sizeof(enum sw_run_end) == sizeof(unsigned),
               "flags are copied as unsigned");

static const void *member_of(const struct sw_run_column *c, const struct sw_run_row *row)
{
    return (const char *)row + c->offset;
}

static unsigned flag_of(const struct sw_run_column *c, const struct sw_run_row *row)
{
    unsigned flag;
    memcpy(&flag, member_of(c, row), sizeof flag);
    return flag;
}

size_t sw_run_column_size(const struct sw_run_column *c)
{
    return c->type == SW_RUN_COLUMN_FLAG ? sizeof(unsigned char)
           : c->type == SW_RUN_COLUMN_COUNT ? sizeof(int64_t) : sizeof(double);
}

void sw_run_column_get(const struct sw_run_column *c, const struct sw_run_row *row, void *value)
{
    if (c->type == SW_RUN_COLUMN_FLAG) *(unsigned char *)value = (unsigned char)flag_of(c, row);
    else memcpy(value, member_of(c, row), sw_run_column_size(c));
}

void sw_run_column_set(const struct sw_run_column *c, struct sw_run_row *row, const void *value)
{
    const unsigned flag = *(const unsigned char *)value;
    if (c->type == SW_RUN_COLUMN_FLAG) memcpy((char *)row + c->offset, &flag, sizeof flag);
    else memcpy((char *)row + c->offset, value, sw_run_column_size(c));
}

const char *sw_run_column_flag(const struct sw_run_column *c, unsigned char value)
{
    return value < c->flags ? c->flag[value] : "?";
}

static double real_of(const struct sw_run_column *c, const struct sw_run_row *row)
{
    double value;
    memcpy(&value, member_of(c, row), sizeof value);
    return value;
}

/* Made once in each thread: there are as many calls as runs. */
struct sw_run_row sw_run_row_empty(void)
{
    static _Thread_local struct sw_run_row row;
    static _Thread_local bool made;
    const double nan = NAN;
    for (const struct sw_run_column *c = sw_run_columns; c->name && !made; c++)
        if (c->type == REAL) sw_run_column_set(c, &row, &nan);
    made = true;
    return row;
}

void sw_run_row_add(struct sw_run_row *row, const struct sw_run_row *earlier)
{
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++) {
        if (!c->adds_up) continue;
        const double sum = real_of(c, row) + real_of(c, earlier);
        sw_run_column_set(c, row, &sum);
    }
}

bool sw_same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

bool sw_run_row_same(const struct sw_run_row *a, const struct sw_run_row *b)
{
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++) {
        const bool same = c->type == REAL
                              ? sw_same_number(real_of(c, a), real_of(c, b))
                              : !memcmp(member_of(c, a), member_of(c, b),
                                        c->type == SW_RUN_COLUMN_FLAG ? sizeof(unsigned) : sw_run_column_size(c));
        if (!same) return false;
    }
    return true;
}
