/* The state from which a batch continues. A checkpoint holds for each run: its state, or of one that failed where it
 * did so (store_failure()); the step after which it was not finite, or of one that is, -1 less how many of its numbers
 * were saved as infinite; its diagnostics, if the sim keeps some; and what batch_stops.c stores of it. */
#include <math.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "run/batch_impl.h"

size_t batch_stored_size(const struct batch *b)
{
    return batch_state_size(b) + 1 + (b->diagnostics ? batch_diagnostics(b) : 0) + batch_stops_stored(b);
}

/* A failed run has a state of NaN. Where its place is known, the first four numbers tell it: as many points as a
 * stencil has, at least five, are in all states that are lines, and one NaN is left. */
enum { PLACE_NUMBERS = 4 };

static void store_failure(const struct failure_place *place, size_t size, double *state)
{
    const struct sw_failure_place *p = &place->at;
    const double told[PLACE_NUMBERS] = {2 * p->unknown + p->infinite, (double)p->first, (double)p->last,
                                        (double)p->at};
    for (size_t i = 0; i < size; i++) state[i] = NAN;
    if (place->known && size > PLACE_NUMBERS) memcpy(state, told, sizeof told);
}

static struct failure_place restore_failure(const double *state, size_t size)
{
    if (size <= PLACE_NUMBERS || !isfinite(state[0])) return (struct failure_place){0};
    const int of = (int)state[0];
    return (struct failure_place){true, {of % 2 != 0, of / 2, (int64_t)state[1], (int64_t)state[2], (int64_t)state[3]}};
}

enum sw_status batch_copy_state(const struct batch *b, double **stored_state)
{
    const size_t size = batch_state_size(b), stored = batch_stored_size(b), count = (size_t)b->plan->count,
                 recorded = batch_diagnostics(b);
    double *state = NULL, *all = NULL;
    enum sw_status st = b->infinite ? writer_wait_slots(b->w->writer) : SW_OK;
    if (!st) st = sw_alloc(count * size, &state);
    if (!st) st = sw_alloc(count * stored, &all);
    if (!st) st = sw_sim_get_state(b->w->sim, state);
    for (size_t j = 0; j < count && !st; j++) {
        double *to = all + j * stored;
        memcpy(to, state + j * size, size * sizeof *state);
        if (b->failed_step[j] >= 0) store_failure(&b->place[j], size, to);
        to[size] = (double)(b->failed_step[j] >= 0 || !b->infinite ? b->failed_step[j] : -1 - b->infinite[j]);
        if (b->diagnostics) memcpy(to + size + 1, b->diagnostics + recorded * j, recorded * sizeof *to);
        batch_stops_store(b, (int)j, to + stored - batch_stops_stored(b));
    }
    sw_free(state);
    if (st) sw_free(all);
    else *stored_state = all;
    return st;
}

enum sw_status batch_restore(struct batch *b)
{
    const size_t size = batch_state_size(b), stored = batch_stored_size(b), recorded = batch_diagnostics(b);
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
        b->failed_step[j] = from[size] >= 0 ? (int64_t)from[size] : -1;
        if (b->failed_step[j] >= 0) b->place[j] = restore_failure(from, size);
        if (b->infinite && from[size] < -1) b->infinite[j] = -1 - (int64_t)from[size];
        if (b->diagnostics)
            memcpy(b->diagnostics + recorded * (size_t)j, from + size + 1, recorded * sizeof *b->diagnostics);
    }
    b->step = b->kept = b->plan->resume->step;
    b->field = b->plan->resume->fields_done;
    b->scalar = b->plan->resume->scalars_done;
    SW_TRY_TO(out, st, sw_sim_set_state(sim, state));
    if (b->diagnostics) SW_TRY_TO(out, st, sim->ops->set_diagnostics(sim, b->diagnostics));
    st = batch_stops_resume(b, old, stored);
out:
    sw_free(old);
    sw_free(state);
    return st;
}

double batch_seconds_per_run(const struct batch *b) { return (sw_clock() - b->part_begun) / b->plan->count; }

void batch_report(const struct batch *b, enum sw_event_kind kind)
{
    struct sw_event e = {.kind = kind, .batch = b->number, .step = b->step, .count = b->plan->count,
                         .seconds = batch_seconds_per_run(b) * b->plan->count};
    worker_request_event(b->w, &e);
}

enum sw_status batch_checkpoint(struct batch *b)
{
    const size_t count = (size_t)b->plan->count;
    struct sw_run_result *result = NULL;
    double *state = NULL;
    enum sw_status st;
    SW_TRY(batch_find_failures(b));
    SW_TRY(batch_read_diagnostics(b));
    SW_TRY_TO(failed, st, sw_alloc(count, &result));
    SW_TRY_TO(failed, st, batch_copy_state(b, &state));
    for (size_t j = 0; j < count; j++) {
        struct sw_run_row *row = &result[j].row;
        *row = sw_run_row_empty();
        row->steps = b->step;
        row->t_reached = batch_time(b, (int)j, b->step);
        row->time_step = batch_dt(b, (int)j);
        row->wall_time = batch_seconds_per_run(b);
    }
    SW_TRY(writer_finish(b->w->writer, result, state, batch_stored_size(b), b->step));
    b->kept = b->step;
    batch_report(b, SW_EVENT_CHECKPOINT);
    return SW_OK;
failed:
    sw_free(result);
    return st;
}

enum sw_status batch_stop(struct batch *b)
{
    if (b->step > b->kept) SW_TRY(batch_checkpoint(b));
    return SW_FAIL(SW_E_STOPPED, "stopped; run the same command again to continue");
}
