#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "output/files.h"
#include "output/join_virtual.h"

/* One piece of a variable is a stretch of an input's rows that lie equally far apart in the output: shards of like runs
 * are dealt out in turn, so mostly all that an input has is one piece. */

static bool in_step(const struct sw_task *first, const struct sw_task *a, const struct sw_task *b)
{
    return sw_task_neighbours(a, b) && b->to > a->to && b->to - a->to == first[1].to - first->to;
}

static int64_t end_of_piece(const struct sw_task *task, int64_t k, int64_t count)
{
    int64_t next = k + 1;
    while (next < count && in_step(&task[k], &task[next - 1], &task[next])) next++;
    return next;
}

/* The stretch task[0 .. count-1] of a variable; false: the input has nothing of it. */
static bool describe(const struct sw_virtual *v, const struct sw_target *t, const struct sw_var *var,
                     const struct sw_task *task, int64_t count, struct sw_h5_piece *p)
{
    const struct sw_section *s = &v->g->input[task->input].section[task->section];
    const struct sw_window whole = {.s = &t->section, .var = var, .rows = t->section.count,
                                    .outputs = sw_var_outputs(&t->section, var->kind)};
    int64_t first, at, outputs = sw_window_overlap(&whole, s, &first, &at);
    if (!sw_section_var(s, var->name) || !outputs) return false;
    *p = (struct sw_h5_piece){.file = v->name[task->input],
                              .step = count > 1 ? (hsize_t)(task[1].to - task[0].to) : 1};
    sw_var_size(s, var->kind, s->count, sw_var_outputs(s, var->kind), p->dim);
    sw_var_start(s, var->kind, task->from, first, p->from);
    sw_var_start(s, var->kind, task->to, at, p->to);
    sw_var_size(s, var->kind, count, outputs, p->count);
    return true;
}

static enum sw_status check_type(const struct sw_virtual *v, const struct sw_var *var, const struct sw_task *task)
{
    const struct sw_source *in = &v->g->input[task->input];
    const struct sw_var *there = sw_section_var(&in->section[task->section], var->name);
    if (!there || there->type == var->type) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s has %s in another precision than other files: a virtual file cannot join them; "
                                 "merge without --virtual", in->path, var->name);
}

static enum sw_status add_piece(const struct sw_virtual *v, const struct sw_target *t, const struct sw_var *var,
                                const struct sw_task *task, int64_t count, struct sw_h5_piece *piece, int64_t *pieces)
{
    char path[SW_PATH];
    SW_TRY(check_type(v, var, task));
    if (!describe(v, t, var, task, count, &piece[*pieces])) return SW_OK;
    sw_section_path(&v->g->input[task->input].section[task->section], var->name, path);
    return (piece[(*pieces)++].path = sw_strdup(path)) ? SW_OK : SW_E_MEMORY;
}

enum sw_status sw_virtual_put(const struct sw_virtual *v, struct sw_h5 *h, const struct sw_target *t,
                              const struct sw_var *var)
{
    const struct sw_section *s = &t->section;
    struct sw_h5_shape shape = {0};
    struct sw_h5_piece *piece = NULL;
    struct sw_task *task = NULL;
    int64_t count = 0, pieces = 0;
    char path[SW_PATH];
    shape.rank = sw_var_size(s, var->kind, s->count, sw_var_outputs(s, var->kind), shape.dim);
    enum sw_status st = sw_tasks_list(v->g, t, 0, s->count, &task, &count);
    if (!st) st = sw_alloc((size_t)count, &piece);
    for (int64_t k = 0, next; k < count && !st; k = next) {
        next = end_of_piece(task, k, count);
        st = add_piece(v, t, var, task + k, next - k, piece, &pieces);
    }
    if (!st) sw_h5_put_virtual(h, sw_section_path(s, var->name, path), var->type, &shape, piece, pieces);
    for (int64_t k = 0; piece && k < pieces; k++) sw_free(piece[k].path);
    sw_free(piece);
    sw_free(task);
    return st ? st : h->status;
}

/* ---- the list of parts */
enum sw_status sw_virtual_begin(struct sw_virtual *v, const struct sw_gather *g, const char *path)
{
    *v = (struct sw_virtual){.g = g};
    SW_TRY(sw_alloc((size_t)g->ninput, &v->name));
    for (int k = 0; k < g->ninput; k++) SW_TRY(sw_files_relative(path, g->input[k].path, &v->name[k]));
    return SW_OK;
}

static bool named_before(const struct sw_virtual *v, int input)
{
    for (int k = 0; k < input; k++)
        if (!strcmp(v->name[k], v->name[input])) return true;
    return false;
}

enum sw_status sw_virtual_list(const struct sw_virtual *v, struct sw_h5 *h)
{
    struct stat s;
    char **name = NULL;
    int64_t *bytes = NULL, count = 0;
    enum sw_status st = sw_alloc((size_t)v->g->ninput, &name);
    if (!st) st = sw_alloc((size_t)v->g->ninput, &bytes);
    for (int k = 0; k < v->g->ninput && !st; k++) {
        if (named_before(v, k)) continue;
        if (stat(v->g->input[k].path, &s)) st = sw_files_fail(v->g->input[k].path);
        name[count] = v->name[k];
        bytes[count++] = (int64_t)s.st_size;
    }
    if (!st) sw_h5_write_parts(h, name, bytes, count);
    sw_free(name);
    sw_free(bytes);
    return st ? st : h->status;
}

void sw_virtual_end(struct sw_virtual *v)
{
    for (int k = 0; v->name && k < v->g->ninput; k++) sw_free(v->name[k]);
    sw_free(v->name);
    *v = (struct sw_virtual){0};
}
