/* A run of `tridiagonal` whose arrays are too large for the memory: slice after slice (sw_tridiagonal.h).
 * There are 2^cut slices, and two steps for each. In steps 1 to 2^cut a slice is filled and reduced to its relation, 10
 * words; then the relations give the unknowns at the ends of all slices; in the other steps a slice is filled again,
 * its unknowns are found from its ends, measured, and saved. So no more than a slice is ever in memory, and a
 * checkpoint is the relations and what has been measured so far. Several devices of one kind take steps side by side,
 * each with a slice of its own, also those of other processes: to the same bits. */
#include "problem/tridiagonal/tridiagonal.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "comm/sw_comm.h"
#include "device/sw_owned.h"
#include "device/sw_snapshot.h"
#include "linalg/sw_tridiagonal.h"
#include "problem/tridiagonal/matrices.h"
#include "problem/tridiagonal/randsvd.h"

/* Rows that pass through the host at once: 8 MiB, with which a bus and a disk are at full speed. */
enum { PIECE = 1 << 20 };

enum { LOWER = TRIDIAGONAL_LOWER, MAIN, UPPER, RHS, ARRAYS };

/* Why a run cannot go on. */
enum failure { NO_FAILURE, BAD_ENTRY, SINGULAR, OVERFLOWS, EARLIER };
struct fault {
    enum failure failure;
    int64_t step, first, last;  /* found in this step; the rows at fault, from 0 */
    struct system_bad_entry bad;             /* of BAD_ENTRY */
};

/* A device, and the slice that it has in its memory. */
struct lane {
    struct sw_device *device;
    struct system_entries *entries;
    struct sw_tridiagonal *solver;
    struct sw_owned arrays;
    double *array[ARRAYS], *x;                    /* [most_rows] in the memory of the device        */
    double *host;               /* [piece_rows] on the way from or to the device; NULL: not needed  */
    int64_t slice, first, rows;                   /* rows 0: there is none                          */
    bool    reduced;            /* and the solver's last call has reduced it                        */
    struct system_sums sums;                 /* of the last step                               */
    struct fault fault;
};

struct slices_sim {
    struct sw_sim     sim;      /* first: the operations get a pointer to it                        */
    struct sw_setup   setup;
    int64_t           n, slices, most_rows, piece_rows;
    const struct named_matrix *matrix;      /* NULL: given                                    */
    const struct system_source *source;      /* NULL: no array is in a file                    */
    int64_t           stored;   /* which of its systems the run is, from 0                          */
    struct system_given given;
    int               lanes;    /* devices that work on the run, each on a slice of its own         */
    struct lane      *lane;
    int64_t           from, to; /* the steps that the lanes take now, and remote helpers after them */
    bool              lost;     /* a remote helper has failed in one of them: `to` is before it     */
    int               chosen;   /* lane of the piece of x to be saved, and where it begins there    */
    int64_t           chosen_row, chosen_rows;
    struct sw_relation *relation;                 /* [slices]                                       */
    double            (*ends)[4];                 /* [slices]                                       */
    char             *saved[SW_SNAPSHOT_SLOTS];   /* [piece_rows] pieces of x as they are saved     */
    struct sw_owned  arrays;   /* of the first lane's device                                       */
    struct randsvd    block;
    bool              closed;   /* the ends of all slices are known                                 */
    struct system_sums sums;
    struct fault      fault;
};

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

/* The rows of a slice. */
static void rows_of_slice(const struct slices_sim *t, int64_t slice, int64_t *first, int64_t *count)
{
    const struct sw_tridiagonal *solver = t->lane[0].solver;
    sw_tridiagonal_slice(sw_tridiagonal_shape(solver), sw_tridiagonal_name(solver), t->setup.cut, slice, first, count);
}

