#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/sw_device.h"
#include "sweep/expand_impl.h"

/* Keys with one value for the whole sweep: words, texts, and numbers that are no columns. */

static const char *fallback(const struct sw_sweep *s, const char *path)
{
    return sw_key_find(s->problem, path)->fallback;
}

static const char *read_text(const struct sw_sweep *s, const char *path)
{
    const struct sw_setting *at = sw_config_find(s->config, path);
    if (!at) return fallback(s, path);
    if (at->kind == SW_SETTING_STRING) return at->text;
    expand_complain(s, at, "'%s' must be a text in quotes", path);
    return fallback(s, path);
}

static const char *read_word(const struct sw_sweep *s, const struct sw_key *key)
{
    char copy[200], known[600];
    const char *list[MOST_CHOICE_WORDS], *text = read_text(s, key->path);
    const struct sw_setting *at = sw_config_find(s->config, key->path);
    if (!at || at->kind != SW_SETTING_STRING) return text;
    if (text[0] == '$') expand_complain(s, at, "'%s' has one value for the whole sweep: %s", key->path,
                                       choice_list(key, known));
    else if (choice_check(s, key, at, key->path, text)) return text;
    choice_words(key, copy, list);
    return key->fallback ? key->fallback : list[0];
}

/* A number that must not depend on the run. */
static double read_number(const struct sw_sweep *s, const char *path)
{
    const struct sw_key *key = sw_key_find(s->problem, path);
    const struct sw_setting *at = sw_config_find(s->config, path);
    char number[32], range[120];
    double v = 0;
    if (!at) { formula_constant(s, key->fallback, &v); return v; }
    v = at->number;
    if (at->kind == SW_SETTING_STRING && !formula_constant(s, at->text, &v))
        expand_complain(
            s, at, "'%s' has one value for the whole sweep: a number, or an expression in numbers, pi and e", path);
    else if (at->kind != SW_SETTING_STRING && at->kind != SW_SETTING_INTEGER && at->kind != SW_SETTING_REAL)
        expand_complain(s, at, "'%s' must be a number", path);
    else if (!key_allows(key, v))
        expand_complain(s, at, "'%s' = %s: %s", path, sw_number(v, number), key_range(key, v, range));
    else return v;
    return 0;
}

static bool read_switch(const struct sw_sweep *s, const char *path)
{
    const struct sw_setting *at = sw_config_find(s->config, path);
    if (!at) return !strcmp(fallback(s, path), "true");
    if (at->kind == SW_SETTING_SWITCH) return at->number != 0;
    expand_complain(s, at, "'%s' must be true or false, without quotes", path);
    return false;
}

/* ------------------------------------------------------------------ one by one */

static void read_device(struct sw_sweep *s)
{
    const char *d = s->device = read_text(s, "run.device");
    if (sw_device_check(d))
        expand_complain(s, sw_config_find(s->config, "run.device"), "'run.device': %s", sw_err_message());
}

/* The words of an axis are known only later: columns_make() looks up "$axis". */
static void read_solver(struct sw_sweep *s)
{
    const struct sw_setting *at = sw_config_find(s->config, "solver");
    s->own->solver = read_text(s, "solver");
    if (!s->own->solver[0]) expand_complain(s, at, "'solver' is empty; \"auto\" takes the best that fits");
}

/* results/NAME.h5 for .../NAME.cfg */
static enum sw_status default_file(struct sw_sweep *s)
{
    const char *slash = strrchr(s->config->name, '/'), *base = slash ? slash + 1 : s->config->name,
               *dot = strrchr(base, '.');
    char *file;
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    SW_TRY(sw_arena_printf(s->own->arena, &file, "results/%.*s.h5", length, base));
    s->file = file;
    return SW_OK;
}

static void read_sample(struct sw_sweep *s)
{
    struct sample *p = &s->own->sample;
    bool random = !strcmp(s->mode, "random");
    const char *method = read_word(s, sw_key_find(s->problem, "sample.method"));
    const struct sw_setting *sample = sw_config_find(s->config, "sample");
    p->method = !strcmp(method, "sobol") ? SAMPLE_SOBOL : !strcmp(method, "random") ? SAMPLE_RANDOM : SAMPLE_LHS;
    p->seed = read_number(s, "sample.seed");
    if (sw_config_find(s->config, "sample.count")) p->count = (int64_t)read_number(s, "sample.count");
    else if (random)
        expand_complain(s, sample, "'sample.count' is missing: %s", sw_key_find(s->problem, "sample.count")->about);
    if (sample && !random) expand_complain(s, sample, "'sample' needs sweep.mode = \"random\"");
}

static void check_output(struct sw_sweep *s)
{
    const struct sw_setting *fields = sw_config_find(s->config, "output.fields"),
                            *scalars = sw_config_find(s->config, "output.scalars");
    const struct sw_setting *every = sw_config_find(s->config, "output.scalars.every");
    const struct sw_setting *xdmf = sw_config_find(s->config, "output.xdmf");
    bool times = sw_config_find(s->config, "output.scalars.times") != NULL;
    s->xdmf = read_switch(s, "output.xdmf");
    s->save_fields = fields != NULL;  /* without time there is one output: the group alone asks for it */
    if (s->xdmf && !fields) expand_complain(s, xdmf, "'output.xdmf' tells where fields are: add output.fields");
    if (!s->problem->timed) return;
    s->save_state = read_switch(s, "output.state");
    s->save_fields = sw_config_find(s->config, "output.fields.times") != NULL;
    s->save_scalars = every || times;
    if (fields && !s->save_fields)
        expand_complain(s, fields, "'output.fields' does not say when: add times = \"linspace(0, end, 11)\"");
    if (scalars && !s->save_scalars) expand_complain(s, scalars, "'output.scalars' does not say when: add every = ...");
    if (every && times) expand_complain(s, every, "'output.scalars' has both every and times; leave one out");
}

enum sw_status options_read(struct sw_sweep *s)
{
    const struct sw_key *key;
    SW_TRY(choices_read(s));
    for (key = sw_common_keys; key->path; key++)
        if (key->kind == SW_KEY_WORD && strncmp(key->path, "run.", 4) && sw_key_find(s->problem, key->path))
            read_word(s, key);
    s->title = read_text(s, "title");
    s->mode = read_word(s, sw_key_find(s->problem, "sweep.mode"));
    s->file = read_text(s, "output.file");
    s->single_fields = !strcmp(read_word(s, sw_key_find(s->problem, "output.fields.precision")), "single");
    s->single_steps = !strcmp(read_word(s, sw_key_find(s->problem, "run.precision")), "single");
    s->checkpoint_minutes = read_number(s, "run.checkpoint");
    s->batch = (int64_t)read_number(s, "run.batch");
    read_solver(s);
    read_device(s);
    read_sample(s);
    check_output(s);
    return s->file[0] ? SW_OK : default_file(s);
}
