/* The coefficients of fd_simd_lines.h, then its arithmetic. Functions with a parameter `vectors` are compiled for 1 and
 * for as many as FD_GROUP lanes have, those with `form` and `pairs` for each right-hand side there is. */
#include "fd/fd_simd_lines.h"

#include <assert.h>
#include <math.h>

#include "base/sw_err.h"
#include "fd/sw_fd_impl.h"

/* ------------------------------------------------------------------ coefficients */

static double decay_rate(double alpha) { return 2 * alpha / (1 + sqrt(1 - 4 * alpha * alpha)); }

/* 1 + 2 alpha cos w + 2 beta cos 2w = 4 beta (c - c_1)(c - c_2), c = cos w: a product of 1 - c/c_k, that is of matrices
 * with -1/(2 c_k) beside a diagonal of ones, and of 4 beta c_1 c_2 = 1 - 2 beta. Roots are real and outside of -1 .. 1
 * for the schemes of the table. */
static int split(const struct sw_fd_line *line, double alpha[2], double *scale)
{
    const double al = line->alpha, be = line->beta;
    alpha[0] = al;
    *scale = 1;
    if (be == 0) return 1;
    const double q = -(al + sqrt(al * al - 4 * be * (1 - 2 * be))) / (4 * be);  /* the root of larger size */
    alpha[0] = -0.5 / q;
    alpha[1] = -0.5 * q / ((1 - 2 * be) / (4 * be));
    *scale = 1 / (1 - 2 * be);
    return 2;
}

static enum sw_status create_closing(struct sw_owned *own, struct fd_simd_lines *c, int k)
{
    const double rho = c->rho[k], n = (double)c->line.n;
    const double needed = rho == 0 ? 1 : ceil(60 / -log2(fabs(rho)));
    c->decay_points[k] = needed < n ? (int64_t)needed : c->line.n;
    sw_array(own, (size_t)c->decay_points[k] + 1, &c->power[k]);
    SW_TRY(own->status);
    c->power[k][0] = 1;
    for (int64_t i = 0; i < c->decay_points[k]; i++) c->power[k][i + 1] = -rho * c->power[k][i];
    c->close[k] = 1 / (1 - (c->line.n % 2 ? -1 : 1) * pow(rho, n));
    return SW_OK;
}

static enum sw_status create_periodic(struct sw_owned *own, struct fd_simd_lines *c)
{
    double alpha[2], scale;
    c->factors = split(&c->line, alpha, &scale);
    for (int k = 0; k < c->factors; k++) {
        c->rho[k] = decay_rate(alpha[k]);
        scale *= alpha[k] == 0 ? 1 : c->rho[k] / alpha[k];
        SW_TRY(create_closing(own, c, k));
    }
    sw_array(own, 1, &c->factor);
    SW_TRY(own->status);
    c->factor[0] = (struct fd_factor){scale, c->rho[0], c->rho[0]};
    return SW_OK;
}

static enum sw_status refuse_pivot(int64_t row, int64_t m)
{
    return SW_FAIL(SW_E_SINGULAR, "compact differences: zero or non-finite pivot in row %lld of %lld", (long long)row,
                   (long long)m);
}

/* The rows of the recursion are those of points 2 .. n-3, m of them; beside another part those of all points. */
static enum sw_status create_between_ends(struct sw_owned *own, struct fd_simd_lines *c)
{
    const struct sw_fd_end *e = &c->line.end;
    const double al = c->line.alpha, diagonal = c->left ? 1 : e->diagonal;
    const int64_t m = c->line.n - (c->left ? 0 : 2) - (c->right ? 0 : 2);
    double upper = (c->left ? al : e->next) / diagonal;
    sw_array(own, (size_t)m, &c->factor);
    if (own->status || own->counts) return own->status;
    c->factor[0] = (struct fd_factor){1 / diagonal, 0, upper};
    if (!sw_fd_pivot_good(diagonal)) return refuse_pivot(0, m);
    for (int64_t k = 1; k < m - 1; k++) {
        double pivot = 1 - al * upper;
        if (!sw_fd_pivot_good(pivot)) return refuse_pivot(k, m);
        c->factor[k] = (struct fd_factor){1 / pivot, al / pivot, al / pivot};
        c->steps = k;
        if (k > 1 && al / pivot == upper) break;
        upper = al / pivot;
    }
    const double next = c->right ? al : e->next;
    double pivot = (c->right ? 1 : e->diagonal) - next * c->factor[c->steps].upper;
    if (!sw_fd_pivot_good(pivot)) return refuse_pivot(m - 1, m);
    c->last = (struct fd_factor){1 / pivot, next / pivot, 0};
    return SW_OK;
}