/* ------------------------------------------------------------------ a run */

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    const double seed = sw_setup_number(&t->setup, "seed", count, column, 0);
    load_error[0] = NULL;
    if (t->source) t->stored = (int64_t)sw_setup_number(&t->setup, "source.system", count, column, 0) - 1;
    t->closed = false;
    t->from = t->to = 0;
    t->fault = (struct fault){.failure = NO_FAILURE};
    t->sums = system_sums_zero();
    randsvd_free(&t->block);
    if (t->matrix && t->matrix->mode)
        SW_TRY(randsvd_make(t->n, t->matrix->mode, seed, t->lane[0].device->threads, &t->block));
    for (int k = 0; k < t->lanes; k++) {
        t->lane[k].rows = 0;
        t->lane[k].fault = t->fault;
        SW_TRY(sw_device_use(t->lane[k].device));
        SW_TRY(system_entries_load(t->lane[k].entries, count, column));
    }
    return sw_device_use(t->lane[0].device);
}

static struct sw_tridiagonal_rows rows_of(const struct lane *l)
{
    return (struct sw_tridiagonal_rows){l->array[LOWER], l->array[MAIN], l->array[UPPER], l->array[RHS]};
}

static struct system_arrays arrays_of(const struct lane *l)
{
    return (struct system_arrays){{l->array[LOWER], l->array[MAIN], l->array[UPPER]}, l->array[RHS]};
}

/* ------------------------------------------------------------------ the rows of a slice */

/* Rows first .. first + count - 1 of an array that is in a file, to l->host. Entries that do not count may be anything
 * there. */
static enum sw_status read_source(const struct slices_sim *t, struct lane *l, int k, int64_t first, int64_t count,
                                  int64_t step)
{
    const bool cyclic = sw_setup_chosen(&t->setup, "cyclic", "true");
    const struct sw_array_part part = {t->stored, 1, first, count};
    int64_t bad = 0;
    SW_TRY(system_source_read(t->source, k, &part, l->host));
    if (k == LOWER && !cyclic && first == 0) l->host[0] = 0;
    if (k == UPPER && !cyclic && first + count == t->n) l->host[count - 1] = 0;
    while (bad < count && isfinite(l->host[bad])) bad++;
    const int64_t row = first + bad;
    if (bad < count && !(l->fault.failure && l->fault.first <= row))
        l->fault = (struct fault){BAD_ENTRY, step, row, row, {k, row, l->host[bad]}};
    return SW_OK;
}

/* An array of the slice that is formed on the host. */
static enum sw_status send_array(const struct slices_sim *t, struct lane *l, int k, int64_t step)
{
    for (int64_t at = 0; at < l->rows; at += t->piece_rows) {
        const int64_t count = l->rows - at < t->piece_rows ? l->rows - at : t->piece_rows;
        if (system_source_has(t->source, k)) SW_TRY(read_source(t, l, k, l->first + at, count, step));
        else randsvd_rows(&t->block, k, l->first + at, count, l->host);
        SW_TRY(sw_device_upload(l->device, l->array[k] + at, l->host, (size_t)count * sizeof *l->host));
    }
    return SW_OK;
}

/* Nothing is to be done where the slice is there already, as a device with one slice has it in the second pass. */
static enum sw_status fill(const struct slices_sim *t, struct lane *l, int64_t slice, int64_t step)
{
    const struct system_arrays out = arrays_of(l);
    int64_t bad;
    if (l->rows && l->slice == slice) return SW_OK;
    l->slice = slice;
    l->reduced = false;
    rows_of_slice(t, slice, &l->first, &l->rows);
    for (int k = LOWER; k < ARRAYS; k++)
        if (system_source_has(t->source, k) || (k <= UPPER && t->block.n)) SW_TRY(send_array(t, l, k, step));
    if (l->fault.failure) return SW_OK;
    SW_TRY(system_entries_fill(l->entries, l->first, l->rows, &out));
    SW_TRY(system_entries_first_bad(l->entries, &bad));
    if (bad < 0) return SW_OK;
    l->fault = (struct fault){.failure = BAD_ENTRY, .step = step, .first = bad, .last = bad};
    return system_entries_find_bad(l->entries, 0, bad, &out, (size_t)(bad - l->first), &l->fault.bad);
}

