/* Advance one batch from its beginning, or its checkpoint, to its end or to a stop. */
#include <math.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/batch_impl.h"

/* Seconds between two checks, of the clock and of everything but computing. */
static const double chunk_seconds = 0.1;

/* ---- begin */

static enum sw_status begin_part(struct batch *b)
{
    const struct sw_run_sweep_options *o = b->w->scheduler->options;
    struct sw_part_desc desc = {.sweep = b->w->scheduler->sweep,
                                .group = b->group,
                                .run = b->plan->run,
                                .id = b->plan->id,
                                .count = b->plan->count,
                                .field_first = b->field,
                                .scalar_first = b->scalar,
                                .infinite = b->infinite,
                                .turn = o->rank,
                                .of = o->ranks};
    return writer_begin(b->w->writer, &desc, &b->w->provenance);
}

static enum sw_status begin_batch(struct batch *b)
{
    const size_t count = (size_t)b->plan->count;
    struct sw_sim *sim = b->w->sim;
    SW_TRY(sw_alloc((size_t)b->w->scheduler->sweep->ncolumn * count, &b->column));
    SW_TRY(sw_alloc(count, &b->load_error));
    SW_TRY(sw_alloc(count, &b->failed_step));
    SW_TRY(sw_alloc(count, &b->failed_now));
    SW_TRY(sw_alloc(count, &b->place));
    SW_TRY(sw_alloc(count, &b->said));
    if (sim->ops->get_diagnostics) SW_TRY(sw_alloc(batch_diagnostics(b) * count, &b->diagnostics));
    if (b->group->cut) SW_TRY(sw_alloc(batch_state_size(b), &b->before));
    for (size_t j = 0; j < count; j++) b->failed_step[j] = -1;
    SW_TRY(sw_sweep_columns(b->w->scheduler->sweep, b->plan->run, 0, b->plan->count, b->column));
    SW_TRY(batch_scalars_begin(b));
    SW_TRY(writer_wait_slots(b->w->writer));  /* the snapshots of the batch before are in the sim */
    if (b->w->scheduler->sweep->single_fields && b->group->nfield)
        SW_TRY(writer_count_infinite(b->w->writer, count, &b->infinite));
    SW_TRY(sim->ops->load(sim, b->plan->count, b->column, b->load_error));
    SW_TRY(batch_stops_begin(b));
    if (b->plan->resume) SW_TRY(batch_restore(b));
    else SW_TRY(batch_initial(b));
    if (!b->plan->resume) SW_TRY(batch_stops_initial(b));
    for (int j = 0; j < b->plan->count; j++)
        if (b->load_error[j] && !b->plan->resume) batch_report_failure(b, j);
    SW_TRY(batch_accuracy_begin(b));
    return begin_part(b);
}

/* ---- outputs */

static int64_t next_output(const struct batch *b)
{
    int64_t next = b->group->steps;
    if (b->field < b->group->nfield && b->group->field_step[b->field] < next) next = b->group->field_step[b->field];
    if (b->scalar < b->group->nscalar && b->group->scalar_step[b->scalar] < next)
        next = b->group->scalar_step[b->scalar];
    const int64_t look = batch_next_look(b);
    return look < next ? look : next;
}

static int outputs_due(const struct batch *b)
{
    int what = 0;
    if (b->field < b->group->nfield && b->group->field_step[b->field] == b->step) what |= SW_SNAPSHOT_FIELD;
    if (b->scalar < b->group->nscalar && b->group->scalar_step[b->scalar] == b->step) what |= SW_SNAPSHOT_SCALARS;
    return what;
}

/* Outputs at times that have no step are entries of NaN, written as soon as they are next. */
static enum sw_status write_blanks(struct batch *b)
{
    for (; b->field < b->group->nfield && b->group->field_step[b->field] < 0; b->field++)
        SW_TRY(writer_blank(b->w->writer, SW_SNAPSHOT_FIELD));
    for (; b->scalar < b->group->nscalar && b->group->scalar_step[b->scalar] < 0; b->scalar++)
        SW_TRY(writer_blank(b->w->writer, SW_SNAPSHOT_SCALARS));
    return SW_OK;
}

