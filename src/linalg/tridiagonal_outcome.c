/* What became of a solve: systems whose x is in doubt are judged on the host (tridiagonal_judge.c), several at a time.
 * From a device they come in blocks of neighbours, as a batch may fail as a whole. */
#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "linalg/sw_tridiagonal_impl.h"
#include "linalg/tridiagonal_row_point.h"

enum {
    BLOCK_ROWS = 1 << 20,    /* of a block, where a system is not longer: 40 MB                 */
    SERIAL_ROWS = 1 << 14    /* judging fewer takes 1 ms or less, and then one thread does it   */
};

/* ------------------------------------------------------------------ which ones are looked at */

/* The first entry that is not finite; -1: all are. */
static int64_t find_not_finite(int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}

static bool all_finite(int64_t n, const double *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += 0 * x[i];
    return sum == 0;
}

/* Of systems that hold an entry of array k (lower, main, upper, rhs) that is not finite, fine[j] = false.
 * @param entry  [count], from place `at` of the array on */
static void note_entries(const struct sw_tridiagonal_desc *d, int k, int64_t at, int64_t count, const double *entry,
                         bool *fine)
{
    if (all_finite(count, entry)) return;
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = (at + i) % d->n;
        const bool outside = !d->cyclic && ((k == 0 && row == 0) || (k == 2 && row == d->n - 1));
        if (!isfinite(entry[i]) && !outside) fine[(at + i) / d->n] = false;
    }
}

static enum sw_status look_at_entries(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, bool *fine)
{
    enum { BLOCK = 1 << 16 };
    const double *array[] = {r->lower, r->main, r->upper, r->rhs};
    const int64_t all = s->desc.n * s->desc.batch;
    double *room;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc(BLOCK, &room));
    for (int k = 0; k < 4; k++)
        for (int64_t at = 0; at < all && !st; at += BLOCK) {
            const int64_t count = all - at < BLOCK ? all - at : BLOCK;
            st = sw_device_download(s->device, room, array[k] + at, (size_t)count * sizeof *room);
            if (!st) note_entries(&s->desc, k, at, count, room, fine);
        }
    sw_free(room);
    return st;
}

struct checked { bool solved, bounded; };

/* Row i of a system; those at the ends have neighbours of their own. */
static struct checked check_row(const struct sw_tridiagonal_desc *d, const struct sw_tridiagonal_rows *r,
                                const double *x, int64_t i, double most)
{
    const int64_t n = d->n, j = i > 0 ? i - 1 : n - 1, k = i < n - 1 ? i + 1 : 0;
    const double a = i > 0 || d->cyclic ? r->lower[i] : 0, c = i < n - 1 || d->cyclic ? r->upper[i] : 0;
    return (struct checked){tridiagonal_row_is_solved(a, r->main[i], c, r->rhs[i], x[j], x[i], x[k], most),
                            tridiagonal_row_bounds(a, r->main[i], c, r->rhs[i], most)};
}

/* Whether x, which is finite, solves all rows of a system and is bounded by one of them. Reads 48 bytes a row. */
static bool is_solved(const struct sw_tridiagonal_desc *d, const struct sw_tridiagonal_rows *r, const double *x,
                      int threads)
{
    const int64_t n = d->n;
    double most = 0;
#pragma omp parallel for simd reduction(max : most) num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
    const struct checked first = check_row(d, r, x, 0, most), last = check_row(d, r, x, n - 1, most);
    int unsolved = !first.solved || !last.solved, bounded = first.bounded || last.bounded;
#pragma omp parallel for simd reduction(| : unsolved, bounded) num_threads(threads) if (threads > 1)
    for (int64_t i = 1; i < n - 1; i++) {
        const double a = r->lower[i], b = r->main[i], c = r->upper[i], f = r->rhs[i];
        unsolved |= !tridiagonal_row_is_solved(a, b, c, f, x[i - 1], x[i], x[i + 1], most);
        bounded |= tridiagonal_row_bounds(a, b, c, f, most);
    }
    return !unsolved && (bounded || n > TRIDIAGONAL_BOUNDED_ROWS);
}

/* @param threads  that share the system */
static bool system_is_solved(const struct sw_tridiagonal_desc *d, const struct sw_tridiagonal_rows *r, const double *x,
                             int j, int threads)
{
    const int64_t at = j * d->n;
    const struct sw_tridiagonal_rows own = {r->lower + at, r->main + at, r->upper + at, r->rhs + at};
    return is_solved(d, &own, x + at, threads);
}

static void look_at_rows(const struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, const double *x,
                         bool *fine)
{
    const struct sw_tridiagonal_desc *d = &s->desc;
    const int threads = d->n * d->batch < SERIAL_ROWS ? 1 : s->device->threads;
    if (d->batch < threads || threads == 1) {  /* not in a team of one: teams within one are made anew each time */
        for (int j = 0; j < d->batch; j++) fine[j] = fine[j] && system_is_solved(d, r, x, j, threads);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int j = 0; j < d->batch; j++) fine[j] = fine[j] && system_is_solved(d, r, x, j, 1);
}

