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

/* " in run 12 (a = 0.1, v = 2)", "" where all runs agree */
static const char *print_run(const struct sw_sweep *s, bool uniform, int64_t run, struct sw_text *text)
{
    char axes[240];
    if (uniform || s->naxis == 0 || s->own->axes_wrong) return "";
    sw_sweep_describe(s, run, axes, sizeof axes);
    sw_text_set(text, " in run %lld (%s)", (long long)run, axes);
    return sw_text_get(text);
}

/* ------------------------------------------------------------------ grid, steps and output times of a run */

/* Run j of a block, with the numbers of its shape; in_run, where its errors are reported, names it. */
struct one_run {
    const struct sw_sweep     *s;
    const struct column_block *b;
    int                        j;
    const double              *shape;
    const char                *in_run;
};

/* True: the run is wrong; reported as well, if that is asked for. */
#define WRONG(r, setting, ...) (((r)->in_run ? report_error((r)->s, setting, __VA_ARGS__) : (void)0), true)

static double number_of(const struct one_run *r, int column) { return block_number(r->b, column, r->j, 1); }

static const struct sw_setting *setting_of(const struct one_run *r, int column)
{
    return r->s->own->source[column].setting;
}

static bool wrong_points(const struct one_run *r)
{
    const struct sw_problem *problem = r->s->problem;
    const int least = problem->shape->min_points, most = grid_max_dim(problem);
    const double *n = r->shape + SHAPE_N;
    for (int d = 0; d < most && d < r->shape[SHAPE_DIM]; d++)
        if (n[d] < least)
            return WRONG(r, setting_of(r, r->s->own->shape->n[d]), "'grid.n' = %.0f%s: the stencil of %s needs at "
                         "least %d points", n[d], r->in_run, problem->name, least);
    return false;
}

/* Points are counted in doubles; no machine holds more than this. */
static const double max_points = 1e12;

static bool wrong_total(const struct one_run *r)
{
    const double *n = r->shape + SHAPE_N;
    return n[0] * n[1] * n[2] > max_points &&
           WRONG(r, setting_of(r, r->s->own->shape->n[0]), "'grid.n' = %.0f x %.0f x %.0f%s: at most %g points are "
                 "possible", n[0], n[1], n[2], r->in_run, max_points);
}

static bool wrong_dim(const struct one_run *r)
{
    const struct sw_problem *problem = r->s->problem;
    const int most = grid_max_dim(problem);
    const double dim = r->shape[SHAPE_DIM];
    if (!(dim > most)) return false;
    const struct sw_setting *setting = setting_of(r, r->s->own->shape->dim);
    if (most == 1) return WRONG(r, setting, "'grid.dim' = %.0f%s: %s is 1-D only", dim, r->in_run, problem->name);
    return WRONG(r, setting, "'grid.dim' = %.0f%s: %s has 1 to %d dimensions", dim, r->in_run, problem->name, most);
}

static bool wrong_list(const struct one_run *r)
{
    const struct shape *p = r->s->own->shape;
    const double dim = r->shape[SHAPE_DIM];
    return !(dim > grid_max_dim(r->s->problem)) && p->listed && dim != p->listed &&
           WRONG(r, setting_of(r, p->dim), "'grid.dim' = %.0f%s: '%s' is a list of %d; leave grid.dim out", dim,
                 r->in_run, grid_list(r->s)->path, grid_list(r->s)->count);
}

static bool wrong_names(const struct one_run *r)
{
    const struct shape *p = r->s->own->shape;
    const double dim = r->shape[SHAPE_DIM];
    const bool names_z = p->named > 2;
    if (p->named_by < 0 || !(p->named > dim)) return false;
    const char *key = r->s->function[p->named_by].key;
    return WRONG(r, key_setting(r->s, key), "'%s' uses %s, and the grid%s has %.0f dimension%s; write grid.n = "
                 "[nx, ny%s]", key, names_z ? "z" : "y", r->in_run, dim, dim == 1 ? "" : "s", names_z ? ", nz" : "");
}

