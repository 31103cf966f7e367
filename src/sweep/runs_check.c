#include "sweep/runs_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/column_values.h"
#include "sweep/columns.h"
#include "sweep/groups.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"
#include "sweep/times.h"

/* Kinds of errors: a number out of range for each column, then these. */
enum {
    ERROR_POINTS,      /* fewer than the stencil needs                            */
    ERROR_TOTAL,       /* more points than any machine holds                      */
    ERROR_DIM,         /* more dimensions than the problem has                    */
    ERROR_LIST,        /* grid.dim is not the length of the lists                 */
    ERROR_NAMES,       /* a function names y or z, which the grid has not         */
    ERROR_STEPS,       /* time.end is no whole number of steps                    */
    ERROR_FIELDS,      /* output times                                            */
    ERROR_SCALARS,
    ERROR_LOOKS,       /* stop.every                                              */
    ERROR_ORIGIN,      /* so far from 0 that points are not told apart            */
    ERROR_PRECISION,   /* sw_problem_time.check_precision()                            */
    ERROR_INVALID,     /* sw_problem.validate_run()                               */
    ERRORS
};

struct checking {
    const struct sw_sweep *s;
    int64_t *first;         /* [ncolumn + ERRORS] the first run with an error of the kind, -1: none */
    int64_t  ninvalid;      /* runs that the problem refuses                                        */
    int64_t  nidle;         /* runs in which the key that has their number changes nothing          */
};

static void record_first(struct checking *c, int kind, int64_t run)
{
#pragma omp critical(sw_runs_check)
    if (c->first[kind] < 0 || run < c->first[kind]) c->first[kind] = run;
}

static bool check_column(struct checking *c, const struct column_block *b, int k)
{
    const struct source *from = &c->s->own->source[k];
    const double *v = b->column + (size_t)k * RUNS_AT_ONCE;
    const int last = c->s->column[k].uniform ? 1 : b->count;
    if (from->unknown) return false;
    for (int j = 0; j < last && from->kind != SOURCE_GRID; j++)
        if (!key_allows(c->s->column[k].key, v[j])) { record_first(c, k, b->first + j); return false; }
    return true;
}

/* A step that follows from the other numbers is checked only where they are right.
 * @return whether all numbers are known and allowed: only then is the problem asked about these runs */
static bool check_columns(struct checking *c, const struct column_block *b)
{
    bool correct = true;
    for (int k = 0; k < c->s->ncolumn; k++)
        if (k != c->s->own->step_column) correct &= check_column(c, b, k);
    for (int k = 0; k < c->s->ncolumn && correct; k++)
        if (k == c->s->own->step_column) correct &= check_column(c, b, k);
    return correct;
}

static bool whole_steps(double dt, double end)
{
    double ratio = end / dt, off = fabs(ratio - round(ratio));
    return ratio < 1e15 && round(ratio) >= 1 && off <= steps_slack(ratio);
}

/* Points are counted in doubles; no machine holds more than this. */
static const double max_points = 1e12;

static unsigned grid_errors(const struct sw_sweep *s, const double *shape)
{
    const struct shape *p = s->own->shape;
    const double dim = shape[SHAPE_DIM], *n = shape + SHAPE_N;
    unsigned errors = 0;
    for (int d = 0; d < grid_max_dim(s->problem) && d < dim; d++)
        if (n[d] < s->problem->shape->min_points) errors |= 1u << ERROR_POINTS;
    if (n[0] * n[1] * n[2] > max_points) errors |= 1u << ERROR_TOTAL;
    if (dim > grid_max_dim(s->problem)) errors |= 1u << ERROR_DIM;
    else if (p->listed && dim != p->listed) errors |= 1u << ERROR_LIST;
    if (p->named > dim) errors |= 1u << ERROR_NAMES;
    return errors;
}

