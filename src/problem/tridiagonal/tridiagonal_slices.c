/* A run of `tridiagonal` whose arrays are too large for the memory: slice after slice (sw_tridiagonal_distributed.h).
 * There are 2^cut slices, and two steps for each. In steps 1 to 2^cut a slice is filled and reduced to its relation, 10
 * words; then the relations give the unknowns at the ends of all slices; in the other steps a slice is filled again,
 * its unknowns are found from its ends, measured, and saved. So no more than a slice is ever in memory, and a
 * checkpoint is the relations and what has been measured so far. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "linalg/sw_tridiagonal_distributed.h"
#include "problem/tridiagonal/matrices.h"
#include "problem/tridiagonal/measure.h"
#include "problem/tridiagonal/randsvd.h"
#include "problem/tridiagonal/tridiagonal.h"

enum { LOWER = TRIDIAGONAL_LOWER, MAIN, UPPER, RHS, ARRAYS };

/* Why a run cannot go on. */
enum failure { NO_FAILURE, BAD_ENTRY, SINGULAR, OVERFLOWS, EARLIER };

struct slices_sim {
    struct sw_sim     sim;      /* first: the operations get a pointer to it                        */
    struct sw_setup   setup;
    struct sw_device *device;
    int64_t           n, slices, most_rows;
    const struct tridiagonal_matrix *matrix;      /* NULL: given                                    */
    const struct tridiagonal_source *source;      /* NULL: no array is in a file                    */
    int64_t           stored;   /* which of its systems the run is, from 0                          */
    struct sw_program *own[3];  /* of the matrix; NULL: the config's, or none                       */
    struct tridiagonal_entries *entries;
    struct sw_tridiagonal_distributed *system;
    double           *array[ARRAYS], *x;          /* [most_rows] in the memory of the device        */
    double           *host;     /* [most_rows] on the way from or to the device                     */
    char             *saved[SW_SNAPSHOT_SLOTS];   /* [most_rows] pieces of x as they are saved      */
    struct randsvd    block;
    bool              closed;   /* the ends of all slices are known                                 */
    int64_t           first, rows;                /* of the slice in x; rows 0: there is none       */
    struct tridiagonal_sums sums;
    enum failure      failure;
    int64_t           failed_step, failed_first, failed_last;  /* step; the rows at fault, from 0   */
    int               failed_array;
    double            failed_value;
};

static const char *solver_of(const struct sw_setup *setup, const struct sw_device *device)
{
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(setup, setup->n[0], 1);
    return sw_tridiagonal_row_of_slices(&desc, setup->solver, device);
}

int tridiagonal_deepest_cut(const struct sw_setup *setup, const struct sw_device *device)
{
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(setup, setup->n[0], 1);
    const char *name = solver_of(setup, device);
    const int depth = name ? sw_tridiagonal_depth(&desc, name) : 0;
    return depth < SW_CUT_MOST ? depth : SW_CUT_MOST;
}

static const char *solver_name(const struct sw_sim *sim)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    return solver_of(&t->setup, t->device);
}

static struct sw_tridiagonal_rows rows_of(const struct slices_sim *t)
{
    return (struct sw_tridiagonal_rows){t->array[LOWER], t->array[MAIN], t->array[UPPER], t->array[RHS]};
}

static bool has_exact(const struct slices_sim *t) { return sw_setup_find(&t->setup, "exact") != NULL; }

/* ------------------------------------------------------------------ the rows of a slice */

static enum sw_status fail(struct slices_sim *t, enum failure failure, int64_t step, int64_t first, int64_t last)
{
    t->failure = failure;
    t->failed_step = step;
    t->failed_first = first;
    t->failed_last = last;
    return SW_OK;
}

static enum sw_status name_bad_entry(struct slices_sim *t, int64_t step, int64_t row)
{
    for (int k = 0; k < ARRAYS; k++) {
        SW_TRY(sw_device_download(t->device, &t->failed_value, t->array[k] + (row - t->first), sizeof *t->host));
        t->failed_array = k;
        if (!isfinite(t->failed_value)) break;
    }
    return fail(t, BAD_ENTRY, step, row, row);
}

