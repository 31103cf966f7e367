#ifndef SW_KEYS_H
#define SW_KEYS_H
/* The key table as a whole: the common keys and those of the problems. */
#include "problem/sw_problem.h"
#include "sweep/sw_config.h"

extern const struct sw_key sw_common_keys[];  /* ends with path NULL */

/** The row of a path or of a former name; NULL if there is none. problem NULL: common keys only. */
const struct sw_key *sw_key_find(const struct sw_problem *problem, const char *path);

enum { SW_MAX_KEYS = 256 };
/** List all keys of a problem: the common ones, then its own; NULL: the common ones only. A row of the problem takes
 * the place of the common row with the same id name. @return how many */
int sw_keys_list(const struct sw_problem *problem, const struct sw_key *list[SW_MAX_KEYS]);

/** Number k of that list, NULL past the end. */
const struct sw_key *sw_key_at(const struct sw_problem *problem, int k);

/** The part of a path after its last dot; all of a path that has none. */
const char *sw_key_last_part(const char *path);

/** Whether a key, or a group of keys, is there only in problems with time. */
bool sw_key_needs_time(const char *path);

/** The name under which a key is hashed into the ids of runs: its path, or its former name. */
const char *sw_key_id_name(const struct sw_key *key);

/** The setting of a key: at its path, or at its former name; of both the later override; NULL if there is none. */
const struct sw_setting *sw_key_setting(const struct sw_config *config, const struct sw_key *key);

/** Function k that makes an axis, how it is written and what it makes. @return its name, NULL after the last */
const char *sw_axis_function(int k, const char **usage, const char **about);

/** Word k of groups whose members have no keys of their own, how it is written and what it means. @return as above */
const char *sw_group_word(int k, const char **usage, const char **about);
#endif