/* The errors of a run in its grid, steps and output times, as bits. */
static unsigned shape_errors(const struct sw_sweep *s, const struct column_block *b, int j, const double *shape)
{
    const struct shape *p = s->own->shape;
    const double *fields = shape + SHAPE_TIMES, *scalars = fields + s->own->fields->narg;
    double dt = block_number(b, p->dt, j, 1);
    char text[160];
    unsigned errors = grid_errors(s, shape);
    if (!s->own_steps && !whole_steps(dt, block_number(b, p->end, j, 1))) return errors | 1u << ERROR_STEPS;
    if (times_error(s->own->fields, fields, shape[SHAPE_STEPS], dt, text)) errors |= 1u << ERROR_FIELDS;
    if (times_error(s->own->scalars, scalars, shape[SHAPE_STEPS], dt, text)) errors |= 1u << ERROR_SCALARS;
    const bool told = errors >> ERROR_SCALARS & 1 && s->own->looks->setting == s->own->scalars->setting;
    if (!told && looks_error(s->own->looks, scalars + s->own->scalars->narg, shape[SHAPE_STEPS], dt, text))
        errors |= 1u << ERROR_LOOKS;
    return errors;
}

static enum sw_status check_shapes(struct checking *c, const struct column_block *b)
{
    const struct shape *p = c->s->own->shape;
    bool all = !p->uniform;
    struct column_block some = *b;
    double *shape;
    if (!all && b->first > 0) return SW_OK;
    if (!all) some.count = 1;
    SW_TRY(sw_alloc((size_t)some.count * (size_t)p->size, &shape));
    enum sw_status st = shape_of_block(c->s, &some, shape);
    for (int j = 0; j < some.count && !st; j++) {
        unsigned errors = shape_errors(c->s, b, j, shape + j * p->size);
        for (int e = 0; errors >> e; e++)
            if (errors >> e & 1) record_first(c, c->s->ncolumn + e, b->first + j);
    }
    sw_free(shape);
    return st;
}

/* The row that does run j, as the config names it. */
static const char *row_of(const struct sw_sweep *s, const struct column_block *b, int j)
{
    const int axis = s->own->shape->row;
    double word = block_number(b, axis, j, -1);
    if (axis < 0) return s->own->row;
    return word >= 0 && word < s->column[axis].nword ? s->column[axis].word[(int)word] : "auto";
}

static enum sw_status find_imprecise(const struct sw_sweep *s, const struct column_block *b, int *first,
                                     const char **key, char why[160])
{
    const struct sw_setup setup = setup_of_sweep(s);
    const char *solver[RUNS_AT_ONCE];
    *first = -1;
    if (!s->problem->time || !s->problem->time->check_precision) return SW_OK;
    for (int j = 0; j < b->count; j++) solver[j] = row_of(s, b, j);
    return s->problem->time->check_precision(s->problem, &setup, solver, b->count, RUNS_AT_ONCE, b->column, first, key,
                                             why);
}

static enum sw_status check_precision(struct checking *c, const struct column_block *b)
{
    const char *key;
    char why[160];
    int first;
    SW_TRY(find_imprecise(c->s, b, &first, &key, why));
    if (first >= 0) record_first(c, c->s->ncolumn + ERROR_PRECISION, b->first + first);
    return SW_OK;
}

static const char *validate_run(const struct sw_sweep *s, const struct column_block *b, int j, char why[160])
{
    struct sw_choice choice[MAX_CHOICES];
    const struct sw_setup setup = setup_of_run(s, b->column, j, choice);
    return s->problem->validate_run(&setup, row_of(s, b, j), RUNS_AT_ONCE, b->column, j, why);
}

static void count_idle(struct checking *c, const struct column_block *b)
{
    const struct sw_sweep *s = c->s;
    const struct sw_key *key = s->own->numbered ? s->column[s->own->numbered - 1].key : NULL;
    struct sw_choice choice[MAX_CHOICES];
    int64_t idle = 0;
    for (int j = 0; j < b->count && key && key->idle; j++) {
        const struct sw_setup setup = setup_of_run(s, b->column, j, choice);
        idle += key->idle(&setup, RUNS_AT_ONCE, b->column, j);
    }
#pragma omp atomic
    c->nidle += idle;
}

