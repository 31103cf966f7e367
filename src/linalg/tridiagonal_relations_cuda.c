/* Tridiagonal systems by relations on a GPU (cuda/tridiagonal/tridiagonal_relations.cu;
 * docs/explanation/tridiagonal.md): rows `cuda.relations` (two passes, or one for systems that fit a block) and
 * `cuda.relations_adaptive` (one pass where a large system decouples). */
#include "linalg/sw_tridiagonal_impl.h"
#include "cuda/tridiagonal/tridiagonal_kernels.h"

enum { TILE = SW_CUDA_RELATIONS_TILE, MOST = SW_CUDA_RELATIONS_MOST };

struct relations {
    struct sw_cuda_relations d;            /* of the device, but for the rows                                */
    struct sw_cuda_relations_adaptive a;   /* published: NULL in cuda.relations                              */
    double  *words;                        /* of the device: relations and ends of all levels                */
    int64_t  tiles;                        /* of a system                                                    */
    int      deepest;                      /* depth of the tree                                              */
    double  *most;                         /* of the device: [batch], max |x|                                */
    int     *bounded;                      /* of the device: [batch]                                         */
    int     *fine;                         /* [2][batch] on the host                                         */
};

/* ------------------------------------------------------------------ shapes */

static int64_t tiles_of(int64_t n) { return (n + TILE - 1) / TILE; }

/* Small systems are solved in one pass, without relations in memory. */
static bool is_whole(const struct sw_tridiagonal_desc *desc) { return desc->n <= SW_CUDA_RELATIONS_WHOLE; }

/* Tiles that the solver has room for at once: those of its slices, or of all systems. */
static int64_t room_of(const struct sw_tridiagonal_desc *desc, int depth)
{
    const int64_t tiles = tiles_of(desc->n), slices = INT64_C(1) << depth;
    return is_whole(desc) && desc->batch > 1 ? 0 : (tiles + slices - 1) / slices * desc->batch;
}

/* Upper levels: 14 words for each block of 256 leaves, of which at least half are tiles, and for what is above them. */
static size_t words_of(int64_t room) { return 14 * (size_t)(room + room / 64 + 8) + 14; }

static void arrays(struct sw_tridiagonal *s)
{
    const size_t batch = (size_t)s->desc.batch;
    struct relations *r = s->own;
    sw_array(&s->arrays, 2 * batch, &r->fine);
    sw_array_device(&s->arrays, batch, &r->most);
    sw_array_device(&s->arrays, batch, &r->bounded);
    sw_array_device(&s->arrays, batch + 2, &r->d.finite);
    sw_array_device(&s->arrays, words_of(room_of(&s->desc, s->depth)), &r->words);
    sw_array_device(&s->arrays, SW_CUDA_RELATIONS_PUBLISHED, &r->d.published);
}

static void adaptive_arrays(struct sw_tridiagonal *s)
{
    struct relations *r = s->own;
    arrays(s);
    sw_array_device(&s->arrays, 12 * (size_t)tiles_of(s->desc.n), &r->a.published);
}

/* Whether a system may take one pass though it does not fit a block. */
static bool may_decouple(const struct sw_tridiagonal_desc *desc) { return !is_whole(desc) && !desc->cyclic; }

/* Words read and written; multiply-adds: a sweep 15 (with its pivots 20), 31 merges of 55 a tile and pass, 4 to
 * substitute. */
static struct sw_cost cost(const struct sw_tridiagonal_desc *desc)
{
    return is_whole(desc) ? (struct sw_cost){40, 20 + 4 + 3.1} : (struct sw_cost){72, 15 + 20 + 4 + 6.3};
}

static struct sw_cost adaptive_cost(const struct sw_tridiagonal_desc *desc)
{
    return may_decouple(desc) ? (struct sw_cost){40, 20 + 4 + 3.1} : cost(desc);
}

/* ------------------------------------------------------------------ create */

static enum sw_status create(struct sw_tridiagonal *s)
{
    const int64_t room = room_of(&s->desc, s->depth);
    struct relations *r = s->own;
    SW_TRY(sw_cuda_relations_prepare());
    r->tiles = tiles_of(s->desc.n);
    r->deepest = sw_relations_depth(r->tiles, MOST);
    for (r->d.width = 1; r->d.width << r->deepest < r->tiles; r->d.width *= 2) continue;
    r->d.processors = s->device->processors;
    r->d.cyclic = s->desc.cyclic;
    r->d.all_tiles = r->tiles;
    r->d.depth = r->deepest;
    r->d.relation = r->words;
    r->d.ends = r->d.relation + 10 * room;
    r->d.levels = r->d.ends + 4 * room;
    r->d.root = r->words + words_of(room) - 14;
    r->a.fails = r->d.finite + s->desc.batch;
    return SW_OK;
}

/* ------------------------------------------------------------------ solve */

/* `systems` systems from number j on. */
static void bind_systems(const struct sw_tridiagonal *s, struct sw_cuda_relations *d,
                         const struct sw_tridiagonal_rows *rows, double *x, int j, int systems)
{
    const struct relations *r = s->own;
    const int64_t at = j * s->desc.n;
    d->lower = rows->lower + at;
    d->main = rows->main + at;
    d->upper = rows->upper + at;
    d->rhs = rows->rhs + at;
    d->x = x + at;
    d->n = s->desc.n;
    d->tiles = r->tiles;
    d->systems = systems;
    d->open_left = d->open_right = s->desc.cyclic;
    d->finite = r->d.finite + j;
    d->first_tile = d->first_node = 0;
    d->nodes = 1ll << r->deepest;
}

