/* Compact differences on the CPU, groups of lines side by side (fd_simd_lines.h), groups shared by all threads. Lines
 * along y and z lie side by side in the field already, x being fastest. Lines along x, groups that are not contiguous,
 * and fields in single precision are copied to such a layout and back. Arithmetic is double throughout.
 *
 * f is read once and the result written once; what lies between them, 8 or 16 n bytes a line, stays in the cache.
 *
 * Long lines are cut into chunks, whose length follows from n and the scheme alone, and a group consists of chunks. An
 * influence falls to |rho|^k over k points, so that a chunk is solved with `margin` more points on both sides, where
 * |rho|^margin < 2^-60: an interior chunk as if its segment were periodic, a chunk at a wall as a short line between
 * walls. Only the chunk's own results are kept. */
#include <math.h>
#include <omp.h>

#include "fd/fd_simd_copy.h"
#include "fd/fd_simd_lines.h"
#include "fd/sw_fd_impl.h"

enum { CHUNK = 1024 };  /* points of a segment, a chunk with its margins; more where margins are wide */

/* Segments of one kind. */
struct segment_class {
    struct fd_simd_lines c;
    int64_t         points;  /* of each                            */
    int64_t         each;    /* segments of a line                */
    size_t          groups;
};

/* Uncut lines are one class of segments, and so are the chunks of periodic lines. */
enum { WHOLE_LINES, INTERIOR = 0, AT_WALLS, CLASSES };

struct simd {
    struct segment_class segment_class[CLASSES];
    bool          cut;
    int64_t       margin, chunk;  /* of lines that are cut                    */
    int           lines;          /* of a group                               */
    int           threads;
    size_t        buffer_size;  /* numbers of a buffer: points*lines */
    double       *work;         /* [threads][2][buffer_size] */
};

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    (void)desc;
    (void)line;
    return true;
}

/* ------------------------------------------------------------------ segments */

/* Segment number id of a class. Segments at the same place of neighbouring lines have successive numbers. */
static struct fd_segment segment_of(const struct sw_fd *fd, const struct simd *s, int segment_class, size_t id)
{
    const size_t each = (size_t)s->segment_class[segment_class].each, lines = fd->stride * each;
    const int64_t n = fd->line.n, k = (int64_t)(id % lines / fd->stride);
    const int64_t whole = s->segment_class[segment_class].points;
    struct fd_segment a = {.base = id / lines * fd->stride * (size_t)n + id % fd->stride};
    const int64_t at_wall = whole - s->margin, begin = fd->line.periodic ? 0 : at_wall, end = n - begin;
    if (!s->cut) a.keep = n;
    else if (segment_class == AT_WALLS) {
        a.first = k ? n - whole : 0;
        a.skip = k ? s->margin : 0;
        a.keep = at_wall;
    } else {
        const int64_t own = begin + k * s->chunk;
        a.first = own - s->margin;
        if (!fd->line.periodic && a.first > n - whole) a.first = n - whole;
        a.skip = own - a.first;
        a.keep = end - own < s->chunk ? end - own : s->chunk;
    }
    return a;
}

static struct fd_simd_copy copy_of(const struct sw_fd *fd, const struct simd *s, int segment_class, size_t group)
{
    const struct segment_class *y = &s->segment_class[segment_class];
    const size_t all = fd->outer * fd->stride * (size_t)y->each, first = group * (size_t)s->lines;
    struct fd_simd_copy c = {.lines = s->lines, .points = y->points, .n = fd->line.n, .stride = fd->stride};
    c.count = all - first < (size_t)s->lines ? (int)(all - first) : s->lines;
    for (int l = 0; l < c.count; l++) c.segment[l] = segment_of(fd, s, segment_class, first + (size_t)l);
    /* lines are transposed eight at a time at most */
    if (segment_class != AT_WALLS && first + (size_t)s->lines + 8 < all)
        c.ahead = 8 * (size_t)(s->cut ? s->chunk : fd->line.n);
    return c;
}

/* ------------------------------------------------------------------ groups */

/* Whether the lines of a group lie side by side in the field as they are. */
static bool is_contiguous(const struct sw_fd *fd, const struct simd *s, const struct fd_simd_copy *c)
{
    return !fd->desc.single && !s->cut && c->count == s->lines && fd->stride > 1
           && c->segment[c->count - 1].base == c->segment[0].base + (size_t)(c->count - 1);
}

static void gather(const struct sw_fd *fd, const struct fd_simd_copy *c, const void *f, double *to)
{
    if (fd->desc.single) fd_simd_gather_float(c, f, to);
    else fd_simd_gather_double(c, f, to);
}

static void scatter(const struct sw_fd *fd, const struct fd_simd_copy *c, const double *g, void *out)
{
    if (fd->desc.single) fd_simd_scatter_float(c, g, fd->desc.add, out);
    else fd_simd_scatter_double(c, g, fd->desc.add, out);
}

