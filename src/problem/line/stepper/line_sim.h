#ifndef LINE_SIM_H
#define LINE_SIM_H
/* A batch of lines as a struct sw_sim: what a stepper does (sw_stepper.h), on the numbers that a kind of problem makes
 * of the columns of a run. */
#include "problem/line/stepper/sw_stepper.h"
#include "problem/sw_problem.h"

/* What a kind of problem adds; it owns the programs of the stepper's model. */
struct sw_line_model_ops {
    /** The coefficients and parameters of a batch.
     * @param own     the kind's
     * @param column  [ncolumn][count]
     * @param run     out: [count]
     * @param param   out: [model.nparam][count], `column` itself or the kind's, until the next call or destroy
     * @return SW_E_MEMORY */
    enum sw_status (*fill)(void *own, int count, const double *column, struct sw_line_run *run, const double **param);
    void           (*destroy)(void *own);  /* NULL is fine */
};

/* The keys that give runs steps of their own. */
#define SW_LINE_TOLERANCE                                                                                            \
    {.path = "time.tolerance", .kind = SW_KEY_REAL, .unit = "1", .min = 1e-14, .max = 1,                             \
     .with = "time.tolerance", .fallback = "", .adaptive = "1e-4", .decides = true,                                  \
     .about = "The error a step may have, relative to u: each run then takes steps of its own, which land on the "   \
              "output times, and time.dt is the first one or is left out. For imex2 and imex3 "          \
              "(docs/explanation/adaptive_steps.md)."},                                                               \
    {.path = "time.tolerance_absolute", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300,                    \
     .with = "time.tolerance", .fallback = "0", .decides = true,                                                     \
     .about = "What the error of a step may have besides, in the unit of u, of all unknowns alike: values of u "     \
              "as small as this need not be right."},                                                               \
    {.path = "time.dt_max", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .above = true, .max = 1e300,                 \
     .with = "time.dt_max", .fallback = "", .decides = true,                                                         \
     .about = "The longest step that a run takes with time.tolerance. A pulse of a forcing that is shorter than a "  \
              "step may be passed over; of one that lasts as long as this, some step sees something."}

/** Set own_steps, goals and times of a stepper. */
void sw_line_own_steps(const struct sw_setup *setup, struct sw_stepper_desc *desc);

/** Why runs cannot take steps of their own, if they should: as sw_problem.validate_run(). */
const char *sw_line_validate_own_steps(const struct sw_setup *setup, char why[160]);

/** Make a sim.
 * @param desc  copied
 * @param own   taken over, on failure too
 * @return as sw_stepper_create() */
enum sw_status sw_line_sim_create(const struct sw_stepper_desc *desc, const struct sw_setup *setup,
                                  struct sw_device *device, const struct sw_line_model_ops *ops, void *own,
                                  struct sw_sim **sim);
#endif
