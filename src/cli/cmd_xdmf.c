#include "base/sw_mem.h"
#include "cli/open_sweep.h"
#include "cli/xdmf_file.h"

enum sw_status cmd_xdmf(struct sw_cli *cli)
{
    char *file;
    SW_TRY(cli_output_path(cli->argument[0], &file));
    enum sw_status st = xdmf_write(cli, file);
    sw_free(file);
    return st;
}
