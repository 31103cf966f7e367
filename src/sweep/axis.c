#include "sweep/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "sweep/formula.h"
#include "sweep/keys.h"
#include "sweep/ladder.h"
#include "sweep/sample.h"
#include "sweep/sweep_own.h"
#include "sweep/table.h"

/* An axis as the user writes it: a list of numbers or of words, a number, or a function that makes a list. */

static const double MAX_RUNS = AXIS_RUNS_MOST;

static bool is_drawn(const struct axis *a) { return a->kind >= AXIS_UNIFORM; }
/* A point of the sample, or a row of the table, gives the values of all axes that are joint. */
static bool is_joint(const struct axis *a) { return a->kind >= AXIS_TABLE; }

#define AXIS_FUNCTIONS "linspace|logspace|range|uniform|loguniform|integer|normal|lognormal"
static const struct function {
    const char    *name;
    enum axis_kind kind;
    int            least, most;  /* arguments */
    const char    *usage, *about;
} functions[] = {
    {"linspace", AXIS_LINSPACE, 3, 3, "linspace(a, b, k)", "k values from a to b, equally spaced."},
    {"logspace", AXIS_LOGSPACE, 3, 3, "logspace(a, b, k)",
     "k values from a to b, equally spaced in the logarithm (a and b are the ends themselves)."},
    {"range", AXIS_RANGE, 2, 3, "range(a, b) or range(a, b, step)",
     "a, a + step, ... up to b, both included; the step is 1 unless given."},
    {"uniform", AXIS_UNIFORM, 2, 2, "uniform(a, b)", "An interval, for random sweeps."},
    {"loguniform", AXIS_LOGUNIFORM, 2, 2, "loguniform(a, b)",
     "An interval, for random sweeps, drawn from in the logarithm."},
    {"integer", AXIS_INTEGER, 2, 2, "integer(a, b)", "The whole numbers from a to b, for random sweeps."},
    {"normal", AXIS_NORMAL, 2, 2, "normal(mean, deviation)", "Normally distributed numbers, for random sweeps."},
    {"lognormal", AXIS_LOGNORMAL, 2, 2, "lognormal(mean, deviation)",
     "Numbers whose logarithm has a normal distribution of this mean and deviation, for random sweeps."},
};

const char *sw_axis_function(int k, const char **usage, const char **about)
{
    if (k >= (int)(sizeof functions / sizeof *functions)) return NULL;
    *usage = functions[k].usage;
    *about = functions[k].about;
    return functions[k].name;
}

static const char *path_of(const struct axis *a) { return a->setting->path; }
static bool is_random(const struct sw_sweep *s) { return !strcmp(s->mode, "random"); }

/* ------------------------------------------------------------------ lists */

/* A number, or a constant expression. */
static bool element_number(const struct sw_sweep *s, const struct sw_setting *e, double *v)
{
    *v = e->number;
    if (e->kind == SW_SETTING_STRING) return formula_constant(s, e->text, v);
    return e->kind == SW_SETTING_INTEGER || e->kind == SW_SETTING_REAL;
}

static enum sw_status read_words(struct sw_sweep *s, struct axis *a)
{
    if (a->count > AXIS_WORDS_MOST) {
        report_error(s, a->setting, "'%s' has %lld words, more than %d", path_of(a), (long long)a->count,
                     AXIS_WORDS_MOST);
        a->count = 0;
        return SW_OK;
    }
    SW_TRY(sw_arena_take(s->own->arena, (size_t)a->count, &a->word));
    for (int k = 0; k < a->count; k++) {
        const struct sw_setting *e = a->setting->child[k];
        a->word[k] = e->text;
        a->value[k] = k;
        if (e->kind == SW_SETTING_STRING && table_is_word(e->text)) continue;
        if (e->kind == SW_SETTING_STRING)
            report_error(s, e, "'%s': \"%s\" is neither a word nor a constant expression", path_of(a), e->text);
        else report_error(s, e, "'%s' must hold numbers only or words only", path_of(a));
        a->count = 0;
        a->word = NULL;
        return SW_OK;
    }
    a->nword = (int)a->count;
    return SW_OK;
}

