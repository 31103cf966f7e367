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

/* ---- reading slices of the inputs */

struct copy_job {               /* copy all outputs that an input has of one run                          */
    int     input, data_group;
    int64_t from, to;              /* row in the input's data group, and in the joined file's                */
};

struct hyperslab {              /* the part of a variable of the joined file that is in memory            */
    const struct sw_data_group *s; /* of the joined file                                                     */
    const struct sw_var *var;
    int64_t row, rows;             /* of the data group                                                      */
    int64_t output, outputs;
    int64_t point, points;         /* of fields: these alone along sw_data_group_axis(); points 0: all        */
    int64_t level;                 /* and of those beyond the axis this one                                   */
    size_t  cell;                  /* bytes of one output, or of these points of it                           */
    bool    packed;                /* the rows of jobs lie one after another, whatever row they go to        */
    char   *block;                 /* [rows][outputs][cell]                                                  */
};

struct slice_reader {              /* keeps some of the inputs open                                          */
    const struct sw_catalog *catalog;
    struct reader *reader;         /* [catalog->ninput]                                                      */
    long    clock;
    char   *buffer;                /* as read                                                                */
    size_t  capacity;
};

enum { MOST_OPEN = 64 };           /* an open file takes HDF5 some 0.6 MB, and 0.3 ms to open */

struct opened { int data_group; const char *name; hid_t dataset; int64_t depth; };
struct reader {
    struct sw_h5 h5;
    bool   open;
    int    count;
    struct opened *opened;  /* [count] datasets                      */
    long   used;            /* when, for the choice of what to close */
};

static enum sw_status create_reader(struct slice_reader *r, const struct sw_catalog *c)
{
    *r = (struct slice_reader){.catalog = c};
    return sw_alloc((size_t)c->ninput, &r->reader);
}

static void close_datasets(struct reader *r)
{
    for (int k = 0; k < r->count; k++) sw_h5_dataset_close(r->opened[k].dataset);
    sw_free(r->opened);
    r->opened = NULL;
    r->count = 0;
}

static void close_reader(struct reader *r)
{
    close_datasets(r);
    sw_h5_close(&r->h5);
    *r = (struct reader){0};
}

/* Not the files. */
static void close_all_datasets(struct slice_reader *r)
{
    for (int k = 0; k < r->catalog->ninput; k++) close_datasets(&r->reader[k]);
}

/* The input whose content is damaged, though the system can read the file; -1: none. */
static int find_damaged_input(const struct slice_reader *r)
{
    for (int k = 0; r->reader && k < r->catalog->ninput; k++)
        if (r->reader[k].h5.damaged) return k;
    return -1;
}

static void free_reader(struct slice_reader *r)
{
    for (int k = 0; r->reader && k < r->catalog->ninput; k++) close_reader(&r->reader[k]);
    sw_free(r->reader);
    sw_free(r->buffer);
    *r = (struct slice_reader){0};
}

static void close_oldest(struct slice_reader *r)
{
    int open = 0, oldest = -1;
    for (int k = 0; k < r->catalog->ninput; k++) {
        if (!r->reader[k].open) continue;
        open++;
        if (oldest < 0 || r->reader[k].used < r->reader[oldest].used) oldest = k;
    }
    if (open >= MOST_OPEN) close_reader(&r->reader[oldest]);
}

