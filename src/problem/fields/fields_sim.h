#ifndef FIELDS_SIM_H
#define FIELDS_SIM_H
/* Advance an ensemble of fields in two or three dimensions, periodic or between walls, all of one shape, by the
 * equations of field_terms.h with the W-methods of w_methods.h. A run is one field of each unknown with its own
 * numbers; runs never influence each other, and no bit of a run depends on the others in its batch, on their number or
 * on the number of threads.
 *
 * It is a struct sw_sim (problem/sw_sim.h), used as the steppers of lines are (problem/line/stepper/sw_stepper.h), with
 * ticks where runs take steps of their own. A state is [unknowns][z][y][x]; a field that is fetched is
 * [unknowns][count][z][y][x] float (desc.single) or double, scalars [count][SW_LINE_SCALARS], those of lines: sums are
 * over the box, waves counted by their |k|. */
#include "field/grid.h"
#include "problem/fields/field_terms.h"
#include "problem/fields/w_methods.h"
#include "problem/fields/walls.h"

struct fields_run {
    struct sw_grid grid;            /* desc.own_steps: its dt is not looked at */
    SW_LINE_STEP_KEYS(SW_LINE_STEP_NUMBER)
    double first_dt;                /* of desc.own_steps: time.dt; 0: chosen */
    int    pace;                    /* of desc.paces                         */
};

struct fields_desc {
    int64_t              n[SW_DIMS];  /* 1 along z in two dimensions                              */
    int                  capacity;    /* most runs a batch will have, >= 1                        */
    bool                 single;      /* fields are snapshotted in single precision               */
    bool                 own_steps;   /* as in struct sw_stepper_desc, with goals and times       */
    int64_t              goals;
    const double        *times;
    const struct sw_paces *paces;     /* likewise, of rows that fields_sim_takes_paces()          */
    enum sw_scheme       scheme;      /* not Crank-Nicolson                                       */
    int                  nparam;      /* numbers of a run: the RUN symbols of all programs        */
    const struct fields_terms *terms;                    /* borrowed, as the rest                 */
    const struct fields_terms *energy;                   /* whose right-hand side is its density; NULL: it is NaN  */
    const struct sw_program *initial[SW_UNKNOWNS_MOST];  /* in x, y, z; NULL: from set_state()    */
    bool                 walls[SW_DIMS];  /* both ends are points, at which `wall` says what holds */
    struct fields_wall   wall[SW_UNKNOWNS_MOST][SW_DIMS][2];
};

/* What makes the runs of a batch of the columns of a setup. */
struct fields_source {
    /** @param column  [ncolumn][count]  @param run  out: [count]
     * @param param   out: [nparam][count]: parameter k of run j is param[k*count + j]
     * @return SW_E_MEMORY */
    enum sw_status (*fill)(void *own, int count, const double *column, struct fields_run *run, double *param);
    void           (*destroy)(void *own);  /* NULL is fine */
    void            *own;
};

/** @param desc    copied
 *  @param row     of the table, "cpu.plain"; NULL: the first that fits the device and the shape
 *  @param device  borrowed
 *  @param source  copied; its own is taken over, on failure too
 *  @return SW_E_ARG; SW_E_CONFIG no such row, SW_E_ABSENT not here (both with the rows that fit); SW_E_MEMORY */
enum sw_status fields_sim_create(const struct fields_desc *desc, const char *row, struct sw_device *device,
                                 const struct fields_source *source, struct sw_sim **sim);

/** Bytes of device memory that it takes: a constant part and a part a run. Nothing is allocated. */
enum sw_status fields_sim_bytes(const struct fields_desc *desc, const char *row, const struct sw_device *device,
                                size_t *fixed, size_t *per_run);

/** Whether the row takes desc.paces on the device. @param row  as in create */
bool fields_sim_takes_paces(const struct fields_desc *desc, const char *row, const struct sw_device *device);

/** Whether the row of this name solves exactly (exact.h), or the first on the CPU that fits where it is NULL or "auto";
 * false where there is none. @param desc  not looked at where the row is named */
bool fields_sim_is_exact(const struct fields_desc *desc, const char *row);


/** The name of row k of the table, NULL after the last. */
const char *fields_sim_row(int k);
#endif
