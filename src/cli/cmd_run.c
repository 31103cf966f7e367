#include "base/sw_clock.h"
#include "cli/console.h"
#include "cli/event_log.h"
#include "cli/multi_process.h"
#include "cli/open_sweep.h"
#include "cli/run_and_resume.h"
#include "cli/signals.h"

static enum sw_status run_one(struct sw_cli *cli, const char *config)
{
    struct cli_sweep s;
    enum sw_status here = cli_sweep_open(cli, config, &s), st = sw_comm_agree(cli->comm, here);
    if (st == SW_E_STOPPED) run_print_nothing_stored(cli);
    if (!st) st = run_sweep(cli, &s);
    if (!here) cli_sweep_close(&s);
    return st;
}

enum sw_status cmd_run(struct sw_cli *cli)
{
    int worst = 0;
    if (cli->dry_run) return cmd_check(cli);
    if (cli->output && cli->narguments > 1)
        return SW_FAIL(SW_E_USAGE, "-o %s names one file, but there are %d configs; run them one by one", cli->output,
                       cli->narguments);
    SW_TRY(sw_comm_agree(cli->comm, event_log_open(cli)));
    run_start_clock(cli);
    for (int k = 0; k < cli->narguments; k++) {
        cli->exit_code = 0;
        enum sw_status st = multi_process_any(cli, stop_signal != 0) ? SW_E_STOPPED : run_one(cli, cli->argument[k]);
        if (st && cli->muted) console_report(cli);  /* of which nothing is to be left */
        else if (st) sw_cli_print_error(cli, st);
        int code = st ? cli_exit_code(st) : cli->exit_code;
        if (code > worst) worst = code;
        if (st == SW_E_STOPPED) break;
    }
    cli->exit_code = worst;
    return SW_OK;
}
