#include "problem/bvp/bvp_host.h"

#include <math.h>
#include <string.h>

#include "base/sw_reals.h"

/* ------------------------------------------------------------------ values at points */

void bvp_evaluator_arrays(struct sw_owned *own, struct bvp_evaluator *v)
{
    sw_array(own, BVP_POINTS, &v->x);
    sw_array(own, BVP_POINTS, &v->value);
    sw_array(own, BVP_POINTS, &v->u);
}

enum sw_status bvp_evaluator_create(const struct sw_bvp_desc *desc, bool as_published, struct bvp_evaluator *v)
{
    v->problem = -1;
    SW_TRY(sw_eval_create(desc->f, BVP_POINTS, &v->f));
    if (desc->exact) SW_TRY(sw_eval_create(desc->exact, BVP_POINTS, &v->exact));
    if (as_published) sw_eval_by_scalars(v->f);
    if (as_published && v->exact) sw_eval_by_scalars(v->exact);
    return SW_OK;
}

void bvp_evaluator_destroy(struct bvp_evaluator *v)
{
    sw_eval_destroy(&v->f);
    sw_eval_destroy(&v->exact);
}

void bvp_evaluator_begin(struct bvp_evaluator *v, const struct sw_bvp *bvp, int j)
{
    if (v->problem == j) return;
    sw_eval_run(v->f, bvp->param + j, bvp->count);
    sw_eval_step(v->f, 0, 0);
    if (v->exact) {
        sw_eval_run(v->exact, bvp->param + j, bvp->count);
        sw_eval_step(v->exact, 0, 0);
    }
    v->problem = j;
}

static void evaluate(struct sw_eval *eval, struct bvp_evaluator *v, int count)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = v->x};
    sw_eval_cells(eval, count, in);
    sw_eval_points(eval, count, in, v->value);
}

void bvp_evaluator_range(struct bvp_evaluator *v, struct sw_eval *eval, double x0, double h, int64_t first,
                         int64_t end, double *out)
{
    for (int64_t at = first; at < end; at += BVP_POINTS) {
        int some = end - at < BVP_POINTS ? (int)(end - at) : BVP_POINTS;
        for (int i = 0; i < some; i++) v->x[i] = x0 + h * (double)(at + i);
        evaluate(eval, v, some);
        memcpy(out + (at - first), v->value, (size_t)some * sizeof *out);
    }
}

enum { LANES = 16 };  /* sums side by side, the same on every machine */

double bvp_evaluator_first_bad(const struct bvp_evaluator *v, int count)
{
    double zero[LANES] = {0}, sum = 0, least = INFINITY;
    for (int i = 0; i < count / LANES * LANES; i += LANES)
        for (int l = 0; l < LANES; l++) zero[l] += 0 * v->value[i + l];
    for (int i = count / LANES * LANES; i < count; i++) sum += 0 * v->value[i];
    for (int l = 0; l < LANES; l++) sum += zero[l];
    if (sum == 0) return least;
    for (int i = 0; i < count; i++)
        if (!isfinite(v->value[i]) && v->x[i] < least) least = v->x[i];
    return least;
}

void bvp_evaluator_f(struct bvp_evaluator *v, int count) { evaluate(v->f, v, count); }

/* ------------------------------------------------------------------ norms */

void bvp_norms_add_points(struct sw_norm_sums *sum, struct bvp_evaluator *v, const double *u, int count)
{
    if (!v->exact) return;
    evaluate(v->exact, v, count);
    sw_norm_sums_points(sum, u, v->value, count);
}

void bvp_result_refused(struct sw_bvp_result *result)
{
    *result = (struct sw_bvp_result){.rms = NAN, .max = NAN, .rel = NAN, .where = NAN};
}

void bvp_result_from_norms(const struct sw_norm_sums *sum, const struct sw_bvp *bvp, int j, double bad, double u0,
                           struct sw_bvp_result *result)
{
    bvp_result_refused(result);
    if (bad < INFINITY) {
        result->fault = SW_BVP_F_NOT_FINITE;
        result->where = bad;
    } else if (!isfinite(u0)) {
        result->fault = SW_BVP_U_NOT_FINITE;
        result->where = bvp->run[j].x0;
    } else if (bvp->desc.exact) {
        const struct sw_norms norms = sw_norms_from_sums(sum, bvp->desc.n);
        result->rms = norms.l2;
        result->max = norms.max;
        result->rel = norms.rel;
    }
}

/* ------------------------------------------------------------------ output */

void bvp_output_arrays(const struct sw_bvp_desc *desc, struct sw_owned *own, struct bvp_output *output)
{
    const size_t room = (size_t)desc->capacity;
    output->element_size = sw_reals_word(desc->save_single);
    sw_array(own, room, &output->result);
    if (desc->save)
        sw_array_bytes(own, SW_ARRAY_HOST, room * (size_t)desc->n, output->element_size, &output->field);
}

void bvp_output_clear_failed(const struct bvp_output *output, const struct sw_bvp *bvp)
{
    const size_t n = (size_t)bvp->desc.n;
    if (!output->field) return;
    for (int j = 0; j < bvp->count; j++) {
        if (!bvp->refused[j] && output->result[j].fault == SW_BVP_FINE) continue;
        sw_reals_fill(output->field, output->element_size, (size_t)j * n, NAN, n);
    }
}

/* ------------------------------------------------------------------ what a row begins with */

void bvp_host_arrays(struct sw_bvp *bvp, int threads, struct bvp_host *h)
{
    struct bvp_evaluator none;
    h->threads = threads;
    sw_array(&bvp->arrays, (size_t)threads, &h->evaluator);
    for (int k = 0; k < threads; k++) bvp_evaluator_arrays(&bvp->arrays, h->evaluator ? &h->evaluator[k] : &none);
    bvp_output_arrays(&bvp->desc, &bvp->arrays, &h->output);
}

enum sw_status bvp_host_create(struct sw_bvp *bvp, bool as_published)
{
    struct bvp_host *h = bvp->own;
    for (int k = 0; k < h->threads; k++) SW_TRY(bvp_evaluator_create(&bvp->desc, as_published, &h->evaluator[k]));
    return SW_OK;
}

void bvp_host_destroy(struct sw_bvp *bvp)
{
    struct bvp_host *h = bvp->own;
    for (int k = 0; h->evaluator && k < h->threads; k++) bvp_evaluator_destroy(&h->evaluator[k]);
}

void bvp_host_begin(const struct sw_bvp *bvp)
{
    struct bvp_host *h = bvp->own;
    for (int k = 0; k < h->threads; k++) h->evaluator[k].problem = -1;
}

enum sw_status bvp_host_solve(struct sw_bvp *bvp, void (*solve_one)(const struct sw_bvp *bvp, int j))
{
    bvp_host_begin(bvp);
    for (int j = 0; j < bvp->count; j++)
        if (!bvp->refused[j]) solve_one(bvp, j);
    bvp_host_end(bvp);
    return SW_OK;
}

void bvp_host_end(const struct sw_bvp *bvp)
{
    struct bvp_host *h = bvp->own;
    for (int j = 0; j < bvp->count; j++)
        if (bvp->refused[j]) bvp_result_refused(&h->output.result[j]);
    bvp_output_clear_failed(&h->output, bvp);
}

enum sw_status bvp_host_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    const struct bvp_host *h = bvp->own;
    *field = h->output.field;
    *result = h->output.result;
    return SW_OK;
}
