#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_hdf5_lock.h"
#include "base/sw_mem.h"
#include "store/catalog/part_index.h"
#include "store/catalog/sw_completed.h"
#include "store/files/sw_files.h"
#include "store/hdf5/schema_hdf5.h"
#include "store/sw_part.h"

/* ---- the writer of a variable: outputs come one time after another, for all runs at once. They are collected in
 * blocks of some MiB, each one chunk of the dataset and one write: [runs][depth outputs][values], which is the order of
 * the final file. */

struct var_writer {
    struct sw_h5    *h5;                     /* borrowed                                      */
    const struct sw_data_group *data_group;  /* likewise                                      */
    enum sw_var_kind kind;
    enum sw_h5_type  type;
    hid_t    dataset;
    int64_t  count;                          /* runs                                          */
    int64_t  inner;                          /* values a run and output                       */
    size_t   row;                            /* bytes of them                                 */
    int64_t  depth;                          /* outputs a block                               */
    int64_t  filled;                         /* outputs in the block now                      */
    int64_t  written;                        /* outputs in the dataset                        */
    char    *block;                          /* [count][depth][inner]; NULL: a field, depth 1 */
    char    *other;                          /* likewise: on its way to the disk; NULL: one block */
};

/* Outputs are gathered up to the first; one of more than the second is not: it is large enough for one write. (Chunks
 * of more than 1 MiB are also those that HDF5 reads in slices; smaller ones it reads and keeps whole.) */
enum { BLOCK_BYTES = 4 << 20, ALONE_BYTES = 1 << 20 };

/* So many of `count` in each chunk that no chunk holds more than `most`, and the last one has little room to spare. */
static int64_t equal_share(int64_t count, int64_t most)
{
    int64_t chunks = (count + most - 1) / most;
    return (count + chunks - 1) / chunks;
}

/* Whether outputs of this kind have the points of a slab alone. */
static bool in_slabs(const struct sw_data_group *s, enum sw_var_kind kind) { return kind == SW_VAR_FIELD && s->slabs; }

/* Narrow a block of whole fields, of so many dimensions, to points first .. first + count - 1 along the axis of pieces,
 * the first dimension of a field that has more than one. */
static void narrow(const struct sw_data_group *s, int rank, int64_t first, int64_t count, hsize_t start[SW_H5_RANK],
                   hsize_t size[SW_H5_RANK])
{
    const int dimension = rank - 1 - sw_data_group_axis(s);
    start[dimension] = (hsize_t)first;
    size[dimension] = (hsize_t)count;
}

static hid_t make_dataset(const struct var_writer *s, const struct sw_data_group *data_group,
                          const struct sw_var *var, int64_t outputs)
{
    int64_t most = sw_clamp(BLOCK_BYTES / (int64_t)s->row, 1, s->count);
    int64_t rows = s->depth > 1 ? s->count : equal_share(s->count, most);
    struct sw_h5_shape shape = {0};
    shape.rank = sw_var_size(data_group, s->kind, s->count, 0, shape.dim);
    sw_var_chunk(data_group, s->kind, rows, s->depth, shape.chunk);
    sw_var_size(data_group, s->kind, s->count, outputs, shape.most);
    return sw_h5_make_var(s->h5, data_group, var, &shape);
}

/* @param outputs  most that will come */
static enum sw_status open_writer(struct var_writer *s, struct sw_h5 *h, const struct sw_data_group *data_group,
                                  const struct sw_var *var, int64_t outputs)
{
    *s = (struct var_writer){.h5 = h, .data_group = data_group, .kind = var->kind, .type = var->type, .dataset = -1,
                                .count = data_group->count};
    if (outputs < 1) outputs = 1;
    s->inner = sw_var_inner(data_group, var->kind);
    if (in_slabs(data_group, var->kind)) s->inner = data_group->piece_count * sw_data_group_across(data_group);
    s->row = (size_t)s->inner * sw_h5_size(var->type);
    int64_t bytes = s->count * (int64_t)s->row;
    s->depth = bytes > ALONE_BYTES ? 1 : equal_share(outputs, sw_clamp(BLOCK_BYTES / bytes, 1, outputs));
    if (s->depth > 1 || s->kind != SW_VAR_FIELD) SW_TRY(sw_alloc((size_t)(s->count * s->depth) * s->row, &s->block));
    if (s->depth > 1 && outputs > s->depth && s->kind == SW_VAR_FIELD)
        SW_TRY(sw_alloc((size_t)(s->count * s->depth) * s->row, &s->other));
    s->dataset = make_dataset(s, data_group, var, outputs);
    return h->status;
}

