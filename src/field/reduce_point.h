#ifndef REDUCE_POINT_H
#define REDUCE_POINT_H
/* What a kernel of cuda/reduce_rtc.cuh gets: runs on periodic lines. Every pointer is device memory. */
#ifndef __CUDACC_RTC__
#include <stddef.h>
#endif

struct sw_reduce_batch {
    int           n, count;         /* points, runs                                                      */
    size_t        point, unknown, run;  /* distances of points, unknowns and runs in `field`             */
    const double *field;
    const long long *first_bad;     /* [count] a run that has not -1 there is not finite, whatever its field says */
    const double *column;           /* [own][count]: numbers of the runs                                 */
    const double *grid;             /* [SW_GRID_NUMBERS][count]                                          */
    const double *x0, *dx, *t;      /* [count]                                                           */
    double       *value;            /* [count][expressions]                                              */
};
#endif
