#ifndef SWEEP_WORDS_H
#define SWEEP_WORDS_H
/* Keys that take a word, or the name of a row of the table that does the work: one for the whole sweep, or "$axis", the
 * word that an axis has in a run. */
#include "sweep/sw_sweep.h"

enum { MAX_KEY_WORDS = 64, MAX_CHOICES = 16 };

/** List the words that a WORD key may have. @param copy  memory for them  @return how many */
int key_words(const struct sw_key *key, char copy[200], const char *list[MAX_KEY_WORDS]);

/** Print them: "product, zip, random". */
const char *key_words_print(const struct sw_key *key, char text[600]);

/** Whether a word is one of the key's; if not, report it at the line of a setting, under a path. */
bool key_word_check(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting,
                    const char *path, const char *word);

/** What a former word of a key is called now; any other word is itself. */
const char *key_word_now(const struct sw_key *key, const char *word);

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
