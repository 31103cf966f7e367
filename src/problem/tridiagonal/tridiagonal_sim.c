/* A batch of `tridiagonal`: the rows of all its systems are formed where the solver wants them, then solved together,
 * and measured. */
#include <math.h>
#include <string.h>

#include "base/sw_cost.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "device/sw_owned.h"
#include "device/sw_device.h"
#include "expr/sw_expr.h"
#include "problem/tridiagonal/matrices.h"
#include "problem/tridiagonal/measure.h"
#include "problem/tridiagonal/randsvd.h"
#include "problem/tridiagonal/source.h"
#include "problem/tridiagonal/tridiagonal.h"

enum { LOWER = TRIDIAGONAL_LOWER, MAIN = TRIDIAGONAL_MAIN, UPPER = TRIDIAGONAL_UPPER, RHS = TRIDIAGONAL_RHS,
       ARRAYS = TRIDIAGONAL_ARRAYS };

/* What became of a run. */
struct ending {
    bool    bad_row;   /* it cannot begin: an entry of row `row` is not finite */
    enum sw_tridiagonal_fault fault;
    int64_t row;       /* from 0 */
    struct tridiagonal_bad_entry bad;
};

struct tridiagonal_sim {
    struct sw_sim     sim;      /* first: the operations get a pointer to it                                     */
    struct sw_setup   setup;
    struct sw_device *device;
    size_t            n;
    int               count;
    const struct tridiagonal_matrix *matrix;  /* NULL: given                                                     */
    const struct tridiagonal_source *source;  /* NULL: no array is from files                                    */
    struct sw_program *own[3];  /* of the matrix; NULL: the config's, or none                                    */
    struct tridiagonal_entries *entries;
    struct sw_tridiagonal      *solver;       /* for count systems, once some are loaded                         */
    struct sw_owned  arrays;
    double           *array[ARRAYS], *x;      /* [capacity][n] in the memory of the device                       */
    double           *host;     /* [staging] arrays of some runs on their way to the device; NULL: not needed    */
    size_t            staging;  /* a multiple of n                                                               */
    struct randsvd    block;    /* of the run formed last, which had this seed                                   */
    double            seed;
    struct ending    *ending;   /* [capacity]                                                                    */
    char            (*why)[80];                /* of those that cannot begin; NULL: all can                      */
    bool              solved, settled, measured;
    struct tridiagonal_sums  *sums;            /* [capacity]                                                     */
    struct tridiagonal_norms *norms;           /* [capacity]                                                     */
    char             *saved;    /* [capacity][n] x on the host as it is saved; NULL: x itself is it              */
};

static bool on_host(const struct tridiagonal_sim *t) { return t->device->space == SW_HOST; }

static const char *solver_name(const struct sw_sim *sim)
{
    const struct tridiagonal_sim *t = (const struct tridiagonal_sim *)sim;
    return sw_tridiagonal_name(t->solver);
}

static struct sw_tridiagonal_rows rows_of(const struct tridiagonal_sim *t)
{
    return (struct sw_tridiagonal_rows){t->array[LOWER], t->array[MAIN], t->array[UPPER], t->array[RHS]};
}

static struct tridiagonal_arrays arrays_of(const struct tridiagonal_sim *t)
{
    return (struct tridiagonal_arrays){{t->array[LOWER], t->array[MAIN], t->array[UPPER]}, t->array[RHS]};
}

/* ------------------------------------------------------------------ the rows */

static enum sw_status put_array(struct tridiagonal_sim *t, int which, int j, const double *value)
{
    return sw_device_upload(t->device, t->array[which] + (size_t)j * t->n, value, t->n * sizeof *value);
}

/* The diagonals of a run whose matrix has given singular values. Runs of one seed have one. */
static enum sw_status form_randsvd(struct tridiagonal_sim *t, int j, const double *column)
{
    const double seed = tridiagonal_number(&t->setup, "seed", t->count, column, j);
    if (!t->block.n || t->seed != seed) {
        randsvd_free(&t->block);
        SW_TRY(randsvd_make((int64_t)t->n, t->matrix->mode, seed, t->device->threads, &t->block));
        t->seed = seed;
    }
    for (int k = LOWER; k <= UPPER; k++) {
        randsvd_rows(&t->block, k, 0, (int64_t)t->n, t->host);
        SW_TRY(put_array(t, k, j, t->host));
    }
    return SW_OK;
}

