/* One batch, from its start or its checkpoint to its end or its next checkpoint. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "sweep/execute_impl.h"

/* A checkpoint holds, a run: the state, and the step after which it was not finite (-1: it is). */
enum { EXTRA = 1 };

struct batch {
    struct execution *x;
    const struct sw_plan_batch *plan;
    const struct sw_group *group;
    int64_t  number, step;
    int      field, scalar;    /* the next outputs                                              */
    double  *column;           /* [ncolumn][count]                                              */
    const char **fault;        /* [count] why a run could not begin                             */
    int64_t *bad;              /* [count] step after which it was not finite, -1: finite so far */
    int64_t *seen;             /* [count] as the sim tells it now                               */
    double   saved;            /* clock when the part began                                     */
    int64_t  queued;           /* steps since the last look at the clock                        */
    double   looked;           /* clock then                                                    */
};

static const double chunk_seconds = 0.1;

static size_t state_size(const struct batch *b) { return b->x->sim->ops->state_size(b->x->sim); }

static double dt(const struct batch *b, int j)
{
    int k = sw_setup_column(&b->x->setup, "time.dt");
    return k < 0 ? 0 : b->column[(size_t)k * (size_t)b->plan->count + (size_t)j];
}

/* ---- runs that go bad */

static void describe(const struct batch *b, int j, char *text, size_t room)
{
    if (b->fault[j]) snprintf(text, room, "%s", b->fault[j]);
    else snprintf(text, room, "not finite at t = %.6g (step %lld of %lld)", (double)b->bad[j] * dt(b, j),
                  (long long)b->bad[j], (long long)b->group->steps);
}

static void report_failure(struct batch *b, int j)
{
    char text[160];
    describe(b, j, text, sizeof text);
    b->x->failed_now = true;
    execution_failure(b->x, b->number, b->plan->run[j], text);
}

static enum sw_status look_for_failures(struct batch *b)
{
    struct sw_sim *sim = b->x->sim;
    SW_TRY(sim->ops->diverged(sim, b->seen));
    for (int j = 0; j < b->plan->count; j++) {
        if (b->seen[j] < 0 || b->bad[j] >= 0 || b->fault[j]) continue;
        b->bad[j] = b->seen[j];
        report_failure(b, j);
    }
    return SW_OK;
}

/* ---- begin */

static enum sw_status restore(struct batch *b)
{
    const size_t size = state_size(b), stored = size + EXTRA;
    const int count = b->plan->count;
    struct sw_sim *sim = b->x->sim;
    double *old = NULL, *state = NULL;
    enum sw_status st;
    SW_TRY_TO(out, st, sw_alloc((size_t)count * stored, &old));
    SW_TRY_TO(out, st, sw_alloc((size_t)count * size, &state));
    SW_TRY_TO(out, st, sw_ledger_state(b->plan->resume, old, stored));
    for (int j = 0; j < count; j++) {
        const double *from = old + (size_t)b->plan->row[j] * stored;
        memcpy(state + (size_t)j * size, from, size * sizeof *state);
        b->bad[j] = (int64_t)from[size];
    }
    b->step = b->plan->resume->step;
    b->field = b->plan->resume->fields_done;
    b->scalar = b->plan->resume->scalars_done;
    SW_TRY_TO(out, st, sim->ops->set_state(sim, state));
out:
    sw_free(old);
    sw_free(state);
    return st;
}

static enum sw_status begin_part(struct batch *b)
{
    struct sw_part_desc desc = {.sweep = b->x->sweep, .group = b->group, .run = b->plan->run, .id = b->plan->id,
                                .count = b->plan->count, .field_first = b->field, .scalar_first = b->scalar};
    return writer_begin(b->x->writer, &desc, &b->x->provenance);
}

static enum sw_status begin(struct batch *b)
{
    const size_t count = (size_t)b->plan->count;
    struct sw_sim *sim = b->x->sim;
    SW_TRY(sw_alloc((size_t)b->x->sweep->ncolumn * count, &b->column));
    SW_TRY(sw_alloc(count, &b->fault));
    SW_TRY(sw_alloc(count, &b->bad));
    SW_TRY(sw_alloc(count, &b->seen));
    for (size_t j = 0; j < count; j++) b->bad[j] = -1;
    SW_TRY(sw_sweep_columns(b->x->sweep, b->plan->run, 0, b->plan->count, b->column));
    SW_TRY(writer_wait_slots(b->x->writer));  /* the pictures of the batch before belong to the sim */
    SW_TRY(sim->ops->load(sim, b->plan->count, b->column, b->fault));
    if (b->plan->resume) SW_TRY(restore(b));
    else SW_TRY(sim->ops->initial(sim));
    for (int j = 0; j < b->plan->count; j++)
        if (b->fault[j] && !b->plan->resume) report_failure(b, j);
    return begin_part(b);
}

