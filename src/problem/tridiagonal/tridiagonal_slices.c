/* A run of `tridiagonal` whose arrays are too large for the memory: slice after slice (sw_tridiagonal.h).
 * There are 2^cut slices, and two steps for each. In steps 1 to 2^cut a slice is filled and reduced to its relation, 10
 * words; then the relations give the unknowns at the ends of all slices; in the other steps a slice is filled again,
 * its unknowns are found from its ends, measured, and saved. So no more than a slice is ever in memory, and a
 * checkpoint is the relations and what has been measured so far. Several devices of one kind take steps side by side,
 * each with a slice of its own, also those of other processes: to the same bits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "problem/tridiagonal/slices_impl.h"

/* Rows that pass through the host at once: 8 MiB, with which a bus and a disk are at full speed. */
enum { PIECE = 1 << 20 };

const char *tridiagonal_row_of_slices(const struct sw_setup *setup, const struct sw_device *device)
{
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(setup, setup->n[0], 1);
    return sw_tridiagonal_row_of_slices(&desc, setup->solver, device);
}

int tridiagonal_deepest_cut(const struct sw_setup *setup, const struct sw_device *device)
{
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(setup, setup->n[0], 1);
    const char *name = tridiagonal_row_of_slices(setup, device);
    const int depth = name ? sw_tridiagonal_depth(&desc, name) : 0;
    return depth < SW_CUT_MOST ? depth : SW_CUT_MOST;
}

static const char *solver_name(const struct sw_sim *sim)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    return tridiagonal_row_of_slices(&t->setup, t->lane[0].device);
}

static bool has_exact(const struct slices_sim *t) { return sw_setup_find(&t->setup, "exact") != NULL; }

void slices_rows(const struct slices_sim *t, int64_t slice, int64_t *first, int64_t *count)
{
    const struct sw_tridiagonal *solver = t->lane[0].solver;
    sw_tridiagonal_slice(sw_tridiagonal_shape(solver), sw_tridiagonal_name(solver), t->setup.cut, slice, first, count);
}

/* ------------------------------------------------------------------ a run */

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    const double seed = tridiagonal_number(&t->setup, "seed", count, column, 0);
    load_error[0] = NULL;
    if (t->source) t->stored = (int64_t)tridiagonal_number(&t->setup, "source.system", count, column, 0) - 1;
    t->closed = false;
    t->from = t->to = 0;
    t->fault = (struct fault){.failure = NO_FAILURE};
    t->sums = tridiagonal_sums_zero();
    randsvd_free(&t->block);
    if (t->matrix && t->matrix->mode)
        SW_TRY(randsvd_make(t->n, t->matrix->mode, seed, t->lane[0].device->threads, &t->block));
    for (int k = 0; k < t->lanes; k++) {
        t->lane[k].rows = 0;
        t->lane[k].fault = t->fault;
        SW_TRY(sw_device_use(t->lane[k].device));
        SW_TRY(tridiagonal_entries_load(t->lane[k].entries, count, column));
    }
    return sw_device_use(t->lane[0].device);
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
    memcpy(state, t->relation, relation_words(t) * sizeof *state);
    tridiagonal_sums_pack(&t->sums, state + relation_words(t));
    return SW_OK;
}

/* The state of a run that has failed is NaN. */
static enum sw_status set_state(struct sw_sim *sim, const double *state)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    if (isnan(state[relation_words(t)])) {
        t->fault.failure = EARLIER;
        return SW_OK;
    }
    memcpy(t->relation, state, relation_words(t) * sizeof *state);
    tridiagonal_sums_unpack(state + relation_words(t), &t->sums);
    return SW_OK;
}

/* ------------------------------------------------------------------ outputs */

/* The lanes' slices one after another, each in pieces. Of a run that has failed they are there as well: of NaN. */
static enum sw_status piece(struct sw_sim *sim, int k, int64_t *first, int64_t *count)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    int64_t begin, rows;
    *first = *count = 0;
    if (t->from < t->slices) return SW_OK;
    for (int lane = 0; lane < t->to - t->from; lane++) {
        slices_rows(t, t->from + lane - t->slices, &begin, &rows);
        const int64_t pieces = (rows + t->piece_rows - 1) / t->piece_rows, at = k * t->piece_rows;
        if (k < pieces) {
            t->chosen = lane;
            t->chosen_row = at;
            t->chosen_rows = rows - at < t->piece_rows ? rows - at : t->piece_rows;
            *first = begin + at;
            *count = t->chosen_rows;
            return SW_OK;
        }
        k -= (int)pieces;
    }
    return SW_OK;
}

