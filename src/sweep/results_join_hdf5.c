#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "sweep/results_gather.h"
#include "sweep/results_schema_hdf5.h"

/* The arrays of many files become those of one: a block of rows at a time is gathered in memory, all its outputs together,
 * and written in one go. Two buffers of this size are all it takes. */
enum { BLOCK_BYTES = 32 << 20, MOST_OPEN = 64 };

struct reader {                    /* an input while its arrays are read */
    struct sw_h5 h5;
    bool   open;
    int    section;                /* of the dataset                     */
    hid_t  dataset;                /* of the variable under way, -1: none */
    long   used;                   /* when, for the choice of what to close */
};

struct target {                    /* a section of the output */
    struct sw_section section;
    int64_t *link;                 /* [section.count]         */
    bool     time_differs, time_s_differs, x_differs;
};

struct join {
    const struct sw_gather *g;
    const struct sw_table  *table;
    const int64_t *link;           /* [table->nruns]           */
    struct sw_h5   out;
    int            ntarget;
    struct target *target;
    struct reader *reader;         /* [g->ninput]              */
    long           clock;
    char          *block, *piece;  /* gathered; as read        */
    struct task   *task;
};

struct task {                      /* one stretch of one run   */
    int     input, section;
    int64_t from, to;              /* row in the input's section, and in the block */
};

/* ---- what the output will look like */
static const struct sw_section *section_of(const struct sw_gather *g, int64_t link)
{
    const struct sw_link *l = &g->link[link];
    const struct sw_source *in = &g->input[l->input];
    return in->section_of[l->row] < 0 ? NULL : &in->section[in->section_of[l->row]];
}

static struct target *find_target(struct join *j, int64_t n)
{
    for (int k = 0; k < j->ntarget; k++)
        if (j->target[k].section.n == n) return &j->target[k];
    return NULL;
}

static enum sw_status add_target(struct join *j, int64_t n)
{
    SW_TRY(sw_resize((size_t)j->ntarget, (size_t)j->ntarget + 1, &j->target));
    j->target[j->ntarget++].section.n = n;
    return SW_OK;
}

static int by_points(const void *a, const void *b)
{
    int64_t m = ((const struct target *)a)->section.n, n = ((const struct target *)b)->section.n;
    return (m > n) - (m < n);
}

/* One section a number of points, rows in the table's order. */
static enum sw_status sort_rows(struct join *j)
{
    bool named = false;
    for (int64_t row = 0; row < j->table->nruns; row++) {
        const struct sw_section *s = section_of(j->g, j->link[row]);
        if (!s) continue;
        named |= s->name[0] != 0;
        if (!find_target(j, s->n)) SW_TRY(add_target(j, s->n));
        find_target(j, s->n)->section.count++;
    }
    if (j->ntarget) qsort(j->target, (size_t)j->ntarget, sizeof *j->target, by_points);
    for (int k = 0; k < j->ntarget; k++) {
        struct target *t = &j->target[k];
        if (named || j->ntarget > 1)
            snprintf(t->section.name, sizeof t->section.name, "n%05lld", (long long)t->section.n);
        SW_TRY(sw_alloc((size_t)t->section.count, &t->section.index));
        SW_TRY(sw_alloc((size_t)t->section.count, &t->link));
        t->section.count = 0;
    }
    for (int64_t row = 0; row < j->table->nruns; row++) {
        const struct sw_section *s = section_of(j->g, j->link[row]);
        struct target *t = s ? find_target(j, s->n) : NULL;
        if (!t) continue;
        t->section.index[t->section.count] = j->table->index[row];
        t->link[t->section.count++] = j->link[row];
    }
    return SW_OK;
}

static struct sw_var *find_var(const struct sw_section *s, const char *name)
{
    for (int k = 0; k < s->nvar; k++)
        if (!strcmp(s->var[k].name, name)) return &s->var[k];
    return NULL;
}

static void widen(int64_t *length, int64_t end) { *length = *length > end ? *length : end; }

