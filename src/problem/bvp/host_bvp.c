#include "problem/bvp/host_bvp.h"

#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"

/* ------------------------------------------------------------------ values at points */

enum sw_status host_values_create(const struct sw_bvp_desc *desc, bool as_published, struct host_values *v)
{
    *v = (struct host_values){.problem = -1};
    SW_TRY(sw_alloc(HOST_POINTS, &v->x));
    SW_TRY(sw_alloc(HOST_POINTS, &v->value));
    SW_TRY(sw_alloc(HOST_POINTS, &v->u));
    SW_TRY(sw_eval_create(desc->f, HOST_POINTS, &v->f));
    if (desc->exact) SW_TRY(sw_eval_create(desc->exact, HOST_POINTS, &v->exact));
    if (as_published) sw_eval_by_scalars(v->f);
    if (as_published && v->exact) sw_eval_by_scalars(v->exact);
    return SW_OK;
}

void host_values_destroy(struct host_values *v)
{
    sw_eval_destroy(&v->f);
    sw_eval_destroy(&v->exact);
    sw_free(v->x);
    sw_free(v->value);
    sw_free(v->u);
    *v = (struct host_values){0};
}

void host_values_begin(struct host_values *v, const struct sw_bvp *bvp, int j)
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

static void evaluate(struct sw_eval *eval, struct host_values *v, int count)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = v->x};
    sw_eval_cells(eval, count, in);
    sw_eval_points(eval, count, in, v->value);
}

void host_values_over(struct host_values *v, struct sw_eval *eval, double x0, double h, int64_t count, double *out)
{
    for (int64_t at = 0; at < count; at += HOST_POINTS) {
        int some = count - at < HOST_POINTS ? (int)(count - at) : HOST_POINTS;
        for (int i = 0; i < some; i++) v->x[i] = x0 + h * (double)(at + i);
        evaluate(eval, v, some);
        memcpy(out + at, v->value, (size_t)some * sizeof *out);
    }
}

enum { LANES = 16 };  /* sums side by side, the same on every machine */

double host_values_bad(const struct host_values *v, int count)
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

void host_values_f(struct host_values *v, int count) { evaluate(v->f, v, count); }

/* ------------------------------------------------------------------ norms */

void host_norms_points(struct sw_norm_sums *sum, struct host_values *v, const double *u, int count)
{
    if (!v->exact) return;
    evaluate(v->exact, v, count);
    sw_norm_sums_points(sum, u, v->value, count);
}

void host_norms_none(struct sw_bvp_result *result)
{
    *result = (struct sw_bvp_result){.rms = NAN, .max = NAN, .rel = NAN, .where = NAN};
}

void host_norms_result(const struct sw_norm_sums *sum, const struct sw_bvp *bvp, int j, double bad, double u0,
                       struct sw_bvp_result *result)
{
    host_norms_none(result);
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

/* ------------------------------------------------------------------ what is kept */

size_t host_kept_bytes(const struct sw_bvp_desc *desc)
{
    return sizeof(struct sw_bvp_result) + (desc->keep ? sw_reals_word(desc->keep_single) * (size_t)desc->n : 0);
}

enum sw_status host_kept_create(const struct sw_bvp_desc *desc, struct host_kept *k)
{
    k->word = sw_reals_word(desc->keep_single);
    SW_TRY(sw_alloc((size_t)desc->capacity, &k->result));
    if (!desc->keep) return SW_OK;
    return sw_alloc_bytes((size_t)desc->capacity * (size_t)desc->n, k->word, &k->field);
}

void host_kept_destroy(struct host_kept *k)
{
    sw_free(k->field);
    sw_free(k->result);
}

void host_kept_spoil(const struct host_kept *k, const struct sw_bvp *bvp)
{
    const size_t n = (size_t)bvp->desc.n;
    if (!k->field) return;
    for (int j = 0; j < bvp->count; j++) {
        if (!bvp->refused[j] && k->result[j].fault == SW_BVP_FINE) continue;
        sw_reals_fill(k->field, k->word, (size_t)j * n, NAN, n);
    }
}

/* ------------------------------------------------------------------ a row */

enum sw_status host_bvp_create(const struct sw_bvp *bvp, int workers, bool as_published, struct host_bvp *h)
{
    SW_TRY(sw_alloc((size_t)workers, &h->values));
    h->workers = workers;
    for (int k = 0; k < workers; k++) SW_TRY(host_values_create(&bvp->desc, as_published, &h->values[k]));
    return host_kept_create(&bvp->desc, &h->kept);
}

void host_bvp_destroy(struct host_bvp *h)
{
    for (int k = 0; k < h->workers; k++) host_values_destroy(&h->values[k]);
    sw_free(h->values);
    host_kept_destroy(&h->kept);
}

void host_bvp_begin(const struct sw_bvp *bvp)
{
    struct host_bvp *h = bvp->own;
    for (int k = 0; k < h->workers; k++) h->values[k].problem = -1;
}

void host_bvp_end(const struct sw_bvp *bvp)
{
    struct host_bvp *h = bvp->own;
    for (int j = 0; j < bvp->count; j++)
        if (bvp->refused[j]) host_norms_none(&h->kept.result[j]);
    host_kept_spoil(&h->kept, bvp);
}

enum sw_status host_bvp_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    const struct host_bvp *h = bvp->own;
    *field = h->kept.field;
    *result = h->kept.result;
    return SW_OK;
}
