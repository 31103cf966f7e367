/* Compact differences on the GPU in one pass (cuda/fd/fd_fused_rtc.cuh): right-hand side and solve with the points of a
 * line in the registers of a group of threads. Here: the texts of the kernels, along one axis and along two axes of a
 * field at once (cuda/fd/fd_fused_two_rtc.cuh), and the row of the table. */
#include <cuda_runtime_api.h>
#include <math.h>

#include "base/sw_embed.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cuda/cu_check.cuh"
#include "fd/fd_fused_cuda.h"
#include "fd/sw_fd_impl.h"

static const struct sw_kernel_source single_source = {
    .label = FD_LABEL,
    .before = {"base/sw_hd.h", "fd/fd_fused_point.h"},
    .after = {"cuda/fd/fd_ring_rtc.cuh", "cuda/fd/fd_tile_rtc.cuh", "cuda/fd/fd_fused_rtc.cuh",
              "cuda/fd/fd_fused_one_rtc.cuh"},
    .kernel = {"fused_k"},
};

/* ------------------------------------------------------------------ text */

/* The limit that the kernel is compiled for: the fewer threads, the more registers each may have. A line between walls
 * takes some 140. Few classes of limits mean few kernels. */
static int thread_limit(int threads, bool periodic)
{
    return threads <= 384 && !periodic ? 384 : threads <= 512 ? 512 : 1024;
}

static void add_ring_constants(const struct sw_fd_fused_shape *shape, int threads, bool walls, bool single,
                               struct sw_text *text)
{
    sw_text_printf(text, "typedef %s real_t;\n", single ? "float" : "double");
    sw_text_printf(text, "enum { STAGES = %d, THREAD_LIMIT = %d };\n", shape->stages,
                   thread_limit(threads * shape->blocks, !walls));
}

/* Constants of an axis. For short lines LEAST is a lower bound of the lengths of segments, so that they share
 * kernels. */
static void add_axis_constants(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, int keep, bool stream,
                               struct sw_text *text)
{
    const struct sw_fd_line *line = &fd->line;
    const struct sw_fd_fused *d = &own->d;
    const bool along_x = sw_fd_fused_along_x(fd);
    const int most = own->shape.max_points;
    const int least = d->n >= 64 ? d->points : d->points >= most - 2 ? most - 2 : 0;
    const bool near = sw_fd_fused_near_wall(fd), far = sw_fd_fused_far_wall(fd), cut = fd->cut.comm;
    sw_text_printf(text, "enum { WRAPS = %d, CUT = %d, NEAR_WALL = %d, FAR_WALL = %d, WALLS = %d };\n",
                   line->periodic && !cut, cut, near, far, near || far);
    sw_text_printf(text, "enum { ALONG_X = %d, SECOND = %d, MIDPOINTS = %d, CENTRE = %d, ADD = %d,\n",
                   along_x, line->kind == SW_FD_SECOND, sw_fd_at_midpoints(line->kind),
                   line->centre != 0, fd->desc.add);
    sw_text_printf(text, "       HALF_WIDTH = %d, K = %d, FACTORS = %d, DECAY_0 = %d, DECAY_1 = %d, M = %d, "
                   "LEAST = %d,\n", line->half_width, sw_fd_fused_wall_rows(line), sw_fd_fused_factors(line),
                   least ? d->decay_segments[0] : 0, least ? d->decay_segments[1] : 0, most, least);
    sw_text_printf(text, "       TILE_LINES = %d, CHUNKED = %d, SEPARATE = %d, KEEP = %d, STREAM = %d, "
                   "PADDED = %d };\n", along_x ? 1 : own->shape.tile_lines, d->chunks > 1, own->shape.separate, keep,
                   stream, d->padding > 0);
}

static void add_constants(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, struct sw_text *text)
{
    add_ring_constants(&own->shape, own->threads, !fd->line.periodic, fd->desc.single, text);
    add_axis_constants(fd, own, 0, false, text);
}

/* ------------------------------------------------------------------ the kernel along an axis */

static void set_grid(const struct sw_device *device, struct sw_fd_fused_kernel *own)
{
    const int blocks = device->processors * own->shape.blocks;
    const unsigned resident = blocks ? (unsigned)blocks : 1;
    own->grid = (int)(own->tiles < resident ? own->tiles : resident);
}

enum sw_status sw_fd_fused_create(const struct sw_fd *fd, const struct sw_fd_fused_shape *shape,
                                  struct sw_fd_fused_kernel *own)
{
    struct sw_text text = {0};
    sw_fd_fused_destroy(fd, own);
    own->shape = *shape;
    SW_TRY(sw_fd_fused_fit(fd, &fd->device->on_chip, own));
    SW_TRY(sw_device_alloc(fd->device, 1, &own->next_tile));
    set_grid(fd->device, own);
    add_constants(fd, own, &text);
    return sw_kernels_create(fd->device, &single_source, &text, &own->kernels);
}

void sw_fd_fused_destroy(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    sw_kernels_destroy(fd->device, &own->kernels);
    sw_device_free(fd->device, own->next_tile);
    own->next_tile = NULL;
}

