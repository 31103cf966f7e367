#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "output/run_table_impl.h"

static char no_message[] = "";  /* shared by all rows that have none */

static enum sw_status alloc_params(struct sw_run_table *t, int nparam)
{
    t->nparam = nparam;
    SW_TRY(sw_alloc((size_t)nparam, &t->param_name));
    SW_TRY(sw_alloc((size_t)nparam, &t->nword));
    SW_TRY(sw_alloc((size_t)nparam, &t->word));
    return sw_alloc((size_t)nparam * (size_t)t->nruns, &t->param);
}

static enum sw_status alloc_rows(struct sw_run_table *t)
{
    size_t n = (size_t)t->nruns;
    SW_TRY(sw_alloc(n, &t->index));
    SW_TRY(sw_alloc(n, &t->id));
    SW_TRY(sw_alloc(n, &t->row));
    SW_TRY(sw_alloc((size_t)sw_run_ncolumns, &t->has));
    SW_TRY(sw_alloc(n, &t->run_id));
    SW_TRY(sw_alloc(n, &t->message));
    SW_TRY(sw_alloc(n, &t->own->id_text));
    for (size_t j = 0; j < n; j++) {
        t->run_id[j] = t->own->id_text[j];
        t->message[j] = no_message;
    }
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

enum sw_status sw_run_table_set_param(struct sw_run_table *t, int k, const char *name)
{
    return (t->param_name[k] = sw_strdup(name)) ? SW_OK : SW_E_MEMORY;
}

static enum sw_status add_word(struct sw_run_table *t, int k, const char *word)
{
    size_t n = (size_t)t->nword[k];
    SW_TRY(sw_resize(n, n + 1, &t->word[k]));
    if (!(t->word[k][n] = sw_strdup(word))) return SW_E_MEMORY;
    t->nword[k]++;
    return SW_OK;
}

enum sw_status sw_run_table_word(struct sw_run_table *t, int k, const char *word, double *number)
{
    for (int w = 0; w < t->nword[k]; w++)
        if (!strcmp(t->word[k][w], word)) { *number = w; return SW_OK; }
    *number = t->nword[k];
    return add_word(t, k, word);
}

void sw_run_table_set_id(struct sw_run_table *t, int64_t row, uint64_t id)
{
    t->id[row] = id;
    snprintf(t->own->id_text[row], sizeof t->own->id_text[row], "%016llx", (unsigned long long)id);
}

enum sw_status sw_run_table_set_message(struct sw_run_table *t, int64_t row, const char *text)
{
    if (!text[0]) return SW_OK;
    char *copy = sw_strdup(text);
    if (!copy) return SW_E_MEMORY;
    t->message[row] = copy;
    return SW_OK;
}

enum sw_status sw_run_table_copy_row(struct sw_run_table *to, int64_t i, const struct sw_run_table *from, int64_t j)
{
    sw_run_table_set_id(to, i, from->id[j]);
    to->row[i] = from->row[j];
    for (int k = 0; k < sw_run_ncolumns; k++) to->has[k] |= from->has[k];
    return sw_run_table_set_message(to, i, from->message[j]);
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

enum sw_status sw_run_table_set_sweep(struct sw_run_table *t, const struct sw_sweep *sweep)
{
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

void sw_run_table_take_metadata(struct sw_run_table *t, struct sw_metadata *metadata)
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
    t->override = f->override;
    t->noverride = f->noverride;
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
    sw_free(t->param);
}

static void free_rows(struct sw_run_table *t)
{
    for (int64_t j = 0; t->message && j < t->nruns; j++)
        if (t->message[j] != no_message) sw_free(t->message[j]);
    sw_free(t->index);
    sw_free(t->id);
    sw_free(t->row);
    sw_free(t->has);
    sw_free(t->run_id);
    sw_free(t->message);
}

void sw_run_table_free(struct sw_run_table **table)
{
    struct sw_run_table *t = table ? *table : NULL;
    if (!t) return;
    free_params(t);
    free_rows(t);
    if (t->own) {
        sw_metadata_free(&t->own->metadata);
        sw_free(t->own->id_text);
    }
    sw_free(t->own);
    sw_free(t);
    *table = NULL;
}
