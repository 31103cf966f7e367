#ifndef FD_CR_POINT_H
#define FD_CR_POINT_H
/* The argument of the kernel of cuda.cr: coefficients of cyclic reduction, all computed at set-up. Embedded for
 * run-time compilation. */
#include "fd/fd_rhs_point.h"

enum { FD_CR_LEVELS = 13 };  /* of lines of at most 2^13 points: as many as fit the memory of a block, twice */

/* Rows of a level that differ from those inside; numbered in the reduced system, N rows from 1. */
enum { FD_CR_INSIDE, FD_CR_FIRST, FD_CR_LAST, FD_CR_BEFORE };

/* d_r -= before d_{r-1} + after d_{r+1}, for even r: inside, r = 2, r = N, r = N - 2. */
struct fd_cr_down { double before, after; };
/* x_r = own d_r - before x_{r-1} - after x_{r+1}, for odd r: inside, r = 1, r = N - 1. */
struct fd_cr_up { double own, before, after; };

struct fd_cr_level {
    struct fd_cr_down down[4];
    struct fd_cr_up   up[3];
};

struct fd_cr {
    struct fd_lines    lines;
    struct fd_rhs     rhs;
    struct fd_cr_level level[FD_CR_LEVELS - 1];  /* log2 n - 1 of them                                      */
    double             inverse[4];               /* of the matrix of the last two rows, row by row           */
};
#endif
