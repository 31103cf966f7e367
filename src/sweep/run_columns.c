/* The columns of the run table (sw_run_result.h). */
#include <math.h>
#include <string.h>

#include "sweep/sw_run_result.h"
#include "sweep/sw_sweep.h"

const char *const sw_run_status_names[SW_RUN_STATUSES] = {"pending", "done", "diverged", "error"};
const char *const sw_run_end_names[SW_RUN_ENDS] = {"no", "steady", "when"};

static bool chooses_step(const struct sw_sweep *sweep) { return sweep->chooses_step; }
static bool is_refined(const struct sw_sweep *sweep) { return sweep->refine; }
static bool may_stop(const struct sw_sweep *sweep) { return sweep->stops; }
static bool takes_own_steps(const struct sw_sweep *sweep) { return sweep->own_steps; }
static bool solves_equations(const struct sw_sweep *sweep) { return sweep->problem->measures & SW_SOLVES_EQUATIONS; }
static bool iterates(const struct sw_sweep *sweep) { return sweep->problem->measures & SW_ITERATES; }
static bool eliminates(const struct sw_sweep *sweep) { return solves_equations(sweep) && !iterates(sweep); }
static bool has_interior_norm(const struct sw_sweep *sweep) { return sweep->problem->measures & SW_HAS_INTERIOR; }

static bool halves_steps(const struct sw_sweep *sweep) { return sweep->accuracy != 0; }
static bool doubles_points(const struct sw_sweep *sweep) { return sweep->accuracy > 0; }

#define COLUMN(type_, name_, unit_, long_name_, ...)                                                                 \
    {.name = #name_, .type = SW_RUN_COLUMN_##type_, .unit = unit_, .long_name = long_name_,                           \
     .offset = offsetof(struct sw_run_row, name_), .size = sizeof(SW_RUN_MEMBER_##type_), __VA_ARGS__},
const struct sw_run_column sw_run_columns[] = {SW_RUN_COLUMNS(COLUMN) {.name = NULL}};
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

bool sw_run_column_has_values(const struct sw_run_column *c, const struct sw_sweep *sweep)
{
    bool exact = sweep->problem->measures & SW_DERIVES_EXACT;
    for (int k = 0; k < sweep->nfunction; k++) exact |= !strcmp(sweep->function[k].key, "exact");
    return sw_run_column_present(c, sweep) && (exact || c->shown != SW_SHOWN_WITH_NORMS);
}

int64_t sw_run_row_bytes(const struct sw_sweep *sweep)
{
    int64_t bytes = 0;
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++)
        if (sw_run_column_present(c, sweep)) bytes += (int64_t)c->size;
    return bytes;
}

/* ---- the values of one row */

static const void *member_of(const struct sw_run_column *c, const struct sw_run_row *row)
{
    return (const char *)row + c->offset;
}

void sw_run_column_get(const struct sw_run_column *c, const struct sw_run_row *row, void *value)
{
    memcpy(value, member_of(c, row), c->size);
}

void sw_run_column_set(const struct sw_run_column *c, struct sw_run_row *row, const void *value)
{
    memcpy((char *)row + c->offset, value, c->size);
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
        if (c->type == SW_RUN_COLUMN_REAL) sw_run_column_set(c, &row, &nan);
    made = true;
    return row;
}

bool sw_same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

uint64_t sw_run_row_digest(const struct sw_run_row *row)
{
    uint64_t digest = 0;
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++) {
        const double value = c->type == SW_RUN_COLUMN_REAL ? real_of(c, row) : 0,
                     same = isnan(value) ? NAN : value + 0.0;  /* 0 for -0 */
        uint64_t word = 0;
        if (c->type == SW_RUN_COLUMN_REAL) memcpy(&word, &same, sizeof same);
        else memcpy(&word, member_of(c, row), c->size);
        digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
        digest ^= digest >> 32;
    }
    return digest;
}
