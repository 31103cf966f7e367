#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/expand_impl.h"
#include "sweep/sw_run_result.h"

/* The columns of the run table: number keys that decide, axes, defines. */

int column_find(const struct sw_sweep *s, const char *name)
{
    for (int k = 0; k < s->ncolumn; k++)
        if (!strcmp(s->column[k].name, name)) return k;
    return -1;
}

int column_meant(const struct sw_sweep *s, const char *name)
{
    const struct sw_scope *scope = &s->own->scope;
    for (int k = 0; k < scope->count; k++)
        if (!strcmp(scope->symbol[k].name, name)) return scope->symbol[k].slot;
    return -1;
}

static bool is_column(const struct sw_key *key)
{
    return (key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT) && key->decides;
}

/* ------------------------------------------------------------------ names */

static bool is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return strchr(letters, name[0]) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

/* A function or constant of the language does not parse as a name. */
static void count_name(void *user, const char *name, int column)
{
    (void)name, (void)column;
    ++*(int *)user;
}
static bool in_language(const struct sw_sweep *s, const char *name)
{
    struct sw_expr_error err;
    struct sw_expr *expr;
    int names = 0;
    enum sw_status st = sw_expr_parse(name, &expr, &err);
    if (st == SW_E_MEMORY) s->own->starved = true;
    if (st) return true;
    sw_expr_names(expr, count_name, &names);
    sw_expr_destroy(&expr);
    return names == 0;
}

static bool in_list(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list)) return true;
    return false;
}

static bool is_quantity(const char *name, const struct sw_quantity *q)
{
    for (; q && q->name; q++)
        if (!strcmp(name, q->name)) return true;
    return false;
}

/* Groups of the output file are called n00064 or n00064x00032. */
static bool is_group(const char *name)
{
    return name[0] == 'n' && strlen(name) >= 6 && !name[1 + strspn(name + 1, "0123456789x")];
}

static const char *const symbols[] = {"x", "y", "z", "t", "u", "ux", NULL};
static const char *const variables[] = {"run", "group_run", "run_id", "message", "time", "time_s", "t_s", "xc", "yc",
                                        "zc", "state_last", "state_value", "provenance", NULL};

static void check_name(const struct sw_sweep *s, const struct sw_setting *at)
{
    const char *name = at->name, *why = NULL;
    if (!is_identifier(name)) why = "a name is made of letters, digits and _";
    else if (in_list(name, symbols)) why = "it is a coordinate, the time or the field";
    else if (in_language(s, name)) why = "it is a function or constant of the expressions";
    else if (in_list(name, variables) || sw_run_column_find(name) || is_group(name) ||
             is_quantity(name, s->problem->fields) || is_quantity(name, s->problem->scalars))
        why = "it is a variable of the output file";
    if (why) report_error(s, at, "'%s' cannot be called '%s': %s", at->path, name, why);
}

/* ------------------------------------------------------------------ which columns */

static void add_column(struct sw_sweep *s, struct sw_column column, struct source source)
{
    s->column_name[s->ncolumn] = column.name;
    s->own->source[s->ncolumn] = source;
    s->column[s->ncolumn++] = column;
}

static void add_keys(struct sw_sweep *s)
{
    const struct sw_key *key;
    for (int k = 0; (key = key_at(s, k)); k++) {
        if (!is_column(key)) continue;
        const struct sw_setting *at = key_setting(s, key->path);
        add_column(s, (struct sw_column){key->path, SW_COLUMN_KEY, key->unit, key, 0, NULL, false, at != NULL},
                   (struct source){.setting = at, .number = NAN});
    }
}

static void add_axes(struct sw_sweep *s)
{
    for (int k = 0; k < s->naxis; k++) {
        const struct axis *a = &s->own->axis[k];
        s->axis[k].column = s->ncolumn;
        add_column(s,
                   (struct sw_column){a->name, SW_COLUMN_AXIS, "1", NULL, a->word ? (int)a->count : 0, a->word,
                                      a->count == 1, true},
                   (struct source){.kind = SOURCE_AXIS, .axis = k, .setting = a->setting,
                                   .unknown = s->own->axes_wrong});
        check_name(s, a->setting);
    }
}

