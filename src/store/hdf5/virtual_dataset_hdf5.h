#ifndef VIRTUAL_DATASET_HDF5_H
#define VIRTUAL_DATASET_HDF5_H
/* Datasets whose values stay in other files, and the list of these files. */
#include "store/hdf5/h5_hdf5.h"

struct sw_h5_virtual_source {     /* where some rows of a virtual dataset are     */
    const char *file;             /* relative to the folder of the file under way */
    char       *path;             /* of the dataset in there                      */
    hsize_t     dim[SW_H5_RANK];  /* of that dataset                              */
    hsize_t     from[SW_H5_RANK], to[SW_H5_RANK], count[SW_H5_RANK];
    hsize_t     step;             /* neighbours there are so many rows apart here */
};
/** Make a virtual dataset; what no source covers is NaN. */
void sw_h5_write_virtual(struct sw_h5 *h, const char *path, enum sw_h5_type type, const struct sw_h5_shape *shape,
                         const struct sw_h5_virtual_source *source, int64_t count);

/** List the files that hold the values; names as in sw_h5_virtual_source. The group /provenance is there. */
void sw_h5_write_virtual_files(struct sw_h5 *h, char *const *name, const int64_t *bytes, int64_t count);
/** The paths of the files that hold the values of a virtual file; none if the file is not virtual. Fails, naming it, if
 * one is absent or has another size. Free with sw_h5_free_texts(), also after a failure. */
void sw_h5_read_virtual_files(struct sw_h5 *h, char ***part, int *count);
#endif
