#include <string.h>

#include "base/sw_nearest_name.h"
#include "cli/command_line.h"
#include "cli/command_table.h"

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

const char *cli_command_near(const char *word)
{
    const char *names[CLI_COMMAND_COUNT];
    for (int k = 0; k < CLI_COMMAND_COUNT; k++) names[k] = cli_command_table[k].name;
    return sw_nearest_name(word, names, CLI_COMMAND_COUNT);
}
