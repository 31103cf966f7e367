/* Compact differences on the CPU, one line after another: right-hand side, then a tridiagonal system by the Thomas
 * algorithm with factors computed once; periodic lines by the Sherman-Morrison formula, five diagonals by the band
 * solver of that name. The reference for all other rows: arithmetic is double throughout, in single precision a result
 * is rounded once.
 *
 * A line is copied to a buffer with the points before its first and after its last one, so that all axes and boundaries
 * are one loop. The solve reads two factors a point, and a third one on periodic lines; its time is that of two
 * recursions whose every step waits for the one before. */
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "fd/sw_fd_impl.h"
#include "linalg/sw_band.h"

struct thomas {
    int64_t         m;                        /* unknowns of the recursion: n if periodic, n - 4 between walls */
    double         *inverse;                  /* [m] 1/pivot */
    double         *upper;                    /* [m] entry to the right / pivot */
    double          first_lower, last_lower;  /* entries to the left in row 1 and m - 1, alpha else */
    double         *z;                        /* [n] periodic: T⁻¹ (-1, 0, .., 0, alpha) */
    double          close;                    /* 1/(1 + z_1 - alpha z_n) */
    struct sw_band *band;                     /* five diagonals */
    double         *work;                     /* [threads][2][room] */
    size_t          room;
    int             threads;
};

static bool fits(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    (void)desc;
    return line->n < INT_MAX - 64;
}

/* ------------------------------------------------------------------ right-hand side */

/* Of all points by the scheme itself. @param f  f[-HALF_WIDTH .. n-1+HALF_WIDTH] */
static void stencil(const struct sw_fd_line *line, int64_t first, int64_t end, const double *f, double *r)
{
    for (int64_t i = first; i < end; i++) {
        const double *plus = f + i + line->up, *minus = f + i + line->down;
        double sum = line->centre * f[i];
        for (int k = 1; k <= line->half_width; k++) {
            double pair;
            switch (line->kind) {
            case SW_FD_FIRST: case SW_FD_STAGGERED: pair = plus[k] - minus[-k]; break;
            case SW_FD_SECOND: pair = (plus[k] - f[i]) - (f[i] - minus[-k]); break;
            default: pair = plus[k] + minus[-k];
            }
            sum += line->weight[k] * pair;
        }
        r[i] = sum;
    }
}

/* Row `row` from a wall: f and r begin at the wall, the way from it has this step, 1 or -1. */
static void wall_row(const struct sw_fd_line *line, int row, const double *f, int step, double sign, double *r)
{
    const double *w = line->wall[row];
    const double base = line->kind == SW_FD_FILTER ? 0 : f[row * step];
    double sum = 0;
    for (int k = 0; k < line->points[row]; k++) sum += sign * w[k] * (f[k * step] - base);
    r[row * step] = sum;
}

static void right_hand_side(const struct sw_fd_line *line, const double *f, double *r)
{
    const int64_t n = line->n, rows = line->rows;
    stencil(line, rows, n - rows, f, r);
    for (int row = 0; row < rows; row++) {
        wall_row(line, row, f, 1, 1, r);
        wall_row(line, row, f + n - 1, -1, line->sign, r + n - 1);
    }
}

/* ------------------------------------------------------------------ solve */

/* T x = r in place; r has m entries. */
static void recursions(const struct thomas *t, double alpha, double *x)
{
    const int64_t m = t->m;
    x[0] *= t->inverse[0];
    x[1] = (x[1] - t->first_lower * x[0]) * t->inverse[1];
    for (int64_t i = 2; i < m - 1; i++) x[i] = (x[i] - alpha * x[i - 1]) * t->inverse[i];
    if (m > 2) x[m - 1] = (x[m - 1] - t->last_lower * x[m - 2]) * t->inverse[m - 1];
    for (int64_t i = m - 2; i >= 0; i--) x[i] -= t->upper[i] * x[i + 1];
}

