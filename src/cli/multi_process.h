#ifndef MULTI_PROCESS_H
#define MULTI_PROCESS_H
/* One sweep by several processes that mpirun has started. All but the first of these functions are collective, and
 * trivial for a single process. */
#include "cli/open_sweep.h"
#include "run/sw_run_sweep.h"

/** Perform a command: by all processes, those that run a sweep; by the first of them, others. */
enum sw_status multi_process_run(struct sw_cli *cli, enum sw_status (*perform)(struct sw_cli *cli));
/** @param what  "another config": what has to be the same for all, and has this digest @return SW_E_REFUSED */
enum sw_status multi_process_check_same(const struct sw_cli *cli, const char *what, uint64_t digest);
uint64_t multi_process_sweep_digest(const struct cli_sweep *s);         /* of the runs asked for, and the file */
uint64_t multi_process_completed_digest(const struct sw_completed *completed);
/** The status of the first process, to those that have no failure of their own. */
enum sw_status multi_process_share_status(const struct sw_cli *cli, enum sw_status st);
bool multi_process_any(const struct sw_cli *cli, bool here);        /* whether it is so for any of them    */
/** @param devices, users  of this process: its devices, how many processes share one */
enum sw_status multi_process_plan(const struct sw_cli *cli, int devices, int users, struct sw_plan_sharing *sharing);
#endif
