#include "sweep/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "base/sw_private.h"
#include "device/sw_device.h"
#include "sweep/axis.h"
#include "sweep/formula.h"
#include "sweep/keys.h"
#include "sweep/sample.h"
#include "sweep/sw_keys.h"
#include "sweep/sweep_own.h"

enum { MAX_KEY_WORDS = 64 };

/* ------------------------------------------------------------------ words of groups that have no key each */

const char *sw_group_word(int k, const char **usage, const char **about)
{
    static const char ladder[] = "r = { values = \"linspace(0, 1, 41)\"; ladder = \"up\"; }";
    static const struct { const char *name, *usage, *about; } word[] = {
        {"ladder", ladder, "Of an axis in `sweep`: each run starts from the end of the run a rung below."},
        {"values", ladder, "Of an axis in `sweep` that is a ladder: its values."},
        {"up", "ladder = \"up\"", "A ladder from the least value of its axis to the largest."},
        {"down", "ladder = \"down\"", "A ladder from the largest value of its axis to the least."},
        {"both", "ladder = \"both\"", "A ladder up and then down again: the axis `direction` tells the ways apart."},
        {"spectrum", "spectrum(u)", "In `statistics.of`: the power spectrum of a periodic field."}};
    if (k >= (int)(sizeof word / sizeof *word)) return NULL;
    *usage = word[k].usage;
    *about = word[k].about;
    return word[k].name;
}

/* ------------------------------------------------------------------ WORD keys */

/* List the words that a WORD key may have. @param copy  memory for them  @return how many */
static int key_words(const struct sw_key *key, char copy[200], const char *list[MAX_KEY_WORDS])
{
    int n = 0;
    while (key->word && n < MAX_KEY_WORDS && key->word(n)) { list[n] = key->word(n); n++; }
    if (key->word) return n;
    snprintf(copy, 200, "%s", key->words);
    for (char *rest = copy, *word; n < MAX_KEY_WORDS && (word = strtok_r(rest, "|", &rest));) list[n++] = word;
    return n;
}

/* "product, zip, random, table" */
static const char *key_words_print(const struct sw_key *key, char text[600])
{
    char copy[200];
    const char *list[MAX_KEY_WORDS];
    int n = key_words(key, copy, list);
    text[0] = 0;
    for (int k = 0; k < n; k++) snprintf(text + strlen(text), 600 - strlen(text), "%s%s", k ? ", " : "", list[k]);
    return text;
}

/* What a former word of a key is called now; any other word is itself. */
static const char *key_word_now(const struct sw_key *key, const char *word)
{
    for (const struct sw_renamed_word *r = key->renamed; r && r->former; r++)
        if (!strcmp(r->former, word)) return r->now;
    return word;
}

const char *key_word_in_ids(const struct sw_key *key, const char *word)
{
    for (const struct sw_renamed_word *r = key->renamed; r && r->former; r++)
        if (!strcmp(r->now, word)) return r->former;
    return word;
}

/* Whether a word is one of the key's; if not, report it at the line of a setting, under a path. */
static bool key_word_check(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting,
                    const char *path, const char *word)
{
    char copy[200], known[600];
    const char *list[MAX_KEY_WORDS];
    int n = key_words(key, copy, list);
    const char *now = key_word_now(key, word);
    if (now != word && !setting->override && s->config->users_file)
        sw_report_add(s->own->report, SW_WARNING, setting->file, setting->line, "'%s' = \"%s\" is now called \"%s\"",
                      path, word, now);
    if (sw_name_index(now, list, n) >= 0) return true;
    key_words_print(key, known);
    s->own->words_wrong = true;
    const char *near = sw_nearest_name(word, list, n);
    if (near) report_error(s, setting, "'%s' = \"%s\" is none of %s; did you mean '%s'?", path, word, known, near);
    else report_error(s, setting, "'%s' = \"%s\" is none of %s%s%s", path, word, known, key->instead ? "; " : "",
                      key->instead ? key->instead : "");
    return false;
}

/* The first word of a key that has no default. */
static const char *default_word(const struct sw_sweep *s, const struct sw_key *key)
{
    char copy[200];
    const char *list[MAX_KEY_WORDS];
    if (key->fallback) return key_default(s, key);
    return key->word && key_words(key, copy, list) ? list[0] : "";
}

