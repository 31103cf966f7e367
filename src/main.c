/* sweep: batches of PDE problems that differ in their parameters, from one config file to one HDF5 file. */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "cli/sw_cli.h"

/* If the caller has closed a standard stream, the next file to be opened gets its number, and an output file would get
 * what goes to stderr. /dev/null takes the number, opened so that writing to it, or reading, fails as before. */
static void hold_standard_streams(void)
{
    for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++)
        if (fcntl(k, F_GETFD) < 0) (void)!open("/dev/null", k == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    struct sw_cli *cli = NULL;
    hold_standard_streams();
    signal(SIGXFSZ, SIG_IGN);  /* a file that may not grow (ulimit -f) is an error like a full disk */
    sw_mem_begin();
    enum sw_status st = sw_mem_check_margin();
    if (!st) st = sw_cli_parse(argc, argv, &cli);
    if (!st) st = sw_cli_dispatch(cli);
    if (st) sw_cli_print_error(cli, st);
    return sw_cli_end(&cli, st);
}
