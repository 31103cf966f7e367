/* Compact differences on GPUs of lines that are cut over ranks: each result is written once, by the kernel of
 * cuda.fused, to which the values beside a part are what its segments are to each other. They are known before it
 * begins, from sums over the ends of the parts (cuda/fd/fd_cut_rtc.cuh): one message to each neighbour.
 *
 * Lines go in two batches. While the message of the first, smaller one is on its way, the ends of the second are summed
 * up; that of the second is, while the kernel works on the first.
 *
 * Sums are infinite ones cut off below 2^-56, and the far end of a part is not felt: parts are as long as that takes.
 *
 * With five diagonals x1 solves the first factor, and x the second with x1 as its right-hand side. Of all r on both
 * sides of the interface, with e_k and f_k of factor k, s = q_0 q_1/(1 - q_0 q_1) and t = 1/(q_1 - q_0),
 *     x1_{-1-j} = sigma_0 sum q_0^|..| r,   Y_1 = sum q_1^j x1_{-1-j}
 *               = sigma_0 ((1 + s + q_0 t) e_1 - q_0 t e_0 + s/q_1 f_0),
 *     X_1 = x_0 = sum (a_0 q_0^|..| + a_1 q_1^|..|) r = a_0 (f_0 + q_0 e_0) + a_1 (f_1 + q_1 e_1),
 *     a_0 = sigma_0 sigma_1 (s - q_0 t),    a_1 = sigma_0 sigma_1 (s + q_1 t). */
#include <math.h>
#include <stdio.h>

#include "base/sw_err.h"
#include "base/sw_reals.h"
#include "fd/fd_cut_point.h"
#include "fd/fd_fused_cuda.h"
#include "fd/sw_fd_impl.h"

typedef long double wide;

enum { THREADS = 256 };                /* of a block of ends_k and beside_k                                     */
enum { LEAST_POINTS = 1 << 24 };       /* of the first of two batches                                           */

struct truncated {
    struct sw_fd_fused_part part;      /* its own kernels: ends_k, beside_k                                     */
    struct sw_fd_cut_ends   d;         /* of all lines                                                          */
    long long               first;     /* lines of the first batch                                              */
    size_t                  numbers;   /* of a message, for a line                                              */
    double                 *sent[2], *received[2];  /* [lines*numbers], to and from the neighbour on each side  */
};

static const struct sw_kernel_source ends_source = {
    .label = FD_LABEL,
    .before = {"base/sw_hd.h", "fd/fd_rhs_point.h", "fd/fd_cut_point.h"},
    .after = {"cuda/fd/fd_cut_rtc.cuh"},
    .kernel = {"ends_k", "beside_k"},
};

/* ------------------------------------------------------------------ parts */

enum sw_status sw_fd_fused_part_describe(const struct sw_fd *fd, struct sw_fd_fused_part *p)
{
    p->line = *fd;
    p->line.line.n = fd->cut.m;
    p->line.arrays = (struct sw_owned){.device = fd->device};
    p->sides = fd->cut.left + fd->cut.right;
    p->lines = (long long)(fd->outer * fd->stride);
    if (p->lines < INT32_MAX) return SW_OK;
    return SW_FAIL(SW_E_ABSENT, "cuda.fused: %lld lines that are cut: it does up to 2^31", p->lines);
}

enum sw_status sw_fd_fused_part_numbers(const struct sw_fd_fused_part *p, struct fd_rhs *rhs, double q[2])
{
    const struct sw_fd_line *line = &p->line.line;
    struct sw_fd_fused f;
    int points = 0;
    SW_TRY(sw_fd_fused_coefficients(&p->line, &points, &f));
    const wide a = f.factor.back, b = line->beta != 0 ? f.factor_2.back : 0;
    fd_rhs_make(line, (1 + a * a) * (1 + b * b) + 2 * a * b, rhs);
    q[0] = f.factor.back;
    q[1] = (double)b;
    return SW_OK;
}

enum sw_status sw_fd_fused_part_create(struct sw_fd_fused_part *p, const struct sw_kernel_source *source,
                                       struct sw_text *text)
{
    struct sw_fd_fused_shape shape;
    enum sw_status st = sw_fd_fused_best(&p->line, &p->line.device->on_chip, &shape);
    if (!st) st = sw_fd_fused_create(&p->line, &shape, &p->fused);
    if (st) sw_text_free(text);
    return st ? st : sw_kernels_create(p->line.device, source, text, &p->beside);
}

void sw_fd_fused_part_destroy(struct sw_fd_fused_part *p)
{
    if (!p->line.device) return;
    sw_kernels_destroy(p->line.device, &p->beside);
    sw_fd_fused_destroy(&p->line, &p->fused);
}

