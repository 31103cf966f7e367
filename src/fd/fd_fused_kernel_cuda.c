/* The kernel of cuda.fused for a field: its text, compiled. */
#include <cuda_runtime_api.h>

#include "cu_check.cuh"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"

static const struct fd_source source = {{"fd/fd_fused_point.h"}, {"fd_tile_rtc.cuh", "fd_fused_rtc.cuh"}, "fused_k"};

enum sw_status sw_fd_fused_memory_of(const struct sw_device *device, struct sw_fd_fused_memory *m)
{
    CU_TRY(cudaDeviceGetAttribute(&m->all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device->index));
    CU_TRY(cudaDeviceGetAttribute(&m->each, cudaDevAttrReservedSharedMemoryPerBlock, device->index));
    CU_TRY(cudaDeviceGetAttribute(&m->most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->index));
    return SW_OK;
}

/* ------------------------------------------------------------------ text */

/* The fewer, the more registers has each; a line between walls takes some 140, and a few classes are enough. */
static int most_threads(int threads, bool periodic)
{
    return threads <= 384 && !periodic ? 384 : threads <= 512 ? 512 : 1024;
}

/* Lengths of segments are told only where they are the usual ones, so that few texts differ. */
static void add_shape(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, struct sw_text *text)
{
    const struct sw_fd_line *line = &fd->line;
    const struct sw_fd_fused *d = &own->d;
    const int most = own->shape.most, exact = !sw_fd_fused_along_x(fd) && !d->longer && d->points == 32;
    const int least = exact ? most : d->points >= most - 2 ? most - 2 : 0;
    sw_text_printf(text, "#define TEAM %d\n", own->shape.team ? own->shape.team : 1);
    sw_text_printf(text, "typedef %s word_t;\n", fd->desc.single ? "float" : "double");
    sw_text_printf(text, "enum { ALONG_X = %d, WALLS = %d, SECOND = %d, HALF = %d, CENTRE = %d, ADD = %d,\n",
                   sw_fd_fused_along_x(fd), !line->periodic, line->kind == SW_FD_SECOND, sw_fd_half(line->kind),
                   line->centre != 0, fd->desc.add);
    sw_text_printf(text, "       REACH = %d, K = %d, FACTORS = %d, FAR_0 = %d, FAR_1 = %d, M = %d, LEAST = %d,\n",
                   line->reach, sw_fd_fused_rows(line), sw_fd_fused_factors(line), least ? d->factor[0].reach : 0,
                   least ? d->factor[1].reach : 0, most, least);
    sw_text_printf(text, "       SIDE = %d, CHUNKED = %d, MOST_THREADS = %d, STAGES = %d };\n",
                   sw_fd_fused_along_x(fd) ? 1 : own->shape.side, d->chunks > 1,
                   most_threads(own->threads * own->shape.blocks, line->periodic), own->shape.stages);
}

/* ------------------------------------------------------------------ all of it */

static void set_grid(const struct sw_device *device, struct sw_fd_fused_kernel *own)
{
    const int team = own->shape.team ? own->shape.team : 1, room = device->processors * own->shape.blocks / team;
    const unsigned most = room ? (unsigned)room : 1;
    own->grid = (int)(own->tiles < most ? own->tiles : most) * team;
}

enum sw_status sw_fd_fused_make(const struct sw_fd *fd, const struct sw_fd_fused_shape *shape,
                                struct sw_fd_fused_kernel *own)
{
    struct sw_text text = {0};
    struct sw_fd_fused_memory m;
    sw_fd_fused_unmake(fd, own);
    own->shape = *shape;
    SW_TRY(sw_fd_fused_memory_of(fd->device, &m));
    SW_TRY(sw_fd_fused_fit(fd, &m, own));
    SW_TRY(sw_device_alloc(fd->device, 1, &own->next));
    set_grid(fd->device, own);
    add_shape(fd, own, &text);
    return fd_kernel_make(fd->device, &source, &text, &own->kernel);
}

enum sw_status sw_fd_fused_try(const struct sw_fd *fd, int sm)
{
    const struct sw_fd_fused_memory m = {164 * 1024, 1024, 163 * 1024};  /* of sm_80; sm_90 has more */
    struct sw_fd_fused_kernel own = {.d = {0}};
    struct sw_text text = {0};
    SW_TRY(sw_fd_fused_best(fd, &m, &own.shape));
    SW_TRY(sw_fd_fused_fit(fd, &m, &own));
    add_shape(fd, &own, &text);
    return fd_kernel_try(&source, &text, sm);
}

void sw_fd_fused_unmake(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    fd_kernel_free(fd->device, &own->kernel);
    sw_device_free(fd->device, own->next);
    own->next = NULL;
}
