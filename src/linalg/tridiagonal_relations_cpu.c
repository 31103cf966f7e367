/* Relations on the CPU (relation_point.h), vectors and all threads: rows `cpu.relations` and
 * `cpu.relations_adaptive`.
 *
 * The rows are cut into tiles, and a tile into runs, one a lane (relation_lanes.h). Pass 1 sweeps each tile to its
 * relation; a binary tree of merges joins those, and the root closes the system; down the tree each tile learns its
 * ends. Pass 2 sweeps each tile again, now keeping the pivot rows in the cache, and substitutes. A system of one tile
 * is swept once; of a batch of short systems there is one in each lane.
 *
 * The adaptive row tries one pass: where each tile decouples, its ends follow from the tiles beside it, and it is
 * substituted as soon as the next one is swept. Where one does not, all is done over in two passes.
 *
 * Threads share the nodes of the tree at some depth, or the systems. What is a run does not depend on them, nor on the
 * instruction set or the batch, so neither do the bits of x. */
#include <omp.h>
#include <string.h>

#include "linalg/relation_point.h"
#include "linalg/relation_tile.h"
#include "linalg/sw_tridiagonal_impl.h"

enum {
    TILE = RELATION_TILE,
    SHORT = RELATION_TILE_SHORT,     /* systems of so many rows and fewer are a run each: pivot rows of 16 take
                                        240 KB                                                              */
    MOST_TILES = 64,                 /* of the smallest slice                                               */
    TASK_TILES = 4,                  /* a thread takes so many at a time, at least                          */
    TASK_DEPTH_MOST = 8,             /* but there are not more tasks than 2^8                               */
    STRETCH_MOST = 128,              /* tiles that a thread takes at a time in one pass, and sweeps 2 more  */
    CACHED_ROWS = 1 << 19,           /* rows and x of more do not stay in a cache of 20 MB                  */
    SERIAL_ROWS = 16384              /* fewer take 0.1 ms: starting threads costs more                      */
};

/* A node of the tree whose left leaf this is: its relation [10] on the way up, its ends [4] on the way down; and in
 * between, where it is the left leaf of a right child, the pivot rows of that merge [11]. */
struct slot { double w[12]; };

/* Of a thread. */
struct work {
    struct relation_tile_work tile;
    struct slot *slot;                /* [tiles]; where threads share the tiles of a system, thread 0's serve all */
};

struct relations {
    const struct relation_lanes_ops *lanes;
    bool         *fine;               /* [batch]: x is finite, and the last pivots are more than rounding */
    int           threads;
    bool          adaptive;
    bool          past_cache;         /* x is written so     */
    struct work  *work;               /* [threads], adaptive [2][threads] */
};

/* ------------------------------------------------------------------ the tree over the tiles of a slice */

struct slice {
    const struct relations *own;
    struct sw_tridiagonal_rows rows;         /* of this slice        */
    double      *x;
    struct slot *slot;                       /* [tiles of the slice] */
    int64_t      n, leaves;                  /* of the whole system  */
    int64_t      first;                      /* tile of the slice    */
    bool         cyclic;
};

