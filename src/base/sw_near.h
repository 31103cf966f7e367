#ifndef SW_NEAR_H
#define SW_NEAR_H
/** The name nearest to word by edit distance (with transpositions), NULL if none is near enough to be meant.
 * @param names  count names; NULL entries are passed over */
const char *sw_near(const char *word, const char *const *names, int count);
#endif
