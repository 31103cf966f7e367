#ifndef JOIN_VIRTUAL_H
#define JOIN_VIRTUAL_H
/* A joined file whose fields and series stay in the inputs (results/join_virtual_hdf5.c). */
#include "output/join_hdf5.h"
#include "output/virtual_hdf5.h"

struct sw_virtual {
    const struct sw_gather *g;
    char **name;                   /* [g->ninput] relative to the folder of the output */
};
/** @param path  of the output: only its folder counts
 * @return SW_E_IO a folder is not there, SW_E_MEMORY; either way sw_virtual_end() frees */
enum sw_status sw_virtual_begin(struct sw_virtual *v, const struct sw_gather *g, const char *path);
/** Make a variable that has one value or more an output. @return SW_E_REFUSED the inputs have it in two precisions */
enum sw_status sw_virtual_put(const struct sw_virtual *v, struct sw_h5 *h, const struct sw_target *t,
                              const struct sw_var *var);
/** List the inputs in the output. */
enum sw_status sw_virtual_list(const struct sw_virtual *v, struct sw_h5 *h);
void sw_virtual_end(struct sw_virtual *v);
#endif
