/* The run table of the runs in a catalog. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/catalog/catalog.h"
#include "store/files/sw_output.h"

static enum sw_status copy_row(const struct sw_catalog *c, int64_t slice, struct sw_run_table *t, int64_t row)
{
    const struct sw_run_slice *l = &c->slice[slice];
    const struct sw_run_table *from = c->input[l->input].table;
    struct sw_run_row results = sw_run_table_row(from, l->row);
    for (int64_t k = l->previous; k >= 0; k = c->slice[k].previous) {
        const struct sw_run_row earlier = sw_run_table_row(c->input[c->slice[k].input].table, c->slice[k].row);
        sw_run_row_add(&results, &earlier);
    }
    sw_run_table_set_row(t, row, &results);
    t->id[row] = from->id[l->row];
    return sw_run_table_set_message(t, row, from->message[l->row]);
}

/* Those of any of the rows. */
static enum sw_status add_columns(const struct sw_catalog *c, const int64_t *slice, struct sw_run_table *t)
{
    for (int64_t row = 0; row < t->nruns; row++) {
        const struct sw_run_table *from = c->input[c->slice[slice[row]].input].table;
        for (int k = 0; k < sw_run_ncolumns; k++)
            if (from->column[k]) SW_TRY(sw_run_table_add_column(t, &sw_run_columns[k]));
    }
    return SW_OK;
}

static int find_param(const struct sw_run_table *t, const char *name)
{
    for (int k = 0; k < t->nparam; k++)
        if (!strcmp(t->param_name[k], name)) return k;
    return -1;
}

/* Parameter k of a row as the inputs have it, NaN where they do not know it. */
static enum sw_status copy_param(const struct sw_catalog *c, int64_t slice, struct sw_run_table *t, int64_t row, int k)
{
    const struct sw_run_slice *l = &c->slice[slice];
    const struct sw_run_table *from = c->input[l->input].table;
    int j = find_param(from, t->param_name[k]);
    double *to = &t->param[(size_t)k * (size_t)t->nruns + (size_t)row];
    *to = j < 0 ? NAN : from->param[(size_t)j * (size_t)from->nruns + (size_t)l->row];
    if (j >= 0 && from->nword[j]) return sw_run_table_word(t, k, from->word[j][(int)*to], to);
    return j < 0 && t->nword[k] ? sw_run_table_word(t, k, "", to) : SW_OK;
}

static enum sw_status copy_params(const struct sw_catalog *c, const int64_t *slice, struct sw_run_table *t)
{
    const struct sw_run_table *newest = c->input[c->ninput - 1].table;
    for (int k = 0; k < t->nparam; k++) {
        SW_TRY(sw_run_table_set_param(t, k, newest->param_name[k]));
        for (int64_t row = 0; row < t->nruns; row++) SW_TRY(copy_param(c, slice[row], t, row, k));
    }
    return SW_OK;
}

static enum sw_status join_metadata(const struct sw_catalog *c, const struct sw_sweep *sweep, struct sw_run_table *t)
{
    struct sw_metadata f = {0};
    enum sw_status st = SW_OK;
    for (int k = 0; k < c->ninput && !st; k++) st = sw_metadata_join(&f, &c->input[k].table->own->metadata);
    if (!st && sweep) st = sw_metadata_set_sweep(&f, sweep);
    if (st) sw_metadata_free(&f);
    else sw_run_table_take_metadata(t, &f);
    return st;
}

static enum sw_status fill_table(const struct sw_catalog *c, const struct sw_sweep *sweep, const int64_t *index,
                                 const int64_t *slice, struct sw_run_table *t)
{
    memcpy(t->index, index, (size_t)t->nruns * sizeof *index);
    SW_TRY(add_columns(c, slice, t));
    for (int64_t row = 0; row < t->nruns; row++) SW_TRY(copy_row(c, slice[row], t, row));
    SW_TRY(sweep ? sw_run_table_set_sweep(t, sweep) : copy_params(c, slice, t));
    return join_metadata(c, sweep, t);
}

enum sw_status sw_catalog_table(const struct sw_catalog *c, bool ended_only, const struct sw_sweep *sweep,
                                struct sw_run_table **table, int64_t **slice)
{
    int64_t *from = NULL, *index = NULL, rows = 0;
    *table = NULL;
    enum sw_status st = sw_alloc((size_t)c->nselected, &from);
    if (!st) st = sw_alloc((size_t)c->nselected, &index);
    for (int64_t j = 0; j < c->nselected && !st; j++) {
        const struct sw_catalog_entry *f = sw_catalog_find(c, c->selected[j].id);
        int64_t l = !f ? -1 : ended_only ? f->ended : sw_catalog_entry_slice(f);
        if (l < 0) continue;
        index[rows] = c->selected[j].index;
        from[rows++] = l;
    }
    int nparam = sweep ? sweep->naxis : c->ninput ? c->input[c->ninput - 1].table->nparam : 0;
    if (!st) st = sw_run_table_alloc(rows, nparam, table);
    if (!st) st = fill_table(c, sweep, index, from, *table);
    if (st) sw_run_table_free(table);
    sw_free(index);
    if (slice && !st) *slice = from;
    else sw_free(from);
    return st;
}

void sw_catalog_drop_results(struct sw_catalog *c)
{
    for (int k = 0; k < c->ninput; k++) sw_run_table_drop_results(c->input[k].table);
    sw_free(c->selected);
    c->selected = NULL;
    c->nselected = 0;
}

static enum sw_status read_table(const char *file, bool scalars, struct sw_run_table **table)
{
    struct sw_catalog c = {0};
    int64_t *slice = NULL;
    *table = NULL;
    enum sw_status st = sw_catalog_open_output(file, NULL, &c);
    if (!st && !c.ninput) st = sw_output_fail_absent(file);
    if (!st && c.ninput == 1 && !strcmp(c.input[0].path, file)) {  /* its table is all there is */
        *table = c.input[0].table;
        if (scalars) st = sw_catalog_last_scalars(&c, NULL, *table);
        c.input[0].table = NULL;
        sw_catalog_free(&c);
        return st;
    }
    if (!st) st = sw_catalog_select(&c, NULL, NULL);
    if (!st) st = sw_catalog_table(&c, false, NULL, table, &slice);
    if (!st && scalars) st = sw_catalog_last_scalars(&c, slice, *table);
    sw_free(slice);
    sw_catalog_free(&c);
    return st;
}

enum sw_status sw_run_table_read(const char *file, struct sw_run_table **table)
{
    return read_table(file, false, table);
}

enum sw_status sw_run_table_read_scalars(const char *file, struct sw_run_table **table)
{
    return read_table(file, true, table);
}
