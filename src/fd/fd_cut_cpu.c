/* Compact differences of lines that are cut over ranks, on the CPU: three rows, of two kinds in two respects.
 *
 * How the values beside a part are found (fd_interfaces.c):
 *   exactly     N. Mattor, T. J. Williams and D. W. Hewett, Parallel Computing 21 (1995) 1769-1782: all ranks gather
 *               the x_r at all ends, two numbers a line of each rank, and each solves for its own values
 *   truncated   parts so long that their one end does not feel the other: the coupling of interfaces by u_m and l_1,
 *               which is about rho^m, is dropped. Then each interface stands alone, and one number a line goes to each
 *               neighbour (S. Laizet's x3d2 calls it DistD2). The error at an interface is at most rho^m (1 + rho)
 *               times the largest value of the result, and decays from there
 *
 * When the rest of a part is solved:
 *   solve, finish   x_r everywhere; later A u and B l are added to the points near the ends
 *   ends, pass      x_r at the two ends only, as sums over the right-hand sides near them; later x in one pass, from
 *                   T x = r - (what A and B add to it). Each result is written once, but the right-hand sides near the
 *                   ends are formed twice, which costs more on a CPU. It is there to be compared with by rows for
 *                   devices, which memory bounds
 *
 * The engine of whole lines does both (fd_cut_simd.h), for parts that are long enough of lines with three diagonals.
 * What follows here is for all others.
 *
 * Arithmetic is double, of lines side by side. Lines along x do not lie so, and those of a float field are no doubles:
 * each tile of them is copied before it is worked on. Their results, and those that are added, are formed in a double
 * field of the row's own, where lines lie side by side, and rounded once when they are stored. */
#include <omp.h>
#include <string.h>

#include "base/sw_reals.h"
#include "fd/fd_cut_simd.h"
#include "fd/sw_fd_impl.h"

/* Lines side by side: 512 bytes of a row; a tile of 512 points stays in a second-level cache. BLOCK: lines along x that
 * are copied at once, whose numbers share cache lines. */
enum { TILE = 64, BLOCK = 8 };

/* The values beside one end of a part: each a sum of terms, arrays of a number for each line. */
struct beside {
    int            terms;
    const double **term;     /* [terms] [lines]          */
    double        *weight;   /* [cut->beside][terms]     */
    double        *value;    /* [cut->beside][lines] out */
};

struct part {
    const struct fd_cut *cut;
    size_t   stride, outer;      /* of lines side by side, as in `work`: line o*stride + s begins at o*stride*m + s */
    size_t   lines;              /* outer*stride */
    size_t   step, across;       /* in the fields: from a point to the next, stride, and from a line to the next, 1; of
                                    lines along x 1 and m */
    bool     copied;             /* each tile of f is copied */
    double  *tiles;              /* [threads][m][TILE] such copies */
    int      threads;
    bool     single, add;
    double  *from_left, *from_right;   /* [outer][halo][stride] */
    double  *to_left, *to_right;       /* [outer][halo of that neighbour][stride] */
    double  *inverse;                  /* [q] 1/pivot of T */
    double  *lower[FD_BESIDE];         /* [q] entry k + 1 to the left, after elimination */
    double  *upper[FD_BESIDE];         /* [q] entry k + 1 to the right/pivot */
    double  *ends;                     /* [2][cut->beside][lines]: x_r at the first and at the last points, from the
                                          end inward; 0 at a wall */
    double  *first, *last;             /* the two */
    double  *others;                   /* exactly: [size] ends; truncated: last of the left rank, first of the right */
    struct beside A, B;
    double  *work;                     /* [outer][m][stride] results before they are stored; NULL: out has them */
    bool     by_simd;                  /* the engine of whole lines solves and finishes: what T is made of, `work` and
                                          `tiles` are not there */
    struct fd_cut_simd simd;
};

/* ------------------------------------------------------------------ halo */

/* Point i of line s of group o, in a field. */
static size_t place_in_field(const struct part *p, size_t o, size_t s, int64_t i)
{
    return o * (size_t)p->cut->m * p->stride + s * p->across + (size_t)i * p->step;
}

