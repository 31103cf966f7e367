#ifndef ADVECTION_IMPL_H
#define ADVECTION_IMPL_H
/* The problem `advection`
 *
 *     u_t + c.grad u = nu lap u + S,      c and S expressions in the coordinates, t and u
 *
 * (docs/explanation/advection.md), as its own files see it: advection.c has its keys, what is refused and warned of,
 * and its row in the problem table; advection_terms.c reads what a config says and compiles the terms of the
 * equation; advection_time_step.c finds the largest velocities and the time step they allow; advection_operators.c
 * makes the difference operators and filters of a batch, advection_sim.c takes its steps, and the work at every
 * point of a stage is done by a row of advection_table.c, one a kind of device: advection_cpu.c, advection_cuda.c. */
#include <math.h>

#include "device/sw_owned.h"
#include "device/sw_device.h"
#include "expr/sw_expr.h"
#include "fd/sw_fd.h"
#include "field/grid.h"
#include "problem/advection/advection_point.h"
#include "problem/advection/advection_wall_point.h"
#include "problem/sw_problem.h"

/* ------------------------------------------------------------------ what a config says (advection_terms.c) */

/* "x", "y", "z"; and the keys along each axis of its points, its velocity and what its ends are. */
extern const char *const advection_axis[SW_DIMS], *const advection_points_key[SW_DIMS],
    *const advection_velocity_key[SW_DIMS], *const advection_boundary_key[SW_DIMS];

/** The names of the Runge-Kutta methods; NULL after the last. */
const char *advection_method_name(int k);

struct advection_discretization {
    const char *first, *second;      /* schemes of the first and the second derivative        */
    const char *boundary[SW_DIMS];   /* along each axis                                       */
    const char *filter;              /* NULL: none                                            */
    const struct rk_method *rk;
};
struct advection_discretization advection_discretization_of(const struct sw_setup *setup);

/** Whether the grid has walls at the ends of an axis. */
bool advection_has_walls(const struct advection_discretization *discretization, int d);

/** The setup of one run: runs of different shape may stand side by side in the columns. @return false: its numbers are
 * out of range, which the keys refuse */
bool advection_setup_of_run(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                            struct sw_setup *one);

/* A kind of wall condition: a row of ADVECTION_WALL_KINDS. */
struct advection_wall_kind {
    const char *key[SW_DIMS][2];     /* "left.x", "right.x", ..                               */
    bool holds_u, time_derivative, u_x, diffusive;
};
extern const struct advection_wall_kind advection_wall_kinds[ADVECTION_WALL_COUNT];

struct advection_wall { int d, side; };  /* the left (0) or right end of axis d; d = -1: all of the grid */

/** The condition at a wall: its row, NULL if nothing is given there. */
const struct advection_wall_kind *advection_wall_given(const struct sw_setup *setup, struct advection_wall wall);

/** The key that gives u at a wall; NULL: u is not given there. */
const char *advection_wall_u_key(const struct sw_setup *setup, struct advection_wall wall);

/** Whether some component of c names this: "t", "u", "x". */
bool advection_velocity_uses(const struct sw_setup *setup, const char *name);

/* ------------------------------------------------------------------ the terms of the equation, as programs */

/* Slots of the programs of a batch. Slot WALL_U + 6 kind + 2 d + side (side 0: the left end of axis d) gives u at that
 * wall, for kinds that hold u; WALL_RHS + .. is what advection_wall_rhs() takes as `given`. */
enum {
    ADVECTION_WALL_PROGRAMS = ADVECTION_WALL_COUNT * 2 * SW_DIMS,
    ADVECTION_VELOCITY = 0,
    ADVECTION_SOURCE = ADVECTION_VELOCITY + SW_DIMS,
    ADVECTION_WALL_U,
    ADVECTION_WALL_RHS = ADVECTION_WALL_U + ADVECTION_WALL_PROGRAMS,
    ADVECTION_PROGRAMS = ADVECTION_WALL_RHS + ADVECTION_WALL_PROGRAMS
};

struct advection_terms {
    const struct sw_program *program[ADVECTION_PROGRAMS];    /* NULL: 0, or nothing is given there        */
    struct sw_program *derived[ADVECTION_WALL_PROGRAMS];     /* owned: derivatives in t                   */
    bool has_velocity[SW_DIMS];                              /* c has a component along this axis         */
    bool needs_first[SW_DIMS];                               /* the first derivative along it is needed   */
    bool uses[SW_DIMS];                                      /* some program names this coordinate        */
};

/** @return SW_E_CONFIG a derivative in t does not compile; SW_E_MEMORY */
enum sw_status advection_terms_create(const struct sw_setup *setup, struct advection_terms *terms);
void advection_terms_destroy(struct advection_terms *terms);

/* ------------------------------------------------------------------ the time step (advection_time_step.c) */