/* Whether a key takes its word from an axis. */
static bool is_taken_as_word(const struct sw_sweep *s, const char *name)
{
    const char *row = s->own->row;
    bool found = row[0] == '$' && !strcmp(row + 1, name);
    for (int k = 0; k < s->nchoice; k++)
        found |= s->choice[k].word[0] == '$' && !strcmp(s->choice[k].word + 1, name);
    return found;
}

/* Then "3-4-6" is a word; elsewhere it is the number -7. */
static bool gives_words(const struct sw_sweep *s, const struct axis *a)
{
    bool found = is_taken_as_word(s, a->name);
    for (int k = 0; k < a->setting->count; k++) found &= a->setting->child[k]->kind == SW_SETTING_STRING;
    return found;
}

static void read_number(struct sw_sweep *s, struct axis *a, double *value)
{
    if (!isfinite(*value)) { report_error(s, a->setting, "'%s' is not finite", path_of(a)); return; }
    a->value = value;
    a->count = 1;
}

/* ------------------------------------------------------------------ functions */

static void refuse_text(struct sw_sweep *s, struct axis *a)
{
    report_error(
        s, a->setting,
        "'%s' = \"%s\" is no axis: give a list, linspace(a, b, k), logspace(a, b, k), range(a, b, step)%s; what "
        "follows from other parameters belongs into define",
        path_of(a), a->setting->text, is_random(s) ? ", or a distribution such as uniform(a, b)" : "");
}

static bool read_arguments(struct sw_sweep *s, struct axis *a, const struct list_call *call, const struct function *f,
                           double arg[3])
{
    if (call->narg < f->least || call->narg > f->most) {
        report_error(s, a->setting, "'%s': write %s", path_of(a), f->usage);
        return false;
    }
    for (int k = 0; k < call->narg; k++) {
        if (formula_constant(s, call->arg[k], &arg[k]) && isfinite(arg[k])) continue;
        report_error(s, a->setting, "'%s': \"%s\" is not a finite constant; an axis may use numbers, pi and e only",
                     path_of(a), call->arg[k]);
        return false;
    }
    return true;
}

/* The power of ten of which a and b are whole multiples of one over it: 100 of 0.1 and 0.25. Both have at most 15
 * digits, as numbers that one types have, so that the decimals between them are known; 0: they have not. */
static double decimal_unit(const struct sw_sweep *s, double a, double b)
{
    if (s->config->older_axes) return 0;
    for (double unit = 1; unit <= 1e22 && fmax(fabs(a), fabs(b)) * unit < 1e15; unit *= 10)  /* exact up to 1e22 */
        if (round(a * unit) / unit == a && round(b * unit) / unit == b) return unit;
    return 0;
}

static void read_spaced(struct sw_sweep *s, struct axis *a, const double arg[3])
{
    a->a = arg[0];
    a->b = arg[1];
    a->unit = decimal_unit(s, a->a, a->b);
    if (!(arg[2] >= 1 && arg[2] <= MAX_RUNS && arg[2] == floor(arg[2])))
        report_error(s, a->setting, "'%s': %.10g is no number of values from 1 to %.0e", path_of(a), arg[2], MAX_RUNS);
    else if (a->kind == AXIS_LOGSPACE && !(a->a > 0 && a->b > 0))
        report_error(s, a->setting, "'%s': the ends of logspace must be positive (they are ends, not exponents)",
                     path_of(a));
    else if (a->a == a->b && arg[2] > 1)
        report_error(s, a->setting, "'%s': all %.0f values are %g", path_of(a), arg[2], a->a);
    else a->count = (int64_t)arg[2];
}

/* Both ends are included; the count allows for rounding, as in range(0, 1, 0.1). */
static void read_range(struct sw_sweep *s, struct axis *a, const double arg[3], double step)
{
    double count = floor((arg[1] - arg[0]) / step * (1 + 1e-12) + 1e-9) + 1;
    a->a = arg[0];
    a->b = step;
    a->unit = decimal_unit(s, a->a, a->b);
    if (step == 0) report_error(s, a->setting, "'%s': a step of 0", path_of(a));
    else if (!(count >= 1))
        report_error(s, a->setting, "'%s' is empty: steps of %g from %g do not lead to %g", path_of(a), step, arg[0],
                     arg[1]);
    else if (count > MAX_RUNS)
        report_error(s, a->setting, "'%s' has %.3g values, more than %.0e", path_of(a), count, MAX_RUNS);
    else if (count > 1 && arg[1] - step == arg[1])
        report_error(s, a->setting, "'%s': a step of %g is lost in rounding at %g", path_of(a), step, arg[1]);
    else a->count = (int64_t)count;
}

