#include "sweep/unknowns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/sw_nearest_name.h"
#include "expr/sw_reduction.h"
#include "sweep/keys.h"
#include "sweep/names.h"
#include "sweep/sweep_own.h"

enum { LONGEST = 31 };

int unknown_find(const struct sw_sweep *s, const char *name)
{
    return sw_name_index(name, s->unknown, s->nunknown);
}

static const struct sw_key *find_key(const struct sw_sweep *s)
{
    const struct sw_key *key;
    for (int k = 0; (key = key_at(s, k)); k++)
        if (key->kind == SW_KEY_UNKNOWNS) return key;
    return NULL;
}

static bool is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", rest[] = "0123456789_";
    const size_t length = strlen(text);
    if (!length || length > LONGEST || !strchr(letters, text[0])) return false;
    for (const char *c = text; *c; c++)
        if (!strchr(letters, *c) && !strchr(rest, *c)) return false;
    return true;
}

/* The group with a key of this name whose members may be expressions, one for each unknown; NULL: none has. */
static const char *group_with(const struct sw_sweep *s, const char *name)
{
    static const char *const group[] = {"initial", "noise"};
    char path[80];
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s.%s", group[k], name);
        if (key_find(s, path)) return group[k];
    }
    return NULL;
}

/* What else a name means; NULL: nothing. Columns of the output file are names_check()'s. */
static const char *other_meaning(const struct sw_sweep *s, const char *name)
{
    if (name_is_in_language(s, name)) return "it is a function or constant of the expressions";
    if (sw_is_reduction(name)) return "it is a reduction of output.scalars.define";
    if (!strcasecmp(name, "inf") || !strcasecmp(name, "nan")) return "numbers that are not finite are written so";
    const char *group = group_with(s, name);
    return !group ? NULL : !strcmp(group, "noise") ? "'noise' has a key of this name" :
                                                     "'initial' has a key of this name";
}

static void add(struct sw_sweep *s, const struct sw_setting *at, const char *name)
{
    const char *why;
    if (!is_name(name))
        report_error(s, at, "'%s': '%s' is no name: letters, digits and _, a letter first, at most %d", at->path, name,
                     LONGEST);
    else if ((why = other_meaning(s, name)))
        report_error(s, at, "'%s': '%s' cannot be an unknown: %s", at->path, name, why);
    else if (unknown_find(s, name) >= 0) report_error(s, at, "'%s': '%s' stands there twice", at->path, name);
    else s->unknown[s->nunknown++] = name;
}

static void read_list(struct sw_sweep *s, const struct sw_setting *list)
{
    if (list->kind == SW_SETTING_STRING) add(s, list, list->text);
    else if (list->kind != SW_SETTING_LIST || list->count < 1 || list->count > SW_UNKNOWNS_MOST)
        report_error(s, list, "'%s' is a list of one to %d names, [\"u\", \"v\"]", list->path, SW_UNKNOWNS_MOST);
    else
        for (int k = 0; k < list->count; k++) {
            const struct sw_setting *name = list->child[k];
            if (name->kind == SW_SETTING_STRING) add(s, list, name->text);
            else report_error(s, list, "'%s': the names are texts in quotes", list->path);
        }
}

enum sw_status unknowns_read(struct sw_sweep *s)
{
    const struct sw_key *key = find_key(s);
    const struct sw_setting *list;
    if (!key) return SW_OK;
    if ((list = key_setting(s, key->path))) read_list(s, list);
    if (!s->nunknown) s->unknown[s->nunknown++] = key->fallback;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->nunknown + 1, &s->own->unknown_field));
    for (int k = 0; k < s->nunknown; k++)
        s->own->unknown_field[k] = (struct sw_quantity){s->unknown[k], "1", s->unknown[k]};
    return SW_OK;
}
