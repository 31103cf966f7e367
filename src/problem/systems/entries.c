#include "problem/systems/entries.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/systems/entries_impl.h"

void entries_programs(const struct system_entries_desc *desc, const struct sw_program *program[ENTRIES_PROGRAMS])
{
    for (int k = 0; k < ENTRIES_DIAGONALS; k++) program[k] = k < desc->diagonals ? desc->diagonal[k] : NULL;
    program[ENTRIES_RHS] = desc->rhs;
    program[ENTRIES_EXACT] = desc->exact;
}

bool entries_multiplies(const struct system_entries_desc *desc)
{
    return !desc->rhs && !desc->given_rhs && desc->exact;
}

static const struct entries_ops *row_of(enum sw_space space)
{
    int k = 0;
    while (entries_table[k]->space != space) k++;
    return entries_table[k];
}

enum sw_status system_entries_create(const struct system_entries_desc *desc, struct sw_device *device,
                                     struct system_entries **entries)
{
    enum sw_status st;
    struct system_entries *e = NULL;
    const struct entries_ops *ops = row_of(device->space);
    *entries = NULL;
    if (ops->absent) return SW_FAIL(SW_E_ABSENT, "%s", ops->absent);
    SW_TRY(sw_alloc(1, &e));
    *e = (struct system_entries){.ops = ops, .desc = *desc, .device = device, .arrays.device = device};
    sw_array(&e->arrays, (size_t)desc->nparam * (size_t)desc->capacity, &e->param);
    SW_TRY_TO(failed, st, e->arrays.status);
    SW_TRY_TO(failed, st, sw_alloc_bytes(1, ops->own_size, &e->own));
    SW_TRY_TO(failed, st, ops->create(e));
    *entries = e;
    return SW_OK;
failed:
    system_entries_destroy(&e);
    return st;
}

void system_entries_destroy(struct system_entries **entries)
{
    if (!entries || !*entries) return;
    struct system_entries *e = *entries;
    if (e->own) e->ops->destroy(e);
    sw_owned_free(&e->arrays);
    sw_free(e->own);
    sw_free(e);
    *entries = NULL;
}

void system_entries_bytes(const struct system_entries_desc *desc, const struct sw_device *device,
                          size_t *fixed, size_t *per_run)
{
    const struct entries_ops *ops = row_of(device->space);
    *per_run = 0;
    *fixed = ops->bytes ? ops->bytes(desc, per_run) : 0;
}

enum sw_status system_entries_load(struct system_entries *entries, int count, const double *param)
{
    entries->count = count;
    memcpy(entries->param, param, (size_t)entries->desc.nparam * (size_t)count * sizeof *param);
    return entries->ops->load(entries);
}

enum sw_status system_entries_fill(struct system_entries *entries, int64_t first, int64_t rows,
                                   const struct system_arrays *out)
{
    return rows > 0 ? entries->ops->fill(entries, first, rows, out) : SW_OK;
}

enum sw_status system_entries_first_bad(struct system_entries *entries, int64_t *row)
{
    return entries->ops->first_bad(entries, row);
}

/* exact in a row of the run begun, on the host; 0 where there is no row. @param row  in, out: round the circle */
static double exact_at(struct sw_eval *eval, const struct system_entries_desc *d, int64_t *row)
{
    double i, value = 0;
    const double *in[SW_INPUTS] = {[SW_IN_X] = &i};
    if (d->cyclic) *row = (*row % d->n + d->n) % d->n;
    if (*row < 0 || *row >= d->n) return 0;
    i = (double)(*row + 1);
    sw_eval_number_from(eval, (int)(*row & INT32_MAX));
    sw_eval_cells(eval, 1, in);
    sw_eval_step(eval, 0, *row >> 31);
    sw_eval_points(eval, 1, in, &value);
    return value;
}

/* Which neighbour of a row makes A exact not finite; none where the sum overflows. */
static enum sw_status blame_exact(const struct system_entries *e, int j, int64_t row,
                                  struct system_bad_entry *bad)
{
    struct sw_eval *eval;
    bad->which = e->desc.diagonals + ENTRIES_BAD_PRODUCT;
    SW_TRY(sw_eval_create(e->desc.exact, 1, &eval));
    sw_eval_run(eval, e->param + j, e->count);
    for (int k = 0; k < e->desc.diagonals; k++) {
        int64_t at = row + e->desc.place[k];
        const double value = exact_at(eval, &e->desc, &at);
        if (isfinite(value)) continue;
        *bad = (struct system_bad_entry){e->desc.diagonals + ENTRIES_BAD_EXACT, at, value};
        break;
    }
    sw_eval_destroy(&eval);
    return SW_OK;
}

enum sw_status system_entries_find_bad(struct system_entries *e, int j, int64_t row,
                                       const struct system_arrays *out, size_t at,
                                       struct system_bad_entry *bad)
{
    const int diagonals = e->desc.diagonals, rhs = diagonals + ENTRIES_BAD_RHS;
    *bad = (struct system_bad_entry){.row = row};
    for (int k = 0; k <= rhs; k++) {
        const double *array = k < diagonals ? out->diagonal[k] : out->rhs;
        SW_TRY(sw_device_download(e->device, &bad->value, array + at, sizeof bad->value));
        bad->which = k;
        if (!isfinite(bad->value)) break;
    }
    return bad->which == rhs && entries_multiplies(&e->desc) ? blame_exact(e, j, row, bad) : SW_OK;
}

void system_bad_entry_say(const struct system_bad_entry *bad, int diagonals, const char *const *name,
                          struct sw_text *text)
{
    const long long row = (long long)bad->row + 1;
    const int behind = bad->which - diagonals;
    if (behind == ENTRIES_BAD_PRODUCT) sw_text_set(text, "rhs = A exact overflows at row %lld", row);
    else
        sw_text_set(text, "%s of row %lld is %s",
                    behind < 0 ? name[bad->which] : behind == ENTRIES_BAD_RHS ? "rhs" : "exact", row,
                    isnan(bad->value) ? "not a number" : "infinite");
}

enum sw_status system_measure(struct system_entries *entries, int64_t first, int64_t rows,
                              const struct system_arrays *of, const double *x, const double (*beyond)[2],
                              struct system_sums *sums)
{
    return rows > 0 ? entries->ops->measure(entries, first, rows, of, x, beyond, sums) : SW_OK;
}