enum sw_status sw_fd_fused_part_solve(const struct sw_fd_fused_part *p, struct sw_fd_fused_cut cut, const void *f,
                                      void *out)
{
    const struct sw_fd_fused_kernel *k = &p->fused;
    struct sw_fd_fused d = k->d;
    const long long tile = k->shape.tile_lines;
    unsigned tiles = (unsigned)((cut.lines + tile - 1) / tile * d.chunks);
    int tile_size = k->tile_size, grid = k->grid;
    unsigned *next = k->next_tile;
    cut.tile = (unsigned)(cut.line / tile * d.chunks);
    d.cut = cut;
    if (tiles < (unsigned)grid) grid = (int)tiles;
    return sw_kernel_launch(p->line.device, k->kernels.kernel[0], grid, 1, k->threads, k->shared,
                            (void *[]){&d, &f, &out, &tile_size, &tiles, &next});
}

const char *sw_fd_fused_part_refuse(struct fd_cut *cut)
{
    struct sw_fd_line part = *cut->line;
    part.n = cut->m;
    return sw_fd_fused_fits(&part) ? NULL : "cuda.fused, whose kernel it takes, does not do such lines";
}

/* ------------------------------------------------------------------ numbers */

static int points_summed(const struct sw_fd_line *line) { return (int)fd_decay_length(line, 0x1p-56); }

/* Points that a part needs: those of a sum, the stencils around them, and the special rows at a wall. */
static int64_t least_points(const struct sw_fd_line *line)
{
    return points_summed(line) + line->half_width + sw_fd_fused_wall_rows(line);
}

static void set_values(int factors, struct sw_fd_cut_ends *d)
{
    const wide q0 = d->q[0], sigma0 = 1 / (1 - q0 * q0);
    d->from_e[0][0][0] = 1;
    d->from_f[1][0][0] = (double)sigma0;
    d->from_e[1][0][0] = (double)(sigma0 * q0);
    if (factors == 1) return;
    const wide q1 = d->q[1], sigma1 = 1 / (1 - q1 * q1), s = q0 * q1 / (1 - q0 * q1), t = 1 / (q1 - q0);
    const wide a0 = sigma0 * sigma1 * (s - q0 * t), a1 = sigma0 * sigma1 * (s + q1 * t);
    d->from_e[0][1][1] = (double)(sigma0 * (1 + s + q0 * t));
    d->from_e[0][1][0] = (double)(-sigma0 * q0 * t);
    d->from_f[0][1][0] = (double)(sigma0 * q0 / (1 - q0 * q1));
    d->from_f[1][1][0] = (double)a0;
    d->from_e[1][1][0] = (double)(a0 * q0);
    d->from_f[1][1][1] = (double)a1;
    d->from_e[1][1][1] = (double)(a1 * q1);
}

static enum sw_status set_numbers(const struct sw_fd_fused_part *p, struct sw_fd_cut_ends *d)
{
    const struct sw_fd_line *line = &p->line.line;
    SW_TRY(sw_fd_fused_part_numbers(p, &d->rhs, d->q));
    d->stride = (long long)p->line.stride;
    d->m = p->line.line.n;
    d->points = points_summed(line);
    d->first_end = p->line.cut.left ? 0 : 1;
    set_values(sw_fd_fused_factors(line), d);
    return SW_OK;
}

/* ------------------------------------------------------------------ set-up */

static void add_constants(const struct truncated *t, struct sw_text *text)
{
    const struct sw_fd *part = &t->part.line;
    const struct sw_fd_line *line = &part->line;
    sw_text_printf(text, "typedef %s real_t;\n", part->desc.single ? "float" : "double");
    sw_text_printf(text, "enum { HALF_WIDTH = %d, FACTORS = %d, SECOND = %d, UP = %d, DOWN = %d };\n",
                   line->half_width, sw_fd_fused_factors(line), line->kind == SW_FD_SECOND, line->up, line->down);
}

/* All but arrays and kernels. */
static enum sw_status describe(const struct sw_fd *fd, struct truncated *t)
{
    SW_TRY(sw_fd_fused_part_describe(fd, &t->part));
    t->numbers = 2 * (size_t)fd->line.half_width * sw_reals_word(fd->desc.single) / sizeof(double) +
                 (size_t)sw_fd_fused_factors(&fd->line);
    return set_numbers(&t->part, &t->d);
}

/* A third of the lines, in whole tiles; all of them, where these are too few points for a message of their own. */
static long long lines_of_first_batch(const struct sw_fd_fused_part *p)
{
    const int tile = p->fused.shape.tile_lines;
    const long long third = (p->lines / 3 + tile - 1) / tile * tile;
    return third * p->line.line.n < LEAST_POINTS ? p->lines : third;
}

static enum sw_status create(struct sw_fd *fd)
{
    struct truncated *t = fd->own;
    struct sw_text text = {0};
    SW_TRY(describe(fd, t));
    for (int end = 0; end < 2; end++) {
        if (!(end ? fd->cut.right : fd->cut.left)) continue;
        sw_array_device(&fd->arrays, (size_t)t->part.lines * t->numbers, &t->sent[end]);
        sw_array_device(&fd->arrays, (size_t)t->part.lines * t->numbers, &t->received[end]);
        for (int k = 0; k < sw_fd_fused_factors(&fd->line); k++)
            sw_array_device(&fd->arrays, (size_t)t->part.lines, &t->d.value[end][k]);
    }
    if (fd->arrays.status || fd->arrays.counts) return fd->arrays.status;
    add_constants(t, &text);
    SW_TRY(sw_fd_fused_part_create(&t->part, &ends_source, &text));
    t->first = lines_of_first_batch(&t->part);
    return SW_OK;
}

