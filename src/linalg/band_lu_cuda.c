/* Banded LU with partial pivoting on the GPU, the method of band_lu_cpu.c: interleaved, one thread a system
 * (cuda/band/band_lu.cu). Row `cuda.lu`. Where all matrices are equal, one factor serves all. */
#include "cuda/band/band_kernels.h"
#include "linalg/sw_band_impl.h"

struct lu {
    struct sw_cuda_lu d;   /* the arrays on the device */
    int *bad;              /* [batch] on the host      */
};

static bool lu_fits(const struct sw_band_desc *desc)
{
    (void)desc;
    return true;
}

/* As many diagonals on a side as the kernels have, at least those of the band. */
static int side_of(const struct sw_band_desc *desc)
{
    const struct sw_band_sides sides = sw_band_sides(desc);
    const int most = sides.lower > sides.upper ? sides.lower : sides.upper;
    return most <= 1 ? 1 : most <= 2 ? 2 : most <= 4 ? 4 : 8;
}

static enum sw_status lu_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    const int side = side_of(d), systems = d->uniform && d->batch ? 1 : d->batch;
    struct lu *l = s->own;
    l->d = (struct sw_cuda_lu){.n = d->n, .batch = d->batch, .ld = d->ld, .below = d->lower, .above = d->upper,
                               .periodic = d->periodic, .side = side, .systems = systems, .kept = systems};
    const size_t vector = (size_t)d->n * (size_t)systems;
    sw_array(&s->arrays, (size_t)d->batch, &l->bad);
    sw_array_device(&s->arrays, (size_t)systems, &l->d.bad);
    sw_array_device(&s->arrays, vector * (size_t)(1 + side), &l->d.lower);
    sw_array_device(&s->arrays, vector * (size_t)(1 + 2 * side), &l->d.upper);
    sw_array_device(&s->arrays, vector, &l->d.pivot);
    return s->arrays.status;
}

static enum sw_status lu_factor(struct sw_band *s, const double *band, int *bad)
{
    struct lu *l = s->own;
    SW_TRY(sw_cuda_lu_factor(s->device->compute, &l->d, band));
    SW_TRY(sw_device_download(s->device, l->bad, l->d.bad, (size_t)l->d.systems * sizeof *l->bad));
    for (int j = l->d.systems; j < s->desc.batch; j++) l->bad[j] = l->bad[0];
    return sw_band_report(s, l->bad, bad);
}

static enum sw_status lu_solve(const struct sw_band *s, double *x)
{
    const struct lu *l = s->own;
    return sw_cuda_lu_solve(s->device->compute, &l->d, x);
}

/* Scale, multipliers, U, and less than a vector of pivots. */
static int lu_vectors(const struct sw_band_desc *desc) { return 3 * side_of(desc) + 2 + 1; }

/* As counted in cuda/band/band_lu.cu; one factor for all comes from the cache. 3 side + 1 operations, contracted, and a
 * division. */
static struct sw_cost lu_cost(const struct sw_band_desc *desc)
{
    const int side = side_of(desc);
    return (struct sw_cost){32 + (desc->uniform ? 0 : 8 * (3 * side + 2) + 1), 3 * side + 2};
}

extern const struct sw_band_ops band_lu_cuda;
const struct sw_band_ops band_lu_cuda = {
    .name = "cuda.lu",
    .about = "LU with partial pivoting of scaled rows, one thread a system, periodic ones as a folded circle",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .vectors_of = lu_vectors,
    .pivots = true,
    .own_size = sizeof(struct lu),
    .fits = lu_fits,
    .create = lu_create,
    .factor = lu_factor,
    .solve = lu_solve,
    .cost = lu_cost,
};
