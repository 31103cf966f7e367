#ifndef TRIDIAGONAL_MATRICES_H
#define TRIDIAGONAL_MATRICES_H
/* The matrices that have a name: the 16 of table III of L.-W. Chang, J. Stratton, H.-S. Kim, W.-M. Hwu, "A scalable,
 * numerically stable, high-performance tridiagonal solver using GPUs" (SC 2012), in its order, for any n. */
#include "problem/sw_problem.h"
#include "problem/tridiagonal/entries.h"

struct tridiagonal_matrix {
    const char *word, *about;
    const char *diagonal[ENTRIES_DIAGONALS];  /* in the order of the kind's arrays: expressions in i, n and seed;
                                                 NULL: by `mode`, or none */
    int         mode;         /* how its singular values lie (randsvd.h); 0: by `diagonal`          */
};

extern const struct tridiagonal_matrix tridiagonal_matrices[];  /* ends with word NULL */

/** NULL: `given`, or no such word. @param table  ends with word NULL */
const struct tridiagonal_matrix *tridiagonal_matrix_find(const struct tridiagonal_matrix *table, const char *word);

/** Whether it depends on the seed. */
bool tridiagonal_matrix_is_random(const struct tridiagonal_matrix *matrix);

/** The words of the key `matrix`: those above, then `given`. */
const char *tridiagonal_matrix_word(int k);

/** Compile diagonal k of a matrix; sees the columns grid.n and seed of the setup as n and seed, and sigma if there is
 * one.
 * @param program  out; free with sw_program_destroy() @return SW_E_MEMORY */
enum sw_status tridiagonal_matrix_compile(const struct tridiagonal_matrix *matrix, int k, const struct sw_setup *setup,
                                          struct sw_program **program);
#endif
