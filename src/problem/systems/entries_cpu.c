/* Entries and measures on the CPU. Rows are taken in pieces, by all threads; a piece never crosses a multiple of 2^31,
 * where rand and randn count on with the next step. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "problem/systems/entries_impl.h"

/* Rows at once, a divisor of 2^31: the arrays of a piece stay in the second-level cache. */
enum { PIECE = 2048, LANES = 16 };

struct worker {                            /* of a thread                                          */
    struct sw_eval *eval[ENTRIES_PROGRAMS];
    double *i, *x, *r, *exact;             /* [PIECE + LANES]: row numbers, a solution with neighbours, r, exact */
    int     run;                           /* begun; -1: none                                      */
    struct system_sums sums;          /* of the rows of this run that the thread has measured */
};

struct own {
    struct worker *worker;  /* [threads] */
    int64_t       *bad;     /* [capacity] -1: none */
};

static void destroy(struct system_entries *e)
{
    struct own *own = e->own;
    for (int t = 0; own->worker && t < e->device->threads; t++)
        for (int k = 0; k < ENTRIES_PROGRAMS; k++) sw_eval_destroy(&own->worker[t].eval[k]);
}

static enum sw_status create(struct system_entries *e)
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

static enum sw_status load(struct system_entries *e)
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

static void begin_run(struct worker *w, const struct system_entries *e, int run)
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
static double exact_at(struct worker *w, const struct system_entries_desc *d, int64_t row)
{
    double value = 0;
    if (d->cyclic && (row < 0 || row >= d->n)) row = (row % d->n + d->n) % d->n;
    if (row >= 0 && row < d->n) evaluate(w, ENTRIES_EXACT, row, 1, &value);
    return value;
}

static double largest_of(const double *v, int count)
{
    double largest[LANES] = {0};
    const int whole = count / LANES * LANES;
    for (int k = 0; k < whole; k += LANES)
        for (int l = 0; l < LANES; l++) largest[l] = system_larger(largest[l], fabs(v[k + l]));
    for (int k = whole; k < count; k++) largest[0] = system_larger(largest[0], fabs(v[k]));
    for (int l = 1; l < LANES; l++) largest[0] = system_larger(largest[0], largest[l]);
    return largest[0];
}

/* residuals() of up to LANES rows, diagonal after diagonal. @param largest  in, out [LANES] row sums */
static inline void residuals_of_block(const struct system_entries_desc *d, const struct system_arrays *A,
                                      int64_t at, const double *f, const double *x, int lanes, double *r,
                                      double *largest)
{
    double hi[LANES], lo[LANES] = {0}, sum[LANES] = {0};
    for (int l = 0; l < lanes; l++) hi[l] = -(f ? f[l] : 0);
    for (int k = 0; k < d->diagonals; k++) {
        const double *a = A->diagonal[k] + at, *v = x + d->place[k];
        for (int l = 0; l < lanes; l++) {
            const struct sw_dd s = sw_dd_add_product((struct sw_dd){hi[l], lo[l]}, a[l], v[l]);
            hi[l] = s.hi;
            lo[l] = s.lo;
            sum[l] += fabs(a[l]);
        }
    }
    for (int l = 0; l < lanes; l++) {
        r[l] = sw_dd_value((struct sw_dd){hi[l], lo[l]});
        largest[l] = system_larger(largest[l], sum[l]);
    }
}

/* r := A x - f in double-double, rounded once, of rows whose neighbours all are in x; f NULL: 0.
 * @param at  of the first row in each array
 * @return the largest row sum */
static double residuals(const struct system_entries_desc *d, const struct system_arrays *A, int64_t at,
                        const double *f, const double *x, int count, double *r)
{
    double largest[LANES] = {0};
    int k = 0;
    for (; k + LANES <= count; k += LANES)
        residuals_of_block(d, A, at + k, f ? f + k : NULL, x + k, LANES, r + k, largest);
    if (k < count) residuals_of_block(d, A, at + k, f ? f + k : NULL, x + k, count - k, r + k, largest);
    return largest_of(largest, LANES);
}

static void multiply(struct worker *w, const struct system_entries_desc *d, const struct piece *p, int64_t at,
                     const struct system_arrays *out)
{
    double *x = w->x + ENTRIES_SIDE;
    for (int k = 1; k <= entries_below(d); k++) x[-k] = exact_at(w, d, p->first - k);
    for (int k = 0; k < entries_above(d); k++) x[p->count + k] = exact_at(w, d, p->first + p->count + k);
    evaluate(w, ENTRIES_EXACT, p->first, p->count, x);
    (void)residuals(d, out, at, NULL, x, p->count, out->rhs + at);
}

