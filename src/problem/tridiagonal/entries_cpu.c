/* Entries and measures on the CPU. Rows are taken in pieces, by all threads; a piece never crosses a multiple of 2^31,
 * where rand and randn count on with the next step. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "problem/tridiagonal/entries_impl.h"

/* Rows at once, a divisor of 2^31: the arrays of a piece stay in the second-level cache. */
enum { PIECE = 2048, LANES = 16 };

struct worker {                            /* of a thread                                          */
    struct sw_eval *eval[ENTRIES_PROGRAMS];
    double *i, *x, *r, *exact;             /* [PIECE + LANES]: row numbers, a solution with neighbours, r, exact */
    int     run;                           /* begun; -1: none                                      */
    struct tridiagonal_sums sums;          /* of the rows of this run that the thread has measured */
};

struct own {
    struct worker *worker;  /* [threads] */
    int64_t       *bad;     /* [capacity] -1: none */
};

static void destroy(struct tridiagonal_entries *e)
{
    struct own *own = e->own;
    for (int t = 0; own->worker && t < e->device->threads; t++)
        for (int k = 0; k < ENTRIES_PROGRAMS; k++) sw_eval_destroy(&own->worker[t].eval[k]);
}

static enum sw_status create(struct tridiagonal_entries *e)
{
    struct own *own = e->own;
    const struct sw_program *program[ENTRIES_PROGRAMS];
    const size_t room = PIECE + LANES;
    entries_programs(&e->desc, program);
    sw_array(&e->arrays, (size_t)e->desc.capacity, &own->bad);
    sw_array(&e->arrays, (size_t)e->device->threads, &own->worker);
    SW_TRY(e->arrays.status);
    for (int t = 0; t < e->device->threads; t++) {
        struct worker *w = &own->worker[t];
        sw_array(&e->arrays, 4 * room, &w->i);
        SW_TRY(e->arrays.status);
        w->x = w->i + room;
        w->r = w->x + room;
        w->exact = w->r + room;
        for (int k = 0; k < ENTRIES_PROGRAMS; k++)
            if (program[k]) SW_TRY(sw_eval_create(program[k], PIECE, &w->eval[k]));
    }
    return SW_OK;
}

static enum sw_status load(struct tridiagonal_entries *e)
{
    struct own *own = e->own;
    for (int t = 0; t < e->device->threads; t++) own->worker[t].run = -1;
    for (int j = 0; j < e->count; j++) own->bad[j] = -1;
    return SW_OK;
}

/* ------------------------------------------------------------------ pieces */

struct piece { int run, count; int64_t first; };  /* rows first .. first + count - 1 of a run */

/* Pieces begin at multiples of PIECE, but the first. */
static int64_t pieces_of(int64_t first, int64_t rows) { return (first + rows - 1) / PIECE - first / PIECE + 1; }

static struct piece piece_of(int64_t first, int64_t rows, int64_t pieces, int64_t number)
{
    const int64_t k = first / PIECE + number % pieces, from = k * PIECE > first ? k * PIECE : first,
                  to = (k + 1) * PIECE < first + rows ? (k + 1) * PIECE : first + rows;
    return (struct piece){(int)(number / pieces), (int)(to - from), from};
}

static void begin_run(struct worker *w, const struct tridiagonal_entries *e, int run)
{
    if (w->run == run) return;
    for (int k = 0; k < ENTRIES_PROGRAMS; k++)
        if (w->eval[k]) sw_eval_run(w->eval[k], e->param + run, e->count);
    w->run = run;
}

/* value := a program at rows of the run begun that lie in one piece. */
static void evaluate(struct worker *w, int program, int64_t first, int count, double *value)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->i};
    struct sw_eval *eval = w->eval[program];
    for (int k = 0; k < count; k++) w->i[k] = (double)(first + 1 + k);
    sw_eval_number_from(eval, (int)(first & INT32_MAX));
    sw_eval_cells(eval, count, in);
    sw_eval_step(eval, 0, first >> 31);
    sw_eval_points(eval, count, in, value);
}

/* ------------------------------------------------------------------ fill */

/* The exact solution before and behind the rows of a piece; 0 where there is no row. */
static double exact_at(struct worker *w, const struct tridiagonal_entries_desc *d, int64_t row)
{
    double value = 0;
    if (d->cyclic) row = row < 0 ? row + d->n : row < d->n ? row : row - d->n;
    if (row >= 0 && row < d->n) evaluate(w, ENTRIES_EXACT, row, 1, &value);
    return value;
}

static void multiply(struct worker *w, const struct tridiagonal_entries_desc *d, const struct piece *p,
                     const double *lower, const double *main, const double *upper, double *rhs)
{
    double *x = w->x + 1;
    x[-1] = exact_at(w, d, p->first - 1);
    x[p->count] = exact_at(w, d, p->first + p->count);
    evaluate(w, ENTRIES_EXACT, p->first, p->count, x);
    for (int k = 0; k < p->count; k++)
        rhs[k] = tridiagonal_residual(lower[k], main[k], upper[k], 0, x[k - 1], x[k], x[k + 1]);
}

