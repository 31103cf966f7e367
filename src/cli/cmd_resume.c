#include "base/sw_mem.h"
#include "cli/check_sweep.h"
#include "cli/event_log.h"
#include "cli/open_sweep.h"
#include "cli/run_and_resume.h"
#include "store/files/sw_output.h"

enum sw_status cmd_resume(struct sw_cli *cli)
{
    char *file = NULL;
    struct sw_completed *completed = NULL;
    struct cli_sweep s = {0};
    if (cli->output) return SW_FAIL(SW_E_USAGE, "`sweep resume` continues the file it is given; it has no -o");
    run_start_clock(cli);
    enum sw_status st = cli_output_path(cli->argument[0], &file);
    if (!st) st = cli_completed_open(cli, file, &completed);
    if (!st) st = cli_sweep_stored(cli, file, completed, &s);
    sw_completed_close(&completed);
    if (!st) st = event_log_open(cli);
    st = sw_comm_agree(cli->comm, st);
    if (st == SW_E_STOPPED) run_print_nothing_stored(cli);
    if (!st) st = cli->dry_run ? check_sweep(cli, &s) : run_sweep(cli, &s);
    cli_sweep_close(&s);
    sw_free(file);
    return st;
}
