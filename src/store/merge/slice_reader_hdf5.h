#ifndef SLICE_READER_HDF5_H
#define SLICE_READER_HDF5_H
/* What the inputs of a merge hold of the rows of the joined file, read into memory a hyperslab at a time. */
#include "store/merge/joined_file_hdf5.h"

struct sw_hyperslab {              /* the part of a variable of the joined file that is in memory            */
    const struct sw_data_group *s; /* of the joined file                                                     */
    const struct sw_var *var;
    int64_t row, rows;             /* of the data group                                                      */
    int64_t output, outputs;
    int64_t point, points;         /* of fields: these alone along sw_data_group_axis(); points 0: all       */
    int64_t level;                 /* and of those beyond the axis this one                                  */
    size_t  cell;                  /* bytes of one output, or of these points of it                          */
    bool    packed;                /* the rows of jobs lie one after another, whatever row they go to        */
    char   *block;                 /* [rows][outputs][cell]                                                  */
};

struct sw_slice_reader {           /* keeps some of the inputs open                                          */
    const struct sw_catalog *catalog;
    struct sw_reader *reader;      /* [catalog->ninput]                                                      */
    long    clock;
    char   *buffer;                /* as read                                                                */
    size_t  capacity;
};
struct sw_opened { int data_group; const char *name; hid_t dataset; int64_t depth; };
struct sw_reader {
    struct sw_h5 h5;
    bool   open;
    int    count;
    struct sw_opened *opened;      /* [count] datasets                                                       */
    long   used;                   /* when, for the choice of what to close                                  */
};

/** Free with sw_slice_reader_free(). @return SW_E_MEMORY */
enum sw_status sw_slice_reader_create(struct sw_slice_reader *reader, const struct sw_catalog *catalog);
void sw_slice_reader_free(struct sw_slice_reader *reader);
/** Close all datasets, not the files. */
void sw_slice_reader_close_datasets(struct sw_slice_reader *reader);
/** The input whose content is damaged, though the system can read the file; -1: none. */
int sw_slice_reader_damaged(const struct sw_slice_reader *reader);
/** Open a dataset of the data group that a job reads from. It stays open. @return SW_E_IO; SW_E_MEMORY */
enum sw_status sw_slice_reader_dataset(struct sw_slice_reader *reader, const struct sw_copy_job *job, const char *name,
                                       struct sw_opened *dataset);

/** List the jobs that fill rows row .. row+rows-1 of a joined group, by input, data group and row there.
 * @param job  out [*count]; free with sw_free() */
enum sw_status sw_copy_jobs_list(const struct sw_catalog *catalog, const struct sw_joined_group *group, int64_t row,
                                 int64_t rows, struct sw_copy_job **job, int64_t *count);
/** Whether b reads the row after that of a, in the same data group of the same input. */
bool sw_copy_jobs_adjacent(const struct sw_copy_job *a, const struct sw_copy_job *b);
/** Whether the jobs fill all rows of a hyperslab. */
bool sw_copy_jobs_cover(const struct sw_hyperslab *slab, const struct sw_catalog *catalog,
                        const struct sw_copy_job *job, int64_t count);
/** Copy job[0 .. count-1], which are adjacent in their input, into a hyperslab. Values that the input lacks stay as
 * they are. @return SW_E_IO with the name of the input; SW_E_MEMORY */
enum sw_status sw_copy_jobs(struct sw_slice_reader *reader, const struct sw_hyperslab *slab,
                            const struct sw_copy_job *job, int64_t count);

/** Whether an input holds a field of the group in part: then a hyperslab of it is of one row and output, and says which
 * points it has. */
bool sw_joined_group_has_pieces(const struct sw_joined_group *group, const struct sw_catalog *catalog);
/** sw_var_start() and sw_var_size() for these rows and outputs of a variable, and the hyperslab's points. */
int sw_hyperslab_place(const struct sw_hyperslab *slab, int64_t row, int64_t rows, int64_t output, int64_t outputs,
                       hsize_t start[SW_H5_RANK], hsize_t size[SW_H5_RANK]);
/** Fill some hyperslabs of the same rows: all of an input's while it is open. NaN where no input has a value.
 * @return SW_E_IO with the name of the input; SW_E_MEMORY */
enum sw_status sw_hyperslabs_fill(struct sw_slice_reader *reader, const struct sw_joined_group *group,
                                  const struct sw_hyperslab *slab, int count);
void sw_fill_nan(char *block, size_t bytes, enum sw_h5_type type);
#endif