/* LU = T with the rows of T all alike: its first and last rows lack the entries that would multiply zeros. */
static enum sw_status create_five(struct sw_owned *own, struct fd_simd_lines *c)
{
    const double al = c->line.alpha, be = c->line.beta;
    struct fd_factor5 before = {0}, before2 = {0};
    assert(c->left && c->right);
    sw_array(own, (size_t)c->line.n, &c->factor5);
    if (own->status || own->counts) return own->status;
    for (int64_t i = 0; i < c->line.n; i++) {
        const double lower = al - be * before2.upper[0];
        const double pivot = 1 - lower * before.upper[0] - be * before2.upper[1];
        if (!sw_fd_pivot_good(pivot)) return refuse_pivot(i, c->line.n);
        c->factor5[i] = (struct fd_factor5){1 / pivot, {lower / pivot, be / pivot},
                                            {(al - lower * before.upper[1]) / pivot, be / pivot}};
        before2 = before;
        before = c->factor5[i];
    }
    return SW_OK;
}

static enum sw_status create_rows(struct sw_owned *own, struct fd_simd_lines *c)
{
    const int64_t n = c->line.n;
    sw_array(own, (size_t)n + 2 * FD_MARGIN, &c->row);
    if (own->status || own->counts) return own->status;
    c->row += FD_MARGIN;
    for (int64_t i = -FD_MARGIN; i < n + FD_MARGIN; i++) c->row[i] = ((i % n) + n) % n;
    return SW_OK;
}

enum sw_status fd_simd_lines_create(const struct sw_fd_line *line, struct sw_owned *own, struct fd_simd_lines *c)
{
    *c = (struct fd_simd_lines){.line = *line};
    SW_TRY(create_rows(own, c));
    return line->periodic ? create_periodic(own, c) : create_between_ends(own, c);
}

enum sw_status fd_simd_part_create(const struct sw_fd_line *line, bool left, bool right, struct sw_owned *own,
                                   struct fd_simd_lines *c)
{
    *c = (struct fd_simd_lines){.line = *line, .left = left, .right = right};
    SW_TRY(create_rows(own, c));
    return line->beta != 0 || line->n == 1 ? create_five(own, c) : create_between_ends(own, c);
}

/* Points from an end whose rows are not those of the middle. Beside a part these read the neighbour's points, and one
 * of them begins or ends the recursion. */
static int64_t apart_at_wall(const struct sw_fd_line *line) { return line->rows > 3 ? line->rows : 3; }
static int64_t apart_at_part(const struct sw_fd_line *line) { return line->half_width; }

/* ------------------------------------------------------------------ vectors */

/* Vectors wider than the target has go by value between functions of this file alone. */
#pragma GCC diagnostic ignored "-Wpsabi"
#ifdef __AVX512F__
enum { VL = 8 };
#else
enum { VL = 4 };
#endif
enum { VECTORS = FD_GROUP / VL, FEW = FD_GROUP_SMALL / VL };

typedef double vec __attribute__((vector_size(8 * VL), may_alias));
typedef double unaligned __attribute__((vector_size(8 * VL), aligned(8), may_alias));  /* of a field: not aligned */

#define INLINE static inline __attribute__((always_inline))
#define LOAD(p, v) ((vec)*(const unaligned *)((p) + (size_t)(v) * VL))
#define STORE(p, v, x) (*(unaligned *)((p) + (size_t)(v) * VL) = (unaligned)(x))

enum form { DIFFERENCE, SECOND, SUM };

static enum form form_of(enum sw_fd_kind kind)
{
    return kind == SW_FD_SECOND ? SECOND : kind == SW_FD_FIRST || kind == SW_FD_STAGGERED ? DIFFERENCE : SUM;
}

