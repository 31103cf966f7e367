#ifndef SW_SIM_H
#define SW_SIM_H
/* One batch being simulated: what the run layer asks of every kind of problem. A kind fills the operations below, and
 * those groups of them that it can: states, records, cuts, residuals. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_status.h"
#include "base/sw_text.h"
#include "field/sw_norms.h"

enum { SW_DIAGNOSTICS = 2 };    /* numbers that a run records of its way, of the kinds that record some */

/* What such a run has come to: steps taken and refused, least and largest dt, the sum of the estimated errors, the time
 * it is at, and dt of the step from there that it could not take, 0 unless it has failed. */
struct sw_steps_taken { int64_t taken, refused; double least, largest, error, t, tried; };

/* How well x solves A x = f: |A x - f|_2/|f|_2; max|A x - f|/(|A| max|x| + max|f|), where |A| is the largest sum of
 * |entries| of a row; and with `exact` max|x - exact|/max|exact|. Of a method that iterates: what it takes the first
 * one for, and its iterations. NaN: not measured. */
struct sw_residuals { double residual, backward, forward, reported; int64_t iterations; };

/* Where on its line a run failed, if that is known: between points first and last the right-hand side of an unknown was
 * not finite, and the unknown largest, of such points, at `at`; or not infinite: the right-hand side was largest at
 * `at`. */
struct sw_failure_place { bool known, infinite; int unknown; int64_t first, last, at; };

/* Iterations of a run that are recorded where its history is asked for (output.history): a longer one is cut off. */
enum { SW_HISTORY_MOST = 1024 };

/* A device of another process that computes steps of a cut run, too. A request and its reply are a few numbers that
 * only the problem knows (struct sw_cut_ops). */
enum { SW_HELP_REQUEST = 8, SW_HELP_REPLY = 48 };
struct sw_remote_helper {
    /** Request a step. Does not wait for the reply, which has to be taken before the next request. */
    void (*request)(struct sw_remote_helper *helper, const double request[SW_HELP_REQUEST]);
    /** Wait for the reply. @return false: the helper has failed, and makes no other step */
    bool (*reply)(struct sw_remote_helper *helper, double reply[SW_HELP_REPLY]);
    /** Piece k of the field that its last step has made, of so many bytes. @return SW_E_COMM it has failed, and makes
     * no other step: snapshot() returns this, and the steps are taken again, from set_state() on */
    enum sw_status (*piece)(struct sw_remote_helper *helper, int k, size_t bytes, void *piece);
};
enum { SW_REMOTE_HELPERS_MOST = 256 };
struct sw_remote_helpers { int count; struct sw_remote_helper *helper[SW_REMOTE_HELPERS_MOST]; };

/* Where the state of a batch lies on a device with memory of its own, in double precision: the number of run j, unknown
 * v and point i is field[j*run + v*unknown + i*point]. */
struct sw_device_state {
    const double    *field;
    size_t           point, unknown, run;  /* unknown may be 0 where there is but one */
    const long long *first_bad;         /* [count] -1: the run is finite so far; else its field says nothing */
};

struct sw_sim { const struct sw_sim_ops *ops; };

/* The operations are those of problem/line/stepper/sw_stepper.h, which documents them, in the terms of any problem. A
 * problem without time has one step. */
struct sw_sim_ops {
    const char *(*solver_name)(const struct sw_sim *sim);                   /* the rows chosen                      */
    enum sw_status (*load)(struct sw_sim *sim, int count, const double *column /* [ncolumn][count] */,
                           const char **load_error /* out [count] */);
    /** A cut run takes 1 + helpers + remote->count steps at once, or fewer. Where a remote helper fails, its step and
     * those behind it are not taken. */
    enum sw_status (*advance)(struct sw_sim *sim, int64_t from, int64_t to);
    enum sw_status (*snapshot)(struct sw_sim *sim, int slot, int what);     /* NULL: fetch() needs none             */
    enum sw_status (*fetch)(struct sw_sim *sim, int slot, const void **field, const double **scalars);
    enum sw_status (*diverged)(struct sw_sim *sim, int64_t *step);
    /** Set a text to what is not finite in run j that diverged() named; NULL: its state. */
    void        (*explain)(const struct sw_sim *sim, int j, struct sw_text *text);
    /** Where run j, which diverged() named at a step behind the first, failed. @return false: not known. NULL: never */
    bool        (*place)(const struct sw_sim *sim, int j, struct sw_failure_place *place);
    /** Norms against `exact` of all runs, or against what the problem itself knows to be exact; NULL: they are taken
     * from get_state(). @param norms  out [count] */
    enum sw_status (*norms)(struct sw_sim *sim, struct sw_norms *norms);
    /** By how much the solves of a step may be off in any run loaded, together and by rounding alone, relative to the
     * largest number of its state. NULL: it is not bounded */
    double      (*rounding)(const struct sw_sim *sim);
    /** Of advancing by so many steps at once; NULL where `sweep bench` does not time the problem's runs. */
    struct sw_cost (*cost)(const struct sw_sim *sim, int64_t steps);
    void        (*destroy)(struct sw_sim *sim);

