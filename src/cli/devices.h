#ifndef DEVICES_H
#define DEVICES_H
/* The devices of a run. */
#include "cli/open_sweep.h"
#include "run/sw_run_sweep.h"

/** Where to compute the runs that are asked for and not in `completed`: not on more devices than they make batches.
 * @param users  out: how many processes share a device; NULL: this one takes all */
enum sw_status cli_devices_open(const struct sw_cli *cli, const struct cli_sweep *s,
                                const struct sw_completed *completed, struct sw_devices *devices, int *users);
/** "NVIDIA H200"; of several "4 × NVIDIA H200 (cuda:0, cuda:1, cuda:2, cuda:3)" */
void cli_devices_name(const struct sw_devices *devices, struct sw_text *text);
double cli_devices_memory(const struct sw_devices *devices);  /* of the one that has least */
#endif
