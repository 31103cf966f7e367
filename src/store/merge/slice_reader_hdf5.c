/* Reading slices of the inputs of a merge into memory. */
#include "store/merge/slice_reader_hdf5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/sw_mem.h"

enum { MOST_OPEN = 64 };  /* an open file takes HDF5 some 0.6 MB, and 0.3 ms to open */

/* At most half of the files that the process may have open (ulimit -n). */
static int most_open(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= 2 * MOST_OPEN) return MOST_OPEN;
    return limit.rlim_cur > 4 ? (int)limit.rlim_cur / 2 : 2;
}

/* ---- the inputs */
enum sw_status sw_slice_reader_create(struct sw_slice_reader *r, const struct sw_catalog *c)
{
    *r = (struct sw_slice_reader){.catalog = c};
    return sw_alloc((size_t)c->ninput, &r->reader);
}

static void close_datasets(struct sw_reader *r)
{
    for (int k = 0; k < r->count; k++) sw_h5_dataset_close(r->opened[k].dataset);
    sw_free(r->opened);
    r->opened = NULL;
    r->count = 0;
}

static void close_reader(struct sw_reader *r)
{
    close_datasets(r);
    sw_h5_close(&r->h5);
    *r = (struct sw_reader){0};
}

void sw_slice_reader_close_datasets(struct sw_slice_reader *r)
{
    for (int k = 0; k < r->catalog->ninput; k++) close_datasets(&r->reader[k]);
}

int sw_slice_reader_damaged(const struct sw_slice_reader *r)
{
    for (int k = 0; r->reader && k < r->catalog->ninput; k++)
        if (r->reader[k].h5.damaged) return k;
    return -1;
}

void sw_slice_reader_free(struct sw_slice_reader *r)
{
    for (int k = 0; r->reader && k < r->catalog->ninput; k++) close_reader(&r->reader[k]);
    sw_free(r->reader);
    sw_free(r->buffer);
    *r = (struct sw_slice_reader){0};
}

static void close_oldest(struct sw_slice_reader *r)
{
    int open = 0, oldest = -1;
    for (int k = 0; k < r->catalog->ninput; k++) {
        if (!r->reader[k].open) continue;
        open++;
        if (oldest < 0 || r->reader[k].used < r->reader[oldest].used) oldest = k;
    }
    if (open >= most_open()) close_reader(&r->reader[oldest]);
}

static enum sw_status open_file(struct sw_slice_reader *r, int input)
{
    struct sw_reader *file = &r->reader[input];
    file->used = ++r->clock;
    if (file->open) return SW_OK;
    close_oldest(r);
    enum sw_status st = sw_h5_open(&file->h5, r->catalog->input[input].path);
    if (st) sw_h5_close(&file->h5);
    file->open = !st;
    return st;
}

/* Outputs that are read at once: those of a chunk where a chunk holds many runs (in a part: one contiguous range of the
 * file is read, not a line of each run); 0: all. */
static int64_t chunk_outputs(const struct sw_h5_shape *shape)
{
    return shape->chunk[0] > 1 ? (int64_t)shape->chunk[1] : 0;
}

enum sw_status sw_slice_reader_dataset(struct sw_slice_reader *r, const struct sw_copy_job *job, const char *name,
                                       struct sw_opened *dataset)
{
    struct sw_reader *file = &r->reader[job->input];
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    SW_TRY(open_file(r, job->input));
    for (int k = 0; k < file->count; k++)
        if (file->opened[k].data_group == job->data_group && !strcmp(file->opened[k].name, name)) {
            *dataset = file->opened[k];
            return SW_OK;
        }
    SW_TRY(sw_resize((size_t)file->count, (size_t)file->count + 1, &file->opened));
    sw_data_group_path(&r->catalog->input[job->input].data_group[job->data_group], name, path);
    *dataset = (struct sw_opened){job->data_group, name, sw_h5_dataset(&file->h5, path, &shape, &type), 0};
    if (shape.is_virtual && !file->h5.status)
        sw_h5_damaged(&file->h5, "has virtual datasets, but lists no parts that they are in");
    if (file->h5.status) {
        sw_h5_dataset_close(dataset->dataset);
        return file->h5.status;
    }
    dataset->depth = chunk_outputs(&shape);
    file->opened[file->count++] = *dataset;
    return SW_OK;
}

