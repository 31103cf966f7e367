/* Rows `cpu.a2s`, `cpu.a2d`, `cpu.a2sd`: divide and conquer over r columns (the paper's A2, figure 1). f is evaluated
 * in double; h² f is rounded to the row's precision. What does not fill the columns, entries rs .. n-1, is summed one
 * after another as the paper says. */
#include <math.h>
#include <omp.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "problem/bvp/host_bvp.h"

#define REAL float
#define CARRY float
#define STEP(x) x##_s
#include "problem/bvp/columns_body.h"
#include "problem/bvp/edges_body.h"

#define REAL double
#define CARRY double
#define STEP(x) x##_d
#include "problem/bvp/columns_body.h"
#include "problem/bvp/edges_body.h"

#define REAL float
#define CARRY double
#define STEP(x) x##_sd
#include "problem/bvp/edges_body.h"

/* Columns that a thread takes at once: one row of them is 1 or 2 KiB, so that the two rows a step works on, and the
 * next ones fetched ahead, stay in the first-level cache. */
enum { COLUMNS = 256 };

struct a2 {
    struct host_bvp    host;     /* first: host_bvp.h works on it   */
    void              *u;        /* [n] float or double             */
    struct sw_norm_sums *part;     /* [blocks], one more for the rest */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t blocks_of(int64_t r) { return (r + COLUMNS - 1) / COLUMNS; }

/* The problem being solved. */
struct job {
    const struct sw_bvp *bvp;
    struct a2 *a;
    int     j;
    int64_t r, s, rest;
};

/* Points at v->x: `rows` rows from row k on of columns first .. last-1, or rows of the rest, which is one column. */
struct patch { int64_t k, first, last; int rows; };

static int64_t entry(const struct job *t, int64_t m, int64_t k) { return m < t->r ? m * t->s + k : t->r * t->s + k; }

static int64_t place(const struct job *t, int64_t m, int64_t k)
{
    return m < t->r ? m + k * t->r : t->r * t->s + k;
}

static int patch_points(const struct job *t, struct host_values *v, const struct patch *p)
{
    const struct sw_bvp_run *run = &t->bvp->run[t->j];
    int at = 0;
    for (int64_t k = p->k; k < p->k + p->rows; k++)
        for (int64_t m = p->first; m < p->last; m++) v->x[at++] = run->x0 + run->h * (double)entry(t, m, k);
    return at;
}

static double set_patch(const struct job *t, struct host_values *v, const struct patch *p)
{
    const double h = t->bvp->run[t->j].h, h2 = h * h;
    const int width = (int)(p->last - p->first);
    int count = patch_points(t, v, p);
    host_values_f(v, count);
    double bad = host_values_bad(v, count);
    for (int i = 0; i < count; i++) v->value[i] *= h2;
    if (p->k == 0 && entry(t, p->first, 0) == 0) v->value[0] *= 0.5;
    for (int row = 0; row < p->rows; row++)
        sw_reals_put(t->a->u, t->bvp->ops->word, place(t, p->first, p->k + row), v->value + row * width, width);
    return bad;
}

static void keep_patch(const struct job *t, const struct host_values *v, const struct patch *p)
{
    const struct host_kept *kept = &t->a->host.kept;
    const double *u = v->u;
    if (!kept->field) return;
    for (int64_t k = p->k; k < p->k + p->rows; k++)
        for (int64_t m = p->first; m < p->last; m++)
            sw_reals_set(kept->field, kept->word, t->j * t->bvp->desc.n + entry(t, m, k), *u++);
}

static void measure_patch(const struct job *t, struct host_values *v, const struct patch *p, struct sw_norm_sums *sum)
{
    const int width = (int)(p->last - p->first);
    int count = patch_points(t, v, p);
    for (int row = 0; row < p->rows; row++)
        sw_reals_get(t->a->u, t->bvp->ops->word, place(t, p->first, p->k + row), v->u + row * width, width);
    keep_patch(t, v, p);
    host_norms_points(sum, v, v->u, count);
}

/* A block of columns, or (the last block) the rest, patch by patch. */
static struct patch block_patch(const struct job *t, int64_t block, int64_t *rows)
{
    const bool rest = block == blocks_of(t->r);
    struct patch p = {.first = rest ? t->r : block * COLUMNS};
    p.last = rest ? t->r + 1 : least(t->r, p.first + COLUMNS);
    *rows = rest ? t->rest : t->s;
    return p;
}

static int patch_rows(const struct patch *p, int64_t rows)
{
    return (int)least(HOST_POINTS / (p->last - p->first), rows - p->k);
}

/* @return the least x where f is not finite */
static double set_block(const struct job *t, struct host_values *v, int64_t block)
{
    int64_t rows;
    double bad = INFINITY;
    struct patch p = block_patch(t, block, &rows);
    host_values_begin(v, t->bvp, t->j);
    for (; (p.rows = patch_rows(&p, rows)) > 0; p.k += p.rows) bad = fmin(bad, set_patch(t, v, &p));
    return bad;
}

static void measure_block(const struct job *t, struct host_values *v, int64_t block)
{
    int64_t rows;
    struct patch p = block_patch(t, block, &rows);
    host_values_begin(v, t->bvp, t->j);
    t->a->part[block] = (struct sw_norm_sums){0};
    for (; (p.rows = patch_rows(&p, rows)) > 0; p.k += p.rows) measure_patch(t, v, &p, &t->a->part[block]);
}

/* ------------------------------------------------------------------ the steps, in the row's precisions */

struct steps {
    void (*down)(void *u, int64_t r, int64_t s, int64_t first, int64_t last);
    void (*along_bottom)(void *bottom, int64_t r, int64_t rest);
    void (*up)(void *u, int64_t r, int64_t s, int64_t first, int64_t last);
    void (*along_top)(void *top, void *after, int64_t r, int64_t rest);
    void (*add_tops)(void *u, int64_t r, int64_t s, int64_t rest, int64_t first, int64_t last);
};

static const struct steps steps_s = {down_s, along_bottom_s, up_s, along_top_s, add_tops_s},
                          steps_d = {down_d, along_bottom_d, up_d, along_top_d, add_tops_d},
                          steps_sd = {down_s, along_bottom_sd, up_s, along_top_sd, add_tops_s};

static const struct steps *steps_of(const struct sw_bvp *bvp)
{
    if (bvp->ops->word == 8) return &steps_d;
    return bvp->ops->carry == 8 ? &steps_sd : &steps_s;
}

static void *at(const struct sw_bvp *bvp, const struct a2 *a, int64_t entries)
{
    return (char *)a->u + entries * bvp->ops->word;
}

static int threads_of(const struct sw_bvp *bvp) { return bvp->desc.n < 16384 ? 1 : bvp->device->threads; }

static void solve_one(const struct sw_bvp *bvp, struct a2 *a, int j)
{
    const int64_t n = bvp->desc.n, r = bvp->run[j].r, s = n / r, rest = n - r * s, blocks = blocks_of(r);
    const struct job t = {bvp, a, j, r, s, rest};
    const struct steps *steps = steps_of(bvp);
    struct sw_norm_sums sum = {0};
    double bad = INFINITY, u0;
#pragma omp parallel num_threads(threads_of(bvp))
    {
        struct host_values *v = &a->host.values[omp_get_thread_num()];
#pragma omp for schedule(static) reduction(min : bad)
        for (int64_t b = 0; b <= blocks; b++) bad = fmin(bad, set_block(&t, v, b));
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; b++) steps->down(a->u, r, s, b * COLUMNS, least(r, (b + 1) * COLUMNS));
#pragma omp single
        steps->along_bottom(at(bvp, a, (s - 1) * r), r, rest);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; b++) steps->up(a->u, r, s, b * COLUMNS, least(r, (b + 1) * COLUMNS));
#pragma omp single
        steps->along_top(a->u, at(bvp, a, s * r), r, rest);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            steps->add_tops(a->u, r, s, rest, b * COLUMNS, least(r, (b + 1) * COLUMNS));
        if (bvp->desc.exact || bvp->desc.keep) {
#pragma omp for schedule(static)
            for (int64_t b = 0; b <= blocks; b++) measure_block(&t, v, b);
        }
    }
    if (bvp->desc.exact)
        for (int64_t b = 0; b <= blocks; b++) sw_norm_sums_add(&sum, &a->part[b]);
    u0 = sw_reals_at(a->u, bvp->ops->word, 0);
    host_norms_result(&sum, bvp, j, bad, u0, &a->host.kept.result[j]);
}

