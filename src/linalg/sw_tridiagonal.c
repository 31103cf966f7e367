#include "linalg/sw_tridiagonal.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/relation_point.h"
#include "linalg/sw_tridiagonal_impl.h"

static enum sw_status check_desc(const struct sw_tridiagonal_desc *d)
{
    const int64_t least = d->cyclic ? 3 : 1;
    if (d->n < least)
        return SW_FAIL(SW_E_ARG, "n = %lld: a %stridiagonal system needs %lld unknowns at least", (long long)d->n,
                       d->cyclic ? "cyclic " : "", (long long)least);
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

static enum sw_status pick(const struct sw_tridiagonal_desc *desc, const char *name, const struct sw_device *device,
                           const struct sw_tridiagonal_ops **ops)
{
    const struct sw_row *row = NULL;
    SW_TRY(check_desc(desc));
    SW_TRY(sw_row_pick(&rows, name, device->space, desc, &row));
    *ops = (const struct sw_tridiagonal_ops *)row;
    return SW_OK;
}

static enum sw_status create(const struct sw_tridiagonal_ops *ops, const struct sw_tridiagonal_desc *desc, int depth,
                             struct sw_device *device, struct sw_tridiagonal **solver)
{
    struct sw_tridiagonal *s = NULL;
    SW_TRY(sw_alloc(1, &s));
    *s = (struct sw_tridiagonal){.ops = ops, .desc = *desc, .depth = depth, .device = device};
    enum sw_status st = ops->create(s);
    if (st) sw_tridiagonal_destroy(&s);
    *solver = s;
    return st;
}

enum sw_status sw_tridiagonal_create(const struct sw_tridiagonal_desc *desc, const char *name,
                                     struct sw_device *device, struct sw_tridiagonal **solver)
{
    const struct sw_tridiagonal_ops *ops;
    *solver = NULL;
    SW_TRY(pick(desc, name, device, &ops));
    return create(ops, desc, 0, device, solver);
}

enum sw_status sw_tridiagonal_solve(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows_, double *x)
{
    return solver->ops->solve(solver, rows_, x);
}

/* ------------------------------------------------------------------ what became of a solve */

/* The first entry of x, on the host, that is not finite; -1: all are. */
static int64_t find_not_finite(int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}

/* Of systems that hold an entry that is not finite, finite[j] = false. */
static enum sw_status look_at_entries(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, bool *finite)
{
    enum { BLOCK = 1 << 16 };
    const double *array[] = {r->lower, r->main, r->upper, r->rhs};
    const int64_t n = s->desc.n, all = n * s->desc.batch;
    double *room;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc(BLOCK, &room));
    for (int k = 0; k < 4; k++)
        for (int64_t at = 0; at < all && !st; at += BLOCK) {
            const int64_t count = all - at < BLOCK ? all - at : BLOCK;
            st = sw_device_download(s->device, room, array[k] + at, (size_t)count * sizeof *room);
            for (int64_t i = 0; i < count && !st; i++) {
                const int64_t row = (at + i) % n;
                const bool outside = !s->desc.cyclic && ((k == 0 && row == 0) || (k == 2 && row == n - 1));
                if (!isfinite(room[i]) && !outside) finite[(at + i) / n] = false;
            }
        }
    sw_free(room);
    return st;
}

static enum sw_status find_finite(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, const double *x,
                                  bool *finite)
{
    if (s->ops->finite) SW_TRY(s->ops->finite(s, x, finite));
    else {
        SW_TRY(sw_device_wait(s->device));
        for (int j = 0; j < s->desc.batch; j++) finite[j] = find_not_finite(s->desc.n, x + j * s->desc.n) < 0;
    }
    return s->ops->misses_infinity ? look_at_entries(s, r, finite) : SW_OK;
}

