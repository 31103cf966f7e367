/* How cuda.fused cuts a field into tiles, and how many blocks work on them. */
#include <math.h>
#include <stdlib.h>

#include "base/sw_err.h"
#include "fd/fd_fused_cuda.h"
#include "fd/sw_fd_impl.h"

enum { FEW_THREADS = 512 };
enum { STATIC_SHARED = 512 };  /* bytes of shared memory that a block takes beside tiles and scratch, at most */

/* ------------------------------------------------------------------ tiles */

/* Segments on each side of a tile that influence its results. */
static int halo_of(const struct sw_fd_fused *d) { return d->decay_segments[0] + d->decay_segments[1]; }

/* Cut lines into tiles of at most `tile_segments` segments. False: the halo leaves no room for own segments. */
static bool cut(struct sw_fd_fused *d, int tile_segments)
{
    const int halo = halo_of(d);
    d->chunks = 1;
    d->own = d->tile_segments = d->segments;
    d->halo = 0;
    if (d->segments <= tile_segments) return true;
    if (tile_segments < 2 * halo + 1) return false;
    d->chunks = (d->segments + tile_segments - 2 * halo - 1) / (tile_segments - 2 * halo);
    d->own = (d->segments + d->chunks - 1) / d->chunks;
    d->chunks = (d->segments + d->own - 1) / d->own;
    d->halo = halo;
    d->tile_segments = d->own + 2 * halo;
    return true;
}

enum { GROUPS = 12 };  /* of threads that are looked at: where a line has 6 segments, groups are of 3 or 6 kinds */

/* A group of as many threads as there are banks reads shared memory at once, each thread from its own segment: the most
 * threads of a group that hit one bank, summed over some groups. */
static int bank_conflicts(const struct sw_fd_fused *d, int banks, int padding)
{
    int sum = 0;
    for (int group = 0; group < GROUPS; group++) {
        int hits[32] = {0}, most = 0;
        for (int thread = group * banks; thread < (group + 1) * banks; thread++) {
            const int line = thread / d->segments, s = thread % d->segments;
            const int start = s * d->points + (s < d->longer ? s : d->longer) * d->step;
            const int bank = (line * (d->n + padding) + start) % banks;
            if (++hits[bank] > most) most = hits[bank];
        }
        sum += most;
    }
    return sum;
}

/* Words between lines along x, so that few threads hit the same bank; none where that does not spare a third of the
 * time, for padding costs some instructions. Lines have to begin at multiples of 16 bytes for one. (96 points, double:
 * 2 words, and two threads at a bank where there were eight; 512 points: none, 96.5 % of a copy and not 95.4.) */
static int padding_of(const struct sw_fd_fused *d, int word)
{
    const int banks = 128 / word, pack = 16 / word;
    if (d->n % pack || d->chunks > 1) return 0;
    int best = 0, least = bank_conflicts(d, banks, 0) * 2 / 3;
    for (int padding = pack; padding < banks; padding += pack) {
        const int waits = bank_conflicts(d, banks, padding);
        if (waits >= least) continue;
        least = waits;
        best = padding;
    }
    return best;
}

static void set_padding(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    struct sw_fd_fused *d = &own->d;
    d->inverse = (unsigned)((1ull << 32) / (unsigned long long)d->n + 1);
    d->padding = 0;
    if (own->shape.padded && !fd->cut.comm && sw_fd_fused_along_x(fd))
        d->padding = padding_of(d, fd->desc.single ? 4 : 8);
}

static int tile_size_of(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own)
{
    const struct sw_fd_fused *d = &own->d;
    const int beside = 2 * fd->line.half_width, whole = d->n + (fd->cut.comm ? beside : 0);
    const int points = d->chunks == 1 ? whole : d->tile_segments * (d->points + d->step) + beside;
    return (own->shape.tile_lines * (points + d->padding) + 31) / 32 * 32;  /* begins with a row of banks */
}

size_t sw_fd_fused_scratch_bytes(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own, int threads)
{
    size_t numbers = 2 * (size_t)sw_fd_fused_factors(&fd->line) * (size_t)threads;
    if (!fd->line.periodic)
        numbers += (2 * (size_t)sw_fd_fused_wall_rows(&fd->line) + 4) * (size_t)own->shape.tile_lines;
    return numbers * sizeof(double);
}

