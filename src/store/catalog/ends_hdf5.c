/* How runs of earlier calls ended: their states, for runs that start from them, and why others failed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hdf5_lock.h"
#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "store/catalog/input_file.h"
#include "store/catalog/sw_completed.h"
#include "store/hdf5/schema_hdf5.h"

/* Run j of those asked for, and where it is. */
struct wanted { int file, j; int64_t row; };

static int by_place(const void *a, const void *b)
{
    const struct wanted *x = a, *y = b;
    if (x->file != y->file) return x->file - y->file;
    return (x->row > y->row) - (x->row < y->row);
}

struct id_row { uint64_t id; int64_t row; };

static enum sw_status find_rows(const struct sw_input_file *in, const uint64_t *id, int count, struct wanted *w)
{
    struct id_row *sorted;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc((size_t)in->table->nruns, &sorted));
    for (int64_t row = 0; row < in->table->nruns; row++) sorted[row] = (struct id_row){in->table->id[row], row};
    qsort(sorted, (size_t)in->table->nruns, sizeof *sorted, sw_by_id);
    for (int k = 0; k < count && !st; k++) {
        const struct id_row *at = bsearch(&id[w[k].j], sorted, (size_t)in->table->nruns, sizeof *at, sw_by_id);
        if (at) w[k].row = at->row;
        else st = SW_FAIL(SW_E_IO, "%s was changed while it was read; run the same command again", in->path);
    }
    sw_free(sorted);
    return st;
}

/* The states of runs that have one, neighbours in one go. @param w  [count] of the file, by rows */
static enum sw_status read_states(const struct sw_input_file *in, int count, const struct wanted *w, size_t size,
                                  double *state)
{
    struct sw_h5 h;
    double *block = NULL;
    enum sw_status st = sw_alloc((size_t)count * size, &block);
    if (st) return st;
    sw_hdf5_lock();
    if (!sw_h5_open(&h, in->path))
        for (int k = 0, next; k < count && !h.status; k = next) {
            const int g = in->data_group_of[w[k].row];
            const int64_t row = in->row_of[w[k].row];
            for (next = k + 1; next < count && in->data_group_of[w[next].row] == g &&
                               in->row_of[w[next].row] == row + next - k;)
                next++;
            if (!sw_input_file_has_end(in, w[k].row)) continue;
            struct sw_h5_shape shape;
            enum sw_h5_type type;
            char path[SW_PATH];
            if (in->data_group[g].nstate < (int64_t)size) {
                sw_h5_damaged(&h, "has a state of fewer numbers than a run has");
                break;
            }
            const hid_t dataset = sw_h5_dataset(&h, sw_data_group_path(&in->data_group[g], "state_last", path), &shape,
                                                &type);
            const hsize_t start[] = {(hsize_t)row, 0}, box[] = {(hsize_t)(next - k), size};
            sw_h5_read(&h, dataset, SW_H5_DOUBLE, 2, start, box, block);
            sw_h5_dataset_close(dataset);
            for (int i = k; i < next && !h.status; i++)
                memcpy(state + (size_t)w[i].j * size, block + (size_t)(i - k) * size, size * sizeof *state);
        }
    st = sw_h5_close(&h);
    sw_hdf5_unlock();
    sw_free(block);
    return st;
}

static enum sw_status read_file(const char *path, const uint64_t *id, int count, struct wanted *w, size_t size,
                                double *state, char **message)
{
    struct sw_input_file in;
    bool damaged;
    sw_hdf5_lock();
    enum sw_status st = sw_input_file_open(path, &in, &damaged);
    sw_hdf5_unlock();
    SW_TRY(st);
    st = find_rows(&in, id, count, w);
    if (!st) qsort(w, (size_t)count, sizeof *w, by_place);
    if (!st) st = read_states(&in, count, w, size, state);
    for (int k = 0; k < count && !st; k++) {
        const enum sw_run_status status = sw_run_table_status(in.table, w[k].row);
        if (status == SW_RUN_DONE) continue;
        for (size_t i = 0; i < size; i++) state[(size_t)w[k].j * size + i] = NAN;  /* it holds where the run failed */
        if (!(message[w[k].j] = sw_strdup(in.table->message[w[k].row]))) st = SW_FAIL(SW_E_MEMORY, "out of memory");
    }
    sw_input_file_free(&in);
    return st;
}

enum sw_status sw_completed_ends(const struct sw_completed *c, int count, const uint64_t *id, size_t size,
                                 double *state, char **message)
{
    struct wanted *w;
    enum sw_status st = SW_OK;
    for (size_t i = 0; i < (size_t)count * size; i++) state[i] = NAN;
    SW_TRY(sw_alloc((size_t)count, &w));
    for (int j = 0; j < count; j++) {
        const uint64_t *at = c->count ? bsearch(&id[j], c->id, (size_t)c->count, sizeof id[j], sw_by_id) : NULL;
        w[j] = (struct wanted){at ? c->in[at - c->id] : -1, j, 0};
        message[j] = NULL;
    }
    qsort(w, (size_t)count, sizeof *w, by_place);
    for (int k = 0, next; k < count && !st; k = next) {
        for (next = k + 1; next < count && w[next].file == w[k].file;) next++;
        if (w[k].file >= 0)
            st = read_file(c->file[w[k].file], id, next - k, w + k, size, state, message);
    }
    sw_free(w);
    return st;
}
