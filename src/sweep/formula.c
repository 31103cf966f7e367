#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/expand_impl.h"

enum sw_status formula_parse(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                             const char *text, struct formula **formula)
{
    struct sw_expr_error err;
    struct sw_expr *expr;
    char *copy;
    *formula = NULL;
    enum sw_status st = sw_expr_parse(text, &expr, &err);
    if (st == SW_E_CONFIG) {
        report_expr_error(s, setting, path, text, &err);
        return SW_OK;
    }
    if (st) return st;
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, formula));
    SW_TRY_TO(failed, st, sw_arena_printf(s->own->arena, &copy, "%s", text));
    **formula =
        (struct formula){.path = path, .text = copy, .setting = setting, .expr = expr, .next = s->own->formulas};
    s->own->formulas = *formula;
    return SW_OK;
failed:
    sw_expr_destroy(&expr);
    return st;
}

/* "algorithm" is a name, but no number. */
struct word_search { const struct sw_sweep *s; struct sw_expr_error *err; };

static void find_word(void *user, const char *name, int column)
{
    struct word_search *w = user;
    const struct sw_sweep *s = w->s;
    if (w->err->column) return;
    for (int k = 0; k < s->naxis; k++) {
        if (!s->own->axis[k].word || strcmp(s->own->axis[k].name, name)) continue;
        w->err->column = column;
        w->err->length = (int)strlen(name);
        snprintf(w->err->text, sizeof w->err->text, "'%s' is an axis of words, not a number", name);
        snprintf(w->err->hint, sizeof w->err->hint, "the string \"$%s\" stands for its word", name);
    }
}

enum sw_status formula_compile(const struct sw_sweep *s, struct formula *f, const struct sw_scope *scope)
{
    struct sw_expr_error err = {0};
    sw_expr_names(f->expr, find_word, &(struct word_search){s, &err});
    enum sw_status st = err.column ? SW_E_CONFIG : sw_program_compile(f->expr, scope, &f->program, &err);
    if (st != SW_E_CONFIG) return st;
    report_expr_error(s, f->setting, f->path, f->text, &err);
    return SW_OK;
}

bool formula_constant(const struct sw_sweep *s, const char *text, double *value)
{
    struct sw_expr_error err;
    struct sw_expr *expr;
    struct sw_program *program = NULL;
    enum sw_status st = sw_expr_parse(text, &expr, &err);
    if (!st) st = sw_program_compile(expr, &(struct sw_scope){0}, &program, &err);
    if (st == SW_E_MEMORY) s->own->starved = true;
    bool constant = !st && sw_program_constant(program, value);
    sw_program_destroy(&program);
    sw_expr_destroy(&expr);
    return constant;
}

static enum sw_status read_text(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                                const char *text, struct value *value, bool *ok)
{
    struct formula *f;
    SW_TRY(formula_parse(s, path, setting, text, &f));
    if (f) SW_TRY(formula_compile(s, f, &s->own->scope));
    *ok = f && f->program;
    if (*ok && !sw_program_constant(f->program, &value->number)) value->formula = f;
    return SW_OK;
}

enum sw_status value_read(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                          const char *text, struct value *value, bool *ok)
{
    *value = (struct value){0};
    *ok = false;
    if (text) return read_text(s, path, setting, text, value, ok);
    switch (setting->kind) {
    case SW_SETTING_INTEGER:
    case SW_SETTING_REAL:
        value->number = setting->number;
        *ok = true;
        return SW_OK;
    case SW_SETTING_STRING:
        return read_text(s, path, setting, setting->text, value, ok);
    default:
        report_error(s, setting, "'%s' must be a number, or an expression in quotes", path);
        return SW_OK;
    }
}

enum sw_status value_over_runs(const struct value *value, int count, const double *column, double *out)
{
    if (value->formula) return sw_program_over_runs(value->formula->program, count, column, BLOCK, out);
    for (int j = 0; j < count; j++) out[j] = value->number;
    return SW_OK;
}

struct need { const struct sw_sweep *s; bool uniform, known; };

static void note_need(void *user, const char *name, int column)
{
    struct need *need = user;
    int k = column_meant(need->s, name);
    (void)column;
    if (k < 0) return;
    need->uniform &= need->s->column[k].uniform;
    need->known &= !need->s->own->source[k].unknown;
}

static struct need needs(const struct sw_sweep *s, const struct value *value)
{
    struct need need = {s, true, true};
    if (value->formula) sw_expr_names(value->formula->expr, note_need, &need);
    return need;
}

bool value_uniform(const struct sw_sweep *s, const struct value *value) { return needs(s, value).uniform; }

bool value_known(const struct sw_sweep *s, const struct value *value) { return needs(s, value).known; }
