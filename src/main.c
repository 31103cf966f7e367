/* sweep: batches of PDE problems that differ in their parameters, from one config file to one HDF5 file. */
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/sw_cli.h"

/* What opens next would get the number of a standard stream that is closed: an output file what goes to stderr, the
 * answer of sbatch what goes to stdout. Each is held by what refuses as a closed one does: to be written, or read. */
static void hold_standard_streams(void)
{
    for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++)
        if (fcntl(k, F_GETFD) < 0) (void)!open("/dev/null", k == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    struct sw_cli *cli = NULL;
    hold_standard_streams();
    enum sw_status st = sw_cli_parse(argc, argv, &cli);
    if (!st) st = sw_cli_dispatch(cli);
    if (st) sw_cli_print_error(cli, st);
    return sw_cli_end(&cli, st);
}
