/* The thread of a worker: it computes batch after batch on its device until no work is left. */
#include <assert.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/stopping_sim.h"
#include "run/domain.h"
#include "run/run_impl.h"

/* ---- the simulation: made once for each group, and again when a batch is larger */

static void destroy_sim(struct worker *w)
{
    if (w->sim) w->sim->ops->destroy(w->sim);
    w->sim = NULL;
    domain_comms_free(&w->comms);
}

/* For steps that take long. */
static bool give_up(void *user)
{
    const struct worker *w = user;
    return scheduler_may_give_up(w->scheduler, sw_clock(), w->computed);
}

static enum sw_status prepare_sim(struct worker *w, int group, int count)
{
    const struct sw_sweep *sweep = w->scheduler->sweep;
    if (w->sim && w->group == group && count <= w->capacity) return SW_OK;
    SW_TRY(writer_wait(w->writer));  /* the writer reads the sim's slots, and the provenance */
    if (w->sim && w->comms.same_planes) SW_TRY(sw_comm_barrier(w->on_device));
    destroy_sim(w);
    if (w->group != group) w->chunk = 1;
    w->setup = sw_sweep_setup(sweep, &w->scheduler->plan->group[group], count);
    w->setup.helpers = w->setup.cut ? w->scheduler->plan->team - 1 : 0;
    w->setup.helper = w->helper;
    w->setup.remote = &w->remote;
    w->setup.give_up = give_up;
    w->setup.give_up_user = w;
    const struct domain_shape shape = domain_shape(sweep, w->setup.n, w->comm ? w->comm->size : 1);
    SW_TRY(domain_cut(&shape, w->comm, w->on_device, &w->comms, &w->setup));
    w->group = group;
    w->capacity = count;
    SW_TRY(sweep->problem->create(&w->setup, w->device, &w->sim));
    if (sweep->stops) SW_TRY(sw_stopping_sim_create(&w->setup, sweep->nscalar - sweep->ndefined, &w->sim));
    assert(!w->setup.cut || w->sim->ops->cuts);
    snprintf(w->solver, sizeof w->solver, "%s", w->sim->ops->solver_name(w->sim));
    return SW_OK;
}

static int largest_batch_of_group(const struct sw_plan *plan, int64_t from)
{
    int largest = 0;
    for (int64_t k = from; k < plan->nbatch && plan->batch[k].group == plan->batch[from].group; k++)
        if (plan->batch[k].count > largest) largest = plan->batch[k].count;
    return largest;
}

/* ---- batches */

static enum sw_status run_batch(struct worker *w, const struct sw_plan_batch *batch, int capacity)
{
    enum sw_status st = prepare_sim(w, batch->group, capacity);
    if (w->comm) SW_TRY(st);
    if (st == SW_E_MEMORY && capacity > batch->count) return run_batch(w, batch, batch->count);
    if (st == SW_E_MEMORY && batch->count > 1) {
        /* The device has less memory than it reported, or than the one on which the batch began. Halves of the batch
         * give the same bits. */
        struct sw_plan_batch half = *batch;
        half.count = batch->count / 2;
        SW_TRY(run_batch(w, &half, half.count));
        half.run += half.count;
        half.id += half.count;
        half.row += half.count;
        half.count = batch->count - half.count;
        return run_batch(w, &half, half.count);
    }
    SW_TRY(st);
    return batch_run(w, w->batch, batch);
}

/* How many of the batches that were written are on disk. */
static int64_t count_complete(const struct worker *w)
{
    int64_t count = 0;
    while (count < w->nwritten && writer_reached(w->writer, w->written[count].mark)) count++;
    return count;
}

/* Of ranks the worker that leads completes what all of them have written. */
static void report_complete(struct worker *w)
{
    const int64_t complete = count_complete(w);
    if (worker_follows(w)) w->nwritten -= complete;
    if (worker_follows(w) || !complete) return;
    worker_lock(w);
    w->complete = complete;
    worker_request(w, REQUEST_COMPLETE);
}

/* Wait until the last batch is written: it is complete then, unless it is gathered (gather.h). */
static enum sw_status complete_written_batch(struct worker *w)
{
    if (w->nwritten) SW_TRY(writer_wait_mark(w->writer, w->written[w->nwritten - 1].mark));
    report_complete(w);
    return SW_OK;
}

/* The same, and nothing stays gathered. */
static enum sw_status complete_all(struct worker *w)
{
    if (w->nwritten) SW_TRY(writer_wait(w->writer));
    report_complete(w);
    return SW_OK;
}

/* The batch is computed. */
static enum sw_status note_written(struct worker *w)
{
    const struct written batch = {w->batch, writer_mark(w->writer), worker_follows(w) ? (struct sw_totals){0}
                                                                                      : w->totals};
    enum sw_status st = SW_OK;
    worker_lock(w);
    if (w->nwritten == w->written_room) {
        const int64_t room = 2 * w->written_room + 4;
        st = sw_resize((size_t)w->written_room, (size_t)room, &w->written);
        if (!st) w->written_room = room;
    }
    if (!st) {
        w->written[w->nwritten++] = batch;
        w->batch = -1;
        w->in_flight = 0;
    }
    worker_unlock(w);
    return st;
}

