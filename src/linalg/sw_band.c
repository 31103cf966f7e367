#include "linalg/sw_band.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "linalg/sw_band_impl.h"

static enum sw_status check_desc(const struct sw_band_desc *d)
{
    if (d->n < 1) return SW_FAIL(SW_E_ARG, "n = %d: a banded system needs at least 1 unknown", d->n);
    if (d->batch < 0) return SW_FAIL(SW_E_ARG, "batch = %d is negative", d->batch);
    if (d->lower < 0 || d->lower > SW_BAND_SIDE || d->upper < 0 || d->upper > SW_BAND_SIDE)
        return SW_FAIL(SW_E_ARG, "%d diagonals below and %d above the main one: 0 to %d are possible", d->lower,
                       d->upper, SW_BAND_SIDE);
    if (d->symmetric && d->lower != d->upper)
        return SW_FAIL(SW_E_ARG, "%d diagonals below and %d above the main one: a symmetric matrix has as many",
                       d->lower, d->upper);
    if (d->periodic && d->n < d->lower + d->upper + 1)
        return SW_FAIL(SW_E_ARG, "n = %d: %d periodic diagonals need at least as many unknowns", d->n,
                       d->lower + d->upper + 1);
    return SW_OK;
}

/* ld = 0 means the least; the least depends on the layout. */
static enum sw_status set_ld(struct sw_band *s)
{
    bool lines = s->ops->layout == SW_LINES;
    int least = lines ? s->desc.n : s->desc.batch;
    if (s->desc.ld == 0) s->desc.ld = least;
    if (s->desc.ld < least)
        return SW_FAIL(SW_E_ARG, "ld = %d is less than %s = %d", s->desc.ld, lines ? "n" : "batch", least);
    return SW_OK;
}

enum { LONG = 64 };  /* unknowns, which are enough for every row */

/* Whether the row would do a band of this width, of matrices that are as simple as it wants. */
static bool does_width(const struct sw_band_ops *o, const struct sw_band_desc *d)
{
    const int side = d->lower > d->upper ? d->lower : d->upper;
    return o->fits(&(struct sw_band_desc){.n = LONG, .batch = d->batch, .lower = side, .upper = side,
                                          .periodic = d->periodic, .symmetric = true, .uniform = true});
}

static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    const struct sw_band_ops *o = (const struct sw_band_ops *)row;
    struct sw_band_desc uniform = *(const struct sw_band_desc *)request, symmetric = uniform, longer = uniform;
    (void)kind;
    if (!o) return "no row does this shape";
    if (o->fits(request)) return NULL;
    if (!does_width(o, request)) return "it takes at most 2 diagonals on a side";
    longer.n = LONG;
    if (o->fits(&longer))
        return ((const struct sw_band_desc *)request)->n < LONG ? "the systems have too few unknowns for it"
                                                                : "the systems have too many unknowns for it";
    uniform.uniform = true;
    if (o->fits(&uniform)) return "it needs all matrices of a batch to be equal";
    symmetric.symmetric = true;
    return o->fits(&symmetric) ? "it takes symmetric positive definite matrices only" : "it does not do such systems";
}

SW_ROWS(rows, "band solver", sw_band_table, .refuse = refuse);

static const struct sw_band_ops *find(const char *name)
{
    return (const struct sw_band_ops *)sw_row_find(&rows, name);
}

enum sw_status sw_band_create(const struct sw_band_desc *desc, const char *name, struct sw_device *device,
                              struct sw_band **solver)
{
    enum sw_status st;
    struct sw_band *s = NULL;
    const struct sw_row *row = NULL;

    *solver = NULL;
    SW_TRY(check_desc(desc));
    SW_TRY(sw_row_pick(&rows, name, device->space, desc, &row));
    SW_TRY(sw_alloc(1, &s));
    s->ops = (const struct sw_band_ops *)row;
    s->desc = *desc;
    s->device = s->arrays.device = device;
    SW_TRY_TO(failed, st, set_ld(s));
    SW_TRY_TO(failed, st, sw_alloc_bytes(1, s->ops->own_size, &s->own));
    SW_TRY_TO(failed, st, sw_device_use(device));
    if (!device->compiles_only) SW_TRY_TO(failed, st, s->ops->create(s));
    *solver = s;
    return SW_OK;
failed:
    sw_band_destroy(&s);
    return st;
}

struct sw_cost sw_band_cost(const struct sw_band_desc *desc, const char *row)
{
    const struct sw_band_ops *o = find(row);
    return o && o->cost ? o->cost(desc) : (struct sw_cost){NAN, NAN};
}