/* A piece of the field of a run that is cut. The last one ends the output. */
static enum sw_status write_piece(struct batch *b, int64_t first, int64_t count)
{
    struct sw_sim *sim = b->w->sim;
    int slot;
    SW_TRY(writer_slot(b->w->writer, &slot));
    const enum sw_status st = sw_sim_snapshot(sim, slot, SW_SNAPSHOT_FIELD);
    if (st) writer_return_slot(b->w->writer, slot);
    SW_TRY(st);
    SW_TRY(writer_piece(b->w->writer, sim, slot, first, count));
    b->points = first + count;
    b->field += b->points == b->group->n[0];
    return SW_OK;
}

/* All that the last steps have made, but for what is written already. */
static enum sw_status write_pieces(struct batch *b)
{
    int64_t first, count, end = b->points;
    for (int k = 0; b->group->nfield; k++) {
        SW_TRY(b->w->sim->ops->piece(b->w->sim, k, &first, &count));
        if (!count) break;
        end = first + count;
        if (first >= b->points) SW_TRY(write_piece(b, first, count));
    }
    b->behind = end < b->points;
    return SW_OK;
}

/* Devices that take steps of a cut run side by side. */
static int at_once(const struct batch *b) { return 1 + b->w->setup.helpers + b->w->remote.count; }

/* Where the next steps of a cut run end: one for each device, of one pass. */
static int64_t next_cut(const struct batch *b)
{
    const int64_t middle = b->group->steps / 2, end = b->step < middle ? middle : b->group->steps,
                  to = b->step + at_once(b);
    return to < end ? to : end;
}

/* Devices of other processes come when they have nothing else to do, and may fail. Wherever a run's steps are taken, it
 * has the same bits. */
static enum sw_status advance_cut(struct batch *b, int64_t *to)
{
    const int here = 1 + b->w->setup.helpers;
    struct sw_sim *sim = b->w->sim;
    if (help_welcome(b->w, b->number)) {
        struct sw_event e = {.kind = SW_EVENT_DEVICES, .batch = b->number, .step = b->step, .count = at_once(b)};
        worker_request_event(b->w, &e);
    }
    *to = next_cut(b);
    if (b->w->remote.count && b->step >= b->group->steps / 2) SW_TRY(sw_sim_get_state(sim, b->before));
    SW_TRY(sim->ops->advance(sim, b->step, *to));
    *to -= help_missing(b->w, *to - b->step - here);
    return SW_OK;
}

/* A helper has failed with its part of the field that the last steps made: they are taken again, without it. What they
 * have written stays, and no checkpoint is made until they have caught up with it. */
static enum sw_status take_back(struct batch *b, int64_t from)
{
    b->queued -= b->step - from;
    b->step = from;
    return sw_sim_set_state(b->w->sim, b->before);
}

/* Of a snapshot, about; 0: on a device. */
static size_t host_bytes(const struct batch *b, int what)
{
    const size_t scalars = 16, values = what & SW_SNAPSHOT_FIELD ? batch_state_size(b) + scalars : scalars;
    return b->w->device->space == SW_HOST ? (size_t)b->plan->count * values * sizeof(double) : 0;
}

static enum sw_status write_outputs(struct batch *b)
{
    struct sw_sim *sim = b->w->sim;
    if (b->group->cut) return write_pieces(b);
    SW_TRY(write_blanks(b));
    for (int what; (what = outputs_due(b));) {
        double *defined = NULL;
        int slot;
        SW_TRY(writer_slot(b->w->writer, &slot));
        SW_TRY(sw_sim_snapshot(sim, slot, what));
        if (what & SW_SNAPSHOT_SCALARS) SW_TRY(batch_scalars_form(b, &defined));
        SW_TRY(writer_snapshot(b->w->writer, sim, slot, what, defined, host_bytes(b, what)));
        b->field += (what & SW_SNAPSHOT_FIELD) != 0;
        b->scalar += (what & SW_SNAPSHOT_SCALARS) != 0;
        SW_TRY(write_blanks(b));
    }
    return SW_OK;
}

/* ---- between chunks of steps */

/* Choose the number of steps of a chunk so that there are about ten checks a second. */
static void adapt_chunk(struct batch *b, double now)
{
    double took = now - b->checked,
           wanted = took > 0 ? (double)b->queued * chunk_seconds / took : 4.0 * (double)b->w->chunk;
    double most = 4.0 * (double)b->w->chunk;
    wanted = fmin(fmax(wanted, 1), most);
    b->w->chunk = (int64_t)wanted;
    b->queued = 0;
    b->checked = now;
}

static void report_progress(const struct batch *b)
{
    int64_t from = b->plan->resume ? b->plan->resume->step : 0;
    worker_request_progress(b->w, sw_group_points(b->group) * (double)(b->step - from) * b->plan->count,
                            batch_time(b, 0, b->step), batch_time(b, 0, b->group->steps));
}

