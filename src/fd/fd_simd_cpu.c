/* Compact differences on the CPU, lines side by side (fd_lanes.h), groups of lines by all threads. Lines along y and z
 * lie side by side in the field already, x being fastest; lines along x, groups that are not side by side, and fields
 * in single precision are copied to such a layout and back. Arithmetic is double throughout.
 *
 * f is read once and the result written once; what lies between them, 8 or 16 n bytes a line, stays in the cache.
 *
 * Long lines are cut into chunks, as n and the scheme decide, which are side by side then. What is some way off does
 * not count: k points on, |rho|^k is left of an influence. So a chunk is solved with `margin` points more on both
 * sides, closed to a circle, whatever that may be, and between walls those at the ends as short lines between walls; of
 * the results the chunk's own are kept. |rho|^margin < 2^-60. */
#include <math.h>
#include <omp.h>

#include "base/sw_mem.h"
#include "fd/fd_copy.h"
#include "fd/fd_lanes.h"
#include "fd/sw_fd_impl.h"

enum { CHUNK = 1024 };  /* points of a stretch, chunk and margins, where the margins are less than a quarter of it */

/* Stretches of one kind. */
struct family {
    struct fd_lanes c;
    int64_t         points;  /* of each                            */
    int64_t         each;    /* stretches of a line                */
    size_t          groups;
};

enum { WHOLE, MIDDLE = 0, ENDS, FAMILIES };  /* uncut lines are a family alone; so are the chunks of circles */

struct simd {
    struct family family[FAMILIES];
    bool          cut;
    int64_t       margin, chunk;  /* of lines that are cut                    */
    int           lanes;          /* of a group                               */
    int           threads;
    size_t        room;           /* numbers of a buffer: points*lanes        */
    double       *work;           /* [threads][2][room]                       */
};

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    (void)desc;
    (void)line;
    return true;
}

/* ------------------------------------------------------------------ stretches */