static void add_defines(struct sw_sweep *s, const struct sw_setting *define)
{
    for (int k = 0; k < define->count; k++) {
        const struct sw_setting *at = define->child[k];
        for (int j = 0; j < s->naxis; j++)
            if (!strcmp(s->own->axis[j].name, at->name))
                report_error(s, at, "'%s' is an axis of the sweep as well; choose another name", at->path);
        add_column(s, (struct sw_column){at->name, SW_COLUMN_DEFINE, "1", NULL, 0, NULL, false, true},
                   (struct source){.setting = at, .number = NAN});
        check_name(s, at);
    }
}

static const char *called(const struct sw_column *c) { return c->key ? key_name(c->key) : c->name; }

static void add_symbol(struct sw_symbol *symbol, int *n, const char *name, int column)
{
    for (int j = 0; j < *n; j++)
        if (!strcmp(symbol[j].name, name)) return;
    symbol[(*n)++] = (struct sw_symbol){name, SW_RATE_RUN, column};
}

/* Axes and defines first: they shadow a key of their name. */
static enum sw_status make_scope(struct sw_sweep *s)
{
    struct sw_symbol *symbol;
    int n = 0;
    SW_TRY(sw_arena_take(s->own->arena, 2 * (size_t)s->ncolumn, &symbol));
    for (int k = 0; k < s->ncolumn; k++)
        if (s->column[k].kind != SW_COLUMN_KEY && !s->column[k].nword)
            symbol[n++] = (struct sw_symbol){s->column[k].name, SW_RATE_RUN, k};
    for (int k = 0; k < s->ncolumn; k++) {
        const struct sw_key *key = s->column[k].key;
        if (!key || !key->visible) continue;
        add_symbol(symbol, &n, called(&s->column[k]), k);
        if (key->alias) add_symbol(symbol, &n, key->alias, k);
    }
    s->own->scope = (struct sw_scope){.symbol = symbol, .count = n};
    return SW_OK;
}

/* ------------------------------------------------------------------ where their numbers come from */

static enum sw_status read_source(struct sw_sweep *s, int k)
{
    struct source *from = &s->own->source[k];
    const struct sw_key *key = s->column[k].key;
    struct value v;
    bool ok;
    if (from->kind == SOURCE_AXIS || (key && grid_source(s, k))) return SW_OK;
    SW_TRY(step_source(s, k, &ok));
    if (ok) return SW_OK;
    from->unknown = true;
    const char *absent = from->setting ? NULL : key_default(s, key);
    if (!from->setting && (!absent || !*absent)) return SW_OK;  /* missing: reported with the keys */
    SW_TRY(value_read(s, from->setting ? from->setting->path : key->path, from->setting, absent, &v, &ok));
    if (!ok) return SW_OK;
    from->kind = v.formula ? SOURCE_FORMULA : SOURCE_CONSTANT;
    from->number = v.number;
    from->formula = v.formula;
    from->unknown = false;
    return SW_OK;
}

/* ------------------------------------------------------------------ in which order */

enum { NEW, OPEN, CLOSED };
struct ordering {
    struct sw_sweep *s;
    char *state;
    int  *order, norder;  /* all columns, each after those it needs */
    int  *chain, depth;   /* those being looked at                  */
};

static void visit(struct ordering *o, int k);

static void visit_name(void *user, const char *name, int column)
{
    struct ordering *o = user;
    struct source *source = o->s->own->source;
    int k = column_meant(o->s, name), needed_by = o->chain[o->depth - 1];
    (void)column;
    if (k < 0) return;
    visit(o, k);
    source[needed_by].unknown |= source[k].unknown;
}