static void write_block(struct var_writer *s, const void *data, int64_t outputs)
{
    hsize_t size[SW_H5_RANK], start[SW_H5_RANK], count[SW_H5_RANK];
    int rank = sw_var_size(s->data_group, s->kind, s->count, s->written + outputs, size);
    sw_var_start(s->data_group, s->kind, 0, s->written, start);
    sw_var_size(s->data_group, s->kind, s->count, outputs, count);
    if (in_slabs(s->data_group, s->kind))
        narrow(s->data_group, rank, s->data_group->piece_first, s->data_group->piece_count, start, count);
    sw_h5_grow(s->h5, s->dataset, size);
    sw_h5_write(s->h5, s->dataset, s->type, rank, start, count, data);
    s->written += outputs;
    s->filled = 0;
}

static void flush_writer(struct var_writer *s)
{
    if (!s->filled) return;
    for (int64_t j = 1; s->filled < s->depth && j < s->count; j++)  /* close the gaps of a block that is not full */
        memmove(s->block + (size_t)(j * s->filled) * s->row, s->block + (size_t)(j * s->depth) * s->row,
                (size_t)s->filled * s->row);
    sw_h5_driver_lend(s->h5->file, s->other ? s->block : NULL, (size_t)(s->count * s->filled) * s->row);
    write_block(s, s->block, s->filled);
    sw_h5_driver_lend(s->h5->file, NULL, 0);
    if (!s->other) return;
    char *written = s->block;
    s->block = s->other;
    s->other = written;
}

static void add_output(struct var_writer *s, const void *data, size_t stride);

/* An output without values. */
static void add_nothing(struct var_writer *s)
{
    const size_t values = (size_t)(s->count * s->inner);
    void *nan = NULL;
    if (sw_alloc_bytes(values, sw_h5_size(s->type), &nan)) { sw_h5_fail(s->h5, SW_E_MEMORY, "out of memory"); return; }
    for (size_t k = 0; k < values; k++) {
        if (s->type == SW_H5_SINGLE) ((float *)nan)[k] = NAN;
        else ((double *)nan)[k] = NAN;
    }
    add_output(s, nan, s->row);
    sw_free(nan);
}

/* Add one output: the values of run j begin at data + j*stride bytes; a field is packed. data NULL: NaN. */
static void add_output(struct var_writer *s, const void *data, size_t stride)
{
    const char *from = data;
    if (!data) { add_nothing(s); return; }
    if (!s->block) {  /* a field that is a block as it is: straight from the caller's memory */
        write_block(s, data, 1);
        return;
    }
    for (int64_t j = 0; j < s->count; j++)
        memcpy(s->block + (size_t)(j * s->depth + s->filled) * s->row, from + (size_t)j * stride, s->row);
    if (++s->filled == s->depth) flush_writer(s);
}

/* Write values first .. first + count - 1 of the next output of one run on a line, whose output is not collected. The
 * last values end it. */
static void add_piece_of_output(struct var_writer *s, const void *data, int64_t first, int64_t count)
{
    hsize_t size[SW_H5_RANK], start[SW_H5_RANK], part[SW_H5_RANK];
    const int rank = sw_var_size(s->data_group, s->kind, s->count, s->written + 1, size);
    sw_var_start(s->data_group, s->kind, 0, s->written, start);
    sw_var_size(s->data_group, s->kind, s->count, 1, part);
    narrow(s->data_group, rank, first, count, start, part);
    sw_h5_grow(s->h5, s->dataset, size);
    sw_h5_write(s->h5, s->dataset, s->type, rank, start, part, data);
    s->written += first + count == s->inner;
}

static void free_writer(struct var_writer *s)
{
    sw_free(s->block);
    sw_free(s->other);
    s->block = s->other = NULL;
}

/* ---- the part */

struct sw_part {
    char             *tmp;
    struct sw_h5      h5;
    struct sw_part_desc desc;
    struct sw_metadata   metadata;
    struct sw_data_group data_group;
    int               nwriter, nfields, nseries;  /* series first */
    struct var_writer *writer;
    struct sw_grid   *grid;                       /* [count]      */
};

