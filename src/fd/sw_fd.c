#include "fd/sw_fd.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "fd/sw_fd_impl.h"

struct request { const struct sw_fd_desc *desc; const struct sw_fd_line *line; struct fd_cut *cut; bool named; };

static const char *refuse_lines(const struct sw_fd_ops *o, const struct request *r)
{
    if (!r->desc->comm) {
        if (o->refuse_cut) return r->named ? "it does lines that are cut over ranks; these are whole" : "";
        if (o->fits(r->desc, r->line)) return NULL;
        const char *why = o->why_not ? o->why_not(r->desc, r->line) : NULL;
        return why ? why : "it does not do such lines";
    }
    if (!o->refuse_cut) return r->named ? "it does whole lines; these are cut over ranks" : "";
    if (o->space != sw_comm_space(r->desc->comm)) return "the ranks exchange numbers in another memory than its own";
    return o->refuse_cut(r->cut);
}

static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    const struct sw_fd_ops *o = (const struct sw_fd_ops *)row;
    const struct request *r = request;
    (void)kind;
    if (!o) return r->desc->comm ? "no row does lines that are cut so" : "no row does this on this device";
    if (r->desc->add && !o->adds) return "it does not add to a field";
    return refuse_lines(o, r);
}

SW_ROWS(rows, "compact differences", sw_fd_table, .refuse = refuse);

static enum sw_status check_shape(const struct sw_fd_desc *d)
{
    int64_t points = 1;
    if (d->axis < 0 || d->axis > 2) return SW_FAIL(SW_E_ARG, "axis %d: there are 0, 1 and 2", d->axis);
    if (d->fields < 0) return SW_FAIL(SW_E_ARG, "%lld fields", (long long)d->fields);
    for (int k = 0; k < 3; k++) {
        if (d->n[k] < 1)
            return SW_FAIL(SW_E_ARG, "%lld points along %c: at least one is needed", (long long)d->n[k], 'x' + k);
        if (__builtin_mul_overflow(points, d->n[k], &points) || points > INT64_MAX / 8)
            return SW_FAIL(SW_E_ARG, "%lld by %lld by %lld points are too many", (long long)d->n[0],
                           (long long)d->n[1], (long long)d->n[2]);
    }
    if (d->fields && points > INT64_MAX / 8 / d->fields)
        return SW_FAIL(SW_E_ARG, "%lld fields of %lld points are too many", (long long)d->fields, (long long)points);
    return SW_OK;
}

/* The line, and how it is cut as far as that is known without communication. */
static enum sw_status make_line(const struct sw_fd_desc *d, struct sw_fd_line *line, struct fd_cut *cut)
{
    SW_TRY(check_shape(d));
    if (d->comm) return fd_cut_assume(d, line, cut);
    return sw_fd_line_make(d->scheme, d->boundary, d->n[d->axis], d->h, d->alpha, d->left, line);
}

enum sw_status sw_fd_check(const struct sw_fd_desc *desc)
{
    struct sw_fd_line line;
    struct fd_cut cut;
    return make_line(desc, &line, &cut);
}

static void set_lines(struct sw_fd *s)
{
    const struct sw_fd_desc *d = &s->desc;
    s->stride = 1;
    s->outer = (size_t)d->fields;
    for (int k = 0; k < d->axis; k++) s->stride *= (size_t)d->n[k];
    for (int k = d->axis + 1; k < 3; k++) s->outer *= (size_t)d->n[k];
}

/* All but what the row does, of a line that is made. */
static enum sw_status pick(const struct sw_fd_desc *desc, const char *row, struct sw_fd *s)
{
    const struct sw_row *picked = NULL;
    SW_TRY(sw_row_pick(&rows, row, s->device->space, &(struct request){desc, &s->line, &s->cut, row}, &picked));
    s->ops = (const struct sw_fd_ops *)picked;
    return sw_alloc_bytes(1, s->ops->own_size, &s->own);
}

/* Between two agreements a step is local, or communicates before it can fail: so no rank waits for one that failed. */
static enum sw_status set_up_cut(const struct sw_fd_desc *desc, const char *row, struct sw_fd *s)
{
    int index = 0;
    SW_TRY(sw_comm_agree(desc->comm, check_shape(desc)));
    set_lines(s);
    enum sw_status st = fd_cut_gather(desc, &s->arrays, &s->line, &s->cut);
    if (!st) st = pick(desc, row, s);
    if (!st) st = fd_part_respond(&s->cut, &s->arrays);
    SW_TRY(sw_comm_agree(desc->comm, st));
    while (sw_fd_table[index] != s->ops) index++;
    SW_TRY(fd_cut_compare(desc, s->outer * s->stride, index, &s->cut));
    SW_TRY(fd_part_couple(&s->cut));
    return sw_comm_agree(desc->comm, s->ops->create(s));
}

static enum sw_status set_up(const struct sw_fd_desc *desc, const char *row, struct sw_fd *s)
{
    SW_TRY(make_line(desc, &s->line, &s->cut));
    set_lines(s);
    SW_TRY(pick(desc, row, s));
    return s->ops->create(s);
}

