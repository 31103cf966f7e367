#include "fd/fd_cut_simd.h"

#include <omp.h>
#include <string.h>

#include "base/sw_reals.h"
#include "fd/fd_simd_copy.h"

enum { LONG = 4096 };   /* points of a part, from which fewer lines go side by side */
enum { BLOCK = 1024 };  /* lines that are finished together, row by row             */

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
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static enum sw_status create_responses(struct sw_fd *fd, struct fd_cut_simd *s)
{
    const struct fd_cut *cut = &fd->cut;
    /* counted before the responses are known: as many as they may have */
    const int64_t most = fd->arrays.counts ? smaller(cut->m, fd_decay_length(cut->line, 0x1p-60) + 4) : 0;
    int64_t u = cut->left ? most : 0, l = cut->right ? most : 0;
    for (int k = 0; k < cut->beside; k++) {
        if (cut->left) sw_array(&fd->arrays, (size_t)cut->m, &s->u[k].x);
        if (cut->right) sw_array(&fd->arrays, (size_t)cut->m, &s->l[k].x);
        if (fd->arrays.status || fd->arrays.counts) continue;
        if (cut->left) extend(cut, false, &cut->u[k], &s->u[k]);
        if (cut->right) extend(cut, true, &cut->l[k], &s->l[k]);
        u = larger(u, s->u[k].count);
        l = larger(l, s->l[k].count);
    }
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
    const size_t o = first / stride, s = first % stride, at = o * (size_t)halo * stride + s;
    if (count == lines && s + (size_t)lines <= stride) {
        for (int k = 0; k < halo; k++)
            memcpy(to + k * lines, from + at + (size_t)k * stride, (size_t)lines * sizeof *to);
        return;
    }
    for (int l = 0; l < lines; l++) {
        const size_t id = first + (size_t)l, there = id / stride * (size_t)halo * stride + id % stride;
        for (int k = 0; k < halo; k++) to[k * lines + l] = l < count ? from[there + (size_t)k * stride] : 0;
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

/* What a pass over all lines takes and makes. */
struct pass {
    const struct fd_beside *beside;
    const void   *f;
    double       *first, *last;  /* [beside][all lines]; NULL: not wanted */
    void         *out;
};

static void solve_group(const struct sw_fd *fd, const struct fd_cut_simd *s, const struct pass *p, size_t group,
                        double *work)
{
    const struct fd_beside *beside = p->beside;
    const struct fd_cut *cut = &fd->cut;
    const struct fd_simd_copy c = copy_of(fd, s, group);
    const size_t id = group * (size_t)s->lines, width = (size_t)s->lines, base = c.segment[0].base;
    const bool side_by_side = !fd->desc.single && fd->stride > 1 && c.count == s->lines &&
                              c.segment[c.count - 1].base == base + width - 1;
    double *y = work + s->room, *before = work + (size_t)cut->m * width;
    double *after = before + (size_t)cut->halo_left * width, *g = y;
    const double *from = side_by_side ? (const double *)p->f + base : work;
    const size_t f_stride = side_by_side ? fd->stride : width;
    size_t g_stride = width;
    if (cut->left) gather_beside(beside->left, beside->stride, cut->halo_left, id, c.count, s->lines, before);
    if (cut->right) gather_beside(beside->right, beside->stride, cut->halo_right, id, c.count, s->lines, after);
    if (!side_by_side && fd->desc.single) fd_simd_gather_float(&c, p->f, work);
    else if (!side_by_side) fd_simd_gather_double(&c, p->f, work);
    if (side_by_side && s->in_place) {
        g = (double *)p->out + base;
        g_stride = fd->stride;
    }
    fd_simd_part_apply(&s->c, s->lines, from, f_stride, before, after, y, g, g_stride);
    for (int k = 0; k < cut->beside && k < cut->m; k++) {
        const size_t at = (size_t)k * s->all + id, bytes = (size_t)c.count * sizeof *g;
        if (p->first) memcpy(p->first + at, g + (size_t)k * g_stride, bytes);
        if (p->last) memcpy(p->last + at, g + (size_t)(cut->m - 1 - k) * g_stride, bytes);
    }
    if (g != y) return;
    keep(s, cut->m, id, c.count, y);
    if (fd->desc.single) fd_simd_scatter_float(&c, y, fd->desc.add, p->out);
    else fd_simd_scatter_double(&c, y, fd->desc.add, p->out);
}

static void for_groups(const struct sw_fd *fd, const struct fd_cut_simd *s, const struct pass *p)
{
    const size_t groups = (s->all + (size_t)s->lines - 1) / (size_t)s->lines;
#pragma omp parallel for schedule(dynamic, 4) num_threads(s->threads) if (s->threads > 1)
    for (size_t k = 0; k < groups; k++)
        solve_group(fd, s, p, k, s->work + (size_t)omp_get_thread_num() * 2 * s->room);
}

void fd_cut_simd_solve(const struct sw_fd *fd, const struct fd_cut_simd *s, const struct fd_beside *beside,
                       const void *f, void *out, double *first, double *last)
{
    for_groups(fd, s, &(struct pass){.beside = beside, .f = f, .first = first, .last = last, .out = out});
}

/* ------------------------------------------------------------------ A u and B l */

/* x_i += value beside an end, of each of `count` lines, times the response to it at point i.
 * @param stride  from a point to the next; 1: there is one line
 * @param value   [beside][all lines], of the first of these lines; NULL: zeros */
static void add_response(const struct sw_fd *fd, const struct fd_cut_simd *s, bool right, const double *value,
                         size_t count, size_t stride, double *x)
{
    const int64_t m = fd->cut.m;
    for (int k = 0; k < fd->cut.beside && value; k++, value += s->all) {
        const struct fd_response *r = right ? &s->l[k] : &s->u[k];
        const int64_t begin = right ? m - r->count : 0, end = begin + r->count;
        for (int64_t i = begin; i < end && stride > 1; i++) {
            const double by = r->x[i];
            double *to = x + (size_t)i * stride;
            for (size_t j = 0; j < count; j++) to[j] += value[j] * by;
        }
        for (int64_t i = begin; i < end && stride == 1; i++) x[i] += *value * r->x[i];
    }
}

/* The same of one line `id` at point i, to the same bits. */
static double with_responses(const struct sw_fd *fd, const struct fd_cut_simd *s, const double *A, const double *B,
                             size_t id, int64_t i, double x)
{
    for (int k = 0; k < fd->cut.beside && A; k++)
        if (i < s->u[k].count) x += A[(size_t)k * s->all + id] * s->u[k].x[i];
    for (int k = 0; k < fd->cut.beside && B; k++)
        if (i >= fd->cut.m - s->l[k].count) x += B[(size_t)k * s->all + id] * s->l[k].x[i];
    return x;
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
        const double x = with_responses(fd, s, A, B, id, point, kept[j]);
        sw_reals_set(out, word, at, fd->desc.add ? sw_reals_at(out, word, at) + x : x);
    }
}

void fd_cut_simd_finish(const struct sw_fd *fd, const struct fd_cut_simd *s, const double *A, const double *B,
                        void *out)
{
    const size_t each = s->in_place ? (fd->stride + BLOCK - 1) / BLOCK : 1, m = (size_t)fd->cut.m;
    const size_t blocks = s->in_place ? each * fd->outer : (s->all + BLOCK - 1) / BLOCK;
#pragma omp parallel for schedule(static) num_threads(s->threads) if (s->threads > 1)
    for (size_t k = 0; k < blocks; k++) {
        const size_t o = k / each, first = k % each * BLOCK, line = s->in_place ? o * fd->stride + first : k * BLOCK;
        const size_t left = s->in_place ? fd->stride - first : s->all - line, count = left < BLOCK ? left : BLOCK;
        if (s->in_place) {
            double *x = (double *)out + o * fd->stride * m + first;
            add_response(fd, s, false, A ? A + line : NULL, count, fd->stride, x);
            add_response(fd, s, true, B ? B + line : NULL, count, fd->stride, x);
        } else {
            for (int64_t i = 0; i < s->kept_left + s->kept_right; i++) finish_kept(fd, s, A, B, i, line, count, out);
        }
    }
}
