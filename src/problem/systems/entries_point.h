#ifndef ENTRIES_POINT_H
#define ENTRIES_POINT_H
/* What kernels see of a batch of tridiagonal systems (entries_cuda.c). Embedded for run-time compilation. */

struct entries_batch {
    long long     n;
    int           cyclic, count;  /* runs loaded                                                         */
    const double *param;          /* [parameters used][count]                                            */
    double       *cached;         /* [values][count]: those of the programs that depend on the run alone */
    long long    *bad;            /* [count] the first row filled with what is not finite, or SYSTEM_NO_ROW */
};

struct entries_arrays { double *lower, *main, *upper, *rhs; };

/* Rows first .. first + rows - 1 of all runs, and what is measured of them by warps: each run is cut into `parts` parts
 * of `each` rows, the last one shorter. */
struct entries_measured {
    long long     first, rows, parts, each;
    const double *lower, *main, *upper, *rhs, *x;  /* [count][rows]                                             */
    const double *beyond;                          /* [count][2] x before and behind them, NULL: all of the system */
};
#endif