static bool is_whole(double v) { return v == floor(v) && fabs(v) <= 0x1p53; }

/* A distribution. */
static void read_interval(struct sw_sweep *s, struct axis *a, const double arg[3])
{
    a->a = arg[0];
    a->b = arg[1];
    const bool normal = a->kind == AXIS_NORMAL || a->kind == AXIS_LOGNORMAL;
    if (normal && !(a->b > 0)) report_error(s, a->setting, "'%s': the deviation must be above 0", path_of(a));
    else if (!normal && !(a->a < a->b))
        report_error(s, a->setting, "'%s': %g .. %g is no interval", path_of(a), a->a, a->b);
    else if (a->kind == AXIS_LOGUNIFORM && !(a->a > 0))
        report_error(s, a->setting, "'%s': the ends of loguniform must be positive", path_of(a));
    else if (a->kind == AXIS_INTEGER && !(is_whole(a->a) && is_whole(a->b)))
        report_error(s, a->setting, "'%s': the ends of integer must be whole numbers within 2^53", path_of(a));
    else a->count = s->own->sample->count;
}

static void read_call(struct sw_sweep *s, struct axis *a, const struct list_call *call)
{
    const struct function *f = functions;
    double arg[3] = {0, 0, 1};
    while (strcmp(f->name, call->name)) f++;
    a->kind = f->kind;
    if (is_drawn(a) && !is_random(s))
        report_error(s, a->setting, "'%s': %s needs sweep.mode = \"random\"", path_of(a), call->name);
    else if (read_arguments(s, a, call, f, arg)) {
        if (is_drawn(a)) read_interval(s, a, arg);
        else if (f->kind == AXIS_RANGE) read_range(s, a, arg, call->narg == 3 ? arg[2] : 1);
        else read_spaced(s, a, arg);
    }
}

/* ------------------------------------------------------------------ lists that have lists as elements */

static enum sw_status has_call(const struct sw_sweep *s, const struct sw_setting *list, bool *yes)
{
    struct list_call call;
    *yes = false;
    for (int k = 0; k < list->count && !*yes; k++)
        if (list->child[k]->kind == SW_SETTING_STRING)
            SW_TRY(call_split(s, list->child[k]->text, AXIS_FUNCTIONS, &call, yes));
    return SW_OK;
}

/* An element as an axis of its own: a call, or a number. Its count is 0 where it is refused. */
static enum sw_status read_element(struct sw_sweep *s, const struct sw_setting *e, double *number, struct axis *part)
{
    struct list_call call;
    bool is_call = false;
    *part = (struct axis){.setting = e, .kind = AXIS_LIST, .value = number};
    if (e->kind == SW_SETTING_STRING) SW_TRY(call_split(s, e->text, AXIS_FUNCTIONS, &call, &is_call));
    if (is_call) {
        part->value = NULL;
        read_call(s, part, &call);
        if (!is_drawn(part) || !part->count) return SW_OK;
        report_error(s, e, "'%s': %s is drawn at random, no part of a list", e->path, call.name);
        part->count = 0;
    } else if (!element_number(s, e, number))
        report_error(s, e, "'%s': an element of such a list is a number, or linspace(a, b, k) and the like", e->path);
    else if (!isfinite(*number)) report_error(s, e, "'%s': a value is not finite", e->path);
    else part->count = 1;
    return SW_OK;
}

