/* "hyperdiffusion:n=1024,batch=65536,steps=250" */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "bench/bench_impl.h"

/* The words of a spec. Those of one kind of work are refused with another. */
struct word {
    const char *name;
    int         of;                                /* which works                                       */
    double      least, most;
    size_t      count, flag;                       /* offset of an int, or of a bool, in the spec       */
    enum sw_status (*read)(struct sw_bench_spec *spec, const char *value);  /* NULL: it is one of those */
};
#define NONE ((size_t)-1)
#define AT(member) offsetof(struct sw_bench_spec, member)
static enum sw_status read_n(struct sw_bench_spec *spec, const char *value);
static enum sw_status read_steps(struct sw_bench_spec *spec, const char *value);
static enum sw_status read_paper(struct sw_bench_spec *spec, const char *value);
static enum sw_status read_r(struct sw_bench_spec *spec, const char *value);
static enum sw_status read_axis(struct sw_bench_spec *spec, const char *value);
static enum sw_status read_scheme(struct sw_bench_spec *spec, const char *value);
static enum sw_status read_boundary(struct sw_bench_spec *spec, const char *value);
enum { ANY = BENCH_LINES | BENCH_BANDS | BENCH_BVP | BENCH_COMPACT, EVERY = ANY | BENCH_GRADIENT,
       FIELDS = BENCH_COMPACT | BENCH_GRADIENT };
static const struct word words[] = {
    {"steps", EVERY, 0, 0, NONE, NONE, read_steps},
    {"n", EVERY, 0, 0, NONE, NONE, read_n},
    {"batch", ANY, 1, 1 << 30, AT(batch), NONE, NULL},
    {"lower", BENCH_BANDS, 0, 2, AT(lower), NONE, NULL},
    {"upper", BENCH_BANDS, 0, 2, AT(upper), NONE, NULL},
    {"periodic", BENCH_BANDS, 0, 0, NONE, AT(periodic), NULL},
    {"uniform", BENCH_BANDS, 0, 0, NONE, AT(uniform), NULL},
    {"per_run", BENCH_LINES | BENCH_BVP, 0, 0, NONE, AT(per_run), NULL},
    {"forced", BENCH_LINES, 0, 0, NONE, AT(forced), NULL},
    {"single", BENCH_LINES | BENCH_BVP | FIELDS, 0, 0, NONE, AT(single), NULL},
    {"problem", BENCH_BVP, 0, 0, NONE, NONE, read_paper},
    {"r", BENCH_BVP, 0, 0, NONE, NONE, read_r},
    {"dimensions", FIELDS, 1, 3, AT(dimensions), NONE, NULL},
    {"axis", BENCH_COMPACT, 0, 0, NONE, NONE, read_axis},
    {"scheme", FIELDS, 0, 0, NONE, NONE, read_scheme},
    {"boundary", FIELDS, 0, 0, NONE, NONE, read_boundary},
    {0},
};

static void list_known(const struct sw_bench_spec *spec, struct sw_text *t)
{
    for (const struct word *w = words; w->name; w++)
        if (w->of & spec->work->words) sw_text_printf(t, "%s%s%s", t->length ? " " : "", w->name,
                                                      w->flag == NONE ? "=" : "");
    if (!spec->problem) return;
    sw_text_add(t, " dt= length=");
    for (const struct sw_key *k = spec->problem->keys; k->path; k++)
        if (k->kind == SW_KEY_REAL || k->kind == SW_KEY_COUNT)
            sw_text_printf(t, " %s=", strrchr(k->path, '.') ? strrchr(k->path, '.') + 1 : k->path);
}

static enum sw_status unknown_word(const struct sw_bench_spec *spec, const char *word)
{
    struct sw_text t = {0};
    list_known(spec, &t);
    enum sw_status st = SW_FAIL(SW_E_USAGE, "%s has no setting '%s'; known: %s", spec->name, word, sw_text_get(&t));
    sw_text_free(&t);
    return st;
}