static size_t shared_bytes(const struct sw_fd *fd, const struct sw_fd_fused_kernel *own)
{
    return (size_t)(own->shape.stages + own->shape.separate) * (size_t)own->tile_size * (fd->desc.single ? 4 : 8) +
           sw_fd_fused_scratch_bytes(fd, own, own->threads);
}

static void set_sizes(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    const int lines = own->shape.tile_lines;
    own->threads = (lines * own->d.tile_segments + 31) / 32 * 32;
    set_padding(fd, own);
    own->tile_size = tile_size_of(fd, own);
    own->shared = shared_bytes(fd, own);
    own->tiles = (unsigned)((own->d.all + lines - 1) / lines * own->d.chunks);
}

static enum sw_status set_numbers(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    SW_TRY(sw_fd_fused_coefficients(fd, &own->shape.max_points, &own->d));
    own->d.stride = (long long)fd->stride;
    own->d.all = (long long)(fd->outer * fd->stride);
    own->d.tile_lines = own->shape.tile_lines;
    return SW_OK;
}

static bool has_room(const struct sw_on_chip *m, int blocks, int threads, size_t shared)
{
    const size_t bytes = shared + STATIC_SHARED;
    return threads <= 1024 && (blocks == 1 || threads * blocks <= FEW_THREADS) && bytes <= (size_t)m->per_block &&
           (bytes + (size_t)m->reserved_per_block) * (size_t)blocks <= (size_t)m->per_multiprocessor;
}

static bool blocks_fit(const struct sw_fd_fused_kernel *own, const struct sw_on_chip *m)
{
    return has_room(m, own->shape.blocks, own->threads, own->shared);
}

enum sw_status sw_fd_fused_partition(const struct sw_fd *fd, struct sw_fd_fused_kernel *own)
{
    SW_TRY(set_numbers(fd, own));
    if (!cut(&own->d, own->shape.tile_segments))
        return SW_FAIL(SW_E_ARG, "cuda.fused: lines of %d segments cannot be cut into pieces of %d", own->d.segments,
                       own->shape.tile_segments);
    set_sizes(fd, own);
    return SW_OK;
}

enum sw_status sw_fd_fused_check_blocks(const struct sw_on_chip *m, int blocks, int threads, size_t shared)
{
    if (has_room(m, blocks, threads, shared)) return SW_OK;
    return SW_FAIL(SW_E_ARG, "cuda.fused: %d blocks of %d threads and %zu bytes are too much for a multiprocessor",
                   blocks, threads, shared);
}

enum sw_status sw_fd_fused_fit(const struct sw_fd *fd, const struct sw_on_chip *m,
                               struct sw_fd_fused_kernel *own)
{
    SW_TRY(sw_fd_fused_partition(fd, own));
    return sw_fd_fused_check_blocks(m, own->shape.blocks, own->threads, own->shared);
}

/* ------------------------------------------------------------------ the best shape */

/* Bytes; measured by tests/bench/bench_fd.c (results/bench/fd_shapes.txt, fd_trials.txt). */
enum {
    IN_FLIGHT = 128 * 1024, TILE_X = 16 * 1024, MOST_TILE = 108 * 1024, MOST_SHARED = 216 * 1024,
    FAR_APART = 256 * 1024
};

static int at_least_1(double x) { return x < 1 ? 1 : (int)(x + 0.5); }

/* About so many lines along x, a multiple of step: the number that leaves the fewest threads of the last warp idle. */
static int full_warps(int lines, int segments, int step)
{
    int best = lines;
    double full = 0;
    for (int s = lines - lines / 4 / step * step; s <= lines + lines / 3; s += step) {
        const int threads = s * segments;
        const double is = (double)threads / ((threads + 31) / 32 * 32);
        if (is < full || (is == full && abs(s - lines) >= abs(best - lines))) continue;
        full = is;
        best = s;
    }
    return best;
}

