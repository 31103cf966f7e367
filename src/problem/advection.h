#ifndef ADVECTION_H
#define ADVECTION_H
/* Between the files of the problem `advection`
 *
 *     u_t + c.grad u = nu lap u + S,      c and S expressions in the coordinates, t and u
 *
 * (docs/numerics.md, 10): advection.c has its keys and what is refused, advection_model.c the programs,
 * advection_speed.c how fast it goes, advection_limit.c what bounds the time step, advection_caution.c what is said of
 * a run beforehand, advection_sim.c takes the steps. What is done at every point of a stage
 * is done by a row of advection_ops, one a kind of device: advection_cpu.c, advection_cuda.c. */
#include "fd/sw_fd.h"
#include "problem/advection_point.h"
#include "problem/sw_problem.h"

/* "x", "y", "z"; and the keys of the points and of the velocity along them. */
extern const char *const advection_axes[SW_DIMS], *const advection_points[SW_DIMS], *const advection_velocity[SW_DIMS];

/* ------------------------------------------------------------------ what the words of a run mean */

struct advection_method {
    const char *first, *second;      /* schemes of the first and the second derivative        */
    const char *boundary[SW_DIMS];   /* along each axis                                       */
    const char *filter;              /* NULL: none                                            */
    const struct rk_method *rk;
};
struct advection_method advection_method_of(const struct sw_setup *setup);

/** Whether the grid has walls at the ends of an axis. */
bool advection_walled(const struct advection_method *method, int d);

/** A number key of run j. @param column  [ncolumn][ld] */
double advection_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j);

/* ------------------------------------------------------------------ the expressions */

/* Where the programs of a batch stand. At the wall WALL + 2d + side (side 0: the left end of axis d) u is given, and
 * RATE + 2d + side is its derivative in t. */
enum {
    ADVECTION_VELOCITY,
    ADVECTION_SOURCE = ADVECTION_VELOCITY + SW_DIMS,
    ADVECTION_WALL,
    ADVECTION_RATE = ADVECTION_WALL + 2 * SW_DIMS,
    ADVECTION_PROGRAMS = ADVECTION_RATE + 2 * SW_DIMS
};

struct advection_model {
    const struct sw_program *program[ADVECTION_PROGRAMS];  /* NULL: 0, or nothing is given there        */
    struct sw_program       *rate[2 * SW_DIMS];            /* what it owns                              */
    bool moves[SW_DIMS];                                   /* c has a part along this axis              */
    bool uses[SW_DIMS];                                    /* some program names this coordinate        */
    bool given;                                            /* u is given at some wall                   */
};

/** @return SW_E_CONFIG a derivative in t does not compile; SW_E_MEMORY */
enum sw_status advection_model_make(const struct sw_setup *setup, struct advection_model *model);
void advection_model_free(struct advection_model *model);

/** The key of wall data: "left.x" .. "right.z". */
const char *advection_wall_key(int d, int side);

/* ------------------------------------------------------------------ the time step */

/** The setup of one run: runs of different shape may stand side by side in the columns. @return false: its numbers are
 * out of range, which their keys refuse */
bool advection_setup_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                        struct sw_setup *one);

/* Of run j, by samples; setup is that of the run. */

/** The largest sum |c_d|/dx_d. @return SW_E_MEMORY */
enum sw_status advection_speed(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               double *largest);

struct advection_wall { int d, side; };  /* the left (0) or right end of axis d; d = -1: all of the grid */

/** The largest c along its axis into the grid at a wall, and out of it; 0 at least. Where nothing is given there u is
 * that of time 0, and c that of then if it names u. @return SW_E_MEMORY */
enum sw_status advection_through(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 struct advection_wall wall, double *in, double *out);

/* Bounds of the linearised problem with the largest speeds: dt*courant <= C for a Courant number C; and the step is
 * stable if dt*stiffness <= 1 (numerics.md, 10). */
struct advection_limit { double courant, stiffness; };

/** Of run j. @param column  [ncolumn][ld] */
enum sw_status advection_limit_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                  struct advection_limit *limit);
/** sw_problem.step and .caution */
enum sw_status advection_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *step);
enum sw_status advection_caution(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 char text[200]);

/** The largest Courant number with which steps of a run are stable, if all of dt goes with dx and nu of `run`; with
 * another one a step is 1 + (courant - bound) scale times what is stable. */
double advection_bound(const struct advection_method *method, int dim, const struct advection_run *run);
double advection_scale(const struct advection_method *method);

/** The largest modified wave number of a derivative's scheme on a circle, with h = 1: of d1_* a wave number, of d2_* a
 * square of one. */
double advection_largest(const struct sw_fd_scheme *scheme);

/* ------------------------------------------------------------------ a batch being simulated */

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
    int64_t watch_every;              /* steps                                                                   */

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
    /** One stage of the runs of a part; the last one looks whether u is finite, and gives what is given at walls,
     * unless a filter follows. */
    enum sw_status (*stage)(struct advection_sim *a, const struct advection_part *part, int64_t step, int stage,
                            bool closing);
    /** What is given at walls at this step's time, and whether u is finite. */
    enum sw_status (*close)(struct advection_sim *a, const struct advection_part *part, int64_t step);
    /** Note the Courant number of the state at this step, in runs that have not stopped. */
    enum sw_status (*watch)(struct advection_sim *a, const struct advection_part *part, int64_t step);
    enum sw_status (*set_stop)(struct advection_sim *a, const int64_t *stop);
    enum sw_status (*get_stop)(struct advection_sim *a, int64_t *stop);
    enum sw_status (*set_watch)(struct advection_sim *a, const struct advection_watch *watch);  /* [count] */
    enum sw_status (*get_watch)(struct advection_sim *a, struct advection_watch *watch);
    /** Of scalars the Courant number is noted, too; it is NaN where a->step is -1. */
    enum sw_status (*capture)(struct advection_sim *a, int slot, int what);
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

/** Every how many steps the Courant number is to be looked at. */
int64_t advection_watch_every(const struct advection_model *model);
/** Begin a new record, of all runs. */
enum sw_status advection_record_clear(struct advection_sim *a);
/** sw_sim_ops.get_record, .set_record, .comment */
enum sw_status advection_record_get(struct sw_sim *sim, double *record);
enum sw_status advection_record_set(struct sw_sim *sim, const double *record);
void advection_record_comment(const struct sw_sim *sim, int j, const double *record, bool finite, char text[160]);

enum sw_status advection_create(const struct sw_problem *problem, const struct sw_setup *setup,
                                struct sw_device *device, struct sw_sim **sim);
enum sw_status advection_bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                               const struct sw_device *device, size_t *fixed, size_t *per_run);
enum sw_status advection_try_compile(const struct sw_problem *problem, const struct sw_setup *setup, int sm);
#endif
