/* Compact differences on the CPU, lines side by side (fd_lanes.h), groups of lines by all threads. Lines along y and z
 * lie side by side in the field already, x being fastest; lines along x, groups that are not side by side, and fields
 * in single precision are copied to such a layout and back. Arithmetic is double throughout.
 *
 * f is read once and the result written once; what lies between them, 8 or 16 n bytes a line, stays in the cache. */
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "fd/fd_lanes.h"
#include "fd/sw_fd_impl.h"
#include "fd/transpose.h"

enum { LONG = 8192 };  /* of longer lines fewer go side by side: 32 of this length take 2 MiB */

struct simd {
    struct fd_lanes c;
    int             lanes;    /* of a group                                            */
    int             threads;
    size_t          groups;
    size_t          room;     /* numbers of a buffer: n*lanes                          */
    double         *work;     /* [threads][2][room]                                    */
};

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    (void)desc;
    (void)line;
    return true;
}

/* ------------------------------------------------------------------ copies */

/* Lines first .. first+count-1 to [n][lanes]; lanes beyond count get zeros. */
struct piece { size_t first; int count; };

static size_t base_of(const struct sw_fd *fd, size_t line)
{
    return line / fd->stride * fd->stride * (size_t)fd->line.n + line % fd->stride;
}

/* Lines that lie side by side: count of them from `line` on. */
static int beside(const struct sw_fd *fd, size_t line, int count)
{
    size_t left = fd->stride - line % fd->stride;
    return left < (size_t)count ? (int)left : count;
}

/* Along x: from lines line .. to the next as many that are transposed, to have them in the cache by then; 0: none. */
static size_t following(const struct sw_fd *fd, size_t line)
{
    return line + 2 * SIDE <= fd->outer * fd->stride ? SIDE * (size_t)fd->line.n : 0;
}

#define COPIES(real)                                                                                               \
    static void in_##real(const struct sw_fd *fd, const real *f, struct piece p, int lanes, double *to)            \
    {                                                                                                              \
        const size_t n = (size_t)fd->line.n;                                                                       \
        if (p.count < lanes) memset(to, 0, n * (size_t)lanes * sizeof *to);                                        \
        for (int l = 0, side; l < p.count; l += side) {                                                            \
            const real *from = f + base_of(fd, p.first + (size_t)l);                                               \
            side = beside(fd, p.first + (size_t)l, p.count - l);                                                   \
            for (size_t i = 0; i < n; i++)                                                                         \
                for (int k = 0; k < side; k++)                                                                     \
                    to[i * (size_t)lanes + (size_t)(l + k)] = from[i * fd->stride + (size_t)k];                    \
        }                                                                                                          \
    }                                                                                                              \
    static inline __attribute__((always_inline)) void out_any_##real(const struct sw_fd *fd, const double *g,      \
                                                                     struct piece p, int lanes, real *out, bool add) \
    {                                                                                                              \
        for (int l = 0, side; l < p.count; l += side) {                                                            \
            real *to = out + base_of(fd, p.first + (size_t)l);                                                     \
            side = beside(fd, p.first + (size_t)l, p.count - l);                                                   \
            for (size_t i = 0; i < (size_t)fd->line.n; i++)                                                        \
                for (int k = 0; k < side; k++) {                                                                   \
                    real *at = to + i * fd->stride + (size_t)k;                                                    \
                    const double x = g[i * (size_t)lanes + (size_t)(l + k)];                                       \
                    *at = (real)(add ? *at + x : x);                                                               \
                }                                                                                                  \
        }                                                                                                          \
    }                                                                                                              \
    /* Along x: a block of points of as many lines at a time. */                                                   \
    static void in_x_##real(const struct sw_fd *fd, const real *f, struct piece p, int lanes, double *to)          \
    {                                                                                                              \
        const size_t n = (size_t)fd->line.n, whole = n / SIDE * SIDE, wide = (size_t)lanes;                        \
        f += p.first * n;                                                                                          \
        for (size_t l = 0; l < wide; l += SIDE) {                                                                  \
            const size_t ahead = following(fd, p.first + l);                                                       \
            for (size_t i = 0; i < whole; i += SIDE) {                                                             \
                side_vec t[SIDE];                                                                                  \
                for (size_t j = 0; j < SIDE; j++) __builtin_prefetch(f + (l + j) * n + i + ahead);                 \
                for (size_t j = 0; j < SIDE; j++) t[j] = side_load_##real(f + (l + j) * n + i);                    \
                side_transpose(t);                                                                                 \
                for (size_t k = 0; k < SIDE; k++) side_store_double(to + (i + k) * wide + l, t[k]);                \
            }                                                                                                      \
            for (size_t i = whole; i < n; i++)                                                                     \
                for (size_t j = 0; j < SIDE; j++) to[i * wide + l + j] = f[(l + j) * n + i];                       \
        }                                                                                                          \
    }                                                                                                              \
    static inline __attribute__((always_inline)) void out_x_##real(const struct sw_fd *fd, const double *g,        \
                                                                   struct piece p, int lanes, real *out, bool add) \
    {                                                                                                              \
        const size_t n = (size_t)fd->line.n, whole = n / SIDE * SIDE, wide = (size_t)lanes;                        \
        out += p.first * n;                                                                                        \
        for (size_t l = 0; l < wide; l += SIDE) {                                                                  \
            const size_t ahead = following(fd, p.first + l);                                                       \
            for (size_t i = 0; i < whole; i += SIDE) {                                                             \
                side_vec t[SIDE];                                                                                  \
                for (size_t j = 0; j < SIDE; j++) __builtin_prefetch(out + (l + j) * n + i + ahead, 1);            \
                for (size_t k = 0; k < SIDE; k++) t[k] = side_load_double(g + (i + k) * wide + l);                 \
                side_transpose(t);                                                                                 \
                for (size_t j = 0; j < SIDE; j++) {                                                                \
                    real *at = out + (l + j) * n + i;                                                              \
                    side_store_##real(at, add ? side_load_##real(at) + t[j] : t[j]);                               \
                }                                                                                                  \
            }                                                                                                      \
            for (size_t i = whole; i < n; i++)                                                                     \
                for (size_t j = 0; j < SIDE; j++) {                                                                \
                    real *at = out + (l + j) * n + i;                                                              \
                    const double x = g[i * wide + l + j];                                                          \
                    *at = (real)(add ? *at + x : x);                                                               \
                }                                                                                                  \
        }                                                                                                          \
    }                                                                                                              \
    static void out_##real(const struct sw_fd *fd, const double *g, struct piece p, int lanes, real *out)          \
    {                                                                                                              \
        const bool x = fd->stride == 1 && p.count == lanes;                                                        \
        if (x && fd->desc.add) out_x_##real(fd, g, p, lanes, out, true);                                           \
        else if (x) out_x_##real(fd, g, p, lanes, out, false);                                                     \
        else if (fd->desc.add) out_any_##real(fd, g, p, lanes, out, true);                                         \
        else out_any_##real(fd, g, p, lanes, out, false);                                                          \
    }