static void refuse_cycle(struct ordering *o, int k)
{
    char text[400];
    size_t at = 0;
    int from = o->depth;
    while (o->chain[from - 1] != k) from--;
    for (int j = from - 1; j < o->depth && at < sizeof text; j++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s -> ", called(&o->s->column[o->chain[j]]));
    report_error(o->s, o->s->own->source[k].setting, "'%s' depends on itself: %s%s",
                    o->s->own->source[k].formula ? o->s->own->source[k].formula->path : o->s->column[k].name,
                    at < sizeof text ? text : "... -> ", called(&o->s->column[k]));
    o->s->own->source[k].unknown = true;
}

/* A dimension of the grid that has no number of its own. */
static void visit_grid(struct ordering *o, int k)
{
    struct source *source = o->s->own->source, *from = &source[k];
    visit(o, from->dim);
    visit(o, from->like);
    from->unknown |= source[from->dim].unknown || source[from->like].unknown;
    o->s->column[k].uniform = o->s->column[from->dim].uniform && o->s->column[from->like].uniform;
}

/* It may follow from everything. */
static void visit_step(struct ordering *o, int k)
{
    struct source *from = &o->s->own->source[k];
    o->s->column[k].uniform = true;
    for (int j = 0; j < o->s->ncolumn; j++) {
        if (j == k) continue;
        visit(o, j);
        from->unknown |= o->s->own->source[j].unknown;
        o->s->column[k].uniform &= o->s->column[j].uniform;
    }
}

static void visit(struct ordering *o, int k)
{
    const struct source *from = &o->s->own->source[k];
    struct sw_column *c = &o->s->column[k];
    if (o->state[k] == CLOSED) return;
    if (o->state[k] == OPEN) { refuse_cycle(o, k); return; }
    o->state[k] = OPEN;
    o->chain[o->depth++] = k;
    if (from->kind == SOURCE_FORMULA) sw_expr_names(from->formula->expr, visit_name, o);
    if (from->kind == SOURCE_GRID) visit_grid(o, k);
    if (from->kind == SOURCE_STEP) visit_step(o, k);
    o->depth--;
    o->state[k] = CLOSED;
    if (from->kind == SOURCE_FORMULA) c->uniform = value_uniform(o->s, &(struct value){.formula = from->formula});
    if (from->kind == SOURCE_CONSTANT) c->uniform = true;
    o->order[o->norder++] = k;
}

static enum sw_status order_columns(struct sw_sweep *s)
{
    struct ordering o = {.s = s};
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->ncolumn, &o.state));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->ncolumn, &o.order));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->ncolumn, &o.chain));
    for (int k = 0; k < s->ncolumn; k++) visit(&o, k);
    s->own->order = o.order;
    s->own->norder = o.norder;
    return SW_OK;
}

enum sw_status columns_make(struct sw_sweep *s)
{
    const struct sw_setting *define = key_setting(s, "define");
    const struct sw_key *key;
    size_t most = (size_t)s->naxis;
    if (define && define->kind != SW_SETTING_GROUP) define = NULL;
    for (int k = 0; (key = key_at(s, k)); k++) most += is_column(key);
    if (define) most += (size_t)define->count;
    SW_TRY(sw_arena_take(s->own->arena, most, &s->column));
    SW_TRY(sw_arena_take(s->own->arena, most, &s->column_name));
    SW_TRY(sw_arena_take(s->own->arena, most, &s->own->source));
    add_keys(s);
    add_axes(s);
    if (define) add_defines(s, define);
    SW_TRY(make_scope(s));
    for (int k = 0; k < s->ncolumn; k++) SW_TRY(read_source(s, k));
    return order_columns(s);
}

/* ------------------------------------------------------------------ their numbers */

enum sw_status column_fill(const struct sw_sweep *s, int k, const int64_t *run, int64_t first, int count,
                           double *column)
{
    const struct source *from = &s->own->source[k];
    double *out = column + (size_t)k * BLOCK;
    if (from->kind == SOURCE_FORMULA) return sw_program_over_runs(from->formula->program, count, column, BLOCK, out);
    if (from->kind == SOURCE_STEP) return step_fill(s, run, first, count, column, out);
    if (from->kind == SOURCE_GRID) grid_fill(from, count, column, out);
    else if (from->kind == SOURCE_AXIS) axis_values(s, from->axis, run, first, count, out);
    else for (int j = 0; j < count; j++) out[j] = from->number;
    return SW_OK;
}

enum sw_status columns_fold(struct sw_sweep *s)
{
    double *column;
    enum sw_status st = SW_OK;
    int varying = 0;
    SW_TRY(sw_alloc((size_t)s->ncolumn * BLOCK, &column));
    for (int j = 0; j < s->own->norder && !st; j++) {
        int k = s->own->order[j];
        bool unknown = s->own->source[k].unknown;
        if (!s->column[k].uniform && !unknown) { s->own->order[varying++] = k; continue; }
        if (!unknown) st = column_fill(s, k, NULL, 0, 1, column);
        s->own->source[k].kind = SOURCE_CONSTANT;
        s->own->source[k].number = unknown ? NAN : column[(size_t)k * BLOCK];
    }
    s->own->norder = varying;
    sw_free(column);
    return st;
}
