#ifndef FUSED_POINT_H
#define FUSED_POINT_H
/* What cuda.fused hands to its kernel for each line, besides struct sw_line_batch (stepper/recursive.h explains the numbers).
 *
 * A line of n points is cut into `lanes` blocks, one a lane; any q blocks in a row have floor(q n/lanes) points together, or one more,
 * so there are two powers of P for them. power[2k] and power[2k + 1] are those for 2^k lanes in a row, within a warp.
 *
 * A line of more than 32 lanes is one of a team of lanes/32 warps. It has a table of 2x2 matrices besides: two powers of P each for
 * q = 0 .. 31 lanes in a row, then for q = 0 .. lanes/32 - 1 warps in a row. */
#include "base/sw_hd.h"
#include "stepper/sw_real.h"

enum { SW_FUSED_MAX_STAGES = 5, SW_FUSED_MOST = 64 };  /* points a lane */

/* Both in the type of number that a kernel has. */
#define SW_FUSED_LINE(number) {                                                                             \
    number closure[4];  /* (I - P^n)^-1                                                              */     \
    number power[2 * SW_FUSED_MAX_STAGES][4];                                                               \
    number a1, a2, scale;                                                                                   \
    int    stages;      /* of the scan, those beyond change nothing                                  */     \
    int    reach;       /* a team: so many warps before one change anything in it, at least 1        */     \
    int    closed;      /* 0: what comes round the circle changes nothing                            */     \
}
struct sw_fused_line SW_FUSED_LINE(sw_real);

/* Where all lines have the same coefficients. */
#define SW_FUSED_COMMON(line_struct, number) {                                                              \
    line_struct line;                                                                                       \
    number scale;                 /* line.scale; twice that for Crank-Nicolson                     */       \
    number h[SW_FUSED_MOST + 2];  /* 0, 0, h_0 = 1, h_1, ...: the response to a single value       */       \
}
struct sw_fused_common SW_FUSED_COMMON(struct sw_fused_line, sw_real);

/** Doubles in the table of a line. */
SW_HD static inline int sw_fused_table(int lanes) { return lanes > 32 ? 8 * (32 + lanes / 32) : 0; }
#endif
