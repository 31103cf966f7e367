#ifndef EXECUTE_IMPL_H
#define EXECUTE_IMPL_H
/* How a plan is carried out: execute.c takes batch after batch, batch.c advances one, writer.c is the thread that
 * writes. */
#include "execute/sw_execute.h"

/* ---- the writer: one thread, the only one in sw_results while it lives. Jobs are done in the order given; after a
 * failure the rest are dropped, and every call returns that failure. */
struct writer;
enum sw_status writer_create(const char *file, struct writer **writer);
void writer_destroy(struct writer **writer);          /* a part that is not finished is abandoned */
/** Begin a part. What desc and provenance point to must live until its end. */
enum sw_status writer_begin(struct writer *w, const struct sw_part_desc *desc, const struct sw_provenance *provenance);
/** A slot for the next capture, when one is free. */
enum sw_status writer_slot(struct writer *w, int *slot);
/** Write what was captured in the slot, then free it. */
enum sw_status writer_capture(struct writer *w, struct sw_sim *sim, int slot, int what);
/** End the part (sw_part_finish). result and state are the writer's from now on, also on failure. */
enum sw_status writer_finish(struct writer *w, struct sw_run_result *result, double *state, size_t state_size,
                             int64_t step);
/** Drop the part. */
enum sw_status writer_abandon(struct writer *w);
enum sw_status writer_wait_slots(struct writer *w);   /* until all captures are written */
enum sw_status writer_wait(struct writer *w);         /* until all is done              */
enum sw_status writer_status(struct writer *w);

/* ---- one execution */
struct execution {
    struct sw_sweep *sweep;
    struct sw_plan  *plan;
    struct sw_device *device;
    const struct sw_execute_options *options;
    struct sw_execute_summary *summary;
    struct writer   *writer;
    struct sw_sim   *sim;               /* of group, for at most capacity runs      */
    struct sw_setup  setup;
    int              group, capacity;
    struct sw_provenance provenance;    /* with the sim's solver                    */
    char             solver[64];
    struct sw_progress progress;
    double           started;
    int64_t          chunk;             /* steps that take about 0.1 s              */
    int64_t          failures;          /* so far                                   */
    size_t           failure_at;        /* where the last entry of the summary's text begins, */
    char             failure_text[100]; /* and its message                          */
    bool             failed_now;        /* a run went bad in this call              */
};

/** Advance one batch to its end, or to a clean stop (SW_E_STOPPED, its checkpoint handed to the writer).
 * x->sim fits it. */
enum sw_status batch_run(struct execution *x, int64_t number, const struct sw_plan_batch *batch);

/** Whether to stop now: a signal, the time limit, or a failure with fail_fast. */
bool execution_must_stop(struct execution *x, double now);

/** A run that ended badly: into the summary, and to the event callback. */
void execution_failure(struct execution *x, int64_t number, int64_t run, const char *message);

/** Error norms at the last step against the config's `exact` (docs/numerics.md, "What is reported"):
 * with d = u - exact, sqrt(mean d²), max |d|, |d|₂/|exact|₂.
 * @param column  [setup->ncolumn][count]
 * @param u       [count][points] the last states
 * @param result  [count]; runs that are not done are left alone */
enum sw_status norms_measure(const struct sw_setup *setup, int threads, int count, const double *column,
                             const double *u, int64_t steps, struct sw_run_result *result);
#endif