static void check_validity(struct checking *c, const struct column_block *b)
{
    char why[160];
    int first = -1, count = 0;
    if (!c->s->problem->validate_run || c->s->own->outline) return;
    for (int j = 0; j < b->count; j++) {
        if (!validate_run(c->s, b, j, why)) continue;
        if (!count++) first = j;
    }
    if (!count) count_idle(c, b);
    if (!count) return;
    record_first(c, c->s->ncolumn + ERROR_INVALID, b->first + first);
#pragma omp atomic
    c->ninvalid += count;
}

/* The columns of the grid in dimension d. */
struct origin { int x0, length, n; };

static bool find_origin(const struct sw_sweep *s, int d, struct origin *at)
{
    static const char *const key[SW_DIMS][3] = {{"grid.x0", "grid.length", "grid.n"},
                                                {"grid.x0.1", "grid.length.1", "grid.n.1"},
                                                {"grid.x0.2", "grid.length.2", "grid.n.2"}};
    if (d >= grid_max_dim(s->problem)) return false;
    *at = (struct origin){column_find(s, key[d][0]), column_find(s, key[d][1]), column_find(s, key[d][2])};
    return at->x0 >= 0 && at->length >= 0 && at->n >= 0;
}

/* Coordinates are rounded to 2^-53 of themselves; points less than some of that apart have distances off by more than a
 * tenth, or none. */
static bool points_merge(const struct column_block *b, const struct origin *at, int j, double *dx, double *rounding)
{
    const double begin = block_number(b, at->x0, j, 0), extent = block_number(b, at->length, j, 1);
    *dx = extent / block_number(b, at->n, j, 1);
    *rounding = DBL_EPSILON * fmax(fabs(begin), fabs(begin + extent));
    return !(*dx >= 8 * *rounding);
}

static void check_origin(struct checking *c, const struct column_block *b)
{
    struct origin at;
    double dx, rounding;
    for (int d = 0; find_origin(c->s, d, &at); d++)
        for (int j = 0; j < b->count; j++)
            if (points_merge(b, &at, j, &dx, &rounding)) {
                record_first(c, c->s->ncolumn + ERROR_ORIGIN, b->first + j);
                break;
            }
}

static void scan_runs(const struct checking *c, const struct column_block *b)
{
    const struct sw_sweep *s = c->s;
    const struct sw_setup setup = setup_of_sweep(s);
    if (s->own->prepared) s->problem->texts->scan_runs(&setup, s->own->prepared, b->count, RUNS_AT_ONCE, b->column);
}

static enum sw_status finalize(const struct sw_sweep *s)
{
    const struct sw_setup setup = setup_of_sweep(s);
    if (!s->own->prepared || s->own->report->errors) return SW_OK;
    return s->problem->texts->finalize(&setup, s->own->prepared);
}

static enum sw_status check_block(void *user, const struct column_block *b)
{
    if (check_columns(user, b)) {
        scan_runs(user, b);
        check_validity(user, b);
        SW_TRY(check_precision(user, b));
        check_origin(user, b);
    }
    return check_shapes(user, b);
}

/* ------------------------------------------------------------------ reports */

/* " in run 12 (a = 0.1, v = 2)", "" where all runs agree */
static const char *print_run(const struct sw_sweep *s, bool uniform, int64_t run, char text[300])
{
    char axes[240];
    text[0] = 0;
    if (uniform || s->naxis == 0 || s->own->axes_wrong) return text;
    sw_sweep_describe(s, run, axes, sizeof axes);
    snprintf(text, 300, " in run %lld (%s)", (long long)run, axes);
    return text;
}

static void report_column(const struct sw_sweep *s, int k, int64_t run, double v)
{
    char in_run[300], range[120], number[32];
    const struct sw_column *c = &s->column[k];
    const struct sw_setting *setting = s->own->source[k].setting;
    report_error(s, setting, "'%s' = %s%s: %s", setting ? setting->path : c->name, sw_number(v, number),
                 print_run(s, c->uniform, run, in_run), key_range(c->key, v, range));
}

