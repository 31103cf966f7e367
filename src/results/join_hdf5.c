#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "results/target_hdf5.h"

/* The arrays of many files become those of one: a block of rows at a time is gathered in memory, all its outputs
 * together, and written in one go. Two buffers of this size are all it takes. */
enum { BLOCK_BYTES = 32 << 20, MOST_OPEN = 64 };

struct reader {                    /* an input while its arrays are read */
    struct sw_h5 h5;
    bool   open;
    int    section;                /* of the dataset                     */
    hid_t  dataset;                /* of the variable under way, -1: none */
    bool   by_output;              /* its chunks hold an output of many runs (a part), not a run's outputs */
    long   used;                   /* when, for the choice of what to close */
};

struct join {
    const struct sw_gather *g;
    struct sw_targets targets;
    struct sw_h5   out;
    struct reader *reader;         /* [g->ninput]              */
    long           clock;
    char          *block, *piece;  /* gathered; as read        */
    struct task   *task;
};

struct task {                      /* one stretch of one run   */
    int     input, section;
    int64_t from, to;              /* row in the input's section, and in the block */
};

/* ---- reading */
static void close_oldest(struct join *j)
{
    int open = 0, oldest = -1;
    for (int k = 0; k < j->g->ninput; k++) {
        if (!j->reader[k].open) continue;
        open++;
        if (oldest < 0 || j->reader[k].used < j->reader[oldest].used) oldest = k;
    }
    if (open < MOST_OPEN) return;
    sw_h5_close(&j->reader[oldest].h5);
    j->reader[oldest] = (struct reader){.dataset = -1};
}

/* The dataset of a variable in an input, -1 if it has none. */
static enum sw_status reach(struct join *j, int input, int section, const char *name, hid_t *dataset)
{
    struct reader *r = &j->reader[input];
    const struct sw_section *s = &j->g->input[input].section[section];
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    *dataset = -1;
    if (!sw_section_var(s, name)) return SW_OK;
    if (!r->open) {
        close_oldest(j);
        enum sw_status st = sw_h5_open(&r->h5, j->g->input[input].path);
        if (st) { sw_h5_close(&r->h5); return st; }
        *r = (struct reader){.h5 = r->h5, .open = true, .dataset = -1};
    }
    if (r->dataset >= 0 && r->section != section) { sw_h5_dataset_close(r->dataset); r->dataset = -1; }
    if (r->dataset < 0) {
        r->dataset = sw_h5_dataset(&r->h5, sw_section_path(s, name, path), &shape, &type);
        r->by_output = shape.chunk[0] > 1;
    }
    r->section = section;
    r->used = ++j->clock;
    *dataset = r->dataset;
    return r->h5.status;
}

static void forget_datasets(struct join *j)
{
    for (int k = 0; k < j->g->ninput; k++) {
        sw_h5_dataset_close(j->reader[k].dataset);
        j->reader[k].dataset = -1;
    }
}

struct window {                    /* the part of a variable that is in memory */
    const struct sw_section *s;
    const struct sw_var *var;
    int64_t row, rows;             /* of the section                           */
    int64_t output, outputs;
    int64_t inner;
    size_t  cell;                  /* bytes an output                          */
};

/* Outputs of an input's section that fall into the window. first: in the section's own count. */
static int64_t overlap(const struct window *w, const struct sw_section *s, int64_t *first, int64_t *at)
{
    int64_t begin = 0, end = sw_var_outputs(s, w->var->kind);
    if (w->var->kind == SW_VAR_FIELD || w->var->kind == SW_VAR_T) begin = s->field_first;
    if (w->var->kind == SW_VAR_SERIES || w->var->kind == SW_VAR_TS) begin = s->scalar_first;
    end += begin;
    int64_t from = sw_clamp(begin, w->output, INT64_MAX), to = sw_clamp(end, 0, w->output + w->outputs);
    *first = from - begin;
    *at = from - w->output;
    return to > from ? to - from : 0;
}

static const double *scale_of(const struct sw_section *s, enum sw_var_kind kind)
{
    for (int d = 0; d < SW_DIMS; d++)
        if (kind == sw_scale_var(d)) return s->x[d];
    return kind == SW_VAR_T ? s->time : kind == SW_VAR_TS ? s->time_s : NULL;
}

/* A stretch of outputs of some neighbouring rows, into j->piece. */
static enum sw_status read_piece(struct join *j, const struct window *w, const struct task *task, int64_t count,
                                 int64_t first, int64_t outputs, hid_t dataset)
{
    hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
    int rank = sw_var_start(w->s, w->var->kind, task->from, first, start);
    sw_var_size(w->s, w->var->kind, count, outputs, size);
    sw_h5_read(&j->reader[task->input].h5, dataset, w->var->type, rank, start, size, j->piece);
    return j->reader[task->input].h5.status;
}

