#include "fd/fd_distributed_impl.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"

enum { TILE = 64 };  /* lines side by side: 512 bytes of a row; a tile of 512 points stays in a second-level cache */

/* ------------------------------------------------------------------ set-up */

/* Row i of T, 0 <= i < q: at a wall what is left of the rows there. */
static void matrix_row(const struct fd_block *b, int64_t i, double *lower, double *diagonal, double *upper)
{
    const struct sw_fd_end *e = &b->line.end;
    const bool near = !b->left && i == 0, far = !b->right && i == b->q - 1;
    *lower = far ? e->next : b->line.alpha;
    *diagonal = near || far ? e->diagonal : 1;
    *upper = near ? e->next : b->line.alpha;
}

static enum sw_status factor(struct fd_block *b)
{
    for (int64_t i = 0; i < b->q; i++) {
        double diagonal, upper;
        matrix_row(b, i, &b->lower[i], &diagonal, &upper);
        double pivot = i ? diagonal - b->lower[i] * b->upper[i - 1] : diagonal;
        if (!(isfinite(pivot) && isfinite(1 / pivot)))
            return SW_FAIL(SW_E_SINGULAR, "compact differences: zero or non-finite pivot in row %lld of %lld of a part",
                           (long long)i, (long long)b->q);
        b->inverse[i] = 1 / pivot;
        b->upper[i] = upper / pivot;
    }
    return SW_OK;
}

/* x := by times T^-1 of a unit in the first place or in the last one: a column of it; of the transposed T, a row. */
static enum sw_status response(const struct fd_block *b, bool transposed, bool to_last, double by, double *x)
{
    const int64_t q = b->q;
    long double *y = NULL, *c = NULL;
    enum sw_status st;
    SW_TRY_TO(done, st, sw_alloc((size_t)q, &y));
    SW_TRY_TO(done, st, sw_alloc((size_t)q, &c));
    y[to_last ? q - 1 : 0] = by;
    for (int64_t i = 0; i < q; i++) {
        double lower, diagonal, upper, before[3] = {0}, after[3] = {0};
        matrix_row(b, i, &lower, &diagonal, &upper);
        if (transposed && i) matrix_row(b, i - 1, &before[0], &before[1], &before[2]);
        if (transposed && i < q - 1) matrix_row(b, i + 1, &after[0], &after[1], &after[2]);
        if (transposed) {
            lower = before[2];
            upper = after[0];
        }
        long double pivot = i ? diagonal - lower * c[i - 1] : diagonal;
        if (i) y[i] -= lower * y[i - 1];
        y[i] /= pivot;
        c[i] = upper / pivot;
    }
    for (int64_t i = q - 2; i >= 0; i--) y[i] -= c[i] * y[i + 1];
    for (int64_t i = 0; i < q; i++) x[i] = (double)y[i];
done:
    sw_free(y);
    sw_free(c);
    return st;
}

/* How many entries, counted from the end where x is large, are not below 2^-60. */
static int64_t count_from(const double *x, int64_t q, bool from_last)
{
    int64_t count = q;
    while (count && !(fabs(x[from_last ? q - count : count - 1]) > 0x1p-60)) count--;
    return count;
}

static enum sw_status responses(struct fd_block *b)
{
    const double coupling = -b->line.alpha;
    if (b->left) SW_TRY(response(b, false, false, coupling, b->u));
    if (b->right) SW_TRY(response(b, false, true, coupling, b->l));
    if (b->left) SW_TRY(response(b, true, false, 1, b->row_first));
    if (b->right) SW_TRY(response(b, true, true, 1, b->row_last));
    b->u_count = count_from(b->u, b->q, false);
    b->l_count = count_from(b->l, b->q, true);
    b->first_count = count_from(b->row_first, b->q, false);
    b->last_count = count_from(b->row_last, b->q, true);
    return SW_OK;
}

