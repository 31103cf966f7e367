#include "sweep/sw_sweep.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "sweep/axis.h"
#include "sweep/column_values.h"
#include "sweep/columns.h"
#include "sweep/formula.h"
#include "sweep/groups.h"
#include "sweep/keys.h"
#include "sweep/ladder.h"
#include "sweep/names.h"
#include "sweep/reductions.h"
#include "sweep/refine.h"
#include "sweep/runs_check.h"
#include "sweep/sample.h"
#include "sweep/select.h"
#include "sweep/statistics.h"
#include "sweep/sweep_own.h"
#include "sweep/table.h"
#include "sweep/times.h"
#include "sweep/unknowns.h"
#include "sweep/words.h"

static void report_missing_problem(const struct sw_sweep *s, const char *known)
{
    static const char *const key[] = {"problem"};
    for (int k = 0; k < s->config->root->count; k++) {
        const struct sw_setting *setting = s->config->root->child[k];
        if (!sw_nearest_name(setting->name, key, 1)) continue;
        report_error(s, setting, "unknown key '%s'; did you mean 'problem'?", setting->path);
        return;
    }
    report_error(s, NULL, "'problem' is missing: one of %s", known);
}

static void pick_problem(struct sw_sweep *s)
{
    const struct sw_setting *setting = sw_config_find(s->config, "problem");
    const char *name[32];
    char known[600] = "";
    int n = 0;
    for (; sw_problem_table[n] && n < 32; n++) {
        name[n] = sw_problem_table[n]->name;
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", n ? ", " : "", name[n]);
    }
    if (!setting) { report_missing_problem(s, known); return; }
    if (setting->kind != SW_SETTING_STRING) {
        report_error(s, setting, "'problem' must be one of %s, in quotes", known);
        return;
    }
    s->problem = sw_problem_find(setting->text);
    if (s->problem) return;
    const char *near = sw_nearest_name(setting->text, name, n);
    if (near) report_error(s, setting, "unknown problem '%s'; did you mean '%s'?", setting->text, near);
    else report_error(s, setting, "unknown problem '%s'; known: %s", setting->text, known);
}

/* How many dimensions the grid of a config has, if it says so in any way but that of a line; 0: it does not. */
static int dimensions_given(const struct sw_sweep *s)
{
    static const char *const list[] = {"grid.n", "grid.length", "grid.x0"};
    const struct sw_setting *dim = sw_config_find(s->config, "grid.dim");
    for (int k = 0; k < 3; k++) {
        const struct sw_setting *setting = sw_config_find(s->config, list[k]);
        if (setting && setting->kind == SW_SETTING_LIST && setting->count > 1) return setting->count;
    }
    return dim && dim->kind == SW_SETTING_INTEGER && dim->number > 1 ? (int)dim->number : 0;
}

static void pick_fields(struct sw_sweep *s)
{
    const int dimensions = dimensions_given(s);
    if (!s->problem || !s->problem->shape->in_fields || !dimensions) return;
    s->problem = s->problem->shape->in_fields;
    s->own->dimensions = dimensions;
}

static enum sw_status status_so_far(const struct sw_sweep *s)
{
    if (s->own->out_of_memory) return SW_FAIL(SW_E_MEMORY, "out of memory while reading %s", s->config->name);
    return sw_report_status(s->own->report);
}

/* A run records no more iterations than it may make. */
static void limit_history(struct sw_sweep *s)
{
    const int k = s->history ? column_find(s, "iterations") : -1;
    if (k >= 0 && s->column[k].uniform && s->own->source[k].number < s->history)
        s->history = (int)s->own->source[k].number;
}

/* Run a stage. @param wrong  out: it has reported an error */
static enum sw_status stage(struct sw_sweep *s, enum sw_status (*read)(struct sw_sweep *s), bool *wrong)
{
    const int errors = s->own->report->errors;
    const enum sw_status st = read(s);
    *wrong = s->own->report->errors > errors;
    return st;
}

static enum sw_status read_axes_and_ladder(struct sw_sweep *s)
{
    SW_TRY(axes_read(s));
    SW_TRY(ladder_order(s));
    return refine_read(s);
}

