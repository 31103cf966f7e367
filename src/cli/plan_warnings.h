#ifndef PLAN_WARNINGS_H
#define PLAN_WARNINGS_H
/* What a plan gives cause to warn of before a run starts: disk space, many batches, output times that no step has, and
 * what the problem knows about its runs. */
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "run/sw_run_sweep.h"

/* Time of a batch beside its steps, in ms: its part of the file is written, and joined with the others. Measured with
 * 600 and 2,000 parts of a few kB, most of it in HDF5; a slow disk takes more. */
enum { BATCH_OVERHEAD_MS = 20 };

/** Each warning once, by `print`. */
void plan_warnings_print(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *plan,
                         console_printer *print);
#endif
