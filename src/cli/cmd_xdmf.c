/* sweep xdmf FILE: FILE.xdmf beside FILE.h5, for ParaView; also written at the end of a sweep. */

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "store/files/sw_output.h"

static enum sw_status write_xdmf(const struct sw_cli *cli, const char *file)
{
    struct sw_xdmf_summary sum;
    char size[24], *name = NULL;
    SW_TRY(sw_xdmf_write(file, &sum));
    name = sw_xdmf_name(file);
    if (!name) return SW_FAIL(SW_E_MEMORY, "out of memory");
    console_message(cli, "xdmf     %s: %lld output%s of %lld run%s, %s; in ParaView take the reader \"XDMF Reader\"\n",
                    name,
                    (long long)sum.grids, sum.grids == 1 ? "" : "s", (long long)sum.runs, sum.runs == 1 ? "" : "s",
                    format_bytes((double)sum.bytes, size));
    sw_free(name);
    return SW_OK;
}

enum sw_status xdmf_update(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file)
{
    bool ours;
    if (sweep->xdmf) return write_xdmf(cli, file);
    SW_TRY(sw_xdmf_find(file, &ours));
    if (!ours) return SW_OK;
    return sweep->save_fields ? write_xdmf(cli, file) : sw_xdmf_remove(file);
}

enum sw_status cmd_xdmf(struct sw_cli *cli)
{
    char *file;
    SW_TRY(cli_output_path(cli->argument[0], &file));
    enum sw_status st = write_xdmf(cli, file);
    sw_free(file);
    return st;
}