enum sw_layout sw_band_layout(const struct sw_band *solver) { return solver->ops->layout; }

const struct sw_band_desc *sw_band_shape(const struct sw_band *solver) { return &solver->desc; }

const char *sw_band_row(int k) { return sw_band_table[k] ? sw_band_table[k]->name : NULL; }

const char *sw_band_name(const struct sw_band *solver) { return solver->ops->name; }

int sw_band_vectors_of(const struct sw_band_desc *desc, const char *name)
{
    const struct sw_band_ops *o = find(name);
    struct sw_band_desc shape = *desc;
    shape.n = LONG;
    return !o ? 0 : o->vectors_of ? o->vectors_of(&shape) : o->vectors;
}

int sw_band_vectors(const char *name)
{
    return sw_band_vectors_of(&(struct sw_band_desc){.lower = SW_BAND_SIDE, .upper = SW_BAND_SIDE, .periodic = true},
                              name);
}

bool sw_band_pivots(const char *name)
{
    const struct sw_band_ops *o = name ? find(name) : NULL;
    return o && o->pivots;
}

const char *sw_band_pivoting_row(const struct sw_band_desc *desc, enum sw_space space)
{
    for (int k = 0; sw_band_table[k]; k++)
        if (sw_band_table[k]->pivots && sw_row_usable(&rows, &sw_band_table[k]->row, space, desc))
            return sw_band_table[k]->name;
    return NULL;
}

const char *sw_band_refusal(const struct sw_band_desc *desc, const char *name)
{
    const struct sw_band_ops *o = name ? find(name) : NULL;
    enum sw_status kind = SW_E_ABSENT;
    return o && !o->absent ? refuse(&o->row, desc, &kind) : NULL;
}

int sw_band_error_growth(const char *name)
{
    const struct sw_band_ops *o = name ? find(name) : NULL;
    return o && o->error_growth ? o->error_growth : 1;
}

size_t sw_band_vector(const struct sw_band *solver)
{
    const struct sw_band_desc *d = &solver->desc;
    return (size_t)d->ld * (size_t)(solver->ops->layout == SW_LINES ? d->batch : d->n);
}

int sw_band_border(const struct sw_band_desc *desc)
{
    if (!desc->periodic) return 0;
    return desc->lower > desc->upper ? desc->lower : desc->upper;
}

struct sw_thomas_matrix sw_band_matrix(const struct sw_band *solver, const double *band, int j)
{
    const struct sw_band_desc *d = &solver->desc;
    bool lines = solver->ops->layout == SW_LINES;
    size_t first = lines ? (size_t)j * (size_t)d->ld : (size_t)j;
    struct sw_thomas_matrix A = {.stride = lines ? 1 : (size_t)d->ld, .n = d->n, .p = sw_band_border(d)};
    for (int off = -d->lower; off <= d->upper; off++)
        A.diagonal[off + 2] = band + (size_t)(off + d->lower) * sw_band_vector(solver) + first;
    return A;
}

enum sw_status sw_band_factor(struct sw_band *solver, const double *band, int *bad)
{
    if (solver->desc.batch == 0) return SW_OK;
    SW_TRY(sw_device_use(solver->device));
    return solver->ops->factor(solver, band, bad);
}

enum sw_status sw_band_solve(const struct sw_band *solver, double *x)
{
    if (solver->desc.batch == 0) return SW_OK;
    SW_TRY(sw_device_use(solver->device));
    return solver->ops->solve(solver, x);
}

void sw_band_solve_one(const struct sw_band *solver, int system, double *x)
{
    solver->ops->solve_one(solver, system, x);
}

enum sw_status sw_band_report(const struct sw_band *solver, const int *found, int *bad)
{
    int first = -1, count = 0;
    for (int j = solver->desc.batch - 1; j >= 0; j--)
        if (found[j]) { first = j; count++; }
    if (bad) memcpy(bad, found, (size_t)solver->desc.batch * sizeof *bad);
    if (first < 0) return SW_OK;
    return SW_FAIL(SW_E_SINGULAR, "%s: zero or non-finite pivot in system %d, row %d (%d of %d systems are singular)",
                   solver->ops->name, first, found[first] - 1, count, solver->desc.batch);
}

void sw_band_destroy(struct sw_band **solver)
{
    if (!solver || !*solver) return;
    struct sw_band *s = *solver;
    if (s->own && s->ops->destroy) s->ops->destroy(s);
    sw_owned_free(&s->arrays);
    sw_free(s->own);
    sw_free(s);
    *solver = NULL;
}
