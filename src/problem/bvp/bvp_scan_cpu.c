/* Row `cpu.scan`: totals first, then u (docs/explanation/bvp.md).
 *
 * A problem is cut into chunks of LANES*rows points, in a way that n alone decides. In a first pass over the chunks f
 * is evaluated and nothing stored but two totals a chunk: A, the sum of its d, and B, the sum of its y if it began with
 * y = 0. One scan along the chunks gives y before each, one back gives u after each. In a second pass f is evaluated
 * again and u comes out of each chunk by itself; where the field is not saved, only its norms remain, so that memory
 * is 32 bytes a chunk. A problem of one chunk needs no first pass.
 *
 * All sums are pairs (double_double_point.h): they cost a fraction of evaluating f, and leave of the rounding errors
 * that of f, of h² f and of the last addition.
 *
 * In a chunk LANES segments of `rows` points lie side by side, point l*rows + k at [k*LANES + l]; the zeros that fill
 * the last chunk up are put before the first point, where they change no sum. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_reals.h"
#include "problem/bvp/bvp_host.h"
#include "field/double_double_point.h"

enum { LANES = 16, MOST_ROWS = BVP_POINTS / LANES };

/* Chunks a thread takes at once, some 0.1 ms: threads that share a processor with others take fewer. */
enum { SHARE = 16 };

/* Pairs of as many lanes as a register of this build has; a lane's bits do not depend on how many. */
#ifdef __AVX512F__
enum { VL = 8 };
#else
enum { VL = 4 };
#endif
typedef double vec __attribute__((vector_size(8 * VL)));
struct pairs { vec hi, lo; };

static inline void add_to_pairs(struct pairs *s, vec v)
{
    vec t = s->hi + v, z = t - s->hi;
    s->lo += (s->hi - (t - z)) + (v - z);
    s->hi = t;
}

/* What is stored of a chunk between the passes: totals, then their exclusive scans, then norms. */
union chunk {
    struct { struct sw_dd a, b; } total;
    struct { struct sw_dd y, u; } prefix;  /* y before its first point, u after its last */
    struct { struct sw_norm_sums norms; double bad; } result;
};

struct scan {
    struct bvp_host host;         /* first: bvp_host.h works on it     */
    int             rows;         /* of a chunk                        */
    int64_t         chunks;       /* of a problem                      */
    int64_t         pad;          /* zeros before the first point      */
    union chunk    *chunk;        /* [problems at once][chunks]        */
};

/* Of lanes: sums over the rows of a chunk. */
struct lane_totals { double hi[LANES], lo[LANES]; };

static struct sw_dd lane(const struct lane_totals *t, int l) { return (struct sw_dd){t->hi[l], t->lo[l]}; }

/* Whether what was summed up was finite: what is not stays so in a sum. */
static bool finite_lanes(const struct lane_totals *t)
{
    double all = 0;
    for (int l = 0; l < LANES; l++) all += 0 * t->hi[l];
    return all == 0;
}

#define EACH_VECTOR for (int at = 0; at < LANES; at += VL)
#define ROW(array, k) (*(vec *)((array) + (size_t)(k) * LANES + at))
#define LOAD_SUMS(totals) ((struct pairs){*(vec *)((totals)->hi + at), *(vec *)((totals)->lo + at)})
#define STORE_SUMS(totals, s) (*(vec *)((totals)->hi + at) = (s).hi, *(vec *)((totals)->lo + at) = (s).lo)

/* Of d = h2 f: a = its sum, b = the sum of its running sums. */
static void sum_twice(const double *f, double h2, int rows, struct lane_totals *a, struct lane_totals *b)
{
    EACH_VECTOR {
        struct pairs y = {0}, z = {0};
        for (int k = 0; k < rows; k++) {
            add_to_pairs(&y, ROW(f, k) * h2);
            add_to_pairs(&z, y.hi);
            z.lo += y.lo;
        }
        STORE_SUMS(a, y);
        STORE_SUMS(b, z);
    }
}

