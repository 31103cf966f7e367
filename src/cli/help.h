#ifndef HELP_H
#define HELP_H
/* What --help and --version print, on stdout (cmd_help.c). */
#include "cli/command_line.h"

void cli_help(const struct cli_command *command);     /* NULL: of all */
void cli_version(void);
#endif
