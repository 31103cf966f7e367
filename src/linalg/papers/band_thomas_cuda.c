/* cuPentBatch on the GPU: the method of band_thomas_cpu.c, interleaved, one thread a system (cuda/band/band_thomas.cu).
 * Two rows: cuda.thomas factors once and solves many times; cuda.thomas_rewrite stores the matrix and factors it in
 * every solve, as a program whose matrix changes from step to step must (the paper's cuPentBatchConstant and
 * cuPentBatchRewrite). Both reuse Navon's closure from the set-up, as the paper does (end of II.3). Where all matrices
 * of a batch are equal, the border and the matrix to factor again are one for all; each system has its own
 * factors. */
#include "cuda/cu_check.cuh"
#include "linalg/host_factor_cuda.h"
#include "linalg/sw_band_impl.h"
#include "cuda/band/band_kernels.h"

struct thomas {
    struct sw_cuda_thomas d;   /* the arrays on the device                               */
    double *band;              /* rewrite: the matrix, [lower+upper+1][n][band_ld]       */
    int     band_ld;           /* ld, or 1: one for all systems                          */
    int    *bad;               /* [batch] on the host                                    */
};

static bool thomas_fits(const struct sw_band_desc *desc) { return desc->n >= 3 && sw_band_narrow(desc); }

static enum sw_status thomas_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct thomas *t = s->own;
    t->d.p = sw_band_border(d);
    t->d.n = d->n;
    t->d.batch = d->batch;
    t->d.ld = d->ld;
    t->d.border_ld = d->uniform ? 1 : d->ld;
    sw_array(&s->arrays, (size_t)d->batch, &t->bad);
    sw_array_device(&s->arrays, (size_t)d->batch, &t->d.bad);
    sw_array_device(&s->arrays, 5 * sw_band_vector(s), &t->d.factor);
    if (!t->d.p) return s->arrays.status;
    sw_array_device(&s->arrays, 2 * (size_t)d->n * (size_t)t->d.border_ld, &t->d.Z);
    sw_array_device(&s->arrays, 10 * (size_t)t->d.border_ld, &t->d.border);
    return s->arrays.status;
}

static enum sw_status rewrite_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    SW_TRY(thomas_create(s));
    struct thomas *t = s->own;
    t->band_ld = d->uniform ? 1 : d->ld;
    sw_array_device(&s->arrays, (size_t)(d->lower + d->upper + 1) * (size_t)d->n * (size_t)t->band_ld, &t->band);
    return s->arrays.status;
}

static enum sw_status factor_each(struct sw_band *s, struct thomas *t, const double *band)
{
    const struct sw_thomas_matrix A = sw_band_matrix(s, band, 0);
    SW_TRY(sw_cuda_thomas_factor(s->device->compute, &t->d, A.diagonal, s->desc.ld, false));
    if (!s->desc.uniform) SW_TRY(sw_cuda_thomas_factor_border(s->device->compute, &t->d, A.diagonal));
    return sw_device_download(s->device, t->bad, t->d.bad, (size_t)s->desc.batch * sizeof *t->bad);
}

/* One border for all; what is wrong with the first system is wrong with all. */
static enum sw_status upload_shared_border(struct sw_band *s, struct thomas *t, const struct sw_host_factor *host)
{
    size_t batch = (size_t)s->desc.batch, n = (size_t)s->desc.n;
    for (size_t j = 0; j < batch; j++) t->bad[j] = host->bad;
    SW_TRY(sw_device_upload(s->device, t->d.bad, t->bad, batch * sizeof *t->bad));
    if (!t->d.p) return SW_OK;
    SW_TRY(sw_device_upload(s->device, t->d.Z, host->Z, 2 * n * sizeof *host->Z));
    return sw_device_upload(s->device, t->d.border, host->border, sizeof host->border);
}

static enum sw_status upload_shared(struct sw_band *s, struct thomas *t, const struct sw_host_factor *host)
{
    size_t entries = (size_t)(s->desc.lower + s->desc.upper + 1) * (size_t)s->desc.n;
    SW_TRY(upload_shared_border(s, t, host));
    return t->band ? sw_device_upload(s->device, t->band, host->diagonals, entries * sizeof *t->band) : SW_OK;
}