/* Keys with their settings -> what holds for all runs -> axes -> columns, one number a run -> functions of the points
 * and reductions of fields, over the columns -> times -> shapes of runs -> which points are runs -> each is checked. A
 * stage reports what is wrong and goes on; later ones leave alone what depends on it. */
static enum sw_status expand(struct sw_sweep *s)
{
    struct sw_sweep_own *own = s->own;
    bool unknowns_wrong, axes_wrong;
    pick_problem(s);
    pick_fields(s);
    if (!s->problem) return status_so_far(s);
    SW_TRY(table_read_header(s));
    SW_TRY(stage(s, keys_read, &own->keys_wrong));
    SW_TRY(options_read(s));
    SW_TRY(stage(s, unknowns_read, &unknowns_wrong));
    if (unknowns_wrong || (own->table && own->table->wrong)) return status_so_far(s);  /* expressions name them */
    SW_TRY(stage(s, read_axes_and_ladder, &axes_wrong));
    own->axes_wrong = s->nruns < 1 || axes_wrong;
    SW_TRY(columns_make(s));
    choices_resolve(s);
    SW_TRY(stage(s, functions_read, &own->functions_wrong));
    SW_TRY(functions_prepare(s));
    SW_TRY(scalars_read(s));
    names_check(s);
    SW_TRY(outputs_read(s));
    SW_TRY(stops_read(s));
    row_check(s);
    shape_prepare(s);
    /* an axis may be used in an expression that was refused */
    if (own->report->errors == 0) SW_TRY(names_check_used(s, NULL));
    SW_TRY(columns_fold(s));
    SW_TRY(where_apply(s));
    SW_TRY(ladder_link(s));
    limit_history(s);
    SW_TRY(runs_check(s));
    SW_TRY(ladder_check(s));
    SW_TRY(statistics_read(s));
    SW_TRY(refine_check(s));
    if (own->idle) SW_TRY(names_check_used(s, s->column[own->numbered - 1].name));
    return status_so_far(s);
}

static enum sw_status make_sweep(const struct sw_config *config, bool outline, struct sw_report *report,
                                 struct sw_sweep **sweep)
{
    enum sw_status st;
    struct sw_sweep *s;
    *sweep = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->config = config;
    snprintf(s->config_sha256, sizeof s->config_sha256, "%s", config->sha256);
    SW_TRY_TO(failed, st, sw_alloc(1, &s->own));
    SW_TRY_TO(failed, st, sw_arena_create(&s->own->arena));
    s->own->report = report;
    s->own->outline = outline;
    s->own->step_column = -1;
    s->own->dt_column = -1;
    s->own->divided = -1;
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, &s->own->sample));
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, &s->own->ladder));
    *s->own->ladder = (struct ladder){.axis = -1, .direction = -1};
    s->rungs = 1;
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, &s->own->fields));
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, &s->own->scalars));
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, &s->own->looks));
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, &s->own->stop_when));
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, &s->own->shape));
    SW_TRY_TO(failed, st, expand(s));
    s->own->report = NULL;
    *sweep = s;
    return SW_OK;
failed:
    sw_sweep_destroy(&s);
    return st;
}

enum sw_status sw_sweep_expand(const struct sw_config *config, struct sw_report *report, struct sw_sweep **sweep)
{
    return make_sweep(config, false, report, sweep);
}

enum sw_status sw_sweep_outline(const struct sw_config *config, struct sw_report *report, struct sw_sweep **sweep)
{
    return make_sweep(config, true, report, sweep);
}

void sw_sweep_destroy(struct sw_sweep **sweep)
{
    if (!sweep || !*sweep) return;
    struct sw_sweep_own *own = (*sweep)->own;
    if (own) {
        if (own->prepared) (*sweep)->problem->texts->release(own->prepared);
        formulas_free(*sweep);
        reductions_free(*sweep);
        sw_arena_destroy(&own->arena);
    }
    sw_free(own);
    sw_free(*sweep);
    *sweep = NULL;
}
