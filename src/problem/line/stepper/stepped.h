#ifndef STEPPED_H
#define STEPPED_H
/* What the sims of lines (sw_stepper_impl.h) and of fields (problem/fields/fields_sim_impl.h) have in common: a batch
 * of runs that a row of a table takes from step to step, or from tick to tick where each run takes steps of its own. */
#include "device/sw_owned.h"
#include "problem/sw_sim.h"

#define SW_STEPPED_MEMBERS                                                                                             \
    struct sw_sim        sim;        /* first: the operations get a pointer to it */                                   \
    struct sw_sim_ops    operations; /* to which sim.ops points, and the groups in it */                               \
    struct sw_state_ops  states;                                                                                       \
    struct sw_record_ops records;                                                                                      \
    struct sw_device    *device;                                                                                       \
    int                  capacity;                                                                                     \
    bool                 ticks;      /* each run takes steps of its own, to `goals` times: struct sw_stepper_desc */   \
    int64_t              goals;                                                                                        \
    const double        *times;                                                                                        \
    const struct sw_paces *paces;    /* desc.paces */                                                                  \
    int                  count;      /* runs of the batch loaded */                                                    \
    int64_t              step;       /* to which the state was advanced */                                             \
    double              *param;      /* [nparam][count] of the batch loaded; room for capacity */                      \
    struct sw_owned      arrays;     /* of these and of own, freed when it is destroyed */                             \
    void                *own
struct sw_stepped { SW_STEPPED_MEMBERS; };
/* The first member of such a sim: its members by their own names, or together as `stepped`. */
#define SW_STEPPED                     \
    union {                            \
        struct sw_stepped stepped;     \
        struct { SW_STEPPED_MEMBERS; }; \
    }

/** Give the sim a row's operations; operations, states and records are copies that may be changed. With ticks, records
 * say what steps were taken.
 * @param row  states, snapshots, failures; with ticks get and set of records */
void sw_stepped_take_operations(struct sw_stepped *stepped, const struct sw_sim_ops *row);

/** What load() and advance() have to look at first; advance: and the step that it leads to.
 * @return SW_E_ARG more runs than there is room for; steps backwards, or beyond the times */
enum sw_status sw_stepped_load(const struct sw_stepped *stepped, int count);
enum sw_status sw_stepped_advance(struct sw_stepped *stepped, int64_t from, int64_t to);

/** Why a run cannot take steps of its own with these, a static text; NULL: it can. */
const char *sw_own_steps_fault(double tolerance, double absolute, double first_dt);

/** Why a run with steps of its own has stopped before its end. @param absolute  whether it has an absolute tolerance */
void sw_stepped_explain_end(const struct sw_stepped *stepped, const double *record, bool absolute,
                            struct sw_text *text);

/** Free it, what is in its arrays, and own. */
void sw_stepped_free(struct sw_stepped *stepped);
#endif