static void set_shape(const struct sw_fd_desc *local, struct fd_block *b)
{
    b->m = local->n[local->axis];
    b->stride = 1;
    b->outer = (size_t)local->fields;
    for (int k = 0; k < local->axis; k++) b->stride *= (size_t)local->n[k];
    for (int k = local->axis + 1; k < 3; k++) b->outer *= (size_t)local->n[k];
    b->lines = b->outer * b->stride;
    b->halo_left = b->line.half_width - b->line.down;
    b->halo_right = b->line.half_width + b->line.up;
    b->skip = b->left ? 0 : 2;
    b->q = b->m - b->skip - (b->right ? 0 : 2);
}

enum sw_status fd_block_create(const struct sw_fd_desc *local, const struct sw_fd_line *line,
                               const struct sw_comm *comm, int threads, struct fd_block *b)
{
    memset(b, 0, sizeof *b);
    b->line = *line;
    b->left = sw_comm_left(comm, line->periodic) >= 0;
    b->right = sw_comm_right(comm, line->periodic) >= 0;
    set_shape(local, b);
    b->threads = b->lines * (size_t)b->m < 16384 ? 1 : threads;  /* less than waking the others takes */
    const size_t q = (size_t)b->q, left = b->lines * (size_t)b->halo_left, right = b->lines * (size_t)b->halo_right;
    double **const arrays[] = {&b->from_left, &b->to_right, &b->from_right, &b->to_left, &b->lower, &b->inverse,
                               &b->upper, &b->u, &b->l, &b->row_first, &b->row_last, &b->ends, &b->A, &b->B};
    const size_t count[] = {left, left, right, right, q, q, q, q, q, q, q, 2 * b->lines, b->lines, b->lines};
    for (size_t k = 0; k < sizeof count / sizeof *count; k++) SW_TRY(sw_alloc(count[k], arrays[k]));
    b->first = b->ends;
    b->last = b->ends + b->lines;
    SW_TRY(factor(b));
    return responses(b);
}

void fd_block_destroy(struct fd_block *b)
{
    double *const arrays[] = {b->from_left, b->to_right, b->from_right, b->to_left, b->lower, b->inverse, b->upper,
                              b->u, b->l, b->row_first, b->row_last, b->ends, b->A, b->B};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) sw_free(arrays[k]);
}

/* ------------------------------------------------------------------ halo */

/* to [outer][count][stride] := points first .. first + count - 1 */
static void pack(const struct fd_block *b, const double *f, int64_t first, int count, double *to)
{
    const size_t length = (size_t)count * b->stride;
    if (!length) return;
    for (size_t o = 0; o < b->outer; o++)
        memcpy(to + o * length, f + (o * (size_t)b->m + (size_t)first) * b->stride, length * sizeof *to);
}

enum sw_status fd_block_halo(const struct fd_block *b, const struct sw_comm *comm, const double *f)
{
    const size_t left = b->lines * (size_t)b->halo_left, right = b->lines * (size_t)b->halo_right;
    if (b->left) pack(b, f, 0, b->halo_right, b->to_left);
    if (b->right) pack(b, f, b->m - b->halo_left, b->halo_left, b->to_right);
    return sw_comm_exchange(comm, b->line.periodic, &(struct sw_comm_transfer){right, b->to_left, b->from_right},
                            &(struct sw_comm_transfer){left, b->to_right, b->from_left});
}

/* ------------------------------------------------------------------ right-hand side */

/* A tile: `width` lines from line s of group o. */
struct tile { const double *f; double *out; size_t o, s, width; };

/* Its row of point i, which may be a neighbour's. */
static const double *point(const struct fd_block *b, const struct tile *t, int64_t i)
{
    if (i < 0) return b->from_left + (t->o * (size_t)b->halo_left + (size_t)(b->halo_left + i)) * b->stride + t->s;
    if (i >= b->m) return b->from_right + (t->o * (size_t)b->halo_right + (size_t)(i - b->m)) * b->stride + t->s;
    return t->f + (t->o * (size_t)b->m + (size_t)i) * b->stride + t->s;
}