static void free_part(struct sw_part *p)
{
    for (int k = 0; p->writer && k < p->nwriter; k++) free_writer(&p->writer[k]);
    sw_free(p->writer);
    sw_data_group_free(&p->data_group);
    sw_metadata_free(&p->metadata);
    sw_free(p->grid);
    sw_free(p->tmp);
    sw_free(p);
}

/* Failures are ignored: the message says what went wrong before. */
static void drop_part(struct sw_part *p)
{
    sw_h5_drop(&p->h5);
    if (p->tmp) unlink(p->tmp);
    free_part(p);
}

/* ---- begin */
static enum sw_status list_fields(struct sw_part *p)
{
    enum sw_h5_type type = p->desc.sweep->single_fields ? SW_H5_SINGLE : SW_H5_DOUBLE;
    const struct sw_quantity *fields = sw_sweep_fields(p->desc.sweep, p->desc.group);
    for (const struct sw_quantity *q = fields; q && q->name && p->desc.group->nfield; q++, p->nfields++)
        SW_TRY(sw_data_group_add(&p->data_group, SW_VAR_FIELD, type, q->name, q->unit, q->long_name));
    p->nwriter = p->data_group.nvar;
    return SW_OK;
}

/* Fields of runs that are cut are listed by their first piece: most of their parts have none. */
static enum sw_status list_variables(struct sw_part *p)
{
    for (const struct sw_quantity *q = p->desc.sweep->scalar; q->name && p->desc.group->nscalar; q++, p->nseries++)
        SW_TRY(sw_data_group_add(&p->data_group, SW_VAR_SERIES, SW_H5_DOUBLE, q->name, q->unit, q->long_name));
    p->nwriter = p->data_group.nvar;
    return p->desc.group->cut ? SW_OK : list_fields(p);
}

static enum sw_status open_writers(struct sw_part *p)
{
    const struct sw_part_desc *d = &p->desc;
    SW_TRY(sw_alloc((size_t)p->nwriter, &p->writer));
    for (int k = 0; k < p->nwriter; k++) {
        int64_t outputs = k < p->nseries ? d->group->nscalar - d->scalar_first : d->group->nfield - d->field_first;
        SW_TRY(open_writer(&p->writer[k], &p->h5, &p->data_group, &p->data_group.var[k], outputs));
    }
    return SW_OK;
}

static enum sw_status keep_grid(void *user, int64_t first, int64_t count, const double *column)
{
    struct sw_part *p = user;
    const struct sw_setup setup = sw_sweep_setup(p->desc.sweep, p->desc.group, 1);
    for (int64_t j = 0; j < count; j++) p->grid[first + j] = sw_setup_grid(&setup, count, column, j);
    return SW_OK;
}

static enum sw_status describe_part(struct sw_part *p, const struct sw_provenance *provenance)
{
    unsigned major, minor, release;
    char version[40];
    size_t count = (size_t)p->desc.count;
    H5get_libversion(&major, &minor, &release);
    snprintf(version, sizeof version, "%u.%u.%u", major, minor, release);
    SW_TRY(sw_metadata_make(p->desc.sweep, provenance, version, &p->metadata));
    SW_TRY(sw_alloc(count, &p->grid));
    SW_TRY(sw_run_table_columns(p->desc.sweep, p->desc.run, p->desc.count, keep_grid, p));
    struct sw_data_group *s = &p->data_group;
    snprintf(s->name, sizeof s->name, "%s", p->desc.group->name);
    s->numbered = p->desc.sweep->problem->shape->numbered;
    s->columns = p->desc.sweep->problem->shape->columns;
    s->dim = p->desc.group->dim;
    s->cut = p->desc.group->cut > 0 || p->desc.slab.ranks;
    s->slab = p->desc.slab.rank;
    s->slabs = p->desc.slab.ranks;
    s->piece_first = p->desc.slab.first;
    s->piece_count = p->desc.slab.count;
    s->state_fields = p->desc.slab.fields;
    s->state_behind = p->desc.slab.behind;
    memcpy(s->n, p->desc.group->n, sizeof s->n);
    s->count = p->desc.count;
    s->field_first = p->desc.field_first;
    s->scalar_first = p->desc.scalar_first;
    SW_TRY(sw_alloc(count, &s->index));
    memcpy(s->index, p->desc.run, count * sizeof *s->index);
    return list_variables(p);
}

