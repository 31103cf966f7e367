/* One batch, from its start or its checkpoint to its end or its next checkpoint. */
#include <math.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/batch_impl.h"

static const double chunk_seconds = 0.1;

/* ---- begin */

static enum sw_status restore(struct batch *b)
{
    const size_t size = batch_state_size(b), stored = batch_stored_size(b);
    const int count = b->plan->count;
    struct sw_sim *sim = b->w->sim;
    double *old = NULL, *state = NULL;
    enum sw_status st;
    SW_TRY(writer_wait(b->w->writer));  /* only the writer thread uses the output until then */
    SW_TRY_TO(out, st, sw_alloc((size_t)b->plan->resume->count * stored, &old));
    SW_TRY_TO(out, st, sw_alloc((size_t)count * size, &state));
    SW_TRY_TO(out, st, sw_checkpoint_read(b->plan->resume, old, stored));
    for (int j = 0; j < count; j++) {
        const double *from = old + (size_t)b->plan->row[j] * stored;
        memcpy(state + (size_t)j * size, from, size * sizeof *state);
        b->bad[j] = (int64_t)from[size];
        if (b->record) memcpy(b->record + SW_DIAGNOSTICS * j, from + size + 1, SW_DIAGNOSTICS * sizeof *b->record);
    }
    b->step = b->plan->resume->step;
    b->field = b->plan->resume->fields_done;
    b->scalar = b->plan->resume->scalars_done;
    SW_TRY_TO(out, st, sw_sim_set_state(sim, state));
    if (b->record) st = sim->ops->set_diagnostics(sim, b->record);
out:
    sw_free(old);
    sw_free(state);
    return st;
}

static enum sw_status begin_part(struct batch *b)
{
    const struct sw_run_sweep_options *o = b->w->scheduler->options;
    struct sw_part_desc desc = {.sweep = b->w->scheduler->sweep, .group = b->group, .run = b->plan->run,
.id = b->plan->id, .count = b->plan->count, .field_first = b->field, .scalar_first = b->scalar,
                                .turn = o->rank, .of = o->ranks};
    return writer_begin(b->w->writer, &desc, &b->w->provenance);
}

static enum sw_status begin(struct batch *b)
{
    const size_t count = (size_t)b->plan->count;
    struct sw_sim *sim = b->w->sim;
    SW_TRY(sw_alloc((size_t)b->w->scheduler->sweep->ncolumn * count, &b->column));
    SW_TRY(sw_alloc(count, &b->load_error));
    SW_TRY(sw_alloc(count, &b->bad));
    SW_TRY(sw_alloc(count, &b->seen));
    if (sim->ops->get_diagnostics) SW_TRY(sw_alloc(SW_DIAGNOSTICS * count, &b->record));
    for (size_t j = 0; j < count; j++) b->bad[j] = -1;
    SW_TRY(sw_sweep_columns(b->w->scheduler->sweep, b->plan->run, 0, b->plan->count, b->column));
    SW_TRY(writer_wait_slots(b->w->writer));  /* the pictures of the batch before belong to the sim */
    SW_TRY(sim->ops->load(sim, b->plan->count, b->column, b->load_error));
    if (b->plan->resume) SW_TRY(restore(b));
    else SW_TRY(sw_sim_initial(sim));
    for (int j = 0; j < b->plan->count; j++)
        if (b->load_error[j] && !b->plan->resume) batch_report_failure(b, j);
    return begin_part(b);
}

/* ---- outputs */

static int64_t next_output(const struct batch *b)
{
    int64_t next = b->group->steps;
    if (b->field < b->group->nfield && b->group->field_step[b->field] < next) next = b->group->field_step[b->field];
    if (b->scalar < b->group->nscalar && b->group->scalar_step[b->scalar] < next)
        next = b->group->scalar_step[b->scalar];
    return next;
}

static int what_is_due(const struct batch *b)
{
    int what = 0;
    if (b->field < b->group->nfield && b->group->field_step[b->field] == b->step) what |= SW_SNAPSHOT_FIELD;
    if (b->scalar < b->group->nscalar && b->group->scalar_step[b->scalar] == b->step) what |= SW_SNAPSHOT_SCALARS;
    return what;
}

