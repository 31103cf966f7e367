#ifndef SWEEP_GRID_SETTINGS_H
#define SWEEP_GRID_SETTINGS_H
/* The numbers of the grid. grid.n, grid.length and grid.x0 are one number for all dimensions or a list of one for each;
 * a problem that may have more than one dimension has the columns "grid.n" (x), "grid.n.1" (y), "grid.n.2" (z), and so
 * for the others (problem/grid_keys.h). */
#include "sweep/sw_sweep.h"

/** At least 1. */
static inline int grid_max_dim(const struct sw_problem *problem)
{
    return problem->shape->max_dim > 1 ? problem->shape->max_dim : 1;
}

/** The first list in the group `grid`, NULL: there is none. */
const struct sw_setting *grid_list(const struct sw_sweep *s);

/** The list at grid.n, grid.length or grid.x0, NULL: there is none. */
const struct sw_setting *grid_list_at(const struct sw_sweep *s, const char *path);

/** Report lists that the problem cannot have, or that differ in length. */
void grid_check(const struct sw_sweep *s);

struct grid_quantity {
    const char *path[SW_DIMS];  /* "grid.n", "grid.n.1", "grid.n.2"                */
    double      unused;         /* its number in a dimension that a run has not    */
};
/** The quantity that a column is of, NULL: none. @param dimension  out: in which dimension */
const struct grid_quantity *grid_quantity_of(const char *path, int *dimension);
#endif
