#include <string.h>

#include "cli/cli_impl.h"

const struct cli_command cli_command_table[] = {
    {"run", "CONFIG...", "run a sweep; continue what an interrupted run left", CLI_RUN, 1, 1 << 20, cmd_run},
    {"check", "CONFIG...", "validate, compile and plan; write nothing", CLI_CHECK, 1, 1 << 20, cmd_check},
    {"status", "FILE", "what is done, diverged and pending, also while it runs", CLI_STATUS, 1, 1, cmd_status},
    {"resume", "FILE", "go on with the sweep stored in an output file", CLI_RESUME, 1, 1, cmd_resume},
    {"show", "FILE", "the table of runs and error norms", CLI_SHOW, 1, 1, cmd_show},
    {"plot", "FILE", "draw a picture of an output file", CLI_PLOT, 1, 1, cmd_plot},
    {"merge", "PART... -o FILE", "join the files of shards", CLI_MERGE, 1, 1 << 20, cmd_merge},
    {"bench", "SPEC", "verify, then time rows of the tables side by side", CLI_BENCH, 1, 1, cmd_bench},
    {"init", "[PROBLEM]", "print a commented example config", CLI_INIT, 0, 1, cmd_init},
    {"explain", "[KEY]", "what a config key means", CLI_EXPLAIN, 0, 1, cmd_explain},
    {"list", "", "problems, steppers, solvers and devices of this program", CLI_LIST, 0, 0, cmd_list},
    {0},
};

const struct cli_command *cli_command_find(const char *name)
{
    for (const struct cli_command *c = cli_command_table; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}
