/* What becomes of a batch: runs that go bad, checkpoints, results. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/batch_impl.h"

size_t batch_state_size(const struct batch *b) { return sw_sim_state_size(b->w->sim); }

size_t batch_stored_size(const struct batch *b) { return batch_state_size(b) + 1 + (b->record ? SW_DIAGNOSTICS : 0); }

double batch_dt(const struct batch *b, int j)
{
    return sw_setup_grid(&b->w->setup, b->plan->count, b->column, j).dt;
}

/* ---- runs that go bad */

static enum sw_status read_record(struct batch *b)
{
    return b->record ? b->w->sim->ops->get_diagnostics(b->w->sim, b->record) : SW_OK;
}

/* What follows from the record; "" if nothing does. */
static void comment(const struct batch *b, int j, char text[160])
{
    const struct sw_sim *sim = b->w->sim;
    text[0] = 0;
    if (b->record) sim->ops->warn_result(sim, j, b->record + SW_DIAGNOSTICS * j, b->bad[j] < 0, text);
}

static void add(char text[SW_MESSAGE], const char *more)
{
    const size_t length = strlen(text);
    if (*more) snprintf(text + length, SW_MESSAGE - length, "%s%s", length ? "; " : "", more);
}

/* What to do about a run that diverged; nothing if memory is out. */
static void add_advice(const struct batch *b, int j, char text[SW_MESSAGE])
{
    const struct sw_problem *problem = b->w->scheduler->sweep->problem;
    char more[200];
    if (problem->advise && !problem->advise(problem, &b->w->setup, b->plan->count, b->column, j, more)) add(text, more);
}

/* What is said of a run's result; nothing if memory is out. */
static void add_warnings(const struct batch *b, int j, const double *state, char text[SW_MESSAGE])
{
    const struct sw_problem *problem = b->w->scheduler->sweep->problem;
    char more[200];
    for (const struct sw_run_warning *w = problem->warn_run; w && w->warn; w++)
        if (w->of_result && !w->warn(problem, &b->w->setup, b->plan->count, b->column, j, state, more)) add(text, more);
}

/* The states that warnings of results need; NULL if there are no such warnings. */
static enum sw_status take_field(const struct batch *b, double **field)
{
    const struct sw_run_warning *w = b->w->scheduler->sweep->problem->warn_run;
    *field = NULL;
    while (w && w->warn && !w->of_result) w++;
    if (!w || !w->warn) return SW_OK;
    SW_TRY(sw_alloc((size_t)b->plan->count * batch_state_size(b), field));
    return sw_sim_get_state(b->w->sim, *field);
}

static void describe(const struct batch *b, int j, char text[SW_MESSAGE])
{
    const struct sw_sim *sim = b->w->sim;
    char more[160];
    if (b->load_error[j]) snprintf(text, SW_MESSAGE, "%s", b->load_error[j]);
    else if (sim->ops->explain) sim->ops->explain(sim, j, text);
    else if (b->bad[j] > 0 || !initial_describe(&b->w->setup, b->plan->count, b->column, j, text)) {
        snprintf(text, SW_MESSAGE, "not finite at t = %.6g (step %lld of %lld)", (double)b->bad[j] * batch_dt(b, j),
                 (long long)b->bad[j], (long long)b->group->steps);
        comment(b, j, more);
        add(text, more);
        add_advice(b, j, text);
    }
}

static void send_word(const struct batch *b, enum sw_event_kind kind, int j, const char *message, bool earlier)
{
    const bool timed = b->w->scheduler->sweep->problem->timed;
    const double t = b->load_error[j] ? 0 : (double)b->bad[j] * batch_dt(b, j);
    struct sw_event e = {.kind = kind, .batch = b->number, .run = b->plan->run[j], .message = message,
                         .t = timed && kind == SW_EVENT_FAILURE ? t : NAN, .earlier = earlier};
    worker_event(b->w, &e);
}

void batch_report_failure(struct batch *b, int j)
{
    char text[SW_MESSAGE];
    describe(b, j, text);
    send_word(b, SW_EVENT_FAILURE, j, text, false);
}

enum sw_status batch_look_for_failures(struct batch *b)
{
    struct sw_sim *sim = b->w->sim;
    bool known = false;  /* what they recorded */
    SW_TRY(sim->ops->diverged(sim, b->seen));
    for (int j = 0; j < b->plan->count; j++) {
        if (b->seen[j] < 0 || b->bad[j] >= 0 || b->load_error[j]) continue;
        if (!known) SW_TRY(read_record(b));
        known = true;
        b->bad[j] = b->seen[j];
        batch_report_failure(b, j);
    }
    return SW_OK;
}

/* ---- checkpoint and end */

/* Seconds on this part, a run. */
static double spent(const struct batch *b) { return (sw_clock() - b->saved) / b->plan->count; }

static void send_event(const struct batch *b, enum sw_event_kind kind)
{
    struct sw_event e = {.kind = kind, .batch = b->number, .step = b->step, .count = b->plan->count,
                         .seconds = spent(b) * b->plan->count};
    worker_event(b->w, &e);
}

/* All that the runs go on from, [count][batch_stored_size()]; the record is read. Free with sw_free(). */
static enum sw_status take_state(const struct batch *b, double **stored_state)
{
    const size_t size = batch_state_size(b), stored = batch_stored_size(b), count = (size_t)b->plan->count;
    double *state = NULL, *wide = NULL;
    enum sw_status st = sw_alloc(count * size, &state);
    if (!st) st = sw_alloc(count * stored, &wide);
    if (!st) st = sw_sim_get_state(b->w->sim, state);
    for (size_t j = 0; j < count && !st; j++) {
        double *to = wide + j * stored;
        memcpy(to, state + j * size, size * sizeof *state);
        if (b->bad[j] >= 0)
            for (size_t i = 0; i < size; i++) to[i] = NAN;
        to[size] = (double)b->bad[j];
        if (b->record) memcpy(to + size + 1, b->record + SW_DIAGNOSTICS * j, SW_DIAGNOSTICS * sizeof *to);
    }
    sw_free(state);
    if (st) sw_free(wide);
    else *stored_state = wide;
    return st;
}