/* Whether the part has a data group without arrays of a writer: for others, or to say which slab it has. */
static bool has_other_arrays(const struct sw_part *p)
{
    return sw_sweep_keeps_states(p->desc.sweep) || p->desc.sweep->history || p->desc.slab.ranks;
}

static enum sw_status begin_file(struct sw_part *p, const char *file, const struct sw_provenance *provenance)
{
    SW_TRY(describe_part(p, provenance));
    SW_TRY(sw_files_new_part(file, p->desc.turn, p->desc.of, p->desc.least, &p->tmp));
    SW_TRY(sw_h5_create(&p->h5, p->tmp));
    sw_h5_write_metadata(&p->h5, &p->metadata);
    if (p->nwriter || has_other_arrays(p)) sw_h5_write_data_group(&p->h5, &p->data_group);
    return p->h5.status ? p->h5.status : open_writers(p);
}

enum sw_status sw_part_create(const char *file, const struct sw_part_desc *desc, const struct sw_provenance *provenance,
                              struct sw_part **part)
{
    struct sw_part *p;
    *part = NULL;
    SW_TRY(sw_alloc(1, &p));
    p->desc = *desc;
    sw_hdf5_lock();
    enum sw_status st = begin_file(p, file, provenance);
    if (st) drop_part(p);
    sw_hdf5_unlock();
    *part = st ? NULL : p;
    return st;
}

/* ---- outputs */
static bool counts_infinite(const struct sw_part *p)
{
    return p->desc.infinite && p->desc.sweep->single_fields;
}

static int64_t count_infinite(const float *value, int64_t count)
{
    int64_t infinite = 0;
    for (int64_t i = 0; i < count; i++) infinite += fabsf(value[i]) > FLT_MAX;
    return infinite;
}

/* Fields one after another. */
static void count_infinite_of_runs(struct sw_part *p, const float *field)
{
    for (int k = p->nseries; k < p->nwriter; k++)
        for (int64_t j = 0, points = p->writer[k].inner; j < p->desc.count; j++, field += points)
            p->desc.infinite[j] += count_infinite(field, points);
}

enum sw_status sw_part_add_field(struct sw_part *p, const void *field)
{
    const char *data = field;
    if (field && counts_infinite(p)) count_infinite_of_runs(p, field);
    sw_hdf5_lock();
    for (int k = p->nseries; k < p->nwriter; k++) {
        struct var_writer *s = &p->writer[k];
        add_output(s, data, s->row);
        if (data) data += (size_t)p->desc.count * s->row;
    }
    sw_hdf5_unlock();
    return p->h5.status;
}

static enum sw_status add_piece(struct sw_part *p, const char *data, int64_t first, int64_t count)
{
    if (!p->nfields) {
        SW_TRY(list_fields(p));
        if (!p->nseries && !has_other_arrays(p)) sw_h5_write_data_group(&p->h5, &p->data_group);
        sw_free(p->writer);
        SW_TRY(open_writers(p));
    }
    if (!p->data_group.piece_count) p->data_group.piece_first = first;
    p->data_group.piece_count += count;
    for (int k = p->nseries; k < p->nwriter; k++) {
        add_piece_of_output(&p->writer[k], data, first, count);
        data += (size_t)count * sw_h5_size(p->writer[k].type);
    }
    return p->h5.status;
}

enum sw_status sw_part_add_piece(struct sw_part *p, const void *piece, int64_t first, int64_t count)
{
    if (counts_infinite(p)) p->desc.infinite[0] += count_infinite(piece, count);
    sw_hdf5_lock();
    enum sw_status st = add_piece(p, piece, first, count);
    sw_hdf5_unlock();
    return st;
}

enum sw_status sw_part_add_scalars(struct sw_part *p, const double *scalars, const double *defined)
{
    const int own = p->desc.sweep->ndefined, built_in = p->nseries - own;
    sw_hdf5_lock();
    for (int k = 0; k < built_in; k++)
        add_output(&p->writer[k], scalars ? scalars + k : NULL, (size_t)built_in * sizeof *scalars);
    for (int k = 0; k < own; k++)
        add_output(&p->writer[built_in + k], defined ? defined + k : NULL, (size_t)own * sizeof *defined);
    sw_hdf5_unlock();
    return p->h5.status;
}

