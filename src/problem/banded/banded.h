#ifndef BANDED_H
#define BANDED_H
/* Between the files of the problem `banded`: banded.c has its keys, and what is refused, banded_matrix.c its matrices,
 * banded_sim.c solves the systems of a batch. */
#include "linalg/sw_band.h"
#include "problem/systems/named_matrix.h"
#include "problem/systems/system_sim.h"

extern const struct system_keys banded_keys;              /* m4 .. m1, main, p1 .. p4, rhs */
extern const struct named_matrix banded_matrices[];     /* ends with word NULL           */

/** That of runs with these words; NULL: given by the config. */
const struct named_matrix *banded_matrix_of(const struct sw_setup *setup);
/** The words of the key `matrix`: those of the table, then `given`. */
const char *banded_matrix_word(int k);

/** Which diagonals runs with these words have. @param source  NULL: none is from files
 *  @param use  out [banded_keys.diagonals] */
void banded_diagonals(const struct sw_setup *setup, const struct system_source *source, bool use[SYSTEM_ARRAYS]);

/** The shape of their matrices. */
struct sw_band_desc banded_shape(const struct sw_setup *setup, const bool use[SYSTEM_ARRAYS], int n, int batch);

/** The same as a row that the config names is asked to do it: matrices that are all equal, and symmetric where it takes
 * no others. Whether they are is seen when they are there; a row that fails at other ones leaves failed runs.
 * @param row  NULL: any */
struct sw_band_desc banded_shape_for(const struct sw_band_desc *desc, const char *row);

enum sw_status banded_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);
enum sw_status banded_bytes(const struct sw_setup *setup, const struct sw_device *device, struct sw_batch_bytes *bytes);
#endif
