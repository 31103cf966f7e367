#include <stdio.h>
#include <string.h>

#include "base/sw_near.h"
#include "sweep/expand_impl.h"

/* Which keys there are, and which must be. */

enum { MOST_KEYS = 128, MOST_ERRORS = 100 };

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* Whether `path` lies in the group (in "" everything does); *rest is what follows. */
static bool inside(const char *path, const char *group, const char **rest)
{
    size_t length = strlen(group);
    *rest = path + length + (length > 0);
    return length == 0 || (!strncmp(path, group, length) && path[length] == '.');
}

static bool is_group(const struct sw_problem *problem, const char *path)
{
    const struct sw_key *key;
    const char *rest;
    for (int k = 0; (key = sw_key_at(problem, k)); k++)
        if (inside(key->path, path, &rest)) return true;
    return false;
}

/* ------------------------------------------------------------------ unknown keys */

/* The names that may stand in a group, each once. */
static int members(const struct sw_sweep *s, const char *group, char name[][64], const char *list[])
{
    const struct sw_key *key;
    const char *rest;
    int n = 0;
    for (int k = 0; (key = sw_key_at(s->problem, k)) && n < MOST_KEYS; k++) {
        if (!inside(key->path, group, &rest)) continue;
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

static const struct sw_key *elsewhere(const struct sw_sweep *s, const char *name)
{
    const struct sw_key *key;
    for (int k = 0; (key = sw_key_at(s->problem, k)); k++)
        if (!strcmp(last_part(key->path), name)) return key;
    return NULL;
}

static const struct sw_problem *other_problem(const struct sw_sweep *s, const char *path)
{
    for (int k = 0; sw_problem_table[k]; k++)
        if (sw_problem_table[k] != s->problem && sw_key_find(sw_problem_table[k], path)) return sw_problem_table[k];
    return NULL;
}

static void refuse_unknown(const struct sw_sweep *s, const struct sw_setting *at, const char *group)
{
    char name[MOST_KEYS][64];
    const char *list[MOST_KEYS];
    char known[600] = "";
    int n = members(s, group, name, list);
    const struct sw_problem *other = other_problem(s, at->path);
    const struct sw_key *key = elsewhere(s, at->name);
    const char *near = sw_near(at->name, list, n);
    for (int k = 0; k < n && strlen(known) + strlen(list[k]) + 2 < sizeof known; k++) {
        strcat(known, " ");
        strcat(known, list[k]);
    }
    if (other)
        expand_complain(s, at, "'%s' is a key of %s, not of %s; known here:%s", at->path, other->name, s->problem->name,
                        known);
    else if (!s->problem->timed && !strcmp(at->path, "time"))
        expand_complain(s, at, "unknown key 'time': %s has no time; leave the group out", s->problem->name);
    else if (key) expand_complain(s, at, "unknown key '%s'; did you mean '%s'?", at->path, key->path);
    else if (near) expand_complain(s, at, "unknown key '%s'; did you mean '%s'?", at->path, near);
    else expand_complain(s, at, "unknown key '%s'; known here:%s%s", at->path, known,
                         strcmp(group, "grid") ? "" : "; points are uniformly spaced, n of them over length");
}

/* How many keys are elements of a list at `path`: "left.robin.0", ... */
static int elements(const struct sw_problem *problem, const char *path)
{
    char element[80];
    int n = 0;
    do snprintf(element, sizeof element, "%s.%d", path, n);
    while (sw_key_find(problem, element) && ++n);
    return n;
}

static void walk(const struct sw_sweep *s, const struct sw_setting *group)
{
    for (int k = 0; k < group->count && s->own->report->errors < MOST_ERRORS; k++) {
        const struct sw_setting *at = group->child[k];
        const struct sw_key *key = sw_key_find(s->problem, at->path);
        bool names = key && key->kind == SW_KEY_NAMES;
        int wanted;
        if (key && !names) continue;
        if (!key && !is_group(s->problem, at->path)) refuse_unknown(s, at, group->path);
        else if ((wanted = elements(s->problem, at->path)) > 0) {
            if (at->kind != SW_SETTING_LIST || at->count != wanted)
                expand_complain(s, at, "'%s' is a list of %d numbers or expressions", at->path, wanted);
        } else if (at->kind != SW_SETTING_GROUP)
            expand_complain(s, at, "'%s' is a group: write %s = { ... };", at->path, at->name);
        else if (!names) walk(s, at);
    }
}

/* ------------------------------------------------------------------ missing keys */

/* The innermost group of a path that the config has, for the line. */
static const struct sw_setting *nearest_group(const struct sw_sweep *s, const char *path)
{
    char prefix[64];
    const char *dot = strrchr(path, '.');
    if (!dot || (size_t)(dot - path) >= sizeof prefix) return NULL;
    memcpy(prefix, path, (size_t)(dot - path));
    prefix[dot - path] = 0;
    const struct sw_setting *group = sw_config_find(s->config, prefix);
    return group ? group : nearest_group(s, prefix);
}

enum sw_status keys_check(struct sw_sweep *s)
{
    const struct sw_key *key;
    walk(s, s->config->root);
    for (int k = 0; (key = sw_key_at(s->problem, k)); k++)
        if (!key_default(s, key) && !sw_config_find(s->config, key->path))
            expand_complain(s, nearest_group(s, key->path), "'%s' is missing: %s", key->path, key->about);
    return SW_OK;
}
