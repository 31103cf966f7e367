/* Advance one batch from its beginning, or its checkpoint, to its end or to a stop.
 *
 * A checkpoint holds for each run: its state, or of one that failed where it did so (failures_store()); the step after
 * which it was not finite, or of one that is, -1 less how many of its numbers were saved as infinite; its diagnostics,
 * if the sim keeps some; and what early_ends_store() stores of it. */
#include <math.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/sw_snapshot.h"
#include "problem/initial_file.h"
#include "problem/stopping_sim.h"
#include "run/domain.h"
#include "run/results.h"
#include "run/run_impl.h"
#include "run/rungs.h"
#include "run/scalars.h"
#include "store/files/sw_files.h"

struct batch {
    struct worker *w;
    int64_t  number, step;
    int      field, scalar;    /* the next outputs                                                 */
    struct runs runs;
    struct sw_setup whole;     /* of runs                                                          */
    struct sw_setup slab;      /* what this rank stores of them: all where they are not cut        */
    struct failures failures;
    struct early_ends *ends;
    struct scalars *scalars;
    struct accuracy *accuracy;
    const char **why_not;      /* [count] why runs of a ladder cannot begin, NULL: they can        */
    int64_t *infinite;         /* [count] numbers saved as infinite: the writer's; NULL: in double  */
    double  *before;           /* [size] of a cut run: the state before its last steps             */
    int64_t  points;           /* of a cut run: of its field, that are written                     */
    bool     behind;           /* and the last steps have not made them again                      */
    double   part_begun;       /* clock when the part began                                        */
    int64_t  kept;             /* the step of the last checkpoint; 0: none                         */
    double   stall;            /* seconds that it held up the steps                                */
    int64_t  queued;           /* steps since the last check                                       */
    double   checked;          /* clock then                                                       */
    int64_t  full_chunk;       /* the worker's chunk while all runs take steps                     */
};

/* Seconds between two checks, of the clock and of everything but computing. */
static const double chunk_seconds = 0.1;

/* ---- what others are told */

static double seconds_per_run(const struct batch *b) { return (sw_clock() - b->part_begun) / b->runs.count; }

static void report_event(void *batch, const struct sw_event *event)
{
    const struct batch *b = batch;
    struct sw_event e = *event;
    e.batch = b->number;
    if (!worker_follows(b->w)) worker_request_event(b->w, &e);
}

/* @param kind  SW_EVENT_BATCH, SW_EVENT_CHECKPOINT */
static void report_batch(struct batch *b, enum sw_event_kind kind)
{
    const struct runs *r = &b->runs;
    int64_t most = 0;  /* that a run has taken */
    for (int j = 0; j < r->count; j++) most = runs_step(r, j, b->step) > most ? runs_step(r, j, b->step) : most;
    report_event(b, &(struct sw_event){.kind = kind, .step = most, .count = r->count,
                                       .seconds = seconds_per_run(b) * r->count});
}

static bool may_give_up(void *batch)
{
    const struct batch *b = batch;
    const struct sw_checkpoint *resume = b->runs.plan->resume;
    const bool stepped = !resume || b->step > resume->step;
    return scheduler_may_give_up(b->w->scheduler, sw_clock(), b->w->computed || stepped);
}

/* ---- checkpoints */

static bool has_pencils(const struct batch *b) { return b->w->setup.domain.same_planes; }

/* Numbers of a run in the memory of this rank. */
static size_t stored_size(const struct batch *b)
{
    const struct runs *r = &b->runs;
    return r->size + 1 + r->recorded + early_ends_stored(b->ends);
}

/* All that the runs continue from; the diagnostics have been read.
 * @param stored_state  out: [count][stored_size()], free with sw_free() */
