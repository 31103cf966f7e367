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
 * Life of a stepper: create; then for each batch: load, initial (or set_state), then advance / snapshot / fetch as
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
    const struct sw_program *s[SW_UNKNOWNS_MOST];        /* N, in x, t, all unknowns and their neighbours; NULL: none */
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

struct sw_line_run {                  /* one run */
    double dt, dx, x0;                /* desc.own_steps: dt = 1, so that `a` is that of a step of 1 */
    struct sw_line_operator a[SW_UNKNOWNS_MOST];  /* of each unknown */
    double tolerance, absolute, first_dt, longest_dt;  /* of desc.own_steps: relative to u and not; first_dt 0: chosen;
                                                        * longest_dt 0: as long as may be */
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
    struct sw_line_model model;
};

/* The scalars of a run are those of scalars_point.h, in its order. Sums are taken in an order fixed by n and the row of
 * the stepper table (field/sum_point.h; cuda/line/line_scalars_rtc.cuh). */

struct sw_stepper;

/** @param desc    copied
 *  @param row     row of the stepper table, "cpu.plain"; NULL: the first that fits the device and the shape. A name may
 *                 end in "+BAND" to choose the band solver of a row that has a choice: "cuda.split+cusparse.gpsv"
 *  @param device  borrowed
 *  @return SW_E_ARG; SW_E_CONFIG no such row, SW_E_ABSENT not here (both with the rows that fit); SW_E_MEMORY (bytes
 *          needed and free); SW_E_CUDA */
enum sw_status sw_stepper_create(const struct sw_stepper_desc *desc, const char *row, struct sw_device *device,
                                 struct sw_stepper **stepper);
void sw_stepper_destroy(struct sw_stepper **stepper);
/** The name of row k of the table, NULL after the last. */
const char *sw_stepper_row(int k);
const char *sw_stepper_name(const struct sw_stepper *stepper);  /* "cpu.plain+cpu.thomas" */

/** What the solves of one step may be off by together in any run loaded, relative to the field: each by
 * sw_stepper_rounding(), and by what the method makes of the errors of the stages before it. */
double sw_stepper_step_rounding(const struct sw_stepper *stepper);

/** What a stepper counts for a point and step, when it advances by so many steps at once; NaN: not counted. */
struct sw_cost sw_stepper_cost(const struct sw_stepper *stepper, int64_t steps);

/** Bytes of device memory a stepper takes: a constant part and a part a run. Nothing is allocated.
 *  @param row  as in create; NULL allowed */
enum sw_status sw_stepper_bytes(const struct sw_stepper_desc *desc, const char *row, const struct sw_device *device,
                                size_t *fixed, size_t *per_run);

/** Compile what a row would compile at run time, on any machine that has the compiler, so that its errors are seen
 * before a run. A row that compiles nothing is SW_OK.
 *  @param row  as in create; NULL: the first row of this build that compiles something
 *  @param sm   90 for sm_90
 *  @return SW_E_ABSENT no compiler here, or no such row; SW_E_CUDA with the compiler's log */
enum sw_status sw_stepper_try_compile(const struct sw_stepper_desc *desc, const char *row, int sm);

/** Begin a batch: set coefficients, factor the matrices.
 *  @param count  runs, 1 .. capacity
 *  @param run    [count]; copied
 *  @param param  [nparam][count]: parameter k of run j is param[k*count + j]; copied
 *  @param load_error  out [count]: NULL, or why run j cannot be advanced (not positive definite, a pivot zero, not
 *                     finite, rounding beyond SW_LINE_MAX_ROUNDING), a static text; such a run is NaN from the start
 *                     and harms no other
 *  @return SW_E_ARG; SW_E_CUDA */
enum sw_status sw_stepper_load(struct sw_stepper *stepper, int count, const struct sw_line_run *run,
                               const double *param, const char **load_error);

/** Set the state of all runs from model.initial, at step 0. @return SW_E_ARG one is NULL */
enum sw_status sw_stepper_initial(struct sw_stepper *stepper);

/** Set, or get, the state of all runs: u [count][unknowns][n] double on the host. Both wait. get then set gives the
 * same bits. A run whose field is not finite becomes NaN everywhere; sw_stepper_diverged() then names the first step of
 * the next advance. */
enum sw_status sw_stepper_set_state(struct sw_stepper *stepper, const double *u);
enum sw_status sw_stepper_get_state(struct sw_stepper *stepper, double *u);

/* Where the state lies on a device with memory of its own: the number of run j, unknown v and point i is
 * u[j*line + v*unknown + i*point]. A run that has not -1 in first_bad is not finite, whatever its numbers. */
struct sw_stepper_state { const double *u; size_t point, unknown, line; const long long *first_bad; };

/** The state, for kernels that are queued behind the steps; until the next call of any other function.
 * @return false: the row's state is on the host */
bool sw_stepper_device_state(const struct sw_stepper *stepper, struct sw_stepper_state *state);

/* Where runs take steps of their own, tick k SW_OWN_STEPS_TICKS + i is i/SW_OWN_STEPS_TICKS of the way from
 * times[k] to times[k + 1]. At a tick with i = 0 all runs are at times[k]; at one in between each run is there or less
 * than a step beyond, so that a batch can be stopped and stored anywhere and no run's steps depend on where. Snapshots
 * are of use where i = 0. */

/** Take steps from .. to-1, from the state at time from*dt to the state at to*dt. Advancing in two calls gives the same
 * bits as in one. A run whose field is no longer finite stops costing time. */
enum sw_status sw_stepper_advance(struct sw_stepper *stepper, int64_t from, int64_t to);

/** Take a snapshot of the state as it is at this point of the queue, into one of SW_SNAPSHOT_SLOTS slots.
 *  @param what  SW_SNAPSHOT_FIELD, SW_SNAPSHOT_SCALARS or both */
enum sw_status sw_stepper_snapshot(struct sw_stepper *stepper, int slot, int what);

/** Wait for a snapshot. May be called from another thread than the rest (one at a time per slot).
 *  @param field    out: [unknowns][count][n] float (desc.single) or double on the host; NULL if not snapshotted
 *  @param scalars  out: [count][SW_LINE_SCALARS] double on the host; NULL if not snapshotted
 *  Both belong to the stepper and stay valid until the slot is snapshotted again. Runs that are not finite hold NaN. */
enum sw_status sw_stepper_fetch(struct sw_stepper *stepper, int slot, const void **field, const double **scalars);

/* Where a run failed: between points first and last the right-hand side of an unknown is not finite, and the unknown is
 * largest, of such points, at `at`; or not infinite: the right-hand side is largest at `at`. */
struct sw_line_place { bool known, infinite; int unknown, first, last, at; };

/** Where run j failed, which sw_stepper_diverged() named since the last load() or set_state().
 * @return .known false: the row does not know */
struct sw_line_place sw_stepper_place(const struct sw_stepper *stepper, int j);

/** The first step after which each run was not finite: u at step[j]*dt is the first bad field; -1: finite so far. 0
 * where the initial value is not finite, or load() found a load_error. Waits.
 *  @param step  out [count] */
enum sw_status sw_stepper_diverged(struct sw_stepper *stepper, int64_t *step);

/** Get, or set after set_state(), what the steps of all runs depend on and have been: where they take their own. Both
 * wait. @param steps  [count] */
enum sw_status sw_stepper_get_own_steps(struct sw_stepper *stepper, struct sw_own_steps *steps);
enum sw_status sw_stepper_set_own_steps(struct sw_stepper *stepper, const struct sw_own_steps *steps);
#endif
