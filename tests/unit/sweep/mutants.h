#ifndef MUTANTS_H
#define MUTANTS_H
/* Configs with a few random edits, of the kind that slip from a user's fingers, and all that `sweep check` does with
 * one before it tries the device: read, expand, plan, print what there is to say. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "cli/open_sweep.h"
#include "cli/run_messages.h"
#include "run/sw_run_sweep.h"
#include "sweep/sw_keys.h"

/* ---- random numbers: the same on every machine */

static inline uint64_t mutant_random(uint64_t *state)  /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline int mutant_below(uint64_t *state, int n) { return (int)(mutant_random(state) % (uint64_t)n); }

/* ---- the dictionary: every name and word that the tables of the program know */

enum { MUTANT_WORDS = 2000 };
struct mutant_words { int count; const char *word[MUTANT_WORDS]; };

static inline void mutant_add_part(struct mutant_words *d, const char *word, size_t length)
{
    if (!length || length > 60 || d->count == MUTANT_WORDS) return;
    for (int k = 0; k < d->count; k++)
        if (!strncmp(d->word[k], word, length) && !d->word[k][length]) return;
    d->word[d->count++] = sw_strndup(word, length);  /* kept to the end of the process */
    if (!d->word[d->count - 1]) abort();
}

static inline void mutant_add(struct mutant_words *d, const char *word)
{
    if (word) mutant_add_part(d, word, strlen(word));
}

/* "product|zip|random", "time.dt": the parts */
static inline void mutant_add_parts(struct mutant_words *d, const char *list, const char *between)
{
    for (size_t length; list && *list; list += length + (list[length] != 0)) {
        length = strcspn(list, between);
        mutant_add_part(d, list, length);
    }
}

static inline void mutant_add_key(struct mutant_words *d, const struct sw_key *key)
{
    mutant_add_parts(d, key->path, ".");
    mutant_add(d, key->name);
    mutant_add(d, key->alias);
    mutant_add(d, key->fallback);
    mutant_add_parts(d, key->words, "|");
    for (int k = 0; key->word && key->word(k); k++) mutant_add(d, key->word(k));
}

static inline const struct mutant_words *mutant_words(void)
{
    static struct mutant_words d;
    static const char *const more[] = {
        "0", "1", "2", "3", "-1", "0.5", "1e-3", "1e9", "1e300", "-1e300", "1e-300", "2147483648", "9007199254740993L",
        "0x10", "1.", ".5", "true", "false", "[", "]", "(", ")", "{", "}", "=", ";", ",", "\"", "\\", "$", "#", "//",
        "/*", "[]", "{}", "()", "\"\"", "\"n\"", "[1, 2]", "[8, 16, 24]", "[1.0, 2]", "[\"a\", \"b\"]", "{ x = 1; }",
        "\"linspace(0, end, 3)\"", "\"range(1, 4)\"", "\"logspace(1, 100, 3)\"", "\"uniform(0, 1)\"",
        "\"loguniform(1, 2)\"", "\"0/0\"", "\"1/0\"", "\"end/7\"", "\"$n\"", "\"$order\"", "\"$scheme\"", "\"$walls\"",
        "pi", "e", "x", "y", "z", "t", "u", "ux", "i"};
    if (d.count) return &d;
    for (int p = 0; sw_problem_table[p]; p++) {
        const struct sw_problem *problem = sw_problem_table[p];
        const struct sw_key *key;
        mutant_add(&d, problem->name);
        for (int k = 0; (key = sw_key_at(problem, k)); k++) mutant_add_key(&d, key);
        for (int k = 0; problem->solver && problem->solver(k); k++) mutant_add(&d, problem->solver(k));
        for (const struct sw_quantity *q = problem->scalars; q && q->name; q++) mutant_add(&d, q->name);
    }
    const char *usage, *about, *value, *name;
    int arguments;
    for (int k = 0; (name = sw_axis_function(k, &usage, &about)); k++) mutant_add(&d, name);
    for (int k = 0; (name = sw_expr_function(k, &arguments, &value)); k++) mutant_add(&d, name);
    for (int k = 0; (name = sw_reduction_name(k, &about)); k++) mutant_add(&d, name);
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) mutant_add(&d, more[k]);
    return &d;
}

/* ---- edits of a text */

struct mutant_part { int at, length; };

