#ifndef INPUT_FILE_H
#define INPUT_FILE_H
/* One output file or part as an input: its run table, its data groups, and which row has its arrays where. Arrays
 * stay in the file. */
#include "store/catalog/run_table_impl.h"
#include "store/files/sw_files.h"

struct sw_data_group;

/* Messages call a file so that another program, or a later sweep, has written: it is not damaged. */
#define SW_OF_OTHERS "is an HDF5 file, but not one that sweep has written"

struct sw_input_file {
    char    *path;
    struct sw_run_table  *table;
    int      ndata_group;
    struct sw_data_group *data_group;
    int     *data_group_of;          /* [table->nruns] data group of a row; -1: the row has no arrays            */
    int64_t *row_of;                 /* [table->nruns] row in that data group                                    */
    bool     has_state;              /* the file is the end of a chain that goes on                              */
    int64_t  step;                   /* of the state                                                             */
    int      cut;                    /* of its runs                                                              */
    int64_t  ticks;                  /* struct sw_checkpoint                                                     */
    struct sw_file_version version;  /* of the file when it was opened                                           */
    bool     has_checksums;
    bool     lost_checksums;         /* it was written with some: changed by another program, or cut             */
    int64_t  written;                /* seconds since 1970, 0 without checksums                                  */
    int      nsource;                /* of a virtual file: the files that hold its fields and series             */
    char   **source;                 /* [nsource] paths                                                          */
};
/** Read all of a file but its arrays.
 * @param damaged  out: the system can read the file, but its content is not right: opening it again fails again
 * @return SW_E_IO the message says what the file is instead; SW_E_MEMORY */
enum sw_status sw_input_file_open(const char *path, struct sw_input_file *input, bool *damaged);
/** Read of it only where its checksums are, and its sources; the rest stays {0}.
 * @param input  out: to be freed after a failure, too; lost_checksums tells of a damaged one what it is
 * @return likewise */
enum sw_status sw_input_file_open_sources(const char *path, struct sw_input_file *input, bool *damaged);
void sw_input_file_free(struct sw_input_file *input);

/** The data group that has the arrays of a row; NULL: it has none. */
const struct sw_data_group *sw_input_file_group(const struct sw_input_file *input, int64_t row);
/** Whether the file has the state in which the run of a row has ended. */
bool sw_input_file_has_end(const struct sw_input_file *input, int64_t row);
/** Whether runs have ended in the file without a state that a longer sweep could go on from. */
bool sw_input_file_lacks_states(const struct sw_input_file *input);

/* The outputs that a file has of a run: field_first .. field_first+fields-1, likewise of the series. Of a run that is
 * cut the first of them may begin at a point, and one more after the last may end at a point, else 0. Or it has slab
 * `slab` of `slabs` of each of them, between these points along the last axis; 0: its end. */
struct sw_time_slice { int64_t field_first, fields, scalar_first, scalars, begin_point, end_point, slab, slabs; };
/** Whether other slabs of the same outputs follow in other files, or should. */
static inline bool sw_time_slice_is_partial(struct sw_time_slice s)
{
    return s.slabs && (s.slab + 1 < s.slabs || s.end_point);
}
struct sw_time_slice sw_input_file_time_slice(const struct sw_input_file *input, int64_t row);
/** The points along the last axis that a file of slabs has of a run; count 0: it has whole fields. */
struct sw_slab { int64_t first, count; };
struct sw_slab sw_input_file_slab(const struct sw_input_file *input, int64_t row);
#endif
