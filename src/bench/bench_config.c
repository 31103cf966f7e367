/* A spec as a config: a text of the problem with what the spec sets, expanded like any other.
 *
 * To have another problem timed with a config made for that: add its row to `kinds`. Without one it is timed with the
 * config that `sweep init` prints. hyperdiffusion is cuPentBatch's benchmark (docs/explanation/line_equations.md: gamma
 * = D = L = 1, dt = 1e-8) with a second mode. */
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "bench/bench_impl.h"
#include "sweep/sw_keys.h"
#include "sweep/sw_sweep.h"

/* `part` goes from 0 to 1/2 through a batch whose runs differ (per_run), else it is 0; a, v and q are of the force. */
#define LINE_DEFINES \
    "define = { part = 0.0; seed = 1; a = \"0.1*(1 + part)\"; v = \"0.1*(1 + part)\"; q = \"2*pi*4/length\"; };\n"

/* Of elliptic systems in double and in single precision. Where all is computed in the latter u is rounded by 2^-24, of
 * which A makes 7e-6 to 9.2e-6 of |f| in the shell that is timed, from 12 x 10 x 6 to 256 x 256 x 128 cells, and 3e-6
 * in the box (measured; docs/explanation/elliptic.md): ten times that ends a solve before rounding does. */
static const char *const elliptic_tolerance[] = {"tolerance = 1e-7;\n", "tolerance = 1e-4;\n"};

/* Of a kind's own batch, which is fewer runs where their grids are larger: 32 MiB for each array of a batch. */
#define MOST_POINTS 4194304.0

