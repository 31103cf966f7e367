#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "output/join_virtual.h"

/* The arrays of many files become those of one. Shards deal out their runs, so neighbours in the output come from files
 * all over, and to open one costs as much as to copy a megabyte. Fields, the bulk, are therefore copied input by input:
 * each file is opened once, and each of its runs goes to its place. All else, and fields whose runs are in pieces or
 * larger than a block, go by windows: a block of rows of the output is gathered in memory, all its outputs together,
 * and written in one go. */
enum { BLOCK_BYTES = 32 << 20 };   /* two buffers of this size are all it takes */

struct making {                    /* a variable of the output under way         */
    const struct sw_var *var;
    hid_t   dataset;
    int64_t outputs;
    size_t  cell, row;             /* bytes an output, a run                      */
    bool    by_input;
};

struct join {
    const struct sw_gather *g;
    struct sw_targets targets;
    struct sw_h5      out;
    struct sw_readers in;
    bool              as_virtual;  /* fields and series are not copied                     */
    struct sw_virtual parts;
    char             *block;       /* gathered: BLOCK_BYTES, or one output if that is more */
    size_t            room;
};

static void fill_nan(char *block, size_t bytes, enum sw_h5_type type)
{
    size_t count = bytes / sw_h5_size(type);
    for (size_t k = 0; type == SW_H5_DOUBLE && k < count; k++) ((double *)block)[k] = NAN;
    for (size_t k = 0; type == SW_H5_SINGLE && k < count; k++) ((float *)block)[k] = NAN;
}

static void write_rows(struct join *j, const struct making *m, const struct sw_window *w, int64_t row, int64_t rows,
                       const char *data)
{
    hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
    int rank = sw_var_start(w->s, m->var->kind, row, w->output, start);
    sw_var_size(w->s, m->var->kind, rows, w->outputs, size);
    sw_h5_write(&j->out, m->dataset, m->var->type, rank, start, size, data);
}

/* ---- input by input */
static enum sw_status move_stretch(struct join *j, const struct sw_target *t, const struct making *m,
                                   const struct sw_task *task, int64_t count)
{
    struct sw_window w = {.s = &t->section, .var = m->var, .rows = count, .outputs = m->outputs, .cell = m->cell,
                          .packed = true, .block = j->block};
    if (!sw_window_covered(&w, j->g, task, count)) fill_nan(j->block, (size_t)count * m->row, m->var->type);
    SW_TRY(sw_readers_copy(&j->in, &w, task, count));
    for (int64_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && task[next].to == task[next - 1].to + 1;) next++;
        write_rows(j, m, &w, task[k].to, next - k, j->block + (size_t)k * m->row);
    }
    return j->out.status;
}

static enum sw_status copy_by_input(struct join *j, const struct sw_target *t, const struct making *m, int count)
{
    struct sw_task *task = NULL;
    int64_t ntask, most = INT64_MAX;
    size_t row = 1;
    for (int k = 0; k < count; k++)
        if (m[k].by_input && m[k].row > row) row = m[k].row;
    if (row == 1) return SW_OK;  /* there are none */
    most = sw_clamp(BLOCK_BYTES / (int64_t)row, 1, t->section.count);
    enum sw_status st = sw_have_room((size_t)most * row, &j->block, &j->room);
    if (!st) st = sw_tasks_list(j->g, t, 0, t->section.count, &task, &ntask);
    for (int64_t k = 0, next; !st && k < ntask; k = next) {
        for (next = k + 1; next < ntask && next - k < most && sw_task_neighbours(&task[next - 1], &task[next]);) next++;
        for (int v = 0; v < count && !st; v++)
            if (m[v].by_input) st = move_stretch(j, t, &m[v], task + k, next - k);
    }
    sw_free(task);
    return st;
}

