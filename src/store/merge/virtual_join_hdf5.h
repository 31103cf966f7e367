#ifndef VIRTUAL_JOIN_HDF5_H
#define VIRTUAL_JOIN_HDF5_H
/* A joined file whose fields and series stay in the inputs. */
#include "store/merge/slice_reader_hdf5.h"
#include "store/hdf5/virtual_dataset_hdf5.h"

struct sw_virtual_join {
    const struct sw_catalog *catalog;
    char **name;  /* [catalog->ninput] relative to the folder of the output */
};
/** @param path  of the output: only its folder counts
 * @return SW_E_IO a folder is not there, SW_E_MEMORY; either way sw_virtual_join_free() frees */
enum sw_status sw_virtual_join_create(struct sw_virtual_join *v, const struct sw_catalog *c, const char *path);
/** Make a variable that has one value or more an output. @return SW_E_REFUSED the inputs have it in two precisions */
enum sw_status sw_virtual_join_write_var(const struct sw_virtual_join *v, struct sw_h5 *h,
                                         const struct sw_joined_group *t, const struct sw_var *var);
/** List the inputs in the output. */
enum sw_status sw_virtual_join_write_inputs(const struct sw_virtual_join *v, struct sw_h5 *h);
void sw_virtual_join_free(struct sw_virtual_join *v);
#endif