COPIES(double)
COPIES(float)

static void copy_in(const struct sw_fd *fd, const void *f, struct piece p, int lanes, double *to)
{
    const bool x = fd->stride == 1 && p.count == lanes;
    if (fd->desc.single) (x ? in_x_float : in_float)(fd, f, p, lanes, to);
    else (x ? in_x_double : in_double)(fd, f, p, lanes, to);
}

static void copy_out(const struct sw_fd *fd, const double *g, struct piece p, int lanes, void *out)
{
    if (fd->desc.single) out_float(fd, g, p, lanes, out);
    else out_double(fd, g, p, lanes, out);
}

/* ------------------------------------------------------------------ groups */

static void group(const struct sw_fd *fd, const struct simd *s, size_t k, const void *f, void *out, double *work)
{
    const size_t lines = fd->outer * fd->stride, first = k * (size_t)s->lanes, left = lines - first;
    const struct piece p = {first, left < (size_t)s->lanes ? (int)left : s->lanes};
    const size_t lanes = (size_t)s->lanes, base = base_of(fd, first);
    const bool direct = !fd->desc.single && beside(fd, first, p.count) == s->lanes;
    double *y = work + s->room;
    if (direct && !fd->desc.add) {
        fd_lanes_apply(&s->c, s->lanes, (const double *)f + base, fd->stride, y, (double *)out + base, fd->stride);
        return;
    }
    if (direct) fd_lanes_apply(&s->c, s->lanes, (const double *)f + base, fd->stride, y, y, lanes);
    else {
        copy_in(fd, f, p, s->lanes, work);
        fd_lanes_apply(&s->c, s->lanes, work, lanes, y, y, lanes);
    }
    copy_out(fd, y, p, s->lanes, out);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    const struct simd *s = fd->own;
    /* a few neighbours at a time: a thread that shares its core does fewer of them */
#pragma omp parallel for schedule(dynamic, 4) num_threads(s->threads)
    for (size_t k = 0; k < s->groups; k++)
        group(fd, s, k, f, out, s->work + (size_t)omp_get_thread_num() * 2 * s->room);
    return SW_OK;
}

/* ------------------------------------------------------------------ the row */

static enum sw_status create(struct sw_fd *fd)
{
    const size_t lines = fd->outer * fd->stride, n = (size_t)fd->line.n;
    struct simd *s = NULL;
    SW_TRY(sw_alloc(1, &s));
    fd->own = s;
    s->lanes = lines < FD_LANES || n > LONG ? FD_LANES_FEW : FD_LANES;
    s->groups = (lines + (size_t)s->lanes - 1) / (size_t)s->lanes;
    s->threads = n * lines < 65536 ? 1 : fd->device->threads;  /* 1 to 2 ns a point: waking the others takes longer */
    if (s->groups && (size_t)s->threads > s->groups) s->threads = (int)s->groups;
    s->room = n * (size_t)s->lanes;
    SW_TRY(sw_alloc(2 * s->room * (size_t)s->threads, &s->work));
    return fd_lanes_make(&fd->line, &s->c);
}

static void destroy(struct sw_fd *fd)
{
    struct simd *s = fd->own;
    if (!s) return;
    fd_lanes_free(&s->c);
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