/* ---- by windows */
/* All variables of an input's rows while it is open. */
static enum sw_status fill_windows(struct join *j, const struct sw_target *t, const struct sw_window *w, int nwindow)
{
    struct sw_task *task;
    int64_t count;
    SW_TRY(sw_tasks_list(j->g, t, w->row, w->rows, &task, &count));
    enum sw_status st = SW_OK;
    for (int v = 0; v < nwindow; v++)
        if (!sw_window_covered(&w[v], j->g, task, count))
            fill_nan(w[v].block, (size_t)(w[v].rows * w[v].outputs) * w[v].cell, w[v].var->type);
    for (int64_t k = 0, next; k < count && !st; k = next) {
        for (next = k + 1; next < count && sw_task_neighbours(&task[next - 1], &task[next]);) next++;
        for (int v = 0; v < nwindow && !st; v++) st = sw_readers_copy(&j->in, &w[v], task + k, next - k);
    }
    sw_free(task);
    return st;
}

/* One window of each variable; outputs: of one variable alone, when a run of it is more than a block. */
static enum sw_status copy_window(struct join *j, const struct sw_target *t, const struct making *m, int count,
                                  int64_t row, int64_t rows, int64_t output, int64_t outputs, struct sw_window *w)
{
    char *block = j->block;
    for (int v = 0; v < count; v++) {
        w[v] = (struct sw_window){.s = &t->section, .var = m[v].var, .row = row, .rows = rows, .output = output,
                                  .outputs = count > 1 ? m[v].outputs : outputs, .cell = m[v].cell, .block = block};
        block += (size_t)(rows * w[v].outputs) * m[v].cell;
    }
    SW_TRY(fill_windows(j, t, w, count));
    for (int v = 0; v < count; v++) write_rows(j, &m[v], &w[v], row, rows, w[v].block);
    return j->out.status;
}

/* Some variables together, if count > 1: their rows fit a block. */
static enum sw_status copy_windows(struct join *j, const struct sw_target *t, const struct making *m, int count)
{
    struct sw_window *w;
    size_t row = 0;
    for (int v = 0; v < count; v++) row += m[v].row;
    int64_t outputs = m->outputs, step = sw_clamp(BLOCK_BYTES / (int64_t)m->cell, 1, outputs);
    int64_t rows = sw_clamp(BLOCK_BYTES / (int64_t)row, 1, t->section.count);
    if (count > 1) step = outputs = 1;
    SW_TRY(sw_have_room((size_t)rows * (count > 1 ? row : (size_t)step * m->cell), &j->block, &j->room));
    SW_TRY(sw_alloc((size_t)count, &w));
    enum sw_status st = SW_OK;
    for (int64_t at = 0; at < t->section.count && !st; at += rows)
        for (int64_t o = 0; o < outputs && !st; o += step)
            st = copy_window(j, t, m, count, at, sw_clamp(t->section.count - at, 1, rows), o,
                             sw_clamp(outputs - o, 1, step), w);
    sw_free(w);
    return st;
}

/* Small variables, of which all rows lie together in the file, are gathered together, as many as fit a block. */
static enum sw_status copy_small(struct join *j, const struct sw_target *t, struct making *m, int count)
{
    for (int k = 0, next; k < count; k = next) {
        size_t row = m[k].row;
        for (next = k + 1; next < count && row + m[next].row <= BLOCK_BYTES; next++) row += m[next].row;
        SW_TRY(copy_windows(j, t, m + k, next - k));
    }
    return SW_OK;
}

/* ---- the variables of a target */
static bool in_pieces(const struct join *j, const struct sw_target *t)
{
    for (int64_t row = 0; row < t->section.count; row++)
        if (j->g->link[t->link[row]].before >= 0) return true;
    return false;
}

