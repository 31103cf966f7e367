#include "fd/fd_cut_simd.h"

#include <omp.h>
#include <string.h>

#include "base/sw_reals.h"
#include "fd/fd_simd_copy.h"

enum { LONG = 4096 };   /* points of a part, from which fewer lines go side by side */
enum { SIDE = 256 };    /* lines that are finished together, row by row             */

bool fd_cut_simd_fits(const struct fd_cut *cut)
{
    return cut->line->beta == 0 && cut->m >= fd_simd_part_least(cut->line);
}

/* ------------------------------------------------------------------ set-up */

/* @param d  in rows of T, of which the part has q */
static void extend(const struct fd_cut *cut, bool right, const struct fd_decaying *d, struct fd_response *r)
{
    const struct sw_fd_end *e = &cut->line->end;
    const int64_t m = cut->m;
    for (int64_t i = 0; i < cut->q; i++) r->x[cut->skip + i] = d->x[i];
    r->count = d->count;
    if (d->count < cut->q - 1 || (right ? cut->left : cut->right)) return;
    double *wall = right ? r->x : r->x + m - 1;
    const int step = right ? 1 : -1;
    wall[step] = e->from3 * wall[2 * step] + e->from4 * wall[3 * step];
    wall[0] = -e->a1 * wall[step];
    r->count = m;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static enum sw_status create_responses(struct sw_fd *fd, struct fd_cut_simd *s)
{
    const struct fd_cut *cut = &fd->cut;
    const size_t m = (size_t)cut->m;
    if (cut->left) sw_array(&fd->arrays, m, &s->u.x);
    if (cut->right) sw_array(&fd->arrays, m, &s->l.x);
    if (!fd->arrays.status && !fd->arrays.counts) {
        if (cut->left) extend(cut, false, &cut->u[0], &s->u);
        if (cut->right) extend(cut, true, &cut->l[0], &s->l);
    }
    /* counted before the responses are known: as many as they may have */
    const int64_t most = smaller(cut->m, fd_decay_length(cut->line, 0x1p-60) + 4);
    const int64_t u = fd->arrays.counts && cut->left ? most : s->u.count;
    const int64_t l = fd->arrays.counts && cut->right ? most : s->l.count;
    s->kept_left = s->in_place ? 0 : u + l >= cut->m ? cut->m : u;
    s->kept_right = s->in_place || u + l >= cut->m ? 0 : l;
    sw_array(&fd->arrays, (size_t)(s->kept_left + s->kept_right) * s->all, &s->kept);
    return fd->arrays.status;
}

enum sw_status fd_cut_simd_create(struct sw_fd *fd, int threads, struct fd_cut_simd *s)
{
    const struct fd_cut *cut = &fd->cut;
    struct sw_fd_line line = *cut->line;
    *s = (struct fd_cut_simd){.threads = threads, .all = fd->outer * fd->stride,
                              .in_place = !fd->desc.single && !fd->desc.add};
    line.n = cut->m;
    line.periodic = false;
    s->lines = s->all < FD_GROUP || cut->m > LONG ? FD_GROUP_SMALL : FD_GROUP;
    s->room = (size_t)(cut->m + 2 * SW_FD_HALF_WIDTH + 2) * (size_t)s->lines;
    sw_array(&fd->arrays, 2 * s->room * (size_t)threads, &s->work);
    SW_TRY(fd_simd_part_create(&line, cut->left, cut->right, &fd->arrays, &s->c));
    return create_responses(fd, s);
}

/* ------------------------------------------------------------------ x_r */

static struct fd_simd_copy copy_of(const struct sw_fd *fd, const struct fd_cut_simd *s, size_t group)
{
    const size_t m = (size_t)fd->cut.m, first = group * (size_t)s->lines;
    struct fd_simd_copy c = {.lines = s->lines, .points = fd->cut.m, .n = fd->cut.m, .stride = fd->stride};
    c.count = s->all - first < (size_t)s->lines ? (int)(s->all - first) : s->lines;
    for (int l = 0; l < c.count; l++) {
        const size_t id = first + (size_t)l;
        c.segment[l] = (struct fd_segment){.base = id / fd->stride * fd->stride * m + id % fd->stride,
                                           .skip = s->kept_left, .keep = fd->cut.m - s->kept_left - s->kept_right};
    }
    if (first + (size_t)s->lines + 8 < s->all) c.ahead = 8 * m;
    return c;
}

/* to [halo][lines] := the neighbour's points of a group. */
static void gather_beside(const double *from, size_t stride, int halo, size_t first, int count, int lines, double *to)
{
    for (int l = 0; l < lines; l++) {
        const size_t id = first + (size_t)l, at = id / stride * (size_t)halo * stride + id % stride;
        for (int k = 0; k < halo; k++) to[k * lines + l] = l < count ? from[at + (size_t)k * stride] : 0;
    }
}

static void keep(const struct fd_cut_simd *s, int64_t m, size_t first, int count, const double *y)
{
    double *to = s->kept + first;
    for (int64_t i = 0; i < s->kept_left + s->kept_right; i++, to += s->all) {
        const int64_t point = i < s->kept_left ? i : m - s->kept_right + (i - s->kept_left);
        memcpy(to, y + point * s->lines, (size_t)count * sizeof *to);
    }
}

static void solve_group(const struct sw_fd *fd, const struct fd_cut_simd *s, const struct fd_beside *beside,
                        size_t group, const void *f, void *out, double *first, double *last, double *work)
{
    const struct fd_cut *cut = &fd->cut;
    const struct fd_simd_copy c = copy_of(fd, s, group);
    const size_t id = group * (size_t)s->lines, width = (size_t)s->lines, base = c.segment[0].base;
    const bool side_by_side = !fd->desc.single && fd->stride > 1 && c.count == s->lines &&
                              c.segment[c.count - 1].base == base + width - 1;
    double *y = work + s->room, *before = work + (size_t)cut->m * width;
    double *after = before + (size_t)cut->halo_left * width, *g = y;
    const double *from = side_by_side ? (const double *)f + base : work;
    const size_t f_stride = side_by_side ? fd->stride : width;
    size_t g_stride = width;
    if (cut->left) gather_beside(beside->left, beside->stride, cut->halo_left, id, c.count, s->lines, before);
    if (cut->right) gather_beside(beside->right, beside->stride, cut->halo_right, id, c.count, s->lines, after);
    if (!side_by_side && fd->desc.single) fd_simd_gather_float(&c, f, work);
    else if (!side_by_side) fd_simd_gather_double(&c, f, work);
    if (side_by_side && s->in_place) {
        g = (double *)out + base;
        g_stride = fd->stride;
    }
    fd_simd_part_apply(&s->c, s->lines, from, f_stride, before, after, y, g, g_stride);
    if (first) memcpy(first + id, g, (size_t)c.count * sizeof *first);
    if (last) memcpy(last + id, g + (size_t)(cut->m - 1) * g_stride, (size_t)c.count * sizeof *last);
    if (g != y) return;
    keep(s, cut->m, id, c.count, y);
    if (fd->desc.single) fd_simd_scatter_float(&c, y, fd->desc.add, out);
    else fd_simd_scatter_double(&c, y, fd->desc.add, out);
}

void fd_cut_simd_solve(const struct sw_fd *fd, const struct fd_cut_simd *s, const struct fd_beside *beside,
                       const void *f, void *out, double *first, double *last)
{
    const size_t groups = (s->all + (size_t)s->lines - 1) / (size_t)s->lines;
#pragma omp parallel for schedule(dynamic, 4) num_threads(s->threads) if (s->threads > 1)
    for (size_t k = 0; k < groups; k++)
        solve_group(fd, s, beside, k, f, out, first, last, s->work + (size_t)omp_get_thread_num() * 2 * s->room);
}

/* ------------------------------------------------------------------ A u and B l */

/* Of lines along x, one by one. */
static void finish_line(const struct sw_fd *fd, const struct fd_cut_simd *s, const double *A, const double *B,
                        size_t line, double *out)
{
    const int64_t m = fd->cut.m;
    double *x = out + line * (size_t)m;
    if (A)
        for (int64_t i = 0; i < s->u.count; i++) x[i] += A[line] * s->u.x[i];
    if (B)
        for (int64_t i = m - s->l.count; i < m; i++) x[i] += B[line] * s->l.x[i];
}

/* Of `count` lines side by side from number `line` on; base: where the first of them begins. */
static void finish_rows(const struct sw_fd *fd, const struct fd_cut_simd *s, const double *A, const double *B,
                        size_t line, size_t base, size_t count, double *out)
{
    const int64_t m = fd->cut.m;
    for (int64_t i = 0; A && i < s->u.count; i++) {
        double *x = out + base + (size_t)i * fd->stride;
        const double u = s->u.x[i];
        for (size_t j = 0; j < count; j++) x[j] += A[line + j] * u;
    }
    for (int64_t i = m - s->l.count; B && i < m; i++) {
        double *x = out + base + (size_t)i * fd->stride;
        const double l = s->l.x[i];
        for (size_t j = 0; j < count; j++) x[j] += B[line + j] * l;
    }
}

/* Of kept results: number i of them, of `count` lines. */
static void finish_kept(const struct sw_fd *fd, const struct fd_cut_simd *s, const double *A, const double *B,
                        int64_t i, size_t line, size_t count, void *out)
{
    const int64_t m = fd->cut.m, point = i < s->kept_left ? i : m - s->kept_right + (i - s->kept_left);
    const size_t word = sw_reals_word(fd->desc.single);
    const double *kept = s->kept + (size_t)i * s->all + line;
    for (size_t j = 0; j < count; j++) {
        const size_t id = line + j,
                     at = (id / fd->stride * (size_t)m + (size_t)point) * fd->stride + id % fd->stride;
        double x = kept[j];
        if (A && point < s->u.count) x += A[id] * s->u.x[point];
        if (B && point >= m - s->l.count) x += B[id] * s->l.x[point];
        sw_reals_set(out, word, at, fd->desc.add ? sw_reals_at(out, word, at) + x : x);
    }
}

void fd_cut_simd_finish(const struct sw_fd *fd, const struct fd_cut_simd *s, const double *A, const double *B,
                        void *out)
{
    const size_t each = s->in_place && fd->stride > 1 ? (fd->stride + SIDE - 1) / SIDE : 1;
    const size_t blocks = !s->in_place ? (s->all + SIDE - 1) / SIDE : fd->stride == 1 ? s->all : each * fd->outer;
#pragma omp parallel for schedule(static) num_threads(s->threads) if (s->threads > 1)
    for (size_t k = 0; k < blocks; k++) {
        if (!s->in_place) {
            const size_t line = k * SIDE, count = s->all - line < SIDE ? s->all - line : SIDE;
            for (int64_t i = 0; i < s->kept_left + s->kept_right; i++) finish_kept(fd, s, A, B, i, line, count, out);
        } else if (fd->stride == 1) finish_line(fd, s, A, B, k, out);
        else {
            const size_t o = k / each, first = k % each * SIDE, left = fd->stride - first;
            finish_rows(fd, s, A, B, o * fd->stride + first, o * fd->stride * (size_t)fd->cut.m + first,
                        left < SIDE ? left : SIDE, out);
        }
    }
}
