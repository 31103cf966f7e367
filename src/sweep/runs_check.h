#ifndef SWEEP_RUNS_CHECK_H
#define SWEEP_RUNS_CHECK_H
/* Every run is checked before any is computed; of each kind of error the first run that has it is reported. Where a
 * part of the config was refused before, only what does not depend on it is checked, so that all errors are
 * reported together. */
#include "sweep/sw_sweep.h"

/** @return SW_E_MEMORY; the errors are in the report */
enum sw_status runs_check(struct sw_sweep *s);
#endif