/* Contiguous, one run after the other: neighbours are written in one go; an index of chunks would cost 10 us a run. */
static void make_var(struct join *j, const struct sw_section *s, const struct sw_var *var, bool pieces,
                     struct making *m)
{
    struct sw_h5_shape shape = {0};
    *m = (struct making){.var = var, .dataset = -1, .outputs = sw_var_outputs(s, var->kind)};
    m->cell = (size_t)sw_var_inner(s, var->kind) * sw_h5_size(var->type);
    m->row = (size_t)m->outputs * m->cell;
    m->by_input = var->kind == SW_VAR_FIELD && m->row <= BLOCK_BYTES && !pieces;
    shape.rank = sw_var_size(s, var->kind, s->count, m->outputs, shape.dim);
    m->dataset = sw_h5_make_var(&j->out, s, var, &shape);
}

static enum sw_status copy_vars(struct join *j, const struct sw_target *t, struct making *m, int count)
{
    struct making *small;
    int nsmall = 0;
    enum sw_status st = j->out.status;
    if (!st) st = copy_by_input(j, t, m, count);
    for (int k = 0; k < count && !st; k++)
        if (m[k].var->kind == SW_VAR_FIELD && !m[k].by_input) st = copy_windows(j, t, &m[k], 1);
    if (!st) st = sw_alloc((size_t)count, &small);
    if (st) return st;
    for (int k = 0; k < count; k++)
        if (m[k].var->kind != SW_VAR_FIELD) small[nsmall++] = m[k];
    st = copy_small(j, t, small, nsmall);
    sw_free(small);
    return st;
}

static enum sw_status make_vars(struct join *j, const struct sw_target *t)
{
    const struct sw_section *s = &t->section;
    struct making *m;
    bool pieces = in_pieces(j, t);
    int count = 0;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc((size_t)s->nvar, &m));
    for (int k = 0; k < s->nvar && !st; k++) {
        if (j->as_virtual && s->var[k].kind >= SW_VAR_SERIES) st = sw_virtual_put(&j->parts, &j->out, t, &s->var[k]);
        else make_var(j, s, &s->var[k], pieces, &m[count++]);
    }
    if (!st) st = copy_vars(j, t, m, count);
    for (int k = 0; k < count; k++) sw_h5_dataset_close(m[k].dataset);
    sw_readers_forget(&j->in);
    sw_free(m);
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
    SW_TRY(make_vars(j, t));
    sw_h5_finish_vars(&j->out, s, coordinates);
    return j->out.status;
}

static enum sw_status write_all(struct join *j, const char *coordinates)
{
    const struct sw_target *first = j->targets.target;
    const struct sw_section *root = j->targets.count && !first->section.name[0] ? &first->section : NULL;
    const struct sw_run_table *table = j->targets.table;
    sw_h5_write_facts(&j->out, &table->own->facts);
    if (j->as_virtual) SW_TRY(sw_virtual_list(&j->parts, &j->out));
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
    SW_TRY(sw_readers_make(&j->in, j->g));
    SW_TRY(sw_targets_make(&j->targets));
    if (j->as_virtual) SW_TRY(sw_virtual_begin(&j->parts, j->g, path));
    SW_TRY(sw_h5_create(&j->out, path));
    char *coordinates = sw_run_table_coordinates(j->targets.table);
    enum sw_status st = coordinates ? write_all(j, coordinates) : SW_E_MEMORY;
    sw_free(coordinates);
    return st;
}

enum sw_status sw_join_write(struct sw_gather *gather, const struct sw_run_table *table, const int64_t *link,
                             bool as_virtual, const char *path)
{
    struct join j = {.g = gather, .as_virtual = as_virtual, .targets = {.g = gather, .table = table, .link = link}};
    enum sw_status st = join(&j, path);
    if (st) sw_h5_drop(&j.out);
    else st = sw_h5_close(&j.out);
    if (j.in.g) {
        gather->unreadable = 1 + sw_readers_damaged(&j.in);
        sw_readers_free(&j.in);
    }
    sw_virtual_end(&j.parts);
    sw_targets_free(&j.targets);
    sw_free(j.block);
    return st;
}
