/* The arrays of many files become those of one. Shards interleave their runs, so neighbours in the output come from
 * files all over, and to open one costs as much as to copy a megabyte. Fields, the bulk, are therefore copied input
 * by input: each file is opened once, and each of its runs goes to its place. All else, and fields whose runs are in
 * chains or larger than a block, go by hyperslabs: a block of rows of the output is assembled in memory, all its
 * outputs together, and written in one go. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_stop.h"
#include "store/files/sw_files.h"
#include "store/merge/joined_file_hdf5.h"
#include "store/merge/slice_reader_hdf5.h"
#include "store/merge/statistics_hdf5.h"

/* ---- writing */

enum { BLOCK_BYTES = 16 << 20 };   /* two buffers of this size are all it takes */

struct var_copy {       /* a variable of the output under way */
    const struct sw_var *var;
    hid_t   dataset;
    int64_t outputs;
    size_t  cell, row;  /* bytes an output, a run             */
    bool    by_input;
    bool    in_pieces;  /* of its points, or of a state       */
};

struct join {
    const struct sw_catalog *catalog;
    struct sw_joined_file layout;
    struct sw_h5      out;
    struct sw_slice_reader in;
    char             *block;       /* gathered: BLOCK_BYTES, or one output if that is more */
    size_t            room;
};

static void write_rows(struct join *j, const struct var_copy *m, const struct sw_hyperslab *w, int64_t row,
                       int64_t rows, const char *data)
{
    hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
    const int rank = sw_hyperslab_place(w, row, rows, w->output, w->outputs, start, size);
    sw_h5_write(&j->out, m->dataset, m->var->type, rank, start, size, data);
}

/* ---- input by input */
static enum sw_status copy_adjacent_jobs(struct join *j, const struct sw_joined_group *t, const struct var_copy *m,
                                         const struct sw_copy_job *job, int64_t count)
{
    struct sw_hyperslab w = {.s = &t->data_group, .var = m->var, .rows = count, .outputs = m->outputs, .cell = m->cell,
                             .packed = true, .block = j->block};
    if (!sw_copy_jobs_cover(&w, j->catalog, job, count)) sw_fill_nan(j->block, (size_t)count * m->row, m->var->type);
    SW_TRY(sw_copy_jobs(&j->in, &w, job, count));
    for (int64_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && job[next].to == job[next - 1].to + 1;) next++;
        write_rows(j, m, &w, job[k].to, next - k, j->block + (size_t)k * m->row);
    }
    return j->out.status;
}

static enum sw_status copy_by_input(struct join *j, const struct sw_joined_group *t, const struct var_copy *m,
                                    int count)
{
    struct sw_copy_job *job = NULL;
    int64_t njob, most = INT64_MAX;
    size_t row = 1;
    for (int k = 0; k < count; k++)
        if (m[k].by_input && m[k].row > row) row = m[k].row;
    if (row == 1) return SW_OK;  /* there are none */
    most = sw_clamp(BLOCK_BYTES / (int64_t)row, 1, t->data_group.count);
    enum sw_status st = sw_have_room((size_t)most * row, &j->block, &j->room);
    if (!st) st = sw_copy_jobs_list(j->catalog, t, 0, t->data_group.count, &job, &njob);
    for (int64_t k = 0, next; !st && k < njob; k = next) {
        if ((st = sw_stop_check())) break;
        for (next = k + 1; next < njob && next - k < most && sw_copy_jobs_adjacent(&job[next - 1], &job[next]);) next++;
        for (int v = 0; v < count && !st; v++)
            if (m[v].by_input) st = copy_adjacent_jobs(j, t, &m[v], job + k, next - k);
    }
    sw_free(job);
    return st;
}

/* ---- by hyperslabs */
/* One hyperslab of each variable. `outputs` counts for one variable alone, when a run of it is more than a block. */
static enum sw_status copy_slab(struct join *j, const struct sw_joined_group *t, const struct var_copy *m, int count,
                                int64_t row, int64_t rows, int64_t output, int64_t outputs, struct sw_hyperslab *w)
{
    char *block = j->block;
    SW_TRY(sw_stop_check());
    for (int v = 0; v < count; v++) {
        w[v] = (struct sw_hyperslab){.s = &t->data_group, .var = m[v].var, .row = row, .rows = rows, .output = output,
                                     .outputs = count > 1 ? m[v].outputs : outputs, .cell = m[v].cell, .block = block};
        block += (size_t)(rows * w[v].outputs) * m[v].cell;
    }
    SW_TRY(sw_hyperslabs_fill(&j->in, t, w, count));
    for (int v = 0; v < count; v++) write_rows(j, &m[v], &w[v], row, rows, w[v].block);
    return j->out.status;
}