static enum sw_status check_solution(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, const double *x,
                                     bool *fine)
{
    if (s->ops->check_solution) SW_TRY(s->ops->check_solution(s, r, x, fine));
    else {
        SW_TRY(sw_device_wait(s->device));
        for (int j = 0; j < s->desc.batch; j++) fine[j] = all_finite(s->desc.n, x + j * s->desc.n);
    }
    if (s->ops->stable && s->device->space == SW_HOST) look_at_rows(s, r, x, fine);
    return s->ops->misses_infinity ? look_at_entries(s, r, fine) : SW_OK;
}

/* ------------------------------------------------------------------ a block of systems */

struct block {
    int first, count;                 /* systems                                  */
    struct sw_tridiagonal_rows rows;  /* on the host                              */
    double *x;
    double *room;                     /* NULL: the host is where they are anyway  */
    bool changed;                     /* x was                                    */
};

/* From system j on, which is to be judged, to the last such one that a block has room for. */
static struct block block_at(const struct sw_tridiagonal_desc *d, const bool *fine, int j)
{
    struct block b = {.first = j, .count = 1};
    for (int k = j + 1; k < d->batch && (k - j + 1) * d->n <= BLOCK_ROWS; k++)
        if (!fine[k]) b.count = k - j + 1;
    return b;
}

static enum sw_status fetch(const struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, double *x,
                            struct block *b)
{
    const size_t at = (size_t)b->first * (size_t)s->desc.n, count = (size_t)b->count * (size_t)s->desc.n;
    const double *from[] = {r->lower + at, r->main + at, r->upper + at, r->rhs + at, x + at};
    b->rows = (struct sw_tridiagonal_rows){from[0], from[1], from[2], from[3]};
    b->x = x + at;
    if (s->device->space == SW_HOST) return SW_OK;
    SW_TRY(sw_alloc(5 * count, &b->room));
    for (size_t k = 0; k < 5; k++)
        SW_TRY(sw_device_download(s->device, b->room + k * count, from[k], count * sizeof *x));
    b->rows = (struct sw_tridiagonal_rows){b->room, b->room + count, b->room + 2 * count, b->room + 3 * count};
    b->x = b->room + 4 * count;
    return SW_OK;
}

/* @param k  of the block's systems  @param solution  [n], room */
static enum sw_status judge_one(const struct sw_tridiagonal *s, struct block *b, int k, double *solution,
                                struct sw_tridiagonal_outcome *outcome)
{
    const int64_t n = s->desc.n, at = k * n;
    const struct sw_tridiagonal_rows r = {b->rows.lower + at, b->rows.main + at, b->rows.upper + at, b->rows.rhs + at};
    const int64_t bad = find_not_finite(n, b->x + at);
    bool changed = false, better;
    SW_TRY(sw_tridiagonal_judge(n, s->desc.cyclic, &r, b->x + at, solution, &better, outcome));
    if (outcome->fault && bad < 0) {  /* finite all the same */
        b->x[at + outcome->row] = NAN;
        changed = true;
    } else if (better && s->ops->stable) {
        memcpy(b->x + at, solution, (size_t)n * sizeof *solution);
        changed = true;
    } else if (better && bad >= 0) {
        *outcome = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_BREAKDOWN, bad};
    }
    if (changed) {
#pragma omp atomic write
        b->changed = true;
    }
    return SW_OK;
}

static enum sw_status judge_block(const struct sw_tridiagonal *s, struct block *b, const bool *fine,
                                  struct sw_tridiagonal_outcome *outcome)
{
    struct sw_err_kept kept = {0};
    const int threads = b->count * s->desc.n < SERIAL_ROWS ? 1 : s->device->threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        double *solution = NULL;
        const enum sw_status room = sw_alloc((size_t)s->desc.n, &solution);
#pragma omp for schedule(dynamic)
        for (int k = 0; k < b->count; k++) {
            const int j = b->first + k;
            const enum sw_status st = fine[j] ? SW_OK : room ? room : judge_one(s, b, k, solution, &outcome[j]);
            if (st) {
#pragma omp critical(tridiagonal_outcome)
                sw_err_keep(&kept, st);
            }
        }
        sw_free(solution);
    }
    return sw_err_raise(&kept);
}

enum sw_status sw_tridiagonal_outcome(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *rows, double *x,
                                      struct sw_tridiagonal_outcome *outcome)
{
    bool *fine = NULL;
    SW_TRY(sw_alloc((size_t)s->desc.batch, &fine));
    enum sw_status st = sw_device_use(s->device);
    if (!st) st = check_solution(s, rows, x, fine);
    for (int j = 0; j < s->desc.batch; j++) outcome[j] = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_FINE, -1};
    for (int j = 0; j < s->desc.batch && !st; j++) {
        if (fine[j]) continue;
        struct block b = block_at(&s->desc, fine, j);
        st = fetch(s, rows, x, &b);
        if (!st) st = judge_block(s, &b, fine, outcome);
        if (!st && b.changed && b.room)
            st = sw_device_upload(s->device, x + (size_t)j * (size_t)s->desc.n, b.x,
                                  (size_t)b.count * (size_t)s->desc.n * sizeof *x);
        sw_free(b.room);
        j += b.count - 1;
    }
    sw_free(fine);
    return st;
}