/* Bounds of the problem linearised with the largest velocities: dt*courant_rate <= C for a Courant number C, where
 * courant_rate = max sum |c_d|/dx_d; and the step is stable if dt*stability_rate <= 1 (docs/explanation/advection.md).
 * source_rate is the largest slope of the source by u over the values that u may take; unbounded: there is none. */
struct advection_step_limit { double courant_rate, stability_rate, source_rate; bool unbounded; };

/* Values between which u stays by what is given at time 0 and at walls, by samples; empty if none of it is finite.
 * open: the source may take it beyond 1e9 times them. */
struct advection_range { double least, greatest; bool open; };

/** Of a run (advection_setup_of_run()), by samples. @return SW_E_MEMORY */
enum advection_samples { ADVECTION_FEW_SAMPLES, ADVECTION_SAMPLES, ADVECTION_MANY_SAMPLES };
enum sw_status advection_range_of_data(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                       enum advection_samples samples, struct advection_range *data);
/** Where the source may take u from there in the time of the run. @return SW_E_MEMORY */
enum sw_status advection_range_of(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                  const struct advection_range *data, struct advection_range *range);
/** What is large for u in it. */
static inline double advection_size_of(const struct advection_range *range)
{
    return fmax(range->greatest - range->least, fmax(fabs(range->greatest), fabs(range->least)));
}

/* u at the end of a run: of the whole grid, or of a slab of it; what takes it is collective over the ranks then. */
struct advection_end {
    const double *u;               /* [points]                                                        */
    const struct sw_setup *slab;   /* NULL: u is of the whole grid                                    */
    const double *next;            /* the first plane of the next slab; NULL: there is none           */
};

/* Where c falls most steeply along an axis, so that what is behind catches up with what is before. */
struct advection_front {
    double slope;   /* of that fall, 1/time: waves break after 1/slope; 0: it falls nowhere, or does not name u */
    double fall;    /* of c from one point to the next there                                          */
    double at;      /* the coordinate                                                                 */
    double range;   /* greatest less least c                                                          */
};
/** At time 0, by samples; or at the end. @param end  NULL: at time 0  @return SW_E_MEMORY, SW_E_COMM */
enum sw_status advection_front_of(const struct sw_setup *one, int64_t ld, const double *column, int64_t j, int d,
                                  const struct advection_end *end, struct advection_front *front);

/** Of run j. @param column  [ncolumn][ld] @return SW_E_MEMORY */
enum sw_status advection_step_limit_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                       struct advection_step_limit *limit);
/** The largest Courant number with which steps of a run are stable, after what its nu takes of the stability region.
 * With another one a step is 1 + (courant - limit) advection_inverse_courant_limit() times what is stable. */
double advection_courant_limit(const struct advection_discretization *discretization, int dim,
                               const struct advection_run *run);
/** 1 over the largest stable Courant number without nu. */
double advection_inverse_courant_limit(const struct advection_discretization *discretization);

/** The largest modified wavenumber of a derivative's scheme on a circle, with h = 1: for d1_* a wavenumber, for d2_*
 * the square of one. */
double advection_largest_wavenumber(const struct sw_fd_scheme *scheme);

/** The largest component of c into the grid at a wall, and out of it, by samples; 0 at least. Where u is not given at
 * the wall, a c that names u is taken at time 0; all of it at the end with the u that is there,
 * where that is given.
 * @param setup  of the run (advection_setup_of_run())  @param end  as above  @return SW_E_MEMORY, SW_E_COMM */
enum sw_status advection_wall_flow(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   struct advection_wall wall, const struct advection_end *end, double *in,
                                   double *out);

/* ------------------------------------------------------------------ a batch */

/* Runs that take their steps together. Fields are those of the whole batch, [runs of the batch][points] in the device's
 * memory: now is u at the beginning of the step; next is what the stages make of it, and swaps with now where a filter
 * takes its turn. Filters may have another alpha in each run: one filter for each range of runs with one alpha. */
struct advection_subbatch {
    int   from, count;                     /* runs                                                               */
    int   thread;                          /* the thread that does all of it, -1: all threads                    */
    void *now, *next, *sum;                /* sum: RK4 only                                                      */
    void *first_derivative[SW_DIMS], *second_derivative[SW_DIMS];  /* times h and h²; NULL: not needed           */
    struct sw_fd *first_operator[SW_DIMS], *second_operator[SW_DIMS];
    struct sw_fd_joined *first_xy;         /* the first operators along x and y in one pass; NULL: one by one    */
    int   nfilter;
    struct advection_filter {              /* of a range of runs; from: in the sub-batch                         */
        int from, count;
        double alpha;
        struct sw_fd *fd[SW_DIMS];
    } *filter;                             /* [nfilter]                                                          */
};

