/* Rows `cpu.a1s`, `cpu.a1d`: the two sums one after another on one core (the paper's A1, equations (7) and (8)). f is
 * evaluated in double; h² f is rounded to the row's precision. */
#include <math.h>

#include "base/sw_reals.h"
#include "problem/bvp/bvp_host.h"

struct a1 {
    struct bvp_host host;       /* first: bvp_host.h works on it          */
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

/* The coordinates of the points of a call that starts at point `at`. @return how many */
static int set_points(const struct sw_bvp *bvp, int j, struct bvp_evaluator *v, int64_t at)
{
    const struct sw_bvp_run *run = &bvp->run[j];
    int count = bvp->desc.n - at < BVP_POINTS ? (int)(bvp->desc.n - at) : BVP_POINTS;
    for (int i = 0; i < count; i++) v->x[i] = run->x0 + run->h * (double)(at + i);
    return count;
}

static void solve_one(const struct sw_bvp *bvp, int j)
{
    struct a1 *a = bvp->own;
    struct bvp_evaluator *v = a->host.evaluator;
    const struct bvp_output *output = &a->host.output;
    struct sw_norm_sums sum = {0};
    const int size = bvp->ops->element_size;
    double h2 = bvp->run[j].h * bvp->run[j].h, bad = INFINITY;
    int count;
    bvp_evaluator_begin(v, bvp, j);
    for (int64_t at = 0; at < bvp->desc.n; at += count) {
        count = set_points(bvp, j, v, at);
        bvp_evaluator_f(v, count);
        bad = fmin(bad, bvp_evaluator_first_bad(v, count));
        for (int i = 0; i < count; i++) v->value[i] *= h2;
        if (at == 0) v->value[0] *= 0.5;
        sw_reals_put(a->u, size, at, v->value, count);
    }
    if (size == 8) sum_twice_double(a->u, bvp->desc.n);
    else sum_twice_float(a->u, bvp->desc.n);
    for (int64_t at = 0; at < bvp->desc.n; at += count) {
        count = set_points(bvp, j, v, at);
        sw_reals_get(a->u, size, at, v->u, count);
        if (output->field) sw_reals_put(output->field, output->element_size, j * bvp->desc.n + at, v->u, count);
        bvp_norms_add_points(&sum, v, v->u, count);
    }
    bvp_result_from_norms(&sum, bvp, j, bad, sw_reals_at(a->u, size, 0), &output->result[j]);
}

static enum sw_status solve(struct sw_bvp *bvp) { return bvp_host_solve(bvp, solve_one); }

static void arrays(struct sw_bvp *bvp)
{
    struct a1 *a = bvp->own;
    sw_array_bytes(&bvp->arrays, SW_ARRAY_HOST, (size_t)bvp->desc.n, (size_t)bvp->ops->element_size, &a->u);
    bvp_host_arrays(bvp, 1, &a->host);
}

static enum sw_status create(struct sw_bvp *bvp) { return bvp_host_create(bvp, true); }

/* d is written, read and y written, read and u written. */
static struct sw_cost cost(const struct sw_bvp *bvp) { return (struct sw_cost){5.0 * bvp->ops->element_size, 2}; }

#define A1_ROW(row, n, text, size)                                                                    \
    extern const struct sw_bvp_ops row;                                                               \
    const struct sw_bvp_ops row = {                                                                   \
        .name = (n), .about = (text), .space = SW_HOST, .fits = sw_bvp_plain,                         \
        .own_size = sizeof(struct a1), .arrays = arrays, .create = create, .solve = solve,            \
        .fetch = bvp_host_fetch, .destroy = bvp_host_destroy, .cost = cost,                           \
        .element_size = (size)}

A1_ROW(bvp_a1s_cpu, "cpu.a1s", "one sum after the other, single precision, one core (the paper's A1S)", 4);
A1_ROW(bvp_a1d_cpu, "cpu.a1d", "one sum after the other, double, one core (the paper's A1D): the reference", 8);
