#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/files/sw_files.h"
#include "store/merge/virtual_join_hdf5.h"

/* One source of a variable is a range of an input's rows that lie equally far apart in the output: shards of like
 * runs are dealt out in turn, so mostly all that an input has is one source. */

static bool equally_spaced(const struct sw_copy_job *first, const struct sw_copy_job *a, const struct sw_copy_job *b)
{
    return sw_copy_jobs_adjacent(a, b) && b->to > a->to && b->to - a->to == first[1].to - first->to;
}

static int64_t end_of_source(const struct sw_copy_job *job, int64_t k, int64_t count)
{
    int64_t next = k + 1;
    while (next < count && equally_spaced(&job[k], &job[next - 1], &job[next])) next++;
    return next;
}

/* The source of a variable that job[0 .. count-1] read. @return false: the input has none of its values */
static bool map_source(const struct sw_virtual_join *v, const struct sw_joined_group *t, const struct sw_var *var,
                       const struct sw_copy_job *job, int64_t count, struct sw_h5_virtual_source *p)
{
    const struct sw_data_group *s = &v->catalog->input[job->input].data_group[job->data_group];
    const struct sw_hyperslab whole = {.s = &t->data_group, .var = var, .rows = t->data_group.count,
                                       .outputs = sw_var_outputs(&t->data_group, var->kind)};
    int64_t first, at, outputs = sw_hyperslab_overlap(&whole, s, &first, &at);
    if (!sw_data_group_var(s, var->name) || !outputs) return false;
    *p = (struct sw_h5_virtual_source){.file = v->name[job->input],
                                       .step = count > 1 ? (hsize_t)(job[1].to - job[0].to) : 1};
    sw_var_size(s, var->kind, s->count, sw_var_outputs(s, var->kind), p->dim);
    sw_var_start(s, var->kind, job->from, first, p->from);
    sw_var_start(s, var->kind, job->to, at, p->to);
    sw_var_size(s, var->kind, count, outputs, p->count);
    return true;
}

static enum sw_status check_type(const struct sw_virtual_join *v, const struct sw_var *var,
                                 const struct sw_copy_job *job)
{
    const struct sw_input_file *in = &v->catalog->input[job->input];
    const struct sw_var *there = sw_data_group_var(&in->data_group[job->data_group], var->name);
    if (!there || there->type == var->type) return SW_OK;
    return SW_FAIL(SW_E_REFUSED,
                   "%s has %s in another precision than other files: a virtual file cannot join them; "
                   "merge without --virtual",
                   in->path, var->name);
}

static enum sw_status add_source(const struct sw_virtual_join *v, const struct sw_joined_group *t,
                                 const struct sw_var *var, const struct sw_copy_job *job, int64_t count,
                                 struct sw_h5_virtual_source *source, int64_t *nsource)
{
    char path[SW_PATH];
    SW_TRY(check_type(v, var, job));
    if (!map_source(v, t, var, job, count, &source[*nsource])) return SW_OK;
    sw_data_group_path(&v->catalog->input[job->input].data_group[job->data_group], var->name, path);
    return (source[(*nsource)++].path = sw_strdup(path)) ? SW_OK : SW_E_MEMORY;
}

enum sw_status sw_virtual_join_write_var(const struct sw_virtual_join *v, struct sw_h5 *h,
                                         const struct sw_joined_group *t,
                                         const struct sw_var *var)
{
    const struct sw_data_group *s = &t->data_group;
    struct sw_h5_shape shape = {0};
    struct sw_h5_virtual_source *source = NULL;
    struct sw_copy_job *job = NULL;
    int64_t count = 0, nsource = 0;
    char path[SW_PATH];
    shape.rank = sw_var_size(s, var->kind, s->count, sw_var_outputs(s, var->kind), shape.dim);
    enum sw_status st = sw_copy_jobs_list(v->catalog, t, 0, s->count, &job, &count);
    if (!st) st = sw_alloc((size_t)count, &source);
    for (int64_t k = 0, next; k < count && !st; k = next) {
        next = end_of_source(job, k, count);
        st = add_source(v, t, var, job + k, next - k, source, &nsource);
    }
    if (!st) sw_h5_write_virtual(h, sw_data_group_path(s, var->name, path), var->type, &shape, source, nsource);
    for (int64_t k = 0; source && k < nsource; k++) sw_free(source[k].path);
    sw_free(source);
    sw_free(job);
    return st ? st : h->status;
}

/* ---- the list of parts */
enum sw_status sw_virtual_join_create(struct sw_virtual_join *v, const struct sw_catalog *c, const char *path)
{
    *v = (struct sw_virtual_join){.catalog = c};
    SW_TRY(sw_alloc((size_t)c->ninput, &v->name));
    for (int k = 0; k < c->ninput; k++) {
        SW_TRY(sw_files_relative(path, c->input[k].path, &v->name[k]));
        if (!sw_h5_is_below(v->name[k]))
            return SW_FAIL(SW_E_REFUSED, "%s is neither in the folder of the virtual file nor below it: it would "
                           "name a file that its readers refuse; choose another -o, or merge without --virtual",
                           c->input[k].path);
    }
    return SW_OK;
}

static bool is_listed_before(const struct sw_virtual_join *v, int input)
{
    for (int k = 0; k < input; k++)
        if (!strcmp(v->name[k], v->name[input])) return true;
    return false;
}

enum sw_status sw_virtual_join_write_inputs(const struct sw_virtual_join *v, struct sw_h5 *h)
{
    struct stat s;
    char **name = NULL;
    int64_t *bytes = NULL, count = 0;
    enum sw_status st = sw_alloc((size_t)v->catalog->ninput, &name);
    if (!st) st = sw_alloc((size_t)v->catalog->ninput, &bytes);
    for (int k = 0; k < v->catalog->ninput && !st; k++) {
        if (is_listed_before(v, k)) continue;
        if (stat(v->catalog->input[k].path, &s)) st = sw_files_fail(v->catalog->input[k].path);
        name[count] = v->name[k];
        bytes[count++] = (int64_t)s.st_size;
    }
    if (!st) sw_h5_write_virtual_files(h, name, bytes, count);
    sw_free(name);
    sw_free(bytes);
    return st ? st : h->status;
}

void sw_virtual_join_free(struct sw_virtual_join *v)
{
    for (int k = 0; v->name && k < v->catalog->ninput; k++) sw_free(v->name[k]);
    sw_free(v->name);
    *v = (struct sw_virtual_join){0};
}