static void sum(const double *f, double h2, int rows, struct lane_totals *a)
{
    EACH_VECTOR {
        struct pairs y = {0};
        for (int k = 0; k < rows; k++) add_to_pairs(&y, ROW(f, k) * h2);
        STORE_SUMS(a, y);
    }
}

/* f becomes y. @param t  in: y before each lane; out: the sum of y */
static void forward_sweep(double *f, double h2, int rows, struct lane_totals *t)
{
    EACH_VECTOR {
        struct pairs y = LOAD_SUMS(t), z = {0};
        for (int k = 0; k < rows; k++) {
            add_to_pairs(&y, ROW(f, k) * h2);
            ROW(f, k) = y.hi + y.lo;
            add_to_pairs(&z, ROW(f, k));
        }
        STORE_SUMS(t, z);
    }
}

/* y becomes u. @param t  u after each lane */
static void backward_sweep(double *y, int rows, const struct lane_totals *t)
{
    EACH_VECTOR {
        struct pairs u = LOAD_SUMS(t);
        for (int k = rows - 1; k >= 0; k--) {
            add_to_pairs(&u, ROW(y, k));
            ROW(y, k) = u.hi + u.lo;
        }
    }
}

/* Totals become what comes before (after) each lane: exclusive scans. @param s  before the first (after the last) */
static void scan_lanes_forward(struct lane_totals *t, struct sw_dd s)
{
    for (int l = 0; l < LANES; l++) {
        struct sw_dd more = lane(t, l);
        t->hi[l] = s.hi;
        t->lo[l] = s.lo;
        s = sw_dd_add(s, more);
    }
}

static void scan_lanes_backward(struct lane_totals *t, struct sw_dd s)
{
    for (int l = LANES - 1; l >= 0; l--) {
        struct sw_dd more = lane(t, l);
        t->hi[l] = s.hi;
        t->lo[l] = s.lo;
        s = sw_dd_add(s, more);
    }
}

/* ------------------------------------------------------------------ one chunk */

static void chunk_points(const struct scan *p, const struct sw_bvp_run *run, int64_t c, double *restrict x)
{
    const double h = run->h, x0 = run->x0;
    double first[LANES];
    for (int l = 0; l < LANES; l++) first[l] = (double)((c * LANES + l) * p->rows - p->pad);
    for (int k = 0; k < p->rows; k++)
        for (int l = 0; l < LANES; l++) x[k * LANES + l] = x0 + h * (first[l] + k);
    for (int64_t i = 0; c == 0 && i < p->pad; i++) x[i % p->rows * LANES + i / p->rows] = x0;
}

/* f of a chunk, in v->value: half of it at the first point, nothing before. */
static void chunk_f(const struct scan *p, const struct sw_bvp_run *run, int64_t c, struct bvp_evaluator *v)
{
    chunk_points(p, run, c, v->x);
    bvp_evaluator_f(v, p->rows * LANES);
    for (int64_t i = 0; c == 0 && i <= p->pad; i++) {
        double *f = &v->value[i % p->rows * LANES + i / p->rows];
        *f = i < p->pad ? 0 : *f / 2;
    }
}

static void chunk_totals(const struct scan *p, const struct sw_bvp_run *run, int64_t c, struct bvp_evaluator *v,
                         union chunk *chunk)
{
    _Alignas(64) struct lane_totals a, b;
    chunk_f(p, run, c, v);
    sum_twice(v->value, run->h * run->h, p->rows, &a, &b);
    struct sw_dd y = {0, 0}, z = {0, 0};
    for (int l = 0; l < LANES; l++) {
        z = sw_dd_add(z, sw_dd_scale_add(y, p->rows, lane(&b, l)));
        y = sw_dd_add(y, lane(&a, l));
    }
    chunk->total.a = y;
    chunk->total.b = z;
}