/* The first number that is not finite; -1: there is none. */
static int64_t find_not_finite(const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(value[i])) return (int64_t)i;
    return -1;
}

/* Array k of run j, as the file has it. Entries that do not count may be anything there. */
static void check_array(struct tridiagonal_sim *t, int k, int j, double *value)
{
    const bool cyclic = sw_setup_chosen(&t->setup, "cyclic", "true");
    struct ending *e = &t->ending[j];
    if (k == LOWER && !cyclic) value[0] = 0;
    if (k == UPPER && !cyclic) value[t->n - 1] = 0;
    const int64_t row = find_not_finite(value, t->n);
    if (row >= 0 && !(e->bad_row && e->row <= row))
        *e = (struct ending){.bad_row = true, .row = row, .bad = {k, row, value[row]}};
}

/* Runs from j on, at most `most`, that take systems which follow one another. */
static int count_neighbours(const struct tridiagonal_sim *t, int j, int most, const double *system)
{
    int count = 1;
    while (j + count < t->count && count < most && system[j + count] == system[j] + count) count++;
    return count;
}

/* The arrays that are in files. Many short systems are read at a time. */
static enum sw_status read_source(struct tridiagonal_sim *t, const double *column)
{
    const double *system = column + (size_t)sw_setup_column(&t->setup, "source.system") * (size_t)t->count;
    const int most = (int)(t->staging / t->n);
    for (int j = 0, count; j < t->count; j += count) {
        count = count_neighbours(t, j, most, system);
        const struct sw_array_part part = {(int64_t)system[j] - 1, count, 0, (int64_t)t->n};
        for (int k = 0; k < ARRAYS; k++) {
            if (!tridiagonal_source_has(t->source, k)) continue;
            SW_TRY(tridiagonal_source_read(t->source, k, &part, t->host));
            for (int r = 0; r < count; r++) check_array(t, k, j + r, t->host + (size_t)r * t->n);
            SW_TRY(sw_device_upload(t->device, t->array[k] + (size_t)j * t->n, t->host,
                                    (size_t)count * t->n * sizeof *t->host));
        }
    }
    return SW_OK;
}

/* Why some runs cannot begin. */
static enum sw_status say_bad_rows(struct tridiagonal_sim *t, const char **load_error)
{
    size_t bad = 0;
    for (int j = 0; j < t->count; j++) bad += t->ending[j].bad_row;
    sw_free(t->why);
    t->why = NULL;
    if (bad) SW_TRY(sw_alloc(bad, &t->why));
    bad = 0;
    for (int j = 0; j < t->count; j++) {
        const struct ending *e = &t->ending[j];
        load_error[j] = NULL;
        if (!e->bad_row) continue;
        struct sw_text why = sw_text_in(t->why[bad], sizeof t->why[bad]);
        tridiagonal_bad_entry_say(&e->bad, UPPER + 1, tridiagonal_array, &why);
        load_error[j] = t->why[bad++];
    }
    return SW_OK;
}

static enum sw_status find_bad_rows(struct tridiagonal_sim *t, const struct tridiagonal_arrays *filled)
{
    int64_t *row;
    SW_TRY(sw_alloc((size_t)t->count, &row));
    enum sw_status st = tridiagonal_entries_first_bad(t->entries, row);
    for (int j = 0; j < t->count && !st; j++) {
        struct ending *e = &t->ending[j];
        if (row[j] < 0 || (e->bad_row && e->row <= row[j])) continue;
        *e = (struct ending){.bad_row = true, .row = row[j]};
        st = tridiagonal_entries_find_bad(t->entries, j, row[j], filled, (size_t)j * t->n + (size_t)row[j], &e->bad);
    }
    sw_free(row);
    return st;
}

