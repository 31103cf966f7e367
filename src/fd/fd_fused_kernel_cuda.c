/* The kernel of cuda.fused for a field: which tiles, how many blocks; its text, compiled. */
#include <cuda_runtime_api.h>
#include <math.h>

#include "base/sw_embed.h"
#include "base/sw_mem.h"
#include "cu_check.cuh"
#include "fd/fused_cuda.h"
#include "fd/sw_fd_impl.h"

enum { FEW_THREADS = 512 };
enum { OWN_SHARED = 512 };  /* of a block, besides tiles and ends of segments: at most so many bytes */

/* ------------------------------------------------------------------ tiles */

/* Segments beyond those of a tile that are felt in it. */
static int halo_of(const struct sw_fd_fused *d) { return d->factor[0].reach + d->factor[1].reach; }

/* Lines shared by a team of blocks, each with as many segments. */
static bool share(struct sw_fd_fused *d, int team)
{
    d->chunks = team;
    d->own = d->held = d->segments / team;
    d->halo = 0;
    return d->segments % team == 0 && d->own >= d->factor[0].reach && d->own >= d->factor[1].reach;
}

/* Tiles of lines of at most `held` segments. False: they cannot be cut that short. */
static bool cut(struct sw_fd_fused *d, int held)
{
    const int halo = halo_of(d);
    d->chunks = 1;
    d->own = d->held = d->segments;
    d->halo = 0;
    if (d->segments <= held) return true;
    if (held < 2 * halo + 1) return false;
    d->chunks = (d->segments + held - 2 * halo - 1) / (held - 2 * halo);
    d->own = (d->segments + d->chunks - 1) / d->chunks;
    d->chunks = (d->segments + d->own - 1) / d->own;
    d->halo = halo;
    d->held = d->own + 2 * halo;
    return true;
}

static int factors_of(const struct sw_fd_line *line) { return line->beta != 0 ? 2 : 1; }
static int special_rows(const struct sw_fd_line *line) { return line->reach > 3 ? line->reach : 3; }

static int words_of_tile(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own)
{
    const struct sw_fd_fused *d = &own->d;
    const int points = d->chunks == 1 ? d->n : d->held * (d->points + d->step) + 2 * fd->line.reach;
    return (own->shape.side * points + 3) / 4 * 4;
}

static size_t shared_bytes(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own)
{
    size_t numbers = 2 * (size_t)factors_of(&fd->line) * (size_t)own->threads;
    if (!fd->line.periodic) numbers += (2 * (size_t)special_rows(&fd->line) + 4) * (size_t)own->shape.side;
    return (size_t)own->shape.stages * (size_t)own->room * (fd->desc.single ? 4 : 8) + numbers * 8;
}

static void set_sizes(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    const int side = own->shape.side;
    own->threads = (side * own->d.held + 31) / 32 * 32;
    own->room = words_of_tile(fd, own);
    own->shared = shared_bytes(fd, own);
    const int team = own->shape.team ? own->shape.team : 1;
    own->tiles = (unsigned)((own->d.all + side - 1) / side * (team > 1 ? 1 : own->d.chunks));
    const int room = fd->device->processors * own->shape.blocks / team;
    const unsigned most = room ? (unsigned)room : 1;
    own->grid = (int)(own->tiles < most ? own->tiles : most) * team;
}

static enum sw_status set_numbers(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    SW_TRY(sw_fd_fused_line(&fd->line, fd->stride == 1, &own->shape.most, &own->d));
    own->d.stride = (long long)fd->stride;
    own->d.all = (long long)(fd->outer * fd->stride);
    own->d.side = own->shape.side;
    return SW_OK;
}

/* Shared memory of a multiprocessor, what the driver takes of it for each block, and what a block may have. */
struct memory { int all, each, most; };

static enum sw_status memory_of(const struct sw_device *device, struct memory *m)
{
    CU_TRY(cudaDeviceGetAttribute(&m->all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device->index));
    CU_TRY(cudaDeviceGetAttribute(&m->each, cudaDevAttrReservedSharedMemoryPerBlock, device->index));
    CU_TRY(cudaDeviceGetAttribute(&m->most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->index));
    return SW_OK;
}

