/* "hyperdiffusion:n=1024,batch=65536,steps=250": which work, and the words of it that the bench itself takes. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "bench/bench_impl.h"

/* Specs of a name of their own. Any other is that of a problem, or a config file. */
static const struct name { const char *name, *problem; const struct bench_work *work; } names[] = {
    {"band", NULL, &bench_bands},          /* solves of banded systems */
    {"bvp", "bvp", &bench_bvp},            /* solves of -u'' = f       */
    {"compact", "compact", &bench_compact},
    {"gradient", "compact", &bench_gradient},
    {"tridiagonal", "tridiagonal", &bench_tridiagonal},
    {"elliptic", "elliptic", &bench_elliptic},
};
enum { NAMES = sizeof names / sizeof *names };

enum { BANDS = 1, RUNS = 2, BVP = 4, GRADIENT = 8, CUT = 16, ANY = BANDS | RUNS | BVP | GRADIENT };

/* The words that the bench takes; all others are settings of a config. */
static const struct word {
    const char *name;
    int         specs;              /* which take it: BANDS | RUNS ..                               */
    double      least, most;
    size_t      offset, size;       /* in struct sw_bench_spec: a bool, or a whole number of so many bytes; size 0: r
                                       and along, which have values of their own */
} words[] = {
#define AT(member) offsetof(struct sw_bench_spec, member), sizeof ((struct sw_bench_spec *)0)->member
    {"steps", ANY, 1, 1e9, AT(steps)},
    {"n", BANDS, 3, 1 << 30, AT(n)},
    {"batch", BANDS | RUNS | BVP, 1, 1 << 30, AT(batch)},
    {"runs", RUNS | BVP, 1, 1 << 30, AT(batch)},
    {"lower", BANDS, 0, SW_BAND_SIDE, AT(lower)},
    {"upper", BANDS, 0, SW_BAND_SIDE, AT(upper)},
    {"periodic", BANDS, 0, 0, AT(periodic)},
    {"uniform", BANDS, 0, 0, AT(uniform)},
    {"r", BVP, 0, 0, 0, 0},
    {"split", CUT, 2, SW_COMM_MOST, AT(split)},
    {"along", CUT, 0, 0, 0, 0},
    {0},
#undef AT
};

static int words_of(const struct sw_bench_spec *spec)
{
    const struct sw_problem *problem = spec->config ? bench_config_problem(spec->config) : NULL;
    const int cut = problem && problem->shape->decomposes ? CUT : 0;
    if (spec->work == &bench_bands) return BANDS;
    if (spec->work == &bench_gradient) return GRADIENT | cut;
    return (spec->work == &bench_bvp ? BVP : RUNS) | cut;
}

/* ---- numbers */

/* strtod() that says whether there was a number. */
static bool scan_number(const char **text, double *value)
{
    char *end;
    *value = strtod(*text, &end);
    bool found = end != *text;
    *text = end;
    return found;
}

/* "1024", "1e-8", "2^20" */
static enum sw_status read_number(const char *name, const char *text, double *value)
{
    const char *rest = text ? text : "";
    double power;
    bool good = scan_number(&rest, value);
    if (good && *rest == '^') {
        rest++;
        good = scan_number(&rest, &power);
        *value = pow(*value, power);
    }
    if (good && !*rest && isfinite(*value)) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "'%s' needs a number, as in %s=1024; got '%s'", name, name, text ? text : "");
}

static enum sw_status read_count(const char *name, const char *text, double least, double most, int64_t *count)
{
    double value;
    SW_TRY(read_number(name, text, &value));
    if (value < least || value > most || value != floor(value))
        return SW_FAIL(SW_E_USAGE, "%s = %g: a whole number from %.0f to %.0f is needed", name, value, least, most);
    *count = (int64_t)value;
    return SW_OK;
}

/* ---- words */

static bool is_zero(const char *value)
{
    char *end;
    return value && strtod(value, &end) == 0 && end != value && !*end;
}

