/* The table of sweep.mode = "table": its file becomes a setting, table.rows, which goes into the output file with the
 * config. So the runs of a sweep that is continued are those that were read, whatever becomes of the file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "sweep/config_impl.h"

enum { MAX_BYTES = 1 << 30 };  /* 10^7 rows of ten numbers */

#define REPORT_FILE(report, setting, ...) \
    sw_report_add_at((report), SW_ERROR, \
                     (struct sw_report_place){(setting)->file, (setting)->line, (setting)->override}, __VA_ARGS__)

static bool is_text(const struct sw_setting *setting) { return setting && setting->kind == SW_SETTING_STRING; }

static void read_bytes(FILE *f, const struct sw_setting *file, struct sw_report *report, struct sw_text *text)
{
    char bytes[65536];
    size_t n;
    while ((n = fread(bytes, 1, sizeof bytes, f)) && text->length <= MAX_BYTES) sw_text_add_bytes(text, bytes, n);
    if (ferror(f)) REPORT_FILE(report, file, "'%s' = \"%s\": cannot be read: %s", file->path, file->text,
                               strerror(errno));
    else if (text->length > MAX_BYTES)
        REPORT_FILE(report, file, "'%s' = \"%s\" is larger than %d MiB", file->path, file->text, MAX_BYTES >> 20);
}

/* HDF5 files begin with it, or those of MATLAB behind a block of 512 bytes. */
static bool is_hdf5(FILE *f)
{
    char head[8];
    bool found = false;
    for (long at = 0; at <= 512 && !found; at += 512)
        found = !fseek(f, at, SEEK_SET) && fread(head, 1, 8, f) == 8 && !memcmp(head, "\211HDF\r\n\032\n", 8);
    rewind(f);
    return found;
}

static void read_columns(const struct sw_config *c, const struct sw_setting *file, struct sw_report *report,
                         struct sw_text *text)
{
    const struct sw_setting *dataset = sw_config_find(c, "table.dataset");
    const char *group = is_text(dataset) ? dataset->text : "/";
    if (sw_config_read_columns(file->text, group, text))
        REPORT_FILE(report, file, "'%s' = \"%s\": %s", file->path, file->text, sw_err_message());
}

static void read_file(const struct sw_config *c, const struct sw_setting *file, struct sw_report *report,
                      struct sw_text *text)
{
    const char *why = "out of memory";
    const bool piped = !strcmp(file->text, "-");
    char *path = sw_path_from_home(piped ? "/dev/stdin" : file->text);
    if (piped && isatty(STDIN_FILENO)) {
        REPORT_FILE(report, file, "'%s' = \"-\" reads the table from standard input, which is a terminal here: pipe "
                    "the rows into it, or name the output file instead of the config, which keeps them", file->path);
        sw_free(path);
        return;
    }
    FILE *f = path ? sw_open_to_read(path, &why) : NULL;
    if (!f) REPORT_FILE(report, file, "'%s' = \"%s\": cannot be read: %s", file->path, file->text, why);
    else if (!piped && is_hdf5(f)) read_columns(c, file, report, text);
    else read_bytes(f, file, report, text);
    if (f) fclose(f);
    sw_free(path);
}

/* Spreadsheets write a mark first, and lines that end as those of Windows or of the first Macs do. */
static void normalize(struct sw_text *text)
{
    char *to = text->data, *c = to;
    if (text->length >= 3 && !memcmp(c, "\xef\xbb\xbf", 3)) c += 3;
    for (; *c; c++) {
        if (*c == '\r' && c[1] == '\n') continue;
        *to++ = *c == '\r' ? '\n' : *c;
    }
    *to = 0;
    text->length = (size_t)(to - text->data);
}

/* Whether it is a text that a config can hold. */
static bool check_text(const struct sw_setting *file, struct sw_report *report, const struct sw_text *text)
{
    const char *bytes = sw_text_get(text);
    const size_t good = sw_text_utf8(bytes);
    int line = 1;
    if (text->length && !memcmp(bytes, "\xff\xfe", 2)) {
        REPORT_FILE(report, file, "'%s' = \"%s\" is UTF-16: save it as UTF-8", file->path, file->text);
        return false;
    }
    if (strlen(bytes) < text->length) {
        REPORT_FILE(report, file, "'%s' = \"%s\" is no text: it holds a zero byte", file->path, file->text);
        return false;
    }
    if (!bytes[good]) return true;
    for (size_t k = 0; k < good; k++) line += bytes[k] == '\n';
    sw_report_add(report, SW_ERROR, file->text, line, "byte 0x%02x is not UTF-8: save the file as UTF-8",
                  (unsigned char)bytes[good]);
    return false;
}