static enum sw_status solve(struct sw_bvp *bvp)
{
    struct a2 *a = bvp->own;
    host_bvp_begin(bvp);
    for (int j = 0; j < bvp->count; j++)
        if (!bvp->refused[j]) solve_one(bvp, a, j);
    host_bvp_end(bvp);
    return SW_OK;
}

/* ------------------------------------------------------------------ the rows */

static void destroy(struct sw_bvp *bvp)
{
    struct a2 *a = bvp->own;
    if (!a) return;
    host_bvp_destroy(&a->host);
    sw_free(a->part);
    sw_free(a->u);
    sw_free(a);
}

/* r is at most n/2; and the rest is a block. */
static size_t parts_of(const struct sw_bvp_desc *desc) { return (size_t)blocks_of(desc->n / 2) + 2; }

static enum sw_status create(struct sw_bvp *bvp)
{
    struct a2 *a = NULL;
    SW_TRY(sw_alloc(1, &a));
    bvp->own = a;
    SW_TRY(sw_alloc_bytes((size_t)bvp->desc.n, (size_t)bvp->ops->word, &a->u));
    SW_TRY(sw_alloc(parts_of(&bvp->desc), &a->part));
    return host_bvp_create(bvp, bvp->device->threads, true, &a->host);
}

static void bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, size_t *fixed, size_t *per_run)
{
    *fixed = (size_t)row->word * (size_t)desc->n + parts_of(desc) * sizeof(struct sw_norm_sums);
    *per_run = host_kept_bytes(desc);
}

/* f set; each of 1A, 1C, 2A and 2C reads and writes. */
static struct sw_cost cost(const struct sw_bvp *bvp) { return (struct sw_cost){9.0 * bvp->ops->word, 4}; }

#define A2_ROW(row, n, text, size, size_of_carry)                                                     \
    extern const struct sw_bvp_ops row;                                                               \
    const struct sw_bvp_ops row = {                                                                   \
        .name = (n), .about = (text), .space = SW_HOST, .fits = sw_bvp_plain, .bytes = bytes,         \
        .create = create, .solve = solve, .fetch = host_bvp_fetch, .destroy = destroy, .cost = cost,  \
        .columns = true, .word = (size), .carry = (size_of_carry)}

A2_ROW(bvp_a2s_cpu, "cpu.a2s", "divide and conquer over r columns, single precision (the paper's A2S)", 4, 4);
A2_ROW(bvp_a2d_cpu, "cpu.a2d", "divide and conquer over r columns, double precision (the paper's A2D)", 8, 8);
A2_ROW(bvp_a2sd_cpu, "cpu.a2sd", "a2s with the sums across columns in double precision (the paper's A2SD)", 4, 8);