/* ---- outputs */

static int64_t next_output(const struct batch *b)
{
    int64_t next = b->group->steps;
    if (b->field < b->group->nfield && b->group->field_step[b->field] < next) next = b->group->field_step[b->field];
    if (b->scalar < b->group->nscalar && b->group->scalar_step[b->scalar] < next) next = b->group->scalar_step[b->scalar];
    return next;
}

static int what_is_due(const struct batch *b)
{
    int what = 0;
    if (b->field < b->group->nfield && b->group->field_step[b->field] == b->step) what |= SW_CAPTURE_FIELD;
    if (b->scalar < b->group->nscalar && b->group->scalar_step[b->scalar] == b->step) what |= SW_CAPTURE_SCALARS;
    return what;
}

static enum sw_status capture(struct batch *b)
{
    struct sw_sim *sim = b->x->sim;
    for (int what; (what = what_is_due(b));) {
        int slot;
        SW_TRY(writer_slot(b->x->writer, &slot));
        SW_TRY(sim->ops->capture(sim, slot, what));
        SW_TRY(writer_capture(b->x->writer, sim, slot, what));
        b->field += (what & SW_CAPTURE_FIELD) != 0;
        b->scalar += (what & SW_CAPTURE_SCALARS) != 0;
    }
    return SW_OK;
}

/* ---- checkpoint and end */

/* Seconds on this part, a run. */
static double spent(const struct batch *b) { return (sw_clock() - b->saved) / b->plan->count; }

static void send_event(const struct batch *b, enum sw_event_kind kind)
{
    const struct sw_execute_options *o = b->x->options;
    struct sw_event e = {.kind = kind, .batch = b->number, .step = b->step, .count = b->plan->count,
                         .seconds = spent(b) * b->plan->count};
    if (o->event) o->event(o->user, &e);
}

/* The part so far becomes permanent, with the state the batch goes on from. */
static enum sw_status checkpoint(struct batch *b)
{
    const size_t size = state_size(b), stored = size + EXTRA, count = (size_t)b->plan->count;
    struct sw_sim *sim = b->x->sim;
    struct sw_run_result *result = NULL;
    double *state = NULL, *wide = NULL;
    enum sw_status st;
    SW_TRY(look_for_failures(b));
    SW_TRY_TO(failed, st, sw_alloc(count, &result));
    SW_TRY_TO(failed, st, sw_alloc(count * size, &state));
    SW_TRY_TO(failed, st, sw_alloc(count * stored, &wide));
    SW_TRY_TO(failed, st, sim->ops->get_state(sim, state));
    for (size_t j = 0; j < count; j++) {
        double *to = wide + j * stored;
        memcpy(to, state + j * size, size * sizeof *state);
        if (b->bad[j] >= 0)
            for (size_t i = 0; i < size; i++) to[i] = NAN;
        to[size] = (double)b->bad[j];
        result[j] = (struct sw_run_result){.status = SW_RUN_PENDING, .wall_time = spent(b), .steps = b->step, .t_reached = (double)b->step * dt(b, (int)j),
                                           .err_l2 = NAN, .err_max = NAN, .err_rel = NAN};
    }
    sw_free(state);
    SW_TRY(writer_finish(b->x->writer, result, wide, stored, b->step));
    send_event(b, SW_EVENT_CHECKPOINT);
    return SW_OK;
failed:
    sw_free(result);
    sw_free(state);
    sw_free(wide);
    return st;
}

static void fill_result(const struct batch *b, int j, struct sw_run_result *r)
{
    *r = (struct sw_run_result){.status = SW_RUN_DONE, .wall_time = spent(b), .steps = b->group->steps,
                                .err_l2 = NAN, .err_max = NAN, .err_rel = NAN};
    if (b->fault[j]) { r->status = SW_RUN_ERROR; r->steps = 0; }
    else if (b->bad[j] >= 0) { r->status = SW_RUN_DIVERGED; r->steps = b->bad[j]; }
    if (r->status != SW_RUN_DONE) describe(b, j, r->message, sizeof r->message);
    r->t_reached = (double)r->steps * dt(b, j);
}

static enum sw_status norms(const struct batch *b, struct sw_run_result *result)
{
    struct sw_sim *sim = b->x->sim;
    double *state = NULL;
    enum sw_status st;
    if (!sw_setup_function(&b->x->setup, "exact")) return SW_OK;
    SW_TRY(sw_alloc((size_t)b->plan->count * state_size(b), &state));
    st = sim->ops->get_state(sim, state);
    if (!st) st = norms_measure(&b->x->setup, b->x->device->threads, b->plan->count, b->column, state, b->group->steps, result);
    sw_free(state);
    return st;
}

