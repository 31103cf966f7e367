#include <math.h>

#include "base/sw_text.h"
#include "cli/cell.h"
#include "cli/console.h"
#include "problem/sw_problem.h"

/* The sign of a NaN means nothing. */
static void format_real(double v, int digits, char text[40])
{
    if (isnan(v)) snprintf(text, 40, "nan");
    else if (v == floor(v) && fabs(v) < 1e15) snprintf(text, 40, "%.0f", v);
    else if (digits > 15) sw_number(v, text);
    else snprintf(text, 40, "%.*g", digits, v);
}

const char *cell_format(const struct cell *c, int digits, char room[40])
{
    if (c->kind == CELL_TEXT) return c->text;
    room[0] = 0;
    if (c->kind == CELL_COUNT) snprintf(room, 40, "%lld", (long long)c->count);
    else if (c->kind == CELL_REAL) format_real(c->real, digits, room);
    else if (c->kind == CELL_FIGURE && isfinite(c->real)) snprintf(room, 40, "%.6g", c->real);
    return room;
}

void cell_print_csv(FILE *to, const struct cell *c)
{
    char room[40];
    const char *text = cell_format(c, 17, room);
    if (c->kind == CELL_TEXT) console_write_csv(to, text);
    else fputs(text, to);
}

void cell_print_json(struct sw_json *j, const struct cell *c)
{
    if (c->kind == CELL_TEXT) sw_json_text(j, c->name, c->text);
    else if (c->kind == CELL_COUNT) sw_json_count(j, c->name, c->count);
    else if (c->kind != CELL_EMPTY) sw_json_real(j, c->name, c->real);
}

/* ---- a row of the run table */

static bool has_norms(const struct sw_run_table *t)
{
    for (int64_t k = 0; k < t->nruns; k++)
        if (isfinite(sw_run_table_row(t, k).err_l2)) return true;
    return false;
}

static bool any_text(char *const *v, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (*v[k]) return true;
    return false;
}

static bool is_shown(const struct sw_run_table *t, const struct sw_run_column *c)
{
    const struct sw_problem *problem = sw_problem_find(t->problem);
    switch (c->shown) {
    case SW_SHOWN_IN_FULL: return false;
    case SW_SHOWN: return true;
    case SW_SHOWN_WITH_TIME: return !problem || problem->time;
    case SW_SHOWN_WITH_TIME_STEP:
        return sw_run_table_has(t, "time_step") || sw_run_table_has(t, "steps_refused");
    case SW_SHOWN_WITH_NORMS: return has_norms(t);
    }
    return false;
}

int shown_columns(const struct sw_run_table *t, struct shown_column *c)
{
    static const enum cell_kind kind_of[] = {[SW_RUN_COLUMN_FLAG] = CELL_TEXT, [SW_RUN_COLUMN_COUNT] = CELL_COUNT,
                                             [SW_RUN_COLUMN_REAL] = CELL_REAL};
    int n = 0;
    c[n++] = (struct shown_column){"run", CELL_COUNT, .count = t->index, .brief = true};
    for (int k = 0; k < t->nparam && n < SHOWN_MOST - sw_run_ncolumns - 2; k++)
        c[n++] = (struct shown_column){t->param_name[k], t->nword[k] ? CELL_TEXT : CELL_REAL, k, .of_param = true,
                                      .brief = true};
    for (int k = 0; k < sw_run_ncolumns; k++) {
        const struct sw_run_column *column = &sw_run_columns[k];
        if (t->column[k])
            c[n++] = (struct shown_column){column->name, kind_of[column->type], .of_run = column,
                                          .brief = is_shown(t, column)};
    }
    for (int k = 0; k < t->nscalar && n < SHOWN_MOST - 2; k++)
        c[n++] = (struct shown_column){t->scalar[k].name, CELL_REAL, .real = t->scalar[k].last,
                                      .brief = t->scalar[k].users};
    c[n++] = (struct shown_column){"run_id", CELL_TEXT, .of_id = true};
    c[n++] = (struct shown_column){"message", CELL_TEXT, .text = t->message, .brief = any_text(t->message, t->nruns)};
    return n;
}

static const void *result_of(const struct sw_run_table *t, const struct shown_column *c, int64_t run)
{
    return sw_run_table_value(t, c->of_run, run);
}

static double column_real(const struct sw_run_table *t, const struct shown_column *c, int64_t run)
{
    if (c->real) return c->real[run];
    return c->of_param ? t->param[(int64_t)c->param * t->nruns + run] : *(const double *)result_of(t, c, run);
}

static int64_t column_count(const struct sw_run_table *t, const struct shown_column *c, int64_t run)
{
    return c->count ? c->count[run] : *(const int64_t *)result_of(t, c, run);
}

static const char *column_text(const struct sw_run_table *t, const struct shown_column *c, int64_t run, char text[40])
{
    if (c->of_id) return sw_run_id_text(t->id[run], text);
    if (c->of_param) return t->word[c->param][(int)t->param[(int64_t)c->param * t->nruns + run]];
    if (c->text) return c->text[run];
    return sw_run_column_flag(c->of_run, *(const unsigned char *)result_of(t, c, run));
}

struct cell shown_cell(const struct sw_run_table *t, const struct shown_column *c, int64_t run, char room[40])
{
    struct cell cell = {.name = c->name, .kind = c->kind};
    if (c->kind == CELL_TEXT) cell.text = column_text(t, c, run, room);
    else if (c->kind == CELL_COUNT) cell.count = column_count(t, c, run);
    else cell.real = column_real(t, c, run);
    return cell;
}
