/* A batch of `tridiagonal`: its systems are solved by a row of sw_tridiagonal.h, where the arrays are. */
#include "base/sw_cost.h"
#include "base/sw_mem.h"
#include "problem/tridiagonal/matrices.h"
#include "problem/tridiagonal/randsvd.h"
#include "problem/tridiagonal/tridiagonal.h"

struct own {
    const struct named_matrix *matrix;  /* NULL: given                                    */
    struct sw_tridiagonal *solver;            /* for count systems, once some are loaded        */
    struct randsvd         block;             /* of the run formed last, which had this seed    */
    double                 seed;
};

static struct sw_tridiagonal_rows rows_of(const struct system_sim *s)
{
    double *const *diagonal = s->array.diagonal;
    return (struct sw_tridiagonal_rows){diagonal[TRIDIAGONAL_LOWER], diagonal[TRIDIAGONAL_MAIN],
                                        diagonal[TRIDIAGONAL_UPPER], s->array.rhs};
}

static const char *solver_name(const struct system_sim *s)
{
    return sw_tridiagonal_name(((const struct own *)s->own)->solver);
}

/* The diagonals of a run whose matrix has given singular values. Runs of one seed have one. */
static enum sw_status form_randsvd(struct system_sim *s, int j, const double *column)
{
    struct own *own = s->own;
    const double seed = sw_setup_number(&s->setup, "seed", s->count, column, j);
    if (!own->block.n || own->seed != seed) {
        randsvd_free(&own->block);
        SW_TRY(randsvd_make((int64_t)s->n, own->matrix->mode, seed, s->device->threads, &own->block));
        own->seed = seed;
    }
    for (int k = TRIDIAGONAL_LOWER; k <= TRIDIAGONAL_UPPER; k++) {
        randsvd_rows(&own->block, k, 0, (int64_t)s->n, s->host);
        SW_TRY(system_put_diagonal(s, k, j, s->host));
    }
    return SW_OK;
}

static enum sw_status form(struct system_sim *s, const double *column)
{
    const struct own *own = s->own;
    for (int j = 0; j < s->count && own->matrix && own->matrix->mode; j++) SW_TRY(form_randsvd(s, j, column));
    return SW_OK;
}

/* A solver for so many systems: the one at hand, or a new one. */
static enum sw_status prepare(struct system_sim *s, int count)
{
    struct own *own = s->own;
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(&s->setup, (int64_t)s->n, count);
    own->matrix = named_matrix_find(tridiagonal_matrices, sw_setup_word(&s->setup, "matrix"));
    if (own->solver && sw_tridiagonal_shape(own->solver)->batch == count) return SW_OK;
    sw_tridiagonal_destroy(&own->solver);
    return sw_tridiagonal_create(&desc, s->setup.solver, s->device, &own->solver);
}

static enum sw_status solve(struct system_sim *s)
{
    const struct sw_tridiagonal_rows rows = rows_of(s);
    return sw_tridiagonal_solve(((struct own *)s->own)->solver, &rows, s->x);
}

static enum sw_status outcome_of(struct system_sim *s)
{
    const struct sw_tridiagonal_rows rows = rows_of(s);
    struct sw_tridiagonal_outcome *outcome;
    SW_TRY(sw_alloc((size_t)s->count, &outcome));
    const enum sw_status st = sw_tridiagonal_outcome(((struct own *)s->own)->solver, &rows, s->x, outcome);
    for (int j = 0; j < s->count && !st; j++) {
        struct system_ending *e = &s->ending[j];
        if (!e->bad_row) { e->fault = (int)outcome[j].fault; e->row = outcome[j].row; }
    }
    sw_free(outcome);
    return st;
}

static void explain(const struct system_sim *s, int j, struct sw_text *text)
{
    const struct system_ending *e = &s->ending[j];
    const long long row = (long long)e->row + 1;
    switch (e->fault) {
    case SW_TRIDIAGONAL_SINGULAR:
        sw_text_set(text, "the matrix is singular to working precision: elimination finds no pivot at row %lld", row);
        break;
    case SW_TRIDIAGONAL_OVERFLOW:
        sw_text_set(text, "x overflows at row %lld: the solution is beyond the range of numbers", row);
        break;
    case SW_TRIDIAGONAL_BREAKDOWN:
        sw_text_set(text, "%s breaks down: x is not finite from row %lld on; with pivoting there is an x: use solver = "
                    "\"auto\"", solver_name(s), row);
        break;
    default: sw_text_set(text, "an entry of row %lld is not finite", row);
    }
}

static struct sw_cost cost(const struct system_sim *s)
{
    return sw_tridiagonal_cost(((const struct own *)s->own)->solver);
}

static void destroy(struct system_sim *s)
{
    struct own *own = s->own;
    sw_tridiagonal_destroy(&own->solver);
    randsvd_free(&own->block);
}

static const struct system_kind kind = {
    .arrays = &tridiagonal_keys,
    .own_size = sizeof(struct own),
    .describe = tridiagonal_describe_entries,
    .solver_name = solver_name,
    .prepare = prepare,
    .form = form,
    .solve = solve,
    .outcome = outcome_of,
    .explain = explain,
    .cost = cost,
    .destroy = destroy,
    .needs_staging = tridiagonal_needs_staging,
};

enum sw_status tridiagonal_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    if (setup->cut) return tridiagonal_create_slices(setup, device, sim);
    return system_sim_create(&kind, setup, device, device, sim);
}

/* ------------------------------------------------------------------ memory */

/* What a solver takes of a batch: a constant part, and a part a run that is read off a batch of many. A long system
 * counts by itself: a batch of such may be more than a row does. */
static enum sw_status solver_bytes(const struct sw_setup *setup, const struct sw_device *device, size_t *fixed,
                                   size_t *per_run)
{
    const int64_t fit = (INT64_C(1) << 28) / setup->n[0], many = fit > 1024 ? 1024 : fit;
    const struct sw_tridiagonal_desc one = tridiagonal_describe(setup, setup->n[0], 1),
                                     batch = tridiagonal_describe(setup, setup->n[0], (int)many);
    size_t of_batch;
    *fixed = 0;
    if (many < 2) return sw_tridiagonal_bytes(&one, setup->solver, device, per_run);
    SW_TRY(sw_tridiagonal_bytes(&one, setup->solver, device, fixed));
    SW_TRY(sw_tridiagonal_bytes(&batch, setup->solver, device, &of_batch));
    *per_run = (of_batch + (size_t)many - 1) / (size_t)many;
    return SW_OK;
}

enum sw_status tridiagonal_bytes(const struct sw_setup *setup, const struct sw_device *device,
                                 struct sw_batch_bytes *bytes)
{
    if (setup->cut) return tridiagonal_slice_bytes(setup, device, bytes);
    SW_TRY(solver_bytes(setup, device, &bytes->fixed, &bytes->per_run));
    return system_bytes(&kind, setup, device, bytes);
}