/* The entries outside the matrix. */
static void clear_outside(const struct system_entries_desc *d, const struct piece *p, int64_t at,
                          const struct system_arrays *out)
{
    for (int k = 0; k < d->diagonals; k++) {
        const int64_t place = d->place[k];
        if (d->cyclic || !out->diagonal[k]) continue;
        for (int64_t row = p->first; row < -place && row < p->first + p->count; row++)
            out->diagonal[k][at + row - p->first] = 0;
        for (int64_t row = p->first + p->count - 1; row >= d->n - place && row >= p->first; row--)
            out->diagonal[k][at + row - p->first] = 0;
    }
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

static void fill_piece(struct worker *w, const struct system_entries *e, const struct piece *p, int64_t at,
                       const struct system_arrays *out)
{
    const struct system_entries_desc *d = &e->desc;
    double *array[ENTRIES_PROGRAMS] = {[ENTRIES_RHS] = out->rhs};
    int bad = p->count;
    memcpy(array, out->diagonal, sizeof out->diagonal);
    begin_run(w, e, p->run);
    for (int k = 0; k <= ENTRIES_RHS; k++)
        if (w->eval[k]) evaluate(w, k, p->first, p->count, array[k] + at);
    clear_outside(d, p, at, out);
    if (entries_multiplies(d)) multiply(w, d, p, at, out);
    for (int k = 0; k <= ENTRIES_RHS; k++)
        if (w->eval[k] || (k == ENTRIES_RHS && entries_multiplies(d))) bad = first_not_finite(array[k] + at, bad);
    if (bad == p->count) return;
    int64_t *first = &((struct own *)e->own)->bad[p->run];
#pragma omp critical(system_first_bad)
    if (*first < 0 || p->first + bad < *first) *first = p->first + bad;
}

static enum sw_status fill(struct system_entries *e, int64_t first, int64_t rows,
                           const struct system_arrays *out)
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

static enum sw_status first_bad(struct system_entries *e, int64_t *row)
{
    memcpy(row, ((struct own *)e->own)->bad, (size_t)e->count * sizeof *row);
    return SW_OK;
}

/* ------------------------------------------------------------------ measure */

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

/* The same of one row near an end, where some diagonals are outside the matrix: those entries are not looked at. */
static double residual_near_end(const struct system_entries_desc *d, const struct system_arrays *A,
                                int64_t at, int64_t row, double f, const double *x, double *r)
{
    struct sw_dd s = {-f, 0};
    double sum = 0;
    for (int k = 0; k < d->diagonals; k++) {
        const int place = d->place[k];
        if (row + place < 0 || row + place >= d->n) continue;
        s = sw_dd_add_product(s, A->diagonal[k][at], x[place]);
        sum += fabs(A->diagonal[k][at]);
    }
    *r = sw_dd_value(s);
    return sum;
}

/* r, and the largest row sum, of a piece. */
static double residuals_to_ends(const struct system_entries_desc *d, const struct piece *p,
                                const struct system_arrays *A, int64_t at, const double *x, double *r)
{
    const int64_t begin = d->cyclic ? 0 : entries_below(d) - p->first,
                  end = d->cyclic ? p->count : d->n - entries_above(d) - p->first;
    const int from = begin < 0 ? 0 : begin < p->count ? (int)begin : p->count,
              to = end < from ? from : end < p->count ? (int)end : p->count;
    double sum = residuals(d, A, at + from, A->rhs + at + from, x + from, to - from, r + from);
    for (int k = from > 0 ? 0 : to; k < p->count; k = k + 1 == from ? to : k + 1)
        sum = system_larger(sum, residual_near_end(d, A, at + k, p->first + k, A->rhs[at + k], x + k, &r[k]));
    return sum;
}

struct measurement {
    int64_t first, rows;
    const struct system_arrays *of;
    const double *x, (*beyond)[2];
};

/* x of a row beside a piece of run `run`; 0 where there is none. */
static double x_at(const struct system_entries_desc *d, const struct measurement *m, int run, int64_t row)
{
    const int64_t start = run * m->rows, in = row - m->first;
    if (in >= 0 && in < m->rows) return m->x[start + in];
    if (m->beyond) return m->beyond[run][in > 0];
    return d->cyclic ? m->x[start + (row % d->n + d->n) % d->n] : 0;
}

static void measure_piece(struct worker *w, const struct system_entries *e, const struct piece *p,
                          const struct measurement *m)
{
    const struct system_entries_desc *d = &e->desc;
    struct system_sums *s = &w->sums;
    const int64_t at = p->run * m->rows + p->first - m->first;
    double *x = w->x + ENTRIES_SIDE;
    memcpy(x, m->x + at, (size_t)p->count * sizeof *x);
    for (int k = 1; k <= entries_below(d); k++) x[-k] = x_at(d, m, p->run, p->first - k);
    for (int k = 0; k < entries_above(d); k++) x[p->count + k] = x_at(d, m, p->run, p->first + p->count + k);
    const double sum = residuals_to_ends(d, p, m->of, at, x, w->r);
    const int bad = first_not_finite(w->r, p->count);
    if (bad < p->count && p->first + bad < s->bad) s->bad = p->first + bad;
    s->row_sum_max = system_larger(s->row_sum_max, sum);
    s->x_max = system_larger(s->x_max, largest_of(x, p->count));
    s->residual_max = system_larger(s->residual_max, add_squares(&s->residual, w->r, p->count));
    s->rhs_max = system_larger(s->rhs_max, add_squares(&s->rhs, m->of->rhs + at, p->count));
    if (!d->exact) return;
    evaluate(w, ENTRIES_EXACT, p->first, p->count, w->exact);
    for (int k = 0; k < p->count; k++) x[k] -= w->exact[k];
    s->difference_max = system_larger(s->difference_max, add_squares(&s->difference, x, p->count));
    s->exact_max = system_larger(s->exact_max, add_squares(&s->exact, w->exact, p->count));
}

/* What a thread has measured goes to its run. */
static void hand_over(struct worker *w, int run, struct system_sums *sums)
{
#pragma omp critical(system_measure)
    system_sums_merge(&sums[run], &w->sums);
    w->sums = system_sums_zero();
}

static enum sw_status measure(struct system_entries *e, int64_t first, int64_t rows,
                              const struct system_arrays *of, const double *x, const double (*beyond)[2],
                              struct system_sums *sums)
{
    const int64_t pieces = pieces_of(first, rows), all = pieces * e->count;
    const struct measurement m = {first, rows, of, x, beyond};
    struct own *own = e->own;
#pragma omp parallel num_threads(e->device->threads) if (all > 1)
    {
        struct worker *w = &own->worker[omp_get_thread_num()];
        int run = -1;
        w->sums = system_sums_zero();
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
