/* Pentadiagonal systems factored and solved in one pass over memory, without pivoting (cuda/band/band_partition.cu):
 * row `cuda.partition`. It keeps the matrix and factors it again in every solve, as cuda.thomas_rewrite does; for
 * programs whose matrix changes from step to step. Up to 2048 unknowns, whose factors stay in registers and shared
 * memory of a block or a cluster of blocks. */
#include "cuda/band/band_kernels.h"
#include "cuda/cu_check.cuh"
#include "linalg/sw_band_impl.h"

struct partition {
    struct sw_cuda_partition d;  /* its diagonals are parts of the matrix */
    double *matrix;              /* [lower+upper+1][n][A_ld]              */
    int    *bad, *d_bad;         /* [batch] on the host, on the device    */
};

static bool partition_fits(const struct sw_band_desc *desc)
{
    return desc->n >= 3 && desc->n <= SW_CUDA_PARTITION_MOST && sw_band_narrow(desc);
}

static enum sw_status partition_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct partition *p = s->own;
    p->d = (struct sw_cuda_partition){.n = d->n, .batch = d->batch, .ld = d->ld, .periodic = d->periodic,
                                      .A_ld = d->uniform ? 1 : d->ld};
    const size_t vector = (size_t)d->n * (size_t)p->d.A_ld;
    sw_array(&s->arrays, (size_t)d->batch, &p->bad);
    sw_array_device(&s->arrays, (size_t)d->batch, &p->d_bad);
    sw_array_device(&s->arrays, (size_t)(d->lower + d->upper + 1) * vector, &p->matrix);
    for (int off = -d->lower; p->matrix && off <= d->upper; off++)
        p->d.diagonal[off + 2] = p->matrix + (size_t)(off + d->lower) * vector;
    return s->arrays.status;
}

/* Of equal matrices the first. */
static enum sw_status keep_matrix(struct sw_band *s, const struct partition *p, const double *band)
{
    const size_t rows = (size_t)(s->desc.lower + s->desc.upper + 1) * (size_t)s->desc.n, size = sizeof *band;
    const size_t there = (size_t)p->d.A_ld * size, here = (size_t)s->desc.ld * size;
    CU_TRY(cudaMemcpy2DAsync(p->matrix, there, band, here, there, rows, cudaMemcpyDeviceToDevice, s->device->compute));
    return SW_OK;
}

static enum sw_status partition_factor(struct sw_band *s, const double *band, int *bad)
{
    struct partition *p = s->own;
    struct sw_cuda_partition look = p->d;
    look.bad = p->d_bad;
    SW_TRY(keep_matrix(s, p, band));
    SW_TRY(sw_cuda_partition_solve(s->device->compute, &look, NULL));
    SW_TRY(sw_device_download(s->device, p->bad, p->d_bad, (size_t)s->desc.batch * sizeof *p->bad));
    return sw_band_report(s, p->bad, bad);
}

static enum sw_status partition_solve(const struct sw_band *s, double *x)
{
    const struct partition *p = s->own;
    return sw_cuda_partition_solve(s->device->compute, &p->d, x);
}

/* As counted in cuda/band/band_partition.cu, with 16 rows a chunk; one matrix for all comes from the cache. */
static struct sw_cost partition_cost(const struct sw_band_desc *desc)
{
    const int diagonals = desc->uniform ? 0 : desc->lower + desc->upper + 1;
    return (struct sw_cost){8 * diagonals + 16, 30 + 5};
}

extern const struct sw_band_ops band_partition_cuda;
const struct sw_band_ops band_partition_cuda = {
    .name = "cuda.partition",
    .about = "a chunk of rows a thread, factored again in every solve in one pass over memory; up to 2048 unknowns",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .vectors = 5,  /* the matrix */
    .own_size = sizeof(struct partition),
    .fits = partition_fits,
    .create = partition_create,
    .factor = partition_factor,
    .solve = partition_solve,
    .cost = partition_cost,
};
