#include "sweep/formula.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "sweep/column_values.h"
#include "sweep/columns.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"
#include "sweep/unknowns.h"

/* ------------------------------------------------------------------ parsing and compiling */

void formula_report(const struct sw_sweep *s, const struct sw_setting *setting, const char *path, const char *text,
                    const struct sw_expr_error *err)
{
    char *shown = sw_expr_error_show(text, err);
    report_error(s, setting, "'%s', %s", path, shown ? shown : err->text);
    sw_free(shown);
}

/* *formula is NULL if the text was refused. @param dimensions  of the derivatives in it; 1: those along x */
static enum sw_status formula_parse(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                                    const char *text, int dimensions, struct formula **formula)
{
    struct sw_expr_error err;
    struct sw_expr *expr;
    char *copy;
    *formula = NULL;
    enum sw_status st = sw_expr_parse_fields(text, dimensions, &expr, &err);
    if (st == SW_E_CONFIG) {
        formula_report(s, setting, path, text, &err);
        return SW_OK;
    }
    if (st) return st;
    SW_TRY_TO(failed, st, sw_arena_take(s->own->arena, 1, formula));
    SW_TRY_TO(failed, st, sw_arena_printf(s->own->arena, &copy, "%s", text));
    **formula =
        (struct formula){.path = path, .text = copy, .setting = setting, .expr = expr, .next = s->own->formula};
    s->own->formula = *formula;
    return SW_OK;
failed:
    sw_expr_destroy(&expr);
    return st;
}

/* The name of an axis of words is known, but it is not a number. */
struct word_search { const struct sw_sweep *s; struct sw_expr_error *err; };

static void refuse_word(void *user, const char *name, int column)
{
    struct word_search *w = user;
    const struct sw_sweep *s = w->s;
    if (w->err->column) return;
    for (int k = 0; k < s->ncolumn; k++) {
        if (!s->column[k].nword || strcmp(s->column[k].name, name)) continue;
        w->err->column = column;
        w->err->length = (int)strlen(name);
        snprintf(w->err->text, sizeof w->err->text, "'%s' is an axis of words, not a number", name);
        snprintf(w->err->hint, sizeof w->err->hint, "the string \"$%s\" stands for its word", name);
    }
}

/* A coordinate that points have not, on a line of a problem that has grids of more dimensions, too. */
struct axis_search { const struct sw_scope *scope; struct sw_expr_error *err; };

static void refuse_axis(void *user, const char *name, int column)
{
    struct axis_search *a = user;
    bool on_line = false, known = false;
    for (int k = 0; k < a->scope->count; k++) {
        on_line |= a->scope->symbol[k].rate == SW_RATE_CELL && !strcmp(a->scope->symbol[k].name, "x");
        known |= !strcmp(a->scope->symbol[k].name, name);
    }
    if (!on_line || known || a->err->column || (strcmp(name, "y") && strcmp(name, "z"))) return;
    a->err->column = column;
    a->err->length = 1;
    snprintf(a->err->text, sizeof a->err->text, "unknown name '%s'", name);
    snprintf(a->err->hint, sizeof a->err->hint, "lines have one coordinate, x; %s is there with grid.n = [nx, ny%s]",
             name, *name == 'z' ? ", nz" : "");
}

/* f->program stays NULL if it was refused. */
static enum sw_status formula_compile(const struct sw_sweep *s, struct formula *f, const struct sw_scope *scope)
{
    struct sw_expr_error err = {0};
    sw_expr_names(f->expr, refuse_word, &(struct word_search){s, &err});
    if (s->problem->shape->in_fields) sw_expr_names(f->expr, refuse_axis, &(struct axis_search){scope, &err});
    enum sw_status st = err.column ? SW_E_CONFIG : sw_program_compile(f->expr, scope, &f->program, &err);
    if (st != SW_E_CONFIG) return st;
    formula_report(s, f->setting, f->path, f->text, &err);
    return SW_OK;
}

bool formula_constant(const struct sw_sweep *s, const char *text, double *value)
{
    struct sw_expr_error err;
    struct sw_expr *expr;
    struct sw_program *program = NULL;
    enum sw_status st = sw_expr_parse(text, &expr, &err);
    if (!st) st = sw_program_compile(expr, &(struct sw_scope){0}, &program, &err);
    if (st == SW_E_MEMORY) s->own->out_of_memory = true;
    bool constant = !st && sw_program_constant(program, value);
    sw_program_destroy(&program);
    sw_expr_destroy(&expr);
    return constant;
}

void formulas_free(struct sw_sweep *s)
{
    for (struct formula *f = s->own->formula; f; f = f->next) {
        sw_program_destroy(&f->program);
        sw_expr_destroy(&f->expr);
    }
}

