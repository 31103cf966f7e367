/* The kernel of cuda.fused for a field: its text, compiled. */
#include <cuda_runtime_api.h>

#include "cu_check.cuh"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"

static const struct fd_source source = {
    {"fd/fd_fused_point.h"},
    {"fd_ring_rtc.cuh", "fd_tile_rtc.cuh", "fd_fused_rtc.cuh", "fd_fused_one_rtc.cuh"},
    "fused_k",
};

const struct sw_fd_fused_memory sw_fd_fused_memory_sm_80 = {164 * 1024, 1024, 163 * 1024, 40 << 20};

enum sw_status sw_fd_fused_memory_of(const struct sw_device *device, struct sw_fd_fused_memory *m)
{
    CU_TRY(cudaDeviceGetAttribute(&m->all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device->index));
    CU_TRY(cudaDeviceGetAttribute(&m->each, cudaDevAttrReservedSharedMemoryPerBlock, device->index));
    CU_TRY(cudaDeviceGetAttribute(&m->most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->index));
    CU_TRY(cudaDeviceGetAttribute(&m->cache, cudaDevAttrL2CacheSize, device->index));
    return SW_OK;
}

/* ------------------------------------------------------------------ text */

/* The fewer, the more registers has each; a line between walls takes some 140, and a few classes are enough. */
static int most_threads(int threads, bool periodic)
{
    return threads <= 384 && !periodic ? 384 : threads <= 512 ? 512 : 1024;
}

void sw_fd_fused_text_ring(const struct sw_fd_fused_shape *shape, int threads, bool walls, bool single,
                           struct sw_text *text)
{
    sw_text_printf(text, "typedef %s word_t;\n", single ? "float" : "double");
    sw_text_printf(text, "enum { STAGES = %d, MOST_THREADS = %d };\n", shape->stages,
                   most_threads(threads * shape->blocks, !walls));
}

/* Of short lines the lengths of segments are told roughly, so that few texts differ. */
void sw_fd_fused_text_axis(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, int keep, bool stream,
                           struct sw_text *text)
{
    const struct sw_fd_line *line = &fd->line;
    const struct sw_fd_fused *d = &own->d;
    const bool along_x = sw_fd_fused_along_x(fd);
    const int most = own->shape.most;
    const int least = d->n >= 64 ? d->points : d->points >= most - 2 ? most - 2 : 0;
    sw_text_printf(text, "enum { ALONG_X = %d, WALLS = %d, SECOND = %d, HALF = %d, CENTRE = %d, ADD = %d,\n",
                   along_x, !line->periodic, line->kind == SW_FD_SECOND, sw_fd_half(line->kind),
                   line->centre != 0, fd->desc.add);
    sw_text_printf(text, "       REACH = %d, K = %d, FACTORS = %d, FAR_0 = %d, FAR_1 = %d, M = %d, LEAST = %d,\n",
                   line->reach, sw_fd_fused_rows(line), sw_fd_fused_factors(line), least ? d->reach[0] : 0,
                   least ? d->reach[1] : 0, most, least);
    sw_text_printf(text, "       SIDE = %d, CHUNKED = %d, APART = %d, KEEP = %d, STREAM = %d, SPACED = %d };\n",
                   along_x ? 1 : own->shape.side, d->chunks > 1, own->shape.apart, keep, stream, d->gap > 0);
}

static void add_shape(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, struct sw_text *text)
{
    sw_fd_fused_text_ring(&own->shape, own->threads, !fd->line.periodic, fd->desc.single, text);
    sw_fd_fused_text_axis(fd, own, 0, false, text);
}

/* ------------------------------------------------------------------ all of it */

static void set_grid(const struct sw_device *device, struct sw_fd_fused_kernel *own)
{
    const int room = device->processors * own->shape.blocks;
    const unsigned most = room ? (unsigned)room : 1;
    own->grid = (int)(own->tiles < most ? own->tiles : most);
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
    const struct sw_fd_fused_memory m = sw_fd_fused_memory_sm_80;
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