static enum sw_status copy_state(const struct batch *b, double **stored_state)
{
    const struct runs *r = &b->runs;
    const struct failures *f = &b->failures;
    const size_t size = r->size, stored = stored_size(b);
    double *state = NULL, *all = NULL;
    enum sw_status st = b->infinite ? writer_wait_slots(b->w->writer) : SW_OK;
    if (!st) st = sw_alloc((size_t)r->count * size, &state);
    if (!st) st = sw_alloc((size_t)r->count * stored, &all);
    if (!st) st = sw_sim_get_state(r->sim, state);
    for (int j = 0; j < r->count && !st; j++) {
        double *to = all + (size_t)j * stored;
        memcpy(to, state + (size_t)j * size, size * sizeof *state);
        if (f->step[j] >= 0) failures_store(f, j, to);
        to[size] = (double)(f->step[j] >= 0 || !b->infinite ? f->step[j] : -1 - b->infinite[j]);
        if (r->diagnostics)
            memcpy(to + size + 1, r->diagnostics + r->recorded * (size_t)j, r->recorded * sizeof *to);
        early_ends_store(b->ends, j, to + stored - early_ends_stored(b->ends));
    }
    sw_free(state);
    if (st) sw_free(all);
    else *stored_state = all;
    return st;
}

/* What is stored of a run: of pencils the slab of this rank. Of a state that is no field, all is one point. */
static struct sw_state_shape shape_of_state(const struct batch *b)
{
    const struct runs *r = &b->runs;
    const int64_t *n = b->slab.n;
    const int axis = sw_cut_axis(r->sweep->problem->shape->columns, r->group->n);
    struct sw_state_shape s = {.fields = 1, .across = r->size, .count = 1, .whole = 1,
                               .more = stored_size(b) - r->size};
    if (!b->w->comm && r->plan->resume->nparts == 1) return s;
    s.across = (size_t)(sw_points(n) / n[axis]);
    s.count = n[axis];
    s.whole = r->group->n[axis];
    s.first = b->w->comm ? b->slab.domain.first[axis] : 0;
    s.fields = r->size / (size_t)sw_points(r->setup->n);
    s.behind = s.fields * early_ends_stored_states(b->ends);
    s.more -= r->size * early_ends_stored_states(b->ends);
    return s;
}

static size_t numbers_of(const struct sw_state_shape *s)
{
    return (s->fields + s->behind) * s->across * (size_t)s->count + s->more;
}

/* Numbers of a run in a part. */
static size_t size_in_part(const struct batch *b)
{
    if (!has_pencils(b)) return stored_size(b);
    const struct sw_state_shape s = shape_of_state(b);
    return numbers_of(&s);
}

/* Copy the fields of a run, [fields] before and [behind] after `more` numbers, from one place to another, or those
 * numbers. */
static void copy_fields(const struct sw_state_shape *s, size_t points, const double *run, double *fields)
{
    memcpy(fields, run, s->fields * points * sizeof *run);
    memcpy(fields + s->fields * points, run + s->fields * points + s->more, s->behind * points * sizeof *run);
}
static void place_fields(const struct sw_state_shape *s, size_t points, const double *fields, const double *more,
                         double *run)
{
    memcpy(run, fields, s->fields * points * sizeof *run);
    memcpy(run + s->fields * points, more, s->more * sizeof *run);
    memcpy(run + s->fields * points + s->more, fields + s->fields * points, s->behind * points * sizeof *run);
}

/* The states of some runs, which ranks have in pencils, as they are stored, in slabs; or back.
 * @param state  in and out: [count][stored_size()] or [count][size_in_part()]; another array, free with sw_free() */
static enum sw_status exchange_states(const struct batch *b, size_t count, bool to_slabs, double **state)
{
    const struct sw_state_shape s = shape_of_state(b);
    const size_t slab = s.across * (size_t)s.count, pencil = (size_t)sw_points(b->runs.setup->n),
                 from = to_slabs ? pencil : slab, to = to_slabs ? slab : pencil, fields = s.fields + s.behind,
                 width = fields * from + s.more, new_width = fields * to + s.more;
    double *sent = NULL, *received = NULL, *new_state = NULL;
    enum sw_status st = sw_alloc(count * fields * from, &sent);
    if (!st) st = sw_alloc(count * fields * to, &received);
    if (!st) st = sw_alloc(count * new_width, &new_state);
    SW_TRY_TO(done, st, sw_comm_agree(b->w->comm, st));
    for (size_t j = 0; j < count; j++) copy_fields(&s, from, *state + j * width, sent + j * fields * from);
    SW_TRY_TO(done, st, (to_slabs ? domain_to_slab : domain_from_slab)(b->runs.setup, count * fields, sizeof(double),
                                                                      sent, received));
    for (size_t j = 0; j < count; j++)
        place_fields(&s, to, received + j * fields * to, *state + j * width + s.fields * from,
                     new_state + j * new_width);
done:
    sw_free(sent);
    sw_free(received);
    if (st) sw_free(new_state);
    else {
        sw_free(*state);
        *state = new_state;
    }
    return st;
}

