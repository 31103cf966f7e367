#ifndef SWEEP_SELECT_H
#define SWEEP_SELECT_H
/* Which points of the axes are runs: sweep.where. */
#include "sweep/sw_sweep.h"

/** Leave out the runs for which sweep.where, where it is set, does not hold; those left are numbered again, in the same
 * order. Reports an expression that is refused, that has no value somewhere, or that holds nowhere; where the report
 * has errors already, the expression is looked at, but no run is left out. @return SW_E_MEMORY */
enum sw_status where_apply(struct sw_sweep *s);
#endif
