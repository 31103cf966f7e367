/* A batch of `banded`: its arrays are formed on the host, brought into the layout and the space of a row of sw_band.h,
 * solved there, and measured on the host. */
#include <math.h>
#include <string.h>

#include "base/sw_cost.h"
#include "base/sw_err.h"
#include "problem/banded/banded.h"

enum fault { NONE, NO_PIVOT, NOT_FINITE, LOST, LOST_ROW, UNMEASURED };

/* A run whose backward error is above this is no result: eight digits of a system's coefficients are gone where
 * elimination with row exchanges loses one or two of sixteen. */
static const double LOST_ABOVE = 1e-8;

struct own {
    struct sw_device *at;        /* where the row works: s->device, or that of the runs                         */
    struct sw_band   *solver;    /* for count systems, once some are solved                                     */
    struct sw_owned   arrays, arrays_there;
    double           *band, *moved;  /* a vector for each diagonal of the shape, and one, in the row's layout   */
    double           *band_there, *x_there;  /* on the row's device; NULL: it is the host                       */
    int              *bad;       /* [capacity] of sw_band_factor()                                              */
};

/* ------------------------------------------------------------------ the row */

static struct sw_band_desc shape_of(const struct system_sim *s, int batch)
{
    bool use[SYSTEM_ARRAYS];
    banded_diagonals(&s->setup, s->source, use);
    return banded_shape(&s->setup, use, (int)s->n, batch);
}

/* The config's row; of "auto" one that exchanges rows, on the device or else on the host. */
static const char *row_of(const struct sw_setup *setup, const struct sw_band_desc *desc, const struct sw_device *device,
                          enum sw_space *space)
{
    const char *row = setup->solver;
    *space = device->space;
    if (row) return row;
    if (!(row = sw_band_pivoting_row(desc, device->space))) {
        *space = SW_HOST;
        row = sw_band_pivoting_row(desc, SW_HOST);
    }
    return row;
}

static enum sw_status make_solver(struct system_sim *s, int count, bool uniform)
{
    struct own *own = s->own;
    struct sw_band_desc desc = shape_of(s, count);
    enum sw_space space;
    const struct sw_band_desc *old = own->solver ? sw_band_shape(own->solver) : NULL;
    if (old && old->batch == count && old->uniform == uniform) return SW_OK;
    sw_band_destroy(&own->solver);
    const char *row = row_of(&s->setup, &desc, s->runs_on, &space);
    if (!row) return SW_FAIL(SW_E_ABSENT, "no band solver that exchanges rows is here: install LAPACK");
    desc = banded_shape_for(&desc, row);
    desc.uniform = uniform;
    own->at = space == SW_HOST ? s->device : s->runs_on;
    return sw_band_create(&desc, row, own->at, &own->solver);
}

static bool interleaved(const struct own *own) { return sw_band_layout(own->solver) == SW_INTERLEAVED; }

/* The first solver shows what the row is like. */
static enum sw_status prepare(struct system_sim *s, int count)
{
    struct own *own = s->own;
    if (own->solver) return SW_OK;
    SW_TRY(make_solver(s, count, true));
    const struct sw_band_desc *d = sw_band_shape(own->solver);
    const size_t all = (size_t)count * s->n, diagonals = (size_t)(d->lower + d->upper + 1);
    own->arrays.device = s->device;
    own->arrays_there.device = own->at;
    sw_array(&own->arrays, (size_t)count, &own->bad);
    sw_array(&own->arrays, diagonals * all, &own->band);
    if (interleaved(own)) sw_array(&own->arrays, all, &own->moved);
    SW_TRY(own->arrays.status);
    if (own->at->space == SW_HOST) return SW_OK;
    sw_array_device(&own->arrays_there, diagonals * all, &own->band_there);
    sw_array_device(&own->arrays_there, all, &own->x_there);
    return own->arrays_there.status;
}

/* ------------------------------------------------------------------ the solution */

static bool one_matrix(const struct system_sim *s)
{
    const size_t bytes = s->n * sizeof(double);
    for (int k = 0; k < s->given.desc.diagonals; k++)
        for (int j = 1; j < s->count; j++)
            if (memcmp(s->array.diagonal[k], s->array.diagonal[k] + (size_t)j * s->n, bytes)) return false;
    return true;
}

/* A vector of all systems from lines into the row's layout, and back. */
static void to_layout(const struct system_sim *s, const double *lines, double *out)
{
    const size_t n = s->n, count = (size_t)s->count;
    if (!interleaved(s->own)) memcpy(out, lines, n * count * sizeof *out);
    else
        for (size_t j = 0; j < count; j++)
            for (size_t i = 0; i < n; i++) out[i * count + j] = lines[j * n + i];
}