/* ------------------------------------------------------------------ numbers of a run */

static enum sw_status read_value_text(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                                      const char *text, struct run_value *value, bool *ok)
{
    struct formula *f;
    SW_TRY(formula_parse(s, path, setting, text, 1, &f));
    if (f) SW_TRY(formula_compile(s, f, &s->own->scope));
    *ok = f && f->program;
    if (*ok && !sw_program_constant(f->program, &value->number)) value->formula = f;
    return SW_OK;
}

enum sw_status value_read(const struct sw_sweep *s, const char *path, const struct sw_setting *setting,
                          const char *text, struct run_value *value, bool *ok)
{
    *value = (struct run_value){0};
    *ok = false;
    if (text) return read_value_text(s, path, setting, text, value, ok);
    switch (setting->kind) {
    case SW_SETTING_INTEGER:
    case SW_SETTING_REAL:
        value->number = setting->number;
        *ok = true;
        return SW_OK;
    case SW_SETTING_STRING:
        return read_value_text(s, path, setting, setting->text, value, ok);
    default:
        report_error(s, setting, "'%s' must be a number, or an expression in quotes", path);
        return SW_OK;
    }
}

/* ------------------------------------------------------------------ FUNCTION keys */

static enum sw_status make_scope(const struct sw_sweep *s, const struct sw_key *key, struct sw_scope *scope)
{
    const char *coordinate = s->problem->shape->numbered ? "i" : "x";
    struct sw_symbol *symbol;
    int n = 0;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->own->scope.count + 5, &symbol));
    if (key->symbols & SW_USES_X) symbol[n++] = (struct sw_symbol){coordinate, SW_RATE_CELL, SW_IN_X};
    if (key->symbols & SW_USES_X && grid_max_dim(s->problem) > 1)
        symbol[n++] = (struct sw_symbol){"y", SW_RATE_CELL, SW_IN_Y};
    if (key->symbols & SW_USES_X && grid_max_dim(s->problem) > 2)
        symbol[n++] = (struct sw_symbol){"z", SW_RATE_CELL, SW_IN_Z};
    if (key->symbols & SW_USES_T) symbol[n++] = (struct sw_symbol){"t", SW_RATE_STEP, 0};
    if (key->symbols & SW_USES_U) symbol[n++] = (struct sw_symbol){"u", SW_RATE_POINT, SW_IN_U};
    for (int k = 0; k < s->own->scope.count; k++) symbol[n++] = s->own->scope.symbol[k];
    /* random numbers of every step have a stream of their own: step 0 of a forcing is not the initial noise */
    *scope = (struct sw_scope){.symbol = symbol, .count = n, .random = (key->symbols & SW_USES_RANDOM) != 0,
                               .stream = key->symbols & SW_USES_T ? 1 : 0};
    return SW_OK;
}

static enum sw_status add_function(struct sw_sweep *s, const struct sw_key *key, int unknown,
                                   const struct sw_setting *setting, const char *text)
{
    const bool later = (key->symbols & SW_USES_TERMS) != 0;
    struct sw_scope scope;
    struct formula *f;
    SW_TRY(formula_parse(s, key->path, setting, text, later && s->own->dimensions ? s->own->dimensions : 1, &f));
    if (!f) return SW_OK;
    SW_TRY(make_scope(s, key, &scope));
    if (!later) SW_TRY(formula_compile(s, f, &scope));
    if (f->program || later)
        s->function[s->nfunction++] = (struct sw_function){.key = key->path, .unknown = unknown, .text = f->text,
                                                           .expr = f->expr, .program = f->program};
    return SW_OK;
}

/* A group where a function belongs: "left.x.neumann" may have been meant as the key left.neumann.x. */
static void report_group(struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *group)
{
    const char *dot = strrchr(key->path, '.');
    char swapped[120];
    for (int k = 0; k < group->count && dot; k++) {
        const struct sw_setting *child = group->child[k];
        snprintf(swapped, sizeof swapped, "%.*s.%s%s", (int)(dot - key->path), key->path, child->name, dot);
        if (!key_find(s, swapped)) continue;
        report_error(s, child, "unknown key '%s'; did you mean '%s'?", child->path, swapped);
        return;
    }
    report_error(s, group, "'%s' is a group; write an expression in quotes", key->path);
}

