/* What became of a solve: systems whose x is not finite are judged on the host (tridiagonal_judge.c), several at a
 * time. From a device they come in blocks of neighbours, as a batch may fail as a whole. */
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "linalg/sw_tridiagonal_impl.h"

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

/* Of systems that hold an entry of array k (lower, main, upper, rhs) that is not finite, finite[j] = false.
 * @param entry  [count], from place `at` of the array on */
static void note_entries(const struct sw_tridiagonal_desc *d, int k, int64_t at, int64_t count, const double *entry,
                         bool *finite)
{
    if (all_finite(count, entry)) return;
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = (at + i) % d->n;
        const bool outside = !d->cyclic && ((k == 0 && row == 0) || (k == 2 && row == d->n - 1));
        if (!isfinite(entry[i]) && !outside) finite[(at + i) / d->n] = false;
    }
}

static enum sw_status look_at_entries(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, bool *finite)
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
            if (!st) note_entries(&s->desc, k, at, count, room, finite);
        }
    sw_free(room);
    return st;
}

static enum sw_status find_finite(struct sw_tridiagonal *s, const struct sw_tridiagonal_rows *r, const double *x,
                                  bool *finite)
{
    if (s->ops->finite) SW_TRY(s->ops->finite(s, x, finite));
    else {
        SW_TRY(sw_device_wait(s->device));
        for (int j = 0; j < s->desc.batch; j++) finite[j] = all_finite(s->desc.n, x + j * s->desc.n);
    }
    return s->ops->misses_infinity ? look_at_entries(s, r, finite) : SW_OK;
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
static struct block block_at(const struct sw_tridiagonal_desc *d, const bool *finite, int j)
{
    struct block b = {.first = j, .count = 1};
    for (int k = j + 1; k < d->batch && (k - j + 1) * d->n <= BLOCK_ROWS; k++)
        if (!finite[k]) b.count = k - j + 1;
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
    bool changed = false;
    SW_TRY(sw_tridiagonal_judge(n, s->desc.cyclic, &r, solution, outcome));
    if (outcome->fault && bad < 0) {  /* finite all the same: misses_infinity */
        b->x[at + outcome->row] = NAN;
        changed = true;
    } else if (!outcome->fault && bad >= 0 && s->ops->rescues) {
        memcpy(b->x + at, solution, (size_t)n * sizeof *solution);
        changed = true;
    } else if (!outcome->fault && bad >= 0) {
        *outcome = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_BREAKDOWN, bad};
    }
    if (changed) {
#pragma omp atomic write
        b->changed = true;
    }
    return SW_OK;
}

static enum sw_status judge_block(const struct sw_tridiagonal *s, struct block *b, const bool *finite,
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
            const enum sw_status st = finite[j] ? SW_OK : room ? room : judge_one(s, b, k, solution, &outcome[j]);
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
    bool *finite = NULL;
    SW_TRY(sw_alloc((size_t)s->desc.batch, &finite));
    enum sw_status st = find_finite(s, rows, x, finite);
    for (int j = 0; j < s->desc.batch; j++) outcome[j] = (struct sw_tridiagonal_outcome){SW_TRIDIAGONAL_FINE, -1};
    for (int j = 0; j < s->desc.batch && !st; j++) {
        if (finite[j]) continue;
        struct block b = block_at(&s->desc, finite, j);
        st = fetch(s, rows, x, &b);
        if (!st) st = judge_block(s, &b, finite, outcome);
        if (!st && b.changed && b.room)
            st = sw_device_upload(s->device, x + (size_t)j * (size_t)s->desc.n, b.x,
                                  (size_t)b.count * (size_t)s->desc.n * sizeof *x);
        sw_free(b.room);
        j += b.count - 1;
    }
    sw_free(finite);
    return st;
}