/* The text of a setting; of a key whose words are numbers also of one without quotes. NULL: it has none. */
static const char *text_of(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting)
{
    char *text = NULL;
    if (setting->kind == SW_SETTING_STRING) return setting->text;
    const bool numbers = key->kind == SW_KEY_WORD && key->words && key->words[0] >= '0' && key->words[0] <= '9';
    if (!numbers || setting->kind != SW_SETTING_INTEGER) return NULL;
    return sw_arena_printf(s->own->arena, &text, "%.0f", setting->number) ? NULL : text;
}

/* Whether "$axis" may stand for the word of a key. */
static bool takes_axis(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting,
                       const char *text, bool one_for_all)
{
    char known[600];
    if (key->common)
        report_error(s, setting, "'%s' = \"%s\": it is one for all runs, no axis", setting->path, text);
    else if (one_for_all)
        report_error(s, setting, "'%s' has one value for the whole sweep: %s", key->path, key_words_print(key, known));
    return !key->common && !one_for_all;
}

/* The text of a setting, checked; NULL: it is refused, and reported. */
static const char *checked_text(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting,
                                bool one_for_all)
{
    const char *text = text_of(s, key, setting);
    const bool word = key->kind == SW_KEY_WORD;
    if (key->kind == SW_KEY_SWITCH) {
        if (setting->kind == SW_SETTING_SWITCH) return setting->number != 0 ? "true" : "false";
        report_error(s, setting, "'%s' must be true or false, without quotes", setting->path);
        return NULL;
    }
    if (!text) {
        report_error(s, setting, "'%s' must be a text in quotes", setting->path);
        return NULL;
    }
    if (text[0] == '$' && (word || key->common))
        return takes_axis(s, key, setting, text, one_for_all) ? text : NULL;
    return !word || key_word_check(s, key, setting, setting->path, text) ? key_word_now(key, text) : NULL;
}

/* The text of a WORD, TEXT, ROW or SWITCH key that is one for the whole sweep, "true" of a SWITCH: of its setting, or
 * where that is refused, which is reported, or absent, its default. */
static const char *key_text(const struct sw_sweep *s, const char *path)
{
    const struct sw_key *key = key_find(s, path);
    const struct sw_setting *setting = key_setting(s, path);
    const char *text = setting ? checked_text(s, key, setting, true) : NULL;
    return text ? text : default_word(s, key);
}

static bool is_choice(const struct sw_key *key)
{
    return key->kind == SW_KEY_WORD || key->kind == SW_KEY_SWITCH || key->kind == SW_KEY_TEXT;
}

/* Read the problem's WORD keys (sw_sweep.choice). A word of an axis stays "$axis". */
static enum sw_status choices_read(struct sw_sweep *s)
{
    const struct sw_key *key;
    int most = 0;
    for (key = s->problem->keys; key->path; key++) most += is_choice(key);
    SW_TRY(sw_arena_take(s->own->arena, (size_t)most, &s->choice));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)most, &s->own->choice_column));
    for (key = s->problem->keys; key->path && s->nchoice < MAX_CHOICES; key++) {
        if (!is_choice(key)) continue;
        s->own->choice_column[s->nchoice] = -1;
        const struct sw_setting *setting = key_setting(s, key->path);
        const char *text = setting ? checked_text(s, key, setting, false) : NULL;
        s->own->words_wrong |= setting && !text;
        s->choice[s->nchoice++] = (struct sw_choice){key->path, text ? text : default_word(s, key)};
    }
    return SW_OK;
}

/* Find the column of "$axis". Where a word of the axis is not one of the key's, or the axes are wrong, all runs have
 * the default instead, so that no problem sees a word that is not of its key. */
static void resolve_choice(struct sw_sweep *s, int k)
{
    const struct sw_key *key = key_find(s, s->choice[k].key);
    const char *name = s->choice[k].word + 1;
    char path[80];
    for (int j = 0; j < s->naxis; j++) {
        const struct axis *a = &s->own->axis[j];
        if (strcmp(a->name, name) || !(a->word || !a->count)) continue;
        snprintf(path, sizeof path, "sweep.%s", name);
        bool known = a->count > 0 && !s->own->axes_wrong;
        for (int i = 0; i < a->nword && key->kind == SW_KEY_WORD; i++)
            known &= key_word_check(s, key, a->setting, path, a->word[i]);
        if (known) s->own->choice_column[k] = s->axis[j].column;
        return;
    }
    s->own->words_wrong = true;
    report_error(s, key_setting(s, key->path), "'%s' = \"$%s\": the sweep has no axis of words '%s'",
                 key_written(s, key), name, name);
}

