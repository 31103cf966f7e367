#include "store/catalog/part_index.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"

/* "part-000012.h5 INODE BYTES SECONDS NANOSECONDS RUNS ID:STATUS ... #SUM", of which the sum (FNV-1a) is that of all
 * before it: several processes may append at once, on a file system that mixes what they write. */
enum { LONGEST = 128 + 20 * SW_PART_INDEX_RUNS };

struct line { const char *name, *rest; };
struct sw_part_index { char *text; int count; struct line *line; };  /* lines by name, of those of one name the last */

static uint64_t sum_of(const char *text, size_t length)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t k = 0; k < length; k++) sum = (sum ^ (unsigned char)text[k]) * 0x100000001b3u;
    return sum;
}

static const char *name_of(const char *part)
{
    const char *slash = strrchr(part, '/');
    return slash ? slash + 1 : part;
}

/* ------------------------------------------------------------------ written */

void sw_part_index_add(const char *part, int count, const uint64_t *id, const struct sw_run_result *result)
{
    struct sw_file_version is;
    struct sw_text text = {0}, path = {0};
    const char *name = name_of(part);
    if (count > SW_PART_INDEX_RUNS || sw_files_version(part, &is)) return;
    sw_text_printf(&text, "%s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d", name, is.inode, is.bytes,
                   is.seconds, is.nanoseconds, count);
    for (int j = 0; j < count; j++) sw_text_printf(&text, " %016" PRIx64 ":%d", id[j], (int)result[j].row.status);
    sw_text_printf(&text, " #%016" PRIx64 "\n", sum_of(sw_text_get(&text), text.length));
    sw_text_printf(&path, "%.*sindex", (int)(name - part), part);
    const int fd = open(sw_text_get(&path), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd >= 0) {
        (void)!write(fd, sw_text_get(&text), text.length);
        close(fd);
    }
    sw_text_free(&text);
    sw_text_free(&path);
}

void sw_part_index_remove(const char *file)
{
    char *path = sw_files_name(file, ".d/index");
    if (path) unlink(path);
    sw_free(path);
}

/* ------------------------------------------------------------------ read */

static int by_name(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : x->name < y->name ? -1 : 1;
}

/* Add a line, which ends with 0, if it is one. */
static void add_line(struct sw_part_index *x, char *text)
{
    char *sum = strrchr(text, '#'), *space = strchr(text, ' '), *end;
    if (!sum || sum == text || !space || sum - text > LONGEST) return;
    if (strtoull(sum + 1, &end, 16) != sum_of(text, (size_t)(sum - text) - 1) || *end) return;
    *space = 0;
    x->line[x->count++] = (struct line){text, space + 1};
}

static enum sw_status split_lines(struct sw_part_index *x)
{
    size_t lines = 0;
    for (const char *at = x->text; (at = strchr(at, '\n')); at++) lines++;
    SW_TRY(sw_alloc(lines, &x->line));
    for (char *at = x->text, *end; (end = strchr(at, '\n')); at = end + 1) {
        *end = 0;
        add_line(x, at);
    }
    qsort(x->line, (size_t)x->count, sizeof *x->line, by_name);
    return SW_OK;
}

static enum sw_status read_text(FILE *from, struct sw_text *text)
{
    enum { PIECE = 1 << 16 };
    char *piece;
    SW_TRY(sw_alloc(PIECE, &piece));
    for (size_t got; (got = fread(piece, 1, PIECE, from));) sw_text_add_bytes(text, piece, got);
    sw_free(piece);
    return sw_text_status(text);
}

enum sw_status sw_part_index_read(const char *file, struct sw_part_index **index)
{
    struct sw_text text = {0};
    struct sw_part_index *x = NULL;
    const char *why;
    *index = NULL;
    char *path = sw_files_name(file, ".d/index");
    if (!path) return SW_E_MEMORY;
    FILE *from = sw_open_to_read(path, &why);
    sw_free(path);
    if (!from) return SW_OK;
    enum sw_status st = read_text(from, &text);
    fclose(from);
    if (!st) st = sw_alloc(1, &x);
    if (!st && !(x->text = sw_text_take(&text))) st = SW_E_MEMORY;
    if (!st) st = split_lines(x);
    if (st) sw_part_index_free(&x);
    sw_text_free(&text);
    *index = x;
    return st;
}

void sw_part_index_free(struct sw_part_index **index)
{
    struct sw_part_index *x = *index;
    if (!x) return;
    sw_free(x->text);
    sw_free(x->line);
    sw_free(x);
    *index = NULL;
}

/* The last line of the name. */
static const char *find_line(const struct sw_part_index *x, const char *name)
{
    int low = 0, high = x->count;
    while (low < high) {  /* the first line behind those of the name */
        const int middle = (low + high) / 2;
        if (strcmp(x->line[middle].name, name) <= 0) low = middle + 1;
        else high = middle;
    }
    return low > 0 && !strcmp(x->line[low - 1].name, name) ? x->line[low - 1].rest : NULL;
}

/* Whether all the runs of a line are there. @param at  behind the number of runs */
static bool read_runs(const char *at, struct sw_run_table *t)
{
    struct sw_run_row row = sw_run_row_empty();
    for (int64_t j = 0; j < t->nruns; j++) {
        char *end;
        const uint64_t id = strtoull(at, &end, 16);
        const int status = *end == ':' ? end[1] - '0' : -1;
        if (status <= SW_RUN_PENDING || status >= SW_RUN_STATUSES) return false;
        row.status = (enum sw_run_status)status;
        sw_run_table_set_row(t, j, &row);
        t->id[j] = id;
        at = end + 2;
    }
    return true;
}

static enum sw_status make_input(const char *part, int count, const char *runs, struct sw_input_file *in, bool *found)
{
    if (!(in->path = sw_strdup(part))) return SW_E_MEMORY;
    SW_TRY(sw_run_table_alloc(count, 0, &in->table));
    SW_TRY(sw_run_table_add_column(in->table, sw_run_column_find("status")));
    SW_TRY(sw_alloc((size_t)count, &in->data_group_of));
    SW_TRY(sw_alloc((size_t)count, &in->row_of));
    for (int j = 0; j < count; j++) in->data_group_of[j] = -1;
    *found = read_runs(runs, in->table);
    return SW_OK;
}

enum sw_status sw_part_index_input(const struct sw_part_index *x, const char *part, struct sw_input_file *in,
                                   bool *found)
{
    struct sw_file_version was = {0}, is;
    int count = 0, used = 0;
    *found = false;
    const char *rest = x ? find_line(x, name_of(part)) : NULL;
    if (!rest || sw_files_version(part, &is)) return SW_OK;
    was.device = is.device;
    if (sscanf(rest, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %d%n", &was.inode, &was.bytes, &was.seconds,
               &was.nanoseconds, &count, &used) != 5) return SW_OK;
    if (!sw_files_same_version(&was, &is) || count < 1 || count > SW_PART_INDEX_RUNS) return SW_OK;
    *in = (struct sw_input_file){.version = is};
    const enum sw_status st = make_input(part, count, rest + used, in, found);
    if (st || !*found) sw_input_file_free(in);
    return st;
}