/* ------------------------------------------------------------------ steps */

static enum sw_status reduce(struct slices_sim *t, struct lane *l, int64_t slice, int64_t step)
{
    const struct sw_tridiagonal_rows rows = rows_of(l);
    SW_TRY(fill(t, l, slice, step));
    if (l->fault.failure) return SW_OK;
    SW_TRY(sw_tridiagonal_reduce(l->solver, slice, &rows, &t->relation[slice]));
    l->reduced = true;
    return SW_OK;
}

static enum sw_status expand(const struct slices_sim *t, struct lane *l, int64_t slice, int64_t step)
{
    const struct sw_tridiagonal_rows rows = rows_of(l);
    const struct system_arrays arrays = arrays_of(l);
    const double *ends = t->ends[slice], beyond[1][2] = {{ends[0], ends[3]}};
    SW_TRY(fill(t, l, slice, step));
    if (l->fault.failure) return SW_OK;
    l->sums = system_sums_zero();
    SW_TRY(sw_tridiagonal_expand(l->solver, slice, &rows, l->reduced, ends, l->x));
    l->reduced = false;
    SW_TRY(system_measure(l->entries, l->first, l->rows, &arrays, l->x, beyond, &l->sums));
    if (l->sums.bad != SYSTEM_NO_ROW)
        l->fault = (struct fault){.failure = OVERFLOWS, .step = step, .first = l->sums.bad, .last = l->sums.bad};
    return SW_OK;
}

/* Some merges for each slice, on the host. */
static enum sw_status close_system(struct slices_sim *t, int64_t step)
{
    int64_t broken, first, rows;
    SW_TRY(sw_tridiagonal_close(t->lane[0].solver, t->relation, t->ends, &broken));
    t->closed = true;
    if (broken < 0) return SW_OK;
    rows_of_slice(t, broken, &first, &rows);
    t->fault = (struct fault){.failure = SINGULAR, .step = step, .first = first, .last = first + rows - 1};
    return SW_OK;
}

/* A lane takes its step of those from t->from on: on a thread of its own, where there are several. */
static enum sw_status take_step(const struct sw_comm *comm, void *own)
{
    struct slices_sim *t = own;
    struct lane *l = &t->lane[comm->rank];
    const int64_t step = t->from + comm->rank, slice = step % t->slices;
    if (t->lanes > 1) {
        omp_set_num_threads(l->device->threads);
        SW_TRY(sw_device_use(l->device));
    }
    return step < t->slices ? reduce(t, l, slice, step + 1) : expand(t, l, slice, step + 1);
}

/* ------------------------------------------------------------------ steps of remote helpers */

/* A request holds the step, and in the second pass the unknowns at the ends of its slice; the reply a fault, and
 * a relation or sums. A step is below 2^26, a row below 2^53: doubles hold them. */
enum { REQUEST_STEP, REQUEST_ENDS };
enum { FAILURE, FAULT_STEP, FAULT_FIRST, FAULT_LAST, FAULT_WHICH, FAULT_ROW, FAULT_VALUE, RESULT };
_Static_assert(REQUEST_ENDS + 4 <= SW_HELP_REQUEST, "a request is too long");
_Static_assert(RESULT + (int)SYSTEM_SUMS_NUMBERS <= SW_HELP_REPLY, "a reply is too long");

static void pack_fault(const struct fault *f, double *reply)
{
    reply[FAILURE] = f->failure;
    reply[FAULT_STEP] = (double)f->step;
    reply[FAULT_FIRST] = (double)f->first;
    reply[FAULT_LAST] = (double)f->last;
    reply[FAULT_WHICH] = f->bad.which;
    reply[FAULT_ROW] = (double)f->bad.row;
    reply[FAULT_VALUE] = f->bad.value;
}

