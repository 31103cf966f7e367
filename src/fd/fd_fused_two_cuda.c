/* cuda.fused along two axes of a field at once (cuda/fd_fused_two_rtc.cuh): for gradients. */
#include <math.h>

#include "base/sw_embed.h"
#include "base/sw_mem.h"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"

_Static_assert(sizeof(struct sw_fd_fused_two) <= 4096 - 4 * sizeof(void *), "kernels take 4 KiB of arguments");

static const struct fd_source source = {{"fd/fd_fused_point.h"}, {"fd_fused_two_rtc.cuh"}, "fused_two_k"};

/* ------------------------------------------------------------------ shape */

struct parts { struct sw_fd_fused_kernel first, second; };

static int larger(int a, int b) { return a > b ? a : b; }

static size_t larger_size(size_t a, size_t b) { return a > b ? a : b; }

/* Points of f that the second axis' tiles read before they read others. */
static double plane_of(const struct sw_fd *second) { return (double)second->stride * (double)second->line.n; }

/* Both share the ring and the threads of a block. */
static enum sw_status fit(const struct sw_fd *first, const struct sw_fd *second, const struct sw_fd_fused_memory *m,
                          struct parts *p, struct sw_fd_joined *own)
{
    const int stages = own->shape.second.stages, blocks = own->shape.second.blocks;
    p->first.shape = own->shape.first;
    p->second.shape = own->shape.second;
    SW_TRY(sw_fd_fused_cut(first, &p->first));
    SW_TRY(sw_fd_fused_cut(second, &p->second));
    own->threads = larger(p->first.threads, p->second.threads);
    own->d.room = larger(p->first.room, p->second.room);
    own->shared = (size_t)(stages + p->first.shape.apart) * (size_t)own->d.room * (first->desc.single ? 4 : 8) +
                  larger_size(sw_fd_fused_numbers(first, &p->first, own->threads),
                              sw_fd_fused_numbers(second, &p->second, own->threads));
    own->d.first = p->first.d;
    own->d.second = p->second.d;
    own->d.tiles[0] = p->first.tiles;
    own->d.tiles[1] = p->second.tiles;
    own->d.lead = (unsigned)fmin(p->first.tiles, ceil(own->shape.lead * plane_of(second) / (double)first->outer /
                                                      (double)first->line.n * p->first.tiles));
    if (sw_fd_fused_has_room(m, blocks, own->threads, own->shared)) return SW_OK;
    return sw_fd_fused_too_much(blocks, own->threads, own->shared);
}

/* The second as it is best by itself, but with a tile each for more blocks: those along the first wait at more barriers
 * (measured by tests/bench_fd.c). Of the first as many lines as keep its threads busy. A plane, and what is on its
 * way meanwhile, is to find room in the cache, half of which may be far from a multiprocessor. */
enum sw_status sw_fd_fused_two_best(const struct sw_fd *first, const struct sw_fd *second,
                                    const struct sw_fd_fused_memory *m, struct sw_fd_fused_two_shape *shape)
{
    struct sw_fd_joined own = {.shape = {.lead = 1, .hints = SW_FD_HINTS_NONE}};
    struct parts p = {.first = {.shape = {.side = 1, .held = 128, .spaced = 1}}};
    const int word = first->desc.single ? 4 : 8;
    SW_TRY(sw_fd_fused_best(second, m, &own.shape.second));
    p.second.shape = own.shape.second;
    SW_TRY(sw_fd_fused_cut(second, &p.second));
    SW_TRY(sw_fd_fused_cut(first, &p.first));
    own.shape.second.blocks *= own.shape.second.stages;
    own.shape.second.stages = 1;
    own.shape.first = p.first.shape;
    own.shape.first.side = larger(1, p.second.threads / p.first.d.held);
    if (first->line.n % 2 && own.shape.first.side % 2) own.shape.first.side++;  /* tiles begin with an even index */
    own.shape.first.most = own.shape.second.most = 0;
    if (4 * plane_of(second) * word > m->cache)
        return SW_FAIL(SW_E_ABSENT, "cuda.fused: a plane of %.0f points is too large for the cache", plane_of(second));
    for (; fit(first, second, m, &p, &own); own.shape.second.blocks--)
        if (own.shape.second.blocks == 1)
            return SW_FAIL(SW_E_ABSENT, "cuda.fused: tiles along two axes do not fit together");
    *shape = own.shape;
    return SW_OK;
}

/* ------------------------------------------------------------------ the kernel */