/* All that the runs continue from, as a part holds it. @param state  out: [count][size_in_part()] */
static enum sw_status copy_state_for_part(const struct batch *b, double **state)
{
    enum sw_status st = copy_state(b, state);
    if (has_pencils(b)) st = sw_comm_agree(b->w->comm, st);
    if (!st && has_pencils(b)) st = exchange_states(b, (size_t)b->runs.count, true, state);
    return st;
}

/* Continue from the checkpoint of an earlier call. */
static enum sw_status restore(struct batch *b)
{
    const struct runs *r = &b->runs;
    const struct sw_checkpoint *resume = r->plan->resume;
    const size_t size = r->size, stored = stored_size(b);
    const struct sw_state_shape shape = shape_of_state(b);
    double *old = NULL, *state = NULL;
    enum sw_status st;
    SW_TRY(writer_wait(b->w->writer));  /* only the writer thread uses the output until then */
    SW_TRY_TO(out, st, sw_alloc((size_t)resume->count * size_in_part(b), &old));
    SW_TRY_TO(out, st, sw_alloc((size_t)r->count * size, &state));
    SW_TRY_TO(out, st, sw_checkpoint_read(resume, &shape, old));
    if (has_pencils(b)) SW_TRY_TO(out, st, exchange_states(b, (size_t)resume->count, false, &old));
    for (int j = 0; j < r->count; j++) {
        const double *from = old + (size_t)r->plan->row[j] * stored;
        memcpy(state + (size_t)j * size, from, size * sizeof *state);
        if (from[size] >= 0) failures_restore(&b->failures, j, (int64_t)from[size], from);
        if (b->infinite && from[size] < -1) b->infinite[j] = -1 - (int64_t)from[size];
        if (r->diagnostics)
            memcpy(r->diagnostics + r->recorded * (size_t)j, from + size + 1, r->recorded * sizeof *from);
    }
    b->step = b->kept = resume->step;
    b->field = resume->fields_done;
    b->scalar = resume->scalars_done;
    SW_TRY_TO(out, st, sw_sim_set_state(r->sim, state));
    if (r->diagnostics) SW_TRY_TO(out, st, sw_sim_set_record(r->sim, r->diagnostics));
    st = early_ends_resume(b->ends, b->step, old, stored);
out:
    sw_free(old);
    sw_free(state);
    return st;
}

/* The part so far becomes permanent, with the state that the batch continues from. */
static enum sw_status write_checkpoint(struct batch *b)
{
    const struct runs *r = &b->runs;
    struct sw_run_result *result = NULL;
    double *state = NULL;
    enum sw_status st;
    SW_TRY(failures_find(&b->failures));
    SW_TRY(runs_read_diagnostics(r));
    SW_TRY_TO(failed, st, sw_alloc((size_t)r->count, &result));
    SW_TRY_TO(failed, st, copy_state_for_part(b, &state));
    for (int j = 0; j < r->count; j++) {
        struct sw_run_row *row = &result[j].row;
        *row = sw_run_row_empty();
        row->steps = runs_step(r, j, b->step);
        row->t_reached = runs_time(r, j, row->steps);
        row->time_step = runs_dt(r, j);
        row->wall_time = seconds_per_run(b);
    }
    SW_TRY(writer_finish(b->w->writer, result, &(struct sw_part_state){state, size_in_part(b), b->step, false}));
    b->kept = b->step;
    report_batch(b, SW_EVENT_CHECKPOINT);
    return SW_OK;
failed:
    sw_free(result);
    return st;
}

/* All that has been computed becomes permanent, and the same command goes on from there.
 * @return SW_E_STOPPED; or why it does not become so */
static enum sw_status stop_batch(struct batch *b)
{
    if (b->step > b->kept) SW_TRY(write_checkpoint(b));
    return SW_FAIL(SW_E_STOPPED, "stopped; run the same command again to continue");
}

/* ---- begin */

/* Whether it is the last of the ranks that compute the batch: its part has the results. */
static bool is_last_rank(const struct batch *b) { return !b->w->comm || b->w->comm->rank == b->w->comm->size - 1; }

