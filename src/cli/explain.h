#ifndef EXPLAIN_H
#define EXPLAIN_H
/* `sweep explain WORD`: cmd_explain.c explains keys and problems, explain_words.c all other words of a config. */
#include <stddef.h>
#include <string.h>

enum { MOST_KNOWN = 2048 };
struct known {             /* words that are explained, to find the nearest in; from {0}  */
    const char *name[MOST_KNOWN];
    int         count;
    char        own[4000]; /* of words that stand in no string of their own: [used], each with its zero */
    size_t      used;
};

static inline void explain_know(struct known *known, const char *name)
{
    if (known->count < MOST_KNOWN) known->name[known->count++] = name;
}

/* A word that is a part of a string. */
static inline void explain_know_part(struct known *known, const char *begin, size_t length)
{
    char *const copy = known->own + known->used;
    if (length + 1 > sizeof known->own - known->used) return;
    memcpy(copy, begin, length);  /* it ends with a zero: known is of zeros */
    known->used += length + 1;
    explain_know(known, copy);
}

/** Print what a word means that is no key: a function, a constant, a coordinate, a row of a table, a scheme, one of
 * the words of a key, a column of the table of runs, a scalar. A solver with its band solver, "cpu.plain+cpu.thomas",
 * is both of them.
 * @param known  in and out: the words there are @return how many meanings it has */
int explain_words(const char *word, struct known *known);
#endif
