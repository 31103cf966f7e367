/* A batch of runs of banded systems: their rows are formed where the solver wants them, then solved together, and
 * measured. */
#include "problem/systems/system_sim.h"

#include <math.h>
#include <string.h>

#include "base/sw_cost.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "expr/sw_expr.h"

static bool on_host(const struct system_sim *s) { return s->device->space == SW_HOST; }

static const char *solver_name(const struct sw_sim *sim)
{
    const struct system_sim *s = (const struct system_sim *)sim;
    return s->kind->solver_name(s);
}

/* ------------------------------------------------------------------ the rows */

static enum sw_status put(struct system_sim *s, double *array, int j, int runs, const double *value)
{
    return sw_device_upload(s->device, array + (size_t)j * s->n, value, (size_t)runs * s->n * sizeof *value);
}

enum sw_status system_put_diagonal(struct system_sim *s, int diagonal, int j, const double *value)
{
    return put(s, s->array.diagonal[diagonal], j, 1, value);
}

/* The first number that is not finite; -1: there is none. */
static int64_t find_not_finite(const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(value[i])) return (int64_t)i;
    return -1;
}

/* Array `number` of run j, as the file has it, with the diagonal's place. Entries that do not count may be anything
 * there. */
static void check_array(struct system_sim *s, int which, int place, int j, double *value)
{
    const struct system_entries_desc *d = &s->given.desc;
    struct system_ending *e = &s->ending[j];
    const size_t outside = d->cyclic ? 0 : (size_t)(place < 0 ? -place : place),
                 zeros = outside < s->n ? outside : s->n;
    memset(place < 0 ? value : value + s->n - zeros, 0, zeros * sizeof *value);
    const int64_t row = find_not_finite(value, s->n);
    if (row >= 0 && !(e->bad_row && e->row <= row))
        *e = (struct system_ending){.bad_row = true, .row = row, .bad = {which, row, value[row]}};
}

/* Runs from j on, at most `most`, that take systems which follow one another. */
static int count_neighbours(const struct system_sim *s, int j, int most, const double *system)
{
    int count = 1;
    while (j + count < s->count && count < most && system[j + count] == system[j] + count) count++;
    return count;
}

/* An array from a file, of all runs. Many short systems are read at a time.
 * @param which  a diagonal of the desc, or behind them the right-hand side */
static enum sw_status read_array(struct system_sim *s, int which, const double *system)
{
    const struct system_entries_desc *d = &s->given.desc;
    const bool diagonal = which < d->diagonals;
    const int number = diagonal ? s->given.number[which] : s->kind->arrays->diagonals,
              most = (int)(s->staging / s->n);
    if (!system_source_has(s->source, number)) return SW_OK;
    for (int j = 0, count; j < s->count; j += count) {
        count = count_neighbours(s, j, most, system);
        const struct sw_array_part part = {(int64_t)system[j] - 1, count, 0, (int64_t)s->n};
        SW_TRY(system_source_read(s->source, number, &part, s->host));
        for (int r = 0; r < count; r++)
            check_array(s, which, diagonal ? d->place[which] : 0, j + r, s->host + (size_t)r * s->n);
        SW_TRY(put(s, diagonal ? s->array.diagonal[which] : s->array.rhs, j, count, s->host));
    }
    return SW_OK;
}

static enum sw_status read_source(struct system_sim *s, const double *column)
{
    const double *system = column + sw_setup_column(&s->setup, "source.system") * s->count;
    for (int k = 0; k <= s->given.desc.diagonals; k++) SW_TRY(read_array(s, k, system));
    return SW_OK;
}

/* Why some runs cannot begin. */
static enum sw_status say_bad_rows(struct system_sim *s, const char **load_error)
{
    const char *name[ENTRIES_DIAGONALS];
    size_t bad = 0;
    for (int k = 0; k < s->given.desc.diagonals; k++) name[k] = s->kind->arrays->name[s->given.number[k]];
    for (int j = 0; j < s->count; j++) bad += s->ending[j].bad_row;
    sw_free(s->why);
    s->why = NULL;
    if (bad) SW_TRY(sw_alloc(bad, &s->why));
    bad = 0;
    for (int j = 0; j < s->count; j++) {
        const struct system_ending *e = &s->ending[j];
        load_error[j] = NULL;
        if (!e->bad_row) continue;
        struct sw_text why = sw_text_in(s->why[bad], sizeof s->why[bad]);
        system_bad_entry_say(&e->bad, s->given.desc.diagonals, name, &why);
        load_error[j] = s->why[bad++];
    }
    return SW_OK;
}

