#ifndef FUSED_POINT_H
#define FUSED_POINT_H
/* What cuda.fused hands to its kernel for each line, besides struct sw_line_batch (stepper/recursive.h explains the numbers).
 *
 * A line of n points is cut into `lanes` blocks, one a lane; any 2^k blocks in a row have floor(2^k n/lanes) points together, or
 * one more: power[2k] and power[2k + 1] are the powers of P for these. */
#include "base/sw_hd.h"

enum { SW_FUSED_MAX_STAGES = 5, SW_FUSED_MOST = 64 };  /* points a lane */

struct sw_fused_line {
    double closure[4];                           /* (I - P^n)^-1                                        */
    double power[2 * SW_FUSED_MAX_STAGES][4];
    double a1, a2, scale;
    int    stages;                               /* of the scan, those beyond change nothing            */
    int    closed;                               /* 0: what comes round the circle changes nothing      */
};

/* Where all lines have the same coefficients. */
struct sw_fused_common {
    struct sw_fused_line line;
    double scale;                  /* line.scale; twice that for Crank-Nicolson                            */
    double h[SW_FUSED_MOST + 2];   /* 0, 0, h_0 = 1, h_1, ...: the response of a recursion to a single value */
};
#endif
