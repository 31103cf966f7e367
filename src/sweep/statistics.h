#ifndef SWEEP_STATISTICS_H
#define SWEEP_STATISTICS_H
/* The group `statistics` of a config. */
#include "sweep/sw_sweep.h"

/** Read it into sw_sweep.statistics, as a text; there are axes, scalars and output
 * times by then, it is known what is the same in all runs, and these have been checked. @return SW_E_MEMORY */
enum sw_status statistics_read(struct sw_sweep *s);
#endif
