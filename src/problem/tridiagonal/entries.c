#include "problem/tridiagonal/entries.h"

#include <string.h>

#include "base/sw_mem.h"
#include "problem/tridiagonal/entries_impl.h"

void entries_programs(const struct tridiagonal_entries_desc *desc, const struct sw_program *program[ENTRIES_PROGRAMS])
{
    program[ENTRIES_LOWER] = desc->lower;
    program[ENTRIES_MAIN] = desc->main;
    program[ENTRIES_UPPER] = desc->upper;
    program[ENTRIES_RHS] = desc->rhs;
    program[ENTRIES_EXACT] = desc->exact;
}

bool entries_multiplies(const struct tridiagonal_entries_desc *desc)
{
    return !desc->rhs && !desc->given_rhs && desc->exact;
}

static const struct entries_ops *row_of(enum sw_space space)
{
    int k = 0;
    while (entries_table[k]->space != space) k++;
    return entries_table[k];
}

enum sw_status tridiagonal_entries_create(const struct tridiagonal_entries_desc *desc, struct sw_device *device,
                                          struct tridiagonal_entries **entries)
{
    enum sw_status st;
    struct tridiagonal_entries *e = NULL;
    const struct entries_ops *ops = row_of(device->space);
    *entries = NULL;
    if (ops->absent) return SW_FAIL(SW_E_ABSENT, "%s", ops->absent);
    SW_TRY(sw_alloc(1, &e));
    *e = (struct tridiagonal_entries){.ops = ops, .desc = *desc, .device = device};
    SW_TRY_TO(failed, st, sw_alloc((size_t)desc->nparam * (size_t)desc->capacity, &e->param));
    SW_TRY_TO(failed, st, ops->create(e));
    *entries = e;
    return SW_OK;
failed:
    tridiagonal_entries_destroy(&e);
    return st;
}

void tridiagonal_entries_destroy(struct tridiagonal_entries **entries)
{
    if (!entries || !*entries) return;
    (*entries)->ops->destroy(*entries);
    sw_free((*entries)->param);
    sw_free(*entries);
    *entries = NULL;
}

void tridiagonal_entries_bytes(const struct tridiagonal_entries_desc *desc, const struct sw_device *device,
                               size_t *fixed, size_t *per_run)
{
    const struct entries_ops *ops = row_of(device->space);
    *per_run = 0;
    *fixed = ops->bytes ? ops->bytes(desc, per_run) : 0;
}

enum sw_status tridiagonal_entries_try_compile(const struct tridiagonal_entries_desc *desc, int sm)
{
    const struct entries_ops *ops = row_of(SW_DEVICE);
    return ops->absent ? SW_OK : ops->try_compile(desc, sm);
}

enum sw_status tridiagonal_entries_load(struct tridiagonal_entries *entries, int count, const double *param)
{
    entries->count = count;
    memcpy(entries->param, param, (size_t)entries->desc.nparam * (size_t)count * sizeof *param);
    return entries->ops->load(entries);
}

enum sw_status tridiagonal_entries_fill(struct tridiagonal_entries *entries, int64_t first, int64_t rows,
                                        const struct tridiagonal_arrays *out)
{
    return rows > 0 ? entries->ops->fill(entries, first, rows, out) : SW_OK;
}

enum sw_status tridiagonal_entries_first_bad(struct tridiagonal_entries *entries, int64_t *row)
{
    return entries->ops->first_bad(entries, row);
}

enum sw_status tridiagonal_measure(struct tridiagonal_entries *entries, int64_t first, int64_t rows,
                                   const struct sw_tridiagonal_rows *of, const double *x, const double (*beyond)[2],
                                   struct tridiagonal_sums *sums)
{
    return rows > 0 ? entries->ops->measure(entries, first, rows, of, x, beyond, sums) : SW_OK;
}
