#ifndef SWEEP_REFINE_H
#define SWEEP_REFINE_H
/* The group `refine` of a config (sw_refine.h). The axes that are refined get the values of the finest grid, in
 * ascending order, and the runs become some of its points: those of the config, then those that were added. */
#include "sweep/cells.h"
#include "sweep/sw_refine.h"

struct refine {                   /* sw_sweep_own.refine; NULL: there is none                                         */
    struct sw_refine  shown;
    struct cells_grid grid;
    int64_t *count;               /* [naxis] values that the config gives each axis                      */
    int64_t *listed[CELLS_DIMS];  /* [count] which value of the config is the i-th in ascending order */
    double   slices;              /* points of the other axes                                            */
};

/** Read the group, once axes are combined. @return SW_E_MEMORY */
enum sw_status refine_read(struct sw_sweep *s);

/** Check it, once scalars and columns are known, and sweep.where has left its runs. @return SW_E_MEMORY */
enum sw_status refine_check(struct sw_sweep *s);

/** The number of a point: of those of the config the one that it has without refinement, so that a stream of random
 * numbers is the same; of others one that the number of levels does not change. */
double refine_number(const struct sw_sweep *s, int64_t point);
#endif
