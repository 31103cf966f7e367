#include "base/sw_mem.h"
#include "cli/cli_impl.h"

enum sw_status cmd_resume(struct sw_cli *cli)
{
    char *file = NULL;
    struct sw_completed *completed = NULL;
    struct cli_sweep s = {0};
    if (cli->output) return SW_FAIL(SW_E_USAGE, "`sweep resume` goes on with the file it is given; it has no -o");
    enum sw_status st = cli_output_file(cli->argument[0], &file);
    if (!st) st = cli_completed(cli, file, &completed);
    if (!st) st = cli_sweep_stored(cli, file, completed, &s);
    sw_completed_close(&completed);
    if (!st) st = cli_log_open(cli);
    st = sw_comm_agree(cli->comm, st);
    cli_begin(cli);
    if (!st) st = cli->dry_run ? cli_check(cli, &s) : cli_execute(cli, &s);
    cli_sweep_close(&s);
    sw_free(file);
    return st;
}