/* A field of which one output is more than a block, or comes in pieces: so many points of its axis at a time, at one
 * point beyond it. */
static enum sw_status copy_pieces(struct join *j, const struct sw_joined_group *t, const struct var_copy *m)
{
    const int64_t n = t->data_group.n[sw_data_group_axis(&t->data_group)], levels = sw_data_group_outer(&t->data_group),
                  word = (int64_t)m->cell / n / levels, piece = sw_clamp(BLOCK_BYTES / word, 1, n),
                  pieces = (n + piece - 1) / piece;
    SW_TRY(sw_have_room((size_t)(piece * word), &j->block, &j->room));
    for (int64_t row = 0; row < t->data_group.count; row++)
        for (int64_t o = 0; o < m->outputs; o++)
            for (int64_t k = 0; k < levels * pieces; k++) {
                const int64_t at = k % pieces * piece, points = n - at < piece ? n - at : piece;
                struct sw_hyperslab w = {.s = &t->data_group, .var = m->var, .row = row, .rows = 1, .output = o,
                                         .outputs = 1, .point = at, .points = points, .level = k / pieces,
                                         .cell = (size_t)(points * word), .block = j->block};
                SW_TRY(sw_hyperslabs_fill(&j->in, t, &w, 1));
                write_rows(j, m, &w, row, 1, w.block);
                if (j->out.status) return j->out.status;
            }
    return SW_OK;
}

/* Numbers from .. from + count - 1 of a state to `to` and behind it, a block at a time. */
static enum sw_status copy_numbers(struct join *j, const struct var_copy *m, const struct sw_copy_job *job,
                                   int64_t from, int64_t to, int64_t count)
{
    const int64_t most = BLOCK_BYTES / (int64_t)sizeof(double);
    struct sw_opened in;
    SW_TRY(sw_slice_reader_dataset(&j->in, job, m->var->name, &in));
    SW_TRY(sw_have_room((size_t)(count < most ? count : most) * sizeof(double), &j->block, &j->room));
    for (int64_t k = 0; k < count; k += most) {
        const hsize_t there[] = {(hsize_t)job->from, (hsize_t)(from + k)},
                      here[] = {(hsize_t)job->to, (hsize_t)(to + k)},
                      size[] = {1, (hsize_t)(count - k < most ? count - k : most)};
        struct sw_h5 *h = &j->in.reader[job->input].h5;
        sw_h5_read(h, in.dataset, SW_H5_DOUBLE, 2, there, size, j->block);
        if (h->status) return h->status;
        sw_h5_write(&j->out, m->dataset, SW_H5_DOUBLE, 2, here, size, j->block);
    }
    return j->out.status;
}

/* What an input has of a state: all of it; or a slab, the first of which has what all have alike as well. */
static enum sw_status copy_state(struct join *j, const struct var_copy *m, const struct sw_copy_job *job)
{
    const struct sw_data_group *s = &j->catalog->input[job->input].data_group[job->data_group];
    int64_t count, from, to;
    if (!s->slabs) return copy_numbers(j, m, job, 0, 0, s->nstate);
    for (int64_t k = 0; (count = sw_data_group_state_part(s, k, s->piece_first, s->piece_count, &from, &to)); k++)
        if (k != s->state_fields || !s->slab) SW_TRY(copy_numbers(j, m, job, from, to, count));
    return SW_OK;
}