static struct fault unpack_fault(const double *reply)
{
    return (struct fault){(enum failure)reply[FAILURE], (int64_t)reply[FAULT_STEP],
                          (int64_t)reply[FAULT_FIRST], (int64_t)reply[FAULT_LAST],
                          {(int)reply[FAULT_WHICH], (int64_t)reply[FAULT_ROW], reply[FAULT_VALUE]}};
}

static void send_request(const struct slices_sim *t, int64_t step, struct sw_remote_helper *helper)
{
    double request[SW_HELP_REQUEST] = {[REQUEST_STEP] = (double)step};
    if (step >= t->slices)
        memcpy(request + REQUEST_ENDS, t->ends[step - t->slices], sizeof t->ends[0]);
    helper->request(helper, request);
}

static void take_reply(struct slices_sim *t, int64_t step, const double *reply)
{
    const struct fault fault = unpack_fault(reply);
    struct system_sums sums;
    if (fault.failure) {
        if (!t->fault.failure) t->fault = fault;
    } else if (step < t->slices) memcpy(t->relation[step].w, reply + RESULT, sizeof t->relation[step].w);
    else {
        system_sums_unpack(reply + RESULT, &sums);
        system_sums_merge(&t->sums, &sums);
    }
}

/* All replies are taken, though those behind one that is missing do not count. */
static void receive_replies(struct slices_sim *t, int lanes)
{
    const int64_t to = t->to;
    for (int64_t step = t->from + lanes; step < to; step++) {
        struct sw_remote_helper *helper = t->setup.remote->helper[step - t->from - lanes];
        double reply[SW_HELP_REPLY];
        const bool has_replied = helper->reply(helper, reply);
        if (!has_replied && !t->lost) t->to = step;
        t->lost |= !has_replied;
        if (!t->lost) take_reply(t, step, reply);
    }
}

/* A step of a run that another process computes. */
static enum sw_status help(struct sw_sim *sim, const double *request, double *reply)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    struct lane *l = &t->lane[0];
    const int64_t step = (int64_t)request[REQUEST_STEP], slice = step % t->slices;
    l->fault = (struct fault){.failure = NO_FAILURE};
    if (step < t->slices) {
        SW_TRY(reduce(t, l, slice, step + 1));
        memcpy(reply + RESULT, t->relation[slice].w, sizeof t->relation[slice].w);
    } else {
        memcpy(t->ends[slice], request + REQUEST_ENDS, sizeof t->ends[slice]);
        SW_TRY(expand(t, l, slice, step + 1));
        system_sums_pack(&l->sums, reply + RESULT);
    }
    pack_fault(&l->fault, reply);
    return SW_OK;
}

/* ------------------------------------------------------------------ all steps */

/* What the lanes have found: of several faults that of the first slice. */
static void collect(struct slices_sim *t, int lanes)
{
    for (int k = 0; k < lanes; k++) {
        const struct lane *l = &t->lane[k];
        if (l->fault.failure && !t->fault.failure) t->fault = l->fault;
        if (t->from >= t->slices && !l->fault.failure) system_sums_merge(&t->sums, &l->sums);
    }
}

/* As many steps as there are lanes and remote helpers, of one pass. They count on where the run has failed, and do
 * nothing. */
static enum sw_status take_steps(struct slices_sim *t)
{
    const int lanes = t->to - t->from < t->lanes ? (int)(t->to - t->from) : t->lanes;
    if (t->from == t->slices) t->sums = system_sums_zero();
    if (!t->fault.failure && t->from >= t->slices && !t->closed) SW_TRY(close_system(t, t->from + 1));
    if (!t->fault.failure) {
        for (int64_t step = t->from + lanes; step < t->to; step++)
            send_request(t, step, t->setup.remote->helper[step - t->from - lanes]);
        SW_TRY(sw_comm_run(lanes > 1 ? "threads" : "null", lanes, take_step, t));
        collect(t, lanes);
        receive_replies(t, lanes);
    }
    return SW_OK;
}

