#ifndef SWEEP_WORDS_H
#define SWEEP_WORDS_H
/* Keys that take a word, or the name of a row of the table that does the work: one for the whole sweep, or "$axis", the
 * word that an axis has in a run. */
#include "sweep/sw_sweep.h"

enum { MAX_CHOICES = 16 };

/** The text of a WORD, TEXT, ROW or SWITCH key that is one for the whole sweep, "true" of a SWITCH: of its setting, or
 * where that is refused, which is reported, or absent, its default. */
const char *key_text(const struct sw_sweep *s, const char *path);

/** The word by which a word of a key, as it is called now, goes into the ids of runs. */
const char *key_word_in_ids(const struct sw_key *key, const char *word);

/** Read the problem's WORD keys (sw_sweep.choice). A word of an axis stays "$axis". @return SW_E_MEMORY */
enum sw_status choices_read(struct sw_sweep *s);

/** Find the axes that words are taken from; there are columns by then. */
void choices_resolve(struct sw_sweep *s);

/** The word of choice k in a run in which the column of its axis, if it has one, holds this number. */
const char *choice_word(const struct sw_sweep *s, int k, double number);

/** Report a row that is in no table, or an axis of words that the sweep has not. */
void row_check(const struct sw_sweep *s);
#endif