/* States of which one is more than a block, or that come in slabs. NaN where a run has none. */
static enum sw_status copy_states(struct join *j, const struct sw_joined_group *t, const struct var_copy *m)
{
    double nan[512];
    for (int i = 0; i < 512; i++) nan[i] = NAN;
    for (int64_t row = 0; row < t->data_group.count; row++) {
        bool any = false;
        SW_TRY(sw_stop_check());
        for (int64_t l = t->slice[row]; l >= 0; l = j->catalog->slice[l].previous) {
            const struct sw_run_slice *k = &j->catalog->slice[l];
            const struct sw_input_file *in = &j->catalog->input[k->input];
            const struct sw_data_group *from = sw_input_file_group(in, k->row);
            if (!from || !sw_data_group_var(from, m->var->name)) continue;
            const struct sw_copy_job job = {k->input, in->data_group_of[k->row], in->row_of[k->row], row};
            SW_TRY(copy_state(j, m, &job));
            any = true;
        }
        for (int64_t i = 0; !any && i < t->data_group.nstate; i += 512) {
            const int64_t left = t->data_group.nstate - i;
            const hsize_t start[] = {(hsize_t)row, (hsize_t)i}, size[] = {1, (hsize_t)(left < 512 ? left : 512)};
            sw_h5_write(&j->out, m->dataset, SW_H5_DOUBLE, 2, start, size, nan);
        }
    }
    return j->out.status;
}

/* Some variables together, if count > 1: their rows fit a block. */
static enum sw_status copy_slabs(struct join *j, const struct sw_joined_group *t, const struct var_copy *m, int count)
{
    struct sw_hyperslab *w;
    size_t row = 0;
    if (m->in_pieces) return m->var->kind == SW_VAR_STATE ? copy_states(j, t, m) : copy_pieces(j, t, m);
    for (int v = 0; v < count; v++) row += m[v].row;
    int64_t outputs = m->outputs, step = sw_clamp(BLOCK_BYTES / (int64_t)m->cell, 1, outputs);
    int64_t rows = sw_clamp(BLOCK_BYTES / (int64_t)row, 1, t->data_group.count);
    if (count > 1) step = outputs = 1;
    SW_TRY(sw_have_room((size_t)rows * (count > 1 ? row : (size_t)step * m->cell), &j->block, &j->room));
    SW_TRY(sw_alloc((size_t)count, &w));
    enum sw_status st = SW_OK;
    for (int64_t at = 0; at < t->data_group.count && !st; at += rows)
        for (int64_t o = 0; o < outputs && !st; o += step)
            st = copy_slab(j, t, m, count, at, sw_clamp(t->data_group.count - at, 1, rows), o,
                           sw_clamp(outputs - o, 1, step), w);
    sw_free(w);
    return st;
}

/* Small variables, of which all rows lie together in the file, are gathered together, as many as fit a block. */
static enum sw_status copy_small(struct join *j, const struct sw_joined_group *t, struct var_copy *m, int count)
{
    for (int k = 0, next; k < count; k = next) {
        size_t row = m[k].row;
        for (next = k + 1; next < count && row + m[next].row <= BLOCK_BYTES; next++) row += m[next].row;
        SW_TRY(copy_slabs(j, t, m + k, next - k));
    }
    return SW_OK;
}

/* ---- the variables of a joined group */
static bool has_chains(const struct join *j, const struct sw_joined_group *t)
{
    for (int64_t row = 0; row < t->data_group.count; row++)
        if (j->catalog->slice[t->slice[row]].previous >= 0) return true;
    return false;
}

/* Contiguous, one run after the other: neighbours are written in one go; an index of chunks would cost 10 us a run. */
static void make_var(struct join *j, const struct sw_data_group *s, const struct sw_var *var, bool chains, bool pieces,
                     struct var_copy *m)
{
    struct sw_h5_shape shape = {0};
    *m = (struct var_copy){.var = var, .dataset = -1, .outputs = sw_var_outputs(s, var->kind)};
    m->cell = (size_t)sw_var_inner(s, var->kind) * sw_h5_size(var->type);
    m->row = (size_t)m->outputs * m->cell;
    m->by_input = var->kind == SW_VAR_FIELD && m->row <= BLOCK_BYTES && !chains;
    m->in_pieces = (var->kind == SW_VAR_FIELD || var->kind == SW_VAR_STATE) && (m->cell > BLOCK_BYTES || pieces);
    shape.rank = sw_var_size(s, var->kind, s->count, m->outputs, shape.dim);
    m->dataset = sw_h5_make_var(&j->out, s, var, &shape);
}

