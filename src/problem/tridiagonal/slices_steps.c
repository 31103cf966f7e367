/* The steps of a run that is cut into slices: on the devices of this process, one on each, and by remote helpers. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "comm/sw_comm.h"
#include "problem/tridiagonal/slices_impl.h"

static struct sw_tridiagonal_rows rows_of(const struct lane *l)
{
    return (struct sw_tridiagonal_rows){l->array[LOWER], l->array[MAIN], l->array[UPPER], l->array[RHS]};
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
    SW_TRY(tridiagonal_source_read(t->source, k, &part, l->host));
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
        if (tridiagonal_source_has(t->source, k)) SW_TRY(read_source(t, l, k, l->first + at, count, step));
        else randsvd_rows(&t->block, k, l->first + at, count, l->host);
        SW_TRY(sw_device_upload(l->device, l->array[k] + at, l->host, (size_t)count * sizeof *l->host));
    }
    return SW_OK;
}

/* Nothing is to be done where the slice is there already, as a device with one slice has it in the second pass. */
static enum sw_status fill(const struct slices_sim *t, struct lane *l, int64_t slice, int64_t step)
{
    const struct tridiagonal_arrays out = {l->array[LOWER], l->array[MAIN], l->array[UPPER], l->array[RHS]};
    int64_t bad;
    if (l->rows && l->slice == slice) return SW_OK;
    l->slice = slice;
    l->reduced = false;
    slices_rows(t, slice, &l->first, &l->rows);
    for (int k = LOWER; k < ARRAYS; k++)
        if (tridiagonal_source_has(t->source, k) || (k <= UPPER && t->block.n)) SW_TRY(send_array(t, l, k, step));
    if (l->fault.failure) return SW_OK;
    SW_TRY(tridiagonal_entries_fill(l->entries, l->first, l->rows, &out));
    SW_TRY(tridiagonal_entries_first_bad(l->entries, &bad));
    if (bad < 0) return SW_OK;
    l->fault = (struct fault){.failure = BAD_ENTRY, .step = step, .first = bad, .last = bad};
    return tridiagonal_entries_find_bad(l->entries, 0, bad, &out, (size_t)(bad - l->first), &l->fault.bad);
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
    const double *ends = t->ends[slice], beyond[1][2] = {{ends[0], ends[3]}};
    SW_TRY(fill(t, l, slice, step));
    if (l->fault.failure) return SW_OK;
    l->sums = tridiagonal_sums_zero();
    SW_TRY(sw_tridiagonal_expand(l->solver, slice, &rows, l->reduced, ends, l->x));
    l->reduced = false;
    SW_TRY(tridiagonal_measure(l->entries, l->first, l->rows, &rows, l->x, beyond, &l->sums));
    if (l->sums.bad != TRIDIAGONAL_NONE)
        l->fault = (struct fault){.failure = OVERFLOWS, .step = step, .first = l->sums.bad, .last = l->sums.bad};
    return SW_OK;
}