/* Seconds between checkpoints: 99 of them for each that the last one took, before steps went on and in the writer.
 * States stay on the disk until parts are joined: beyond so many bytes in the longest time there is only one. A
 * checkpoint of a cut run is ten words a slice, and the pieces of its field since the one before: it has them often. */
static double checkpoint_every(const struct batch *b)
{
    const double often = 30, bytes = 32 << 20, given = b->w->scheduler->options->checkpoint_seconds;
    double every = given;
    if (given < 0) {
        const double stored = 8.0 * (double)batch_stored_size(b) * b->plan->count,
                     costs = 99 * (b->stall + writer_finish_seconds(b->w->writer));
        every = fmin(fmax(fmax(costs, often), stored / bytes * -given), -given);
    }
    return b->group->cut ? fmin(every, often) : every;
}

static bool must_keep(const struct batch *b, double now)
{
    return b->w->scheduler->options->checkpoint_seconds != 0 && now - b->part_begun >= checkpoint_every(b);
}

/* A run that is cut and has failed takes no time any more: its other steps compute nothing. It goes on to its end also
 * where all is to stop, so that the cause of its failure is stored; a checkpoint has none. */
static bool is_over(const struct batch *b)
{
    return b->step == b->group->steps || (b->group->cut && b->failed_step[0] >= 0);
}

/* Wait for the queued steps; then check for failures of the writer and of runs, report progress, and stop or write a
 * checkpoint if it is time. */
static enum sw_status check_batch(struct batch *b)
{
    SW_TRY(sw_device_wait(b->w->device));
    double now = sw_clock();
    adapt_chunk(b, now);
    SW_TRY(writer_status(b->w->writer));
    SW_TRY(batch_find_failures(b));
    report_progress(b);
    if (is_over(b)) return SW_OK;
    if (scheduler_must_stop(b->w->scheduler, now)) return batch_stop(b);
    if (must_keep(b, now)) {
        SW_TRY(writer_wait(b->w->writer));  /* at most one checkpoint is being written */
        SW_TRY(batch_checkpoint(b));
        SW_TRY(begin_part(b));
        b->part_begun = b->checked = sw_clock();
        b->stall = b->checked - now;
    }
    return SW_OK;
}

static enum sw_status advance_batch(struct batch *b)
{
    struct sw_sim *sim = b->w->sim;
    SW_TRY(write_outputs(b));
    scheduler_note_first_step(b->w->scheduler);
    while (b->step < b->group->steps) {
        const int64_t from = b->step;
        int64_t to = next_output(b), limit = b->step + b->w->chunk - b->queued;
        if (to > limit && !batch_stops_all(b)) to = limit;
        SW_TRY(b->group->cut ? advance_cut(b, &to) : sim->ops->advance(sim, b->step, to));
        b->queued += to - b->step;
        b->step = to;
        const enum sw_status st = write_outputs(b);
        if (st == SW_E_COMM && b->group->cut) {
            SW_TRY(take_back(b, from));
            continue;
        }
        SW_TRY(st);
        SW_TRY(batch_look(b));
        const bool check = b->queued >= b->w->chunk || b->group->cut || b->step == b->group->steps;
        if (check && !b->behind) SW_TRY(check_batch(b));
    }
    return SW_OK;
}

enum sw_status batch_run(struct worker *w, int64_t number, const struct sw_plan_batch *plan)
{
    double now = sw_clock();
    struct batch b = {
        .w = w, .plan = plan, .group = &w->scheduler->plan->group[plan->group], .number = number, .part_begun = now,
        .checked = now};
    enum sw_status st = begin_batch(&b);
    b.checked = sw_clock();
    if (!st) st = advance_batch(&b);
    if (!st) st = batch_end(&b);
    batch_accuracy_end(&b);
    if (st == SW_E_STOPPED) writer_abandon(w->writer);  /* the part that was begun, unless a checkpoint ended it */
    sw_free(b.column);
    sw_free(b.load_error);
    sw_free(b.failed_step);
    sw_free(b.failed_now);
    sw_free(b.place);
    for (int j = 0; j < plan->count && b.said; j++) sw_free(b.said[j]);
    sw_free(b.said);
    sw_free(b.diagnostics);
    sw_free(b.before);
    batch_scalars_end(&b);
    batch_stops_end(&b);
    return st;
}