static void report_origin(const struct sw_sweep *s, const struct column_block *b, const char *in_run)
{
    static const char *const of[SW_DIMS] = {"", " of y", " of z"};
    struct origin at;
    double dx, rounding;
    char number[32];
    int d = 0;
    while (find_origin(s, d, &at) && !points_merge(b, &at, 0, &dx, &rounding)) d++;
    if (!find_origin(s, d, &at)) return;
    const struct sw_setting *setting = s->own->source[at.x0].setting;
    const int least = s->problem->shape->min_points;
    const bool fewer = dx * block_number(b, at.n, 0, 1) / least >= 8 * rounding;  /* are told apart */
    report_error(s, setting ? setting : key_group(s, "grid.x0"), "'grid.x0' = %s%s%s: points are %.3g apart, and "
                 "numbers there %.3g: they are not told apart; begin nearer to 0%s",
                 sw_number(block_number(b, at.x0, 0, 0), number), of[d], in_run, dx, rounding,
                 fewer ? ", or take fewer points" : "");
}

static void report_steps(const struct sw_sweep *s, const struct column_block *b, const char *in_run)
{
    const struct shape *p = s->own->shape;
    char dt[32], end[32], nearest[32];
    double d = block_number(b, p->dt, 0, 1), e = block_number(b, p->end, 0, 1), ratio = e / d,
           whole = round(ratio) < 1 ? 1 : round(ratio);
    const struct sw_setting *setting = s->own->source[p->dt].setting;
    sw_number(d, dt);
    sw_number(e, end);
    if (ratio >= 1e15)
        report_error(s, setting, "'time.dt' = %s%s: time.end = %s would take %.3g steps", dt, in_run, end, ratio);
    else
        report_error(s, setting,
                     "'time.dt' = %s%s: time.end = %s is %.9g steps, not a whole number; the nearest dt is %s, as "
                     "\"end/%.0f\"",
                     dt, in_run, end, ratio, sw_number(e / whole, nearest), whole);
}

static void report_grid(const struct sw_sweep *s, int kind, const double *shape, const char *in_run)
{
    const struct shape *p = s->own->shape;
    const struct sw_setting *n = s->own->source[p->n[0]].setting, *dim = s->own->source[p->dim].setting;
    const struct sw_setting *list = grid_list(s);
    const double *points = shape + SHAPE_N;
    int least = 0;
    bool names_z;
    switch (kind) {
    case ERROR_POINTS:
        while (points[least] >= s->problem->shape->min_points) least++;
        report_error(s, s->own->source[p->n[least]].setting,
                     "'grid.n' = %.0f%s: the stencil of %s needs at least %d points", points[least], in_run,
                     s->problem->name, s->problem->shape->min_points);
        return;
    case ERROR_TOTAL:
        report_error(s, n, "'grid.n' = %.0f x %.0f x %.0f%s: at most %g points are possible", points[0], points[1],
                     points[2], in_run, max_points);
        return;
    case ERROR_DIM:
        if (grid_max_dim(s->problem) == 1)
            report_error(s, dim, "'grid.dim' = %.0f%s: %s is 1-D only", shape[SHAPE_DIM], in_run, s->problem->name);
        else
            report_error(s, dim, "'grid.dim' = %.0f%s: %s has 1 to %d dimensions", shape[SHAPE_DIM], in_run,
                         s->problem->name, grid_max_dim(s->problem));
        return;
    case ERROR_LIST:
        report_error(s, dim, "'grid.dim' = %.0f%s: '%s' is a list of %d; leave grid.dim out", shape[SHAPE_DIM],
                     in_run, list->path, list->count);
        return;
    default:
        names_z = s->own->shape->named > 2;
        report_error(s, key_setting(s, s->function[s->own->shape->named_by].key),
                     "'%s' uses %s, and the grid%s has %.0f dimension%s; write grid.n = [nx, ny%s]",
                     s->function[s->own->shape->named_by].key, names_z ? "z" : "y", in_run, shape[SHAPE_DIM],
                     shape[SHAPE_DIM] == 1 ? "" : "s", names_z ? ", nz" : "");
    }
}