void choices_resolve(struct sw_sweep *s)
{
    for (int k = 0; k < s->nchoice; k++)
        if (s->choice[k].word[0] == '$') resolve_choice(s, k);
    for (int k = 0; k < s->nchoice; k++)  /* what was refused counts as the default */
        if (s->own->choice_column[k] < 0 && s->choice[k].word[0] == '$')
            s->choice[k].word = default_word(s, key_find(s, s->choice[k].key));
}

const char *choice_word(const struct sw_sweep *s, int k, double number)
{
    const int column = s->own->choice_column[k];
    if (column < 0) return s->choice[k].word;
    if (!(number >= 0 && number < s->column[column].nword)) return "";
    return key_word_now(key_find(s, s->choice[k].key), s->column[column].word[(int)number]);
}

/* ------------------------------------------------------------------ keys that name files */

static bool same_file(const char *word, const char *path)
{
    struct stat s, t;
    char *real = sw_path_from_home(word);
    const bool both = real && !stat(real, &s) && !stat(path, &t);
    sw_free(real);
    return both && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static bool has_file(const struct sw_sweep *s, int k, const char *path)
{
    const int column = s->own->choice_column[k], words = column < 0 ? 1 : s->column[column].nword;
    for (int w = 0; w < words; w++) {
        const char *word = choice_word(s, k, w);
        if (*word && (!path || same_file(word, path))) return true;
    }
    return false;
}

const char *sw_sweep_file_key(const struct sw_sweep *s, const char *path)
{
    for (int k = 0; k < s->nchoice; k++)
        if (key_find(s, s->choice[k].key)->reads && has_file(s, k, path)) return s->choice[k].key;
    return NULL;
}

/* ------------------------------------------------------------------ the key that names the row */

/* stepper = "$axis" */
static void check_row_axis(const struct sw_sweep *s)
{
    const char *name = s->own->row + 1;
    if (s->own->row[0] != '$') return;
    for (int k = 0; k < s->naxis; k++)
        if (!strcmp(s->own->axis[k].name, name) && (s->own->axis[k].word || !s->own->axis[k].count)) return;
    report_error(s, key_setting(s, s->own->row_key->path), "'%s' = \"$%s\": the sweep has no axis of words '%s'",
                 key_written(s, s->own->row_key), name, name);
}

enum { MAX_ROWS = 64 };

/* What is before a '+' must be a row of the table, of this build or another. */
static void check_row(const struct sw_sweep *s, const struct sw_setting *setting, const char *path, const char *name)
{
    const char *known[MAX_ROWS];
    char row[64];
    int n = 0;
    snprintf(row, sizeof row, "%.*s", (int)strcspn(name, "+"), name);
    for (; n < MAX_ROWS && (known[n] = s->problem->solver(n)); n++)
        if (!strcmp(known[n], row)) return;
    const char *near = sw_nearest_name(row, known, n);
    if (near)
        report_error(s, setting, "'%s' = \"%s\": there is no such row; did you mean '%s%s'?", path, name, near,
                     name + strcspn(name, "+"));
    else
        report_error(s, setting, "'%s' = \"%s\": there is no such row; `sweep list` shows those there are", path, name);
}

static void check_rows(const struct sw_sweep *s)
{
    char path[80];
    const char *name = s->own->row;
    if (!s->problem->solver || !*name || !strcmp(name, "auto")) return;
    if (*name != '$') check_row(s, key_setting(s, s->own->row_key->path), key_written(s, s->own->row_key), name);
    for (int k = 0; *name == '$' && k < s->naxis; k++) {
        const struct axis *a = &s->own->axis[k];
        if (strcmp(a->name, name + 1) || !a->word) continue;
        snprintf(path, sizeof path, "sweep.%s", a->name);
        for (int j = 0; j < a->nword; j++)
            if (strcmp(a->word[j], "auto")) check_row(s, a->setting, path, a->word[j]);
    }
}

void row_check(const struct sw_sweep *s)
{
    check_row_axis(s);
    check_rows(s);
}

/* The line that names the row, or the axis of its words, or the problem. */
static const struct sw_setting *setting_of_row(const struct sw_sweep *s)
{
    const char *row = s->own->row;
    const struct sw_setting *setting = s->own->row_key ? key_setting(s, s->own->row_key->path) : NULL;
    for (int k = 0; row && *row == '$' && k < s->naxis; k++)
        if (!strcmp(s->own->axis[k].name, row + 1)) setting = s->own->axis[k].setting;
    return setting ? setting : sw_config_find(s->config, "problem");
}

enum sw_status sw_sweep_blame_row(const struct sw_sweep *s, enum sw_status st)
{
    const struct sw_setting *setting = setting_of_row(s);
    char place[256];
    if ((st != SW_E_CONFIG && st != SW_E_ABSENT) || !setting) return st;
    if (setting->line) snprintf(place, sizeof place, "%s:%d", setting->file, setting->line);
    else snprintf(place, sizeof place, "%s", setting->file);
    sw_err_set_place(place);
    return st;
}

/* ------------------------------------------------------------------ keys with one value for the whole sweep */

static bool is_on(const struct sw_sweep *s, const char *path) { return !strcmp(key_text(s, path), "true"); }

double number_of_sweep(const struct sw_sweep *s, const char *path)
{
    const struct sw_key *key = key_find(s, path);
    const struct sw_setting *setting = key_setting(s, path);
    struct sw_text range = SW_SHORT_TEXT;
    char number[32];
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
        report_error(s, setting, "'%s' = %s: %s", path, sw_number(v, number), key_range(key, v, &range));
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

/* The end of a field {name}, {name:format} or ${name} that begins at c; NULL: there is none. */
static const char *field_end(const char *c)
{
    const bool opens = *c == '{' && (isalpha((unsigned char)c[1]) || c[1] == '_');
    const char *end = opens ? strchr(c, '}') : NULL;
    return end ? end + 1 : NULL;
}

/* A name with fields is meant to be one for each run. The message has the name without them, and what they name. */
static void check_file(const struct sw_sweep *s)
{
    struct sw_text plain = SW_SHORT_TEXT, names = SW_SHORT_TEXT;
    const char *end, *first = NULL;
    for (const char *c = s->file; *c;) {
        if (*c == '$' && field_end(c + 1)) c++;
        if (!(end = field_end(c))) { sw_text_add_bytes(&plain, c++, 1); continue; }
        while (plain.length && strchr("_-=$", plain.data[plain.length - 1])) plain.data[--plain.length] = 0;
        sw_text_printf(&names, "%s%.*s", first ? ", " : "", (int)strcspn(c + 1, ":}"), c + 1);
        if (!first) first = c + 1;
        c = end;
    }
    if (!first) return;
    report_error(s, key_setting(s, "output.file"), "'output.file' = \"%s\": a sweep has one file, with all its runs, "
                 "in which axes are columns (%s): name it \"%s%s\"; `sweep show FILE --csv` has a row for each run, "
                 "and in Python ds.where(ds.%.*s == 1, drop=True) takes some of them (docs/howto/read_results.md)",
                 s->file, sw_text_get(&names), plain.length && plain.data[0] != '.' ? "" : "runs",
                 sw_text_get(&plain), (int)strcspn(first, ":}"), first);
}

static void read_sample(struct sw_sweep *s)
{
    struct sample *p = s->own->sample;
    bool random = !strcmp(s->mode, "random");
    const char *method = key_text(s, "sample.method");
    const struct sw_setting *sample = key_setting(s, "sample");
    p->method = !strcmp(method, "sobol") ? SAMPLE_SOBOL : !strcmp(method, "random") ? SAMPLE_RANDOM : SAMPLE_LHS;
    p->seed = number_of_sweep(s, "sample.seed");
    if (key_setting(s, "sample.count")) p->count = (int64_t)number_of_sweep(s, "sample.count");
    else if (random && !key_is_guessed(s, "sample.count"))
        report_error(s, sample, "'sample.count' is missing: %s", key_find(s, "sample.count")->about);
    if (sample && !random) report_error(s, sample, "'sample' needs sweep.mode = \"random\"");
}

static void check_adaptive_only(struct sw_sweep *s)
{
    for (const struct sw_key *key = s->problem->keys; key->path && !s->own_steps; key++)
        if (key->adaptive_only && key_setting(s, key->path))
            report_error(s, key_setting(s, key->path), "'%s' %s, which is not given: give both, or time.dt alone",
                         key->path, key->adaptive_only);
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
    s->drop_fields = s->save_fields && !is_on(s, "output.fields.keep");
    if (s->xdmf && s->drop_fields)
        report_error(s, xdmf, "'output.xdmf' says where fields are, and output.fields.keep = false keeps none");
    if (s->xdmf && !fields) report_error(s, xdmf, "'output.xdmf' says where fields are: add output.fields");
    if (!s->problem->time) return;
    s->save_state = is_on(s, "output.state");
    s->accuracy = key_setting(s, "accuracy.runs") ? (int64_t)number_of_sweep(s, "accuracy.runs")
                  : s->own_steps ? 0 : -1;
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
    check_adaptive_only(s);
    s->save_fields = key_setting(s, "output.fields.times") != NULL;
    s->save_scalars = every || times;
    s->drop_scalars = s->save_scalars && !is_on(s, "output.scalars.keep");
    if (s->save_state && (s->drop_fields || s->drop_scalars))
        report_error(s, key_setting(s, "output.state"), "'output.state' is for a longer sweep, which goes on from all "
                     "outputs of this one: leave out keep = false");
    if (fields && !s->save_fields && !key_is_guessed(s, "output.fields.times"))
        report_error(s, fields, "'output.fields' does not say when: add times = \"linspace(0, end, 11)\"");
    if (scalars && !s->save_scalars && !key_is_guessed(s, "output.scalars.every") &&
        !key_is_guessed(s, "output.scalars.times"))
        report_error(s, scalars, "'output.scalars' does not say when: add every = ...");
    if (every && times) report_error(s, every, "'output.scalars' has both every and times; leave one out");
}

static void read_split(struct sw_sweep *s)
{
    const char *word = key_text(s, "run.split");
    const struct sw_setting *ranks = sw_config_find(s->config, "run.ranks_per_run");
    s->pencils = !strcmp(word, "pencils");
    s->split = s->pencils || !strcmp(word, "grid") ? SW_SPLIT_GRID
             : !strcmp(word, "runs") ? SW_SPLIT_RUNS : SW_SPLIT_AUTO;
    s->ranks_per_run = (int)number_of_sweep(s, "run.ranks_per_run");
    if (s->split == SW_SPLIT_GRID && !s->problem->shape->decomposes)
        report_error(s, sw_config_find(s->config, "run.split"), "'run.split' = \"%s\": the grids of %s are not cut "
                     "over devices; leave it out, and each device computes runs of its own", word, s->problem->name);
    else if (s->pencils && s->problem->shape->columns)
        report_error(s, sw_config_find(s->config, "run.split"), "'run.split' = \"pencils\": the grids of %s are cut "
                     "along y alone; use \"grid\"", s->problem->name);
    else if (s->ranks_per_run > 1 && !s->problem->shape->decomposes)
        report_error(s, ranks, "'run.ranks_per_run' = %d: the grids of %s are not cut over devices; leave it out, and "
                     "each device computes runs of its own", s->ranks_per_run, s->problem->name);
    else if (s->ranks_per_run > 1 && s->split == SW_SPLIT_RUNS)
        report_error(s, ranks, "'run.ranks_per_run' = %d, but 'run.split' = \"runs\" cuts no grid; leave one of them "
                     "out", s->ranks_per_run);
    else if (s->ranks_per_run == 1 && s->split == SW_SPLIT_GRID)
        report_error(s, ranks, "'run.ranks_per_run' = 1, but 'run.split' = \"%s\" cuts the grid of each run; leave "
                     "one of them out", word);
    else if (s->ranks_per_run) s->split = s->ranks_per_run > 1 ? SW_SPLIT_GRID : SW_SPLIT_RUNS;
}

enum sw_status options_read(struct sw_sweep *s)
{
    static const char *const texts[] = {"sweep.file", "sweep.where", "table.columns", "table.dataset",
                                        "table.rows", "reuse", "refine.of"};
    const struct sw_key *key;
    SW_TRY(choices_read(s));
    for (key = sw_common_keys; key->path; key++)
        if (key->kind == SW_KEY_WORD && strncmp(key->path, "run.", 4) && key_find(s, key->path))
            key_text(s, key->path);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) key_text(s, texts[k]);  /* read elsewhere */
    s->title = key_text(s, "title");
    s->mode = key_text(s, "sweep.mode");
    s->file = key_text(s, "output.file");
    check_file(s);
    s->single_fields = !strcmp(key_text(s, "output.fields.precision"), "single");
    s->single_steps = !strcmp(key_text(s, "run.precision"), "single");
    read_split(s);
    s->checkpoint_minutes = number_of_sweep(s, "run.checkpoint");
    if (!sw_config_find(s->config, "run.checkpoint")) s->checkpoint_minutes = -s->checkpoint_minutes;
    s->batch = (int64_t)number_of_sweep(s, "run.batch");
    s->memory = number_of_sweep(s, "run.memory") * 0x1p30;
    read_row(s);
    read_device(s);
    read_sample(s);
    check_step(s);
    check_output(s);
    return s->file[0] ? SW_OK : default_file(s);
}