/* ---- arrays that come all at once */
/* @param outputs  of each run */
static void write_whole(struct sw_part *p, const struct sw_var *var, int64_t outputs, const double *data)
{
    char path[SW_PATH];
    struct sw_h5_shape shape = {0};
    shape.rank = sw_var_size(&p->data_group, var->kind, p->desc.count, outputs, shape.dim);
    sw_h5_put(&p->h5, sw_data_group_path(&p->data_group, var->name, path), SW_H5_DOUBLE, &shape, data);
}

static enum sw_status add_history(struct sw_part *p, const double *history, int64_t entries)
{
    struct sw_data_group *s = &p->data_group;
    s->nhistory = entries;
    SW_TRY(sw_data_group_add_kind(s, SW_VAR_HISTORY));
    write_whole(p, &s->var[s->nvar - 1], entries, history);
    return p->h5.status;
}

enum sw_status sw_part_add_history(struct sw_part *p, const double *history, int64_t entries)
{
    sw_hdf5_lock();
    enum sw_status st = add_history(p, history, entries);
    sw_hdf5_unlock();
    return st;
}

/* ---- finish */

/* Those of a run, of the outputs that the part has: t, or t_s. */
static enum sw_status make_times(const struct sw_part *p, enum sw_var_kind kind, int64_t j, double **time)
{
    const struct sw_data_group *s = &p->data_group;
    const struct sw_group *g = p->desc.group;
    const bool fields = kind == SW_VAR_T;
    const int64_t first = fields ? s->field_first : s->scalar_first, count = fields ? s->nfield : s->nscalar;
    const int64_t *step = fields ? g->field_step : g->scalar_step;
    const double *in_steps = fields ? g->field_time : g->scalar_time;
    const int pace = g->paces ? sw_group_pace(g, p->desc.run[j]) : 0;
    SW_TRY(sw_alloc((size_t)count, time));
    for (int64_t k = first; k < first + count; k++)
        (*time)[k - first] = (g->paces ? (double)sw_pace_step(g->paces, pace, step[k]) : in_steps[k]) * p->grid[j].dt;
    return SW_OK;
}

/* Those of the first run, where all runs have them: runs of two paces have them if they round to the same numbers.
 * @param time  out: NULL: they differ */
static enum sw_status make_common_times(const struct sw_part *p, enum sw_var_kind kind, double **time)
{
    const struct sw_data_group *s = &p->data_group;
    const struct sw_group *g = p->desc.group;
    const size_t bytes = (size_t)(kind == SW_VAR_T ? s->nfield : s->nscalar) * sizeof(double);
    bool same = true;
    SW_TRY(make_times(p, kind, 0, time));
    for (int64_t j = 1; j < s->count && same; j++) {
        double *other;
        if (!g->paces) same = p->grid[j].dt == p->grid[0].dt;
        if (!g->paces) continue;
        SW_TRY(make_times(p, kind, j, &other));
        same = !memcmp(*time, other, bytes);
        sw_free(other);
    }
    if (same) return SW_OK;
    sw_free(*time);
    *time = NULL;
    return SW_OK;
}

static enum sw_status make_points(int64_t n, const struct sw_grid *g, int d, double **x)
{
    SW_TRY(sw_alloc((size_t)n, x));
    for (int64_t i = 0; i < n; i++) (*x)[i] = sw_grid_at(g, d, i);
    return SW_OK;
}

/* The scale of dimension d, or a variable instead. */
static enum sw_status set_space(struct sw_part *p, int d)
{
    struct sw_data_group *s = &p->data_group;
    const struct sw_grid *first = &p->grid[0];
    bool one = true;
    if (s->numbered && d == 0) return SW_OK;  /* 1 .. n */
    for (int64_t j = 1; j < s->count; j++) one &= sw_grid_agrees(&p->grid[j], first, d);
    return one ? make_points(s->n[d], first, d, &s->scale[sw_scale_var(d)])
               : sw_data_group_add_kind(s, sw_scale_var(d));
}

/* Longitudes or latitudes of one run on a cubed sphere. */
static enum sw_status make_angles(const int64_t n[SW_DIMS], const struct sw_grid *g, bool latitude, double **angle)
{
    SW_TRY(sw_alloc((size_t)(n[0] * n[1]), angle));
    for (int64_t p = 0; p < n[0] * n[1]; p++) {
        double at[SW_DIMS];
        sw_grid_point(g, (const int64_t[SW_DIMS]){p % n[0], p / n[0], 0}, at);
        (*angle)[p] = at[latitude];
    }
    return SW_OK;
}