/* u of a chunk, in v->value. @return the least x where f is not finite */
static double chunk_u(const struct scan *p, const struct sw_bvp_run *run, int64_t c, struct bvp_evaluator *v,
                      const union chunk *chunk)
{
    _Alignas(64) struct lane_totals t;
    const double h2 = run->h * run->h;
    double bad = INFINITY;
    chunk_f(p, run, c, v);
    sum(v->value, h2, p->rows, &t);
    if (!finite_lanes(&t)) bad = bvp_evaluator_first_bad(v, p->rows * LANES);
    scan_lanes_forward(&t, chunk->prefix.y);
    forward_sweep(v->value, h2, p->rows, &t);
    scan_lanes_backward(&t, chunk->prefix.u);
    backward_sweep(v->value, p->rows, &t);
    return bad;
}

static void round_to_single(double *u, int count)
{
    for (int i = 0; i < count; i++) u[i] = (float)u[i];
}

/* u and x of a chunk in v->u and v->x, without what comes before the first point. How many points. */
static int chunk_points_and_u(const struct scan *p, const struct sw_bvp_run *run, int64_t c, struct bvp_evaluator *v)
{
    const int all = p->rows * LANES, skip = c == 0 ? (int)p->pad : 0;
    if (!skip) {
        memcpy(v->u, v->value, (size_t)all * sizeof *v->u);
        return all;
    }
    for (int i = skip; i < all; i++) {
        v->u[i - skip] = v->value[i % p->rows * LANES + i / p->rows];
        v->x[i - skip] = run->x0 + run->h * (double)(i - skip);
    }
    return all - skip;
}

/* Lane by lane into the field of a problem, which begins at `base`. */
static void chunk_save(const struct scan *p, int64_t c, const double *u, int64_t base)
{
    double segment[MOST_ROWS];
    for (int l = 0; l < LANES; l++) {
        int64_t first = (c * LANES + l) * p->rows - p->pad;
        int skip = first >= 0 ? 0 : first <= -p->rows ? p->rows : (int)-first;
        for (int k = skip; k < p->rows; k++) segment[k] = u[k * LANES + l];
        sw_reals_put(p->host.output.field, p->host.output.element_size, base + first + skip, segment + skip,
                     p->rows - skip);
    }
}

static void finish_chunk(const struct scan *p, const struct sw_bvp *bvp, int j, int64_t c, struct bvp_evaluator *v,
                         union chunk *chunk, double *u0)
{
    double bad = chunk_u(p, &bvp->run[j], c, v, chunk);
    if (bvp->desc.single) round_to_single(v->value, p->rows * LANES);
    if (c == 0) *u0 = v->value[p->pad % p->rows * LANES + p->pad / p->rows];
    if (p->host.output.field) chunk_save(p, c, v->value, j * bvp->desc.n);
    chunk->result.norms = (struct sw_norm_sums){0};
    chunk->result.bad = bad;
    if (!bvp->desc.exact) return;
    int count = chunk_points_and_u(p, &bvp->run[j], c, v);
    bvp_norms_add_points(&chunk->result.norms, v, v->u, count);
}

/* ------------------------------------------------------------------ one problem */

/* Totals become their exclusive scans. */
static void scan_chunks(const struct scan *p, union chunk *chunk)
{
    const double points = (double)p->rows * LANES;
    struct sw_dd y = {0, 0}, u = {0, 0};
    for (int64_t c = 0; c < p->chunks; c++) {
        struct sw_dd a = chunk[c].total.a;
        chunk[c].prefix.u = sw_dd_scale_add(y, points, chunk[c].total.b);
        chunk[c].prefix.y = y;
        y = sw_dd_add(y, a);
    }
    for (int64_t c = p->chunks - 1; c >= 0; c--) {
        struct sw_dd more = chunk[c].prefix.u;
        chunk[c].prefix.u = u;
        u = sw_dd_add(u, more);
    }
}

static void combine_chunks(const struct scan *p, const struct sw_bvp *bvp, int j, const union chunk *chunk, double u0)
{
    struct sw_norm_sums norms = {0};
    double bad = INFINITY;
    for (int64_t c = 0; c < p->chunks; c++) {
        sw_norm_sums_add(&norms, &chunk[c].result.norms);
        bad = fmin(bad, chunk[c].result.bad);
    }
    bvp_result_from_norms(&norms, bvp, j, bad, u0, &p->host.output.result[j]);
}