static bool whole_steps(double dt, double end)
{
    double ratio = end / dt, off = fabs(ratio - round(ratio));
    return ratio < 1e15 && round(ratio) >= 1 && off <= steps_slack(ratio);
}

static bool wrong_steps(const struct one_run *r)
{
    const struct shape *p = r->s->own->shape;
    const double d = number_of(r, p->dt), e = number_of(r, p->end), ratio = e / d;
    const double whole = round(ratio) < 1 ? 1 : round(ratio);
    char dt[32], end[32], nearest[32];
    if (r->s->own_steps || whole_steps(d, e)) return false;
    if (ratio >= 1e15)
        return WRONG(r, setting_of(r, p->dt), "'time.dt' = %s%s: time.end = %s would take %.3g steps",
                     sw_number(d, dt), r->in_run, sw_number(e, end), ratio);
    return WRONG(r, setting_of(r, p->dt), "'time.dt' = %s%s: time.end = %s is %.9g steps, not a whole number; the "
                 "nearest dt is %s, as \"end/%.0f\"", sw_number(d, dt), r->in_run, sw_number(e, end), ratio,
                 sw_number(e / whole, nearest), whole);
}

/* @param before  how many arguments stand before those of t  @param error  what is wrong with them, or NULL */
static bool wrong_times(const struct one_run *r, const struct times *t, int before,
                        const char *(*error)(const struct times *, const double *, double, double, struct sw_text *))
{
    struct sw_text text = SW_SHORT_TEXT;
    const char *why = error(t, r->shape + SHAPE_TIMES + before, r->shape[SHAPE_STEPS],
                            number_of(r, r->s->own->shape->dt), &text);
    return why && WRONG(r, t->setting, "'%s'%s: %s", t->path, r->in_run, why);
}

static bool wrong_fields(const struct one_run *r) { return wrong_times(r, r->s->own->fields, 0, times_error); }

static bool wrong_scalars(const struct one_run *r)
{
    return wrong_times(r, r->s->own->scalars, r->s->own->fields->narg, times_error);
}

