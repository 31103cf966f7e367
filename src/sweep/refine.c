#include "sweep/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "base/sw_order.h"
#include "sweep/axis.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"
#include "sweep/table.h"
#include "sweep/words.h"

/* ------------------------------------------------------------------ which axes */

static int find_axis(const struct sw_sweep *s, const char *name)
{
    for (int k = 0; k < s->naxis; k++)
        if (!strcmp(s->own->axis[k].name, name)) return k;
    return -1;
}

static void report_no_axis(const struct sw_sweep *s, const struct sw_setting *over, const char *name)
{
    struct sw_text text = {0};
    const char *known[64] = {NULL}, *near;
    int n = 0;
    for (; n < s->naxis && n < 64; n++) {
        known[n] = s->own->axis[n].name;
        sw_text_printf(&text, "%s%s", n ? ", " : "", known[n]);
    }
    near = sw_nearest_name(name, known, n);
    report_error(s, over, "'%s': the sweep has no axis '%s'%s%s%s; its axes are %s", over->path, name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", n ? sw_text_get(&text) : "none");
    sw_text_free(&text);
}

static bool check_axis(const struct sw_sweep *s, const struct sw_setting *over, const struct axis *a)
{
    const int errors = s->own->report->errors;
    if (a->word)
        report_error(s, over, "'%s': the values of %s are words, and nothing is between two words", over->path,
                     a->name);
    else if (a->count == 1)
        report_error(s, over, "'%s': %s has one value, and a cell lies between two: give it two or more", over->path,
                     a->name);
    return s->own->report->errors == errors;
}

/* The names of refine.over; refine->shown.axis. @return false: refused */
static bool read_axes(const struct sw_sweep *s, struct sw_refine *refine)
{
    struct sw_setting *over = (struct sw_setting *)key_setting(s, "refine.over");
    struct sw_setting *const *element = over->kind == SW_SETTING_LIST ? over->child : &over;
    const int count = over->kind == SW_SETTING_LIST ? over->count : 1, errors = s->own->report->errors;
    if (count < 1 || count > CELLS_DIMS)
        report_error(s, over, "'%s' names one axis to %d", over->path, CELLS_DIMS);
    for (int k = 0; k < count && s->own->report->errors == errors; k++) {
        const int axis = element[k]->kind == SW_SETTING_STRING ? find_axis(s, element[k]->text) : -1;
        bool again = false;
        for (int j = 0; j < k; j++) again |= refine->axis[j] == axis;
        if (element[k]->kind != SW_SETTING_STRING)
            report_error(s, over, "'%s' is a list of names of axes in quotes, [\"a\", \"b\"]", over->path);
        else if (axis < 0) report_no_axis(s, over, element[k]->text);
        else if (again) report_error(s, over, "'%s': '%s' stands there twice", over->path, element[k]->text);
        else if (check_axis(s, over, &s->own->axis[axis])) refine->axis[refine->naxis++] = axis;
    }
    return s->own->report->errors == errors;
}

/* What has no cells, or no results to split them by while the sweep goes on. */
static bool check_sweep(const struct sw_sweep *s, const struct sw_setting *group)
{
    const int errors = s->own->report->errors;
    if (s->rungs > 1)
        report_error(s, group, "'refine': a ladder cannot be refined: a run between two rungs would change where all "
                     "above it start; leave one out");
    else if (strcmp(s->mode, "product"))
        report_error(s, group, "'refine' needs sweep.mode = \"product\": a cell lies between neighbouring values of "
                     "each of its axes, and between %s there is none", s->own->table ? "rows of a table"
                     : strcmp(s->mode, "zip") ? "points drawn at random" : "values that go together");
    if (s->drop_fields || s->drop_scalars)
        report_error(s, group, "'refine' with output.%s.keep = false: a file that keeps statistics alone takes no more "
                     "runs, and each round adds some; leave one out", s->drop_fields ? "fields" : "scalars");
    return s->own->report->errors == errors;
}

/* ------------------------------------------------------------------ the values of the finest grid */

struct listed { double value; int64_t place; };

/* A value between two neighbours: what linspace (or logspace) between them gives, and so the same for any number of
 * levels, and where the axis is one itself that of the longer one, "linspace(0, 1, 11)" for "linspace(0, 1, 6)". */
static double value_between(const struct axis *a, double low, double high, int64_t steps, int64_t place, int64_t k)
{
    struct axis all = *a, part = {.kind = a->kind == AXIS_LOGSPACE ? AXIS_LOGSPACE : AXIS_LINSPACE, .a = low,
                                  .b = high, .unit = a->unit, .count = steps + 1};
    all.count = (a->count - 1) * steps + 1;
    return a->kind == AXIS_LINSPACE || a->kind == AXIS_LOGSPACE ? axis_value(&all, place) : axis_value(&part, k);
}

/* Give a refined axis its values, in ascending order. */
static enum sw_status refine_axis(struct sw_sweep *s, struct refine *r, int d)
{
    struct axis *a = &s->own->axis[r->shown.axis[d]];
    const int64_t n = a->count, steps = (int64_t)1 << r->grid.levels, fine = (n - 1) * steps + 1;
    struct listed *listed;
    double *value;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)fine, &value));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)n, &r->listed[d]));
    SW_TRY(sw_alloc((size_t)n, &listed));
    for (int64_t i = 0; i < n; i++) listed[i] = (struct listed){axis_value(a, i), i};
    qsort(listed, (size_t)n, sizeof *listed, sw_by_real);
    for (int64_t i = 0; i < n; i++) {
        const int64_t here = listed[i].place, next = i + 1 < n ? listed[i + 1].place : here;
        r->listed[d][i] = here;
        value[i * steps] = listed[i].value;
        for (int64_t k = 1; k < steps && i + 1 < n; k++)  /* a falling linspace is passed from its end */
            value[i * steps + k] = value_between(a, listed[i].value, listed[i + 1].value, steps,
                                                 here * steps + (next - here) * k, k);
    }
    sw_free(listed);
    for (int64_t j = 1; j < fine; j++)
        if (!(value[j] > value[j - 1])) {
            report_error(s, key_setting(s, "refine.over"), "'refine.over': between %.17g and its neighbour %s has not "
                         "2^%d numbers; use fewer levels", value[j], a->name, r->grid.levels);
            break;
        }
    a->kind = AXIS_LIST;
    a->value = value;
    a->count = fine;
    return SW_OK;
}

