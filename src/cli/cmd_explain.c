/* sweep explain [WORD]: the key table, one row or all of it, for the terminal, for docs/reference/config.md and for
 * sweep.cfg(5); and what other words of a config and names in an output file mean, from their own tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_nearest_name.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/tables.h"
#include "expr/sw_expr.h"
#include "expr/sw_reduction.h"
#include "problem/sw_problem.h"
#include "sweep/sw_keys.h"
#include "sweep/sw_run_result.h"

/* In lines of at most 100 columns, indented by four. */
static void print_folded(const char *text)
{
    enum { WIDTH = 96 };
    while (strlen(text) > WIDTH) {
        int n = WIDTH;
        while (n > 0 && text[n] != ' ') n--;
        if (!n) break;
        printf("    %.*s\n", n, text);
        text += n + 1;
    }
    printf("    %s\n", text);
}

/* ---- problems, and what takes their configs in two and three dimensions, which has keys of its own */

/* Problem k: all, then those of fields. NULL past the end. */
static const struct sw_problem *form(int k)
{
    int p = 0;
    for (; sw_problem_table[p]; p++)
        if (p == k) return sw_problem_table[p];
    k -= p;
    for (p = 0; sw_problem_table[p]; p++)
        if (sw_problem_table[p]->shape->in_fields && k-- == 0) return sw_problem_table[p]->shape->in_fields;
    return NULL;
}

static bool is_of_fields(const struct sw_problem *problem) { return sw_problem_find(problem->name) != problem; }

/* ---- the word that is asked for */

enum { MOST_KNOWN = 2048 };
struct question {          /* from {.word = WORD}                                                       */
    const char *word;
    int         hits;      /* how many meanings were printed                                            */
    const char *known[MOST_KNOWN];  /* [nknown] words that are explained, to find the nearest in        */
    int         nknown;
    char        own[4000]; /* of words that are parts of strings: [used], each with its zero            */
    size_t      used;
};

static void know(struct question *q, const char *name)
{
    if (q->nknown < MOST_KNOWN) q->known[q->nknown++] = name;
}

static void know_part(struct question *q, const char *begin, size_t length)
{
    char *const copy = q->own + q->used;
    if (length + 1 > sizeof q->own - q->used) return;
    memcpy(copy, begin, length);  /* it ends with a zero: own is of zeros */
    q->used += length + 1;
    know(q, copy);
}

/* Whether a name has the meaning that is asked for: it counts as one. */
static bool is_asked(struct question *q, const char *name)
{
    know(q, name);
    const bool yes = !strcmp(name, q->word);
    q->hits += yes;
    return yes;
}

/* ---- expressions */

static void explain_functions(struct question *q)
{
    const char *word, *usage, *about;
    int arguments;
    for (int k = 0; (word = sw_expr_function(k, &arguments, &about)); k++) {
        if (!is_asked(q, word)) continue;
        printf("%s(a%s)\n    A function of expressions%s%s.\n", word, arguments == 2 ? ", b" : "",
               about ? "; in C: " : ": random numbers, the sequence that a chooses", about ? about : "");
    }
    for (int k = 0; (word = sw_expr_derivative_name(k)); k++) {
        if (!is_asked(q, word)) continue;
        printf("%s(a)\n    A derivative in x, of order %d, of any expression of fields: in rhs, implicit and\n"
               "    output.scalars.define. Differences take its place, of second order or in rhs of `order`.\n", word,
               k + 1);
    }
    for (int k = 0; (word = sw_expr_derivative_sum(k, &usage, &about)); k++)
        if (is_asked(q, word)) printf("%s\n    Of fields, in rhs and output.scalars.define: %s\n", usage, about);
    for (int k = 0; (word = sw_axis_function(k, &usage, &about)); k++) {
        if (!is_asked(q, word)) continue;
        printf("%s\n    As an axis of the sweep, in quotes: %s\n", usage, about);
    }
    for (int k = 0; (word = sw_group_word(k, &usage, &about)); k++)
        if (is_asked(q, word)) printf("%s\n    %s\n", usage, about);
}

