/* sweep: batches of PDE problems that differ in their parameters, from one config file to one HDF5 file. */
#include <stddef.h>

#include "cli/sw_cli.h"

int main(int argc, char **argv)
{
    struct sw_cli *cli = NULL;
    enum sw_status st = sw_cli_parse(argc, argv, &cli);
    if (!st) st = sw_cli_perform(cli);
    if (st) sw_cli_complain(cli, st);
    return sw_cli_end(&cli, st);
}