static struct relation_tile tile_of(const struct slice *p, int64_t leaf)
{
    const int64_t at = (leaf - p->first) * TILE;
    const bool last = leaf == p->leaves - 1;
    const int64_t count = last ? p->n - leaf * TILE : TILE;
    return (struct relation_tile){p->rows.lower + at, p->rows.main + at, p->rows.upper + at, p->rows.rhs + at, count,
                         p->n <= SHORT || count < RELATION_TILE_LEAST, p->own->past_cache, leaf == 0 && !p->cyclic,
                         last && !p->cyclic};
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
static void reduce_node(const struct slice *p, struct node k, int known, struct work *work)
{
    double *w = slot_of(p, k)->w;
    if (k.depth == known) return;
    if (leaves_of(p, k) == 1) {
        const struct relation_tile t = tile_of(p, relation_first_leaf(p->leaves, k.depth, k.s));
        relation_tile_sweep(p->own->lanes, &work->tile, &t, false, w);
        return;
    }
    double *middle = slot_of(p, right(k))->w;
    reduce_node(p, left(k), known, work);
    reduce_node(p, right(k), known, work);
    relation_join(1, w, middle, w, middle);
}

/* From the ends of a node, x in it; or the ends of its nodes at the depth `until`.
 * @return whether all of x is finite */
static bool expand_node(const struct slice *p, struct node k, int until, struct work *work)
{
    double *ends = slot_of(p, k)->w, m0, m1, w[10];
    if (k.depth == until) return true;
    if (leaves_of(p, k) == 1) {
        const int64_t leaf = relation_first_leaf(p->leaves, k.depth, k.s);
        const struct relation_tile t = tile_of(p, leaf);
        relation_tile_sweep(p->own->lanes, &work->tile, &t, true, w);
        return relation_tile_substitute(p->own->lanes, &work->tile, &t, ends, p->x + (leaf - p->first) * TILE);
    }
    double *middle = slot_of(p, right(k))->w;
    relation_expand(middle, ends, &m0, &m1);
    memcpy(middle, (double[4]){m0, m1, ends[2], ends[3]}, 4 * sizeof *middle);
    ends[2] = m0;
    ends[3] = m1;
    const bool finite = expand_node(p, left(k), until, work);
    return expand_node(p, right(k), until, work) && finite;
}

/* ------------------------------------------------------------------ threads that share tiles */

/* 2^depth tasks below a node, a whole number of nodes. */
static int task_depth(const struct slice *p, struct node root)
{
    const int64_t leaves = leaves_of(p, root);
    int depth = 0;
    while (depth < TASK_DEPTH_MOST && leaves >> (depth + 1) >= TASK_TILES) depth++;
    return root.depth + depth;
}

/* @param work  of each thread */
static void reduce_slice(const struct slice *p, struct node root, struct work *work, int threads)
{
    const int depth = task_depth(p, root);
    const int64_t tasks = INT64_C(1) << (depth - root.depth);
    if (threads == 1 || leaves_of(p, root) * TILE < SERIAL_ROWS) {
        reduce_node(p, root, -1, work);
        return;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t t = 0; t < tasks; t++)
        reduce_node(p, (struct node){depth, root.s * tasks + t}, -1, work + omp_get_thread_num());
    reduce_node(p, root, depth, work);
}

/* After reduce_slice(), with the root's ends in its slot. @return whether all of x is finite */
static bool expand_slice(const struct slice *p, struct node root, struct work *work, int threads)
{
    const int depth = task_depth(p, root);
    const int64_t tasks = INT64_C(1) << (depth - root.depth);
    bool finite = true;
    if (threads == 1 || leaves_of(p, root) * TILE < SERIAL_ROWS) return expand_node(p, root, -1, work);
    expand_node(p, root, depth, work);
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(&& : finite)
    for (int64_t t = 0; t < tasks; t++) {
        const struct node k = {depth, root.s * tasks + t};
        finite = expand_node(p, k, -1, work + omp_get_thread_num()) && finite;
    }
    return finite;
}

/* ------------------------------------------------------------------ one pass */

/* A tile on its way through: what is known of it when it is swept. */
struct passing { double w[10], left[3], right[3]; bool decouples; };

static struct passing pass_tile(const struct slice *p, int64_t leaf, bool keep, struct work *work)
{
    const struct relation_tile t = tile_of(p, leaf);
    struct passing a;
    relation_tile_sweep(p->own->lanes, &work->tile, &t, keep, a.w);
    a.decouples = relation_decouples(a.w, a.left, a.right);
    return a;
}

/* x[-1] and x[0] of a tile. */
static void meet_before(int64_t leaf, const struct passing *before, const struct passing *it, double *ends)
{
    ends[0] = 0;
    ends[1] = it->left[2] / it->left[1];
    if (leaf > 0) relation_meet(before->right, it->left, &ends[0], &ends[1]);
}

static void substitute_leaf(const struct slice *p, int64_t leaf, const double *ends, struct work *work, bool *finite)
{
    const struct relation_tile t = tile_of(p, leaf);
    *finite = relation_tile_substitute(p->own->lanes, &work->tile, &t, ends, p->x + leaf * TILE) && *finite;
}

/* x of a tile from what it and those beside it say. @return false where it depends on more than these */
static bool finish_tile(const struct slice *p, int64_t leaf, const struct passing *before, const struct passing *it,
                        const struct passing *behind, struct work *work, bool *finite)
{
    double ends[4];
    if (!before->decouples || !it->decouples || !behind->decouples) return false;
    meet_before(leaf, before, it, ends);
    relation_meet(it->right, behind->left, &ends[2], &ends[3]);
    if (!relation_drop_is_small(it->w, ends)) return false;
    substitute_leaf(p, leaf, ends, work, finite);
    return true;
}

/* Of the last two tiles, which are one here: the last one may be too short to decouple. */
static bool finish_last_two(const struct slice *p, const struct passing *before, const struct passing *it,
                            const struct passing *last, struct work *const two[2], bool *finite)
{
    const int64_t leaf = p->leaves - 2;
    struct passing both;
    double kept[11], ends[4], m0, m1;
    relation_join(1, it->w, last->w, both.w, kept);
    if (!before->decouples || !relation_decouples(both.w, both.left, both.right)) return false;
    meet_before(leaf, before, &both, ends);
    ends[2] = both.right[2] / both.right[0];
    ends[3] = 0;
    if (!relation_drop_is_small(both.w, ends)) return false;
    relation_expand(kept, ends, &m0, &m1);
    substitute_leaf(p, leaf, (double[4]){ends[0], ends[1], m0, m1}, two[leaf % 2], finite);
    substitute_leaf(p, leaf + 1, (double[4]){m0, m1, ends[2], 0}, two[(leaf + 1) % 2], finite);
    return true;
}

static bool pass_tiles(const struct slice *p, int64_t first, int64_t next, struct work *const two[2],
                       const bool *failed, bool *finite)
{
    struct passing before = {.decouples = true}, it, behind;
    if (first > 0) before = pass_tile(p, first - 1, false, two[0]);
    it = pass_tile(p, first, true, two[first % 2]);
    for (int64_t leaf = first; leaf < next; leaf++) {
        const bool last_two = leaf == p->leaves - 2;
        bool stop;
#pragma omp atomic read
        stop = *failed;
        if (stop) return true;
        behind = pass_tile(p, leaf + 1, last_two || leaf + 1 < next, two[(leaf + 1) % 2]);
        if (last_two) return finish_last_two(p, &before, &it, &behind, two, finite);
        if (!finish_tile(p, leaf, &before, &it, &behind, two[leaf % 2], finite)) return false;
        before = it;
        it = behind;
    }
    return true;
}

/* Tiles first .. next-1, with the last tile of all where the one before it is among them; those beside them are swept,
 * too. Each of `two` keeps a tile.
 * @param failed  set where a tile depends on more than those beside it; then x is not of use */
static void pass_stretch(const struct slice *p, int64_t first, int64_t next, struct work *const two[2], bool *failed,
                         bool *finite)
{
    if (pass_tiles(p, first, next, two, failed, finite)) return;
#pragma omp atomic write
    *failed = true;
}

/* @param work, spare  of each thread  @return false: not all tiles decouple, and x is not of use */
static bool solve_in_one_pass(const struct slice *p, struct work *work, struct work *spare, int threads, bool *finite)
{
    const int64_t tiles = p->leaves - 1, share = tiles / (4 * threads),
                  each = share > STRETCH_MOST ? STRETCH_MOST : share > 8 ? share : 8, tasks = (tiles + each - 1) / each;
    bool failed = false, all = true;
    if (threads == 1 || p->leaves * TILE < SERIAL_ROWS) {
        pass_stretch(p, 0, tiles, (struct work *const[]){work, spare}, &failed, &all);
        *finite = all;
        return !failed;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(&& : all)
    for (int64_t t = 0; t < tasks; t++) {
        const int k = omp_get_thread_num();
        const int64_t next = (t + 1) * each < tiles ? (t + 1) * each : tiles;
        pass_stretch(p, t * each, next, (struct work *const[]){work + k, spare + k}, &failed, &all);
    }
    *finite = all;
    return !failed;
}

/* ------------------------------------------------------------------ systems */

static int64_t tiles_of(int64_t n) { return (n + TILE - 1) / TILE; }

static struct slice system_of(const struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *r, int64_t j,
                              double *x, struct slot *slot)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    const int64_t at = j * d->n;
    return (struct slice){solver->own, {r->lower + at, r->main + at, r->upper + at, r->rhs + at}, x + at, slot, d->n,
                          tiles_of(d->n), 0, d->cyclic};
}

/* @return whether all of x is finite, and the last pivots are more than rounding */
static bool solve_system(const struct slice *p, struct work *work, int threads)
{
    const struct node root = {0, 0};
    double w[10], ends[4];
    bool finite;
    if (p->leaves == 1) {
        const struct relation_tile t = tile_of(p, 0);
        relation_tile_sweep(p->own->lanes, &work->tile, &t, true, w);
        relation_close(1, w, p->cyclic, ends);
        return relation_tile_substitute(p->own->lanes, &work->tile, &t, ends, p->x) && relation_closes(w, p->cyclic);
    }
    if (p->own->adaptive && !p->cyclic && solve_in_one_pass(p, work, work + p->own->threads, threads, &finite))
        return finite;
    reduce_slice(p, root, work, threads);
    const bool closes = relation_closes(p->slot->w, p->cyclic);
    relation_close(1, p->slot->w, p->cyclic, ends);
    memcpy(p->slot->w, ends, sizeof ends);
    return expand_slice(p, root, work, threads) && closes;
}

/* Systems j .. j+count-1 of up to SHORT rows, 2 at least, one in each lane. */
static void solve_short(const struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows, int j, int count,
                        double *x, struct work *work)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    const struct relations *own = solver->own;
    const unsigned all = d->cyclic ? 0 : (1u << RELATION_LANES) - 1;
    _Alignas(64) double w[10][RELATION_LANES] = {{0}}, ends[4][RELATION_LANES];
    const int64_t at = j * d->n;
    struct relation_runs r = {.lower = rows->lower + at, .main = rows->main + at, .upper = rows->upper + at,
                              .rhs = rows->rhs + at, .rows = (int)d->n, .begins = all, .ends = all,
                              .ahead = RELATION_LANES * d->n, .past_cache = own->past_cache, .lanes = count};
    for (int l = 0; l < RELATION_LANES; l++) r.start[l] = (l < count ? l : count - 1) * d->n;
    own->lanes->sweep(&r, work->tile.pivot, w);
    own->lanes->close(w, d->cyclic, ends);
    const unsigned bad = own->lanes->substitute(&r, work->tile.pivot, ends, x + at);
    for (int l = 0; l < count; l++) {
        double root[10];
        for (int f = 0; f < 10; f++) root[f] = w[f][l];
        own->fine[j + l] = !(bad >> l & 1) && relation_closes(root, d->cyclic);
    }
}

