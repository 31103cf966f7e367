#include <string.h>
#include <stdlib.h>

#include "base/sw_mem.h"
#include "output/join_hdf5.h"

enum { MOST_OPEN = 64 };           /* an open file takes HDF5 some 0.6 MB, and 0.3 ms to open */

struct opened { int section; const char *name; hid_t dataset; int64_t depth; };
struct reader {
    struct sw_h5 h5;
    bool   open;
    int    count;
    struct opened *opened;         /* [count] datasets */
    long   used;                   /* when, for the choice of what to close */
};

enum sw_status sw_readers_make(struct sw_readers *r, const struct sw_gather *g)
{
    *r = (struct sw_readers){.g = g};
    return sw_alloc((size_t)g->ninput, &r->reader);
}

static void forget(struct reader *r)
{
    for (int k = 0; k < r->count; k++) sw_h5_dataset_close(r->opened[k].dataset);
    sw_free(r->opened);
    r->opened = NULL;
    r->count = 0;
}

static void shut(struct reader *r)
{
    forget(r);
    sw_h5_close(&r->h5);
    *r = (struct reader){0};
}

void sw_readers_forget(struct sw_readers *r)
{
    for (int k = 0; k < r->g->ninput; k++) forget(&r->reader[k]);
}

int sw_readers_damaged(const struct sw_readers *r)
{
    for (int k = 0; r->reader && k < r->g->ninput; k++)
        if (r->reader[k].h5.damaged) return k;
    return -1;
}

void sw_readers_free(struct sw_readers *r)
{
    for (int k = 0; r->reader && k < r->g->ninput; k++) shut(&r->reader[k]);
    sw_free(r->reader);
    sw_free(r->piece);
    *r = (struct sw_readers){0};
}

static void close_oldest(struct sw_readers *r)
{
    int open = 0, oldest = -1;
    for (int k = 0; k < r->g->ninput; k++) {
        if (!r->reader[k].open) continue;
        open++;
        if (oldest < 0 || r->reader[k].used < r->reader[oldest].used) oldest = k;
    }
    if (open >= MOST_OPEN) shut(&r->reader[oldest]);
}

static enum sw_status reach_file(struct sw_readers *r, int input)
{
    struct reader *file = &r->reader[input];
    file->used = ++r->clock;
    if (file->open) return SW_OK;
    close_oldest(r);
    enum sw_status st = sw_h5_open(&file->h5, r->g->input[input].path);
    if (st) sw_h5_close(&file->h5);
    file->open = !st;
    return st;
}

/* Outputs that are read at once: those of a chunk where it holds many runs (a part: what is read is then one stretch of
 * the file, not a line of each run), else all. */
static int64_t depth_of(const struct sw_h5_shape *shape) { return shape->chunk[0] > 1 ? (int64_t)shape->chunk[1] : 0; }

static enum sw_status reach(struct sw_readers *r, const struct sw_task *task, const char *name, struct opened *dataset)
{
    struct reader *file = &r->reader[task->input];
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    SW_TRY(reach_file(r, task->input));
    for (int k = 0; k < file->count; k++)
        if (file->opened[k].section == task->section && !strcmp(file->opened[k].name, name)) {
            *dataset = file->opened[k];
            return SW_OK;
        }
    SW_TRY(sw_resize((size_t)file->count, (size_t)file->count + 1, &file->opened));
    sw_section_path(&r->g->input[task->input].section[task->section], name, path);
    *dataset = (struct opened){task->section, name, sw_h5_dataset(&file->h5, path, &shape, &type), 0};
    if (file->h5.status) return file->h5.status;
    dataset->depth = depth_of(&shape);
    file->opened[file->count++] = *dataset;
    return SW_OK;
}

int64_t sw_window_overlap(const struct sw_window *w, const struct sw_section *s, int64_t *first, int64_t *at)
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

bool sw_window_covered(const struct sw_window *w, const struct sw_gather *g, const struct sw_task *task, int64_t count)
{
    int64_t outputs = 0, first, at;
    if (w->var->kind == SW_VAR_STATE) return false;  /* only the last stretch of a run has it */
    for (int64_t k = 0; k < count; k++) {  /* stretches of a run do not overlap */
        const struct sw_section *s = &g->input[task[k].input].section[task[k].section];
        if (sw_section_var(s, w->var->name)) outputs += sw_window_overlap(w, s, &first, &at);
    }
    return outputs == w->rows * w->outputs;
}

