/* The table of sweep.mode = "table" in an HDF5 file, as the text that a CSV file would have: one way leads from rows to
 * runs, whatever they come from, and the output file keeps them in one form. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "input/sw_arrays.h"
#include "sweep/config_impl.h"

enum { MOST_COLUMNS = 1000 };
static const int64_t MOST_ROWS = 10000000;

struct column { char *name; struct sw_array array; double *value; };

struct columns {
    struct sw_arrays *input;
    const char   *group;        /* "" of the root, or "/runs"                                    */
    int           count;
    struct column column[MOST_COLUMNS];
    bool          full, failed; /* more than fit; out of memory                                  */
};

static const char *last_part(const char *name) { return strrchr(name, '/') + 1; }

static void note_column(void *user, const char *name)
{
    struct columns *c = user;
    const size_t length = strlen(c->group);
    if (strncmp(name, c->group, length) || name[length] != '/' || strchr(name + length + 1, '/')) return;
    c->full |= c->count == MOST_COLUMNS;
    if (c->full) return;
    c->failed |= !(c->column[c->count].name = sw_strdup(name));
    c->count += !c->failed;
}

static bool has_quotes(const struct column *c) { return strchr(last_part(c->name), '"'); }

static void drop_column(struct columns *c, int k)
{
    sw_free(c->column[k].name);
    memmove(&c->column[k], &c->column[k + 1], (size_t)(--c->count - k) * sizeof *c->column);
}

/* Columns are numbers in one dimension; of the results of a sweep, its axes. */
static enum sw_status pick_columns(struct columns *c)
{
    bool results = false;
    for (int k = 0; k < c->count;) {
        struct sw_array *a = &c->column[k].array;
        const enum sw_status st = sw_arrays_find_box(c->input, c->column[k].name, a);
        if (st == SW_E_MEMORY || st == SW_E_IO) return st;
        if (st || a->rank != 1) drop_column(c, k);
        else results |= c->column[k++].array.parameter;
    }
    for (int k = 0; results && k < c->count;)
        if (c->column[k].array.parameter) k++;
        else drop_column(c, k);
    return SW_OK;
}

static enum sw_status find_columns(struct columns *c, const char *group)
{
    struct sw_text names = SW_SHORT_TEXT;
    sw_arrays_each(c->input, note_column, c);
    if (c->failed) return SW_FAIL(SW_E_MEMORY, "out of memory");
    if (c->full) return SW_FAIL(SW_E_CONFIG, "it has more than %d datasets; table.dataset names a group", MOST_COLUMNS);
    SW_TRY(pick_columns(c));
    sw_arrays_list(c->input, &names);
    if (!c->count)
        return SW_FAIL(SW_E_CONFIG, "'%s' has no numbers in one dimension, which columns of a table are; table.dataset "
                       "names their group, or a dataset of compounds; there is:%s", group, sw_text_get(&names));
    for (int k = 0; k < c->count; k++)
        if (has_quotes(&c->column[k]))
            return SW_FAIL(SW_E_CONFIG, "'%s' has quotes in its name, which no axis can have; rename it",
                           c->column[k].name);
    for (int k = 1; k < c->count; k++)
        if (c->column[k].array.n != c->column[0].array.n)
            return SW_FAIL(SW_E_CONFIG, "'%s' has %lld numbers, and '%s' has %lld: columns of a table are of one "
                           "length; table.dataset names their group", c->column[0].name,
                           (long long)c->column[0].array.n, c->column[k].name, (long long)c->column[k].array.n);
    if (c->column[0].array.n > MOST_ROWS)
        return SW_FAIL(SW_E_CONFIG, "it has %lld rows, more than %lld", (long long)c->column[0].array.n,
                       (long long)MOST_ROWS);
    return SW_OK;
}

static enum sw_status read_columns(struct columns *c)
{
    for (int k = 0; k < c->count; k++) {
        struct column *one = &c->column[k];
        SW_TRY(sw_alloc((size_t)one->array.n, &one->value));
        SW_TRY(sw_arrays_read_box(c->input, &one->array, &(int64_t){0}, &one->array.n, one->value));
        for (int64_t j = 0; j < one->array.n; j++)
            if (!isfinite(one->value[j]))
                return SW_FAIL(SW_E_CONFIG, "'%s': number %lld is %s", one->name, (long long)j + 1,
                               isnan(one->value[j]) ? "missing, or not a number" : "not finite");
    }
    return SW_OK;
}

static enum sw_status write_text(const struct columns *c, struct sw_text *text)
{
    char number[32];
    for (int k = 0; k < c->count; k++)
        sw_text_printf(text, "%s\"%s\"", k ? "," : "", last_part(c->column[k].name));
    for (int64_t j = 0; j < c->column[0].array.n; j++)
        for (int k = 0; k < c->count; k++) {
            sw_text_add(text, k ? "," : "\n");
            sw_text_add(text, sw_number(c->column[k].value[j], number));
        }
    sw_text_add(text, "\n");
    return sw_text_status(text);
}

enum sw_status sw_config_read_columns(const char *path, const char *group, struct sw_text *text)
{
    struct columns *c;
    struct sw_text prefix = {0};
    size_t length = strlen(group);
    enum sw_status st;
    SW_TRY(sw_alloc(1, &c));
    while (length && group[length - 1] == '/') length--;
    sw_text_printf(&prefix, "%s%.*s", length && *group != '/' ? "/" : "", (int)length, group);
    SW_TRY_TO(done, st, sw_text_status(&prefix));
    c->group = sw_text_get(&prefix);
    SW_TRY_TO(done, st, sw_arrays_open(path, &c->input));
    if (sw_arrays_kind(c->input) != SW_ARRAYS_DATASETS) {
        st = SW_FAIL(SW_E_CONFIG, "it is a Matrix Market file; a table is CSV or HDF5");
        goto done;
    }
    SW_TRY_TO(done, st, find_columns(c, *c->group ? c->group : "/"));
    SW_TRY_TO(done, st, read_columns(c));
    st = write_text(c, text);
done:
    for (int k = 0; k < c->count; k++) {
        sw_free(c->column[k].name);
        sw_free(c->column[k].value);
    }
    sw_arrays_close(&c->input);
    sw_text_free(&prefix);
    sw_free(c);
    return st;
}
