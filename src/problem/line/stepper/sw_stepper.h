#ifndef SW_STEPPER_H
#define SW_STEPPER_H
/* Advance an ensemble of lines, periodic or not, all of one length n, by the line equation
 * (docs/explanation/line_equations.md and line_methods.md). A line has one unknown u, or up to SW_UNKNOWNS_MOST, for
 * each of which
 *
 *     u_t = L u + (G(u))_xx + N,     L u = a0 u + a1 u_x + a2 u_xx + a3 u_xxx - a4 u_xxxx,     x_i = x0 + i dx
 *
 * with L implicit, its coefficients numbers of the run, G and N explicit: each stage of a method solves
 * A u = right-hand side, A = (1 + s0) I + s1 d1 - s2 d2 + s3 d3 + s4 d4 with the differences of line_point.h.
 * A run is one line with its own coefficients and parameters; runs never influence each other, and no bit of a run
 * depends on the others in its batch, on their number or on the number of threads.
 *
 * A stepper is a struct sw_sim (problem/sw_sim.h): load, initial (or set_state), then advance / snapshot / fetch as
 * often as wanted. On a device all of these queue work and return; fetch and get_state wait.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_status.h"
#include "device/sw_snapshot.h"
#include "device/sw_device.h"
#include "expr/sw_expr.h"
#include "problem/line/stepper/ends_point.h"
#include "problem/line/stepper/line_point.h"
#include "problem/line/stepper/own_steps_point.h"
#include "problem/line/stepper/scalars_point.h"
#include "problem/sw_sim.h"

/* How the steps are taken: theta = 1/2 of the implicit part; theta = 1; two stages, ARS(2,2,2); three, ARK3(2)4L[2]SA
 * (problem/line/stepper/imex.h). */
enum sw_scheme { SW_CRANK_NICOLSON, SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3 };

/* Programs here may use the CELL symbol x, the POINT symbols of the unknowns at the point (slots of enum sw_input), u
 * being the first, the STEP symbol t, and what is said of each. */

/* What is known of an unknown at an end of its line: nothing, as the line is periodic; its value and its second
 * derivative; or its first and its third. The line then begins and ends with a point there (ends_point.h). All unknowns
 * are periodic, or none is at any end. */
struct sw_line_end {
    enum sw_line_end_kind    kind;
    const struct sw_program *first, *second;  /* of the time; NULL: 0 */
};

struct sw_line_model {                /* what all runs of a batch have in common; programs are borrowed */
    enum sw_scheme           scheme;
    int                      nparam;  /* parameters of a run: the RUN symbols of all programs             */
    int                      unknowns;  /* 0 counts as 1 */
    unsigned                 orders;  /* bit k: L may have an a_k beside a2 and a4, k = 0, 1, 3            */
    const struct sw_program *initial[SW_UNKNOWNS_MOST];  /* at step 0, in x; NULL: from set_state()  */
    const struct sw_program *g[SW_UNKNOWNS_MOST];        /* G, in the unknown itself alone; NULL: none */
    const struct sw_program *explicit_term[SW_UNKNOWNS_MOST];  /* N, the user's forcing among it, in x, t, all unknowns
                                                                * and their neighbours; NULL: none */
    struct sw_line_end       end[2][SW_UNKNOWNS_MOST];   /* left, right                                    */
    struct sw_line_mass      mass[SW_UNKNOWNS_MOST];     /* P of each unknown's equation; periodic lines only */
    const struct sw_program *energy;  /* density in x, u, u_x (ux); NULL: energy is reported as NaN        */
};

/** How many unknowns a line has. Not `unknowns ? unknowns : 1`, of which GCC 12 at -O3 makes 0 in some loops. */
static inline int sw_line_unknowns(const struct sw_line_model *model)
{
    return model->unknowns > 1 ? model->unknowns : 1;
}

/** Whether it ends, at its first and its last point. */
static inline bool sw_line_ended(const struct sw_line_model *model) { return model->end[0][0].kind != SW_END_PERIODIC; }

/** Whether P of some unknown is not 1. */
static inline bool sw_line_any_mass(const struct sw_line_model *model)
{
    for (int v = 0; v < sw_line_unknowns(model); v++)
        if (sw_line_has_mass(&model->mass[v])) return true;
    return false;
}