static inline bool mutant_in_name(char c) { return isalnum((unsigned char)c) || (c && strchr("_.$", c)); }

/* A part of the text: a word or a number, or one sign; comments and blanks are none. */
static inline int mutant_parts(const char *text, struct mutant_part *part, int most)
{
    int n = 0;
    for (int k = 0; text[k] && n < most;) {
        int length = 1;
        if (text[k] == '/' && text[k + 1] == '/') { k += (int)strcspn(text + k, "\n"); continue; }
        if (isspace((unsigned char)text[k])) { k++; continue; }
        while (mutant_in_name(text[k]) && mutant_in_name(text[k + length])) length++;
        part[n++] = (struct mutant_part){k, length};
        k += length;
    }
    return n;
}

static inline struct mutant_part mutant_line(const char *text, uint64_t *random)
{
    const int length = (int)strlen(text);
    int at = mutant_below(random, length + 1), end;
    while (at > 0 && text[at - 1] != '\n') at--;
    end = at + (int)strcspn(text + at, "\n");
    return (struct mutant_part){at, end - at + (text[end] == '\n')};
}

/* The text with `old` replaced by so many bytes of `new`. The caller frees it; so for all that follow. */
static inline char *mutant_put(const char *text, struct mutant_part old, const char *new, int length)
{
    struct sw_text t = {0};
    sw_text_add_bytes(&t, text, (size_t)old.at);
    sw_text_add_bytes(&t, new, (size_t)length);
    sw_text_add(&t, text + old.at + old.length);
    return sw_text_take(&t);
}

static inline char *mutant_of_number(const char *text, struct mutant_part p, uint64_t *random)
{
    char new[100], old[40];
    snprintf(old, sizeof old, "%.*s", p.length < 30 ? p.length : 30, text + p.at);
    switch (mutant_below(random, 10)) {
    case 0: snprintf(new, sizeof new, "-%s", old); break;
    case 1: snprintf(new, sizeof new, "%s.0", old); break;
    case 2: snprintf(new, sizeof new, "\"%s\"", old); break;
    case 3: snprintf(new, sizeof new, "[%s, %s]", old, old); break;
    case 4: snprintf(new, sizeof new, "%s0", old); break;
    case 5: snprintf(new, sizeof new, "0.%s", old); break;
    case 6: snprintf(new, sizeof new, "%d", mutant_below(random, 200) - 20); break;
    case 7: snprintf(new, sizeof new, "%.3g", (double)mutant_below(random, 1000) / 97); break;
    case 8: snprintf(new, sizeof new, "1e%d", mutant_below(random, 640) - 330); break;
    default: new[0] = 0;
    }
    return mutant_put(text, p, new, (int)strlen(new));
}

static inline char *mutant_of_letter(const char *text, uint64_t *random)
{
    static const char signs[] = "abcdnxyztu0123456789 .,;=+-*/^()[]{}\"$_#\\\n\t%&!?<>|~@\xc3\x80";
    const int length = (int)strlen(text);
    const char c = signs[mutant_below(random, (int)sizeof signs - 1)];
    const int at = mutant_below(random, length + 1), kind = mutant_below(random, 3);
    return mutant_put(text, (struct mutant_part){at, kind && at < length}, &c, kind != 2);
}

static inline char *mutant_of_line(const char *text, uint64_t *random)
{
    const struct mutant_part p = mutant_line(text, random), other = mutant_line(text, random);
    switch (mutant_below(random, 3)) {
    case 0: return mutant_put(text, p, "", 0);
    case 1: return mutant_put(text, (struct mutant_part){p.at, 0}, text + p.at, p.length);
    default: return mutant_put(text, p, text + other.at, other.length);
    }
}