enum sw_status sw_fd_create(const struct sw_fd_desc *desc, const char *row, struct sw_device *device,
                            struct sw_fd **fd)
{
    struct sw_fd *s = NULL;
    *fd = NULL;
    enum sw_status st = sw_alloc(1, &s);
    st = sw_comm_agree(desc->comm, st);
    if (!st) {
        s->desc = *desc;
        s->desc.scheme = s->desc.boundary = NULL;
        s->device = s->arrays.device = device;
        st = (desc->comm ? set_up_cut : set_up)(desc, row, s);
    }
    if (st) sw_fd_destroy(&s);
    *fd = s;
    return st;
}

void sw_fd_destroy(struct sw_fd **fd)
{
    if (!fd || !*fd) return;
    struct sw_fd *s = *fd;
    if (s->own && s->ops->destroy) s->ops->destroy(s);
    sw_owned_free(&s->arrays);
    sw_free(s->own);
    sw_free(s);
    *fd = NULL;
}

enum sw_status sw_fd_apply(const struct sw_fd *fd, const void *f, void *out)
{
    return fd->outer ? fd->ops->apply(fd, f, out) : SW_OK;
}

/* ------------------------------------------------------------------ two axes at once */

/* Whether `first` and `second` differentiate the same fields along the first two axes with more than one point. */
static bool can_join(const struct sw_fd *first, const struct sw_fd *second)
{
    const struct sw_fd_desc *a = &first->desc, *b = &second->desc;
    int pair[3] = {-1, -1, -1};
    for (int axis = 0, axes = 0; axis < 3; axis++)
        if (a->n[axis] > 1) pair[axes++] = axis;
    return !memcmp(a->n, b->n, sizeof a->n) && a->fields == b->fields && a->fields > 0 && a->single == b->single &&
           !a->add && !b->add && a->axis == pair[0] && b->axis == pair[1] && first->device == second->device &&
           first->line.kind == SW_FD_FIRST && second->line.kind == SW_FD_FIRST;
}

enum sw_status sw_fd_join(const struct sw_fd *first, const struct sw_fd *second, struct sw_fd_joined **joined)
{
    struct sw_fd_joined *j = NULL;
    *joined = NULL;
    if (first->ops != second->ops || !first->ops->create_joined || !can_join(first, second)) return SW_OK;
    SW_TRY(sw_alloc(1, &j));
    *j = (struct sw_fd_joined){.first = first, .second = second};
    const enum sw_status st = first->ops->create_joined(j);
    if (st || !j->own) sw_fd_joined_destroy(&j);
    *joined = j;
    return st;
}

void sw_fd_joined_destroy(struct sw_fd_joined **joined)
{
    if (!joined || !*joined) return;
    (*joined)->first->ops->destroy_joined(*joined);
    sw_free(*joined);
    *joined = NULL;
}

enum sw_status sw_fd_joined_apply(const struct sw_fd_joined *joined, const void *f, void *out_1, void *out_2)
{
    return joined->first->ops->apply_joined(joined, f, out_1, out_2);
}

/* ------------------------------------------------------------------ the rows */

const char *sw_fd_row(int k) { return sw_fd_table[k] ? sw_fd_table[k]->name : NULL; }

bool sw_fd_row_cuts(const char *row)
{
    const struct sw_fd_ops *o = (const struct sw_fd_ops *)sw_row_find(&rows, row);
    return o && o->refuse_cut;
}

bool sw_fd_fits(const struct sw_fd_desc *desc, const char *row)
{
    struct sw_fd_line line;
    struct fd_cut cut;
    const struct sw_row *r = sw_row_find(&rows, row);
    return r && !make_line(desc, &line, &cut) &&
           sw_row_usable(&rows, r, r->space, &(struct request){desc, &line, &cut, row});
}

size_t sw_fd_cut_bytes(const struct sw_fd_desc *desc, const char *row, const struct sw_device *device)
{
    struct sw_device here = *device;
    struct sw_fd s = {.desc = *desc, .device = &here, .arrays = {.device = &here, .counts = true}};
    if (!desc->comm || make_line(desc, &s.line, &s.cut)) return 0;
    set_lines(&s);
    enum sw_status st = pick(desc, row, &s);
    if (!st) st = fd_part_respond(&s.cut, &s.arrays);
    if (!st) st = s.ops->create(&s);
    const size_t bytes = st ? 0 : sw_owned_bytes(&s.arrays, device->space) + s.ops->own_size;
    sw_owned_free(&s.arrays);
    sw_free(s.own);
    return bytes;
}

const char *sw_fd_name(const struct sw_fd *fd) { return fd->ops->name; }

struct sw_cost sw_fd_cost(const struct sw_fd_desc *desc, const char *row)
{
    struct sw_fd_line line;
    struct fd_cut cut;
    const struct sw_fd_ops *o = (const struct sw_fd_ops *)sw_row_find(&rows, row);
    if (!o || !o->cost || make_line(desc, &line, &cut)) return (struct sw_cost){NAN, NAN};
    return o->cost(desc, &line);
}