static bool wrong_looks(const struct one_run *r)
{
    const struct sw_sweep_own *own = r->s->own;
    const struct one_run silent = {r->s, r->b, r->j, r->shape, NULL};
    if (own->looks->setting == own->scalars->setting && wrong_scalars(&silent)) return false;  /* reported there */
    return wrong_times(r, own->looks, own->fields->narg + own->scalars->narg, looks_error);
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
static bool points_merge(const struct one_run *r, const struct origin *at, double *dx, double *rounding)
{
    const double begin = block_number(r->b, at->x0, r->j, 0), extent = number_of(r, at->length);
    *dx = extent / number_of(r, at->n);
    *rounding = DBL_EPSILON * fmax(fabs(begin), fabs(begin + extent));
    return !(*dx >= 8 * *rounding);
}

static bool wrong_origin(const struct one_run *r)
{
    static const char *const of[SW_DIMS] = {"", " of y", " of z"};
    const struct sw_sweep *s = r->s;
    struct origin at;
    double dx = 0, rounding = 0;
    char number[32];
    int d = 0;
    while (find_origin(s, d, &at) && !points_merge(r, &at, &dx, &rounding)) d++;
    if (!find_origin(s, d, &at)) return false;
    const struct sw_setting *setting = setting_of(r, at.x0);
    const bool fewer = dx * number_of(r, at.n) / s->problem->shape->min_points >= 8 * rounding;  /* are told apart */
    return WRONG(r, setting ? setting : key_group(s, "grid.x0"), "'grid.x0' = %s%s%s: points are %.3g apart, and "
                 "numbers there %.3g: they are not told apart; begin nearer to 0%s",
                 sw_number(block_number(r->b, at.x0, r->j, 0), number), of[d], r->in_run, dx, rounding,
                 fewer ? ", or take fewer points" : "");
}

static bool (*const wrong[])(const struct one_run *r) = {
    [ERROR_POINTS] = wrong_points, [ERROR_TOTAL] = wrong_total,     [ERROR_DIM] = wrong_dim,
    [ERROR_LIST] = wrong_list,     [ERROR_NAMES] = wrong_names,     [ERROR_STEPS] = wrong_steps,
    [ERROR_FIELDS] = wrong_fields, [ERROR_SCALARS] = wrong_scalars, [ERROR_LOOKS] = wrong_looks,
    [ERROR_ORIGIN] = wrong_origin,
};

/* Output times are counted in steps, and not checked where steps are wrong. */
static void check_shape(struct checking *c, const struct one_run *r)
{
    for (int e = 0; e <= ERROR_LOOKS; e++) {
        if (!wrong[e](r)) continue;
        record_first(c, c->s->ncolumn + e, r->b->first + r->j);
        if (e == ERROR_STEPS) return;
    }
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
        const struct one_run run = {c->s, b, j, shape + j * p->size, NULL};
        check_shape(c, &run);
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
                                     const char **key, struct sw_text *why)
{
    const struct sw_setup setup = setup_of_sweep(s);
    const char *solver[RUNS_AT_ONCE];
    *first = -1;
    if (!s->problem->time || !s->problem->time->check_precision) return SW_OK;
    for (int j = 0; j < b->count; j++) solver[j] = row_of(s, b, j);
    return s->problem->time->check_precision(&setup, solver, b->count, RUNS_AT_ONCE, b->column, first, key, why);
}

static enum sw_status check_precision(struct checking *c, const struct column_block *b)
{
    const char *key;
    struct sw_text why = SW_SHORT_TEXT;
    int first;
    SW_TRY(find_imprecise(c->s, b, &first, &key, &why));
    if (first >= 0) record_first(c, c->s->ncolumn + ERROR_PRECISION, b->first + first);
    return SW_OK;
}

static const char *validate_run(const struct sw_sweep *s, const struct column_block *b, int j, struct sw_text *why)
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
    struct sw_text why = SW_SHORT_TEXT;
    int first = -1, count = 0;
    if (!c->s->problem->validate_run || c->s->own->outline) return;
    for (int j = 0; j < b->count; j++) {
        if (!validate_run(c->s, b, j, &why)) continue;
        if (!count++) first = j;
    }
    if (!count) count_idle(c, b);
    if (!count) return;
    record_first(c, c->s->ncolumn + ERROR_INVALID, b->first + first);
#pragma omp atomic
    c->ninvalid += count;
}

static void check_origin(struct checking *c, const struct column_block *b)
{
    struct origin at;
    double dx, rounding;
    for (int d = 0; find_origin(c->s, d, &at); d++)
        for (int j = 0; j < b->count; j++) {
            const struct one_run run = {c->s, b, j, NULL, NULL};
            if (!points_merge(&run, &at, &dx, &rounding)) continue;
            record_first(c, c->s->ncolumn + ERROR_ORIGIN, b->first + j);
            break;
        }
}

static void scan_runs(const struct checking *c, const struct column_block *b)
{
    const struct sw_sweep *s = c->s;
    const struct sw_setup setup = setup_of_sweep(s);
    if (s->own->prepared && s->problem->texts->scan_runs)
        s->problem->texts->scan_runs(&setup, s->own->prepared, b->count, RUNS_AT_ONCE, b->column);
}

