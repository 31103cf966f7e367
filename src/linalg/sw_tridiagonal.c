#include "linalg/sw_tridiagonal.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "linalg/relation_point.h"
#include "linalg/sw_tridiagonal_impl.h"

/* 4 TB in each array; trees have at most 2^30 tiles, so that the products of relation_first_leaf() stay below 2^60. */
static const int64_t MOST_UNKNOWNS = INT64_C(1) << 39;

static enum sw_status check_desc(const struct sw_tridiagonal_desc *d)
{
    const int64_t least = d->cyclic ? 3 : 1;
    if (d->n < least)
        return SW_FAIL(SW_E_ARG, "n = %lld: a %stridiagonal system needs %lld unknowns at least", (long long)d->n,
                       d->cyclic ? "cyclic " : "", (long long)least);
    if (d->n > MOST_UNKNOWNS)
        return SW_FAIL(SW_E_ARG, "n = %lld: a system has 2^39 unknowns at most", (long long)d->n);
    if (d->batch < 1) return SW_FAIL(SW_E_ARG, "batch = %d: there is no system", d->batch);
    return SW_OK;
}

static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    const struct sw_tridiagonal_ops *o = (const struct sw_tridiagonal_ops *)row;
    (void)kind;
    if (!o) return "no row does this shape";
    return o->refuse ? o->refuse(request) : NULL;
}

SW_ROWS(rows, "tridiagonal solver", sw_tridiagonal_table, .refuse = refuse);

static const char *refuse_slices(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    const struct sw_tridiagonal_ops *o = (const struct sw_tridiagonal_ops *)row;
    return o && !o->slices ? "it solves whole systems only" : refuse(row, request, kind);
}

SW_ROWS(rows_of_slices, "tridiagonal solver of slices", sw_tridiagonal_table, .refuse = refuse_slices);

static enum sw_status pick(const struct sw_rows *among, const struct sw_tridiagonal_desc *desc, const char *name,
                           const struct sw_device *device, const struct sw_tridiagonal_ops **ops)
{
    const struct sw_row *row = NULL;
    SW_TRY(check_desc(desc));
    SW_TRY(sw_row_pick(among, name, device->space, desc, &row));
    *ops = (const struct sw_tridiagonal_ops *)row;
    return SW_OK;
}

static enum sw_status fill(struct sw_tridiagonal *s)
{
    SW_TRY(sw_device_use(s->device));
    SW_TRY(sw_alloc_bytes(1, s->ops->own_size, &s->own));
    s->ops->arrays(s);
    if (s->arrays.status || !s->ops->create || s->device->compiles_only) return s->arrays.status;
    return s->ops->create(s);
}

static enum sw_status create(const struct sw_tridiagonal_ops *ops, const struct sw_tridiagonal_desc *desc, int depth,
                             struct sw_device *device, struct sw_tridiagonal **solver)
{
    struct sw_tridiagonal *s = NULL;
    SW_TRY(sw_alloc(1, &s));
    *s = (struct sw_tridiagonal){.ops = ops, .desc = *desc, .depth = depth, .device = device, .arrays.device = device};
    enum sw_status st = fill(s);
    if (st) sw_tridiagonal_destroy(&s);
    *solver = s;
    return st;
}

enum sw_status sw_tridiagonal_create(const struct sw_tridiagonal_desc *desc, const char *name,
                                     struct sw_device *device, struct sw_tridiagonal **solver)
{
    const struct sw_tridiagonal_ops *ops;
    *solver = NULL;
    SW_TRY(pick(&rows, desc, name, device, &ops));
    return create(ops, desc, 0, device, solver);
}

enum sw_status sw_tridiagonal_solve(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows_, double *x)
{
    SW_TRY(sw_device_use(solver->device));
    return solver->ops->solve(solver, rows_, x);
}

/* ------------------------------------------------------------------ what a row is like */

const struct sw_tridiagonal_desc *sw_tridiagonal_shape(const struct sw_tridiagonal *solver) { return &solver->desc; }

const char *sw_tridiagonal_name(const struct sw_tridiagonal *solver) { return solver->ops->name; }

const char *sw_tridiagonal_row(int k) { return sw_tridiagonal_table[k] ? sw_tridiagonal_table[k]->name : NULL; }

const char *sw_tridiagonal_refusal(const struct sw_tridiagonal_desc *desc, const char *name)
{
    const struct sw_tridiagonal_ops *ops = name ? (const struct sw_tridiagonal_ops *)sw_row_find(&rows, name) : NULL;
    return ops && ops->refuse ? ops->refuse(desc) : NULL;
}

