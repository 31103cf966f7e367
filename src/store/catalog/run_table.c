#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "store/catalog/run_table_impl.h"
#include "sweep/sw_refine.h"

static char no_message[] = "";  /* shared by all rows that have none */

static enum sw_status alloc_params(struct sw_run_table *t, int nparam)
{
    t->nparam = nparam;
    SW_TRY(sw_alloc((size_t)nparam, &t->param_name));
    SW_TRY(sw_alloc((size_t)nparam, &t->nword));
    SW_TRY(sw_alloc((size_t)nparam, &t->word));
    SW_TRY(sw_alloc((size_t)nparam, &t->own->index));
    return sw_alloc((size_t)nparam * (size_t)t->nruns, &t->param);
}

static enum sw_status alloc_rows(struct sw_run_table *t)
{
    size_t n = (size_t)t->nruns;
    SW_TRY(sw_alloc(n, &t->index));
    SW_TRY(sw_alloc(n, &t->id));
    SW_TRY(sw_alloc((size_t)sw_run_ncolumns, &t->column));
    SW_TRY(sw_alloc(n, &t->message));
    for (size_t j = 0; j < n; j++) t->message[j] = no_message;
    return SW_OK;
}

enum sw_status sw_run_table_alloc(int64_t nruns, int nparam, struct sw_run_table **table)
{
    struct sw_run_table *t;
    *table = NULL;
    SW_TRY(sw_alloc(1, &t));
    t->nruns = nruns;
    enum sw_status st = sw_alloc(1, &t->own);
    if (!st) st = alloc_rows(t);
    if (!st) st = alloc_params(t, nparam);
    if (st) sw_run_table_free(&t);
    *table = t;
    return st;
}

/* ---- results */
static void **values_of(const struct sw_run_table *t, const struct sw_run_column *c)
{
    return &t->column[c - sw_run_columns];
}

static void *value_at(void *values, const struct sw_run_column *c, int64_t row)
{
    return (char *)values + (size_t)row * c->size;
}

enum sw_status sw_run_table_add_column(struct sw_run_table *t, const struct sw_run_column *c)
{
    char *values;
    if (*values_of(t, c)) return SW_OK;
    const struct sw_run_row empty = sw_run_row_empty();
    SW_TRY(sw_alloc((size_t)t->nruns * c->size, &values));
    const size_t bytes = (size_t)t->nruns * c->size;
    if (bytes) sw_run_column_get(c, &empty, values);
    for (size_t done = c->size; done < bytes; done *= 2)
        memcpy(values + done, values, done < bytes - done ? done : bytes - done);
    *values_of(t, c) = values;
    return SW_OK;
}

void sw_run_table_set_row(struct sw_run_table *t, int64_t row, const struct sw_run_row *results)
{
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++)
        if (*values_of(t, c)) sw_run_column_get(c, results, value_at(*values_of(t, c), c, row));
}

struct sw_run_row sw_run_table_row(const struct sw_run_table *t, int64_t row)
{
    struct sw_run_row results = sw_run_row_empty();
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++)
        if (*values_of(t, c)) sw_run_column_set(c, &results, value_at(*values_of(t, c), c, row));
    return results;
}

const void *sw_run_table_value(const struct sw_run_table *t, const struct sw_run_column *c, int64_t row)
{
    return value_at(*values_of(t, c), c, row);
}

bool sw_run_table_has(const struct sw_run_table *t, const char *column)
{
    return *values_of(t, sw_run_column_find(column));
}

enum sw_run_status sw_run_table_status(const struct sw_run_table *t, int64_t row)
{
    const struct sw_run_column *c = sw_run_column_find("status");  /* the first one */
    void *const values = *values_of(t, c);
    return values ? (enum sw_run_status)*(unsigned char *)value_at(values, c, row) : SW_RUN_PENDING;
}

int64_t sw_run_table_find(const struct sw_run_table *t, int64_t index)
{
    int64_t low = 0, high = t->nruns;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (t->index[middle] < index) low = middle + 1;
        else high = middle;
    }
    return low < t->nruns && t->index[low] == index ? low : -1;
}

/* ---- parameters */
enum sw_status sw_run_table_set_param(struct sw_run_table *t, int k, const char *name)
{
    return (t->param_name[k] = sw_strdup(name)) ? SW_OK : SW_E_MEMORY;
}

