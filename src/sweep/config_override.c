#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/config_impl.h"

/* An override: KEY=VALUE, KEY a dotted path, VALUE as in a file or else a string. */

static bool is_path(const char *path, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    bool first = true;
    for (size_t k = 0; k < length; k++) {
        bool letter = path[k] && strchr(letters, path[k]);
        if (path[k] == '.' ? first : !letter && (first || !strchr("0123456789_", path[k]))) return false;
        first = path[k] == '.';
    }
    return !first;
}

static const char *last_part(const char *path, const char *end)
{
    const char *c = end;
    while (c > path && c[-1] != '.') c--;
    return c;
}

static void complain(struct sw_report *report, const char *override, const char *why)
{
    sw_report_add(report, SW_ERROR, "-s", 0, "'%.*s': %s", (int)strcspn(override, "="), override, why);
}

static bool is_multiple(const struct sw_setting *root) { return root && root->count > 1; }

/* The one setting that a text is, NULL if it is none. An integer or a list that was complained about is there all the
 * same, so that reading can go on. */
static struct sw_setting *only_setting(const struct sw_setting *root, const struct sw_report *own)
{
    if (!root || root->count != 1) return NULL;
    const enum sw_setting_kind kind = root->child[0]->kind;
    return !own->errors || kind == SW_SETTING_INTEGER || kind == SW_SETTING_LIST ? root->child[0] : NULL;
}

static bool is_too_large(const char *value)
{
    char *end;
    const bool number = strspn(value, " \t+-.0123456789") > 0;  /* not the word inf */
    return number && isinf(strtod(value, &end)) && !end[strspn(end, " \t")];
}

/* The value as a file would hold it: "name = value" is read as a config of its own, which must be one setting.
 * Anything that libconfig does not take is a string without its quotes, unless it begins like a string, an array or a
 * group, or is a number too large for a double: then it is meant as one, and its errors are reported. *setting is NULL
 * only if something was reported. */
static enum sw_status parse_value(struct sw_arena *arena, const char *override, struct sw_report *report,
                                  struct sw_setting **setting)
{
    const char *equals = strchr(override, '='), *name = last_part(override, equals), *value = equals + 1;
    const char first = value[strspn(value, " \t\r\n")];
    const bool meant = first && (strchr("\"[{", first) || is_too_large(value));
    struct sw_report own = {0};
    struct sw_scan scan = {.file = "-s", .override = true, .report = &own};
    struct sw_setting *root = NULL;
    enum sw_status st;
    *setting = NULL;
    SW_TRY_TO(done, st, sw_config_scan(&scan, name));
    if (!scan.broken) SW_TRY_TO(done, st, sw_config_parse(arena, &scan, value, &root));
    if (is_multiple(root)) {
        complain(report, override, "the value holds more than one setting: give each its own -s, or put a text with ; "
                                   "in quotes");
        goto done;
    }
    *setting = only_setting(root, &own);
    if (meant || *setting)
        for (int k = 0; k < own.count; k++) complain(report, override, own.entry[k].text);
    if (*setting || (meant && own.errors)) goto done;
    SW_TRY_TO(done, st, sw_arena_take(arena, 1, setting));
    **setting = (struct sw_setting){.kind = SW_SETTING_STRING, .file = "-s"};
    char *text;
    SW_TRY_TO(done, st, sw_arena_printf(arena, &text, "%s", value));
    (*setting)->text = text;
done:
    sw_text_free(&scan.clean);
    sw_report_free(&own);
    return st;
}

static enum sw_status add_child(struct sw_arena *arena, struct sw_setting *group, struct sw_setting *new)
{
    struct sw_setting **child;
    SW_TRY(sw_arena_take(arena, (size_t)group->count + 1, &child));
    if (group->count) memcpy(child, group->child, (size_t)group->count * sizeof *child);
    child[group->count++] = new;
    group->child = child;
    return SW_OK;
}

/* Paths of a value that was parsed as "v" become those of its new place. */
static enum sw_status set_paths(struct sw_arena *arena, struct sw_setting *s, const char *path)
{
    char *own;
    s->path = path;
    for (int k = 0; k < s->count; k++) {
        if (s->kind == SW_SETTING_LIST) { SW_TRY(set_paths(arena, s->child[k], path)); continue; }
        SW_TRY(sw_arena_printf(arena, &own, "%s.%s", path, s->child[k]->name));
        SW_TRY(set_paths(arena, s->child[k], own));
    }
    return SW_OK;
}

/* The member of a group, made if missing. */
static enum sw_status enter(struct sw_arena *arena, struct sw_setting *group, const char *name, const char *path,
                            struct sw_setting **member)
{
    for (int k = 0; k < group->count; k++)
        if (!strcmp(group->child[k]->name, name)) { *member = group->child[k]; return SW_OK; }
    SW_TRY(sw_arena_take(arena, 1, member));
    **member = (struct sw_setting){.name = name, .path = path, .kind = SW_SETTING_GROUP, .file = "-s"};
    return add_child(arena, group, *member);
}

enum sw_status sw_config_override(struct sw_arena *arena, const char *override, int number, struct sw_report *report,
                                  struct sw_setting *root)
{
    const char *equals = strchr(override, '=');
    struct sw_setting *at = root, *value;
    if (!equals || !is_path(override, (size_t)(equals - override))) {
        sw_report_add(report, SW_ERROR, "-s", 0, "'%s' is not KEY=VALUE with a key such as time.dt", override);
        return SW_OK;
    }
    const unsigned char bad = (unsigned char)override[sw_text_utf8(override)];
    if (bad) {
        sw_report_add(report, SW_ERROR, "-s", 0, "'%.*s': byte 0x%02x is not UTF-8", (int)(equals - override), override,
                      bad);
        return SW_OK;
    }
    SW_TRY(parse_value(arena, override, report, &value));
    if (!value) return SW_OK;
    for (const char *c = override; c < equals;) {
        size_t length = strcspn(c, ".=");
        char *name, *path;
        SW_TRY(sw_arena_printf(arena, &name, "%.*s", (int)length, c));
        SW_TRY(sw_arena_printf(arena, &path, "%.*s", (int)(c + length - override), override));
        if (at->kind != SW_SETTING_GROUP)  /* what was there makes room for a group */
            *at = (struct sw_setting){.name = at->name, .path = at->path, .kind = SW_SETTING_GROUP, .file = "-s"};
        SW_TRY(enter(arena, at, name, path, &at));
        c += length + (c[length] == '.');
    }
    SW_TRY(set_paths(arena, value, at->path));
    value->name = at->name;
    value->override = number;
    *at = *value;
    return SW_OK;
}