static void report_shape(const struct sw_sweep *s, int kind, const struct column_block *b, const double *shape,
                         const char *in_run)
{
    const double *fields = shape + SHAPE_TIMES, *scalars = fields + s->own->fields->narg;
    const double dt = block_number(b, s->own->shape->dt, 0, 1);
    char text[160];
    switch (kind) {
    case ERROR_POINTS:
    case ERROR_TOTAL:
    case ERROR_DIM:
    case ERROR_LIST:
    case ERROR_NAMES: report_grid(s, kind, shape, in_run); return;
    case ERROR_STEPS: report_steps(s, b, in_run); return;
    case ERROR_FIELDS:
        report_error(s, s->own->fields->setting, "'%s'%s: %s", s->own->fields->path, in_run,
                     times_error(s->own->fields, fields, shape[SHAPE_STEPS], dt, text));
        return;
    case ERROR_LOOKS:
        report_error(s, s->own->looks->setting, "'%s'%s: %s", s->own->looks->path, in_run,
                     looks_error(s->own->looks, scalars + s->own->scalars->narg, shape[SHAPE_STEPS], dt, text));
        return;
    default:
        report_error(s, s->own->scalars->setting, "'%s'%s: %s", s->own->scalars->path, in_run,
                     times_error(s->own->scalars, scalars, shape[SHAPE_STEPS], dt, text));
    }
}

/* Whether the first run of a block is fine with the solver "auto". */
static enum sw_status auto_helps(const struct sw_sweep *s, const struct column_block *b, bool *helps)
{
    const struct sw_setup setup = setup_of_sweep(s);
    const char *solver = "auto", *key;
    char why[160];
    int first;
    SW_TRY(s->problem->time->check_precision(s->problem, &setup, &solver, 1, RUNS_AT_ONCE, b->column, &first, &key,
                                             why));
    *helps = first < 0;
    return SW_OK;
}

static enum sw_status report_precision(const struct sw_sweep *s, const struct column_block *b, const char *in_run)
{
    static const char remedy[] = "a smaller time.dt or fewer points";
    char why[160], number[32];
    const char *key;
    int first;
    bool helps;
    SW_TRY(find_imprecise(s, b, &first, &key, why));
    SW_TRY(auto_helps(s, b, &helps));
    if (!strcmp(key, "run.precision"))
        report_error(s, key_setting(s, key), "'%s' = \"single\"%s: %s; use \"double\", %s", key, in_run,
                     why, remedy);
    else if (!strcmp(key, s->own->row_key->path))
        report_error(s, key_setting(s, key), "'%s' = \"%s\"%s: %s; use %s%s", key_written(s, s->own->row_key),
                     row_of(s, b, 0), in_run, why, helps ? "\"auto\", " : "", remedy);
    else
        report_error(s, s->own->source[s->own->shape->dt].setting, "'%s' = %s%s: %s; use %s", key,
                     sw_number(block_number(b, s->own->shape->dt, 0, 1), number), in_run, why, remedy);
    return SW_OK;
}

/* Where to report a key that the config leaves out and whose default the problem refuses: at the line of its group, of
 * a key that makes it mean something else ("left.dirichlet" does that to "boundary"), or of the problem, whose default
 * it is. */
static const struct sw_setting *setting_of_default(const struct sw_sweep *s, const char *path)
{
    const struct sw_setting *group = key_group(s, path);
    for (int k = 0; !group && k < s->own->nkey; k++) {
        const struct sweep_key *other = &s->own->key[k];
        if (other->setting && other->key->unless && !strcmp(other->key->unless, path)) group = other->setting;
    }
    return group ? group : sw_config_find(s->config, "problem");
}