static void solve_group(const struct sw_fd *fd, const struct simd *s, int segment_class, size_t k, const void *f,
                        void *out, double *work)
{
    const struct fd_simd_lines *by = &s->segment_class[segment_class].c;
    const struct fd_simd_copy c = copy_of(fd, s, segment_class, k);
    const size_t width = (size_t)s->lines, base = c.segment[0].base;
    const bool contiguous = is_contiguous(fd, s, &c);
    double *y = work + s->buffer_size;
    if (contiguous && !fd->desc.add) {
        fd_simd_lines_apply(by, s->lines, (const double *)f + base, fd->stride, y, (double *)out + base, fd->stride);
        return;
    }
    if (contiguous) fd_simd_lines_apply(by, s->lines, (const double *)f + base, fd->stride, y, y, width);
    else {
        gather(fd, &c, f, work);
        fd_simd_lines_apply(by, s->lines, work, width, y, y, width);
    }
    scatter(fd, &c, y, out);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    const struct simd *s = fd->own;
    const size_t middle = s->segment_class[INTERIOR].groups, all = middle + s->segment_class[AT_WALLS].groups;
    /* a few neighbouring groups at a time; dynamic, as a thread may have to share its core */
#pragma omp parallel for schedule(dynamic, 4) num_threads(s->threads)
    for (size_t k = 0; k < all; k++) {
        double *work = s->work + (size_t)omp_get_thread_num() * 2 * s->buffer_size;
        if (k < middle) solve_group(fd, s, INTERIOR, k, f, out, work);
        else solve_group(fd, s, AT_WALLS, k - middle, f, out, work);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ the row */

/* From the larger rho of the matrix, the factor by which an influence falls from a point to the next;
 * fd_simd_lines_create() has the formulas. */
static enum sw_status set_margin(const struct sw_fd *fd, struct simd *s)
{
    struct sw_fd_line periodic = fd->line;
    struct sw_owned own = {0};
    struct fd_simd_lines c;
    periodic.n = CHUNK;
    periodic.periodic = true;
    enum sw_status st = fd_simd_lines_create(&periodic, &own, &c);
    const double rho = fmax(fabs(c.rho[0]), fabs(c.rho[1]));
    sw_owned_free(&own);
    /* and the half-width of the stencil: at the seam of the segment its right-hand sides are not those of the line */
    s->margin = SW_FD_HALF_WIDTH + 1 + (rho == 0 ? 0 : (int64_t)ceil(60 / -log2(rho)));
    return st;
}

static enum sw_status create_class(struct sw_fd *fd, struct simd *s, int segment_class, int64_t points, bool periodic,
                                   int64_t each)
{
    struct segment_class *y = &s->segment_class[segment_class];
    struct sw_fd_line line = fd->line;
    line.n = points;
    line.periodic = periodic;
    if (periodic) line.rows = 0;
    y->points = points;
    y->each = each;
    y->groups = (fd->outer * fd->stride * (size_t)each + (size_t)s->lines - 1) / (size_t)s->lines;
    return fd_simd_lines_create(&line, &fd->arrays, &y->c);
}

static enum sw_status create_classes(struct sw_fd *fd, struct simd *s)
{
    const int64_t n = fd->line.n, whole = 4 * s->margin > CHUNK ? 4 * s->margin : CHUNK;
    const size_t lines = fd->outer * fd->stride;
    s->cut = n >= 4 * whole;
    s->lines = !s->cut && (lines < FD_GROUP || n > 4 * CHUNK) ? FD_GROUP_SMALL : FD_GROUP;
    if (!s->cut) return create_class(fd, s, WHOLE_LINES, n, fd->line.periodic, 1);
    s->chunk = whole - 2 * s->margin;
    const int64_t middle = fd->line.periodic ? n : n - 2 * (whole - s->margin);
    SW_TRY(create_class(fd, s, INTERIOR, whole, true, (middle + s->chunk - 1) / s->chunk));
    return fd->line.periodic ? SW_OK : create_class(fd, s, AT_WALLS, whole, false, 2);
}

static enum sw_status create(struct sw_fd *fd)
{
    const size_t points = (size_t)fd->line.n * fd->outer * fd->stride;
    struct simd *s = fd->own;
    SW_TRY(set_margin(fd, s));
    SW_TRY(create_classes(fd, s));
    s->threads = points < 65536 ? 1 : fd->device->threads;  /* less takes 0.1 ms: starting threads costs more */
    s->buffer_size = (size_t)s->segment_class[INTERIOR].points * (size_t)s->lines;
    sw_array(&fd->arrays, 2 * s->buffer_size * (size_t)s->threads, &s->work);
    return fd->arrays.status;
}

/* f read, g written. A pair is three operations (five for second derivatives), y three, g two; five diagonals four
 * more. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    int pair = line->kind == SW_FD_SECOND ? 5 : 3;
    return (struct sw_cost){desc->single ? 8 : 16, pair * line->half_width + (line->beta != 0 ? 9 : 5)};
}

extern const struct sw_fd_ops fd_simd_cpu;
const struct sw_fd_ops fd_simd_cpu = {
    .name = "cpu.simd",
    .about = "lines side by side in vectors, right-hand side and solve in one pass, all cores",
    .space = SW_HOST,
    .adds = true,
    .fits = fits,
    .own_size = sizeof(struct simd),
    .create = create,
    .apply = apply,
    .cost = cost,
};