struct field {
    const double *f;
    size_t        stride;
    const double *before, *after;  /* of a part */
};

/* ------------------------------------------------------------------ right-hand sides */

INLINE void begin_sum(const struct fd_simd_lines *c, enum form form, int vectors, const double *f, vec *r)
{
    for (int v = 0; v < vectors; v++) {
        r[v] = (vec){0};
        if (form == SUM) r[v] += c->line.centre * LOAD(f, v);
    }
}

INLINE void add_pair(double w, enum form form, int vectors, const double *plus, const double *f, const double *minus,
                     vec *r)
{
    for (int v = 0; v < vectors; v++) {
        vec p = LOAD(plus, v), m = LOAD(minus, v);
        if (form == SECOND) r[v] += w * ((p - LOAD(f, v)) - (LOAD(f, v) - m));
        else r[v] += w * (form == SUM ? p + m : p - m);
    }
}

/* Of point i, by the scheme. */
INLINE void stencil(const struct fd_simd_lines *c, struct field a, int64_t i, enum form form, int pairs, int vectors,
                    vec *r)
{
    const int64_t *row = c->row + i;
    const double *f = a.f + (size_t)row[0] * a.stride;
    begin_sum(c, form, vectors, f, r);
    for (int k = 1; k <= pairs; k++)
        add_pair(c->line.weight[k], form, vectors, a.f + (size_t)row[k + c->line.up] * a.stride, f,
                 a.f + (size_t)row[c->line.down - k] * a.stride, r);
}

/* Point i, which may be one of the part beside. */
INLINE const double *point(const struct fd_simd_lines *c, struct field a, int64_t i, int vectors)
{
    const int64_t n = c->line.n, before = c->line.half_width - c->line.down;
    if (i < 0) return a.before + (size_t)(before + i) * (size_t)(vectors * VL);
    if (i >= n) return a.after + (size_t)(i - n) * (size_t)(vectors * VL);
    return a.f + (size_t)i * a.stride;
}

/* Of any point, also near walls and other parts. */
INLINE void any_row(const struct fd_simd_lines *c, struct field a, int64_t i, int vectors, vec *r)
{
    const int64_t n = c->line.n, near = c->left ? INT64_MAX : i, far_away = c->right ? INT64_MAX : n - 1 - i;
    const bool far = far_away < near;
    const int64_t from = far ? far_away : near;
    const double *base = point(c, a, i, vectors);
    if (from >= c->line.rows) {
        const enum form form = form_of(c->line.kind);
        begin_sum(c, form, vectors, base, r);
        for (int k = 1; k <= c->line.half_width; k++)
            add_pair(c->line.weight[k], form, vectors, point(c, a, i + k + c->line.up, vectors), base,
                     point(c, a, i - k + c->line.down, vectors), r);
        return;
    }
    const double sign = far ? c->line.sign : 1, *w = c->line.wall[from];
    for (int v = 0; v < vectors; v++) r[v] = (vec){0};
    for (int k = 0; k < c->line.points[from]; k++) {
        const double *f = point(c, a, far ? n - 1 - k : k, vectors);
        for (int v = 0; v < vectors; v++) {
            vec value = LOAD(f, v);
            if (c->line.kind != SW_FD_FILTER) value -= LOAD(base, v);
            r[v] += sign * w[k] * value;
        }
    }
}

/* ------------------------------------------------------------------ recursions */

INLINE const struct fd_factor *factor_of(const struct fd_simd_lines *c, int64_t k)
{
    return &c->factor[k < c->steps ? k : c->steps];
}

/* y of points first .. end-1; state: y before them, then of the last. Row 0 of the recursion is point `base`. */
INLINE void forward(const struct fd_simd_lines *c, struct field a, int64_t base, int64_t first, int64_t end,
                    enum form form, int pairs, int vectors, vec *state, double *y)
{
    vec s[VECTORS], r[VECTORS];
    for (int v = 0; v < vectors; v++) s[v] = state[v];
    for (int64_t i = first; i < end; i++) {
        const struct fd_factor q = *factor_of(c, i - base);
        const double *ahead = a.f + (size_t)c->row[i + pairs + FD_AHEAD] * a.stride;
        for (int v = 0; v < vectors; v++) __builtin_prefetch(ahead + v * VL);
        stencil(c, a, i, form, pairs, vectors, r);
        for (int v = 0; v < vectors; v++) {
            s[v] = q.scale * r[v] - q.lower * s[v];
            STORE(y + (size_t)i * (size_t)(vectors * VL), v, s[v]);
        }
    }
    for (int v = 0; v < vectors; v++) state[v] = s[v];
}