static enum sw_status open_file(struct slice_reader *r, int input)
{
    struct reader *file = &r->reader[input];
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

static enum sw_status open_dataset(struct slice_reader *r, const struct copy_job *job, const char *name,
                                   struct opened *dataset)
{
    struct reader *file = &r->reader[job->input];
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
    *dataset = (struct opened){job->data_group, name, sw_h5_dataset(&file->h5, path, &shape, &type), 0};
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

/* Narrow a hyperslab of points to those that an input has. @return false: it has none of them */
static bool narrow_to_input(struct hyperslab *w, const struct sw_data_group *s)
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

/* sw_var_start() and sw_var_size() for these rows and outputs of a variable, and the hyperslab's points. */
static int place_of(const struct hyperslab *w, int64_t row, int64_t rows, int64_t output, int64_t outputs,
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
static int64_t overlap_of(const struct hyperslab *w, const struct sw_data_group *s, int64_t *first, int64_t *at)
{
    const int64_t begin = sw_var_first(s, w->var->kind), end = begin + sw_var_outputs(s, w->var->kind);
    int64_t from = sw_clamp(begin, w->output, INT64_MAX), to = sw_clamp(end, 0, w->output + w->outputs);
    *first = from - begin;
    *at = from - w->output;
    return to > from ? to - from : 0;
}

/* Whether the jobs fill all rows of a hyperslab. */
static bool is_covered(const struct hyperslab *w, const struct sw_catalog *c, const struct copy_job *job,
                       int64_t count)
{
    int64_t outputs = 0, first, at;
    if (w->var->kind == SW_VAR_STATE) return false;  /* only the last slice of a run has it */
    for (int64_t k = 0; k < count; k++) {  /* slices of a run do not overlap */
        const struct sw_data_group *s = &c->input[job[k].input].data_group[job[k].data_group];
        if (sw_data_group_var(s, w->var->name)) outputs += overlap_of(w, s, &first, &at);
    }
    return outputs == w->rows * w->outputs;
}

static char *slab_position(const struct hyperslab *w, const struct copy_job *job, int64_t k, int64_t output)
{
    int64_t row = w->packed ? k : job[k].to - w->row;
    return w->block + (size_t)(row * w->outputs + output) * w->cell;
}

static enum sw_status copy_from_dataset(struct slice_reader *r, const struct hyperslab *w,
                                        const struct copy_job *job,
                                        int64_t count, int64_t first, int64_t at, int64_t outputs,
                                        const struct opened *dataset)
{
    struct sw_h5 *h = &r->reader[job->input].h5;
    const int64_t step = dataset->depth ? sw_clamp(dataset->depth, 1, outputs) : outputs;
    SW_TRY(sw_have_room((size_t)(count * step) * w->cell, &r->buffer, &r->capacity));
    for (int64_t o = 0; o < outputs; o += step) {
        const int64_t here = sw_clamp(outputs - o, 1, step);
        hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
        const int rank = place_of(w, job->from, count, first + o, here, start, size);
        sw_h5_read(h, dataset->dataset, w->var->type, rank, start, size, r->buffer);
        if (h->status) return h->status;
        for (int64_t k = 0; k < count; k++)
            memcpy(slab_position(w, job, k, at + o), r->buffer + (size_t)(k * here) * w->cell, (size_t)here * w->cell);
    }
    return SW_OK;
}

/* Copy job[0 .. count-1], which are adjacent in their input, into a hyperslab. Values that the input lacks stay as they
 * are. @return SW_E_IO with the name of the input */
static enum sw_status copy_jobs(struct slice_reader *r, const struct hyperslab *w,
                                const struct copy_job *job,
                                int64_t count)
{
    const struct sw_data_group *s = &r->catalog->input[job->input].data_group[job->data_group];
    const struct sw_var *var = sw_data_group_var(s, w->var->name);
    int64_t first, at, outputs = overlap_of(w, s, &first, &at);
    struct opened dataset;
    if (!outputs) return SW_OK;
    if (var) {
        struct hyperslab here = *w;
        if (!narrow_to_input(&here, s)) return SW_OK;
        SW_TRY(open_dataset(r, job, var->name, &dataset));
        return copy_from_dataset(r, &here, job, count, first, at, outputs, &dataset);
    }
    const double *scale = w->var->kind < SW_VAR_SCALES ? s->scale[w->var->kind] : NULL;
    for (int64_t k = 0; scale && k < count; k++)
        memcpy(slab_position(w, job, k, at), scale + first, (size_t)outputs * w->cell);
    return SW_OK;
}

/* ---- copy jobs */
static int job_by_position(const void *a, const void *b)
{
    const struct copy_job *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    if (x->data_group != y->data_group) return x->data_group < y->data_group ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Whether b reads the row after that of a, in the same data group of the same input. */
static bool are_adjacent(const struct copy_job *a, const struct copy_job *b)
{
    return a->input == b->input && a->data_group == b->data_group && a->from + 1 == b->from;
}

/* job NULL: count only. */
static int64_t put_jobs(const struct sw_catalog *c, const struct sw_joined_group *t, int64_t row, int64_t rows,
                        struct copy_job *job)
{
    int64_t count = 0;
    for (int64_t to = row; to < row + rows; to++)
        for (int64_t l = t->slice[to]; l >= 0; l = c->slice[l].previous) {
            const struct sw_run_slice *k = &c->slice[l];
            const struct sw_input_file *in = &c->input[k->input];
            if (in->data_group_of[k->row] < 0) continue;
            if (job) job[count] = (struct copy_job){k->input, in->data_group_of[k->row], in->row_of[k->row], to};
            count++;
        }
    return count;
}

/* List the jobs that fill rows row .. row+rows-1 of a joined group, by input, data group and row there. */
static enum sw_status list_jobs(const struct sw_catalog *c, const struct sw_joined_group *t, int64_t row, int64_t rows,
                                struct copy_job **job, int64_t *count)
{
    *count = put_jobs(c, t, row, rows, NULL);
    SW_TRY(sw_alloc((size_t)*count, job));
    put_jobs(c, t, row, rows, *job);
    qsort(*job, (size_t)*count, sizeof **job, job_by_position);
    return SW_OK;
}

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
    struct slice_reader in;
    char             *block;       /* gathered: BLOCK_BYTES, or one output if that is more */
    size_t            room;
};

static void fill_nan(char *block, size_t bytes, enum sw_h5_type type)
{
    size_t count = bytes / sw_h5_size(type);
    for (size_t k = 0; type == SW_H5_DOUBLE && k < count; k++) ((double *)block)[k] = NAN;
    for (size_t k = 0; type == SW_H5_SINGLE && k < count; k++) ((float *)block)[k] = NAN;
}

static void write_rows(struct join *j, const struct var_copy *m, const struct hyperslab *w, int64_t row,
                       int64_t rows, const char *data)
{
    hsize_t start[SW_H5_RANK], size[SW_H5_RANK];
    const int rank = place_of(w, row, rows, w->output, w->outputs, start, size);
    sw_h5_write(&j->out, m->dataset, m->var->type, rank, start, size, data);
}

/* ---- input by input */
static enum sw_status copy_adjacent_jobs(struct join *j, const struct sw_joined_group *t, const struct var_copy *m,
                                         const struct copy_job *job, int64_t count)
{
    struct hyperslab w = {.s = &t->data_group, .var = m->var, .rows = count, .outputs = m->outputs, .cell = m->cell,
                             .packed = true, .block = j->block};
    if (!is_covered(&w, j->catalog, job, count)) fill_nan(j->block, (size_t)count * m->row, m->var->type);
    SW_TRY(copy_jobs(&j->in, &w, job, count));
    for (int64_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && job[next].to == job[next - 1].to + 1;) next++;
        write_rows(j, m, &w, job[k].to, next - k, j->block + (size_t)k * m->row);
    }
    return j->out.status;
}

static enum sw_status copy_by_input(struct join *j, const struct sw_joined_group *t, const struct var_copy *m,
                                    int count)
{
    struct copy_job *job = NULL;
    int64_t njob, most = INT64_MAX;
    size_t row = 1;
    for (int k = 0; k < count; k++)
        if (m[k].by_input && m[k].row > row) row = m[k].row;
    if (row == 1) return SW_OK;  /* there are none */
    most = sw_clamp(BLOCK_BYTES / (int64_t)row, 1, t->data_group.count);
    enum sw_status st = sw_have_room((size_t)most * row, &j->block, &j->room);
    if (!st) st = list_jobs(j->catalog, t, 0, t->data_group.count, &job, &njob);
    for (int64_t k = 0, next; !st && k < njob; k = next) {
        if ((st = sw_stop_check())) break;
        for (next = k + 1; next < njob && next - k < most && are_adjacent(&job[next - 1], &job[next]);) next++;
        for (int v = 0; v < count && !st; v++)
            if (m[v].by_input) st = copy_adjacent_jobs(j, t, &m[v], job + k, next - k);
    }
    sw_free(job);
    return st;
}

/* ---- by hyperslabs */
/* All variables of an input's rows while it is open. */
static enum sw_status fill_slabs(struct join *j, const struct sw_joined_group *t, const struct hyperslab *w,
                                 int nslab)
{
    struct copy_job *job;
    int64_t count;
    SW_TRY(list_jobs(j->catalog, t, w->row, w->rows, &job, &count));
    enum sw_status st = SW_OK;
    for (int v = 0; v < nslab; v++)
        if (!is_covered(&w[v], j->catalog, job, count))
            fill_nan(w[v].block, (size_t)(w[v].rows * w[v].outputs) * w[v].cell, w[v].var->type);
    for (int64_t k = 0, next; k < count && !st; k = next) {
        for (next = k + 1; next < count && are_adjacent(&job[next - 1], &job[next]);) next++;
        for (int v = 0; v < nslab && !st; v++) st = copy_jobs(&j->in, &w[v], job + k, next - k);
    }
    sw_free(job);
    return st;
}

/* One hyperslab of each variable. `outputs` counts for one variable alone, when a run of it is more than a block. */
static enum sw_status copy_slab(struct join *j, const struct sw_joined_group *t, const struct var_copy *m, int count,
                                int64_t row, int64_t rows, int64_t output, int64_t outputs, struct hyperslab *w)
{
    char *block = j->block;
    SW_TRY(sw_stop_check());
    for (int v = 0; v < count; v++) {
        w[v] = (struct hyperslab){.s = &t->data_group, .var = m[v].var, .row = row, .rows = rows, .output = output,
                                     .outputs = count > 1 ? m[v].outputs : outputs, .cell = m[v].cell, .block = block};
        block += (size_t)(rows * w[v].outputs) * m[v].cell;
    }
    SW_TRY(fill_slabs(j, t, w, count));
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
                struct hyperslab w = {.s = &t->data_group, .var = m->var, .row = row, .rows = 1, .output = o,
                                         .outputs = 1, .point = at, .points = points, .level = k / pieces,
                                         .cell = (size_t)(points * word), .block = j->block};
                SW_TRY(fill_slabs(j, t, &w, 1));
                write_rows(j, m, &w, row, 1, w.block);
                if (j->out.status) return j->out.status;
            }
    return SW_OK;
}

/* Numbers from .. from + count - 1 of a state to `to` and behind it, a block at a time. */
static enum sw_status copy_numbers(struct join *j, const struct var_copy *m, const struct copy_job *job, int64_t from,
                                   int64_t to, int64_t count)
{
    const int64_t most = BLOCK_BYTES / (int64_t)sizeof(double);
    struct opened in;
    SW_TRY(open_dataset(&j->in, job, m->var->name, &in));
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
static enum sw_status copy_state(struct join *j, const struct var_copy *m, const struct copy_job *job)
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
            SW_TRY(copy_state(j, m, &(struct copy_job){k->input, in->data_group_of[k->row], in->row_of[k->row], row}));
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
    struct hyperslab *w;
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

/* Whether an input holds a field in part. */
static bool has_pieces(const struct join *j, const struct sw_joined_group *t)
{
    for (int64_t row = 0; row < t->data_group.count; row++)
        for (int64_t l = t->slice[row]; l >= 0; l = j->catalog->slice[l].previous) {
            const struct sw_run_slice *k = &j->catalog->slice[l];
            const struct sw_data_group *from = sw_input_file_group(&j->catalog->input[k->input], k->row);
            if (from && from->piece_count) return true;
        }
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
    bool chains = has_chains(j, t), pieces = chains && has_pieces(j, t);
    SW_TRY(sw_alloc((size_t)s->nvar, &m));
    for (int k = 0; k < s->nvar; k++) make_var(j, s, &s->var[k], chains, pieces, &m[k]);
    enum sw_status st = copy_vars(j, t, m, s->nvar);
    for (int k = 0; k < s->nvar; k++) sw_h5_dataset_close(m[k].dataset);
    close_all_datasets(&j->in);
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
    SW_TRY(create_reader(&j->in, j->catalog));
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
    int fd = -1;
    enum sw_status st = join_into(&j, path);
    if (st) sw_h5_drop(&j.out);
    else st = sw_h5_close_written(&j.out, &fd);
    if (!st) st = sw_files_sync(&fd, path);
    if (j.in.catalog) {
        catalog->unreadable = 1 + find_damaged_input(&j.in);
        free_reader(&j.in);
    }
    sw_joined_file_free(&j.layout);
    sw_free(j.block);
    return st;
}
