#include "sweep/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/axis.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"

int column_find(const struct sw_sweep *s, const char *name)
{
    for (int k = 0; k < s->ncolumn; k++)
        if (!strcmp(s->column[k].name, name)) return k;
    return -1;
}

int column_in_scope(const struct sw_sweep *s, const char *name)
{
    const struct sw_scope *scope = &s->own->scope;
    for (int k = 0; k < scope->count; k++)
        if (!strcmp(scope->symbol[k].name, name)) return scope->symbol[k].slot;
    return -1;
}

static bool is_column(const struct sw_sweep *s, const struct sw_key *key)
{
    if (s->own_steps && !strcmp(key->path, "time.dt") && !key_setting(s, key->path) && !key_default(s, key))
        return false;  /* chosen by each run */
    return key_is_number(key) && key->decides && key_counts(s, key);
}

/* ------------------------------------------------------------------ lists of the grid */

/* grid.n, grid.length and grid.x0 are one number for all dimensions or a list of one for each; a problem that may have
 * more than one dimension has the columns "grid.n" (x), "grid.n.1" (y), "grid.n.2" (z), and so for the others
 * (problem/grid_keys.h). */
struct grid_quantity {
    const char *path[SW_DIMS];
    double      unused;         /* its number in a dimension that a run has not */
};
static const struct grid_quantity quantities[] = {
    {{"grid.n", "grid.n.1", "grid.n.2"}, 1},
    {{"grid.length", "grid.length.1", "grid.length.2"}, 1},
    {{"grid.x0", "grid.x0.1", "grid.x0.2"}, 0},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/* The list at a path, NULL: there is none. */
static const struct sw_setting *grid_list_at(const struct sw_sweep *s, const char *path)
{
    const struct sw_setting *setting = key_setting(s, path);
    return setting && setting->kind == SW_SETTING_LIST ? setting : NULL;
}

const struct sw_setting *grid_list(const struct sw_sweep *s)
{
    const struct sw_setting *list = NULL;
    for (int q = 0; q < QUANTITIES && !list; q++) list = grid_list_at(s, quantities[q].path[0]);
    return list;
}

/* Report lists that the problem cannot have, or that differ in length. */
static void check_lists(const struct sw_sweep *s)
{
    const struct sw_setting *first = grid_list(s), *list;
    const int max = grid_max_dim(s->problem);
    for (int q = 0; q < QUANTITIES; q++) {
        if (!(list = grid_list_at(s, quantities[q].path[0]))) continue;
        s->own->grid_wrong |= list->count < 1 || list->count > max || list->count != first->count;
        if (max == 1 && list->count != 1)
            report_error(s, list, "'%s' is a list of %d: %s is 1-D only; write one number", list->path, list->count,
                         s->problem->name);
        else if (list->count < 1 || list->count > max)
            report_error(s, list, "'%s' is a list of %d: %s has 1 to %d dimensions", list->path, list->count,
                         s->problem->name, max);
        else if (list->count != first->count)
            report_error(s, list, "'%s' is a list of %d, but '%s' one of %d; one number stands for all dimensions",
                         list->path, list->count, first->path, first->count);
    }
}

/* The quantity that a column is of, NULL: none. @param dimension  out: in which dimension */
static const struct grid_quantity *grid_quantity_of(const char *path, int *dimension)
{
    for (int q = 0; q < QUANTITIES; q++)
        for (*dimension = 0; *dimension < SW_DIMS; ++*dimension)
            if (!strcmp(path, quantities[q].path[*dimension])) return &quantities[q];
    return NULL;
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
        if (!is_column(s, key)) continue;
        const struct sw_setting *setting = key_setting(s, key->path);
        add_column(s, (struct sw_column){key->path, SW_COLUMN_KEY, key->unit, key, 0, NULL, false, setting != NULL},
                   (struct source){.setting = setting, .number = NAN});
    }
}

static void add_axes(struct sw_sweep *s)
{
    for (int k = 0; k < s->naxis; k++) {
        const struct axis *a = &s->own->axis[k];
        s->axis[k].column = s->ncolumn;
        add_column(s,
                   (struct sw_column){a->name, SW_COLUMN_AXIS, "1", NULL, a->nword, a->word,
                                      a->count == 1, true},
                   (struct source){.kind = SOURCE_AXIS, .axis = k, .setting = a->setting,
                                   .unknown = s->own->axes_wrong});
    }
}

static void add_defines(struct sw_sweep *s, const struct sw_setting *define)
{
    for (int k = 0; k < define->count; k++) {
        const struct sw_setting *setting = define->child[k];
        for (int j = 0; j < s->naxis; j++)
            if (!strcmp(s->own->axis[j].name, setting->name))
                report_error(s, setting, "'%s' is an axis of the sweep as well; choose another name", setting->path);
        add_column(s, (struct sw_column){setting->name, SW_COLUMN_DEFINE, "1", NULL, 0, NULL, false, true},
                   (struct source){.setting = setting, .number = NAN});
    }
}

static const char *name_in_scope(const struct sw_column *c) { return c->key ? key_name(c->key) : c->name; }