bool sw_joined_group_has_pieces(const struct sw_joined_group *t, const struct sw_catalog *c)
{
    for (int64_t row = 0; row < t->data_group.count; row++)
        for (int64_t l = t->slice[row]; l >= 0; l = c->slice[l].previous) {
            const struct sw_run_slice *k = &c->slice[l];
            const struct sw_data_group *from = sw_input_file_group(&c->input[k->input], k->row);
            if (from && from->piece_count) return true;
        }
    return false;
}

/* ---- hyperslabs */
/* Narrow a hyperslab of points to those that an input has. @return false: it has none of them */
static bool narrow_to_input(struct sw_hyperslab *w, const struct sw_data_group *s)
{
    if (!w->points || !s->piece_count) return true;
    const int64_t word = (int64_t)w->cell / w->points, first = sw_clamp(s->piece_first, w->point, INT64_MAX),
                  end = sw_clamp(s->piece_first + s->piece_count, 0, w->point + w->points);
    if (end <= first) return false;
    w->block += (first - w->point) * word;
    w->point = first;
    w->points = end - first;
    w->cell = (size_t)(w->points * word);
    return true;
}

int sw_hyperslab_place(const struct sw_hyperslab *w, int64_t row, int64_t rows, int64_t output, int64_t outputs,
                       hsize_t start[SW_H5_RANK], hsize_t size[SW_H5_RANK])
{
    const int rank = sw_var_start(w->s, w->var->kind, row, output, start);
    sw_var_size(w->s, w->var->kind, rows, outputs, size);
    if (w->points) {
        const int dimension = rank - 1 - sw_data_group_axis(w->s);
        start[dimension] = (hsize_t)w->point;
        size[dimension] = (hsize_t)w->points;
        if (sw_data_group_outer(w->s) > 1) start[dimension - 1] = (hsize_t)w->level, size[dimension - 1] = 1;
    }
    return rank;
}

/* The outputs of an input's data group that fall into a hyperslab.
 * @param first  out: the first of them, counted in the data group
 * @param at     out: its place in the hyperslab
 * @return how many there are */
static int64_t overlap_of(const struct sw_hyperslab *w, const struct sw_data_group *s, int64_t *first, int64_t *at)
{
    const int64_t begin = sw_var_first(s, w->var->kind), end = begin + sw_var_outputs(s, w->var->kind);
    int64_t from = sw_clamp(begin, w->output, INT64_MAX), to = sw_clamp(end, 0, w->output + w->outputs);
    *first = from - begin;
    *at = from - w->output;
    return to > from ? to - from : 0;
}

bool sw_copy_jobs_cover(const struct sw_hyperslab *w, const struct sw_catalog *c, const struct sw_copy_job *job,
                        int64_t count)
{
    int64_t outputs = 0, here = 0, first, at;
    const struct sw_data_group *met = NULL;  /* that of the job before: here is of it */
    if (w->var->kind == SW_VAR_STATE) return false;  /* only the last slice of a run has it */
    for (int64_t k = 0; k < count; k++) {  /* slices of a run do not overlap */
        const struct sw_data_group *s = &c->input[job[k].input].data_group[job[k].data_group];
        if (s != met) here = sw_data_group_var(s, w->var->name) ? overlap_of(w, s, &first, &at) : 0;
        met = s;
        outputs += here;
    }
    return outputs == w->rows * w->outputs;
}

static char *slab_position(const struct sw_hyperslab *w, const struct sw_copy_job *job, int64_t k, int64_t output)
{
    int64_t row = w->packed ? k : job[k].to - w->row;
    return w->block + (size_t)(row * w->outputs + output) * w->cell;
}

static enum sw_status copy_from_dataset(struct sw_slice_reader *r, const struct sw_hyperslab *w,
                                        const struct sw_copy_job *job, int64_t count, int64_t first, int64_t at,
                                        int64_t outputs, const struct sw_opened *dataset)
{
    struct sw_h5 *h = &r->reader[job->input].h5;
    const int64_t step = dataset->depth ? sw_clamp(dataset->depth, 1, outputs) : outputs;
    SW_TRY(sw_have_room((size_t)(count * step) * w->cell, &r->buffer, &r->capacity));
    for (int64_t o = 0; o < outputs; o += step) {
        const int64_t here = sw_clamp(outputs - o, 1, step);
        hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
        const int rank = sw_hyperslab_place(w, job->from, count, first + o, here, start, size);
        sw_h5_read(h, dataset->dataset, w->var->type, rank, start, size, r->buffer);
        if (h->status) return h->status;
        for (int64_t k = 0; k < count; k++)
            memcpy(slab_position(w, job, k, at + o), r->buffer + (size_t)(k * here) * w->cell, (size_t)here * w->cell);
    }
    return SW_OK;
}