/* A solver for so many systems: the one at hand, or a new one. */
static enum sw_status prepare_solver(struct tridiagonal_sim *t, int count)
{
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(&t->setup, (int64_t)t->n, count);
    if (t->solver && sw_tridiagonal_shape(t->solver)->batch == count) return SW_OK;
    sw_tridiagonal_destroy(&t->solver);
    return sw_tridiagonal_create(&desc, t->setup.solver, t->device, &t->solver);
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct tridiagonal_sim *t = (struct tridiagonal_sim *)sim;
    const struct tridiagonal_arrays out = arrays_of(t);
    t->solved = t->settled = t->measured = false;
    t->count = count;
    memset(t->ending, 0, (size_t)count * sizeof *t->ending);
    SW_TRY(prepare_solver(t, count));
    SW_TRY(tridiagonal_entries_load(t->entries, count, column));
    for (int j = 0; j < count && t->matrix && t->matrix->mode; j++) SW_TRY(form_randsvd(t, j, column));
    if (t->source) SW_TRY(read_source(t, column));
    SW_TRY(tridiagonal_entries_fill(t->entries, 0, (int64_t)t->n, &out));
    SW_TRY(find_bad_rows(t, &out));
    return say_bad_rows(t, load_error);
}

/* ------------------------------------------------------------------ the solution */

/* The one step. It is queued: settle() waits for it. */
static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct tridiagonal_sim *t = (struct tridiagonal_sim *)sim;
    const struct sw_tridiagonal_rows rows = rows_of(t);
    if (from == to) return SW_OK;
    t->solved = true;
    t->settled = t->measured = false;
    return sw_tridiagonal_solve(t->solver, &rows, t->x);
}

/* What is saved of a run that failed. */
static enum sw_status blank(struct tridiagonal_sim *t, int j)
{
    enum { PIECE = 4096 };
    double nan[PIECE];
    for (size_t i = 0; i < PIECE; i++) nan[i] = NAN;
    for (size_t i = 0; i < t->n; i += PIECE) {
        const size_t count = t->n - i < PIECE ? t->n - i : PIECE;
        SW_TRY(sw_device_upload(t->device, t->x + (size_t)j * t->n + i, nan, count * sizeof *nan));
    }
    return SW_OK;
}

/* Wait for the solutions, and see what became of them. */
static enum sw_status settle(struct tridiagonal_sim *t)
{
    const struct sw_tridiagonal_rows rows = rows_of(t);
    struct sw_tridiagonal_outcome *outcome;
    if (!t->solved || t->settled) return SW_OK;
    SW_TRY(sw_alloc((size_t)t->count, &outcome));
    enum sw_status st = sw_tridiagonal_outcome(t->solver, &rows, t->x, outcome);
    for (int j = 0; j < t->count && !st; j++) {
        struct ending *e = &t->ending[j];
        if (!e->bad_row) { e->fault = outcome[j].fault; e->row = outcome[j].row; }
        if (e->bad_row || e->fault) st = blank(t, j);
    }
    sw_free(outcome);
    t->settled = !st;
    return st;
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct tridiagonal_sim *t = (struct tridiagonal_sim *)sim;
    const size_t points = (size_t)t->count * t->n;
    (void)slot, (void)what;
    SW_TRY(settle(t));
    if (!t->saved) return SW_OK;
    if (!t->setup.single) return sw_device_download(t->device, t->saved, t->x, points * sizeof *t->x);
    for (int j = 0; j < t->count; j++) {
        SW_TRY(sw_device_download(t->device, t->host, t->x + (size_t)j * t->n, t->n * sizeof *t->x));
        sw_reals_put(t->saved, sizeof(float), (size_t)j * t->n, t->host, t->n);
    }
    return SW_OK;
}

/* The snapshot stays until the next batch. */
static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    const struct tridiagonal_sim *t = (const struct tridiagonal_sim *)sim;
    (void)slot;
    *field = t->saved ? (const void *)t->saved : t->x;
    *scalars = NULL;
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    struct tridiagonal_sim *t = (struct tridiagonal_sim *)sim;
    SW_TRY(settle(t));
    for (int j = 0; j < t->count; j++) step[j] = t->settled && t->ending[j].fault ? 1 : -1;
    return SW_OK;
}