static void add_symbol(struct sw_symbol *symbol, int *n, const char *name, int column)
{
    for (int j = 0; j < *n; j++)
        if (!strcmp(symbol[j].name, name)) return;
    symbol[(*n)++] = (struct sw_symbol){name, SW_RATE_RUN, column};
}

/* Axes and defines come first: they shadow a key of their name. */
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
        add_symbol(symbol, &n, name_in_scope(&s->column[k]), k);
        if (key->alias) add_symbol(symbol, &n, key->alias, k);
    }
    s->own->scope = (struct sw_scope){.symbol = symbol, .count = n};
    return SW_OK;
}

/* ------------------------------------------------------------------ where their numbers come from */

/* grid.dim is the length of a list of the grid; of a list, grid.n and the like are the first element; a dimension
 * without a number of its own has that of the first.
 * @return whether the source is known now; false: it comes from its setting, like any other */
static bool read_grid_source(struct sw_sweep *s, int k)
{
    struct source *from = &s->own->source[k];
    const char *path = s->column[k].name;
    const struct sw_setting *list = grid_list(s);
    const struct grid_quantity *quantity;
    const int max = grid_max_dim(s->problem);
    int d;
    if (!strcmp(path, "grid.dim") && !from->setting && list && max > 1) {
        from->kind = SOURCE_CONSTANT;
        from->unknown = list->count < 1 || list->count > max;  /* refused */
        from->number = list->count;
        s->column[k].given = true;
        return true;
    }
    if (!(quantity = grid_quantity_of(path, &d))) return false;
    if (d == 0) {  /* of a list that was refused no element is read */
        if (!(list = grid_list_at(s, path))) return false;
        from->setting = list->count == 1 || (list->count && max > 1) ? list->child[0] : NULL;
        from->unknown = !from->setting;
        return from->unknown;
    }
    if (from->setting) return false;
    from->kind = SOURCE_GRID;
    from->dimension = d;
    from->unused = quantity->unused;
    from->dim = column_find(s, "grid.dim");
    from->like = column_find(s, quantity->path[0]);
    from->setting = s->own->source[from->like].setting;
    s->column[k].given = s->column[from->like].given;
    return true;
}

/* A time step that follows from a Courant number: of a problem with `step`, which has time.cfl in place of time.dt. */
static enum sw_status read_step_source(struct sw_sweep *s, int k, bool *taken)
{
    struct source *from = &s->own->source[k];
    const struct sw_setting *cfl = key_setting(s, "time.cfl");
    *taken = s->problem->time && s->problem->time->step && !from->setting && !strcmp(s->column[k].name, "time.dt") &&
             (cfl || s->adaptive);
    if (!*taken) return SW_OK;
    from->kind = SOURCE_STEP;
    s->chooses_step = true;
    s->own->step_column = k;
    from->setting = cfl ? cfl : key_group(s, "time.dt");  /* the setting to blame for a wrong step */
    return sw_arena_take(s->own->arena, (size_t)(s->nruns > 0 ? s->nruns : 1), &s->own->step);
}

static void report_points(const struct sw_sweep *s, const struct sw_key *grid_n, const char *key, const char *why)
{
    const struct sw_setting *setting = key ? key_setting(s, key) : NULL;
    if (!key) key_report_missing(s, grid_n);
    else report_error(s, setting, "'%s' = \"%s\": %s", key, setting && setting->text ? setting->text : "", why);
}

/* grid.n of a config that leaves it out, where files have it. */
static enum sw_status read_points_source(struct sw_sweep *s, int k, bool *taken)
{
    struct source *from = &s->own->source[k];
    const struct sw_setup setup = {.problem = s->problem, .nchoice = s->nchoice, .choice = s->choice};
    const struct sw_key *key = s->column[k].key;
    const char *why_not = NULL;
    struct sw_text why = SW_SHORT_TEXT;
    int64_t n = 1;
    *taken = files_have_points(s) && !from->setting && !strcmp(s->column[k].name, "grid.n") && !key_default(s, key);
    if (!*taken) return SW_OK;
    if (!s->own->outline) SW_TRY(s->problem->files->points(&setup, &n, &why_not, &why));
    from->kind = SOURCE_CONSTANT;
    from->number = (double)n;
    from->unknown = n < 1;
    if (n < 1) report_points(s, key, why_not, sw_text_get(&why));
    return SW_OK;
}

/* A text that stands for a number: where the key is absent, its default may be one. */
static bool read_stand_in(struct sw_sweep *s, int k)
{
    struct source *from = &s->own->source[k];
    const struct sw_key *key = s->column[k].key;
    const char *text = !key ? NULL : from->setting ? from->setting->text : key->fallback;
    if (!key || !key->stand_in || !text || strcmp(text, key->stand_in)) return false;
    from->kind = key->kind == SW_KEY_COUNT ? SOURCE_RUN : SOURCE_CONSTANT;
    from->number = key->max;
    s->column[k].uniform = from->kind == SOURCE_RUN && s->nruns == 1;
    if (from->kind == SOURCE_RUN && (key->idle || !s->own->numbered)) s->own->numbered = 1 + k;
    return true;
}

