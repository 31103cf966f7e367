/* The key table, one row or all of it: for the terminal, for docs/reference/config.md and for sweep.cfg(5). Words that
 * are no keys are in explain_words.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_nearest_name.h"
#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/explain.h"
#include "problem/sw_problem.h"
#include "sweep/sw_keys.h"

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
    const int dim = owner && owner->max_dim > 1 ? owner->max_dim : 1;
    const struct { unsigned bit; const char *name; } use[] = {
        {SW_USES_X, owner && owner->numbered ? "i" : dim == 1 ? "x" : dim == 2 ? "x, y" : "x, y, z"},
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
    if (!key->fallback) return "required";
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

/* "(heat, cahn_hilliard)": the problems that have this row; false if one before owner did, which has told it. */
static bool print_owners(const struct sw_key *key, const struct sw_problem *owner)
{
    const char *before = "  (";
    for (int k = 0; sw_problem_table[k] != owner; k++)
        if (has_row(sw_problem_table[k], key)) return false;
    printf("%s", key->path);
    for (int k = 0; sw_problem_table[k]; k++) {
        if (!has_row(sw_problem_table[k], key)) continue;
        printf("%s%s", before, sw_problem_table[k]->name);
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
    console_print_folded(key->about);
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
    snprintf(heading, sizeof heading, "Keys of %s: %s", p->name, p->title);
    style->heading(heading);
}

/* Whether each key of a problem is one of a problem before it, too. */
static bool has_no_new_row(const struct sw_problem *p)
{
    for (const struct sw_key *key = p->keys; key->path; key++) {
        bool earlier = key->element;
        for (int k = 0; sw_problem_table[k] != p; k++) earlier |= has_row(sw_problem_table[k], key);
        if (!earlier) return false;
    }
    return true;
}

static void explain_all(const struct style *style)
{
    style->heading("Keys of all problems");
    for (const struct sw_key *key = sw_common_keys; key->path; key++) style->row(key, NULL);
    for (int k = 0; sw_problem_table[k]; k++) {
        const struct sw_problem *p = sw_problem_table[k];
        head_of(style, p);
        if (style->once && has_no_new_row(p))
            printf("All of them are above; `sweep explain %s` prints them, too.\n", p->name);
        for (const struct sw_key *key = p->keys; key->path; key++)
            if (!key->element) style->row(key, p);
    }
}

/* Keys that other problems have, too, among them. */
static void explain_problem(const struct sw_problem *p)
{
    static const struct style plain = {head_plain, print_row, .once = false};
    head_of(&plain, p);
    printf("    %s\n", p->equation);
    for (const struct sw_key *key = p->keys; key->path; key++)
        if (!key->element) print_row(key, p);
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
static void add_known(struct known *known, const char *path, const char *before)
{
    const size_t group = strcspn(path, ".");
    explain_know(known, path);
    if (path[group] && (!before || strncmp(path, before, group + 1))) explain_know_part(known, path, group);
    if (sw_key_last_part(path) != path) explain_know(known, sw_key_last_part(path));
}

/* By a name that expressions know it by, nx, or by its former one. */
static bool is_called(const struct sw_key *key, const char *name)
{
    return (key->name && !strcmp(key->name, name)) || (key->alias && !strcmp(key->alias, name)) ||
           (key->former && !strcmp(key->former, name));
}

static int explain_in(const struct sw_key *keys, const struct sw_problem *owner, const char *name,
                      struct known *known)
{
    int hits = 0;
    for (const struct sw_key *key = keys; key->path; key++) {
        add_known(known, key->path, key > keys ? key[-1].path : NULL);
        if (!is_called(key, name) && (key->element || !asked_for(key->path, name))) continue;
        print_plain(key, owner);
        hits++;
    }
    return hits;
}

static enum sw_status explain_one(const char *name)
{
    struct known known = {.count = 0};
    int hits = explain_in(sw_common_keys, NULL, name, &known);
    for (int k = 0; sw_problem_table[k]; k++)
        hits += explain_in(sw_problem_table[k]->keys, sw_problem_table[k], name, &known);
    hits += explain_words(name, &known);
    const struct sw_problem *problem = sw_problem_find(name);
    if (problem) explain_problem(problem);
    if (hits || problem) return SW_OK;
    const char *near = sw_nearest_name(name, known.name, known.count);
    return SW_FAIL(SW_E_USAGE, "'%s' is not a word of a config%s%s%s", name,
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
