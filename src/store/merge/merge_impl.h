#ifndef MERGE_IMPL_H
#define MERGE_IMPL_H
/* The steps of a merge: write the joined file, or promote a part; check what was read and written. */
#include "store/catalog/catalog.h"
#include "store/merge/sw_merge.h"

/** Write a final file: the table, and for each of its rows the arrays of its chain of slices.
 * @param slice  [table->nruns] last slice of each row
 * @return SW_E_IO also where an input is damaged: catalog->unreadable says which */
enum sw_status sw_join_inputs(struct sw_catalog *catalog, const struct sw_run_table *table, const int64_t *slice,
                              const char *path);

/** Find the input that is already what the final file of these rows would be: it has all of them and no others, each
 * from its first output to its last, and the same table and metadata. Its values may lie in another order.
 * @return its path; NULL: none */
const char *sw_promotable_part(const struct sw_catalog *catalog, const struct sw_run_table *table,
                               const int64_t *slice);

/** Check that the runs are there that the options say have ended (expected).
 * @return SW_E_IO they are not: the message names them, and options->summary counts them */
enum sw_status sw_check_expected_runs(const struct sw_catalog *catalog, const char *file,
                                      const struct sw_merge_options *options);
/** Check that no input has changed since it was opened: a file that is cut while it is open is read as zeros.
 * @return SW_E_IO one has */
enum sw_status sw_check_inputs_unchanged(const struct sw_catalog *catalog);
/** Open a file that is to become the final file and compare its rows with the table, and its arrays with those that the
 * slices lead to. @return SW_E_IO, SW_E_MEMORY */
enum sw_status sw_check_written_file(const struct sw_catalog *catalog, const struct sw_run_table *table,
                                     const int64_t *slice, const char *path);

/** If the inputs have the names that `sweep run --shard` gives, add which shards are not among them: "; of 16 shards
 * these are not among the files: 3 7". */
void sw_shards_describe_missing(const struct sw_catalog *catalog, struct sw_text *text);
#endif
