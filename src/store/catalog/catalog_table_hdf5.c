/* The run table of the runs in a catalog, and the scalars with which they ended. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "store/catalog/catalog.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"
#include "store/hdf5/schema_hdf5.h"

/* The value that an input has of a slice; NULL: it has no such column. */
static const char *value_of(const struct sw_catalog *c, const struct sw_run_slice *l, int k)
{
    const char *values = c->input[l->input].table->column[k];
    return values ? values + (size_t)l->row * sw_run_columns[k].size : NULL;
}

/* A column that adds up is real: NaN where a part of the run lacks it. */
static double sum_of(const struct sw_catalog *c, const struct sw_run_slice *l, int k)
{
    double value, sum = 0;
    for (;; l = &c->slice[l->previous]) {
        const char *from = value_of(c, l, k);
        if (!from) return NAN;
        memcpy(&value, from, sizeof value);
        sum += value;
        if (l->previous < 0) return sum;
    }
}

/* The inputs' columns go into the table one after another, and each is let go of then: of a million runs those of both
 * would be a hundred megabytes. */
static enum sw_status move_column(const struct sw_catalog *c, const int64_t *slice, struct sw_run_table *t, int k)
{
    const struct sw_run_column *column = &sw_run_columns[k];
    bool any = false;
    for (int64_t row = 0; row < t->nruns && !any; row++) any = value_of(c, &c->slice[slice[row]], k);
    if (any) SW_TRY(sw_run_table_add_column(t, column));
    for (int64_t row = 0; row < t->nruns && any; row++) {
        const struct sw_run_slice *l = &c->slice[slice[row]];
        char *to = (char *)t->column[k] + (size_t)row * column->size;
        const char *from = value_of(c, l, k);
        if (from) memcpy(to, from, column->size);
        if (!column->adds_up || l->previous < 0) continue;
        const double sum = sum_of(c, l, k);
        memcpy(to, &sum, sizeof sum);
    }
    for (int i = 0; i < c->ninput; i++) {
        sw_free(c->input[i].table->column[k]);
        c->input[i].table->column[k] = NULL;
    }
    sw_mem_trim();  /* those of parts are smaller than what is given back by itself */
    return SW_OK;
}

static enum sw_status copy_ids(const struct sw_catalog *c, const int64_t *slice, struct sw_run_table *t)
{
    for (int64_t row = 0; row < t->nruns; row++) {
        const struct sw_run_slice *l = &c->slice[slice[row]];
        const struct sw_run_table *from = c->input[l->input].table;
        t->id[row] = from->id[l->row];
        SW_TRY(sw_run_table_set_message(t, row, from->message[l->row]));
    }
    return SW_OK;
}

/* Parameter k of a row as the inputs have it, NaN where they do not know it. */
static enum sw_status copy_param(const struct sw_catalog *c, int64_t slice, struct sw_run_table *t, int64_t row, int k)
{
    const struct sw_run_slice *l = &c->slice[slice];
    const struct sw_run_table *from = c->input[l->input].table;
    int j = sw_name_index(t->param_name[k], (const char *const *)from->param_name, from->nparam);
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
    if (!st) return sw_run_table_take_metadata(t, &f);
    sw_metadata_free(&f);
    return st;
}

static enum sw_status fill_table(const struct sw_catalog *c, const struct sw_sweep *sweep, const int64_t *slice,
                                 struct sw_run_table *t)
{
    SW_TRY(copy_ids(c, slice, t));
    for (int k = 0; k < sw_run_ncolumns; k++) SW_TRY(move_column(c, slice, t, k));
    SW_TRY(sweep ? sw_run_table_set_sweep(t, sweep) : copy_params(c, slice, t));
    return join_metadata(c, sweep, t);
}

/* The slice whose row counts: the last of the newest chain that ended, else of the newest chain. -1: none */
static int64_t entry_slice(const struct sw_catalog_entry *f) { return f->ended >= 0 ? f->ended : f->newest; }