static enum sw_status find_bad_rows(struct system_sim *s)
{
    int64_t *row;
    SW_TRY(sw_alloc((size_t)s->count, &row));
    enum sw_status st = system_entries_first_bad(s->entries, row);
    for (int j = 0; j < s->count && !st; j++) {
        struct system_ending *e = &s->ending[j];
        if (row[j] < 0 || (e->bad_row && e->row <= row[j])) continue;
        *e = (struct system_ending){.bad_row = true, .row = row[j]};
        st = system_entries_find_bad(s->entries, j, row[j], &s->array, (size_t)j * s->n + (size_t)row[j], &e->bad);
    }
    sw_free(row);
    return st;
}

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct system_sim *s = (struct system_sim *)sim;
    s->solved = s->settled = s->measured = false;
    s->count = count;
    memset(s->ending, 0, (size_t)count * sizeof *s->ending);
    SW_TRY(s->kind->prepare(s, count));
    SW_TRY(system_entries_load(s->entries, count, column));
    if (s->kind->form) SW_TRY(s->kind->form(s, column));
    if (s->source) SW_TRY(read_source(s, column));
    SW_TRY(system_entries_fill(s->entries, 0, (int64_t)s->n, &s->array));
    SW_TRY(find_bad_rows(s));
    return say_bad_rows(s, load_error);
}

/* ------------------------------------------------------------------ the solution */

/* The one step. It may be queued: settle() waits for it. */
static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct system_sim *s = (struct system_sim *)sim;
    if (from == to) return SW_OK;
    s->solved = true;
    s->settled = s->measured = false;
    return s->kind->solve(s);
}

/* What is saved of a run that failed. */
static enum sw_status blank(struct system_sim *s, int j)
{
    enum { PIECE = 4096 };
    double nan[PIECE];
    for (size_t i = 0; i < PIECE; i++) nan[i] = NAN;
    for (size_t i = 0; i < s->n; i += PIECE) {
        const size_t count = s->n - i < PIECE ? s->n - i : PIECE;
        SW_TRY(sw_device_upload(s->device, s->x + (size_t)j * s->n + i, nan, count * sizeof *nan));
    }
    return SW_OK;
}

static enum sw_status measure(struct system_sim *s)
{
    const bool exact = sw_setup_find(&s->setup, "exact") != NULL;
    if (s->measured) return SW_OK;
    for (int j = 0; j < s->count; j++) s->sums[j] = system_sums_zero();
    SW_TRY(system_measure(s->entries, 0, (int64_t)s->n, &s->array, s->x, NULL, s->sums));
    for (int j = 0; j < s->count; j++)
        s->norms[j] = system_norms_from_sums(&s->sums[j], (int64_t)s->n, exact);
    s->measured = true;
    return SW_OK;
}

/* Wait for the solutions, and see what became of them. */
static enum sw_status settle(struct system_sim *s)
{
    if (!s->solved || s->settled) return SW_OK;
    SW_TRY(s->kind->outcome(s));
    if (s->kind->judge) SW_TRY(measure(s));
    for (int j = 0; j < s->count; j++) {
        struct system_ending *e = &s->ending[j];
        if (s->kind->judge && (e->bad_row || e->fault))
            s->norms[j] = (struct system_norms){NAN, NAN, NAN, NAN, NAN, NAN};  /* also where no diagonal is in A */
        else if (s->kind->judge) e->fault = s->kind->judge(s, j);
        if (e->bad_row || e->fault) SW_TRY(blank(s, j));
    }
    s->settled = true;
    return SW_OK;
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct system_sim *s = (struct system_sim *)sim;
    const size_t points = (size_t)s->count * s->n;
    (void)slot, (void)what;
    SW_TRY(settle(s));
    if (!s->saved) return SW_OK;
    if (!s->setup.single) return sw_device_download(s->device, s->saved, s->x, points * sizeof *s->x);
    for (int j = 0; j < s->count; j++) {
        SW_TRY(sw_device_download(s->device, s->host, s->x + (size_t)j * s->n, s->n * sizeof *s->x));
        sw_reals_put(s->saved, sizeof(float), (size_t)j * s->n, s->host, s->n);
    }
    return SW_OK;
}

