#ifndef RUN_TABLE_IMPL_H
#define RUN_TABLE_IMPL_H
/* The run table as the files of this folder fill it in (sw_run_table.h). No HDF5 here. */
#include "base/sw_text.h"
#include "store/metadata.h"
#include "store/catalog/sw_run_table.h"
#include "sweep/sw_statistics.h"
#include "sweep/sw_sweep.h"

/* Where a word is: open addressing, with twice as many slots as words at least. (A parameter may have a word of its own
 * for each run.) */
struct sw_word_index { int slots, *slot; };  /* [slots] 1 + the number of a word, 0: free */
struct sw_run_table_own {
    struct sw_metadata metadata;  /* title, problem, ... of the table point into it */
    struct sw_statistics statistics;
    struct sw_word_index *index;  /* [nparam] of their words                        */
};
/** Add a range to a list of runs, "3, 5..9", which is cut after some 200 characters. */
void sw_run_ranges_add(struct sw_text *list, int64_t first, int64_t last);

/** A table of zeros with room for nruns and nparam nameless parameters. */
enum sw_status sw_run_table_alloc(int64_t nruns, int nparam, struct sw_run_table **table);
/** The row of a run, -1: it has none. */
int64_t sw_run_table_find(const struct sw_run_table *table, int64_t index);
/** Make a column, of values that say nothing, if it is not there. */
enum sw_status sw_run_table_add_column(struct sw_run_table *table, const struct sw_run_column *column);
/** Set what the table has columns for. */
void sw_run_table_set_row(struct sw_run_table *table, int64_t row, const struct sw_run_row *results);
enum sw_status sw_run_table_set_param(struct sw_run_table *table, int k, const char *name);
/** Number a word of parameter k: the one it has, or the next. */
enum sw_status sw_run_table_word(struct sw_run_table *table, int k, const char *word, double *number);
enum sw_status sw_run_table_set_message(struct sw_run_table *table, int64_t row, const char *text);
/** Name the parameters after the axes of a sweep and fill in those of the rows' indices. */
enum sw_status sw_run_table_set_sweep(struct sw_run_table *table, const struct sw_sweep *sweep);
/** "a v seed", to be freed with sw_free(); NULL if memory is out. */
char *sw_run_table_coordinates(const struct sw_run_table *table);
/** The statistics that the file asks for, if any. */
const struct sw_statistics *sw_run_table_statistics(const struct sw_run_table *table);
/** What the file has of its runs no more, but for statistics: "fields", "scalars", "fields scalars"; "": it has all. */
const char *sw_run_table_dropped(const struct sw_run_table *table);
/** Set it. @return SW_E_MEMORY */
enum sw_status sw_run_table_set_dropped(struct sw_run_table *table, bool fields, bool scalars);
struct sw_sweep_identity sw_run_table_identity(const struct sw_run_table *table);
/** Let go of the parameters, but for their names. */
void sw_run_table_drop_params(struct sw_run_table *table);
/** Let go of all but runs and ids. */
void sw_run_table_drop_values(struct sw_run_table *table);
/** Let go of all that the rows hold, which is most of the memory of a table. What is about the file stays. */
void sw_run_table_drop_results(struct sw_run_table *table);
/** Let the table own the metadata (they are moved). @return SW_E_MEMORY */
enum sw_status sw_run_table_take_metadata(struct sw_run_table *table, struct sw_metadata *metadata);

/** Numbers of a sweep's runs in blocks: calls use(user, first, count, column) with column [ncolumn][count].
 *  @param run  [nruns] indices */
enum sw_status
sw_run_table_columns(const struct sw_sweep *sweep, const int64_t *run, int64_t nruns,
                     enum sw_status (*use)(void *user, int64_t first, int64_t count, const double *column), void *user);
#endif