/* Stretch id of a family: those at one place of neighbouring lines follow each other. */
static struct fd_stretch stretch_of(const struct sw_fd *fd, const struct simd *s, int family, size_t id)
{
    const size_t each = (size_t)s->family[family].each, lines = fd->stride * each;
    const int64_t n = fd->line.n, k = (int64_t)(id % lines / fd->stride), whole = s->family[family].points;
    struct fd_stretch a = {.base = id / lines * fd->stride * (size_t)n + id % fd->stride};
    const int64_t at_wall = whole - s->margin, begin = fd->line.periodic ? 0 : at_wall, end = n - begin;
    if (!s->cut) a.keep = n;
    else if (family == ENDS) {
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

static struct fd_copy copy_of(const struct sw_fd *fd, const struct simd *s, int family, size_t group)
{
    const struct family *y = &s->family[family];
    const size_t all = fd->outer * fd->stride * (size_t)y->each, first = group * (size_t)s->lanes;
    struct fd_copy c = {.lanes = s->lanes, .points = y->points, .n = fd->line.n, .stride = fd->stride};
    c.count = all - first < (size_t)s->lanes ? (int)(all - first) : s->lanes;
    for (int l = 0; l < c.count; l++) c.lane[l] = stretch_of(fd, s, family, first + (size_t)l);
    /* lanes are transposed eight at a time at most */
    if (family != ENDS && first + (size_t)s->lanes + 8 < all) c.ahead = 8 * (size_t)(s->cut ? s->chunk : fd->line.n);
    return c;
}

/* ------------------------------------------------------------------ groups */

/* Whether lanes lie side by side in the field as they are. */
static bool direct(const struct sw_fd *fd, const struct simd *s, const struct fd_copy *c)
{
    return !fd->desc.single && !s->cut && c->count == s->lanes && fd->stride > 1
           && c->lane[c->count - 1].base == c->lane[0].base + (size_t)(c->count - 1);
}

static void copy_in(const struct sw_fd *fd, const struct fd_copy *c, const void *f, double *to)
{
    if (fd->desc.single) fd_copy_in_float(c, f, to);
    else fd_copy_in_double(c, f, to);
}

static void copy_out(const struct sw_fd *fd, const struct fd_copy *c, const double *g, void *out)
{
    if (fd->desc.single) fd_copy_out_float(c, g, fd->desc.add, out);
    else fd_copy_out_double(c, g, fd->desc.add, out);
}

static void group(const struct sw_fd *fd, const struct simd *s, int family, size_t k, const void *f, void *out,
                  double *work)
{
    const struct fd_lanes *by = &s->family[family].c;
    const struct fd_copy c = copy_of(fd, s, family, k);
    const size_t lanes = (size_t)s->lanes, base = c.lane[0].base;
    const bool there = direct(fd, s, &c);
    double *y = work + s->room;
    if (there && !fd->desc.add) {
        fd_lanes_apply(by, s->lanes, (const double *)f + base, fd->stride, y, (double *)out + base, fd->stride);
        return;
    }
    if (there) fd_lanes_apply(by, s->lanes, (const double *)f + base, fd->stride, y, y, lanes);
    else {
        copy_in(fd, &c, f, work);
        fd_lanes_apply(by, s->lanes, work, lanes, y, y, lanes);
    }
    copy_out(fd, &c, y, out);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    const struct simd *s = fd->own;
    const size_t middle = s->family[MIDDLE].groups, all = middle + s->family[ENDS].groups;
    /* a few neighbours at a time: a thread that shares its core does fewer of them */
#pragma omp parallel for schedule(dynamic, 4) num_threads(s->threads)
    for (size_t k = 0; k < all; k++) {
        double *work = s->work + (size_t)omp_get_thread_num() * 2 * s->room;
        if (k < middle) group(fd, s, MIDDLE, k, f, out, work);
        else group(fd, s, ENDS, k - middle, f, out, work);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ the row */

/* The larger rho of a matrix, the size of the influence a point further on; fd_lanes_make() has the formulas. */
static enum sw_status set_margin(const struct sw_fd *fd, struct simd *s)
{
    struct sw_fd_line circle = fd->line;
    struct fd_lanes c;
    circle.n = CHUNK;
    circle.periodic = true;
    enum sw_status st = fd_lanes_make(&circle, &c);
    const double rho = fmax(fabs(c.rho[0]), fabs(c.rho[1]));
    fd_lanes_free(&c);
    /* and the reach of right-hand sides, which at the seam of a circle are not those of the line */
    s->margin = SW_FD_REACH + 1 + (rho == 0 ? 0 : (int64_t)ceil(60 / -log2(rho)));
    return st;
}

static enum sw_status make_family(struct sw_fd *fd, struct simd *s, int family, int64_t points, bool circle,
                                  int64_t each)
{
    struct family *y = &s->family[family];
    struct sw_fd_line line = fd->line;
    line.n = points;
    line.periodic = circle;
    if (circle) line.rows = 0;
    y->points = points;
    y->each = each;
    y->groups = (fd->outer * fd->stride * (size_t)each + (size_t)s->lanes - 1) / (size_t)s->lanes;
    return fd_lanes_make(&line, &y->c);
}

static enum sw_status make_families(struct sw_fd *fd, struct simd *s)
{
    const int64_t n = fd->line.n, whole = 4 * s->margin > CHUNK ? 4 * s->margin : CHUNK;
    const size_t lines = fd->outer * fd->stride;
    s->cut = n >= 4 * whole;
    s->lanes = !s->cut && (lines < FD_LANES || n > 4 * CHUNK) ? FD_LANES_FEW : FD_LANES;
    if (!s->cut) return make_family(fd, s, WHOLE, n, fd->line.periodic, 1);
    s->chunk = whole - 2 * s->margin;
    const int64_t middle = fd->line.periodic ? n : n - 2 * (whole - s->margin);
    SW_TRY(make_family(fd, s, MIDDLE, whole, true, (middle + s->chunk - 1) / s->chunk));
    return fd->line.periodic ? SW_OK : make_family(fd, s, ENDS, whole, false, 2);
}

static enum sw_status create(struct sw_fd *fd)
{
    const size_t points = (size_t)fd->line.n * fd->outer * fd->stride;
    struct simd *s = NULL;
    SW_TRY(sw_alloc(1, &s));
    fd->own = s;
    SW_TRY(set_margin(fd, s));
    SW_TRY(make_families(fd, s));
    s->threads = points < 65536 ? 1 : fd->device->threads;  /* 1 to 2 ns a point: waking the others takes longer */
    s->room = (size_t)s->family[MIDDLE].points * (size_t)s->lanes;
    return sw_alloc(2 * s->room * (size_t)s->threads, &s->work);
}

static void destroy(struct sw_fd *fd)
{
    struct simd *s = fd->own;
    if (!s) return;
    for (int k = 0; k < FAMILIES; k++) fd_lanes_free(&s->family[k].c);
    sw_free(s->work);
    sw_free(s);
}

/* f read, g written. A pair is three operations (five for second derivatives), y three, g two; five diagonals four
 * more. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    int pair = line->kind == SW_FD_SECOND ? 5 : 3;
    return (struct sw_cost){desc->single ? 8 : 16, pair * line->reach + (line->beta != 0 ? 9 : 5)};
}

extern const struct sw_fd_ops fd_simd_cpu;
const struct sw_fd_ops fd_simd_cpu = {
    .name = "cpu.simd",
    .about = "lines side by side in vectors, right-hand side and solve in one pass, all cores",
    .space = SW_HOST,
    .adds = true,
    .fits = fits,
    .create = create,
    .apply = apply,
    .destroy = destroy,
    .cost = cost,
};
