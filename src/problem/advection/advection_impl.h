#ifndef ADVECTION_IMPL_H
#define ADVECTION_IMPL_H
/* A batch of `advection` that is being simulated: advection_sim.c takes the steps; what is done at every point of a
 * stage is done by a row of advection_ops, one a kind of device: advection_cpu.c, advection_cuda.c. */
#include "fd/sw_fd.h"
#include "problem/advection/advection_method.h"
#include "problem/advection/advection_model.h"
#include "problem/advection/advection_point.h"

/* Runs that take their steps together. Fields are those of the whole batch, [runs of the batch][points] in the device's
 * memory. now is u at the beginning of the step; next is what the stages make of it, and swaps with now where a filter
 * takes its turn. Filters may have another alpha in each run: one for each stretch of runs with one. */
struct advection_part {
    int   from, count;                     /* runs                                                               */
    int   worker;                          /* the thread that does all of it, -1: all threads                    */
    void *now, *next, *sum;                /* sum: RK4 only                                                      */
    void *slope[SW_DIMS], *bend[SW_DIMS];  /* derivatives along each axis times h and h²; NULL: not needed       */
    struct sw_fd *first[SW_DIMS], *second[SW_DIMS];
    int   nfilter;
    struct advection_filter {              /* of a stretch of runs; from: in the part                            */
        int from, count;
        double alpha;
        struct sw_fd *fd[SW_DIMS];
    } *filter;                             /* [nfilter]                                                          */
};

/* A host thread that takes some runs through all steps of a call, so that they stay in its cache. */
struct advection_team {
    struct sw_device      alone;           /* the device with one thread                                         */
    struct advection_part part[2];         /* of as many runs as most; of those that are left                    */
};

struct advection_sim {
    struct sw_sim           sim;      /* first: the operations get a pointer to it                               */
    const struct advection_ops *ops;
    struct sw_setup         setup;
    struct advection_method method;
    struct advection_model  model;
    struct sw_device       *device;
    size_t  points;                   /* of a run                                                                */
    size_t  word;                     /* bytes of a number of a field                                            */
    int     count;                    /* runs of the batch, room for setup.capacity                              */
    double *column;                   /* [ncolumn][count]                                                        */
    struct advection_run *run;        /* [count]                                                                 */
    bool    diffuses;                 /* nu is not 0 in some run                                                 */
    bool   *pending;                  /* [count] not finite, from which step on is not known before advance()    */
    bool    some_pending;
    int64_t step;                     /* at which the state is, for pictures of it; -1: it was put there from outside */
    bool    speeds_change;            /* in time: then the Courant number is looked at each step                 */

    char    solver[64];               /* the row that does the differences                                       */
    struct advection_part  whole;     /* all runs; the fields are its own                                        */
    struct advection_team *team;      /* [device->threads]                                                       */
    int     each;                     /* runs that a team takes at once; 0: the whole is done by all threads     */
    struct { int count; bool diffuses; double alpha; } made;  /* what the parts are made for; count 0: none      */
    void   *own;                      /* of ops                                                                  */
};

/* What differs from device to device. `stop` is [count] where it lies: the first step after which a run is not finite,
 * ADVECTION_FINE: none. Runs that have stopped are left alone. */
struct advection_ops {
    const char    *name;
    const char    *absent;            /* NULL, or why this build lacks it                                        */
    enum sw_space  space;
    enum sw_status (*create)(struct advection_sim *a);
    void           (*destroy)(struct advection_sim *a);         /* own may be NULL                               */
    void           (*bytes)(const struct sw_setup *setup, const struct advection_model *model, size_t *fixed,
                            size_t *per_run);
    enum sw_status (*load)(struct advection_sim *a);            /* the runs and columns are there                */
    /** One stage of the runs of a part that have not stopped. @param how  ADVECTION_FIRST, .. */
    enum sw_status (*stage)(struct advection_sim *a, const struct advection_part *part, int64_t step, int stage,
                            int how);
    /** What is given at walls at this step's time, and whether u is finite. */
    enum sw_status (*close)(struct advection_sim *a, const struct advection_part *part, int64_t step);
    enum sw_status (*set_stop)(struct advection_sim *a, const int64_t *stop);
    enum sw_status (*get_stop)(struct advection_sim *a, int64_t *stop);
    enum sw_status (*set_watch)(struct advection_sim *a, const struct advection_watch *watch);  /* [count] */
    enum sw_status (*get_watch)(struct advection_sim *a, struct advection_watch *watch);
    /** Of scalars the Courant number is noted, too; it is NaN where a->step is -1. */
    enum sw_status (*snapshot)(struct advection_sim *a, int slot, int what);
    enum sw_status (*fetch)(struct advection_sim *a, int slot, const void **field, const double **scalars);
    enum sw_status (*try_compile)(const struct sw_setup *setup, const struct advection_model *model, int sm);
};
extern const struct advection_ops advection_cpu;
extern const struct advection_ops *const advection_table[];  /* ends with NULL */
const struct advection_ops *advection_row(enum sw_space space);

/* ------------------------------------------------------------------ what a sim is made of, a file each */

/** The differences and filters of the runs that are loaded; those of the batch before, where they do as well.
 * @return as sw_fd_create() */
enum sw_status advection_parts_make(struct advection_sim *a);
void advection_parts_unmake(struct advection_sim *a);
/** Whether they can be had, before a batch is there; and by which row: a->solver. */
enum sw_status advection_parts_probe(struct advection_sim *a);

/** u at time 0 of all runs, [count][points]. */
enum sw_status advection_draw(const struct advection_sim *a, double *u);

/** Begin a new record, of all runs. */
enum sw_status advection_record_clear(struct advection_sim *a);
/** sw_sim_ops.get_diagnostics, .set_diagnostics, .warn_result */
enum sw_status advection_record_get(struct sw_sim *sim, double *record);
enum sw_status advection_record_set(struct sw_sim *sim, const double *record);
void advection_record_comment(const struct sw_sim *sim, int j, const double *record, bool finite, char text[160]);
#endif
