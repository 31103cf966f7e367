/* One factor for all systems of a batch, where their matrices are equal: interleaved, one thread a system, the factors
 * from the cache (cuda/band/band_shared.cu). What users of cuPentBatch or of the library would write for one matrix,
 * and so the strongest of the baselines that go through memory in each step. Factored on the host. */
#include <math.h>

#include "linalg/host_factor_cuda.h"
#include "linalg/sw_band_impl.h"
#include "cuda/band/band_kernels.h"

struct shared {
    struct sw_cuda_thomas d;   /* factor [5][n], Z [2][n], border [10] on the device; bad is not used */
    int *bad;                  /* [batch] on the host, all the same                                    */
};

static bool shared_fits(const struct sw_band_desc *desc)
{
    return desc->n >= 3 && desc->uniform && sw_band_narrow(desc);
}

static enum sw_status shared_create(struct sw_band *s)
{
    const struct sw_band_desc *d = &s->desc;
    struct shared *h = s->own;
    size_t n = (size_t)d->n;
    h->d = (struct sw_cuda_thomas){.n = d->n, .p = sw_band_border(d), .batch = d->batch, .ld = d->ld, .border_ld = 1};
    sw_array(&s->arrays, (size_t)d->batch, &h->bad);
    sw_array_device(&s->arrays, 5 * n, &h->d.factor);
    if (h->d.p) sw_array_device(&s->arrays, 2 * n, &h->d.Z);
    if (h->d.p) sw_array_device(&s->arrays, 10, &h->d.border);
    return s->arrays.status;
}

/* A singular matrix makes all solutions NaN. */
static enum sw_status put(struct sw_band *s, struct shared *h, struct sw_host_factor *host)
{
    size_t n = (size_t)s->desc.n;
    for (int j = 0; j < s->desc.batch; j++) h->bad[j] = host->bad;
    for (size_t i = 0; host->bad && i < 5 * n; i++) host->factor[i] = NAN;
    SW_TRY(sw_device_upload(s->device, h->d.factor, host->factor, 5 * n * sizeof *host->factor));
    if (!h->d.p) return SW_OK;
    SW_TRY(sw_device_upload(s->device, h->d.Z, host->Z, 2 * n * sizeof *host->Z));
    return sw_device_upload(s->device, h->d.border, host->border, sizeof host->border);
}

static enum sw_status shared_factor(struct sw_band *s, const double *band, int *bad)
{
    struct shared *h = s->own;
    struct sw_host_factor host = {0};
    enum sw_status st = sw_host_factor_create(s, band, &host);
    if (!st) st = put(s, h, &host);
    sw_host_factor_destroy(&host);
    return st ? st : sw_band_report(s, h->bad, bad);
}

static enum sw_status shared_solve(const struct sw_band *s, double *x)
{
    const struct shared *h = s->own;
    return sw_cuda_shared_solve(s->device->compute, &h->d, x);
}

/* As counted in cuda/band/band_shared.cu and cuda/band/band_correct.cu. */
static struct sw_cost shared_cost(const struct sw_band_desc *desc)
{
    return desc->periodic ? (struct sw_cost){32 + 16, 5 + 2} : (struct sw_cost){32, 5};
}

extern const struct sw_band_ops band_shared_cuda;
const struct sw_band_ops band_shared_cuda = {
    .name = "cuda.thomas_shared",
    .about = "one factor for a whole batch, whose matrices must all be equal: a baseline",
    .space = SW_DEVICE,
    .layout = SW_INTERLEAVED,
    .vectors = 1,  /* seven numbers for each of n, whatever the batch: less than a vector from 8 systems on */
    .own_size = sizeof(struct shared),
    .fits = shared_fits,
    .create = shared_create,
    .factor = shared_factor,
    .solve = shared_solve,
    .cost = shared_cost,
};
