/* Relations on the CPU (relation_point.h), all threads: row `cpu.relations`.
 *
 * The rows are cut into tiles. Pass 1 sweeps each tile to its relation; a binary tree of merges joins those, and the
 * root closes the system; down the tree each tile learns its ends. Pass 2 sweeps each tile again, now keeping the pivot
 * rows, and substitutes.
 *
 * Threads share the nodes of the tree at some depth. The tree does not depend on them, so neither do the bits of x. */
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/relation_point.h"
#include "linalg/sw_tridiagonal_impl.h"

enum {
    TILE = 1024,
    MOST_TILES = 64,      /* of the smallest slice */
    TASK_TILES = 4,       /* a thread takes so many at a time, at least  */
    TASK_DEPTH_MOST = 8   /* but there are not more tasks than 2^8       */
};

/* A node of the tree whose left leaf this is: its relation [10] on the way up, its ends [4] on the way down; and in
 * between, where it is the left leaf of a right child, the pivot rows of that merge [11]. */
struct slot { double w[12]; };

struct relations {
    struct slot *slot;                /* [tiles of a slice] */
    struct relation_pivot *pivot;     /* [threads][TILE]    */
};

/* ------------------------------------------------------------------ a tile */

struct tile {
    const double *lower, *main, *upper, *rhs;
    int64_t count;
    bool begins, ends;      /* lower of its first row, upper of its last is not there */
};

static double lower_of(const struct tile *t, int64_t i) { return i == 0 && t->begins ? 0 : t->lower[i]; }
static double upper_of(const struct tile *t, int64_t i) { return i == t->count - 1 && t->ends ? 0 : t->upper[i]; }

/* @param pivot  out [count], NULL: not kept  @param w  out [10] */
static void sweep(const struct tile *t, struct relation_pivot *pivot, double *w)
{
    if (t->count == 1) {
        relation_of_row(lower_of(t, 0), t->main[0], upper_of(t, 0), t->rhs[0], w);
        return;
    }
    struct relation_rows rows = relation_begin(lower_of(t, 0), t->main[0], t->upper[0], t->rhs[0], t->lower[1],
                                               t->main[1], upper_of(t, 1), t->rhs[1]);
    for (int64_t i = 1; i < t->count - 1; i++)
        relation_eliminate(&rows, t->lower[i + 1], t->main[i + 1], upper_of(t, i + 1), t->rhs[i + 1],
                           pivot ? &pivot[i] : NULL);
    relation_of_rows(&rows, w);
}

static void substitute(const struct tile *t, const struct relation_pivot *pivot, const double *ends, double *x)
{
    double x1 = ends[2], x2 = ends[3];
    x[t->count - 1] = ends[2];
    for (int64_t i = t->count - 2; i >= 1; i--) {
        x[i] = relation_unknown(&pivot[i], ends[0], ends[1], x1, x2);
        x2 = x1;
        x1 = x[i];
    }
    x[0] = ends[1];
}

/* ------------------------------------------------------------------ the tree over the tiles of a slice */

struct slice {
    const struct sw_tridiagonal_rows *rows;  /* of this slice */
    double      *x;
    struct slot *slot;                       /* [tiles of the slice] */
    int64_t      n, leaves;                  /* of the whole system  */
    int64_t      first;                      /* tile of the slice    */
    bool         cyclic;
};

static struct tile tile_of(const struct slice *p, int64_t leaf)
{
    const int64_t at = (leaf - p->first) * TILE;
    const bool last = leaf == p->leaves - 1;
    return (struct tile){p->rows->lower + at, p->rows->main + at, p->rows->upper + at, p->rows->rhs + at,
                         last ? p->n - leaf * TILE : TILE, leaf == 0 && !p->cyclic, last && !p->cyclic};
}

struct node { int depth; int64_t s; };

static struct slot *slot_of(const struct slice *p, struct node k)
{
    return p->slot + (relation_first_leaf(p->leaves, k.depth, k.s) - p->first);
}