/* One edit. */
static inline char *mutant_once(const char *text, uint64_t *random)
{
    enum { MOST = 4000 };
    static struct mutant_part part[MOST];
    const struct mutant_words *d = mutant_words();
    const int n = mutant_parts(text, part, MOST), kind = mutant_below(random, 12);
    const char *word = d->word[mutant_below(random, d->count)];
    if (n == 0 || kind == 0) return mutant_of_letter(text, random);
    if (kind == 1) return mutant_of_line(text, random);
    struct mutant_part p = part[mutant_below(random, n)], q = part[mutant_below(random, n)];
    for (int k = 0; k < 2; k++) {  /* most parts are signs, and most edits of a sign are one error: unlike words */
        if (!mutant_in_name(text[p.at])) p = part[mutant_below(random, n)];
        if (!mutant_in_name(text[q.at])) q = part[mutant_below(random, n)];
    }
    if (kind == 2) return mutant_put(text, p, "", 0);
    if (kind == 3) return mutant_put(text, (struct mutant_part){p.at, 0}, text + p.at, p.length);
    if (kind == 4) return mutant_put(text, (struct mutant_part){p.at, 0}, word, (int)strlen(word));
    if (kind == 5) return mutant_put(text, p, text + q.at, q.length);
    if (isdigit((unsigned char)text[p.at])) return mutant_of_number(text, p, random);
    if (kind > 8 || !mutant_in_name(text[p.at])) return mutant_put(text, p, word, (int)strlen(word));
    /* a typo within the word */
    const char *from = "cdnx0178_.";
    return mutant_put(text, (struct mutant_part){p.at + mutant_below(random, p.length), kind != 6},
                      from + mutant_below(random, 10), kind != 7);
}

/** A config with one to three edits; NULL if memory is out. The caller frees it. */
static inline char *mutant_make(const char *text, uint64_t *random)
{
    char *now = sw_strdup(text), *next;
    for (int k = 1 + mutant_below(random, 3); k > 0 && now; k--) {
        next = mutant_once(now, random);
        sw_free(now);
        now = next;
    }
    return now;
}

/* ---- what check does */

static inline void mutant_must(int condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "does not hold: %s (%s)\n", what, sw_err_message());
    abort();
}
#define MUTANT_MUST(condition) mutant_must(condition, #condition)

/* In place of console_message. */
static inline void mutant_say(const struct sw_cli *cli, const char *fmt, ...)
{
    char text[1000];
    va_list ap;
    (void)cli;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    MUTANT_MUST(text[0] != 0);
}

enum { MUTANT_RUNS = 5000 };  /* what has more is expanded, and not planned */

static inline void mutant_plan(struct sw_cli *cli, struct cli_sweep *s, const struct sw_devices *devices)
{
    struct sw_plan *plan = NULL;
    struct sw_text line = {0};
    const struct sw_selection all = {0};
    MUTANT_MUST(!sw_alloc((size_t)s->sweep->nruns, &s->id));
    enum sw_status st = sw_sweep_ids(s->sweep, 0, s->sweep->nruns, s->id);
    if (!st) st = sw_sweep_select(s->sweep, &all, &s->run, &s->count);
    if (!st) {
        s->file = sw_strdup(s->sweep->file);
        cli_sweep_headline(s, &line);
        const struct sw_plan_desc desc = {.sweep = s->sweep, .run = s->run, .count = s->count, .id = s->id};
        st = sw_plan_make(&desc, devices, NULL, &plan);
    }
    if (!st) plan_warnings_print(cli, s, plan, mutant_say);
    /* twins, memory, a row that this build or the set-up lacks: each says so */
    MUTANT_MUST(!st || sw_err_message()[0]);
    sw_text_free(&line);
    sw_plan_destroy(&plan);
}

/** Read, expand, plan. Ends the process if something does not hold. @return whether it was taken */
static inline bool mutant_check(const char *text, const struct sw_devices *devices)
{
    struct sw_cli cli = {0};
    struct cli_sweep s = {0};
    enum sw_status st = sw_config_read_text("mutant.cfg", text, NULL, 0, &cli.report, &s.config);
    MUTANT_MUST((st == SW_OK) == (s.config != NULL));
    if (!st) st = sw_sweep_expand(s.config, &cli.report, &s.sweep);
    MUTANT_MUST(st == SW_OK || st == SW_E_CONFIG);
    MUTANT_MUST((st == SW_OK) == (s.sweep != NULL) && (st == SW_OK) == (cli.report.errors == 0));
    char *printed = sw_report_print(&cli.report);
    MUTANT_MUST(printed && (printed[0] != 0) == (cli.report.count > 0));
    sw_free(printed);
    if (s.sweep) MUTANT_MUST(s.sweep->nruns > 0);
    if (s.sweep && s.sweep->nruns <= MUTANT_RUNS) mutant_plan(&cli, &s, devices);
    sw_report_free(&cli.report);
    cli_sweep_close(&s);
    return st == SW_OK;
}
#endif
