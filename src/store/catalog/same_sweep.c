/* Is what lies in a file of this sweep? If not, which difference between the two configs makes it another one? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "store/catalog/sw_completed.h"
#include "sweep/sw_keys.h"

bool sw_same_sweep(const struct sw_sweep_identity *a, const struct sw_sweep_identity *b)
{
    return !strcmp(a->sweep_id, b->sweep_id) || (*a->config_sha256 && !strcmp(a->config_sha256, b->config_sha256));
}

/* ---- settings as text: 1.0, "linspace(0, 1, 3)", [1, 2] */

static void add_number(const struct sw_setting *s, struct sw_text *text)
{
    char digits[32];
    sw_number(s->number, digits);
    bool whole = s->kind == SW_SETTING_REAL && !strpbrk(digits, ".en");
    sw_text_printf(text, "%s%s", digits, whole ? ".0" : "");
}

static void add_setting(const struct sw_setting *s, struct sw_text *text)
{
    if (!s) { sw_text_add(text, "not set"); return; }
    switch (s->kind) {
    case SW_SETTING_INTEGER:
    case SW_SETTING_REAL: add_number(s, text); return;
    case SW_SETTING_SWITCH: sw_text_add(text, s->number != 0 ? "true" : "false"); return;
    case SW_SETTING_STRING: sw_text_printf(text, "\"%s\"", s->text); return;
    case SW_SETTING_LIST:
        for (int k = 0; k < s->count; k++) {
            sw_text_add(text, k ? ", " : "[");
            add_setting(s->child[k], text);
        }
        sw_text_add(text, s->count ? "]" : "[]");
        return;
    case SW_SETTING_GROUP: sw_text_add(text, "{ ... }"); return;
    }
}

/* ---- the differences */

typedef bool (*path_filter)(const struct sw_problem *problem, const char *path);

static bool defines_scalar(const char *path) { return !strncmp(path, "output.scalars.define.", 22); }

/* Whether runs have other ids with another value: also how axes are combined, which sample is drawn, and which rows a
 * table has, whatever its file is called. */
static bool decides_ids(const struct sw_problem *problem, const char *path)
{
    const struct sw_key *key = sw_key_find(problem, path);
    if (!strcmp(path, "sweep.file")) return false;
    if (!strncmp(path, "sweep.", 6) || !strncmp(path, "sample.", 7) || !strncmp(path, "table.", 6)) return true;
    if (!strncmp(path, "refine.", 7)) return true;  /* which runs there are follows from it */
    if (defines_scalar(path) || !strncmp(path, "stop.", 5)) return true;
    return key ? key->decides || key->kind == SW_KEY_NAMES : strncmp(path, "output", 6) && strncmp(path, "run", 3);
}

static bool shapes_output(const struct sw_problem *problem, const char *path)
{
    (void)problem;
    /* they shape the joined file */
    if (!strcmp(path, "output.fields.keep") || !strcmp(path, "output.scalars.keep")) return false;
    return !strncmp(path, "output.fields.", 14) || (!strncmp(path, "output.scalars.", 15) && !defines_scalar(path)) ||
           !strcmp(path, "output.history");
}

enum { MOST_DIFFERENCES = 64 };

struct search {
    struct sw_config *old;
    const struct sw_config *new;
    const struct sw_problem *problem;
    path_filter which;
    int count;
    const char *path[MOST_DIFFERENCES];
};

static bool is_lhs(const struct sw_config *config)
{
    const struct sw_setting *method = sw_config_find(config, "sample.method");
    return !method || method->kind != SW_SETTING_STRING || !strcmp(method->text, "lhs");
}

static const struct sw_setting *setting_of(const struct sw_problem *problem, const struct sw_config *config,
                                           const char *path)
{
    const struct sw_key *key = sw_key_find(problem, path);
    return key ? sw_key_setting(config, key) : sw_config_find(config, path);
}

static void add_settings(const struct search *s, const char *path, struct sw_text *old, struct sw_text *new)
{
    add_setting(setting_of(s->problem, s->old, path), old);
    add_setting(setting_of(s->problem, s->new, path), new);
}

static void compare_setting(struct search *s, const char *path)
{
    struct sw_text old = {0}, new = {0};
    add_settings(s, path, &old, &new);
    bool differs = s->count < MOST_DIFFERENCES && strcmp(sw_text_get(&old), sw_text_get(&new));
    for (int k = 0; k < s->count; k++) differs &= strcmp(s->path[k], path) != 0;
    if (differs) s->path[s->count++] = path;
    sw_text_free(&old);
    sw_text_free(&new);
}

static void search_group(struct search *s, const struct sw_setting *group)
{
    for (int k = 0; k < group->count; k++) {
        const struct sw_setting *c = group->child[k];
        const struct sw_key *key = sw_key_find(s->problem, c->path);
        const char *path = key ? key->path : c->path;  /* the stored config may have the key's former name */
        if (c->kind == SW_SETTING_GROUP) search_group(s, c);
        else if (s->which(s->problem, path)) compare_setting(s, path);
    }
}