/* @param values  [threads] */
static void solve_one(const struct sw_bvp *bvp, int j, union chunk *chunk, struct bvp_evaluator *values, int threads)
{
    const struct scan *p = bvp->own;
    double u0 = NAN;
    if (p->chunks == 1) {
        chunk->prefix.y = chunk->prefix.u = (struct sw_dd){0, 0};
        bvp_evaluator_begin(values, bvp, j);
        finish_chunk(p, bvp, j, 0, values, chunk, &u0);
        combine_chunks(p, bvp, j, chunk, u0);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        struct bvp_evaluator *v = &values[omp_get_thread_num()];
        bvp_evaluator_begin(v, bvp, j);
#pragma omp for schedule(dynamic, SHARE)
        for (int64_t c = 0; c < p->chunks; c++) chunk_totals(p, &bvp->run[j], c, v, &chunk[c]);
#pragma omp single
        scan_chunks(p, chunk);
#pragma omp for schedule(dynamic, SHARE)
        for (int64_t c = 0; c < p->chunks; c++) finish_chunk(p, bvp, j, c, v, &chunk[c], &u0);
    }
    combine_chunks(p, bvp, j, chunk, u0);
}

/* A thread for each problem where they are short and many, else all threads for each. */
static bool all_threads_on_each(const struct scan *p) { return p->chunks >= 64; }

static enum sw_status solve(struct sw_bvp *bvp)
{
    struct scan *p = bvp->own;
    const int threads = bvp->device->threads;
    bvp_host_begin(bvp);
    if (all_threads_on_each(p)) {
        for (int j = 0; j < bvp->count; j++)
            if (!bvp->refused[j]) solve_one(bvp, j, p->chunk, p->host.evaluator, threads);
    } else {
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (bvp->count > 1)
        for (int j = 0; j < bvp->count; j++) {
            int k = omp_get_thread_num();
            if (!bvp->refused[j]) solve_one(bvp, j, p->chunk + k * p->chunks, &p->host.evaluator[k], 1);
        }
    }
    bvp_host_end(bvp);
    return SW_OK;
}

/* ------------------------------------------------------------------ the row */

static struct scan cut_into_chunks(int64_t n)
{
    struct scan p = {.rows = n < BVP_POINTS ? (int)((n + LANES - 1) / LANES) : MOST_ROWS};
    p.chunks = (n - 1) / (p.rows * LANES) + 1;
    p.pad = p.chunks * p.rows * LANES - n;
    return p;
}

static void arrays(struct sw_bvp *bvp)
{
    const int threads = bvp->device->threads;
    struct scan *p = bvp->own;
    *p = cut_into_chunks(bvp->desc.n);
    sw_array(&bvp->arrays, (size_t)p->chunks * (size_t)(all_threads_on_each(p) ? 1 : threads), &p->chunk);
    bvp_host_arrays(bvp, threads, &p->host);
}

static enum sw_status create(struct sw_bvp *bvp) { return bvp_host_create(bvp, false); }

/* Nothing is read; u is written, where it is saved. Two pairs in the first pass (14 additions), four sums and two
 * products in the second (30). */
static struct sw_cost cost(const struct sw_bvp *bvp)
{
    double size = bvp->desc.save_single ? 4 : 8;
    return (struct sw_cost){bvp->desc.save ? size : 0, 44};
}

extern const struct sw_bvp_ops bvp_scan_cpu;
const struct sw_bvp_ops bvp_scan_cpu = {
    .name = "cpu.scan",
    .about = "totals first, then u: vectors, all cores, sums in twice the precision, no memory without fields",
    .space = SW_HOST,
    .fits = sw_bvp_plain,
    .own_size = sizeof(struct scan),
    .arrays = arrays,
    .create = create,
    .solve = solve,
    .fetch = bvp_host_fetch,
    .destroy = bvp_host_destroy,
    .cost = cost,
};