enum sw_status sw_copy_jobs(struct sw_slice_reader *r, const struct sw_hyperslab *w, const struct sw_copy_job *job,
                            int64_t count)
{
    const struct sw_data_group *s = &r->catalog->input[job->input].data_group[job->data_group];
    const struct sw_var *var = sw_data_group_var(s, w->var->name);
    int64_t first, at, outputs = overlap_of(w, s, &first, &at);
    struct sw_opened dataset;
    if (!outputs) return SW_OK;
    if (var) {
        struct sw_hyperslab here = *w;
        if (!narrow_to_input(&here, s)) return SW_OK;
        SW_TRY(sw_slice_reader_dataset(r, job, var->name, &dataset));
        return copy_from_dataset(r, &here, job, count, first, at, outputs, &dataset);
    }
    const double *scale = w->var->kind < SW_VAR_SCALES ? s->scale[w->var->kind] : NULL;
    for (int64_t k = 0; scale && k < count; k++)
        memcpy(slab_position(w, job, k, at), scale + first, (size_t)outputs * w->cell);
    return SW_OK;
}

/* ---- copy jobs */
bool sw_copy_jobs_adjacent(const struct sw_copy_job *a, const struct sw_copy_job *b)
{
    return a->input == b->input && a->data_group == b->data_group && a->from + 1 == b->from;
}

/* job NULL: count only. */
static int64_t put_jobs(const struct sw_catalog *c, const struct sw_joined_group *t, int64_t row, int64_t rows,
                        struct sw_copy_job *job)
{
    int64_t count = 0;
    for (int64_t to = row; to < row + rows; to++)
        for (int64_t l = t->slice[to]; l >= 0; l = c->slice[l].previous) {
            const struct sw_run_slice *k = &c->slice[l];
            const struct sw_input_file *in = &c->input[k->input];
            if (in->data_group_of[k->row] < 0) continue;
            if (job) job[count] = (struct sw_copy_job){k->input, in->data_group_of[k->row], in->row_of[k->row], to};
            count++;
        }
    return count;
}

enum sw_status sw_copy_jobs_list(const struct sw_catalog *c, const struct sw_joined_group *t, int64_t row,
                                 int64_t rows, struct sw_copy_job **job, int64_t *count)
{
    *count = put_jobs(c, t, row, rows, NULL);
    SW_TRY(sw_alloc((size_t)*count, job));
    put_jobs(c, t, row, rows, *job);
    qsort(*job, (size_t)*count, sizeof **job, sw_by_source);
    return SW_OK;
}

void sw_fill_nan(char *block, size_t bytes, enum sw_h5_type type)
{
    size_t count = bytes / sw_h5_size(type);
    for (size_t k = 0; type == SW_H5_DOUBLE && k < count; k++) ((double *)block)[k] = NAN;
    for (size_t k = 0; type == SW_H5_SINGLE && k < count; k++) ((float *)block)[k] = NAN;
}

enum sw_status sw_hyperslabs_fill(struct sw_slice_reader *r, const struct sw_joined_group *t,
                                  const struct sw_hyperslab *w, int nslab)
{
    struct sw_copy_job *job;
    int64_t count;
    SW_TRY(sw_copy_jobs_list(r->catalog, t, w->row, w->rows, &job, &count));
    enum sw_status st = SW_OK;
    for (int v = 0; v < nslab; v++)
        if (!sw_copy_jobs_cover(&w[v], r->catalog, job, count))
            sw_fill_nan(w[v].block, (size_t)(w[v].rows * w[v].outputs) * w[v].cell, w[v].var->type);
    for (int64_t k = 0, next; k < count && !st; k = next) {
        for (next = k + 1; next < count && sw_copy_jobs_adjacent(&job[next - 1], &job[next]);) next++;
        for (int v = 0; v < nslab && !st; v++) st = sw_copy_jobs(r, &w[v], job + k, next - k);
    }
    sw_free(job);
    return st;
}