static int first_not_finite(const double *value, int count)
{
    double zero[LANES] = {0};
    const int whole = count / LANES * LANES;
    for (int k = 0; k < whole; k += LANES)
        for (int l = 0; l < LANES; l++) zero[l] += 0 * value[k + l];
    for (int k = whole; k < count; k++) zero[0] += 0 * value[k];
    for (int l = 1; l < LANES; l++) zero[0] += zero[l];
    for (int k = 0; zero[0] != 0 && k < count; k++)
        if (!isfinite(value[k])) return k;
    return count;
}

static void fill_piece(struct worker *w, const struct tridiagonal_entries *e, const struct piece *p, int64_t at,
                       const struct tridiagonal_arrays *out)
{
    const struct tridiagonal_entries_desc *d = &e->desc;
    double *const array[] = {out->lower, out->main, out->upper, out->rhs};
    bool filled[4] = {0};
    int bad = p->count;
    begin_run(w, e, p->run);
    for (int k = ENTRIES_LOWER; k <= ENTRIES_RHS; k++) {
        filled[k] = w->eval[k] != NULL;
        if (filled[k]) evaluate(w, k, p->first, p->count, array[k] + at);
    }
    if (!d->cyclic && p->first == 0 && out->lower) out->lower[at] = 0;
    if (!d->cyclic && p->first + p->count == d->n && out->upper) out->upper[at + p->count - 1] = 0;
    if (entries_multiplies(d)) {
        multiply(w, d, p, out->lower + at, out->main + at, out->upper + at, out->rhs + at);
        filled[ENTRIES_RHS] = true;
    }
    for (int k = ENTRIES_LOWER; k <= ENTRIES_RHS; k++)
        if (filled[k]) bad = first_not_finite(array[k] + at, bad);
    if (bad == p->count) return;
    int64_t *first = &((struct own *)e->own)->bad[p->run];
#pragma omp critical(tridiagonal_first_bad)
    if (*first < 0 || p->first + bad < *first) *first = p->first + bad;
}

static enum sw_status fill(struct tridiagonal_entries *e, int64_t first, int64_t rows,
                           const struct tridiagonal_arrays *out)
{
    const int64_t pieces = pieces_of(first, rows), all = pieces * e->count;
    struct own *own = e->own;
#pragma omp parallel num_threads(e->device->threads) if (all > 1)
    {
        struct worker *w = &own->worker[omp_get_thread_num()];
#pragma omp for schedule(static)
        for (int64_t k = 0; k < all; k++) {
            const struct piece p = piece_of(first, rows, pieces, k);
            fill_piece(w, e, &p, p.run * rows + p.first - first, out);
        }
    }
    return SW_OK;
}

static enum sw_status first_bad(struct tridiagonal_entries *e, int64_t *row)
{
    memcpy(row, ((struct own *)e->own)->bad, (size_t)e->count * sizeof *row);
    return SW_OK;
}

/* ------------------------------------------------------------------ measure */

static double largest_of(const double *v, int count)
{
    double largest[LANES] = {0};
    const int whole = count / LANES * LANES;
    for (int k = 0; k < whole; k += LANES)
        for (int l = 0; l < LANES; l++) largest[l] = tridiagonal_larger(largest[l], fabs(v[k + l]));
    for (int k = whole; k < count; k++) largest[0] = tridiagonal_larger(largest[0], fabs(v[k]));
    for (int l = 1; l < LANES; l++) largest[0] = tridiagonal_larger(largest[0], largest[l]);
    return largest[0];
}

/* As square_sum_add() of each. @return the largest */
static double add_squares(struct square_sum *s, const double *v, int count)
{
    const double largest = largest_of(v, count);
    const int place = first_not_finite(v, count) < count ? SQUARE_SUM_NOT_FINITE : square_sum_place(largest);
    if (place > s->top) square_sum_raise(s, place);
    if (s->top >= SQUARE_SUM_NOT_FINITE) return largest;
    const double scale = square_sum_power(-s->top);
    long long low[3] = {0};
    for (int k = 0; k < count; k++) {
        const double r = v[k] * scale;
        double t = r * r;
        low[0] += square_sum_digit(&t);
        low[1] += square_sum_digit(&t);
        low[2] += square_sum_digit(&t);
    }
    for (int k = 0; k < 3; k++) s->low[k] += low[k];
    square_sum_settle(s);
    return largest;
}

/* r and the largest row sum of rows whose neighbours all count. */
static double residuals(const double *a, const double *b, const double *c, const double *f, const double *x, int count,
                        double *r)
{
    double sum[LANES] = {0};
    for (int k = 0; k < count; k++) r[k] = tridiagonal_residual(a[k], b[k], c[k], f[k], x[k - 1], x[k], x[k + 1]);
    const int whole = count / LANES * LANES;
    for (int k = 0; k < whole; k += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] = tridiagonal_larger(sum[l], fabs(a[k + l]) + fabs(b[k + l]) + fabs(c[k + l]));
    for (int k = whole; k < count; k++) sum[0] = tridiagonal_larger(sum[0], fabs(a[k]) + fabs(b[k]) + fabs(c[k]));
    return largest_of(sum, LANES);
}

