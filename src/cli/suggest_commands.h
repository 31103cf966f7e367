#ifndef SUGGEST_COMMANDS_H
#define SUGGEST_COMMANDS_H
/* Lines "next     sweep ..." about a finished result: commands that can be typed as they stand. */
#include "cli/command_line.h"
#include "sweep/sw_sweep.h"

void suggest_commands(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file);
#endif
