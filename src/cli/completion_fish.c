#include <stdio.h>

#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/completion.h"

static const char head[] =
    "# fish completion of sweep, printed by `sweep completion fish`\n"
    "function __sweep_command  # the command that stands on the line; run where it begins with a config\n"
    "    set -l words (commandline -opc)\n"
    "    set -l skip 1\n"
    "    for word in $words\n"
    "        if test $skip -eq 1\n"
    "            set skip 0\n"
    "        else if contains -- $word $__sweep_with_value\n"
    "            set skip 1\n"
    "        else if not string match -q -- '-*' $word\n"
    "            contains -- $word $__sweep_commands; and echo $word; or echo run\n"
    "            return\n"
    "        end\n"
    "    end\n"
    "end\n"
    "function __sweep_in; contains -- (__sweep_command; or true) $argv; end\n"
    "function __sweep_begins; test -z (__sweep_command | string collect; or echo ''); end\n"
    "function __sweep_files; for ending in $argv; __fish_complete_suffix $ending; end; end\n"
    "complete -c sweep -f\n";

/* Single quotes of fish: \ and ' are escaped with \. */
static void quote(const char *text)
{
    putchar('\'');
    for (; *text; text++) printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('\'');
}

static void print_values(enum completion_kind kind, const char *words)
{
    if (kind == COMPLETE_WORDS || kind == COMPLETE_KEYS) {
        fputs(" -a \"", stdout);
        for (const char *p = words; *p; p++)
            if (kind == COMPLETE_KEYS && *p == ' ' && p > words) fputs("= ", stdout);
            else putchar(*p);
        fputs(kind == COMPLETE_KEYS ? "=\"" : "\"", stdout);
    } else if (kind == COMPLETE_FILES && *words) printf(" -a '(__sweep_files%s)'", words);
    else if (kind == COMPLETE_FILES) fputs(" -F", stdout);
}

/* "__sweep_begins; or __sweep_in run check" */
static void print_condition(unsigned commands)
{
    fputs(" -n '__sweep_begins; or __sweep_in", stdout);
    for (const struct cli_command *c = cli_command_table; c->name; c++)
        if (c->bit & commands) printf(" %s", c->name);
    putchar('\'');
}

static void begin(void)
{
    fputs("set -g __sweep_commands", stdout);
    completion_print_commands();
    fputs("\nset -g __sweep_with_value", stdout);
    completion_print_with_values();
    putchar('\n');
    fputs(head, stdout);
}

static void print_option(const struct cli_option *o, enum completion_kind kind, const char *words)
{
    fputs("complete -c sweep", stdout);
    print_condition(o->commands);
    if (o->letter) printf(" -s %c", o->letter);
    printf(" -l %s", o->name);
    if (o->argument) {
        fputs(kind == COMPLETE_FILES ? " -r" : " -x", stdout);
        print_values(kind, words);
    }
    fputs(" -d ", stdout);
    quote(o->about);
    putchar('\n');
}

static void begin_commands(void) { fputs("complete -c sweep -n __sweep_begins -a '(__sweep_files .cfg)'\n", stdout); }

static void print_command(const struct cli_command *c, enum completion_kind kind, const char *words)
{
    printf("complete -c sweep -n __sweep_begins -a %s -d ", c->name);
    quote(c->about);
    putchar('\n');
    if (kind == COMPLETE_NOTHING) return;
    printf("complete -c sweep -n '__sweep_in %s'", c->name);
    print_values(kind, words);
    putchar('\n');
}

static void end(void) {}

const struct completion_shell completion_fish = {"fish", begin, print_option, begin_commands, print_command, end};
