#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "comm/sw_launch.h"

enum { LONG = 256, MOST = 64 };  /* getopt_long's value of row k without a letter is LONG + k */

/* getopt's two descriptions of the option table. */
struct getopt_tables { char letters[2 * MOST + 2]; struct option names[MOST + 1]; };

static void fill_getopt_tables(struct getopt_tables *g)
{
    char *p = g->letters;
    *p++ = ':';  /* getopt then distinguishes a missing argument from an unknown option */
    for (int k = 0; k < MOST && cli_option_table[k].name; k++) {
        const struct cli_option *o = &cli_option_table[k];
        g->names[k] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL, LONG + k};
        if (!o->letter) continue;
        *p++ = (char)o->letter;
        if (o->argument) *p++ = ':';
    }
}

static const struct cli_option *option_of(int value)
{
    if (value >= LONG) return &cli_option_table[value - LONG];
    for (const struct cli_option *o = cli_option_table; o->name; o++)
        if (o->letter == value) return o;
    return NULL;
}

static enum sw_status unknown_option(const char *word)
{
    const char *names[MOST];
    int count = 0;
    char plain[64];
    if (word[1] != '-') return SW_FAIL(SW_E_USAGE, "unknown option '-%c'; `sweep --help` lists them", optopt);
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (!strcmp(plain, "virtual"))
        return SW_FAIL(SW_E_USAGE, "--virtual is no option any more: leave it out, and FILE gets a copy of the "
                       "fields, so that it needs its parts no longer");
    for (; cli_option_table[count].name; count++) names[count] = cli_option_table[count].name;
    const char *near = sw_nearest_name(plain, names, count);
    if (near) return SW_FAIL(SW_E_USAGE, "unknown option '--%s'; did you mean '--%s'?", plain, near);
    return SW_FAIL(SW_E_USAGE, "unknown option '--%s'; `sweep --help` lists them", plain);
}

static enum sw_status refuse_option(int value, const char *word)
{
    const struct cli_option *o = optopt ? option_of(optopt) : NULL;
    if (value == ':' && o) return SW_FAIL(SW_E_USAGE, "option '%s' needs its %s", word, o->argument);
    if (o && !o->argument) return SW_FAIL(SW_E_USAGE, "option '--%s' takes no value", o->name);
    return unknown_option(word);
}

static enum sw_status set_option(struct sw_cli *cli, const struct cli_option *o, const char *value, unsigned char *seen)
{
    char *place = (char *)cli + o->offset;
    seen[o - cli_option_table] = 1;
    if (o->argument && !*value) return SW_FAIL(SW_E_USAGE, "option '--%s' needs its %s, not ''", o->name, o->argument);
    if (o->set) return o->set(cli, value);
    if (o->argument) *(const char **)(void *)place = value;
    else *(bool *)(void *)place = true;
    return SW_OK;
}

static enum sw_status parse_options(struct sw_cli *cli, int argc, char **argv, unsigned char *seen)
{
    struct getopt_tables g = {0};
    int value;
    fill_getopt_tables(&g);
    opterr = 0;
    optind = 1;
    while ((value = getopt_long(argc, argv, g.letters, g.names, NULL)) != -1) {
        if (value == '?' || value == ':') return refuse_option(value, argv[optind - 1]);
        SW_TRY(set_option(cli, option_of(value), optarg, seen));
    }
    cli->argument = argv + optind;
    cli->narguments = argc - optind;
    return SW_OK;
}

/* A word that is not a command is a config when it could be the name of a file. */
static enum sw_status find_command(struct sw_cli *cli)
{
    const char *word = cli->argument[0];
    if (!cli->narguments) return SW_OK;
    cli->command = cli_command_find(word);
    if (cli->command) { cli->argument++; cli->narguments--; return SW_OK; }
    if (strpbrk(word, "./") || access(word, F_OK) == 0) { cli->command = cli_command_find("run"); return SW_OK; }
    const char *near = cli_command_near(word);
    if (near) return SW_FAIL(SW_E_USAGE, "unknown command '%s'; did you mean '%s'?", word, near);
    return SW_FAIL(SW_E_USAGE, "unknown command '%s', and no such file; `sweep --help` lists the commands", word);
}