static enum sw_status add_vars(struct sw_section *to, const struct sw_section *from)
{
    for (int k = 0; k < from->nvar; k++) {
        const struct sw_var *v = &from->var[k];
        struct sw_var *known = find_var(to, v->name);
        if (known) known->type = v->type;  /* the newest decides */
        else if (v->kind >= SW_VAR_SERIES)
            SW_TRY(sw_section_add(to, v->kind, v->type, v->name, v->unit, v->long_name));
    }
    return SW_OK;
}

/* Put an input's scale values where they belong; true if something else is there already. NaN: not known yet. */
static bool put_scale(double *to, const double *from, int64_t first, int64_t count)
{
    for (int64_t k = 0; from && k < count; k++) {
        if (isnan(to[first + k])) to[first + k] = from[k];
        if (to[first + k] != from[k]) return true;
    }
    return !from && count;
}

static enum sw_status alloc_nan(int64_t count, double **value)
{
    SW_TRY(sw_alloc((size_t)count, value));
    for (int64_t k = 0; k < count; k++) (*value)[k] = NAN;
    return SW_OK;
}

/* Call use(target, section) for each section of an input that some row of a target is in. */
static enum sw_status each_source(struct join *j, struct target *t,
                                  enum sw_status (*use)(struct target *t, const struct sw_section *s))
{
    const struct sw_section *last = NULL;
    bool *seen;
    size_t most = 1;
    enum sw_status st = SW_OK;
    for (int k = 0; k < j->g->ninput; k++) most = most > (size_t)j->g->input[k].nsection ? most : (size_t)j->g->input[k].nsection;
    SW_TRY(sw_alloc((size_t)j->g->ninput * most, &seen));
    for (int64_t row = 0; row < t->section.count; row++)
        for (int64_t l = t->link[row]; l >= 0; l = j->g->link[l].before) {
            const struct sw_section *s = section_of(j->g, l);
            if (s && s != last) seen[(size_t)j->g->link[l].input * most + (size_t)(s - j->g->input[j->g->link[l].input].section)] = true;
            last = s;
        }
    for (size_t k = 0; k < (size_t)j->g->ninput * most && !st; k++)  /* old to new */
        if (seen[k]) st = use(t, &j->g->input[k / most].section[k % most]);
    sw_free(seen);
    return st;
}

static enum sw_status add_shape(struct target *t, const struct sw_section *s)
{
    widen(&t->section.nfield, s->field_first + s->nfield);
    widen(&t->section.nscalar, s->scalar_first + s->nscalar);
    return add_vars(&t->section, s);
}

static enum sw_status add_scales(struct target *t, const struct sw_section *s)
{
    t->time_differs |= put_scale(t->section.time, s->time, s->field_first, s->nfield);
    t->time_s_differs |= put_scale(t->section.time_s, s->time_s, s->scalar_first, s->nscalar);
    if (s->nfield) t->x_differs |= put_scale(t->section.x, s->x, 0, s->n);
    return SW_OK;
}

static enum sw_status replace_scale(struct target *t, double **scale, enum sw_var_kind kind, const char *name,
                                    const char *long_name)
{
    sw_free(*scale);
    *scale = NULL;
    return sw_section_add(&t->section, kind, SW_H5_DOUBLE, name, "1", long_name);
}

static enum sw_status shape_target(struct join *j, struct target *t)
{
    struct sw_section *s = &t->section;
    SW_TRY(each_source(j, t, add_shape));
    SW_TRY(alloc_nan(s->nfield, &s->time));
    SW_TRY(alloc_nan(s->nscalar, &s->time_s));
    SW_TRY(alloc_nan(s->n, &s->x));
    SW_TRY(each_source(j, t, add_scales));
    if (t->time_differs) SW_TRY(replace_scale(t, &s->time, SW_VAR_T, "t", "time of saved fields"));
    if (t->time_s_differs) SW_TRY(replace_scale(t, &s->time_s, SW_VAR_TS, "t_s", "time of scalar series"));
    if (t->x_differs) SW_TRY(replace_scale(t, &s->x, SW_VAR_XC, "xc", "space"));
    return SW_OK;
}

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
    if (!find_var(s, name)) return SW_OK;
    if (!r->open) {
        close_oldest(j);
        enum sw_status st = sw_h5_open(&r->h5, j->g->input[input].path);
        if (st) { sw_h5_close(&r->h5); return st; }
        *r = (struct reader){.h5 = r->h5, .open = true, .dataset = -1};
    }
    if (r->dataset >= 0 && r->section != section) { sw_h5_dataset_close(r->dataset); r->dataset = -1; }
    if (r->dataset < 0) r->dataset = sw_h5_dataset(&r->h5, sw_section_path(s, name, path), &shape, &type);
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
    int64_t from = begin > w->output ? begin : w->output, to = end < w->output + w->outputs ? end : w->output + w->outputs;
    *first = from - begin;
    *at = from - w->output;
    return to > from ? to - from : 0;
}

