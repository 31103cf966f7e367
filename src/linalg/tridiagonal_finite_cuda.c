#include "linalg/tridiagonal_finite_cuda.h"

#include "sw_cuda.h"

enum sw_status tridiagonal_finite_cuda(const struct sw_tridiagonal *solver, const double *x, bool *room, bool *finite)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    SW_TRY(sw_device_use(solver->device));
    SW_TRY(sw_cuda_tridiagonal_finite(solver->device->compute, d->n, d->batch, x, room));
    return sw_device_download(solver->device, finite, room, (size_t)d->batch * sizeof *room);
}