static void from_layout(const struct system_sim *s, const double *in, double *lines)
{
    const size_t n = s->n, count = (size_t)s->count;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < n; i++) lines[j * n + i] = in[i * count + j];
}

/* Diagonals that are not given are zero. */
static void form_band(struct system_sim *s)
{
    struct own *own = s->own;
    const struct sw_band_desc *d = sw_band_shape(own->solver);
    const size_t vector = sw_band_vector(own->solver);
    memset(own->band, 0, (size_t)(d->lower + d->upper + 1) * vector * sizeof *own->band);
    for (int k = 0; k < s->given.desc.diagonals; k++) {
        const int place = s->given.desc.place[k];
        if (place >= -d->lower && place <= d->upper)
            to_layout(s, s->array.diagonal[k], own->band + (size_t)(place + d->lower) * vector);
    }
}

/* Bad systems solve to NaN, and harm no other. */
static enum sw_status factor(struct own *own, const double *band)
{
    const enum sw_status st = sw_band_factor(own->solver, band, own->bad);
    return st == SW_E_SINGULAR ? SW_OK : st;
}

static enum sw_status solve_there(struct own *own, size_t diagonals, double *x)
{
    const size_t bytes = sw_band_vector(own->solver) * sizeof *x;
    SW_TRY(sw_device_upload(own->at, own->band_there, own->band, diagonals * bytes));
    SW_TRY(sw_device_upload(own->at, own->x_there, x, bytes));
    SW_TRY(factor(own, own->band_there));
    SW_TRY(sw_band_solve(own->solver, own->x_there));
    return sw_device_download(own->at, x, own->x_there, bytes);
}

static enum sw_status solve(struct system_sim *s)
{
    struct own *own = s->own;
    SW_TRY(make_solver(s, s->count, one_matrix(s)));
    const struct sw_band_desc *d = sw_band_shape(own->solver);
    double *x = interleaved(own) ? own->moved : s->x;
    memset(own->bad, 0, (size_t)s->count * sizeof *own->bad);
    form_band(s);
    to_layout(s, s->array.rhs, x);
    if (own->band_there) SW_TRY(solve_there(own, (size_t)(d->lower + d->upper + 1), x));
    else {
        SW_TRY(factor(own, own->band));
        SW_TRY(sw_band_solve(own->solver, x));
    }
    if (interleaved(own)) from_layout(s, x, s->x);
    return SW_OK;
}

static enum sw_status find_faults(struct system_sim *s)
{
    const struct own *own = s->own;
    for (int j = 0; j < s->count; j++) {
        struct system_ending *e = &s->ending[j];
        const double *x = s->x + (size_t)j * s->n;
        size_t i = 0;
        if (e->bad_row) continue;
        if (own->bad[j]) {
            e->fault = NO_PIVOT;
            e->row = own->bad[j] - 1;
            continue;
        }
        while (i < s->n && isfinite(x[i])) i++;
        if (i < s->n) { e->fault = NOT_FINITE; e->row = (int64_t)i; }
    }
    return SW_OK;
}

/* |A x - f| of row i over its own size, |A_i| max|x| + |f_i|: rows much smaller than others do not show in the backward
 * error. 0 where rounding is below the range of numbers. */
static double error_of_row(const struct system_sim *s, int j, size_t i, double largest)
{
    const int64_t n = (int64_t)s->n;
    const size_t line = (size_t)j * s->n;
    const struct system_entries_desc *d = &s->given.desc;
    double r = -s->array.rhs[line + i], size = fabs(r);
    for (int k = 0; k < d->diagonals; k++) {
        const int64_t at = (int64_t)i + d->place[k], column = d->cyclic ? (at + 4 * n) % n : at;
        if (column < 0 || column >= n) continue;
        const double entry = s->array.diagonal[k][line + i];
        r += entry * s->x[line + (size_t)column];
        size += fabs(entry) * largest;
    }
    return size > 1e-280 && isfinite(size) ? fabs(r) / size : 0;
}

/* Of an elimination without row exchanges: the first row that x does not solve; -1: none. */
static int64_t find_lost_row(const struct system_sim *s, int j)
{
    const double *x = s->x + (size_t)j * s->n;
    double largest = 0;
    for (size_t i = 0; i < s->n; i++) largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < s->n; i++)
        if (error_of_row(s, j, i, largest) > LOST_ABOVE) return (int64_t)i;
    return -1;
}

static int judge(const struct system_sim *s, int j)
{
    if (s->sums[j].bad != SYSTEM_NO_ROW) return UNMEASURED;
    if (s->norms[j].backward_error > LOST_ABOVE) return LOST;
    if (sw_band_pivots(sw_band_name(((const struct own *)s->own)->solver))) return NONE;
    const int64_t row = find_lost_row(s, j);
    if (row < 0) return NONE;
    s->ending[j].row = row;
    return LOST_ROW;
}

