#ifndef PART_INDEX_H
#define PART_INDEX_H
/* FILE.d/index: which runs the small parts of FILE hold, and how these ended, a line for each part. `sweep status` of
 * thousands of parts reads it in place of them; nothing else does, and no harm is done where it cannot be written. A
 * line counts as long as its part is the very file that it was written for (sw_files_version()). */
#include "store/catalog/input_file.h"

/** Parts of more runs are opened: there are not so many of them. */
enum { SW_PART_INDEX_RUNS = 64 };

/** Add a part that is in its place, of runs that have all ended in it and begun in it.
 * @param id  [count]  @param result  [count] */
void sw_part_index_add(const char *part, int count, const uint64_t *id, const struct sw_run_result *result);

/** Remove the index of an output file whose parts are gone. */
void sw_part_index_remove(const char *file);

struct sw_part_index;
/** Read the index of an output file. @param index  out: NULL where there is none; free with sw_part_index_free() */
enum sw_status sw_part_index_read(const char *file, struct sw_part_index **index);
void sw_part_index_free(struct sw_part_index **index);

/** Make an input of a part by its line: of its table there are ids and statuses alone.
 * @param index  may be NULL  @param found  out: whether there is a line for the part as it is now */
enum sw_status sw_part_index_input(const struct sw_part_index *index, const char *part, struct sw_input_file *input,
                                   bool *found);
#endif
