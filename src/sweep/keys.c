#include "sweep/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_nearest_name.h"
#include "sweep/sweep_own.h"
#include "sweep/table.h"

enum { MAX_ERRORS = 100 };

/* ------------------------------------------------------------------ the table */

struct key_by_name { const char *name; int key; };  /* a path or a former name */

static int compare_names(const void *a, const void *b)
{
    const struct key_by_name *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static const struct sweep_key *find(const struct sw_sweep *s, const char *name)
{
    const struct key_by_name wanted = {.name = name};
    const struct key_by_name *found =
        bsearch(&wanted, s->own->key_by_name, (size_t)s->own->nname, sizeof wanted, compare_names);
    return found ? &s->own->key[found->key] : NULL;
}

const struct sw_key *key_at(const struct sw_sweep *s, int k) { return k < s->own->nkey ? s->own->key[k].key : NULL; }

const struct sw_key *key_find(const struct sw_sweep *s, const char *path)
{
    const struct sweep_key *k = find(s, path);
    return k ? k->key : NULL;
}

const struct sw_setting *key_setting(const struct sw_sweep *s, const char *path)
{
    const struct sweep_key *k = find(s, path);
    return k ? k->setting : sw_config_find(s->config, path);
}

const char *key_written(const struct sw_sweep *s, const struct sw_key *key)
{
    const struct sw_setting *setting = key_setting(s, key->path);
    return setting && key->former && !strcmp(setting->path, key->former) ? key->former : key->path;
}

static void report_former_name(const struct sw_sweep *s, const struct sw_key *key)
{
    const struct sw_setting *new = sw_config_find(s->config, key->path), *old = sw_config_find(s->config, key->former);
    if (!old) return;
    if (new && new->override == old->override)
        report_error(s, old, "'%s' is the former name of '%s', which is set as well; leave one out", old->path,
                     key->path);
    else if (!new && !old->override && s->config->users_file)
        sw_report_add(s->own->report, SW_WARNING, old->file, old->line, "'%s' is now called '%s' here", old->path,
                      key->path);
}

static enum sw_status make_table(struct sw_sweep *s)
{
    const struct sw_key *list[SW_MAX_KEYS], *key;
    struct sw_sweep_own *own = s->own;
    const int n = sw_keys_list(s->problem, list);
    SW_TRY(sw_arena_take(own->arena, (size_t)n, &own->key));
    SW_TRY(sw_arena_take(own->arena, 2 * (size_t)n, &own->key_by_name));
    for (; own->nkey < n; own->nkey++) {
        key = list[own->nkey];
        own->key[own->nkey] = (struct sweep_key){.key = key, .setting = sw_key_setting(s->config, key)};
        own->key_by_name[own->nname++] = (struct key_by_name){key->path, own->nkey};
        if (key->kind == SW_KEY_ROW) own->row_key = key;
        if (!key->former) continue;
        own->key_by_name[own->nname++] = (struct key_by_name){key->former, own->nkey};
        report_former_name(s, key);
    }
    qsort(own->key_by_name, (size_t)own->nname, sizeof *own->key_by_name, compare_names);
    return SW_OK;
}

/* ------------------------------------------------------------------ unknown keys */

/* Whether `path` lies in the group (in "" everything does); *rest is what follows. */
static bool is_inside(const char *path, const char *group, const char **rest)
{
    size_t length = strlen(group);
    *rest = path + length + (length > 0);
    return length == 0 || (!strncmp(path, group, length) && path[length] == '.');
}

static bool is_group(const struct sw_sweep *s, const char *path)
{
    const char *rest;
    for (int k = 0; k < s->own->nkey; k++)
        if (is_inside(s->own->key[k].key->path, path, &rest)) return true;
    return false;
}

/* The names that may be set in a group, each once. */
static int list_members(const struct sw_sweep *s, const char *group, char name[][64], const char *list[])
{
    const char *rest;
    int n = 0;
    for (int k = 0; k < s->own->nkey && n < SW_MAX_KEYS; k++) {
        if (!is_inside(s->own->key[k].key->path, group, &rest)) continue;
        size_t length = strcspn(rest, ".");
        if (length >= 64) continue;
        memcpy(name[n], rest, length);
        name[n][length] = 0;
        bool known = false;
        for (int j = 0; j < n; j++) known |= !strcmp(name[j], name[n]);
        if (!known) { list[n] = name[n]; n++; }
    }
    return n;
}

/* The key of this problem that has the name in another group: in one within `group` rather than elsewhere. */
static const struct sw_key *find_elsewhere(const struct sw_sweep *s, const char *group, const char *name)
{
    const struct sw_key *found = NULL;
    const char *rest;
    for (int k = 0; k < s->own->nkey; k++) {
        const struct sw_key *key = s->own->key[k].key;
        if (strcmp(sw_key_last_part(key->path), name)) continue;
        if (is_inside(key->path, group, &rest)) return key;
        if (!found) found = key;
    }
    return found;
}

/* The key whose former name is nearest, NULL where none is near. */
static const struct sw_key *near_former(const struct sw_sweep *s, const char *path)
{
    const char *name[SW_MAX_KEYS], *near;
    int n = 0;
    for (int k = 0; k < s->own->nkey && n < SW_MAX_KEYS; k++)
        if (s->own->key[k].key->former) name[n++] = s->own->key[k].key->former;
    near = sw_nearest_name(path, name, n);
    return near ? key_find(s, near) : NULL;
}

/* Whether a problem has a key, or a group of keys, of its own. */
static bool has_key_or_group(const struct sw_problem *problem, const char *path)
{
    const char *rest;
    for (const struct sw_key *key = problem->keys; key->path; key++)
        if (!strcmp(key->path, path) || is_inside(key->path, path, &rest)) return true;
    return false;
}

static const struct sw_problem *find_other_problem(const struct sw_sweep *s, const char *path)
{
    const struct sw_problem *on_a_line = s->own->dimensions ? sw_problem_find(s->problem->name) : NULL;
    if (on_a_line && has_key_or_group(on_a_line, path)) return on_a_line;
    for (int k = 0; sw_problem_table[k]; k++) {
        const struct sw_key *key = sw_problem_table[k] == s->problem ? NULL : sw_key_find(sw_problem_table[k], path);
        if (key && !strcmp(key->path, path)) return sw_problem_table[k];
    }
    return NULL;
}

/* Whether a word lacks the s at the end of a name, which then is meant rather than a key of another group. */
static bool is_singular(const char *word, const char *name)
{
    const size_t length = strlen(word);
    return name && !strncmp(word, name, length) && !strcmp(name + length, "s");
}

/* Mark the suggested keys, so that they are not reported missing too.
 * @param path  of a key; or of a group, whose keys are meant by the names that the setting has */
static void note_guess(const struct sw_sweep *s, const struct sw_setting *setting, const char *path)
{
    char member[160];
    const char *rest;
    for (int k = 0; k < s->own->nkey; k++) {
        struct sweep_key *key = &s->own->key[k];
        if (!strcmp(key->key->path, path)) key->guessed = true;
        else if (is_inside(key->key->path, path, &rest)) {
            snprintf(member, sizeof member, "%s.%s", setting->path, rest);
            key->guessed |= sw_config_find(s->config, member) != NULL;
        }
    }
}

/* @param path  of the key or group that the message calls `name` */
static void suggest(const struct sw_sweep *s, const struct sw_setting *setting, const char *name, const char *path)
{
    report_error(s, setting, "unknown key '%s'; did you mean '%s'?", setting->path, name);
    note_guess(s, setting, path);
}

static void report_unknown(const struct sw_sweep *s, const struct sw_setting *setting, const char *group)
{
    char name[SW_MAX_KEYS][64];
    const char *list[SW_MAX_KEYS];
    char known[600] = "", member[80] = "";
    int n = list_members(s, group, name, list);
    const struct sw_problem *other = find_other_problem(s, setting->path);
    const struct sw_key *key = find_elsewhere(s, group, setting->name), *former = near_former(s, setting->path);
    const char *near = sw_nearest_name(setting->name, list, n);
    for (int k = 0; k < n && strlen(known) + strlen(list[k]) + 2 < sizeof known; k++) {
        strcat(known, " ");
        strcat(known, list[k]);
    }
    if (near) snprintf(member, sizeof member, "%s%s%s", group, *group ? "." : "", near);
    if (!near && former) near = former->path;
    if (other && other->shape->in_fields == s->problem)
        report_error(s, setting, "'%s' belongs to %s on a line, not in %d dimensions; known here:%s", setting->path,
                     other->name, s->own->dimensions, known);
    else if (!s->problem->time && sw_key_needs_time(setting->path))
        report_error(s, setting, "unknown key '%s': %s has no time; leave %s out", setting->path, s->problem->name,
                     setting->kind == SW_SETTING_GROUP ? "the group" : "it");
    else if (other && s->own->row_key && sw_key_find(other, setting->path)->kind == SW_KEY_ROW)
        report_error(s, setting, "'%s' is a key of %s, not of %s; did you mean '%s'?", setting->path, other->name,
                     s->problem->name, s->own->row_key->path);
    else if (other)
        report_error(s, setting, "'%s' is a key of %s, not of %s; known here:%s", setting->path, other->name,
                     s->problem->name, known);
    else if (key && !is_singular(setting->name, near)) suggest(s, setting, key->path, key->path);
    else if (near) suggest(s, setting, near, *member ? member : near);
    else
        report_error(s, setting, "unknown key '%s'; known here:%s%s", setting->path, known,
                     strcmp(group, "grid") ? "" : "; points are uniformly spaced, n of them over length");
}

/* How many keys are elements of a list at `path`: "left.robin.0", ... */
static int count_elements(const struct sw_sweep *s, const char *path)
{
    char element[80];
    int n = 0;
    do snprintf(element, sizeof element, "%s.%d", path, n);
    while (key_find(s, element) && ++n);
    return n;
}

bool key_has_members(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting)
{
    const size_t length = strlen(key->path);
    bool known = !key->each;  /* else the members may be called like the unknowns */
    if ((key->kind != SW_KEY_FUNCTION && key->kind != SW_KEY_WORD) || setting->kind != SW_SETTING_GROUP) return false;
    for (int k = 0; k < setting->count; k++) known |= key_find(s, setting->child[k]->path) != NULL;
    if (!known) return false;
    for (int k = 0; k < s->own->nkey; k++)
        if (!strncmp(s->own->key[k].key->path, key->path, length) && s->own->key[k].key->path[length] == '.')
            return true;
    return false;
}

static void report_not_group(const struct sw_sweep *s, const struct sw_setting *setting)
{
    char name[SW_MAX_KEYS][64];
    const char *list[SW_MAX_KEYS];
    struct sw_text known = {0};
    const struct sw_key *key = key_find(s, setting->path);
    const bool own_names = key && key->kind == SW_KEY_NAMES;
    const int n = own_names ? 0 : list_members(s, setting->path, name, list);
    for (int k = 0; k < n; k++) sw_text_printf(&known, "%s%s", k ? ", " : " of ", list[k]);
    report_error(s, setting, "'%s' is a group%s: write %s = { ... };", setting->path, sw_text_get(&known),
                 setting->name);
    sw_text_free(&known);
}

/* Whether a setting is a group of expressions beside which keys of their own may stand. */
static bool holds_expressions(const struct sw_sweep *s, const char *path)
{
    const struct sw_key *key = key_find(s, path);
    return key && key->each && key->beside;
}

/* An end of the domain without a word of what is known there is no end, and the domain periodic or the end one that has
 * a default: who writes the group means another. With boundary it is said. */
static void check_empty_end(const struct sw_sweep *s, const struct sw_setting *end)
{
    char name[SW_MAX_KEYS][64];
    const char *list[SW_MAX_KEYS];
    struct sw_text known = {0};
    const struct sw_key *boundary = key_find(s, "boundary");
    const bool is_end = !strncmp(end->path, "left", 4) || !strncmp(end->path, "right", 5);
    if (end->count || !is_end || sw_config_find(s->config, "boundary")) return;
    for (int k = 0, n = list_members(s, end->path, name, list); k < n; k++)
        sw_text_printf(&known, "%s%s", k ? ", " : "", list[k]);
    report_error(s, end, "'%s' is empty: say in it what is known at that end, by one of %s; or leave it out%s",
                 end->path, sw_text_get(&known), boundary ? " and set boundary = \"periodic\" or \"no_flux\"" : "");
    sw_text_free(&known);
}

static void check_group(const struct sw_sweep *s, const struct sw_setting *group)
{
    for (int k = 0; k < group->count && s->own->report->errors < MAX_ERRORS; k++) {
        const struct sw_setting *child = group->child[k];
        const struct sw_key *key = key_find(s, child->path);
        bool names = key && key->kind == SW_KEY_NAMES;
        int wanted;
        /* the members of a group of one expression for each unknown: unknowns.h */
        if (key && !names && !key_has_members(s, key, child)) continue;
        if (!key && holds_expressions(s, group->path) && !is_group(s, child->path)) continue;  /* as those are */
        if (!key && !is_group(s, child->path)) report_unknown(s, child, group->path);
        else if ((wanted = count_elements(s, child->path)) > 0) {
            if (child->kind != SW_SETTING_LIST || child->count != wanted)
                report_error(s, child, "'%s' is a list of %d numbers or expressions", child->path, wanted);
        } else if (child->kind != SW_SETTING_GROUP)
            report_not_group(s, child);
        else if (!names) {
            check_empty_end(s, child);
            check_group(s, child);
        }
    }
}

/* ------------------------------------------------------------------ missing keys */

/* In place of an expression a group may say which file has the field: without the file it says nothing. */
static void check_members(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting)
{
    char path[80];
    if (!setting || !key_has_members(s, key, setting)) return;
    snprintf(path, sizeof path, "%s.file", key->path);
    const struct sw_key *file = key_find(s, path);
    if (file && !key_setting(s, path)) report_error(s, setting, "'%s' is missing: %s", path, file->about);
}

const struct sw_setting *key_group(const struct sw_sweep *s, const char *path)
{
    char prefix[64];
    const char *dot = strrchr(path, '.');
    if (!dot || (size_t)(dot - path) >= sizeof prefix) return NULL;
    memcpy(prefix, path, (size_t)(dot - path));
    prefix[dot - path] = 0;
    const struct sw_setting *group = sw_config_find(s->config, prefix);
    return group ? group : key_group(s, prefix);
}

bool key_is_guessed(const struct sw_sweep *s, const char *path)
{
    const struct sweep_key *k = find(s, path);
    return k && k->guessed && !k->setting;
}

const struct sw_setting *key_stand_in(const struct sw_sweep *s, const struct sw_key *key)
{
    return key->from_exact ? key_setting(s, "exact") : NULL;
}

void key_report_missing(const struct sw_sweep *s, const struct sw_key *key)
{
    if (!key_is_guessed(s, key->path))
        report_error(s, key_group(s, key->path), "'%s' is missing: %s", key->path, key->about);
}

/* Where a config says both, one of the two is not meant. */
static void check_contradiction(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting)
{
    const struct sw_setting *word = key->unless ? key_setting(s, key->unless) : NULL;
    if (!setting || !word || !word->text || strcmp(word->text, key->unless_word)) return;
    report_error(s, setting, "'%s' means nothing with %s = \"%s\": leave one of the two out", key->path, key->unless,
                 word->text);
    s->own->words_wrong = true;
}

bool files_have_points(const struct sw_sweep *s) { return s->problem->files && s->problem->files->points; }

/* Without time.dt, which an axis or a define of its name may be, runs choose their steps. */
static void find_steps(struct sw_sweep *s)
{
    const struct sw_key *dt = key_find(s, "time.dt"), *tolerance = key_find(s, "time.tolerance");
    const bool left_out = dt && !key_setting(s, "time.dt") && !key_is_guessed(s, "time.dt") &&
                          ((s->problem->time && s->problem->time->step) || !key_default(s, dt));
    s->own_steps = tolerance && (left_out || key_setting(s, "time.tolerance"));
    s->adaptive = left_out || s->own_steps;
}

bool key_counts(const struct sw_sweep *s, const struct sw_key *key)
{
    const struct sw_key *with = key->with ? key_find(s, key->with) : NULL;
    return !key->with || key_setting(s, key->with) || (s->adaptive && with && with->adaptive);
}

/* A group of other keys in the place of a word is no word. */
static void leave_to_members(struct sw_sweep *s)
{
    for (int k = 0; k < s->own->nkey; k++) {
        struct sweep_key *one = &s->own->key[k];
        if (one->key->kind == SW_KEY_WORD && one->setting && key_has_members(s, one->key, one->setting))
            one->setting = NULL;
    }
}

enum sw_status keys_read(struct sw_sweep *s)
{
    SW_TRY(make_table(s));
    check_group(s, s->config->root);
    leave_to_members(s);
    find_steps(s);
    for (int k = 0; k < s->own->nkey; k++) {
        const struct sw_key *key = s->own->key[k].key;
        const bool from_files = files_have_points(s) && !strcmp(key->path, "grid.n");
        const bool chosen = s->own_steps && !strcmp(key->path, "time.dt");
        if (!s->own->key[k].setting && !key_default(s, key) && !from_files && !chosen && !key_stand_in(s, key))
            key_report_missing(s, key);
        check_members(s, key, s->own->key[k].setting);
        check_contradiction(s, key, s->own->key[k].setting);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ names and defaults */

const char *key_name(const struct sw_key *key) { return key->name ? key->name : sw_key_last_part(key->path); }

/* Of a function or a word in a group ("velocity.x", "left.dirichlet") the path is the name, which no axis can have. */
bool key_has_name(const struct sw_key *key)
{
    if (key->with) return false;
    if (key_is_number(key)) return key->decides && strcmp(key->path, "time.cfl");
    if (key->kind != SW_KEY_FUNCTION && !key->decides) return false;
    return !strchr(key->path, '.') && strcmp(key->path, "problem");
}

/* Whether the config has an axis or define of a name, looked for before there are axes. */
static bool has_parameter(const struct sw_sweep *s, const char *name)
{
    static const char *const group[] = {"sweep", "define"};
    char path[80];
    const struct sw_setting *setting = NULL;
    for (int k = 0; k < 2 && !setting; k++) {
        snprintf(path, sizeof path, "%s.%s", group[k], name);
        if (!key_find(s, path)) setting = sw_config_find(s->config, path);
    }
    return setting || table_find(s->own->table, name) >= 0;
}

static bool any_is_set(const struct sw_sweep *s, const char *paths)
{
    char copy[80];
    bool set = false;
    snprintf(copy, sizeof copy, "%s", paths ? paths : "");
    for (char *rest = copy, *path; (path = strtok_r(rest, "|", &rest));) set |= key_setting(s, path) != NULL;
    return set;
}

const char *key_default(const struct sw_sweep *s, const struct sw_key *key)
{
    if (s->adaptive && key->adaptive && !any_is_set(s, key->unless_set)) return key->adaptive;
    if (key->fallback || !key_has_name(key)) return key->fallback;
    return has_parameter(s, key_name(key)) ? key_name(key) : NULL;
}

/* ------------------------------------------------------------------ ranges */

bool key_allows(const struct sw_key *key, double v)
{
    if (!isfinite(v)) return false;
    if (!key) return true;
    if (key->kind == SW_KEY_COUNT && v != floor(v)) return false;
    if (key->multiple > 1 && fmod(v, key->multiple) != 0) return false;
    return !(key->min < key->max) || (v >= key->min && v <= key->max && !(key->above && v == key->min));
}

/* Digits that read back as the number: a value that is named is taken. */
static const char *end_of_range(double v, char text[32])
{
    snprintf(text, 32, "%g", v);
    return strtod(text, NULL) == v ? text : sw_number(v, text);
}

const char *key_range(const struct sw_key *key, double v, struct sw_text *text)
{
    char end[32];
    if (!isfinite(v) || !key) sw_text_set(text, "must be finite");
    else if (key->kind == SW_KEY_COUNT && v != floor(v)) sw_text_set(text, "must be a whole number");
    else if (key->min < key->max && v > key->max)
        sw_text_set(text, "must be at most %s", end_of_range(key->max, end));
    else if (key->min < key->max && v <= key->min)
        sw_text_set(text, "must be %s %s", key->above ? "greater than" : "at least", end_of_range(key->min, end));
    else sw_text_set(text, "must be a multiple of %g", key->multiple);
    return sw_text_get(text);
}