/* Values of the scales, or variables instead of them where runs disagree. */
static enum sw_status set_scales(struct sw_part *p)
{
    struct sw_data_group *s = &p->data_group;
    const struct sw_grid *first = &p->grid[0];
    if (p->nfields) {
        const bool half = !s->slabs && s->piece_first + s->piece_count < s->n[0];  /* one more is begun */
        s->nfield = p->writer[p->nseries].written + (s->piece_count && half);
        if (!s->slabs && s->piece_count == s->n[0]) s->piece_count = 0;
        SW_TRY(make_common_times(p, SW_VAR_T, &s->scale[SW_VAR_T]));
        if (!s->scale[SW_VAR_T]) SW_TRY(sw_data_group_add_kind(s, SW_VAR_T));
        for (int d = 0; d < s->dim; d++) SW_TRY(set_space(p, d));
        if (first->panel) SW_TRY(sw_data_group_add_kind(s, SW_VAR_LON));
        if (first->panel) SW_TRY(sw_data_group_add_kind(s, SW_VAR_LAT));
    }
    if (p->nseries) {
        s->nscalar = p->writer[0].written;
        SW_TRY(make_common_times(p, SW_VAR_TS, &s->scale[SW_VAR_TS]));
        if (!s->scale[SW_VAR_TS]) SW_TRY(sw_data_group_add_kind(s, SW_VAR_TS));
    }
    return SW_OK;
}

/* The values of t, t_s, xc, yc, zc, lon or lat for one run. */
static enum sw_status run_coordinates(const struct sw_part *p, enum sw_var_kind kind, int64_t j, double **value)
{
    const struct sw_data_group *s = &p->data_group;
    for (int d = 0; d < s->dim; d++)
        if (kind == sw_scale_var(d)) return make_points(s->n[d], &p->grid[j], d, value);
    if (kind == SW_VAR_LON || kind == SW_VAR_LAT)
        return make_angles(s->n, &p->grid[j], kind == SW_VAR_LAT, value);
    return make_times(p, kind, j, value);
}

static void write_run_coordinates(struct sw_part *p, const struct sw_var *var)
{
    hsize_t start[SW_H5_RANK] = {0}, count[SW_H5_RANK] = {1};
    struct sw_h5_shape shape = {0};
    shape.rank = sw_var_size(&p->data_group, var->kind, p->desc.count, sw_var_outputs(&p->data_group, var->kind),
                             shape.dim);
    hid_t dataset = sw_h5_make_var(&p->h5, &p->data_group, var, &shape);
    for (int k = 1; k < shape.rank; k++) count[k] = shape.dim[k];
    for (; start[0] < shape.dim[0] && count[1] && !p->h5.status; start[0]++) {
        double *value = NULL;
        if (run_coordinates(p, var->kind, (int64_t)start[0], &value)) p->h5.status = SW_E_MEMORY;
        sw_h5_write(&p->h5, dataset, SW_H5_DOUBLE, shape.rank, start, count, value);
        sw_free(value);
    }
    sw_h5_dataset_close(dataset);
}

static enum sw_status fill_table(const struct sw_part *p, const struct sw_run_result *result, struct sw_run_table *t)
{
    memcpy(t->index, p->desc.run, (size_t)t->nruns * sizeof *t->index);
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++)
        if (sw_run_column_present(c, p->desc.sweep)) SW_TRY(sw_run_table_add_column(t, c));
    for (int64_t j = 0; j < t->nruns; j++) {
        t->id[j] = p->desc.id[j];
        sw_run_table_set_row(t, j, &result[j].row);
        SW_TRY(sw_run_table_set_message(t, j, result[j].message));
    }
    return sw_run_table_set_sweep(t, p->desc.sweep);
}

static void write_state(struct sw_h5 *h, const struct sw_part_desc *d, const struct sw_part_state *state)
{
    struct sw_h5_shape shape = {.rank = 2, .dim = {(hsize_t)d->count, state->size}};
    const int64_t cut = d->group->cut;
    int64_t ticks = 0;
    for (int j = 0; j < d->count; j++) ticks = sw_group_ticks_digest(d->group, d->run[j], d->id[j], ticks);
    sw_h5_group(h, "/state");
    sw_h5_attr(h, "/state", "step", SW_H5_INTEGER, 1, &state->step);
    if (cut) sw_h5_attr(h, "/state", "cut", SW_H5_INTEGER, 1, &cut);
    if (ticks) sw_h5_attr(h, "/state", "ticks", SW_H5_INTEGER, 1, &ticks);
    sw_h5_put(h, "/state/u", SW_H5_DOUBLE, &shape, state->number);
}