static enum sw_status solve(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *rows, double *x)
{
    struct relations *r = s->own;
    r->d.epoch++;
    struct sw_cuda_relations d = r->d;
    bind_systems(s, &d, rows, x, 0, s->desc.batch);
    if (is_whole(&s->desc)) return sw_cuda_relations_whole(s->device->compute, &d);
    return sw_cuda_relations_solve(s->device->compute, &d);
}

/* Systems that may decouple, one after another. */
static enum sw_status solve_adaptive(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *rows, double *x)
{
    struct relations *r = s->own;
    if (!may_decouple(&s->desc)) return solve(s, rows, x);
    for (int j = 0; j < s->desc.batch; j++) {
        r->d.epoch++;
        struct sw_cuda_relations d = r->d;
        bind_systems(s, &d, rows, x, j, 1);
        SW_TRY(sw_cuda_relations_solve_adaptive(s->device->compute, &d, &r->a));
    }
    return SW_OK;
}

static enum sw_status check_solution(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *rows, const double *x,
                                     bool *fine)
{
    const struct relations *r = s->own;
    const struct sw_tridiagonal_desc *d = &s->desc;
    const size_t bytes = (size_t)d->batch * sizeof *r->fine;
    const int *bounded = r->fine + d->batch;
    SW_TRY(sw_cuda_tridiagonal_solved(s->device->compute, d->n, d->batch, d->cyclic, rows->lower, rows->main,
                                      rows->upper, rows->rhs, x, r->most, r->d.finite, r->bounded));
    SW_TRY(sw_device_wait(s->device));
    SW_TRY(sw_device_download(s->device, r->fine, r->d.finite, bytes));
    SW_TRY(sw_device_download(s->device, r->fine + d->batch, r->bounded, bytes));
    for (int j = 0; j < d->batch; j++) fine[j] = r->fine[j] && (bounded[j] || d->n > TRIDIAGONAL_BOUNDED_ROWS);
    return SW_OK;
}

/* ------------------------------------------------------------------ slices */

static void bind_slice(const struct sw_tridiagonal *s, struct sw_cuda_relations *d,
                       const struct sw_tridiagonal_rows *rows, double *x, const struct sw_slice *slice)
{
    const struct relations *r = s->own;
    bind_systems(s, d, rows, x, 0, 1);
    d->n = slice->rows;
    d->tiles = slice->leaves;
    d->open_left = s->desc.cyclic || slice->first_leaf > 0;
    d->open_right = s->desc.cyclic || slice->first_leaf + slice->leaves < r->tiles;
    d->first_tile = slice->first_leaf;
    d->nodes = 1ll << (r->deepest - s->depth);
    d->first_node = slice->number * d->nodes;
}

static enum sw_status reduce(struct sw_tridiagonal *s, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, struct sw_relation *relation)
{
    const struct relations *r = s->own;
    struct sw_cuda_relations d = r->d;
    bind_slice(s, &d, rows, NULL, slice);
    SW_TRY(sw_cuda_relations_reduce(s->device->compute, &d));
    return sw_device_download(s->device, relation->w, d.root, sizeof relation->w);
}

static enum sw_status expand(struct sw_tridiagonal *s, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, bool reduced, const double ends[4], double *x)
{
    const struct relations *r = s->own;
    struct sw_cuda_relations d = r->d;
    bind_slice(s, &d, rows, x, slice);
    if (is_whole(&s->desc)) return sw_cuda_relations_whole(s->device->compute, &d);  /* as solve(); the ends follow */
    if (!reduced) SW_TRY(sw_cuda_relations_reduce(s->device->compute, &d));
    SW_TRY(sw_device_upload(s->device, d.root + 10, ends, 4 * sizeof *ends));
    return sw_cuda_relations_expand(s->device->compute, &d);
}

static int64_t tile_row(int64_t n, int64_t tile) { return tile * TILE < n ? tile * TILE : n; }

static const struct sw_slice_ops slice_ops = {
    .most_leaves = MOST,
    .leaves = tiles_of,
    .leaf_row = tile_row,
    .reduce = reduce,
    .close = sw_relations_close,
    .expand = expand,
};

extern const struct sw_tridiagonal_ops tridiagonal_relations_cuda, tridiagonal_relations_adaptive_cuda;
const struct sw_tridiagonal_ops tridiagonal_relations_cuda = {
    .name = "cuda.relations",
    .about = "relations of tiles, all rows pivot: two passes over memory, one for systems that fit a block",
    .space = SW_DEVICE,
    .stable = true,
    .own_size = sizeof(struct relations),
    .arrays = arrays,
    .create = create,
    .solve = solve,
    .check_solution = check_solution,
    .cost = cost,
    .slices = &slice_ops,
};
const struct sw_tridiagonal_ops tridiagonal_relations_adaptive_cuda = {
    .name = "cuda.relations_adaptive",
    .about = "the same, in one pass where a large system decouples: last bits may differ from cuda.relations",
    .space = SW_DEVICE,
    .stable = true,
    .own_size = sizeof(struct relations),
    .arrays = adaptive_arrays,
    .create = create,
    .solve = solve_adaptive,
    .check_solution = check_solution,
    .cost = adaptive_cost,
};
