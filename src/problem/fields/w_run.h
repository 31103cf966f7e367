#ifndef W_RUN_H
#define W_RUN_H
/* One run taken from step to step: P is made anew where dt or what is stiff of the present field has changed; steps of
 * a given dt, or steps of the run's own (problem/line/stepper/own_steps_point.h). A run depends on nothing but its
 * state and its numbers: no bit of it depends on where it is interrupted. */
#include "field/grid.h"
#include "problem/fields/w_step.h"
#include "problem/line/stepper/own_steps_point.h"

/** What is stiff of each unknown about the field u. @param stiffness  out: [unknowns] */
typedef void fields_find_stiffness(void *own, double t, int64_t step, const double *u,
                                   struct fields_stiffness *stiffness);

struct fields_walk;

/* What a row gives of its walks, whose fields may have a layout of their own. */
struct fields_walk_ops {
    /** Begin with a run. @param param  parameter k of it is param[k*stride] */
    void    (*begin)(void *own, const struct sw_grid *grid, const double *param, int64_t stride);
    /** [unknowns][z][y][x] in the layout of the walk, where steps begin; and a field of it as that. NULL: it is that
     * already. */
    double *(*take)(void *own, const double *flat);
    void    (*flatten)(void *own, const double *field, double *flat);
    /** The sum of the density of the energy over all points, with their weights (fields_sum_row()), in an order that
     * only the grid decides; called where there is one. @param flat  [unknowns][z][y][x] at time t */
    double  (*energy)(void *own, double t, const double *flat);

    fields_right_hand_side *evaluate;
    fields_find_stiffness  *stiffness;

    /* as in w_step.h */
    void (*take_step)(const struct fields_step *s, struct fields_work *w, const double *u);
    void (*estimate_error)(const struct fields_step *s, struct fields_work *w, double *error);
    void (*estimate_by_time)(const struct fields_step *s, struct fields_work *w, double *error);
    /** The largest |u| of each unknown, NaN where one is. @param size  out: [unknowns] */
    void (*find_sizes)(const struct fields_walk *w, const double *u, double *size);
    /** The state behind a step, work.next, is the field from now on. @return where it is; u is free */
    double *(*accept)(struct fields_walk *w, double *u);

    /* Walls (walls.h). Where conditions depend on time a step is one of v = u - G, and evaluate takes v. What is given
     * at walls is set in u. */
    void (*impose)(void *own, double t, double *u);     /* set what is given at walls; NULL: there are none */
    void (*begin_step)(void *own, double t, double end, double dt);  /* this and the one below where walk->moves */
    void (*lift)(void *own, double t, double factor, double *u);     /* u + factor G                             */
};

/** Those of steps whose fields are [unknowns][points]. */
#define FIELDS_FLAT_STEPS                                                                                             \
    .take_step = fields_take_step, .estimate_error = fields_estimate_error,                                           \
    .estimate_by_time = fields_estimate_by_time, .find_sizes = fields_flat_sizes, .accept = fields_flat_accept
void    fields_flat_sizes(const struct fields_walk *w, const double *u, double *size);
double *fields_flat_accept(struct fields_walk *w, double *u);

struct fields_walk {
    const struct fields_walk_ops *ops;
    const struct fields_method *method;
    struct fields_matrix_rule   rule;
    const struct fields_solves *solves;
    void                       *solver;
    int                         unknowns;
    size_t                      points;           /* of an unknown */
    size_t                      numbers;          /* of a field    */
    void                       *own;
    struct fields_work          work;
    bool                        moves;            /* what is given at walls depends on time     */
    bool                        steep;            /* F may jump by the time alone, or nearly so */
    /* the last P; `made` is set to false where a run begins */
    bool                        made;
    double                      dt;
    struct fields_matrix        matrix[SW_UNKNOWNS_MOST];
};

/** f = F(u, t) - G_t of the run at hand, outside steps. */
void fields_walk_evaluate(struct fields_walk *w, double t, int64_t step, const double *u, double *f);

/** Begin with the run that the solver has begun with. */
static inline void fields_walk_begin(struct fields_walk *w) { w->made = false; }

/** Take the steps from + 1 .. to of dt.
 * @param u  where the field is; out: where that of the last state is that is finite
 * @return the number of the step that is not finite, from 1; 0: all are */
int64_t fields_walk_steps(struct fields_walk *w, double dt, int64_t from, int64_t to, double **u);

/* What a run with steps of its own has beside its state. */
struct fields_own {
    struct sw_own_steps  *steps;
    struct sw_own_limits  limits;
    const double         *drive;     /* [windows][unknowns]: own_steps_drive.h */
    const double         *times;     /* output times, from 0                   */
    double                first_dt;  /* 0: chosen                              */
};

/** Take steps to a tick, unless own->steps->end says that there is no use.
 * @param u  as above */
void fields_walk_own_steps(struct fields_walk *w, const struct fields_own *own, int64_t to, double **u);

/** The longest dt within `most` for which rounding of the solves is below that of a tolerance, with these
 * coefficients. */
double fields_longest_dt(const struct fields_walk *w, const struct fields_stiffness *stiffness, double tolerance,
                         double most);

/** What a solve of a stage may be off by, relative to the field. */
double fields_rounding(const struct fields_walk *w, const struct fields_stiffness *stiffness, double dt);
#endif
