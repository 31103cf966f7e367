/* The one file that knows libconfig. setlocale() is never called in this program: libconfig reads numbers by the
 * locale. */
#include "sweep/sw_config.h"

#include <errno.h>
#include <libconfig.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "sweep/config_impl.h"

enum { MAX_BYTES = 64 << 20 };

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
static void copy_line(const char *text, int line, char *out, size_t room)
{
    while (--line > 0 && *text) {
        text += strcspn(text, "\n");
        if (*text) text++;
    }
    text += strspn(text, " \t\r");
    size_t length = strcspn(text, "\r\n");
    snprintf(out, room, "%.*s", (int)(length < room ? length : room - 1), text);
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

static enum sw_status read_tree(struct sw_config *c, struct sw_report *report)
{
    struct sw_scan scan = {.file = c->name, .report = report};
    enum sw_status st = sw_config_scan(&scan, c->text);
    if (!st && !scan.broken) st = sw_config_parse(c->arena, &scan, c->text, &c->root);
    sw_text_free(&scan.clean);
    return st;
}

/* An empty tree takes the place of a file that could not be parsed, so that the overrides are looked at all the same.
 */
static enum sw_status read_overrides(struct sw_config *c, const char *const *override, int n, struct sw_report *report)
{
    struct sw_setting *root = c->root;
    if (!root) SW_TRY(sw_arena_take(c->arena, 1, &root));
    if (!c->root) *root = (struct sw_setting){.path = "", .kind = SW_SETTING_GROUP, .file = c->name};
    SW_TRY(sw_arena_take(c->arena, (size_t)n, &c->override));
    for (c->noverride = 0; c->noverride < n; c->noverride++) {
        SW_TRY(sw_arena_printf(c->arena, &c->override[c->noverride], "%s", override[c->noverride]));
        SW_TRY(sw_config_override(c->arena, override[c->noverride], c->noverride + 1, report, root));
    }
    return SW_OK;
}

/* Text and overrides, each with its final zero, so that no two pairs hash alike. */
static void hash(struct sw_config *c)
{
    struct sw_hash h;
    unsigned char digest[32];
    sw_hash_start(&h);
    sw_hash_add(&h, c->text, strlen(c->text) + 1);
    for (int k = 0; k < c->noverride; k++) sw_hash_add(&h, c->override[k], strlen(c->override[k]) + 1);
    sw_hash_end(&h, digest);
    sw_hash_hex(digest, 64, c->sha256);
}

enum sw_status sw_config_read_text(const char *name, const char *text, const char *const *override, int noverride,
                                   struct sw_report *report, struct sw_config **config)
{
    enum sw_status st;
    struct sw_config *c;
    char *copy;
    *config = NULL;
    SW_TRY(sw_alloc(1, &c));
    SW_TRY_TO(done, st, sw_arena_create(&c->arena));
    SW_TRY_TO(done, st, sw_arena_printf(c->arena, &copy, "%s", name));
    c->name = copy;
    SW_TRY_TO(done, st, sw_arena_printf(c->arena, &c->text, "%s", text));
    SW_TRY_TO(done, st, read_tree(c, report));
    SW_TRY_TO(done, st, read_overrides(c, override, noverride, report));
    if (!c->root) SW_TRY_TO(done, st, sw_report_status(report));
    hash(c);
    *config = c;
    return SW_OK;
done:
    sw_config_destroy(&c);
    return st;
}

void sw_config_destroy(struct sw_config **config)
{
    if (!config || !*config) return;
    sw_arena_destroy(&(*config)->arena);
    sw_free(*config);
    *config = NULL;
}

static enum sw_status read_file(const char *path, struct sw_text *text)
{
    char bytes[16384];
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f) return SW_FAIL(SW_E_IO, "cannot read %s: %s", path, strerror(errno));
    while ((n = fread(bytes, 1, sizeof bytes, f)) && text->length <= MAX_BYTES) sw_text_add_bytes(text, bytes, n);
    int why = ferror(f) ? errno : 0;
    fclose(f);
    if (why) return SW_FAIL(SW_E_IO, "cannot read %s: %s", path, strerror(why));
    if (text->length > MAX_BYTES)
        return SW_FAIL(SW_E_IO, "%s is larger than %d MiB: not a config", path, MAX_BYTES >> 20);
    return sw_text_status(text);
}

enum sw_status sw_config_read(const char *path, const char *const *override, int noverride, struct sw_report *report,
                              struct sw_config **config)
{
    struct sw_text text = {0};
    enum sw_status st;
    *config = NULL;
    SW_TRY_TO(done, st, read_file(path, &text));
    if (text.length && memchr(text.data, 0, text.length)) {
        sw_report_add(report, SW_ERROR, path, 0, "not a text file (it holds a zero byte)%s",
                      text.length > 8 && !memcmp(text.data, "\x89HDF\r\n\x1a\n", 8)
                          ? "; for an output file use sweep resume"
                          : "");
        st = sw_report_status(report);
        goto done;
    }
    st = sw_config_read_text(path, sw_text_get(&text), override, noverride, report, config);
done:
    sw_text_free(&text);
    return st;
}

static const struct sw_setting *element(const struct sw_setting *list, const char *number, size_t length)
{
    long k = 0;
    if (length < 1 || length > 6 || strspn(number, "0123456789") < length) return NULL;
    for (size_t i = 0; i < length; i++) k = 10 * k + (number[i] - '0');
    return k < list->count ? list->child[k] : NULL;
}

static const struct sw_setting *member(const struct sw_setting *group, const char *name, size_t length)
{
    if (group->kind == SW_SETTING_LIST) return element(group, name, length);
    if (group->kind != SW_SETTING_GROUP) return NULL;
    for (int k = 0; k < group->count; k++)
        if (!strncmp(group->child[k]->name, name, length) && !group->child[k]->name[length]) return group->child[k];
    return NULL;
}

const struct sw_setting *sw_config_find(const struct sw_config *config, const char *path)
{
    const struct sw_setting *at = config->root;
    while (at && *path) {
        size_t length = strcspn(path, ".");
        at = member(at, path, length);
        path += length + (path[length] == '.');
    }
    return at;
}
