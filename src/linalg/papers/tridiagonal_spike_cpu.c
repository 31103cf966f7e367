/* SPIKE on the CPU as the paper has it (spike_point.h), the reference of the rows that follow it on a GPU: `cpu.spike`
 * with diagonal pivoting in the partitions, `cpu.spike_thomas` without pivoting.
 *
 * Partitions: P = 2^p of 8 to 17 rows; the paper's table IV has 64 for 512 rows. Each has an even number of rows, but
 * for the last where n is odd: a partition with zeros on its main diagonal, as in the paper's matrices 15 and 16, is
 * singular where its length is odd. Fewer than 16 rows are one partition.
 *
 *   1. each partition    A_i [V W Y] = [right e_m  left e_1  f]
 *   2. up the tree       two neighbours become one: the reduced system (9), as it comes (the paper's "on-the-fly"
 *                        recursive SPIKE)
 *   3. down the tree     the unknowns around each partition
 *   4. each partition    x = Y - V x_behind - W x_before
 *
 * A slice is a node of the tree: 1 and 2 for its partitions give its ends, and 1 to 4 its x. */
#include <math.h>

#include "linalg/papers/spike_point.h"
#include "linalg/papers/spike_slices.h"
#include "linalg/sw_tridiagonal_impl.h"

enum { ROWS_LEAST = 8, ROWS_MOST = 2 * ROWS_LEAST + 1, MOST_PARTITIONS = 64 };  /* the last: of the smallest slice */

struct around { double before, behind; };  /* x in front of a partition and behind it; 0 where there is none */

typedef void forward_function(const struct spike_rows *r, const struct spike_sides *s, struct spike_head *h, int until);

struct spike {
    forward_function  *forward;
    int64_t            all;         /* partitions of a system, a power of two                                     */
    int64_t            partitions;  /* of the slice, a power of two; of the whole system: all                     */
    int64_t            first, row;  /* the slice begins with this partition and row of the system                 */
    double            *v, *w;       /* [batch][rows]; y is in x                                                   */
    unsigned char     *block;       /* [batch][rows]                                                              */
    struct spike_ends *ends;        /* [batch][2*partitions]: nodes of a tree, k over 2k and 2k + 1; 0 is no node */
    struct around     *around;      /* the same                                                                   */
};

static int64_t count_partitions(int64_t n)
{
    int64_t count = 1;
    while (2 * count * ROWS_LEAST <= n) count *= 2;
    return count;
}

/* p*rest/count, rounded down, of numbers up to a power of two `count` <= 2^36: the product may be too large. */
static int64_t share(int64_t p, int64_t rest, int64_t count)
{
    if (count < 1 << 30) return p * rest / count;
    return ((p >> 20) * rest + ((p & ((1 << 20) - 1)) * rest >> 20)) / (count >> 20);
}

/* The first row of partition p; n for p = count. */
static int64_t first_row(int64_t n, int64_t count, int64_t p)
{
    const int64_t pairs = n / 2, each = pairs / count, rest = pairs % count;
    return p == count ? n : 2 * (p * each + share(p, rest, count));
}

static const char *refuse(const struct sw_tridiagonal_desc *d)
{
    return d->cyclic ? "it takes no cyclic system, which may be singular once opened; cpu.relations does" : NULL;
}

static void arrays(struct sw_tridiagonal *solver)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    const size_t batch = (size_t)d->batch;
    struct sw_owned *own = &solver->arrays;
    struct spike *s = solver->own;
    s->all = count_partitions(d->n);
    s->partitions = s->all >> solver->depth;
    const size_t rows = batch * (size_t)((d->n >> solver->depth) + (solver->depth ? 4 : 0));
    const size_t nodes = batch * 2 * (size_t)s->partitions;
    sw_array(own, rows, &s->v);
    sw_array(own, rows, &s->w);
    sw_array(own, rows, &s->block);
    sw_array(own, nodes, &s->ends);
    sw_array(own, nodes, &s->around);
}

/* ------------------------------------------------------------------ partitions */

/* Where partition p of system j, or of the slice, lies. */
struct partition { int64_t row, at, node; int m; };  /* row of the system; entry of arrays; node of the trees */

