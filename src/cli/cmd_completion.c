#include <stdio.h>
#include <string.h>

#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/tables.h"
#include "store/files/sw_output.h"
#include "problem/sw_problem.h"
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
    {"SHELL", COMPLETE_WORDS, " bash zsh fish", NULL},
    {0},
};

/* @param length  of its name */
static enum completion_kind find_value(const struct value *v, const char *argument, size_t length,
                                       struct sw_text *words)
{
    while (v->argument && (strlen(v->argument) != length || strncmp(v->argument, argument, length))) v++;
    if (v->words) sw_text_add(words, v->words);
    if (v->add) v->add(words);
    return v->argument ? v->kind : COMPLETE_NOTHING;
}

void completion_quote(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        if (*text == '\'') fputs("'\\''", stdout);
        else putchar(*text);
    putchar('\'');
}

void completion_print_with_values(void)
{
    for (const struct cli_option *o = cli_option_table; o->name; o++) {
        if (!o->argument) continue;
        if (o->letter) printf(" -%c", o->letter);
        printf(" --%s", o->name);
    }
}

void completion_print_commands(void)
{
    for (const struct cli_command *c = cli_command_table; c->name; c++) printf(" %s", c->name);
}

static void print_option(const struct completion_shell *shell, const struct cli_option *o)
{
    struct sw_text words = {0};
    enum completion_kind kind = COMPLETE_NOTHING;
    if (o->argument) kind = find_value(of_options, o->argument, strlen(o->argument), &words);
    shell->option(o, kind, sw_text_get(&words));
    sw_text_free(&words);
}

/* "CONFIG" of the arguments "[CONFIG]" and "CONFIG..." */
static void print_command(const struct completion_shell *shell, const struct cli_command *c)
{
    struct sw_text words = {0};
    const char *argument = c->arguments + (*c->arguments == '[');
    const enum completion_kind kind = find_value(of_commands, argument, strcspn(argument, "]. "), &words);
    shell->command(c, kind, sw_text_get(&words));
    sw_text_free(&words);
}

enum sw_status cmd_completion(struct sw_cli *cli)
{
    static const struct completion_shell *const shells[] = {&completion_bash, &completion_zsh, &completion_fish};
    const struct completion_shell *shell = NULL;
    for (size_t k = 0; k < sizeof shells / sizeof *shells; k++)
        if (!strcmp(cli->argument[0], shells[k]->name)) shell = shells[k];
    if (!shell)
        return SW_FAIL(SW_E_USAGE, "there are completions for bash, zsh and fish; got '%s'", cli->argument[0]);
    shell->begin();
    for (const struct cli_option *o = cli_option_table; o->name; o++) print_option(shell, o);
    shell->middle();
    for (const struct cli_command *c = cli_command_table; c->name; c++) print_command(shell, c);
    shell->end();
    return SW_OK;
}