static void describe(const struct search *s, const char *path, struct sw_text *text)
{
    const bool lhs = !strcmp(path, "sample.count") && is_lhs(s->new);
    struct sw_text old = {0}, new = {0};
    if (!strcmp(path, "table.rows")) {
        sw_text_add(text, "its table lacks rows that are computed there");
        return;
    }
    add_settings(s, path, &old, &new);
    sw_text_printf(text, "%s %.60s -> %.60s%s", path, sw_text_get(&old), sw_text_get(&new),
                   lhs ? ", on which all points of sample.method lhs depend" : "");
    sw_text_free(&old);
    sw_text_free(&new);
}

/* ---- ids */

static bool all_known(const uint64_t *sorted, int64_t n, const uint64_t *id, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (!bsearch(&id[k], sorted, (size_t)n, sizeof *sorted, sw_by_id)) return false;
    return true;
}

/* Of a sweep that is refined runs are there which only its results tell of. */
static bool any_run_of_sweep(int64_t nruns, const uint64_t *id, const struct sw_completed *completed)
{
    for (int64_t k = 0; k < nruns; k++)
        if (sw_completed_status(completed, id[k]) != SW_RUN_PENDING) return true;
    return false;
}

static enum sw_status all_runs_of_sweep(const struct sw_sweep *sweep, const uint64_t *id,
                                        const struct sw_completed *completed, bool *yes)
{
    const int64_t n = sweep->nruns;
    uint64_t *sorted = NULL;
    *yes = true;
    if (!strcmp(completed->identity.sweep_id, sweep->id)) return SW_OK;
    SW_TRY(sw_alloc((size_t)n, &sorted));
    memcpy(sorted, id, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, sw_by_id);
    *yes = all_known(sorted, n, completed->id, completed->count);
    for (int k = 0; k < completed->ncheckpoint && *yes; k++)
        *yes = all_known(sorted, n, completed->checkpoint[k].id, completed->checkpoint[k].count);
    sw_free(sorted);
    return SW_OK;
}

/* ---- which difference */

/* The stored config with one setting as it is in ours: the group that it is in gets other children, or the nearest one
 * above that is there.
 * @param instead  out: what that group becomes; free its list of children */
static enum sw_status put_setting(const struct search *s, const char *path, struct sw_setting **group,
                                  struct sw_setting *instead)
{
    char prefix[256];
    const char *name = path;
    *group = s->old->root;
    for (int k = 0; k < (*group)->count; k++) {
        struct sw_setting *c = (*group)->child[k];
        const size_t length = strcspn(name, ".");
        if (c->kind != SW_SETTING_GROUP || !name[length] || strncmp(c->name, name, length) || c->name[length]) continue;
        *group = c;
        name += length + 1;
        k = -1;
    }
    snprintf(prefix, sizeof prefix, "%.*s", (int)(name - path) + (int)strcspn(name, "."), path);
    const struct sw_setting *new = sw_config_find(s->new, prefix);
    *instead = **group;
    SW_TRY(sw_alloc((size_t)(*group)->count + 1, &instead->child));
    instead->count = 0;
    for (int k = 0; k < (*group)->count; k++)
        if (strcmp((*group)->child[k]->path, prefix)) instead->child[instead->count++] = (*group)->child[k];
    if (new) instead->child[instead->count++] = (struct sw_setting *)new;
    return SW_OK;
}

/* Whether with this setting of ours alone the stored config lacks runs that are there; NULL: as it was stored. */
static bool lacks_runs(const struct search *s, const struct sw_completed *completed, const char *path)
{
    struct sw_report report = {0};
    struct sw_setting *group = s->old->root, stored, instead = *group;
    struct sw_sweep *sweep = NULL;
    uint64_t *id = NULL;
    bool all = true;
    if (path && put_setting(s, path, &group, &instead)) return false;
    stored = *group;
    *group = instead;
    if (!sw_sweep_expand(s->old, &report, &sweep) && !sw_alloc((size_t)sweep->nruns, &id) &&
        !sw_sweep_ids(sweep, 0, sweep->nruns, id)) {
        if (sweep->refine) all = any_run_of_sweep(sweep->nruns, id, completed);
        else if (all_runs_of_sweep(sweep, id, completed, &all)) all = true;
    }
    *group = stored;
    if (path) sw_free(instead.child);
    sw_free(id);
    sw_sweep_destroy(&sweep);
    sw_report_free(&report);
    return !all;
}