/* What follows -- is for sbatch. getopt has moved it to the end of the arguments, as it was. */
static void keep_sbatch_arguments(struct sw_cli *cli, int after)
{
    if (!cli->command || cli->command->bit != CLI_SUBMIT) return;
    cli->narguments -= after;
    cli->job.passed = cli->argument + cli->narguments;
    cli->job.npassed = after;
}

static int count_after_dashes(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (!strcmp(argv[k], "--")) return argc - k - 1;
    return 0;
}

static enum sw_status check_command(const struct sw_cli *cli, const unsigned char *seen)
{
    const struct cli_command *c = cli->command;
    if (!c || cli->help || cli->version) return SW_OK;
    for (int k = 0; cli_option_table[k].name; k++)
        if (seen[k] && !(cli_option_table[k].commands & c->bit))
            return SW_FAIL(SW_E_USAGE, "`sweep %s` has no option '--%s'; see `sweep %s --help`", c->name,
                           cli_option_table[k].name, c->name);
    if (cli->narguments < c->least) return SW_FAIL(SW_E_USAGE, "`sweep %s` needs %s", c->name, c->arguments);
    if (cli->narguments > c->most)
        return SW_FAIL(SW_E_USAGE, "`sweep %s` does not take '%s'", c->name, cli->argument[c->most]);
    return SW_OK;
}

static char *quote_command_line(int argc, char **argv)
{
    struct sw_text t = {0};
    for (int k = 0; k < argc; k++) {
        bool plain = *argv[k] && !strpbrk(argv[k], " \t\n'\"\\$&|;<>()*?!`[]{}#~");
        const char *base = strrchr(argv[k], '/');
        if (k == 0) { sw_text_add(&t, base ? base + 1 : argv[k]); continue; }
        sw_text_add(&t, plain ? " " : " '");
        for (const char *p = argv[k]; *p; p++)
            if (*p == '\'') sw_text_add(&t, "'\\''");
            else sw_text_add_bytes(&t, p, 1);
        if (!plain) sw_text_add(&t, "'");
    }
    return sw_text_take(&t);
}

static bool decide(enum cli_when when, bool automatic) { return when == CLI_ALWAYS || (when == CLI_AUTO && automatic); }

static void detect_terminal(struct sw_cli *cli)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
    cli->terminal = isatty(STDERR_FILENO);
    cli->utf8 = console_locale_is_utf8();
    cli->colored = decide(cli->color, terminal && !(no_color && *no_color));
    cli->bar = !cli->quiet && decide(cli->progress, terminal);
}

enum sw_status sw_cli_parse(int argc, char **argv, struct sw_cli **out)
{
    struct sw_cli *cli = NULL;
    unsigned char seen[MOST] = {0};
    *out = NULL;
    SW_TRY(sw_alloc(1, &cli));
    *out = cli;  /* also on failure: it knows how to print */
    cli->utf8 = console_locale_is_utf8();
    cli->comm = sw_comm_null();
    cli->local_ranks = 1;
    cli->muted = sw_launched().rank > 0;
    cli->command_line = quote_command_line(argc, argv);
    if (!cli->command_line) return SW_FAIL(SW_E_MEMORY, "out of memory");
    const int after = count_after_dashes(argc, argv);
    SW_TRY(parse_options(cli, argc, argv, seen));
    detect_terminal(cli);
    SW_TRY(find_command(cli));
    keep_sbatch_arguments(cli, after);
    if (!cli->command && !cli->help && !cli->version)
        return SW_FAIL(
            SW_E_USAGE,
            "a config or a command is needed; `sweep --help` lists the commands, `sweep init` prints a config");
    return check_command(cli, seen);
}