struct ranked { double value; int64_t place; };

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Keep the first of equal values. */
static enum sw_status drop_repeats(struct sw_sweep *s, struct axis *a)
{
    struct ranked *sorted = NULL;
    bool *again = NULL;
    char number[32];
    double first = 0;
    int64_t repeats = 0, kept = 0;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, &sorted));
    SW_TRY_TO(done, st, sw_alloc((size_t)a->count, &again));
    for (int64_t i = 0; i < a->count; i++) sorted[i] = (struct ranked){a->value[i], i};
    qsort(sorted, (size_t)a->count, sizeof *sorted, by_value);
    for (int64_t i = 1; i < a->count; i++) {
        if (sorted[i].value != sorted[i - 1].value) continue;
        again[sorted[i].place] = true;
        if (!repeats++) first = sorted[i].value;
    }
    for (int64_t i = 0; i < a->count; i++)
        if (!again[i]) a->value[kept++] = a->value[i];
    a->count = kept;
    if (repeats && s->config->users_file)
        sw_report_add_at(s->own->report, SW_WARNING, error_place(s, a->setting), "'%s' has %s%s again: %s", path_of(a),
                         sw_number(first, number), repeats > 1 ? " and other values" : "",
                         repeats > 1 ? "each is computed once" : "it is computed once");
done:
    sw_free(sorted);
    sw_free(again);
    return st;
}

/* ["linspace(5, 40, 15)", 11, 12]: the values of all elements, in their order. */
static enum sw_status read_union(struct sw_sweep *s, struct axis *a)
{
    const int n = a->setting->count, errors = s->own->report->errors;
    struct axis *part;
    double *number;
    double count = 0;
    int64_t at = 0;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)n, &part));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)n, &number));
    for (int k = 0; k < n; k++) {
        SW_TRY(read_element(s, a->setting->child[k], &number[k], &part[k]));
        count += (double)part[k].count;
    }
    if (s->own->report->errors > errors) return SW_OK;
    if (count > MAX_RUNS) {
        report_error(s, a->setting, "'%s' has %.3g values, more than %.0e", path_of(a), count, MAX_RUNS);
        return SW_OK;
    }
    SW_TRY(sw_arena_take(s->own->arena, (size_t)count, &a->value));
    for (int k = 0; k < n; k++)
        for (int64_t i = 0; i < part[k].count; i++) a->value[at++] = axis_value(&part[k], i);
    a->count = at;
    return strcmp(s->mode, "zip") ? drop_repeats(s, a) : SW_OK;
}

