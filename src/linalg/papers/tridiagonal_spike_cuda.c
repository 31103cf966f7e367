/* SPIKE on a GPU with the paper's kernels (cuda/tridiagonal/tridiagonal_spike.cu; spike_point.h): `cuda.spike`, and
 * without pivoting `cuda.spike_thomas`. Two rows show what the paper's figures 7 and 10 do: `cuda.spike_unmarshalled`
 * has neither marshalling nor dynamic tiling, `cuda.spike_untiled` has marshalling.
 *
 * Partitions have 2^k rows, 8 to 256: the fewer, the more threads there are; the more, the smaller is the reduced
 * system, 6 words a partition. ENOUGH threads fill a large GPU; n = 512 has 64 partitions, as in the paper's table IV.
 * The batch has no say, so that a system has the same bits in any. A partition has an even number of rows but for the
 * last where n is odd (see tridiagonal_spike_cpu.c).
 *
 * A slice is a partition of the reduced system like any other: its own rows are marshalled, solved and merged as those
 * of a whole system, with one merge more, whose ends go to the host. It begins a partition of its own, so that x has
 * other last bits than in one piece. The rows that show figures do not solve slices, as y of unmarshalled ones is in x,
 * which is not there when a slice is reduced. */
#include <math.h>

#include "linalg/papers/spike_slices.h"
#include "linalg/tridiagonal_finite_cuda.h"
#include "cuda/tridiagonal/tridiagonal_kernels.h"

enum { BITS_LEAST = 3, BITS_MOST = 8, ENOUGH = 1 << 17 };  /* ENOUGH: partitions */
enum { LEAF = 1 << 12, MOST_LEAVES = 8 };  /* rows that stay together in slices; of the smallest slice */

struct spike {
    struct sw_cuda_spike d;
    bool                *finite;      /* [batch] */
    double              *root;        /* [8]: of a slice */
};

/* ------------------------------------------------------------------ shape */

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int choose_bits(int64_t n)
{
    int bits = BITS_LEAST;
    while (bits < BITS_MOST && n >> bits > ENOUGH) bits++;
    while (bits > 0 && n <= 1 << (bits - 1)) bits--;  /* small systems are a partition each */
    return bits;
}

/* The levels above the partitions of n rows. */
static void set_rows(struct sw_cuda_spike *p, int64_t n)
{
    int64_t count = ceil_div(n, INT64_C(1) << p->bits);
    p->n = n;
    p->levels = 0;
    while (count > SW_CUDA_SPIKE_FAN) {
        p->level[p->levels++].count = count;
        count = ceil_div(count, SW_CUDA_SPIKE_FAN);
    }
    p->level[p->levels++].count = count;
}

static int64_t leaves_of(int64_t n) { return ceil_div(n, LEAF); }

static int64_t leaf_row(int64_t n, int64_t leaf) { return leaf * LEAF < n ? leaf * LEAF : n; }

/* Of whole systems, or of the largest slice at a depth. */
static struct sw_cuda_spike shape(const struct sw_tridiagonal_desc *d, int depth, enum sw_cuda_spike_way way)
{
    struct sw_cuda_spike p = {.batch = d->batch, .bits = choose_bits(d->n), .way = way};
    set_rows(&p, leaf_row(d->n, ceil_div(leaves_of(d->n), INT64_C(1) << depth)));
    return p;
}

static bool is_marshalled(const struct sw_cuda_spike *p) { return p->way != SW_CUDA_SPIKE_UNMARSHALLED; }

/* Entries of an array of rows: of whole blocks of whole partitions where these are marshalled. */
static size_t entries(const struct sw_cuda_spike *p)
{
    if (!is_marshalled(p)) return (size_t)p->n * (size_t)p->batch;
    return (size_t)(ceil_div(p->level[0].count * p->batch, SW_CUDA_SPIKE_BLOCK) * SW_CUDA_SPIKE_BLOCK) << p->bits;
}

static const char *refuse(const struct sw_tridiagonal_desc *d)
{
    return d->cyclic ? "it takes no cyclic system, which may be singular once opened; cuda.relations does" : NULL;
}

/* ------------------------------------------------------------------ memory */

static void arrays(struct sw_tridiagonal *s, enum sw_cuda_spike_way way)
{
    struct spike *g = s->own;
    struct sw_cuda_spike *p = &g->d;
    *p = shape(&s->desc, s->depth, way);
    const size_t count = entries(p);
    sw_array_device(&s->arrays, count, &p->v);
    sw_array_device(&s->arrays, count, &p->w);
    sw_array_device(&s->arrays, count, &p->block);
    if (is_marshalled(p)) sw_array_device(&s->arrays, count, &p->b);
    if (is_marshalled(p)) sw_array_device(&s->arrays, count, &p->y);
    for (int k = 0; k < p->levels; k++) {
        struct sw_cuda_spike_level *level = &p->level[k];
        sw_array_device(&s->arrays, 6 * (size_t)(level->count * s->desc.batch), &level->ends);
        sw_array_device(&s->arrays, 2 * (size_t)(level->count * s->desc.batch), &level->around);
    }
    sw_array_device(&s->arrays, (size_t)s->desc.batch, &g->finite);
    sw_array_device(&s->arrays, 8, &g->root);
}

/* ------------------------------------------------------------------ a solve */

