#ifndef BATCH_POINT_H
#define BATCH_POINT_H
/* A batch of lines as the kernels of cuda.split see it. Interleaved: point i of run j of a field lies at i*ld + j.
 * Values that G and S keep at their rates (expr/sw_expr.h), those of G first: a run's and a step's at k*ld + j, a
 * cell's at (i*cells + k)*ld + j. Every pointer is device memory. */
#ifndef __CUDACC_RTC__
#include <stddef.h>

#include "base/sw_hd.h"
#endif

/* What first_bad holds besides the first step whose field was not finite: that there is none; that the field was not
 * finite when it was set, at a step which the next advance will tell. A run that is not SW_LINE_FINITE is no longer
 * computed. */
enum { SW_LINE_FINITE = -1, SW_LINE_NOT_FINITE = -2 };

struct sw_line_batch {
    int           n, count, ld;   /* points, runs, distance between kept values      */
    int           point, line;    /* distance between points, and between runs: ld and 1, or 1 and n */
    int           cells;          /* values kept a cell                              */
    double        theta;          /* 1/2 Crank-Nicolson, 1 backward Euler            */
    const double *dt, *dx, *x0;   /* [count]                                         */
    const double *s4, *s2;        /* [count] A = I + s4 d4 - s2 d2                   */
    const double *noise;          /* [count] what rounding does to u in a step       */
    const double *param;          /* [nparam][count]: the distance is count          */
    double       *run, *step, *cell;
    const int    *load_error;          /* [count] not 0: the run cannot be computed, and is bad from step 0 on */
    long long    *first_bad;      /* [count] */
};

SW_HD static inline size_t sw_line_at(const struct sw_line_batch *b, int i, int j)
{
    return (size_t)i * (size_t)b->point + (size_t)j * (size_t)b->line;
}
#endif