/* Without fields and checkpoints there is one part, of the results. */
static bool has_slab(const struct batch *b)
{
    return b->w->comm && (b->runs.group->nfield || b->runs.sweep->problem->time);
}
static bool writes(const struct batch *b) { return is_last_rank(b) || has_slab(b); }

static struct sw_part_slab slab_of(const struct batch *b)
{
    const struct sw_comm *comm = b->w->comm;
    if (!has_slab(b)) return (struct sw_part_slab){0};
    const struct sw_state_shape state = shape_of_state(b);
    return (struct sw_part_slab){comm->rank, comm->size, state.first, state.count, (int64_t)state.fields,
                                 (int64_t)state.behind};
}

/* The parts of a batch follow one another in the order of ranks, behind those of the batch before. Each of all ranks of
 * the job has numbers of its own. Collective. */
static enum sw_status number_part(struct batch *b, struct sw_part_desc *desc)
{
    struct worker *w = b->w;
    const struct sw_scheduler *s = w->scheduler;
    desc->turn = s->options->ranks ? s->options->rank : w->number;
    desc->of = s->options->ranks ? s->options->ranks : s->workers;
    if (!w->next_part) {
        double last;
        SW_TRY(sw_files_last_part(s->options->file, &w->next_part));
        last = (double)w->next_part;
        SW_TRY(sw_comm_max(w->comm, 1, &last));
        w->next_part = ((long)last / desc->of + 1) * desc->of;
    }
    desc->least = w->next_part + desc->turn;
    w->next_part += desc->of;
    return SW_OK;
}

static enum sw_status begin_part(struct batch *b)
{
    const struct sw_run_sweep_options *o = b->w->scheduler->options;
    if (!writes(b)) return SW_OK;
    struct sw_part_desc desc = {.sweep = b->runs.sweep,
                                .group = b->runs.group,
                                .run = b->runs.plan->run,
                                .id = b->runs.plan->id,
                                .count = b->runs.count,
                                .field_first = b->field,
                                .scalar_first = b->scalar,
                                .infinite = b->infinite,
                                .slab = slab_of(b),
                                .turn = o->rank,
                                .of = o->ranks,
                                .alone = b->kept > 0 || b->w->comm};
    if (desc.slab.ranks) SW_TRY(number_part(b, &desc));
    return writer_begin(b->w->writer, &desc, &b->w->provenance);
}

/* Where the grid is cut: a field in a file is finite if it is on all ranks. @param st  of this rank  @return of all */
static enum sw_status agree_on_initial(const struct batch *b, enum sw_status st, bool *finite)
{
    const struct runs *r = &b->runs;
    double *bad;
    if (!b->w->comm || !sw_initial_in_file(r->setup)) return st;
    SW_TRY(sw_comm_agree(b->w->comm, st));
    SW_TRY(sw_alloc((size_t)r->count, &bad));
    for (int j = 0; j < r->count; j++) bad[j] = !finite[j];
    st = sw_comm_max(b->w->comm, (size_t)r->count, bad);
    for (int j = 0; j < r->count && !st; j++) finite[j] = bad[j] == 0;
    sw_free(bad);
    return st;
}

/* On a ladder: find the ends from which the runs start. A run whose rung below has failed cannot begin. */
static enum sw_status find_ends(struct batch *b)
{
    struct runs *r = &b->runs;
    double *field;
    SW_TRY(sw_arena_take(r->arena, (size_t)r->count, &b->why_not));
    SW_TRY(rungs_start(b->w->scheduler->plan->rungs, r, &field, b->why_not));
    r->begun = field;
    for (int j = 0; j < r->count; j++)
        if (b->why_not[j]) b->failures.load_error[j] = b->why_not[j];
    return SW_OK;
}

/* Begin with the initial values. A run whose field in a file is not finite has failed before its first step. */
static enum sw_status begin_runs(struct batch *b)
{
    const struct runs *r = &b->runs;
    struct failures *f = &b->failures;
    bool *finite;
    SW_TRY(sw_alloc((size_t)r->count, &finite));
    for (int j = 0; j < r->count; j++) finite[j] = true;
    enum sw_status st = r->begun ? sw_sim_begin(r->sim, r->begun)
                                 : sw_initial_begin(r->sim, r->setup, r->device->threads, r->count, r->column, finite);
    if (!r->begun) st = agree_on_initial(b, st, finite);
    for (int j = 0; j < r->count && !st; j++)
        if (!finite[j] && !f->load_error[j]) failures_add(f, j, 0, false);
    sw_free(finite);
    if (!st) st = early_ends_initial(b->ends);
    for (int j = 0; j < r->count && !st; j++)
        if (f->load_error[j]) failures_add(f, j, -1, false);
    return st;
}

