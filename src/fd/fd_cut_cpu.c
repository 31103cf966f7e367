/* Compact differences of lines that are cut over ranks, on the CPU: two rows, which find the values beside a part
 * (fd_interfaces.c)
 *   exactly     N. Mattor, T. J. Williams and D. W. Hewett, Parallel Computing 21 (1995) 1769-1782: all ranks gather
 *               the x_r at all ends, two numbers a line of each rank, and each solves for its own values
 *   truncated   parts so long that their one end does not feel the other: the coupling of interfaces by u_m and l_1,
 *               which is about rho^m, is dropped. Then each interface stands alone, and one number a line goes to each
 *               neighbour (S. Laizet's x3d2 calls it DistD2). The error at an interface is at most rho^m (1 + rho)
 *               times the largest value of the result, and decays from there
 *
 * Both first solve for x_r everywhere, and later add A u and B l to the points near the ends. The engine of whole lines
 * does that (fd_cut_simd.h); here are the messages between ranks, and the values beside parts. Arithmetic is double. */
#include "base/sw_reals.h"
#include "fd/fd_cut_simd.h"
#include "fd/sw_fd_impl.h"

/* The values beside one end of a part: each a sum of terms, arrays of a number for each line. */
struct beside {
    int            terms;
    const double **term;     /* [terms] [lines]          */
    double        *weight;   /* [cut->beside][terms]     */
    double        *value;    /* [cut->beside][lines] out */
};

struct part {
    const struct fd_cut *cut;
    size_t   stride, outer;      /* of points that are sent: those of `stride` lines lie side by side */
    size_t   lines;              /* outer*stride */
    size_t   step, across;       /* in the fields: from a point to the next, stride, and from a line to the next, 1; of
                                    lines along x 1 and m */
    bool     single;
    double  *from_left, *from_right;   /* [outer][halo][stride] */
    double  *to_left, *to_right;       /* [outer][halo of that neighbour][stride] */
    double  *ends;                     /* [2][cut->beside][lines]: x_r at the first and at the last points, from the
                                          end inward; 0 at a wall */
    double  *first, *last;             /* the two; NULL at a wall */
    double  *others;                   /* exactly: [size] ends; truncated: last of the left rank, first of the right */
    struct beside A, B;
    struct fd_cut_simd simd;
};

/* ------------------------------------------------------------------ halo */

/* Point i of line s of group o, in a field. */
static size_t place_in_field(const struct part *p, size_t o, size_t s, int64_t i)
{
    return o * (size_t)p->cut->m * p->stride + s * p->across + (size_t)i * p->step;
}

/* to [outer][count][stride] := points first .. first + count - 1. Of a line along x they lie side by side. */
static void pack(const struct part *p, const void *f, int64_t first, int count, double *to)
{
    const size_t word = sw_reals_word(p->single);
    for (size_t s = 0; s < p->stride && p->across > 1; s++)
        for (int k = 0; k < count; k++)
            to[(size_t)k * p->stride + s] = sw_reals_at(f, word, place_in_field(p, 0, s, first + k));
    if (p->across > 1) return;
    for (size_t o = 0; o < p->outer; o++)
        for (int64_t i = first; i < first + count; i++, to += p->stride)
            sw_reals_get(f, word, place_in_field(p, o, 0, i), to, p->stride);
}

/* The neighbours' points next to this part. */
static enum sw_status fetch_halo(const struct part *p, const void *f)
{
    const struct fd_cut *c = p->cut;
    const size_t left = p->lines * (size_t)c->halo_left, right = p->lines * (size_t)c->halo_right;
    if (c->left) pack(p, f, 0, c->halo_right, p->to_left);
    if (c->right) pack(p, f, c->m - c->halo_left, c->halo_left, p->to_right);
    return sw_comm_exchange(c->comm, c->line->periodic,
                            &(struct sw_comm_transfer){right, p->to_left, p->from_right},
                            &(struct sw_comm_transfer){left, p->to_right, p->from_left});
}

/* ------------------------------------------------------------------ values beside the part */

