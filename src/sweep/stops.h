#ifndef SWEEP_STOPS_H
#define SWEEP_STOPS_H
/* What ends runs early: stop.steady, a column of the run table, and stop.when, an expression over reductions; and the
 * times at which the runs are looked at, the multiples of stop.every, or of output.scalars.every without it. */
#include "sweep/sw_sweep.h"

/** Fills sw_sweep.stops and .stop_when, and reports what is refused. @return SW_E_MEMORY */
enum sw_status stops_read(struct sw_sweep *s);
void stops_free(struct sw_sweep *s);
#endif
