#ifndef SWEEP_REDUCTIONS_H
#define SWEEP_REDUCTIONS_H
/* Expressions over reductions of fields: output.scalars.define, scalars of the user's own beside those of the problem
 * (and of a problem whose unknowns have names of the user's, the mean, the least and the greatest value of each); and
 * stop.when. */
#include "expr/sw_reduction.h"
#include "sweep/sw_sweep.h"

struct config_reduction { const struct sw_setting *setting /* NULL: of an unknown */; struct sw_reduction *reduction; };

/** List what the series hold: fills sw_sweep.scalar and .defined, and reports expressions that are refused.
 * @return SW_E_MEMORY */
enum sw_status scalars_read(struct sw_sweep *s);

/** Read what ends runs early: stop.steady, a column of the run table, stop.when, and the times at which the runs are
 * looked at, the multiples of stop.every, or of output.scalars.every without it. Fills sw_sweep.stops and .stop_when,
 * and reports what is refused. @return SW_E_MEMORY */
enum sw_status stops_read(struct sw_sweep *s);
void reductions_free(struct sw_sweep *s);

/** The group output.scalars.define that the config has; NULL: it has none. */
const struct sw_setting *scalars_setting(const struct sw_sweep *s);
#endif