/* value := sum of weight times term, for each line. */
static void sum_up(const struct part *p, const struct beside *b)
{
    for (int k = 0; k < p->cut->beside && b->terms; k++) {
        double *to = b->value + (size_t)k * p->lines;
        for (size_t j = 0; j < p->lines; j++) to[j] = 0;
        for (int i = 0; i < b->terms; i++) {
            const double w = b->weight[k * b->terms + i];
            for (size_t j = 0; j < p->lines; j++) to[j] += w * b->term[i][j];
        }
    }
}

static enum sw_status join_exactly(const struct part *p)
{
    SW_TRY(sw_comm_gather(p->cut->comm, 2 * (size_t)p->cut->beside * p->lines, p->ends, p->others));
    sum_up(p, &p->A);
    sum_up(p, &p->B);
    return SW_OK;
}

static enum sw_status join_neighbours(const struct part *p)
{
    const size_t count = (size_t)p->cut->beside * p->lines;
    SW_TRY(sw_comm_exchange(p->cut->comm, p->cut->line->periodic,
                            &(struct sw_comm_transfer){count, p->first, p->others + count},
                            &(struct sw_comm_transfer){count, p->last, p->others}));
    sum_up(p, &p->A);
    sum_up(p, &p->B);
    return SW_OK;
}

/* ------------------------------------------------------------------ set-up */

/* The arrays of numbers for each line. */
static void allocate(struct part *p, size_t others, struct sw_owned *arrays)
{
    const struct fd_cut *c = p->cut;
    const size_t count = (size_t)c->beside * p->lines;
    const size_t left = p->lines * (size_t)c->halo_left, right = p->lines * (size_t)c->halo_right;
    sw_array(arrays, left, &p->from_left);
    sw_array(arrays, left, &p->to_right);
    sw_array(arrays, right, &p->from_right);
    sw_array(arrays, right, &p->to_left);
    sw_array(arrays, 2 * count, &p->ends);
    sw_array(arrays, others * count, &p->others);
    sw_array(arrays, count, &p->A.value);
    sw_array(arrays, count, &p->B.value);
    p->first = c->left ? p->ends : NULL;
    p->last = c->right && p->ends ? p->ends + count : NULL;
}

/* @param terms  of each value beside that end */
static void allocate_terms(const struct part *p, bool right, int terms, struct sw_owned *arrays, struct beside *b)
{
    if (right ? !p->cut->right : !p->cut->left) return;
    b->terms = terms;
    sw_array(arrays, (size_t)terms, &b->term);
    sw_array(arrays, (size_t)(terms * p->cut->beside), &b->weight);
}

/* All but the arrays that are terms. @param others  parts of how many ends come from other ranks */
static enum sw_status create(struct sw_fd *fd, size_t others, bool alone, int terms)
{
    struct part *p = fd->own;
    const bool along_x = fd->stride == 1;
    p->cut = &fd->cut;
    p->lines = fd->outer * fd->stride;
    p->stride = along_x ? p->lines : fd->stride;
    p->outer = along_x ? 1 : fd->outer;
    p->step = fd->stride;
    p->across = along_x ? (size_t)fd->cut.m : 1;
    p->single = fd->desc.single;
    /* fewer points take less time than waking the other threads */
    const int threads = p->lines * (size_t)p->cut->m < 16384 ? 1 : fd->device->threads;
    SW_TRY(fd_cut_simd_create(fd, threads, &p->simd));
    allocate(p, others, &fd->arrays);
    allocate_terms(p, false, terms, &fd->arrays, &p->A);
    allocate_terms(p, true, terms, &fd->arrays, &p->B);
    if (fd->arrays.status || fd->arrays.counts) return fd->arrays.status;
    if (p->A.terms) SW_TRY(fd_interface_weights(p->cut, false, alone, p->A.weight));
    return p->B.terms ? fd_interface_weights(p->cut, true, alone, p->B.weight) : SW_OK;
}

