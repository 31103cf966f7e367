#ifndef RANDSVD_H
#define RANDSVD_H
/* Random tridiagonal matrices with given singular values, as gallery('randsvd', n, kappa, mode, 1, 1) of MATLAB. */
#include <stdint.h>

#include "base/sw_status.h"

/* The work grows as n^3: a larger matrix has blocks of so many rows down its diagonal, one like the other, and a last
 * one of the rows that are left. All of them have condition number 1e15 (a block of one row: 1), and so has the
 * matrix. */
enum { RANDSVD_BLOCK = 512 };

/* The first block (or all), and the last one, if it is smaller. Row i of a block: diagonal[k][i], k = lower, main,
 * upper; 0 beyond the block's corners. */
struct randsvd { int64_t n; int size[2]; double *diagonal[2][3]; };

/** @param mode  singular values: 1: 1 and then all 1/kappa; 2: 1 but for the last, 1/kappa; 3: in geometric,
 *               4: in arithmetic progression from 1 to 1/kappa; kappa = 1e15
 *  @param seed  of the random numbers: those of rand(seed + 1/4) and on, as other matrices have them
 *  @return SW_E_MEMORY; free with randsvd_free(), also then */
enum sw_status randsvd_make(int64_t n, int mode, double seed, int threads, struct randsvd *matrix);
void randsvd_free(struct randsvd *matrix);

/** Entries of rows first .. first + count - 1 of a diagonal (0: lower, 1: main, 2: upper). @param out  [count] */
void randsvd_rows(const struct randsvd *matrix, int k, int64_t first, int64_t count, double *out);
#endif