static struct partition partition_of(const struct spike *s, int64_t n, int64_t j, int64_t p)
{
    const int64_t row = first_row(n, s->all, s->first + p);
    return (struct partition){row, j * n + row - s->row, (2 * j + 1) * s->partitions + p,
                              (int)(first_row(n, s->all, s->first + p + 1) - row)};
}

/* @param y  out [q->m]: Y */
static void solve_partition(const struct spike *s, int64_t n, const struct sw_tridiagonal_rows *rows,
                            const struct partition *q, double *y)
{
    const struct spike_rows r = {
        .m = q->m, .stride = 1,
        .a = rows->lower + q->at, .b = rows->main + q->at, .c = rows->upper + q->at, .f = rows->rhs + q->at,
        .left = q->row > 0 ? rows->lower[q->at] : 0,
        .right = q->row + q->m < n ? rows->upper[q->at + q->m - 1] : 0,
    };
    const struct spike_sides sides = {s->v + q->at, s->w + q->at, y, s->block + q->at};
    struct spike_head head = spike_begin(&r);
    struct spike_tail tail = spike_turn(&r);
    s->forward(&r, &sides, &head, r.m);
    spike_backward(r.stride, &sides, &tail, 0);
    s->ends[q->node] = spike_ends_of(&sides, r.m, r.stride);
}

static void substitute(const struct spike *s, const struct partition *q, double *x)
{
    const struct around around = s->around[q->node];
    for (int64_t i = q->at; i < q->at + q->m; i++)
        x[i] = spike_unknown(s->v[i], s->w[i], x[i], around.before, around.behind);
}

/* ------------------------------------------------------------------ the reduced system */

static void merge(const struct spike *s, int64_t tree, int64_t node)
{
    struct spike_ends *e = s->ends + tree;
    e[node] = spike_merge(&e[2 * node], &e[2 * node + 1]);
}

static void expand(const struct spike *s, int64_t tree, int64_t node)
{
    const struct spike_ends *e = s->ends + tree;
    struct around *out = s->around + tree, *left = &out[2 * node], *right = left + 1;
    left->before = out[node].before;
    right->behind = out[node].behind;
    spike_between(&e[2 * node], &e[2 * node + 1], left->before, right->behind, &right->before, &left->behind);
}

/* ------------------------------------------------------------------ a solve */

/* One where the work, some 30 ns a row, is less than waking the others up costs. */
static int threads_of(const struct sw_tridiagonal *solver)
{
    return solver->desc.n * solver->desc.batch < 8192 ? 1 : solver->device->threads;
}

/* Work on all systems at once: element k of `each` in each of them is number j*each + k. `up` takes steps 1 and 2, and
 * `down` steps 3 and 4 from what is around the roots, within a parallel region. */
static void up(const struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows, double *x)
{
    const struct spike *s = solver->own;
    const int64_t n = solver->desc.n, batch = solver->desc.batch, count = s->partitions;
#pragma omp for schedule(static)
    for (int64_t k = 0; k < batch * count; k++) {
        const struct partition q = partition_of(s, n, k / count, k % count);
        double y[ROWS_MOST];
        solve_partition(s, n, rows, &q, x ? x + q.at : y);
    }
    for (int64_t each = count / 2; each >= 1; each /= 2) {
#pragma omp for schedule(static)
        for (int64_t k = 0; k < batch * each; k++) merge(s, k / each * 2 * count, each + k % each);
    }
}

static void down(const struct sw_tridiagonal *solver, double *x)
{
    const struct spike *s = solver->own;
    const int64_t n = solver->desc.n, batch = solver->desc.batch, count = s->partitions;
    for (int64_t each = 1; each < count; each *= 2) {
#pragma omp for schedule(static)
        for (int64_t k = 0; k < batch * each; k++) expand(s, k / each * 2 * count, each + k % each);
    }
#pragma omp for schedule(static)
    for (int64_t k = 0; k < batch * count; k++) {
        const struct partition q = partition_of(s, n, k / count, k % count);
        substitute(s, &q, x);
    }
}