static char *place_of(const struct sw_window *w, const struct sw_task *task, int64_t k, int64_t output)
{
    int64_t row = w->packed ? k : task[k].to - w->row;
    return w->block + (size_t)(row * w->outputs + output) * w->cell;
}

static const double *scale_of(const struct sw_section *s, enum sw_var_kind kind)
{
    for (int d = 0; d < SW_DIMS; d++)
        if (kind == sw_scale_var(d)) return s->x[d];
    return kind == SW_VAR_T ? s->time : kind == SW_VAR_TS ? s->time_s : NULL;
}

static enum sw_status copy_from_dataset(struct sw_readers *r, const struct sw_window *w, const struct sw_task *task,
                                        int64_t count, int64_t first, int64_t at, int64_t outputs,
                                        const struct opened *dataset)
{
    struct sw_h5 *h = &r->reader[task->input].h5;
    const int64_t step = dataset->depth ? sw_clamp(dataset->depth, 1, outputs) : outputs;
    SW_TRY(sw_have_room((size_t)(count * step) * w->cell, &r->piece, &r->room));
    for (int64_t o = 0; o < outputs; o += step) {
        const int64_t here = sw_clamp(outputs - o, 1, step);
        hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
        int rank = sw_var_start(w->s, w->var->kind, task->from, first + o, start);
        sw_var_size(w->s, w->var->kind, count, here, size);
        sw_h5_read(h, dataset->dataset, w->var->type, rank, start, size, r->piece);
        if (h->status) return h->status;
        for (int64_t k = 0; k < count; k++)
            memcpy(place_of(w, task, k, at + o), r->piece + (size_t)(k * here) * w->cell, (size_t)here * w->cell);
    }
    return SW_OK;
}

enum sw_status sw_readers_copy(struct sw_readers *r, const struct sw_window *w, const struct sw_task *task,
                               int64_t count)
{
    const struct sw_section *s = &r->g->input[task->input].section[task->section];
    const struct sw_var *var = sw_section_var(s, w->var->name);
    int64_t first, at, outputs = sw_window_overlap(w, s, &first, &at);
    struct opened dataset;
    if (!outputs) return SW_OK;
    if (var) {
        SW_TRY(reach(r, task, var->name, &dataset));
        return copy_from_dataset(r, w, task, count, first, at, outputs, &dataset);
    }
    const double *scale = scale_of(s, w->var->kind);
    for (int64_t k = 0; scale && k < count; k++)
        memcpy(place_of(w, task, k, at), scale + first, (size_t)outputs * w->cell);
    return SW_OK;
}

/* ---- tasks */
static int by_place(const void *a, const void *b)
{
    const struct sw_task *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

bool sw_task_neighbours(const struct sw_task *a, const struct sw_task *b)
{
    return a->input == b->input && a->section == b->section && a->from + 1 == b->from;
}

/* NULL task: only counted. */
static int64_t list(const struct sw_gather *g, const struct sw_target *t, int64_t row, int64_t rows,
                    struct sw_task *task)
{
    int64_t count = 0;
    for (int64_t to = row; to < row + rows; to++)
        for (int64_t l = t->link[to]; l >= 0; l = g->link[l].before) {
            const struct sw_link *k = &g->link[l];
            const struct sw_source *in = &g->input[k->input];
            if (in->section_of[k->row] < 0) continue;
            if (task) task[count] = (struct sw_task){k->input, in->section_of[k->row], in->row_of[k->row], to};
            count++;
        }
    return count;
}

enum sw_status sw_tasks_list(const struct sw_gather *g, const struct sw_target *t, int64_t row, int64_t rows,
                             struct sw_task **task, int64_t *count)
{
    *count = list(g, t, row, rows, NULL);
    SW_TRY(sw_alloc((size_t)*count, task));
    list(g, t, row, rows, *task);
    qsort(*task, (size_t)*count, sizeof **task, by_place);
    return SW_OK;
}