static int64_t leaves_of(const struct slice *p, struct node k)
{
    return relation_first_leaf(p->leaves, k.depth, k.s + 1) - relation_first_leaf(p->leaves, k.depth, k.s);
}

static struct node left(struct node k) { return (struct node){k.depth + 1, 2 * k.s}; }
static struct node right(struct node k) { return (struct node){k.depth + 1, 2 * k.s + 1}; }

/* The relation of a node. Those at the depth `known` are there. */
static void reduce_node(const struct slice *p, struct node k, int known)
{
    double *w = slot_of(p, k)->w;
    if (k.depth == known) return;
    if (leaves_of(p, k) == 1) {
        const struct tile t = tile_of(p, relation_first_leaf(p->leaves, k.depth, k.s));
        sweep(&t, NULL, w);
        return;
    }
    double *middle = slot_of(p, right(k))->w;
    reduce_node(p, left(k), known);
    reduce_node(p, right(k), known);
    relation_merge(1, w, middle, w, middle);
}

/* From the ends of a node, x in it; or the ends of its nodes at the depth `until`. */
static void expand_node(const struct slice *p, struct node k, int until, struct relation_pivot *pivot)
{
    double *ends = slot_of(p, k)->w, m0, m1, w[10];
    if (k.depth == until) return;
    if (leaves_of(p, k) == 1) {
        const int64_t leaf = relation_first_leaf(p->leaves, k.depth, k.s);
        const struct tile t = tile_of(p, leaf);
        sweep(&t, pivot, w);
        substitute(&t, pivot, ends, p->x + (leaf - p->first) * TILE);
        return;
    }
    double *middle = slot_of(p, right(k))->w;
    relation_expand(middle, ends, &m0, &m1);
    memcpy(middle, (double[4]){m0, m1, ends[2], ends[3]}, 4 * sizeof *middle);
    ends[2] = m0;
    ends[3] = m1;
    expand_node(p, left(k), until, pivot);
    expand_node(p, right(k), until, pivot);
}

/* ------------------------------------------------------------------ all threads */

/* 2^depth tasks below a node, a whole number of nodes. */
static int task_depth(const struct slice *p, struct node root)
{
    const int64_t leaves = leaves_of(p, root);
    int depth = 0;
    while (depth < TASK_DEPTH_MOST && leaves >> (depth + 1) >= TASK_TILES) depth++;
    return root.depth + depth;
}

static void reduce_slice(const struct slice *p, struct node root, int threads)
{
    const int depth = task_depth(p, root);
    const int64_t tasks = INT64_C(1) << (depth - root.depth);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (tasks > 1)
    for (int64_t t = 0; t < tasks; t++) reduce_node(p, (struct node){depth, root.s * tasks + t}, -1);
    reduce_node(p, root, depth);
}

/* After reduce_slice(), with the root's ends in its slot. */
static void expand_slice(const struct slice *p, struct node root, const struct relations *own, int threads)
{
    const int depth = task_depth(p, root);
    const int64_t tasks = INT64_C(1) << (depth - root.depth);
    expand_node(p, root, depth, own->pivot);
#pragma omp parallel num_threads(threads) if (tasks > 1)
    {
        struct relation_pivot *pivot = own->pivot + (size_t)omp_get_thread_num() * TILE;
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < tasks; t++) expand_node(p, (struct node){depth, root.s * tasks + t}, -1, pivot);
    }
}

static void solve_slice(const struct slice *p, const struct relations *own, int threads)
{
    const struct node root = {0, 0};
    double ends[4];
    reduce_slice(p, root, threads);
    relation_close(p->slot->w, p->cyclic, ends);
    memcpy(p->slot->w, ends, sizeof ends);
    expand_slice(p, root, own, threads);
}

/* ------------------------------------------------------------------ the row */

static int64_t tiles_of(int64_t n) { return (n + TILE - 1) / TILE; }

static enum sw_status create(struct sw_tridiagonal *solver)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    const int64_t tiles = (tiles_of(d->n) >> solver->depth) + 1;
    struct relations *own;
    SW_TRY(sw_alloc(1, &own));
    solver->own = own;
    SW_TRY(sw_alloc((size_t)tiles, &own->slot));
    return sw_alloc((size_t)solver->device->threads * TILE, &own->pivot);
}