static enum sw_status begin_batch(struct batch *b)
{
    struct worker *w = b->w;
    struct runs *r = &b->runs;
    SW_TRY(runs_create(r));
    SW_TRY(failures_create(&b->failures, r, report_event, b));
    if (r->group->cut) SW_TRY(sw_arena_take(r->arena, r->size, &b->before));
    SW_TRY(scalars_create(r, &b->scalars));
    SW_TRY(writer_wait_slots(w->writer));  /* the snapshots of the batch before are in the sim */
    if (r->sweep->single_fields && r->group->nfield)
        SW_TRY(writer_count_infinite(w->writer, (size_t)r->count, &b->infinite));
    SW_TRY(r->sim->ops->load(r->sim, r->count, r->column, b->failures.load_error));
    SW_TRY(find_ends(b));
    SW_TRY(early_ends_create(r, &b->failures, w->writer, &b->ends));
    if (r->plan->resume) SW_TRY(restore(b));
    else SW_TRY(begin_runs(b));
    SW_TRY(accuracy_create(r, &w->scheduler->sample, may_give_up, b, &b->accuracy));
    return begin_part(b);
}

/* ---- outputs */

static int64_t next_output(const struct batch *b)
{
    const struct sw_group *g = b->runs.group;
    const int64_t look = early_ends_next(b->ends, b->step);
    int64_t next = g->steps;
    if (b->field < g->nfield && g->field_step[b->field] < next) next = g->field_step[b->field];
    if (b->scalar < g->nscalar && g->scalar_step[b->scalar] < next) next = g->scalar_step[b->scalar];
    return look < next ? look : next;
}

static int outputs_due(const struct batch *b)
{
    const struct sw_group *g = b->runs.group;
    int what = 0;
    if (b->field < g->nfield && g->field_step[b->field] == b->step) what |= SW_SNAPSHOT_FIELD;
    if (b->scalar < g->nscalar && g->scalar_step[b->scalar] == b->step) what |= SW_SNAPSHOT_SCALARS;
    return what;
}

/* Outputs at times that have no step are entries of NaN, written as soon as they are next. */
static enum sw_status write_blanks(struct batch *b)
{
    for (; b->field < b->runs.group->nfield && b->runs.group->field_step[b->field] < 0; b->field++)
        SW_TRY(writer_blank(b->w->writer, SW_SNAPSHOT_FIELD));
    for (; b->scalar < b->runs.group->nscalar && b->runs.group->scalar_step[b->scalar] < 0; b->scalar++)
        SW_TRY(writer_blank(b->w->writer, SW_SNAPSHOT_SCALARS));
    return SW_OK;
}

/* A piece of the field of a run that is cut. The last one ends the output. */
static enum sw_status write_piece(struct batch *b, int64_t first, int64_t count)
{
    struct sw_sim *sim = b->runs.sim;
    int slot;
    SW_TRY(writer_slot(b->w->writer, &slot));
    const enum sw_status st = sw_sim_snapshot(sim, slot, SW_SNAPSHOT_FIELD);
    if (st) writer_return_slot(b->w->writer, slot);
    SW_TRY(st);
    SW_TRY(writer_piece(b->w->writer, sim, slot, first, count));
    b->points = first + count;
    b->field += b->points == b->runs.group->n[0];
    return SW_OK;
}