/* ------------------------------------------------------------------ its points */

static int64_t index_along(const struct axis *a, int64_t point) { return point / a->stride % a->count; }

/* Which refined axis an axis is; -1: it is none. */
static int refined_as(const struct refine *r, int axis)
{
    for (int d = 0; d < r->grid.dims; d++)
        if (r->shown.axis[d] == axis) return d;
    return -1;
}

static int64_t slice_of(const struct sw_sweep *s, int64_t point)
{
    int64_t slice = 0;
    for (int k = 0; k < s->naxis; k++)
        if (refined_as(s->own->refine, k) < 0)
            slice = slice * s->own->axis[k].count + index_along(&s->own->axis[k], point);
    return slice;
}

double refine_number(const struct sw_sweep *s, int64_t point)
{
    const struct refine *r = s->own->refine;
    double number = 0;
    if (cells_level(&r->grid, point)) return cells_number(&r->grid, point, r->slices, slice_of(s, point));
    for (int k = 0; k < s->naxis; k++) {
        const int d = refined_as(r, k);
        const int64_t i = index_along(&s->own->axis[k], point);
        number = number * (double)r->count[k] + (double)(d < 0 ? i : r->listed[d][i >> r->grid.levels]);
    }
    return number;
}

/* The points of the config in their order, then those that were added. */
static enum sw_status list_points(struct sw_sweep *s, struct refine *r, const int64_t *const *place)
{
    const struct sw_refined *more = &s->config->refined;
    const int64_t coarse = s->nruns;
    if (coarse + more->count > AXIS_RUNS_MOST) {
        report_error(s, key_setting(s, "refine"), "'refine' has come to %lld runs, more than %d, the most that a sweep "
                     "may have: use fewer levels", (long long)(coarse + more->count), AXIS_RUNS_MOST);
        return SW_OK;
    }
    SW_TRY(sw_arena_take(s->own->arena, (size_t)(coarse + more->count), &s->own->point));
    for (int64_t run = 0; run < coarse; run++) {
        int64_t rest = run, point = 0;
        for (int k = s->naxis - 1; k >= 0; k--) {
            const int d = refined_as(r, k);
            const int64_t i = rest % r->count[k];
            rest /= r->count[k];
            point += (d < 0 ? i : place[d][i] << r->grid.levels) * s->own->axis[k].stride;
        }
        s->own->point[run] = (uint32_t)point;
    }
    if (more->count) memcpy(&s->own->point[coarse], more->point, (size_t)more->count * sizeof *more->point);
    s->nruns = coarse + more->count;
    return SW_OK;
}