static bool are_short(const struct sw_tridiagonal_desc *d) { return d->n <= SHORT && d->n >= 2; }

/* Whether each thread takes systems of its own, or all share the tiles of one system after another. */
static bool share_systems(const struct sw_tridiagonal_desc *d, int threads)
{
    return d->batch >= 4 * threads || d->n <= TILE;
}

static enum sw_status solve(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows, double *x)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    const struct relations *own = solver->own;
    const int lanes = are_short(d) ? RELATION_LANES : 1;
    if (!share_systems(d, own->threads)) {
        for (int j = 0; j < d->batch; j++) {
            const struct slice p = system_of(solver, rows, j, x, own->work->slot);
            own->fine[j] = solve_system(&p, own->work, own->threads);
        }
        return SW_OK;
    }
#pragma omp parallel for schedule(dynamic) num_threads(own->threads) if (d->n * d->batch >= SERIAL_ROWS)
    for (int j = 0; j < d->batch; j += lanes) {
        struct work *work = own->work + omp_get_thread_num();
        const struct slice p = system_of(solver, rows, j, x, work->slot);
        if (lanes == 1) own->fine[j] = solve_system(&p, work, 1);
        else solve_short(solver, rows, j, d->batch - j < lanes ? d->batch - j : lanes, x, work);
    }
    return SW_OK;
}

