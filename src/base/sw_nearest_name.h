#ifndef SW_NEAREST_NAME_H
#define SW_NEAREST_NAME_H
/** The name that is meant by a misspelt word: the only one that begins with it, as "tolerance" does with "tol", unless
 * one is a single edit away; else the nearest by edit distance, with transpositions; NULL if none is near enough.
 * Capitals count as small letters.
 * @param names  count names; NULL entries are passed over */
const char *sw_nearest_name(const char *word, const char *const *names, int count);

/** The place of a name among others; -1: it is none of them. */
int sw_name_index(const char *name, const char *const *names, int count);
#endif
