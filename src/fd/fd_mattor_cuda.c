/* Compact differences on GPUs of lines that are cut over ranks into parts of any length: cuda.fused with the values
 * beside a part from Mattor's closure (src/fd/fd_mattor_point.h). For a line a rank sends half-width points to each
 * neighbour, its two sums (four with five diagonals) to the rank that has this line's reduced system, as many lines for
 * each, and gets as many values back. */
#include <math.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "fd/fd_closure.h"
#include "fd/fd_fused_cuda.h"
#include "fd/fd_mattor_point.h"
#include "fd/sw_fd_impl.h"

typedef long double wide;

enum { THREADS = 256 };                /* of a block                                                            */
enum { PLANES, PRIMARY, REDUCED };     /* the kernels                                                           */

struct mattor {
    struct sw_fd_fused_part part;
    struct fd_mattor d;
    void          *to[2], *from[2];    /* [planes][lines], to and from the neighbour on each side               */
    struct fd_mattor_rank *rank;       /* on the device                                                         */
    size_t        *of_rank, *of_share; /* [size] numbers of this rank in the share of each; of each in its own  */
};

static const struct sw_kernel_source source = {
    .label = FD_LABEL,
    .before = {"base/sw_hd.h", "fd/fd_rhs_point.h", "fd/fd_mattor_point.h"},
    .after = {"cuda/fd/fd_mattor_rtc.cuh"},
    .kernel = {"planes_k", "primary_k", "reduced_k"},
};

/* ------------------------------------------------------------------ numbers */

/* E and F of the second factor from sums over y of the first. With e and f those of q_0^(i+1) and q_0^(m-i):
 *     E = (H - q_1^m q_0 F_0)/(1 - q_0 q_1),    F = ((q_0 F_0 - q_1 G)/(q_0 - q_1) - q_1^(m+1) E)/(1 - q_1^2) */
static void set_second(struct fd_mattor *d)
{
    const wide a = d->q[0], b = d->q[1], to_m = powl(b, d->m), left = 1 - b * b;
    d->E_H = (double)(1 / (1 - a * b));
    d->E_F = (double)(-to_m * a / (1 - a * b));
    d->F_F = (double)(a / (a - b) / left);
    d->F_G = (double)(-b / (a - b) / left);
    d->F_E = (double)(-to_m * b / left);
}

static void set_second_of_rank(wide a, wide b, wide m, struct fd_mattor_rank *r)
{
    const wide sigma = 1 / (1 - a * a), nu = sigma * powl(a, m + 1), far = powl(b, m + 1), left = 1 - b * b;
    const wide up = a * (powl(a, m) - powl(b, m)) / (a - b), down = a * (1 - powl(a * b, m)) / (1 - a * b);
    const wide F_up = (down - far * up) / left, F_down = (up - far * down) / left;
    r->E_of[0] = (double)(sigma * up - nu * down);
    r->E_of[1] = (double)down;
    r->F_of[0] = (double)(sigma * F_up - nu * F_down);
    r->F_of[1] = (double)F_down;
}

/* @param first, m  the points of the rank */
static void set_rank(const struct fd_mattor *d, const struct fd_cut *cut, int factors, int64_t first, int64_t m,
                     struct fd_mattor_rank *r)
{
    const struct sw_fd_line *line = cut->line;
    const int64_t end = first + m;
    *r = (struct fd_mattor_rank){.mu = {0}};
    for (int k = 0; k < factors; k++) {
        const wide q = d->q[k];
        r->mu[k] = (double)powl(q, m);
        r->kappa[k] = (double)((q - powl(q, 2 * m + 1)) / (1 - q * q));
        if (line->periodic) r->before[k] = (double)powl(q, first);
        if (line->periodic) r->X_far[k] = (double)powl(q, line->n - end);
    }
    if (factors == 2) set_second_of_rank(d->q[0], d->q[1], m, r);
    if (line->periodic) return;
    const wide q = d->q[0];
    if (first > 0) r->Y_near = (double)(powl(q, first - d->K) * (1 - q * q));
    if (first > 0) r->X_near = (double)powl(q, end - d->K + 1);
    if (end < line->n) r->X_far[0] = (double)powl(q, line->n - d->K - end);
}