static enum sw_status check_solution(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows,
                                     const double *x, bool *fine)
{
    const struct relations *own = solver->own;
    (void)rows, (void)x;
    memcpy(fine, own->fine, (size_t)solver->desc.batch * sizeof *fine);
    return SW_OK;
}

/* ------------------------------------------------------------------ slices */

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
    return (struct slice){own, *rows, x, own->work->slot, d->n, tiles_of(d->n), first_tile, d->cyclic};
}

static enum sw_status reduce(struct sw_tridiagonal *solver, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, struct sw_relation *relation)
{
    const struct relations *own = solver->own;
    const struct slice p = slice_of(solver, slice->first_leaf, rows, NULL);
    reduce_slice(&p, find_node(solver, slice->first_leaf), own->work, own->threads);
    memcpy(relation->w, p.slot->w, sizeof relation->w);
    return SW_OK;
}

/* The merges below the slice's root are those of the last slice that was reduced: else they are made again. */
static enum sw_status expand(struct sw_tridiagonal *solver, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, bool reduced, const double ends[4], double *x)
{
    const struct relations *own = solver->own;
    const struct slice p = slice_of(solver, slice->first_leaf, rows, x);
    const struct node root = find_node(solver, slice->first_leaf);
    if (!reduced && leaves_of(&p, root) > 1) reduce_slice(&p, root, own->work, own->threads);
    memcpy(p.slot->w, ends, 4 * sizeof *ends);
    expand_slice(&p, root, own->work, own->threads);
    return SW_OK;
}

