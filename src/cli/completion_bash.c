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

static void print_values(void)
{
    for (const struct cli_option *o = cli_option_table; o->name; o++) {
        struct sw_text words = {0};
        if (!o->argument) continue;
        fputs("        ", stdout);
        print_name(o, "|");
        fputs(") ", stdout);
        const enum completion_kind kind = completion_of_option(o, &words);
        print_replies(kind, sw_text_get(&words));
        fputs("; return ;;\n", stdout);
        sw_text_free(&words);
    }
}

static void print_options(unsigned commands)
{
    for (const struct cli_option *o = cli_option_table; o->name; o++)
        if (o->commands & commands) {
            putchar(' ');
            print_name(o, " ");
        }
}

static void print_command(const struct cli_command *c)
{
    struct sw_text words = {0};
    printf("        %s)\n            if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '", c->name);
    print_options(c->bit);
    fputs("' -- \"$cur\")\n            else ", stdout);
    const enum completion_kind kind = completion_of_command(c, &words);
    print_replies(kind, sw_text_get(&words));
    fputs("; fi ;;\n", stdout);
    sw_text_free(&words);
}

void completion_bash(void)
{
    fputs(head, stdout);
    print_with_values();
    fputs(middle, stdout);
    print_values();
    fputs("    esac\n    [[ $command && ! \" ", stdout);
    for (const struct cli_command *c = cli_command_table; c->name; c++) printf("%s ", c->name);
    fputs("\" == *\" $command \"* ]] && command=run\n    case $command in\n", stdout);
    for (const struct cli_command *c = cli_command_table; c->name; c++) print_command(c);
    fputs("        *)\n            if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '", stdout);
    print_options(CLI_ANY);
    fputs("' -- \"$cur\")\n            else\n                _sweep_files \"$cur\" .cfg\n"
          "                mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '", stdout);
    for (const struct cli_command *c = cli_command_table; c->name; c++) printf(" %s", c->name);
    fputs("' -- \"$cur\")\n            fi ;;\n    esac\n}\n"
          "complete -o bashdefault -o default -F _sweep sweep\n", stdout);
}