/* A host thread that takes some runs through all steps of a call, so that they stay in its cache. */
struct advection_thread {
    struct sw_device          device;      /* the CPU with this thread alone                                     */
    struct advection_subbatch full, rest;  /* of runs_at_once runs; of those that are left                       */
};

struct advection_sim {
    struct sw_sim           sim;      /* first: the operations get a pointer to it                               */
    const struct advection_ops *ops;
    struct sw_setup         setup;
    struct advection_discretization discretization;
    struct advection_terms  terms;
    struct sw_device       *device;
    size_t  points;                   /* of a run                                                                */
    size_t  element_size;             /* bytes of a number of a field                                            */
    int     count;                    /* runs of the batch, room for setup.capacity                              */
    double *column;                   /* [ncolumn][count]                                                        */
    struct advection_run *run;        /* [count]                                                                 */
    bool    diffuses;                 /* nu is not 0 in some run                                                 */
    bool   *bad_state;                /* [count] set_state() gave numbers that are not finite: the step from which
                                         the run counts as diverged is the one advance() begins with             */
    bool    any_bad_state;
    int64_t step;                     /* of the state, for snapshots of it; -1: set_state() put it there         */
    bool    velocity_varies;          /* in time or with u: then each step records its Courant number            */

    char    solver[64];               /* the row that does the differences                                       */
    struct advection_subbatch batch;  /* all runs; owns the fields                                               */
    struct advection_thread  *thread; /* [device->threads]                                                       */
    int     runs_at_once;             /* that a thread takes; 0: all threads work on the whole batch             */
    struct { int count; bool diffuses; double alpha; } operators_for;  /* what the operators were made for; count 0:
                                                                          there are none that could be reused    */
    struct sw_owned arrays;          /* of all of these, and of own                                             */
    void   *own;                      /* of ops                                                                  */
};

/* What differs from device to device. `diverged_at` is [count] where it lies; runs that have diverged are left
 * alone. */
struct advection_ops {
    const char    *name;
    const char    *absent;            /* NULL, or why this build lacks it                                        */
    enum sw_space  space;
    size_t         own_size;          /* bytes of own                                                            */
    enum sw_status (*create)(struct advection_sim *a);          /* fills own, which is zeros, and arrays         */
    void           (*destroy)(struct advection_sim *a);         /* what is not in arrays; not where absent       */
    void           (*bytes)(const struct sw_setup *setup, const struct advection_terms *terms, size_t *fixed,
                            size_t *per_run);
    enum sw_status (*load)(struct advection_sim *a);            /* the runs and columns are there                */
    /** One stage of the runs of a sub-batch that have not diverged. @param how  ADVECTION_FIRST_STAGE, .. */
    enum sw_status (*stage)(struct advection_sim *a, const struct advection_subbatch *subbatch, int64_t step, int stage,
                            int how);
    /** Put in what is given at walls at this step's time, and check whether u is finite. */
    enum sw_status (*end_step)(struct advection_sim *a, const struct advection_subbatch *subbatch, int64_t step);
    enum sw_status (*set_diverged)(struct advection_sim *a, const int64_t *diverged_at);
    enum sw_status (*get_diverged)(struct advection_sim *a, int64_t *diverged_at);
    enum sw_status (*set_diagnostics)(struct advection_sim *a, const struct advection_diagnostics *diagnostics);
    enum sw_status (*get_diagnostics)(struct advection_sim *a, struct advection_diagnostics *diagnostics);
    /** A snapshot of scalars records the Courant number, too; it is NaN where a->step is -1. */
    enum sw_status (*snapshot)(struct advection_sim *a, int slot, int what);
    enum sw_status (*fetch)(struct advection_sim *a, int slot, const void **field, const double **scalars);
};
/** Where the grid is cut over ranks: the scalars of whole runs from those of the slabs of all ranks. Collective.
 * @param scalars  [count][ADVECTION_SCALARS] on the host, in and out  @return SW_E_COMM */
enum sw_status advection_combine_scalars(const struct advection_sim *a, double *scalars);

extern const struct advection_ops advection_cpu;
extern const struct advection_ops *const advection_table[];  /* ends with NULL */
const struct advection_ops *advection_row(enum sw_space space);

/** Make the operators and filters of the runs that are loaded, or reuse those of the batch before where they fit
 * (advection_operators.c). @return as sw_fd_create() */
enum sw_status advection_operators_create(struct advection_sim *a);
void advection_operators_destroy(struct advection_sim *a);
/** Whether they can be made, before there is a batch; and by which row: a->solver. */
enum sw_status advection_operators_probe(struct advection_sim *a);

/* ------------------------------------------------------------------ operations of the row (struct sw_problem) */

/* advection_time_step.c */
enum sw_status advection_time_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   double *step);

/* advection_sim.c */
enum sw_status advection_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);
enum sw_status advection_bytes(const struct sw_setup *setup, const struct sw_device *device,
                               struct sw_batch_bytes *bytes);
#endif
