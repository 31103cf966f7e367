#include "base/sw_mem.h"
#include "sweep/expand_impl.h"

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
    struct sw_err_kept failure = {0};
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
#pragma omp critical(sw_blocks_failure)
        sw_err_keep(&failure, st);
        sw_free(column);
    }
    return sw_err_raise(&failure);
}
