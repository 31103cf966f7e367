#ifndef SYSTEM_SOURCE_H
#define SYSTEM_SOURCE_H
/* The arrays of banded systems: which a kind of systems has, and those that the config takes from files, by the keys
 * `source`. A source is opened once in a process, and stays open: a command knows one state of its files. Any thread
 * may call at any time. */
#include "input/sw_arrays.h"
#include "problem/sw_problem.h"
#include "problem/systems/entries.h"

/* The arrays of a kind of systems: its diagonals in ascending place, and behind them the right-hand side. */
enum { SYSTEM_ARRAYS = ENTRIES_DIAGONALS + 1 };
struct system_keys {
    int  diagonals;                           /* the number of the right-hand side                            */
    int  place[ENTRIES_DIAGONALS];            /* places right of the main one                                 */
    bool optional;                            /* diagonals that are not given are zero; else all are needed   */
    const char *name[SYSTEM_ARRAYS];          /* "main", "rhs"                                                */
    const char *key[SYSTEM_ARRAYS];           /* of its expression, "main" or "bands.main"                    */
    const char *dataset[SYSTEM_ARRAYS];       /* "source.main"                                                */
    const char *take, *give;                  /* "source.lower, main, upper or rhs", "lower, main and upper"  */
};

struct system_source;

/** The source of runs with these words; the setup counts for its choices only.
 * @param arrays  borrowed for good
 * @param source  out: NULL: there is none
 * @param key     out: the key that is to blame where something is wrong; NULL: nothing
 * @param why     out, with key
 * @return SW_E_MEMORY */
enum sw_status system_source_find(const struct sw_setup *setup, const struct system_keys *arrays,
                                  const struct system_source **source, const char **key, struct sw_text *why);

/** Whether an array, by its number, comes from it. @param source  NULL: none does */
bool system_source_has(const struct system_source *source, int array);

/** What to do about a diagonal that neither it nor an expression has, where others come from its file: the key that is
 * missing, NULL: none of them does.
 * @param why  out, with key */
const char *system_source_lacks(const struct system_source *source, int array, struct sw_text *why);

/** Unknowns of its systems, and how many systems its arrays hold: of each array 1, or these. */
int64_t system_source_unknowns(const struct system_source *source);
int64_t system_source_systems(const struct system_source *source);

/** Part of an array. One that holds a single system is that of all.
 * @param out  [part->systems][part->count]
 * @return SW_E_IO it cannot be read, or the file has changed since it was opened (sw_arrays_read()): the message has
 *         the array and its file */
enum sw_status system_source_read(const struct system_source *source, int array,
                                  const struct sw_array_part *part, double *out);

/** SHA-256 of all its numbers, formed once.
 * @param key  out: the key of the array that cannot be read, if one cannot
 * @return as system_source_read(); SW_E_MEMORY */
enum sw_status system_source_digest(const struct system_source *source, unsigned char digest[32],
                                    const char **key);
#endif
