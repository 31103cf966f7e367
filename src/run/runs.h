#ifndef RUNS_H
#define RUNS_H
/* The runs of a batch, loaded into a sim: what everything that looks at them knows. */
#include "field/reduce.h"
#include "run/sw_plan.h"
#include "sweep/sw_arena.h"

struct runs {
    const struct sw_sweep *sweep;
    const struct sw_group *group;
    const struct sw_plan_batch *plan;
    const struct sw_setup *setup;
    const struct sw_setup *whole;   /* the same of whole grids, where ranks have slabs: what failures are named with */
    struct sw_device *device;
    struct sw_sim *sim;
    int     sharing;        /* ranks that share the memory of the device, where grids are cut            */
    int     count;
    int     unknowns;       /* whose lines are the state; 0: it is something else                */
    size_t  size;           /* numbers of a run's state                                          */
    double *column;         /* [ncolumn][count]                                                  */
    int    *pace;           /* [count] where the group has paces                                 */
    size_t  recorded;       /* numbers that a run records of its way; 0: the sim records nothing         */
    struct sw_arena *arena; /* of all that lives as long as the runs are loaded                         */
    const double *begun;    /* [count][size] where runs of a ladder begin; NULL: with initial values      */
    double *diagnostics;    /* [count][recorded] as last read; NULL: there are none                      */
};

/** Reads the columns. @param setup, device, sim, plan, group  borrowed  @return SW_E_MEMORY */
enum sw_status runs_create(struct runs *runs);
void runs_destroy(struct runs *runs);

double runs_dt(const struct runs *r, int j);  /* the time step of run j; 0: it has no time; 1: it has its own */
/** The step that run j has taken at a step of the batch, or where runs take steps of their own its tick; of a whole
 * run; and the time of such a step or tick. */
int64_t runs_step(const struct runs *r, int j, int64_t of_batch);
int64_t runs_steps(const struct runs *r, int j);
/** Paces of the same runs, with so many times their steps, between other goals. It lives as long as the runs.
 * @param at  out, of paces: 0, for the caller to set  @return SW_E_MEMORY */
enum sw_status runs_other_paces(const struct runs *r, int times, int64_t goals, struct sw_paces *paces);
double runs_time(const struct runs *r, int j, int64_t step);
enum sw_status runs_read_diagnostics(const struct runs *r);
/** What the diagnostics, as last read, say of the steps of run j, where runs take steps of their own. */
bool runs_own_steps(const struct runs *r);
struct sw_steps_taken runs_steps_taken(const struct runs *r, int j);
/** Add what a run's diagnostics give cause to say. @param finite  to its last step */
void runs_warn(const struct runs *r, int j, bool finite, struct sw_text *text);
/** What a reducer of so many expressions for these runs is. */
struct sw_reducer_desc runs_reducer_desc(const struct runs *r, int count, const struct sw_reduction *const *reduction);

/** Add a sentence to the message of a result. */
void result_say(struct sw_run_result *result, const char *sentence);

/** Make a sim for setup->capacity runs, and load these.
 * @param column  [ncolumn][capacity]
 * @param begin   at their initial values; else set_state() or initial() is to follow
 * @param sim     out: NULL on failure  @return what the sim returns; SW_E_MEMORY */
enum sw_status sim_of_runs(const struct sw_setup *setup, struct sw_device *device, const double *column, bool begin,
                           struct sw_sim **sim);
#endif
