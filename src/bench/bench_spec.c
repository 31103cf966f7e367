/* "hyperdiffusion:n=1024,batch=65536,steps=250" */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "bench/bench_impl.h"

/* The words of a spec. Those of one kind of work are refused with the other. */
enum { LINES = 1, BANDS = 2 };
struct word { const char *name; int of; double least, most; size_t count, flag; };  /* count: offset of an int */
#define NONE ((size_t)-1)
#define AT(member) offsetof(struct sw_bench_spec, member)
static const struct word words[] = {
    {"n", LINES | BANDS, 3, 1 << 30, AT(n), NONE},
    {"batch", LINES | BANDS, 1, 1 << 30, AT(batch), NONE},
    {"lower", BANDS, 0, 2, AT(lower), NONE},
    {"upper", BANDS, 0, 2, AT(upper), NONE},
    {"periodic", BANDS, 0, 0, NONE, AT(periodic)},
    {"uniform", BANDS, 0, 0, NONE, AT(uniform)},
    {"per_run", LINES, 0, 0, NONE, AT(per_run)},
    {"forced", LINES, 0, 0, NONE, AT(forced)},
    {"single", LINES, 0, 0, NONE, AT(single)},
    {0},
};

static void list_known(const struct sw_bench_spec *spec, struct sw_text *t)
{
    sw_text_add(t, "steps=");
    for (const struct word *w = words; w->name; w++)
        if (w->of & (spec->problem ? LINES : BANDS)) sw_text_printf(t, " %s%s", w->name, w->count == NONE ? "" : "=");
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
    enum sw_status st = SW_FAIL(SW_E_USAGE, "%s has no setting '%s'; known: %s",
                                spec->problem ? spec->problem->name : "band", word, sw_text_get(&t));
    sw_text_free(&t);
    return st;
}

static enum sw_status read_number(const char *name, const char *text, double *value)
{
    char *end;
    *value = strtod(text ? text : "", &end);
    if (!text || end == text || *end || !isfinite(*value))
        return SW_FAIL(SW_E_USAGE, "'%s' needs a number, as in %s=1024; got '%s'", name, name, text ? text : "");
    return SW_OK;
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

/* @param value  NULL: a word without '=' */
static enum sw_status set_word(struct sw_bench_spec *spec, const char *name, const char *value)
{
    double number;
    if (!strcmp(name, "steps")) {
        SW_TRY(read_number(name, value, &number));
        SW_TRY(check_range(name, number, 1, 1e9));
        spec->steps = (int64_t)number;
        return SW_OK;
    }
    for (const struct word *w = words; w->name; w++) {
        if (strcmp(w->name, name) || !(w->of & (spec->problem ? LINES : BANDS))) continue;
        if (w->count == NONE) {
            if (value) return SW_FAIL(SW_E_USAGE, "'%s' takes no value", name);
            *(bool *)((char *)spec + w->flag) = true;
            return SW_OK;
        }
        SW_TRY(read_number(name, value, &number));
        SW_TRY(check_range(name, number, w->least, w->most));
        *(int *)(void *)((char *)spec + w->count) = (int)number;
        return SW_OK;
    }
    if (spec->problem && is_key(spec, name)) return set_key(spec, name, value);
    return unknown_word(spec, name);
}

static enum sw_status find_work(const char *name, struct sw_bench_spec *spec)
{
    struct sw_text known = {0};
    if (!strcmp(name, "band")) return SW_OK;
    for (const struct bench_kind *k = bench_kinds; k->problem; k++) {
        if (!strcmp(k->problem, name)) spec->problem = sw_problem_find(name);
        sw_text_printf(&known, " %s", k->problem);
    }
    enum sw_status st = spec->problem ? SW_OK
                      : SW_FAIL(SW_E_USAGE, "there is no benchmark '%s'; known:%s band; for example "
                                "hyperdiffusion:n=1024,batch=65536,steps=250", name, sw_text_get(&known));
    sw_text_free(&known);
    return st;
}

static enum sw_status parse(char *text, struct sw_bench_spec *spec)
{
    char *colon = strchr(text, ':'), *save = NULL;
    if (colon) *colon = 0;
    SW_TRY(find_work(text, spec));
    spec->steps = spec->problem ? 250 : 20;
    for (char *word = colon ? strtok_r(colon + 1, ",", &save) : NULL; word; word = strtok_r(NULL, ",", &save)) {
        char *equals = strchr(word, '=');
        if (equals) *equals = 0;
        SW_TRY(set_word(spec, word, equals ? equals + 1 : NULL));
    }
    int least = spec->problem ? spec->problem->min_points : 3;
    if (spec->periodic && least < spec->lower + spec->upper + 1) least = spec->lower + spec->upper + 1;
    if (spec->n < least) return SW_FAIL(SW_E_USAGE, "n = %d: at least %d points are needed", spec->n, least);
    return SW_OK;
}

enum sw_status sw_bench_parse(const char *text, struct sw_bench_spec *spec)
{
    char *copy = sw_strdup(text);
    *spec = (struct sw_bench_spec){.n = 512, .batch = 8192, .lower = 2, .upper = 2};
    if (!copy) return SW_FAIL(SW_E_MEMORY, "out of memory");
    enum sw_status st = parse(copy, spec);
    sw_free(copy);
    return st;
}