/* strtod() that says whether there was a number. */
static bool take_number(const char **text, double *value)
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
    bool good = take_number(&rest, value);
    if (good && *rest == '^') {
        rest++;
        good = take_number(&rest, &power);
        *value = pow(*value, power);
    }
    if (good && !*rest && isfinite(*value)) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "'%s' needs a number, as in %s=1024; got '%s'", name, name, text ? text : "");
}

static enum sw_status check_range(const char *name, double value, double least, double most)
{
    if (value < least || value > most || value != floor(value))
        return SW_FAIL(SW_E_USAGE, "%s = %g: a whole number from %.0f to %.0f is needed", name, value, least, most);
    return SW_OK;
}

static bool is_key(const struct sw_bench_spec *spec, const char *name)
{
    if (!strcmp(name, "dt") || !strcmp(name, "length")) return true;
    for (const struct sw_key *k = spec->problem->keys; k->path; k++) {
        const char *dot = strrchr(k->path, '.');
        if ((k->kind == SW_KEY_REAL || k->kind == SW_KEY_COUNT) && !strcmp(dot ? dot + 1 : k->path, name)) return true;
    }
    return false;
}

static enum sw_status set_key(struct sw_bench_spec *spec, const char *name, const char *text)
{
    double value;
    SW_TRY(read_number(name, text, &value));
    if (!(value > 0)) return SW_FAIL(SW_E_USAGE, "%s = %g: it must be positive", name, value);
    if (spec->settings == SW_BENCH_SETTINGS) return SW_FAIL(SW_E_USAGE, "more than %d settings", SW_BENCH_SETTINGS);
    strncpy(spec->setting[spec->settings].name, name, sizeof spec->setting[0].name - 1);
    spec->setting[spec->settings++].value = value;
    return SW_OK;
}

static enum sw_status read_count(const char *name, const char *text, double least, double most, int64_t *count)
{
    double value;
    SW_TRY(read_number(name, text, &value));
    SW_TRY(check_range(name, value, least, most));
    *count = (int64_t)value;
    return SW_OK;
}

static enum sw_status read_steps(struct sw_bench_spec *spec, const char *value)
{
    return read_count("steps", value, 1, 1e9, &spec->steps);
}

/* Its least is known when all is read. */
static enum sw_status read_n(struct sw_bench_spec *spec, const char *value)
{
    return read_count("n", value, 1, (double)spec->work->most, &spec->n);
}

static enum sw_status read_paper(struct sw_bench_spec *spec, const char *value)
{
    spec->paper = !value ? 0 : !strcmp(value, "P1") ? 1 : !strcmp(value, "P2") ? 2 : 0;
    if (spec->paper) return SW_OK;
    return SW_FAIL(SW_E_USAGE, "problem=%s: problem=P1 or problem=P2 of the paper is needed", value ? value : "");
}

static enum sw_status read_r(struct sw_bench_spec *spec, const char *value)
{
    spec->r = value && !strcmp(value, "best") ? SW_BENCH_R_BEST : SW_BENCH_R_SQRT;
    if (value && (!strcmp(value, "best") || !strcmp(value, "sqrt"))) return SW_OK;
    return read_count("r", value, 1, (double)spec->work->most / 2, &spec->r);
}

static enum sw_status read_axis(struct sw_bench_spec *spec, const char *value)
{
    if (!value || !*value || value[1] || !strchr("xyz", *value))
        return SW_FAIL(SW_E_USAGE, "axis=%s: axis=x, axis=y or axis=z is needed", value ? value : "");
    spec->axis = *value - 'x';
    return SW_OK;
}

/* Names are checked when all is read. */
static enum sw_status read_name(const char *name, const char *value, char to[16])
{
    if (!value || !*value || strlen(value) > 15)
        return SW_FAIL(SW_E_USAGE, "'%s' needs a name, as in sweep list", name);
    strcpy(to, value);
    return SW_OK;
}

static enum sw_status read_scheme(struct sw_bench_spec *spec, const char *value)
{
    return read_name("scheme", value, spec->scheme);
}