/* The rows of this slice of an array that is in a file. Entries that do not count may be anything there. */
static enum sw_status read_source(struct slices_sim *t, int k, int64_t step)
{
    const bool cyclic = sw_setup_chosen(&t->setup, "cyclic", "true");
    const struct sw_array_part part = {t->stored, 1, t->first, t->rows};
    int64_t bad = 0;
    SW_TRY(tridiagonal_source_read(t->source, k, &part, t->host));
    if (k == LOWER && !cyclic && t->first == 0) t->host[0] = 0;
    if (k == UPPER && !cyclic && t->first + t->rows == t->n) t->host[t->rows - 1] = 0;
    while (bad < t->rows && isfinite(t->host[bad])) bad++;
    if (bad < t->rows && !(t->failure && t->failed_first <= t->first + bad)) {
        t->failed_array = k;
        t->failed_value = t->host[bad];
        SW_TRY(fail(t, BAD_ENTRY, step, t->first + bad, t->first + bad));
    }
    return sw_device_upload(t->device, t->array[k], t->host, (size_t)t->rows * sizeof *t->host);
}

static enum sw_status fill(struct slices_sim *t, int64_t slice, int64_t step)
{
    const struct tridiagonal_arrays out = {t->array[LOWER], t->array[MAIN], t->array[UPPER], t->array[RHS]};
    int64_t bad;
    sw_tridiagonal_distributed_rows(t->system, slice, &t->first, &t->rows);
    for (int k = LOWER; k <= UPPER && t->block.n; k++) {
        randsvd_rows(&t->block, k, t->first, t->rows, t->host);
        SW_TRY(sw_device_upload(t->device, t->array[k], t->host, (size_t)t->rows * sizeof *t->host));
    }
    for (int k = LOWER; k < ARRAYS; k++)
        if (tridiagonal_source_has(t->source, k)) SW_TRY(read_source(t, k, step));
    if (t->failure) return SW_OK;
    SW_TRY(tridiagonal_entries_fill(t->entries, t->first, t->rows, &out));
    SW_TRY(tridiagonal_entries_first_bad(t->entries, &bad));
    return bad < 0 ? SW_OK : name_bad_entry(t, step, bad);
}

/* ------------------------------------------------------------------ steps */

static enum sw_status reduce(struct slices_sim *t, int64_t slice, int64_t step)
{
    const struct sw_tridiagonal_rows rows = rows_of(t);
    SW_TRY(fill(t, slice, step));
    return t->failure ? SW_OK : sw_tridiagonal_distributed_reduce(t->system, slice, &rows);
}

static enum sw_status close_system(struct slices_sim *t, int64_t step)
{
    int64_t broken, first, rows;
    SW_TRY(sw_tridiagonal_distributed_close(t->system, &broken));
    t->closed = true;
    if (broken < 0) return SW_OK;
    sw_tridiagonal_distributed_rows(t->system, broken, &first, &rows);
    return fail(t, SINGULAR, step, first, first + rows - 1);
}

static enum sw_status expand(struct slices_sim *t, int64_t slice, int64_t step)
{
    const struct sw_tridiagonal_rows rows = rows_of(t);
    const double *ends = sw_tridiagonal_distributed_ends(t->system, slice);
    const double beyond[1][2] = {{ends[0], ends[3]}};
    SW_TRY(fill(t, slice, step));
    if (t->failure) return SW_OK;
    SW_TRY(sw_tridiagonal_distributed_expand(t->system, slice, &rows, t->x));
    SW_TRY(tridiagonal_measure(t->entries, t->first, t->rows, &rows, t->x, beyond, &t->sums));
    return t->sums.bad == TRIDIAGONAL_NONE ? SW_OK : fail(t, OVERFLOWS, step, t->sums.bad, t->sums.bad);
}

/* Steps count on where the run has failed, and do nothing. */
static enum sw_status take_step(struct slices_sim *t, int64_t step)
{
    const int64_t slice = step % t->slices;
    const bool second = step >= t->slices;
    if (step == t->slices) t->sums = tridiagonal_sums_zero();
    if (!t->failure && second && !t->closed) SW_TRY(close_system(t, step + 1));
    if (!t->failure) SW_TRY(second ? expand(t, slice, step + 1) : reduce(t, slice, step + 1));
    if (second) sw_tridiagonal_distributed_rows(t->system, slice, &t->first, &t->rows);
    else t->rows = 0;
    return SW_OK;
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    for (int64_t step = from; step < to; step++) SW_TRY(take_step(t, step));
    return SW_OK;
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    const double seed = tridiagonal_number(&t->setup, "seed", count, column, 0);
    load_error[0] = NULL;
    if (t->source) t->stored = (int64_t)tridiagonal_number(&t->setup, "source.system", count, column, 0) - 1;
    t->closed = false;
    t->rows = 0;
    t->failure = NO_FAILURE;
    t->sums = tridiagonal_sums_zero();
    randsvd_free(&t->block);
    if (t->matrix && t->matrix->mode)
        SW_TRY(randsvd_make(t->n, t->matrix->mode, seed, t->device->threads, &t->block));
    return tridiagonal_entries_load(t->entries, count, column);
}

