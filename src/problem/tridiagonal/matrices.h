#ifndef TRIDIAGONAL_MATRICES_H
#define TRIDIAGONAL_MATRICES_H
/* The matrices that have a name: the 16 of table III of L.-W. Chang, J. Stratton, H.-S. Kim, W.-M. Hwu, "A scalable,
 * numerically stable, high-performance tridiagonal solver using GPUs" (SC 2012), in its order, for any n. */
#include "problem/sw_problem.h"

struct tridiagonal_matrix {
    const char *word, *about;
    const char *diagonal[3];  /* lower, main, upper: expressions in i, n and seed; NULL: by `mode` */
    int         mode;         /* how its singular values lie (randsvd.h); 0: by `diagonal`          */
};

extern const struct tridiagonal_matrix tridiagonal_matrices[];  /* ends with word NULL */

/** NULL: `given`, or no such word. */
const struct tridiagonal_matrix *tridiagonal_matrix_find(const char *word);

/** Whether it depends on the seed. */
bool tridiagonal_matrix_is_random(const struct tridiagonal_matrix *matrix);

/** The words of the key `matrix`: those above, then `given`. */
const char *tridiagonal_matrix_word(int k);

/** Compile diagonal k of a matrix; sees the columns grid.n and seed of the setup as n and seed.
 * @param program  out; free with sw_program_destroy() @return SW_E_MEMORY */
enum sw_status tridiagonal_matrix_compile(const struct tridiagonal_matrix *matrix, int k, const struct sw_setup *setup,
                                          struct sw_program **program);
#endif