enum sw_status sw_catalog_table(struct sw_catalog *c, bool ended_only, const struct sw_sweep *sweep,
                                struct sw_run_table **table, int64_t **slice)
{
    int64_t *from = NULL, *index = NULL, rows = 0;
    *table = NULL;
    enum sw_status st = sw_alloc((size_t)c->nselected, &from);
    if (!st) st = sw_alloc((size_t)c->nselected, &index);
    for (int64_t j = 0; j < c->nselected && !st; j++) {
        const struct sw_catalog_entry *f = sw_catalog_find(c, c->selected[j].id);
        int64_t l = !f ? -1 : ended_only ? f->ended : entry_slice(f);
        if (l < 0) continue;
        index[rows] = c->selected[j].index;
        from[rows++] = l;
    }
    sw_free(c->selected);
    c->selected = NULL;
    c->nselected = 0;
    for (int k = 0; k < c->ninput && sweep; k++)  /* one that has all runs may become the file: merge.c compares it */
        if (c->input[k].table->nruns < rows) sw_run_table_drop_params(c->input[k].table);
    int nparam = sweep ? sweep->naxis : c->ninput ? c->input[c->ninput - 1].table->nparam : 0;
    if (!st) st = sw_run_table_alloc(rows, nparam, table);
    if (!st) {
        sw_free((*table)->index);
        (*table)->index = index;
        index = NULL;
        st = fill_table(c, sweep, from, *table);
    }
    if (st) sw_run_table_free(table);
    sw_free(index);
    if (slice && !st) *slice = from;
    else sw_free(from);
    return st;
}

void sw_catalog_drop_results(struct sw_catalog *c)
{
    for (int k = 0; k < c->ninput; k++) sw_run_table_drop_results(c->input[k].table);
    sw_free(c->entry);
    sw_free(c->first_entry);
    c->entry = NULL;
    c->first_entry = NULL;
    c->nentry = 0;
    sw_mem_trim();
}

/* ---- the last values of the series of scalars */

/* @param slice  of each row; NULL: the rows are those of the only input */
static int64_t find_places(const struct sw_catalog *c, const int64_t *slice, int64_t rows, struct sw_copy_job *place)
{
    int64_t count = 0;
    for (int64_t to = 0; to < rows; to++) {
        int64_t l = slice ? slice[to] : -1;
        struct sw_run_slice at = slice ? c->slice[l] : (struct sw_run_slice){.row = to, .previous = -1};
        for (;; at = c->slice[l]) {
            const struct sw_input_file *in = &c->input[at.input];
            const int g = in->data_group_of[at.row];
            if (g >= 0 && in->data_group[g].nscalar > 0) {
                place[count++] = (struct sw_copy_job){at.input, g, in->row_of[at.row], to};
                break;
            }
            if ((l = at.previous) < 0) break;
        }
    }
    qsort(place, (size_t)count, sizeof *place, sw_by_source);
    return count;
}

/* "fronts = crossings(u)" */
static bool is_users(const struct sw_var *var)
{
    const size_t length = strlen(var->name);
    return !strncmp(var->long_name, var->name, length) && !strncmp(var->long_name + length, " = ", 3);
}

static enum sw_status find_scalar(struct sw_run_table *t, const struct sw_var *var, struct sw_last_scalar **scalar)
{
    for (int k = 0; k < t->nscalar; k++)
        if (!strcmp((*scalar = &t->scalar[k])->name, var->name)) return SW_OK;
    SW_TRY(sw_resize((size_t)t->nscalar, (size_t)t->nscalar + 1, &t->scalar));
    *scalar = &t->scalar[t->nscalar];
    if (!((*scalar)->name = sw_strdup(var->name))) return SW_FAIL(SW_E_MEMORY, "out of memory");
    t->nscalar++;
    (*scalar)->users = is_users(var);
    SW_TRY(sw_alloc((size_t)t->nruns, &(*scalar)->last));
    for (int64_t r = 0; r < t->nruns; r++) (*scalar)->last[r] = NAN;
    return SW_OK;
}

/* Rows first .. first+rows-1, outputs from .. from+outputs-1: value[rows*outputs]. */
static void read_block(struct sw_h5 *h, const struct sw_data_group *s, hid_t dataset, int64_t first, int64_t rows,
                       int64_t from, int64_t outputs, double *value)
{
    hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
    const int rank = sw_var_start(s, SW_VAR_SERIES, first, from, start);
    sw_var_size(s, SW_VAR_SERIES, rows, outputs, size);
    sw_h5_read(h, dataset, SW_H5_DOUBLE, rank, start, size, value);
}