/* ================================================================== along two axes at once */

_Static_assert(sizeof(struct sw_fd_fused_joined) <= 4096 - 4 * sizeof(void *), "kernels take 4 KiB of arguments");

static const struct sw_kernel_source joined_source = {
    .label = FD_LABEL,
    .before = {"base/sw_hd.h", "fd/fd_fused_point.h"},
    .after = {"cuda/fd/fd_fused_two_rtc.cuh"},
    .kernel = {"fused_two_k"},
};

/* ------------------------------------------------------------------ shape */

struct parts { struct sw_fd_fused_kernel first, second; };

static int larger(int a, int b) { return a > b ? a : b; }

static size_t larger_size(size_t a, size_t b) { return a > b ? a : b; }

/* Points of a plane: what the tiles along the second axis read of f before they go on to the next plane. */
static double plane_of(const struct sw_fd *second) { return (double)second->stride * (double)second->line.n; }

/* Set the sizes of a joined kernel: tiles along both axes share the ring and the threads of a block. */
static enum sw_status fit_joined(const struct sw_fd *first, const struct sw_fd *second,
                                 const struct sw_on_chip *m, struct parts *p,
                                 struct sw_fd_fused_joined_kernel *own)
{
    const int stages = own->shape.second.stages, blocks = own->shape.second.blocks;
    p->first.shape = own->shape.first;
    p->second.shape = own->shape.second;
    SW_TRY(sw_fd_fused_partition(first, &p->first));
    SW_TRY(sw_fd_fused_partition(second, &p->second));
    own->threads = larger(p->first.threads, p->second.threads);
    own->d.tile_size = larger(p->first.tile_size, p->second.tile_size);
    own->shared = (size_t)(stages + p->first.shape.separate) * (size_t)own->d.tile_size * (first->desc.single ? 4 : 8) +
                  larger_size(sw_fd_fused_scratch_bytes(first, &p->first, own->threads),
                              sw_fd_fused_scratch_bytes(second, &p->second, own->threads));
    own->d.first = p->first.d;
    own->d.second = p->second.d;
    own->d.tiles[0] = p->first.tiles;
    own->d.tiles[1] = p->second.tiles;
    own->d.lead = (unsigned)fmin(p->first.tiles, ceil(own->shape.lead * plane_of(second) / (double)first->outer /
                                                      (double)first->line.n * p->first.tiles));
    return sw_fd_fused_check_blocks(m, blocks, own->threads, own->shared);
}

/* Along the second axis the shape that is best by itself, but with one stage and more blocks instead, as tiles along
 * the first wait at more barriers (measured by bench_fd.c). Along the first as many lines as keep the threads of
 * a block busy. A plane and the tiles in flight must fit the L2 cache, half of which may be far from a
 * multiprocessor. */
enum sw_status sw_fd_fused_joined_best(const struct sw_fd *first, const struct sw_fd *second,
                                       const struct sw_on_chip *m, struct sw_fd_fused_joined_shape *shape)
{
    struct sw_fd_fused_joined_kernel own = {.shape = {.lead = 1, .hints = SW_FD_HINTS_NONE}};
    struct parts p = {.first = {.shape = {.tile_lines = 1, .tile_segments = 128, .padded = 1}}};
    const int word = first->desc.single ? 4 : 8;
    SW_TRY(sw_fd_fused_best(second, m, &own.shape.second));
    p.second.shape = own.shape.second;
    SW_TRY(sw_fd_fused_partition(second, &p.second));
    SW_TRY(sw_fd_fused_partition(first, &p.first));
    own.shape.second.blocks *= own.shape.second.stages;
    own.shape.second.stages = 1;
    own.shape.first = p.first.shape;
    own.shape.first.tile_lines = larger(1, p.second.threads / p.first.d.tile_segments);
    if (first->line.n % 2) own.shape.first.tile_lines += own.shape.first.tile_lines % 2;  /* even start */
    own.shape.first.max_points = own.shape.second.max_points = 0;
    if (4 * plane_of(second) * word > m->l2_cache)
        return SW_FAIL(SW_E_ABSENT, "cuda.fused: a plane of %.0f points is too large for the cache", plane_of(second));
    for (; fit_joined(first, second, m, &p, &own); own.shape.second.blocks--)
        if (own.shape.second.blocks == 1)
            return SW_FAIL(SW_E_ABSENT, "cuda.fused: tiles along two axes do not fit together");
    *shape = own.shape;
    return SW_OK;
}

/* ------------------------------------------------------------------ the kernel */

static void add_axis_text(const char *name, const struct sw_fd *fd, const struct sw_fd_fused_kernel *part, int keep,
                          bool stream, struct sw_text *text)
{
    sw_text_printf(text, "namespace %s {\n", name);
    add_axis_constants(fd, part, keep, stream, text);
    sw_embedded_add("cuda/fd/fd_tile_rtc.cuh", text);
    sw_embedded_add("cuda/fd/fd_fused_rtc.cuh", text);
    sw_text_add(text, "}\n");
}

