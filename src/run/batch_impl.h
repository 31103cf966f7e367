#ifndef BATCH_IMPL_H
#define BATCH_IMPL_H
/* A batch in flight. batch.c begins and advances it; batch_results.c ends it; batch_initial.c gives it its first state;
 * batch_checkpoint.c stores its state and restores it; batch_stops.c ends runs early; batch_scalars.c forms the user's
 * scalars; batch_accuracy.c computes some runs again; batch_failures.c notices runs that fail. */
#include "field/reduce.h"
#include "run/run_impl.h"

struct batch {
    struct worker *w;
    const struct sw_plan_batch *plan;
    const struct sw_group *group;
    int64_t  number, step;
    int      field, scalar;    /* the next outputs                                                 */
    double  *column;           /* [ncolumn][count]                                                 */
    const char **load_error;   /* [count] why a run could not begin; NULL: it could                */
    int64_t *failed_step;      /* [count] step after which it was not finite; -1: finite so far    */
    int64_t *failed_now;       /* [count] the same, as the sim reports it now                      */
    struct failure_place { bool known; struct sw_failure_place at; } *place;  /* [count] where it failed */
    char   **said;             /* [count] why a run failed, as it was reported; NULL: not yet      */
    double  *diagnostics;      /* [count][batch_diagnostics()] as last read; NULL: the sim has none */
    struct batch_scalars *scalars;  /* of the user's own; NULL: there are none                      */
    struct batch_stops *stops; /* NULL: no run ends early                                          */
    struct again *again;       /* runs that are computed again, with half the step; NULL: none     */
    int64_t *infinite;         /* [count] numbers saved as infinite: the writer's; NULL: in double  */
    double  *before;           /* [state_size] of a cut run: the state before its last steps       */
    int64_t  points;           /* of a cut run: of its field, that are written                     */
    bool     behind;           /* and the last steps have not made them again                      */
    double   part_begun;       /* clock when the part began                                        */
    int64_t  kept;             /* the step of the last checkpoint; 0: none                         */
    double   stall;            /* seconds that it held up the steps                                */
    int64_t  queued;           /* steps since the last check (batch.c)                             */
    double   checked;          /* clock then                                                       */
};

/* ---- batch_failures.c */
size_t batch_state_size(const struct batch *b);   /* doubles a run                             */
double batch_dt(const struct batch *b, int j);    /* the time step of run j; 0: it has no time; 1: it has its own */
double batch_time(const struct batch *b, int j, int64_t step);  /* the time of a step, or tick, of run j */
size_t batch_diagnostics(const struct batch *b);  /* numbers a run that the sim records       */
enum sw_status batch_read_diagnostics(struct batch *b);
/** Notice runs that are no longer finite, and report them. */
enum sw_status batch_find_failures(struct batch *b);
/** Why a run failed: a load error, its initial value, what the sim explains, or when it was not finite. */
void batch_describe_failure(const struct batch *b, int j, char text[SW_MESSAGE]);
/** What follows from the diagnostics of a run; "" if nothing does. */
void batch_warn_diagnostics(const struct batch *b, int j, char text[160]);
void batch_append_message(char text[SW_MESSAGE], const char *more);  /* after "; " */
/** Name the first point at which a function of run j, "initial" or at the end of the run "exact", is not finite: its
 * value, coordinates and indices.
 * @param what  what to call it  @return false: there is none, or memory is out */
bool batch_describe_bad_point(const struct batch *b, int j, const char *key, const char *what, char text[160]);
/** Tell the scheduler of a run. @param kind  SW_EVENT_FAILURE, SW_EVENT_NOTE */
void batch_report_run(const struct batch *b, enum sw_event_kind kind, int j, const char *message, bool earlier);
void batch_report_failure(struct batch *b, int j);

/* ---- batch_initial.c */
/** Begin with the initial values of the runs: expressions, or fields in a file. */
enum sw_status batch_initial(struct batch *b);

/* ---- batch_checkpoint.c */
size_t batch_stored_size(const struct batch *b);  /* doubles a run in a checkpoint */
/** All that the runs continue from, [count][batch_stored_size()]; the diagnostics have been read.
 * @param stored  out: free with sw_free() */
enum sw_status batch_copy_state(const struct batch *b, double **stored);
/** Continue from the checkpoint of an earlier call. */
enum sw_status batch_restore(struct batch *b);
/** The part so far becomes permanent, with the state that the batch continues from. */
enum sw_status batch_checkpoint(struct batch *b);
/** All that has been computed becomes permanent, and the same command goes on from there.
 * @return SW_E_STOPPED; or why it does not become so */