static enum sw_status solve(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, double *x)
{
    struct spike *g = s->own;
    const struct sw_cuda_spike_rows rows = {r->lower, r->main, r->upper, r->rhs};
    return sw_cuda_spike_solve(s->device->compute, &g->d, &rows, x);
}

static enum sw_status check_solution(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *rows, const double *x,
                                     bool *out)
{
    const struct spike *g = s->own;
    return tridiagonal_rows_finite_cuda(s, rows, x, g->finite, out);
}

/* ------------------------------------------------------------------ slices */

static struct sw_cuda_spike bind_slice(const struct sw_tridiagonal *s, const struct sw_slice *slice)
{
    const struct spike *g = s->own;
    struct sw_cuda_spike p = g->d;
    set_rows(&p, slice->rows);
    p.open_left = slice->first > 0;
    p.open_right = slice->first + slice->rows < s->desc.n;
    p.root = g->root;
    return p;
}

static enum sw_status queue_reduction(struct sw_tridiagonal *s, const struct sw_cuda_spike *p,
                                      const struct sw_tridiagonal_rows *r)
{
    const struct sw_cuda_spike_rows rows = {r->lower, r->main, r->upper, r->rhs};
    return sw_cuda_spike_reduce(s->device->compute, p, &rows);
}

static enum sw_status reduce(struct sw_tridiagonal *s, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, struct sw_relation *relation)
{
    const struct sw_cuda_spike p = bind_slice(s, slice);
    double w[6];
    SW_TRY(queue_reduction(s, &p, rows));
    SW_TRY(sw_device_download(s->device, w, p.root, sizeof w));
    *relation = spike_relation(&(struct spike_ends){w[0], w[1], w[2], w[3], w[4], w[5]});
    return SW_OK;
}

/* V, W and Y of the slice that was reduced last, and the ends of its levels, are still there. */
static enum sw_status expand(struct sw_tridiagonal *s, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, bool reduced, const double ends[4], double *x)
{
    const struct sw_cuda_spike p = bind_slice(s, slice);
    const double around[] = {ends[0], ends[3]};
    if (!reduced) SW_TRY(queue_reduction(s, &p, rows));
    SW_TRY(sw_device_upload(s->device, p.root + 6, around, sizeof around));
    return sw_cuda_spike_expand(s->device->compute, &p, x);
}

static const struct sw_slice_ops slice_ops = {
    .most_leaves = MOST_LEAVES,
    .own_bits = true,
    .leaves = leaves_of,
    .leaf_row = leaf_row,
    .reduce = reduce,
    .close = spike_close,
    .expand = expand,
};

/* A partition's rows, read once, 32 bytes, and V, W, Y with a byte written, 25, read, 25, written, 24, and read for x,
 * 24 and 8: 138; its ends are written, read upwards and downwards, 48 each, and its surroundings' 16 written and read.
 * Marshalled: 64 more. What two threads of a warp that drift apart read twice is not counted. 6 operations and a
 * reciprocal forwards, 2 for the criterion, 3 backwards, 2 in the substitution; a merge and an expansion of 15 + 8 and
 * two reciprocals a partition. */
static struct sw_cost cost(const struct sw_tridiagonal_desc *d, enum sw_cuda_spike_way way)
{
    const struct sw_cuda_spike p = shape(d, 0, way);
    const double partitions = (double)p.level[0].count / (double)d->n, criterion = way == SW_CUDA_SPIKE_THOMAS ? 0 : 2;
    return (struct sw_cost){(is_marshalled(&p) ? 202 : 138) + partitions * (3 * 48 + 2 * 16),
                            6 + criterion + 3 + 2 + partitions * (15 + 8)};
}

#define SPIKE_ROW(id, row, way, cut, text)                                                                 \
    static void arrays_##id(struct sw_tridiagonal *s) { arrays(s, way); }                                  \
    static struct sw_cost cost_##id(const struct sw_tridiagonal_desc *d) { return cost(d, way); }          \
    extern const struct sw_tridiagonal_ops tridiagonal_##id##_cuda;                                        \
    const struct sw_tridiagonal_ops tridiagonal_##id##_cuda = {                                            \
        .name = (row), .about = (text), .space = SW_DEVICE, .refuse = refuse,                              \
        .own_size = sizeof(struct spike), .arrays = arrays_##id, .solve = solve,                           \
        .check_solution = check_solution, .cost = cost_##id, .slices = (cut)}

SPIKE_ROW(spike, "cuda.spike", SW_CUDA_SPIKE_TILED, &slice_ops,
          "SPIKE with diagonal pivoting (Chang et al. 2012): data marshalling, dynamic tiling");
SPIKE_ROW(spike_untiled, "cuda.spike_untiled", SW_CUDA_SPIKE_UNTILED, NULL,
          "cuda.spike without dynamic tiling, for the paper's figure 10");
SPIKE_ROW(spike_unmarshalled, "cuda.spike_unmarshalled", SW_CUDA_SPIKE_UNMARSHALLED, NULL,
          "cuda.spike without dynamic tiling and data marshalling, for the paper's figure 7");
SPIKE_ROW(spike_thomas, "cuda.spike_thomas", SW_CUDA_SPIKE_THOMAS, &slice_ops,
          "SPIKE without pivoting in its partitions (Chang et al. 2012): for matrices that need none");