/* Of the 64 Ki registers of a multiprocessor a thread cannot do with much fewer than 128, unless a block must be large.
 * */
static bool blocks_fit(const struct sw_fd_fused_kernel *own, const struct memory *m)
{
    const size_t bytes = own->shared + OWN_SHARED;
    const int blocks = own->shape.blocks;
    return own->threads <= 1024 && (blocks == 1 || own->threads * blocks <= FEW_THREADS) && bytes <= (size_t)m->most &&
           (bytes + (size_t)m->each) * (size_t)blocks <= (size_t)m->all;
}

static enum sw_status fit(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    struct memory m;
    SW_TRY(memory_of(fd->device, &m));
    if (own->shape.team > 1 && (fd->stride == 1 || !share(&own->d, own->shape.team)))
        return SW_FAIL(SW_E_ARG, "cuda.fused: lines of %d segments cannot be shared by %d blocks", own->d.segments,
                       own->shape.team);
    if (own->shape.team <= 1 && !cut(&own->d, own->shape.held))
        return SW_FAIL(SW_E_ARG, "cuda.fused: lines of %d segments cannot be cut into pieces of %d", own->d.segments,
                       own->shape.held);
    set_sizes(fd, own);
    if (blocks_fit(own, &m)) return SW_OK;
    return SW_FAIL(SW_E_ARG, "cuda.fused: %d blocks of %d threads and %zu bytes are too much for a multiprocessor",
                   own->shape.blocks, own->threads, own->shared);
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
    const int most = own->shape.most, exact = fd->stride > 1 && !d->longer && d->points == 32;
    const int least = exact ? most : d->points >= most - 2 ? most - 2 : 0;
    sw_text_printf(text, "#define TEAM %d\n", own->shape.team ? own->shape.team : 1);
    sw_text_printf(text, "typedef %s word_t;\n", fd->desc.single ? "float" : "double");
    sw_text_printf(text, "enum { ALONG_X = %d, WALLS = %d, SECOND = %d, HALF = %d, CENTRE = %d, REACH = %d, K = %d,\n"
                   "       ADD = %d,\n", fd->stride == 1, !line->periodic, line->kind == SW_FD_SECOND,
                   sw_fd_half(line->kind),
                   line->centre != 0, line->reach, special_rows(line), fd->desc.add);
    sw_text_printf(text, "       FACTORS = %d, FAR_0 = %d, FAR_1 = %d, M = %d, LEAST = %d, SIDE = %d, CHUNKED = %d,\n",
                   factors_of(line), least ? d->factor[0].reach : 0, least ? d->factor[1].reach : 0, most, least,
                   fd->stride == 1 ? 1 : own->shape.side, d->chunks > 1);
    sw_text_printf(text, "       MOST_THREADS = %d, STAGES = %d };\n",
                   most_threads(own->threads * own->shape.blocks, line->periodic), own->shape.stages);
}

static enum sw_status compile(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, void **cubin)
{
    static const char *const file[] = {"fd_tile_rtc.cuh", "fd_fused_rtc.cuh"};
    size_t bytes;
    bool from_cache;
    struct sw_text text = {0};
    *cubin = NULL;
    sw_embedded_add("base/sw_hd.h", &text);
    sw_embedded_add("fd/fd_fused_point.h", &text);
    add_shape(fd, own, &text);
    for (int k = 0; k < 2; k++) sw_embedded_add(file[k], &text);
    enum sw_status st = sw_text_status(&text);
    if (!st)
        st = sw_kernel_compile(sw_text_get(&text), "the GPU code of compact differences", fd->device->sm, cubin, &bytes,
                               &from_cache);
    sw_text_free(&text);
    return st;
}

/* ------------------------------------------------------------------ what is best */

/* Bytes; measured by tests/bench_fd.c. */
enum { IN_FLIGHT = 128 * 1024, TILE_X = 16 * 1024, MOST_TILE = 108 * 1024, FAR_APART = 256 * 1024 };

