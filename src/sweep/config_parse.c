/* The one file that uses libconfig. No part of this program calls setlocale(): libconfig would read numbers by the
 * locale. */
#include <libconfig.h>
#include <stdio.h>
#include <string.h>

#include "sweep/config_impl.h"

static enum sw_status convert(struct sw_arena *arena, const struct sw_scan *scan, config_setting_t *from,
                              const struct sw_setting *parent, struct sw_setting *to);

static enum sw_status convert_children(struct sw_arena *arena, const struct sw_scan *scan, config_setting_t *from,
                                       struct sw_setting *to)
{
    struct sw_setting *block;
    to->count = config_setting_length(from);
    SW_TRY(sw_arena_take(arena, (size_t)to->count, &block));
    SW_TRY(sw_arena_take(arena, (size_t)to->count, &to->child));
    for (int k = 0; k < to->count; k++) {
        to->child[k] = &block[k];
        SW_TRY(convert(arena, scan, config_setting_get_elem(from, (unsigned)k), to, &block[k]));
    }
    return SW_OK;
}

static enum sw_status convert_name(struct sw_arena *arena, const char *name, const struct sw_setting *parent,
                                   struct sw_setting *to)
{
    char *copy, *path;
    bool top = !parent || !parent->path[0];
    to->path = parent ? parent->path : "";
    if (!name) return SW_OK;
    SW_TRY(sw_arena_printf(arena, &copy, "%s", name));
    SW_TRY(sw_arena_printf(arena, &path, "%s%s%s", top ? "" : parent->path, top ? "" : ".", name));
    to->name = copy;
    to->path = path;
    return SW_OK;
}

static enum sw_status convert(struct sw_arena *arena, const struct sw_scan *scan, config_setting_t *from,
                              const struct sw_setting *parent, struct sw_setting *to)
{
    char *text;
    SW_TRY(convert_name(arena, config_setting_name(from), parent, to));
    to->file = scan->file;
    to->line = scan->override ? 0 : (int)config_setting_source_line(from);
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        to->kind = SW_SETTING_INTEGER;
        to->number = (double)config_setting_get_int64(from);
        return SW_OK;
    case CONFIG_TYPE_FLOAT:
        to->kind = SW_SETTING_REAL;
        to->number = config_setting_get_float(from);
        return SW_OK;
    case CONFIG_TYPE_BOOL:
        to->kind = SW_SETTING_SWITCH;
        to->number = config_setting_get_bool(from);
        return SW_OK;
    case CONFIG_TYPE_STRING:
        to->kind = SW_SETTING_STRING;
        SW_TRY(sw_arena_printf(arena, &text, "%s", config_setting_get_string(from)));
        to->text = text;
        return SW_OK;
    case CONFIG_TYPE_GROUP:
        to->kind = SW_SETTING_GROUP;
        return convert_children(arena, scan, from, to);
    default:
        to->kind = SW_SETTING_LIST;
        return convert_children(arena, scan, from, to);
    }
}

/* Line number `line` of a text without the blanks around it, cut to what fits. */
static void copy_line(const char *text, int line, char *out, size_t capacity)
{
    while (--line > 0 && *text) {
        text += strcspn(text, "\n");
        if (*text) text++;
    }
    text += strspn(text, " \t\r");
    size_t length = strcspn(text, "\r\n");
    snprintf(out, capacity, "%.*s", (int)(length < capacity ? length : capacity - 1), text);
}

enum sw_status sw_config_parse(struct sw_arena *arena, const struct sw_scan *scan, const char *text,
                               struct sw_setting **root)
{
    config_t libconfig;
    enum sw_status st;
    char line[80];
    *root = NULL;
    config_init(&libconfig);
    if (config_read_string(&libconfig, sw_text_get(&scan->clean))) {
        SW_TRY_TO(done, st, sw_arena_take(arena, 1, root));
        SW_TRY_TO(done, st, convert(arena, scan, config_root_setting(&libconfig), NULL, *root));
    } else {
        copy_line(text, config_error_line(&libconfig), line, sizeof line);
        sw_report_add(scan->report, SW_ERROR, scan->file, scan->override ? 0 : config_error_line(&libconfig),
                      "%s at '%s'", config_error_text(&libconfig), line);
        st = SW_OK;
    }
done:
    config_destroy(&libconfig);
    return st;
}