/* All that the last steps have made, but for what is written already. */
static enum sw_status write_pieces(struct batch *b)
{
    int64_t first, count, end = b->points;
    for (int k = 0; b->runs.group->nfield; k++) {
        SW_TRY(b->runs.sim->ops->cuts->piece(b->runs.sim, k, &first, &count));
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
    const int64_t middle = b->runs.group->steps / 2, end = b->step < middle ? middle : b->runs.group->steps,
                  to = b->step + at_once(b);
    return to < end ? to : end;
}

/* Devices of other processes come when they have nothing else to do, and may fail. Wherever a run's steps are taken, it
 * has the same bits. */
static enum sw_status advance_cut(struct batch *b, int64_t *to)
{
    const int here = 1 + b->w->setup.helpers;
    struct sw_sim *sim = b->runs.sim;
    if (accept_helpers(b->w, b->number)) {
        report_event(b, &(struct sw_event){.kind = SW_EVENT_DEVICES, .step = b->step, .count = at_once(b)});
    }
    *to = next_cut(b);
    if (b->w->remote.count && b->step >= b->runs.group->steps / 2) SW_TRY(sw_sim_get_state(sim, b->before));
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
    return sw_sim_set_state(b->runs.sim, b->before);
}

/* Of a snapshot, about; 0: on a device. */
static size_t host_bytes(const struct batch *b, int what)
{
    const size_t scalars = 16, values = what & SW_SNAPSHOT_FIELD ? b->runs.size + scalars : scalars;
    return b->w->device->space == SW_HOST ? (size_t)b->runs.count * values * sizeof(double) : 0;
}

/* Of pencils: the slab that this rank stores of the field in a slot, free with sw_free(). NULL: the part holds the
 * field as it is. */
static enum sw_status form_slab(const struct batch *b, int slot, void **slab)
{
    const struct runs *r = &b->runs;
    const size_t element = r->sweep->single_fields ? sizeof(float) : sizeof(double),
                 fields = (size_t)r->count * (size_t)sw_quantity_count(sw_sweep_fields(r->sweep, r->group));
    const void *field = NULL;
    const double *scalars;
    double *room = NULL;
    *slab = NULL;
    if (!has_pencils(b)) return SW_OK;
    enum sw_status st = r->sim->ops->fetch(r->sim, slot, &field, &scalars);
    if (!st) st = sw_alloc(fields * (size_t)sw_points(b->slab.n), &room);
    st = sw_comm_agree(b->w->comm, st);
    if (!st) st = domain_to_slab(r->setup, fields, element, field, room);
    if (st) sw_free(room);
    else *slab = room;
    return st;
}

static enum sw_status write_outputs(struct batch *b)
{
    struct sw_sim *sim = b->runs.sim;
    if (b->runs.group->cut) return write_pieces(b);
    SW_TRY(write_blanks(b));
    for (int what; (what = outputs_due(b));) {
        double *defined = NULL;
        void *slab = NULL;
        int slot;
        SW_TRY(writer_slot(b->w->writer, &slot));
        SW_TRY(sw_sim_snapshot(sim, slot, what));
        if (what & SW_SNAPSHOT_SCALARS) SW_TRY(scalars_form(b->scalars, b->ends, b->step, &defined));
        const enum sw_status st = what & SW_SNAPSHOT_FIELD ? form_slab(b, slot, &slab) : SW_OK;
        if (st) sw_free(defined);
        SW_TRY(st);
        SW_TRY(writer_snapshot(b->w->writer, sim, slot, what, slab, defined, host_bytes(b, what)));
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
    double took = domain_of_first(b->w->comm, now - b->checked),
           wanted = took > 0 ? (double)b->queued * chunk_seconds / took : 4.0 * (double)b->w->chunk;
    double most = 4.0 * (double)b->w->chunk;
    wanted = fmin(fmax(wanted, 1), most);
    b->w->chunk = (int64_t)wanted;
    b->queued = 0;
    b->checked = now;
}

static void report_progress(const struct batch *b)
{
    const struct runs *r = &b->runs;
    const int64_t from = r->plan->resume ? r->plan->resume->step : 0;
    double steps = 0;
    if (worker_follows(b->w)) return;
    for (int j = 0; j < r->count; j++) steps += (double)(runs_step(r, j, b->step) - runs_step(r, j, from));
    worker_request_progress(b->w, sw_group_points(r->group) * steps, runs_time(r, 0, runs_step(r, 0, b->step)),
                            runs_time(r, 0, runs_steps(r, 0)));
}

/* Seconds between checkpoints: 99 of them for each that the last one took, before steps went on and in the writer.
 * States stay on the disk until parts are joined: beyond so many bytes in the longest time there is only one. A
 * checkpoint of a cut run is ten words a slice, and the pieces of its field since the one before: it has them often. */
static double checkpoint_every(const struct batch *b)
{
    const double often = 30, bytes = 32 << 20, given = b->w->scheduler->options->checkpoint_seconds;
    double every = given;
    if (given < 0) {
        const double stored = 8.0 * (double)stored_size(b) * b->runs.count,
                     costs = 99 * (b->stall + writer_finish_seconds(b->w->writer));
        every = fmin(fmax(fmax(costs, often), stored / bytes * -given), -given);
    }
    return b->runs.group->cut ? fmin(every, often) : every;
}

static bool must_keep(const struct batch *b, double now)
{
    return b->w->scheduler->options->checkpoint_seconds != 0 && now - b->part_begun >= checkpoint_every(b);
}

/* A run that is cut and has failed takes no time any more: its other steps compute nothing. It goes on to its end also
 * where all is to stop, so that the cause of its failure is stored; a checkpoint has none. */
static bool is_over(const struct batch *b)
{
    return b->step == b->runs.group->steps || (b->runs.group->cut && b->failures.step[0] >= 0);
}

/* Wait for the queued steps; then check for failures of the writer and of runs, report progress, and stop or write a
 * checkpoint if it is time. */
static enum sw_status check_batch(struct batch *b)
{
    SW_TRY(sw_device_wait(b->w->device));
    double now = sw_clock();
    adapt_chunk(b, now);
    SW_TRY(writer_status(b->w->writer));
    SW_TRY(failures_find(&b->failures));
    report_progress(b);
    if (is_over(b)) return SW_OK;
    if (domain_any(b->w->comm, scheduler_must_stop(b->w->scheduler, now))) return stop_batch(b);
    if (domain_of_first(b->w->comm, must_keep(b, now)) > 0) {
        SW_TRY(writer_wait(b->w->writer));  /* at most one checkpoint is being written */
        SW_TRY(write_checkpoint(b));
        SW_TRY(begin_part(b));
        b->part_begun = b->checked = sw_clock();
        b->stall = b->checked - now;
    }
    return SW_OK;
}

/* How many runs take steps. */
static int running(const struct batch *b)
{
    return b->ends ? sw_stopping_sim_running(b->runs.sim) : b->runs.count;
}

/* Where runs end early, a chunk becomes longer; the next batch begins with all its runs. */
static void note_chunk(struct batch *b)
{
    if (!b->full_chunk && running(b) < b->runs.count) b->full_chunk = b->w->chunk;
}

static enum sw_status advance_batch(struct batch *b)
{
    struct sw_sim *sim = b->runs.sim;
    SW_TRY(write_outputs(b));
    note_chunk(b);
    scheduler_note_first_step(b->w->scheduler);
    while (b->step < b->runs.group->steps) {
        const int64_t from = b->step;
        int64_t to = next_output(b), limit = b->step + b->w->chunk - b->queued;
        if (to > limit && running(b)) to = limit;
        SW_TRY(b->runs.group->cut ? advance_cut(b, &to) : sim->ops->advance(sim, b->step, to));
        b->queued += to - b->step;
        b->step = to;
        const enum sw_status st = write_outputs(b);
        if (st == SW_E_COMM && b->runs.group->cut) {
            SW_TRY(take_back(b, from));
            continue;
        }
        SW_TRY(st);
        SW_TRY(early_ends_look(b->ends, b->step));
        note_chunk(b);
        const bool check = b->queued >= b->w->chunk || b->runs.group->cut || b->step == b->runs.group->steps;
        if (check && !b->behind) SW_TRY(check_batch(b));
    }
    return SW_OK;
}

/* ---- end */

/* Give the histories to the writer, as wide as the longest of them. */
static enum sw_status write_histories(const struct batch *b)
{
    const struct runs *r = &b->runs;
    const size_t count = (size_t)r->count, width = 1 + (size_t)r->setup->history;
    size_t most = 1;
    double *history;
    if (!r->setup->history || !writes(b)) return SW_OK;
    SW_TRY(sw_alloc(count * width, &history));
    const enum sw_status st = r->sim->ops->residuals->history(r->sim, history);
    if (st) { sw_free(history); return st; }
    for (size_t j = 0; j < count; j++)
        for (size_t k = most; k < width; k++)
            if (!isnan(history[j * width + k])) most = k + 1;
    for (size_t j = 1; j < count; j++) memmove(history + j * most, history + j * width, most * sizeof *history);
    return writer_history(b->w->writer, history, (int64_t)most);
}

static void count_and_report(struct batch *b, const struct sw_run_result *result)
{
    const struct failures *f = &b->failures;
    const struct sw_checkpoint *resume = b->runs.plan->resume;
    struct sw_totals *t = &b->w->totals;
    for (int j = 0; j < b->runs.count; j++) {
        const struct sw_run_row *row = &result[j].row;
        t->done += row->status == SW_RUN_DONE;
        t->stopped += row->stopped != SW_RUN_TO_END;
        t->diverged += row->status == SW_RUN_DIVERGED;
        t->failed += row->status == SW_RUN_ERROR;
        const int64_t before = resume ? runs_step(&b->runs, j, resume->step) : 0;
        if (resume && row->status != SW_RUN_DONE && (f->load_error[j] || f->step[j] <= before))
            failures_report(f, SW_EVENT_FAILURE, j, result[j].message, true);
        if (row->status == SW_RUN_DONE && *result[j].message)
            failures_report(f, SW_EVENT_NOTE, j, result[j].message, false);
    }
}

/* The last part becomes permanent, with the results. */
static enum sw_status end_batch(struct batch *b)
{
    const struct runs *r = &b->runs;
    struct worker *w = b->w;
    struct results_of of = {.r = r, .failures = &b->failures, .ends = b->ends, .accuracy = b->accuracy,
                            .infinite = b->infinite};
    struct sw_run_result *result = NULL;
    double *state = NULL;
    enum sw_status st;
    SW_TRY(failures_find(&b->failures));
    SW_TRY(runs_read_diagnostics(r));
    SW_TRY(early_ends_finish(b->ends));
    if (b->infinite) SW_TRY(writer_wait_slots(w->writer));
    SW_TRY(sw_alloc((size_t)r->count, &result));
    of.seconds = seconds_per_run(b);
    SW_TRY_TO(failed, st, results_fill(&of, result, &w->totals.accuracy));
    SW_TRY_TO(failed, st, write_histories(b));
    count_and_report(b, result);
    SW_TRY_TO(failed, st, results_look(r, &w->scheduler->plan->looks, result));  /* stored, and not reported again */
    if (sw_sweep_keeps_states(r->sweep)) SW_TRY_TO(failed, st, copy_state_for_part(b, &state));
    SW_TRY_TO(failed, st, rungs_end(w->scheduler->plan->rungs, b->number, r, state, stored_size(b), result,
                                    b->why_not));
    for (int j = 0; j < r->count && !is_last_rank(b); j++) result[j].row = sw_run_row_empty();
    const struct sw_part_state last = {state, size_in_part(b), r->group->steps, true};
    if (writes(b)) SW_TRY(writer_finish(w->writer, result, &last));
    else sw_free(result);
    report_batch(b, SW_EVENT_BATCH);
    return SW_OK;
failed:
    sw_free(result);
    sw_free(state);
    return st == SW_E_STOPPED ? stop_batch(b) : st;
}

enum sw_status batch_run(struct worker *w, int64_t number, const struct sw_plan_batch *plan)
{
    const struct sw_scheduler *s = w->scheduler;
    const double now = sw_clock();
    struct batch b = {.w = w, .number = number, .part_begun = now, .checked = now,
                      .runs = {.sweep = s->sweep, .group = &s->plan->group[plan->group], .plan = plan,
                               .setup = &w->setup, .device = w->device, .sim = w->sim,
                               .sharing = s->plan->devices_sharing, .count = plan->count}};
    if (w->comm) {
        b.whole = sw_sweep_setup(s->sweep, b.runs.group, plan->count);
        b.whole.slab = &b.slab;
    }
    b.slab = domain_slab(&w->setup);
    b.runs.whole = w->comm ? &b.whole : &w->setup;
    enum sw_status st = begin_batch(&b);
    b.checked = sw_clock();
    if (!st) st = advance_batch(&b);
    if (!st) st = end_batch(&b);
    accuracy_destroy(b.accuracy);
    if (st == SW_E_STOPPED) writer_abandon(w->writer);  /* the part that was begun, unless a checkpoint ended it */
    if (b.full_chunk) w->chunk = b.full_chunk;
    scalars_destroy(b.scalars);
    early_ends_destroy(b.ends);
    runs_destroy(&b.runs);
    return st;
}
