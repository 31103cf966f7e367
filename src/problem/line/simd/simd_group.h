#ifndef SIMD_GROUP_H
#define SIMD_GROUP_H
/* The groups that cpu.simd works on (stepper_simd_cpu.c): as many runs as there are lanes (lanes.h), which run has
 * which lane, and a group's state as it comes and goes. A worker is what a thread needs; it works on one group at a
 * time. Points lie as in lanes.h, u[i*lanes + l]. */
#include "problem/line/stepper/batch_cpu.h"
#include "problem/line/stepper/imex.h"
#include "problem/line/simd/lanes.h"
#include "problem/line/plain/stencil_cpu.h"

enum { SW_SIMD_G, SW_SIMD_S, SW_SIMD_PROGRAMS };

struct sw_simd_group {
    struct sw_lanes *lanes;                    /* [unknowns]                                             */
    int              runs, run[SW_LANES_MOST]; /* the run of each lane; lanes from `runs` on have none   */
    double           t[SW_LANES_MOST], dt[SW_LANES_MOST];  /* desc.own_steps: of each lane's step        */
    int64_t          ahead[SW_LANES_MOST];     /* by how much a lane's step is ahead of the group's: an even number */
    struct sw_eval  *eval[SW_SIMD_PROGRAMS][SW_UNKNOWNS_MOST];
    struct sw_eval  *end[2][SW_UNKNOWNS_MOST][2];  /* first and second condition, left and right; NULL: 0 */
    struct sw_form  *form[SW_SIMD_PROGRAMS];   /* either all of the programs that there are have one, or none has */
};

/* What the conditions at the ends of an unknown are, left and right. */
struct sw_simd_ends { double first[2][SW_LANES_MOST], second[2][SW_LANES_MOST]; };

/* Values of G and S at a stage, and the stage: NULL what there is none of. */
struct sw_simd_stage {
    void *state;                         /* [unknowns][n+4][lanes], as sw_simd_state() says            */
    void *g[SW_UNKNOWNS_MOST];           /* [n+2][lanes], times sign                                   */
    int   sign[SW_UNKNOWNS_MOST];        /* of G = u and G = -u, whose g is in the state; else 0: 1    */
    void *s[SW_UNKNOWNS_MOST];           /* [n][lanes]                                                 */
};

struct sw_simd_worker {        /* [n][lanes] each, float in single precision but for what is said to be double */
    void   *u, *next;          /* the state at the last check; after steps from there: sw_simd_state() */
    struct sw_simd_stage stage[SW_IMEX_STAGES];      /* without the state of the first, which is u or next */
    void   *implicit[SW_UNKNOWNS_MOST];              /* gamma dt L u, where the method wants it            */
    double *x;
    double *param;             /* [nparam][lanes]                                            */
    double *wide;              /* single precision: the state in double                      */
    double *value;             /* single precision: of an expression, in double              */
    struct sw_simd_ends  *ends;   /* [stages][unknowns] at the time of each stage; NULL: lines are circles */
    struct sw_lanes_ends *solve;  /* of the solve at hand                                    */
    double *line;              /* desc.own_steps: [n+4], then [n+2], of one lane             */
    float  *cell[SW_LANES_CELLS];             /* single precision: values of cells of the group at hand, rounded, */
    const double *cell_from[SW_LANES_CELLS];  /* and where they are in double                                     */
    int     cells;
    struct sw_lanes_work lanes[SW_UNKNOWNS_MOST];    /* all with one w                                    */
};

struct sw_simd_queued { double steps; int run; };  /* how many it is expected to take */

struct sw_simd {
    struct sw_host_batch batch;      /* first: batch_cpu.h works on it */
    struct sw_imex_stages stages;
    bool           reaches;          /* neighbours are looked at: the ends of states are closed */
    const struct sw_lanes_ops *ops;
    int            lanes;            /* of a group                        */
    int            rooms, groups;    /* there is room for, there are in the batch loaded; desc.own_steps: one of each
                                      * worker, none                                         */
    struct sw_lanes *operators;      /* [rooms][unknowns]                                    */
    struct sw_lanes_closing *closings;  /* likewise, of lines that end                       */
    struct sw_simd_group  *group;
    int            workers;
    struct sw_simd_worker *worker;
    struct sw_simd_queued *queue;    /* [capacity], desc.own_steps: runs in the order in which they get lanes */
};

/* What follows from the shape. */
bool   sw_simd_ended(const struct sw_stepper_desc *desc);
bool   sw_simd_alone(const struct sw_stepper_desc *desc);  /* one unknown, only the implicit term, by Crank-Nicolson,
                                                              P = 1 */
int    sw_simd_lanes(const struct sw_stepper_desc *desc);
size_t sw_simd_real_size(const struct sw_stepper_desc *desc);  /* of a number that the steps work with */