/* g of points end-1 .. first, from y; state: g after them, then of the first. */
INLINE void backward(const struct fd_simd_lines *c, int64_t base, int64_t first, int64_t end, int vectors, vec *state,
                     const double *y, double *g, size_t stride)
{
    vec s[VECTORS];
    for (int v = 0; v < vectors; v++) s[v] = state[v];
    for (int64_t i = end - 1; i >= first; i--) {
        const double upper = factor_of(c, i - base)->upper;
        double *ahead = g + (size_t)c->row[i - FD_AHEAD] * stride;
        for (int v = 0; v < vectors; v++) __builtin_prefetch(ahead + v * VL, 1);
        for (int v = 0; v < vectors; v++) {
            s[v] = LOAD(y + (size_t)i * (size_t)(vectors * VL), v) - upper * s[v];
            STORE(g + (size_t)i * stride, v, s[v]);
        }
    }
    for (int v = 0; v < vectors; v++) state[v] = s[v];
}

typedef void forward_fn(const struct fd_simd_lines *c, struct field a, int64_t base, int64_t first, int64_t end,
                        vec *state, double *y);

#define FORWARD(name, form, pairs)                                                                              \
    static void name##_all(const struct fd_simd_lines *c, struct field a, int64_t base, int64_t first, int64_t end,  \
                           vec *state, double *y)                                                               \
    {                                                                                                           \
        forward(c, a, base, first, end, form, pairs, VECTORS, state, y);                                        \
    }                                                                                                           \
    static void name##_few(const struct fd_simd_lines *c, struct field a, int64_t base, int64_t first, int64_t end,  \
                           vec *state, double *y)                                                               \
    {                                                                                                           \
        forward(c, a, base, first, end, form, pairs, FEW, state, y);                                            \
    }
FORWARD(difference1, DIFFERENCE, 1)
FORWARD(difference2, DIFFERENCE, 2)
FORWARD(difference3, DIFFERENCE, 3)
FORWARD(second1, SECOND, 1)
FORWARD(second2, SECOND, 2)
FORWARD(second3, SECOND, 3)
FORWARD(sum1, SUM, 1)
FORWARD(sum2, SUM, 2)
FORWARD(sum3, SUM, 3)
FORWARD(sum4, SUM, 4)
FORWARD(sum5, SUM, 5)
#define BOTH(name) {name##_few, name##_all}
static forward_fn *const forwards[][SW_FD_HALF_WIDTH + 1][2] = {
    [DIFFERENCE] = {{0}, BOTH(difference1), BOTH(difference2), BOTH(difference3)},
    [SECOND] = {{0}, BOTH(second1), BOTH(second2), BOTH(second3)},
    [SUM] = {{0}, BOTH(sum1), BOTH(sum2), BOTH(sum3), BOTH(sum4), BOTH(sum5)},
};

/* ------------------------------------------------------------------ periodic lines */

/* Adds to y what the first recursion, which left `state`, did not have; then state becomes g_n. */
INLINE void close_periodic(const struct fd_simd_lines *c, int k, int vectors, double *y, vec *state)
{
    const double *power = c->power[k];
    vec t[VECTORS], s[VECTORS];
    for (int v = 0; v < vectors; v++) {
        t[v] = state[v] * c->close[k];
        s[v] = (vec){0};
    }
    for (int64_t i = 0; i < c->decay_points[k]; i++)
        for (int v = 0; v < vectors; v++) {
            double *at = y + (size_t)i * (size_t)(vectors * VL);
            vec value = LOAD(at, v) + power[i + 1] * t[v];
            s[v] += power[i] * value;
            STORE(at, v, value);
        }
    for (int v = 0; v < vectors; v++) state[v] = s[v] * c->close[k];
}

