#ifndef SWEEP_KEYS_H
#define SWEEP_KEYS_H
/* The keys of the sweep's problem with their settings: looked up by path, through a sorted table. */
#include "sweep/sw_keys.h"
#include "sweep/sw_sweep.h"

struct sweep_key {
    const struct sw_key     *key;
    const struct sw_setting *setting;   /* what the config has at its path or at its former name; NULL: nothing   */
    bool                     guessed;   /* a message said that an unknown key may mean it                         */
};

/** Make the table of the problem's keys (sweep_own.key), and report keys that are unknown or missing and those that are
 * written by their former names. */
enum sw_status keys_read(struct sw_sweep *s);

/** The innermost group of a path that the config has, NULL: none. A key that is missing is reported at its line. */
const struct sw_setting *key_group(const struct sw_sweep *s, const char *path);

/** Whether the config lacks the key, and a message has told why: an unknown key that may be it, misspelt. */
bool key_is_guessed(const struct sw_sweep *s, const char *path);

/** Report that a key is missing, at the line of its group; nothing of one that is guessed. */
void key_report_missing(const struct sw_sweep *s, const struct sw_key *key);

/** Whether the setting of a FUNCTION or WORD key is a group of other keys ("initial.file"), which then say it. */
bool key_has_members(const struct sw_sweep *s, const struct sw_key *key, const struct sw_setting *setting);

/** Key number k of the problem, in the order of sw_keys_list(), NULL past the end. */
const struct sw_key *key_at(const struct sw_sweep *s, int k);

/** The row of a key, NULL if the problem has no such key. A former name counts as the key's. */
const struct sw_key *key_find(const struct sw_sweep *s, const char *path);

/** The setting of `exact`, where it stands for the key if the config lacks that; else NULL. */
const struct sw_setting *key_stand_in(const struct sw_sweep *s, const struct sw_key *key);

/** The setting of a key or a group, NULL where the config has none. */
const struct sw_setting *key_setting(const struct sw_sweep *s, const char *path);

/** What a message calls a key: its path, or its former name where the config uses that. */
const char *key_written(const struct sw_sweep *s, const struct sw_key *key);

/** The name by which expressions know a key: its own, or the last part of its path. */
const char *key_name(const struct sw_key *key);

/** Whether an axis or a define may have the key's name only if the key takes it: number, function and word keys on
 * which the numbers of a run depend. A name that a config may be older than is claimed only where the config
 * sets the key by it. */
bool key_has_name(const struct sw_key *key);

/** What an absent key is read as: its default; without one, the axis or define of its name; NULL: it is missing. */
const char *key_default(const struct sw_sweep *s, const struct sw_key *key);

/** Whether files may say grid.n where the config leaves it out. */
bool files_have_points(const struct sw_sweep *s);

/** Whether the key without which this one means nothing (sw_key.with) is set, or has a default all the same. */
bool key_counts(const struct sw_sweep *s, const struct sw_key *key);

/** Whether a number is finite and in the range of a key (NULL: any). */
bool key_allows(const struct sw_key *key, double v);

/** Why a number is not allowed: "must be at least 1". */
const char *key_range(const struct sw_key *key, double v, struct sw_text *text);

static inline bool key_is_number(const struct sw_key *key)
{
    return key->kind == SW_KEY_REAL || key->kind == SW_KEY_COUNT;
}
#endif