/* The key that takes the number of a run, where the runs of the stored config are all in ours but for that number. */
static const struct sw_key *find_number_key(const struct search *s, const struct sw_sweep *sweep)
{
    const struct sw_key *key = NULL, *old_key = NULL;
    struct sw_report report = {0};
    struct sw_sweep *old = NULL;
    uint64_t *id = NULL, *old_id = NULL;
    bool all = false;
    if (!sw_sweep_expand(s->old, &report, &old) && !sw_alloc((size_t)sweep->nruns, &id) &&
        !sw_alloc((size_t)old->nruns, &old_id) && !sw_sweep_ids_unnumbered(sweep, id, &key) &&
        !sw_sweep_ids_unnumbered(old, old_id, &old_key) && key && key == old_key) {
        qsort(id, (size_t)sweep->nruns, sizeof *id, sw_by_id);
        all = all_known(id, sweep->nruns, old_id, old->nruns);
    }
    sw_free(id);
    sw_free(old_id);
    sw_sweep_destroy(&old);
    sw_report_free(&report);
    return all ? key : NULL;
}

/* Why another axis is another sweep, where that is not plain. */
static void add_reason(const struct search *s, const struct sw_sweep *sweep, struct sw_text *text)
{
    const struct sw_key *key = find_number_key(s, sweep);
    if (key)
        sw_text_printf(text, ": runs have other numbers by that, and '%s' = \"%s\" takes these; an axis there, or an "
                       "expression of axes, would stay with its run", key->path, key->stand_in);
}

bool sw_completed_has_older_axes(const struct sw_completed *completed)
{
    struct sw_report report = {0};
    struct search search = {0};
    bool older = false;
    if (completed->config_text &&
        !sw_config_read_text("stored config", completed->config_text, (const char *const *)completed->override,
                             completed->noverride, &report, &search.old) && lacks_runs(&search, completed, NULL)) {
        search.old->older_axes = true;
        older = !lacks_runs(&search, completed, NULL);
    }
    sw_config_destroy(&search.old);
    sw_report_free(&report);
    return older;
}

/* Of the differences in the ids the first that decides alone: others may only add runs, and none says anything where
 * the stored config has other ids by now. */
static bool find_difference(const struct sw_sweep *sweep, const struct sw_completed *completed, path_filter which,
                            struct sw_text *text)
{
    struct sw_report report = {0};
    struct search search = {.new = sweep->config, .problem = sweep->problem, .which = which};
    int decides = 0;
    if (!sw_config_read_text("stored config", completed->config_text, (const char *const *)completed->override,
                             completed->noverride, &report, &search.old)) {
        search.old->older_axes = sweep->config->older_axes;
        search_group(&search, sweep->config->root);  /* what ours sets, then what only the stored one sets */
        search_group(&search, search.old->root);
        if (which == decides_ids && lacks_runs(&search, completed, NULL)) search.count = 0;
        while (which == decides_ids && decides < search.count &&
               !lacks_runs(&search, completed, search.path[decides]))
            decides++;
        if (search.count) describe(&search, search.path[decides % search.count], text);
        if (search.count && which == decides_ids) add_reason(&search, sweep, text);
    }
    sw_config_destroy(&search.old);
    sw_report_free(&report);
    return search.count > 0;
}

/* The configs are the same, or nothing in them explains it. */
static void add_unseen_difference(const struct sw_sweep *sweep, struct sw_text *text)
{
    const char *key = sw_sweep_file_key(sweep, NULL);
    if (key)
        sw_text_printf(text, "'%s' has other numbers by now, or another version of sweep made it", key);
    else
        sw_text_add(text, "its runs have other ids: another version of sweep made them");
}

enum sw_status sw_completed_check_sweep(const struct sw_completed *completed, const char *file,
                                        const struct sw_sweep *sweep,
                                        const uint64_t *id)
{
    struct sw_text text = {0};
    bool yes;
    if (!completed->config_text) return SW_OK;  /* nothing there */
    SW_TRY(all_runs_of_sweep(sweep, id, completed, &yes));
    bool outputs = yes && find_difference(sweep, completed, shapes_output, &text);
    if (yes && !outputs) return SW_OK;
    if (!yes && !find_difference(sweep, completed, decides_ids, &text)) add_unseen_difference(sweep, &text);
    sw_text_add(&text, "); use -o FILE");
    if (!yes && completed->has_file && !completed->has_parts && !completed->is_dropped &&
        any_run_of_sweep(sweep->nruns, id, completed))
        sw_text_printf(&text, ", with -s 'reuse=\"%s\"' for the runs that both have,", file);
    SW_FAIL(SW_E_REFUSED, "%s holds %s (%s or --force", file,
            yes ? "other outputs of this sweep" : "another sweep", sw_text_get(&text));
    sw_text_free(&text);
    return SW_E_REFUSED;
}

enum sw_status sw_completed_check_outputs(const struct sw_completed *completed, const char *file,
                                          const struct sw_sweep *sweep)
{
    struct sw_text text = {0};
    enum sw_status st = SW_OK;
    if (completed->config_text && find_difference(sweep, completed, shapes_output, &text))
        st = SW_FAIL(SW_E_REFUSED, "%s holds other outputs of its runs (%s)", file, sw_text_get(&text));
    else if (sweep->save_state && completed->lacks_states)
        st = SW_FAIL(SW_E_REFUSED, "%s does not hold the states in which its runs end (output.state)", file);
    sw_text_free(&text);
    return st;
}
