#include "sweep/names.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/axis.h"
#include "sweep/columns.h"
#include "sweep/keys.h"
#include "sweep/ladder.h"
#include "sweep/reductions.h"
#include "sweep/sw_run_result.h"
#include "sweep/sweep_own.h"
#include "sweep/times.h"

/* ------------------------------------------------------------------ is it a name? */

enum { NAME_MOST = 63 };  /* characters of a name in expressions */

static bool is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return strchr(letters, name[0]) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

static void count_names(void *user, const char *name, int column)
{
    (void)name, (void)column;
    ++*(int *)user;
}

/* What is a function or constant does not parse as a name. */
bool name_is_in_language(const struct sw_sweep *s, const char *name)
{
    struct sw_expr_error err;
    struct sw_expr *expr;
    int names = 0;
    enum sw_status st = sw_expr_parse(name, &expr, &err);
    if (st == SW_E_MEMORY) s->own->out_of_memory = true;
    if (st) return true;
    sw_expr_names(expr, count_names, &names);
    sw_expr_destroy(&expr);
    return names == 0;
}

static bool is_in_list(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list)) return true;
    return false;
}

/* Groups of the output file are called n00064 or n00064x00032. */
static bool is_group_name(const char *name)
{
    return name[0] == 'n' && strlen(name) >= 6 && !name[1 + strspn(name + 1, "0123456789x")];
}

static const char *const point_names[] = {"x", "y", "z", "t", "u", "ux", NULL};
/* Beside the columns of the run table. */
static const char *const file_names[] = {"run", "group_run", "run_id", "message", "time", "time_s", "t_s", "xc", "yc",
                                         "zc", "state", "state_last", "state_value", "provenance", NULL};
static const char *const history_names[] = {"iteration", "residual_history", NULL};  /* of a problem that iterates */

/* Datasets that every output file has. */
static bool is_in_every_file(const char *name)
{
    return is_in_list(name, file_names) || sw_run_column_find(name) || is_group_name(name);
}

/* A scalar that each unknown has. */
static bool is_of_unknown(const struct sw_sweep *s, const char *name)
{
    for (int k = 0; k < s->ndefined; k++)
        if (!s->own->defined[k].setting && !strcmp(s->scalar[s->nscalar - s->ndefined + k].name, name)) return true;
    return false;
}

static void check_allowed(const struct sw_sweep *s, const struct sw_setting *setting)
{
    const char *name = setting->name, *why = NULL;
    if (!is_identifier(name)) why = "a name is made of letters, digits and _";
    else if (strlen(name) > NAME_MOST) why = "a name has at most 63 characters";
    else if (is_in_list(name, point_names) || (s->problem->shape->numbered && !strcmp(name, "i")))
        why ="it is a coordinate, the time or the field";
    else if (name_is_in_language(s, name)) why = "it is a function or constant of the expressions";
    else if (is_in_every_file(name) || is_of_unknown(s, name) ||
             (s->problem->measures & SW_ITERATES && is_in_list(name, history_names)) ||
             sw_quantity_listed(s->own->unknown_field ? s->own->unknown_field : s->problem->fields, name) ||
             sw_quantity_listed(s->problem->scalars, name))
        why = "it is a variable of the output file";
    if (why) report_error(s, setting, "'%s' cannot be called '%s': %s", setting->path, name, why);
}

static const char *kind_name(enum sw_column_kind kind)
{
    return kind == SW_COLUMN_AXIS ? "an axis" : kind == SW_COLUMN_DEFINE ? "a define" : "a key";
}

/* A scalar of the user's own is a dataset beside the axes; what expressions know by its name would be another
 * number. */
static void check_scalar(const struct sw_sweep *s, const struct sw_setting *setting)
{
    const int known = column_in_scope(s, setting->name);
    check_allowed(s, setting);
    for (int k = 0; k < s->ncolumn; k++) {
        if (k != known && strcmp(s->column[k].name, setting->name)) continue;
        report_error(s, setting, "'%s' has the name of %s%s%s; give the scalar another name", setting->path,
                     kind_name(s->column[k].kind), s->column[k].kind == SW_COLUMN_KEY ? ", " : "",
                     s->column[k].kind == SW_COLUMN_KEY ? s->column[k].name : "");
        return;
    }
}

