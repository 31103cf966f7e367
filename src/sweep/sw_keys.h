#ifndef SW_KEYS_H
#define SW_KEYS_H
/* The key table as a whole: the common keys and those of the problems. */
#include "problem/sw_problem.h"

extern const struct sw_key sw_common_keys[];  /* ends with path NULL */

/** The row of a path: common keys first, then the problem's; NULL if there is none. problem NULL: common keys only. */
const struct sw_key *sw_key_find(const struct sw_problem *problem, const char *path);

/** Row number k of all keys of a problem (common, then own), NULL past the end. */
const struct sw_key *sw_key_at(const struct sw_problem *problem, int k);

/** Function k that makes an axis, how it is written and what it makes. @return its name, NULL after the last */
const char *sw_axis_function(int k, const char **usage, const char **about);
#endif