/* @param place  [count] of one group, in the order of its rows  @param value  memory for the rows, and for a series */
static void read_last(struct sw_h5 *h, const struct sw_data_group *s, hid_t dataset, const struct sw_copy_job *place,
                      int64_t count, double *value, const struct sw_run_table *t, double *last)
{
    const int64_t first = place[0].from, rows = place[count - 1].from - first + 1;
    double *series = value + rows;
    read_block(h, s, dataset, first, rows, s->nscalar - 1, 1, value);
    for (int64_t k = 0; k < count && !h->status; k++) {
        double v = value[place[k].from - first];
        if (isnan(v) && sw_run_table_status(t, place[k].to) == SW_RUN_DONE) {  /* it has fewer outputs than others */
            read_block(h, s, dataset, place[k].from, 1, 0, s->nscalar, series);
            for (int64_t o = 0; o < s->nscalar; o++)
                if (!isnan(series[o])) v = series[o];
        }
        if (!h->status) last[place[k].to] = v;
    }
}

static enum sw_status read_scalar(struct sw_h5 *h, const struct sw_data_group *s, const struct sw_var *var,
                                  const struct sw_copy_job *place, int64_t count, struct sw_run_table *t)
{
    struct sw_last_scalar *scalar;
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    double *value;
    SW_TRY(find_scalar(t, var, &scalar));
    SW_TRY(sw_alloc((size_t)(place[count - 1].from - place[0].from + 1 + s->nscalar), &value));
    const hid_t dataset = sw_h5_dataset(h, sw_data_group_path(s, var->name, path), &shape, &type);
    if (!h->status && !shape.is_virtual) read_last(h, s, dataset, place, count, value, t, scalar->last);
    sw_h5_dataset_close(dataset);
    sw_free(value);
    return SW_OK;
}

/* A part that is gone by now, as a merge took it in, is no failure. @param path  of h; NULL: none is open */
static enum sw_status close_input(struct sw_h5 *h, const char *path)
{
    const enum sw_status st = sw_h5_close(h);
    return st && st != SW_E_MEMORY && sw_files_absent(path) ? SW_OK : st;
}

/* Fill in the table's scalars; those of a virtual file stay NaN.
 * @param slice  of each row; NULL: the table is the only input's
 * @return SW_E_IO an input cannot be read, or is damaged; SW_E_MEMORY */
static enum sw_status read_last_scalars(const struct sw_catalog *c, const int64_t *slice, struct sw_run_table *t)
{
    struct sw_copy_job *place;
    struct sw_h5 h = {0};
    const char *path = NULL;
    enum sw_status st = sw_alloc((size_t)t->nruns, &place);
    const int64_t count = st ? 0 : find_places(c, slice, t->nruns, place);
    for (int64_t first = 0, next; first < count && !st; first = next) {
        const struct sw_copy_job *p = &place[first];
        const struct sw_data_group *s = &c->input[p->input].data_group[p->data_group];
        if (!first || p->input != p[-1].input) {
            if ((st = close_input(&h, path))) break;
            sw_h5_open(&h, path = c->input[p->input].path);
        }
        for (next = first + 1; next < count && place[next].input == p->input &&
                               place[next].data_group == p->data_group;) next++;
        for (int v = 0; v < s->nvar && !st; v++)
            if (s->var[v].kind == SW_VAR_SERIES) st = read_scalar(&h, s, &s->var[v], p, next - first, t);
    }
    const enum sw_status closed = close_input(&h, path);
    sw_free(place);
    return st ? st : closed;
}

/* ---- of a file and its parts */

static enum sw_status join_tables(struct sw_catalog *c, bool scalars, struct sw_run_table **table)
{
    int64_t *slice = NULL;
    enum sw_status st = sw_catalog_select(c, NULL, NULL);
    if (!st) st = sw_catalog_table(c, false, NULL, table, &slice);
    if (!st && scalars) st = read_last_scalars(c, slice, *table);
    sw_free(slice);
    return st;
}

static enum sw_status read_table(const char *file, bool scalars, struct sw_run_table **table)
{
    struct sw_catalog c = {0};
    *table = NULL;
    enum sw_status st = sw_catalog_open_output(file, NULL, &c);
    if (!st && !c.ninput) st = sw_output_fail_absent(file);
    if (!st && c.ninput == 1 && !strcmp(c.input[0].path, file)) {  /* its table is all there is */
        *table = c.input[0].table;
        if (scalars) st = read_last_scalars(&c, NULL, *table);
        c.input[0].table = NULL;
        sw_catalog_free(&c);
        return st;
    }
    if (!st) st = join_tables(&c, scalars, table);
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

enum sw_status sw_run_table_read_parts(const char *const *part, int count, struct sw_run_table **table)
{
    struct sw_catalog c = {0};
    *table = NULL;
    enum sw_status st = sw_catalog_open_resolved(part, count, &c);
    if (!st) st = join_tables(&c, true, table);
    sw_catalog_free(&c);
    return st;
}