/* The setting as an -s: table.rows="a,b\n1,2\n". */
static enum sw_status add_override(struct sw_config *c, const struct sw_text *rows)
{
    struct sw_text text = {0};
    char **override;
    enum sw_status st;
    sw_text_add(&text, "table.rows=\"");
    for (const char *line = sw_text_get(rows); *line;) {
        const size_t plain = strcspn(line, "\n\"\\");
        sw_text_add_bytes(&text, line, plain);
        line += plain;
        if (*line) sw_text_add(&text, *line == '\n' ? "\\n" : *line == '"' ? "\\\"" : "\\\\");
        line += *line != 0;
    }
    sw_text_add(&text, "\"");
    SW_TRY_TO(done, st, sw_text_status(&text));
    SW_TRY_TO(done, st, sw_arena_take(c->arena, (size_t)c->noverride + 1, &override));
    if (c->noverride) memcpy(override, c->override, (size_t)c->noverride * sizeof *override);
    SW_TRY_TO(done, st, sw_arena_printf(c->arena, &override[c->noverride], "%s", sw_text_get(&text)));
    c->override = override;
    c->noverride++;
done:
    sw_text_free(&text);
    return st;
}

/* The member of a group with a new value; a missing one is added. */
static enum sw_status set_member(struct sw_arena *arena, struct sw_setting *group, const struct sw_setting *value)
{
    struct sw_setting **child, *copy;
    SW_TRY(sw_arena_take(arena, 1, &copy));
    *copy = *value;
    for (int k = 0; k < group->count; k++)
        if (!strcmp(group->child[k]->name, value->name)) { group->child[k] = copy; return SW_OK; }
    SW_TRY(sw_arena_take(arena, (size_t)group->count + 1, &child));
    if (group->count) memcpy(child, group->child, (size_t)group->count * sizeof *child);
    child[group->count++] = copy;
    group->child = child;
    return SW_OK;
}

static enum sw_status set_rows(struct sw_config *c, const struct sw_setting *file, const struct sw_text *rows)
{
    const struct sw_setting empty = {.name = "table", .path = "table", .kind = SW_SETTING_GROUP, .file = file->file,
                                     .line = file->line};
    struct sw_setting value = {.name = "rows", .path = "table.rows", .kind = SW_SETTING_STRING, .file = file->text};
    char *text;
    if (!sw_config_find(c, "table")) SW_TRY(set_member(c->arena, c->root, &empty));
    struct sw_setting *table = (struct sw_setting *)sw_config_find(c, "table");
    if (table->kind != SW_SETTING_GROUP) return SW_OK;  /* refused with the keys */
    SW_TRY(add_override(c, rows));
    SW_TRY(sw_arena_printf(c->arena, &text, "%s", sw_text_get(rows)));
    value.text = text;
    value.override = c->noverride;
    return set_member(c->arena, table, &value);
}

enum sw_status sw_config_read_rows(struct sw_config *c, struct sw_report *report)
{
    const struct sw_setting *mode = sw_config_find(c, "sweep.mode"), *file = sw_config_find(c, "sweep.file"),
                            *rows = sw_config_find(c, "table.rows");
    struct sw_text text = {0};
    const int errors = report->errors;
    enum sw_status st = SW_OK;
    if (!is_text(mode) || strcmp(mode->text, "table") || !is_text(file) || !*file->text) return SW_OK;
    if (rows && rows->override >= file->override) return SW_OK;
    read_file(c, file, report, &text);
    if (report->errors == errors && !(st = sw_text_status(&text)) && check_text(file, report, &text)) {
        if (text.length) normalize(&text);
        st = set_rows(c, file, &text);
    }
    sw_text_free(&text);
    return st;
}