/* The second matrix of a product: y -> y by its first recursion; state: the last y. */
INLINE void forward_again(const struct fd_simd_lines *c, int vectors, double *y, vec *state)
{
    for (int v = 0; v < vectors; v++) state[v] = (vec){0};
    for (int64_t i = 0; i < c->line.n; i++)
        for (int v = 0; v < vectors; v++) {
            double *at = y + (size_t)i * (size_t)(vectors * VL);
            state[v] = LOAD(at, v) - c->rho[1] * state[v];
            STORE(at, v, state[v]);
        }
}

INLINE void backward_again(const struct fd_simd_lines *c, int vectors, vec *state, const double *y, double *g,
                           size_t stride)
{
    for (int64_t i = c->line.n - 1; i >= 0; i--) {
        double *ahead = g + (size_t)c->row[i - FD_AHEAD] * stride;
        for (int v = 0; v < vectors; v++) __builtin_prefetch(ahead + v * VL, 1);
        for (int v = 0; v < vectors; v++) {
            state[v] = LOAD(y + (size_t)i * (size_t)(vectors * VL), v) - c->rho[1] * state[v];
            STORE(g + (size_t)i * stride, v, state[v]);
        }
    }
}

INLINE void solve_periodic(const struct fd_simd_lines *c, forward_fn *first, int vectors, struct field a, double *y,
                           double *g, size_t stride)
{
    const int64_t n = c->line.n;
    vec state[VECTORS] = {{0}};
    first(c, a, 0, 0, n, state, y);
    close_periodic(c, 0, vectors, y, state);
    if (c->factors == 1) {
        backward(c, 0, 0, n, vectors, state, y, g, stride);
        return;
    }
    backward(c, 0, 0, n, vectors, state, y, y, (size_t)(vectors * VL));
    forward_again(c, vectors, y, state);
    close_periodic(c, 1, vectors, y, state);
    backward_again(c, vectors, state, y, g, stride);
}

/* ------------------------------------------------------------------ walls, and other parts */

/* Right-hand sides of the three rows at an end, in sw_fd_end's order. */
INLINE void end_rows(const struct fd_simd_lines *c, struct field a, bool far, int vectors, vec r[3][VECTORS])
{
    for (int k = 0; k < 3; k++) any_row(c, a, far ? c->line.n - 1 - k : k, vectors, r[k]);
}

INLINE vec to3(const struct sw_fd_end *e, vec r[3][VECTORS], int v)
{
    return e->to3[0] * r[0][v] + e->to3[1] * r[1][v] + e->to3[2] * r[2][v];
}

/* g of the two points at an end, from those of the next two. step: from a point to the next, away from the wall */
INLINE void last_two(const struct sw_fd_end *e, vec r[3][VECTORS], int vectors, double *wall, ptrdiff_t step)
{
    for (int v = 0; v < vectors; v++) {
        vec g2 = e->to2[0] * r[0][v] + e->to2[1] * r[1][v] + e->to2[2] * r[2][v]
                 + e->from3 * LOAD(wall + 2 * step, v) + e->from4 * LOAD(wall + 3 * step, v);
        STORE(wall + step, v, g2);
        STORE(wall, v, r[0][v] - e->a1 * g2);
    }
}