/* Judge system j: its rows and x come to the host, where they are not there already. */
static enum sw_status judge(const struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, int j, double *x,
                            struct sw_tridiagonal_outcome *outcome)
{
    const size_t n = (size_t)s->desc.n, bytes = n * sizeof(double), at = (size_t)j * n;
    const double *from[] = {r->lower + at, r->main + at, r->upper + at, r->rhs + at};
    double *room, *solution;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc(6 * n, &room));
    solution = room + 5 * n;
    for (size_t k = 0; k < 4 && !st; k++) st = sw_device_download(s->device, room + k * n, from[k], bytes);
    if (!st) st = sw_device_download(s->device, room + 4 * n, x + at, bytes);
    const struct sw_tridiagonal_rows here = {room, room + n, room + 2 * n, room + 3 * n};
    if (!st) st = sw_tridiagonal_judge(s->desc.n, s->desc.cyclic, &here, solution, outcome);
    if (!st && outcome->fault == SW_TRIDIAGONAL_FINE) {
        if (s->ops->rescues) st = sw_device_upload(s->device, x + at, solution, bytes);
        else
            *outcome = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_BREAKDOWN,
                                                       find_not_finite(s->desc.n, room + 4 * n)};
    }
    if (!st && outcome->fault && find_not_finite(s->desc.n, room + 4 * n) < 0) {  /* misses_infinity */
        const double nan = NAN;
        st = sw_device_upload(s->device, x + at + outcome->row, &nan, sizeof nan);
    }
    sw_free(room);
    return st;
}

enum sw_status sw_tridiagonal_outcome(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows_, double *x,
                                      struct sw_tridiagonal_outcome *outcome)
{
    bool *finite = NULL;
    SW_TRY(sw_alloc((size_t)solver->desc.batch, &finite));
    enum sw_status st = find_finite(solver, rows_, x, finite);
    for (int j = 0; j < solver->desc.batch && !st; j++) {
        outcome[j] = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_FINE, -1};
        if (!finite[j]) st = judge(solver, rows_, j, x, &outcome[j]);
    }
    sw_free(finite);
    return st;
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

enum sw_status sw_tridiagonal_bytes(const struct sw_tridiagonal_desc *desc, const char *name,
                                    const struct sw_device *device, size_t *bytes)
{
    const struct sw_tridiagonal_ops *ops;
    *bytes = 0;
    SW_TRY(pick(desc, name, device, &ops));
    SW_TRY(sw_device_use(device));  /* a library may have to be asked */
    *bytes = ops->bytes ? ops->bytes(desc) : 0;
    return SW_OK;
}

struct sw_cost sw_tridiagonal_cost(const struct sw_tridiagonal *solver)
{
    return solver->ops->cost ? solver->ops->cost(&solver->desc) : (struct sw_cost){NAN, NAN};
}

void sw_tridiagonal_destroy(struct sw_tridiagonal **solver)
{
    if (!solver || !*solver) return;
    (*solver)->ops->destroy(*solver);
    sw_free(*solver);
    *solver = NULL;
}

/* ------------------------------------------------------------------ slices */

int sw_relations_depth(int64_t tiles, int most_tiles)
{
    int depth = 0;
    while (((tiles + (INT64_C(1) << depth) - 1) >> depth) > most_tiles) depth++;
    return depth;
}

static const struct sw_tridiagonal_ops *find(const char *name)
{
    return (const struct sw_tridiagonal_ops *)sw_row_find(&rows, name);
}

static int64_t tiles_of(const struct sw_tridiagonal_ops *ops, int64_t n) { return (n + ops->tile - 1) / ops->tile; }

int sw_tridiagonal_depth(const struct sw_tridiagonal_desc *desc, const char *name)
{
    const struct sw_tridiagonal_ops *ops = find(name);
    if (!ops || !ops->tile || desc->batch != 1) return -1;
    return sw_relations_depth(tiles_of(ops, desc->n), ops->most_tiles);
}

const char *sw_tridiagonal_row_of_slices(const struct sw_tridiagonal_desc *desc, const char *name,
                                         const struct sw_device *device)
{
    for (int k = 0; sw_tridiagonal_table[k]; k++) {
        const struct sw_tridiagonal_ops *o = sw_tridiagonal_table[k];
        if (o->tile && !o->absent && o->space == device->space && (!name || !strcmp(name, o->name)) &&
            desc->batch == 1 && !(o->refuse && o->refuse(desc)))
            return o->name;
    }
    return NULL;
}

