/* Compact differences on the GPU in one pass (cuda/fd_fused.cuh): right-hand side and solve with the points of a line in
 * the registers of a group of threads. */
#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int64_t points = desc->n[0] * desc->n[1] * desc->n[2];
    return sw_fd_fused_fits(line) && (desc->fields == 0 || points / line->n < INT32_MAX / desc->fields);
}

static enum sw_status create(struct sw_fd *fd)
{
    struct sw_cuda_fd *d = NULL;
    SW_TRY(sw_alloc(1, &d));
    fd->own = d;
    SW_TRY(sw_fd_fused_line(&fd->line, d));
    d->single = fd->desc.single;
    d->add = fd->desc.add;
    d->stride = fd->stride;
    d->all = fd->outer * fd->stride;
    sw_fd_fused_shape(d);
    return SW_OK;
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    const struct sw_cuda_fd *d = fd->own;
    CU_TRY(cudaSetDevice(fd->device->index));
    return d->stride == 1 ? sw_cuda_fd_lines(fd->device->compute, d, f, out)
                          : sw_cuda_fd_columns(fd->device->compute, d, f, out);
}

static void destroy(struct sw_fd *fd) { sw_free(fd->own); }

/* f is read and the result written once; where it is added to, that is read as well. The term of f itself, then a pair
 * takes 2 operations (second derivatives: 4); a factor 2 for its recursions and 2 for the states around a segment. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const bool second = line->kind == SW_FD_SECOND;
    return (struct sw_cost){(desc->add ? 3 : 2) * (desc->single ? 4 : 8),
                            (second ? 0 : 1) + (second ? 4 : 2) * line->reach + (line->beta != 0 ? 8 : 4)};
}

extern const struct sw_fd_ops fd_fused_cuda;
const struct sw_fd_ops fd_fused_cuda = {
    .name = "cuda.fused",
    .about = "stencil and solve in one pass, a line in the registers of a group of threads",
    .space = SW_DEVICE,
    .adds = true,
    .fits = fits,
    .create = create,
    .apply = apply,
    .destroy = destroy,
    .cost = cost,
};