/* Rows of x of a lane, as they are saved. */
static enum sw_status save(const struct slices_sim *t, const struct lane *l, int64_t first, int64_t count, void *saved)
{
    const size_t word = sw_reals_word(t->setup.single), rows = (size_t)count;
    if (!t->setup.single) return sw_device_download(l->device, saved, l->x + first, rows * word);
    SW_TRY(sw_device_download(l->device, l->host, l->x + first, rows * sizeof *l->host));
    sw_reals_put(saved, word, 0, l->host, rows);
    return SW_OK;
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    const size_t word = sw_reals_word(t->setup.single), rows = (size_t)t->chosen_rows;
    (void)what;
    if (t->fault.failure) {
        sw_reals_fill(t->saved[slot], word, 0, NAN, rows);
        return SW_OK;
    }
    if (t->chosen < t->lanes) return save(t, &t->lane[t->chosen], t->chosen_row, t->chosen_rows, t->saved[slot]);
    struct sw_remote_helper *helper = t->setup.remote->helper[t->chosen - t->lanes];
    return helper->piece(helper, (int)(t->chosen_row / t->piece_rows), rows * word, t->saved[slot]);
}

static enum sw_status help_piece(struct sw_sim *sim, int k, const void **piece)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    const struct lane *l = &t->lane[0];
    const int64_t first = k * t->piece_rows, left = l->rows - first;
    *piece = t->saved[0];
    return save(t, l, first, left < t->piece_rows ? left : t->piece_rows, t->saved[0]);
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
    *step = t->fault.failure ? t->fault.step : -1;
    return SW_OK;
}

static void explain(const struct sw_sim *sim, int j, char text[160])
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    const struct fault *f = &t->fault;
    const long long first = (long long)f->first + 1, last = (long long)f->last + 1;
    (void)j;
    switch (f->failure) {
    case BAD_ENTRY:
        tridiagonal_bad_entry_say(&f->bad, text);
        break;
    case SINGULAR:
        snprintf(text, 160, "the matrix is singular to working precision, or overflows, in rows %lld to %lld; whole, "
                 "with more run.memory, it may be solved", first, last);
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
    *residual = (struct sw_residuals){m.residual, m.backward_error, m.forward_error, NAN, 0};
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

static void destroy_lane(struct lane *l)
{
    if (!l->device) return;
    (void)sw_device_use(l->device);
    sw_tridiagonal_destroy(&l->solver);
    tridiagonal_entries_destroy(&l->entries);
    for (int k = 0; k < ARRAYS; k++) sw_device_free(l->device, l->array[k]);
    sw_device_free(l->device, l->x);
    sw_device_free_host(l->device, l->host);
}

static void destroy(struct sw_sim *sim)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    if (!t) return;
    for (int k = 0; k < SW_SNAPSHOT_SLOTS && t->lane; k++) sw_device_free_host(t->lane[0].device, t->saved[k]);
    for (int k = t->lanes - 1; k >= 0 && t->lane; k--) destroy_lane(&t->lane[k]);
    for (int k = 0; k < 3; k++) sw_program_destroy(&t->own[k]);
    randsvd_free(&t->block);
    sw_free(t->relation);
    sw_free(t->ends);
    sw_free(t->lane);
    sw_free(t);
}

static const struct sw_state_ops state_ops = {.size = state_size, .set = set_state, .get = get_state};
static const struct sw_cut_ops cut_ops = {.piece = piece, .help = slices_help, .help_piece = help_piece};
static const struct sw_record_ops record_ops = {
    .numbers = SW_DIAGNOSTICS, .get = get_record, .set = set_record, .warn = tridiagonal_warn_result};
static const struct sw_residual_ops residual_ops = {.get = residuals};

static const struct sw_sim_ops slices_ops = {
    .solver_name = solver_name,
    .load = load,
    .advance = slices_advance,
    .snapshot = snapshot,
    .fetch = fetch,
    .diverged = diverged,
    .norms = norms,
    .explain = explain,
    .destroy = destroy,
    .states = &state_ops,
    .records = &record_ops,
    .cuts = &cut_ops,
    .residuals = &residual_ops,
};

static int64_t most_rows_of(const struct sw_setup *setup, const struct sw_device *device)
{
    const struct sw_tridiagonal_desc desc = tridiagonal_describe(setup, setup->n[0], 1);
    const char *name = tridiagonal_row_of_slices(setup, device);
    int64_t most = 0, first, count;
    for (int64_t s = 0; s >> setup->cut == 0; s++) {
        sw_tridiagonal_slice(&desc, name, setup->cut, s, &first, &count);
        if (count > most) most = count;
    }
    return most;
}