static enum sw_status solve(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows, double *x)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    const struct relations *own = solver->own;
    for (int j = 0; j < d->batch; j++) {
        const size_t at = (size_t)j * (size_t)d->n;
        const struct sw_tridiagonal_rows system = {rows->lower + at, rows->main + at, rows->upper + at, rows->rhs + at};
        const struct slice p = {&system, x + at, own->slot, d->n, tiles_of(d->n), 0, d->cyclic};
        solve_slice(&p, own, solver->device->threads);
    }
    return SW_OK;
}

/* The node at the solver's depth that begins with this tile. */
static struct node find_node(const struct sw_tridiagonal *solver, int64_t first_tile)
{
    const int64_t leaves = tiles_of(solver->desc.n);
    struct node k = {0, 0};
    while (k.depth < solver->depth)
        k = first_tile < relation_first_leaf(leaves, k.depth + 1, 2 * k.s + 1) ? left(k) : right(k);
    return k;
}

static struct slice slice_of(const struct sw_tridiagonal *solver, int64_t first_tile,
                             const struct sw_tridiagonal_rows *rows, double *x)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    const struct relations *own = solver->own;
    return (struct slice){rows, x, own->slot, d->n, tiles_of(d->n), first_tile, d->cyclic};
}

static enum sw_status reduce(struct sw_tridiagonal *solver, int64_t first_tile, int64_t tiles, int64_t rows_count,
                             const struct sw_tridiagonal_rows *rows, struct sw_relation *relation)
{
    const struct slice p = slice_of(solver, first_tile, rows, NULL);
    (void)tiles;
    (void)rows_count;
    reduce_slice(&p, find_node(solver, first_tile), solver->device->threads);
    memcpy(relation->w, p.slot->w, sizeof relation->w);
    return SW_OK;
}

/* The merges below the slice's root are made again: they were not kept for all slices. */
static enum sw_status expand(struct sw_tridiagonal *solver, int64_t first_tile, int64_t tiles, int64_t rows_count,
                             const struct sw_tridiagonal_rows *rows, const double ends[4], double *x)
{
    const struct slice p = slice_of(solver, first_tile, rows, x);
    const struct node root = find_node(solver, first_tile);
    (void)tiles;
    (void)rows_count;
    reduce_slice(&p, root, solver->device->threads);
    memcpy(p.slot->w, ends, 4 * sizeof *ends);
    expand_slice(&p, root, solver->own, solver->device->threads);
    return SW_OK;
}

static void destroy(struct sw_tridiagonal *solver)
{
    struct relations *own = solver->own;
    if (!own) return;
    sw_free(own->slot);
    sw_free(own->pivot);
    sw_free(own);
}

static size_t bytes(const struct sw_tridiagonal_desc *desc)
{
    return (size_t)tiles_of(desc->n) * sizeof(struct slot) +
           (size_t)omp_get_num_procs() * TILE * sizeof(struct relation_pivot);
}

/* Pass 1 reads 4 words and takes 11 multiply-adds; pass 2 reads 4 and writes 1, and takes 5 products and 4
 * multiply-adds more. */
static struct sw_cost cost(const struct sw_tridiagonal_desc *desc)
{
    return desc->n <= TILE ? (struct sw_cost){40, 20} : (struct sw_cost){72, 31};
}

extern const struct sw_tridiagonal_ops tridiagonal_relations_cpu;
const struct sw_tridiagonal_ops tridiagonal_relations_cpu = {
    .name = "cpu.relations",
    .about = "elimination with pivoting in nested-dissection order, by relations of runs of rows: all threads",
    .space = SW_HOST,
    .rescues = true,
    .stable = true,
    .bytes = bytes,
    .create = create,
    .solve = solve,
    .destroy = destroy,
    .cost = cost,
    .tile = TILE,
    .most_tiles = MOST_TILES,
    .reduce = reduce,
    .expand = expand,
};