static enum sw_status read_list(struct sw_sweep *s, struct axis *a)
{
    int numbers = 0;
    bool joins;
    SW_TRY(has_call(s, a->setting, &joins));
    if (joins) return read_union(s, a);
    a->count = a->setting->count;
    if (a->count == 0) {
        report_error(s, a->setting, "'%s' is empty: an axis needs a value", path_of(a));
        return SW_OK;
    }
    SW_TRY(sw_arena_take(s->own->arena, (size_t)a->count, &a->value));
    if (gives_words(s, a)) return read_words(s, a);
    for (int k = 0; k < a->count; k++) {
        numbers += element_number(s, a->setting->child[k], &a->value[k]);
        if (numbers <= k) return read_words(s, a);
        if (isfinite(a->value[k])) continue;
        report_error(s, a->setting->child[k], "'%s': value %d is not finite", path_of(a), k + 1);
        a->count = 0;
        return SW_OK;
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ an axis */

static enum sw_status read_text(struct sw_sweep *s, struct axis *a, double *constant)
{
    struct list_call call;
    bool is_call;
    SW_TRY(call_split(s, a->setting->text, AXIS_FUNCTIONS, &call, &is_call));
    if (is_call) read_call(s, a, &call);
    else if (!formula_constant(s, a->setting->text, constant)) refuse_text(s, a);
    else read_number(s, a, constant);
    return SW_OK;
}

static enum sw_status read_axis(struct sw_sweep *s, const struct sw_setting *setting, struct axis *a)
{
    double *number;
    *a = (struct axis){.name = setting->name, .setting = setting, .kind = AXIS_LIST, .stride = 1};
    SW_TRY(sw_arena_take(s->own->arena, 1, &number));
    *number = setting->number;
    switch (setting->kind) {
    case SW_SETTING_LIST: return read_list(s, a);
    case SW_SETTING_STRING: return read_text(s, a, number);
    case SW_SETTING_INTEGER:
    case SW_SETTING_REAL: read_number(s, a, number); return SW_OK;
    default: report_error(s, setting, "'%s' must be a list or a number", path_of(a)); return SW_OK;
    }
}

static void add_axis(struct sw_sweep *s)
{
    const struct axis *a = &s->own->axis[s->naxis];
    s->axis[s->naxis].count = a->count;
    s->axis[s->naxis].together = is_joint(a) || !strcmp(s->mode, "zip");
    s->naxis++;
}

static enum sw_status read_table(struct sw_sweep *s)
{
    struct table *t = s->own->table;
    for (int k = 0; k < t->ncolumn; k++) t->column[k].words = is_taken_as_word(s, t->column[k].name);
    SW_TRY(table_read_rows(s));
    for (int k = 0; k < t->ncolumn; k++) {
        const struct table_column *c = &t->column[k];
        s->own->axis[s->naxis] =
            (struct axis){.name = c->name, .setting = &c->setting, .kind = AXIS_TABLE, .stride = 1, .value = c->value,
                          .word = c->word, .nword = c->nword, .count = t->wrong ? 0 : t->nrow};
        add_axis(s);
    }
    return SW_OK;
}

static enum sw_status read_axes(struct sw_sweep *s)
{
    const struct sw_setting *sweep = sw_config_find(s->config, "sweep");
    const int n = sweep && sweep->kind == SW_SETTING_GROUP ? sweep->count : 0;
    const size_t most = (size_t)n + (size_t)(s->own->table ? s->own->table->ncolumn : 0) + 1;
    bool more;
    SW_TRY(sw_arena_take(s->own->arena, most, &s->own->axis));
    SW_TRY(sw_arena_take(s->own->arena, most, &s->axis));
    if (s->own->table) SW_TRY(read_table(s));
    for (int k = 0; k < n; k++) {
        const struct sw_setting *child = sweep->child[k], *values;
        struct axis *a = &s->own->axis[s->naxis];
        if (key_find(s, child->path)) continue;  /* sweep.mode */
        if (table_find(s->own->table, child->name) >= 0) {
            report_error(s, child, "'%s' is a column of the table as well; leave one out", child->path);
            continue;
        }
        ladder_open(s, child, s->naxis, &values);
        if (values) SW_TRY(read_axis(s, values, a));
        else *a = (struct axis){.stride = 1};
        a->name = child->name;
        a->setting = child;
        add_axis(s);
    }
    SW_TRY(ladder_add_direction(s, &s->own->axis[s->naxis], &more));
    if (more) add_axis(s);
    return SW_OK;
}

/* ------------------------------------------------------------------ together */

static enum sw_status refuse_repeated_words(struct sw_sweep *s, const struct axis *a)
{
    for (int64_t i = 1; i < a->count; i++)
        for (int64_t j = 0; j < i; j++) {
            if (strcmp(a->word[i], a->word[j])) continue;
            report_error(s, a->setting, "'%s' has \"%s\" twice", path_of(a), a->word[i]);
            return SW_OK;
        }
    return SW_OK;
}

/* A value that is listed twice would make every run of the product with it twice. */
static enum sw_status refuse_repeats(struct sw_sweep *s, const struct axis *a)
{
    double *sorted;
    if (a->kind != AXIS_LIST || a->count < 2) return SW_OK;
    if (a->word) return refuse_repeated_words(s, a);
    SW_TRY(sw_alloc((size_t)a->count, &sorted));
    memcpy(sorted, a->value, (size_t)a->count * sizeof *sorted);
    qsort(sorted, (size_t)a->count, sizeof *sorted, sw_by_real);
    for (int64_t i = 1; i < a->count; i++)
        if (sorted[i] == sorted[i - 1]) {
            report_error(s, a->setting, "'%s' has the value %g twice", path_of(a), sorted[i]);
            break;
        }
    sw_free(sorted);
    return SW_OK;
}

/* Points of the sample, or rows of the table; 1 where there is neither. */
static int64_t joint_count(const struct sw_sweep *s)
{
    return s->own->table ? s->own->table->nrow : is_random(s) ? s->own->sample->count : 1;
}

/* "a(32) x v(4)"; a sample comes first: "sample(100) x v(4)", or a table: "table(100) x v(4)". */
static void print_counts(const struct sw_sweep *s, const char *between, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = 0;
    if (is_random(s) || s->own->table)
        length += (size_t)snprintf(text, capacity, "%s(%lld)", s->own->table ? "table" : "sample",
                                   (long long)joint_count(s));
    for (int k = 0; k < s->naxis && length < capacity; k++) {
        if (is_joint(&s->own->axis[k])) continue;
        length += (size_t)snprintf(text + length, capacity - length, "%s%s(%lld)", length ? between : "",
                                   s->own->axis[k].name, (long long)s->own->axis[k].count);
    }
}

/* What a process keeps of a run beside its fields: 398 MiB of a million (results/gpu/suite.txt). */
static const double BYTES_OF_A_RUN = 400;

/* Every value of each list with every other, the last list varying fastest, and with every point of the sample or row
 * of the table, which varies slowest: a larger sample or table adds runs at the end. */
static enum sw_status combine_product(struct sw_sweep *s)
{
    char text[600];
    struct sample *sample = s->own->sample;
    double runs = 1;
    for (int k = s->naxis - 1; k >= 0; k--) {
        struct axis *a = &s->own->axis[k];
        if (is_joint(a)) continue;
        SW_TRY(refuse_repeats(s, a));
        a->stride = (int64_t)(runs <= MAX_RUNS ? runs : 1);
        runs *= (double)a->count;
    }
    for (int k = 0; k < s->naxis; k++) {
        struct axis *a = &s->own->axis[k];
        if (!is_joint(a)) continue;
        a->stride = (int64_t)(runs <= MAX_RUNS ? runs : 1);
        if (is_drawn(a)) a->dimension = sample->dimensions++;
    }
    runs *= (double)joint_count(s);
    s->nruns = runs <= MAX_RUNS ? (int64_t)runs : 0;
    if (runs <= MAX_RUNS) return SW_OK;
    print_counts(s, " x ", text, sizeof text);
    report_error(s, sw_config_find(s->config, "sweep"), "%s = %.3g runs, more than %.0e, the most that a sweep may "
                 "have, and some %.3g GB of memory before their first step: shorten an axis%s", text, runs, MAX_RUNS,
                 runs * BYTES_OF_A_RUN / 1e9,
                 is_random(s) ? " or lower sample.count" : s->own->table ? " or the table" : "");
    return SW_OK;
}

static enum sw_status combine_zip(struct sw_sweep *s)
{
    char text[600];
    s->nruns = s->naxis ? s->own->axis[0].count : 1;
    for (int k = 1; k < s->naxis; k++) {
        if (s->own->axis[k].count == s->nruns) continue;
        print_counts(s, ", ", text, sizeof text);
        report_error(s, sw_config_find(s->config, "sweep"), "sweep.mode = \"zip\" needs axes of one length, not %s",
                     text);
        return SW_OK;
    }
    return SW_OK;
}

static enum sw_status prepare_sample(struct sw_sweep *s)
{
    const char **name;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->naxis, &name));
    for (int k = 0; k < s->naxis; k++)
        if (is_drawn(&s->own->axis[k])) name[s->own->axis[k].dimension] = s->own->axis[k].name;
    return sample_prepare(s, name);
}

static enum sw_status combine_axes(struct sw_sweep *s)
{
    if (s->own->table && s->own->table->wrong) return SW_OK;
    for (int k = 0; k < s->naxis; k++)
        if (s->own->axis[k].count == 0) return SW_OK;  /* refused already */
    if (!strcmp(s->mode, "zip")) return combine_zip(s);
    SW_TRY(combine_product(s));
    if (!is_random(s)) return SW_OK;
    if (s->own->sample->dimensions == 0)
        report_error(s, NULL, "sweep.mode = \"random\" needs an axis that is drawn, such as a = \"uniform(0, 1)\"");
    return s->nruns ? prepare_sample(s) : SW_OK;
}

enum sw_status axes_read(struct sw_sweep *s)
{
    SW_TRY(read_axes(s));
    return combine_axes(s);
}
