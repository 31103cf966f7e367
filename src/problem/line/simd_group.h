#ifndef SIMD_GROUP_H
#define SIMD_GROUP_H
/* Parts of cpu.simd (stepper_simd_cpu.c), which works on groups of as many runs as there are lanes (lanes.h): which run
 * has which lane, what G and S are in a step, a group's state as it comes and goes, and its steps. A worker is what a
 * thread needs; it works on one group at a time. Points lie as in lanes.h, u[i*lanes + l]. */
#include "problem/line/host_lines.h"
#include "problem/line/lanes.h"

enum { SW_SIMD_G, SW_SIMD_S, SW_SIMD_PROGRAMS };

struct sw_simd_group {
    struct sw_lanes lanes;
    int             runs, run[SW_LANES_MOST];  /* the run of each lane; lanes from `runs` on have none */
    struct sw_eval *eval[SW_SIMD_PROGRAMS];
    struct sw_form *form[SW_SIMD_PROGRAMS];    /* either all of the programs that there are have one, or none has */
};

struct sw_simd_worker {        /* [n][lanes] each                                            */
    void   *u, *next;          /* the state at the last check; after steps from there. Float in single precision, */
    void   *s;                 /* as are S                                                   */
    void   *g;                 /* and G, [n+2]                                               */
    double *x;
    double *param;             /* [nparam][lanes]                                            */
    double *wide;              /* single precision: the state in double                      */
    double *value;             /* single precision: of an expression                         */
    float  *cell[SW_LANES_CELLS];             /* single precision: values of cells of the group at hand, rounded, */
    const double *cell_from[SW_LANES_CELLS];  /* and where they are in double                                     */
    int     cells;
    struct sw_lanes_work lanes;
};

struct sw_simd {
    struct sw_host_lines lines;      /* first: host_lines.h works on it */
    const struct sw_lanes_ops *ops;
    int            lanes;            /* of a group                        */
    int            rooms, groups;    /* there is room for, there are in the batch loaded */
    struct sw_simd_group  *group;
    int            workers;
    struct sw_simd_worker *worker;
};

/* What follows from the shape. */
bool   sw_simd_alone(const struct sw_stepper_desc *desc);  /* no terms but the implicit one, by Crank-Nicolson */
int    sw_simd_lanes(const struct sw_stepper_desc *desc);
size_t sw_simd_real_size(const struct sw_stepper_desc *desc);  /* of a number that the steps work with */

/* ---- which run has which lane: simd_group.c */

/** The operation of struct sw_stepper_ops: makes the groups of the batch, and what of their programs lasts for it. */
enum sw_status sw_simd_load(struct sw_stepper *s, const char **load_error);

/* Of a lane; lanes without a run do as the first. */
static inline const struct sw_line_run *sw_simd_run(const struct sw_stepper *s, const struct sw_simd_group *g, int lane)
{
    return &s->run[g->run[lane < g->runs ? lane : 0]];
}

/* ---- G and S: simd_programs.c */

enum sw_status sw_simd_create_programs(const struct sw_stepper_desc *desc, struct sw_simd_group *g);
void           sw_simd_destroy_programs(struct sw_simd_group *g);

/** Make x of the group. */
void sw_simd_points(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g);

/** What lasts for the batch. */
void sw_simd_begin_batch(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g);

/** What lasts for a step. */
void sw_simd_begin_step(const struct sw_stepper *s, const struct sw_simd_group *g, int64_t step);

/** What the programs are in the step begun: as forms, where the group has them, */
void sw_simd_forms(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g,
                   struct sw_lanes_forms *forms);

/** or w->g and w->s at all points, from the state u. */
void sw_simd_values(const struct sw_stepper *s, struct sw_simd_worker *w, const struct sw_simd_group *g, const void *u);

/* ---- a group's state: simd_state.c */

/** Into w->u. Lanes without a run, or whose run has stopped, hold zeros.
 *  @param live  out: lanes whose run goes on  @return whether there is one */
bool sw_simd_gather(const struct sw_stepper *s, const struct sw_simd_group *g, struct sw_simd_worker *w,
                    bool live[SW_LANES_MOST]);

/** From w->u, the lanes that are live. */
void sw_simd_scatter(struct sw_stepper *s, const struct sw_simd_group *g, struct sw_simd_worker *w,
                     const bool live[SW_LANES_MOST]);

/** In double precision: u itself, or converted into w->wide. */
const double *sw_simd_seen(const struct sw_stepper *s, struct sw_simd_worker *w, const void *u);

/** Numbers of a group, as the steps want them: rounded to float. */
void sw_simd_to_single(const struct sw_stepper *s, const double *from, float *to);

/** @param finite  out: of each lane  @return whether all are */
bool sw_simd_finite(const struct sw_stepper *s, struct sw_simd_worker *w, const void *u, bool finite[SW_LANES_MOST]);

/* ---- steps: simd_steps.c */

/** Steps from .. to-1, from the lines and back to them; runs that are not finite any more are stopped. */
void sw_simd_advance_group(struct sw_stepper *s, struct sw_simd_worker *w, struct sw_simd_group *g, int64_t from,
                           int64_t to);
#endif
