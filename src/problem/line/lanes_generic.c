/* lanes.h in plain C with the compiler's vectors of two: SSE2, NEON, or nothing. Fused where the target has it. */
#include <math.h>

#define real double
#define LANES SW_LANES
#define VL 2
#define GROUP 2
#define NUMBERS(of) of(0), of(1)
#ifdef __FP_FAST_FMA
#define FUSED fma
#endif
#include "problem/line/lanes_generic_body.h"

extern const struct sw_lanes_ops sw_lanes_generic;
const struct sw_lanes_ops sw_lanes_generic = {
    .name = "generic", .lanes = LANES, .here = here, .begin = begin, .first = first, .pass = pass,
};