static enum sw_status finalize(const struct sw_sweep *s)
{
    const struct sw_setup setup = setup_of_sweep(s);
    if (!s->own->prepared || !s->problem->texts->finalize || s->own->report->errors) return SW_OK;
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

static void report_column(const struct sw_sweep *s, int k, int64_t run, double v)
{
    char number[32];
    struct sw_text range = SW_SHORT_TEXT, in_run = SW_SHORT_TEXT;
    const struct sw_column *c = &s->column[k];
    const struct sw_setting *setting = s->own->source[k].setting;
    report_error(s, setting, "'%s' = %s%s: %s", setting ? setting->path : c->name, sw_number(v, number),
                 print_run(s, c->uniform, run, &in_run), key_range(c->key, v, &range));
}

/* Whether the first run of a block is fine with the solver "auto". */
static enum sw_status auto_helps(const struct sw_sweep *s, const struct column_block *b, bool *helps)
{
    const struct sw_setup setup = setup_of_sweep(s);
    const char *solver = "auto", *key;
    struct sw_text why = SW_SHORT_TEXT;
    int first;
    SW_TRY(s->problem->time->check_precision(&setup, &solver, 1, RUNS_AT_ONCE, b->column, &first, &key, &why));
    *helps = first < 0;
    return SW_OK;
}

static enum sw_status report_precision(const struct sw_sweep *s, const struct column_block *b, const char *in_run)
{
    static const char remedy[] = "a smaller time.dt or fewer points";
    struct sw_text why = SW_SHORT_TEXT;
    char number[32];
    const char *key;
    int first;
    bool helps;
    SW_TRY(find_imprecise(s, b, &first, &key, &why));
    SW_TRY(auto_helps(s, b, &helps));
    if (!strcmp(key, "run.precision"))
        report_error(s, key_setting(s, key), "'%s' = \"single\"%s: %s; use \"double\", %s", key, in_run,
                     sw_text_get(&why), remedy);
    else if (!strcmp(key, s->own->row_key->path))
        report_error(s, key_setting(s, key), "'%s' = \"%s\"%s: %s; use %s%s", key_written(s, s->own->row_key),
                     row_of(s, b, 0), in_run, sw_text_get(&why), helps ? "\"auto\", " : "", remedy);
    else
        report_error(s, s->own->source[s->own->shape->dt].setting, "'%s' = %s%s: %s; use %s", key,
                     sw_number(block_number(b, s->own->shape->dt, 0, 1), number), in_run, sw_text_get(&why),
                     remedy);
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
    struct sw_text reason = SW_SHORT_TEXT;
    char number[32], more[80] = "";
    const char *key = validate_run(s, b, 0, &reason), *why = sw_text_get(&reason);
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
    if (kind == ERROR_ORIGIN) return false;
    if (kind == ERROR_NAMES || kind == ERROR_LIST) return s->column[dim].uniform;
    return s->own->shape->uniform;
}

/* An error with the run that has it first. */
struct reported { const struct sw_sweep *s; int kind; int64_t run, ninvalid; };

static enum sw_status report_run(void *user, const struct column_block *b)
{
    const struct reported *t = user;
    const struct sw_sweep *s = t->s;
    struct sw_text in_run = SW_SHORT_TEXT;
    double *shape;
    if (t->kind < s->ncolumn) {
        report_column(s, t->kind, t->run, b->column[(size_t)t->kind * RUNS_AT_ONCE]);
        return SW_OK;
    }
    if (t->kind == s->ncolumn + ERROR_INVALID) {
        report_invalid(s, b, t->ninvalid, print_run(s, false, t->run, &in_run));
        return SW_OK;
    }
    if (t->kind == s->ncolumn + ERROR_PRECISION) return report_precision(s, b, print_run(s, false, t->run, &in_run));
    SW_TRY(sw_alloc((size_t)s->own->shape->size, &shape));
    enum sw_status st = shape_of_block(s, b, shape);
    const int kind = t->kind - s->ncolumn;
    const struct one_run run = {s, b, 0, shape, print_run(s, same_in_all_runs(s, kind), t->run, &in_run)};
    if (!st) wrong[kind](&run);
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
    struct sw_text in_run = SW_SHORT_TEXT;
    char written[32], taken[32];
    sw_report_add(s->own->report, SW_WARNING, error_file(s, dt), error_line(dt),
                  "'time.dt' = %s%s is taken for %s = end/%.0f, which divides time.end",
                  sw_number(s->own->dt_written, written),
                  print_run(s, s->column[p->dt].uniform, s->own->divided, &in_run), sw_number(step, taken),
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
