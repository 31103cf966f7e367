#ifndef SWEEP_GROUPS_H
#define SWEEP_GROUPS_H
/* The shape of a run: all that runs of one group have in common. */
#include "sweep/column_values.h"
#include "sweep/sw_sweep.h"

struct shape {
    int n[SW_DIMS], dt, end, dim, row;   /* columns; -1: none                                                 */
    int size;                           /* numbers that tell a shape: these, arguments of the times, words      */
    int words;                          /* where the words begin                                                */
    int listed;                         /* dimensions that a list of the grid gives, 0: there is none           */
    int named, named_by;                /* dimensions that functions name (y: 2, z: 3), and the first that does  */
    bool uniform;                       /* all runs have one shape                                              */
};
enum { SHAPE_N, SHAPE_DIM = SHAPE_N + SW_DIMS, SHAPE_ROW, SHAPE_STEPS, SHAPE_TIMES };
/** Find what the shape of a run depends on (sw_sweep_own.shape). */
void shape_prepare(struct sw_sweep *s);
/** The shapes of a block of runs: out[j*size ..] for the j-th. */
enum sw_status shape_of_block(const struct sw_sweep *s, const struct column_block *block, double *out);

/** Free what a group holds. */
void group_free(struct sw_group *g);

/** Whether all runs have one point more than grid.n along x (sw_problem_shape.points). */
bool has_extra_point(const struct sw_sweep *s);
#endif
