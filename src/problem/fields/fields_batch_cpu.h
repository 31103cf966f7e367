#ifndef FIELDS_BATCH_CPU_H
#define FIELDS_BATCH_CPU_H
/* What the rows on the CPU that step fields have in common: the states of a batch, initial values, scalars, snapshots;
 * what is constant in the equations of a run, and why it cannot be advanced; how a run is taken to the end of a call. A
 * row's own data begin with a struct fields_batch. It gives the walks of its threads (w_run.h), of which a run has one
 * while it is advanced or measured, and has the operations below in its struct fields_row_ops. */
#include "problem/fields/fields_drive.h"
#include "problem/fields/fields_sim_impl.h"
#include "problem/fields/scalars.h"
#include "problem/fields/w_run.h"
#include "problem/line/stepper/host_states.h"

struct fields_batch_worker {                            /* of a thread                                        */
    struct fields_walk      *walk;                      /* the row's                                          */
    struct fields_stiffness  constant[SW_UNKNOWNS_MOST];  /* of the run begun; 0 where it varies              */
    struct sw_evaluator     *initial;                   /* [SW_UNKNOWNS_MOST] */
    struct fields_measure   *measure;
};

struct fields_batch {
    struct sw_host_states       states;
    int                         workers;  /* threads that may have a run each: set before fields_batch_create() */
    int                         walkers;  /* of these, those that advance runs side by side                     */
    struct fields_batch_worker *worker;   /* [workers]                                                          */
    double                     *drive;    /* [capacity][windows][unknowns]: fields_drive.h                      */
};

/** @return SW_E_MEMORY; it is then to be destroyed, too */
enum sw_status fields_batch_create(struct fields_sim *sim);
void           fields_batch_destroy(struct fields_sim *sim);

/** Memory of a batch for so many threads. */
void fields_batch_bytes(const struct fields_desc *desc, int threads, size_t *fixed, size_t *per_run);

/** What the walls of fields are, for a room of the row's own. @param reach  out: how far any differences ask beyond
 * ends */
struct fields_walls_desc fields_walls_desc_of(const struct fields_desc *desc, int64_t reach[SW_DIMS]);

/** Set what of a walk the shape, the equations, the walls, the method and how it solves decide: all but ops, own, work
 * and the solver; fields are [unknowns][z][y][x]. @param walk  its solves set, or NULL */
void fields_set_walk(const struct fields_desc *desc, struct fields_walk *walk);

/* A coefficient that is not the same at all points, of which the largest value over the field counts. */
struct fields_varying { const struct sw_program *program; int unknown, axis; bool fourth; };
enum { FIELDS_VARYING_MOST = 2 * SW_UNKNOWNS_MOST * SW_DIMS };

/** Those that the matrices of a walk need. @param varying  out: [FIELDS_VARYING_MOST] @return how many */
int fields_varying_of(const struct fields_desc *desc, struct fields_varying *varying);

/** Put the largest value of one into its place: P is made anew only where this changes by more than 2^(1/8). */
void fields_set_varying(const struct fields_varying *varying, double most, struct fields_stiffness *stiffness);

/** The coefficients of run j that are its numbers; the others are 0. @param constant  out: [unknowns] */
void fields_set_constants(const struct fields_sim *sim, int j, struct fields_stiffness *constant);

/** Why a run with these coefficients cannot be advanced, a static text; NULL: it can. @param walk  on its grid */
const char *fields_fault_of(const struct fields_sim *sim, const struct fields_walk *walk, int j,
                            const struct fields_stiffness *constant);

/** What bounds the steps of a run with steps of its own, which has such coefficients. */
struct sw_own_limits fields_limits_of(const struct fields_sim *sim, const struct fields_walk *walk, int j,
                                      const struct fields_stiffness *constant);

/* Operations of a struct fields_row_ops: load() after fields_sim.c has looked at grids and steps. */
enum sw_status fields_batch_load(struct fields_sim *sim, const char **load_error);
enum sw_status fields_batch_advance(struct fields_sim *sim, int64_t from, int64_t to);
enum sw_status fields_batch_look_ahead(struct fields_sim *sim, double *change);
extern const struct sw_sim_ops fields_batch_operations;
#endif
