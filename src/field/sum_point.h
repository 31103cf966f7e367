#ifndef SUM_POINT_H
#define SUM_POINT_H
/* The order of a sum that a block of threads and a loop over vectors take equally well: lane l adds the terms of points
 * l, l + SW_SUM_LANES, ... in turn; then lanes l and l + w are added for w = SW_SUM_LANES/2, ... 2, 1. On the CPU it is
 * sw_sum_lanes(), on a CUDA device block_sum() in cuda/sum_rtc.cuh. */
enum { SW_SUM_LANES = 128 };
#endif