/* Output by output where they lie so: what is read at once is then one stretch of the file, not a line of each run. */
static enum sw_status copy_from_dataset(struct join *j, const struct window *w, const struct task *task, int64_t count,
                                        int64_t first, int64_t at, int64_t outputs, hid_t dataset)
{
    int64_t step = j->reader[task->input].by_output ? 1 : outputs;
    size_t row_bytes = (size_t)w->outputs * w->cell, piece = (size_t)step * w->cell;
    for (int64_t o = 0; o < outputs; o += step) {
        SW_TRY(read_piece(j, w, task, count, first + o, step, dataset));
        for (int64_t k = 0; k < count; k++)
            memcpy(j->block + (size_t)task[k].to * row_bytes + (size_t)(at + o) * w->cell,
                   j->piece + (size_t)k * piece, piece);
    }
    return SW_OK;
}

/* Fill `count` rows of the block, task[0 .. count-1], which are neighbours in the input. */
static enum sw_status copy_rows(struct join *j, const struct window *w, const struct task *task, int64_t count)
{
    const struct sw_section *s = &j->g->input[task->input].section[task->section];
    int64_t first, at, outputs = overlap(w, s, &first, &at);
    size_t row_bytes = (size_t)w->outputs * w->cell;
    hid_t dataset;
    if (!outputs) return SW_OK;
    SW_TRY(reach(j, task->input, task->section, w->var->name, &dataset));
    if (dataset >= 0) return copy_from_dataset(j, w, task, count, first, at, outputs, dataset);
    const double *scale = scale_of(s, w->var->kind);
    for (int64_t k = 0; scale && k < count; k++)
        memcpy(j->block + (size_t)task[k].to * row_bytes + (size_t)at * w->cell, scale + first,
               (size_t)outputs * w->cell);
    return SW_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static bool neighbours(const struct task *a, const struct task *b)
{
    return a->input == b->input && a->section == b->section && a->from + 1 == b->from;
}

/* All stretches of the rows of a window; NULL task: only counted. */
static int64_t list_tasks(const struct join *j, const struct sw_target *t, const struct window *w, struct task *task)
{
    int64_t count = 0;
    for (int64_t row = 0; row < w->rows; row++)
        for (int64_t l = t->link[w->row + row]; l >= 0; l = j->g->link[l].before) {
            const struct sw_link *k = &j->g->link[l];
            const struct sw_source *in = &j->g->input[k->input];
            if (in->section_of[k->row] < 0) continue;
            if (task) task[count] = (struct task){k->input, in->section_of[k->row], in->row_of[k->row], row};
            count++;
        }
    return count;
}

static void fill_nan(char *block, size_t bytes, enum sw_h5_type type)
{
    size_t count = bytes / sw_h5_size(type);
    for (size_t k = 0; type == SW_H5_DOUBLE && k < count; k++) ((double *)block)[k] = NAN;
    for (size_t k = 0; type == SW_H5_SINGLE && k < count; k++) ((float *)block)[k] = NAN;
}

/* Will the tasks fill all of the window? Stretches of a run do not overlap. */
static bool is_covered(const struct join *j, const struct window *w, int64_t count)
{
    int64_t outputs = 0, first, at;
    for (int64_t k = 0; k < count; k++) {
        const struct sw_section *s = &j->g->input[j->task[k].input].section[j->task[k].section];
        if (sw_section_var(s, w->var->name)) outputs += overlap(w, s, &first, &at);
    }
    return outputs == w->rows * w->outputs;
}

static enum sw_status gather_window(struct join *j, const struct sw_target *t, const struct window *w)
{
    int64_t count = list_tasks(j, t, w, NULL);
    enum sw_status st = SW_OK;
    sw_free(j->task);
    SW_TRY(sw_alloc((size_t)count, &j->task));
    list_tasks(j, t, w, j->task);
    qsort(j->task, (size_t)count, sizeof *j->task, by_place);
    if (!is_covered(j, w, count)) fill_nan(j->block, (size_t)(w->rows * w->outputs) * w->cell, w->var->type);
    for (int64_t k = 0, next; k < count && !st; k = next) {
        for (next = k + 1; next < count && neighbours(&j->task[next - 1], &j->task[next]);) next++;
        st = copy_rows(j, w, &j->task[k], next - k);
    }
    return st;
}

/* ---- writing */
static enum sw_status copy_windows(struct join *j, const struct sw_target *t, struct window *w, hid_t dataset)
{
    int64_t outputs = sw_var_outputs(w->s, w->var->kind), rows = w->rows, step = w->outputs;
    for (w->row = 0; w->row < w->s->count; w->row += rows)
        for (w->output = 0; w->output < outputs; w->output += step) {
            w->rows = sw_clamp(w->s->count - w->row, 1, rows);
            w->outputs = sw_clamp(outputs - w->output, 1, step);
            SW_TRY(gather_window(j, t, w));
            hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
            int rank = sw_var_start(w->s, w->var->kind, w->row, w->output, start);
            sw_var_size(w->s, w->var->kind, w->rows, w->outputs, size);
            sw_h5_write(&j->out, dataset, w->var->type, rank, start, size, j->block);
            SW_TRY(j->out.status);
        }
    return SW_OK;
}

/* A field's chunk is all of one run, (1, nt, nx) or (1, nt, nz, ny, nx); of a run larger than a block, as many outputs
 * as fit one. */
static enum sw_status copy_var(struct join *j, const struct sw_target *t, const struct sw_var *var)
{
    const struct sw_section *s = &t->section;
    struct window w = {.s = s, .var = var, .inner = sw_var_inner(s, var->kind)};
    int64_t outputs = sw_var_outputs(s, var->kind);
    w.cell = (size_t)w.inner * sw_h5_size(var->type);
    w.outputs = sw_clamp(BLOCK_BYTES / (int64_t)w.cell, 1, outputs);
    w.rows = sw_clamp(BLOCK_BYTES / (w.outputs * (int64_t)w.cell), 1, s->count);
    struct sw_h5_shape shape = {0};
    if (var->kind == SW_VAR_FIELD) sw_var_chunk(s, var->kind, 1, w.outputs, shape.chunk);
    shape.rank = sw_var_size(s, var->kind, s->count, outputs, shape.dim);
    sw_free(j->block);
    sw_free(j->piece);
    j->block = j->piece = NULL;
    SW_TRY(sw_alloc((size_t)(w.rows * w.outputs) * w.cell, &j->block));
    SW_TRY(sw_alloc((size_t)(w.rows * w.outputs) * w.cell, &j->piece));
    hid_t dataset = sw_h5_make_var(&j->out, s, var, &shape);
    SW_TRY(j->out.status);
    enum sw_status st = copy_windows(j, t, &w, dataset);
    sw_h5_dataset_close(dataset);
    forget_datasets(j);
    return st;
}

static enum sw_status write_target(struct join *j, const struct sw_target *t, const char *coordinates)
{
    const struct sw_section *s = &t->section;
    char path[SW_PATH];
    if (s->name[0]) {
        sw_h5_write_group(&j->out, s);
        sw_h5_write_runs(&j->out, sw_section_path(s, "run", path), s->count, s->index);
        sw_h5_write_scales(&j->out, s);
    }
    for (int k = 0; k < s->nvar; k++) SW_TRY(copy_var(j, t, &s->var[k]));
    sw_h5_finish_vars(&j->out, s, coordinates);
    return j->out.status;
}

static enum sw_status write_all(struct join *j, const char *coordinates)
{
    const struct sw_target *first = j->targets.target;
    const struct sw_section *root = j->targets.count && !first->section.name[0] ? &first->section : NULL;
    const struct sw_table *table = j->targets.table;
    sw_h5_write_facts(&j->out, &table->own->facts);
    sw_h5_write_runs(&j->out, "/run", table->nruns, table->index);
    if (root) {
        sw_h5_write_group(&j->out, root);
        sw_h5_write_scales(&j->out, root);
    }
    sw_h5_write_table(&j->out, table, coordinates);
    for (int k = 0; k < j->targets.count; k++) SW_TRY(write_target(j, &j->targets.target[k], coordinates));
    return j->out.status;
}

static enum sw_status join(struct join *j, const char *path)
{
    SW_TRY(sw_alloc((size_t)j->g->ninput, &j->reader));
    for (int k = 0; k < j->g->ninput; k++) j->reader[k].dataset = -1;
    SW_TRY(sw_targets_make(&j->targets));
    SW_TRY(sw_h5_create(&j->out, path));
    char *coordinates = sw_table_coordinates(j->targets.table);
    enum sw_status st = coordinates ? write_all(j, coordinates) : SW_E_MEMORY;
    sw_free(coordinates);
    return st;
}

enum sw_status sw_join_write(const struct sw_gather *gather, const struct sw_table *table, const int64_t *link,
                             const char *path)
{
    struct join j = {.g = gather, .targets = {.g = gather, .table = table, .link = link}};
    enum sw_status st = join(&j, path);
    if (st) sw_h5_drop(&j.out);
    else st = sw_h5_close(&j.out);
    for (int k = 0; j.reader && k < gather->ninput; k++) sw_h5_close(&j.reader[k].h5);
    sw_targets_free(&j.targets);
    sw_free(j.reader);
    sw_free(j.task);
    sw_free(j.block);
    sw_free(j.piece);
    return st;
}
