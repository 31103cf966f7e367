/* Rows `cpu.a2s`, `cpu.a2d`, `cpu.a2sd`: divide and conquer over r columns (the paper's A2, figure 1). f is evaluated
 * in double; h² f is rounded to the row's precision. Entries rs .. n-1, which do not fill the columns, are summed
 * one after another as the paper says. */
#include <math.h>
#include <omp.h>

#include "base/sw_reals.h"
#include "problem/bvp/bvp_host.h"

#include "problem/bvp/bvp_a2_precisions.h"

/* Columns of a block, which a thread takes at once: one row of them is 1 or 2 KiB, so that the two rows a step works
 * on, and the next ones fetched ahead, stay in the first-level cache. */
enum { COLUMNS = 256 };

struct a2 {
    struct bvp_host      host;         /* first: bvp_host.h works on it   */
    void                *u;            /* [n] float or double             */
    struct sw_norm_sums *block_norms;  /* [blocks], one more for the rest */
};

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t blocks_of(int64_t r) { return (r + COLUMNS - 1) / COLUMNS; }

/* The problem that is being solved. */
struct solve_job {
    const struct sw_bvp *bvp;
    struct a2 *a;
    int     j;
    int64_t r, s, rest;
};

/* Points at v->x: `rows` rows from row k on of columns first .. last-1, or rows of the rest, which is one column. */
struct tile { int64_t k, first, last; int rows; };

/* The point of entry k of column m, and where it lies in u; m = r: the rest. */
static int64_t entry_point(const struct solve_job *t, int64_t m, int64_t k)
{
    return m < t->r ? m * t->s + k : t->r * t->s + k;
}

static int64_t entry_offset(const struct solve_job *t, int64_t m, int64_t k)
{
    return m < t->r ? m + k * t->r : t->r * t->s + k;
}

static int tile_points(const struct solve_job *t, struct bvp_evaluator *v, const struct tile *p)
{
    const struct sw_bvp_run *run = &t->bvp->run[t->j];
    int at = 0;
    for (int64_t k = p->k; k < p->k + p->rows; k++)
        for (int64_t m = p->first; m < p->last; m++) v->x[at++] = run->x0 + run->h * (double)entry_point(t, m, k);
    return at;
}

static double fill_tile(const struct solve_job *t, struct bvp_evaluator *v, const struct tile *p)
{
    const double h = t->bvp->run[t->j].h, h2 = h * h;
    const int width = (int)(p->last - p->first);
    int count = tile_points(t, v, p);
    bvp_evaluator_f(v, count);
    double bad = bvp_evaluator_first_bad(v, count);
    for (int i = 0; i < count; i++) v->value[i] *= h2;
    if (p->k == 0 && entry_point(t, p->first, 0) == 0) v->value[0] *= 0.5;
    for (int row = 0; row < p->rows; row++)
        sw_reals_put(t->a->u, t->bvp->ops->element_size, entry_offset(t, p->first, p->k + row),
                     v->value + row * width, width);
    return bad;
}

static void save_tile(const struct solve_job *t, const struct bvp_evaluator *v, const struct tile *p)
{
    const struct bvp_output *output = &t->a->host.output;
    const double *u = v->u;
    if (!output->field) return;
    for (int64_t k = p->k; k < p->k + p->rows; k++)
        for (int64_t m = p->first; m < p->last; m++)
            sw_reals_set(output->field, output->element_size, t->j * t->bvp->desc.n + entry_point(t, m, k), *u++);
}

static void measure_tile(const struct solve_job *t, struct bvp_evaluator *v, const struct tile *p,
                         struct sw_norm_sums *sum)
{
    const int width = (int)(p->last - p->first);
    int count = tile_points(t, v, p);
    for (int row = 0; row < p->rows; row++)
        sw_reals_get(t->a->u, t->bvp->ops->element_size, entry_offset(t, p->first, p->k + row), v->u + row * width,
                     width);
    save_tile(t, v, p);
    bvp_norms_add_points(sum, v, v->u, count);
}

/* The first tile of a block of columns, or (the last block) of the rest. */
static struct tile block_tile(const struct solve_job *t, int64_t block, int64_t *rows)
{
    const bool rest = block == blocks_of(t->r);
    struct tile p = {.first = rest ? t->r : block * COLUMNS};
    p.last = rest ? t->r + 1 : min_of(t->r, p.first + COLUMNS);
    *rows = rest ? t->rest : t->s;
    return p;
}

static int tile_rows(const struct tile *p, int64_t rows)
{
    return (int)min_of(BVP_POINTS / (p->last - p->first), rows - p->k);
}

/* @return the least x where f is not finite */
static double fill_block(const struct solve_job *t, struct bvp_evaluator *v, int64_t block)
{
    int64_t rows;
    double bad = INFINITY;
    struct tile p = block_tile(t, block, &rows);
    bvp_evaluator_begin(v, t->bvp, t->j);
    for (; (p.rows = tile_rows(&p, rows)) > 0; p.k += p.rows) bad = fmin(bad, fill_tile(t, v, &p));
    return bad;
}

static void measure_block(const struct solve_job *t, struct bvp_evaluator *v, int64_t block)
{
    int64_t rows;
    struct tile p = block_tile(t, block, &rows);
    bvp_evaluator_begin(v, t->bvp, t->j);
    t->a->block_norms[block] = (struct sw_norm_sums){0};
    for (; (p.rows = tile_rows(&p, rows)) > 0; p.k += p.rows) measure_tile(t, v, &p, &t->a->block_norms[block]);
}

/* ------------------------------------------------------------------ the steps, in the row's precisions */