static enum sw_status copy_vars(struct join *j, const struct sw_joined_group *t, struct var_copy *m, int count)
{
    struct var_copy *small;
    int nsmall = 0;
    enum sw_status st = j->out.status;
    if (!st) st = copy_by_input(j, t, m, count);
    for (int k = 0; k < count && !st; k++)
        if (m[k].in_pieces || (m[k].var->kind == SW_VAR_FIELD && !m[k].by_input)) st = copy_slabs(j, t, &m[k], 1);
    if (!st) st = sw_alloc((size_t)count, &small);
    if (st) return st;
    for (int k = 0; k < count; k++)
        if (m[k].var->kind != SW_VAR_FIELD && !m[k].in_pieces) small[nsmall++] = m[k];
    st = copy_small(j, t, small, nsmall);
    sw_free(small);
    return st;
}

static enum sw_status make_vars(struct join *j, const struct sw_joined_group *t)
{
    const struct sw_data_group *s = &t->data_group;
    struct var_copy *m;
    bool chains = has_chains(j, t), pieces = chains && sw_joined_group_has_pieces(t, j->catalog);
    SW_TRY(sw_alloc((size_t)s->nvar, &m));
    for (int k = 0; k < s->nvar; k++) make_var(j, s, &s->var[k], chains, pieces, &m[k]);
    enum sw_status st = copy_vars(j, t, m, s->nvar);
    for (int k = 0; k < s->nvar; k++) sw_h5_dataset_close(m[k].dataset);
    sw_slice_reader_close_datasets(&j->in);
    sw_free(m);
    return st;
}

static enum sw_status write_group(struct join *j, const struct sw_joined_group *t, const char *coordinates)
{
    const struct sw_data_group *s = &t->data_group;
    char path[SW_PATH];
    if (s->name[0]) {
        sw_h5_write_data_group(&j->out, s);
        sw_h5_write_runs(&j->out, sw_data_group_path(s, "run", path), s->count, s->index);
        sw_h5_write_scales(&j->out, s);
    }
    SW_TRY(make_vars(j, t));
    sw_h5_finish_vars(&j->out, s, coordinates);
    return j->out.status;
}

static enum sw_status write_all(struct join *j, const char *coordinates)
{
    const struct sw_joined_group *first = j->layout.group;
    const struct sw_data_group *root = j->layout.count && !first->data_group.name[0] ? &first->data_group : NULL;
    const struct sw_run_table *table = j->layout.table;
    sw_h5_write_metadata(&j->out, &table->own->metadata);
    SW_TRY(sw_h5_write_statistics(&j->out, &j->in, &j->layout));
    sw_joined_file_drop(&j->layout, sw_run_table_dropped(table));
    sw_h5_write_runs(&j->out, "/run", table->nruns, table->index);
    if (root) {
        sw_h5_write_data_group(&j->out, root);
        sw_h5_write_scales(&j->out, root);
    }
    sw_h5_write_table(&j->out, table, coordinates);
    for (int k = 0; k < j->layout.count; k++) SW_TRY(write_group(j, &j->layout.group[k], coordinates));
    return j->out.status;
}

static enum sw_status join_into(struct join *j, const char *path)
{
    SW_TRY(sw_slice_reader_create(&j->in, j->catalog));
    SW_TRY(sw_joined_file_plan(&j->layout));
    SW_TRY(sw_h5_create(&j->out, path));
    char *coordinates = sw_run_table_coordinates(j->layout.table);
    enum sw_status st = coordinates ? write_all(j, coordinates) : SW_E_MEMORY;
    sw_free(coordinates);
    return st;
}

enum sw_status sw_join_inputs(struct sw_catalog *catalog, const struct sw_run_table *table, const int64_t *slice,
                              const char *path)
{
    struct join j = {.catalog = catalog, .layout = {.catalog = catalog, .table = table, .slice = slice}};
    struct sw_sealed sealed;
    enum sw_status st = join_into(&j, path);
    if (st) sw_h5_drop(&j.out);
    else st = sw_h5_close_written(&j.out, &sealed);
    if (!st) st = sw_files_sync(&sealed, path, true);
    if (j.in.catalog) {
        catalog->unreadable = 1 + sw_slice_reader_damaged(&j.in);
        sw_slice_reader_free(&j.in);
    }
    sw_joined_file_free(&j.layout);
    sw_free(j.block);
    return st;
}
