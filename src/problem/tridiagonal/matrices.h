#ifndef TRIDIAGONAL_MATRICES_H
#define TRIDIAGONAL_MATRICES_H
/* The tridiagonal matrices that have a name: the 16 of table III of L.-W. Chang, J. Stratton, H.-S. Kim, W.-M. Hwu, "A
 * scalable, numerically stable, high-performance tridiagonal solver using GPUs" (SC 2012), in its order, for any n. */
#include "problem/systems/named_matrix.h"

extern const struct named_matrix tridiagonal_matrices[];  /* ends with word NULL */

/** The words of the key `matrix`: those above, then `given`. */
const char *tridiagonal_matrix_word(int k);
#endif
