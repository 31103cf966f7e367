#ifndef VAR_WRITER_HDF5_H
#define VAR_WRITER_HDF5_H
/* Writes one variable of a part: outputs come one time after another, for all runs at once. They are collected in
 * blocks of some MiB, each one chunk of the dataset and one write: [runs][depth outputs][values], which is the
 * order of the final file. */
#include "store/hdf5/schema_hdf5.h"

struct sw_var_writer {
    struct sw_h5    *h5;                     /* borrowed                                      */
    const struct sw_data_group *data_group;  /* likewise                                      */
    enum sw_var_kind kind;
    enum sw_h5_type  type;
    hid_t    dataset;
    int64_t  count;                          /* runs                                          */
    int64_t  inner;                          /* values a run and output                       */
    size_t   row;                            /* bytes of them                                 */
    int64_t  depth;                          /* outputs a block                               */
    int64_t  filled;                         /* outputs in the block now                      */
    int64_t  written;                        /* outputs in the dataset                        */
    char    *block;                          /* [count][depth][inner]; NULL: a field, depth 1 */
};
/** Make the dataset of a variable of a data group. outputs: most that will come. */
enum sw_status sw_var_writer_open(struct sw_var_writer *s, struct sw_h5 *h, const struct sw_data_group *data_group,
                                  const struct sw_var *var, int64_t outputs);
/** Add one output: the values of run j begin at data + j*stride bytes; a field is packed. data NULL: NaN. */
void sw_var_writer_add(struct sw_var_writer *s, const void *data, size_t stride);
/** Write values first .. first + count - 1 of the next output of one run on a line, whose output is not collected. The
 * last values end it. */
void sw_var_writer_add_piece(struct sw_var_writer *s, const void *data, int64_t first, int64_t count);
/** Write the outputs collected so far. */
void sw_var_writer_flush(struct sw_var_writer *s);
void sw_var_writer_free(struct sw_var_writer *s);
#endif