static enum sw_status set_walls(const struct sw_fd_line *line, int64_t first, int64_t last, struct fd_mattor *d)
{
    const wide q = d->q[0], sigma = 1 / (1 - q * q);
    struct fd_closure c;
    SW_TRY(fd_closure_make(line, q, false, &c));
    const int K = c.K;
    d->K = K;
    d->wall_points = c.points;
    for (int l = 0; l < c.points; l++) d->wall[l] = c.weight[K - 1][l];
    d->v = c.v[K - 1];
    d->same = c.same;
    d->other = c.other;
    d->of_X = (double)(d->v * powl(q, first - K) - powl(q, first - K + 1));
    d->of_Y = (double)(sigma * (d->v * (powl(q, last - K) - powl(q, last + K + 2)) - powl(q, last - K + 1) +
                                powl(q, last + K + 1)));
    return SW_OK;
}

/* Lines of which a rank has the reduced systems. */
static long long share_of(long long lines, int rank, int size)
{
    return lines / size + (rank < lines % size);
}

/* What does not depend on memory. @param rank  out [comm->size], on the host; NULL: not wanted */
static enum sw_status set_numbers(const struct sw_fd_fused_part *p, struct fd_mattor *d, struct fd_mattor_rank *rank)
{
    const struct fd_cut *cut = &p->line.cut;
    const struct sw_fd_line *line = cut->line;
    const int factors = sw_fd_fused_factors(line), last = cut->comm->size - 1;
    SW_TRY(sw_fd_fused_part_numbers(p, &d->rhs, d->q));
    d->stride = (long long)p->line.stride;
    d->m = cut->m;
    d->lines = p->lines;
    d->planes = line->half_width + (line->up < 0);  /* left of a point is right of the one before */
    d->size = cut->comm->size;
    d->share = share_of(p->lines, cut->comm->rank, d->size);
    if (!line->periodic) SW_TRY(set_walls(line, fd_cut_points(cut, 0), fd_cut_points(cut, last), d));
    d->reach = fd_decay_length(line, 0x1p-60) + d->K + 1;
    for (int k = 0; k < factors && line->periodic; k++) d->around[k] = (double)(1 / (1 - powl(d->q[k], line->n)));
    if (factors == 2) set_second(d);
    for (int64_t r = 0, first = 0; r <= last && rank; first += fd_cut_points(cut, (int)r++))
        set_rank(d, cut, factors, first, fd_cut_points(cut, (int)r), &rank[r]);
    return SW_OK;
}

/* ------------------------------------------------------------------ set-up */

static void add_constants(const struct sw_fd_fused_part *p, struct sw_text *text)
{
    const struct sw_fd_line *line = &p->line.line;
    sw_text_printf(text, "enum { SINGLE = %d, HALF_WIDTH = %d, SECOND = %d, UP = %d, DOWN = %d, FACTORS = %d,\n",
                   p->line.desc.single, line->half_width, line->kind == SW_FD_SECOND, line->up, line->down,
                   sw_fd_fused_factors(line));
    sw_text_printf(text, "       NEAR_WALL = %d, FAR_WALL = %d };\n", sw_fd_fused_near_wall(&p->line),
                   sw_fd_fused_far_wall(&p->line));
}