/* The states in which runs have ended, beside their other arrays. */
static void write_last_state(struct sw_part *p, const struct sw_part_state *state)
{
    for (int k = p->nwriter; state && k < p->data_group.nvar; k++)
        if (p->data_group.var[k].kind == SW_VAR_STATE) write_whole(p, &p->data_group.var[k], 1, state->number);
}

/* Say which points of a field are in the part. */
static void write_piece(struct sw_h5 *h, const struct sw_data_group *s)
{
    char path[SW_PATH];
    snprintf(path, sizeof path, "/%s", s->name);
    sw_h5_attr(h, path, "piece_first", SW_H5_INTEGER, 1, &s->piece_first);
    sw_h5_attr(h, path, "piece_count", SW_H5_INTEGER, 1, &s->piece_count);
    if (!s->slabs) return;
    sw_h5_attr(h, path, "slab", SW_H5_INTEGER, 1, &s->slab);
    sw_h5_attr(h, path, "slabs", SW_H5_INTEGER, 1, &s->slabs);
    if (s->nstate) sw_h5_write_state_shape(h, s);
}

static enum sw_status write_run_table_and_scales(struct sw_part *p, const struct sw_run_table *t,
                                                 const struct sw_part_state *last_state)
{
    char path[SW_PATH], *coordinates = sw_run_table_coordinates(t);
    if (!coordinates) return SW_E_MEMORY;
    sw_h5_write_runs(&p->h5, "/run", p->desc.count, p->desc.run);
    if (p->data_group.name[0] && (p->nwriter || has_other_arrays(p)))
        sw_h5_write_runs(&p->h5, sw_data_group_path(&p->data_group, "run", path), p->desc.count, p->desc.run);
    if (p->data_group.piece_count) write_piece(&p->h5, &p->data_group);
    sw_h5_write_scales(&p->h5, &p->data_group);
    for (int k = p->nwriter; k < p->data_group.nvar; k++)
        if (p->data_group.var[k].kind < SW_VAR_STATE) write_run_coordinates(p, &p->data_group.var[k]);
    write_last_state(p, last_state);
    sw_h5_write_table(&p->h5, t, coordinates);
    sw_h5_finish_vars(&p->h5, &p->data_group, coordinates);
    sw_free(coordinates);
    return p->h5.status;
}

static enum sw_status write_datasets(struct sw_part *p, const struct sw_run_result *result,
                                     const struct sw_part_state *last_state, struct sw_run_table *t)
{
    for (int k = 0; k < p->nwriter; k++) flush_writer(&p->writer[k]);
    SW_TRY(set_scales(p));
    if (last_state) {
        p->data_group.nstate = (int64_t)last_state->size;
        SW_TRY(sw_data_group_add_kind(&p->data_group, SW_VAR_STATE));
    }
    SW_TRY(fill_table(p, result, t));
    return write_run_table_and_scales(p, t, last_state);
}

static enum sw_status finish_file(struct sw_part *p, const struct sw_run_result *result,
                                  const struct sw_part_state *state, struct sw_sealed *sealed)
{
    struct sw_run_table *table = NULL;
    const bool goes_on = state && !state->ended;
    enum sw_status st = sw_run_table_alloc(p->desc.count, p->desc.sweep->naxis, &table);
    if (!st) st = write_datasets(p, result, goes_on ? NULL : state, table);
    if (!st && goes_on) write_state(&p->h5, &p->desc, state);
    sw_run_table_free(&table);
    return st ? st : sw_h5_close_written(&p->h5, sealed);
}

/* Where a run goes on, or went on from another part, the part itself is asked. */
static void add_to_index(const struct sw_part *p, const struct sw_run_result *result, bool goes_on)
{
    char *part = sw_strndup(p->tmp, strlen(p->tmp) - strlen(".tmp"));
    if (part && !goes_on && !p->desc.field_first && !p->desc.scalar_first && !p->desc.group->cut && !p->desc.slab.ranks)
        sw_part_index_add(part, p->desc.count, p->desc.id, result);
    sw_free(part);
}