/* The last outputs of a batch are written while the next one is computed. */
static enum sw_status compute_batch(struct worker *w)
{
    const struct sw_plan *plan = w->scheduler->plan;
    const struct sw_plan_batch *b = &plan->batch[w->batch];
    w->totals = (struct sw_totals){.batches = 1, .points_steps = sw_plan_work(plan, b)};
    const enum sw_status st = run_batch(w, b, largest_batch_of_group(plan, w->batch));
    if (!w->comm) help_dismiss(w, w->batch);
    SW_TRY(st);
    w->computed = true;
    SW_TRY(complete_written_batch(w));  /* the batch before */
    return note_written(w);
}

/* ---- steps of the batch of another worker */

static enum sw_status load_run(struct worker *w, const struct sw_plan_batch *b)
{
    const struct sw_sweep *sweep = w->scheduler->sweep;
    const char *load_error;
    double *column = NULL;
    SW_TRY(writer_wait_slots(w->writer));  /* those of our last batch may be in the same sim */
    SW_TRY(sw_alloc((size_t)sweep->ncolumn, &column));
    enum sw_status st = sw_sweep_columns(sweep, b->run, 0, 1, column);
    if (!st) st = w->sim->ops->load(w->sim, 1, column, &load_error);
    sw_free(column);
    return st;
}

/* Our last batch may still be being written when we begin to help. */
static enum sw_status complete_if_written(struct worker *w)
{
    SW_TRY(writer_status(w->writer));
    report_complete(w);
    return SW_OK;
}

static enum sw_status help_other(struct worker *w)
{
    const struct sw_help help = w->help;
    const struct sw_plan_batch *b = &w->scheduler->plan->batch[help.batch];
    enum sw_status st = prepare_sim(w, b->group, 1);
    if (!st) st = load_run(w, b);
    SW_TRY(st);
    worker_lock(w);
    worker_request(w, REQUEST_OFFER);
    return w->offered ? help_serve(w, &help, complete_if_written) : SW_OK;
}

/* ---- */

/* The next batch of this worker, or of all ranks. @return the failure of another of the ranks */
static enum sw_status request_batch(struct worker *w)
{
    double batch[SW_COMM_MOST];
    if (!worker_follows(w)) {
        worker_lock(w);
        worker_request(w, REQUEST_BATCH);
    }
    if (!w->comm) return SW_OK;
    SW_TRY(sw_comm_gather_one(w->comm, (double)w->batch, batch));
    worker_lock(w);
    w->batch = (int64_t)batch[0];
    worker_unlock(w);
    return SW_OK;
}

static enum sw_status compute_batches(struct worker *w)
{
    for (;;) {
        SW_TRY(request_batch(w));
        if (w->batch >= 0) SW_TRY(compute_batch(w));
        else if (w->batch == SW_QUEUE_HELP) SW_TRY(help_other(w));
        else if (w->batch == SW_QUEUE_WAIT) SW_TRY(complete_all(w));
        else return scheduler_must_stop(w->scheduler, sw_clock()) ? SW_E_STOPPED : SW_OK;
    }
}

/* Before the worker exits, what it has computed is written. @param st  why it exits @return the first failure */
static enum sw_status finish_writing(struct worker *w, enum sw_status st)
{
    const bool clean = st == SW_OK || st == SW_E_STOPPED;
    enum sw_status written = clean ? writer_wait_slots(w->writer) : SW_OK;
    if (clean && !written) destroy_sim(w);  /* its memory is free while the end of the part is written */
    struct sw_err_kept kept = {0};
    if (!clean) sw_err_keep(&kept, st);
    written = writer_wait(w->writer);
    sw_err_keep(&kept, written);
    w->complete = count_complete(w);
    w->outcome = st == SW_E_STOPPED && !written ? SW_BATCH_STOPPED : SW_BATCH_RETURNED;
    sw_err_raise(&kept);
    return kept.status ? kept.status : st;
}

void *worker_run(void *argument)
{
    struct worker *w = argument;
    omp_set_num_threads(w->device->threads);  /* of parallel regions of this thread */
    enum sw_status st = sw_device_use(w->device);
    st = sw_comm_agree(w->comm, st);
    if (w->comm && !st) st = sw_comm_on_device(w->comm, w->device, NULL, &w->on_device);
    if (!st) st = writer_create(w->scheduler->options->file, &w->writer);
    if (!st) st = finish_writing(w, compute_batches(w));
    sw_err_keep(&w->failed, st);
    writer_destroy(&w->writer);
    destroy_sim(w);
    sw_comm_destroy(&w->on_device);
    worker_lock(w);
    worker_request(w, REQUEST_EXIT);
    return NULL;
}
