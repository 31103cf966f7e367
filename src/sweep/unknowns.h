#ifndef SWEEP_UNKNOWNS_H
#define SWEEP_UNKNOWNS_H
/* The unknowns of an equation that a config writes down: unknowns = ["u", "v"]; */
#include "sweep/sw_sweep.h"

/** Fill sw_sweep.unknown, and the fields of the output. Nothing where the problem's keys do not name unknowns; one
 * called u where the config leaves them out or what it says is refused. @return SW_E_MEMORY */
enum sw_status unknowns_read(struct sw_sweep *s);

/** The number of an unknown, -1: there is none of this name. */
int unknown_find(const struct sw_sweep *s, const char *name);
#endif