/* lower of the first row and upper of the last are not looked at unless cyclic. */
static double residuals_to_edges(const struct tridiagonal_entries_desc *d, const struct piece *p, const double *a,
                                 const double *b, const double *c, const double *f, const double *x, double *r)
{
    const bool begins = !d->cyclic && p->first == 0, ends = !d->cyclic && p->first + p->count == d->n;
    const int from = begins, to = p->count - ends, last = p->count - 1;
    double sum = from < to ? residuals(a + from, b + from, c + from, f + from, x + from, to - from, r + from) : 0;
    if (begins) {
        const double c0 = ends && last == 0 ? 0 : c[0];
        r[0] = tridiagonal_residual(0, b[0], c0, f[0], 0, x[0], x[1]);
        sum = tridiagonal_larger(sum, fabs(b[0]) + fabs(c0));
    }
    if (ends && !(begins && last == 0)) {
        r[last] = tridiagonal_residual(a[last], b[last], 0, f[last], x[last - 1], x[last], 0);
        sum = tridiagonal_larger(sum, fabs(a[last]) + fabs(b[last]));
    }
    return sum;
}

struct measurement {
    int64_t first, rows;
    const struct sw_tridiagonal_rows *of;
    const double *x, (*beyond)[2];
};

static void measure_piece(struct worker *w, const struct tridiagonal_entries *e, const struct piece *p,
                          const struct measurement *m)
{
    const struct tridiagonal_entries_desc *d = &e->desc;
    struct tridiagonal_sums *s = &w->sums;
    const int64_t start = p->run * m->rows, at = start + p->first - m->first, last = m->first + m->rows;
    const double *all = m->x + start;
    const bool whole = !m->beyond;
    double *x = w->x + 1;
    memcpy(x, m->x + at, (size_t)p->count * sizeof *x);
    x[-1] = p->first > m->first ? m->x[at - 1] : !whole ? m->beyond[p->run][0] : d->cyclic ? all[d->n - 1] : 0;
    x[p->count] = p->first + p->count < last ? m->x[at + p->count]
                  : !whole                   ? m->beyond[p->run][1]
                  : d->cyclic                ? all[0]
                                             : 0;
    const double sum = residuals_to_edges(d, p, m->of->lower + at, m->of->main + at, m->of->upper + at, m->of->rhs + at,
                                          x, w->r);
    const int bad = first_not_finite(w->r, p->count);
    if (bad < p->count && p->first + bad < s->bad) s->bad = p->first + bad;
    s->row_sum_max = tridiagonal_larger(s->row_sum_max, sum);
    s->x_max = tridiagonal_larger(s->x_max, largest_of(x, p->count));
    s->residual_max = tridiagonal_larger(s->residual_max, add_squares(&s->residual, w->r, p->count));
    s->rhs_max = tridiagonal_larger(s->rhs_max, add_squares(&s->rhs, m->of->rhs + at, p->count));
    if (!d->exact) return;
    evaluate(w, ENTRIES_EXACT, p->first, p->count, w->exact);
    for (int k = 0; k < p->count; k++) x[k] -= w->exact[k];
    s->difference_max = tridiagonal_larger(s->difference_max, add_squares(&s->difference, x, p->count));
    s->exact_max = tridiagonal_larger(s->exact_max, add_squares(&s->exact, w->exact, p->count));
}

/* What a thread has measured goes to its run. */
static void hand_over(struct worker *w, int run, struct tridiagonal_sums *sums)
{
#pragma omp critical(tridiagonal_measure)
    tridiagonal_sums_merge(&sums[run], &w->sums);
    w->sums = tridiagonal_sums_zero();
}

static enum sw_status measure(struct tridiagonal_entries *e, int64_t first, int64_t rows,
                              const struct sw_tridiagonal_rows *of, const double *x, const double (*beyond)[2],
                              struct tridiagonal_sums *sums)
{
    const int64_t pieces = pieces_of(first, rows), all = pieces * e->count;
    const struct measurement m = {first, rows, of, x, beyond};
    struct own *own = e->own;
#pragma omp parallel num_threads(e->device->threads) if (all > 1)
    {
        struct worker *w = &own->worker[omp_get_thread_num()];
        int run = -1;
        w->sums = tridiagonal_sums_zero();
#pragma omp for schedule(static)
        for (int64_t k = 0; k < all; k++) {
            const struct piece p = piece_of(first, rows, pieces, k);
            if (run >= 0 && run != p.run) hand_over(w, run, sums);
            run = p.run;
            begin_run(w, e, run);
            measure_piece(w, e, &p, &m);
        }
        if (run >= 0) hand_over(w, run, sums);
    }
    return SW_OK;
}

extern const struct entries_ops entries_cpu;
const struct entries_ops entries_cpu = {
    .name = "cpu",
    .space = SW_HOST,
    .own_size = sizeof(struct own),
    .create = create,
    .load = load,
    .fill = fill,
    .first_bad = first_bad,
    .measure = measure,
    .destroy = destroy,
};