/* Entries of times that have no step, as soon as they are next. */
static enum sw_status add_blanks(struct batch *b)
{
    for (; b->field < b->group->nfield && b->group->field_step[b->field] < 0; b->field++)
        SW_TRY(writer_blank(b->w->writer, SW_SNAPSHOT_FIELD));
    for (; b->scalar < b->group->nscalar && b->group->scalar_step[b->scalar] < 0; b->scalar++)
        SW_TRY(writer_blank(b->w->writer, SW_SNAPSHOT_SCALARS));
    return SW_OK;
}

static enum sw_status snapshot(struct batch *b)
{
    struct sw_sim *sim = b->w->sim;
    SW_TRY(add_blanks(b));
    for (int what; (what = what_is_due(b));) {
        int slot;
        SW_TRY(writer_slot(b->w->writer, &slot));
        SW_TRY(sw_sim_snapshot(sim, slot, what));
        SW_TRY(writer_snapshot(b->w->writer, sim, slot, what));
        b->field += (what & SW_SNAPSHOT_FIELD) != 0;
        b->scalar += (what & SW_SNAPSHOT_SCALARS) != 0;
        SW_TRY(add_blanks(b));
    }
    return SW_OK;
}

/* ---- in between */

/* So many steps that the clock is looked at about ten times a second. */
static void adapt(struct batch *b, double now)
{
    double took = now - b->looked,
           wanted = took > 0 ? (double)b->queued * chunk_seconds / took : 4.0 * (double)b->w->chunk;
    double most = 4.0 * (double)b->w->chunk;
    wanted = fmin(fmax(wanted, 1), most);
    b->w->chunk = (int64_t)wanted;
    b->queued = 0;
    b->looked = now;
}

static void tell(const struct batch *b)
{
    int64_t from = b->plan->resume ? b->plan->resume->step : 0;
    worker_look(b->w, (double)sw_points(b->group->n) * (double)(b->step - from) * b->plan->count,
                (double)b->step * batch_dt(b, 0), (double)b->group->steps * batch_dt(b, 0));
}

/* Wait for what is queued; look at everything that is not computing. */
static enum sw_status look_around(struct batch *b)
{
    SW_TRY(sw_device_wait(b->w->device));
    double now = sw_clock(), every = b->w->scheduler->options->checkpoint_seconds;
    adapt(b, now);
    SW_TRY(writer_status(b->w->writer));
    SW_TRY(batch_look_for_failures(b));
    tell(b);
    if (b->step == b->group->steps) return SW_OK;
    if (scheduler_must_stop(b->w->scheduler, now)) {
        int64_t from = b->plan->resume ? b->plan->resume->step : 0;
        if (b->step > from) SW_TRY(batch_checkpoint(b));
        else SW_TRY(writer_abandon(b->w->writer));
        return SW_FAIL(SW_E_STOPPED, "stopped; run the same command again to continue");
    }
    if (every > 0 && now - b->saved >= every) {
        SW_TRY(writer_wait(b->w->writer));  /* at most one checkpoint is on its way */
        SW_TRY(batch_checkpoint(b));
        SW_TRY(begin_part(b));
        b->saved = b->looked = sw_clock();
    }
    return SW_OK;
}

static enum sw_status advance(struct batch *b)
{
    struct sw_sim *sim = b->w->sim;
    SW_TRY(snapshot(b));
    scheduler_note_first_step(b->w->scheduler);
    while (b->step < b->group->steps) {
        int64_t to = next_output(b), limit = b->step + b->w->chunk - b->queued;
        if (to > limit) to = limit;
        SW_TRY(sim->ops->advance(sim, b->step, to));
        b->queued += to - b->step;
        b->step = to;
        SW_TRY(snapshot(b));
        if (b->queued >= b->w->chunk || b->step == b->group->steps) SW_TRY(look_around(b));
    }
    return SW_OK;
}

enum sw_status batch_run(struct worker *w, int64_t number, const struct sw_plan_batch *plan)
{
    double now = sw_clock();
    struct batch b = {
        .w = w, .plan = plan, .group = &w->scheduler->plan->group[plan->group], .number = number, .saved = now,
        .looked = now};
    enum sw_status st = begin(&b);
    b.looked = sw_clock();
    if (!st) st = advance(&b);
    if (!st) st = batch_end(&b);
    sw_free(b.column);
    sw_free(b.load_error);
    sw_free(b.bad);
    sw_free(b.seen);
    sw_free(b.record);
    return st;
}
