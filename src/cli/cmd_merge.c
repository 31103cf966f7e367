#include "cli/cli_impl.h"

/* What the sweep that the files are of would do at its end. */
static enum sw_status end_sweep(struct sw_cli *cli)
{
    struct sw_ledger *ledger = NULL;
    struct cli_sweep s;
    SW_TRY(cli_ledger(cli, cli->output, &ledger));
    enum sw_status st = cli_sweep_stored(cli, cli->output, ledger, &s);
    sw_ledger_close(&ledger);
    if (st) return st;
    cli_suggest(cli, s.sweep, cli->output);
    st = cli_xdmf(cli, s.sweep, cli->output);
    cli_sweep_close(&s);
    return st;
}

enum sw_status cmd_merge(struct sw_cli *cli)
{
    struct sw_merge_summary sum;
    struct sw_merge_options how = {.overwrite = cli->force, .as_virtual = cli->as_virtual, .report = &cli->report,
                                   .summary = &sum};
    if (!cli->output) return SW_FAIL(SW_E_USAGE, "`sweep merge` needs -o FILE, the file to make");
    SW_TRY(sw_merge((const char *const *)cli->argument, cli->narguments, cli->output, &how, NULL));
    cli_report(cli);
    cli_say(cli, "merged   %d file%s into %s: %lld runs%s\n", cli->narguments, cli->narguments == 1 ? "" : "s",
            cli->output, (long long)sum.runs,
            cli->as_virtual ? "; virtual: the fields stay in the files, to be kept and moved with it" : "");
    cli->exit_code = sum.not_done > 0;
    return end_sweep(cli);
}