static void add_joined_text(const struct sw_fd *first, const struct sw_fd *second, const struct parts *p,
                            const struct sw_fd_fused_joined_kernel *own, struct sw_text *text)
{
    const enum sw_fd_fused_hints hints = own->shape.hints;
    add_ring_constants(&own->shape.second, own->threads, !first->line.periodic || !second->line.periodic,
                       first->desc.single, text);
    sw_embedded_add("cuda/fd/fd_ring_rtc.cuh", text);
    add_axis_text("first", first, &p->first, hints == SW_FD_HINTS_ALL ? 1 : 0, hints != SW_FD_HINTS_NONE, text);
    add_axis_text("second", second, &p->second, hints == SW_FD_HINTS_ALL ? 2 : 0, hints != SW_FD_HINTS_NONE, text);
}

static void free_joined(struct sw_fd_fused_joined_kernel *own)
{
    sw_kernels_destroy(own->device, &own->kernels);
    sw_device_free(own->device, own->next_tile);
    own->next_tile = NULL;
}

enum sw_status sw_fd_fused_joined_create(const struct sw_fd *first, const struct sw_fd *second,
                                         const struct sw_fd_fused_joined_shape *shape,
                                         struct sw_fd_fused_joined_kernel *own)
{
    struct parts p = {.first = {.d = {0}}};
    struct sw_text text = {0};
    free_joined(own);
    own->shape = *shape;
    SW_TRY(fit_joined(first, second, &own->device->on_chip, &p, own));
    SW_TRY(sw_device_alloc(own->device, 1, &own->next_tile));
    const unsigned resident = (unsigned)(own->device->processors * shape->second.blocks);
    const unsigned tiles = own->d.tiles[0] + own->d.tiles[1];
    own->grid = (int)(tiles < resident ? tiles : resident);
    add_joined_text(first, second, &p, own, &text);
    return sw_kernels_create(own->device, &joined_source, &text, &own->kernels);
}

/* ------------------------------------------------------------------ the row's joined derivatives */

static void destroy_joined(struct sw_fd_joined *joined)
{
    if (joined->own) free_joined(joined->own);
    sw_free(joined->own);
    joined->own = NULL;
}

static enum sw_status create_joined(struct sw_fd_joined *joined)
{
    struct sw_fd_fused_joined_shape shape;
    struct sw_fd_fused_joined_kernel *own = NULL;
    const enum sw_status st = sw_fd_fused_joined_best(joined->first, joined->second, &joined->first->device->on_chip,
                                                       &shape);
    if (st) return st == SW_E_ABSENT || st == SW_E_ARG ? SW_OK : st;
    SW_TRY(sw_alloc(1, &own));
    own->device = joined->first->device;
    joined->own = own;
    return sw_fd_fused_joined_create(joined->first, joined->second, &shape, own);
}

static enum sw_status apply_joined(const struct sw_fd_joined *joined, const void *f, void *out_1, void *out_2)
{
    struct sw_fd_fused_joined_kernel *own = joined->own;
    void *args[] = {&own->d, &f, &out_1, &out_2, &own->next_tile};
    return sw_kernel_launch(own->device, own->kernels.kernel[0], own->grid, 1, own->threads, own->shared, args);
}

/* ================================================================== the row */

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int64_t points = desc->n[0] * desc->n[1] * desc->n[2];
    return sw_fd_fused_fits(line) && (desc->fields == 0 || points / line->n < INT32_MAX / desc->fields);
}

static enum sw_status create(struct sw_fd *fd)
{
    struct sw_fd_fused_shape shape;
    SW_TRY(sw_fd_fused_best(fd, &fd->device->on_chip, &shape));
    return sw_fd_fused_create(fd, &shape, fd->own);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    struct sw_fd_fused_kernel *own = fd->own;
    void *args[] = {&own->d, &f, &out, &own->tile_size, &own->tiles, &own->next_tile}, *kernel = own->kernels.kernel[0];
    return sw_kernel_launch(fd->device, kernel, own->grid, 1, own->threads, own->shared, args);
}

static void destroy(struct sw_fd *fd) { sw_fd_fused_destroy(fd, fd->own); }

/* f is read and the result written once; where it is added to, that is read as well. The term of f itself, then a pair
 * takes 2 operations (second derivatives: 4); a factor 2 for its recursions and 2 for the states around a segment. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const bool second = line->kind == SW_FD_SECOND;
    return (struct sw_cost){(desc->add ? 3 : 2) * (desc->single ? 4 : 8),
                            (line->centre != 0) + (second ? 4 : 2) * line->half_width + (line->beta != 0 ? 8 : 4)};
}

extern const struct sw_fd_ops fd_fused_cuda;
const struct sw_fd_ops fd_fused_cuda = {
    .name = "cuda.fused",
    .about = "stencil and solve in one pass, a line in the registers of a group of threads",
    .space = SW_DEVICE,
    .adds = true,
    .fits = fits,
    .own_size = sizeof(struct sw_fd_fused_kernel),
    .create = create,
    .apply = apply,
    .destroy = destroy,
    .create_joined = create_joined,
    .apply_joined = apply_joined,
    .destroy_joined = destroy_joined,
    .cost = cost,
};
