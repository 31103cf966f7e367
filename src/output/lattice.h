#ifndef RESULTS_LATTICE_H
#define RESULTS_LATTICE_H
/* Where the fields of one section lie, run by run: times of its outputs, first points and steps along x, y, z. They are
 * in the scales where the runs agree, and in t, xc, yc, zc where they do not. */
#include "output/schema_hdf5.h"

struct sw_lattice {              /* free with sw_lattice_close()                                     */
    struct sw_h5 h5;
    const struct sw_section *section;
    hid_t   own_t, own_x[SW_DIMS];  /* datasets of t, xc, yc, zc; < 0: all runs have the same        */
    double *time;                /* [section->nfield] of the run looked at; NaN behind its last      */
    double  first[SW_DIMS], step[SW_DIMS];  /* of the run looked at; 0 and 1 where there is no such dimension */
};
/** @param section  of the file; must stay as long as the lattice
 *  @return SW_E_IO, SW_E_MEMORY; the lattice is closed then */
enum sw_status sw_lattice_open(const char *path, const struct sw_section *section, struct sw_lattice *lattice);
/** Look at a run: its row in the section. @return SW_E_IO */
enum sw_status sw_lattice_look(struct sw_lattice *lattice, int64_t row);
enum sw_status sw_lattice_close(struct sw_lattice *lattice);  /* fine when closed */
#endif