/* The keys of runs that take steps of their own, each with the member of struct sw_line_run that holds its number, 0
 * where a config leaves it out. The row is all that such a key needs. */
#define SW_LINE_STEP_KEYS(KEY)                                                                                       \
    KEY(tolerance, "time.tolerance", .min = 1e-14, .max = 1, .with = "time.tolerance", .fallback = "",               \
        .adaptive = "1e-4",                                                                                          \
        .about = "The error a step may have, relative to u: each run then takes steps of its own, which land on the " \
                 "output times, and time.dt is the first one or is left out. For imex2 and imex3 "                   \
                 "(docs/explanation/adaptive_steps.md).")                                                            \
    KEY(absolute, "time.tolerance_absolute", .min = 0, .max = 1e300, .with = "time.tolerance", .fallback = "0",      \
        .adaptive_only = "adds to time.tolerance",                                                                   \
        .about = "What the error of a step may have besides, in the unit of u, of all unknowns alike: values of u "  \
                 "as small as this need not be right.")                                                              \
    KEY(longest_dt, "time.dt_max", .min = 0, .above = true, .max = 1e300, .with = "time.dt_max", .fallback = "",     \
        .adaptive_only = "bounds the steps of time.tolerance",                                                       \
        .about = "The longest step that a run takes with time.tolerance. A pulse of a forcing that is shorter than " \
                 "a step may be passed over; of one that lasts as long as this, some step sees something.")
#define SW_LINE_STEP_NUMBER(member, ...) double member;
/* And where runs are made of columns: run[j].member of all `count`. */
#define SW_LINE_STEP_SET(member, name, ...)                                                                          \
    for (int j = 0, k = sw_setup_column(setup, name); j < count; j++)                                                \
        run[j].member = k < 0 ? 0 : column[(size_t)k * (size_t)count + (size_t)j];

struct sw_line_run {                  /* one run */
    double dt, dx, x0;                /* desc.own_steps: dt = 1, so that `a` is that of a step of 1 */
    struct sw_line_operator a[SW_UNKNOWNS_MOST];  /* of each unknown */
    SW_LINE_STEP_KEYS(SW_LINE_STEP_NUMBER)
    double first_dt;                  /* of desc.own_steps: time.dt; 0: chosen */
    int    pace;                      /* of desc.paces */
};

/** What a solve with A may be off by in the recursive form, relative to the field (docs/explanation/recursive_form.md):
 * 10 u (1 + sqrt|s2| + sqrt|s4|), of s2 and s4 over 1 + s0, where s1 and s3 are 0; else 10 u times the larger
 * sw_recursive_growth() of the two recursions. u = 2^-53, or 2^-24 in single precision.
 * @param a  A - 1: of another P than 1 sw_line_matrix_of() */
double sw_line_rounding(const struct sw_line_operator *a, bool single_steps);

/** The same for a row of the stepper table: rows that take a band solver, which are in double precision, may be off by
 * u (9 + c), c the condition of A, 1 + 4 s2 + 16 s4 where these are all and neither is negative, more where A is not
 * symmetric, times sw_band_error_growth() (docs/explanation/banded_solvers.md). A run for which this exceeds
 * SW_LINE_MAX_ROUNDING is refused.
 *  @param row  as in sw_stepper_create(), "auto" too; NULL, "auto" and an unknown name: one of the recursive form */
double sw_stepper_rounding(const char *row, const struct sw_line_operator *a, bool single_steps);
#define SW_LINE_MAX_ROUNDING 1e-3

/** Whether a row, so named, takes a band solver. */
bool sw_stepper_takes_band(const char *row);

