#ifndef SLICE_READER_HDF5_H
#define SLICE_READER_HDF5_H
/* Reading slices of datasets from many input files, for the datasets of a joined file. */
#include "store/merge/joined_file_hdf5.h"

struct sw_copy_job {               /* copy all outputs that an input has of one run                          */
    int     input, data_group;
    int64_t from, to;              /* row in the input's data group, and in the joined file's                */
};

struct sw_hyperslab {              /* the part of a variable of the joined file that is in memory            */
    const struct sw_data_group *s; /* of the joined file                                                     */
    const struct sw_var *var;
    int64_t row, rows;             /* of the data group                                                      */
    int64_t output, outputs;
    int64_t point, points;         /* of fields on a line: these points alone; points 0: all                  */
    size_t  cell;                  /* bytes of one output, or of these points of it                           */
    bool    packed;                /* the rows of jobs lie one after another, whatever row they go to        */
    char   *block;                 /* [rows][outputs][cell]                                                  */
};

struct sw_slice_reader {           /* keeps some of the inputs open                                          */
    const struct sw_catalog *catalog;
    struct reader *reader;         /* [catalog->ninput]                                                      */
    long    clock;
    char   *buffer;                /* as read                                                                */
    size_t  capacity;
};
enum sw_status sw_slice_reader_create(struct sw_slice_reader *reader, const struct sw_catalog *catalog);
void sw_slice_reader_free(struct sw_slice_reader *reader);
/** The input whose content is damaged, though the system can read the file; -1: none. */
int sw_slice_reader_damaged_input(const struct sw_slice_reader *reader);
/** Close the datasets that are open, not the files. */
void sw_slice_reader_close_datasets(struct sw_slice_reader *reader);

/** Copy job[0 .. count-1], which are adjacent in their input, into a hyperslab. Values that the input lacks stay as
 * they are. @return SW_E_IO with the name of the input */
enum sw_status sw_slice_reader_copy(struct sw_slice_reader *reader, const struct sw_hyperslab *w,
                                    const struct sw_copy_job *job, int64_t count);

/** Narrow a hyperslab of points to those that an input has. @return false: it has none of them */
bool sw_hyperslab_narrow(struct sw_hyperslab *w, const struct sw_data_group *s);

/** sw_var_start() and sw_var_size() for these rows and outputs of a variable, and the hyperslab's points. */
int sw_hyperslab_place(const struct sw_hyperslab *w, int64_t row, int64_t rows, int64_t output, int64_t outputs,
                       hsize_t start[SW_H5_RANK], hsize_t size[SW_H5_RANK]);

/** The outputs of an input's data group that fall into a hyperslab.
 * @param first  out: the first of them, counted in the data group
 * @param at     out: its place in the hyperslab
 * @return how many there are */
int64_t sw_hyperslab_overlap(const struct sw_hyperslab *w, const struct sw_data_group *s, int64_t *first, int64_t *at);
/** Whether the jobs fill all rows of a hyperslab. */
bool sw_hyperslab_covered(const struct sw_hyperslab *w, const struct sw_catalog *catalog, const struct sw_copy_job *job,
                          int64_t count);
/** Whether b reads the row after that of a, in the same data group of the same input. */
bool sw_copy_jobs_adjacent(const struct sw_copy_job *a, const struct sw_copy_job *b);
/** List the jobs that fill rows row .. row+rows-1 of a joined group, by input, data group and row there. Free with
 * sw_free(). */
enum sw_status sw_copy_jobs_list(const struct sw_catalog *catalog, const struct sw_joined_group *group, int64_t row,
                                 int64_t rows, struct sw_copy_job **job, int64_t *count);
#endif