/* The terms are those of all interfaces, on both sides of the part. */
static enum sw_status create_exact(struct sw_fd *fd)
{
    struct part *p = fd->own;
    const int size = fd->cut.comm->size, K = fd->cut.beside, terms = 2 * K * fd->cut.interfaces;
    SW_TRY(create(fd, 2 * (size_t)size, false, terms));
    for (int right = 0; right < 2 && !fd->arrays.counts; right++) {
        const struct beside *b = right ? &p->B : &p->A;
        for (int i = 0; i < b->terms; i++) {
            const int q = i / (2 * K), first = i % (2 * K) >= K, k = i % K;
            const int rank = first ? (q + 1) % size : q, at = (2 * rank + !first) * K + k;
            b->term[i] = p->others + (size_t)at * p->lines;
        }
    }
    return SW_OK;
}

/* The terms are those of the two parts beside an interface, this one and a neighbour. */
static enum sw_status create_truncated(struct sw_fd *fd)
{
    struct part *p = fd->own;
    const int K = fd->cut.beside;
    SW_TRY(create(fd, 2, true, 2 * K));
    for (int k = 0; k < K && !fd->arrays.counts; k++) {
        const size_t at = (size_t)k * p->lines;
        if (p->A.terms) p->A.term[k] = p->others + at, p->A.term[K + k] = p->first + at;
        if (p->B.terms) p->B.term[k] = p->last + at, p->B.term[K + k] = p->others + (size_t)K * p->lines + at;
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ the rows */

static struct fd_beside points_beside(const struct part *p)
{
    return (struct fd_beside){p->from_left, p->from_right, p->stride};
}

static const double *left_of(const struct part *p) { return p->cut->left ? p->A.value : NULL; }
static const double *right_of(const struct part *p) { return p->cut->right ? p->B.value : NULL; }

static enum sw_status in_two_passes(const struct sw_fd *fd, const void *f, void *out,
                                    enum sw_status (*join)(const struct part *p))
{
    const struct part *p = fd->own;
    const struct fd_beside beside = points_beside(p);
    SW_TRY(fetch_halo(p, f));
    fd_cut_simd_solve(fd, &p->simd, &beside, f, out, p->first, p->last);
    SW_TRY(join(p));
    fd_cut_simd_finish(fd, &p->simd, left_of(p), right_of(p), out);
    return SW_OK;
}

static enum sw_status mattor_apply(const struct sw_fd *fd, const void *f, void *out)
{
    return in_two_passes(fd, f, out, join_exactly);
}

static enum sw_status truncated_apply(const struct sw_fd *fd, const void *f, void *out)
{
    return in_two_passes(fd, f, out, join_neighbours);
}

/* f is read and the result written once; what happens near the ends is not counted. Two operations a pair (three for
 * second derivatives), and of the solve 2 + 1 or with five diagonals 3 + 2. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int word = desc->single ? 4 : 8, pair = line->kind == SW_FD_SECOND ? 4 : 2;
    return (struct sw_cost){(desc->add ? 3 : 2) * word, pair * line->half_width + (line->beta != 0 ? 5 : 3)};
}

extern const struct sw_fd_ops fd_truncated_cpu, fd_mattor_cpu;

const struct sw_fd_ops fd_truncated_cpu = {
    .name = "cpu.truncated",
    .about = "of lines cut over ranks; couplings across a part are dropped where they are below rounding (DistD2)",
    .space = SW_HOST,
    .adds = true,
    .refuse_cut = fd_cut_refuse_truncation,
    .own_size = sizeof(struct part),
    .create = create_truncated,
    .apply = truncated_apply,
    .cost = cost,
};

const struct sw_fd_ops fd_mattor_cpu = {
    .name = "cpu.mattor",
    .about = "of lines cut over ranks: each rank solves for all interfaces (Mattor et al.): exact, the reference",
    .space = SW_HOST,
    .adds = true,
    .refuse_cut = fd_cut_refuse_closure,
    .own_size = sizeof(struct part),
    .create = create_exact,
    .apply = mattor_apply,
    .cost = cost,
};