static enum sw_status make_points(struct sw_sweep *s, struct refine *r)
{
    int64_t *place[CELLS_DIMS] = {NULL};
    double all = 1;
    enum sw_status st = SW_OK;
    r->slices = 1;
    for (int k = s->naxis - 1; k >= 0; k--) {
        if (refined_as(r, k) < 0) r->slices *= (double)r->count[k];
        s->own->axis[k].stride = all < 0x1p32 ? (int64_t)all : 1;
        all *= (double)s->own->axis[k].count;
    }
    r->shown.most = all;
    if (all > UINT32_MAX) {
        report_error(s, key_setting(s, "refine"), "'refine': the finest grid has %.3g points, more than 2^32: use "
                     "fewer levels, or shorten an axis", all);
        return SW_OK;
    }
    for (int d = 0; d < r->grid.dims && !st; d++) {
        const int k = r->shown.axis[d];
        r->grid.count[d] = s->own->axis[k].count;
        r->grid.stride[d] = s->own->axis[k].stride;
        st = sw_alloc((size_t)r->count[k], &place[d]);
        for (int64_t i = 0; i < r->count[k] && !st; i++) place[d][r->listed[d][i]] = i;
    }
    if (!st) st = list_points(s, r, (const int64_t *const *)place);
    for (int d = 0; d < CELLS_DIMS; d++) sw_free(place[d]);
    return st;
}

/* ------------------------------------------------------------------ the group */

static enum cells_where read_where(const struct sw_sweep *s, const char **word)
{
    const struct sw_setting *where = key_setting(s, "refine.where");
    *word = where && where->kind == SW_SETTING_STRING ? where->text : "jump";
    return !strcmp(*word, "gradient") ? CELLS_GRADIENT : !strcmp(*word, "between") ? CELLS_BETWEEN : CELLS_JUMP;
}

static const double usual_share = 0.1;

static void read_rule(const struct sw_sweep *s, struct refine *r)
{
    const struct sw_setting *by = key_setting(s, "refine.by"), *at = key_setting(s, "refine.at"),
                            *group = key_setting(s, "refine");
    const bool between = (r->grid.where = read_where(s, &r->shown.where)) == CELLS_BETWEEN;
    r->grid.levels = r->shown.levels = (int)number_of_sweep(s, "refine.levels");
    r->grid.number = between ? number_of_sweep(s, "refine.at") : by ? number_of_sweep(s, "refine.by")
                     : r->grid.where == CELLS_GRADIENT ? usual_share : 0;
    if (between && !at && !key_is_guessed(s, "refine.at"))
        report_error(s, group, "'refine' with where = \"between\" does not say which value is to lie between those of "
                     "corners: add at = 0.5");
    if (!between && at) report_error(s, at, "'refine.at' means nothing without where = \"between\"");
    if (between && by)
        report_error(s, by, "'refine.by' means nothing with where = \"between\": refine.at is the number there");
    if (r->grid.where == CELLS_GRADIENT && r->grid.number >= 1)
        report_error(s, by, "'refine.by' = %g: a share of the range of all values, below 1", r->grid.number);
}

enum sw_status refine_read(struct sw_sweep *s)
{
    static const char *const needed[][2] = {{"refine.of", "by what: add of = \"energy\", a scalar or a column"},
                                            {"refine.over", "over which axes: add over = [\"a\", \"b\"]"}};
    const struct sw_setting *group = key_setting(s, "refine");
    const int errors = s->own->report->errors;
    struct refine *r;
    if (!group || group->kind != SW_SETTING_GROUP || s->nruns < 1) return SW_OK;  /* another kind is reported already */
    for (int k = 0; k < 2; k++)
        if (!key_setting(s, needed[k][0]) && !key_is_guessed(s, needed[k][0]))
            report_error(s, group, "'refine' does not say %s", needed[k][1]);
    SW_TRY(sw_arena_take(s->own->arena, 1, &r));
    *r = (struct refine){0};
    read_rule(s, r);
    if (s->own->report->errors > errors || !check_sweep(s, group)) return SW_OK;
    for (int k = 0; k < 2; k++)
        if (!key_setting(s, needed[k][0])) return SW_OK;  /* a name near it is reported, as one that is not known */
    if (!read_axes(s, &r->shown)) return SW_OK;
    r->grid.dims = r->shown.naxis;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->naxis, &r->count));
    for (int k = 0; k < s->naxis; k++) r->count[k] = s->own->axis[k].count;
    for (int d = 0; d < r->grid.dims; d++) {
        const double fine = ldexp((double)(r->count[r->shown.axis[d]] - 1), r->grid.levels) + 1;
        if (fine > UINT32_MAX) {
            report_error(s, group, "'refine': %s has %.3g values on the finest grid: use fewer levels",
                         s->own->axis[r->shown.axis[d]].name, fine);
            return SW_OK;
        }
        SW_TRY(refine_axis(s, r, d));
    }
    s->own->refine = r;
    return make_points(s, r);
}