    /* Each group may be NULL. */
    const struct sw_state_ops    *states;
    const struct sw_record_ops   *records;
    const struct sw_cut_ops      *cuts;
    const struct sw_residual_ops *residuals;
};

/* A batch that goes on from a state: NULL where the one step of a problem without time is its first. Callers use
 * sw_sim_*() below. */
struct sw_state_ops {
    size_t         (*size)(const struct sw_sim *sim);                      /* doubles a run                        */
    enum sw_status (*initial)(struct sw_sim *sim);                         /* NULL: load() has begun the runs      */
    enum sw_status (*set)(struct sw_sim *sim, const double *state);        /* [count][size]                        */
    enum sw_status (*get)(struct sw_sim *sim, double *state);
    /** Begin at step 0 with the field of each run, in place of initial(). NULL: set() does.
     * @param field  [count][unknowns][points] */
    enum sw_status (*begin)(struct sw_sim *sim, const double *field);
    /** Of some runs. NULL: get() of all is. @param which  [count]  @param state  out: [count][size] */
    enum sw_status (*get_some)(struct sw_sim *sim, int count, const int *which, double *state);
    /** The state where kernels that are queued behind the steps can read it, until the next call. NULL: nowhere.
     * @return false: it is not on a device, or not like this */
    bool           (*on_device)(const struct sw_sim *sim, struct sw_device_state *state);
};

/* What a run records of its way beside its state, [count][numbers]: a checkpoint keeps it. initial() and set_state()
 * begin a new one. */
struct sw_record_ops {
    int            numbers;
    enum sw_status (*get)(struct sw_sim *sim, double *record);
    /** NULL: it follows from the state. Call sw_sim_set_record() */
    enum sw_status (*set)(struct sw_sim *sim, const double *record);
    /** What run j's record gives cause to say of it at its end, if anything. @param finite  to its last step
     * @param text  in: empty */
    void           (*warn)(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text);
    /** What a record says of the steps of a run; NULL unless runs take steps of their own. */
    struct sw_steps_taken (*steps_taken)(const struct sw_sim *sim, const double *record);
};

/* A run that is cut (setup->cut). */
struct sw_cut_ops {
    /** After advance(): points first .. first + count - 1 of its field, piece k of what the last steps have made, are
     * what snapshot() and fetch() give next. They follow those of piece k - 1. @param count  out; 0: there is no piece
     * k */
    enum sw_status (*piece)(struct sw_sim *sim, int k, int64_t *first, int64_t *count);
    /** On the side of a remote helper, after load() of the run: take a step for it, and give piece k of the field that
     * it has made.
     * @param piece  out: stays until the next call */
    enum sw_status (*help)(struct sw_sim *sim, const double request[SW_HELP_REQUEST], double reply[SW_HELP_REPLY]);
    enum sw_status (*help_piece)(struct sw_sim *sim, int k, const void **piece);
};

/* How well runs fulfil their equations, of problems that solve some (SW_SOLVES_EQUATIONS). */
struct sw_residual_ops {
    enum sw_status (*get)(struct sw_sim *sim, struct sw_residuals *residual);  /* out [count] */
    /** Where setup->history asks for it: the residual that each run reported after its iterations. NULL unless the
     * problem iterates.
     * @param history  out: [count][1 + setup->history]: [0] = 1, before the first; NaN behind the last, and in runs
     *                 that could not begin */
    enum sw_status (*history)(struct sw_sim *sim, double *history);
};

/* Without states: a state of no numbers, which is there from the beginning. Without snapshot(): one that is always
 * there. */
size_t         sw_sim_state_size(const struct sw_sim *sim);
enum sw_status sw_sim_initial(struct sw_sim *sim);
enum sw_status sw_sim_set_state(struct sw_sim *sim, const double *state);
enum sw_status sw_sim_begin(struct sw_sim *sim, const double *field);
enum sw_status sw_sim_set_record(struct sw_sim *sim, const double *record);
enum sw_status sw_sim_get_state(struct sw_sim *sim, double *state);
/** @param all  runs that are loaded  @return also SW_E_MEMORY */
enum sw_status sw_sim_get_states(struct sw_sim *sim, int all, int count, const int *which, double *state);
enum sw_status sw_sim_snapshot(struct sw_sim *sim, int slot, int what);
#endif