static void explain(const struct sw_sim *sim, int j, struct sw_text *text)
{
    const struct tridiagonal_sim *t = (const struct tridiagonal_sim *)sim;
    const struct ending *e = &t->ending[j];
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
                    "\"auto\"", solver_name(sim), row);
        break;
    default: sw_text_set(text, "an entry of row %lld is not finite", row);
    }
}

/* ------------------------------------------------------------------ how good it is */

static enum sw_status measure(struct tridiagonal_sim *t)
{
    const struct tridiagonal_arrays arrays = arrays_of(t);
    const bool exact = sw_setup_find(&t->setup, "exact") != NULL;
    SW_TRY(settle(t));
    if (t->measured) return SW_OK;
    for (int j = 0; j < t->count; j++) t->sums[j] = tridiagonal_sums_zero();
    SW_TRY(tridiagonal_measure(t->entries, 0, (int64_t)t->n, &arrays, t->x, NULL, t->sums));
    for (int j = 0; j < t->count; j++)
        t->norms[j] = tridiagonal_norms_from_sums(&t->sums[j], (int64_t)t->n, exact);
    t->measured = true;
    return SW_OK;
}

static enum sw_status norms(struct sw_sim *sim, struct sw_norms *norm)
{
    struct tridiagonal_sim *t = (struct tridiagonal_sim *)sim;
    SW_TRY(measure(t));
    for (int j = 0; j < t->count; j++)
        norm[j] = (struct sw_norms){.l2 = t->norms[j].l2, .max = t->norms[j].max, .rel = t->norms[j].rel,
                                    .interior = NAN};
    return SW_OK;
}

static enum sw_status residuals(struct sw_sim *sim, struct sw_residuals *residual)
{
    struct tridiagonal_sim *t = (struct tridiagonal_sim *)sim;
    SW_TRY(measure(t));
    for (int j = 0; j < t->count; j++)
        residual[j] = (struct sw_residuals){t->norms[j].residual, t->norms[j].backward_error,
                                            t->norms[j].forward_error, NAN, 0};
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    struct tridiagonal_sim *t = (struct tridiagonal_sim *)sim;
    SW_TRY(measure(t));
    for (int j = 0; j < t->count; j++) tridiagonal_record(&t->sums[j], record + SW_DIAGNOSTICS * j);
    return SW_OK;
}

static struct sw_cost cost(const struct sw_sim *sim, int64_t steps)
{
    (void)steps;
    return sw_tridiagonal_cost(((const struct tridiagonal_sim *)sim)->solver);
}

/* ------------------------------------------------------------------ making one */

static void destroy(struct sw_sim *sim)
{
    struct tridiagonal_sim *t = (struct tridiagonal_sim *)sim;
    if (!t) return;
    sw_tridiagonal_destroy(&t->solver);
    tridiagonal_entries_destroy(&t->entries);
    for (int k = 0; k < 3; k++) sw_program_destroy(&t->own[k]);
    randsvd_free(&t->block);
    sw_owned_free(&t->arrays);
    sw_free(t->why);
    sw_free(t);
}

static const struct sw_record_ops record_ops = {
    .numbers = SW_DIAGNOSTICS, .get = get_record, .warn = tridiagonal_warn_result};
static const struct sw_residual_ops residual_ops = {.get = residuals};

static const struct sw_sim_ops tridiagonal_ops = {
    .solver_name = solver_name,
    .load = load,
    .advance = advance,
    .snapshot = snapshot,
    .fetch = fetch,
    .diverged = diverged,
    .norms = norms,
    .explain = explain,
    .cost = cost,
    .destroy = destroy,
    .records = &record_ops,
    .residuals = &residual_ops,
};

/* Numbers of arrays on their way to the device: of one run, or from files of some short ones. 0: none are. */
static size_t staging_of(const struct sw_setup *setup)
{
    const size_t n = (size_t)setup->n[0], some = (1 << 18) / n;
    if (!tridiagonal_needs_staging(setup)) return 0;
    return *sw_setup_word(setup, "source.file") && some > 1 ? some * n : n;
}

