#ifndef SW_NEAREST_NAME_H
#define SW_NEAREST_NAME_H
/** The name nearest to word by edit distance (with transpositions), NULL if none is near enough to be meant.
 * @param names  count names; NULL entries are passed over */
const char *sw_nearest_name(const char *word, const char *const *names, int count);
#endif