/* FNV-1a, begun with an address, which nobody knows who writes words for a table. */
static uint64_t hash_word(const struct sw_word_index *x, const char *word)
{
    uint64_t h = 0xcbf29ce484222325u ^ (uintptr_t)x;
    for (; *word; word++) h = (h ^ (unsigned char)*word) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* The slot of a word, or the free one where it belongs. */
static int *find_slot(const struct sw_run_table *t, int k, const char *word)
{
    const struct sw_word_index *x = &t->own->index[k];
    const uint64_t mask = (uint64_t)x->slots - 1;
    uint64_t at = hash_word(x, word) & mask;
    while (x->slot[at] && strcmp(t->word[k][x->slot[at] - 1], word)) at = (at + 1) & mask;
    return &x->slot[at];
}

/* Room for one word more, in the list and in its index. */
static enum sw_status make_room(struct sw_run_table *t, int k)
{
    enum { LEAST = 16 };
    struct sw_word_index *x = &t->own->index[k];
    if (2 * (t->nword[k] + 1) <= x->slots) return SW_OK;
    const int slots = x->slots ? 2 * x->slots : LEAST;
    SW_TRY(sw_resize((size_t)(x->slots / 2), (size_t)(slots / 2), &t->word[k]));
    sw_free(x->slot);
    *x = (struct sw_word_index){0};
    SW_TRY(sw_alloc((size_t)slots, &x->slot));
    x->slots = slots;
    for (int w = 0; w < t->nword[k]; w++) *find_slot(t, k, t->word[k][w]) = w + 1;
    return SW_OK;
}

/* The next word, also if it is there before. */
static enum sw_status add_word(struct sw_run_table *t, int k, const char *word)
{
    SW_TRY(make_room(t, k));
    char *copy = sw_strdup(word);
    if (!copy) return SW_E_MEMORY;
    int *slot = find_slot(t, k, word);
    t->word[k][t->nword[k]++] = copy;
    if (!*slot) *slot = t->nword[k];
    return SW_OK;
}

enum sw_status sw_run_table_word(struct sw_run_table *t, int k, const char *word, double *number)
{
    const int there = t->own->index[k].slots ? *find_slot(t, k, word) : 0;
    *number = there ? there - 1 : t->nword[k];
    return there ? SW_OK : add_word(t, k, word);
}

const char *sw_run_id_text(uint64_t id, char text[SW_RUN_ID])
{
    snprintf(text, SW_RUN_ID, "%016llx", (unsigned long long)id);
    return text;
}

void sw_run_ranges_add(struct sw_text *t, int64_t first, int64_t last)
{
    if (t->length > 200) return;
    sw_text_printf(t, "%s%lld", t->length ? ", " : "", (long long)first);
    if (last > first) sw_text_printf(t, "..%lld", (long long)last);
}

enum sw_status sw_run_table_set_message(struct sw_run_table *t, int64_t row, const char *text)
{
    if (!text[0]) return SW_OK;
    char *copy = sw_strdup(text);
    if (!copy) return SW_E_MEMORY;
    t->message[row] = copy;
    return SW_OK;
}

enum sw_status
sw_run_table_columns(const struct sw_sweep *sweep, const int64_t *run, int64_t nruns,
                     enum sw_status (*use)(void *user, int64_t first, int64_t count, const double *column), void *user)
{
    enum { RUNS_AT_ONCE = 4096 };
    enum sw_status st = SW_OK;
    double *column;
    SW_TRY(sw_alloc((size_t)sweep->ncolumn * (size_t)(nruns < RUNS_AT_ONCE ? nruns : RUNS_AT_ONCE), &column));
    for (int64_t first = 0; first < nruns && !st; first += RUNS_AT_ONCE) {
        int64_t count = nruns - first < RUNS_AT_ONCE ? nruns - first : RUNS_AT_ONCE;
        st = sw_sweep_columns(sweep, run + first, first, count, column);
        if (!st) st = use(user, first, count, column);
    }
    sw_free(column);
    return st;
}

struct filling { struct sw_run_table *table; const struct sw_sweep *sweep; };

static enum sw_status fill_params(void *user, int64_t first, int64_t count, const double *column)
{
    const struct filling *f = user;
    for (int k = 0; k < f->sweep->naxis; k++)
        memcpy(f->table->param + (size_t)k * (size_t)f->table->nruns + first,
               column + (size_t)f->sweep->axis[k].column * (size_t)count, (size_t)count * sizeof *column);
    return SW_OK;
}

/* What the sweep says of a run, not its result: a run of another file may not have it. */
static enum sw_status set_levels(struct sw_run_table *t, const struct sw_sweep *sweep)
{
    const struct sw_run_column *c = sw_run_column_find("refine_level");
    if (!sweep->refine) return SW_OK;
    SW_TRY(sw_run_table_add_column(t, c));
    for (int64_t j = 0; j < t->nruns; j++)
        ((int64_t *)*values_of(t, c))[j] = sw_sweep_refine_level(sweep, t->index[j]);
    return SW_OK;
}

enum sw_status sw_run_table_set_sweep(struct sw_run_table *t, const struct sw_sweep *sweep)
{
    SW_TRY(set_levels(t, sweep));
    for (int k = 0; k < sweep->naxis; k++) {
        const struct sw_column *c = &sweep->column[sweep->axis[k].column];
        SW_TRY(sw_run_table_set_param(t, k, c->name));
        for (int w = 0; w < c->nword; w++) SW_TRY(add_word(t, k, c->word[w]));
    }
    return sw_run_table_columns(sweep, t->index, t->nruns, fill_params, &(struct filling){t, sweep});
}

char *sw_run_table_coordinates(const struct sw_run_table *t)
{
    struct sw_text text = {0};
    for (int k = 0; k < t->nparam; k++) sw_text_printf(&text, "%s%s", k ? " " : "", t->param_name[k]);
    return sw_text_take(&text);
}

enum sw_status sw_run_table_take_metadata(struct sw_run_table *t, struct sw_metadata *metadata)
{
    struct sw_metadata *f = &t->own->metadata;
    *f = *metadata;
    *metadata = (struct sw_metadata){0};
    t->sweep_runs = f->runs;
    t->title = f->text[SW_METADATA_TITLE];
    t->problem = f->text[SW_METADATA_PROBLEM];
    t->source = f->text[SW_METADATA_SOURCE];
    t->history = f->text[SW_METADATA_HISTORY];
    t->sweep_id = f->text[SW_METADATA_SWEEP_ID];
    t->config_sha256 = f->text[SW_METADATA_CONFIG_HASH];
    t->config_text = f->config_text;
    t->solver = f->text[SW_METADATA_SOLVER];
    t->device = f->text[SW_METADATA_DEVICE];
    t->math_library = f->text[SW_METADATA_MATH];
    t->override = f->override;
    t->noverride = f->noverride;
    const char *statistics = f->text[SW_METADATA_STATISTICS];
    return sw_statistics_parse(statistics ? statistics : "", &t->own->statistics);
}

const struct sw_statistics *sw_run_table_statistics(const struct sw_run_table *t) { return &t->own->statistics; }

const char *sw_run_table_dropped(const struct sw_run_table *t)
{
    const char *text = t->own->metadata.text[SW_METADATA_DROPPED];
    return text ? text : "";
}

enum sw_status sw_run_table_set_dropped(struct sw_run_table *t, bool fields, bool scalars)
{
    char **text = &t->own->metadata.text[SW_METADATA_DROPPED];
    sw_free(*text);
    *text = sw_strdup(fields && scalars ? "fields scalars" : fields ? "fields" : scalars ? "scalars" : "");
    return *text ? SW_OK : SW_E_MEMORY;
}

struct sw_sweep_identity sw_run_table_identity(const struct sw_run_table *t)
{
    struct sw_sweep_identity of = {0};
    memcpy(of.sweep_id, t->sweep_id, strnlen(t->sweep_id, sizeof of.sweep_id - 1));
    memcpy(of.config_sha256, t->config_sha256, strnlen(t->config_sha256, sizeof of.config_sha256 - 1));
    return of;
}

static void free_params(struct sw_run_table *t)
{
    for (int k = 0; k < t->nparam; k++) {
        if (t->param_name) sw_free(t->param_name[k]);
        for (int w = 0; t->nword && t->word && w < t->nword[k]; w++) sw_free(t->word[k][w]);
        if (t->word) sw_free(t->word[k]);
    }
    sw_free(t->param_name);
    sw_free(t->nword);
    sw_free(t->word);
}

void sw_run_table_drop_params(struct sw_run_table *t)
{
    sw_free(t->param);
    t->param = NULL;
}

void sw_run_table_drop_values(struct sw_run_table *t)
{
    for (int64_t j = 0; t->message && j < t->nruns; j++)
        if (t->message[j] != no_message) sw_free(t->message[j]);
    for (int k = 0; t->column && k < sw_run_ncolumns; k++) sw_free(t->column[k]);
    sw_free(t->message);
    sw_free(t->column);
    t->message = NULL;
    t->column = NULL;
    sw_run_table_drop_params(t);
}

void sw_run_table_drop_results(struct sw_run_table *t)
{
    sw_run_table_drop_values(t);
    sw_free(t->index);
    sw_free(t->id);
    t->index = NULL;
    t->id = NULL;
}

void sw_run_table_free(struct sw_run_table **table)
{
    struct sw_run_table *t = table ? *table : NULL;
    if (!t) return;
    sw_run_table_drop_results(t);
    free_params(t);
    for (int k = 0; k < t->nscalar; k++) {
        sw_free(t->scalar[k].name);
        sw_free(t->scalar[k].last);
    }
    sw_free(t->scalar);
    if (t->own) {
        for (int k = 0; t->own->index && k < t->nparam; k++) sw_free(t->own->index[k].slot);
        sw_free(t->own->index);
        sw_metadata_free(&t->own->metadata);
        sw_statistics_free(&t->own->statistics);
    }
    sw_free(t->own);
    sw_free(t);
    *table = NULL;
}
