#include <stdio.h>

#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/completion.h"

static const char head[] =
    "#compdef sweep\n"
    "# zsh completion of sweep, printed by `sweep completion zsh`\n"
    "_sweep_files() {  # _sweep_files ENDING...\n"
    "    local ending\n"
    "    (( $# )) || { _files; return }\n"
    "    for ending; do _files -g \"*$ending\"; done\n"
    "}\n"
    "_sweep() {\n"
    "    local command= option=$words[CURRENT-1] k\n"
    "    local -a options commands\n";

static const char find_command[] =
    "    for ((k = 2; k < CURRENT; k++)); do\n"
    "        if (( $with_value[(Ie)$words[k]] )); then ((k++))\n"
    "        elif [[ $words[k] != -* ]]; then command=$words[k]; break; fi\n"
    "    done\n"
    "    if [[ $PREFIX == --*=* ]]; then\n"
    "        option=${PREFIX%%=*}\n"
    "        compset -P '*='\n"
    "    fi\n"
    "    case $option in\n";

static void print_replies(enum completion_kind kind, const char *words)
{
    if (kind == COMPLETE_FILES) printf("_sweep_files%s", words);
    else if (kind == COMPLETE_KEYS) printf("compadd -q -S = --%s", words);
    else if (kind == COMPLETE_WORDS) printf("compadd --%s", words);
    else fputs(":", stdout);
}

/* 'name:what it is', as _describe takes it */
static void print_described(const char *dashes, const char *name, const char *about)
{
    struct sw_text text = {0};
    sw_text_printf(&text, "%s%s:%s", dashes, name, about);
    putchar(' ');
    completion_quote(sw_text_get(&text));
    sw_text_free(&text);
}

static void print_options(unsigned commands)
{
    fputs("options=(", stdout);
    for (const struct cli_option *o = cli_option_table; o->name; o++) {
        const char letter[2] = {(char)o->letter, 0};
        if (!(o->commands & commands)) continue;
        if (o->letter) print_described("-", letter, o->about);
        print_described("--", o->name, o->about);
    }
    fputs(" )", stdout);
}

static void begin(void)
{
    fputs(head, stdout);
    fputs("    local -a with_value=(", stdout);
    completion_print_with_values();
    fputs(" )\n    commands=(", stdout);
    for (const struct cli_command *c = cli_command_table; c->name; c++) print_described("", c->name, c->about);
    fputs(" )\n", stdout);
    fputs(find_command, stdout);
}

static void print_option(const struct cli_option *o, enum completion_kind kind, const char *words)
{
    if (!o->argument) return;
    fputs("        ", stdout);
    if (o->letter) printf("-%c|", o->letter);
    printf("--%s) ", o->name);
    print_replies(kind, words);
    fputs("; return ;;\n", stdout);
}

static void begin_commands(void)
{
    fputs("    esac\n    [[ -z $command || -n ${(M)commands:#$command:*} ]] || command=run\n    case $command in\n",
          stdout);
}

static void print_command(const struct cli_command *c, enum completion_kind kind, const char *words)
{
    printf("        %s) ", c->name);
    print_options(c->bit);
    fputs("\n            [[ $PREFIX == -* ]] || { ", stdout);
    print_replies(kind, words);
    fputs("; return } ;;\n", stdout);
}

static void end(void)
{
    fputs("        *) ", stdout);
    print_options(CLI_ANY);
    fputs("\n            [[ $PREFIX == -* ]] ||\n"
          "                { _describe -t commands command commands; _sweep_files .cfg; return } ;;\n"
          "    esac\n    _describe -o option options\n}\n"
          "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _sweep \"$@\"; else compdef _sweep sweep; fi\n",
          stdout);
}

const struct completion_shell completion_zsh = {"zsh", begin, print_option, begin_commands, print_command, end};
