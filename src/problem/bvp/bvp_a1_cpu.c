/* Rows `cpu.a1s`, `cpu.a1d`: the two sums one after another on one core (the paper's A1, equations (7) and (8)). f is
 * evaluated in double; h² f is rounded to the row's precision. */
#include <math.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "problem/bvp/host_bvp.h"

struct a1 {
    struct host_bvp host;       /* first: host_bvp.h works on it          */
    void *u;                    /* [n] float or double: d, then y, then u */
};

static void sum_twice_double(double *u, int64_t n)
{
    for (int64_t i = 1; i < n; i++) u[i] += u[i - 1];
    for (int64_t i = n - 2; i >= 0; i--) u[i] += u[i + 1];
}

static void sum_twice_float(float *u, int64_t n)
{
    for (int64_t i = 1; i < n; i++) u[i] += u[i - 1];
    for (int64_t i = n - 2; i >= 0; i--) u[i] += u[i + 1];
}

/* The points of a call that starts at point `at`; how many. */
static int take_points(const struct sw_bvp *bvp, int j, struct host_values *v, int64_t at)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    int count = bvp->desc.n - at < HOST_POINTS ? (int)(bvp->desc.n - at) : HOST_POINTS;
    for (int i = 0; i < count; i++) v->x[i] = run->x0 + run->h * (double)(at + i);
    return count;
}

static void solve_one(const struct sw_bvp *bvp, struct a1 *a, int j)
{
    struct host_values *v = a->host.values;
    const struct host_kept *kept = &a->host.kept;
    struct sw_norm_sums sum = {0};
    const int word = bvp->ops->word;
    double h2 = bvp->run[j].h * bvp->run[j].h, bad = INFINITY;
    int count;
    host_values_begin(v, bvp, j);
    for (int64_t at = 0; at < bvp->desc.n; at += count) {
        count = take_points(bvp, j, v, at);
        host_values_f(v, count);
        bad = fmin(bad, host_values_bad(v, count));
        for (int i = 0; i < count; i++) v->value[i] *= h2;
        if (at == 0) v->value[0] *= 0.5;
        sw_reals_put(a->u, word, at, v->value, count);
    }
    if (word == 8) sum_twice_double(a->u, bvp->desc.n);
    else sum_twice_float(a->u, bvp->desc.n);
    for (int64_t at = 0; at < bvp->desc.n; at += count) {
        count = take_points(bvp, j, v, at);
        sw_reals_get(a->u, word, at, v->u, count);
        if (kept->field) sw_reals_put(kept->field, kept->word, j * bvp->desc.n + at, v->u, count);
        host_norms_points(&sum, v, v->u, count);
    }
    host_norms_result(&sum, bvp, j, bad, sw_reals_at(a->u, word, 0), &kept->result[j]);
}

static enum sw_status solve(struct sw_bvp *bvp)
{
    struct a1 *a = bvp->own;
    host_bvp_begin(bvp);
    for (int j = 0; j < bvp->count; j++)
        if (!bvp->refused[j]) solve_one(bvp, a, j);
    host_bvp_end(bvp);
    return SW_OK;
}

static void destroy(struct sw_bvp *bvp)
{
    struct a1 *a = bvp->own;
    if (!a) return;
    host_bvp_destroy(&a->host);
    sw_free(a->u);
    sw_free(a);
}

static enum sw_status create(struct sw_bvp *bvp)
{
    struct a1 *a = NULL;
    SW_TRY(sw_alloc(1, &a));
    bvp->own = a;
    SW_TRY(sw_alloc_bytes((size_t)bvp->desc.n, (size_t)bvp->ops->word, &a->u));
    return host_bvp_create(bvp, 1, true, &a->host);
}

static void bytes(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc, size_t *fixed, size_t *per_run)
{
    *fixed = (size_t)row->word * (size_t)desc->n;
    *per_run = host_kept_bytes(desc);
}

/* d written; read, y written; read, u written. */
static struct sw_cost cost(const struct sw_bvp *bvp) { return (struct sw_cost){5.0 * bvp->ops->word, 2}; }

#define A1_ROW(row, n, text, size)                                                                    \
    extern const struct sw_bvp_ops row;                                                               \
    const struct sw_bvp_ops row = {                                                                   \
        .name = (n), .about = (text), .space = SW_HOST, .fits = sw_bvp_plain, .bytes = bytes,         \
        .create = create, .solve = solve, .fetch = host_bvp_fetch, .destroy = destroy, .cost = cost,  \
        .word = (size)}

A1_ROW(bvp_a1s_cpu, "cpu.a1s", "one sum after the other, single precision, one core (the paper's A1S)", 4);
A1_ROW(bvp_a1d_cpu, "cpu.a1d", "one sum after the other, double, one core (the paper's A1D): the reference", 8);
