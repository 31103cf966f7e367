#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "cli/run_messages.h"
#include "store/files/sw_output.h"

/* What the sweep that the files are of would do at its end. */
static enum sw_status end_sweep(struct sw_cli *cli, const char *file)
{
    struct sw_completed *completed = NULL;
    struct refined refined;
    struct cli_sweep s;
    SW_TRY(cli_completed_open(cli, file, &completed));
    enum sw_status st = cli_outline_stored(cli, file, completed, &s);
    sw_completed_close(&completed);
    if (st) return st;
    SW_TRY_TO(done, st, cli_sweep_refine(cli, &s, file, &refined));
    suggest_commands(cli, s.sweep, file);
    st = xdmf_update(cli, s.sweep, file);
done:
    cli_sweep_close(&s);
    return st;
}

static enum sw_status merge(struct sw_cli *cli, const char *file)
{
    struct sw_merge_summary sum;
    struct sw_merge_options how = {.overwrite = cli->force, .report = &cli->report, .summary = &sum};
    SW_TRY(sw_merge((const char *const *)cli->argument, cli->narguments, file, &how, NULL));
    console_report(cli);
    console_message(cli, "merged   %d file%s into %s: %lld runs\n", cli->narguments,
                    cli->narguments == 1 ? "" : "s", file, (long long)sum.runs);
    cli->exit_code = sum.not_done > 0;
    return end_sweep(cli, file);
}

enum sw_status cmd_merge(struct sw_cli *cli)
{
    char *file;
    if (!cli->output) return SW_FAIL(SW_E_USAGE, "`sweep merge` needs -o FILE, the file to make");
    SW_TRY(cli_option_folder(cli->output, NULL));
    SW_TRY(cli_output_path(cli->output, &file));
    enum sw_status st = merge(cli, file);
    sw_free(file);
    return st;
}
