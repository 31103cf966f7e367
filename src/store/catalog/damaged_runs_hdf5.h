#ifndef DAMAGED_RUNS_HDF5_H
#define DAMAGED_RUNS_HDF5_H
/* Whose numbers damaged blocks of a file hold. */
#include "base/sw_text.h"
#include "store/catalog/input_file.h"

/** Add "u of runs 3, 5..9; mass of runs 0..7" for the fields, series and states that lie in blocks of which bad[] is 1;
 * nothing for what cannot be found out. The values themselves are not read.
 * @param bad  [blocks] of SW_CHECKSUM_BLOCK bytes */
void sw_damaged_runs_add(const struct sw_input_file *in, const unsigned char *bad, uint64_t blocks,
                         struct sw_text *text);
#endif
