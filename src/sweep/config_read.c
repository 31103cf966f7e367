#include "sweep/sw_config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "sweep/config_impl.h"

/* ------------------------------------------------------------------ overrides */

/* KEY=VALUE, KEY a dotted path, VALUE as in a file or else a string. */

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

/* The text of a -s, and its number among them, from 1. */
struct override { const char *text; int number; };

#define REPORT_OVERRIDE(report, override, ...) \
    sw_report_add_at((report), SW_ERROR, (struct sw_report_place){.file = "-s", .option = (override)->number}, \
                     __VA_ARGS__)

static void report_value(struct sw_report *report, const struct override *o, const char *why)
{
    REPORT_OVERRIDE(report, o, "'%.*s': %s", (int)strcspn(o->text, "="), o->text, why);
}

static bool is_multiple(const struct sw_setting *root) { return root && root->count > 1; }

/* The setting that a text consists of, NULL if it is not one setting. An integer or a list that was reported counts as
 * well, so that reading can go on. */
static struct sw_setting *single_setting(const struct sw_setting *root, const struct sw_report *own)
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
 * group, or is a number too large for a double: then its errors are reported. *setting is NULL only if something was
 * reported. */
static enum sw_status parse_value(struct sw_arena *arena, const struct override *o, struct sw_report *report,
                                  struct sw_setting **setting)
{
    const char *equals = strchr(o->text, '='), *name = last_part(o->text, equals), *value = equals + 1;
    const char first = value[strspn(value, " \t\r\n")];
    const bool is_literal = first && (strchr("\"[{", first) || is_too_large(value));
    struct sw_report own = {0};
    struct sw_scan scan = {.file = "-s", .override = true, .report = &own};
    struct sw_setting *root = NULL;
    enum sw_status st;
    *setting = NULL;
    SW_TRY_TO(done, st, sw_config_scan(&scan, name));
    if (!scan.broken) SW_TRY_TO(done, st, sw_config_parse(arena, &scan, value, &root));
    if (is_multiple(root)) {
        report_value(report, o,
                     "the value holds more than one setting: give each its own -s, or put a text with ; in quotes");
        goto done;
    }
    *setting = single_setting(root, &own);
    if (is_literal || *setting)
        for (int k = 0; k < own.count; k++) report_value(report, o, own.entry[k].text);
    if (*setting || (is_literal && own.errors)) goto done;
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

/* A value that was parsed by itself gets the paths that it has in the tree. */
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

/* The member of a group; a missing one is added. */
static enum sw_status enter_group(struct sw_arena *arena, struct sw_setting *group, const char *name, const char *path,
                                  struct sw_setting **member)
{
    for (int k = 0; k < group->count; k++)
        if (!strcmp(group->child[k]->name, name)) { *member = group->child[k]; return SW_OK; }
    SW_TRY(sw_arena_take(arena, 1, member));
    **member = (struct sw_setting){.name = name, .path = path, .kind = SW_SETTING_GROUP, .file = "-s"};
    return add_child(arena, group, *member);
}

/* Apply one override to a tree. */
static enum sw_status apply_override(struct sw_arena *arena, const struct override *o, struct sw_report *report,
                                     struct sw_setting *root)
{
    const char *override = o->text, *equals = strchr(override, '=');
    struct sw_setting *target = root, *value;
    if (!equals || !is_path(override, (size_t)(equals - override))) {
        REPORT_OVERRIDE(report, o, "'%s' is not KEY=VALUE with a key such as time.dt", override);
        return SW_OK;
    }
    const unsigned char bad = (unsigned char)override[sw_text_utf8(override)];
    if (bad) {
        REPORT_OVERRIDE(report, o, "'%.*s': byte 0x%02x is not UTF-8", (int)(equals - override), override, bad);
        return SW_OK;
    }
    SW_TRY(parse_value(arena, o, report, &value));
    if (!value) return SW_OK;
    for (const char *c = override; c < equals;) {
        size_t length = strcspn(c, ".=");
        char *name, *path;
        SW_TRY(sw_arena_printf(arena, &name, "%.*s", (int)length, c));
        SW_TRY(sw_arena_printf(arena, &path, "%.*s", (int)(c + length - override), override));
        if (target->kind != SW_SETTING_GROUP)  /* a group replaces what was there */
            *target =
                (struct sw_setting){.name = target->name, .path = target->path, .kind = SW_SETTING_GROUP, .file = "-s"};
        SW_TRY(enter_group(arena, target, name, path, &target));
        c += length + (c[length] == '.');
    }
    SW_TRY(set_paths(arena, value, target->path));
    value->name = target->name;
    value->override = o->number;
    *target = *value;
    return SW_OK;
}

/* ------------------------------------------------------------------ files and texts */

static enum sw_status read_tree(struct sw_config *c, struct sw_report *report)
{
    struct sw_scan scan = {.file = c->name, .report = report};
    enum sw_status st = sw_config_scan(&scan, c->text);
    if (!st && !scan.broken) st = sw_config_parse(c->arena, &scan, c->text, &c->root);
    sw_text_free(&scan.clean);
    return st;
}

/* An empty tree takes the place of a file that could not be parsed, so that the overrides are checked all the same. */
static enum sw_status read_overrides(struct sw_config *c, const char *const *override, int n, struct sw_report *report)
{
    struct sw_setting *root = c->root;
    if (!root) SW_TRY(sw_arena_take(c->arena, 1, &root));
    if (!c->root) *root = (struct sw_setting){.path = "", .kind = SW_SETTING_GROUP, .file = c->name};
    SW_TRY(sw_arena_take(c->arena, (size_t)n, &c->override));
    for (c->noverride = 0; c->noverride < n; c->noverride++) {
        SW_TRY(sw_arena_printf(c->arena, &c->override[c->noverride], "%s", override[c->noverride]));
        const struct override o = {override[c->noverride], c->noverride + 1};
        SW_TRY(apply_override(c->arena, &o, report, root));
    }
    return SW_OK;
}

/* Text and overrides are hashed with their final zeros, so that no two sequences of texts hash alike. */
static void hash_config(struct sw_config *c)
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
    SW_TRY_TO(done, st, sw_config_read_rows(c, report));
    hash_config(c);
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
    sw_free((*config)->refined.point);
    sw_free(*config);
    *config = NULL;
}

enum { MAX_BYTES = 64 << 20 };

static enum sw_status read_file(const char *path, struct sw_text *text)
{
    char bytes[16384];
    size_t n;
    const char *reason;
    FILE *f = sw_open_to_read(path, &reason);
    if (!f) return SW_FAIL(SW_E_IO, "cannot read %s: %s", path, reason);
    while ((n = fread(bytes, 1, sizeof bytes, f)) && text->length <= MAX_BYTES) sw_text_add_bytes(text, bytes, n);
    int why = ferror(f) ? errno : 0;
    fclose(f);
    if (why) return SW_FAIL_ERRNO(SW_E_IO, why, "cannot read %s", path);
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
    if (!st) (*config)->users_file = true;
done:
    sw_text_free(&text);
    return st;
}
