/* Compact differences on the GPU in one pass (cuda/fd_fused_rtc.cuh): right-hand side and solve with the points of a
 * line in the registers of a group of threads. */
#include "base/sw_mem.h"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int64_t points = desc->n[0] * desc->n[1] * desc->n[2];
    return sw_fd_fused_fits(line) && (desc->fields == 0 || points / line->n < INT32_MAX / desc->fields);
}

static enum sw_status create(struct sw_fd *fd)
{
    struct sw_fd_fused_kernel *own = NULL;
    struct sw_fd_fused_shape shape;
    struct sw_fd_fused_memory m;
    SW_TRY(sw_fd_fused_memory_of(fd->device, &m));
    SW_TRY(sw_fd_fused_best(fd, &m, &shape));
    SW_TRY(sw_alloc(1, &own));
    fd->own = own;
    return sw_fd_fused_make(fd, &shape, own);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    struct sw_fd_fused_kernel *own = fd->own;
    void *args[] = {&own->d, &f, &out, &own->room, &own->tiles, &own->next}, *kernel = own->kernel.kernel;
    return sw_kernel_launch(fd->device, kernel, own->grid, 1, own->threads, own->shared, args);
}

static enum sw_status try_compile(const struct sw_fd_desc *desc, const struct sw_fd_line *line, int sm)
{
    struct sw_fd fd = {.desc = *desc, .line = *line, .stride = 1, .outer = (size_t)desc->fields};
    for (int k = 0; k < desc->axis; k++) fd.stride *= (size_t)desc->n[k];
    for (int k = desc->axis + 1; k < 3; k++) fd.outer *= (size_t)desc->n[k];
    return sw_fd_fused_try(&fd, sm);
}

static void destroy(struct sw_fd *fd)
{
    if (fd->own) sw_fd_fused_unmake(fd, fd->own);
    sw_free(fd->own);
}

/* f is read and the result written once; where it is added to, that is read as well. The term of f itself, then a pair
 * takes 2 operations (second derivatives: 4); a factor 2 for its recursions and 2 for the states around a segment. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const bool second = line->kind == SW_FD_SECOND;
    return (struct sw_cost){(desc->add ? 3 : 2) * (desc->single ? 4 : 8),
                            (line->centre != 0) + (second ? 4 : 2) * line->reach + (line->beta != 0 ? 8 : 4)};
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
    .try_compile = try_compile,
    .join = sw_fd_fused_join,
    .apply_joined = sw_fd_fused_apply_joined,
    .part = sw_fd_fused_part,
    .cost = cost,
};
