#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_near.h"
#include "sweep/expand_impl.h"

/* ------------------------------------------------------------------ saying what is wrong */

void report_error(const struct sw_sweep *s, const struct sw_setting *at, const char *fmt, ...)
{
    char text[2000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    sw_report_add(s->own->report, SW_ERROR, at ? at->file : s->config->name, at ? at->line : 0, "%s", text);
}

void report_expr_error(const struct sw_sweep *s, const struct sw_setting *at, const char *path, const char *text,
                          const struct sw_expr_error *err)
{
    char *shown = sw_expr_error_show(text, err);
    report_error(s, at, "'%s', %s", path, shown ? shown : err->text);
    sw_free(shown);
}

/* ------------------------------------------------------------------ expanding */

static void refuse_without_problem(const struct sw_sweep *s, const char *known)
{
    static const char *const key[] = {"problem"};
    for (int k = 0; k < s->config->root->count; k++) {
        const struct sw_setting *at = s->config->root->child[k];
        if (!sw_near(at->name, key, 1)) continue;
        report_error(s, at, "unknown key '%s'; did you mean 'problem'?", at->path);
        return;
    }
    report_error(s, NULL, "'problem' is missing: one of %s", known);
}

static void pick_problem(struct sw_sweep *s)
{
    const struct sw_setting *at = sw_config_find(s->config, "problem");
    const char *name[32];
    char known[600] = "";
    int n = 0;
    for (; sw_problem_table[n] && n < 32; n++) {
        name[n] = sw_problem_table[n]->name;
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", n ? ", " : "", name[n]);
    }
    if (!at) { refuse_without_problem(s, known); return; }
    if (at->kind != SW_SETTING_STRING) {
        report_error(s, at, "'problem' must be one of %s, in quotes", known);
        return;
    }
    s->problem = sw_problem_find(at->text);
    if (s->problem) return;
    const char *near = sw_near(at->text, name, n);
    if (near) report_error(s, at, "unknown problem '%s'; did you mean '%s'?", at->text, near);
    else report_error(s, at, "unknown problem '%s'; known: %s", at->text, known);
}

static enum sw_status so_far(const struct sw_sweep *s)
{
    if (s->own->starved) return SW_FAIL(SW_E_MEMORY, "out of memory while reading %s", s->config->name);
    return sw_report_status(s->own->report);
}

static enum sw_status expand(struct sw_sweep *s)
{
    struct times every;
    int errors;
    pick_problem(s);
    if (!s->problem) return so_far(s);
    SW_TRY(keys_read(s));
    step_check(s);
    SW_TRY(options_read(s));
    errors = s->own->report->errors;
    SW_TRY(axes_read(s));
    SW_TRY(axes_combine(s));
    s->own->axes_wrong = s->nruns < 1 || s->own->report->errors > errors;
    grid_check(s);
    SW_TRY(columns_make(s));
    choices_resolve(s);
    SW_TRY(functions_read(s));
    namesakes_check(s);
    if (s->problem->timed) SW_TRY(times_read(s, "output.fields.times", &s->own->fields));
    else SW_TRY(end_read(s, "output.fields", &s->own->fields));
    SW_TRY(times_read(s, "output.scalars.times", &s->own->scalars));
    SW_TRY(every_read(s, "output.scalars.every", &every));
    if (every.setting) s->own->scalars = every;
    solver_check(s);
    shape_prepare(s);
    /* an axis may be used in an expression that was refused */
    if (s->own->report->errors == 0) SW_TRY(axes_check_used(s));
    SW_TRY(columns_fold(s));
    SW_TRY(runs_check(s));
    return so_far(s);
}

enum sw_status sw_sweep_expand(const struct sw_config *config, struct sw_report *report, struct sw_sweep **sweep)
{
    enum sw_status st;
    struct sw_sweep *s;
    *sweep = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->config = config;
    SW_TRY_TO(failed, st, sw_alloc(1, &s->own));
    SW_TRY_TO(failed, st, sw_arena_create(&s->own->arena));
    s->own->report = report;
    SW_TRY_TO(failed, st, expand(s));
    s->own->report = NULL;
    *sweep = s;
    return SW_OK;
failed:
    sw_sweep_destroy(&s);
    return st;
}

void sw_sweep_destroy(struct sw_sweep **sweep)
{
    if (!sweep || !*sweep) return;
    struct sw_sweep_own *own = (*sweep)->own;
    for (struct formula *f = own ? own->formulas : NULL; f; f = f->next) {
        sw_program_destroy(&f->program);
        sw_expr_destroy(&f->expr);
    }
    if (own) sw_arena_destroy(&own->arena);
    sw_free(own);
    sw_free(*sweep);
    *sweep = NULL;
}

/* ------------------------------------------------------------------ asking */

struct copying { const struct sw_sweep *s; int64_t count; double *out; };

static enum sw_status copy_block(void *user, const struct block *b)
{
    const struct copying *c = user;
    for (int k = 0; k < c->s->ncolumn; k++)
        memcpy(c->out + (int64_t)k * c->count + b->at, b->column + (size_t)k * BLOCK,
               (size_t)b->count * sizeof *c->out);
    return SW_OK;
}

enum sw_status sw_sweep_columns(const struct sw_sweep *s, const int64_t *run, int64_t first, int64_t count, double *out)
{
    return blocks_each(s, run, first, count, false, copy_block, &(struct copying){s, count, out});
}

void sw_sweep_describe(const struct sw_sweep *s, int64_t run, char *text, int room)
{
    int at = 0;
    if (room > 0) text[0] = 0;
    for (int k = 0; k < s->naxis && at < room; k++) {
        const struct axis *a = &s->own->axis[k];
        double v;
        axis_values(s, k, &run, 0, 1, &v);
        if (a->word)
            at += snprintf(text + at, (size_t)(room - at), "%s%s = %s", k ? ", " : "", a->name, a->word[(int)v]);
        else at += snprintf(text + at, (size_t)(room - at), "%s%s = %g", k ? ", " : "", a->name, v);
    }
}

struct sw_setup sw_sweep_setup(const struct sw_sweep *s, const struct sw_group *group, int capacity)
{
    struct sw_setup setup = {.dim = group->dim,
                             .n = {group->n[0], group->n[1], group->n[2]},
                             .capacity = capacity,
                             .fields = group->nfield > 0,
                             .single = s->single_fields,
                             .single_steps = s->single_steps,
                             .solver = group->solver,
                             .ncolumn = s->ncolumn,
                             .scope = &s->own->scope,
                             .column = s->column_name,
                             .nfunction = s->nfunction,
                             .function = s->function,
                             .nchoice = s->nchoice,
                             .choice = group->choice ? group->choice : s->choice};
    for (int d = 0; d < group->dim && s->problem->walls; d++) setup.walls[d] = s->problem->walls(&setup, d);
    return setup;
}
