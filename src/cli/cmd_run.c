#include "base/sw_clock.h"
#include "cli/cli_impl.h"

static enum sw_status run_one(struct sw_cli *cli, const char *config)
{
    struct cli_sweep s;
    enum sw_status here = cli_sweep_open(cli, config, &s), st = sw_comm_agree(cli->comm, here);
    if (!st) st = cli_execute(cli, &s);
    if (!here) cli_sweep_close(&s);
    return st;
}

void cli_begin(struct sw_cli *cli)
{
    if (cli->max_seconds > 0) cli->deadline = sw_clock() + cli->max_seconds;
    cli_signals_catch();
}

enum sw_status cmd_run(struct sw_cli *cli)
{
    int worst = 0;
    if (cli->dry_run) return cmd_check(cli);
    if (cli->output && cli->narguments > 1)
        return SW_FAIL(SW_E_USAGE, "-o %s names one file, but there are %d configs; run them one by one", cli->output,
                       cli->narguments);
    SW_TRY(sw_comm_agree(cli->comm, cli_log_open(cli)));
    cli_begin(cli);
    for (int k = 0; k < cli->narguments; k++) {
        cli->exit_code = 0;
        enum sw_status st = cli_anybody(cli, cli_stop != 0) ? SW_E_STOPPED : run_one(cli, cli->argument[k]);
        if (st && cli->silent) cli_report(cli);  /* of which nothing is to be left */
        else if (st) sw_cli_complain(cli, st);
        int code = st ? cli_code(st) : cli->exit_code;
        if (code > worst) worst = code;
        if (st == SW_E_STOPPED) break;
    }
    cli->exit_code = worst;
    return SW_OK;
}
