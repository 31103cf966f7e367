#include <string.h>

#include "cli/cli_impl.h"

const struct cli_command cli_command_table[] = {
#define X(bit, name, arguments, least, most, about) {#name, arguments, about, CLI_##bit, least, most, cmd_##name},
    CLI_COMMANDS(X)
#undef X
    {0},
};

const struct cli_command *cli_command_find(const char *name)
{
    for (const struct cli_command *c = cli_command_table; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}