struct steps {
    void (*forward_sweep)(void *u, int64_t r, int64_t s, int64_t first, int64_t last);
    void (*scan_bottom_row)(void *bottom, int64_t r, int64_t rest);
    void (*backward_sweep)(void *u, int64_t r, int64_t s, int64_t first, int64_t last);
    void (*scan_top_row)(void *top, void *after, int64_t r, int64_t rest);
    void (*add_tops)(void *u, int64_t r, int64_t s, int64_t rest, int64_t first, int64_t last);
};

static const struct steps
    steps_s = {forward_sweep_s, scan_bottom_row_s, backward_sweep_s, scan_top_row_s, add_tops_s},
    steps_d = {forward_sweep_d, scan_bottom_row_d, backward_sweep_d, scan_top_row_d, add_tops_d},
    steps_sd = {forward_sweep_sd, scan_bottom_row_sd, backward_sweep_sd, scan_top_row_sd, add_tops_sd};

static const struct steps *steps_of(const struct sw_bvp *bvp)
{
    if (bvp->ops->element_size == 8) return &steps_d;
    return bvp->ops->scan_element_size == 8 ? &steps_sd : &steps_s;
}

static void *entry_address(const struct sw_bvp *bvp, const struct a2 *a, int64_t entries)
{
    return (char *)a->u + entries * bvp->ops->element_size;
}

static int threads_of(const struct sw_bvp *bvp) { return bvp->desc.n < 16384 ? 1 : bvp->device->threads; }

static void solve_one(const struct sw_bvp *bvp, int j)
{
    struct a2 *a = bvp->own;
    const int64_t n = bvp->desc.n, r = bvp->run[j].r, s = n / r, rest = n - r * s, blocks = blocks_of(r);
    const struct solve_job t = {bvp, a, j, r, s, rest};
    const struct steps *steps = steps_of(bvp);
    struct sw_norm_sums sum = {0};
    double bad = INFINITY, u0;
#pragma omp parallel num_threads(threads_of(bvp))
    {
        struct bvp_evaluator *v = &a->host.evaluator[omp_get_thread_num()];
#pragma omp for schedule(static) reduction(min : bad)
        for (int64_t b = 0; b <= blocks; b++) bad = fmin(bad, fill_block(&t, v, b));
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            steps->forward_sweep(a->u, r, s, b * COLUMNS, min_of(r, (b + 1) * COLUMNS));
#pragma omp single
        steps->scan_bottom_row(entry_address(bvp, a, (s - 1) * r), r, rest);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            steps->backward_sweep(a->u, r, s, b * COLUMNS, min_of(r, (b + 1) * COLUMNS));
#pragma omp single
        steps->scan_top_row(a->u, entry_address(bvp, a, s * r), r, rest);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            steps->add_tops(a->u, r, s, rest, b * COLUMNS, min_of(r, (b + 1) * COLUMNS));
        if (bvp->desc.exact || bvp->desc.save) {
#pragma omp for schedule(static)
            for (int64_t b = 0; b <= blocks; b++) measure_block(&t, v, b);
        }
    }
    if (bvp->desc.exact)
        for (int64_t b = 0; b <= blocks; b++) sw_norm_sums_add(&sum, &a->block_norms[b]);
    u0 = sw_reals_at(a->u, bvp->ops->element_size, 0);
    bvp_result_from_norms(&sum, bvp, j, bad, u0, &a->host.output.result[j]);
}

static enum sw_status solve(struct sw_bvp *bvp) { return bvp_host_solve(bvp, solve_one); }

/* ------------------------------------------------------------------ the rows */

/* r is at most n/2; and the rest is a block. */
static size_t block_count(const struct sw_bvp_desc *desc) { return (size_t)blocks_of(desc->n / 2) + 2; }

static void arrays(struct sw_bvp *bvp)
{
    struct a2 *a = bvp->own;
    sw_array_bytes(&bvp->arrays, SW_ARRAY_HOST, (size_t)bvp->desc.n, (size_t)bvp->ops->element_size, &a->u);
    sw_array(&bvp->arrays, block_count(&bvp->desc), &a->block_norms);
    bvp_host_arrays(bvp, bvp->device->threads, &a->host);
}

static enum sw_status create(struct sw_bvp *bvp) { return bvp_host_create(bvp, true); }

/* f set; each of 1A, 1C, 2A and 2C reads and writes. */
static struct sw_cost cost(const struct sw_bvp *bvp) { return (struct sw_cost){9.0 * bvp->ops->element_size, 4}; }

#define A2_ROW(row, n, text, size, size_in_scans)                                                     \
    extern const struct sw_bvp_ops row;                                                               \
    const struct sw_bvp_ops row = {                                                                   \
        .name = (n), .about = (text), .space = SW_HOST, .fits = sw_bvp_plain,                         \
        .own_size = sizeof(struct a2), .arrays = arrays, .create = create, .solve = solve,            \
        .fetch = bvp_host_fetch, .destroy = bvp_host_destroy, .cost = cost,                           \
        .columns = true, .element_size = (size), .scan_element_size = (size_in_scans)}

A2_ROW(bvp_a2s_cpu, "cpu.a2s", "divide and conquer over r columns, single precision (the paper's A2S)", 4, 4);
A2_ROW(bvp_a2d_cpu, "cpu.a2d", "divide and conquer over r columns, double precision (the paper's A2D)", 8, 8);
A2_ROW(bvp_a2sd_cpu, "cpu.a2sd", "a2s with the sums across columns in double precision (the paper's A2SD)", 4, 8);