/** Give each run without a load_error a lane, and set its operator there. load_error is set where A is not positive
 * definite. */
enum sw_status sw_simd_assign_lanes(struct sw_stepper *s, const char **load_error);

/** Take their lines from all lanes of a group. */
void sw_simd_clear_lanes(const struct sw_stepper *s, struct sw_simd_group *g);

/** Give a lane of an unknown the line of a run. */
void sw_simd_set_lane(const struct sw_stepper *s, struct sw_simd_group *g, int unknown, int lane,
                      const struct sw_lanes_line *line, double dt, double dx);

/** What the line of an unknown is to a lane. @return false: A is not positive definite */
bool sw_simd_line(const struct sw_stepper *s, const struct sw_line_matrix *matrix, struct sw_lanes_line *line);

/* Of a lane; lanes without a run do as the first. */
static inline const struct sw_line_run *sw_simd_run(const struct sw_stepper *s, const struct sw_simd_group *g, int lane)
{
    return &s->run[g->run[lane < g->runs ? lane : 0]];
}

/** Into w->u. Lanes without a run, or whose run has stopped, hold zeros.
 *  @param live  in: lanes that are wanted; out: those of them whose run goes on  @return whether there is one */
bool sw_simd_gather(const struct sw_stepper *s, const struct sw_simd_group *g, struct sw_simd_worker *w,
                    bool live[SW_LANES_MOST]);

/** From w->u, the lanes that are live. */
void sw_simd_scatter(struct sw_stepper *s, const struct sw_simd_group *g, struct sw_simd_worker *w,
                     const bool live[SW_LANES_MOST]);

/** A lane of a state in double precision into the line of run j. */
void sw_simd_scatter_lane(const struct sw_stepper *s, const double *state, int lane, int j);

/* A state is [unknowns][n+4][lanes]: before and behind each line are SW_REACH points more, which neighbours are read
 * from. */

/** Numbers of a state. */
size_t sw_simd_state_size(const struct sw_stepper_desc *desc);

/** [n][lanes] of an unknown, in a state. */
void *sw_simd_state(const struct sw_stepper *s, const void *state, int unknown);

/** Fill in the points beyond the ends of all unknowns: those of the other end, or what the conditions say.
 * @param ends  [unknowns], of lines that end */
void sw_simd_close(const struct sw_stepper *s, const struct sw_simd_group *g, const struct sw_simd_ends *ends,
                   void *state);

/** In double precision: the state itself, or converted into w->wide. */
const double *sw_simd_seen(const struct sw_stepper *s, struct sw_simd_worker *w, const void *state);

/** @param finite  out: of each lane  @return whether all of the live ones are */
bool sw_simd_finite(const struct sw_stepper *s, struct sw_simd_worker *w, const void *state,
                    const bool live[SW_LANES_MOST], bool finite[SW_LANES_MOST]);

/* ---- what G and S are in the steps of a group */

enum sw_status sw_simd_create_programs(const struct sw_stepper_desc *desc, struct sw_simd_group *g);
void           sw_simd_destroy_programs(struct sw_simd_group *g);

/** Make x of the group. */
void sw_simd_points(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g);

/** What lasts for the batch. */
void sw_simd_begin_batch(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g);

/** What lasts for a step, or a stage of one, that takes the time after so much of the step: number `step`, or where
 * runs take steps of their own, the one of each lane. */
void sw_simd_begin_step(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part);

/** The conditions at the ends of lines at such a time. @param ends  out [unknowns] */
void sw_simd_ends_at(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step, double part,
                     struct sw_simd_ends *ends);

/** What the programs are in the step begun: as forms, where the group has them, */
void sw_simd_forms(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                   struct sw_lanes_forms *forms);

/** or their values at all points of a state whose ends are closed, into a stage. @param which  of each program; NULL:
 * of all */
void sw_simd_values(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                    const void *state, struct sw_simd_stage *stage, const bool which[2][SW_UNKNOWNS_MOST]);

/* ---- simd_stages.c: steps of a group, stage by stage of a method, with values of G and N at all points: any model */

/** Make a sum of terms a right-hand side that is multiplied by P, where it is not 1; of_first is what l_0 has there. */
void sw_simd_widen(const struct sw_line_mass *p, double of_first, struct sw_lanes_terms *t);

/** Steps from .. to-1, from w->u to w->next. */
void sw_simd_steps_of_stages(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                             int64_t from, int64_t to);

/* Steps of a run's own: lanes hold runs that are at different times and take different steps. */

/** Put the runs that are not yet at a tick into p->queue, the one that is expected to take most steps first.
 * @return how many there are */
int sw_simd_queue_own(struct sw_stepper *s, int64_t to);

/** Take runs from the queue, until there are no more, to a tick: many workers at once. @param next  of the queue */
void sw_simd_advance_own(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, int64_t to,
                         int queued, int *next);
#endif
