#include "linalg/host_factor_cuda.h"

#include <string.h>

#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"

/* Entries of one system lie ld apart. */
static enum sw_status download(const struct sw_band *s, const double *band, double *diagonals)
{
    size_t rows = (size_t)(s->desc.lower + s->desc.upper + 1) * (size_t)s->desc.n, size = sizeof *band;
    CU_TRY(cudaMemcpy2DAsync(diagonals, size, band, (size_t)s->desc.ld * size, size, rows, cudaMemcpyDeviceToHost,
                             s->device->compute));
    return sw_device_wait(s->device);
}

static void prepare(struct sw_host_factor *f)
{
    size_t n = (size_t)f->A.n;
    struct sw_thomas_factors y = {f->factor, f->factor + n, f->factor + 2 * n, f->factor + 3 * n, f->factor + 4 * n, 1};
    struct sw_border c = {{0}, {0}};
    f->bad = sw_thomas_prepare(&f->A, &y, &c, f->Z, f->Z + n);
    memcpy(f->border, c.S, sizeof c.S);
    memcpy(f->border + 4, c.h, sizeof c.h);
}

enum sw_status sw_host_factor_create(const struct sw_band *s, const double *band, struct sw_host_factor *f)
{
    const struct sw_band_desc *d = &s->desc;
    size_t n = (size_t)d->n;
    *f = (struct sw_host_factor){.A = {.stride = 1, .n = d->n, .p = sw_band_border(d)}};
    SW_TRY(sw_alloc((size_t)(d->lower + d->upper + 1) * n, &f->diagonals));
    SW_TRY(sw_alloc(5 * n, &f->factor));
    SW_TRY(sw_alloc(2 * n, &f->Z));
    SW_TRY(download(s, band, f->diagonals));
    for (int off = -d->lower; off <= d->upper; off++)
        f->A.diagonal[off + 2] = f->diagonals + (size_t)(off + d->lower) * n;
    prepare(f);
    return SW_OK;
}

void sw_host_factor_destroy(struct sw_host_factor *f)
{
    sw_free(f->diagonals);
    sw_free(f->factor);
    sw_free(f->Z);
    *f = (struct sw_host_factor){0};
}
