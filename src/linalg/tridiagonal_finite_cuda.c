#include "linalg/tridiagonal_finite_cuda.h"

#include "cuda/cu_check.cuh"
#include "cuda/tridiagonal/tridiagonal_kernels.h"

static enum sw_status begin(const struct sw_tridiagonal *s, bool *room)
{
    CU_TRY(cudaMemsetAsync(room, true, (size_t)s->desc.batch, s->device->compute));
    return SW_OK;
}

/* but: a row that is not looked at; -1: all are. */
static enum sw_status look_at(const struct sw_tridiagonal *s, const double *v, int64_t but, bool *room)
{
    return sw_cuda_tridiagonal_finite(s->device->compute, s->desc.n, s->desc.batch, v, but, room);
}

static enum sw_status end(const struct sw_tridiagonal *s, const bool *room, bool *finite)
{
    return sw_device_download(s->device, finite, room, (size_t)s->desc.batch * sizeof *room);
}

enum sw_status tridiagonal_finite_cuda(const struct sw_tridiagonal *solver, const double *x, bool *room, bool *finite)
{
    SW_TRY(begin(solver, room));
    SW_TRY(look_at(solver, x, -1, room));
    return end(solver, room, finite);
}

enum sw_status tridiagonal_rows_finite_cuda(const struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows,
                                            const double *x, bool *room, bool *finite)
{
    const struct sw_tridiagonal_desc *d = &solver->desc;
    SW_TRY(begin(solver, room));
    SW_TRY(look_at(solver, x, -1, room));
    SW_TRY(look_at(solver, rows->lower, d->cyclic ? -1 : 0, room));
    SW_TRY(look_at(solver, rows->main, -1, room));
    SW_TRY(look_at(solver, rows->upper, d->cyclic ? -1 : d->n - 1, room));
    SW_TRY(look_at(solver, rows->rhs, -1, room));
    return end(solver, room, finite);
}