/* The snapshot stays until the next batch. */
static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    const struct system_sim *s = (const struct system_sim *)sim;
    (void)slot;
    *field = s->saved ? (const void *)s->saved : s->x;
    *scalars = NULL;
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    struct system_sim *s = (struct system_sim *)sim;
    SW_TRY(settle(s));
    for (int j = 0; j < s->count; j++) step[j] = s->settled && s->ending[j].fault ? 1 : -1;
    return SW_OK;
}

static void explain(const struct sw_sim *sim, int j, struct sw_text *text)
{
    const struct system_sim *s = (const struct system_sim *)sim;
    s->kind->explain(s, j, text);
}

/* ------------------------------------------------------------------ how good it is */

static enum sw_status norms(struct sw_sim *sim, struct sw_norms *norm)
{
    struct system_sim *s = (struct system_sim *)sim;
    SW_TRY(settle(s));
    SW_TRY(measure(s));
    for (int j = 0; j < s->count; j++)
        norm[j] = (struct sw_norms){.l2 = s->norms[j].l2, .max = s->norms[j].max, .rel = s->norms[j].rel,
                                    .interior = NAN};
    return SW_OK;
}

static enum sw_status residuals(struct sw_sim *sim, struct sw_residuals *residual)
{
    struct system_sim *s = (struct system_sim *)sim;
    SW_TRY(settle(s));
    SW_TRY(measure(s));
    for (int j = 0; j < s->count; j++)
        residual[j] = (struct sw_residuals){s->norms[j].residual, s->norms[j].backward_error,
                                            s->norms[j].forward_error, NAN, 0};
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    struct system_sim *s = (struct system_sim *)sim;
    SW_TRY(settle(s));
    SW_TRY(measure(s));
    for (int j = 0; j < s->count; j++) system_record(&s->sums[j], record + SW_DIAGNOSTICS * j);
    return SW_OK;
}

/* max|x| <= |inverse of A| max|f|: |A| max|x|/max|f| is a condition number that A has at least. */
void system_record(const struct system_sums *sums, double *record)
{
    const struct system_norms m = system_norms_from_sums(sums, 1, false);
    record[0] = sums->rhs_max > 0 ? system_least_condition(sums) : 0;
    record[1] = m.backward_error;
}

void system_warn_result(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    const double condition = record[0], error = record[1];
    (void)sim, (void)j;
    if (!finite) return;
    if (error > 1e-12)
        sw_text_set(text, "x has a backward error of %.1g: elimination with pivoting (solver = \"auto\") leaves 1e-16, "
                    "unless numbers underflow", error);
    else if (isnan(error))
        sw_text_set(text, "no residual is known: the right-hand side is below 1e-301, and rounding errors underflow");
    else if (condition >= 1e16)
        sw_text_set(text, "no digit of x is certain: the condition number of the matrix is %.1g at least", condition);
}

static struct sw_cost cost(const struct sw_sim *sim, int64_t steps)
{
    const struct system_sim *s = (const struct system_sim *)sim;
    (void)steps;
    return s->kind->cost(s);
}

/* ------------------------------------------------------------------ making one */

void system_given_free(struct system_given *given)
{
    for (int k = 0; k < ENTRIES_DIAGONALS; k++) sw_program_destroy(&given->own[k]);
}

static void destroy(struct sw_sim *sim)
{
    struct system_sim *s = (struct system_sim *)sim;
    if (!s) return;
    if (s->own) s->kind->destroy(s);
    system_entries_destroy(&s->entries);
    system_given_free(&s->given);
    sw_owned_free(&s->arrays);
    sw_device_close(&s->opened);
    sw_free(s->own);
    sw_free(s->why);
    sw_free(s);
}

