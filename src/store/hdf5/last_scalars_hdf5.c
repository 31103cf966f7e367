/* The scalars with which runs ended: the last values of their series. */
#include "store/catalog/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/hdf5/schema_hdf5.h"

/* Where the last outputs of a row of the table are. */
struct place { int input, data_group; int64_t from, to; };

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    if (x->data_group != y->data_group) return x->data_group < y->data_group ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* @param slice  of each row; NULL: the rows are those of the only input */
static int64_t find_places(const struct sw_catalog *c, const int64_t *slice, int64_t rows, struct place *place)
{
    int64_t count = 0;
    for (int64_t to = 0; to < rows; to++) {
        int64_t l = slice ? slice[to] : -1;
        struct sw_run_slice at = slice ? c->slice[l] : (struct sw_run_slice){.row = to, .previous = -1};
        for (;; at = c->slice[l]) {
            const struct sw_input_file *in = &c->input[at.input];
            const int g = in->data_group_of[at.row];
            if (g >= 0 && in->data_group[g].nscalar > 0) {
                place[count++] = (struct place){at.input, g, in->row_of[at.row], to};
                break;
            }
            if ((l = at.previous) < 0) break;
        }
    }
    qsort(place, (size_t)count, sizeof *place, by_place);
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
static void read_last(struct sw_h5 *h, const struct sw_data_group *s, hid_t dataset, const struct place *place,
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
                                  const struct place *place, int64_t count, struct sw_run_table *t)
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

/* A part that is gone by now, as a merge took it in, is no failure. */
static enum sw_status close_input(struct sw_h5 *h)
{
    const enum sw_status st = sw_h5_close(h);
    return h->damaged || st == SW_E_MEMORY ? st : SW_OK;
}

enum sw_status sw_catalog_last_scalars(const struct sw_catalog *c, const int64_t *slice, struct sw_run_table *t)
{
    struct place *place;
    struct sw_h5 h = {0};
    enum sw_status st = sw_alloc((size_t)t->nruns, &place);
    const int64_t count = st ? 0 : find_places(c, slice, t->nruns, place);
    for (int64_t first = 0, next; first < count && !st; first = next) {
        const struct place *p = &place[first];
        const struct sw_data_group *s = &c->input[p->input].data_group[p->data_group];
        if (!first || p->input != p[-1].input) {
            if ((st = close_input(&h))) break;
            sw_h5_open(&h, c->input[p->input].path);
        }
        for (next = first + 1; next < count && place[next].input == p->input &&
                               place[next].data_group == p->data_group;) next++;
        for (int v = 0; v < s->nvar && !st; v++)
            if (s->var[v].kind == SW_VAR_SERIES) st = read_scalar(&h, s, &s->var[v], p, next - first, t);
    }
    const enum sw_status closed = close_input(&h);
    sw_free(place);
    return st ? st : closed;
}
