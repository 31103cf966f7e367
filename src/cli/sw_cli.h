#ifndef SW_CLI_H
#define SW_CLI_H
/* The command line: `sweep COMMAND ARGUMENT... OPTION...`. Results go to stdout, everything else to stderr. */
#include "base/sw_status.h"

struct sw_cli;

/** Parse argv, which is permuted. @return SW_E_USAGE with a message that names the nearest word; SW_E_MEMORY */
enum sw_status sw_cli_parse(int argc, char **argv, struct sw_cli **cli);

/** Perform the command. @return the failure that ended it */
enum sw_status sw_cli_dispatch(struct sw_cli *cli);

/** Print the failure a call returned. cli may be NULL. */
void sw_cli_print_error(struct sw_cli *cli, enum sw_status st);

/** The exit code of the program (docs: sweep(1), EXIT STATUS) and the end of cli. NULL and *NULL are fine. */
int sw_cli_end(struct sw_cli **cli, enum sw_status st);
#endif
