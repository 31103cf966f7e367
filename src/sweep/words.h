#ifndef SWEEP_WORDS_H
#define SWEEP_WORDS_H
/* Keys with one value for the whole sweep: words, texts, switches, and numbers that are no columns. A word, or the name
 * of a row of the table that does the work, is one for the whole sweep, or "$axis", the word that an axis has in a
 * run. */
#include "sweep/sw_sweep.h"

enum { MAX_CHOICES = 16 };

/** Read these keys into the sweep. @return SW_E_MEMORY */
enum sw_status options_read(struct sw_sweep *s);

/** A number that must not depend on the run: of a key that is a number, or its default. */
double number_of_sweep(const struct sw_sweep *s, const char *path);

/** The word by which a word of a key, as it is called now, goes into the ids of runs. */
const char *key_word_in_ids(const struct sw_key *key, const char *word);

/** Find the axes that words are taken from; there are columns by then. */
void choices_resolve(struct sw_sweep *s);

/** The word of choice k in a run in which the column of its axis, if it has one, holds this number. */
const char *choice_word(const struct sw_sweep *s, int k, double number);

/** Report a row that is in no table, or an axis of words that the sweep has not. */
void row_check(const struct sw_sweep *s);
#endif