static enum sw_status read_boundary(struct sw_bench_spec *spec, const char *value)
{
    return read_name("boundary", value, spec->boundary);
}

/* @param value  NULL: a word without '=' */
static enum sw_status set_word(struct sw_bench_spec *spec, const char *name, const char *value)
{
    int64_t number;
    for (const struct word *w = words; w->name; w++) {
        if (strcmp(w->name, name) || !(w->of & spec->work->words)) continue;
        if (w->read) return w->read(spec, value);
        if (w->flag != NONE) {
            if (value) return SW_FAIL(SW_E_USAGE, "'%s' takes no value", name);
            *(bool *)((char *)spec + w->flag) = true;
            return SW_OK;
        }
        SW_TRY(read_count(name, value, w->least, w->most, &number));
        *(int *)(void *)((char *)spec + w->count) = (int)number;
        return SW_OK;
    }
    if (spec->problem && is_key(spec, name)) return set_key(spec, name, value);
    return unknown_word(spec, name);
}

static enum sw_status find_work(const char *name, struct sw_bench_spec *spec)
{
    struct sw_text known = {0};
    for (const struct bench_kind *k = bench_kinds; k->problem; k++) {
        if (!strcmp(k->problem, name)) spec->problem = sw_problem_find(name);
        sw_text_printf(&known, " %s", k->problem);
    }
    for (int k = 0; bench_works[k]; k++) {
        const struct bench_work *w = bench_works[k];
        if (w->name ? !strcmp(w->name, name) : spec->problem != NULL) spec->work = w;
        if (w->name) sw_text_printf(&known, " %s", w->name);
    }
    enum sw_status st = spec->work ? SW_OK
                      : SW_FAIL(SW_E_USAGE, "there is no benchmark '%s'; known:%s; for example "
                                "hyperdiffusion:n=1024,batch=65536,steps=250", name, sw_text_get(&known));
    sw_text_free(&known);
    return st;
}

static void set_defaults(struct sw_bench_spec *spec)
{
    const struct bench_work *w = spec->work;
    spec->name = spec->problem ? spec->problem->name : w->name;
    spec->terms = &w->terms;
    spec->n = w->n;
    spec->batch = w->batch;
    spec->steps = w->steps;
}

static enum sw_status check_points(const struct sw_bench_spec *spec)
{
    int64_t least = spec->problem ? spec->problem->min_points : spec->work->least;
    if (spec->periodic && least < spec->lower + spec->upper + 1) least = spec->lower + spec->upper + 1;
    if (spec->n < least)
        return SW_FAIL(SW_E_USAGE, "n = %lld: at least %lld points are needed", (long long)spec->n, (long long)least);
    if (spec->r > 1 && spec->r > spec->n / 2)
        return SW_FAIL(SW_E_USAGE, "r = %lld: at most n/2 = %lld", (long long)spec->r, (long long)spec->n / 2);
    return SW_OK;
}

static enum sw_status parse(char *text, struct sw_bench_spec *spec)
{
    char *colon = strchr(text, ':'), *save = NULL;
    if (colon) *colon = 0;
    SW_TRY(find_work(text, spec));
    set_defaults(spec);
    for (char *word = colon ? strtok_r(colon + 1, ",", &save) : NULL; word; word = strtok_r(NULL, ",", &save)) {
        char *equals = strchr(word, '=');
        if (equals) *equals = 0;
        SW_TRY(set_word(spec, word, equals ? equals + 1 : NULL));
    }
    SW_TRY(check_points(spec));
    if (spec->work == &bench_gradient) return bench_gradient_check(spec);
    return spec->work == &bench_compact ? bench_compact_check(spec) : SW_OK;
}

enum sw_status sw_bench_parse(const char *text, struct sw_bench_spec *spec)
{
    char *copy = sw_strdup(text);
    *spec = (struct sw_bench_spec){.lower = 2, .upper = 2, .paper = 1, .dimensions = 3, .scheme = "d1_c6",
                                   .boundary = "periodic"};
    if (!copy) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = parse(copy, spec);
    sw_free(copy);
    return st;
}