static void explain_constants(struct question *q)
{
    const char *word, *about;
    double value;
    for (int k = 0; (word = sw_reduction_name(k, &about)); k++) {
        if (!is_asked(q, word)) continue;
        printf("%s\n    A reduction of a field to a number, in output.scalars.define and stop.when:\n    %s.\n", word,
               about);
    }
    for (int k = 0; (word = sw_expr_constant(k, &value)); k++) {
        if (!is_asked(q, word)) continue;
        printf("%s\n    A constant of expressions: %.17g.\n", word, value);
    }
}

/* Which keys of all problems may use it, each path once. */
static void print_users(unsigned symbol, bool numbered)
{
    struct sw_text text = {0};
    sw_text_add(&text, "Expressions that know it:");
    for (int p = 0; form(p); p++)
        for (const struct sw_key *key = form(p)->keys; key->path; key++) {
            char path[80];
            snprintf(path, sizeof path, " %s,", key->path);
            if (form(p)->shape->numbered == numbered && !key->element && key->symbols & symbol &&
                !strstr(sw_text_get(&text), path))
                sw_text_add(&text, path);
        }
    if (text.length) text.data[text.length - 1] = '.';
    print_folded(sw_text_get(&text));
    sw_text_free(&text);
}

static void explain_coordinates(struct question *q)
{
    static const struct { const char *name, *about; unsigned symbol; bool numbered; } coordinates[] = {
        {"x", "The coordinate of a point along the first axis.", SW_USES_X, false},
        {"i", "The number of a row and of its unknown, 1 .. n.", SW_USES_X, true},
        {"y", "The coordinate of a point along the second axis, of fields that have one.", SW_USES_X, false},
        {"z", "The coordinate of a point along the third axis, of fields that have one.", SW_USES_X, false},
        {"t", "The time.", SW_USES_T, false},
        {"u", "The solution at the point.", SW_USES_U, false}};
    for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++) {
        if (!is_asked(q, coordinates[k].name)) continue;
        printf("%s\n    %s\n", q->word, coordinates[k].about);
        print_users(coordinates[k].symbol, coordinates[k].numbered);
    }
}

/* ---- rows of tables */

static void print_table_row(const struct cli_table *l, int k, const struct table_row *row)
{
    struct sw_text text = {0};
    printf("%s\n", row->name);
    sw_text_printf(&text, "%s: %s", l->what, row->about);
    print_folded(sw_text_get(&text));
    sw_text_free(&text);
    if (row->absent) printf("    Not here: %s\n", row->absent);
    if (l->detail) l->detail(k, &text);
    for (char *rest = text.data, *line; rest && (line = strtok_r(rest, "\n", &rest));) print_folded(line);
    sw_text_free(&text);
}

/* A row of some tables is known without its device, too: scan. */
static bool is_row(const struct cli_table *l, const struct table_row *row, const char *name)
{
    const char *dot = strchr(row->name, '.');
    return !strcmp(row->name, name) || (l->places_optional && dot && !strcmp(dot + 1, name));
}

