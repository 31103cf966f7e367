#ifndef BATCH_POINT_H
#define BATCH_POINT_H
/* A batch of lines as the kernels of cuda.split see it. Interleaved: point i of run j of an unknown lies at
 * i*ld + j, the unknowns one after another. Values that G and N keep at their rates (expr/sw_expr.h), those of G first,
 * then those of the next unknown: a run's and a step's at k*ld + j, a cell's at (i*cells + k)*ld + j. Or line by line:
 * point i of unknown v of run j at (j*unknowns + v)*n + i, a value of a cell at (j*cells + k)*n + i. Every pointer is
 * device memory. */
#ifndef __CUDACC_RTC__
#include <stddef.h>

#include "base/sw_hd.h"
#include "problem/line/stepper/line_point.h"
#endif

/* What first_bad holds besides the first step whose field was not finite: that there is none; that the field was not
 * finite when it was set, at a step which the next advance will tell. A run that is not SW_LINE_FINITE is no longer
 * computed. */
enum { SW_LINE_FINITE = -1, SW_LINE_NOT_FINITE = -2 };

struct sw_line_batch {
    int           n, count, ld;   /* points, runs, distance between kept values      */
    int           unknowns;       /* of a run                                        */
    int           point;          /* distance between points: ld, or 1               */
    size_t        unknown, line;  /* between unknowns, and runs: n*ld and 1, or n and n*unknowns */
    int           cells;          /* values kept a cell                              */
    double        theta;          /* 1/2 Crank-Nicolson, 1 backward Euler            */
    const double *dt, *dx, *x0;   /* [count]                                         */
    const struct sw_line_operator *a;  /* [unknowns][count]                          */
    const double *noise;          /* [count] what rounding does to u in a step       */
    const double *param;          /* [nparam][count]: the distance is count          */
    double       *run, *step, *cell;
    const int    *load_error;          /* [count] not 0: the run cannot be computed, and is bad from step 0 on */
    long long    *first_bad;      /* [count] */
};

/* What an unknown's matrices have in common. */
struct sw_line_alike {
    struct sw_line_mass mass;
    int                 left, right;  /* enum sw_line_end_kind */
};

SW_HD static inline size_t sw_line_at(const struct sw_line_batch *b, int i, int j)
{
    return (size_t)i * (size_t)b->point + (size_t)j * b->line;
}

/** Where value k of cell i is, and how far it is to the next k. */
SW_HD static inline size_t sw_line_cell_at(const struct sw_line_batch *b, int i, int j, int k)
{
    if (b->point == 1) return ((size_t)j * (size_t)b->cells + (size_t)k) * (size_t)b->n + (size_t)i;
    return ((size_t)i * (size_t)b->cells + (size_t)k) * (size_t)b->ld + (size_t)j;
}
SW_HD static inline int sw_line_cell_next(const struct sw_line_batch *b) { return b->point == 1 ? b->n : b->ld; }

enum { SW_LINE_ROWS_MOST = 4 };  /* SW_IMEX_STAGES */

/* What a stage of a method adds to the right-hand sides, and to the result, behind it (struct sw_imex_weights). */
struct sw_line_stage {
    double  time;                          /* of G and N: so many steps after the step's beginning */
    int     rows;                          /* right-hand sides                                     */
    int     begins;                        /* the stage is u^n: there is nothing in them yet        */
    double *row[SW_LINE_ROWS_MOST];        /* [unknowns][n][ld] each                               */
    double  of_state[SW_LINE_ROWS_MOST], of_value[SW_LINE_ROWS_MOST];
    int     wants_first;                   /* of_first are not all 0                               */
    double  of_first[SW_LINE_ROWS_MOST];   /* of (P - A) u^n                                       */
    int     result;                        /* the row that is no right-hand side, but the result; -1: none */
    double  ends_time;                     /* of what is known at the ends, as `time`                */
};

/* What kernels need of a batch whose runs take steps of their own, besides struct sw_line_batch, which then has dt = 1
 * and operators of a step of 1. Every pointer is device memory. */
struct sw_own_limits;  /* own_steps_point.h */
struct sw_own_steps;

struct sw_own_batch {
    const double        *times;      /* [goals + 1] output times, from 0                                          */
    const struct sw_own_limits *limits;  /* [count]                                                               */
    const double        *first_dt;   /* [count] 0: chosen                                                         */
    const double        *drive;      /* [count][windows][unknowns] what ends and forces bring (own_steps_drive.h) */
    struct sw_own_steps *steps;      /* [count]                                                                   */
    int                 *queue;      /* [count] the runs that are to go on, those that take most steps first      */
    int                 *counter;    /* [2] how many there are, how many of them were taken                       */
    double               gamma;      /* of the method                                                             */
    int                  windows;
};
#endif
