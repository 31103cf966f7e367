/* What `sweep help`, --help and --version print. */
#include <stdio.h>

#include "base/sw_err.h"
#include "base/sw_version.h"
#include "cli/command_line.h"
#include "comm/sw_comm_impl.h"
#include "expr/sw_math_library.h"

enum { LEFT = 64 };  /* room for the left column; returned is how much of it is used */

static int name_command(const struct cli_command *c, char left[LEFT])
{
    return snprintf(left, LEFT, "%s %s", c->name, c->arguments);
}

static int name_option(const struct cli_option *o, char left[LEFT])
{
    int n = o->letter ? snprintf(left, LEFT, "-%c, ", o->letter) : snprintf(left, LEFT, "    ");
    return n + snprintf(left + n, LEFT - (size_t)n, "--%s%s%s", o->name, o->argument ? " " : "",
                        o->argument ? o->argument : "");
}

/* Of the left column, in all tables. */
static int left_width(void)
{
    char left[LEFT];
    int most = 0, n;
    for (const struct cli_command *c = cli_command_table; c->name; c++)
        if ((n = name_command(c, left)) > most) most = n;
    for (const struct cli_option *o = cli_option_table; o->name; o++)
        if ((n = name_option(o, left)) > most) most = n;
    return most;
}

static void options_of(unsigned commands, int width)
{
    char left[LEFT];
    for (const struct cli_option *o = cli_option_table; o->name; o++) {
        if (!(o->commands & commands)) continue;
        name_option(o, left);
        printf("  %-*s  %s\n", width, left, o->about);
    }
}

static void help_all(void)
{
    const int width = left_width();
    printf("Usage: sweep CONFIG...            run a sweep (the same as: sweep run CONFIG...)\n"
           "       sweep COMMAND ARGUMENT...  [OPTION...]\n\n"
           "Advances a batch of PDE problems that differ in their parameters, together, on a GPU or the CPU, and\n"
           "writes fields and error norms to one HDF5 file.\n\nCommands:\n");
    for (const struct cli_command *c = cli_command_table; c->name; c++) {
        char left[LEFT];
        name_command(c, left);
        printf("  %-*s  %s\n", width, left, c->about);
    }
    printf("\nOptions (`sweep help COMMAND` shows those of one command):\n");
    options_of(CLI_ANY, width);
    printf("\nExit status: 0 all runs done; 1 finished, some runs diverged or failed; 2 command line; 3 config;\n"
           "4 device or memory; 5 input or output; 75 stopped early, the same command continues; 130 interrupted.\n");
}

static void print_help(const struct cli_command *c)
{
    if (!c) { help_all(); return; }
    printf("Usage: sweep %s%s%s [OPTION...]\n%c%s.\n\n", c->name, *c->arguments ? " " : "", c->arguments,
           c->about[0] - 'a' + 'A', c->about + 1);
    if (c->bit == CLI_ASK)
        printf("A line of input is a row, {\"a\": 0.3, \"b\": 2}, or a list of rows, [{..}, {..}], which are computed\n"
               "as one batch; its answer is a line with an object, or a list of objects: run, status, the scalars at\n"
               "the end, message, and again (true: the row has been asked for before); or error, why it is no row.\n"
               "The axes of the config name the parameters. All runs are in the output file at the end of the\n"
               "input.\n\n");
    printf("Options:\n");
    options_of(c->bit, left_width());
}

static void print_version(void)
{
#ifdef SW_HAVE_CUDA
    const char *cuda = "with CUDA";
#else
    const char *cuda = "without CUDA (CPU only)";
#endif
    printf("sweep %s\n", SW_VERSION);
    if (*sw_build.commit) printf("commit   %s%s\n", sw_build.commit, sw_build.dirty ? " with uncommitted changes" : "");
    else if (!*sw_build.package) printf("commit   unknown: the sources were no git checkout\n");
    if (*sw_build.package) printf("package  %s\n", sw_build.package);
    printf("compiler %s, %s\nbuilt    %s", sw_build.compiler, sw_build.flags, cuda);
    for (int k = 0; sw_comm_table[k]; k++)
        if (sw_comm_table[k]->apart)
            printf(", %s %s", sw_comm_table[k]->absent ? "without" : "with", sw_comm_table[k]->name);
    printf("\nmath     %s\n", sw_math_library());
}

enum sw_status cmd_help(struct sw_cli *cli)
{
    const char *word = cli->narguments ? cli->argument[0] : NULL;
    if (cli->version) { print_version(); return SW_OK; }
    if (cli->help_of) { print_help(cli->help_of); return SW_OK; }
    const struct cli_command *command = word ? cli_command_find(word) : NULL;
    if (word && !command) {
        const char *near = cli_command_near(word);
        return SW_FAIL(SW_E_USAGE, near ? "unknown command '%s'; did you mean '%s'?"
                       : "unknown command '%s'; `sweep help` lists the commands", word, near);
    }
    print_help(command);
    return SW_OK;
}
