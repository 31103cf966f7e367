#ifndef RUN_AND_RESUME_H
#define RUN_AND_RESUME_H
/* What `sweep run` and `sweep resume` share. */
#include "cli/open_sweep.h"

/** The clock of --max-time starts; from here on a signal asks for a clean stop. */
void run_start_clock(struct sw_cli *cli);
/** Compute what is missing of a sweep and write its output file. */
enum sw_status run_sweep(struct sw_cli *cli, struct cli_sweep *s);
/** Say that it was stopped before a result or a checkpoint. */
void run_print_nothing_stored(const struct sw_cli *cli);
#endif