static enum sw_status list_arrays(struct tridiagonal_sim *t)
{
    const size_t capacity = (size_t)t->setup.capacity, all = capacity * t->n;
    const bool saves = t->setup.fields && (t->setup.single || !on_host(t));
    for (int k = 0; k < ARRAYS; k++) sw_array_device(&t->arrays, all, &t->array[k]);
    sw_array_device(&t->arrays, all, &t->x);
    t->staging = staging_of(&t->setup);
    if (t->staging) sw_array(&t->arrays, t->staging, &t->host);
    if (saves) sw_array(&t->arrays, all * sw_reals_word(t->setup.single), &t->saved);
    sw_array(&t->arrays, capacity, &t->ending);
    sw_array(&t->arrays, capacity, &t->sums);
    sw_array(&t->arrays, capacity, &t->norms);
    return t->arrays.status;
}

enum sw_status tridiagonal_create(const struct sw_problem *problem, const struct sw_setup *setup,
                                  struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct tridiagonal_sim *t = NULL;
    struct tridiagonal_entries_desc desc;
    (void)problem;
    *sim = NULL;
    if (setup->cut) return tridiagonal_create_slices(setup, device, sim);
    SW_TRY(sw_alloc(1, &t));
    t->sim.ops = &tridiagonal_ops;
    t->setup = *setup;
    t->device = t->arrays.device = device;
    t->n = (size_t)setup->n[0];
    t->matrix = tridiagonal_matrix_find(sw_setup_word(setup, "matrix"));
    SW_TRY_TO(failed, st, prepare_solver(t, setup->capacity));
    SW_TRY_TO(failed, st, tridiagonal_find_source(setup, &t->source));
    SW_TRY_TO(failed, st, tridiagonal_describe_entries(setup, t->source, t->own, &desc));
    SW_TRY_TO(failed, st, tridiagonal_entries_create(&desc, device, &t->entries));
    SW_TRY_TO(failed, st, list_arrays(t));
    *sim = &t->sim;
    return SW_OK;
failed:
    destroy(&t->sim);
    return st;
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

enum sw_status tridiagonal_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                                 const struct sw_device *device, struct sw_batch_bytes *bytes)
{
    const struct tridiagonal_source *source;
    struct sw_program *own[3] = {NULL};
    struct tridiagonal_entries_desc desc;
    size_t of_entries = 0, of_run = 0;
    const size_t words = 5 + (device->space == SW_HOST && setup->fields && setup->single);
    (void)problem;
    if (setup->cut) return tridiagonal_slice_bytes(setup, device, bytes);
    bytes->fixed_on_host = staging_of(setup) * sizeof(double);
    SW_TRY(solver_bytes(setup, device, &bytes->fixed, &bytes->per_run));
    SW_TRY(tridiagonal_find_source(setup, &source));
    enum sw_status st = tridiagonal_describe_entries(setup, source, own, &desc);
    if (!st) tridiagonal_entries_bytes(&desc, device, &of_entries, &of_run);
    for (int k = 0; k < 3; k++) sw_program_destroy(&own[k]);
    bytes->fixed += of_entries;
    bytes->per_run += of_run + words * (size_t)setup->n[0] * sizeof(double) + sizeof(struct ending) +
                      sizeof(struct tridiagonal_sums) + sizeof(struct tridiagonal_norms);
    return st;
}

enum sw_status tridiagonal_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm)
{
    const struct tridiagonal_source *source;
    struct sw_program *own[3] = {NULL};
    struct tridiagonal_entries_desc desc;
    (void)problem;
    SW_TRY(tridiagonal_find_source(setup, &source));
    enum sw_status st = tridiagonal_describe_entries(setup, source, own, &desc);
    if (!st) st = tridiagonal_entries_try_compile(&desc, sm);
    for (int k = 0; k < 3; k++) sw_program_destroy(&own[k]);
    return st;
}
