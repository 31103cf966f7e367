/* lanes.h in plain C in single precision: as lanes_generic.c, with vectors of four. */
#include <math.h>

#define real float
#define LANES SW_LANES_SINGLE
#define VL 4
#define GROUP 2
#define NUMBERS(of) of(0), of(1), of(2), of(3)
#ifdef __FP_FAST_FMAF
#define FUSED fmaf
#endif
#include "problem/line/lanes_generic_body.h"

extern const struct sw_lanes_ops sw_lanes_single_generic;
const struct sw_lanes_ops sw_lanes_single_generic = {
    .name = "generic", .lanes = LANES, .here = here, .begin = begin, .first = first, .pass = pass,
};