static double *result(const struct fd_block *b, const struct tile *t, int64_t i)
{
    return t->out + (t->o * (size_t)b->m + (size_t)i) * b->stride + t->s;
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

static void stencil(const struct fd_block *b, const struct tile *t, int64_t i, double *r)
{
    const struct sw_fd_line *line = &b->line;
    const double *f = point(b, t, i);
    for (size_t j = 0; j < t->width; j++) r[j] = line->centre * f[j];
    for (int k = 1; k <= line->half_width; k++)
        add_pair(line->kind, line->weight[k], t->width, point(b, t, i + k + line->up), f,
                 point(b, t, i - k + line->down), r);
}

/* Row `row` from a wall at point `wall`; the way from it is step, 1 or -1. */
static void wall_row(const struct fd_block *b, const struct tile *t, int row, int64_t wall, int step, double sign,
                     double *r)
{
    const struct sw_fd_line *line = &b->line;
    const double *base = line->kind == SW_FD_FILTER ? NULL : point(b, t, wall + row * step);
    for (size_t j = 0; j < t->width; j++) r[j] = 0;
    for (int k = 0; k < line->points[row]; k++) {
        const double *f = point(b, t, wall + k * step), w = sign * line->wall[row][k];
        for (size_t j = 0; j < t->width; j++) r[j] += w * (base ? f[j] - base[j] : f[j]);
    }
}

static void right_hand_side(const struct fd_block *b, const struct tile *t, int64_t i, double *r)
{
    const int64_t from_end = b->m - 1 - i;
    if (!b->left && i < b->line.rows) wall_row(b, t, (int)i, 0, 1, 1, r);
    else if (!b->right && from_end < b->line.rows) wall_row(b, t, (int)from_end, b->m - 1, -1, b->line.sign, r);
    else stencil(b, t, i, r);
}

/* ------------------------------------------------------------------ solve */

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
static void prepare(const struct fd_block *b, const struct tile *t)
{
    const int64_t m = b->m;
    for (int64_t i = 0; i < m; i++) right_hand_side(b, t, i, result(b, t, i));
    if (!b->left)
        eliminate(&b->line.end, t->width, (double *[]){result(b, t, 0), result(b, t, 1), result(b, t, 2)});
    if (!b->right)
        eliminate(&b->line.end, t->width, (double *[]){result(b, t, m - 1), result(b, t, m - 2), result(b, t, m - 3)});
}

/* T x = r in place. */
static void recursions(const struct fd_block *b, const struct tile *t)
{
    const int64_t first = b->skip, end = first + b->q;
    const size_t n = t->width;
    for (int64_t i = first; i < end; i++) {
        const double inverse = b->inverse[i - first], lower = b->lower[i - first];
        double *x = result(b, t, i), *before = i > first ? result(b, t, i - 1) : x;
        if (i == first) for (size_t j = 0; j < n; j++) x[j] *= inverse;
        else for (size_t j = 0; j < n; j++) x[j] = (x[j] - lower * before[j]) * inverse;
    }
    for (int64_t i = end - 2; i >= first; i--) {
        const double upper = b->upper[i - first], *after = result(b, t, i + 1);
        double *x = result(b, t, i);
        for (size_t j = 0; j < n; j++) x[j] -= upper * after[j];
    }
}

static void complete_walls(const struct fd_block *b, const struct tile *t)
{
    const int64_t m = b->m;
    if (!b->left)
        complete(&b->line.end, t->width,
                 (double *[]){result(b, t, 0), result(b, t, 1), result(b, t, 2), result(b, t, 3)});
    if (!b->right)
        complete(&b->line.end, t->width,
                 (double *[]){result(b, t, m - 1), result(b, t, m - 2), result(b, t, m - 3), result(b, t, m - 4)});
}

static size_t line_of(const struct fd_block *b, const struct tile *t) { return t->o * b->stride + t->s; }

static void solve_tile(const struct fd_block *b, const struct tile *t)
{
    prepare(b, t);
    recursions(b, t);
    if (b->left) memcpy(b->first + line_of(b, t), result(b, t, 0), t->width * sizeof(double));
    if (b->right) memcpy(b->last + line_of(b, t), result(b, t, b->m - 1), t->width * sizeof(double));
}

static void finish_tile(const struct fd_block *b, const struct tile *t)
{
    const double *A = b->A + line_of(b, t), *B = b->B + line_of(b, t);
    for (int64_t i = 0; i < b->u_count; i++) {
        double *x = result(b, t, b->skip + i);
        for (size_t j = 0; j < t->width; j++) x[j] += b->u[i] * A[j];
    }
    for (int64_t i = b->q - b->l_count; i < b->q; i++) {
        double *x = result(b, t, b->skip + i);
        for (size_t j = 0; j < t->width; j++) x[j] += b->l[i] * B[j];
    }
    complete_walls(b, t);
}

/* r := right-hand side of row i of T. */
static void reduced_row(const struct fd_block *b, const struct tile *t, int64_t i, double *r)
{
    const bool near = !b->left && i == 0, far = !b->right && i == b->q - 1;
    double wall[2][TILE];
    right_hand_side(b, t, b->skip + i, r);
    for (int k = 0; (near || far) && k < 2; k++) right_hand_side(b, t, near ? k : b->m - 1 - k, wall[k]);
    if (near || far) eliminate(&b->line.end, t->width, (double *[]){wall[0], wall[1], r});
}

/* Sums begin where the weights are small. */
static void ends_tile(const struct fd_block *b, const struct tile *t)
{
    double r[TILE], *first = b->first + line_of(b, t), *last = b->last + line_of(b, t);
    for (size_t j = 0; j < t->width; j++) first[j] = last[j] = 0;
    for (int64_t i = b->first_count - 1; i >= 0; i--) {
        reduced_row(b, t, i, r);
        for (size_t j = 0; j < t->width; j++) first[j] += b->row_first[i] * r[j];
    }
    for (int64_t i = b->q - b->last_count; i < b->q; i++) {
        reduced_row(b, t, i, r);
        for (size_t j = 0; j < t->width; j++) last[j] += b->row_last[i] * r[j];
    }
}

static void pass_tile(const struct fd_block *b, const struct tile *t)
{
    const double alpha = b->line.alpha, *A = b->A + line_of(b, t), *B = b->B + line_of(b, t);
    double *near = result(b, t, 0), *far = result(b, t, b->m - 1);
    prepare(b, t);
    for (size_t j = 0; b->left && j < t->width; j++) near[j] -= alpha * A[j];
    for (size_t j = 0; b->right && j < t->width; j++) far[j] -= alpha * B[j];
    recursions(b, t);
    complete_walls(b, t);
}

static void for_tiles(const struct fd_block *b, const double *f, double *out,
                      void (*work)(const struct fd_block *b, const struct tile *t))
{
    const size_t across = (b->stride + TILE - 1) / TILE;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->threads > 1)
    for (size_t k = 0; k < across * b->outer; k++) {
        const size_t s = k % across * TILE;
        struct tile t = {f, out, k / across, s, b->stride - s < TILE ? b->stride - s : TILE};
        work(b, &t);
    }
}

void fd_block_solve(const struct fd_block *b, const double *f, double *out) { for_tiles(b, f, out, solve_tile); }

void fd_block_finish(const struct fd_block *b, double *out) { for_tiles(b, NULL, out, finish_tile); }

void fd_block_ends(const struct fd_block *b, const double *f) { for_tiles(b, f, NULL, ends_tile); }

void fd_block_pass(const struct fd_block *b, const double *f, double *out) { for_tiles(b, f, out, pass_tile); }
