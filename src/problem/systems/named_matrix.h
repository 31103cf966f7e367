#ifndef NAMED_MATRIX_H
#define NAMED_MATRIX_H
/* A matrix that has a name: its diagonals as expressions. A kind of systems has a table of them. */
#include "problem/sw_problem.h"
#include "problem/systems/entries.h"

struct named_matrix {
    const char *word, *about;
    const char *diagonal[ENTRIES_DIAGONALS];  /* in the order of the kind's keys: expressions in i, n, seed and sigma;
                                                 NULL: by `mode`, or none */
    int         mode;         /* how its singular values lie (tridiagonal/randsvd.h); 0: by `diagonal` */
};

/** NULL: `given`, or no such word. @param table  ends with word NULL */
const struct named_matrix *named_matrix_find(const struct named_matrix *table, const char *word);

/** Whether it depends on the seed. */
bool named_matrix_is_random(const struct named_matrix *matrix);

/** Compile diagonal k of a matrix; sees the columns grid.n and seed of the setup as n and seed, and sigma if there is
 * one.
 * @param program  out; free with sw_program_destroy() @return SW_E_MEMORY */
enum sw_status named_matrix_compile(const struct named_matrix *matrix, int k, const struct sw_setup *setup,
                                    struct sw_program **program);
#endif
