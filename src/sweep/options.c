#include "sweep/options.h"

#include <string.h>

#include "base/sw_err.h"
#include "device/sw_device.h"
#include "sweep/formula.h"
#include "sweep/keys.h"
#include "sweep/sample.h"
#include "sweep/sweep_own.h"
#include "sweep/words.h"

static bool is_on(const struct sw_sweep *s, const char *path) { return !strcmp(key_text(s, path), "true"); }

/* A number that must not depend on the run. */
static double read_number(const struct sw_sweep *s, const char *path)
{
    const struct sw_key *key = key_find(s, path);
    const struct sw_setting *setting = key_setting(s, path);
    char number[32], range[120];
    double v = 0;
    if (!setting) { formula_constant(s, key->fallback, &v); return v; }
    v = setting->number;
    if (setting->kind == SW_SETTING_STRING && !formula_constant(s, setting->text, &v))
        report_error(s, setting,
                     "'%s' has one value for the whole sweep: a number, or an expression in numbers, pi and e", path);
    else if (setting->kind != SW_SETTING_STRING && setting->kind != SW_SETTING_INTEGER &&
             setting->kind != SW_SETTING_REAL)
        report_error(s, setting, "'%s' must be a number", path);
    else if (!key_allows(key, v))
        report_error(s, setting, "'%s' = %s: %s", path, sw_number(v, number), key_range(key, v, range));
    else return v;
    return 0;
}

/* ------------------------------------------------------------------ one by one */

/* A problem with `step` takes time.cfl in place of time.dt. */
static void check_step(const struct sw_sweep *s)
{
    const struct sw_setting *dt = key_setting(s, "time.dt"), *cfl = key_setting(s, "time.cfl");
    if (s->problem->time && s->problem->time->step && dt && cfl)
        report_error(s, cfl, "'time' has both dt and cfl; leave one out");
}

static void read_device(struct sw_sweep *s)
{
    const char *d = s->device = key_text(s, "run.device");
    if (sw_device_check(d))
        report_error(s, key_setting(s, "run.device"), "'run.device': %s", sw_err_message());
}

/* The words of an axis are known only later: row_check() looks up "$axis". */
static void read_row(struct sw_sweep *s)
{
    const struct sw_key *key = s->own->row_key;
    s->own->row = key_text(s, key->path);
    if (!s->own->row[0])
        report_error(s, key_setting(s, key->path), "'%s' is empty; \"auto\" takes the best that fits",
                     key_written(s, key));
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
    struct sample *p = s->own->sample;
    bool random = !strcmp(s->mode, "random");
    const char *method = key_text(s, "sample.method");
    const struct sw_setting *sample = key_setting(s, "sample");
    p->method = !strcmp(method, "sobol") ? SAMPLE_SOBOL : !strcmp(method, "random") ? SAMPLE_RANDOM : SAMPLE_LHS;
    p->seed = read_number(s, "sample.seed");
    if (key_setting(s, "sample.count")) p->count = (int64_t)read_number(s, "sample.count");
    else if (random && !key_is_guessed(s, "sample.count"))
        report_error(s, sample, "'sample.count' is missing: %s", key_find(s, "sample.count")->about);
    if (sample && !random) report_error(s, sample, "'sample' needs sweep.mode = \"random\"");
}

/* Keys that mean something with time.tolerance alone. */
static void check_own_steps(struct sw_sweep *s)
{
    static const struct { const char *key, *does; } added[] = {
        {"time.tolerance_absolute", "adds to time.tolerance"}, {"time.dt_max", "bounds the steps of time.tolerance"}};
    for (size_t k = 0; k < sizeof added / sizeof *added; k++)
        if (key_find(s, added[k].key) && key_setting(s, added[k].key) && !s->own_steps)
            report_error(s, key_setting(s, added[k].key), "'%s' %s, which is not given: give both, or time.dt alone",
                         added[k].key, added[k].does);
}

static void check_output(struct sw_sweep *s)
{
    const struct sw_setting *fields = key_setting(s, "output.fields"),
                            *scalars = key_setting(s, "output.scalars");
    const struct sw_setting *every = key_setting(s, "output.scalars.every");
    const struct sw_setting *xdmf = key_setting(s, "output.xdmf"), *accuracy = key_setting(s, "accuracy");
    bool times = key_setting(s, "output.scalars.times") != NULL;
    s->xdmf = is_on(s, "output.xdmf");
    s->history = s->problem->measures & SW_ITERATES && is_on(s, "output.history") ? SW_HISTORY_MOST : 0;
    s->save_fields = fields != NULL;  /* without time there is one output: the group alone asks for it */
    if (s->xdmf && !fields) report_error(s, xdmf, "'output.xdmf' says where fields are: add output.fields");
    if (!s->problem->time) return;
    s->save_state = is_on(s, "output.state");
    s->accuracy = key_setting(s, "accuracy.runs") ? (int64_t)read_number(s, "accuracy.runs") : s->own_steps ? 0 : -1;
    if (accuracy && accuracy->kind == SW_SETTING_GROUP && !key_setting(s, "accuracy.runs") &&
        !key_is_guessed(s, "accuracy.runs"))
        report_error(s, accuracy, "'accuracy' does not say of how many runs: add runs = 8");
    if (s->accuracy > 0 && s->own_steps)
        report_error(s, key_setting(s, "accuracy.runs"), "'accuracy.runs' needs steps that can be halved, and here "
                     "each run has its own: give time.dt, without time.tolerance");
    if (s->save_state && s->own_steps)
        report_error(s, key_setting(s, "output.state"), "'output.state' is for a longer sweep, and where runs choose "
                     "their steps there is none: these depend on the output times and the end; give time.dt, without "
                     "time.tolerance");
    check_own_steps(s);
    s->save_fields = key_setting(s, "output.fields.times") != NULL;
    s->save_scalars = every || times;
    if (fields && !s->save_fields && !key_is_guessed(s, "output.fields.times"))
        report_error(s, fields, "'output.fields' does not say when: add times = \"linspace(0, end, 11)\"");
    if (scalars && !s->save_scalars && !key_is_guessed(s, "output.scalars.every") &&
        !key_is_guessed(s, "output.scalars.times"))
        report_error(s, scalars, "'output.scalars' does not say when: add every = ...");
    if (every && times) report_error(s, every, "'output.scalars' has both every and times; leave one out");
}

enum sw_status options_read(struct sw_sweep *s)
{
    const struct sw_key *key;
    SW_TRY(choices_read(s));
    for (key = sw_common_keys; key->path; key++)
        if (key->kind == SW_KEY_WORD && strncmp(key->path, "run.", 4) && key_find(s, key->path))
            key_text(s, key->path);
    s->title = key_text(s, "title");
    s->mode = key_text(s, "sweep.mode");
    s->file = key_text(s, "output.file");
    s->single_fields = !strcmp(key_text(s, "output.fields.precision"), "single");
    s->single_steps = !strcmp(key_text(s, "run.precision"), "single");
    s->checkpoint_minutes = read_number(s, "run.checkpoint");
    if (!sw_config_find(s->config, "run.checkpoint")) s->checkpoint_minutes = -s->checkpoint_minutes;
    s->batch = (int64_t)read_number(s, "run.batch");
    s->memory = read_number(s, "run.memory") * 0x1p30;
    read_row(s);
    read_device(s);
    read_sample(s);
    check_step(s);
    check_output(s);
    return s->file[0] ? SW_OK : default_file(s);
}