/* A word or a function that the problem refuses, or misses. */
static void report_invalid_text(const struct sw_sweep *s, const char *path, const char *in_run, const char *why,
                                const char *more)
{
    char number[32];
    const struct sw_setting *setting = key_setting(s, path);
    const struct sw_key *key = key_find(s, path);
    const char *name = key ? key_written(s, key) : path, *text = key && key->fallback ? key_default(s, key) : "";
    if (!setting && s->own->keys_wrong) return;  /* which may be the one that is missed */
    if (setting && setting->text) text = setting->text;
    if (setting && setting->kind == SW_SETTING_SWITCH) text = setting->number != 0 ? "true" : "false";
    if (setting && key && key->each) report_error(s, setting, "'%s'%s: %s%s", name, in_run, why, more);
    else if (setting && !setting->text)
        report_error(s, setting, "'%s' = %s: %s", name,
                     setting->kind == SW_SETTING_SWITCH ? text : sw_number(setting->number, number), why);
    else if (!setting && !*text) report_error(s, setting_of_default(s, path), "'%s' is missing: %s", name, why);
    else if (!setting)
        report_error(s, setting_of_default(s, path), "'%s' = \"%s\", its default: %s", name, text, why);
    else report_error(s, setting, "'%s' = \"%s\"%s: %s", name, text, *text == '$' ? in_run : "", why);
}

/* The report names the first such run, and how many there are. */
static void report_invalid(const struct sw_sweep *s, const struct column_block *b, int64_t count, const char *in_run)
{
    char why[160], number[32], more[80] = "";
    const char *key = validate_run(s, b, 0, why);
    int k = column_find(s, key);
    if (k < 0 || !s->column[k].key) {
        if (*in_run && s->nruns > 1 && count == s->nruns)
            snprintf(more, sizeof more, "; all %lld runs are refused", (long long)count);
        else if (*in_run && s->nruns > 1)
            snprintf(more, sizeof more, "; %lld of %lld runs %s refused, leave %s out of the sweep", (long long)count,
                     (long long)s->nruns, count == 1 ? "is" : "are", count == 1 ? "it" : "them");
        report_invalid_text(s, key, in_run, why, more);
        return;
    }
    const struct sw_setting *setting = s->own->source[k].setting;
    if (!setting && s->own->keys_wrong) return;  /* which may be the one that is meant */
    if (setting) key = setting->path;
    if (count > 1 && *in_run)
        snprintf(more, sizeof more, "; %lld of %lld runs do not fit", (long long)count, (long long)s->nruns);
    const double value = b->column[(size_t)k * RUNS_AT_ONCE];
    const char *otherwise = key_default(s, s->column[k].key);
    const bool absent = !setting && otherwise && *otherwise && strtod(otherwise, NULL) == value;
    report_error(s, setting ? setting : setting_of_default(s, key), "'%s' = %s%s%s: %s%s", key,
                 sw_number(value, number), absent ? ", its default" : "", in_run, why, more);
}

/* Whether all runs have an error of shape if one has it. */
static bool same_in_all_runs(const struct sw_sweep *s, int kind)
{
    const int dim = s->own->shape->dim;
    if (kind == ERROR_NAMES || kind == ERROR_LIST) return s->column[dim].uniform;
    return s->own->shape->uniform;
}

/* An error with the run that has it first. */
struct reported { const struct sw_sweep *s; int kind; int64_t run, ninvalid; };

static enum sw_status report_run(void *user, const struct column_block *b)
{
    const struct reported *t = user;
    const struct sw_sweep *s = t->s;
    char in_run[300];
    double *shape;
    if (t->kind < s->ncolumn) {
        report_column(s, t->kind, t->run, b->column[(size_t)t->kind * RUNS_AT_ONCE]);
        return SW_OK;
    }
    if (t->kind == s->ncolumn + ERROR_INVALID) {
        report_invalid(s, b, t->ninvalid, print_run(s, false, t->run, in_run));
        return SW_OK;
    }
    if (t->kind == s->ncolumn + ERROR_PRECISION) return report_precision(s, b, print_run(s, false, t->run, in_run));
    if (t->kind == s->ncolumn + ERROR_ORIGIN) {
        report_origin(s, b, print_run(s, false, t->run, in_run));
        return SW_OK;
    }
    SW_TRY(sw_alloc((size_t)s->own->shape->size, &shape));
    enum sw_status st = shape_of_block(s, b, shape);
    const int kind = t->kind - s->ncolumn;
    if (!st) report_shape(s, kind, b, shape, print_run(s, same_in_all_runs(s, kind), t->run, in_run));
    sw_free(shape);
    return st;
}