/* Trials of its speed go on after the last step with the second pass. */
static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    const int at_once = t->lanes + (t->setup.remote ? t->setup.remote->count : 0);
    t->lost = false;
    for (t->from = from; t->from < to; t->from = t->to) {
        t->to = t->from + at_once;
        if (t->from < t->slices && t->to > t->slices) t->to = t->slices;
        if (t->to > to) t->to = to;
        SW_TRY(take_steps(t));
        if (t->to == to || t->lost) break;
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ the state: relations and sums */

static size_t relation_words(const struct slices_sim *t) { return 10 * (size_t)t->slices; }

static size_t state_size(const struct sw_sim *sim)
{
    return relation_words((const struct slices_sim *)sim) + SYSTEM_SUMS_NUMBERS;
}

static enum sw_status get_state(struct sw_sim *sim, double *state)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    memcpy(state, t->relation, relation_words(t) * sizeof *state);
    system_sums_pack(&t->sums, state + relation_words(t));
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
    system_sums_unpack(state + relation_words(t), &t->sums);
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
        rows_of_slice(t, t->from + lane - t->slices, &begin, &rows);
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

static void explain(const struct sw_sim *sim, int j, struct sw_text *text)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    const struct fault *f = &t->fault;
    const long long first = (long long)f->first + 1, last = (long long)f->last + 1;
    (void)j;
    switch (f->failure) {
    case BAD_ENTRY:
        system_bad_entry_say(&f->bad, UPPER + 1, tridiagonal_keys.name, text);
        break;
    case SINGULAR:
        sw_text_set(text, "the matrix is singular to working precision, or overflows, in rows %lld to %lld; whole, "
                    "with more run.memory, it may be solved", first, last);
        break;
    case OVERFLOWS:
        sw_text_set(text, "x overflows at row %lld: the solution is beyond the range of numbers", first);
        break;
    default: sw_text_set(text, "it had failed before it was interrupted");
    }
}

static enum sw_status norms(struct sw_sim *sim, struct sw_norms *norm)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    const struct system_norms m = system_norms_from_sums(&t->sums, t->n, has_exact(t));
    *norm = (struct sw_norms){.l2 = m.l2, .max = m.max, .rel = m.rel, .interior = NAN};
    return SW_OK;
}

static enum sw_status residuals(struct sw_sim *sim, struct sw_residuals *residual)
{
    const struct slices_sim *t = (const struct slices_sim *)sim;
    const struct system_norms m = system_norms_from_sums(&t->sums, t->n, has_exact(t));
    *residual = (struct sw_residuals){m.residual, m.backward_error, m.forward_error, NAN, 0};
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    system_record(&((const struct slices_sim *)sim)->sums, record);
    return SW_OK;
}

/* ------------------------------------------------------------------ making one */

static void destroy_lane(struct lane *l)
{
    if (!l->device) return;
    (void)sw_device_use(l->device);
    sw_tridiagonal_destroy(&l->solver);
    system_entries_destroy(&l->entries);
    sw_owned_free(&l->arrays);
}

static void destroy(struct sw_sim *sim)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    if (!t) return;
    for (int k = t->lanes - 1; k >= 0 && t->lane; k--) destroy_lane(&t->lane[k]);
    system_given_free(&t->given);
    randsvd_free(&t->block);
    sw_owned_free(&t->arrays);
    sw_free(t);
}

static const struct sw_state_ops state_ops = {.size = state_size, .set = set_state, .get = get_state};
static const struct sw_cut_ops cut_ops = {.piece = piece, .help = help, .help_piece = help_piece};
static const struct sw_record_ops record_ops = {
    .numbers = SW_DIAGNOSTICS, .get = get_record, .warn = system_warn_result};
static const struct sw_residual_ops residual_ops = {.get = residuals};