/* Doubles of so many planes of the field. */
static size_t doubles_of(const struct mattor *t)
{
    const size_t bytes = (size_t)t->d.planes * (size_t)t->d.lines * sw_reals_word(t->part.line.desc.single);
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

static void allocate(struct mattor *t, struct sw_owned *arrays)
{
    const struct fd_cut *cut = &t->part.line.cut;
    const size_t size = (size_t)t->d.size, each = 2 * (size_t)sw_fd_fused_factors(cut->line);
    for (int end = 0; end < 2; end++) {
        if (!(end ? cut->right : cut->left)) continue;
        sw_array_bytes(arrays, SW_ARRAY_DEVICE, doubles_of(t), sizeof(double), &t->to[end]);
        sw_array_bytes(arrays, SW_ARRAY_DEVICE, doubles_of(t), sizeof(double), &t->from[end]);
    }
    sw_array_device(arrays, (size_t)t->d.lines * each, &t->d.sums);
    sw_array_device(arrays, size * (size_t)t->d.share * each, &t->d.shared);
    sw_array_device(arrays, size, &t->rank);
    sw_array(arrays, size, &t->of_rank);
    sw_array(arrays, size, &t->of_share);
    if (arrays->status || arrays->counts) return;
    for (int r = 0; r < t->d.size; r++) {
        t->of_rank[r] = (size_t)share_of(t->d.lines, r, t->d.size) * each;
        t->of_share[r] = (size_t)t->d.share * each;
    }
    t->d.left = t->from[0];
    t->d.right = t->from[1];
    t->d.rank = t->rank;
}

static enum sw_status upload_ranks(struct mattor *t, struct sw_device *device)
{
    struct fd_mattor_rank *rank = NULL;
    enum sw_status st = sw_alloc((size_t)t->d.size, &rank);
    if (!st) st = set_numbers(&t->part, &t->d, rank);
    if (!st) st = sw_device_upload(device, t->rank, rank, (size_t)t->d.size * sizeof *rank);
    sw_free(rank);
    return st;
}

static enum sw_status describe(const struct sw_fd *fd, struct mattor *t)
{
    SW_TRY(sw_fd_fused_part_describe(fd, &t->part));
    return set_numbers(&t->part, &t->d, NULL);
}

static enum sw_status create(struct sw_fd *fd)
{
    struct mattor *t = fd->own;
    struct sw_text text = {0};
    SW_TRY(describe(fd, t));
    if (t->part.sides) allocate(t, &fd->arrays);
    if (fd->arrays.status || fd->arrays.counts) return fd->arrays.status;
    if (t->part.sides) SW_TRY(upload_ranks(t, fd->device));
    add_constants(&t->part, &text);
    return sw_fd_fused_part_create(&t->part, &source, &text);
}

static void destroy(struct sw_fd *fd) { sw_fd_fused_part_destroy(&((struct mattor *)fd->own)->part); }

/* ------------------------------------------------------------------ apply */

static enum sw_status launch(const struct mattor *t, int kernel, long long lines, int rows, void **args)
{
    const int blocks = (int)((lines + THREADS - 1) / THREADS);
    return sw_kernel_launch(t->part.line.device, t->part.beside.kernel[kernel], blocks, rows, THREADS, 0, args);
}

static enum sw_status fetch_planes(const struct mattor *t, const void *f)
{
    struct fd_mattor d = t->d;
    void *left = t->to[0], *right = t->to[1];
    const size_t count = doubles_of(t);
    SW_TRY(launch(t, PLANES, d.lines, 1, (void *[]){&d, &f, &left, &right}));
    return sw_comm_exchange(t->part.line.cut.comm, t->part.line.line.periodic,
                            &(struct sw_comm_transfer){count, left, t->from[1]},
                            &(struct sw_comm_transfer){count, right, t->from[0]});
}

/* Y and X of all lines, to d.sums. */
static enum sw_status find_beside(const struct mattor *t, const void *f)
{
    const struct sw_comm *comm = t->part.line.cut.comm;
    struct fd_mattor d = t->d;
    SW_TRY(launch(t, PRIMARY, d.lines, 1, (void *[]){&d, &f}));
    SW_TRY(sw_comm_all_to_all(comm, t->of_rank, d.sums, t->of_share, d.shared));
    SW_TRY(launch(t, REDUCED, d.share, 1, (void *[]){&d}));
    return sw_comm_all_to_all(comm, t->of_share, d.shared, t->of_rank, d.sums);
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    const struct mattor *t = fd->own;
    struct sw_fd_fused_cut cut = {t->from[0], t->from[1], .lines = t->d.lines, .planes = t->d.planes,
                                  .apart = 2 * sw_fd_fused_factors(&fd->line)};
    for (int k = 0; k < sw_fd_fused_factors(&fd->line) && t->part.sides; k++) {
        if (fd->cut.left) cut.Y[k] = t->d.sums + 2 * k;
        if (fd->cut.right) cut.X[k] = t->d.sums + 2 * k + 1;
    }
    if (t->part.sides) SW_TRY(fetch_planes(t, f));
    if (t->part.sides) SW_TRY(find_beside(t, f));
    return sw_fd_fused_part_solve(&t->part, cut, f, out);
}

/* ------------------------------------------------------------------ the row */

/* As cuda.fused; and the points of a part, or of its ends, are read once more. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const bool second = line->kind == SW_FD_SECOND;
    const double ends = fmin(1, 2.0 * (double)fd_decay_length(line, 0x1p-60) / (double)desc->n[desc->axis]);
    const double stencil = (line->centre != 0) + (second ? 4 : 2) * line->half_width;
    return (struct sw_cost){((desc->add ? 3 : 2) + ends) * (desc->single ? 4 : 8),
                            (1 + ends) * (stencil + (line->beta != 0 ? 4 : 2)) + (line->beta != 0 ? 8 : 4)};
}

extern const struct sw_fd_ops fd_mattor_cuda;
const struct sw_fd_ops fd_mattor_cuda = {
    .name = "cuda.mattor",
    .about = "of lines cut over ranks, however thin: cuda.fused, with the values beside a part solved for exactly",
    .space = SW_DEVICE,
    .adds = true,
    .refuse_cut = sw_fd_fused_part_refuse,
    .own_size = sizeof(struct mattor),
    .create = create,
    .apply = apply,
    .destroy = destroy,
    .cost = cost,
};
