#ifndef FIELDS_SIM_IMPL_H
#define FIELDS_SIM_IMPL_H
/* What the author of a row that steps fields sees. One file a row; its row goes into the table in fields_sim.c. */
#include "base/row.h"
#include "device/sw_device.h"
#include "problem/fields/fields_sim.h"
#include "problem/fields/solves.h"
#include "problem/line/stepper/stepped.h"
#include "problem/sw_setup.h"

struct fields_sim;

struct fields_row_ops {
    SW_ROW;
    bool           (*fits)(const struct fields_desc *desc, int sm);  /* on a device of compute capability sm/10 */
    bool           (*slower)(const struct fields_desc *desc, int sm);  /* of many runs, though it fits, than rows
                                                                        * behind it; NULL: never               */
    const char      *misfit;   /* why it does not */
    bool             takes_walls;  /* else the axes of all its fields are periodic */
    bool             takes_paces;  /* else all runs of a batch take as many steps  */
    /** Without those of solves. */
    void           (*bytes)(const struct fields_desc *desc, const struct sw_device *device, size_t *fixed,
                            size_t *per_run);
    size_t           own_size; /* bytes of own */
    const struct fields_solves *solves;  /* how its steps solve; NULL: in a way of its own. On a device it says only
                                          * what P is, and what solves may be off by */
    /** Fills own, which is zeros, and the sim's arrays. */
    enum sw_status (*create)(struct fields_sim *sim);
    /** run, param and count are in the sim. @param load_error  in: set where the front found one; out: likewise */
    enum sw_status (*load)(struct fields_sim *sim, const char **load_error);
    enum sw_status (*advance)(struct fields_sim *sim, int64_t from, int64_t to);
    /** What one more step of dt F would change of each run, over the range of u, of the unknown where that is most; 0
     * where a run has stopped, and where it is less than FIELDS_SEEN of u. NULL: not looked at.
     * @param change  out: [count] */
    enum sw_status (*look_ahead)(struct fields_sim *sim, double *change);
    void           (*destroy)(struct fields_sim *sim);  /* what is not in arrays */
    const struct sw_sim_ops *sim;  /* those of a sim that are the row's: snapshots, failures, states, records */
};

extern const struct fields_row_ops *const fields_sim_table[];  /* ends with NULL */

#define FIELDS_SEEN 1e-3

#ifdef SW_HAVE_CUDA
#define FIELDS_CUDA_ABSENT NULL
#else
#define FIELDS_CUDA_ABSENT SW_WITHOUT_CUDA
#endif

struct fields_sim {
    SW_STEPPED;                       /* step -1: not since they were loaded */
    const struct fields_row_ops *ops;
    struct fields_source         source;
    struct fields_desc           desc;
    struct fields_run           *run;  /* [capacity] */
};

/** The sim of fields that a sim is. */
static inline struct fields_sim *fields_sim_of(const struct sw_sim *sim) { return (struct fields_sim *)sim; }

/** The step of run j at a step of the batch, which is a tick with desc.paces. */
static inline int64_t fields_step(const struct fields_sim *s, int j, int64_t step)
{
    return sw_pace_step(s->desc.paces, s->run[j].pace, step);
}

/** Whether they have no walls. */
static inline bool fields_are_periodic(const struct fields_desc *d)
{
    return !d->walls[0] && !d->walls[1] && !d->walls[2];
}

/** Points of an unknown, and numbers of a run. */
static inline size_t fields_points(const struct fields_desc *d) { return (size_t)sw_points(d->n); }
static inline size_t fields_size(const struct fields_desc *d) { return fields_points(d) * (size_t)d->terms->unknowns; }
#endif