static void destroy(struct sw_fd *fd) { sw_fd_fused_part_destroy(&((struct truncated *)fd->own)->part); }

/* ------------------------------------------------------------------ apply */

/* The batch that begins with a line, and where its messages are. */
static struct sw_fd_cut_ends batch_of(const struct truncated *t, long long line)
{
    struct sw_fd_cut_ends d = t->d;
    const size_t at = (size_t)line * t->numbers;
    d.line = line;
    d.lines = line ? t->part.lines - line : t->first;
    for (int end = 0; end < 2; end++) {
        if (!t->sent[end]) continue;
        d.message[end] = t->sent[end] + at;
        d.received[end] = t->received[end] + at;
    }
    return d;
}

static enum sw_status launch_ends(const struct truncated *t, const struct sw_fd_cut_ends *d, int kernel, void **args)
{
    const int blocks = (int)((d->lines + THREADS - 1) / THREADS);
    return sw_kernel_launch(t->part.line.device, t->part.beside.kernel[kernel], blocks, t->part.sides, THREADS, 0,
                            args);
}

static enum sw_status sum_ends(const struct truncated *t, const void *f, long long line)
{
    struct sw_fd_cut_ends d = batch_of(t, line);
    return launch_ends(t, &d, 0, (void *[]){&d, &f});
}

static enum sw_status begin_exchange(const struct truncated *t, long long line)
{
    const struct sw_fd_cut_ends d = batch_of(t, line);
    const size_t count = (size_t)d.lines * t->numbers;
    return sw_comm_exchange_begin(t->part.line.cut.comm, t->part.line.line.periodic,
                                  &(struct sw_comm_transfer){count, d.message[0], (double *)d.received[1]},
                                  &(struct sw_comm_transfer){count, d.message[1], (double *)d.received[0]});
}

static enum sw_status solve(const struct truncated *t, const void *f, void *out, long long line)
{
    struct sw_fd_cut_ends e = batch_of(t, line);
    struct sw_fd_fused_cut cut = {e.received[0], e.received[1], .line = line, .lines = e.lines, .apart = 1,
                                  .planes = 2 * t->part.line.line.half_width};
    for (int j = 0; j < 2; j++) {
        cut.Y[j] = e.value[0][j];
        cut.X[j] = e.value[1][j];
    }
    if (t->part.sides) SW_TRY(launch_ends(t, &e, 1, (void *[]){&e}));
    return sw_fd_fused_part_solve(&t->part, cut, f, out);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    const struct truncated *t = fd->own;
    const bool alone = !t->part.sides;
    const long long all = t->part.lines;
    if (!alone) SW_TRY(sum_ends(t, f, 0));
    if (!alone) SW_TRY(begin_exchange(t, 0));
    for (long long line = 0, next; line < all; line = next) {
        next = line ? all : t->first;
        if (!alone && next < all) SW_TRY(sum_ends(t, f, next));
        if (!alone) SW_TRY(sw_comm_exchange_end(fd->cut.comm));
        if (!alone && next < all) SW_TRY(begin_exchange(t, next));
        SW_TRY(solve(t, f, out, line));
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ the row */

static const char *refuse_cut(struct fd_cut *cut)
{
    const int64_t least = least_points(cut->line);
    const char *why = sw_fd_fused_part_refuse(cut);
    for (int r = 0; r < cut->comm->size && !why; r++) {
        const int64_t m = fd_cut_points(cut, r);
        if (m >= least) continue;
        snprintf(cut->why, sizeof cut->why, "rank %d of %d has m = %lld points, and it needs %lld, over which an "
                 "influence falls below rounding", r, cut->comm->size, (long long)m, (long long)least);
        return cut->why;
    }
    return why ? why : fd_cut_refuse_truncation(cut);
}

/* As cuda.fused; and the points at both ends are read once more. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const bool second = line->kind == SW_FD_SECOND;
    const double ends = 2.0 * (points_summed(line) + 2 * line->half_width) / (double)desc->n[desc->axis];
    const double stencil = (line->centre != 0) + (second ? 4 : 2) * line->half_width;
    return (struct sw_cost){((desc->add ? 3 : 2) + ends) * (desc->single ? 4 : 8),
                            (1 + ends) * stencil + (line->beta != 0 ? 8 : 4)};
}

extern const struct sw_fd_ops fd_truncated_cuda;
const struct sw_fd_ops fd_truncated_cuda = {
    .name = "cuda.truncated",
    .about = "of lines cut over ranks: cuda.fused, with the values beside a part from sums at its ends (DistD2)",
    .space = SW_DEVICE,
    .adds = true,
    .refuse_cut = refuse_cut,
    .own_size = sizeof(struct truncated),
    .create = create,
    .apply = apply,
    .destroy = destroy,
    .cost = cost,
};
