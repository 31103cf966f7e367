#ifndef SW_STEPPER_IMPL_H
#define SW_STEPPER_IMPL_H
/* What a stepper author sees. One file per stepper; its row goes into stepper_table.c. */
#include "base/row.h"
#include "problem/line/stepper/stepped.h"
#include "problem/line/stepper/sw_stepper.h"
#include "problem/sw_setup.h"

/* What a model may have that not every row takes. */
enum {
    SW_LINE_SEVERAL = 1,     /* several unknowns                                      */
    SW_LINE_NEIGHBOURS = 2,  /* an N that looks at neighbouring points                */
    SW_LINE_ORDERS = 4,      /* derivatives of the orders 0, 1 or 3 in L              */
    SW_LINE_STAGES = 8,      /* a method of several stages                            */
    SW_LINE_ALL = 15,        /* of periodic lines, in steps that are the same for all runs  */
    SW_LINE_ENDS = 16,       /* lines that end                                        */
    SW_LINE_OWN_STEPS = 32,  /* steps of each run's own (desc.own_steps)              */
    SW_LINE_MASS = 64,       /* a P that is not 1                                     */
    SW_LINE_PACES = 128      /* desc.paces                                            */
};

struct sw_stepper;

struct sw_stepper_ops {
    SW_ROW;
    unsigned takes;          /* of these */
    /** @param sm  of the device, 90 for sm_90; 0 on a CPU */
    bool           (*fits)(const struct sw_stepper_desc *desc, int sm);
    const char    *misfit;   /* what is wrong with lines in double precision that do not fit; NULL: their length */
    void           (*bytes)(const struct sw_stepper_desc *desc, const char *band, size_t *fixed, size_t *per_run);
    size_t         own_size; /* bytes of own */
    /** Fills own, which is zeros, the stepper's arrays, and name with the band solver chosen.
     * @param band  its row; NULL: the best that fits */
    enum sw_status (*create)(struct sw_stepper *stepper, const char *band);
    /** run, param and count are in the stepper. load_error[j] is set where the front found one: such a run starts and
     *  stays NaN, whatever its numbers. */
    enum sw_status (*load)(struct sw_stepper *stepper, const char **load_error);
    enum sw_status (*advance)(struct sw_stepper *stepper, int64_t from, int64_t to);
    /** What is not in arrays. A row of a device waits for what is queued. NULL: nothing */
    void           (*destroy)(struct sw_stepper *stepper);
    /** The operations of a sim that are the row's: its states, snapshots and failures; with SW_LINE_OWN_STEPS get and
     * set of records. sw_stepper_create() adds those that all rows share. initial and set of states call
     * sw_stepper_restart(). */
    const struct sw_sim_ops *sim;
    /** What sw_stepper_rounding() says of it. NULL: what it does of the recursive form, or of its band solver */
    double         (*rounding)(const struct sw_line_operator *a);
    bool           takes_band;  /* its name may end in "+BAND", a row of the band table     */
    /** For advance() by so many steps at once, with the model and band solver at hand. NULL: not counted */
    struct sw_cost (*cost)(const struct sw_stepper *stepper, int64_t steps);
};

struct sw_stepper {
    SW_STEPPED;                              /* step 0: since the state was set           */
    const struct sw_stepper_ops *ops;
    struct sw_line_source        source;
    struct sw_stepper_desc       desc;
    struct sw_line_run          *run;        /* [capacity]                                */
    double                      *drive;      /* [count][windows][unknowns], of desc.own_steps: own_steps_drive.h */
    bool                         steep[2][SW_UNKNOWNS_MOST];  /* G, N of each unknown that steps look at by time
                                              * (imex.h, q; sw_own_steep()), of desc.own_steps */
    bool                         steep_in_u[2][SW_UNKNOWNS_MOST];  /* of these, which see an unknown */
    char                         name[64];   /* "cuda.split+cuda.thomas"; set to the row's name before create */
};

/** The stepper that a sim of this table is. */
static inline struct sw_stepper *sw_stepper_of(const struct sw_sim *sim) { return (struct sw_stepper *)sim; }

/** The state is another one, at step 0. */
static inline void sw_stepper_restart(struct sw_stepper *stepper) { stepper->step = 0; }

/** The step of run j at a step of the batch, which is a tick with desc.paces. */
static inline int64_t sw_stepper_step(const struct sw_stepper *s, int j, int64_t step)
{
    return sw_pace_step(s->desc.paces, s->run[j].pace, step);
}

/** About the most steps that a run takes from one step of the batch to another. */
static inline int64_t sw_stepper_most_steps(const struct sw_stepper *s, int64_t from, int64_t to)
{
    const int last = s->desc.paces ? s->desc.paces->count - 1 : 0;
    return sw_pace_step(s->desc.paces, last, to) - sw_pace_step(s->desc.paces, last, from);
}

/** Numbers of a run, and of all runs that the stepper has room for. */
static inline size_t sw_stepper_line(const struct sw_stepper_desc *d)
{
    return (size_t)d->n * (size_t)sw_line_unknowns(&d->model);
}
static inline size_t sw_stepper_vector(const struct sw_stepper_desc *d)
{
    return sw_stepper_line(d) * (size_t)d->capacity;
}

/** What the model has that not every row takes. */
unsigned sw_stepper_needs(const struct sw_stepper_desc *desc);

/** The largest modulus of A's symbol over the least, at most. */
double sw_line_condition(const struct sw_line_operator *a);

/** Where on its line a run failed: a solve makes all points of a line infinite at once, so that this is told by what
 * the right-hand side makes of the last state that was finite.
 * @param u      [unknowns][n], finite
 * @param t, dt  of the step from there that failed; number: as sw_eval_step() has it
 * @param place  out, known: points where G or N of an unknown, the first such one, is not finite at a stage's time;
 *               else the one at which N + (G)_xx is largest. Not known where there is neither, or memory is out */
void sw_line_find_place(const struct sw_stepper *stepper, int j, const double *u, double t, double dt, int64_t number,
                        struct sw_failure_place *place);

/** The operator of a step of dt, of a run whose own is that of a step of 1. */
struct sw_line_operator sw_line_operator_of(const struct sw_line_operator *a, double dt);

/** What bounds the steps of a run with steps of its own. The longest is no longer than the last of desc.times, with a
 * matrix that stays well positive definite and whose solves round by no more than the tolerance bears. */
struct sw_own_limits sw_stepper_limits(const struct sw_stepper *stepper, const struct sw_line_run *run);

extern const struct sw_stepper_ops *const sw_stepper_table[];  /* ends with NULL; order is preference */
#endif
