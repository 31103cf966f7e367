/* sweep completion SHELL: a script by which a shell completes commands, options and their values. All that it knows
 * comes from the tables of commands and options: three functions with arrays, which bash and zsh read alike. What a
 * shell does with them is in completion.bash and completion.zsh, printed behind. */
#include <stdio.h>
#include <string.h>

#include "base/sw_embed.h"
#include "base/sw_err.h"
#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/tables.h"
#include "problem/sw_problem.h"
#include "store/files/sw_output.h"
#include "sweep/sw_keys.h"

/* ---- words of the tables */

/* Each path once, but for elements of lists. */
static void add_keys(const struct sw_key *key, struct sw_text *words)
{
    char path[80];
    for (; key->path; key++) {
        snprintf(path, sizeof path, " %s ", key->path);
        if (key->element || key->kind == SW_KEY_NAMES || strstr(sw_text_get(words), path)) continue;
        if (words->length) words->length--;  /* the space behind the one before */
        sw_text_add(words, path);
    }
}

static void add_all_keys(struct sw_text *words)
{
    add_keys(sw_common_keys, words);
    for (int k = 0; sw_problem_table[k]; k++) add_keys(sw_problem_table[k]->keys, words);
}

/* @param key  of a table, as in `sweep list --json`; NULL: of all */
static void add_rows(const char *key, struct sw_text *words)
{
    struct table_row row;
    for (const struct cli_table *l = cli_tables; l->heading; l++)
        for (int k = 0; (!key || !strcmp(l->key, key)) && l->row(k, &row); k++) sw_text_printf(words, " %s", row.name);
}

/* An equation by the part of its name behind the dot, too, unless a problem has that name. */
static void add_examples(struct sw_text *words)
{
    add_rows("problems", words);
    add_rows("equations", words);
    for (int k = 0; cli_equation(k); k++)
        if (!sw_problem_find(cli_equation_short_name(cli_equation(k))))
            sw_text_printf(words, " %s", cli_equation_short_name(cli_equation(k)));
}

static void add_solvers(struct sw_text *words)
{
    sw_text_add(words, " auto");
    add_rows("steppers", words);
    add_rows("bvp_solvers", words);
    add_rows("tridiagonal_solvers", words);
    add_rows("elliptic_solvers", words);
    add_rows("difference_solvers", words);
}

static void add_all_words(struct sw_text *words)
{
    add_all_keys(words);
    add_rows(NULL, words);
}

static void add_commands(struct sw_text *words)
{
    for (const struct cli_command *c = cli_command_table; c->name; c++) sw_text_printf(words, " %s", c->name);
}

static void add_statuses(struct sw_text *words)
{
    for (int s = 0; s < SW_RUN_STATUSES; s++) sw_text_printf(words, " %s", sw_run_status_names[s]);
}

/* "a, b or c" as " a b c" */
static void add_listed(struct sw_text *words, const char *list)
{
    for (const char *p = list; *p; p += strcspn(p, ", "), p += strspn(p, ", ")) {
        const size_t length = strcspn(p, ", ");
        if (length == 2 && !strncmp(p, "or", 2)) continue;
        sw_text_add(words, " ");
        sw_text_add_bytes(words, p, length);
    }
}

static void add_when_words(struct sw_text *words) { add_listed(words, CLI_WHEN_WORDS); }

static void add_trust_words(struct sw_text *words) { add_listed(words, CLI_TRUST_WORDS); }

static void add_kind_words(struct sw_text *words) { add_listed(words, CLI_KIND_WORDS); }

/* ---- what stands for an argument, by its name. What is not here is the user's own. */

enum completion_kind {
    COMPLETE_NOTHING,  /* a number, an expression: the user's own                              */
    COMPLETE_WORDS,    /* these words                                                          */
    COMPLETE_KEYS,     /* these, each with a '=' and no space behind it                        */
    COMPLETE_FILES     /* files; words: their endings, ".cfg .h5"; none: any                   */
};

struct value {
    const char *argument;
    enum completion_kind kind;
    const char *words;
    void (*add)(struct sw_text *words);
};
static const struct value of_options[] = {
    {"FILE", COMPLETE_FILES, "", NULL},
    {"KEY=VALUE", COMPLETE_KEYS, NULL, add_all_keys},
    {"DEVICE", COMPLETE_WORDS, " auto cpu cuda", NULL},
    {"ROW", COMPLETE_WORDS, NULL, add_solvers},
    {"WHEN", COMPLETE_WORDS, NULL, add_when_words},
    {"STATUS", COMPLETE_WORDS, NULL, add_statuses},
    {"KIND", COMPLETE_WORDS, NULL, add_kind_words},
    {"WHOM", COMPLETE_WORDS, NULL, add_trust_words},
    {0},
};
static const struct value of_commands[] = {
    {"CONFIG", COMPLETE_FILES, " .cfg", NULL},
    {"FILE", COMPLETE_FILES, " .h5", NULL},
    {"FILE|CONFIG", COMPLETE_FILES, " .h5 .cfg", NULL},
    {"PART", COMPLETE_FILES, " .h5", NULL},
    {"NAME", COMPLETE_WORDS, NULL, add_examples},
    {"WORD", COMPLETE_WORDS, NULL, add_all_words},
    {"COMMAND", COMPLETE_WORDS, NULL, add_commands},
    {"SHELL", COMPLETE_WORDS, " bash zsh", NULL},
    {0},
};

