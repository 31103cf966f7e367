#ifndef GRID_COORDINATES_HDF5_H
#define GRID_COORDINATES_HDF5_H
/* The coordinates of the fields of a data group, run by run: times of the outputs, first points and steps along x, y,
 * z. They are in the scales where the runs agree, and in t, xc, yc, zc where they do not. */
#include "store/hdf5/schema_hdf5.h"

struct sw_grid_coordinates {                /* free with sw_grid_coordinates_close()                          */
    struct sw_h5 h5;
    const struct sw_data_group *data_group;
    hid_t   own_t, own_x[SW_DIMS];          /* datasets of t, xc, yc, zc; < 0: all runs have the same         */
    double *time;                           /* [data group->nfield] of the current run; NaN behind its last */
    double  first[SW_DIMS], step[SW_DIMS];  /* of the current run; 0 and 1 where there is no such dimension */
    const double *uneven[SW_DIMS];          /* [n] its points, where they are not a step apart; else NULL     */
    double *own[SW_DIMS];                   /* [n] room for them where runs have their own                    */
};
/** @param data_group  of the file; must stay as long as the coordinates
 *  @return SW_E_IO, SW_E_MEMORY; the coordinates are closed then */
enum sw_status sw_grid_coordinates_open(const char *path, const struct sw_data_group *data_group,
                                        struct sw_grid_coordinates *coordinates);
/** Read the coordinates of a run. @param row  in the data group  @return SW_E_IO */
enum sw_status sw_grid_coordinates_read(struct sw_grid_coordinates *coordinates, int64_t row);
enum sw_status sw_grid_coordinates_close(struct sw_grid_coordinates *coordinates);  /* fine when closed */
#endif