enum sw_status sw_tridiagonal_slice_bytes(const struct sw_tridiagonal_desc *desc, int depth, const char *name,
                                          const struct sw_device *device, size_t *bytes)
{
    struct sw_device here = *device;
    struct sw_tridiagonal s = {.desc = *desc, .depth = depth, .device = &here, .arrays.counts = true};
    *bytes = 0;
    SW_TRY(pick(depth ? &rows_of_slices : &rows, desc, name, device, &s.ops));
    SW_TRY(sw_device_use(device));  /* a library may have to be asked */
    SW_TRY(sw_alloc_bytes(1, s.ops->own_size, &s.own));
    s.ops->arrays(&s);
    sw_free(s.own);
    *bytes = sw_owned_bytes(&s.arrays, s.ops->space) + (s.ops->library_bytes ? s.ops->library_bytes(desc) : 0);
    return SW_OK;
}

enum sw_status sw_tridiagonal_bytes(const struct sw_tridiagonal_desc *desc, const char *name,
                                    const struct sw_device *device, size_t *bytes)
{
    return sw_tridiagonal_slice_bytes(desc, 0, name, device, bytes);
}

struct sw_cost sw_tridiagonal_cost(const struct sw_tridiagonal *solver)
{
    return solver->ops->cost ? solver->ops->cost(&solver->desc) : (struct sw_cost){NAN, NAN};
}

void sw_tridiagonal_destroy(struct sw_tridiagonal **solver)
{
    if (!solver || !*solver) return;
    struct sw_tridiagonal *s = *solver;
    if (s->own && s->ops->destroy) s->ops->destroy(s);
    sw_owned_free(&s->arrays);
    sw_free(s->own);
    sw_free(s);
    *solver = NULL;
}

/* ------------------------------------------------------------------ slices */

int sw_relations_depth(int64_t leaves, int most_leaves)
{
    int depth = 0;
    while (((leaves + (INT64_C(1) << depth) - 1) >> depth) > most_leaves) depth++;
    return depth;
}

static const struct sw_tridiagonal_ops *find(const char *name)
{
    return (const struct sw_tridiagonal_ops *)sw_row_find(&rows, name);
}

int sw_tridiagonal_depth(const struct sw_tridiagonal_desc *desc, const char *name)
{
    const struct sw_tridiagonal_ops *ops = find(name);
    if (!ops || !ops->slices || desc->batch != 1) return -1;
    return sw_relations_depth(ops->slices->leaves(desc->n), ops->slices->most_leaves);
}

const char *sw_tridiagonal_row_of_slices(const struct sw_tridiagonal_desc *desc, const char *name,
                                         const struct sw_device *device)
{
    for (int k = 0; sw_tridiagonal_table[k]; k++) {
        const struct sw_tridiagonal_ops *o = sw_tridiagonal_table[k];
        if (o->slices && !o->absent && o->space == device->space && (!name || !strcmp(name, o->name)) &&
            desc->batch == 1 && !(o->refuse && o->refuse(desc)))
            return o->name;
    }
    return NULL;
}

static struct sw_slice slice_of(const struct sw_tridiagonal_ops *ops, int64_t n, int depth, int64_t s)
{
    const struct sw_slice_ops *o = ops->slices;
    const int64_t all = o->leaves(n), leaf = relation_first_leaf(all, depth, s),
                  next = relation_first_leaf(all, depth, s + 1), row = o->leaf_row(n, leaf);
    return (struct sw_slice){s, leaf, next - leaf, row, o->leaf_row(n, next) - row};
}

void sw_tridiagonal_slice(const struct sw_tridiagonal_desc *desc, const char *name, int depth, int64_t s,
                          int64_t *first, int64_t *count)
{
    const struct sw_tridiagonal_ops *ops = find(name);
    const struct sw_slice slice = slice_of(ops, desc->n, depth, s);
    *first = slice.first;
    *count = slice.rows;
}

enum sw_status sw_tridiagonal_create_slices(const struct sw_tridiagonal_desc *desc, int depth, const char *name,
                                            struct sw_device *device, struct sw_tridiagonal **solver)
{
    const struct sw_tridiagonal_ops *ops;
    *solver = NULL;
    if (desc->batch != 1) return SW_FAIL(SW_E_ARG, "batch = %d: slices are of one system", desc->batch);
    SW_TRY(pick(&rows_of_slices, desc, name, device, &ops));
    const int deepest = sw_tridiagonal_depth(desc, ops->name);
    if (depth < 0 || depth > deepest)
        return SW_FAIL(SW_E_ARG, "%s cuts %lld rows into 2^0 to 2^%d slices, not 2^%d", ops->name, (long long)desc->n,
                       deepest, depth);
    return create(ops, desc, depth, device, solver);
}