static void explain_rows(struct question *q)
{
    struct table_row row;
    for (const struct cli_table *l = cli_tables; l->heading; l++)
        for (int k = 0; l->row(k, &row); k++) {
            know(q, row.name);
            if (!strcmp(l->key, "problems") || !is_row(l, &row, q->word)) continue;
            print_table_row(l, k, &row);
            q->hits++;
        }
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

static void know_words(struct question *q, const struct sw_key *key)
{
    for (int k = 0; key->word && key->word(k); k++) know(q, key->word(k));
    for (const char *p = key->words; p && *p; p += strcspn(p, "|"), p += *p == '|') know_part(q, p, strcspn(p, "|"));
}

/* A key that several problems have is printed once, by its path.
 * @param print  false: a row of a table has explained the word */
static void explain_choices_of(struct question *q, const struct sw_key *key, bool print, struct sw_text *printed)
{
    for (; key->path; key++) {
        char path[80];
        struct sw_text line = {0};
        know_words(q, key);
        snprintf(path, sizeof path, " %s ", key->path);
        if (!has_word(key, q->word) || strstr(sw_text_get(printed), path)) continue;
        if (print && !printed->length) printf("%s\n", q->word);
        sw_text_add(printed, path);
        if (!print) continue;
        q->hits++;
        sw_text_printf(&line, "A value of %s: %s", key->path, key->about);
        print_folded(sw_text_get(&line));
        sw_text_free(&line);
    }
}

static void explain_choices(struct question *q, bool print)
{
    struct sw_text printed = {0};
    explain_choices_of(q, sw_common_keys, print, &printed);
    for (int p = 0; form(p); p++) explain_choices_of(q, form(p)->keys, print, &printed);
    sw_text_free(&printed);
}

/* ---- numbers of the output file */

static void explain_columns(struct question *q)
{
    for (const struct sw_run_column *c = sw_run_columns; c->name; c++) {
        if (!is_asked(q, c->name)) continue;
        printf("%s\n    A column of the table of runs, which `sweep show` prints: %s.\n", q->word, c->long_name);
    }
}

/* Problems have some in common. */
static void explain_series(struct question *q)
{
    bool told = false;
    for (int p = 0; form(p); p++)
        for (const struct sw_quantity *s = form(p)->scalars; s && s->name; s++) {
            if (!is_asked(q, s->name) || told) continue;
            printf("%s\n    A number of the series that output.scalars saves: %s.\n", q->word, s->long_name);
            told = true;
        }
}

/* ---- words of keys that take a text, and of all keys */

static void explain_others(struct question *q)
{
    static const struct { const char *word, *about; } others[] = {
        {"auto", "Of `stepper`, `differences` and `solver` the best row that fits; of `run.device` the GPUs, "
                 "or the CPU where there is none or it ends before a GPU would begin."},
        {"cpu", "Of `run.device`: the CPU, all threads."},
        {"cuda", "Of `run.device`: all visible GPUs of the model of the first; cuda:1 or cuda:0,2: these."},
        {"true", "Of a switch: on."},
        {"false", "Of a switch: off."}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (!is_asked(q, others[k].word)) continue;
        printf("%s\n", q->word);
        print_folded(others[k].about);
    }
}

static void explain_word(struct question *q)
{
    const int before = q->hits;
    explain_rows(q);
    const bool is_no_row = q->hits == before;
    explain_functions(q);
    explain_constants(q);
    explain_coordinates(q);
    explain_choices(q, is_no_row);
    explain_columns(q);
    explain_series(q);
    explain_others(q);
}

/* A word that is no key: a function, a constant, a coordinate, a row of a table, a scheme, one of the words of a key, a
 * column of the table of runs, a scalar. A solver with its band solver, "cpu.plain+cpu.thomas", is both of them. */
static void explain_words(struct question *q)
{
    const char *const all = q->word, *const plus = strchr(all, '+');
    const int before = q->hits;
    char stepper[64];
    if (!plus) { explain_word(q); return; }
    snprintf(stepper, sizeof stepper, "%.*s", (int)(plus - all), all);
    q->word = stepper;
    explain_word(q);
    const int of_stepper = q->hits;
    q->word = plus + 1;
    explain_word(q);
    if (of_stepper == before || q->hits == of_stepper) q->hits = before;
    q->word = all;
}

/* ---- keys */

static const char *kind_of(const struct sw_key *key)
{
    switch (key->kind) {
    case SW_KEY_REAL: return "number";
    case SW_KEY_COUNT: return "integer";
    case SW_KEY_WORD: return "word";
    case SW_KEY_ROW: return "row";
    case SW_KEY_TEXT: return "text";
    case SW_KEY_FUNCTION: return "expression";
    case SW_KEY_TIMES: return "times";
    case SW_KEY_NAMES: return "group of your own names";
    case SW_KEY_UNKNOWNS: return "list of names";
    case SW_KEY_LIST: return "list";
    case SW_KEY_SWITCH: return "true or false";
    }
    return "";
}

static bool bounded(const struct sw_key *key)
{
    return (key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT) && key->min < key->max;
}

/* "one of product, zip, random", "0 < value", "in x, t" */
static void range_of(const struct sw_key *key, const struct sw_problem *owner, struct sw_text *text)
{
    const int dim = owner && owner->shape->max_dim > 1 ? owner->shape->max_dim : 1;
    const struct { unsigned bit; const char *name; } use[] = {
        {SW_USES_X, owner && owner->shape->numbered ? "i" : dim == 1 ? "x" : dim == 2 ? "x, y" : "x, y, z"},
        {SW_USES_TERMS, "the unknowns, their derivatives, x, t"}, {SW_USES_T, "t"}, {SW_USES_U, "u"},
        {SW_USES_RANDOM, "rand, randn"}};
    const char *comma = "in ";
    if (key->words)
        for (const char *p = key->words; *p; p++) sw_text_printf(text, *p == '|' ? ", " : "%c", *p);
    for (int k = 0; key->word && key->word(k); k++) sw_text_printf(text, "%s%s", k ? ", " : "", key->word(k));
    if (bounded(key)) {
        if (key->max < 1e300)
            sw_text_printf(text, "%s %.16g, at most %.16g", key->above ? "above" : "at least", key->min, key->max);
        else sw_text_printf(text, "%s %.16g", key->above ? "above" : "at least", key->min);
    }
    for (size_t k = 0; key->kind == SW_KEY_FUNCTION && k < sizeof use / sizeof *use; k++) {
        if (!(key->symbols & use[k].bit)) continue;
        sw_text_printf(text, "%s%s", comma, use[k].name);
        comma = ", ";
    }
}

static const char *fallback_of(const struct sw_key *key)
{
    if (!key->fallback) return key->from_exact ? "`exact` at t = 0" : "required";
    return *key->fallback ? key->fallback : "none";
}

/* ---- the three ways to print a row; owner is NULL for common keys */

static bool same_row(const struct sw_key *a, const struct sw_key *b)
{
    return !strcmp(a->path, b->path) && !strcmp(a->about, b->about) && a->kind == b->kind && a->symbols == b->symbols &&
           !strcmp(fallback_of(a), fallback_of(b));
}

static bool has_row(const struct sw_problem *problem, const struct sw_key *key)
{
    for (const struct sw_key *k = problem->keys; k->path; k++)
        if (same_row(k, key)) return true;
    return false;
}

/* Whether a problem before this one has the row. */
static bool is_told(const struct sw_key *key, const struct sw_problem *owner)
{
    for (int k = 0; form(k) != owner; k++)
        if (has_row(form(k), key)) return true;
    return false;
}

/* "(heat, cahn_hilliard)": the problems that have this row, those first that have it on lines, too; false if one before
 * owner did, which has told it. */
static bool print_owners(const struct sw_key *key, const struct sw_problem *owner)
{
    const char *before = "  (";
    bool fields = false;
    if (is_told(key, owner)) return false;
    printf("%s", key->path);
    for (int k = 0; form(k); k++) {
        const struct sw_problem *p = form(k);
        if (!has_row(p, key) || (is_of_fields(p) && has_row(sw_problem_find(p->name), key))) continue;
        printf("%s%s%s", before, is_of_fields(p) && !fields ? "in two and three dimensions: " : "", p->name);
        fields |= is_of_fields(p);
        before = ", ";
    }
    printf(")\n");
    return true;
}

/* Below its path. */
static void print_account(const struct sw_key *key, const struct sw_problem *owner)
{
    struct sw_text range = {0};
    range_of(key, owner, &range);
    print_folded(key->about);
    printf("    %s", kind_of(key));
    if (*sw_text_get(&range)) printf(": %s", sw_text_get(&range));
    if (key->unit && strcmp(key->unit, "1")) printf("; unit %s", key->unit);
    printf("; default: %s%s", fallback_of(key), key->decides ? "; decides the numbers" : "");
    if (key->adaptive) printf("; with steps that the program chooses: %s", key->adaptive);
    if (key->former) printf("; formerly called %s", key->former);
    printf("\n");
    sw_text_free(&range);
}

static void print_plain(const struct sw_key *key, const struct sw_problem *owner)
{
    if (owner && !print_owners(key, owner)) return;
    if (!owner) printf("%s\n", key->path);
    print_account(key, owner);
}

/* Of one problem, without the others that have the row. */
static void print_row(const struct sw_key *key, const struct sw_problem *owner)
{
    printf("%s\n", key->path);
    print_account(key, owner);
}

static void print_markdown(const struct sw_key *key, const struct sw_problem *owner)
{
    struct sw_text range = {0};
    range_of(key, owner, &range);
    const char *quote = key->fallback && *key->fallback ? "`" : "", *adaptive = key->adaptive ? key->adaptive : "",
               *of_own = *adaptive ? "`" : "";
    printf("| `%s` | %s%s%s | %s | %s%s%s%s%s%s%s | %s%s |\n", key->path, kind_of(key),
           *sw_text_get(&range) ? ": " : "", sw_text_get(&range), key->unit ? key->unit : "", quote, fallback_of(key),
           quote, *adaptive ? "; without time.dt " : "", of_own, adaptive, of_own, key->about,
           key->decides ? " *decides*" : "");
    sw_text_free(&range);
}

static void roff(const char *text)
{
    for (const char *p = text; *p; p++)
        if (*p == '\\') fputs("\\e", stdout);
        else if (*p == '-') fputs("\\-", stdout);
        else if ((*p == '.' || *p == '\'') && p == text) printf("\\&%c", *p);
        else if (*p == '\'') fputs("\\(aq", stdout);
        else if (*p == '"') fputs("\\(dq", stdout);
        else if (*p == '^') fputs("\\(ha", stdout);
        else if (*p == '~') fputs("\\(ti", stdout);
        else if (*p == '`') fputs("\\(ga", stdout);
        else fputc(*p, stdout);
}

static void print_man(const struct sw_key *key, const struct sw_problem *owner)
{
    struct sw_text range = {0};
    range_of(key, owner, &range);
    printf(".TP\n.B ");
    roff(key->path);
    printf("\n");
    roff(key->about);
    printf("\n%c", kind_of(key)[0] - 'a' + 'A');
    roff(kind_of(key) + 1);
    if (*sw_text_get(&range)) { printf(": "); roff(sw_text_get(&range)); }
    if (key->unit && strcmp(key->unit, "1")) { printf("; unit "); roff(key->unit); }
    printf("; default: ");
    roff(fallback_of(key));
    printf(".\n");
    sw_text_free(&range);
}

/* ---- all of it */

struct style {
    void (*heading)(const char *text);
    void (*row)(const struct sw_key *key, const struct sw_problem *owner);
    bool once;  /* a key that several problems have is printed with the first */
};

static void head_plain(const char *text) { printf("\n%s\n\n", text); }

static void head_markdown(const char *text)
{
    printf("\n### %s\n| key | kind | unit | default | |\n|---|---|---|---|---|\n", text);
}

static void head_man(const char *text) { printf(".SS %s\n", text); }

static void head_of(const struct style *style, const struct sw_problem *p)
{
    char heading[200];
    if (is_of_fields(p))
        snprintf(heading, sizeof heading, "Keys of %s in two and three dimensions that are not above", p->name);
    else snprintf(heading, sizeof heading, "Keys of %s: %s", p->name, p->title);
    style->heading(heading);
}

/* Whether each key of a problem is one of a problem before it, too. */
static bool has_no_new_row(const struct sw_problem *p)
{
    for (const struct sw_key *key = p->keys; key->path; key++)
        if (!key->element && !is_told(key, p)) return false;
    return true;
}

static void explain_all(const struct style *style)
{
    style->heading("Keys of all problems");
    for (const struct sw_key *key = sw_common_keys; key->path; key++) style->row(key, NULL);
    for (int k = 0; form(k); k++) {
        const struct sw_problem *p = form(k);
        if (is_of_fields(p) && has_no_new_row(p)) continue;
        head_of(style, p);
        if (style->once && has_no_new_row(p))
            printf("All of them are above; `sweep explain %s` prints them, too.\n", p->name);
        for (const struct sw_key *key = p->keys; key->path; key++)
            if (!key->element && !(is_of_fields(p) && is_told(key, p))) style->row(key, p);
    }
}

/* Keys that other problems have, too, among them; of fields those that lines have not. */
static void explain_problem(const struct sw_problem *p)
{
    static const struct style plain = {head_plain, print_row, .once = false};
    const struct sw_problem *fields = p->shape->in_fields;
    head_of(&plain, p);
    printf("    %s\n", p->equation);
    for (const struct sw_key *key = p->keys; key->path; key++)
        if (!key->element) print_row(key, p);
    if (fields) head_of(&plain, fields);
    for (const struct sw_key *key = fields ? fields->keys : NULL; key && key->path; key++)
        if (!key->element && !has_row(p, key)) print_row(key, fields);
    printf("\nKeys of all problems: `sweep explain` prints them, too.\n");
}

/* ---- one */

/* By one or several of the parts of its path: the group it is in, its last part, all of it. */
static bool asked_for(const char *path, const char *name)
{
    const size_t length = strlen(name);
    for (const char *part = path; part && length; part = strchr(part, '.') ? strchr(part, '.') + 1 : NULL)
        if (!strncmp(part, name, length) && (!part[length] || part[length] == '.')) return true;
    return false;
}

/* Its path, its last part, which people remember, and its group, once where keys of a group follow each other. */
static void know_key(struct question *q, const char *path, const char *before)
{
    const size_t group = strcspn(path, ".");
    know(q, path);
    if (path[group] && (!before || strncmp(path, before, group + 1))) know_part(q, path, group);
    if (sw_key_last_part(path) != path) know(q, sw_key_last_part(path));
}

/* By a name that expressions know it by, nx, or by its former one. */
static bool is_called(const struct sw_key *key, const char *name)
{
    return (key->name && !strcmp(key->name, name)) || (key->alias && !strcmp(key->alias, name)) ||
           (key->former && !strcmp(key->former, name));
}

static void explain_keys(struct question *q, const struct sw_key *keys, const struct sw_problem *owner)
{
    for (const struct sw_key *key = keys; key->path; key++) {
        know_key(q, key->path, key > keys ? key[-1].path : NULL);
        if (!is_called(key, q->word) && (key->element || !asked_for(key->path, q->word))) continue;
        print_plain(key, owner);
        q->hits++;
    }
}

static enum sw_status explain_one(const char *word)
{
    struct question q = {.word = word};
    explain_keys(&q, sw_common_keys, NULL);
    for (int k = 0; form(k); k++) explain_keys(&q, form(k)->keys, form(k));
    explain_words(&q);
    const struct sw_problem *problem = sw_problem_find(word);
    if (problem) explain_problem(problem);
    if (q.hits || problem) return SW_OK;
    const char *near = sw_nearest_name(word, q.known, q.nknown);
    return SW_FAIL(SW_E_USAGE, "'%s' is not a word of a config%s%s%s", word,
                   near ? "; did you mean '" : "; `sweep explain` prints all keys, `sweep list` problems, solvers and "
                   "schemes", near ? near : "", near ? "'?" : "");
}

enum sw_status cmd_explain(struct sw_cli *cli)
{
    static const struct style plain = {head_plain, print_plain, .once = true},
                              markdown = {head_markdown, print_markdown, .once = false},
                              man = {head_man, print_man, .once = false};
    if (cli->narguments) return explain_one(cli->argument[0]);
    explain_all(cli->markdown ? &markdown : cli->man ? &man : &plain);
    return SW_OK;
}
