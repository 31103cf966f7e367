#ifndef STATISTICS_HDF5_H
#define STATISTICS_HDF5_H
/* Statistics over runs in a joined file: its group `statistics` (docs/reference/output.md). */
#include "store/merge/slice_reader_hdf5.h"

/** Form the statistics that the table asks for, if any, of what the inputs have, and write them. They are of all rows
 * of the joined file, and formed anew at each join, so it does not matter in which parts the runs came. Takes a few
 * times SW_STATISTICS_BYTES of memory, or if that is more one number, of a field one line or plane, of each run. What
 * does not fit is read again for each piece, and a spectrum transformed again.
 * @return SW_E_IO an input is damaged; SW_E_MEMORY; SW_E_STOPPED */
enum { SW_STATISTICS_BYTES = 256 << 20, SW_STATISTICS_BLOCK = 32 << 20 };  /* fields transformed at a time */
enum sw_status sw_h5_write_statistics(struct sw_h5 *out, struct sw_slice_reader *in,
                                      const struct sw_joined_file *layout);
#endif