/* to := that of `count` lines from there. */
static void read(const struct part *p, const void *f, size_t at, size_t count, double *to)
{
    const size_t word = sw_reals_word(p->single);
    if (p->across == 1) sw_reals_get(f, word, at, to, count);
    else for (size_t j = 0; j < count; j++) to[j] = sw_reals_at(f, word, at + j * p->across);
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
            read(p, f, place_in_field(p, o, 0, i), p->stride, to);
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

/* ------------------------------------------------------------------ right-hand side */

/* A tile: `width` lines from line s of group o. */
struct tile {
    const void *f;
    void       *out;
    size_t      o, s, width;
    double     *copy;  /* [m][TILE] of f; NULL: f is read where it is */
};

static void copy_tile(const struct part *p, const struct tile *t)
{
    const size_t block = p->across == 1 ? TILE : BLOCK;
    for (size_t j = 0; j < t->width; j += block)
        for (int64_t i = 0; i < p->cut->m; i++)
            read(p, t->f, place_in_field(p, t->o, t->s + j, i), t->width - j < block ? t->width - j : block,
                 t->copy + i * TILE + j);
}

/* Its row of point i, which may be a neighbour's. */
static const double *point(const struct part *p, const struct tile *t, int64_t i)
{
    const struct fd_cut *c = p->cut;
    const size_t left = (size_t)c->halo_left, right = (size_t)c->halo_right;
    if (i < 0) return p->from_left + ((t->o + 1) * left - (size_t)-i) * p->stride + t->s;
    if (i >= c->m) return p->from_right + (t->o * right + (size_t)(i - c->m)) * p->stride + t->s;
    return t->copy ? t->copy + i * TILE : (const double *)t->f + place_in_field(p, t->o, t->s, i);
}

static size_t place(const struct part *p, const struct tile *t, int64_t i)
{
    return (t->o * (size_t)p->cut->m + (size_t)i) * p->stride + t->s;
}

static double *result(const struct part *p, const struct tile *t, int64_t i)
{
    return (p->work ? p->work : (double *)t->out) + place(p, t, i);
}

static void add_pair(enum sw_fd_kind kind, double w, size_t n, const double *plus, const double *f, const double *minus,
                     double *r)
{
    switch (kind) {
    case SW_FD_FIRST: case SW_FD_STAGGERED:
        for (size_t j = 0; j < n; j++) r[j] += w * (plus[j] - minus[j]);
        return;
    case SW_FD_SECOND:
        for (size_t j = 0; j < n; j++) r[j] += w * ((plus[j] - f[j]) - (f[j] - minus[j]));
        return;
    case SW_FD_MIDPOINT: case SW_FD_FILTER:
        for (size_t j = 0; j < n; j++) r[j] += w * (plus[j] + minus[j]);
        return;
    }
}

static void stencil(const struct part *p, const struct tile *t, int64_t i, double *r)
{
    const struct sw_fd_line *line = p->cut->line;
    const double *f = point(p, t, i);
    for (size_t j = 0; j < t->width; j++) r[j] = line->centre * f[j];
    for (int k = 1; k <= line->half_width; k++)
        add_pair(line->kind, line->weight[k], t->width, point(p, t, i + k + line->up), f,
                 point(p, t, i - k + line->down), r);
}

/* Row `row` from a wall at point `wall`; the way from it is step, 1 or -1. */
static void wall_row(const struct part *p, const struct tile *t, int row, int64_t wall, int step, double sign,
                     double *r)
{
    const struct sw_fd_line *line = p->cut->line;
    const double *base = line->kind == SW_FD_FILTER ? NULL : point(p, t, wall + row * step);
    for (size_t j = 0; j < t->width; j++) r[j] = 0;
    for (int k = 0; k < line->points[row]; k++) {
        const double *f = point(p, t, wall + k * step), w = sign * line->wall[row][k];
        for (size_t j = 0; j < t->width; j++) r[j] += w * (base ? f[j] - base[j] : f[j]);
    }
}

static void right_hand_side(const struct part *p, const struct tile *t, int64_t i, double *r)
{
    const struct fd_cut *c = p->cut;
    const int64_t from_end = c->m - 1 - i;
    if (!c->left && i < c->line->rows) wall_row(p, t, (int)i, 0, 1, 1, r);
    else if (!c->right && from_end < c->line->rows) wall_row(p, t, (int)from_end, c->m - 1, -1, c->line->sign, r);
    else stencil(p, t, i, r);
}

/* ------------------------------------------------------------------ solve */

/* y -= a x, and the same times b. */
static void subtract(size_t n, double a, const double *x, double *y)
{
    for (size_t j = 0; j < n; j++) y[j] -= a * x[j];
}
static void subtract_and_scale(size_t n, double a, const double *x, double b, double *y)
{
    for (size_t j = 0; j < n; j++) y[j] = (y[j] - a * x[j]) * b;
}

static void add_to(size_t n, double a, const double *x, double *y)
{
    for (size_t j = 0; j < n; j++) y[j] += a * x[j];
}

/* The right-hand sides of the three rows at a wall become that of T's first row and what the two points before it take
 * from right-hand sides; x[0] is at the wall. */
static void eliminate(const struct sw_fd_end *e, size_t n, double *const x[3])
{
    for (size_t j = 0; j < n; j++) {
        const double r0 = x[0][j], r1 = x[1][j], r2 = x[2][j];
        x[2][j] = e->to3[0] * r0 + e->to3[1] * r1 + e->to3[2] * r2;
        x[1][j] = e->to2[0] * r0 + e->to2[1] * r1 + e->to2[2] * r2;
    }
}

static void complete(const struct sw_fd_end *e, size_t n, double *const x[4])
{
    for (size_t j = 0; j < n; j++) {
        x[1][j] += e->from3 * x[2][j] + e->from4 * x[3][j];
        x[0][j] -= e->a1 * x[1][j];
    }
}

/* Right-hand sides, with the rows at walls eliminated. */
static void prepare(const struct part *p, const struct tile *t)
{
    const int64_t m = p->cut->m;
    const struct sw_fd_end *e = &p->cut->line->end;
    for (int64_t i = 0; i < m; i++) right_hand_side(p, t, i, result(p, t, i));
    if (!p->cut->left) eliminate(e, t->width, (double *[]){result(p, t, 0), result(p, t, 1), result(p, t, 2)});
    if (!p->cut->right)
        eliminate(e, t->width, (double *[]){result(p, t, m - 1), result(p, t, m - 2), result(p, t, m - 3)});
}

/* T x = r in place. */
static void recursions(const struct part *p, const struct tile *t)
{
    const int64_t first = p->cut->skip, q = p->cut->q;
    const size_t n = t->width;
    for (int64_t i = 0; i < q; i++) {
        double *x = result(p, t, first + i);
        if (p->cut->beside > 1 && i > 1) subtract(n, p->lower[1][i], result(p, t, first + i - 2), x);
        if (i == 0) for (size_t j = 0; j < n; j++) x[j] *= p->inverse[0];
        else subtract_and_scale(n, p->lower[0][i], result(p, t, first + i - 1), p->inverse[i], x);
    }
    for (int64_t i = q - 2; i >= 0; i--) {
        double *x = result(p, t, first + i);
        subtract(n, p->upper[0][i], result(p, t, first + i + 1), x);
        if (p->cut->beside > 1 && i < q - 2) subtract(n, p->upper[1][i], result(p, t, first + i + 2), x);
    }
}

static void complete_walls(const struct part *p, const struct tile *t)
{
    const int64_t m = p->cut->m;
    const struct sw_fd_end *e = &p->cut->line->end;
    if (!p->cut->left)
        complete(e, t->width, (double *[]){result(p, t, 0), result(p, t, 1), result(p, t, 2), result(p, t, 3)});
    if (!p->cut->right)
        complete(e, t->width,
                 (double *[]){result(p, t, m - 1), result(p, t, m - 2), result(p, t, m - 3), result(p, t, m - 4)});
}

/* out := results, or out += results, where they are in the row's own field. */
static void store(const struct part *p, const struct tile *t)
{
    const size_t word = sw_reals_word(p->single), block = p->across == 1 ? TILE : BLOCK;
    for (size_t first = 0; first < t->width && p->work; first += block)
        for (int64_t i = 0; i < p->cut->m; i++) {
            const double *x = p->work + place(p, t, i) + first;
            size_t at = place_in_field(p, t->o, t->s + first, i);
            for (size_t j = 0; j < block && first + j < t->width; j++, at += p->across)
                sw_reals_set(t->out, word, at, p->add ? sw_reals_at(t->out, word, at) + x[j] : x[j]);
        }
}

/* Value k of an array [..][lines]: its lines of this tile. */
static double *lines_of(const struct part *p, const struct tile *t, double *array, int k)
{
    return array + (size_t)k * p->lines + t->o * p->stride + t->s;
}

/* out := x_r, and ends. At a wall the two eliminated points are not complete yet. */
static void solve(const struct part *p, const struct tile *t)
{
    const size_t bytes = t->width * sizeof(double);
    prepare(p, t);
    recursions(p, t);
    for (int k = 0; k < p->cut->beside; k++) {
        if (p->cut->left) memcpy(lines_of(p, t, p->first, k), result(p, t, k), bytes);
        if (p->cut->right) memcpy(lines_of(p, t, p->last, k), result(p, t, p->cut->m - 1 - k), bytes);
    }
}

/* out := x_r + A u + B l, and the points at walls. */
static void finish(const struct part *p, const struct tile *t)
{
    const struct fd_cut *c = p->cut;
    for (int k = 0; k < c->beside; k++) {
        const struct fd_decaying *u = &c->u[k], *l = &c->l[k];
        for (int64_t i = 0; i < u->count; i++)
            add_to(t->width, u->x[i], lines_of(p, t, p->A.value, k), result(p, t, c->skip + i));
        for (int64_t i = c->q - l->count; i < c->q; i++)
            add_to(t->width, l->x[i], lines_of(p, t, p->B.value, k), result(p, t, c->skip + i));
    }
    complete_walls(p, t);
    store(p, t);
}

/* r := right-hand side of row i of T. */
static void reduced_row(const struct part *p, const struct tile *t, int64_t i, double *r)
{
    const struct fd_cut *c = p->cut;
    const bool near = !c->left && i == 0, far = !c->right && i == c->q - 1;
    double wall[2][TILE];
    right_hand_side(p, t, c->skip + i, r);
    for (int k = 0; (near || far) && k < 2; k++) right_hand_side(p, t, near ? k : c->m - 1 - k, wall[k]);
    if (near || far) eliminate(&c->line->end, t->width, (double *[]){wall[0], wall[1], r});
}

/* ends := sums of right-hand sides times rows of T^-1; they begin where these are small. */
static void find_ends(const struct part *p, const struct tile *t)
{
    const struct fd_cut *c = p->cut;
    double r[TILE];
    for (int k = 0; k < c->beside; k++) {
        double *first = lines_of(p, t, p->first, k), *last = lines_of(p, t, p->last, k);
        for (size_t j = 0; j < t->width; j++) first[j] = last[j] = 0;
        for (int64_t i = c->row_first[k].count - 1; i >= 0; i--) {
            reduced_row(p, t, i, r);
            add_to(t->width, c->row_first[k].x[i], r, first);
        }
        for (int64_t i = c->q - c->row_last[k].count; i < c->q; i++) {
            reduced_row(p, t, i, r);
            add_to(t->width, c->row_last[k].x[i], r, last);
        }
    }
}

/* out := x, of A and B. */
static void pass(const struct part *p, const struct tile *t)
{
    const struct fd_cut *c = p->cut;
    prepare(p, t);
    for (int i = 0; i < c->beside; i++)
        for (int k = 0; k < c->beside; k++) {
            const double entry = fd_part_coupling(c, i + 1 + k);
            if (entry == 0) continue;
            if (c->left) subtract(t->width, entry, lines_of(p, t, p->A.value, k), result(p, t, i));
            if (c->right) subtract(t->width, entry, lines_of(p, t, p->B.value, k), result(p, t, c->m - 1 - i));
        }
    recursions(p, t);
    complete_walls(p, t);
    store(p, t);
}

static void for_tiles(const struct part *p, const void *f, void *out,
                      void (*work)(const struct part *p, const struct tile *t))
{
    const size_t across = (p->stride + TILE - 1) / TILE;
#pragma omp parallel for schedule(static) num_threads(p->threads) if (p->threads > 1)
    for (size_t k = 0; k < across * p->outer; k++) {
        const size_t s = k % across * TILE;
        struct tile t = {f, out, k / across, s, p->stride - s < TILE ? p->stride - s : TILE, NULL};
        if (p->copied && f) {
            t.copy = p->tiles + (size_t)omp_get_thread_num() * (size_t)p->cut->m * TILE;
            copy_tile(p, &t);
        }
        work(p, &t);
    }
}

/* ------------------------------------------------------------------ values beside the part */

/* value := sum of weight times term, for each line. */
static void sum_up(const struct part *p, const struct beside *b)
{
    for (int k = 0; k < p->cut->beside && b->terms; k++) {
        double *to = b->value + (size_t)k * p->lines;
        for (size_t j = 0; j < p->lines; j++) to[j] = 0;
        for (int i = 0; i < b->terms; i++) add_to(p->lines, b->weight[k * b->terms + i], b->term[i], to);
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

static enum sw_status factor(struct part *p)
{
    const struct fd_cut *c = p->cut;
    for (int64_t i = 0; i < c->q; i++) {
        const int left = i < c->beside ? (int)i : c->beside;
        double pivot = fd_part_entry(c, i, i);
        for (int k = left; k >= 1; k--) {
            double lower = fd_part_entry(c, i, i - k);
            if (k == 1 && left == 2) lower -= p->lower[1][i] * p->upper[0][i - 2];
            p->lower[k - 1][i] = lower;
            pivot -= lower * p->upper[k - 1][i - k];
        }
        if (!sw_fd_pivot_good(pivot)) return fd_part_singular(c, i);
        p->inverse[i] = 1 / pivot;
        for (int k = 1; k <= c->beside && i + k < c->q; k++) {
            double upper = fd_part_entry(c, i, i + k);
            if (k == 1 && left > 0 && c->beside == 2) upper -= p->lower[0][i] * p->upper[1][i - 1];
            p->upper[k - 1][i] = upper / pivot;
        }
    }
    return SW_OK;
}

/* The arrays of numbers for each line. */
static void allocate(struct part *p, size_t others, struct sw_owned *arrays)
{
    const struct fd_cut *c = p->cut;
    const size_t q = (size_t)c->q, count = (size_t)c->beside * p->lines;
    const size_t left = p->lines * (size_t)c->halo_left, right = p->lines * (size_t)c->halo_right;
    sw_array(arrays, left, &p->from_left);
    sw_array(arrays, left, &p->to_right);
    sw_array(arrays, right, &p->from_right);
    sw_array(arrays, right, &p->to_left);
    sw_array(arrays, p->by_simd ? 0 : q, &p->inverse);
    for (int k = 0; k < c->beside && !p->by_simd; k++) {
        sw_array(arrays, q, &p->lower[k]);
        sw_array(arrays, q, &p->upper[k]);
    }
    sw_array(arrays, 2 * count, &p->ends);
    sw_array(arrays, others * count, &p->others);
    sw_array(arrays, count, &p->A.value);
    sw_array(arrays, count, &p->B.value);
    if (!p->by_simd && (p->copied || p->add)) sw_array(arrays, p->lines * (size_t)c->m, &p->work);
    if (!p->by_simd && p->copied) sw_array(arrays, (size_t)p->threads * (size_t)c->m * TILE, &p->tiles);
    p->first = p->ends;
    p->last = p->ends ? p->ends + count : NULL;
}

/* @param terms  of each value beside that end */
static void allocate_terms(const struct part *p, bool right, int terms, struct sw_owned *arrays, struct beside *b)
{
    if (right ? !p->cut->right : !p->cut->left) return;
    b->terms = terms;
    sw_array(arrays, (size_t)terms, &b->term);
    sw_array(arrays, (size_t)(terms * p->cut->beside), &b->weight);
}

/* All but the arrays that are terms. @param others  parts of how many ends come from other ranks
 * @param first_order  solve, finish */
static enum sw_status create(struct sw_fd *fd, size_t others, bool alone, int terms, bool first_order)
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
    p->copied = along_x || p->single;
    p->add = fd->desc.add;
    /* fewer points take less time than waking the other threads */
    p->threads = p->lines * (size_t)p->cut->m < 16384 ? 1 : fd->device->threads;
    p->by_simd = fd_cut_simd_fits(p->cut);
    if (p->by_simd) SW_TRY(fd_cut_simd_create(fd, p->threads, !first_order, &p->simd));
    allocate(p, others, &fd->arrays);
    allocate_terms(p, false, terms, &fd->arrays, &p->A);
    allocate_terms(p, true, terms, &fd->arrays, &p->B);
    if (fd->arrays.status || fd->arrays.counts) return fd->arrays.status;
    if (p->A.terms) SW_TRY(fd_interface_weights(p->cut, false, alone, p->A.weight));
    if (p->B.terms) SW_TRY(fd_interface_weights(p->cut, true, alone, p->B.weight));
    return p->by_simd ? SW_OK : factor(p);
}

/* The terms are those of all interfaces, on both sides of the part. */
static enum sw_status create_exact(struct sw_fd *fd)
{
    struct part *p = fd->own;
    const int size = fd->cut.comm->size, K = fd->cut.beside, terms = 2 * K * fd->cut.interfaces;
    SW_TRY(create(fd, 2 * (size_t)size, false, terms, true));
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
static enum sw_status create_from_neighbours(struct sw_fd *fd, bool first_order)
{
    struct part *p = fd->own;
    const int K = fd->cut.beside;
    SW_TRY(create(fd, 2, true, 2 * K, first_order));
    for (int k = 0; k < K && !fd->arrays.counts; k++) {
        const size_t at = (size_t)k * p->lines;
        if (p->A.terms) p->A.term[k] = p->others + at, p->A.term[K + k] = p->first + at;
        if (p->B.terms) p->B.term[k] = p->last + at, p->B.term[K + k] = p->others + (size_t)K * p->lines + at;
    }
    return SW_OK;
}

static enum sw_status create_truncated(struct sw_fd *fd) { return create_from_neighbours(fd, true); }

static enum sw_status create_strips(struct sw_fd *fd) { return create_from_neighbours(fd, false); }

/* ------------------------------------------------------------------ the rows */

static enum sw_status in_two_passes(const struct sw_fd *fd, const void *f, void *out,
                                    enum sw_status (*join)(const struct part *p))
{
    const struct part *p = fd->own;
    const struct fd_cut *c = p->cut;
    SW_TRY(fetch_halo(p, f));
    if (p->by_simd)
        fd_cut_simd_solve(fd, &p->simd, &(struct fd_beside){p->from_left, p->from_right, p->stride}, f, out,
                          c->left ? p->first : NULL, c->right ? p->last : NULL);
    else for_tiles(p, f, out, solve);
    SW_TRY(join(p));
    if (p->by_simd)
        fd_cut_simd_finish(fd, &p->simd, c->left ? p->A.value : NULL, c->right ? p->B.value : NULL, out);
    else for_tiles(p, NULL, out, finish);
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

static enum sw_status strips_apply(const struct sw_fd *fd, const void *f, void *out)
{
    const struct part *p = fd->own;
    const struct fd_cut *c = p->cut;
    const struct fd_beside beside = {p->from_left, p->from_right, p->stride};
    SW_TRY(fetch_halo(p, f));
    if (p->by_simd) fd_cut_simd_ends(fd, &p->simd, &beside, f, c->left ? p->first : NULL, c->right ? p->last : NULL);
    else for_tiles(p, f, out, find_ends);
    SW_TRY(join_neighbours(p));
    if (p->by_simd)
        fd_cut_simd_pass(fd, &p->simd, &beside, f, c->left ? p->A.value : NULL, c->right ? p->B.value : NULL, out);
    else for_tiles(p, f, out, pass);
    return SW_OK;
}

/* f is read and the result written once, or where it is not formed in place written and read as double between; what
 * happens near the ends is not counted. Two operations a pair (three for second derivatives), and of the solve 2 + 1 or
 * with five diagonals 3 + 2. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    const int word = desc->single ? 4 : 8, pair = line->kind == SW_FD_SECOND ? 4 : 2;
    const int between = desc->axis == 0 || desc->single || desc->add ? 16 : 0;
    return (struct sw_cost){(desc->add ? 3 : 2) * word + between, pair * line->half_width + (line->beta != 0 ? 5 : 3)};
}

extern const struct sw_fd_ops fd_truncated_cpu, fd_strips_cpu, fd_mattor_cpu;

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

const struct sw_fd_ops fd_strips_cpu = {
    .name = "cpu.strips",
    .about = "the same; values beside a part are found first, from strips at its ends, then all points in one pass",
    .space = SW_HOST,
    .adds = true,
    .refuse_cut = fd_cut_refuse_truncation,
    .own_size = sizeof(struct part),
    .create = create_strips,
    .apply = strips_apply,
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