/* ------------------------------------------------------------------ the state: relations and sums */

static size_t relation_words(const struct slices_sim *t) { return 10 * (size_t)t->slices; }

static size_t state_size(const struct sw_sim *sim)
{
    return relation_words((const struct slices_sim *)sim) + TRIDIAGONAL_SUMS_NUMBERS;
}

static enum sw_status get_state(struct sw_sim *sim, double *state)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    memcpy(state, sw_tridiagonal_distributed_relations(t->system), relation_words(t) * sizeof *state);
    tridiagonal_sums_pack(&t->sums, state + relation_words(t));
    return SW_OK;
}

/* The state of a run that has failed is NaN. */
static enum sw_status set_state(struct sw_sim *sim, const double *state)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    t->closed = false;
    t->rows = 0;
    if (isnan(state[relation_words(t)])) return fail(t, EARLIER, 0, 0, 0);
    memcpy(sw_tridiagonal_distributed_relations(t->system), state, relation_words(t) * sizeof *state);
    tridiagonal_sums_unpack(state + relation_words(t), &t->sums);
    return SW_OK;
}

/* ------------------------------------------------------------------ outputs */

static enum sw_status piece(struct sw_sim *sim, int64_t *first, int64_t *count)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    *first = t->first;
    *count = t->rows;
    return SW_OK;
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    const size_t rows = (size_t)t->rows, word = sw_reals_word(t->setup.single);
    (void)what;
    if (t->failure) {
        sw_reals_fill(t->saved[slot], word, 0, NAN, rows);
        return SW_OK;
    }
    if (!t->setup.single) return sw_device_download(t->device, t->saved[slot], t->x, rows * word);
    SW_TRY(sw_device_download(t->device, t->host, t->x, rows * sizeof *t->host));
    sw_reals_put(t->saved[slot], word, 0, t->host, rows);
    return SW_OK;
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    *field = ((const struct slices_sim *)sim)->saved[slot];
    *scalars = NULL;
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    *step = t->failure ? t->failed_step : -1;
    return SW_OK;
}

static void explain(const struct sw_sim *sim, int j, char text[160])
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    const long long first = (long long)t->failed_first + 1, last = (long long)t->failed_last + 1;
    (void)j;
    switch (t->failure) {
    case BAD_ENTRY:
        snprintf(text, 160, "%s of row %lld is %s", tridiagonal_array[t->failed_array], first,
                 isnan(t->failed_value) ? "not a number" : "infinite");
        break;
    case SINGULAR:
        snprintf(text, 160, "the matrix is singular to working precision, or its elimination overflows, in rows %lld "
                 "to %lld", first, last);
        break;
    case OVERFLOWS:
        snprintf(text, 160, "x overflows at row %lld: the solution is beyond the range of numbers", first);
        break;
    default: snprintf(text, 160, "it had failed before it was interrupted");
    }
}

static enum sw_status norms(struct sw_sim *sim, struct sw_norms *norm)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    const struct tridiagonal_norms m = tridiagonal_norms_from_sums(&t->sums, t->n, has_exact(t));
    *norm = (struct sw_norms){.l2 = m.l2, .max = m.max, .rel = m.rel, .interior = NAN};
    return SW_OK;
}

static enum sw_status residuals(struct sw_sim *sim, struct sw_residuals *residual)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    const struct tridiagonal_norms m = tridiagonal_norms_from_sums(&t->sums, t->n, has_exact(t));
    *residual = (struct sw_residuals){m.residual, m.backward_error, m.forward_error};
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    tridiagonal_record(&((const struct slices_sim *)sim)->sums, record);
    return SW_OK;
}

/* It follows from the sums. */
static enum sw_status set_record(struct sw_sim *sim, const double *record)
{
    (void)sim, (void)record;
    return SW_OK;
}

/* ------------------------------------------------------------------ making one */

static void destroy(struct sw_sim *sim)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    if (!t) return;
    sw_tridiagonal_distributed_destroy(&t->system);
    tridiagonal_entries_destroy(&t->entries);
    for (int k = 0; k < 3; k++) sw_program_destroy(&t->own[k]);
    for (int k = 0; k < ARRAYS; k++) sw_device_free(t->device, t->array[k]);
    sw_device_free(t->device, t->x);
    sw_device_free_host(t->device, t->host);
    for (int k = 0; k < SW_SNAPSHOT_SLOTS; k++) sw_device_free_host(t->device, t->saved[k]);
    randsvd_free(&t->block);
    sw_free(t);
}

