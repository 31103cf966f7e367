#ifndef FD_GTSV_POINT_H
#define FD_GTSV_POINT_H
/* The argument of the kernels around the library's tridiagonal solvers (cuda/fd/fd_gtsv.cu). */
#include "fd/fd_rhs_point.h"

struct fd_gtsv {
    struct fd_lines lines;        /* of f and of the result                                               */
    struct fd_rhs     rhs;
    long long       stride;       /* of the systems: system l lies as a line of such a stride would        */
    double          inside[3];    /* lower, main, upper                                                    */
    double          end[4][3];    /* of rows 0, 1, n - 2, n - 1                                            */
    double          alpha, close; /* periodic: x = y - amount z, amount = (y_0 - alpha y_{n-1}) close       */
    const double   *z;            /* [n]; NULL between walls                                               */
    double         *amount;       /* [lines.all]                                                           */
};
#endif