/* Some merges for each slice, on the host. */
static enum sw_status close_system(struct slices_sim *t, int64_t step)
{
    int64_t broken, first, rows;
    SW_TRY(sw_relations_close(t->slices, t->relation, sw_setup_chosen(&t->setup, "cyclic", "true"), t->ends, &broken));
    t->closed = true;
    if (broken < 0) return SW_OK;
    slices_rows(t, broken, &first, &rows);
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

/* What is asked: the step, and in the second pass the unknowns at the ends of its slice. What is answered: a fault, and
 * a relation or sums. A step is below 2^26, a row below 2^53: doubles hold them. */
enum { ASKED_STEP, ASKED_ENDS };
enum { FAILURE, FAULT_STEP, FAULT_FIRST, FAULT_LAST, FAULT_WHICH, FAULT_ROW, FAULT_VALUE, RESULT };
_Static_assert(ASKED_ENDS + 4 <= SW_HELP_REQUEST, "a question is too long");
_Static_assert(RESULT + (int)TRIDIAGONAL_SUMS_NUMBERS <= SW_HELP_REPLY, "an answer is too long");

static void pack_fault(const struct fault *f, double *answered)
{
    answered[FAILURE] = f->failure;
    answered[FAULT_STEP] = (double)f->step;
    answered[FAULT_FIRST] = (double)f->first;
    answered[FAULT_LAST] = (double)f->last;
    answered[FAULT_WHICH] = f->bad.which;
    answered[FAULT_ROW] = (double)f->bad.row;
    answered[FAULT_VALUE] = f->bad.value;
}

static struct fault unpack_fault(const double *answered)
{
    return (struct fault){(enum failure)answered[FAILURE], (int64_t)answered[FAULT_STEP],
                          (int64_t)answered[FAULT_FIRST], (int64_t)answered[FAULT_LAST],
                          {(int)answered[FAULT_WHICH], (int64_t)answered[FAULT_ROW], answered[FAULT_VALUE]}};
}

static void ask_remote(const struct slices_sim *t, int64_t step, struct sw_remote_helper *helper)
{
    double asked[SW_HELP_REQUEST] = {[ASKED_STEP] = (double)step};
    if (step >= t->slices)
        memcpy(asked + ASKED_ENDS, t->ends[step - t->slices], sizeof t->ends[0]);
    helper->request(helper, asked);
}

static void take_answer(struct slices_sim *t, int64_t step, const double *answered)
{
    const struct fault fault = unpack_fault(answered);
    struct tridiagonal_sums sums;
    if (fault.failure) {
        if (!t->fault.failure) t->fault = fault;
    } else if (step < t->slices) memcpy(t->relation[step].w, answered + RESULT, sizeof t->relation[step].w);
    else {
        tridiagonal_sums_unpack(answered + RESULT, &sums);
        tridiagonal_sums_merge(&t->sums, &sums);
    }
}

/* All answers are taken, though those behind one that is missing do not count. */
static void receive_answers(struct slices_sim *t, int lanes)
{
    const int64_t to = t->to;
    for (int64_t step = t->from + lanes; step < to; step++) {
        struct sw_remote_helper *helper = t->setup.remote->helper[step - t->from - lanes];
        double answered[SW_HELP_REPLY];
        const bool answers = helper->reply(helper, answered);
        if (!answers && !t->lost) t->to = step;
        t->lost |= !answers;
        if (!t->lost) take_answer(t, step, answered);
    }
}

/* A step of a run that another process computes. */
enum sw_status slices_help(struct sw_sim *sim, const double *asked, double *answered)
{
    struct slices_sim *t = (struct slices_sim *)sim;
    struct lane *l = &t->lane[0];
    const int64_t step = (int64_t)asked[ASKED_STEP], slice = step % t->slices;
    l->fault = (struct fault){.failure = NO_FAILURE};
    if (step < t->slices) {
        SW_TRY(reduce(t, l, slice, step + 1));
        memcpy(answered + RESULT, t->relation[slice].w, sizeof t->relation[slice].w);
    } else {
        memcpy(t->ends[slice], asked + ASKED_ENDS, sizeof t->ends[slice]);
        SW_TRY(expand(t, l, slice, step + 1));
        tridiagonal_sums_pack(&l->sums, answered + RESULT);
    }
    pack_fault(&l->fault, answered);
    return SW_OK;
}

/* ------------------------------------------------------------------ all steps */

/* What the lanes have found: of several faults that of the first slice. */
static void collect(struct slices_sim *t, int lanes)
{
    for (int k = 0; k < lanes; k++) {
        const struct lane *l = &t->lane[k];
        if (l->fault.failure && !t->fault.failure) t->fault = l->fault;
        if (t->from >= t->slices && !l->fault.failure) tridiagonal_sums_merge(&t->sums, &l->sums);
    }
}

/* As many steps as there are lanes and remote helpers, of one pass. They count on where the run has failed, and do
 * nothing. */
static enum sw_status take_steps(struct slices_sim *t)
{
    const int lanes = t->to - t->from < t->lanes ? (int)(t->to - t->from) : t->lanes;
    if (t->from == t->slices) t->sums = tridiagonal_sums_zero();
    if (!t->fault.failure && t->from >= t->slices && !t->closed) SW_TRY(close_system(t, t->from + 1));
    if (!t->fault.failure) {
        for (int64_t step = t->from + lanes; step < t->to; step++)
            ask_remote(t, step, t->setup.remote->helper[step - t->from - lanes]);
        SW_TRY(sw_comm_run(lanes > 1 ? "threads" : "null", lanes, take_step, t));
        collect(t, lanes);
        receive_answers(t, lanes);
    }
    return SW_OK;
}

/* Trials of its speed go on after the last step with the second pass. */
enum sw_status slices_advance(struct sw_sim *sim, int64_t from, int64_t to)
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