enum sw_status sw_part_commit(struct sw_part **part, const struct sw_run_result *result,
                              const struct sw_part_state *state)
{
    struct sw_part *p = *part;
    struct sw_sealed sealed;
    sw_hdf5_lock();
    enum sw_status st = finish_file(p, result, state, &sealed);
    sw_hdf5_unlock();
    if (!st) st = sw_files_sync(&sealed, p->tmp, false);  /* it waits for the disk: others may write meanwhile */
    if (!st) st = sw_files_commit(p->tmp);
    if (!st) add_to_index(p, result, state && !state->ended);
    if (st) sw_part_abandon(part);
    else free_part(p);
    *part = NULL;
    return st;
}

void sw_part_abandon(struct sw_part **part)
{
    struct sw_part *p = part ? *part : NULL;
    if (!p) return;
    sw_hdf5_lock();
    drop_part(p);
    sw_hdf5_unlock();
    *part = NULL;
}

/* ---- the state of a part that goes on */

static enum sw_status read_state(const struct sw_checkpoint *batch, int part, size_t size, double *state)
{
    struct sw_h5 h;
    sw_hdf5_lock();
    if (!sw_h5_open(&h, batch->part[part].path))
        sw_h5_get_list(&h, "/state/u", SW_H5_DOUBLE, (int64_t)((size_t)batch->count * size), state);
    enum sw_status st = sw_h5_close(&h);
    sw_hdf5_unlock();
    if (!st || !h.damaged) return st;  /* what the system cannot read now may be whole */
    char why[400];
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(st, "%s; remove this file, no other: its %d runs continue from the part before it, or begin again",
                   why, batch->count);
}

static size_t numbers_of_fields(const struct sw_state_shape *s, size_t fields)
{
    return fields * s->across * (size_t)s->count;
}

static size_t state_numbers(const struct sw_state_shape *s)
{
    return numbers_of_fields(s, s->fields + s->behind) + s->more;
}

/* The points of some fields that two slabs share. */
static void copy_points(size_t fields, const struct sw_state_shape *from, const double *old,
                        const struct sw_state_shape *to, double *state)
{
    const int64_t begin = sw_clamp(from->first, to->first, INT64_MAX),
                  end = sw_clamp(from->first + from->count, 0, to->first + to->count);
    for (size_t f = 0; f < fields && end > begin; f++)
        memcpy(state + to->across * (f * (size_t)to->count + (size_t)(begin - to->first)),
               old + to->across * (f * (size_t)from->count + (size_t)(begin - from->first)),
               to->across * (size_t)(end - begin) * sizeof *state);
}

static void copy_runs(int count, const struct sw_state_shape *from, const double *old, bool first_slab,
                      const struct sw_state_shape *to, double *state)
{
    const size_t have = numbers_of_fields(from, from->fields), want = numbers_of_fields(to, to->fields);
    for (int j = 0; j < count; j++, old += state_numbers(from), state += state_numbers(to)) {
        const bool failed = to->more && old[have] >= 0;
        if (!failed) copy_points(to->fields, from, old, to, state);
        copy_points(to->behind, from, old + have + to->more, to, state + want + to->more);
        if (!first_slab) continue;
        for (size_t i = 0; failed && i < want; i++) state[i] = i < have ? old[i] : NAN;
        memcpy(state + want, old + have, to->more * sizeof *state);
    }
}

enum sw_status sw_checkpoint_read(const struct sw_checkpoint *batch, const struct sw_state_shape *shape, double *state)
{
    enum sw_status st = SW_OK;
    if (batch->nparts == 1 && shape->count == shape->whole)
        return read_state(batch, 0, state_numbers(shape), state);
    for (int k = 0; k < batch->nparts && !st; k++) {
        struct sw_state_shape from = *shape;
        double *old = NULL;
        from.first = batch->part[k].first;
        from.count = batch->part[k].count ? batch->part[k].count : shape->whole;
        const size_t numbers = state_numbers(&from);
        st = sw_alloc((size_t)batch->count * numbers, &old);
        if (!st) st = read_state(batch, k, numbers, old);
        if (!st) copy_runs(batch->count, &from, old, k == 0, shape, state);
        sw_free(old);
    }
    return st;
}
