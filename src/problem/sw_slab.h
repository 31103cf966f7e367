#ifndef SW_SLAB_H
#define SW_SLAB_H
/* Slabs of a grid that is cut over ranks, of a set-up that sw_setup_cut() has made. */
#include "problem/sw_setup.h"

/** The axis along which a set-up is cut. */
int sw_slab_axis(const struct sw_setup *slab);
/* Of slabs of all ranks, collective. Without one (NULL) both return at once. */
/** The largest of numbers on any rank, for each of them. @return SW_E_COMM */
enum sw_status sw_slab_max(const struct sw_setup *slab, size_t count, double *values);
/** The first points of the next slab, which are beside the last ones of this.
 * @param u      [points of the slab], one piece of the grid
 * @param plane  out: [points across the axis that is cut], free with sw_free(); NULL where no slab follows
 * @return SW_E_MEMORY, SW_E_COMM */
enum sw_status sw_slab_next_plane(const struct sw_setup *slab, const double *u, double **plane);
#endif