static void solve_periodic(const struct thomas *t, const struct sw_fd_line *line, double *x)
{
    recursions(t, line->alpha, x);
    const double by = (x[0] - line->alpha * x[line->n - 1]) * t->close;
    for (int64_t i = 0; i < line->n; i++) x[i] -= by * t->z[i];
}

static double to3(const struct sw_fd_end *e, const double r[3])
{
    return e->to3[0] * r[0] + e->to3[1] * r[1] + e->to3[2] * r[2];
}

/* x[0] is at the wall. */
static void last_two(const struct sw_fd_end *e, const double r[3], double *x, int step)
{
    x[step] = e->to2[0] * r[0] + e->to2[1] * r[1] + e->to2[2] * r[2] + e->from3 * x[2 * step] + e->from4 * x[3 * step];
    x[0] = r[0] - e->a1 * x[step];
}

static void solve_walls(const struct thomas *t, const struct sw_fd_line *line, double *x)
{
    const struct sw_fd_end *e = &line->end;
    double *last = x + line->n - 1;
    const double near[3] = {x[0], x[1], x[2]}, far[3] = {last[0], last[-1], last[-2]};
    x[2] = to3(e, near);
    last[-2] = to3(e, far);
    recursions(t, line->alpha, x + 2);
    last_two(e, near, x, 1);
    last_two(e, far, last, -1);
}

static void solve(const struct thomas *t, const struct sw_fd_line *line, double *x)
{
    if (t->band) sw_band_solve_one(t->band, 0, x);
    else if (line->periodic) solve_periodic(t, line, x);
    else solve_walls(t, line, x);
}

/* ------------------------------------------------------------------ lines of a field */

/* f[-HALF_WIDTH .. n-1+HALF_WIDTH]: beyond the ends the periodic continuation; between walls not used. */
static void gather(const struct sw_fd *fd, const void *from, size_t base, double *f)
{
    const int64_t n = fd->line.n;
    const size_t word = sw_reals_word(fd->desc.single);
    for (int64_t i = 0; i < n; i++) f[i] = sw_reals_at(from, word, base + (size_t)i * fd->stride);
    for (int64_t k = 0; fd->line.periodic && k < SW_FD_HALF_WIDTH; k++) {
        f[n + k] = f[k];
        f[-1 - k] = f[n - 1 - k];
    }
}

static void scatter(const struct sw_fd *fd, const double *x, void *to, size_t base)
{
    const int64_t n = fd->line.n;
    const size_t word = sw_reals_word(fd->desc.single);
    for (int64_t i = 0; i < n; i++) {
        const size_t at = base + (size_t)i * fd->stride;
        sw_reals_set(to, word, at, fd->desc.add ? sw_reals_at(to, word, at) + x[i] : x[i]);
    }
}

