#include <stdio.h>

#include "base/sw_mem.h"
#include "sweep/expand_impl.h"

/* The first failure of several threads, carried to the thread that started them. */
struct failure { enum sw_status status; char where[256], message[4096]; };

static void keep(struct failure *f, enum sw_status st)
{
#pragma omp critical(sw_blocks_failure)
    if (!f->status) {
        f->status = st;
        snprintf(f->where, sizeof f->where, "%s", sw_err_where());
        snprintf(f->message, sizeof f->message, "%s", sw_err_message());
    }
}

static enum sw_status fill_constants(const struct sw_sweep *s, double *column)
{
    for (int k = 0; k < s->ncolumn; k++)
        if (s->own->source[k].kind == SOURCE_CONSTANT) SW_TRY(column_fill(s, k, NULL, 0, BLOCK, column));
    return SW_OK;
}

static enum sw_status fill_varying(const struct sw_sweep *s, const int64_t *run, int64_t first, int count,
                                   double *column)
{
    for (int j = 0; j < s->own->norder; j++) SW_TRY(column_fill(s, s->own->order[j], run, first, count, column));
    return SW_OK;
}

enum sw_status blocks_each(const struct sw_sweep *s, const int64_t *run, int64_t first, int64_t count, bool in_order,
                           enum sw_status (*work)(void *user, const struct block *block), void *user)
{
    struct failure failure = {0};
    int64_t nblock = (count + BLOCK - 1) / BLOCK;
#pragma omp parallel if (!in_order && nblock > 1)
    {
        double *column;
        enum sw_status st = sw_alloc((size_t)s->ncolumn * BLOCK, &column);
        if (!st) st = fill_constants(s, column);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < nblock; b++) {
            struct block block = {b * BLOCK, (int)(count - b * BLOCK < BLOCK ? count - b * BLOCK : BLOCK), column};
            if (!st) st = fill_varying(s, run ? run + block.at : NULL, first + block.at, block.count, column);
            if (!st) st = work(user, &block);
        }
        if (st) keep(&failure, st);
        sw_free(column);
    }
    if (failure.status) sw_err_set(failure.where, failure.message);
    return failure.status;
}