/* Rows of nodes s and s + 1 of the tree, where the rows begin. */
static void slice(const struct sw_tridiagonal_ops *ops, int64_t n, int depth, int64_t s, int64_t *first_tile,
                  int64_t *tiles, int64_t *count)
{
    const int64_t all = tiles_of(ops, n), next = relation_first_leaf(all, depth, s + 1);
    *first_tile = relation_first_leaf(all, depth, s);
    *tiles = next - *first_tile;
    *count = (next == all ? n : next * ops->tile) - *first_tile * ops->tile;
}

void sw_tridiagonal_slice(const struct sw_tridiagonal_desc *desc, const char *name, int depth, int64_t s,
                          int64_t *first, int64_t *count)
{
    const struct sw_tridiagonal_ops *ops = find(name);
    int64_t tiles;
    slice(ops, desc->n, depth, s, first, &tiles, count);
    *first *= ops->tile;
}

enum sw_status sw_tridiagonal_create_slices(const struct sw_tridiagonal_desc *desc, int depth, const char *name,
                                            struct sw_device *device, struct sw_tridiagonal **solver)
{
    const struct sw_tridiagonal_ops *ops;
    *solver = NULL;
    SW_TRY(pick(desc, name, device, &ops));
    const int deepest = sw_tridiagonal_depth(desc, ops->name);
    if (depth < 0 || depth > deepest)
        return SW_FAIL(SW_E_ARG, "%s cuts %lld rows into 2^0 to 2^%d slices, not 2^%d", ops->name, (long long)desc->n,
                       deepest, depth);
    return create(ops, desc, depth, device, solver);
}

enum sw_status sw_tridiagonal_reduce(struct sw_tridiagonal *solver, int64_t s, const struct sw_tridiagonal_rows *rows_,
                                     struct sw_relation *relation)
{
    int64_t first, tiles, count;
    slice(solver->ops, solver->desc.n, solver->depth, s, &first, &tiles, &count);
    return solver->ops->reduce(solver, first, tiles, count, rows_, relation);
}

enum sw_status sw_tridiagonal_expand(struct sw_tridiagonal *solver, int64_t s, const struct sw_tridiagonal_rows *rows_,
                                     const double ends[4], double *x)
{
    int64_t first, tiles, count;
    slice(solver->ops, solver->desc.n, solver->depth, s, &first, &tiles, &count);
    return solver->ops->expand(solver, first, tiles, count, rows_, ends, x);
}

/* Node k of 1 .. 2*count - 1 has the children 2k and 2k + 1; the slices are nodes count .. 2*count - 1. */
enum sw_status sw_relations_close(int64_t count, const struct sw_relation *relation, bool cyclic, double (*ends)[4])
{
    struct node { double w[10], kept[11], ends[4]; } *node;
    SW_TRY(sw_alloc(2 * (size_t)count, &node));
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < 10; i++) node[count + k].w[i] = relation[k].w[i];
    for (int64_t k = count - 1; k >= 1; k--)
        relation_merge(1, node[2 * k].w, node[2 * k + 1].w, node[k].w, node[k].kept);
    relation_close(node[1].w, cyclic, node[1].ends);
    for (int64_t k = 1; k < count; k++) {
        double *l = node[2 * k].ends, *r = node[2 * k + 1].ends, m0, m1;
        relation_expand(node[k].kept, node[k].ends, &m0, &m1);
        l[0] = node[k].ends[0]; l[1] = node[k].ends[1]; l[2] = m0; l[3] = m1;
        r[0] = m0; r[1] = m1; r[2] = node[k].ends[2]; r[3] = node[k].ends[3];
    }
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < 4; i++) ends[k][i] = node[count + k].ends[i];
    sw_free(node);
    return SW_OK;
}