static enum sw_status thomas_factor(struct sw_band *s, const double *band, int *bad)
{
    struct thomas *t = s->own;
    struct sw_host_factor host = {0};
    enum sw_status st = SW_OK;
    SW_TRY(factor_each(s, t, band));
    if (s->desc.uniform) {
        st = sw_host_factor_create(s, band, &host);
        if (!st) st = upload_shared(s, t, &host);
        sw_host_factor_destroy(&host);
    }
    return st ? st : sw_band_report(s, t->bad, bad);
}

static enum sw_status rewrite_factor(struct sw_band *s, const double *band, int *bad)
{
    struct thomas *t = s->own;
    size_t bytes = (size_t)(s->desc.lower + s->desc.upper + 1) * sw_band_vector(s) * sizeof *band;
    if (!s->desc.uniform)
        CU_TRY(cudaMemcpyAsync(t->band, band, bytes, cudaMemcpyDeviceToDevice, s->device->compute));
    return thomas_factor(s, band, bad);
}

static enum sw_status thomas_solve(const struct sw_band *s, double *x)
{
    const struct thomas *t = s->own;
    return sw_cuda_thomas_solve(s->device->compute, &t->d, x);
}

/* The diagonals of t->band. */
static void diagonals_of(const struct sw_band *s, const struct thomas *t, const double *diagonal[5])
{
    size_t vector = (size_t)s->desc.n * (size_t)t->band_ld;
    for (int off = -2; off <= 2; off++) {
        bool there = off >= -s->desc.lower && off <= s->desc.upper;
        diagonal[off + 2] = there ? t->band + (size_t)(off + s->desc.lower) * vector : NULL;
    }
}

static enum sw_status rewrite_solve(const struct sw_band *s, double *x)
{
    const struct thomas *t = s->own;
    const double *diagonal[5];
    diagonals_of(s, t, diagonal);
    SW_TRY(sw_cuda_thomas_factor(s->device->compute, &t->d, diagonal, t->band_ld, true));
    return sw_cuda_thomas_solve(s->device->compute, &t->d, x);
}

/* Of E^-1 and the correction by Z, as counted in cuda/band/band_thomas.cu and cuda/band/band_correct.cu.
 * Multiplications and additions are contracted as nvcc does: 3 + 2 operations, and 2. */
static struct sw_cost thomas_cost(const struct sw_band_desc *desc)
{
    double Z = desc->uniform ? 0 : 16;
    return desc->periodic ? (struct sw_cost){72 + 16 + Z, 5 + 2} : (struct sw_cost){72, 5};
}

/* And the factors again: 40 bytes written, 40 read unless all systems have the same matrix, 9 operations (a division
 * counts as one). The paper's program writes the matrix, 40 bytes, and factors it in place, 40 read and 32 written. */
static struct sw_cost rewrite_cost(const struct sw_band_desc *desc)
{
    struct sw_cost solve = thomas_cost(desc);
    return (struct sw_cost){solve.bytes + 40 + (desc->uniform ? 0 : 40), solve.fma + 9};
}

extern const struct sw_band_ops band_thomas_cuda, band_thomas_rewrite_cuda;
const struct sw_band_ops band_thomas_cuda = {
    .name = "cuda.thomas",
    .about = "cuPentBatch: interleaved, one thread a system, factored once",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .vectors = 5 + 2,  /* five factors, two columns of Z */
    .own_size = sizeof(struct thomas),
    .fits = thomas_fits,
    .create = thomas_create,
    .factor = thomas_factor,
    .solve = thomas_solve,
    .cost = thomas_cost,
};
const struct sw_band_ops band_thomas_rewrite_cuda = {
    .name = "cuda.thomas_rewrite",
    .about = "the same, factored again in every solve: cuPentBatchRewrite",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .vectors = 5 + 5 + 2,  /* and the matrix */
    .own_size = sizeof(struct thomas),
    .fits = thomas_fits,
    .create = rewrite_create,
    .factor = rewrite_factor,
    .solve = rewrite_solve,
    .cost = rewrite_cost,
};