enum sw_status batch_stop(struct batch *b);
double batch_seconds_per_run(const struct batch *b);  /* spent on this part */
/** Tell the scheduler of the batch. @param kind  SW_EVENT_BATCH, SW_EVENT_CHECKPOINT */
void batch_report(const struct batch *b, enum sw_event_kind kind);

/* ---- batch_stops.c: stop.steady and stop.when. Nothing happens in sweeps without them */
/** The runs are loaded. @return SW_E_MEMORY */
enum sw_status batch_stops_begin(struct batch *b);
/** The sim has the initial values. */
enum sw_status batch_stops_initial(const struct batch *b);
/** The last step is taken: load all runs again, so that the sim knows each. */
enum sw_status batch_stops_finish(const struct batch *b);
void batch_stops_end(struct batch *b);
/** The step of the next look; that at which the batch ends if none comes before. */
int64_t batch_next_look(const struct batch *b);
/** If b->step is that of a look, find the runs that end now. All that is due at the step has been written. */
enum sw_status batch_look(struct batch *b);
/** Whether all runs have ended early: the steps that are left compute nothing. */
bool batch_stops_all(const struct batch *b);
/** Whether run j has ended early. @param step  out, if it has: after which step or tick */
enum sw_run_end batch_stopped(const struct batch *b, int j, int64_t *step);
/** Whether run j has failed because stop.when is NaN, at b->failed_step[j]. */
bool batch_stop_unknown(const struct batch *b, int j);
/** Numbers a run that a checkpoint has of it, the last ones; store them; and go on from them, where the sim has the
 * states. @param stored  [...][width] the checkpoint */
size_t batch_stops_stored(const struct batch *b);
void batch_stops_store(const struct batch *b, int j, double *to);
enum sw_status batch_stops_resume(struct batch *b, const double *stored, size_t width);

/* ---- batch_scalars.c: the scalars of output.scalars.define (docs/numerics.md, "What is reported") */
/** What they need, if there are any; the columns are known. */
enum sw_status batch_scalars_begin(struct batch *b);
/** Their values of the state at b->step. Waits for the steps that are queued.
 * @param value  out: [count][sweep->ndefined]; NULL where there are none. Free with sw_free() */
enum sw_status batch_scalars_form(const struct batch *b, double **value);
void batch_scalars_end(struct batch *b);
/** A reducer of so many expressions for the runs of the batch. */
struct sw_reducer_desc batch_reducer_desc(const struct batch *b, int count,
                                          const struct sw_reduction *const *reduction);

/* ---- batch_accuracy.c: runs that are computed again, with half the step beside the batch (accuracy.runs) */
/** The runs are loaded. */
enum sw_status batch_accuracy_begin(struct batch *b);
/** Wait for what is computed again; fill the columns error_time and error_space of the runs that are done, and the
 * messages of those that half the step changes much. Too little memory leaves them NaN.
 * @return SW_E_STOPPED all is to stop: the estimates are missing, and the runs are to be ended by another call. For a
 *         time limit alone only where this call has computed something else: each call advances */
enum sw_status batch_accuracy(struct batch *b, struct sw_run_result *result);
/** Give up what is under way. */
void batch_accuracy_end(struct batch *b);

/* A field that has decayed to less than this share of its initial value is compared with that share; and by how much of
 * it steps may be off before there is a warning. */
#define SW_DECAYED 1e-3
#define SW_COARSE 0.01

/* ---- batch_last_steps.c */
struct batch_last { double off; char text[128]; };  /* by how much of u the last steps are off; "" or what they make */
/** Look at the last steps of some runs of the batch, from their ends on.
 * @param column  [ncolumn][count]
 * @param end     [count][unknowns][points] their states
 * @param first   [count][unknowns] root mean squares at the beginning
 * @param steps   how many are taken once more, at least 4
 * @param found   [count] zeroed; out
 * @return SW_E_MEMORY; what the sim returns */
enum sw_status batch_last_steps(const struct batch *b, int count, const double *column, const double *end,
                                const double *first, int steps, struct batch_last *found);

/* ---- batch_results.c */
/** The last part becomes permanent, with the results. */
enum sw_status batch_end(struct batch *b);
/** Error norms at the last step against the config's `exact` (docs/numerics.md, "What is reported"):
 * with d = u - exact, sqrt(mean d²), max |d|, |d|₂/|exact|₂.
 * @param column  [setup->ncolumn][count]
 * @param u       [count][points] the last states
 * @param result  [count]; runs that are not done are left alone */
enum sw_status batch_norms_of_states(const struct sw_setup *setup, int threads, int count, const double *column,
                                     const double *u, int64_t steps, struct sw_run_result *result);
#endif