struct sw_stepper_desc {
    int                  n;
    int                  capacity;    /* most runs a batch will have, >= 1                                */
    bool                 single;      /* fields are snapshotted in single precision                         */
    bool                 single_steps;  /* steps are taken in single precision: the state, as double, has floats */
    bool                 refined;     /* solves are off by little more than the rounding of their solutions: cpu.plain
                                       * and methods of imex.h; elsewhere this does nothing              */
    bool                 uniform;     /* the runs of a batch all have the same s4 and s2, which load() checks; rows that
                                       * keep a matrix may keep one                                      */
    bool                 own_steps;   /* each run takes steps of its own, whose errors are within its tolerance;
                                       * advance() then counts ticks                                     */
    int64_t              goals;       /* own_steps: how many times[] there are after 0                   */
    const double        *times;       /* [goals + 1] ascending from 0, on which all runs land; borrowed; NULL where
                                       * nothing is advanced                                             */
    const struct sw_paces *paces;     /* as in the setup; of rows that sw_stepper_takes_paces(); borrowed      */
    struct sw_line_model model;
};

/* The scalars of a run are those of scalars_point.h, in its order. Sums are taken in an order fixed by n and the row of
 * the stepper table (field/sum_point.h; cuda/line/line_scalars_rtc.cuh). */

/* What makes the runs of a batch of the columns of a setup. */
struct sw_line_source {
    /** @param column  [ncolumn][count]
     * @param run     out: [count]
     * @param param   out: [model.nparam][count]: parameter k of run j is param[k*count + j]
     * @return SW_E_MEMORY */
    enum sw_status (*fill)(void *own, int count, const double *column, struct sw_line_run *run, double *param);
    void           (*destroy)(void *own);  /* NULL is fine */
    void            *own;
};

/* The operations, on lines. `load` finds why runs cannot be advanced (not positive definite, a pivot zero, not finite,
 * rounding beyond SW_LINE_MAX_ROUNDING): such a run is NaN from the start and harms no other. A run whose state is set
 * to what is not finite becomes NaN everywhere; diverged() then names the first step of the next advance. Advancing in
 * two calls gives the same bits as in one; a run whose field is no longer finite stops costing time. A field that is
 * fetched is [unknowns][count][n] float (desc.single) or double, scalars [count][SW_LINE_SCALARS]. A state is
 * [unknowns][n]; get then set gives the same bits.
 *
 * Where runs take steps of their own, tick k SW_OWN_STEPS_TICKS + i is i/SW_OWN_STEPS_TICKS of the way from times[k] to
 * times[k + 1]. At a tick with i = 0 all runs are at times[k]; at one in between each run is there or less than a step
 * beyond, so that a batch can be stopped and stored anywhere and no run's steps depend on where. Snapshots are of use
 * where i = 0. What a run records is its struct sw_own_steps. */

/** @param desc    copied
 *  @param row     row of the stepper table, "cpu.plain"; NULL: the first that fits the device and the shape. A name may
 *                 end in "+BAND" to choose the band solver of a row that has a choice: "cuda.split+cusparse.gpsv"
 *  @param device  borrowed
 *  @param source  copied; its own is taken over, on failure too
 *  @return SW_E_ARG; SW_E_CONFIG no such row, SW_E_ABSENT not here (both with the rows that fit); SW_E_MEMORY (bytes
 *          needed and free); SW_E_CUDA */
enum sw_status sw_stepper_create(const struct sw_stepper_desc *desc, const char *row, struct sw_device *device,
                                 const struct sw_line_source *source, struct sw_sim **sim);

/** Where the right-hand side of a run is not finite before its first step (struct sw_failure_place of sw_sim.h).
 * @param param  [desc->model.nparam] of the run alone  @param u  [unknowns][n], finite */
void sw_line_find_first_place(const struct sw_stepper_desc *desc, const struct sw_line_run *run, const double *param,
                              const double *u, struct sw_failure_place *place);

/** The name of row k of the table, NULL after the last. */
const char *sw_stepper_row(int k);

/** Bytes of device memory a stepper takes: a constant part and a part a run. Nothing is allocated.
 *  @param row  as in create; NULL allowed */
enum sw_status sw_stepper_bytes(const struct sw_stepper_desc *desc, const char *row, const struct sw_device *device,
                                size_t *fixed, size_t *per_run);

/** Whether the row takes desc.paces on the device. @param row  as in create; NULL allowed */
bool sw_stepper_takes_paces(const struct sw_stepper_desc *desc, const char *row, const struct sw_device *device);

#endif