/* @param known  out: r=best; any other r is a setting of the config */
static enum sw_status set_columns(struct sw_bench_spec *spec, const char *value, bool *known)
{
    if (is_zero(value))
        return SW_FAIL(SW_E_USAGE, "r = 0: at least 1 is needed, or r=best, or r=sqrt for the square root of n");
    *known = value && !strcmp(value, "best");
    if (*known) spec->r = SW_BENCH_R_BEST;
    if (!value || strcmp(value, "sqrt")) return SW_OK;
    return bench_config_set(spec->config, "r", "0", known);
}

static enum sw_status set_along(struct sw_bench_spec *spec, const char *value, bool *known)
{
    *known = true;
    if (!value || strlen(value) != 1 || *value < 'x' || *value > 'z')
        return SW_FAIL(SW_E_USAGE, "along=%s: x, y or z is needed", value ? value : "");
    spec->along = *value;
    return SW_OK;
}

static enum sw_status set_word(struct sw_bench_spec *spec, const struct word *w, const char *value, bool *known)
{
    void *member = (char *)spec + w->offset;
    int64_t count = 0;
    if (!w->size) return (w->specs & CUT ? set_along : set_columns)(spec, value, known);
    *known = true;
    if (w->size == sizeof(bool)) {
        if (value) return SW_FAIL(SW_E_USAGE, "'%s' takes no value", w->name);
        *(bool *)member = true;
        return SW_OK;
    }
    SW_TRY(read_count(w->name, value, w->least, w->most, &count));
    if (w->size == sizeof(int)) *(int *)member = (int)count;
    else *(int64_t *)member = count;
    return SW_OK;
}

static enum sw_status unknown_word(const struct sw_bench_spec *spec, const char *word)
{
    struct sw_text t = {0};
    for (const struct word *w = words; w->name; w++)
        if (w->specs & words_of(spec) && (w->size || w->specs & CUT))
            sw_text_printf(&t, " %s%s", w->name, w->size == sizeof(bool) ? "" : "=");
    if (spec->config) bench_config_list_words(spec->config, &t);
    enum sw_status st = SW_FAIL(SW_E_USAGE, "%s has no setting '%s'; known:%s", spec->name, word, sw_text_get(&t));
    sw_text_free(&t);
    return st;
}

/* @param value  NULL: a word without '=' */
static enum sw_status take_word(struct sw_bench_spec *spec, const char *name, const char *value)
{
    bool known = false;
    if (spec->work == &bench_gradient && (!strcmp(name, "axis") || !strcmp(name, "operator")))
        return unknown_word(spec, name);  /* it takes all axes */
    if (bench_config_names_row(spec->config, name))
        return SW_FAIL(SW_E_USAGE, "'%s': all rows are timed; use --rows ROW for some of them", name);
    for (const struct word *w = words; w->name && !known; w++)
        if (!strcmp(w->name, name) && w->specs & words_of(spec)) SW_TRY(set_word(spec, w, value, &known));
    if (!known && spec->config) SW_TRY(bench_config_set(spec->config, name, value, &known));
    return known ? SW_OK : unknown_word(spec, name);
}

/* The end of a word: a comma that is not within brackets or quotes. */
static char *word_end(char *word)
{
    int depth = 0;
    bool quoted = false;
    for (; *word; word++) {
        quoted ^= *word == '"';
        depth += !quoted && strchr("([{", *word) != NULL;
        depth -= !quoted && strchr(")]}", *word) != NULL;
        if (*word == ',' && !quoted && depth <= 0) break;
    }
    return word;
}

static enum sw_status take_words(struct sw_bench_spec *spec, char *text)
{
    while (*text) {
        char *end = word_end(text), *next = *end ? end + 1 : end;
        *end = 0;
        char *equals = strchr(text, '=');
        if (equals) *equals = 0;
        if (*text) SW_TRY(take_word(spec, text, equals ? equals + 1 : NULL));
        text = next;
    }
    return SW_OK;
}

/* ---- which work */

static enum sw_status no_such_work(const char *name)
{
    struct sw_text known = {0};
    for (int k = 0; sw_problem_table[k]; k++) sw_text_printf(&known, " %s", sw_problem_table[k]->name);
    sw_text_add(&known, " band gradient");
    enum sw_status st = SW_FAIL(SW_E_USAGE, "there is no benchmark '%s'; known:%s, or a config file; for example "
                                "hyperdiffusion:n=1024,batch=65536,steps=250", name, sw_text_get(&known));
    sw_text_free(&known);
    return st;
}