static const char *solver_name(const struct system_sim *s)
{
    return sw_band_name(((const struct own *)s->own)->solver);
}

static void explain(const struct system_sim *s, int j, struct sw_text *text)
{
    const struct system_ending *e = &s->ending[j];
    const char *row = solver_name(s);
    const struct sw_band *solver = ((const struct own *)s->own)->solver;
    const char *best = sw_band_pivoting_row(sw_band_shape(solver), SW_HOST);
    const char *why = sw_band_shape(solver)->symmetric
                          ? "; it takes symmetric positive definite matrices only"
                      : !sw_band_pivots(row) ? "; it does not exchange rows, as solver = \"auto\" does"
                      : best && strcmp(best, row) && s->runs_on->space == SW_HOST
                          ? "; it does not scale rows, as solver = \"auto\" does" : "";
    const long long at = (long long)e->row + 1;
    switch (e->fault) {
    case NO_PIVOT:
        if (*why) sw_text_set(text, "%s finds no pivot in row %lld%s", row, at, why);
        else
            sw_text_set(text, "the matrix is singular to working precision: elimination finds no pivot at row %lld",
                        at);
        break;
    case NOT_FINITE:
        if (*why) sw_text_set(text, "%s breaks down: x is not finite from row %lld on%s", row, at, why);
        else sw_text_set(text, "x overflows at row %lld: the solution is beyond the range of numbers", at);
        break;
    case LOST:
        sw_text_set(text, "%s has lost x: its backward error is %.1g, above 1e-8%s", row,
                    s->norms[j].backward_error, why);
        break;
    case LOST_ROW:
        sw_text_set(text, "%s has lost x: it does not solve row %lld to 1e-8 of its terms%s", row, at, why);
        break;
    default: sw_text_set(text, "A x overflows: how well x solves the system is not known");
    }
}

static struct sw_cost cost(const struct system_sim *s)
{
    const struct sw_band *solver = ((const struct own *)s->own)->solver;
    return sw_band_cost(sw_band_shape(solver), sw_band_name(solver));
}

/* ------------------------------------------------------------------ making one */

static void destroy(struct system_sim *s)
{
    struct own *own = s->own;
    sw_band_destroy(&own->solver);
    sw_owned_free(&own->arrays);
    sw_owned_free(&own->arrays_there);
}

static enum sw_status describe(const struct sw_setup *setup, const struct system_source *source,
                               struct system_given *given)
{
    bool use[SYSTEM_ARRAYS];
    banded_diagonals(setup, source, use);
    return system_describe(setup, &banded_keys, use, banded_matrix_of(setup), source, given);
}

static bool needs_staging(const struct sw_setup *setup)
{
    return (setup->fields && setup->single) || *sw_setup_word(setup, "source.file");
}

static const struct system_kind kind = {
    .arrays = &banded_keys,
    .own_size = sizeof(struct own),
    .describe = describe,
    .solver_name = solver_name,
    .prepare = prepare,
    .solve = solve,
    .outcome = find_faults,
    .judge = judge,
    .explain = explain,
    .cost = cost,
    .destroy = destroy,
    .needs_staging = needs_staging,
};

/* Arrays are on the host whatever the device is. */
enum sw_status banded_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    struct sw_device *host = NULL;
    *sim = NULL;
    if (device->space == SW_HOST) return system_sim_create(&kind, setup, device, device, sim);
    SW_TRY(sw_device_open("cpu", device->threads, &host));
    const enum sw_status st = system_sim_create(&kind, setup, device, host, sim);
    if (st) sw_device_close(&host);
    else ((struct system_sim *)*sim)->opened = host;
    return st;
}

/* Of a GPU what is on the host counts as if it were there: it is about as much. */
enum sw_status banded_bytes(const struct sw_setup *setup, const struct sw_device *device, struct sw_batch_bytes *bytes)
{
    const struct sw_device host = {.space = SW_HOST};
    const struct system_source *source;
    enum sw_space space;
    bool use[SYSTEM_ARRAYS];
    SW_TRY(system_open_source(setup, &banded_keys, &source));
    banded_diagonals(setup, source, use);
    const struct sw_band_desc desc = banded_shape(setup, use, (int)setup->n[0], 1);
    const char *row = row_of(setup, &desc, device, &space);
    const int band = desc.lower + desc.upper + 1, there = space == SW_HOST ? 0 : band + 1,
              vectors = band + 1 + there + (row ? sw_band_vectors_of(&desc, row) : 0);
    bytes->per_run += (size_t)vectors * (size_t)setup->n[0] * sizeof(double) + sizeof(int);
    return system_bytes(&kind, setup, &host, bytes);
}
