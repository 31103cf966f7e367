#include "cli/cli_impl.h"

enum sw_status cmd_help(struct sw_cli *cli)
{
    const char *word = cli->narguments ? cli->argument[0] : NULL;
    const struct cli_command *command = word ? cli_command_find(word) : NULL;
    if (word && !command) {
        const char *near = cli_command_near(word);
        return SW_FAIL(SW_E_USAGE, near ? "unknown command '%s'; did you mean '%s'?"
                                        : "unknown command '%s'; `sweep help` lists the commands", word, near);
    }
    cli_help(command);
    return SW_OK;
}