/* One row of the first recursion that is not the scheme's. */
INLINE void forward_row(const struct fd_factor *q, const vec *r, int vectors, vec *state, double *y)
{
    for (int v = 0; v < vectors; v++) {
        state[v] = q->scale * r[v] - q->lower * state[v];
        STORE(y, v, state[v]);
    }
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

INLINE void solve_between_ends(const struct fd_simd_lines *c, forward_fn *middle, int vectors, struct field a,
                               double *y, double *g, size_t stride)
{
    const struct sw_fd_end *e = &c->line.end;
    const int64_t n = c->line.n, first = c->left ? 0 : 2, last = n - 1 - (c->right ? 0 : 2);
    const int64_t begin = smaller(last, c->left ? apart_at_part(&c->line) : apart_at_wall(&c->line));
    const int64_t end = larger(begin, n - (c->right ? apart_at_part(&c->line) : apart_at_wall(&c->line)));
    const size_t width = (size_t)(vectors * VL);
    vec near[3][VECTORS], far[3][VECTORS], r[VECTORS], state[VECTORS] = {{0}};
    if (c->left) {
        any_row(c, a, first, vectors, r);
    } else {
        end_rows(c, a, false, vectors, near);
        for (int v = 0; v < vectors; v++) r[v] = to3(e, near, v);
    }
    forward_row(&c->factor[0], r, vectors, state, y + (size_t)first * width);
    for (int64_t i = first + 1; i < begin; i++) {
        any_row(c, a, i, vectors, r);
        forward_row(factor_of(c, i - first), r, vectors, state, y + (size_t)i * width);
    }
    middle(c, a, first, begin, end, state, y);
    for (int64_t i = end; i < last; i++) {
        any_row(c, a, i, vectors, r);
        forward_row(factor_of(c, i - first), r, vectors, state, y + (size_t)i * width);
    }
    if (c->right) {
        any_row(c, a, last, vectors, r);
    } else {
        end_rows(c, a, true, vectors, far);
        for (int v = 0; v < vectors; v++) r[v] = to3(e, far, v);
    }
    forward_row(&c->last, r, vectors, state, y + (size_t)last * width);
    for (int v = 0; v < vectors; v++) STORE(g + (size_t)last * stride, v, state[v]);
    backward(c, first, first, last, vectors, state, y, g, stride);
    if (!c->left) last_two(e, near, vectors, g, (ptrdiff_t)stride);
    if (!c->right) last_two(e, far, vectors, g + (size_t)(n - 1) * stride, -(ptrdiff_t)stride);
}

/* ------------------------------------------------------------------ parts with five diagonals */

/* x := r - by[0] s[0] - by[1] s[1], the results of the two points before; then x is the first of them. */
INLINE void recur(const double by[2], int vectors, const vec *r, vec s[2][VECTORS], double *x)
{
    for (int v = 0; v < vectors; v++) {
        const vec value = r[v] - by[0] * s[0][v] - by[1] * s[1][v];
        s[1][v] = s[0][v];
        s[0][v] = value;
        STORE(x, v, value);
    }
}

INLINE void solve_five(const struct fd_simd_lines *c, int vectors, struct field a, double *y, double *g, size_t stride)
{
    const int64_t n = c->line.n;
    const size_t width = (size_t)(vectors * VL);
    vec r[VECTORS], below[2][VECTORS] = {{{0}}}, above[2][VECTORS] = {{{0}}};
    for (int64_t i = 0; i < n; i++) {
        any_row(c, a, i, vectors, r);
        for (int v = 0; v < vectors; v++) r[v] *= c->factor5[i].scale;
        recur(c->factor5[i].lower, vectors, r, below, y + (size_t)i * width);
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int v = 0; v < vectors; v++) r[v] = LOAD(y + (size_t)i * width, v);
        recur(c->factor5[i].upper, vectors, r, above, g + (size_t)i * stride);
    }
}

/* ------------------------------------------------------------------ */

static void apply(const struct fd_simd_lines *c, int lines, struct field a, double *y, double *g, size_t g_stride)
{
    forward_fn *const *by = forwards[form_of(c->line.kind)][c->line.half_width];
    if (lines == FD_GROUP) {
        if (c->factor5) solve_five(c, VECTORS, a, y, g, g_stride);
        else if (c->line.periodic) solve_periodic(c, by[1], VECTORS, a, y, g, g_stride);
        else solve_between_ends(c, by[1], VECTORS, a, y, g, g_stride);
    } else {
        if (c->factor5) solve_five(c, FEW, a, y, g, g_stride);
        else if (c->line.periodic) solve_periodic(c, by[0], FEW, a, y, g, g_stride);
        else solve_between_ends(c, by[0], FEW, a, y, g, g_stride);
    }
}

void fd_simd_lines_apply(const struct fd_simd_lines *c, int lines, const double *f, size_t f_stride, double *y,
                         double *g, size_t g_stride)
{
    apply(c, lines, (struct field){f, f_stride, NULL, NULL}, y, g, g_stride);
}

void fd_simd_part_apply(const struct fd_simd_lines *c, int lines, const double *f, size_t f_stride,
                        const double *before, const double *after, double *y, double *g, size_t g_stride)
{
    apply(c, lines, (struct field){f, f_stride, before, after}, y, g, g_stride);
}