static int at_least_1(double x) { return x < 1 ? 1 : (int)(x + 0.5); }

/* A multiprocessor is to have some 128 KiB on its way at once: with more, rows of the memory are opened more often than
 * they are used, with less it waits. Along x tiles of 16 KiB, two to each of four small blocks, which are seldom
 * waiting at the same time (walls: two barriers more, six). Along y and z the rows of a tile are to be wide: 32 lines
 * if two such tiles have room, else 16; longer lines by pieces of 20 segments, 16 of them its own. Where points lie so
 * far apart that each is on a page of its own, wide rows are worth more: 32 lines, by pieces of 12 segments, 8 its own
 * (512^3 along z: 89 % of a copy, with 16 whole lines 86). */
static struct sw_fd_fused_shape wanted(const struct sw_fd *fd, const struct sw_fd_fused *d)
{
    const double word = fd->desc.single ? 4 : 8, line = (double)d->n * word;
    const int halo = halo_of(d);
    struct sw_fd_fused_shape s = {.stages = 2, .held = 128};
    if (fd->stride == 1) {
        s.side = d->segments > s.held ? 1 : at_least_1(TILE_X / line);
        if (d->n % 2 && s.side % 2) s.side++;  /* tiles begin with an even index */
    } else {
        const bool far = (double)fd->stride * word >= FAR_APART && halo <= 4;
        s.side = far || 32 * line <= MOST_TILE ? 32 : 16;
        if (s.side * line > MOST_TILE) s.held = far ? 12 : 3 * halo > 20 ? 3 * halo : 20;
    }
    const double tile = s.side * fmin(line, s.held * d->points * word);
    s.blocks = at_least_1((fd->stride == 1 && !fd->line.periodic ? 1.5 : 1) * IN_FLIGHT / (s.stages * tile));
    return s;
}

/* Something less, where the device or the kernel has not enough for what is wanted. */
static bool lessen(struct sw_fd_fused_shape *s, bool along_x, int halo)
{
    if (s->blocks > 1) s->blocks--;
    else if (s->stages > 1) s->stages--;
    else if (s->side > (along_x ? 1 : 8)) s->side /= 2;
    else if (s->held / 2 > 2 * halo) s->held /= 2;
    else if (s->side > (along_x ? 1 : 4)) s->side /= 2;
    else return false;
    return true;
}

enum sw_status sw_fd_fused_best(const struct sw_fd *fd, struct sw_fd_fused_shape *shape)
{
    struct sw_fd_fused_kernel k = {.d = {0}};
    struct memory m;
    SW_TRY(memory_of(fd->device, &m));
    SW_TRY(set_numbers(fd, &k));
    k.shape = wanted(fd, &k.d);
    k.shape.most = 0;
    for (bool goes = false; !goes;) {
        goes = cut(&k.d, k.shape.held);
        if (goes) set_sizes(fd, &k);
        goes = goes && blocks_fit(&k, &m);
        if (!goes && !lessen(&k.shape, fd->stride == 1, halo_of(&k.d)))
            return SW_FAIL(SW_E_ABSENT, "cuda.fused: lines of %d points do not fit this device's shared memory", k.d.n);
    }
    *shape = k.shape;
    return SW_OK;
}

/* ------------------------------------------------------------------ all of it */

enum sw_status sw_fd_fused_make(const struct sw_fd *fd, const struct sw_fd_fused_shape *shape,
                                struct sw_fd_fused_kernel *own)
{
    static const char *const name[] = {"fused_k"};
    void *cubin;
    sw_fd_fused_unmake(fd, own);
    own->shape = *shape;
    SW_TRY(set_numbers(fd, own));
    SW_TRY(fit(fd, own));
    SW_TRY(sw_device_alloc(fd->device, 1, &own->next));
    SW_TRY(compile(fd, own, &cubin));
    enum sw_status st = sw_module_load(fd->device, cubin, name, 1, &own->kernel, &own->module);
    sw_free(cubin);
    return st;
}

void sw_fd_fused_unmake(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    sw_module_unload(fd->device, &own->module);
    sw_device_free(fd->device, own->next);
    own->next = NULL;
}
