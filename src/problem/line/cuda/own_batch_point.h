#ifndef OWN_BATCH_POINT_H
#define OWN_BATCH_POINT_H
/* What kernels need of a batch whose runs take steps of their own, besides struct sw_line_batch, which then has dt = 1
 * and operators of a step of 1. Every pointer is device memory. */
#ifndef __CUDACC_RTC__
#include "problem/line/stepper/own_steps_point.h"
#endif

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