/* Along x tiles of 16 KiB and as much for their results, six small blocks, seldom waiting at the same time. */
static struct sw_fd_fused_shape wanted_along_x(const struct sw_fd_fused *d, double line, double word)
{
    const int step = 1 + d->n % 2;  /* tiles begin with an even index */
    struct sw_fd_fused_shape s = {.stages = 1, .tile_segments = 128, .separate = 1, .padded = 1};
    s.tile_lines = d->segments > s.tile_segments ? 1 : at_least_1(TILE_X / line);
    if (s.tile_lines % step) s.tile_lines++;
    if (s.tile_lines > 1) s.tile_lines = full_warps(s.tile_lines, d->segments, step);
    s.blocks = at_least_1(1.5 * IN_FLIGHT / (2 * s.tile_lines * fmin(line, s.tile_segments * d->points * word)));
    return s;
}

/* Along y and z a multiprocessor is to have some 128 KiB on its way at once: with more, rows of the memory are opened
 * more often than they are used, with less it waits. The rows of a tile are to be wide: 32 lines if two such tiles have
 * room, in one stage where that is 64 KiB (n = 333 along y: 85.2 % of a copy on an H200, 84.2 in two); else 16; longer
 * lines by pieces of 20 segments, 16 of them its own. Where points lie so far apart that each is on a page of its own,
 * wide rows are worth more: 32 lines by pieces of 12 segments, 8 its own, or whole lines, if one such tile has room and
 * the halo would be most of a piece. (512^3 along z, d1_c6: periodic 92.9 % of a copy, whole lines 92.6, 16 of them
 * 85.2; between walls 93.4, 92.1 and 85.3.) */
static struct sw_fd_fused_shape wanted_beside(const struct sw_fd_fused *d, double line, double word)
{
    const int halo = halo_of(d);
    const bool far = (double)d->stride * word >= FAR_APART, pieces = far && halo <= 2;
    struct sw_fd_fused_shape s = {.stages = 2, .tile_segments = 128};
    if (far && !pieces && 32 * line > MOST_TILE && 32 * line <= MOST_SHARED)
        return (struct sw_fd_fused_shape){.tile_lines = 32, .stages = 1, .blocks = 1, .tile_segments = 128};
    s.tile_lines = pieces || 32 * line <= MOST_TILE ? 32 : 16;
    if (s.tile_lines * line > MOST_TILE) s.tile_segments = pieces ? 12 : 3 * halo > 20 ? 3 * halo : 20;
    else if (s.tile_lines * line > IN_FLIGHT / 2) s.stages = 1;
    s.blocks = at_least_1(IN_FLIGHT / (s.stages * s.tile_lines * fmin(line, s.tile_segments * d->points * word)));
    return s;
}

static struct sw_fd_fused_shape wanted(const struct sw_fd *fd, const struct sw_fd_fused *d)
{
    const double word = fd->desc.single ? 4 : 8, line = (double)d->n * word;
    return sw_fd_fused_along_x(fd) ? wanted_along_x(d, line, word) : wanted_beside(d, line, word);
}

/* Make the shape one step smaller, where the device has not enough memory for it. False: it is the smallest. */
static bool lessen(struct sw_fd_fused_shape *s, bool along_x, int halo)
{
    if (s->blocks > 1) s->blocks--;
    else if (s->stages > 1) s->stages--;
    else if (s->separate) s->separate = 0;
    else if (s->tile_lines > (along_x ? 1 : 8)) s->tile_lines /= 2;
    else if (s->tile_segments / 2 > 2 * halo) s->tile_segments /= 2;
    else if (s->tile_lines > (along_x ? 1 : 4)) s->tile_lines /= 2;
    else return false;
    return true;
}

enum sw_status sw_fd_fused_best(const struct sw_fd *fd, const struct sw_on_chip *m,
                                struct sw_fd_fused_shape *shape)
{
    struct sw_fd_fused_kernel k = {.d = {0}};
    SW_TRY(set_numbers(fd, &k));
    k.shape = wanted(fd, &k.d);
    k.shape.max_points = 0;
    for (bool goes = false; !goes;) {
        goes = cut(&k.d, k.shape.tile_segments);
        if (goes) set_sizes(fd, &k);
        goes = goes && blocks_fit(&k, m);
        if (!goes && !lessen(&k.shape, sw_fd_fused_along_x(fd), halo_of(&k.d)))
            return SW_FAIL(SW_E_ABSENT, "cuda.fused: lines of %d points do not fit this device's shared memory", k.d.n);
    }
    *shape = k.shape;
    return SW_OK;
}