static bool column_correct(const struct checking *c, int k) { return !c->s->own->source[k].unknown && c->first[k] < 0; }

static bool numbers_correct(const struct checking *c)
{
    for (int k = 0; k < c->s->ncolumn; k++)
        if (!column_correct(c, k)) return false;
    return true;
}

/* Whether a column is known and in the range of its key, in all runs; a step that follows from the others, from words
 * and from functions is allowed only if all of them are. */
static bool correct(const struct checking *c, int k)
{
    if (k < 0) return true;
    const struct sw_sweep_own *own = c->s->own;
    return k == own->step_column ? numbers_correct(c) && !own->words_wrong && !own->functions_wrong
                                 : column_correct(c, k);
}

static bool times_known(const struct sw_sweep *s, const struct times *t)
{
    for (int k = 0; k < t->narg; k++)
        if (!value_known(s, &t->arg[k])) return false;
    return true;
}

/* Whether an error means anything: the shape of a run with wrong numbers does not. */
static bool is_meaningful(const struct checking *c, int kind)
{
    const struct sw_sweep_own *own = c->s->own;
    const struct shape *p = own->shape;
    if (c->first[kind] < 0) return false;
    switch (kind - c->s->ncolumn) {
    case ERROR_POINTS:
    case ERROR_TOTAL: return correct(c, p->dim) && correct(c, p->n[0]) && correct(c, p->n[1]) && correct(c, p->n[2]);
    case ERROR_DIM:
    case ERROR_LIST:
    case ERROR_NAMES: return correct(c, p->dim) && !own->grid_wrong;
    case ERROR_STEPS: return correct(c, p->dt) && correct(c, p->end);
    case ERROR_FIELDS: return correct(c, p->dt) && correct(c, p->end) && times_known(c->s, own->fields);
    case ERROR_SCALARS: return correct(c, p->dt) && correct(c, p->end) && times_known(c->s, own->scalars);
    case ERROR_LOOKS: return correct(c, p->dt) && correct(c, p->end) && times_known(c->s, own->looks);
    case ERROR_ORIGIN:
    case ERROR_PRECISION: return numbers_correct(c);
    case ERROR_INVALID: return numbers_correct(c) && !own->words_wrong && !own->functions_wrong;
    default: return true;
    }
}

static enum sw_status tell_divided(void *user, const struct column_block *b)
{
    const struct sw_sweep *s = user;
    const struct shape *p = s->own->shape;
    const struct sw_setting *dt = s->own->source[p->dt].setting;
    const double end = block_number(b, p->end, 0, 1), step = block_number(b, p->dt, 0, 1);
    char in_run[300], written[32], taken[32];
    sw_report_add(s->own->report, SW_WARNING, error_file(s, dt), error_line(dt),
                  "'time.dt' = %s%s is taken for %s = end/%.0f, which divides time.end",
                  sw_number(s->own->dt_written, written),
                  print_run(s, s->column[p->dt].uniform, s->own->divided, in_run), sw_number(step, taken),
                  round(end / step));
    return SW_OK;
}

enum sw_status runs_check(struct sw_sweep *s)
{
    struct checking c = {.s = s};
    enum sw_status st;
    SW_TRY(sw_alloc((size_t)s->ncolumn + ERRORS, &c.first));
    for (int f = 0; f < s->ncolumn + ERRORS; f++) c.first[f] = -1;
    SW_TRY_TO(done, st, blocks_each(s, NULL, 0, s->own->axes_wrong ? 1 : s->nruns, false, check_block, &c));
    for (int f = 0; f < s->ncolumn + ERRORS; f++) {
        struct reported t = {s, f, c.first[f], c.ninvalid};
        if (is_meaningful(&c, f)) SW_TRY_TO(done, st, blocks_each(s, &c.first[f], 0, 1, true, report_run, &t));
    }
    s->own->idle = c.nidle && c.nidle == s->nruns;
    if (s->own->divided >= 0 && !s->own->report->errors)
        SW_TRY_TO(done, st, blocks_each(s, &s->own->divided, 0, 1, true, tell_divided, s));
    st = finalize(s);
done:
    sw_free(c.first);
    return st;
}
