/* Words of a config that are no keys, and names in an output file, from the tables that they stand in. */
#include <stdio.h>
#include <string.h>

#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/explain.h"
#include "cli/tables.h"
#include "expr/sw_expr.h"
#include "expr/sw_reduction.h"
#include "problem/sw_problem.h"
#include "sweep/sw_keys.h"
#include "sweep/sw_run_result.h"

/* ---- expressions */

static int explain_functions(const char *name, struct known *known)
{
    const char *word, *usage, *about;
    int hits = 0, arguments;
    for (int k = 0; (word = sw_expr_function(k, &arguments, &about)); k++) {
        explain_know(known, word);
        if (strcmp(word, name)) continue;
        printf("%s(a%s)\n    A function of expressions%s%s.\n", word, arguments == 2 ? ", b" : "",
               about ? "; in C: " : ": random numbers, the sequence that a chooses", about ? about : "");
        hits++;
    }
    for (int k = 0; (word = sw_expr_derivative_name(k)); k++) {
        explain_know(known, word);
        if (strcmp(word, name)) continue;
        printf("%s(a)\n    A derivative in x, of order %d, of any expression of fields: in rhs, implicit and\n"
               "    output.scalars.define. Differences take its place, of second order or in rhs of `order`.\n", word,
               k + 1);
        hits++;
    }
    for (int k = 0; (word = sw_axis_function(k, &usage, &about)); k++) {
        explain_know(known, word);
        if (strcmp(word, name)) continue;
        printf("%s\n    As an axis of the sweep, in quotes: %s\n", usage, about);
        hits++;
    }
    return hits;
}

static int explain_constants(const char *name, struct known *known)
{
    const char *word, *about;
    double value;
    int hits = 0;
    for (int k = 0; (word = sw_reduction_name(k, &about)); k++) {
        explain_know(known, word);
        if (strcmp(word, name)) continue;
        printf("%s\n    A reduction of a field to a number, in output.scalars.define and stop.when:\n    %s.\n", name,
               about);
        hits++;
    }
    for (int k = 0; (word = sw_expr_constant(k, &value)); k++) {
        explain_know(known, word);
        if (strcmp(word, name)) continue;
        printf("%s\n    A constant of expressions: %.17g.\n", word, value);
        hits++;
    }
    return hits;
}

/* Which keys of all problems may use it, each path once. */
static void print_users(unsigned symbol, bool numbered)
{
    struct sw_text text = {0};
    sw_text_add(&text, "Expressions that know it:");
    for (int p = 0; sw_problem_table[p]; p++)
        for (const struct sw_key *key = sw_problem_table[p]->keys; key->path; key++) {
            char path[80];
            snprintf(path, sizeof path, " %s,", key->path);
            if (sw_problem_table[p]->numbered == numbered && !key->element && key->symbols & symbol &&
                !strstr(sw_text_get(&text), path))
                sw_text_add(&text, path);
        }
    if (text.length) text.data[text.length - 1] = '.';
    console_print_folded(sw_text_get(&text));
    sw_text_free(&text);
}

static int explain_coordinates(const char *name, struct known *known)
{
    static const struct { const char *name, *about; unsigned symbol; bool numbered; } coordinates[] = {
        {"x", "The coordinate of a point along the first axis.", SW_USES_X, false},
        {"i", "The number of a row and of its unknown, 1 .. n.", SW_USES_X, true},
        {"y", "The coordinate of a point along the second axis, of fields that have one.", SW_USES_X, false},
        {"z", "The coordinate of a point along the third axis, of fields that have one.", SW_USES_X, false},
        {"t", "The time.", SW_USES_T, false},
        {"u", "The solution at the point.", SW_USES_U, false}};
    int hits = 0;
    for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++) {
        explain_know(known, coordinates[k].name);
        if (strcmp(coordinates[k].name, name)) continue;
        printf("%s\n    %s\n", name, coordinates[k].about);
        print_users(coordinates[k].symbol, coordinates[k].numbered);
        hits++;
    }
    return hits;
}

/* ---- rows of tables */

static void print_row(const struct cli_table *l, int k, const struct table_row *row)
{
    struct sw_text text = {0};
    printf("%s\n", row->name);
    sw_text_printf(&text, "%s: %s", l->what, row->about);
    console_print_folded(sw_text_get(&text));
    sw_text_free(&text);
    if (row->absent) printf("    Not here: %s\n", row->absent);
    if (l->detail) l->detail(k, &text);
    for (char *rest = text.data, *line; rest && (line = strtok_r(rest, "\n", &rest));) console_print_folded(line);
    sw_text_free(&text);
}

/* A row of some tables is known without its device, too: scan. */
static bool is_row(const struct cli_table *l, const struct table_row *row, const char *name)
{
    const char *dot = strchr(row->name, '.');
    return !strcmp(row->name, name) || (l->places_optional && dot && !strcmp(dot + 1, name));
}