enum sw_status sw_tridiagonal_reduce(struct sw_tridiagonal *solver, int64_t s, const struct sw_tridiagonal_rows *rows_,
                                     struct sw_relation *relation)
{
    const struct sw_slice slice = slice_of(solver->ops, solver->desc.n, solver->depth, s);
    SW_TRY(sw_device_use(solver->device));
    return solver->ops->slices->reduce(solver, &slice, rows_, relation);
}

enum sw_status sw_tridiagonal_expand(struct sw_tridiagonal *solver, int64_t s, const struct sw_tridiagonal_rows *rows_,
                                     bool reduced, const double ends[4], double *x)
{
    const struct sw_slice slice = slice_of(solver->ops, solver->desc.n, solver->depth, s);
    SW_TRY(sw_device_use(solver->device));
    return solver->ops->slices->expand(solver, &slice, rows_, reduced, ends, x);
}

/* Up and down the tree over `count` leaves: node k has its relation in the slot of its first leaf on the way up, its
 * ends on the way down; in between the slot of its right child's first leaf has the pivot rows. */
struct slot { double w[11]; };

static int64_t leaf(int64_t count, int depth, int64_t k) { return relation_first_leaf(count, depth, k); }

static void merge_nodes(struct slot *slot, int64_t count, int depth)
{
    for (int64_t k = 0; k < INT64_C(1) << depth; k++) {
        const int64_t l = leaf(count, depth + 1, 2 * k), m = leaf(count, depth + 1, 2 * k + 1);
        if (l < m && m < leaf(count, depth, k + 1)) relation_join(1, slot[l].w, slot[m].w, slot[l].w, slot[m].w);
    }
}

static void part_nodes(struct slot *slot, int64_t count, int depth)
{
    for (int64_t k = 0; k < INT64_C(1) << depth; k++) {
        const int64_t l = leaf(count, depth + 1, 2 * k), m = leaf(count, depth + 1, 2 * k + 1);
        double *left = slot[l].w, *right = slot[m].w, m0, m1;
        if (l == m || m == leaf(count, depth, k + 1)) continue;
        relation_expand(right, left, &m0, &m1);
        right[0] = m0; right[1] = m1; right[2] = left[2]; right[3] = left[3];
        left[2] = m0; left[3] = m1;
    }
}

enum sw_status sw_relations_close(int64_t count, const struct sw_relation *relation, bool cyclic, double (*ends)[4])
{
    struct slot *slot;
    double whole[4];
    int depth = 0;
    if (count < 1) return SW_FAIL(SW_E_ARG, "%lld slices: there is none", (long long)count);
    SW_TRY(sw_alloc((size_t)count, &slot));
    for (int64_t k = 0; k < count; k++) memcpy(slot[k].w, relation[k].w, sizeof relation[k].w);
    while (INT64_C(1) << depth < count) depth++;
    for (int d = depth - 1; d >= 0; d--) merge_nodes(slot, count, d);
    relation_close(1, slot[0].w, cyclic, whole);
    memcpy(slot[0].w, whole, sizeof whole);
    for (int d = 0; d < depth; d++) part_nodes(slot, count, d);
    for (int64_t k = 0; k < count; k++) memcpy(ends[k], slot[k].w, sizeof ends[k]);
    sw_free(slot);
    return SW_OK;
}

static bool is_finite(int count, const double *value)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(value[k])) return false;
    return true;
}

static int64_t find_broken(int64_t count, const struct sw_relation *relation, double (*ends)[4])
{
    for (int64_t k = 0; k < count; k++)
        if (!is_finite(10, relation[k].w)) return k;
    for (int64_t k = 0; k < count; k++)
        if (!is_finite(4, ends[k])) return k;
    return -1;
}

enum sw_status sw_tridiagonal_close(const struct sw_tridiagonal *solver, const struct sw_relation *relation,
                                    double (*ends)[4], int64_t *broken)
{
    const int64_t count = INT64_C(1) << solver->depth;
    SW_TRY(solver->ops->slices->close(count, relation, solver->desc.cyclic, ends));
    *broken = find_broken(count, relation, ends);
    return SW_OK;
}