static int64_t piece_rows(int64_t rows) { return rows < PIECE ? rows : PIECE; }

static enum sw_status create_lane(struct slices_sim *t, struct lane *l, struct sw_device *device,
                                  const struct tridiagonal_entries_desc *desc)
{
    const struct sw_tridiagonal_desc system = tridiagonal_describe(&t->setup, t->n, 1);
    const char *row = tridiagonal_row_of_slices(&t->setup, device);
    l->device = device;
    SW_TRY(sw_device_use(device));
    SW_TRY(sw_tridiagonal_create_slices(&system, t->setup.cut, row, device, &l->solver));
    const size_t rows = (size_t)t->most_rows;
    SW_TRY(tridiagonal_entries_create(desc, device, &l->entries));
    for (int k = 0; k < ARRAYS; k++) SW_TRY(sw_device_alloc(device, rows, &l->array[k]));
    SW_TRY(sw_device_alloc(device, rows, &l->x));
    return tridiagonal_needs_staging(&t->setup) ? sw_device_alloc_host(device, (size_t)t->piece_rows, &l->host) : SW_OK;
}

static enum sw_status create_lanes(struct slices_sim *t, struct sw_device *device)
{
    struct tridiagonal_entries_desc desc;
    SW_TRY(tridiagonal_find_source(&t->setup, &t->source));
    SW_TRY(tridiagonal_describe_entries(&t->setup, t->source, t->own, &desc));
    SW_TRY(sw_alloc((size_t)t->lanes, &t->lane));
    for (int k = 0; k < t->lanes; k++)
        SW_TRY(create_lane(t, &t->lane[k], k ? t->setup.helper[k - 1] : device, &desc));
    SW_TRY(sw_device_use(device));
    SW_TRY(sw_alloc((size_t)t->slices, &t->relation));
    SW_TRY(sw_alloc((size_t)t->slices, &t->ends));
    for (int k = 0; k < SW_SNAPSHOT_SLOTS && t->setup.fields; k++)
        SW_TRY(sw_device_alloc_host_bytes(device, (size_t)t->piece_rows, sw_reals_word(t->setup.single), &t->saved[k]));
    return SW_OK;
}

enum sw_status tridiagonal_create_slices(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    struct slices_sim *t = NULL;
    *sim = NULL;
    SW_TRY(sw_alloc(1, &t));
    t->sim.ops = &slices_ops;
    t->setup = *setup;
    t->n = setup->n[0];
    t->slices = INT64_C(1) << setup->cut;
    t->lanes = 1 + setup->helpers;
    t->most_rows = most_rows_of(setup, device);
    t->piece_rows = piece_rows(t->most_rows);
    t->matrix = tridiagonal_matrix_find(sw_setup_word(setup, "matrix"));
    enum sw_status st = create_lanes(t, device);
    if (st) destroy(&t->sim);
    else *sim = &t->sim;
    return st;
}

/* ------------------------------------------------------------------ memory */

size_t tridiagonal_slice_host_bytes(const struct sw_setup *setup)
{
    const size_t rows = (size_t)piece_rows((setup->n[0] >> setup->cut) + 1);
    return (tridiagonal_needs_staging(setup) + (setup->fields ? SW_SNAPSHOT_SLOTS : 0)) * rows * sizeof(double);
}

enum sw_status tridiagonal_slice_bytes(const struct sw_setup *setup, const struct sw_device *device, size_t *bytes)
{
    const int64_t rows = most_rows_of(setup, device);
    const struct sw_tridiagonal_desc slice = tridiagonal_describe(setup, rows, 1);
    struct tridiagonal_entries_desc desc;
    struct sw_program *own[3] = {NULL};
    const struct tridiagonal_source *source;
    size_t solver, entries = 0, run = 0, pieces = 0;
    SW_TRY(sw_tridiagonal_bytes(&slice, tridiagonal_row_of_slices(setup, device), device, &solver));
    SW_TRY(tridiagonal_find_source(setup, &source));
    enum sw_status st = tridiagonal_describe_entries(setup, source, own, &desc);
    if (!st) tridiagonal_entries_bytes(&desc, device, &entries, &run);
    for (int k = 0; k < 3; k++) sw_program_destroy(&own[k]);
    if (device->space == SW_HOST) pieces = tridiagonal_slice_host_bytes(setup);
    *bytes = solver + entries + run + 5 * (size_t)rows * sizeof(double) + pieces +
             ((size_t)14 << setup->cut) * sizeof(double);
    return st;
}