/* The config of a kind, without problem, time.end and tolerance, which follow. */
static const struct kind {
    const char *problem;
    int         batch;
    const char *text;
    const char *varied[2];  /* with per_run these are multiplied by 1 + part: numbers or functions */
} kinds[] = {
    {"hyperdiffusion", 8192,
     "grid = { n = 512; length = 1.0; };\n"
     "physics = { gamma = 1.0; D = 1.0; };\n"
     "time = { dt = 1.0e-8; };\n" LINE_DEFINES
     "initial = \"" BENCH_MODES "\";\n", {"physics.gamma"}},
    {"heat", 8192,
     "grid = { n = 512; length = 1.0; };\n"
     "physics = { kappa = 1.0; };\n"
     "time = { dt = 1.0e-5; };\n" LINE_DEFINES
     "initial = \"" BENCH_MODES "\";\n", {"physics.kappa"}},
    {"cahn_hilliard", 8192,
     "grid = { n = 512; length = \"n*(2*pi/32)\"; };\n"
     "physics = { gamma = 1.0; D = 1.0; };\n"
     "time = { dt = 1.0e-2; };\n" LINE_DEFINES
     "initial = \"0.05*randn(seed)\";\n", {"physics.gamma"}},
    {"swift_hohenberg", 8192,
     "grid = { n = 512; length = \"n*(2*pi/32)\"; };\n"
     "physics = { r = 0.3; };\n"
     "time = { dt = 1.0e-2; };\n" LINE_DEFINES
     "initial = \"0.05*randn(seed)\";\n", {"grid.length"}},
    {"allen_cahn", 8192,
     "grid = { n = 512; length = \"n*(2*pi/32)\"; };\n"
     "physics = { gamma = 1.0; };\n"
     "time = { dt = 1.0e-2; };\n" LINE_DEFINES
     "initial = \"0.05*randn(seed)\";\n", {"physics.gamma"}},
    {"equation", 8192,
     "grid = { n = 512; length = \"n*(2*pi/32)\"; };\n"
     "time = { dt = 1.0e-2; };\n" LINE_DEFINES
     "rhs = \"dxx(u^3 - u - dxx(u))\";\nmethod = \"imex1\";\n"
     "initial = \"0.05*randn(seed)\";\n", {"rhs"}},
    {"advection", 64,
     "grid = { n = 128; length = \"2*pi\"; dim = 2; };\n"
     "velocity = { x = \"1 + part\"; y = \"1 + part\"; };\n"
     "physics = { nu = 0.01; };\n"
     "time = { dt = 1.0e-3; };\n"
     "define = { part = 0.0; };\n"
     "initial = \"sin(x)*cos(y)\";\n", {"physics.nu"}},
    {"bvp", 1,
     "grid = { n = 1048576; };\n"
     "define = { part = 0.0; };\n"
     "f = \"" BENCH_P1_F "\";\nexact = \"" BENCH_P1_EXACT "\";\n", {"f", "exact"}},
    {"compact", 1,
     "grid = { n = 128; length = \"n\"; dim = 3; };\n"
     "field = \"0\";\n", {NULL}},
    {"tridiagonal", 1,
     "grid = { n = 1048576; };\n"
     "define = { part = 0.0; };\n"
     "matrix = \"uniform\";\nseed = 1;\nexact = \"3 + randn(1)\";\n", {"exact"}},
    {"elliptic", 1,
     "geometry = \"shell\";\nstencil = \"tpfa\";\n"
     "grid = { n = [128, 128, 64]; depth = 0.01; grading = \"quadratic\"; };\n"
     "physics = { courant = 8.4; lambda2 = 0.033; delta = 1.0; };\n"
     "define = { part = 0.0; };\n"
     "f = \"rand(1) - 0.5\";\n", {"physics.courant"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Words that are short for settings, beside the last parts of the paths of keys. A word with '=' may have a value of
 * its own here ("problem=P1"), or stand for the key that its setting ends with ("dimensions="). */
static const struct short_word {
    const char *word, *problems;    /* problems: which have it; NULL: all */
    const char *setting[2];
} short_words[] = {
    {"single", NULL, {"run.precision=\"single\""}},
    {"forced", "hyperdiffusion heat cahn_hilliard swift_hohenberg allen_cahn", {"forcing=a*cos(q*(x - v*t))"}},
    {"problem=P1", "bvp", {"f=" BENCH_P1_F, "exact=" BENCH_P1_EXACT}},
    {"problem=P2", "bvp", {"f=" BENCH_P2_F, "exact=" BENCH_P2_EXACT}},
    {"dimensions=", "compact", {"grid.dim="}},
};
enum { SHORT_WORDS = sizeof short_words / sizeof *short_words };

enum { MOST_OVERRIDES = 40 };

struct bench_config {
    const struct sw_problem *problem;   /* NULL: a file that names none                        */
    const struct kind *kind;            /* NULL: a file, or the problem's example              */
    const char        *file;            /* NULL: a text                                        */
    bool               per_run;
    char              *override[MOST_OVERRIDES];
    int                noverride;
    struct sw_config  *config;
    struct sw_sweep   *sweep;
    struct sw_group   *group;
    int                ngroup;
};

static void release_expanded(struct bench_config *c)
{
    sw_groups_free(&c->group, c->ngroup);
    c->ngroup = 0;
    sw_sweep_destroy(&c->sweep);
    sw_config_destroy(&c->config);
}

void bench_config_destroy(struct bench_config **config)
{
    struct bench_config *c = *config;
    if (!c) return;
    release_expanded(c);
    for (int k = 0; k < c->noverride; k++) sw_free(c->override[k]);
    sw_free(c);
    *config = NULL;
}

/* The problem that a file names; NULL: none, which is reported once the file is read again, with what the spec sets. */
static enum sw_status find_problem(const char *file, const struct sw_problem **problem)
{
    struct sw_report report = {0};
    struct sw_config *config = NULL;
    enum sw_status st = sw_config_read(file, NULL, 0, &report, &config);
    const struct sw_setting *set = st ? NULL : sw_config_find(config, "problem");
    *problem = set && set->kind == SW_SETTING_STRING ? sw_problem_find(set->text) : NULL;
    sw_config_destroy(&config);
    sw_report_free(&report);
    return st == SW_E_CONFIG ? SW_OK : st;
}

enum sw_status bench_config_create(const struct sw_problem *problem, const char *file, struct bench_config **config)
{
    if (file) SW_TRY(find_problem(file, &problem));
    SW_TRY(sw_alloc(1, config));
    (*config)->problem = problem;
    (*config)->file = file;
    for (int k = 0; k < KINDS && problem && !file; k++)
        if (!strcmp(kinds[k].problem, problem->name)) (*config)->kind = &kinds[k];
    return SW_OK;
}

const struct sw_problem *bench_config_problem(const struct bench_config *config) { return config->problem; }

/* ---- words */

static enum sw_status add_override(struct bench_config *c, const char *path, const char *value)
{
    struct sw_text text = {0};
    if (c->noverride == MOST_OVERRIDES) return SW_FAIL(SW_E_USAGE, "more than %d settings", MOST_OVERRIDES);
    sw_text_printf(&text, "%s%s%s", path, *value ? "=" : "", value);
    c->override[c->noverride] = sw_text_take(&text);
    if (!c->override[c->noverride]) return SW_FAIL(SW_E_MEMORY, "out of memory");
    c->noverride++;
    return SW_OK;
}

/* A key that decides numbers is known by the last part of its path, where no other has that; any key by all of it. */
static const char *short_name(const struct sw_problem *problem, const struct sw_key *key)
{
    const struct sw_key *other;
    const char *name = sw_key_last_part(key->path);
    if (!key->decides || key->element) return key->path;
    for (int k = 0; (other = sw_key_at(problem, k)); k++)
        if (other->decides && strcmp(other->path, key->path) && !strcmp(sw_key_last_part(other->path), name))
            return key->path;
    return name;
}

static bool is_called(const struct sw_problem *problem, const struct sw_key *key, const char *word)
{
    if (!strcmp(key->path, word) || !strcmp(short_name(problem, key), word)) return true;
    if (key->former && !strcmp(key->former, word)) return true;
    return key->name && key->visible && !strcmp(key->name, word);
}

static bool is_row_key(const struct sw_key *keys, const char *word)
{
    for (const struct sw_key *key = keys; key->path; key++)
        if (key->kind == SW_KEY_ROW && (!strcmp(key->path, word) || (key->former && !strcmp(key->former, word))))
            return true;
    return false;
}

bool bench_config_names_row(const struct bench_config *config, const char *word)
{
    const struct sw_key *key = config && config->problem ? sw_key_find(config->problem, word) : NULL;
    bool found = is_row_key(sw_common_keys, word);
    for (int k = 0; sw_problem_table[k]; k++) found |= is_row_key(sw_problem_table[k]->keys, word);
    return found && (!key || key->kind == SW_KEY_ROW);
}

static const struct sw_key *find_key(const struct bench_config *c, const char *word)
{
    const struct sw_key *key;
    for (int k = 0; c->problem && (key = sw_key_at(c->problem, k)); k++)
        if (is_called(c->problem, key, word)) return key;
    return NULL;
}

static bool is_of_problem(const struct bench_config *c, const struct short_word *w)
{
    return !w->problems || (c->kind && strstr(w->problems, c->problem->name));
}

static enum sw_status set_short_word(struct bench_config *c, const struct short_word *w, const char *value)
{
    if (strchr(w->word, '=') && !strchr(w->word, '=')[1]) {
        char path[40];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(w->setting[0], "="), w->setting[0]);
        return add_override(c, path, value);
    }
    for (int k = 0; k < 2 && w->setting[k]; k++) SW_TRY(add_override(c, w->setting[k], ""));
    return SW_OK;
}

/* "single", "problem=P1", "dimensions=2" */
static bool is_short_word(const struct short_word *w, const char *word, const char *value)
{
    const size_t length = strcspn(w->word, "=");
    if (strlen(word) != length || strncmp(w->word, word, length)) return false;
    if (!w->word[length]) return !value;
    return value && *value && (!w->word[length + 1] || !strcmp(w->word + length + 1, value));
}

/* The values of a short word, "problem=P1 or problem=P2", where it has some and this is none of them. */
static void list_values(const struct bench_config *c, const char *word, struct sw_text *text)
{
    const size_t length = strlen(word);
    for (int k = 0; k < SHORT_WORDS; k++)
        if (is_of_problem(c, &short_words[k]) && !strncmp(short_words[k].word, word, length) &&
            short_words[k].word[length] == '=')
            sw_text_printf(text, "%s%s", text->length ? " or " : "", short_words[k].word);
}

enum sw_status bench_config_set(struct bench_config *c, const char *word, const char *value, bool *known)
{
    struct sw_text values = {0};
    *known = true;
    if (!strcmp(word, "per_run") && c->kind && c->kind->varied[0]) {
        c->per_run = true;
        return value ? SW_FAIL(SW_E_USAGE, "'%s' takes no value", word) : SW_OK;
    }
    for (int k = 0; k < SHORT_WORDS; k++) {
        const struct short_word *w = &short_words[k];
        if (!is_of_problem(c, w)) continue;
        if (is_short_word(w, word, value)) return set_short_word(c, w, value);
        if (!strcmp(w->word, word)) return SW_FAIL(SW_E_USAGE, "'%s' takes no value", word);
    }
    list_values(c, word, &values);
    if (values.length) {
        enum sw_status st = SW_FAIL(SW_E_USAGE, "%s=%s: %s is needed", word, value ? value : "", sw_text_get(&values));
        sw_text_free(&values);
        return st;
    }
    const struct sw_key *key = find_key(c, word);
    *known = key || strchr(word, '.');
    if (!*known) return SW_OK;
    if (!value || !*value) return SW_FAIL(SW_E_USAGE, "'%s' needs a value, as in n=1024", word);
    return add_override(c, key ? key->path : word, value);
}

void bench_config_list_words(const struct bench_config *c, struct sw_text *text)
{
    const struct sw_key *key;
    if (c->kind && c->kind->varied[0]) sw_text_add(text, " per_run");
    for (int k = 0; k < SHORT_WORDS; k++)
        if (is_of_problem(c, &short_words[k])) sw_text_printf(text, " %s", short_words[k].word);
    for (int k = 0; c->problem && (key = sw_key_at(c->problem, k)); k++) {
        char word[80];
        snprintf(word, sizeof word, " %s=", short_name(c->problem, key));
        const bool set = key->kind != SW_KEY_NAMES && key->kind != SW_KEY_ROW && strcmp(key->path, "problem");
        if (set && key->decides && !key->element && !strstr(sw_text_get(text), word)) sw_text_add(text, word);
    }
}

/* ---- reading */

static enum sw_status read_config(struct bench_config *c, const char *name, const char *text, struct sw_report *report)
{
    const char *const *override = (const char *const *)c->override;
    sw_config_destroy(&c->config);
    if (c->file) return sw_config_read(c->file, override, c->noverride, report, &c->config);
    return sw_config_read_text(name, text, override, c->noverride, report, &c->config);
}

/* Whether the spec, which alone sets it beside a kind's text, asks for single precision. */
static bool is_single(const struct bench_config *c)
{
    static const char key[] = "run.precision=";
    bool single = false;
    for (int k = 0; k < c->noverride; k++)
        if (!strncmp(c->override[k], key, sizeof key - 1)) single = strstr(c->override[k], "single");
    return single;
}

static void make_text(const struct bench_config *c, struct sw_text *text)
{
    if (!c->kind) { sw_text_add(text, c->problem ? c->problem->example : ""); return; }
    sw_text_printf(text, "problem = \"%s\";\n%s", c->problem->name, c->kind->text);
    if (!strcmp(c->problem->name, "elliptic")) sw_text_add(text, elliptic_tolerance[is_single(c)]);
}

/* The runs of a batch differ: an axis numbers them, and what varies is multiplied by 1 + part. */
static enum sw_status vary_runs(struct bench_config *c, int64_t runs)
{
    struct sw_text text = {0};
    enum sw_status st = SW_OK;
    for (int k = 0; k < 2 && c->kind->varied[k] && !st; k++) {
        const struct sw_setting *set = sw_config_find(c->config, c->kind->varied[k]);
        if (!set) continue;
        if (set->kind == SW_SETTING_STRING) sw_text_printf(&text, "(1 + part)*(%s)", set->text);
        else sw_text_printf(&text, "(1 + part)*(%.17g)", set->number);
        st = add_override(c, c->kind->varied[k], sw_text_get(&text));
        sw_text_free(&text);
    }
    sw_text_printf(&text, "sweep.member=range(0, %lld)", (long long)runs - 1);
    if (!st) st = add_override(c, sw_text_get(&text), "");
    sw_text_free(&text);
    sw_text_printf(&text, "define.part=0.5*member/%lld", (long long)runs);
    if (!st) st = add_override(c, sw_text_get(&text), "");
    sw_text_free(&text);
    if (!st && sw_config_find(c->config, "define.seed")) st = add_override(c, "define.seed", "1 + member");
    if (!st && sw_config_find(c->config, "seed")) st = add_override(c, "seed", "1 + member");
    return st;
}

static enum sw_status set_end(struct bench_config *c, int64_t steps)
{
    char end[40];
    snprintf(end, sizeof end, "%lld*dt", (long long)steps);
    return c->kind && c->problem->time ? add_override(c, "time.end", end) : SW_OK;
}

/* Whether all errors are of the spec: in a file of the user's there is none. */
static bool is_error_of_spec(const struct bench_config *c, const struct sw_report *report)
{
    for (int k = 0; k < report->count && c->file; k++) {
        const struct sw_report_entry *e = &report->entry[k];
        if (e->severity == SW_ERROR && !(e->file && !strcmp(e->file, "-s"))) return false;
    }
    return !c->file || report->errors > 0;
}

/* Errors in a word of the spec are reported under the spec, not under the option -s. */
static void name_overrides(struct sw_report *report, const char *name)
{
    for (int k = 0; k < report->count; k++) {
        struct sw_report_entry *e = &report->entry[k];
        char *copy = e->file && !strcmp(e->file, "-s") ? sw_strdup(name) : NULL;
        if (!copy) continue;
        sw_free(e->file);
        e->file = copy;
        e->option = 0;
    }
}

/* ---- runs */

/* The numbers of the runs of the first group, again and again where more are wanted. */
static enum sw_status fill_columns(const struct bench_config *c, struct sw_bench_spec *spec)
{
    const struct sw_group *g = c->group;
    const size_t batch = (size_t)spec->batch, rows = (size_t)c->sweep->ncolumn;
    const int64_t count = g->count < spec->batch ? g->count : spec->batch;
    double *column = NULL;
    SW_TRY(sw_alloc(rows * batch, &spec->column));
    SW_TRY(sw_alloc(rows * (size_t)count, &column));
    enum sw_status st = sw_sweep_columns(c->sweep, g->run, 0, count, column);
    for (size_t k = 0; k < rows && !st; k++)
        for (size_t j = 0; j < batch; j++)
            spec->column[k * batch + j] = column[k * (size_t)count + j % (size_t)count];
    sw_free(column);
    return st;
}

static enum sw_status find_first_group(struct bench_config *c)
{
    int64_t *run = NULL, count = 0;
    const struct sw_selection all = {.only = NULL};
    SW_TRY(sw_sweep_select(c->sweep, &all, &run, &count));
    enum sw_status st = sw_sweep_groups(c->sweep, run, count, &c->group, &c->ngroup);
    sw_free(run);
    return st;
}

/* The runs of a batch that the spec gives none for. */
static int own_batch(const struct bench_config *c)
{
    const struct sw_group *g = c->group;
    if (!c->kind) return (int)g->count;
    const double most = MOST_POINTS / sw_group_points(g);
    return most < 1.0 ? 1 : most < c->kind->batch ? (int)most : c->kind->batch;
}

static void set_up(const struct bench_config *c, struct sw_bench_spec *spec)
{
    const struct sw_group *g = c->group;
    if (!spec->batch) {
        spec->batch = own_batch(c);
        spec->fit_batch = !c->kind;
    }
    spec->n = g->n[0];
    spec->per_run = g->count > 1;
    spec->problem = c->sweep->problem;
    if (!spec->steps) spec->steps = c->kind || !spec->problem->time ? spec->work->steps : g->steps;
    spec->setup = sw_sweep_setup(c->sweep, g, spec->batch);
    spec->setup.uniform = !spec->per_run;
    spec->setup.fields = false;  /* none is saved */
    spec->setup.solver = NULL;
}

static enum sw_status read_and_expand(struct bench_config *c, const char *name, const char *text,
                                      struct sw_report *report)
{
    release_expanded(c);
    SW_TRY(read_config(c, name, text, report));
    SW_TRY(sw_sweep_expand(c->config, report, &c->sweep));
    return find_first_group(c);
}

enum sw_status bench_config_expand(const char *name, struct sw_report *report, struct sw_bench_spec *spec)
{
    struct bench_config *c = spec->config;
    struct sw_text text = {0};
    make_text(c, &text);
    enum sw_status st = sw_text_status(&text);
    if (!st) st = set_end(c, spec->steps ? spec->steps : spec->work->steps);
    if (!st) st = read_and_expand(c, name, sw_text_get(&text), report);
    if (!st && c->per_run) {
        sw_report_free(report);
        st = vary_runs(c, spec->batch ? spec->batch : own_batch(c));
        if (!st) st = read_and_expand(c, name, sw_text_get(&text), report);
    }
    sw_text_free(&text);
    if (st == SW_E_CONFIG && is_error_of_spec(c, report)) st = SW_E_USAGE;
    name_overrides(report, name);
    if (st) return st;
    set_up(c, spec);
    return fill_columns(c, spec);
}

enum sw_status bench_config_set_batch(struct sw_bench_spec *spec, int batch)
{
    spec->batch = spec->setup.capacity = batch;
    sw_free(spec->column);
    return fill_columns(spec->config, spec);
}

double bench_value(const struct sw_bench_spec *spec, const char *path, int64_t j)
{
    return spec->column[(int64_t)sw_setup_column(&spec->setup, path) * spec->batch + j];
}

bool bench_has_function(const struct sw_bench_spec *spec, const char *key, const char *text)
{
    static const char factor[] = "(1 + part)*(";
    const struct sw_function *f = sw_setup_find(&spec->setup, key);
    const size_t length = strlen(text);
    if (!f) return false;
    if (!strcmp(f->text, text)) return true;
    const char *inner = strncmp(f->text, factor, sizeof factor - 1) ? NULL : f->text + sizeof factor - 1;
    return inner && !strncmp(inner, text, length) && !strcmp(inner + length, ")");
}