static const struct sw_record_ops record_ops = {
    .numbers = SW_DIAGNOSTICS, .get = get_record, .warn = system_warn_result};
static const struct sw_residual_ops residual_ops = {.get = residuals};

static const struct sw_sim_ops system_ops = {
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
static size_t staging_of(const struct system_kind *kind, const struct sw_setup *setup)
{
    const size_t n = (size_t)setup->n[0], some = (1 << 18) / n;
    if (!kind->needs_staging(setup)) return 0;
    return *sw_setup_word(setup, "source.file") && some > 1 ? some * n : n;
}

static enum sw_status list_arrays(struct system_sim *s)
{
    const size_t capacity = (size_t)s->setup.capacity, all = capacity * s->n;
    const bool saves = s->setup.fields && (s->setup.single || !on_host(s));
    for (int k = 0; k < s->given.desc.diagonals; k++) sw_array_device(&s->arrays, all, &s->array.diagonal[k]);
    sw_array_device(&s->arrays, all, &s->array.rhs);
    sw_array_device(&s->arrays, all, &s->x);
    s->staging = staging_of(s->kind, &s->setup);
    if (s->staging) sw_array(&s->arrays, s->staging, &s->host);
    if (saves) sw_array(&s->arrays, all * sw_reals_word(s->setup.single), &s->saved);
    sw_array(&s->arrays, capacity, &s->ending);
    sw_array(&s->arrays, capacity, &s->sums);
    sw_array(&s->arrays, capacity, &s->norms);
    return s->arrays.status;
}

enum sw_status system_sim_create(const struct system_kind *kind, const struct sw_setup *setup,
                                 struct sw_device *runs_on, struct sw_device *device, struct sw_sim **sim)
{
    enum sw_status st;
    struct system_sim *s = NULL;
    *sim = NULL;
    SW_TRY(sw_alloc(1, &s));
    s->sim.ops = &system_ops;
    s->kind = kind;
    s->setup = *setup;
    s->runs_on = runs_on;
    s->device = s->arrays.device = device;
    s->n = (size_t)setup->n[0];
    SW_TRY_TO(failed, st, sw_alloc_bytes(1, kind->own_size, &s->own));
    SW_TRY_TO(failed, st, system_open_source(setup, kind->arrays, &s->source));
    SW_TRY_TO(failed, st, kind->describe(setup, s->source, &s->given));
    SW_TRY_TO(failed, st, kind->prepare(s, setup->capacity));
    SW_TRY_TO(failed, st, system_entries_create(&s->given.desc, device, &s->entries));
    SW_TRY_TO(failed, st, list_arrays(s));
    *sim = &s->sim;
    return SW_OK;
failed:
    destroy(&s->sim);
    return st;
}

enum sw_status system_open_source(const struct sw_setup *setup, const struct system_keys *arrays,
                                  const struct system_source **source)
{
    const char *key;
    struct sw_text why = SW_SHORT_TEXT;
    SW_TRY(system_source_find(setup, arrays, source, &key, &why));
    return key ? SW_FAIL(SW_E_IO, "%s: %s", sw_setup_word(setup, "source.file"), sw_text_get(&why)) : SW_OK;
}

enum sw_status system_bytes(const struct system_kind *kind, const struct sw_setup *setup,
                            const struct sw_device *device, struct sw_batch_bytes *bytes)
{
    const struct system_source *source;
    struct system_given given = {0};
    size_t of_entries = 0, of_run = 0;
    SW_TRY(system_open_source(setup, kind->arrays, &source));
    const enum sw_status st = kind->describe(setup, source, &given);
    if (!st) system_entries_bytes(&given.desc, device, &of_entries, &of_run);
    system_given_free(&given);
    const size_t words = 2 + (size_t)given.desc.diagonals +
                         (device->space == SW_HOST && setup->fields && setup->single);
    bytes->fixed_on_host += staging_of(kind, setup) * sizeof(double);
    bytes->fixed += of_entries;
    bytes->per_run += of_run + words * (size_t)setup->n[0] * sizeof(double) + sizeof(struct system_ending) +
                      sizeof(struct system_sums) + sizeof(struct system_norms);
    return st;
}