static enum sw_status read_function_at(struct sw_sweep *s, const struct sw_key *key, int unknown,
                                       const struct sw_setting *setting)
{
    const char *absent = key_default(s, key);
    char number[32];
    if (!setting) return absent && *absent ? add_function(s, key, unknown, NULL, absent) : SW_OK;
    switch (setting->kind) {
    case SW_SETTING_STRING: return add_function(s, key, unknown, setting, setting->text);
    case SW_SETTING_INTEGER:
    case SW_SETTING_REAL: return add_function(s, key, unknown, setting, sw_number(setting->number, number));
    case SW_SETTING_GROUP: report_group(s, key, setting); return SW_OK;
    default: report_error(s, setting, "'%s' must be an expression in quotes", key->path); return SW_OK;
    }
}

/* The expression of `exact` for an unknown of a key that it stands for; NULL: it has none. */
static const struct sw_setting *stand_in_of(const struct sw_sweep *s, const struct sw_key *key, int unknown)
{
    const struct sw_setting *exact = key_stand_in(s, key);
    if (exact->kind != SW_SETTING_GROUP || !key->each) return exact;
    return sw_setting_member(exact, s->unknown[unknown]);
}

/* What is wrong with it is reported with `exact` itself. @param text  out: it at t = 0; empty: it is wrong */
static enum sw_status write_at_0(const struct sw_sweep *s, const struct sw_key *key, const char *exact,
                                 struct sw_text *text)
{
    struct sw_expr *expr = NULL, *at_0 = NULL;
    struct sw_program *program = NULL;
    struct sw_expr_error err;
    struct sw_scope scope;
    enum sw_status st = sw_expr_parse(exact, &expr, &err);
    if (!st) st = sw_expr_put(expr, "t", 0, &at_0);
    if (!st) st = make_scope(s, key, &scope);
    if (!st) st = sw_program_compile(at_0, &scope, &program, &err);
    if (!st) sw_expr_print(at_0, text);
    sw_program_destroy(&program);
    sw_expr_destroy(&at_0);
    sw_expr_destroy(&expr);
    return st == SW_E_CONFIG ? SW_OK : st ? st : sw_text_status(text);
}

static enum sw_status read_stand_in(struct sw_sweep *s, const struct sw_key *key, int unknown)
{
    const struct sw_setting *exact = stand_in_of(s, key, unknown), *setting = key_setting(s, key->path);
    struct sw_text text = {0};
    char number[32];
    if (!exact)
        report_error(s, setting ? setting : key_stand_in(s, key), "'%s' has no expression for the unknown '%s', and "
                     "'exact' has none that stands for it", key->path, s->unknown[unknown]);
    if (!exact || (exact->kind != SW_SETTING_STRING && exact->kind != SW_SETTING_INTEGER &&
                   exact->kind != SW_SETTING_REAL)) return SW_OK;
    enum sw_status st = write_at_0(s, key, exact->kind == SW_SETTING_STRING ? exact->text
                                                                             : sw_number(exact->number, number), &text);
    if (!st && text.length) {
        st = add_function(s, key, unknown, exact, sw_text_get(&text));
        sw_report_add_at(s->own->report, SW_WARNING, error_place(s, exact), "'%s' is not given: it is taken from "
                         "'exact', at t = 0", key->path);
    }
    sw_text_free(&text);
    return st;
}

/* The key in the group of another that a name may have been meant as; NULL: none is near. */
static const char *near_member(const struct sw_sweep *s, const struct sw_key *group, const char *name)
{
    const size_t length = strlen(group->path);
    const char *list[SW_MAX_KEYS];
    const struct sw_key *key;
    int n = 0;
    for (int k = 0; (key = key_at(s, k)) && n < SW_MAX_KEYS; k++)
        if (!strncmp(key->path, group->path, length) && key->path[length] == '.') list[n++] = key->path + length + 1;
    return sw_nearest_name(name, list, n);
}

static enum sw_status read_each(struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *group)
{
    for (int k = 0; k < group->count; k++) {
        const struct sw_setting *child = group->child[k];
        if (unknown_find(s, child->name) >= 0 || (key->beside && key_find(s, child->path))) continue;
        const char *near = sw_nearest_name(child->name, s->unknown, s->nunknown);
        const char *beside = key->beside && !near ? near_member(s, key, child->name) : NULL;
        if (beside) {
            report_error(s, child, "unknown key '%s'; did you mean '%s.%s'?", child->path, key->path, beside);
            continue;
        }
        if (near)
            report_error(s, child, "'%s': there is no unknown '%s'; did you mean '%s'?", key->path, child->name, near);
        else
            report_error(s, child, "'%s': there is no unknown '%s': unknowns = [ ... ] names them, it has '%s'%s",
                         key->path, child->name, s->unknown[0], s->nunknown > 1 ? " ..." : "");
    }
    for (int v = 0; v < s->nunknown; v++) {
        const struct sw_setting *setting = sw_setting_member(group, s->unknown[v]);
        if (!setting && key_stand_in(s, key)) SW_TRY(read_stand_in(s, key, v));
        else if (!setting && !key->fallback)
            report_error(s, group, "'%s' has no expression for the unknown '%s'", key->path, s->unknown[v]);
        else SW_TRY(read_function_at(s, key, v, setting));
    }
    return SW_OK;
}

