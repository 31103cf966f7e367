#ifndef FD_CUT_POINT_H
#define FD_CUT_POINT_H
/* The argument of the kernels of cuda/fd/fd_cut_rtc.cuh, which explains it. Embedded for run-time compilation, behind
 * fd_rhs_point.h. */
#include "fd/fd_rhs_point.h"

struct sw_fd_cut_ends {
    struct fd_rhs rhs;                   /* weights times c, as those of cuda.fused                             */
    long long stride, m;                 /* from a point to the next; points of this rank                       */
    long long line, lines;               /* of this launch: the first line, and how many                        */
    int       points;                    /* how many are summed up at an end                                    */
    int       first_end;                 /* 0: there is a neighbour on the left; 1: only on the right           */
    double    q[2];                      /* of each factor                                                      */
    double    from_e[2][2][2], from_f[2][2][2];  /* [end][factor of the value][factor of e or f]                */
    void     *message[2];                /* [end] to the neighbour there                                        */
    const void *received[2];             /* likewise from it                                                    */
    double   *value[2][2];               /* [end][factor] out [all lines]: Y of end 0, X of end 1               */
};
#endif