static int explain_rows(const char *name, struct known *known)
{
    struct table_row row;
    int hits = 0;
    for (const struct cli_table *l = cli_tables; l->heading; l++)
        for (int k = 0; l->row(k, &row); k++) {
            explain_know(known, row.name);
            if (!strcmp(l->key, "problems") || !is_row(l, &row, name)) continue;
            print_row(l, k, &row);
            hits++;
        }
    return hits;
}

/* ---- words of keys */

/* "product|zip|random" has the word "zip". */
static bool has_word(const struct sw_key *key, const char *name)
{
    const size_t length = strlen(name);
    for (const char *p = key->words; p && length; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (!strncmp(p, name, length) && (p[length] == '|' || !p[length])) return true;
    for (int k = 0; key->word && key->word(k); k++)
        if (!strcmp(key->word(k), name)) return true;
    return false;
}

static void know_words(const struct sw_key *key, struct known *known)
{
    for (int k = 0; key->word && key->word(k); k++) explain_know(known, key->word(k));
    for (const char *p = key->words; p && *p; p += strcspn(p, "|"), p += *p == '|')
        explain_know_part(known, p, strcspn(p, "|"));
}

/* A key that several problems have is printed once, by its path. */
struct choices { const char *word; bool print; struct sw_text printed; int hits; };

static void print_choices(const struct sw_key *key, struct choices *t, struct known *known)
{
    for (; key->path; key++) {
        char path[80];
        struct sw_text line = {0};
        know_words(key, known);
        snprintf(path, sizeof path, " %s ", key->path);
        if (!has_word(key, t->word) || strstr(sw_text_get(&t->printed), path)) continue;
        sw_text_add(&t->printed, path);
        if (!t->print) continue;
        if (!t->hits++) printf("%s\n", t->word);
        sw_text_printf(&line, "A value of %s: %s", key->path, key->about);
        console_print_folded(sw_text_get(&line));
        sw_text_free(&line);
    }
}

/* @param print  false: a row of a table has explained the word */
static int explain_choices(const char *word, bool print, struct known *known)
{
    struct choices t = {.word = word, .print = print};
    print_choices(sw_common_keys, &t, known);
    for (int p = 0; sw_problem_table[p]; p++) print_choices(sw_problem_table[p]->keys, &t, known);
    sw_text_free(&t.printed);
    return t.hits;
}

/* ---- numbers of the output file */

static int explain_columns(const char *name, struct known *known)
{
    int hits = 0;
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++) {
        explain_know(known, c->name);
        if (strcmp(c->name, name)) continue;
        printf("%s\n    A column of the table of runs, which `sweep show` prints: %s.\n", name, c->long_name);
        hits++;
    }
    return hits;
}

/* Problems have some in common. */
static int explain_series(const char *name, struct known *known)
{
    int hits = 0;
    for (int p = 0; sw_problem_table[p]; p++)
        for (const struct sw_quantity *s = sw_problem_table[p]->scalars; s && s->name; s++) {
            explain_know(known, s->name);
            if (strcmp(s->name, name) || hits) continue;
            printf("%s\n    A number of the series that output.scalars saves: %s.\n", name, s->long_name);
            hits++;
        }
    return hits;
}

/* ---- words of keys that take a text, and of all keys */

static int explain_others(const char *name, struct known *known)
{
    static const struct { const char *word, *about; } others[] = {
        {"auto", "Of `stepper`, `differences` and `solver` the best row that fits; of `run.device` the GPUs, "
                 "or the CPU where there is none."},
        {"cpu", "Of `run.device`: the CPU, all threads."},
        {"cuda", "Of `run.device`: all visible GPUs of the model of the first; cuda:1 or cuda:0,2: these."},
        {"true", "Of a switch: on."},
        {"false", "Of a switch: off."}};
    int hits = 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        explain_know(known, others[k].word);
        if (strcmp(others[k].word, name)) continue;
        printf("%s\n", name);
        console_print_folded(others[k].about);
        hits++;
    }
    return hits;
}

static int explain_word(const char *word, struct known *known)
{
    const int rows = explain_rows(word, known);
    return rows + explain_functions(word, known) + explain_constants(word, known) + explain_coordinates(word, known) +
           explain_choices(word, !rows, known) + explain_columns(word, known) + explain_series(word, known) +
           explain_others(word, known);
}

int explain_words(const char *word, struct known *known)
{
    const char *plus = strchr(word, '+');
    char stepper[64];
    if (!plus) return explain_word(word, known);
    snprintf(stepper, sizeof stepper, "%.*s", (int)(plus - word), word);
    const int hits = explain_word(stepper, known);
    return explain_word(plus + 1, known) && hits ? 2 : 0;
}