static enum sw_status read_source(struct sw_sweep *s, int k)
{
    struct source *from = &s->own->source[k];
    const struct sw_key *key = s->column[k].key;
    struct run_value v;
    bool ok;
    if (from->kind == SOURCE_AXIS || (key && read_grid_source(s, k)) || read_stand_in(s, k)) return SW_OK;
    SW_TRY(read_step_source(s, k, &ok));
    if (!ok) SW_TRY(read_points_source(s, k, &ok));
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

/* ------------------------------------------------------------------ what an expression needs */

struct needs { const struct sw_sweep *s; bool uniform, known; };

static void add_need(void *user, const char *name, int column)
{
    struct needs *needs = user;
    int k = column_in_scope(needs->s, name);
    (void)column;
    if (k < 0) return;
    needs->uniform &= needs->s->column[k].uniform;
    needs->known &= !needs->s->own->source[k].unknown;
}

static struct needs needs_of(const struct sw_sweep *s, const struct run_value *value)
{
    struct needs needs = {s, true, true};
    if (value->formula) sw_expr_names(value->formula->expr, add_need, &needs);
    return needs;
}

bool value_uniform(const struct sw_sweep *s, const struct run_value *value) { return needs_of(s, value).uniform; }

bool value_known(const struct sw_sweep *s, const struct run_value *value) { return needs_of(s, value).known; }

/* ------------------------------------------------------------------ in which order */

enum { NEW, OPEN, CLOSED };
struct ordering {
    struct sw_sweep *s;
    char *state;
    int  *order, norder;  /* all columns, each after those it needs */
    int  *chain, depth;   /* those that are being visited           */
};

static void visit(struct ordering *o, int k);

static void visit_name(void *user, const char *name, int column)
{
    struct ordering *o = user;
    struct source *source = o->s->own->source;
    int k = column_in_scope(o->s, name), needed_by = o->chain[o->depth - 1];
    (void)column;
    if (k < 0) return;
    visit(o, k);
    source[needed_by].unknown |= source[k].unknown;
}

static void refuse_cycle(struct ordering *o, int k)
{
    char text[400];
    size_t length = 0;
    int from = o->depth;
    while (o->chain[from - 1] != k) from--;
    for (int j = from - 1; j < o->depth && length < sizeof text; j++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s -> ", name_in_scope(&o->s->column[o->chain[j]]));
    report_error(o->s, o->s->own->source[k].setting, "'%s' depends on itself: %s%s",
                 o->s->own->source[k].formula ? o->s->own->source[k].formula->path : o->s->column[k].name,
                 length < sizeof text ? text : "... -> ", name_in_scope(&o->s->column[k]));
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

/* A step that follows from time.cfl may depend on every other column. */
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
    if (from->kind == SOURCE_FORMULA) c->uniform = value_uniform(o->s, &(struct run_value){.formula = from->formula});
    if (from->kind == SOURCE_CONSTANT) c->uniform = true;
    o->order[o->norder++] = k;
}

static enum sw_status order_columns(struct sw_sweep *s)
{
    struct ordering o = {.s = s};
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->ncolumn, &o.state));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->ncolumn, &o.order));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->ncolumn, &o.chain));
    const int end = column_find(s, "time.end"), dt = column_find(s, "time.dt");
    if (end >= 0) visit(&o, end);
    const bool after_end = end >= 0 && dt >= 0 && o.state[dt] == NEW && dt != s->own->step_column;
    for (int k = 0; k < s->ncolumn; k++) visit(&o, k);
    if (after_end && !s->own_steps && (s->column[end].uniform || !s->column[dt].uniform)) {
        s->own->dt_column = dt;
        s->own->end_column = end;
    }
    s->own->order = o.order;
    s->own->norder = o.norder;
    return SW_OK;
}

enum sw_status columns_make(struct sw_sweep *s)
{
    const struct sw_setting *define = key_setting(s, "define");
    const struct sw_key *key;
    size_t most = (size_t)s->naxis;
    check_lists(s);
    if (define && define->kind != SW_SETTING_GROUP) define = NULL;
    for (int k = 0; (key = key_at(s, k)); k++) most += is_column(s, key);
    if (define) most += (size_t)define->count;
    SW_TRY(sw_arena_take(s->own->arena, most, &s->column));
    SW_TRY(sw_arena_take(s->own->arena, most, &s->column_name));
    SW_TRY(sw_arena_take(s->own->arena, most, &s->own->source));
    add_keys(s);
    add_axes(s);
    if (define) add_defines(s, define);
    SW_TRY(make_scope(s));
    SW_TRY(sw_arena_take(s->own->arena, 1, &s->own->grid_columns));
    *s->own->grid_columns = sw_setup_grid_columns(&(struct sw_setup){.ncolumn = s->ncolumn, .column = s->column_name});
    for (int k = 0; k < s->ncolumn; k++) SW_TRY(read_source(s, k));
    return order_columns(s);
}