static void add_axis(const char *name, const struct sw_fd *fd, const struct sw_fd_fused_kernel *part, int keep,
                     bool stream, struct sw_text *text)
{
    sw_text_printf(text, "namespace %s {\n", name);
    sw_fd_fused_text_axis(fd, part, keep, stream, text);
    sw_embedded_add("fd_tile_rtc.cuh", text);
    sw_embedded_add("fd_fused_rtc.cuh", text);
    sw_text_add(text, "}\n");
}

static void add_text(const struct sw_fd *first, const struct sw_fd *second, const struct parts *p,
                     const struct sw_fd_joined *own, struct sw_text *text)
{
    const enum sw_fd_fused_hints hints = own->shape.hints;
    sw_fd_fused_text_ring(&own->shape.second, own->threads, !first->line.periodic || !second->line.periodic,
                          first->desc.single, text);
    sw_embedded_add("fd_ring_rtc.cuh", text);
    add_axis("first", first, &p->first, hints == SW_FD_HINTS_ALL ? 1 : 0, hints != SW_FD_HINTS_NONE, text);
    add_axis("second", second, &p->second, hints == SW_FD_HINTS_ALL ? 2 : 0, hints != SW_FD_HINTS_NONE, text);
}

static void unmake(struct sw_fd_joined *own)
{
    fd_kernel_free(own->device, &own->kernel);
    sw_device_free(own->device, own->next);
    own->next = NULL;
}

enum sw_status sw_fd_fused_two_make(const struct sw_fd *first, const struct sw_fd *second,
                                    const struct sw_fd_fused_two_shape *shape, struct sw_fd_joined *own)
{
    struct parts p = {.first = {.d = {0}}};
    struct sw_fd_fused_memory m;
    struct sw_text text = {0};
    unmake(own);
    own->shape = *shape;
    SW_TRY(sw_fd_fused_memory_of(own->device, &m));
    SW_TRY(fit(first, second, &m, &p, own));
    SW_TRY(sw_device_alloc(own->device, 1, &own->next));
    const unsigned room = (unsigned)(own->device->processors * shape->second.blocks);
    const unsigned tiles = own->d.tiles[0] + own->d.tiles[1];
    own->grid = (int)(tiles < room ? tiles : room);
    add_text(first, second, &p, own, &text);
    return fd_kernel_make(own->device, &source, &text, &own->kernel);
}

enum sw_status sw_fd_fused_two_try(const struct sw_fd *first, const struct sw_fd *second, int sm)
{
    const struct sw_fd_fused_memory m = sw_fd_fused_memory_sm_80;
    struct parts p = {.first = {.d = {0}}};
    struct sw_fd_joined own = {.threads = 0};
    struct sw_text text = {0};
    SW_TRY(sw_fd_fused_two_best(first, second, &m, &own.shape));
    SW_TRY(fit(first, second, &m, &p, &own));
    add_text(first, second, &p, &own, &text);
    return fd_kernel_try(&source, &text, sm);
}

/* ------------------------------------------------------------------ the row's part in gradients */

enum sw_status sw_fd_fused_join(const struct sw_fd *first, const struct sw_fd *second, struct sw_fd_joined **joined)
{
    struct sw_fd_fused_two_shape shape;
    struct sw_fd_fused_memory m;
    struct sw_fd_joined *own = NULL;
    *joined = NULL;
    SW_TRY(sw_fd_fused_memory_of(first->device, &m));
    enum sw_status st = sw_fd_fused_two_best(first, second, &m, &shape);
    if (st) return st == SW_E_ABSENT || st == SW_E_ARG ? SW_OK : st;
    SW_TRY(sw_alloc(1, &own));
    own->device = first->device;
    st = sw_fd_fused_two_make(first, second, &shape, own);
    if (st) sw_fd_fused_part(&own);
    *joined = own;
    return st;
}

enum sw_status sw_fd_fused_apply_joined(const struct sw_fd_joined *j, const void *f, void *out_1, void *out_2)
{
    struct sw_fd_fused_two d = j->d;
    unsigned *next = j->next;
    void *args[] = {&d, &f, &out_1, &out_2, &next};
    return sw_kernel_launch(j->device, j->kernel.kernel, j->grid, 1, j->threads, j->shared, args);
}

void sw_fd_fused_part(struct sw_fd_joined **joined)
{
    if (!joined || !*joined) return;
    unmake(*joined);
    sw_free(*joined);
    *joined = NULL;
}
