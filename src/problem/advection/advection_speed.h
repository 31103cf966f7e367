#ifndef ADVECTION_SPEED_H
#define ADVECTION_SPEED_H
/* How fast it goes in `advection`, by samples, before a run is there. Of run j; setup is that of the run
 * (advection_setup_of()). */
#include "problem/sw_problem.h"

/** Whether some c names this: "t", "u", "x". */
bool advection_speed_names(const struct sw_setup *setup, const char *name);

/** The largest sum |c_d|/dx_d. @return SW_E_MEMORY */
enum sw_status advection_speed(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                               double *largest);

struct advection_wall { int d, side; };  /* the left (0) or right end of axis d; d = -1: all of the grid */

/** The largest c along its axis into the grid at a wall, and out of it; 0 at least. Where nothing is given there u is
 * that of time 0, and c that of then if it names u. @return SW_E_MEMORY */
enum sw_status advection_through(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 struct advection_wall wall, double *in, double *out);
#endif
