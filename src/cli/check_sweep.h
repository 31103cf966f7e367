#ifndef CHECK_SWEEP_H
#define CHECK_SWEEP_H
/* Everything `sweep run` does before it computes, and a short trial of the device; nothing is written. */
#include "cli/open_sweep.h"

enum sw_status check_sweep(struct sw_cli *cli, struct cli_sweep *s);
#endif