/* "argument=(_sweep_files .h5)" of an argument named "FILE", "FILE..." or "[FILE]"; else "argument=(:)". */
static void print_argument(const struct value *v, const char *name)
{
    static const char *const function[] = {[COMPLETE_NOTHING] = ":", [COMPLETE_WORDS] = "_sweep_words",
                                           [COMPLETE_KEYS] = "_sweep_keys", [COMPLETE_FILES] = "_sweep_files"};
    struct sw_text words = {0};
    if (*name == '[') name++;
    const size_t length = strcspn(name, "]. ");
    while (v->argument && (strlen(v->argument) != length || strncmp(v->argument, name, length))) v++;
    if (v->words) sw_text_add(&words, v->words);
    if (v->add) v->add(&words);
    printf("argument=(%s%s)", function[v->argument ? v->kind : COMPLETE_NOTHING], sw_text_get(&words));
    sw_text_free(&words);
}

/* 'name:what it is', in single quotes as bash and zsh read them */
static void print_described(const char *dashes, const char *name, const char *about)
{
    printf(" '%s%s:", dashes, name);
    for (; *about; about++) printf(*about == '\'' ? "'\\''" : "%c", *about);
    putchar('\'');
}

/* "-o", between, "--output" */
static void print_names(const struct cli_option *o, const char *between)
{
    if (o->letter) printf("-%c%s", o->letter, between);
    printf("--%s", o->name);
}

/* "        run) options=('-s:...' ...) argument=(...) ;;", all options for `commands` of CLI_ANY */
static void print_command(const char *name, unsigned commands, const char *argument)
{
    printf("        %s) options=(", name);
    for (const struct cli_option *o = cli_option_table; o->name; o++) {
        if (!(o->commands & commands)) continue;
        if (o->letter) print_described("-", (const char[]){(char)o->letter, 0}, o->about);
        print_described("--", o->name, o->about);
    }
    fputs(" )\n            ", stdout);
    print_argument(of_commands, argument);
    fputs(" ;;\n", stdout);
}

static void print_tables(void)
{
    fputs("_sweep_tables() {\n    with_value=(", stdout);  /* options after which a word is no command */
    for (const struct cli_option *o = cli_option_table; o->name; o++) {
        if (!o->argument) continue;
        putchar(' ');
        print_names(o, " ");
    }
    fputs(" )\n    commands=(", stdout);
    for (const struct cli_command *c = cli_command_table; c->name; c++) print_described("", c->name, c->about);
    fputs(" )\n}\n_sweep_of_option() {\n    case $1 in\n", stdout);
    for (const struct cli_option *o = cli_option_table; o->name; o++) {
        if (!o->argument) continue;
        fputs("        ", stdout);
        print_names(o, "|");
        fputs(") ", stdout);
        print_argument(of_options, o->argument);
        fputs(" ;;\n", stdout);
    }
    fputs("    esac\n}\n_sweep_of_command() {\n    case $1 in\n", stdout);
    for (const struct cli_command *c = cli_command_table; c->name; c++) print_command(c->name, c->bit, c->arguments);
    print_command("*", CLI_ANY, "CONFIG");
    fputs("    esac\n}\n", stdout);
}

enum sw_status cmd_completion(struct sw_cli *cli)
{
    static const struct { const char *name, *head, *file; } shells[] = {
        {"bash", "# bash completion of sweep, printed by `sweep completion bash`\n", "cli/completion.bash"},
        {"zsh", "#compdef sweep\n# zsh completion of sweep, printed by `sweep completion zsh`\n",
         "cli/completion.zsh"}};
    for (size_t k = 0; k < sizeof shells / sizeof *shells; k++) {
        struct sw_text text = {0};
        if (strcmp(cli->argument[0], shells[k].name)) continue;
        fputs(shells[k].head, stdout);
        print_tables();
        sw_embedded_add(shells[k].file, &text);
        enum sw_status st = sw_text_status(&text);
        fputs(sw_text_get(&text), stdout);
        sw_text_free(&text);
        return st;
    }
    return SW_FAIL(SW_E_USAGE, "there are completions for bash and zsh; got '%s'", cli->argument[0]);
}