static int64_t tile_row(int64_t n, int64_t tile) { return tile * TILE < n ? tile * TILE : n; }

static const struct sw_slice_ops slice_ops = {
    .most_leaves = MOST_TILES,
    .leaves = tiles_of,
    .leaf_row = tile_row,
    .reduce = reduce,
    .close = sw_relations_close,
    .expand = expand,
};

/* ------------------------------------------------------------------ the row */

/* Of thread k. */
static size_t slots_of(const struct sw_tridiagonal_desc *d, int depth, int threads, int k)
{
    if (d->n <= TILE && depth == 0) return 1;
    return k == 0 || (depth == 0 && share_systems(d, threads)) ? (size_t)(tiles_of(d->n) >> depth) + 1 : 0;
}

static size_t pivots_of(const struct sw_tridiagonal_desc *d)
{
    const size_t longest = are_short(d) ? (size_t)d->n : TILE / RELATION_LANES;
    return longest * 5 * RELATION_LANES;
}

static void arrays_any(struct sw_tridiagonal *solver, bool adaptive)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    const int threads = solver->device->threads, works = threads * (1 + adaptive);
    struct sw_owned *arrays = &solver->arrays;
    struct relations *own = solver->own;
    struct work none = {0};
    own->threads = threads;
    own->adaptive = adaptive;
    sw_array(arrays, (size_t)d->batch, &own->fine);
    sw_array(arrays, (size_t)works, &own->work);
    for (int k = 0; k < works; k++) {
        struct work *w = own->work ? &own->work[k] : &none;
        sw_array(arrays, k < threads ? slots_of(d, solver->depth, threads, k) : 0, &w->slot);
        sw_array(arrays, pivots_of(d), &w->tile.pivot);
        sw_array(arrays, SHORT, &w->tile.run);
    }
}

static void arrays(struct sw_tridiagonal *solver) { arrays_any(solver, false); }
static void arrays_adaptive(struct sw_tridiagonal *solver) { arrays_any(solver, true); }

static enum sw_status create(struct sw_tridiagonal *solver)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    struct relations *own = solver->own;
    own->lanes = relation_lanes_pick();
    own->past_cache = (d->n >> solver->depth) * d->batch > CACHED_ROWS;
    return SW_OK;
}

/* Pass 1 reads 4 words and takes 11 multiply-adds, two products and a division; pass 2 reads 4 and writes 1, and takes
 * 6 and 5 more. A system of one tile has pass 2 only. */
static struct sw_cost cost(const struct sw_tridiagonal_desc *d)
{
    return d->n <= TILE ? (struct sw_cost){40, 25} : (struct sw_cost){72, 39};
}

/* Where all tiles decouple. */
static struct sw_cost cost_adaptive(const struct sw_tridiagonal_desc *d)
{
    return d->cyclic ? cost(d) : (struct sw_cost){40, 25};
}

extern const struct sw_tridiagonal_ops tridiagonal_relations_cpu;
const struct sw_tridiagonal_ops tridiagonal_relations_cpu = {
    .name = "cpu.relations",
    .about = "elimination with pivoting in nested-dissection order, by relations of runs of rows: vectors, all threads",
    .space = SW_HOST,
    .stable = true,
    .own_size = sizeof(struct relations),
    .arrays = arrays,
    .create = create,
    .solve = solve,
    .check_solution = check_solution,
    .cost = cost,
    .slices = &slice_ops,
};

extern const struct sw_tridiagonal_ops tridiagonal_relations_adaptive_cpu;
const struct sw_tridiagonal_ops tridiagonal_relations_adaptive_cpu = {
    .name = "cpu.relations_adaptive",
    .about = "cpu.relations in one pass where tiles decouple, as those of most matrices do, else in two",
    .space = SW_HOST,
    .stable = true,
    .own_size = sizeof(struct relations),
    .arrays = arrays_adaptive,
    .create = create,
    .solve = solve,
    .check_solution = check_solution,
    .cost = cost_adaptive,
};
