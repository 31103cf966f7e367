/* cuPentBatch on the GPU: the method of band_thomas_cpu.c, interleaved, one thread a system (cuda/band_thomas.cu). Two
 * rows: cuda.thomas factors once and solves many times; cuda.thomas_rewrite keeps the matrix and factors it in every
 * solve, as one whose matrix changes from step to step would have to (the paper's cuPentBatchConstant and
 * cuPentBatchRewrite). */
#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "solver/sw_band_impl.h"
#include "sw_cuda.h"

struct thomas {
    struct sw_cuda_thomas d;   /* the arrays on the device                               */
    double *band;              /* rewrite: the matrix, [lower+upper+1] vectors           */
    int    *bad;               /* [batch] on the host                                    */
};

static bool thomas_fits(const struct sw_band_desc *desc)
{
    (void)desc;
    return true;
}

static enum sw_status thomas_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct thomas *t = NULL;
    size_t vector = sw_band_vector(s);
    SW_TRY(sw_alloc(1, &t));
    s->own = t;
    t->d.p = sw_band_border(d);
    t->d.n = d->n;
    t->d.batch = d->batch;
    t->d.ld = d->ld;
    SW_TRY(sw_alloc((size_t)d->batch, &t->bad));
    SW_TRY(sw_device_alloc(s->device, (size_t)d->batch, &t->d.bad));
    SW_TRY(sw_device_alloc(s->device, 5 * vector, &t->d.factor));
    if (t->d.p) SW_TRY(sw_device_alloc(s->device, 2 * vector, &t->d.Z));
    if (t->d.p) SW_TRY(sw_device_alloc(s->device, 10 * (size_t)d->ld, &t->d.closure));
    return SW_OK;
}

static enum sw_status rewrite_create(struct sw_band *s)
{
    struct thomas *t;
    SW_TRY(thomas_create(s));
    t = s->own;
    return sw_device_alloc(s->device, (size_t)(s->desc.lower + s->desc.upper + 1) * sw_band_vector(s), &t->band);
}

static enum sw_status thomas_factor(struct sw_band *s, const double *band, int *bad)
{
    struct thomas *t = s->own;
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(sw_cuda_thomas_factor(s->device->compute, &t->d, sw_band_matrix(s, band, 0).diagonal));
    SW_TRY(sw_device_download(s->device, t->bad, t->d.bad, (size_t)s->desc.batch * sizeof *t->bad));
    return sw_band_report(s, t->bad, bad);
}

static enum sw_status rewrite_factor(struct sw_band *s, const double *band, int *bad)
{
    struct thomas *t = s->own;
    size_t bytes = (size_t)(s->desc.lower + s->desc.upper + 1) * sw_band_vector(s) * sizeof *band;
    CU_TRY(cudaSetDevice(s->device->index));
    CU_TRY(cudaMemcpyAsync(t->band, band, bytes, cudaMemcpyDeviceToDevice, s->device->compute));
    return thomas_factor(s, band, bad);
}

static enum sw_status thomas_solve(const struct sw_band *s, double *x)
{
    const struct thomas *t = s->own;
    CU_TRY(cudaSetDevice(s->device->index));
    return sw_cuda_thomas_solve(s->device->compute, &t->d, x);
}

static enum sw_status rewrite_solve(const struct sw_band *s, double *x)
{
    const struct thomas *t = s->own;
    CU_TRY(cudaSetDevice(s->device->index));
    SW_TRY(sw_cuda_thomas_factor(s->device->compute, &t->d, sw_band_matrix(s, t->band, 0).diagonal));
    return sw_cuda_thomas_solve(s->device->compute, &t->d, x);
}

static void thomas_destroy(struct sw_band *s)
{
    struct thomas *t = s->own;
    if (!t) return;
    sw_device_free(s->device, t->band);
    sw_device_free(s->device, t->d.closure);
    sw_device_free(s->device, t->d.Z);
    sw_device_free(s->device, t->d.factor);
    sw_device_free(s->device, t->d.bad);
    sw_free(t->bad);
    sw_free(t);
}

/* The counts of cuda/band_thomas.cu, with multiplications and additions contracted as nvcc does. solve: 72 bytes, 3 + 2
 * operations; periodic systems 32 bytes and 2 operations more. */
static struct sw_cost thomas_cost(const struct sw_band_desc *desc)
{
    return desc->periodic ? (struct sw_cost){104, 7} : (struct sw_cost){72, 5};
}

/* factor: 80 bytes and 9 operations (a division counts as one); periodic systems make Z: 200 bytes and 10 operations
 * more. Then a solve. */
static struct sw_cost rewrite_cost(const struct sw_band_desc *desc)
{
    return desc->periodic ? (struct sw_cost){80 + 200 + 104, 9 + 10 + 7} : (struct sw_cost){80 + 72, 9 + 5};
}

extern const struct sw_band_ops band_thomas_cuda, band_thomas_rewrite_cuda;
const struct sw_band_ops band_thomas_cuda = {
    .name = "cuda.thomas",
    .about = "cuPentBatch: interleaved, one thread a system, factored once",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .vectors = 5 + 2,  /* five factors, two columns of Z */
    .fits = thomas_fits,
    .create = thomas_create,
    .factor = thomas_factor,
    .solve = thomas_solve,
    .destroy = thomas_destroy,
    .cost = thomas_cost,
};
const struct sw_band_ops band_thomas_rewrite_cuda = {
    .name = "cuda.thomas_rewrite",
    .about = "the same, factored again in every solve: cuPentBatchRewrite",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .vectors = 5 + 5 + 2,  /* and the matrix */
    .fits = thomas_fits,
    .create = rewrite_create,
    .factor = rewrite_factor,
    .solve = rewrite_solve,
    .destroy = thomas_destroy,
    .cost = rewrite_cost,
};