static enum sw_status apply(const struct sw_fd *fd, const void *f, void *out)
{
    const struct thomas *t = fd->own;
    const size_t lines = fd->outer * fd->stride;
#pragma omp parallel for schedule(static) num_threads(t->threads)
    for (size_t j = 0; j < lines; j++) {
        double *values = t->work + (size_t)omp_get_thread_num() * 2 * t->room + SW_FD_HALF_WIDTH, *x = values + t->room;
        size_t base = j / fd->stride * fd->stride * (size_t)fd->line.n + j % fd->stride;
        gather(fd, f, base, values);
        right_hand_side(&fd->line, values, x);
        solve(t, &fd->line, x);
        scatter(fd, x, out, base);
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ set-up */

static enum sw_status create_band(struct sw_fd *fd, struct thomas *t)
{
    enum sw_status st;
    const int n = (int)fd->line.n;
    const struct sw_band_desc d = {.n = n, .batch = 1, .lower = 2, .upper = 2, .periodic = true, .uniform = true};
    double *band = NULL;
    const double entry[5] = {fd->line.beta, fd->line.alpha, 1, fd->line.alpha, fd->line.beta};
    SW_TRY(sw_band_create(&d, "cpu.thomas", fd->device, &t->band));
    SW_TRY_TO(done, st, sw_alloc(5 * (size_t)n, &band));
    for (int k = 0; k < 5 * n; k++) band[k] = entry[k / n];
    st = sw_band_factor(t->band, band, NULL);
done:
    sw_free(band);
    return st;
}

/* Row i of the matrix of the recursion, from pivot i - 1. */
static enum sw_status factor(struct thomas *t, const struct sw_fd_line *line)
{
    const struct sw_fd_end *e = &line->end;
    const double al = line->alpha, first_next = line->periodic ? al : e->next;
    const double first = line->periodic ? 2 : e->diagonal, last = line->periodic ? 1 + al * al : e->diagonal;
    t->first_lower = t->m == 2 && !line->periodic ? e->next : al;
    t->last_lower = first_next;
    for (int64_t i = 0; i < t->m; i++) {
        double diagonal = i == 0 ? first : i == t->m - 1 ? last : 1;
        double lower = i == t->m - 1 ? t->last_lower : al;
        double pivot = i ? diagonal - lower * t->upper[i - 1] : diagonal;
        if (!sw_fd_pivot_good(pivot))
            return SW_FAIL(SW_E_SINGULAR, "compact differences: zero or non-finite pivot in row %lld of %lld",
                           (long long)i, (long long)t->m);
        t->inverse[i] = 1 / pivot;
        t->upper[i] = (i ? al : first_next) / pivot;
    }
    return SW_OK;
}

static enum sw_status create_periodic(struct sw_fd *fd, struct thomas *t)
{
    const int64_t n = fd->line.n;
    sw_array(&fd->arrays, (size_t)n, &t->z);
    SW_TRY(fd->arrays.status);
    t->z[0] = -1;
    t->z[n - 1] = fd->line.alpha;
    recursions(t, fd->line.alpha, t->z);
    t->close = 1 / (1 + t->z[0] - fd->line.alpha * t->z[n - 1]);
    return SW_OK;
}

static enum sw_status create(struct sw_fd *fd)
{
    const int64_t n = fd->line.n;
    const size_t points = (size_t)n * fd->outer * fd->stride;
    struct thomas *t = fd->own;
    t->threads = points < 16384 ? 1 : fd->device->threads;  /* some 10 ns a point: less than starting threads takes */
    t->room = ((size_t)n + 2 * SW_FD_HALF_WIDTH + 15) / 8 * 8;
    sw_array(&fd->arrays, 2 * t->room * (size_t)t->threads, &t->work);
    SW_TRY(fd->arrays.status);
    if (fd->line.beta != 0) return create_band(fd, t);
    t->m = fd->line.periodic ? n : n - 4;
    sw_array(&fd->arrays, (size_t)t->m, &t->inverse);
    sw_array(&fd->arrays, (size_t)t->m, &t->upper);
    SW_TRY(fd->arrays.status);
    SW_TRY(factor(t, &fd->line));
    return fd->line.periodic ? create_periodic(fd, t) : SW_OK;
}

static void destroy(struct sw_fd *fd) { sw_band_destroy(&((struct thomas *)fd->own)->band); }

/* f is read and the result written once; a line stays in the cache between. Two operations a pair (three for second
 * derivatives), and of the solve 2 + 1 (multiply-subtract counts as one), periodic lines 1 more, five diagonals 9 +
 * 4. */
static struct sw_cost cost(const struct sw_fd_desc *desc, const struct sw_fd_line *line)
{
    int pair = line->kind == SW_FD_SECOND ? 4 : 2, solving = line->beta != 0 ? 13 : line->periodic ? 4 : 3;
    return (struct sw_cost){desc->single ? 8 : 16, pair * line->half_width + solving};
}

extern const struct sw_fd_ops fd_thomas_cpu;
const struct sw_fd_ops fd_thomas_cpu = {
    .name = "cpu.thomas",
    .about = "stencil, then the Thomas algorithm, line by line: the reference",
    .space = SW_HOST,
    .adds = true,
    .fits = fits,
    .own_size = sizeof(struct thomas),
    .create = create,
    .apply = apply,
    .destroy = destroy,
    .cost = cost,
};