static bool is_function(const struct sw_key *key) { return key->kind == SW_KEY_FUNCTION; }

static bool is_named(const struct sw_key *key, const char *name)
{
    return key_has_name(key) && (!strcmp(key_name(key), name) || (key->alias && !strcmp(key->alias, name)));
}

/* ------------------------------------------------------------------ is the key of its name the axis or define? */

/* Whether an expression is the name alone. */
static bool is_name(const struct sw_expr *expr, const char *name)
{
    struct sw_text text = {0};
    sw_expr_print(expr, &text);
    bool same = !strcmp(sw_text_get(&text), name);
    sw_text_free(&text);
    return same;
}

static const struct source *source_of(const struct sw_sweep *s, const struct sw_key *key)
{
    return &s->own->source[column_find(s, key->path)];
}

static bool number_key_takes(const struct sw_sweep *s, const struct sw_key *key, const char *name)
{
    const struct source *from = source_of(s, key);
    if (from->kind == SOURCE_FORMULA) return is_name(from->formula->expr, name);
    return from->unknown && from->kind == SOURCE_CONSTANT;  /* refused, or missing: reported already */
}

/* A function that is off is not part of the equation. */
static bool function_key_takes(const struct sw_sweep *s, const struct sw_key *key, const char *name)
{
    for (int k = 0; k < s->nfunction; k++)
        if (!strcmp(s->function[k].key, key->path)) return is_name(s->function[k].expr, name);
    return key_setting(s, key->path) != NULL || !key->fallback;  /* reported already */
}

static bool word_key_takes(const struct sw_sweep *s, const struct sw_key *key, const char *name)
{
    const struct sw_setting *setting = key_setting(s, key->path);
    return setting && setting->kind == SW_SETTING_STRING && setting->text[0] == '$' && !strcmp(setting->text + 1, name);
}

static bool key_takes(const struct sw_sweep *s, const struct sw_key *key, const char *name)
{
    if (key_is_number(key)) return number_key_takes(s, key, name);
    return is_function(key) ? function_key_takes(s, key, name) : word_key_takes(s, key, name);
}

static void report_other_key(const struct sw_sweep *s, const struct sw_key *key, const struct sw_column *column,
                             const struct sw_setting *setting)
{
    const char *kind = column->kind == SW_COLUMN_AXIS ? "axis" : "define";
    const bool word = !key_is_number(key) && !is_function(key);
    char how[120];
    if (word != (column->nword > 0)) {
        report_error(s, setting, "'%s' has the name of the key %s, which takes %s: give the %s another name",
                     setting->path, key->path, word ? "words" : "a number or an expression", kind);
        return;
    }
    if (key->element)
        snprintf(how, sizeof how, "write \"%s\" in the list %.*s", column->name,
                 (int)(strrchr(key->path, '.') - key->path), key->path);
    else snprintf(how, sizeof how, "write %s = \"%s%s\"", key->path, word ? "$" : "", column->name);
    report_error(s, setting, "'%s' has the name of the key %s, which is not this %s: %s, or give the %s another name",
                 setting->path, key->path, kind, how, kind);
}

/* Configs and files are older than some names of keys, and may have axes and defines of these names: such a key
 * claims its name only where the config sets it by that name. */
static bool claims_name(const struct sw_sweep *s, const struct sw_key *key)
{
    if (!key->former && !key->added_later) return true;
    const struct sw_setting *setting = key_setting(s, key->path);
    return setting && !strcmp(setting->path, key->path);
}

static void check_keys(const struct sw_sweep *s, const struct sw_column *column, const struct sw_setting *setting)
{
    const struct sw_key *key;
    for (int k = 0; (key = key_at(s, k)); k++) {
        if (!is_named(key, column->name) || !claims_name(s, key) || key_takes(s, key, column->name)) continue;
        report_other_key(s, key, column, setting);
        return;
    }
}