static void count_results(struct batch *b, const struct sw_run_result *result)
{
    struct sw_execute_summary *s = b->x->summary;
    for (int j = 0; j < b->plan->count; j++) {
        s->done += result[j].status == SW_RUN_DONE;
        s->diverged += result[j].status == SW_RUN_DIVERGED;
        s->failed += result[j].status == SW_RUN_ERROR;
        if (b->plan->resume && result[j].status != SW_RUN_DONE && (b->fault[j] || b->bad[j] <= b->plan->resume->step))
            execution_failure(b->x, b->number, b->plan->run[j], result[j].message);  /* of an earlier call */
    }
}

static enum sw_status end(struct batch *b)
{
    struct sw_run_result *result = NULL;
    enum sw_status st;
    SW_TRY(look_for_failures(b));
    SW_TRY(sw_alloc((size_t)b->plan->count, &result));
    for (int j = 0; j < b->plan->count; j++) fill_result(b, j, &result[j]);
    SW_TRY_TO(failed, st, norms(b, result));
    count_results(b, result);
    SW_TRY(writer_finish(b->x->writer, result, NULL, 0, b->group->steps));
    send_event(b, SW_EVENT_BATCH);
    return SW_OK;
failed:
    sw_free(result);
    return st;
}

/* ---- in between */

/* So many steps that the clock is looked at about ten times a second. */
static void adapt(struct batch *b, double now)
{
    double took = now - b->looked, wanted = took > 0 ? (double)b->queued * chunk_seconds / took : 4.0 * (double)b->x->chunk;
    double most = 4.0 * (double)b->x->chunk;
    wanted = fmin(fmax(wanted, 1), most);
    b->x->chunk = (int64_t)wanted;
    b->queued = 0;
    b->looked = now;
}

static void tell(const struct batch *b, double now)
{
    struct execution *x = b->x;
    struct sw_progress p = x->progress;
    int64_t from = b->plan->resume ? b->plan->resume->step : 0;
    p.points_steps_done += (double)b->group->n * (double)(b->step - from) * b->plan->count;
    p.seconds = now - x->started;
    p.runs_failed = x->failures;
    p.t = (double)b->step * dt(b, 0);
    p.end = (double)b->group->steps * dt(b, 0);
    if (x->options->progress) x->options->progress(x->options->user, &p);
}

/* Wait for what is queued; look at everything that is not computing. */
static enum sw_status look_around(struct batch *b)
{
    SW_TRY(sw_device_wait(b->x->device));
    double now = sw_clock(), every = b->x->options->checkpoint_seconds;
    adapt(b, now);
    SW_TRY(writer_status(b->x->writer));
    SW_TRY(look_for_failures(b));
    tell(b, now);
    if (b->step == b->group->steps) return SW_OK;
    if (execution_must_stop(b->x, now)) {
        int64_t from = b->plan->resume ? b->plan->resume->step : 0;
        if (b->step > from) SW_TRY(checkpoint(b));
        else SW_TRY(writer_abandon(b->x->writer));
        return SW_FAIL(SW_E_STOPPED, "stopped; run the same command again to continue");
    }
    if (every > 0 && now - b->saved >= every) {
        SW_TRY(writer_wait(b->x->writer));  /* at most one checkpoint is on its way */
        SW_TRY(checkpoint(b));
        SW_TRY(begin_part(b));
        b->saved = b->looked = sw_clock();
    }
    return SW_OK;
}

static enum sw_status advance(struct batch *b)
{
    struct sw_sim *sim = b->x->sim;
    SW_TRY(capture(b));
    while (b->step < b->group->steps) {
        int64_t to = next_output(b), limit = b->step + b->x->chunk - b->queued;
        if (to > limit) to = limit;
        SW_TRY(sim->ops->advance(sim, b->step, to));
        b->queued += to - b->step;
        b->step = to;
        SW_TRY(capture(b));
        if (b->queued >= b->x->chunk || b->step == b->group->steps) SW_TRY(look_around(b));
    }
    return SW_OK;
}

enum sw_status batch_run(struct execution *x, int64_t number, const struct sw_plan_batch *plan)
{
    double now = sw_clock();
    struct batch b = {.x = x, .plan = plan, .group = &x->plan->group[plan->group], .number = number, .saved = now, .looked = now};
    enum sw_status st = begin(&b);
    b.looked = sw_clock();
    if (!st) st = advance(&b);
    if (!st) st = end(&b);
    sw_free(b.column);
    sw_free(b.fault);
    sw_free(b.bad);
    sw_free(b.seen);
    return st;
}