static const struct sw_sim_ops slices_ops = {
    .solver_name = solver_name,
    .load = load,
    .advance = advance,
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
                                  const struct system_entries_desc *desc)
{
    const struct sw_tridiagonal_desc system = tridiagonal_describe(&t->setup, t->n, 1);
    const char *row = tridiagonal_row_of_slices(&t->setup, device);
    l->device = l->arrays.device = device;
    SW_TRY(sw_device_use(device));
    SW_TRY(sw_tridiagonal_create_slices(&system, t->setup.cut, row, device, &l->solver));
    const size_t rows = (size_t)t->most_rows;
    SW_TRY(system_entries_create(desc, device, &l->entries));
    for (int k = 0; k < ARRAYS; k++) sw_array_device(&l->arrays, rows, &l->array[k]);
    sw_array_device(&l->arrays, rows, &l->x);
    if (tridiagonal_needs_staging(&t->setup)) sw_array_pinned(&l->arrays, (size_t)t->piece_rows, &l->host);
    return l->arrays.status;
}

static enum sw_status create_lanes(struct slices_sim *t, struct sw_device *device)
{
    SW_TRY(system_open_source(&t->setup, &tridiagonal_keys, &t->source));
    SW_TRY(tridiagonal_describe_entries(&t->setup, t->source, &t->given));
    sw_array(&t->arrays, (size_t)t->lanes, &t->lane);
    SW_TRY(t->arrays.status);
    for (int k = 0; k < t->lanes; k++)
        SW_TRY(create_lane(t, &t->lane[k], k ? t->setup.helper[k - 1] : device, &t->given.desc));
    SW_TRY(sw_device_use(device));
    sw_array(&t->arrays, (size_t)t->slices, &t->relation);
    sw_array(&t->arrays, (size_t)t->slices, &t->ends);
    for (int k = 0; k < SW_SNAPSHOT_SLOTS && t->setup.fields; k++)
        sw_array_bytes(&t->arrays, SW_ARRAY_PINNED, (size_t)t->piece_rows, sw_reals_word(t->setup.single),
                       &t->saved[k]);
    return t->arrays.status;
}

enum sw_status tridiagonal_create_slices(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    struct slices_sim *t = NULL;
    *sim = NULL;
    SW_TRY(sw_alloc(1, &t));
    t->sim.ops = &slices_ops;
    t->arrays.device = device;
    t->setup = *setup;
    t->n = setup->n[0];
    t->slices = INT64_C(1) << setup->cut;
    t->lanes = 1 + setup->helpers;
    t->most_rows = most_rows_of(setup, device);
    t->piece_rows = piece_rows(t->most_rows);
    t->matrix = named_matrix_find(tridiagonal_matrices, sw_setup_word(setup, "matrix"));
    enum sw_status st = create_lanes(t, device);
    if (st) destroy(&t->sim);
    else *sim = &t->sim;
    return st;
}

/* ------------------------------------------------------------------ memory */

enum sw_status tridiagonal_slice_bytes(const struct sw_setup *setup, const struct sw_device *device,
                                       struct sw_batch_bytes *bytes)
{
    const int64_t rows = most_rows_of(setup, device);
    const struct sw_tridiagonal_desc whole = tridiagonal_describe(setup, setup->n[0], 1);
    struct system_given given = {0};
    const struct system_source *source;
    size_t solver, entries = 0, run = 0, pieces = 0;
    SW_TRY(sw_tridiagonal_slice_bytes(&whole, setup->cut, tridiagonal_row_of_slices(setup, device), device, &solver));
    SW_TRY(system_open_source(setup, &tridiagonal_keys, &source));
    enum sw_status st = tridiagonal_describe_entries(setup, source, &given);
    if (!st) system_entries_bytes(&given.desc, device, &entries, &run);
    system_given_free(&given);
    bytes->fixed_on_host = (tridiagonal_needs_staging(setup) + (setup->fields ? SW_SNAPSHOT_SLOTS : 0)) *
                           (size_t)piece_rows(rows) * sizeof(double);
    if (device->space == SW_HOST) pieces = bytes->fixed_on_host;
    bytes->per_run = solver + entries + run + 5 * (size_t)rows * sizeof(double) + pieces +
                     ((size_t)14 << setup->cut) * sizeof(double);
    return st;
}
