#ifndef SWEEP_COLUMNS_H
#define SWEEP_COLUMNS_H
/* The columns of the run table: number keys that decide, axes, defines; and where their numbers come from. */
#include "sweep/formula.h"
#include "sweep/sw_sweep.h"

enum source_kind { SOURCE_CONSTANT, SOURCE_AXIS, SOURCE_FORMULA, SOURCE_GRID, SOURCE_STEP, SOURCE_RUN };

struct source {                         /* where the numbers of a column come from                              */
    enum source_kind         kind;
    double                   number;    /* CONSTANT                                                             */
    int                      axis;      /* AXIS                                                                 */
    struct formula          *formula;   /* FORMULA                                                              */
    int                      like, dim, dimension;  /* GRID: column `like` in a run whose column `dim` is above     */
    double                   unused;                /* `dimension`, else this                                       */
    const struct sw_setting *setting;   /* NULL: a default                                                      */
    bool                     unknown;   /* refused or missing, or it needs one that is: reported, checked no more */
};

/** Make the columns with their sources, the scope of names, the order to compute in; report cycles, and lists of the
 * grid that the problem cannot have.
 * @return SW_E_MEMORY */
enum sw_status columns_make(struct sw_sweep *s);

/** At least 1. */
static inline int grid_max_dim(const struct sw_problem *problem)
{
    return problem->shape->max_dim > 1 ? problem->shape->max_dim : 1;
}

/** The first list in the group `grid`, NULL: there is none. */
const struct sw_setting *grid_list(const struct sw_sweep *s);

/** The column of a key by its path, of an axis or define by its name; -1: none. */
int column_find(const struct sw_sweep *s, const char *name);

/** The column that an expression means by a name: axes and defines, then visible keys by their last part; -1: none. */
int column_in_scope(const struct sw_sweep *s, const char *name);

/** Whether all runs have the same value. */
bool value_uniform(const struct sw_sweep *s, const struct run_value *value);

/** Whether all columns that a value needs are known. */
bool value_known(const struct sw_sweep *s, const struct run_value *value);
#endif
