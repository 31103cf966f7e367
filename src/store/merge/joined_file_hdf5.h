#ifndef JOINED_FILE_HDF5_H
#define JOINED_FILE_HDF5_H
/* A joined file: the layout of its arrays (data groups, their rows, outputs, scales and variables), and writing it. */
#include "store/catalog/catalog.h"
#include "store/hdf5/schema_hdf5.h"

struct sw_joined_group {           /* a data group of the joined file                                        */
    struct sw_data_group data_group;
    int64_t *slice;                /* [data_group.count] last slice of each row                              */
    bool     differs[SW_VAR_SCALES];  /* from run to run                                                     */
};
struct sw_joined_file {            /* set the first three; free with sw_joined_file_free()                   */
    const struct sw_catalog   *catalog;
    const struct sw_run_table *table;
    const int64_t *slice;          /* [table->nruns]                                                         */
    int      count;
    struct sw_joined_group *group; /* [count] ascending by number of points                                  */
};
/** @return SW_E_MEMORY; SW_E_REFUSED the inputs have states of different sizes */
enum sw_status sw_joined_file_plan(struct sw_joined_file *file);
/** Leave out "fields", "scalars", both or none, and what says where they are. */
void sw_joined_file_drop(struct sw_joined_file *file, const char *what);
void sw_joined_file_free(struct sw_joined_file *file);

/** Write a final file: the table, and for each of its rows the arrays of its chain of slices.
 * @param slice  [table->nruns] last slice of each row
 * @return SW_E_IO also where an input is damaged: catalog->unreadable says which */
enum sw_status sw_join_inputs(struct sw_catalog *catalog, const struct sw_run_table *table, const int64_t *slice,
                              const char *path);
#endif