static const double *scale_of(const struct sw_section *s, enum sw_var_kind kind)
{
    return kind == SW_VAR_T ? s->time : kind == SW_VAR_TS ? s->time_s : kind == SW_VAR_XC ? s->x : NULL;
}

/* Fill `count` rows of the block, task[0 .. count-1], which are neighbours in the input. */
static enum sw_status copy_rows(struct join *j, const struct window *w, const struct task *task, int64_t count)
{
    const struct sw_section *s = &j->g->input[task->input].section[task->section];
    int64_t first, at, outputs = overlap(w, s, &first, &at);
    size_t row_bytes = (size_t)w->outputs * w->cell, piece = (size_t)outputs * w->cell;
    hid_t dataset;
    if (!outputs) return SW_OK;
    SW_TRY(reach(j, task->input, task->section, w->var->name, &dataset));
    const double *scale = dataset < 0 ? scale_of(s, w->var->kind) : NULL;
    if (dataset >= 0) {
        hsize_t start[] = {(hsize_t)task->from, (hsize_t)first, 0};
        hsize_t size[] = {(hsize_t)count, (hsize_t)outputs, (hsize_t)w->inner};
        int rank = sw_var_pack(w->var->kind, start);
        sw_var_pack(w->var->kind, size);
        sw_h5_read(&j->reader[task->input].h5, dataset, w->var->type, rank, start, size, j->piece);
        SW_TRY(j->reader[task->input].h5.status);
    } else if (!scale) return SW_OK;
    for (int64_t k = 0; k < count; k++)
        memcpy(j->block + (size_t)task[k].to * row_bytes + (size_t)at * w->cell,
               scale ? (const char *)(scale + first) : j->piece + (size_t)k * piece, piece);
    return SW_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* All stretches of the rows of a window; NULL task: only counted. */
static int64_t list_tasks(const struct join *j, const struct target *t, const struct window *w, struct task *task)
{
    int64_t count = 0;
    for (int64_t row = 0; row < w->rows; row++)
        for (int64_t l = t->link[w->row + row]; l >= 0; l = j->g->link[l].before) {
            const struct sw_link *k = &j->g->link[l];
            const struct sw_source *in = &j->g->input[k->input];
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

static enum sw_status gather_window(struct join *j, const struct target *t, const struct window *w)
{
    int64_t count = list_tasks(j, t, w, NULL);
    enum sw_status st = SW_OK;
    sw_free(j->task);
    SW_TRY(sw_alloc((size_t)count, &j->task));
    list_tasks(j, t, w, j->task);
    qsort(j->task, (size_t)count, sizeof *j->task, by_place);
    fill_nan(j->block, (size_t)(w->rows * w->outputs) * w->cell, w->var->type);
    for (int64_t k = 0, next; k < count && !st; k = next) {
        const struct task *first = &j->task[k];
        for (next = k + 1; next < count && j->task[next].input == first->input && j->task[next].section == first->section &&
                           j->task[next].from == first->from + (next - k); next++) { }
        st = copy_rows(j, w, first, next - k);
    }
    return st;
}

/* ---- writing */
static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value > most ? most : value < least ? least : value;
}

static enum sw_status copy_windows(struct join *j, const struct target *t, struct window *w, hid_t dataset)
{
    int64_t outputs = sw_var_outputs(w->s, w->var->kind), rows = w->rows, step = w->outputs;
    for (w->row = 0; w->row < w->s->count; w->row += rows)
        for (w->output = 0; w->output < outputs; w->output += step) {
            w->rows = clamp(w->s->count - w->row, 1, rows);
            w->outputs = clamp(outputs - w->output, 1, step);
            SW_TRY(gather_window(j, t, w));
            hsize_t start[] = {(hsize_t)w->row, (hsize_t)w->output, 0};
            hsize_t size[] = {(hsize_t)w->rows, (hsize_t)w->outputs, (hsize_t)w->inner};
            int rank = sw_var_pack(w->var->kind, start);
            sw_var_pack(w->var->kind, size);
            sw_h5_write(&j->out, dataset, w->var->type, rank, start, size, j->block);
            SW_TRY(j->out.status);
        }
    return SW_OK;
}

/* A field's chunk is all of one run (1, nt, nx); of a run larger than a block, as many outputs as fit one. */
static enum sw_status copy_var(struct join *j, const struct target *t, const struct sw_var *var)
{
    enum { MOST_POINTS = 1 << 26 };  /* a chunk must stay below 4 GiB */
    const struct sw_section *s = &t->section;
    struct window w = {.s = s, .var = var, .inner = sw_var_inner(s, var->kind)};
    int64_t outputs = sw_var_outputs(s, var->kind);
    w.cell = (size_t)w.inner * sw_h5_size(var->type);
    w.outputs = clamp(BLOCK_BYTES / (int64_t)w.cell, 1, outputs);
    w.rows = clamp(BLOCK_BYTES / (w.outputs * (int64_t)w.cell), 1, s->count);
    struct sw_h5_shape shape = {.dim = {(hsize_t)s->count, (hsize_t)outputs, (hsize_t)w.inner}};
    if (var->kind == SW_VAR_FIELD) {
        shape.chunk[0] = 1;
        shape.chunk[1] = (hsize_t)w.outputs;
        shape.chunk[2] = (hsize_t)clamp(w.inner, 1, MOST_POINTS);
    }
    shape.rank = sw_var_pack(var->kind, shape.dim);
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

static enum sw_status write_target(struct join *j, const struct target *t, const char *coordinates)
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
    const struct sw_section *root = j->ntarget && !j->target[0].section.name[0] ? &j->target[0].section : NULL;
    sw_h5_write_facts(&j->out, &j->table->own->facts);
    sw_h5_write_runs(&j->out, "/run", j->table->nruns, j->table->index);
    if (root) {
        sw_h5_write_group(&j->out, root);
        sw_h5_write_scales(&j->out, root);
    }
    sw_h5_write_table(&j->out, j->table, coordinates);
    for (int k = 0; k < j->ntarget; k++) SW_TRY(write_target(j, &j->target[k], coordinates));
    return j->out.status;
}

static enum sw_status join(struct join *j, const char *path)
{
    SW_TRY(sw_alloc((size_t)j->g->ninput, &j->reader));
    for (int k = 0; k < j->g->ninput; k++) j->reader[k].dataset = -1;
    SW_TRY(sort_rows(j));
    for (int k = 0; k < j->ntarget; k++) SW_TRY(shape_target(j, &j->target[k]));
    SW_TRY(sw_h5_create(&j->out, path));
    char *coordinates = sw_table_coordinates(j->table);
    enum sw_status st = coordinates ? write_all(j, coordinates) : SW_E_MEMORY;
    sw_free(coordinates);
    return st;
}

enum sw_status sw_join_write(const struct sw_gather *gather, const struct sw_table *table, const int64_t *link,
                             const char *path)
{
    struct join j = {.g = gather, .table = table, .link = link};
    enum sw_status st = join(&j, path);
    if (st) sw_h5_drop(&j.out);
    else st = sw_h5_close(&j.out);
    for (int k = 0; j.reader && k < gather->ninput; k++) sw_h5_close(&j.reader[k].h5);
    for (int k = 0; k < j.ntarget; k++) {
        sw_section_free(&j.target[k].section);
        sw_free(j.target[k].link);
    }
    sw_free(j.target);
    sw_free(j.reader);
    sw_free(j.task);
    sw_free(j.block);
    sw_free(j.piece);
    return st;
}