static enum sw_status solve(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows, double *x)
{
#pragma omp parallel num_threads(threads_of(solver))
    {
        up(solver, rows, x);
        down(solver, x);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ slices */

static int64_t leaf_row(int64_t n, int64_t partition) { return first_row(n, count_partitions(n), partition); }

static void begin_slice(struct spike *s, const struct sw_slice *slice)
{
    s->first = slice->first_leaf;
    s->row = slice->first;
}

static enum sw_status reduce(struct sw_tridiagonal *solver, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, struct sw_relation *relation)
{
    struct spike *s = solver->own;
    begin_slice(s, slice);
#pragma omp parallel num_threads(threads_of(solver))
    up(solver, rows, NULL);
    *relation = spike_relation(&s->ends[1]);
    return SW_OK;
}

/* Y is not kept, so partitions are solved again. */
static enum sw_status expand_slice(struct sw_tridiagonal *solver, const struct sw_slice *slice,
                                   const struct sw_tridiagonal_rows *rows, bool reduced, const double ends[4],
                                   double *x)
{
    struct spike *s = solver->own;
    (void)reduced;
    begin_slice(s, slice);
    s->around[1] = (struct around){ends[0], ends[3]};
    return solve(solver, rows, x);
}

static const struct sw_slice_ops slice_ops = {
    .most_leaves = MOST_PARTITIONS,
    .leaves = count_partitions,
    .leaf_row = leaf_row,
    .reduce = reduce,
    .close = spike_close,
    .expand = expand_slice,
};

/* Partitions of 8 to 17 rows, 8 counted. A partition reads 4 words a row and writes 3 and a byte, which stay in the
 * cache until they are V, W and Y; the substitution reads 3 and writes 1: 89 bytes. The tree has a node a partition
 * twice, its 48 bytes written, read upwards and downwards, its surroundings' 16 written and read: 44 bytes a row. 6
 * operations and a reciprocal forwards, 2 for the criterion, 3 backwards, 2 in the substitution; a merge and an
 * expansion of 15 + 8 and two reciprocals a partition: 17. */
static struct sw_cost cost(const struct sw_tridiagonal_desc *d)
{
    (void)d;
    return (struct sw_cost){89 + 44, 17};
}

/* ------------------------------------------------------------------ rows */

static void pivot_forward(const struct spike_rows *r, const struct spike_sides *s, struct spike_head *h, int until)
{
    spike_pivot_forward(r, s, h, until);
}

static enum sw_status pivot_create(struct sw_tridiagonal *solver)
{
    ((struct spike *)solver->own)->forward = pivot_forward;
    return SW_OK;
}

extern const struct sw_tridiagonal_ops tridiagonal_spike_cpu;
const struct sw_tridiagonal_ops tridiagonal_spike_cpu = {
    .name = "cpu.spike",
    .about = "SPIKE with diagonal pivoting in partitions of 8 to 17 rows (Chang et al. 2012), as printed",
    .space = SW_HOST,
    .misses_infinity = true,
    .refuse = refuse,
    .own_size = sizeof(struct spike),
    .arrays = arrays,
    .create = pivot_create,
    .solve = solve,
    .cost = cost,
    .slices = &slice_ops,
};

static void thomas_forward(const struct spike_rows *r, const struct spike_sides *s, struct spike_head *h, int until)
{
    spike_thomas_forward(r, s, h, until);
}

static enum sw_status thomas_create(struct sw_tridiagonal *solver)
{
    ((struct spike *)solver->own)->forward = thomas_forward;
    return SW_OK;
}

extern const struct sw_tridiagonal_ops tridiagonal_spike_thomas_cpu;
const struct sw_tridiagonal_ops tridiagonal_spike_thomas_cpu = {
    .name = "cpu.spike_thomas",
    .about = "SPIKE without pivoting in its partitions (Chang et al. 2012): for matrices that need none",
    .space = SW_HOST,
    .misses_infinity = true,
    .refuse = refuse,
    .own_size = sizeof(struct spike),
    .arrays = arrays,
    .create = thomas_create,
    .solve = solve,
    .cost = cost,
    .slices = &slice_ops,
};