void names_check(const struct sw_sweep *s)
{
    for (int k = 0; k < s->ncolumn; k++) {
        const struct sw_column *c = &s->column[k];
        const struct source *from = &s->own->source[k];
        if (c->kind == SW_COLUMN_KEY) continue;
        check_allowed(s, from->setting);
        if (!from->unknown) check_keys(s, c, from->setting);
    }
    for (int v = 0; v < s->nunknown; v++)
        if (is_in_every_file(s->unknown[v]) || is_of_unknown(s, s->unknown[v]))
            report_error(s, key_setting(s, "unknowns"), "'unknowns': '%s' is a variable of the output file; give the "
                         "unknown another name", s->unknown[v]);
    const struct sw_setting *scalars = scalars_setting(s);
    for (int k = 0; scalars && k < scalars->count; k++) check_scalar(s, scalars->child[k]);
}

/* ------------------------------------------------------------------ is it used? */

struct usage { const struct sw_sweep *s; bool *used; };

static void mark_used(struct usage *u, const struct sw_expr *expr);

static void mark_name(void *user, const char *name, int column)
{
    struct usage *u = user;
    int k = column_in_scope(u->s, name);
    (void)column;
    if (k < 0 || u->used[k]) return;
    u->used[k] = true;
    if (u->s->own->source[k].formula) mark_used(u, u->s->own->source[k].formula->expr);
}

static void mark_used(struct usage *u, const struct sw_expr *expr) { sw_expr_names(expr, mark_name, u); }

/* Whether a number key takes the number of the run, on which every axis has a say. */
static bool counts_runs(const struct sw_sweep *s, const char *but)
{
    for (int k = 0; k < s->ncolumn; k++)
        if (s->own->source[k].kind == SOURCE_RUN && !sw_text_same(s->column[k].name, but)) return true;
    return false;
}

/* What keys use, and what expressions use that keys have. @param but  a number key that is left out, NULL: none */
static void mark_all(struct usage *u, const char *but)
{
    const struct sw_sweep *s = u->s;
    for (int k = 0; k < s->ncolumn; k++)
        if (s->column[k].kind == SW_COLUMN_KEY && s->own->source[k].formula && !sw_text_same(s->column[k].name, but))
            mark_used(u, s->own->source[k].formula->expr);
    for (int k = 0; k < s->nfunction; k++) mark_used(u, s->function[k].expr);
    for (int k = 0; k < s->ndefined; k++) sw_reduction_names(s->defined[k], mark_name, u);
    if (s->stop_when) sw_reduction_names(s->stop_when, mark_name, u);
    for (int k = 0; k < s->own->looks->narg; k++)
        if (s->own->looks->arg[k].formula) mark_used(u, s->own->looks->arg[k].formula->expr);
    const int row = s->own->row[0] == '$' ? column_find(s, s->own->row + 1) : -1;
    if (row >= 0) u->used[row] = true;
    for (int k = 0; k < s->nchoice; k++)
        if (s->own->choice_column[k] >= 0) u->used[s->own->choice_column[k]] = true;
    if (s->own->ladder->direction >= 0) u->used[s->axis[s->own->ladder->direction].column] = true;
    if (!counts_runs(s, but)) return;
    for (int k = 0; k < s->naxis; k++) u->used[s->axis[k].column] = true;
}

bool sw_sweep_axis_serves(const struct sw_sweep *s, int axis, const char *key)
{
    struct usage u = {.s = s};
    if (sw_alloc((size_t)s->ncolumn, &u.used)) return false;
    mark_all(&u, key);
    const bool used = u.used[s->axis[axis].column];
    sw_free(u.used);
    return !used;
}

enum sw_status names_column_follows(const struct sw_sweep *s, int column, int axis, bool *follows)
{
    const struct formula *f = s->own->source[column].formula;
    struct usage u = {.s = s};
    SW_TRY(sw_alloc((size_t)s->ncolumn, &u.used));
    if (f) mark_used(&u, f->expr);
    *follows = column == s->axis[axis].column || u.used[s->axis[axis].column];
    sw_free(u.used);
    return SW_OK;
}

enum sw_status names_check_used(struct sw_sweep *s, const char *but)
{
    struct usage u = {.s = s};
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->ncolumn, &u.used));
    mark_all(&u, but);
    for (int k = 0; k < s->naxis; k++) {
        const struct axis *a = &s->own->axis[k];
        if (u.used[s->axis[k].column] || (a->count < 2 && a->kind != AXIS_TABLE)) continue;
        report_error(s, a->setting, "'%s' changes nothing: no key or expression uses it", a->setting->path);
    }
    return SW_OK;
}
