#include <string.h>

#include "config/config_impl.h"

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

/* The value as a file would hold it: one setting, without comments. A value that begins like a string or an array is
 * meant as one, and its errors are reported; anything else that libconfig does not take is a string without its quotes.
 */
static enum sw_status parse_value(struct sw_arena *arena, const char *override, const char *value,
                                  struct sw_report *report, struct sw_setting **setting)
{
    struct sw_report own = {0};
    struct sw_scan scan = {.file = "-s", .override = true, .report = &own};
    struct sw_setting *root = NULL;
    char *text;
    enum sw_status st;
    bool meant = *value && strchr("\"[{", *value);
    *setting = NULL;
    SW_TRY(sw_arena_printf(arena, &text, "v = %s", value));
    SW_TRY_TO(done, st, sw_config_scan(&scan, text));
    if (!scan.broken) SW_TRY_TO(done, st, sw_config_parse(arena, &scan, value, &root));
    bool one = root && root->count == 1 && !scan.comment;
    if (one && (!own.errors || root->child[0]->kind == SW_SETTING_INTEGER || root->child[0]->kind == SW_SETTING_LIST))
        *setting = root->child[0];
    if (meant || *setting)
        for (int k = 0; k < own.count; k++)
            sw_report_add(report, SW_ERROR, "-s", 0, "'%.*s': %s", (int)(value - 1 - override), override,
                          own.entry[k].text);
    if (!*setting && !meant) {
        SW_TRY_TO(done, st, sw_arena_take(arena, 1, setting));
        **setting = (struct sw_setting){.kind = SW_SETTING_STRING, .file = "-s", .text = text + strlen("v = ")};
    }
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

enum sw_status sw_config_override(struct sw_arena *arena, const char *override, struct sw_report *report,
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
    SW_TRY(parse_value(arena, override, equals + 1, report, &value));
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
    *at = *value;
    return SW_OK;
}