/* ------------------------------------------------------------------ by what */

static void report_no_value(const struct sw_sweep *s, const struct sw_setting *of)
{
    const char *known[128];
    const struct sw_run_column *column = sw_run_column_find(of->text);
    struct sw_text text = {0};
    int n = 0;
    for (const struct sw_quantity *q = s->scalar; s->save_scalars && q && q->name && n < 100; q++) known[n++] = q->name;
    for (const struct sw_run_column *c = sw_run_columns; c->name && n < 128; c++)
        if (sw_run_column_has_values(c, s)) known[n++] = c->name;
    for (int k = 0; k < n; k++) sw_text_printf(&text, "%s%s", k ? ", " : "", known[k]);
    const char *near = sw_nearest_name(of->text, known, n);
    if (sw_quantity_listed(s->scalar, of->text))
        report_error(s, of, "'refine.of': no run saves '%s': add output.scalars", of->text);
    else if (column && column->shown == SW_SHOWN_WITH_NORMS)
        report_error(s, of, "'refine.of': no run has '%s', an error: add exact", of->text);
    else if (near) report_error(s, of, "'refine.of': unknown number of a run '%s'; did you mean '%s'?", of->text, near);
    else report_error(s, of, "'refine.of': unknown number of a run '%s'; known here: %s", of->text, sw_text_get(&text));
    sw_text_free(&text);
}

/* A whole number has none half-way to its neighbour. */
static void check_numbers(const struct sw_sweep *s, const struct refine *r)
{
    for (int k = 0; k < s->ncolumn; k++) {
        const struct sw_column *c = &s->column[k];
        if (c->kind != SW_COLUMN_KEY || c->uniform || c->key->kind != SW_KEY_COUNT) continue;
        for (int d = 0; d < r->grid.dims; d++)
            if (sw_sweep_axis_serves(s, r->shown.axis[d], c->name))
                report_error(s, key_setting(s, "refine.over"), "'refine.over': %s is for %s, a whole number, and there "
                             "is none half-way between two neighbours", s->own->axis[r->shown.axis[d]].name, c->name);
    }
}

enum sw_status refine_check(struct sw_sweep *s)
{
    struct refine *r = s->own->refine;
    const struct sw_setting *of = key_setting(s, "refine.of");
    if (!r || of->kind != SW_SETTING_STRING) return SW_OK;
    const struct sw_run_column *column = sw_run_column_find(of->text);
    r->shown.of = of->text;
    if (column && sw_run_column_has_values(column, s)) r->shown.column = column;
    else if (!s->save_scalars || !sw_quantity_listed(s->scalar, of->text)) report_no_value(s, of);
    check_numbers(s, r);
    for (int64_t run = 0; run < s->nruns && s->own->point && !cells_level(&r->grid, s->own->point[run]); run++)
        r->shown.begin = run + 1;
    s->refine = &r->shown;
    return SW_OK;
}

int sw_sweep_refine_level(const struct sw_sweep *s, int64_t run)
{
    return s->own->refine ? cells_level(&s->own->refine->grid, s->own->point[run]) : 0;
}

/* ------------------------------------------------------------------ rounds */

struct sw_refiner { struct cells *cells; int64_t seen; };

enum sw_status sw_refiner_create(const struct sw_sweep *s, struct sw_refiner **refiner)
{
    SW_TRY(sw_alloc(1, refiner));
    const enum sw_status st = cells_create(&s->own->refine->grid, &(*refiner)->cells);
    if (st) sw_refiner_destroy(refiner);
    return st;
}

void sw_refiner_destroy(struct sw_refiner **refiner)
{
    if (!*refiner) return;
    cells_destroy(&(*refiner)->cells);
    sw_free(*refiner);
    *refiner = NULL;
}

enum sw_status sw_refiner_round(struct sw_refiner *r, const struct sw_sweep *s, const double *value,
                                struct sw_config *config, int64_t *added)
{
    struct sw_refined *more = &config->refined;
    int64_t *point;
    *added = 0;
    for (; r->seen < s->nruns; r->seen++) SW_TRY(cells_add(r->cells, s->own->point[r->seen], value[r->seen]));
    SW_TRY(cells_split(r->cells, &point, added));
    enum sw_status st = !*added ? SW_OK : sw_resize((size_t)more->count, (size_t)(more->count + *added), &more->point);
    for (int64_t k = 0; k < *added && !st; k++) more->point[more->count++] = (uint32_t)point[k];
    sw_free(point);
    return st;
}

struct sw_refined_cells sw_refiner_cells(const struct sw_refiner *r)
{
    const struct cells_counts n = cells_count(r->cells);
    return (struct sw_refined_cells){n.split, n.blocked};
}