static const struct sw_sim_ops slices_ops = {
    .solver_name = solver_name,
    .state_size = state_size,
    .load = load,
    .set_state = set_state,
    .get_state = get_state,
    .advance = advance,
    .piece = piece,
    .snapshot = snapshot,
    .fetch = fetch,
    .diverged = diverged,
    .norms = norms,
    .residuals = residuals,
    .explain = explain,
    .get_diagnostics = get_record,
    .set_diagnostics = set_record,
    .warn_result = tridiagonal_warn_result,
    .destroy = destroy,
};

static enum sw_status allocate(struct slices_sim *t)
{
    const size_t rows = (size_t)t->most_rows;
    for (int k = 0; k < ARRAYS; k++) SW_TRY(sw_device_alloc(t->device, rows, &t->array[k]));
    SW_TRY(sw_device_alloc(t->device, rows, &t->x));
    if (tridiagonal_needs_staging(&t->setup)) SW_TRY(sw_device_alloc_host(t->device, rows, &t->host));
    for (int k = 0; k < SW_SNAPSHOT_SLOTS && t->setup.fields; k++)
        SW_TRY(sw_device_alloc_host_bytes(t->device, rows, sw_reals_word(t->setup.single), &t->saved[k]));
    return SW_OK;
}

enum sw_status tridiagonal_create_slices(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct slices_sim *t = NULL;
    struct tridiagonal_entries_desc desc;
    const struct sw_tridiagonal_desc system = tridiagonal_describe(setup, setup->n[0], 1);
    *sim = NULL;
    SW_TRY(sw_alloc(1, &t));
    t->sim.ops = &slices_ops;
    t->setup = *setup;
    t->device = device;
    t->n = setup->n[0];
    t->slices = INT64_C(1) << setup->cut;
    t->matrix = tridiagonal_matrix_find(sw_setup_word(setup, "matrix"));
    SW_TRY_TO(failed, st, sw_tridiagonal_distributed_create(&system, setup->cut, solver_of(setup, device),
                                                            sw_comm_null(), device, &t->system));
    t->most_rows = sw_tridiagonal_distributed_most_rows(t->system);
    SW_TRY_TO(failed, st, tridiagonal_find_source(setup, &t->source));
    SW_TRY_TO(failed, st, tridiagonal_describe_entries(setup, t->source, t->own, &desc));
    SW_TRY_TO(failed, st, tridiagonal_entries_create(&desc, device, &t->entries));
    SW_TRY_TO(failed, st, allocate(t));
    *sim = &t->sim;
    return SW_OK;
failed:
    destroy(&t->sim);
    return st;
}

/* ------------------------------------------------------------------ memory */

static int64_t most_rows_of(const struct sw_setup *setup, const struct sw_device *device)
{
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(setup, setup->n[0], 1);
    const char *name = solver_of(setup, device);
    int64_t most = 0, first, count;
    for (int64_t s = 0; s >> setup->cut == 0; s++) {
        sw_tridiagonal_slice(&desc, name, setup->cut, s, &first, &count);
        if (count > most) most = count;
    }
    return most;
}

enum sw_status tridiagonal_slice_bytes(const struct sw_setup *setup, const struct sw_device *device, size_t *bytes)
{
    const int64_t rows = most_rows_of(setup, device);
    const struct sw_tridiagonal_desc slice = tridiagonal_describe(setup, rows, 1);
    struct tridiagonal_entries_desc desc;
    struct sw_program *own[3] = {NULL};
    const struct tridiagonal_source *source;
    size_t solver, entries = 0, run = 0, words = 5;
    SW_TRY(sw_tridiagonal_bytes(&slice, solver_of(setup, device), device, &solver));
    SW_TRY(tridiagonal_find_source(setup, &source));
    enum sw_status st = tridiagonal_describe_entries(setup, source, own, &desc);
    if (!st) tridiagonal_entries_bytes(&desc, device, &entries, &run);
    for (int k = 0; k < 3; k++) sw_program_destroy(&own[k]);
    if (device->space == SW_HOST) words += tridiagonal_needs_staging(setup) + (setup->fields ? SW_SNAPSHOT_SLOTS : 0);
    *bytes = solver + entries + run + words * (size_t)rows * sizeof(double) +
             ((size_t)14 << setup->cut) * sizeof(double);
    return st;
}