static enum sw_status read_stand_ins(struct sw_sweep *s, const struct sw_key *key)
{
    const bool many = key->each && s->nunknown > 1;
    if (many && key_stand_in(s, key)->kind != SW_SETTING_GROUP) return SW_OK;  /* reported with `exact` itself */
    for (int v = 0; v < (many ? s->nunknown : 1); v++) SW_TRY(read_stand_in(s, key, v));
    return SW_OK;
}

static enum sw_status read_function(struct sw_sweep *s, const struct sw_key *key)
{
    const struct sw_setting *setting = key_setting(s, key->path);
    if (setting && key_has_members(s, key, setting) && !(key->each && key->beside)) return SW_OK;
    if (!setting && key_stand_in(s, key)) return read_stand_ins(s, key);
    if (key->each && setting && setting->kind == SW_SETTING_GROUP) return read_each(s, key, setting);
    if (!key->each || s->nunknown < 2) return read_function_at(s, key, 0, setting);
    if (setting)
        report_error(s, setting, "'%s' is one expression: with %d unknowns write %s = { %s = \"...\"; ... };",
                     key->path, s->nunknown, key->path, s->unknown[0]);
    return SW_OK;
}

enum sw_status functions_read(struct sw_sweep *s)
{
    const struct sw_key *key;
    size_t most = 0;
    for (int k = 0; (key = key_at(s, k)); k++)
        if (key->kind == SW_KEY_FUNCTION) most += key->each ? SW_UNKNOWNS_MOST : 1;
    SW_TRY(sw_arena_take(s->own->arena, most, &s->function));
    for (int k = 0; (key = key_at(s, k)); k++)
        if (key->kind == SW_KEY_FUNCTION) SW_TRY(read_function(s, key));
    return SW_OK;
}

enum sw_status functions_prepare(struct sw_sweep *s)
{
    const struct sw_setup setup = setup_of_sweep(s);
    struct sw_expr_error err = {0};
    int function = -1;
    if (!s->problem->texts || s->own->report->errors) return SW_OK;
    const enum sw_status st = s->problem->texts->prepare(&setup, &s->own->prepared, &function, &err);
    if (st != SW_E_CONFIG) return st;
    for (const struct formula *f = s->own->formula; f && function >= 0; f = f->next)
        if (f->expr == s->function[function].expr) {
            formula_report(s, f->setting, f->path, f->text, &err);
            return SW_OK;
        }
    report_error(s, key_setting(s, "unknowns"), "'unknowns': %s%s%s", err.text, *err.hint ? "; " : "", err.hint);
    return SW_OK;
}

/* ------------------------------------------------------------------ calls */

static bool is_listed(const char *name, size_t length, const char *functions)
{
    for (const char *f = functions; *f; f += strcspn(f, "|"), f += *f == '|')
        if (strcspn(f, "|") == length && !memcmp(f, name, length)) return true;
    return false;
}

static const char *skip_blanks(const char *c) { return c + strspn(c, " \t"); }

/* The comma or parenthesis that ends an argument, NULL if there is none. */
static const char *argument_end(const char *c)
{
    for (int depth = 0; *c; c++) {
        if (depth == 0 && (*c == ',' || *c == ')')) return c;
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    }
    return NULL;
}

enum sw_status call_split(const struct sw_sweep *s, const char *text, const char *functions, struct list_call *call,
                          bool *is_call)
{
    const char *name = skip_blanks(text), *c = name, *end;
    char *copy;
    *is_call = false;
    while (isalpha((unsigned char)*c)) c++;
    size_t length = (size_t)(c - name);
    if (length >= sizeof call->name || !is_listed(name, length, functions)) return SW_OK;
    *call = (struct list_call){0};
    memcpy(call->name, name, length);
    c = skip_blanks(c);
    if (*c++ != '(') return SW_OK;
    do {
        if (!(end = argument_end(c))) return SW_OK;
        c = skip_blanks(c);
        while (end > c && isspace((unsigned char)end[-1])) end--;
        if (end < c) end = c;
        if (call->narg < CALL_ARGS) {
            SW_TRY(sw_arena_printf(s->own->arena, &copy, "%.*s", (int)(end - c), c));
            call->arg[call->narg] = copy;
        }
        call->narg++;
        c = argument_end(c);
    } while (*c++ == ',');
    *is_call = !*skip_blanks(c);
    return SW_OK;
}