static bool is_file(const char *name) { return strchr(name, '/') || strchr(name, '.'); }

static enum sw_status find_work(const char *name, struct sw_bench_spec *spec)
{
    const struct sw_problem *problem = sw_problem_find(name);
    const bool file = is_file(name);
    spec->name = name;
    spec->work = &bench_sim;
    for (int k = 0; k < NAMES; k++) {
        if (strcmp(names[k].name, name)) continue;
        spec->work = names[k].work;
        spec->name = names[k].name;
        problem = names[k].problem ? sw_problem_find(names[k].problem) : NULL;
    }
    if (spec->work == &bench_bands) {
        spec->n = 512;
        spec->batch = 8192;
        return SW_OK;
    }
    if (!problem && !file) return no_such_work(name);
    SW_TRY(bench_config_create(problem, file ? name : NULL, &spec->config));
    problem = bench_config_problem(spec->config);
    for (int k = 0; k < NAMES && file && problem; k++)
        if (names[k].problem && !strcmp(names[k].name, problem->name)) spec->work = names[k].work;
    if (problem && spec->work != &bench_gradient) spec->name = problem->name;
    bool known;
    return spec->work == &bench_gradient ? bench_config_set(spec->config, "operator", "gradient", &known) : SW_OK;
}

/* The operator of a config of `compact` decides what is timed: a derivative along an axis, or the gradient of one
 * field. */
static enum sw_status choose_operator(struct sw_bench_spec *spec)
{
    const char *operator = sw_setup_word(&spec->setup, "operator");
    if (spec->work != &bench_compact || !strcmp(operator, "derivative")) return SW_OK;
    if (strcmp(operator, "gradient"))
        return SW_FAIL(SW_E_USAGE, "operator=%s: derivative and gradient can be timed", operator);
    spec->work = &bench_gradient;
    spec->terms = &spec->work->terms;
    return spec->batch == 1 ? SW_OK : bench_config_set_batch(spec, 1);
}

static enum sw_status check_bands(struct sw_bench_spec *spec)
{
    const int64_t least = spec->periodic && spec->lower + spec->upper > 2 ? spec->lower + spec->upper + 1 : 3;
    if (spec->n >= least) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "n = %lld: at least %lld points are needed", (long long)spec->n, (long long)least);
}

/* @param text  taken apart; its beginning is the name of a config file */
static enum sw_status parse(char *text, struct sw_report *report, struct sw_bench_spec *spec)
{
    char *colon = strchr(text, ':');
    if (colon) *colon = 0;
    SW_TRY(find_work(text, spec));
    spec->terms = &spec->work->terms;
    SW_TRY(take_words(spec, colon ? colon + 1 : text + strlen(text)));
    if (!spec->config) {
        if (!spec->steps) spec->steps = spec->work->steps;
        return check_bands(spec);
    }
    SW_TRY(bench_config_expand(spec->name, report, spec));
    SW_TRY(choose_operator(spec));
    SW_TRY(bench_cut_validate(spec));
    return spec->work->validate ? spec->work->validate(spec) : SW_OK;
}

enum sw_status sw_bench_parse(const char *text, struct sw_report *report, struct sw_bench_spec *spec)
{
    char *copy = sw_strdup(text);
    *spec = (struct sw_bench_spec){.lower = 2, .upper = 2};
    if (!copy) return SW_FAIL(SW_E_MEMORY, "out of memory");
    spec->text = copy;
    enum sw_status st = parse(copy, report, spec);
    if (st) sw_bench_release(spec);
    return st;
}

void sw_bench_release(struct sw_bench_spec *spec)
{
    bench_config_destroy(&spec->config);
    sw_free(spec->column);
    sw_free(spec->text);
    spec->column = NULL;
    spec->text = NULL;
}

double bench_points(const struct sw_bench_spec *spec)
{
    return (spec->problem ? (double)sw_points(spec->setup.n) : (double)spec->n) * spec->batch;
}