/* The part so far becomes permanent, with the state the batch goes on from. */
enum sw_status batch_checkpoint(struct batch *b)
{
    const size_t count = (size_t)b->plan->count;
    struct sw_run_result *result = NULL;
    double *state = NULL;
    enum sw_status st;
    SW_TRY(batch_look_for_failures(b));
    SW_TRY(read_record(b));
    SW_TRY_TO(failed, st, sw_alloc(count, &result));
    SW_TRY_TO(failed, st, take_state(b, &state));
    for (size_t j = 0; j < count; j++) {
        struct sw_run_row *row = &result[j].row;
        *row = sw_run_row_empty();
        row->steps = b->step;
        row->t_reached = (double)b->step * batch_dt(b, (int)j);
        row->time_step = batch_dt(b, (int)j);
        row->wall_time = spent(b);
    }
    SW_TRY(writer_finish(b->w->writer, result, state, batch_stored_size(b), b->step));
    send_event(b, SW_EVENT_CHECKPOINT);
    return SW_OK;
failed:
    sw_free(result);
    return st;
}

/* What has no time cannot diverge: it failed. */
static enum sw_run_status bad_status(const struct batch *b)
{
    return b->w->scheduler->sweep->problem->timed ? SW_RUN_DIVERGED : SW_RUN_ERROR;
}

static void fill_result(const struct batch *b, int j, struct sw_run_result *r)
{
    struct sw_run_row *row = &r->row;
    *row = sw_run_row_empty();
    row->status = SW_RUN_DONE;
    row->wall_time = spent(b);
    row->steps = b->group->steps;
    row->time_step = batch_dt(b, j);
    if (b->load_error[j]) { row->status = SW_RUN_ERROR; row->steps = 0; }
    else if (b->bad[j] >= 0) { row->status = bad_status(b); row->steps = b->bad[j]; }
    if (row->status != SW_RUN_DONE) describe(b, j, r->message);
    else comment(b, j, r->message);  /* batch_end() adds the warnings, which are no news */
    row->t_reached = (double)row->steps * batch_dt(b, j);
}

static enum sw_status norms_of_sim(const struct batch *b, struct sw_run_result *result)
{
    struct sw_sim *sim = b->w->sim;
    struct sw_norms *norm;
    SW_TRY(sw_alloc((size_t)b->plan->count, &norm));
    enum sw_status st = sim->ops->norms(sim, norm);
    for (int j = 0; j < b->plan->count && !st; j++)
        if (result[j].row.status == SW_RUN_DONE) result[j].row.err = norm[j];
    sw_free(norm);
    return st;
}

static enum sw_status norms(const struct batch *b, struct sw_run_result *result)
{
    struct sw_sim *sim = b->w->sim;
    double *state = NULL;
    enum sw_status st;
    if (!b->w->scheduler->sweep->problem->derives_exact && !sw_setup_function(&b->w->setup, "exact")) return SW_OK;
    if (sim->ops->norms) return norms_of_sim(b, result);
    SW_TRY(sw_alloc((size_t)b->plan->count * batch_state_size(b), &state));
    st = sw_sim_get_state(sim, state);
    if (!st)
        st = norms_measure(&b->w->setup, b->w->device->threads, b->plan->count, b->column, state, b->group->steps,
                           result);
    sw_free(state);
    return st;
}

static void count_results(struct batch *b, const struct sw_run_result *result)
{
    struct sw_totals *t = &b->w->tally;
    for (int j = 0; j < b->plan->count; j++) {
        t->done += result[j].row.status == SW_RUN_DONE;
        t->diverged += result[j].row.status == SW_RUN_DIVERGED;
        t->failed += result[j].row.status == SW_RUN_ERROR;
        if (b->plan->resume && result[j].row.status != SW_RUN_DONE &&
            (b->load_error[j] || b->bad[j] <= b->plan->resume->step))
            send_word(b, SW_EVENT_FAILURE, j, result[j].message, true);
        if (result[j].row.status == SW_RUN_DONE && *result[j].message)
            send_word(b, SW_EVENT_NOTE, j, result[j].message, false);
    }
}

enum sw_status batch_end(struct batch *b)
{
    struct sw_run_result *result = NULL;
    double *state = NULL, *field = NULL;
    enum sw_status st;
    SW_TRY(batch_look_for_failures(b));
    SW_TRY(read_record(b));
    SW_TRY(sw_alloc((size_t)b->plan->count, &result));
    for (int j = 0; j < b->plan->count; j++) fill_result(b, j, &result[j]);
    SW_TRY_TO(failed, st, norms(b, result));
    SW_TRY_TO(failed, st, take_field(b, &field));
    if (b->w->scheduler->sweep->save_state) SW_TRY_TO(failed, st, take_state(b, &state));
    count_results(b, result);
    for (int j = 0; j < b->plan->count && field; j++)
        if (result[j].row.status == SW_RUN_DONE)
            add_warnings(b, j, field + (size_t)j * batch_state_size(b), result[j].message);
    sw_free(field);
    SW_TRY(writer_finish(b->w->writer, result, state, batch_stored_size(b), b->group->steps));
    send_event(b, SW_EVENT_BATCH);
    return SW_OK;
failed:
    sw_free(field);
    sw_free(result);
    return st;
}
