#ifndef SW_SHARDS_H
#define SW_SHARDS_H
/* The names of the files of shards: FILE.shard-I-of-N.h5 of FILE.h5. */
#include "base/sw_text.h"

enum { SW_SHARDS_MOST = 100000 };
/** Where ".shard-I-of-N" begins in a file's name; NULL, with both 0: it is not a shard's. */
const char *sw_shard_find(const char *file, int *shard, int *nshards);
/** "results/ch.h5" as the file of a shard: "results/ch.shard-1-of-4.h5". Free with sw_free(); NULL if memory is out. */
char *sw_shard_file(const char *file, int shard, int nshards);
/** Add that name as a word of a shell, with a pattern in place of the shard: `*` or `"$k"`. */
void sw_shard_add_word(struct sw_text *text, const char *file, const char *shard, int nshards);

struct sw_catalog;
/** If the inputs have the names that `sweep run --shard` gives, add which shards are not among them: "; of 16 shards
 * these are not among the files: 3 7". */
void sw_shards_describe_missing(const struct sw_catalog *catalog, struct sw_text *text);
#endif
