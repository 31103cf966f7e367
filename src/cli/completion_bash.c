#include <stdio.h>

#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/completion.h"

/* Words that = and : cut are put together again, then the command is the first that is neither an option nor the value
 * of one. Without a match the shell completes file names. */
static const char head[] =
    "# bash completion of sweep, printed by `sweep completion bash`\n"
    "_sweep_files() {  # _sweep_files WORD ENDING...: files, and folders on the way to them\n"
    "    local word=$1 ending\n"
    "    shift\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    [[ $# -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "    [[ $# -eq 0 ]] || mapfile -t COMPREPLY < <(\n"
    "        for ending; do compgen -f -X \"!*$ending\" -- \"$word\"; done\n"
    "        compgen -d -- \"$word\")\n"
    "}\n"
    "_sweep() {\n"
    "    local words=() word glue='' command='' option='' cur k\n"
    "    for word in \"${COMP_WORDS[@]:0:COMP_CWORD+1}\"; do\n"
    "        if [[ ${#words[@]} -gt 0 && ( $glue || $word == [=:] ) ]]; then words[${#words[@]}-1]+=$word\n"
    "        else words+=(\"$word\"); fi\n"
    "        if [[ $word == [=:] ]]; then glue=1; else glue=''; fi\n"
    "    done\n"
    "    cur=${words[${#words[@]}-1]}\n"
    "    for ((k = 1; k < ${#words[@]} - 1; k++)); do\n"
    "        case ${words[k]} in\n";

static const char middle[] =
    ") ((k++)) ;;\n"
    "            -*) ;;\n"
    "            *) command=${words[k]}; break ;;\n"
    "        esac\n"
    "    done\n"
    "    option=${words[${#words[@]}-2]}\n"
    "    [[ $cur == --*=* ]] && option=${cur%%=*} cur=${cur#*=}\n"
    "    COMPREPLY=()\n"
    "    case $option in\n";

static void print_name(const struct cli_option *o, const char *between)
{
    if (o->letter) printf("-%c%s", o->letter, between);
    printf("--%s", o->name);
}

/* "            -s|--set|-o|--output|..." of the options with a value */
static void print_with_values(void)
{
    const char *bar = "            ";
    for (const struct cli_option *o = cli_option_table; o->name; o++) {
        if (!o->argument) continue;
        fputs(bar, stdout);
        print_name(o, "|");
        bar = "|";
    }
}

static void print_replies(enum completion_kind kind, const char *words)
{
    if (kind == COMPLETE_FILES) printf("_sweep_files \"$cur\"%s", words);
    else if (kind == COMPLETE_KEYS)
        printf("compopt -o nospace 2>/dev/null\n"
               "            [[ $cur == *=* ]] || mapfile -t COMPREPLY < <(compgen -S = -W '%s' -- \"$cur\")", words);
    else if (kind == COMPLETE_WORDS) printf("mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")", words);
    else fputs(":", stdout);
}

static void begin(void)
{
    fputs(head, stdout);
    print_with_values();
    fputs(middle, stdout);
}

static void print_option(const struct cli_option *o, enum completion_kind kind, const char *words)
{
    if (!o->argument) return;
    fputs("        ", stdout);
    print_name(o, "|");
    fputs(") ", stdout);
    print_replies(kind, words);
    fputs("; return ;;\n", stdout);
}

static void begin_commands(void)
{
    fputs("    esac\n    [[ $command && ! \"", stdout);
    completion_print_commands();
    fputs(" \" == *\" $command \"* ]] && command=run\n    case $command in\n", stdout);
}

static void print_options(unsigned commands)
{
    for (const struct cli_option *o = cli_option_table; o->name; o++)
        if (o->commands & commands) {
            putchar(' ');
            print_name(o, " ");
        }
}

static void print_command(const struct cli_command *c, enum completion_kind kind, const char *words)
{
    printf("        %s)\n            if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '", c->name);
    print_options(c->bit);
    fputs("' -- \"$cur\")\n            else ", stdout);
    print_replies(kind, words);
    fputs("; fi ;;\n", stdout);
}

static void end(void)
{
    fputs("        *)\n            if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '", stdout);
    print_options(CLI_ANY);
    fputs("' -- \"$cur\")\n            else\n                _sweep_files \"$cur\" .cfg\n"
          "                mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '", stdout);
    completion_print_commands();
    fputs("' -- \"$cur\")\n            fi ;;\n    esac\n}\n"
          "complete -o bashdefault -o default -F _sweep sweep\n", stdout);
}

const struct completion_shell completion_bash = {"bash", begin, print_option, begin_commands, print_command, end};
